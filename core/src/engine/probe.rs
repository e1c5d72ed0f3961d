//! How the search probes the table and offers entries to it.

use super::node::Node;
use super::observer::{Observer, ProbeEvent};
use super::options::DepthRule;
use super::search::{Search, StartCounts};
use super::switches::INFINITE;
use crate::chess::{Board, Bound, Move, Score};
use crate::table::{Entry, Hit, StaticEvaluation};

#[derive(Debug, Clone, Copy)]
pub struct ProbeAnswer {
    /// The score that cuts off the node; `None` if the node must be searched.
    pub cutoff_score: Option<Score>,
    /// The move to try first, or [`Move::NONE`].
    pub mv: Move,
    /// Lower bound of the window. It may have been raised if `probe.start_value` is on.
    pub alpha: Score,
    /// Upper bound of the window. It may have been lowered if `probe.start_value` is on.
    pub beta: Score,
    /// The best score that is known before the first move is searched.
    pub best: Score,
}

impl ProbeAnswer {
    /// Nothing is known but the node's window.
    #[inline(always)]
    pub fn unknown(Node { alpha, beta, .. }: Node) -> Self {
        Self { cutoff_score: None, mv: Move::NONE, alpha, beta, best: -INFINITE }
    }
}

impl<O: Observer> Search<'_, O> {
    #[inline]
    pub(super) fn look_up(&mut self, board: &Board, depth: u8) -> Option<Hit> {
        let key = self.table_key(board);
        let table = self.table.as_deref_mut()?;
        self.observer.before_access(board, table);
        table.probe(key, depth)
    }

    #[inline]
    pub(super) fn report(&mut self, probe: &ProbeEvent) {
        if let Some(table) = self.table.as_deref() {
            self.observer.after_probe(probe, &self.path, table);
        }
    }

    /// Probes the table for a node, and decides what the node does with the hit. Most probes find
    /// nothing, so only this case is inlined.
    #[inline(always)]
    pub(super) fn probe<const EXTRAS: bool>(&mut self, board: &Board, node: Node) -> ProbeAnswer {
        if let Some(hit) = self.look_up(board, node.depth as u8) {
            return self.use_hit::<EXTRAS>(board, node, &hit);
        }
        let is_deep_enough = false;
        self.report(&ProbeEvent { board, node, hit: None, is_deep_enough, is_cutoff: false, by_parent: false });
        if EXTRAS && self.switches.evaluations_depth <= node.depth {
            self.reserve_entry(board, node);
        }
        ProbeAnswer::unknown(node)
    }

    /// The options say what a hit may be used for.
    #[inline(never)]
    fn use_hit<const EXTRAS: bool>(&mut self, board: &Board, node: Node, hit: &Hit) -> ProbeAnswer {
        let Node { alpha, beta, depth, ply, .. } = node;
        let mut answer = ProbeAnswer::unknown(node);
        if self.switches.uses_stored_moves {
            answer.mv = hit.entry.mv;
        }
        if EXTRAS && self.switches.terms_depth <= depth {
            self.facts = self.switches.facts(&hit.entry);
        }
        let is_valid =
            self.is_deep_enough(hit, depth) && (!EXTRAS || self.switches.holds_at_clock(board, depth, &hit.entry));
        let is_deep_enough = self.switches.allows_cutoffs && is_valid && ply > 0;
        if is_deep_enough {
            self.apply_bound(hit, ply, &mut answer);
            if answer.cutoff_score.is_none()
                && EXTRAS
                && self.switches.demotes_depth <= depth
                && beta - alpha == 1
                && !hit.entry.is_evaluation()
            {
                self.demote(hit);
            }
        }
        let is_cutoff = answer.cutoff_score.is_some();
        if is_cutoff {
            self.count.usable += 1;
            self.count.saved += u64::from(hit.entry.nodes);
            if self.counts_stored_nodes {
                // The node that was cut off has already been counted.
                self.credited_nodes += u64::from(hit.entry.nodes.max(1) - 1);
            }
            if let Some(table) = self.table.as_mut() {
                table.cutoff(hit);
            }
            self.observer.after_entry_cutoff(board, depth, hit.entry.mv);
        } else {
            self.count.move_only += u64::from(!answer.mv.is_none());
            if EXTRAS && self.switches.static_evaluation {
                self.evaluate_after_hit(board, depth, &hit.entry);
            }
        }
        self.report(&ProbeEvent { board, node, hit: Some(hit), is_deep_enough, is_cutoff, by_parent: false });
        answer
    }

    /// Tells the table that the bound of a hit did not cut off the node. The table then lowers the
    /// depth of the entry (`table.demotion`).
    #[cold]
    fn demote(&mut self, hit: &Hit) {
        if let Some(table) = self.table.as_deref_mut() {
            table.missed(hit);
        }
    }

    #[inline]
    pub(super) fn is_deep_enough(&self, hit: &Hit, depth: i32) -> bool {
        match self.switches.depth {
            DepthRule::AtLeast => hit.draft >= depth,
            // The draft of an entry decreases with its age, so it may equal `depth` although the
            // score comes from a deeper search. The depth of the entry is therefore compared too.
            DepthRule::Equal => i32::from(hit.entry.depth) == depth && hit.draft >= depth,
            DepthRule::Ignored => true,
        }
    }

    /// Applies the bound of a hit to a node. If the bound cuts off the node, sets the cutoff score
    /// in `answer`. Otherwise the bound may narrow the window if `probe.start_value` is on.
    #[inline]
    fn apply_bound(&self, hit: &Hit, ply: usize, answer: &mut ProbeAnswer) {
        let score = self.switches.score_from_store(hit.entry.score, ply);
        let bound = self.switches.bound(&hit.entry);
        let (alpha, beta) = (answer.alpha, answer.beta);
        if bound.settles(score, alpha, beta) {
            answer.cutoff_score = Some(if self.switches.clamp_hits { score.clamp(alpha, beta) } else { score });
        } else if self.switches.start_value && bound == Bound::Lower && score > alpha {
            answer.alpha = score;
            answer.best = score;
        } else if self.switches.start_value && bound == Bound::Upper && score < beta {
            answer.beta = score;
        }
    }

    /// Stores an entry that has no score yet, after the table had no entry for a node. The entry
    /// contains the static evaluation if the options ask for it. A leaf or quiescence node then
    /// uses this evaluation.
    #[cold]
    fn reserve_entry(&mut self, board: &Board, node: Node) {
        if !board.checkers().is_empty() {
            return;
        }
        // `static_evaluation` says whether entries have room for an evaluation.
        let evaluation = self.switches.static_evaluation.then(|| {
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

    fn has_evaluation(&self, board: &Board, depth: i32) -> bool {
        depth <= 0 || self.switches.evaluations_depth <= depth && board.checkers().is_empty()
    }

    /// Evaluates a node after a hit that did not cut off the node. If the entry contains a static
    /// evaluation, the evaluation is taken from the entry. Otherwise it is computed. Both cases are
    /// counted. A leaf or quiescence node then uses the evaluation.
    #[cold]
    fn evaluate_after_hit(&mut self, board: &Board, depth: i32, entry: &Entry) {
        if !self.has_evaluation(board, depth) {
            return;
        }
        let stored = entry.evaluation.get();
        self.count.evals_saved += u64::from(stored.is_some());
        self.count.evals += u64::from(stored.is_none());
        let evaluation = stored.unwrap_or_else(|| self.evaluator.evaluate(board));
        if depth <= 0 {
            self.evaluation = Some(evaluation);
        }
    }

    /// The evaluation to store with a result; empty if entries do not store the node's evaluation.
    ///
    /// The evaluation is computed again even if the node has already computed it. The result is the
    /// same, and the second computation is not counted.
    #[cold]
    fn evaluation_to_store(&self, board: &Board, depth: i32) -> StaticEvaluation {
        let evaluation =
            self.has_evaluation(board, depth).then(|| StaticEvaluation::new(self.evaluator.evaluate_again(board)));
        evaluation.unwrap_or_default()
    }

    /// Offers the result of a searched node to the table. `node` must have the window that the node
    /// had before its first move was searched, because this window decides which bound is stored.
    #[inline(always)]
    pub(super) fn store_result<const EXTRAS: bool>(
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
        self.store_with_bound::<EXTRAS>(bound, board, node, (score, mv), start_counts);
    }

    /// Offers to the table a score that was known without a search: an evaluation, a mate or a
    /// stalemate. Depending on the options, the score is stored as an exact score, or with the
    /// bound that follows from the node's window.
    #[inline]
    pub(super) fn store_known_result<const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        best: (Score, Move),
        start_counts: StartCounts,
    ) {
        if self.switches.stores_window_bounds {
            self.store_result::<EXTRAS>(board, node, best, start_counts);
        } else {
            self.store_with_bound::<EXTRAS>(Bound::Exact, board, node, best, start_counts);
        }
    }

    /// Offers a lower bound to the table before the search of the node has ended.
    #[cold]
    pub(super) fn store_lower_bound(
        &mut self,
        board: &Board,
        node: Node,
        best: (Score, Move),
        start_counts: StartCounts,
    ) {
        self.store_with_bound::<true>(Bound::Lower, board, node, best, start_counts);
    }

    /// Offers a result with a given bound to the table, unless the result must not be stored at
    /// this halfmove clock.
    #[inline(always)]
    fn store_with_bound<const EXTRAS: bool>(
        &mut self,
        bound: Bound,
        board: &Board,
        node: Node,
        (score, mv): (Score, Move),
        start_counts: StartCounts,
    ) {
        if EXTRAS && !self.switches.is_storable(board, node.depth) {
            return;
        }
        let evaluation = match EXTRAS && self.switches.static_evaluation {
            true => self.evaluation_to_store(board, node.depth),
            false => StaticEvaluation::default(),
        };
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
