//! Probes and stores of the search.

use super::node::Node;
use super::observer::{Observer, Probed};
use super::options::DepthRule;
use super::search::{Search, StartCounts};
use super::switches::INFINITE;
use crate::chess::{Board, Bound, Move, Score};
use crate::table::{Entry, Hit, StaticEvaluation};

/// The effect of a probe on its node.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    /// The score that cuts off the node, if any.
    pub cut: Option<Score>,
    /// The move to try first, or [`Move::NONE`].
    pub mv: Move,
    /// Lower bound of the window, raised if better starting values are on.
    pub alpha: Score,
    /// Upper bound of the window, lowered if better starting values are on.
    pub beta: Score,
    pub best: Score,
}

impl<O: Observer> Search<'_, O> {
    /// Looks a position up in the table.
    #[inline]
    pub(super) fn look_up(&mut self, board: &Board, depth: u8) -> Option<Hit> {
        let key = self.table_key(board);
        let table = self.table.as_deref_mut()?;
        self.observer.before_access(board, table);
        table.probe(key, depth)
    }

    /// Reports a probe to the observer.
    #[inline]
    pub(super) fn report(&mut self, probed: &Probed) {
        if let Some(table) = self.table.as_deref() {
            self.observer.probed(probed, &self.path, table);
        }
    }

    /// Probes the table for a node and applies the answer as the options allow.
    #[inline]
    pub(super) fn probe<const EXTRAS: bool>(&mut self, board: &Board, node: Node) -> Answer {
        let Node { alpha, beta, depth, ply, .. } = node;
        let mut answer = Answer { cut: None, mv: Move::NONE, alpha, beta, best: -INFINITE };
        let mut probed = Probed { board, node, hit: None, deep: false, barred: false, cut: false, by_parent: false };
        let Some(hit) = self.look_up(board, depth as u8) else {
            self.report(&probed);
            if EXTRAS && self.switches.reserve_depth <= depth {
                self.reserve(board, node);
            }
            return answer;
        };
        if self.switches.moves {
            answer.mv = hit.entry.mv;
        }
        if EXTRAS && self.switches.terms_depth <= depth {
            self.facts = self.switches.facts(&hit.entry);
        }
        let holds =
            self.deep_enough(&hit, depth) && (!EXTRAS || self.switches.holds_at_clock(board, depth, &hit.entry));
        probed.deep = self.switches.cutoffs && holds && ply > 0;
        if probed.deep {
            self.apply_bound(&hit, ply, &mut answer);
            if answer.cut.is_none() {
                if EXTRAS && self.switches.demotes_depth <= depth && beta - alpha == 1 && !hit.entry.is_evaluation() {
                    self.demote(&hit);
                }
            } else if self.switches.bars_cutoffs && self.bars_cutoff(node, answer.cut) {
                answer.cut = None;
                probed.barred = true;
            }
        }
        probed.cut = answer.cut.is_some();
        if probed.cut {
            self.count.usable += 1;
            self.count.saved += u64::from(hit.entry.nodes);
            if self.stored_nodes {
                // The cutoff itself counts as one node already.
                self.credit += u64::from(hit.entry.nodes.max(1) - 1);
            }
            if let Some(table) = self.table.as_mut() {
                table.cutoff(&hit);
            }
            self.observer.answer(board, depth, hit.entry.mv);
        } else {
            self.count.move_only += u64::from(!answer.mv.is_none());
            if EXTRAS && self.switches.evaluates_hits {
                self.evaluate_hit(board, node, &hit.entry, holds);
            }
        }
        probed.hit = Some(&hit);
        self.report(&probed);
        answer
    }

    /// Whether the options forbid a hit to end the node with this score.
    #[cold]
    fn bars_cutoff(&self, node: Node, score: Option<Score>) -> bool {
        if node.beta - node.alpha > 1 {
            return !self.switches.pv_cutoffs;
        }
        // `node.cut`: whether the node is expected to fail high.
        (1..=self.switches.expected_depth).contains(&node.depth)
            && score.is_some_and(|score| node.cut != (score >= node.beta))
    }

    /// Lowers the depth of an entry whose bound did not settle its node (`table.demotion`).
    #[cold]
    fn demote(&mut self, hit: &Hit) {
        if let Some(table) = self.table.as_deref_mut() {
            table.missed(hit);
        }
    }

    /// Whether the hit's draft is sufficient at a node of this depth.
    #[inline]
    pub(super) fn deep_enough(&self, hit: &Hit, depth: i32) -> bool {
        match self.switches.depth {
            DepthRule::AtLeast => hit.draft >= depth,
            // An aged draft may equal the depth, but the score is of the entry's own depth.
            DepthRule::Equal => i32::from(hit.entry.depth) == depth && hit.draft >= depth,
            DepthRule::Ignored => true,
        }
    }

    /// Ends the node with a hit whose bound settles it; else lets the bound narrow the window, if
    /// the options say so.
    #[inline]
    fn apply_bound(&self, hit: &Hit, ply: usize, answer: &mut Answer) {
        let score = self.switches.score_from_store(hit.entry.score, ply);
        let bound = self.switches.bound(&hit.entry);
        let (alpha, beta) = (answer.alpha, answer.beta);
        if bound.settles(score, alpha, beta) {
            answer.cut = Some(if self.switches.clamp_hits { score.clamp(alpha, beta) } else { score });
        } else if self.switches.start_value && bound == Bound::Lower && score > alpha {
            answer.alpha = score;
            answer.best = score;
        } else if self.switches.start_value && bound == Bound::Upper && score < beta {
            answer.beta = score;
        }
    }

    /// After a miss, stores an entry that has only the static evaluation, if the options say so; a
    /// leaf or quiescence node then uses this evaluation. Under ABDADA the entry may be empty: it
    /// is needed to count the searchers in the node.
    #[cold]
    fn reserve(&mut self, board: &Board, node: Node) {
        let stores_evaluation = self.switches.evaluations_depth <= node.depth && board.checkers().is_empty();
        let counts_searchers = self.switches.entered_depth <= node.depth;
        if !stores_evaluation && !counts_searchers {
            return;
        }
        // `static_evaluation`: whether the table's entries have room for it.
        let evaluation = (stores_evaluation && self.switches.static_evaluation).then(|| {
            self.count.evals += 1;
            self.evaluator.evaluate(board)
        });
        let key = self.table_key(board);
        if self.switches.is_storable(board, 0)
            && let Some(table) = self.table.as_deref_mut()
        {
            self.observer.before_access(board, table);
            let entry = Entry::evaluation(0, node.beta - node.alpha > 1);
            table.store(key, Entry { evaluation: evaluation.map(StaticEvaluation::new).unwrap_or_default(), ..entry });
        }
        self.evaluation = if node.depth <= 0 { evaluation } else { None };
    }

    /// Whether a node of this remaining depth has a static evaluation.
    fn has_evaluation(&self, board: &Board, depth: i32) -> bool {
        depth <= 0 || self.switches.evaluations_depth <= depth && board.checkers().is_empty()
    }

    /// Counts the static evaluation of a node that was not ended by its entry: the entry's, or a
    /// new one. A leaf or quiescence node then uses it, refined by the entry's score if the options
    /// say so. `holds`: whether the score is deep enough, and valid at this halfmove clock.
    #[cold]
    fn evaluate_hit(&mut self, board: &Board, node: Node, entry: &Entry, holds: bool) {
        if !self.has_evaluation(board, node.depth) {
            return;
        }
        let stored = if self.switches.static_evaluation { entry.evaluation.get() } else { None };
        self.count.evals_saved += u64::from(stored.is_some());
        self.count.evals += u64::from(stored.is_none());
        let evaluation = stored.unwrap_or_else(|| self.evaluator.evaluate(board));
        if node.depth > 0 {
            return;
        }
        let score = self.switches.score_from_store(entry.score, node.ply);
        let refines = self.switches.refines && holds && score.abs() <= self.switches.mate_threshold;
        self.evaluation = Some(match self.switches.bound(entry) {
            Bound::Lower if refines => evaluation.max(score),
            Bound::Upper if refines => evaluation.min(score),
            Bound::Exact if refines => score,
            _ => evaluation,
        });
    }

    /// The static evaluation to store, which is empty if entries have none; `None` if nothing may
    /// be stored at this halfmove clock. The evaluation is computed again even if the node already
    /// had it: the result is the same, and the computation is not counted.
    #[cold]
    fn prepare_store(&self, board: &Board, depth: i32) -> Option<StaticEvaluation> {
        let stores_evaluation = self.switches.static_evaluation && self.has_evaluation(board, depth);
        let evaluation = stores_evaluation.then(|| StaticEvaluation::new(self.evaluator.evaluate_again(board)));
        self.switches.is_storable(board, depth).then(|| evaluation.unwrap_or_default())
    }

    /// The static evaluation of a leaf or quiescence node: the one that its probe found, or a new
    /// one.
    #[cold]
    pub(super) fn stand_pat(&mut self, board: &Board) -> Score {
        self.evaluation.take().unwrap_or_else(|| {
            self.count.evals += 1;
            self.evaluator.evaluate(board)
        })
    }

    /// Offers a node's result to the table. `node` has the window that was valid before the first
    /// move.
    #[inline(always)]
    pub(super) fn record<const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        best: (Score, Move),
        start_counts: StartCounts,
    ) {
        let (score, mv) = best;
        let bound = if score >= node.beta {
            Bound::Lower
        } else if score <= node.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        self.record_as::<EXTRAS>(bound, board, node, (score, mv), start_counts);
    }

    /// Offers a score that needed no search (an evaluation, a mate or a stalemate): as an exact
    /// one or, if the options say so, with the bound that the window gives.
    #[inline]
    pub(super) fn record_known<const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        best: (Score, Move),
        start_counts: StartCounts,
    ) {
        if self.switches.leaf_window {
            self.record::<EXTRAS>(board, node, best, start_counts);
        } else {
            self.record_as::<EXTRAS>(Bound::Exact, board, node, best, start_counts);
        }
    }

    /// Offers a lower bound that is known before the node is searched to its end.
    #[cold]
    pub(super) fn record_lower(&mut self, board: &Board, node: Node, best: (Score, Move), start_counts: StartCounts) {
        self.record_as::<true>(Bound::Lower, board, node, best, start_counts);
    }

    /// Offers a result with a given bound, unless it is one that must not be stored.
    #[inline(always)]
    fn record_as<const EXTRAS: bool>(
        &mut self,
        bound: Bound,
        board: &Board,
        node: Node,
        (score, mv): (Score, Move),
        start_counts: StartCounts,
    ) {
        let mut evaluation = StaticEvaluation::default();
        if EXTRAS && self.switches.prepares_stores {
            match self.prepare_store(board, node.depth) {
                Some(prepared) => evaluation = prepared,
                None => return,
            }
        }
        let mv = if bound == Bound::Upper && !self.switches.upper_move { Move::NONE } else { mv };
        let entry = Entry {
            mv,
            score: self.switches.score_to_store(score, node.ply),
            bound,
            depth: node.depth as u8,
            pv: node.beta - node.alpha > 1,
            nodes: self.subtree_size(start_counts),
            evaluation,
            ..Entry::default()
        };
        let key = self.table_key(board);
        if let Some(table) = self.table.as_deref_mut() {
            self.observer.before_access(board, table);
            table.store(key, entry);
        }
    }
}
