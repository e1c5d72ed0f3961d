//! The positions that an engine is examined on: built in, so that nothing but the engine is needed.

use crate::chess::suite::{Suite, SuiteOptions};
use crate::chess::{Board, Increments, Move};
use std::path::Path;

/// Games that people played.
const GAMES: &str = "builtin:human-explore";

/// Searches along each game: of one side, two plies apart.
pub const ALONG: usize = 3;

/// One of how many games is taken: neighbours are of one match.
const EVERY: usize = 3;

/// Plies that the searches of the first game begin after, how much later those of the next do, and how many games until it begins anew.
const FROM: (usize, usize, usize) = (20, 8, 5);

/// A position within a game.
#[derive(Debug, Clone)]
pub struct Reached {
    /// Where the game began.
    pub start: Board,
    /// The moves from there.
    pub moves: Vec<Move>,
    /// The positions on the way.
    pub past: Vec<Board>,
    /// The position.
    pub board: Board,
}

/// The positions that are searched along each game.
pub fn games() -> Vec<Vec<Reached>> {
    let read = Suite::load(Path::new(GAMES), SuiteOptions::default());
    let items = read.map(|suite| suite.items).unwrap_or_default();
    let games = items.iter().filter_map(|item| Some((item.board, item.game()?))).step_by(EVERY).enumerate();
    let along = |(at, (start, game)): (usize, (Board, &[Move]))| {
        let from = FROM.0 + FROM.1 * (at % FROM.2);
        let (mut board, mut past, mut found) = (start, Vec::new(), Vec::new());
        for (ply, &mv) in game.iter().enumerate() {
            if ply >= from && (ply - from).is_multiple_of(2) && found.len() < ALONG {
                found.push(Reached { start, moves: game[..ply].to_vec(), past: past.clone(), board });
            }
            past.push(board);
            board.play(mv, Increments::none());
        }
        (found.len() == ALONG).then_some(found)
    };
    games.filter_map(along).collect()
}

/// Positions whose rules engines get wrong: captures in passing, castling, promotions, double checks, one legal move, and many.
pub const RULES: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    // The king may not castle through a check, and the rook may.
    "r3k2r/8/8/5R2/8/8/8/R3K2R b KQkq - 0 1",
    "r3k2r/8/8/1R6/8/8/8/4K3 b kq - 0 1",
    // A capture in passing that would open the rank to the own king.
    "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
    "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1",
    // A capture in passing answers the check.
    "8/8/8/2k5/3Pp3/8/8/4K2B b - d3 0 1",
    "4k3/P7/8/8/8/8/p7/4K3 w - - 0 1",
    "1n2k3/P1P5/8/8/8/8/p1p5/1N2K3 b - - 0 1",
    // Promotion to a queen stalemates.
    "8/5P1k/8/6K1/8/8/8/8 w - - 0 1",
    // Double checks leave the king's moves alone.
    "4k3/8/8/8/8/5n2/4r3/4K3 w - - 0 1",
    "4k3/4R3/5N2/8/8/8/8/4K3 b - - 0 1",
    // One legal move.
    "k7/8/1K6/8/8/8/8/1R6 b - - 0 1",
    // The fifty-move counter near its end.
    "8/8/4k3/8/8/3RK3/8/8 w - - 98 120",
    "8/8/4k3/8/8/3RK3/8/8 w - - 99 120",
    // 218 legal moves.
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    // Pieces pinned on every line.
    "4k3/8/8/q2b2r1/8/2NBN3/r2RKR1q/8 w - - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/8/8/8/8/6k1/4K2R w K - 0 1",
];

/// Positions without a legal move: a client need not ask for them.
pub const ENDED: &[&str] =
    &["rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"];

/// Mates, and in how many moves of the side to move; below 0 where it is mated.
pub const MATES: &[(&str, i32)] = &[
    ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", 1),
    ("k3r3/8/8/8/8/8/5PPP/6K1 b - - 0 1", 1),
    ("7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", 1),
    ("k7/8/2K5/8/8/8/8/7R w - - 0 1", 2),
    ("7r/8/8/8/8/2k5/8/K7 b - - 0 1", 2),
    ("k7/2K5/8/8/8/8/7R/8 b - - 0 1", -1),
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::chess::{MoveList, legal};

    /// Enough games for an hour's examination, each with three searches of one side whose moves lead to their boards.
    #[test]
    fn games_are_searched_where_they_are_in_play() {
        let games = games();
        assert!(games.len() >= 24, "{}", games.len());
        for game in &games {
            assert_eq!(game.len(), ALONG);
            for reached in game {
                let (mut board, mut past) = (reached.start, Vec::new());
                for &mv in &reached.moves {
                    past.push(board);
                    board.play(mv, Increments::none());
                }
                assert!(board == reached.board && past == reached.past);
                assert!(board.has_legal_move() && board.turn() == game[0].board.turn());
            }
            assert_eq!(game[1].moves.len(), game[0].moves.len() + 2);
        }
    }

    #[test]
    fn positions_are_what_they_are_called() {
        let board = |fen: &str| Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let count = |fen: &str| {
            let mut moves = MoveList::new();
            legal(&board(fen), &mut moves);
            moves.len()
        };
        assert!(RULES.iter().all(|fen| count(fen) > 0));
        assert!(ENDED.iter().all(|fen| count(fen) == 0));
        assert!(RULES.iter().any(|fen| count(fen) == 1) && RULES.iter().any(|fen| count(fen) == 218));
    }

    /// Whether the side to move mates in so many moves at most; 0: it is mated.
    fn mates(board: &Board, moves: i32) -> bool {
        let mut list = MoveList::new();
        legal(board, &mut list);
        list.iter().any(|&mv| {
            let mut next = *board;
            next.play(mv, Increments::none());
            is_mated(&next, moves - 1)
        })
    }

    /// Whether the side to move is mated in so many moves at most.
    fn is_mated(board: &Board, moves: i32) -> bool {
        let mut list = MoveList::new();
        legal(board, &mut list);
        if list.is_empty() {
            return !board.checkers().is_empty();
        }
        moves > 0
            && list.iter().all(|&mv| {
                let mut next = *board;
                next.play(mv, Increments::none());
                mates(&next, moves)
            })
    }

    #[test]
    fn mates_take_as_many_moves_as_they_are_said_to() {
        for &(fen, moves) in MATES {
            let board = Board::from_fen(fen).unwrap();
            let within = |moves: i32| if moves > 0 { mates(&board, moves) } else { is_mated(&board, -moves) };
            assert!(within(moves), "{fen}");
            assert!(moves == 1 || !within(moves - moves.signum()), "{fen}");
        }
    }
}
