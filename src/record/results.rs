//! The results file, read line by line or row by row in memory that does not grow with it.

use super::fields::{CARRIAGE, Parser};
use csv::StringRecord;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// Why a results file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The system would not.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It was written for other columns: another experiment, or another build.
    #[error(
        "it has other columns than this experiment writes: {0} (another experiment or another build wrote it): move it away, \
         or choose another folder with --out"
    )]
    OtherColumns(String),
    /// A line is no row of this plan.
    #[error("line {line}: {problem}")]
    Damaged {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
}

/// Where a row stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLine {
    /// Its number, from 1; the header is line 1.
    pub number: u64,
    /// Its bytes, the end of the line included.
    pub bytes: Range<u64>,
}

/// Reads every whole line of a results file, the header apart. Returns the bytes up to the end of the last one: what follows
/// is a torn line. `visit` gets a row, or what is wrong with a line that is none; where it fails, the reading ends.
///
/// # Errors
/// When the header is another, `visit` says that a line is wrong, or the system refuses. A file without even a whole header
/// has no rows: 0 bytes.
pub fn scan(
    path: &Path,
    header: &[String],
    mut visit: impl FnMut(&FileLine, Result<&StringRecord, String>) -> Result<(), String>,
) -> Result<u64, ResultsError> {
    let mut file = File::open(path)?;
    let whole = whole_lines(&mut file)?;
    file.seek(SeekFrom::Start(0))?;
    let mut lines = BufReader::with_capacity(1 << 16, (&file).take(whole));
    let mut bytes = Vec::new();
    if whole == 0 {
        // Not even a whole header: what a kill left of one, or no results at all.
        let expected = line_of(header.iter().map(String::as_str))?;
        (&file).take(expected.len() as u64 + 1).read_to_end(&mut bytes)?;
        return if expected.starts_with(&bytes) { Ok(0) } else { Err(other_columns(header, &bytes)) };
    }
    lines.read_until(b'\n', &mut bytes)?;
    if bytes != line_of(header.iter().map(String::as_str))? {
        return Err(other_columns(header, &bytes));
    }
    each_line(lines, bytes.len() as u64, header.len(), &mut visit)?;
    Ok(whole)
}

/// What is wrong with a header.
fn other_columns(header: &[String], found: &[u8]) -> ResultsError {
    if found.contains(&b'\r') {
        return ResultsError::Damaged { line: 1, problem: CARRIAGE.to_owned() };
    }
    let fields = match Parser::new().line(found) {
        Ok(fields) => fields,
        Err(problem) => return ResultsError::Damaged { line: 1, problem },
    };
    let fields: Vec<&str> = fields.iter().collect();
    let expected: Vec<&str> = header.iter().map(String::as_str).collect();
    ResultsError::OtherColumns(match expected.iter().zip(&fields).position(|(wanted, found)| wanted != found) {
        Some(at) if !expected.contains(&fields[at]) => {
            format!("column {} is `{}`, which it has not, where `{}` is expected", at + 1, fields[at], expected[at])
        }
        Some(at) => format!("column {} is `{}` where `{}` is expected", at + 1, fields[at], expected[at]),
        None if fields.len() < expected.len() => format!("`{}` is missing at the end", expected[fields.len()]),
        None => format!("`{}` follows the last one", fields.get(expected.len()).copied().unwrap_or_default()),
    })
}

/// Reads every whole line of any results file, whatever its columns. Returns the columns and the bytes up to the end of the last
/// whole line; `visit` as for [`scan`], told the columns.
///
/// # Errors
/// When there is no header, `visit` fails, or the system refuses.
pub fn scan_any(
    path: &Path,
    mut visit: impl FnMut(&[String], &FileLine, Result<&StringRecord, String>) -> Result<(), String>,
) -> Result<Vec<String>, ResultsError> {
    let mut file = File::open(path)?;
    let whole = whole_lines(&mut file)?;
    file.seek(SeekFrom::Start(0))?;
    let mut lines = BufReader::with_capacity(1 << 16, (&file).take(whole));
    let mut bytes = Vec::new();
    lines.read_until(b'\n', &mut bytes)?;
    let header = columns_of(&bytes)?;
    each_line(lines, bytes.len() as u64, header.len(), |line, row| visit(&header, line, row))?;
    Ok(header)
}

