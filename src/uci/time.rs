//! Time management in games with clocks. Experiments never use it.

use super::command::Go;
use crate::chess::Color;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// No further iteration starts after this time.
    pub soft: Duration,
    pub hard: Duration,
}

/// Estimates the lag: the time that is lost between client and engine in each move. The client's
/// clock loses this time in addition to the engine's thinking time.
#[derive(Debug, Clone, Default)]
pub struct Lag {
    /// The last move: the side that moved, the time on its clock before the move plus the
    /// increment, and the engine's thinking time.
    last_move: Option<(Color, Duration, Duration)>,
    estimate: Duration,
}

impl Lag {
    /// Updates the estimate when a move is requested. The lag of the last move is the time that the
    /// clock lost during that move, less the engine's thinking time.
    pub fn start_move(&mut self, go: &Go, turn: Color) {
        let (Some((mover, clock_before, thinking_time)), Some(clock)) = (self.last_move.take(), go.time[turn as usize])
        else {
            return;
        };
        // If the clock was reset or belongs to another game, `lost` may be `None` or too large.
        let lost = clock_before.checked_sub(clock).and_then(|spent| spent.checked_sub(thinking_time));
        if let Some(lost) = lost.filter(|&lost| mover == turn && lost <= MAX_LAG) {
            // The estimate rises quickly when the lag grows, and falls slowly when the lag shrinks.
            let estimate = self.estimate;
            self.estimate = if lost > estimate { (estimate + lost) / 2 } else { (estimate * 9 + lost) / 10 };
        }
    }

    /// Records the thinking time of a move. A move without a clock, or whose answer did not depend
    /// on the clock, is not recorded.
    pub fn finish_move(&mut self, go: &Go, turn: Color, thinking_time: Duration) {
        let clock = go.time[turn as usize].filter(|_| !go.ponder && !go.infinite && go.move_time.is_none());
        self.last_move = clock.map(|clock| (turn, clock + go.increment[turn as usize], thinking_time));
    }

    /// Forgets the last move, because the clocks of a new game are different.
    pub fn new_game(&mut self) {
        self.last_move = None;
    }

    /// The overhead to assume: the `configured` overhead or the estimated lag, whichever is larger.
    pub fn overhead(&self, configured: Duration) -> Duration {
        configured.max(self.estimate)
    }
}

/// The maximum lag of a move. A larger loss of time means that the client paused or that another
/// game began.
const MAX_LAG: Duration = Duration::from_secs(1);

/// The number of moves for which the remaining time must last, unless the client sends a smaller
/// number.
const DEFAULT_MOVES: u32 = 30;

