//! Runs experiments of six searches in this process, and checks the files in their folders.

use super::*;
use crate::experiment::Split;
use crate::record::columns;
use crate::record::manifest::Manifest;
use crate::runner::{Done, lock};
use std::path::PathBuf;

/// Three positions with two tables: six jobs.
pub const SIX: &str = "name = 'six'\nsuite = 'three.epd'\nlimit = { depth = 2 }\n[grid]\n'table.size' = [64, 256]\n";

/// Parses an experiment, and writes its suite of three positions to the folder.
pub fn experiment(folder: &Path, text: &str) -> Experiment {
    let suite = "8/8/8/3k4/8/3K4/4P3/8 w - - id \"a\";\n8/5k2/8/8/2R5/8/3K4/8 b - - id \"b\";\n\
                 r3k2r/8/8/8/8/8/8/R3K2R w KQkq - id \"c\";\n";
    std::fs::write(folder.join("three.epd"), suite).unwrap();
    Experiment::parse(text, &folder.join("six.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"))
}

/// Records the progress of a run.
#[derive(Default)]
struct RunLog {
    begun: Mutex<Vec<(u64, u64)>>,
    jobs: Mutex<BTreeSet<(String, String)>>,
    done: Mutex<u64>,
    ended: Mutex<Vec<u64>>,
    /// Interrupts the run after this number of jobs.
    stop: Option<(u64, AtomicBool)>,
}

impl Progress for RunLog {
    fn begin(&self, all: u64, before: u64, _: &Done) {
        lock(&self.begun).push((all, before));
    }
    fn job(&self, variant: &str, item: &str) {
        lock(&self.jobs).insert((variant.to_owned(), item.to_owned()));
    }
    fn done(&self, _: Option<String>) {
        *lock(&self.done) += 1;
        if let Some((after, stop)) = &self.stop
            && *lock(&self.done) == *after
        {
            stop.store(true, Ordering::Relaxed);
        }
    }
    fn end(&self, ran: &RunSummary) {
        lock(&self.ended).push(ran.done);
    }
}

/// Runs a plan in a folder.
pub fn run(experiment: &Experiment, folder: &Path, settings: Settings) -> RunSummary {
    lines(experiment, folder, settings, &RunLog::default())
}

fn lines(experiment: &Experiment, folder: &Path, settings: Settings, lines: &RunLog) -> RunSummary {
    let (plan, never) = (Plan::new(experiment), AtomicBool::new(false));
    let stop = lines.stop.as_ref().map_or(&never, |(_, stop)| stop);
    let session = Session::begin(experiment, &plan, folder, settings, stop).unwrap();
    session.run(stop, lines).unwrap()
}

/// Variant, position and nodes of each row, in the order of the file.
pub fn rows(folder: &Path) -> Vec<[String; 3]> {
    let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|column| column == name).unwrap();
    let places = [columns::VARIANT, columns::POSITION, columns::NODES].map(place);
    let line = |row: csv::StringRecord| places.map(|index| row[index].to_owned());
    reader.records().map(|row| line(row.unwrap())).collect()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let temporary = tempfile::tempdir().unwrap();
    let out = temporary.path().join("out");
    (temporary, out)
}

