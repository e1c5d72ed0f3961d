//! Examines an engine before anything is measured with it: whether its searches repeat, whether it
//! clears its table for a new game and respects limits, and whether its nodes judge its table.

mod behaviour;
mod forgetting;
mod positions;
mod screen;

pub use screen::format_diagnosis;

use crate::chess::Board;
use crate::engine::Limit;
use crate::record::diagnosis::{Check, CheckResult, Diagnosis, FORMAT, Forgetting, NodesVerdict};
use crate::runner::{engine_option_values, select_options};
use crate::subject::options::{CommandLine, OptionValue};
use crate::subject::protocol::{OptionKind, UciOption};
use crate::subject::{
    Failure, Launch, LimitSupport, NodeReports, Position, ProbeResult, Repeatability, Subject, Uci, UciReport,
    find_program, probe_limits, probe_repeatability,
};
use positions::GamePosition;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// An engine to examine, its options, and how much to search.
#[derive(Debug, Clone)]
pub struct Request {
    pub command: CommandLine,
    /// UCI options to set: names and values, as the user wrote them.
    pub options: Vec<(String, String)>,
    pub budget: Budget,
}

/// How much to search when a small and a large table are compared.
#[derive(Debug, Clone, Copy)]
pub enum Budget {
    /// As much as is possible if the whole examination is to take roughly this time. The depth and
    /// the number of games are chosen accordingly.
    Time(Duration),
    /// A fixed amount, so that an engine with repeatable searches gives the same figures on any
    /// machine.
    Games { depth: u8, games: usize },
}

pub fn count_games() -> usize {
    positions::games().len()
}

/// Why an examination ended early.
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

/// The engine under examination, and how to report progress and stop.
struct Examiner<'a> {
    launch: Launch,
    progress: &'a dyn Fn(&str),
    stop: &'a AtomicBool,
}

/// The node limit of the searches that are repeated, if the engine does not respect a depth.
const REPEAT_NODES: u64 = 20_000;

/// The time limit of a search that should finish at once.
const QUICK_SEARCH_TIMEOUT: Duration = Duration::from_secs(20);

impl Examiner<'_> {
    fn start_engine(&self, launch: Launch) -> Result<Uci, Interrupt> {
        let mut engine = Uci::new(launch);
        engine.start()?;
        Ok(engine)
    }

    /// Searches a position and returns the engine's last report. The engine also receives the game
    /// that led to the position. If `starts_new_game` is true, a new game is first announced to the
    /// engine.
    fn search(
        &self,
        engine: &mut Uci,
        position: Position<'_>,
        limit: Limit,
        starts_new_game: bool,
    ) -> Result<UciReport, Interrupt> {
        if starts_new_game {
            engine.new_game()?;
        }
        engine.report(position, limit, self.stop)?.ok_or(Interrupt::Stopped)
    }
}

/// The checks that have been made so far, in the order in which they were made.
#[derive(Default)]
struct Findings(Vec<Check>);

impl Findings {
    fn add(&mut self, check: &str, result: CheckResult, finding: impl Into<String>) {
        self.0.push(Check { check: check.to_owned(), result, finding: finding.into() });
    }

    /// Adds the result of a check, or a fault if the engine failed during the check.
    fn add_result(&mut self, check: &str, outcome: Result<(CheckResult, String), Interrupt>) -> Result<(), Interrupt> {
        if let Some((result, finding)) = record_failure(outcome, check, self)? {
            self.add(check, result, finding);
        }
        Ok(())
    }
}

