//! The effect of each command-line flag, and the exit code of a command when two things are wrong
//! at once, tested by small experiments that take no time.

use crate::common::{run, scratch, seal_anew};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A temporary folder with files, and methods that give their full paths.
struct Workspace(TempDir);

impl Workspace {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = scratch();
        files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn at(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Runs the program, where `@name` is a file of the folder, and checks the exit code. Returns
    /// stdout and stderr.
    #[track_caller]
    fn call(&self, line: &str, code: i32) -> (String, String) {
        let words: Vec<String> = line
            .split(' ')
            .map(|word| word.strip_prefix('@').map_or_else(|| word.to_owned(), |name| self.at(name)))
            .collect();
        let (stdout, stderr, found) = run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(found, code, "{line}\n{stdout}{stderr}");
        (stdout, stderr)
    }
}

const ROOK: &str = "8/8/8/4k3/8/8/8/R3K3 w - - id \"rook\";\n";

const ONE: &str = "suite = { startpos = true }\nlimit = { depth = 2 }\n[engine]\ntable.size = 64\n";

/// Every command that reads a suite accepts `--skip-bad` and skips unreadable positions; a plan
/// passes the flag on to its shards.
#[test]
fn skip_bad_is_accepted_by_every_command_that_reads_a_suite() {
    let suite = format!("{ROOK}no position at all;\n");
    let workspace = Workspace::new(&[("s.epd", &suite)]);
    let text = format!("name = 't'\nsuite = {:?}\nlimit = {{ depth = 1 }}\n", workspace.at("s.epd"));
    fs::write(workspace.path("t.toml"), text).unwrap();
    for command in ["check @t.toml", "plan @t.toml", "plan @t.toml -o @p.json", "run @t.toml --out @out"] {
        workspace.call(command, 2);
        let made = command.split('@').next_back().unwrap();
        assert!(made == "t.toml" || !workspace.path(made).exists(), "{command}");
        let (stdout, stderr) = workspace.call(&format!("{command} --skip-bad"), 0);
        assert!(
            stdout.contains("1 job") || stdout.contains("jobs        1 = ") || command.starts_with("run"),
            "{command}: {stdout}"
        );
        assert!(stderr.contains("left out") || command.ends_with("-o @p.json"), "{command}: {stderr}");
    }
    workspace.call("run --plan @p.json --shard 0 --out @dealt", 0);
    // The result folder has everything needed to read the suite again.
    let (stdout, _) = workspace.call("verify @out", 0);
    assert!(stdout.contains("all 1 jobs are done"), "{stdout}");
}

/// An invalid file is reported before one that can't show its effect, and each has its own exit
/// code.
#[test]
fn strict_check_reports_errors_before_warnings() {
    let blind = format!("{ONE}[grid]\n'lmr.reduction' = [1, 2]\n");
    let workspace = Workspace::new(&[("blind.toml", &blind), ("fine.toml", ONE), ("wrong.toml", "suite = 3\n")]);
    let (_, stderr) = workspace.call("check @blind.toml @fine.toml", 0);
    let message = stderr.lines().filter(|line| line.contains(": warning: ")).count();
    assert!(message > 0, "{stderr}");
    workspace.call("check --strict @fine.toml", 0);
    let (stdout, stderr) = workspace.call("check --strict @blind.toml @fine.toml", 2);
    assert!(stderr.trim_end().ends_with(&format!("--strict: {message} warnings")), "{stderr}");
    assert!(stdout.contains("blind.toml: 2 variants, 2 jobs"), "{stdout}");
    assert!(stdout.contains("fine.toml: 1 variant, 1 job"), "{stdout}");
    let (_, stderr) = workspace.call("check --strict @blind.toml @wrong.toml @fine.toml", 2);
    assert!(stderr.trim_end().ends_with("1 with errors"), "{stderr}");
}

/// A lock is respected unless `--no-lock` says that no other process writes there. A failed job has
/// precedence over a claim that doesn't hold.
#[test]
fn run_exits_with_its_most_severe_code() {
    let fails = format!("{ONE}[[expect]]\nnodes = 1\n");
    // No machine has this much memory.
    let large = ONE.replace("table.size = 64\n", "[grid]\n'table.size' = [64, '100000 GiB']\n[[expect]]\nnodes = 1\n");
    let workspace = Workspace::new(&[("fails.toml", &fails), ("large.toml", &large)]);
    workspace.call("run @fails.toml --out @out --quiet", 0);
    workspace.call("run @fails.toml --out @out --quiet --check", 1);
    let lock = fs::File::open(workspace.path("out/.lock")).unwrap();
    lock.lock().unwrap();
    let (_, stderr) = workspace.call("run @fails.toml --out @out --quiet", 2);
    assert!(stderr.contains("another run is writing to this folder"), "{stderr}");
    workspace.call("run @fails.toml --out @out --quiet --no-lock", 0);
    let (_, stderr) = workspace.call("run @large.toml --out @large --quiet --check", 3);
    assert!(stderr.contains("1 job failed: see the error column"), "{stderr}");
}

/// Complete results of two variants in `whole`, and the same without the second variant's rows in
/// `cut`.
fn whole_and_cut() -> Workspace {
    let workspace = Workspace::new(&[("t.toml", &format!("{ONE}[grid]\n'table.slots' = [1, 2]\n"))]);
    workspace.call("run @t.toml --out @whole --quiet", 0);
    workspace.call("run @t.toml --out @cut --quiet", 0);
    let rows = fs::read_to_string(workspace.path("cut/results.csv")).unwrap();
    fs::write(
        workspace.path("cut/results.csv"),
        rows.lines().take(3).map(|line| format!("{line}\n")).collect::<String>(),
    )
    .unwrap();
    workspace
}

/// `--quiet` only lists folders with problems, and the exit code is that of the worst folder,
/// wherever it is in the list.
#[test]
fn verify_exits_with_the_code_of_the_worst_folder() {
    let workspace = whole_and_cut();
    let (stdout, _) = workspace.call("verify @whole", 0);
    assert!(stdout.contains("whole: complete: 4 rows"), "{stdout}");
    assert_eq!(workspace.call("verify --quiet @whole", 0), (String::new(), String::new()));
    for folders in ["@cut @whole", "@whole @cut"] {
        let (stdout, stderr) = workspace.call(&format!("verify --quiet {folders}"), 3);
        assert!(stdout.contains("cut: incomplete: 2 rows"), "{stdout}");
        assert!(!stdout.contains("whole: complete"), "{stdout}");
        assert!(!stderr.contains("--repair"), "{stderr}");
    }
    fs::create_dir_all(workspace.path("empty")).unwrap();
    workspace.call("verify @empty @cut", 2);
    // Unreadable rows are a system error (5), which has precedence over missing rows.
    fs::create_dir_all(workspace.path("odd/results.csv")).unwrap();
    fs::copy(workspace.path("whole/manifest.json"), workspace.path("odd/manifest.json")).unwrap();
    workspace.call("verify @odd @cut", 5);
    fs::write(workspace.path("whole/manifest.json"), "{").unwrap();
    workspace.call("verify @whole", 2);
}

/// Output in a pipe is as wide as `COLUMNS`; each shell has its own completions.
#[test]
fn output_in_a_pipe_has_the_width_of_columns() {
    let workspace = Workspace::new(&[("t.toml", &format!("{ONE}[grid]\n'table.slots' = [1, 2]\n"))]);
    workspace.call("run @t.toml --out @out --quiet", 0);
    let widest = |columns: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ttlab"));
        let output = command
            .env("COLUMNS", columns)
            .args(["report", &workspace.at("out/results.csv"), "--by", "table.slots"])
            .output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        assert!(text.contains("slots"), "{text}");
        text.lines().map(|line| line.chars().count()).max().unwrap()
    };
    assert!(widest("10000") > 60, "{} {}", widest("10000"), widest("50"));
    assert!(widest("50") <= 50, "{} {}", widest("10000"), widest("50"));
    for (shell, words) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef ttlab"),
        ("fish", "complete -c ttlab"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion:arg-completer"),
    ] {
        assert!(workspace.call(&format!("completions {shell}"), 0).0.contains(words), "{shell}");
    }
}

