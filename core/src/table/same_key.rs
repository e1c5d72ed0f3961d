//! What a store does if the table already has an entry of the same position.

use super::Entry;
use super::expression::{self, Expression};
use crate::chess::Bound;
use serde::{Deserialize, Serialize};

/// What a store does when the bucket already holds the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SameKey {
    /// The new entry replaces the old one, whatever its depth.
    #[default]
    Replace,
    /// The policy decides, as if the old entry belonged to another position. If it would evict a
    /// third position, it decides again about the old entry alone.
    Policy,
    /// The new entry replaces the old one unless the old one is deeper.
    Deeper,
    /// The new entry replaces the old one if `table.guard` allows it, as in most engines.
    Guard,
}

/// The guard of `same_key = "guard"`: the old entry is replaced when any of its clauses holds.
/// Its defaults are the guard of Stockfish's table; Ethereal's is
/// `{ margin = 3, pv = 0, age = false }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Guard {
    /// The whole condition as an expression in place of `margin`, `pv`, `exact` and `age`, empty
    /// for none: whole numbers, `+ - * /`, comparisons, `and`, `or`, `not` and parentheses over
    /// `depth`, `pv` (1 at an open window), `exact`, `lower`, `upper` and `move` of the new entry,
    /// the same of the old one with `old_` before it, the old one's `age`, and `open` (as `pv`, but
    /// without what `keep_pv` keeps). The old entry is replaced unless the value is 0. Rose's is
    /// `"exact or 2 * depth >= old_depth - 4 * age"`.
    #[serde(deserialize_with = "deserialize_lets")]
    pub lets: Expression,
    /// The old entry is replaced if the new depth (plus `pv` at an open window) is above the old
    /// depth minus `margin`, -255..=255. An engine that writes `>=` has one more here.
    #[cfg_attr(test, schemars(range(min = -255, max = 255)))]
    pub margin: i16,
    /// Plies that an open window is worth, -255..=255.
    #[cfg_attr(test, schemars(range(min = -255, max = 255)))]
    pub pv: i16,
    /// The old entry is replaced if the new bound is exact.
    pub exact: bool,
    /// The old entry is replaced if it is from an earlier tick of the clock.
    pub age: bool,
    /// Whether a refused store still leaves its move, if it has one. Source: Stockfish.
    pub move_first: bool,
    /// Whether a refused store leaves its move only where the old entry has none. Source: Caissa.
    pub fill_move: bool,
    /// Whether an upper bound that replaces an entry takes that entry's move, even in place of its
    /// own, if the move comes from an exact entry or a lower bound. This takes the bit that marks
    /// used entries, so it needs a bounded table, a policy that does not mark entries, and
    /// `diagnostics = "off"`. Source: Seer.
    pub best_move: bool,
}

impl Default for Guard {
    fn default() -> Self {
        Self {
            // If this expression is empty, the next four fields are the condition for a
            // replacement.
            lets: Expression::default(),
            margin: 4,
            pv: 2,
            exact: true,
            age: true,
            move_first: false,
            fill_move: false,
            best_move: false,
        }
    }
}

// The facts about a new entry and the old entry of its slot, given the current tick.
expression::facts! {
    (new: &Entry, old: &Entry, now: u16, is_open: bool)
    "depth" new.depth;
    "old_depth" old.depth;
    "pv" new.pv;
    "old_pv" old.pv;
    "exact" has_bound(new, Bound::Exact);
    "old_exact" has_bound(old, Bound::Exact);
    "lower" has_bound(new, Bound::Lower);
    "old_lower" has_bound(old, Bound::Lower);
    "upper" has_bound(new, Bound::Upper);
    "old_upper" has_bound(old, Bound::Upper);
    "move" !new.mv.is_none();
    "old_move" !old.mv.is_none();
    "age" old.age(now);
    "open" is_open;
}

pub(super) fn has_bound(entry: &Entry, bound: Bound) -> bool {
    entry.bound == bound && !entry.is_evaluation()
}

