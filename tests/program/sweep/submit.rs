//! Scripts for clusters: their texts equal the golden files, and shells read every name as
//! intended.
//!
//! `TTLAB_BLESS=1 cargo test` rewrites the golden files; review them before committing.

use super::*;
use std::os::unix::ffi::OsStrExt;

/// A script is text, so a path that isn't valid UTF-8 can't be written in it unchanged.
#[test]
fn folder_name_that_is_not_utf8_is_refused() {
    let trial = Trial::new(SMALL);
    let folder = trial.folder.path().join(std::ffi::OsStr::from_bytes(b"x\xffy"));
    fs::create_dir(&folder).unwrap();
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &trial.text("plan.json")]).expect(0);
    fs::copy(trial.path("plan.json"), folder.join("plan.json")).unwrap();
    let output = Command::new(binary()).args(["submit", "slurm", "plan.json"]).current_dir(&folder).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2), "{message}");
    assert!(message.contains("the path is not valid UTF-8"), "{message}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}
use crate::common::skip;
use std::os::unix::fs::PermissionsExt;
use ttlab::internals::submit::{Request, System, scripts};

fn request() -> Request {
    Request {
        name: "Replacement_by.size".to_owned(),
        shards: 100,
        jobs: 12_345,
        ttlab: "/opt/ttlab/bin/ttlab".to_owned(),
        plan: "/data/plans/plan.json".to_owned(),
        out: "/data/reports/replacement".to_owned(),
        folder: "/data/reports/replacement/submit".to_owned(),
        cpus: 2,
        mebibytes: 2304,
        time: "12:00:00".to_owned(),
        max_running: Some(20),
        plan_id: "0123456789abcdef".to_owned(),
        ..Request::default()
    }
}

const GOLDEN: [(System, &str); 3] =
    [(System::Slurm, "slurm"), (System::Parallel, "parallel"), (System::Github, "github")];

#[test]
fn scripts_equal_their_golden_files() {
    let bless = std::env::var_os("TTLAB_BLESS").is_some();
    for (system, folder) in GOLDEN {
        let (scripts, start) = scripts(system, &request());
        assert!(start.contains("/data/reports/replacement/submit"));
        for script in scripts {
            let path = root().join("tests/golden/submit").join(folder).join(script.name);
            if bless {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, &script.text).unwrap();
            }
            let golden = fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(script.text, golden, "{}", path.display());
            let placeholder = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            assert!(!script.text.split('@').any(placeholder), "{}: a word was not filled in", script.name);
        }
    }
}

/// Requirements of the formats themselves, whatever the golden files contain.
#[test]
fn scripts_follow_the_rules_of_their_formats() {
    let text = |system, name: &str| {
        let (scripts, _) = scripts(system, &request());
        scripts.into_iter().find(|script| script.name == name).unwrap().text
    };
    let array = text(System::Slurm, "array.sbatch");
    let expected = ["--array=0-99%20", "--cpus-per-task=2", "--mem=2304M", "--time=12:00:00", "--requeue"];
    expected.iter().for_each(|option| assert!(array.contains(&format!("#SBATCH {option}\n")), "{option}"));
    assert!(array.lines().last().unwrap().starts_with("exec "), "signals must reach the program");
    assert!(!array.contains("SLURM_ARRAY_TASK_COUNT"), "a task that is run again is told that its array has one task");
    assert!(text(System::Slurm, "submit.sh").contains("--kill-on-invalid-dep=yes"));
    for (system, name) in
        [(System::Slurm, "array.sbatch"), (System::Slurm, "submit.sh"), (System::Parallel, "parallel.sh")]
    {
        let mut shell = Command::new("sh").arg("-n").stdin(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut shell.stdin.take().unwrap(), text(system, name).as_bytes()).unwrap();
        assert!(shell.wait().unwrap().success(), "{name}");
    }
}

