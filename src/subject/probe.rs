//! Checks what an experiment assumes about an external engine before a run: does the same search
//! give the same result, in one process and in the next, and does the engine respect `go depth` and
//! `go nodes`?

use super::{
    EngineFault, EngineIdentity, Failure, Launch, Position, Restart, SearchEnd, SearchEvent, Subject, Uci, UciReport,
};
use crate::chess::Board;
use crate::engine::Limit;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How well an engine's searches repeat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Repeatability {
    /// Identical results: nodes, score, move, variation and depths.
    Exact,
    /// Identical nodes, other results.
    SameNodes,
    /// Node counts spread by at most this share, on every position tried.
    Within(f64),
    /// The spread is above `MAX_SPREAD`, or no nodes were reported.
    NotRepeatable,
}

/// The maximum spread of repeatable node counts, as a share.
pub const MAX_SPREAD: f64 = 0.1;

/// Whether a limit is respected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitSupport {
    /// The limit is respected.
    Yes,
    /// The limit is ignored; what was observed.
    No(String),
}

/// When an engine reports its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeReports {
    /// Up to the end of a search.
    Whole,
    /// At the end of each depth: nodes searched after that are not reported.
    Depths,
    /// Never, or only implausible numbers.
    Never,
}

/// The result of a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    pub identity: EngineIdentity,
    /// How well its searches repeat.
    pub repeatability: Repeatability,
    /// Whether a new game behaves like a new process, judged by its results.
    pub resets_on_new_game: bool,
    /// The first difference between two searches that should be equal.
    pub difference: Option<String>,
    /// Whether `go depth` is respected.
    pub depth: LimitSupport,
    /// Whether `go nodes` is respected.
    pub nodes: LimitSupport,
    /// When it reports its nodes.
    pub node_reports: NodeReports,
}

impl fmt::Display for Repeatability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::SameNodes => f.write_str("same nodes, other answers"),
            Self::Within(spread) => write!(f, "within {:.1} %", (1000.0 * spread).ceil() / 10.0),
            Self::NotRepeatable => f.write_str("not repeatable"),
        }
    }
}

/// The limits of the trial searches.
const TRIAL_DEPTH: u8 = 4;
const TRIAL_NODES: u64 = 20_000;

/// Timeouts of the trial searches: an engine beyond the limit after the short one ignores it, a
/// slow one gets the long one.
const SHORT_TIMEOUT: Duration = Duration::from_secs(5);
const LONG_TIMEOUT: Duration = Duration::from_secs(30);

/// Tries an engine: its limits, then on some positions its repeatability under the limit of the
/// experiment. `None` if `stop` was set. With `trust`, repeatability is tried even under a limit
/// that the engine ignores.
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
        Some(trial) if trust || trial.respects(limit) => probe_repeatability(launch, boards, limit, trial, stop),
        trial => Ok(trial),
    }
}

impl ProbeResult {
    /// Whether it respects all parts of a limit.
    pub fn respects(&self, limit: Limit) -> bool {
        let parts = [(limit.depth.is_some(), &self.depth), (limit.nodes.is_some(), &self.nodes)];
        parts.into_iter().all(|(required, honours)| !required || *honours == LimitSupport::Yes)
    }
}

/// Tries an engine's identity and limits, but not its repeatability. `None` if `stop` was set.
///
/// # Errors
/// When the engine cannot be started, or fails.
pub fn probe_limits(launch: &Launch, stop: &AtomicBool) -> Result<Option<ProbeResult>, Failure> {
    let Some((identity, depth)) = try_depth(launch, stop)? else { return Ok(None) };
    let Some((nodes, reports)) = try_nodes(launch, &depth, stop)? else { return Ok(None) };
    let repeats = Repeatability::NotRepeatable;
    Ok(Some(ProbeResult {
        identity,
        repeatability: repeats,
        resets_on_new_game: true,
        difference: None,
        depth,
        nodes,
        node_reports: reports,
    }))
}

