//! Tests of the UCI driver alone, with the scripted engine: normal searches and every fault.

use super::{alive, all_gone, scripted, token, ttlab};
use crate::common::scratch;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use ttlab::internals::chess::Board;
use ttlab::internals::engine::Limit;
use ttlab::internals::subject::options::{CommandLine, OptionValue};
use ttlab::internals::subject::{
    EngineFault, Failure, Launch, LimitSupport, Position, ProbeResult, Repeatability, Restart, SearchEnd, SearchEvent,
    Subject, Uci, UciReport, find_program, probe,
};

/// Returns how to launch the scripted engine with a fault, and the token that identifies its
/// processes.
fn launch(fault: &str, words: &[&str]) -> (Launch, String) {
    let token = token();
    let mut program: Vec<String> = vec!["env".to_owned(), format!("TTLAB_TRIAL={token}")];
    program.extend(words.iter().filter(|word| word.contains('=')).map(|word| (*word).to_owned()));
    program.push(scripted().display().to_string());
    program.push(fault.to_owned());
    program.extend(words.iter().filter(|word| !word.contains('=')).map(|word| (*word).to_owned()));
    let program = find_program(&CommandLine::List(program), Path::new("")).unwrap();
    let launch = Launch { guard: Some(ttlab()), timeout: Some(Duration::from_secs(2)), ..Launch::new(&program) };
    (launch, token)
}

fn depth(depth: u8) -> Limit {
    Limit { depth: Some(depth), nodes: None }
}

fn nodes(nodes: u64) -> Limit {
    Limit { depth: None, nodes: Some(nodes) }
}

fn search(engine: &mut Uci, board: &Board, limit: Limit) -> Result<UciReport, Failure> {
    let mut found = None;
    let ended = engine.search(Position::from_board(board), limit, &AtomicBool::new(false), &mut |message| {
        if let SearchEvent::Report(reported) = message {
            found = Some(reported.clone());
        }
    })?;
    assert!(matches!(ended, SearchEnd::Best(_)));
    Ok(found.unwrap())
}

fn play(engine: &mut Uci) -> Result<UciReport, Failure> {
    engine.start()?;
    engine.new_game()?;
    search(engine, &Board::startpos(), depth(5))
}

#[test]
fn reported_lines_become_the_fields_of_a_row() {
    let (launch, token) = launch("none", &["TALK=yes"]);
    let options = vec![
        ("Style".to_owned(), OptionValue::Text("Very Risky".to_owned())),
        ("hash".to_owned(), OptionValue::Spin(4)),
    ];
    let mut engine = Uci::new(Launch { options, ..launch });
    let found = play(&mut engine).unwrap();
    assert_eq!((found.nodes, found.depth, found.score, found.hashfull), (Some(5004), Some(5), Some(31), Some(17)));
    assert_eq!(found.best.to_string(), "e2e4");
    assert_eq!(found.pv.iter().map(ToString::to_string).collect::<Vec<_>>(), ["e2e4", "e7e5"]);
    let identity = engine.identity();
    assert_eq!((identity.name.as_str(), identity.author.as_str()), ("Scripted 1", "Tests"));
    assert_eq!(identity.banner, ["Scripted engine, built for tests"]);
    let set: Vec<String> = identity.applied.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(set, ["Hash=4", "OwnBook=false", "Style=Very Risky"]);
    assert_eq!(search(&mut engine, &Board::startpos(), nodes(12_345)).unwrap().nodes, Some(12_345));
    assert_eq!(alive(&token).len(), 1, "{:?}", alive(&token));
    engine.quit();
    assert_eq!(all_gone(&token), Vec::<String>::new());
}

