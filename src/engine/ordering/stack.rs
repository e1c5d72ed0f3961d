//! The moves of all nodes on the path, and the order in which they are taken.

use super::scored::{Calm, MOST, Noisy, Scoring};
use super::staged::Orderly;
use super::{Hint, Learned, Ranks};
use crate::chess::{Board, Move, MoveList, movegen};

/// The moves of all nodes on the path, one above the other: no node allocates, and none clears what it will not read.
///
/// A move stands as score (high 32 bits), then what lets the earlier of two equal moves win (bits 16..32), then its own
/// sixteen bits, so that one comparison of numbers orders moves.
#[derive(Debug, Clone, Default)]
pub struct Stack {
    words: Vec<i64>,
    /// Words that are taken.
    top: usize,
}

/// What of a node's moves has been put on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing: the first move comes from elsewhere.
    First,
    /// Nothing, and the first move is through.
    Begun,
    /// Captures and promotions.
    Noisy,
    /// Quiet moves; losing captures wait below them.
    Quiet,
    /// All that there are.
    All,
}

/// The moves of one node on the [`Stack`], to be given back with [`Stack::pop`].
#[derive(Debug)]
pub struct NodeMoves {
    base: usize,
    /// The moves that are left to choose from.
    next: usize,
    end: usize,
    /// Those are to be taken as they stand.
    sorted: bool,
    /// Moves chosen one by one so far.
    chosen: u8,
    /// Moves behind them that no rule claims, up to here.
    tail: usize,
    /// Losing captures.
    losing: (usize, usize),
    /// The move that goes before all others.
    pub first: Move,
    /// How far generation has come.
    pub stage: Stage,
}

/// Moves chosen one by one before the rest is sorted: a node that has tried so many will most often try all.
const CHOSEN: u8 = 3;

impl NodeMoves {
    /// Whether a node has no moves at all.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.next == self.tail
    }

    /// Goes on to the next group that is on the stack already: moves that no rule claims, then captures that lose. False if there is none.
    #[inline(never)]
    fn turns(&mut self) -> bool {
        if self.end != self.tail {
            (self.end, self.sorted) = (self.tail, true);
        } else if self.stage == Stage::Quiet && self.losing.0 != self.losing.1 {
            ((self.next, self.end), self.tail) = (self.losing, self.losing.1);
            (self.stage, self.sorted, self.chosen) = (Stage::All, false, 0);
        } else {
            return false;
        }
        true
    }

    fn new(base: usize, first: Move, stage: Stage) -> Self {
        Self { base, next: base, end: base, sorted: false, chosen: 0, tail: base, losing: (base, base), first, stage }
    }
}

/// Words that a stack has from the start: 256 plies of a hundred moves each. It never grows in practice, and may where positions are absurd.
const USUAL: usize = 256 * 100;

