//! Runs whole commands in this process, and checks their exit codes and output.

use crate::cli::{Cli, execute};
use crate::console::capture;
use crate::record::manifest::{MANIFEST, Manifest};
use clap::Parser;
use std::path::{Path, PathBuf};

/// Runs a command; returns its exit code, standard output and standard error.
pub(in crate::cli) fn call(words: &[&str]) -> (u8, String, String) {
    let cli = Cli::try_parse_from([&["ttlab"], words].concat()).unwrap_or_else(|error| panic!("{error}"));
    let (exit, [output, errors]) = capture(|| execute(&cli.command));
    (exit, output, errors)
}

/// Runs a command; returns its exit code.
fn exit(words: &[&str]) -> u8 {
    call(words).0
}

/// Writes an experiment with three positions, followed by `more`.
pub(in crate::cli) fn file(folder: &Path, name: &str, more: &str) -> String {
    let suite = "8/8/8/3k4/8/3K4/4P3/8 w - - id \"a\";\n8/5k2/8/8/2R5/8/3K4/8 b - - id \"b\";\n\
                 r3k2r/8/8/8/8/8/8/R3K2R w KQkq - id \"c\";\n";
    std::fs::write(folder.join("three.epd"), suite).unwrap();
    let path = folder.join(name);
    let text = format!("name = 'x'\nsuite = 'three.epd'\nlimit = {{ depth = 2 }}\n{more}\n");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

pub(in crate::cli) const TWO: &str = "[grid]\n'table.size' = [64, 256]";

/// One of two tables does not fit into any memory: three of six jobs fail.
pub(in crate::cli) const VAST: &str = "[grid]\n'table.size' = [64, '8192 GiB']";

/// Copies a results folder with one changed file; a changed manifest is sealed again.
pub(in crate::cli) fn copy(of: &Path, name: &str, file: &str, change: impl Fn(String) -> String) -> String {
    let to = of.with_file_name(name);
    std::fs::create_dir(&to).unwrap();
    for entry in std::fs::read_dir(of).unwrap().flatten() {
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    let path = to.join(file);
    let mut text = change(std::fs::read_to_string(&path).unwrap());
    if file == MANIFEST {
        text = serde_json::from_str::<Manifest>(&text).unwrap().to_text().unwrap();
    }
    std::fs::write(&path, text).unwrap();
    to.display().to_string()
}

#[test]
fn verify_exit_code_is_that_of_the_worst_folder() {
    let place = tempfile::tempdir().unwrap();
    let whole_path = place.path().join("whole");
    let whole = whole_path.display().to_string();
    let silent = (0, String::new(), String::new());
    assert_eq!(call(&["run", &file(place.path(), "x.toml", TWO), "-q", "--out", &whole]), silent);
    assert_eq!(call(&["verify", &whole, "-q"]), silent);
    let lacking = copy(&whole_path, "lacking", "manifest.json", |text| {
        assert!(text.contains("\"jobs_total\": 6"), "{text}");
        text.replace("\"jobs_total\": 6", "\"jobs_total\": 7")
    });
    let wrong = copy(&whole_path, "wrong", "results.csv", |text| text.replacen(",true,", ",false,", 1));
    for (folders, code) in [
        (vec![&whole], 0),
        (vec![&lacking], 3),
        (vec![&wrong], 4),
        (vec![&whole, &lacking], 3),
        (vec![&lacking, &whole], 3),
        (vec![&wrong, &lacking, &whole], 4),
        (vec![&whole, &wrong, &lacking], 4),
        (vec![&lacking, &whole, &wrong], 4),
    ] {
        let words: Vec<&str> = std::iter::once("verify").chain(folders.iter().map(|folder| folder.as_str())).collect();
        let (found, stdout, _) = call(&words);
        assert_eq!(found, code, "{folders:?}");
        assert!(folders.iter().all(|folder| stdout.contains(&format!("{folder}: "))), "{stdout}");
        let (found, stdout, _) = call(&[&words[..], &["--quiet"]].concat());
        assert!(found == code, "{folders:?}: {stdout}");
        assert!(!stdout.contains("whole: complete"), "{folders:?}: {stdout}");
        for (folder, word) in
            [(&lacking, "incomplete"), (&wrong, "WRONG")].into_iter().filter(|(one, _)| folders.contains(one))
        {
            assert!(stdout.contains(&format!("{folder}: {word}: ")), "{folders:?}: {stdout}");
        }
        if !folders.contains(&&wrong) {
            let (found, _, stderr) = call(&[&["report"], &words[1..], &["--by", "variant"]].concat());
            assert_eq!(
                (found, stderr.lines().count()),
                (code, folders.iter().filter(|one| ***one == lacking).count()),
                "{stderr}"
            );
        }
        if let [base, new] = folders[..] {
            let (found, _, stderr) = call(&["compare", base, new]);
            assert!(found == code, "{folders:?}: {stderr}");
            assert!(stderr.starts_with(&lacking), "{folders:?}: {stderr}");
        }
    }
    assert_eq!(exit(&["compare", &whole, &whole]), 0);
}

#[test]
fn failed_jobs_set_the_exit_code_of_every_command() {
    if crate::system::available_bytes().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    let (vast, out, plan) = (file(place.path(), "x.toml", VAST), at("out"), at("plan.json"));
    for quiet in [&[][..], &["-q"]] {
        let again = [&["run", &vast, "--out", &out, "--jobs", "1"], quiet].concat();
        for before in [0, 6] {
            let (code, stdout, stderr) = call(&again);
            assert_eq!(code, 3, "{stderr}");
            assert!(stderr.contains("3 jobs failed: see the error column"), "{stderr}");
            assert!(!stderr.contains("reference"), "{stderr}");
            assert_eq!(stdout.is_empty() && stderr.lines().count() == 1, !quiet.is_empty(), "{stdout}{stderr}");
            assert_eq!(stderr.contains("6 of 6 jobs known, 0 to run"), before == 6 && quiet.is_empty(), "{stderr}");
            assert_eq!(
                stderr.contains("failed: \"size=8192 GiB\" on a: "),
                before == 0 && quiet.is_empty(),
                "{stderr}"
            );
        }
        let (code, ..) = call(&[&again[..], &["--fresh"]].concat());
        assert_eq!(code, 3);
        std::fs::remove_dir_all(&out).unwrap();
    }
    let (code, stdout, _) = call(&["plan", &vast, "--shards", "2", "-o", &plan]);
    let next = format!("run one:  ttlab run --plan {plan} --shard 0\nthen:     ttlab merge {plan}\n");
    assert_eq!((code, stdout), (0, format!("{plan}: 6 jobs in 2 shards\n{next}")));
    let (code, _, stderr) = call(&["run", "--plan", &plan, "--shard", "2", "-q", "--out", &out]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.ends_with("plan.json has 2 shards: expected 0 to 1\n"), "{stderr}");
    let (missing, merge) = (["plan", "--missing", &plan, "--out", &out], ["merge", &plan, "--out", &out]);
    let shard = |index: &str| exit(&["run", "--plan", &plan, "--shard", index, "-q", "--out", &out]);
    assert_eq!(shard("1"), 3);
    let (code, stdout, stderr) = call(&missing);
    let [first, second] =
        [0, 1].map(|at| if at == 0 { "shard 0 of 2: not begun" } else { "shard 1 of 2: all jobs done, " });
    assert_eq!(code, 3, "{stdout}{stderr}");
    assert!(stdout == "0-1\n", "{stdout}{stderr}");
    assert!(stderr.contains(first), "{stdout}{stderr}");
    assert!(stderr.contains(second), "{stdout}{stderr}");
    assert_eq!(exit(&[&merge[..], &["-q"]].concat()), 3);
    assert_eq!(shard("0"), 3);
    let (code, stdout, stderr) = call(&missing);
    assert_eq!(code, 3, "{stdout}{stderr}");
    assert!(stdout == "0-1\n", "{stdout}{stderr}");
    assert!(stderr.matches("all jobs done, ").count() == 2, "{stdout}{stderr}");
    let from = |index: u32| format!("{out}/shards/{index}");
    for words in [vec![], vec!["-q"], vec!["--from", &from(1), "--from", &from(0)]] {
        let (code, stdout, stderr) = call(&[&merge[..], &words].concat());
        assert_eq!(stdout.is_empty(), words == ["-q"], "{stdout}");
        assert_eq!(code, 3, "{stderr}");
        assert!(
            stderr.ends_with("3 jobs failed: see the error column; run the shards again with --retry-failed\n"),
            "{stderr}"
        );
    }
}

#[test]
fn one_bad_file_of_several_fails_the_command() {
    let place = tempfile::tempdir().unwrap();
    let fine = file(place.path(), "fine.toml", TWO);
    let tuned =
        |slots: u32| format!("{}\n[tune]\npressures = [{{ 'keys.seed' = 3 }}, {{ 'table.slots' = {slots} }}]", TWO);
    for (slots, code) in [(2, 0), (99, 2)] {
        let other = file(place.path(), "tuned.toml", &tuned(slots));
        for files in [[&fine, &other], [&other, &fine]] {
            let (found, _, stderr) = call(&["check", files[0], files[1]]);
            assert_eq!(
                (found, stderr.contains("error: 2 files checked, 1 with errors")),
                (code, code == 2),
                "{stderr}"
            );
        }
    }
    let expect = |nodes: u32| format!("{TWO}\n[[expect]]\nclaim = 'nodes(size=64) > {nodes} * nodes(size=256)'");
    for (missed, others) in [("a", ["b", "c"]), ("b", ["a", "c"]), ("c", ["a", "b"])] {
        let folder = place.path().join(missed);
        std::fs::create_dir(&folder).unwrap();
        let rename = |name: &str, nodes: u32| {
            let path = file(&folder, &format!("{name}.toml"), &expect(nodes));
            let text = std::fs::read_to_string(&path).unwrap().replace("'x'", &format!("'{name}'"));
            let slow = if nodes > 0 { "slow = true\n" } else { "" };
            std::fs::write(&path, format!("{slow}{}", text.replace("> 0 * ", ">= 0.001 * "))).unwrap();
        };
        others.iter().for_each(|name| rename(name, 0));
        rename(missed, 1000);
        let out: PathBuf = folder.join("out");
        let (source, shown) = (folder.display().to_string(), out.display().to_string());
        let called = |words: &[&str]| exit(&[&["reproduce", &source, "--out", &shown], words].concat());
        let only = |names: &[&str]| called(&names.iter().flat_map(|name| ["--only", name]).collect::<Vec<_>>());
        // With `--quick` the slow experiment is skipped, and no page of all is written.
        let page = || out.join("README.md").exists();
        if missed == "b" {
            assert_eq!((called(&["--quick"]), out.join(missed).exists(), page()), (0, false, false));
        }
        assert_eq!((only(&others), only(&[missed]), page()), (0, 1, false), "{missed}");
        assert_eq!((called(&[]), page()), (1, true), "{missed}");
    }
}

#[test]
fn submit_writes_the_requested_resources() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    let plan = at("plan.json");
    assert_eq!(exit(&["plan", &file(place.path(), "x.toml", TWO), "--shards", "9", "-o", &plan]), 0);
    for (mem, expected) in [(&["--mem", "7770"][..], "--mem=7770M"), (&[], "--mem=257M")] {
        let asked =
            ["submit", "slurm", &plan, "--out", &at("out"), "--cpus", "3", "--time", "1:23:45", "--at-once", "4"];
        let (code, stdout, _) = call(&[&asked[..], mem].concat());
        assert_eq!(code, 0);
        let scripts: String = stdout.lines().filter_map(|line| std::fs::read_to_string(line).ok()).collect();
        for word in [expected, "--cpus-per-task=3", "--time=1:23:45", "0-8%4"] {
            assert!(scripts.contains(word) || stdout.contains(word), "{word}: {stdout}{scripts}");
        }
    }
}

#[test]
fn submit_refuses_a_backslash_before_writing() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    let plan = at("plan.json");
    assert_eq!(exit(&["plan", &file(place.path(), "x.toml", TWO), "--shards", "9", "-o", &plan]), 0);
    for (system, code) in [("slurm", 2), ("parallel", 0)] {
        let (found, _, stderr) = call(&["submit", system, &plan, "--out", &at("a\\b")]);
        assert_eq!((found, place.path().join("a\\b").exists()), (code, code == 0), "{stderr}");
        assert_eq!(stderr.starts_with("error: slurm: "), code == 2, "{stderr}");
    }
}

