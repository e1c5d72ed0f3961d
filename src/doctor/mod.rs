//! An engine examined before anything is measured with it: does it repeat, does it forget, does it heed its limits, and what are its nodes worth?

mod behaviour;
mod forgetting;
mod positions;
mod screen;

pub use screen::screen;

use crate::chess::Board;
use crate::engine::Limit;
use crate::record::diagnosis::{Check, CheckResult, Diagnosis, FORMAT, Forgetting, NodesVerdict};
use crate::runner::{granted, values};
use crate::subject::options::{OptionValue, ProgramWords};
use crate::subject::protocol::{Declared, OptionKind};
use crate::subject::{
    Failure, Launch, LimitSupport, NodeReports, Position, ProbeResult, Repeatability, SearchEnd, SearchEvent, Subject,
    Uci, UciReport, find, limits, repeat,
};
use positions::Reached;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What is to be examined.
#[derive(Debug, Clone)]
pub struct Request {
    /// The engine and its arguments.
    pub words: ProgramWords,
    /// Options to be set: names and values as given.
    pub options: Vec<(String, String)>,
    /// About how long it may take.
    pub time: Duration,
}

/// Why an examination ended early.
#[derive(Debug)]
pub enum Halt {
    /// Somebody stopped it.
    Stopped,
    /// The engine failed.
    Failed(Failure),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// What examinations share.
struct Bench<'a> {
    launch: Launch,
    progress: &'a dyn Fn(&str),
    stop: &'a AtomicBool,
}

/// How long a search may take that should take a moment.
const PATIENCE: Duration = Duration::from_secs(20);

impl Bench<'_> {
    /// A process of the engine.
    fn engine(&self, launch: Launch) -> Result<Uci, Halt> {
        let mut engine = Uci::new(launch);
        engine.start()?;
        Ok(engine)
    }

    /// One search of a position within a game.
    fn search(&self, engine: &mut Uci, position: &Reached, limit: Limit, new_game: bool) -> Result<UciReport, Halt> {
        let Reached { start, moves, past, board } = position;
        self.ask(engine, Position { start, moves, past, board }, limit, new_game)
    }

    fn ask(&self, engine: &mut Uci, position: Position<'_>, limit: Limit, new_game: bool) -> Result<UciReport, Halt> {
        if new_game {
            engine.new_game()?;
        }
        let mut found = UciReport::default();
        let ended = engine.search(position, limit, self.stop, &mut |message| {
            if let SearchEvent::UciReport(reported) = message {
                found = reported.clone();
            }
        })?;
        if ended == SearchEnd::Stopped { Err(Halt::Stopped) } else { Ok(found) }
    }
}

/// What is gathered.
#[derive(Default)]
struct Findings(Vec<Check>);

impl Findings {
    fn add(&mut self, check: &str, result: CheckResult, finding: impl Into<String>) {
        self.0.push(Check { check: check.to_owned(), result, finding: finding.into() });
    }

    /// Adds what a check found, or that the engine failed at it.
    fn take(&mut self, check: &str, found: Result<(CheckResult, String), Halt>) -> Result<(), Halt> {
        if let Some((result, finding)) = found_of(found, check, self)? {
            self.add(check, result, finding);
        }
        Ok(())
    }
}

/// Examines an engine. None if that was stopped.
///
/// # Errors
/// When there is no such engine, it does not start, or an option is not one of its own.
pub fn examine(request: &Request, progress: &dyn Fn(&str), stop: &AtomicBool) -> Result<Option<Diagnosis>, String> {
    let begun = Instant::now();
    let program = find(&request.words)?;
    progress("starting it");
    let mut engine = Uci::new(Launch::new(&program));
    engine.start().map_err(|failure| failure.to_string())?;
    let ready = begun.elapsed();
    let identity = engine.identity().clone();
    engine.end();
    let required = required(request, &identity.options);
    let required = required.iter().map(|(name, value)| (name, value));
    let options = granted(&identity.options, required, &request.words.to_string(), "--option ")?;
    let bench = Bench { launch: Launch { options, ..Launch::new(&program) }, progress, stop };
    let mut findings = Findings::default();
    findings.add("start", CheckResult::Good, format!("ready after {:.2} s", ready.as_secs_f64()));
    let found = match all(&bench, request.time, begun, &mut findings) {
        Ok(found) => found,
        Err(Halt::Stopped) => return Ok(None),
        Err(Halt::Failed(failure)) => {
            findings.add("failure", CheckResult::Fault, failure.to_string());
            Found::default()
        }
    };
    Ok(Some(Diagnosis {
        format: FORMAT,
        ttlab: env!("CARGO_PKG_VERSION").to_owned(),
        program: program.path.display().to_string(),
        arguments: program.arguments.clone(),
        sha256: program.sha256.clone(),
        name: identity.name.clone(),
        options: found.options,
        seconds: begun.elapsed().as_secs_f64(),
        checks: findings.0,
        nodes: found.forgetting.as_ref().map_or(NodesVerdict::Undecided, forgetting::verdict),
        forgetting: found.forgetting,
    }))
}

