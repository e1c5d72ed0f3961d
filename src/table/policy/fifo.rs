//! First in, first out: the oldest store in the bucket goes. Re-stores of the same position keep their place.

use super::{Newcomer, Replacement, Verdict};
use crate::table::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No parameters.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fifo {}

impl Replacement for Fifo {
    const ORDERED: bool = true;

    #[inline]
    fn decide(&self, bucket: &[Entry], _: &Newcomer, _: u16) -> Verdict {
        // Newest first: everything moves down, the last leaves.
        Verdict::Insert { at: 0, last: bucket.len() - 1 }
    }
}
