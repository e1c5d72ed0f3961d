//! Jobs that fail, by a panic or because a table can't be allocated. The other jobs finish.

use super::*;
use std::sync::atomic::AtomicBool;
use ttlab::internals::experiment::{Experiment, Plan};
use ttlab::internals::runner::{Done, RunSummary, Session, Settings, progress::Progress};

/// Panics for one variant on one item, as a faulty policy would.
struct Faulty;

impl Progress for Faulty {
    fn begin(&self, _: u64, _: u64, _: &Done) {}
    fn begin_job(&self, variant: &str, item: &str) {
        assert!(!(variant == "no table" && item == "BK.02"), "a fault\nof two lines, and a \"quote\"");
        // A panic with a formatted message has another payload type than one with a literal
        // message.
        assert!(!(variant == "no table" && item == "BK.03"), "{item} is {}", variant.len());
    }
    fn end_job(&self, _: Option<String>) {}
    fn end(&self, _: &RunSummary) {}
}

#[test]
fn panicking_job_leaves_a_row_and_the_others_finish() {
    let trial = Trial::new(SMALL);
    trial.run("undisturbed", &[]).expect(0);
    let experiment = Experiment::load(Path::new(&trial.file), &[]).unwrap();
    let plan = Plan::new(&experiment);
    let settings = Settings { jobs: 2, ..Settings::default() };
    {
        let session =
            Session::begin(&experiment, &plan, &trial.path("out"), settings, &AtomicBool::new(false)).unwrap();
        let ran = session.run(&AtomicBool::new(false), &Faulty).unwrap();
        assert_eq!((ran.failed, ran.done, ran.interrupted), (2, plan.len(), false));
        assert!(ran.failures.iter().all(|(_, failure)| failure.contains("no table")), "{:?}", ran.failures);
        assert!(ran.failures.iter().any(|(_, failure)| failure.contains("a fault")), "{:?}", ran.failures);
    }
    let rows = counts(&trial.results("out"));
    let error = rows[0].len() - 2;
    let failed: Vec<_> = rows.iter().filter(|row| !row[error].is_empty()).collect();
    assert_eq!(failed.len(), 2);
    assert!(failed[0][error].contains("panic: a fault of two lines"), "{:?}", failed[0][error]);
    assert!(failed[1][error].contains("panic: BK.03 is 8"), "{:?}", failed[1][error]);
    let undisturbed = counts(&trial.results("undisturbed"));
    assert_eq!(rows.iter().filter(|row| undisturbed.contains(row)).count(), undisturbed.len() - 6);

    // The failed job isn't run again without being asked to, and the failure is reported each time.
    let build = trial.run("out", &["--any-build"]).expect(3).prints(&["2 jobs failed", "--retry-failed"]);
    drop(build);
    assert_eq!(counts(&trial.results("out")), rows);
    trial.run("out", &["--any-build", "--retry-failed"]).expect(0);
    assert_eq!(counts(&trial.results("out")), undisturbed);
}

/// A table that can't be allocated during the run.
#[test]
fn table_that_cannot_be_allocated_leaves_rows_and_the_others_finish() {
    let trial = Trial::new(
        "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 2 }\n[grid]\n'table.size' = ['1 MiB', '700 MiB']\n",
    );
    let command = format!(
        "ulimit -v 600000; exec '{}' run '{}' --jobs 1 --out '{}'",
        binary().display(),
        trial.file,
        trial.text("out")
    );
    let message = run_command(Command::new("sh").args(["-c", &command])).expect(3);
    let message = message.prints(&["2 jobs failed", "failed: \"size=700 MiB\" on BK.01: table.size: 700 MiB (variant"]);
    assert!(message.stdout.contains("1 MiB *"), "{}", message.stdout);
    let rows = counts(&trial.results("out"));
    assert_eq!(rows.len(), 2 * 2 + 2);
    assert!(trial.path("out").join("report.md").exists(), "reports are written before a non-zero exit");
    trial.run("out", &["--retry-failed"]).expect(0);
    assert_eq!(counts(&trial.results("out")).len(), 2 * 2 * 2);
}

#[test]
fn tables_larger_than_memory_are_refused_before_the_run() {
    let trial = Trial::new("suite = { startpos = true }\nlimit = { depth = 1 }\n[engine]\ntable.size = '100000 GiB'\n");
    trial.run("out", &[]).expect(2).prints(&["table.size", "memory", "\"default\""]);
    assert!(!trial.path("out").exists(), "a refused run left something behind");
}

/// Of many failures, the first five are printed, and all are counted.
#[test]
fn first_failures_are_shown_and_the_others_counted() {
    let trial = Trial::new(
        "suite = 'data/bratko-kopec.epd'\nfirst = 7\nlimit = { depth = 1 }\n[[variant]]\nname = 'fits'\n[[variant]]\nname = 'large'\n\
         'table.size' = '700 MiB'\n",
    );
    let command = format!(
        "ulimit -v 600000; exec '{}' run '{}' --jobs 1 --out '{}'",
        binary().display(),
        trial.file,
        trial.text("out")
    );
    let message = run_command(Command::new("sh").args(["-c", &command])).expect(3).prints(&["7 jobs failed"]);
    assert_eq!(message.stderr.matches("failed: \"large\" on BK.0").count(), 5, "{}", message.stderr);
    for item in 1..=5 {
        assert!(message.stderr.contains(&format!("\"large\" on BK.0{item}: ")), "{}", message.stderr);
    }
}

/// A shard with failed jobs isn't done, although no row is missing: it is listed with the number of
/// failed jobs until they have been run again.
#[test]
fn shard_with_failed_jobs_is_named() {
    let trial = Trial::new(
        "suite = 'data/bratko-kopec.epd'\nfirst = 3\nlimit = { depth = 1 }\n[[variant]]\nname = 'fits'\n[[variant]]\nname = 'large'\n\
         'table.size' = '700 MiB'\n",
    );
    let (plan, out) = (trial.text("plan.json"), trial.text("out"));
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &plan]).expect(0);
    let shard = |index: usize, limit: &str| {
        let command =
            format!("{limit} exec '{}' run --plan '{plan}' --shard {index} -q --out '{out}'", binary().display());
        run_command(Command::new("sh").args(["-c", &command]))
    };
    // The number of rows with an error in the shard's file.
    let failed = |index: usize| {
        let rows = counts(&trial.path(&format!("out/shards/{index}/results.csv")));
        rows.iter().filter(|row| !row[row.len() - 2].is_empty()).count()
    };
    (0..2).for_each(|index| drop(shard(index, "ulimit -v 600000;").expect(3)));
    assert_eq!((failed(0) + failed(1), failed(0) > 0, failed(1) > 0), (3, true, true));
    let missing = || ttlab(&["plan", "--missing", &plan, "--out", &out]);
    let output = [0, 1].map(|index| format!("shard {index} of 2: all jobs done, {} failed", failed(index)));
    let message = missing().expect(3).prints(&[&output[0], &output[1]]);
    assert_eq!(message.stdout, "0-1\n");
    ttlab(&["merge", &plan, "--out", &out]).expect(3).prints(&["3 jobs failed"]);
    ttlab(&["run", "--plan", &plan, "--shard", "1", "--retry-failed", "-q", "--out", &out]).expect(0);
    assert_eq!(missing().expect(3).stdout, "0\n");
}
