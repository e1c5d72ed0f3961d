//! Reads and writes `reference.csv`. A reference engine judges positions and chosen moves by deep
//! searches, and the file contains these judgements. The file lies in the folder of the results
//! whose positions and moves are judged.

use super::atomic::write_atomic;
use super::fields::SeparatedRow;
use super::results::csv_line;
use super::{blocks, columns, packed};
use crate::chess::Move;
use crate::system::files;
use csv::{ReaderBuilder, StringRecord};
use serde::Deserialize;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

pub const NAME: &str = "reference.csv";

/// The name of the file in a folder whose results are compressed.
pub const COMPRESSED_NAME: &str = "reference.csv.xz";

/// A larger file is not unpacked.
const MAX_BYTES: u64 = 1 << 28;

const HEADER: [&str; 7] =
    ["reference", columns::POSITION, "move", columns::BEST, columns::SCORE, "nodes", columns::CHECK];

const CHECKED_FIELD_COUNT: usize = HEADER.len() - 1;

/// The judgement of a position or of a move in a position. The file has a row for each judgement.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Judgement {
    /// Two hashes with a hyphen between them. The first is the hash of the reference engine, its
    /// options and its limit. The second is the hash of the position with its history.
    pub reference: String,
    pub position: String,
    /// The judged move in UCI form. Empty if the position itself is judged.
    pub mv: String,
    /// The best move that the reference found. Empty if a move is judged.
    pub best: String,
    /// Score in centipawns, from the view of the side to move in the position.
    pub score: i32,
    /// Nodes of the search. `None` if the rules of chess decide the score, so that no search was
    /// needed.
    pub nodes: Option<u64>,
}

impl Judgement {
    fn to_line(&self) -> io::Result<Vec<u8>> {
        let score = self.score.to_string();
        let nodes = self.nodes.map(|nodes| nodes.to_string()).unwrap_or_default();
        let fields = [&self.reference, &self.position, &self.mv, &self.best, &score, &nodes].map(String::as_str);
        let checksum = row_checksum(fields.into_iter());
        csv_line(fields.into_iter().chain([checksum.as_str()]))
    }

    /// Reads a judgement from a row of the file. Returns `None` if the row is damaged.
    fn read(row: &StringRecord) -> Option<Self> {
        let is_checksum_right = || row[CHECKED_FIELD_COUNT] == row_checksum(row.iter().take(CHECKED_FIELD_COUNT));
        let is_intact = row.len() == HEADER.len() && is_checksum_right();
        row.deserialize(None).ok().filter(|_| is_intact)
    }
}

fn row_checksum<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    format!("{:08x}", SeparatedRow::from_fields(fields).checksum_of_all_fields())
}

/// Reads the judgements in a folder. Returns an empty list if the folder has no file of judgements.
/// Damaged lines are skipped. [`damaged_lines`] lists them.
pub fn read(folder: &Path) -> io::Result<Vec<Judgement>> {
    Ok(read_lines(folder)?.into_iter().filter_map(|(_, judgement)| judgement).collect())
}

/// The last line is ignored if it is incomplete, which may happen when a process is killed.
pub fn damaged_lines(folder: &Path) -> io::Result<Vec<u64>> {
    let lines = read_lines(folder)?.into_iter();
    Ok(lines.filter(|(_, judgement)| judgement.is_none()).map(|(line_number, _)| line_number).collect())
}

/// Reads `reference.csv` in `folder`, or the compressed file if `reference.csv` does not exist.
/// Returns the line number and the judgement of each line after the header. The judgement is `None`
/// if the line is damaged. Returns an empty list if neither file exists.
fn read_lines(folder: &Path) -> io::Result<Vec<(u64, Option<Judgement>)>> {
    let is_not_found = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let read_result = match files::read(&folder.join(NAME)) {
        Err(error) if is_not_found(&error) => packed::unpack(&folder.join(COMPRESSED_NAME), MAX_BYTES),
        result => result,
    };
    let text = match read_result {
        Err(error) if is_not_found(&error) => return Ok(Vec::new()),
        result => result?,
    };
    // The last line is ignored if it does not end with a line feed.
    let complete_lines = &text[..blocks::complete_lines_length(&text)];
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(complete_lines);
    let (mut lines, mut row) = (Vec::new(), StringRecord::new());
    loop {
        let line_number = reader.position().line();
        match reader.read_record(&mut row) {
            Ok(false) => return Ok(lines),
            result => lines.push((line_number, result.ok().and_then(|_| Judgement::read(&row)))),
        }
    }
}

