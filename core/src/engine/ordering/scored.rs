//! Scores moves as they are generated, and writes them directly to the move stack.

use super::{QuietScorer, Ranks};
use crate::chess::movegen::{Sink, origin};
use crate::chess::{Bitboard, Board, Move, MoveList, Piece, Square};

pub(super) const MAX_MOVES: usize = 256;

/// Packs a move, its score and its index in the generation order into one word (see
/// [`Stack`](super::Stack)).
#[inline]
pub(super) fn pack_word(score: i32, index: usize, mv: Move) -> i64 {
    i64::from(score) << 32 | (255 - index as i64) << 16 | i64::from(mv.bits())
}

pub(super) struct ScoredMoves<'a> {
    words: &'a mut [i64; MAX_MOVES],
    pub(super) len: usize,
}

impl<'a> ScoredMoves<'a> {
    pub(super) fn new(words: &'a mut [i64; MAX_MOVES]) -> Self {
        Self { words, len: 0 }
    }

    /// Appends a move. A move after the 256th would overwrite the first, but no position has so
    /// many moves.
    #[inline]
    pub(super) fn push(&mut self, score: i32, mv: Move) {
        debug_assert!(self.len < MAX_MOVES, "more moves than a node has room for");
        debug_assert!(!mv.is_none(), "`Move::NONE` is not a move of the node");
        self.words[self.len & (MAX_MOVES - 1)] = pack_word(score, self.len, mv);
        self.len += 1;
    }

    pub(super) fn set_score(&mut self, mv: Move, score: i32) {
        if let Some(index) = self.find(mv) {
            self.words[index] = pack_word(score, index, mv);
        }
    }

    /// Removes a move, if the move is present. The last move is moved to the free place. Its place
    /// in the generation order, which decides between equal scores, stays the same.
    pub(super) fn remove(&mut self, mv: Move) {
        if let Some(index) = self.find(mv) {
            self.len -= 1;
            self.words[index] = self.words[self.len & (MAX_MOVES - 1)];
        }
    }

    fn find(&self, mv: Move) -> Option<usize> {
        self.words[..self.len.min(MAX_MOVES)].iter().position(|&word| word as u16 == mv.bits())
    }
}

/// Receives captures and promotions whose scores are those of MVV-LVA. They depend only on the
/// attacker and the victim, unless the move promotes.
pub(super) struct NoisySink<'a> {
    pub(super) ranks: &'a Ranks,
    pub(super) board: &'a Board,
    pub(super) scored: ScoredMoves<'a>,
}

impl NoisySink<'_> {
    /// Pushes the captures by one kind of piece.
    #[inline(always)]
    fn push_captures_of(&mut self, attacker: Piece, targets: Bitboard, move_to: impl Fn(Square) -> Move) {
        let score_by_victim = &self.ranks.capture_scores[attacker.number() & 7];
        for to in targets {
            self.scored.push(score_by_victim[self.board.kind_on(to)], move_to(to));
        }
    }

    #[inline]
    pub(super) fn score_and_push(&mut self, mv: Move) {
        self.scored.push(self.ranks.noisy_score(self.board, mv), mv);
    }
}

impl Sink for NoisySink<'_> {
    #[inline]
    fn add(&mut self, mv: Move) -> bool {
        self.score_and_push(mv);
        false
    }

    #[inline]
    fn add_piece_moves(&mut self, piece: Piece, from: Square, targets: Bitboard) -> bool {
        self.push_captures_of(piece, targets, |to| Move::new(from, to));
        false
    }

    #[inline]
    fn add_pawn_moves(&mut self, targets: Bitboard, step: i8) -> bool {
        self.push_captures_of(Piece::Pawn, targets, |to| Move::new(origin(to, step), to));
        false
    }
}

/// Receives quiet moves. Moves that a rule scores are pushed with their scores. All other moves are
/// listed in generation order.
pub(super) struct QuietSink<'a> {
    pub(super) quiet_scorer: QuietScorer<'a>,
    pub(super) scored: ScoredMoves<'a>,
    pub(super) unscored: &'a mut MoveList,
}

impl QuietSink<'_> {
    #[inline]
    pub(super) fn score_and_push(&mut self, mv: Move) {
        match self.quiet_scorer.score(mv) {
            0 => self.unscored.push(mv),
            score => self.scored.push(score, mv),
        }
    }
}

impl Sink for QuietSink<'_> {
    #[inline]
    fn add(&mut self, mv: Move) -> bool {
        self.score_and_push(mv);
        false
    }

    #[inline]
    fn add_promotions(&mut self, _: Bitboard, _: i8) -> bool {
        false
    }
}
