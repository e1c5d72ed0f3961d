//! Worth and refusal as one line of arithmetic each: what no other policy says.

use super::{Decision, Newcomer, Replacement, Ties, least_worth_by};
use crate::table::Entry;
use crate::table::expression::{self, Expression};
use crate::table::same_key::{self, deserialize_lets};
use serde::{Deserialize, Deserializer, Serialize};

/// The worth of an entry, and whether a newcomer may take the place of the least one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Formula {
    /// The worth of an entry: whole numbers, `+ - * /`, comparisons, `and`, `or`, `not` and
    /// parentheses over its `depth`, `age`, `pv` (1 at an open window), `exact`, `lower`, `upper`,
    /// `move`, `score` and `nodes` of its subtree. The entry of least worth goes. Twice PV:
    /// `"depth - 8 * age + 2 * pv"`.
    #[serde(deserialize_with = "deserialize_worth")]
    pub worth: Expression,
    /// Whether a newcomer takes the place of that entry, in the words of `table.guard.lets`, where
    /// `old_` is the entry that would go; empty: always. Koivisto protects other positions so:
    /// `"age > 0 or pv or not old_pv and old_depth <= depth"`.
    #[serde(deserialize_with = "deserialize_lets")]
    pub lets: Expression,
    /// Which of several entries of equal worth goes.
    pub ties: Ties,
}

/// The worth of `depth-age`.
const WORTH: &str = "depth - 8 * age";

impl Default for Formula {
    fn default() -> Self {
        let worth = Expression::parse(WORTH, &NAMES).unwrap_or_default();
        Self { worth, lets: Expression::default(), ties: Ties::First }
    }
}

/// The names of an expression about one entry.
const NAMES: [&str; 9] = ["depth", "age", "pv", "exact", "lower", "upper", "move", "score", "nodes"];

fn deserialize_worth<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Expression, D::Error> {
    expression::deserialize(deserializer, &NAMES)
}

impl Replacement for Formula {
    const AGE_PARAMETERS: &'static [&'static str] = &["worth"];

    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        let worth = |entry: &Entry| {
            let [exact, lower, upper] = same_key::bounds(entry);
            let (depth, age, pv) = (entry.depth.into(), entry.age(now).into(), entry.pv.into());
            let has_move = (!entry.mv.is_none()).into();
            let (score, nodes) = (entry.score.into(), entry.nodes.into());
            self.worth.value(&[depth, age, pv, exact, lower, upper, has_move, score, nodes])
        };
        // Of its own position the newcomer can only take the place.
        let slot = newcomer.same.unwrap_or_else(|| least_worth_by(bucket, self.ties, worth).0);
        let is_let = || self.lets.value(&same_key::values(&newcomer.entry, &bucket[slot], now)) != 0;
        if self.lets.is_empty() || is_let() { Decision::replace(slot) } else { Decision::Refuse }
    }
}
