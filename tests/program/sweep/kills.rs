//! Runs that are ended by SIGKILL at any moment, by Ctrl-C, or by SIGTERM.

use super::*;
use std::time::{Duration, Instant};

/// Runs killed at random moments and continued each time. `TTLAB_KILLS` sets the number of kills.
#[test]
fn killed_runs_lose_nothing() {
    kill_and_continue(&LONG.replace("depth = 5", "depth = 4"), 12);
}

/// The same with several searchers that take turns: whenever they are killed, their rows equal
/// those of an uninterrupted run.
#[test]
fn killed_runs_of_several_searchers_lose_nothing() {
    let threads = "schedules = 2\n[engine.threads]\nschedule = 'random'\n\
                   [grid]\n'threads.count' = [2, 3]\n'threads.helpers' = ['same', 'shuffle']\n";
    let head = "suite = 'data/bratko-kopec.epd'\nfirst = 8\nlimit = { depth = 4 }\n";
    kill_and_continue(&format!("{head}{threads}"), 4);
}

/// `kills`: the number of kills, unless `TTLAB_KILLS` sets it.
fn kill_and_continue(experiment: &str, kills: u64) {
    let kills: u64 = std::env::var("TTLAB_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(kills);
    let trial = Trial::new(experiment);
    let begun = Instant::now();
    trial.run("undisturbed", &["--jobs", "2"]).expect(0);
    let whole = begun.elapsed().as_micros() as u64;
    let undisturbed = counts(&trial.results("undisturbed"));
    let (mut done, mut killed) = (0, 0);
    while done < kills {
        let out = format!("killed-{killed}");
        killed += 1;
        // Kill the run at random moments until one attempt finishes.
        for attempt in 0.. {
            // `--retry-failed`: a job that was killed twice isn't quarantined here.
            let mut child = trial.spawn(&out, &["--jobs", "2", "--quiet", "--retry-failed"]);
            let moment = scatter(killed * 1000 + attempt) % (whole * 11 / 10);
            std::thread::sleep(Duration::from_micros(moment));
            signal(&child, "-KILL");
            if child.wait().unwrap().success() {
                break;
            }
            done += 1;
        }
        trial.run(&out, &["--retry-failed"]).expect(0);
        ttlab(&["verify", &trial.text(&out)]).expect(0);
        assert_eq!(counts(&trial.results(&out)), undisturbed, "killed {killed} after {done} kills");
        let left: Vec<_> = fs::read_dir(trial.path(&out)).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().contains("ttlab-new")), "left behind: {left:?}");
        fs::remove_dir_all(trial.path(&out)).unwrap();
    }
    eprintln!("{done} kills in {killed} runs");
}

/// Whether SIGHUP is ignored here, in which case the program ignores it too.
fn under_nohup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    ignored.is_some_and(|mask| u64::from_str_radix(mask, 16).is_ok_and(|mask| mask & 1 == 1))
}

/// Waits until the first row is written.
fn first_row(results: &Path) {
    let begun = Instant::now();
    while !fs::read(results).is_ok_and(|bytes| bytes.iter().filter(|&&byte| byte == b'\n').count() > 1) {
        assert!(begun.elapsed() < Duration::from_secs(20), "no row was written");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn interrupt_exits_75_and_prints_the_command_to_resume() {
    let trial = Trial::new(LONG);
    for name in ["-INT", "-TERM", "-HUP"].into_iter().filter(|name| *name != "-HUP" || !under_nohup()) {
        let out = format!("it's out{name}");
        let child = trial.spawn(&out, &["--jobs", "1"]);
        first_row(&trial.results(&out));
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(75), "{stderr}");
        let rows = counts(&trial.results(&out)).len();
        assert!(rows > 0 && rows < 24 * 5, "{rows} rows");
        let ended = || {
            let manifest = fs::read_to_string(trial.path(&out).join("manifest.json")).unwrap();
            let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
            assert!(manifest["segments"].as_array().unwrap().iter().all(|segment| segment["ended"].is_u64()));
            manifest["ended"].is_u64()
        };
        assert!(!ended(), "the run was stopped, its segment has ended");
        let command = stderr.lines().last().unwrap().trim().to_owned();
        let pasted = run_command(Command::new("sh").args(["-c", &command])).expect(0);
        assert!(pasted.stderr.contains(" jobs already done, "), "{}", pasted.stderr);
        assert_eq!(counts(&trial.results(&out)).len(), 24 * 5);
        assert!(ended());
    }
}

/// The printed command to resume has no `--fresh`, so pasting it doesn't delete the finished rows.
#[test]
fn printed_resume_command_has_no_fresh_flag() {
    let trial = Trial::new(&LONG.replace("depth = 5", "depth = 7"));
    let child = trial.spawn("out", &["--jobs", "1", "--fresh"]);
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(75), "{stderr}");
    assert!(!stderr.lines().last().unwrap().contains("--fresh"), "{stderr}");
}

