//! Computes the main effects of the axes of a grid.

use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::pairs::{BaseSearches, Logs};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::axes::Axis;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::Metric;
use crate::record::columns;
use crate::stats::ratio::{Family, JudgedRatio, Ratio};

/// The effect of a level of an axis, compared with the axis's reference level. Searches are paired
/// by position and by the levels of all other axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    pub axis: usize,
    pub level: usize,
    /// The ratio to the reference level, tested together with all effects of the grid. The
    /// reference level itself has a ratio of 1 and no interval.
    pub judged: JudgedRatio,
}

/// The index of each axis's reference level. This is the level of the baseline variant, or the
/// first level if there is no such variant.
pub fn reference_levels(grid: &Frame, axes: &[Axis], baseline: Option<&str>) -> Vec<usize> {
    let variants = grid.text_column(columns::VARIANT);
    let baseline_row = (0..grid.rows()).find(|&row| Some(variants.text(row)) == baseline);
    axes.iter().map(|axis| baseline_row.and_then(|row| axis.row_level(grid, row)).unwrap_or(0)).collect()
}

/// The effect is the level's mean ratio to the reference level of the axis. `references` contains
/// the index of each axis's reference level.
pub fn main_effects(grid: &Frame, axes: &[Axis], references: &[usize], metric: &Metric) -> Vec<Effect> {
    // The indices of axis and level, and the level's log ratios to the reference level.
    let mut samples_by_level: Vec<((usize, usize), Logs)> = Vec::new();
    for (axis_index, (axis, &reference)) in axes.iter().zip(references).enumerate() {
        let grouping = Grouping::new(grid, &axis.columns);
        let searches = Searches::gather(grid, &grouping);
        let reader = MetricReader::new(&searches, metric, grid);
        let Some(base_group) = grouping.find(&axis.levels[reference].values) else { continue };
        let base = BaseSearches::new(&reader, &grouping, base_group);
        for (level_index, level) in axis.levels.iter().enumerate() {
            let Some(group) = grouping.find(&level.values) else { continue };
            let logs = if level_index == reference { Vec::new() } else { base.pairs(group).logs() };
            samples_by_level.push(((axis_index, level_index), logs));
        }
    }
    // The levels of all axes are measured on the same positions, so they are tested together.
    let (level_indices, samples): (Vec<_>, Vec<_>) = samples_by_level.into_iter().unzip();
    let to_effect = |((axis, level), judged): ((usize, usize), JudgedRatio)| {
        let ratio = if level == references[axis] { Ratio::identity(0) } else { judged.ratio };
        Effect { axis, level, judged: JudgedRatio { ratio, ..judged } }
    };
    level_indices.into_iter().zip(Family::from_samples(&samples).lines).map(to_effect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::analysis::rows::axes;

    /// A variant with a = 1 needs 100 nodes; a = 2 needs twice as many and a = 4 eight times as
    /// many; b = y halves them. But a = 4 with b = y needs three times as many nodes as the product
    /// of these effects. Effects are relative to the levels of the baseline variant.
    #[test]
    fn levels_are_compared_with_the_baseline_variants() {
        let mut text = "variant,position,depth,search.nodes,a,b\n".to_owned();
        for (a, times) in [(1, 1.0), (2, 2.0), (4, 8.0)] {
            for (b, share) in [("x", 1.0), ("y", 0.5)] {
                for position in 1..=3 {
                    let joint = if (a, b) == (4, "y") { 3.0 } else { 1.0 };
                    text += &format!(
                        "{a}{b},p{position},1,{},{a},{b}\n",
                        100.0 * f64::from(position) * times * share * joint
                    );
                }
            }
        }
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let (grid, axes) = axes::find_axes(&frame);
        let summarize = |baseline: Option<&str>| {
            let references = reference_levels(&grid, &axes, baseline);
            let round = |mean: f64| (1000.0 * mean).round() / 1000.0;
            let effects = main_effects(&grid, &axes, &references, &Metric::nodes());
            let effects: Vec<_> =
                effects.iter().map(|effect| (effect.axis, effect.level, round(effect.judged.ratio.mean))).collect();
            (references, effects)
        };
        let (references, effects) = summarize(Some("2y"));
        assert_eq!(references, [1, 1]);
        // Relative to a = 2, a = 1 needs half the nodes. a = 4 needs 4 times as many with b = x and
        // 12 times with b = y: the mean is 4 x root 3 = 6.928. Relative to b = y, b = x needs twice
        // the nodes with a = 1 and a = 2, but two thirds with a = 4.
        let cube_root = |product: f64| (1000.0 * product.cbrt()).round() / 1000.0;
        assert_eq!(
            effects,
            [(0, 0, 0.5), (0, 1, 1.0), (0, 2, 6.928), (1, 0, cube_root(2.0 * 2.0 * 2.0 / 3.0)), (1, 1, 1.0)]
        );
        assert_eq!(reference_levels(&grid, &axes, None), [0, 0]);
        assert_eq!(reference_levels(&grid, &axes, Some("4x")), [2, 0]);
    }
}
