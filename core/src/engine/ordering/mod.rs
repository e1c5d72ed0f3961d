//! Move ordering. Each rule in the list `ordering` claims the moves that it knows. Claimed moves
//! come in the order of their rules in the list. Moves that no rule claims follow in generation
//! order.
//!
//! If several rules know a move, the order of the list does not decide which of them claims the
//! move. The table's move is always claimed by the table-move rule. A quiet move is claimed by
//! killers, otherwise by countermove, otherwise by history. Each rule has its own file.

pub mod countermove;
pub mod history;
pub mod killers;
mod mvv_lva;
mod root_order;
mod scored;
mod stack;
mod staged;

use super::options::{EngineOptions, MvvLva, Ordering};
use crate::chess::{Board, GenerationOrder, Move, Piece};
use countermove::Countermoves;
use history::History;
use killers::Killers;
pub use root_order::RootOrder;
pub use stack::StageContext;
pub use stack::{NodeMoves, Stack};
pub use staged::STAGED_DEPTH;

/// What the search learns about moves. It is kept between nodes and, if the options say so, between
/// searches.
#[derive(Debug, Clone, Default)]
pub struct Heuristics {
    /// The last quiet moves that caused a cutoff at each ply.
    pub killers: Killers,
    /// How often each quiet move caused a cutoff.
    pub history: History,
    /// The reply that last refuted each move of the opponent.
    pub countermoves: Countermoves,
}

impl Heuristics {
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// The ordering options, resolved once for a search. Each ordering rule has a rank. The first rule
/// in the list has the highest rank. A rule that is not in the list has rank 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ranks {
    first_move: i32,
    table_move: i32,
    captures: i32,
    see: i32,
    killers: i32,
    history: i32,
    countermove: i32,
    scheme: MvvLva,
    see_values: [i32; 6],
    /// The scores under MVV-LVA of captures that do not promote, by the kind of the attacker and
    /// the kind of the victim. The target square of an en passant capture is empty (kind 0), and
    /// counts as a pawn.
    capture_scores: [[i32; 8]; 8],
    /// Whether captures can be scored as they are generated.
    pub scores_captures_at_once: bool,
    /// Whether the list of rules is empty, so that moves are tried in generation order.
    pub is_empty: bool,
}

/// The distance between two ranks. It is larger than any score within a rule, which is below 2^24.
const STEP: i32 = 1 << 24;

impl Ranks {
    /// Gives each rule in the list `ordering` its rank. Earlier rules have higher ranks.
    pub fn new(options: &EngineOptions) -> Self {
        let mut ranks = Self { scheme: options.mvv_lva, see_values: SEE_VALUES, is_empty: true, ..Self::default() };
        for (index, rule) in options.ordering.iter().enumerate() {
            let rank = (options.ordering.len() - index) as i32 * STEP;
            let slot = match rule {
                Ordering::Oracle => &mut ranks.first_move,
                Ordering::TableMove => &mut ranks.table_move,
                Ordering::MvvLva => &mut ranks.captures,
                Ordering::See => &mut ranks.see,
                Ordering::Killers => &mut ranks.killers,
                Ordering::History => &mut ranks.history,
                Ordering::Countermove => &mut ranks.countermove,
            };
            // If a rule is listed twice, its first place in the list counts.
            *slot = (*slot).max(rank);
            ranks.is_empty = false;
        }
        ranks.first_move = ranks.first_move.max(ranks.table_move);
        ranks.scores_captures_at_once = ranks.captures != 0 && options.generation == GenerationOrder::Purple;
        for attacker in Piece::ALL {
            for victim in Piece::ALL {
                let score = ranks.captures + mvv_lva::capture_score(ranks.scheme, attacker, victim);
                ranks.capture_scores[attacker.number()][victim.number()] = score;
                // The target square of an en passant capture is empty, so its piece number is 0.
                if victim == Piece::Pawn {
                    ranks.capture_scores[attacker.number()][0] = score;
                }
            }
        }
        ranks
    }

