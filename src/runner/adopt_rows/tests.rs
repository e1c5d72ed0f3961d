//! Runs plans one after another in the same folder.

use super::*;
use crate::record::columns;
use crate::record::manifest::Shard;
use crate::runner::session::{Session, Settings};
use crate::runner::{RunSummary, Shards, progress};
use csv::StringRecord;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt, SeedableRng};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The number of folders of a test; in each of them, several plans are run one after another.
const TURNS: usize = 12;

pub const SUITE: &str = "8/8/8/3k4/8/3K4/4P3/8 w - - bm e3; id \"a\";\n8/5k2/8/8/2R5/8/3K4/8 b - - id \"b\";\n\
                     r3k2r/8/8/8/8/8/8/R3K2R w KQkq - am O-O; id \"c\";\n4k3/8/8/8/8/8/4P3/4K3 w - - id \"d\";\n";

pub fn experiment(folder: &Path, text: &str, suite: &str) -> Experiment {
    fs::write(folder.join("own.epd"), suite).unwrap();
    Experiment::parse(text, &folder.join("own.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}\n{text}"))
}

pub fn run(experiment: &Experiment, out: &Path, settings: Settings) -> (Option<ReuseSummary>, RunSummary) {
    let (plan, stop) = (Plan::new(experiment), AtomicBool::new(false));
    let settings = Settings { jobs: 2, ..settings };
    let session = Session::begin(experiment, &plan, out, settings, &stop).unwrap_or_else(|error| panic!("{error}"));
    let summary = session.run(&stop, &progress::Quiet).unwrap_or_else(|error| panic!("{error}"));
    (session.adopted_rows, summary)
}

/// Runs an experiment; the message if the run fails.
pub fn run_error(experiment: &Experiment, out: &Path, settings: Settings) -> Option<String> {
    let (plan, stop) = (Plan::new(experiment), AtomicBool::new(false));
    let settings = Settings { jobs: 2, ..settings };
    let session = Session::begin(experiment, &plan, out, settings, &stop);
    session.and_then(|session| session.run(&stop, &progress::Quiet)).err().map(|error| error.to_string())
}

/// All fields of the header and of all rows, except the seconds.
pub fn rows(out: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(out.join(record::RESULTS)).unwrap();
    let header = reader.headers().unwrap().clone();
    let seconds = header.iter().position(|name| name == columns::SECONDS);
    let fields = |row: &StringRecord| {
        row.iter().enumerate().filter(|(index, _)| Some(*index) != seconds).map(|(_, field)| field.to_owned()).collect()
    };
    [header.clone()].into_iter().chain(reader.records().map(Result::unwrap)).map(|row| fields(&row)).collect()
}

fn job_ids(experiment: &Experiment) -> HashSet<u64> {
    let plan = Plan::new(experiment);
    plan.jobs().map(|job| plan.job_id(&job)).collect()
}

/// A random experiment made from a small set of options.
fn random_text(random: &mut impl Rng) -> String {
    let mut sample = |values: &[&str]| {
        let count = random.random_range(1..=values.len());
        values.sample(random, count).copied().collect::<Vec<_>>().join(", ")
    };
    let sizes = sample(&["64", "256", "1024"]);
    let policies = sample(&["'always'", "'depth-preferred'"]);
    let mut pick = |values: &[&'static str]| *values.choose(random).unwrap_or(&"");
    let (name, depth, first) = (pick(&["one", "two"]), pick(&["2", "2", "2", "3"]), pick(&["2", "3", "4"]));
    let (seeds, repeats) = (pick(&["1", "1", "2"]), pick(&["1", "1", "2"]));
    let sequence = pick(&["", "", "", "", "[sequence]\nself_play = 2\n", "[sequence]\nself_play = 3\nside = 'both'\n"]);
    let variant = pick(&[
        "",
        "[[variant]]\nname = 'none'\ntable = 'none'\n",
        "[[variant]]\nname = 'kept'\n'table.clear' = 'never'\n",
        "[[variant]]\nname = 'full'\ndiagnostics = 'full'\n",
        "[[variant]]\nname = 'all'\n'table.kind' = 'unbounded'\n",
    ]);
    format!(
        "name = '{name}'\nsuite = 'own.epd'\nfirst = {first}\nlimit = {{ depth = {depth} }}\nseeds = {seeds}\nrepeats = {repeats}\n\
         {sequence}[grid]\n'table.size' = [{sizes}]\n'table.policy' = [{policies}]\n{variant}"
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
            (reused, searched) = (reused + summary.before, searched + summary.done);
            known_ids.extend(ids);
            let verified = crate::runner::verify::verify(&out).unwrap();
            assert_eq!(verified.state, crate::runner::verify::FolderState::Complete, "{verified:?}");
        }
    }
    assert!(reused > 60, "{reused} {searched}");
    assert!(searched > 60, "{reused} {searched}");
}

