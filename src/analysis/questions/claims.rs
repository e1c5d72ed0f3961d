//! Judges each `[[expect]]` of an experiment by the rows, and returns verdicts.

pub use super::claim_result::Ruling;
use super::claim_result::{ClaimResult, VariantSearches};
use super::summary::Summary;
use crate::analysis::rows::column::{SEED, TextColumn};
use crate::analysis::rows::frame::{Frame, FrameError, Lookup};
use crate::experiment::expect::OTHER_SCORES;
use crate::experiment::expect::{
    Claim, ClaimOrigin, Expect, ExpectedFigure, ExpectedVerdict, Range, Scalar, Statistic,
};
use crate::record::columns;
use crate::stats::ratio::Family;
use crate::stats::sample::{mean, median};
use std::collections::BTreeSet;

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
        Self {
            kind: expect.kind,
            expected: expect.verdict,
            source: format_source(expect),
            quote: expect.quote.clone(),
            note: expect.note.clone(),
            ..Self::default()
        }
    }

    /// Whether `--check` accepts the ruling. If `either` is expected, any ruling is accepted as
    /// long as there are rows. Otherwise only the expected ruling is accepted.
    pub fn passes(&self) -> bool {
        self.is_met() || self.expected == ExpectedVerdict::Either && self.ruling != Ruling::NoRows
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
            (Ruling::Differs, ExpectedVerdict::Differs) => "differs (expected)",
            (Ruling::Differs, _) => "differs",
        }
    }
}

pub fn count_rulings<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> [usize; 3] {
    verdicts.fold([0; 3], |mut counts, verdict| {
        let index = match verdict.ruling {
            Ruling::Holds => 0,
            Ruling::Differs => 1,
            Ruling::Undecided | Ruling::NoRows => 2,
        };
        counts[index] += 1;
        counts
    })
}

/// Judges all expectations by the rows. If an expectation cannot be judged, for example because it
/// names an unknown column, its verdict contains the error message instead. The other expectations
/// are judged anyway. If nodes may mislead, all claims on nodes are undecided.
pub fn judge_claims(expects: &[Expect], smallest_effect: f64, frame: &Frame, summary: &Summary) -> Vec<Verdict> {
    let mut judge = ClaimJudge {
        frame,
        summary,
        verdicts: Vec::new(),
        claim_results: Vec::new(),
        all_searches: None,
        clusters: TextColumn::default(),
    };
    for expect in expects {
        let earlier_verdict_count = judge.verdicts.len();
        if let Err(error) = judge.judge_expectation(expect) {
            // Verdicts on other figures of the same expectation are dropped.
            judge.verdicts.truncate(earlier_verdict_count);
            judge.verdicts.push(Verdict {
                subject: describe_filter(expect),
                published: expect.claim.clone().unwrap_or_default(),
                measured: error.to_string(),
                ..Verdict::pending(expect)
            });
        }
    }
    let ClaimJudge { mut verdicts, claim_results, clusters, .. } = judge;
    let minimum_ratio = 1.0 + smallest_effect;
    // All claims of a file are about the same positions, so they are tested jointly.
    let logs_of_claims: Vec<_> = claim_results.iter().map(|claim_result| claim_result.logs.clone()).collect();
    let family = Family::from_samples(&logs_of_claims);
    for (claim_result, judged) in claim_results.iter().zip(&family.lines) {
        let (mut ruling, mut remark) = claim_result.rule(judged, family.tested_count, minimum_ratio);
        if let Some(mislead_reason) = &summary.nodes_mislead_reason
            && claim_result.is_on_nodes
            && ruling != Ruling::NoRows
        {
            (ruling, remark) = (Ruling::Undecided, mislead_reason.clone());
        }
        let verdict = &mut verdicts[claim_result.verdict];
        verdict.ruling = ruling;
        verdict.measured = claim_result.describe_measurement(judged, minimum_ratio, ruling, &remark, &clusters);
    }
    verdicts
}

