//! `[reference]`: who says how good the results of searches are. Another engine judges the moves; the baseline's own engine, with far more nodes
//! and a table that is never full, judges the scores.

use super::file::{File, LimitChoice};
use super::grid::Variant;
use super::problem::Problem;
use super::text::FileText;
use crate::subject::options::{OptionValue, ProgramWords};
use serde::Deserialize;
use std::collections::BTreeMap;

/// `[reference]`: either `uci` with its options and limit, or `self`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Reference {
    /// The engine that judges the moves, as in `[subject]`; `"builtin"`: ttlab's own with its default options.
    pub uci: Option<ProgramWords>,
    /// Its options.
    pub options: BTreeMap<String, OptionValue>,
    /// How far it searches: much further than what is judged.
    pub limit: LimitChoice,
    /// The baseline's own engine judges the scores: the metric `score_error`.
    #[serde(rename = "self")]
    pub own_search: Option<OwnSearch>,
    /// Centipawns at which a score error is cut: 150 without it.
    #[cfg_attr(test, schemars(range(min = 1, max = 10_000)))]
    pub cut: Option<u32>,
}

/// The search of the baseline's own engine by which scores are judged: once for all variants.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OwnSearch {
    /// Its nodes: far more than any variant has.
    pub nodes: u64,
    /// Of an engine that is not ttlab's, options laid over the baseline's: above all a `Hash` that is never full. Ttlab's own search has a table
    /// without a bound.
    #[serde(default)]
    pub options: BTreeMap<String, OptionValue>,
}

/// Centipawns at which a score error is cut where the file names none: of a position that is won or lost a further pawn says little.
const DEFAULT_CUT: u32 = 150;

impl Reference {
    /// Where score errors are cut, where scores are judged.
    pub fn score_cut(&self) -> Option<u32> {
        self.own_search.as_ref().map(|_| self.cut.unwrap_or(DEFAULT_CUT))
    }

    /// The options of the judge that the file sets: of another engine.
    pub fn judge_options(&self) -> &BTreeMap<String, OptionValue> {
        self.own_search.as_ref().map_or(&self.options, |own| &own.options)
    }

    /// Checks it against the rest of the file.
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
                let what = "judges nothing: give uci = \"ENGINE\" with a limit (moves), or self = { nodes = 600_000 } (scores)";
                return Err(source.invalid("reference", what));
            }
            if self.cut.is_some() {
                let what = "cuts score errors, and another engine judges moves: give self = { nodes = 600_000 }";
                return Err(source.invalid("reference.cut", what));
            }
            return Ok(());
        };
        let cut = self.cut.unwrap_or(DEFAULT_CUT);
        source.check_range("reference.cut", cut, (1..=10_000).contains(&cut), "1 to 10000")?;
        let limit = self.limit != LimitChoice::default();
        for (given, path) in [(self.uci.is_some(), "uci"), (!self.options.is_empty(), "options"), (limit, "limit")] {
            if given {
                let what = "does not go with `self`: the baseline's own engine judges the scores, with the nodes and options of `self`";
                return Err(source.invalid(&format!("reference.{path}"), what));
            }
        }
        let at = |what: String| Err(source.invalid("reference.self", what));
        if file.trace.is_some() {
            return at("judges searches, and of a trace nothing is searched".to_owned());
        }
        if file.sequence.as_ref().is_some_and(|sequence| sequence.self_play > 0) {
            return at("judges positions that all variants search, and along its own play each stands before others"
                .to_owned());
        }
        let ours = |variant: &Variant| variant.external().is_none();
        if ours(&variants[baseline]) && !own.options.is_empty() {
            return at(
                "options: are of an engine that is not ttlab's own, whose table has no bound here: leave them out"
                    .to_owned(),
            );
        }
        for variant in variants {
            let name = &variant.name;
            let nodes = variant.limit.nodes.filter(|_| variant.limit.depth.is_none());
            let Some(nodes) = nodes else {
                return at(format!(
                    "a score error is that of so many nodes: \"{name}\" needs limit = {{ nodes = 20000 }} alone"
                ));
            };
            if own.nodes <= nodes {
                return at(format!("nodes: {} are no more than the {nodes} of \"{name}\": give far more", own.nodes));
            }
            if ours(variant) != ours(&variants[baseline]) {
                let base = &variants[baseline].name;
                return at(format!(
                    "scores are judged by the own search of \"{base}\", and \"{name}\" is another engine"
                ));
            }
        }
        Ok(())
    }
}
