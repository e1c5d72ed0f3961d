//! Is an engine what an experiment takes it for? Tried before the run: does the same search give the same nodes, in one process
//! and in the next, and does the engine heed `go depth` and `go nodes`?

use super::{Ended, EngineFault, EngineIdentity, Failure, Launch, Position, Reported, Restart, Subject, Told, Uci};
use crate::chess::Board;
use crate::engine::Limit;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How an engine's counts repeat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Repeatability {
    /// The same search gave the same nodes each time.
    Exact,
    /// The most is above the least by this share at most, on every position that was tried.
    Within(f64),
    /// They are further apart than `APART`, or none were reported.
    Not,
}

/// Counts further apart than this do not repeat.
pub const APART: f64 = 0.1;

/// Whether a limit is heeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Honours {
    /// It is.
    Yes,
    /// It is not: what was seen instead.
    No(String),
}

/// What a trial showed.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialRun {
    /// What the engine says that it is.
    pub identity: EngineIdentity,
    /// How its counts repeat.
    pub repeats: Repeatability,
    /// Whether a new game is like a new process to it, as far as its counts can tell.
    pub forgets: bool,
    /// Whether `go depth` is heeded.
    pub depth: Honours,
    /// Whether `go nodes` is heeded.
    pub nodes: Honours,
}

impl fmt::Display for Repeatability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Within(share) => write!(f, "within {:.1} %", (1000.0 * share).ceil() / 10.0),
            Self::Not => f.write_str("not repeatable"),
        }
    }
}

/// The searches that try the limits.
const DEPTH: u8 = 4;
const NODES: u64 = 20_000;

/// What they may take: engines that do not heed a limit are stopped then.
const SHORT: Duration = Duration::from_secs(5);

/// Tries an engine on some positions under the limit of the experiment. None if the run is to end.
///
/// # Errors
/// When the engine cannot be started, or fails at the limit although it heeds it.
pub fn probe(launch: &Launch, boards: &[Board], limit: Limit, stop: &AtomicBool) -> Result<Option<TrialRun>, Failure> {
    let start = Board::startpos();
    let mut short = Uci::new(Launch { timeout: Some(SHORT), ..launch.clone() });
    short.start()?;
    let identity = short.identity().clone();
    let by_depth = Limit { depth: Some(DEPTH), nodes: None };
    let depth = match tried(&mut short, &start, by_depth, stop) {
        Ok(None) => return Ok(None),
        Ok(Some(found)) if found.depth == Some(DEPTH) => Honours::Yes,
        Ok(Some(found)) => match found.depth {
            Some(depth) => Honours::No(format!("it went to depth {depth} when asked for {DEPTH}")),
            None => Honours::No("it names no depth".to_owned()),
        },
        Err(failure) => Honours::No(unheeded(failure)?),
    };
    let nodes = match tried(&mut short, &start, Limit { depth: None, nodes: Some(NODES) }, stop) {
        Ok(None) => return Ok(None),
        Ok(Some(found)) => match found.nodes {
            Some(nodes) if (NODES / 2..=2 * NODES).contains(&nodes) => Honours::Yes,
            Some(nodes) => Honours::No(format!("it made {nodes} when asked for {NODES}")),
            None => Honours::No("it names no nodes".to_owned()),
        },
        Err(failure) => Honours::No(unheeded(failure)?),
    };
    short.end();
    let unheeded = limit.nodes.is_some() && nodes != Honours::Yes || limit.depth.is_some() && depth != Honours::Yes;
    if unheeded {
        return Ok(Some(TrialRun { identity, repeats: Repeatability::Not, forgets: true, depth, nodes }));
    }
    let (mut apart, mut apart_fresh, mut named) = (0.0, 0.0, true);
    for board in boards {
        // Twice in one process whatever the experiment does, then once in a fresh one; one at a time, since two might not fit into memory.
        let mut counts = Vec::new();
        for searches in [2, 1] {
            let mut engine = Uci::new(Launch { restart: Restart::Experiment, ..launch.clone() });
            engine.start()?;
            for _ in 0..searches {
                let Some(found) = tried(&mut engine, board, limit, stop)? else { return Ok(None) };
                named &= found.nodes.is_some();
                counts.push(found.nodes.unwrap_or(0));
            }
            engine.end();
        }
        apart = share(&counts).max(apart);
        apart_fresh = share(&[counts[0], counts[2]]).max(apart_fresh);
    }
    let judged = if launch.restart == Restart::Experiment { apart } else { apart_fresh };
    let repeats = match judged {
        _ if !named => Repeatability::Not,
        0.0 => Repeatability::Exact,
        share if share <= APART => Repeatability::Within(share),
        _ => Repeatability::Not,
    };
    Ok(Some(TrialRun { identity, repeats, forgets: apart == 0.0 || apart_fresh > 0.0, depth, nodes }))
}