/// A second session finds all six jobs done and runs none.
#[test]
fn run_reports_each_job_once_and_resumes_without_work() {
    let (temporary, out) = folder();
    let experiment = experiment(temporary.path(), SIX);
    let first = RunLog::default();
    let ran = lines(&experiment, &out, Settings { jobs: 2, ..Settings::default() }, &first);
    assert_eq!((ran.before, ran.done, ran.failed, ran.not_needed, ran.interrupted), (0, 6, 0, 0, false));
    assert_eq!(
        (lock(&first.begun).clone(), *lock(&first.done), lock(&first.ended).clone()),
        (vec![(6, 0)], 6, vec![6])
    );
    let items: Vec<String> = lock(&first.jobs).iter().map(|(_, item)| item.clone()).collect();
    assert_eq!((lock(&first.jobs).len(), items.iter().filter(|item| item.as_str() == "b").count()), (6, 2));
    let kept = rows(&out);
    assert_eq!(kept.len(), 12);
    let manifest = Manifest::read(&out).unwrap().unwrap();
    let sealed = crate::record::verify::verify(&out.join("results.csv"), None).unwrap();
    assert_eq!((manifest.rows, manifest.file_seal), (Some(12), Some(sealed.seals.file)), "what lies there is sealed");
    assert_eq!(manifest.column_seals, sealed.seals.columns);

    let second = RunLog::default();
    let ran = lines(&experiment, &out, Settings { jobs: 1, ..Settings::default() }, &second);
    assert_eq!((ran.before, ran.done, ran.interrupted), (6, 0, false));
    assert_eq!((lock(&second.begun).clone(), *lock(&second.done)), (vec![(6, 6)], 0));
    assert_eq!(rows(&out), kept);

    let fresh = run(&experiment, &out, Settings { jobs: 1, fresh: true, ..Settings::default() });
    assert_eq!((fresh.before, fresh.done), (0, 6));
    assert_eq!(rows(&out), kept, "and the same counts again");
}

#[test]
fn interrupted_run_resumes_with_the_remaining_jobs() {
    let (temporary, out) = folder();
    let experiment = experiment(temporary.path(), SIX);
    let one = || Settings { jobs: 1, ..Settings::default() };
    let stopped = RunLog { stop: Some((2, AtomicBool::new(false))), ..RunLog::default() };
    let ran = lines(&experiment, &out, one(), &stopped);
    assert!(ran.interrupted, "{ran:?}");
    assert_eq!(ran.done, 2, "{ran:?}");
    assert_eq!(rows(&out).len(), 4);
    let verdict = crate::runner::verify::verify(&out).unwrap();
    let left = "4 of 6 jobs are not done".to_owned();
    assert!(verdict.state == crate::runner::verify::FolderState::Missing, "{verdict:?}");
    assert!(verdict.lines.contains(&left), "{verdict:?}");
    // If interrupted when nothing remains to do, the run has ended normally.
    let late = RunLog { stop: Some((4, AtomicBool::new(false))), ..RunLog::default() };
    let ran = lines(&experiment, &out, one(), &late);
    assert_eq!((ran.before, ran.done, ran.interrupted), (2, 4, false));
    let manifest = Manifest::read(&out).unwrap().unwrap();
    assert!(manifest.history().iter().all(|one| one.ended.is_some_and(|ended| ended >= one.started)), "{manifest:?}");
    let stretches: Vec<_> = manifest.history().into_iter().map(|one| (one.done, one.jobs_written)).collect();
    assert_eq!(stretches, [(Some(2), Some(Jobs([0, 1].into()))), (Some(4), None)], "whose rows are whose");
    let whole = temporary.path().join("whole");
    let ran = run(&experiment, &whole, Settings::default());
    assert_eq!((ran.done, ran.interrupted), (6, false), "where nobody says how many at a time it is one");
    assert_eq!(rows(&out), rows(&whole));
}

