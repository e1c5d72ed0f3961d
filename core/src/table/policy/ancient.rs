//! The Ancient flag, which keeps an entry that was useful until the search ends. Source: a note on
//! Zobrist hashing with the Ancient flag.
//!
//! In the note, the table is swept after each search to set every flag. Here an entry is protected
//! while its mark is from the current tick, which is equivalent and costs nothing. `table.clock`
//! defines what a search is.

use super::{Newcomer, Mark, Replacement, Decision, least_worth};
use crate::table::Entry;
use serde::{Deserialize, Serialize};

/// What the note leaves open, as options. `table.same_key` decides whether a deeper result for the
/// same position may overwrite a protected slot. `replace` allows it, and `policy` does not, as in
/// the note.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Ancient {
    /// When an entry counts as useful: `match` or `cutoff`.
    pub useful: Mark,
    /// Whether a new entry starts out protected: then nothing is ever replaced within a search, the
    /// trap that the note warns of.
    pub protect_new: bool,
}

impl Default for Ancient {
    fn default() -> Self {
        Self { useful: Mark::Match, protect_new: false }
    }
}

impl Replacement for Ancient {

    #[inline]
    fn decide(&self, bucket: &[Entry], _: &Newcomer, now: u16) -> Decision {
        // Protected entries have rank 0. All other entries have negative ranks, and the oldest has
        // the lowest rank.
        let rank = |entry: &Entry| {
            let age = entry.age(now);
            if entry.used && age == 0 { 0 } else { -1 - i32::from(age) }
        };
        let (slot, least_rank) = least_worth(bucket, rank);
        if least_rank < 0 { Decision::replace(slot) } else { Decision::Refuse }
    }

    #[inline]
    fn mark_when(&self) -> Mark {
        self.useful
    }

    #[inline]
    fn starts_marked(&self) -> bool {
        self.protect_new
    }

    fn check(&self) -> Result<(), String> {
        if self.useful == Mark::Never {
            return Err("useful = \"never\" protects nothing: expected \"match\" or \"cutoff\"".to_owned());
        }
        Ok(())
    }
}
