//! What the search asks the table, what it may do with the answer, and what it tells it.

use super::options::{BoundsRule, DepthRule};
use super::search::Search;
use crate::chess::{Board, Bound, Move, Score};
use crate::table::{Entry, Hit};

/// What a probe leaves the node with.
#[derive(Debug, Clone, Copy)]
pub struct Advice {
    /// The score that ends the node, if there is one.
    pub cut: Option<Score>,
    /// The move to try first; none if there is none.
    pub mv: Move,
    /// The window, narrowed where better starting values are on.
    pub alpha: Score,
    /// See `alpha`.
    pub beta: Score,
    /// The best value to start from.
    pub best: Score,
}

/// The place of a node in its search.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The window.
    pub alpha: Score,
    /// See `alpha`.
    pub beta: Score,
    /// Remaining depth; 0 for leaves and quiescence.
    pub depth: i32,
    /// Plies from the root.
    pub ply: usize,
}

impl Search<'_> {
    /// Probes the table for a node and judges the answer.
    #[inline]
    pub(super) fn consult(&mut self, board: &Board, place: Place, check: u64) -> Advice {
        let Place { alpha, beta, depth, ply } = place;
        let mut advice = Advice { cut: None, mv: Move::NONE, alpha, beta, best: -super::switches::INFINITE };
        let Some(hit) = self.table.as_mut().and_then(|table| table.probe(board.key(), check, depth as u8)) else {
            if self.on.full {
                self.dissect(place, None, false, false, false);
            }
            return advice;
        };
        if self.on.moves {
            advice.mv = hit.entry.mv;
        }
        let mut closed = false;
        let deep = self.on.cutoffs && self.deep_enough(&hit, depth) && ply > 0;
        if deep {
            self.judge(&hit, ply, &mut advice);
            if advice.cut.is_some() && beta - alpha > 1 && !self.on.pv_cutoffs {
                advice.cut = None;
                closed = true;
            }
        }
        if advice.cut.is_some() {
            self.count.usable += 1;
            if self.stored_nodes {
                // The cutoff itself counts as one node already.
                self.credit += u64::from(hit.entry.nodes.max(1) - 1);
            }
            if let Some(table) = self.table.as_mut() {
                table.cutoff(&hit);
            }
            self.note_answer(board, depth, hit.entry.mv);
        } else if !advice.mv.is_none() {
            self.count.move_only += 1;
        }
        if self.on.full {
            self.dissect(place, Some(&hit), deep, closed, advice.cut.is_some());
        }
        if self.audit.is_some() {
            self.examine(board, place, &hit, deep, advice.cut.is_some());
        }
        advice
    }

    /// Whether the hit's draft may end a node of this depth.
    #[inline]
    pub(super) fn deep_enough(&self, hit: &Hit, depth: i32) -> bool {
        match self.on.depth {
            DepthRule::AtLeast => hit.draft >= depth,
            // An aged draft may fall on the depth; the entry's score is still that of its own.
            DepthRule::Equal => i32::from(hit.entry.depth) == depth && hit.draft >= depth,
            DepthRule::Ignored => true,
        }
    }

    /// Holds the bound against the window.
    #[inline]
    fn judge(&self, hit: &Hit, ply: usize, advice: &mut Advice) {
        let score = self.on.score_from_store(hit.entry.score, ply);
        let bound = if self.on.bounds == BoundsRule::Ignored { Bound::Exact } else { hit.entry.bound };
        let (alpha, beta) = (advice.alpha, advice.beta);
        if bound.settles(score, alpha, beta) {
            advice.cut = Some(if self.on.clamp_hits { score.clamp(alpha, beta) } else { score });
        } else if self.on.start_value && bound == Bound::Lower && score > alpha {
            advice.alpha = score;
            advice.best = score;
        } else if self.on.start_value && bound == Bound::Upper && score < beta {
            advice.beta = score;
        }
    }

    /// Offers a node's result to the table. `place` is the node's window as it was before any move was searched.
    #[inline]
    pub(super) fn record(&mut self, board: &Board, place: Place, best: (Score, Move), entered: (u64, u64), check: u64) {
        let (score, mv) = best;
        let bound = if score >= place.beta {
            Bound::Lower
        } else if score <= place.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        self.record_as(bound, board, place, (score, mv), entered, check);
    }

    /// Offers a score that needed no search: an evaluation, a mate or a stalemate.
    #[inline]
    pub(super) fn record_known(
        &mut self,
        board: &Board,
        place: Place,
        best: (Score, Move),
        entered: (u64, u64),
        check: u64,
    ) {
        if self.on.leaf_window {
            self.record(board, place, best, entered, check);
        } else {
            self.record_as(Bound::Exact, board, place, best, entered, check);
        }
    }

    /// Offers a result whose bound is known.
    #[inline]
    pub(super) fn record_as(
        &mut self,
        bound: Bound,
        board: &Board,
        place: Place,
        (score, mv): (Score, Move),
        entered: (u64, u64),
        check: u64,
    ) {
        let mv = if bound == Bound::Upper && !self.on.upper_move { Move::NONE } else { mv };
        let entry = Entry {
            mv,
            score: self.on.score_to_store(score, place.ply),
            bound,
            depth: place.depth as u8,
            pv: place.beta - place.alpha > 1,
            nodes: self.subtree(entered.0, entered.1),
            ..Entry::default()
        };
        if let Some(table) = self.table.as_mut() {
            table.store(board.key(), check, entry);
        }
    }
}
