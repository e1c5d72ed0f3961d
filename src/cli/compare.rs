use super::{CommandFailure, CommandResult, Exit};
use crate::analysis::caveats::misleading::Misleading;
use crate::analysis::questions::compare::{Comparison, Finding};
use crate::analysis::questions::gate::Gate;
use crate::analysis::questions::paired_rows::{CompareError, RecordedResult, add_score_errors};
use crate::analysis::rows::frame::FrameError;
use crate::record::columns;
use crate::record::manifest::{MANIFEST, PREVIOUS};
use crate::report::{comparison, html, machine, markdown};
use crate::subject::Repeatability;
use std::path::{Path, PathBuf};

/// Compare two results row by row, and gate on changes in CI
#[derive(clap::Args)]
#[command(after_help = include_str!("help/compare.txt"), allow_missing_positional = true)]
pub struct Args {
    /// The old results: a folder that `ttlab run` wrote, or a results file. Left out: those that
    /// the last run into NEW moved to its subfolder previous
    base: Option<PathBuf>,
    /// The new results: a folder or a results file
    new: PathBuf,
    /// A gate: METRIC > +1%, METRIC < -1000, or METRIC changed (may be repeated)
    #[arg(long, alias = "gate", value_name = "GATE")]
    fail_on: Vec<String>,
    /// Accept different counts of equal plans, as after a change of the program
    #[arg(long)]
    allow_moves: bool,
    /// Print the outcome alone, in a line
    #[arg(short, long)]
    quiet: bool,
    /// Write JUnit XML (-: to standard output, instead of the text)
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write Markdown (-: to standard output, instead of the text)
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write an HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write all results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write NEW's nodes and seconds as a list of {name, unit, value, range, extra}
    #[arg(long, value_name = "FILE")]
    bench_json: Option<PathBuf>,
}

/// Returns the paths of BASE and NEW.
fn inputs(args: &Args) -> Result<[PathBuf; 2], CommandFailure> {
    let new = args.new.clone();
    if let Some(base) = &args.base {
        return Ok([base.clone(), new]);
    }
    let base = new.join(PREVIOUS);
    if !base.join(MANIFEST).exists() {
        refuse!(
            "{}: there are no results of an earlier run, which `ttlab run` moves there when the experiment changed or \
             with --fresh: give two results, BASE and NEW",
            base.display()
        );
    }
    Ok([base, new])
}

