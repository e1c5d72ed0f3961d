//! Generates legal moves in the order called `purple`.
//!
//! The counts of every alpha-beta search depend on this order, so the order must not change. Moves
//! that the following list does not distinguish are sorted by destination, from a1 to h8:
//!
//! - pawn pushes by one square, then pawn pushes by two squares
//! - pawn captures toward the a-file, then toward the h-file
//! - en passant captures toward the a-file, then toward the h-file
//! - promotions by a push, by a capture toward the a-file, and by a capture toward the h-file, each
//!   to a knight, a bishop, a rook and a queen
//! - castling on the king's side, then on the queen's side
//! - the moves of knights, rooks, bishops, queens and the king, in this order. Pieces of one kind
//!   are sorted by their square. The captures of each piece come before its other moves.
//!
//! Source: the program Purple of "Writing a Chess Engine: Move Selection".

use super::attacks;
use super::bitboard::Bitboard;
use super::board::{Board, rights};
use super::moves::{Move, MoveList};
use super::types::{Color, Piece, Square};

/// Appends the legal moves to `list` in `purple` order.
pub fn legal(board: &Board, list: &mut MoveList) {
    generate_kind::<_, ALL>(board, list);
}

/// Returns the legal move whose UCI notation is `word`, such as `e2e4` or `e7e8q`.
pub fn parse_move(board: &Board, word: &str) -> Option<Move> {
    let from = Square::parse(word.get(..2)?)?;
    let mut moves = MoveList::new();
    legal(board, &mut moves);
    moves.iter().copied().find(|mv| mv.from() == from && mv.to_string() == word)
}

/// Passes the legal captures to a sink in `purple` order. En passant and promotions that capture
/// are included, other promotions are not.
pub fn generate_captures_into<S: Sink>(board: &Board, sink: &mut S) {
    generate_kind::<_, CAPTURES>(board, sink);
}

/// Passes the legal captures and promotions to a sink in `purple` order.
pub fn generate_noisy_into<S: Sink>(board: &Board, sink: &mut S) {
    generate_kind::<_, NOISY>(board, sink);
}

/// Passes the legal moves that neither capture nor promote to a sink, in `purple` order.
pub fn generate_quiets_into<S: Sink>(board: &Board, sink: &mut S) {
    generate_kind::<_, QUIETS>(board, sink);
}

/// Passes the legal moves to a sink in `purple` order, until the sink stops the generation.
#[inline]
pub fn generate_into<S: Sink>(board: &Board, sink: &mut S) {
    generate_kind::<_, ALL>(board, sink);
}

const ALL: u8 = 0;
const CAPTURES: u8 = 1;
const NOISY: u8 = 2;
const QUIETS: u8 = 3;

pub fn count_legal(board: &Board) -> u64 {
    let mut leaves = LeafCount(0);
    generate_kind::<_, ALL>(board, &mut leaves);
    leaves.0
}

pub(super) fn has_any_move(board: &Board) -> bool {
    let mut sink = FirstMove { found: false };
    generate_kind::<_, ALL>(board, &mut sink);
    sink.found
}

/// Appends the legal castling moves to `list`, the king's side first. The side to move must not be
/// in check.
pub(super) fn castling_moves(board: &Board, list: &mut MoveList) {
    match board.turn() {
        Color::White => Legality::<true>::new(board).castling_moves(list),
        Color::Black => Legality::<false>::new(board).castling_moves(list),
    };
}

/// Receives moves as they are generated. Each call returns whether generation should stop.
pub trait Sink {
    /// Receives one move. Returns whether generation should stop.
    fn add(&mut self, mv: Move) -> bool;

    /// Receives the moves of one piece. Returns whether generation should stop.
    #[inline]
    fn add_piece_moves(&mut self, _: Piece, from: Square, targets: Bitboard) -> bool {
        for to in targets {
            if self.add(Move::new(from, to)) {
                return true;
            }
        }
        false
    }

    /// Receives one pawn move to each of the `targets`. `step` is the index of the target square
    /// minus the index of the pawn's square. Returns whether generation should stop.
    #[inline]
    fn add_pawn_moves(&mut self, targets: Bitboard, step: i8) -> bool {
        for to in targets {
            if self.add(Move::new(origin(to, step), to)) {
                return true;
            }
        }
        false
    }

