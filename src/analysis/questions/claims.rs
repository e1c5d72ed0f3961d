//! Verdicts: each `[[expect]]` held against the rows.

use super::summary::Summary;
use crate::analysis::pairing::ratio::Ratio;
use crate::analysis::rows::frame::{Frame, FrameError};
use crate::experiment::expect::OTHER_SCORES;
use crate::experiment::expect::{Claim, Expect, Figure, Range, Scalar, Side, Statistic, Wanted};
use crate::record::columns;
use std::collections::BTreeMap;

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
    /// Whether a claim's ratio cannot be told from 1 at 95 %.
    pub noise: bool,
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
            (Some(true), _) if self.noise => "holds, within noise",
            (Some(false), _) if self.noise => "differs, within noise",
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
pub fn verdicts(expects: &[Expect], frame: &Frame, summary: &Summary) -> Result<Vec<Verdict>, FrameError> {
    let mut verdicts = Vec::new();
    for expect in expects {
        let filters: Vec<(&str, String)> = expect
            .filter
            .iter()
            .map(|(key, value)| Ok((frame.resolve(key)?, value.to_string())))
            .collect::<Result<_, FrameError>>()?;
        let rows = frame.select(|row| {
            frame.text(columns::ERROR, row).is_empty()
                && filters.iter().all(|(column, wanted)| frame.text(column, row) == *wanted)
        });
        let subject: Vec<String> = expect
            .filter
            .iter()
            .map(|(key, value)| match key.as_str() {
                columns::VARIANT => value.to_string(),
                _ => format!("{key} {value}"),
            })
            .collect();
        let base = Verdict {
            subject: subject.join(", "),
            published: String::new(),
            measured: String::new(),
            holds: None,
            noise: false,
            wanted: expect.verdict,
            source: expect.source.clone(),
            note: expect.note.clone(),
        };
        for (metric, figure) in &expect.figures {
            if metric == OTHER_SCORES {
                let variant = expect.filter.get(columns::VARIANT).map(ToString::to_string);
                let line = summary.lines.iter().find(|line| Some(&line.name) == variant.as_ref());
                let found: Vec<f64> = line.map(|line| line.other_scores.0 as f64).into_iter().collect();
                let mut verdict = held(&base, metric, figure, found);
                if let Some(line) = line {
                    verdict.measured += &format!(" of {} searches", line.other_scores.1);
                }
                verdicts.push(verdict);
                continue;
            }
            let column = frame.resolve(metric)?;
            match figure {
                Figure::Range(series) if !series.by_depth.is_empty() => {
                    let depths = frame.numbers(columns::DEPTH);
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
            verdicts.push(claim_verdict(&base, expect.claim.as_deref().unwrap_or_default(), &claim, frame, &rows)?);
        }
    }
    Ok(verdicts)
}

/// A claim: the totals decide it; the ratio paired by position, and its interval, stand beside.
fn claim_verdict(
    base: &Verdict,
    text: &str,
    claim: &Claim,
    frame: &Frame,
    rows: &[usize],
) -> Result<Verdict, FrameError> {
    let empty: (&[u32], &[String]) = (&[], &[]);
    let (variants, variant_words) = frame.words(columns::VARIANT).unwrap_or(empty);
    let (positions, _) = frame.words(columns::POSITION).unwrap_or(empty);
    let (games, game_words) = frame.words(columns::GAME).unwrap_or(empty);
    let repeats = frame.numbers(columns::REPEAT);
    // Sums by position, so that iterations and repeats of one search stay together.
    let sums = |side: &Side| -> Result<BTreeMap<u32, (u32, f64)>, FrameError> {
        let numbers = frame.numbers(frame.resolve(&side.metric)?);
        let timed = side.metric == columns::SECONDS;
        let mut sums = BTreeMap::new();
        for &row in rows.iter().filter(|&&row| variant_words[variants[row] as usize] == side.variant) {
            if timed || repeats[row] == 0.0 {
                let alone = games.is_empty() || game_words[games[row] as usize].is_empty();
                let cluster = if alone { positions[row] } else { games[row] };
                sums.entry(positions[row]).or_insert((cluster, 0.0)).1 += numbers[row];
            }
        }
        Ok(sums)
    };
    let (left, right) = (sums(&claim.left)?, sums(&claim.right)?);
    let total = |sums: &BTreeMap<u32, (u32, f64)>| sums.values().map(|(_, value)| value).sum::<f64>();
    let (left_total, right_total) = (total(&left), total(&right));
    let logs: Vec<(u32, f64)> = left
        .iter()
        .filter_map(|(position, (cluster, value))| {
            let (_, other) = right.get(position)?;
            (*value > 0.0 && *other > 0.0).then(|| (*cluster, (value / other).ln()))
        })
        .collect();
    let ratio = Ratio::of(&logs);
    let shown = |value: f64| if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.3}") };
    let mut measured = format!("{} against {}", shown(left_total), shown(right_total));
    if !ratio.low.is_nan() {
        measured += &format!("; ratio {:.3}, 95 % {:.3} to {:.3}, p {:.3}", ratio.mean, ratio.low, ratio.high, ratio.p);
    } else if !logs.is_empty() {
        measured += &format!("; ratio {:.3}", ratio.mean);
    }
    let any = !left.is_empty() && !right.is_empty();
    let holds = claim.holds(claim.left.factor * left_total, claim.right.factor * right_total);
    Ok(Verdict {
        published: text.to_owned(),
        measured,
        holds: any.then_some(holds),
        noise: !ratio.low.is_nan() && !ratio.is_clear(),
        ..base.clone()
    })
}

fn figure_verdict(
    base: &Verdict,
    metric: &str,
    figure: &Figure,
    frame: &Frame,
    column: &str,
    rows: &[usize],
) -> Verdict {
    if let Figure::Exact(Scalar::Text(word)) = figure {
        let found: std::collections::BTreeSet<String> =
            rows.iter().map(|&row| frame.text(column, row).into_owned()).collect();
        let holds = (!rows.is_empty()).then(|| found.iter().all(|text| text == word));
        let measured = found.into_iter().collect::<Vec<_>>().join(", ");
        let subject = format!("{}: {metric}", base.subject);
        return Verdict { subject, published: word.clone(), measured, holds, ..base.clone() };
    }
    let numbers = frame.numbers(column);
    let values: Vec<f64> = rows.iter().map(|&row| numbers[row]).filter(|value| !value.is_nan()).collect();
    held(base, metric, figure, values)
}

/// Values held against a figure.
fn held(base: &Verdict, metric: &str, figure: &Figure, mut values: Vec<f64>) -> Verdict {
    let subject = if base.subject.is_empty() { metric.to_owned() } else { format!("{}: {metric}", base.subject) };
    let range = match figure {
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
