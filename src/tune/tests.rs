//! Tests what a tuning determines before anything is searched.

use super::pressures::neighbouring_sizes;
use super::*;
use crate::analysis::Metric;
use crate::experiment::{Experiment, Plan};
use crate::table::options::Size;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The pressures of a file with given `--set` values: name, table size and depth.
fn pressures(text: &str, sets: &[&str]) -> Vec<(String, Size, Option<u8>)> {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("t.toml");
    std::fs::write(&file, format!("suite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n{text}\n")).unwrap();
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    let experiment = Experiment::load(&file, &sets).unwrap_or_else(|wrong| panic!("{wrong}"));
    let (experiments, names) = load_at_pressures(&file, &sets, experiment).unwrap();
    assert_eq!(experiments.len(), names.len());
    let describe = |(name, experiment): (String, &Experiment)| {
        let variant = &experiment.variants[0];
        (name, variant.table().unwrap().size, variant.limit.depth)
    };
    names.into_iter().zip(&experiments).map(describe).collect()
}

/// The file's own size comes first, then its pressures, or a quarter and four times the size if all
/// variants share one.
#[test]
fn pressures_default_to_a_quarter_and_four_times_the_size() {
    let describe = |text: &str, sets: &[&str]| {
        let describe_one =
            |(name, size, depth): (String, Size, Option<u8>)| format!("{name}: {size}, {}", depth.unwrap());
        pressures(text, sets).into_iter().map(describe_one).collect::<Vec<_>>().join("; ")
    };
    let grid = |path: &str, values: &str| format!("[engine]\ntable.size = 64\n[grid]\n'{path}' = [{values}]");
    let slots = grid("table.slots", "1, 2");
    let default_pressures = "table.size = 64: 64, 2; table.size = 16: 16, 2; table.size = 256: 256, 2";
    assert_eq!(describe(&slots, &[]), default_pressures);
    assert_eq!(describe(&slots, &["limit.depth=3"]), default_pressures.replace(", 2", ", 3"));
    assert_eq!(
        describe(&slots, &["table.size=400"]),
        "table.size = 400: 400, 2; table.size = 100: 100, 2; table.size = 1600: 1600, 2"
    );
    // If sizes are raced, or the table is unbounded, there are no other pressures.
    assert_eq!(describe(&grid("table.size", "32, 64"), &[]), "as in the file: 32, 2");
    assert_eq!(
        describe("[engine]\ntable = 'unbounded'\n[grid]\n'lmr.min_depth' = [0, 3]", &[]).split(':').next(),
        Some("as in the file")
    );
    let explicit = format!("{slots}\n[tune]\npressures = [{{ 'table.size' = 8 }}, {{ 'table.size' = '1 KiB' }}]");
    let expected = "table.size = 64: 64, 2; table.size = 8: 8, 2; table.size = 1 KiB: 1 KiB, 2";
    assert_eq!(describe(&explicit, &[]), expected);
    // Duplicate pressures are dropped.
    assert_eq!(describe(&explicit.replace("= [{", "= [{ 'table.size' = 64 }, { 'table.size' = 8 }, {"), &[]), expected);
}

#[test]
fn wrong_pressure_is_reported_at_its_place_in_the_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("t.toml");
    let text = "suite = { startpos = true }\nlimit = { depth = 2 }\n[grid]\n'table.slots' = [1, 2]\n[tune]\npressures = [{ 'table.size' = 8 }, { 'table.sise' = 9 }]";
    std::fs::write(&file, text).unwrap();
    let wrong = load_at_pressures(&file, &[], Experiment::load(&file, &[]).unwrap()).map(|(_, names)| names);
    let output = wrong.unwrap_err();
    assert!(output.contains(&format!("--> {} [tune] pressures:1:1", file.display())), "{output}");
    assert!(output.contains("did you mean `table.size`?"), "{output}");
}

#[test]
fn neighbouring_sizes_are_a_quarter_and_four_times_the_size() {
    for (size, settings) in [
        (Size::Bytes(1 << 20), ["table.size=\"256 KiB\"", "table.size=\"4 MiB\""]),
        (Size::Entries(4096), ["table.size=1024", "table.size=16384"]),
        (Size::Entries(3), ["table.size=1", "table.size=12"]),
        (Size::Share(0.08), ["table.size=\"2 %\"", "table.size=\"32 %\""]),
    ] {
        assert_eq!(neighbouring_sizes(size), settings);
    }
}

