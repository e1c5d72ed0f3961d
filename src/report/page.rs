//! The page of an experiment: what its rows say, put together from results and manifests.

use super::anatomy;
use super::choices::{Choices, default_baseline, default_by};
use super::crossed;
use super::engines;
use super::explore::Explorer;
use super::figure;
use super::gridded::{self, Grid};
use super::identity::Identity;
use super::played;
use super::sheet;
use super::sheet::{Part, Sheet, SheetTable, head};
use super::source::{Source, join};
use super::table;
use super::verdicts;
use crate::analysis::caveats::leading::Misleading;
use crate::analysis::caveats::memory;
use crate::analysis::caveats::timing::Timing;
use crate::analysis::pairing::searches::Searches;

use crate::analysis::questions::match_claims;
use crate::analysis::questions::matches::Matches;
use crate::analysis::questions::pairwise::{self, Versus};
use crate::analysis::questions::quality::{self, Quality};
use crate::analysis::questions::{claims, findings};

use crate::analysis::rows::filter::Filter;
use crate::analysis::rows::grouping::{self, Grouping};
use crate::analysis::rows::seeds::{self, KEYS_SEED};
use crate::analysis::{Frame, Metric, Question, Summary, Verdict};
use crate::experiment::file::{Article, default_smallest_effect};
use crate::record::columns;
use crate::record::manifest::Manifest;
use anyhow::{Context, Error, Result, bail, ensure};
use std::borrow::Cow;

mod not_run;
mod origins;
mod suites;
mod warnings;

pub use warnings::left_out;

/// Everything that a report shows.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// What was run: of the first result.
    pub manifest: Manifest,
    /// The results that are joined: label and manifest.
    pub sources: Vec<(String, Option<Manifest>)>,
    /// The experiment's own words.
    pub analysis: String,
    /// The article whose claims it holds against the rows.
    pub article: Option<Article>,
    /// What the figures say, in sentences.
    pub findings: Vec<String>,
    /// What the counts cannot show, though the experiment varies it: some of the warnings.
    pub blind: Vec<String>,
    /// What the reader must be warned of.
    pub warnings: Vec<String>,
    /// The totals.
    pub summary: Summary,
    /// Whether the metrics were chosen, and not nodes alone.
    pub chosen: bool,

    /// Every line against every other, where that was asked for.
    pub pairs: Vec<Versus>,
    /// What repeats say.
    pub timing: Option<Timing>,
    /// The verdicts.
    pub verdicts: Vec<Verdict>,
    /// Whether tables were compared on equal memory.
    pub memory: Option<String>,
    /// Whether nodes to a depth may mislead.
    pub nodes_mislead: bool,
    /// By what scores were judged, where they were.
    pub score_judge: Option<String>,
    /// How good the moves are, where a reference judged them.
    pub quality: Vec<Quality>,
    /// What the games of a match say, where the rows are games.
    pub games: Option<Matches>,
    /// What holds across suites, a table for each metric; none where there is one suite.
    pub over_suites: Vec<SheetTable>,
    /// What tells the lines of the summary apart.
    pub identity: Identity,
    /// Everything, in the order in which it is read.
    pub sheet: Sheet,
}

/// The rows that a page is made of, and how they were chosen.
#[derive(Clone)]
struct Rows<'a> {
    /// The results.
    sources: &'a [Source],
    /// What the user chose.
    choices: &'a Choices,
    /// The manifest of the first result.
    manifest: Manifest,
    /// The rows.
    frame: &'a Frame,
    /// The columns that groups are told apart by, where they were chosen.
    by: Option<Vec<String>>,
    /// The suite that all rows are of, where other suites have sections of their own.
    suite: Option<&'a str>,
    /// Key seeds of each variant.
    seeds: usize,
    /// Whether some rows were left out.
    filtered: bool,
}

impl Rows<'_> {
    /// Whether expectations are held against them: they speak of all rows of one result, by variant.
    fn is_judged(&self) -> bool {
        self.choices.by.is_none() && !self.filtered && self.sources.len() == 1
    }
}

