//! The one prober of external engines, for plan, run and doctor: does an engine obey `go depth` and
//! `go nodes`, are its node counts sums of one search, and do its searches repeat, in the same
//! process and in a new one?

use super::{DepthReport, EngineFault, EngineIdentity, Failure, Launch, Position, Restart, Subject, Uci, UciReport};
use crate::chess::{Board, MoveList, legal};
use crate::engine::Limit;
use crate::text::plural;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How well an engine's searches repeat.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Repeatability {
    /// All results are identical: nodes, score, move and principal variation, and the same for each
    /// earlier depth.
    Exact,
    /// The node counts are identical, but other results differ.
    SameNodes,
    /// On every tested position, node counts differ by at most this share of the smallest count.
    Within(f64),
    /// Node counts differ by more than `MAX_SPREAD`, or a search reported no nodes.
    #[default]
    NotRepeatable,
}

/// The largest spread of node counts that still count as repeatable, as a share of the smallest
/// count.
pub const MAX_SPREAD: f64 = 0.1;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LimitSupport {
    /// Nothing was searched under this limit.
    #[default]
    Untried,
    Yes,
    /// The limit is ignored. The text says what the engine did instead.
    No(String),
}

/// What trial searches have shown about an engine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProbeResult {
    pub identity: EngineIdentity,
    pub repeatability: Repeatability,
    /// Whether a search after `ucinewgame` returns the same results as a search in a new process.
    pub resets_on_new_game: bool,
    /// The first difference between two searches that should be equal.
    pub difference: Option<String>,
    pub depth: LimitSupport,
    pub nodes: LimitSupport,
    /// The node limits that were tried and the nodes that were searched.
    pub node_limits: Vec<(u64, u64)>,
    /// Whether a search reported no nodes.
    pub lacks_nodes: bool,
    /// Why the node counts are not sums over one search; empty if they are.
    pub counter_fault: String,
    /// What else the searches have shown that a user of the engine should know, a line each.
    pub notes: Vec<String>,
    /// The reports on the boards, each after `ucinewgame`.
    pub reports: Vec<UciReport>,
    /// A search to depth 1 of the last board, after its search to the limit and in the same game.
    pub after: Option<UciReport>,
}

impl fmt::Display for Repeatability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::SameNodes => f.write_str("same nodes, other answers"),
            // The percentage is rounded up to one decimal.
            Self::Within(spread) => write!(f, "within {:.1} %", (1000.0 * spread).ceil() / 10.0),
            Self::NotRepeatable => f.write_str("not repeatable"),
        }
    }
}

impl fmt::Display for LimitSupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Untried => Ok(()),
            Self::Yes => f.write_str("respected"),
            Self::No(why) => write!(f, "not respected: {why}"),
        }
    }
}

const TRIAL_DEPTH: u8 = 4;

/// The number of positions that are searched to [`TRIAL_DEPTH`] only.
const MAX_SHALLOW: usize = 24;

/// A search may pass its node limit by a quarter and by this many nodes, because engines check
/// their nodes only from time to time.
const NODE_SLACK: u64 = 1024;

/// The timeout of the trial search to a depth, unless the user sets one.
const DEPTH_TIMEOUT: Duration = Duration::from_secs(30);

impl ProbeResult {
    /// Whether the engine's searches can be measured under this limit, as far as was tried.
    pub fn is_usable(&self, limit: Limit) -> bool {
        let parts = [(limit.depth.is_some(), &self.depth), (limit.nodes.is_some(), &self.nodes)];
        let ignores =
            |&(is_limited, support): &(bool, &LimitSupport)| is_limited && matches!(support, LimitSupport::No(_));
        !parts.iter().any(ignores) && self.counter_fault.is_empty()
    }
}

