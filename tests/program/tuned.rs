//! Tests of the pages of a tuning: six candidates whose figures all differ, and what the tables,
//! sentences, figures and `tune.csv` must contain for each, written by hand.

use crate::common::scratch;
use std::fs;
use std::path::Path;
use ttlab::internals::analysis::questions::race::{
    Candidate, Confirmation, HeldOutResult, RaceResult, Round, Standing,
};
use ttlab::internals::experiment::{Experiment, Tune};
use ttlab::internals::report::tune_page::TuneOutcome;
use ttlab::internals::stats::ratio::Ratio;

const FILE: &str = "name = 'hand'\nsuite = { startpos = true }\nlimit = { depth = 3 }\n\
                    [grid]\n'table.slots' = [1, 2, 4]\n'eval.centre' = [0, 5]\n";

/// A ratio with a mean and an interval; p is significant if the interval excludes 1.
fn ratio(mean: f64, low: f64, high: f64, pairs: usize) -> Ratio {
    let p = if low > 1.0 || high < 1.0 { 0.01 } else { 0.4 };
    Ratio { mean, low, high, p, pairs, clusters: pairs, error: 0.05, ..Ratio::default() }
}

fn tuned() -> RaceResult {
    let candidate = |searches, ratio, p, dropped, same| Candidate { searches, ratio, p, dropped, equals_winner: same };
    let standing = |candidate, ratio| Standing { candidate, ratio };
    RaceResult {
        rounds: vec![
            Round { items: 12, candidates: (0..6).collect(), best: 2, dropped: vec![1] },
            Round { items: 13, candidates: vec![0, 2, 3, 4, 5], best: 3, dropped: vec![0, 5] },
        ],
        candidates: vec![
            candidate(25, ratio(1.0, f64::NAN, f64::NAN, 25), 0.021, Some(1), false),
            candidate(12, ratio(1.2, 1.1, 1.3, 12), 0.001, Some(0), false),
            candidate(26, ratio(0.9, 0.75, 1.05, 26), 0.064, None, false),
            candidate(27, ratio(0.8, 0.7, 0.9, 27), f64::NAN, None, false),
            candidate(28, ratio(0.81, 0.71, 0.91, 28), 1.0, None, true),
            candidate(24, ratio(1.01, 0.92, 1.12, 24), 0.031, Some(1), false),
        ],
        winner: 3,
        against: 0,
        held_out: 20,
        held_out_results: vec![
            HeldOutResult {
                standings: vec![
                    standing(0, ratio(1.0, f64::NAN, f64::NAN, 20)),
                    standing(3, ratio(0.85, 0.76, 0.96, 19)),
                    standing(2, ratio(0.95, 0.86, 1.06, 18)),
                ],
                test: ratio(0.855, 0.765, 0.965, 19),
                p: 0.012,
                one_sided_zero: 0,
            },
            HeldOutResult {
                standings: vec![standing(3, ratio(1.15, 1.06, 1.26, 17)), standing(2, ratio(1.02, 0.93, 1.13, 16))],
                test: ratio(1.155, 1.065, 1.265, 17),
                p: 0.034,
                one_sided_zero: 0,
            },
        ],
        confirmations: vec![Confirmation::Better, Confirmation::Worse],
        level: 0.025,
        cost: 345,
        full_cost: 1380,
    }
}

/// Writes the page, and returns its Markdown and findings.
fn write_page(folder: &Path, tuned: &RaceResult, pressures: &[&str]) -> (String, Vec<String>) {
    let experiment =
        Experiment::parse(FILE, Path::new("hand.toml"), &[]).unwrap_or_else(|error| panic!("{}", error.message));
    let names: Vec<&str> = experiment.variants.iter().map(|point| point.name.as_str()).collect();
    assert_eq!((names[0], names[3], names.len()), ("slots=1, centre=0", "slots=2, centre=5", 6));
    let output = TuneOutcome {
        experiment: &experiment,
        tune: &Tune::default(),
        varying: &["table.slots".to_owned(), "eval.centre".to_owned()],
        pressures: &pressures.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(),
        race: tuned,
        warnings: vec!["a stage warns".to_owned()],
        provenance: vec!["made by hand".to_owned()],
    };
    let findings = output.write(folder).unwrap();
    (fs::read_to_string(folder.join("report.md")).unwrap(), findings)
}

