//! An engine that speaks UCI as a subject: a process under a watchdog.

use super::heard::InfoCollector;
use super::options::{OptionValue, Restart, mebibytes};
use super::process::{Departure, Next, Process};
use super::program::{EngineIdentity, Program};
use super::protocol::{self, Declared, Misfit, first_word, is_move};
use super::watchdog::{self, Watchdog};
use super::{EngineFault, Failure, Position, SearchEnd, SearchEvent, Subject};
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

/// How long it may take to stop when it is told to.
const STOP: Duration = Duration::from_secs(1);

/// Lines of one answer at most: an engine that writes more writes without end.
const FLOOD: usize = 1_000_000;

/// An engine that speaks UCI.
pub struct Uci {
    launch: Launch,
    process: Option<Process>,
    identity: EngineIdentity,
    watchdog: Watchdog,
    /// How long it may take to say who it is, and that it is ready.
    ready: Duration,
    /// Whether nothing was searched since the process was started.
    fresh: bool,
    /// How deep the last search went and how many nodes it took, as far as it told; whether or not it ended as it should.
    progress: (Option<u8>, Option<u64>),
}

impl Uci {
    /// An engine that is not started yet.
    pub fn new(launch: Launch) -> Self {
        let watchdog = Watchdog::new(launch.timeout);
        let hash = launch.options.iter().find_map(|(name, value)| mebibytes(name, value));
        Self {
            ready: watchdog::ready(hash.unwrap_or(0), launch.timeout),
            launch,
            process: None,
            identity: EngineIdentity::default(),
            watchdog,
            fresh: true,
            progress: (None, None),
        }
    }

    /// Gives each search from here on so much time.
    pub fn allow(&mut self, patience: Duration) {
        self.watchdog = Watchdog::new(Some(patience));
    }

    /// Asks an engine without a guard to end, while no other runs, and sees what it leaves behind; none where there is no process.
    pub fn depart(&mut self) -> Option<Departure> {
        self.process.take().map(|mut process| process.depart())
    }

    /// How deep the last search went and how many nodes it took, as far as it told; whether or not it ended as it should.
    pub fn progress(&self) -> (Option<u8>, Option<u64>) {
        self.progress
    }

    /// What it says that it is; empty before it was started.
    pub fn identity(&self) -> &EngineIdentity {
        &self.identity
    }

    /// Starts the process anew: `uci`, its options, `isready`.
    fn restart(&mut self) -> Result<(), Failure> {
        self.end();
        let process = Process::start(&self.launch).map_err(|error| {
            let text = format!("{}: {error}", self.launch.path.display());
            self.fail(EngineFault::Start(text), "start")
        })?;
        self.process = Some(process);
        self.fresh = true;
        self.ask("uci")?;
        let mut identity = EngineIdentity::default();
        for line in self.lines("uci", "uciok")? {
            let mut words = line.split_whitespace();
            let of = if words.next() == Some("id") { words.next() } else { None };
            if of == Some("name") {
                identity.name = protocol::after(&line, 2);
            } else if of == Some("author") {
                identity.author = protocol::after(&line, 2);
            } else if let Some(option) = Declared::parse(&line) {
                identity.options.push(option);
            } else if !line.trim().is_empty() {
                identity.banner.push(line);
            }
        }
        self.identity = identity;
        self.set_options()?;
        self.ready("isready").map(drop)
    }

    /// Sets the options: threads, then memory, then the rest, since an engine may allocate for each thread.
    fn set_options(&mut self) -> Result<(), Failure> {
        for (name, value) in required(&self.identity.options, &self.launch.options) {
            let option = protocol::check(&self.identity.options, &name, &value).cloned().map_err(|misfit| {
                let text = match misfit {
                    Misfit::Unknown(_) => format!("there is no option {name}"),
                    Misfit::Value { expected, .. } => format!("{name} = {value}: expected {expected}"),
                };
                self.fail(EngineFault::Refused(text), "setoption")
            })?;
            let line = protocol::set_option(&option, &value);
            self.ask(&line)?;
            if let Some(refusal) = self.ready(&line)?.into_iter().find(|line| protocol::refuses(line)) {
                return Err(self.fail(EngineFault::Refused(refusal), &line));
            }
            self.identity.set.push((option.name, value.to_string()));
        }
        Ok(())
    }

