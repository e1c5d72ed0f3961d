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

/// A pressure, its result, and one of the variants that were searched there.
type HeldOutLine<'a> = (&'a String, &'a HeldOutResult, &'a Standing);

/// A tuning and its result.
pub struct TuneOutcome<'a> {
    /// The experiment that was tuned.
    pub experiment: &'a Experiment,
    /// The settings of the tuning.
    pub tune: &'a Tune,
    /// The paths of the options that vary.
    pub varying: &'a [String],
    /// The names of the pressures: the file's own, then the others.
    pub pressures: &'a [String],
    /// The result of the race.
    pub tuned: &'a RaceResult,
    /// The warnings of the stages' reports.
    pub warnings: Vec<String>,
    /// How the results were made, one sentence each.
    pub provenance: Vec<String>,
}

impl TuneOutcome<'_> {
    fn name(&self, who: usize) -> &str {
        &self.experiment.variants[who].name
    }

    fn baseline(&self) -> usize {
        self.experiment.baseline
    }

    /// The report of the tuning as a page.
    fn sheet(&self) -> Sheet {
        let file = &self.experiment.file;
        let mut parts =
            head_parts(&file.question, file.analysis.trim(), self.findings(), warning_parts(&self.warnings()));
        // The first figure is on the first screen, before a table that is as long as the race was.
        let mut figures = self.figures().into_iter().map(Part::Figure);
        parts.extend(figures.next());
        parts.push(Part::Table(self.race_table()));
        parts.extend(figures);
        if !self.tuned.held_out_results.is_empty() {
            parts.push(Part::Table(self.held_out_table()));
            parts.extend(self.held_out_figure().map(Part::Figure));
        }
        parts.push(Part::Table(self.rounds_table()));
        parts.push(Part::List("How it was made".to_owned(), self.provenance.clone()));
        Sheet { kind: "tuning".to_owned(), name: self.experiment.name.clone(), parts }
    }

    /// The candidate that the held-out items test: the winner, or what it was tested against if it
    /// is the baseline itself.
    fn tested(&self) -> usize {
        if self.tuned.winner == self.baseline() { self.tuned.against } else { self.tuned.winner }
    }

    /// A held-out result in words: the winner's difference from what it was tested against.
    fn describe(&self, held_out: &HeldOutResult) -> String {
        let metric = match self.tune.metric.as_str() {
            "nodes" => Metric::nodes(),
            column => Metric::from_column(column),
        };
        let p = format_p(held_out.p);
        let equals = if p.starts_with('<') { "" } else { "= " };
        format!("{}, p {equals}{p}", describe_difference(&held_out.test, &metric))
    }

    /// What to change in the baseline to get a candidate, as in ``Change `slots` from 1 to 4``; its
    /// name if that is much.
    fn change_to(&self, who: usize) -> String {
        let values = [self.baseline(), who].map(|who| {
            let columns: HashMap<String, String> = option_columns(&self.experiment.variants[who]).into_iter().collect();
            self.varying.iter().map(|path| columns.get(path).cloned().unwrap_or_default()).collect::<Vec<_>>()
        });
        let names = short_names(self.varying);
        let changes: Vec<String> = names
            .iter()
            .zip(values[0].iter().zip(&values[1]))
            .filter(|(_, (old, new))| old != new && !old.is_empty() && !new.is_empty())
            .map(|(name, (old, new))| format!("`{name}` from {old} to {new}"))
            .collect();
        match changes.len() {
            1 | 2 => format!("Change {}", changes.join(" and ")),
            _ => format!("Use \"{}\" instead of \"{}\"", self.name(who), self.name(self.baseline())),
        }
    }

    /// The candidates with the winner's counts in every search, as a range of the one option in
    /// which they differ if they are neighbours in it.
    fn equals(&self, equal: &[usize]) -> Option<String> {
        let metric = &self.tune.metric;
        if equal.is_empty() {
            return None;
        }
        let list = self.list(equal);
        let all: Vec<usize> = equal.iter().copied().chain([self.tuned.winner]).collect();
        let range = self.varying.iter().find_map(|path| {
            let level = |who: usize| {
                let columns = option_columns(&self.experiment.variants[who]);
                let (own, others): (Vec<_>, Vec<_>) = columns.into_iter().partition(|(column, _)| column == path);
                let others: Vec<_> = others.into_iter().filter(|(column, _)| self.varying.contains(column)).collect();
                Some((own.first()?.1.parse::<f64>().ok()?, others))
            };
            let line = level(self.tuned.winner)?.1;
            let on_line = |who: usize| level(who).filter(|(_, others)| *others == line).map(|(value, _)| value);
            let values: Option<Vec<f64>> = all.iter().map(|&who| on_line(who)).collect();
            let values = values?;
            let [low, high] = [f64::min, f64::max].map(|end| values.iter().copied().reduce(end).unwrap_or(f64::NAN));
            let within = (0..self.experiment.variants.len()).filter_map(on_line).filter(|x| (low..=high).contains(x));
            (within.count() == all.len()).then_some((path, low, high))
        });
        Some(match range {
            Some((path, low, high)) => format!(
                "Any `{}` from {low} to {high} does equally: the same {metric} in every search.",
                short_names(std::slice::from_ref(path))[0]
            ),
            None => format!("Identical to it, with the same {metric} in every search: {list}."),
        })
    }

    fn list(&self, candidates: &[usize]) -> String {
        candidates.iter().map(|&who| format!("\"{}\"", self.name(who))).collect::<Vec<_>>().join(", ")
    }

    /// The answer, one sentence each.
    fn findings(&self) -> Vec<String> {
        let tuned = self.tuned;
        let (winner, against) = (self.name(tuned.winner), self.name(tuned.against));
        let item = if self.experiment.file.sequence.is_some() { "game" } else { "position" };
        let unseen = format!("on {} that the race never saw", plural(tuned.held_out, item));
        let mut findings = vec![match (tuned.answer(), tuned.held_out_results.first()) {
            (Confirmation::Inert, _) | (_, None) => format!(
                "No difference shown: all {} candidates gave the same {} in every search. The varied options have no effect here.",
                tuned.candidates.len(),
                self.tune.metric
            ),
            (Confirmation::Nothing, Some(held_out)) => format!(
                "No difference shown: \"{winner}\" won the race, but {unseen} it has {} against \"{against}\", which may be chance. {}",
                self.describe(held_out),
                undetected(&held_out.test, tuned.level)
            ),
            (Confirmation::Worse, Some(held_out)) => format!(
                "No winner: \"{winner}\" won the race by luck; {unseen} it has {} against \"{against}\".",
                self.describe(held_out)
            ),
            (Confirmation::Better, Some(held_out)) if tuned.winner == self.baseline() => {
                format!("Keep the baseline, \"{winner}\": {} against \"{against}\", {unseen}.", self.describe(held_out))
            }
            (Confirmation::Better, Some(held_out)) => {
                format!("{}: {} {unseen}.", self.change_to(tuned.winner), self.describe(held_out))
            }
        }];
        let others = tuned.held_out_results.iter().zip(&tuned.confirmations).zip(self.pressures).skip(1);
        for ((held_out, found), pressure) in others {
            let text = match found {
                Confirmation::Better => "it is better there too",
                Confirmation::Worse => "it is worse there",
                Confirmation::Nothing | Confirmation::Inert => "no difference shown there",
            };
            findings.push(format!("At {pressure}: {}; {text}.", self.describe(held_out)));
        }
        if tuned.answer() != Confirmation::Inert {
            let remaining = |same: bool| {
                let is_listed = |&who: &usize| {
                    let candidate = &tuned.candidates[who];
                    who != tuned.winner && candidate.dropped.is_none() && candidate.equals_winner == same
                };
                (0..tuned.candidates.len()).filter(is_listed).collect::<Vec<_>>()
            };
            findings.extend(self.equals(&remaining(true)));
            let undecided = remaining(false);
            findings.push(match undecided.is_empty() {
                true => "The race dropped all others.".to_owned(),
                false => format!(
                    "Undecided in the race, where a difference from the winner may be chance: {}.",
                    self.list(&undecided)
                ),
            });
        }
        findings.push(format!(
            "Searched: {} items (each by one candidate at one pressure) of the {} of the full grid, {:.0} %.",
            format_count(tuned.cost as f64),
            format_count(tuned.full_cost as f64),
            100.0 * tuned.cost as f64 / tuned.full_cost.max(1) as f64
        ));
        findings
    }

    fn warnings(&self) -> Vec<String> {
        let tuned = self.tuned;
        let mut warnings = Vec::new();
        let raced: usize = tuned.rounds.iter().map(|round| round.items).sum();
        if tuned.held_out < 10 || raced < 10 {
            warnings.push(format!(
                "{raced} items were raced on and {} held out: so few can show only large differences; use a larger suite",
                tuned.held_out
            ));
        }
        if self.pressures.len() < 2 && tuned.answer() != Confirmation::Inert {
            warnings.push("no other pressure was tried: what is best may depend on the size of the table".to_owned());
        }
        for (held_out, pressure) in
            tuned.held_out_results.iter().zip(self.pressures).filter(|(held_out, _)| held_out.one_sided_zero > 0)
        {
            let searches = plural(held_out.one_sided_zero, "search");
            warnings
                .push(format!("{pressure}: {searches} with no {} on one side only, without ratio", self.tune.metric));
        }
        warnings.extend(self.warnings.iter().cloned());
        warnings
    }

    /// Which ratios are better.
    fn better(&self) -> Better {
        if self.tune.goal == Goal::Least { Better::Less } else { Better::More }
    }

    /// A ratio to the baseline, highlighted if it is clear.
    fn ratio_cell(&self, ratio: &Ratio, clear: bool) -> Cell {
        let mark = Emphasis::for_change(clear && ratio.excludes_one(), ratio.mean < 1.0, self.better());
        Cell::decimal(ratio.mean, 4).with_emphasis(mark)
    }

    /// A candidate's name; the baseline gets its star.
    fn name_cell(&self, who: usize) -> Cell {
        Cell::text(self.name(who)).with_sign('*', who == self.baseline())
    }

    fn race_table(&self) -> SheetTable {
        let candidates: Vec<(usize, &Candidate)> = self.tuned.candidates.iter().enumerate().collect();
        let fate = |&(who, candidate): &(usize, &Candidate)| match candidate.dropped {
            _ if who == self.tuned.winner => Cell::text("winner"),
            Some(round) => Cell::text(format!("dropped in round {}", round + 1)),
            None if candidate.equals_winner => Cell::text("the winner's counts"),
            None => Cell::text("no difference shown"),
        };
        let ratio = "geometric mean of the ratio to the baseline, over these searches";
        let entries = Entries::<(usize, &Candidate)>::default()
            .text("candidate", "candidate", "* is the baseline", |&(who, _)| self.name_cell(who))
            .text("fate", "in the race", "outcome", fate)
            .number("searches", "searches", "its searches", |(_, one)| Cell::count(one.searches as f64))
            .number("ratio", "ratio", ratio, |(_, candidate)| self.ratio_cell(&candidate.ratio, true))
            .number("interval", "95 %", "its interval, by items", |(_, one)| interval_cell(&one.ratio));
        entries.table("race", "The race", &candidates).with_note(format!(
            "* baseline. {} against the baseline's. Races flatter their winners: the claim rests on the held-out items alone.",
            self.tune.metric
        ))
    }

    fn held_out_table(&self) -> SheetTable {
        let p = "of the one tested difference: winner and baseline, or the baseline and the next best";
        let tested_p = |(_, result, standing): &HeldOutLine<'_>| {
            if standing.candidate == self.tested() { result.p } else { f64::NAN }
        };
        let results = self.tuned.held_out_results.iter().zip(self.pressures);
        let lines = results
            .flat_map(|(result, pressure)| result.standings.iter().map(move |standing| (pressure, result, standing)));
        let entries = Entries::<HeldOutLine<'_>>::default()
            .text("pressure", "pressure", "options set for it", |(pressure, ..)| Cell::text(*pressure))
            .text("candidate", "candidate", "* is the baseline", |(.., one)| self.name_cell(one.candidate))
            .number("ratio", "ratio", "geometric mean of the ratio to the baseline", |line| {
                self.ratio_cell(&line.2.ratio, tested_p(line) < self.tune.alpha)
            })
            .number("interval", "95 %", "its interval, by items", |(.., one)| interval_cell(&one.ratio))
            .number("p", "p", p, |line| Cell::p(tested_p(line)));
        let lines: Vec<HeldOutLine<'_>> = lines.collect();
        entries.table("held_out", "Held-out items", &lines).with_note(format!(
            "* baseline. {} items that the race never saw. p: the winner against \"{}\"; corrected for all pressures together.",
            self.tuned.held_out,
            self.name(self.tuned.against)
        ))
    }

    fn rounds_table(&self) -> SheetTable {
        let rounds: Vec<(usize, &Round)> = (1..).zip(&self.tuned.rounds).collect();
        let names = |who: &[usize]| Cell::text(who.iter().map(|&who| self.name(who)).collect::<Vec<_>>().join("; "));
        let entries = Entries::<(usize, &Round)>::default()
            .number("round", "round", "", |&(number, _)| Cell::count(number as f64))
            .number("items", "items", "searched in it", |(_, round)| Cell::count(round.items as f64))
            .number("candidates", "candidates", "in it", |(_, one)| Cell::count(one.candidates.len() as f64))
            .text("best", "best after it", "", |(_, round)| names(&[round.best]))
            .text("dropped", "dropped after it", "", |(_, round)| names(&round.dropped));
        entries.table("rounds", "Rounds", &rounds)
    }

    /// Writes the page, its figures and `tune.csv` into a folder; returns the findings.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn write(&self, folder: &Path) -> anyhow::Result<Vec<String>> {
        super::write_file(folder, "tune.csv", &self.csv()?)?;
        super::write_sheet(&self.sheet(), folder)?;
        Ok(self.findings())
    }

    /// The data behind the page, as CSV.
    fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["stage", "pressure", "candidate", "searches", "ratio", "low", "high", "p", "dropped"])?;
        let race = self.tuned.candidates.iter().enumerate().map(|(who, candidate)| {
            let dropped = candidate.dropped.map(|round| (round + 1).to_string()).unwrap_or_default();
            ("race", &self.pressures[0], who, candidate.searches, &candidate.ratio, candidate.p, dropped)
        });
        let held_out = self.tuned.held_out_results.iter().zip(self.pressures).flat_map(|(held_out, pressure)| {
            held_out.standings.iter().map(move |standing| {
                let p = if standing.candidate == self.tested() { held_out.p } else { f64::NAN };
                ("held-out", pressure, standing.candidate, standing.ratio.pairs, &standing.ratio, p, String::new())
            })
        });
        for (stage, pressure, who, searches, ratio, p, dropped) in race.chain(held_out) {
            let [mean, low, high, p] = [ratio.mean, ratio.low, ratio.high, p].map(csv_number);
            let (name, searches) = (self.name(who), searches.to_string());
            writer.write_record([stage, pressure, name, &searches, &mean, &low, &high, &p, &dropped])?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

fn interval_cell(ratio: &Ratio) -> Cell {
    Cell::range_with_text(ratio.low, ratio.high, format!("{:.4}-{:.4}", ratio.low, ratio.high))
}

/// Which differences this many items would miss. The power follows from the spread; a few items
/// that dominate it can skew the interval beyond that.
fn undetected(ratio: &Ratio, level: f64) -> String {
    let missed = ratio.confirmable_effect(level);
    let reach = (1.0 - ratio.low).max(ratio.high - 1.0);
    match format_share(missed).as_str() {
        ANY_SIZE => "These items are too few to detect a difference of any size.".to_owned(),
        _ if reach > missed => format!("That does not rule out differences of up to {}.", format_share(reach)),
        size => format!("These items would miss differences under about {size}."),
    }
}

/// The text for a share without bound.
const ANY_SIZE: &str = "any size";

/// A share in percent, with more decimals if it is small.
fn format_share(part: f64) -> String {
    match 100.0 * part {
        percent if !percent.is_finite() => ANY_SIZE.to_owned(),
        percent if percent < 0.1 => format!("{:.3} %", percent.max(0.001)),
        percent => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests;
