//! Legal moves, in the generation order called `purple`.
//!
//! The order decides the counts of every alpha-beta search, so it is part of the contract (squares
//! ascend from a1): pawn pushes by one, by destination; by two; captures toward the a-file; toward
//! the h-file; en passant toward the a-file, then the h-file; promotions (pushes, captures toward
//! the a-file, toward the h-file; each knight, bishop, rook, queen); castling on the king's side,
//! then the queen's; then knights, rooks, bishops, queens and the king by the square they leave,
//! for each its captures by destination and then its other moves by destination. Source: the
//! program Purple of "Writing a Chess Engine: Move Selection".

use super::attacks;
use super::bitboard::Bitboard;
use super::board::{Board, rights};
use super::moves::{Move, MoveList};
use super::types::{Color, Piece, Square};

/// Appends the legal moves in `purple` order.
pub fn legal(board: &Board, list: &mut MoveList) {
    generate_kind::<_, ALL>(board, list);
}

/// The legal move with this UCI notation, such as `e2e4` or `e7e8q`.
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

/// The kinds of moves that can be generated.
const ALL: u8 = 0;
const CAPTURES: u8 = 1;
const NOISY: u8 = 2;
const QUIETS: u8 = 3;

pub fn count(board: &Board) -> u64 {
    let mut count = LeafCount(0);
    generate_kind::<_, ALL>(board, &mut count);
    count.0
}

pub(super) fn has_any(board: &Board) -> bool {
    let mut sink = FirstMove { found: false };
    generate_kind::<_, ALL>(board, &mut sink);
    sink.found
}

/// Appends the castling moves, king's side first. The side to move must not be in check.
pub(super) fn castling(board: &Board, list: &mut MoveList) {
    match board.turn() {
        Color::White => Legality::<true>::new(board).castling(list),
        Color::Black => Legality::<false>::new(board).castling(list),
    };
}

/// Receives moves as they are generated. Each call returns whether generation should stop.
pub trait Sink {
    /// Receives one move. Returns whether generation should stop.
    fn add(&mut self, mv: Move) -> bool;

    /// Receives the moves of one piece. Returns whether generation should stop.
    #[inline]
    fn add_piece_moves(&mut self, from: Square, targets: Bitboard) -> bool {
        for to in targets {
            if self.add(Move::new(from, to)) {
                return true;
            }
        }
        false
    }

    /// Receives the moves of pawns to `targets`, each from the square `step` before its target.
    /// Returns whether generation should stop.
    #[inline]
    fn add_pawn_moves(&mut self, targets: Bitboard, step: i8) -> bool {
        for to in targets {
            if self.add(Move::new(origin(to, step), to)) {
                return true;
            }
        }
        false
    }

    /// As `pawns`, for moves to the last rank.
    #[inline]
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
    fn add_piece_moves(&mut self, _: Square, targets: Bitboard) -> bool {
        self.0 += u64::from(Bitboard::count(targets));
        false
    }

    #[inline]
    fn add_pawn_moves(&mut self, targets: Bitboard, _: i8) -> bool {
        self.0 += u64::from(Bitboard::count(targets));
        false
    }
}

/// Stops the generation at the first move.
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

/// The square from which a step leads to `to`.
#[inline]
pub const fn origin(to: Square, step: i8) -> Square {
    Square::new((to.index() as u8).wrapping_sub(step as u8))
}

/// The squares one rank ahead of `squares`, as seen by the colour, and `file` files toward the
/// h-file (-1, 0 or 1).
#[inline]
pub(super) const fn ahead<const WHITE: bool>(squares: u64, file: i8) -> u64 {
    let squares = match file {
        -1 => (squares & !Bitboard::FILE_A.0) >> 1,
        1 => (squares << 1) & !Bitboard::FILE_A.0,
        _ => squares,
    };
    if WHITE { squares << 8 } else { squares >> 8 }
}

/// Generates the legal moves of one kind, until `sink` stops it.
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
    pinned: u64,
    /// The enemy's bishops and queens.
    diagonal: u64,
    /// The enemy's rooks and queens.
    straight: u64,
}

/// What is needed to decide whether the king may move to a square.
struct Danger {
    /// The occupied squares without the king: it does not block a slider once it has moved.
    occupied: Bitboard,
    knights: u64,
    /// The squares that the enemy's pawns and king attack.
    near: u64,
}

impl<'a, const WHITE: bool> Legality<'a, WHITE> {
    const US: Color = if WHITE { Color::White } else { Color::Black };
    const THEM: Color = if WHITE { Color::Black } else { Color::White };

