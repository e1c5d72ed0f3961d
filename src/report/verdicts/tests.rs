use super::*;
use crate::analysis::questions::verdict::Ruling;
use crate::experiment::expect::ClaimOrigin;
use crate::record::manifest::{Manifest, Planned};

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

/// The terminal shows the failed verdicts of each experiment, a line for each experiment, and the
/// total.
#[test]
fn verdict_sheet_ends_with_a_line_for_each_experiment_and_the_total() {
    use Ruling::{Differs, Holds};
    let page = |name: &str, verdicts: Vec<Verdict>| {
        let manifest = Manifest::from(Planned { name: name.to_owned(), ..Planned::default() });
        Page { manifest, verdicts, ..Page::default() }
    };
    let pages = [
        page("one", vec![verdict("x", ExpectedVerdict::Differs, Differs), verdict("y", ExpectedVerdict::Holds, Holds)]),
        page("two", vec![verdict("z", ExpectedVerdict::Holds, Differs), verdict("w", ExpectedVerdict::Holds, Holds)]),
    ];
    let [Part::Table(failures), Part::Findings(lines)] = &verdict_sheet(&pages).parts[..] else {
        panic!("one table and the lines")
    };
    assert_eq!((failures.title.as_str(), failures.note.as_str()), ("Missed expectations of two", ""));
    assert_eq!(failures.rows.iter().map(|row| row[0].text.as_str()).collect::<Vec<_>>(), ["z"]);
    assert_eq!(
        lines.as_slice(),
        [
            "one: 1 hold, 1 differ, 0 undecided; 2 of 2 expected outcomes met.",
            "two: 1 hold, 1 differ, 0 undecided; 1 of 2 expected outcomes met.",
            "Verdicts: 2 hold, 2 differ, 0 undecided; 3 of 4 expected outcomes met.",
        ]
    );
}
