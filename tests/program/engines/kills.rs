//! Kills ttlab or its engine at arbitrary moments. The resumed run has the same results as an
//! uninterrupted one, and no process is left.

use super::{Trial, alive, all_gone};
use std::time::Duration;

const SLOW: &str = "limit = { depth = 3 }\n[subject]\nuci = [\"ENGINE\", \"slow\"]\n[grid]\n\"uci.Hash\" = [1, 2, 3]\n";

/// The number of kills: a few by default, or `TTLAB_KILLS`.
fn kills() -> u64 {
    std::env::var("TTLAB_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

/// Returns the number of lines in the results file so far.
fn lines(trial: &Trial) -> usize {
    std::fs::read(trial.path("killed/results.csv")).unwrap_or_default().iter().filter(|&&byte| byte == b'\n').count()
}

/// Returns a delay of up to 1.5 seconds, different for each kill.
fn moment(kill: u64) -> Duration {
    Duration::from_millis(20 + kill * 397 % 1500)
}

#[test]
fn resumed_run_equals_an_uninterrupted_one() {
    let trial = Trial::new(SLOW);
    trial.run("undisturbed", &[]).expect(0);
    let (mut met, lines) = (0, || lines(&trial));
    for kill in 0..kills() {
        let before = lines().max(1);
        let mut child = trial
            .command(&["run", "trial.toml", "--out", "killed", "--jobs", "2", "--quiet"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Every other kill waits for a new row first, so that it falls among the rows even if the
        // trial before the run is slow on this machine.
        while kill % 2 == 1 && lines() <= before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(moment(kill) / if kill % 2 == 1 { 10 } else { 1 });
        met += u64::from(child.try_wait().unwrap().is_none() && lines() > before);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(all_gone(&trial.token), Vec::<String>::new(), "kill {kill}");
        if kill % 4 == 3 && trial.path("killed").exists() {
            std::fs::remove_dir_all(trial.path("killed")).unwrap();
        }
    }
    assert!(met > 0, "no kill fell among the rows");
    // A job that was running at two kills is quarantined until a retry is requested.
    trial.run("killed", &["--retry-failed"]).expect(0);
    assert_eq!(trial.timeless("undisturbed"), trial.timeless("killed"));
}

/// An interrupt while moves are being judged stops the run, and the exit code says so. The
/// reference never finishes position D, the only one.
#[test]
fn interrupted_judging_exits_75() {
    let trial = Trial::new("");
    let (mark, engine) = (trial.path("mark"), super::scripted());
    let judge =
        format!("[\"env\", \"AT={}\", \"{}\", \"endless\", \"{}\"]", super::AT_D, engine.display(), mark.display());
    let text = format!(
        "suite = \"suite.epd\"\nlimit = {{ depth = 1 }}\n[reference]\nuci = {judge}\nlimit = {{ depth = 2 }}\n[subject]\nuci = \"{}\"\n",
        engine.display()
    );
    std::fs::write(trial.path("trial.toml"), text).unwrap();
    let only = format!("rnbqkbnr/{}/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id \"D\";\n", super::AT_D);
    std::fs::write(trial.path("suite.epd"), only).unwrap();
    let child = trial
        .command(&["run", "trial.toml", "--out", "out", "--jobs", "1"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let begun = std::time::Instant::now();
    while !mark.exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the judge does not come to D");
        std::thread::sleep(Duration::from_millis(2));
    }
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(75), "{stderr}");
    assert_eq!(all_gone(&trial.token), Vec::<String>::new());
    let judged = std::fs::read_to_string(trial.path("out/reference.csv")).unwrap_or_default();
    assert!(judged.lines().count() <= 1, "{judged}");
}

#[test]
fn killed_engine_leaves_a_failed_row_that_can_be_retried() {
    let trial = Trial::new(SLOW);
    trial.run("undisturbed", &[]).expect(0);
    let mut child = trial
        .command(&["run", "trial.toml", "--out", "killed", "--jobs", "2", "--quiet"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let (mut killed, mut failures) = (0, 0);
    // Only engines of searches are killed, not those of the trial before a run; a new row shows
    // that searches have begun.
    let lines = || lines(&trial);
    let mut before = 1;
    for kill in 0..5000 {
        std::thread::sleep(moment(kill) / 20);
        if let Some(status) = child.try_wait().unwrap() {
            match status.code() {
                Some(0) if killed >= kills() && failures > 0 => break,
                Some(0) => std::fs::remove_dir_all(trial.path("killed")).unwrap(),
                Some(3) => failures += 1,
                other => panic!("{other:?}"),
            }
            before = lines().max(1);
            child = trial
                .command(&["run", "trial.toml", "--out", "killed", "--jobs", "2", "--quiet", "--retry-failed"])
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
        } else if (killed < kills() || failures == 0) && lines() > before && kill_an_engine(&trial.token) {
            killed += 1;
        }
    }
    assert!(failures > 0, "no kill was ever seen");
    assert_eq!(all_gone(&trial.token), Vec::<String>::new());
    assert_eq!(trial.timeless("undisturbed"), trial.timeless("killed"));
}

/// Kills the process of the scripted engine that was started last, if one is running: the others
/// may have made their last search.
fn kill_an_engine(token: &str) -> bool {
    assert!(alive(token).len() < 30);
    let mut last = None;
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).into_owned();
        let ours = environment.windows(token.len()).any(|part| part == token.as_bytes());
        if ours && words.starts_with("/bin/sh") && words.contains("scripted.sh") {
            last = last.max(entry.file_name().to_string_lossy().parse::<u32>().ok());
        }
    }
    let kill = |pid: u32| std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status();
    last.is_some_and(|pid| kill(pid).unwrap().success())
}
