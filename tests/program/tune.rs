//! Tuning: races over synthetic objectives with known truth, and the command from end to end.

use crate::common::scratch;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use ttlab::internals::analysis::questions::race::{Confirmation, Contest, Objective, RaceResult, RaceStage, run_race};
use ttlab::internals::analysis::questions::samples::Measurements;
use ttlab::internals::experiment::{Goal, Tune};

/// The cost of a candidate on an item is the item's size, times the candidate's factor, times the
/// noise of this item and candidate, times the noise of each search.
struct Synthetic {
    factors: Vec<f64>,
    noise: f64,
    seed: u64,
    searches: usize,
    calls: Vec<(RaceStage, Vec<usize>, usize)>,
}

impl Synthetic {
    fn new(factors: &[f64], noise: f64, seed: u64) -> Self {
        Self { factors: factors.to_vec(), noise, seed, searches: 3, calls: Vec::new() }
    }
}

/// An approximately normal deviate: the sum of twelve uniform ones.
fn deviate(random: &mut Pcg64) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}

impl Objective for Synthetic {
    type Error = Infallible;

    fn measure(&mut self, stage: RaceStage, candidates: &[usize], items: &[usize]) -> Result<Measurements, Infallible> {
        self.calls.push((stage, candidates.to_vec(), items.len()));
        let mut measurements = Measurements { items: Vec::new(), values: vec![Vec::new(); candidates.len()] };
        for &item in items {
            for search in 0..self.searches as u64 {
                measurements.items.push(item as u32);
                for (column, &candidate) in candidates.iter().enumerate() {
                    let seed = self.seed << 32 ^ (item as u64) << 8 ^ candidate as u64;
                    let item_noise = deviate(&mut Pcg64::seed_from_u64(seed));
                    let search_noise = deviate(&mut Pcg64::seed_from_u64(seed ^ (search + 1) << 56));
                    let size = 1000.0 * (1.0 + item as f64);
                    let value = size * self.factors[candidate] * (self.noise * (item_noise + search_noise)).exp();
                    measurements.values[column].push(value);
                }
            }
        }
        Ok(measurements)
    }
}

fn race(objective: &mut Synthetic, baseline: usize, items: usize, options: &Tune) -> RaceResult {
    let question = Contest { candidates: objective.factors.len(), baseline, items, tune: options };
    run_race(&question, objective, &mut |_| {}).unwrap()
}

/// A planted optimum is found and confirmed. Candidates far from it are dropped early, and the race
/// costs less than half of the full grid.
#[test]
fn tune_finds_a_planted_optimum() {
    let factors: Vec<f64> = (0..12).map(|index| 1.0 + 0.01 * f64::from(index - 7i32).powi(2)).collect();
    for seed in 0..5 {
        let mut objective = Synthetic::new(&factors, 0.02, seed);
        let tuned = race(&mut objective, 0, 160, &Tune::default());
        assert!([6, 7, 8].contains(&tuned.winner), "seed {seed}: {}", tuned.winner);
        let held_out = tuned.held_out_result.unwrap();
        assert_eq!((held_out.confirmation, tuned.against), (Confirmation::Better, 0), "seed {seed}");
        assert!(tuned.candidates[7].dropped.is_none(), "seed {seed}: the best was dropped");
        assert!(tuned.candidates[1].dropped == Some(0), "seed {seed}");
        assert!(tuned.candidates[2].dropped == Some(0), "seed {seed}");
        let true_ratio = factors[tuned.winner] / factors[0];
        assert!((held_out.test.mean / true_ratio - 1.0).abs() < 0.02, "{} for {true_ratio}", held_out.test.mean);
        let requested: usize = objective.calls.iter().map(|(_, candidates, items)| candidates.len() * items).sum();
        assert!(requested * 2 < 12 * 160, "{requested}");
    }
}

/// If the baseline is the best, it wins and is tested against the second best.
#[test]
fn tune_keeps_a_baseline_that_is_best() {
    let tuned = race(&mut Synthetic::new(&[1.1, 1.0, 1.08, 1.3], 0.02, 5), 1, 80, &Tune::default());
    assert_eq!(
        (tuned.winner, tuned.against, tuned.held_out_result.unwrap().confirmation),
        (1, 2, Confirmation::Better)
    );
}

#[test]
fn tune_maximises_if_the_goal_is_most() {
    let options = Tune { goal: Goal::Most, ..Tune::default() };
    let tuned = race(&mut Synthetic::new(&[1.0, 1.2, 0.9, 1.1], 0.02, 9), 0, 80, &options);
    assert_eq!((tuned.winner, tuned.held_out_result.unwrap().confirmation), (1, Confirmation::Better));
    assert!(tuned.candidates[2].dropped.is_some());
}

