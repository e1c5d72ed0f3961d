//! Setting a board up from its parts.

use super::board::Board;
use super::codes::{CODES, EMPTY};
use super::state::StateBits;
use super::types::{Color, Piece, Square};

/// The parts of a position from which a board is assembled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setup {
    pub(super) squares: [Option<(Color, Piece)>; 64],
    pub(super) turn: Color,
    pub(super) castling: u8,
    pub(super) en_passant: Option<Square>,
    pub(super) halfmove_clock: u16,
    pub(super) game_ply: u16,
}

impl Board {
    /// The start position. Key and sum are 0 until [`Board::rekey`].
    pub fn startpos() -> Self {
        use Piece::{Bishop, King, Knight, Queen, Rook};
        let mut squares = [None; 64];
        for (file, piece) in [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook].into_iter().enumerate() {
            squares[file] = Some((Color::White, piece));
            squares[8 + file] = Some((Color::White, Piece::Pawn));
            squares[48 + file] = Some((Color::Black, Piece::Pawn));
            squares[56 + file] = Some((Color::Black, piece));
        }
        let turn = Color::White;
        Self::assemble(&Setup { squares, turn, castling: 0b1111, en_passant: None, halfmove_clock: 0, game_ply: 0 })
    }

    /// Assembles a board. The caller has checked that there is one king of each colour, and that
    /// the castling rights and the e.p. square are possible.
    pub(super) fn assemble(setup: &Setup) -> Self {
        let mut board = Self {
            planes: [0; 4],
            squares: [EMPTY as u8; 64],
            key: 0,
            checkers: 0,
            sum: 0,
            state: StateBits::new(setup.turn, setup.castling, setup.en_passant, setup.halfmove_clock, setup.game_ply),
        };
        for (square, content) in setup.squares.iter().enumerate() {
            if let Some((color, piece)) = *content {
                let code = CODES[piece as usize] + color as usize * 8;
                board.toggle(code, 1 << square);
                board.squares[square] = code as u8;
            }
        }
        board.checkers = board.attackers(board.king(setup.turn), !setup.turn, board.occupied()).0;
        board
    }
}
