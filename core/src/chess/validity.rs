//! Checks whether a set-up position could occur in a game, as far as the position alone shows.

use super::bitboard::Bitboard;
use super::board::{Board, rights};
use super::setup::Setup;
use super::types::{Color, Piece, Square};

/// A flaw of a position, by the field of the FEN that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Illegality {
    /// The placement of the pieces. The square is given if a single square is wrong.
    Placement(Option<Square>, String),
    Turn(String),
    Castling(String),
    /// The square is not behind a pawn that could just have moved two squares. If it is that of
    /// such a pawn, the square that the pawn passed is given.
    EnPassant(Option<Square>, String),
    /// The king of the side to move was in check before the pawn was pushed. This flaw is always
    /// the last one that is checked.
    EnPassantCheck(String),
}

/// Each castling right with its colour, its letter in a FEN and the file of its rook.
const CASTLING: [(u8, Color, char, u8); 4] = [
    (rights::WHITE_KING, Color::White, 'K', 7),
    (rights::WHITE_QUEEN, Color::White, 'Q', 0),
    (rights::BLACK_KING, Color::Black, 'k', 7),
    (rights::BLACK_QUEEN, Color::Black, 'q', 0),
];

pub(super) fn possible_rights(squares: &[Option<(Color, Piece)>; 64], castling: u8) -> u8 {
    let home_piece =
        |file, color| squares[Square::from_file_rank(file, if color == Color::White { 0 } else { 7 }).index()];
    let is_possible = |&&(right, color, _, rook_file): &&(u8, Color, char, u8)| {
        castling & right != 0
            && home_piece(4, color) == Some((color, Piece::King))
            && home_piece(rook_file, color) == Some((color, Piece::Rook))
    };
    CASTLING.iter().filter(is_possible).map(|&(right, ..)| right).sum()
}

fn en_passant_flaw(setup: &Setup) -> Option<Illegality> {
    let target = setup.en_passant?;
    let (rank, pusher) = if setup.turn == Color::White { (5, Color::Black) } else { (2, Color::White) };
    let ranks = if rank == 2 { [1, 3] } else { [6, 4] };
    if target.rank() != rank {
        let player = if pusher == Color::White { "White" } else { "Black" };
        let passed = Square::from_file_rank(target.file(), rank);
        let is_of_pawn = target.rank() == ranks[1] && setup.squares[target.index()] == Some((pusher, Piece::Pawn));
        let message = format!(
            "expected an en passant square on rank {}, behind a double push of {player}, found {target}",
            rank + 1
        );
        return Some(Illegality::EnPassant(is_of_pawn.then_some(passed), message));
    }
    let [origin, pawn_square] = ranks.map(|rank| Square::from_file_rank(target.file(), rank));
    if setup.squares[pawn_square.index()] != Some((pusher, Piece::Pawn)) {
        return Some(Illegality::EnPassant(None, format!("no pawn on {pawn_square} has just passed {target}")));
    }
    for square in [target, origin] {
        if setup.squares[square.index()].is_some() {
            let message = format!("{square} is not empty, so no pawn has just passed {target}");
            return Some(Illegality::EnPassant(None, message));
        }
    }
    // The enemy pushed the pawn. A side cannot be in check while the enemy has the turn, so a check
    // before the push is a flaw. Such a check is tolerated if the side to move is not in check now,
    // because a well-known perft position has such an e.p. square.
    let in_check_now = Board::assemble(setup).in_check();
    let mut before_push = *setup;
    before_push.en_passant = None;
    before_push.squares[origin.index()] = before_push.squares[pawn_square.index()].take();
    (in_check_now && Board::assemble(&before_push).in_check())
        .then(|| Illegality::EnPassantCheck(format!("the side to move was in check before the pawn passed {target}")))
}

pub(super) fn flaw(setup: &Setup) -> Option<Illegality> {
    // The squares are in the order of a FEN, so that the first surplus piece of the text is
    // reported.
    let squares_of = |color, piece: Option<Piece>| {
        let order = (0..8).rev().flat_map(|rank| (0..8).map(move |file| Square::from_file_rank(file, rank)));
        order.filter(move |square| {
            setup.squares[square.index()].is_some_and(|(c, p)| c == color && piece.is_none_or(|piece| piece == p))
        })
    };
    for color in Color::ALL {
        let owner = if color == Color::White { "White" } else { "Black" };
        let king_count = squares_of(color, Some(Piece::King)).count();
        if king_count != 1 {
            let second = squares_of(color, Some(Piece::King)).nth(1);
            return Some(Illegality::Placement(second, format!("expected one king of {owner}, found {king_count}")));
        }
        let piece_count = squares_of(color, None).count();
        if piece_count > 16 {
            return Some(Illegality::Placement(
                squares_of(color, None).nth(16),
                format!("expected at most 16 pieces of {owner}, found {piece_count}"),
            ));
        }
        let pawn_count = squares_of(color, Some(Piece::Pawn)).count();
        if pawn_count > 8 {
            let pawn = squares_of(color, Some(Piece::Pawn)).nth(8);
            return Some(Illegality::Placement(pawn, format!("{owner} has {pawn_count} pawns: at most 8 are allowed")));
        }
    }
    let board = Board::assemble(setup);
    if let Some(square) = (board.kind(Piece::Pawn) & Bitboard::BACK_RANKS).first() {
        return Some(Illegality::Placement(Some(square), format!("a pawn cannot stand on {square}")));
    }
    let (turn, other) = (setup.turn, !setup.turn);
    if !board.attackers(board.king(other), turn, board.occupied()).is_empty() {
        return Some(Illegality::Turn("the side that is not to move is in check".to_owned()));
    }
    if board.checkers().count() > 2 {
        let king = board.king(turn);
        return Some(Illegality::Placement(
            Some(king),
            format!("the king on {king} is in check by more than two pieces"),
        ));
    }
    let impossible_rights = setup.castling & !possible_rights(&setup.squares, setup.castling);
    if let Some((_, _, letter, _)) = CASTLING.iter().find(|&&(right, ..)| impossible_rights & right != 0) {
        let message = format!("the castling right {letter} needs king and rook on their home squares");
        return Some(Illegality::Castling(message));
    }
    en_passant_flaw(setup)
}