/// If candidates differ only by noise, findings are no more frequent than alpha, nor are drops of a
/// best candidate (all of them are best). In 60 races the limit is 5 % plus four standard errors.
#[test]
fn tune_finds_differences_in_noise_at_most_at_its_level() {
    let (races, options) = (60, Tune { first: 8, ..Tune::default() });
    let (mut findings, mut drops) = (0, 0);
    for seed in 0..races {
        let tuned = race(&mut Synthetic::new(&[1.0; 5], 0.05, 1000 + seed), 0, 32, &options);
        findings += u32::from(tuned.held_out_result.unwrap().confirmation != Confirmation::Nothing);
        drops += u32::from(tuned.candidates[3].dropped.is_some());
    }
    let limit = |alpha: f64| (races as f64 * alpha + 4.0 * (races as f64 * alpha * (1.0 - alpha)).sqrt()) as u32;
    assert!(findings <= limit(options.alpha), "{findings} findings in {races} races");
    // This counts one fixed candidate; the others are compared with the luckiest of five.
    assert!(drops <= limit(options.alpha), "{drops} drops in {races} races");
}

/// An option without effect is reported as such, and nothing is spent on confirming it.
#[test]
fn tune_reports_an_option_without_effect() {
    let mut objective = Synthetic::new(&[1.0; 5], 0.0, 1);
    let tuned = race(&mut objective, 2, 40, &Tune::default());
    assert_eq!((tuned.held_out_result, tuned.winner), (None, 2));
    assert!(tuned.candidates.iter().all(|candidate| candidate.dropped.is_none()));
    assert!(objective.calls.iter().all(|(stage, ..)| matches!(stage, RaceStage::Race(_))));
}

/// The race never uses a held-out item, and no item twice.
#[test]
fn race_never_searches_held_out_items() {
    struct Recorder(Vec<(RaceStage, Vec<usize>)>);
    impl Objective for Recorder {
        type Error = Infallible;
        fn measure(
            &mut self,
            stage: RaceStage,
            candidates: &[usize],
            items: &[usize],
        ) -> Result<Measurements, Infallible> {
            self.0.push((stage, items.to_vec()));
            let values =
                |candidate: usize| items.iter().map(|&item| (100 + item + candidate * (item % 7)) as f64).collect();
            Ok(Measurements {
                items: items.iter().map(|&item| item as u32).collect(),
                values: candidates.iter().map(|&candidate| values(candidate)).collect(),
            })
        }
    }
    let mut recorder = Recorder(Vec::new());
    let options = Tune { held_out: 0.3, ..Tune::default() };
    let question = Contest { candidates: 3, baseline: 0, items: 101, tune: &options };
    let tuned = run_race(&question, &mut recorder, &mut |_| {}).unwrap();
    let items = |expected: fn(&RaceStage) -> bool| -> Vec<usize> {
        recorder.0.iter().filter(|(stage, _)| expected(stage)).flat_map(|(_, items)| items.clone()).collect()
    };
    let raced = items(|stage| matches!(stage, RaceStage::Race(_)));
    let held_out = items(|stage| *stage == RaceStage::HeldOut);
    assert_eq!(held_out.len(), 31, "thirty per cent, rounded up");
    assert_eq!(tuned.held_out, 31);
    let mut searched = [raced, held_out].concat();
    searched.sort_unstable();
    searched.dedup();
    assert_eq!(searched.len(), if tuned.rounds.len() > 3 { 101 } else { searched.len() });
    let raced_items: usize = tuned.rounds.iter().map(|round| round.items).sum();
    assert_eq!(searched.len(), raced_items + 31, "no item is in both");
}

// ---- The command ----

const TEXT: &str = "
suite = 'SUITE'
first = 24
limit = { depth = 3 }
sequence = { to = 24 }
baseline = { variant = 'factor=4' }
[engine]
table.clock = 'game-ply'
table.size = 256
table.policy = { kind = 'aged-depth', on = 'store' }
[grid]
'table.policy.factor' = [0, 1, 4, 16]
[tune]
first = 4
";

fn file(folder: &Path, text: &str) -> std::path::PathBuf {
    let path = folder.join("tuned.toml");
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/selfplay.pgn");
    fs::write(&path, text.replace("SUITE", suite.to_str().unwrap())).unwrap();
    path
}

fn ttlab(args: &[&str], file: &Path, out: &Path) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_ttlab"))
        .arg("tune")
        .arg(file)
        .arg("--out")
        .arg(out)
        .args(args)
        .output()
        .unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// The findings on the page, and the figure of the race.
fn findings(out: &Path) -> (Vec<String>, String) {
    let page = fs::read_to_string(out.join("report.md")).unwrap();
    let findings = page.lines().take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("- "));
    (findings.map(str::to_owned).collect(), fs::read_to_string(out.join("race.svg")).unwrap())
}

