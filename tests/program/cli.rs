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

#[test]
fn error_in_a_file_shows_its_line_and_column() {
    let head = "suite = { startpos = true }\nlimit = { depth = 2 }\n";
    let cases: &[(&str, &[&str])] = &[
        ("[engine]\nalgoritm = 'minimax'\n", &["unknown key `algoritm`", "did you mean `algorithm`", ":4:1"]),
        (
            "[engine]\nordering = ['history', ['x']]\n",
            &["engine.ordering.1: expected a single value, found a list", ":4:24"],
        ),
        (
            "[engine]\ntable.size = true\n",
            &["table.size", "expected a size: bytes (\"16 MiB\"), entries (65536)", ":4:"],
        ),
        ("[engine]\nalgorithm = 'minmax'\n", &["unknown word `minmax`", "did you mean `minimax`", ":4:13"]),
        ("[engine]\ntable = { size = 'lots' }\n", &["table.size", "not a size", ":4:"]),
        ("[engine]\nlmr = { min_depth = 300 }\n", &["lmr.min_depth", "300"]),
        (
            "[grid]\n\"table.slotz\" = [1, 2]\n",
            &["there is no option `table.slotz`", "did you mean `table.slots`", ":4:1"],
        ),
        ("[grid]\n\"table.slots\" = 2\n", &["grid.table.slots", "expected a list"]),
        ("[grid]\n\"table.slots\" = [1, 9]\n", &["table.slots: 9 is out of range", "slots=9", ":4:21"]),
        ("[grid]\n\"table.slots\" = [1, 1]\n", &["duplicate value 1", ":4:21"]),
        ("[grid]\n\"table.policy\" = ['alwyas']\n", &["alwyas", "did you mean `always`", ":4:19"]),
        ("[grid]\n\"table.policy\" = ['two-deep']\n", &["table.policy", "needs table.slots of at least 2"]),
        ("[engine]\npreset = 'purpel'\n", &["unknown preset `purpel`", "did you mean `purple`"]),
        ("[[variant]]\nalgorithm = 'minimax'\n", &["needs a name"]),
        ("[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n", &["are the same variant"]),
        ("[[zip]]\n\"table.slots\" = [1, 2]\n\"keys.seed\" = [1]\n", &["has 1 value, but", "has 2"]),
        ("[baseline]\nvariant = 'x'\n", &["baseline: no variant matches"]),
        ("[[expect]]\nevalz = 3\n", &["there is no such metric"]),
        ("[[expect]]\nwhere = { depht = 3 }\nevals = 3\n", &["there is no such column", "did you mean `depth`"]),
        ("[[expect]]\nclaim = 'nodes(a) nodes(b)'\n", &["expect.claim"]),
        (
            "[[expect]]\nclaim = 'nodes(a) < nodes(b)'\n",
            &["there is no variant \"a\"", "expected one of `default`", ":4:16"],
        ),
        (
            "[[expect]]\nclaim = 'nodes(default) < nodes(b)'\n",
            &["there is no variant \"b\"", "expected one of `default`"],
        ),
        ("[[expect]]\nclaim = 'nodes(default) < nodez(default)'\n", &["there is no metric `nodez`"]),
        ("[[expect]]\nkind = 'expected'\nevals = 3\n[article]\ntitle = 'T'\n", &["expect.source: missing"]),
        ("[[expect]]\nwhere = { variant = 'a' }\nevals = 3\n", &["there is no variant", "`default`", ":4:21"]),
        (
            "[grid]\n\"table.policy\" = ['always',\n  { kind = 'aged-depth', factor = -1 },\n 'never']\n",
            &["`-1`, expected a whole number", ":5:35"],
        ),
        ("[engine]\nordering = ['table-move',\n 'mvv-lvaa']\n", &["did you mean `mvv-lva`", ":5:2"]),
        ("[[zip]]\n\"keys.seed\" = [1, 2]\n\"table.slots\" = [1, 300]\n", &["300", ":5:21"]),
        ("baseline = { variant = ['x'] }\n", &["expected a number, text in quotes, true or false"]),
        ("[sequence]\nfrom = 3\n", &["give self_play"]),
        ("nonsense", &[":3:"]),
    ];
    let folder = scratch();
    for (at, (text, required)) in cases.iter().enumerate() {
        let path = experiment(folder.path(), &format!("{head}{text}"));
        // All commands load files with the same code, so only every third mistake is also tried
        // with `run` and `plan`.
        for command in ["check", "run", "plan"].into_iter().take(if at % 3 == 0 { 3 } else { 1 }) {
            let (_, stderr, code) = run(&[command, path.to_str().unwrap()]);
            assert_eq!(code, 2, "{command} {text}\n{stderr}");
            for part in *required {
                assert!(stderr.contains(part), "{text}\nshould say {part:?}:\n{stderr}");
            }
        }
    }
    let (_, stderr, code) = run(&[
        "run",
        experiment(folder.path(), "suite = 'data/bratko-copec.epd'\nlimit = { depth = 1 }").to_str().unwrap(),
    ]);
    assert_eq!(code, 2);
    assert!(stderr.contains("did you mean `data/bratko-kopec.epd`"), "{stderr}");
    let huge = experiment(folder.path(), &format!("{head}[engine]\ntable.size = '100000 GiB'\n"));
    let (_, stderr, code) = run(&["run", huge.to_str().unwrap()]);
    assert_eq!(code, 2);
    assert!(stderr.contains("memory"), "{stderr}");
    assert!(stderr.contains("default"), "{stderr}");
    let (_, stderr, code) = run(&["run", "no/such/file.toml"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("no/such/file.toml"), "{stderr}");
    assert!(
        !Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/trial").exists(),
        "a refused file left something behind"
    );
}

/// Mistakes in `--set` are reported in the same way as mistakes in a file.
#[test]
fn error_of_a_set_flag_suggests_the_nearest_name() {
    let file = "experiments/quick.toml";
    for (set, required) in [
        ("engine.table.size=1 MiB", "did you mean `table.size`"),
        ("engine.x=", "`algorithm`, "),
        ("table.lots=3", "did you mean `table.slots`"),
        ("eval.nothing_like_it=3", "expected one of `eval.centre`, "),
        ("repeats=3", "can be set only in the file"),
        ("table.slots=", "expected a value after the ="),
        ("algorithm=", "expected `minimax`, `alpha-beta`"),
        ("lmr=[3]", "expected a single value, found a list"),
        ("algorithm=pvss", "did you mean `pvs`"),
        ("ordering=[\"hystory\"]", "did you mean `history`"),
    ] {
        let (_, stderr, code) = run(&["plan", file, "--set", set]);
        assert_eq!(code, 2, "{set} should be told {required:?}:\n{stderr}");
        assert!(stderr.contains(required), "{set} should be told {required:?}:\n{stderr}");
        assert!(stderr.contains("--set:1:"), "{stderr}");
    }
}

/// `check` warns if a table is too large for this machine's memory.
#[test]
fn check_warns_of_a_table_larger_than_memory() {
    let folder = scratch();
    let path = experiment(
        folder.path(),
        "suite = { startpos = true }\nlimit = { depth = 2 }\n[grid]\n\"table.size\" = ['1 MiB', '100000 GiB']\n",
    );
    let (_, stderr, code) = run(&["check", path.to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("size=100000 GiB"), "{stderr}");
    assert!(stderr.contains("memory"), "{stderr}");
}

/// No message uses a word that only Rust programmers know, such as the name of an integer type.
#[test]
fn messages_contain_no_word_of_the_programming_language() {
    let folder = scratch();
    let head = "suite = { startpos = true }\nlimit = { depth = 2 }\n";
    let cases = [
        "limit = 3",
        "limit = { depth = 'x' }",
        "suite = 5",
        "name = 5",
        "repeats = -1",
        "repeats = 1.5",
        "slow = 'no'",
        "sequence = 3",
        "sequence = { side = 5 }",
        "baseline = 3",
        "grid = 3",
        "variant = 3",
        "expect = 3",
        "tune = { goal = 'x' }",
        "tune = { finalists = 'x' }",
        "trace = 3",
        "reference = 3",
        "subject = 3",
        "subject = { uci = 3 }",
        "subject = { uci = 'x', options = { a = [1] } }",
        "subject = { uci = 'x', restart = 'x' }",
        "[[expect]]\nkind = 'x'\nevals = 1",
        "[[expect]]\nevals = [1]",
        "[[expect]]\nevals = { min = 'x' }",
        "[[expect]]\nclaim = 5",
        "[engine]\nalgorithm = 5",
        "[engine]\nalgorithm = { x = 1 }",
        "[engine]\nordering = 5",
        "[engine]\nordering = [5]",
        "[engine]\nlmr = 'x'",
        "[engine]\nlmr = 3",
        "[engine]\nlmr = [3]",
        "[engine]\nleaf = 3",
        "[engine]\ntable = 3",
        "[engine]\ntable = []",
        "[engine]\ntable.slots = 'x'",
        "[engine]\ntable.slots = 1e3",
        "[engine]\ntable.size = true",
        "[engine]\ntable.size = {}",
        "[engine]\ntable.policy = 3",
        "[engine]\ntable.policy = []",
        "[engine]\ntable.policy = { factor = 3 }",
        "[engine]\ntable.policy = { kind = 'always', factor = 3 }",
        "[engine]\ntable.policy = { kind = 'aged-depth', factor = 'x' }",
        "[engine]\neval = 3",
        "[engine]\neval.material = 'x'",
        "[engine]\nkeys.seed = -1",
        "[engine]\nkeys = 'x'",
        "[engine]\ndraws = 5",
        "[engine]\nnull_move = 5",
        "[engine]\nquiescence = 5",
        "[engine]\naspiration = 'x'",
        "[engine]\ndeepening = 1",
        "[grid]\n\"table.size\" = [[1]]",
        "[grid]\n\"table.size\" = [2021-01-01]",
    ];
    for case in cases {
        // A key of the test case replaces the same key in the head.
        let key = case.split(' ').next().unwrap();
        let head: String = head.lines().filter(|line| !line.starts_with(key)).map(|line| format!("{line}\n")).collect();
        let text = if case.starts_with('[') { format!("{head}{case}\n") } else { format!("{case}\n{head}") };
        let (_, stderr, code) = run(&["check", experiment(folder.path(), &text).to_str().unwrap()]);
        assert_eq!(code, 2, "{case} is taken: {stderr}");
        let message = stderr.lines().next().unwrap();
        for word in [
            "u8",
            "u16",
            "u32",
            "u64",
            "i8",
            "i16",
            "i32",
            "i64",
            "usize",
            "f64",
            "struct",
            "enum",
            "variant of",
            "unit",
            "map,",
            " map",
            "a sequence",
            "untagged",
            "visitor",
            "Some(",
            "None",
            "field",
            "string",
            "boolean `",
            "float",
        ] {
            assert!(!message.contains(word), "{case}: {word:?} in {message}");
        }
    }
}

#[test]
fn wrong_usage_exits_2_and_names_the_expected_words() {
    for (args, required) in [
        (&["search", "startpos"][..], "--depth"),
        (&["search", "8/8/8/8/8/8/8/8 w - - 0 1", "--depth", "1"], "king"),
        (&["search", "startpos", "--depth", "1", "--set", "table.slotz=2"], "did you mean `table.slots`"),
        (&["search", "startpos", "--depth", "1", "--preset", "oter"], "did you mean `otter`"),
        (&["search", "startpos", "--depth", "1", "--set", "table.size=banana"], "--set:1:12"),
        (
            &["search", "startpos", "--depth", "1", "--set", "limit.depth=3"],
            "limit.depth: is not an option of ttlab's own",
        ),
        (&["perft", "startpos", "x"], "invalid value"),
        (&["options", "tabel"], "no option has"),
        (&["suite", "data/none.epd"], "none.epd"),
        (&["suite", "Cargo.toml"], ".epd"),
        (&["nonsense"], "unrecognized"),
        (&["report", "data"], "manifest.json"),
    ] {
        let (_, stderr, code) = run(args);
        assert_eq!(code, 2, "{args:?}: {code}\n{stderr}");
        assert!(stderr.to_lowercase().contains(&required.to_lowercase()), "{args:?}: {code}\n{stderr}");
    }
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
fn commands_without_an_experiment_print_their_result() {
    let (stdout, stderr, code) = run(&["perft", "startpos", "5"]);
    assert_eq!((stdout.as_str(), code), ("4865609\n", 0));
    // The rate is the count divided by the time printed beside it, within the rounding of both.
    let words: Vec<f64> = stderr.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    let [seconds, millions] = words[..] else { panic!("{stderr}") };
    let (least, most) = (4.865_609 / (millions + 0.051), 4.865_609 / (millions - 0.051).max(1e-9));
    assert!(seconds + 0.001 >= least, "{stderr}");
    assert!(seconds - 0.001 <= most, "{stderr}");
    let (stdout, _, _) =
        run(&["perft", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "2", "--divide"]);
    assert!(stdout.lines().count() == 49, "{stdout}");
    assert!(stdout.ends_with("2039\n"), "{stdout}");
    // At depth 1, each move leads to exactly one position.
    let (stdout, _, _) = run(&["perft", "startpos", "1", "--divide"]);
    assert!(stdout.lines().filter(|line| line.ends_with(": 1")).count() == 20, "{stdout}");
    assert!(stdout.ends_with("20\n"), "{stdout}");
    // The time that the bench reports is at most the run time of its whole process.
    let begun = std::time::Instant::now();
    let (stdout, _, _) = run(&["bench"]);
    let all = begun.elapsed().as_secs_f64();
    let words: Vec<f64> = stdout.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [nodes, rate] = words[..] else { panic!("{stdout}") };
    assert!(rate.is_finite(), "{stdout} in {all} s");
    assert!(nodes / rate <= all + 1e-3, "{stdout} in {all} s");
    // If nothing is replaced, the table ends with the same number of entries whichever clock ages
    // them.
    let entries = |clock: &str| {
        let clock = format!("table.clock={clock}");
        let position = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let (stdout, _, _) = run(&["search", position, "--depth", "5", "--set", "table.size=16 MiB", "--set", &clock]);
        stdout.lines().find(|line| line.starts_with("entries")).map(str::to_owned).unwrap()
    };
    assert_eq!(entries("iteration"), entries("search"));
    // A search without a table prints no table counters.
    let counted = |table: &str| run(&["search", "startpos", "--depth", "3", "--set", table]).0.contains("table.probes");
    assert!(counted("table=bounded"));
    assert!(!counted("table=none"));
    let (stdout, _, _) = run(&["search", "startpos", "--depth", "5", "--preset", "purple"]);
    assert!(stdout.contains("32138"), "{stdout}");
    let (stdout, _, _) = run(&["search", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "--nodes", "5000"]);
    assert!(stdout.contains("a1a8"), "{stdout}");
    let (stdout, _, _) = run(&["keys", "--set", "keys.scheme=webster-product"]);
    assert!(stdout.contains("374 distinct of 768"), "{stdout}");
    let (stdout, _, _) = run(&["keys", "--set", "keys.scheme=webster-literals"]);
    assert!(stdout.contains("16 distinct of 32"), "{stdout}");
    let (stdout, _, _) = run(&["options", "table.policy"]);
    assert!(stdout.contains("two-big1"), "{stdout}");
    assert!(stdout.contains("table.policy.factor"), "{stdout}");
    assert_eq!(run(&["options", "Table.POLICY"]).0, stdout, "capitals are as good");
    let (stdout, _, _) = run(&["columns"]);
    assert!(stdout.contains("search.nodes"), "{stdout}");
    assert!(stdout.contains("table.evictions"), "{stdout}");
    for command in [&["schema"][..], &["completions", "bash"], &["suite", "data/games.pgn"]] {
        let (stdout, stderr, code) = run(command);
        assert_eq!(code, 0, "{command:?}: {stderr}");
        assert!(stdout.len() > 500, "{command:?}: {stderr}");
    }
    let (stdout, _, _) = run(&["generate", "--count", "3", "--seed", "7"]);
    assert_eq!(stdout.lines().count(), 3, "{stdout}");
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
fn experiment_file_as_command_suggests_run() {
    let (_, stderr, code) = run(&["experiments/quick.toml"]);
    assert_eq!(code, 2);
    assert!(stderr.ends_with("help: to run an experiment: ttlab run experiments/quick.toml\n"), "{stderr}");
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
        ("docs/ttlab.schema.json", &["schema"]),
    ] {
        // The published package leaves out the schema, which `ttlab schema` prints.
        if !root.join(name).exists() && !root.join(".git").exists() {
            continue;
        }
        assert_eq!(run(args).0, read(name), "print {name} again: ttlab {}", args.join(" "));
    }
}

/// If a setting has no value, all of it is underlined; if its path is unknown, the path; if its
/// value is wrong, the value.
#[test]
fn error_underlines_the_wrong_part_of_a_setting() {
    let folder = scratch();
    let file = experiment(folder.path(), "suite = { startpos = true }\nlimit = { depth = 1 }\n");
    for (set, start, length) in
        [("table.slots", 0, 11), ("table.slotz=2", 0, 11), ("table.slots=many", 12, 4), ("table.slots=", 12, 0)]
    {
        let (_, stderr, code) = run(&["plan", file.to_str().unwrap(), "--set", set]);
        assert_eq!(code, 2, "{stderr}");
        let lines: Vec<&str> = stderr.lines().collect();
        let shown = lines.iter().position(|line| line.ends_with(set) && line.contains(" | ")).unwrap();
        let from = lines[shown].find(set).unwrap();
        let under = lines[shown + 1];
        let carets = under.matches('^').count();
        assert_eq!((under.find('^'), carets), (Some(from + start), length.max(1)), "{stderr}");
    }
}
