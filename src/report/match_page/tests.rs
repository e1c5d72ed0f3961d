//! The page of a match, for encounters made by hand: `tests/golden/pages/match.txt` has the
//! findings, the warnings and the tables of each case.

use super::super::sheet::{assert_drop_orders_distinct, describe};
use super::*;
use crate::experiment::matches::Test;
use crate::golden::assert_golden;
use crate::stats::gsprt::Pentanomial;

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

/// Encounters in which the number of some kind of pair is `counts`.
fn counted(counts: &[u64], edit: fn(&mut Encounter, u64)) -> Matches {
    let make_encounter = |(index, &count): (usize, &u64)| {
        let mut encounter = encounter(&format!("p{index}"), "x", [0, 0, 40, 0, 0]);
        edit(&mut encounter, count);
        encounter
    };
    matches_of(counts.iter().enumerate().map(make_encounter).collect(), false)
}

/// Matches by the name of what they show.
fn cases() -> Vec<(String, Matches)> {
    let level = |player: &str| encounter(player, "x", [0, 0, 20, 0, 0]);
    let decided = |state: TestState| Encounter { test_decision: Some((state, 3)), ..level("g") };
    let up = Encounter {
        games: [18, 14, 8],
        stronger: Some(Ordering::Greater),
        test_decision: Some((TestState::H1, 1500)),
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
    let down = Encounter {
        games: [0, 2, 0],
        stronger: Some(Ordering::Less),
        test_decision: Some((TestState::H0, 9)),
        corrected_p: f64::NAN,
        ..encounter("down", "y", [0, 10, 10, 0, 0])
    };
    let six = [vec![up, down], ["c", "d", "e", "f"].map(level).to_vec()].concat();
    let seven = [&six[..], &[decided(TestState::H0)]].concat();
    let set_pairs = |encounter: &mut Encounter, pairs: u64| encounter.pairs = Pentanomial([0, 0, pairs, 0, 0]);
    let copies = |number: u64| {
        let counts: Vec<u64> = (0..=number).collect();
        counted(&counts, |encounter, index| encounter.same_as = (index > 0).then_some(0))
    };
    let mut cases = vec![
        ("six encounters".to_owned(), matches_of(six, false)),
        ("seven encounters that a test may stop".to_owned(), matches_of(seven, true)),
        ("one encounter that a test may stop".to_owned(), matches_of(vec![level("c")], true)),
        ("one encounter".to_owned(), matches_of(vec![level("c")], false)),
        ("two encounters".to_owned(), matches_of(vec![level("c"), level("d")], false)),
        ("decided: H0".to_owned(), matches_of(vec![decided(TestState::H0)], false)),
        ("decided: H1".to_owned(), matches_of(vec![decided(TestState::H1)], false)),
        ("pairs that failed".to_owned(), Matches { failed: 2, ..counted(&[40, 50], set_pairs) }),
    ];
    // Both sides of each limit: five pairs may all have the same sign by chance, and about 30 are
    // needed for a normal distribution.
    for pairs in [[1, 30], [5, 30], [6, 30], [30, 30], [30, 29], [29, 500]] {
        cases.push((format!("{pairs:?} pairs"), counted(&pairs, set_pairs)));
    }
    for repeated in [[0, 1], [1, 3]] {
        cases.push((format!("{repeated:?} repeated pairs"), counted(&repeated, |it, count| it.repeated = count)));
    }
    for mirrored in [&[39, 0][..], &[40, 39, 40]] {
        cases.push((format!("{mirrored:?} mirrored pairs"), counted(mirrored, |it, count| it.mirrored = count)));
    }
    for blind in [&[0, 0][..], &[0, 1], &[3, 0, 9, 4]] {
        cases.push((format!("{blind:?} blind moves"), counted(blind, |it, count| it.blind_moves = count)));
    }
    let as_strong = |nodes, low, high| Encounter {
        equal_nodes: Some(EqualNodes { nodes, low, high }),
        ..encounter("v", "x", AHEAD)
    };
    let inside =
        [as_strong(0.8, 0.5, f64::INFINITY), as_strong(0.0, 0.0, 0.25), as_strong(f64::INFINITY, 1.5, f64::INFINITY)];
    let handicaps = [0.5, 8.0].map(|divisor| (divisor, level("copy"))).to_vec();
    cases.push(("strength in nodes".to_owned(), Matches { handicaps, ..matches_of(inside.to_vec(), false) }));
    cases.extend([0, 2, 6, 8].map(|number| (format!("{number} copies of an encounter"), copies(number))));
    cases
}

#[test]
fn matches_equal_their_golden_file() {
    let mut text = String::new();
    for (name, matches) in cases() {
        text += &format!("=== {name}\n");
        findings(&matches).iter().for_each(|finding| text += &format!("- {finding}\n"));
        match_warnings(&matches).iter().for_each(|warning| text += &format!("! {warning}\n"));
        text += &describe(&encounters_table(&matches));
        if name.starts_with("s") {
            text += &describe(&pairs_table(&matches));
            handicaps_table(&matches).iter().for_each(|table| text += &describe(table));
        }
        let table = encounters_table(&matches);
        assert_drop_orders_distinct(&table);
        let meaning = table.columns.iter().find(|column| column.key == "p").map(|column| column.meaning.clone());
        text += &format!("  p: {}\n", meaning.unwrap_or_default());
    }
    assert_golden("pages/match.txt", &text);
}