/// Empty names, and characters that are special for only one of the systems.
#[test]
fn script_quotes_empty_names_and_special_signs() {
    let text = |system, name: &str, change: &dyn Fn(&mut Request)| {
        let mut request = request();
        change(&mut request);
        let (scripts, _) = scripts(system, &request);
        scripts.into_iter().find(|script| script.name == name).unwrap().text
    };
    // Each character of a keyboard at both ends of a name, and before a slash: the shell reads the
    // original name.
    let names: Vec<String> =
        (' '..='\u{7e}').flat_map(|sign| [format!("{sign}a{sign}"), format!("{sign}/a")]).collect();
    let mut words = String::new();
    for name in &names {
        let merge = text(System::Slurm, "merge.sbatch", &|request| request.plan.clone_from(name));
        let quoted = merge.split(" merge ").nth(1).and_then(|rest| rest.split(" --out ").next()).unwrap();
        words += &format!("printf '%s\\n' {quoted}\n");
    }
    let heard = run_command(Command::new("sh").args(["-c", &words])).expect(0).stdout;
    assert_eq!(heard.lines().collect::<Vec<_>>(), names);
    // A percent sign starts a pattern in the names of Slurm's logs.
    let submit = text(System::Slurm, "submit.sh", &|request| request.folder = "/data/50%".to_owned());
    assert!(submit.contains("/data/50%%'/%a.log"), "{submit}");
    let array = text(System::Slurm, "array.sbatch", &|request| request.out = String::new());
    assert!(array.contains("--out ''"), "{array}");
    for system in [System::Slurm, System::Parallel] {
        let (scripts, _) = scripts(system, &request());
        assert!(
            scripts.iter().all(|script| script.text.starts_with("#!") || !script.name.ends_with(".sh")),
            "{system:?}"
        );
    }
}

/// A stub for a tool that writes its arguments one per line.
fn stand_in(folder: &Path, name: &str) {
    let path = folder.join(name);
    fs::write(&path, "#!/bin/sh\nprintf '%s\\n' \"$@\" >>\"$0.said\"\necho 7\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Names that contain blanks, quotes and commands stay names.
#[test]
fn script_quotes_names_that_look_like_commands() {
    let trial = Trial::new(SMALL);
    let odd = trial.path("it's $(touch pwned) \"out\" # {= qx(touch pwned) =} {} %a");
    let (plan, out) = (odd.join("a plan.json").display().to_string(), odd.join("results").display().to_string());
    fs::create_dir(&odd).unwrap();
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &plan]).expect(0);
    let tools = trial.path("tools");
    fs::create_dir(&tools).unwrap();
    ["sbatch", "parallel"].iter().for_each(|tool| stand_in(&tools, tool));
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    for system in ["slurm", "parallel"] {
        let printed = ttlab(&["submit", system, &plan, "--out", &out, "--mem", "64"]).expect(0).stdout;
        let start = printed.lines().last().unwrap().split_once(":  ").unwrap().1.to_owned();
        // What follows is real: the merge reports that everything is missing.
        let ran = run_command(Command::new("sh").args(["-c", &start]).env("PATH", &path));
        assert!(matches!((system, ran.code), ("slurm", Some(0)) | ("parallel", Some(3))), "{start}: {}", ran.stderr);
    }
    let message = |tool: &str| fs::read_to_string(tools.join(format!("{tool}.said"))).unwrap();
    assert!(message("sbatch").lines().any(|word| word == format!("{out}/slurm/array.sbatch")), "{}", message("sbatch"));
    assert!(message("sbatch").contains("--dependency=afterany:7"), "{}", message("sbatch"));
    assert!(message("sbatch").lines().any(|word| word == format!("--output={}/slurm/%a.log", out.replace('%', "%%"))));
    // GNU parallel replaces its placeholders in a text that has none of our names.
    let command = message("parallel").lines().last().unwrap().to_owned();
    assert!(command.contains("--shard {}"), "{command}");
    assert!(!command.contains("pwned"), "{command}");
    assert!(
        message("parallel").lines().any(|word| word == format!("{out}/parallel/joblog")),
        "{}",
        message("parallel")
    );
    // The array's script is real too: the second shard runs as task 0 of a later array, where task
    // numbers have a limit.
    for first in ["0", "1"] {
        let mut script = Command::new("sh");
        script.arg(format!("{out}/slurm/array.sbatch")).env("TTLAB_FIRST", first);
        run_command(script.env("SLURM_ARRAY_TASK_ID", "0").env("SLURM_ARRAY_TASK_COUNT", "1")).expect(0);
    }
    run_command(Command::new("sh").arg(format!("{out}/slurm/merge.sbatch"))).expect(0);
    assert_eq!(counts(&odd.join("results/results.csv")).len(), 6 * 6 * 3);
    let pwned = [root().join("pwned"), odd.join("pwned"), trial.path("pwned")];
    assert!(!pwned.iter().any(|path| path.exists()));
}

/// The calls of a stub that contain a word.
fn calls(tools: &Path, tool: &str, word: &str) -> Vec<String> {
    let message = fs::read_to_string(tools.join(format!("{tool}.said"))).unwrap();
    message.lines().filter(|line| line.contains(word)).map(str::to_owned).collect()
}

