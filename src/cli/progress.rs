//! Progress display of a run: a bar with an ETA on a terminal, else messages at the start and the
//! end.

use crate::console::{err, escape_control};
use crate::runner::progress::Progress;
use crate::runner::sources::Reused;
use crate::runner::{Done, RunSummary};
use crate::text::{and_more, plural};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Shows progress on standard error.
pub struct ConsoleProgress {
    /// Hidden if standard error is not a terminal.
    bar: ProgressBar,
    /// Whether the jobs are pairs of games: a second line shows their score.
    games: bool,
}

impl ConsoleProgress {
    pub fn new(games: bool) -> Self {
        Self { bar: ProgressBar::no_length(), games }
    }
}

impl Progress for ConsoleProgress {
    fn begin(&self, all: u64, before: u64, found: &Done) {
        resume_lines(all, before, found).iter().for_each(|line| err(format_args!("{line}\n")));
        self.bar.set_length(all);
        self.bar.set_position(before);
        self.bar.reset_elapsed();
        let place = if self.games { "\n" } else { "  " };
        let template = format!("{{bar:30}} {{pos}}/{{len}} jobs, {{elapsed}}, ETA {{eta}}{place}{{wide_msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            self.bar.set_style(style);
        }
        // The bar's timer is a thread, which a hidden bar does not need.
        if !self.bar.is_hidden() {
            self.bar.enable_steady_tick(Duration::from_millis(250));
        }
    }

    fn reused(&self, folders: &[Reused]) {
        folders.iter().flat_map(reuse_lines).for_each(|line| err(format_args!("{line}\n")));
    }

    fn job(&self, variant: &str, item: &str) {
        if !self.games {
            self.bar.set_message(escape_control(&format!("{item}: {variant}")).into_owned());
        }
    }

    fn done(&self, score: Option<String>) {
        self.bar.inc(1);
        if let Some(score) = score {
            self.bar.set_message(escape_control(&score).into_owned());
        }
    }

    fn end(&self, ran: &RunSummary) {
        self.bar.finish_and_clear();
        end_lines(ran, self.bar.elapsed().as_secs_f64()).iter().for_each(|line| err(format_args!("{line}\n")));
    }
}

/// Of a run with `--quiet`: only what is wrong is named.
pub struct Warnings;

impl Progress for Warnings {
    fn reused(&self, folders: &[Reused]) {
        folders.iter().filter_map(damaged_rows).for_each(|line| err(format_args!("{line}\n")));
    }
}

/// Messages about the rows of another folder.
fn reuse_lines(reused: &Reused) -> Vec<String> {
    let (source, _) = reused;
    let taken = (source.jobs > 0).then(|| format!("{} from {}", plural(source.jobs, "job"), source.folder));
    taken.into_iter().chain(damaged_rows(reused)).collect()
}

/// A warning of the rows of another folder that are not used.
fn damaged_rows((_, damaged): &Reused) -> Option<String> {
    let first = damaged.first()?;
    Some(format!("warning: not used: {first}{}", and_more(damaged.len() - 1)))
}

/// Messages about the results file at the start of a run.
fn resume_lines(all: u64, before: u64, found: &Done) -> Vec<String> {
    let lines = [
        (found.torn > 0).then(|| format!("removed an incomplete last line of {} bytes from the results", found.torn)),
        found.saved.as_ref().map(|saved| format!("saved a copy of the damaged results as {}", saved.display())),
        (found.dropped > 0).then(|| format!("dropped {} of jobs that will run again", plural(found.dropped, "row"))),
        (before > 0).then(|| format!("{before} of {all} jobs known, {} to run", all - before)),
    ];
    lines.into_iter().flatten().collect()
}

/// The end of a match prints at most this many scores.
const MAX_SCORES: usize = 6;

/// Messages at the end of a run.
fn end_lines(ran: &RunSummary, seconds: f64) -> Vec<String> {
    let failed = if ran.failed > 0 { format!(", {} failed", ran.failed) } else { String::new() };
    let not_needed = match ran.not_needed {
        0 => String::new(),
        not_needed => format!("; {not_needed} not needed because their tests had ended"),
    };
    let total = format!("{} in {seconds:.1} s{failed}{not_needed}", plural(ran.done, "job"));
    let failures = ran.failures.iter().map(|(_, failure)| format!("failed: {failure}"));
    let more = ran.scores.len().saturating_sub(MAX_SCORES);
    let more = (more > 0).then(|| format!("... and {more} more encounters: see the report"));
    let scores = ran.scores.iter().take(MAX_SCORES).map(|score| escape_control(score).into_owned());
    std::iter::once(total).chain(failures).chain(scores).chain(more).collect()
}

#[cfg(test)]
mod tests;
