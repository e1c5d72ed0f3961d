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
    generate::<_, ALL>(board, list);
}

/// The legal move that UCI writes so: `e2e4`, `e7e8q`.
pub fn parse_move(board: &Board, word: &str) -> Option<Move> {
    let from = Square::parse(word.get(..2)?)?;
    let mut moves = MoveList::new();
    legal(board, &mut moves);
    moves.iter().copied().find(|mv| mv.from() == from && mv.to_string() == word)
}

/// Shows the legal captures to a sink in `purple` order: en passant and promotions that capture
/// included, other promotions not.
pub fn show_captures<S: Sink>(board: &Board, sink: &mut S) {
    generate::<_, CAPTURES>(board, sink);
}

/// Shows the legal captures and promotions to a sink in `purple` order.
pub fn show_noisy<S: Sink>(board: &Board, sink: &mut S) {
    generate::<_, NOISY>(board, sink);
}

/// Shows the legal moves that neither capture nor promote to a sink, in `purple` order.
pub fn show_quiets<S: Sink>(board: &Board, sink: &mut S) {
    generate::<_, QUIETS>(board, sink);
}

/// Shows the legal moves to a sink in `purple` order, until it has seen enough.
#[inline]
pub fn show<S: Sink>(board: &Board, sink: &mut S) {
    generate::<_, ALL>(board, sink);
}

/// Which moves are generated.
const ALL: u8 = 0;
const CAPTURES: u8 = 1;
const NOISY: u8 = 2;
const QUIETS: u8 = 3;

/// The number of legal moves.
pub fn count(board: &Board) -> u64 {
    let mut count = LeafCount(0);
    generate::<_, ALL>(board, &mut count);
    count.0
}

/// Whether there is a legal move.
pub(super) fn any(board: &Board) -> bool {
    let mut any = Any(false);
    generate::<_, ALL>(board, &mut any);
    any.0
}

/// Appends the castling moves, king's side first. Only where the side to move is not in check.
pub(super) fn castling(board: &Board, list: &mut MoveList) {
    match board.turn() {
        Color::White => Legality::<true>::new(board).castling(list),
        Color::Black => Legality::<false>::new(board).castling(list),
    };
}

/// Receives moves as they are generated. Each call says whether it has seen enough.
pub trait Sink {
    /// One move.
    fn add(&mut self, mv: Move) -> bool;

    /// Moves of one piece.
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) -> bool {
        for to in targets {
            if self.add(Move::new(from, to)) {
                return true;
            }
        }
        false
    }

    /// Pawn moves, all by the same step.
    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i8) -> bool {
        for to in targets {
            if self.add(Move::new(origin(to, step), to)) {
                return true;
            }
        }
        false
    }

    /// Pawn moves to the last rank, all by the same step.
    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: i8) -> bool {
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
    fn piece(&mut self, _: Square, targets: Bitboard) -> bool {
        self.0 += u64::from(Bitboard::count(targets));
        false
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i8) -> bool {
        self.0 += u64::from(Bitboard::count(targets));
        false
    }
}

/// Has seen enough with one move.
struct Any(bool);

impl Sink for Any {
    #[inline]
    fn add(&mut self, _: Move) -> bool {
        self.0 = true;
        true
    }
}

/// Where a pawn came from.
#[inline]
pub const fn origin(to: Square, step: i8) -> Square {
    Square::new((to.index() as u8).wrapping_sub(step as u8))
}

/// `squares` one rank ahead, as the colour sees it, and `file` files toward the h-file (-1, 0 or
/// 1).
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
fn generate<S: Sink, const WHAT: u8>(board: &Board, sink: &mut S) {
    match board.turn() {
        Color::White => Legality::<true>::new(board).generate::<S, WHAT>(sink),
        Color::Black => Legality::<false>::new(board).generate::<S, WHAT>(sink),
    };
}

