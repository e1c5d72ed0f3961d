//! An engine that speaks UCI as a subject: a process under a watchdog.

use super::heard::Heard;
use super::options::{OptionValue, Restart};
use super::process::{Next, Process};
use super::program::{Identity, Program};
use super::protocol::{self, Declared};
use super::watchdog::Watchdog;
use super::{Ended, Failure, Fault, Position, Reported, Subject, Told};
use crate::chess::{Board, EpRule, Move, named};
use crate::engine::Limit;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How an engine is to be started.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// The program.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The `ttlab` that guards it; without one the engine is not ended where this process is killed.
    pub guard: Option<PathBuf>,
    /// Options to be set, by name.
    pub options: Vec<(String, OptionValue)>,
    /// How long a process is kept.
    pub restart: Restart,
    /// What each search may take, where the user says so.
    pub timeout: Option<Duration>,
}

impl Launch {
    /// A program with all at its default, under the guard of this process's own program if that is `ttlab`.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        Self {
            path: program.path.clone(),
            arguments: program.arguments.clone(),
            guard: own_program(),
            ..Self::default()
        }
    }
}

/// This process's program, if it knows the guard's command.
fn own_program() -> Option<PathBuf> {
    let path = std::env::current_exe().ok()?;
    // The link stays good where the file is replaced under a long run.
    let link = PathBuf::from("/proc/self/exe");
    (path.file_stem()? == "ttlab").then_some(if link.exists() { link } else { path })
}

/// How long an engine may take to say who it is.
const HELLO: Duration = Duration::from_secs(20);

/// How long it may take to be ready: large tables are filled with zeros now.
const READY: Duration = Duration::from_secs(120);

/// How long it may take to stop when it is told to.
const STOP: Duration = Duration::from_secs(1);

/// Lines of one answer at most: an engine that writes more writes without end.
const FLOOD: usize = 1_000_000;

/// An engine that speaks UCI.
pub struct Uci {
    launch: Launch,
    process: Option<Process>,
    identity: Identity,
    watchdog: Watchdog,
    /// Whether nothing was searched since the process was started.
    fresh: bool,
    /// Where no run can stop it.
    never: AtomicBool,
}

impl Uci {
    /// An engine that is not started yet.
    #[must_use]
    pub fn new(launch: Launch) -> Self {
        let watchdog = Watchdog::new(launch.timeout);
        Self {
            launch,
            process: None,
            identity: Identity::default(),
            watchdog,
            fresh: true,
            never: AtomicBool::new(false),
        }
    }

    /// What it says that it is; empty before it was started.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Starts the process anew: `uci`, its options, `isready`.
    fn restart(&mut self) -> Result<(), Failure> {
        self.end();
        let started = Process::start(&self.launch);
        let process = started.map_err(|error| Failure {
            fault: Fault::Start(format!("{}: {error}", self.launch.path.display())),
            during: "start".to_owned(),
            tail: Vec::new(),
        })?;
        self.process = Some(process);
        self.fresh = true;
        self.ask("uci")?;
        let mut identity = Identity::default();
        let heard = self.hear("uci", HELLO, |line| line.trim_end() == "uciok")?;
        for line in heard {
            let said = |what: &str| line.strip_prefix(what).map(|rest| rest.trim().to_owned());
            if let Some(name) = said("id name ") {
                identity.name = name;
            } else if let Some(author) = said("id author ") {
                identity.author = author;
            } else if let Some(option) = Declared::parse(&line) {
                identity.options.push(option);
            } else if !line.trim().is_empty() && line.trim_end() != "uciok" {
                identity.banner.push(line);
            }
        }
        self.identity = identity;
        self.set_options()?;
        self.ready("isready")
    }

    /// Sets the options: threads, then memory, then the rest, since an engine may allocate for each thread.
    fn set_options(&mut self) -> Result<(), Failure> {
        for (option, value) in wanted(&self.identity.options, &self.launch.options) {
            let (option, value) = match protocol::check(&self.identity.options, &option, &value) {
                Ok(option) => (option.clone(), value),
                Err(protocol::Misfit::Unknown(_)) => {
                    return Err(self.fail(Fault::Refused(format!("there is no option {option}")), "setoption"));
                }
                Err(protocol::Misfit::Value { expected, .. }) => {
                    let fault = Fault::Refused(format!("{option} = {value}: expected {expected}"));
                    return Err(self.fail(fault, "setoption"));
                }
            };
            let line = protocol::set_option(&option, &value);
            self.ask(&line)?;
            self.ask("isready")?;
            let heard = self.hear(&line, READY, is_ready)?;
            if let Some(refusal) = heard.into_iter().find(|line| protocol::refuses(line)) {
                return Err(self.fail(Fault::Refused(refusal), &line));
            }
            self.identity.set.push((option.name, value.to_string()));
        }
        Ok(())
    }