/// The result is the same with any number of jobs, and after a kill and a second call.
#[test]
fn tuning_is_independent_of_jobs_and_kills() {
    let folder = scratch();
    let file = file(folder.path(), TEXT);
    let out = |name: &str| folder.path().join(name);
    let (code, stdout, stderr) = ttlab(&["--jobs", "2"], &file, &out("two"));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("factor="), "{stdout}");
    assert!(stdout.contains("that the race never saw"), "{stdout}");
    assert_eq!(ttlab(&["--jobs", "1", "--quiet"], &file, &out("one")), (Some(0), String::new(), String::new()));
    assert_eq!(findings(&out("two")), findings(&out("one")));

    for pause in [30, 120, 400, 1000] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ttlab"))
            .arg("tune")
            .arg(&file)
            .args(["--jobs", "1", "--quiet", "--out"])
            .arg(out("killed"))
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(pause));
        let _ = child.kill();
        let _ = child.wait();
    }
    // `--retry-failed`: a job that was killed twice isn't quarantined here.
    let (code, _, stderr) = ttlab(&["--retry-failed"], &file, &out("killed"));
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(findings(&out("killed")), findings(&out("one")));
    // A finished tuning is read, not repeated.
    let (code, _, stderr) = ttlab(&[], &file, &out("killed"));
    assert_eq!(code, Some(0));
    assert!(stderr.contains("\n0 jobs in "), "{stderr}");
}

/// Key seeds and repeats are settings of the experiment as a whole: each stage of a race searches
/// each of its items once, with the unchanged keys.
#[test]
fn stage_searches_each_item_once_with_one_key_seed() {
    let folder = tempfile::tempdir().unwrap();
    let text = TEXT
        .replace("sequence = { to = 24 }\n", "sequence = { to = 24 }\nseeds = 3\nrepeats = 2\n")
        .replace("depth = 3", "depth = 2");
    let file = file(folder.path(), &text);
    let out = folder.path().join("out");
    let (code, _, stderr) = ttlab(&["--quiet"], &file, &out);
    assert_eq!(code, Some(0), "{stderr}");
    let mut reader = csv::Reader::from_path(out.join("race-1/results.csv")).unwrap();
    let rows: Vec<std::collections::BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert!(rows.iter().all(|row| row["repeat"] == "0"), "{:?}", rows[0]);
    let distinct_rows = |columns: &[&str]| {
        let values_of =
            |row: &std::collections::BTreeMap<String, String>| columns.iter().map(|name| row[*name].clone()).collect();
        rows.iter().map(values_of).collect::<std::collections::BTreeSet<Vec<String>>>().len()
    };
    // Four candidates and four games; no search occurs twice.
    assert_eq!((distinct_rows(&["variant"]), distinct_rows(&["game"])), (4, 4));
    assert_eq!(distinct_rows(&["variant", "position", "depth"]), rows.len());
    // Each stage's own folder uses the file's baseline, wherever that is among the candidates.
    for stage in ["race-1", "held-out"] {
        let manifest = fs::read_to_string(out.join(stage).join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        assert!(manifest["baseline"].as_str().unwrap().ends_with("factor=4"), "{stage}: {}", manifest["baseline"]);
    }
}

/// An option without effect: this policy ignores ages.
#[test]
fn tune_reports_equal_options_as_equal() {
    let folder = scratch();
    let text = TEXT
        .replace("baseline = { variant = 'factor=4' }\n", "")
        .replace("{ kind = 'aged-depth', on = 'store' }", "'always'")
        .replace("'table.policy.factor' = [0, 1, 4, 16]", "'table.clock' = ['search', 'iteration', 'game-ply']");
    let file = file(folder.path(), &text);
    let (code, stdout, stderr) = ttlab(&[], &file, &folder.path().join("out"));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("No difference shown: all 3 candidates gave the same nodes in every search"), "{stdout}");
}

#[test]
fn invalid_tune_section_is_refused() {
    let folder = scratch();
    for (old, new, expected) in [
        ("first = 4\n", "first = 4\nmetric = 'seconds'\n", "measured time"),
        ("first = 4\n", "first = 4\nmetric = 'nodez'\n", "did you mean"),
        ("first = 4\n", "first = 4\nmetric = 'loss'\n", "To judge moves, use `ttlab run`"),
        ("first = 4\n", "first = 1\n", "tune.first: 1 is out of range: expected at least 2"),
        ("first = 4\n", "held_out = 1.0\n", "tune.held_out: 1 is out of range"),
        ("first = 4\n", "frist = 4\n", "did you mean"),
        ("[0, 1, 4, 16]", "[4]", "a race needs at least two variants"),
        ("first = 24\n", "first = 3\n", "too few"),
        ("table.clock", "table.clear = 'never'\ntable.clock", "depend on earlier items"),
    ] {
        let text = TEXT.replace(old, new);
        assert_ne!(text, TEXT);
        let file = file(folder.path(), &text);
        let out = folder.path().join("out");
        let (code, _, stderr) = ttlab(&[], &file, &out);
        assert_eq!(code, Some(2), "{new}: {stderr}");
        assert!(stderr.contains(expected), "{new}: {stderr}");
        assert!(!out.join("race-1").exists(), "{new}: it was searched before it was refused");
    }
    // With a depth limit and a node limit together, not every search gets the same number of nodes.
    let two_limits =
        file(folder.path(), &TEXT.replace("depth = 3", "depth = 1, nodes = 5000").replace("first = 24", "first = 6"));
    let (code, _, stderr) = ttlab(&["--quiet"], &two_limits, &folder.path().join("both"));
    assert_eq!(code, Some(0), "{stderr}");
}