#[inline(always)]
pub(super) fn allows_replacement(lets: Expression, new: &Entry, old: &Entry, now: u16, is_open: bool) -> bool {
    lets.value(&facts(new, old, now, is_open)) != 0
}

/// The entries are passed by value, so that callers unpack them completely only if the guard is an
/// expression.
#[cold]
fn evaluate_guard(lets: Expression, new: Entry, old: Entry, now: u16, is_open: bool) -> bool {
    allows_replacement(lets, &new, &old, now, is_open)
}

pub(super) fn deserialize_lets<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Expression, D::Error> {
    expression::deserialize(deserializer, &NAMES)
}

/// A table's rule for stores of a position that it already has.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The kind of rule.
    pub same_key: SameKey,
    pub(super) guard: Guard,
    pub(super) keep_move: bool,
    pub(super) keep_pv: bool,
}

impl Rule {
    pub fn reads_ages(&self) -> bool {
        self.same_key == SameKey::Guard && (self.guard.age || !self.guard.lets.is_empty())
    }

    /// Copies parts of the old entry to the new entry. The static evaluation is copied if the new
    /// entry has none. The options `keep_move` and `best_move` say when the move is copied, and
    /// `keep_pv` says whether the flag `pv` is.
    #[inline]
    fn inherit(&self, new: &mut Entry, old: &Entry) {
        if self.keep_move && new.mv.is_none() {
            new.mv = old.mv;
        }
        if self.guard.best_move && self.same_key == SameKey::Guard && new.bound == Bound::Upper {
            // Under `best_move`, `used` marks an entry whose move was copied from an exact entry or
            // from a lower bound.
            let old_move_is_best = matches!(old.bound, Bound::Exact | Bound::Lower) && !old.is_evaluation();
            let copies_move = old.used || old_move_is_best;
            (new.mv, new.used) = if copies_move { (old.mv, true) } else { (new.mv, false) };
        }
        new.pv |= self.keep_pv & old.pv;
        new.evaluation = new.evaluation.or(old.evaluation);
    }

    /// Copies parts of the old entry of the same position to the new entry, and returns whether the
    /// new entry may replace it. The result is always true for `policy`, because the policy decides
    /// later.
    #[inline(always)]
    pub fn replaces(&self, new: &mut Entry, old: &Entry, now: u16) -> bool {
        let is_open = new.pv;
        self.inherit(new, old);
        let (depth, old_depth) = (i32::from(new.depth), i32::from(old.depth));
        match self.same_key {
            SameKey::Replace | SameKey::Policy => true,
            SameKey::Deeper => depth >= old_depth,
            SameKey::Guard => {
                let Guard { lets: condition, margin, pv, exact, age, .. } = self.guard;
                if !condition.is_empty() {
                    return evaluate_guard(condition, *new, *old, now, is_open);
                }
                let pv_plies = if new.pv { i32::from(pv) } else { 0 };
                exact && new.bound == Bound::Exact
                    || depth + pv_plies > old_depth - i32::from(margin)
                    || age && old.age(now) > 0
            }
        }
    }

    /// Whether the move of a refused entry is copied to the old entry nevertheless.
    #[inline]
    pub fn renews_move(&self, refused: &Entry, old: &Entry) -> bool {
        let Guard { move_first, fill_move, .. } = self.guard;
        let may_copy = move_first || fill_move && old.mv.is_none();
        self.same_key == SameKey::Guard && may_copy && !refused.mv.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_a_guard_out_of_range_is_refused_by_path() {
        for (margin, pv, refused) in [
            (255, -255, None),
            (256, 0, Some("table.guard.margin: 256 is out of range: expected -255 to 255")),
            (0, -256, Some("table.guard.pv: -256 is out of range: expected -255 to 255")),
        ] {
            let guard = Guard { margin, pv, ..Guard::default() };
            let options = crate::table::TableOptions { guard, ..Default::default() };
            assert_eq!(options.check().err().map(|error| error.to_string()).as_deref(), refused);
        }
    }
}
