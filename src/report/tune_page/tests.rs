//! Tests the page of a tuning on results made by hand: six candidates on a grid of three values of
//! slots and two centres.

use super::*;
use crate::analysis::questions::curves::{CurvePoint, Series};
use crate::analysis::questions::race::{Candidate, HeldOutResult, Standing};
use crate::report::figure::{Figure, Plot};

const GRID: &str = "'table.slots' = [1, 2, 4]\n'eval.centre' = [0, 5]\n";

fn experiment(grid: &str) -> Experiment {
    let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 3 }}\n[grid]\n{grid}");
    Experiment::parse(&text, Path::new("hand.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
}

fn ratio(mean: f64, significant: bool) -> Ratio {
    let p = if significant { 0.01 } else { 0.4 };
    let (low, high) = if significant { (mean - 0.01, mean + 0.01) } else { (0.1, 9.0) };
    Ratio { mean, low, high, p, pairs: 20, clusters: 20, error: 0.05, ..Ratio::default() }
}

/// Runs `query` on the outcome of a tuning over a grid.
fn with_outcome<T>(grid: &str, result: &RaceResult, tune: &Tune, query: impl Fn(&TuneOutcome) -> T) -> T {
    let experiment = experiment(grid);
    let varying: Vec<String> = grid.lines().map(|line| line.split('\'').nth(1).unwrap().to_owned()).collect();
    query(&TuneOutcome {
        experiment: &experiment,
        tune,
        varying: &varying,
        pressures: &["own", "other"].map(str::to_owned),
        race: result,
        warnings: Vec::new(),
        provenance: Vec::new(),
    })
}

fn shape(series: &[Series]) -> Vec<(String, Vec<f64>)> {
    series.iter().map(|series| (series.name.clone(), series.points.iter().map(|point| point.x).collect())).collect()
}

#[test]
fn series_needs_two_points() {
    let make_line = |name: &str, points: &[f64]| (name.to_owned(), points.to_vec());
    // Candidates are sorted by slots, then by centre: 0 and 1 have one slot, 2 and 3 have two, 4
    // and 5 have four.
    for (measured, expected) in [
        (&[0, 3, 5][..], vec![make_line("centre=5", &[2.0, 4.0])]),
        (&[4, 0], vec![make_line("centre=0", &[1.0, 4.0])]),
        (&[0, 1], vec![]),
        (&[], vec![]),
        (&[0, 1, 2, 3, 4], vec![make_line("centre=0", &[1.0, 2.0, 4.0]), make_line("centre=5", &[1.0, 2.0])]),
    ] {
        let measured_ratio =
            |candidate: usize| measured.contains(&candidate).then(|| ratio(1.0 + candidate as f64, true));
        let series = with_outcome(GRID, &RaceResult::default(), &Tune::default(), |outcome| {
            outcome.series_over("table.slots", measured_ratio)
        });
        assert_eq!(shape(&series), expected, "{measured:?}");
        for point in series.iter().flat_map(|series| &series.points) {
            let candidate = (point.y - 1.0) as usize;
            let name = format!("slots={}, centre={}", point.x, if candidate.is_multiple_of(2) { 0 } else { 5 });
            assert_eq!((point.label.as_str(), point.low), (name.as_str(), point.y - 0.01));
        }
    }
}

#[test]
fn option_with_three_numeric_values_has_a_figure() {
    for (grid, paths) in [
        (GRID, &["table.slots"][..]),
        ("'table.slots' = [1, 2]\n", &[]),
        ("'table.policy' = ['always', 'depth-preferred', 'random']\n", &[]),
        ("'eval.centre' = [0, 5, 9]\n'table.size' = ['64 KiB', '1 MiB', '2 MiB']\n", &["eval.centre", "table.size"]),
    ] {
        assert_eq!(
            with_outcome(grid, &RaceResult::default(), &Tune::default(), |outcome| outcome.numeric_options()),
            paths,
            "{grid}"
        );
    }
}

/// At most eight lines are drawn, since more cannot be distinguished.
#[test]
fn too_many_series_are_reduced_to_the_winners() {
    let result = RaceResult { winner: 3, ..RaceResult::default() };
    let make_series = |name: &str, label: &str| Series {
        name: name.to_owned(),
        line: None,
        points: [2.0, 1.0].map(|x| CurvePoint { x, label: label.to_owned(), ..CurvePoint::default() }).to_vec(),
    };
    let make_lines = |others: usize, winners: usize| {
        let other_lines = (0..others).map(|_| make_series("other", "slots=1, centre=0"));
        other_lines.chain((0..winners).map(|_| make_series("winner", "slots=2, centre=5"))).collect::<Vec<_>>()
    };
    for (others, winners, expected) in
        [(8, 0, Some((8, "c"))), (7, 1, Some((8, "c"))), (8, 1, Some((1, "c All other options are the winner's.")))]
    {
        let figure = with_outcome(GRID, &result, &Tune::default(), |outcome| {
            outcome.option_figure("table.slots", make_lines(others, winners), "response", "c".to_owned())
        });
        let drawn = figure.as_ref().map(|figure| {
            let Plot::Lines(lines) = &figure.plot else { panic!("no lines") };
            assert_eq!(lines.x_ticks, [(1.0, "1".to_owned()), (2.0, "2".to_owned())]);
            (lines.series.len(), figure.caption.as_str())
        });
        assert_eq!(drawn, expected, "{others} and {winners}");
    }
    for (others, winners) in [(0, 0), (9, 0), (0, 9)] {
        let figure = with_outcome(GRID, &result, &Tune::default(), |outcome| {
            outcome.option_figure("table.slots", make_lines(others, winners), "response", String::new())
        });
        assert_eq!(figure, None, "{others} and {winners}");
    }
}

#[test]
fn held_out_figure_has_a_series_for_each_pressure() {
    let make_result = |candidates: &[usize], offset: f64| HeldOutResult {
        standings: candidates
            .iter()
            .map(|&candidate| Standing { candidate, ratio: ratio(offset + candidate as f64, true) })
            .collect(),
        ..HeldOutResult::default()
    };
    let draw = |grid: &str, held_out_results: Vec<HeldOutResult>| {
        let result = RaceResult { winner: 3, held_out_results, ..RaceResult::default() };
        with_outcome(grid, &result, &Tune::default(), |outcome| outcome.held_out_figure()).map(|figure| {
            let Plot::Lines(lines) = figure.plot else { panic!("no lines") };
            let y_values = |series: &Series| series.points.iter().map(|point| point.y).collect::<Vec<_>>();
            let lines: Vec<_> = lines.series.iter().map(|series| (series.name.clone(), y_values(series))).collect();
            (figure.file, figure.title, lines)
        })
    };
    let make_expected = |file: &str, title: &str, lines: &[(&str, &[f64])]| {
        let lines = lines.iter().map(|(name, y)| ((*name).to_owned(), y.to_vec())).collect::<Vec<_>>();
        Some((file.to_owned(), title.to_owned(), lines))
    };
    assert_eq!(
        draw(GRID, vec![make_result(&[5, 3, 0, 2], 10.0), make_result(&[1, 3], 20.0)]),
        make_expected(
            "held-out-table-slots",
            "Held out: slots",
            &[("own, centre=5", &[13.0, 15.0]), ("other, centre=5", &[21.0, 23.0])]
        )
    );
    let one_option = "'table.slots' = [1, 2, 4, 8]\n";
    let baseline_and_winner = make_result(&[3, 0], 10.0);
    assert_eq!(
        draw(one_option, vec![baseline_and_winner.clone(), make_result(&[3], 0.0)]),
        make_expected("held-out-table-slots", "Held out: slots", &[("own", &[10.0, 13.0])])
    );
    assert_eq!(draw(GRID, vec![make_result(&[0, 2, 5], 1.0)]), None, "nothing goes through the winner");
    assert_eq!(
        draw("'table.slots' = [1, 2]\n'eval.centre' = [0, 5]\n", vec![baseline_and_winner]),
        None,
        "two values make no curve"
    );
}

#[test]
fn highlight_follows_the_goal() {
    use Goal::{Least, Most};
    for (mean, significant, tested, goal, expected) in [
        (0.8, true, true, Least, Emphasis::Better),
        (0.8, true, true, Most, Emphasis::Worse),
        (1.2, true, true, Least, Emphasis::Worse),
        (1.2, true, true, Most, Emphasis::Better),
        (0.8, false, true, Least, Emphasis::None),
        (0.8, true, false, Least, Emphasis::None),
    ] {
        let tune = Tune { goal, ..Tune::default() };
        let cell = with_outcome(GRID, &RaceResult::default(), &tune, |outcome| {
            outcome.ratio_cell(&ratio(mean, significant), tested)
        });
        assert_eq!(cell.emphasis, expected, "{mean} {significant} {tested} {goal:?}");
    }
}

#[test]
fn baseline_is_that_of_the_file() {
    let text = format!(
        "suite = {{ startpos = true }}\nlimit = {{ depth = 3 }}\nbaseline = {{ 'table.slots' = 2, 'eval.centre' = 5 }}\n[grid]\n{GRID}"
    );
    let experiment = Experiment::parse(&text, Path::new("hand.toml"), &[]).unwrap();
    let standings = [1, 3].map(|candidate| Standing { candidate, ratio: ratio(0.5, true) }).to_vec();
    let held_out = HeldOutResult { standings, test: ratio(0.5, true), ..HeldOutResult::default() };
    for (winner, expected) in [
        (3, "Keep the baseline, \"slots=2, centre=5\": 50.0 % fewer"),
        (1, "Use \"slots=1, centre=5\" instead of \"slots=2, centre=5\": 50.0 %"),
    ] {
        let candidates = vec![Candidate { ratio: ratio(0.5, true), ..Candidate::default() }; 6];
        let (held_out, confirmations) = (vec![held_out.clone()], vec![Confirmation::Better]);
        let result =
            RaceResult { winner, candidates, held_out_results: held_out, confirmations, ..RaceResult::default() };
        let outcome = TuneOutcome {
            experiment: &experiment,
            tune: &Tune::default(),
            varying: &[],
            pressures: &["own".to_owned()],
            race: &result,
            warnings: Vec::new(),
            provenance: Vec::new(),
        };
        assert!(outcome.findings()[0].starts_with(expected), "{:?}", outcome.findings());
        let starred_names = |table: SheetTable, column: usize| {
            let names = table.rows.into_iter().map(|row| row[column].text.clone());
            names.filter(|name| name.ends_with('*')).collect::<Vec<_>>()
        };
        assert_eq!(starred_names(outcome.race_table(), 0), ["slots=2, centre=5 *"]);
        assert_eq!(starred_names(outcome.held_out_table(), 1), ["slots=2, centre=5 *"]);
        let [Figure { plot: Plot::Forest(forest), .. }] = &outcome.figures()[..] else { panic!("a forest alone") };
        assert_eq!(forest.rows.len(), 5);
        assert!(forest.rows.iter().all(|row| row.name != "slots=2, centre=5"));
    }
}

#[test]
fn unmeasured_candidates_are_not_drawn() {
    let candidates = [1.0, 0.5, 2.0, 0.0, 4.0, f64::NAN]
        .map(|mean| Candidate { ratio: ratio(mean, mean < 3.0), ..Candidate::default() })
        .to_vec();
    let figures =
        with_outcome(GRID, &RaceResult { candidates, ..RaceResult::default() }, &Tune::default(), |outcome| {
            outcome.figures()
        });
    let [Figure { plot: Plot::Lines(lines), .. }, Figure { plot: Plot::Forest(forest), .. }] = figures.as_slice()
    else {
        panic!("a response and a forest: {figures:?}")
    };
    assert_eq!(shape(&lines.series), [("centre=0".to_owned(), vec![1.0, 2.0, 4.0])]);
    let rows: Vec<(&str, f64, bool)> =
        forest.rows.iter().map(|row| (row.name.as_str(), row.mean, row.significant)).collect();
    assert_eq!(
        rows,
        [("slots=1, centre=5", 0.5, true), ("slots=2, centre=0", 2.0, true), ("slots=4, centre=0", 4.0, false)]
    );
}

/// Student's quantiles with 19 degrees of freedom, from a printed table, are 2.433 at 0.9875 (half
/// of a level of 0.025 at each end) and 0.861 at 0.8. With a standard error of 0.05, the detectable
/// difference is exp(0.05 x 3.294) - 1 = 17.9 %.
#[test]
fn findings_state_the_detectable_difference() {
    let held_out =
        HeldOutResult { test: Ratio { low: 0.88, high: 1.07, ..ratio(0.97, false) }, ..HeldOutResult::default() };
    let result = RaceResult {
        winner: 3,
        held_out_results: vec![held_out],
        confirmations: vec![Confirmation::Nothing],
        level: 0.025,
        held_out: 20,
        candidates: vec![Candidate::default(); 6],
        ..RaceResult::default()
    };
    let findings = with_outcome(GRID, &result, &Tune::default(), |outcome| outcome.findings());
    assert!(findings[0].ends_with("These items cannot show differences below about 17.9 %."), "{findings:?}");
    // A wider interval does not rule out the differences within it.
    for (low, high, largest) in [(0.7375, 1.002, "26.2 %"), (0.95, 1.3, "30.0 %")] {
        let test = Ratio { low, high, ..ratio(0.97, false) };
        let wide_result =
            RaceResult { held_out_results: vec![HeldOutResult { test, ..HeldOutResult::default() }], ..result.clone() };
        let findings = with_outcome(GRID, &wide_result, &Tune::default(), |outcome| outcome.findings());
        assert!(
            findings[0].ends_with(&format!("That does not rule out differences of up to {largest}.")),
            "{findings:?}"
        );
    }
    for (share, text) in
        [(0.0, "0.001 %"), (0.0009, "0.090 %"), (0.001, "0.1 %"), (0.25, "25.0 %"), (f64::INFINITY, "any size")]
    {
        assert_eq!(format_share(share), text);
    }
    assert_eq!(format_share(f64::NAN), "any size");
}

#[test]
fn race_and_held_out_rows_belong_to_their_candidate() {
    let make_candidate = |dropped: Option<usize>, equals_winner: bool| Candidate {
        dropped,
        equals_winner,
        ratio: ratio(0.9, true),
        ..Candidate::default()
    };
    let candidates = vec![
        make_candidate(None, false),
        make_candidate(Some(0), false),
        make_candidate(None, true),
        make_candidate(Some(2), true),
        make_candidate(None, false),
        make_candidate(None, true),
    ];
    let make_standing = |candidate: usize| Standing { candidate, ratio: ratio(0.5, true) };
    let make_result = |p: f64| HeldOutResult {
        p,
        standings: vec![make_standing(0), make_standing(4)],
        test: ratio(10.0 * p, true),
        ..HeldOutResult::default()
    };
    let confirmations = vec![Confirmation::Better, Confirmation::Worse];
    let held_out_results = vec![make_result(0.02), make_result(0.03)];
    let result =
        RaceResult { winner: 4, candidates, held_out_results, confirmations, held_out: 12, ..RaceResult::default() };
    let tune = Tune { alpha: 0.025, ..Tune::default() };
    // The finding about another pressure has its own name, figures and result.
    let findings = with_outcome(GRID, &result, &tune, |outcome| outcome.findings());
    let change = "Change `slots` from 1 to 4: 80.0 % fewer nodes [79.0, 81.0], p = 0.020 on 12 positions that the race never saw.";
    assert_eq!(findings[0], change);
    assert_eq!(findings[1], "At other: 70.0 % fewer nodes [69.0, 71.0], p = 0.030; it is worse there.");
    // The remaining candidates are listed without the winner and the dropped ones.
    let remaining = [
        "The same nodes as the winner in every search: \"slots=2, centre=0\", \"slots=4, centre=5\".",
        "Undecided in the race, where a difference from the winner may be chance: \"slots=1, centre=0\".",
    ];
    assert_eq!(findings[2..4], remaining);
    let [fates, tests, fields] = with_outcome(GRID, &result, &tune, |outcome| {
        let fates = outcome.race_table().rows.into_iter().map(|row| row[1].text.clone());
        let tests = outcome
            .held_out_table()
            .rows
            .into_iter()
            .map(|row| format!("{} {:?} {}", row[0].text, row[2].emphasis, row[4].text));
        let text = String::from_utf8(outcome.csv().unwrap()).unwrap();
        let dropped: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("race,own,"))
            .filter_map(|line| line.rsplit(',').next())
            .collect();
        assert_eq!(dropped, ["", "1", "", "3", "", ""], "rounds from 1, as on the page");
        let fields = text.lines().filter(|line| line.starts_with("held-out,own,")).map(|line| {
            let fields: Vec<&str> = line.rsplit(',').collect();
            [5, 4, 1].map(|index| fields[index]).join(" ")
        });
        [fates.collect::<Vec<_>>(), tests.collect(), fields.collect()]
    });
    let expected = [
        "no difference shown",
        "dropped in round 1",
        "the same as the winner",
        "dropped in round 3",
        "winner",
        "the same as the winner",
    ];
    assert_eq!(fates, expected);
    assert_eq!(tests, ["own None -", "own Better 0.020", "other None -", "other None 0.030"]);
    assert_eq!(fields, ["20 0.5 ", "20 0.5 0.02"]);
}

