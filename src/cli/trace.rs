use super::{Exit, Failure, Outcome, engine_options, position};
use crate::chess::Board;
use crate::chess::suite::{Suite, SuiteOptions};
use crate::engine::{Engine, Limit};
use crate::table::trace::{Recorder, Writer};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// Record what searches ask of their table and offer to it, for ttlab replay
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab trace startpos --depth 8 -o startpos.trace
  ttlab trace data/bratko-kopec.epd --depth 7 --set table.size='1 MiB' -o bk.trace
                                          the suite's searches one after another, from an empty table each
  ttlab trace data/games.pgn --first 1 --depth 5 -o game.trace
                                          along a game, with what table.clear leaves in the table

16 bytes an event; a probe or a store is one.")]
pub struct Args {
    /// A FEN in quotes, startpos, or an .epd, .fen or .pgn file
    what: String,
    /// Depth of the last iteration, in plies
    #[arg(short, long, value_parser = clap::value_parser!(u8).range(1..))]
    depth: Option<u8>,
    /// Nodes of each search
    #[arg(short, long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Only the first so many items of a file
    #[arg(long)]
    first: Option<usize>,
    /// The trace
    #[arg(short, long)]
    out: PathBuf,
    /// A named starting point for the options
    #[arg(short, long)]
    preset: Option<String>,
    /// Set an option: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
}

/// The positions of each game, or one.
fn items(args: &Args) -> Result<Vec<Vec<Board>>, Failure> {
    let file = Path::new(&args.what);
    let kind = file.extension().and_then(|kind| kind.to_str()).unwrap_or_default().to_ascii_lowercase();
    if !["epd", "fen", "pgn"].contains(&kind.as_str()) {
        return Ok(vec![vec![position(&args.what)?]]);
    }
    let suite = Suite::load(file, SuiteOptions::default()).map_err(Failure::usage)?;
    let first = args.first.unwrap_or(usize::MAX);
    Ok(suite
        .items
        .iter()
        .take(first)
        .map(|item| {
            let mut boards = vec![item.board];
            for &mv in item.moves() {
                let mut next = boards[boards.len() - 1];
                next.play(mv, crate::chess::Increments::none());
                boards.push(next);
            }
            boards
        })
        .collect())
}

pub fn run(args: &Args) -> Outcome {
    let items = items(args)?;
    let options = engine_options(args.preset.as_deref(), &args.sets)?;
    if args.depth.is_none() && (args.nodes.is_none() || options.deepening.step == 0) {
        return Err(Failure::usage("give a limit: --depth N, or --nodes N with deepening"));
    }
    let table = crate::table::build(&options.table, None, options.probe.answers_by_depth()).map_err(Failure::usage)?;
    let Some(table) = table else { return Err(Failure::usage("table.kind: \"none\" leaves nothing to record")) };
    let failed = |error: std::io::Error| Failure::io(format!("{}: {error}", args.out.display()));
    let writer = Arc::new(Mutex::new(Writer::new(File::create(&args.out).map_err(failed)?)));
    let recorder = Recorder::new(table, Arc::clone(&writer));
    let mut engine = Engine::with_table(&options, Box::new(recorder)).map_err(Failure::usage)?;
    let limit = Limit { depth: args.depth, nodes: args.nodes };
    let mut nodes = 0;
    for boards in &items {
        engine.new_game();
        for (ply, board) in boards.iter().enumerate() {
            let outcome = engine.search(board, &boards[..ply], limit, &AtomicBool::new(false), &mut |_| {});
            nodes += outcome.iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>();
        }
    }
    drop(engine);
    let Some(writer) = Arc::into_inner(writer) else { return Err(Failure::io("the trace is still being written")) };
    let (events, _) = writer.into_inner().unwrap_or_else(PoisonError::into_inner).finish().map_err(failed)?;
    eprintln!("{}: {events} events of {nodes} nodes", args.out.display());
    Ok(Exit::Done)
}
