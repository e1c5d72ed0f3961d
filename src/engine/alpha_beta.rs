//! Alpha-beta and principal variation search: one interior node.

use super::node::{Node, TableAnswer};
use super::observer::{Observer, Probed};
use super::ordering::{Hint, NodeMoves, StageContext};
use super::search::Search;
use super::switches::INFINITE;
use super::terms::Extension;
use crate::chess::{Board, Bound, Move, Piece, Score, movegen};
use crate::table::options::Prefetch;

impl<O: Observer> Search<'_, O> {
    /// Searches a node of depth 1 or more. Let v be its value: the result is v if v lies inside the
    /// window, a number between v and alpha if v <= alpha, and a number between beta and v if v >=
    /// beta. `previous` is the move that led here ([`Move::NONE`] at the root and after a null
    /// move). `TABLE`: whether there is a table; `EXTRAS`:
    /// [`Switches::extras`](super::switches::Switches::extras).
    pub(super) fn alpha_beta<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        mut node: Node,
        previous: Move,
    ) -> Score {
        let Node { mut depth, ply, .. } = node;
        if self.enter() {
            return 0;
        }
        let start_counts = self.start_counts();
        self.count.interior += 1;
        self.pv.clear(ply);
        if self.switches.draws && ply > 0 && self.is_draw(board) {
            return self.clamp_to_window(0, node.alpha, node.beta);
        }

        let (mut alpha, mut beta, mut best) = (node.alpha, node.beta, -INFINITE);
        let uses_facts = EXTRAS && self.switches.terms_depth <= depth;
        let mut table_move = Move::NONE;
        if uses_facts {
            self.facts = TableAnswer::default();
        }
        self.observer.node(board);
        if TABLE && self.switches.probe_depth <= depth {
            let answer = self.probe::<EXTRAS>(board, node);
            if let Some(score) = answer.cut {
                return score;
            }
            (alpha, beta, best, table_move) = (answer.alpha, answer.beta, answer.best, answer.mv);
            if EXTRAS && self.switches.entered_depth <= depth {
                self.mark_entry(board, node);
            }
            if uses_facts && self.switches.neutral {
                self.facts = self.offered_facts(board, depth);
            }
        }
        // Copied, because the searches below this node overwrite `self.facts`.
        let facts = if uses_facts { self.facts } else { TableAnswer::default() };
        if EXTRAS && self.switches.iir_depth <= depth && ply > 0 {
            depth = self.reduced_depth(node, &facts);
            node.depth = depth;
        }

        let has_bare_leaves = depth == 1 && self.switches.bare_leaves && !O::ENABLED;
        let reorders = EXTRAS && ply == 0 && self.root_order.is_some();
        let staged = depth <= self.switches.staged_depth && !reorders;
        let table_move_is_legal = staged && !table_move.is_none() && board.is_legal(table_move);
        if !reorders
            && self.is_frontier(depth)
            && let Some((score, mv)) = self.frontier(board, node, (alpha, beta, best), table_move)
        {
            let score = self.clamp_to_window(score, node.alpha, node.beta);
            if TABLE && self.switches.store_depth <= depth {
                self.record::<EXTRAS>(board, node, (score, mv), start_counts);
            }
            return score;
        }
        if !staged {
            self.generate(board);
        }
        let terminal = match staged {
            true => !table_move_is_legal && !board.has_legal_move(),
            false => self.scratch.is_empty(),
        };
        if terminal {
            let score = self.terminal(board, ply, depth);
            if TABLE && self.switches.store_depth <= depth && self.switches.terminals {
                self.record_known::<EXTRAS>(board, node, (score, Move::NONE), start_counts);
            }
            return self.clamp_to_window(score, node.alpha, node.beta);
        }

        if TABLE
            && self.switches.etc_depth <= depth
            && ply > 0
            && let Some((score, mv)) = self.refuted_by_child(board, node)
        {
            if self.switches.store_depth <= depth {
                self.record_lower(board, node, (score, mv), start_counts);
            }
            self.observer.answer(board, depth, mv);
            return self.clamp_to_window(score, node.alpha, node.beta);
        }
        let mut ran_inner_search = false;
        if self.switches.null_depth <= depth && self.allows_null_move(board, node, previous) {
            let score = self.search_null_move::<TABLE, EXTRAS>(board, node);
            if self.aborted || score >= beta {
                return self.clamp_to_window(score, node.alpha, node.beta);
            }
            ran_inner_search = true;
        }
        if self.switches.iid_depth <= depth && table_move.is_none() && beta - alpha > 1 && self.ranks.uses_table_move()
        {
            self.visit::<TABLE, EXTRAS>(board, Node { alpha, beta, depth: (depth / 2).max(1), ..node }, previous);
            if self.aborted {
                return 0;
            }
            table_move = self.pv.get(ply).first().copied().unwrap_or(Move::NONE);
            self.pv.clear(ply);
            ran_inner_search = true;
        }
        let mut extension = Extension::default();
        if EXTRAS && self.switches.singular_depth <= depth && !facts.mv.is_none() {
            extension = self.extension::<TABLE, EXTRAS>(board, Node { alpha, beta, ..node }, &facts, previous);
            if self.aborted {
                return 0;
            }
            ran_inner_search = true;
        }
        if ran_inner_search && !staged {
            // The inner searches generated into the same list.
            self.generate(board);
        }

        let hint = Hint { table_move: self.first_move(board, depth, table_move), previous, ply };
        let mut frame = if staged {
            let legal = table_move_is_legal && hint.table_move == table_move || board.is_legal(hint.table_move);
            self.stack.begin(if self.ranks.has_first_move() && legal { hint.table_move } else { Move::NONE })
        } else {
            self.stack.push(&self.ranks, board, &self.scratch, &hint, self.heuristics)
        };
        if reorders && let Some(order) = self.root_order {
            self.stack.reorder(&mut frame, order);
        }
        if TABLE {
            self.prefetch_children(board, depth);
        }
        self.path.push(board.key());
        let mut best_move = Move::NONE;
        let mut tried = 0;
        if has_bare_leaves {
            self.pv.clear(ply + 1);
        }
        let reduces_more =
            TABLE && EXTRAS && self.switches.breadcrumbs && self.reduces_late_moves_more(board, depth, ply);
        loop {
            let next = match staged {
                true => self.next_staged(&mut frame, board, &hint),
                false => self.stack.next(&mut frame),
            };
            let Some(mv) = next.or_else(|| if TABLE && EXTRAS { self.next_deferred(depth, ply) } else { None }) else {
                break;
            };
            if TABLE && self.switches.prefetch == Prefetch::Child && self.switches.probe_depth < depth {
                self.prefetch(board.key_after(mv, self.increments));
            }
            if tried == 0 && mv == table_move {
                self.count.table_moves += 1;
            }
            let score = if has_bare_leaves {
                self.bare_leaf(board, mv, alpha, beta)
            } else {
                let mut child = *board;
                child.play(mv, self.increments);
                let may_wait = TABLE && EXTRAS && self.switches.defer_depth <= depth && tried > 0 && next.is_some();
                let depth = if EXTRAS { extension.depth(depth, mv) } else { depth };
                if may_wait && self.is_taken(board, &child, mv, depth, tried) {
                    self.deferred.push((ply, mv));
                    continue;
                }
                self.search_child::<TABLE, EXTRAS>(
                    board,
                    &child,
                    mv,
                    Node { alpha, beta, depth, ..node },
                    tried,
                    reduces_more,
                )
            };
            if self.aborted {
                break;
            }
            tried += 1;
            if score > best {
                best = score;
                best_move = mv;
                if score > alpha {
                    alpha = score;
                    self.pv.raise(ply, mv);
                    if TABLE && EXTRAS && self.switches.rises_depth <= depth && score < beta {
                        self.record_lower(board, node, (score, mv), start_counts);
                    }
                }
                if score >= beta {
                    self.count.cuts += 1;
                    self.count.first_cuts += u64::from(tried == 1);
                    self.count.table_move_cuts += u64::from(tried == 1 && mv == table_move);
                    self.learn(board, previous, mv, ply, depth);
                    break;
                }
            }
        }
        if TABLE && EXTRAS && self.switches.defer_depth <= depth {
            // After a cutoff, deferred moves are dropped.
            while self.next_deferred(depth, ply).is_some() {}
        }
        self.path.pop();
        self.stack.pop(&frame);
        if self.aborted {
            return 0;
        }
        if best > node.alpha {
            self.observer.best(board, depth, best_move);
        }
        let score = self.clamp_to_window(best, node.alpha, node.beta);
        if TABLE && self.switches.store_depth <= depth {
            self.record::<EXTRAS>(board, node, (score, best_move), start_counts);
        }
        score
    }

    /// Generates all moves of a node, in the generation order of the options.
    #[inline]
    pub(super) fn generate(&mut self, board: &Board) {
        self.scratch.clear();
        movegen::legal(board, &mut self.scratch);
        self.sort_generated(board);
    }

    /// The next move of a node whose moves are generated in stages.
    #[inline]
    fn next_staged(&mut self, frame: &mut NodeMoves, board: &Board, hint: &Hint) -> Option<Move> {
        loop {
            if let Some(mv) = self.stack.ready(frame) {
                return Some(mv);
            }
            let context = StageContext {
                ranks: &self.ranks,
                generation: self.switches.generation,
                seed: self.switches.generation_seed,
                board,
                hint,
                heuristics: self.heuristics,
            };
            if !self.stack.generate(frame, &mut self.scratch, context) {
                return None;
            }
        }
    }

    /// Searches one move of a node and returns its value from the view of the node's side to move.
    /// `tried`: how many moves of the node were tried before; `reduces_more`: whether the reduced
    /// search of a late move is one ply shallower still.
    #[inline(always)]
    pub(super) fn search_child<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        child: &Board,
        mv: Move,
        node: Node,
        tried: usize,
        reduces_more: bool,
    ) -> Score {
        let Node { alpha, beta, depth, ply, cut } = node;
        let is_open = beta - alpha > 1;
        // `cut`: whether a node is expected to fail high.
        let full = Node { alpha: -beta, beta: -alpha, depth: depth - 1, ply: ply + 1, cut: !(cut || is_open) };
        let zero_window = Node { alpha: -alpha - 1, cut: !cut, ..full };
        if self.is_late(board, child, mv, depth, tried) {
            let reduced_depth = (full.depth - self.switches.lmr_reduction - i32::from(reduces_more)).max(0);
            let reduced = Node { depth: reduced_depth, ..zero_window };
            let score = -self.visit::<TABLE, EXTRAS>(child, reduced, mv);
            if score <= alpha || self.aborted {
                return score;
            }
            self.count.researches += 1;
        }
        if self.switches.pvs && tried > 0 && is_open {
            let score = -self.visit::<TABLE, EXTRAS>(child, zero_window, mv);
            if score <= alpha || score >= beta || self.aborted {
                return score;
            }
            self.count.researches += 1;
        }
        -self.visit::<TABLE, EXTRAS>(child, full, mv)
    }

    /// Late move reduction: whether a move is first searched to a reduced depth. `tried`: how many
    /// moves of the node were tried before.
    #[inline(always)]
    pub(super) fn is_late(&self, board: &Board, child: &Board, mv: Move, depth: i32, tried: usize) -> bool {
        self.switches.lmr_depth <= depth
            && tried >= self.switches.lmr_full_moves
            && !board.in_check()
            && !child.in_check()
            && board.is_quiet(mv)
    }

    /// Searches a node of any remaining depth: an interior node or a leaf.
    #[inline]
    pub(super) fn visit<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        previous: Move,
    ) -> Score {
        if node.depth > 0 {
            let score = self.alpha_beta::<TABLE, EXTRAS>(board, node, previous);
            // ABDADA: tells the table that this searcher has left the node.
            if TABLE && EXTRAS && self.switches.entered_depth <= node.depth {
                self.unmark_entry(node);
            }
            score
        } else {
            self.leaf::<TABLE, EXTRAS>(board, node)
        }
    }

    /// Whether a null move is allowed: not at the root, not twice in a row, not in check, not with
    /// pawns alone (zugzwang), and not against a mate score.
    fn allows_null_move(&self, board: &Board, node: Node, previous: Move) -> bool {
        let side = board.turn();
        node.ply > 0
            && !previous.is_none()
            && !board.in_check()
            && node.beta.abs() < self.switches.mate_threshold
            && [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen]
                .into_iter()
                .any(|piece| !board.pieces(side, piece).is_empty())
    }

    /// The value of a null move, searched to the reduced depth with a zero window at beta.
    fn search_null_move<const TABLE: bool, const EXTRAS: bool>(&mut self, board: &Board, node: Node) -> Score {
        let mut child = *board;
        child.play_null(self.increments);
        self.path.push(board.key());
        let depth = (node.depth - 1 - self.switches.null_reduction).max(0);
        let child_node = Node { alpha: -node.beta, beta: -node.beta + 1, depth, ply: node.ply + 1, cut: !node.cut };
        let score = -self.visit::<TABLE, EXTRAS>(&child, child_node, Move::NONE);
        self.path.pop();
        // A mate after a null move is not proven.
        score.min(self.switches.mate_threshold)
    }

    /// Enhanced transposition cutoff: finds a child whose stored score already refutes this node,
    /// and returns the node's score and the move to the child. The moves must have been generated
    /// into `scratch`.
    fn refuted_by_child(&mut self, board: &Board, node: Node) -> Option<(Score, Move)> {
        for index in 0..self.scratch.len() {
            let mv = self.scratch[index];
            let mut child = *board;
            child.play(mv, self.increments);
            self.count.etc_probes += 1;
            let Some(hit) = self.look_up(&child, node.depth as u8 - 1) else { continue };
            let score = -self.switches.score_from_store(hit.entry.score, node.ply + 1);
            // An upper bound of the child is a lower bound of this node.
            let is_lower_bound = matches!(hit.entry.bound, Bound::Exact | Bound::Upper);
            let is_valid = self.deep_enough(&hit, node.depth - 1)
                && self.switches.holds_at_clock(&child, node.depth - 1, &hit.entry);
            if is_lower_bound && score >= node.beta && is_valid {
                let child_node = Node {
                    alpha: -node.beta,
                    beta: -node.alpha,
                    depth: node.depth - 1,
                    ply: node.ply + 1,
                    cut: !node.cut,
                };
                self.path.push(board.key());
                self.report(&Probed {
                    board: &child,
                    node: child_node,
                    hit: Some(&hit),
                    deep: true,
                    barred: false,
                    cut: true,
                    by_parent: true,
                });
                self.path.pop();
                self.count.etc_cuts += 1;
                if let Some(table) = self.table.as_mut() {
                    table.cutoff(&hit);
                }
                return Some((score, mv));
            }
        }
        None
    }

    /// Prefetches the buckets of all children that will be probed.
    #[inline]
    fn prefetch_children(&mut self, board: &Board, depth: i32) {
        if self.switches.prefetch == Prefetch::Children && self.switches.probe_depth < depth {
            for index in 0..self.scratch.len() {
                self.prefetch(board.key_after(self.scratch[index], self.increments));
            }
        }
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        if let Some(table) = self.table.as_ref() {
            table.prefetch(key);
        }
    }
}