/// With default options, `generate` writes the openings of the file in `data`.
#[test]
fn generate_writes_the_openings_of_the_file_by_default() {
    let (stdout, _) = Workspace::new(&[]).call("generate", 0);
    let made = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/openings.epd")).unwrap();
    assert!(stdout == made, "{}", &stdout[..200]);
}

/// Every command that runs searches continues the results of another build with `--any-build`, and
/// deletes earlier results with `--fresh`.
#[test]
fn any_build_continues_and_fresh_deletes_earlier_results() {
    let suite =
        ["R", "B", "N", "Q"].map(|piece| format!("8/8/8/4k3/8/8/{piece}7/4K3 w - - id \"{piece}\";\n")).concat();
    let raced = "suite = 's.epd'\nlimit = { depth = 1 }\n[grid]\n'table.slots' = [1, 2]\n[tune]\nfirst = 2\n";
    let reference = format!(
        "slow = true\n{ONE}[[expect]]\nnodes = {{ min = 1 }}\n[reference]\nuci = 'builtin'\nlimit = {{ depth = 2 }}\n"
    );
    let workspace = Workspace::new(&[("s.epd", &suite), ("t.toml", raced)]);
    fs::create_dir(workspace.path("files")).unwrap();
    fs::write(workspace.path("files/one.toml"), reference).unwrap();
    let other_build = |folder: &str| {
        seal_anew(workspace.path(folder).as_ref(), |manifest| manifest["build"]["searches"] = "elsewhere".into());
    };
    for (command, folder) in [
        ("run @t.toml --quiet --out @run", "run"),
        ("tune @t.toml --quiet --out @tune", "tune/race-1"),
        ("reproduce @files --out @made", "made/one"),
    ] {
        workspace.call(command, 0);
        other_build(folder);
        let (_, stderr) = workspace.call(command, 2);
        assert!(stderr.contains("another build"), "{command}: {stderr}");
        assert!(stderr.contains("--any-build"), "{command}: {stderr}");
        workspace.call(&format!("{command} --any-build"), 0);
        other_build(folder);
        workspace.call(&format!("{command} --fresh"), 0);
        let manifest = fs::read_to_string(workspace.path(folder).join("manifest.json")).unwrap();
        assert!(!manifest.contains("elsewhere"), "{command}: {manifest}");
    }
    // The moves were judged: the position itself, and the move of each search.
    let judged = fs::read_to_string(workspace.path("made/one/reference.csv")).unwrap();
    assert!(judged.lines().count() >= 3, "{judged}");
    let (_, stderr) = workspace.call("reproduce @files --out @quick --quick", 0);
    assert!(!stderr.contains("one"), "{stderr}");
    assert!(!workspace.path("quick/one").exists(), "{stderr}");
}

