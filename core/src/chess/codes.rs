//! The codes of pieces: four bits for each square, stored twice, as a mailbox and as four
//! bitboards, one for each bit.
//!
//! A move changes four words at fixed addresses, whichever piece moves or is captured. This is
//! faster than six bitboards by kind and two by colour, because the processor would learn late
//! which of those a move changes.
//! Source: G. Isenberg, "Quad-Bitboards", Chess Programming Wiki.

use super::types::Piece;

pub(super) const EMPTY: usize = 0;
/// The code of each white piece. The code of a black piece is 8 more. The three low bits are the
/// planes in which the piece is. The third plane has all sliders. The diagonal sliders are also in
/// the first plane, and the straight sliders are also in the second plane.
pub(super) const CODES: [usize; 6] = [1, 2, 5, 6, 7, 3];
impl Piece {
    /// The number is the low bits of the piece's code, so that boards need not compute it. 0 is the
    /// number of an empty square.
    pub const fn number(self) -> usize {
        CODES[self as usize]
    }
}

/// The kind of piece, by the three low bits of its code.
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
/// For each code and plane, all ones if the plane has the piece with this code, otherwise 0.
pub(super) static PLANE_MASKS: [[u64; 4]; 16] = {
    let mut masks = [[0; 4]; 16];
    let mut code = 0;
    while code < 16 {
        let mut plane = 0;
        while plane < 4 {
            masks[code][plane] = if code >> plane & 1 == 1 { !0 } else { 0 };
            plane += 1;
        }
        code += 1;
    }
    masks
};
