//! Main effects of the axes of a grid, and interactions of two axes.

use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::pairs::{BaseSearches, Logs};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::axes::Axis;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::Metric;
use crate::record::columns;
use crate::stats::ratio::{Family, JudgedRatio, Ratio};

/// More interactions than anybody reads are not computed.
const MAX_INTERACTIONS: usize = 2000;

/// A level of an axis compared with the axis's reference level, paired by position and by all other
/// axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The index of the axis.
    pub axis: usize,
    /// The index of the level; the reference level has a ratio of 1 and no interval.
    pub level: usize,
    /// The ratio, tested with all effects of the grid.
    pub judged: JudgedRatio,
}

/// Two levels of two axes: the factor by which their joint effect differs from the product of their
/// own.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    pub first: (usize, usize),
    /// The other axis and level.
    pub second: (usize, usize),
    /// 1 if the effects multiply; tested with all interactions of the grid.
    pub judged: JudgedRatio,
}

/// The reference level of each axis: the baseline variant's, or the first.
pub fn reference_levels(grid: &Frame, axes: &[Axis], baseline: Option<&str>) -> Vec<usize> {
    let variants = grid.text_column(columns::VARIANT);
    let row = (0..grid.rows()).find(|&row| Some(variants.text(row)) == baseline);
    axes.iter().map(|axis| row.and_then(|row| axis.row_level(grid, row)).unwrap_or(0)).collect()
}

/// The searches by levels of some axes.
struct Levels {
    grouping: Grouping,
    searches: Searches,
}

impl Levels {
    fn new(grid: &Frame, axes: &[&Axis]) -> Self {
        let by: Vec<String> = axes.iter().flat_map(|axis| axis.columns.iter().cloned()).collect();
        let grouping = Grouping::new(grid, &by);
        let searches = Searches::gather(grid, &grouping, &[]);
        Self { grouping, searches }
    }

    /// The group with these levels.
    fn find_group(&self, values: &[&[String]]) -> Option<usize> {
        self.grouping.find(&values.concat())
    }
}

/// The main effects of all axes.
pub fn main_effects(grid: &Frame, axes: &[Axis], references: &[usize], metric: &Metric) -> Vec<Effect> {
    let mut known: Vec<((usize, usize), Logs)> = Vec::new();
    for (index, (axis, &reference)) in axes.iter().zip(references).enumerate() {
        let levels = Levels::new(grid, &[axis]);
        let reader = MetricReader::new(&levels.searches, metric, grid);
        let Some(base) = levels.find_group(&[&axis.levels[reference].values]) else { continue };
        let base = BaseSearches::new(&reader, &levels.grouping, base);
        for (level, expected) in axis.levels.iter().enumerate() {
            let Some(group) = levels.find_group(&[&expected.values]) else { continue };
            known.push(((index, level), if level == reference { Vec::new() } else { base.pairs(group).logs() }));
        }
    }
    // One family: the levels of all axes are measured on the same positions.
    let (places, samples): (Vec<_>, Vec<_>) = known.into_iter().unzip();
    let effect = |((axis, level), judged): ((usize, usize), JudgedRatio)| {
        let ratio = if level == references[axis] { Ratio::identity(0) } else { judged.ratio };
        Effect { axis, level, judged: JudgedRatio { ratio, ..judged } }
    };
    places.into_iter().zip(Family::from_samples(&samples).lines).map(effect).collect()
}

/// Two axes, each with a level.
type LevelPair = ((usize, usize), (usize, usize));

