//! Legal moves, in the generation order called `purple`.
//!
//! The order decides the counts of every alpha-beta search, so it is part of the contract (squares ascend from a1):
//! pawn pushes by one, by destination; by two; captures toward the a-file; toward the h-file; en passant toward the
//! a-file, then the h-file; promotions (pushes, captures toward the a-file, toward the h-file; each knight, bishop, rook,
//! queen); castling on the king's side, then the queen's; then knights, rooks, bishops, queens and the king by the square
//! they leave, for each its captures by destination and then its other moves by destination.
//! Source: the program Purple of "Writing a Chess Engine: Move Selection".

use super::attacks;
use super::bitboard::Bitboard;
use super::board::{Board, rights};
use super::moves::{Move, MoveList};
use super::types::{Color, Piece, Square};

/// Appends the legal moves in `purple` order.
pub fn legal(board: &Board, list: &mut MoveList) {
    generate::<_, false>(board, list);
}

/// Appends the legal captures in `purple` order: en passant and promotions that capture included, other promotions not.
pub fn captures(board: &Board, list: &mut MoveList) {
    generate::<_, true>(board, list);
}

/// The number of legal moves.
#[must_use]
pub fn count(board: &Board) -> u64 {
    let mut count = Count(0);
    generate::<_, false>(board, &mut count);
    count.0
}

/// Appends the castling moves, king's side first. Only where the side to move is not in check.
pub(super) fn castling(board: &Board, list: &mut MoveList) {
    match board.turn() {
        Color::White => Position::<true>::new(board).castling(list),
        Color::Black => Position::<false>::new(board).castling(list),
    }
}

/// Receives moves as they are generated.
trait Sink {
    /// Moves of one piece.
    fn piece(&mut self, from: Square, targets: Bitboard);
    /// Pawn moves, all by the same step.
    fn pawns(&mut self, targets: Bitboard, step: i8);
    /// Pawn moves to the last rank, all by the same step.
    fn promotions(&mut self, targets: Bitboard, step: i8);
}

impl Sink for MoveList {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(Move::new(from, to));
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i8) {
        for to in targets {
            self.push(Move::new(origin(to, step), to));
        }
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: i8) {
        for to in targets {
            for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
                self.push(Move::promoting(origin(to, step), to, piece));
            }
        }
    }
}

struct Count(u64);

impl Sink for Count {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.0 += u64::from(Bitboard::count(targets));
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i8) {
        self.0 += u64::from(Bitboard::count(targets));
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: i8) {
        self.0 += u64::from(Bitboard::count(targets)) * 4;
    }
}

/// Where a pawn came from.
#[inline]
pub(super) const fn origin(to: Square, step: i8) -> Square {
    Square::new((to.index() as u8).wrapping_sub(step as u8))
}

/// `squares` one rank ahead, as the colour sees it, and `file` files toward the h-file (-1, 0 or 1).
#[inline]
pub(super) const fn ahead<const WHITE: bool>(squares: u64, file: i8) -> u64 {
    let squares = match file {
        -1 => (squares & !Bitboard::FILE_A.0) >> 1,
        1 => (squares << 1) & !Bitboard::FILE_A.0,
        _ => squares,
    };
    if WHITE { squares << 8 } else { squares >> 8 }
}

#[inline]
fn generate<S: Sink, const CAPTURES: bool>(board: &Board, sink: &mut S) {
    match board.turn() {
        Color::White => Position::<true>::new(board).generate::<S, CAPTURES>(sink),
        Color::Black => Position::<false>::new(board).generate::<S, CAPTURES>(sink),
    }
}

/// A board with what legality needs, for the side to move.
struct Position<'a, const WHITE: bool> {
    board: &'a Board,
    occupied: u64,
    us: u64,
    them: u64,
    king: Square,
    pinned: u64,
    /// The enemy's bishops and queens, rooks and queens, and knights.
    diagonal: u64,
    straight: u64,
    knights: u64,
    /// What the enemy's pawns and king attack.
    near: u64,
}

