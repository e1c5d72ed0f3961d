//! Generation orders: the order in which moves are tried before, and between equals of, any other
//! ordering.

use super::board::Board;
use super::keys::mix;
use super::moves::{Move, MoveList};
use super::types::{Color, Piece};
use serde::{Deserialize, Serialize};

/// A named order of the legal moves. Squares ascend from a1 = 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GenerationOrder {
    /// Pawns (pushes, captures, en passant, promotions), castling, knights, rooks, bishops, queens,
    /// king; captures first within each piece. The full rule heads `chess/movegen.rs`. Source:
    /// Purple.
    #[default]
    Purple,
    /// By kind from pawn to king, then by the square left, the square reached, and the promotion
    /// from knight to queen. The article does not state its engine's order: this is what plain
    /// bitboard loops give. Source: Otter.
    Otter,
    /// By kind from king to pawn, then by the square left, then direction by direction: king E W N
    /// S NW NE SE SW and then castling on either side; queen and rook S E W N, queen and bishop SE
    /// SW NW NE, each ray outward; pawns push by one (promoting to queen, knight, bishop, rook),
    /// push by two, capture north-west and north-east (White) or south-east and south-west (Black).
    /// The program keeps piece lists whose order changes in a game; by square stands in for it.
    /// Source: Webster.
    Webster,
    /// By the square left, the square reached and the promotion from knight to queen.
    BySquare,
    /// At random; the same in every visit of a position. For measuring how far chance
    /// moves a count.
    Shuffle,
}

const SHUFFLE_SEED: u64 = 1;

impl GenerationOrder {
    /// Sorts a list of legal moves or legal captures of `board`.
    pub fn sort(self, board: &Board, list: &mut MoveList) {
        let sort_key: &dyn Fn(Move) -> u64 = match self {
            // The moves were generated in this order.
            Self::Purple => return,
            Self::Otter => &|mv| piece_index(board, mv) << 16 | square_key(mv),
            Self::Webster => &|mv| webster_key(board, mv),
            Self::BySquare => &|mv| square_key(mv),
            Self::Shuffle => {
                let mix_next = |bits: u64| mix(bits.wrapping_add(0x9e37_79b9_7f4a_7c15));
                let position_hash = board.planes.iter().fold(SHUFFLE_SEED, |hash, &plane| mix_next(hash ^ plane));
                &move |mv| mix_next(position_hash ^ u64::from(mv.bits()))
            }
        };
        list.sort_unstable_by_key(|&mv| (sort_key(mv), mv.bits()));
    }
}

fn piece_index(board: &Board, mv: Move) -> u64 {
    board.piece_on(mv.from()).map_or(0, |piece| piece as u64)
}

fn square_key(mv: Move) -> u64 {
    let (from, to) = (mv.from().index() as u64, mv.to().index() as u64);
    from << 9 | to << 3 | mv.promotion().map_or(0, |piece| piece as u64)
}

/// Webster's steps as (files, ranks), in the order in which they are tried.
const KING: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (-1, 1), (1, 1), (1, -1), (-1, -1)];
const QUEEN: [(i32, i32); 8] = [(0, -1), (1, 0), (-1, 0), (0, 1), (1, -1), (-1, -1), (-1, 1), (1, 1)];
const KNIGHT: [(i32, i32); 8] = [(-1, 2), (1, 2), (2, 1), (-2, 1), (1, -2), (-1, -2), (-2, -1), (2, -1)];
const WHITE_PAWN: [(i32, i32); 4] = [(0, 1), (0, 2), (-1, 1), (1, 1)];
const BLACK_PAWN: [(i32, i32); 4] = [(0, -1), (0, -2), (1, -1), (-1, -1)];

fn webster_key(board: &Board, mv: Move) -> u64 {
    let piece = board.piece_on(mv.from()).unwrap_or(Piece::Pawn);
    let file_step = i32::from(mv.to().file()) - i32::from(mv.from().file());
    let rank_step = i32::from(mv.to().rank()) - i32::from(mv.from().rank());
    let distance = file_step.abs().max(rank_step.abs());
    let steps: &[(i32, i32)] = match piece {
        Piece::Pawn if board.turn() == Color::White => &WHITE_PAWN,
        Piece::Pawn => &BLACK_PAWN,
        Piece::Knight => &KNIGHT,
        Piece::King => &KING,
        _ => &QUEEN,
    };
    let slides = matches!(piece, Piece::Bishop | Piece::Rook | Piece::Queen);
    let step = if slides { (file_step.signum(), rank_step.signum()) } else { (file_step, rank_step) };
    // Castling comes after all steps of the king. Castling on the king's side, to the east, comes
    // before castling on the queen's side.
    let castling_direction = 8 + u64::from(file_step < 0);
    let direction = steps.iter().position(|&known| known == step).map_or(castling_direction, |index| index as u64);
    let promotion = match mv.promotion() {
        None | Some(Piece::Queen) => 0,
        Some(Piece::Knight) => 1,
        Some(Piece::Bishop) => 2,
        Some(_) => 3,
    };
    (5 - piece as u64) << 20 | (mv.from().index() as u64) << 12 | direction << 8 | (distance as u64) << 4 | promotion
}
