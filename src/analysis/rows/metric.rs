//! What can be asked of a search: a column summed over its iterations, the last one's value, or a rate.

use super::frame::{Frame, FrameError, Sought};
use crate::record::columns::{self, Role};

/// A figure of a search or of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// Its name, as the user gave it or as derived figures are called.
    pub name: String,
    /// How it comes out of the rows.
    pub how: How,
}

/// How a metric comes out of the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// The sum of a column over the iterations.
    Sum(String),
    /// A column's value at the end of the last iteration.
    Last(String),
    /// One sum by another.
    Rate(String, String),
    /// A sum by a value at the end.
    PerLast(String, String),
}

/// How a metric's values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A whole number of things.
    Count,
    /// A part of one, in percent.
    Share,
    /// Seconds.
    Seconds,
    /// Things in a second.
    PerSecond,
    /// Any other number.
    Plain,
}

/// Figures that no column holds: name, what is divided by what, meaning.
pub const DERIVED: &[(&str, &str, &str, &str)] = &[
    ("usable_rate", columns::USABLE, columns::PROBES, "Share of the probes that ended their node."),
    ("move_rate", columns::MOVE_ONLY, columns::PROBES, "Share of the probes that only gave a move."),
    ("hit_rate", columns::HITS, columns::PROBES, "Share of the probes that met their key."),
    ("eviction_rate", columns::EVICTIONS, columns::STORES, "Share of the stores that displaced another position."),
    ("rejection_rate", columns::REJECTIONS, columns::STORES, "Share of the stores that were refused."),
    (
        "first_cut_rate",
        columns::FIRST_CUTS,
        columns::CUTS,
        "Share of the nodes that failed high with their first move.",
    ),
    ("nps", columns::NODES, columns::SECONDS, "Nodes in a second."),
    ("pressure", columns::STORES, columns::SLOTS, "Stores for each slot of the table."),
];

/// Whether a column adds up over the iterations of a search; of others the value at its end is meant.
fn adds_up(column: &str) -> bool {
    matches!(columns::role(column), Role::Sum | Role::Time)
}

impl Metric {
    /// A metric by its name: a derived one, or a column by its name or the unique end of it.
    ///
    /// # Errors
    /// When there is none, the column holds words, or thin rows do not keep it by row.
    pub fn find(name: &str, frame: &Frame) -> Result<Self, FrameError> {
        let metric = Self::find_any(name, frame)?;
        let partial = frame.lacks().and_then(|lacks| {
            let column = metric.columns().into_iter().find(|column| lacks.is_partial(column))?;
            lacks.error(column)
        });
        partial.map_or(Ok(metric), |lack| Err(lack.into()))
    }

    fn find_any(name: &str, frame: &Frame) -> Result<Self, FrameError> {
        if let Some((_, num, den, _)) = DERIVED.iter().find(|(known, ..)| *known == name)
            && frame.has(num)
            && frame.has(den)
        {
            let (num, den) = ((*num).to_owned(), (*den).to_owned());
            let how = if adds_up(&den) { How::Rate(num, den) } else { How::PerLast(num, den) };
            return Ok(Self { name: name.to_owned(), how });
        }
        let column = frame.resolve(name, Sought::Figure).map_err(|error| match error {
            FrameError::Unknown { name, hint } => {
                let derived = crate::experiment::problem::nearest(&name, DERIVED.iter().map(|(known, ..)| *known));
                FrameError::Unknown { name, hint: derived.or(hint) }
            }
            other => other,
        })?;
        if frame.words(column).is_some() {
            return Err(FrameError::NoNumbers(column.to_owned()));
        }
        Ok(Self { name: name.to_owned(), ..Self::of(column) })
    }

    /// As [`Metric::find`], but none that has no ratio.
    ///
    /// # Errors
    /// As there, and where the column holds scores.
    pub fn compared(name: &str, frame: &Frame) -> Result<Self, FrameError> {
        let metric = Self::find(name, frame)?;
        match &metric.how {
            How::Last(column) if column == columns::SCORE => Err(FrameError::NoRatio(column.clone())),
            _ => Ok(metric),
        }
    }