/// A refused command leaves existing files alone and creates none.
#[test]
fn refused_command_writes_nothing() {
    let workspace = Workspace::new(&[("t.toml", ONE), ("kept.trace", "kept")]);
    workspace.call("plan @t.toml --shards 2 -o @p.json", 0);
    let (_, stderr) = workspace.call("submit slurm @p.json --out @a\\b", 2);
    assert!(stderr.contains("slurm: "), "{stderr}");
    assert!(!workspace.path("a\\b").exists(), "{stderr}");
    workspace.call("submit slurm @p.json --out @s --mem 77 --cpus 3", 0);
    let array = fs::read_to_string(workspace.path("s/slurm/array.sbatch")).unwrap();
    assert!(array.contains("--mem=77M\n"), "{array}");
    assert!(array.contains("--cpus-per-task=3\n"), "{array}");
    for refused in
        ["--depth 1 --set table=none", "--nodes 9 --set deepening.step=0", "--depth 1 --set table.size=lots", ""]
    {
        workspace.call(format!("trace startpos -o @kept.trace {refused}").trim_end(), 2);
        assert_eq!(fs::read_to_string(workspace.path("kept.trace")).unwrap(), "kept", "{refused}");
    }
    workspace.call("trace startpos --depth 1 -o @one.trace", 0);
    let before = fs::read(workspace.path("one.trace")).unwrap();
    fs::copy(workspace.path("one.trace"), workspace.path("two.trace")).unwrap();
    let (_, stderr) = workspace.call("trace import @two.trace @one.trace -o @one.trace", 2);
    assert!(stderr.contains("one.trace: cannot be written because it is also an input"), "{stderr}");
    assert_eq!(fs::read(workspace.path("one.trace")).unwrap(), before);
}

