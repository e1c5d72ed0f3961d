//! Is an engine what an experiment takes it for? Tried before the run: does the same search say the same, after others in one process and in the next,
//! and does the engine heed `go depth` and `go nodes`?

use super::{
    EngineFault, EngineIdentity, Failure, Launch, Position, Restart, SearchEnd, SearchEvent, Subject, Uci, UciReport,
};
use crate::chess::Board;
use crate::engine::Limit;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How an engine's searches repeat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Repeatability {
    /// The same search said the same each time: nodes, score, move, variation and depths.
    Exact,
    /// It took the same nodes each time, and said something else.
    Counts,
    /// The most is above the least by this share at most, on every position that was tried.
    Within(f64),
    /// They are further apart than `APART`, or none were reported.
    Not,
}

/// Counts further apart than this do not repeat.
pub const APART: f64 = 0.1;

/// Whether a limit is heeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitSupport {
    /// It is.
    Yes,
    /// It is not: what was seen instead.
    No(String),
}

/// When an engine tells its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeReports {
    /// Up to the end of a search.
    Whole,
    /// When a depth ends: what it searches after that is not told.
    Depths,
    /// Never, or no number that can be one.
    Never,
}

/// What a trial showed.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    /// What the engine says that it is.
    pub identity: EngineIdentity,
    /// How its searches repeat.
    pub repeats: Repeatability,
    /// Whether a new game is like a new process to it, as far as its answers can tell.
    pub forgets: bool,
    /// The first difference between two searches that should be the same.
    pub difference: Option<String>,
    /// Whether `go depth` is heeded.
    pub depth: LimitSupport,
    /// Whether `go nodes` is heeded.
    pub nodes: LimitSupport,
    /// When it tells its nodes.
    pub reports: NodeReports,
}

impl fmt::Display for Repeatability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Counts => f.write_str("same nodes, other answers"),
            Self::Within(share) => write!(f, "within {:.1} %", (1000.0 * share).ceil() / 10.0),
            Self::Not => f.write_str("not repeatable"),
        }
    }
}

/// The searches that try the limits.
const DEPTH: u8 = 4;
const NODES: u64 = 20_000;

/// What they may take: engines that are beyond a limit by then do not heed it, and slow ones get more.
const SHORT: Duration = Duration::from_secs(5);
const LONG: Duration = Duration::from_secs(30);

/// Tries an engine: its limits, then on some positions whether it repeats under the limit of the experiment. None if the run is to end. With `trust` the
/// second is tried under a limit that it does not heed, too.
///
/// # Errors
/// When the engine cannot be started, or fails at the limit although it heeds it.
pub fn probe(
    launch: &Launch,
    boards: &[Board],
    limit: Limit,
    trust: bool,
    stop: &AtomicBool,
) -> Result<Option<ProbeResult>, Failure> {
    match limits(launch, stop)? {
        Some(trial) if trust || trial.heeds(limit) => repeat(launch, boards, limit, trial, stop),
        trial => Ok(trial),
    }
}

impl ProbeResult {
    /// Whether it heeds all parts of a limit.
    pub fn heeds(&self, limit: Limit) -> bool {
        let parts = [(limit.depth.is_some(), &self.depth), (limit.nodes.is_some(), &self.nodes)];
        parts.into_iter().all(|(required, honours)| !required || *honours == LimitSupport::Yes)
    }
}

/// Tries what an engine says that it is, and its limits; nothing of how it repeats. None if the run is to end.
///
/// # Errors
/// When the engine cannot be started, or fails.
pub fn limits(launch: &Launch, stop: &AtomicBool) -> Result<Option<ProbeResult>, Failure> {
    let Some((identity, depth)) = try_depth(launch, stop)? else { return Ok(None) };
    let Some((nodes, reports)) = try_nodes(launch, &depth, stop)? else { return Ok(None) };
    let repeats = Repeatability::Not;
    Ok(Some(ProbeResult { identity, repeats, forgets: true, difference: None, depth, nodes, reports }))
}

