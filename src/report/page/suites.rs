//! The page of an experiment with several suites: what holds across them, then a section for each.

use super::not_run::NOT_RUN;
use super::{Page, Rows};
use crate::analysis::caveats::memory;
use crate::analysis::caveats::timing::Timing;
use crate::analysis::questions::findings::{Sign, sign};
use crate::analysis::questions::strata::{self, LineOverSuites};
use crate::analysis::{Frame, Line, Summary, Verdict};
use crate::experiment::Expect;
use crate::experiment::expect::Scalar;
use crate::record::columns;
use crate::record::manifest::Manifest;
use crate::report::engines;
use crate::report::explore::Explorer;
use crate::report::sheet::{Cell, Emphasis, Part, Sheet, SheetColumn, SheetTable, head};
use crate::report::table::{self, BASELINE, ONE};
use crate::text::plural;
use anyhow::Result;

/// The suites whose rows a frame has, in the manifest's order; nothing where rows do not say.
pub(super) fn names(rows: &Frame, manifest: &Manifest) -> Vec<String> {
    if !rows.has(columns::SUITE) {
        return Vec::new();
    }
    let suites = rows.coded(columns::SUITE);
    let first_rows = suites.list().iter().zip(suites.first_rows());
    let mut names: Vec<String> = first_rows.filter_map(|(name, row)| row.map(|_| name.clone())).collect();
    names.sort_by_key(|name| manifest.suites.iter().position(|suite| suite.name == *name));
    names
}

/// What is expected of a suite: what names it, and what names none.
pub(super) fn expected(expects: &[Expect], suite: &str) -> Vec<Expect> {
    let named = |expect: &Expect| expect.filter.get(columns::SUITE).is_none_or(|name| name.to_string() == suite);
    let mut own: Vec<Expect> = expects.iter().filter(|expect| named(expect)).cloned().collect();
    for expect in &mut own {
        expect.filter.insert(columns::SUITE.to_owned(), Scalar::Text(suite.to_owned()));
    }
    own
}

impl Page {
    /// Puts the pages of several suites together.
    pub(super) fn of_suites(rows: &Rows<'_>, suites: &[String]) -> Result<Self> {
        let of_suite = rows.frame.coded(columns::SUITE);
        let mut pages = Vec::new();
        for suite in suites {
            let places: Vec<usize> = (0..rows.frame.rows()).filter(|&row| of_suite.at(row) == suite).collect();
            let mut manifest = rows.manifest.clone();
            if let Some(run) = rows.manifest.suites.iter().find(|run| run.name == *suite) {
                (manifest.suite, manifest.items) = (run.file.clone(), run.items);
            }
            let part = Rows { frame: &rows.frame.take(&places), manifest, suite: Some(suite), ..rows.clone() };
            pages.push(Self::of_rows(&part)?);
        }
        let first = &pages[0];
        let names: Vec<&str> = suites.iter().map(String::as_str).collect();
        let summaries: Vec<&Summary> = pages.iter().map(|page| &page.summary).collect();
        let mut page = Self {
            manifest: rows.manifest.clone(),
            sources: first.sources.clone(),
            analysis: first.analysis.clone(),
            article: first.article.clone(),
            findings: match first.nodes_have_no_verdict() {
                true => first.findings.clone(),
                false => strata::findings(&names, &summaries),
            },
            nodes_mislead: first.nodes_mislead,
            blind: shared(suites, &pages, |page| &page.blind),
            warnings: shared(suites, &pages, |page| &page.warnings),
            timing: Timing::new(rows.frame).filter(|_| first.timing.is_some()),
            memory: memory::compared(rows.frame),
            score_judge: first.score_judge.clone(),
            verdicts: pages.iter().flat_map(|page| page.verdicts.clone()).collect(),
            chosen: first.chosen,
            over_suites: tables(&names, &pages),
            ..Self::default()
        };
        page.summary.repeats = summaries.iter().map(|summary| summary.repeats).max().unwrap_or(1);
        page.verdicts.extend(unsearched(rows, suites));
        let mut parts = head(&page.manifest.question, &page.analysis, page.findings.clone(), &page.warnings);
        parts.extend(page.over_suites.iter().cloned().map(Part::Table));
        parts.extend(engines::engines(&page).map(Part::Table));
        for (suite, one) in suites.iter().zip(&mut pages) {
            let Manifest { suite: file, items, .. } = &one.manifest;
            let limit = limit(rows.frame, suite).map_or_else(String::new, |limit| format!(", {limit}"));
            parts.push(Part::Heading(format!("Suite {suite}: {file}, {}{limit}", plural(items, "item"))));
            parts.extend((!one.findings.is_empty()).then(|| Part::Findings(one.findings.clone())));
            parts.extend(std::mem::take(&mut one.sheet.parts).into_iter().filter_map(|part| section(part, suite)));
        }
        parts.push(Part::List("How it was made".to_owned(), page.origins()));
        let common = table::common_options(&page);
        parts.extend(
            common.map(|table| Part::Folded("Options that all variants share".to_owned(), vec![Part::Table(table)])),
        );
        page.sheet = Sheet { kind: "report".to_owned(), name: page.manifest.name.clone(), parts };
        Ok(page)
    }
}