/// Tests whether an engine respects `go depth` and, if given, `node_limit` and a tenth of it, then
/// how well it repeats its searches. Limits are tested on the initial position. Repeatability is
/// tested on some of `positions` (the first, the middle and the last) under `limit`; if the engine
/// ignores this limit, only if `trust` is true. If there are many more positions, up to 24 of them
/// are searched to a small depth too. Returns `None` if `stop` was set.
///
/// # Errors
/// When the engine cannot be started, or fails under a limit that it respects.
pub fn probe(
    launch: &Launch,
    positions: &[Board],
    limit: Limit,
    node_limit: Option<u64>,
    trust: bool,
    stop: &AtomicBool,
) -> Result<Option<ProbeResult>, Failure> {
    let result = ProbeResult { resets_on_new_game: true, ..ProbeResult::default() };
    let boards = select_boards(positions);
    let step = positions.len().div_ceil(MAX_SHALLOW).max(1);
    // Of a small suite at least half is searched under the limit.
    let shallow = positions.iter().filter(|board| board.has_legal_move() && positions.len() > 2 * boards.len());
    let shallow = shallow.step_by(step).copied().collect();
    let mut prober = Prober { launch, boards, shallow, stop, result, differences: Differences::default() };
    match prober.run(limit, node_limit, trust) {
        Ok(()) => Ok(Some(prober.result)),
        Err(Interrupt::Stopped) => Ok(None),
        Err(Interrupt::Failed(failure)) => Err(failure),
    }
}

/// Why searches ended early.
#[derive(Debug)]
pub enum Interrupt {
    Stopped,
    Failed(Failure),
}

impl From<Failure> for Interrupt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

struct Prober<'a> {
    launch: &'a Launch,
    boards: Vec<Board>,
    /// More positions, which are searched to a small depth alone.
    shallow: Vec<Board>,
    stop: &'a AtomicBool,
    result: ProbeResult,
    differences: Differences,
}

/// How searches differ that should be equal.
#[derive(Default)]
struct Differences {
    /// The largest [`spread`] of the node counts of one position.
    spread: f64,
    /// The first difference between a search in a new process and a search of the same position
    /// after other searches.
    after_others: Option<String>,
    /// The first difference between two searches in new processes.
    between_fresh: Option<String>,
}