    /// Like [`Sink::add_pawn_moves`], but for pawn moves to the last rank. Each of these moves
    /// stands for four promotions.
    #[inline(always)]
    fn add_promotions(&mut self, targets: Bitboard, step: i8) -> bool {
        for to in targets {
            for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
                if self.add(Move::promoting(origin(to, step), to, piece)) {
                    return true;
                }
            }
        }
        false
    }
}

impl Sink for MoveList {
    #[inline]
    fn add(&mut self, mv: Move) -> bool {
        self.push(mv);
        false
    }
}

struct LeafCount(u64);

impl Sink for LeafCount {
    #[inline]
    fn add(&mut self, _: Move) -> bool {
        self.0 += 1;
        false
    }

    #[inline]
    fn add_piece_moves(&mut self, _: Piece, _: Square, targets: Bitboard) -> bool {
        self.0 += u64::from(Bitboard::count(targets));
        false
    }

    #[inline]
    fn add_pawn_moves(&mut self, targets: Bitboard, _: i8) -> bool {
        self.0 += u64::from(Bitboard::count(targets));
        false
    }
}

struct FirstMove {
    found: bool,
}

impl Sink for FirstMove {
    #[inline]
    fn add(&mut self, _: Move) -> bool {
        self.found = true;
        true
    }
}

/// `step` is the index of `to` minus the index of the returned square.
#[inline]
pub const fn origin(to: Square, step: i8) -> Square {
    Square::new((to.index() as u8).wrapping_sub(step as u8))
}

/// Shifts `squares` by one rank forward, as seen by the colour, and by `file_step` files toward the
/// h-file. `file_step` is -1, 0 or 1. Squares that would leave the board are dropped.
#[inline]
pub(super) const fn ahead<const WHITE: bool>(squares: u64, file_step: i8) -> u64 {
    let squares = match file_step {
        -1 => (squares & !Bitboard::FILE_A.0) >> 1,
        1 => (squares << 1) & !Bitboard::FILE_A.0,
        _ => squares,
    };
    if WHITE { squares << 8 } else { squares >> 8 }
}

/// Generates the legal moves of one kind until `sink` stops the generation.
#[inline]
fn generate_kind<S: Sink, const KIND: u8>(board: &Board, sink: &mut S) {
    match board.turn() {
        Color::White => Legality::<true>::new(board).generate::<S, KIND>(sink),
        Color::Black => Legality::<false>::new(board).generate::<S, KIND>(sink),
    };
}

/// A board, and what is needed to decide whether moves of the side to move are legal.
struct Legality<'a, const WHITE: bool> {
    board: &'a Board,
    occupied: u64,
    us: u64,
    them: u64,
    king: Square,
    checkers: u64,
    pinned: u64,
}

impl<'a, const WHITE: bool> Legality<'a, WHITE> {
    const US: Color = if WHITE { Color::White } else { Color::Black };
    const THEM: Color = if WHITE { Color::Black } else { Color::White };

    #[inline]
    fn new(board: &'a Board) -> Self {
        let king = board.king(Self::US);
        let (us, them) = (board.pieces_of(Self::US).0, board.pieces_of(Self::THEM).0);
        let occupied = board.occupied().0;
        let mut pinned = 0;
        let aligned_sliders =
            attacks::bishop_rays(king) & board.diagonal_sliders() | attacks::rook_rays(king) & board.straight_sliders();
        for slider in aligned_sliders & Bitboard(them) {
            let blockers = attacks::between(king, slider) & Bitboard(occupied);
            if !blockers.has_several() {
                pinned |= blockers.0 & us;
            }
        }
        Self { board, occupied, us, them, king, checkers: board.checkers().0, pinned }
    }

    /// Generates the legal moves of one kind. Returns whether the sink stopped the generation. Most
    /// positions have neither a check nor a pin, so there is a compiled copy for them.
    #[inline]
    fn generate<S: Sink, const KIND: u8>(self, sink: &mut S) -> bool {
        if self.checkers == 0 && self.pinned == 0 {
            Self { checkers: 0, pinned: 0, ..self }.generate_legal::<S, KIND>(sink)
        } else {
            self.generate_legal::<S, KIND>(sink)
        }
    }

