//! The positions used to examine an engine. They are built in, so that no other file is needed.

use crate::chess::suite::SuiteOptions;
use crate::chess::{Board, Increments, Move};
use crate::experiment::builtin;
use crate::subject::Position;
use std::path::Path;

/// The built-in suite of games between human players.
const GAMES: &str = "builtin:human-explore";

/// The number of searches in each game. Their positions are two plies apart, so that the same side
/// is to move.
pub const SEARCHES_PER_GAME: usize = 3;

/// Every third game comes first, because neighbouring games come from the same match.
const GAME_STRIDE: usize = 3;

/// The number of plies before the first search of the first game.
const FIRST_PLY: usize = 20;

/// The searches of each game begin this many plies later than those of the game before.
const PLY_STEP: usize = 8;

/// After this many games, the searches begin at [`FIRST_PLY`] again.
const PLY_CYCLE: usize = 5;

#[derive(Debug, Clone)]
pub struct GamePosition {
    pub start: Board,
    pub moves: Vec<Move>,
    pub past: Vec<Board>,
    pub board: Board,
}

impl GamePosition {
    pub fn with_history(&self) -> Position<'_> {
        Position { start: &self.start, moves: &self.moves, past: &self.past, board: &self.board }
    }
}

/// A game is left out if it is too short for [`SEARCHES_PER_GAME`] searches.
pub fn games() -> Vec<Vec<GamePosition>> {
    let suite = builtin::load(Path::new(GAMES), SuiteOptions::default());
    let items = suite.map(|suite| suite.items).unwrap_or_default();
    let games: Vec<_> = items.iter().filter_map(|item| Some((item.board, item.game_moves()?))).collect();
    let games = (0..GAME_STRIDE).flat_map(|first| games.iter().skip(first).step_by(GAME_STRIDE)).copied().enumerate();
    let select_positions = |(index, (start, game)): (usize, (Board, &[Move]))| {
        let first_ply = FIRST_PLY + PLY_STEP * (index % PLY_CYCLE);
        let (mut board, mut past, mut positions) = (start, Vec::new(), Vec::new());
        for (ply, &mv) in game.iter().enumerate() {
            // Only every second ply is selected, so that the same side is always to move.
            let is_selected = ply >= first_ply && (ply - first_ply).is_multiple_of(2);
            if is_selected && positions.len() < SEARCHES_PER_GAME {
                positions.push(GamePosition { start, moves: game[..ply].to_vec(), past: past.clone(), board });
            }
            past.push(board);
            board.play(mv, Increments::none());
        }
        (positions.len() == SEARCHES_PER_GAME).then_some(positions)
    };
    games.filter_map(select_positions).collect()
}

/// Positions that engines often get wrong: en passant, castling, promotions, double checks, a
/// single legal move, and very many legal moves.
pub const TRICKY_POSITIONS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    // The king may not castle through an attacked square, but the rook may pass one.
    "r3k2r/8/8/5R2/8/8/8/R3K2R b KQkq - 0 1",
    "r3k2r/8/8/1R6/8/8/8/4K3 b kq - 0 1",
    // An en passant capture that would expose the king along the rank.
    "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
    "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1",
    // An en passant capture that answers a check.
    "8/8/8/2k5/3Pp3/8/8/4K2B b - d3 0 1",
    "4k3/P7/8/8/8/8/p7/4K3 w - - 0 1",
    "1n2k3/P1P5/8/8/8/8/p1p5/1N2K3 b - - 0 1",
    // Promotion to a queen is stalemate.
    "8/5P1k/8/6K1/8/8/8/8 w - - 0 1",
    // Double checks, which only a king move can answer.
    "4k3/8/8/8/8/5n2/4r3/4K3 w - - 0 1",
    "4k3/4R3/5N2/8/8/8/8/4K3 b - - 0 1",
    // There is only one legal move.
    "k7/8/1K6/8/8/8/8/1R6 b - - 0 1",
    // The fifty-move counter is nearly full.
    "8/8/4k3/8/8/3RK3/8/8 w - - 98 120",
    "8/8/4k3/8/8/3RK3/8/8 w - - 99 120",
    // There are 218 legal moves.
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    // Pieces pinned along every line.
    "4k3/8/8/q2b2r1/8/2NBN3/r2RKR1q/8 w - - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/8/8/8/8/6k1/4K2R w K - 0 1",
];

