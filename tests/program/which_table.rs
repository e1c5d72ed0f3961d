//! The first questions, with the commands of the README in an empty folder. Each answer is among
//! the first lines, in the terminal and on the page.

use crate::common::scratch;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the program in a folder and returns stdout, stderr and the exit code.
fn ttlab(folder: &Path, args: &[&str]) -> (String, String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_ttlab")).current_dir(folder).args(args).output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (stdout, stderr, output.status.code().unwrap_or(-1))
}

/// Edits a file in a folder. Each of the old texts must be there.
fn edit(folder: &Path, name: &str, changes: &[(&str, &str)]) {
    let path = folder.join(name);
    let mut text = fs::read_to_string(&path).unwrap();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}: {text}");
        text = text.replace(old, new);
    }
    fs::write(path, text).unwrap();
}

/// The first sentence of a page, which is within its first ten lines.
fn first_sentence(folder: &Path) -> String {
    let page = fs::read_to_string(folder.join("report.md")).unwrap();
    page.lines().take(10).find(|line| line.starts_with("- ")).unwrap_or_else(|| panic!("{page}")).replace('\\', "")
}

const GRID: &str = "\"table.policy\" = [\"always\", \"depth-preferred\", \"two-tier\", \"depth-age\", \
                    { kind = \"scored\", depth = 1, age = 8, nodes = 1 }]";

/// A small version of `experiments/planted.py`: of three tables one is whole, and the others lose
/// all scores. The searches predict it, the games find it, and both are on the page that is linked.
#[test]
fn which_policy_takes_the_only_whole_table() {
    let folder = scratch();
    let (_, stderr, code) = ttlab(folder.path(), &["new", "which-policy", "--hash", "64MiB", "--nodes", "3000000"]);
    assert_eq!(code, 0, "{stderr}");
    let variants = "\"keys.seed\" = [1, 2]\n\"table.forget\" = [1.0]\n\"table.forget_part\" = [\"score\"]\n[[variant]]\nname = \"whole\"\n";
    let small = [
        ("\"table.policy.kind\" = \"always\"", "variant = \"whole\""),
        (GRID, variants),
        ("first    = 60", "first = 8"),
        ("nodes = 2000", "nodes = 400"),
        ("budget   = 240", "first = 40\nbudget = 40"),
    ];
    edit(folder.path(), "which-policy.toml", &small);
    let (stdout, stderr, code) = ttlab(folder.path(), &["run", "which-policy.toml"]);
    assert_eq!(code, 0, "{stderr}");
    let first = stdout.lines().find(|line| line.starts_with("- ")).unwrap();
    assert!(first.starts_with("- Take \"whole\": it has the highest score in games, +"), "{stdout}{stderr}");
    let out = folder.path().join("reports/which-policy");
    assert_eq!(first_sentence(&out), first);
    assert!(stdout.contains("report: reports/which-policy/report.html"), "{stdout}");
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    for heading in ["predicted Elo", "measured Elo", "stores per slot"] {
        assert!(page.contains(heading), "{heading}");
    }
}

/// With one slot in a bucket, three of the candidates have nothing to choose: they play as one.
#[test]
fn which_policy_shows_equal_candidates_as_one() {
    let folder = scratch();
    assert_eq!(ttlab(folder.path(), &["new", "which-policy"]).2, 0);
    let small = [
        ("slots     = 4", "slots = 1"),
        ("\"two-tier\", ", ""),
        ("first    = 60", "first = 8"),
        ("nodes = 2000", "nodes = 60"),
        ("budget   = 240", "first = 30\nbudget = 30"),
        ("draw     = { score = 10, moves = 8, from = 40 }", "draw = { score = 2000, moves = 1, from = 3 }"),
    ];
    edit(folder.path(), "which-policy.toml", &small);
    let (stdout, stderr, code) = ttlab(folder.path(), &["run", "which-policy.toml"]);
    assert_eq!(code, 0, "{stderr}");
    for name in ["policy=depth-age", "policy=scored depth=1 age=8 nodes=1"] {
        let reason = "a bucket of one slot (table.slots = 1) leaves nothing to choose";
        let sentence = format!("\"{name}\" is the same table as \"policy=always\" here, and did not play: {reason}.");
        assert!(stdout.contains(&sentence), "{stdout}");
    }
    assert!(stderr.contains("confirm, stage 1: 1 variant against"), "{stderr}");
}

