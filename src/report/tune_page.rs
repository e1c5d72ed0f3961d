//! The report of a tuning: `report.md`, `report.html`, figures, and the data behind them as
//! `tune.csv`.

use super::data::csv_number;
use super::number::{format_count, format_p};
use super::sheet::{Cell, Emphasis, Entries, Part, Sheet, SheetTable, head_parts, warning_parts};
use crate::analysis::questions::findings::describe_difference;
use crate::analysis::questions::race::{Candidate, Confirmation, HeldOutResult, RaceResult, Round, Standing};
use crate::analysis::rows::grouping::short_names;
use crate::analysis::rows::metric::{Better, Metric};
use crate::experiment::variant::option_columns;
use crate::experiment::{Experiment, Goal, Tune};
use crate::stats::ratio::Ratio;
use crate::text::plural;
use std::collections::HashMap;
use std::path::Path;

mod figures;

/// A pressure, its result, and one of the candidates that were searched at this pressure.
type HeldOutRow<'a> = (&'a String, &'a HeldOutResult, &'a Standing);

/// A tuning and its result.
pub struct TuneOutcome<'a> {
    /// The experiment that was tuned.
    pub experiment: &'a Experiment,
    /// The settings of the tuning.
    pub tune: &'a Tune,
    /// The paths of the options that vary between candidates.
    pub varying: &'a [String],
    /// The names of the pressures. The file's own pressure comes first.
    pub pressures: &'a [String],
    /// The result of the race.
    pub race: &'a RaceResult,
    /// The warnings from the reports of the stages.
    pub warnings: Vec<String>,
    /// Sentences about how the results were made.
    pub provenance: Vec<String>,
}