/// The rows of the table under a heading, without emphasis marks.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let body = page.split(&format!("## {heading}\n")).nth(1).unwrap_or_else(|| panic!("no {heading}: {page}"));
    let lines = body.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let fields = |line: &str| -> Vec<String> {
        let inner = line.trim_start_matches("| ").trim_end_matches(" |");
        inner.split(" | ").map(|field| field.replace("\\*", "*").replace('\u{a0}', " ").trim().to_owned()).collect()
    };
    lines.skip(2).map(fields).collect()
}

#[test]
fn tune_page_has_every_figure_in_its_cell() {
    let folder = scratch();
    let tuned = tuned();
    let (page, findings) = write_page(folder.path(), &tuned, &["as the file has it", "table.size=64 KiB"]);
    assert_eq!(
        findings,
        [
            "Change `slots` from 1 to 2 and `centre` from 0 to 5: 14.5 % fewer nodes [3.5, 23.5], p = 0.012 on 20 positions that the race never saw.",
            "At table.size=64 KiB: 15.5 % more nodes [6.5, 26.5], p = 0.034; it is worse there.",
            "The same nodes as the winner in every search: \"slots=4, centre=0\".",
            "Undecided in the race, where a difference from the winner may be chance: \"slots=2, centre=0\".",
            "Searched: 345 items (each by one candidate at one pressure) of the 1,380 of the full grid, 25 %.",
        ]
    );
    assert_eq!(page.matches("**Warning:**").count(), 1, "{page}");
    assert!(page.contains("a stage warns"));
    assert!(page.contains("- made by hand"));
    let race = table(&page, "The race");
    let expected = [
        ["slots=1, centre=0 *", "dropped in round 2", "25", "1.0000", "-"],
        ["slots=1, centre=5", "dropped in round 1", "12", "**1.2000**", "1.1000-1.3000"],
        ["slots=2, centre=0", "no difference shown", "26", "0.9000", "0.7500-1.0500"],
        ["slots=2, centre=5", "winner", "27", "**0.8000**", "0.7000-0.9000"],
        ["slots=4, centre=0", "the same as the winner", "28", "**0.8100**", "0.7100-0.9100"],
        ["slots=4, centre=5", "dropped in round 2", "24", "1.0100", "0.9200-1.1200"],
    ];
    assert_eq!(race, expected);
    let held_out = table(&page, "Held-out items");
    let expected = [
        ["as the file has it", "slots=1, centre=0 *", "1.0000", "-", "-"],
        ["as the file has it", "slots=2, centre=5", "**0.8500**", "0.7600-0.9600", "0.012"],
        ["as the file has it", "slots=2, centre=0", "0.9500", "0.8600-1.0600", "-"],
        ["table.size=64 KiB", "slots=2, centre=5", "**1.1500**", "1.0600-1.2600", "0.034"],
        ["table.size=64 KiB", "slots=2, centre=0", "1.0200", "0.9300-1.1300", "-"],
    ];
    assert_eq!(held_out, expected);
    assert!(page.contains("20 items that the race never saw. p: the winner against \"slots=1, centre=0\""), "{page}");
    let rounds = table(&page, "Rounds");
    let expected = [
        ["1", "12", "6", "slots=2, centre=0", "slots=1, centre=5"],
        ["2", "13", "5", "slots=2, centre=5", "slots=1, centre=0; slots=4, centre=5"],
    ];
    assert_eq!(rounds, expected);
    assert!(page.contains("\n| round | items | candidates | best afterwards | dropped afterwards |\n"), "{page}");
    let csv = fs::read_to_string(folder.path().join("tune.csv")).unwrap();
    let expected = "stage,pressure,candidate,searches,ratio,low,high,p,dropped\n\
                  race,as the file has it,\"slots=1, centre=0\",25,1,,,0.021,2\n\
                  race,as the file has it,\"slots=1, centre=5\",12,1.2,1.1,1.3,0.001,1\n\
                  race,as the file has it,\"slots=2, centre=0\",26,0.9,0.75,1.05,0.064,\n\
                  race,as the file has it,\"slots=2, centre=5\",27,0.8,0.7,0.9,,\n\
                  race,as the file has it,\"slots=4, centre=0\",28,0.81,0.71,0.91,1,\n\
                  race,as the file has it,\"slots=4, centre=5\",24,1.01,0.92,1.12,0.031,2\n\
                  held-out,as the file has it,\"slots=1, centre=0\",20,1,,,,\n\
                  held-out,as the file has it,\"slots=2, centre=5\",19,0.85,0.76,0.96,0.012,\n\
                  held-out,as the file has it,\"slots=2, centre=0\",18,0.95,0.86,1.06,,\n\
                  held-out,table.size=64 KiB,\"slots=2, centre=5\",17,1.15,1.06,1.26,0.034,\n\
                  held-out,table.size=64 KiB,\"slots=2, centre=0\",16,1.02,0.93,1.13,,\n";
    assert_eq!(csv, expected);
    // Curves over the option with three values, one line per value of the other option; the race as
    // a forest plot; the finalists.
    let tips = |name: &str| -> Vec<String> {
        let svg = fs::read_to_string(folder.path().join(format!("{name}.svg"))).unwrap();
        svg.split("<title>").skip(1).map(|rest| rest.split("</title>").next().unwrap().to_owned()).collect()
    };
    let response = [
        "centre=0 table.slots 1: 1.000 (slots=1, centre=0)",
        "centre=0 table.slots 2: 0.900, 95 % 0.750 to 1.050 (slots=2, centre=0)",
        "centre=0 table.slots 4: 0.810, 95 % 0.710 to 0.910 (slots=4, centre=0)",
        "centre=5 table.slots 1: 1.200, 95 % 1.100 to 1.300 (slots=1, centre=5)",
        "centre=5 table.slots 2: 0.800, 95 % 0.700 to 0.900 (slots=2, centre=5)",
        "centre=5 table.slots 4: 1.010, 95 % 0.920 to 1.120 (slots=4, centre=5)",
    ];
    assert_eq!(tips("response-table-slots"), response);
    let race = [
        "slots=1, centre=5: 1.200, 95 % 1.100 to 1.300",
        "slots=2, centre=0: 0.900, 95 % 0.750 to 1.050",
        "slots=2, centre=5: 0.800, 95 % 0.700 to 0.900",
        "slots=4, centre=0: 0.810, 95 % 0.710 to 0.910",
        "slots=4, centre=5: 1.010, 95 % 0.920 to 1.120",
    ];
    assert_eq!(tips("race"), race);
    // Grey if the interval includes 1, blue for clearly less, orange for clearly more.
    let svg = fs::read_to_string(folder.path().join("race.svg")).unwrap();
    let colour = |rest: &str| rest.rsplit("class=\"").next().unwrap().split(['"', ' ']).next().unwrap().to_owned();
    let pieces: Vec<&str> = svg.split("<title>").collect();
    let colours: Vec<String> = pieces[..pieces.len() - 1].iter().map(|piece| colour(piece)).collect();
    assert_eq!(colours, ["worse", "unclear", "better", "better", "unclear"]);
    assert!(!folder.path().join("response-eval-centre.svg").exists(), "two values make no curve");
}

