//! Who is examined: an engine that plays by one trait, be it this crate's own or a process that speaks UCI.
//!
//! The runner knows the trait alone. What an engine does not tell (a process has no table counters) stays empty all the way to
//! the page.

mod builtin;
pub mod descendants;
mod fault;
pub mod guard;
mod heard;
pub mod options;
mod probe;
mod process;
mod program;
pub mod protocol;
mod uci;
mod watchdog;

pub use fault::{EngineFault, Failure};
pub use options::{Restart, SubjectOptions};
pub use probe::{LimitSupport, NodeReports, ProbeResult, Repeatability, limits, probe, repeat};
pub use process::Departure;
pub use program::{EngineIdentity, Program, find};
pub use uci::{Launch, Uci};

use crate::chess::{Board, Move, Score};
use crate::engine::{Iteration, Limit, SearchCounters};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A position as it was reached.
#[derive(Debug, Clone, Copy)]
pub struct Position<'a> {
    /// The position from which the game began.
    pub start: &'a Board,
    /// The moves from there.
    pub moves: &'a [Move],
    /// The positions on the way, the oldest first.
    pub past: &'a [Board],
    /// The position to be searched.
    pub board: &'a Board,
}

impl<'a> Position<'a> {
    /// A position without a past.
    pub fn alone(board: &'a Board) -> Self {
        Self { start: board, moves: &[], past: &[], board }
    }
}

/// What an engine that is not ours said of a search: what it did not say is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UciReport {
    /// The last depth.
    pub depth: Option<u8>,
    /// The last score, in centipawns from the side to move's view; a mate in n moves is 32,000 less its plies.
    pub score: Option<Score>,
    /// The move that it would play; none where there is no legal move.
    pub best: Move,
    /// The last principal variation, as far as its moves are legal.
    pub pv: Vec<Move>,
    /// The last number of nodes.
    pub nodes: Option<u64>,
    /// The last `hashfull`: a label, since engines define it differently.
    pub hashfull: Option<u16>,
    /// The engine's own milliseconds.
    pub milliseconds: Option<u64>,
    /// Whether a limit of nodes cut its last depth short.
    pub cut: bool,
    /// The depths before the last one of which it told score, move and nodes, by depth.
    pub earlier: Vec<Earlier>,
}

/// What an engine that is not ours said of a depth before its last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// The depth.
    pub depth: u8,
    /// Its last score that is no bound.
    pub score: Score,
    /// Its principal variation: one move at least.
    pub pv: Vec<Move>,
    /// Nodes of the whole search up to there.
    pub nodes: u64,
    /// Its `hashfull`.
    pub hashfull: Option<u16>,
    /// The engine's own milliseconds up to there.
    pub milliseconds: Option<u64>,
    /// Since the search began.
    pub at: Duration,
}

impl UciReport {
    /// Each depth by itself, the last one at the end, and the seconds of each: nodes and times are what came on top of the depth before.
    /// `seconds`: of the whole search.
    pub fn by_depth(&self, seconds: f64) -> Vec<(Self, f64)> {
        let (mut found, mut nodes, mut at, mut milliseconds) = (Vec::new(), 0, 0.0, 0);
        for earlier in &self.earlier {
            let of = Self {
                depth: Some(earlier.depth),
                score: Some(earlier.score),
                best: earlier.pv.first().copied().unwrap_or(Move::NONE),
                pv: earlier.pv.clone(),
                nodes: Some(earlier.nodes.saturating_sub(nodes)),
                hashfull: earlier.hashfull,
                milliseconds: earlier.milliseconds.map(|until| until.saturating_sub(milliseconds)),
                ..Self::default()
            };
            let until = earlier.at.as_secs_f64().clamp(at, seconds.max(at));
            found.push((of, until - at));
            (nodes, at) = (earlier.nodes, until);
            milliseconds = earlier.milliseconds.unwrap_or(milliseconds);
        }
        let last = Self {
            nodes: self.nodes.map(|all| all.saturating_sub(nodes)),
            milliseconds: self.milliseconds.map(|until| until.saturating_sub(milliseconds)),
            earlier: Vec::new(),
            ..self.clone()
        };
        found.push((last, seconds - at));
        found
    }

