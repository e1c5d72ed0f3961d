//! Tests the answer and the figure of a tuning on results made by hand: six candidates on a grid of
//! three values of slots and two centres.

use super::*;
use crate::analysis::questions::race::{Candidate, HeldOutResult, Round};
use crate::report::sheet::sample_sheet;
use crate::stats::ratio::Ratio;
use std::path::Path;

/// Runs `query` on the outcome of a tuning.
fn with_outcome<T>(result: &RaceResult, query: impl Fn(&TuneOutcome) -> T) -> T {
    let text = "suite = { startpos = true }\nlimit = { depth = 3 }\n[grid]\n'table.slots' = [1, 2, 4]\n'eval.centre' = [0, 5]\n";
    let experiment = Experiment::parse(text, Path::new("hand.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
    query(&TuneOutcome { experiment: &experiment, tune: &Tune::default(), race: result })
}

/// A winner at half the nodes of what it was tested against. Two candidates are not dropped.
fn result(winner: usize, against: usize, confirmation: Confirmation) -> RaceResult {
    let candidates = [(Some(1), false), (Some(0), false), (None, false), (None, false), (None, true), (Some(0), true)]
        .map(|(dropped, equals_winner)| Candidate { dropped, equals_winner });
    let test = Ratio { mean: 0.5, low: 0.49, high: 0.51, p: 0.02, ..Ratio::default() };
    RaceResult {
        winner,
        against,
        candidates: candidates.to_vec(),
        held_out: 20,
        held_out_result: Some(HeldOutResult { test, confirmation }),
        ..RaceResult::default()
    }
}

#[test]
fn each_outcome_has_its_sentence() {
    let answer = |result: &RaceResult| with_outcome(result, |outcome| outcome.answer());
    let (seen, test) = ("on 20 positions that the race never saw", "50.0 % fewer nodes [49.0, 51.0], p = 0.020");
    let (winner, baseline) = ("\"slots=2, centre=5\"", "\"slots=1, centre=0\"");
    let no_difference = format!(
        "No difference shown: {winner} won the race, but {seen} it has {test} against {baseline}, which may be chance."
    );
    let lucky = format!("No winner: {winner} won the race by luck; {seen} it has {test} against {baseline}.");
    for (confirmation, expected) in [
        (Confirmation::Better, format!("Use {winner} instead of {baseline}: {test} {seen}.")),
        (Confirmation::Worse, lucky),
        (Confirmation::Nothing, no_difference),
    ] {
        let sentences = [
            &expected,
            "The same nodes as the winner in every search: \"slots=4, centre=0\".",
            "Undecided in the race, where a difference from the winner may be chance: \"slots=2, centre=0\".",
        ];
        assert_eq!(answer(&result(3, 0, confirmation)), sentences);
    }
    let sentences = answer(&result(0, 3, Confirmation::Better));
    assert_eq!(sentences[0], format!("Keep the baseline, {baseline}: {test} against {winner}, {seen}."));
    let mut alone = result(3, 0, Confirmation::Better);
    (alone.candidates[2].dropped, alone.candidates[4].dropped) = (Some(0), Some(0));
    assert_eq!(answer(&alone)[1..], ["The race dropped all others."]);
    // Searches without a ratio open the interval.
    let test = Ratio { mean: 0.9, low: 0.8, high: f64::INFINITY, p: 0.02, ..Ratio::default() };
    let open_ended = RaceResult {
        held_out_result: Some(HeldOutResult { test, confirmation: Confirmation::Nothing }),
        ..result(3, 0, Confirmation::Nothing)
    };
    assert!(answer(&open_ended)[0].contains(" it has 10.0 % fewer nodes [no bound, 20.0], p = 0.020 against "));
    let inert = RaceResult { held_out_result: None, ..alone };
    let sentence = "No difference shown: all 6 candidates gave the same nodes in every search. The varied options have no effect here.";
    assert_eq!(answer(&inert), [sentence]);
}

/// The second round has the baseline, the winner and a candidate without a ratio.
#[test]
fn figure_has_a_point_for_each_round() {
    let rounds = vec![
        Round {
            items: 12,
            candidates: (0..6).collect(),
            ratios: vec![1.0, 1.2, 0.9, 0.8, 0.8, 1.1],
            ..Round::default()
        },
        Round { items: 13, candidates: vec![0, 3, 4], ratios: vec![1.0, 0.7, f64::NAN], ..Round::default() },
    ];
    let result = RaceResult { rounds, ..result(3, 0, Confirmation::Better) };
    let figure = with_outcome(&result, |outcome| outcome.figure());
    let Plot::Lines(lines) = figure.plot else { panic!("no lines") };
    let describe = |series: &Series| {
        let points: Vec<String> = series.points.iter().map(|point| format!("{} {}", point.x, point.y)).collect();
        format!("{}: {}", series.name, points.join(", "))
    };
    assert_eq!(
        lines.series.iter().map(describe).collect::<Vec<_>>(),
        [
            "slots=2, centre=5: 12 0.8, 25 0.7",
            "slots=1, centre=5: 12 1.2",
            "slots=2, centre=0: 12 0.9",
            "slots=4, centre=0: 12 0.8",
            "slots=4, centre=5: 12 1.1"
        ]
    );
    assert!(figure.caption.ends_with("only the held-out items count."), "{}", figure.caption);
}

#[test]
fn answer_stands_first_and_the_figure_after_the_first_table() {
    let mut page = Page { findings: vec!["own".to_owned()], sheet: sample_sheet(), ..Page::default() };
    let result = result(3, 0, Confirmation::Better);
    let answer = with_outcome(&result, |outcome| outcome.answer());
    let part_count = page.sheet.parts.len();
    page = with_outcome(&result, |outcome| {
        let mut changed = page.clone();
        outcome.add_to_page(&mut changed);
        changed
    });
    assert_eq!(page.findings, [&answer[..], &["own".to_owned()]].concat());
    let parts = &page.sheet.parts;
    assert_eq!(parts.len(), part_count + 2);
    assert_eq!(parts.iter().find(|part| matches!(part, Part::Findings(_))), Some(&Part::Findings(answer)));
    let table = parts.iter().position(|part| matches!(part, Part::Table(_))).unwrap();
    assert!(matches!(&parts[table + 1], Part::Figure(figure) if figure.file == "race"), "{parts:?}");
}