/// Examines an engine. Returns `None` if the user stopped the examination.
///
/// # Errors
/// If the engine is not found or does not start, or if the request sets an option that the engine
/// does not declare.
pub fn examine(request: &Request, progress: &dyn Fn(&str), stop: &AtomicBool) -> Result<Option<Diagnosis>, String> {
    let started = Instant::now();
    let program = find_program(&request.command, Path::new(""))?;
    progress("starting the engine");
    let mut engine = Uci::new(Launch::new(&program));
    engine.start().map_err(|failure| failure.to_string())?;
    let startup_time = started.elapsed();
    let identity = engine.identity().clone();
    engine.quit();
    let typed_options = to_typed_options(request, &identity.options);
    let requested_options = typed_options.iter().map(|(name, value)| (name, value));
    let options = select_options(&identity.options, requested_options, &request.command.to_string(), "--option ")?;
    let examiner = Examiner { launch: Launch { options, ..Launch::new(&program) }, progress, stop };
    let mut findings = Findings::default();
    findings.add("start", CheckResult::Good, format!("ready after {:.2} s", startup_time.as_secs_f64()));
    let measurements = match run_checks(&examiner, request.budget, started, &mut findings) {
        Ok(measurements) => measurements,
        Err(Interrupt::Stopped) => return Ok(None),
        Err(Interrupt::Failed(failure)) => {
            findings.add("failure", CheckResult::Fault, failure.to_string());
            Measurements::default()
        }
    };
    Ok(Some(Diagnosis {
        format: FORMAT,
        ttlab: env!("CARGO_PKG_VERSION").to_owned(),
        program: program.path.display().to_string(),
        arguments: program.arguments.clone(),
        sha256: program.sha256.clone(),
        name: identity.name.clone(),
        options: measurements.options,
        seconds: started.elapsed().as_secs_f64(),
        checks: findings.0,
        nodes: measurements.forgetting.as_ref().map_or(NodesVerdict::Undecided, forgetting::judge_nodes),
        forgetting: measurements.forgetting,
    }))
}

/// The value of an option that the engine declares as text remains text. Any other value becomes a
/// number or a switch if its text can be parsed as such. If the engine has an option `Threads` that
/// the user did not set, `Threads` is added with the value 1.
fn to_typed_options(request: &Request, declared: &[UciOption]) -> Vec<(String, OptionValue)> {
    let find_kind =
        |name: &str| declared.iter().find(|option| option.name.eq_ignore_ascii_case(name)).map(|option| &option.kind);
    let typed_options = request.options.iter().map(|(name, text)| {
        let number_or_switch = match find_kind(name) {
            Some(OptionKind::Text) => None,
            _ => text.parse().map(OptionValue::Spin).ok().or_else(|| text.parse().map(OptionValue::Check).ok()),
        };
        (name.clone(), number_or_switch.unwrap_or_else(|| OptionValue::Text(text.clone())))
    });
    let is_set = |name: &str| request.options.iter().any(|(option, _)| option.eq_ignore_ascii_case(name));
    let single_thread =
        (find_kind("Threads").is_some() && !is_set("Threads")).then(|| ("Threads".to_owned(), OptionValue::Spin(1)));
    single_thread.into_iter().chain(typed_options).collect()
}

#[derive(Default)]
struct Measurements {
    options: std::collections::BTreeMap<String, String>,
    /// The comparison of a small and a large table; `None` if it was not possible.
    forgetting: Option<Forgetting>,
}

