//! The results of an experiment: one CSV row for each finished iteration or, in a match, for each
//! game. The runner appends the rows, and the analysis reads them.

mod atomic;
pub mod blocks;
pub mod columns;
pub mod diagnosis;
mod fields;
pub mod games;
mod jobs;
pub mod manifest;
pub mod packed;
pub mod reference;
mod results;
mod rewriting;
mod row_key;
pub mod seals;
pub mod verify;
mod writer;

pub use atomic::{NewFile, TEMPORARY, begin_file, publish, write_atomic};
pub use columns::{Column, Extra, columns, header};
pub use fields::SeparatedRow;
pub use jobs::Jobs;
pub use packed::{PACKED, is_packed, results_file};
pub use results::{RESULTS, ResultsError, header_length, header_line, read_header, scan, scan_any, scan_ids};
pub use rewriting::{rewrite, sort_rows, write_rows};
pub use row_key::RowKey;
pub use writer::{ResultsWriter, create_folder, open_regular_file};

use crate::chess::{Board, Color, Move, Score};
use crate::engine::Iteration;
use crate::subject::UciReport;

/// The file of the experiment in the folder of its results.
pub const EXPERIMENT: &str = "experiment.toml";

/// The subfolder of the results for the games of `[confirm]`. Each stage has its own folder there.
pub const CONFIRM_FOLDER: &str = "confirm";

/// The text between the variant's name and the number of the key seed, in the name of a copy of the
/// variant that uses another key seed.
pub const SEED_SUFFIX: &str = ", key seed ";

/// The text between the variant's name and the number of the schedule, in the name of a copy of the
/// variant whose searchers follow another schedule.
pub const SCHEDULE_SUFFIX: &str = ", schedule ";

pub fn base_variant(name: &str) -> Option<&str> {
    [SEED_SUFFIX, SCHEDULE_SUFFIX].into_iter().find_map(|suffix| {
        let (variant, number) = name.rsplit_once(suffix)?;
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(variant)
    })
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Label {
    pub id: u64,
    pub experiment: String,
    pub variant: String,
    /// The suite's name. `None` if there is only one suite. Rows then have no column for the suite.
    pub suite: Option<String>,
    pub game: String,
    pub position: String,
    pub ply: Option<u16>,
    pub repeat: u32,
    pub limit: String,
    pub options: Vec<String>,
}

/// The data of a row of results before the row is formatted.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    pub label: &'a Label,
    /// The finished iteration; `None` for a failed job.
    pub iteration: Option<&'a Iteration>,
    /// Whether the best move solves the position. `None` if the suite names no solutions.
    pub solved: Option<bool>,
    /// What the row says of the mate that the suite knows. `None` if it knows none.
    pub mate: Option<MateRow>,
    /// Whether the results have the columns of mates.
    pub has_mates: bool,
    /// Wall-clock seconds of the iteration.
    pub seconds: f64,
    /// Why the job failed. Empty if the job did not fail.
    pub error: &'a str,
    /// Whether the results have anatomy columns. The row's fields in these columns are empty if the
    /// iteration has no anatomy.
    pub has_anatomy: bool,
    /// Whether the results have the columns of several searchers.
    pub has_threads: bool,
    /// The contents of the columns of external engines. `None` if the results have no such columns.
    pub engine_columns: Option<EngineColumns<'a>>,
    /// The contents of the columns of a match. `None` if the rows are not games.
    pub match_columns: Option<MatchColumns<'a>>,
}

/// What a row says of a mate that the suite knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MateRow {
    /// The score is a mate for the right side, and its line is legal and ends in mate.
    pub found: bool,
    /// Found in at most the suite's moves.
    pub best: bool,
    /// Found in fewer moves than the suite's.
    pub shorter: bool,
    /// The score is such a mate, but the line does not show it.
    pub unproved: bool,
    /// The score is a mate for the other side, or a shorter one than a minimal suite gives.
    pub wrong: bool,
    /// The iteration's nodes, 0 after the first iteration from which the mate was found and kept.
    pub nodes: u64,
}

#[derive(Debug, Clone, Copy)]
pub struct MatchColumns<'a> {
    pub opponent: &'a str,
    /// The game; `None` if the pair could not be played.
    pub game: Option<&'a GameRecord>,
}

/// A finished game, from the view of one of the players. Below, "the player" is this player.
#[derive(Debug, Clone, PartialEq)]
pub struct GameRecord {
    pub white: bool,
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    pub end: &'static str,
    /// The depths of the last finished iterations, summed over the player's moves.
    pub depths: u64,
    /// Number of the player's moves for which no iteration finished within the limit.
    pub unsearched_moves: u64,
    pub opponent_nodes: u64,
    /// The position before the first move.
    pub start: Board,
    pub moves: Vec<Move>,
    pub searches: Vec<MoveSearch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MoveSearch {
    /// The mover's score in centipawns, if the engine reported one.
    pub score: Option<Score>,
    /// The number of moves to mate. Negative if the mover is mated. `None` if the score is not a
    /// mate score.
    pub mate: Option<i32>,
    /// The depth of the last finished iteration, or 0 if unknown.
    pub depth: u8,
    pub nodes: Option<u64>,
}

impl GameRecord {
    pub fn colour(&self) -> &'static str {
        if self.white { WHITE } else { BLACK }
    }

