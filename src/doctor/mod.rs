//! Examines an engine before anything is measured with it: a question a line, which holds, does not
//! hold, or needs more searches. The prober is that of every run.

mod behaviour;
mod forgetting;
mod positions;
mod screen;
mod table;

pub use screen::format_diagnosis;

use crate::chess::Board;
use crate::engine::Limit;
use crate::record::diagnosis::CheckResult::{DoesNotHold, Holds, NeedsMore, Note};
use crate::record::diagnosis::{Check, CheckResult, Diagnosis, FORMAT, Forgetting, NODES_QUESTION, NodesVerdict};
use crate::runner::{engine_option_values, identify};
use crate::subject::options::{CommandLine, OptionValue, SubjectOptions};
use crate::subject::protocol::{OptionKind, UciOption};
use crate::subject::{
    Interrupt, Launch, LimitSupport, Position, ProbeResult, Repeatability, Subject, TABLE_OPTION, Uci, UciReport,
    describe_node_limits, find_program, probe, usage,
};
use crate::submit::quote_for_shell;
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
    /// As much as is possible if the whole examination is to take roughly this processor time of
    /// the engine. The depth and the number of games are chosen accordingly.
    Time(Duration),
    /// A fixed amount, so that an engine with repeatable searches gives the same figures on any
    /// machine.
    Games { depth: u8, games: usize },
}

pub fn count_games() -> usize {
    positions::games().len()
}

/// The engine under examination, and how to report progress and stop.
struct Examiner<'a> {
    launch: Launch,
    progress: &'a dyn Fn(&str),
    stop: &'a AtomicBool,
    started: Instant,
}

/// The node limit that is tried together with a tenth of it, as before a run.
const NODE_LIMIT: u64 = 20_000;

const NO_COUNTERS: &str = "the engine has the option ttlab, but writes no counters: expected a line `info string ttlab ...` before `bestmove`";

/// The time limit of a search that should finish at once.
const QUICK_SEARCH_TIMEOUT: Duration = Duration::from_secs(20);

impl Examiner<'_> {
    /// The processor time of the engines so far. Engines that only wait cost a quarter of the time.
    fn spent(&self) -> Duration {
        usage().map_or(self.started.elapsed(), |usage| usage.time.max(self.started.elapsed() / 4))
    }

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
    let subject = SubjectOptions {
        uci: request.command.clone(),
        options: to_typed_options(&request.options),
        ..SubjectOptions::default()
    };
    let examiner = Examiner { launch: identify(&subject, &program, "--option ")?, progress, stop, started };
    let (mut findings, mut diagnosis) = (Findings::default(), Diagnosis::default());
    match run_checks(&examiner, request, &mut findings, &mut diagnosis) {
        Ok(()) => {}
        Err(Interrupt::Stopped) => return Ok(None),
        // An engine that fails in one way at every search is one fault.
        Err(Interrupt::Failed(failure)) if findings.0.iter().any(|check| check.finding == failure.to_string()) => {}
        Err(Interrupt::Failed(failure)) => findings.add("failure", DoesNotHold, failure.to_string()),
    }
    Ok(Some(Diagnosis {
        format: FORMAT,
        ttlab: env!("CARGO_PKG_VERSION").to_owned(),
        program: program.path.display().to_string(),
        arguments: program.arguments.clone(),
        sha256: program.without_written_files().sha256,
        seconds: started.elapsed().as_secs_f64(),
        checks: findings.0,
        ..diagnosis
    }))
}

/// A number or a switch if the text can be parsed as such, else text. `Threads` is 1 unless the
/// user sets it.
pub fn to_typed_options(options: &[(String, String)]) -> std::collections::BTreeMap<String, OptionValue> {
    let to_value = |text: &String| {
        let number_or_switch = text.parse().map(OptionValue::Spin).or_else(|_| text.parse().map(OptionValue::Check));
        number_or_switch.unwrap_or_else(|_| OptionValue::Text(text.clone()))
    };
    let is_set = |name: &str| options.iter().any(|(option, _)| option.eq_ignore_ascii_case(name));
    let single_thread = (!is_set("Threads")).then(|| ("Threads".to_owned(), OptionValue::Spin(1)));
    single_thread.into_iter().chain(options.iter().map(|(name, text)| (name.clone(), to_value(text)))).collect()
}

