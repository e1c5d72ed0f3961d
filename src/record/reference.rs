//! `reference.csv`: what a deep search of a reference engine says of positions and of the moves that were chosen there. It lies beside the
//! results that it judges.

use super::columns;
use super::whole::write_whole;
use crate::chess::Move;
use csv::{ReaderBuilder, WriterBuilder};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file's name.
pub const NAME: &str = "reference.csv";

const HEADER: [&str; 6] = ["reference", columns::POSITION, "move", columns::BEST, columns::SCORE, "nodes"];

/// One row: of a whole position, or of one move there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Hash of the reference engine, its options and its limit; a hyphen; hash of the position as it was reached.
    pub reference: String,
    /// The position, as the results name it.
    pub position: String,
    /// The move, in UCI form; empty for the position itself.
    pub mv: String,
    /// Of a position: the reference's move.
    pub best: String,
    /// The score from the view of the side to move in the position, in centipawns.
    pub score: i32,
    /// Nodes of the search; none where the rules say the score.
    pub nodes: Option<u64>,
}

impl Judgement {
    fn fields(&self) -> [String; 6] {
        [
            self.reference.clone(),
            self.position.clone(),
            self.mv.clone(),
            self.best.clone(),
            self.score.to_string(),
            self.nodes.map(|nodes| nodes.to_string()).unwrap_or_default(),
        ]
    }

    fn read(row: &csv::StringRecord) -> Option<Self> {
        let [reference, position, mv, best, score, nodes] =
            std::array::from_fn(|at| row.get(at).unwrap_or_default().to_owned());
        let nodes = if nodes.is_empty() { None } else { Some(nodes.parse().ok()?) };
        (row.len() == HEADER.len()).then_some(())?;
        Some(Self { reference, position, mv, best, score: score.parse().ok()?, nodes })
    }
}

/// Every row of a folder's file; none where there is no such file. Lines that are no rows (a kill may tear the last) are left out.
///
/// # Errors
/// When the system refuses.
pub fn read(folder: &Path) -> io::Result<Vec<Judgement>> {
    let file = match File::open(folder.join(NAME)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(io::BufReader::new(file));
    Ok(reader.records().filter_map(Result::ok).filter_map(|row| Judgement::read(&row)).collect())
}

/// Writes a folder's file with the rows given, each once, by position and move; nothing where there are none.
///
/// # Errors
/// When the system refuses.
pub fn write(folder: &Path, rows: &[Judgement]) -> io::Result<()> {
    let mut rows: Vec<&Judgement> = rows.iter().collect();
    rows.sort_by_key(|row| (&row.position, &row.mv));
    rows.dedup_by_key(|row| (&row.position, &row.mv));
    if rows.is_empty() {
        return Ok(());
    }
    Judgements::open(folder, rows.into_iter()).map(drop)
}

/// A file that rows are appended to.
pub struct Judgements {
    path: PathBuf,
    file: File,
}

impl Judgements {
    /// Opens a folder's file with the rows given in it and no others.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open<'a>(folder: &Path, kept: impl Iterator<Item = &'a Judgement>) -> io::Result<Self> {
        let path = folder.join(NAME);
        let mut text = line(&HEADER.map(str::to_owned))?;
        for judgement in kept {
            text.extend(line(&judgement.fields())?);
        }
        write_whole(&path, &text)?;
        Ok(Self { file: OpenOptions::new().append(true).open(&path)?, path })
    }

    /// Appends rows in one write.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn append(&mut self, rows: &[Judgement]) -> io::Result<()> {
        let mut text = Vec::new();
        for row in rows {
            text.extend(line(&row.fields())?);
        }
        self.file.write_all(&text)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn line(fields: &[String]) -> io::Result<Vec<u8>> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(fields)?;
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// What a move loses against the best one, in centipawns. Scores are cut at 1000: of positions that are won or lost by that much the
/// difference says little about moves.
#[must_use]
pub fn loss(best: i32, chosen: i32) -> f64 {
    let cut = |score: i32| score.clamp(-1000, 1000);
    f64::from((cut(best) - cut(chosen)).max(0))
}

/// Whether a field names no move.
#[must_use]
pub fn is_no_move(field: &str) -> bool {
    field.is_empty() || field == Move::NONE.to_string()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_cut_on_both_sides_and_never_a_gain() {
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

    /// Written in the order of positions and moves, each once (the first that was given), a name with a comma in quotes; and read back.
    #[test]
    fn rows_are_written_once_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), []);
        write(folder.path(), &[]).unwrap();
        assert!(!folder.path().join(NAME).exists());
        let [a, b, c] =
            [judgement("b, 1", "", -30, Some(700)), judgement("a", "e2e4", 12, None), judgement("a", "", 25, Some(0))];
        let twice = judgement("a", "e2e4", 13, Some(1));
        write(folder.path(), &[a.clone(), b.clone(), twice, c.clone()]).unwrap();
        let text = std::fs::read_to_string(folder.path().join(NAME)).unwrap();
        let rows = "reference,position,move,best,score,nodes\n00ab-12,a,,g1f3,25,0\n00ab-12,a,e2e4,,12,\n00ab-12,\"b, 1\",,g1f3,-30,700\n";
        assert_eq!(text, rows);
        assert_eq!(read(folder.path()).unwrap(), [c.clone(), b.clone(), a.clone()]);
        // Opened with some of them it has those alone, and what is appended after them; a row that was torn is none.
        let mut file = Judgements::open(folder.path(), [&c].into_iter()).unwrap();
        assert_eq!(file.path(), folder.path().join(NAME));
        file.append(&[a.clone(), b.clone()]).unwrap();
        assert_eq!(read(folder.path()).unwrap(), [c.clone(), a.clone(), b.clone()]);
        for torn in ["00ab-12,z,,g1f3,2", "00ab-12,z,,g1f3,x,7\n", "00ab-12,z,,g1f3,7,x\n", "00ab-12,z,,g1f3,7,7,7\n"] {
            let whole = std::fs::read(folder.path().join(NAME)).unwrap();
            std::fs::write(folder.path().join(NAME), [&whole[..], torn.as_bytes()].concat()).unwrap();
            assert_eq!(read(folder.path()).unwrap(), [c.clone(), a.clone(), b.clone()], "{torn}");
            std::fs::write(folder.path().join(NAME), whole).unwrap();
        }
        assert!(is_no_move("") && is_no_move("0000") && !is_no_move("e2e4"));
    }
}