fn describe_filter(expect: &Expect) -> String {
    let conditions = expect.filter.iter().map(|(key, value)| match key.as_str() {
        columns::VARIANT => value.to_string(),
        _ => format!("{key} {value}"),
    });
    conditions.collect::<Vec<_>>().join(", ")
}

struct ClaimJudge<'a> {
    frame: &'a Frame,
    summary: &'a Summary,
    verdicts: Vec<Verdict>,
    /// The claims and their pairs. The claims are judged together at the end.
    claim_results: Vec<ClaimResult>,
    /// The searches of all rows. They are computed when they are first needed.
    all_searches: Option<VariantSearches>,
    /// The names of positions and games, whose codes all claims share. The numbers in a claim's
    /// searches cannot be used, because they may differ between claims on different rows.
    clusters: TextColumn,
}

impl ClaimJudge<'_> {
    fn judge_expectation(&mut self, expect: &Expect) -> Result<(), Box<dyn std::error::Error>> {
        let frame = self.frame;
        let filters: Vec<(&str, String)> = expect
            .filter
            .iter()
            .map(|(key, value)| Ok((frame.resolve(key, Lookup::Filter)?, value.to_string())))
            .collect::<Result<_, FrameError>>()?;
        let rows = frame.select(|row| {
            frame.text(columns::ERROR, row).is_empty()
                && filters.iter().all(|(column, expected)| frame.text(column, row) == *expected)
        });
        // Figures are judged only by rows of the file's own key seed.
        let seeds = frame.numbers(SEED);
        let own_seed_rows: Vec<usize> =
            rows.iter().copied().filter(|&row| seeds[row].is_nan() || seeds[row] == 0.0).collect();
        let pending = Verdict { subject: describe_filter(expect), ..Verdict::pending(expect) };
        for (metric, figure) in &expect.figures {
            if metric == OTHER_SCORES {
                let variant = expect.filter.get(columns::VARIANT).map(ToString::to_string);
                let line = self.summary.lines.iter().find(|line| Some(&line.name) == variant.as_ref());
                let counts = line.map(|line| line.other_scores);
                let count: Vec<f64> = counts.map(|(other_scores, _)| other_scores as f64).into_iter().collect();
                let mut verdict = check_number(&pending, metric, figure, count);
                if let Some((_, compared)) = counts {
                    verdict.measured += &format!(" of {compared} searches");
                }
                self.verdicts.push(verdict);
                continue;
            }
            let column = frame.resolve(metric, Lookup::Metric)?;
            let (numbers, depths) = (frame.numbers(column), frame.numbers(columns::DEPTH));
            let values_where = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<f64> {
                let rows = own_seed_rows.iter().filter(|row| is_wanted(**row));
                rows.map(|&row| numbers[row]).filter(|value| !value.is_nan()).collect()
            };
            match figure {
                ExpectedFigure::Exact(Scalar::Text(word)) => {
                    let texts = own_seed_rows.iter().map(|&row| frame.text(column, row).into_owned()).collect();
                    self.verdicts.push(check_text(&pending, metric, word, texts));
                }
                ExpectedFigure::Range(series) if !series.by_depth.is_empty() => {
                    for (depth, &value) in (u32::from(series.from.unwrap_or(1))..).zip(&series.by_depth) {
                        let subject = format!("{}, depth {depth}", pending.subject);
                        let pending =
                            Verdict { subject: subject.trim_start_matches(", ").to_owned(), ..pending.clone() };
                        let figure = ExpectedFigure::Exact(Scalar::Float(value));
                        let values = values_where(&|row| depths[row] == f64::from(depth));
                        self.verdicts.push(check_number(&pending, metric, &figure, values));
                    }
                }
                figure => self.verdicts.push(check_number(&pending, metric, figure, values_where(&|_| true))),
            }
        }
        if let Some(text) = &expect.claim {
            let claim = Claim::parse(text)?;
            // All searches are gathered only once, for the claims without a filter.
            let selects_all = rows.len() == frame.rows();
            let selected_rows = (!selects_all).then(|| frame.take(&rows));
            let selected_searches = selected_rows.as_ref().map(VariantSearches::new);
            let searches = match &selected_searches {
                Some(searches) => searches,
                None => self.all_searches.get_or_insert_with(|| VariantSearches::new(frame)),
            };
            let verdict_index = self.verdicts.len();
            let claim_frame = selected_rows.as_ref().unwrap_or(frame);
            self.claim_results.push(searches.pair_claim(verdict_index, claim, claim_frame, &mut self.clusters)?);
            self.verdicts.push(Verdict { published: text.clone(), ..pending });
        }
        Ok(())
    }
}

