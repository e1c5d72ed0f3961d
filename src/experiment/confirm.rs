//! `[confirm]`: games decide among the variants that a screen leaves.

use super::file::{Experiment, File, LimitChoice, SuiteChoice};
use super::grid::Variant;
use super::matches::{Draw, Match, Resign, opening_position};
use super::problem::Problem;
use super::text::FileText;
use crate::chess::ending::ending;
use crate::chess::suite::{Item, Suite};
use crate::engine::Limit;
use serde::Deserialize;
use std::ops::Range;

/// How the variants that a screen leaves play for the best one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Confirm {
    /// The openings, as `suite` of a match.
    pub openings: SuiteChoice,
    /// The limit of every move.
    #[serde(default)]
    pub limit: LimitChoice,
    /// Elo by which a variant may lie behind the best of the screen, by the price of a node, and still play: more than the screen's own error.
    #[serde(default = "default_margin")]
    #[cfg_attr(test, schemars(range(min = 0, max = 1000)))]
    pub margin: f64,
    /// Elo that a factor of e in nodes is worth; 212 was measured of ttlab's own search at 20,000 nodes a move.
    #[serde(default = "default_price")]
    #[cfg_attr(test, schemars(range(min = 1, max = 10_000)))]
    pub price: f64,
    /// Pairs of games of the first stage; each further stage doubles what has been played.
    #[serde(default = "default_first")]
    #[cfg_attr(test, schemars(range(min = 30)))]
    pub first: usize,
    /// Pairs of an encounter at most. There are no more than openings.
    #[serde(default = "default_budget")]
    pub budget: usize,
    /// When a game is given up, as in `[match]`.
    #[serde(default)]
    pub resign: Option<Resign>,
    /// When a game is given as drawn.
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
    /// Checks it against the rest of the file.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub(super) fn check(&self, file: &File, variants: &[Variant], source: &FileText<'_>) -> Result<(), Problem> {
        for (given, what) in [(file.games.is_some(), "[match]"), (file.trace.is_some(), "[trace]")] {
            if given {
                return Err(source.invalid(
                    "confirm",
                    format!("does not go with {what}: games decide among variants that were searched before"),
                ));
            }
        }
        if variants.len() < 2 {
            return Err(
                source.invalid("confirm", "one variant has nobody to play: give a second, by [grid] or [[variant]]")
            );
        }
        if let Some(other) = variants.iter().find(|variant| variant.limit != variants[0].limit) {
            let what = format!(
                "variants of one limit are screened, and \"{}\" has another than \"{}\"",
                other.name, variants[0].name
            );
            return Err(source.invalid("confirm", what));
        }
        if self.limit == LimitChoice::default() {
            return Err(source.invalid("confirm.limit", "missing: give limit = { nodes = 20000 }"));
        }
        source.check_range("confirm.margin", self.margin, (0.0..=1000.0).contains(&self.margin), "0 to 1000")?;
        source.check_range("confirm.price", self.price, (1.0..=10_000.0).contains(&self.price), "1 to 10000")?;
        source.check_range("confirm.first", self.first, self.first >= 30, "at least 30")?;
        source.check_range("confirm.budget", self.budget, self.budget >= self.first, "no fewer than `first`")
    }

    /// Checks the openings.
    ///
    /// # Errors
    /// When a game is over before it begins, or there are too few.
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

    /// The stages: which openings each plays.
    pub fn stages(&self, openings: usize) -> Vec<Range<usize>> {
        let last = self.budget.min(openings);
        let (mut stages, mut from, mut to) = (Vec::new(), 0, self.first.min(last));
        while from < to {
            stages.push(from..to);
            (from, to) = (to, (2 * to).min(last));
        }
        stages
    }

    /// The match of one stage: these variants against one of them, from some of the openings.
    pub fn stage(&self, screen: &Experiment, players: &[usize], best: usize, openings: &[Item]) -> Experiment {
        let limit = Limit { depth: self.limit.depth, nodes: self.limit.nodes };
        let mut file = File {
            games: Some(Match { resign: self.resign, draw: self.draw, ..Match::default() }),
            ..screen.file.clone()
        };
        (file.sequence, file.tune, file.reference, file.confirm, file.suites) = (None, None, None, None, None);
        (file.seeds, file.repeats, file.expect) = (1, 1, Vec::new());
        let variants = players.iter().map(|&at| Variant { limit, ..screen.variants[at].clone() }).collect();
        let (suite_name, suite) =
            screen.openings.clone().unwrap_or_else(|| (screen.suite_name.clone(), screen.suite.clone()));
        Experiment {
            file,
            variants,
            baseline: players.iter().position(|&at| at == best).unwrap_or(0),
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
    use crate::experiment::decode::from_toml;

    fn confirm(more: &str) -> Confirm {
        from_toml(&format!("openings = 'x.epd'\nlimit = {{ nodes = 9 }}\n{more}")).unwrap()
    }

    /// Each stage doubles what was played, up to the budget or the openings that there are.
    #[test]
    fn stages_double_up_to_the_budget() {
        let stages = |more: &str, openings: usize| {
            confirm(more).stages(openings).into_iter().map(|part| (part.start, part.end)).collect::<Vec<_>>()
        };
        assert_eq!(stages("", 5000), [(0, 100), (100, 200), (200, 400), (400, 800), (800, 1600)]);
        assert_eq!(stages("first = 30\nbudget = 100", 5000), [(0, 30), (30, 60), (60, 100)]);
        assert_eq!(stages("first = 30\nbudget = 30", 5000), [(0, 30)]);
        assert_eq!(stages("first = 30", 45), [(0, 30), (30, 45)]);
        let usual = confirm("");
        assert_eq!((usual.margin, usual.price, usual.resign, usual.draw), (40.0, 212.0, None, None));
    }
}
