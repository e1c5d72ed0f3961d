//! `[tune]`: how the variants of a file are raced for the best one.

use super::problem::Problem;
use super::text::FileText;
use serde::Deserialize;

/// How `ttlab tune` finds the best of the file's variants. `ttlab run` ignores it and searches the
/// full grid.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Tune {
    /// The metric to minimise or maximise, as in `ttlab report --metric`; no time, because times do
    /// not repeat.
    pub metric: String,
    /// Whether the least or the greatest value is best.
    pub goal: Goal,
    /// Items (games or positions) of the first round; each further round doubles the total.
    #[cfg_attr(test, schemars(range(min = 2)))]
    pub first: usize,
    /// The share of the items that the race does not use. The winner is confirmed on these items.
    /// Items are whole games.
    pub held_out: f64,
    /// Probability of a false result: of dropping, over all rounds, a candidate that equals the
    /// best one, and of confirming a winner that is no better than the baseline.
    pub alpha: f64,
    /// The number of candidates that are searched on the held-out items: the winner and the next
    /// best candidates that differ from the winner. The baseline is not counted. Only the winner is
    /// tested.
    #[cfg_attr(test, schemars(range(min = 1, max = 100)))]
    pub finalists: usize,
    /// Seed of the random order of items.
    pub seed: u64,
}

/// The direction of the metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The least value is best.
    #[default]
    Least,
    /// The greatest value is best.
    Most,
}

impl Default for Tune {
    fn default() -> Self {
        Self {
            metric: "nodes".to_owned(),
            goal: Goal::Least,
            first: 12,
            held_out: 0.5,
            alpha: 0.05,
            finalists: 3,
            seed: 1,
        }
    }
}

impl Tune {
    /// Refuses numbers that are out of their ranges.
    pub(super) fn check(&self, source: &FileText<'_>) -> Result<(), Problem> {
        let Self { first, held_out, alpha, finalists, .. } = *self;
        source.check_range("tune.first", first, first >= 2, "at least 2")?;
        source.check_range("tune.held_out", held_out, held_out > 0.0 && held_out < 1.0, "a share between 0 and 1")?;
        source.check_range("tune.alpha", alpha, alpha > 0.0 && alpha <= 0.5, "above 0, at most 0.5")?;
        source.check_range("tune.finalists", finalists, (1..=100).contains(&finalists), "1 to 100")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::from_toml;

    /// The defaults, as documented in docs/tuning.md.
    #[test]
    fn tune_has_the_documented_defaults() {
        let Tune { metric, goal, first, held_out, alpha, finalists, seed } = from_toml("").unwrap();
        assert_eq!((metric.as_str(), goal, first, held_out), ("nodes", Goal::Least, 12, 0.5));
        assert_eq!((alpha, finalists, seed), (0.05, 3, 1));
    }
}
