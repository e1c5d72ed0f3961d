//! Shows the progress of a run. Messages are printed at the start and at the end. On a terminal, a
//! bar shows the number of jobs done and the remaining time. A run of over a minute prints at times
//! how many jobs of each variant are left, on a terminal and in a log.

use crate::console::{err, escape_control};
use crate::runner::progress::Progress;
use crate::runner::{Done, RunSummary};
use crate::text::plural;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub struct ConsoleProgress {
    /// The bar. It is hidden if standard error is not a terminal.
    bar: ProgressBar,
    /// Whether a second line shows the score of a match. Each job of a match is a pair of games.
    shows_scores: bool,
    remaining: Mutex<Remaining>,
}

/// The jobs that have not begun.
struct Remaining {
    by_variant: BTreeMap<String, u64>,
    /// When they are printed, from the beginning of the run. Doubled each time, so that a long run
    /// does not fill its log.
    next_print: Duration,
}

impl Remaining {
    /// Counts a job that begins. Returns the line to print if it is time for one.
    fn begin_job(&mut self, variant: &str, elapsed: Duration) -> Option<String> {
        if let Some(jobs) = self.by_variant.get_mut(variant) {
            *jobs = jobs.saturating_sub(1);
        }
        if elapsed < self.next_print {
            return None;
        }
        while self.next_print <= elapsed {
            self.next_print *= 2;
        }
        let mut variants: Vec<(&String, u64)> = self.by_variant.iter().map(|(name, &jobs)| (name, jobs)).collect();
        variants.retain(|&(_, jobs)| jobs > 0);
        variants.sort_by_key(|&(_, jobs)| std::cmp::Reverse(jobs));
        let jobs = plural(variants.iter().map(|(_, jobs)| jobs).sum::<u64>(), "job");
        let listed: Vec<String> =
            variants.iter().take(MAX_LISTED).map(|(name, jobs)| format!("{jobs} of \"{name}\"")).collect();
        let and_more = crate::text::and_more(variants.len().saturating_sub(MAX_LISTED));
        let line = format!("after {} min {jobs} to begin: {}{and_more}", elapsed.as_secs() / 60, listed.join(", "));
        (!listed.is_empty()).then(|| escape_control(&line).into_owned())
    }
}

impl ConsoleProgress {
    /// Creates the display of a run. `shows_scores` is true for a match.
    pub fn new(shows_scores: bool) -> Self {
        let remaining = Remaining { by_variant: BTreeMap::new(), next_print: Duration::from_secs(60) };
        Self { bar: ProgressBar::no_length(), shows_scores, remaining: Mutex::new(remaining) }
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

    fn remaining(&self, jobs: BTreeMap<String, u64>) {
        self.remaining.lock().unwrap_or_else(PoisonError::into_inner).by_variant = jobs;
    }

    fn begin_job(&self, variant: &str, item: &str) {
        let mut remaining = self.remaining.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = remaining.begin_job(variant, self.bar.elapsed()) {
            self.bar.suspend(|| err(format_args!("{line}\n")));
        }
        drop(remaining);
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

/// The maximum number of scores that are printed at the end of a match, and of variants in a line.
const MAX_LISTED: usize = 6;

fn end_lines(summary: &RunSummary, seconds: f64) -> Vec<String> {
    let failed_text = if summary.failed > 0 { format!(", {} failed", summary.failed) } else { String::new() };
    let not_needed_text = match summary.not_needed {
        0 => String::new(),
        jobs => format!("; {jobs} other jobs are not needed because their tests had ended"),
    };
    let jobs_line = format!("{} in {seconds:.1} s{failed_text}{not_needed_text}", plural(summary.done, "job"));
    let failures = summary.failures.iter().map(|(_, failure)| format!("failed: {failure}"));
    let unlisted = summary.scores.len().saturating_sub(MAX_LISTED);
    let note_on_unlisted = (unlisted > 0).then(|| format!("... and {unlisted} more encounters: see the report"));
    let scores = summary.scores.iter().take(MAX_LISTED).map(|score| escape_control(score).into_owned());
    std::iter::once(jobs_line).chain(failures).chain(scores).chain(note_on_unlisted).collect()
}

#[cfg(test)]
mod tests;