    #[inline(always)]
    fn generate_legal<S: Sink, const KIND: u8>(&self, sink: &mut S) -> bool {
        let checkers = Bitboard(self.checkers);
        // The squares on which a move must end, unless the king moves. In a single check, these are
        // the square of the checker and the squares between the checker and the king. In a double
        // check, only the king can move.
        let check_mask = match checkers.first() {
            None => !0,
            Some(checker) if !checkers.has_several() => attacks::between(self.king, checker).0 | checkers.0,
            Some(_) => return self.king_moves::<S, KIND>(sink),
        };
        if self.pawn_moves::<S, KIND>(sink, check_mask) {
            return true;
        }
        if matches!(KIND, ALL | QUIETS) && checkers.is_empty() && self.castling_moves(sink) {
            return true;
        }
        let targets = check_mask & self.targets_of_kind::<KIND>();
        let own_pieces = |piece| self.board.pieces(Self::US, piece);
        for from in own_pieces(Piece::Knight) & Bitboard(!self.pinned) {
            if self.pass_moves::<S, KIND>(sink, Piece::Knight, from, attacks::knight(from).0 & targets) {
                return true;
            }
        }
        let occupied = Bitboard(self.occupied);
        for from in own_pieces(Piece::Rook) {
            let reached = self.restrict_if_pinned(from, attacks::rook_toward(from, occupied, Bitboard(targets)).0);
            if self.pass_moves::<S, KIND>(sink, Piece::Rook, from, reached & targets) {
                return true;
            }
        }
        for from in own_pieces(Piece::Bishop) {
            let reached = self.restrict_if_pinned(from, attacks::bishop(from, occupied).0);
            if self.pass_moves::<S, KIND>(sink, Piece::Bishop, from, reached & targets) {
                return true;
            }
        }
        for from in own_pieces(Piece::Queen) {
            let reached = attacks::bishop(from, occupied).0 | attacks::rook_toward(from, occupied, Bitboard(targets)).0;
            let reached = self.restrict_if_pinned(from, reached);
            if self.pass_moves::<S, KIND>(sink, Piece::Queen, from, reached & targets) {
                return true;
            }
        }
        self.king_moves::<S, KIND>(sink)
    }

    #[inline]
    fn targets_of_kind<const KIND: u8>(&self) -> u64 {
        match KIND {
            ALL => !self.us,
            QUIETS => !self.occupied,
            _ => self.them,
        }
    }

    /// A pinned piece can only move along the line through its square and the king.
    #[inline]
    fn restrict_if_pinned(&self, from: Square, targets: u64) -> u64 {
        if self.pinned >> from.index() & 1 == 0 { targets } else { targets & attacks::line(self.king, from).0 }
    }

    /// Passes the moves of a piece to the sink. If moves of all kinds are generated, the captures
    /// come first. Returns whether the sink stopped the generation.
    #[inline]
    fn pass_moves<S: Sink, const KIND: u8>(&self, sink: &mut S, piece: Piece, from: Square, targets: u64) -> bool {
        match KIND {
            ALL => {
                sink.add_piece_moves(piece, from, Bitboard(targets & self.them))
                    || sink.add_piece_moves(piece, from, Bitboard(targets & !self.them))
            }
            _ => sink.add_piece_moves(piece, from, Bitboard(targets)),
        }
    }