    #[inline]
    pub fn uses_table_move(&self) -> bool {
        self.table_move != 0
    }

    /// Whether cutoffs by quiet moves must be remembered.
    #[inline]
    pub fn learns_from_cutoffs(&self) -> bool {
        self.killers | self.history | self.countermove != 0
    }

    /// Whether the first move, captures and quiet moves always come in this order. Each of these
    /// groups can then be generated when the group before it is exhausted.
    #[inline]
    pub fn come_in_stages(&self) -> bool {
        let noisy_rank = self.captures.max(self.see);
        // Webster's scheme does not score promotions without a capture, so these promotions come
        // among the quiet moves that no rule scores.
        noisy_rank > self.killers.max(self.history).max(self.countermove)
            && (self.first_move == 0 || self.first_move > noisy_rank)
            && (self.captures == 0 || self.scheme != MvvLva::Webster)
    }

    /// Whether the oracle's or the table's move is tried first.
    #[inline]
    pub fn has_first_move(&self) -> bool {
        self.first_move != 0
    }

    /// The score of a capture or promotion. This is the rank of the ordering rule for the move plus
    /// the score that the rule gives to the move. Under static exchange evaluation, the rank is not
    /// added for a losing capture, so its score is negative.
    #[inline(never)]
    fn noisy_score(&self, board: &Board, mv: Move) -> i32 {
        if self.captures != 0 {
            return mvv_lva::score(self.scheme, board, mv).map_or(0, |score| self.captures + score);
        }
        if self.see == 0 {
            return 0;
        }
        let gain = board.see(mv, &self.see_values);
        if gain >= 0 { self.see + gain } else { gain }
    }

    #[inline]
    fn quiet_scorer<'a>(&self, board: &Board, hint: &Hint, heuristics: &'a Heuristics) -> QuietScorer<'a> {
        let countermove =
            if self.countermove == 0 { Move::NONE } else { heuristics.countermoves.reply(board, hint.previous) };
        let killer_pair = if self.killers == 0 { [Move::NONE; 2] } else { heuristics.killers.pair(hint.ply) };
        QuietScorer {
            killer_rank: self.killers,
            killer_pair,
            countermove_rank: self.countermove,
            countermove,
            history_rank: self.history,
            history_scores: heuristics.history.side_scores(board.turn()),
        }
    }
}

/// Scores the quiet moves of one node. It has the rank of each rule, and the moves or scores that
/// the rule knows. If a rule is not in the list, its moves are [`Move::NONE`].
struct QuietScorer<'a> {
    killer_rank: i32,
    killer_pair: [Move; 2],
    countermove_rank: i32,
    countermove: Move,
    history_rank: i32,
    history_scores: &'a [i32],
}

impl QuietScorer<'_> {
    /// The score of a quiet move. This is the rank of the ordering rule for the move plus the score
    /// that the rule gives to the move. The score is 0 if no rule scores the move.
    #[inline]
    fn score(&self, mv: Move) -> i32 {
        let [newer, older] = self.killer_pair;
        if mv == newer || mv == older {
            return self.killer_rank + if mv == newer { 2 } else { 1 };
        }
        if mv == self.countermove {
            return self.countermove_rank;
        }
        let score = if self.history_rank == 0 { 0 } else { history::score(self.history_scores, mv) };
        if score == 0 { 0 } else { self.history_rank + score }
    }
}

/// Piece values for static exchange evaluation. The king's value is so high that no exchange gives
/// up the king.
const SEE_VALUES: [i32; 6] = [100, 300, 300, 500, 900, 20_000];

/// What is known about a node's moves before they are generated.
#[derive(Debug, Clone, Copy)]
pub struct Hint {
    /// The move to try first, from the oracle or the table, or [`Move::NONE`].
    pub table_move: Move,
    /// The opponent's last move; [`Move::NONE`] at the root.
    pub previous: Move,
    pub ply: usize,
}
