//! Plans that follow each other in one folder.

use super::*;
use crate::record::columns;
use crate::runner::session::{Session, Settings};
use crate::runner::{RunSummary, progress};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Folders, in each of which four plans follow each other.
const TURNS: usize = 12;

const SUITE: &str = "8/8/8/3k4/8/3K4/4P3/8 w - - bm e3; id \"a\";\n8/5k2/8/8/2R5/8/3K4/8 b - - id \"b\";\n\
                     r3k2r/8/8/8/8/8/8/R3K2R w KQkq - am O-O; id \"c\";\n4k3/8/8/8/8/8/4P3/4K3 w - - id \"d\";\n";

fn experiment(folder: &Path, text: &str, suite: &str) -> Experiment {
    fs::write(folder.join("own.epd"), suite).unwrap();
    Experiment::parse(text, &folder.join("own.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}\n{text}"))
}

fn run(experiment: &Experiment, out: &Path, settings: Settings) -> (Option<Known>, RunSummary) {
    let (plan, stop) = (Plan::new(experiment), AtomicBool::new(false));
    let settings = Settings { jobs: 2, ..settings };
    let session = Session::begin(experiment, &plan, out, settings, &stop).unwrap_or_else(|error| panic!("{error}"));
    let summary = session.run(&stop, &progress::Quiet).unwrap_or_else(|error| panic!("{error}"));
    (session.known, summary)
}

/// All fields of all rows but the seconds.
fn rows(out: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(out.join(record::RESULTS)).unwrap();
    let header = reader.headers().unwrap().clone();
    let seconds = header.iter().position(|name| name == columns::SECONDS);
    let fields = |row: &StringRecord| {
        row.iter().enumerate().filter(|(at, _)| Some(*at) != seconds).map(|(_, field)| field.to_owned()).collect()
    };
    [header.clone()].into_iter().chain(reader.records().map(Result::unwrap)).map(|row| fields(&row)).collect()
}

fn job_ids(experiment: &Experiment) -> HashSet<u64> {
    let plan = Plan::new(experiment);
    plan.jobs().map(|job| plan.job_id(&job)).collect()
}

