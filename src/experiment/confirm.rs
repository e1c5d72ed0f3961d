//! `[confirm]`: games decide among the variants that a screen leaves.

use super::file::{Experiment, File, LimitChoice};
use super::matches::{Draw, Match, Resign, opening_position};
use super::problem::Problem;
use super::suite_choice::SuiteChoice;
use super::text::FileText;
use super::variant::Variant;
use crate::chess::ending::ending;
use crate::chess::suite::{Item, Suite};
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
    pub limit: LimitChoice,
    /// A variant plays if it is at most this many Elo behind the best of the screen, converted from
    /// nodes by `price`: more than the screen's own error.
    #[serde(default = "default_margin")]
    #[cfg_attr(test, schemars(range(min = 0, max = 1000)))]
    pub margin: f64,
    /// Elo per factor e of nodes; 212 was measured for ttlab's own search at 20,000 nodes a move.
    #[serde(default = "default_price")]
    #[cfg_attr(test, schemars(range(min = 1, max = 10_000)))]
    pub price: f64,
    /// Pairs of games in the first stage; each further stage doubles the total.
    #[serde(default = "default_first")]
    #[cfg_attr(test, schemars(range(min = 30)))]
    pub first: usize,
    /// Maximum pairs of games of an encounter; at most the number of openings.
    #[serde(default = "default_budget")]
    pub budget: usize,
    /// When a game is adjudicated as lost, as in `[match]`.
    #[serde(default)]
    pub resign: Option<Resign>,
    /// When a game is adjudicated as drawn, as in `[match]`.
    #[serde(default)]
    pub draw: Option<Draw>,
}

fn default_margin() -> f64 {
    40.0
}

fn default_price() -> f64 {
    212.0
}

fn default_first() -> usize {
    100
}

fn default_budget() -> usize {
    1600
}

impl Confirm {
    /// Checks the section against the rest of the file.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub(super) fn check(&self, file: &File, variants: &[Variant], source: &FileText<'_>) -> Result<(), Problem> {
        for (is_given, message) in [(file.games.is_some(), "[match]"), (file.trace.is_some(), "[trace]")] {
            if is_given {
                return Err(source.invalid(
                    "confirm",
                    format!("is not allowed with {message}: [confirm] plays games among variants that were searched"),
                ));
            }
        }
        if variants.len() < 2 {
            return Err(source.invalid(
                "confirm",
                "a match needs at least two variants, found 1: give a second, by [grid] or [[variant]]",
            ));
        }
        if let Some(different) = variants.iter().find(|variant| variant.limit != variants[0].limit) {
            let message = format!(
                "all variants need the same limit, and \"{}\" has another than \"{}\"",
                different.name, variants[0].name
            );
            return Err(source.invalid("confirm", message));
        }
        if self.limit == LimitChoice::default() {
            return Err(source.invalid("confirm.limit", "missing: give limit = { nodes = 20000 }"));
        }
        source.check_range("confirm.margin", self.margin, (0.0..=1000.0).contains(&self.margin), "0 to 1000")?;
        source.check_range("confirm.price", self.price, (1.0..=10_000.0).contains(&self.price), "1 to 10000")?;
        source.check_range("confirm.first", self.first, self.first >= 30, "at least 30")?;
        source.check_range("confirm.budget", self.budget, self.budget >= self.first, "at least `first`")
    }

    /// Checks the openings.
    ///
    /// # Errors
    /// When an opening is already a finished game, or there are too few openings.
    pub(super) fn check_openings(&self, suite: &Suite, source: &FileText<'_>) -> Result<(), Problem> {
        if let Some(item) = suite.items.iter().find(|item| ending(&opening_position(item), &[]).is_some()) {
            return Err(source.invalid("confirm.openings", format!("{}: the game is over before it begins", item.id)));
        }
        let openings = suite.items.len();
        source.check_range(
            "confirm.openings",
            openings,
            openings >= self.first,
            &format!("at least {} of them", self.first),
        )
    }

    /// The range of openings of each stage.
    pub fn stages(&self, openings: usize) -> Vec<Range<usize>> {
        let last = self.budget.min(openings);
        let (mut stages, mut from, mut to) = (Vec::new(), 0, self.first.min(last));
        while from < to {
            stages.push(from..to);
            (from, to) = (to, (2 * to).min(last));
        }
        stages
    }

    /// The match of one stage: `players` against `best`, from the given openings.
    pub fn stage(&self, screen: &Experiment, players: &[usize], best: usize, openings: &[Item]) -> Experiment {
        let limit = Limit { depth: self.limit.depth, nodes: self.limit.nodes };
        let mut file = File {
            games: Some(Match { resign: self.resign, draw: self.draw, ..Match::default() }),
            ..screen.file.clone()
        };
        (file.sequence, file.tune, file.reference, file.confirm, file.suites) = (None, None, None, None, None);
        (file.seeds, file.repeats, file.expect) = (1, 1, Vec::new());
        let variants = players.iter().map(|&index| Variant { limit, ..screen.variants[index].clone() }).collect();
        let (suite_name, suite) =
            screen.openings.clone().unwrap_or_else(|| (screen.suite_name.clone(), screen.suite.clone()));
        Experiment {
            file,
            variants,
            baseline: players.iter().position(|&index| index == best).unwrap_or(0),
            suite_name,
            suite: Suite { items: openings.to_vec(), ..suite },
            suite_file: None,
            sections: Vec::new(),
            ..screen.clone()
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
        assert_eq!((defaults.margin, defaults.price, defaults.resign, defaults.draw), (40.0, 212.0, None, None));
    }
}
