use super::{Exit, Failure, Outcome};
use crate::chess::generate::{self, GenerateOptions};
use crate::chess::{Board, EpRule, Increments, san};
use crate::engine::{Engine, EngineOptions, Limit};
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

/// Make a suite from a seed: quiet opening positions, or games played from them
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab generate --count 240 --seed 1 --plies 10 > openings.epd       the file data/openings.epd
  ttlab generate --count 200 --seed 2 --games 40 > selfplay.pgn       the file data/selfplay.pgn

Games are the play of one fixed engine against itself (alpha-beta, quiescence, no table) from such positions.")]
pub struct Args {
    /// The same seed makes the same suite everywhere
    #[arg(long, default_value_t = GenerateOptions::default().seed)]
    seed: u64,
    /// How many positions or games
    #[arg(long, default_value_t = 240, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: u32,
    /// Random plies from the start position; every second walk plays one more
    #[arg(long, default_value_t = GenerateOptions::default().plies)]
    plies: u32,
    /// Play games from the positions, of so many plies at most, and write PGN
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..=400))]
    games: Option<u16>,
    /// Depth of the search that chooses each move of a game
    #[arg(long, default_value_t = 4, requires = "games", value_parser = clap::value_parser!(u8).range(1..=32))]
    depth: u8,
}

pub fn run(args: &Args) -> Outcome {
    let options = GenerateOptions { count: args.count as usize, seed: args.seed, plies: args.plies };
    let Some(plies) = args.games else {
        print!("{}", generate::epd(&options).map_err(Failure::usage)?);
        return Ok(Exit::Done);
    };
    let boards = generate::generate(&options).map_err(Failure::usage)?;
    let table = crate::table::TableOptions { kind: crate::table::TableKind::None, ..Default::default() };
    let engine = EngineOptions { draws: true, table, ..EngineOptions::default() };
    let mut engine = Engine::new(&engine, None).map_err(Failure::usage)?;
    println!(
        "% Games of an engine against itself: {} games of up to {plies} plies from quiet opening positions, seed {}.\n\
         % Made by `ttlab generate --count {} --seed {} --plies {} --games {plies} --depth {}`.",
        args.count, args.seed, args.count, args.seed, args.plies, args.depth
    );
    for (at, board) in boards.iter().enumerate() {
        if !crate::talk::is_heard() {
            break;
        }
        print!("\n{}", game(&mut engine, board, at + 1, plies, args.depth));
    }
    Ok(Exit::Done)
}

/// One game, as PGN.
fn game(engine: &mut Engine, start: &Board, number: usize, plies: u16, depth: u8) -> String {
    let (mut board, mut past, mut moves) = (*start, Vec::<Board>::new(), String::new());
    let limit = Limit { depth: Some(depth), nodes: None };
    engine.new_game();
    for _ in 0..plies {
        let drawn = past.iter().filter(|earlier| earlier.identity() == board.identity()).count() >= 2;
        if !board.has_legal_move() || drawn || board.halfmove_clock() >= 100 {
            break;
        }
        let found = engine.search(&board, &past, limit, &AtomicBool::new(false), &mut |_| {});
        let Some(best) = found.iterations.last().map(|last| last.best) else { break };
        let _ = write!(moves, "{}{} ", turn(&board, moves.is_empty()), san::write(&board, best));
        past.push(board);
        board.play(best, Increments::none());
    }
    let result = match (board.has_legal_move(), board.in_check(), board.turn()) {
        (true, ..) => "*",
        (false, false, _) => "1/2-1/2",
        (false, true, crate::chess::Color::White) => "0-1",
        (false, true, crate::chess::Color::Black) => "1-0",
    };
    format!(
        "[Event \"self.{number:03}\"]\n[SetUp \"1\"]\n[FEN \"{}\"]\n[Result \"{result}\"]\n{moves}{result}\n",
        start.fen(EpRule::Legal)
    )
}

/// The number before a move: before each of White's, and before the first.
fn turn(board: &Board, first: bool) -> String {
    let number = board.game_ply() / 2 + 1;
    match board.turn() {
        crate::chess::Color::White => format!("{number}. "),
        crate::chess::Color::Black if first => format!("{number}... "),
        crate::chess::Color::Black => String::new(),
    }
}