    fn ready(&mut self, during: &str) -> Result<(), Failure> {
        self.ask("isready")?;
        self.hear(during, READY, is_ready).map(drop)
    }

    /// Writes a line to the engine.
    fn ask(&mut self, line: &str) -> Result<(), Failure> {
        let sent = self.process.as_mut().map_or(Err(std::io::ErrorKind::NotConnected.into()), |it| it.send(line));
        sent.map_err(|_| self.has_ended(line))
    }

    /// Lines up to one that ends the answer, that one included.
    fn hear(&mut self, during: &str, patience: Duration, last: impl Fn(&str) -> bool) -> Result<Vec<String>, Failure> {
        let deadline = Instant::now() + patience;
        let mut heard = Vec::new();
        loop {
            let next = self.process.as_mut().map_or(Next::Closed, |it| it.next(deadline, &self.never));
            match next {
                Next::Line(line) => {
                    let ends = last(&line);
                    heard.push(line);
                    if ends {
                        return Ok(heard);
                    }
                    if heard.len() > FLOOD / 10 {
                        return Err(self.fail(Fault::Flood(FLOOD / 10), during));
                    }
                    if Instant::now() >= deadline {
                        return Err(self.fail(Fault::Silent(patience), during));
                    }
                }
                Next::Late | Next::Stopped => return Err(self.fail(Fault::Silent(patience), during)),
                Next::Closed => return Err(self.has_ended(during)),
            }
        }
    }

    /// A fault ends the process: nothing that it says later can be taken for an answer to something else.
    fn fail(&mut self, fault: Fault, during: &str) -> Failure {
        let tail = self.process.as_ref().map(Process::tail).unwrap_or_default();
        if let Some(mut process) = self.process.take() {
            process.kill_now();
        }
        Failure { fault, during: during.to_owned(), tail }
    }

    /// The process writes no more.
    fn has_ended(&mut self, during: &str) -> Failure {
        let Some(mut process) = self.process.take() else {
            return Failure { fault: Fault::Ended("before".to_owned()), during: during.to_owned(), tail: Vec::new() };
        };
        let how = process.end().unwrap_or_else(|| "it closed its output".to_owned());
        Failure { fault: Fault::Ended(how), during: during.to_owned(), tail: process.tail() }
    }

    /// Waits for the `bestmove`. None if the run is to end.
    fn answer(&mut self, go: &str, limit: Limit, stop: &AtomicBool) -> Result<Option<(Heard, String)>, Failure> {
        let allowed = self.watchdog.allows(limit);
        let begun = Instant::now();
        let deadline = begun + allowed;
        let (mut heard, mut lines) = (Heard::default(), 0);
        loop {
            let next = self.process.as_mut().map_or(Next::Closed, |it| it.next(deadline, stop));
            match next {
                Next::Line(line) if line.starts_with("bestmove") => return Ok(Some((heard, line))),
                Next::Line(line) => {
                    let now = Instant::now();
                    heard.take(&line, now - begun);
                    lines += 1;
                    if lines > FLOOD {
                        return Err(self.fail(Fault::Flood(FLOOD), go));
                    }
                    if now >= deadline {
                        return Err(self.overdue(allowed, go));
                    }
                }
                Next::Late => return Err(self.overdue(allowed, go)),
                Next::Closed => return Err(self.has_ended(go)),
                Next::Stopped => {
                    self.fail(Fault::Silent(allowed), go);
                    return Ok(None);
                }
            }
        }
    }

    /// Tells an engine that searches too long to stop, and sees whether it hears.
    fn overdue(&mut self, waited: Duration, go: &str) -> Failure {
        let tail = self.process.as_ref().map(Process::tail).unwrap_or_default();
        let hears = self.ask("stop").is_ok() && self.hear(go, STOP, |line| line.starts_with("bestmove")).is_ok();
        let fault = if hears { Fault::Unheeded(waited) } else { Fault::Silent(waited) };
        self.fail(fault.clone(), go);
        Failure { fault, during: go.to_owned(), tail }
    }

    /// The move of a `bestmove` line, held against the board.
    fn best(&mut self, line: &str, board: &Board, go: &str) -> Result<Move, Failure> {
        let word = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        if let Some(best) = named(board, &word) {
            return Ok(best);
        }
        let nothing = matches!(word.to_ascii_lowercase().as_str(), "" | "(none)" | "none" | "0000" | "null");
        match (nothing, board.has_legal_move()) {
            (true, false) => Ok(Move::NONE),
            (true, true) => Err(self.fail(Fault::NoMove, go)),
            (false, _) if is_move(&word) => {
                let text = format!("{word} in {}", board.fen(EpRule::Legal));
                Err(self.fail(Fault::Illegal(text), go))
            }
            (false, _) => Err(self.fail(Fault::Garbage(line.chars().take(100).collect()), go)),
        }
    }
}

