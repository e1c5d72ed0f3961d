//! Keep the deeper entry. Source: "Deep" in Breuker, Uiterwijk and van den Herik, 1994; the text of
//! "Writing a Chess Engine: Move Selection".

use super::{Newcomer, Replacement, Decision, least_worth};
use crate::table::Entry;
use serde::{Deserialize, Serialize};

/// No parameters.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DepthPreferred {}

impl Replacement for DepthPreferred {
    #[inline]
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, _: u16) -> Decision {
        let (slot, least_depth) = least_worth(bucket, |entry| entry.depth);
        if newcomer.entry.depth >= least_depth { Decision::replace(slot) } else { Decision::Refuse }
    }
}
