//! The move stack: the moves of all nodes on the path, and their selection.

use super::scored::{MAX_MOVES, NoisySink, QuietSink, Scoring};
use super::{Heuristics, Hint, Ranks, RootOrder};
use crate::chess::{Board, GenerationOrder, Move, MoveList, movegen};

/// The inputs of a node's move order.
#[derive(Clone, Copy)]
pub struct StageContext<'a> {
    pub ranks: &'a Ranks,
    pub generation: GenerationOrder,
    pub seed: u64,
    pub board: &'a Board,
    /// What is known about the node's moves.
    pub hint: &'a Hint,
    /// Killers, history and countermoves of the search so far.
    pub heuristics: &'a Heuristics,
}

impl StageContext<'_> {
    /// Whether generated moves must be re-sorted.
    #[inline]
    fn reorders(&self) -> bool {
        self.generation != GenerationOrder::Purple
    }
}

/// The moves of all nodes on the path, one node above the other, so that no node allocates or
/// clears memory.
///
/// Each word has the score (high 32 bits), a tie-break for the earlier move (bits 16..32) and the
/// move's sixteen bits, so that comparing words orders moves.
#[derive(Debug, Clone, Default)]
pub struct Stack {
    words: Vec<i64>,
    top: usize,
}

/// Which of a node's moves have been generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// None: the first move needs no generation.
    First,
    /// None, but the first move was tried.
    FirstDone,
    Noisy,
    /// Quiet moves; losing captures remain below them.
    Quiet,
    All,
}

/// The moves of one node on the [`Stack`], to be released with [`Stack::pop`].
#[derive(Debug)]
pub struct NodeMoves {
    base: usize,
    /// The remaining moves of the current group.
    next: usize,
    end: usize,
    /// Whether the remaining moves are in their final order.
    sorted: bool,
    /// Moves selected one by one so far.
    selections: u8,
    /// End of the moves that no rule claims; they follow those up to `end`.
    tail: usize,
    /// Range of the losing captures.
    losing: (usize, usize),
    /// The move before all others.
    pub first_move: Move,
    pub stage: Stage,
}

/// How many moves are selected one by one before the others are sorted: a node that has tried that
/// many usually tries all.
const MAX_SELECTIONS: u8 = 3;

impl NodeMoves {
    /// Whether the node has no moves at all.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.next == self.tail
    }

    /// Switches to the next generated group: unclaimed moves, then losing captures. Returns false
    /// if there is none.
    #[inline(never)]
    fn next_group(&mut self) -> bool {
        let (losing_start, losing_end) = self.losing;
        if self.end != self.tail {
            (self.end, self.sorted) = (self.tail, true);
        } else if self.stage == Stage::Quiet && losing_start != losing_end {
            (self.next, self.end, self.tail) = (losing_start, losing_end, losing_end);
            (self.stage, self.sorted, self.selections) = (Stage::All, false, 0);
        } else {
            return false;
        }
        true
    }

    fn new(base: usize, first_move: Move, stage: Stage) -> Self {
        Self {
            base,
            next: base,
            end: base,
            sorted: false,
            selections: 0,
            tail: base,
            losing: (base, base),
            first_move,
            stage,
        }
    }
}

/// Initial words: 256 plies of a hundred moves each, exceeded only in absurd positions.
const INITIAL_WORDS: usize = 256 * 100;

