//! The moves of all nodes on the path, and the order in which they are taken.

use super::{Hint, Learned, Ranks};
use crate::chess::{Board, Move, MoveList};

/// The moves of all nodes on the path, one above the other: no node allocates, and none clears what it will not read.
///
/// A move stands as score (high 32 bits), then what lets the earlier of two equal moves win (bits 16..32), then its own
/// sixteen bits, so that one comparison of numbers orders moves.
#[derive(Debug, Clone)]
pub struct Stack {
    keyed: Vec<i64>,
}

/// What of a node's moves has been put on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing: the first move comes from elsewhere.
    First,
    /// Nothing, and the first move is through.
    Begun,
    /// Captures and promotions.
    Noisy,
    /// Quiet moves; losing captures wait below them.
    Quiet,
    /// All that there are.
    All,
}

/// The moves of one node on the [`Stack`], to be given back with [`Stack::pop`].
#[derive(Debug)]
pub struct Frame {
    base: usize,
    /// The moves that are left to choose from.
    next: usize,
    end: usize,
    /// Those are to be taken as they stand.
    sorted: bool,
    /// Moves chosen one by one so far.
    chosen: u8,
    /// Moves behind them that no rule claims, up to here.
    tail: usize,
    /// Losing captures.
    losing: (usize, usize),
    /// The move that goes before all others.
    pub first: Move,
    /// How far generation has come.
    pub stage: Stage,
}

/// Moves chosen one by one before the rest is sorted: a node that has tried so many will most often try all.
const CHOSEN: u8 = 3;

impl Frame {
    fn new(base: usize, first: Move, stage: Stage) -> Self {
        Self { base, next: base, end: base, sorted: false, chosen: 0, tail: base, losing: (base, base), first, stage }
    }
}

impl Default for Stack {
    fn default() -> Self {
        // 256 plies of a hundred moves each: it never grows in practice, and may where positions are absurd.
        Self { keyed: Vec::with_capacity(256 * 100) }
    }
}

/// One word for a move, its score and its place in the generation order.
#[inline]
fn keyed(score: i32, place: usize, mv: Move) -> i64 {
    i64::from(score) << 32 | (255 - place as i64) << 16 | i64::from(mv.bits())
}

impl Stack {
    /// Puts a node's moves on the stack, scored unless there is no rule to score by.
    #[inline]
    pub fn push(&mut self, ranks: &Ranks, board: &Board, moves: &MoveList, hint: &Hint, learned: &Learned) -> Frame {
        if ranks.none {
            return self.push_unordered(moves);
        }
        let mut frame = Frame::new(self.keyed.len(), Move::NONE, Stage::All);
        let quiets = ranks.quiets(board, hint, learned);
        self.keyed.extend(moves.iter().enumerate().map(|(place, &mv)| {
            let score = if mv == hint.table_move && ranks.first != 0 {
                ranks.first
            } else if board.is_quiet(mv) {
                quiets.score(mv)
            } else {
                ranks.noisy(board, mv)
            };
            keyed(score, place, mv)
        }));
        frame.end = self.keyed.len();
        frame.tail = frame.end;
        frame
    }

    /// Begins a node whose moves come in stages: the first, if there is one, then those that are put on the stack by
    /// [`Self::push_noisy`], then those of [`Self::push_quiets`].
    #[inline]
    pub fn begin(&mut self, first: Move) -> Frame {
        Frame::new(self.keyed.len(), first, Stage::First)
    }

    /// Puts captures and promotions on the stack.
    #[inline]
    pub fn push_noisy(&mut self, frame: &mut Frame, ranks: &Ranks, board: &Board, moves: &MoveList) {
        let first = frame.first;
        let scored = moves.iter().enumerate().filter(|&(_, &mv)| mv != first);
        self.keyed.extend(scored.map(|(place, &mv)| keyed(ranks.noisy(board, mv), place, mv)));
        (frame.end, frame.tail, frame.stage) = (self.keyed.len(), self.keyed.len(), Stage::Noisy);
    }

    /// Puts quiet moves on the stack, once no winning capture is left. Those that no rule claims stay in the order of generation, so the
    /// list is used for keeping them apart.
    #[inline]
    pub fn push_quiets(
        &mut self,
        frame: &mut Frame,
        ranks: &Ranks,
        moves: &mut MoveList,
        (hint, learned): (&Hint, &Learned),
        board: &Board,
    ) {
        frame.losing = (frame.next, frame.end);
        let quiets = ranks.quiets(board, hint, learned);
        let mut unclaimed = 0;
        frame.next = self.keyed.len();
        for place in 0..moves.len() {
            let mv = moves[place];
            if mv == frame.first {
                continue;
            }
            let score = quiets.score(mv);
            if score == 0 {
                moves[unclaimed] = mv;
                unclaimed += 1;
            } else {
                self.keyed.push(keyed(score, place, mv));
            }
        }
        frame.end = self.keyed.len();
        self.keyed.extend(moves[..unclaimed].iter().map(|mv| i64::from(mv.bits())));
        (frame.tail, frame.stage) = (self.keyed.len(), Stage::Quiet);
        (frame.sorted, frame.chosen) = (false, 0);
    }

    /// Puts a node's moves on the stack as they were generated.
    #[inline]
    pub fn push_unordered(&mut self, moves: &MoveList) -> Frame {
        let mut frame = Frame::new(self.keyed.len(), Move::NONE, Stage::All);
        self.keyed.extend(moves.iter().map(|mv| i64::from(mv.bits())));
        (frame.end, frame.sorted) = (self.keyed.len(), true);
        frame.tail = frame.end;
        frame
    }

    /// The next move of a node: the best of those left on the stack, or simply the next where no rule scored them. None where the stage is
    /// through.
    #[inline]
    pub fn next(&mut self, frame: &mut Frame) -> Option<Move> {
        loop {
            if frame.next == frame.end {
                if frame.end == frame.tail {
                    if frame.stage != Stage::Quiet {
                        return None;
                    }
                    // Behind all others come the captures that lose.
                    ((frame.next, frame.end), frame.tail) = (frame.losing, frame.losing.1);
                    (frame.stage, frame.sorted, frame.chosen) = (Stage::All, false, 0);
                    continue;
                }
                (frame.end, frame.sorted) = (frame.tail, true);
            }
            let rest = self.keyed.get_mut(frame.next..frame.end)?;
            let (&mut first, others) = rest.split_first_mut()?;
            if frame.sorted {
                if frame.stage == Stage::Noisy && first < 0 {
                    return None;
                }
                frame.next += 1;
                return Some(Move::from_bits(first as u16));
            }
            if frame.chosen >= CHOSEN && others.len() > 1 {
                rest.sort_unstable_by(|a, b| b.cmp(a));
                frame.sorted = true;
                continue;
            }
            let (mut best, mut place) = (first, 0);
            for (at, &key) in others.iter().enumerate() {
                if key > best {
                    (best, place) = (key, at + 1);
                }
            }
            if frame.stage == Stage::Noisy && best < 0 {
                return None;
            }
            rest[place] = first;
            // Its place keeps it, so that what is left behind is never read again.
            frame.next += 1;
            frame.chosen = frame.chosen.saturating_add(1);
            return Some(Move::from_bits(best as u16));
        }
    }

    /// Takes a node's moves off the stack.
    #[inline]
    pub fn pop(&mut self, frame: &Frame) {
        self.keyed.truncate(frame.base);
    }
}