/// An experiment of a small vocabulary.
fn random_text(random: &mut impl Rng) -> String {
    let mut some = |all: &[&str]| {
        let count = random.random_range(1..=all.len());
        all.sample(random, count).copied().collect::<Vec<_>>().join(", ")
    };
    let sizes = some(&["64", "256", "1024"]);
    let policies = some(&["'always'", "'depth-preferred'"]);
    let mut pick = |all: &[&'static str]| *all.choose(random).unwrap_or(&"");
    let (name, depth, first) = (pick(&["one", "two"]), pick(&["2", "2", "2", "3"]), pick(&["2", "3", "4"]));
    let (seeds, repeats) = (pick(&["1", "1", "2"]), pick(&["1", "1", "2"]));
    let sequence = pick(&["", "", "", "", "[sequence]\nself_play = 2\n", "[sequence]\nself_play = 3\nside = 'both'\n"]);
    let more = pick(&[
        "",
        "[[variant]]\nname = 'none'\ntable = 'none'\n",
        "[[variant]]\nname = 'kept'\n'table.clear' = 'never'\n",
        "[[variant]]\nname = 'full'\ndiagnostics = 'full'\n",
        "[[variant]]\nname = 'all'\n'table.kind' = 'unbounded'\n",
    ]);
    format!(
        "name = '{name}'\nsuite = 'own.epd'\nfirst = {first}\nlimit = {{ depth = {depth} }}\nseeds = {seeds}\nrepeats = {repeats}\n\
         {sequence}[grid]\n'table.size' = [{sizes}]\n'table.policy' = [{policies}]\n{more}"
    )
}

#[test]
fn any_plan_after_any_other_has_the_rows_of_a_new_folder() {
    let mut random = rand_pcg::Pcg64::seed_from_u64(7);
    let (mut reused, mut searched) = (0, 0);
    for turn in 0..TURNS {
        let temporary = tempfile::tempdir().unwrap();
        let (out, new) = (temporary.path().join("out"), temporary.path().join("new"));
        let mut known_ids = HashSet::new();
        let mut lines: Vec<&str> = SUITE.lines().collect();
        for step in 0..4 {
            let text = random_text(&mut random);
            // Positions in another order, one of them under another name.
            if random.random_bool(0.3) {
                lines.rotate_left(1);
            }
            let suite =
                lines.join("\n").replace("id \"b\"", if random.random_bool(0.5) { "id \"b\"" } else { "id \"x\"" });
            let experiment = experiment(temporary.path(), &text, &suite);
            let (_, summary) = run(&experiment, &out, Settings::default());
            run(&experiment, &new, Settings { fresh: true, ..Settings::default() });
            assert_eq!(rows(&out), rows(&new), "turn {turn}, step {step}: {text}");
            let ids = job_ids(&experiment);
            let plan = Plan::new(&experiment);
            let expected = plan.jobs().filter(|job| known_ids.contains(&plan.job_id(job))).count() as u64;
            assert_eq!(summary.before, expected, "turn {turn}, step {step}: {text}");
            (reused, searched) = (reused + summary.before, searched + summary.done - summary.before);
            known_ids.extend(ids);
            let verified = crate::runner::verify::verify(&out).unwrap();
            assert_eq!(verified.state, crate::runner::verify::FolderState::Whole, "{verified:?}");
        }
    }
    assert!(reused > 60 && searched > 60, "{reused} {searched}");
}

/// An edited row costs its own job alone; a copy of the file is kept.
#[test]
fn damaged_rows_are_not_used_and_named() {
    let temporary = tempfile::tempdir().unwrap();
    let out = temporary.path().join("out");
    let text = |sizes: &str| {
        format!("name = 'x'\nsuite = 'own.epd'\nlimit = {{ depth = 2 }}\n[grid]\n'table.size' = [{sizes}]\n")
    };
    run(&experiment(temporary.path(), &text("64, 256"), SUITE), &out, Settings::default());
    let path = out.join(record::RESULTS);
    let whole = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
    lines[3] = lines[3].replace("size=", "sise=");
    lines[8] = lines[8].replacen(",2,", ",3,", 1);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let grown = experiment(temporary.path(), &text("64, 256, 1024"), SUITE);
    let plan = Plan::new(&grown);
    let own = crate::runner::manifest(&grown, &plan, 1, None);
    let survey = crate::runner::sources::survey((&grown, &plan), &out, &own, &[]).unwrap().0;
    let (known, summary) = run(&grown, &out, Settings::default());
    let known = known.unwrap();
    assert_eq!((known.jobs, known.all, summary.before), (6, 12, 6));
    assert_eq!(survey, Known { saved: None, ..known.clone() });
    assert!(!known.damaged.is_empty() && known.damaged[0].contains("results.csv: line "), "{known:?}");
    assert_eq!(fs::read_to_string(known.saved.unwrap()).unwrap(), lines.join("\n") + "\n");
    let new = temporary.path().join("new");
    run(&grown, &new, Settings::default());
    assert_eq!(rows(&out), rows(&new));
}

#[test]
fn rows_come_back_from_unused_and_go_with_fresh() {
    let temporary = tempfile::tempdir().unwrap();
    let out = temporary.path().join("out");
    let text = |rest: &str| format!("name = 'x'\nsuite = 'own.epd'\nlimit = {{ depth = 2 }}\n{rest}");
    let plans = ["[grid]\n'table.size' = [64, 256]\n", "[grid]\n'table.policy' = ['always', 'big1']\n", "first = 1\n"];
    let before = |rest: &str, settings: Settings| {
        run(&experiment(temporary.path(), &text(rest), SUITE), &out, settings).1.before
    };
    assert_eq!([0, 1, 2].map(|at| before(plans[at], Settings::default())), [0, 0, 1], "the default table");
    assert_eq!(unused_files(&out).len(), 2, "one for each header");
    assert_eq!([0, 1, 2].map(|at| before(plans[at], Settings::default())), [8, 8, 1]);
    // A line in it that cannot be read stays where it is.
    let unused = unused_files(&out).remove(0);
    let text = fs::read_to_string(&unused).unwrap() + "no row\n";
    fs::write(&unused, &text).unwrap();
    assert_eq!(before(plans[1], Settings::default()), 8);
    assert!(fs::read_to_string(&unused).unwrap().starts_with(&text));
    assert_eq!(before(plans[0], Settings { fresh: true, ..Settings::default() }), 0);
    assert_eq!(unused_files(&out), Vec::<PathBuf>::new());
}

/// Where the name, the question or the order changes, nothing is searched.
#[test]
fn other_names_cost_no_search() {
    let temporary = tempfile::tempdir().unwrap();
    let out = temporary.path().join("out");
    let text = |name: &str, variants: [&str; 2]| {
        let variant = |(name, size): (&str, u32)| format!("[[variant]]\nname = '{name}'\n'table.size' = {size}\n");
        let variants = variants.into_iter().zip([64, 256]).map(variant).collect::<String>();
        format!("name = '{name}'\nquestion = '{name}?'\nsuite = 'own.epd'\nlimit = {{ depth = 2 }}\n{variants}")
    };
    let before = |text: &str| run(&experiment(temporary.path(), text, SUITE), &out, Settings::default()).1.before;
    assert_eq!(before(&text("one", ["a", "b"])), 0);
    assert_eq!(before(&text("two", ["a", "b"])), 8);
    assert_eq!(before(&text("two", ["b", "a"])), 8, "names are exchanged");
    assert!(rows(&out)[1..].iter().all(|row| row[1] == "two"), "the experiment's name");
}
