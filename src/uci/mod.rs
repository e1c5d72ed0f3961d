//! ttlab as an engine: the Universal Chess Interface over the same search. The clock lives here; the engine is told to stop.
//!
//! One thread reads what the client says, so that `isready` and `stop` are answered while another searches. Source: R. Huber and
//! S. Meyer-Kahlen, "Description of the universal chess interface (UCI)", 2006.

pub mod command;
mod game;
pub mod options;
mod say;
pub mod time;
mod worker;

pub use options::UciSettings;

use command::Command;
use game::PlayedGame;
use options::FollowUp;
use say::Voice;
use std::io::{BufRead, Write};
use std::sync::Mutex;
use worker::Worker;

/// Talks to a client until it says `quit` or its words end; a search that has a limit is still answered then. Errors of the client's are answered with
/// `info string`, and `bench` with what the caller says.
pub fn serve(input: impl BufRead, output: impl Write + Send, mut settings: UciSettings, bench: impl Fn() -> String) {
    let voice = Voice(Mutex::new(output));
    // None after a position that was refused: nobody asked for a move of the one before it.
    let mut game = Some(PlayedGame::default());
    std::thread::scope(|scope| {
        let mut worker = Worker::default();
        for line in input.split(b'\n') {
            let Ok(line) = line else { break };
            let Some(command) = command::parse(&String::from_utf8_lossy(&line)) else { continue };
            match command {
                Command::Uci => {
                    voice.say(&format!("id name ttlab {}\nid author the ttlab maintainers", env!("CARGO_PKG_VERSION")));
                    settings.lines().iter().for_each(|line| voice.say(line));
                    voice.say("uciok");
                }
                Command::IsReady if worker.is_searching() => voice.say("readyok"),
                Command::IsReady => {
                    worker.prepare(&mut settings, &voice);
                    voice.say("readyok");
                }
                Command::NewGame => {
                    worker.prepare(&mut settings, &voice);
                    worker.new_game();
                    game = Some(PlayedGame::default());
                }
                Command::SetOption(name, value) => {
                    worker.finish();
                    match settings.set(&name, value.as_deref()) {
                        Ok(FollowUp::None) => {}
                        Ok(FollowUp::Clear) => worker.clear(),
                        Err(message) => voice.info(&message),
                    }
                }
                Command::Position(fen, moves) => {
                    let read = PlayedGame::read(fen.as_deref(), &moves);
                    game = read.map_err(|message| voice.info(&message)).ok().map(|(read, repairs)| {
                        repairs.iter().for_each(|repair| voice.info(repair));
                        read
                    });
                }
                Command::Go(_) if worker.is_searching() => voice.info("go: a search is under way: say stop first"),
                Command::Go(mut go) => match &game {
                    None => {
                        voice.info("go: there is no position: the last one was refused");
                        voice.say("bestmove 0000");
                    }
                    Some(game) => {
                        go.complete(game.board.turn());
                        go.unheeded.iter().for_each(|what| voice.info(&format!("go: {what}")));
                        worker.prepare(&mut settings, &voice);
                        worker.go(scope, go, game, &settings, &voice);
                    }
                },
                Command::Stop => worker.stop(),
                Command::PonderHit => worker.ponder_hit(),
                Command::Bench => {
                    worker.finish();
                    voice.say(&bench());
                }
                Command::Quit => {
                    worker.stop();
                    break;
                }
                Command::Unknown(word) => voice.info(&format!("unknown command `{word}`")),
            }
        }
        worker.last();
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::engine::{Engine, Limit, SearchProgress};
    use std::sync::atomic::AtomicBool;

    /// As the bench of the tests says.
    const BENCH: &str = "77 nodes 1 nps";

    /// What is answered to a position that was refused is no move of another: not of the one before it, not of the start.
    #[test]
    fn a_refused_position_has_no_move() {
        for refused in [
            "position startpos moves e2e4 e2e4",
            "position fen rubbish",
            "position",
            "position fen 8/8/8/8/8/8/8/8 w - -",
        ] {
            let answer = heard(&format!(
                "position startpos moves e2e4\n{refused}\ngo depth 1\ngo infinite\nposition startpos\ngo depth 1\n"
            ));
            let of = |start: &str| answer.iter().filter(|line| line.starts_with(start)).cloned().collect::<Vec<_>>();
            let best = of("bestmove ");
            assert_eq!(best[..2], ["bestmove 0000", "bestmove 0000"], "{answer:?}");
            assert!(best.len() == 3 && best[2] != "bestmove 0000", "the next position is searched: {answer:?}");
            assert_eq!(of("info string go: there is no position").len(), 2, "{answer:?}");
            assert!(answer[0].starts_with("info string position: "), "{answer:?}");
        }
        let answer = heard("position fen rubbish\nucinewgame\ngo depth 1\n");
        assert_ne!(answer.last().unwrap(), "bestmove 0000", "a new game begins at the start");
        // A move number of 0 is 1; Black is to move.
        let answer =
            heard("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w kq - 0 0 moves e2e4\ngo depth 2\n");
        assert!("78".contains(answer.last().unwrap().chars().nth("bestmove e".len()).unwrap()), "{answer:?}");
        assert!(answer[0].starts_with("info string position: repaired: "), "{answer:?}");
    }

    /// What is answered to some lines; a search that has a limit is waited for at their end.
    fn heard(lines: &str) -> Vec<String> {
        let settings = UciSettings::new(None, &["table.size=1024".to_owned()]).unwrap();
        let mut output = Vec::new();
        serve(lines.as_bytes(), &mut output, settings, || BENCH.to_owned());
        String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
    }

    /// Each iteration tells the nodes of all so far: those of a search that the test makes itself.
    #[test]
    fn nodes_are_those_of_all_iterations() {
        let settings = UciSettings::new(None, &["table.size=1024".to_owned()]).unwrap();
        let (mut engine, mut sums) = (Engine::new(&settings.engine, None).unwrap(), vec![0]);
        let limit = Limit { depth: Some(4), nodes: None };
        engine.search(&Board::startpos(), &[], limit, &AtomicBool::new(false), &mut |progress| {
            if let SearchProgress::Iteration(found) = progress {
                sums.push(sums.last().unwrap() + found.search.nodes);
            }
        });
        let answer = heard("go depth 4\n");
        let number = |line: &String| line.split(" nodes ").nth(1)?.split(' ').next()?.parse::<u64>().ok();
        assert_eq!(answer.iter().filter_map(number).collect::<Vec<_>>(), sums[1..]);
    }

    /// A new game begins at the start, whatever was on the board: White moves. Without one Black does, after e4.
    #[test]
    fn a_new_game_begins_at_the_start() {
        for (between, ranks) in [("", "78"), ("ucinewgame\n", "12")] {
            let answer = heard(&format!("position startpos moves e2e4\n{between}go depth 1\n"));
            let from = answer.last().unwrap().strip_prefix("bestmove ").unwrap().chars().nth(1).unwrap();
            assert!(ranks.contains(from), "{between}: {answer:?}");
        }
    }

    /// What begins something new ends the search before it and waits for its answer; what comes after is not refused.
    #[test]
    fn what_comes_next_waits_for_the_answer() {
        for next in ["bench", "setoption name Clear Hash", "setoption name table.slots value 2", "ucinewgame"] {
            let answer = heard(&format!("go infinite\n{next}\nbench\nisready\ngo depth 1\n"));
            let is = |start: &str| answer.iter().map(|line| line.starts_with(start)).collect::<Vec<_>>();
            let (bench, best) = (is(BENCH), is("bestmove "));
            let first = |of: &[bool]| of.iter().position(|&found| found);
            assert!(first(&best) < first(&bench) && first(&best).is_some(), "{next}: {answer:?}");
            assert_eq!(
                bench.iter().filter(|&&found| found).count(),
                1 + usize::from(next == "bench"),
                "{next}: {answer:?}"
            );
            assert!(
                answer.iter().any(|line| line == "readyok") && best.iter().filter(|&&found| found).count() == 2,
                "{answer:?}"
            );
            assert!(
                best.last() == Some(&true) && !answer.iter().any(|line| line.starts_with("info string")),
                "{answer:?}"
            );
        }
    }

    /// No further iteration is begun when a part of the move's time is over: of 600 ms for thirty moves each has 20, of which 12 are enough, though it
    /// may take four times as much.
    #[test]
    fn no_iteration_is_begun_late() {
        let answer = heard(
            "setoption name Move Overhead value 0\nposition fen 8/8/4k3/8/8/3KP3/8/8 w - - 0 1\ngo wtime 600 btime 9\n",
        );
        let number = |line: &str, name: &str| line.split(name).nth(1)?.split(' ').next()?.parse::<u64>().ok();
        let of = |start: &str| {
            let lines = answer.iter().filter(|line| line.starts_with(start));
            lines.filter_map(|line| number(line, " nodes ").zip(number(line, " time "))).collect::<Vec<_>>()
        };
        let (whole, cut) = (of("info depth "), of("info nodes "));
        let ((nodes, time), before) = whole.split_last().unwrap();
        assert!(before.iter().all(|&(_, time)| time < 12), "{answer:?}");
        assert!(*time < 12 || cut.iter().all(|(all, _)| all == nodes), "{answer:?}");
    }

    /// A search that is over before its first iteration has the first legal move; where there is none it has none, and says so.
    #[test]
    fn any_move_is_better_than_none() {
        for (fen, best) in [
            ("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "e8"),
            ("7k/8/6KP/8/8/8/8/8 b - - 0 1", "h8g8"),
            ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "0000"),
            ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", "0000"),
        ] {
            let answer = heard(&format!("position fen {fen}\ngo nodes 1\n"));
            assert!(answer.last().unwrap().starts_with(&format!("bestmove {best}")), "{fen}: {answer:?}");
        }
    }

    /// What was pondered on was played, and the search has ended: nobody waits for the end of a clock that is of no use any more.
    #[test]
    fn an_answer_ends_the_clock() {
        let begun = std::time::Instant::now();
        let answer = heard("go ponder movetime 60000 depth 1\nponderhit\n");
        assert!(answer.last().is_some_and(|line| line.starts_with("bestmove ")), "{answer:?}");
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    }

    /// A search that nothing would end is ended with the lines; it has a move all the same.
    #[test]
    fn a_search_without_an_end_ends_with_its_lines() {
        for go in ["go", "go infinite", "go ponder wtime 1000 btime 1000"] {
            assert!(heard(&format!("{go}\n")).last().unwrap().starts_with("bestmove "), "{go}");
        }
    }
}
