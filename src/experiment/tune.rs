//! `[tune]`: how the variants of a file are raced for the best one.

use super::problem::Problem;
use super::text::FileText;
use serde::Deserialize;
use toml::Table;

/// How `ttlab tune` looks for the best of the file's variants. `ttlab run` does not heed it: it searches the full grid.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Tune {
    /// What is brought down (or up): a metric of `ttlab report --metric`; no time, since times do not repeat.
    pub metric: String,
    /// Whether the least of it is best, or the most.
    pub goal: Goal,
    /// Items (games, or positions) of the first round; each further round doubles what has been searched.
    #[cfg_attr(test, schemars(range(min = 2)))]
    pub first: usize,
    /// Share of the items that the race never sees: the winner is confirmed on them. Items are whole games.
    pub held_out: f64,
    /// Chance of a false finding: of dropping, in all rounds together, a candidate that is as good as the best one; and of
    /// confirming a winner that is no better than the baseline.
    pub alpha: f64,
    /// Candidates that are searched on the held-out items: the winner and the next best that differ from it, the baseline apart. Only
    /// the winner is tested.
    #[cfg_attr(test, schemars(range(min = 1, max = 100)))]
    pub finalists: usize,
    /// Seed of the order in which items are drawn.
    pub seed: u64,
    /// Options laid over the variants, at which the finalists are tried again on the held-out items: path = value. Default: a quarter of
    /// the baseline's `table.size`, and four times it; none where sizes are among what is raced.
    #[cfg_attr(test, schemars(with = "Vec<std::collections::BTreeMap<String, serde_json::Value>>"))]
    pub pressures: Vec<Table>,
}

/// What is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The least.
    #[default]
    Least,
    /// The most.
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
            pressures: Vec::new(),
        }
    }
}

impl Tune {
    /// Checks the values.
    ///
    /// # Errors
    /// The first that is out of its range, with its place.
    pub(super) fn check(&self, source: &FileText<'_>) -> Result<(), Problem> {
        let Self { first, held_out, alpha, finalists, .. } = *self;
        source.check_range("tune.first", first, first >= 2, "at least 2")?;
        source.check_range("tune.held_out", held_out, held_out > 0.0 && held_out < 1.0, "a share between 0 and 1")?;
        source.check_range("tune.alpha", alpha, alpha > 0.0 && alpha <= 0.5, "above 0, at most 0.5")?;
        source.check_range("tune.finalists", finalists, (1..=100).contains(&finalists), "1 to 100")
    }
}

/// A pressure as the `path=value` pairs of a command line.
pub fn to_settings(pressure: &Table) -> Vec<String> {
    pressure.iter().map(|(path, value)| format!("{path}={value}")).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::decode::from_toml;

    /// What holds where nothing is said, as docs/tuning.md has it.
    #[test]
    fn a_race_as_usual() {
        let Tune { metric, goal, first, held_out, alpha, finalists, seed, pressures } = from_toml("").unwrap();
        assert_eq!((metric.as_str(), goal, first, held_out), ("nodes", Goal::Least, 12, 0.5));
        assert_eq!((alpha, finalists, seed, pressures.len()), (0.05, 3, 1, 0));
    }

    #[test]
    fn a_pressure_is_said_as_on_a_command_line() {
        let pressure: Table = "'table.size' = '1 MiB'\n'table.slots' = 4".parse().unwrap();
        assert_eq!(to_settings(&pressure), ["table.size=\"1 MiB\"", "table.slots=4"]);
    }
}