impl Page {
    /// Puts a page together.
    ///
    /// # Errors
    /// When a choice or an expectation speaks of what is not there.
    pub fn new(sources: &[Source], choices: &Choices) -> Result<Self> {
        let first = sources.first().context("there are no results")?;
        let manifest =
            first.manifest.clone().unwrap_or_else(|| Manifest { name: first.label.clone(), ..Manifest::default() });
        let expected = first.file.iter().flat_map(|file| &file.expect).flat_map(|expect| expect.filter.keys());
        let asked: Vec<&str> = choices.names().chain(expected.map(String::as_str)).collect();
        let all = join(sources, &asked);
        let filters = choices.filters.iter().map(|text| Filter::parse(text, &all)).collect::<Result<Vec<_>, _>>()?;
        // Further key seeds are of their variants, for conditions too, unless they are what is asked about.
        let by = choices.by.as_ref().map(|text| grouping::columns(text, &all)).transpose()?;
        let asked = || by.iter().flatten().map(String::as_str).chain(filters.iter().map(Filter::column));
        if let Some(error) = all.lacks().and_then(|lacks| asked().find_map(|column| lacks.error_of_choice(column))) {
            return Err(error.into());
        }
        let folded = if asked().any(|column| column == KEYS_SEED) { None } else { seeds::fold(&all) };
        let (all, seeds) = folded.map_or((all, 1), |(folded, seeds)| (Cow::Owned(folded), seeds));
        let rows = match filters.is_empty() {
            true => Cow::Borrowed(all.as_ref()),
            false => Cow::Owned(all.take(&Filter::rows(&filters, &all))),
        };
        let path = first.path.display();
        if rows.rows() == 0 {
            ensure!(!filters.is_empty(), "{path}: there are no rows yet");
            let absent: Vec<String> = filters.iter().filter_map(|filter| filter.absent(&all)).collect();
            let why = if absent.is_empty() { String::new() } else { format!(": {}", absent.join("; ")) };
            bail!("--where: no row meets the condition(s){why}");
        }
        if let Some(games) = Matches::with_handicaps(&rows, first.test(), &first.handicaps()) {
            let [_] = sources else {
                bail!("games are not joined with other results: give the folder of one match alone")
            };
            let chosen = "--by, --where, --baseline, --metric and --pairs";
            ensure!(choices.is_default(), "{path}: its rows are games: {chosen} are of searches");
            return Ok(Self::of_match(first, manifest, games, &rows));
        }
        let rows =
            Rows { sources, choices, manifest, frame: &rows, by, suite: None, seeds, filtered: !filters.is_empty() };
        let suites = suites::names(rows.frame, &rows.manifest);
        let told_apart = rows.by.iter().flatten().any(|column| column == columns::SUITE);
        if suites.len() > 1 && !told_apart { Self::of_suites(&rows, &suites) } else { Self::of_rows(&rows) }
    }