/// The second shard is interrupted after one job and resumed; its manifest says which jobs each
/// segment ran.
#[test]
fn shard_runs_only_its_own_jobs() {
    let (temporary, out) = folder();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let split = Split::new(&plan, 2);
    for index in 0..2 {
        let folder = out.join(index.to_string());
        let settings = || Settings { jobs: 1, shard: Some(Shard { index, count: 2 }), ..Settings::default() };
        let mine: BTreeSet<[String; 2]> = plan
            .jobs()
            .filter(|job| split.shard_of(&plan, job) == index)
            .map(|job| [plan.variants[job.variant].name.clone(), experiment.suite.items[job.item].id.clone()])
            .collect();
        let before = if index == 1 { 1 } else { 0 };
        if before > 0 {
            let stopped = RunLog { stop: Some((before, AtomicBool::new(false))), ..RunLog::default() };
            assert!(lines(&experiment, &folder, settings(), &stopped).interrupted);
        }
        let ran = run(&experiment, &folder, settings());
        let found: BTreeSet<[String; 2]> = rows(&folder).into_iter().map(|[variant, id, _]| [variant, id]).collect();
        assert_eq!((ran.before, ran.before + ran.done, found), (before, mine.len() as u64, mine));
        let manifest = Manifest::read(&folder).unwrap().unwrap();
        assert!(manifest.calibration.is_some_and(|speed| speed > 0), "shards are compared by it");
        let history = manifest.history();
        assert_eq!(history[0].jobs_written, (before > 0).then(|| Jobs([0].into())), "by their number among its own");
        let verdict = crate::runner::verify::verify(&folder).unwrap();
        let whole = format!("every row belongs to the plan, and all {} jobs are done", ran.before + ran.done);
        assert!(verdict.state == crate::runner::verify::FolderState::Whole, "{verdict:?}");
        assert!(verdict.lines.contains(&whole), "{verdict:?}");
    }
}

/// Draws by length end a test with its first pair. A shard does not know the pairs of others, and
/// plays all of its own.
#[test]
fn shard_plays_all_pairs_despite_ended_tests() {
    let (temporary, out) = folder();
    let text = "name = 'm'\nsuite = 'three.epd'\nlimit = { depth = 1 }\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n\
        [match]\nmax_moves = 1\ntest = { elo0 = 0, elo1 = 300, alpha = 0.4, beta = 0.4 }\n";
    let experiment = experiment(temporary.path(), text);
    let whole = RunLog::default();
    let ran = lines(&experiment, &out.join("whole"), Settings { jobs: 1, ..Settings::default() }, &whole);
    assert_eq!((ran.not_needed, lock(&whole.jobs).len()), (2, 1), "a pair that is not needed is not begun");
    assert_eq!(Manifest::read(&out.join("whole")).unwrap().unwrap().jobs_not_needed, 2);
    let shard = Some(Shard { index: 0, count: 2 });
    let ran = run(&experiment, &out.join("0"), Settings { jobs: 1, shard, ..Settings::default() });
    assert_eq!((ran.done, ran.not_needed), (2, 0));
    let verdict = crate::runner::verify::verify(&out.join("0")).unwrap();
    let whole = "every row belongs to the plan, and all 2 jobs are done".to_owned();
    assert!(verdict.lines.contains(&whole), "{verdict:?}");
}

/// Some columns of each row, in the order of the file.
pub fn cells(folder: &Path, names: &[&str]) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let places: Vec<usize> =
        names.iter().map(|name| header.iter().position(|column| column == *name).unwrap()).collect();
    reader
        .records()
        .map(|row| row.unwrap())
        .map(|row| places.iter().map(|&index| row[index].to_owned()).collect())
        .collect()
}