impl Stack {
    /// Makes room for one more node's moves at the top of the stack; never `None`.
    #[inline]
    fn room(&mut self) -> Option<Scoring<'_>> {
        debug_assert!(self.top <= self.words.len(), "more is taken than there is");
        if self.words.len() < self.top + MAX_MOVES {
            self.grow();
        }
        self.words.get_mut(self.top..)?.first_chunk_mut().map(Scoring::new)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        match self.words.len() {
            // Zeroed lazily by the system, page by page.
            0 => self.words = vec![0; INITIAL_WORDS],
            len => self.words.resize(2 * len, 0),
        }
    }

    /// Pushes a node's moves with their scores, or in the given order if there is no ordering rule.
    pub fn push(
        &mut self,
        ranks: &Ranks,
        board: &Board,
        moves: &MoveList,
        hint: &Hint,
        heuristics: &Heuristics,
    ) -> NodeMoves {
        if ranks.is_empty {
            return self.push_unordered(moves);
        }
        let mut frame = NodeMoves::new(self.top, Move::NONE, Stage::All);
        let quiets = ranks.quiets(board, hint, heuristics);
        if let Some(mut scored) = self.room() {
            for &mv in moves.iter() {
                debug_assert_eq!(board.color_on(mv.from()), Some(board.turn()), "{mv}: of another position");
                let score = if mv == hint.table_move && ranks.first_move != 0 {
                    ranks.first_move
                } else if board.is_quiet(mv) {
                    quiets.score(mv)
                } else {
                    ranks.noisy_score(board, mv)
                };
                scored.push(score, mv);
            }
        }
        self.top += moves.len();
        (frame.end, frame.tail) = (self.top, self.top);
        frame
    }

    /// Pushes a quiescence node's captures.
    #[inline]
    pub fn push_captures(&mut self, context: StageContext, scratch: &mut MoveList) -> NodeMoves {
        if context.reorders() || context.ranks.is_empty {
            scratch.clear();
            movegen::generate_captures_into(context.board, scratch);
            context.generation.sort(context.board, scratch, context.seed);
            return self.push(context.ranks, context.board, scratch, context.hint, context.heuristics);
        }
        let mut frame = NodeMoves::new(self.top, Move::NONE, Stage::All);
        if let Some(scored) = self.room() {
            let mut noisy = NoisySink { ranks: context.ranks, board: context.board, scored };
            movegen::generate_captures_into(context.board, &mut noisy);
            let mut scored = noisy.scored;
            if !context.hint.table_move.is_none() && context.ranks.first_move != 0 {
                scored.raise(context.hint.table_move, context.ranks.first_move);
            }
            frame.end += scored.len;
        }
        debug_assert!(frame.end - frame.base <= MAX_MOVES, "more moves than a node has room for");
        (self.top, frame.tail) = (frame.end, frame.end);
        frame
    }

    /// Begins a node with staged moves: the first, if any, then those of [`Self::push_noisy`], then
    /// those of [`Self::push_quiets`].
    #[inline]
    pub fn begin(&mut self, first_move: Move) -> NodeMoves {
        NodeMoves::new(self.top, first_move, Stage::First)
    }

    /// Pushes captures and promotions.
    pub fn push_noisy(&mut self, frame: &mut NodeMoves, context: StageContext, scratch: &mut MoveList) {
        debug_assert!(matches!(frame.stage, Stage::First | Stage::FirstDone), "captures come first: {:?}", frame.stage);
        debug_assert_eq!(
            self.top, frame.base,
            "a deeper node left its moves on the stack, or this one has pushed some"
        );
        if let Some(scored) = self.room() {
            let mut noisy = NoisySink { ranks: context.ranks, board: context.board, scored };
            if context.reorders() {
                scratch.clear();
                movegen::generate_noisy_into(context.board, scratch);
                context.generation.sort(context.board, scratch, context.seed);
                scratch.iter().for_each(|&mv| noisy.push_scored(mv));
            } else {
                movegen::generate_noisy_into(context.board, &mut noisy);
            }
            if !frame.first_move.is_none() {
                noisy.scored.remove(frame.first_move);
            }
            frame.end += noisy.scored.len;
        }
        (self.top, frame.tail, frame.stage) = (frame.end, frame.end, Stage::Noisy);
    }

    /// Pushes quiet moves, after the winning captures. Quiet moves without a score come last, in
    /// generation order; `scratch` holds them until then.
    pub fn push_quiets(&mut self, frame: &mut NodeMoves, context: StageContext, scratch: &mut MoveList) {
        debug_assert_eq!(frame.stage, Stage::Noisy, "quiet moves come after captures");
        debug_assert_eq!(self.top, frame.end, "a deeper node left its moves on the stack");
        // All winning captures have been tried; losing ones remain.
        frame.losing = (frame.next, frame.end);
        let quiets = context.ranks.quiets(context.board, context.hint, context.heuristics);
        (frame.next, frame.end, frame.tail) = (self.top, self.top, self.top);
        scratch.clear();
        if let Some(scored) = self.room() {
            let mut quiet_sink = QuietSink { quiets, scored, unclaimed: scratch };
            if context.reorders() {
                let mut moves = MoveList::new();
                movegen::generate_quiets_into(context.board, &mut moves);
                context.generation.sort(context.board, &mut moves, context.seed);
                moves.iter().for_each(|&mv| quiet_sink.push_scored(mv));
            } else {
                movegen::generate_quiets_into(context.board, &mut quiet_sink);
            }
            let QuietSink { mut scored, unclaimed, .. } = quiet_sink;
            if !frame.first_move.is_none() {
                scored.remove(frame.first_move);
            }
            frame.end += scored.len;
            for &mv in unclaimed.iter() {
                if mv != frame.first_move {
                    scored.push(0, mv);
                }
            }
            frame.tail += scored.len;
        }
        (self.top, frame.stage) = (frame.tail, Stage::Quiet);
        (frame.sorted, frame.selections) = (false, 0);
    }

    /// Pushes a node's moves in generation order.
    #[inline]
    pub fn push_unordered(&mut self, moves: &MoveList) -> NodeMoves {
        let mut frame = NodeMoves::new(self.top, Move::NONE, Stage::All);
        if let Some(mut scored) = self.room() {
            moves.iter().for_each(|&mv| scored.push(0, mv));
        }
        self.top += moves.len();
        // Counts as sorted: the moves are taken in this order.
        (frame.end, frame.tail, frame.sorted) = (self.top, self.top, true);
        frame
    }

    /// The next move of a node: the best remaining, or the next in order if unscored. `None` at the
    /// end of the stage.
    #[inline]
    pub fn next(&mut self, frame: &mut NodeMoves) -> Option<Move> {
        debug_assert!(frame.base <= frame.next && frame.next <= frame.end && frame.end <= frame.tail, "{frame:?}");
        debug_assert!(frame.tail <= self.top, "the node's moves are off the stack: {frame:?}");
        if frame.next == frame.end && !frame.next_group() {
            return None;
        }
        if !frame.sorted && frame.selections >= MAX_SELECTIONS && frame.end - frame.next > 2 {
            self.sort(frame);
        }
        let remaining = self.words.get_mut(frame.next..frame.end)?;
        let (first, others) = remaining.split_first_mut()?;
        // Losing captures have negative scores, and come after the quiet moves.
        let stage = frame.stage;
        let is_losing = |word: i64| stage == Stage::Noisy && word < 0;
        let mut best = *first;
        if !frame.sorted {
            let mut best_index = None;
            for (index, &word) in others.iter().enumerate() {
                if word > best {
                    (best, best_index) = (word, Some(index));
                }
            }
            if is_losing(best) {
                return None;
            }
            // The first word moves to where the best one was: used words are not read again.
            if let Some(other) = best_index.and_then(|index| others.get_mut(index)) {
                *other = *first;
            }
            frame.selections += 1;
        } else if is_losing(best) {
            return None;
        }
        frame.next += 1;
        Some(Move::from_bits(best as u16))
    }

    /// Sorts the remaining moves of the current group, the best first.
    #[inline(never)]
    fn sort(&mut self, frame: &mut NodeMoves) {
        if let Some(remaining) = self.words.get_mut(frame.next..frame.end) {
            remaining.sort_unstable_by(|a, b| b.cmp(a));
        }
        frame.sorted = true;
    }

    /// Changes the order of a node's moves after the first. None of them may have been tried yet.
    pub fn reorder(&mut self, frame: &mut NodeMoves, order: RootOrder) {
        if !frame.sorted {
            self.sort(frame);
        }
        if let Some([_, others @ ..]) = self.words.get_mut(frame.next..frame.end) {
            order.apply(others);
        }
    }

    /// Releases a node's moves.
    #[inline]
    pub fn pop(&mut self, frame: &NodeMoves) {
        debug_assert!(frame.base <= self.top, "taken off twice, or before a node below");
        self.top = frame.base;
    }
}