    /// Asks whether it is ready, and returns what it says until it is.
    fn ready(&mut self, during: &str) -> Result<Vec<String>, Failure> {
        self.ask_during("isready", during)?;
        self.lines(during, "readyok")
    }

    /// Writes a line to the engine.
    fn ask(&mut self, line: &str) -> Result<(), Failure> {
        self.ask_during(line, line)
    }

    /// Writes a line that belongs to a request: an engine that the request ended may be found so only now.
    fn ask_during(&mut self, line: &str, during: &str) -> Result<(), Failure> {
        let sent = self.process.as_mut().map_or(Err(std::io::ErrorKind::NotConnected.into()), |it| it.send(line));
        sent.map_err(|_| self.has_ended(during))
    }

    /// Lines up to the one that ends an answer.
    fn lines(&mut self, during: &str, last: &str) -> Result<Vec<String>, Failure> {
        let mut heard = Vec::new();
        let patience = self.ready;
        self.hear(during, patience, None, |line| {
            let ends = first_word(line) == last;
            if !ends {
                heard.push(line.to_owned());
            }
            ends
        })?;
        Ok(heard)
    }

    /// Hands on lines until `take` says that one ends the answer; false if `stop` was set. Only a search has a `stop`: it writes more than other
    /// answers, and may be told to end.
    fn hear(
        &mut self,
        during: &str,
        patience: Duration,
        stop: Option<&AtomicBool>,
        mut take: impl FnMut(&str) -> bool,
    ) -> Result<bool, Failure> {
        let (deadline, never) = (Instant::now() + patience, AtomicBool::new(false));
        let most = if stop.is_some() { FLOOD } else { FLOOD / 10 };
        for _ in 0..=most {
            let next = self.process.as_mut().map_or(Next::Closed, |it| it.next(deadline, stop.unwrap_or(&never)));
            match next {
                Next::Line(line) if take(&line) => return Ok(true),
                Next::Line(_) if Instant::now() < deadline => {}
                Next::Line(_) | Next::Late if stop.is_some() => return Err(self.overdue(patience, during)),
                Next::Line(_) | Next::Late => return Err(self.fail(EngineFault::Unready(patience), during)),
                Next::Closed => return Err(self.has_ended(during)),
                Next::Stopped => {
                    self.fail(EngineFault::Silent(patience), during);
                    return Ok(false);
                }
            }
        }
        Err(self.fail(EngineFault::Flood(most), during))
    }

    /// A fault ends the process: nothing that it says later can be taken for an answer to something else.
    fn fail(&mut self, fault: EngineFault, during: &str) -> Failure {
        let tail = self.process.as_ref().map(Process::tail).unwrap_or_default();
        if let Some(mut process) = self.process.take() {
            process.kill_now();
        }
        Failure { fault, during: during.to_owned(), tail }
    }

    /// The process writes no more.
    fn has_ended(&mut self, during: &str) -> Failure {
        let how = match &mut self.process {
            Some(process) => process.end().unwrap_or_else(|| "it closed its output".to_owned()),
            None => "before".to_owned(),
        };
        self.fail(EngineFault::SearchEnd(how), during)
    }

    /// Tells an engine that searches too long to stop, and sees whether it hears.
    fn overdue(&mut self, waited: Duration, go: &str) -> Failure {
        let tail = self.process.as_ref().map(Process::tail).unwrap_or_default();
        let hears =
            self.ask("stop").is_ok() && self.hear(go, STOP, None, |line| first_word(line) == "bestmove").is_ok();
        let fault = if hears { EngineFault::Unheeded(waited) } else { EngineFault::Silent(waited) };
        Failure { tail, ..self.fail(fault, go) }
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
            (true, true) => Err(self.fail(EngineFault::NoMove, go)),
            (false, _) if is_move(&word) => {
                let text = format!("{word} in {}", board.fen(EpRule::Legal));
                Err(self.fail(EngineFault::Illegal(text), go))
            }
            (false, _) => Err(self.fail(EngineFault::Garbage(line.chars().take(100).collect()), go)),
        }
    }
}