/// A position with one legal move, which ends nothing.
pub const ONE_LEGAL_MOVE: &str = "7k/8/8/8/8/8/6PP/r5K1 w - - 0 1";

pub const NO_LEGAL_MOVES: &[&str] =
    &["rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"];

/// Positions with the number of moves to mate; negative if the side to move is mated.
pub const MATES: &[(&str, i32)] = &[
    ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", 1),
    ("k3r3/8/8/8/8/8/5PPP/6K1 b - - 0 1", 1),
    ("7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", 1),
    ("k7/8/2K5/8/8/8/8/7R w - - 0 1", 2),
    ("7r/8/8/8/8/2k5/8/K7 b - - 0 1", 2),
    ("k7/2K5/8/8/8/8/7R/8 b - - 0 1", -1),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{MoveList, legal};

    /// An hour's examination needs at least 24 games.
    #[test]
    fn built_in_games_give_three_consistent_positions_each() {
        let games = games();
        assert!(games.len() >= 24, "{}", games.len());
        for game in &games {
            assert_eq!(game.len(), SEARCHES_PER_GAME);
            for position in game {
                let (mut board, mut past) = (position.start, Vec::new());
                for &mv in &position.moves {
                    past.push(board);
                    board.play(mv, Increments::none());
                }
                assert!(board == position.board);
                assert!(past == position.past);
                assert!(board.has_legal_move());
                assert!(board.turn() == game[0].board.turn());
            }
            assert_eq!(game[1].moves.len(), game[0].moves.len() + 2);
        }
    }

    #[test]
    fn tricky_positions_have_moves_and_ended_games_none() {
        let board = |fen: &str| Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let count_moves = |fen: &str| {
            let mut moves = MoveList::new();
            legal(&board(fen), &mut moves);
            moves.len()
        };
        assert!(TRICKY_POSITIONS.iter().all(|fen| count_moves(fen) > 0));
        assert!(NO_LEGAL_MOVES.iter().all(|fen| count_moves(fen) == 0));
        assert_eq!(count_moves(ONE_LEGAL_MOVE), 1);
        assert!(TRICKY_POSITIONS.iter().any(|fen| count_moves(fen) == 218));
    }

    /// Whether the side to move mates within this number of moves.
    fn mates_within(board: &Board, moves: i32) -> bool {
        let mut list = MoveList::new();
        legal(board, &mut list);
        list.iter().any(|&mv| {
            let mut next = *board;
            next.play(mv, Increments::none());
            is_mated_within(&next, moves - 1)
        })
    }

    /// Whether the side to move is mated within this number of moves; 0 means that it is mated
    /// already.
    fn is_mated_within(board: &Board, moves: i32) -> bool {
        let mut list = MoveList::new();
        legal(board, &mut list);
        if list.is_empty() {
            return !board.checkers().is_empty();
        }
        moves > 0
            && list.iter().all(|&mv| {
                let mut next = *board;
                next.play(mv, Increments::none());
                mates_within(&next, moves)
            })
    }

    #[test]
    fn mates_take_exactly_the_listed_number_of_moves() {
        for &(fen, moves) in MATES {
            let board = Board::from_fen(fen).unwrap();
            let has_mate_within =
                |moves: i32| if moves > 0 { mates_within(&board, moves) } else { is_mated_within(&board, -moves) };
            assert!(has_mate_within(moves), "{fen}");
            assert!(moves == 1 || !has_mate_within(moves - moves.signum()), "{fen}");
        }
    }
}
