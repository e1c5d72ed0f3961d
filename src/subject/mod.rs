//! Subjects: the engines under test, built in or external UCI processes, behind one trait.
//!
//! The runner uses only the trait. Values that an engine does not report (such as the table
//! counters of an external engine) stay empty in rows and reports.

mod builtin;
pub mod descendants;
mod fault;
pub mod guard;
mod info;
mod launch;
pub mod options;
mod probe;
mod process;
mod program;
pub mod protocol;
mod uci;
mod watchdog;

pub use fault::{EngineFault, Failure};
pub use info::UCI_MATE;
pub use launch::Launch;
pub use options::{Restart, SubjectOptions};
pub use probe::{LimitSupport, NodeReports, ProbeResult, Repeatability, probe, probe_limits, probe_repeatability};
pub use process::QuitReport;
pub use program::{EngineIdentity, Program, find_program};
pub use uci::Uci;

use crate::chess::{Board, Move, Score};
use crate::engine::{Iteration, Limit, SearchCounters};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A position with its game history.
#[derive(Debug, Clone, Copy)]
pub struct Position<'a> {
    /// The start position of the game.
    pub start: &'a Board,
    /// The moves from there.
    pub moves: &'a [Move],
    /// The earlier positions of the game, the oldest first.
    pub past: &'a [Board],
    /// The position to search.
    pub board: &'a Board,
}

impl<'a> Position<'a> {
    /// A position without a history.
    pub fn from_board(board: &'a Board) -> Self {
        Self { start: board, moves: &[], past: &[], board }
    }
}

/// What an external engine reported about a search; `None` for what it did not report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UciReport {
    pub depth: Option<u8>,
    /// The last score in centipawns, from the side to move's view; a mate in n plies is 32,000
    /// minus n.
    pub score: Option<Score>,
    /// The best move; [`Move::NONE`] if there is no legal move.
    pub best: Move,
    /// The last principal variation, as far as its moves are legal.
    pub pv: Vec<Move>,
    /// The last node count.
    pub nodes: Option<u64>,
    /// The last `hashfull`, in per mille; engines define it differently.
    pub hashfull: Option<u16>,
    /// The engine's own time, in milliseconds.
    pub milliseconds: Option<u64>,
    /// Whether a node limit ended the search within its last depth.
    pub truncated: bool,
    /// The earlier depths with score, move and nodes, in increasing order.
    pub earlier_depths: Vec<DepthReport>,
}

/// What an external engine reported about a depth before its last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthReport {
    /// The depth in plies.
    pub depth: u8,
    /// The last exact score.
    pub score: Score,
    /// The principal variation, at least one move.
    pub pv: Vec<Move>,
    /// Nodes from the start of the search to the end of this depth.
    pub nodes: u64,
    /// The last `hashfull` of this depth.
    pub hashfull: Option<u16>,
    /// The time from the start of the search to the end of this depth, as the engine reports it, in
    /// milliseconds.
    pub milliseconds: Option<u64>,
    /// The same time, as ttlab measured it.
    pub elapsed: Duration,
}

impl UciReport {
    /// One report per depth, in increasing order, with the seconds that the depth took. Nodes and
    /// times are differences from the depth before. `seconds`: the time of the whole search.
    pub fn by_depth(&self, seconds: f64) -> Vec<(Self, f64)> {
        // The nodes and times at the end of the previous depth.
        let (mut nodes, mut elapsed, mut milliseconds) = (0, 0.0, 0);
        let mut reports = Vec::new();
        for earlier in &self.earlier_depths {
            let difference = Self {
                depth: Some(earlier.depth),
                score: Some(earlier.score),
                best: earlier.pv.first().copied().unwrap_or(Move::NONE),
                pv: earlier.pv.clone(),
                nodes: Some(earlier.nodes.saturating_sub(nodes)),
                hashfull: earlier.hashfull,
                milliseconds: earlier.milliseconds.map(|end| end.saturating_sub(milliseconds)),
                ..Self::default()
            };
            // Times neither go back nor exceed that of the whole search.
            let end = earlier.elapsed.as_secs_f64().clamp(elapsed, seconds.max(elapsed));
            reports.push((difference, end - elapsed));
            (nodes, elapsed) = (earlier.nodes, end);
            milliseconds = earlier.milliseconds.unwrap_or(milliseconds);
        }
        let last = Self {
            nodes: self.nodes.map(|total| total.saturating_sub(nodes)),
            milliseconds: self.milliseconds.map(|end| end.saturating_sub(milliseconds)),
            earlier_depths: Vec::new(),
            ..self.clone()
        };
        reports.push((last, seconds - elapsed));
        reports
    }