/// The published counts of the start position: 1, 20, 400 and 8,902.
#[test]
fn perft_counts_and_divides_leaves() {
    for (depth, leaves) in [("0", 1_u64), ("1", 20), ("2", 400), ("3", 8902)] {
        for way in [&[][..], &["--bulk"]] {
            let (code, stdout, stderr) = call(&[&["perft", "startpos", depth], way].concat());
            assert_eq!((code, stdout), (0, format!("{leaves}\n")), "{way:?}");
            assert!(stderr.ends_with(" million per second\n"), "{stderr}");
        }
        let (code, stdout, _) = call(&["perft", "startpos", depth, "--divide"]);
        let (moves, all) = stdout.trim_end().rsplit_once('\n').unwrap_or(("", stdout.trim_end()));
        let counts: Vec<u64> = moves.lines().map(|line| line.split(": ").nth(1).unwrap().parse().unwrap()).collect();
        assert_eq!((code, all), (0, leaves.to_string().as_str()), "{stdout}");
        assert_eq!((counts.len(), counts.iter().sum()), if depth == "0" { (0, 0) } else { (20, leaves) }, "{stdout}");
    }
}

/// Two games from different plies, and a position.
#[test]
fn trace_records_all_searches_of_a_suite() {
    use crate::traces::{EventKind, Info, Reader};
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    let pgn = "[Event \"g\"]\n\n1. e4 e5 2. Nf3 *\n\n[Event \"h\"]\n[SetUp \"1\"]\n[FEN \"8/5k2/8/8/2R5/8/3K4/8 b - - 0 40\"]\n\n40... Kg7 41. Rc6 *\n";
    std::fs::write(place.path().join("two.pgn"), pgn).unwrap();
    let (code, _, stderr) = call(&["trace", &at("two.pgn"), "--depth", "2", "-o", &at("two.trace")]);
    assert_eq!(code, 0, "{stderr}");
    let info = |name: &str| Info::read(std::fs::File::open(place.path().join(name)).unwrap()).unwrap();
    let mut reader = Reader::new(std::fs::File::open(place.path().join("two.trace")).unwrap()).unwrap();
    let mut plies = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        let searches = block
            .iter()
            .filter(|event| event.kind() == EventKind::Search && !event.has(crate::traces::flags::ITERATION));
        plies.extend(searches.map(|event| (event.begins_game(), event.depth)));
    }
    assert_eq!(plies, [(true, 0), (false, 1), (false, 1), (false, 1), (true, 0), (false, 1), (false, 1)]);
    let suite = crate::chess::suite::Suite::load(&place.path().join("two.pgn"), Default::default()).unwrap();
    let mut nodes = 0;
    for item in &suite.items {
        let mut engine = crate::engine::Engine::new(&Default::default(), None).unwrap();
        let mut boards = vec![item.board];
        for &mv in item.moves() {
            let mut next = boards[boards.len() - 1];
            next.play(mv, crate::chess::Increments::none());
            boards.push(next);
        }
        let limit = crate::engine::Limit { depth: Some(2), nodes: None };
        for (at, board) in boards.iter().enumerate() {
            let found = engine.search(board, &boards[..at], limit, &Default::default(), &mut |_| {});
            nodes += found.iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>();
        }
    }
    assert_eq!(info("two.trace").nodes, nodes);
    assert!(stderr.ends_with(&format!(" of {nodes} nodes\n")), "{stderr}");
    let one = info("two.trace");
    assert_eq!(
        exit(&["trace", "import", &at("two.trace"), &at("two.trace"), &at("two.trace"), "-o", &at("six.trace")]),
        0
    );
    let six = info("six.trace");
    assert_eq!((six.games, six.nodes, six.probes), (3 * one.games, 3 * one.nodes, 3 * one.probes));
    assert_eq!(six.clears, 3 * one.clears + 2, "a table is empty where a trace begins");
}