/// Tries the repeatability of an engine under a limit and completes the result of `probe_limits`.
/// `None` if `stop` was set.
///
/// # Errors
/// When the engine fails.
pub fn probe_repeatability(
    launch: &Launch,
    boards: &[Board],
    limit: Limit,
    trial: ProbeResult,
    stop: &AtomicBool,
) -> Result<Option<ProbeResult>, Failure> {
    let mut seen = Comparison::default();
    let Some(deepest) = seen.search(launch, boards, limit, stop)? else { return Ok(None) };
    // Under a node limit the node counts agree anyway, so the same work is repeated with a depth
    // limit.
    if let (Some(_), Some(deepest @ 1..), LimitSupport::Yes) = (limit.nodes, deepest, &trial.depth) {
        let to_depth = Limit { depth: Some(deepest), nodes: None };
        if seen.search(launch, boards, to_depth, stop)?.is_none() {
            return Ok(None);
        }
    }
    Ok(Some(seen.into_result(launch.restart, trial)))
}

/// The engine's identity, and whether it respects `go depth`. `None` if `stop` was set.
fn try_depth(launch: &Launch, stop: &AtomicBool) -> Result<Option<(EngineIdentity, LimitSupport)>, Failure> {
    let limit = Limit { depth: Some(TRIAL_DEPTH), nodes: None };
    let (identity, found) = match search_with_patience(launch, limit, stop)? {
        (_, Attempt::Stopped) => return Ok(None),
        (identity, Attempt::Overran(why)) => return Ok(Some((identity, LimitSupport::No(why)))),
        (identity, Attempt::Answer(found)) => (identity, found),
    };
    let honours = match found.depth {
        Some(TRIAL_DEPTH) => LimitSupport::Yes,
        Some(depth) => LimitSupport::No(format!("it searched to depth {depth}, expected {TRIAL_DEPTH}")),
        None => LimitSupport::No("it reports no depth".to_owned()),
    };
    Ok(Some((identity, honours)))
}

/// Whether the engine respects `go nodes`, and when it reports its nodes. `None` if `stop` was set.
fn try_nodes(
    launch: &Launch,
    depth: &LimitSupport,
    stop: &AtomicBool,
) -> Result<Option<(LimitSupport, NodeReports)>, Failure> {
    let by_nodes = |nodes| Limit { depth: None, nodes: Some(nodes) };
    let found = match search_with_patience(launch, by_nodes(TRIAL_NODES), stop)?.1 {
        Attempt::Stopped => return Ok(None),
        Attempt::Overran(why) => return Ok(Some((LimitSupport::No(why), NodeReports::Whole))),
        Attempt::Answer(found) => found,
    };
    let Some(made) = found.nodes else {
        return Ok(Some((LimitSupport::No("it reports no nodes".to_owned()), NodeReports::Never)));
    };
    if (TRIAL_NODES / 2..=2 * TRIAL_NODES).contains(&made) {
        return Ok(Some((LimitSupport::Yes, NodeReports::Whole)));
    }
    let why = format!("it searched {made} nodes, expected {TRIAL_NODES}");
    let (Some(reached), true, LimitSupport::Yes) = (found.depth, made < TRIAL_NODES, depth) else {
        return Ok(Some((LimitSupport::No(why), NodeReports::Whole)));
    };
    // Few nodes were reported. If they are those of finished depths, the next depth needs more than
    // the rest of the limit, and finishes under a limit that is large enough.
    let next = Limit { depth: Some(reached.saturating_add(1)), nodes: None };
    let whole = match search_with_patience(launch, next, stop)?.1 {
        Attempt::Stopped => return Ok(None),
        Attempt::Answer(found) => found.nodes.unwrap_or(0),
        Attempt::Overran(_) => 0,
    };
    if whole < TRIAL_NODES {
        let why = format!("{why}, and its next depth takes {whole} nodes");
        return Ok(Some((LimitSupport::No(why), NodeReports::Whole)));
    }
    match search_with_patience(launch, by_nodes(2 * whole), stop)?.1 {
        Attempt::Stopped => Ok(None),
        Attempt::Answer(found) if found.depth > Some(reached) && found.nodes <= Some(4 * whole) => {
            Ok(Some((LimitSupport::Yes, NodeReports::Depths)))
        }
        _ => {
            let why = format!("{why}, and no deeper with a limit of {} nodes", 2 * whole);
            Ok(Some((LimitSupport::No(why), NodeReports::Whole)))
        }
    }
}