/// The interactions of every two axes; empty if there are more than anybody reads.
pub fn interactions(grid: &Frame, axes: &[Axis], references: &[usize], metric: &Metric) -> Vec<Interaction> {
    let pairs: Vec<(usize, usize)> = (0..axes.len()).flat_map(|a| (a + 1..axes.len()).map(move |b| (a, b))).collect();
    let number: usize = pairs.iter().map(|&(a, b)| (axes[a].levels.len() - 1) * (axes[b].levels.len() - 1)).sum();
    if number > MAX_INTERACTIONS {
        return Vec::new();
    }
    let mut samples_by_levels: Vec<(LevelPair, Vec<(u32, f64)>)> = Vec::new();
    for (a, b) in pairs {
        let levels = Levels::new(grid, &[&axes[a], &axes[b]]);
        let reader = MetricReader::new(&levels.searches, metric, grid);
        let group = |level_a: usize, level_b: usize| {
            levels.find_group(&[&axes[a].levels[level_a].values, &axes[b].levels[level_b].values])
        };
        let (base_a, base_b) = (references[a], references[b]);
        for level_b in 0..axes[b].levels.len() {
            // The effect of the first axis at this level of the second, divided by its effect at
            // the second's reference.
            let (Some(at_level), Some(at_reference)) = (group(base_a, level_b), group(base_a, base_b)) else {
                continue;
            };
            let [at_level, at_reference] =
                [at_level, at_reference].map(|base| BaseSearches::new(&reader, &levels.grouping, base));
            for level_a in (0..axes[a].levels.len()).filter(|&level| level != base_a && level_b != base_b) {
                let (Some(both), Some(alone)) = (group(level_a, level_b), group(level_a, base_b)) else { continue };
                let differences = at_level.pairs(both).divide_by(&at_reference.pairs(alone));
                if !differences.list.is_empty() {
                    samples_by_levels.push((((a, level_a), (b, level_b)), differences.logs()));
                }
            }
        }
    }
    samples_by_levels.sort_by_key(|((first, second), _)| (first.0, second.0, first.1, second.1));
    let (places, samples): (Vec<_>, Vec<_>) = samples_by_levels.into_iter().unzip();
    let interaction = |((first, second), judged): (LevelPair, JudgedRatio)| Interaction { first, second, judged };
    places.into_iter().zip(Family::from_samples(&samples).lines).map(interaction).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    use crate::analysis::rows::axes;

    /// 40 x 50 interactions are computed; 29 x 69 are one too many.
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
        let count =
            |[a, b]: [usize; 2]| interactions(&frame, &[axis("a", a), axis("b", b)], &[0, 0], &Metric::nodes()).len();
        assert_eq!([[41, 51], [30, 70]].map(count), [1, 0]);
    }

    /// Levels against the baseline variant's own: 100 nodes at a = 1, twice at 2 and eight times at
    /// 4, half of that with b = y; a = 4 with b = y needs three times more than the product.
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
            let rounded = |mean: f64| (1000.0 * mean).round() / 1000.0;
            let found = main_effects(&grid, &axes, &references, &Metric::nodes());
            let found: Vec<_> =
                found.iter().map(|effect| (effect.axis, effect.level, rounded(effect.judged.ratio.mean))).collect();
            let together = interactions(&grid, &axes, &references, &Metric::nodes());
            let together: Vec<_> = together
                .iter()
                .map(|interaction| (interaction.first.1, interaction.second.1, rounded(interaction.judged.ratio.mean)))
                .collect();
            (references, found, together)
        };
        let (references, found, together) = summarize(Some("2y"));
        assert_eq!(references, [1, 1]);
        // By a: a half at 1; at 4 four times, with b = y three times more: 4 x root 3. By b: twice,
        // but two thirds at a = 4.
        let cube = |summarize: f64| (1000.0 * summarize.cbrt()).round() / 1000.0;
        assert_eq!(found, [(0, 0, 0.5), (0, 1, 1.0), (0, 2, 6.928), (1, 0, cube(2.0 * 2.0 * 2.0 / 3.0)), (1, 1, 1.0)]);
        assert_eq!(together, [(0, 0, 1.0), (2, 0, 0.333)]);
        assert_eq!((summarize(None).0, summarize(Some("4x")).0), (vec![0, 0], vec![2, 0]));
    }
}
