//! The store rule of `ViperMate`'s first version. Source: the `ViperMate` journal and its engine.

use super::{Newcomer, Replacement, Verdict};
use crate::chess::Bound;
use crate::table::{Entry, TableOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No parameters. Needs `table.slots = 1`; give it `table.same_key = "policy"`, since the rule speaks of the same position too.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VipermateFirst {}

impl Replacement for VipermateFirst {
    #[inline]
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, _: u16) -> Verdict {
        let old = &bucket[0];
        let weak = old.bound <= Bound::Upper;
        // Same or another position: the rule asks for a better bound only where the key is the same.
        let better = newcomer.entry.depth >= old.depth && (newcomer.entry.bound >= old.bound || newcomer.same.is_none());
        if weak || better { Verdict::replace(0) } else { Verdict::Refuse }
    }

    fn check(&self, table: &TableOptions) -> Result<(), String> {
        if table.slots == 1 { Ok(()) } else { Err(format!("needs table.slots = 1, found {}", table.slots)) }
    }
}