/// The outcome of a search of the initial position.
enum Attempt {
    Answer(UciReport),
    /// It did not end by itself; what was observed.
    Overran(String),
    Stopped,
}

/// Searches the initial position in a new process: with the short timeout, and again with the long
/// one if the engine had not exceeded the limit by then.
fn search_with_patience(
    launch: &Launch,
    limit: Limit,
    stop: &AtomicBool,
) -> Result<(EngineIdentity, Attempt), Failure> {
    let (identity, found, beyond) = attempt(launch, limit, SHORT_TIMEOUT, stop)?;
    match found {
        Attempt::Overran(_) if !beyond => {
            attempt(launch, limit, LONG_TIMEOUT, stop).map(|(_, found, _)| (identity, found))
        }
        found => Ok((identity, found)),
    }
}

/// One such search; the flag says whether it had exceeded its limit when it was stopped.
fn attempt(
    launch: &Launch,
    limit: Limit,
    patience: Duration,
    stop: &AtomicBool,
) -> Result<(EngineIdentity, Attempt, bool), Failure> {
    let mut engine = Uci::new(launch.clone());
    engine.start()?;
    engine.set_timeout(patience);
    let identity = engine.identity().clone();
    match search_new_game(&mut engine, &Board::startpos(), limit, stop) {
        Ok(found) => {
            engine.quit();
            Ok((identity, found.map_or(Attempt::Stopped, Attempt::Answer), false))
        }
        Err(Failure { fault: EngineFault::LimitIgnored(waited) | EngineFault::NoAnswer(waited), .. }) => {
            let (depth, nodes) = engine.progress();
            let beyond = limit.depth.is_some_and(|maximum| depth > Some(maximum))
                || limit.nodes.is_some_and(|maximum| nodes > Some(2 * maximum));
            Ok((identity, Attempt::Overran(describe_overrun(waited, limit, depth, nodes, beyond)), beyond))
        }
        Err(failure) => Err(failure),
    }
}

/// Describes a search that did not end at its limit.
fn describe_overrun(waited: Duration, limit: Limit, depth: Option<u8>, nodes: Option<u64>, beyond: bool) -> String {
    let seconds = waited.as_secs_f64();
    if !beyond {
        return format!("it did not answer within {seconds:.0} s");
    }
    let reached = match (limit.depth, depth, nodes) {
        (Some(maximum), Some(depth), _) => format!(" to depth {depth} (limit {maximum})"),
        (None, _, Some(nodes)) => format!(" to {nodes} nodes (limit {})", limit.nodes.unwrap_or(0)),
        _ => String::new(),
    };
    format!("it searched for {seconds:.0} s{reached} and had to be stopped")
}

/// Searches that should be equal, and how they differ.
#[derive(Default)]
struct Comparison {
    /// The spread of node counts over all searches of a position, and over those in new processes.
    spread: f64,
    spread_fresh: f64,
    /// The first difference between a search after others and one in a new process, and between two
    /// in new processes.
    after_others: Option<String>,
    between_fresh: Option<String>,
    /// Whether a search reported no nodes.
    missing_nodes: bool,
}