#[test]
fn check_refuses_experiments_that_cannot_be_raced() {
    let errors = |head: &str, grid: &str| {
        let text = format!("suite = 'data/bratko-kopec.epd'\n{head}\n[grid]\n{grid}\n");
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
        let experiment = Experiment::parse(&text, &file, &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
        let nodes = check_metric(&experiment, &Metric::nodes());
        [check_experiment(&experiment), nodes].map(Result::err)
    };
    let two_variants = "'table.slots' = [1, 2]";
    // Exactly one of the two checks fails, with these words.
    let assert_refused = |head: &str, grid: &str, check: usize, words: &str| {
        let errors = errors(head, grid);
        assert!(errors[check].as_deref().is_some_and(|text| text.contains(words)), "{head} {grid}: {errors:?}");
        assert_eq!(errors[1 - check], None, "{head} {grid}");
    };
    let depth = "limit = { depth = 2 }\nfirst = 4";
    assert_eq!(errors(depth, two_variants), [None, None]);
    assert_refused(depth, "'table.slots' = [1]", 0, "a race needs at least two variants");
    assert_refused("limit = { depth = 2 }\nfirst = 3", two_variants, 0, "3 items are too few");
    assert_refused(depth, "'table.slots' = [1, 2]\n'table.clear' = ['search', 'never']", 0, "table.clear = \"never\"");
    assert_refused(
        depth,
        "'table.slots' = [1, 2]\n'history_clear' = ['search', 'never']",
        0,
        "table.clear = \"never\"",
    );
    assert_refused(
        "limit = { nodes = 100 }\nfirst = 4",
        two_variants,
        1,
        "with limit.nodes, every candidate searches the same number of nodes",
    );
    assert_eq!(errors("limit = { nodes = 100, depth = 3 }\nfirst = 4", two_variants), [None, None]);
}

#[test]
fn external_engine_is_raced_only_by_nodes() {
    let (ours, theirs) = ("[[variant]]\nname = 'a'\n", "[[variant]]\nname = 'b'\n'subject.uci' = './engine'\n");
    let text =
        |variants: &[&str]| format!("suite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n{}", variants.concat());
    let refusal = |variants: &[&str], name: &str| {
        let experiment =
            Experiment::parse(&text(variants), Path::new("x.toml"), &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
        let metric = find_metric(name, &Plan::new(&experiment));
        metric.and_then(|metric| check_metric(&experiment, &metric)).err()
    };
    let other = theirs.replace("'b'", "'c'").replace("engine", "other");
    let expected = |name: &str, column: &str, engine: &str| {
        Some(format!("tune.metric: {name} needs {column}, which {engine} does not report. Use the metric `nodes`"))
    };
    for variants in [&[ours, theirs][..], &[theirs, ours], &[theirs, &other], &[ours, theirs, &other]] {
        assert_eq!(refusal(variants, "nodes"), None);
        assert_eq!(refusal(variants, "evals"), expected("evals", "search.evals", "./engine (\"b\")"), "{variants:?}");
    }
    assert_eq!(refusal(&[&other, theirs], "evals"), expected("evals", "search.evals", "./other (\"c\")"));
    assert_eq!(refusal(&[ours, &ours.replace("'a'", "'d'\n'keys.seed' = 2")], "evals"), None);
}

/// Six of the thirteen games have more than 81 plies, five have more than 82; a race needs four.
#[test]
fn items_without_searches_are_left_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let raced = |from: u16| {
        let text = format!(
            "suite = 'data/games.pgn'\nlimit = {{ depth = 2 }}\nsequence = {{ from = {from} }}\n[grid]\n'table.slots' = [1, 2]\n"
        );
        let mut experiment =
            Experiment::parse(&text, &root.join("x.toml"), &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
        remove_items_without_searches(&mut experiment);
        (experiment.suite.items.len(), check_experiment(&experiment).is_ok())
    };
    assert_eq!([0, 81, 82, 89].map(raced), [(13, true), (6, true), (5, true), (2, false)]);
}

#[test]
fn own_pressure_is_named_after_the_common_size() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("x.toml");
    let pressure_names = |grid: &str| {
        let grid = if grid.starts_with('[') { grid.to_owned() } else { format!("[grid]\n{grid}") };
        let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n{grid}\n");
        std::fs::write(&file, &text).unwrap();
        let experiment = Experiment::load(&file, &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
        load_at_pressures(&file, &[], experiment).map_or_else(|failure| vec![failure], |(_, names)| names)
    };
    assert_eq!(pressure_names("'table.size' = ['16 KiB', '64 KiB']"), ["as in the file"]);
    let named = ["table.size = 1 MiB", "table.size = 256 KiB", "table.size = 4 MiB"];
    assert_eq!(pressure_names("'table.slots' = [1, 2]\n[engine]\ntable.size = '1 MiB'"), named);
    // For external engines the size is that of their memory option, if it is the same for all. It
    // is not comparable with the size of the built-in engine's table.
    let engines = |settings: [&str; 2]| {
        let variant = |(index, set): (usize, &str)| format!("[[variant]]\nname = 'v{index}'\n{set}\n");
        settings.into_iter().enumerate().map(variant).collect::<String>()
    };
    let [ours, theirs] = ["'table.slots' = 2", "'subject.uci' = 'x'"];
    for mixed in [[ours, theirs], [theirs, ours]] {
        assert_eq!(pressure_names(&engines(mixed)), ["as in the file"]);
    }
    assert_eq!(pressure_names(&engines([theirs, "'subject.uci' = 'y'"])), ["as in the file"]);
    let hash = |size: u32| format!("{theirs}\n'uci.Hash' = {size}\n'uci.Threads' = ");
    let same_hash = pressure_names(&engines([&format!("{}1", hash(8)), &format!("{}2", hash(8))]));
    assert_eq!(same_hash, ["uci.Hash = 8", "uci.Hash = 2", "uci.Hash = 32"]);
    let small_hash = pressure_names(&engines([&format!("{}1", hash(3)), &format!("{}2", hash(3))]));
    assert_eq!(small_hash, ["uci.Hash = 3", "uci.Hash = 12"], "none has nothing");
    let different_hash = pressure_names(&engines([&format!("{}1", hash(8)), &format!("{}1", hash(16))]));
    assert_eq!(different_hash, ["as in the file"]);
}

#[test]
fn default_pressures_that_an_engine_refuses_are_left_out() {
    let parse = |tables: &str| {
        let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n{tables}\n");
        Experiment::parse(&text, Path::new("x.toml"), &[]).unwrap_or_else(|wrong| panic!("{wrong}"))
    };
    let (ours, missing) = ("[engine]\ndraws = true", "[subject]\nuci = './no-such-engine'");
    // The result of preparing the engines, the names of the remaining pressures, and which of these
    // have an external engine.
    let prepare = |kinds: &[&str], first: &str| {
        let mut experiments: Vec<Experiment> = kinds.iter().map(|kind| parse(kind)).collect();
        experiments[0] = parse(first);
        let mut names: Vec<String> = (0..kinds.len()).map(|index| format!("p{index}")).collect();
        let subjects = prepare_engines(&mut experiments, &mut names, 1, &AtomicBool::new(false));
        let is_external = |experiment: &Experiment| experiment.variants[0].external().is_some();
        let result = subjects.map(|subjects| subjects.is_some()).map_err(|(_, pressure)| pressure);
        (result, names.join(" "), experiments.iter().map(is_external).collect::<Vec<bool>>())
    };
    assert_eq!(prepare(&[ours, missing, ours, missing, ours], ours), (Ok(true), "p0 p2 p4".to_owned(), vec![false; 3]));
    assert_eq!(prepare(&[ours, missing, missing], ours), (Ok(true), "p0".to_owned(), vec![false]));
    let explicit = format!("{ours}\n[tune]\npressures = [{{ 'table.size' = 8 }}]");
    let (result, names, _) = prepare(&[ours, ours, missing], &explicit);
    assert!(result == Err(Some("p2".to_owned())));
    assert!(names == "p0 p1 p2");
}
