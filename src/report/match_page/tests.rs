//! Tests the page of a match on encounters made by hand.

use super::super::sheet::assert_drop_orders_distinct;
use super::*;
use crate::experiment::matches::Test;
use crate::stats::gsprt::Pentanomial;

#[test]
fn too_few_failed_and_repeated_pairs_are_warned_of() {
    let warnings_for = |pairs: [u64; 2], failed: u64, repeated: [u64; 2]| {
        let make_encounter = |index: usize| Encounter {
            pairs: Pentanomial([0, 0, pairs[index], 0, 0]),
            repeated: repeated[index],
            ..Encounter::default()
        };
        let test = Test::default();
        match_warnings(&Matches {
            encounters: vec![make_encounter(0), make_encounter(1)],
            failed,
            handicaps: Vec::new(),
            test,
            bounds: test.bounds(2),
        })
    };
    let too_few = "an encounter has only 29 pairs: intervals and p treat the mean as normally distributed, which needs about 30 pairs";
    let no_warnings: [&str; 0] = [];
    assert_eq!(warnings_for([30, 30], 0, [0, 0]), no_warnings);
    assert_eq!(warnings_for([30, 29], 0, [0, 0]), [too_few]);
    assert_eq!(warnings_for([29, 500], 0, [0, 0]), [too_few]);
    assert_eq!(
        warnings_for([40, 50], 2, [0, 0]),
        ["2 pairs could not be played and are left out: see the error column"]
    );
    assert!(warnings_for([40, 50], 0, [0, 1])[0].starts_with("1 of 90 pairs have a game"));
    let repeated_twice = warnings_for([40, 50], 0, [1, 3]);
    assert_eq!(repeated_twice.len(), 1, "{repeated_twice:?}");
    assert!(
        repeated_twice[0].starts_with("4 of 90 pairs have a game that repeats a game of an earlier pair move for move"),
        "{repeated_twice:?}"
    );
}

/// Five pairs may all have the same sign by chance; six pairs are enough for an interval.
#[test]
fn encounter_of_five_pairs_has_no_interval() {
    let lacks_interval = |pairs: u64| {
        let encounters = vec![Encounter { pairs: Pentanomial([0, 0, pairs, 0, 0]), ..Encounter::default() }];
        let test = Test::default();
        let matches = Matches { encounters, handicaps: Vec::new(), failed: 0, test, bounds: test.bounds(1) };
        let table = encounters_table(&matches);
        let column_index = |key: &str| table.columns.iter().position(|column| column.key == key).unwrap();
        table.rows[0][column_index("interval")] == Cell::empty("too few pairs")
    };
    assert_eq!((lacks_interval(1), lacks_interval(5), lacks_interval(6)), (true, true, false));
}

#[test]
fn single_encounter_has_no_correction() {
    for (has_several, expected) in [(false, "two-sided"), (true, "two-sided, Holm-corrected")] {
        let encounters =
            (0..1 + usize::from(has_several)).map(|index| encounter(&format!("p{index}"), "x", AHEAD)).collect();
        let table = encounters_table(&matches_of(encounters, false));
        let meaning_of =
            |key: &str| table.columns.iter().find(|column| column.key == key).map(|column| column.meaning.clone());
        assert_eq!(meaning_of("p").as_deref(), Some(expected));
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    }
}

/// A match of the given encounters; `stop`: a test may stop each encounter.
fn matches_of(encounters: Vec<Encounter>, stop: bool) -> Matches {
    let test = Test { alpha: 0.06, beta: 0.12, stop, ..Test::default() };
    Matches { bounds: test.bounds(encounters.len()), encounters, handicaps: Vec::new(), failed: 0, test }
}

fn encounter(player: &str, opponent: &str, pairs: [u64; 5]) -> Encounter {
    Encounter {
        player: player.to_owned(),
        opponent: opponent.to_owned(),
        pairs: Pentanomial(pairs),
        ..Encounter::default()
    }
}

/// Ten of twenty pairs are drawn and ten are won by a point. The score is 5/8, which is
/// 400 log10 (5/3) = 88.7 Elo.
const AHEAD: [u64; 5] = [0, 0, 10, 10, 0];

#[test]
fn findings_name_up_to_six_encounters() {
    let level_encounter = |player: &str| encounter(player, "x", [0, 0, 20, 0, 0]);
    let ahead = Encounter {
        stronger: Some(Ordering::Greater),
        test_decision: Some((TestState::H1, 1500)),
        ..encounter("up", "x", AHEAD)
    };
    let behind = Encounter {
        stronger: Some(Ordering::Less),
        test_decision: Some((TestState::H0, 9)),
        ..encounter("down", "x", [0, 10, 10, 0, 0])
    };
    let six_encounters = [
        ahead.clone(),
        behind.clone(),
        level_encounter("c"),
        level_encounter("d"),
        level_encounter("e"),
        level_encounter("f"),
    ]
    .to_vec();
    let sentences = findings(&matches_of(six_encounters.clone(), false));
    let ends: Vec<&str> = sentences.iter().map(|text| text.split(" over ").last().unwrap()).collect();
    let level = "20 pairs of games; no difference is shown.";
    let clearly = |word: &str| format!("20 pairs of games; the first is clearly the {word}.");
    assert_eq!(ends, [&clearly("stronger"), &clearly("weaker"), level, level, level, level]);
    assert!(sentences[0].starts_with("\"up\" against \"x\": +88.7 Elo ["), "{sentences:?}");
    for (decided, words) in [(TestState::H0, "its test accepts H0."), (TestState::H1, "its test accepts H1.")] {
        let encounter = Encounter { test_decision: Some((decided, 3)), ..level_encounter("g") };
        assert!(findings(&matches_of(vec![encounter], false))[0].ends_with(words), "{words}");
    }
    let sentences = findings(&matches_of([&six_encounters[..], &[level_encounter("g")]].concat(), true));
    let starts: Vec<&str> = sentences.iter().map(|text| text.split(['[', ';']).next().unwrap()).collect();
    assert_eq!(
        starts,
        [
            "\"up\" against \"x\": +88.7 Elo ",
            "\"down\" against \"x\": -88.7 Elo ",
            "Of 7 encounters 1 are clearly won and 1 clearly lost by the first player, after correction for their number"
        ]
    );
    let sentences = findings(&matches_of(vec![level_encounter("c")], true));
    assert!(sentences[0].ends_with("pairs of games; its test has not ended."), "{sentences:?}");
}

