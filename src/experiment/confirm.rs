//! `[confirm]`: games decide among the best variants of a screen by searches.

use super::choices::SuiteChoice;
use super::matches::{Draw, Resign, opening_position};
use super::problem::Problem;
use super::text::FileText;
use crate::chess::ending::ending;
use crate::chess::suite::Suite;
use crate::engine::Limit;
use serde::Deserialize;
use std::ops::Range;

/// How the best variants of a screen by searches play for the first place.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Confirm {
    /// The openings, with the values of `suite`.
    pub openings: SuiteChoice,
    /// The limit of every move.
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::tests::kernel_type::<true>"))]
    pub limit: Limit,
    /// Pairs of games in the first stage; each further stage doubles the total.
    #[serde(default = "default_first")]
    #[cfg_attr(test, schemars(range(min = 30)))]
    pub first: usize,
    /// Maximum pairs of games of an encounter; at most the number of openings.
    #[serde(default = "default_budget")]
    pub budget: usize,
    /// When a game is adjudicated as lost, as in `[match]`.
    pub resign: Option<Resign>,
    /// When a game is adjudicated as drawn, as in `[match]`.
    pub draw: Option<Draw>,
}

fn default_first() -> usize {
    100
}

fn default_budget() -> usize {
    1600
}

impl Confirm {
    /// Refuses openings that are already finished games, and too few openings.
    pub(super) fn check_openings(&self, suite: &Suite, source: &FileText<'_>) -> Result<(), Problem> {
        if let Some(item) = suite.items.iter().find(|item| ending(&opening_position(item), &[]).is_some()) {
            return Err(source.invalid("confirm.openings", format!("{}: the game is over before it begins", item.id)));
        }
        let openings = suite.items.len();
        source.check_range(
            "confirm.openings",
            openings,
            openings >= self.first,
            &format!("at least {} openings", self.first),
        )
    }

    /// The number of stages, if there are as many openings as the budget allows.
    pub fn looks(&self) -> usize {
        self.stages(self.budget).len()
    }

    /// After each stage, the total number of openings doubles, until it reaches the budget or the
    /// number of available openings.
    pub fn stages(&self, opening_count: usize) -> Vec<Range<usize>> {
        let end = self.budget.min(opening_count);
        let (mut stages, mut from, mut to) = (Vec::new(), 0, self.first.min(end));
        while from < to {
            stages.push(from..to);
            (from, to) = (to, (2 * to).min(end));
        }
        stages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::from_toml;

    fn confirm(more: &str) -> Confirm {
        from_toml(&format!("openings = 'x.epd'\nlimit = {{ nodes = 9 }}\n{more}")).unwrap()
    }

    /// Each stage doubles the total, up to the budget or the number of openings.
    #[test]
    fn stages_double_until_the_budget() {
        let stages = |more: &str, openings: usize| {
            confirm(more).stages(openings).into_iter().map(|stage| (stage.start, stage.end)).collect::<Vec<_>>()
        };
        assert_eq!(stages("", 5000), [(0, 100), (100, 200), (200, 400), (400, 800), (800, 1600)]);
        assert_eq!(stages("first = 30\nbudget = 100", 5000), [(0, 30), (30, 60), (60, 100)]);
        assert_eq!(stages("first = 30\nbudget = 30", 5000), [(0, 30)]);
        assert_eq!(stages("first = 30", 45), [(0, 30), (30, 45)]);
        let defaults = confirm("");
        assert_eq!((defaults.looks(), defaults.resign, defaults.draw), (5, None, None));
    }
}