impl Prober<'_> {
    fn run(&mut self, limit: Limit, node_limit: Option<u64>, trust: bool) -> Result<(), Interrupt> {
        self.result.depth = self.try_depth()?;
        if let Some(nodes) = node_limit {
            self.result.nodes = self.try_nodes(nodes)?;
        }
        if self.boards.is_empty() || !trust && !self.result.is_usable(limit) {
            return Ok(());
        }
        self.result.reports = self.compare_searches(limit)?;
        // Node counts under a node limit are always about the same. So the searches are also
        // compared to a depth that each of them has finished: the one before its last.
        let finished = |report: &UciReport| report.earlier_depths.last().map_or(report.depth, |it| Some(it.depth));
        let common_depth = self.result.reports.iter().map(finished).min().flatten();
        if let (Some(_), Some(1..), LimitSupport::Yes) = (limit.nodes, common_depth, &self.result.depth) {
            self.compare_searches(Limit { depth: common_depth, nodes: None })?;
        }
        if self.result.depth == LimitSupport::Yes {
            self.compare_shallow_searches(limit.depth.unwrap_or(TRIAL_DEPTH).min(TRIAL_DEPTH))?;
        }
        self.judge(limit);
        Ok(())
    }

    fn start(&self) -> Result<Uci, Failure> {
        let mut engine = Uci::new(self.launch.clone());
        engine.start()?;
        Ok(engine)
    }

    fn try_depth(&mut self) -> Result<LimitSupport, Interrupt> {
        let mut engine = self.start()?;
        self.result.identity = engine.identity().clone();
        if self.launch.timeout.is_none() {
            engine.set_timeout(DEPTH_TIMEOUT);
        }
        let report = match self.attempt(&mut engine, Limit { depth: Some(TRIAL_DEPTH), nodes: None })? {
            Ok(report) => report,
            Err(why) => return Ok(LimitSupport::No(why)),
        };
        Ok(match report.depth {
            Some(TRIAL_DEPTH) => LimitSupport::Yes,
            Some(depth) => LimitSupport::No(format!("it searched to depth {depth}, expected {TRIAL_DEPTH}")),
            None => LimitSupport::No("it reports no depth".to_owned()),
        })
    }

    /// A node limit is respected if it is not passed, nor a tenth of it, and the engine searches
    /// more under the larger of them.
    fn try_nodes(&mut self, limit: u64) -> Result<LimitSupport, Interrupt> {
        let mut engine = self.start()?;
        for limit in [limit, (limit / 10).max(1)] {
            let report = match self.attempt(&mut engine, Limit { depth: None, nodes: Some(limit) })? {
                Ok(report) => report,
                Err(why) => return Ok(LimitSupport::No(why)),
            };
            let Some(nodes) = report.nodes else {
                self.result.lacks_nodes = true;
                return Ok(LimitSupport::No("it reports no nodes".to_owned()));
            };
            self.result.node_limits.push((limit, nodes));
        }
        let counts = &self.result.node_limits;
        let is_passed =
            counts.iter().any(|&(limit, nodes)| nodes > limit.saturating_add(limit / 4).saturating_add(NODE_SLACK));
        let grows = limit < NODE_SLACK || counts[0].1 > counts[1].1;
        Ok(match is_passed || !grows {
            false => LimitSupport::Yes,
            true => LimitSupport::No(format!("it searched {}", describe_node_limits(counts))),
        })
    }

    /// Searches the initial position of a new game. Returns what the engine did instead if the
    /// search did not end by itself.
    fn attempt(&self, engine: &mut Uci, limit: Limit) -> Result<Result<UciReport, String>, Interrupt> {
        engine.end_overruns();
        match self.search_new_game(engine, &Board::startpos(), limit) {
            Ok(report) => Ok(Ok(report)),
            Err(Interrupt::Failed(Failure {
                fault: EngineFault::LimitIgnored(waited) | EngineFault::NoAnswer(waited),
                ..
            })) => Ok(Err(describe_overrun(waited, limit, engine.progress()))),
            Err(interrupt) => Err(interrupt),
        }
    }

    fn search_new_game(&self, engine: &mut Uci, board: &Board, limit: Limit) -> Result<UciReport, Interrupt> {
        engine.new_game()?;
        engine.report(Position::from_board(board), limit, self.stop)?.ok_or(Interrupt::Stopped)
    }

    /// Searches all positions and the first once more in one process, in another process all in the
    /// reverse order, and the first alone in a third, and compares them. Only one process runs at a
    /// time, because two might not fit into memory. Returns the first reports.
    fn compare_searches(&mut self, limit: Limit) -> Result<Vec<UciReport>, Interrupt> {
        let boards = match self.boards[..] {
            // One search must come after another.
            [board] => vec![board; 2],
            _ => self.boards.clone(),
        };
        let mut reports = self.search_boards(boards.iter(), limit, true)?;
        let again = reports.split_off(boards.len());
        let mut reversed = self.search_boards(boards.iter().rev(), limit, false)?;
        reversed.reverse();
        let alone = self.search_boards(boards[..1].iter(), limit, false)?;
        let Differences { spread, after_others, between_fresh } = &mut self.differences;
        for (first, second) in reports.iter().zip(&reversed) {
            *spread = spread.max(node_spread(first, second));
            *after_others = after_others.take().or_else(|| difference(first, second));
        }
        *spread = spread.max(node_spread(&alone[0], &again[0])).max(node_spread(&reports[0], &alone[0]));
        *after_others = after_others.take().or_else(|| difference(&alone[0], &again[0]));
        *between_fresh = between_fresh.take().or_else(|| difference(&reports[0], &alone[0]));
        self.result.lacks_nodes |= reports.iter().chain(&reversed).chain(&alone).any(|report| report.nodes.is_none());
        Ok(reports)
    }

    /// Searches positions in two new processes, and in a third one in the reverse order. What an
    /// engine keeps for the next game shows in few positions: in Glaurung 2.2 in 5 of 24.
    fn compare_shallow_searches(&mut self, depth: u8) -> Result<(), Interrupt> {
        let (limit, boards) = (Limit { depth: Some(depth), nodes: None }, self.shallow.clone());
        let first = self.search_boards(boards.iter(), limit, false)?;
        let again = self.search_boards(boards.iter(), limit, false)?;
        let reversed = self.search_boards(boards.iter().rev(), limit, false)?;
        let Differences { spread, after_others, between_fresh } = &mut self.differences;
        for ((first, again), reversed) in first.iter().zip(&again).zip(reversed.iter().rev()) {
            *spread = spread.max(node_spread(first, again)).max(node_spread(first, reversed));
            *between_fresh = between_fresh.take().or_else(|| difference(first, again));
            *after_others = after_others.take().or_else(|| difference(first, reversed));
        }
        Ok(())
    }

    /// Searches positions in a new process. If `looks_after` is true, the last one is searched once
    /// more to depth 1, in the same game, and then the first in another, which is the last report.
    fn search_boards<'b>(
        &mut self,
        boards: impl Iterator<Item = &'b Board>,
        limit: Limit,
        looks_after: bool,
    ) -> Result<Vec<UciReport>, Interrupt> {
        let (mut engine, mut reports, mut last_board) = (self.start()?, Vec::new(), Board::startpos());
        for board in boards {
            reports.push(self.search_new_game(&mut engine, board, limit)?);
            last_board = *board;
        }
        let is_same_process = self.launch.restart != Restart::Search;
        if looks_after && is_same_process && self.result.depth == LimitSupport::Yes && self.result.after.is_none() {
            let limit = Limit { depth: Some(1), nodes: None };
            self.result.after = engine.report(Position::from_board(&last_board), limit, self.stop)?;
        }
        if looks_after {
            // Entries of this position itself, if they were kept, change it most.
            reports.push(self.search_new_game(&mut engine, &self.boards[0], limit)?);
        }
        engine.quit();
        Ok(reports)
    }

    /// Draws the conclusions from all searches.
    fn judge(&mut self, limit: Limit) {
        let Differences { spread, after_others, between_fresh } = std::mem::take(&mut self.differences);
        let result = &mut self.result;
        // If only searches after other searches differ, a new game does not reset the engine. If
        // searches in new processes differ too, the differences may have another cause, so the
        // engine is assumed to reset.
        result.resets_on_new_game = after_others.is_none() || between_fresh.is_some();
        result.difference = between_fresh.or(after_others);
        if result.lacks_nodes {
            result.difference = Some("a search reports no nodes".to_owned());
        }
        result.repeatability = if result.lacks_nodes || spread > MAX_SPREAD {
            Repeatability::NotRepeatable
        } else if spread > 0.0 {
            Repeatability::Within(spread)
        } else if result.difference.is_some() {
            Repeatability::SameNodes
        } else {
            Repeatability::Exact
        };
        if let Some([(early, more), (late, fewer)]) = result.reports.iter().find_map(|report| report.falling_nodes) {
            result.counter_fault =
                format!("its node counts are no sums: {more} nodes at depth {early}, then {fewer} at depth {late}");
        }
        // Some engines report nodes only when a depth ends.
        let is_met = |(limit, nodes): &(u64, u64)| (limit / 2..=limit + limit / 100).contains(nodes);
        if result.nodes == LimitSupport::Yes && !result.node_limits.iter().all(is_met) {
            result.notes.push(format!("under a node limit it reports {}", describe_node_limits(&result.node_limits)));
        }
        let unread = result.reports.iter().find_map(|report| report.unread.as_ref());
        result.notes.extend(unread.map(|line| format!("a score cannot be read, and stays empty: {line}")));
        let is_of_another_move = |report: &&UciReport| report.pv.first().is_some_and(|first| *first != report.best);
        let others = result.reports.iter().filter(is_of_another_move).count();
        if others > 0 {
            let searches = plural(result.reports.len(), "search");
            result.notes.push(format!("score and line are of another move than the best in {others} of {searches}"));
        }
        for (board, report) in self.boards.iter().zip(&result.reports) {
            let cause = if has_one_legal_move(board) { " where one move is legal" } else { "" };
            match (report.depth, limit.depth) {
                (Some(depth), Some(maximum)) if depth != maximum => {
                    result.notes.push(format!("`go depth {maximum}` searches to depth {depth}{cause}"));
                }
                _ => {}
            }
        }
        result.notes.dedup();
        let (Some(last), Some(after)) = (result.reports.last(), &result.after) else { return };
        if let (Some(before), Some(nodes), Some(2..)) = (last.nodes, after.nodes, last.depth)
            // The search to depth 1 adds little; counts that differ by chance may differ by much.
            && nodes > before
            && nodes - before < before / 2
            && result.counter_fault.is_empty()
        {
            result.counter_fault =
                format!("its node counter goes on from search to search: {before} nodes, then {nodes} to depth 1");
        }
        if let Some(depth @ 2..) = after.depth {
            result.notes.push(format!("`go depth 1` searches to depth {depth}"));
            result.notes.dedup();
        }
        if let (Some(full @ 100..), Some(later)) = (last.hashfull, after.hashfull)
            && later < full / 2
        {
            result.notes.push(format!(
                "hashfull counts the entries of one search: {full} per mille, then {later} after `go depth 1` in the same game"
            ));
        }
    }
}

