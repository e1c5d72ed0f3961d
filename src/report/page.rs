//! The page of an experiment, made from the rows and manifests of one or more results.

use super::choices::{Choices, default_baseline, default_by, file_condition};
use super::contents::Page;
use super::grid_figures::{self, Grid};
use super::identity::Identity;
use super::sheet::{Part, Sheet, SheetTable};
use super::source::{Source, join};
use super::{confirm_page, effects, engines, figure, match_page, pivot, table, threads, verdicts};
use crate::analysis::caveats::memory;
use crate::analysis::caveats::misleading::Misleading;
use crate::analysis::caveats::timing::Timing;
use crate::analysis::caveats::warnings::different_engines;
use crate::analysis::questions::matches::Matches;
use crate::analysis::questions::pairwise;
use crate::analysis::questions::quality;
use crate::analysis::questions::screen::{Confirmation, screen};
use crate::analysis::questions::verdict::count_rulings;
use crate::analysis::questions::{claims, findings, match_claims};
use crate::analysis::rows::filter::Filter;
use crate::analysis::rows::frame::FrameError;
use crate::analysis::rows::grouping;
use crate::analysis::rows::seeds::{self, KEYS_SEED, Seeds, THREADS_SEED};
use crate::analysis::{Frame, Metric, Question, Summary};
use crate::experiment::file::default_smallest_effect;
use crate::record::columns;
use crate::record::manifest::{Manifest, Planned};
use crate::text::plural;
use anyhow::{Context, Error, Result, bail, ensure};
use std::borrow::Cow;

mod not_run;
mod provenance;
mod suites;
mod warnings;

pub use warnings::describe_left_out;

#[derive(Clone)]
struct Rows<'a> {
    /// All results on the page. The page is named after the first result.
    sources: &'a [Source],
    choices: &'a Choices,
    manifest: Manifest,
    frame: &'a Frame,
    /// The columns to group by, if the user chose them.
    by: Option<Vec<String>>,
    /// The suite of the rows. `None` unless the page has a section for each of several suites.
    suite: Option<&'a str>,
    /// The key seeds or schedules under which the variants were searched.
    seeds: Seeds,
    /// Whether the user gave conditions that rows must meet.
    has_filters: bool,
}

impl Rows<'_> {
    /// Whether to check the expectations of the experiment's file. The expectations are checked
    /// only on a page that has the default grouping and shows all rows of a single result.
    fn checks_expectations(&self) -> bool {
        self.choices.by.is_none() && !self.has_filters && self.sources.len() == 1
    }
}