/// The columns that a header names.
pub(super) fn columns_of(line: &[u8]) -> Result<Vec<String>, ResultsError> {
    let fields = Parser::new().line(line).map_err(|problem| ResultsError::Damaged { line: 1, problem })?;
    Ok(fields.iter().map(str::to_owned).collect())
}

/// What is wrong with a line of so many fields.
pub(super) fn other_width(expected: usize, found: usize) -> String {
    format!("it is no row: expected {expected} fields, found {found}; it was edited by hand or damaged")
}

/// Hands on each line. A row is a line: a stray quote costs its own row and none that follows.
fn each_line(
    mut lines: impl BufRead,
    mut at: u64,
    fields: usize,
    mut visit: impl FnMut(&FileLine, Result<&StringRecord, String>) -> Result<(), String>,
) -> Result<(), ResultsError> {
    let (mut bytes, mut number, mut parser) = (Vec::new(), 1, Parser::new());
    loop {
        bytes.clear();
        if lines.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(());
        }
        number += 1;
        let line = FileLine { number, bytes: at..at + bytes.len() as u64 };
        at = line.bytes.end;
        let row = parser.line(&bytes).and_then(|row| match row.len() {
            found if found == fields => Ok(row),
            found => Err(other_width(fields, found)),
        });
        let row = row.as_ref().map_err(Clone::clone);
        visit(&line, row).map_err(|problem| ResultsError::Damaged { line: number, problem })?;
    }
}

/// One CSV line.
pub(super) fn line_of<'a>(fields: impl Iterator<Item = &'a str>) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(fields).map_err(|error| io::Error::other(error.to_string()))?;
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// Bytes of a results file's first line.
///
/// # Errors
/// When the header cannot be written as CSV.
pub fn header_length(header: &[String]) -> io::Result<u64> {
    Ok(line_of(header.iter().map(String::as_str))?.len() as u64)
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

/// The rows of a results file, one after another, from any of them on.
pub struct Rows {
    reader: csv::Reader<BufReader<File>>,
    /// Bytes of the file before those that the reader has seen.
    base: u64,
    next: StringRecord,
    /// Where the next row begins; none at the end.
    at: Option<u64>,
    row: StringRecord,
}

impl Rows {
    /// Opens a file at the row that begins at a byte that [`Rows::offset`] gave, or 0 for the first.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open(path: &Path, header: &[String], offset: u64) -> Result<Self, ResultsError> {
        let base = offset.max(header_length(header)?);
        let mut file = BufReader::new(File::open(path)?);
        file.seek(SeekFrom::Start(base))?;
        let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(file);
        let mut rows = Self { reader, base, next: StringRecord::new(), at: None, row: StringRecord::new() };
        rows.advance()?;
        Ok(rows)
    }

    fn advance(&mut self) -> Result<(), ResultsError> {
        let at = self.base + self.reader.position().byte();
        let more = self.reader.read_record(&mut self.next).map_err(io::Error::other)?;
        self.at = more.then_some(at);
        Ok(())
    }

    /// Where the next row begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.at.unwrap_or(self.base + self.reader.position().byte())
    }

    /// Goes on to the next row if it is as wanted.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn next_if(&mut self, wanted: impl FnOnce(&StringRecord) -> bool) -> Result<bool, ResultsError> {
        if self.at.is_none() || !wanted(&self.next) {
            return Ok(false);
        }
        std::mem::swap(&mut self.row, &mut self.next);
        self.advance()?;
        Ok(true)
    }

    /// The row gone to last.
    #[must_use]
    pub fn row(&self) -> &StringRecord {
        &self.row
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_are_read_and_a_torn_one_is_not_there() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("results.csv");
        for (tail, damaged) in [("", 0), ("3", 0), ("3,4", 0), ("3\n", 1), ("3,4,5\n", 1)] {
            std::fs::write(&path, format!("id,nodes\n1,2\n{tail}")).unwrap();
            let (mut rows, mut wrong) = (Vec::new(), 0);
            let header = scan_any(&path, |columns, line, row| {
                assert_eq!(columns, ["id", "nodes"]);
                match row {
                    Ok(row) => rows.push((line.number, line.bytes.clone(), row.iter().collect::<Vec<_>>().join("|"))),
                    Err(_) => wrong += 1,
                }
                Ok(())
            });
            assert_eq!(header.unwrap(), ["id", "nodes"]);
            assert_eq!((rows, wrong), (vec![(2, 9..13, "1|2".to_owned())], damaged), "{tail:?}");
        }
    }
}
