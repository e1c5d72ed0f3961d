//! Ends `ttlab run` after the last job: writes the report, plays the games of `[confirm]`, and
//! finds the exit code.

use super::super::{CommandFailure, CommandResult, Exit, confirm, terminal};
use super::Args;
use super::messages::inconclusive_message;
use crate::analysis::questions::screen::screen;
use crate::experiment::Experiment;
use crate::record::manifest::Shard;
use crate::report::Page;
use crate::runner::{RunSummary, Session};
use crate::text::plural;
use std::sync::atomic::AtomicBool;

/// Writes the report of a run that was not interrupted, and plays the games of `[confirm]`. Returns
/// the exit code. If
/// `suggests_commands` is true, a message says which commands may be useful next.
pub(super) fn finish(
    args: &Args,
    experiment: &Experiment,
    session: &Session<'_>,
    summary: &RunSummary,
    stop: &AtomicBool,
    suggests_commands: bool,
) -> CommandResult {
    let (folder, quiet) = (&session.output.folder, args.run.quiet);
    let mut exit = Exit::Done;
    if let Some(Shard { index, count }) = session.settings.shard {
        if !quiet {
            println!("shard {index} of {count} is done: {}", folder.display());
        }
    } else {
        let page = Page::read(folder).map_err(CommandFailure::io)?;
        terminal::report(&page, folder, quiet)?;
        if args.check && page.count_failed() > 0 {
            exit = Exit::Gate;
        }
        if let Some(options) = experiment.file.confirm.as_ref().filter(|_| summary.failed == 0) {
            // The screen selects the variants that may be the best, to play the games.
            let screen_result = screen(&page.summary, options.margin, options.price);
            let confirm_exit = confirm::play(experiment, &screen_result, (folder, &session.settings), stop, quiet)?;
            if confirm_exit != Exit::Done {
                return Ok(confirm_exit);
            }
        }
        if !quiet {
            println!("report: {}", folder.join("report.html").display());
        }
        if suggests_commands && !quiet {
            println!(
                "next: `ttlab report {} --pairs` compares every variant with every other; repeat `ttlab run` to resume",
                folder.display()
            );
        }
        if args.strict && !page.blockers.is_empty() {
            eprintln!("--strict: {}", inconclusive_message(&page.blockers));
            exit = Exit::Gate;
        }
    }
    if summary.failed > 0 {
        eprintln!("{} failed: see the error column; run them again with --retry-failed", plural(summary.failed, "job"));
        exit = Exit::Failed;
    }
    Ok(exit)
}
