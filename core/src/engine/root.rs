//! The search of the root in one iteration, with aspiration windows and MTD(f).

use super::node::Node;
use super::observer::Observer;
use super::options::Algorithm;
use super::search::Search;
use super::switches::INFINITE;
use crate::chess::{Board, Move, Score};

impl<O: Observer> Search<'_, O> {
    /// Searches the root to `depth` plies. Returns its score and leaves the best line in `self.pv`.
    /// `guess` is the score of the previous iteration, if there was one.
    pub(super) fn iterate(&mut self, root: &Board, depth: i32, guess: Option<Score>) -> Score {
        // Nodes at twice the depth of the iteration are not extended, so that no line grows without
        // end.
        self.extension_ply_limit = 2 * depth as usize;
        let node = |alpha, beta| Node { alpha, beta, depth, ply: 0 };
        match (self.algorithm, guess) {
            (Algorithm::Minimax, _) if self.table.is_some() => self.minimax::<true>(root, depth, 0),
            (Algorithm::Minimax, _) => self.minimax::<false>(root, depth, 0),
            (Algorithm::Mtdf, guess) => self.mtdf(root, depth, guess.unwrap_or(0)),
            (_, Some(guess)) if self.aspiration > 0 => {
                let (mut alpha, mut beta) = (guess - self.aspiration, guess + self.aspiration);
                loop {
                    let score = self.search_root(root, node(alpha.max(-INFINITE), beta.min(INFINITE)));
                    if self.aborted {
                        return score;
                    } else if score <= alpha && alpha > -INFINITE {
                        alpha = -INFINITE;
                    } else if score >= beta && beta < INFINITE {
                        beta = INFINITE;
                    } else {
                        return score;
                    }
                    self.count.researches += 1;
                }
            }
            _ => self.search_root(root, node(-INFINITE, INFINITE)),
        }
    }

    /// Searches the root within the window of `node`. Calls the variant of the search that was
    /// compiled for these options.
    fn search_root(&mut self, root: &Board, node: Node) -> Score {
        match (self.table.is_some(), self.switches.extras || self.has_special_root()) {
            (true, false) => self.visit::<true, false>(root, node, Move::NONE),
            (true, true) => self.visit::<true, true>(root, node, Move::NONE),
            (false, false) => self.visit::<false, false>(root, node, Move::NONE),
            (false, true) => self.visit::<false, true>(root, node, Move::NONE),
        }
    }

    /// Whether the root's moves have another order than those of other nodes, or are not all
    /// searched.
    pub(super) fn has_special_root(&self) -> bool {
        self.root_order.is_some() || self.restricts_root()
    }

    pub(super) fn restricts_root(&self) -> bool {
        !self.root_moves.is_empty()
    }

    pub(super) fn generate_root_moves(&mut self) {
        self.scratch.clear();
        self.root_moves.iter().for_each(|mv| self.scratch.push(*mv));
    }

    /// Searches the root with MTD(f). The first zero-window search is made at `guess`. Each search
    /// moves one of the two bounds of the root's value, until the bounds meet. Source: Plaat,
    /// Schaeffer, Pijls and de Bruin, 1996.
    fn mtdf(&mut self, root: &Board, depth: i32, guess: Score) -> Score {
        let (mut lower, mut upper, mut score) = (-INFINITE, INFINITE, guess);
        let mut line: Vec<Move> = Vec::new();
        loop {
            let beta = if score == lower { score + 1 } else { score };
            score = self.search_root(root, Node { alpha: beta - 1, beta, depth, ply: 0 });
            if self.aborted {
                return score;
            }
            if score < beta {
                upper = score;
            } else {
                lower = score;
                // Only a search that fails high finds a line. The last such line is the best one.
                line = self.pv.get(0).to_vec();
            }
            if lower >= upper {
                self.pv.set_line(0, &line);
                return score;
            }
            self.count.researches += 1;
        }
    }
}