/// The options to be set, in order; a book and thinking on the opponent's time are switched off where nobody says otherwise.
fn required(declared: &[Declared], given: &[(String, OptionValue)]) -> Vec<(String, OptionValue)> {
    let output = |name: &str| given.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    let has = |name: &str| declared.iter().any(|option| option.name.eq_ignore_ascii_case(name));
    let off = ["OwnBook", "Ponder"].into_iter().filter(|name| has(name) && !output(name));
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
    let fen = position.start.fen(EpRule::Legal);
    let moves: String = position.moves.iter().map(|mv| format!(" {mv}")).collect();
    if moves.is_empty() { format!("position fen {fen}") } else { format!("position fen {fen} moves{moves}") }
}

/// The `go` line.
fn go_line(limit: Limit) -> String {
    let depth = limit.depth.map(|depth| format!(" depth {depth}")).unwrap_or_default();
    let nodes = limit.nodes.map(|nodes| format!(" nodes {nodes}")).unwrap_or_default();
    let endless = if limit == Limit::default() { " infinite" } else { "" };
    format!("go{depth}{nodes}{endless}")
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
        self.ready("ucinewgame").map(drop)
    }

    fn search(
        &mut self,
        position: Position<'_>,
        limit: Limit,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(SearchEvent<'_>),
    ) -> Result<SearchEnd, Failure> {
        if self.process.is_none() || self.launch.restart == Restart::Search && !self.fresh {
            self.restart()?;
        }
        self.fresh = false;
        self.ask(&position_line(&position))?;
        let go = go_line(limit);
        watch(SearchEvent::Begin);
        let (begun, mut heard, mut last) = (Instant::now(), InfoCollector::default(), String::new());
        self.ask(&go)?;
        let answered = self.hear(&go, self.watchdog.allows(limit), Some(stop), |line| {
            if first_word(line) == "bestmove" {
                last = line.to_owned();
                return true;
            }
            heard.take(line, begun.elapsed());
            false
        });
        self.progress = (heard.depth(), heard.nodes());
        if !answered? {
            return Ok(SearchEnd::Stopped);
        }
        watch(SearchEvent::End);
        self.watchdog.seen(begun.elapsed(), heard.nodes());
        let best = self.best(&last, position.board, &go)?;
        watch(SearchEvent::UciReport(&heard.end(position.board, best, limit)));
        Ok(SearchEnd::Best(best))
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
        let all = required(
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
        assert_eq!(go_line(Limit::default()), "go infinite");
    }

    /// An engine of a few lines, which writes down what it is told: what it says to `go` is `answer`.
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

    fn log(folder: &std::path::Path) -> String {
        std::fs::read_to_string(folder.join("log")).unwrap_or_default()
    }

    /// The whole conversation, word by word: what is asked at a start, at a new game and at searches, and when a process is a new one.
    #[test]
    fn an_engine_is_told_what_it_is_to_do_in_this_order() {
        const HELLO: &str = "started\nuci\nsetoption name Threads value 2\nisready\nsetoption name Hash value 4\nisready\n\
            setoption name OWNBOOK value false\nisready\nsetoption name Clear Hash\nisready\n\
            setoption name Style value Very Risky\nisready\nisready\n";
        let hello = HELLO.replace("OWNBOOK", "ownbook");
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let options = [
            ("clear hash", OptionValue::Check(true)),
            ("STYLE", OptionValue::Text("Very Risky".to_owned())),
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
            moves.push(named(&board, word).unwrap());
            board.play(moves[moves.len() - 1], Increments::none());
        }
        for (restart, talk) in [
            (Restart::Experiment, [&hello[..], game, &first, &second, game, &first, "quit\n"].concat()),
            (Restart::Game, [&hello[..], game, &first, &second, "quit\n", &hello, game, &first, "quit\n"].concat()),
            (
                Restart::Search,
                [&hello[..], game, &first, "quit\n", &hello, &second, "quit\n", &hello, game, &first, "quit\n"]
                    .concat(),
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let answer = "echo info depth 1 score cp 7 nodes 20 time 3 pv d2d4; echo info depth 3 score cp 9 nodes 50 hashfull 4 time 8 pv g1f3; echo bestmove g1f3 ponder d7d5";
            let options = options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            let mut engine = Uci::new(Launch { options, restart, ..launch(folder.path(), answer) });
            assert_eq!(engine.identity(), &EngineIdentity::default());
            engine.start().unwrap();
            let mut message = Vec::new();
            let mut search = |engine: &mut Uci, position: Position<'_>, limit: Limit| {
                let ended = engine.search(position, limit, &AtomicBool::new(false), &mut |output| {
                    message.push(match output {
                        SearchEvent::Begin => "begin".to_owned(),
                        SearchEvent::End => "end".to_owned(),
                        SearchEvent::Iteration(_) => "ours".to_owned(),
                        SearchEvent::UciReport(of) => format!("{:?} {:?} {:?}", of.depth, of.nodes, of.earlier.len()),
                    });
                });
                assert_eq!(
                    ended.map(|ended| matches!(ended, SearchEnd::Best(mv) if mv.to_string() == "g1f3")),
                    Ok(true)
                );
            };
            engine.new_game().unwrap();
            search(&mut engine, Position::alone(&start), Limit { depth: Some(3), nodes: None });
            let later = Position { start: &start, moves: &moves, past: &past, board: &board };
            search(&mut engine, later, Limit { depth: Some(3), nodes: Some(900) });
            engine.new_game().unwrap();
            search(&mut engine, Position::alone(&start), Limit { depth: Some(3), nodes: None });
            let one = ["begin", "end", "Some(3) Some(50) 1"];
            assert_eq!(message, [one, one, one].concat());
            let identity = engine.identity();
            assert_eq!(
                (identity.name.as_str(), identity.author.as_str(), &identity.banner[..]),
                ("Two Words", "A, B", &["Banner, 1999 ".to_owned()][..])
            );
            let names: Vec<&str> = identity.options.iter().map(|option| option.name.as_str()).collect();
            assert_eq!(names, ["Hash", "ownbook", "Style", "Clear Hash", "Threads"]);
            let set: Vec<String> = identity.set.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(set, ["Threads=2", "Hash=4", "ownbook=false", "Clear Hash=true", "Style=Very Risky"]);
            drop(engine);
            assert_eq!(log(folder.path()), talk, "{restart:?}");
        }
    }

    /// Each way to name a move, or none, where there is one and where there is none.
    #[test]
    fn an_answer_is_held_against_the_board() {
        let (start, mated) = (
            Board::startpos(),
            Board::from_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").unwrap(),
        );
        let folder = tempfile::tempdir().unwrap();
        let illegal =
            |word: &str, board: &Board| EngineFault::Illegal(format!("{word} in {}", board.fen(EpRule::Legal)));
        for (answer, board, fault) in [
            ("bestmove e2e4 ponder e7e5", start, None),
            ("bestmove E2E4", start, Some(EngineFault::Garbage("bestmove E2E4".to_owned()))),
            ("bestmove", start, Some(EngineFault::NoMove)),
            ("bestmove (none)", start, Some(EngineFault::NoMove)),
            ("bestmove NULL", start, Some(EngineFault::NoMove)),
            ("bestmove 0000", mated, None),
            ("bestmove none", mated, None),
            ("bestmove e2e5", start, Some(illegal("e2e5", &start))),
            ("bestmove e2e4", mated, Some(illegal("e2e4", &mated))),
            ("bestmove e7e8q", start, Some(illegal("e7e8q", &start))),
            ("bestmove e2", start, Some(EngineFault::Garbage("bestmove e2".to_owned()))),
            ("bestmove i2e4", start, Some(EngineFault::Garbage("bestmove i2e4".to_owned()))),
            ("bestmove e2e9", start, Some(EngineFault::Garbage("bestmove e2e9".to_owned()))),
            ("bestmove e2e4q5", start, Some(EngineFault::Garbage("bestmove e2e4q5".to_owned()))),
        ] {
            let mut engine = Uci::new(launch(folder.path(), &format!("echo '{answer}'")));
            engine.start().unwrap();
            let ended = engine.search(
                Position::alone(&board),
                Limit { depth: Some(1), nodes: None },
                &AtomicBool::new(false),
                &mut |_| {},
            );
            let failure = ended.err();
            assert_eq!(failure.as_ref().map(|failure| &failure.fault), fault.as_ref(), "{answer}");
            if let Some(failure) = failure {
                assert_eq!(
                    (failure.during.as_str(), failure.tail.last().map(String::as_str)),
                    ("go depth 1", Some(answer))
                );
            }
        }
        // An option that is not there, and one that takes no such value, are told before anything is searched.
        for (name, value, says) in [
            ("Hesh", OptionValue::Spin(1), "there is no option Hesh"),
            ("Hash", OptionValue::Spin(65), "Hash = 65: expected a number from 1 to 64"),
        ] {
            let mut engine = Uci::new(Launch { options: vec![(name.to_owned(), value)], ..launch(folder.path(), "") });
            let failure = engine.start().unwrap_err();
            assert_eq!((failure.fault, failure.during.as_str()), (EngineFault::Refused(says.to_owned()), "setoption"));
        }
    }

    /// Who does not say what it is, or that it is ready, costs no more than an engine may take for it.
    #[test]
    fn an_engine_that_is_never_ready_is_told() {
        let folder = tempfile::tempdir().unwrap();
        for (silent, during) in [("isready) echo 'readyok ';;", "setoption name ownbook"), ("echo 'uciok ';;", "uci")] {
            let mut launch = launch(folder.path(), "");
            let heard = launch.arguments[1].replace(silent, if during == "uci" { ";;" } else { "" });
            assert_ne!(heard, launch.arguments[1]);
            launch.arguments[1] = heard;
            let mut engine = Uci::new(launch);
            assert_eq!(engine.ready, Duration::from_secs(30), "what the user gives a search, where that is more");
            engine.ready = Duration::from_millis(300);
            let failure = engine.start().unwrap_err();
            assert_eq!(failure.fault, EngineFault::Unready(Duration::from_millis(300)));
            assert!(failure.during.contains(during), "{failure}");
        }
    }

    /// An engine talks before it is ready: a refusal among other lines is one; what it wrote to either side is told when it ends.
    #[test]
    fn a_refusal_is_heard_among_other_lines() {
        let folder = tempfile::tempdir().unwrap();
        let of = |output: &str| {
            let mut launch =
                launch(folder.path(), "echo out one; echo out two; echo err one >&2; echo err two >&2; exit 7");
            launch.arguments[1] = launch.arguments[1].replace("isready)", &format!("setoption*) {output};; isready)"));
            launch.options = vec![("Hash".to_owned(), OptionValue::Spin(4))];
            Uci::new(launch)
        };
        for output in
            ["echo 'No such option: Hash'", "echo info string hash; echo; echo 'No such option: Hash'; echo later"]
        {
            let failure = of(output).start().unwrap_err();
            assert_eq!(
                (failure.fault, failure.during.as_str()),
                (EngineFault::Refused("No such option: Hash".to_owned()), "setoption name Hash value 4")
            );
        }
        let mut engine = of("echo info string hash; echo set to 4");
        engine.start().unwrap();
        let limit = Limit { depth: Some(1), nodes: None };
        let start = Board::startpos();
        let failure = engine.search(Position::alone(&start), limit, &AtomicBool::new(false), &mut |_| {}).unwrap_err();
        assert_eq!(failure.fault, EngineFault::SearchEnd("exit code 7".to_owned()));
        assert_eq!(
            failure.tail[failure.tail.len() - 4..],
            ["out one", "out two", "stderr: err one", "stderr: err two"]
        );
    }
}