/// Each fault once: it is reported with the engine's last lines, nothing hangs, no process is left,
/// and the next search is unaffected.
#[test]
fn engine_fault_is_reported_and_the_next_search_is_unaffected() {
    type Expected = fn(&EngineFault) -> bool;
    let cases: &[(&str, Expected, &str)] = &[
        ("dead", |fault| *fault == EngineFault::Exited("exit code 3".to_owned()), "cannot find my net"),
        ("crash", |fault| *fault == EngineFault::Exited("signal 11".to_owned()), "readyok"),
        ("exit", |fault| *fault == EngineFault::Exited("exit code 3".to_owned()), "readyok"),
        ("choke", |fault| *fault == EngineFault::Exited("exit code 9".to_owned()), "setoption name Hash"),
        ("refuse", |fault| *fault == EngineFault::OptionRefused("No such option: Hash".to_owned()), "No such option"),
        ("silence", |fault| matches!(fault, EngineFault::NoAnswer(_)), "go depth 5"),
        ("deaf", |fault| matches!(fault, EngineFault::NoAnswer(_)), "go depth 5"),
        ("endless", |fault| matches!(fault, EngineFault::LimitIgnored(_)), "subject.timeout"),
        ("flood", |fault| matches!(fault, EngineFault::TooManyLines(_) | EngineFault::NoAnswer(_)), "currmove"),
        ("longline", |fault| matches!(fault, EngineFault::NoAnswer(_)), "go depth 5"),
        ("garbage", |fault| *fault == EngineFault::InvalidAnswer("bestmove what?".to_owned()), "what is this"),
        (
            "illegal",
            |fault| matches!(fault, EngineFault::IllegalMove(text) if text.starts_with("e2e5 in rnbqkbnr/")),
            "bestmove e2e5",
        ),
        ("nomove", |fault| *fault == EngineFault::NoMove, "bestmove (none)"),
    ];
    let folder = scratch();
    std::thread::scope(|scope| {
        for &(fault, expected, says) in cases {
            let mark = folder.path().join(fault);
            scope.spawn(move || {
                let (launch, token) = launch(fault, &[mark.to_str().unwrap()]);
                let options = vec![("Hash".to_owned(), OptionValue::Spin(32))];
                let mut engine = Uci::new(Launch { options, ..launch });
                let begun = Instant::now();
                let failure = play(&mut engine).expect_err(fault);
                assert!(expected(&failure.fault), "{fault}: {failure}");
                assert!(failure.to_string().contains(says), "{fault}: {failure}");
                assert!(begun.elapsed() < Duration::from_secs(120), "{fault} took {:?}", begun.elapsed());
                assert_eq!(all_gone(&token), Vec::<String>::new(), "{fault}");
                assert_eq!(play(&mut engine).unwrap().nodes, Some(5032), "after {fault}");
                drop(engine);
                assert_eq!(all_gone(&token), Vec::<String>::new(), "after {fault}");
            });
        }
    });
}

/// An answer may have 100,000 lines before its last line, a search 1,000,000; with one line more,
/// the engine is killed.
#[test]
fn answer_at_the_line_limit_is_read_and_a_longer_one_refused() {
    let start = |words: &[&str]| {
        let (launch, _) = launch("none", words);
        Uci::new(Launch { timeout: Some(Duration::from_secs(100)), ..launch })
    };
    for (lines, accepted) in [("100000", true), ("100001", false)] {
        let begun = start(&[&format!("READY_LINES={lines}")]).start();
        match begun {
            Ok(_) => assert!(accepted, "{lines} lines were read"),
            Err(failure) => {
                assert!(!accepted && failure.fault == EngineFault::TooManyLines(100_000), "{lines}: {failure}")
            }
        }
    }
    // The engine prints three lines of its own: one with the depth, one with the nodes and one with
    // the table use.
    for (lines, accepted) in [("999997", true), ("999998", false)] {
        let mut engine = start(&[&format!("GO_LINES={lines}")]);
        match play(&mut engine) {
            Ok(report) => assert!(accepted && report.nodes == Some(5016), "{lines}: {report:?}"),
            Err(failure) => {
                assert!(!accepted && failure.fault == EngineFault::TooManyLines(1_000_000), "{lines}: {failure}")
            }
        }
    }
}

#[test]
fn child_processes_end_with_their_engine() {
    let (launch, token) = launch("child", &[]);
    let mut engine = Uci::new(launch);
    play(&mut engine).unwrap();
    // While a process executes another program, its environment can't be read for a moment.
    let begun = Instant::now();
    while alive(&token).len() < 2 && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(alive(&token).len(), 2, "{:?}", alive(&token));
    engine.quit();
    assert_eq!(all_gone(&token), Vec::<String>::new());
}