/// An edited row only costs its own job; a copy of the file is kept.
#[test]
fn damaged_rows_are_reported_and_not_used() {
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
    let manifest = crate::runner::manifest(&grown, &plan, 1, None);
    let (surveyed, _) = crate::runner::sources::survey((&grown, &plan), &out, &manifest, &[]).unwrap();
    let (known, summary) = run(&grown, &out, Settings::default());
    let known = known.unwrap();
    assert_eq!((known.found_jobs, known.all_jobs, summary.before), (6, 12, 6));
    assert_eq!(surveyed, ReuseSummary { copy: None, ..known.clone() });
    assert!(!known.damaged.is_empty(), "{known:?}");
    assert!(known.damaged[0].contains("results.csv: line "), "{known:?}");
    assert_eq!(fs::read_to_string(known.copy.unwrap()).unwrap(), lines.join("\n") + "\n");
    let new = temporary.path().join("new");
    run(&grown, &new, Settings::default());
    assert_eq!(rows(&out), rows(&new));
}

#[test]
fn unused_rows_are_used_again_and_deleted_with_fresh() {
    let temporary = tempfile::tempdir().unwrap();
    let out = temporary.path().join("out");
    let text = |plan: &str| format!("name = 'x'\nsuite = 'own.epd'\nlimit = {{ depth = 2 }}\n{plan}");
    let plans = ["[grid]\n'table.size' = [64, 256]\n", "[grid]\n'table.policy' = ['always', 'big1']\n", "first = 1\n"];
    // The number of jobs that needed no search.
    let reused_jobs = |plan: &str, settings: Settings| {
        let (_, summary) = run(&experiment(temporary.path(), &text(plan), SUITE), &out, settings);
        summary.before
    };
    assert_eq!([0, 1, 2].map(|index| reused_jobs(plans[index], Settings::default())), [0, 0, 1], "the default table");
    assert_eq!(unused_files(&out).len(), 2, "one for each header");
    assert_eq!([0, 1, 2].map(|index| reused_jobs(plans[index], Settings::default())), [8, 8, 1]);
    // A line that is not a row stays in the file of unused rows.
    let unused = unused_files(&out).remove(0);
    let text = fs::read_to_string(&unused).unwrap() + "no row\n";
    fs::write(&unused, &text).unwrap();
    assert_eq!(reused_jobs(plans[1], Settings::default()), 8);
    assert!(fs::read_to_string(&unused).unwrap().starts_with(&text));
    assert_eq!(reused_jobs(plans[0], Settings { fresh: true, ..Settings::default() }), 0);
    assert_eq!(unused_files(&out), Vec::<PathBuf>::new());
}

/// If only the name, the question or the order changes, nothing is searched.
#[test]
fn other_names_cost_no_search() {
    let temporary = tempfile::tempdir().unwrap();
    let out = temporary.path().join("out");
    let text = |name: &str, variants: [&str; 2]| {
        let variant = |(name, size): (&str, u32)| format!("[[variant]]\nname = '{name}'\n'table.size' = {size}\n");
        let variants = variants.into_iter().zip([64, 256]).map(variant).collect::<String>();
        format!("name = '{name}'\nquestion = '{name}?'\nsuite = 'own.epd'\nlimit = {{ depth = 2 }}\n{variants}")
    };
    let reused_jobs = |text: &str| {
        let (_, summary) = run(&experiment(temporary.path(), text, SUITE), &out, Settings::default());
        summary.before
    };
    assert_eq!(reused_jobs(&text("one", ["a", "b"])), 0);
    assert_eq!(reused_jobs(&text("two", ["a", "b"])), 8);
    assert_eq!(reused_jobs(&text("two", ["b", "a"])), 8, "names are exchanged");
    assert!(rows(&out)[1..].iter().all(|row| row[1] == "two"), "the experiment's name");
}

/// Stops a run after this number of jobs.
struct StopAfter {
    jobs: AtomicU64,
    stop: AtomicBool,
}