impl Comparison {
    /// Searches each position in a new process, again after the others, and in another new process;
    /// one process at a time, since two might not fit into memory. Returns the depth that all
    /// reached, if they reported one; the outer `None` if `stop` was set.
    fn search(
        &mut self,
        launch: &Launch,
        boards: &[Board],
        limit: Limit,
        stop: &AtomicBool,
    ) -> Result<Option<Option<u8>>, Failure> {
        let mut depths = Vec::new();
        for (index, board) in boards.iter().enumerate() {
            let others = boards.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other);
            let searches: Vec<&Board> = std::iter::once(board).chain(others).chain([board]).collect();
            let mut found = Vec::new();
            for searches in [&searches[..], &[board]] {
                let mut engine = Uci::new(Launch { restart: Restart::Experiment, ..launch.clone() });
                engine.start()?;
                for board in searches {
                    let Some(answer) = search_new_game(&mut engine, board, limit, stop)? else { return Ok(None) };
                    found.push(answer);
                }
                engine.quit();
            }
            let (first, repeated, new) = (&found[0], &found[searches.len() - 1], &found[searches.len()]);
            let counts = [first, repeated, new].map(|answer| answer.nodes.unwrap_or(0));
            self.missing_nodes |= [first, repeated, new].iter().any(|answer| answer.nodes.is_none());
            self.spread = spread(&counts).max(self.spread);
            self.spread_fresh = spread(&[counts[0], counts[2]]).max(self.spread_fresh);
            self.after_others = self.after_others.take().or_else(|| difference(first, repeated));
            self.between_fresh = self.between_fresh.take().or_else(|| difference(first, new));
            // The depth before the last is certainly finished.
            depths.push(first.earlier_depths.last().map_or(first.depth, |earlier| Some(earlier.depth)));
        }
        Ok(Some(depths.into_iter().min().flatten()))
    }

    /// The result, given how long a process is kept.
    fn into_result(self, restart: Restart, trial: ProbeResult) -> ProbeResult {
        let forgets = self.after_others.is_none() || self.between_fresh.is_some();
        let (spread, difference) = match restart {
            Restart::Experiment => (self.spread, self.between_fresh.or(self.after_others)),
            Restart::Game | Restart::Search => (self.spread_fresh, self.between_fresh),
        };
        let repeats = match spread {
            _ if self.missing_nodes => Repeatability::NotRepeatable,
            0.0 if difference.is_some() => Repeatability::SameNodes,
            0.0 => Repeatability::Exact,
            spread if spread <= MAX_SPREAD => Repeatability::Within(spread),
            _ => Repeatability::NotRepeatable,
        };
        let reports = if self.missing_nodes { NodeReports::Never } else { trial.node_reports };
        ProbeResult { repeatability: repeats, resets_on_new_game: forgets, difference, node_reports: reports, ..trial }
    }
}

/// The first difference between two searches that should be equal. A depth reported by only one of
/// them is no difference: some engines report depths by the clock.
fn difference(one: &UciReport, other: &UciReport) -> Option<String> {
    let mut before = 0;
    for earlier in &one.earlier_depths {
        let Some(same) = other.earlier_depths.iter().find(|same| same.depth == earlier.depth) else { continue };
        let message = (earlier.nodes, earlier.score, &earlier.pv);
        if message != (same.nodes, same.score, &same.pv) {
            let line = |depth_report: &super::DepthReport| {
                format!("{} nodes, score {}, {}", depth_report.nodes, depth_report.score, join_moves(&depth_report.pv))
            };
            return Some(format!("at depth {}: {}, then {}", earlier.depth, line(earlier), line(same)));
        }
        before = earlier.depth;
    }
    let parts: [(&str, [String; 2]); 5] = [
        (
            "depth",
            [one, other].map(|depth_report| depth_report.depth.map(|depth| depth.to_string()).unwrap_or_default()),
        ),
        (
            "nodes",
            [one, other].map(|depth_report| depth_report.nodes.map(|nodes| nodes.to_string()).unwrap_or_default()),
        ),
        (
            "score",
            [one, other].map(|depth_report| depth_report.score.map(|score| score.to_string()).unwrap_or_default()),
        ),
        ("move", [one, other].map(|depth_report| depth_report.best.to_string())),
        ("variation", [one, other].map(|depth_report| join_moves(&depth_report.pv))),
    ];
    let (name, [first, second]) = parts.into_iter().find(|(_, [first, second])| first != second)?;
    let since = if before > 0 { format!(" after depth {before}") } else { String::new() };
    Some(format!("{name} {first}, then {second}{since}"))
}

