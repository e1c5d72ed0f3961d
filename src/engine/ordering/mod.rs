//! Move ordering: each rule of `ordering` claims the moves it knows, and claimed moves come in the
//! order of their rules in the list; unclaimed moves follow in generation order. If several rules
//! know a move, one of them claims it regardless of the list's order: the table-move rule claims
//! the table's move, and a quiet move is claimed by killers before countermove before history. One
//! file per rule.

pub mod countermove;
pub mod history;
pub mod killers;
mod mvv_lva;
mod root_order;
mod scored;
mod stack;
mod staged;

use super::options::{EngineOptions, MvvLva, Ordering};
use crate::chess::{Board, Move, Piece};
use countermove::Countermoves;
use history::History;
use killers::Killers;
pub use root_order::RootOrder;
pub use stack::StageContext;
pub use stack::{NodeMoves, Stack};
pub use staged::STAGED_DEPTH;

/// What the search learns about moves, kept between nodes and, depending on the options, between
/// searches.
#[derive(Debug, Clone, Default)]
pub struct Heuristics {
    /// Quiet moves that cut at the same ply.
    pub killers: Killers,
    /// How often each quiet move cut.
    pub history: History,
    /// The reply that refuted each move of the opponent.
    pub countermoves: Countermoves,
}

impl Heuristics {
    pub fn clear(&mut self) {
        self.killers.clear();
        self.history.clear();
        self.countermoves.clear();
    }
}

/// The ordering options, resolved once for a search: the rank of each rule (the first of the list
/// has the highest; 0: not in the list).
#[derive(Debug, Clone, Copy, Default)]
pub struct Ranks {
    /// Rank of the first move: the oracle's or the table's.
    first_move: i32,
    table_move: i32,
    captures: i32,
    see: i32,
    killers: i32,
    history: i32,
    countermove: i32,
    scheme: MvvLva,
    see_values: [i32; 6],
    /// The scores of captures that do not promote under MVV-LVA, by the kinds of attacker and
    /// victim. The empty target square of an en passant capture (kind 0) counts as a pawn.
    capture_scores: [[i32; 8]; 8],
    /// Whether the list is empty: moves are then tried in generation order.
    pub is_empty: bool,
}

/// Distance between ranks, above any score within a rule (below 2^24).
const STEP: i32 = 1 << 24;

impl Ranks {
    /// Gives each ordering rule of the options its rank: the earlier in the list, the higher.
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
            // The first place counts if a rule is listed twice.
            *slot = (*slot).max(rank);
            ranks.is_empty = false;
        }
        ranks.first_move = ranks.first_move.max(ranks.table_move);
        for attacker in Piece::ALL {
            for victim in Piece::ALL {
                let score = ranks.captures + mvv_lva::capture_score(ranks.scheme, attacker, victim);
                ranks.capture_scores[attacker.number()][victim.number()] = score;
                // En passant captures go to an empty square; its piece number is 0.
                if victim == Piece::Pawn {
                    ranks.capture_scores[attacker.number()][0] = score;
                }
            }
        }
        ranks
    }

    /// Whether the table's move is used for ordering at all.
    #[inline]
    pub fn uses_table_move(&self) -> bool {
        self.table_move != 0
    }

    /// Whether cutoffs by quiet moves must be remembered.
    #[inline]
    pub fn learns_from_cutoffs(&self) -> bool {
        self.killers | self.history | self.countermove != 0
    }

    /// Whether the first move, captures and quiet moves always come in this order, so that each
    /// group can be generated after the previous one is exhausted.
    #[inline]
    pub fn come_in_stages(&self) -> bool {
        let noisy = self.captures.max(self.see);
        // Webster's scheme leaves promotions among the quiet moves.
        noisy > self.killers.max(self.history).max(self.countermove)
            && (self.first_move == 0 || self.first_move > noisy)
            && (self.captures == 0 || self.scheme != MvvLva::Webster)
    }

    /// Whether one move is put before all others.
    #[inline]
    pub fn has_first_move(&self) -> bool {
        self.first_move != 0
    }

    /// The score of a capture or promotion: rank of the rule that claims it, plus its score within
    /// the rule. A losing capture has a negative score under static exchange evaluation.
    #[inline]
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

    /// Prepares the scoring of quiet moves at a node.
    #[inline]
    fn quiets<'a>(&self, board: &Board, hint: &Hint, heuristics: &'a Heuristics) -> Quiets<'a> {
        let reply =
            if self.countermove == 0 { Move::NONE } else { heuristics.countermoves.reply(board, hint.previous) };
        let killer_pair = if self.killers == 0 { [Move::NONE; 2] } else { heuristics.killers.pair(hint.ply) };
        Quiets {
            killer_rank: self.killers,
            killer_pair,
            countermove_rank: self.countermove,
            reply,
            history_rank: self.history,
            history_scores: heuristics.history.side_scores(board.turn()),
        }
    }
}

/// Scores the quiet moves of one node: the rank of each rule, and the moves or scores that the rule
/// knows. Killers and reply are [`Move::NONE`] without their rule.
struct Quiets<'a> {
    killer_rank: i32,
    /// The newer killer comes first.
    killer_pair: [Move; 2],
    countermove_rank: i32,
    reply: Move,
    history_rank: i32,
    history_scores: &'a [i32],
}

impl Quiets<'_> {
    /// The score of a quiet move: rank of the rule that claims it, plus its score within the rule;
    /// 0 if no rule claims it.
    #[inline]
    fn score(&self, mv: Move) -> i32 {
        let [newer, older] = self.killer_pair;
        if mv == newer || mv == older {
            return self.killer_rank + if mv == newer { 2 } else { 1 };
        }
        if mv == self.reply {
            return self.countermove_rank;
        }
        let score = if self.history_rank == 0 { 0 } else { history::score(self.history_scores, mv) };
        if score == 0 { 0 } else { self.history_rank + score }
    }
}

/// Piece values for static exchange evaluation; the king's is so high that it is never given up.
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
