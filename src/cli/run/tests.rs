use super::*;
use crate::record::ResultsError;
use crate::runner::{OutputError, RunError};

#[test]
fn failure_of_damaged_rows_suggests_repair() {
    let path = || "results.csv".to_owned();
    let results_error = |error: ResultsError| RunError::from(OutputError::Results { path: path(), error });
    let damaged =
        |line: u64| failure_with_repair(results_error(ResultsError::Damaged { line, problem: "x".to_owned() }));
    let suggests_repair = [1, 2, 3]
        .map(|line| damaged(line).message.contains("help: --repair drops damaged rows and runs their jobs again"));
    assert_eq!((suggests_repair, damaged(2).exit), ([true; 3], Exit::Usage));
    let failure = failure_with_repair(results_error(ResultsError::OtherColumns("x".to_owned())));
    assert!(failure.message.contains("help: if only its first line is damaged, --repair restores this line"));
    let io_error = || std::io::Error::other("x");
    for (error, exit) in [
        (RunError::Memory("x".to_owned()), Exit::Usage),
        (RunError::Subject("x".to_owned()), Exit::Usage),
        (RunError::Interrupted, Exit::Interrupted),
        (RunError::Write { path: path(), error: io_error() }, Exit::Io),
        (results_error(ResultsError::Io(io_error())), Exit::Io),
        (OutputError::Locked("x".to_owned()).into(), Exit::Usage),
        (OutputError::Unusable("x".to_owned()).into(), Exit::Usage),
        (OutputError::Io { path: path(), error: io_error() }.into(), Exit::Io),
        (OutputError::NoLocks { path: path(), error: io_error() }.into(), Exit::Io),
    ] {
        let failure = failure_with_repair(error);
        assert!(failure.exit == exit, "{failure:?}");
        assert!(!failure.message.contains("--repair"), "{failure:?}");
    }
}

#[test]
fn resume_hint_counts_jobs_of_earlier_runs() {
    let summary = runner::RunSummary { before: 7, done: 2, failed: 1, not_needed: 3, ..runner::RunSummary::default() };
    assert_eq!(resume_hint(&summary, "ttlab run x"), "interrupted: 9 jobs done; to resume:\n  ttlab run x");
}
