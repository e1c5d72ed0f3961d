//! The table of verdicts, and the wording of verdicts.

use super::contents::Page;
use super::sheet::{Cell, Emphasis, Entries, SheetTable};
use crate::analysis::Verdict;
use crate::analysis::questions::claims::count_rulings;
use crate::experiment::expect::{Claim, ExpectedVerdict, Term};

/// Describes the rows that a verdict is about.
pub(super) fn subject_text(verdict: &Verdict) -> &str {
    if verdict.subject.is_empty() { "all searches" } else { &verdict.subject }
}

/// Describes the outcome of each verdict on a claim in a sentence. If there are many claims, the
/// first sentence has the number of claims by outcome, and only the first few claims are described.
pub(super) fn describe_claims(verdicts: &[Verdict]) -> Vec<String> {
    const MAX_DESCRIBED: usize = 4;
    let claims: Vec<(&Verdict, Claim)> =
        verdicts.iter().filter_map(|verdict| Some((verdict, Claim::parse(&verdict.published).ok()?))).collect();
    let describe_term = |term: &Term| {
        let factor = if term.factor == 1.0 { String::new() } else { format!("{} times ", term.factor) };
        format!("{factor}{} of \"{}\"", term.metric, term.variant)
    };
    let describe_claim = |(verdict, claim): &(&Verdict, Claim)| {
        let subject = if verdict.subject.is_empty() { String::new() } else { format!(" ({})", verdict.subject) };
        let measured = if verdict.measured.is_empty() { "no rows" } else { &verdict.measured };
        let (left, right) = (describe_term(&claim.left), describe_term(&claim.right));
        format!("Claim {}{subject}: {left} {} {right}: {measured}.", verdict.word(), claim.relation.words())
    };
    let mut sentences: Vec<String> = claims.iter().take(MAX_DESCRIBED).map(describe_claim).collect();
    if claims.len() > MAX_DESCRIBED {
        let [holds, differs, undecided] = count_rulings(claims.iter().map(|(verdict, _)| *verdict));
        let counts = format!("Of {} claims, {holds} hold, {differs} differ, {undecided} undecided", claims.len());
        sentences.insert(0, format!("{counts}. The first {MAX_DESCRIBED} are:"));
    }
    sentences
}

/// Returns the table of all verdicts, or `None` if there are no verdicts.
pub(super) fn verdict_table(page: &Page) -> Option<SheetTable> {
    selected_verdicts(page, |_| true)
}

/// Returns the table of the failed verdicts, or `None` if no verdict failed.
pub(super) fn failed_table(page: &Page) -> Option<SheetTable> {
    selected_verdicts(page, |verdict| !verdict.passes())
}

/// Returns a table of the verdicts that `is_listed` selects, or `None` if it selects no verdict.
fn selected_verdicts(page: &Page, is_listed: fn(&Verdict) -> bool) -> Option<SheetTable> {
    let highlight = |verdict: &Verdict| {
        if verdict.is_met() {
            Emphasis::Passed
        } else if verdict.passes() {
            Emphasis::None
        } else {
            Emphasis::Failed
        }
    };
    let entries = verdict_columns(Entries::default(), |verdict: &&Verdict| verdict, highlight)
        .text("source", "source", "", |verdict| {
            let quote = if verdict.quote.is_empty() { String::new() } else { format!("\"{}\"", verdict.quote) };
            let source = [quote.as_str(), &verdict.source, &verdict.note];
            Cell::text(source.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(". "))
        })
        .drop_order(1);
    let verdicts: Vec<&Verdict> = page.verdicts.iter().filter(|verdict| is_listed(verdict)).collect();
    entries.table("verdicts", "Verdicts", &verdicts).with_note(tally(page.verdicts.iter())).non_empty()
}

/// Adds a column for each text of [`verdict_texts`]. `verdict_of` returns the verdict of a line,
/// and `highlight` returns the emphasis of a verdict's outcome.
pub(super) fn verdict_columns<'a, L: 'a>(
    entries: Entries<'a, L>,
    verdict_of: fn(&L) -> &Verdict,
    highlight: fn(&Verdict) -> Emphasis,
) -> Entries<'a, L> {
    let columns = ["what", "verdict", "by", "figure or claim", "measured"].into_iter().enumerate();
    columns.fold(entries, |entries, (index, name)| {
        entries.text(name, name, "", move |line| {
            let verdict = verdict_of(line);
            let emphasis = if name == "verdict" { highlight(verdict) } else { Emphasis::None };
            Cell::text(verdict_texts(verdict)[index]).with_emphasis(emphasis)
        })
    })
}

/// Returns the texts of a verdict in the order of the columns of [`verdict_columns`].
pub(super) fn verdict_texts(verdict: &Verdict) -> [&str; 5] {
    [subject_text(verdict), verdict.word(), verdict.kind.word(), &verdict.published, &verdict.measured]
}

/// Returns a sentence with the number of verdicts by outcome.
pub(super) fn tally<'a>(verdicts: impl Iterator<Item = &'a Verdict> + Clone) -> String {
    let [holds, differs, undecided] = count_rulings(verdicts.clone());
    let expected_count = verdicts.clone().filter(|verdict| verdict.expected != ExpectedVerdict::Either).count();
    let met_count = verdicts.filter(|verdict| verdict.is_met()).count();
    format!(
        "{holds} hold, {differs} differ, {undecided} undecided; {met_count} of {expected_count} expected outcomes met."
    )
}

#[cfg(test)]
pub(super) mod tests;
