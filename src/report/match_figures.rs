//! The figure of a match: Elo.

use super::figure::{Figure, Plot};
use super::svg::forest::{Forest, ForestRow};
use crate::analysis::questions::match_test::Elo;
use crate::analysis::questions::matches::{Encounter, Matches};
use crate::analysis::rows::metric::Better;

/// The opponent's name is left out if all encounters have the same opponent.
pub(super) fn encounter_name(encounter: &Encounter, matches: &Matches) -> String {
    match matches.common_opponent() {
        Some(_) => encounter.player.clone(),
        None => format!("{} against {}", encounter.player, encounter.opponent),
    }
}

pub(super) fn elo_figure(matches: &Matches) -> Figure {
    let rows = matches.encounters.iter().map(|encounter| {
        let Elo { elo, low, high } = encounter.pairs.elo();
        ForestRow {
            name: encounter_name(encounter, matches),
            mean: elo,
            low,
            high,
            significant: encounter.stronger.is_some(),
        }
    });
    let (player, x) = match matches.common_opponent() {
        Some(opponent) => ("the player", format!("Elo against {opponent}")),
        None => ("the first player", "Elo of the first player".to_owned()),
    };
    let remark = match matches.encounters.len() {
        0 | 1 => "",
        _ => " Colours show verdicts that are corrected for the number of encounters.",
    };
    Figure {
        file: "elo".to_owned(),
        title: "Elo".to_owned(),
        caption: format!(
            "Elo with its 95 % interval: above 0 {player} is stronger. If the interval contains 0, \
             neither is known to be stronger.{remark}"
        ),
        plot: Plot::Forest(Forest { rows: rows.collect(), x, differences: true, better: Better::More }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::matches::Test;
    use crate::stats::gsprt::{Pentanomial, TestState};
    use std::cmp::Ordering;

    fn matches_of(encounters: Vec<Encounter>) -> Matches {
        let test = Test { alpha: 0.05, beta: 0.1, ..Test::default() };
        Matches { encounters, handicaps: Vec::new(), failed: 0, test, bounds: test.bounds(1) }
    }

    fn encounter(player: &str, opponent: &str) -> Encounter {
        let pairs = Pentanomial([0, 0, 10, 10, 0]);
        Encounter { player: player.to_owned(), opponent: opponent.to_owned(), pairs, ..Encounter::default() }
    }

    #[test]
    fn elo_figure_names_opponents_only_if_they_differ() {
        let axis_and_rows = |encounters: Vec<Encounter>| {
            let Plot::Forest(forest) = elo_figure(&matches_of(encounters)).plot else { panic!("no forest") };
            assert!(forest.differences, "Elo is about 0");
            (forest.x, forest.rows.into_iter().map(|row| (row.name, row.significant)).collect::<Vec<_>>())
        };
        let decided = Encounter { test_decision: Some((TestState::H0, 3)), ..encounter("a", "x") };
        let significant = Encounter { stronger: Some(Ordering::Less), ..encounter("b", "x") };
        let (x, row_list) = axis_and_rows(vec![decided.clone(), significant.clone()]);
        assert_eq!((x.as_str(), row_list), ("Elo against x", vec![("a".to_owned(), false), ("b".to_owned(), true)]));
        let (x, row_list) = axis_and_rows(vec![decided, Encounter { opponent: "y".to_owned(), ..significant }]);
        assert_eq!(x, "Elo of the first player");
        assert_eq!(row_list, [("a against x".to_owned(), false), ("b against y".to_owned(), true)]);
    }
}