/// A process may leave the engine's process group and session, and lose its parent. It still ends
/// when the engine quits, when the engine is killed, and when ttlab is killed.
#[test]
fn process_in_its_own_session_ends_with_the_engine() {
    use std::os::unix::process::CommandExt;
    for how in ["quit", "fault", "killed"] {
        let (mut launch, token) = launch("stray", &[]);
        if how == "fault" {
            // The engine doesn't answer its first search, so it is killed.
            launch.arguments.iter_mut().for_each(|word| {
                if word == "stray" {
                    *word = "deaf".to_owned();
                }
            });
            let script = "setsid sleep 1000 & exec \"$@\"";
            let engine = std::mem::replace(&mut launch.path, PathBuf::from("/bin/sh"));
            let rest = std::mem::take(&mut launch.arguments);
            launch.arguments = ["-c", script, "sh"].map(str::to_owned).to_vec();
            launch.arguments.push(engine.display().to_string());
            launch.arguments.extend(rest);
        }
        let count = |least: usize| {
            let begun = Instant::now();
            while alive(&token).len() < least {
                assert!(begun.elapsed() < Duration::from_secs(60), "{how}: {:?}", alive(&token));
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        if how == "killed" {
            let engine = "trap '' TERM HUP INT; setsid sleep 1000 & while :; do sleep 1000; done";
            let script = "\"$0\" engine-guard $$ -- /bin/sh -c \"$1\" & wait";
            let mut parent = std::process::Command::new("/bin/sh")
                .args(["-c", script, ttlab().to_str().unwrap(), engine])
                .env("TTLAB_TRIAL", &token)
                .process_group(0)
                .spawn()
                .unwrap();
            // The shell, the guard, the engine, and two sleeping processes.
            count(5);
            parent.kill().unwrap();
            parent.wait().unwrap();
        } else {
            let mut engine = Uci::new(launch);
            assert_eq!(play(&mut engine).is_ok(), how == "quit");
            if how == "quit" {
                count(2);
                engine.quit();
            }
        }
        assert_eq!(all_gone(&token), Vec::<String>::new(), "{how}");
    }
}

#[test]
fn stop_flag_ends_the_search() {
    let (launch, token) = launch("deaf", &[]);
    let mut engine = Uci::new(Launch { timeout: Some(Duration::from_secs(600)), ..launch });
    engine.start().unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let board = Board::startpos();
        let ended = engine.search(Position::from_board(&board), depth(3), &stop, &mut |_| {}).unwrap();
        assert_eq!(ended, SearchEnd::Stopped);
    });
    assert_eq!(all_gone(&token), Vec::<String>::new());
}

#[test]
fn null_move_is_accepted_only_without_legal_moves() {
    let (launch, _) = launch("nomove", &[]);
    let mut engine = Uci::new(launch);
    engine.start().unwrap();
    // Fool's mate.
    let mated = Board::from_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").unwrap();
    let stalemated = Board::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap();
    for board in [mated, stalemated] {
        assert!(search(&mut engine, &board, depth(1)).unwrap().best.is_none());
    }
}

#[test]
fn missing_program_is_reported_by_name() {
    let mut engine =
        Uci::new(Launch { path: PathBuf::from("/no/such/engine"), guard: Some(ttlab()), ..Launch::default() });
    let failure = engine.start().unwrap_err();
    assert_eq!(failure.fault, EngineFault::Exited("exit code 127".to_owned()));
    assert!(failure.to_string().contains("/no/such/engine: No such file"), "{failure}");
    let mut unguarded = Uci::new(Launch { path: PathBuf::from("/no/such/engine"), ..Launch::default() });
    assert!(matches!(unguarded.start().unwrap_err().fault, EngineFault::StartFailed(_)));
}

/// Only `ttlab` has the guard command. Any other program that uses the library, such as this test,
/// would start another copy of itself for each engine.
#[test]
fn guard_is_started_only_by_ttlab() {
    let program = find_program(&CommandLine::Name(scripted().display().to_string()), Path::new("")).unwrap();
    assert_eq!(Launch::new(&program).guard, None);
}

/// A name that begins with a dot is a path, as in a shell, and isn't looked up in `PATH`.
#[test]
fn name_that_begins_with_a_dot_is_a_path() {
    let message =
        |name: &str| find_program(&CommandLine::Name(name.to_owned()), Path::new("")).map(|_| ()).unwrap_err();
    assert_eq!(message(".no-such-engine"), "no such file: .no-such-engine");
    assert_eq!(message("no-such-engine."), "no program `no-such-engine.` on the PATH");
}

/// An engine that ends with a large table is named with what it declares.
#[test]
fn failure_with_a_large_table_says_what_is_declared() {
    let (launch, _) = launch("crash", &[]);
    let engine_with = |size: i64| {
        let options = vec![("hash".to_owned(), OptionValue::Spin(size))];
        let mut engine = Uci::new(Launch { options, ..launch.clone() });
        engine.start().unwrap();
        search(&mut engine, &Board::startpos(), depth(3)).unwrap_err().to_string()
    };
    let text = engine_with(1024);
    assert!(text.contains("at `go depth 3` with Hash = 1024, of which it declares a number from 1 to 1024"), "{text}");
    assert!(!engine_with(1023).contains("declares"));
}

fn probed(fault: &str, restart: Restart, limit: Limit) -> ProbeResult {
    let (launch, token) = launch(fault, &[]);
    let launch = Launch { restart, ..launch };
    let found =
        probe(&launch, &[Board::startpos()], limit, limit.nodes, false, &AtomicBool::new(false)).unwrap().unwrap();
    assert_eq!(all_gone(&token), Vec::<String>::new());
    found
}