impl progress::Progress for StopAfter {
    fn end_job(&self, _: Option<String>) {
        if self.jobs.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Interrupts a run after a number of jobs, and cuts off part of its last row.
fn interrupt(experiment: &Experiment, out: &Path, settings: Settings, jobs: u64) {
    let (plan, progress) = (Plan::new(experiment), StopAfter { jobs: jobs.into(), stop: false.into() });
    let session = Session::begin(experiment, &plan, out, Settings { jobs: 2, ..settings }, &progress.stop);
    let summary = session.unwrap().run(&progress.stop, &progress).unwrap();
    if summary.done > 0 {
        let path = out.join(record::RESULTS);
        let text = fs::read(&path).unwrap();
        fs::write(&path, &text[..text.len() - 9]).unwrap();
    }
}

/// Random plans are run one after another in the folders of several shards, which are interrupted,
/// run again in any order, and merged into one folder.
#[test]
fn interrupted_shards_of_changing_plans_merge_to_the_rows_of_a_new_folder() {
    let mut random = rand_pcg::Pcg64::seed_from_u64(11);
    let (mut reused, mut interrupted) = (0, 0);
    for turn in 0..TURNS / 2 {
        let temporary = tempfile::tempdir().unwrap();
        let [out, new] = ["out", "new"].map(|name| temporary.path().join(name));
        let count = random.random_range(2..=4);
        for step in 0..3 {
            let text = random_text(&mut random);
            let experiment = experiment(temporary.path(), &text, SUITE);
            let plan = Plan::new(&experiment);
            let mut folders: Vec<_> =
                (0..count).map(|index| (index, out.join("shards").join(index.to_string()))).collect();
            folders.shuffle(&mut random);
            for (index, folder) in &folders {
                let shard = Some(Shard { index: *index, count });
                let settings = || Settings { shard, ..Settings::default() };
                if random.random_bool(0.4) {
                    interrupt(&experiment, folder, settings(), random.random_range(1..=3));
                    interrupted += 1;
                }
                reused += run(&experiment, folder, settings()).1.before;
            }
            let shards = Shards { experiment: &experiment, plan: &plan, shard_count: count, folders };
            shards.merge(&Output::open(&out).unwrap(), false).unwrap_or_else(|error| panic!("{error}"));
            run(&experiment, &new, Settings { fresh: true, ..Settings::default() });
            assert_eq!(rows(&out), rows(&new), "turn {turn}, step {step}: {text}");
        }
    }
    assert!(reused > 30, "{reused} {interrupted}");
    assert!(interrupted > 12, "{reused} {interrupted}");
}

/// Rows are taken from a source that another process is writing, and the source is not changed.
#[test]
fn complete_jobs_are_taken_from_a_source_without_changing_it() {
    let temporary = tempfile::tempdir().unwrap();
    let [source, out, new] = ["source", "out", "new"].map(|name| temporary.path().join(name));
    let text = |sizes: &str| {
        format!("name = 'x'\nsuite = 'own.epd'\nlimit = {{ depth = 2 }}\n[grid]\n'table.size' = [{sizes}]\n")
    };
    run(&experiment(temporary.path(), &text("64, 256"), SUITE), &source, Settings::default());
    let path = source.join(record::RESULTS);
    // The last job has its first row and part of the second.
    let whole = fs::read(&path).unwrap();
    let line_ends: Vec<usize> = (0..whole.len()).filter(|&index| whole[index] == b'\n').collect();
    fs::write(&path, &whole[..line_ends[line_ends.len() - 2] + 20]).unwrap();
    let lock = Output::open(&source).unwrap();
    let files = || {
        let entries = fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| (fs::read(&path).unwrap(), path)).collect::<HashSet<_>>()
    };
    let before = files();
    let grown = experiment(temporary.path(), &text("64, 256, 1024"), SUITE);
    let reuse = vec![source.display().to_string()];
    let (_, summary) = run(&grown, &out, Settings { reuse: reuse.clone(), ..Settings::default() });
    assert_eq!((summary.before, summary.done), (7, 5));
    assert!(files() == before, "the source was changed");
    drop(lock);
    run(&grown, &new, Settings::default());
    assert_eq!(rows(&out), rows(&new));
    // Another format is refused with both versions.
    let path = source.join("manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    manifest["schema"] = 2.into();
    manifest.as_object_mut().unwrap().remove("manifest_seal");
    fs::write(&path, manifest.to_string()).unwrap();
    let error = run_error(&grown, &new, Settings { reuse, ..Settings::default() }).unwrap();
    assert!(error.contains("a manifest of schema 2, but this ttlab reads schema 3"), "{error}");
}
