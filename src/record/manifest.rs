//! `manifest.json`: what was run, by which build, on which machine.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a report must say about where its timings come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Processors that this process may use.
    pub cores: usize,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Operating system and architecture.
    pub os: String,
}

/// The build that ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The crate's version.
    pub version: String,
    /// The commit, where it was known at build time.
    pub commit: String,
    /// `release` or `debug`.
    pub profile: String,
}

/// What stands beside the results of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    /// Version of this format.
    pub schema: u32,
    /// The experiment's name.
    pub name: String,
    /// Its question.
    pub question: String,
    /// The suite as the file names it, and its number of items.
    pub suite: String,
    /// Items of the suite.
    pub items: usize,
    /// Whether the items are searched in sequences that share a table.
    pub sequence: bool,
    /// How often each search was made.
    pub repeats: u32,
    /// Key seeds of the baseline.
    pub seeds: u32,
    /// The variants in order, the baseline's further key seeds last.
    pub variants: Vec<String>,
    /// The baseline's name.
    pub baseline: String,
    /// Option columns that vary.
    pub varying: Vec<String>,
    /// Every option of every variant.
    pub options: BTreeMap<String, serde_json::Value>,
    /// Hash of the plan: equal plans give equal counts.
    pub plan: String,
    /// Jobs of the plan.
    pub jobs_total: u64,
    /// Jobs at a time.
    pub jobs: usize,
    /// The build.
    pub build: Build,
    /// The machine.
    pub machine: Machine,
    /// Whether a table of 2 MiB or more lay in huge pages; none where there was none, or the system does not say.
    pub huge_pages: Option<bool>,
    /// When the run began, seconds since 1970 (UTC).
    pub begun: u64,
    /// When it ended; none while it runs or after a kill.
    pub ended: Option<u64>,
}