/// The options as they are meant: what a text option is given is text; one thread where nothing else is said.
fn required(request: &Request, declared: &[Declared]) -> Vec<(String, OptionValue)> {
    let kind =
        |name: &str| declared.iter().find(|option| option.name.eq_ignore_ascii_case(name)).map(|option| &option.kind);
    let given = request.options.iter().map(|(name, text)| {
        let value = match (kind(name), text.parse::<i64>(), text.parse::<bool>()) {
            (Some(OptionKind::Text), ..) | (_, Err(_), Err(_)) => OptionValue::Text(text.clone()),
            (_, Ok(number), _) => OptionValue::Spin(number),
            (_, _, Ok(switch)) => OptionValue::Check(switch),
        };
        (name.clone(), value)
    });
    let is_set = |name: &str| request.options.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    let one = (kind("Threads").is_some() && !is_set("Threads")).then(|| ("Threads".to_owned(), OptionValue::Spin(1)));
    one.into_iter().chain(given).collect()
}

/// What is found beside the checks.
#[derive(Default)]
struct Found {
    options: std::collections::BTreeMap<String, String>,
    forgetting: Option<Forgetting>,
}

/// All checks, in order.
fn all(bench: &Bench<'_>, time: Duration, begun: Instant, findings: &mut Findings) -> Result<Found, Halt> {
    let games = positions::games();
    (bench.progress)("limits");
    let trial = limits(&bench.launch, bench.stop)?.ok_or(Halt::Stopped)?;
    tell_limits(&trial, findings);
    (bench.progress)("how deep it goes in a moment");
    let first: Vec<&Reached> = games.iter().take(2).filter_map(|game| game.first()).collect();
    let reach = match trial.depth {
        LimitSupport::Yes => {
            found_of(forgetting::depth(bench, &first, forgetting::target(time, positions::ALONG)), "depths", findings)?
        }
        LimitSupport::No(_) => None,
    }
    .flatten();
    (bench.progress)("whether it repeats");
    let limit = match reach {
        Some((depth, _)) => Limit { depth: Some(depth), nodes: None },
        None => Limit { depth: None, nodes: Some(20_000) },
    };
    let boards: Vec<Board> = first.iter().map(|reached| reached.board).collect();
    let trial = if trial.heeds(limit) {
        let found = repeat(&bench.launch, &boards, limit, trial.clone(), bench.stop).map_err(Halt::from);
        match found_of(found, "repeats", findings)? {
            Some(found) => {
                let found = found.ok_or(Halt::Stopped)?;
                tell_repeats(&found, limit, findings);
                found
            }
            None => trial,
        }
    } else {
        findings.add("repeats", CheckResult::Note, "not tried: it heeds no limit");
        trial
    };
    if trial.nodes == LimitSupport::Yes && trial.reports == NodeReports::Whole {
        findings.take("small limits", behaviour::small_limits(bench))?;
    }
    (bench.progress)("moves, mates, stop and quit");
    findings.take("stop", behaviour::stops(bench))?;
    let quick = if trial.depth == LimitSupport::Yes { behaviour::quick() } else { limit };
    findings.take("moves", behaviour::moves(bench, quick))?;
    findings.take("ended games", behaviour::ended(bench, quick))?;
    if trial.depth == LimitSupport::Yes {
        findings.take("mate scores", behaviour::mates(bench))?;
    }
    findings.take("quit", behaviour::quits(bench))?;
    let options = values(&trial.identity);
    let sizes = sizes(&trial.identity.options, &bench.launch.options);
    let forgetting = match (reach, sizes) {
        (_, None) => {
            findings.add("Hash", CheckResult::Note, "it has no such option: what its table is worth cannot be tried");
            None
        }
        (Some((depth, nodes)), Some((small, large))) if nodes > 0 => {
            let left = time.saturating_sub(begun.elapsed()).max(time / 4);
            let nodes = Some(nodes).filter(|_| trial.nodes == LimitSupport::Yes);
            let design = forgetting::Design { small, large, depth, nodes };
            let found = forgetting::measure(bench, design, trial.forgets, &games, left);
            let found = found_of(found, "Hash", findings)?;
            if let Some((result, finding)) = found.as_ref().map(hash) {
                findings.add("Hash", result, finding);
            }
            found
        }
        _ => {
            let why = "a small and a large table cannot be compared: it does not heed `go depth`, or tells no nodes";
            findings.add("Hash", CheckResult::Note, why);
            None
        }
    };
    Ok(Found { options, forgetting })
}

