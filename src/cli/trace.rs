use super::{
    CommandFailure, CommandResult, Exit, engine_options, out_of_memory, position, refuse_overwrite, write_error,
};
use crate::chess::suite::{Item, Suite, SuiteKind, SuiteOptions};
use crate::chess::{Board, Increments};
use crate::engine::options::GamePly;
use crate::engine::{Engine, Limit, SearchProgress};
use crate::record::{NewFile, begin_file, publish};
use crate::system::watch::stop_when_short;
use crate::text::plural;
use crate::traces::{self, Event, Info, Recorder, TraceError, Writer, flags};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Record what a search asks of its table, or inspect traces
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:
  ttlab trace startpos --depth 8 -o startpos.trace
  ttlab trace data/bratko-kopec.epd --depth 7 --set table.size='1 MiB' -o bk.trace
                                          the suite's searches, each from an empty table
  ttlab trace data/games.pgn --first 1 --depth 5 --set table.kind=unbounded -o game.trace
                                          along a game, with the table as table.clear leaves it
  ttlab trace import ethereal.trace -o games.trace
                                          check a trace of another engine (include/ttlab-trace.h)
  ttlab trace info games.trace

Each event (a probe or a store) takes 16 bytes."
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<TraceCommand>,
    #[command(flatten)]
    record: Option<Record>,
}

/// Operations on existing traces.
#[derive(clap::Subcommand)]
enum TraceCommand {
    /// Check traces of other engines, and join them
    #[command(after_help = "Examples:
  ttlab trace import ethereal.trace -o games.trace
  ttlab trace import first.trace second.trace -o both.trace
                                          one after another; the table is cleared between them
  ttlab trace import --repair killed.trace -o whole.trace
                                          keep what the engine wrote before it was killed")]
    Import {
        /// Traces by include/ttlab-trace.h or `ttlab trace`
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The trace to write
        #[arg(short, long)]
        out: PathBuf,
        /// Keep the events before any damage, and end the trace there
        #[arg(long)]
        repair: bool,
    },
    /// Show the contents of a trace
    #[command(after_help = "Example:
  ttlab trace info games.trace")]
    Info {
        /// The trace to read
        file: PathBuf,
    },
    /// Write the stores of a trace for a cache simulator
    #[command(after_help = "Example:
  ttlab trace export games.trace --to libcachesim -o games.oracleGeneral
                                          a TraceReader of libcachesim reads it as TraceType.ORACLE_GENERAL_TRACE")]
    Export {
        /// The trace to export
        file: PathBuf,
        /// The simulator whose format is written
        #[arg(long, value_enum)]
        to: Simulator,
        /// The file to write
        #[arg(short, long)]
        out: PathBuf,
        /// Memory for ids in MiB, at most half of the free memory; more ids need several passes
        #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
        memory: u64,
    },
}

/// The cache simulators whose formats can be written.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Simulator {
    /// libCacheSim, in its format oracleGeneral
    Libcachesim,
}

/// The searches to record.
#[derive(clap::Args)]
struct Record {
    /// A FEN in quotes, startpos, or an .epd, .fen or .pgn file
    what: String,
    /// Depth of the last iteration, in plies
    #[arg(short, long, value_parser = clap::value_parser!(u8).range(1..))]
    depth: Option<u8>,
    /// Nodes of each search
    #[arg(short, long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Only the first N items of a file
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    first: Option<u32>,
    /// The trace file to write
    #[arg(short, long)]
    out: PathBuf,
    /// A named starting point for the options
    #[arg(short, long)]
    preset: Option<String>,
    /// Set an option: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
}

/// The positions of each game, or a single position.
fn items(args: &Record) -> Result<Vec<Vec<Board>>, CommandFailure> {
    let file = Path::new(&args.what);
    if SuiteKind::from_path(file).is_none() {
        if args.first.is_some() {
            refuse!("--first: {} is a single position, not a file", args.what);
        }
        return Ok(vec![vec![position(&args.what)?]]);
    }
    let suite = Suite::load(file, SuiteOptions::default()).map_err(CommandFailure::usage)?;
    let boards = |item: &Item| {
        let after = item.moves().iter().scan(item.board, |board, &mv| {
            board.play(mv, Increments::none());
            Some(*board)
        });
        std::iter::once(item.board).chain(after).collect()
    };
    Ok(suite.items.iter().take(args.first.map_or(usize::MAX, |first| first as usize)).map(boards).collect())
}

