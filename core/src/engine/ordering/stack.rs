//! The move stack, which has the moves of all nodes on the path, and selects the next move of a
//! node.

use super::scored::{MAX_MOVES, NoisySink, QuietSink, ScoredMoves};
use super::{Heuristics, Hint, Ranks, RootOrder};
use crate::chess::{Board, GenerationOrder, Move, MoveList, movegen};
use std::ops::Range;

/// What the move order of a node depends on.
#[derive(Clone, Copy)]
pub struct StageContext<'a> {
    pub ranks: &'a Ranks,
    pub generation: GenerationOrder,
    pub board: &'a Board,
    /// What is known about the node's moves.
    pub hint: &'a Hint,
    /// Killers, history and countermoves of the search so far.
    pub heuristics: &'a Heuristics,
}

/// The moves of all nodes on the path. They are stacked one node above the other, so that no node
/// allocates or clears memory.
///
/// Each word is a move with its score. The high 32 bits are the score. Bits 16..32 are a tie-break
/// that favours moves that were generated earlier. The low 16 bits are the move. Comparing words
/// therefore orders moves.
#[derive(Debug, Clone, Default)]
pub struct Stack {
    words: Vec<i64>,
    top: usize,
}

/// Which moves of a node have been generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// No moves. The first move is known without generation and has not been tried.
    First,
    /// No moves. The first move has been tried.
    FirstDone,
    Noisy,
    /// All moves. The losing captures remain to be tried after the quiet moves.
    Quiet,
    /// All moves. There is no further group.
    All,
}

/// The moves of one node on the [`Stack`]. They must be released with [`Stack::pop`].
#[derive(Debug)]
pub struct NodeMoves {
    pub base: usize,
    /// The index of the first remaining move of the current group.
    next: usize,
    end: usize,
    is_sorted: bool,
    selections: u8,
    /// The end of the moves that no rule scores. These moves begin at `end`.
    unscored_end: usize,
    losing_captures: (usize, usize),
    /// The move that is tried before all others, or [`Move::NONE`].
    pub first_move: Move,
    pub stage: Stage,
}

/// How many moves are selected one by one before the others are sorted. A node that has tried so
/// many moves usually tries all moves.
const MAX_SELECTIONS: u8 = 3;

impl NodeMoves {
    /// Switches to the next group of moves that have already been generated. Quiet moves that no
    /// rule scores come before losing captures. Returns false if no group is left.
    #[inline(never)]
    fn next_group(&mut self) -> bool {
        let (losing_start, losing_end) = self.losing_captures;
        if self.end != self.unscored_end {
            (self.end, self.is_sorted) = (self.unscored_end, true);
        } else if self.stage == Stage::Quiet && losing_start != losing_end {
            (self.next, self.end, self.unscored_end) = (losing_start, losing_end, losing_end);
            (self.stage, self.is_sorted, self.selections) = (Stage::All, false, 0);
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
            is_sorted: false,
            selections: 0,
            unscored_end: base,
            losing_captures: (base, base),
            first_move,
            stage,
        }
    }
}

/// The initial number of words, for 256 plies with a hundred moves each. Only absurd positions need
/// more.
const INITIAL_WORDS: usize = 256 * 100;

