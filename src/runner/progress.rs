//! How a run tells how far it is: a bar with an ETA on a terminal; elsewhere what was found before and how it ended; nothing when quiet.

use super::{Done, RunSummary};
use crate::console::{err, escape_control};
use crate::text::plural;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// What a run tells while it goes.
pub trait Progress: Sync {
    /// The jobs in all, those done before, and what was found in the results file.
    fn begin(&self, _all: u64, _before: u64, _found: &Done) {}
    /// A job begins.
    fn job(&self, _variant: &str, _item: &str) {}
    /// A job is done.
    fn done(&self) {}
    /// The run has ended.
    fn end(&self, _ran: &RunSummary) {}
}

/// Says nothing.
pub struct Quiet;

impl Progress for Quiet {}

/// Talks to stderr.
pub struct Talk {
    /// It is seen where stderr is a terminal.
    bar: ProgressBar,
}

impl Default for Talk {
    fn default() -> Self {
        Self { bar: ProgressBar::no_length() }
    }
}

impl Progress for Talk {
    fn begin(&self, all: u64, before: u64, found: &Done) {
        resume_lines(all, before, found).iter().for_each(|line| err(format_args!("{line}\n")));
        self.bar.set_length(all);
        self.bar.set_position(before);
        self.bar.reset_elapsed();
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} jobs, {elapsed}, ETA {eta}  {wide_msg}") {
            self.bar.set_style(style);
        }
        // The bar's clock is a thread, which is not worth its place where no bar is seen.
        if !self.bar.is_hidden() {
            self.bar.enable_steady_tick(Duration::from_millis(250));
        }
    }

    fn job(&self, variant: &str, item: &str) {
        self.bar.set_message(escape_control(&format!("{item}: {variant}")).into_owned());
    }

    fn done(&self) {
        self.bar.inc(1);
    }

    fn end(&self, ran: &RunSummary) {
        self.bar.finish_and_clear();
        end_lines(ran, self.bar.elapsed().as_secs_f64()).iter().for_each(|line| err(format_args!("{line}\n")));
    }
}

/// What was found in the folder before the first job, line by line.
fn resume_lines(all: u64, before: u64, found: &Done) -> Vec<String> {
    let lines = [
        (found.torn > 0).then(|| format!("a torn last line of {} bytes was cut off the results", found.torn)),
        found.saved.as_ref().map(|saved| format!("the results as they were are kept in {}", saved.display())),
        (found.dropped > 0)
            .then(|| format!("dropped: {} of jobs that are to be run again", plural(found.dropped, "row"))),
        (before > 0).then(|| format!("{before} of {all} jobs were done before: continuing")),
    ];
    lines.into_iter().flatten().collect()
}

/// What a run came to, line by line.
fn end_lines(ran: &RunSummary, seconds: f64) -> Vec<String> {
    let failed = if ran.failed > 0 { format!(", {} failed", ran.failed) } else { String::new() };
    let spared = match ran.spared {
        0 => String::new(),
        spared => format!("; {spared} were not needed: their tests had ended"),
    };
    let sum = format!("{} in {seconds:.1} s{failed}{spared}", plural(ran.done, "job"));
    std::iter::once(sum).chain(ran.failures.iter().map(|(_, failure)| format!("failed: {failure}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::capture;
    use crate::experiment::Job;

    /// By hand: of eight jobs three were done before, and two are done now; the clock is the run's, however long ago the bar was made.
    #[test]
    fn a_bar_stands_where_its_run_does() {
        let long = Duration::from_secs(9);
        let talk = Talk { bar: ProgressBar::no_length().with_elapsed(long) };
        let at = || (talk.bar.position(), talk.bar.length());
        let (_, [output, text]) = capture(|| {
            talk.begin(8, 3, &Done::default());
            assert_eq!(at(), (3, Some(8)));
            for done in [4, 5] {
                talk.job("size=64\u{1b}[2J", "c");
                assert_eq!(talk.bar.message(), "c: size=64\\u{1b}[2J");
                talk.done();
                assert_eq!(at(), (done, Some(8)));
            }
            assert!(talk.bar.elapsed() < long);
            talk.end(&RunSummary { before: 3, done: 2, ..RunSummary::default() });
        });
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            output.is_empty() && lines.len() == 2 && lines[0] == "3 of 8 jobs were done before: continuing",
            "{output}{text}"
        );
        assert!(lines[1].starts_with("2 jobs in ") && lines[1].ends_with(" s"), "{text}");
    }

    /// By hand: of each kind none, and some, no two alike.
    #[test]
    fn a_run_tells_what_it_found_and_what_it_came_to() {
        let found = Done { torn: 17, dropped: 5, saved: Some("x/old".into()), ..Done::default() };
        let all = [
            "a torn last line of 17 bytes was cut off the results",
            "the results as they were are kept in x/old",
            "dropped: 5 rows of jobs that are to be run again",
            "3 of 8 jobs were done before: continuing",
        ];
        assert_eq!(resume_lines(8, 3, &found), all);
        assert_eq!(resume_lines(8, 0, &found), all[..3]);
        let one = Done { dropped: 1, ..Done::default() };
        assert_eq!(resume_lines(8, 0, &one), ["dropped: 1 row of jobs that are to be run again"]);
        assert_eq!(resume_lines(8, 8, &Done::default()), ["8 of 8 jobs were done before: continuing"]);
        assert_eq!(resume_lines(8, 0, &Done::default()), Vec::<String>::new());
        let job = Job { variant: 0, opponent: None, item: 0, items: 1, repeat: 0 };
        let failures = vec![(job, "one".to_owned()), (job, "two".to_owned())];
        let ran = RunSummary { before: 7, done: 1, ..RunSummary::default() };
        assert_eq!(end_lines(&ran, 2.04), ["1 job in 2.0 s"]);
        let ran = RunSummary { done: 20, failed: 4, failures, ..ran };
        assert_eq!(end_lines(&ran, 61.26), ["20 jobs in 61.3 s, 4 failed", "failed: one", "failed: two"]);
        let ran = RunSummary { spared: 6, failures: Vec::new(), ..ran };
        assert_eq!(end_lines(&ran, 0.0), ["20 jobs in 0.0 s, 4 failed; 6 were not needed: their tests had ended"]);
    }
}