/// More shards than an array may have are split into several arrays.
#[test]
fn shards_beyond_the_array_limit_take_several_arrays() {
    let trial = Trial::new(SMALL);
    let (plan, out) = (trial.text("plan.json"), trial.text("out"));
    let tools = trial.path("tools");
    fs::create_dir(&tools).unwrap();
    stand_in(&tools, "sbatch");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    ttlab(&["plan", &trial.file, "--shards", "20001", "-o", &plan]).expect(0);
    ttlab(&["submit", "slurm", &plan, "--out", &out, "--mem", "64"]).expect(0);
    run_command(Command::new("sh").arg(format!("{out}/slurm/submit.sh")).env("PATH", &path)).expect(0);
    // 1001 tasks per array if the site has no other limit: 19 full arrays, and one with the
    // remaining 982.
    let arrays = calls(&tools, "sbatch", "--array=");
    assert_eq!(arrays.len(), 20);
    assert!(arrays[0].ends_with("0-1000"), "{arrays:?}");
    assert!(arrays[19].ends_with("0-981"), "{arrays:?}");
    assert!(calls(&tools, "sbatch", "TTLAB_FIRST=").last().unwrap().ends_with("TTLAB_FIRST=19019"));
    let folder = trial.text("back\\slash");
    ttlab(&["submit", "slurm", &plan, "--out", &folder]).expect(2).prints(&["backslash"]);
}

/// A path with a line break, which would end a comment line, is refused.
#[test]
fn path_with_a_line_break_is_refused() {
    let trial = Trial::new(SMALL);
    let plan = trial.text("plan.json");
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &plan]).expect(0);
    let out = trial.text("two\ntouch pwned");
    ttlab(&["submit", "slurm", &plan, "--out", &out]).expect(2).prints(&["control character"]);
    assert!(!Path::new(&out).exists());
    ttlab(&["submit", "slurm", &plan, "--time", "1; rm"]).expect(2).prints(&["12:00:00"]);
    ttlab(&["submit", "slurm", &trial.file]).expect(2).prints(&["not a plan of ttlab", "ttlab plan FILE"]);
    ttlab(&["submit", "pbs", &plan]).expect(2).prints(&["slurm", "parallel"]);
}

/// GNU parallel itself, if it is installed: runs the shards on this machine, then the merge.
#[test]
fn gnu_parallel_runs_the_shards() {
    let works = Command::new("parallel").arg("--version").output();
    if !works.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).starts_with("GNU parallel")) {
        skip("parallel", "GNU parallel is not installed: its script was not tried (apt-get install parallel)");
        return;
    }
    let trial = Trial::new(SMALL);
    let (plan, out) = (trial.text("plan.json"), trial.text("out"));
    trial.run("single", &["--jobs", "1"]).expect(0);
    ttlab(&["plan", &trial.file, "--shards", "4", "-o", &plan]).expect(0);
    ttlab(&["submit", "parallel", &plan, "--out", &out, "--at-once", "2"]).expect(0);
    run_command(Command::new("sh").arg(format!("{out}/parallel/parallel.sh"))).expect(0);
    assert_eq!(bytes(&trial.results("out")), bytes(&trial.results("single")));
}

/// A backslash in a folder's name is special in Slurm's log names, and nowhere else.
#[test]
fn backslash_in_a_folder_is_refused_only_by_slurm() {
    let trial = Trial::new(SMALL);
    let plan = trial.text("plan.json");
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &plan]).expect(0);
    let out = format!("{}\\n", trial.text("a"));
    ttlab(&["submit", "slurm", &plan, "--out", &out]).expect(2).prints(&["backslash"]);
    ttlab(&["submit", "parallel", &plan, "--out", &out]).expect(0);
}

/// A repository with an experiment, its suite and a plan of two shards, and GitHub's part: it hands
/// what a run keeps to the steps of later jobs and runs.
struct Repository {
    trial: Trial,
    workflow: String,
}

