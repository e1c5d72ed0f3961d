//! The table of verdicts.

use super::page::Page;
use super::sheet::{Cell, Column, Mark, Table};
use crate::analysis::Verdict;
use crate::analysis::questions::claims::counted;
use crate::experiment::expect::Wanted;

/// What a verdict speaks of: what names no rows in particular speaks of all.
#[must_use]
pub fn subject(verdict: &Verdict) -> &str {
    if verdict.subject.is_empty() { "all searches" } else { &verdict.subject }
}

/// The verdicts; those alone that are not as wanted where only they are asked for.
#[must_use]
pub fn table(page: &Page, all: bool) -> Option<Table> {
    let rows: Vec<Vec<Cell>> = page
        .verdicts
        .iter()
        .filter(|verdict| all || !verdict.passes())
        .map(|verdict| {
            let quote = if verdict.quote.is_empty() { String::new() } else { format!("\"{}\"", verdict.quote) };
            let source = [quote.as_str(), &verdict.source, &verdict.note];
            let source: Vec<&str> = source.into_iter().filter(|text| !text.is_empty()).collect();
            let mark = match (verdict.is_met(), verdict.passes()) {
                (true, _) => Mark::Passed,
                (false, true) => Mark::None,
                (false, false) => Mark::Failed,
            };
            vec![
                Cell::text(subject(verdict)),
                Cell::text(verdict.word()).marked(mark),
                Cell::text(verdict.kind.word()),
                Cell::text(&verdict.published),
                Cell::text(&verdict.measured),
                Cell::text(source.join(". ")),
            ]
        })
        .collect();
    let [holds, differs, open] = counted(page.verdicts.iter());
    let gated = page.verdicts.iter().filter(|verdict| verdict.wanted != Wanted::Either);
    let met = page.verdicts.iter().filter(|verdict| verdict.is_met()).count();
    let names = ["what", "verdict", "by", "figure or claim", "measured", "source"];
    (!rows.is_empty()).then(|| Table {
        key: "verdicts".to_owned(),
        title: "Verdicts".to_owned(),
        columns: names.map(|name| Column::words(name, name, "").spare(u8::from(name == "source"))).to_vec(),
        note: format!(
            "{holds} hold, {differs} differ, {open} cannot be told; of the {} that something was wanted of, {met} are as wanted.",
            gated.count()
        ),
        rows,
    })
}