impl Page {
    /// Makes the page that shows the results in `sources`.
    ///
    /// # Errors
    /// When there are no rows, or a choice or expectation names something that does not exist.
    pub fn new(sources: &[Source], choices: &Choices) -> Result<Self> {
        let first = sources.first().context("no results were given")?;
        let manifest = first
            .manifest
            .clone()
            .unwrap_or_else(|| Manifest::from(Planned { name: first.label.clone(), ..Planned::default() }));
        let expected_columns = first.file.iter().flat_map(|file| &file.expect).flat_map(|expect| expect.filter.keys());
        let mentioned_columns: Vec<&str> =
            choices.named_columns().chain(expected_columns.map(String::as_str)).collect();
        let joined = join(sources, &mentioned_columns);
        let filters = choices.filters.iter().map(|text| Filter::parse(text, &joined)).collect::<Result<Vec<_>, _>>()?;
        // Rows under another key seed or schedule count as rows of the variant of which they are a
        // copy. They get its name before the filters are applied, unless a grouping or a filter
        // names a column of seeds.
        let by = choices.by.as_ref().map(|text| grouping::resolve_columns(text, &joined)).transpose()?;
        let by_and_filters = || by.iter().flatten().map(String::as_str).chain(filters.iter().map(Filter::column));
        let rows_and_seeds = match by_and_filters().any(|column| column == KEYS_SEED || column == THREADS_SEED) {
            true => None,
            false => seeds::fold_seeds(&joined),
        };
        let (joined, seeds) =
            rows_and_seeds.map_or((joined, Seeds::default()), |(folded, seeds)| (Cow::Owned(folded), seeds));
        let rows = match filters.is_empty() {
            true => Cow::Borrowed(joined.as_ref()),
            false => Cow::Owned(joined.take(&Filter::select_rows(&filters, &joined))),
        };
        let path = first.path.display();
        if rows.rows() == 0 {
            ensure!(!filters.is_empty(), FrameError::NoRows(path.to_string()));
            let missing_values: Vec<String> =
                filters.iter().filter_map(|filter| filter.describe_missing_value(&joined)).collect();
            let explanation =
                if missing_values.is_empty() { String::new() } else { format!(": {}", missing_values.join("; ")) };
            bail!("--where: no row matches{explanation}");
        }
        let games = first.file.as_ref().and_then(|file| file.games.clone()).unwrap_or_default();
        let handicaps = games.handicaps(&manifest.planned.baseline);
        if let Some(games) = Matches::with_handicaps(&rows, games.test_or_default(), &handicaps) {
            let [_] = sources else {
                bail!("a match cannot be joined with other results; give the folder of one match alone")
            };
            let options = "--by, --where, --baseline, --metric, --pivot and --pairs";
            ensure!(*choices == Choices::default(), "{path}: {options} apply to searches, but the rows are games");
            return Ok(Self::from_match(first, manifest, games));
        }
        let rows =
            Rows { sources, choices, manifest, frame: &rows, by, suite: None, seeds, has_filters: !filters.is_empty() };
        let suites = suites::suite_names(rows.frame, &rows.manifest);
        let by_suite = rows.by.iter().flatten().any(|column| column == columns::SUITE);
        if suites.len() > 1 && !by_suite { Self::from_suites(&rows, &suites) } else { Self::from_rows(&rows) }
    }

