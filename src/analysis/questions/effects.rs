//! Computes the main effects of the axes of a grid, and the interactions of every two axes.

use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::pairs::{BaseSearches, Logs};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::axes::Axis;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::Metric;
use crate::record::columns;
use crate::stats::ratio::{Family, JudgedRatio, Ratio};

/// The largest number of interactions that are computed.
const MAX_INTERACTIONS: usize = 2000;

/// The effect of a level of an axis, compared with the axis's reference level. Searches are paired
/// by position and by the levels of all other axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The index of the axis.
    pub axis: usize,
    /// The index of the level.
    pub level: usize,
    /// The ratio to the reference level, tested together with all effects of the grid. The
    /// reference level itself has a ratio of 1 and no interval.
    pub judged: JudgedRatio,
}

/// The interaction of a level of one axis and a level of another axis. It is the factor by which
/// the joint effect of the two levels differs from the product of their main effects.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// The indices of the first axis and of its level.
    pub first: (usize, usize),
    /// The indices of the second axis and of its level.
    pub second: (usize, usize),
    /// The factor, tested together with all interactions of the grid. The factor is 1 if the joint
    /// effect is the product of the main effects.
    pub judged: JudgedRatio,
}

/// Returns the index of each axis's reference level. This is the level of the baseline variant, or
/// the first level if there is no such variant.
pub fn reference_levels(grid: &Frame, axes: &[Axis], baseline: Option<&str>) -> Vec<usize> {
    let variants = grid.text_column(columns::VARIANT);
    let baseline_row = (0..grid.rows()).find(|&row| Some(variants.text(row)) == baseline);
    axes.iter().map(|axis| baseline_row.and_then(|row| axis.row_level(grid, row)).unwrap_or(0)).collect()
}

/// The searches of a grid, grouped by their levels of some axes.
struct LevelSearches {
    grouping: Grouping,
    searches: Searches,
}

impl LevelSearches {
    /// Groups the grid's searches by their levels of `axes`.
    fn new(grid: &Frame, axes: &[&Axis]) -> Self {
        let by: Vec<String> = axes.iter().flat_map(|axis| axis.columns.iter().cloned()).collect();
        let grouping = Grouping::new(grid, &by);
        let searches = Searches::gather(grid, &grouping, &[]);
        Self { grouping, searches }
    }

    /// Returns the group with these levels. `level_values` contains the values of one level for
    /// each axis.
    fn find_group(&self, level_values: &[&[String]]) -> Option<usize> {
        self.grouping.find(&level_values.concat())
    }
}

