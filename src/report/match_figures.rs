//! The figures of a match: Elo, and Elo by table size.

use super::figure::{Figure, Plot};
use super::svg::forest::{Forest, ForestRow};
use super::svg::lines::Lines;
use crate::analysis::Frame;
use crate::analysis::questions::curves::{CurvePoint, Series};
use crate::analysis::questions::match_test::Elo;
use crate::analysis::questions::matches::{Encounter, Matches};
use crate::analysis::rows::axes::{self, Axis};
use crate::analysis::rows::metric::Better;
use crate::record::columns;

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

/// Each combination of the other options is a series.
pub(super) fn elo_by_size(matches: &Matches, rows: &Frame) -> Option<Figure> {
    let opponent = matches.common_opponent()?;
    let (grid_rows, axes) = axes::find_axes(rows, &[]);
    let size_axis = axes.iter().find(|axis| axis.path == "table.size" && axis.is_numeric())?;
    let variants = grid_rows.text_column(columns::VARIANT);
    let mut series: Vec<Series> = Vec::new();
    for encounter in &matches.encounters {
        let Some(row) = (0..grid_rows.rows()).find(|&row| variants.text(row) == encounter.player) else { continue };
        let level_on = |axis: &Axis| Some(axis.levels[axis.row_level(&grid_rows, row)?].clone());
        let Some(x) = level_on(size_axis).and_then(|level| level.number) else { continue };
        let other_axes = axes.iter().filter(|axis| axis.path != size_axis.path);
        let other_labels = other_axes.filter_map(level_on).map(|level| level.label);
        let name = other_labels.collect::<Vec<_>>().join(", ");
        let Elo { elo, low, high } = encounter.pairs.elo();
        let point = CurvePoint { x, y: elo, low, high, label: encounter.player.clone() };
        match series.iter_mut().find(|existing| existing.name == name) {
            Some(existing) => existing.points.push(point),
            None => series.push(Series { name, line: None, points: vec![point] }),
        }
    }
    series.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
    if series.iter().all(|line| line.points.len() < 2) {
        return None;
    }
    let ticks = size_axis.levels.iter().filter_map(|level| Some((level.number?, level.label.clone())));
    Some(Figure {
        file: "elo-by-size".to_owned(),
        title: "Elo by table size".to_owned(),
        caption: format!(
            "Elo against {opponent}, by the size of the player's table: where a line levels off, more memory makes the player no stronger."
        ),
        plot: Plot::Lines(Lines {
            x_ticks: ticks.collect(),
            series,
            x: "table size".to_owned(),
            y: "Elo".to_owned(),
            x_log: true,
            ..Lines::default()
        }),
    })
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

    #[test]
    fn elo_by_size_groups_by_the_other_options() {
        let describe_series = |players: &[(&str, &str, u32)]| {
            let mut rows = "variant,position,depth,search.nodes,table.size,table.slots\n".to_owned();
            players.iter().for_each(|(name, size, slots)| rows += &format!("{name},p,1,9,{size},{slots}\n"));
            let frame = Frame::parse(rows.as_bytes(), "t").unwrap();
            let encounters = players.iter().map(|(name, ..)| encounter(name, "x")).collect();
            elo_by_size(&matches_of(encounters), &frame).map(|figure| {
                let Plot::Lines(lines) = figure.plot else { panic!("no lines") };
                // Elo has a linear axis; table sizes have a logarithmic axis with ticks in
                // ascending order.
                assert_eq!([lines.x_log, lines.y_log, lines.ratio, lines.share], [true, false, false, false]);
                assert_eq!(lines.x_ticks.iter().map(|tick| tick.1.as_str()).collect::<Vec<_>>(), ["64 KiB", "1 MiB"]);
                let describe_line = |line: &Series| {
                    let labels: Vec<&str> = line.points.iter().map(|point| point.label.as_str()).collect();
                    format!("{}: {}", line.name, labels.join(" "))
                };
                lines.series.iter().map(describe_line).collect::<Vec<_>>()
            })
        };
        let (a, b, c, d) = (("a", "1 MiB", 1), ("b", "64 KiB", 1), ("c", "64 KiB", 2), ("d", "1 MiB", 2));
        assert_eq!(describe_series(&[a, b, c, d]), Some(vec!["1: b a".to_owned(), "2: c d".to_owned()]));
        assert_eq!(describe_series(&[a, b, c]), Some(vec!["1: b a".to_owned(), "2: c".to_owned()]));
        assert_eq!(describe_series(&[a, c]), None, "size and slots vary together");
        assert_eq!(describe_series(&[a, c, ("e", "64 KiB", 3)]), None, "single points");
        assert_eq!(describe_series(&[b, c]), None);
    }
}