/// Runs all checks in order and adds their results to `findings` and `diagnosis`.
fn run_checks(
    examiner: &Examiner<'_>,
    request: &Request,
    findings: &mut Findings,
    diagnosis: &mut Diagnosis,
) -> Result<(), Interrupt> {
    let games = positions::games();
    let first_positions: Vec<&GamePosition> = games.iter().filter_map(|game| game.first()).collect();
    (examiner.progress)("finding a depth that takes a moment");
    let found = forgetting::find_depths(examiner, &first_positions[..2], request.budget);
    let depths = record_failure(found, "depths", findings)?.flatten();
    (examiner.progress)("checking limits and repeatability");
    let limit = match &depths {
        Some(depths) => Limit { depth: Some(depths.quick), nodes: None },
        None => Limit { depth: None, nodes: Some(NODE_LIMIT) },
    };
    let boards: Vec<Board> = first_positions.iter().map(|position| position.board).collect();
    let probed = probe(&examiner.launch, &boards, limit, Some(NODE_LIMIT), false, examiner.stop);
    let probe = probed?.ok_or(Interrupt::Stopped)?;
    add_probe_checks(&probe, limit, findings);
    diagnosis.name = probe.identity.name.clone();
    diagnosis.options = engine_option_values(&probe.identity);
    if [&probe.depth, &probe.nodes].iter().all(|support| matches!(support, LimitSupport::No(_))) {
        // Every other search would wait until its time is out.
        return Ok(());
    }
    (examiner.progress)("checking moves, mates, stop and quit");
    findings.add_result("stop", behaviour::check_stop(examiner))?;
    let quick_limit = if probe.depth == LimitSupport::Yes { behaviour::quick_limit() } else { limit };
    findings.add_result("moves", behaviour::check_moves(examiner, quick_limit))?;
    findings.add_result("ended games", behaviour::check_ended_games(examiner))?;
    if probe.depth == LimitSupport::Yes {
        findings.add_result("mate scores", behaviour::check_mates(examiner))?;
    }
    findings.add_result("quit", behaviour::check_quit(examiner))?;
    if let (Some(depths), true) = (&depths, probe.counter_fault.is_empty()) {
        (examiner.progress)("checking what the table and the words of `go` do");
        let facts = table::add_facts(examiner, &probe.identity, &games, depths.quick, findings);
        record_failure(facts, "facts", findings)?;
    }
    let sizes = table_sizes(&probe.identity.options, &examiner.launch.options);
    let (Some((small, large)), Some(depths), true) = (sizes, depths, probe.counter_fault.is_empty()) else {
        let finding = match sizes {
            None => "cannot be asked: the engine has no option Hash to vary",
            Some(_) => "cannot be asked without `go depth` and node counts",
        };
        findings.add(NODES_QUESTION, DoesNotHold, finding);
        return Ok(());
    };
    let remaining = match request.budget {
        // The comparison gets at least half of the time, even if the checks so far took longer.
        Budget::Time(time) => Budget::Time(time.saturating_sub(examiner.spent()).max(time / 2)),
        fixed_budget => fixed_budget,
    };
    let design = forgetting::Design { small, large, depth: depths.deep };
    let measured = forgetting::measure(examiner, design, probe.resets_on_new_game, &games, remaining);
    diagnosis.forgetting = record_failure(measured, NODES_QUESTION, findings)?;
    if let Some(forgetting) = &diagnosis.forgetting {
        diagnosis.nodes = forgetting::judge_nodes(forgetting);
        let (result, finding) = describe_nodes(forgetting, diagnosis.nodes, request);
        findings.add(NODES_QUESTION, result, finding);
    }
    Ok(())
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
            findings.add(check, DoesNotHold, failure.to_string());
            Ok(None)
        }
        Err(Interrupt::Stopped) => Err(Interrupt::Stopped),
    }
}

