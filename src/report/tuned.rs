//! The report of a tuning: `report.md`, `report.html`, figures, and the figures behind them as `tune.csv`.

use super::data::plain;
use super::number::count;
use super::sheet::{Cell, Emphasis, Part, Sheet, SheetColumn, SheetTable, head};
use crate::analysis::Ratio;
use crate::analysis::questions::race::{Confirmation, Held, Tuned};
use crate::experiment::{Experiment, Goal, Tune};
use crate::text::plural;
use std::path::Path;

mod figures;

/// What was tuned, and what came out.
pub struct TuneOutcome<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// How it was tuned.
    pub tune: &'a Tune,
    /// The options that vary.
    pub varying: &'a [String],
    /// The pressures by name: the file's own, then the others.
    pub pressures: &'a [String],
    /// The result.
    pub tuned: &'a Tuned,
    /// What the stages' own reports warn of.
    pub warnings: Vec<String>,
    /// How it was made.
    pub origins: Vec<String>,
}

impl TuneOutcome<'_> {
    fn name(&self, who: usize) -> &str {
        &self.experiment.variants[who].name
    }

    fn baseline(&self) -> usize {
        self.experiment.baseline
    }

    /// The page.
    fn sheet(&self) -> Sheet {
        let file = &self.experiment.file;
        let mut parts = head(&file.question, file.analysis.trim(), self.findings(), &self.warnings());
        parts.push(Part::Table(self.candidates()));
        parts.extend(self.figures().into_iter().map(Part::Figure));
        if !self.tuned.held.is_empty() {
            parts.push(Part::Table(self.held()));
            parts.extend(self.held_figure().map(Part::Figure));
        }
        parts.push(Part::Table(self.rounds()));
        parts.push(Part::List("How it was made".to_owned(), self.origins.clone()));
        Sheet { kind: "tuning".to_owned(), name: self.experiment.name.clone(), parts }
    }

    /// The answer, in sentences.
    fn findings(&self) -> Vec<String> {
        let tuned = self.tuned;
        let (winner, against) = (self.name(tuned.winner), self.name(tuned.against));
        let metric = &self.tune.metric;
        let there = |held: &Held| {
            format!("{} held-out items its {metric} are {} of \"{against}\"'s.", tuned.held_out, describe(&held.test))
        };
        let mut findings = vec![match (tuned.answer(), tuned.held.first()) {
            (Confirmation::Inert, _) | (_, None) => format!(
                "No difference found: all {} candidates gave the same {metric} in every search. What is varied does nothing here.",
                tuned.candidates.len()
            ),
            (Confirmation::Nothing, Some(held)) => {
                let unseen = unseen(&held.test, tuned.level);
                format!("No difference found: \"{winner}\" won the race, and on {} {unseen}", there(held))
            }
            (Confirmation::Worse, Some(held)) => {
                format!("No winner: \"{winner}\" won the race by luck; on {}", there(held))
            }
            (Confirmation::Better, Some(held)) if tuned.winner == self.baseline() => {
                format!("The baseline stands: \"{winner}\". On {}", there(held))
            }
            (Confirmation::Better, Some(held)) => format!("Best: \"{winner}\". On {}", there(held)),
        }];
        for ((held, found), pressure) in tuned.held.iter().zip(&tuned.found).zip(self.pressures).skip(1) {
            let text = match found {
                Confirmation::Better => "it is better there too",
                Confirmation::Worse => "it is worse there",
                Confirmation::Nothing | Confirmation::Inert => "no difference could be told there",
            };
            findings.push(format!("At {pressure}: {}; {text}.", describe(&held.test)));
        }
        if tuned.answer() != Confirmation::Inert {
            let list = |same: bool| {
                let alike = |&who: &usize| {
                    let one = &tuned.candidates[who];
                    who != tuned.winner && one.dropped.is_none() && one.same == same
                };
                let names = (0..tuned.candidates.len()).filter(alike).map(|who| format!("\"{}\"", self.name(who)));
                names.collect::<Vec<_>>().join(", ")
            };
            let (same, alike) = (list(true), list(false));
            if !same.is_empty() {
                findings.push(format!("The same {metric} as the winner's in every search: {same}."));
            }
            findings.push(match alike.is_empty() {
                true => "The race dropped all others.".to_owned(),
                false => format!("The race could not tell these from the winner: {alike}."),
            });
        }
        findings.push(format!(
            "Searched: {} items (each by one candidate at one pressure) of the {} of the full grid, {:.0} %.",
            count(tuned.cost as f64),
            count(tuned.full_cost as f64),
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
                "{raced} items were raced on and {} held out: so few show large differences only; use a larger suite",
                tuned.held_out
            ));
        }
        if self.pressures.len() < 2 && tuned.answer() != Confirmation::Inert {
            warnings.push("no other pressure was tried: what is best may depend on the size of the table".to_owned());
        }
        for (held, pressure) in tuned.held.iter().zip(self.pressures).filter(|(held, _)| held.beyond > 0) {
            let searches = plural(held.beyond, "search");
            warnings.push(format!(
                "{pressure}: {searches} with none of {} on one side alone: of no ratio",
                self.tune.metric
            ));
        }
        warnings.extend(self.warnings.iter().cloned());
        warnings
    }

    fn ratio(&self, ratio: &Ratio, clear: bool) -> [Cell; 2] {
        let better = (ratio.mean < 1.0) == (self.tune.goal == Goal::Least);
        let mean = Cell::decimal(ratio.mean, 4).marked(Emphasis::of(clear && ratio.is_clear(), better));
        [mean, Cell::ends(ratio.low, ratio.high, format!("{:.4}-{:.4}", ratio.low, ratio.high))]
    }

    /// A candidate's name, the baseline's marked.
    fn named(&self, who: usize) -> Cell {
        Cell::text(self.name(who)).signed('*', who == self.baseline())
    }

    fn candidates(&self) -> SheetTable {
        let rows = self.tuned.candidates.iter().enumerate().map(|(who, candidate)| {
            let [mean, ends] = self.ratio(&candidate.ratio, true);
            let fate = match candidate.dropped {
                _ if who == self.tuned.winner => "winner".to_owned(),
                Some(round) => format!("dropped in round {}", round + 1),
                None if candidate.same => "the winner's counts".to_owned(),
                None => "not told from it".to_owned(),
            };
            let searches = Cell::count(candidate.searches as f64);
            [self.named(who), Cell::text(fate), searches, mean, ends, Cell::p(candidate.p)]
        });
        let p = "of its being equal to the winner: sign-flip test, corrected for all candidates by joint flips";
        let columns = [
            SheetColumn::words("candidate", "candidate", "* is the baseline"),
            SheetColumn::words("fate", "in the race", "what became of it"),
            SheetColumn::numbers("searches", "searches", "searches made of it"),
            SheetColumn::numbers("ratio", "ratio", "geometric mean of the ratio to the baseline, over these searches"),
            SheetColumn::numbers("interval", "95 %", "its interval, by items"),
            SheetColumn::numbers("p", "p", p),
        ];
        SheetTable::new("race", "The race", columns, rows).noted(format!(
            "* baseline. {} against the baseline's. Races flatter their winners: the claim rests on the held-out items alone.",
            self.tune.metric
        ))
    }

    fn held(&self) -> SheetTable {
        let mut rows = Vec::new();
        for (held, pressure) in self.tuned.held.iter().zip(self.pressures) {
            for standing in &held.standings {
                let tested = standing.candidate == self.tuned.winner;
                let [mean, ends] = self.ratio(&standing.ratio, tested && held.p < self.tune.alpha);
                let test = if tested { held.p } else { f64::NAN };
                let name = self.named(standing.candidate);
                rows.push([Cell::text(pressure), name, mean, ends, Cell::p(test)]);
            }
        }
        let columns = [
            SheetColumn::words("pressure", "pressure", "what was laid over the options"),
            SheetColumn::words("candidate", "candidate", "* is the baseline"),
            SheetColumn::numbers("ratio", "ratio", "geometric mean of the ratio to the baseline"),
            SheetColumn::numbers("interval", "95 %", "its interval, by items"),
            SheetColumn::numbers("p", "p", "of the one test, of the winner"),
        ];
        SheetTable::new("held_out", "Held-out items", columns, rows).noted(format!(
            "* baseline. {} items that the race never saw. p: the winner against \"{}\"; corrected for all pressures together.",
            self.tuned.held_out,
            self.name(self.tuned.against)
        ))
    }

    fn rounds(&self) -> SheetTable {
        let list = |who: &[usize]| who.iter().map(|&who| self.name(who)).collect::<Vec<_>>().join("; ");
        let rows = self.tuned.rounds.iter().enumerate().map(|(at, round)| {
            let counts = [at + 1, round.items, round.candidates.len()].map(|value| Cell::count(value as f64));
            [&counts[..], &[Cell::text(self.name(round.best)), Cell::text(list(&round.dropped))]].concat()
        });
        let columns = [
            SheetColumn::numbers("round", "round", ""),
            SheetColumn::numbers("items", "items", "searched in it"),
            SheetColumn::numbers("candidates", "candidates", "in it"),
            SheetColumn::words("best", "best after it", ""),
            SheetColumn::words("dropped", "dropped after it", ""),
        ];
        SheetTable::new("rounds", "Rounds", columns, rows)
    }

    /// Writes the page, its figures and the CSV behind them into a folder; the findings.
    ///
    /// # Errors
    /// When it cannot be written to.
    pub fn write(&self, folder: &Path) -> anyhow::Result<Vec<String>> {
        super::put(folder, "tune.csv", &self.csv()?)?;
        super::write_sheet(&self.sheet(), folder)?;
        Ok(self.findings())
    }

    /// The figures behind the page, as CSV.
    fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["stage", "pressure", "candidate", "searches", "ratio", "low", "high", "p", "dropped"])?;
        let race = self.tuned.candidates.iter().enumerate().map(|(who, one)| {
            let dropped = one.dropped.map(|round| (round + 1).to_string()).unwrap_or_default();
            ("race", &self.pressures[0], who, one.searches, &one.ratio, one.p, dropped)
        });
        let held = self.tuned.held.iter().zip(self.pressures).flat_map(|(held, pressure)| {
            held.standings.iter().map(move |one| {
                let p = if one.candidate == self.tuned.winner { held.p } else { f64::NAN };
                ("held-out", pressure, one.candidate, one.ratio.pairs, &one.ratio, p, String::new())
            })
        });
        for (stage, pressure, who, searches, ratio, p, dropped) in race.chain(held) {
            let [mean, low, high, p] = [ratio.mean, ratio.low, ratio.high, p].map(plain);
            let (name, searches) = (self.name(who), searches.to_string());
            writer.write_record([stage, pressure, name, &searches, &mean, &low, &high, &p, &dropped])?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

fn describe(ratio: &Ratio) -> String {
    let high = if ratio.high == f64::INFINITY { "no bound".to_owned() } else { format!("{:.4}", ratio.high) };
    format!("{:.4} (95 % {:.4} to {high})", ratio.mean, ratio.low)
}

/// What so many items cannot rule out. The power goes by the spread, and a few items that carry all of it skew the interval beyond.
fn unseen(ratio: &Ratio, level: f64) -> String {
    let missed = ratio.confirmable(level);
    let reach = (1.0 - ratio.low).max(ratio.high - 1.0);
    match share(missed).as_str() {
        ANY_SIZE => "Differences of any size would be missed there: they are too few.".to_owned(),
        _ if reach > missed => format!("Differences of up to {} are not ruled out by that.", share(reach)),
        size => format!("Differences under about {size} would be missed there."),
    }
}

/// What is said for a share where there is no bound to it.
const ANY_SIZE: &str = "any size";

/// A share in percent, to two figures where it is small.
fn share(part: f64) -> String {
    match 100.0 * part {
        percent if !percent.is_finite() => ANY_SIZE.to_owned(),
        percent if percent < 0.1 => format!("{:.3} %", percent.max(0.001)),
        percent => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests;