/// Both limits apply, and a suite is recognised whatever the case of its file extension.
#[test]
fn search_ends_at_the_first_of_its_limits() {
    let suite = format!("{ROOK}8/8/8/4k3/8/8/8/Q3K3 b - - id \"queen\";\n");
    let workspace = Workspace::new(&[("S.EPD", &suite)]);
    let figure = |text: &str, name: &str| -> u64 {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name}: {text}"));
        line[name.len()..].split_whitespace().next().unwrap().parse().unwrap()
    };
    for (limits, most) in [("--depth 3 --nodes 60", 60), ("--depth 1 --nodes 6000", 40)] {
        let (stdout, _) = workspace.call(&format!("search startpos {limits}"), 0);
        let nodes = figure(&stdout, "search.nodes");
        assert!((20..=most).contains(&nodes), "{limits}: {nodes}");
        assert_eq!(stdout.contains("(unfinished)"), most == 60, "{stdout}");
        workspace.call(&format!("trace startpos {limits} -o @t.trace"), 0);
        assert_eq!(figure(&workspace.call("trace info @t.trace", 0).0, "nodes"), nodes, "{limits}");
    }
    workspace.call("trace @S.EPD --depth 1 -o @t.trace", 0);
    let (both, _) = workspace.call("trace info @t.trace", 0);
    assert_eq!((figure(&both, "games"), figure(&both, "searches")), (2, 2));
    workspace.call("trace @S.EPD --depth 1 --first 1 -o @t.trace", 0);
    let (one, _) = workspace.call("trace info @t.trace", 0);
    assert_eq!((figure(&one, "games"), figure(&one, "searches")), (1, 1));
    // A tree of depth 0 has one leaf and no moves to divide it by.
    assert_eq!(workspace.call("perft startpos 0 --divide", 0).0, "1\n");
    assert_eq!(
        workspace.call("keys --preset webster-as-published", 0),
        workspace.call("keys --set preset=webster-as-published", 0)
    );
    assert_ne!(workspace.call("keys --preset webster-as-published", 0), workspace.call("keys", 0));
}

/// `merge --check` judges the expectations on the merged rows. The number of shards is printed, or
/// nothing with `--quiet`.
#[test]
fn merge_check_judges_the_expectations() {
    let workspace = Workspace::new(&[(
        "t.toml",
        &format!("{ONE}repeats = 3\n[[expect]]\nnodes = 1\n").replace("[engine]\ntable.size = 64\n", ""),
    )]);
    workspace.call("plan @t.toml --shards 3 -o @p.json", 0);
    for shard in 0..3 {
        let (stdout, _) = workspace.call("plan --missing @p.json --out @out", 3);
        assert_eq!(stdout.trim_end(), ["0-2", "1-2", "2"][shard]);
        let (stdout, _) = workspace.call(&format!("run --plan @p.json --shard {shard} --out @out --check"), 0);
        assert!(stdout.contains(&format!("shard {shard} of 3 is done: ")), "{stdout}");
    }
    assert_eq!(workspace.call("plan --missing @p.json --out @out", 0).0, "");
    let (stdout, _) = workspace.call("merge @p.json --out @out", 0);
    assert!(stdout.contains("merged 3 shards; report: "), "{stdout}");
    workspace.call("merge @p.json --out @out --check", 1);
    assert_eq!(workspace.call("merge @p.json --out @out --quiet", 0), (String::new(), String::new()));
}