/// What ended every search of a suite; none where that is not the same in all of its rows.
fn limit(rows: &Frame, suite: &str) -> Option<String> {
    let (suites, limits) = (rows.coded(columns::SUITE), rows.coded(columns::LIMIT));
    let mut own = (0..rows.rows()).filter(|&row| suites.at(row) == suite).map(|row| limits.at(row));
    let first = own.next().filter(|limit| !limit.is_empty())?;
    own.all(|limit| limit == first).then(|| first.to_owned())
}

/// What is said of every suite, once; what is said of some, with their names.
fn shared(suites: &[String], pages: &[Page], list: fn(&Page) -> &Vec<String>) -> Vec<String> {
    let everywhere = |text: &&String| pages.iter().all(|page| list(page).contains(text));
    let mut all: Vec<String> = list(&pages[0]).iter().filter(everywhere).cloned().collect();
    for (suite, page) in suites.iter().zip(pages) {
        let own = list(page).iter().filter(|text| !everywhere(text));
        all.extend(own.map(|text| format!("suite {suite}: {text}")));
    }
    all
}

/// What is expected of suites that have no rows.
fn unsearched(rows: &Rows<'_>, suites: &[String]) -> Vec<Verdict> {
    let file = rows.sources.first().and_then(|source| source.file.as_ref()).filter(|_| rows.is_judged());
    let missing = rows.manifest.suites.iter().filter(|suite| !suites.contains(&suite.name));
    let expects = missing.flat_map(|suite| {
        let own = file.map_or_else(Vec::new, |file| expected(&file.expect, &suite.name));
        own.into_iter().map(|expect| (suite.name.clone(), expect))
    });
    let verdict = |(suite, expect): (String, Expect)| Verdict {
        subject: format!("suite {suite}"),
        published: expect.claim.clone().unwrap_or_default(),
        measured: "the suite was not searched".to_owned(),
        ..Verdict::pending(&expect)
    };
    expects.map(verdict).collect()
}

/// A part of a suite's own page as a part of a section: called after its suite, since other sections have the like. What the whole page has once
/// is left out.
fn section(part: Part, suite: &str) -> Option<Part> {
    match part {
        Part::Table(table) if matches!(table.key.as_str(), "engines" | "common_options") => None,
        Part::Table(table) => {
            let title = if table.title.is_empty() { String::new() } else { format!("{}, {suite}", table.title) };
            Some(Part::Table(SheetTable { key: format!("{suite}.{}", table.key), title, ..table }))
        }
        Part::Figure(mut figure) => {
            figure.file = format!("{suite}-{}", figure.file);
            figure.title = format!("{}, {suite}", figure.title);
            Some(Part::Figure(figure))
        }
        Part::Folded(title, parts) => {
            let parts: Vec<Part> = parts.into_iter().filter_map(|part| section(part, suite)).collect();
            (!parts.is_empty()).then(|| Part::Folded(format!("{title}, {suite}"), parts))
        }
        Part::List(title, names) if title == NOT_RUN => Some(Part::List(format!("{title}, {suite}"), names)),
        Part::Heading(_) => Some(part),
        Part::Explorer(explorer) => Some(Part::Explorer(Explorer { suite: suite.to_owned(), ..explorer })),
        Part::Question(_) | Part::Prose(_) | Part::Findings(_) | Part::Warning(_) | Part::List(..) => None,
    }
}

