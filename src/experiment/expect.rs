//! `[[expect]]`: a published or known figure, and how the rows are held against it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One expectation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expect {
    /// Which rows it speaks of: column (or unique end of a column's name, so `nodes` is `search.nodes`) = value; all
    /// must match. None given: every row.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, Scalar>,
    /// Where the figure was published or how it is known; printed beside the verdict.
    #[serde(default)]
    pub source: String,
    /// A sentence for the reader of the report.
    #[serde(default)]
    pub note: String,
    /// A comparison instead of figures: `"nodes(always) > nodes(two-big1)"`, the sides being a metric of a variant; or
    /// with a factor: `"nodes(no table) > 1.2 * nodes(always)"`.
    #[serde(default)]
    pub claim: Option<String>,
    /// The verdict that keeps a `--check` green: `holds` unless the published figure is known to be wrong.
    #[serde(default)]
    pub verdict: Wanted,
    /// Metric = figure, for any counter or column: `evals = 32138`, `nodes = { min = 10, max = 20 }`.
    #[serde(flatten)]
    pub figures: BTreeMap<String, Figure>,
}

/// A value to match a column with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
}

/// What a metric should be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Figure {
    /// Every matching row has exactly this value.
    Exact(Scalar),
    /// Limits, ends included; of each matching row, or of one statistic of them all.
    Range(Range),
}

/// Limits of a metric.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Range {
    /// At least.
    pub min: Option<f64>,
    /// At most.
    pub max: Option<f64>,
    /// Exactly.
    pub exact: Option<f64>,
    /// Which statistic of the matching rows is meant; without it each row is.
    pub of: Option<Statistic>,
}

/// A statistic over rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Statistic {
    Min,
    Median,
    Max,
    Mean,
    Sum,
}

/// Which verdict is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// The measured figures agree.
    #[default]
    Holds,
    /// They do not: the published figure is an artefact, and the run shows it.
    Differs,
    /// Printed, never gated on (timings).
    Either,
}