    /// Makes the page of searches. If the experiment has several suites, the page is that of a
    /// single suite.
    fn from_rows(source_rows: &Rows<'_>) -> Result<Self> {
        let Rows { sources, choices, manifest, frame: rows, by, suite, seeds, .. } = source_rows.clone();
        let first = sources.first().context("no results were given")?;
        let path = first.path.display();
        let pivots = choices.pivot.as_ref().map(|text| pivot::choose(text, by.as_deref(), &choices.metrics, rows));
        let by = by.unwrap_or_else(|| default_by(rows));
        ensure!(!by.is_empty(), "--by: names no column");
        let variants = rows.text_column(columns::VARIANT);
        let baseline_has_rows = (0..rows.rows()).any(|row| variants.text(row) == manifest.planned.baseline);
        // The times of several results are compared only if each result has repeats and was run one
        // job at a time. A single result gets a warning instead.
        let is_timed = |manifest: &Manifest| manifest.planned.repeats > 1 && manifest.run.jobs == 1;
        let times_are_comparable =
            sources.len() == 1 || sources.iter().all(|source| source.manifest.as_ref().is_none_or(is_timed));
        let timing = Timing::new(rows).filter(|_| times_are_comparable);
        let manifests = || sources.iter().filter_map(|source| source.manifest.as_ref());
        let misleading = manifests().find_map(Misleading::from_manifest);
        let metrics = shown_metrics(rows, &choices.metrics, timing.is_some(), misleading.is_some())?;
        let (baseline, is_replaced) = match choices.baseline(rows, &by)? {
            Some(baseline) => (baseline, false),
            None => {
                let variant = Some(&manifest.planned.baseline).filter(|name| !name.is_empty());
                default_baseline(rows, &by, variant, file_condition(rows, first.file.as_ref()))
            }
        };
        let order = if by == [columns::VARIANT] { manifest.planned.variants.clone() } else { Vec::new() };
        let question = Question { by, order, baseline, metrics };
        let (mut summary, grouping, searches) = Summary::with_searches(rows, &question).map_err(Error::msg)?;
        let misleading = misleading.filter(|_| summary.lines.len() > 1);
        if let Some(misleading) = &misleading {
            summary.withhold_node_verdicts(misleading.reason());
        }
        if question.by.iter().any(|column| column == columns::VARIANT)
            && let Some((_, duplicate)) = searches.describe_duplicate(rows)
        {
            bail!("{path}: {duplicate}: it would be counted twice");
        }
        let effect = first.file.as_ref().map_or_else(default_smallest_effect, |file| file.smallest_effect);
        let file = first.file.as_ref().filter(|_| source_rows.checks_expectations());
        let verdicts = file.map_or_else(Vec::new, |file| {
            let suite_expects = suite.map(|suite| suites::suite_expectations(&file.expect, suite));
            let expects = suite_expects.as_ref().unwrap_or(&file.expect);
            claims::judge_claims(expects, file.smallest_effect, rows, &summary)
        });
        let mut answers = verdicts::describe_claims(&verdicts);
        answers.extend(summary.baseline().filter(|_| is_replaced).map(|line| {
            format!("The file's baseline is not among these rows: the baseline is now \"{}\".", line.name)
        }));
        match &misleading {
            Some(misleading) if summary.metrics[0].is_nodes() => {
                answers.push(figure::capitalize(&misleading.sentence()) + ".");
            }
            _ => answers.extend(findings::findings(&summary, effect)),
        }
        answers.extend(seed_findings(&seeds, sources.iter().any(|source| source.missing.is_some())));
        let grid = Grid::new(rows, &summary, baseline_has_rows.then_some(&manifest.planned.baseline));
        let mut page = Self {
            custom_metrics: !choices.metrics.is_empty(),
            pivots: pivots.transpose()?.unwrap_or_default(),
            pairs: match choices.pairs {
                true => pairwise::compare_all_pairs(rows, &summary).map_err(Error::msg)?,
                false => Vec::new(),
            },
            sources: sources.iter().map(|source| (source.label.clone(), source.manifest.clone())).collect(),
            analysis: first.file.as_ref().map(|file| file.analysis.trim().to_owned()).unwrap_or_default(),
            findings: answers,
            verdicts,
            timing,
            memory: memory::compare_memory(rows),
            reference_note: first.reference_note(),
            quality: match sources {
                [source] => quality::move_quality(
                    rows,
                    &source.judgements,
                    &manifest.planned.variants,
                    &manifest.planned.baseline,
                ),
                _ => Vec::new(),
            },
            identity: Identity::new(rows, &summary, grid.as_ref().map_or(&[], |grid| &grid.axes)),
            manifest,
            summary,
            ..Self::default()
        };
        let line_options = [rows.options(), grouping.by.iter().map(String::as_str).collect()].concat();
        page.collect_warnings(sources, choices, grouping.pairs_sources.then_some(&line_options));
        let mut parts = page.parts(rows, grid.as_ref());
        if source_rows.checks_expectations() {
            // Before the last list, which says how the results were made.
            let position = parts.iter().rposition(|part| matches!(part, Part::List(..))).unwrap_or(parts.len());
            parts.splice(position..position, not_run::not_run_part(&page.manifest, rows));
        }
        page.sheet = Sheet { kind: "report".to_owned(), name: page.manifest.planned.name.clone(), parts };
        if let Some((file, confirm)) =
            file.filter(|_| suite.is_none()).and_then(|file| Some((file, file.confirm.as_ref()?)))
        {
            let line_pairs = pairwise::compare_all_pairs(rows, &page.summary).unwrap_or_default();
            let mut screened = screen(&page.summary, &line_pairs);
            screened.self_play = file.sequence.map_or(0, |sequence| sequence.self_play);
            page.screen = screened.clone();
            let games = Confirmation::new(&first.confirming_games, confirm.looks());
            if let Some(games) = games.filter(|games| games.is_of(&screened)) {
                confirm_page::add_to_page(&mut page, &screened, Some(&games));
            }
        }
        Ok(page)
    }

    fn from_match(source: &Source, manifest: Manifest, games: Matches) -> Self {
        let mut page = Self {
            sources: vec![(source.label.clone(), source.manifest.clone())],
            analysis: source.file.as_ref().map(|file| file.analysis.trim().to_owned()).unwrap_or_default(),
            findings: match_page::findings(&games),
            verdicts: match_claims::judge_match_claims(source.file.as_ref().map_or(&[], |file| &file.expect), &games),
            manifest,
            ..Self::default()
        };
        page.warnings = warnings::source_warnings(std::slice::from_ref(source));
        page.warnings.extend(match_page::match_warnings(&games));
        page.notes = warnings::source_notes(std::slice::from_ref(source));
        let mut parts = page.head_parts();
        parts.extend(match_page::parts(&games));
        parts.extend(verdicts::verdict_table(&page).map(Part::Table));
        parts.extend(engines::engines_table(&page).map(Part::Table));
        parts.push(Part::List("How it was made".to_owned(), page.provenance()));
        page.sheet = Sheet { kind: "match".to_owned(), name: page.manifest.planned.name.clone(), parts };
        page.games = Some(games);
        page
    }