/// Tries whether an engine repeats under a limit, to go with what is known of its limits. None if the run is to end.
///
/// # Errors
/// When the engine fails.
pub fn repeat(
    launch: &Launch,
    boards: &[Board],
    limit: Limit,
    trial: ProbeResult,
    stop: &AtomicBool,
) -> Result<Option<ProbeResult>, Failure> {
    let mut seen = Comparison::default();
    let Some(deepest) = seen.search(launch, boards, limit, stop)? else { return Ok(None) };
    // Nodes that are a limit are the same whatever else is not: so the same work once more, limited by its depth.
    if let (Some(_), Some(deepest @ 1..), LimitSupport::Yes) = (limit.nodes, deepest, &trial.depth) {
        let to_depth = Limit { depth: Some(deepest), nodes: None };
        if seen.search(launch, boards, to_depth, stop)?.is_none() {
            return Ok(None);
        }
    }
    Ok(Some(seen.judge(launch.restart, trial)))
}

/// Who the engine is, and whether it heeds `go depth`. None if the run is to end.
fn try_depth(launch: &Launch, stop: &AtomicBool) -> Result<Option<(EngineIdentity, LimitSupport)>, Failure> {
    let limit = Limit { depth: Some(DEPTH), nodes: None };
    let (identity, found) = match patient(launch, limit, stop)? {
        (_, Patient::Stopped) => return Ok(None),
        (identity, Patient::Unheeded(why)) => return Ok(Some((identity, LimitSupport::No(why)))),
        (identity, Patient::Answer(found)) => (identity, found),
    };
    let honours = match found.depth {
        Some(DEPTH) => LimitSupport::Yes,
        Some(depth) => LimitSupport::No(format!("it went to depth {depth} when asked for {DEPTH}")),
        None => LimitSupport::No("it names no depth".to_owned()),
    };
    Ok(Some((identity, honours)))
}

/// Whether the engine heeds `go nodes`, and when it tells its nodes. None if the run is to end.
fn try_nodes(
    launch: &Launch,
    depth: &LimitSupport,
    stop: &AtomicBool,
) -> Result<Option<(LimitSupport, NodeReports)>, Failure> {
    let by_nodes = |nodes| Limit { depth: None, nodes: Some(nodes) };
    let found = match patient(launch, by_nodes(NODES), stop)?.1 {
        Patient::Stopped => return Ok(None),
        Patient::Unheeded(why) => return Ok(Some((LimitSupport::No(why), NodeReports::Whole))),
        Patient::Answer(found) => found,
    };
    let Some(made) = found.nodes else {
        return Ok(Some((LimitSupport::No("it names no nodes".to_owned()), NodeReports::Never)));
    };
    if (NODES / 2..=2 * NODES).contains(&made) {
        return Ok(Some((LimitSupport::Yes, NodeReports::Whole)));
    }
    let why = format!("it made {made} when asked for {NODES}");
    let (Some(reached), true, LimitSupport::Yes) = (found.depth, made < NODES, depth) else {
        return Ok(Some((LimitSupport::No(why), NodeReports::Whole)));
    };
    // Few nodes were told. If they are those of the depths that ended, the next depth takes more than the limit left for it, and ends under a limit that is
    // large enough.
    let next = Limit { depth: Some(reached.saturating_add(1)), nodes: None };
    let whole = match patient(launch, next, stop)?.1 {
        Patient::Stopped => return Ok(None),
        Patient::Answer(found) => found.nodes.unwrap_or(0),
        Patient::Unheeded(_) => 0,
    };
    if whole < NODES {
        let why = format!("{why}, and its next depth takes {whole}");
        return Ok(Some((LimitSupport::No(why), NodeReports::Whole)));
    }
    match patient(launch, by_nodes(2 * whole), stop)?.1 {
        Patient::Stopped => Ok(None),
        Patient::Answer(found) if found.depth > Some(reached) && found.nodes <= Some(4 * whole) => {
            Ok(Some((LimitSupport::Yes, NodeReports::Depths)))
        }
        _ => {
            let why = format!("{why}, and went no deeper when asked for {}", 2 * whole);
            Ok(Some((LimitSupport::No(why), NodeReports::Whole)))
        }
    }
}