impl Repository {
    fn new() -> Self {
        let trial = Trial::new(&SMALL.replace("data/bratko-kopec.epd", "suites/s.epd"));
        fs::create_dir_all(trial.path("suites")).unwrap();
        fs::copy(root().join("data/bratko-kopec.epd"), trial.path("suites/s.epd")).unwrap();
        ttlab(&["plan", &trial.file, "--shards", "2", "-o", &trial.text("plan.json")]).expect(0);
        let mut submit = Command::new(binary());
        submit.args(["submit", "github", "plan.json", "--out", "o"]).current_dir(trial.folder.path());
        run_command(&mut submit).expect(2).prints(&["repository's root folder"]);
        fs::create_dir(trial.path(".git")).unwrap();
        let printed = run_command(&mut submit).expect(0).stdout;
        assert!(printed.contains("o/github/ttlab.yml .github/workflows/ttlab-trial.yml"), "{printed}");
        let workflow = fs::read_to_string(trial.path("o/github/ttlab.yml")).unwrap();
        fs::create_dir_all(trial.path("tools")).unwrap();
        // The program of GitHub: a run is a folder, and what it keeps are folders in it.
        let gh = "#!/bin/sh\ncase $2 in\nlist) ls \"$RUNS\" ;;\ndownload)\n  for kept in \"$RUNS/$3\"/$5; do\n    \
                  [ -d \"$kept\" ] || exit 1\n    mkdir -p \"$7\" && cp -R \"$kept\" \"$7/\"\n  done ;;\nesac\n";
        fs::write(trial.path("tools/gh"), gh).unwrap();
        fs::set_permissions(trial.path("tools/gh"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir_all(trial.path("runs")).unwrap();
        Self { trial, workflow }
    }

    /// A variable of all jobs.
    fn variable(&self, name: &str) -> &str {
        let line = self.workflow.lines().find_map(|line| line.strip_prefix(&format!("  {name}: "))).unwrap();
        line.trim_matches('"')
    }

    /// Runs a step in a job's folder, where the repository was checked out.
    fn step(&self, job: &Path, name: &str, shard: &str) -> Output {
        let path =
            [self.trial.path("tools"), binary().parent().unwrap().to_owned()].map(|path| path.display().to_string());
        let mut command = crate::common::bash_step(&self.workflow, name);
        for name in ["PLAN", "OUT", "ARTIFACT"] {
            command.env(name, self.variable(name));
        }
        command.env("PATH", format!("{}:{}", path.join(":"), std::env::var("PATH").unwrap())).env("SHARD", shard);
        command.env("RUNS", self.trial.path("runs")).env("GITHUB_WORKFLOW", self.variable("ARTIFACT"));
        command.env("GITHUB_OUTPUT", job.join("output")).env("GITHUB_STEP_SUMMARY", job.join("summary"));
        run_command(command.current_dir(job))
    }

    fn check_out(&self) -> TempDir {
        let job = scratch();
        fs::create_dir(job.path().join("suites")).unwrap();
        for file in ["plan.json", "suites/s.epd"] {
            fs::copy(self.trial.path(file), job.path().join(file)).unwrap();
        }
        job
    }

    /// What a run keeps under a name; empty folders are not kept.
    fn kept(&self, run: &str, part: &str) -> PathBuf {
        self.trial.path("runs").join(run).join(format!("{}-{part}", self.variable("ARTIFACT")))
    }

    fn copy(from: &Path, to: &Path) {
        for entry in fs::read_dir(from).into_iter().flatten().map(Result::unwrap) {
            let to = to.join(entry.file_name());
            if entry.path().is_dir() {
                Self::copy(&entry.path(), &to);
            } else {
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }

    /// Runs the jobs of the workflow, but those of the shards in `lost`. Returns the shards that
    /// were missing and the merge, with its folder.
    fn run(&self, run: &str, lost: &[&str]) -> (String, Output, TempDir) {
        let (plan, merge) = (self.check_out(), self.check_out());
        self.step(plan.path(), "what earlier runs left", "").expect(0);
        self.step(plan.path(), "which shards are missing", "").expect(0);
        let shards = |job: &TempDir| job.path().join(self.variable("OUT")).join("shards");
        Self::copy(&shards(&plan), &self.kept(run, "before"));
        let missing = fs::read_to_string(plan.path().join("output")).unwrap();
        let missing = missing.trim().strip_prefix("shards=").unwrap().to_owned();
        let listed = missing.trim_matches(['[', ']']).split(',').filter(|shard| !shard.is_empty());
        for shard in listed.filter(|shard| !lost.contains(shard)) {
            let job = self.check_out();
            Self::copy(&self.kept(run, "before"), &job.path().join("before"));
            self.step(job.path(), "search", shard).expect(0);
            Self::copy(&shards(&job), &self.kept(run, &format!("shard-{shard}")));
        }
        for part in ["before", "shard-0", "shard-1"] {
            Self::copy(&self.kept(run, part), &shards(&merge));
        }
        let output = self.step(merge.path(), "merge", "");
        (missing, output, merge)
    }
}

#[test]
fn github_workflow_takes_what_earlier_runs_left() {
    let repository = Repository::new();
    let merged = |job: &TempDir| job.path().join(repository.variable("OUT")).join("results.csv");
    // The artifact of a shard is missing: it is named, and nothing is merged.
    let (missing, merge, job) = repository.run("1", &["1"]);
    assert_eq!(missing, "[0,1]");
    merge.expect(3).prints(&["shard 1 of 2: not started"]);
    assert!(!merged(&job).exists());
    // Run again.
    let (missing, merge, job) = repository.run("2", &[]);
    assert_eq!(missing, "[1]");
    merge.expect(0);
    repository.trial.run("single", &["--jobs", "1"]).expect(0);
    assert_eq!(bytes(&merged(&job)), bytes(&repository.trial.results("single")));
    assert!(fs::read_to_string(job.path().join("summary")).unwrap().contains("# trial"));
    assert_eq!(repository.run("3", &[]).0, "[]");
    // A shard of another plan under the name of this one.
    let (other, out) = (repository.trial.text("other.json"), repository.trial.text("other"));
    ttlab(&["plan", &repository.trial.file, "--set", "limit.depth=1", "--shards", "2", "-o", &other]).expect(0);
    ttlab(&["run", "--plan", &other, "--shard", "0", "--out", &out, "--quiet"]).expect(0);
    Repository::copy(&repository.trial.path("other/shards"), &repository.kept("4", "shard-0"));
    let job = repository.check_out();
    repository.step(job.path(), "what earlier runs left", "").expect(0);
    let refused = repository.step(job.path(), "which shards are missing", "").expect(1);
    refused.prints(&["shards/0: holds the results of another plan"]);
}

/// The machines are folders; programs that stand in for ssh run what they are given there.
#[test]
fn gnu_parallel_runs_the_shards_on_other_machines() {
    let works =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !works("parallel") || !works("rsync") {
        skip("parallel", "GNU parallel or rsync is not installed: its script over ssh was not tried");
        return;
    }
    let trial = Trial::new(&SMALL.replace("data/bratko-kopec.epd", "suites/s.epd"));
    fs::create_dir_all(trial.path("suites")).unwrap();
    fs::copy(root().join("data/bratko-kopec.epd"), trial.path("suites/s.epd")).unwrap();
    let (plan, out, ssh) = (trial.text("plan.json"), trial.text("out"), trial.text("ssh"));
    let script = "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\n\
                  cd \"${0%/ssh}\" && mkdir -p \"$1\" && cd \"$1\" && HOME=$PWD && shift && \
                  { [ \"$1\" != -- ] || shift; } && exec sh -c \"$*\"\n";
    fs::write(&ssh, script).unwrap();
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
    trial.run("single", &["--jobs", "1"]).expect(0);
    ttlab(&["plan", &trial.file, "--shards", "4", "-o", &plan]).expect(0);
    ttlab(&["submit", "slurm", &plan, "--sshlogin", "a"]).expect(2).prints(&["ttlab submit parallel"]);
    ttlab(&["submit", "parallel", &plan, "--out", &out, "--sshlogin", "2/lab1", "--sshlogin", "2/lab2"]).expect(0);
    // The suite is at its place below the plan on the other machines only.
    fs::rename(trial.path("suites"), trial.path("away")).unwrap();
    ttlab(&["plan", "--missing", &plan, "--out", &out]).expect(2);
    fs::rename(trial.path("away"), trial.path("suites")).unwrap();
    run_command(
        Command::new("sh").arg(format!("{out}/parallel/parallel.sh")).env("PARALLEL_SSH", &ssh).env_remove("SHELL"),
    )
    .expect(0);
    assert_eq!(bytes(&trial.results("out")), bytes(&trial.results("single")));
    let ran = |host: &str| fs::read_dir(trial.path(host)).is_ok_and(|entries| entries.count() > 0);
    assert!(ran("lab1") && ran("lab2"));
    // Suites elsewhere, and names that rsync or GNU parallel would read in their own ways.
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &trial.text("suites/plan.json")]).expect(0);
    let submit = |plan: &str| ttlab(&["submit", "parallel", &trial.text(plan), "--out", &out, "--sshlogin", "a"]);
    submit("suites/plan.json").expect(0);
    fs::create_dir(trial.path("b c")).unwrap();
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &trial.text("b c/plan.json")]).expect(0);
    submit("b c/plan.json").expect(2).prints(&["only letters, digits"]);
    fs::create_dir(trial.path("b")).unwrap();
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &trial.text("b/plan.json")]).expect(0);
    submit("b/plan.json").expect(2).prints(&["not below"]);
}
