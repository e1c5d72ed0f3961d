//! Ends `ttlab run` after the last job: writes the report, plays the games of `[confirm]`, and
//! finds the exit code.

use super::super::{CommandFailure, CommandResult, Exit, confirm, terminal};
use super::Args;
use super::messages::inconclusive_message;
use crate::experiment::Experiment;
use crate::record::manifest::Shard;
use crate::report::{Page, confirm_page};
use crate::runner::{RunSummary, Session};
use crate::text::plural;
use std::sync::atomic::AtomicBool;

/// Writes the report of a run that was not interrupted, and plays the games of `[confirm]`. Returns
/// the exit code. If `suggests_commands` is true, a message says which commands may be useful next.
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
        let mut page = Page::read(folder).map_err(CommandFailure::io)?;
        if experiment.file.confirm.is_some() && summary.failed == 0 {
            // If the games are interrupted, the page has the searches and the games so far.
            page.write(folder).map_err(CommandFailure::io)?;
            match confirm::play(experiment, &page.screen, (folder, &session.settings), stop, quiet)? {
                Err(exit) => return Ok(exit),
                Ok(Some(_)) => page = Page::read(folder).map_err(CommandFailure::io)?,
                Ok(None) => {
                    let screened = page.screen.clone();
                    confirm_page::add_to_page(&mut page, &screened, None);
                }
            }
        }
        terminal::report(&page, folder, quiet)?;
        if args.check && page.count_failed() > 0 {
            exit = Exit::Gate;
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