/// Each outcome has its own sentence.
#[test]
fn tune_page_has_a_sentence_for_each_outcome() {
    let folder = scratch();
    let write_changed = |change: &dyn Fn(&mut RaceResult), pressures: &[&str]| {
        let mut tuned = tuned();
        change(&mut tuned);
        write_page(folder.path(), &tuned, pressures)
    };
    let two_pressures = ["own", "other"];
    let (_, findings) = write_changed(
        &|tuned| tuned.confirmations = vec![Confirmation::Nothing, Confirmation::Nothing],
        &two_pressures,
    );
    assert!(
        findings[0].starts_with("No difference shown: \"slots=2, centre=5\" won the race, but on 20 positions that"),
        "{findings:?}"
    );
    assert!(
        findings[0].contains("[3.5, 23.5], p = 0.012 against \"slots=1, centre=0\", which may be chance."),
        "{findings:?}"
    );
    assert!(findings[1].ends_with("no difference shown there."), "{findings:?}");
    let (_, findings) =
        write_changed(&|tuned| tuned.confirmations = vec![Confirmation::Worse, Confirmation::Better], &two_pressures);
    assert!(findings[0].starts_with("No winner: \"slots=2, centre=5\" won the race by luck"), "{findings:?}");
    assert!(findings[1].ends_with("it is better there too."), "{findings:?}");
    let (page, findings) = write_changed(&|tuned| (tuned.winner, tuned.against) = (0, 3), &two_pressures);
    assert!(findings[0].starts_with("Keep the baseline, \"slots=1, centre=0\": 14.5 % fewer"), "{findings:?}");
    assert!(findings[0].contains(" against \"slots=2, centre=5\", on 20 positions"), "{findings:?}");
    assert!(page.contains("against \"slots=2, centre=5\"; "), "{findings:?}");
    let (page, findings) = write_changed(
        &|tuned| {
            (tuned.confirmations, tuned.held_out_results) = (vec![Confirmation::Inert], Vec::new());
            (tuned.cost, tuned.full_cost) = (0, 0);
        },
        &["own"],
    );
    assert!(findings[0].contains("all 6 candidates gave the same nodes in every search"), "{findings:?}");
    assert_eq!(findings.len(), 2, "nothing more is said but the cost: {findings:?}");
    assert!(findings[1].ends_with("of the 0 of the full grid, 0 %."), "{findings:?}");
    assert!(!page.contains("Held-out items"), "{findings:?}");
    assert!(!page.contains("no other pressure"), "{page}");
    // All others dropped; too few items on either side; no other pressure.
    let (_, findings) = write_changed(
        &|tuned| {
            tuned.candidates[2].dropped = Some(1);
            tuned.candidates[4].dropped = Some(1);
        },
        &two_pressures,
    );
    assert!(findings.contains(&"The race dropped all others.".to_owned()), "{findings:?}");
    assert_eq!(findings.len(), 4, "{findings:?}");
    let warns_of_few =
        |page: &str, start: &str| page.contains(&format!("{start} were held out; so few items show only"));
    assert!(warns_of_few(
        &write_changed(&|tuned| tuned.held_out = 9, &two_pressures).0,
        "the race had 25 items, and 9"
    ));
    assert!(warns_of_few(
        &write_changed(&|tuned| tuned.rounds = vec![Round { items: 9, ..Round::default() }], &two_pressures).0,
        "the race had 9 items, and 20"
    ));
    let (page, _) = write_changed(
        &|tuned| (tuned.held_out, tuned.rounds[0].items, tuned.rounds[1].items) = (10, 4, 6),
        &two_pressures,
    );
    assert!(!page.contains("so few items show"), "{page}");
    let (page, _) = write_changed(&|tuned| tuned.held_out_results.truncate(1), &["own"]);
    assert!(page.contains("no other pressure was tried"), "{page}");
}

