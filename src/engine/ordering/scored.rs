//! Moves scored as they are generated: what a node's captures and quiet moves write on the stack, with no list between.

use super::{Quiets, Ranks};
use crate::chess::movegen::{Sink, origin};
use crate::chess::{Bitboard, Board, Move, MoveList, Piece, Square};

/// The most moves of one node.
pub(super) const MOST: usize = 256;

/// One word for a move, its score and its place in the generation order.
#[inline]
pub(super) fn keyed(score: i32, place: usize, mv: Move) -> i64 {
    i64::from(score) << 32 | (255 - place as i64) << 16 | i64::from(mv.bits())
}

/// Scored moves in the making.
pub(super) struct Scoring<'a> {
    words: &'a mut [i64; MOST],
    pub(super) len: usize,
}

impl<'a> Scoring<'a> {
    pub(super) fn new(words: &'a mut [i64; MOST]) -> Self {
        Self { words, len: 0 }
    }

    /// Appends a move. A 257th would overwrite the first: no chess position has so many.
    #[inline]
    pub(super) fn push(&mut self, score: i32, mv: Move) {
        self.words[self.len & (MOST - 1)] = keyed(score, self.len, mv);
        self.len += 1;
    }

    /// Gives a move another score, if it is there.
    pub(super) fn raise(&mut self, mv: Move, score: i32) {
        if let Some(at) = self.find(mv) {
            self.words[at] = keyed(score, at, mv);
        }
    }

    /// Takes a move out, if it is there; the last word moves into its place, where it counts as it did.
    pub(super) fn remove(&mut self, mv: Move) {
        if let Some(at) = self.find(mv) {
            self.len -= 1;
            self.words[at] = self.words[self.len & (MOST - 1)];
        }
    }

    fn find(&self, mv: Move) -> Option<usize> {
        self.words[..self.len.min(MOST)].iter().position(|&word| word as u16 == mv.bits())
    }
}

/// Takes captures and promotions.
pub(super) struct Noisy<'a> {
    pub(super) ranks: &'a Ranks,
    pub(super) board: &'a Board,
    pub(super) scored: Scoring<'a>,
}

impl Noisy<'_> {
    /// Captures by one kind of piece.
    #[inline]
    fn takes(&mut self, kind: usize, targets: Bitboard, to_move: impl Fn(Square) -> Move) {
        if self.ranks.captures == 0 {
            for to in targets {
                self.one(to_move(to));
            }
            return;
        }
        let by_victim = &self.ranks.taken[kind & 7];
        for to in targets {
            self.scored.push(by_victim[self.board.kind_on(to)], to_move(to));
        }
    }

    #[inline(never)]
    pub(super) fn one(&mut self, mv: Move) {
        self.scored.push(self.ranks.noisy(self.board, mv), mv);
    }
}

impl Sink for Noisy<'_> {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) -> bool {
        self.takes(self.board.kind_on(from), targets, |to| Move::new(from, to));
        false
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i8) -> bool {
        self.takes(const { Piece::Pawn.number() }, targets, |to| Move::new(origin(to, step), to));
        false
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: i8) -> bool {
        for to in targets {
            for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
                self.one(Move::promoting(origin(to, step), to, piece));
            }
        }
        false
    }
}

/// Takes quiet moves: those that a rule claims with their scores, the others as they come.
pub(super) struct Calm<'a> {
    pub(super) quiets: Quiets<'a>,
    pub(super) scored: Scoring<'a>,
    pub(super) unclaimed: &'a mut MoveList,
}

impl Calm<'_> {
    #[inline]
    pub(super) fn one(&mut self, mv: Move) {
        match self.quiets.score(mv) {
            0 => self.unclaimed.push(mv),
            score => self.scored.push(score, mv),
        }
    }
}

impl Sink for Calm<'_> {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) -> bool {
        for to in targets {
            self.one(Move::new(from, to));
        }
        false
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i8) -> bool {
        for to in targets {
            self.one(Move::new(origin(to, step), to));
        }
        false
    }

    #[inline]
    fn promotions(&mut self, _: Bitboard, _: i8) -> bool {
        false
    }
}