    /// The page of rows that are searches; of several suites, of one of them.
    fn of_rows(of: &Rows<'_>) -> Result<Self> {
        let Rows { sources, choices, manifest, frame: rows, by, suite, seeds, .. } = of.clone();
        let first = sources.first().context("there are no results")?;
        let path = first.path.display();
        let by = by.unwrap_or_else(|| default_by(rows));
        ensure!(!by.is_empty(), "--by: names no column");
        let variants = rows.coded(columns::VARIANT);
        let has_baseline = (0..rows.rows()).any(|row| variants.at(row) == manifest.baseline);
        // Times of one repeat, or of several jobs at once, are no times to compare; of one result that is told.
        let timed = |manifest: &Manifest| manifest.repeats > 1 && manifest.jobs == 1;
        let comparable = sources.len() == 1 || sources.iter().all(|one| one.manifest.as_ref().is_none_or(timed));
        let timing = Timing::new(rows).filter(|_| comparable);
        let manifests = || sources.iter().filter_map(|source| source.manifest.as_ref());
        let misleading = manifests().find_map(Misleading::of_manifest);
        let mut metrics =
            choices.metrics.iter().map(|name| Metric::compared(name, rows)).collect::<Result<Vec<_>, _>>()?;
        if metrics.is_empty() {
            metrics.push(Metric::nodes());
            if timing.is_some() {
                metrics.push(Metric::find(columns::SECONDS, rows)?);
            }
            if rows.has(columns::SCORE_ERROR) {
                let place = if misleading.is_some() { 0 } else { metrics.len() };
                metrics.insert(place, Metric::of(columns::SCORE_ERROR));
            }
        }
        let baseline = match choices.baseline(rows, &by)? {
            Some(baseline) => baseline,
            None => default_baseline(rows, &by, has_baseline.then_some(&manifest.baseline)),
        };
        let order = if by == [columns::VARIANT] { manifest.variants.clone() } else { Vec::new() };
        let question = Question { by, order, baseline, metrics };
        let (mut summary, grouping, searches) = Summary::with_searches(rows, &question).map_err(Error::msg)?;
        let misleading = misleading.filter(|_| summary.lines.len() > 1);
        if misleading.is_some() {
            summary.unmark_nodes();
        }
        if question.by.iter().any(|column| column == columns::VARIANT)
            && let Some((_, doubled)) = searches.doubled(rows)
        {
            bail!("{path}: {doubled}: it would be counted twice");
        }
        let effect = first.file.as_ref().map_or_else(default_smallest_effect, |file| file.smallest_effect);
        let mut page = Self {
            chosen: !choices.metrics.is_empty(),
            sources: sources.iter().map(|source| (source.label.clone(), source.manifest.clone())).collect(),
            analysis: first.file.as_ref().map(|file| file.analysis.trim().to_owned()).unwrap_or_default(),
            article: first.file.as_ref().and_then(|file| file.article.clone()),
            findings: match &misleading {
                Some(misleading) if summary.metrics[0].is_nodes() => vec![misleading.sentence()],
                _ => findings::findings(&summary, effect),
            },
            nodes_mislead: misleading.is_some(),
            manifest,
            summary,
            timing,
            memory: memory::compared(rows),
            score_judge: first.score_judge(),
            ..Self::default()
        };
        if seeds > 1 {
            page.findings.push(format!(
                "Every variant was searched under {seeds} key seeds. Ratios with an interval are means over them; counts, shares and single searches are those under the first."
            ));
        }
        if choices.pairs {
            page.pairs = pairwise::pairwise(rows, &page.summary).map_err(Error::msg)?;
            if page.nodes_have_no_verdict() {
                page.pairs.iter_mut().for_each(|versus| (versus.marked, versus.hangs) = (false, false));
            }
        }
        if let [only] = sources {
            let Manifest { variants, baseline, .. } = &page.manifest;
            page.quality = quality::quality(rows, &only.judged, variants, baseline);
        }
        let mut grid = Grid::new(rows, &page.summary, has_baseline.then_some(&page.manifest.baseline));
        if let Some(grid) = grid.as_mut().filter(|_| page.nodes_have_no_verdict()) {
            grid.unmark();
        }
        page.identity = Identity::new(rows, &page.summary, grid.as_ref().map_or(&[], |grid| &grid.axes));
        let named = [rows.options(), grouping.by.iter().map(String::as_str).collect()].concat();
        page.warn(sources, choices, grouping.across.then_some(&named));
        if of.is_judged()
            && let Some(file) = &first.file
        {
            let own = suite.map(|suite| suites::expected(&file.expect, suite));
            let expects = own.as_ref().unwrap_or(&file.expect);
            page.verdicts = claims::verdicts(expects, file.smallest_effect, rows, &page.summary);
        }
        let mut parts = page.parts(rows, grid.as_ref(), (&grouping, &searches));
        if of.is_judged() {
            let place = parts.iter().rposition(|part| matches!(part, Part::List(..))).unwrap_or(parts.len());
            parts.splice(place..place, not_run::list(&page.manifest, rows));
        }
        page.sheet = Sheet { kind: "report".to_owned(), name: page.manifest.name.clone(), parts };
        Ok(page)
    }

    /// Whether the first metric is the nodes, and these may mislead.
    fn nodes_have_no_verdict(&self) -> bool {
        self.nodes_mislead && self.summary.metrics.first().is_some_and(Metric::is_nodes)
    }

    /// The page of a match.
    fn of_match(source: &Source, manifest: Manifest, games: Matches, rows: &Frame) -> Self {
        let mut page = Self {
            sources: vec![(source.label.clone(), source.manifest.clone())],
            analysis: source.file.as_ref().map(|file| file.analysis.trim().to_owned()).unwrap_or_default(),
            findings: played::findings(&games),
            verdicts: match_claims::verdicts(source.file.as_ref().map_or(&[], |file| &file.expect), &games),
            manifest,
            ..Self::default()
        };
        page.warnings = warnings::of_sources(std::slice::from_ref(source));
        page.warnings.extend(played::doubts(&games));
        let mut parts = head(&page.manifest.question, &page.analysis, page.findings.clone(), &page.warnings);
        parts.extend(played::parts(&games, rows));
        parts.extend(verdicts::table(&page, true).map(Part::Table));
        parts.extend(engines::engines(&page).map(Part::Table));
        parts.push(Part::List("How it was made".to_owned(), page.origins()));
        page.sheet = Sheet { kind: "match".to_owned(), name: page.manifest.name.clone(), parts };
        page.games = Some(games);
        page
    }