    #[inline]
    fn new(board: &'a Board) -> Self {
        let king = board.king(Self::US);
        let (us, them) = (board.pieces_of(Self::US).0, board.pieces_of(Self::THEM).0);
        let occupied = board.occupied().0;
        let (diagonal, straight) = (board.diagonal_sliders().0 & them, board.straight_sliders().0 & them);
        let mut pinned = 0;
        let snipers = attacks::bishop_rays(king).0 & diagonal | attacks::rook_rays(king).0 & straight;
        for sniper in Bitboard(snipers) {
            let blockers = attacks::between(king, sniper) & Bitboard(occupied);
            if !blockers.many() {
                pinned |= blockers.0 & us;
            }
        }
        Self { board, occupied, us, them, king, pinned, diagonal, straight }
    }

    /// What the king must avoid.
    #[inline]
    fn danger(&self) -> Danger {
        let pawns = self.board.kind(Piece::Pawn).0 & self.them;
        let pawn_attacks = if WHITE {
            ahead::<false>(pawns, -1) | ahead::<false>(pawns, 1)
        } else {
            ahead::<true>(pawns, -1) | ahead::<true>(pawns, 1)
        };
        Danger {
            occupied: Bitboard(self.occupied ^ 1 << self.king.index()),
            knights: self.board.kind(Piece::Knight).0 & self.them,
            near: pawn_attacks | attacks::king(self.board.king(Self::THEM)).0,
        }
    }

    /// Generates the legal moves of one kind; returns whether the sink stopped it.
    #[inline]
    fn generate<S: Sink, const KIND: u8>(&self, sink: &mut S) -> bool {
        let checkers = self.board.checkers();
        // The squares where a move must end, unless the king moves: anywhere, or in a single check
        // on the checker or between it and the king.
        let saving = match checkers.first() {
            None => !0,
            Some(checker) if !checkers.many() => attacks::between(self.king, checker).0 | checkers.0,
            Some(_) => return self.king_moves::<S, KIND>(sink),
        };
        if self.pawn_moves::<S, KIND>(sink, saving) {
            return true;
        }
        if matches!(KIND, ALL | QUIETS) && checkers.is_empty() && self.castling(sink) {
            return true;
        }
        let targets = saving & self.targets::<KIND>();
        let pieces = |piece| self.board.pieces(Self::US, piece);
        for from in pieces(Piece::Knight) & Bitboard(!self.pinned) {
            if self.emit::<S, KIND>(sink, from, attacks::knight(from).0 & targets) {
                return true;
            }
        }
        let occupied = Bitboard(self.occupied);
        for from in pieces(Piece::Rook) {
            let reached = self.respecting_pin(from, attacks::rook(from, occupied).0);
            if self.emit::<S, KIND>(sink, from, reached & targets) {
                return true;
            }
        }
        for from in pieces(Piece::Bishop) {
            let reached = self.respecting_pin(from, attacks::bishop(from, occupied).0);
            if self.emit::<S, KIND>(sink, from, reached & targets) {
                return true;
            }
        }
        for from in pieces(Piece::Queen) {
            let reached = self.respecting_pin(from, attacks::queen(from, occupied).0);
            if self.emit::<S, KIND>(sink, from, reached & targets) {
                return true;
            }
        }
        self.king_moves::<S, KIND>(sink)
    }

    /// The squares to which pieces may move, by the kind of moves that is generated.
    #[inline]
    fn targets<const KIND: u8>(&self) -> u64 {
        match KIND {
            ALL => !self.us,
            QUIETS => !self.occupied,
            _ => self.them,
        }
    }

    /// The targets of a piece, restricted to the line of its king if it is pinned.
    #[inline]
    fn respecting_pin(&self, from: Square, targets: u64) -> u64 {
        if self.pinned >> from.index() & 1 == 0 { targets } else { targets & attacks::line(self.king, from).0 }
    }

    /// Passes the moves of a piece to the sink; if all moves are generated, its captures first.
    /// Returns whether the sink stopped it.
    #[inline]
    fn emit<S: Sink, const KIND: u8>(&self, sink: &mut S, from: Square, targets: u64) -> bool {
        match KIND {
            ALL => {
                sink.add_piece_moves(from, Bitboard(targets & self.them))
                    || sink.add_piece_moves(from, Bitboard(targets & !self.them))
            }
            _ => sink.add_piece_moves(from, Bitboard(targets)),
        }
    }

