//! How long a move may take. No search of an experiment asks here: a clock is a client's wish.

use super::command::Go;
use crate::chess::Color;
use std::time::Duration;

/// The time of one move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// No further iteration is begun after this.
    pub enough: Duration,
    /// The search ends here, whatever it is at.
    pub most: Duration,
}

/// What is lost between client and engine on each move, read off the client's clock: what it took away beyond the time that the engine was at work. On a
/// busy machine that is several times what anybody would set.
#[derive(Debug, Clone, Default)]
pub struct Lag {
    /// Who moved last, what the clock then had with the increment to come, and how long the engine took.
    last: Option<(Color, Duration, Duration)>,
    mean: Duration,
}

impl Lag {
    /// A move is asked for.
    pub fn asked(&mut self, go: &Go, turn: Color) {
        let Some(((mover, before, took), left)) = self.last.take().zip(go.time[turn as usize]) else { return };
        // A clock that was set anew, or another game's, says nothing.
        let lost = before.checked_sub(left).and_then(|spent| spent.checked_sub(took));
        if let Some(lost) = lost.filter(|&lost| mover == turn && lost <= MOST_LOST) {
            // Quick to believe that answers are late, slow to forget it.
            self.mean = if lost > self.mean { (self.mean + lost) / 2 } else { (self.mean * 9 + lost) / 10 };
        }
    }

    /// It was answered after so long.
    pub fn answered(&mut self, go: &Go, turn: Color, took: Duration) {
        let clock = go.time[turn as usize].filter(|_| !go.ponder && !go.infinite && go.move_time.is_none());
        self.last = clock.map(|left| (turn, left + go.increment[turn as usize], took));
    }

    /// A new game: its clock has nothing to do with the last one's.
    pub fn new_game(&mut self) {
        self.last = None;
    }

    /// What a move must be thought to lose: what was set, or what was seen if that is more.
    pub fn overhead(&self, set: Duration) -> Duration {
        set.max(self.mean)
    }
}

/// What is lost beyond this is no lag: the client stood still, or talks of another game.
const MOST_LOST: Duration = Duration::from_secs(1);

/// Moves that the time left must last for, where the client does not say.
const MOVES: u32 = 30;

