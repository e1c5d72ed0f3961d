//! Runs `ttlab trace WHAT`, which records the table accesses of searches. A single position or all
//! items of a file are searched.

use super::super::args::{EngineArgs, LimitArgs};
use super::super::{CommandFailure, CommandResult, Exit, out_of_memory, parse_position, refuse_overwrite};
use super::files::{create_output, finish_trace};
use crate::chess::suite::{Item, SuiteKind, SuiteOptions};
use crate::chess::{Board, Increments};
use crate::engine::options::DepthRule;
use crate::engine::{Engine, SearchProgress};
use crate::experiment::builtin;
use crate::memory_watch::stop_on_low_memory;
use crate::text::plural;
use crate::traces::{Event, Recorder, Writer, flags};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The arguments that say which searches are recorded.
// With flattened parts the group has no members of its own, and would never be present.
#[derive(clap::Args)]
#[group(args = ["what"])]
pub struct Args {
    /// A FEN in quotes, startpos, or an .epd, .fen or .pgn file
    what: String,
    #[command(flatten)]
    limit: LimitArgs,
    /// Only the first N items of a file
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    first: Option<u32>,
    /// The trace file to write
    #[arg(short, long)]
    out: PathBuf,
    #[command(flatten)]
    engine: EngineArgs,
}

/// If `args.what` is a file, returns a list for each game, which contains the positions of the game
/// in their order. Otherwise `args.what` is a position.
fn read_games(args: &Args) -> Result<Vec<Vec<Board>>, CommandFailure> {
    let file = Path::new(&args.what);
    if SuiteKind::from_path(file).is_none() && builtin::find(file).is_none() {
        if args.first.is_some() {
            refuse!("--first: {} is a single position, not a file", args.what);
        }
        return Ok(vec![vec![parse_position(&args.what)?]]);
    }
    let suite = builtin::load(file, SuiteOptions::default()).map_err(CommandFailure::usage)?;
    let list_positions = |item: &Item| {
        let later_positions = item.moves().iter().scan(item.board, |board, &mv| {
            board.play(mv, Increments::none());
            Some(*board)
        });
        std::iter::once(item.board).chain(later_positions).collect()
    };
    Ok(suite.items.iter().take(args.first.map_or(usize::MAX, |first| first as usize)).map(list_positions).collect())
}

pub fn run(args: &Args) -> CommandResult {
    // `what` is a position or the path of a file.
    refuse_overwrite(Path::new(&args.what), &args.out)?;
    let games = read_games(args)?;
    let options = args.engine.options()?;
    let limit = args.limit.limit(&options)?;
    let table = crate::table::build(&options.table, None, options.probe.depth == DepthRule::Equal)
        .map_err(CommandFailure::usage)?;
    let Some(table) = table else { refuse!("table.kind: \"none\" has no accesses to record: choose another kind") };
    let writer = Arc::new(Mutex::new(Writer::new(create_output(&args.out)?)));
    let recorder = Recorder::new(table, Arc::clone(&writer));
    let mut engine = Engine::with_table(&options, Box::new(recorder)).map_err(CommandFailure::usage)?;
    let lock_writer = || writer.lock().unwrap_or_else(PoisonError::into_inner);
    // Records that a search or an iteration begins.
    let record_start = |plies: i16, flag: u8| {
        let mut writer = lock_writer();
        let cost = writer.cost();
        writer.push(Event::search(plies, flag, cost));
    };
    let (mut nodes, stop) = (0u64, AtomicBool::new(false));
    let mut search = |boards: &Vec<Board>| {
        engine.new_game();
        let mut last_ply = None;
        for (index, board) in boards.iter().enumerate() {
            let ply = board.game_ply();
            // The number of plies since the previous search, limited to what the trace format can
            // express.
            let plies = ply.saturating_sub(last_ply.unwrap_or(ply)).min(127) as i16;
            last_ply = Some(ply);
            record_start(plies, if index == 0 { flags::GAME } else { 0 });
            if stop.load(Ordering::Relaxed) {
                return;
            }
            engine.search(board, &boards[..index], limit, &stop, &mut |progress| match progress {
                SearchProgress::Begin { .. } => record_start(0, flags::ITERATION),
                SearchProgress::End => {}
                SearchProgress::Iteration(iteration) => {
                    nodes += iteration.search.nodes;
                    lock_writer().set_cost(nodes);
                }
            });
        }
    };
    let ((), memory_ran_out) = stop_on_low_memory(options.memory_grows(), &stop, || games.iter().for_each(&mut search));
    if memory_ran_out {
        return Err(out_of_memory());
    }
    drop(engine);
    let Some(writer) = Arc::into_inner(writer) else {
        return Err(CommandFailure::io("the trace is still being written"));
    };
    let events = finish_trace(writer.into_inner().unwrap_or_else(PoisonError::into_inner), &args.out)?;
    eprintln!("{}: {events} of {}", args.out.display(), plural(nodes, "node"));
    Ok(Exit::Done)
}
