//! How a run tells how far it is: a bar with an ETA on a terminal; elsewhere what was found before and how it ended; nothing when quiet.

/// As the standard library's, but a reader that has gone does not end the run (see [`crate::talk`]).
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::talk::tell(format_args!("{}\n", format_args!($($text)*))) };
}

use super::{Done, Ran};
use crate::talk::visible;
use crate::words::many;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What a run tells while it goes.
pub trait Progress: Sync {
    /// The jobs in all, those done before, and what was found in the results file.
    fn begin(&self, all: u64, before: u64, found: &Done);
    /// A job begins.
    fn job(&self, variant: &str, item: &str);
    /// A job is done.
    fn done(&self);
    /// The run has ended.
    fn end(&self, ran: &Ran);
}

/// Says nothing.
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _: u64, _: u64, _: &Done) {}
    fn job(&self, _: &str, _: &str) {}
    fn done(&self) {}
    fn end(&self, _: &Ran) {}
}

/// Talks to stderr.
pub struct Talk {
    bar: ProgressBar,
    plain: bool,
    begun: Mutex<Instant>,
}

impl Talk {
    /// A bar where stderr is a terminal.
    #[must_use]
    pub fn new() -> Self {
        let plain = !std::io::stderr().is_terminal();
        let target = if plain { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        Self { bar, plain, begun: Mutex::new(Instant::now()) }
    }
}

impl Default for Talk {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress for Talk {
    fn begin(&self, all: u64, before: u64, found: &Done) {
        if found.torn > 0 {
            eprintln!("a torn last line of {} bytes was cut off the results", found.torn);
        }
        if let Some(saved) = &found.saved {
            eprintln!("the results as they were are kept in {}", saved.display());
        }
        if found.dropped > 0 {
            eprintln!("dropped: {} of jobs that are to be run again", many(found.dropped, "row"));
        }
        if before > 0 {
            eprintln!("{before} of {all} jobs were done before: continuing");
        }
        self.bar.set_length(all);
        self.bar.set_position(before);
        self.bar.reset_eta();
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} jobs, {elapsed}, ETA {eta}  {wide_msg}") {
            self.bar.set_style(style);
        }
        // The bar's clock is a thread, which is not worth its place where no bar is seen.
        if !self.plain {
            self.bar.enable_steady_tick(Duration::from_millis(250));
        }
        *super::lock(&self.begun) = Instant::now();
    }

    fn job(&self, variant: &str, item: &str) {
        self.bar.set_message(visible(&format!("{item}: {variant}")).into_owned());
    }

    fn done(&self) {
        self.bar.inc(1);
    }

    fn end(&self, ran: &Ran) {
        self.bar.finish_and_clear();
        let seconds = super::lock(&self.begun).elapsed().as_secs_f64();
        eprintln!(
            "{} in {seconds:.1} s{}{}",
            many(ran.done, "job"),
            if ran.failed > 0 { format!(", {} failed", ran.failed) } else { String::new() },
            if ran.spared > 0 {
                format!("; {} were not needed: their tests had ended", ran.spared)
            } else {
                String::new()
            }
        );
        for (_, failure) in &ran.failures {
            eprintln!("failed: {failure}");
        }
    }
}