/// By what share the most is above the least.
fn share(counts: &[u64]) -> f64 {
    match (counts.iter().min(), counts.iter().max()) {
        (Some(least), Some(most)) if most > least => *most as f64 / (*least).max(1) as f64 - 1.0,
        _ => 0.0,
    }
}

/// One search as of a new game.
fn tried(engine: &mut Uci, board: &Board, limit: Limit, stop: &AtomicBool) -> Result<Option<Reported>, Failure> {
    engine.new_game()?;
    let mut found = None;
    let ended = engine.search(Position::alone(board), limit, stop, &mut |told| {
        if let Told::Reported(reported) = told {
            found = Some(reported.clone());
        }
    })?;
    Ok(if ended == Ended::Stopped { None } else { found })
}

/// What an engine did that did not end at its limit; other failures are no matter of limits.
fn unheeded(failure: Failure) -> Result<String, Failure> {
    match failure.fault {
        EngineFault::Unheeded(waited) | EngineFault::Silent(waited) => {
            Ok(format!("it searched on for {:.0} s and had to be stopped", waited.as_secs_f64()))
        }
        _ => Err(failure),
    }
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
            Repeatability::Within(0.0501),
            Repeatability::Within(0.1),
            Repeatability::Within(0.0001),
            Repeatability::Not,
        ];
        let shown = ["exact", "within 5.1 %", "within 10.0 %", "within 0.1 %", "not repeatable"];
        assert_eq!(words.map(|word| word.to_string()), shown);
        let failure = |fault| Failure { fault, during: String::new(), tail: Vec::new() };
        let waited = Duration::from_millis(5400);
        for fault in [EngineFault::Unheeded(waited), EngineFault::Silent(waited)] {
            assert_eq!(unheeded(failure(fault)).unwrap(), "it searched on for 5 s and had to be stopped");
        }
        assert_eq!(unheeded(failure(EngineFault::NoMove)).unwrap_err().fault, EngineFault::NoMove);
    }

    /// An engine whose answers are told by a script: what it says of the n-th search of its process is `n`'s.
    fn found(answers: &str, restart: Restart, limit: Limit, stop: bool) -> Option<TrialRun> {
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
        probe(&launch, &boards, limit, &AtomicBool::new(stop)).unwrap()
    }

    /// Two limits at their ends, and counts that are as far apart as may be, or a little further; nodes that fall as a process ages.
    #[test]
    fn what_a_trial_shows_is_told_by_its_counts() {
        let (deep, many) = (Limit { depth: Some(3), nodes: None }, Limit { depth: None, nodes: Some(500) });
        let (game, all) = (Restart::Game, Restart::Experiment);
        let said = |probed: &TrialRun| (probed.repeats, probed.forgets, probed.depth.clone(), probed.nodes.clone());
        let no = |why: &str| Honours::No(why.to_owned());
        let yes = Honours::Yes;
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
                "echo info depth $d nodes $((19000 + n * 1000))",
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
                "case $p in */1ppp*) k=0;; *) k=1;; esac; echo info depth $d nodes $((19000 + k * n * 1000))",
                all,
                deep,
                (Repeatability::Within(0.05), false, yes.clone(), yes.clone()),
            ),
        ] {
            let probed = found(answers, restart, limit, false).unwrap();
            let (repeats, expected_repeats) = (probed.repeats, expected.0);
            if let (Repeatability::Within(share), Repeatability::Within(wanted)) = (repeats, expected_repeats) {
                assert!((share - wanted).abs() < 1e-9, "{answers}");
            } else {
                assert_eq!(repeats, expected_repeats, "{answers} {restart:?}");
            }
            assert_eq!(
                (said(&probed).1, said(&probed).2, said(&probed).3),
                (expected.1, expected.2, expected.3),
                "{answers} {restart:?}"
            );
            assert_eq!(probed.identity.name, "Probe");
        }
        assert_eq!(found("echo info depth $d nodes 20000", all, deep, true), None);
    }

    /// Counts that are another in each process: whether a process forgets cannot be seen, and nothing is said against it.
    #[test]
    fn who_never_repeats_is_not_told_to_remember() {
        let limit = Limit { depth: Some(3), nodes: None };
        let probed = found("echo info depth $d nodes $(($$ * 1000 + n))", Restart::Experiment, limit, false).unwrap();
        assert!(probed.forgets && probed.repeats != Repeatability::Exact, "{:?}", probed.repeats);
    }
}