#[test]
fn trial_reports_repeatability_and_limits() {
    let well = probed("none", Restart::Experiment, depth(5));
    assert_eq!((well.repeatability, well.resets_on_new_game), (Repeatability::Exact, true));
    assert_eq!((well.depth, well.nodes), (LimitSupport::Yes, LimitSupport::Untried));
    assert_eq!(probed("wander", Restart::Experiment, depth(5)).repeatability, Repeatability::NotRepeatable);
    // 5026 to 5056 nodes: each of three searches left 10 nodes' worth of state behind: 0.6 %.
    let keeps = probed("keeps", Restart::Experiment, depth(5));
    assert!(
        matches!(keeps.repeatability, Repeatability::Within(share) if share > 0.0 && share < 0.01),
        "{:?}",
        keeps.repeatability
    );
    assert_eq!(keeps.repeatability.to_string(), "within 0.6 %");
    assert!(!keeps.resets_on_new_game);
    assert_eq!(probed("keeps", Restart::Game, depth(5)).repeatability, Repeatability::Exact);
    assert!(
        matches!(probed("shallow", Restart::Experiment, depth(5)).depth, LimitSupport::No(text) if text.contains("depth 1"))
    );
    assert!(
        matches!(probed("few", Restart::Experiment, nodes(9000)).nodes, LimitSupport::No(text) if text.contains("it searched 6 nodes at a limit of 9000"))
    );
}

/// A process lasts for one search, one game, or the whole experiment, as configured. The node count
/// shows which search of its process a search was.
#[test]
fn process_lasts_for_the_requested_search_game_or_run() {
    for (restart, required) in
        [(Restart::Search, [1, 1, 1]), (Restart::Game, [1, 2, 1]), (Restart::Experiment, [1, 2, 3])]
    {
        let (launch, token) = launch("forget", &[]);
        let mut engine = Uci::new(Launch { restart, ..launch });
        let board = Board::startpos();
        // 5,000 nodes for the depth, 16 for the table, less than 7 at random, and 1,000 for each
        // search of the process.
        let mut which = |begins: bool| {
            if begins {
                engine.start().unwrap();
            }
            search(&mut engine, &board, depth(5)).unwrap().nodes.unwrap() / 1000 - 5
        };
        assert_eq!([which(true), which(false), which(true)], required, "{restart:?}");
        engine.quit();
        assert_eq!(all_gone(&token), Vec::<String>::new());
    }
}

/// An engine that closes its output but keeps running is killed, and is distinguished from one that
/// exited.
#[test]
fn closed_output_is_distinguished_from_an_exit() {
    let (launch, token) = launch("closed", &[]);
    // A guard would keep the output open as well.
    let mut engine = Uci::new(Launch { guard: None, ..launch });
    let failure = play(&mut engine).unwrap_err();
    assert_eq!(failure.fault, EngineFault::Exited("it closed its output".to_owned()));
    assert_eq!(all_gone(&token), Vec::<String>::new());
}

/// The guard passes on the exit code of its engine, and reports a program that doesn't exist.
#[test]
fn guard_passes_on_the_exit_of_its_engine() {
    let own = std::process::id().to_string();
    let call = |words: &[&str]| {
        let output =
            std::process::Command::new(ttlab()).args(["engine-guard", &own, "--"]).args(words).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    assert_eq!(
        call(&["/bin/sh", "-c", "echo out; echo err >&2; exit 7"]),
        (Some(7), "out\n".to_owned(), "err\n".to_owned())
    );
    assert_eq!(call(&["/bin/sh", "-c", "kill -9 $$"]).0, Some(137));
    let (code, _, message) = call(&["/no/such/engine"]);
    assert!(code == Some(127), "{code:?} {message}");
    assert!(message.contains("/no/such/engine: No such file"), "{code:?} {message}");
}

/// An engine that ignores both the end of its input and termination signals: it and its children
/// end if the parent of the guard is killed.
#[test]
fn engine_and_children_end_when_the_parent_of_the_guard_dies() {
    use std::os::unix::process::CommandExt;
    let token = token();
    // The shell is the guard's parent. Unlike ttlab, it is in the guard's process group. It is
    // killed first.
    let engine = "trap '' TERM HUP INT; sleep 600 & while :; do sleep 600; done";
    let script = "\"$0\" engine-guard $$ -- /bin/sh -c \"$1\" & wait";
    let mut parent = std::process::Command::new("/bin/sh")
        .args(["-c", script, ttlab().to_str().unwrap(), engine])
        .env("TTLAB_TRIAL", &token)
        .process_group(0)
        .spawn()
        .unwrap();
    let begun = Instant::now();
    // The shell, the guard, the engine, and two sleeping processes.
    while alive(&token).len() < 5 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", alive(&token));
        std::thread::sleep(Duration::from_millis(5));
    }
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert_eq!(all_gone(&token), Vec::<String>::new());
}
