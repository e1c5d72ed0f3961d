//! The answer of a tuning, and its page: the page of the last stage, with a figure of the race.

use super::contents::Page;
use super::figure::{Figure, Plot, capitalize};
use super::number::format_p;
use super::sheet::Part;
use super::svg::lines::Lines;
use crate::analysis::questions::curves::{CurvePoint, MAX_LINES, Series};
use crate::analysis::questions::findings::describe_difference;
use crate::analysis::questions::race::{Confirmation, RaceResult};
use crate::analysis::rows::metric::Metric;
use crate::experiment::{Experiment, Tune};
use crate::stats::ratio::Ratio;
use crate::text::plural;
use std::cmp::Reverse;

pub struct TuneOutcome<'a> {
    pub experiment: &'a Experiment,
    pub tune: &'a Tune,
    pub race: &'a RaceResult,
}

impl TuneOutcome<'_> {
    /// Adds the answer and the figure of the race to the page of the last stage. The answer comes
    /// before the page's own findings, and the figure after its first table.
    pub fn add_to_page(&self, page: &mut Page) {
        page.add_answer(self.answer());
        let parts = &mut page.sheet.parts;
        let first_table = parts.iter().position(|part| matches!(part, Part::Table(_)));
        parts.insert(first_table.map_or(parts.len(), |index| index + 1), Part::Figure(self.figure()));
    }

    fn name(&self, candidate: usize) -> &str {
        &self.experiment.variants[candidate].name
    }

    fn describe_test(&self, test: &Ratio) -> String {
        let metric = match self.tune.metric.as_str() {
            "nodes" => Metric::nodes(),
            column => Metric::from_column(column),
        };
        let p = format_p(test.p);
        let equals_sign = if p.starts_with('<') { "" } else { "= " };
        format!("{}, p {equals_sign}{p}", describe_difference(test, &metric))
    }

    fn quote_names(&self, candidates: &[usize]) -> String {
        candidates.iter().map(|&candidate| format!("\"{}\"", self.name(candidate))).collect::<Vec<_>>().join(", ")
    }

    fn answer(&self) -> Vec<String> {
        let result = self.race;
        let (winner, against) = (self.name(result.winner), self.name(result.against));
        let item = if self.experiment.file.sequence.is_some() { "game" } else { "position" };
        let unseen_items = format!("on {} that the race never saw", plural(result.held_out, item));
        let Some(held_out) = &result.held_out_result else {
            return vec![format!(
                "No difference shown: all {} candidates gave the same {} in every search. The varied options have no effect here.",
                result.candidates.len(),
                self.tune.metric
            )];
        };
        let test = self.describe_test(&held_out.test);
        let mut sentences = vec![match held_out.confirmation {
            Confirmation::Worse => {
                format!(
                    "No winner: \"{winner}\" won the race by luck; {unseen_items} it has {test} against \"{against}\"."
                )
            }
            Confirmation::Better if result.winner == self.experiment.baseline => {
                format!("Keep the baseline, \"{winner}\": {test} against \"{against}\", {unseen_items}.")
            }
            Confirmation::Better => format!("Use \"{winner}\" instead of \"{against}\": {test} {unseen_items}."),
            Confirmation::Nothing => format!(
                "No difference shown: \"{winner}\" won the race, but {unseen_items} it has {test} against \"{against}\", which may be chance."
            ),
        }];
        let list_remaining = |equals_winner: bool| {
            let is_listed = |&index: &usize| {
                let candidate = &result.candidates[index];
                index != result.winner && candidate.dropped.is_none() && candidate.equals_winner == equals_winner
            };
            (0..result.candidates.len()).filter(is_listed).collect::<Vec<_>>()
        };
        let equal = list_remaining(true);
        if !equal.is_empty() {
            let names = self.quote_names(&equal);
            sentences.push(format!("The same {} as the winner in every search: {names}.", self.tune.metric));
        }
        let undecided = list_remaining(false);
        sentences.push(match undecided.is_empty() {
            true => "The race dropped all others.".to_owned(),
            false => format!(
                "Undecided in the race, where a difference from the winner may be chance: {}.",
                self.quote_names(&undecided)
            ),
        });
        sentences
    }

    /// If there are too many candidates, the winner and those that were searched in most rounds are
    /// drawn.
    fn figure(&self) -> Figure {
        let RaceResult { rounds, winner, .. } = self.race;
        let make_series = |candidate: usize| {
            let mut items = 0;
            let mut points = Vec::new();
            for round in rounds {
                items += round.items;
                let index = round.candidates.iter().position(|&searched| searched == candidate);
                if let Some(ratio) = index.map(|index| round.ratios[index]).filter(|ratio| ratio.is_finite()) {
                    points.push(CurvePoint::without_interval(items as f64, ratio, String::new()));
                }
            }
            (candidate, Series { name: self.name(candidate).to_owned(), line: None, points })
        };
        let candidates = (0..self.race.candidates.len()).filter(|&candidate| candidate != self.experiment.baseline);
        let mut series: Vec<(usize, Series)> = candidates.map(make_series).collect();
        let all_count = series.len();
        series.sort_by_key(|(candidate, series)| (candidate != winner, Reverse(series.points.len())));
        series.truncate(MAX_LINES);
        let remark = match series.len() {
            shown if shown < all_count => {
                format!(" {shown} of {all_count} are shown: the winner, and those that stayed longest.")
            }
            _ => String::new(),
        };
        let metric = &self.tune.metric;
        Figure {
            file: "race".to_owned(),
            title: format!("{} against the baseline, along the race", capitalize(metric)),
            caption: format!(
                "{} of each candidate divided by the baseline's (geometric mean over all searches so far) after each round. A line ends \
                 where its candidate was dropped. A race flatters its winner, so only the held-out items count.{remark}",
                capitalize(metric)
            ),
            plot: Plot::Lines(Lines::from_ratios(
                series.into_iter().map(|(_, series)| series).collect(),
                "items searched",
                format!("{metric} against the baseline"),
            )),
        }
    }
}

#[cfg(test)]
mod tests;