/// What came of a step; none, and a fault, where the engine failed at it.
fn found_of<T>(found: Result<T, Halt>, check: &str, findings: &mut Findings) -> Result<Option<T>, Halt> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Halt::Failed(failure)) => {
            findings.add(check, CheckResult::Fault, failure.to_string());
            Ok(None)
        }
        Err(Halt::Stopped) => Err(Halt::Stopped),
    }
}

/// What the trial before every run says of limits.
fn tell_limits(trial: &ProbeResult, findings: &mut Findings) {
    for (check, honours) in [("go depth", &trial.depth), ("go nodes", &trial.nodes)] {
        match honours {
            LimitSupport::Yes => findings.add(check, CheckResult::Good, "heeded"),
            LimitSupport::No(why) => findings.add(check, CheckResult::Fault, format!("not heeded: {why}")),
        }
    }
    match (trial.reports, &trial.nodes) {
        (NodeReports::Whole, LimitSupport::Yes) => {
            findings.add("nodes told", CheckResult::Good, "up to the end of a search");
        }
        // How many nodes a search took nobody knows but the engine.
        (NodeReports::Whole, LimitSupport::No(_)) => {}
        (NodeReports::Depths, _) => {
            let finding = "when a depth ends: what is searched after that is not told";
            findings.add("nodes told", CheckResult::Note, finding);
        }
        (NodeReports::Never, _) => {
            findings.add("nodes told", CheckResult::Fault, "never, or no number that can be one")
        }
    }
}

/// What the trial before every run says of repeating.
fn tell_repeats(trial: &ProbeResult, limit: Limit, findings: &mut Findings) {
    let why = trial.difference.as_ref().map(|difference| format!(" ({difference})")).unwrap_or_default();
    let to = limit.depth.map_or("20000 nodes".to_owned(), |depth| format!("depth {depth}"));
    let (repeats, forgets) = match (trial.repeats, trial.forgets) {
        (Repeatability::Exact, _) => (
            (CheckResult::Good, format!("exact: nodes, score, move, variation and depths, to {to}")),
            (CheckResult::Good, "like a new process".to_owned()),
        ),
        (_, false) => (
            (CheckResult::Good, format!("exact in new processes, to {to}")),
            (CheckResult::Fault, format!("it does not forget all{why}: measure it with restart = \"game\"")),
        ),
        (repeats, true) => (
            (CheckResult::Fault, format!("{repeats}, even in new processes, to {to}{why}")),
            (CheckResult::Note, "cannot be told where nothing repeats".to_owned()),
        ),
    };
    findings.add("repeats", repeats.0, repeats.1);
    findings.add("ucinewgame", forgets.0, forgets.1);
}

/// MiB of a small and a large table: the smallest that there is, and what the user gave or enough that little is evicted.
fn sizes(declared: &[Declared], set: &[(String, OptionValue)]) -> Option<(i64, i64)> {
    const LARGE: i64 = 64;
    const TIMES: i64 = 8;
    let hash = declared.iter().find(|option| option.name.eq_ignore_ascii_case("Hash"))?;
    let OptionKind::Spin(least, most) = hash.kind else { return None };
    let small = least.max(1);
    let given = set.iter().find_map(|(name, value)| crate::subject::options::mebibytes(name, value));
    let large = given.filter(|&given| given >= TIMES * small).unwrap_or(LARGE.max(TIMES * small)).min(most);
    (large > small).then_some((small, large))
}

