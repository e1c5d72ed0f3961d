//! How pieces are coded: four bits for each square, kept twice, as a mailbox and as four bitboards,
//! one for each bit.
//!
//! A move changes four words at fixed places, whatever moves and whatever is captured: that is
//! faster than six bitboards of kinds and two of colours, whose places the processor learns late.
//! Source: G. Isenberg, "Quad-Bitboards", Chess Programming Wiki.

use super::types::Piece;

/// The mailbox code of an empty square.
pub(super) const EMPTY: usize = 0;
/// The code of a white piece; a black one's is 8 more. Its three low bits are the planes that hold
/// the piece: the third is that of the sliders, whose diagonal ones are in the first and straight
/// ones in the second.
pub(super) const CODES: [usize; 6] = [1, 2, 5, 6, 7, 3];
impl Piece {
    /// The number of this kind among 0..8 in tables of kinds, as boards have it at hand; 0 is that
    /// of an empty square.
    pub const fn number(self) -> usize {
        CODES[self as usize]
    }
}

/// The piece of a code's three low bits.
pub(super) const PIECES: [Option<Piece>; 8] = [
    None,
    Some(Piece::Pawn),
    Some(Piece::Knight),
    Some(Piece::King),
    None,
    Some(Piece::Bishop),
    Some(Piece::Rook),
    Some(Piece::Queen),
];
/// By code and plane: all ones if the plane holds the piece.
pub(super) static SPREAD: [[u64; 4]; 16] = {
    let mut spread = [[0; 4]; 16];
    let mut code = 0;
    while code < 16 {
        let mut plane = 0;
        while plane < 4 {
            spread[code][plane] = if code >> plane & 1 == 1 { !0 } else { 0 };
            plane += 1;
        }
        code += 1;
    }
    spread
};
