//! Move ordering: each rule of `ordering` claims the moves it knows, in the list's order; what no rule claims stays in
//! the generation order behind them. One file for each idea.

pub mod countermove;
pub mod history;
pub mod killers;
mod mvv_lva;

use super::options::{EngineOptions, MvvLva, Ordering};
use crate::chess::{Board, Move, MoveList};
use countermove::Countermoves;
use history::History;
use killers::Killers;

/// What the search learns about moves, kept from node to node and, as the options say, from search to search.
#[derive(Debug, Clone, Default)]
pub struct Learned {
    /// Quiet moves that cut at the same ply.
    pub killers: Killers,
    /// How often each quiet move cut.
    pub history: History,
    /// What refuted each move of the opponent.
    pub countermoves: Countermoves,
}

impl Learned {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.killers.clear();
        self.history.clear();
        self.countermoves.clear();
    }
}

/// The ordering options, resolved once for a search: the rank of each rule (the first of the list has the highest; 0: not
/// in the list).
#[derive(Debug, Clone, Copy, Default)]
pub struct Ranks {
    /// Of the move that comes first: a foreseen one or the table's.
    first: i32,
    table_move: i32,
    captures: i32,
    see: i32,
    killers: i32,
    history: i32,
    countermove: i32,
    scheme: MvvLva,
    see_values: [i32; 6],
    /// No rule at all: moves are tried as generated.
    pub none: bool,
}

/// Ranks are this far apart, so that no score within a rule (below 2^24) reaches the next.
const STEP: i32 = 1 << 24;

impl Ranks {
    /// Resolves the list of rules.
    #[must_use]
    pub fn new(options: &EngineOptions) -> Self {
        let mut ranks = Self { scheme: options.mvv_lva, see_values: SEE_VALUES, none: true, ..Self::default() };
        for (place, rule) in options.ordering.iter().enumerate() {
            let rank = (options.ordering.len() - place) as i32 * STEP;
            let slot = match rule {
                Ordering::Foreseen => &mut ranks.first,
                Ordering::TableMove => &mut ranks.table_move,
                Ordering::MvvLva => &mut ranks.captures,
                Ordering::See => &mut ranks.see,
                Ordering::Killers => &mut ranks.killers,
                Ordering::History => &mut ranks.history,
                Ordering::Countermove => &mut ranks.countermove,
            };
            *slot = (*slot).max(rank);
            ranks.none = false;
        }
        ranks.first = ranks.first.max(ranks.table_move);
        ranks
    }

    /// Whether the table's move is used for ordering at all.
    #[inline]
    #[must_use]
    pub fn uses_table_move(&self) -> bool {
        self.table_move != 0
    }

    /// Whether cuts by quiet moves are to be remembered.
    #[inline]
    #[must_use]
    pub fn learns(&self) -> bool {
        self.killers | self.history | self.countermove != 0
    }

    /// The score of one move: rank of the rule that claims it, plus its score within the rule.
    #[inline]
    fn score(&self, board: &Board, mv: Move, hint: &Hint, learned: &Learned) -> i32 {
        if mv == hint.table_move && self.first != 0 {
            return self.first;
        }
        if self.captures != 0
            && let Some(score) = mvv_lva::score(self.scheme, board, mv)
        {
            return self.captures + score;
        }
        if !board.is_quiet(mv) {
            if self.see != 0 {
                let gain = board.see(mv, &self.see_values);
                return if gain >= 0 { self.see + gain } else { gain };
            }
            return 0;
        }
        if self.killers != 0 {
            let place = learned.killers.place(hint.ply, mv);
            if place != 0 {
                return self.killers + place;
            }
        }
        if self.countermove != 0 && mv == learned.countermoves.reply(board, hint.previous) {
            return self.countermove;
        }
        if self.history != 0 {
            let score = learned.history.score(board.turn(), mv);
            if score != 0 {
                return self.history + score;
            }
        }
        0
    }
}

/// Values for static exchange: the king's so high that it is never given up.
const SEE_VALUES: [i32; 6] = [100, 300, 300, 500, 900, 20_000];

/// What a node knows about its moves before it looks at them.
#[derive(Debug, Clone, Copy)]
pub struct Hint {
    /// The move to try first, the table's unless another is foreseen; none if there is none.
    pub table_move: Move,
    /// The opponent's last move; none at the root.
    pub previous: Move,
    /// Plies from the root.
    pub ply: usize,
}

/// The moves of all nodes on the path, one above the other: no node allocates, and none clears what it will not read.
///
/// A move stands as score (high 32 bits), then what lets the earlier of two equal moves win (bits 16..32), then its own
/// sixteen bits, so that one comparison of numbers orders moves.
#[derive(Debug, Clone)]
pub struct Stack {
    keyed: Vec<i64>,
}

/// The moves of one node on the [`Stack`], to be given back with [`Stack::pop`].
#[derive(Debug)]
pub struct Frame {
    base: usize,
    next: usize,
    end: usize,
}

impl Default for Stack {
    fn default() -> Self {
        // 256 plies of a hundred moves each: it never grows in practice, and may where positions are absurd.
        Self { keyed: Vec::with_capacity(256 * 100) }
    }
}

impl Stack {
    /// Puts a node's moves on the stack, scored unless there is no rule to score by.
    #[inline]
    pub fn push(&mut self, ranks: &Ranks, board: &Board, moves: &MoveList, hint: &Hint, learned: &Learned) -> Frame {
        let base = self.keyed.len();
        if ranks.none {
            return self.push_unordered(moves);
        }
        self.keyed.extend(moves.iter().enumerate().map(|(place, &mv)| {
            let score = i64::from(ranks.score(board, mv, hint, learned));
            score << 32 | (255 - place as i64) << 16 | i64::from(mv.bits())
        }));
        Frame { base, next: base, end: self.keyed.len() }
    }

    /// Puts a node's moves on the stack as they were generated.
    #[inline]
    pub fn push_unordered(&mut self, moves: &MoveList) -> Frame {
        let base = self.keyed.len();
        self.keyed.extend(moves.iter().map(|mv| i64::from(mv.bits())));
        Frame { base, next: base, end: self.keyed.len() }
    }

    /// The next move in the order of generation.
    #[inline]
    pub fn next_unordered(&mut self, frame: &mut Frame) -> Option<Move> {
        let mv = self.keyed[..frame.end].get(frame.next).map(|&key| Move::from_bits(key as u16));
        frame.next += 1;
        mv
    }

    /// The next move of a node: the best of those left, or simply the next where no rule scored them.
    #[inline]
    pub fn next(&mut self, frame: &mut Frame, ranks: &Ranks) -> Option<Move> {
        if ranks.none {
            return self.next_unordered(frame);
        }
        let rest = self.keyed.get_mut(frame.next..frame.end)?;
        let (&first, others) = rest.split_first()?;
        frame.next += 1;
        let (mut best, mut place) = (first, 0);
        for (at, &key) in others.iter().enumerate() {
            if key > best {
                (best, place) = (key, at + 1);
            }
        }
        rest[place] = first;
        Some(Move::from_bits(best as u16))
    }

    /// Takes a node's moves off the stack.
    #[inline]
    pub fn pop(&mut self, frame: &Frame) {
        self.keyed.truncate(frame.base);
    }
}