/// Each of three positions has the same rows as in a suite of its own: with tables of a share, in
/// games, and with alternating engines.
#[test]
fn job_results_do_not_depend_on_earlier_jobs() {
    let temporary = tempfile::tempdir().unwrap();
    let shares = "name = 'x'\nsuite = 'three.epd'\nlimit = { depth = 3, nodes = 900 }\n[grid]\n'table.size' = ['50 %', '10 %']\n";
    let games = "name = 'x'\nsuite = 'three.epd'\nlimit = { depth = 2 }\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n\
                 'limit.depth' = 1\n'leaf' = 'static'\n[[variant]]\nname = 'c'\n'limit.nodes' = 70\n'algorithm' = 'minimax'\n[match]\nmax_moves = 3\n";
    let found: [&[&str]; 2] = [
        &[columns::POSITION, columns::VARIANT, columns::LIMIT, columns::DEPTH, columns::NODES, "slots"],
        &[
            columns::POSITION,
            columns::VARIANT,
            columns::LIMIT,
            columns::COLOUR,
            columns::NODES,
            columns::MOVES,
            columns::OPPONENT_NODES,
        ],
    ];
    for (text, names) in [shares, games].into_iter().zip(found) {
        let whole = experiment(temporary.path(), text);
        let settings = || Settings { jobs: 1, fresh: true, ..Settings::default() };
        let out = temporary.path().join("whole");
        assert_eq!(run(&whole, &out, settings()).failed, 0);
        let (all, mut alone) = (cells(&out, names), Vec::new());
        for item in &whole.suite.items {
            let line = format!(
                "{} id \"{}\";\n",
                item.board.fen(crate::chess::EpRule::Always).rsplitn(3, ' ').last().unwrap(),
                item.id
            );
            std::fs::write(temporary.path().join("one.epd"), line).unwrap();
            let text = text.replace("three", "one");
            let one =
                Experiment::parse(&text, &temporary.path().join("x.toml"), &[]).unwrap_or_else(|why| panic!("{why}"));
            let out = temporary.path().join("one");
            run(&one, &out, settings());
            alone.extend(cells(&out, names));
        }
        assert_eq!(all, alone);
        // Makes sure that the compared rows aren't empty.
        let limits: BTreeSet<&str> = all.iter().map(|row| row[2].as_str()).collect();
        let lines = if names[5] == "slots" { &["depth 3, nodes 900"][..] } else { &["depth 1", "depth 2, nodes 70"] };
        assert_eq!(limits.into_iter().collect::<Vec<_>>(), lines);
        let last: BTreeSet<(&str, &str)> = all.iter().map(|row| (row[0].as_str(), row[5].as_str())).collect();
        assert!(last.len() >= 4, "{last:?}");
    }
}

/// One table does not fit into any memory. Its jobs fail, also in a second run and with retry; the
/// others do not run again.
#[test]
fn failed_jobs_are_reported_each_time_and_retried_alone() {
    if crate::system::available_bytes().is_none() {
        return;
    }
    let (temporary, out) = folder();
    let experiment = experiment(temporary.path(), &SIX.replace("256", "'8192 GiB'"));
    let again = |retry_failed: bool| run(&experiment, &out, Settings { jobs: 1, retry_failed, ..Settings::default() });
    let lines = |ran: RunSummary| (ran.before, ran.done, ran.failed, ran.failures.len());
    assert_eq!(lines(again(false)), (0, 6, 3, 3));
    assert_eq!(lines(again(false)), (6, 0, 3, 0));
    assert_eq!(lines(again(true)), (3, 3, 3, 3));
    assert_eq!(lines(again(false)), (6, 0, 3, 0));
    assert_eq!(rows(&out).len(), 9, "two depths of three jobs, and three that say why there is none");
    let made: Vec<_> =
        Manifest::read(&out).unwrap().unwrap().history().into_iter().map(|one| one.jobs_written).collect();
    let jobs_with_ids = |jobs: &[u64]| Some(Jobs(jobs.iter().copied().collect()));
    assert_eq!(made, [jobs_with_ids(&[0, 2, 4]), jobs_with_ids(&[]), jobs_with_ids(&[1, 3, 5]), None]);
}

