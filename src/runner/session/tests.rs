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
    /// The numbers of all jobs and of jobs done before, of each start.
    starts: Mutex<Vec<(u64, u64)>>,
    /// The variant and item of each job that began.
    jobs: Mutex<BTreeSet<(String, String)>>,
    done: Mutex<u64>,
    /// The number of jobs done, of each end.
    ends: Mutex<Vec<u64>>,
    /// Interrupts the run after this number of jobs, by setting the flag.
    stop: Option<(u64, AtomicBool)>,
}

impl Progress for RunLog {
    fn begin(&self, total: u64, before: u64, _: &Done) {
        lock(&self.starts).push((total, before));
    }
    fn begin_job(&self, variant: &str, item: &str) {
        lock(&self.jobs).insert((variant.to_owned(), item.to_owned()));
    }
    fn end_job(&self, _: Option<String>) {
        *lock(&self.done) += 1;
        if let Some((limit, stop)) = &self.stop
            && *lock(&self.done) == *limit
        {
            stop.store(true, Ordering::Relaxed);
        }
    }
    fn end(&self, summary: &RunSummary) {
        lock(&self.ends).push(summary.done);
    }
}

/// Runs a plan in a folder.
pub fn run(experiment: &Experiment, folder: &Path, settings: Settings) -> RunSummary {
    run_logged(experiment, folder, settings, &RunLog::default())
}

/// As [`run`], with the log that is filled in and may stop the run.
fn run_logged(experiment: &Experiment, folder: &Path, settings: Settings, log: &RunLog) -> RunSummary {
    let (plan, never_stopped) = (Plan::new(experiment), AtomicBool::new(false));
    let stop = log.stop.as_ref().map_or(&never_stopped, |(_, stop)| stop);
    let session = Session::begin(experiment, &plan, folder, settings, stop).unwrap();
    session.run(stop, log).unwrap()
}

/// Variant, position and nodes of each row, in the order of the file.
pub fn rows(folder: &Path) -> Vec<[String; 3]> {
    let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let column_index = |name: &str| header.iter().position(|column| column == name).unwrap();
    let indices = [columns::VARIANT, columns::POSITION, columns::NODES].map(column_index);
    let to_cells = |row: csv::StringRecord| indices.map(|index| row[index].to_owned());
    reader.records().map(|row| to_cells(row.unwrap())).collect()
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
    let summary = run_logged(&experiment, &out, Settings { jobs: 2, ..Settings::default() }, &first);
    assert_eq!(
        (summary.before, summary.done, summary.failed, summary.not_needed, summary.interrupted),
        (0, 6, 0, 0, false)
    );
    assert_eq!(
        (lock(&first.starts).clone(), *lock(&first.done), lock(&first.ends).clone()),
        (vec![(6, 0)], 6, vec![6])
    );
    let items: Vec<String> = lock(&first.jobs).iter().map(|(_, item)| item.clone()).collect();
    assert_eq!((lock(&first.jobs).len(), items.iter().filter(|item| item.as_str() == "b").count()), (6, 2));
    let expected_rows = rows(&out);
    assert_eq!(expected_rows.len(), 12);
    let manifest = Manifest::read(&out).unwrap().unwrap();
    let sealed = crate::record::verify::verify(&out.join("results.csv"), None).unwrap();
    assert_eq!(
        (manifest.sealed.rows, manifest.sealed.bytes),
        (Some(12), Some(sealed.seals.bytes)),
        "the manifest has the seals of the file"
    );
    assert_eq!(manifest.sealed.counts, Some(sealed.seals.counts));

    let second = RunLog::default();
    let summary = run_logged(&experiment, &out, Settings { jobs: 1, ..Settings::default() }, &second);
    assert_eq!((summary.before, summary.done, summary.interrupted), (6, 0, false));
    assert_eq!((lock(&second.starts).clone(), *lock(&second.done)), (vec![(6, 6)], 0));
    assert_eq!(rows(&out), expected_rows);

    let fresh = run(&experiment, &out, Settings { jobs: 1, fresh: true, ..Settings::default() });
    assert_eq!((fresh.before, fresh.done), (0, 6));
    assert_eq!(rows(&out), expected_rows, "a fresh run has the same counts");
}