/// A table for each metric: every line's ratio in each suite and over them.
fn tables(suites: &[&str], pages: &[Page]) -> Vec<SheetTable> {
    let summaries: Vec<&Summary> = pages.iter().map(|page| &page.summary).collect();
    let lines = LineOverSuites::all(&summaries);
    // What tells lines apart is told as in the suites' own tables, where it is the same in all of them.
    let heads = pages[0].identity.columns();
    let alike = pages.iter().all(|page| page.identity.columns() == heads);
    let heads = if alike { heads } else { vec![SheetColumn::words("variant", "variant", "* is the baseline")] };
    let identity = |line: &LineOverSuites<'_>| {
        let own = |(page, place): (&Page, &Option<(usize, &Line)>)| {
            place.as_ref().map(|(at, of)| page.identity.cells(*at, of))
        };
        match alike {
            true => pages.iter().zip(&line.suites).find_map(own).unwrap_or_default(),
            false => vec![Cell::text(line.name).signed('*', line.is_baseline())],
        }
    };
    let metrics = summaries[0].metrics.iter().enumerate();
    metrics
        .map(|(at, metric)| {
            let name = &metric.name;
            let of_suite = |suite: &&str| {
                SheetColumn::numbers(suite, suite, &format!("{name} / baseline in that suite; ! told from 1"))
            };
            let over = [
                SheetColumn::numbers("mean", "over suites", "geometric mean of the suites' means").drop_order(1),
                SheetColumn::numbers("interval", "95 %", "the interval of that mean").drop_order(2),
                SheetColumn::words("holds", "holds", "in how many suites it is told from the baseline"),
            ];
            let columns: Vec<SheetColumn> =
                heads.iter().cloned().chain(suites.iter().map(of_suite)).chain(over).collect();
            let rows = lines.iter().map(|line| {
                let suite = |of: &Option<(usize, &Line)>| {
                    let Some((_, of)) = of else { return Cell::none("not searched in that suite") };
                    let message = sign(of, at);
                    let clear = matches!(message, Sign::Less | Sign::More);
                    let mean = of.measures.get(at).map_or(f64::NAN, |measure| measure.ratio.mean);
                    let cell = Cell::decimal(mean, 3).or("nothing to compare with");
                    cell.marked(Emphasis::of(clear, message == Sign::Less)).signed('!', clear)
                };
                let why = if line.is_baseline() { BASELINE } else { "a suite has no ratio" };
                let [mean, interval] = match line.ratio(at) {
                    Some(over) => [Cell::decimal(over.mean, 3), Cell::range(over.low, over.high).or(ONE)],
                    None => [Cell::none(why), Cell::none(why)],
                };
                let holds = match line.is_baseline() {
                    true => Cell::none(BASELINE),
                    false if pages[0].nodes_mislead && metric.is_nodes() => Cell::none("nodes that may mislead have no verdict"),
                    false => Cell::text(line.holds(at)),
                };
                [identity(line), line.suites.iter().map(suite).collect(), vec![mean, interval, holds]].concat()
            });
            let key = if at == 0 { "suites".to_owned() } else { format!("{name}_suites") };
            SheetTable::new(&key, &format!("{name}, across suites"), columns, rows).noted(
                "Searches of different suites are never paired. A mark is corrected for all lines of its suite; the mean over suites gives each suite \
                 the same weight, whatever its number of positions.",
            )
        })
        .collect()
}