    /// Generates the pawn moves. `saving`: the squares where a move must end because of a check.
    /// Returns whether the sink stopped it.
    #[inline]
    fn pawn_moves<S: Sink, const KIND: u8>(&self, sink: &mut S, saving: u64) -> bool {
        let (third_rank, last_rank) = if WHITE { (0xff_0000, 0xff << 56) } else { (0xff << 40, 0xff) };
        let (north, west, east) = if WHITE { (8, 7, 9) } else { (-8, -9, -7) };
        let pawns = self.board.pieces(Self::US, Piece::Pawn).0;
        let unpinned = pawns & !self.pinned;
        let empty = !self.occupied;

        // A pinned pawn may still move along the line of its king.
        let pushing = unpinned | pawns & attacks::file(self.king).0;
        let one_ahead = ahead::<WHITE>(pushing, 0) & empty;
        let pushes = one_ahead & saving;
        // Toward the h-file, White's captures go along diagonals, Black's along antidiagonals.
        let captures_toward = |file| {
            let diagonal =
                if WHITE == (file == 1) { attacks::diagonal(self.king) } else { attacks::antidiagonal(self.king) };
            ahead::<WHITE>(unpinned | pawns & diagonal.0, file) & self.them & saving
        };
        // A pawn that has stepped to the third rank may step again.
        let quiet_pushes =
            || (Bitboard(pushes & !last_rank), Bitboard(ahead::<WHITE>(one_ahead & third_rank, 0) & empty & saving));
        if KIND == QUIETS {
            let (single, double) = quiet_pushes();
            return sink.add_pawn_moves(single, north) || sink.add_pawn_moves(double, 2 * north);
        }
        let (left_captures, right_captures) = (captures_toward(-1), captures_toward(1));
        if KIND == ALL {
            let (single, double) = quiet_pushes();
            if sink.add_pawn_moves(single, north) || sink.add_pawn_moves(double, 2 * north) {
                return true;
            }
        }
        if sink.add_pawn_moves(Bitboard(left_captures & !last_rank), west)
            || sink.add_pawn_moves(Bitboard(right_captures & !last_rank), east)
        {
            return true;
        }
        if let Some(target) = self.board.en_passant()
            && self.en_passant(sink, target, west, east)
        {
            return true;
        }
        (pushes | left_captures | right_captures) & last_rank != 0
            && (KIND != CAPTURES && sink.add_promotions(Bitboard(pushes & last_rank), north)
                || sink.add_promotions(Bitboard(left_captures & last_rank), west)
                || sink.add_promotions(Bitboard(right_captures & last_rank), east))
    }

    /// Generates the captures en passant, by the steps `west` and `east`; returns whether the sink
    /// stopped it.
    fn en_passant<S: Sink>(&self, sink: &mut S, target: Square, west: i8, east: i8) -> bool {
        let capturers = self.board.en_passant_capturers(target, Self::THEM);
        for step in [west, east] {
            let from = origin(target, step);
            if capturers.has(from)
                && self.board.en_passant_is_safe(from, target, Self::THEM, 0)
                && sink.add_pawn_moves(Bitboard::from_square(target), step)
            {
                return true;
            }
        }
        false
    }

    /// Generates the castling moves; returns whether the sink stopped it.
    #[inline]
    fn castling<S: Sink>(&self, sink: &mut S) -> bool {
        let (king_side, queen_side, base) = if WHITE {
            (rights::WHITE_KING, rights::WHITE_QUEEN, 0)
        } else {
            (rights::BLACK_KING, rights::BLACK_QUEEN, 56)
        };
        let rights = self.board.castling() & (king_side | queen_side);
        if rights == 0 {
            return false;
        }
        let danger = self.danger();
        // Of the first rank: f1 and g1 are 0x60, b1 to d1 0x0e; the king goes to g1 or c1.
        let is_clear = |squares: u64| self.occupied & squares << base == 0;
        let are_safe =
            |squares: [u8; 2]| squares.into_iter().all(|square| self.is_safe(Square::new(square + base), &danger));
        let can_castle = |right, path, king_path| rights & right != 0 && is_clear(path) && are_safe(king_path);
        can_castle(king_side, 0x60, [5, 6]) && sink.add_piece_moves(self.king, Bitboard(0x40 << base))
            || can_castle(queen_side, 0x0e, [3, 2]) && sink.add_piece_moves(self.king, Bitboard(0x04 << base))
    }

    /// Whether the king would not be attacked on `square`.
    #[inline]
    fn is_safe(&self, square: Square, danger: &Danger) -> bool {
        let attackers = attacks::knight(square).0 & danger.knights
            | attacks::bishop(square, danger.occupied).0 & self.diagonal
            | attacks::rook(square, danger.occupied).0 & self.straight
            | Bitboard::from_square(square).0 & danger.near;
        attackers == 0
    }

    /// The squares among `targets` to which the king can move.
    #[inline]
    fn king_targets(&self, targets: u64) -> u64 {
        let targets = attacks::king(self.king).0 & targets;
        if targets == 0 {
            return 0;
        }
        let mut safe_squares = 0;
        let danger = self.danger();
        for to in Bitboard(targets & !danger.near) {
            if self.is_safe(to, &danger) {
                safe_squares |= 1 << to.index();
            }
        }
        safe_squares
    }

    #[inline]
    fn king_moves<S: Sink, const KIND: u8>(&self, sink: &mut S) -> bool {
        let targets = self.king_targets(self.targets::<KIND>());
        self.emit::<S, KIND>(sink, self.king, targets)
    }
}
