use super::doctor::parse_option;
use super::signals::stop_flag;
use super::{CommandFailure, CommandResult, Exit};
use crate::chess::Board;
use crate::chess::suite::SuiteOptions;
use crate::console::escape_control;
use crate::doctor::to_typed_options;
use crate::engine::Limit;
use crate::experiment::builtin;
use crate::report::number::format_count;
use crate::runner::identify;
use crate::stats::ratio::Ratio;
use crate::subject::options::{CommandLine, SubjectOptions};
use crate::subject::{Position, Subject, Uci, find_program, usage};
use crate::text::plural;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Compare the speed of two builds of an engine
///
/// Both search the same positions to the same depths, in turn. The time is the processor time of
/// the engine where the system tells it (Linux), else the time on the clock.
#[derive(clap::Args)]
#[command(after_help = include_str!("help/speed.txt"))]
pub struct Args {
    /// The old build: a program, or "PROGRAM ARGUMENT ..."
    a: String,
    /// The new build
    b: String,
    /// The positions: an EPD or FEN file
    #[arg(long, value_name = "FILE", default_value = "builtin:bratko-kopec")]
    suite: PathBuf,
    /// Set an option of both engines (may be repeated)
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Seconds to search
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    time: u32,
    /// Search every position to this depth, instead of as deep as takes a fifth of a second
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=MAX_DEPTH))]
    depth: Option<u8>,
}

/// The deepest search by which a position is tried.
const MAX_DEPTH: i64 = 40;

/// A search takes at least this many seconds, because the system counts time in hundredths.
const MIN_SECONDS: f64 = 0.2;

/// With fewer positions no difference can be significant.
const MIN_POSITIONS: usize = 6;

/// One of the two engines.
struct Build {
    /// What the user called it.
    command: String,
    engine: Uci,
    name: String,
    nodes: u64,
    seconds: f64,
}

/// A position that is searched to a depth.
struct Task {
    id: String,
    board: Board,
    depth: u8,
    nodes: Option<u64>,
    /// The seconds of A and of B, over all its searches.
    seconds: [f64; 2],
}

pub fn run(args: &Args) -> CommandResult {
    let stop = stop_flag()?;
    let suite = builtin::load(&args.suite, SuiteOptions::default()).map_err(CommandFailure::usage)?;
    let items = suite.items.into_iter().filter(|item| item.game_moves().is_none() && item.board.has_legal_move());
    let depth = args.depth.unwrap_or(1);
    let mut tasks: Vec<Task> =
        items.map(|item| Task { id: item.id, board: item.board, depth, nodes: None, seconds: [0.0; 2] }).collect();
    if tasks.len() < MIN_POSITIONS {
        refuse!(
            "{}: {} are too few: an interval needs {MIN_POSITIONS}",
            args.suite.display(),
            plural(tasks.len(), "position")
        );
    }
    let mut builds = [Build::start(&args.a, &args.options)?, Build::start(&args.b, &args.options)?];
    let end = Instant::now() + Duration::from_secs(u64::from(args.time));
    if args.depth.is_none() {
        for task in &mut tasks {
            while builds[0].search(task, &stop)? < MIN_SECONDS && i64::from(task.depth) < MAX_DEPTH {
                (task.depth, task.nodes) = (task.depth + 1, None);
            }
        }
    }
    // The first searches only chose depths.
    (builds[0].nodes, builds[0].seconds) = (0, 0.0);
    let mut pairs = 0;
    for round in 0_usize.. {
        for (index, task) in tasks.iter_mut().enumerate() {
            if round > 0 && Instant::now() > end {
                print!("{}", escape_control(&describe(&builds, &tasks, pairs)?));
                return Ok(Exit::Done);
            }
            // Neither build is always the first.
            let first = (round + index) % 2;
            for build in [first, 1 - first] {
                task.seconds[build] += builds[build].search(task, &stop)?;
            }
            pairs += 1;
        }
    }
    Ok(Exit::Done)
}

impl Build {
    fn start(command: &str, options: &[String]) -> Result<Self, CommandFailure> {
        let options = options.iter().map(|text| parse_option(text)).collect::<Result<Vec<_>, _>>()?;
        let words = || command.split_whitespace().map(str::to_owned).collect();
        let uci = if Path::new(command).is_file() {
            CommandLine::Name(command.to_owned())
        } else {
            CommandLine::List(words())
        };
        let program = find_program(&uci, Path::new("")).map_err(CommandFailure::usage)?;
        let subject = SubjectOptions { uci, options: to_typed_options(&options), ..SubjectOptions::default() };
        let launch = identify(&subject, &program, "--option ").map_err(CommandFailure::usage)?;
        let mut engine = Uci::new(launch);
        engine.start().map_err(CommandFailure::usage)?;
        let name = engine.identity().name.clone();
        Ok(Self { command: command.to_owned(), engine, name, nodes: 0, seconds: 0.0 })
    }