/// Writes the judgements into a folder, sorted by position and move. If several judgements have the
/// same position and move, only the first of them is written. Writes no file if there are no
/// judgements.
pub fn write(folder: &Path, judgements: &[Judgement]) -> io::Result<()> {
    let mut judgements: Vec<&Judgement> = judgements.iter().collect();
    judgements.sort_by_key(|judgement| (&judgement.position, &judgement.mv));
    judgements.dedup_by_key(|judgement| (&judgement.position, &judgement.mv));
    if judgements.is_empty() {
        return Ok(());
    }
    Judgements::rewrite(folder, judgements.into_iter()).map(drop)
}

/// A folder's open file of judgements, to which judgements are appended.
pub struct Judgements(File);

impl Judgements {
    /// Replaces the contents of `reference.csv` in `folder` by the given judgements, and opens the
    /// file for appending.
    pub fn rewrite<'a>(folder: &Path, judgements: impl Iterator<Item = &'a Judgement>) -> io::Result<Self> {
        let path = folder.join(NAME);
        write_atomic(&path, &[csv_line(HEADER)?, to_lines(judgements)?].concat())?;
        Ok(Self(OpenOptions::new().append(true).open(&path)?))
    }

    pub fn append(&mut self, judgements: &[Judgement]) -> io::Result<()> {
        self.0.write_all(&to_lines(judgements.iter())?)
    }
}

fn to_lines<'a>(judgements: impl Iterator<Item = &'a Judgement>) -> io::Result<Vec<u8>> {
    Ok(judgements.map(Judgement::to_line).collect::<io::Result<Vec<_>>>()?.concat())
}

/// How many centipawns the chosen move loses compared with the best move. Both scores are limited
/// to the range from -1000 to 1000 first, because differences between moves say little in positions
/// that are won or lost by that much.
pub fn loss(best_score: i32, chosen_score: i32) -> f64 {
    let limit = |score: i32| score.clamp(-1000, 1000);
    f64::from((limit(best_score) - limit(chosen_score)).max(0))
}

