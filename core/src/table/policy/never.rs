//! Never overwrite an occupied slot. Source: "Old" in Breuker, Uiterwijk and van den Herik, 1994.

use super::{Newcomer, Replacement, Decision};
use crate::table::Entry;
use serde::{Deserialize, Serialize};

/// No parameters.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Never {}

impl Replacement for Never {
    #[inline]
    fn decide(&self, _: &[Entry], _: &Newcomer, _: u16) -> Decision {
        Decision::Refuse
    }
}