/// A table keeps its stores per slot: 2,000 nodes a move need as much less as there are fewer
/// nodes. Calculated by hand: 64 MiB x 2,000 / 4,000,000 = 33,554 bytes, 32.75 KiB to a quarter.
#[test]
fn which_policy_is_scaled_to_a_pressure() {
    let written = |args: &[&str]| {
        let folder = scratch();
        let (_, stderr, code) = ttlab(folder.path(), &[&["new", "which-policy"], args].concat());
        let text = fs::read_to_string(folder.path().join("which-policy.toml")).unwrap_or_default();
        let size = text.lines().find_map(|line| line.strip_prefix("size      = ")?.split('#').next().map(str::trim));
        (size.unwrap_or_default().to_owned(), text, stderr, code)
    };
    let (size, text, ..) = written(&["--hash", "64MiB", "--nodes", "4000000"]);
    assert_eq!(size, "\"32.75 KiB\"");
    assert!(text.contains("at the same stores per slot as 64 MiB at 4000000 nodes a move?"), "{text}");
    assert_eq!(written(&["--hash", "64MiB", "--seconds", "4"]).0, size);
    assert_eq!(written(&["--hash", "4000000", "--nodes", "1_000_000"]).3, 2, "not a number");
    assert_eq!(written(&["--hash", "4000000", "--nodes", "1000000"]).0, "8000");
    for (args, message) in [
        (
            &["--hash", "1MiB", "--nodes", "40000000"][..],
            "--hash: 1 MiB at 40000000 nodes a move is less than 64 entries",
        ),
        (&["--hash", "25%", "--nodes", "4000"], "--hash: expected a size such as 16MiB, found the share 25 %"),
        (&["--hash", "1MiB"], "--nodes"),
        (&["--hash", "1MiB", "--seconds=-1"], "expected a number of seconds"),
    ] {
        let (_, _, stderr, code) = written(args);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains(message), "{stderr}");
    }
    let (_, stderr, code) = ttlab(scratch().path(), &["new", "quick", "--hash", "1MiB", "--nodes", "4000"]);
    assert_eq!((code, stderr.contains("only the template `which-policy` can be scaled")), (2, true), "{stderr}");
}

#[test]
fn ageing_template_answers_in_its_first_line() {
    let folder = scratch();
    assert_eq!(ttlab(folder.path(), &["new", "ageing"]).2, 0);
    let (stdout, stderr, code) = ttlab(folder.path(), &["run", "ageing.toml", "--set", "limit.depth=4"]);
    assert_eq!(code, 0, "{stderr}");
    let first = stdout.lines().find(|line| line.starts_with("- ")).unwrap();
    assert!(first.starts_with("- Fewest nodes: \"factor=4\", "), "{stdout}");
    assert_eq!(first_sentence(&folder.path().join("reports/ageing")), first);
    assert!(!stdout.contains("no pressure"), "{stdout}");
}

/// The README shows the file of its experiment.
#[test]
fn readme_shows_the_ageing_experiment() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [readme, file] =
        ["README.md", "experiments/aging-first-look.toml"].map(|name| fs::read_to_string(root.join(name)).unwrap());
    let (_, text) = file.split_once('\n').unwrap();
    assert!(readme.contains(&format!("```toml\n{text}```\n")), "{text}");
}

/// The README's other questions. Each command is one of the README, with smaller limits and our own
/// program as engine, and its first ten lines have the answer.
#[test]
fn other_first_questions_are_answered_in_ten_lines() {
    let program = env!("CARGO_BIN_EXE_ttlab");
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let folder = scratch();
    for template in ["gate", "thesis"] {
        assert_eq!(ttlab(folder.path(), &["new", template]).2, 0, "{template}");
        assert!(readme.contains(&format!("`ttlab new {template}`")), "{template}");
    }
    let engine = format!("uci = [\"{program}\", \"uci\"]");
    let old = "uci = \"stockfish\"                         # your engine: [\"./engine\", \"argument\"]";
    edit(folder.path(), "gate.toml", &[(old, &engine), ("depth = 9", "depth = 2")]);
    for out in ["base", "new"] {
        let (_, stderr, code) = ttlab(folder.path(), &["run", "gate.toml", "--out", out]);
        assert_eq!(code, 0, "{stderr}");
    }
    for (words, more, answer) in [
        (
            &["try", "builtin:bratko-kopec"][..],
            &["--depth", "4", "--vary", "table.policy=always,depth-preferred", "--set", "table.size=2KiB"][..],
            "- No difference in nodes shown between the baseline and 1 other ",
        ),
        (&["run", "thesis.toml"], &["--set", "limit.depth=3"], "- Fewest nodes: \"alpha-beta\""),
        (&["compare", "base", "new"], &["--fail-on", "nodes > +1%"], "ok: the gate passes; all "),
        (&["doctor"], &[program, "uci", "--time", "1"], "  holds          go depth "),
    ] {
        let (stdout, stderr, code) = ttlab(folder.path(), &[words, more].concat());
        let first: Vec<&str> = stdout.lines().take(10).collect();
        assert!(first.iter().any(|line| line.contains(answer)), "{words:?}: {code}: {stdout}{stderr}");
    }
    for command in ["try SUITE", "doctor ENGINE", "speed A B"] {
        assert!(readme.contains(&format!("`ttlab {command}")), "{command}");
    }
}