impl TuneOutcome<'_> {
    fn name(&self, candidate: usize) -> &str {
        &self.experiment.variants[candidate].name
    }

    /// Returns the index of the baseline among the candidates.
    fn baseline(&self) -> usize {
        self.experiment.baseline
    }

    fn sheet(&self) -> Sheet {
        let file = &self.experiment.file;
        let mut parts =
            head_parts(&file.question, file.analysis.trim(), self.findings(), warning_parts(&self.warnings()));
        // The table of the race may be long, so one figure comes before it, on the first screen.
        let mut figures = self.figures().into_iter().map(Part::Figure);
        parts.extend(figures.next());
        parts.push(Part::Table(self.race_table()));
        parts.extend(figures);
        if !self.race.held_out_results.is_empty() {
            parts.push(Part::Table(self.held_out_table()));
            parts.extend(self.held_out_figure().map(Part::Figure));
        }
        parts.push(Part::Table(self.rounds_table()));
        parts.push(Part::List("How it was made".to_owned(), self.provenance.clone()));
        Sheet { kind: "tuning".to_owned(), name: self.experiment.name.clone(), parts }
    }

    /// Returns the candidate that is tested on the held-out items. This is the winner, unless the
    /// baseline won. In that case, it is the candidate that the baseline is tested against.
    fn tested_candidate(&self) -> usize {
        if self.race.winner == self.baseline() { self.race.against } else { self.race.winner }
    }

    /// Describes the tested difference of a held-out result, with its p.
    fn describe_test(&self, held_out: &HeldOutResult) -> String {
        let metric = match self.tune.metric.as_str() {
            "nodes" => Metric::nodes(),
            column => Metric::from_column(column),
        };
        let p = format_p(held_out.p);
        let equals_sign = if p.starts_with('<') { "" } else { "= " };
        format!("{}, p {equals_sign}{p}", describe_difference(&held_out.test, &metric))
    }

    /// Describes what to change in the baseline to get a candidate, as in
    /// ``Change `slots` from 1 to 4``. If more than two options change, the description has the
    /// names of the candidate and of the baseline instead.
    fn describe_change(&self, candidate: usize) -> String {
        let [base_values, changed_values] = [self.baseline(), candidate]
            .map(|variant| HashMap::<_, _>::from_iter(option_columns(&self.experiment.variants[variant])));
        let mut changes = Vec::new();
        for (path, name) in self.varying.iter().zip(short_names(self.varying)) {
            // A value is empty if it is an empty list. It would leave a gap in the sentence.
            if let (Some(base), Some(changed)) = (base_values.get(path), changed_values.get(path))
                && base != changed
                && !base.is_empty()
                && !changed.is_empty()
            {
                changes.push(format!("`{name}` from {base} to {changed}"));
            }
        }
        match changes.len() {
            1 | 2 => format!("Change {}", changes.join(" and ")),
            _ => format!("Use \"{}\" instead of \"{}\"", self.name(candidate), self.name(self.baseline())),
        }
    }

    /// Returns the smallest and the largest value that `candidates` have of the numeric option at
    /// `path`. Returns `None` unless all other options of `candidates` are the same as the
    /// winner's, and `candidates` contains all such candidates with values between these two.
    fn full_range(&self, path: &str, candidates: &[usize]) -> Option<(f64, f64)> {
        let other_values = |candidate: usize| {
            let mut columns = option_columns(&self.experiment.variants[candidate]);
            columns.retain(|(column, _)| column != path && self.varying.contains(column));
            columns
        };
        let winner_values = other_values(self.race.winner);
        // The value of the option is returned only if all other options are the same as the
        // winner's.
        let value_if_like_winner = |candidate: usize| {
            if other_values(candidate) != winner_values {
                return None;
            }
            let columns = option_columns(&self.experiment.variants[candidate]);
            let (_, value) = columns.iter().find(|(column, _)| column == path)?;
            value.parse::<f64>().ok()
        };
        let values = candidates.iter().map(|&candidate| value_if_like_winner(candidate));
        let values = values.collect::<Option<Vec<f64>>>()?;
        let (low, high) = (values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?);
        let all_values = (0..self.experiment.variants.len()).filter_map(value_if_like_winner);
        let count_in_range = all_values.filter(|value| (low..=high).contains(value)).count();
        (count_in_range == candidates.len()).then_some((low, high))
    }

    /// Returns a sentence about the candidates that have the same counts as the winner in every
    /// search, or `None` if there are no such candidates. If these candidates and the winner are
    /// all candidates within a range of one numeric option, the sentence gives this range.
    /// Otherwise the sentence gives the names of the candidates.
    fn describe_ties(&self, equal_candidates: &[usize]) -> Option<String> {
        let metric = &self.tune.metric;
        if equal_candidates.is_empty() {
            return None;
        }
        let names = self.quote_names(equal_candidates);
        let candidates: Vec<usize> = equal_candidates.iter().copied().chain([self.race.winner]).collect();
        let range = self.varying.iter().find_map(|path| {
            let (low, high) = self.full_range(path, &candidates)?;
            Some((path, low, high))
        });
        Some(match range {
            Some((path, low, high)) => format!(
                "Any `{}` from {low} to {high} has the same {metric} in every search.",
                short_names(std::slice::from_ref(path))[0]
            ),
            None => format!("The same {metric} as the winner in every search: {names}."),
        })
    }

    /// Returns the names of candidates, quoted and separated by commas.
    fn quote_names(&self, candidates: &[usize]) -> String {
        candidates.iter().map(|&candidate| format!("\"{}\"", self.name(candidate))).collect::<Vec<_>>().join(", ")
    }

    /// Returns the findings, one sentence each.
    fn findings(&self) -> Vec<String> {
        let result = self.race;
        let (winner, against) = (self.name(result.winner), self.name(result.against));
        let item = if self.experiment.file.sequence.is_some() { "game" } else { "position" };
        let unseen_items = format!("on {} that the race never saw", plural(result.held_out, item));
        let mut findings = vec![match (result.own_pressure_outcome(), result.held_out_results.first()) {
            (Confirmation::Inert, _) | (_, None) => format!(
                "No difference shown: all {} candidates gave the same {} in every search. The varied options have no effect here.",
                result.candidates.len(),
                self.tune.metric
            ),
            (Confirmation::Nothing, Some(held_out)) => format!(
                "No difference shown: \"{winner}\" won the race, but {unseen_items} it has {} against \"{against}\", which may be chance. {}",
                self.describe_test(held_out),
                describe_missed_difference(&held_out.test, result.level)
            ),
            (Confirmation::Worse, Some(held_out)) => format!(
                "No winner: \"{winner}\" won the race by luck; {unseen_items} it has {} against \"{against}\".",
                self.describe_test(held_out)
            ),
            (Confirmation::Better, Some(held_out)) if result.winner == self.baseline() => {
                format!(
                    "Keep the baseline, \"{winner}\": {} against \"{against}\", {unseen_items}.",
                    self.describe_test(held_out)
                )
            }
            (Confirmation::Better, Some(held_out)) => {
                format!("{}: {} {unseen_items}.", self.describe_change(result.winner), self.describe_test(held_out))
            }
        }];
        let others = result.held_out_results.iter().zip(&result.confirmations).zip(self.pressures).skip(1);
        for ((held_out, confirmation), pressure) in others {
            let text = match confirmation {
                Confirmation::Better => "it is better there too",
                Confirmation::Worse => "it is worse there",
                Confirmation::Nothing | Confirmation::Inert => "no difference shown there",
            };
            findings.push(format!("At {pressure}: {}; {text}.", self.describe_test(held_out)));
        }
        if result.own_pressure_outcome() != Confirmation::Inert {
            let list_remaining = |equals_winner: bool| {
                let is_listed = |&index: &usize| {
                    let candidate = &result.candidates[index];
                    index != result.winner && candidate.dropped.is_none() && candidate.equals_winner == equals_winner
                };
                (0..result.candidates.len()).filter(is_listed).collect::<Vec<_>>()
            };
            findings.extend(self.describe_ties(&list_remaining(true)));
            let undecided = list_remaining(false);
            findings.push(match undecided.is_empty() {
                true => "The race dropped all others.".to_owned(),
                false => format!(
                    "Undecided in the race, where a difference from the winner may be chance: {}.",
                    self.quote_names(&undecided)
                ),
            });
        }
        findings.push(format!(
            "Searched: {} items (each by one candidate at one pressure) of the {} of the full grid, {:.0} %.",
            format_count(result.cost as f64),
            format_count(result.full_cost as f64),
            100.0 * result.cost as f64 / result.full_cost.max(1) as f64
        ));
        findings
    }

    /// Returns the warnings about the tuning, followed by the warnings from the reports of its
    /// stages.
    fn warnings(&self) -> Vec<String> {
        let result = self.race;
        let mut warnings = Vec::new();
        let race_items: usize = result.rounds.iter().map(|round| round.items).sum();
        if result.held_out < 10 || race_items < 10 {
            warnings.push(format!(
                "the race had {race_items} items, and {} were held out; so few items show only large differences: use a larger suite",
                result.held_out
            ));
        }
        if self.pressures.len() < 2 && result.own_pressure_outcome() != Confirmation::Inert {
            warnings.push("no other pressure was tried: what is best may depend on the size of the table".to_owned());
        }
        let metric = &self.tune.metric;
        for (held_out, pressure) in result.held_out_results.iter().zip(self.pressures) {
            if held_out.one_sided_zero > 0 {
                let searches = plural(held_out.one_sided_zero, "search");
                warnings.push(format!("{pressure}: {searches} without ratio, because one side has no {metric}"));
            }
        }
        warnings.extend(self.warnings.iter().cloned());
        warnings
    }

    /// Whether lower or higher ratios are better.
    fn better(&self) -> Better {
        if self.tune.goal == Goal::Least { Better::Less } else { Better::More }
    }

    /// Returns a cell with a ratio to the baseline. The cell is highlighted if `is_tested` is true
    /// and the interval of the ratio excludes 1.
    fn ratio_cell(&self, ratio: &Ratio, is_tested: bool) -> Cell {
        let emphasis = Emphasis::for_change(is_tested && ratio.excludes_one(), ratio.mean < 1.0, self.better());
        Cell::decimal(ratio.mean, 4).with_emphasis(emphasis)
    }

    /// Returns a cell with a candidate's name. The name of the baseline has a star.
    fn name_cell(&self, candidate: usize) -> Cell {
        Cell::text(self.name(candidate)).with_sign('*', candidate == self.baseline())
    }

    /// Returns a table with a row for each candidate. The row has the candidate's outcome in the
    /// race and its ratio to the baseline.
    fn race_table(&self) -> SheetTable {
        let candidates: Vec<(usize, &Candidate)> = self.race.candidates.iter().enumerate().collect();
        let outcome_cell = |&(index, candidate): &(usize, &Candidate)| match candidate.dropped {
            _ if index == self.race.winner => Cell::text("winner"),
            Some(round) => Cell::text(format!("dropped in round {}", round + 1)),
            None if candidate.equals_winner => Cell::text("the same as the winner"),
            None => Cell::text("no difference shown"),
        };
        let ratio_meaning = "geometric mean of the ratio to the baseline, over these searches";
        let entries = Entries::<(usize, &Candidate)>::default()
            .text("candidate", "candidate", "* is the baseline", |&(index, _)| self.name_cell(index))
            .text("fate", "in the race", "outcome", outcome_cell)
            .number("searches", "searches", "of the candidate", |(_, candidate)| Cell::count(candidate.searches as f64))
            .number("ratio", "ratio", ratio_meaning, |(_, candidate)| self.ratio_cell(&candidate.ratio, true))
            .number("interval", "95 %", "of the ratio, by items", |(_, candidate)| interval_cell(&candidate.ratio));
        entries.table("race", "The race", &candidates).with_note(format!(
            "* baseline. The ratio is {} divided by the baseline's. A race flatters its winner, so only the held-out items count.",
            self.tune.metric
        ))
    }

    /// Returns a table of the results on the held-out items. It has a row for each finalist at each
    /// pressure.
    fn held_out_table(&self) -> SheetTable {
        let p_meaning = "of the only tested difference: winner to baseline, or baseline to next best candidate";
        let tested_p = |(_, held_out, standing): &HeldOutRow<'_>| {
            if standing.candidate == self.tested_candidate() { held_out.p } else { f64::NAN }
        };
        let results = self.race.held_out_results.iter().zip(self.pressures);
        let rows = results.flat_map(|(held_out, pressure)| {
            held_out.standings.iter().map(move |standing| (pressure, held_out, standing))
        });
        let entries = Entries::<HeldOutRow<'_>>::default()
            .text("pressure", "pressure", "the options of all variants", |(pressure, ..)| Cell::text(*pressure))
            .text("candidate", "candidate", "* is the baseline", |(.., standing)| self.name_cell(standing.candidate))
            .number("ratio", "ratio", "geometric mean of the ratio to the baseline", |row| {
                let (.., standing) = row;
                self.ratio_cell(&standing.ratio, tested_p(row) < self.tune.alpha)
            })
            .number("interval", "95 %", "of the ratio, by items", |(.., standing)| interval_cell(&standing.ratio))
            .number("p", "p", p_meaning, |row| Cell::p(tested_p(row)));
        let rows: Vec<HeldOutRow<'_>> = rows.collect();
        entries.table("held_out", "Held-out items", &rows).with_note(format!(
            "* baseline. {} items that the race never saw. p: the winner against \"{}\"; corrected for all pressures together.",
            self.race.held_out,
            self.name(self.race.against)
        ))
    }

    /// Returns a table with a row for each round of the race.
    fn rounds_table(&self) -> SheetTable {
        let rounds: Vec<(usize, &Round)> = (1..).zip(&self.race.rounds).collect();
        let names_cell = |candidates: &[usize]| {
            Cell::text(candidates.iter().map(|&candidate| self.name(candidate)).collect::<Vec<_>>().join("; "))
        };
        let entries = Entries::<(usize, &Round)>::default()
            .number("round", "round", "", |&(number, _)| Cell::count(number as f64))
            .number("items", "items", "searched in the round", |(_, round)| Cell::count(round.items as f64))
            .number("candidates", "candidates", "in the round", |(_, round)| Cell::count(round.candidates.len() as f64))
            .text("best", "best afterwards", "", |(_, round)| names_cell(&[round.best]))
            .text("dropped", "dropped afterwards", "", |(_, round)| names_cell(&round.dropped));
        entries.table("rounds", "Rounds", &rounds)
    }

    /// Writes the page, its figures and `tune.csv` into a folder. Returns the findings.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn write(&self, folder: &Path) -> anyhow::Result<Vec<String>> {
        super::write_file(folder, "tune.csv", &self.csv()?)?;
        super::write_sheet(&self.sheet(), folder)?;
        Ok(self.findings())
    }

    /// Returns the data behind the page, as CSV.
    fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["stage", "pressure", "candidate", "searches", "ratio", "low", "high", "p", "dropped"])?;
        let mut write_row = |[stage, pressure, name, dropped]: [&str; 4], searches: usize, ratio: &Ratio, p: f64| {
            let [mean, low, high, p] = [ratio.mean, ratio.low, ratio.high, p].map(csv_number);
            writer.write_record([stage, pressure, name, &searches.to_string(), &mean, &low, &high, &p, dropped])
        };
        for (index, candidate) in self.race.candidates.iter().enumerate() {
            let dropped = candidate.dropped.map(|round| (round + 1).to_string()).unwrap_or_default();
            let texts = ["race", &self.pressures[0], self.name(index), &dropped];
            write_row(texts, candidate.searches, &candidate.ratio, candidate.p)?;
        }
        for (held_out, pressure) in self.race.held_out_results.iter().zip(self.pressures) {
            for standing in &held_out.standings {
                let p = if standing.candidate == self.tested_candidate() { held_out.p } else { f64::NAN };
                let texts = ["held-out", pressure, self.name(standing.candidate), ""];
                write_row(texts, standing.ratio.pairs, &standing.ratio, p)?;
            }
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

/// Returns a cell with the interval of a ratio, with four decimals.
fn interval_cell(ratio: &Ratio) -> Cell {
    Cell::range_with_text(ratio.low, ratio.high, format!("{:.4}-{:.4}", ratio.low, ratio.high))
}

/// Returns a sentence about the largest difference that the held-out items would miss, given the
/// spread of their ratios. If a few items dominate the spread, the interval may extend beyond this
/// difference. In that case, the sentence gives the end of the interval.
fn describe_missed_difference(ratio: &Ratio, level: f64) -> String {
    let detectable = ratio.confirmable_effect(level);
    let interval_end = (1.0 - ratio.low).max(ratio.high - 1.0);
    match format_share(detectable).as_str() {
        ANY_SIZE => "These items are too few to detect a difference of any size.".to_owned(),
        _ if interval_end > detectable => {
            format!("That does not rule out differences of up to {}.", format_share(interval_end))
        }
        size => format!("These items cannot show differences below about {size}."),
    }
}

/// The text for a share that is not finite.
const ANY_SIZE: &str = "any size";

/// Formats a share in percent. A small share has more decimals.
fn format_share(share: f64) -> String {
    match 100.0 * share {
        percent if !percent.is_finite() => ANY_SIZE.to_owned(),
        percent if percent < 0.1 => format!("{:.3} %", percent.max(0.001)),
        percent => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests;
