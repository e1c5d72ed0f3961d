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
    Comparison::new(&base_result, &new_result, &gates)
}

impl Comparison {
    /// Compares two results. Each gate is passed with the full name of its column.
    ///
    /// # Errors
    /// If one of the results contains a row twice, or if a gate cannot be judged.
    pub fn new(base: &RecordedResult, new: &RecordedResult, gates: &[(Gate, String)]) -> Result<Self, CompareError> {
        let results = PairedResults::new(base, new)?;
        let mut comparison = Self {
            names: [base.name.clone(), new.name.clone()],
            programs: [base, new].map(plans::measured_programs),
            added: results.added_count,
            failed: results.failed,
            same_plan: base.manifest.as_ref().zip(new.manifest.as_ref()).map(|(base, new)| base.plan == new.plan),
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
        comparison.differences = plans::plan_differences(base, new, &results);
        comparison.notes = collect_notes(base, new, &results, gates);
        comparison.notes.extend(notes_on_unjudged_variants);
        Ok(comparison)
    }

    /// Returns the outcome, which says whether and why the comparison fails.
    pub fn finding(&self) -> Finding {
        if self.gate_results.iter().any(|gate_result| gate_result.fails()) {
            Finding::Gate
        } else if self.missing_count > 0 || self.paired_count == 0 {
            Finding::Missing
        } else if self.must_be_equal() && self.moved_count > 0 {
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
        let repeats = frame.numbers(columns::REPEAT);
        for column in shared_columns.iter().filter(is_deterministic) {
            let rows_differ = frame.rows_differ_in(column);
            let differs = |pair: &RowPair| rows_differ(pair.base, pair.new);
            for (pair, has_difference) in pairs.iter().zip(&mut difference_flags) {
                *has_difference |= differs(pair);
            }
            // Only counts have totals. A sum of texts, or of states at the end of searches, would
            // have no meaning.
            if columns::role(column) != Role::Sum {
                continue;
            }
            let (metric_index, numbers) = (self.metrics.len(), frame.numbers(column));
            self.metrics.push(column.clone());
            for change in &mut self.variants {
                change.totals.push([0.0; 2]);
                change.differing.push(0);
            }
            for pair in pairs {
                let change = &mut self.variants[pair.line];
                change.differing[metric_index] += usize::from(differs(pair));
                let (base_value, new_value) = (numbers[pair.base], numbers[pair.new]);
                let is_later_repeat = repeats[pair.base] > 0.0;
                if !is_later_repeat && !base_value.is_nan() && !new_value.is_nan() {
                    let [base_total, new_total] = &mut change.totals[metric_index];
                    *base_total += base_value;
                    *new_total += new_value;
                }
            }
        }
        let differing_pairs: Vec<&RowPair> =
            pairs.iter().zip(difference_flags).filter(|(_, differs)| *differs).map(|(pair, _)| pair).collect();
        differing_pairs.iter().for_each(|pair| self.variants[pair.line].moved += 1);
        (self.paired_count, self.moved_count) = (pairs.len(), differing_pairs.len());
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
            let judged_ratios = Family::from_samples(&pairs.iter().map(Pairs::logs).collect::<Vec<_>>()).lines;
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
            [columns::NODES, columns::DEPTH, columns::REPEAT].map(|column| frame.numbers(column));
        // The number of nodes may be 0. Adding 1 to both numbers avoids a ratio with 0.
        let change_size = |pair: &RowPair| ((nodes[pair.new] + 1.0) / (nodes[pair.base] + 1.0)).ln().abs();
        let mut largest: Vec<(f64, &RowPair)> = differing_pairs.iter().map(|pair| (change_size(pair), *pair)).collect();
        largest.sort_by(|(size_a, _), (size_b, _)| size_b.total_cmp(size_a));
        largest.truncate(MAX_LISTED);
        let to_moved_row = |(_, pair): (f64, &RowPair)| {
            let differs = |column: &&String| frame.rows_differ_in(column)(pair.base, pair.new);
            MovedRow {
                variant: results.line_name(&results.lines[pair.line]),
                position: frame.text(columns::POSITION, pair.base).to_string(),
                depth: depths[pair.base],
                repeat: repeats[pair.base].max(0.0) as u32,
                nodes: [nodes[pair.base], nodes[pair.new]],
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
fn is_deterministic(column: &&String) -> bool {
    matches!(columns::role(column), Role::Sum | Role::Last | Role::Word)
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
        if manifest.ended.is_none() {
            notes.push(format!("the run of {side} is not finished"));
        }
    }
    // No note is needed if ttlab's own engine was measured, because the measured program then
    // names its build.
    if base_manifest.build != new_manifest.build
        && !plans::measured_programs(base).iter().any(|program| program.command.is_empty())
    {
        let [base, new] = [&base_manifest.build, &new_manifest.build]
            .map(|build| format!("{} ({}, {})", build.version, build.commit, build.profile));
        notes.push(format!("different builds: BASE {base}, NEW {new}"));
    }
    if base_manifest.machine != new_manifest.machine {
        let [base, new] = [base_manifest, new_manifest]
            .map(|manifest| format!("{}, {} cores", manifest.machine.cpu, manifest.machine.cores));
        notes.push(format!("different machines: BASE {base}; NEW {new}; counts can be compared, times cannot"));
    }
    if gates.iter().any(|(_, column)| column == columns::SECONDS) {
        for (side, manifest) in sides {
            if manifest.jobs > 1 {
                notes.push(format!("{side} ran {} jobs at a time: use --jobs 1 to compare times", manifest.jobs));
            }
            if manifest.repeats < 2 {
                notes.push(format!("{side} ran each search once: use repeats to compare times"));
            }
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::analysis::rows::frame::Frame;
    use crate::record::manifest::Manifest;

    /// A result with these rows: variant, position, nodes.
    fn result_of(rows: &str, manifest: Manifest) -> RecordedResult {
        let rows = rows.split(' ').filter(|row| !row.is_empty()).map(|row| row.to_owned() + "\n").collect::<String>();
        let text = format!("variant,position,search.nodes,depth,seconds,error\n{}", rows.replace('\n', ",1,0.5,\n"));
        let frame = Frame::parse(text.replace("!,1,0.5,", ",1,0.5,why").as_bytes(), "t").unwrap();
        RecordedResult { name: "r".to_owned(), frame, manifest: Some(manifest), missing: None }
    }

    fn compare(base: &RecordedResult, new: &RecordedResult) -> Comparison {
        Comparison::new(base, new, &[]).unwrap()
    }

    fn compare_with_time_gate(base: &RecordedResult, new: &RecordedResult) -> Comparison {
        Comparison::new(base, new, &[(Gate::parse("seconds > +5%").unwrap(), columns::SECONDS.to_owned())]).unwrap()
    }

    /// Each note names the result that it is about.
    #[test]
    fn notes_name_their_side() {
        let default_manifest =
            Manifest { ended: Some(9), jobs: 1, repeats: 2, plan: "p".to_owned(), ..Manifest::default() };
        let make_result = |edit: &dyn Fn(&mut Manifest), rows: &str| {
            let mut manifest = default_manifest.clone();
            edit(&mut manifest);
            result_of(rows, manifest)
        };
        let complete = make_result(&|_| {}, "a,p,9 a,q,8");
        assert_eq!(compare_with_time_gate(&complete, &complete).notes, Vec::<String>::new());
        let cases = [
            (make_result(&|manifest| manifest.ended = None, "a,p,9 a,q,8"), "the run of SIDE is not finished"),
            (
                make_result(&|manifest| manifest.jobs = 2, "a,p,9 a,q,8"),
                "SIDE ran 2 jobs at a time: use --jobs 1 to compare times",
            ),
            (
                make_result(&|manifest| manifest.repeats = 1, "a,p,9 a,q,8"),
                "SIDE ran each search once: use repeats to compare times",
            ),
            (make_result(&|_| {}, "a,p,9 a,q,8 a,r,! a,s,!"), "2 jobs failed in SIDE: see its error column"),
        ];
        for (incomplete, message) in cases {
            assert_eq!(compare_with_time_gate(&incomplete, &complete).notes, [message.replace("SIDE", "BASE")]);
            assert_eq!(compare_with_time_gate(&complete, &incomplete).notes, [message.replace("SIDE", "NEW")]);
        }
        // Jobs and repeats matter only for gates on times.
        let nodes = [(Gate::parse("nodes > +5%").unwrap(), columns::NODES.to_owned())];
        let single_runs = make_result(&|manifest| (manifest.jobs, manifest.repeats) = (2, 1), "a,p,9 a,q,8");
        assert_eq!(Comparison::new(&single_runs, &single_runs, &nodes).unwrap().notes, Vec::<String>::new());
        // Different machines are listed, BASE first.
        let old = make_result(
            &|manifest| (manifest.machine.cpu, manifest.build.version) = ("x".to_owned(), "1".to_owned()),
            "a,p,9 a,q,8",
        );
        let new = make_result(
            &|manifest| (manifest.machine.cpu, manifest.build.version) = ("y".to_owned(), "2".to_owned()),
            "a,p,9 a,q,8",
        );
        assert_eq!(
            compare_with_time_gate(&old, &new).notes,
            ["different machines: BASE x, 0 cores; NEW y, 0 cores; counts can be compared, times cannot"]
        );
    }

    /// For external engines, the builds of ttlab that measured them are listed too.
    #[test]
    fn programs_are_named_and_other_names_noticed() {
        use crate::record::manifest::EngineInfo;
        let set_engine = |name: &'static str, sha256: &'static str| {
            move |manifest: &mut Manifest| {
                let (name, sha256, program) = (name.to_owned(), sha256.to_owned(), "/bin/x".to_owned());
                manifest.build.version.clone_from(&sha256);
                manifest.subjects.insert("a".to_owned(), EngineInfo { name, sha256, program, ..EngineInfo::default() });
            }
        };
        let make_result = |edit: &dyn Fn(&mut Manifest)| {
            let mut manifest = Manifest::default();
            edit(&mut manifest);
            result_of("a,p,9", manifest)
        };
        let comparison = compare(&make_result(&set_engine("One", "11")), &make_result(&set_engine("One", "22")));
        assert_eq!(
            comparison.programs.map(|programs| programs[0].to_string()),
            ["11", "22"].map(|hash| format!("One (/bin/x, SHA-256 {hash})"))
        );
        assert!(
            comparison.notes.iter().any(|note| note.starts_with("different builds: BASE 11 ")),
            "{:?}",
            comparison.notes
        );
        assert_eq!(
            compare(&make_result(&set_engine("One", "11")), &make_result(&set_engine("One", "22")))
                .differing_program_names(),
            None
        );
        let names = compare(&make_result(&set_engine("One", "11")), &make_result(&set_engine("Two", "11")))
            .differing_program_names();
        assert_eq!(names, Some(["One".to_owned(), "Two".to_owned()]));
        assert_eq!(
            compare(&make_result(&|_| ()), &make_result(&set_engine("Two", "11")))
                .differing_program_names()
                .map(|names| names[0].clone()),
            Some("ttlab".to_owned())
        );
    }

    /// Differences between plans are listed as changes from BASE to NEW.
    #[test]
    fn plan_differences_are_from_base_to_new() {
        let result_with_plan = |plan: &str, items: usize, slots: &[(&str, u32)]| {
            let options = |slots: &u32| serde_json::json!({ "table": { "slots": slots } });
            let options = slots.iter().map(|(name, slots)| ((*name).to_owned(), options(slots))).collect();
            let rows = slots.iter().map(|(name, _)| format!("{name},p,9 ")).collect::<String>();
            result_of(&rows, Manifest { plan: plan.to_owned(), items, options, ..Manifest::default() })
        };
        // Results that differ in other settings of the plan.
        let result_with_settings = |plan: &str, suite: &str, repeats: u32, seeds: u32, sequence: bool| {
            let suite = suite.to_owned();
            result_of(
                "a,p,9",
                Manifest { plan: plan.to_owned(), suite, repeats, seeds, sequence, ..Manifest::default() },
            )
        };
        let differences =
            compare(&result_with_settings("x", "s.epd", 1, 3, false), &result_with_settings("y", "t.epd", 2, 1, true))
                .differences
                .unwrap();
        assert_eq!(
            differences,
            ["suite (s.epd -> t.epd)", "repeats (1 -> 2)", "key seeds (3 -> 1)", "sequence (false -> true)"]
        );
        let base = result_with_plan("x", 3, &[("a", 1), ("b", 2), ("c", 7)]);
        let new = result_with_plan("y", 4, &[("a", 1), ("b", 4), ("d", 8), ("e", 9)]);
        let [forwards, backwards] =
            [compare(&base, &new), compare(&new, &base)].map(|comparison| comparison.differences.unwrap());
        let describe_slots = |values: &str| format!("table.slots in 1 of 2 variants ({values})");
        let describe_unmatched = |side: &str, variants: &str| format!("{variants} that only {side} has");
        let list_differences = |items: &str, values: &str| vec![format!("items ({items})"), describe_slots(values)];
        assert_eq!(
            forwards,
            [
                list_differences("3 -> 4", "2 -> 4"),
                vec![describe_unmatched("BASE", "1 variant"), describe_unmatched("NEW", "2 variants")]
            ]
            .concat()
        );
        assert_eq!(
            backwards,
            [
                list_differences("4 -> 3", "4 -> 2"),
                vec![describe_unmatched("BASE", "2 variants"), describe_unmatched("NEW", "1 variant")]
            ]
            .concat()
        );
        assert_eq!(compare(&base, &base).differences, Some(Vec::new()));
    }

    /// A different node limit is reported for its variant. Totals include stopped iterations; the
    /// ratio counts only depth 1, which both finished.
    #[test]
    fn effect_of_a_node_limit_is_reported() {
        let result_with_limit = |plan: &str, nodes: [u32; 3]| {
            let [limit, first, stopped] = nodes;
            let text = format!(
                "variant,position,limit,finished,search.nodes,depth,error\na,p,nodes {limit},true,{first},1,\n\
                 a,p,nodes {limit},false,{stopped},2,\nb,p,depth 1,true,5,1,\n"
            );
            let options = ["a", "b"].map(|name| (name.to_owned(), serde_json::json!({}))).into_iter().collect();
            let manifest = Manifest { plan: plan.to_owned(), ended: Some(9), options, ..Manifest::default() };
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            RecordedResult { name: "r".to_owned(), frame, manifest: Some(manifest), missing: None }
        };
        let (base, new) = (result_with_limit("x", [60, 20, 40]), result_with_limit("y", [80, 10, 70]));
        let comparison = Comparison::new(&base, &new, &[]).unwrap();
        assert_eq!(comparison.differences, Some(vec!["limit.nodes in 1 of 2 variants (60 -> 80)".to_owned()]));
        let notes: Vec<&String> = comparison.notes.iter().filter(|note| note.contains("cut short")).collect();
        assert_eq!(notes.len(), 1, "{:?}", comparison.notes);
        assert!(notes[0].contains("1 row of BASE and 1 of NEW"), "{:?}", comparison.notes);
        let ratios: Vec<(f64, usize)> =
            comparison.variants.iter().map(|change| (change.nodes.mean, change.truncated)).collect();
        let [(limited_mean, limited_truncated), unlimited] = ratios[..] else { panic!("{ratios:?}") };
        assert!((limited_mean - 0.5).abs() < 1e-12, "{ratios:?}");
        assert!(limited_truncated == 1, "{ratios:?}");
        assert!(unlimited == (1.0, 0), "{ratios:?}");
        assert_eq!(comparison.variants[0].totals[0], [60.0, 80.0], "totals hold what was cut");
    }

    /// Each of two variants needs more nodes in six positions, all by the same factor. Alone each
    /// has p = 1/32; that at least one of the two does so by chance has p = 1 - (31/32)^2.
    #[test]
    fn p_is_corrected_for_all_variants() {
        let make_result = |more: [u32; 2]| {
            let make_rows = |position: u32| {
                format!(
                    "a,p{position},{} b,p{position},{} ",
                    1000 + more[usize::from(position < 6)],
                    1000 + more[usize::from(position >= 6)]
                )
            };
            result_of(&(0..12).map(make_rows).collect::<String>(), Manifest::default())
        };
        for change in compare(&make_result([0, 0]), &make_result([0, 100])).variants {
            let corrected = 1.0 - (31.0_f64 / 32.0).powi(2);
            assert!((change.nodes.p - 1.0 / 32.0).abs() < 1e-9, "{change:?}");
            assert!((change.p - corrected).abs() < 1e-9, "{change:?}");
        }
    }

    /// A variant of NEW counts as a renamed variant of BASE only if NEW no longer has a variant
    /// with BASE's name.
    #[test]
    fn variant_that_still_exists_was_not_renamed() {
        let result_with_slots = |slots: &[(&str, u32)]| {
            let options = slots.iter().map(|(name, slots)| ((*name).to_owned(), serde_json::json!({ "slots": slots })));
            let rows = slots.iter().map(|(name, _)| format!("{name},p,9 ")).collect::<String>();
            result_of(&rows, Manifest { options: options.collect(), ended: Some(9), ..Manifest::default() })
        };
        let rename_notes = |base: &[(&str, u32)], new: &[(&str, u32)]| {
            let notes = compare(&result_with_slots(base), &result_with_slots(new)).notes;
            notes.into_iter().filter(|note| note.ends_with("the options are the same")).collect::<Vec<_>>()
        };
        let expected = ["\"a\" is called \"b\" in NEW: the options are the same"];
        assert_eq!(rename_notes(&[("a", 1), ("c", 7)], &[("b", 1), ("c", 7)]), expected);
        assert_eq!(rename_notes(&[("a", 1), ("c", 7)], &[("a", 9), ("b", 1)]), Vec::<String>::new());
    }

    /// Totals count only first repeats, and the row with the largest change comes first.
    #[test]
    fn totals_are_of_first_repeats_and_the_largest_change_is_first() {
        let make_result = |nodes: [u32; 4]| {
            let [p, repeated_p, q, r] = nodes;
            let text = format!(
                "variant,position,repeat,search.nodes,depth,error\na,p,0,{p},1,\na,p,1,{repeated_p},1,\na,q,0,{q},1,\na,r,0,{r},1,\n"
            );
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            RecordedResult { name: "r".to_owned(), frame, manifest: None, missing: None }
        };
        let comparison = compare(&make_result([100, 500, 100, 100]), &make_result([110, 500, 300, 40]));
        let index = comparison.metric_index(columns::NODES).unwrap();
        assert_eq!(comparison.variants[0].totals[index], [300.0, 450.0]);
        let moved_positions: Vec<&str> = comparison.moved.iter().map(|row| row.position.as_str()).collect();
        assert_eq!(moved_positions, ["q", "r", "p"]);
    }

    /// All changed and missing rows are counted, but only twenty of each are listed.
    #[test]
    fn twenty_rows_are_listed() {
        for count in [20, 21] {
            let make_result = |nodes: u32, from: u32| {
                let rows: String = (from..=count).map(|index| format!("a,p{index},{nodes} ")).collect();
                result_of(&rows, Manifest::default())
            };
            let comparison = compare(&make_result(100, 1), &make_result(110, 1));
            assert_eq!((comparison.moved.len(), comparison.missing_count), (20, 0), "{count}");
            let comparison = compare(&make_result(100, 0), &result_of("a,p0,100 ", Manifest::default()));
            assert_eq!((comparison.missing_count, comparison.listed_missing.len()), (count as usize, 20), "{count}");
        }
    }

    /// If variants change an option differently, the message says so.
    #[test]
    fn different_changes_of_an_option_are_reported() {
        let result_with_plan = |plan: &str, slots: [u32; 2]| {
            let options = [("a", slots[0]), ("b", slots[1])];
            let options = options.map(|(name, slots)| (name.to_owned(), serde_json::json!({ "slots": slots })));
            result_of("a,p,9 b,p,9", Manifest { plan: plan.to_owned(), options: options.into(), ..Manifest::default() })
        };
        let differences_from =
            |new: [u32; 2]| compare(&result_with_plan("x", [1, 1]), &result_with_plan("y", new)).differences.unwrap();
        assert_eq!(differences_from([3, 3]), ["slots (1 -> 3)"]);
        assert_eq!(differences_from([3, 5]), ["slots (1 -> 3 and others)"]);
        assert_eq!(differences_from([1, 5]), ["slots in 1 of 2 variants (1 -> 5)"]);
    }

    /// A folder's manifest belongs to its results.csv, not to other files in the folder.
    #[test]
    fn manifest_belongs_to_the_results_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let header = "variant,position,depth,search.nodes";
        let manifest = Manifest { plan: "p".to_owned(), header: header.to_owned(), ..Manifest::default() };
        write("manifest.json", &manifest.to_text().unwrap());
        for name in ["results.csv", "part.csv"] {
            write(name, &format!("{header}\na,p,1,9\n"));
        }
        let read_plan = |name: &str| {
            RecordedResult::read(&folder.path().join(name)).unwrap().manifest.map(|manifest| manifest.plan)
        };
        assert_eq!(
            [read_plan(""), read_plan("results.csv"), read_plan("part.csv")],
            [Some("p".to_owned()), Some("p".to_owned()), None]
        );
    }

    /// Gates on two variants, calculated by hand: "a" needs 101 nodes instead of 100 in each
    /// search; one search of "b" needs 10 more and another 10 less, and each of its searches takes
    /// twice the time. Variants without common rows are not judged.
    #[test]
    fn gates_judge_totals_as_calculated_by_hand() {
        let make_result = |variants: &[(&str, u32, f64)]| {
            let rows = variants.iter().flat_map(|&(variant, more, seconds)| {
                let nodes_at = move |position: u32| match (variant, position) {
                    ("b", 0) => 100 + more,
                    ("b", 1) => 100 - more,
                    ("b", _) => 100,
                    _ => 100 + more,
                };
                (0..8).map(move |position| {
                    format!(
                        "{variant},p{position},{},1,{},\n",
                        nodes_at(position),
                        seconds + 0.01 * f64::from(position)
                    )
                })
            });
            let text = format!("variant,position,search.nodes,depth,seconds,error\n{}", rows.collect::<String>());
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            RecordedResult { name: "r".to_owned(), frame, manifest: None, missing: None }
        };
        let (base, new) = (
            make_result(&[("a", 0, 1.0), ("b", 0, 1.0), ("c", 0, 1.0)]),
            make_result(&[("a", 1, 1.0), ("b", 10, 2.0)]),
        );
        let judge = |gate: &str| {
            let gate = Gate::parse(gate).unwrap();
            let column = gate.column(&base.frame).unwrap();
            let comparison = Comparison::new(&base, &new, &[(gate, column)]).unwrap();
            assert_eq!(
                comparison.finding() == Finding::Gate,
                comparison.gate_results.iter().any(|gate_result| gate_result.fails())
            );
            comparison
                .gate_results
                .iter()
                .map(|gate_result| (gate_result.variant.clone(), gate_result.fails()))
                .collect::<Vec<_>>()
        };
        for (gate, expected) in [
            ("nodes > +1%", [false, false]),
            ("nodes >= +1%", [true, false]),
            ("nodes < 0", [false, false]),
            ("nodes <= 0", [false, true]),
            ("nodes changed", [true, true]),
            ("seconds > +50%", [false, true]),
            ("seconds < -10%", [false, false]),
            ("seconds changed", [false, true]),
        ] {
            assert_eq!(judge(gate), [("a".to_owned(), expected[0]), ("b".to_owned(), expected[1])], "{gate}");
        }
        let comparison = compare(&base, &new);
        let counts: Vec<_> = comparison
            .variants
            .iter()
            .map(|change| (change.variant.as_str(), change.paired, change.moved, change.missing))
            .collect();
        assert_eq!(counts, [("a", 8, 8, 0), ("b", 8, 2, 0), ("c", 0, 0, 8)]);
        assert_eq!(
            (
                (comparison.paired_count, comparison.moved_count),
                comparison.missing_count,
                comparison.listed_missing.len()
            ),
            ((16, 10), 8, 8)
        );
        assert_eq!(comparison.variants[1].differing[comparison.metric_index(columns::NODES).unwrap()], 2);
    }

    /// A time that exceeds its bound without being significant is noise and fails no gate: here
    /// only one search takes ten times as long.
    #[test]
    fn insignificant_time_fails_no_gate() {
        let make_result = |first: f64| {
            let make_row =
                |position: u32| format!("a,p{position},100,1,{},\n", if position == 0 { first } else { 1.0 });
            let rows: String = (0..8).map(make_row).collect();
            let frame =
                Frame::parse(format!("variant,position,search.nodes,depth,seconds,error\n{rows}").as_bytes(), "t")
                    .unwrap();
            RecordedResult { name: "r".to_owned(), frame, manifest: None, missing: None }
        };
        let gate_results = compare_with_time_gate(&make_result(1.0), &make_result(10.0)).gate_results;
        assert_eq!(
            (gate_results.len(), gate_results[0].totals, gate_results[0].fails(), gate_results[0].is_noise()),
            (1, [8.0, 17.0], false, true)
        );
        let gate_results = compare_with_time_gate(&make_result(1.0), &make_result(1.0)).gate_results;
        assert!(!gate_results[0].fails());
        assert!(!gate_results[0].is_noise());
    }

    /// Different positions that have the same name are refused, and the error names both results.
    /// Positions that only one result has are accepted.
    #[test]
    fn different_positions_of_one_name_are_refused() {
        let make_result = |name: &str, contents: &[(&str, &str)]| {
            let contents = contents.iter().map(|(name, hash)| ((*name).to_owned(), (*hash).to_owned())).collect();
            RecordedResult { name: name.to_owned(), ..result_of("a,p,9", Manifest { contents, ..Manifest::default() }) }
        };
        let base = make_result("old", &[("p", "1"), ("q", "2")]);
        assert!(Comparison::new(&base, &make_result("new", &[("p", "1"), ("r", "2")]), &[]).is_ok());
        let error =
            Comparison::new(&base, &make_result("new", &[("p", "1"), ("q", "3")]), &[]).unwrap_err().to_string();
        assert!(error.starts_with("old and new: 1 item has different positions"), "{error}");
        assert!(error.contains("`q`"), "{error}");
        // A duplicate row is reported for the result that has it.
        let [single, duplicate] = [("old", "a,p,9"), ("new", "a,p,9 a,p,9")]
            .map(|(name, rows)| RecordedResult { name: name.to_owned(), ..result_of(rows, Manifest::default()) });
        for (base, new) in [(&single, &duplicate), (&duplicate, &single)] {
            let error = Comparison::new(base, new, &[]).unwrap_err().to_string();
            assert_eq!(error, "new: variant \"a\", p, depth 1 has two rows: results that overlap cannot be joined");
        }
    }

    /// A gate without figures on both sides is refused; a column that only some variants have is
    /// judged for those.
    #[test]
    fn gate_without_figures_is_refused() {
        let columns = "variant,position,depth,error,search.nodes,table.hits,seconds\n";
        let make_result = |rows: &[&str]| {
            let frame = Frame::parse((columns.to_owned() + &rows.join("\n") + "\n").as_bytes(), "t").unwrap();
            RecordedResult { name: "r".to_owned(), frame, manifest: None, missing: None }
        };
        let judge_gate = |base: &RecordedResult, new: &RecordedResult, gate: &str| {
            let gate = Gate::parse(gate).unwrap();
            let column = gate.column(&base.frame).unwrap();
            let comparison = Comparison::new(base, new, &[(gate, column)]).map_err(|error| error.to_string());
            comparison.map(|comparison| {
                (comparison.gate_results.len(), comparison.finding() == Finding::Gate, comparison.notes)
            })
        };
        let two_rows = |p: &str, q: &str| make_result(&[&format!("a,p,1,,{p}"), &format!("a,q,1,,{q}")]);
        let complete = two_rows("9,3,0.5", "8,0,0.7");
        let gates = [
            "nodes > +1%",
            "nodes changed",
            "hits > +1%",
            "hits changed",
            "hits <= -1",
            "seconds > +1%",
            "seconds changed",
        ];
        for gate in gates {
            assert!(
                judge_gate(&complete, &complete, gate)
                    .is_ok_and(|(judged_count, fails, _)| judged_count == 1 && !fails),
                "{gate}"
            );
        }
        // A field without a valid figure is refused in either result.
        for (other, prefix) in [
            (two_rows("9,3,", "8,0,0.7"), "seconds"),
            (two_rows("9,3,", "8,0,"), "seconds"),
            (two_rows("9,3,NaN", "8,0,0.7"), "seconds"),
            (two_rows("9,3,inf", "8,0,0.7"), "seconds"),
            (two_rows("9,3,-5", "8,0,0.7"), "seconds"),
            (two_rows("9,3,0", "8,0,0"), "seconds"),
            (two_rows("9,,0.5", "8,0,0.7"), "hits"),
            (two_rows("9,,0.5", "8,,0.7"), "hits"),
            (two_rows("9,-3,0.5", "8,0,0.7"), "hits"),
            (two_rows("9,inf,0.5", "8,0,0.7"), "hits"),
            (two_rows("NaN,3,0.5", "8,0,0.7"), "nodes"),
            (two_rows("-inf,3,0.5", "8,0,0.7"), "nodes"),
            (two_rows(",3,0.5", ",0,0.7"), "nodes"),
        ] {
            for gate in gates {
                let refused = gate.starts_with(prefix);
                for result in [judge_gate(&complete, &other, gate), judge_gate(&other, &complete, gate)] {
                    assert_eq!(result.is_err(), refused, "{gate}: {result:?}");
                    assert!(result.is_ok() || result.is_err_and(|error| error.contains("\nhelp: ")), "{gate}");
                }
            }
        }
        let no_hits = two_rows("9,,0.5", "8,,0.7");
        let message = judge_gate(&no_hits, &no_hits, "hits > +1%").unwrap_err();
        assert!(
            message.starts_with("gate `hits > +1%`: neither BASE nor NEW has a figure in `table.hits`"),
            "{message}"
        );
        let message = judge_gate(&complete, &two_rows("9,3,", "8,0,0.7"), "seconds > +1%").unwrap_err();
        assert!(message.contains("`seconds` of NEW is empty for \"a\", p, depth 1"), "{message}");
        // A variant without hits is only noted; one search has no interval, so it is refused.
        let mixed = make_result(&["a,p,1,,9,3,0.5", "b,p,1,,9,,0.5"]);
        let (judged_count, _, notes) = judge_gate(&mixed, &mixed, "hits > +1%").unwrap();
        let message = "gate `hits > +1%`: not judged for \"b\", which has no figures";
        assert_eq!(judged_count, 1, "{notes:?}");
        assert!(notes.iter().any(|note| note == message), "{notes:?}");
        assert!(judge_gate(&mixed, &mixed, "seconds > +1%").unwrap_err().contains("has no interval"));
        // A column that NEW does not have.
        let without_seconds =
            Frame::parse("variant,position,depth,error,search.nodes\na,p,1,,9\na,q,1,,8\n".as_bytes(), "t").unwrap();
        let without_seconds = RecordedResult { frame: without_seconds, ..complete.clone() };
        for gate in ["seconds > +1%", "seconds changed", "hits changed"] {
            assert!(judge_gate(&complete, &without_seconds, gate).unwrap_err().contains("NEW has no column"), "{gate}");
        }
        // A change larger than the total.
        assert_eq!(judge_gate(&complete, &complete, "nodes < -16").unwrap().0, 1);
        assert!(judge_gate(&complete, &complete, "nodes < -17").unwrap_err().contains("it can never fail"));
        assert_eq!(judge_gate(&complete, &complete, "nodes <= -17").unwrap().0, 1);
        // Without common rows there is nothing to judge; the rows are reported as missing instead.
        let other_variant = make_result(&["z,p,1,,9,3,0.5"]);
        assert_eq!(judge_gate(&complete, &other_variant, "nodes > +1%").unwrap().0, 0);
    }
}
