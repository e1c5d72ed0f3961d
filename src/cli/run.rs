use super::{Exit, Failure, Outcome};
use crate::experiment::{Experiment, Plan};
use crate::runner::{self, Output, Settings, progress};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Run an experiment: rows to results.csv, then the report
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab run experiments/quick.toml                     run it; results in reports/quick/
  ttlab run experiments/quick.toml --jobs 4            the same counts, sooner
  ttlab run experiments/quick.toml --set limit.depth=5 another depth, for this once
  ttlab run experiments/published/move-selection.toml --check
                                                       exit 1 if a published figure is not met

A run that was stopped or killed continues where it was when it is given again.
Exit: 0 done, 1 an expectation failed (--check), 2 usage or a bad file, 3 a job failed, 5 input/output,
75 interrupted (the same command continues).")]
pub struct Args {
    /// The experiment file
    file: PathBuf,
    /// Jobs at a time [default: the processors, or 1 where the experiment repeats its searches for timing]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Where the results go [default: reports/<name>]
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Lay a value over every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Exit with 1 if an [[expect]] does not come out as wanted
    #[arg(long)]
    check: bool,
    /// Throw away results that are there
    #[arg(long)]
    fresh: bool,
    /// Run the jobs again that failed
    #[arg(long)]
    retry_failed: bool,
    /// Continue results that another build of ttlab wrote
    #[arg(long)]
    any_build: bool,
    /// No progress and no summary
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(args: &Args) -> Outcome {
    let experiment = Experiment::load(&args.file, &args.sets).map_err(Failure::usage)?;
    let plan = Plan::new(&experiment);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let default = if experiment.file.repeats > 1 { 1 } else { cores };
    let settings = Settings {
        jobs: args.jobs.map_or(default, usize::from),
        retry_failed: args.retry_failed,
        any_build: args.any_build,
        shard: None,
    };
    runner::check_memory(&plan, settings.jobs).map_err(Failure::usage)?;
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("reports").join(&experiment.name));
    let output = Output::open(&folder).map_err(output_failure)?;
    if args.fresh && output.results_path().exists() {
        std::fs::remove_file(output.results_path())
            .map_err(|error| Failure::io(format!("{}: {error}", folder.display())))?;
    }
    output.begin(&experiment, &plan, settings.jobs, settings.any_build).map_err(output_failure)?;

    let stop = stop_flag()?;
    let ran = if args.quiet {
        runner::run(&experiment, &plan, &output, &settings, &stop, &progress::Quiet)
    } else {
        runner::run(&experiment, &plan, &output, &settings, &stop, &progress::Talk::new())
    }
    .map_err(run_failure)?;
    if ran.interrupted {
        eprintln!("interrupted: {} jobs are done; to continue:\n  {}", ran.before + ran.done, command_line());
        return Ok(Exit::Interrupted);
    }
    let report = crate::report::write(&folder).map_err(Failure::io)?;
    if !args.quiet {
        println!("{}", report.text);
        println!("report: {}", folder.join("report.md").display());
    }
    if ran.failed > 0 {
        eprintln!("{} jobs failed: see the error column; --retry-failed runs them again", ran.failed);
        return Ok(Exit::Failed);
    }
    Ok(if args.check && report.verdicts_failed > 0 { Exit::Gate } else { Exit::Done })
}

/// A flag that Ctrl-C and SIGTERM set. A second signal does not wait for the rows in flight.
pub(super) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted as i32);
        }
    })
    .map_err(Failure::io)?;
    Ok(stop)
}

pub(super) fn run_failure(error: runner::RunError) -> Failure {
    match error {
        runner::RunError::Output(error) => output_failure(error),
        runner::RunError::Memory(message) => Failure::usage(message),
        error @ runner::RunError::Write { .. } => Failure::io(error),
    }
}

pub(super) fn output_failure(error: runner::OutputError) -> Failure {
    match error {
        runner::OutputError::Foreign(_) | runner::OutputError::Locked(_) => Failure::usage(error),
        runner::OutputError::Results { error: crate::record::ResultsError::Io(_), .. } => Failure::io(error),
        runner::OutputError::Results { .. } => Failure::usage(error),
        runner::OutputError::Io { .. } => Failure::io(error),
    }
}

/// This command as it can be pasted; what would start over is left out.
pub(super) fn command_line() -> String {
    let quote = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    std::env::args().filter(|word| word != "--fresh").map(quote).collect::<Vec<_>>().join(" ")
}