/// Runs all checks in order and adds their results to `findings`.
fn run_checks(
    examiner: &Examiner<'_>,
    budget: Budget,
    started: Instant,
    findings: &mut Findings,
) -> Result<Measurements, Interrupt> {
    let games = positions::games();
    (examiner.progress)("checking search limits");
    let probe = probe_limits(&examiner.launch, examiner.stop)?.ok_or(Interrupt::Stopped)?;
    add_limit_checks(&probe, findings);
    (examiner.progress)("finding a depth that takes a moment");
    let probe_positions: Vec<&GamePosition> = games.iter().take(2).filter_map(|game| game.first()).collect();
    let depth_and_nodes = match probe.depth {
        LimitSupport::Yes => {
            record_failure(forgetting::find_depth(examiner, &probe_positions, budget), "depths", findings)?
        }
        LimitSupport::No(_) => None,
    };
    (examiner.progress)("checking repeatability");
    let limit = match depth_and_nodes {
        Some((depth, _)) => Limit { depth: Some(depth), nodes: None },
        None => Limit { depth: None, nodes: Some(REPEAT_NODES) },
    };
    let boards: Vec<Board> = probe_positions.iter().map(|position| position.board).collect();
    let probe = if probe.respects(limit) {
        let outcome = probe_repeatability(&examiner.launch, &boards, limit, probe.clone(), examiner.stop)
            .map_err(Interrupt::from);
        match record_failure(outcome, "repeats", findings)? {
            Some(probe_with_repeats) => {
                let probe_with_repeats = probe_with_repeats.ok_or(Interrupt::Stopped)?;
                add_repeat_checks(&probe_with_repeats, limit, findings);
                probe_with_repeats
            }
            None => probe,
        }
    } else {
        findings.add("repeats", CheckResult::Note, "not tried: the engine respects no limit");
        probe
    };
    if probe.nodes == LimitSupport::Yes && probe.node_reports == NodeReports::Whole {
        findings.add_result("small limits", behaviour::check_small_limits(examiner))?;
    }
    (examiner.progress)("checking moves, mates, stop and quit");
    findings.add_result("stop", behaviour::check_stop(examiner))?;
    let quick_limit = if probe.depth == LimitSupport::Yes { behaviour::quick_limit() } else { limit };
    findings.add_result("moves", behaviour::check_moves(examiner, quick_limit))?;
    findings.add_result("ended games", behaviour::check_ended_games(examiner, quick_limit))?;
    if probe.depth == LimitSupport::Yes {
        findings.add_result("mate scores", behaviour::check_mates(examiner))?;
    }
    findings.add_result("quit", behaviour::check_quit(examiner))?;
    let options = engine_option_values(&probe.identity);
    let sizes = table_sizes(&probe.identity.options, &examiner.launch.options);
    let forgetting = match (depth_and_nodes, sizes) {
        (_, None) => {
            findings.add(
                "Hash",
                CheckResult::Note,
                "the engine has no such option, so the worth of its table cannot be \
                tested",
            );
            None
        }
        (Some((depth, nodes)), Some((small, large))) if nodes > 0 => {
            let remaining = match budget {
                // The comparison gets at least a quarter of the time, even if the checks so far
                // took longer than planned.
                Budget::Time(time) => Budget::Time(time.saturating_sub(started.elapsed()).max(time / 4)),
                fixed_budget => fixed_budget,
            };
            let nodes = (probe.nodes == LimitSupport::Yes).then_some(nodes);
            let design = forgetting::Design { small, large, depth, nodes };
            let outcome = forgetting::measure(examiner, design, probe.resets_on_new_game, &games, remaining);
            let forgetting = record_failure(outcome, "Hash", findings)?;
            if let Some((result, finding)) = forgetting.as_ref().map(judge_hash_effect) {
                findings.add("Hash", result, finding);
            }
            forgetting
        }
        _ => {
            let finding = "tables cannot be compared: the engine does not respect `go depth`, or reports no nodes";
            findings.add("Hash", CheckResult::Note, finding);
            None
        }
    };
    Ok(Measurements { options, forgetting })
}

/// If the engine failed, adds a fault with the name `check` to `findings` and returns `None`.
///
/// # Errors
/// If the user stopped the examination.
fn record_failure<T>(
    outcome: Result<T, Interrupt>,
    check: &str,
    findings: &mut Findings,
) -> Result<Option<T>, Interrupt> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(Interrupt::Failed(failure)) => {
            findings.add(check, CheckResult::Fault, failure.to_string());
            Ok(None)
        }
        Err(Interrupt::Stopped) => Err(Interrupt::Stopped),
    }
}

/// Adds the checks of search limits and of reported node counts. They are based on the same probe
/// that is made before every run.
fn add_limit_checks(probe: &ProbeResult, findings: &mut Findings) {
    for (check, support) in [("go depth", &probe.depth), ("go nodes", &probe.nodes)] {
        match support {
            LimitSupport::Yes => findings.add(check, CheckResult::Good, "respected"),
            LimitSupport::No(reason) => findings.add(check, CheckResult::Fault, format!("not respected: {reason}")),
        }
    }
    match (probe.node_reports, &probe.nodes) {
        (NodeReports::Whole, LimitSupport::Yes) => {
            findings.add("nodes reported", CheckResult::Good, "until the search ends");
        }
        // Without a node limit there is no count with which the reported count can be compared.
        (NodeReports::Whole, LimitSupport::No(_)) => {}
        (NodeReports::Depths, _) => {
            let finding = "only when a depth is completed, so the nodes of an unfinished depth are missing";
            findings.add("nodes reported", CheckResult::Note, finding);
        }
        (NodeReports::Never, _) => {
            findings.add("nodes reported", CheckResult::Fault, "never, or with impossible values")
        }
    }
}