#[test]
fn interrupted_run_resumes_with_the_remaining_jobs() {
    let (temporary, out) = folder();
    let experiment = experiment(temporary.path(), SIX);
    let single_job = || Settings { jobs: 1, ..Settings::default() };
    let stopped = RunLog { stop: Some((2, AtomicBool::new(false))), ..RunLog::default() };
    let summary = run_logged(&experiment, &out, single_job(), &stopped);
    assert!(summary.interrupted, "{summary:?}");
    assert_eq!(summary.done, 2, "{summary:?}");
    assert_eq!(rows(&out).len(), 4);
    let report = crate::runner::verify::verify(&out).unwrap();
    let remaining = "4 of 6 jobs are not done".to_owned();
    assert!(report.state == crate::runner::verify::FolderState::Incomplete, "{report:?}");
    assert!(report.lines.contains(&remaining), "{report:?}");
    // If interrupted when nothing remains to do, the run has ended normally.
    let late_stop = RunLog { stop: Some((4, AtomicBool::new(false))), ..RunLog::default() };
    let summary = run_logged(&experiment, &out, single_job(), &late_stop);
    assert_eq!((summary.before, summary.done, summary.interrupted), (2, 4, false));
    let manifest = Manifest::read(&out).unwrap().unwrap();
    assert!(
        manifest.run.segments.iter().all(|segment| segment.ended.is_some_and(|ended| ended >= segment.started)),
        "{manifest:?}"
    );
    let segments: Vec<_> =
        manifest.run.segments.into_iter().map(|segment| (segment.done, segment.jobs_written)).collect();
    assert_eq!(segments, [(Some(2), Some(Jobs([0, 1].into()))), (Some(4), None)], "each segment has its own jobs");
    let whole = temporary.path().join("whole");
    let summary = run(&experiment, &whole, Settings::default());
    assert_eq!((summary.done, summary.interrupted), (6, false), "the default settings run one job at a time");
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
        let expected_jobs: BTreeSet<[String; 2]> = plan
            .jobs()
            .filter(|job| split.shard_of(&plan, job) == index)
            .map(|job| [plan.variants[job.variant].name.clone(), experiment.suite.items[job.item].id.clone()])
            .collect();
        let before = if index == 1 { 1 } else { 0 };
        if before > 0 {
            let stopped = RunLog { stop: Some((before, AtomicBool::new(false))), ..RunLog::default() };
            assert!(run_logged(&experiment, &folder, settings(), &stopped).interrupted);
        }
        let summary = run(&experiment, &folder, settings());
        let run_jobs: BTreeSet<[String; 2]> = rows(&folder).into_iter().map(|[variant, id, _]| [variant, id]).collect();
        assert_eq!(
            (summary.before, summary.before + summary.done, run_jobs),
            (before, expected_jobs.len() as u64, expected_jobs)
        );
        let manifest = Manifest::read(&folder).unwrap().unwrap();
        assert!(manifest.run.calibration.is_some_and(|speed| speed > 0), "a shard measures the machine's speed");
        let history = manifest.run.segments.clone();
        assert_eq!(
            history[0].jobs_written,
            (before > 0).then(|| Jobs([0].into())),
            "jobs are numbered within the shard"
        );
        let report = crate::runner::verify::verify(&folder).unwrap();
        let all_done =
            format!("every row belongs to the plan, and all {} jobs are done", summary.before + summary.done);
        assert!(report.state == crate::runner::verify::FolderState::Complete, "{report:?}");
        assert!(report.lines.contains(&all_done), "{report:?}");
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
    let log = RunLog::default();
    let summary = run_logged(&experiment, &out.join("whole"), Settings { jobs: 1, ..Settings::default() }, &log);
    assert_eq!((summary.not_needed, lock(&log.jobs).len()), (2, 1), "a pair that is not needed is not played");
    assert_eq!(Manifest::read(&out.join("whole")).unwrap().unwrap().run.jobs_not_needed, 2);
    let shard = Some(Shard { index: 0, count: 2 });
    let summary = run(&experiment, &out.join("0"), Settings { jobs: 1, shard, ..Settings::default() });
    assert_eq!((summary.done, summary.not_needed), (2, 0));
    let report = crate::runner::verify::verify(&out.join("0")).unwrap();
    let all_done = "every row belongs to the plan, and all 2 jobs are done".to_owned();
    assert!(report.lines.contains(&all_done), "{report:?}");
}