fn join_moves(moves: &[crate::chess::Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// By what share the maximum exceeds the minimum.
fn spread(counts: &[u64]) -> f64 {
    match (counts.iter().min(), counts.iter().max()) {
        (Some(least), Some(maximum)) if maximum > least => *maximum as f64 / (*least).max(1) as f64 - 1.0,
        _ => 0.0,
    }
}

/// One search at the start of a new game; `None` if it was stopped.
fn search_new_game(
    engine: &mut Uci,
    board: &Board,
    limit: Limit,
    stop: &AtomicBool,
) -> Result<Option<UciReport>, Failure> {
    engine.new_game()?;
    let mut found = None;
    let ended = engine.search(Position::from_board(board), limit, stop, &mut |message| {
        if let SearchEvent::Report(reported) = message {
            found = Some(reported.clone());
        }
    })?;
    Ok(if ended == SearchEnd::Stopped { None } else { found })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
        let join_moves = [
            Repeatability::Exact,
            Repeatability::SameNodes,
            Repeatability::Within(0.0501),
            Repeatability::Within(0.1),
            Repeatability::Within(0.0001),
            Repeatability::NotRepeatable,
        ];
        let shown =
            ["exact", "same nodes, other answers", "within 5.1 %", "within 10.0 %", "within 0.1 %", "not repeatable"];
        assert_eq!(join_moves.map(|word| word.to_string()), shown);
    }

    /// An engine beyond the limit when stopped ignored it; otherwise only the time is known.
    #[test]
    fn overrun_states_depth_or_nodes_reached() {
        let waited = Duration::from_millis(5400);
        let (deep, many) = (Limit { depth: Some(4), nodes: None }, Limit { depth: None, nodes: Some(20_000) });
        for (limit, depth, nodes, beyond, message) in [
            (deep, Some(9), Some(7), true, "it searched for 5 s to depth 9 (limit 4) and had to be stopped"),
            (
                many,
                Some(9),
                Some(70_000),
                true,
                "it searched for 5 s to 70000 nodes (limit 20000) and had to be stopped",
            ),
            (many, Some(9), Some(7), false, "it did not answer within 5 s"),
            (deep, None, None, false, "it did not answer within 5 s"),
        ] {
            assert_eq!(describe_overrun(waited, limit, depth, nodes, beyond), message);
        }
    }

    /// Every part that must be equal in two searches; a depth that one of them does not report is
    /// no difference.
    #[test]
    fn difference_covers_every_reported_part() {
        let start = Board::startpos();
        let mv = |word: &str| crate::chess::parse_move(&start, word).unwrap();
        let earlier = |depth, nodes, score, word: &str| super::super::DepthReport {
            depth,
            score,
            pv: vec![mv(word)],
            nodes,
            hashfull: None,
            milliseconds: None,
            elapsed: Duration::ZERO,
        };
        let one = UciReport {
            depth: Some(3),
            score: Some(31),
            best: mv("e2e4"),
            pv: vec![mv("e2e4")],
            nodes: Some(900),
            earlier_depths: vec![earlier(1, 20, 5, "a2a3"), earlier(2, 100, 7, "b2b3")],
            ..UciReport::default()
        };
        assert_eq!(difference(&one, &one), None);
        let clock = UciReport { hashfull: Some(3), milliseconds: Some(9), ..one.clone() };
        assert_eq!(difference(&one, &clock), None, "the clock and hashfull are no answers");
        let with = |change: fn(&mut UciReport)| {
            let mut other = one.clone();
            change(&mut other);
            difference(&one, &other)
        };
        assert_eq!(with(|it| drop(it.earlier_depths.remove(1))), None);
        for (change, message) in [
            ((|it| it.depth = Some(4)) as fn(&mut UciReport), "depth 3, then 4 after depth 2"),
            (|it| it.nodes = Some(901), "nodes 900, then 901 after depth 2"),
            (|it| it.nodes = None, "nodes 900, then  after depth 2"),
            (|it| it.score = Some(30), "score 31, then 30 after depth 2"),
            (|it| it.best = it.earlier_depths[0].pv[0], "move e2e4, then a2a3 after depth 2"),
            (|it| it.pv.clear(), "variation e2e4, then  after depth 2"),
            (
                |it| it.earlier_depths[1].nodes = 101,
                "at depth 2: 100 nodes, score 7, b2b3, then 101 nodes, score 7, b2b3",
            ),
            (|it| it.earlier_depths[0].score = 6, "at depth 1: 20 nodes, score 5, a2a3, then 20 nodes, score 6, a2a3"),
            (
                |it| it.earlier_depths[0].pv = it.pv.clone(),
                "at depth 1: 20 nodes, score 5, a2a3, then 20 nodes, score 5, e2e4",
            ),
        ] {
            assert_eq!(with(change).as_deref(), Some(message));
        }
        let bare = |score| UciReport { score: Some(score), ..UciReport::default() };
        assert_eq!(difference(&bare(1), &bare(2)).as_deref(), Some("score 1, then 2"));
    }

    /// The result for an engine scripted in shell: `n` is the number of the search in its process.
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

    /// Limits at their edges, spreads at and just above the maximum, and node counts that change
    /// with the age of the process.
    #[test]
    fn trial_judges_limits_and_spread() {
        let (deep, many) = (Limit { depth: Some(3), nodes: None }, Limit { depth: None, nodes: Some(500) });
        let (game, all) = (Restart::Game, Restart::Experiment);
        let text = |probed: &ProbeResult| {
            (probed.repeatability, probed.resets_on_new_game, probed.depth.clone(), probed.nodes.clone())
        };
        let no = |why: &str| LimitSupport::No(why.to_owned());
        let yes = LimitSupport::Yes;
        for (answers, restart, limit, expected) in [
            // Both edges are respected: half the nodes, and twice as many.
            ("echo info depth $d nodes 10000", all, deep, (Repeatability::Exact, true, yes.clone(), yes.clone())),
            ("echo info depth $d nodes 40000", all, many, (Repeatability::Exact, true, yes.clone(), yes.clone())),
            (
                "echo info depth $d nodes 40001",
                all,
                deep,
                (Repeatability::Exact, true, yes.clone(), no("it searched 40001 nodes, expected 20000")),
            ),
            (
                "echo info depth $d nodes 9999",
                all,
                many,
                (Repeatability::NotRepeatable, true, yes.clone(), no("it searched 9999 nodes, expected 20000")),
            ),
            (
                "echo info depth 5 nodes 20000",
                all,
                many,
                (Repeatability::Exact, true, no("it searched to depth 5, expected 4"), yes.clone()),
            ),
            (
                "echo info nodes 20000",
                all,
                deep,
                (Repeatability::NotRepeatable, true, no("it reports no depth"), yes.clone()),
            ),
            (
                "echo info depth 4",
                all,
                deep,
                (Repeatability::NotRepeatable, true, yes.clone(), no("it reports no nodes")),
            ),
            // The second search of a process counts more nodes: within the spread, above it, and
            // irrelevant where each game has its own process.
            (
                "echo info depth $d nodes $((19500 + n * 500))",
                all,
                deep,
                (Repeatability::Within(0.05), false, yes.clone(), yes.clone()),
            ),
            (
                "echo info depth $d nodes $((17000 + n * 3000))",
                all,
                deep,
                (Repeatability::NotRepeatable, false, yes.clone(), yes.clone()),
            ),
            (
                "echo info depth $d nodes $((17000 + n * 3000))",
                game,
                deep,
                (Repeatability::Exact, false, yes.clone(), yes.clone()),
            ),
            // A difference in one position counts, whatever the next one shows; so do missing nodes
            // in one position.
            (
                "case \"$p $d\" in */pppppppp/*\\ 3) echo info depth 3;; *) echo info depth $d nodes 20000;; esac",
                all,
                deep,
                (Repeatability::NotRepeatable, true, yes.clone(), yes.clone()),
            ),
            (
                "case $p in */1ppp*) k=0;; *) k=1;; esac; echo info depth $d nodes $((19500 + k * n * 500))",
                all,
                deep,
                (Repeatability::Within(0.05), false, yes.clone(), yes.clone()),
            ),
        ] {
            let probed = probe_script(answers, restart, limit, false).unwrap();
            let (repeats, expected_repeats) = (probed.repeatability, expected.0);
            if let (Repeatability::Within(spread), Repeatability::Within(required)) = (repeats, expected_repeats) {
                assert!((spread - required).abs() < 1e-9, "{answers}");
            } else {
                assert_eq!(repeats, expected_repeats, "{answers} {restart:?}");
            }
            assert_eq!(
                (text(&probed).1, text(&probed).2, text(&probed).3),
                (expected.1, expected.2, expected.3),
                "{answers} {restart:?}"
            );
            assert_eq!(probed.identity.name, "Probe");
        }
        assert_eq!(probe_script("echo info depth $d nodes 20000", all, deep, true), None);
    }

    /// The n-th search of a process has the same nodes and another score, move, variation or depth
    /// line; under a node limit the work is also tried by depth.
    #[test]
    fn same_nodes_with_other_answers_is_not_exact() {
        let (deep, many) = (Limit { depth: Some(3), nodes: None }, Limit { depth: None, nodes: Some(500) });
        let text = "info depth ${d##* } score cp 1 nodes 20000 pv e2e4";
        for (answers, limit, repeats) in [
            (format!("echo {text}"), deep, Repeatability::Exact),
            (format!("echo {text} | sed \"s/cp 1/cp $n/\""), deep, Repeatability::SameNodes),
            (format!("echo {text} e7e$((n / 2 + 5))"), deep, Repeatability::SameNodes),
            (format!("echo info depth 1 score cp 1 nodes $n pv a2a3; echo {text}"), deep, Repeatability::SameNodes),
            ("echo info depth 3 score cp 1 nodes 20000 pv e2e4".to_owned(), many, Repeatability::Exact),
            // Nothing differs under the node limit, but node counts differ by depth.
            (
                "case $d in go*) echo info depth 3 score cp 1 nodes 20000 pv e2e4;; *) echo info depth $d score cp 1 nodes $((19500 + n * 500)) pv e2e4;; esac"
                    .to_owned(),
                many,
                Repeatability::Within(0.05),
            ),
        ] {
            let probed = probe_script(&answers, Restart::Experiment, limit, false).unwrap();
            let same = match (probed.repeatability, repeats) {
                (Repeatability::Within(spread), Repeatability::Within(required)) => (spread - required).abs() < 1e-9,
                (found, required) => found == required,
            };
            assert!(same, "{answers}: {probed:?}");
            assert_eq!(probed.resets_on_new_game, repeats == Repeatability::Exact, "{answers}");
            assert_eq!(probed.difference.is_some(), repeats != Repeatability::Exact, "{answers}");
            let anew = probe_script(&answers, Restart::Game, limit, false).unwrap();
            assert_eq!((anew.repeatability, anew.difference), (Repeatability::Exact, None), "{answers}");
        }
    }

    /// Nodes reported at the end of each depth: 100 for the first, and three times as many for each
    /// further one. The limit is respected if the next depth does not fit and a larger limit
    /// reaches it; it is not if the next depth would have fitted, or no limit reaches it.
    #[test]
    fn node_limit_is_recognised_from_reports_by_depth() {
        let deep = Limit { depth: Some(3), nodes: None };
        let ends = "k=100; e=1; while [ $((3 * k)) -le $MOST ] && [ $e -lt $DEEP ]; do k=$((3 * k)); e=$((e + 1)); done; echo info depth $e nodes $k";
        let by = |maximum: &str| {
            let nodes = ends.replace("$MOST", maximum).replace("$DEEP", "99");
            let depth = ends.replace("$MOST", "99999999").replace("$DEEP", "$d");
            format!("case $d in go*) {nodes};; *) {depth};; esac")
        };
        let message = |maximum: &str| {
            let probed = probe_script(&by(maximum), Restart::Experiment, deep, false).unwrap();
            (probed.nodes, probed.node_reports)
        };
        // 100, 300, 900, 2700, 8100, 24300: within 20,000 the fifth ends with 8100.
        assert_eq!(message("$m"), (LimitSupport::Yes, NodeReports::Depths));
        let no = |why: &str| (LimitSupport::No(format!("it searched {why}")), NodeReports::Whole);
        assert_eq!(message("1000"), no("900 nodes, expected 20000, and its next depth takes 2700 nodes"));
        assert_eq!(message("9000"), no("8100 nodes, expected 20000, and no deeper with a limit of 48600 nodes"));
    }

    /// Node counts differ in every process: whether a new game resets it cannot be observed, and is
    /// assumed.
    #[test]
    fn engine_that_never_repeats_is_assumed_to_reset() {
        let limit = Limit { depth: Some(3), nodes: None };
        let probed =
            probe_script("echo info depth $d nodes $(($$ * 1000 + n))", Restart::Experiment, limit, false).unwrap();
        assert!(probed.resets_on_new_game, "{:?}", probed.repeatability);
        assert!(probed.repeatability != Repeatability::Exact, "{:?}", probed.repeatability);
    }
}