/// Whether the size of the table matters.
fn hash(found: &Forgetting) -> (CheckResult, String) {
    let Forgetting { small, large, searches, differing, hashfull, .. } = found;
    let full = match hashfull {
        [Some(small), Some(large)] => format!("; hashfull {small:.0} and {large:.0}"),
        _ => String::new(),
    };
    let output = format!("{differing} of {searches} searches differ between {small} and {large} MiB{full}");
    match differing {
        0 => (
            CheckResult::Note,
            format!("{output}: the option has no effect, or there was no need of a larger table (--time)"),
        ),
        _ => (CheckResult::Good, output),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn declared(lines: &[&str]) -> Vec<Declared> {
        lines.iter().map(|line| Declared::parse(line).unwrap()).collect()
    }

    /// A number is one, but as the value of a text; one thread unless another number is asked for.
    #[test]
    fn options_are_typed_by_what_is_declared() {
        let own = declared(&[
            "option name Hash type spin default 16 min 1 max 64",
            "option name Threads type spin default 4 min 1 max 8",
            "option name File type string default <empty>",
            "option name OwnBook type check default true",
        ]);
        let of = |given: &[(&str, &str)]| {
            let options = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let request = Request { words: ProgramWords::default(), options, time: Duration::ZERO };
            required(&request, &own).into_iter().map(|(name, value)| format!("{name} {value:?}")).collect::<Vec<_>>()
        };
        assert_eq!(of(&[]), ["Threads Spin(1)"]);
        assert_eq!(
            of(&[("hash", "32"), ("threads", "2"), ("File", "7"), ("ownbook", "false"), ("Other", "x")]),
            ["hash Spin(32)", "threads Spin(2)", "File Text(\"7\")", "ownbook Check(false)", "Other Text(\"x\")"]
        );
    }

    #[test]
    fn a_small_table_is_the_smallest_and_a_large_one_eight_times_as_large_at_least() {
        for (line, given, expected) in [
            ("option name Hash type spin default 16 min 1 max 1024", None, Some((1, 64))),
            ("option name hash type spin default 16 min 0 max 1024", None, Some((1, 64))),
            ("option name Hash type spin default 16 min 16 max 1024", None, Some((16, 128))),
            ("option name Hash type spin default 16 min 1 max 32", None, Some((1, 32))),
            ("option name Hash type spin default 1 min 1 max 1", None, None),
            ("option name Hash type string default 16", None, None),
            ("option name Cache type spin default 16 min 1 max 64", None, None),
            ("option name Hash type spin default 16 min 1 max 1024", Some(256), Some((1, 256))),
            ("option name Hash type spin default 16 min 1 max 1024", Some(8), Some((1, 8))),
            ("option name Hash type spin default 16 min 1 max 1024", Some(7), Some((1, 64))),
        ] {
            let set: Vec<_> = given.map(|size| ("hash".to_owned(), OptionValue::Spin(size))).into_iter().collect();
            assert_eq!(sizes(&declared(&[line]), &set), expected, "{line} {given:?}");
        }
    }

    /// Each outcome of the trial in its words.
    #[test]
    fn a_trial_is_told_check_by_check() {
        let exact = ProbeResult {
            identity: crate::subject::EngineIdentity::default(),
            repeats: Repeatability::Exact,
            forgets: true,
            difference: None,
            depth: LimitSupport::Yes,
            nodes: LimitSupport::Yes,
            reports: NodeReports::Whole,
        };
        let few = ProbeResult { nodes: LimitSupport::No("it made 6".to_owned()), ..exact.clone() };
        let deep = Limit { depth: Some(9), nodes: None };
        let of = |trial: &ProbeResult, limit: Limit| {
            let mut findings = Findings::default();
            tell_limits(trial, &mut findings);
            tell_repeats(trial, limit, &mut findings);
            let lines = findings.0.into_iter().map(|it| format!("{:?} {}: {}", it.result, it.check, it.finding));
            lines.collect::<Vec<_>>()
        };
        assert_eq!(
            of(&exact, deep),
            [
                "Good go depth: heeded",
                "Good go nodes: heeded",
                "Good nodes told: up to the end of a search",
                "Good repeats: exact: nodes, score, move, variation and depths, to depth 9",
                "Good ucinewgame: like a new process",
            ]
        );
        let keeps = ProbeResult {
            repeats: Repeatability::Within(0.5),
            forgets: false,
            difference: Some("nodes 5, then 6".to_owned()),
            reports: NodeReports::Depths,
            ..exact.clone()
        };
        let lines = of(&keeps, deep);
        assert_eq!(
            lines[2..],
            [
                "Note nodes told: when a depth ends: what is searched after that is not told",
                "Good repeats: exact in new processes, to depth 9",
                "Fault ucinewgame: it does not forget all (nodes 5, then 6): measure it with restart = \"game\"",
            ]
        );
        let wanders = ProbeResult { repeats: Repeatability::Not, reports: NodeReports::Never, ..exact.clone() };
        let lines = of(&wanders, deep);
        assert_eq!(
            lines[2..],
            [
                "Fault nodes told: never, or no number that can be one",
                "Fault repeats: not repeatable, even in new processes, to depth 9",
                "Note ucinewgame: cannot be told where nothing repeats",
            ]
        );
        let lines = of(&few, Limit { depth: None, nodes: Some(20_000) });
        assert_eq!(lines[1], "Fault go nodes: not heeded: it made 6");
        assert_eq!(lines[2], "Good repeats: exact: nodes, score, move, variation and depths, to 20000 nodes");
    }

    #[test]
    fn a_table_without_effect_is_told() {
        let of = |differing| {
            hash(&Forgetting {
                small: 1,
                large: 64,
                searches: 24,
                differing,
                hashfull: [Some(900.4), Some(20.0)],
                ..Forgetting::default()
            })
        };
        let output = "3 of 24 searches differ between 1 and 64 MiB; hashfull 900 and 20";
        assert_eq!(of(3), (CheckResult::Good, output.to_owned()));
        assert!(of(0).0 == CheckResult::Note && of(0).1.contains("no effect"));
    }
}