impl<'a, const WHITE: bool> Position<'a, WHITE> {
    const US: Color = if WHITE { Color::White } else { Color::Black };
    const THEM: Color = if WHITE { Color::Black } else { Color::White };

    #[inline]
    fn new(board: &'a Board) -> Self {
        let king = board.king(Self::US);
        let (us, them) = (board.colored(Self::US).0, board.colored(Self::THEM).0);
        let occupied = board.occupied().0;
        let (diagonal, straight) = (board.diagonal_sliders().0 & them, board.straight_sliders().0 & them);
        let knights = board.kind(Piece::Knight).0 & them;
        let pawns = board.kind(Piece::Pawn).0 & them;
        let pawns = if WHITE {
            ahead::<false>(pawns, -1) | ahead::<false>(pawns, 1)
        } else {
            ahead::<true>(pawns, -1) | ahead::<true>(pawns, 1)
        };
        let near = pawns | attacks::king(board.king(Self::THEM)).0;
        let mut pinned = 0;
        let snipers = attacks::bishop_rays(king).0 & diagonal | attacks::rook_rays(king).0 & straight;
        for sniper in Bitboard(snipers) {
            let blockers = attacks::between(king, sniper) & Bitboard(occupied);
            if !blockers.many() {
                pinned |= blockers.0 & us;
            }
        }
        Self { board, occupied, us, them, king, pinned, diagonal, straight, knights, near }
    }

    #[inline]
    fn generate<S: Sink, const CAPTURES: bool>(&self, sink: &mut S) {
        let checkers = self.board.checkers();
        // Where a move must end to leave no check: anywhere, on the checker or in its way.
        let saving = match checkers.first() {
            None => !0,
            Some(checker) if !checkers.many() => attacks::between(self.king, checker).0 | checkers.0,
            Some(_) => {
                self.king_moves::<S, CAPTURES>(sink);
                return;
            }
        };
        self.pawn_moves::<S, CAPTURES>(sink, saving);
        if !CAPTURES && checkers.is_empty() {
            self.castling(sink);
        }
        let targets = saving & if CAPTURES { self.them } else { !self.us };
        let pieces = |piece| self.board.pieces(Self::US, piece);
        for from in pieces(Piece::Knight) & Bitboard(!self.pinned) {
            self.emit::<S, CAPTURES>(sink, from, attacks::knight(from).0 & targets);
        }
        let occupied = Bitboard(self.occupied);
        for from in pieces(Piece::Rook) {
            let reached = self.unpinned(from, attacks::rook(from, occupied).0);
            self.emit::<S, CAPTURES>(sink, from, reached & targets);
        }
        for from in pieces(Piece::Bishop) {
            let reached = self.unpinned(from, attacks::bishop(from, occupied).0);
            self.emit::<S, CAPTURES>(sink, from, reached & targets);
        }
        for from in pieces(Piece::Queen) {
            let reached = self.unpinned(from, attacks::queen(from, occupied).0);
            self.emit::<S, CAPTURES>(sink, from, reached & targets);
        }
        self.king_moves::<S, CAPTURES>(sink);
    }

    /// A pinned piece stays on the line of its king.
    #[inline]
    fn unpinned(&self, from: Square, targets: u64) -> u64 {
        if self.pinned >> from.index() & 1 == 0 { targets } else { targets & attacks::line(self.king, from).0 }
    }

    #[inline]
    fn emit<S: Sink, const CAPTURES: bool>(&self, sink: &mut S, from: Square, targets: u64) {
        sink.piece(from, Bitboard(targets & self.them));
        if !CAPTURES {
            sink.piece(from, Bitboard(targets & !self.them));
        }
    }

