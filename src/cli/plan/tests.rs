use super::lines::{describe_items, format_table_size};
use super::*;

/// An entry has 16 bytes.
#[test]
fn size_is_shown_in_whole_kib() {
    for (sets, expected) in [
        (&["table.size=64"][..], "1 KiB"),
        (&["table.size=65"], "2 KiB"),
        (&["table.size=128"], "2 KiB"),
        (&["table.size=129"], "3 KiB"),
        (&["table.size=\"1 MiB\""], "1 MiB"),
        (&["table.size=\"5 %\""], "5 %"),
        (&["table.kind=none"], "none"),
        (&["table.kind=unbounded"], "unbounded"),
        // For an external engine's table, only a size that is set is known.
        (&["subject.uci=stockfish"], "its own"),
        (&["subject.uci=stockfish", "uci.Hash=16"], "Hash 16"),
    ] {
        let text = "suite = { startpos = true }\nlimit = { depth = 1 }\n";
        let slots = ["table.slots=1"].iter().filter(|_| !sets[0].starts_with("subject"));
        let sets: Vec<String> = sets.iter().chain(slots).map(|&set| set.to_owned()).collect();
        let experiment = Experiment::parse(text, "x.toml".as_ref(), &sets).unwrap();
        assert_eq!(format_table_size(&experiment.variants[0]), expected, "{sets:?}");
    }
}

/// Six of the thirteen games have more than 81 plies.
#[test]
fn items_shows_how_many_are_searched() {
    for (from, expected) in [(0, "13 items"), (81, "13 items, 6 of them searched")] {
        let text = format!("suite = 'data/games.pgn'\nlimit = {{ depth = 2 }}\nsequence = {{ from = {from} }}\n");
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
        let experiment = Experiment::parse(&text, &file, &[]).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(describe_items(&experiment, &experiment.suite.items), expected);
    }
}
