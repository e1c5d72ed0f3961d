//! End-to-end tests of the command line: exit codes, locations in error messages, and results that
//! survive failures.

use crate::common::{listed_commands, run, scratch};
use std::fs;
use std::path::{Path, PathBuf};

fn experiment(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("trial.toml");
    fs::write(&path, text).unwrap();
    path
}

/// Returns the results without the `seconds` column.
fn counts(folder: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
    let seconds = reader.headers().unwrap().iter().position(|name| name == "seconds").unwrap();
    let fields = |record: csv::StringRecord| {
        record.iter().enumerate().filter(|(at, _)| *at != seconds).map(|(_, field)| field.to_owned()).collect()
    };
    reader.records().map(|record| fields(record.unwrap())).collect()
}

const SMALL: &str = r#"
name = "trial"
suite = "data/bratko-kopec.epd"
first = 6
limit = { depth = 3 }
[grid]
"table.size" = [1024, 8192]
"table.policy" = ["always", { kind = "aged-depth", factor = 2 }]
[[variant]]
name = "no table"
table = "none"
"#;

/// A table larger than this machine's memory is warned of by `check` and refused by `run`, which
/// leaves nothing behind.
#[test]
fn table_larger_than_memory_is_named_before_a_run() {
    let folder = scratch();
    let text = "suite = { startpos = true }\nlimit = { depth = 2 }\n[grid]\n'table.size' = [SIZES]\n";
    for (command, sizes, exit) in [("check", "'1 MiB', '100000 GiB'", 0), ("run", "'100000 GiB', '120000 GiB'", 2)] {
        let path = experiment(folder.path(), &text.replace("SIZES", sizes));
        let (_, stderr, code) = run(&[command, path.to_str().unwrap()]);
        assert_eq!(code, exit, "{stderr}");
        assert!(stderr.contains("size=100000 GiB") && stderr.contains("memory"), "{stderr}");
    }
    assert!(!Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/trial").exists());
}

/// Whichever clock ages them, as many entries are kept as long as nothing is replaced.
#[test]
fn clock_changes_no_entry_of_a_roomy_table() {
    let entries = |clock: &str| {
        let clock = format!("table.clock={clock}");
        let position = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let (stdout, _, _) = run(&["search", position, "--depth", "5", "--set", "table.size=16 MiB", "--set", &clock]);
        stdout.lines().find(|line| line.starts_with("entries")).map(str::to_owned).unwrap()
    };
    assert_eq!(entries("iteration"), entries("search"));
}

#[test]
fn counts_do_not_depend_on_the_number_of_jobs() {
    let folder = scratch();
    let path = experiment(folder.path(), SMALL);
    let mut all = Vec::new();
    for jobs in ["1", "4"] {
        let out = folder.path().join(jobs);
        let (stdout, stderr, code) =
            run(&["run", path.to_str().unwrap(), "--jobs", jobs, "--out", out.to_str().unwrap()]);
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.contains("1024 *    always"), "{stdout}");
        assert!(stdout.contains("no table"), "{stdout}");
        assert!(out.join("report.md").exists());
        assert!(out.join("manifest.json").exists());
        all.push(counts(&out));
    }
    assert_eq!(all[0].len(), 6 * 5 * 3);
    assert_eq!(all[0], all[1]);
}

/// Searches that end at a node limit, with twenty limits, give the same counts with a new engine,
/// with an engine that has searched before (with one job at a time, the engine is reused for all
/// items), and in another process.
#[test]
fn counts_at_twenty_node_limits_repeat() {
    let folder = scratch();
    let limits: Vec<String> = (1..=20).map(|step| (step * step * 97).to_string()).collect();
    let text = format!(
        "suite = \"data/bratko-kopec.epd\"\nfirst = 4\n[engine]\ntable = {{ size = 512, slots = 2, policy = \"two-tier\" }}\n\
         [grid]\n\"limit.nodes\" = [{}]\n\"table.clear\" = [\"search\", \"iteration\"]\n",
        limits.join(", ")
    );
    let path = experiment(folder.path(), &text);
    let all = ["1", "2", "1"].iter().enumerate().map(|(at, jobs)| {
        let out = folder.path().join(at.to_string());
        let (_, stderr, code) =
            run(&["run", path.to_str().unwrap(), "--jobs", jobs, "--out", out.to_str().unwrap(), "-q"]);
        assert_eq!(code, 0, "{stderr}");
        counts(&out)
    });
    let all: Vec<_> = all.collect();
    assert!(all[0].len() > 20 * 2 * 4);
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
    // A single search in its own process searches exactly as many nodes as the limit allows.
    let nodes = |limit: &str| {
        let args = ["search", "startpos", "--nodes", limit, "--set", "table.size=512", "--set", "table.slots=2"];
        let (stdout, ..) = run(&args);
        let line = stdout.lines().find(|line| line.starts_with("search.nodes")).unwrap().to_owned();
        line.split_whitespace().nth(1).unwrap().to_owned()
    };
    limits.iter().for_each(|limit| assert_eq!(nodes(limit), *limit));
}

