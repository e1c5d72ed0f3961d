//! What each axis of a grid does by itself, and where two of them do together what neither does alone.

use crate::analysis::pairing::gauge::MetricReader;
use crate::analysis::pairing::pairs::{Base, Logs};
use crate::analysis::pairing::ratio::{Family, Judged, Ratio};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::axes::Axis;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::Metric;
use crate::record::columns;

/// More pairs of levels than this are not looked at: nobody reads so many.
const MOST: usize = 2000;

/// A level of an axis against the axis's reference level, paired by position and by all other axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// Place of the axis.
    pub axis: usize,
    /// Place of the level; the reference level has a ratio of 1 and no interval.
    pub level: usize,
    /// How it compares, judged with all effects of the grid.
    pub judged: Judged,
}

/// Two levels of two axes together: by what factor their effects differ from the product of each alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// Axis and level.
    pub first: (usize, usize),
    /// The other axis and level.
    pub second: (usize, usize),
    /// 1 where the effects multiply; judged with all interactions of the grid.
    pub judged: Judged,
}

/// The level that the others of an axis are held against: the baseline variant's, else the first.
pub fn references(grid: &Frame, axes: &[Axis], baseline: Option<&str>) -> Vec<usize> {
    let variants = grid.coded(columns::VARIANT);
    let row = (0..grid.rows()).find(|&row| Some(variants.at(row)) == baseline);
    axes.iter().map(|axis| row.and_then(|row| axis.level_of(grid, row)).unwrap_or(0)).collect()
}

/// The searches of each level of some axes together.
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

    /// The group of a level of each axis.
    fn of(&self, values: &[&[String]]) -> Option<usize> {
        self.grouping.find(&values.concat())
    }
}

/// The main effects of all axes.
pub fn effects(grid: &Frame, axes: &[Axis], references: &[usize], metric: &Metric) -> Vec<Effect> {
    let mut known: Vec<((usize, usize), Logs)> = Vec::new();
    for (at, (axis, &reference)) in axes.iter().zip(references).enumerate() {
        let levels = Levels::new(grid, &[axis]);
        let reading = MetricReader::new(&levels.searches, metric, grid);
        let Some(base) = levels.of(&[&axis.levels[reference].values]) else { continue };
        let base = Base::new(&reading, &levels.grouping, base);
        for (level, expected) in axis.levels.iter().enumerate() {
            let Some(group) = levels.of(&[&expected.values]) else { continue };
            known.push(((at, level), if level == reference { Vec::new() } else { base.pairs(group).logs() }));
        }
    }
    // One family: the levels of all axes are measured on the same positions.
    let (places, samples): (Vec<_>, Vec<_>) = known.into_iter().unzip();
    let effect = |((axis, level), judged): ((usize, usize), Judged)| {
        let ratio = if level == references[axis] { Ratio::itself(0) } else { judged.ratio };
        Effect { axis, level, judged: Judged { ratio, ..judged } }
    };
    places.into_iter().zip(Family::of(&samples).lines).map(effect).collect()
}

/// Two axes, each with a level.
type Two = ((usize, usize), (usize, usize));

