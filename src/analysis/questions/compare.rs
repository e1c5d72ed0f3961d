//! Compares two results row by row: what changed, by how much, and whether a gate or the equality
//! of counts fails.

use super::gate::{Gate, GateError};
use super::paired_rows::{CompareError, PairedResults, RecordedResult, RowPair, add_score_errors};
use super::plans::{self, MeasuredProgram};
use super::verdict::Ruling;
use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::pairs::{BaseSearches, Pairs};
use crate::analysis::rows::metric::Metric;
use crate::record::columns::{self, Role};
use crate::stats::ratio::{Family, Ratio};
use crate::text::plural;
use std::path::Path;

/// The largest number of changed rows, and of missing rows, that are listed.
const MAX_LISTED: usize = 20;

/// The result of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// The names of BASE and NEW.
    pub names: [String; 2],
    /// The programs that were measured for BASE and for NEW. A list is empty if the result has no
    /// manifest.
    pub programs: [Vec<MeasuredProgram>; 2],
    /// The names of the metrics in `Change::totals` and `Change::differing`, in the same order.
    /// Counters come first, followed by seconds and, if scores were judged, the score error.
    pub metrics: Vec<String>,
    /// The change of each variant of BASE or NEW. If both results have a suite column, each variant
    /// has one change for each suite.
    pub variants: Vec<Change>,
    /// Whether BASE and NEW have the same plan. If the plans are the same, the counts must be equal
    /// too. `None` if a manifest is missing.
    pub same_plan: Option<bool>,
    /// Whether counts may differ although the plans are equal, because the program was changed.
    pub moves_allowed: bool,
    /// The number of rows that both results have.
    pub paired_count: usize,
    /// The number of paired rows that differ in counts, best move or score.
    pub moved_count: usize,
    /// How many of them say that their counts do not repeat: they fail no comparison by themselves.
    pub unrepeatable_moved_count: usize,
    /// The rows that differ, at most twenty. The rows with the largest changes of nodes come first.
    pub moved: Vec<MovedRow>,
    /// The number of rows of BASE that are missing in NEW.
    pub missing_count: usize,
    /// Descriptions of the first twenty of the missing rows.
    pub listed_missing: Vec<String>,
    /// The number of rows that only NEW has.
    pub added: usize,
    /// The number of failed jobs in BASE and in NEW.
    pub failed: [usize; 2],
    /// The result of each gate on each variant.
    pub gate_results: Vec<GateResult>,
    /// The differences between the plans. `None` if a manifest is missing.
    pub differences: Option<Vec<String>>,
    /// Notes that help users to interpret the figures.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The variant's name in BASE. If both results have a suite column, the name of the suite comes
    /// first.
    pub variant: String,
    pub paired: usize,
    /// The number of paired rows that differ.
    pub moved: usize,
    /// The number of BASE's rows that are missing in NEW.
    pub missing: usize,
    /// The total of each metric over the paired rows, in BASE and in NEW. The repeats of a search
    /// are counted once. For seconds, the median of the repeats is used.
    pub totals: Vec<[f64; 2]>,
    /// The number of rows in which each metric differs. 0 for seconds and score errors.
    pub differing: Vec<usize>,
    /// NEW's nodes divided by BASE's, paired by search.
    pub nodes: Ratio,
    /// The number of searches that were compared only up to a common depth.
    pub truncated: usize,
    /// The p-value of the ratio `nodes`. It is corrected for the number of variants by joint sign
    /// flips.
    pub p: f64,
    /// NEW's seconds divided by BASE's.
    pub seconds: Ratio,
    /// The ratio of the mean score errors, or `Ratio::default()` if scores were not judged.
    pub score_error: Ratio,
    /// The spread of NEW's seconds. It is half the range of the repeats of a search, summed over
    /// all searches.
    pub spread: f64,
}

