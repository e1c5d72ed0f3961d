//! The effect of the fifty-move rule on the table. A score may be valid only at some halfmove
//! clocks, and the clock may be part of the key.

use super::options::MateDistance;
use super::search::Search;
use super::switches::Switches;
use crate::chess::Board;
use crate::chess::keys::mix;
use crate::table::Entry;

const DRAW_CLOCK: i32 = 100;

impl Switches {
    /// Whether the score of an entry is valid at a node of remaining depth `depth`. The score is
    /// valid if neither a search to the depth of the entry nor a search to `depth` can reach the
    /// hundredth halfmove. If the score is a mate, the mate must also come no later than the
    /// hundredth halfmove.
    #[inline]
    pub(super) fn holds_at_clock(&self, board: &Board, depth: i32, entry: &Entry) -> bool {
        if !self.guards_clock {
            return true;
        }
        let clock = i32::from(board.halfmove_clock());
        // A mate may lie beyond the depth of the entry, if it comes from a deeper entry below the
        // node.
        let score = i32::from(entry.score).abs();
        let is_mate = self.mate_distance == MateDistance::Ply && score > self.mate_threshold;
        let plies_to_mate = if is_mate { self.mate_value - score } else { 0 };
        clock + depth.max(i32::from(entry.depth)) < DRAW_CLOCK && clock + plies_to_mate <= DRAW_CLOCK
    }

    /// Whether the score of a node may be stored. A stored score must be valid at every lower
    /// clock.
    #[inline]
    pub(super) fn is_storable(&self, board: &Board, depth: i32) -> bool {
        !self.guards_clock || i32::from(board.halfmove_clock()) + depth < DRAW_CLOCK
    }
}

impl<O> Search<'_, O> {
    #[inline]
    pub(super) fn table_key(&self, board: &Board) -> u64 {
        if self.switches.keys_clock { board.key() ^ clock_key(board.halfmove_clock()) } else { board.key() }
    }
}

/// The number is 0 if the clock is below 36. From 36 on, the number changes every eight halfmoves.
/// Its bits are mixed by the finaliser of SplitMix64.
fn clock_key(clock: u16) -> u64 {
    // The step is 0 for all clocks below 28 + 8 = 36.
    let step = (u64::from(clock.max(28)) - 28) / 8;
    mix(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;
    use crate::engine::options::FiftyMoves;
    use std::collections::HashSet;

    fn switches(draws: bool, fifty_moves: FiftyMoves) -> Switches {
        Switches::new(&EngineOptions { draws, fifty_moves, ..EngineOptions::default() })
    }

    /// The hundredth halfmove can be reached by the remaining depth, by the entry's depth or by its
    /// mate. Each is tested on both sides of the limit, and mates for both colours.
    #[test]
    fn score_is_valid_up_to_the_hundredth_halfmove() {
        let switches = switches(true, FiftyMoves::Guarded);
        let valid_and_storable = |clock: u16, depth: i32, draft: u8, score: i16| {
            let board = Board::from_fen(&format!("4k3/8/8/8/8/8/8/R3K3 w - - {clock} 90")).unwrap();
            let entry = Entry { depth: draft, score, ..Entry::default() };
            (switches.holds_at_clock(&board, depth, &entry), switches.is_storable(&board, depth))
        };
        for (clock, depth, draft, score, valid, storable) in [
            (0, 8, 8, 500, true, true),
            (91, 8, 8, 500, true, true),
            (92, 8, 8, 500, false, false),
            (91, 3, 8, 500, true, true),
            (92, 3, 8, 500, false, true),
            (92, 8, 3, 500, false, false),
            // At clock 95 a mate in five plies comes in time, at the hundredth halfmove, and a mate
            // in six comes too late.
            (95, 3, 3, 31_000 - 5, true, true),
            (95, 3, 3, 31_000 - 6, false, true),
            (95, 3, 3, 6 - 31_000, false, true),
            (95, 3, 3, 5 - 31_000, true, true),
            (99, 0, 0, 0, true, true),
            (100, 0, 0, 0, false, false),
        ] {
            let actual = valid_and_storable(clock, depth, draft, score);
            assert_eq!(actual, (valid, storable), "clock {clock}, depth {depth}, draft {draft}, score {score}");
        }
    }

    /// Without draws the rule does not apply, and without the option scores are not guarded.
    #[test]
    fn clock_is_ignored_unless_guarded() {
        let board = Board::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 99 90").unwrap();
        for (draws, fifty_moves) in
            [(false, FiftyMoves::Guarded), (true, FiftyMoves::Ignored), (true, FiftyMoves::InKey)]
        {
            let switches = switches(draws, fifty_moves);
            assert!(switches.holds_at_clock(&board, 9, &Entry::default()));
            assert!(switches.is_storable(&board, 9));
            assert_eq!(switches.keys_clock, draws && fifty_moves == FiftyMoves::InKey);
        }
        assert!(!switches(false, FiftyMoves::InKey).keys_clock);
    }

    /// The number is 0 below the 36th halfmove and changes every eight halfmoves from there on, in
    /// high and low bits.
    #[test]
    fn clock_key_changes_every_eight_halfmoves() {
        assert!((0..36).all(|clock| clock_key(clock) == 0));
        for first in (36..100).step_by(8) {
            assert!((first..first + 8).all(|clock| clock_key(clock) == clock_key(first)), "{first}");
        }
        let numbers: Vec<u64> = (28..101).step_by(8).map(clock_key).collect();
        for shift in [0, 48] {
            assert_eq!(numbers.iter().map(|number| number >> shift & 0xffff).collect::<HashSet<_>>().len(), 10);
        }
    }
}
