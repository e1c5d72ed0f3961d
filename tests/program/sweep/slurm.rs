//! A real Slurm: a cluster of two nodes on this machine (`tests/slurm/cluster.sh`).

use super::*;
use crate::common::skip;
use std::time::{Duration, Instant};

struct Cluster {
    folder: TempDir,
}

impl Cluster {
    /// None if Slurm isn't installed.
    fn up() -> Option<Self> {
        use std::os::unix::fs::PermissionsExt;
        let folder = scratch();
        // The daemons access the folder as another user.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let port = (20_000 + std::process::id() % 20_000).to_string();
        let script = root().join("tests/slurm/cluster.sh");
        // The daemons must not inherit a pipe that this test waits for.
        let log = fs::File::create(folder.path().join("up.log")).unwrap();
        let status = Command::new(script)
            .arg("up")
            .arg(folder.path())
            .arg(&port)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .status()
            .unwrap();
        let output = fs::read_to_string(folder.path().join("up.log")).unwrap();
        match status.code() {
            Some(0) => Some(Self { folder }),
            Some(77) => {
                let why = format!("{}: its scripts were not tried (apt-get install slurm-wlm munge)", output.trim());
                skip("slurm", &why);
                None
            }
            code => panic!("{code:?}: {output}"),
        }
    }

    fn call(&self, program: &str, args: &[&str]) -> Output {
        run_command(Command::new(program).args(args).env("SLURM_CONF", self.folder.path().join("slurm.conf")))
    }

    /// Waits until no job is left, including those of the other trials.
    fn wait(&self) {
        let begun = Instant::now();
        loop {
            let left = self.call("squeue", &["--noheader"]).expect(0).stdout;
            if left.trim().is_empty() {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(240), "{left}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The state and exit code of a job.
    fn job(&self, id: &str) -> String {
        self.call("scontrol", &["show", "job", "--oneliner", id]).stdout
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let script = root().join("tests/slurm/cluster.sh");
        let _ = Command::new(script).arg("down").arg(self.folder.path()).status();
    }
}

/// Parses `shards 1, merge 2`, the output of the submit script.
fn ids(message: &Output) -> (String, String) {
    let (shards, merge) = message.stdout.trim().split_once(", merge ").unwrap();
    (shards.trim_start_matches("shards ").to_owned(), merge.to_owned())
}

#[test]
fn slurm_array_of_eight_merges_to_the_bytes_of_one_run() {
    let Some(cluster) = Cluster::up() else { return };
    // In parallel: most of the time, each trial waits for the scheduler.
    std::thread::scope(|scope| {
        for trial in [whole_array, dead_shard, cancelled] {
            let cluster = &cluster;
            scope.spawn(move || trial(cluster));
        }
    });
}

fn planned(text: &str, shards: &str) -> (Trial, String, String, String) {
    let trial = Trial::new(text);
    let (plan, out) = (trial.text("plan.json"), trial.text("out"));
    ttlab(&["plan", &trial.file, "--shards", shards, "-o", &plan]).expect(0);
    ttlab(&["submit", "slurm", &plan, "--out", &out, "--mem", "256", "--time", "10"]).expect(0);
    let submit = format!("{out}/slurm/submit.sh");
    (trial, plan, out, submit)
}

fn whole_array(cluster: &Cluster) {
    let (trial, _, _, submit) = planned(LONG, "8");
    trial.run("single", &["--jobs", "1"]).expect(0);
    cluster.call("sh", &[&submit]).expect(0);
    cluster.wait();
    let log = fs::read_to_string(trial.path("out/slurm/merge.log")).unwrap_or_default();
    assert!(trial.results("out").exists(), "{log}");
    assert_eq!(bytes(&trial.results("out")), bytes(&trial.results("single")), "{log}");
}

/// A shard that dies is listed; running it again alone completes the sweep.
fn dead_shard(cluster: &Cluster) {
    let (trial, plan, out, submit) = planned(SMALL, "4");
    // The shard's folder can't be created.
    fs::create_dir_all(trial.path("out/shards")).unwrap();
    fs::write(trial.path("out/shards/2"), "").unwrap();
    let (shards, merge) = ids(&cluster.call("sh", &[&submit]).expect(0));
    cluster.wait();
    assert!(cluster.job(&merge).contains("ExitCode=3:0"), "{}", cluster.job(&merge));
    assert!(cluster.job(&format!("{shards}_2")).contains("ExitCode=5:0"), "{}", cluster.job(&shards));
    assert!(fs::read_to_string(trial.path("out/slurm/merge.log")).unwrap().contains("shard 2 of 4: not started"));
    let missing = ttlab(&["plan", "--missing", &plan, "--out", &out]).expect(3);
    assert_eq!(missing.stdout, "2\n");
    fs::remove_file(trial.path("out/shards/2")).unwrap();
    cluster.call("sh", &[&submit, &format!("--array={}", missing.stdout.trim())]).expect(0);
    cluster.wait();
    trial.run("single", &["--jobs", "1"]).expect(0);
    assert_eq!(bytes(&trial.results("out")), bytes(&trial.results("single")));
}

/// A cancelled task ends like an interrupted run, and can be continued.
fn cancelled(cluster: &Cluster) {
    let (trial, plan, out, submit) = planned(&LONG.replace("depth = 5", "depth = 6"), "1");
    let (shards, _) = ids(&cluster.call("sh", &[&submit]).expect(0));
    let results = trial.path("out/shards/0/results.csv");
    let begun = Instant::now();
    while !fs::read(&results).is_ok_and(|bytes| bytes.iter().filter(|&&byte| byte == b'\n').count() > 6) {
        assert!(begun.elapsed() < Duration::from_secs(60), "no rows were written");
        std::thread::sleep(Duration::from_millis(10));
    }
    cluster.call("scancel", &[&shards]).expect(0);
    cluster.wait();
    let log = fs::read_to_string(trial.path("out/slurm/0.log")).unwrap();
    assert!(log.contains("interrupted: "), "{log}");
    assert!(log.contains("--shard 0"), "{log}");
    let before = counts(&results);
    assert!(!before.is_empty(), "{} rows", before.len());
    assert!(before.len() < 24 * 6, "{} rows", before.len());
    let missing = ttlab(&["plan", "--missing", &plan, "--out", &out]).expect(3);
    cluster.call("sh", &[&submit, &format!("--array={}", missing.stdout.trim())]).expect(0);
    cluster.wait();
    let after = counts(&trial.results("out"));
    assert_eq!(after.len(), 24 * 6);
    assert!(before.iter().all(|row| after.contains(row)), "rows were lost");
}