/// If one player's table does not fit, its pairs fail and the others are played; if the baseline's
/// does not, none is played.
#[test]
fn pair_fails_if_either_players_table_does_not_fit() {
    if crate::system::available_bytes().is_none() {
        return;
    }
    for (vast, played) in [("a", true), ("b", true), ("c", false)] {
        let (temporary, out) = folder();
        let player = |name: &str| {
            let size = match name {
                _ if name == vast => "'8192 GiB'",
                "a" => "64",
                "b" => "128",
                _ => "256",
            };
            format!("[[variant]]\nname = '{name}'\n'table.size' = {size}\n")
        };
        let text = format!(
            "name = 'x'\nsuite = 'three.epd'\nlimit = {{ depth = 1 }}\nbaseline = {{ variant = 'c' }}\n{}{}{}[match]\nmax_moves = 1\n",
            player("a"),
            player("b"),
            player("c")
        );
        let experiment = experiment(temporary.path(), &text);
        if played {
            let ran = run(&experiment, &out, Settings { jobs: 1, ..Settings::default() });
            let message = format!("\"{vast}\" on a: table.size: 8388608 MiB (variant \"{vast}\") exceed the ");
            assert_eq!(ran.done, 6, "{ran:?}");
            assert_eq!(ran.failed, 3, "{ran:?}");
            assert!(ran.failures[0].1.starts_with(&message), "{ran:?}");
        } else {
            let (plan, never) = (Plan::new(&experiment), AtomicBool::new(false));
            let refused = Session::begin(&experiment, &plan, &out, Settings::default(), &never).map(drop);
            let lines = refused.unwrap_err().to_string();
            assert!(lines.starts_with("table.size: 8388608 MiB (variant \"c\") exceed the "), "{lines}");
        }
    }
}

#[test]
fn quarantined_job_runs_again_with_retry_failed_only() {
    let experiment_in = |temporary: &Path| experiment(temporary, SIX);
    for (settings, failed) in [
        (Settings { jobs: 1, ..Settings::default() }, 1),
        (Settings { jobs: 1, repair: true, ..Settings::default() }, 1),
        (Settings { jobs: 1, retry_failed: true, ..Settings::default() }, 1),
        (Settings { jobs: 1, retry_failed: true, retry_quarantined: true, ..Settings::default() }, 0),
    ] {
        let (temporary, out) = folder();
        let experiment = experiment_in(temporary.path());
        let plan = Plan::new(&experiment);
        let id = plan.job_id(&plan.job_for(1, None, 2, 0));
        std::fs::create_dir(&out).unwrap();
        std::fs::write(out.join(IN_FLIGHT_FILE), format!("{id:016x} 2\n")).unwrap();
        let ran = run(&experiment, &out, settings);
        assert_eq!((ran.done, ran.failed, ran.failures.len()), (6, failed, failed as usize));
        assert!(
            ran.failures.iter().all(|(job, why)| (job.variant, job.item) == (1, 2) && why.contains("killed twice"))
        );
        // Nor does it run in the next run, although no job is recorded as in flight any more.
        let ran = run(&experiment, &out, Settings { jobs: 1, retry_failed: true, ..Settings::default() });
        assert_eq!((ran.before, ran.done, ran.failed), (6, 0, failed));
        let all = Settings { jobs: 1, retry_failed: true, retry_quarantined: true, ..Settings::default() };
        assert_eq!(run(&experiment, &out, all).failed, 0);
    }
}

/// Records the jobs in the order in which they start.
#[derive(Default)]
struct Order(Mutex<Vec<(String, String)>>);

impl Progress for Order {
    fn job(&self, variant: &str, item: &str) {
        lock(&self.0).push((variant.to_owned(), item.to_owned()));
    }
}

#[test]
fn crashed_job_runs_last_or_first_in_a_match() {
    let games = "name = 'm'\nsuite = 'three.epd'\nlimit = { depth = 1 }\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n\
        [match]\nmax_moves = 1\ntest = { elo0 = 0, elo1 = 9 }\n";
    for (text, first) in [(SIX, false), (games, true)] {
        let (temporary, out) = folder();
        let experiment = experiment(temporary.path(), text);
        let plan = Plan::new(&experiment);
        let mut jobs: Vec<Job> = plan.jobs().collect();
        std::fs::create_dir(&out).unwrap();
        std::fs::write(out.join(IN_FLIGHT_FILE), format!("+{:016x}\n", plan.job_id(&jobs[1]))).unwrap();
        let (order, never) = (Order::default(), AtomicBool::new(false));
        let session = Session::begin(&experiment, &plan, &out, Settings { jobs: 1, ..Settings::default() }, &never);
        let ran = session.unwrap().run(&never, &order).unwrap();
        assert_eq!((ran.done, ran.failed, out.join(IN_FLIGHT_FILE).exists()), (jobs.len() as u64, 0, false));
        let suspect = jobs.remove(1);
        jobs.insert(if first { 0 } else { jobs.len() }, suspect);
        let name = |job: &Job| (plan.variants[job.variant].name.clone(), experiment.suite.items[job.item].id.clone());
        assert_eq!(*lock(&order.0), jobs.iter().map(name).collect::<Vec<_>>());
    }
}