/// Whether the text of a move is empty or `0000`, which both stand for no move.
pub fn is_no_move(field: &str) -> bool {
    field.is_empty() || field == Move::NONE.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_is_capped_and_never_negative() {
        let losses =
            [(50, 20), (20, 50), (1000, 999), (5000, 1500), (900, -3000), (3000, -3000), (-1500, -9000), (-900, -9000)];
        assert_eq!(losses.map(|(best, chosen)| loss(best, chosen)), [30.0, 0.0, 1.0, 0.0, 1900.0, 2000.0, 0.0, 100.0]);
    }

    fn judgement(position: &str, mv: &str, score: i32, nodes: Option<u64>) -> Judgement {
        let best = if mv.is_empty() { "g1f3" } else { "" };
        Judgement {
            reference: "00ab-12".to_owned(),
            position: position.to_owned(),
            mv: mv.to_owned(),
            best: best.to_owned(),
            score,
            nodes,
        }
    }

    /// Rows are written in the order of positions and moves, without duplicates (the first one is
    /// kept), and read back.
    #[test]
    fn rows_are_written_once_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), []);
        write(folder.path(), &[]).unwrap();
        assert!(!folder.path().join(NAME).exists());
        let [a, b, c] =
            [judgement("b, 1", "", -30, Some(700)), judgement("a", "e2e4", 12, None), judgement("a", "", 25, Some(0))];
        let duplicate = judgement("a", "e2e4", 13, Some(1));
        write(folder.path(), &[a.clone(), b.clone(), duplicate, c.clone()]).unwrap();
        // Each row ends with a checksum of eight hexadecimal digits.
        let text = std::fs::read_to_string(folder.path().join(NAME)).unwrap();
        let mut checks = Vec::new();
        let rows_without_checks = text.lines().map(|line| line.rsplit_once(',').unwrap()).map(|(row, check)| {
            checks.push(check.to_owned());
            row
        });
        let rows = [
            "reference,position,move,best,score,nodes",
            "00ab-12,a,,g1f3,25,0",
            "00ab-12,a,e2e4,,12,",
            "00ab-12,\"b, 1\",,g1f3,-30,700",
        ];
        assert_eq!(rows_without_checks.collect::<Vec<_>>(), rows);
        assert_eq!(checks.remove(0), "check");
        assert!(checks.iter().all(|check| check.len() == 8 && u32::from_str_radix(check, 16).is_ok()), "{checks:?}");
        assert_eq!(read(folder.path()).unwrap(), [c.clone(), b.clone(), a.clone()]);
        // Opening with some rows drops the others; appended rows follow; a torn row is ignored.
        let mut file = Judgements::rewrite(folder.path(), [&c].into_iter()).unwrap();
        file.append(&[a.clone(), b.clone()]).unwrap();
        assert_eq!(read(folder.path()).unwrap(), [c.clone(), a.clone(), b.clone()]);
        let original = std::fs::read_to_string(folder.path().join(NAME)).unwrap();
        let write_text = |text: &str| std::fs::write(folder.path().join(NAME), text).unwrap();
        write_text(&format!("{original}00ab-12,z,,g1f3,2"));
        assert_eq!(read(folder.path()).unwrap(), [c.clone(), a.clone(), b.clone()]);
        assert_eq!(damaged_lines(folder.path()).unwrap(), [0; 0], "an incomplete last line is not damaged");
        assert!(is_no_move(""));
        assert!(is_no_move("0000"));
        assert!(!is_no_move("e2e4"));
    }

    /// A change of any field damages the row, which is listed; the other rows are read.
    #[test]
    fn edited_row_is_listed_as_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let write_text = |text: &str| std::fs::write(folder.path().join(NAME), text).unwrap();
        let [a, b, c] =
            [judgement("a", "", 25, Some(70)), judgement("a", "e2e4", 12, Some(80)), judgement("b", "", -3, None)];
        write(folder.path(), &[a.clone(), b.clone(), c.clone()]).unwrap();
        let original = std::fs::read_to_string(folder.path().join(NAME)).unwrap();
        let row = original.lines().nth(2).unwrap();
        let fields: Vec<&str> = row.split(',').collect();
        for index in 0..fields.len() {
            for value in ["", "1", "00ab-13", "b", "d2d4", "g1f3"] {
                let mut edited = fields.clone();
                edited[index] = value;
                if edited != fields {
                    write_text(&original.replace(row, &edited.join(",")));
                    assert_eq!(read(folder.path()).unwrap(), [a.clone(), c.clone()], "{edited:?}");
                    assert_eq!(damaged_lines(folder.path()).unwrap(), [3], "{edited:?}");
                }
            }
        }
        for torn in ["00ab-12,z,,g1f3,2", "00ab-12,z,,g1f3,x,7", &format!("{row},7"), "\"x"] {
            write_text(&original.replace(row, torn));
            assert!(!read(folder.path()).unwrap().contains(&b), "{torn}");
            assert_eq!(damaged_lines(folder.path()).unwrap()[0], 3, "{torn}");
        }
        // A line that is not UTF-8 does not affect the lines after it.
        let mut bytes = original.replace(row, "no text").into_bytes();
        let index = bytes.windows(7).position(|window| window == b"no text").unwrap();
        bytes[index] = 0xff;
        std::fs::write(folder.path().join(NAME), bytes).unwrap();
        assert_eq!(read(folder.path()).unwrap(), [a.clone(), c.clone()]);
        assert_eq!(damaged_lines(folder.path()).unwrap(), [3]);
    }
}
