//! Shows the progress of a run. Messages are printed at the start and at the end. On a terminal, a
//! bar shows the number of jobs done and the remaining time.

use crate::console::{err, escape_control};
use crate::runner::progress::Progress;
use crate::runner::{Done, RunSummary};
use crate::text::plural;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

pub struct ConsoleProgress {
    /// The bar. It is hidden if standard error is not a terminal.
    bar: ProgressBar,
    /// Whether a second line shows the score of a match. Each job of a match is a pair of games.
    shows_scores: bool,
}

impl ConsoleProgress {
    /// Creates the display of a run. `shows_scores` is true for a match.
    pub fn new(shows_scores: bool) -> Self {
        Self { bar: ProgressBar::no_length(), shows_scores }
    }
}

impl Progress for ConsoleProgress {
    fn begin(&self, all_jobs: u64, done_jobs: u64, rows: &Done) {
        resume_lines(all_jobs, done_jobs, rows).iter().for_each(|line| err(format_args!("{line}\n")));
        self.bar.set_length(all_jobs);
        self.bar.set_position(done_jobs);
        self.bar.reset_elapsed();
        let separator = if self.shows_scores { "\n" } else { "  " };
        let template = format!("{{bar:30}} {{pos}}/{{len}} jobs, {{elapsed}}, ETA {{eta}}{separator}{{wide_msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            self.bar.set_style(style);
        }
        // The steady tick needs a thread, which would be useless for a hidden bar.
        if !self.bar.is_hidden() {
            self.bar.enable_steady_tick(Duration::from_millis(250));
        }
    }

    fn reused(&self, lines: &[String]) {
        lines.iter().for_each(|line| err(format_args!("{line}\n")));
    }

    fn begin_job(&self, variant: &str, item: &str) {
        if !self.shows_scores {
            self.bar.set_message(escape_control(&format!("{item}: {variant}")).into_owned());
        }
    }

    fn end_job(&self, score: Option<String>) {
        self.bar.inc(1);
        if let Some(score) = score {
            self.bar.set_message(escape_control(&score).into_owned());
        }
    }

    fn end(&self, summary: &RunSummary) {
        self.bar.finish_and_clear();
        end_lines(summary, self.bar.elapsed().as_secs_f64()).iter().for_each(|line| err(format_args!("{line}\n")));
    }
}

/// `rows` describes the rows that the file contained.
fn resume_lines(all_jobs: u64, done_jobs: u64, rows: &Done) -> Vec<String> {
    let lines = [
        (rows.torn_bytes > 0)
            .then(|| format!("removed an incomplete last line of {} bytes from the results", rows.torn_bytes)),
        rows.copy.as_ref().map(|copy| format!("saved a copy of the damaged results as {}", copy.display())),
        (rows.dropped > 0).then(|| format!("dropped {} of jobs that will run again", plural(rows.dropped, "row"))),
        (done_jobs > 0)
            .then(|| format!("{done_jobs} of {all_jobs} jobs already done, {} to run", all_jobs - done_jobs)),
    ];
    lines.into_iter().flatten().collect()
}

/// The maximum number of scores that are printed at the end of a match.
const MAX_SCORES: usize = 6;

fn end_lines(summary: &RunSummary, seconds: f64) -> Vec<String> {
    let failed_text = if summary.failed > 0 { format!(", {} failed", summary.failed) } else { String::new() };
    let not_needed_text = match summary.not_needed {
        0 => String::new(),
        jobs => format!("; {jobs} other jobs are not needed because their tests had ended"),
    };
    let jobs_line = format!("{} in {seconds:.1} s{failed_text}{not_needed_text}", plural(summary.done, "job"));
    let failures = summary.failures.iter().map(|(_, failure)| format!("failed: {failure}"));
    let unlisted = summary.scores.len().saturating_sub(MAX_SCORES);
    let note_on_unlisted = (unlisted > 0).then(|| format!("... and {unlisted} more encounters: see the report"));
    let scores = summary.scores.iter().take(MAX_SCORES).map(|score| escape_control(score).into_owned());
    std::iter::once(jobs_line).chain(failures).chain(scores).chain(note_on_unlisted).collect()
}

#[cfg(test)]
mod tests;