#[test]
fn tune_names_the_pressure_in_warnings() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("x.toml");
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/bratko-kopec.epd");
    let text = format!(
        "name = 'x'\nsuite = '{}'\nfirst = 8\nlimit = {{ depth = 2 }}\n[engine]\ntable.size = 64\n[grid]\n'algorithm' = ['minimax', 'alpha-beta']\n[tune]\nfirst = 2\n",
        suite.display()
    );
    std::fs::write(&path, text).unwrap();
    let out = place.path().join("out");
    let (code, _, stderr) = call(&["tune", &path.display().to_string(), "-q", "--out", &out.display().to_string()]);
    assert_eq!(code, 0, "{stderr}");
    let page = std::fs::read_to_string(out.join("report.md")).unwrap();
    let mut others = 0;
    for (at, pressure) in ["table.size = 64", "table.size = 16", "table.size = 256"].into_iter().enumerate() {
        let stage = crate::analysis::questions::race::RaceStage::HeldOut(at).folder();
        for blind in crate::report::Page::read(&out.join(stage)).unwrap().undetectable {
            others += usize::from(at > 0);
            assert!(page.contains(&format!("{pressure}: {blind}").replace('<', "&lt;")), "{pressure}: {blind}\n{page}");
        }
    }
    assert!(others > 0, "{page}");
}