/// Adds the checks of repeatability. They are based on the same probe that is made before every
/// run.
fn add_repeat_checks(probe: &ProbeResult, limit: Limit, findings: &mut Findings) {
    let difference = probe.difference.as_ref().map(|difference| format!(" ({difference})")).unwrap_or_default();
    let limit_text = limit.depth.map_or(format!("{REPEAT_NODES} nodes"), |depth| format!("depth {depth}"));
    let ((repeats_result, repeats_finding), (reset_result, reset_finding)) =
        match (probe.repeatability, probe.resets_on_new_game) {
            (Repeatability::Exact, _) => (
                (CheckResult::Good, format!("exact: same nodes, score, move, variation and depths at {limit_text}")),
                (CheckResult::Good, "resets the engine like a new process".to_owned()),
            ),
            (_, false) => (
                (CheckResult::Good, format!("exact in new processes, at {limit_text}")),
                (CheckResult::Fault, format!("keeps state{difference}: measure the engine with restart = \"game\"")),
            ),
            (repeatability, true) => (
                (CheckResult::Fault, format!("{repeatability}, even in new processes, at {limit_text}{difference}")),
                (CheckResult::Note, "undecided, because searches do not repeat".to_owned()),
            ),
        };
    findings.add("repeats", repeats_result, repeats_finding);
    findings.add("ucinewgame", reset_result, reset_finding);
}

/// Returns the sizes of the small and the large table in MiB.
///
/// The small size is the least value of the engine's option `Hash`. The large size is the value in
/// `set_options` if that value is at least eight times the small size. Otherwise the large size is
/// so large that little is evicted. Returns `None` if the engine has no option `Hash`, or if its
/// maximum is not above the small size.
fn table_sizes(declared: &[UciOption], set_options: &[(String, OptionValue)]) -> Option<(i64, i64)> {
    const DEFAULT_LARGE: i64 = 64;
    const MIN_FACTOR: i64 = 8;
    let hash = declared.iter().find(|option| option.name.eq_ignore_ascii_case("Hash"))?;
    let OptionKind::Spin(min, max) = hash.kind else { return None };
    let small = min.max(1);
    let set_size = set_options.iter().find_map(|(name, value)| crate::subject::options::hash_mebibytes(name, value));
    let min_large = MIN_FACTOR * small;
    let large = set_size.filter(|&size| size >= min_large).unwrap_or(DEFAULT_LARGE.max(min_large)).min(max);
    (large > small).then_some((small, large))
}

