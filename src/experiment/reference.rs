//! `[reference]`: what judges the results of searches. Another engine judges moves; the baseline's
//! own engine, with far more nodes and an unbounded table, judges scores.

use crate::engine::Limit;
use crate::subject::options::{CommandLine, OptionValue};
use serde::Deserialize;
use std::collections::BTreeMap;

/// `[reference]`: either `uci` with its options and limit, or `self`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Reference {
    /// The engine that judges moves, as in `[subject]`; `"builtin"`: ttlab's own with default
    /// options.
    pub uci: Option<CommandLine>,
    /// UCI options of the judge.
    pub options: BTreeMap<String, OptionValue>,
    /// The judge's limit: much deeper than the searches that it judges.
    #[cfg_attr(test, schemars(schema_with = "super::schema::tests::kernel_type::<true>"))]
    pub limit: Limit,
    /// The baseline's own engine judges the scores: the metric `score_error`.
    #[serde(rename = "self")]
    pub own_search: Option<OwnSearch>,
    /// Score errors are capped at this many centipawns; default 150.
    #[cfg_attr(test, schemars(range(min = 1, max = 10_000)))]
    pub cut: Option<u32>,
}

/// The search of the baseline's engine that judges scores, once for all variants.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OwnSearch {
    /// Nodes of the judge: far more than any variant has.
    pub nodes: u64,
    /// UCI options of an external engine that override the options of the baseline. Most important
    /// is a `Hash` that never fills. Ttlab's own judge has an unbounded table.
    #[serde(default)]
    pub options: BTreeMap<String, OptionValue>,
}

/// The default cap of score errors in centipawns: in a won or lost position a further pawn says
/// little.
pub(super) const DEFAULT_CUT: u32 = 150;

impl Reference {
    /// The cap of score errors in centipawns; none if no scores are judged.
    pub fn score_cut(&self) -> Option<u32> {
        self.own_search.as_ref().map(|_| self.cut.unwrap_or(DEFAULT_CUT))
    }

    pub fn judge_options(&self) -> &BTreeMap<String, OptionValue> {
        self.own_search.as_ref().map_or(&self.options, |search| &search.options)
    }
}
