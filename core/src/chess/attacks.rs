//! The squares that pieces attack, from tables that are computed at compile time.
//!
//! Sliding pieces use kindergarten bitboards: the occupied squares of one line are gathered into
//! six bits by a multiplication, and these bits are the index into a table of 4 KiB. All tables
//! together take 80 KiB, of which a search touches only a small part, so most of the caches is left
//! to the transposition table. Magic bitboards would take 840 KiB. Source: G. Isenberg,
//! "Kindergarten Bitboards", Chess Programming Wiki.

use super::bitboard::Bitboard;
use super::types::{Color, Piece, Square};

const FILE_A: u64 = Bitboard::FILE_A.0;
const FILE_B: u64 = FILE_A << 1;
/// The squares c2, d3 ... h7. A multiplication by this number gathers the six inner squares of the
/// a-file in the top six bits.
const FILE_TO_INDEX: u64 = 0x0080_4020_1008_0400;

/// The lines through one square and the attacks from it, together in one cache line.
struct Rays {
    diagonal: u64,
    antidiagonal: u64,
    rank: u64,
    file: u64,
    knight: u64,
    king: u64,
    pawn: [u64; 2],
}

const fn step(square: usize, file_step: i32, rank_step: i32) -> Option<usize> {
    let (file, rank) = (square as i32 % 8 + file_step, square as i32 / 8 + rank_step);
    if file < 0 || file > 7 || rank < 0 || rank > 7 { None } else { Some((rank * 8 + file) as usize) }
}

const fn ray(square: usize, file_step: i32, rank_step: i32, occupied: u64) -> u64 {
    let mut reached = 0;
    let mut current = square;
    while let Some(next) = step(current, file_step, rank_step) {
        reached |= 1 << next;
        if occupied >> next & 1 != 0 {
            break;
        }
        current = next;
    }
    reached
}

const fn leaps(square: usize, steps: &[(i32, i32)]) -> u64 {
    let mut reached = 0;
    let mut index = 0;
    while index < steps.len() {
        let (file_step, rank_step) = steps[index];
        if let Some(next) = step(square, file_step, rank_step) {
            reached |= 1 << next;
        }
        index += 1;
    }
    reached
}

const KNIGHT: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

static LINES: [Rays; 64] = {
    const NONE: Rays = Rays { diagonal: 0, antidiagonal: 0, rank: 0, file: 0, knight: 0, king: 0, pawn: [0, 0] };
    let mut lines = [NONE; 64];
    let mut square = 0;
    while square < 64 {
        lines[square] = Rays {
            diagonal: ray(square, 1, 1, 0) | ray(square, -1, -1, 0),
            antidiagonal: ray(square, -1, 1, 0) | ray(square, 1, -1, 0),
            rank: ray(square, 1, 0, 0) | ray(square, -1, 0, 0),
            file: ray(square, 0, 1, 0) | ray(square, 0, -1, 0),
            knight: leaps(square, &KNIGHT),
            king: leaps(square, &KING),
            pawn: [leaps(square, &[(-1, 1), (1, 1)]), leaps(square, &[(-1, -1), (1, -1)])],
        };
        square += 1;
    }
    lines
};

/// The squares that a slider on one square attacks on an empty board. A search needs these squares
/// for a king at each node.
struct EmptyReach {
    bishop: u64,
    rook: u64,
}

static EMPTY_BOARD: [EmptyReach; 64] = {
    let mut reach = [const { EmptyReach { bishop: 0, rook: 0 } }; 64];
    let mut square = 0;
    while square < 64 {
        reach[square] = EmptyReach {
            bishop: LINES[square].diagonal | LINES[square].antidiagonal,
            rook: LINES[square].rank | LINES[square].file,
        };
        square += 1;
    }
    reach
};

/// The squares that a rook attacks along its rank. The first index is the rook's file. The second
/// index has a bit for each of the six inner squares of the rank, which is set if the square is
/// occupied. The attacked squares are repeated on all eight ranks.
static ALONG_RANK: [[u64; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut index = 0;
        while index < 64 {
            let occupied = (index as u64) << 1;
            table[file][index] = (ray(file, 1, 0, occupied) | ray(file, -1, 0, occupied)) * FILE_A;
            index += 1;
        }
        file += 1;
    }
    table
};

/// The squares that a rook attacks along the a-file. The first index is the rook's rank. The second
/// index has a bit for each of the six inner squares of the file, in the order in which the
/// multiplication by [`FILE_TO_INDEX`] gathers them.
static ALONG_FILE: [[u64; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut rank = 0;
    while rank < 8 {
        let mut inner = 0;
        while inner < 64 {
            let mut occupied = 0;
            let mut bit = 0;
            while bit < 6 {
                occupied |= ((inner >> bit & 1) as u64) << (8 * (bit + 1));
                bit += 1;
            }
            let index = (occupied.wrapping_mul(FILE_TO_INDEX) >> 58) as usize;
            table[rank][index] = ray(rank * 8, 0, 1, occupied) | ray(rank * 8, 0, -1, occupied);
            inner += 1;
        }
        rank += 1;
    }
    table
};

/// The squares strictly between two squares of one line, and the whole line through both.
struct Span {
    between: u64,
    line: u64,
}

static SPANS: [[Span; 64]; 64] = {
    const NONE: Span = Span { between: 0, line: 0 };
    let mut table = [const { [NONE; 64] }; 64];
    let mut a = 0;
    while a < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (file_step, rank_step) = KING[direction];
            let mut b = a;
            let mut between = 0;
            while let Some(next) = step(b, file_step, rank_step) {
                let line = ray(a, file_step, rank_step, 0) | ray(a, -file_step, -rank_step, 0) | 1 << a;
                table[a][next] = Span { between, line };
                between |= 1 << next;
                b = next;
            }
            direction += 1;
        }
        a += 1;
    }
    table
};