/// Candidates are sorted by slots 1, 2, 4, then by centre: 0, 2 and 4 have centre 0.
#[test]
fn equal_neighbours_are_a_range() {
    for (winner, equals, expected) in [
        (4, &[2][..], Some("Any `slots` from 2 to 4 has the same nodes in every search.")),
        (0, &[2, 4], Some("Any `slots` from 1 to 4 has the same nodes in every search.")),
        (0, &[1], Some("Any `centre` from 0 to 5 has the same nodes in every search.")),
        (0, &[4], Some("The same nodes as the winner in every search: \"slots=4, centre=0\".")),
        (0, &[3], Some("The same nodes as the winner in every search: \"slots=2, centre=5\".")),
        (0, &[], None),
    ] {
        let result = RaceResult { winner, ..RaceResult::default() };
        let sentence = with_outcome(GRID, &result, &Tune::default(), |outcome| outcome.describe_ties(equals));
        assert_eq!(sentence.as_deref(), expected, "{winner} {equals:?}");
    }
}

#[test]
fn small_tunings_are_warned_of() {
    use crate::analysis::questions::race::Round;
    let experiment = experiment(GRID);
    let warns = |race_items: [usize; 2], held_out: usize, pressures: &[String]| {
        let make_round = |items: usize| Round { items, ..Round::default() };
        let held_out_result = HeldOutResult { test: ratio(0.5, true), ..HeldOutResult::default() };
        let result = RaceResult {
            rounds: race_items.map(make_round).to_vec(),
            held_out,
            held_out_results: vec![held_out_result],
            confirmations: vec![Confirmation::Better],
            candidates: vec![Candidate::default(); 6],
            cost: 30,
            full_cost: 120,
            ..RaceResult::default()
        };
        let (tune, varying) = (Tune::default(), Vec::new());
        let (warnings, provenance) = (Vec::new(), Vec::new());
        let outcome = TuneOutcome {
            experiment: &experiment,
            tune: &tune,
            varying: &varying,
            pressures,
            race: &result,
            warnings,
            provenance,
        };
        let cost = outcome.findings().pop().unwrap_or_default();
        assert!(cost.contains(" 30 items "), "{cost}");
        assert!(cost.ends_with(" of the 120 of the full grid, 25 %."), "{cost}");
        let is_warning =
            |text: &String| text.starts_with(&format!("the race had {} items", race_items[0] + race_items[1]));
        let warnings = outcome.warnings();
        let single_pressure = warnings.iter().any(|text| text.starts_with("no other pressure was tried"));
        (warnings.iter().any(is_warning), single_pressure)
    };
    let pressures = ["own", "other"].map(str::to_owned);
    assert_eq!(warns([4, 6], 10, &pressures), (false, false));
    assert_eq!(warns([4, 5], 10, &pressures), (true, false));
    assert_eq!(warns([4, 6], 9, &pressures), (true, false));
    assert_eq!(warns([4, 6], 10, &pressures[..1]), (false, true));
}

#[test]
fn searches_without_ratio_are_warned_of() {
    let make_result = |searches| HeldOutResult { one_sided_zero: searches, ..HeldOutResult::default() };
    let result = RaceResult {
        held_out_results: vec![make_result(0), make_result(1)],
        confirmations: vec![Confirmation::Nothing; 2],
        candidates: vec![Candidate::default(); 6],
        ..RaceResult::default()
    };
    let warnings = with_outcome(GRID, &result, &Tune::default(), |outcome| outcome.warnings());
    let without_ratio: Vec<&String> = warnings.iter().filter(|text| text.contains("without ratio")).collect();
    assert_eq!(without_ratio, ["other: 1 search without ratio, because one side has no nodes"]);
    let open_ended = Ratio { mean: 0.9, low: 0.8, high: f64::INFINITY, ..Ratio::default() };
    let text = describe_difference(&open_ended, &Metric::nodes());
    assert_eq!(text, "10.0 % fewer nodes [no bound, 20.0]");
}