    #[inline]
    fn pawn_moves<S: Sink, const CAPTURES: bool>(&self, sink: &mut S, saving: u64) {
        let (third, last) = if WHITE { (0xff_0000, 0xff << 56) } else { (0xff << 40, 0xff) };
        let (north, west, east) = if WHITE { (8, 7, 9) } else { (-8, -9, -7) };
        let pawns = self.board.pieces(Self::US, Piece::Pawn).0;
        let free = pawns & !self.pinned;
        let empty = !self.occupied;

        // A pinned pawn may still move along the line of its king.
        let pushing = free | pawns & attacks::file(self.king).0;
        let steps = ahead::<WHITE>(pushing, 0) & empty;
        let pushes = steps & saving;
        let toward = |file| {
            let diagonal =
                if WHITE == (file == 1) { attacks::diagonal(self.king) } else { attacks::antidiagonal(self.king) };
            ahead::<WHITE>(free | pawns & diagonal.0, file) & self.them & saving
        };
        let (left, right) = (toward(-1), toward(1));

        if !CAPTURES {
            sink.pawns(Bitboard(pushes & !last), north);
            sink.pawns(Bitboard(ahead::<WHITE>(steps & third, 0) & empty & saving), 2 * north);
        }
        sink.pawns(Bitboard(left & !last), west);
        sink.pawns(Bitboard(right & !last), east);
        if let Some(target) = self.board.en_passant() {
            self.en_passant(sink, target, west, east);
        }
        if (pushes | left | right) & last != 0 {
            if !CAPTURES {
                sink.promotions(Bitboard(pushes & last), north);
            }
            sink.promotions(Bitboard(left & last), west);
            sink.promotions(Bitboard(right & last), east);
        }
    }

    fn en_passant<S: Sink>(&self, sink: &mut S, target: Square, west: i8, east: i8) {
        let capturers = self.board.en_passant_capturers(target, Self::THEM);
        for step in [west, east] {
            let from = origin(target, step);
            if capturers.has(from) && self.board.en_passant_is_safe(from, target, Self::THEM, 0) {
                sink.pawns(Bitboard::of(target), step);
            }
        }
    }

    #[inline]
    fn castling<S: Sink>(&self, sink: &mut S) {
        let (short, long, rank) = if WHITE {
            (rights::WHITE_KING, rights::WHITE_QUEEN, 0)
        } else {
            (rights::BLACK_KING, rights::BLACK_QUEEN, 56)
        };
        let rights = self.board.castling();
        let clear = |squares: u64| self.occupied & squares << rank == 0;
        let safe = |squares: [u8; 2]| squares.into_iter().all(|square| self.safe(Square::new(square + rank)));
        if rights & short != 0 && clear(0x60) && safe([5, 6]) {
            sink.piece(self.king, Bitboard(0x40 << rank));
        }
        if rights & long != 0 && clear(0x0e) && safe([3, 2]) {
            sink.piece(self.king, Bitboard(0x04 << rank));
        }
    }

    /// Whether the king could stand on `square`; it no longer hides what is behind it.
    #[inline]
    fn safe(&self, square: Square) -> bool {
        let occupied = Bitboard(self.occupied ^ 1 << self.king.index());
        let attackers = attacks::knight(square).0 & self.knights
            | attacks::bishop(square, occupied).0 & self.diagonal
            | attacks::rook(square, occupied).0 & self.straight
            | Bitboard::of(square).0 & self.near;
        attackers == 0
    }

    #[inline]
    fn king_targets(&self, targets: u64) -> u64 {
        let mut safe = 0;
        for to in attacks::king(self.king) & Bitboard(targets & !self.near) {
            if self.safe(to) {
                safe |= 1 << to.index();
            }
        }
        safe
    }

    #[inline]
    fn king_moves<S: Sink, const CAPTURES: bool>(&self, sink: &mut S) {
        let targets = self.king_targets(if CAPTURES { self.them } else { !self.us });
        self.emit::<S, CAPTURES>(sink, self.king, targets);
    }
}
