//! Alpha-beta and principal variation search: one interior node.

use super::node::{Node, TableFacts};
use super::observer::{Observer, ProbeEvent};
use super::ordering::{Hint, NodeMoves, StageContext};
use super::probe::ProbeAnswer;
use super::search::{Search, StartCounts};
use super::terms::Extension;
use crate::chess::{Board, Bound, Move, Piece, Score, movegen};

impl<O: Observer> Search<'_, O> {
    /// Searches a node of depth 1 or more and returns its score.
    ///
    /// Let v be the value of the node. The score is v if v lies inside the window. It is a number
    /// between v and alpha if v <= alpha, and a number between beta and v if v >= beta.
    ///
    /// `previous` is the move that led to the node. It is [`Move::NONE`] at the root and after a
    /// null move. `TABLE` says whether there is a table, and `EXTRAS` whether
    /// [`Switches::extras`](super::switches::Switches::extras) is set.
    pub(super) fn alpha_beta<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        mut node: Node,
        previous: Move,
    ) -> Score {
        if self.aborts_on_entry() {
            return 0;
        }
        let start_counts = self.start_counts();
        self.count.interior += 1;
        self.pv.clear(node.ply);
        if self.switches.draws && node.ply > 0 && self.is_draw(board) {
            return self.clamp_to_window(0, node.alpha, node.beta);
        }

        self.observer.before_node(board);
        let is_special_root = EXTRAS && node.ply == 0 && self.has_special_root();
        // The score of some of a root's moves is neither taken from the table nor stored.
        let is_restricted = is_special_root && self.restricts_root();
        let (mut known, facts) = match is_restricted {
            true => (ProbeAnswer::unknown(node), TableFacts::default()),
            false => match self.probe_node::<TABLE, EXTRAS>(board, node) {
                Ok(known) => known,
                Err(score) => return score,
            },
        };
        if EXTRAS && self.switches.iir_depth <= node.depth && node.ply > 0 {
            node.depth = self.reduced_depth(node.depth, &facts);
        }
        let stores = TABLE && self.switches.store_depth <= node.depth && !is_restricted;

        let is_staged = node.depth <= self.switches.staged_depth && !is_special_root;
        let table_move_is_legal = is_staged && !known.mv.is_none() && board.is_legal(known.mv);
        if let Some(score) = self.settle_before_search::<TABLE, EXTRAS>(
            (board, node, &known),
            (is_special_root, is_staged, table_move_is_legal, stores),
            start_counts,
        ) {
            return score;
        }
        let (extension, ran_inner_search) =
            match self.search_before_moves::<TABLE, EXTRAS>(board, node, &mut known, &facts, previous) {
                Ok(found) => found,
                Err(score) => return score,
            };
        if self.aborted {
            return 0;
        }
        if ran_inner_search && !is_staged {
            // The inner searches have overwritten the list of generated moves.
            self.generate(board);
        }
        if is_restricted {
            self.generate_root_moves();
        }

        let hint = Hint { table_move: self.first_move(board, node.depth, known.mv), previous, ply: node.ply };
        let mut frame = if is_staged {
            let is_legal = table_move_is_legal && hint.table_move == known.mv || board.is_legal(hint.table_move);
            self.stack.begin_staged(if self.ranks.has_first_move() && is_legal { hint.table_move } else { Move::NONE })
        } else {
            self.stack.push(&self.ranks, board, &self.scratch, &hint, self.heuristics)
        };
        if is_special_root && let Some(order) = self.root_order {
            self.stack.reorder(&mut frame, order);
        }
        self.path.push(board.key());
        let (best, best_move) = self.search_moves::<TABLE, EXTRAS>(
            &mut frame,
            (board, node, known),
            (is_staged, &hint),
            extension,
            start_counts,
        );
        self.path.pop();
        self.stack.pop(frame.base);
        if self.aborted {
            return 0;
        }
        if best > node.alpha {
            self.observer.after_search(board, node.depth, best_move);
        }
        let score = self.clamp_to_window(best, node.alpha, node.beta);
        if stores {
            self.store_result::<EXTRAS>(board, node, (score, best_move), start_counts);
        }
        score
    }

    /// Asks the table about a node. Returns what is known of it, or the score that ends it.
    #[inline(always)]
    fn probe_node<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
    ) -> Result<(ProbeAnswer, TableFacts), Score> {
        let depth = node.depth;
        let mut known = ProbeAnswer::unknown(node);
        let uses_facts = EXTRAS && self.switches.terms_depth <= depth;
        if uses_facts {
            self.facts = TableFacts::default();
        }
        if TABLE && self.switches.probe_depth <= depth {
            let answer = self.probe::<EXTRAS>(board, node);
            if let Some(score) = answer.cutoff_score {
                return Err(score);
            }
            known = answer;
            if uses_facts && self.switches.uses_offered_facts {
                self.facts = self.offered_facts(board, depth);
            }
        }
        // Copied, because the searches below this node overwrite `self.facts`.
        Ok((known, if uses_facts { self.facts } else { TableFacts::default() }))
    }

    /// What ends a node before a move is searched: leaves that are evaluated at once, no legal
    /// move, or a child's entry that refutes it. Generates the moves, unless they are staged.
    #[inline(always)]
    fn settle_before_search<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        (board, node, known): (&Board, Node, &ProbeAnswer),
        (is_special_root, is_staged, table_move_is_legal, stores): (bool, bool, bool, bool),
        start_counts: StartCounts,
    ) -> Option<Score> {
        if !is_special_root
            && self.is_frontier_node(node.depth)
            && let Some((score, mv)) =
                self.search_frontier_node(board, node, (known.alpha, known.beta, known.best), known.mv)
        {
            let score = self.clamp_to_window(score, node.alpha, node.beta);
            if stores {
                self.store_result::<EXTRAS>(board, node, (score, mv), start_counts);
            }
            return Some(score);
        }
        if !is_staged {
            self.generate(board);
        }
        let is_terminal = match is_staged {
            true => !table_move_is_legal && !board.has_legal_move(),
            false => self.scratch.is_empty(),
        };
        if is_terminal {
            let score = self.terminal_score(board, node.ply, node.depth);
            if stores && self.switches.terminals {
                self.store_known_result::<EXTRAS>(board, node, (score, Move::NONE), start_counts);
            }
            return Some(self.clamp_to_window(score, node.alpha, node.beta));
        }
        if TABLE
            && self.switches.etc_depth <= node.depth
            && node.ply > 0
            && let Some((score, mv)) = self.refuted_by_child(board, node)
        {
            if stores {
                self.store_lower_bound(board, node, (score, mv), start_counts);
            }
            self.observer.after_entry_cutoff(board, node.depth, mv);
            return Some(self.clamp_to_window(score, node.alpha, node.beta));
        }
        None
    }

    /// The searches of a node itself before its moves: the null move, internal deepening, and the
    /// test of a singular move. Returns the extension, and whether anything was searched; or the
    /// score that ends the node.
    #[inline(always)]
    fn search_before_moves<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        known: &mut ProbeAnswer,
        facts: &TableFacts,
        previous: Move,
    ) -> Result<(Extension, bool), Score> {
        let mut ran_inner_search = false;
        if self.switches.null_depth <= node.depth && self.allows_null_move(board, node, previous) {
            let score = self.search_null_move::<TABLE, EXTRAS>(board, node);
            if self.aborted || score >= known.beta {
                return Err(self.clamp_to_window(score, node.alpha, node.beta));
            }
            ran_inner_search = true;
        }
        // The part of the window that the stored score left open.
        let open_node = Node { alpha: known.alpha, beta: known.beta, ..node };
        if self.switches.iid_depth <= node.depth
            && known.mv.is_none()
            && known.beta - known.alpha > 1
            && self.ranks.uses_table_move()
        {
            self.visit::<TABLE, EXTRAS>(board, Node { depth: (node.depth / 2).max(1), ..open_node }, previous);
            known.mv = self.pv.get(node.ply).first().copied().unwrap_or(Move::NONE);
            self.pv.clear(node.ply);
            ran_inner_search = true;
        }
        let mut extension = Extension::default();
        if EXTRAS && self.switches.singular_depth <= node.depth && !facts.mv.is_none() && !self.aborted {
            extension = self.singular_extension::<TABLE, EXTRAS>(board, open_node, facts, previous);
            ran_inner_search = true;
        }
        Ok((extension, ran_inner_search))
    }

    /// Searches the moves of a node in order until one of them refutes it. Returns the best score
    /// and its move.
    #[inline(always)]
    fn search_moves<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        frame: &mut NodeMoves,
        (board, node, known): (&Board, Node, ProbeAnswer),
        (is_staged, hint): (bool, &Hint),
        extension: Extension,
        start_counts: StartCounts,
    ) -> (Score, Move) {
        let Node { depth, ply, .. } = node;
        let ProbeAnswer { mut alpha, beta, mut best, mv: table_move, .. } = known;
        let (mut best_move, mut tried) = (Move::NONE, 0);
        let has_bare_leaves = depth == 1 && self.switches.bare_leaves && !O::ENABLED;
        if has_bare_leaves {
            self.pv.clear(ply + 1);
        }
        let prefetches = TABLE && self.switches.prefetch_depth < depth;
        let mut ahead = None;
        loop {
            let is_fetched = ahead.is_some();
            let next = ahead.take().or_else(|| match is_staged {
                true => self.next_staged(frame, board, hint),
                false => self.stack.next(frame),
            });
            let Some(mv) = next else { break };
            if prefetches {
                if !is_fetched {
                    self.prefetch(board.key_after(mv, self.increments));
                }
                // The bucket of the next move is fetched while this one is searched.
                ahead = self.stack.next_ready(frame);
                if let Some(mv) = ahead {
                    self.prefetch(board.key_after(mv, self.increments));
                }
            }
            if tried == 0 && mv == table_move {
                self.count.table_moves += 1;
            }
            let score = if has_bare_leaves {
                self.evaluate_bare_leaf(board, mv, alpha, beta)
            } else {
                let mut child = *board;
                child.play(mv, self.increments);
                let depth = if EXTRAS { extension.apply(depth, mv) } else { depth };
                self.search_child::<TABLE, EXTRAS>(board, &child, mv, Node { alpha, beta, depth, ..node }, tried)
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
                    self.pv.adopt_child_line(ply, mv);
                    if TABLE && EXTRAS && self.switches.rises_depth <= depth && score < beta {
                        self.store_lower_bound(board, node, (score, mv), start_counts);
                    }
                }
                if score >= beta {
                    self.count.cuts += 1;
                    self.count.first_cuts += u64::from(tried == 1);
                    self.count.table_move_cuts += u64::from(tried == 1 && mv == table_move);
                    self.update_heuristics(board, hint.previous, mv, ply, depth);
                    break;
                }
            }
        }
        (best, best_move)
    }

    /// Generates all moves of a node into `scratch`, in the order that the options choose.
    #[inline]
    pub(super) fn generate(&mut self, board: &Board) {
        self.scratch.clear();
        movegen::legal(board, &mut self.scratch);
        self.sort_generated(board);
    }

    /// Generates the next stage when no generated move is left.
    #[inline]
    fn next_staged(&mut self, frame: &mut NodeMoves, board: &Board, hint: &Hint) -> Option<Move> {
        loop {
            if let Some(mv) = self.stack.next_ready(frame) {
                return Some(mv);
            }
            let context = StageContext {
                ranks: &self.ranks,
                generation: self.switches.generation,
                board,
                hint,
                heuristics: self.heuristics,
            };
            if !self.stack.generate_next_stage(frame, &mut self.scratch, context) {
                return None;
            }
        }
    }

    /// Searches one move of `node`. Returns the value of the move from the view of the side that
    /// plays it. `tried` is the number of moves of the node that were tried before.
    #[inline(always)]
    pub(super) fn search_child<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        child: &Board,
        mv: Move,
        node: Node,
        tried: usize,
    ) -> Score {
        let Node { alpha, beta, depth, ply } = node;
        let is_pv = beta - alpha > 1;
        let full_window_node = Node { alpha: -beta, beta: -alpha, depth: depth - 1, ply: ply + 1 };
        let zero_window_node = Node { alpha: -alpha - 1, ..full_window_node };
        if self.is_late_move(board, child, mv, depth, tried) {
            let reduced_depth = (full_window_node.depth - self.switches.lmr_reduction).max(0);
            let reduced_node = Node { depth: reduced_depth, ..zero_window_node };
            let score = -self.visit::<TABLE, EXTRAS>(child, reduced_node, mv);
            if score <= alpha || self.aborted {
                return score;
            }
            self.count.researches += 1;
        }
        if self.switches.pvs && tried > 0 && is_pv {
            let score = -self.visit::<TABLE, EXTRAS>(child, zero_window_node, mv);
            if score <= alpha || score >= beta || self.aborted {
                return score;
            }
            self.count.researches += 1;
        }
        -self.visit::<TABLE, EXTRAS>(child, full_window_node, mv)
    }

    /// Whether late move reduction applies to a move, so that the move is first searched to a
    /// reduced depth. `tried` is the number of moves of the node that were tried before.
    #[inline(always)]
    pub(super) fn is_late_move(&self, board: &Board, child: &Board, mv: Move, depth: i32, tried: usize) -> bool {
        self.switches.lmr_depth <= depth
            && tried >= self.switches.lmr_full_moves
            && !board.in_check()
            && !child.in_check()
            && board.is_quiet(mv)
    }

    /// Searches a node of any remaining depth, which may be an interior node or a leaf.
    #[inline]
    pub(super) fn visit<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        previous: Move,
    ) -> Score {
        if node.depth > 0 {
            self.alpha_beta::<TABLE, EXTRAS>(board, node, previous)
        } else {
            self.search_leaf::<TABLE, EXTRAS>(board, node)
        }
    }

    /// Whether a null move is allowed at a node. It is not allowed at the root, after another null
    /// move, in check, or if beta is a mate score. It is also not allowed if the side to move has
    /// only its king and pawns, because zugzwang is common then.
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

    /// Searches the null move to a reduced depth with a zero window at beta. Returns its value.
    fn search_null_move<const TABLE: bool, const EXTRAS: bool>(&mut self, board: &Board, node: Node) -> Score {
        let mut child = *board;
        child.play_null(self.increments);
        self.path.push(board.key());
        let depth = (node.depth - 1 - self.switches.null_reduction).max(0);
        let child_node = Node { alpha: -node.beta, beta: -node.beta + 1, depth, ply: node.ply + 1 };
        let score = -self.visit::<TABLE, EXTRAS>(&child, child_node, Move::NONE);
        self.path.pop();
        // A mate that follows a null move is not proven, so the score is capped.
        score.min(self.switches.mate_threshold)
    }

    /// Enhanced transposition cutoff: looks for a child whose stored score already refutes this
    /// node. Returns the score of this node and the move to the child. The moves must have been
    /// generated into `scratch`.
    fn refuted_by_child(&mut self, board: &Board, node: Node) -> Option<(Score, Move)> {
        for index in 0..self.scratch.len() {
            let mv = self.scratch[index];
            let mut child = *board;
            child.play(mv, self.increments);
            self.count.etc_probes += 1;
            let Some(hit) = self.look_up(&child, node.depth as u8 - 1) else { continue };
            let score = -self.switches.score_from_store(hit.entry.score, node.ply + 1);
            // An upper bound of the child's value is a lower bound of this node's value.
            let is_lower_bound = matches!(hit.entry.bound, Bound::Exact | Bound::Upper);
            let is_valid = self.is_deep_enough(&hit, node.depth - 1)
                && self.switches.holds_at_clock(&child, node.depth - 1, &hit.entry);
            if is_lower_bound && score >= node.beta && is_valid {
                let child_node =
                    Node { alpha: -node.beta, beta: -node.alpha, depth: node.depth - 1, ply: node.ply + 1 };
                self.path.push(board.key());
                self.report(&ProbeEvent {
                    board: &child,
                    node: child_node,
                    hit: Some(&hit),
                    is_deep_enough: true,
                    is_cutoff: true,
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

    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        if let Some(table) = self.table.as_ref() {
            table.prefetch(key);
        }
    }
}