/// `overhead` is the time that is lost between client and engine in each move.
pub fn budget(go: &Go, turn: Color, overhead: Duration) -> Option<Budget> {
    if let Some(time) = go.move_time {
        let usable_time = time.saturating_sub(overhead).max(time / 2);
        return Some(Budget { soft: usable_time, hard: usable_time });
    }
    let clock = go.time[turn as usize]?;
    let increment = go.increment[turn as usize];
    let usable_time = clock.saturating_sub(overhead).max(clock / 4);
    let moves_left = go.moves_to_go.unwrap_or(DEFAULT_MOVES).clamp(1, DEFAULT_MOVES);
    // The overhead is reserved for one and a half times the number of moves, plus two. So with
    // small increments, one late answer does not lose the game.
    let remaining_time = (clock + increment * (moves_left - 1)).saturating_sub(overhead * (moves_left * 3 / 2 + 2));
    let fair_share = (remaining_time / moves_left).min(usable_time);
    let target_time = fair_share.max(clock / 400);
    // An iteration that ends after the target time is rarely worth its cost. But if much time is
    // left, the search may use up to four times the target time.
    let max_time = match go.moves_to_go {
        Some(_) if moves_left == 1 => usable_time * 3 / 4,
        Some(_) => usable_time * 3 / 5,
        None => usable_time / 3,
    };
    let hard = max_time.min(target_time + fair_share * 3);
    Some(Budget { soft: (target_time * 6 / 10).min(hard), hard })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn search_without_a_clock_has_no_time_limit() {
        assert_eq!(budget(&Go { depth: Some(3), ..Go::default() }, Color::White, ms(5)), None);
        let only_white = Go { time: [Some(ms(1000)), None], ..Go::default() };
        assert_eq!(budget(&only_white, Color::Black, ms(5)), None);
    }

    /// Each side has its own clock and increment; those of the other side affect neither the limits
    /// nor the lag.
    #[test]
    fn limits_and_lag_depend_on_the_own_clock_only() {
        for (turn, other) in [(Color::White, Color::Black), (Color::Black, Color::White)] {
            let go = |clock: u64, other_time: u64| {
                let mut go = Go::default();
                (go.time[turn as usize], go.increment[turn as usize]) = (Some(ms(clock)), ms(40));
                (go.time[other as usize], go.increment[other as usize]) = (Some(ms(other_time)), ms(other_time));
                go
            };
            let budgets = [0, 7, 90_000].map(|other_time| budget(&go(30_000, other_time), turn, ms(5)));
            assert!(budgets[0] == budgets[1], "{turn:?}: {budgets:?}");
            assert!(budgets[1] == budgets[2], "{turn:?}: {budgets:?}");
            // 1,000 plus 40, less 100 for searching and 20 lost: half of the loss is assumed at
            // once.
            for other_time in [0, 7, 90_000] {
                let mut lag = Lag::default();
                lag.finish_move(&go(1000, other_time), turn, ms(100));
                lag.start_move(&go(920, other_time), turn);
                assert_eq!(lag.overhead(ms(0)), ms(10), "{turn:?} {other_time}");
            }
        }
    }

    #[test]
    fn move_never_exceeds_the_clock() {
        for clock in [0, 1, 9, 10, 100, 1000, 60_000, 3_600_000] {
            for increment in [0, 10, 10_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                    let go =
                        Go { time: [Some(ms(clock)); 2], increment: [ms(increment); 2], moves_to_go, ..Go::default() };
                    let Budget { soft, hard } = budget(&go, Color::Black, ms(5)).unwrap();
                    assert!(soft <= hard && hard <= ms(clock), "{clock} {increment} {moves_to_go:?}");
                    assert!(clock < 20 || hard + ms(5) <= ms(clock), "{clock} {increment} {moves_to_go:?}");
                }
            }
        }
    }

    /// Increments of 10 ms, with 2 ms lost per move and 60 ms on every fiftieth.
    #[test]
    fn occasional_late_answer_does_not_lose_on_time() {
        let mut clock = ms(500);
        for number in 0..2000 {
            let go = Go { time: [Some(clock); 2], increment: [ms(10); 2], ..Go::default() };
            let Budget { soft, hard } = budget(&go, Color::White, ms(5)).unwrap();
            // Iterations grow, so most moves end at the soft limit.
            let took = if number % 5 == 0 { hard } else { soft } + ms(if number % 50 == 49 { 60 } else { 2 });
            assert!(took <= clock, "move {number}: {took:?} of {clock:?}");
            clock = clock - took + ms(10);
        }
    }

    /// On a very busy machine each move loses more than its increment, and every fiftieth move
    /// loses 60 ms. With the estimate a game of 90 moves is completed.
    #[test]
    fn lag_is_estimated_on_a_busy_machine() {
        let (mut clock, mut lag) = (ms(500), Lag::default());
        for number in 0..90 {
            let go = Go { time: [Some(clock); 2], increment: [ms(10); 2], ..Go::default() };
            lag.start_move(&go, Color::White);
            let Budget { soft, hard } = budget(&go, Color::White, lag.overhead(ms(10))).unwrap();
            let took = if number % 5 == 0 { hard } else { soft };
            lag.finish_move(&go, Color::White, took);
            let lost = took + ms(if number % 50 == 49 { 60 } else { 12 });
            assert!(lost <= clock, "move {number}: {lost:?} of {clock:?}");
            clock = clock - lost + ms(10);
        }
        assert!((ms(11)..ms(40)).contains(&lag.overhead(ms(10))), "{:?}", lag.overhead(ms(10)));
    }

    /// Regardless of the reserve, a move gets 1/400 of the clock, and starts no iteration after six
    /// tenths of that.
    #[test]
    fn move_has_a_minimum_share_of_the_clock() {
        let go = Go { time: [Some(ms(4000)); 2], ..Go::default() };
        assert_eq!(budget(&go, Color::White, ms(100)), Some(Budget { soft: ms(6), hard: ms(10) }));
    }

    /// Half of a loss is assumed at once, up to a loss of one second; more is not lag.
    #[test]
    fn loss_above_one_second_is_not_lag() {
        let overhead = |lost: u64| {
            let go = |clock: u64| Go { time: [Some(ms(clock)); 2], ..Go::default() };
            let mut lag = Lag::default();
            lag.finish_move(&go(5000), Color::White, ms(100));
            lag.start_move(&go(4900 - lost), Color::White);
            lag.overhead(ms(0))
        };
        assert_eq!([0, 20, 1000, 1001].map(overhead), [0, 10, 500, 0].map(ms));
    }

    #[test]
    fn lag_is_the_clock_loss_beyond_the_search() {
        let go = |clock| Go { time: [Some(ms(clock)), Some(ms(9))], increment: [ms(10); 2], ..Go::default() };
        let mut lag = Lag::default();
        lag.start_move(&go(1000), Color::White);
        lag.finish_move(&go(1000), Color::White, ms(100));
        // 1000 + 10 - 870 = 140 were spent, 100 of them searching.
        lag.start_move(&go(870), Color::White);
        assert_eq!((lag.overhead(ms(5)), lag.overhead(ms(30))), (ms(20), ms(30)), "half of it at once");
        for (took, clock, turn) in [(100, 2000, Color::White), (100, 9, Color::Black), (2000, 800, Color::White)] {
            lag.finish_move(&go(870), Color::White, ms(took));
            lag.start_move(&go(clock), turn);
            assert_eq!(lag.overhead(ms(5)), ms(20), "a clock set anew, another's, less than was searched");
        }
        lag.finish_move(&go(870), Color::White, ms(0));
        lag.new_game();
        lag.start_move(&go(500), Color::White);
        assert_eq!(lag.overhead(ms(5)), ms(20));
        lag.finish_move(&go(870), Color::White, ms(0));
        lag.start_move(&go(880), Color::White);
        assert_eq!(lag.overhead(ms(5)), ms(18), "a tenth less");
        // For moves that waited for the client, or had no clock, the 380 ms lost are not lag.
        let clocked = go(870);
        for waited in [
            Go { ponder: true, ..clocked.clone() },
            Go { infinite: true, ..clocked.clone() },
            Go { move_time: Some(ms(1)), ..clocked.clone() },
        ] {
            lag.finish_move(&waited, Color::White, ms(0));
            lag.start_move(&go(500), Color::White);
            assert_eq!(lag.overhead(ms(5)), ms(18), "{waited:?}");
        }
    }

    #[test]
    fn move_time_is_reduced_by_the_overhead() {
        let go = |time| Go { move_time: Some(ms(time)), ..Go::default() };
        assert_eq!(budget(&go(100), Color::White, ms(5)).unwrap().hard, ms(95));
        assert_eq!(budget(&go(10), Color::White, ms(10)).unwrap().hard, ms(5));
        // At least a quarter of the clock is usable, whatever the overhead: 100 ms and two moves of
        // 1 s more, 90 ms lost on each, three fifths of 25 ms.
        let short = Go { time: [Some(ms(100)); 2], increment: [ms(1000); 2], moves_to_go: Some(2), ..Go::default() };
        assert_eq!(budget(&short, Color::White, ms(90)).unwrap(), Budget { soft: ms(15), hard: ms(15) });
    }

    /// By hand: the remaining time, less 5 ms for one and a half times the moves plus two (thirty
    /// moves: 235 ms), divided by the moves; the soft limit is six tenths of a share, the hard
    /// limit four shares, and never nearly everything.
    #[test]
    fn time_limits_match_a_calculation_by_hand() {
        let milliseconds = |clock, increment, moves_to_go| {
            let go = Go { time: [Some(ms(clock)); 2], increment: [ms(increment); 2], moves_to_go, ..Go::default() };
            let Budget { soft, hard } = budget(&go, Color::White, ms(5)).unwrap();
            (soft.as_millis(), hard.as_millis())
        };
        assert_eq!(milliseconds(30_005, 0, None), (595, 3969), "29,770 / 30 = 992.3");
        assert_eq!(milliseconds(30_005, 0, Some(40)), (595, 3969), "no more than thirty moves are thought of");
        assert_eq!(milliseconds(30_005, 0, Some(10)), (1795, 11_968), "29,920 / 10");
        assert_eq!(milliseconds(30_005, 400, None), (827, 5516), "and 29 increments: 41,370 / 30 = 1379");
        assert_eq!(milliseconds(1005, 0, Some(2)), (294, 600), "980 / 2; three fifths of what is left at most");
        assert_eq!(milliseconds(1005, 0, Some(1)), (594, 750), "990; three quarters before new time comes");
        assert_eq!(
            milliseconds(1005, 1000, None),
            (333, 333),
            "992, of which most is still to come: a third of what is left"
        );
    }
}
