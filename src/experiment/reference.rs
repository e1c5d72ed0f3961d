//! `[reference]`: what judges the results of searches. Another engine judges moves; the baseline's
//! own engine, with far more nodes and an unbounded table, judges scores.

use super::file::{File, LimitChoice};
use super::problem::Problem;
use super::text::FileText;
use super::variant::Variant;
use crate::subject::options::{OptionValue, ProgramWords};
use serde::Deserialize;
use std::collections::BTreeMap;

/// `[reference]`: either `uci` with its options and limit, or `self`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Reference {
    /// The engine that judges moves, as in `[subject]`; `"builtin"`: ttlab's own with default
    /// options.
    pub uci: Option<ProgramWords>,
    /// UCI options of the judge.
    pub options: BTreeMap<String, OptionValue>,
    /// The judge's limit: much deeper than the searches that it judges.
    pub limit: LimitChoice,
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
    /// UCI options of an external engine that override the baseline's: above all a `Hash` that
    /// never fills. Ttlab's own judge has an unbounded table.
    #[serde(default)]
    pub options: BTreeMap<String, OptionValue>,
}

/// The default cap of score errors in centipawns: in a won or lost position a further pawn says
/// little.
const DEFAULT_CUT: u32 = 150;

impl Reference {
    /// The cap of score errors in centipawns; none if no scores are judged.
    pub fn score_cut(&self) -> Option<u32> {
        self.own_search.as_ref().map(|_| self.cut.unwrap_or(DEFAULT_CUT))
    }

    /// The UCI options that the file sets for the judge.
    pub fn judge_options(&self) -> &BTreeMap<String, OptionValue> {
        self.own_search.as_ref().map_or(&self.options, |own| &own.options)
    }

    /// Checks the section against the rest of the file.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub(super) fn check(
        &self,
        file: &File,
        variants: &[Variant],
        baseline: usize,
        source: &FileText<'_>,
    ) -> Result<(), Problem> {
        let Some(own) = &self.own_search else {
            if self.uci.is_none() {
                let message = "names no judge: give uci = \"ENGINE\" with a limit (moves), or self = { nodes = 600_000 } (scores)";
                return Err(source.invalid("reference", message));
            }
            if self.cut.is_some() {
                let message = "applies to score errors only: give self = { nodes = 600_000 }";
                return Err(source.invalid("reference.cut", message));
            }
            return Ok(());
        };
        let cut = self.cut.unwrap_or(DEFAULT_CUT);
        source.check_range("reference.cut", cut, (1..=10_000).contains(&cut), "1 to 10000")?;
        let limit = self.limit != LimitChoice::default();
        for (is_given, path) in [(self.uci.is_some(), "uci"), (!self.options.is_empty(), "options"), (limit, "limit")] {
            if is_given {
                let message = "is not allowed with `self`: the baseline's own engine judges the scores, with the nodes and options of `self`";
                return Err(source.invalid(&format!("reference.{path}"), message));
            }
        }
        let wrong = |message: String| Err(source.invalid("reference.self", message));
        if file.trace.is_some() {
            return wrong("needs searches, but a trace is only replayed".to_owned());
        }
        if file.sequence.as_ref().is_some_and(|sequence| sequence.self_play > 0) {
            return wrong(
                "needs positions that all variants search, but in self-play each variant reaches others".to_owned(),
            );
        }
        let is_own_engine = |variant: &Variant| variant.external().is_none();
        if is_own_engine(&variants[baseline]) && !own.options.is_empty() {
            return wrong(
                "options: apply to external engines only, ttlab's own judge has an unbounded table: remove them"
                    .to_owned(),
            );
        }
        for variant in variants {
            let name = &variant.name;
            let nodes = variant.limit.nodes.filter(|_| variant.limit.depth.is_none());
            let Some(nodes) = nodes else {
                return wrong(format!(
                    "score errors need a limit of nodes alone: \"{name}\" needs limit = {{ nodes = 20000 }}"
                ));
            };
            if own.nodes <= nodes {
                return wrong(format!(
                    "nodes: {} are no more than the {nodes} of \"{name}\": give far more",
                    own.nodes
                ));
            }
            if is_own_engine(variant) != is_own_engine(&variants[baseline]) {
                let base = &variants[baseline].name;
                return wrong(format!(
                    "the judge of scores is the engine of \"{base}\", and \"{name}\" is another engine"
                ));
            }
        }
        Ok(())
    }
}