#[test]
fn warnings_name_the_first_encounters() {
    let identical_warnings = |number: usize| {
        let make_copy =
            |index: usize| Encounter { same_as: Some(0), ..encounter(&format!("p{index}"), "x", [0, 0, 40, 0, 0]) };
        let list = std::iter::once(encounter("p0", "x", [0, 0, 40, 0, 0])).chain((1..=number).map(make_copy));
        match_warnings(&matches_of(list.collect(), false))
    };
    assert_eq!(identical_warnings(0), Vec::<String>::new());
    assert_eq!(
        identical_warnings(2),
        [
            "these encounters have the same games, move for move, and are one finding: \"p1\" as \"p0\"; \"p2\" as \"p0\""
        ]
    );
    assert!(identical_warnings(6)[0].ends_with("\"p6\" as \"p0\""), "{:?}", identical_warnings(6));
    assert!(identical_warnings(8)[0].ends_with("\"p6\" as \"p0\" and 2 more"), "{:?}", identical_warnings(8));
    let mirrored_warnings = |counts: &[u64]| {
        let list = counts.iter().enumerate();
        let list = list
            .map(|(index, &mirrored)| Encounter { mirrored, ..encounter(&format!("p{index}"), "x", [0, 0, 40, 0, 0]) });
        match_warnings(&matches_of(list.collect(), false))
    };
    assert_eq!(mirrored_warnings(&[39, 0]), Vec::<String>::new());
    assert_eq!(
        mirrored_warnings(&[40, 39, 40]),
        ["in these encounters both players made the same moves in every pair, as one player would: \"p0\", \"p2\""]
    );
    let blind_warning = |counts: &[u64]| {
        let list = counts.iter().enumerate();
        let list = list.map(|(index, &blind_moves)| Encounter {
            blind_moves,
            ..encounter(&format!("p{index}"), "x", [0, 0, 40, 0, 0])
        });
        match_warnings(&matches_of(list.collect(), false)).pop().unwrap_or_default()
    };
    assert!(blind_warning(&[0, 1]).contains("in 1 encounter "));
    assert!(blind_warning(&[0, 1]).contains("(most often in \"p1\": 1 move)"));
    assert!(blind_warning(&[3, 0, 9, 4]).contains("in 3 encounters"));
    assert!(blind_warning(&[3, 0, 9, 4]).contains("(most often in \"p2\": 9 moves)"));
    assert_eq!(blind_warning(&[0, 0]), "");
}

#[test]
fn encounter_rows_have_their_fields() {
    let first = Encounter {
        games: [18, 14, 8],
        stronger: Some(Ordering::Greater),
        llr: -1.25,
        p: 0.01,
        corrected_p: 0.02,
        white_points: 24.0,
        mirrored: 3,
        plies: 81.0,
        depth: 5.5,
        nodes: [1000.0, 2000.0],
        ..encounter("up", "x", AHEAD)
    };
    let second = Encounter {
        stronger: Some(Ordering::Less),
        corrected_p: f64::NAN,
        games: [0, 2, 0],
        ..encounter("down", "y", [0, 0, 1, 0, 0])
    };
    let cell_text = |table: &SheetTable, row: usize, key: &str| -> Option<String> {
        let index = table.columns.iter().position(|column| column.key == key)?;
        assert_eq!(table.columns.len(), table.rows[row].len());
        Some(table.rows[row][index].text.clone())
    };
    let matches = matches_of(vec![first, second], false);
    let table = encounters_table(&matches);
    assert_drop_orders_distinct(&table);
    for (row, key, expected) in [
        (0, "pairs", "20"),
        (0, "elo", "+88.7"),
        // 18 of 40 games are won and 14 are drawn.
        (0, "score", "62.5 %"),
        (0, "wdl", "18/14/8"),
        (0, "ptnml", "0, 0, 10, 10, 0"),
        (0, "llr", "-1.25"),
        (0, "p", "0.020"),
        (1, "interval", "-"),
        (1, "p", "-"),
        (1, "llr", "+0.00"),
        (1, "test", "open"),
    ] {
        assert_eq!(cell_text(&table, row, key).as_deref(), Some(expected), "{row} {key}");
    }
    assert_eq!(table.columns[2].key, "test", "behind the names");
    assert_eq!([0, 1].map(|row| table.rows[row][4].emphasis), [Emphasis::Better, Emphasis::Worse]);
    let counts = pairs_table(&matches);
    let line: Vec<&str> = counts.rows[0].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(line.join(" "), "up against x 3 60.0 % 40.5 5.50 1,000 2,000", "24 of 40 points are White's");
}