/// The given columns of each row, in the order of the file.
pub fn cells(folder: &Path, names: &[&str]) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let indices: Vec<usize> =
        names.iter().map(|name| header.iter().position(|column| column == *name).unwrap()).collect();
    reader
        .records()
        .map(|row| row.unwrap())
        .map(|row| indices.iter().map(|&index| row[index].to_owned()).collect())
        .collect()
}

/// Each of three positions has the same rows as when it is the suite's only position: with table
/// sizes given as a share, and in games of alternating engines.
#[test]
fn job_results_do_not_depend_on_earlier_jobs() {
    let temporary = tempfile::tempdir().unwrap();
    let shares = "name = 'x'\nsuite = 'three.epd'\nlimit = { depth = 3, nodes = 900 }\n[grid]\n'table.size' = ['50 %', '10 %']\n";
    let games = "name = 'x'\nsuite = 'three.epd'\nlimit = { depth = 2 }\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n\
                 'limit.depth' = 1\n'leaf' = 'static'\n[[variant]]\nname = 'c'\n'limit.nodes' = 70\n'algorithm' = 'minimax'\n[match]\nmax_moves = 3\n";
    let columns_by_text: [&[&str]; 2] = [
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
    for (text, names) in [shares, games].into_iter().zip(columns_by_text) {
        let joint_experiment = experiment(temporary.path(), text);
        let settings = || Settings { jobs: 1, fresh: true, ..Settings::default() };
        let out = temporary.path().join("whole");
        assert_eq!(run(&joint_experiment, &out, settings()).failed, 0);
        let (rows_together, mut rows_alone) = (cells(&out, names), Vec::new());
        for item in &joint_experiment.suite.items {
            let line = format!(
                "{} id \"{}\";\n",
                item.board.fen(crate::chess::EpRule::Always).rsplitn(3, ' ').last().unwrap(),
                item.id
            );
            std::fs::write(temporary.path().join("one.epd"), line).unwrap();
            let text = text.replace("three", "one");
            let single_experiment =
                Experiment::parse(&text, &temporary.path().join("x.toml"), &[]).unwrap_or_else(|why| panic!("{why}"));
            let out = temporary.path().join("one");
            run(&single_experiment, &out, settings());
            rows_alone.extend(cells(&out, names));
        }
        assert_eq!(rows_together, rows_alone);
        // The compared rows are not empty: they have the limits and several different last columns.
        let limits: BTreeSet<&str> = rows_together.iter().map(|row| row[2].as_str()).collect();
        let expected =
            if names[5] == "slots" { &["depth 3, nodes 900"][..] } else { &["depth 1", "depth 2, nodes 70"] };
        assert_eq!(limits.into_iter().collect::<Vec<_>>(), expected);
        let last_columns: BTreeSet<(&str, &str)> =
            rows_together.iter().map(|row| (row[0].as_str(), row[5].as_str())).collect();
        assert!(last_columns.len() >= 4, "{last_columns:?}");
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
    let run_again =
        |retry_failed: bool| run(&experiment, &out, Settings { jobs: 1, retry_failed, ..Settings::default() });
    let counts = |summary: RunSummary| (summary.before, summary.done, summary.failed, summary.failures.len());
    assert_eq!(counts(run_again(false)), (0, 6, 3, 3));
    assert_eq!(counts(run_again(false)), (6, 0, 3, 0));
    assert_eq!(counts(run_again(true)), (3, 3, 3, 3));
    assert_eq!(counts(run_again(false)), (6, 0, 3, 0));
    assert_eq!(rows(&out).len(), 9, "two rows of each of three jobs, and one error row of each of the others");
    let segment_jobs: Vec<_> =
        Manifest::read(&out).unwrap().unwrap().run.segments.into_iter().map(|segment| segment.jobs_written).collect();
    let jobs_with_ids = |jobs: &[u64]| Some(Jobs(jobs.iter().copied().collect()));
    assert_eq!(segment_jobs, [jobs_with_ids(&[0, 2, 4]), jobs_with_ids(&[]), jobs_with_ids(&[1, 3, 5]), None]);
}

/// If one player's table does not fit, its pairs fail and the others are played; if the baseline's
/// does not, none is played.
#[test]
fn pair_fails_if_either_players_table_does_not_fit() {
    if crate::system::available_bytes().is_none() {
        return;
    }
    for (huge_player, is_played) in [("a", true), ("b", true), ("c", false)] {
        let (temporary, out) = folder();
        let player = |name: &str| {
            let size = match name {
                _ if name == huge_player => "'8192 GiB'",
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
        if is_played {
            let summary = run(&experiment, &out, Settings { jobs: 1, ..Settings::default() });
            let message =
                format!("\"{huge_player}\" on a: table.size: 8388608 MiB (variant \"{huge_player}\") exceed the ");
            assert_eq!(summary.done, 6, "{summary:?}");
            assert_eq!(summary.failed, 3, "{summary:?}");
            assert!(summary.failures[0].1.starts_with(&message), "{summary:?}");
        } else {
            let (plan, never_stopped) = (Plan::new(&experiment), AtomicBool::new(false));
            let result = Session::begin(&experiment, &plan, &out, Settings::default(), &never_stopped).map(drop);
            let message = result.unwrap_err().to_string();
            assert!(message.starts_with("table.size: 8388608 MiB (variant \"c\") exceed the "), "{message}");
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
        let summary = run(&experiment, &out, settings);
        assert_eq!((summary.done, summary.failed, summary.failures.len()), (6, failed, failed as usize));
        assert!(
            summary.failures.iter().all(|(job, why)| (job.variant, job.item) == (1, 2) && why.contains("killed twice"))
        );
        // The next run does not run it either, although no job is recorded as in flight any more.
        let summary = run(&experiment, &out, Settings { jobs: 1, retry_failed: true, ..Settings::default() });
        assert_eq!((summary.before, summary.done, summary.failed), (6, 0, failed));
        let retry_all = Settings { jobs: 1, retry_failed: true, retry_quarantined: true, ..Settings::default() };
        assert_eq!(run(&experiment, &out, retry_all).failed, 0);
    }
}

/// Records the variant and item of each job, in the order in which the jobs begin.
#[derive(Default)]
struct JobOrder(Mutex<Vec<(String, String)>>);

impl Progress for JobOrder {
    fn begin_job(&self, variant: &str, item: &str) {
        lock(&self.0).push((variant.to_owned(), item.to_owned()));
    }
}

/// The first job that begins waits for a second.
#[derive(Default)]
struct Meeting(Mutex<u32>, std::sync::Condvar);

impl Progress for Meeting {
    fn begin_job(&self, _: &str, _: &str) {
        *lock(&self.0) += 1;
        self.1.notify_all();
        let timeout = std::time::Duration::from_secs(60);
        let (_begun, waited) = self.1.wait_timeout_while(lock(&self.0), timeout, |begun| *begun < 2).unwrap();
        assert!(!waited.timed_out(), "no job begins beside the first");
    }
}

#[test]
fn two_jobs_run_at_the_same_time() {
    let (temporary, out) = folder();
    let (experiment, never_stopped) = (experiment(temporary.path(), SIX), AtomicBool::new(false));
    let (plan, settings) = (Plan::new(&experiment), Settings { jobs: 2, ..Settings::default() });
    let session = Session::begin(&experiment, &plan, &out, settings, &never_stopped).unwrap();
    let summary = session.run(&never_stopped, &Meeting::default()).unwrap();
    assert_eq!((summary.done, summary.failed), (6, 0));
}

#[test]
fn crashed_job_runs_last_or_first_in_a_match() {
    let games = "name = 'm'\nsuite = 'three.epd'\nlimit = { depth = 1 }\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n\
        [match]\nmax_moves = 1\ntest = { elo0 = 0, elo1 = 9 }\n";
    for (text, runs_first) in [(SIX, false), (games, true)] {
        let (temporary, out) = folder();
        let experiment = experiment(temporary.path(), text);
        let plan = Plan::new(&experiment);
        let mut jobs: Vec<Job> = plan.jobs().collect();
        std::fs::create_dir(&out).unwrap();
        std::fs::write(out.join(IN_FLIGHT_FILE), format!("+{:016x}\n", plan.job_id(&jobs[1]))).unwrap();
        let (order, never_stopped) = (JobOrder::default(), AtomicBool::new(false));
        let session =
            Session::begin(&experiment, &plan, &out, Settings { jobs: 1, ..Settings::default() }, &never_stopped);
        let summary = session.unwrap().run(&never_stopped, &order).unwrap();
        assert_eq!((summary.done, summary.failed, out.join(IN_FLIGHT_FILE).exists()), (jobs.len() as u64, 0, false));
        let crashed_job = jobs.remove(1);
        jobs.insert(if runs_first { 0 } else { jobs.len() }, crashed_job);
        let name = |job: &Job| (plan.variants[job.variant].name.clone(), experiment.suite.items[job.item].id.clone());
        assert_eq!(*lock(&order.0), jobs.iter().map(name).collect::<Vec<_>>());
    }
}

/// An engine that searches more with each search of its process. Two chains: `a` and `c` are
/// searched in one process, `b` in another, at any number of jobs, in shards, and resumed.
#[test]
fn counts_of_an_engine_that_keeps_its_history_do_not_depend_on_jobs() {
    let script = "n=0; while read -r line; do case \"$line\" in uci) echo id name Keeps; echo uciok;; isready) echo readyok;; \
                  *rnbq*) m=g1f3;; *3k4*) m=d3e3;; *5k2*) m=f7f6;; position*) m=e1f1;; \
                  go*) n=$((n + 1)); d=${line#go depth }; echo info depth $d nodes $((d * (8500 + 1500 * n))); echo bestmove $m;; quit) exit;; esac; done";
    let text = format!(
        "name = 'keeps'\nsuite = 'three.epd'\nlimit = {{ depth = 2 }}\nchains = 2\n[subject]\nuci = ['/bin/sh', '-c', '{script}']\n"
    );
    let expected = ["20000", "20000", "23000"].map(str::to_owned);
    for (jobs, stop_after) in [(1, 9), (3, 9), (1, 1), (2, 1), (1, 2)] {
        let (temporary, out) = folder();
        let experiment = experiment(temporary.path(), &text);
        let log = RunLog { stop: Some((stop_after, AtomicBool::new(false))), ..RunLog::default() };
        let settings = Settings { jobs, ..Settings::default() };
        run_logged(&experiment, &out, settings.clone(), &log);
        run(&experiment, &out, settings);
        let nodes: Vec<String> = rows(&out).into_iter().map(|[.., nodes]| nodes).collect();
        assert_eq!(nodes, expected, "{jobs} {stop_after}");
    }
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), &text);
    let plan = Plan::new(&experiment);
    let shards = |count| plan.jobs().map(|job| Split::new(&plan, count).shard_of(&plan, &job)).collect::<Vec<_>>();
    assert_eq!((shards(2), shards(3)), (vec![0, 1, 0], vec![0, 1, 0]));
    // Only another number than the default is a part of the ids.
    let id = |chains: &str| {
        let text = text.replace("chains = 2", chains);
        let experiment = Experiment::parse(&text, &temporary.path().join("six.toml"), &[]).unwrap();
        let plan = Plan::new(&experiment);
        (plan.id(), plan.job_id(&plan.jobs().next().unwrap()))
    };
    assert_eq!(id("chains = 8"), id(""));
    assert!(id("chains = 2").0 != id("").0 && id("chains = 2").1 != id("").1);
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
    let (plan, never_stopped) = (Plan::new(&experiment), AtomicBool::new(false));
    let session = Session::begin(&experiment, &plan, &out, Settings::default(), &never_stopped).unwrap();
    assert!(session.run(&never_stopped, &RunLog::default()).is_err());
    assert_eq!(Manifest::read(&out).unwrap().unwrap(), manifest);
}

/// A table whose size is a share has the same size as when its job runs alone, regardless of the
/// jobs that ran before it, with the same limit or another.
#[test]
fn share_is_of_the_jobs_own_working_set() {
    let slots = |folder: &Path| {
        let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
        let header = reader.headers().unwrap().clone();
        let column_index = |name: &str| header.iter().position(|column| column == name).unwrap();
        let indices = [columns::VARIANT, columns::POSITION, columns::SLOTS].map(column_index);
        let to_cells = |row: csv::StringRecord| indices.map(|column| row[column].to_owned());
        reader.records().map(|row| to_cells(row.unwrap())).collect::<BTreeSet<[String; 3]>>()
    };
    let one_limit = "[[variant]]\nname = 'many'\n'limit.nodes' = 400\n";
    let two_limits = format!("[[variant]]\nname = 'few'\n'limit.nodes' = 40\n{one_limit}");
    for (variants, jobs) in [(one_limit, 3), (&two_limits, 6)] {
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
    let summary = run(&experiment(folder.path(), text), &folder.path().join("out"), Settings::default());
    assert_eq!((summary.done, summary.failed), (1, 1));
    assert!(summary.failures[0].1.contains("nothing was searched"), "{:?}", summary.failures);
}

/// Calls a function after a number of jobs.
struct CallAfter<F: Fn() + Sync> {
    remaining: Mutex<u64>,
    call: F,
}

impl<F: Fn() + Sync> Progress for CallAfter<F> {
    fn end_job(&self, _: Option<String>) {
        let mut remaining = lock(&self.remaining);
        *remaining -= 1;
        if *remaining == 0 {
            (self.call)();
        }
    }
}

/// A deleted file is restored, under another name if the name is taken; a moved file is complete.
#[test]
fn deleted_or_moved_results_are_not_lost() {
    for (is_moved, is_replaced) in [(false, false), (false, true), (true, false)] {
        let (temporary, out) = folder();
        let experiment = experiment(temporary.path(), SIX);
        let (plan, never_stopped) = (Plan::new(&experiment), AtomicBool::new(false));
        let session =
            Session::begin(&experiment, &plan, &out, Settings { jobs: 1, ..Settings::default() }, &never_stopped);
        let (results, elsewhere) = (out.join("results.csv"), temporary.path().join("results.csv"));
        let remove = || {
            match is_moved {
                true => std::fs::rename(&results, &elsewhere),
                false => std::fs::remove_file(&results),
            }
            .unwrap();
            if is_replaced {
                std::fs::write(&results, "mine").unwrap();
            }
        };
        let progress = CallAfter { remaining: Mutex::new(6), call: remove };
        let message = session.unwrap().run(&never_stopped, &progress).unwrap_err().to_string();
        let (results_folder, verb) = match (is_moved, is_replaced) {
            (true, _) => (temporary.path().to_owned(), "moved"),
            (false, false) => (out.clone(), "deleted"),
            (false, true) => {
                assert_eq!(std::fs::read_to_string(&results).unwrap(), "mine");
                std::fs::rename(out.join("results.rescued.csv"), &results).unwrap();
                (out.clone(), "deleted")
            }
        };
        let start = format!("{}: results.csv was {verb} during the run; ", out.display());
        assert!(message.starts_with(&start), "{message}");
        assert!(message.ends_with("command again to resume"), "{message}");
        assert_eq!((rows(&results_folder).len(), is_moved && results.exists()), (12, false), "{message}");
    }
}

/// The engine's default memory counts too, for players and for the reference.
#[test]
fn default_memory_of_an_engine_must_fit() {
    if crate::system::available_bytes().is_none() {
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let engine = "['/bin/sh', '-c', 'while read -r line; do case \"$line\" in uci) echo option name Hash type spin default 4294967296 min 1 \
                max 4294967296; echo uciok;; isready) echo readyok;; go*) echo info depth ${line#go depth } nodes 20000; echo bestmove e2e4;; \
                quit) exit;; esac; done']";
    for (section, name) in [
        (format!("[subject]\nuci = {engine}\n"), "default"),
        (format!("[reference]\nuci = {engine}\nlimit = {{ depth = 4 }}\n"), "[reference]"),
    ] {
        let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 4 }}\n{section}");
        let experiment = experiment(folder.path(), &text);
        let (plan, never_stopped) = (Plan::new(&experiment), AtomicBool::new(false));
        let settings = Settings { jobs: 3, ..Settings::default() };
        let result = Session::begin(&experiment, &plan, &folder.path().join("out"), settings, &never_stopped);
        let message = result.err().map(|error| error.to_string()).unwrap_or_default();
        let start =
            format!("uci.Hash: 3 jobs x 4294967296 MiB (1 engine, the first is \"{name}\") need more than the ");
        assert!(message.starts_with(&start), "{message}");
    }
}

/// Repeats need one job at a time; several key seeds do not.
#[test]
fn default_jobs_is_one_for_repeats() {
    let folder = tempfile::TempDir::new().unwrap();
    let default_jobs = |line: &str| Settings::default_jobs(&experiment(folder.path(), &format!("{line}{SIX}")));
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let lines = ["", "repeats = 1\n", "seeds = 3\n", "repeats = 2\n", "times = true\n"];
    assert_eq!(lines.map(default_jobs), [processors, processors, processors, 1, 1]);
}