    /// It as an iteration whose other counters are 0.
    pub fn iteration(&self) -> Iteration {
        Iteration {
            depth: self.depth.unwrap_or(0),
            deepest: 0,
            score: self.score.unwrap_or(0),
            best: self.best,
            pv: self.pv.clone(),
            search: SearchCounters { nodes: self.nodes.unwrap_or(0), ..SearchCounters::default() },
            table: Default::default(),
            occupancy: Default::default(),
            anatomy: None,
            finished: !self.cut,
        }
    }
}

/// What a subject tells as it goes.
#[derive(Debug, Clone, Copy)]
pub enum SearchEvent<'a> {
    /// The clock is to start.
    Begin,
    /// The clock is to stop; what was counted is being gathered.
    End,
    /// A finished iteration of our own engine.
    Iteration(&'a Iteration),
    /// A finished search of another, with what it said of its depths.
    UciReport(&'a UciReport),
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEnd {
    /// With the best move; none where there is no legal move.
    Best(Move),
    /// From outside: no row may be made of it.
    Stopped,
}

/// An engine under examination.
pub trait Subject: Send {
    /// As new: everything is forgotten, and a process that is not there is started.
    ///
    /// # Errors
    /// When it cannot be started.
    fn start(&mut self) -> Result<(), Failure>;

    /// Another game, or an unrelated position, begins.
    ///
    /// # Errors
    /// When it does not answer.
    fn new_game(&mut self) -> Result<(), Failure>;

    /// Searches a position to a limit. `stop` is looked at every tenth of a second or oftener; `watch` hears when the search
    /// begins and ends (the place to read a clock) and what was found.
    ///
    /// # Errors
    /// When it does not end as it should; the subject can be used again afterwards.
    fn search(
        &mut self,
        position: Position<'_>,
        limit: Limit,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(SearchEvent<'_>),
    ) -> Result<SearchEnd, Failure>;

    /// Ends it; nothing of it is left behind.
    fn end(&mut self);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::chess::named;

    /// Three depths of four seconds: each with its own score, line and hashfull, and what came on top of the one before, of a time that was not told
    /// too; the last row has what the whole search said.
    #[test]
    fn each_depth_has_what_came_on_top() {
        let start = Board::startpos();
        let line = |words: &[&str]| words.iter().map(|word| named(&start, word).unwrap()).collect::<Vec<_>>();
        let earlier = |depth, words: &[&str], nodes, hashfull, milliseconds, at| Earlier {
            depth,
            score: i32::from(depth) * 10,
            pv: line(words),
            nodes,
            hashfull,
            milliseconds,
            at: Duration::from_millis(at),
        };
        let best = line(&["g1f3"])[0];
        let message = UciReport {
            depth: Some(5),
            score: Some(-7),
            best,
            pv: line(&["b1c3"]),
            nodes: Some(1000),
            hashfull: Some(9),
            milliseconds: Some(90),
            cut: true,
            earlier: vec![
                earlier(1, &["a2a3"], 100, Some(3), Some(20), 500),
                earlier(3, &["e2e4"], 300, None, None, 1500),
                earlier(4, &["d2d4"], 700, Some(5), Some(50), 9000),
            ],
        };
        let of = |depth, score, words: &[&str], nodes, hashfull, milliseconds| UciReport {
            depth: Some(depth),
            score: Some(score),
            best: line(words)[0],
            pv: line(words),
            nodes: Some(nodes),
            hashfull,
            milliseconds,
            ..UciReport::default()
        };
        let last = UciReport { nodes: Some(300), milliseconds: Some(40), earlier: Vec::new(), ..message.clone() };
        // The clock of the fourth depth is beyond the search's end: nothing is left for the last.
        let expected = [
            (of(1, 10, &["a2a3"], 100, Some(3), Some(20)), 0.5),
            (of(3, 30, &["e2e4"], 200, None, None), 1.0),
            (of(4, 40, &["d2d4"], 400, Some(5), Some(30)), 2.5),
            (last, 0.0),
        ];
        assert_eq!(message.by_depth(4.0), expected);
        let row = message.iteration();
        assert_eq!(
            (row.depth, row.score, row.best, row.pv, row.search.nodes, row.finished),
            (5, -7, best, line(&["b1c3"]), 1000, false)
        );
        let nothing = UciReport::default().iteration();
        assert_eq!((nothing.depth, nothing.score, nothing.search.nodes, nothing.finished), (0, 0, 0, true));
    }
}
