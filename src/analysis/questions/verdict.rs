//! The verdict on a claim, and the one judge of all claims that have an interval.

use crate::experiment::Expect;
use crate::experiment::expect::{ClaimOrigin, ExpectedVerdict};
use crate::experiment::relation::Relation;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ruling {
    Holds,
    Differs,
    /// The rows cannot decide, for example because they are too few or their values are too close.
    Undecided,
    /// A search of the claim ends with a wrong mate, which no expected verdict excuses.
    WrongMate,
    #[default]
    NoRows,
}

impl Ruling {
    /// `holds` says whether the figure or claim holds, or is `None` if there are no rows.
    pub fn from_holds(holds: Option<bool>) -> Self {
        match holds {
            Some(true) => Self::Holds,
            Some(false) => Self::Differs,
            None => Self::NoRows,
        }
    }

    /// Judges the claim "the measured value `relation` the bound" by the value's interval. Values
    /// from `least` to `most` do not differ from the bound by enough to matter. `is_significant`
    /// says whether the value differs from the bound beyond chance.
    ///
    /// A strict claim (`<`) holds if the difference is significant and large enough to matter. It
    /// is contradicted if the interval excludes every difference that is large enough to matter. A
    /// claim of "at most" (`<=`) holds if the interval excludes every increase that matters.
    /// Source: Wellek, "Testing Statistical Hypotheses of Equivalence and Noninferiority", 2010.
    pub fn from_interval(
        relation: Relation,
        [low, mean, high]: [f64; 3],
        [least, most]: [f64; 2],
        is_significant: bool,
    ) -> Self {
        let (is_less, is_more) = (is_significant && mean <= least, is_significant && mean >= most);
        let (is_not_less, is_not_more) = (low > least, high < most);
        let (holds, differs) = match relation {
            Relation::Less => (is_less, is_not_less),
            Relation::More => (is_more, is_not_more),
            Relation::AtMost => (is_not_more, is_more),
            Relation::AtLeast => (is_not_less, is_less),
            Relation::Equal | Relation::NotEqual => (is_not_less && is_not_more, is_less || is_more),
        };
        match (holds, differs) {
            (true, _) => Self::Holds,
            (false, true) => Self::Differs,
            (false, false) => Self::Undecided,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// What the figure or claim is about: the filter, followed by the metric.
    pub subject: String,
    pub published: String,
    pub measured: String,
    pub ruling: Ruling,
    pub kind: ClaimOrigin,
    pub expected: ExpectedVerdict,
    pub source: String,
    pub quote: String,
    pub note: String,
}

impl Verdict {
    pub fn pending(expect: &Expect) -> Self {
        let article = if expect.article.is_empty() { String::new() } else { format!("\"{}\"", expect.article) };
        let citation = [expect.author.as_str(), article.as_str(), expect.source.as_str()];
        Self {
            kind: expect.kind,
            expected: expect.verdict,
            source: citation.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "),
            quote: expect.quote.clone(),
            note: expect.note.clone(),
            ..Self::default()
        }
    }

    /// Whether `--check` accepts the ruling. If `either` is expected, any ruling is accepted as
    /// long as there are rows and no wrong mate. Otherwise only the expected ruling is accepted.
    pub fn passes(&self) -> bool {
        let is_judged = !matches!(self.ruling, Ruling::NoRows | Ruling::WrongMate);
        self.is_met() || self.expected == ExpectedVerdict::Either && is_judged
    }

    /// Whether the ruling is the expected ruling. Returns false if `either` is expected, because
    /// then no ruling is expected.
    pub fn is_met(&self) -> bool {
        match self.expected {
            ExpectedVerdict::Holds => self.ruling == Ruling::Holds,
            ExpectedVerdict::Differs => self.ruling == Ruling::Differs,
            ExpectedVerdict::Either => false,
        }
    }

    pub fn word(&self) -> &'static str {
        match (self.ruling, self.expected) {
            (Ruling::NoRows, _) => "no rows",
            (Ruling::Undecided, _) => "undecided",
            (Ruling::Holds, _) => "holds",
            (Ruling::WrongMate, _) => "fails",
            (Ruling::Differs, ExpectedVerdict::Differs) => "differs (expected)",
            (Ruling::Differs, _) => "differs",
        }
    }
}

/// Returns the numbers of verdicts that hold, that differ, and that decide nothing.
pub fn count_rulings<'a>(verdicts: impl Iterator<Item = &'a Verdict> + Clone) -> [usize; 3] {
    let count = |rulings: &[Ruling]| verdicts.clone().filter(|verdict| rulings.contains(&verdict.ruling)).count();
    [count(&[Ruling::Holds]), count(&[Ruling::Differs, Ruling::WrongMate]), count(&[Ruling::Undecided, Ruling::NoRows])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_is_formatted_as_a_citation() {
        let cite = |author: &str, article: &str, source: &str| {
            let fields = serde_json::json!({ "author": author, "article": article, "source": source });
            Verdict::pending(&serde_json::from_value::<Expect>(fields).expect("an expectation")).source
        };
        assert_eq!(cite("A. Author", "On Tables", "table 3"), "A. Author, \"On Tables\", table 3");
        assert_eq!(
            (cite("", "On Tables", ""), cite("A. Author", "", "p. 7")),
            ("\"On Tables\"".to_owned(), "A. Author, p. 7".to_owned())
        );
    }

    /// Only an interval that lies entirely on one side of the bound decides a claim without a
    /// margin. An end on the bound or an unknown end decides nothing.
    #[test]
    fn interval_without_a_margin_must_exclude_the_bound() {
        use Ruling::{Differs, Holds, Undecided};
        for (low, high, more, less) in [
            (6.0, 9.0, Holds, Differs),
            (5.0, 9.0, Undecided, Undecided),
            (1.0, 9.0, Undecided, Undecided),
            (1.0, 5.0, Undecided, Undecided),
            (1.0, 4.0, Differs, Holds),
            (f64::NAN, f64::NAN, Undecided, Undecided),
        ] {
            let rule = |relation| {
                let excludes_bound = low > 5.0 || high < 5.0;
                Ruling::from_interval(relation, [low, (low + high) / 2.0, high], [5.0; 2], excludes_bound)
            };
            use Relation::{AtLeast, AtMost, Less, More};
            let rulings = [More, AtLeast, Less, AtMost].map(rule);
            assert_eq!(rulings, [more, more, less, less], "{low} to {high}");
        }
    }
}