impl Stack {
    /// Makes room for the moves of one more node at the top of the stack. The result is never
    /// `None`.
    #[inline]
    fn reserve_node(&mut self) -> Option<ScoredMoves<'_>> {
        debug_assert!(self.top <= self.words.len(), "the top is beyond the end of the stack");
        if self.words.len() - self.top < MAX_MOVES {
            return self.reserve_grown();
        }
        self.words.get_mut(self.top..)?.first_chunk_mut().map(ScoredMoves::new)
    }

    #[cold]
    #[inline(never)]
    fn reserve_grown(&mut self) -> Option<ScoredMoves<'_>> {
        match self.words.len() {
            // This is cheap, because the system zeroes a page only when the page is first touched.
            0 => self.words = vec![0; INITIAL_WORDS],
            len => self.words.resize(2 * len, 0),
        }
        self.words.get_mut(self.top..)?.first_chunk_mut().map(ScoredMoves::new)
    }

    /// Pushes the moves of a node with their scores. If there is no ordering rule, the moves keep
    /// their order.
    pub fn push(
        &mut self,
        ranks: &Ranks,
        board: &Board,
        moves: &MoveList,
        hint: &Hint,
        heuristics: &Heuristics,
    ) -> NodeMoves {
        if ranks.is_empty {
            return self.push_in_order(moves);
        }
        let mut frame = NodeMoves::new(self.top, Move::NONE, Stage::All);
        let quiet_scorer = ranks.quiet_scorer(board, hint, heuristics);
        if let Some(mut scored) = self.reserve_node() {
            for &mv in moves.iter() {
                debug_assert_eq!(board.color_on(mv.from()), Some(board.turn()), "{mv} is a move of another position");
                let score = if mv == hint.table_move && ranks.first_move != 0 {
                    ranks.first_move
                } else if board.is_quiet(mv) {
                    quiet_scorer.score(mv)
                } else {
                    ranks.noisy_score(board, mv)
                };
                scored.push(score, mv);
            }
        }
        self.top += moves.len();
        (frame.end, frame.unscored_end) = (self.top, self.top);
        frame
    }

    /// Pushes the captures of a quiescence node. They are taken by [`Self::next_capture`], and must
    /// be released with [`Self::pop`]. For [`Ranks::scores_captures_at_once`].
    #[inline(never)]
    pub fn push_scored_captures(&mut self, ranks: &Ranks, board: &Board, first_move: Move) -> Range<usize> {
        let base = self.top;
        if let Some(scored) = self.reserve_node() {
            let mut noisy = NoisySink { ranks, board, scored };
            movegen::generate_captures_into(board, &mut noisy);
            if !first_move.is_none() && ranks.first_move != 0 {
                noisy.scored.set_score(first_move, ranks.first_move);
            }
            self.top = base + noisy.scored.len;
        }
        base..self.top
    }

    /// As [`Self::push_scored_captures`], for all options.
    #[inline(never)]
    pub fn push_listed_captures(&mut self, context: StageContext, scratch: &mut MoveList) -> Range<usize> {
        scratch.clear();
        movegen::generate_captures_into(context.board, scratch);
        context.generation.sort(context.board, scratch);
        let frame = self.push(context.ranks, context.board, scratch, context.hint, context.heuristics);
        frame.base..frame.end
    }

    /// Takes the best of the remaining captures.
    #[inline(always)]
    pub fn next_capture(&mut self, captures: &mut Range<usize>) -> Option<Move> {
        let (&mut mut best, others) = self.words.get_mut(captures.clone())?.split_first_mut()?;
        for word in others {
            (best, *word) = (best.max(*word), best.min(*word));
        }
        captures.start += 1;
        Some(Move::from_bits(best as u16))
    }

    /// Begins a node whose moves are generated in stages. The first move comes first, unless it is
    /// [`Move::NONE`]. The moves of [`Self::push_noisy`] and then those of [`Self::push_quiets`]
    /// follow.
    #[inline]
    pub fn begin_staged(&mut self, first_move: Move) -> NodeMoves {
        NodeMoves::new(self.top, first_move, Stage::First)
    }

    pub fn push_noisy(&mut self, frame: &mut NodeMoves, context: StageContext, scratch: &mut MoveList) {
        debug_assert!(matches!(frame.stage, Stage::First | Stage::FirstDone), "captures after {:?}", frame.stage);
        debug_assert_eq!(
            self.top, frame.base,
            "a deeper node left its moves on the stack, or this node has already pushed moves"
        );
        if let Some(scored) = self.reserve_node() {
            let mut noisy = NoisySink { ranks: context.ranks, board: context.board, scored };
            if !context.ranks.scores_captures_at_once {
                scratch.clear();
                movegen::generate_noisy_into(context.board, scratch);
                context.generation.sort(context.board, scratch);
                scratch.iter().for_each(|&mv| noisy.score_and_push(mv));
            } else {
                movegen::generate_noisy_into(context.board, &mut noisy);
            }
            if !frame.first_move.is_none() {
                noisy.scored.remove(frame.first_move);
            }
            frame.end += noisy.scored.len;
        }
        (self.top, frame.unscored_end, frame.stage) = (frame.end, frame.end, Stage::Noisy);
    }

    /// Generates and pushes quiet moves, after all winning captures have been tried. Quiet moves
    /// that no rule scores come last, in generation order. These moves are collected in `scratch`.
    pub fn push_quiets(&mut self, frame: &mut NodeMoves, context: StageContext, scratch: &mut MoveList) {
        debug_assert_eq!(frame.stage, Stage::Noisy, "quiet moves come after captures");
        debug_assert_eq!(self.top, frame.end, "a deeper node left its moves on the stack");
        // The captures that remain are losing.
        frame.losing_captures = (frame.next, frame.end);
        let quiet_scorer = context.ranks.quiet_scorer(context.board, context.hint, context.heuristics);
        (frame.next, frame.end, frame.unscored_end) = (self.top, self.top, self.top);
        scratch.clear();
        if let Some(scored) = self.reserve_node() {
            let mut quiet_sink = QuietSink { quiet_scorer, scored, unscored: scratch };
            if context.generation != GenerationOrder::Purple {
                let mut moves = MoveList::new();
                movegen::generate_quiets_into(context.board, &mut moves);
                context.generation.sort(context.board, &mut moves);
                moves.iter().for_each(|&mv| quiet_sink.score_and_push(mv));
            } else {
                movegen::generate_quiets_into(context.board, &mut quiet_sink);
            }
            let QuietSink { mut scored, unscored, .. } = quiet_sink;
            if !frame.first_move.is_none() {
                scored.remove(frame.first_move);
            }
            frame.end += scored.len;
            for &mv in unscored.iter() {
                if mv != frame.first_move {
                    scored.push(0, mv);
                }
            }
            frame.unscored_end += scored.len;
        }
        (self.top, frame.stage) = (frame.unscored_end, Stage::Quiet);
        (frame.is_sorted, frame.selections) = (false, 0);
    }

    #[inline]
    pub fn push_in_order(&mut self, moves: &MoveList) -> NodeMoves {
        let mut frame = NodeMoves::new(self.top, Move::NONE, Stage::All);
        if let Some(mut scored) = self.reserve_node() {
            moves.iter().for_each(|&mv| scored.push(0, mv));
        }
        self.top += moves.len();
        // The moves count as sorted, so that they are taken in this order.
        (frame.end, frame.unscored_end, frame.is_sorted) = (self.top, self.top, true);
        frame
    }

    /// The next move of a node. This is the remaining move with the best score, or the next move in
    /// order if the moves are sorted. Returns `None` at the end of the stage.
    #[inline(always)]
    pub fn next(&mut self, frame: &mut NodeMoves) -> Option<Move> {
        if !frame.is_sorted || frame.next == frame.end || frame.stage == Stage::Noisy {
            return self.select(frame);
        }
        frame.next += 1;
        self.words.get(frame.next - 1).map(|&word| Move::from_bits(word as u16))
    }

    #[inline(never)]
    fn select(&mut self, frame: &mut NodeMoves) -> Option<Move> {
        debug_assert!(
            frame.base <= frame.next && frame.next <= frame.end && frame.end <= frame.unscored_end,
            "{frame:?}"
        );
        debug_assert!(frame.unscored_end <= self.top, "the node's moves are off the stack: {frame:?}");
        if frame.next == frame.end && !frame.next_group() {
            return None;
        }
        if !frame.is_sorted && frame.selections >= MAX_SELECTIONS && frame.end - frame.next > 2 {
            self.sort(frame);
        }
        let remaining = self.words.get_mut(frame.next..frame.end)?;
        let (first, others) = remaining.split_first_mut()?;
        // Losing captures have negative scores, and come after the quiet moves.
        let stage = frame.stage;
        let is_losing = |word: i64| stage == Stage::Noisy && word < 0;
        let mut best = *first;
        if !frame.is_sorted {
            let mut best_index = None;
            for (index, &word) in others.iter().enumerate() {
                if word > best {
                    (best, best_index) = (word, Some(index));
                }
            }
            if is_losing(best) {
                return None;
            }
            // The best word is moved out. The first word takes its place, because the next call
            // starts after the first word.
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

    /// Sorts the remaining moves of the current group. The best move comes first.
    #[inline(never)]
    fn sort(&mut self, frame: &mut NodeMoves) {
        if let Some(remaining) = self.words.get_mut(frame.next..frame.end) {
            remaining.sort_unstable_by(|a, b| b.cmp(a));
        }
        frame.is_sorted = true;
    }

    /// Changes the order of all moves of a node except the first move, which stays first. No move
    /// of the node may have been tried yet.
    pub fn reorder(&mut self, frame: &mut NodeMoves, order: RootOrder) {
        if !frame.is_sorted {
            self.sort(frame);
        }
        if let Some([_, others @ ..]) = self.words.get_mut(frame.next..frame.end) {
            order.apply(others);
        }
    }

    #[inline]
    pub fn pop(&mut self, base: usize) {
        debug_assert!(base <= self.top, "taken off twice, or before a node below");
        self.top = base;
    }
}