/// Judges whether the size of the table changes any search.
fn judge_hash_effect(forgetting: &Forgetting) -> (CheckResult, String) {
    let Forgetting { small, large, searches, differing, hashfull, .. } = forgetting;
    let fill = match hashfull {
        [Some(small), Some(large)] => format!("; hashfull {small:.0} and {large:.0}"),
        _ => String::new(),
    };
    let summary = format!("{differing} of {searches} searches differ between {small} and {large} MiB{fill}");
    match differing {
        0 => (
            CheckResult::Note,
            format!(
                "{summary}: the option has no effect, or the searches were too short to need \
            a larger table (a longer --time may show an effect)"
            ),
        ),
        _ => (CheckResult::Good, summary),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_options(lines: &[&str]) -> Vec<UciOption> {
        lines.iter().map(|line| UciOption::parse(line).unwrap()).collect()
    }

    #[test]
    fn options_take_the_declared_type() {
        let declared = parse_options(&[
            "option name Hash type spin default 16 min 1 max 64",
            "option name Threads type spin default 4 min 1 max 8",
            "option name File type string default <empty>",
            "option name OwnBook type check default true",
        ]);
        let resolve = |requested: &[(&str, &str)]| {
            let options = requested.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let request = Request { command: CommandLine::default(), options, budget: Budget::Time(Duration::ZERO) };
            to_typed_options(&request, &declared)
                .into_iter()
                .map(|(name, value)| format!("{name} {value:?}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(resolve(&[]), ["Threads Spin(1)"]);
        assert_eq!(
            resolve(&[("hash", "32"), ("threads", "2"), ("File", "7"), ("ownbook", "false"), ("Other", "x")]),
            ["hash Spin(32)", "threads Spin(2)", "File Text(\"7\")", "ownbook Check(false)", "Other Text(\"x\")"]
        );
    }

    #[test]
    fn table_sizes_are_the_minimum_and_at_least_eight_times_it() {
        for (line, user_size, expected) in [
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
            let set_options: Vec<_> =
                user_size.map(|size| ("hash".to_owned(), OptionValue::Spin(size))).into_iter().collect();
            assert_eq!(table_sizes(&parse_options(&[line]), &set_options), expected, "{line} {user_size:?}");
        }
    }

    #[test]
    fn probe_result_becomes_one_check_per_property() {
        let exact = ProbeResult {
            identity: crate::subject::EngineIdentity::default(),
            repeatability: Repeatability::Exact,
            resets_on_new_game: true,
            difference: None,
            depth: LimitSupport::Yes,
            nodes: LimitSupport::Yes,
            node_reports: NodeReports::Whole,
        };
        let ignores_nodes = ProbeResult { nodes: LimitSupport::No("it made 6".to_owned()), ..exact.clone() };
        let depth_limit = Limit { depth: Some(9), nodes: None };
        let list_checks = |probe: &ProbeResult, limit: Limit| {
            let mut findings = Findings::default();
            add_limit_checks(probe, &mut findings);
            add_repeat_checks(probe, limit, &mut findings);
            let lines =
                findings.0.into_iter().map(|check| format!("{:?} {}: {}", check.result, check.check, check.finding));
            lines.collect::<Vec<_>>()
        };
        assert_eq!(
            list_checks(&exact, depth_limit),
            [
                "Good go depth: respected",
                "Good go nodes: respected",
                "Good nodes reported: until the search ends",
                "Good repeats: exact: same nodes, score, move, variation and depths at depth 9",
                "Good ucinewgame: resets the engine like a new process",
            ]
        );
        let not_resetting = ProbeResult {
            repeatability: Repeatability::Within(0.5),
            resets_on_new_game: false,
            difference: Some("nodes 5, then 6".to_owned()),
            node_reports: NodeReports::Depths,
            ..exact.clone()
        };
        let lines = list_checks(&not_resetting, depth_limit);
        assert_eq!(
            lines[2..],
            [
                "Note nodes reported: only when a depth is completed, so the nodes of an unfinished depth are missing",
                "Good repeats: exact in new processes, at depth 9",
                "Fault ucinewgame: keeps state (nodes 5, then 6): measure the engine with restart = \"game\"",
            ]
        );
        let unrepeatable = ProbeResult {
            repeatability: Repeatability::NotRepeatable,
            node_reports: NodeReports::Never,
            ..exact.clone()
        };
        let lines = list_checks(&unrepeatable, depth_limit);
        assert_eq!(
            lines[2..],
            [
                "Fault nodes reported: never, or with impossible values",
                "Fault repeats: not repeatable, even in new processes, at depth 9",
                "Note ucinewgame: undecided, because searches do not repeat",
            ]
        );
        let lines = list_checks(&ignores_nodes, Limit { depth: None, nodes: Some(20_000) });
        assert_eq!(lines[1], "Fault go nodes: not respected: it made 6");
        assert_eq!(lines[2], "Good repeats: exact: same nodes, score, move, variation and depths at 20000 nodes");
    }

    #[test]
    fn hash_without_effect_is_a_note() {
        let check_with = |differing| {
            judge_hash_effect(&Forgetting {
                small: 1,
                large: 64,
                searches: 24,
                differing,
                hashfull: [Some(900.4), Some(20.0)],
                ..Forgetting::default()
            })
        };
        let output = "3 of 24 searches differ between 1 and 64 MiB; hashfull 900 and 20";
        assert_eq!(check_with(3), (CheckResult::Good, output.to_owned()));
        let (result, finding) = check_with(0);
        assert!(result == CheckResult::Note);
        assert!(finding.contains("no effect"));
    }
}
