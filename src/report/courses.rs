//! The figures of a match: Elo, Elo by the size of the table, the courses of the tests.

use super::figure::{Figure, Plot};
use super::svg::forest::{Forest, Row};
use super::svg::lines::Lines;
use crate::analysis::Frame;
use crate::analysis::questions::curves::{LINES, Point, Series};
use crate::analysis::questions::match_test::Elo;
use crate::analysis::questions::matches::{Encounter, Matches};
use crate::analysis::rows::axes;
use crate::record::columns;

/// The two players, as a page names them.
pub(super) fn name(one: &Encounter, all: &Matches) -> String {
    if all.common_opponent().is_some() {
        one.player.clone()
    } else {
        format!("{} against {}", one.player, one.opponent)
    }
}

/// Elo of each encounter.
pub(super) fn forest(all: &Matches) -> Figure {
    let rows = all.encounters.iter().map(|one| {
        let Elo { elo, low, high } = one.elo();
        Row { name: name(one, all), mean: elo, low, high, clear: one.stronger.is_some() }
    });
    let x = match all.common_opponent() {
        Some(only) => format!("Elo against {only}"),
        None => "Elo of the first player".to_owned(),
    };
    Figure {
        file: "elo".to_owned(),
        title: "Elo".to_owned(),
        caption: "Each with its own 95 % interval. Blue: clearly weaker, orange: clearly stronger, grey: no difference shown, after correction \
                  for the number of encounters."
            .to_owned(),
        plot: Plot::Forest(Forest { rows: rows.collect(), x, differences: true }),
    }
}

/// Elo by the size of the table, where sizes vary and all met one opponent: a line for each player otherwise alike.
pub(super) fn by_size(all: &Matches, rows: &Frame) -> Option<Figure> {
    let opponent = all.common_opponent()?;
    let (grid, axes) = axes::axes(rows, &[]);
    let axis = axes.iter().find(|axis| axis.path == "table.size" && axis.is_numeric())?;
    let variants = grid.coded(columns::VARIANT);
    let mut series: Vec<Series> = Vec::new();
    for one in &all.encounters {
        let Some(row) = (0..grid.rows()).find(|&row| variants.at(row) == one.player) else { continue };
        let values = |axis: &axes::Axis| {
            axis.columns.iter().map(|column| grid.text(column, row).into_owned()).collect::<Vec<_>>()
        };
        let level = |axis: &axes::Axis| axis.level(&values(axis)).map(|at| axis.levels[at].clone());
        let Some(x) = level(axis).and_then(|level| level.number) else { continue };
        let others = axes.iter().filter(|other| other.path != axis.path);
        let name = others.filter_map(|other| Some(level(other)?.label)).collect::<Vec<_>>().join(", ");
        let Elo { elo, low, high } = one.elo();
        let point = Point { x, y: elo, low, high, label: one.player.clone() };
        match series.iter_mut().find(|known| known.name == name) {
            Some(known) => known.points.push(point),
            None => series.push(Series { name, line: None, points: vec![point] }),
        }
    }
    series.iter_mut().for_each(|one| one.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
    if series.is_empty() || series.iter().all(|one| one.points.len() < 2) {
        return None;
    }
    let ticks = axis.levels.iter().filter_map(|level| Some((level.number?, level.label.clone())));
    Some(Figure {
        file: "elo-by-size".to_owned(),
        title: "Elo by table size".to_owned(),
        caption: format!("Elo against {opponent}, by the size of the player's table."),
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

/// The courses of the tests: those with the greatest ratios, up or down.
pub(super) fn courses(all: &Matches) -> Option<Figure> {
    let last = |one: &&Encounter| one.course.last().map_or(0.0, |point| point.1.abs());
    let mut shown: Vec<&Encounter> = all.encounters.iter().filter(|one| one.course.len() > 2).collect();
    shown.sort_by(|a, b| last(b).total_cmp(&last(a)));
    shown.truncate(LINES - 2);
    let longest = shown.iter().filter_map(|one| Some(one.course.last()?.0)).max()? as f64;
    let plain = |x: f64, y: f64| Point { x, y, low: f64::NAN, high: f64::NAN, label: String::new() };
    let mut series: Vec<Series> = shown
        .iter()
        .map(|one| Series {
            name: name(one, all),
            line: None,
            points: one.course.iter().map(|&(at, llr)| plain(at as f64, llr)).collect(),
        })
        .collect();
    let (lower, upper) = all.bounds.limits();
    for (name, bound) in [("H1 is taken", upper), ("H0 is taken", lower)] {
        series.push(Series {
            name: name.to_owned(),
            line: None,
            points: vec![plain(0.0, bound), plain(longest, bound)],
        });
    }
    let some = if shown.len() < all.encounters.len() {
        format!(" {} of {} shown: those that went furthest.", shown.len(), all.encounters.len())
    } else {
        String::new()
    };
    Some(Figure {
        file: "llr".to_owned(),
        title: "Courses of the tests".to_owned(),
        caption: format!(
            "Log-likelihood ratio of {} against {} normalized Elo after each pair, in the plan's order; what follows a bound's first \
             crossing changes nothing.{some}",
            all.test.elo1, all.test.elo0
        ),
        plot: Plot::Lines(Lines { series, x: "pairs of games".to_owned(), y: "LLR".to_owned(), ..Lines::default() }),
    })
}
