//! Positions and rules: the board, moves, keys and the readers of FEN, EPD and PGN.

pub mod keys;
pub mod moves;
pub mod order;
pub mod score;
pub mod types;

pub use moves::{Move, MoveList};
pub use score::{Bound, Score};
pub use types::{Color, Piece, Square};
