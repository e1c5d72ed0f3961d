//! The waist: one CSV row for each finished iteration. The runner appends rows, the analysis reads them.

pub mod manifest;

use crate::engine::anatomy::Anatomy;
use crate::engine::{Iteration, SearchCounters};
use crate::table::TableCounters;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A column of `results.csv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its header.
    pub name: String,
    /// What stands in it.
    pub meaning: String,
}

/// Columns before the options.
const HEAD: &[(&str, &str)] = &[
    (
        "id",
        "Stable hash of options, position, limit, repeat, ply and depth, 16 hexadecimal digits; on the last row of a job, of the job.",
    ),
    ("experiment", "The experiment's name."),
    ("variant", "The variant's name."),
    ("game", "The game, in sequences; empty for single positions."),
    ("position", "The position's id in its suite; in a sequence, the game's id and the ply."),
    ("ply", "Ply of the game, in sequences (0: before White's first move)."),
    ("repeat", "Which repeat, from 0."),
    ("depth", "Depth of the iteration, in plies."),
    ("limit", "What ended the search: depth, nodes, or both."),
];

/// Columns between the options and the counters.
const RESULT: &[(&str, &str)] = &[
    ("best", "The best move, in UCI form; 0000 if there is no legal move."),
    ("score", "The root's score in centipawns, from the side to move's view."),
    ("pv", "The principal variation, UCI moves separated by blanks."),
    (
        "solved",
        "Whether the best move is one of the suite's (bm) or none of its bad ones (am); empty where it names none.",
    ),
    ("finished", "False for a last iteration that the node limit cut short."),
];

/// Columns after the counters.
const TAIL: &[(&str, &str)] = &[
    ("slots", "Slots of the table; empty without a bounded table."),
    ("entries", "Entries in the table at the end of the iteration."),
    ("current", "Of those, written or refreshed at the clock's present tick."),
    ("bytes", "Bytes of memory that the table's entries take."),
    ("hashfull", "Occupied slots per mille; empty without a bounded table."),
    ("seconds", "Wall-clock time of the iteration's search."),
    ("error", "Why the job failed; empty if it did not."),
];

/// Every column that does not depend on the experiment, in order; the varying options stand before `best`.
#[must_use]
pub fn columns() -> Vec<Column> {
    let plain = |list: &'static [(&str, &str)]| {
        list.iter().map(|(name, meaning)| Column { name: (*name).to_owned(), meaning: (*meaning).to_owned() })
    };
    let counters = |prefix: &'static str, list: &'static [(&str, &str)]| {
        list.iter().map(move |(name, meaning)| Column {
            name: format!("{prefix}.{name}"),
            meaning: meaning.split_whitespace().collect::<Vec<_>>().join(" "),
        })
    };
    plain(HEAD)
        .chain(plain(RESULT))
        .chain(counters("search", SearchCounters::COLUMNS))
        .chain(counters("table", TableCounters::COLUMNS))
        .chain(Anatomy::columns().map(|(name, meaning)| Column {
            name: format!("{ANATOMY}{name}"),
            meaning: meaning.split_whitespace().collect::<Vec<_>>().join(" "),
        }))
        .chain(plain(TAIL))
        .collect()
}

/// What the names of columns begin with that only an experiment with `diagnostics = "full"` has.
pub const ANATOMY: &str = "anatomy.";

/// The header of an experiment's results, with its varying options; `anatomy`: some variant has full diagnostics.
#[must_use]
pub fn header(varying: &[String], anatomy: bool) -> Vec<String> {
    let mut all = columns();
    all.retain(|column| anatomy || !column.name.starts_with(ANATOMY));
    let (head, rest) = all.split_at(HEAD.len());
    let names = |columns: &[Column]| columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    [names(head), varying.to_vec(), names(rest)].concat()
}

/// What names a row, beside its figures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Label {
    pub id: u64,
    pub experiment: String,
    pub variant: String,
    pub game: String,
    pub position: String,
    pub ply: Option<u16>,
    pub repeat: u32,
    pub limit: String,
    /// Values of the varying options, in the header's order.
    pub options: Vec<String>,
}

/// One row.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    /// What names it.
    pub label: &'a Label,
    /// The iteration; none for a job that failed.
    pub iteration: Option<&'a Iteration>,
    /// Whether the best move solves the position, where the suite says.
    pub solved: Option<bool>,
    /// Wall-clock seconds of the iteration.
    pub seconds: f64,
    /// Why the job failed.
    pub error: &'a str,
    /// Whether the results have columns for anatomies; they stay empty where the iteration has none.
    pub anatomy: bool,
}

impl Row<'_> {
    /// The row's fields, as [`header`] names them.
    #[must_use]
    pub fn fields(&self) -> Vec<String> {
        let label = self.label;
        let mut fields = vec![
            format!("{:016x}", label.id),
            label.experiment.clone(),
            label.variant.clone(),
            label.game.clone(),
            label.position.clone(),
            label.ply.map(|ply| ply.to_string()).unwrap_or_default(),
            label.repeat.to_string(),
            self.iteration.map_or(0, |iteration| iteration.depth).to_string(),
            label.limit.clone(),
        ];
        fields.extend(label.options.iter().cloned());
        let blank = Iteration {
            depth: 0,
            score: 0,
            best: crate::chess::Move::NONE,
            pv: Vec::new(),
            search: SearchCounters::default(),
            table: TableCounters::default(),
            occupancy: crate::table::Occupancy::default(),
            anatomy: None,
            finished: false,
        };
        let iteration = self.iteration.unwrap_or(&blank);
        let pv: Vec<String> = iteration.pv.iter().map(ToString::to_string).collect();
        fields.extend([
            iteration.best.to_string(),
            iteration.score.to_string(),
            pv.join(" "),
            self.solved.map(|solved| solved.to_string()).unwrap_or_default(),
            iteration.finished.to_string(),
        ]);
        let counters = iteration.search.values().into_iter().chain(iteration.table.values());
        fields.extend(counters.map(|value| value.to_string()));
        if self.anatomy {
            match &iteration.anatomy {
                Some(anatomy) => fields.extend(anatomy.values().iter().map(u64::to_string)),
                None => fields.extend(Anatomy::columns().map(|_| String::new())),
            }
        }
        let occupancy = iteration.occupancy;
        let bounded = occupancy.slots > 0;
        let only = |value: u64| if bounded { value.to_string() } else { String::new() };
        fields.extend([
            only(occupancy.slots),
            occupancy.occupied.to_string(),
            occupancy.current.to_string(),
            occupancy.bytes.to_string(),
            only((occupancy.occupied * 1000).checked_div(occupancy.slots).unwrap_or(0)),
            format!("{:.6}", self.seconds),
            self.error.to_owned(),
        ]);
        fields
    }
}

/// An open results file, to which rows are appended.
pub struct Results {
    file: File,
}

/// Why a results file cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The system would not.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It was written for other columns: another experiment, or another build.
    #[error(
        "it has other columns than this experiment writes (another experiment or another build wrote it): move it away, \
         or choose another folder with --out"
    )]
    OtherColumns,
    /// A line in the middle is no row.
    #[error("line {line} is no row of it: expected {expected} fields, found {found}; it was edited by hand or damaged")]
    Damaged {
        /// The line, from 1.
        line: u64,
        /// Fields of a row.
        expected: usize,
        /// Fields found.
        found: usize,
    },
}

/// What a results file already holds.
#[derive(Debug, Default)]
pub struct Done {
    /// Ids of the rows that need not be computed again.
    pub ids: HashSet<u64>,
    /// Rows with an error.
    pub failed: u64,
    /// Bytes of a torn last line that were cut off.
    pub torn: u64,
}

impl Results {
    /// Opens the file for appending, creating it with its header. What a killed run left of its last line is cut off, and
    /// the ids of what is there are returned. `retry_failed`: rows with an error are dropped, so that their jobs run again.
    ///
    /// # Errors
    /// When the file belongs to another experiment, is damaged in the middle, or the system refuses.
    pub fn open(path: &Path, header: &[String], retry_failed: bool) -> Result<(Self, Done), ResultsError> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let expected = line_of(header)?;
        let mut done = Done::default();
        let whole = whole_lines(&mut file)?;
        let length = file.metadata()?.len();
        if whole < length {
            done.torn = length - whole;
            file.set_len(whole)?;
        }
        if whole == 0 {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&expected)?;
            file.sync_data()?;
            return Ok((Self { file }, done));
        }
        file.seek(SeekFrom::Start(0))?;
        let mut start = vec![0; expected.len()];
        if file.read_exact(&mut start).is_err() || start != expected {
            return Err(ResultsError::OtherColumns);
        }
        file.seek(SeekFrom::Start(0))?;
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(BufReader::new(&file));
        let mut record = csv::StringRecord::new();
        loop {
            let more = reader.read_record(&mut record).map_err(|error| io::Error::other(error.to_string()))?;
            if !more {
                break;
            }
            let line = record.position().map_or(0, csv::Position::line);
            let id = record.get(0).filter(|id| id.len() == 16).and_then(|id| u64::from_str_radix(id, 16).ok());
            let (Some(id), true) = (id, record.len() == header.len()) else {
                return Err(ResultsError::Damaged { line, expected: header.len(), found: record.len() });
            };
            let failed = record.get(header.len() - 1).is_some_and(|error| !error.is_empty());
            done.failed += u64::from(failed);
            if !(failed && retry_failed) {
                done.ids.insert(id);
            }
        }
        drop(reader);
        if retry_failed && done.failed > 0 {
            let error = header.len() - 1;
            let keep = |record: &csv::StringRecord| record.get(error).is_some_and(str::is_empty).then_some(());
            rewrite(path, keep)?;
            done.failed = 0;
            file = OpenOptions::new().read(true).write(true).open(path)?;
        }
        file.seek(SeekFrom::End(0))?;
        Ok((Self { file }, done))
    }

    /// Appends rows with one write, so that a kill tears at most the last of them.
    ///
    /// # Errors
    /// When the system refuses (a full disk).
    pub fn append(&mut self, rows: &[Vec<String>]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for fields in rows {
            bytes.extend(line_of(fields)?);
        }
        self.file.write_all(&bytes)?;
        self.file.flush()
    }

    /// Makes sure that everything appended is on the disk.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// One CSV line.
fn line_of(fields: &[String]) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(fields).map_err(|error| io::Error::other(error.to_string()))?;
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// Bytes up to the end of the last line that has one.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::new(&*file);
    let (mut whole, mut at) = (0, 0);
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(whole);
        }
        let length = buffer.len();
        if let Some(end) = buffer.iter().rposition(|&byte| byte == b'\n') {
            whole = at + end as u64 + 1;
        }
        at += length as u64;
        reader.consume(length);
    }
}

/// Rewrites a results file: rows for which `key` gives none are dropped, the others sorted by it; of rows with one id the
/// last stays. A new file is written and renamed over the old one, so that a kill leaves one or the other.
///
/// # Errors
/// When the system refuses; the old file is then untouched.
pub fn rewrite<K: Ord>(path: &Path, key: impl Fn(&csv::StringRecord) -> Option<K>) -> io::Result<()> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_path(path)?;
    let mut records = reader.records();
    let header = records.next().transpose()?;
    let mut rows = Vec::new();
    for record in records {
        let record = record?;
        if let Some(key) = key(&record) {
            rows.push((key, record));
        }
    }
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    let last_of_id: std::collections::HashMap<&str, usize> =
        rows.iter().enumerate().map(|(at, (_, record))| (record.get(0).unwrap_or_default(), at)).collect();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    {
        let mut writer = csv::Writer::from_writer(io::BufWriter::new(&mut new));
        for record in header.iter() {
            writer.write_record(record)?;
        }
        for (at, (_, record)) in rows.iter().enumerate() {
            if last_of_id.get(record.get(0).unwrap_or_default()) == Some(&at) {
                writer.write_record(record)?;
            }
        }
        writer.flush()?;
    }
    publish(new, path)
}

/// Puts a temporary file in its place, readable as other files are.
///
/// # Errors
/// When the system refuses.
pub fn publish(file: tempfile::NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_data()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a whole file so that a kill leaves the old one or the new one.
///
/// # Errors
/// When the system refuses.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    publish(file, path)
}
