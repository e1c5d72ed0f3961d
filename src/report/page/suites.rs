//! The page of an experiment with several suites. It has tables of all suites, and then a section
//! for each suite.

use super::not_run::NOT_RUN;
use super::{Page, Rows};
use crate::analysis::caveats::memory;
use crate::analysis::caveats::timing::Timing;
use crate::analysis::{Frame, Line, Verdict};
use crate::experiment::Expect;
use crate::experiment::expect::Scalar;
use crate::record::columns;
use crate::record::manifest::{Manifest, Planned};
use crate::report::sheet::{Cell, Emphasis, Part, Sheet, SheetColumn, SheetTable};
use crate::report::table;
use crate::report::{engines, pivot, verdicts};
use crate::text::plural;
use anyhow::Result;

pub(super) fn suite_names(rows: &Frame, manifest: &Manifest) -> Vec<String> {
    if !rows.has(columns::SUITE) {
        return Vec::new();
    }
    let suites = rows.text_column(columns::SUITE);
    let searched_suites = suites.list().iter().zip(suites.first_rows()).filter(|(_, first_row)| first_row.is_some());
    let mut names: Vec<String> = searched_suites.map(|(name, _)| name.clone()).collect();
    names.sort_by_key(|name| manifest.planned.suites.iter().position(|suite| suite.name == *name));
    names
}

/// An expectation applies if it names this suite or no suite. Each returned expectation has a
/// condition that its rows belong to this suite.
pub(super) fn suite_expectations(expects: &[Expect], suite: &str) -> Vec<Expect> {
    let applies = |expect: &Expect| expect.filter.get(columns::SUITE).is_none_or(|name| name.to_string() == suite);
    let mut suite_expects: Vec<Expect> = expects.iter().filter(|expect| applies(expect)).cloned().collect();
    for expect in &mut suite_expects {
        expect.filter.insert(columns::SUITE.to_owned(), Scalar::Text(suite.to_owned()));
    }
    suite_expects
}

impl Page {
    pub(super) fn from_suites(rows: &Rows<'_>, suites: &[String]) -> Result<Self> {
        let row_suites = rows.frame.text_column(columns::SUITE);
        let mut pages = Vec::new();
        for suite in suites {
            let row_indices: Vec<usize> = (0..rows.frame.rows()).filter(|&row| row_suites.text(row) == suite).collect();
            let mut manifest = rows.manifest.clone();
            if let Some(suite_run) = rows.manifest.planned.suites.iter().find(|suite_run| suite_run.name == *suite) {
                (manifest.planned.suite, manifest.planned.items) = (suite_run.file.clone(), suite_run.items);
            }
            let suite_rows =
                Rows { frame: &rows.frame.take(&row_indices), manifest, suite: Some(suite), ..rows.clone() };
            pages.push(Self::from_rows(&suite_rows)?);
        }
        let first = &pages[0];
        let mut page = Self {
            manifest: rows.manifest.clone(),
            sources: first.sources.clone(),
            analysis: first.analysis.clone(),
            findings: match first.summary.has_no_verdict(&first.summary.metrics[0]) {
                true => first.findings.clone(),
                false => Vec::new(),
            },
            blockers: merge_notes(suites, &pages, |page| &page.blockers),
            warnings: merge_notes(suites, &pages, |page| &page.warnings),
            notes: merge_notes(suites, &pages, |page| &page.notes),
            timing: Timing::new(rows.frame).filter(|_| first.timing.is_some()),
            memory: memory::compare_memory(rows.frame),
            reference_note: first.reference_note.clone(),
            verdicts: pages.iter().flat_map(|page| page.verdicts.clone()).collect(),
            custom_metrics: first.custom_metrics,
            across_suites: suite_tables(suites, &pages),
            ..Self::default()
        };
        page.summary.repeats = pages.iter().map(|page| page.summary.repeats).max().unwrap_or(1);
        page.verdicts.extend(unsearched_verdicts(rows, suites));
        let pivot_tables = suites
            .iter()
            .zip(&pages)
            .flat_map(|(suite, page)| page.pivots.iter().map(move |pivot| add_suite(pivot::table(pivot), suite)));
        let pivot_tables: Vec<SheetTable> = pivot_tables.collect();
        page.findings.splice(0..0, verdicts::describe_claims(&page.verdicts));
        let mut parts = page.head_parts();
        parts.extend(page.across_suites.iter().cloned().map(Part::Table));
        parts.extend(engines::engines_table(&page).map(Part::Table));
        for (suite, suite_page) in suites.iter().zip(&mut pages) {
            let Planned { suite: file, items, .. } = &suite_page.manifest.planned;
            let limit = common_limit(rows.frame, suite).map_or_else(String::new, |limit| format!(", {limit}"));
            parts.push(Part::Heading(format!("Suite {suite}: {file}, {}{limit}", plural(items, "item"))));
            parts.extend((!suite_page.findings.is_empty()).then(|| Part::Findings(suite_page.findings.clone())));
            parts.extend(
                std::mem::take(&mut suite_page.sheet.parts).into_iter().filter_map(|part| into_section(part, suite)),
            );
        }
        parts.push(Part::List("How it was made".to_owned(), page.provenance()));
        let common = table::common_options(&page);
        parts.extend(
            common.map(|table| Part::Folded("Options that all variants share".to_owned(), vec![Part::Table(table)])),
        );
        page.sheet = Sheet { kind: "report".to_owned(), name: page.manifest.planned.name.clone(), parts };
        if !pivot_tables.is_empty() {
            page.across_suites = pivot_tables;
        }
        Ok(page)
    }
}