/// An edited judgement is reported and makes no page, a missing one is missed, and a run restores
/// both.
#[test]
fn verify_detects_edited_and_missing_judgements() {
    let place = tempfile::tempdir().unwrap();
    let whole_path = place.path().join("whole");
    let whole = whole_path.display().to_string();
    let judged = file(place.path(), "x.toml", &format!("[reference]\nuci = 'builtin'\nlimit = {{ depth = 3 }}\n{TWO}"));
    assert_eq!(exit(&["run", &judged, "-q", "--out", &whole]), 0);
    let (code, stdout, _) = call(&["verify", &whole]);
    assert_eq!(code, 0, "{stdout}");
    assert!(!stdout.contains("reference.csv"), "{stdout}");
    let edited = copy(&whole_path, "edited", "reference.csv", |text| {
        let row = text.lines().nth(2).unwrap();
        let fields: Vec<&str> = row.split(',').collect();
        assert_ne!(fields[4], "77");
        text.replace(row, &[&fields[..4], &["77"], &fields[5..]].concat().join(","))
    });
    let cut = copy(&whole_path, "cut", "reference.csv", |text| {
        let rows: Vec<&str> = text.split_inclusive('\n').collect();
        rows[..rows.len() - 1].concat()
    });
    for (folder, verified, reported, stderr) in [
        (&edited, 4, 2, "reference.csv: 1 row edited or damaged (the first is line 3)"),
        (&cut, 3, 0, "reference.csv: 1 search of the reference missing"),
    ] {
        let (code, stdout, _) = call(&["verify", folder]);
        assert!(code == verified, "{code}: {stdout}");
        assert!(stdout.contains(stderr), "{code}: {stdout}");
        let (code, _, errors) = call(&["report", folder]);
        assert!(code == reported, "{code}: {errors}");
        assert!(errors.contains("line 3 was edited") == (reported == 2), "{code}: {errors}");
        let (code, _, stderr) = call(&["run", &judged, "--out", folder]);
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.contains("judging the moves with the reference\n"), "{stderr}");
        let file = |folder: &str| std::fs::read(Path::new(folder).join("reference.csv")).unwrap();
        assert_eq!(file(folder), file(&whole));
        assert_eq!(exit(&["verify", folder]), 0);
    }
}