/// What came of a search of the initial position.
enum Patient {
    Answer(UciReport),
    /// It did not end by itself: what was seen.
    Unheeded(String),
    Stopped,
}

/// Searches the initial position in a process of its own: for a short time, and once more for a long one where the engine was not beyond the limit by then.
fn patient(launch: &Launch, limit: Limit, stop: &AtomicBool) -> Result<(EngineIdentity, Patient), Failure> {
    let (identity, found, beyond) = attempt(launch, limit, SHORT, stop)?;
    match found {
        Patient::Unheeded(_) if !beyond => attempt(launch, limit, LONG, stop).map(|(_, found, _)| (identity, found)),
        found => Ok((identity, found)),
    }
}

/// One such search; whether it was beyond its limit when it was stopped.
fn attempt(
    launch: &Launch,
    limit: Limit,
    patience: Duration,
    stop: &AtomicBool,
) -> Result<(EngineIdentity, Patient, bool), Failure> {
    let mut engine = Uci::new(launch.clone());
    engine.start()?;
    engine.allow(patience);
    let identity = engine.identity().clone();
    match tried(&mut engine, &Board::startpos(), limit, stop) {
        Ok(found) => {
            engine.end();
            Ok((identity, found.map_or(Patient::Stopped, Patient::Answer), false))
        }
        Err(Failure { fault: EngineFault::Unheeded(waited) | EngineFault::Silent(waited), .. }) => {
            let (depth, nodes) = engine.progress();
            let beyond = limit.depth.is_some_and(|most| depth > Some(most))
                || limit.nodes.is_some_and(|most| nodes > Some(2 * most));
            Ok((identity, Patient::Unheeded(overrun(waited, limit, depth, nodes, beyond)), beyond))
        }
        Err(failure) => Err(failure),
    }
}

/// What an engine did that did not end at its limit.
fn overrun(waited: Duration, limit: Limit, depth: Option<u8>, nodes: Option<u64>, beyond: bool) -> String {
    let seconds = waited.as_secs_f64();
    if !beyond {
        return format!("it gave no answer within {seconds:.0} s");
    }
    let reached = match (limit.depth, depth, nodes) {
        (Some(most), Some(depth), _) => format!(", to depth {depth} when asked for {most},"),
        (None, _, Some(nodes)) => format!(", to {nodes} nodes when asked for {},", limit.nodes.unwrap_or(0)),
        _ => String::new(),
    };
    format!("it searched on for {seconds:.0} s{reached} and had to be stopped")
}

/// Searches that should be the same, and how they differ.
#[derive(Default)]
struct Comparison {
    /// By what share nodes are apart, of all searches of a position, and of those in new processes.
    apart: f64,
    apart_fresh: f64,
    /// The first difference between a search after others and one in a new process; and between two in new processes.
    after_others: Option<String>,
    fresh: Option<String>,
    /// Whether a search told no nodes.
    silent: bool,
}

