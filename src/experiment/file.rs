//! The TOML of an experiment, and the experiment that it means.

use super::choices::SuiteChoice;
use super::expect::{BaselineValue, Expect};
use super::sequence::Sequence;
use super::suites::SuiteEntries;
use super::trace::TraceChoice;
use crate::chess::fault::OnError;
use crate::engine::Limit;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Table;

/// An experiment of ttlab, as its file is written.
// Missing keys take their value from `Default`, except numbers with a default function.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct File {
    /// The experiment's name and that of its folder under `reports/`; default: the file's name.
    pub name: Option<String>,
    /// The question that the experiment answers; the heading of the report.
    pub question: String,
    /// How to read the figures; printed in the report.
    pub analysis: String,
    /// The article whose claims `[[expect]]` checks: `title`, `author`, `year` and `link`. It
    /// stands for the source of expectations of kind `published`.
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, serde_json::Value>>"))]
    pub article: Option<Table>,
    /// The positions: an EPD, FEN or PGN file (looked for beside the experiment file, then in the
    /// working folder), `builtin:NAME` (`builtin:bratko-kopec`; an unknown name lists all), or
    /// `{ startpos = true }`, or `{ fen = "..." }`.
    pub suite: Option<SuiteChoice>,
    /// Several suites by name instead of one: `{ NAME = { file = "FILE", depth = 8 } }`. Each is
    /// searched under its own limit and has its own section of the page; the column `suite` says
    /// which suite a row belongs to.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, super::suites::SuiteEntry>"))]
    pub suites: Option<SuiteEntries>,
    /// A recorded trace instead of a suite: its games are replayed on the tables of all variants,
    /// and nothing is searched (open loop). Only table options have an effect. `search.nodes` is
    /// the number of recorded nodes plus the nodes of the results that a table lost.
    pub trace: Option<TraceChoice>,
    /// What to do with an unreadable position or game: `"stop"` refuses the experiment, `"skip"`
    /// leaves the entry out and the report lists it.
    #[cfg_attr(test, schemars(schema_with = "super::schema::tests::kernel_type::<false>"))]
    pub on_error: OnError,
    /// Whether a run takes minutes: `ttlab reproduce --quick` skips such experiments.
    pub slow: bool,
    /// Use only this many items of the suite, or of each suite.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub first: Option<usize>,
    /// When each search ends.
    #[cfg_attr(test, schemars(schema_with = "super::schema::tests::kernel_type::<true>"))]
    pub limit: Limit,
    /// How often each search is repeated; more than 1 makes timings worth printing.
    #[serde(default = "default_count")]
    #[cfg_attr(test, schemars(range(min = 1, max = 10_000)))]
    pub repeats: u32,
    /// Whether the times matter, as they do with `repeats` above 1: one job at a time unless asked
    /// otherwise, and no rows of other folders, machines or builds.
    pub times: bool,
    /// Number of chains to which the items are dealt if an external engine keeps its process
    /// (`subject.restart = "experiment"`): the first chain has items 1, K + 1, 2 K + 1 and so on,
    /// in this order and in one process. So counts do not depend on `--jobs`, which says how many
    /// chains run at once. A plan has at most as many shards.
    #[serde(default = "default_chains")]
    #[cfg_attr(test, schemars(range(min = 1, max = 10_000)))]
    pub chains: u32,
    /// Folders of results whose rows are taken instead of searched again, or patterns of them,
    /// relative to this file: `["../reports/*"]`.
    pub reuse: Vec<String>,
    /// Number of key seeds for every variant; comparisons use the mean over them.
    #[serde(default = "default_count")]
    #[cfg_attr(test, schemars(range(min = 1, max = 10_000)))]
    pub seeds: u32,
    /// Number of schedules (`threads.seed`) for every variant whose searchers depend on that seed;
    /// comparisons use the mean over them, as over key seeds.
    #[serde(default = "default_count")]
    #[cfg_attr(test, schemars(range(min = 1, max = 10_000)))]
    pub schedules: u32,
    /// The smallest difference that matters to a claim of `[[expect]]`: 0.005 is half a percent.
    #[serde(default = "default_smallest_effect")]
    pub smallest_effect: f64,
    /// The variant that all others are compared with: `{ variant = "no table" }`. Values of
    /// options, such as `{ "table.policy.kind" = "always" }`, name one baseline for each
    /// combination of the other options that vary. Default: the first variant.
    pub baseline: BTreeMap<String, BaselineValue>,
    /// Searches along games instead of single positions.
    pub sequence: Option<Sequence>,
    /// The variants play games from the openings of the suite instead of searching them.
    #[serde(rename = "match")]
    pub games: Option<super::Match>,
    /// How `ttlab tune` races the variants for the best one.
    pub tune: Option<super::Tune>,
    /// How games decide among the variants that remain after the searches.
    pub confirm: Option<super::Confirm>,
    /// The engine under test, a UCI program; default: ttlab's own engine.
    #[cfg_attr(test, schemars(with = "Option<crate::subject::SubjectOptions>"))]
    pub subject: Option<Table>,
    /// The engine whose deep searches judge the moves (centipawns lost, and whether the move is the
    /// same) or the scores.
    pub reference: Option<super::reference::Reference>,
    /// The options of the engine; `preset` names a starting point.
    #[cfg_attr(test, schemars(with = "tests::EngineWithPreset"))]
    pub engine: Table,
    /// Axes: option path = list of values; every combination runs.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Vec<serde_json::Value>>"))]
    pub grid: Table,
    /// Named variants: `name` and option paths.
    #[cfg_attr(test, schemars(with = "Vec<BTreeMap<String, serde_json::Value>>"))]
    pub variant: Vec<Table>,
    /// Axes with several paths that vary together.
    #[cfg_attr(test, schemars(with = "Vec<BTreeMap<String, Vec<serde_json::Value>>>"))]
    pub zip: Vec<Table>,
    /// Combinations of the grid to leave out: all paths must match.
    #[cfg_attr(test, schemars(with = "Vec<BTreeMap<String, serde_json::Value>>"))]
    pub exclude: Vec<Table>,
    /// Published or known figures and claims to check.
    pub expect: Vec<Expect>,
}

impl File {
    pub fn asks_for_times(&self) -> bool {
        self.times || self.repeats > 1
    }
}

fn default_count() -> u32 {
    1
}

/// The default of `chains`.
pub const CHAINS: u32 = 8;

fn default_chains() -> u32 {
    CHAINS
}

/// The default of `smallest_effect`: half a percent.
pub fn default_smallest_effect() -> f64 {
    0.005
}

/// The setting equivalent to `on_error = "skip"`: skip unreadable or duplicate suite entries.
pub const SKIP_BAD: &str = "on_error=skip";

#[cfg(test)]
mod tests {
    /// The engine's options and the preset under them, for the schema.
    #[derive(schemars::JsonSchema)]
    #[allow(dead_code)]
    pub struct EngineWithPreset {
        /// A named starting point that the other options override.
        preset: Option<String>,
    }
}
