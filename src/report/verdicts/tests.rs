use super::*;
use crate::analysis::questions::claims::Ruling;
use crate::experiment::expect::ClaimOrigin;

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

/// A verdict that passes although no outcome was expected is not highlighted.
#[test]
fn verdict_table_highlights_and_counts_outcomes() {
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
    let shown_rows = |table: Option<SheetTable>| {
        let rows = table.map(|table| table.rows).unwrap_or_default();
        rows.into_iter().map(|row| (row[0].text.clone(), row[1].emphasis, row[5].text.clone())).collect::<Vec<_>>()
    };
    let row = |subject: &str, emphasis: Emphasis, source: &str| (subject.to_owned(), emphasis, source.to_owned());
    let (none, failed) = (Emphasis::None, Emphasis::Failed);
    assert_eq!(
        shown_rows(verdict_table(&page)),
        [
            row("all searches", Emphasis::Passed, "p. 9"),
            row("b", failed, "p. 9"),
            row("c", Emphasis::Passed, "p. 9"),
            row("d", none, "\"so\". p. 9. N"),
            row("e", failed, "p. 9"),
            row("f", failed, "p. 9"),
        ]
    );
    assert_eq!(
        shown_rows(failed_table(&page)),
        [row("b", failed, "p. 9"), row("e", failed, "p. 9"), row("f", failed, "p. 9")]
    );
    let note = failed_table(&page).map(|table| table.note);
    let counts = "1 hold, 3 differ, 2 undecided; 2 of 4 expected outcomes met.";
    assert_eq!(note.as_deref(), Some(counts));
    assert_eq!(page.count_failed(), 3);
    let passing_page = Page { verdicts: vec![verdict("d", ExpectedVerdict::Either, Differs)], ..Page::default() };
    assert_eq!((failed_table(&passing_page), verdict_table(&Page::default())), (None, None));
}
