//! Experiment files, most with one mistake each: `tests/golden/experiments.txt` has what is read of
//! them. That is the mistake with its place, the text that it points at and the suggestion, or the
//! variants (`*`: a baseline). Lines that begin with `--set ` are overrides.

mod doors;
mod suites;

use super::{Experiment, Plan, Problem};
use crate::golden::assert_answers;
use std::path::Path;

/// Reads an experiment file. `sets`: `path=value` pairs that override options of every variant.
fn read(text: &str, sets: &[&str]) -> Result<Experiment, Problem> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Experiment::parse(text, Path::new("files/x.toml"), &sets)
}

/// Words that only Rust programmers know: no message has one.
const WORDS_OF_RUST: [&str; 24] = [
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
    "string",
    "boolean `",
    "float",
];

/// What the golden file says of an experiment.
fn describe(result: Result<Experiment, Problem>) -> String {
    match result {
        Ok(experiment) => {
            let bases: Vec<usize> = experiment.partners.bases().collect();
            let name = |(index, variant): (usize, &super::Variant)| {
                format!("{}{}", variant.name, if bases.contains(&index) { " *" } else { "" })
            };
            let names: Vec<String> = experiment.variants.iter().enumerate().map(name).collect();
            let baselines =
                if bases.len() > 1 { format!("\n{:?}", experiment.partners.baselines) } else { String::new() };
            format!("{}{baselines}", names.join(" | "))
        }
        Err(Problem { text, span, message, help, .. }) => {
            let rust = WORDS_OF_RUST.iter().find(|word| message.contains(**word));
            assert_eq!(rust, None, "{message}");
            let place = span.map(|span| {
                let (line, column) = text[..span.start].rsplit_once('\n').unwrap_or(("", &text[..span.start]));
                let line = if span.start == column.len() { 1 } else { line.matches('\n').count() + 2 };
                format!("{line}:{} `{}` ", column.chars().count() + 1, text[span].escape_debug())
            });
            let help = help.map(|help| format!("\nhelp: {help}"));
            format!("{}error: {message}{}", place.unwrap_or_default(), help.unwrap_or_default())
        }
    }
}

#[test]
fn files_are_read_as_the_golden_file_says() {
    assert_answers("experiments.txt", |start, lines| {
        let (sets, lines): (Vec<&str>, Vec<&str>) = lines.lines().partition(|line| line.starts_with("--set "));
        let sets: Vec<&str> = sets.iter().filter_map(|set| set.strip_prefix("--set ")).collect();
        describe(read(&format!("{start}\n{}\n", lines.join("\n")), &sets))
    });
}

/// 250 x 400 combinations are the most, so that the next mistake is reported.
#[test]
fn grid_of_100000_combinations_is_read_and_a_larger_one_refused() {
    let list = |count: usize| (0..count).map(|index| index.to_string()).collect::<Vec<_>>().join(", ");
    for (seeds, windows, message) in [
        (250, 400, "exclude: an entry is empty: list the option values of the variants to leave out"),
        (11, 9091, "grid: more than 100000 combinations: use fewer values or axes"),
        (320, 320, "grid: more than 100000 combinations: use fewer values or axes"),
    ] {
        let axes =
            format!("[grid]\n\"keys.seed\" = [{}]\naspiration = [{}]\n[[exclude]]\n", list(seeds), list(windows));
        let result = read(&format!("suite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n{axes}"), &[]);
        assert_eq!(result.map(|_| ()).unwrap_err().message, message);
    }
}

/// An experiment without a name has that of its file, or a name is suggested that is like it.
#[test]
fn name_is_taken_from_the_file() {
    let text = "suite = { startpos = true }\nlimit = { depth = 2 }\n";
    assert_eq!(read(text, &[]).map(|experiment| experiment.name).unwrap_or_default(), "x");
    for (file, name) in [("my dir/ex p.toml", Some("ex-p")), (".x.toml", Some("x.x")), ("-.toml", None)] {
        let problem = Experiment::parse(text, Path::new(file), &[]).err();
        let expected = |name: &str| {
            format!("the name was taken from the file's name: write name = \"{name}\" at the top of the file")
        };
        assert_eq!(problem.and_then(|problem| problem.help), name.map(expected), "{file}");
    }
}

/// Overrides are laid over limits and options of every variant, the last of several alike.
#[test]
fn sets_override_limits_and_options() {
    let text = "suite = { startpos = true }\nlimit = { depth = 2 }\n";
    let experiment = read(text, &["table.slots=4", "limit.nodes=70", "table.slots = 8"]).unwrap();
    let variant = &experiment.variants[0];
    assert_eq!((variant.limit.depth, variant.limit.nodes), (Some(2), Some(70)));
    assert_eq!((variant.table().unwrap().slots, variant.path_values.len()), (8, 0));
}

const PLAYERS: &str = "suite = { startpos = true }\nlimit = { nodes = 9 }\n[[variant]]\nname = 'first'\n[[variant]]\nname = 'second'\n'keys.seed' = 2\n\
    [[variant]]\nname = 'third'\n'keys.seed' = 3\n[match]\n";

/// All finished games are listed, and no other.
#[test]
fn openings_in_which_the_game_is_over_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.epd");
    let positions = "7k/5Q2/6K1/8/8/8/8/8 b - - id \"stalemate\";\n4k3/8/8/8/8/8/PPPPPPPP/4K3 w - - id \"open\";\n\
        rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - id \"mate\";\n";
    std::fs::write(&file, positions).unwrap();
    let finished = PLAYERS.replace("{ startpos = true }", &format!("{file:?}"));
    let message = read(&finished, &[]).map(|_| ()).unwrap_err().message;
    assert_eq!(message, "suite: 2 games are over before they begin: `stalemate`, `mate`");
}

/// The handicapped copies of the baseline come last, each with the baseline's nodes divided by its
/// handicap and with the baseline's key seed.
#[test]
fn handicap_divides_the_baselines_nodes() {
    for (more, sets, nodes) in [
        ("handicap = [0.8, 2]", &[][..], &[11, 5][..]),
        ("handicap = [0.8, 2]", &["limit.nodes=1000"], &[1250, 500]),
        ("", &[], &[]),
    ] {
        let experiment = read(&format!("baseline = {{ variant = 'second' }}\n{PLAYERS}{more}"), sets).unwrap();
        let copies = experiment.variants[3..].iter();
        let copies: Vec<_> = copies.map(|copy| (copy.limit.nodes, copy.builtin().unwrap().keys.seed)).collect();
        assert_eq!(copies, nodes.iter().map(|&nodes| (Some(nodes), 2)).collect::<Vec<_>>(), "{more}");
    }
}

#[test]
fn score_errors_are_cut_at_150_by_default() {
    let start = "suite = { startpos = true }\nlimit = { nodes = 1000 }\n[reference]\n";
    for (judge, cut) in [
        ("self = { nodes = 9000 }", Some(150)),
        ("self = { nodes = 9000 }\ncut = 70", Some(70)),
        ("uci = 'builtin'\nlimit = { depth = 9 }", None),
    ] {
        let reference = read(&format!("{start}{judge}\n"), &[]).unwrap().file.reference.unwrap();
        assert_eq!(reference.score_cut(), cut, "{judge}");
    }
}
