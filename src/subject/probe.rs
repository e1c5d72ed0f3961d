//! Checks before a run what an experiment assumes about an external engine: that the engine repeats
//! its searches exactly, both in the same process and in a new one, and that the engine respects
//! `go depth` and `go nodes`.

use super::{EngineFault, EngineIdentity, Failure, Launch, Position, Restart, Subject, Uci, UciReport};
use crate::chess::Board;
use crate::engine::Limit;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How well an engine's searches repeat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Repeatability {
    /// All results are identical: nodes, score, move and principal variation, and the same for each
    /// earlier depth.
    Exact,
    /// The node counts are identical, but other results differ.
    SameNodes,
    /// On every tested position, node counts differ by at most this share of the smallest count.
    Within(f64),
    /// Node counts differ by more than `MAX_SPREAD`, or a search reported no nodes.
    NotRepeatable,
}

/// The largest spread of node counts that still count as repeatable, as a share of the smallest
/// count.
pub const MAX_SPREAD: f64 = 0.1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitSupport {
    Yes,
    /// The limit is ignored. The text says what the engine did instead.
    No(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeReports {
    /// The reports include all nodes up to the end of a search.
    Whole,
    /// The engine reports nodes only at the end of each depth. Nodes that are searched after the
    /// last finished depth are not reported.
    Depths,
    Never,
}

/// What trial searches have shown about an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    pub identity: EngineIdentity,
    pub repeatability: Repeatability,
    /// Whether a search after `ucinewgame` returns the same results as a search in a new process.
    pub resets_on_new_game: bool,
    /// The first difference between two searches that should be equal.
    pub difference: Option<String>,
    pub depth: LimitSupport,
    pub nodes: LimitSupport,
    pub node_reports: NodeReports,
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

const TRIAL_DEPTH: u8 = 4;
const TRIAL_NODES: u64 = 20_000;

/// Timeouts of the trial searches. If an engine has exceeded its limit when the short timeout is
/// over, the engine ignores the limit. Otherwise the engine is slow, and the search is repeated
/// with the long timeout.
const SHORT_TIMEOUT: Duration = Duration::from_secs(5);
const LONG_TIMEOUT: Duration = Duration::from_secs(30);

/// Tests whether an engine respects limits, then how well it repeats its searches. Limits are
/// tested on the initial position. Repeatability is tested on `boards` under the experiment's
/// `limit`. If the engine ignores this limit, repeatability is tested only if `trust` is true.
/// Returns `None` if `stop` was set.
///
/// # Errors
/// When the engine cannot be started, or fails under a limit that it respects.
pub fn probe(
    launch: &Launch,
    boards: &[Board],
    limit: Limit,
    trust: bool,
    stop: &AtomicBool,
) -> Result<Option<ProbeResult>, Failure> {
    match probe_limits(launch, stop)? {
        Some(result) if trust || result.respects(limit) => probe_repeatability(launch, boards, limit, result, stop),
        result => Ok(result),
    }
}

impl ProbeResult {
    pub fn respects(&self, limit: Limit) -> bool {
        let parts = [(limit.depth.is_some(), &self.depth), (limit.nodes.is_some(), &self.nodes)];
        parts.into_iter().all(|(is_limited, support)| !is_limited || *support == LimitSupport::Yes)
    }
}

/// Reads an engine's identity and tests whether it respects limits, but does not test its
/// repeatability. Returns `None` if `stop` was set.
///
/// # Errors
/// When the engine cannot be started, or fails.
pub fn probe_limits(launch: &Launch, stop: &AtomicBool) -> Result<Option<ProbeResult>, Failure> {
    let Some((identity, depth)) = try_depth(launch, stop)? else { return Ok(None) };
    let Some((nodes, node_reports)) = try_nodes(launch, &depth, stop)? else { return Ok(None) };
    Ok(Some(ProbeResult {
        identity,
        // [`probe_repeatability`] sets the next three fields.
        repeatability: Repeatability::NotRepeatable,
        resets_on_new_game: true,
        difference: None,
        depth,
        nodes,
        node_reports,
    }))
}

/// Tests how well an engine repeats its searches under a limit. Returns `result`, which is the
/// result of [`probe_limits`], with the results of this test filled in. Returns `None` if `stop`
/// was set.
///
/// # Errors
/// When the engine fails.
pub fn probe_repeatability(
    launch: &Launch,
    boards: &[Board],
    limit: Limit,
    result: ProbeResult,
    stop: &AtomicBool,
) -> Result<Option<ProbeResult>, Failure> {
    let mut comparison = Comparison::default();
    let Some(common_depth) = comparison.compare_searches(launch, boards, limit, stop)? else { return Ok(None) };
    // Node counts under a node limit are always about the same. So the searches are also compared
    // under a depth limit if the engine reported depths and respects depth limits.
    if let (Some(_), Some(1..), LimitSupport::Yes) = (limit.nodes, common_depth, &result.depth) {
        let depth_limit = Limit { depth: common_depth, nodes: None };
        if comparison.compare_searches(launch, boards, depth_limit, stop)?.is_none() {
            return Ok(None);
        }
    }
    Ok(Some(comparison.into_result(launch.restart, result)))
}

fn try_depth(launch: &Launch, stop: &AtomicBool) -> Result<Option<(EngineIdentity, LimitSupport)>, Failure> {
    let limit = Limit { depth: Some(TRIAL_DEPTH), nodes: None };
    let (identity, report) = match search_with_patience(launch, limit, stop)? {
        (_, Attempt::Stopped) => return Ok(None),
        (identity, Attempt::Overran(reason)) => return Ok(Some((identity, LimitSupport::No(reason)))),
        (identity, Attempt::Answer(report)) => (identity, report),
    };
    let support = match report.depth {
        Some(TRIAL_DEPTH) => LimitSupport::Yes,
        Some(depth) => LimitSupport::No(format!("it searched to depth {depth}, expected {TRIAL_DEPTH}")),
        None => LimitSupport::No("it reports no depth".to_owned()),
    };
    Ok(Some((identity, support)))
}

fn try_nodes(
    launch: &Launch,
    depth_support: &LimitSupport,
    stop: &AtomicBool,
) -> Result<Option<(LimitSupport, NodeReports)>, Failure> {
    let node_limit = |nodes| Limit { depth: None, nodes: Some(nodes) };
    let ignored = |why: String| Ok(Some((LimitSupport::No(why), NodeReports::Whole)));
    let (_, first_attempt) = search_with_patience(launch, node_limit(TRIAL_NODES), stop)?;
    let report = match first_attempt {
        Attempt::Stopped => return Ok(None),
        Attempt::Overran(why) => return ignored(why),
        Attempt::Answer(report) => report,
    };
    let Some(nodes) = report.nodes else {
        return Ok(Some((LimitSupport::No("it reports no nodes".to_owned()), NodeReports::Never)));
    };
    // Engines check their nodes only from time to time. So the limit counts as respected if at
    // least half and at most twice as many nodes as the limit were searched.
    if (TRIAL_NODES / 2..=2 * TRIAL_NODES).contains(&nodes) {
        return Ok(Some((LimitSupport::Yes, NodeReports::Whole)));
    }
    let why = format!("it searched {nodes} nodes, expected {TRIAL_NODES}");
    if nodes > TRIAL_NODES {
        return ignored(why);
    }
    let (Some(reached_depth), LimitSupport::Yes) = (report.depth, depth_support) else { return ignored(why) };
    // Few nodes were reported. Perhaps the engine reports nodes only at the end of a depth. In that
    // case, a search to the next depth takes more nodes than the limit, and a search with a larger
    // node limit finishes the next depth.
    let next_depth_limit = Limit { depth: Some(reached_depth.saturating_add(1)), nodes: None };
    let (_, next_attempt) = search_with_patience(launch, next_depth_limit, stop)?;
    let next_nodes = match next_attempt {
        Attempt::Stopped => return Ok(None),
        Attempt::Answer(report) => report.nodes.unwrap_or(0),
        Attempt::Overran(_) => 0,
    };
    if next_nodes < TRIAL_NODES {
        return ignored(format!("{why}, and its next depth takes {next_nodes} nodes"));
    }
    let (_, larger_attempt) = search_with_patience(launch, node_limit(2 * next_nodes), stop)?;
    match larger_attempt {
        Attempt::Stopped => Ok(None),
        Attempt::Answer(report) if report.depth > Some(reached_depth) && report.nodes <= Some(4 * next_nodes) => {
            Ok(Some((LimitSupport::Yes, NodeReports::Depths)))
        }
        _ => ignored(format!("{why}, and it searches no deeper with a limit of {} nodes", 2 * next_nodes)),
    }
}

/// The outcome of a search of the initial position.
enum Attempt {
    Answer(UciReport),
    /// The search did not end by itself. The text says what the engine did instead.
    Overran(String),
    Stopped,
}

/// Searches the initial position in a new process with the short timeout. If the engine has then
/// neither finished its search nor exceeded the limit, repeats the search with the long timeout.
fn search_with_patience(
    launch: &Launch,
    limit: Limit,
    stop: &AtomicBool,
) -> Result<(EngineIdentity, Attempt), Failure> {
    let (identity, outcome, has_exceeded_limit) = search_once(launch, limit, SHORT_TIMEOUT, stop)?;
    match outcome {
        Attempt::Overran(_) if !has_exceeded_limit => {
            search_once(launch, limit, LONG_TIMEOUT, stop).map(|(_, outcome, _)| (identity, outcome))
        }
        outcome => Ok((identity, outcome)),
    }
}

/// Searches the initial position in a new process. The returned flag is true if the engine did not
/// end the search before the timeout, although it had exceeded the limit.
fn search_once(
    launch: &Launch,
    limit: Limit,
    timeout: Duration,
    stop: &AtomicBool,
) -> Result<(EngineIdentity, Attempt, bool), Failure> {
    let mut engine = Uci::new(launch.clone());
    engine.start()?;
    engine.set_timeout(timeout);
    let identity = engine.identity().clone();
    match search_new_game(&mut engine, &Board::startpos(), limit, stop) {
        Ok(report) => {
            engine.quit();
            Ok((identity, report.map_or(Attempt::Stopped, Attempt::Answer), false))
        }
        Err(Failure { fault: EngineFault::LimitIgnored(waited) | EngineFault::NoAnswer(waited), .. }) => {
            let (depth, nodes) = engine.progress();
            // Engines check their nodes only from time to time, so twice the limit is allowed.
            let has_exceeded_limit = limit.depth.is_some_and(|maximum| depth > Some(maximum))
                || limit.nodes.is_some_and(|maximum| nodes > Some(2 * maximum));
            let description = describe_overrun(waited, limit, depth, nodes, has_exceeded_limit);
            Ok((identity, Attempt::Overran(description), has_exceeded_limit))
        }
        Err(failure) => Err(failure),
    }
}

/// Describes a search that did not end by itself. `depth` and `nodes` are what the engine had
/// reported when the search was stopped.
fn describe_overrun(
    waited: Duration,
    limit: Limit,
    depth: Option<u8>,
    nodes: Option<u64>,
    has_exceeded_limit: bool,
) -> String {
    let seconds = waited.as_secs_f64();
    if !has_exceeded_limit {
        return format!("it did not answer within {seconds:.0} s");
    }
    let reached = if let (Some(maximum), Some(depth)) = (limit.depth, depth) {
        format!(" to depth {depth} (limit {maximum})")
    } else if let (Some(maximum), Some(nodes)) = (limit.nodes, nodes) {
        format!(" to {nodes} nodes (limit {maximum})")
    } else {
        String::new()
    };
    format!("it searched for {seconds:.0} s{reached} and had to be stopped")
}

/// The differences between searches that should be equal.
#[derive(Default)]
struct Comparison {
    /// The largest [`spread`] of the node counts of one position. All searches are included.
    spread: f64,
    /// The largest [`spread`] of the node counts of one position. Only searches that are the first
    /// search of their process are included.
    spread_fresh: f64,
    /// The first difference between a search in a new process and a search of the same position
    /// after other searches.
    difference_after_others: Option<String>,
    /// The first difference between two searches in new processes.
    difference_between_fresh: Option<String>,
    lacks_nodes: bool,
}

impl Comparison {
    /// Searches each position three times: in a new process, again in the same process after the
    /// other positions, and in another new process. Only one process runs at a time, because two
    /// processes might not fit into memory. Returns a depth that the first search of every position
    /// has finished, or `Some(None)` if one of these searches reported no depth. Returns `None` if
    /// `stop` was set.
    fn compare_searches(
        &mut self,
        launch: &Launch,
        boards: &[Board],
        limit: Limit,
        stop: &AtomicBool,
    ) -> Result<Option<Option<u8>>, Failure> {
        let mut depths = Vec::new();
        for (index, board) in boards.iter().enumerate() {
            let others =
                boards.iter().enumerate().filter(|(other_index, _)| *other_index != index).map(|(_, board)| board);
            let all_boards: Vec<&Board> = std::iter::once(board).chain(others).chain([board]).collect();
            // The reports of the process that searches all positions, and the reports of the
            // process that searches only `board`.
            let mut reports = [Vec::new(), Vec::new()];
            for (process_boards, process_reports) in [&all_boards[..], &[board]].into_iter().zip(&mut reports) {
                let mut engine = Uci::new(Launch { restart: Restart::Experiment, ..launch.clone() });
                engine.start()?;
                for board in process_boards {
                    let Some(report) = search_new_game(&mut engine, board, limit, stop)? else { return Ok(None) };
                    process_reports.push(report);
                }
                engine.quit();
            }
            let (first, repeated, fresh) = (&reports[0][0], &reports[0][all_boards.len() - 1], &reports[1][0]);
            let [first_nodes, repeated_nodes, fresh_nodes] =
                [first, repeated, fresh].map(|report| report.nodes.unwrap_or(0));
            self.lacks_nodes |= [first, repeated, fresh].iter().any(|report| report.nodes.is_none());
            self.spread = spread(&[first_nodes, repeated_nodes, fresh_nodes]).max(self.spread);
            self.spread_fresh = spread(&[first_nodes, fresh_nodes]).max(self.spread_fresh);
            self.difference_after_others = self.difference_after_others.take().or_else(|| difference(first, repeated));
            self.difference_between_fresh = self.difference_between_fresh.take().or_else(|| difference(first, fresh));
            // The depth before the last depth is certainly finished. The last depth may be
            // unfinished.
            depths.push(first.earlier_depths.last().map_or(first.depth, |earlier| Some(earlier.depth)));
        }
        Ok(Some(depths.into_iter().min().flatten()))
    }

    /// Differences that cannot occur with this `restart` are ignored.
    fn into_result(self, restart: Restart, result: ProbeResult) -> ProbeResult {
        // If only searches after other searches differ, a new game does not reset the engine. If
        // searches in new processes differ too, the differences may have another cause, so the
        // engine is assumed to reset.
        let resets_on_new_game = self.difference_after_others.is_none() || self.difference_between_fresh.is_some();
        let (spread, difference) = match restart {
            Restart::Experiment => (self.spread, self.difference_between_fresh.or(self.difference_after_others)),
            Restart::Game | Restart::Search => (self.spread_fresh, self.difference_between_fresh),
        };
        let repeatability = if self.lacks_nodes || spread > MAX_SPREAD {
            Repeatability::NotRepeatable
        } else if spread > 0.0 {
            Repeatability::Within(spread)
        } else if difference.is_some() {
            Repeatability::SameNodes
        } else {
            Repeatability::Exact
        };
        let node_reports = if self.lacks_nodes { NodeReports::Never } else { result.node_reports };
        ProbeResult { repeatability, resets_on_new_game, difference, node_reports, ..result }
    }
}

/// Describes the first difference between two searches that should be equal. A depth that only one
/// of the searches reports is not a difference, because some engines decide by the clock which
/// depths to report.
fn difference(first_report: &UciReport, second_report: &UciReport) -> Option<String> {
    let mut last_equal_depth = 0;
    for earlier in &first_report.earlier_depths {
        let Some(counterpart) =
            second_report.earlier_depths.iter().find(|counterpart| counterpart.depth == earlier.depth)
        else {
            continue;
        };
        let result = (earlier.nodes, earlier.score, &earlier.pv);
        if result != (counterpart.nodes, counterpart.score, &counterpart.pv) {
            let describe_depth = |depth_report: &super::DepthReport| {
                format!("{} nodes, score {}, {}", depth_report.nodes, depth_report.score, join_moves(&depth_report.pv))
            };
            return Some(format!(
                "at depth {}: {}, then {}",
                earlier.depth,
                describe_depth(earlier),
                describe_depth(counterpart)
            ));
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

fn spread(counts: &[u64]) -> f64 {
    match (counts.iter().min(), counts.iter().max()) {
        (Some(minimum), Some(maximum)) if maximum > minimum => *maximum as f64 / (*minimum).max(1) as f64 - 1.0,
        _ => 0.0,
    }
}

/// Starts a new game and searches a position. Returns `None` if the search was stopped.
fn search_new_game(
    engine: &mut Uci,
    board: &Board,
    limit: Limit,
    stop: &AtomicBool,
) -> Result<Option<UciReport>, Failure> {
    engine.new_game()?;
    engine.report(Position::from_board(board), limit, stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_relative_to_the_minimum() {
        for (counts, expected) in [
            (&[][..], 0.0),
            (&[7], 0.0),
            (&[5, 5, 5], 0.0),
            (&[110, 100, 105], 0.1),
            (&[0, 0], 0.0),
            (&[0, 3], 2.0),
            (&[100, 250], 1.5),
        ] {
            assert!((spread(counts) - expected).abs() < 1e-12, "{counts:?}");
        }
        let values = [
            Repeatability::Exact,
            Repeatability::SameNodes,
            Repeatability::Within(0.0501),
            Repeatability::Within(0.1),
            Repeatability::Within(0.0001),
            Repeatability::NotRepeatable,
        ];
        let texts =
            ["exact", "same nodes, other answers", "within 5.1 %", "within 10.0 %", "within 0.1 %", "not repeatable"];
        assert_eq!(values.map(|word| word.to_string()), texts);
    }

    /// An engine that had exceeded the limit when it was stopped ignored the limit. Otherwise the
    /// message has only the time.
    #[test]
    fn overrun_states_depth_or_nodes_reached() {
        let waited = Duration::from_millis(5400);
        let (depth_limit, node_limit) =
            (Limit { depth: Some(4), nodes: None }, Limit { depth: None, nodes: Some(20_000) });
        for (limit, depth, nodes, exceeded, message) in [
            (depth_limit, Some(9), Some(7), true, "it searched for 5 s to depth 9 (limit 4) and had to be stopped"),
            (
                node_limit,
                Some(9),
                Some(70_000),
                true,
                "it searched for 5 s to 70000 nodes (limit 20000) and had to be stopped",
            ),
            (node_limit, Some(9), Some(7), false, "it did not answer within 5 s"),
            (depth_limit, None, None, false, "it did not answer within 5 s"),
        ] {
            assert_eq!(describe_overrun(waited, limit, depth, nodes, exceeded), message);
        }
    }

    /// Tries every part that must be equal in two searches. A depth that only one search reports is
    /// not a difference.
    #[test]
    fn difference_covers_every_reported_part() {
        let start = Board::startpos();
        let parse_move = |word: &str| crate::chess::parse_move(&start, word).unwrap();
        let depth_report = |depth, nodes, score, word: &str| super::super::DepthReport {
            depth,
            score,
            pv: vec![parse_move(word)],
            nodes,
            hashfull: None,
            elapsed: Duration::ZERO,
        };
        let report = UciReport {
            depth: Some(3),
            score: Some(31),
            best: parse_move("e2e4"),
            pv: vec![parse_move("e2e4")],
            nodes: Some(900),
            earlier_depths: vec![depth_report(1, 20, 5, "a2a3"), depth_report(2, 100, 7, "b2b3")],
            ..UciReport::default()
        };
        assert_eq!(difference(&report, &report), None);
        let with_hashfull = UciReport { hashfull: Some(3), ..report.clone() };
        assert_eq!(difference(&report, &with_hashfull), None, "hashfull is not compared");
        let difference_after = |change: fn(&mut UciReport)| {
            let mut changed = report.clone();
            change(&mut changed);
            difference(&report, &changed)
        };
        assert_eq!(difference_after(|report| drop(report.earlier_depths.remove(1))), None);
        for (change, message) in [
            ((|report| report.depth = Some(4)) as fn(&mut UciReport), "depth 3, then 4 after depth 2"),
            (|report| report.nodes = Some(901), "nodes 900, then 901 after depth 2"),
            (|report| report.nodes = None, "nodes 900, then  after depth 2"),
            (|report| report.score = Some(30), "score 31, then 30 after depth 2"),
            (|report| report.best = report.earlier_depths[0].pv[0], "move e2e4, then a2a3 after depth 2"),
            (|report| report.pv.clear(), "variation e2e4, then  after depth 2"),
            (
                |report| report.earlier_depths[1].nodes = 101,
                "at depth 2: 100 nodes, score 7, b2b3, then 101 nodes, score 7, b2b3",
            ),
            (
                |report| report.earlier_depths[0].score = 6,
                "at depth 1: 20 nodes, score 5, a2a3, then 20 nodes, score 6, a2a3",
            ),
            (
                |report| report.earlier_depths[0].pv = report.pv.clone(),
                "at depth 1: 20 nodes, score 5, a2a3, then 20 nodes, score 5, e2e4",
            ),
        ] {
            assert_eq!(difference_after(change).as_deref(), Some(message));
        }
        let report_with_score = |score| UciReport { score: Some(score), ..UciReport::default() };
        assert_eq!(difference(&report_with_score(1), &report_with_score(2)).as_deref(), Some("score 1, then 2"));
    }

    /// The result for an engine scripted in shell that runs `answers` at each `go`. There, `n` is
    /// the number of the search in its process, `d` and `m` the depth or nodes after `go`, and `p`
    /// the last `position` line.
    fn probe_script(answers: &str, restart: Restart, limit: Limit, stop: bool) -> Option<ProbeResult> {
        let script = format!(
            "n=0; while read -r line; do case \"$line\" in position*) p=$line;; uci) echo id name Probe; echo uciok;; isready) echo readyok;; \
             go*) n=$((n + 1)); d=${{line#go depth }}; m=${{line#go nodes }}; {answers}; echo bestmove e2e4;; quit) exit;; esac; done"
        );
        let launch = Launch {
            path: "/bin/sh".into(),
            arguments: vec!["-c".to_owned(), script],
            restart,
            timeout: Some(Duration::from_secs(60)),
            ..Launch::default()
        };
        // The second position lacks Black's a-pawn.
        let other = "rnbqkbnr/1ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let boards = [Board::startpos(), Board::from_fen(other).unwrap()];
        probe(&launch, &boards, limit, false, &AtomicBool::new(stop)).unwrap()
    }

    /// Tries limits at their edges, spreads below and above the maximum, and node counts that
    /// change with each search of a process.
    #[test]
    fn trial_judges_limits_and_spread() {
        let (depth_limit, node_limit) =
            (Limit { depth: Some(3), nodes: None }, Limit { depth: None, nodes: Some(500) });
        let (per_game, per_experiment) = (Restart::Game, Restart::Experiment);
        let ignored = |why: &str| LimitSupport::No(why.to_owned());
        let respected = LimitSupport::Yes;
        for (answers, restart, limit, (expected_repeats, expected_resets, expected_depth, expected_nodes)) in [
            // Both edges are respected: half the nodes, and twice as many.
            (
                "echo info depth $d nodes 10000",
                per_experiment,
                depth_limit,
                (Repeatability::Exact, true, respected.clone(), respected.clone()),
            ),
            (
                "echo info depth $d nodes 40000",
                per_experiment,
                node_limit,
                (Repeatability::Exact, true, respected.clone(), respected.clone()),
            ),
            (
                "echo info depth $d nodes 40001",
                per_experiment,
                depth_limit,
                (Repeatability::Exact, true, respected.clone(), ignored("it searched 40001 nodes, expected 20000")),
            ),
            (
                "echo info depth $d nodes 9999",
                per_experiment,
                node_limit,
                (
                    Repeatability::NotRepeatable,
                    true,
                    respected.clone(),
                    ignored("it searched 9999 nodes, expected 20000"),
                ),
            ),
            (
                "echo info depth 5 nodes 20000",
                per_experiment,
                node_limit,
                (Repeatability::Exact, true, ignored("it searched to depth 5, expected 4"), respected.clone()),
            ),
            (
                "echo info nodes 20000",
                per_experiment,
                depth_limit,
                (Repeatability::NotRepeatable, true, ignored("it reports no depth"), respected.clone()),
            ),
            (
                "echo info depth 4",
                per_experiment,
                depth_limit,
                (Repeatability::NotRepeatable, true, respected.clone(), ignored("it reports no nodes")),
            ),
            // The second search of a process counts more nodes: within the spread, above it, and
            // irrelevant where each game has its own process.
            (
                "echo info depth $d nodes $((19500 + n * 500))",
                per_experiment,
                depth_limit,
                (Repeatability::Within(0.05), false, respected.clone(), respected.clone()),
            ),
            (
                "echo info depth $d nodes $((17000 + n * 3000))",
                per_experiment,
                depth_limit,
                (Repeatability::NotRepeatable, false, respected.clone(), respected.clone()),
            ),
            (
                "echo info depth $d nodes $((17000 + n * 3000))",
                per_game,
                depth_limit,
                (Repeatability::Exact, false, respected.clone(), respected.clone()),
            ),
            // A difference or missing nodes in a single position count, whatever the next position
            // reports.
            (
                "case \"$p $d\" in */pppppppp/*\\ 3) echo info depth 3;; *) echo info depth $d nodes 20000;; esac",
                per_experiment,
                depth_limit,
                (Repeatability::NotRepeatable, true, respected.clone(), respected.clone()),
            ),
            (
                "case $p in */1ppp*) k=0;; *) k=1;; esac; echo info depth $d nodes $((19500 + k * n * 500))",
                per_experiment,
                depth_limit,
                (Repeatability::Within(0.05), false, respected.clone(), respected.clone()),
            ),
        ] {
            let probed = probe_script(answers, restart, limit, false).unwrap();
            let repeats = probed.repeatability;
            if let (Repeatability::Within(spread), Repeatability::Within(expected)) = (repeats, expected_repeats) {
                assert!((spread - expected).abs() < 1e-9, "{answers}");
            } else {
                assert_eq!(repeats, expected_repeats, "{answers} {restart:?}");
            }
            assert_eq!(
                (probed.resets_on_new_game, probed.depth, probed.nodes),
                (expected_resets, expected_depth, expected_nodes),
                "{answers} {restart:?}"
            );
            assert_eq!(probed.identity.name, "Probe");
        }
        assert_eq!(probe_script("echo info depth $d nodes 20000", per_experiment, depth_limit, true), None);
    }

    /// Later searches of a process have the same nodes but another score, move, variation or depth
    /// line. Under a node limit, the searches are also repeated with a depth limit.
    #[test]
    fn same_nodes_with_other_answers_is_not_exact() {
        let (depth_limit, node_limit) =
            (Limit { depth: Some(3), nodes: None }, Limit { depth: None, nodes: Some(500) });
        let text = "info depth ${d##* } score cp 1 nodes 20000 pv e2e4";
        for (answers, limit, expected) in [
            (format!("echo {text}"), depth_limit, Repeatability::Exact),
            (format!("echo {text} | sed \"s/cp 1/cp $n/\""), depth_limit, Repeatability::SameNodes),
            (format!("echo {text} e7e$((n / 2 + 5))"), depth_limit, Repeatability::SameNodes),
            (format!("echo info depth 1 score cp 1 nodes $n pv a2a3; echo {text}"), depth_limit, Repeatability::SameNodes),
            ("echo info depth 3 score cp 1 nodes 20000 pv e2e4".to_owned(), node_limit, Repeatability::Exact),
            // Nothing differs under the node limit, but node counts differ by depth.
            (
                "case $d in go*) echo info depth 3 score cp 1 nodes 20000 pv e2e4;; *) echo info depth $d score cp 1 nodes $((19500 + n * 500)) pv e2e4;; esac"
                    .to_owned(),
                node_limit,
                Repeatability::Within(0.05),
            ),
        ] {
            let probed = probe_script(&answers, Restart::Experiment, limit, false).unwrap();
            let is_expected = match (probed.repeatability, expected) {
                (Repeatability::Within(spread), Repeatability::Within(expected)) => (spread - expected).abs() < 1e-9,
                (actual, expected) => actual == expected,
            };
            assert!(is_expected, "{answers}: {probed:?}");
            assert_eq!(probed.resets_on_new_game, expected == Repeatability::Exact, "{answers}");
            assert_eq!(probed.difference.is_some(), expected != Repeatability::Exact, "{answers}");
            let per_game = probe_script(&answers, Restart::Game, limit, false).unwrap();
            assert_eq!((per_game.repeatability, per_game.difference), (Repeatability::Exact, None), "{answers}");
        }
    }

    /// The engine reports its nodes at the end of each depth: 100 for the first depth, and three
    /// times as many for each further depth. The limit is respected if the next depth does not fit
    /// into it and a larger limit reaches that depth. It is not respected if the next depth would
    /// have fitted, or if no limit reaches it.
    #[test]
    fn node_limit_is_recognised_from_reports_by_depth() {
        let depth_limit = Limit { depth: Some(3), nodes: None };
        let depths_script = "k=100; e=1; while [ $((3 * k)) -le $MOST ] && [ $e -lt $DEEP ]; do k=$((3 * k)); e=$((e + 1)); done; echo info depth $e nodes $k";
        let limited_script = |maximum: &str| {
            let nodes = depths_script.replace("$MOST", maximum).replace("$DEEP", "99");
            let depth = depths_script.replace("$MOST", "99999999").replace("$DEEP", "$d");
            format!("case $d in go*) {nodes};; *) {depth};; esac")
        };
        let probe_nodes = |maximum: &str| {
            let probed = probe_script(&limited_script(maximum), Restart::Experiment, depth_limit, false).unwrap();
            (probed.nodes, probed.node_reports)
        };
        // 100, 300, 900, 2700, 8100, 24300: within 20,000 the fifth ends with 8100.
        assert_eq!(probe_nodes("$m"), (LimitSupport::Yes, NodeReports::Depths));
        let ignored = |why: &str| (LimitSupport::No(format!("it searched {why}")), NodeReports::Whole);
        assert_eq!(probe_nodes("1000"), ignored("900 nodes, expected 20000, and its next depth takes 2700 nodes"));
        assert_eq!(
            probe_nodes("9000"),
            ignored("8100 nodes, expected 20000, and it searches no deeper with a limit of 48600 nodes")
        );
    }

    /// If node counts differ in every process, it cannot be observed whether a new game resets the
    /// engine, so a reset is assumed.
    #[test]
    fn engine_that_never_repeats_is_assumed_to_reset() {
        let limit = Limit { depth: Some(3), nodes: None };
        let probed =
            probe_script("echo info depth $d nodes $(($$ * 1000 + n))", Restart::Experiment, limit, false).unwrap();
        assert!(probed.resets_on_new_game, "{:?}", probed.repeatability);
        assert!(probed.repeatability != Repeatability::Exact, "{:?}", probed.repeatability);
    }
}
