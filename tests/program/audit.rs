//! Tests of the `ttlab audit` command.

use crate::common::scratch;
use std::process::Command;

fn audit(text: &str) -> (Option<i32>, String, String) {
    let folder = scratch();
    let file = folder.path().join("audited.toml");
    std::fs::write(&file, text).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_ttlab")).arg("audit").arg(&file).args(["--depth", "4"]).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn audit_of_a_sound_experiment_passes_and_lists_every_table() {
    let (code, stdout, stderr) = audit(
        "suite = { fen = 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1' }\n\
         limit = { depth = 9 }\n[engine]\ndraws = true\nlmr.min_depth = 3\n[grid]\n'table.policy' = ['always', 'two-deep']\n\
         'table.size' = [1024, '25 %']\n'table.slots' = [2]\n[[variant]]\nname = 'none'\ntable = 'none'\n",
    );
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let lines: Vec<&str> = stdout.lines().filter(|line| !line.starts_with("    by path: ")).collect();
    assert_eq!(lines.len(), 5, "a heading and four variants: {stdout}");
    let path = |line: &&str| line.split_whitespace().nth(6).unwrap().parse::<u64>().is_ok();
    assert!(lines[1..].iter().all(path), "with draws too: {stdout}");
    assert!(stderr.is_empty(), "nobody looks on: {stderr}");
}

#[test]
fn audit_finds_the_fault_option_of_the_file() {
    let (code, stdout, _) = audit(
        "suite = { startpos = true }\nlimit = { depth = 4 }\n[engine]\npreset = 'purple'\n\
         [[variant]]\nname = 'sound'\ntable = 'unbounded'\n\
         [[variant]]\nname = 'broken'\ntable = 'unbounded'\n'keys.scheme' = 'purple-product'\n",
    );
    assert_eq!(code, Some(4));
    let wrong = |name: &str| {
        let line = stdout.lines().find(|line| line.ends_with(name)).unwrap();
        line.split_whitespace().nth(5).unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(wrong("sound"), 0);
    assert!(wrong("broken") > 0, "{stdout}");
    assert!(stdout.contains("is not legal"), "{stdout}");
}

#[test]
fn audit_without_any_table_is_refused() {
    let (code, _, stderr) = audit("suite = { startpos = true }\nlimit = { depth = 3 }\n[engine]\ntable = 'none'\n");
    assert_eq!(code, Some(2));
    assert!(stderr.contains("has a table"), "{stderr}");
}

#[test]
fn audit_first_limits_the_positions() {
    let folder = scratch();
    let file = folder.path().join("audited.toml");
    std::fs::write(&file, "suite = 'data/perft.epd'\nlimit = { depth = 2 }\n[engine]\ntable.size = 1024\n").unwrap();
    let jobs = |positions: &str| {
        let args = ["--depth", "2", "--positions", positions];
        let output = Command::new(env!("CARGO_BIN_EXE_ttlab")).arg("audit").arg(&file).args(args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, stdout) = jobs("3");
    // Three positions, each searched to depth 2.
    let iterations = stdout.lines().nth(1).and_then(|line| line.split_whitespace().next());
    assert_eq!((code, iterations), (Some(0), Some("6")), "{stdout}");
    assert_eq!(jobs("0").0, Some(2));
}

/// An iteration that the node limit interrupts has no score to compare, so the audit doesn't count
/// it.
#[test]
fn audit_counts_only_finished_iterations() {
    use ttlab::internals::chess::Board;
    use ttlab::internals::engine::{Engine, EngineOptions, Limit};
    let mut engine = Engine::new(&EngineOptions::default(), None).unwrap();
    let (limit, stop) = (Limit { depth: Some(3), nodes: Some(200) }, std::sync::atomic::AtomicBool::new(false));
    let found = engine.search(&Board::startpos(), &[], limit, &stop, &mut |_| {}).iterations;
    let finished = found.iter().filter(|iteration| iteration.finished).count();
    assert!(finished > 0 && finished < found.len(), "{finished} of {}", found.len());
    let (code, stdout, stderr) = audit("suite = { startpos = true }\nlimit = { depth = 3, nodes = 200 }\n");
    let counted = stdout.lines().nth(1).and_then(|line| line.split_whitespace().next()?.parse().ok());
    assert_eq!((code, counted), (Some(0), Some(finished)), "{stdout}{stderr}");
}
