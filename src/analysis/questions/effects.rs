//! What each axis of a grid does by itself, and where two of them do together what neither does alone.

use crate::analysis::pairing::ratio::Ratio;
use crate::analysis::pairing::searches::{Cell, Reference, Searches};
use crate::analysis::pairing::stats::holm;
use crate::analysis::rows::axes::Axis;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::Metric;
use crate::record::columns;
use std::collections::HashMap;

/// More pairs of levels than this are not looked at: nobody reads so many.
const MOST: usize = 2000;

/// A level of an axis against the axis's reference level, paired by position and by all other axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// Place of the axis.
    pub axis: usize,
    /// Place of the level; the reference level has a ratio of 1 and no interval.
    pub level: usize,
    /// How it compares.
    pub ratio: Ratio,
    /// p corrected over all effects of the grid (Holm).
    pub p: f64,
}

/// Two levels of two axes together: by what factor their effects differ from the product of each alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// Axis and level.
    pub first: (usize, usize),
    /// The other axis and level.
    pub second: (usize, usize),
    /// 1 where the effects multiply.
    pub ratio: Ratio,
    /// p corrected over all interactions of the grid (Holm).
    pub p: f64,
}

/// The level that the others of an axis are held against: the baseline variant's, else the first.
#[must_use]
pub fn references(grid: &Frame, axes: &[Axis], baseline: Option<&str>) -> Vec<usize> {
    let variants = grid.coded(columns::VARIANT);
    let row = (0..grid.rows()).find(|&row| Some(variants.at(row)) == baseline);
    axes.iter()
        .map(|axis| {
            let values = row
                .map(|row| axis.columns.iter().map(|column| grid.text(column, row).into_owned()).collect::<Vec<_>>());
            values.and_then(|values| axis.level(&values)).unwrap_or(0)
        })
        .collect()
}

/// The cells of each level of some axes together.
struct Levels {
    grouping: Grouping,
    cells: Vec<Vec<Cell>>,
}

impl Levels {
    fn new(grid: &Frame, axes: &[&Axis], metric: &Metric) -> Self {
        let by: Vec<String> = axes.iter().flat_map(|axis| axis.columns.iter().cloned()).collect();
        let grouping = Grouping::new(grid, &by);
        let columns: Vec<String> = metric.columns().into_iter().map(str::to_owned).collect();
        let searches = Searches::gather(grid, &grouping, &columns);
        let cells = searches.cells(metric, grid);
        Self { grouping, cells }
    }

    fn of(&self, values: &[&[String]]) -> Option<&Vec<Cell>> {
        let wanted = values.concat();
        self.grouping.values.iter().position(|values| *values == wanted).map(|at| &self.cells[at])
    }
}

/// The main effects of all axes.
#[must_use]
pub fn effects(grid: &Frame, axes: &[Axis], references: &[usize], metric: &Metric) -> Vec<Effect> {
    let mut effects = Vec::new();
    for (at, (axis, &reference)) in axes.iter().zip(references).enumerate() {
        let levels = Levels::new(grid, &[axis], metric);
        let Some(base) = levels.of(&[&axis.levels[reference].values]) else { continue };
        let base = Reference::new(base, &levels.grouping);
        let known = axis.levels.iter().enumerate();
        let known: Vec<(usize, Vec<(u32, f64)>)> = known
            .filter_map(|(level, wanted)| Some((level, levels.of(&[&wanted.values])?)))
            .map(|(level, cells)| (level, if level == reference { Vec::new() } else { base.logs(cells) }))
            .collect();
        let (places, samples): (Vec<usize>, Vec<_>) = known.into_iter().unzip();
        for (level, ratio) in places.into_iter().zip(Ratio::of_each(&samples)) {
            let ratio = match level == reference {
                true => Ratio { mean: 1.0, low: f64::NAN, high: f64::NAN, p: f64::NAN, ..Ratio::default() },
                false => ratio,
            };
            effects.push(Effect { axis: at, level, ratio, p: f64::NAN });
        }
    }
    let corrected = holm(&effects.iter().map(|effect| effect.ratio.p).collect::<Vec<_>>());
    effects.iter_mut().zip(corrected).for_each(|(effect, p)| effect.p = p);
    effects
}

/// The interactions of every two axes; empty where there are more than anybody would read.
#[must_use]
pub fn interactions(grid: &Frame, axes: &[Axis], references: &[usize], metric: &Metric) -> Vec<Interaction> {
    let pairs: Vec<(usize, usize)> = (0..axes.len()).flat_map(|a| (a + 1..axes.len()).map(move |b| (a, b))).collect();
    let number: usize = pairs.iter().map(|&(a, b)| (axes[a].levels.len() - 1) * (axes[b].levels.len() - 1)).sum();
    if number > MOST {
        return Vec::new();
    }
    let mut interactions = Vec::new();
    for (a, b) in pairs {
        let levels = Levels::new(grid, &[&axes[a], &axes[b]], metric);
        let logs = |level_a: usize, level_b: usize| -> HashMap<(u32, u32), (u32, f64)> {
            let cells = levels.of(&[&axes[a].levels[level_a].values, &axes[b].levels[level_b].values]);
            let cells = cells.map(Vec::as_slice).unwrap_or_default();
            let positive = cells.iter().filter(|cell| cell.value > 0.0);
            positive.map(|cell| ((cell.block, cell.unit), (cell.cluster, cell.value.ln()))).collect()
        };
        let (base_a, base_b) = (references[a], references[b]);
        let base = logs(base_a, base_b);
        for level_a in (0..axes[a].levels.len()).filter(|level| *level != base_a) {
            let alone_a = logs(level_a, base_b);
            for level_b in (0..axes[b].levels.len()).filter(|level| *level != base_b) {
                let (alone_b, both) = (logs(base_a, level_b), logs(level_a, level_b));
                let mut differences: Vec<(u32, u32, u32, f64)> = both
                    .iter()
                    .filter_map(|(key, (cluster, both))| {
                        let apart = alone_a.get(key)?.1 + alone_b.get(key)?.1 - base.get(key)?.1;
                        Some((key.0, key.1, *cluster, both - apart))
                    })
                    .collect();
                if differences.is_empty() {
                    continue;
                }
                // A hash map's order is not the same twice; sums of floats depend on it.
                differences.sort_by_key(|difference| (difference.0, difference.1));
                let differences: Vec<(u32, f64)> = differences.into_iter().map(|(_, _, c, log)| (c, log)).collect();
                let ratio = Ratio::of(&differences);
                interactions.push(Interaction { first: (a, level_a), second: (b, level_b), ratio, p: f64::NAN });
            }
        }
    }
    let corrected = holm(&interactions.iter().map(|interaction| interaction.ratio.p).collect::<Vec<_>>());
    interactions.iter_mut().zip(corrected).for_each(|(interaction, p)| interaction.p = p);
    interactions
}
