//! Runs of six searches in this process, against what stands in their folders.

use super::*;
use crate::record::columns;
use crate::record::manifest::Manifest;
use crate::runner::Done;
use std::path::PathBuf;

/// Three positions under two tables: six jobs.
pub const SIX: &str = "name = 'six'\nsuite = 'three.epd'\nlimit = { depth = 2 }\n[grid]\n'table.size' = [64, 256]\n";

/// Reads an experiment whose suite of three positions is written to a folder.
pub fn experiment(folder: &Path, text: &str) -> Experiment {
    let suite = "8/8/8/3k4/8/3K4/4P3/8 w - - id \"a\";\n8/5k2/8/8/2R5/8/3K4/8 b - - id \"b\";\n\
                 r3k2r/8/8/8/8/8/8/R3K2R w KQkq - id \"c\";\n";
    std::fs::write(folder.join("three.epd"), suite).unwrap();
    Experiment::parse(text, &folder.join("six.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
}

/// What a run told.
#[derive(Default)]
struct Told {
    begun: Mutex<Vec<(u64, u64)>>,
    jobs: Mutex<BTreeSet<(String, String)>>,
    done: Mutex<u64>,
    ended: Mutex<Vec<u64>>,
    /// After so many jobs the run is stopped from outside.
    stop: Option<(u64, AtomicBool)>,
}

impl Progress for Told {
    fn begin(&self, all: u64, before: u64, _: &Done) {
        lock(&self.begun).push((all, before));
    }
    fn job(&self, variant: &str, item: &str) {
        lock(&self.jobs).insert((variant.to_owned(), item.to_owned()));
    }
    fn done(&self) {
        *lock(&self.done) += 1;
        if let Some((after, stop)) = &self.stop
            && *lock(&self.done) == *after
        {
            stop.store(true, Ordering::Relaxed);
        }
    }
    fn end(&self, ran: &Ran) {
        lock(&self.ended).push(ran.done);
    }
}

/// Runs a plan in a folder, and tells of it.
pub fn run(experiment: &Experiment, folder: &Path, settings: Settings) -> Ran {
    told(experiment, folder, settings, &Told::default())
}

fn told(experiment: &Experiment, folder: &Path, settings: Settings, told: &Told) -> Ran {
    let (plan, never) = (Plan::new(experiment), AtomicBool::new(false));
    let stop = told.stop.as_ref().map_or(&never, |(_, stop)| stop);
    let session = Session::begin(experiment, &plan, folder, settings, stop).unwrap();
    session.run(stop, told).unwrap()
}

/// Variant, position and nodes of each row, in the order of the file.
pub fn rows(folder: &Path) -> Vec<[String; 3]> {
    let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|column| column == name).unwrap();
    let places = [columns::VARIANT, columns::POSITION, columns::NODES].map(place);
    let line = |row: csv::StringRecord| places.map(|at| row[at].to_owned());
    reader.records().map(|row| line(row.unwrap())).collect()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let temporary = tempfile::tempdir().unwrap();
    let out = temporary.path().join("out");
    (temporary, out)
}

/// Every job is told once and has the rows of its two depths; a second session finds all six and does none.
#[test]
fn a_run_tells_each_job_once_and_what_is_done_is_done() {
    let (temporary, out) = folder();
    let experiment = experiment(temporary.path(), SIX);
    let first = Told::default();
    let ran = told(&experiment, &out, Settings { jobs: 2, ..Settings::default() }, &first);
    assert_eq!((ran.before, ran.done, ran.failed, ran.spared, ran.interrupted), (0, 6, 0, 0, false));
    assert_eq!(
        (lock(&first.begun).clone(), *lock(&first.done), lock(&first.ended).clone()),
        (vec![(6, 0)], 6, vec![6])
    );
    let items: Vec<String> = lock(&first.jobs).iter().map(|(_, item)| item.clone()).collect();
    assert_eq!((lock(&first.jobs).len(), items.iter().filter(|item| item.as_str() == "b").count()), (6, 2));
    let kept = rows(&out);
    assert_eq!(kept.len(), 12);

    let second = Told::default();
    let ran = told(&experiment, &out, Settings { jobs: 1, ..Settings::default() }, &second);
    assert_eq!((ran.before, ran.done, ran.interrupted), (6, 0, false));
    assert_eq!((lock(&second.begun).clone(), *lock(&second.done)), (vec![(6, 6)], 0));
    assert_eq!(rows(&out), kept);

    let fresh = run(&experiment, &out, Settings { jobs: 1, fresh: true, ..Settings::default() });
    assert_eq!((fresh.before, fresh.done), (0, 6));
    assert_eq!(rows(&out), kept, "and the same counts again");
}

/// What was finished when a run was stopped is kept, and only the rest is run.
#[test]
fn a_run_that_was_stopped_goes_on_where_it_was() {
    let (temporary, out) = folder();
    let experiment = experiment(temporary.path(), SIX);
    let one = || Settings { jobs: 1, ..Settings::default() };
    let stopped = Told { stop: Some((2, AtomicBool::new(false))), ..Told::default() };
    let ran = told(&experiment, &out, one(), &stopped);
    assert!(ran.interrupted && ran.done == 2, "{ran:?}");
    assert_eq!(rows(&out).len(), 4);
    // Stopped when nothing was left to do: it has ended as any other.
    let late = Told { stop: Some((4, AtomicBool::new(false))), ..Told::default() };
    let ran = told(&experiment, &out, one(), &late);
    assert_eq!((ran.before, ran.done, ran.interrupted), (2, 4, false));
    let manifest = Manifest::read(&out).unwrap().unwrap();
    let stretches: Vec<_> = manifest.history().into_iter().map(|one| (one.done, one.made)).collect();
    assert_eq!(stretches, [(Some(2), Some(Jobs([0, 1].into()))), (Some(4), None)], "whose rows are whose");
    let whole = temporary.path().join("whole");
    let ran = run(&experiment, &whole, Settings::default());
    assert_eq!((ran.done, ran.interrupted), (6, false), "where nobody says how many at a time it is one");
    assert_eq!(rows(&out), rows(&whole));
}

/// A run's manifest stands before its first row, and says whose jobs the rows are.
#[test]
fn a_shard_runs_its_own_jobs_alone() {
    let (temporary, out) = folder();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let split = Split::new(&plan, 2);
    for index in 0..2 {
        let folder = out.join(index.to_string());
        let ran =
            run(&experiment, &folder, Settings { jobs: 1, shard: Some(Shard { index, of: 2 }), ..Settings::default() });
        let mine: BTreeSet<[String; 2]> = plan
            .jobs()
            .filter(|job| split.shard_of(&plan, job) == index)
            .map(|job| [plan.variants[job.variant].name.clone(), experiment.suite.items[job.item].id.clone()])
            .collect();
        let found: BTreeSet<[String; 2]> = rows(&folder).into_iter().map(|[variant, id, _]| [variant, id]).collect();
        assert_eq!((ran.done, found), (mine.len() as u64, mine));
    }
}