    /// The report as an iteration; counters and values that were not reported are 0.
    pub fn to_iteration(&self) -> Iteration {
        Iteration {
            depth: self.depth.unwrap_or(0),
            deepest: 0,
            score: self.score.unwrap_or(0),
            best: self.best,
            pv: self.pv.clone(),
            search: SearchCounters { nodes: self.nodes.unwrap_or(0), ..SearchCounters::default() },
            table: Default::default(),
            threads: Default::default(),
            occupancy: Default::default(),
            anatomy: None,
            finished: !self.truncated,
        }
    }
}

/// Events during a search.
#[derive(Debug, Clone, Copy)]
pub enum SearchEvent<'a> {
    /// The search begins: start the clock.
    Begin,
    /// The search has ended: stop the clock. Its counters are still to be gathered.
    End,
    /// A finished iteration of the built-in engine.
    Iteration(&'a Iteration),
    /// A finished search of an external engine.
    Report(&'a UciReport),
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEnd {
    /// It ended by itself, with the best move; [`Move::NONE`] if there is no legal move.
    Best(Move),
    /// It was ended by `stop`: its result must be discarded.
    Stopped,
}

/// An engine under test.
pub trait Subject: Send {
    /// Resets all state; starts the process if it is not running.
    ///
    /// # Errors
    /// When it cannot be started.
    fn start(&mut self) -> Result<(), Failure>;

    /// Begins a new game or an unrelated position.
    ///
    /// # Errors
    /// When it does not answer.
    fn new_game(&mut self) -> Result<(), Failure>;

    /// Searches a position to a limit. `stop` is checked at least every tenth of a second;
    /// `on_event` is called when the search begins and ends (to read a clock) and with its results.
    ///
    /// # Errors
    /// When the search fails; the subject can be used again afterwards.
    fn search(
        &mut self,
        position: Position<'_>,
        limit: Limit,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(SearchEvent<'_>),
    ) -> Result<SearchEnd, Failure>;

    /// Ends the engine and all of its processes.
    fn quit(&mut self);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_move;

    /// Three depths before the last: the report of each depth has its own score, variation and
    /// hashfull, and the differences of nodes and time.
    #[test]
    fn each_depth_has_the_difference_to_the_one_before() {
        let start = Board::startpos();
        let parse_moves =
            |words: &[&str]| words.iter().map(|word| parse_move(&start, word).unwrap()).collect::<Vec<_>>();
        let earlier = |depth, words: &[&str], nodes, hashfull, milliseconds, elapsed| DepthReport {
            depth,
            score: i32::from(depth) * 10,
            pv: parse_moves(words),
            nodes,
            hashfull,
            milliseconds,
            elapsed: Duration::from_millis(elapsed),
        };
        let best = parse_moves(&["g1f3"])[0];
        let whole_search = UciReport {
            depth: Some(5),
            score: Some(-7),
            best,
            pv: parse_moves(&["b1c3"]),
            nodes: Some(1000),
            hashfull: Some(9),
            milliseconds: Some(90),
            truncated: true,
            earlier_depths: vec![
                earlier(1, &["a2a3"], 100, Some(3), Some(20), 500),
                earlier(3, &["e2e4"], 300, None, None, 1500),
                earlier(4, &["d2d4"], 700, Some(5), Some(50), 9000),
            ],
        };
        let report = |depth, score, words: &[&str], nodes, hashfull, milliseconds| UciReport {
            depth: Some(depth),
            score: Some(score),
            best: parse_moves(words)[0],
            pv: parse_moves(words),
            nodes: Some(nodes),
            hashfull,
            milliseconds,
            ..UciReport::default()
        };
        let last =
            UciReport { nodes: Some(300), milliseconds: Some(40), earlier_depths: Vec::new(), ..whole_search.clone() };
        // The time of the third of these depths is after the end of the search, so no time remains
        // for the last depth.
        let expected = [
            (report(1, 10, &["a2a3"], 100, Some(3), Some(20)), 0.5),
            (report(3, 30, &["e2e4"], 200, None, None), 1.0),
            (report(4, 40, &["d2d4"], 400, Some(5), Some(30)), 2.5),
            (last, 0.0),
        ];
        assert_eq!(whole_search.by_depth(4.0), expected);
        let iteration = whole_search.to_iteration();
        assert_eq!(
            (
                iteration.depth,
                iteration.score,
                iteration.best,
                iteration.pv,
                iteration.search.nodes,
                iteration.finished
            ),
            (5, -7, best, parse_moves(&["b1c3"]), 1000, false)
        );
        let empty = UciReport::default().to_iteration();
        assert_eq!((empty.depth, empty.score, empty.search.nodes, empty.finished), (0, 0, 0, true));
    }
}
