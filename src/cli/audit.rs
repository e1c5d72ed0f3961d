use super::{CommandFailure, CommandResult, Exit, out_of_memory};
use crate::engine::EngineOptions;
use crate::engine::audit::{AuditCounters, AuditedClaim};
use crate::experiment::{Experiment, Variant};
use crate::runner::audit::{self, Audited};
use crate::system::watch::stop_on_low_memory;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Check every table answer against a search without a table
#[derive(clap::Args)]
#[command(after_help = include_str!("help/audit.txt"))]
pub struct Args {
    /// The experiment file whose searches are checked
    file: PathBuf,
    /// The deepest iteration; costs as much as searches to this depth without a table
    #[arg(short, long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..))]
    depth: u8,
    /// Use only the first N positions of the suite [default: all]
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u32).range(1..))]
    positions: Option<u32>,
    /// Parallel jobs [default: the processors]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Override an option in every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
    /// Wrong answers to show for each variant, at most 20
    #[arg(long, default_value_t = 3)]
    show: usize,
}

pub fn run(args: &Args) -> CommandResult {
    let mut experiment = Experiment::load(&args.file, &args.overrides).map_err(CommandFailure::usage)?;
    if let Some(trace) = experiment.work.trace() {
        let (file, name) = (args.file.display(), &trace.name);
        refuse!(
            "{file}: an audit needs searches, but this file replays the trace {name}: give an experiment with a \
            suite"
        );
    }
    experiment.suite.items.truncate(args.positions.map_or(usize::MAX, |positions| positions as usize));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let stop = super::signals::stop_flag()?;
    let is_terminal = std::io::stderr().is_terminal();
    let report_progress = |done: u64, total: u64| {
        if is_terminal && should_report(done, total) {
            eprintln!("{done} of {total} jobs");
        }
    };
    let memory_grows = experiment.variants.iter().filter_map(Variant::builtin).any(EngineOptions::memory_grows);
    let run_audit =
        || audit::audit(&experiment, args.depth, args.jobs.map_or(cores, usize::from), &stop, &report_progress);
    let (result, memory_ran_out) = stop_on_low_memory(memory_grows, &stop, run_audit);
    if memory_ran_out {
        return Err(out_of_memory());
    }
    let audited_variants = result.map_err(CommandFailure::usage)?;
    if stop.load(Ordering::Relaxed) {
        return Ok(Exit::Interrupted);
    }
    if audited_variants.is_empty() {
        refuse!("no variant of this experiment has a table: nothing to audit");
    }
    print!("{}", render_table(&audited_variants, args.show));
    exit_code(&audited_variants)
}

/// Whether to report the progress after `done` of `total` jobs. If there are fewer than forty jobs,
/// the progress is reported after each job. Otherwise it is reported twenty to forty times.
fn should_report(done: u64, total: u64) -> bool {
    done.is_multiple_of((total / 20).max(1))
}

/// Returns the exit code of an audit. A variant without a finished iteration is an error, because
/// none of its answers was checked.
fn exit_code(audited_variants: &[Audited]) -> CommandResult {
    let count_illegal =
        |audited: &Audited| audited.findings_with_draws.as_ref().map_or(0, |findings| findings.count.illegal);
    if audited_variants.iter().any(|variant| variant.findings.count.wrong + count_illegal(variant) > 0) {
        return Ok(Exit::Unequal);
    }
    if let Some(unchecked) = audited_variants.iter().find(|variant| variant.iterations == 0) {
        refuse!(
            "variant \"{}\": no iteration was finished, so none of its answers was checked: raise the limit",
            unchecked.variant
        );
    }
    Ok(Exit::Done)
}

/// Renders the results as a table with a line for each variant. After the line of a variant, the
/// table lists at most `max_listed` of its wrong answers. If the searches were repeated with draws
/// by repetition and by the fifty-move rule, it also lists at most `max_listed` wrong answers of
/// those searches.
fn render_table(audited_variants: &[Audited], max_listed: usize) -> String {
    let mut out = "iterations        nodes    answers    cutoffs      moves    wrong     path  variant\n".to_owned();
    for Audited { variant, iterations, nodes, findings, findings_with_draws } in audited_variants {
        let AuditCounters { answers, cutoffs, moves, wrong, .. } = findings.count;
        // If repetitions are draws, a score that is wrong on one path may be right on another. An
        // illegal move is always wrong.
        let illegal = findings_with_draws.as_ref().map_or(0, |findings| findings.count.illegal);
        let wrong = wrong + illegal;
        let wrong_by_path = findings_with_draws
            .as_ref()
            .map_or_else(|| "-".to_owned(), |findings| (findings.count.wrong - illegal).to_string());
        out += &format!(
            "{iterations:>10} {nodes:>12} {answers:>10} {cutoffs:>10} {moves:>10} {wrong:>8} {wrong_by_path:>8}  {variant}\n"
        );
        out.extend(findings.wrong_answers.iter().take(max_listed).map(|answer| format!("    {answer}\n")));
        let drawn_answers =
            findings_with_draws.iter().flat_map(|findings| findings.wrong_answers.iter().take(max_listed));
        out.extend(drawn_answers.map(|answer| match answer.claim {
            AuditedClaim::Move(_) => format!("    {answer}\n"),
            _ => format!("    by path: {answer}\n"),
        }));
    }
    out
}

#[cfg(test)]
mod tests;