    /// Empty texts and lists are left out.
    fn head_parts(&self) -> Vec<Part> {
        let question = &self.manifest.planned.question;
        let mut parts = Vec::new();
        parts.extend((!question.is_empty()).then(|| Part::Question(question.clone())));
        parts.extend((!self.analysis.is_empty()).then(|| Part::Prose(self.analysis.clone())));
        parts.extend((!self.findings.is_empty()).then(|| Part::Findings(self.findings.clone())));
        parts.extend(self.blockers.iter().cloned().map(Part::Blocker));
        parts.extend(self.warnings.iter().cloned().map(Part::Warning));
        parts.extend(self.notes_part());
        parts
    }

    fn notes_part(&self) -> Option<Part> {
        let title = format!("For information: {}", plural(self.notes.len(), "note"));
        (!self.notes.is_empty()).then(|| Part::Folded(title, vec![Part::Findings(self.notes.clone())]))
    }

    fn parts(&self, rows: &Frame, grid: Option<&Grid<'_>>) -> Vec<Part> {
        let summary = &self.summary;
        let mut parts = self.head_parts();
        let default_pivot = match self.pivots.as_slice() {
            [] => pivot::single_position_pivot(rows, summary.searches),
            _ => None,
        };
        for pivot in self.pivots.iter().chain(&default_pivot) {
            parts.push(Part::Table(pivot::table(pivot)));
        }
        // The figures of a grid compare variants, so there are none if rows are grouped by other
        // columns.
        let variants_grid = if summary.by == [columns::VARIANT] { grid } else { None };
        let figures = variants_grid.map_or_else(Vec::new, |grid| grid_figures::figures(grid, summary));
        let mut figures = figures.into_iter();
        // If the first figure covers the whole grid, it comes before the summary. It stays behind
        // the summary if the variants are different engines, because nodes of different engines
        // cannot be compared.
        let is_one_engine = different_engines(&self.manifest).is_none();
        let has_covering_figure = |grid: &Grid<'_>| grid.axes.len() > 1 || grid.axes[0].is_numeric();
        if is_one_engine && variants_grid.is_some_and(has_covering_figure) {
            parts.extend(figures.next().map(Part::Figure));
        }
        parts.push(Part::Table(table::summary_with_verdicts(self)));
        parts.extend(threads::threads_table(self, rows).map(Part::Table));
        parts.extend(engines::quality_table(&self.quality).map(Part::Table));
        parts.extend(engines::engines_table(self).map(Part::Table));
        parts.extend(figure::ratio_figures(summary).into_iter().map(Part::Figure));
        parts.extend(figure::depth_figure(rows, summary).map(Part::Figure));
        parts.extend(grid.map(effects::effects_table).map(Part::Table));
        parts.extend(figures.map(Part::Figure));
        parts.extend(table::traffic_table(self).map(Part::Table));
        parts.extend(table::shares_table(self).map(Part::Table));
        parts.push(Part::Table(table::details_table(self)));
        parts.extend(table::pairs_table(self).map(Part::Table));
        parts.extend(verdicts::verdict_table(self).map(Part::Table));
        parts.push(Part::List("How it was made".to_owned(), self.provenance()));
        let common = table::common_options(self);
        parts.extend(
            common.map(|table| Part::Folded("Options that all variants share".to_owned(), vec![Part::Table(table)])),
        );
        parts
    }

