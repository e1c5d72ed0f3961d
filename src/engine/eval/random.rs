//! A random evaluation: a control whose scores mean nothing. Source: Beal and Smith, "Random
//! evaluations in chess", 1994.

use crate::chess::{Board, Color, Piece};

/// Returns a pseudo-random score in -amplitude..=amplitude, from White's view. It depends only on
/// the pieces and the side to move.
pub fn score(board: &Board, amplitude: i32) -> i32 {
    if amplitude == 0 {
        return 0;
    }
    let mut hash = board.turn() as u64;
    for side in Color::ALL {
        for piece in Piece::ALL {
            // One round of SplitMix64's finaliser for each set of squares.
            hash = hash.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ board.pieces(side, piece).0;
            hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            hash ^= hash >> 31;
        }
    }
    (hash % (2 * amplitude as u64 + 1)) as i32 - amplitude
}
