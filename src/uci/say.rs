//! What the engine says: whole lines, each at once, and scores and lines in the protocol's words.

use crate::chess::Score;
use crate::engine::Iteration;
use crate::engine::options::{Mate, MateDistance};
use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Where the lines go. A client that hears no more ends the input too, so that errors of writing need no answer.
pub struct Voice<W>(pub Mutex<W>);

impl<W: Write> Voice<W> {
    /// One line or several.
    pub fn say(&self, text: &str) {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(output, "{text}").and_then(|()| output.flush());
    }

    /// Something for the reader of a log.
    pub fn info(&self, text: &str) {
        self.say(&format!("info string {}", text.replace(['\n', '\r'], " ")));
    }
}

/// A score as the protocol has it: centipawns, or moves to mate, negative for the side that is mated.
#[must_use]
pub fn score(score: Score, mate: &Mate) -> String {
    // Only scores that count plies from the root tell how far a mate is.
    let plies = mate.value - score.abs();
    if mate.distance == MateDistance::Ply && (0..=256).contains(&plies) {
        let moves = (plies + 1) / 2;
        return format!("mate {}", if score > 0 { moves } else { -moves });
    }
    format!("cp {score}")
}

/// A finished iteration as an `info` line. `nodes`: of all iterations so far; `elapsed`: since the search began.
#[must_use]
pub fn iteration(found: &Iteration, nodes: u64, elapsed: Duration, mate: &Mate) -> String {
    let milliseconds = elapsed.as_millis();
    let rate = (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64;
    let mut line = format!("info depth {} seldepth {}", found.depth, found.deepest.max(usize::from(found.depth)));
    let _ = write!(line, " score {} nodes {nodes} nps {rate} time {milliseconds}", score(found.score, mate));
    if let Some(full) = (found.occupancy.occupied * 1000).checked_div(found.occupancy.slots) {
        let _ = write!(line, " hashfull {full}");
    }
    if !found.pv.is_empty() {
        line += " pv";
        found.pv.iter().for_each(|mv| {
            let _ = write!(line, " {mv}");
        });
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves_of_the_side_that_mates() {
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
            assert_eq!(score(value, &mate), text);
        }
        let plain = Mate { value: 31_000, distance: MateDistance::None };
        assert_eq!(score(31_000, &plain), "cp 31000");
    }
}