/// Whether a word has the shape of a move.
fn is_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    let square = |at: usize| (b'a'..=b'h').contains(&bytes[at]) && (b'1'..=b'8').contains(&bytes[at + 1]);
    (4..=5).contains(&bytes.len()) && square(0) && square(2)
}

fn is_ready(line: &str) -> bool {
    line.trim_end() == "readyok"
}

/// The options to be set, in order; a book and thinking on the opponent's time are switched off where nobody says otherwise.
fn wanted(declared: &[Declared], given: &[(String, OptionValue)]) -> Vec<(String, OptionValue)> {
    let said = |name: &str| given.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    let has = |name: &str| declared.iter().any(|option| option.name.eq_ignore_ascii_case(name));
    let off = ["OwnBook", "Ponder"].into_iter().filter(|name| has(name) && !said(name));
    let mut all: Vec<(String, OptionValue)> =
        off.map(|name| (name.to_owned(), OptionValue::Check(false))).chain(given.iter().cloned()).collect();
    all.sort_by_key(|(name, _)| match name.to_ascii_lowercase().as_str() {
        "threads" => 0,
        "hash" => 1,
        _ => 2,
    });
    all
}

/// The `position` line.
fn position_line(position: &Position<'_>) -> String {
    let mut line = format!("position fen {}", position.start.fen(EpRule::Legal));
    for (at, mv) in position.moves.iter().enumerate() {
        line.push_str(if at == 0 { " moves " } else { " " });
        line.push_str(&mv.to_string());
    }
    line
}

/// The `go` line.
fn go_line(limit: Limit) -> String {
    let mut line = "go".to_owned();
    if let Some(depth) = limit.depth {
        line.push_str(&format!(" depth {depth}"));
    }
    if let Some(nodes) = limit.nodes {
        line.push_str(&format!(" nodes {nodes}"));
    }
    line
}

impl Subject for Uci {
    fn start(&mut self) -> Result<(), Failure> {
        match self.process {
            Some(_) if self.launch.restart == Restart::Experiment => Ok(()),
            _ => self.restart(),
        }
    }

    fn new_game(&mut self) -> Result<(), Failure> {
        if self.process.is_none() || self.launch.restart != Restart::Experiment && !self.fresh {
            self.restart()?;
        }
        self.ask("ucinewgame")?;
        self.ready("ucinewgame")
    }

    fn search(
        &mut self,
        position: Position<'_>,
        limit: Limit,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(Told<'_>),
    ) -> Result<Ended, Failure> {
        if self.process.is_none() || self.launch.restart == Restart::Search && !self.fresh {
            self.restart()?;
        }
        self.fresh = false;
        self.ask(&position_line(&position))?;
        let go = go_line(limit);
        watch(Told::Begin);
        let begun = Instant::now();
        self.ask(&go)?;
        let Some((heard, line)) = self.answer(&go, limit, stop)? else { return Ok(Ended::Stopped) };
        watch(Told::End);
        self.watchdog.seen(begun.elapsed(), heard.nodes());
        let best = self.best(&line, position.board, &go)?;
        let reported: Reported = heard.end(position.board, best, limit);
        watch(Told::Reported(&reported));
        Ok(Ended::Best(best))
    }

    fn end(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.end();
        }
    }
}

impl Drop for Uci {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::chess::Increments;

    #[test]
    fn threads_come_first_then_memory_and_books_are_closed() {
        let lines = [
            "option name OwnBook type check default true",
            "option name Ponder type check default true",
            "option name Hash type spin default 16 min 1 max 64",
            "option name Threads type spin default 2 min 1 max 8",
        ];
        let declared: Vec<Declared> = lines.iter().filter_map(|line| Declared::parse(line)).collect();
        let given = |name: &str, value| (name.to_owned(), value);
        let all = wanted(
            &declared,
            &[
                given("ponder", OptionValue::Check(true)),
                given("Hash", OptionValue::Spin(4)),
                given("Threads", OptionValue::Spin(1)),
            ],
        );
        let names: Vec<String> = all.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(names, ["Threads=1", "Hash=4", "OwnBook=false", "ponder=true"]);
    }

    #[test]
    fn a_game_is_given_by_its_start_and_moves() {
        let start = Board::startpos();
        let mut board = start;
        let mut moves = Vec::new();
        for word in ["e2e4", "e7e5"] {
            let mv = named(&board, word).unwrap();
            moves.push(mv);
            board.play(mv, Increments::none());
        }
        let position = Position { start: &start, moves: &moves, past: &[], board: &board };
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(position_line(&position), format!("position fen {fen} moves e2e4 e7e5"));
        assert_eq!(position_line(&Position::alone(&start)), format!("position fen {fen}"));
        assert_eq!(go_line(Limit { depth: Some(3), nodes: Some(9) }), "go depth 3 nodes 9");
    }
}
