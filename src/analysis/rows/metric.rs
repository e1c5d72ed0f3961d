//! Metrics of a search. A metric is the sum of a column over all iterations of the search, the last
//! value of a column, or a rate.

use super::column::Values;
use super::frame::{Frame, FrameError, Lookup};
use crate::experiment::problem::list_quoted;
use crate::record::columns::{self, Role};

/// A figure that is computed for one search or for many searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    pub name: String,
    pub aggregation: Aggregation,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Aggregation {
    Sum(String),
    Last(String),
    /// The sum of one column divided by the sum of another.
    Rate(String, String),
    PerLast(String, String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Count,
    /// A share of 1, shown in percent.
    Share,
    Seconds,
    PerSecond,
    Plain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    #[default]
    Less,
    More,
    /// Neither less nor more is better by itself, as for stores or evictions.
    Neither,
}

/// Columns of which less is better, because they measure effort or error.
const COSTS: [&str; 7] = [
    columns::NODES,
    columns::EVALS,
    columns::SECONDS,
    columns::SCORE_ERROR,
    columns::TICKS,
    columns::MATE_NODES,
    columns::MATE_WRONG,
];

const GAINS: [&str; 9] = [
    "nps",
    "usable_rate",
    "hit_rate",
    "first_cut_rate",
    columns::HITS,
    columns::USABLE,
    columns::SAVED,
    columns::MATE_FOUND,
    columns::MATE_BEST,
];

/// Metrics that are calculated from two columns. Each entry consists of the name, the numerator
/// and the denominator.
pub const DERIVED: &[(&str, &str, &str)] = &[
    ("usable_rate", columns::USABLE, columns::PROBES),
    ("move_rate", columns::MOVE_ONLY, columns::PROBES),
    ("hit_rate", columns::HITS, columns::PROBES),
    ("eviction_rate", columns::EVICTIONS, columns::STORES),
    ("rejection_rate", columns::REJECTIONS, columns::STORES),
    ("first_cut_rate", columns::FIRST_CUTS, columns::CUTS),
    ("nps", columns::NODES, columns::SECONDS),
    ("pressure", columns::STORES, columns::SLOTS),
];

/// Whether a column is summed over the iterations of a search. Of other columns, the last value is
/// used.
fn is_summed(column: &str) -> bool {
    matches!(columns::role(column), Role::Sum | Role::Time)
}

impl Metric {
    /// Finds a metric by name. The name is one of the names in [`DERIVED`], the full name of
    /// a column, or the end of exactly one column's name.
    ///
    /// # Errors
    /// If there is no such metric, or if the column contains text.
    pub fn find(name: &str, frame: &Frame) -> Result<Self, FrameError> {
        if let Some((_, numerator, denominator)) = DERIVED.iter().find(|(derived_name, ..)| *derived_name == name)
            && frame.has(numerator)
            && frame.has(denominator)
        {
            let (numerator, denominator) = ((*numerator).to_owned(), (*denominator).to_owned());
            let aggregation = match is_summed(&denominator) {
                true => Aggregation::Rate(numerator, denominator),
                false => Aggregation::PerLast(numerator, denominator),
            };
            return Ok(Self { name: name.to_owned(), aggregation });
        }
        let column = frame.resolve(name, Lookup::Metric).map_err(|error| match error {
            FrameError::Unknown { name, hint } => {
                let nearest_derived =
                    crate::experiment::problem::nearest(&name, DERIVED.iter().map(|(derived_name, ..)| *derived_name));
                let list_metrics = || {
                    let derived = DERIVED
                        .iter()
                        .filter(|(_, numerator, denominator)| frame.has(numerator) && frame.has(denominator));
                    let counts = ["nodes", "evals", columns::SECONDS].into_iter();
                    let counts = counts.filter(|name| frame.resolve(name, Lookup::Metric).is_ok());
                    let names = counts.chain(derived.map(|(name, ..)| *name));
                    format!("expected one of {}, or another number that `ttlab columns` lists", list_quoted(names))
                };
                FrameError::Unknown { name, hint: nearest_derived.or(hint).or_else(|| Some(list_metrics())) }
            }
            error => error,
        })?;
        if matches!(frame.column(column), Some(Values::Text(_))) {
            return Err(FrameError::NoNumbers(column.to_owned()));
        }
        Ok(Self { name: name.to_owned(), ..Self::from_column(column) })
    }

    /// Finds a metric that is compared by ratios.
    ///
    /// # Errors
    /// As for [`Metric::find`], and if the column contains scores, which may be negative.
    pub fn find_comparable(name: &str, frame: &Frame) -> Result<Self, FrameError> {
        let metric = Self::find(name, frame)?;
        match &metric.aggregation {
            Aggregation::Last(column) if column == columns::SCORE => Err(FrameError::NoRatio(column.clone())),
            _ => Ok(metric),
        }
    }

    /// The column is summed, or read from the last iteration.
    pub fn from_column(column: &str) -> Self {
        let aggregation =
            if is_summed(column) { Aggregation::Sum(column.to_owned()) } else { Aggregation::Last(column.to_owned()) };
        Self { name: column.to_owned(), aggregation }
    }

    pub fn nodes() -> Self {
        Self { name: "nodes".to_owned(), ..Self::from_column(columns::NODES) }
    }

    pub fn is_nodes(&self) -> bool {
        self.aggregation == Aggregation::Sum(columns::NODES.to_owned())
    }

    pub fn better(&self) -> Better {
        let is_gain = |name: &str| GAINS.contains(&name);
        match &self.aggregation {
            Aggregation::Sum(column) | Aggregation::Last(column) if COSTS.contains(&column.as_str()) => Better::Less,
            Aggregation::Sum(column) if is_gain(column) => Better::More,
            _ if is_gain(&self.name) => Better::More,
            _ => Better::Neither,
        }
    }

    pub fn columns(&self) -> Vec<&str> {
        match &self.aggregation {
            Aggregation::Sum(column) | Aggregation::Last(column) => vec![column],
            Aggregation::Rate(numerator, denominator) | Aggregation::PerLast(numerator, denominator) => {
                vec![numerator, denominator]
            }
        }
    }

    /// Whether the means over all searches are compared, instead of the ratios of single searches.
    /// This is so for a metric whose values are often 0.
    pub fn compares_means(&self) -> bool {
        self.is_of_mates() || self.aggregation == Aggregation::Last(columns::SCORE_ERROR.to_owned())
    }

    /// Whether the metric is the share of the searches that say something of a mate.
    fn is_of_mates(&self) -> bool {
        matches!(&self.aggregation, Aggregation::Last(column) if column.starts_with(columns::MATE))
    }

    /// Whether the metric depends on a measured time, which differs between repeats.
    pub fn is_time(&self) -> bool {
        self.columns().into_iter().any(|column| columns::role(column) == Role::Time)
    }

    pub fn unit(&self) -> Unit {
        match &self.aggregation {
            Aggregation::Sum(column) if column == columns::SECONDS => Unit::Seconds,
            Aggregation::Sum(_) => Unit::Count,
            Aggregation::Rate(_, denominator) if denominator == columns::SECONDS => Unit::PerSecond,
            Aggregation::Rate(..) => Unit::Share,
            Aggregation::Last(_) if self.is_of_mates() => Unit::Share,
            Aggregation::PerLast(..) | Aggregation::Last(_) => Unit::Plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each derived figure's numerator and denominator, as documented.
    #[test]
    fn derived_metrics_divide_the_documented_columns() {
        let documented = [
            ("usable_rate", "search.usable", "table.probes"),
            ("move_rate", "search.move_only", "table.probes"),
            ("hit_rate", "table.hits", "table.probes"),
            ("eviction_rate", "table.evictions", "table.stores"),
            ("rejection_rate", "table.rejections", "table.stores"),
            ("first_cut_rate", "search.first_cuts", "search.cuts"),
            ("nps", "search.nodes", "seconds"),
            ("pressure", "table.stores", "slots"),
        ];
        let actual = DERIVED.iter().map(|(name, numerator, denominator)| (*name, *numerator, *denominator));
        assert_eq!(actual.collect::<Vec<_>>(), documented);
    }

    #[test]
    fn metric_is_a_column_or_derived() {
        let text = "variant,position,depth,table.policy.nodes,best,search.nodes,search.cuts,search.first_cuts,seconds,hashfull\n";
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let aggregation_of = |name: &str| Metric::find(name, &frame).unwrap().aggregation;
        assert_eq!(
            aggregation_of("nodes"),
            Aggregation::Sum("search.nodes".to_owned()),
            "a counter goes before an option"
        );
        assert_eq!(aggregation_of("hashfull"), Aggregation::Last("hashfull".to_owned()));
        assert_eq!(aggregation_of("nps"), Aggregation::Rate("search.nodes".to_owned(), "seconds".to_owned()));
        assert!(Metric::find("nps", &frame).unwrap().is_time());
        for (name, expected) in
            [("best", "contains text"), ("nodez", "did you mean `search.nodes`"), ("first_cut_rat", "first_cut_rate")]
        {
            let error = Metric::find(name, &frame).unwrap_err().to_string();
            assert!(error.contains(expected), "{name}: {error}");
        }
        assert!(Metric::find("usable_rate", &frame).is_err(), "its columns are not there");
        for column in ["search.cuts", "search.first_cuts"] {
            let text = format!("variant,position,depth,search.nodes,{column}\n");
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            assert!(Metric::find("first_cut_rate", &frame).is_err(), "one of its columns is not there");
        }
    }
}