/// Sequences follow the games of a PGN file, or the engine's own play. The number of jobs doesn't
/// change the results.
#[test]
fn sequences_leave_a_row_for_each_ply() {
    let folder = scratch();
    for (name, suite, sequence, plies) in [
        ("games", "data/games.pgn", "from = 10, to = 13, side = 'white'", vec!["10", "12"]),
        ("play", "data/bratko-kopec.epd", "self_play = 3", vec![]),
    ] {
        let text = format!(
            "suite = '{suite}'\nfirst = 3\nlimit = {{ depth = 2 }}\nsequence = {{ {sequence} }}\n[grid]\n\"table.clear\" = ['game', 'search', 'never']\n"
        );
        let path = experiment(folder.path(), &text);
        let mut all = Vec::new();
        for jobs in ["1", "3"] {
            let out = folder.path().join(format!("{name}{jobs}"));
            let (_, stderr, code) =
                run(&["run", path.to_str().unwrap(), "--jobs", jobs, "--out", out.to_str().unwrap(), "-q"]);
            assert_eq!(code, 0, "{stderr}");
            all.push(counts(&out));
        }
        assert_eq!(all[0], all[1], "{name}");
        let searches = if plies.is_empty() { 3 } else { plies.len() };
        assert_eq!(all[0].len(), 3 * 3 * searches * 2, "{name}");
        for row in &all[0] {
            assert!(!row[3].is_empty(), "{row:?}");
            assert!((plies.is_empty() || plies.contains(&row[5].as_str())), "{row:?}");
        }
    }
}

#[test]
fn check_exits_1_if_an_expectation_fails() {
    let folder = scratch();
    let text = |evals: u32, verdict: &str| {
        format!(
            "suite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n[engine]\npreset = 'purple'\n[[expect]]\nwhere = {{ depth = 2 }}\n\
             evals = {evals}\nverdict = '{verdict}'\n[[expect]]\nclaim = 'nodes(default) >= 0.5 * nodes(default)'\n"
        )
    };
    for (evals, verdict, exit) in
        [(39, "holds", 0), (40, "holds", 1), (40, "differs", 0), (39, "differs", 1), (40, "either", 0)]
    {
        let path = experiment(folder.path(), &text(evals, verdict));
        let out = folder.path().join(format!("{evals}-{verdict}"));
        let args = ["run", path.to_str().unwrap(), "--out", out.to_str().unwrap(), "--check"];
        let (stdout, stderr, code) = run(&args);
        assert_eq!(code, exit, "{evals} {verdict}: {stdout}{stderr}");
        assert!(fs::read_to_string(out.join("report.md")).unwrap().contains("## Verdicts"));
    }
}

#[test]
fn bench_prints_the_lines_that_tools_parse() {
    let (stdout, stderr, code) = run(&["bench"]);
    assert_eq!(code, 0);
    let nodes = include_str!("../signatures.txt").lines().find_map(|line| line.strip_prefix("bench ")).unwrap();
    assert!(stderr.contains(&format!("Nodes searched  : {nodes}\n")), "{stderr}");
    assert!(stdout.starts_with(&format!("{nodes} nodes ")), "{stdout}");
    assert!(stdout.trim_end().ends_with(" nps"), "{stdout}");
}

/// If a report can't be written, the reason is reported and the figures are still printed.
#[test]
fn report_that_cannot_be_written_gives_the_reason_and_is_printed() {
    let folder = scratch();
    let path = experiment(folder.path(), SMALL);
    let (path, results) = (path.to_str().unwrap(), folder.path().join("out"));
    let out = results.to_str().unwrap();
    assert_eq!(run(&["run", path, "--out", out, "--quiet"]).2, 0);
    fs::remove_file(results.join("report.html")).unwrap();
    fs::create_dir(results.join("report.html")).unwrap();
    for words in [&["report", out][..], &["run", path, "--out", out]] {
        let (stdout, stderr, code) = run(words);
        assert_eq!(code, 5, "{stdout}{stderr}");
        assert!(stdout.contains("nodes / baseline"), "{stdout}{stderr}");
        assert!(stdout.contains("no table"), "{stdout}{stderr}");
        assert!(stderr.contains("report.html: is not a regular file"), "{stderr}");
        assert!(stderr.contains("-o FILE"), "{stderr}");
        assert!(!stdout.contains("report:"), "nothing was written: {stdout}");
    }
}

#[test]
fn help_of_every_command_has_examples() {
    let (help, _, _) = run(&["--help"]);
    let commands = listed_commands(&help);
    assert!(commands.len() > 20, "{help}");
    for command in commands {
        let (help, _, code) = run(&[command, "--help"]);
        assert_eq!(code, 0, "{command} has no examples");
        assert!(help.contains("Examples:"), "{command} has no examples");
    }
}

#[test]
fn experiment_files_of_the_repository_pass_check() {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "toml") {
                files.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    let args: Vec<&str> = std::iter::once("check").chain(files.iter().map(String::as_str)).collect();
    let (stdout, stderr, code) = run(&args);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.lines().count() >= 4, "{stderr}");
}

/// The experiment files shown in the README and the guides pass `check`, and the generated
/// reference pages match what the program prints.
#[test]
fn files_shown_in_documents_pass_check() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let folder = scratch();
    for name in ["README.md", "docs/add-an-experiment.md"] {
        let text = read(name);
        let toml = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let path = experiment(folder.path(), &toml.replace("../data", "data"));
        let (_, stderr, code) = run(&["check", path.to_str().unwrap()]);
        assert_eq!(code, 0, "{name}: {stderr}");
    }
    for (name, args) in [
        ("docs/options.md", &["options", "--markdown"][..]),
        ("docs/designs.md", &["options", "--design", "--markdown"]),
        ("docs/columns.md", &["columns", "--markdown"]),
        ("docs/ttlab.schema.json", &["options", "--schema"]),
    ] {
        // The published package leaves out the schema, which `ttlab options --schema` prints.
        if !root.join(name).exists() && !root.join(".git").exists() {
            continue;
        }
        assert_eq!(run(args).0, read(name), "print {name} again: ttlab {}", args.join(" "));
    }
}
