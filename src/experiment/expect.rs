//! `[[expect]]`: a published or known figure or claim, to be compared with the rows.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One `[[expect]]` entry: a filter of rows, and figures or a claim to check.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Expect {
    /// The rows to which the expectation applies, as `column = value`. A row must meet all of these
    /// conditions. A unique suffix of a column's name is enough, so `nodes` is `search.nodes`.
    /// Default: every row.
    #[serde(rename = "where")]
    pub filter: BTreeMap<String, Scalar>,
    /// The origin of the expectation: `published` (an article, which `source` names), `expected`
    /// (theory, or another program) or `asked` (this file's own question).
    pub kind: ClaimOrigin,
    /// Where the figure was published, or how it is known; printed beside the verdict.
    pub source: String,
    /// The published figure or sentence, word for word.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub quote: String,
    /// The claim's author, if not the author of the file's article.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// The claim's article, if not the file's.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub article: String,
    /// A sentence for the reader of the report, printed with the verdict.
    pub note: String,
    /// A comparison instead of figures. Each side is a metric of a variant: `"nodes(always) >
    /// nodes(two-big1)"`. A side can have a factor: `"nodes(no table) > 1.2 * nodes(always)"`.
    pub claim: Option<String>,
    /// The verdict with which `--check` passes: `holds`, unless the published figure is known to be
    /// wrong.
    pub verdict: ExpectedVerdict,
    /// Metric = expected figure, for any counter or column: `evals = 32138`, `nodes = { min = 10,
    /// max = 20 }`.
    #[serde(flatten)]
    pub figures: BTreeMap<String, ExpectedFigure>,
}

/// The origin of an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimOrigin {
    /// An article or book, which `source` names.
    Published,
    /// Theory, or another program, which `source` names.
    Expected,
    /// The file's own question.
    #[default]
    Asked,
}

impl ClaimOrigin {
    pub fn word(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Expected => "expected",
            Self::Asked => "asked",
        }
    }
}

/// A value to compare a column with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a number, text in quotes, true or false")]
pub enum Scalar {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
}

/// The value of an option. A list is a single value, as in the grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a number, text in quotes, true, false, or a list of these")]
pub enum BaselineValue {
    One(Scalar),
    List(Vec<Scalar>),
}

/// The expected figure of a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a number, text in quotes, or limits such as { min = 10, max = 20 }")]
pub enum ExpectedFigure {
    /// Every matching row has exactly this value.
    Exact(Scalar),
    /// An inclusive range for each matching row, or for one statistic of them all.
    Range(Range),
}

impl ExpectedFigure {
    /// Whether exact values are expected, rather than values between a minimum and a maximum.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Exact(_) => true,
            Self::Range(range) => range.exact.is_some() || !range.by_depth.is_empty(),
        }
    }

    /// Describes what is wrong with the figure. Returns `None` if the figure is valid.
    pub(super) fn find_fault(&self) -> Option<String> {
        let Self::Range(range) = self else { return None };
        let Range { min, max, exact, statistic, by_depth, from } = range;
        let kinds = [min.is_some() || max.is_some(), exact.is_some(), !by_depth.is_empty()];
        let kind_count = kinds.iter().filter(|is_given| **is_given).count();
        let first_depth = from.unwrap_or(1);
        let last_depth = usize::from(first_depth) + by_depth.len().saturating_sub(1);
        Some(if kind_count == 0 {
            "has no figure: give a range (`min`, `max` or both), `exact` or `by_depth`".to_owned()
        } else if kind_count > 1 {
            "`min` and `max`, `exact`, and `by_depth` are mutually exclusive: use one of the three".to_owned()
        } else if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            format!("min = {min} is above max = {max}")
        } else if by_depth.is_empty() && from.is_some() {
            "`from` is the depth of the first value in `by_depth`, but `by_depth` is missing".to_owned()
        } else if !by_depth.is_empty() && statistic.is_some() {
            "`of` is not allowed with `by_depth`, because `by_depth` is compared with each row".to_owned()
        } else if !by_depth.is_empty() && (first_depth == 0 || last_depth > usize::from(u8::MAX)) {
            format!("`by_depth` has figures for depths {first_depth} to {last_depth}: depths are from 1 to 255")
        } else {
            return None;
        })
    }
}

/// An inclusive range or exact values of a metric.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Range {
    /// The least allowed value.
    pub min: Option<f64>,
    /// The greatest allowed value.
    pub max: Option<f64>,
    /// The exact value, instead of a range.
    pub exact: Option<f64>,
    /// The statistic of the matching rows to check; default: each row.
    #[serde(rename = "of")]
    pub statistic: Option<Statistic>,
    /// The exact figures of consecutive depths, instead of `min`, `max` or `exact`.
    pub by_depth: Vec<f64>,
    /// The depth of the first figure of `by_depth`; default 1.
    pub from: Option<u8>,
}

/// A statistic of a metric over rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    Min,
    Median,
    Max,
    Mean,
    Sum,
}

/// The verdict with which a check passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExpectedVerdict {
    /// The measured figures agree with the expectation.
    #[default]
    Holds,
    /// They differ: the published figure is known to be an artefact.
    Differs,
    /// Printed, never checked (timings).
    Either,
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Text(value) => f.write_str(value),
        }
    }
}

/// As in the results' columns.
impl std::fmt::Display for BaselineValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::One(value) => write!(f, "{value}"),
            Self::List(values) => f.write_str(&values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
        }
    }
}

/// A metric of a whole variant rather than of a row: the number of searches whose score differs
/// from the score of the baseline's search.
pub const OTHER_SCORES: &str = "other_scores";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::from_toml;

    #[test]
    fn figure_is_exact_if_it_has_no_bounds() {
        #[derive(Deserialize)]
        struct Line {
            nodes: ExpectedFigure,
        }
        let exact = |text: &str| from_toml::<Line>(&format!("nodes = {text}")).unwrap().nodes.is_exact();
        assert!(["3", "{ exact = 0 }", "{ by_depth = [1, 2] }"].into_iter().all(exact));
        assert!(!["{ min = 3, max = 3 }", "{ max = 3 }"].into_iter().any(exact));
    }
}