/// A curve follows its axis, whatever the order of the values in the file.
#[test]
fn tune_curves_follow_the_order_of_their_axis() {
    let folder = scratch();
    let text = FILE.replace("[1, 2, 4]", "[4, 1, 2]").replace("'eval.centre' = [0, 5]\n", "");
    let experiment = Experiment::parse(&text, Path::new("hand.toml"), &[]).unwrap();
    let candidate =
        |mean| Candidate { searches: 12, ratio: ratio(mean, mean - 0.1, mean + 0.1, 12), ..Candidate::default() };
    let tuned = RaceResult {
        rounds: vec![Round { items: 12, candidates: vec![0, 1, 2], best: 1, dropped: vec![] }],
        candidates: [1.0, 0.7, 0.8].map(candidate).to_vec(),
        winner: 1,
        held_out: 12,
        confirmations: vec![Confirmation::Nothing],
        ..RaceResult::default()
    };
    let output = TuneOutcome {
        experiment: &experiment,
        tune: &Tune::default(),
        varying: &["table.slots".to_owned()],
        pressures: &["as the file has it".to_owned()],
        race: &tuned,
        warnings: vec![],
        provenance: vec![],
    };
    output.write(folder.path()).unwrap();
    let svg = fs::read_to_string(folder.path().join("response-table-slots.svg")).unwrap();
    let tips: Vec<&str> = svg.split("<title>").skip(1).map(|rest| rest.split("</title>").next().unwrap()).collect();
    let expected = ["table.slots 1: 0.700", "table.slots 2: 0.800", "table.slots 4: 1.000"];
    assert_eq!(tips.len(), 3, "{tips:?}");
    assert!(tips.iter().zip(expected).all(|(tip, start)| tip.contains(start)), "{tips:?}");
}

/// An interval that excludes 1 refers to one pressure only; whether the winner is called better
/// depends on the p that is corrected for all pressures.
#[test]
fn tune_page_marks_only_significant_ratios() {
    let is_marked = |p: f64| {
        let (folder, mut tuned) = (scratch(), tuned());
        tuned.held_out_results[0].p = p;
        let (page, _) = write_page(folder.path(), &tuned, &["as the file has it", "table.size=64 KiB"]);
        page.contains("**0.8500**")
    };
    assert!(is_marked(0.012));
    assert!(is_marked(0.049));
    assert!(!is_marked(0.05));
    assert!(!is_marked(0.2));
}
