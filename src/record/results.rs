//! The results file: appended to row by row, read line by line, put in order, each in memory that does not grow with its fields.

use super::fields::{CARRIAGE, Parser};
use super::whole::{begin, publish, sync_folder};
use csv::StringRecord;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

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

/// An open results file, to which rows are appended.
pub struct Results {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Results {
    /// Opens a file for appending after its first `length` bytes; what follows them is cut off. A file of no bytes gets its
    /// header.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open(path: &Path, header: &[String], length: u64) -> io::Result<Self> {
        let mut file = own_file(path)?;
        if file.metadata()?.len() > length {
            file.set_len(length)?;
        }
        file.seek(SeekFrom::End(0))?;
        let mut results = Self { file, path: path.to_owned(), length };
        if length == 0 {
            results.write(&line_of(header.iter().map(String::as_str))?)?;
        }
        results.sync()?;
        sync_folder(path);
        Ok(results)
    }

    /// Appends the rows of one job with one write, so that a kill tears at most the last of them. When this returns the system
    /// has them, so that no end of this process can lose them; [`Results::sync`] sees to the disk.
    ///
    /// # Errors
    /// When the system refuses (a full disk). The file then ends where it did before, as far as the system lets it.
    pub fn append(&mut self, rows: &[Vec<String>]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for fields in rows {
            bytes.extend(line_of(fields.iter().map(String::as_str))?);
        }
        self.write(&bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = self.file.write_all(bytes) {
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::End(0));
            return Err(error);
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Puts everything appended on the disk: after this not even a power failure loses it.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Another hold on the file, by which a thread that does not append can wait for the disk.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn hold(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Whether the file is still where it was opened, and not moved, deleted or replaced.
    #[must_use]
    pub fn in_place(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let id = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
            matches!((self.file.metadata().map(id), std::fs::metadata(&self.path).map(id)), (Ok(a), Ok(b)) if a == b)
        }
        #[cfg(not(unix))]
        self.path.exists()
    }

    /// Whether the file has no name any more, so that its rows go when it is closed.
    #[must_use]
    pub fn deleted(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            self.file.metadata().is_ok_and(|meta| meta.nlink() == 0)
        }
        #[cfg(not(unix))]
        !self.path.exists()
    }

    /// Copies all rows to another file.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn copy_to(&mut self, path: &Path) -> io::Result<()> {
        let mut new = begin(path)?;
        self.file.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.file, new.as_file_mut())?;
        self.file.seek(SeekFrom::End(0))?;
        publish(new, path)
    }
}

/// One CSV line.
fn line_of<'a>(fields: impl Iterator<Item = &'a str>) -> io::Result<Vec<u8>> {
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

/// Opens a file for reading and writing, making it where there is none. What was planted under its name is not followed: a link
/// would have the run write to another's file.
///
/// # Errors
/// When it is a link, or the system refuses.
pub fn own_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    }
    options.open(path).map_err(|error| match std::fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_symlink() => {
            io::Error::new(error.kind(), "it is a symbolic link, and results are not written through links: remove it")
        }
        _ => error,
    })
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

/// Writes a results file anew with only the lines given, in their order; their bytes are not changed. The new file replaces the
/// old one when it is complete.
///
/// # Errors
/// When the system refuses; the old file is then untouched.
pub fn rewrite(path: &Path, header: &[String], lines: impl Iterator<Item = Range<u64>>) -> io::Result<()> {
    let mut old = BufReader::new(File::open(path)?);
    let mut new = begin(path)?;
    let mut writer = BufWriter::new(new.as_file_mut());
    writer.write_all(&line_of(header.iter().map(String::as_str))?)?;
    let (mut at, mut bytes) = (0, Vec::new());
    for line in lines {
        // Relative seeks keep the buffer where lines follow each other.
        old.seek_relative(line.start as i64 - at)?;
        bytes.resize((line.end - line.start) as usize, 0);
        old.read_exact(&mut bytes)?;
        writer.write_all(&bytes)?;
        at = line.end as i64;
    }
    writer.flush()?;
    drop(writer);
    publish(new, path)
}

/// Puts the rows of a results file in the order of their keys, without those that have none. Memory goes into one key and one place for
/// each row; a file that is in order and loses nothing is left alone.
///
/// # Errors
/// When `key` says that a row is wrong, or the system refuses; the file is then untouched.
pub fn order<K: Ord>(
    path: &Path,
    header: &[String],
    mut key: impl FnMut(&StringRecord) -> Result<Option<K>, String>,
) -> Result<(), ResultsError> {
    let (mut rows, mut dropped): (Vec<(K, Range<u64>)>, _) = (Vec::new(), false);
    scan(path, header, |line, record| {
        match key(record?)? {
            Some(key) => rows.push((key, line.bytes.clone())),
            None => dropped = true,
        }
        Ok(())
    })?;
    if !dropped && rows.is_sorted_by(|a, b| a.0 <= b.0) {
        return Ok(());
    }
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(rewrite(path, header, rows.into_iter().map(|(_, bytes)| bytes))?)
}

/// Writes a results file from rows that are handed in one by one. It takes its place when it is complete.
///
/// # Errors
/// When `rows` fails or the system refuses; what was at `path` is then untouched.
pub fn write_rows(
    path: &Path,
    header: &[String],
    rows: impl FnOnce(&mut dyn FnMut(&StringRecord) -> Result<(), ResultsError>) -> Result<(), ResultsError>,
) -> Result<(), ResultsError> {
    let mut new = begin(path)?;
    let mut writer = csv::Writer::from_writer(BufWriter::new(new.as_file_mut()));
    let io = |error: csv::Error| ResultsError::Io(io::Error::other(error));
    writer.write_record(header).map_err(io)?;
    rows(&mut |row| writer.write_record(row).map_err(io))?;
    writer.flush()?;
    drop(writer);
    Ok(publish(new, path)?)
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