    /// Generates the pawn moves. All of them except en passant captures must end on
    /// `check_mask`. Returns whether the sink stopped the generation.
    #[inline(always)]
    fn pawn_moves<S: Sink, const KIND: u8>(&self, sink: &mut S, check_mask: u64) -> bool {
        let (third_rank, last_rank) = if WHITE { (0xff_0000, 0xff << 56) } else { (0xff << 40, 0xff) };
        let (push_step, west_step, east_step) = if WHITE { (8, 7, 9) } else { (-8, -9, -7) };
        let pawns = self.board.pieces(Self::US, Piece::Pawn).0;
        let unpinned_pawns = pawns & !self.pinned;
        let empty = !self.occupied;

        // A pinned pawn can still be pushed along the file of its king.
        let pushable_pawns = unpinned_pawns | pawns & attacks::file(self.king).0;
        let one_ahead = if KIND == CAPTURES { 0 } else { ahead::<WHITE>(pushable_pawns, 0) & empty };
        let pushes = one_ahead & check_mask;
        // Toward the h-file, White's captures go along diagonals, Black's along antidiagonals.
        let captures_toward = |file_step| {
            let king_line =
                if WHITE == (file_step == 1) { attacks::diagonal(self.king) } else { attacks::antidiagonal(self.king) };
            ahead::<WHITE>(unpinned_pawns | pawns & king_line.0, file_step) & self.them & check_mask
        };
        // A pawn that can step to the third rank may step again.
        let quiet_pushes = || {
            (Bitboard(pushes & !last_rank), Bitboard(ahead::<WHITE>(one_ahead & third_rank, 0) & empty & check_mask))
        };
        if KIND == QUIETS {
            let (single, double) = quiet_pushes();
            return sink.add_pawn_moves(single, push_step) || sink.add_pawn_moves(double, 2 * push_step);
        }
        let (west_captures, east_captures) = (captures_toward(-1), captures_toward(1));
        if KIND == ALL {
            let (single, double) = quiet_pushes();
            if sink.add_pawn_moves(single, push_step) || sink.add_pawn_moves(double, 2 * push_step) {
                return true;
            }
        }
        if sink.add_pawn_moves(Bitboard(west_captures & !last_rank), west_step)
            || sink.add_pawn_moves(Bitboard(east_captures & !last_rank), east_step)
        {
            return true;
        }
        if let Some(target) = self.board.en_passant() {
            let [west, east] = Self::en_passant_captures(self.board, target, [west_step, east_step]);
            if sink.add_pawn_moves(west, west_step) || sink.add_pawn_moves(east, east_step) {
                return true;
            }
        }
        (pushes | west_captures | east_captures) & last_rank != 0
            && (sink.add_promotions(Bitboard(pushes & last_rank), push_step)
                || sink.add_promotions(Bitboard(west_captures & last_rank), west_step)
                || sink.add_promotions(Bitboard(east_captures & last_rank), east_step))
    }

    /// Returns `target` for each step by which a pawn may capture en passant, otherwise no square.
    /// A step is the index of `target` minus the index of the pawn's square.
    #[inline(never)]
    fn en_passant_captures(board: &Board, target: Square, steps: [i8; 2]) -> [Bitboard; 2] {
        let capturers = board.en_passant_capturers(target, Self::THEM);
        steps.map(|step| {
            let from = origin(target, step);
            let is_legal = capturers.has(from) && board.en_passant_is_safe(from, target, Self::THEM, 0);
            Bitboard(u64::from(is_legal) << target.index())
        })
    }

    /// Generates the castling moves. Returns whether the sink stopped the generation.
    #[inline]
    fn castling_moves<S: Sink>(&self, sink: &mut S) -> bool {
        let (king_side, queen_side, home_rank_start) = if WHITE {
            (rights::WHITE_KING, rights::WHITE_QUEEN, 0)
        } else {
            (rights::BLACK_KING, rights::BLACK_QUEEN, 56)
        };
        let rights = self.board.castling() & (king_side | queen_side);
        if rights == 0 {
            return false;
        }
        // On the first rank, f1 and g1 are 0x60, b1 to d1 are 0x0e, g1 is 0x40 and c1 is 0x04.
        let is_clear = |squares: u64| self.occupied & squares << home_rank_start == 0;
        let are_safe = |path: u64| Self::safe_squares(self.board, path << home_rank_start) == path << home_rank_start;
        let can_castle = |right, path, king_path| rights & right != 0 && is_clear(path) && are_safe(king_path);
        can_castle(king_side, 0x60, 0x60)
            && sink.add_piece_moves(Piece::King, self.king, Bitboard(0x40 << home_rank_start))
            || can_castle(queen_side, 0x0e, 0x0c)
                && sink.add_piece_moves(Piece::King, self.king, Bitboard(0x04 << home_rank_start))
    }

    /// Those of the squares on which no enemy piece would attack the king. After its move, the king
    /// no longer blocks a slider.
    #[inline(never)]
    fn safe_squares(board: &Board, squares: u64) -> u64 {
        let occupied_without_king = board.occupied() ^ board.pieces(Self::US, Piece::King);
        let is_attacked = |square| !board.attackers(square, Self::THEM, occupied_without_king).is_empty();
        Bitboard(squares).fold(squares, |safe, square| safe & !(u64::from(is_attacked(square)) << square.index()))
    }

    #[inline]
    fn king_moves<S: Sink, const KIND: u8>(&self, sink: &mut S) -> bool {
        let targets = attacks::king(self.king).0 & self.targets_of_kind::<KIND>();
        targets != 0
            && self.pass_moves::<S, KIND>(sink, Piece::King, self.king, Self::safe_squares(self.board, targets))
    }
}