impl Stack {
    /// Room for the moves of one more node.
    #[inline]
    fn room(&mut self) -> Option<Scoring<'_>> {
        if self.words.len() < self.top + MOST {
            self.grow();
        }
        self.words.get_mut(self.top..)?.first_chunk_mut().map(Scoring::new)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        match self.words.len() {
            // Zeroed by the system, page by page as they are reached.
            0 => self.words = vec![0; USUAL],
            len => self.words.resize(2 * len, 0),
        }
    }

    /// Puts a node's moves on the stack, scored unless there is no rule to score by.
    pub fn push(
        &mut self,
        ranks: &Ranks,
        board: &Board,
        moves: &MoveList,
        hint: &Hint,
        learned: &Learned,
    ) -> NodeMoves {
        if ranks.none {
            return self.push_unordered(moves);
        }
        let mut frame = NodeMoves::new(self.top, Move::NONE, Stage::All);
        let quiets = ranks.quiets(board, hint, learned);
        if let Some(mut scored) = self.room() {
            for &mv in moves.iter() {
                let score = if mv == hint.table_move && ranks.first != 0 {
                    ranks.first
                } else if board.is_quiet(mv) {
                    quiets.score(mv)
                } else {
                    ranks.noisy(board, mv)
                };
                scored.push(score, mv);
            }
        }
        self.top += moves.len();
        (frame.end, frame.tail) = (self.top, self.top);
        frame
    }

    /// Puts a quiescence node's captures on the stack.
    #[inline]
    pub fn push_captures(&mut self, by: Orderly, scratch: &mut MoveList) -> NodeMoves {
        if by.reorders() || by.ranks.none {
            scratch.clear();
            movegen::show_captures(by.board, scratch);
            by.generation.sort(by.board, scratch, by.seed);
            return self.push(by.ranks, by.board, scratch, by.hint, by.learned);
        }
        let mut frame = NodeMoves::new(self.top, Move::NONE, Stage::All);
        if let Some(scored) = self.room() {
            let mut noisy = Noisy { ranks: by.ranks, board: by.board, scored };
            movegen::show_captures(by.board, &mut noisy);
            let mut scored = noisy.scored;
            if !by.hint.table_move.is_none() && by.ranks.first != 0 {
                scored.raise(by.hint.table_move, by.ranks.first);
            }
            frame.end += scored.len;
        }
        (self.top, frame.tail) = (frame.end, frame.end);
        frame
    }

    /// Begins a node whose moves come in stages: the first, if there is one, then those that are put on the stack by
    /// [`Self::push_noisy`], then those of [`Self::push_quiets`].
    #[inline]
    pub fn begin(&mut self, first: Move) -> NodeMoves {
        NodeMoves::new(self.top, first, Stage::First)
    }

    /// Puts captures and promotions on the stack.
    pub fn push_noisy(&mut self, frame: &mut NodeMoves, by: Orderly, scratch: &mut MoveList) {
        if let Some(scored) = self.room() {
            let mut noisy = Noisy { ranks: by.ranks, board: by.board, scored };
            if by.reorders() {
                scratch.clear();
                movegen::show_noisy(by.board, scratch);
                by.generation.sort(by.board, scratch, by.seed);
                scratch.iter().for_each(|&mv| noisy.one(mv));
            } else {
                movegen::show_noisy(by.board, &mut noisy);
            }
            if !frame.first.is_none() {
                noisy.scored.remove(frame.first);
            }
            frame.end += noisy.scored.len;
        }
        (self.top, frame.tail, frame.stage) = (frame.end, frame.end, Stage::Noisy);
    }

    /// Puts quiet moves on the stack, once no winning capture is left. Those that no rule claims stay in the order of generation, so the
    /// list is used for keeping them apart.
    pub fn push_quiets(&mut self, frame: &mut NodeMoves, by: Orderly, scratch: &mut MoveList) {
        frame.losing = (frame.next, frame.end);
        let quiets = by.ranks.quiets(by.board, by.hint, by.learned);
        (frame.next, frame.end, frame.tail) = (self.top, self.top, self.top);
        scratch.clear();
        if let Some(scored) = self.room() {
            let mut calm = Calm { quiets, scored, unclaimed: scratch };
            if by.reorders() {
                let mut moves = MoveList::new();
                movegen::show_quiets(by.board, &mut moves);
                by.generation.sort(by.board, &mut moves, by.seed);
                moves.iter().for_each(|&mv| calm.one(mv));
            } else {
                movegen::show_quiets(by.board, &mut calm);
            }
            let Calm { mut scored, unclaimed, .. } = calm;
            if !frame.first.is_none() {
                scored.remove(frame.first);
            }
            frame.end += scored.len;
            for &mv in unclaimed.iter() {
                if mv != frame.first {
                    scored.push(0, mv);
                }
            }
            frame.tail += scored.len;
        }
        (self.top, frame.stage) = (frame.tail, Stage::Quiet);
        (frame.sorted, frame.chosen) = (false, 0);
    }

    /// Puts a node's moves on the stack as they were generated.
    #[inline]
    pub fn push_unordered(&mut self, moves: &MoveList) -> NodeMoves {
        let mut frame = NodeMoves::new(self.top, Move::NONE, Stage::All);
        if let Some(mut scored) = self.room() {
            moves.iter().for_each(|&mv| scored.push(0, mv));
        }
        self.top += moves.len();
        (frame.end, frame.tail, frame.sorted) = (self.top, self.top, true);
        frame
    }

    /// The next move of a node: the best of those left on the stack, or simply the next where no rule scored them. None where the stage is
    /// through.
    #[inline]
    pub fn next(&mut self, frame: &mut NodeMoves) -> Option<Move> {
        if frame.next == frame.end && !frame.turns() {
            return None;
        }
        if !frame.sorted && frame.chosen >= CHOSEN && frame.end - frame.next > 2 {
            self.sort(frame);
        }
        let rest = self.words.get_mut(frame.next..frame.end)?;
        let (first, others) = rest.split_first_mut()?;
        let mut best = *first;
        if !frame.sorted {
            let mut place = None;
            for (at, &key) in others.iter().enumerate() {
                if key > best {
                    (best, place) = (key, Some(at));
                }
            }
            if frame.stage == Stage::Noisy && best < 0 {
                return None;
            }
            // The best move's place keeps the first, so that what is left behind is never read again.
            if let Some(other) = place.and_then(|at| others.get_mut(at)) {
                *other = *first;
            }
            frame.chosen += 1;
        } else if frame.stage == Stage::Noisy && best < 0 {
            return None;
        }
        frame.next += 1;
        Some(Move::from_bits(best as u16))
    }

    /// Sorts what is left of a group: a node that has tried so many moves will most often try all.
    #[inline(never)]
    fn sort(&mut self, frame: &mut NodeMoves) {
        if let Some(rest) = self.words.get_mut(frame.next..frame.end) {
            rest.sort_unstable_by(|a, b| b.cmp(a));
        }
        frame.sorted = true;
    }

    /// Takes a node's moves off the stack.
    #[inline]
    pub fn pop(&mut self, frame: &NodeMoves) {
        self.top = frame.base;
    }
}