    /// A column: its sum, or its last value where it does not add up.
    pub fn of(column: &str) -> Self {
        let how = if adds_up(column) { How::Sum(column.to_owned()) } else { How::Last(column.to_owned()) };
        Self { name: column.to_owned(), how }
    }

    /// The nodes.
    pub fn nodes() -> Self {
        Self { name: "nodes".to_owned(), ..Self::of(columns::NODES) }
    }

    /// Whether it is the nodes of a search.
    pub fn is_nodes(&self) -> bool {
        self.how == How::Sum(columns::NODES.to_owned())
    }

    /// The columns that it is made of.
    pub fn columns(&self) -> Vec<&str> {
        match &self.how {
            How::Sum(column) | How::Last(column) => vec![column],
            How::Rate(num, den) | How::PerLast(num, den) => vec![num, den],
        }
    }

    /// Whether values of it are often 0, so that means are compared and not single ratios: that of a search is the search's as a whole.
    pub fn compares_means(&self) -> bool {
        self.how == How::Last(columns::SCORE_ERROR.to_owned())
    }

    /// Whether it is a measured time: different in each repeat.
    pub fn is_time(&self) -> bool {
        self.columns().into_iter().any(|column| columns::role(column) == Role::Time)
    }

    /// How its values are written.
    pub fn unit(&self) -> Unit {
        match &self.how {
            How::Sum(column) if column == columns::SECONDS => Unit::Seconds,
            How::Sum(_) => Unit::Count,
            How::Rate(_, den) if den == columns::SECONDS => Unit::PerSecond,
            How::Rate(..) => Unit::Share,
            How::PerLast(..) | How::Last(_) => Unit::Plain,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// What each derived figure divides, as its documentation has it.
    #[test]
    fn derived_figures_divide_what_they_say() {
        let by_hand = [
            ("usable_rate", "search.usable", "table.probes"),
            ("move_rate", "search.move_only", "table.probes"),
            ("hit_rate", "table.hits", "table.probes"),
            ("eviction_rate", "table.evictions", "table.stores"),
            ("rejection_rate", "table.rejections", "table.stores"),
            ("first_cut_rate", "search.first_cuts", "search.cuts"),
            ("nps", "search.nodes", "seconds"),
            ("pressure", "table.stores", "slots"),
        ];
        assert_eq!(DERIVED.iter().map(|(name, over, under, _)| (*name, *over, *under)).collect::<Vec<_>>(), by_hand);
    }

    #[test]
    fn metrics_are_columns_or_derived() {
        let text = "variant,position,depth,table.policy.nodes,best,search.nodes,search.cuts,search.first_cuts,seconds,hashfull\n";
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let how = |name: &str| Metric::find(name, &frame).unwrap().how;
        assert_eq!(how("nodes"), How::Sum("search.nodes".to_owned()), "a counter goes before an option");
        assert_eq!(how("hashfull"), How::Last("hashfull".to_owned()));
        assert_eq!(how("nps"), How::Rate("search.nodes".to_owned(), "seconds".to_owned()));
        assert!(Metric::find("nps", &frame).unwrap().is_time());
        for (name, expected) in
            [("best", "words"), ("nodez", "did you mean `search.nodes`"), ("first_cut_rat", "first_cut_rate")]
        {
            let error = Metric::find(name, &frame).unwrap_err().to_string();
            assert!(error.contains(expected), "{name}: {error}");
        }
        assert!(Metric::find("usable_rate", &frame).is_err(), "its columns are not there");
        for only in ["search.cuts", "search.first_cuts"] {
            let half = Frame::parse(format!("variant,position,depth,search.nodes,{only}\n").as_bytes(), "t").unwrap();
            assert!(Metric::find("first_cut_rate", &half).is_err(), "one of its columns is not there");
        }
    }
}
