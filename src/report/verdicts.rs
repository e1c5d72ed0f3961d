//! The table of verdicts, and the wording of verdicts.

use super::contents::Page;
use super::sheet::{Cell, Emphasis, Entries, Part, Sheet, SheetTable};
use crate::analysis::Verdict;
use crate::analysis::questions::verdict::count_rulings;
use crate::experiment::claim::{Claim, Term};
use crate::experiment::expect::ExpectedVerdict;

/// Describes the outcome of each verdict on a claim in a sentence. If there are many claims, the
/// first sentence has the number of claims by outcome, and only the first few claims are described.
pub(super) fn describe_claims(verdicts: &[Verdict]) -> Vec<String> {
    const MAX_DESCRIBED: usize = 4;
    let claims: Vec<(&Verdict, Claim)> =
        verdicts.iter().filter_map(|verdict| Some((verdict, Claim::parse_ratio(&verdict.published).ok()?))).collect();
    let describe_term = |term: &Term| {
        let factor = if term.factor == 1.0 { String::new() } else { format!("{} times ", term.factor) };
        format!("{factor}{} of \"{}\"", term.metric, term.subject)
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

pub(super) fn verdict_table(page: &Page) -> Option<SheetTable> {
    selected_verdicts(page, |_| true)
}

pub(super) fn failed_table(page: &Page) -> Option<SheetTable> {
    selected_verdicts(page, |verdict| !verdict.passes())
}

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
    let columns = ["what", "verdict", "by", "figure or claim", "measured"].into_iter().enumerate();
    let entries = columns
        .fold(Entries::default(), |entries, (index, name)| {
            entries.text(name, name, "", move |verdict: &&Verdict| {
                let subject = if verdict.subject.is_empty() { "all searches" } else { &verdict.subject };
                let texts = [subject, verdict.word(), verdict.kind.word(), &verdict.published, &verdict.measured];
                let emphasis = if name == "verdict" { highlight(verdict) } else { Emphasis::None };
                Cell::text(texts[index]).with_emphasis(emphasis)
            })
        })
        .text("source", "source", "", |verdict| {
            let quote = if verdict.quote.is_empty() { String::new() } else { format!("\"{}\"", verdict.quote) };
            let source = [quote.as_str(), &verdict.source, &verdict.note];
            Cell::text(source.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(". "))
        })
        .drop_order(1);
    let verdicts: Vec<&Verdict> = page.verdicts.iter().filter(|verdict| is_listed(verdict)).collect();
    entries.table("verdicts", "Verdicts", &verdicts).with_note(tally(page.verdicts.iter())).non_empty()
}

/// Makes the page of several experiments for a terminal. It has the failed verdicts of each
/// experiment, followed by the numbers of verdicts by outcome: a line for each experiment, and the
/// total.
pub fn verdict_sheet(pages: &[Page]) -> Sheet {
    let failed_part = |page: &Page| {
        let title = format!("Missed expectations of {}", page.manifest.planned.name);
        failed_table(page).map(|table| Part::Table(SheetTable { title, note: String::new(), ..table }))
    };
    let mut parts: Vec<Part> = pages.iter().filter_map(failed_part).collect();
    let line = |page: &Page| format!("{}: {}", page.manifest.planned.name, tally(page.verdicts.iter()));
    let total = format!("Verdicts: {}", tally(pages.iter().flat_map(|page| &page.verdicts)));
    parts.push(Part::Findings(pages.iter().map(line).chain([total]).collect()));
    Sheet { kind: "verdicts".to_owned(), name: String::new(), parts }
}

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