    /// What the page shows, from the top. A new plot is its mark in `svg` and one push here.
    fn parts(&self, rows: &Frame, grid: Option<&Grid<'_>>, searches: (&Grouping, &Searches)) -> Vec<Part> {
        let summary = &self.summary;
        let mut parts = head(&self.manifest.question, &self.analysis, self.findings.clone(), &self.warnings);
        parts.push(Part::Table(table::summary(self)));
        parts.extend(engines::quality(&self.quality).map(Part::Table));
        parts.extend(engines::engines(self).map(Part::Table));
        parts.extend(figure::forest(summary).map(Part::Figure));
        parts.extend(figure::by_depth(rows, summary).into_iter().map(Part::Figure));
        parts.extend(grid.map(crossed::effects).map(Part::Table));
        // Figures of the grid name variants: other groups have none.
        if let Some(grid) = grid.filter(|_| summary.by == [columns::VARIANT]) {
            let figures = [gridded::by_size(grid, summary), gridded::responses(grid, summary)].concat();
            parts.extend(figures.into_iter().chain(gridded::map(grid, summary)).map(Part::Figure));
        }
        parts.extend(grid.and_then(crossed::interactions).map(Part::Table));
        parts.extend(table::anatomy(self).map(Part::Table));
        parts.extend(table::rates(self).map(Part::Table));
        parts.extend(figure::anatomy(summary).map(Part::Figure));
        let folded = |title: &str, table| Part::Folded(title.to_owned(), vec![Part::Table(table)]);
        let counters = anatomy::anatomy(rows, summary);
        parts.extend(counters.map(|table| folded("Every counter of full diagnostics", table)));
        parts.push(Part::Table(table::details(self)));
        parts.extend(figure::positions(rows, summary, searches).map(Part::Figure));
        parts.extend(figure::within(rows, summary, searches).into_iter().map(Part::Figure));
        parts.extend(Explorer::new(rows, summary, searches).map(Part::Explorer));
        parts.extend(table::pairs(self).map(Part::Table));
        parts.extend(verdicts::table(self, true).map(Part::Table));
        parts.push(Part::List("How it was made".to_owned(), self.origins()));
        parts.extend(table::common_options(self).map(|table| folded("Options that all variants share", table)));
        parts
    }

    /// The same on one screen, for a terminal.
    pub fn brief(&self) -> Sheet {
        let summary = || SheetTable { title: String::new(), ..table::summary(self) };
        let first = match (&self.games, self.over_suites.as_slice()) {
            (Some(games), _) => vec![played::table(games)],
            (None, []) => vec![summary()],
            (None, tables) => tables.to_vec(),
        };
        let tables = [table::pairs(self), engines::quality(&self.quality)];
        let mut parts: Vec<Part> = first.into_iter().chain(tables.into_iter().flatten()).map(Part::Table).collect();
        parts.extend((!self.findings.is_empty()).then(|| Part::Findings(self.findings.clone())));
        parts.extend(self.judged());
        parts.extend(sheet::warnings(&self.warnings));
        Sheet { kind: self.sheet.kind.clone(), name: String::new(), parts }
    }

    /// Verdicts that are not as wanted, or that all are; nothing where there are none.
    fn judged(&self) -> Option<Part> {
        let [holds, differs, open] = claims::counted(self.verdicts.iter());
        let fine = format!(
            "Verdicts: {holds} hold, {differs} differ, {open} cannot be told; none is against what was wanted."
        );
        let fine = (!self.verdicts.is_empty()).then(|| Part::Findings(vec![fine]));
        verdicts::table(self, false).map(Part::Table).or(fine)
    }

    /// Verdicts that are not what was wanted.
    pub fn failed(&self) -> usize {
        self.verdicts.iter().filter(|verdict| !verdict.passes()).count()
    }
}

#[cfg(test)]
mod tests;
