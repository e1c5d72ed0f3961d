//! ttlab as a UCI engine. Clocks are handled here. The search itself only gets a stop flag.
//!
//! One thread reads commands while another thread searches. So `isready` and `stop` are answered
//! during a search.
//! Source: R. Huber and S. Meyer-Kahlen, "Description of the universal chess interface (UCI)",
//! 2006.

pub mod command;
mod game;
pub mod options;
mod output;
pub mod time;
mod worker;

pub use options::UciSettings;

use command::Command;
use game::PlayedGame;
use options::FollowUp;
use output::Output;
use std::io::{BufRead, Write};
use std::sync::Mutex;
use worker::Worker;

/// Serves a client until `quit` or the end of the input. At the end of the input, a search with a
/// limit is still finished. Errors of the client are answered with `info string`. `bench` returns
/// the answer to the command `bench`.
pub fn serve(input: impl BufRead, output: impl Write + Send, mut settings: UciSettings, bench: impl Fn() -> String) {
    let output = Output(Mutex::new(output));
    // `None` after a position was refused. The client does not want a move in the earlier position.
    let mut game = Some(PlayedGame::default());
    std::thread::scope(|scope| {
        let mut worker = Worker::default();
        for line in input.split(b'\n') {
            let Ok(line) = line else { break };
            let Some(command) = command::parse(&String::from_utf8_lossy(&line)) else { continue };
            match command {
                Command::Uci => {
                    output.write_line(&format!(
                        "id name ttlab {}\nid author the ttlab maintainers",
                        env!("CARGO_PKG_VERSION")
                    ));
                    settings.option_lines().iter().for_each(|line| output.write_line(line));
                    output.write_line("uciok");
                }
                Command::IsReady if worker.is_searching() => output.write_line("readyok"),
                Command::IsReady => {
                    worker.prepare(&mut settings, &output);
                    output.write_line("readyok");
                }
                Command::NewGame => {
                    worker.prepare(&mut settings, &output);
                    worker.new_game();
                    game = Some(PlayedGame::default());
                }
                Command::SetOption(name, value) => {
                    worker.wait_for_answer();
                    match settings.set(&name, value.as_deref()) {
                        Ok(FollowUp::None) => {}
                        Ok(FollowUp::Clear) => worker.clear(),
                        Ok(FollowUp::Note(text)) => output.info(text),
                        Err(message) => output.info(&message),
                    }
                }
                Command::Position(start, moves) => {
                    let (result, repairs) = PlayedGame::read(&start, &moves);
                    repairs.iter().chain(result.as_ref().err()).for_each(|message| output.info(message));
                    game = result.ok();
                }
                Command::Go(_) if worker.waits_for_client() => {
                    output.info("go: a search is running: send `stop` first");
                }
                Command::Go(mut go) => match &game {
                    None => {
                        worker.wait_for_answer();
                        output.info("go: no position: the last `position` was refused");
                        output.write_line("bestmove 0000");
                    }
                    Some(game) => {
                        worker.prepare(&mut settings, &output);
                        go.ensure_limit(game.board.turn());
                        go.messages.iter().for_each(|message| output.info(&format!("go: {message}")));
                        worker.go(scope, go, game, &settings, &output);
                    }
                },
                Command::Stop => worker.stop(),
                Command::PonderHit => worker.ponder_hit(),
                Command::Bench => {
                    worker.wait_for_answer();
                    output.write_line(&bench());
                }
                Command::Quit => {
                    worker.stop();
                    break;
                }
                Command::Unknown(word) => output.info(&format!("unknown command `{word}`")),
            }
        }
        worker.wait_for_answer();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::engine::{Engine, Limit, SearchProgress};
    use std::sync::atomic::AtomicBool;

    /// The bench output in these tests.
    const BENCH: &str = "77 nodes 1 nps";

    /// After a refused position, no move of the previous position or of the start position is
    /// returned.
    #[test]
    fn refused_position_has_no_best_move() {
        for refused in [
            "position startpos moves e2e4 e2e4",
            "position fen rubbish",
            "position",
            "position fen 8/8/8/8/8/8/8/8 w - -",
            "position fen",
            "position fen moves e2e4",
            "position startpos e2e4 e7e5",
            "position startpos move e2e4",
            "position startpos fen 8/4P1k1/8/8/8/8/8/4K3 w - - 0 1",
            "position StartPos moves e2e4",
            "position rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e2e4",
            "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - e2e4",
            "position fen 8/4P1k1/8/8/8/8/8/4K3",
            "position fen fen 8/4P1k1/8/8/8/8/8/4K3 w - - 0 1",
            "position startpos moves e2e4 moves e7e5",
            "position startpos moves e4",
            "position startpos moves 0000",
        ] {
            let answer = answers_to(&format!(
                "position startpos moves e2e4\n{refused}\ngo depth 1\ngo infinite\nposition startpos\ngo depth 1\n"
            ));
            let lines_with =
                |start: &str| answer.iter().filter(|line| line.starts_with(start)).cloned().collect::<Vec<_>>();
            let best = lines_with("bestmove ");
            assert_eq!(best[..2], ["bestmove 0000", "bestmove 0000"], "{answer:?}");
            assert_eq!(best.len(), 3, "the next position is searched: {answer:?}");
            assert!(best[2] != "bestmove 0000", "the next position is searched: {answer:?}");
            assert_eq!(lines_with("info string go: no position").len(), 2, "{answer:?}");
            assert!(answer[0].starts_with("info string position: "), "{answer:?}");
        }
        let answer = answers_to("position fen rubbish\nucinewgame\ngo depth 1\n");
        assert_ne!(answer.last().unwrap(), "bestmove 0000", "a new game begins at the start");
        // Move number 0 is read as 1; Black is to move.
        let answer =
            answers_to("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w kq - 0 0 moves e2e4\ngo depth 2\n");
        assert!("78".contains(answer.last().unwrap().chars().nth("bestmove e".len()).unwrap()), "{answer:?}");
        assert!(answer[0].starts_with("info string position: repaired: "), "{answer:?}");
    }

    /// The answers to some lines; a search with a limit is finished at their end.
    fn answers_to(lines: &str) -> Vec<String> {
        let settings = UciSettings::new(None, &["table.size=1024".to_owned()]).unwrap();
        let mut output = Vec::new();
        serve(lines.as_bytes(), &mut output, settings, || BENCH.to_owned());
        String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
    }

    /// Each iteration reports the nodes of all iterations so far, compared with a direct search.
    #[test]
    fn nodes_are_summed_over_iterations() {
        let settings = UciSettings::new(None, &["table.size=1024".to_owned()]).unwrap();
        let (mut engine, mut sums) = (Engine::new(&settings.engine, None).unwrap(), vec![0]);
        let limit = Limit { depth: Some(4), nodes: None };
        engine.search(&Board::startpos(), &[], limit, &AtomicBool::new(false), &mut |progress| {
            if let SearchProgress::Iteration(iteration) = progress {
                sums.push(sums.last().unwrap() + iteration.search.nodes);
            }
        });
        let answer = answers_to("go depth 4\n");
        let number = |line: &String| line.split(" nodes ").nth(1)?.split(' ').next()?.parse::<u64>().ok();
        assert_eq!(answer.iter().filter_map(number).collect::<Vec<_>>(), sums[1..]);
    }

    /// After `ucinewgame` the start position is searched, so White moves; without it Black moves,
    /// after e4.
    #[test]
    fn new_game_begins_at_the_start_position() {
        for (between, ranks) in [("", "78"), ("ucinewgame\n", "12")] {
            let answer = answers_to(&format!("position startpos moves e2e4\n{between}go depth 1\n"));
            let from = answer.last().unwrap().strip_prefix("bestmove ").unwrap().chars().nth(1).unwrap();
            assert!(ranks.contains(from), "{between}: {answer:?}");
        }
    }

    /// Commands that need an idle engine end an endless search and wait for its answer; later
    /// commands are not refused.
    #[test]
    fn next_command_waits_for_the_answer() {
        for next in ["bench", "setoption name Clear Hash", "setoption name table.slots value 2", "ucinewgame"] {
            let answer = answers_to(&format!("go infinite\n{next}\nbench\nisready\ngo depth 1\n"));
            let lines_with = |start: &str| -> Vec<usize> {
                (0..answer.len()).filter(|&line| answer[line].starts_with(start)).collect()
            };
            let (bench, best) = (lines_with(BENCH), lines_with("bestmove "));
            assert!(best.first() < bench.first(), "{next}: {answer:?}");
            assert_eq!(bench.len(), 1 + usize::from(next == "bench"), "{next}: {answer:?}");
            assert!(answer.iter().any(|line| line == "readyok"), "{answer:?}");
            assert_eq!(best.len(), 2, "{answer:?}");
            assert_eq!(best.last(), Some(&(answer.len() - 1)), "{answer:?}");
            assert!(!answer.iter().any(|line| line.starts_with("info string")), "{answer:?}");
        }
    }

    /// A search with a limit is finished before the next command that needs the engine: each `go`
    /// has an answer, in the position of its time. Only the client ends another one.
    #[test]
    fn limited_search_is_finished_first() {
        let black = "position startpos moves e2e4\n";
        for (lines, answers, finished) in [
            (format!("go nodes 500\n{black}go nodes 500\n"), 2, ""),
            (format!("go movetime 60\n{black}go movetime 60\n"), 2, ""),
            (format!("go depth 2\ngo depth 2\n{black}go depth 2\n"), 3, "info depth 2 "),
            (format!("go depth 4\nisready\n{black}go depth 2\n"), 2, "info depth 4 "),
            (format!("go depth 4\nucinewgame\n{black}go depth 2\n"), 2, "info depth 4 "),
            (format!("go depth 4\nsetoption name table.slots value 2\n{black}go depth 2\n"), 2, "info depth 4 "),
            (format!("go depth 4\nsetoption name Clear Hash\n{black}go depth 2\n"), 2, "info depth 4 "),
            (format!("go depth 4\nbench\n{black}go depth 2\n"), 2, "info depth 4 "),
            (format!("go depth 2\nposition rubbish\ngo depth 1\n{black}go depth 1\n"), 3, "info depth 2 "),
            (format!("go infinite\nstop\n{black}go depth 1\n"), 2, ""),
            (format!("go ponder depth 4\nponderhit\n{black}go depth 1\n"), 2, "info depth 4 "),
        ] {
            let found = answers_to(&lines);
            let best: Vec<&String> = found.iter().filter(|line| line.starts_with("bestmove ")).collect();
            assert_eq!(best.len(), answers, "{lines}: {found:?}");
            assert!("12".contains(best[0].chars().nth("bestmove e".len()).unwrap()), "{lines}: {found:?}");
            assert!("78".contains(best[answers - 1].chars().nth("bestmove e".len()).unwrap()), "{lines}: {found:?}");
            assert!(found.iter().any(|line| line.starts_with(finished)), "{lines}: {found:?}");
        }
        for go in ["go infinite", "go ponder depth 3"] {
            let refused = answers_to(&format!("{go}\n{black}go depth 1\nstop\n"));
            assert_eq!(refused.iter().filter(|line| line.starts_with("bestmove ")).count(), 1, "{refused:?}");
        }
    }

    /// No iteration starts after the soft limit. Of 600 ms for thirty moves each move has 20 ms;
    /// the soft limit is 12 ms of these, the hard limit 80 ms.
    #[test]
    fn no_iteration_starts_after_the_soft_limit() {
        let answer = answers_to(
            "setoption name Move Overhead value 0\nposition fen 8/8/4k3/8/8/3KP3/8/8 w - - 0 1\ngo wtime 600 btime 9\n",
        );
        let number = |line: &str, name: &str| line.split(name).nth(1)?.split(' ').next()?.parse::<u64>().ok();
        let nodes_and_times = |start: &str| {
            let lines = answer.iter().filter(|line| line.starts_with(start));
            lines.filter_map(|line| number(line, " nodes ").zip(number(line, " time "))).collect::<Vec<_>>()
        };
        let (finished, truncated) = (nodes_and_times("info depth "), nodes_and_times("info nodes "));
        let ((nodes, time), earlier) = finished.split_last().unwrap();
        assert!(earlier.iter().all(|&(_, time)| time < 12), "{answer:?}");
        assert!(*time < 12 || truncated.iter().all(|(total_nodes, _)| total_nodes == nodes), "{answer:?}");
    }

    /// A search that ends before its first iteration returns the first legal move, or `0000` if
    /// there is none.
    #[test]
    fn search_without_iterations_returns_a_legal_move() {
        for (fen, best) in [
            ("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "e8"),
            ("7k/8/6KP/8/8/8/8/8 b - - 0 1", "h8g8"),
            ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "0000"),
            ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", "0000"),
        ] {
            let answer = answers_to(&format!("position fen {fen}\ngo nodes 1\n"));
            assert!(answer.last().unwrap().starts_with(&format!("bestmove {best}")), "{fen}: {answer:?}");
        }
    }

    /// After `ponderhit` on a finished search the answer does not wait for the clock.
    #[test]
    fn answer_does_not_wait_for_the_clock() {
        let start = std::time::Instant::now();
        let answer = answers_to("go ponder movetime 60000 depth 1\nponderhit\n");
        assert!(answer.last().is_some_and(|line| line.starts_with("bestmove ")), "{answer:?}");
        assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
    }

    /// A search without a limit ends with the input and still has a move.
    #[test]
    fn endless_search_ends_with_the_input() {
        for go in ["go", "go infinite", "go ponder wtime 1000 btime 1000"] {
            assert!(answers_to(&format!("{go}\n")).last().unwrap().starts_with("bestmove "), "{go}");
        }
    }
}
