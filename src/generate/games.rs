//! Games of an engine against itself.

use super::{MakeError, Wanted};
use crate::chess::generate::{self, GenerateOptions};
use crate::chess::{Board, Color, EpRule, Increments, Move, Score, san};
use crate::engine::{Engine, EngineOptions, Limit};
use crate::table::{TableKind, TableOptions};
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

/// The engine that plays: alpha-beta with quiescence, draws on, no table, so that every move depends on its position alone.
pub struct Player {
    engine: Engine,
}

impl Player {
    /// A player.
    ///
    /// # Errors
    /// When the engine cannot be made.
    pub fn new() -> Result<Self, MakeError> {
        let table = TableOptions { kind: TableKind::None, ..TableOptions::default() };
        Ok(Self { engine: Engine::new(&EngineOptions { draws: true, table, ..EngineOptions::default() }, None)? })
    }

    /// The best move of a position and its score for the side to move; none where there is no legal move.
    pub fn best(&mut self, board: &Board, past: &[Board], depth: u8) -> Option<(Move, Score)> {
        if !board.has_legal_move() {
            return None;
        }
        let limit = Limit { depth: Some(depth), nodes: None };
        let found = self.engine.search(board, past, limit, &AtomicBool::new(false), &mut |_| {});
        found.iterations.last().map(|last| (last.best, last.score))
    }

    /// A game from a position: the positions before each move, and the moves. It ends with a mate, a stalemate, the third occurrence of a
    /// position, fifty moves or `length` plies.
    pub fn game(&mut self, start: &Board, length: u16, depth: u8) -> (Vec<Board>, Vec<Move>) {
        let (mut board, mut past, mut moves) = (*start, Vec::<Board>::new(), Vec::new());
        self.engine.new_game();
        for _ in 0..length {
            let drawn = past.iter().filter(|earlier| earlier.identity() == board.identity()).count() >= 2;
            if drawn || board.halfmove_clock() >= 100 {
                break;
            }
            let Some((best, _)) = self.best(&board, &past, depth) else { break };
            past.push(board);
            moves.push(best);
            board.play(best, Increments::none());
        }
        past.push(board);
        (past, moves)
    }
}

/// Openings to play from.
pub(super) fn openings(wanted: &Wanted, count: usize) -> Result<Vec<Board>, MakeError> {
    Ok(generate::generate(&GenerateOptions { count, seed: wanted.seed, plies: wanted.plies })?)
}

/// Games as PGN: a header that says how they were made, then each game's text to `write` as it ends, until that says that nobody reads any more.
///
/// # Errors
/// If the openings or the player cannot be made.
pub fn pgn(wanted: &Wanted, mut write: impl FnMut(&str) -> bool) -> Result<(), MakeError> {
    let Wanted { count, seed, plies, length, depth } = *wanted;
    let boards = openings(wanted, count)?;
    let mut player = Player::new()?;
    let mut read = write(&format!(
        "% Games of an engine against itself: {count} games of up to {length} plies from quiet opening positions, seed {seed}.\n\
         % Made by `ttlab generate --count {count} --seed {seed} --plies {plies} --games {length} --depth {depth}`.\n"
    ));
    for (at, board) in boards.iter().enumerate() {
        if !read {
            break;
        }
        let (past, moves) = player.game(board, length, depth);
        read = write(&format!("\n{}", text(&past, &moves, at + 1)));
    }
    Ok(())
}

/// One game, as PGN.
fn text(past: &[Board], moves: &[Move], number: usize) -> String {
    let mut line = String::new();
    for (board, &mv) in past.iter().zip(moves) {
        let _ = write!(line, "{}{} ", turn(board, line.is_empty()), san::write(board, mv));
    }
    let (start, end) = (&past[0], &past[past.len() - 1]);
    let result = match (end.has_legal_move(), end.in_check(), end.turn()) {
        (true, ..) => "*",
        (false, false, _) => "1/2-1/2",
        (false, true, Color::White) => "0-1",
        (false, true, Color::Black) => "1-0",
    };
    format!(
        "[Event \"self.{number:03}\"]\n[SetUp \"1\"]\n[FEN \"{}\"]\n[Result \"{result}\"]\n{line}{result}\n",
        start.fen(EpRule::Legal)
    )
}

/// The number before a move: before each of White's, and before the first.
fn turn(board: &Board, first: bool) -> String {
    let number = board.game_ply() / 2 + 1;
    match board.turn() {
        Color::White => format!("{number}. "),
        Color::Black if first => format!("{number}... "),
        Color::Black => String::new(),
    }
}