pub fn run(args: &Args) -> CommandResult {
    let [base_path, new_path] = inputs(args)?;
    let gates: Vec<Gate> =
        args.fail_on.iter().map(|text| Gate::parse(text)).collect::<Result<_, _>>().map_err(CommandFailure::usage)?;
    let outputs = [&args.junit, &args.markdown, &args.html, &args.json, &args.bench_json];
    let is_stdout = |path: &Path| path.as_os_str() == "-";
    if outputs.iter().filter(|path| path.as_deref().is_some_and(is_stdout)).count() > 1 {
        refuse!("only one format can go to standard output (-)");
    }
    for out in outputs.iter().filter_map(|path| path.as_deref()).filter(|path| !is_stdout(path)) {
        [&base_path, &new_path].into_iter().try_for_each(|input| super::refuse_overwrite(input, out))?;
    }
    let read_result = |path: &Path| {
        RecordedResult::read(path).map_err(|error| match error {
            CompareError::Frame(error @ FrameError::NoRows(_)) => super::unreadable_results(error.into()),
            error => CommandFailure::usage(format!("{error}\nhelp: {HELP}")),
        })
    };
    let (mut base, mut new) = (read_result(&base_path)?, read_result(&new_path)?);
    add_score_errors(&mut base, &mut new, &base_path).map_err(CommandFailure::usage)?;
    let has_games = |result: &&RecordedResult| result.frame.names().iter().any(|name| name == columns::OPPONENT);
    if let Some(result) = [&base, &new].into_iter().find(has_games) {
        refuse!("{}: its rows are games, but `compare` needs searches", result.name);
    }
    let resolve_column = |gate: Gate| gate.column(&base.frame).map(|column| (gate, column));
    let gates: Vec<_> =
        gates.into_iter().map(resolve_column).collect::<Result<_, _>>().map_err(CommandFailure::usage)?;
    let gates_only_saved = gates.iter().all(|(_, column)| column == columns::SAVED);
    if let Some((gate, _)) = gates.first().filter(|_| gates_only_saved) {
        let message = "the worth of cutoffs cannot decide alone, because it leaves out the cost of best moves that \
            the table forgets";
        return Err(CommandFailure::usage(gate.refuse(message, "gate nodes or score_error too")));
    }
    if let Some((gate, _)) = gates.iter().find(|(gate, _)| gate.is_on_any_change())
        && let Some(result) = [&base, &new].into_iter().find(|result| is_not_repeatable(result))
    {
        let message = format!(
            "gate `{gate}`: the searches of {} do not repeat, so their counts always change: give a bound, as in \
             \"nodes > +5%\"",
            result.name
        );
        return Err(CommandFailure::new(Exit::Unequal, message));
    }
    let mut comparison = Comparison::new(&mut base, &mut new, &gates).map_err(CommandFailure::usage)?;
    comparison.moves_allowed = args.allow_moves;
    let mut manifests = [&base, &new].into_iter().filter_map(|result| result.manifest.as_ref());
    if let Some(misleading) = manifests.find_map(Misleading::from_manifest) {
        misleading.mark_gates(&mut comparison);
    }

    let render_page = |comparison: &Comparison| html::render(&comparison::sheet(comparison));
    let render_summary = |comparison: &Comparison| {
        markdown::render(&comparison::summary_sheet(comparison), markdown::Style { level: 3, links_figures: false })
    };
    let renderers: [fn(&Comparison) -> String; 5] =
        [machine::junit, render_summary, render_page, machine::comparison_json, machine::bench_json];
    let mut is_stdout_used = false;
    for (path, render_format) in outputs.into_iter().zip(renderers) {
        let Some(path) = path.as_deref() else { continue };
        if is_stdout(path) {
            print!("{}", render_format(&comparison));
            is_stdout_used = true;
        } else {
            super::write(path, &render_format(&comparison))?;
        }
    }
    if args.quiet && !is_stdout_used {
        println!("{}", comparison::headline(&comparison));
    } else if !is_stdout_used {
        super::terminal::show(&comparison::sheet(&comparison));
    }
    let missing_rows = [&base, &new].map(|result| result.missing.as_ref().map(|message| (&result.name, message)));
    missing_rows.iter().flatten().for_each(|(name, message)| eprintln!("{name}: {message}"));
    Ok(exit_code(comparison.finding(), missing_rows.iter().any(Option::is_some)))
}

/// If a result is incomplete, the exit code never means success.
fn exit_code(finding: Finding, is_incomplete: bool) -> Exit {
    match finding {
        Finding::Gate => Exit::Gate,
        Finding::Missing => Exit::Failed,
        Finding::Unequal => Exit::Unequal,
        Finding::Fine if is_incomplete => Exit::Failed,
        Finding::Fine => Exit::Done,
    }
}

/// Whether a result has rows of an engine whose counts differ between repeated searches. If only
/// the order of the searches matters to an engine, chains make its counts repeat.
fn is_not_repeatable(result: &RecordedResult) -> bool {
    let exact = Repeatability::Exact.to_string();
    let mut engines = result.manifest.iter().flat_map(|manifest| manifest.run.subjects.values());
    if engines.any(|engine| engine.repeats != exact && !engine.forgets) {
        return false;
    }
    let repeatabilities = result.frame.text_column(columns::REPEATS);
    repeatabilities.list().iter().any(|repeatability| !repeatability.is_empty() && *repeatability != exact)
}

/// The advice to the user if a result cannot be read.
const HELP: &str = "give two folders that `ttlab run` wrote, or their results.csv";

#[cfg(test)]
mod tests;
