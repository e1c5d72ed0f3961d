//! Plays games of the engine against itself.

use super::{GenerateRequest, SuiteError};
use crate::chess::generate::{self, GenerateOptions};
use crate::chess::{Board, Color, EpRule, Increments, Move, Score, san};
use crate::engine::{Engine, EngineOptions, Limit};
use crate::table::{TableKind, TableOptions};
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

/// The engine that plays against itself. It searches by alpha-beta with quiescence and recognizes
/// draws. It has no table, so that no move depends on earlier searches.
pub struct SelfPlay {
    engine: Engine,
}

impl SelfPlay {
    pub fn new() -> Result<Self, SuiteError> {
        let table = TableOptions { kind: TableKind::None, ..TableOptions::default() };
        Ok(Self { engine: Engine::new(&EngineOptions { draws: true, table, ..EngineOptions::default() }, None)? })
    }

    /// `past` are the earlier positions of the game.
    pub fn best_move(&mut self, board: &Board, past: &[Board], depth: u8) -> Option<(Move, Score)> {
        if !board.has_legal_move() {
            return None;
        }
        let limit = Limit { depth: Some(depth), nodes: None };
        let outcome = self.engine.search(board, past, limit, &AtomicBool::new(false), &mut |_| {});
        outcome.iterations.last().map(|last| (last.best, last.score))
    }

    /// Plays a game from `start`. Returns the positions before each move and at the end of the
    /// game, and the moves. The game ends at mate or stalemate, at the third occurrence of a
    /// position, after fifty moves without a capture or pawn move, or after `length` plies.
    pub fn play_game(&mut self, start: &Board, length: u16, depth: u8) -> (Vec<Board>, Vec<Move>) {
        let (mut board, mut past, mut moves) = (*start, Vec::<Board>::new(), Vec::new());
        self.engine.new_game();
        for _ in 0..length {
            let earlier_occurrences = past.iter().filter(|earlier| earlier.identity() == board.identity()).count();
            if earlier_occurrences >= 2 || board.halfmove_clock() >= 100 {
                break;
            }
            let Some((best, _)) = self.best_move(&board, &past, depth) else { break };
            past.push(board);
            moves.push(best);
            board.play(best, Increments::none());
        }
        past.push(board);
        (past, moves)
    }
}

pub(super) fn openings(request: &GenerateRequest, count: usize) -> Result<Vec<Board>, SuiteError> {
    Ok(generate::generate(&GenerateOptions { count, seed: request.seed, plies: request.plies })?)
}

/// Plays games and writes them as PGN. First writes a header that says how to regenerate the games,
/// then each game as soon as it has ended. Stops when `write` returns false.
pub fn pgn(request: &GenerateRequest, mut write: impl FnMut(&str) -> bool) -> Result<(), SuiteError> {
    let GenerateRequest { count, seed, plies, length, depth } = *request;
    let boards = openings(request, count)?;
    let mut player = SelfPlay::new()?;
    let header = format!(
        "% Games of an engine against itself: {count} games of up to {length} plies from quiet opening positions, seed {seed}.\n\
         % Made by `ttlab generate --count {count} --seed {seed} --plies {plies} --games {length} --depth {depth}`.\n"
    );
    let games = boards.iter().zip(1..).map(|(board, number)| {
        let (positions, moves) = player.play_game(board, length, depth);
        format!("\n{}", game_text(&positions, &moves, number))
    });
    // The iterator is lazy, so that a game is played only after the previous game was written.
    std::iter::once(header).chain(games).take_while(|text| write(text)).for_each(drop);
    Ok(())
}

/// `positions` are the positions before each move and at the end of the game.
fn game_text(positions: &[Board], moves: &[Move], game_number: usize) -> String {
    let mut movetext = String::new();
    for (board, &mv) in positions.iter().zip(moves) {
        let _ = write!(movetext, "{}{} ", move_number_text(board, movetext.is_empty()), san::write(board, mv));
    }
    let (start, end) = (&positions[0], &positions[positions.len() - 1]);
    let result = match (end.has_legal_move(), end.in_check(), end.turn()) {
        (true, ..) => "*",
        (false, false, _) => "1/2-1/2",
        (false, true, Color::White) => "0-1",
        (false, true, Color::Black) => "1-0",
    };
    format!(
        "[Event \"self.{game_number:03}\"]\n[SetUp \"1\"]\n[FEN \"{}\"]\n[Result \"{result}\"]\n{movetext}{result}\n",
        start.fen(EpRule::Legal)
    )
}

