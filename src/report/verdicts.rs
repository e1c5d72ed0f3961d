//! The table of verdicts, and how each is worded.

use super::contents::Page;
use super::sheet::{Cell, Emphasis, Entries, SheetTable};
use crate::analysis::Verdict;
use crate::analysis::questions::claims::count_rulings;
use crate::experiment::expect::{Claim, ExpectedVerdict, Term};

/// The rows that a verdict is about.
pub(super) fn subject_text(verdict: &Verdict) -> &str {
    if verdict.subject.is_empty() { "all searches" } else { &verdict.subject }
}

/// What became of the claims, in words; of many the first few, and how many hold.
pub(super) fn describe_claims(verdicts: &[Verdict]) -> Vec<String> {
    const SHOWN: usize = 4;
    let claims: Vec<(&Verdict, Claim)> =
        verdicts.iter().filter_map(|verdict| Some((verdict, Claim::parse(&verdict.published).ok()?))).collect();
    let term = |term: &Term| {
        let factor = if term.factor == 1.0 { String::new() } else { format!("{} times ", term.factor) };
        format!("{factor}{} of \"{}\"", term.metric, term.variant)
    };
    let sentence = |(verdict, claim): &(&Verdict, Claim)| {
        let about = if verdict.subject.is_empty() { String::new() } else { format!(" ({})", verdict.subject) };
        let measured = if verdict.measured.is_empty() { "no rows" } else { &verdict.measured };
        let (left, right) = (term(&claim.left), term(&claim.right));
        format!("Claim {}{about}: {left} {} {right}: {measured}.", verdict.word(), claim.relation.words())
    };
    let mut sentences: Vec<String> = claims.iter().take(SHOWN).map(sentence).collect();
    if claims.len() > SHOWN {
        let [holds, differs, open] = count_rulings(claims.iter().map(|(verdict, _)| *verdict));
        sentences.insert(
            0,
            format!("Of {} claims {holds} hold, {differs} differ, {open} undecided; the first {SHOWN}:", claims.len()),
        );
    }
    sentences
}

/// The verdicts; only the failed ones unless `all`.
pub(super) fn verdict_table(page: &Page, all: bool) -> Option<SheetTable> {
    let mark = |verdict: &Verdict| match (verdict.is_met(), verdict.passes()) {
        (true, _) => Emphasis::Passed,
        (false, true) => Emphasis::None,
        (false, false) => Emphasis::Failed,
    };
    let entries = verdict_columns(Entries::default(), |verdict: &&Verdict| verdict, mark)
        .text("source", "source", "", |verdict| {
            let quote = if verdict.quote.is_empty() { String::new() } else { format!("\"{}\"", verdict.quote) };
            let source = [quote.as_str(), &verdict.source, &verdict.note];
            Cell::text(source.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(". "))
        })
        .drop_order(1);
    let shown: Vec<&Verdict> = page.verdicts.iter().filter(|verdict| all || !verdict.passes()).collect();
    entries.table("verdicts", "Verdicts", &shown).with_note(tally(page.verdicts.iter())).non_empty()
}

/// Adds the columns of [`verdict_texts`]. `mark`: how the outcome is highlighted.
pub(super) fn verdict_columns<'a, L: 'a>(
    entries: Entries<'a, L>,
    verdict: fn(&L) -> &Verdict,
    mark: fn(&Verdict) -> Emphasis,
) -> Entries<'a, L> {
    let columns = ["what", "verdict", "by", "figure or claim", "measured"].into_iter().enumerate();
    columns.fold(entries, |entries, (at, name)| {
        entries.text(name, name, "", move |line| {
            let emphasis = if name == "verdict" { mark(verdict(line)) } else { Emphasis::None };
            Cell::text(verdict_texts(verdict(line))[at]).with_emphasis(emphasis)
        })
    })
}

/// The texts of a verdict: what, verdict, by whom, the figure or claim, and what was measured.
pub(super) fn verdict_texts(verdict: &Verdict) -> [&str; 5] {
    [subject_text(verdict), verdict.word(), verdict.kind.word(), &verdict.published, &verdict.measured]
}

/// The number of verdicts by outcome, in a sentence.
pub(super) fn tally<'a>(verdicts: impl Iterator<Item = &'a Verdict> + Clone) -> String {
    let [holds, differs, open] = count_rulings(verdicts.clone());
    let gated = verdicts.clone().filter(|verdict| verdict.expected != ExpectedVerdict::Either).count();
    let as_expected = verdicts.filter(|verdict| verdict.is_met()).count();
    format!("{holds} hold, {differs} differ, {open} undecided; {as_expected} of {gated} expected outcomes met.")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::analysis::questions::claims::Ruling;
    use crate::experiment::expect::ClaimOrigin;

    /// A verdict about `subject`.
    pub(in super::super) fn verdict(subject: &str, expected: ExpectedVerdict, ruling: Ruling) -> Verdict {
        Verdict {
            subject: subject.to_owned(),
            published: "90".to_owned(),
            measured: "91".to_owned(),
            ruling,
            kind: ClaimOrigin::Published,
            expected,
            source: "p. 9".to_owned(),
            quote: String::new(),
            note: String::new(),
        }
    }

    /// A verdict that passes without being met has no mark.
    #[test]
    fn verdict_table_marks_and_counts_outcomes() {
        use Ruling::{Differs, Holds, NoRows, Undecided};
        let quoted =
            Verdict { quote: "so".to_owned(), note: "N".to_owned(), ..verdict("d", ExpectedVerdict::Either, Differs) };
        let page = Page {
            verdicts: vec![
                verdict("", ExpectedVerdict::Holds, Holds),
                verdict("b", ExpectedVerdict::Holds, Undecided),
                verdict("c", ExpectedVerdict::Differs, Differs),
                quoted,
                verdict("e", ExpectedVerdict::Either, NoRows),
                verdict("f", ExpectedVerdict::Holds, Differs),
            ],
            ..Page::default()
        };
        let shown_rows = |all: bool| {
            let rows = verdict_table(&page, all).map(|table| table.rows).unwrap_or_default();
            rows.into_iter().map(|row| (row[0].text.clone(), row[1].emphasis, row[5].text.clone())).collect::<Vec<_>>()
        };
        let row = |what: &str, mark: Emphasis, source: &str| (what.to_owned(), mark, source.to_owned());
        let (none, failed) = (Emphasis::None, Emphasis::Failed);
        assert_eq!(
            shown_rows(true),
            [
                row("all searches", Emphasis::Passed, "p. 9"),
                row("b", failed, "p. 9"),
                row("c", Emphasis::Passed, "p. 9"),
                row("d", none, "\"so\". p. 9. N"),
                row("e", failed, "p. 9"),
                row("f", failed, "p. 9"),
            ]
        );
        assert_eq!(shown_rows(false), [row("b", failed, "p. 9"), row("e", failed, "p. 9"), row("f", failed, "p. 9")]);
        let note = verdict_table(&page, false).map(|table| table.note);
        let counts = "1 hold, 3 differ, 2 undecided; 2 of 4 expected outcomes met.";
        assert_eq!(note.as_deref(), Some(counts));
        assert_eq!(page.count_failed(), 3);
        let fine = Page { verdicts: vec![verdict("d", ExpectedVerdict::Either, Differs)], ..Page::default() };
        assert_eq!((verdict_table(&fine, false), verdict_table(&Page::default(), true)), (None, None));
    }
}