fn common_limit(rows: &Frame, suite: &str) -> Option<String> {
    let (suites, limits) = (rows.text_column(columns::SUITE), rows.text_column(columns::LIMIT));
    let mut suite_limits = (0..rows.rows()).filter(|&row| suites.text(row) == suite).map(|row| limits.text(row));
    let first = suite_limits.next().filter(|limit| !limit.is_empty())?;
    suite_limits.all(|limit| limit == first).then(|| first.to_owned())
}

/// Merges the lists of texts that `texts_of` returns for the pages, such as the notes of each page.
/// A text that is on every page appears once. Each other text begins with the name of its suite.
fn merge_notes(suites: &[String], pages: &[Page], texts_of: fn(&Page) -> &Vec<String>) -> Vec<String> {
    let is_on_every_page = |text: &&String| pages.iter().all(|page| texts_of(page).contains(text));
    let mut merged: Vec<String> = texts_of(&pages[0]).iter().filter(is_on_every_page).cloned().collect();
    for (suite, page) in suites.iter().zip(pages) {
        let suite_texts = texts_of(page).iter().filter(|text| !is_on_every_page(text));
        merged.extend(suite_texts.map(|text| format!("suite {suite}: {text}")));
    }
    merged
}

fn unsearched_verdicts(rows: &Rows<'_>, searched: &[String]) -> Vec<Verdict> {
    let Some(file) = rows.sources.first().and_then(|source| source.file.as_ref()) else { return Vec::new() };
    if !rows.checks_expectations() {
        return Vec::new();
    }
    let mut verdicts = Vec::new();
    for suite in rows.manifest.planned.suites.iter().filter(|suite| !searched.contains(&suite.name)) {
        verdicts.extend(suite_expectations(&file.expect, &suite.name).into_iter().map(|expect| Verdict {
            subject: format!("suite {}", suite.name),
            published: expect.claim.clone().unwrap_or_default(),
            measured: "the suite was not searched".to_owned(),
            ..Verdict::pending(&expect)
        }));
    }
    verdicts
}

fn add_suite(table: SheetTable, suite: &str) -> SheetTable {
    let title = if table.title.is_empty() { String::new() } else { format!("{}, {suite}", table.title) };
    SheetTable { key: format!("{suite}.{}", table.key), title, ..table }
}