/// Adds what the probe found under this limit, which is the same probe as before every run.
fn add_probe_checks(probe: &ProbeResult, limit: Limit, findings: &mut Findings) {
    let mut ask = |check: &str, holds: bool, finding: String| {
        findings.add(check, if holds { Holds } else { DoesNotHold }, finding);
    };
    ask("go depth", probe.depth == LimitSupport::Yes, probe.depth.to_string());
    let nodes = match &probe.nodes {
        LimitSupport::Yes => describe_node_limits(&probe.node_limits),
        support => support.to_string(),
    };
    ask("go nodes", probe.nodes == LimitSupport::Yes, nodes);
    let limit_text = limit.depth.map_or(format!("{NODE_LIMIT} nodes"), |depth| format!("depth {depth}"));
    let counts = match (probe.lacks_nodes, probe.counter_fault.is_empty()) {
        (true, _) => "never reported, or impossible values".to_owned(),
        (_, false) => probe.counter_fault.clone(),
        _ => {
            let after = probe.after.as_ref().and_then(|report| report.nodes);
            let after = after.map(|nodes| format!(", {nodes} for depth 1 after a search to {limit_text}"));
            format!("rise from depth to depth, begin at 0{}", after.unwrap_or_default())
        }
    };
    if probe.lacks_nodes || !probe.reports.is_empty() {
        ask("node counts", !probe.lacks_nodes && probe.counter_fault.is_empty(), counts);
    }
    if probe.reports.is_empty() {
        ask("repeats", false, "cannot be asked: the engine respects no limit".to_owned());
        return;
    }
    if probe.identity.options.iter().any(|option| option.name.eq_ignore_ascii_case(TABLE_OPTION)) {
        let counts = probe.reports.iter().all(|report| report.table.is_some());
        let finding = if counts { "its table is ttlab's, and it reports its counters" } else { NO_COUNTERS };
        ask("linked", counts, finding.to_owned());
    }
    let difference = probe.difference.as_ref().map(|difference| format!(" ({difference})")).unwrap_or_default();
    let repeats = probe.repeatability;
    match (repeats, probe.resets_on_new_game) {
        (Repeatability::Exact, _) => {
            ask("repeats", true, format!("same nodes, score, move, variation and depths at {limit_text}"));
            ask("ucinewgame", true, "resets the engine like a new process".to_owned());
        }
        (_, false) => {
            ask("repeats", true, format!("in new processes, at {limit_text}"));
            ask("ucinewgame", false, format!("keeps state{difference}: measure the engine with restart = \"game\""));
        }
        (_, true) => {
            ask("repeats", false, format!("{repeats}, even in new processes, at {limit_text}{difference}"));
            ask("ucinewgame", false, "cannot be asked, because searches do not repeat".to_owned());
        }
    }
    for note in &probe.notes {
        findings.add("note", Note, note.clone());
    }
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

/// Answers whether nodes to a depth tell a good table from a bad one. If they do not, names games
/// first; if it is undecided, names the command that decides.
fn describe_nodes(forgetting: &Forgetting, verdict: NodesVerdict, request: &Request) -> (CheckResult, String) {
    let Forgetting { small, large, depth, games, searches, differing, hashfull, .. } = forgetting;
    let ratio = forgetting.kept.map_or("no".to_owned(), |figure| screen::format_ratio(&figure));
    let fill = hashfull[0].map(|fill| format!(", hashfull {fill:.0}")).unwrap_or_default();
    let summary = format!(
        "{small} MiB take {ratio} times the nodes of {large} MiB to depth {depth} ({differing} of {searches} searches in {games} games differ{fill})"
    );
    match verdict {
        NodesVerdict::Lead => (Holds, summary),
        NodesVerdict::Mislead => {
            let pairs = crate::analysis::caveats::games::pairs_needed(DETECTED_ELO);
            let hours = pairs as f64 * SECONDS_PER_PAIR / 3600.0;
            let advice = format!(
                "judge tables of this engine by games: {pairs} pairs show {DETECTED_ELO:.0} Elo, about {hours:.1} h at 0.1 s a move"
            );
            (DoesNotHold, format!("{summary}; {advice}"))
        }
        NodesVerdict::Undecided => {
            let (depth, games) = forgetting::plan_more(forgetting);
            (NeedsMore, format!("{summary}: {}", describe_command(request, depth, games)))
        }
    }
}

/// The Elo difference that the games should show which are proposed instead of node counts.
const DETECTED_ELO: f64 = 20.0;

/// Two games of 80 moves of each side, at a tenth of a second a move.
const SECONDS_PER_PAIR: f64 = 32.0;

/// The command that examines the same engine with this many games to this depth.
fn describe_command(request: &Request, depth: u8, games: usize) -> String {
    let (program, arguments) = request.command.split();
    let options: String = request
        .options
        .iter()
        .map(|(name, value)| format!(" --option {}", quote_for_shell(&format!("{name}={value}"))))
        .collect();
    let arguments: String = arguments.iter().map(|word| format!(" {}", quote_for_shell(word))).collect();
    let separator = if arguments.is_empty() { "" } else { " --" };
    format!("ttlab doctor {}{options} --depth {depth} --games {games}{separator}{arguments}", quote_for_shell(program))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_options(lines: &[&str]) -> Vec<UciOption> {
        lines.iter().map(|line| UciOption::parse(line).unwrap()).collect()
    }

    #[test]
    fn options_take_the_type_of_their_text() {
        let resolve = |requested: &[(&str, &str)]| {
            let options: Vec<_> =
                requested.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            to_typed_options(&options).into_iter().map(|(name, value)| format!("{name} {value:?}")).collect::<Vec<_>>()
        };
        assert_eq!(resolve(&[]), ["Threads Spin(1)"]);
        assert_eq!(
            resolve(&[("hash", "32"), ("threads", "2"), ("ownbook", "false"), ("Other", "x")]),
            ["Other Text(\"x\")", "hash Spin(32)", "ownbook Check(false)", "threads Spin(2)"]
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
    fn probe_result_becomes_one_check_per_question() {
        let report = UciReport { nodes: Some(900), ..UciReport::default() };
        let exact = ProbeResult {
            repeatability: Repeatability::Exact,
            resets_on_new_game: true,
            depth: LimitSupport::Yes,
            nodes: LimitSupport::Yes,
            node_limits: vec![(20_000, 20_001), (2000, 2003)],
            reports: vec![report],
            after: Some(UciReport { nodes: Some(22), ..UciReport::default() }),
            ..ProbeResult::default()
        };
        let list_checks = |probe: &ProbeResult| {
            let mut findings = Findings::default();
            add_probe_checks(probe, Limit { depth: Some(9), nodes: None }, &mut findings);
            let lines =
                findings.0.into_iter().map(|check| format!("{:?} {}: {}", check.result, check.check, check.finding));
            lines.collect::<Vec<_>>()
        };
        assert_eq!(
            list_checks(&exact),
            [
                "Holds go depth: respected",
                "Holds go nodes: 20001 nodes at a limit of 20000, 2003 nodes at a limit of 2000",
                "Holds node counts: rise from depth to depth, begin at 0, 22 for depth 1 after a search to depth 9",
                "Holds repeats: same nodes, score, move, variation and depths at depth 9",
                "Holds ucinewgame: resets the engine like a new process",
            ]
        );
        let not_resetting = ProbeResult {
            repeatability: Repeatability::Within(0.5),
            resets_on_new_game: false,
            difference: Some("nodes 5, then 6".to_owned()),
            counter_fault: "its node counts are no sums".to_owned(),
            notes: vec!["surprise".to_owned()],
            ..exact.clone()
        };
        assert_eq!(
            list_checks(&not_resetting)[2..],
            [
                "DoesNotHold node counts: its node counts are no sums",
                "Holds repeats: in new processes, at depth 9",
                "DoesNotHold ucinewgame: keeps state (nodes 5, then 6): measure the engine with restart = \"game\"",
                "Note note: surprise",
            ]
        );
        let unrepeatable = ProbeResult {
            repeatability: Repeatability::NotRepeatable,
            lacks_nodes: true,
            nodes: LimitSupport::No("it made 6".to_owned()),
            ..exact.clone()
        };
        assert_eq!(
            list_checks(&unrepeatable)[1..],
            [
                "DoesNotHold go nodes: not respected: it made 6",
                "DoesNotHold node counts: never reported, or impossible values",
                "DoesNotHold repeats: not repeatable, even in new processes, at depth 9",
                "DoesNotHold ucinewgame: cannot be asked, because searches do not repeat",
            ]
        );
        let unlimited = ProbeResult { lacks_nodes: true, reports: Vec::new(), ..exact.clone() };
        assert_eq!(
            list_checks(&unlimited)[2..],
            [
                "DoesNotHold node counts: never reported, or impossible values",
                "DoesNotHold repeats: cannot be asked: the engine respects no limit",
            ]
        );
    }

    /// Nodes that mislead name games first; an open question names the command that decides.
    #[test]
    fn verdict_on_nodes_says_what_to_do() {
        let forgetting = Forgetting {
            small: 1,
            large: 64,
            depth: 9,
            games: 6,
            searches: 18,
            differing: 17,
            hashfull: [Some(900.0), Some(20.0)],
            ..Forgetting::default()
        };
        let request = Request {
            command: CommandLine::List(["gnuchess", "-u"].map(str::to_owned).to_vec()),
            options: vec![("Clear Hash".to_owned(), "true".to_owned())],
            budget: Budget::Time(Duration::ZERO),
        };
        let say = |verdict| describe_nodes(&forgetting, verdict, &request);
        let figures =
            "1 MiB take no times the nodes of 64 MiB to depth 9 (17 of 18 searches in 6 games differ, hashfull 900)";
        assert_eq!(say(NodesVerdict::Lead), (Holds, figures.to_owned()));
        let games = "judge tables of this engine by games: 290 pairs show 20 Elo, about 2.6 h at 0.1 s a move";
        assert_eq!(say(NodesVerdict::Mislead), (DoesNotHold, format!("{figures}; {games}")));
        let (result, more) = say(NodesVerdict::Undecided);
        assert_eq!(result, NeedsMore);
        let command = more.strip_prefix(&format!("{figures}: ")).unwrap();
        assert!(command.starts_with("ttlab doctor gnuchess --option 'Clear Hash=true' --depth "), "{command}");
        assert!(command.ends_with(&format!(" --games {} -- -u", count_games())), "{command}");
    }
}