#[inline]
fn attacks_along(line: u64, square: usize, occupied: u64) -> u64 {
    let index = ((occupied & line).wrapping_mul(FILE_B) >> 58) as usize;
    ALONG_RANK[square & 7][index] & line
}

#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let (square, lines) = (square.index(), &LINES[square.index()]);
    Bitboard(attacks_along(lines.diagonal, square, occupied.0) | attacks_along(lines.antidiagonal, square, occupied.0))
}

#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let square = square.index();
    Bitboard(attacks_along(LINES[square].rank, square, occupied.0) | attacks_along_file(square, occupied.0))
}

#[inline]
fn attacks_along_file(square: usize, occupied: u64) -> u64 {
    let (file, rank) = (square & 7, square >> 3);
    // The product has the six inner squares of the file in its top bits.
    let index = ((occupied >> file & FILE_A).wrapping_mul(FILE_TO_INDEX) >> 58) as usize;
    ALONG_FILE[rank][index] << file
}

/// The squares that a rook attacks. A rank without any of the `targets`, which is usual if they are
/// the enemy's pieces, is left out.
#[inline]
pub fn rook_toward(square: Square, occupied: Bitboard, targets: Bitboard) -> Bitboard {
    let (square, rank) = (square.index(), LINES[square.index()].rank);
    let along_rank = if rank & targets.0 == 0 { 0 } else { attacks_along(rank, square, occupied.0) };
    Bitboard(along_rank | attacks_along_file(square, occupied.0))
}

#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

#[inline]
pub fn knight(square: Square) -> Bitboard {
    Bitboard(LINES[square.index()].knight)
}

#[inline]
pub fn king(square: Square) -> Bitboard {
    Bitboard(LINES[square.index()].king)
}

#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    Bitboard(LINES[square.index()].pawn[color as usize])
}

#[inline]
pub fn of(piece: Piece, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match piece {
        Piece::Pawn => pawn(color, square),
        Piece::Knight => knight(square),
        Piece::Bishop => bishop(square, occupied),
        Piece::Rook => rook(square, occupied),
        Piece::Queen => queen(square, occupied),
        Piece::King => king(square),
    }
}

#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    Bitboard(EMPTY_BOARD[square.index()].bishop)
}

#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    Bitboard(EMPTY_BOARD[square.index()].rook)
}

/// The other squares of the diagonal parallel to a1-h8.
#[inline]
pub fn diagonal(square: Square) -> Bitboard {
    Bitboard(LINES[square.index()].diagonal)
}

/// The other squares of the diagonal parallel to h1-a8.
#[inline]
pub fn antidiagonal(square: Square) -> Bitboard {
    Bitboard(LINES[square.index()].antidiagonal)
}

#[inline]
pub fn file(square: Square) -> Bitboard {
    Bitboard(LINES[square.index()].file)
}

/// The squares strictly between two squares; empty if they are not on one line.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    Bitboard(SPANS[a.index()][b.index()].between)
}

/// The whole line through two squares, both included; empty if they are not on one line.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    Bitboard(SPANS[a.index()][b.index()].line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slider_attacks_equal_walked_rays() {
        // Every subset would be too many: a multiplicative sequence visits dense and sparse boards
        // alike.
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..2_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let occupied = random & random.rotate_left(29);
            for square in 0..64_usize {
                let walk = |steps: [(i32, i32); 4]| {
                    steps.iter().fold(0, |set, &(file, rank)| set | ray(square, file, rank, occupied))
                };
                let origin = Square::new(square as u8);
                assert_eq!(bishop(origin, Bitboard(occupied)).0, walk([(1, 1), (1, -1), (-1, 1), (-1, -1)]));
                assert_eq!(rook(origin, Bitboard(occupied)).0, walk([(1, 0), (-1, 0), (0, 1), (0, -1)]));
            }
        }
    }

    #[test]
    fn span_between_squares_matches_examples() {
        let square = |name| Square::parse(name).unwrap_or(Square::new(0));
        assert_eq!(between(square("a1"), square("d4")).count(), 2);
        assert_eq!(between(square("a1"), square("b3")).count(), 0);
        assert_eq!(line(square("c1"), square("c2")).count(), 8);
        assert_eq!(line(square("a2"), square("b1")).count(), 2);
        assert_eq!(line(square("a1"), square("b3")).count(), 0);
    }
}
