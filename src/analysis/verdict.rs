//! Verdicts: each `[[expect]]` held against the rows.

use super::frame::{Frame, FrameError};
use crate::experiment::expect::{Claim, Expect, Figure, Range, Scalar, Statistic, Wanted};

/// One figure or claim and what was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// What the figure speaks of: the filter, then the metric or the claim.
    pub subject: String,
    /// The published or known figure.
    pub published: String,
    /// What was measured.
    pub measured: String,
    /// Whether they agree; none where no row matches.
    pub holds: Option<bool>,
    /// What was wanted.
    pub wanted: Wanted,
    /// Where the figure comes from.
    pub source: String,
    /// A sentence for the reader.
    pub note: String,
}

impl Verdict {
    /// Whether a gate lets it pass.
    #[must_use]
    pub fn passes(&self) -> bool {
        match (self.wanted, self.holds) {
            (_, None) => false,
            (Wanted::Holds, Some(holds)) => holds,
            (Wanted::Differs, Some(holds)) => !holds,
            (Wanted::Either, Some(_)) => true,
        }
    }

    /// The verdict in a word or two.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match (self.holds, self.wanted) {
            (None, _) => "no rows",
            (Some(true), _) => "holds",
            (Some(false), Wanted::Differs) => "differs, as it should",
            (Some(false), _) => "differs",
        }
    }
}

/// Holds all expectations against the rows.
///
/// # Errors
/// When one speaks of a column that is not there.
pub fn verdicts(expects: &[Expect], frame: &Frame) -> Result<Vec<Verdict>, FrameError> {
    let mut verdicts = Vec::new();
    for expect in expects {
        let filters: Vec<(&str, String)> = expect
            .filter
            .iter()
            .map(|(key, value)| Ok((frame.resolve(key)?, value.to_string())))
            .collect::<Result<_, FrameError>>()?;
        let rows = frame.select(|row| {
            frame.text("error", row).is_empty()
                && filters.iter().all(|(column, wanted)| frame.text(column, row) == *wanted)
        });
        let subject: Vec<String> = expect
            .filter
            .iter()
            .map(|(key, value)| match key.as_str() {
                "variant" => value.to_string(),
                _ => format!("{key} {value}"),
            })
            .collect();
        let base = Verdict {
            subject: subject.join(", "),
            published: String::new(),
            measured: String::new(),
            holds: None,
            wanted: expect.verdict,
            source: expect.source.clone(),
            note: expect.note.clone(),
        };
        for (metric, figure) in &expect.figures {
            let column = frame.resolve(metric)?;
            match figure {
                Figure::Range(series) if !series.by_depth.is_empty() => {
                    let depths = frame.numbers("depth");
                    for (depth, &value) in (series.from.unwrap_or(1)..).zip(&series.by_depth) {
                        let subject = format!("{}, depth {depth}", base.subject);
                        let base = Verdict { subject: subject.trim_start_matches(", ").to_owned(), ..base.clone() };
                        let rows: Vec<usize> =
                            rows.iter().copied().filter(|&row| depths[row] == f64::from(depth)).collect();
                        let figure = Figure::Range(Range { exact: Some(value), ..Range::default() });
                        verdicts.push(figure_verdict(&base, metric, &figure, frame, column, &rows));
                    }
                }
                figure => verdicts.push(figure_verdict(&base, metric, figure, frame, column, &rows)),
            }
        }
        if let Some(claim) = expect.claim.as_ref().and_then(|claim| Claim::parse(claim).ok()) {
            let total = |side: &crate::experiment::expect::Side| -> Result<f64, FrameError> {
                let numbers = frame.numbers(frame.resolve(&side.metric)?);
                let mine = rows.iter().filter(|&&row| frame.text("variant", row) == side.variant);
                Ok(mine.map(|&row| numbers[row]).sum())
            };
            let (left, right) = (total(&claim.left)?, total(&claim.right)?);
            let measured = left > 0.0 || right > 0.0;
            verdicts.push(Verdict {
                published: expect.claim.clone().unwrap_or_default(),
                measured: format!("{left} against {right} (ratio {:.4})", left / right),
                holds: measured.then(|| claim.holds(left, claim.right.factor * right / claim.left.factor)),
                ..base.clone()
            });
        }
    }
    Ok(verdicts)
}

fn figure_verdict(
    base: &Verdict,
    metric: &str,
    figure: &Figure,
    frame: &Frame,
    column: &str,
    rows: &[usize],
) -> Verdict {
    let subject = if base.subject.is_empty() { metric.to_owned() } else { format!("{}: {metric}", base.subject) };
    let range = match figure {
        Figure::Exact(Scalar::Text(word)) => {
            let found: std::collections::BTreeSet<String> = rows.iter().map(|&row| frame.text(column, row)).collect();
            let holds = (!rows.is_empty()).then(|| found.iter().all(|text| text == word));
            let measured = found.into_iter().collect::<Vec<_>>().join(", ");
            return Verdict { subject, published: word.clone(), measured, holds, ..base.clone() };
        }
        Figure::Exact(value) => {
            let exact = match value {
                Scalar::Integer(value) => Some(*value as f64),
                Scalar::Float(value) => Some(*value),
                Scalar::Bool(value) => Some(f64::from(u8::from(*value))),
                Scalar::Text(_) => None,
            };
            Range { exact, ..Range::default() }
        }
        Figure::Range(range) => range.clone(),
    };
    let numbers = frame.numbers(column);
    let mut values: Vec<f64> = rows.iter().map(|&row| numbers[row]).filter(|value| !value.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    if let Some(statistic) = range.of {
        values = statistic_of(statistic, &values).into_iter().collect();
    }
    let inside = |value: &f64| {
        range.exact.is_none_or(|exact| *value == exact)
            && range.min.is_none_or(|min| *value >= min)
            && range.max.is_none_or(|max| *value <= max)
    };
    let measured = match (values.first(), values.last()) {
        (Some(low), Some(high)) if low == high => low.to_string(),
        (Some(low), Some(high)) => format!("{low} to {high}"),
        _ => "nothing".to_owned(),
    };
    let of = range.of.map(|statistic| format!("{statistic:?} ").to_lowercase()).unwrap_or_default();
    let published = match (range.exact, range.min, range.max) {
        (Some(exact), ..) => format!("{of}{exact}"),
        (None, Some(min), Some(max)) => format!("{of}{min} to {max}"),
        (None, Some(min), None) => format!("{of}at least {min}"),
        (None, None, Some(max)) => format!("{of}at most {max}"),
        (None, None, None) => of,
    };
    let holds = (!values.is_empty()).then(|| values.iter().all(inside));
    Verdict { subject, published, measured, holds, ..base.clone() }
}

/// A statistic of sorted values.
fn statistic_of(statistic: Statistic, sorted: &[f64]) -> Option<f64> {
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    let middle = sorted.len() / 2;
    Some(match statistic {
        Statistic::Min => first,
        Statistic::Max => last,
        Statistic::Sum => sorted.iter().sum(),
        Statistic::Mean => sorted.iter().sum::<f64>() / sorted.len() as f64,
        Statistic::Median if sorted.len().is_multiple_of(2) => (sorted[middle - 1] + sorted[middle]) / 2.0,
        Statistic::Median => sorted[middle],
    })
}