/// Formats the citation of an expectation: the author, the article and the source.
fn format_source(expect: &Expect) -> String {
    let article = if expect.article.is_empty() { String::new() } else { format!("\"{}\"", expect.article) };
    let parts = [expect.author.as_str(), article.as_str(), expect.source.as_str()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Only the metric is named if the figure is about all rows.
fn figure_subject(pending: &Verdict, metric: &str) -> String {
    if pending.subject.is_empty() { metric.to_owned() } else { format!("{}: {metric}", pending.subject) }
}

/// The expectation holds if all texts in the rows are equal to the expected text.
fn check_text(pending: &Verdict, metric: &str, expected: &str, texts: BTreeSet<String>) -> Verdict {
    let holds = (!texts.is_empty()).then(|| texts.iter().all(|text| text == expected));
    let measured = texts.into_iter().collect::<Vec<_>>().join(", ");
    let subject = figure_subject(pending, metric);
    Verdict { subject, published: expected.to_owned(), measured, ruling: Ruling::from_holds(holds), ..pending.clone() }
}

/// If the figure is a statistic, such as a median, this statistic of the values must agree with the
/// figure. Otherwise all values must agree with the figure.
fn check_number(pending: &Verdict, metric: &str, figure: &ExpectedFigure, mut values: Vec<f64>) -> Verdict {
    let subject = figure_subject(pending, metric);
    let range = match figure {
        ExpectedFigure::Exact(value) => {
            let exact = match value {
                Scalar::Integer(value) => Some(*value as f64),
                Scalar::Float(value) => Some(*value),
                Scalar::Bool(value) => Some(f64::from(u8::from(*value))),
                Scalar::Text(_) => None, // `check_text` judges texts.
            };
            Range { exact, ..Range::default() }
        }
        ExpectedFigure::Range(range) => range.clone(),
    };
    values.sort_by(f64::total_cmp);
    // If the figure is a statistic, the statistic of the values replaces the values.
    if let Some(statistic) = range.statistic {
        values = compute_statistic(statistic, &values).into_iter().collect();
    }
    let is_in_range = |value: &f64| {
        range.exact.is_none_or(|exact| *value == exact)
            && range.min.is_none_or(|min| *value >= min)
            && range.max.is_none_or(|max| *value <= max)
    };
    let measured = match (values.first(), values.last()) {
        (Some(lowest), Some(highest)) if lowest == highest => lowest.to_string(),
        (Some(lowest), Some(highest)) => format!("{lowest} to {highest}"),
        _ => "nothing".to_owned(),
    };
    let prefix = range.statistic.map(|statistic| format!("{statistic:?} ").to_lowercase()).unwrap_or_default();
    let published = match (range.exact, range.min, range.max) {
        (Some(exact), ..) => format!("{prefix}{exact}"),
        (None, Some(min), Some(max)) => format!("{prefix}{min} to {max}"),
        (None, Some(min), None) => format!("{prefix}at least {min}"),
        (None, None, Some(max)) => format!("{prefix}at most {max}"),
        (None, None, None) => prefix,
    };
    let holds = (!values.is_empty()).then(|| values.iter().all(is_in_range));
    Verdict { subject, published, measured, ruling: Ruling::from_holds(holds), ..pending.clone() }
}

/// Computes a statistic of sorted values. Returns `None` if there are no values.
fn compute_statistic(statistic: Statistic, sorted_values: &[f64]) -> Option<f64> {
    let (first, last) = (*sorted_values.first()?, *sorted_values.last()?);
    Some(match statistic {
        Statistic::Min => first,
        Statistic::Max => last,
        Statistic::Sum => sorted_values.iter().sum(),
        Statistic::Mean => mean(sorted_values.iter().copied()),
        Statistic::Median => median(&mut sorted_values.to_vec()),
    })
}

#[cfg(test)]
mod tests {
    use super::super::summary::Question;
    use super::*;
    use crate::decode::from_toml;

    #[test]
    fn source_is_formatted_as_a_citation() {
        let cite = |author: &str, article: &str, source: &str| {
            let fields = serde_json::json!({ "author": author, "article": article, "source": source });
            format_source(&serde_json::from_value::<Expect>(fields).expect("an expectation"))
        };
        assert_eq!(cite("A. Author", "On Tables", "table 3"), "A. Author, \"On Tables\", table 3");
        assert_eq!(
            (cite("", "On Tables", ""), cite("A. Author", "", "p. 7")),
            ("\"On Tables\"".to_owned(), "A. Author, p. 7".to_owned())
        );
    }

    /// The verdicts for two variants, the first with a second key seed.
    fn verdicts(expects: &[&str]) -> Vec<(Ruling, String, String)> {
        let text = "variant,position,depth,search.nodes,best,score,seed\na,p,1,9,e2e4,5,0\na,q,1,7,d2d4,6,0\na,p,1,100,e2e4,5,1\na,q,2,8,d2d4,6,0\n\
            b,p,1,9,e2e4,5,0\nb,q,1,7,e2e4,7,0\nb,q,2,8,e2e4,7,0\nb,r,1,8,e2e4,5,0\n";
        let frame = Frame::parse(text.as_bytes(), "t").unwrap_or_else(|error| panic!("{error}"));
        let question = Question::by_variant(&[], Some("a"));
        let summary = Summary::new(&frame, &question).unwrap_or_else(|error| panic!("{error}"));
        let parse_expectation = |text: &&str| from_toml::<Expect>(text).unwrap_or_else(|error| panic!("{error}"));
        let expects: Vec<Expect> = expects.iter().map(parse_expectation).collect();
        judge_claims(&expects, 0.005, &frame, &summary)
            .into_iter()
            .map(|verdict| (verdict.ruling, verdict.subject, verdict.measured))
            .collect()
    }

    /// A text must be the same in every row. Counts are for the file's own seed. `other_scores`
    /// counts only searches that can be compared.
    #[test]
    fn figure_is_judged_by_all_its_rows() {
        let expected_verdict =
            |ruling: Ruling, subject: &str, measured: &str| vec![(ruling, subject.to_owned(), measured.to_owned())];
        let judge_figure = |filter: &str, figure: &str| verdicts(&[&format!("{figure}\nwhere = {{ {filter} }}")]);
        assert_eq!(judge_figure("variant = 'b'", "best = 'e2e4'"), expected_verdict(Ruling::Holds, "b: best", "e2e4"));
        assert_eq!(
            judge_figure("variant = 'a'", "best = 'e2e4'"),
            expected_verdict(Ruling::Differs, "a: best", "d2d4, e2e4")
        );
        assert_eq!(judge_figure("variant = 'c'", "best = 'e2e4'"), expected_verdict(Ruling::NoRows, "c: best", ""));
        assert_eq!(judge_figure("", "best = 'e2e4'"), expected_verdict(Ruling::Differs, "best", "d2d4, e2e4"));
        assert_eq!(judge_figure("variant = 'a', depth = 1", "nodes = { min = 7, max = 9 }")[0].2, "7 to 9");
        assert_eq!(
            judge_figure("variant = 'a', depth = 1", "nodes = { of = 'sum', exact = 16 }"),
            expected_verdict(Ruling::Holds, "depth 1, a: nodes", "16")
        );
        assert_eq!(
            judge_figure("variant = 'b'", "other_scores = 1"),
            expected_verdict(Ruling::Holds, "b: other_scores", "1 of 2 searches")
        );
        // Bounds are inclusive, and all values must satisfy them: 9 and 7, or 9, 7, 8 and 8.
        for (variant, figure, ruling) in [
            ("a', depth = 1", "{ min = 7, max = 9 }", Ruling::Holds),
            ("a', depth = 1", "{ min = 8 }", Ruling::Differs),
            ("a', depth = 1", "{ max = 8 }", Ruling::Differs),
            ("a', depth = 1", "{ min = 10 }", Ruling::Differs),
            ("a', depth = 1", "{ max = 6 }", Ruling::Differs),
            ("a', depth = 1", "8", Ruling::Differs),
            ("b', depth = 2", "8", Ruling::Holds),
            ("b'", "{ of = 'min', exact = 7 }", Ruling::Holds),
            ("b'", "{ of = 'max', exact = 9 }", Ruling::Holds),
            ("b'", "{ of = 'mean', exact = 8 }", Ruling::Holds),
            ("b'", "{ of = 'median', exact = 8 }", Ruling::Holds),
            ("b'", "{ of = 'sum', exact = 32 }", Ruling::Holds),
        ] {
            assert_eq!(
                judge_figure(&format!("variant = '{variant}"), &format!("nodes = {figure}"))[0].0,
                ruling,
                "{variant} {figure}"
            );
        }
        // Scores of 5, 6 and 6, so the median differs from the mean.
        for (statistic, expected) in [("min", "5"), ("median", "6"), ("max", "6"), ("sum", "17")] {
            let result =
                judge_figure("variant = 'a'", &format!("score = {{ of = '{statistic}', exact = {expected} }}"));
            assert_eq!(result, expected_verdict(Ruling::Holds, "a: score", expected));
        }
        assert_eq!(
            judge_figure("variant = 'a'", "score = { of = 'mean', min = 5.66, max = 5.67 }")[0].0,
            Ruling::Holds
        );
        let series = judge_figure("variant = 'b', position = 'q'", "nodes = { by_depth = [7, 9] }");
        let rulings: Vec<_> = series
            .iter()
            .map(|(ruling, subject, _)| (*ruling, subject.split(", ").last().unwrap_or_default()))
            .collect();
        assert_eq!(rulings, [(Ruling::Holds, "depth 1: nodes"), (Ruling::Differs, "depth 2: nodes")]);
    }

    /// An expectation with an unknown column is not judged, and its verdict says why. The others
    /// get the same verdicts as without it.
    #[test]
    fn expectation_that_cannot_be_judged_affects_no_other() {
        let (figure, claim) = (
            "nodes = { of = 'sum', exact = 16 }\nwhere = { variant = 'a', depth = 1 }",
            "claim = 'nodes(b) < nodes(a)'",
        );
        let alone = verdicts(&[figure, claim]);
        for (invalid, expected_subject, message) in [
            ("best = 'e2e4'\nnowhere = 3\nwhere = { variant = 'b' }", "b", "nowhere"),
            ("best = 'e2e4'\nwhere = { nowhere = 3 }", "nowhere 3", "nowhere"),
            ("claim = 'b < a'", "", "expected"),
        ] {
            let with_invalid = verdicts(&[figure, invalid, claim]);
            assert_eq!((alone.len(), with_invalid.len()), (2, 3), "{invalid}");
            assert_eq!((&with_invalid[0], &with_invalid[2]), (&alone[0], &alone[1]));
            let (ruling, subject, measured) = &with_invalid[1];
            assert_eq!((*ruling, subject.as_str()), (Ruling::NoRows, expected_subject));
            assert!(measured.contains(message), "{measured}");
        }
    }
}