/// Returns the effect of each level of each axis. The effect is the level's mean ratio to the
/// reference level of the axis. `references` contains the index of each axis's reference level.
pub fn main_effects(grid: &Frame, axes: &[Axis], references: &[usize], metric: &Metric) -> Vec<Effect> {
    // The indices of axis and level, and the level's log ratios to the reference level.
    let mut samples_by_level: Vec<((usize, usize), Logs)> = Vec::new();
    for (axis_index, (axis, &reference)) in axes.iter().zip(references).enumerate() {
        let level_searches = LevelSearches::new(grid, &[axis]);
        let reader = MetricReader::new(&level_searches.searches, metric, grid);
        let Some(base_group) = level_searches.find_group(&[&axis.levels[reference].values]) else { continue };
        let base = BaseSearches::new(&reader, &level_searches.grouping, base_group);
        for (level_index, level) in axis.levels.iter().enumerate() {
            let Some(group) = level_searches.find_group(&[&level.values]) else { continue };
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

/// Two levels. Each level is given by the index of the axis and the index of the level.
type LevelPair = ((usize, usize), (usize, usize));

/// Returns the interactions of each pair of axes. Returns an empty list if there would be more
/// than `MAX_INTERACTIONS` interactions. `references` contains the index of each axis's
/// reference level.
pub fn interactions(grid: &Frame, axes: &[Axis], references: &[usize], metric: &Metric) -> Vec<Interaction> {
    let axis_pairs: Vec<(usize, usize)> =
        (0..axes.len()).flat_map(|a| (a + 1..axes.len()).map(move |b| (a, b))).collect();
    let count_interactions = |&(a, b): &(usize, usize)| (axes[a].levels.len() - 1) * (axes[b].levels.len() - 1);
    if axis_pairs.iter().map(count_interactions).sum::<usize>() > MAX_INTERACTIONS {
        return Vec::new();
    }
    let mut samples_by_levels: Vec<(LevelPair, Logs)> = Vec::new();
    for (a, b) in axis_pairs {
        let level_searches = LevelSearches::new(grid, &[&axes[a], &axes[b]]);
        let reader = MetricReader::new(&level_searches.searches, metric, grid);
        let find_group = |level_a: usize, level_b: usize| {
            level_searches.find_group(&[&axes[a].levels[level_a].values, &axes[b].levels[level_b].values])
        };
        let (reference_a, reference_b) = (references[a], references[b]);
        let find_base =
            |level_b| Some(BaseSearches::new(&reader, &level_searches.grouping, find_group(reference_a, level_b)?));
        for level_b in (0..axes[b].levels.len()).filter(|&level| level != reference_b) {
            // The interaction is a quotient of two effects of a level of axis a: the effect at this
            // level of axis b, divided by the effect at the reference level of axis b.
            let (Some(base_at_level), Some(base_at_reference)) = (find_base(level_b), find_base(reference_b)) else {
                continue;
            };
            for level_a in (0..axes[a].levels.len()).filter(|&level| level != reference_a) {
                let groups = (find_group(level_a, level_b), find_group(level_a, reference_b));
                let (Some(at_level), Some(at_reference)) = groups else { continue };
                let interaction_pairs = base_at_level.pairs(at_level).divide_by(&base_at_reference.pairs(at_reference));
                if !interaction_pairs.list.is_empty() {
                    samples_by_levels.push((((a, level_a), (b, level_b)), interaction_pairs.logs()));
                }
            }
        }
    }
    samples_by_levels.sort_by_key(|(((axis_a, level_a), (axis_b, level_b)), _)| (*axis_a, *axis_b, *level_a, *level_b));
    let (level_pairs, samples): (Vec<_>, Vec<_>) = samples_by_levels.into_iter().unzip();
    let to_interaction = |((first, second), judged): (LevelPair, JudgedRatio)| Interaction { first, second, judged };
    level_pairs.into_iter().zip(Family::from_samples(&samples).lines).map(to_interaction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::analysis::rows::axes;

    /// 40 x 50 = 2000 interactions are computed; 29 x 69 = 2001 are one too many.
    #[test]
    fn interactions_are_limited_to_2000() {
        let text = "variant,position,depth,search.nodes,a,b\n1,p,1,1,0,0\n2,p,1,2,1,0\n3,p,1,3,0,1\n4,p,1,4,1,1\n";
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let axis = |path: &str, levels: usize| Axis {
            columns: vec![path.to_owned()],
            path: path.to_owned(),
            name: path.to_owned(),
            levels: (0..levels)
                .map(|index| axes::Level {
                    values: vec![index.to_string()],
                    label: index.to_string(),
                    number: Some(index as f64),
                })
                .collect(),
        };
        let count_interactions = |[levels_a, levels_b]: [usize; 2]| {
            interactions(&frame, &[axis("a", levels_a), axis("b", levels_b)], &[0, 0], &Metric::nodes()).len()
        };
        assert_eq!([[41, 51], [30, 70]].map(count_interactions), [1, 0]);
    }

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
        let (grid, axes) = axes::find_axes(&frame, &[columns::NODES]);
        let summarize = |baseline: Option<&str>| {
            let references = reference_levels(&grid, &axes, baseline);
            let round = |mean: f64| (1000.0 * mean).round() / 1000.0;
            let effects = main_effects(&grid, &axes, &references, &Metric::nodes());
            let effects: Vec<_> =
                effects.iter().map(|effect| (effect.axis, effect.level, round(effect.judged.ratio.mean))).collect();
            let interactions = interactions(&grid, &axes, &references, &Metric::nodes());
            let interactions: Vec<_> = interactions
                .iter()
                .map(|interaction| (interaction.first.1, interaction.second.1, round(interaction.judged.ratio.mean)))
                .collect();
            (references, effects, interactions)
        };
        let (references, effects, interactions) = summarize(Some("2y"));
        assert_eq!(references, [1, 1]);
        // Relative to a = 2, a = 1 needs half the nodes. a = 4 needs 4 times as many with b = x and
        // 12 times with b = y: the mean is 4 x root 3 = 6.928. Relative to b = y, b = x needs twice
        // the nodes with a = 1 and a = 2, but two thirds with a = 4.
        let cube_root = |product: f64| (1000.0 * product.cbrt()).round() / 1000.0;
        assert_eq!(
            effects,
            [(0, 0, 0.5), (0, 1, 1.0), (0, 2, 6.928), (1, 0, cube_root(2.0 * 2.0 * 2.0 / 3.0)), (1, 1, 1.0)]
        );
        assert_eq!(interactions, [(0, 0, 1.0), (2, 0, 0.333)]);
        assert_eq!(reference_levels(&grid, &axes, None), [0, 0]);
        assert_eq!(reference_levels(&grid, &axes, Some("4x")), [2, 0]);
    }
}