#[test]
fn search_prints_sums_over_all_iterations() {
    use crate::engine::{Engine, Limit, SearchCounters};
    use crate::table::TableCounters;
    let (code, stdout, stderr) = call(&["search", "startpos", "--depth", "4", "--set", "table.size=64"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let options = crate::experiment::options(None, &["table.size=64".to_owned()]).unwrap();
    let mut engine = Engine::new(&options, None).unwrap();
    let limit = Limit { depth: Some(4), nodes: None };
    let found = engine.search(&crate::chess::Board::startpos(), &[], limit, &Default::default(), &mut |_| {});
    let search = SearchCounters::COLUMNS.iter().enumerate().map(|(at, (name, _))| {
        (format!("search.{name}"), found.iterations.iter().map(|one| one.search.values()[at]).sum::<u64>())
    });
    let table = TableCounters::COLUMNS.iter().enumerate().map(|(at, (name, _))| {
        (format!("table.{name}"), found.iterations.iter().map(|one| one.table.values()[at]).sum::<u64>())
    });
    // A table of 64 entries with 16 bytes each.
    let occupied = engine.table().unwrap().occupancy().occupied;
    let room = [("entries", occupied), ("slots", 64), ("bytes", 1024)].map(|(name, sum)| (name.to_owned(), sum));
    for (name, sum) in search.chain(table).chain(room) {
        let line = stdout.lines().find(|line| line.split(' ').next() == Some(&*name)).unwrap();
        assert_eq!(line.split_whitespace().nth(1), Some(&*sum.to_string()), "{line}");
    }
}

#[test]
fn replay_of_a_short_trace_needs_one_pass() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    assert_eq!(exit(&["trace", "startpos", "--depth", "5", "-o", &at("one.trace")]), 0);
    let (code, _, stderr) =
        call(&["replay", &at("one.trace"), "--policy", "always", "--set", "table.size=4096", "--memory", "1"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(!stderr.contains("pass"), "{stderr}");
}

#[test]
fn trace_nodes_and_saved_nodes_are_constant_in_sum() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    file(place.path(), "x.toml", TWO);
    assert_eq!(exit(&["trace", &at("three.epd"), "--depth", "4", "-o", &at("three.trace")]), 0);
    const SIZE: &str = "table.size";
    let text = "name = 'x'\n[trace]\nfile = 'three.trace'\n[grid]\n'table.size' = [1, 4, 4096]\n";
    std::fs::write(at("shown.toml"), text).unwrap();
    assert_eq!(exit(&["run", &at("shown.toml"), "-q", "--out", &at("out")]), 0);
    let frame = crate::analysis::rows::frame::Frame::read(&place.path().join("out/results.csv")).unwrap();
    use crate::record::columns::{NODES, POSITION, SAVED};
    let [nodes, saved] = [NODES, SAVED].map(|name| frame.numbers(name).into_owned());
    let (sizes, positions) = (frame.text_column(SIZE), frame.text_column(POSITION));
    let sum = |size: &str, numbers: &[f64]| {
        let rows = (0..frame.rows()).filter(|&row| sizes.text(row) == size && !positions.text(row).is_empty());
        rows.map(|row| numbers[row]).sum::<f64>()
    };
    let all = ["1", "4", "4096"].map(|size| (sum(size, &nodes) + sum(size, &saved), sum(size, &saved)));
    assert!(all[0].0 == all[1].0, "{all:?}");
    assert!(all[1].0 == all[2].0, "{all:?}");
    assert!(all[0].1 < all[2].1 && all[2].1 > 0.0, "{all:?}");
}

#[test]
fn plan_marks_the_baseline() {
    let place = tempfile::tempdir().unwrap();
    for (baseline, expected) in [("", "size=64"), ("baseline = { size = 256 }\n", "size=256")] {
        let path = file(place.path(), "x.toml", TWO);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{baseline}{text}")).unwrap();
        let (code, stdout, _) = call(&["plan", &path]);
        let marked: Vec<&str> = stdout.lines().filter(|line| line.ends_with("(baseline)")).collect();
        assert_eq!(code, 0, "{stdout}");
        assert_eq!(marked.len(), 1, "{stdout}");
        assert!(marked[0].contains(expected), "{stdout}");
    }
}

#[test]
fn report_writes_games_with_the_page() {
    let place = tempfile::tempdir().unwrap();
    let path = file(
        place.path(),
        "x.toml",
        "[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n[match]\nmax_moves = 2\n",
    );
    let out = place.path().join("out");
    let shown = out.display().to_string();
    assert_eq!(exit(&["run", &path, "-q", "--out", &shown]), 0);
    let games = out.join("games.pgn");
    let text = std::fs::read_to_string(&games).unwrap();
    assert_eq!(text.matches("[Event ").count(), 6);
    std::fs::write(&games, "[Event \"another\"]\n").unwrap();
    assert_eq!((exit(&["verify", &shown]), exit(&["report", &shown]), exit(&["verify", &shown])), (4, 0, 0));
    assert_eq!(std::fs::read_to_string(&games).unwrap(), text);
    // A missing games.pgn is not an error, because the rows have the games.
    std::fs::remove_file(&games).unwrap();
    let (code, stdout, _) = call(&["verify", &shown]);
    assert_eq!(code, 3, "{stdout}");
    assert!(stdout.contains("there is no games.pgn: create it from the rows with `ttlab report`"), "{stdout}");
    assert_eq!((exit(&["report", &shown]), exit(&["verify", &shown])), (0, 0));
    assert_eq!(std::fs::read_to_string(&games).unwrap(), text);
}

#[test]
fn limit_depth_filters_rows_everywhere() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out").display().to_string();
    let text = "[grid]\n'limit.depth' = [1, 2]\n[[expect]]\ndepth = { max = 1 }\nwhere = { 'limit.depth' = 1 }\n\
                [[expect]]\ndepth = { of = 'max', exact = 2 }\nwhere = { 'limit.depth' = 2 }";
    let experiment = file(place.path(), "x.toml", text);
    assert_eq!(call(&["check", &experiment]).0, 0);
    assert_eq!(exit(&["run", &experiment, "-q", "--check", "--out", &out]), 0);
    let (code, page, _) = call(&["report", &out, "--by", "limit.depth", "--where", "limit.depth>=2"]);
    let lines: Vec<&str> = page.lines().filter(|line| line.starts_with("2 ") || line.starts_with("1 ")).collect();
    assert_eq!(code, 0, "{page}");
    assert_eq!(lines.len(), 1, "{page}");
    assert!(lines[0].starts_with("2 "), "{page}");
}

#[test]
fn incomplete_arguments_are_refused_with_a_hint() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    std::fs::create_dir(place.path().join("empty")).unwrap();
    let limit = |other: &str| {
        format!("error: give a limit: --depth N{} {other}\n", if other.ends_with('g') { ", or" } else { " or" })
    };
    for (words, stderr) in [
        (
            &["trace", "startpos", "--depth", "1", "--first", "2", "-o", &at("x.trace")][..],
            "error: --first: startpos is a single position, not a file\n".to_owned(),
        ),
        (&["reproduce", &at("empty")], format!("error: {}: no experiment files\n", at("empty"))),
        (&["options", "--preset", "matsh"], "error: unknown preset `matsh`: did you mean `match`?\n".to_owned()),
        (
            &["options", "sise"],
            "error: no option has `sise` in its path, values or meaning: did you mean `table.size`?\n".to_owned(),
        ),
        (
            &["replay", &at("x.trace"), "--set", "algorithm=minimax"],
            "error: --set algorithm: a replay does not search: only options of the table (table.*) have an effect\n"
                .to_owned(),
        ),
        (
            &["replay", &at("x.trace"), "--set", "table.policy.kind=always"],
            "error: --set table.policy.kind: set policies with --policy\n".to_owned(),
        ),
        (
            &["man", "trace", "imprt"],
            "error: `ttlab trace` has no command `imprt`: did you mean `import`?\n".to_owned(),
        ),
        (&["man", "guard"], "error: `ttlab` has no command `guard`\n".to_owned()),
        (&["trace", "startpos", "-o", &at("x.trace")], limit("--nodes N with deepening")),
        (
            &["trace", "startpos", "--nodes", "9", "--set", "deepening.step=0", "-o", &at("x.trace")],
            limit("--nodes N with deepening"),
        ),
        (&["search", "startpos"], limit("--nodes N")),
        (
            &["search", "startpos", "--nodes", "9", "--set", "deepening.step=0"],
            "error: a search without deepening needs a depth: give --depth N\n".to_owned(),
        ),
    ] {
        let (code, stdout, errors) = call(words);
        assert_eq!((code, stdout.as_str(), errors), (2, "", stderr), "{words:?}");
    }
    assert!(!place.path().join("x.trace").exists());
    // With iterative deepening a node limit suffices; without, a depth does.
    for words in [["--nodes", "9", "--set", "deepening.step=1"], ["--depth", "1", "--set", "deepening.step=0"]] {
        assert_eq!(exit(&[&["search", "startpos"], &words[..]].concat()), 0, "{words:?}");
        let (code, _, stderr) = call(&[&["trace", "startpos", "-o", &at("x.trace")], &words[..]].concat());
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.ends_with(" nodes\n"), "{stderr}");
    }
    // A missing engine has no report.
    let gone = file(place.path(), "gone.toml", "[subject]\nuci = './no-such-engine'");
    for command in ["plan", "run"] {
        let (code, stdout, stderr) = call(&[command, &gone, "--out", &at("gone")]);
        assert_eq!(code, 2, "{stdout}{stderr}");
        assert!(stdout.is_empty(), "{stdout}{stderr}");
        assert!(stderr.contains("no such file: ./no-such-engine"), "{stdout}{stderr}");
    }
}