/// The text of the move number before a move. The text is empty for a move of Black, unless it is
/// the first move.
fn move_number_text(board: &Board, is_first: bool) -> String {
    let number = board.game_ply() / 2 + 1;
    match board.turn() {
        Color::White => format!("{number}. "),
        Color::Black if is_first => format!("{number}... "),
        Color::Black => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_move;

    /// The positions and moves of a game whose moves are given in UCI notation.
    fn positions_and_moves(start: &Board, words: &[&str]) -> (Vec<Board>, Vec<Move>) {
        let (mut board, mut past, mut moves) = (*start, Vec::new(), Vec::new());
        for word in words {
            let mv = parse_move(&board, word).unwrap();
            past.push(board);
            moves.push(mv);
            board.play(mv, Increments::none());
        }
        past.push(board);
        (past, moves)
    }

    /// Mates by both sides, a stalemate, an unfinished game; one that starts with Black's move 7.
    #[test]
    fn pgn_game_has_its_result() {
        let game_pgn = |fen: &str, words: &[&str], number: usize| {
            let (past, moves) = positions_and_moves(&Board::from_fen(fen).unwrap(), words);
            game_text(&past, &moves, number)
        };
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(
            game_pgn(start, &["f2f3", "e7e5", "g2g4", "d8h4"], 7),
            format!(
                "[Event \"self.007\"]\n[SetUp \"1\"]\n[FEN \"{start}\"]\n[Result \"0-1\"]\n1. f3 e5 2. g4 Qh4# 0-1\n"
            )
        );
        for (fen, words, result, line) in [
            ("7k/8/5KQ1/8/8/8/8/8 w - - 0 50", &["g6g7"][..], "1-0", "50. Qg7# 1-0"),
            ("7k/8/6K1/5Q2/8/8/8/8 w - - 0 50", &["f5f7"], "1/2-1/2", "50. Qf7 1/2-1/2"),
            ("7k/8/6K1/5Q2/8/8/8/8 b - - 0 7", &["h8g8", "f5e4"], "*", "7... Kg8 8. Qe4 *"),
            ("7k/8/6K1/5Q2/8/8/8/8 b - - 0 7", &[], "*", "*"),
        ] {
            let text = game_pgn(fen, words, 1000);
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(
                (lines[0], lines[3], lines[4], lines.len()),
                ("[Event \"self.1000\"]", format!("[Result \"{result}\"]").as_str(), line, 5)
            );
        }
    }

    /// A game ends exactly at mate, stalemate, the third occurrence, fifty moves, or its length.
    #[test]
    fn game_ends_by_the_rules_or_at_its_length() {
        let mut player = SelfPlay::new().unwrap();
        let mut ending_counts = [0; 4];
        for (fen, length) in [
            ("7k/8/8/8/8/8/6R1/K7 w - - 96 80", 60),
            ("7k/8/8/8/8/8/6R1/K7 w - - 99 80", 60),
            ("7k/8/8/8/8/8/6R1/K7 w - - 100 80", 60),
            ("7k/8/8/8/8/8/5KQ1/8 w - - 0 80", 60),
            ("k7/8/8/8/8/8/8/K7 w - - 0 80", 60),
            ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 30", 60),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0),
        ] {
            let start = Board::from_fen(fen).unwrap();
            let (past, moves) = player.play_game(&start, length, 2);
            assert_eq!((past.len(), past[0]), (moves.len() + 1, start));
            for (index, board) in past.iter().enumerate() {
                let before = past[..index].iter().filter(|earlier| earlier.identity() == board.identity()).count();
                let endings =
                    [!board.has_legal_move(), before >= 2, board.halfmove_clock() >= 100, index == usize::from(length)];
                assert_eq!(endings.contains(&true), index + 1 == past.len(), "{fen}: ply {index}");
                let counted_endings = ending_counts.iter_mut().zip(endings);
                counted_endings.for_each(|(count, is_over)| *count += usize::from(is_over));
                if let Some(mv) = moves.get(index) {
                    let mut next = *board;
                    next.play(*mv, Increments::none());
                    assert_eq!(next, past[index + 1]);
                }
            }
        }
        assert!(ending_counts.iter().all(|&count| count > 0), "each end is met: {ending_counts:?}");
        let mated = Board::from_fen("R5k1/5ppp/8/8/8/8/8/6K1 b - - 1 30").unwrap();
        assert_eq!(player.best_move(&mated, &[], 2), None);
    }
}