/// `nohup` makes the program ignore SIGHUP, and that stays so; signals that a shell makes its
/// background jobs ignore are still handled.
#[test]
fn hangup_ignored_at_the_start_stays_ignored() {
    let trial = Trial::new(LONG);
    for (ignored, code) in [("HUP", 0), ("INT QUIT", 75)].into_iter().filter(|(_, code)| *code == 0 || !under_nohup()) {
        let out = format!("out {ignored}");
        let script = format!(
            "trap '' {ignored}; exec '{}' run '{}' --quiet --jobs 1 --out '{}'",
            binary().display(),
            trial.file,
            trial.text(&out)
        );
        let mut child = Command::new("sh").args(["-c", &script]).stderr(Stdio::null()).spawn().unwrap();
        first_row(&trial.results(&out));
        signal(&child, "-HUP");
        assert_eq!(child.wait().unwrap().code(), Some(code), "{ignored}");
        assert!((counts(&trial.results(&out)).len() == 24 * 5) == (code == 0), "{ignored}");
    }
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let trial = Trial::new(&LONG.replace("depth = 5", "depth = 7"));
    let mut first = trial.spawn("out", &["--jobs", "1"]);
    let begun = Instant::now();
    while !trial.results("out").exists() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    let before = fs::read(trial.path("out").join("manifest.json")).unwrap();
    trial.run("out", &[]).expect(2).prints(&["another run is writing to this folder", "--out"]);
    trial.run("out", &["--fresh"]).expect(2).prints(&["another run is writing to this folder"]);
    assert_eq!(fs::read(trial.path("out").join("manifest.json")).unwrap(), before, "the manifest was touched");
    assert!(first.try_wait().unwrap().is_none(), "the first run was disturbed");
    first.kill().unwrap();
    first.wait().unwrap();
}

/// Commands that write whole files are killed at random moments; the same command then completes
/// what they left. `TTLAB_KILLS` sets the number of kills.
#[test]
fn killed_merges_reports_and_tunings_are_completed() {
    let kills: u64 = std::env::var("TTLAB_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(6);
    let trial = Trial::new(&SMALL.replace("first = 6", "first = 4").replace("depth = 3", "depth = 2"));
    let (plan, out, tuned) = (trial.text("plan.json"), trial.text("out"), trial.text("tuned"));
    trial.run("undisturbed", &[]).expect(0);
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &plan]).expect(0);
    for shard in ["0", "1"] {
        ttlab(&["run", "--quiet", "--plan", &plan, "--shard", shard, "--out", &out]).expect(0);
    }
    // Without the variant that carries state between positions: positions are drawn at random here.
    let race = Trial::new(
        &fs::read_to_string(&trial.file)
            .unwrap()
            .replace("[[variant]]\nname = \"kept\"\n\"table.clear\" = \"never\"\n", ""),
    );
    let commands = [
        vec!["merge", "--quiet", &plan, "--out", &out],
        vec!["report", &out],
        vec!["tune", "--quiet", "--retry-failed", &race.file, "--out", &tuned],
    ];
    let mut done = [0; 3];
    for (at, command) in commands.iter().enumerate() {
        let begun = Instant::now();
        ttlab(command).expect(0);
        let whole = begun.elapsed().as_micros() as u64;
        let pages: Vec<_> = ["report.md", "report.html"].map(|page| fs::read(Path::new(&tuned).join(page)).ok()).into();
        for attempt in 0..kills.div_ceil(3) {
            let mut child = Command::new(binary())
                .args(command)
                .current_dir(root())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_micros(scatter(at as u64 * 1000 + attempt) % whole));
            signal(&child, "-KILL");
            done[at] += u64::from(!child.wait().unwrap().success());
            ttlab(command).expect(0);
            if at == 2 {
                let again: Vec<_> =
                    ["report.md", "report.html"].map(|page| fs::read(Path::new(&tuned).join(page)).ok()).into();
                assert!(again == pages, "the tuning's pages differ after {} kills", done[at]);
            } else {
                ttlab(&["verify", &out]).expect(0);
                assert_eq!(bytes(&trial.results("out")), bytes(&trial.results("undisturbed")), "{command:?}");
            }
        }
    }
    eprintln!("{done:?} kills of merges, reports, tunings");
}