/// Turns a part of a suite's page into a part of the suite's section. The suite's name is added to
/// keys and titles. Returns `None` for a part that appears only once on the whole page.
fn into_section(part: Part, suite: &str) -> Option<Part> {
    match part {
        Part::Table(table) if matches!(table.key.as_str(), "engines" | "common_options") => None,
        Part::Table(table) => Some(Part::Table(add_suite(table, suite))),
        Part::Figure(mut figure) => {
            figure.file = format!("{suite}-{}", figure.file);
            figure.title = format!("{}, {suite}", figure.title);
            Some(Part::Figure(figure))
        }
        Part::Folded(title, parts) => {
            let parts: Vec<Part> = parts.into_iter().filter_map(|part| into_section(part, suite)).collect();
            (!parts.is_empty()).then(|| Part::Folded(format!("{title}, {suite}"), parts))
        }
        Part::List(title, names) if title == NOT_RUN => Some(Part::List(format!("{title}, {suite}"), names)),
        Part::Heading(_) => Some(part),
        _ => None,
    }
}

/// A line in each suite, with its index in the suite's summary. `None` if the suite does not have
/// the line.
type LineInSuites<'a> = Vec<Option<(usize, &'a Line)>>;

/// Collects the lines of all suites. Lines with the same values in the grouping columns are the
/// same line. The lines are in the order in which they first appear.
fn collect_lines(pages: &[Page]) -> Vec<LineInSuites<'_>> {
    let mut lines: Vec<LineInSuites<'_>> = Vec::new();
    for (suite_index, page) in pages.iter().enumerate() {
        for (line_index, line) in page.summary.lines.iter().enumerate() {
            let is_same_line =
                |earlier: &LineInSuites<'_>| earlier.iter().flatten().any(|(_, other)| other.values == line.values);
            let index = lines.iter().position(is_same_line).unwrap_or_else(|| {
                lines.push(vec![None; pages.len()]);
                lines.len() - 1
            });
            lines[index][suite_index] = Some((line_index, line));
        }
    }
    lines
}

/// A row of the table has the ratios of a line in each suite.
fn suite_tables(suites: &[String], pages: &[Page]) -> Vec<SheetTable> {
    let lines = collect_lines(pages);
    // If the lines of all suites are identified by the same columns, these columns are used here
    // too. Otherwise a line is identified by the variant's name.
    let identity_columns = pages[0].identity.columns();
    let same_columns = pages.iter().all(|page| page.identity.columns() == identity_columns);
    let identity_columns = match same_columns {
        true => identity_columns,
        false => vec![SheetColumn::text("variant", "variant", "* is the baseline")],
    };
    let identity_cells = |line: &LineInSuites<'_>| {
        let cells_in_suite = |(page, entry): (&Page, &Option<(usize, &Line)>)| {
            entry.map(|(index, line)| match same_columns {
                true => page.identity.cells(index, line),
                false => vec![Cell::text(&line.name).with_sign('*', line.is_baseline)],
            })
        };
        pages.iter().zip(line).find_map(cells_in_suite).unwrap_or_default()
    };
    let metrics = pages[0].summary.metrics.iter().enumerate();
    metrics
        .map(|(metric_index, metric)| {
            let name = &metric.name;
            let suite_column = |suite: &String| {
                SheetColumn::number(
                    suite,
                    suite,
                    &format!("{name} / baseline in that suite; ! significantly different from 1"),
                )
            };
            let columns: Vec<SheetColumn> =
                identity_columns.iter().cloned().chain(suites.iter().map(suite_column)).collect();
            let rows = lines.iter().map(|line| {
                let ratio_cell = |entry: &Option<(usize, &Line)>| {
                    let Some((_, suite_line)) = entry else { return Cell::empty("not searched in that suite") };
                    let no_ratio = "nothing to compare with";
                    let Some(measure) = suite_line.measures.get(metric_index) else { return Cell::empty(no_ratio) };
                    let (mean, significant) = (measure.ratio.mean, measure.significant);
                    let emphasis = Emphasis::for_change(significant, mean < 1.0, metric.better());
                    let cell = Cell::decimal(mean, 3).with_reason(no_ratio);
                    cell.with_emphasis(emphasis).with_sign('!', significant)
                };
                [identity_cells(line), line.iter().map(ratio_cell).collect()].concat()
            });
            let key = if metric_index == 0 { "suites".to_owned() } else { format!("{name}_suites") };
            SheetTable::new(&key, &format!("{name}, across suites"), columns, rows).with_note(
                "Searches of different suites are never paired. Each ! is corrected for all lines of its suite.",
            )
        })
        .collect()
}
