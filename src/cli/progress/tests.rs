use super::*;
use crate::console::capture;
use crate::experiment::Job;

/// Three of eight jobs were done earlier, and two are done now. The time is measured from the start
/// of the run, not from the creation of the bar.
#[test]
fn bar_shows_position_and_time_of_the_run() {
    let long = Duration::from_secs(9);
    let progress = ConsoleProgress { bar: ProgressBar::no_length().with_elapsed(long), ..ConsoleProgress::new(false) };
    let position = || (progress.bar.position(), progress.bar.length());
    let (_, [stdout, stderr]) = capture(|| {
        progress.begin(8, 3, &Done::default());
        assert_eq!(position(), (3, Some(8)));
        for done in [4, 5] {
            progress.begin_job("size=64\u{1b}[2J", "c");
            assert_eq!(progress.bar.message(), "c: size=64\\u{1b}[2J");
            progress.end_job(None);
            assert_eq!(position(), (done, Some(8)));
        }
        assert!(progress.bar.elapsed() < long);
        progress.end(&RunSummary { before: 3, done: 2, ..RunSummary::default() });
    });
    let lines: Vec<&str> = stderr.lines().collect();
    assert!(stdout.is_empty(), "{stdout}{stderr}");
    assert_eq!(lines.len(), 2, "{stdout}{stderr}");
    assert!(lines[0] == "3 of 8 jobs already done, 5 to run", "{stdout}{stderr}");
    assert!(lines[1].starts_with("2 jobs in "), "{stderr}");
    assert!(lines[1].ends_with(" s"), "{stderr}");
}

/// The jobs of a run of over a minute are printed rarely, and the variants with the most first.
#[test]
fn remaining_jobs_are_printed_at_doubling_intervals() {
    let names = ('a'..='h').map(|name| (name.to_string(), 2));
    let mut remaining = Remaining { by_variant: names.collect(), next_print: Duration::from_secs(60) };
    let mut line = |variant: &str, seconds: u64| remaining.begin_job(variant, Duration::from_secs(seconds));
    assert_eq!(line("a", 59), None);
    let listed = r#"2 of "c", 2 of "d", 2 of "e", 2 of "f", 2 of "g", 2 of "h""#;
    assert_eq!(line("b", 60), Some(format!("after 1 min 14 jobs to begin: {listed} and 2 more")));
    assert_eq!(line("b", 119), None);
    assert_eq!(line("a", 200), Some(format!("after 3 min 12 jobs to begin: {listed}")));
    assert_eq!(line("c", 239), None);
    for variant in ["c", "d", "d", "e", "e", "f", "f", "g", "g"] {
        assert_eq!(line(variant, 239), None);
    }
    assert_eq!(line("h", 240), Some("after 4 min 1 job to begin: 1 of \"h\"".to_owned()));
    // Nothing is left to begin.
    assert_eq!(line("h", 9999), None);
}

#[test]
fn resume_and_end_lines_report_each_nonzero_count() {
    let done = Done { torn_bytes: 17, dropped: 5, copy: Some("x/old".into()), ..Done::default() };
    let expected = [
        "removed an incomplete last line of 17 bytes from the results",
        "saved a copy of the damaged results as x/old",
        "dropped 5 rows of jobs that will run again",
        "3 of 8 jobs already done, 5 to run",
    ];
    assert_eq!(resume_lines(8, 3, &done), expected);
    assert_eq!(resume_lines(8, 0, &done), expected[..3]);
    let dropped_row = Done { dropped: 1, ..Done::default() };
    assert_eq!(resume_lines(8, 0, &dropped_row), ["dropped 1 row of jobs that will run again"]);
    assert_eq!(resume_lines(8, 8, &Done::default()), ["8 of 8 jobs already done, 0 to run"]);
    assert_eq!(resume_lines(8, 0, &Done::default()), Vec::<String>::new());
    let job = Job { variant: 0, opponent: None, item: 0, item_count: 1, repeat: 0 };
    let failures = vec![(job, "one".to_owned()), (job, "two".to_owned())];
    let summary = RunSummary { before: 7, done: 1, ..RunSummary::default() };
    assert_eq!(end_lines(&summary, 2.04), ["1 job in 2.0 s"]);
    let summary = RunSummary { done: 20, failed: 4, failures, ..summary };
    assert_eq!(end_lines(&summary, 61.26), ["20 jobs in 61.3 s, 4 failed", "failed: one", "failed: two"]);
    let progress = ConsoleProgress::new(true);
    progress.begin_job("a", "opening");
    progress.end_job(Some("a against b: +3".to_owned()));
    assert_eq!(progress.bar.message(), "a against b: +3");
    let scores: Vec<String> = (0..8).map(|index| format!("a against {index}")).collect();
    let lines = end_lines(&RunSummary { done: 1, scores, ..RunSummary::default() }, 2.0);
    assert_eq!(
        (lines.len(), lines[6].as_str(), lines[7].as_str()),
        (8, "a against 5", "... and 2 more encounters: see the report")
    );
    let summary = RunSummary { not_needed: 6, failures: Vec::new(), ..summary };
    assert_eq!(
        end_lines(&summary, 0.0),
        ["20 jobs in 0.0 s, 4 failed; 6 other jobs are not needed because their tests had ended"]
    );
}