/// The positions that are searched under the experiment's limit: the first, the middle and the last
/// that have a legal move, and the first that has only one.
fn select_boards(positions: &[Board]) -> Vec<Board> {
    let boards: Vec<&Board> = positions.iter().filter(|board| board.has_legal_move()).collect();
    let Some(last) = boards.len().checked_sub(1) else { return Vec::new() };
    let only_move = boards.iter().position(|board| has_one_legal_move(board));
    let mut indices: Vec<usize> = [0, last / 2, last].into_iter().chain(only_move).collect();
    indices.sort_unstable();
    indices.dedup();
    indices.into_iter().map(|index| *boards[index]).collect()
}

pub fn has_one_legal_move(board: &Board) -> bool {
    let mut moves = MoveList::new();
    legal(board, &mut moves);
    moves.len() == 1
}

/// Each limit with the nodes that were searched under it.
pub fn describe_node_limits(counts: &[(u64, u64)]) -> String {
    let text = |(limit, nodes): &(u64, u64)| format!("{nodes} nodes at a limit of {limit}");
    counts.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Describes a search that did not end by itself after `waited`. `depth` and `nodes` are what the
/// engine had reported.
fn describe_overrun(waited: Duration, limit: Limit, (depth, nodes): (Option<u8>, Option<u64>)) -> String {
    match (limit.depth.zip(depth), limit.nodes.zip(nodes)) {
        (Some((limit, depth)), _) if depth > limit => {
            format!("it searched to depth {depth} (limit {limit}) and had to be stopped")
        }
        (_, Some((limit, nodes))) if nodes > limit => {
            format!("it searched {nodes} nodes (limit {limit}) and had to be stopped")
        }
        _ => format!("it did not answer within {:.0} s", waited.as_secs_f64()),
    }
}

/// The difference of two node counts as a share of the smaller one.
fn node_spread(first: &UciReport, second: &UciReport) -> f64 {
    let counts = [first, second].map(|report| report.nodes.unwrap_or(0));
    let [least, most] = [counts[0].min(counts[1]), counts[0].max(counts[1])];
    if most > least { most as f64 / least.max(1) as f64 - 1.0 } else { 0.0 }
}

/// Describes the first difference between two searches that should be equal. A depth that only one
/// of the searches reports is not a difference, because some engines decide by the clock which
/// depths to report.
fn difference(first_report: &UciReport, second_report: &UciReport) -> Option<String> {
    let mut last_equal_depth = 0;
    for earlier in &first_report.earlier_depths {
        let is_same_depth = |other: &&DepthReport| other.depth == earlier.depth;
        let Some(other) = second_report.earlier_depths.iter().find(is_same_depth) else { continue };
        let describe = |report: &DepthReport| {
            format!("{} nodes, score {}, {}", report.nodes, text_or_empty(report.score), join_moves(&report.pv))
        };
        let [first, second] = [earlier, other].map(describe);
        if first != second {
            return Some(format!("at depth {}: {first}, then {second}", earlier.depth));
        }
        last_equal_depth = earlier.depth;
    }
    let texts_of_both = |text: fn(&UciReport) -> String| [text(first_report), text(second_report)];
    let parts = [
        ("depth", texts_of_both(|report| text_or_empty(report.depth))),
        ("nodes", texts_of_both(|report| text_or_empty(report.nodes))),
        ("score", texts_of_both(|report| text_or_empty(report.score))),
        ("move", texts_of_both(|report| report.best.to_string())),
        ("variation", texts_of_both(|report| join_moves(&report.pv))),
    ];
    let (name, [first, second]) = parts.into_iter().find(|(_, [first, second])| first != second)?;
    let after_depth = if last_equal_depth > 0 { format!(" after depth {last_equal_depth}") } else { String::new() };
    Some(format!("{name} {first}, then {second}{after_depth}"))
}

fn text_or_empty(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn join_moves(moves: &[crate::chess::Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
