//! The engine's output: whole lines, flushed at once, with scores and variations in UCI format.

use crate::chess::Score;
use crate::engine::Iteration;
use crate::engine::options::Mate;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The output stream. Write errors are ignored, because a client that stops reading also ends the
/// input.
pub struct Output<W>(pub Mutex<W>);

impl<W: Write> Output<W> {
    pub fn write_line(&self, text: &str) {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(output, "{text}").and_then(|()| output.flush());
    }

    pub fn info(&self, text: &str) {
        self.write_line(&format!("info string {}", text.replace(['\n', '\r'], " ")));
    }
}

/// Formats a score for UCI: in centipawns, or as the number of moves to mate. The number of moves
/// is negative for the side that is mated.
fn format_score(score: Score, mate: &Mate) -> String {
    mate.moves_to_mate(score).map_or_else(|| format!("cp {score}"), |moves| format!("mate {moves}"))
}

/// `nodes` is the number of nodes of all iterations so far. `elapsed` is the time since the start
/// of the search.
pub fn iteration_line(iteration: &Iteration, nodes: u64, elapsed: Duration, mate: &Mate) -> String {
    let (depth, score) = (iteration.depth, format_score(iteration.score, mate));
    let seldepth = iteration.deepest.max(usize::from(depth));
    let mut line = format!("info depth {depth} seldepth {seldepth} score {score} {}", format_cost(nodes, elapsed));
    if let Some(permille) = (iteration.occupancy.occupied * 1000).checked_div(iteration.occupancy.slots) {
        line += &format!(" hashfull {permille}");
    }
    if !iteration.pv.is_empty() {
        line += " pv";
        line.extend(iteration.pv.iter().map(|mv| format!(" {mv}")));
    }
    line
}

/// The score and the variation are not reported, because the depth was not completed.
pub fn truncated_line(nodes: u64, elapsed: Duration) -> String {
    format!("info {}", format_cost(nodes, elapsed))
}

/// Formats nodes, speed and time for an `info` line.
fn format_cost(nodes: u64, elapsed: Duration) -> String {
    let rate = (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64;
    format!("nodes {nodes} nps {rate} time {}", elapsed.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::options::MateDistance;

    #[test]
    fn mate_score_counts_moves_of_the_mating_side() {
        let mate = Mate { value: 31_000, distance: MateDistance::Ply };
        for (value, text) in [
            (30_999, "mate 1"),
            (30_997, "mate 2"),
            (-31_000, "mate 0"),
            (-30_998, "mate -1"),
            (-30_996, "mate -2"),
            (31_000 - 255, "mate 128"),
            (-31_000 + 256, "mate -128"),
            (31_000 - 257, "cp 30743"),
            (-31_000 + 257, "cp -30743"),
            (150, "cp 150"),
        ] {
            assert_eq!(format_score(value, &mate), text);
        }
        let plain = Mate { value: 31_000, distance: MateDistance::None };
        assert_eq!(format_score(31_000, &plain), "cp 31000");
    }

    /// A complete line, in which every number is different: 3,000 nodes in half a second, and a
    /// third of the table full. Then a line without a table and without a variation, whose
    /// `seldepth` is the depth.
    #[test]
    fn iteration_is_written_as_one_info_line() {
        let mut board = crate::chess::Board::startpos();
        let pv: Vec<crate::chess::Move> = ["e2e4", "e7e5"]
            .iter()
            .map(|word| {
                let mv = crate::chess::parse_move(&board, word).unwrap_or(crate::chess::Move::NONE);
                board.play(mv, crate::chess::Increments::none());
                mv
            })
            .collect();
        let mut iteration = Iteration {
            depth: 6,
            deepest: 11,
            score: -42,
            best: pv[0],
            pv,
            search: Default::default(),
            table: Default::default(),
            threads: Default::default(),
            occupancy: Default::default(),
            anatomy: None,
            finished: true,
        };
        (iteration.occupancy.slots, iteration.occupancy.occupied) = (3000, 1000);
        let mate = Mate { value: 31_000, distance: MateDistance::Ply };
        let line = |iteration: &Iteration, elapsed: u64| {
            iteration_line(iteration, 3000, Duration::from_millis(elapsed), &mate)
        };
        assert_eq!(
            line(&iteration, 500),
            "info depth 6 seldepth 11 score cp -42 nodes 3000 nps 6000 time 500 hashfull 333 pv e2e4 e7e5"
        );
        (iteration.deepest, iteration.occupancy.slots) = (5, 0);
        iteration.pv.clear();
        assert_eq!(line(&iteration, 0), "info depth 6 seldepth 6 score cp -42 nodes 3000 nps 3000000000 time 0");
        assert_eq!(truncated_line(3000, Duration::from_millis(500)), "info nodes 3000 nps 6000 time 500");
        let output = Output(Mutex::new(Vec::new()));
        output.info("two\r\nlines\nof it");
        output.write_line("bestmove e2e4");
        let text = output.0.into_inner().unwrap_or_default();
        assert_eq!(String::from_utf8_lossy(&text), "info string two  lines of it\nbestmove e2e4\n");
    }
}