#[test]
fn man_prints_the_page_of_the_requested_command() {
    for words in [&[][..], &["run"], &["trace"], &["trace", "info"], &["trace", "import"]] {
        let name = [&["ttlab"], words].concat().join("-");
        let (code, stdout, stderr) = call(&[&["man"], words].concat());
        assert_eq!((code, stderr.as_str(), stdout.matches(".TH ").count()), (0, "", 1), "{stdout}");
        assert!(stdout.contains(&format!(".TH {name} 1")), "{stdout}");
    }
}

#[test]
fn merge_refuses_folders_that_are_not_shards() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    let (plan, out) = (at("plan.json"), at("out"));
    let x = file(place.path(), "x.toml", TWO);
    assert_eq!(exit(&["plan", &x, "--shards", "2", "-o", &plan]), 0);
    assert_eq!(exit(&["run", &x, "-q", "--out", &at("whole")]), 0);
    for (from, stderr) in [
        (at("whole"), "not the folder of a shard"),
        (at("none"), "no manifest.json found: give a results folder of ttlab"),
    ] {
        let (code, _, errors) = call(&["merge", &plan, "--from", &from, "--out", &out]);
        assert_eq!((code, errors), (2, format!("error: {from}: {stderr}\n")));
    }
    for shard in ["0", "1"] {
        assert_eq!(exit(&["run", "--plan", &plan, "--shard", shard, "-q", "--out", &at("parts")]), 0);
    }
    let (code, stdout, _) =
        call(&["merge", &plan, "--from", &at("parts/shards/1"), "--from", &at("parts/shards/0"), "--out", &out]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("merged 2 shards; report: "), "{stdout}");
}

