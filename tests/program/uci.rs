//! `ttlab uci` as a client sees it, tested by a scripted client of the binary.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A client and its engine.
struct Client {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Client {
    fn new(args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ttlab"));
        command.arg("uci").args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (send, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || output.lines().map_while(Result::ok).all(|line| send.send(line).is_ok()));
        let input = child.stdin.take().unwrap();
        Self { child, input, lines }
    }

    fn send(&mut self, text: &str) {
        writeln!(self.input, "{text}").unwrap();
    }

    /// Reads lines up to and including the first one that begins with `start`.
    fn read_until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line =
                self.lines.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| panic!("no {start}: {lines:?}"));
            lines.push(line);
            if lines.last().unwrap().starts_with(start) {
                return lines;
            }
        }
    }

    fn best_move(&mut self) -> String {
        let lines = self.read_until("bestmove ");
        lines.last().unwrap().split(' ').nth(1).unwrap().to_owned()
    }

    fn quit(mut self) {
        self.send("quit");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn invalid_commands_are_reported_and_ignored() {
    let mut client = Client::new(&["--set", "table.size=1 MiB"]);
    client.send("stop\nxyzzy\nponderhit\nsetoption name Nonesuch value 3\nposition startpos moves e2e5\nposition fen rubbish\nisready");
    let lines = client.read_until("readyok");
    let message = |part: &str| lines.iter().any(|line| line.starts_with("info string") && line.contains(part));
    assert!(message("xyzzy"), "{lines:?}");
    assert!(message("Nonesuch"), "{lines:?}");
    assert!(message("e2e5"), "{lines:?}");
    assert!(message("position"), "{lines:?}");
    // After a refused position there is no move, not even one from the previous position.
    client.send("go depth 4");
    assert_eq!(client.best_move(), "0000");
    client.send("position startpos\ngo depth 4");
    let lines = client.read_until("bestmove");
    assert!(lines.iter().any(|line| line.starts_with("info depth 4 ")), "{lines:?}");
    // Parts of a limit that are ignored are reported.
    client.send("go depth 2 mate 3 nodes many");
    let lines = client.read_until("bestmove");
    for message in ["info string go: mate: is ignored", "info string go: nodes: expected a number, found `many`"] {
        assert!(lines.iter().any(|line| line == message), "{lines:?}");
    }
    // Checkmate and stalemate: no move.
    for fen in ["R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", "7k/5Q2/8/8/8/8/8/K7 b - - 0 1"] {
        client.send(&format!("position fen {fen}\ngo depth 3"));
        assert_eq!(client.best_move(), "0000");
    }
    // A thousand `isready` are answered, also during a search; a second `go` during a search is
    // refused.
    client.send("position startpos\ngo infinite\ngo depth 1");
    assert!(client.read_until("info string go").len() < 1000);
    client.send(&"isready\n".repeat(1000));
    (0..1000).for_each(|_| drop(client.read_until("readyok")));
    client.send("stop");
    assert_eq!(client.best_move().len(), 4);
    client.send("go infinite");
    client.quit();
}

/// An infinite search doesn't answer before `stop`, even if it has searched everything; a pondering
/// search doesn't answer before `ponderhit`.
#[test]
fn infinite_and_pondering_searches_answer_only_on_request() {
    let mut client = Client::new(&["--set", "table.size=1 MiB"]);
    for (go, end) in [
        ("go infinite depth 2", "stop"),
        ("go ponder depth 2", "ponderhit"),
        ("go ponder wtime 1000 btime 1000 depth 2", "stop"),
    ] {
        client.send(&format!("position startpos\n{go}"));
        client.read_until("info depth 2");
        client.send("isready");
        assert_eq!(client.read_until("readyok"), ["readyok"], "{go}: no answer yet");
        client.send(end);
        client.best_move();
    }
    client.quit();
}

/// Node limits are exact, as in every command. Time limits end searches that have no other end.
#[test]
fn limits_end_their_searches() {
    let mut client = Client::new(&["--set", "table.size=1 MiB"]);
    client.send("position startpos moves e2e4 e7e5\ngo nodes 20000");
    let lines = client.read_until("bestmove");
    let nodes =
        |line: &String| line.split(" nodes ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
    assert!(lines.iter().filter_map(nodes).all(|nodes| nodes <= 20_000), "{lines:?}");
    assert_eq!(
        lines.iter().filter_map(nodes).next_back(),
        Some(20_000),
        "an unfinished iteration is reported too: {lines:?}"
    );
    for go in [
        "go movetime 20",
        "go wtime 300 btime 300 winc 5 binc 5",
        "go wtime 100 btime 100 movestogo 1",
        "go wtime 0 btime 0",
        "go nodes 1",
    ] {
        client.send(go);
        assert!(client.best_move().len() >= 4, "{go}");
    }
    client.quit();
}

/// The same options and position give the same counts as the library: the UCI layer doesn't affect
/// the search.
#[test]
fn counts_equal_those_of_the_search_command() {
    let (stdout, stderr, code) =
        crate::common::run(&["search", "startpos", "--depth", "6", "--preset", "match", "--set", "table.size=1 MiB"]);
    assert_eq!(code, 0, "{stderr}");
    let total = stdout
        .lines()
        .find(|line| line.starts_with("search.nodes"))
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .to_owned();
    let mut client = Client::new(&["--set", "table.size=1 MiB"]);
    for _ in 0..2 {
        client.send("ucinewgame\nposition startpos\ngo depth 6");
        let lines = client.read_until("bestmove");
        let last = lines.iter().find(|line| line.contains(&format!(" nodes {total} "))).unwrap();
        // `seldepth` includes captures beyond the horizon, so it exceeds the depth of the
        // iteration, but by less than the number of men that can be captured.
        let seldepth: u32 = last.split(" seldepth ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!(seldepth > 6 && seldepth < 6 + 30, "{last}");
    }
    // `bench` prints the signature of the build, whatever was set or searched before, and ends an
    // infinite search.
    let signatures = std::fs::read_to_string("tests/signatures.txt").unwrap();
    let bench = signatures.lines().find_map(|line| line.strip_prefix("bench ")).unwrap();
    client.send("go infinite\nbench");
    let lines = client.read_until(&format!("{bench} nodes "));
    assert!(lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
    client.quit();
}

/// A table that is never cleared between games is only cleared by the client's `Clear Hash`.
#[test]
fn clear_hash_clears_a_table_that_is_never_cleared() {
    let mut client =
        Client::new(&["--set", "table.size=65536", "--set", "table.clear=never", "--set", "history_clear=never"]);
    let mut nodes = |before: &str| {
        client.send(&format!("{before}position startpos\ngo depth 4"));
        let lines = client.read_until("bestmove");
        let last = lines.iter().find(|line| line.starts_with("info depth 4 ")).unwrap();
        last.split(" nodes ").nth(1).unwrap().split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let first = nodes("");
    assert!(nodes("") < first);
    assert!(nodes("ucinewgame\n") < first);
    assert_eq!(nodes("setoption name Clear Hash\n"), first);
    client.quit();
}

/// The end of the input isn't a `quit`: a limited search is finished and answered, a search without
/// a limit is stopped and answered.
#[test]
fn commands_from_a_pipe_are_answered_after_its_end() {
    for (go, reaches_depth_8) in
        [("depth 8", true), ("infinite", false), ("", false), ("mate 2", false), ("nodes few searchmoves e2e4", false)]
    {
        let mut client = Client::new(&["--set", "table.size=1 MiB"]);
        client.send(&format!("position startpos\ngo {go}"));
        let Client { mut child, input, lines } = client;
        drop(input);
        // An endless search reports less and less often.
        let lines: Vec<String> = std::iter::from_fn(|| lines.recv_timeout(Duration::from_secs(20)).ok()).collect();
        if !lines.last().is_some_and(|line| line.starts_with("bestmove ")) {
            let _ = child.kill();
            panic!("go {go}: {lines:?}");
        }
        assert_eq!(child.wait().unwrap().code(), Some(0), "go {go}");
        assert!(!reaches_depth_8 || lines.iter().any(|line| line.starts_with("info depth 8 ")), "{lines:?}");
    }
}

/// Commands that start something new end the current search, which is answered; unknown words in
/// `go` are ignored; without a finished iteration, the first legal move is played.
#[test]
fn next_command_ends_the_current_search() {
    let mut client = Client::new(&["--set", "table.size=1 MiB"]);
    for next in ["ucinewgame", "setoption name Clear Hash", "setoption name Hash value 2"] {
        client.send(&format!("position startpos\ngo infinite\n{next}\nisready"));
        assert!(client.read_until("readyok").iter().any(|line| line.starts_with("bestmove ")), "{next}");
    }
    client.send("go whatever depth 2 mate");
    assert!(client.read_until("bestmove").iter().any(|line| line.starts_with("info depth 2 ")));
    for fen in ["startpos", "fen 4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"] {
        client.send(&format!("position {fen}\ngo nodes 1"));
        let board = match fen.strip_prefix("fen ") {
            Some(fen) => ttlab::internals::chess::Board::from_fen(fen).unwrap(),
            None => ttlab::internals::chess::Board::startpos(),
        };
        let mut moves = ttlab::internals::chess::MoveList::new();
        ttlab::internals::chess::legal(&board, &mut moves);
        assert_eq!(client.best_move(), moves[0].to_string(), "{fen}");
    }
    client.quit();
}

/// Each search obeys `searchmoves`: its score is that of the moves alone, although the table knows
/// the root with all moves, and the search after it has all moves again. Ethereal 12.00, Toga II
/// 3.0, GNU Chess 6.2.7 and Sjaak II 1.4.1 ignore the word
/// (findings/engines-ignore-searchmoves.sh).
#[test]
fn searchmoves_are_the_only_moves_of_the_root() {
    for options in ["algorithm=minimax", "algorithm=alpha-beta", "algorithm=mtdf", "iir.min_depth=3", "threads.count=2"]
    {
        let mut client = Client::new(&["--set", "table.size=1 MiB", "--set", options]);
        let mut search = |commands: &str| {
            client.send(commands);
            let lines = client.read_until("bestmove ");
            let last = lines.iter().rfind(|line| line.contains(" score cp ")).unwrap().clone();
            let word_after = |name: &str| last.split(name).nth(1).unwrap().split(' ').next().unwrap().to_owned();
            let best = lines.last().unwrap().split(' ').nth(1).unwrap().to_owned();
            assert_eq!(word_after(" pv "), best, "{options}");
            (best, word_after(" score cp ").parse::<i32>().unwrap(), lines)
        };
        let (best, score, _) = search("position startpos\ngo depth 4");
        assert!(!["f2f3", "g2g4"].contains(&best.as_str()), "{best}");
        let (worse, worse_score, lines) = search("go depth 4 searchmoves f2f3 g9 g2g4");
        assert!(["f2f3", "g2g4"].contains(&worse.as_str()), "{options}: {worse}");
        assert!(worse_score < score, "{options}: {worse_score} {score}");
        assert!(lines.iter().any(|line| line.contains("searchmoves: `g9` is not a legal move: ignored")), "{lines:?}");
        let (again, score_again, _) = search("go depth 4");
        let replies = ["f2f3", "g2g4"].map(|mv| -search(&format!("position startpos moves {mv}\ngo depth 3")).1);
        if options.starts_with("algorithm") {
            assert_eq!((again, score_again), (best, score), "{options}");
            assert_eq!(Some(&worse_score), replies.iter().max(), "{options}");
        }
        client.quit();
    }
}

/// `quit` doesn't wait for the end of a search, limited or not.
#[test]
fn quit_ends_the_current_search() {
    for go in ["go depth 200", "go nodes 1000000000000", "go infinite", "go ponder wtime 1000 btime 1000"] {
        let mut client = Client::new(&["--set", "table.size=1 MiB"]);
        client.send(&format!("position startpos\n{go}"));
        client.read_until("info depth 2 ");
        client.send("quit");
        let start = std::time::Instant::now();
        let status = loop {
            match client.child.try_wait().unwrap() {
                Some(exit) => break Some(exit),
                None if start.elapsed() > Duration::from_secs(60) => break None,
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        if status.is_none() {
            client.child.kill().unwrap();
        }
        assert_eq!(status.and_then(|status| status.code()), Some(0), "{go}");
    }
}

/// No clock runs while the engine ponders: the twelfth iteration is reported long after the one
/// millisecond of the limit.
#[test]
fn clock_does_not_end_a_pondering_search() {
    let mut client = Client::new(&["--set", "table.size=1 MiB"]);
    client.send("position fen 8/8/4k3/8/8/3KP3/8/8 w - - 0 1\ngo ponder movetime 1");
    client.read_until("info depth 12 ");
    client.send("ponderhit");
    client.best_move();
    client.quit();
}

/// After `ponderhit` the clock ends a search in the middle of an iteration: plain minimax to depth
/// 9, without iterative deepening, would take days.
#[test]
fn clock_ends_an_endless_iteration() {
    let mut client = Client::new(&["--set", "algorithm=minimax", "--set", "deepening.step=0", "--set", "table=none"]);
    for go in ["go ponder movetime 20 depth 9", "go ponder wtime 200 btime 200 depth 9"] {
        client.send(&format!("position startpos\n{go}\nisready"));
        assert_eq!(client.read_until("readyok"), ["readyok"], "{go}: no answer yet");
        client.send("ponderhit");
        assert_eq!(client.best_move().len(), 4, "{go}");
    }
    client.quit();
}

/// A hash size that the system can't allocate changes nothing: the table keeps its entries, and the
/// engine continues to search.
#[test]
fn hash_that_cannot_be_allocated_leaves_the_table() {
    let nodes = |command: &str| {
        let mut client = Client::new(&["--set", "table.size=65536", "--set", "table.clear=never"]);
        let mut search = |before: &str| {
            client.send(&format!("{before}position startpos\ngo depth 4"));
            let lines = client.read_until("bestmove");
            let last = lines.iter().find(|line| line.starts_with("info depth 4 ")).unwrap();
            let nodes = last.split(" nodes ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
            let messages: Vec<String> = lines.into_iter().filter(|line| line.starts_with("info string")).collect();
            (nodes, messages)
        };
        let searches = [search(""), search(command)];
        client.quit();
        searches
    };
    // As many bytes as a process can address, which no system has free.
    let ([(first, _), (second, _)], with_refusal) = (nodes(""), nodes("setoption name table.size value 128 TiB\n"));
    assert_ne!(first, second, "the table answers the second search");
    let [(first_again, no_messages), (second_again, messages)] = with_refusal;
    assert_eq!((first_again, second_again, no_messages.len(), messages.len()), (first, second, 0, 1));
    assert!(messages[0].starts_with("info string table.size: 134217728 MiB exceed the "), "{messages:?}");
    // At startup there is no table to keep, so the command is refused.
    let (_, stderr, code) = crate::common::run(&["uci", "--set", "table.size=128 TiB"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("table.size: 134217728 MiB exceed the "), "{stderr}");
}