    pub fn points(&self) -> &'static str {
        match self.winner {
            None => "0.5",
            Some(winner) if (winner == Color::White) == self.white => "1",
            Some(_) => "0",
        }
    }
}

/// The value of `match.colour` in the first game of a pair.
pub const WHITE: &str = "white";

/// The value of `match.colour` in the second game of a pair.
pub const BLACK: &str = "black";

#[derive(Debug, Clone, Copy)]
pub struct EngineColumns<'a> {
    /// The engine's report. `None` for the built-in engine.
    pub report: Option<&'a UciReport>,
    /// Whether the counts of repeated searches are equal, as tested before the run.
    pub repeats: &'a str,
}

impl Row<'_> {
    fn report(&self) -> Option<&UciReport> {
        self.engine_columns.and_then(|engine| engine.report)
    }
}

/// The checksum covers every field except the time. It also covers `previous`, which is the
/// checksum of the previous row of the same job, or 0 for the job's first row.
pub fn checksum<'a>(previous: u32, fields: impl Iterator<Item = &'a str>) -> u32 {
    let fields = SeparatedRow::from_fields(fields);
    fields.checksum(previous, fields.len())
}

/// Appends the checksum to a row's fields. Returns the checksum. The caller must pass
/// it as `previous` for the next row of the same job.
pub fn append_checksum(fields: &mut Vec<String>, previous: u32) -> u32 {
    let checksum = checksum(previous, fields.iter().map(String::as_str));
    fields.push(format!("{checksum:08x}"));
    checksum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_covers_every_field_except_the_time() {
        let header = header(&[], Extra::default());
        let seconds = header.iter().position(|name| name == columns::SECONDS).unwrap_or(0);
        assert_eq!(header[header.len() - 1], columns::CHECK);
        let row: Vec<String> = header[..header.len() - 1].to_vec();
        let check_row = |row: &[String], previous| checksum(previous, row.iter().map(String::as_str));
        for index in 0..row.len() {
            let mut changed = row.clone();
            changed[index].push('1');
            assert_eq!(check_row(&changed, 7) == check_row(&row, 7), index == seconds, "{}", header[index]);
        }
        assert_ne!(check_row(&row, 7), check_row(&row, 8));
        let mut shifted = row.clone();
        shifted[0] = "ide".to_owned();
        shifted[1] = "xperiment".to_owned();
        assert_ne!(check_row(&shifted, 7), check_row(&row, 7));
    }

    /// A game's points depend on the winner and the player's colour.
    #[test]
    fn game_points_follow_the_winners_colour() {
        let game = |white: bool, winner: Option<Color>| GameRecord {
            white,
            winner,
            end: games::TOO_LONG,
            depths: 0,
            unsearched_moves: 0,
            opponent_nodes: 0,
            start: Board::startpos(),
            moves: Vec::new(),
            searches: Vec::new(),
        };
        for (white, winner, points) in [
            (true, Some(Color::White), "1"),
            (true, Some(Color::Black), "0"),
            (false, Some(Color::White), "0"),
            (false, Some(Color::Black), "1"),
            (true, None, "0.5"),
            (false, None, "0.5"),
        ] {
            let game = game(white, winner);
            assert_eq!((game.points(), game.colour()), (points, if white { "white" } else { "black" }));
        }
    }

    /// The table's state is written for the built-in engine. Fields that an external engine does
    /// not report are empty.
    #[test]
    fn row_leaves_unreported_fields_empty() {
        use crate::engine::{Iteration, SearchCounters};
        let label = Label {
            id: 255,
            experiment: "x".to_owned(),
            variant: "v".to_owned(),
            suite: None,
            game: String::new(),
            position: "p".to_owned(),
            ply: None,
            repeat: 0,
            limit: "depth 3".to_owned(),
            options: Vec::new(),
        };
        let mut iteration: Iteration = UciReport::default().to_iteration();
        iteration.search = SearchCounters { nodes: 7, ..SearchCounters::default() };
        (iteration.score, iteration.occupancy.occupied, iteration.occupancy.slots) = (-12, 3, 8);
        let fields = |report: Option<&UciReport>| {
            let external = report.map(|report| EngineColumns { report: Some(report), repeats: "exact" });
            let row = Row {
                label: &label,
                iteration: Some(&iteration),
                solved: None,
                mate: None,
                has_mates: false,
                seconds: 0.5,
                error: "",
                has_anatomy: false,
                has_threads: false,
                engine_columns: external,
                match_columns: None,
            };
            let header = header(&[], Extra { external: report.is_some(), ..Extra::default() });
            let fields = row.fields();
            let field = |name: &str| header.iter().position(|column| column == name).map(|index| fields[index].clone());
            [columns::SCORE, columns::HASHFULL, columns::ENTRIES, columns::SLOTS, columns::NODES]
                .map(|name| field(name).unwrap_or_default())
        };
        assert_eq!(fields(None), ["-12", "375", "3", "8", "7"]);
        let silent = UciReport::default();
        let [score, _, entries, _, nodes] = fields(Some(&silent));
        assert_eq!([score, entries, nodes], ["", "", ""]);
        let report = UciReport { score: Some(-12), nodes: Some(9), ..UciReport::default() };
        let [score, .., nodes] = fields(Some(&report));
        assert_eq!([score, nodes], ["-12", "9"]);
    }
}