pub fn run(args: &Args) -> CommandResult {
    match (&args.command, &args.record) {
        (Some(TraceCommand::Import { files, out, repair }), _) => import(files, out, *repair),
        (Some(TraceCommand::Info { file }), _) => info(file),
        (Some(TraceCommand::Export { file, to: Simulator::Libcachesim, out, memory }), _) => {
            export(file, out, crate::system::cap_at_half_free(memory << 20))
        }
        (None, Some(record)) => self::record(record),
        (None, None) => refuse!("give a position or file to search, or import, info or export"),
    }
}

/// Opens a trace file.
pub fn open(file: &Path) -> Result<File, CommandFailure> {
    // A folder can be opened like a file, but not read.
    let opened = crate::system::files::open(file).and_then(|open| match open.metadata()?.is_dir() {
        true => Err(ErrorKind::IsADirectory.into()),
        false => Ok(open),
    });
    opened.map_err(|error| CommandFailure::usage(format!("{}: {error}", file.display())))
}

/// The error for a trace that cannot be read.
pub fn trace_failure(file: &Path) -> impl Fn(TraceError) -> CommandFailure {
    move |error| match error {
        TraceError::Io(error) => write_error(file)(error),
        error => CommandFailure::usage(format!("{}: {error}", file.display())),
    }
}

/// Begins an output file, which only replaces the old one when it is complete.
fn create_output(out: &Path) -> Result<NewFile, CommandFailure> {
    begin_file(out).map_err(|error| match error.kind() {
        ErrorKind::InvalidInput => CommandFailure::usage(format!("{}: {error}", out.display())),
        _ => write_error(out)(error),
    })
}

/// Completes the output file; returns its number of events, for the message.
fn finish(writer: Writer<NewFile>, out: &Path) -> Result<String, CommandFailure> {
    let (events, to) = writer.finish().map_err(write_error(out))?;
    publish(to, out).map_err(write_error(out))?;
    Ok(plural(events, "event"))
}

fn import(files: &[PathBuf], out: &Path, repair: bool) -> CommandResult {
    files.iter().try_for_each(|file| refuse_overwrite(file, out))?;
    let mut writer = Writer::new(create_output(out)?);
    for (at, file) in files.iter().enumerate() {
        let imported = traces::import(open(file)?, &mut writer, at == 0, repair).map_err(trace_failure(file))?;
        let cut = imported.cut_at.map(|byte| format!(", cut at byte {byte}")).unwrap_or_default();
        eprintln!("{}: {}{cut}", file.display(), plural(imported.events, "event"));
    }
    eprintln!("{}: {}", out.display(), finish(writer, out)?);
    Ok(Exit::Done)
}

fn info(file: &Path) -> CommandResult {
    print!("{}", page(&Info::read(open(file)?).map_err(trace_failure(file))?));
    Ok(Exit::Done)
}

/// The contents of a trace, one figure per line.
fn page(info: &Info) -> String {
    let share = |part: u64, of: u64| match of {
        0 => format!("{part} (-)"),
        of => format!("{part} ({:.1} %)", 100.0 * part as f64 / of as f64),
    };
    let worth = match (info.has_worth(), info.with_subtree > 0) {
        (false, _) => "unknown: the trace records no windows, and no probe ended its node",
        (true, true) => "nodes of each entry's own subtree",
        (true, false) => "nodes searched between a position's probe and its store",
    };
    let rate = match info.nodes {
        0 => String::new(),
        nodes => format!("{:.2} events per node", info.events as f64 / nodes as f64),
    };
    let lines = [
        ("events", info.events.to_string()),
        ("games", info.games.to_string()),
        ("searches", format!("{} ({} recorded)", info.searches, plural(info.iterations, "iteration"))),
        ("clears", info.clears.to_string()),
        ("nodes", info.nodes.to_string()),
        ("", rate),
        ("probes", info.probes.to_string()),
        ("  answered", share(info.hits, info.probes)),
        ("  cut", share(info.cuts, info.probes)),
        ("  windows", share(info.with_window, info.probes)),
        ("stores", info.stores.to_string()),
        ("  exact", share(info.exact, info.stores)),
        ("  lower", share(info.lower, info.stores)),
        ("  no bound", share(info.evaluations, info.stores)),
        ("positions", format!("{}{}", if info.estimated { "about " } else { "" }, info.positions)),
        ("depths", format!("{} to {}", info.min_depth, info.max_depth)),
        ("worth", worth.to_owned()),
    ];
    let text = lines.into_iter().filter(|(_, figure)| !figure.is_empty());
    text.map(|(name, figure)| format!("{name:<12}{figure}\n")).collect()
}

