//! An external UCI engine, which runs as a process under a watchdog.

use super::info::{InfoCollector, UCI_MATE, table_counters};
use super::launch::Launch;
use super::options::{OptionValue, Restart, hash_mebibytes};
use super::process::{NextLine, Process, QuitReport};
use super::program::{EngineIdentity, Program};
use super::protocol::{self, OptionError, UciOption, first_word, is_move};
use super::watchdog::{self, Watchdog};
use super::{EngineFault, Failure, Position, SearchEnd, SearchEvent, Subject, UciReport};
use crate::chess::{Board, EpRule, Move, parse_move};
use crate::engine::Limit;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long an engine may take to react to `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// The maximum number of lines of one answer. An engine that writes more lines may never stop
/// writing.
const MAX_LINES: usize = 1_000_000;

pub struct Uci {
    launch: Launch,
    process: Option<Process>,
    identity: EngineIdentity,
    watchdog: Watchdog,
    ready_timeout: Duration,
    is_fresh: bool,
    /// The depth and nodes that the last search reported, even if the search failed.
    progress: (Option<u8>, Option<u64>),
    /// Whether a search that is far beyond its limit is ended as if its time were up.
    ends_overruns: bool,
}

impl Uci {
    pub fn new(launch: Launch) -> Self {
        let watchdog = Watchdog::new(launch.timeout);
        let hash = launch.options.iter().find_map(|(name, value)| hash_mebibytes(name, value));
        Self {
            ready_timeout: watchdog::ready_timeout(hash.unwrap_or(0), launch.timeout),
            launch,
            process: None,
            identity: EngineIdentity::default(),
            watchdog,
            is_fresh: true,
            progress: (None, None),
            ends_overruns: false,
        }
    }

    /// Makes a search that is far beyond its limit fail at once instead of after its timeout.
    pub fn end_overruns(&mut self) {
        self.ends_overruns = true;
    }

    pub fn set_timeout(&mut self, timeout: Duration) {
        self.watchdog = Watchdog::new(Some(timeout));
    }

    /// Quits the engine and reports what it leaves behind. The engine must not have a guard, and no
    /// other engine may be running. Returns `None` if there is no process.
    pub fn quit_and_inspect(&mut self) -> Option<QuitReport> {
        self.process.take().map(|mut process| process.quit_and_inspect())
    }

    /// Searches a position and returns the engine's report, or `None` if `stop` was set.
    ///
    /// # Errors
    /// When the search fails.
    pub fn report(
        &mut self,
        position: Position<'_>,
        limit: Limit,
        stop: &AtomicBool,
    ) -> Result<Option<UciReport>, Failure> {
        let mut report = None;
        self.search(position, limit, stop, &mut |event| keep_report(event, &mut report))?;
        Ok(report)
    }

    /// Sends a `go` line, which has this limit, for a position that may have no legal move. Returns
    /// the engine's report, or `None` if `stop` was set.
    ///
    /// # Errors
    /// When the search fails.
    pub fn ask(
        &mut self,
        position: Position<'_>,
        request: &str,
        limit: Limit,
        stop: &AtomicBool,
    ) -> Result<Option<UciReport>, Failure> {
        let mut report = None;
        self.send_position(position)?;
        self.go(position.board, (request, limit), stop, &mut |event| keep_report(event, &mut report))?;
        Ok(report)
    }

    /// Sends a line that has no answer, and waits until the engine is ready.
    ///
    /// # Errors
    /// When the engine does not answer.
    pub fn tell(&mut self, line: &str) -> Result<(), Failure> {
        self.send(line)?;
        self.wait_until_ready(line).map(drop)
    }

    pub fn progress(&self) -> (Option<u8>, Option<u64>) {
        self.progress
    }

    pub fn identity(&self) -> &EngineIdentity {
        &self.identity
    }

    /// Starts a new process, sends `uci`, reads the engine's identity, sets the options, and waits
    /// until the engine is ready.
    fn restart(&mut self) -> Result<(), Failure> {
        self.quit();
        let process = Process::start(&self.launch).map_err(|error| {
            let text = format!("{}: {error}", self.launch.path.display());
            self.fail(EngineFault::StartFailed(text), "start")
        })?;
        self.process = Some(process);
        self.is_fresh = true;
        self.send("uci")?;
        let mut identity = EngineIdentity::default();
        for line in self.read_answer("uci", "uciok")? {
            let mut words = line.split_whitespace();
            let field = if words.next() == Some("id") { words.next() } else { None };
            if field == Some("name") {
                identity.name = protocol::skip_words(&line, 2);
            } else if field == Some("author") {
                identity.author = protocol::skip_words(&line, 2);
            } else if let Some(option) = UciOption::parse(&line) {
                identity.options.push(option);
            } else if !line.trim().is_empty() {
                identity.banner.push(line);
            }
        }
        self.identity = identity;
        // The file may have been replaced at any time before it was started.
        if let Some(fault) = self.launch.program.as_ref().and_then(Program::replacement) {
            return Err(self.fail(fault, "start"));
        }
        self.set_options()
    }

    /// All options are sent before the first `isready`, because some engines read their options
    /// only once (GNU Chess 6.2.7). No option is sent twice to a process, because some engines
    /// forget everything when an option is set to the value that it has.
    fn set_options(&mut self) -> Result<(), Failure> {
        let mut lines = Vec::new();
        for (name, value) in ordered_options(&self.identity.options, &self.launch.options) {
            let option = protocol::check_option(&self.identity.options, &name, &value).cloned().map_err(|error| {
                let text = match error {
                    OptionError::Unknown(_) => format!("no such option: {name}"),
                    OptionError::Value { expected, .. } => format!("{name} = {value}: expected {expected}"),
                };
                self.fail(EngineFault::OptionRefused(text), "setoption")
            })?;
            let line = protocol::setoption_line(&option, &value);
            self.send(&line)?;
            lines.push(line);
            self.identity.applied.push((option.name, value.to_string()));
        }
        let request = if lines.is_empty() { "isready".to_owned() } else { lines.join("; ") };
        let answer = self.wait_until_ready(&request)?;
        match answer.into_iter().find(|line| protocol::is_refusal(line)) {
            Some(refusal) => Err(self.fail(EngineFault::OptionRefused(refusal), &request)),
            None => Ok(()),
        }
    }

    /// Sends `isready` and returns the lines before `readyok`.
    fn wait_until_ready(&mut self, request: &str) -> Result<Vec<String>, Failure> {
        self.send_for_request("isready", request)?;
        self.read_answer(request, "readyok")
    }

    fn send(&mut self, line: &str) -> Result<(), Failure> {
        self.send_for_request(line, line)
    }

    /// Writes a line that belongs to `request`. A failure names the request instead of the line,
    /// because the engine may have exited while it handled the request.
    fn send_for_request(&mut self, line: &str, request: &str) -> Result<(), Failure> {
        let no_process = Err(std::io::ErrorKind::NotConnected.into());
        let result = self.process.as_mut().map_or(no_process, |process| process.send(line));
        result.map_err(|_| self.exit_failure(request))
    }

    /// Reads the lines of an answer, up to but not including the line that begins with `end_word`.
    fn read_answer(&mut self, request: &str, end_word: &str) -> Result<Vec<String>, Failure> {
        let mut lines = Vec::new();
        self.read_until(request, self.ready_timeout, None, |line| {
            let is_last = first_word(line) == end_word;
            if !is_last {
                lines.push(line.to_owned());
            }
            is_last
        })?;
        Ok(lines)
    }

    /// Passes the engine's lines to `is_last` until `is_last` returns true. Returns false if `stop`
    /// was set in the meantime. `stop` is given only for searches. In a search, the engine may
    /// write more lines than for other requests.
    fn read_until(
        &mut self,
        request: &str,
        timeout: Duration,
        stop: Option<&AtomicBool>,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<bool, Failure> {
        let (deadline, never_stopped) = (Instant::now() + timeout, AtomicBool::new(false));
        let stop_flag = stop.unwrap_or(&never_stopped);
        let max_lines = if stop.is_some() { MAX_LINES } else { MAX_LINES / 10 };
        for _ in 0..=max_lines {
            let next = self.process.as_mut().map_or(NextLine::Closed, |process| process.next(deadline, stop_flag));
            match next {
                NextLine::Line(line) if is_last(&line) => return Ok(true),
                NextLine::Line(_) if Instant::now() < deadline => {}
                NextLine::Line(_) | NextLine::Late if stop.is_some() => {
                    return Err(self.stop_late_search(timeout, request));
                }
                NextLine::Line(_) | NextLine::Late => return Err(self.fail(EngineFault::NotReady(timeout), request)),
                NextLine::Closed => return Err(self.exit_failure(request)),
                NextLine::Stopped => {
                    // `fail` kills the process. The failure that it returns is not needed.
                    self.fail(EngineFault::NoAnswer(timeout), request);
                    return Ok(false);
                }
            }
        }
        Err(self.fail(EngineFault::TooManyLines(max_lines), request))
    }

    /// Kills the process and returns the failure. The process is killed so that its later output
    /// cannot be mistaken for the answer to another request.
    fn fail(&mut self, fault: EngineFault, request: &str) -> Failure {
        let tail = self.process.as_ref().map(Process::tail).unwrap_or_default();
        if let Some(mut process) = self.process.take() {
            process.kill_now();
        }
        // An engine may declare a table that it cannot have: npm's Stockfish 19 declares 32 TiB.
        let large_table = |(name, value): &(String, String)| {
            let is_large = name.eq_ignore_ascii_case("Hash") && value.parse::<u64>().is_ok_and(|size| size >= 1024);
            let option = self.identity.options.iter().find(|option| is_large && option.name == *name)?;
            Some(format!(" with {name} = {value}, of which it declares {}", option.kind))
        };
        let table = self.identity.applied.iter().find_map(large_table).unwrap_or_default();
        Failure { fault, request: request.to_owned(), table, tail }
    }

    fn exit_failure(&mut self, request: &str) -> Failure {
        let exit_text = match &mut self.process {
            Some(process) => process.quit().unwrap_or_else(|| "it closed its output".to_owned()),
            None => "before this request".to_owned(),
        };
        self.fail(EngineFault::Exited(exit_text), request)
    }

    /// Sends `stop` to an engine whose search exceeded the timeout. Returns the failure, which says
    /// whether the engine reacted to `stop`.
    fn stop_late_search(&mut self, waited: Duration, request: &str) -> Failure {
        // The last lines are taken before `stop` is sent, so that they do not contain the answer to
        // `stop`.
        let tail = self.process.as_ref().map(Process::tail).unwrap_or_default();
        let has_reacted = self.send("stop").is_ok()
            && self.read_until(request, STOP_TIMEOUT, None, |line| first_word(line) == "bestmove").is_ok();
        let fault = if has_reacted { EngineFault::LimitIgnored(waited) } else { EngineFault::NoAnswer(waited) };
        Failure { tail, ..self.fail(fault, request) }
    }

    /// Starts a new process if the next search needs one, and sends the position.
    fn send_position(&mut self, position: Position<'_>) -> Result<(), Failure> {
        if self.process.is_none() || self.launch.restart == Restart::Search && !self.is_fresh {
            self.restart()?;
        }
        self.is_fresh = false;
        self.send(&position_line(&position))
    }

    /// Sends the `go` line `request`, which has this limit, and waits for the best move.
    fn go(
        &mut self,
        board: &Board,
        (request, limit): (&str, Limit),
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(SearchEvent<'_>),
    ) -> Result<SearchEnd, Failure> {
        on_event(SearchEvent::Begin);
        let (start, mut info, mut best_line) = (Instant::now(), InfoCollector::default(), String::new());
        self.send(request)?;
        let (ends_overruns, mut is_overrun, mut unknown) = (self.ends_overruns, false, None);
        let result = self.read_until(request, self.watchdog.search_timeout(limit), Some(stop), |line| {
            if first_word(line) == "bestmove" {
                best_line = line.to_owned();
                return true;
            }
            info.add_line(line, start.elapsed());
            unknown = unknown.take().or_else(|| table_counters(line)?.err());
            is_overrun = ends_overruns && is_far_beyond(limit, info.depth(), info.nodes());
            is_overrun
        });
        self.progress = (info.depth(), info.nodes());
        let has_ended = result?;
        if is_overrun {
            return Err(self.stop_late_search(start.elapsed(), request));
        }
        if !has_ended {
            return Ok(SearchEnd::Stopped);
        }
        if let Some(name) = unknown {
            return Err(self.fail(EngineFault::UnknownCounter(name), request));
        }
        on_event(SearchEvent::End);
        self.watchdog.record_search(start.elapsed(), info.nodes());
        let best = self.parse_best_move(&best_line, board, request)?;
        on_event(SearchEvent::Report(&info.into_report(board, best, limit)));
        Ok(SearchEnd::Best(best))
    }

    /// Parses the move of a `bestmove` line and checks that it is legal. Returns [`Move::NONE`] if
    /// the line contains no move and there is no legal move.
    fn parse_best_move(&mut self, line: &str, board: &Board, request: &str) -> Result<Move, Failure> {
        let word = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        if let Some(best) = parse_move(board, &word) {
            return Ok(best);
        }
        let is_no_move = matches!(word.to_ascii_lowercase().as_str(), "" | "(none)" | "none" | "0000" | "null");
        match (is_no_move, board.has_legal_move()) {
            (true, false) => Ok(Move::NONE),
            (true, true) => Err(self.fail(EngineFault::NoMove, request)),
            (false, _) if is_move(&word) => {
                let text = format!("{word} in {}", board.fen(EpRule::Legal));
                Err(self.fail(EngineFault::IllegalMove(text), request))
            }
            (false, _) => Err(self.fail(EngineFault::InvalidAnswer(line.chars().take(100).collect()), request)),
        }
    }
}

/// `Threads` comes before `Hash` because an engine may allocate memory for each thread. `OwnBook`
/// and `Ponder` are switched off unless the user sets them. Of an option that is set twice, in
/// whatever case, only the last value remains.
fn ordered_options(declared: &[UciOption], user_options: &[(String, OptionValue)]) -> Vec<(String, OptionValue)> {
    let is_set_by_user = |name: &str| user_options.iter().any(|(option, _)| option.eq_ignore_ascii_case(name));
    let is_declared = |name: &str| declared.iter().any(|option| option.name.eq_ignore_ascii_case(name));
    let switched_off = ["OwnBook", "Ponder"].into_iter().filter(|name| is_declared(name) && !is_set_by_user(name));
    let mut options: Vec<(String, OptionValue)> = switched_off
        .map(|name| (name.to_owned(), OptionValue::Check(false)))
        .chain(user_options.iter().cloned())
        .collect();
    let mut later_names = HashSet::new();
    options.reverse();
    options.retain(|(name, _)| later_names.insert(name.to_ascii_lowercase()));
    options.reverse();
    options.sort_by_key(|(name, _)| match name.to_ascii_lowercase().as_str() {
        "threads" => 0,
        "hash" => 1,
        _ => 2,
    });
    options
}

fn keep_report(event: SearchEvent<'_>, report: &mut Option<UciReport>) {
    if let SearchEvent::Report(latest) = event {
        *report = Some(latest.clone());
    }
}

fn position_line(position: &Position<'_>) -> String {
    let fen = position.start.fen(EpRule::Legal);
    let moves: String = position.moves.iter().map(|mv| format!(" {mv}")).collect();
    if moves.is_empty() { format!("position fen {fen}") } else { format!("position fen {fen} moves{moves}") }
}

/// Without a limit, the search is infinite.
fn go_line(limit: Limit) -> String {
    let depth = limit.depth.map(|depth| format!(" depth {depth}")).unwrap_or_default();
    let nodes = limit.nodes.map(|nodes| format!(" nodes {nodes}")).unwrap_or_default();
    let infinite = if limit == Limit::default() { " infinite" } else { "" };
    format!("go{depth}{nodes}{infinite}")
}

/// Whether a search has passed its limit so far that it ignores it. Some engines search one ply
/// more (Glaurung 2.2 at depth 1), or check their nodes only from time to time.
fn is_far_beyond(limit: Limit, depth: Option<u8>, nodes: Option<u64>) -> bool {
    limit.depth.is_some_and(|maximum| depth > Some(maximum.saturating_add(1)))
        || limit.nodes.is_some_and(|maximum| nodes > Some(maximum.saturating_mul(4).saturating_add(100_000)))
}

impl Subject for Uci {
    fn start(&mut self) -> Result<(), Failure> {
        match self.process {
            Some(_) if self.launch.restart == Restart::Experiment => Ok(()),
            _ => self.restart(),
        }
    }

    fn new_game(&mut self) -> Result<(), Failure> {
        if self.process.is_none() || self.launch.restart != Restart::Experiment && !self.is_fresh {
            self.restart()?;
        }
        self.tell("ucinewgame")
    }

    fn search(
        &mut self,
        position: Position<'_>,
        limit: Limit,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(SearchEvent<'_>),
    ) -> Result<SearchEnd, Failure> {
        if !position.board.has_legal_move() {
            // Engines answer with no move, any move or nothing, so such a position is not sent.
            [SearchEvent::Begin, SearchEvent::End].into_iter().for_each(&mut *on_event);
            let score = if position.board.checkers().is_empty() { 0 } else { -UCI_MATE.value };
            let report = UciReport { depth: Some(0), score: Some(score), ..UciReport::default() };
            on_event(SearchEvent::Report(&report));
            return Ok(SearchEnd::Best(Move::NONE));
        }
        self.send_position(position)?;
        let request = go_line(limit);
        self.go(position.board, (&request, limit), stop, on_event)
    }

    fn quit(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.quit();
        }
    }
}

impl Drop for Uci {
    fn drop(&mut self) {
        self.quit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Increments;

    #[test]
    fn threads_are_set_first_then_memory_with_book_off() {
        let lines = [
            "option name OwnBook type check default true",
            "option name Ponder type check default true",
            "option name Hash type spin default 16 min 1 max 64",
            "option name Threads type spin default 2 min 1 max 8",
        ];
        let declared: Vec<UciOption> = lines.iter().filter_map(|line| UciOption::parse(line)).collect();
        let option = |name: &str, value| (name.to_owned(), value);
        let options = ordered_options(
            &declared,
            &[
                option("ponder", OptionValue::Check(true)),
                option("Hash", OptionValue::Spin(4)),
                option("Threads", OptionValue::Spin(1)),
            ],
        );
        let names: Vec<String> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(names, ["Threads=1", "Hash=4", "OwnBook=false", "ponder=true"]);
    }

    #[test]
    fn position_line_has_start_and_moves() {
        let start = Board::startpos();
        let mut board = start;
        let mut moves = Vec::new();
        for word in ["e2e4", "e7e5"] {
            let mv = parse_move(&board, word).unwrap();
            moves.push(mv);
            board.play(mv, Increments::none());
        }
        let position = Position { start: &start, moves: &moves, past: &[], board: &board };
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(position_line(&position), format!("position fen {fen} moves e2e4 e7e5"));
        assert_eq!(position_line(&Position::from_board(&start)), format!("position fen {fen}"));
        assert_eq!(go_line(Limit { depth: Some(3), nodes: Some(9) }), "go depth 3 nodes 9");
        assert_eq!(go_line(Limit::default()), "go infinite");
    }

    /// An engine scripted in shell that logs its input and answers `go` with `answer`.
    fn launch(folder: &std::path::Path, answer: &str) -> Launch {
        let script = format!(
            "echo started >>\"$0\"; while read -r line; do echo \"$line\" >>\"$0\"; case \"$line\" in \
             uci) echo \"Banner, 1999 \"; echo; echo 'id name  Two Words '; echo 'id author A, B'; \
             echo 'option name Hash type spin default 16 min 1 max 64'; echo 'option name ownbook type check default true'; \
             echo 'option name Style type combo default Solid var Solid var Very Risky'; echo 'option name Clear Hash type button'; \
             echo 'option name Threads type spin default 1 min 1 max 8'; echo 'uciok ';; \
             isready) echo 'readyok ';; go*) {answer};; quit) exit;; esac; done"
        );
        Launch {
            path: "/bin/sh".into(),
            arguments: vec!["-c".to_owned(), script, folder.join("log").display().to_string()],
            timeout: Some(Duration::from_secs(30)),
            ..Launch::default()
        }
    }

    /// Another program in place of the first is not searched with, however it came there; the same
    /// program is, whatever its time.
    #[test]
    fn replaced_program_is_refused() {
        use crate::subject::options::CommandLine;
        use std::os::unix::fs::PermissionsExt;
        let script = "#!/bin/sh\nwhile read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; \
            go*) echo bestmove e2e4;; quit) exit;; esac; done\n";
        let other = script.replace("e2e4", "d2d4");
        for (restart, text, moved, is_refused) in [
            (Restart::Game, other.as_str(), false, true),
            (Restart::Game, &other, true, true),
            (Restart::Search, &other, true, true),
            (Restart::Game, script, true, false),
            // The process goes on.
            (Restart::Experiment, &other, true, false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let write = |name: &str, text: &str| {
                let path = folder.path().join(name);
                std::fs::write(&path, text).unwrap();
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
                path
            };
            let path = write("engine", script);
            let program = super::super::find_program(&CommandLine::Name("./engine".to_owned()), folder.path()).unwrap();
            let mut engine = Uci::new(Launch { guard: None, restart, ..Launch::new(&program) });
            let board = Board::startpos();
            let mut search = || {
                engine.new_game()?;
                let limit = Limit { depth: Some(1), nodes: None };
                engine.report(Position::from_board(&board), limit, &AtomicBool::new(false))
            };
            assert_eq!(search().unwrap().unwrap().best.to_string(), "e2e4");
            match moved {
                true => std::fs::rename(write("new", text), path).unwrap(),
                false => drop(write("engine", text)),
            }
            let second = search().map(|report| report.unwrap().best.to_string());
            let fault = second.as_ref().err().map(|failure| &failure.fault);
            assert_eq!(matches!(fault, Some(EngineFault::Replaced(..))), is_refused, "{restart:?} {second:?}");
            assert!(is_refused || second.unwrap() == "e2e4");
        }
    }

    fn log(folder: &std::path::Path) -> String {
        std::fs::read_to_string(folder.join("log")).unwrap_or_default()
    }

    /// All lines that the engine receives, in each restart mode: two searches in one game and a
    /// search in another. Each new process gets the options again, and each option once: in
    /// Stockfish 15.1 an equal value of `Hash` empties the table, and one of `Threads` resets
    /// everything (findings/stockfish-hash-again.sh, findings/stockfish-threads-again.sh).
    #[test]
    fn commands_are_sent_in_order_for_each_restart_mode() {
        const GREETING: &str = "started\nuci\nsetoption name Threads value 2\nsetoption name Hash value 4\n\
            setoption name OWNBOOK value false\nsetoption name Clear Hash\nsetoption name Style value Very Risky\nisready\n";
        let greeting = GREETING.replace("OWNBOOK", "ownbook");
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let options = [
            ("clear hash", OptionValue::Check(true)),
            ("STYLE", OptionValue::Text("Very Risky".to_owned())),
            ("hash", OptionValue::Spin(16)),
            ("Hash", OptionValue::Spin(4)),
            ("threads", OptionValue::Spin(2)),
        ];
        let game = "ucinewgame\nisready\n";
        let first = format!("position fen {fen}\ngo depth 3\n");
        let second = format!("position fen {fen} moves e2e4 e7e5\ngo depth 3 nodes 900\n");
        let start = Board::startpos();
        let (mut board, mut moves, mut past) = (start, Vec::new(), Vec::new());
        for word in ["e2e4", "e7e5"] {
            past.push(board);
            moves.push(parse_move(&board, word).unwrap());
            board.play(moves[moves.len() - 1], Increments::none());
        }
        for (restart, conversation) in [
            (Restart::Experiment, [&greeting[..], game, &first, &second, game, &first, "quit\n"].concat()),
            (
                Restart::Game,
                [&greeting[..], game, &first, &second, "quit\n", &greeting, game, &first, "quit\n"].concat(),
            ),
            (
                Restart::Search,
                [
                    &greeting[..],
                    game,
                    &first,
                    "quit\n",
                    &greeting,
                    &second,
                    "quit\n",
                    &greeting,
                    game,
                    &first,
                    "quit\n",
                ]
                .concat(),
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let answer = "echo info depth 1 score cp 7 nodes 20 time 3 pv d2d4; echo info depth 3 score cp 9 nodes 50 hashfull 4 time 8 pv g1f3; echo bestmove g1f3 ponder d7d5";
            let options = options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            let mut engine = Uci::new(Launch { options, restart, ..launch(folder.path(), answer) });
            assert_eq!(engine.identity(), &EngineIdentity::default());
            engine.start().unwrap();
            let mut events = Vec::new();
            let mut search = |engine: &mut Uci, position: Position<'_>, limit: Limit| {
                let result = engine.search(position, limit, &AtomicBool::new(false), &mut |event| {
                    events.push(match event {
                        SearchEvent::Begin => "begin".to_owned(),
                        SearchEvent::End => "end".to_owned(),
                        SearchEvent::Iteration(_) => "iteration".to_owned(),
                        SearchEvent::Report(report) => {
                            format!("{:?} {:?} {:?}", report.depth, report.nodes, report.earlier_depths.len())
                        }
                    });
                });
                assert_eq!(result.map(|end| matches!(end, SearchEnd::Best(mv) if mv.to_string() == "g1f3")), Ok(true));
            };
            engine.new_game().unwrap();
            search(&mut engine, Position::from_board(&start), Limit { depth: Some(3), nodes: None });
            let later = Position { start: &start, moves: &moves, past: &past, board: &board };
            search(&mut engine, later, Limit { depth: Some(3), nodes: Some(900) });
            engine.new_game().unwrap();
            search(&mut engine, Position::from_board(&start), Limit { depth: Some(3), nodes: None });
            let search_events = ["begin", "end", "Some(3) Some(50) 1"];
            assert_eq!(events, [search_events; 3].concat());
            let identity = engine.identity();
            assert_eq!(
                (identity.name.as_str(), identity.author.as_str(), &identity.banner[..]),
                ("Two Words", "A, B", &["Banner, 1999 ".to_owned()][..])
            );
            let names: Vec<&str> = identity.options.iter().map(|option| option.name.as_str()).collect();
            assert_eq!(names, ["Hash", "ownbook", "Style", "Clear Hash", "Threads"]);
            let set: Vec<String> = identity.applied.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(set, ["Threads=2", "Hash=4", "ownbook=false", "Clear Hash=true", "Style=Very Risky"]);
            drop(engine);
            assert_eq!(log(folder.path()), conversation, "{restart:?}");
        }
    }

    /// Legal and illegal moves, and each way of writing that there is no move, in a position with
    /// legal moves and in one without.
    #[test]
    fn best_move_is_checked_against_the_board() {
        let (start, mated) = (
            Board::startpos(),
            Board::from_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").unwrap(),
        );
        let folder = tempfile::tempdir().unwrap();
        let illegal =
            |word: &str, board: &Board| EngineFault::IllegalMove(format!("{word} in {}", board.fen(EpRule::Legal)));
        for (answer, board, fault) in [
            ("bestmove e2e4 ponder e7e5", start, None),
            ("bestmove E2E4", start, Some(EngineFault::InvalidAnswer("bestmove E2E4".to_owned()))),
            ("bestmove", start, Some(EngineFault::NoMove)),
            ("bestmove (none)", start, Some(EngineFault::NoMove)),
            ("bestmove NULL", start, Some(EngineFault::NoMove)),
            ("bestmove e2e5", start, Some(illegal("e2e5", &start))),
            // A position without a legal move is not sent, so any answer is as good.
            ("bestmove e2e4", mated, None),
            ("bestmove e7e8q", start, Some(illegal("e7e8q", &start))),
            ("bestmove e2", start, Some(EngineFault::InvalidAnswer("bestmove e2".to_owned()))),
            ("bestmove i2e4", start, Some(EngineFault::InvalidAnswer("bestmove i2e4".to_owned()))),
            ("bestmove e2e9", start, Some(EngineFault::InvalidAnswer("bestmove e2e9".to_owned()))),
            ("bestmove e2e4q5", start, Some(EngineFault::InvalidAnswer("bestmove e2e4q5".to_owned()))),
        ] {
            let mut engine = Uci::new(launch(folder.path(), &format!("echo '{answer}'")));
            engine.start().unwrap();
            let result = engine.search(
                Position::from_board(&board),
                Limit { depth: Some(1), nodes: None },
                &AtomicBool::new(false),
                &mut |_| {},
            );
            let failure = result.err();
            assert_eq!(failure.as_ref().map(|failure| &failure.fault), fault.as_ref(), "{answer}");
            if let Some(failure) = failure {
                assert_eq!(
                    (failure.request.as_str(), failure.tail.last().map(String::as_str)),
                    ("go depth 1", Some(answer))
                );
            }
        }
        // Unknown options and invalid values are reported before any search.
        for (name, value, problem) in [
            ("Hesh", OptionValue::Spin(1), "no such option: Hesh"),
            ("Hash", OptionValue::Spin(65), "Hash = 65: expected a number from 1 to 64"),
        ] {
            let mut engine = Uci::new(Launch { options: vec![(name.to_owned(), value)], ..launch(folder.path(), "") });
            let failure = engine.start().unwrap_err();
            assert_eq!(
                (failure.fault, failure.request.as_str()),
                (EngineFault::OptionRefused(problem.to_owned()), "setoption")
            );
        }
    }

    /// Mate, stalemate and the end of self-play: a report says what a board without a legal move is
    /// worth, and the engine sees nothing of it.
    #[test]
    fn position_without_a_legal_move_is_not_sent() {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = Uci::new(launch(folder.path(), "echo bestmove a1a1"));
        engine.start().unwrap();
        for (fen, score) in [
            ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", -32_000),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let limit = Limit { depth: Some(3), nodes: None };
            let report = engine.report(Position::from_board(&board), limit, &AtomicBool::new(false)).unwrap().unwrap();
            let expected = UciReport { depth: Some(0), score: Some(score), ..UciReport::default() };
            assert_eq!(report, expected, "{fen}");
        }
        assert!(!log(folder.path()).contains("position"), "{}", log(folder.path()));
    }

    /// An engine that is never ready is given up after the timeout for being ready.
    #[test]
    fn engine_that_is_never_ready_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        for (removed_answer, request) in
            [("isready) echo 'readyok ';;", "setoption name ownbook value false"), ("echo 'uciok ';;", "uci")]
        {
            let mut launch = launch(folder.path(), "");
            let script = launch.arguments[1].replace(removed_answer, if request == "uci" { ";;" } else { "" });
            assert_ne!(script, launch.arguments[1]);
            launch.arguments[1] = script;
            let mut engine = Uci::new(launch);
            assert_eq!(engine.ready_timeout, Duration::from_secs(30), "the user's timeout, if it is longer");
            engine.ready_timeout = Duration::from_millis(300);
            let failure = engine.start().unwrap_err();
            assert_eq!(failure.fault, EngineFault::NotReady(Duration::from_millis(300)));
            assert!(failure.request.contains(request), "{failure}");
        }
    }

    /// A refusal is found among other lines. When the engine exits, the last lines of its standard
    /// output and standard error are reported.
    #[test]
    fn refused_option_is_found_among_other_lines() {
        let folder = tempfile::tempdir().unwrap();
        let engine_with_output = |output: &str| {
            let mut launch =
                launch(folder.path(), "echo out one; echo out two; echo err one >&2; echo err two >&2; exit 7");
            launch.arguments[1] = launch.arguments[1].replace("isready)", &format!("setoption*) {output};; isready)"));
            launch.options = vec![("Hash".to_owned(), OptionValue::Spin(4))];
            Uci::new(launch)
        };
        for output in
            ["echo 'No such option: Hash'", "echo info string hash; echo; echo 'No such option: Hash'; echo later"]
        {
            let failure = engine_with_output(output).start().unwrap_err();
            assert_eq!(
                (failure.fault, failure.request.as_str()),
                (
                    EngineFault::OptionRefused("No such option: Hash".to_owned()),
                    "setoption name Hash value 4; setoption name ownbook value false"
                )
            );
        }
        let mut engine = engine_with_output("echo info string hash; echo set to 4");
        engine.start().unwrap();
        let limit = Limit { depth: Some(1), nodes: None };
        let start = Board::startpos();
        let failure =
            engine.search(Position::from_board(&start), limit, &AtomicBool::new(false), &mut |_| {}).unwrap_err();
        assert_eq!(failure.fault, EngineFault::Exited("exit code 7".to_owned()));
        assert_eq!(
            failure.tail[failure.tail.len() - 4..],
            ["out one", "out two", "stderr: err one", "stderr: err two"]
        );
    }
}