/// A board with what legality needs, for the side to move.
struct Legality<'a, const WHITE: bool> {
    board: &'a Board,
    occupied: u64,
    us: u64,
    them: u64,
    king: Square,
    pinned: u64,
    /// The enemy's bishops and queens, and rooks and queens.
    diagonal: u64,
    straight: u64,
}

/// What the king must look out for.
struct Danger {
    /// The occupied squares without the king, which hides nothing behind it once it has gone.
    occupied: Bitboard,
    knights: u64,
    /// What the enemy's pawns and king attack.
    near: u64,
}

impl<'a, const WHITE: bool> Legality<'a, WHITE> {
    const US: Color = if WHITE { Color::White } else { Color::Black };
    const THEM: Color = if WHITE { Color::Black } else { Color::White };

    #[inline]
    fn new(board: &'a Board) -> Self {
        let king = board.king(Self::US);
        let (us, them) = (board.colored(Self::US).0, board.colored(Self::THEM).0);
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

    #[inline]
    fn danger(&self) -> Danger {
        let pawns = self.board.kind(Piece::Pawn).0 & self.them;
        let pawns = if WHITE {
            ahead::<false>(pawns, -1) | ahead::<false>(pawns, 1)
        } else {
            ahead::<true>(pawns, -1) | ahead::<true>(pawns, 1)
        };
        Danger {
            occupied: Bitboard(self.occupied ^ 1 << self.king.index()),
            knights: self.board.kind(Piece::Knight).0 & self.them,
            near: pawns | attacks::king(self.board.king(Self::THEM)).0,
        }
    }

    #[inline]
    fn generate<S: Sink, const WHAT: u8>(&self, sink: &mut S) -> bool {
        let checkers = self.board.checkers();
        // Where a move must end to leave no check: anywhere, on the checker or in its way.
        let saving = match checkers.first() {
            None => !0,
            Some(checker) if !checkers.many() => attacks::between(self.king, checker).0 | checkers.0,
            Some(_) => return self.king_moves::<S, WHAT>(sink),
        };
        if self.pawn_moves::<S, WHAT>(sink, saving) {
            return true;
        }
        if matches!(WHAT, ALL | QUIETS) && checkers.is_empty() && self.castling(sink) {
            return true;
        }
        let targets = saving & self.targets::<WHAT>();
        let pieces = |piece| self.board.pieces(Self::US, piece);
        for from in pieces(Piece::Knight) & Bitboard(!self.pinned) {
            if self.emit::<S, WHAT>(sink, from, attacks::knight(from).0 & targets) {
                return true;
            }
        }
        let occupied = Bitboard(self.occupied);
        for from in pieces(Piece::Rook) {
            let reached = self.unpinned(from, attacks::rook(from, occupied).0);
            if self.emit::<S, WHAT>(sink, from, reached & targets) {
                return true;
            }
        }
        for from in pieces(Piece::Bishop) {
            let reached = self.unpinned(from, attacks::bishop(from, occupied).0);
            if self.emit::<S, WHAT>(sink, from, reached & targets) {
                return true;
            }
        }
        for from in pieces(Piece::Queen) {
            let reached = self.unpinned(from, attacks::queen(from, occupied).0);
            if self.emit::<S, WHAT>(sink, from, reached & targets) {
                return true;
            }
        }
        self.king_moves::<S, WHAT>(sink)
    }

    /// Where pieces may go by what is generated.
    #[inline]
    fn targets<const WHAT: u8>(&self) -> u64 {
        match WHAT {
            ALL => !self.us,
            QUIETS => !self.occupied,
            _ => self.them,
        }
    }

    /// A pinned piece stays on the line of its king.
    #[inline]
    fn unpinned(&self, from: Square, targets: u64) -> u64 {
        if self.pinned >> from.index() & 1 == 0 { targets } else { targets & attacks::line(self.king, from).0 }
    }

    #[inline]
    fn emit<S: Sink, const WHAT: u8>(&self, sink: &mut S, from: Square, targets: u64) -> bool {
        match WHAT {
            ALL => sink.piece(from, Bitboard(targets & self.them)) || sink.piece(from, Bitboard(targets & !self.them)),
            _ => sink.piece(from, Bitboard(targets)),
        }
    }

    #[inline]
    fn pawn_moves<S: Sink, const WHAT: u8>(&self, sink: &mut S, saving: u64) -> bool {
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
        let quiet = || (Bitboard(pushes & !last), Bitboard(ahead::<WHITE>(steps & third, 0) & empty & saving));
        if WHAT == QUIETS {
            let (one, two) = quiet();
            return sink.pawns(one, north) || sink.pawns(two, 2 * north);
        }
        let (left, right) = (toward(-1), toward(1));
        if WHAT == ALL {
            let (one, two) = quiet();
            if sink.pawns(one, north) || sink.pawns(two, 2 * north) {
                return true;
            }
        }
        if sink.pawns(Bitboard(left & !last), west) || sink.pawns(Bitboard(right & !last), east) {
            return true;
        }
        if let Some(target) = self.board.en_passant()
            && self.en_passant(sink, target, west, east)
        {
            return true;
        }
        (pushes | left | right) & last != 0
            && (WHAT != CAPTURES && sink.promotions(Bitboard(pushes & last), north)
                || sink.promotions(Bitboard(left & last), west)
                || sink.promotions(Bitboard(right & last), east))
    }

    fn en_passant<S: Sink>(&self, sink: &mut S, target: Square, west: i8, east: i8) -> bool {
        let capturers = self.board.en_passant_capturers(target, Self::THEM);
        for step in [west, east] {
            let from = origin(target, step);
            if capturers.has(from)
                && self.board.en_passant_is_safe(from, target, Self::THEM, 0)
                && sink.pawns(Bitboard::from_square(target), step)
            {
                return true;
            }
        }
        false
    }

    #[inline]
    fn castling<S: Sink>(&self, sink: &mut S) -> bool {
        let (short, long, rank) = if WHITE {
            (rights::WHITE_KING, rights::WHITE_QUEEN, 0)
        } else {
            (rights::BLACK_KING, rights::BLACK_QUEEN, 56)
        };
        let rights = self.board.castling() & (short | long);
        if rights == 0 {
            return false;
        }
        let danger = self.danger();
        let clear = |squares: u64| self.occupied & squares << rank == 0;
        let safe = |squares: [u8; 2]| squares.into_iter().all(|square| self.safe(Square::new(square + rank), &danger));
        rights & short != 0 && clear(0x60) && safe([5, 6]) && sink.piece(self.king, Bitboard(0x40 << rank))
            || rights & long != 0 && clear(0x0e) && safe([3, 2]) && sink.piece(self.king, Bitboard(0x04 << rank))
    }

    /// Whether the king could stand on `square`.
    #[inline]
    fn safe(&self, square: Square, danger: &Danger) -> bool {
        let attackers = attacks::knight(square).0 & danger.knights
            | attacks::bishop(square, danger.occupied).0 & self.diagonal
            | attacks::rook(square, danger.occupied).0 & self.straight
            | Bitboard::from_square(square).0 & danger.near;
        attackers == 0
    }

    #[inline]
    fn king_targets(&self, targets: u64) -> u64 {
        let mut safe = 0;
        let targets = attacks::king(self.king).0 & targets;
        if targets == 0 {
            return 0;
        }
        let danger = self.danger();
        for to in Bitboard(targets & !danger.near) {
            if self.safe(to, &danger) {
                safe |= 1 << to.index();
            }
        }
        safe
    }

    #[inline]
    fn king_moves<S: Sink, const WHAT: u8>(&self, sink: &mut S) -> bool {
        let targets = self.king_targets(self.targets::<WHAT>());
        self.emit::<S, WHAT>(sink, self.king, targets)
    }
}