#[test]
fn merge_reports_moves_that_are_not_judged() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    let (plan, out) = (at("plan.json"), at("out"));
    let x = file(place.path(), "x.toml", &format!("[reference]\nuci = 'builtin'\nlimit = {{ depth = 3 }}\n{TWO}"));
    assert_eq!(exit(&["plan", &x, "--shards", "2", "-o", &plan]), 0);
    for shard in ["0", "1"] {
        assert_eq!(exit(&["run", "--plan", &plan, "--shard", shard, "-q", "--out", &at("parts")]), 0);
    }
    let judged = place.path().join("parts/shards/1/reference.csv");
    let text = std::fs::read_to_string(&judged).unwrap();
    let rows: Vec<&str> = text.split_inclusive('\n').collect();
    std::fs::write(&judged, rows[..rows.len() - 1].concat()).unwrap();
    let (code, _, errors) =
        call(&["merge", &plan, "--from", &at("parts/shards/0"), "--from", &at("parts/shards/1"), "--out", &out]);
    assert_eq!(code, 3, "{errors}");
    assert!(errors.starts_with("1 search of the reference is missing: run the shards that"), "{errors}");
    let (code, stdout, errors) = call(&["plan", "--missing", &plan, "--out", &at("parts")]);
    assert_eq!(
        (code, stdout.as_str(), errors.as_str()),
        (3, "1\n", "shard 1 of 2: all jobs done, 1 search of the reference missing\n")
    );
}

#[test]
fn tune_refuses_metrics_that_cannot_be_raced() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out").display().to_string();
    for (metric, stderr) in [
        ("loss", "tune.metric: races compare ratios, but the loss of moves is a difference"),
        ("nodez", "tune.metric: there is no column `nodez`: did you mean"),
    ] {
        let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/bratko-kopec.epd").display().to_string();
        let path = file(place.path(), "x.toml", &format!("{TWO}\n[tune]\nmetric = '{metric}'"));
        let text = std::fs::read_to_string(&path).unwrap().replace("three.epd", &suite);
        std::fs::write(&path, text).unwrap();
        let (code, _, errors) = call(&["tune", &path, "--out", &out]);
        assert_eq!(code, 2, "{code}: {errors}");
        assert!(errors.contains(stderr), "{code}: {errors}");
    }
}