#[derive(Debug, Clone)]
pub struct MovedRow {
    pub variant: String,
    pub position: String,
    /// The depth in plies.
    pub depth: f64,
    /// The number of the repeat, counted from 0.
    pub repeat: u32,
    pub nodes: [f64; 2],
    pub columns: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub struct GateResult {
    pub gate: String,
    pub variant: String,
    pub metric: String,
    /// The metric's totals in BASE and in NEW.
    pub totals: [f64; 2],
    pub differing_rows: usize,
    /// Whether the claim of a change beyond the bound holds. It is undecided if the change exceeds
    /// the bound but is not significant. Counts are exact, so only changes of times and score
    /// errors can be undecided.
    pub ruling: Ruling,
    /// Why the gate says little about playing strength. `None` if the number of nodes that a search
    /// needs to reach a depth is not misleading here.
    pub caution: Option<String>,
}

impl GateResult {
    pub fn fails(&self) -> bool {
        self.ruling == Ruling::Holds
    }

    pub fn is_noise(&self) -> bool {
        self.ruling == Ruling::Undecided
    }
}

/// The outcome of a comparison. More severe outcomes come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    Gate,
    /// Rows of BASE are missing in NEW, or the results have no rows in common.
    Missing,
    /// The plans are equal, but the counts are not.
    Unequal,
    Fine,
}