fn export(file: &Path, out: &Path, memory: u64) -> CommandResult {
    refuse_overwrite(file, out)?;
    let from = open(file)?;
    let mut to = create_output(out)?;
    let exported = traces::oracle_general(from, &mut to, memory).map_err(|error| match error {
        TraceError::Io(error) => write_error(out)(error),
        error => trace_failure(file)(error),
    })?;
    publish(to, out).map_err(write_error(out))?;
    eprintln!("{}: {} of {}", out.display(), plural(exported.requests, "request"), plural(exported.ids, "id"));
    Ok(Exit::Done)
}

fn record(args: &Record) -> CommandResult {
    refuse_overwrite(Path::new(&args.what), &args.out)?;
    let items = items(args)?;
    let options = engine_options(args.preset.as_deref(), &args.sets)?;
    if args.depth.is_none() && (args.nodes.is_none() || options.deepening.step == 0) {
        refuse!("give a limit: --depth N, or --nodes N with deepening");
    }
    let table =
        crate::table::build(&options.table, None, options.probe.answers_by_depth()).map_err(CommandFailure::usage)?;
    let Some(table) = table else { refuse!("table.kind: \"none\" has nothing to record: choose a table") };
    let writer = Arc::new(Mutex::new(Writer::new(create_output(&args.out)?)));
    let recorder = Recorder::new(table, Arc::clone(&writer));
    let mut engine = Engine::with_table(&options, Box::new(recorder)).map_err(CommandFailure::usage)?;
    let limit = Limit { depth: args.depth, nodes: args.nodes };
    let writing = || writer.lock().unwrap_or_else(PoisonError::into_inner);
    let mark = |plies: i8, flag: u8| {
        let mut writer = writing();
        let nodes = writer.nodes();
        writer.push(Event::search(plies, flag, nodes));
    };
    let (mut nodes, stop) = (0u64, AtomicBool::new(false));
    let mut search = |boards: &Vec<Board>| {
        engine.new_game();
        let mut last_ply = None;
        for (at, board) in boards.iter().enumerate() {
            let ply = if options.game_ply == GamePly::Zero { 0 } else { board.game_ply() };
            let plies = i8::try_from(ply.saturating_sub(last_ply.unwrap_or(ply))).unwrap_or(i8::MAX);
            last_ply = Some(ply);
            mark(plies, if at == 0 { flags::GAME } else { 0 });
            if stop.load(Ordering::Relaxed) {
                return;
            }
            engine.search(board, &boards[..at], limit, &stop, &mut |progress| match progress {
                SearchProgress::Begin { .. } => mark(0, flags::ITERATION),
                SearchProgress::End => {}
                SearchProgress::Iteration(iteration) => {
                    nodes += iteration.search.nodes;
                    writing().set_nodes(nodes as u32);
                }
            });
        }
    };
    let ((), short) = stop_when_short(options.grows(), &stop, || items.iter().for_each(&mut search));
    if short {
        return Err(out_of_memory());
    }
    drop(engine);
    let Some(writer) = Arc::into_inner(writer) else {
        return Err(CommandFailure::io("the trace is still being written"));
    };
    let events = finish(writer.into_inner().unwrap_or_else(PoisonError::into_inner), &args.out)?;
    eprintln!("{}: {events} of {}", args.out.display(), plural(nodes, "node"));
    Ok(Exit::Done)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
