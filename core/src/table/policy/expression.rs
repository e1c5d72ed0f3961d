//! Worth and refusal as one line of arithmetic each, for rules that no other policy covers.

use super::{Decision, Newcomer, Replacement, Ties, least_slot_by};
use crate::chess::Bound;
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
    /// `move`, `score` and `nodes` of its subtree. The entry of least worth goes. For example, with
    /// a bonus for open windows: `"depth - 8 * age + 2 * pv"`.
    #[serde(deserialize_with = "deserialize_worth")]
    pub worth: Expression,
    /// An expression that says whether a newcomer takes the place of the entry of least worth;
    /// empty: always. It is written as in `table.guard.lets`, where `old_` stands for that entry.
    /// Koivisto, for example, protects other positions with `"age > 0 or pv or not old_pv and
    /// old_depth <= depth"`.
    #[serde(deserialize_with = "deserialize_lets")]
    pub lets: Expression,
    /// Which of several entries of equal worth goes.
    pub ties: Ties,
}

/// The default expression for the worth of an entry: that of the policy `depth-age`.
const WORTH: &str = "depth - 8 * age";

impl Default for Formula {
    fn default() -> Self {
        let worth = Expression::parse(WORTH, &NAMES).unwrap_or_default();
        Self { worth, lets: Expression::default(), ties: Ties::First }
    }
}

// The facts about an entry, given the current tick.
expression::facts! {
    (entry: &Entry, now: u16)
    "depth" entry.depth;
    "age" entry.age(now);
    "pv" entry.pv;
    "exact" same_key::has_bound(entry, Bound::Exact);
    "lower" same_key::has_bound(entry, Bound::Lower);
    "upper" same_key::has_bound(entry, Bound::Upper);
    "move" !entry.mv.is_none();
    "score" entry.score;
    "nodes" entry.nodes;
}

fn deserialize_worth<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Expression, D::Error> {
    expression::deserialize(deserializer, &NAMES)
}

impl Replacement for Formula {
    const AGE_PARAMETERS: &'static [&'static str] = &["worth"];

    #[inline]
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.decide_lazily(bucket.len(), |slot| bucket[slot], newcomer, now)
    }

    #[inline(always)]
    fn decide_lazily(
        &self,
        slots: usize,
        entry: impl Fn(usize) -> Entry,
        newcomer: &Newcomer,
        now: u16,
    ) -> Decision {
        // If the bucket already has the newcomer's position, only that entry can be replaced.
        let slot = if let Some(same) = newcomer.same {
            same
        } else if let Some(&[constant, depth, age]) = self.worth.factors() {
            // This is the most common form of `worth`. It is computed here with few instructions.
            let worth = |entry: Entry| constant + depth * i64::from(entry.depth) + age * i64::from(entry.age(now));
            least_slot_by(slots, self.ties, |slot| worth(entry(slot))).0
        } else {
            least_slot_by(slots, self.ties, |slot| self.worth.value(&facts(&entry(slot), now))).0
        };
        // Without an expression `lets`, every newcomer is allowed.
        let is_allowed = self.lets.is_empty()
            || same_key::allows_replacement(self.lets, &newcomer.entry, &entry(slot), now, newcomer.entry.pv);
        if is_allowed { Decision::replace(slot) } else { Decision::Refuse }
    }
}