/// The interactions of every two axes; empty where there are more than anybody would read.
pub fn interactions(grid: &Frame, axes: &[Axis], references: &[usize], metric: &Metric) -> Vec<Interaction> {
    let pairs: Vec<(usize, usize)> = (0..axes.len()).flat_map(|a| (a + 1..axes.len()).map(move |b| (a, b))).collect();
    let number: usize = pairs.iter().map(|&(a, b)| (axes[a].levels.len() - 1) * (axes[b].levels.len() - 1)).sum();
    if number > MOST {
        return Vec::new();
    }
    let mut found: Vec<(Two, Vec<(u32, f64)>)> = Vec::new();
    for (a, b) in pairs {
        let levels = Levels::new(grid, &[&axes[a], &axes[b]]);
        let reading = MetricReader::new(&levels.searches, metric, grid);
        let group = |level_a: usize, level_b: usize| {
            levels.of(&[&axes[a].levels[level_a].values, &axes[b].levels[level_b].values])
        };
        let (base_a, base_b) = (references[a], references[b]);
        for level_b in 0..axes[b].levels.len() {
            // What the first axis does at this level of the second, over what it does at the second's reference.
            let (Some(there), Some(here)) = (group(base_a, level_b), group(base_a, base_b)) else { continue };
            let [there, here] = [there, here].map(|base| Base::new(&reading, &levels.grouping, base));
            for level_a in (0..axes[a].levels.len()).filter(|&level| level != base_a && level_b != base_b) {
                let (Some(both), Some(alone)) = (group(level_a, level_b), group(level_a, base_b)) else { continue };
                let differences = there.pairs(both).over(&here.pairs(alone));
                if !differences.list.is_empty() {
                    found.push((((a, level_a), (b, level_b)), differences.logs()));
                }
            }
        }
    }
    found.sort_by_key(|((first, second), _)| (first.0, second.0, first.1, second.1));
    let (places, samples): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    let interaction = |((first, second), judged): (Two, Judged)| Interaction { first, second, judged };
    places.into_iter().zip(Family::of(&samples).lines).map(interaction).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    use crate::analysis::rows::axes;

    /// Forty times fifty are shown, twenty-nine times sixty-nine are one more than anybody would read.
    #[test]
    fn interactions_have_an_end() {
        let text = "variant,position,depth,search.nodes,a,b\n1,p,1,1,0,0\n2,p,1,2,1,0\n3,p,1,3,0,1\n4,p,1,4,1,1\n";
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let axis = |path: &str, levels: usize| Axis {
            columns: vec![path.to_owned()],
            path: path.to_owned(),
            name: path.to_owned(),
            levels: (0..levels)
                .map(|at| axes::Level { values: vec![at.to_string()], label: at.to_string(), number: Some(at as f64) })
                .collect(),
        };
        let count =
            |[a, b]: [usize; 2]| interactions(&frame, &[axis("a", a), axis("b", b)], &[0, 0], &Metric::nodes()).len();
        assert_eq!([[41, 51], [30, 70]].map(count), [1, 0]);
    }

    /// Every level against the baseline variant's own: positions need 100 nodes at a = 1, twice at 2 and eight times at 4, and half of all that with b = y;
    /// both together need three times more than that makes.
    #[test]
    fn levels_stand_beside_those_of_the_baseline() {
        let mut text = "variant,position,depth,search.nodes,a,b\n".to_owned();
        for (a, times) in [(1, 1.0), (2, 2.0), (4, 8.0)] {
            for (b, share) in [("x", 1.0), ("y", 0.5)] {
                for position in 1..=3 {
                    let together = if (a, b) == (4, "y") { 3.0 } else { 1.0 };
                    text += &format!(
                        "{a}{b},p{position},1,{},{a},{b}\n",
                        100.0 * f64::from(position) * times * share * together
                    );
                }
            }
        }
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let (grid, axes) = axes::axes(&frame, &[columns::NODES]);
        let of = |baseline: Option<&str>| {
            let references = references(&grid, &axes, baseline);
            let rounded = |mean: f64| (1000.0 * mean).round() / 1000.0;
            let found = effects(&grid, &axes, &references, &Metric::nodes());
            let found: Vec<_> = found.iter().map(|one| (one.axis, one.level, rounded(one.judged.ratio.mean))).collect();
            let together = interactions(&grid, &axes, &references, &Metric::nodes());
            let together: Vec<_> =
                together.iter().map(|one| (one.first.1, one.second.1, rounded(one.judged.ratio.mean))).collect();
            (references, found, together)
        };
        let (references, found, together) = of(Some("2y"));
        assert_eq!(references, [1, 1]);
        // By a: a half at 1, and four times at 4, three times more where b is y: 4 x the root of 3. By b: twice, but at a = 4 two thirds.
        let cube = |of: f64| (1000.0 * of.cbrt()).round() / 1000.0;
        assert_eq!(found, [(0, 0, 0.5), (0, 1, 1.0), (0, 2, 6.928), (1, 0, cube(2.0 * 2.0 * 2.0 / 3.0)), (1, 1, 1.0)]);
        assert_eq!(together, [(0, 0, 1.0), (2, 0, 0.333)]);
        assert_eq!((of(None).0, of(Some("4x")).0), (vec![0, 0], vec![2, 0]));
    }
}