/// Compares two results row by row. Each path is the path of a folder that was written by a run, or
/// the path of the results file in such a folder. Rows are paired by variant, position, ply, depth
/// and repeat. Gates are written as `nodes > +1%`, `table.hits < -1000` or `nodes changed`.
///
/// # Errors
/// If a result cannot be read, was edited, or contains a row twice, or if a gate cannot be parsed
/// or judged.
pub fn compare(base: &Path, new: &Path, gates: &[&str]) -> Result<Comparison, CompareError> {
    let gates = gates.iter().map(|text| Gate::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let (mut base_result, mut new_result) = (RecordedResult::read(base)?, RecordedResult::read(new)?);
    add_score_errors(&mut base_result, &mut new_result, base)?;
    let resolve_column = |gate: Gate| gate.column(&base_result.frame).map(|column| (gate, column));
    let gates = gates.into_iter().map(resolve_column).collect::<Result<Vec<_>, _>>()?;
    Comparison::new(&mut base_result, &mut new_result, &gates)
}

impl Comparison {
    /// Compares two results, whose rows it takes. Each gate is passed with the full name of its
    /// column.
    ///
    /// # Errors
    /// If one of the results contains a row twice, or if a gate cannot be judged.
    pub fn new(
        base: &mut RecordedResult,
        new: &mut RecordedResult,
        gates: &[(Gate, String)],
    ) -> Result<Self, CompareError> {
        let programs = [&*base, &*new].map(plans::measured_programs);
        let limits = [&*base, &*new].map(|result| plans::limits_by_variant(&result.frame));
        let results = PairedResults::new(base, new)?;
        let mut comparison = Self {
            names: [base.name.clone(), new.name.clone()],
            programs,
            added: results.added_count,
            failed: results.failed,
            same_plan: base
                .manifest
                .as_ref()
                .zip(new.manifest.as_ref())
                .map(|(base, new)| base.planned.plan == new.planned.plan),
            ..Self::default()
        };
        comparison.variants =
            results.lines.iter().map(|line| Change { variant: results.line_name(line), ..Change::default() }).collect();
        results.pairs.iter().for_each(|pair| comparison.variants[pair.line].paired += 1);
        results.missing_rows.iter().for_each(|&(_, index)| comparison.variants[index].missing += 1);
        let listed_rows = results.missing_rows.iter().take(MAX_LISTED).map(|&(row, _)| results.describe_row(row));
        (comparison.missing_count, comparison.listed_missing) = (results.missing_rows.len(), listed_rows.collect());
        comparison.count_changes(&results);
        let notes_on_unjudged_variants = comparison.judge_gates(&results, gates)?;
        comparison.differences = plans::plan_differences(base, new, &limits, &results);
        comparison.notes = collect_notes(base, new, &comparison.programs[0], &results, gates);
        comparison.notes.extend(notes_on_unjudged_variants);
        if comparison.unrepeatable_moved_count > 0 {
            let rows = plural(comparison.unrepeatable_moved_count, "row");
            comparison.notes.push(format!("{rows} that moved are of engines whose counts do not repeat"));
        }
        Ok(comparison)
    }

    /// Returns the outcome, which says whether and why the comparison fails.
    pub fn finding(&self) -> Finding {
        if self.gate_results.iter().any(|gate_result| gate_result.fails()) {
            Finding::Gate
        } else if self.missing_count > 0 || self.paired_count == 0 {
            Finding::Missing
        } else if self.must_be_equal() && self.moved_count > self.unrepeatable_moved_count {
            Finding::Unequal
        } else {
            Finding::Fine
        }
    }

    /// Returns the names of BASE's programs and the names of NEW's programs if the names differ.
    /// Returns `None` if both have the same names, or if the programs of one result are unknown.
    pub fn differing_program_names(&self) -> Option<[String; 2]> {
        let [base, new] = &self.programs;
        let join_names = |programs: &[MeasuredProgram]| {
            let mut names: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
            names.dedup();
            names.join(", ")
        };
        let names = [join_names(base), join_names(new)];
        (!base.is_empty() && !new.is_empty() && names[0] != names[1]).then_some(names)
    }

    /// Whether any difference in a count makes the comparison fail, even without a gate.
    pub fn must_be_equal(&self) -> bool {
        self.same_plan == Some(true) && !self.moves_allowed
    }

    /// Returns the index of a metric in `metrics`.
    pub fn metric_index(&self, name: &str) -> Option<usize> {
        self.metrics.iter().position(|metric| metric == name)
    }

    /// Computes the totals and the numbers of differing rows for each column that both results
    /// have. Then computes the ratios and lists the rows with the largest changes.
    fn count_changes(&mut self, results: &PairedResults) {
        let PairedResults { frame, pairs, shared_columns, .. } = results;
        let mut difference_flags = vec![false; pairs.len()];
        let repeats = &*frame.number_column(columns::REPEAT);
        for column in shared_columns.iter().filter(is_deterministic) {
            let rows_differ = frame.rows_differ_in(column);
            let flags = pairs.iter().zip(&mut difference_flags).map(|(pair, has_difference)| {
                let differs = rows_differ(pair.base, pair.new);
                *has_difference |= differs;
                (pair, differs)
            });
            // Only counts have totals. A sum of texts, or of states at the end of searches, would
            // have no meaning.
            if columns::role(column) != Role::Sum {
                flags.for_each(drop);
                continue;
            }
            let numbers = &*frame.number_column(column);
            self.metrics.push(column.clone());
            let mut figures = vec![([0.0; 2], 0); self.variants.len()];
            for (pair, differs) in flags {
                let ([base_total, new_total], differing) = &mut figures[pair.line];
                *differing += usize::from(differs);
                let (base_value, new_value) = (numbers.get(pair.base), numbers.get(pair.new));
                let is_later_repeat = repeats.get(pair.base) > 0.0;
                if !is_later_repeat && !base_value.is_nan() && !new_value.is_nan() {
                    *base_total += base_value;
                    *new_total += new_value;
                }
            }
            for (change, (totals, differing)) in self.variants.iter_mut().zip(figures) {
                change.totals.push(totals);
                change.differing.push(differing);
            }
        }
        let differing_pairs: Vec<&RowPair> =
            pairs.iter().zip(difference_flags).filter(|(_, differs)| *differs).map(|(pair, _)| pair).collect();
        differing_pairs.iter().for_each(|pair| self.variants[pair.line].moved += 1);
        (self.paired_count, self.moved_count) = (pairs.len(), differing_pairs.len());
        let repeats_column = frame.text_column(columns::REPEATS);
        let repeats = |row: usize| ["", "exact"].contains(&repeats_column.text(row));
        self.unrepeatable_moved_count =
            differing_pairs.iter().filter(|pair| !repeats(pair.base) || !repeats(pair.new)).count();
        self.add_ratios(results);
        self.list_largest_changes(results, &differing_pairs);
    }

    /// Computes the ratios of nodes, seconds and score errors, paired by search. The number of rows
    /// that differ in seconds or in the score error is not counted and stays 0.
    fn add_ratios(&mut self, results: &PairedResults) {
        // Returns the pairs and the judged ratio of each variant.
        let judge_variants = |column: &str| {
            let metric = Metric::from_column(column);
            let reader = MetricReader::new(&results.searches, &metric, &results.frame);
            let pair_variant = |groups: &[Option<usize>; 2]| match *groups {
                [Some(base), Some(new)] => BaseSearches::new(&reader, &results.grouping, base).pairs(new),
                _ => Pairs::default(),
            };
            let pairs: Vec<Pairs> = results.groups.iter().map(pair_variant).collect();
            let judged_ratios = Family::judge(&pairs.iter().map(Pairs::logs).collect::<Vec<_>>(), false).lines;
            pairs.into_iter().zip(judged_ratios)
        };
        for (change, (pairs, judged)) in self.variants.iter_mut().zip(judge_variants(columns::NODES)) {
            (change.nodes, change.p, change.truncated) = (judged.ratio, judged.p, pairs.truncated);
        }
        self.metrics.push(columns::SECONDS.to_owned());
        for (change, (pairs, judged)) in self.variants.iter_mut().zip(judge_variants(columns::SECONDS)) {
            (change.seconds, change.spread) = (judged.ratio, pairs.spread);
            change.totals.push(pairs.totals);
            change.differing.push(0);
        }
        if results.shared_columns.iter().any(|column| column == columns::SCORE_ERROR) {
            self.metrics.push(columns::SCORE_ERROR.to_owned());
            for (change, (pairs, judged)) in self.variants.iter_mut().zip(judge_variants(columns::SCORE_ERROR)) {
                change.score_error = judged.ratio;
                change.totals.push(pairs.totals);
                change.differing.push(0);
            }
        }
    }

    fn list_largest_changes(&mut self, results: &PairedResults, differing_pairs: &[&RowPair]) {
        let frame = &results.frame;
        let [nodes, depths, repeats] =
            [columns::NODES, columns::DEPTH, columns::REPEAT].map(|column| frame.number_column(column));
        // The number of nodes may be 0. Adding 1 to both numbers avoids a ratio with 0.
        let change_size = |pair: &RowPair| ((nodes.get(pair.new) + 1.0) / (nodes.get(pair.base) + 1.0)).ln().abs();
        let mut largest: Vec<(f64, &RowPair)> = differing_pairs.iter().map(|pair| (change_size(pair), *pair)).collect();
        largest.sort_by(|(size_a, _), (size_b, _)| size_b.total_cmp(size_a));
        largest.truncate(MAX_LISTED);
        let to_moved_row = |(_, pair): (f64, &RowPair)| {
            let differs = |column: &&String| frame.rows_differ_in(column)(pair.base, pair.new);
            MovedRow {
                variant: results.line_name(&results.lines[pair.line]),
                position: frame.text(columns::POSITION, pair.base).to_string(),
                depth: depths.get(pair.base),
                repeat: repeats.get(pair.base).max(0.0) as u32,
                nodes: [nodes.get(pair.base), nodes.get(pair.new)],
                columns: results.shared_columns.iter().filter(is_deterministic).filter(differs).cloned().collect(),
            }
        };
        self.moved = largest.into_iter().map(to_moved_row).collect();
    }

    /// Judges each gate on each variant that both results have. Returns one note for each variant
    /// that was not judged because the variant has no figures in the gate's column.
    fn judge_gates(&mut self, results: &PairedResults, gates: &[(Gate, String)]) -> Result<Vec<String>, GateError> {
        let mut notes = Vec::new();
        for (gate, column) in gates {
            let metric_index = self.metric_index(column).filter(|_| results.shared_columns.contains(column));
            let Some(metric_index) = metric_index else {
                return Err(gate.refuse(
                    &format!("NEW has no column `{column}`"),
                    "another build wrote NEW: run its experiment again",
                ));
            };
            // Times and score errors are samples. Counts are exact.
            let is_sampled = [columns::SECONDS, columns::SCORE_ERROR].contains(&column.as_str());
            let (mut judged_count, mut any_can_fail) = (0, false);
            for (index, change) in self.variants.iter().enumerate().filter(|(_, change)| change.paired > 0) {
                if !has_figures(results, column, index).map_err(|problem| gate.refuse(&problem, NO_FIGURES_HELP))? {
                    notes.push(format!("gate `{gate}`: not judged for \"{}\", which has no figures", change.variant));
                    continue;
                }
                let ratio = if column == columns::SECONDS { change.seconds } else { change.score_error };
                if is_sampled && ratio.low.is_nan() {
                    let message =
                        format!("`{column}` of \"{}\" has no interval, so the gate could never fail", change.variant);
                    return Err(gate.refuse(&message, "use results with figures other than 0 in at least two searches"));
                }
                let [base, new] = change.totals[metric_index];
                let exceeds_bound = match gate.is_on_any_change() {
                    true if is_sampled => ratio.excludes_one(),
                    true => change.differing[metric_index] > 0,
                    false => gate.exceeds_bound(base, new),
                };
                (judged_count, any_can_fail) = (judged_count + 1, any_can_fail || gate.can_fail(base));
                // The change of a sampled metric must also be significant for the gate to fail.
                let ruling = match exceeds_bound {
                    true if is_sampled && !ratio.excludes_one() => Ruling::Undecided,
                    exceeds_bound => Ruling::from_holds(Some(exceeds_bound)),
                };
                self.gate_results.push(GateResult {
                    gate: gate.to_string(),
                    variant: change.variant.clone(),
                    metric: column.clone(),
                    totals: [base, new],
                    differing_rows: change.differing[metric_index],
                    ruling,
                    caution: None,
                });
            }
            if judged_count == 0 && self.paired_count > 0 {
                return Err(gate.refuse(&format!("neither BASE nor NEW has a figure in `{column}`"), NO_FIGURES_HELP));
            }
            if judged_count > 0 && !any_can_fail {
                let help = "a total cannot become negative, so use a smaller change";
                return Err(gate.refuse("it can never fail: no total of BASE is large enough to fall by so much", help));
            }
        }
        Ok(notes)
    }
}

const NO_FIGURES_HELP: &str = "gate a column that both results have figures in";

/// Whether any paired rows of the line with index `line_index` have figures in a column.
///
/// # Errors
/// If a figure is negative or infinite, or if only one row of a pair has a figure. The message
/// describes the first such pair.
fn has_figures(results: &PairedResults, column: &str, line_index: usize) -> Result<bool, String> {
    let (numbers, mut any_pair_has_figures) = (results.frame.numbers(column), false);
    for pair in results.pairs.iter().filter(|pair| pair.line == line_index) {
        for (side, row) in [("BASE", pair.base), ("NEW", pair.new)] {
            let number = numbers[row];
            if number < 0.0 || number.is_infinite() {
                return Err(format!("`{column}` of {side} is {number} for {}", results.describe_row(row)));
            }
        }
        match [pair.base, pair.new].map(|row| numbers[row].is_nan()) {
            [true, true] => {}
            [false, false] => any_pair_has_figures = true,
            [is_base_empty, _] => {
                let side = if is_base_empty { "BASE" } else { "NEW" };
                return Err(format!("`{column}` of {side} is empty for {}", results.describe_row(pair.base)));
            }
        }
    }
    Ok(any_pair_has_figures)
}

/// Whether a repeat of a search gives the same value in this column. This is so for counts, for
/// states at the end of a search, and for words such as the best move.
/// What `solved` says follows from the best move and the answers of the suite, which may change.
fn is_deterministic(column: &&String) -> bool {
    *column != columns::SOLVED && matches!(columns::role(column), Role::Sum | Role::Last | Role::Word)
}

/// A note if totals include iterations that were stopped by a node limit. Such totals measure the
/// limit, not the nodes that were needed.
fn truncation_note(results: &PairedResults) -> Option<String> {
    let finished = results.frame.text_column(columns::FINISHED);
    let is_truncated = |row: usize| finished.text(row) == "false";
    let base_count = results.pairs.iter().filter(|pair| is_truncated(pair.base)).count();
    let new_count = results.pairs.iter().filter(|pair| is_truncated(pair.new)).count();
    (base_count + new_count > 0).then(|| {
        format!(
            "totals, and gates on totals, include iterations that a node limit cut short ({} of BASE and {new_count} of NEW). Such totals measure \
             the budget spent, not the nodes needed. A ratio with † counts only the depths that both searches finished",
            plural(base_count, "row")
        )
    })
}

fn collect_notes(
    base: &RecordedResult,
    new: &RecordedResult,
    base_programs: &[MeasuredProgram],
    results: &PairedResults,
    gates: &[(Gate, String)],
) -> Vec<String> {
    let mut notes = Vec::new();
    for (variant, new_name) in results.variants.iter().zip(&results.new_names) {
        let describe_renaming =
            |new_name: &String| format!("\"{variant}\" is called \"{new_name}\" in NEW: the options are the same");
        notes.extend(new_name.as_ref().map(describe_renaming));
    }
    for (side, failed) in ["BASE", "NEW"].iter().zip(results.failed) {
        if failed > 0 {
            let jobs = if failed == 1 { "a job".to_owned() } else { format!("{failed} jobs") };
            notes.push(format!("{jobs} failed in {side}: see its error column"));
        }
    }
    notes.extend(truncation_note(results));
    let (Some(base_manifest), Some(new_manifest)) = (&base.manifest, &new.manifest) else {
        notes.push(
            "one of the results has no manifest.json: it is unknown whether plans, builds and machines are equal"
                .to_owned(),
        );
        return notes;
    };
    let sides = [("BASE", base_manifest), ("NEW", new_manifest)];
    for (side, manifest) in sides {
        if manifest.run.ended.is_none() {
            notes.push(format!("the run of {side} is not finished"));
        }
    }
    // No note is needed if ttlab's own engine was measured, because the measured program then
    // names its build.
    if base_manifest.host.build != new_manifest.host.build
        && !base_programs.iter().any(|program| program.command.is_empty())
    {
        let [base, new] = [&base_manifest.host.build, &new_manifest.host.build]
            .map(|build| format!("{} ({}, {})", build.version, build.commit, build.profile));
        notes.push(format!("different builds: BASE {base}, NEW {new}"));
    }
    if base_manifest.host.machine != new_manifest.host.machine {
        let [base, new] = [base_manifest, new_manifest]
            .map(|manifest| format!("{}, {} cores", manifest.host.machine.cpu, manifest.host.machine.cores));
        notes.push(format!("different machines: BASE {base}; NEW {new}; counts can be compared, times cannot"));
    }
    if gates.iter().any(|(_, column)| column == columns::SECONDS) {
        for (side, manifest) in sides {
            if manifest.run.jobs > 1 {
                notes.push(format!("{side} ran {} jobs at a time: use --jobs 1 to compare times", manifest.run.jobs));
            }
            if manifest.planned.repeats < 2 {
                notes.push(format!("{side} ran each search once: use repeats to compare times"));
            }
        }
    }
    notes
}

#[cfg(test)]
mod tests;