/// The manifest is restored: it has no segment of the refused run.
#[test]
fn refused_run_restores_the_manifest() {
    let (temporary, out) = folder();
    let experiment = experiment(temporary.path(), SIX);
    run(&experiment, &out, Settings::default());
    let manifest = Manifest::read(&out).unwrap().unwrap();
    let path = out.join("results.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen(",true,", ",false,", 1)).unwrap();
    let (plan, never) = (Plan::new(&experiment), AtomicBool::new(false));
    let session = Session::begin(&experiment, &plan, &out, Settings::default(), &never).unwrap();
    assert!(session.run(&never, &RunLog::default()).is_err());
    assert_eq!(Manifest::read(&out).unwrap().unwrap(), manifest);
}

/// Each job gets the same table as when it runs alone, whatever was searched before it with the
/// same or another limit.
#[test]
fn share_is_of_the_jobs_own_working_set() {
    let slots = |folder: &Path| {
        let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
        let header = reader.headers().unwrap().clone();
        let place = |name: &str| header.iter().position(|column| column == name).unwrap();
        let places = [columns::VARIANT, columns::POSITION, columns::SLOTS].map(place);
        let line = |row: csv::StringRecord| places.map(|column| row[column].to_owned());
        reader.records().map(|row| line(row.unwrap())).collect::<BTreeSet<[String; 3]>>()
    };
    let many = "[[variant]]\nname = 'many'\n'limit.nodes' = 400\n";
    let both = format!("[[variant]]\nname = 'few'\n'limit.nodes' = 40\n{many}");
    for (variants, jobs) in [(many, 3), (&both, 6)] {
        let (temporary, out) = folder();
        let text = format!(
            "name = 'six'\nsuite = 'three.epd'\nlimit = {{ depth = 4 }}\n[engine]\ntable.size = '50 %'\n{variants}"
        );
        let experiment = experiment(temporary.path(), &text);
        run(&experiment, &out, Settings { jobs: 1, ..Settings::default() });
        let mut alone = BTreeSet::new();
        for index in 0..jobs {
            let folder = temporary.path().join(index.to_string());
            let shard = Some(Shard { index, count: jobs });
            run(&experiment, &folder, Settings { jobs: 1, shard, ..Settings::default() });
            alone.extend(slots(&folder));
        }
        assert_eq!(slots(&out), alone);
        let sizes: BTreeSet<&String> = alone.iter().map(|[.., slots]| slots).collect();
        assert!(alone.len() as u64 == jobs, "{alone:?}");
        assert!(sizes.len() as u64 > jobs / 2, "{alone:?}");
    }
}

#[test]
fn game_without_selected_plies_is_a_failed_job() {
    let folder = tempfile::TempDir::new().unwrap();
    let text = "suite = { fen = '7k/5Q2/6K1/8/8/8/8/8 b - - 0 1' }\nlimit = { depth = 1 }\n\
                sequence = { self_play = 2, side = 'white' }\n";
    let ran = run(&experiment(folder.path(), text), &folder.path().join("out"), Settings::default());
    assert_eq!((ran.done, ran.failed), (1, 1));
    assert!(ran.failures[0].1.contains("nothing was searched"), "{:?}", ran.failures);
}

/// Calls a function after a number of jobs.
struct When<F: Fn() + Sync>(Mutex<u64>, F);

impl<F: Fn() + Sync> Progress for When<F> {
    fn done(&self, _: Option<String>) {
        let mut left = lock(&self.0);
        *left -= 1;
        if *left == 0 {
            self.1();
        }
    }
}

/// A deleted file is restored, under another name if the name is taken; a moved file is complete.
#[test]
fn deleted_or_moved_results_are_not_lost() {
    for (moved, other) in [(false, false), (false, true), (true, false)] {
        let (temporary, out) = folder();
        let experiment = experiment(temporary.path(), SIX);
        let (plan, never) = (Plan::new(&experiment), AtomicBool::new(false));
        let session = Session::begin(&experiment, &plan, &out, Settings { jobs: 1, ..Settings::default() }, &never);
        let (results, elsewhere) = (out.join("results.csv"), temporary.path().join("results.csv"));
        let goes = || {
            match moved {
                true => std::fs::rename(&results, &elsewhere),
                false => std::fs::remove_file(&results),
            }
            .unwrap();
            if other {
                std::fs::write(&results, "mine").unwrap();
            }
        };
        let lines = session.unwrap().run(&never, &When(Mutex::new(6), goes)).unwrap_err().to_string();
        let (found, how) = match (moved, other) {
            (true, _) => (temporary.path().to_owned(), "moved"),
            (false, false) => (out.clone(), "deleted"),
            (false, true) => {
                assert_eq!(std::fs::read_to_string(&results).unwrap(), "mine");
                std::fs::rename(out.join("results.rescued.csv"), &results).unwrap();
                (out.clone(), "deleted")
            }
        };
        let start = format!("{}: results.csv was {how} during the run; ", out.display());
        assert!(lines.starts_with(&start), "{lines}");
        assert!(lines.ends_with("command again to resume"), "{lines}");
        assert_eq!((rows(&found).len(), moved && results.exists()), (12, false), "{lines}");
    }
}

/// The engine's default memory counts too, for players and for the reference.
#[test]
fn default_memory_of_an_engine_must_fit() {
    if crate::system::available_bytes().is_none() {
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let vast = "['/bin/sh', '-c', 'while read -r line; do case \"$line\" in uci) echo option name Hash type spin default 4294967296 min 1 \
                max 4294967296; echo uciok;; isready) echo readyok;; go*) echo info depth ${line#go depth } nodes 20000; echo bestmove e2e4;; \
                quit) exit;; esac; done']";
    for (who, name) in [
        (format!("[subject]\nuci = {vast}\n"), "default"),
        (format!("[reference]\nuci = {vast}\nlimit = {{ depth = 4 }}\n"), "[reference]"),
    ] {
        let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 4 }}\n{who}");
        let experiment = experiment(folder.path(), &text);
        let (plan, never) = (Plan::new(&experiment), AtomicBool::new(false));
        let settings = Settings { jobs: 3, ..Settings::default() };
        let begun = Session::begin(&experiment, &plan, &folder.path().join("out"), settings, &never);
        let lines = begun.err().map(|error| error.to_string()).unwrap_or_default();
        let start =
            format!("uci.Hash: 3 jobs x 4294967296 MiB (1 engine, the first is \"{name}\") need more than the ");
        assert!(lines.starts_with(&start), "{lines}");
    }
}

/// Repeats need one job at a time; several key seeds do not.
#[test]
fn default_jobs_is_one_for_repeats() {
    let folder = tempfile::TempDir::new().unwrap();
    let jobs = |more: &str| Settings::default_jobs(&experiment(folder.path(), &format!("{more}{SIX}")));
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let given = ["", "repeats = 1\n", "seeds = 3\n", "repeats = 2\n", "times = true\n"];
    assert_eq!(given.map(jobs), [all, all, all, 1, 1]);
}