    /// The tables that answer the question of the experiment. The first tables are the encounters
    /// of a match, the pivots that the user asked for, the tables across suites, or the summary.
    /// The tables of pairs and of move quality follow if there are any.
    pub fn main_tables(&self) -> Vec<SheetTable> {
        let mut tables = if let Some(games) = &self.games {
            vec![match_page::encounters_table(games)]
        } else if !self.pivots.is_empty() {
            self.pivots.iter().map(pivot::table).collect()
        } else if !self.across_suites.is_empty() {
            self.across_suites.clone()
        } else {
            vec![table::summary_table(self)]
        };
        tables.extend(self.confirmed.clone());
        tables.extend(table::pairs_table(self));
        tables.extend(engines::quality_table(&self.quality));
        tables
    }

    /// Returns a short form of the page for a terminal.
    pub fn terminal_sheet(&self) -> Sheet {
        let without_summary_title = |table: SheetTable| match table.key == table::SUMMARY {
            true => SheetTable { title: String::new(), ..table },
            false => table,
        };
        let mut parts: Vec<Part> = Vec::new();
        parts.extend((!self.findings.is_empty()).then(|| Part::Findings(self.findings.clone())));
        parts.extend(self.blockers.iter().cloned().map(Part::Blocker));
        parts.extend(self.main_tables().into_iter().map(|table| Part::Table(without_summary_title(table))));
        parts.extend(self.verdict_part());
        parts.extend(self.warnings.iter().cloned().map(Part::Warning));
        parts.extend(self.notes_part());
        Sheet { kind: self.sheet.kind.clone(), name: String::new(), parts }
    }

    fn verdict_part(&self) -> Option<Part> {
        let [holds, differs, undecided] = count_rulings(self.verdicts.iter());
        let summary_line =
            format!("Verdicts: {holds} hold, {differs} differ, {undecided} undecided; all expected outcomes met.");
        let summary_part = (!self.verdicts.is_empty()).then(|| Part::Findings(vec![summary_line]));
        verdicts::failed_table(self).map(Part::Table).or(summary_part)
    }

    /// Returns the number of failed verdicts.
    pub fn count_failed(&self) -> usize {
        self.verdicts.iter().filter(|verdict| !verdict.passes()).count()
    }
}

/// The metrics that the user chose, or those that the rows have.
fn shown_metrics(rows: &Frame, chosen: &[String], is_timed: bool, is_misleading: bool) -> Result<Vec<Metric>> {
    if !chosen.is_empty() {
        return Ok(chosen.iter().map(|name| Metric::find_comparable(name, rows)).collect::<Result<_, _>>()?);
    }
    let mut metrics = vec![Metric::nodes()];
    if rows.has(columns::MATE_NODES) {
        metrics.splice(0..0, [columns::MATE_NODES, columns::MATE_FOUND].map(Metric::from_column));
    }
    if rows.has(columns::TICKS) {
        metrics.push(Metric { name: threads::TICKS.to_owned(), ..Metric::from_column(columns::TICKS) });
    }
    if is_timed {
        metrics.push(Metric::find(columns::SECONDS, rows)?);
    }
    if rows.has(columns::SCORE_ERROR) {
        let position = if is_misleading { 0 } else { metrics.len() };
        metrics.insert(position, Metric::from_column(columns::SCORE_ERROR));
    }
    Ok(metrics)
}

/// Says which figures are means over repeats, key seeds or schedules.
fn seed_findings(seeds: &Seeds, is_incomplete: bool) -> Vec<String> {
    let Seeds { count, are_schedules, repeats, deviation } = *seeds;
    let repeats_finding = (repeats > 1).then(|| {
        format!(
            "Searches that do not repeat were made {repeats} times each; the nodes of a single search deviate by \
             {:.1} %. Ratios with an interval are means over all repeats; counts, shares and single searches are \
             those of the first repeat.",
            100.0 * deviation
        )
    });
    let seeds_finding = (count > 1).then(|| {
        let how = match (are_schedules, is_incomplete) {
            (true, _) => {
                format!("Variants whose searchers depend on the schedule were searched under {count} schedules")
            }
            (false, true) => format!("Variants were searched under up to {count} key seeds"),
            (false, false) => format!("Every variant was searched under {count} key seeds"),
        };
        format!(
            "{how}. Ratios with an interval are means over them; counts, shares and single searches are those under \
             the first."
        )
    });
    repeats_finding.into_iter().chain(seeds_finding).collect()
}

#[cfg(test)]
mod tests;