    /// Searches a position, whose count must be as in earlier searches. Returns the seconds.
    fn search(&mut self, task: &mut Task, stop: &AtomicBool) -> Result<f64, CommandFailure> {
        let fail = |why: &dyn Display| CommandFailure::new(Exit::Failed, format!("{}: {why}", self.command));
        self.engine.new_game().map_err(|failure| fail(&failure))?;
        let (usage_before, begin) = (usage(), Instant::now());
        let limit = Limit { depth: Some(task.depth), nodes: None };
        let report = self.engine.report(Position::from_board(&task.board), limit, stop);
        let elapsed = begin.elapsed();
        let time = usage_before.zip(usage()).map_or(elapsed, |(before, after)| after.time.saturating_sub(before.time));
        let report = report.map_err(|failure| fail(&failure))?;
        let Some(report) = report else { return Err(CommandFailure::new(Exit::Interrupted, "interrupted")) };
        let nodes = report.nodes.ok_or_else(|| fail(&"it reports no nodes"))?;
        let expected = *task.nodes.get_or_insert(nodes);
        if expected != nodes {
            return Err(CommandFailure::new(
                Exit::Unequal,
                format!(
                    "{}: {nodes} nodes to depth {} of {}, but {expected} before: speeds are compared on equal trees only (`ttlab \
                     new gate` compares counts, `ttlab doctor` says if they repeat)",
                    self.command, task.depth, task.id
                ),
            ));
        }
        self.nodes += nodes;
        self.seconds += time.as_secs_f64();
        Ok(time.as_secs_f64())
    }
}

/// Says which build is faster, by the ratios of the positions' times.
fn describe(builds: &[Build; 2], tasks: &[Task], pairs: usize) -> Result<String, CommandFailure> {
    let timed: Vec<&Task> =
        tasks.iter().filter(|task| task.seconds.iter().all(|&it| it >= MIN_SECONDS / 2.0)).collect();
    if timed.len() < MIN_POSITIONS {
        let timed = plural(timed.len(), "position");
        let message =
            format!("{timed} took long enough to be timed, of at least {MIN_POSITIONS}: give more --time or --depth");
        return Err(CommandFailure::new(Exit::Failed, message));
    }
    let logs = (0..).zip(&timed).map(|(index, task)| (index, (task.seconds[0] / task.seconds[1]).ln()));
    let ratio = Ratio::from_logs(&logs.collect::<Vec<_>>());
    let verdict = match (ratio.excludes_one() && ratio.p < 0.05, ratio.mean > 1.0) {
        (false, _) => "no difference shown by B",
        (true, true) => "B is faster",
        (true, false) => "B is slower",
    };
    let depths = || timed.iter().map(|task| task.depth);
    let mut text = format!(
        "{verdict}: {:.3} times A's nodes a second, 95 % interval [{:.3}, {:.3}]\n",
        ratio.mean, ratio.low, ratio.high
    );
    for (letter, build) in ['A', 'B'].into_iter().zip(builds) {
        let rate = format_count((build.nodes as f64 / build.seconds).round());
        text += &format!("{letter}  {rate} nodes a second  {} ({})\n", build.name, build.command);
    }
    text += &format!(
        "{} to depths {} to {}, {} of searches with equal counts\n",
        plural(timed.len(), "position"),
        depths().min().unwrap_or(0),
        depths().max().unwrap_or(0),
        plural(pairs, "pair")
    );
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::Launch;

    /// Twelve positions whose times of B are these shares of A's, with a spread of 0.4 %.
    fn text(share: f64, seconds: f64) -> Result<String, String> {
        let build = |name: &str| Build {
            command: format!("./{name}"),
            engine: Uci::new(Launch::default()),
            name: name.to_owned(),
            nodes: 2_500_000,
            seconds: 2.0,
        };
        let task = |index: u8| {
            let noise = 1.0 + 0.004 * (f64::from(index % 3) - 1.0);
            let seconds = [seconds, seconds * share * noise];
            Task { id: index.to_string(), board: Board::startpos(), depth: 5 + index, nodes: Some(9), seconds }
        };
        let tasks: Vec<Task> = (0..12).map(task).collect();
        describe(&[build("Old"), build("New")], &tasks, 36).map_err(|failure| failure.message)
    }

    #[test]
    fn faster_and_slower_builds_are_told_apart() {
        for (share, verdict) in [
            (0.98, "B is faster: 1.020 times"),
            (1.02, "B is slower: 0.980 times"),
            (1.0, "no difference shown by B: 1.000 times"),
        ] {
            let text = text(share, 1.0).unwrap();
            assert!(text.starts_with(verdict), "{text}");
            assert!(text.contains("\nB  1,250,000 nodes a second  New (./New)\n"), "{text}");
            assert!(
                text.ends_with("12 positions to depths 5 to 16, 36 pairs of searches with equal counts\n"),
                "{text}"
            );
        }
    }

    #[test]
    fn searches_that_are_too_short_are_refused() {
        assert!(text(1.0, 0.09).unwrap_err().starts_with("0 positions took long enough to be timed, of at least 6"));
    }
}