/// The time for a move; none where the search is not limited by time. `overhead`: what is lost between client and engine on each move.
pub fn budget(go: &Go, turn: Color, overhead: Duration) -> Option<Budget> {
    if let Some(time) = go.move_time {
        let all = time.saturating_sub(overhead).max(time / 2);
        return Some(Budget { enough: all, most: all });
    }
    let left = go.time[turn as usize]?;
    let increment = go.increment[turn as usize];
    let usable = left.saturating_sub(overhead).max(left / 4);
    let moves = go.moves_to_go.unwrap_or(MOVES).clamp(1, MOVES);
    // What each of the moves ahead loses on its way is kept back now: a clock that lives on its increment keeps a reserve, so that one
    // late answer of a busy machine does not lose the game.
    let ahead = (left + increment * (moves - 1)).saturating_sub(overhead * (moves * 3 / 2 + 2));
    let fair = (ahead / moves).min(usable);
    let share = fair.max(left / 400);
    // Half of an iteration more than the share is seldom worth its time; four times what is to spare may be, if much is left.
    let most = match go.moves_to_go {
        Some(_) if moves == 1 => usable * 3 / 4,
        Some(_) => usable * 3 / 5,
        None => usable / 3,
    };
    let most = most.min(share + fair * 3);
    Some(Budget { enough: (share * 6 / 10).min(most), most })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn no_clock_no_budget() {
        assert_eq!(budget(&Go { depth: Some(3), ..Go::default() }, Color::White, ms(5)), None);
        let whites = Go { time: [Some(ms(1000)), None], ..Go::default() };
        assert_eq!(budget(&whites, Color::Black, ms(5)), None);
    }

    /// Each side has a clock and increments of its own: what the other has changes nothing, neither for the next move nor for what is lost on the way.
    #[test]
    fn each_side_has_its_own_clock() {
        for (turn, other) in [(Color::White, Color::Black), (Color::Black, Color::White)] {
            let go = |left: u64, others: u64| {
                let mut go = Go::default();
                (go.time[turn as usize], go.increment[turn as usize]) = (Some(ms(left)), ms(40));
                (go.time[other as usize], go.increment[other as usize]) = (Some(ms(others)), ms(others));
                go
            };
            let found = [0, 7, 90_000].map(|others| budget(&go(30_000, others), turn, ms(5)));
            assert!(found[0] == found[1] && found[1] == found[2], "{turn:?}: {found:?}");
            // 40 come to 1,000, 100 are searched and 20 lost: half of that is believed at once.
            for others in [0, 7, 90_000] {
                let mut lag = Lag::default();
                lag.answered(&go(1000, others), turn, ms(100));
                lag.asked(&go(920, others), turn);
                assert_eq!(lag.overhead(ms(0)), ms(10), "{turn:?} {others}");
            }
        }
    }

    #[test]
    fn a_move_never_takes_what_is_not_there() {
        for left in [0, 1, 9, 10, 100, 1000, 60_000, 3_600_000] {
            for increment in [0, 10, 10_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                    let go =
                        Go { time: [Some(ms(left)); 2], increment: [ms(increment); 2], moves_to_go, ..Go::default() };
                    let Budget { enough, most } = budget(&go, Color::Black, ms(5)).unwrap();
                    assert!(enough <= most && most <= ms(left), "{left} {increment} {moves_to_go:?}");
                    assert!(left < 20 || most + ms(5) <= ms(left), "{left} {increment} {moves_to_go:?}");
                }
            }
        }
    }

    /// A clock that lives on increments of 10 ms, with 2 ms lost on each move, and 60 ms on every fiftieth: as a busy machine was measured to lose
    /// them. Each move takes all that it may.
    #[test]
    fn a_late_answer_now_and_then_loses_no_game() {
        let mut left = ms(500);
        for number in 0..2000 {
            let go = Go { time: [Some(left); 2], increment: [ms(10); 2], ..Go::default() };
            let Budget { enough, most } = budget(&go, Color::White, ms(5)).unwrap();
            // Iterations grow, so that most moves end where no other is begun.
            let took = if number % 5 == 0 { most } else { enough } + ms(if number % 50 == 49 { 60 } else { 2 });
            assert!(took <= left, "move {number}: {took:?} of {left:?}");
            left = left - took + ms(10);
        }
    }

    /// A machine so busy that each move loses more than its increment, and every fiftieth 60 ms: as was measured at a load of eleven on two processors,
    /// where a quarter of the games was lost. What is seen of that lets a game of 90 moves be played to its end.
    #[test]
    fn a_busy_machine_is_seen_by_its_clock() {
        let (mut left, mut lag) = (ms(500), Lag::default());
        for number in 0..90 {
            let go = Go { time: [Some(left); 2], increment: [ms(10); 2], ..Go::default() };
            lag.asked(&go, Color::White);
            let Budget { enough, most } = budget(&go, Color::White, lag.overhead(ms(10))).unwrap();
            let took = if number % 5 == 0 { most } else { enough };
            lag.answered(&go, Color::White, took);
            let lost = took + ms(if number % 50 == 49 { 60 } else { 12 });
            assert!(lost <= left, "move {number}: {lost:?} of {left:?}");
            left = left - lost + ms(10);
        }
        assert!((ms(11)..ms(40)).contains(&lag.overhead(ms(10))), "{:?}", lag.overhead(ms(10)));
    }

    /// However much is kept back for the moves ahead, a move has a four-hundredth of the clock, and begins nothing new after six tenths of that.
    #[test]
    fn there_is_always_time_for_a_move() {
        let go = Go { time: [Some(ms(4000)); 2], ..Go::default() };
        assert_eq!(budget(&go, Color::White, ms(100)), Some(Budget { enough: ms(6), most: ms(10) }));
    }

    /// Half of what was lost is believed at once, up to a second; more is no lag.
    #[test]
    fn a_second_is_the_most_that_is_believed() {
        let overhead = |lost: u64| {
            let go = |left: u64| Go { time: [Some(ms(left)); 2], ..Go::default() };
            let mut lag = Lag::default();
            lag.answered(&go(5000), Color::White, ms(100));
            lag.asked(&go(4900 - lost), Color::White);
            lag.overhead(ms(0))
        };
        assert_eq!([0, 20, 1000, 1001].map(overhead), [0, 10, 500, 0].map(ms));
    }

    #[test]
    fn lag_is_what_the_clock_lost_beyond_the_search() {
        let go = |left| Go { time: [Some(ms(left)), Some(ms(9))], increment: [ms(10); 2], ..Go::default() };
        let mut lag = Lag::default();
        lag.asked(&go(1000), Color::White);
        lag.answered(&go(1000), Color::White, ms(100));
        // 1000 + 10 - 870 = 140 were spent, 100 of them searching.
        lag.asked(&go(870), Color::White);
        assert_eq!((lag.overhead(ms(5)), lag.overhead(ms(30))), (ms(20), ms(30)), "half of it at once");
        for (took, left, turn) in [(100, 2000, Color::White), (100, 9, Color::Black), (2000, 800, Color::White)] {
            lag.answered(&go(870), Color::White, ms(took));
            lag.asked(&go(left), turn);
            assert_eq!(lag.overhead(ms(5)), ms(20), "a clock set anew, another's, less than was searched");
        }
        lag.answered(&go(870), Color::White, ms(0));
        lag.new_game();
        lag.asked(&go(500), Color::White);
        assert_eq!(lag.overhead(ms(5)), ms(20));
        lag.answered(&go(870), Color::White, ms(0));
        lag.asked(&go(880), Color::White);
        assert_eq!(lag.overhead(ms(5)), ms(18), "a tenth less");
        // Answers that waited for the client, or had no clock of their own: 380 ms less on it are none of theirs.
        let clocked = go(870);
        for waited in [
            Go { ponder: true, ..clocked.clone() },
            Go { infinite: true, ..clocked.clone() },
            Go { move_time: Some(ms(1)), ..clocked.clone() },
        ] {
            lag.answered(&waited, Color::White, ms(0));
            lag.asked(&go(500), Color::White);
            assert_eq!(lag.overhead(ms(5)), ms(18), "{waited:?}");
        }
    }

    #[test]
    fn a_move_time_is_kept_less_the_overhead() {
        let go = |time| Go { move_time: Some(ms(time)), ..Go::default() };
        assert_eq!(budget(&go(100), Color::White, ms(5)).unwrap().most, ms(95));
        assert_eq!(budget(&go(10), Color::White, ms(10)).unwrap().most, ms(5));
        // Of a clock a quarter is used, whatever is lost: 100 ms and two moves of 1 s more, 90 ms lost on each, three fifths of 25 ms.
        let short = Go { time: [Some(ms(100)); 2], increment: [ms(1000); 2], moves_to_go: Some(2), ..Go::default() };
        assert_eq!(budget(&short, Color::White, ms(90)).unwrap(), Budget { enough: ms(15), most: ms(15) });
    }

    /// By hand: what is left, less 5 ms for each move and a half that is thought of and two more (thirty moves: 235 ms), shared among them;
    /// six tenths of a share, four times it at most, and never nearly all.
    #[test]
    fn the_share_of_a_move_by_hand() {
        let of = |left, increment, moves_to_go| {
            let go = Go { time: [Some(ms(left)); 2], increment: [ms(increment); 2], moves_to_go, ..Go::default() };
            let Budget { enough, most } = budget(&go, Color::White, ms(5)).unwrap();
            (enough.as_millis(), most.as_millis())
        };
        assert_eq!(of(30_005, 0, None), (595, 3969), "29,770 / 30 = 992.3");
        assert_eq!(of(30_005, 0, Some(40)), (595, 3969), "no more than thirty moves are thought of");
        assert_eq!(of(30_005, 0, Some(10)), (1795, 11_968), "29,920 / 10");
        assert_eq!(of(30_005, 400, None), (827, 5516), "and 29 increments: 41,370 / 30 = 1379");
        assert_eq!(of(1005, 0, Some(2)), (294, 600), "980 / 2; three fifths of what is left at most");
        assert_eq!(of(1005, 0, Some(1)), (594, 750), "990; three quarters before new time comes");
        assert_eq!(of(1005, 1000, None), (333, 333), "992, of which most is still to come: a third of what is left");
    }
}
