//! Subjects are the engines under test. A subject is the built-in engine or an external UCI
//! process. Both implement the same trait.
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

pub use descendants::usage;
pub use fault::{EngineFault, Failure};
pub use info::UCI_MATE;
pub use launch::Launch;
pub use options::{Restart, SubjectOptions, TABLE_OPTION};
pub use probe::{Interrupt, LimitSupport, ProbeResult, Repeatability, describe_node_limits, has_one_legal_move, probe};
pub use process::QuitReport;
pub use program::{EngineIdentity, Program, find_program};
pub use uci::Uci;

use crate::chess::{Board, Move, Score};
use crate::engine::{Iteration, Limit, SearchCounters};
use crate::table::TableCounters;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub struct Position<'a> {
    pub start: &'a Board,
    pub moves: &'a [Move],
    /// The earlier positions of the game, the oldest first.
    pub past: &'a [Board],
    pub board: &'a Board,
}

impl<'a> Position<'a> {
    pub fn from_board(board: &'a Board) -> Self {
        Self { start: board, moves: &[], past: &[], board }
    }
}

/// What an external engine reported about a search. Values that the engine did not report are
/// `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UciReport {
    pub depth: Option<u8>,
    /// The last score in centipawns, from the view of the side to move. The score of a mate in n
    /// plies is 32,000 minus n.
    pub score: Option<Score>,
    /// The best move, or [`Move::NONE`] if there is no legal move.
    pub best: Move,
    /// The last principal variation up to its first illegal move.
    pub pv: Vec<Move>,
    pub nodes: Option<u64>,
    /// The last `hashfull`, in per mille. Engines define this value differently.
    pub hashfull: Option<u16>,
    /// When `hashfull` was first reported, and whether on a line with a depth.
    pub first_hashfull: Option<(Duration, bool)>,
    /// Whether a node limit ended the search before its last depth was finished.
    pub truncated: bool,
    /// Depth and node count of two successive depths of which the later one has the smaller count,
    /// so that the counts are not sums.
    pub falling_nodes: Option<[(u8, u64); 2]>,
    /// The counters of ttlab's table, if the engine is linked with it.
    pub table: Option<TableCounters>,
    /// The start of the first line whose score cannot be read.
    pub unread: Option<String>,
    /// The earlier depths that have a move and nodes, in increasing order.
    pub earlier_depths: Vec<DepthReport>,
}

/// What an external engine reported about a depth before the last depth of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthReport {
    /// The depth in plies.
    pub depth: u8,
    pub score: Option<Score>,
    pub pv: Vec<Move>,
    /// The number of nodes from the start of the search to the end of this depth.
    pub nodes: u64,
    pub hashfull: Option<u16>,
    /// The time from the start of the search to the end of this depth, as ttlab measured it.
    pub elapsed: Duration,
}

impl UciReport {
    /// The nodes of a report are only those of its depth. `seconds` is the time of the whole
    /// search.
    pub fn reports_by_depth(&self, seconds: f64) -> Vec<(Self, f64)> {
        // The nodes and the time at the end of the previous depth.
        let (mut nodes_before, mut elapsed_before) = (0, 0.0);
        let mut reports = Vec::new();
        for earlier in &self.earlier_depths {
            let depth_report = Self {
                depth: Some(earlier.depth),
                score: earlier.score,
                best: earlier.pv.first().copied().unwrap_or(Move::NONE),
                pv: earlier.pv.clone(),
                nodes: Some(earlier.nodes.saturating_sub(nodes_before)),
                hashfull: earlier.hashfull,
                ..Self::default()
            };
            // The end of a depth is neither before the end of the previous depth nor after the end
            // of the search.
            let end = earlier.elapsed.as_secs_f64().clamp(elapsed_before, seconds.max(elapsed_before));
            reports.push((depth_report, end - elapsed_before));
            (nodes_before, elapsed_before) = (earlier.nodes, end);
        }
        let last_report = Self {
            nodes: self.nodes.map(|total| total.saturating_sub(nodes_before)),
            earlier_depths: Vec::new(),
            ..self.clone()
        };
        reports.push((last_report, seconds - elapsed_before));
        reports
    }

    /// Converts the report to an iteration. Counters and values that were not reported are 0.
    pub fn to_iteration(&self) -> Iteration {
        Iteration {
            depth: self.depth.unwrap_or(0),
            deepest: 0,
            score: self.score.unwrap_or(0),
            best: self.best,
            pv: self.pv.clone(),
            search: SearchCounters { nodes: self.nodes.unwrap_or(0), ..SearchCounters::default() },
            table: self.table.unwrap_or_default(),
            threads: Default::default(),
            occupancy: Default::default(),
            anatomy: None,
            finished: !self.truncated,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub enum SearchEvent<'a> {
    Begin,
    /// The search has ended, so the clock must be stopped. The results follow.
    End,
    Iteration(&'a Iteration),
    Report(&'a UciReport),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEnd {
    /// The search ended by itself. Contains the best move, or [`Move::NONE`] if there is no legal
    /// move.
    Best(Move),
    /// The search was ended by `stop`, so its result must be discarded.
    Stopped,
}

pub trait Subject: Send {
    /// Resets all state. Starts the process if it is not running.
    ///
    /// # Errors
    /// When the process cannot be started.
    fn start(&mut self) -> Result<(), Failure>;

    /// Tells the engine that the next search begins a new game or is of an unrelated position.
    ///
    /// # Errors
    /// When the engine does not answer.
    fn new_game(&mut self) -> Result<(), Failure>;

    /// Searches a position up to a limit. `stop` is checked at least every tenth of a second.
    /// `on_event` receives the begin and the end of the search, so that the caller can read a
    /// clock. It also receives the results of the search.
    ///
    /// # Errors
    /// When the search fails. The subject can be used again afterwards.
    fn search(
        &mut self,
        position: Position<'_>,
        limit: Limit,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(SearchEvent<'_>),
    ) -> Result<SearchEnd, Failure>;

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
        let earlier = |depth, words: &[&str], nodes, hashfull, elapsed| DepthReport {
            depth,
            score: Some(i32::from(depth) * 10),
            pv: parse_moves(words),
            nodes,
            hashfull,
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
            first_hashfull: None,
            truncated: true,
            falling_nodes: None,
            table: None,
            unread: None,
            earlier_depths: vec![
                earlier(1, &["a2a3"], 100, Some(3), 500),
                earlier(3, &["e2e4"], 300, None, 1500),
                earlier(4, &["d2d4"], 700, Some(5), 9000),
            ],
        };
        let report = |depth, score, words: &[&str], nodes, hashfull| UciReport {
            depth: Some(depth),
            score: Some(score),
            best: parse_moves(words)[0],
            pv: parse_moves(words),
            nodes: Some(nodes),
            hashfull,
            ..UciReport::default()
        };
        let last = UciReport { nodes: Some(300), earlier_depths: Vec::new(), ..whole_search.clone() };
        // The time of the third of these depths is after the end of the search, so no time remains
        // for the last depth.
        let expected = [
            (report(1, 10, &["a2a3"], 100, Some(3)), 0.5),
            (report(3, 30, &["e2e4"], 200, None), 1.0),
            (report(4, 40, &["d2d4"], 400, Some(5)), 2.5),
            (last, 0.0),
        ];
        assert_eq!(whole_search.reports_by_depth(4.0), expected);
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