impl Comparison {
    /// Searches each position in a new process, again after the others, and in another new process; one process at a time, since two might not fit into
    /// memory. The depth that all reached, if they told one; the outer none if the run is to end.
    fn search(
        &mut self,
        launch: &Launch,
        boards: &[Board],
        limit: Limit,
        stop: &AtomicBool,
    ) -> Result<Option<Option<u8>>, Failure> {
        let mut depths = Vec::new();
        for (at, board) in boards.iter().enumerate() {
            let others = boards.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
            let searches: Vec<&Board> = std::iter::once(board).chain(others).chain([board]).collect();
            let mut found = Vec::new();
            for searches in [&searches[..], &[board]] {
                let mut engine = Uci::new(Launch { restart: Restart::Experiment, ..launch.clone() });
                engine.start()?;
                for board in searches {
                    let Some(answer) = tried(&mut engine, board, limit, stop)? else { return Ok(None) };
                    found.push(answer);
                }
                engine.end();
            }
            let (first, again, new) = (&found[0], &found[searches.len() - 1], &found[searches.len()]);
            let counts = [first, again, new].map(|answer| answer.nodes.unwrap_or(0));
            self.silent |= [first, again, new].iter().any(|answer| answer.nodes.is_none());
            self.apart = share(&counts).max(self.apart);
            self.apart_fresh = share(&[counts[0], counts[2]]).max(self.apart_fresh);
            self.after_others = self.after_others.take().or_else(|| difference(first, again));
            self.fresh = self.fresh.take().or_else(|| difference(first, new));
            // The depth before the last was finished for sure.
            depths.push(first.earlier.last().map_or(first.depth, |earlier| Some(earlier.depth)));
        }
        Ok(Some(depths.into_iter().min().flatten()))
    }

    /// What it comes to where a process is kept for so long.
    fn judge(self, restart: Restart, trial: ProbeResult) -> ProbeResult {
        let forgets = self.after_others.is_none() || self.fresh.is_some();
        let (apart, difference) = match restart {
            Restart::Experiment => (self.apart, self.fresh.or(self.after_others)),
            Restart::Game | Restart::Search => (self.apart_fresh, self.fresh),
        };
        let repeats = match apart {
            _ if self.silent => Repeatability::Not,
            0.0 if difference.is_some() => Repeatability::Counts,
            0.0 => Repeatability::Exact,
            share if share <= APART => Repeatability::Within(share),
            _ => Repeatability::Not,
        };
        let reports = if self.silent { NodeReports::Never } else { trial.reports };
        ProbeResult { repeats, forgets, difference, reports, ..trial }
    }
}

/// What two searches that should be the same say otherwise, if anything. A depth that only one of them told is no difference: some engines tell by the
/// clock which depths they tell.
fn difference(one: &UciReport, other: &UciReport) -> Option<String> {
    let mut before = 0;
    for earlier in &one.earlier {
        let Some(same) = other.earlier.iter().find(|same| same.depth == earlier.depth) else { continue };
        let message = (earlier.nodes, earlier.score, &earlier.pv);
        if message != (same.nodes, same.score, &same.pv) {
            let line = |of: &super::Earlier| format!("{} nodes, score {}, {}", of.nodes, of.score, words(&of.pv));
            return Some(format!("at depth {}: {}, then {}", earlier.depth, line(earlier), line(same)));
        }
        before = earlier.depth;
    }
    let parts: [(&str, [String; 2]); 5] = [
        ("depth", [one, other].map(|of| of.depth.map(|depth| depth.to_string()).unwrap_or_default())),
        ("nodes", [one, other].map(|of| of.nodes.map(|nodes| nodes.to_string()).unwrap_or_default())),
        ("score", [one, other].map(|of| of.score.map(|score| score.to_string()).unwrap_or_default())),
        ("move", [one, other].map(|of| of.best.to_string())),
        ("variation", [one, other].map(|of| words(&of.pv))),
    ];
    let (name, [first, second]) = parts.into_iter().find(|(_, [first, second])| first != second)?;
    let since = if before > 0 { format!(" after depth {before}") } else { String::new() };
    Some(format!("{name} {first}, then {second}{since}"))
}

