//! Positions and rules: the board, moves, keys and the readers of FEN, EPD and PGN.

pub mod attacks;
pub mod bitboard;
pub mod board;
pub mod epd;
pub mod fault;
pub mod fen;
pub mod increments;
pub mod keyaudit;
pub mod keys;
pub mod movegen;
pub mod moves;
pub mod opcode;
pub mod order;
pub mod perft;
pub mod pgn;
mod pgn_lexer;
mod play;
pub mod san;
pub mod score;
pub mod see;
mod state;
pub mod types;
pub mod unique;
mod validity;

pub use bitboard::Bitboard;
pub use board::Board;
pub use fen::{FenError, Strictness};
pub use increments::Increments;
pub use keys::{EpRule, Generator, KeyOptions, Keys, Scheme};
pub use movegen::{captures, legal};
pub use moves::{Move, MoveList};
pub use order::GenerationOrder;
pub use score::{Bound, Score};
pub use types::{Color, Piece, Square};