fn words(moves: &[crate::chess::Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// By what share the most is above the least.
fn share(counts: &[u64]) -> f64 {
    match (counts.iter().min(), counts.iter().max()) {
        (Some(least), Some(most)) if most > least => *most as f64 / (*least).max(1) as f64 - 1.0,
        _ => 0.0,
    }
}

/// One search as of a new game.
fn tried(engine: &mut Uci, board: &Board, limit: Limit, stop: &AtomicBool) -> Result<Option<UciReport>, Failure> {
    engine.new_game()?;
    let mut found = None;
    let ended = engine.search(Position::alone(board), limit, stop, &mut |message| {
        if let SearchEvent::UciReport(reported) = message {
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
    fn how_far_counts_are_apart_is_told_by_the_least() {
        for (counts, apart) in [
            (&[][..], 0.0),
            (&[7], 0.0),
            (&[5, 5, 5], 0.0),
            (&[110, 100, 105], 0.1),
            (&[0, 0], 0.0),
            (&[0, 3], 2.0),
            (&[100, 250], 1.5),
        ] {
            assert!((share(counts) - apart).abs() < 1e-12, "{counts:?}");
        }
        let words = [
            Repeatability::Exact,
            Repeatability::Counts,
            Repeatability::Within(0.0501),
            Repeatability::Within(0.1),
            Repeatability::Within(0.0001),
            Repeatability::Not,
        ];
        let shown =
            ["exact", "same nodes, other answers", "within 5.1 %", "within 10.0 %", "within 0.1 %", "not repeatable"];
        assert_eq!(words.map(|word| word.to_string()), shown);
    }

    /// Who was beyond the limit when it was stopped did not heed it; of who was not, nothing is known but the time.
    #[test]
    fn an_overrun_is_told_by_what_was_reached() {
        let waited = Duration::from_millis(5400);
        let (deep, many) = (Limit { depth: Some(4), nodes: None }, Limit { depth: None, nodes: Some(20_000) });
        for (limit, depth, nodes, beyond, message) in [
            (
                deep,
                Some(9),
                Some(7),
                true,
                "it searched on for 5 s, to depth 9 when asked for 4, and had to be stopped",
            ),
            (
                many,
                Some(9),
                Some(70_000),
                true,
                "it searched on for 5 s, to 70000 nodes when asked for 20000, and had to be stopped",
            ),
            (many, Some(9), Some(7), false, "it gave no answer within 5 s"),
            (deep, None, None, false, "it gave no answer within 5 s"),
        ] {
            assert_eq!(overrun(waited, limit, depth, nodes, beyond), message);
        }
    }

    /// What must be the same in two searches, part by part; a depth that one of them does not tell is no difference.
    #[test]
    fn two_searches_differ_by_all_that_they_say() {
        let start = Board::startpos();
        let mv = |word: &str| crate::chess::named(&start, word).unwrap();
        let earlier = |depth, nodes, score, word: &str| super::super::Earlier {
            depth,
            score,
            pv: vec![mv(word)],
            nodes,
            hashfull: None,
            milliseconds: None,
            at: Duration::ZERO,
        };
        let one = UciReport {
            depth: Some(3),
            score: Some(31),
            best: mv("e2e4"),
            pv: vec![mv("e2e4")],
            nodes: Some(900),
            earlier: vec![earlier(1, 20, 5, "a2a3"), earlier(2, 100, 7, "b2b3")],
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
        assert_eq!(with(|it| drop(it.earlier.remove(1))), None);
        for (change, message) in [
            ((|it| it.depth = Some(4)) as fn(&mut UciReport), "depth 3, then 4 after depth 2"),
            (|it| it.nodes = Some(901), "nodes 900, then 901 after depth 2"),
            (|it| it.nodes = None, "nodes 900, then  after depth 2"),
            (|it| it.score = Some(30), "score 31, then 30 after depth 2"),
            (|it| it.best = it.earlier[0].pv[0], "move e2e4, then a2a3 after depth 2"),
            (|it| it.pv.clear(), "variation e2e4, then  after depth 2"),
            (|it| it.earlier[1].nodes = 101, "at depth 2: 100 nodes, score 7, b2b3, then 101 nodes, score 7, b2b3"),
            (|it| it.earlier[0].score = 6, "at depth 1: 20 nodes, score 5, a2a3, then 20 nodes, score 6, a2a3"),
            (
                |it| it.earlier[0].pv = it.pv.clone(),
                "at depth 1: 20 nodes, score 5, a2a3, then 20 nodes, score 5, e2e4",
            ),
        ] {
            assert_eq!(with(change).as_deref(), Some(message));
        }
        let bare = |score| UciReport { score: Some(score), ..UciReport::default() };
        assert_eq!(difference(&bare(1), &bare(2)).as_deref(), Some("score 1, then 2"));
    }

    /// An engine whose answers are told by a script: what it says of the n-th search of its process is `n`'s.
    fn found(answers: &str, restart: Restart, limit: Limit, stop: bool) -> Option<ProbeResult> {
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
        // The second lacks the a-pawn of Black.
        let other = "rnbqkbnr/1ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let boards = [Board::startpos(), Board::from_fen(other).unwrap()];
        probe(&launch, &boards, limit, false, &AtomicBool::new(stop)).unwrap()
    }

    /// Two limits at their ends, and counts that are as far apart as may be, or a little further; nodes that fall as a process ages.
    #[test]
    fn what_a_trial_shows_is_told_by_its_counts() {
        let (deep, many) = (Limit { depth: Some(3), nodes: None }, Limit { depth: None, nodes: Some(500) });
        let (game, all) = (Restart::Game, Restart::Experiment);
        let text = |probed: &ProbeResult| (probed.repeats, probed.forgets, probed.depth.clone(), probed.nodes.clone());
        let no = |why: &str| LimitSupport::No(why.to_owned());
        let yes = LimitSupport::Yes;
        for (answers, restart, limit, expected) in [
            // Both are heeded to the ends: half the nodes, and twice as many.
            ("echo info depth $d nodes 10000", all, deep, (Repeatability::Exact, true, yes.clone(), yes.clone())),
            ("echo info depth $d nodes 40000", all, many, (Repeatability::Exact, true, yes.clone(), yes.clone())),
            (
                "echo info depth $d nodes 40001",
                all,
                deep,
                (Repeatability::Exact, true, yes.clone(), no("it made 40001 when asked for 20000")),
            ),
            (
                "echo info depth $d nodes 9999",
                all,
                many,
                (Repeatability::Not, true, yes.clone(), no("it made 9999 when asked for 20000")),
            ),
            (
                "echo info depth 5 nodes 20000",
                all,
                many,
                (Repeatability::Exact, true, no("it went to depth 5 when asked for 4"), yes.clone()),
            ),
            ("echo info nodes 20000", all, deep, (Repeatability::Not, true, no("it names no depth"), yes.clone())),
            ("echo info depth 4", all, deep, (Repeatability::Not, true, yes.clone(), no("it names no nodes"))),
            // The second search of a process counts more: within so much, too far, and nothing where each game has a process of its own.
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
                (Repeatability::Not, false, yes.clone(), yes.clone()),
            ),
            (
                "echo info depth $d nodes $((17000 + n * 3000))",
                game,
                deep,
                (Repeatability::Exact, false, yes.clone(), yes.clone()),
            ),
            // What one position shows counts, whatever the next one does; so does what it does not tell of one alone.
            (
                "case \"$p $d\" in */pppppppp/*\\ 3) echo info depth 3;; *) echo info depth $d nodes 20000;; esac",
                all,
                deep,
                (Repeatability::Not, true, yes.clone(), yes.clone()),
            ),
            (
                "case $p in */1ppp*) k=0;; *) k=1;; esac; echo info depth $d nodes $((19500 + k * n * 500))",
                all,
                deep,
                (Repeatability::Within(0.05), false, yes.clone(), yes.clone()),
            ),
        ] {
            let probed = found(answers, restart, limit, false).unwrap();
            let (repeats, expected_repeats) = (probed.repeats, expected.0);
            if let (Repeatability::Within(share), Repeatability::Within(required)) = (repeats, expected_repeats) {
                assert!((share - required).abs() < 1e-9, "{answers}");
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
        assert_eq!(found("echo info depth $d nodes 20000", all, deep, true), None);
    }

    /// The n-th search of a process counts the same and finds another score, move, variation or depth line; under a limit of nodes the work is tried by
    /// its depth, too.
    #[test]
    fn who_counts_the_same_and_answers_otherwise_does_not_repeat() {
        let (deep, many) = (Limit { depth: Some(3), nodes: None }, Limit { depth: None, nodes: Some(500) });
        let text = "info depth ${d##* } score cp 1 nodes 20000 pv e2e4";
        for (answers, limit, repeats) in [
            (format!("echo {text}"), deep, Repeatability::Exact),
            (format!("echo {text} | sed \"s/cp 1/cp $n/\""), deep, Repeatability::Counts),
            (format!("echo {text} e7e$((n / 2 + 5))"), deep, Repeatability::Counts),
            (format!("echo info depth 1 score cp 1 nodes $n pv a2a3; echo {text}"), deep, Repeatability::Counts),
            ("echo info depth 3 score cp 1 nodes 20000 pv e2e4".to_owned(), many, Repeatability::Exact),
            // Under the limit of nodes nothing shows; by depth the counts do.
            (
                "case $d in go*) echo info depth 3 score cp 1 nodes 20000 pv e2e4;; *) echo info depth $d score cp 1 nodes $((19500 + n * 500)) pv e2e4;; esac"
                    .to_owned(),
                many,
                Repeatability::Within(0.05),
            ),
        ] {
            let probed = found(&answers, Restart::Experiment, limit, false).unwrap();
            let same = match (probed.repeats, repeats) {
                (Repeatability::Within(share), Repeatability::Within(required)) => (share - required).abs() < 1e-9,
                (found, required) => found == required,
            };
            assert!(same, "{answers}: {probed:?}");
            assert_eq!(probed.forgets, repeats == Repeatability::Exact, "{answers}");
            assert_eq!(probed.difference.is_some(), repeats != Repeatability::Exact, "{answers}");
            let anew = found(&answers, Restart::Game, limit, false).unwrap();
            assert_eq!((anew.repeats, anew.difference), (Repeatability::Exact, None), "{answers}");
        }
    }

    /// Nodes that are told when a depth ends: 100 for the first, and three times as many for each one on. The limit is heeded where the next depth does
    /// not fit and a larger limit leads to it; it is not where the next depth would have fitted, or nothing leads to it.
    #[test]
    fn nodes_that_are_told_by_depth_show_that_a_limit_is_heeded() {
        let deep = Limit { depth: Some(3), nodes: None };
        let ends = "k=100; e=1; while [ $((3 * k)) -le $MOST ] && [ $e -lt $DEEP ]; do k=$((3 * k)); e=$((e + 1)); done; echo info depth $e nodes $k";
        let by = |most: &str| {
            let nodes = ends.replace("$MOST", most).replace("$DEEP", "99");
            let depth = ends.replace("$MOST", "99999999").replace("$DEEP", "$d");
            format!("case $d in go*) {nodes};; *) {depth};; esac")
        };
        let message = |most: &str| {
            let probed = found(&by(most), Restart::Experiment, deep, false).unwrap();
            (probed.nodes, probed.reports)
        };
        // 100, 300, 900, 2700, 8100, 24300: within 20,000 the fifth ends with 8100.
        assert_eq!(message("$m"), (LimitSupport::Yes, NodeReports::Depths));
        let no = |why: &str| (LimitSupport::No(format!("it made {why}")), NodeReports::Whole);
        assert_eq!(message("1000"), no("900 when asked for 20000, and its next depth takes 2700"));
        assert_eq!(message("9000"), no("8100 when asked for 20000, and went no deeper when asked for 48600"));
    }

    /// Counts that are another in each process: whether a process forgets cannot be seen, and nothing is said against it.
    #[test]
    fn who_never_repeats_is_not_told_to_remember() {
        let limit = Limit { depth: Some(3), nodes: None };
        let probed = found("echo info depth $d nodes $(($$ * 1000 + n))", Restart::Experiment, limit, false).unwrap();
        assert!(probed.forgets && probed.repeats != Repeatability::Exact, "{:?}", probed.repeats);
    }
}
