//! Reads results files line by line or row by row, in constant memory.

use super::blocks;
use super::fields::{CARRIAGE_RETURN, SeparatedRow};
use crate::system::files;
use csv::StringRecord;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::ops::Range;
use std::path::Path;

pub const RESULTS: &str = "results.csv";

#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The header is not the expected one. Another experiment or another build wrote the file.
    #[error(
        "its columns are not those that this experiment writes: {0} (another experiment or another build wrote it): \
         move it away, or choose another folder with --out"
    )]
    OtherColumns(String),
    #[error("line {line}: {problem}")]
    Damaged {
        /// Line number, from 1.
        line: u64,
        problem: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLine {
    /// Line number, from 1; the header is line 1.
    pub number: u64,
    pub bytes: Range<u64>,
}

/// Reads every complete line of a results file after the header. For each line, `visit` is called
/// with the row, or with a description of the problem if the line is not a row. Reading stops if
/// `visit` fails.
///
/// Returns the length of the complete lines in bytes, including the header. A process that was
/// killed may have left a part of a line after them.
///
/// # Errors
/// When the file's header is not `header`, when `visit` fails, or when reading fails. A file
/// without a complete header is not an error. It has no rows, and the returned length is 0.
pub fn scan(
    path: &Path,
    header: &[String],
    visit: impl FnMut(&FileLine, Result<&StringRecord, String>) -> Result<(), String>,
) -> Result<u64, ResultsError> {
    let file = files::open(path)?;
    let (lines, expected) = (Lines::open(&file)?, csv_line(header)?);
    if lines.header.is_empty() {
        // The header is not complete. If the file is a prefix of the header, the process that wrote
        // the header was killed. Otherwise the file is something else.
        let mut bytes = Vec::new();
        (&file).rewind()?;
        (&file).take(expected.len() as u64 + 1).read_to_end(&mut bytes)?;
        return if expected.starts_with(&bytes) { Ok(0) } else { Err(header_problem(header, &bytes)) };
    }
    if lines.header != expected {
        return Err(header_problem(header, &lines.header));
    }
    lines.for_each(header.len(), |_| true, visit)
}

/// Visits the rows whose id is wanted, as [`scan`] does. The header is not checked. The other lines
/// are not parsed, which makes this function several times faster than `scan`.
pub fn scan_ids(
    path: &Path,
    header: &[String],
    mut is_wanted: impl FnMut(u64) -> bool,
    visit: impl FnMut(&FileLine, Result<&StringRecord, String>) -> Result<(), String>,
) -> Result<(), ResultsError> {
    let file = files::open(path)?;
    let has_wanted_id = |line: &[u8]| {
        let id = line.split(|&byte| byte == b',').next().and_then(|field| str::from_utf8(field).ok());
        id.and_then(|id| u64::from_str_radix(id.trim_matches('"'), 16).ok()).is_some_and(&mut is_wanted)
    };
    Lines::open(&file)?.for_each(header.len(), has_wanted_id, visit).map(drop)
}

/// Reads the names of the columns of a results file. Returns `None` if the first line is not
/// complete.
///
/// # Errors
/// When the first line is not a header, or when reading fails.
pub fn read_header(path: &Path) -> Result<Option<Vec<String>>, ResultsError> {
    let file = files::open(path)?;
    let lines = Lines::open(&file)?;
    if lines.header.is_empty() { Ok(None) } else { parse_header(&lines.header).map(Some) }
}

/// Visits all complete lines as [`scan`] does, but accepts any first line. If the first line is not
/// the header, `visit` is called for it too. Returns the length of the complete lines, and whether
/// the first line is the header.
pub fn scan_any(
    path: &Path,
    header: &[String],
    mut visit: impl FnMut(&FileLine, Result<&StringRecord, String>) -> Result<(), String>,
) -> Result<(u64, bool), ResultsError> {
    let file = files::open(path)?;
    let (lines, expected) = (Lines::open(&file)?, csv_line(header)?);
    let is_header = lines.header == expected;
    if !is_header && !lines.header.is_empty() {
        let line = FileLine { number: 1, bytes: 0..lines.header.len() as u64 };
        let row =
            SeparatedRow::default().parse_line(&lines.header).and_then(|row| check_field_count(header.len(), row));
        visit(&line, row.as_ref().map_err(Clone::clone))
            .map_err(|problem| ResultsError::Damaged { line: 1, problem })?;
    }
    Ok((lines.for_each(header.len(), |_| true, visit)?, is_header))
}

fn check_field_count(expected_fields: usize, row: StringRecord) -> Result<StringRecord, String> {
    if row.len() == expected_fields { Ok(row) } else { Err(field_count_problem(expected_fields, row.len())) }
}

/// Reads the complete lines of a results file. The last line is ignored if it does not end with a
/// line feed.
pub(super) struct Lines<'f> {
    /// The first line, or nothing if it is not complete.
    pub(super) header: Vec<u8>,
    reader: BufReader<&'f File>,
}

impl<'f> Lines<'f> {
    /// Reads the first line.
    pub(super) fn open(file: &'f File) -> io::Result<Self> {
        let (mut header, mut reader) = (Vec::new(), BufReader::with_capacity(1 << 16, file));
        reader.read_until(b'\n', &mut header)?;
        header.truncate(blocks::complete_lines_length(&header));
        Ok(Self { header, reader })
    }

    /// Calls `visit` for each wanted line after the first. `visit` receives the row, or a
    /// description of the problem if the line is not a row with `field_count` fields. A row is
    /// always one line, so a stray quote damages only its own row. Returns the length of the
    /// complete lines in bytes.
    pub(super) fn for_each(
        mut self,
        field_count: usize,
        mut is_wanted: impl FnMut(&[u8]) -> bool,
        mut visit: impl FnMut(&FileLine, Result<&StringRecord, String>) -> Result<(), String>,
    ) -> Result<u64, ResultsError> {
        let (mut offset, mut line_number, mut buffer) = (self.header.len() as u64, 1, SeparatedRow::default());
        let mut bytes = Vec::new();
        while self.reader.read_until(b'\n', &mut bytes)? > 0 && bytes.ends_with(b"\n") {
            line_number += 1;
            let line = FileLine { number: line_number, bytes: offset..offset + bytes.len() as u64 };
            offset = line.bytes.end;
            if is_wanted(&bytes) {
                let row = buffer.parse_line(&bytes).and_then(|row| check_field_count(field_count, row));
                let row = row.as_ref().map_err(Clone::clone);
                visit(&line, row).map_err(|problem| ResultsError::Damaged { line: line_number, problem })?;
            }
            bytes.clear();
        }
        Ok(offset)
    }
}

const BYTE_ORDER_MARK: &str = "it begins with a byte order mark: another program saved the file";

/// The error for a first line that is not the expected header. The error describes the first
/// difference.
fn header_problem(header: &[String], line: &[u8]) -> ResultsError {
    if line.starts_with("\u{feff}".as_bytes()) {
        return ResultsError::Damaged { line: 1, problem: BYTE_ORDER_MARK.to_owned() };
    }
    if line.contains(&b'\r') {
        return ResultsError::Damaged { line: 1, problem: CARRIAGE_RETURN.to_owned() };
    }
    let columns = match parse_header(line) {
        Ok(columns) => columns,
        Err(error) => return error,
    };
    let first_difference = header.iter().zip(&columns).position(|(expected, actual)| expected != actual);
    ResultsError::OtherColumns(match first_difference {
        Some(index) => {
            let unknown = if header.contains(&columns[index]) { "" } else { ", which this experiment does not write," };
            format!("column {} is `{}`{unknown} but `{}` is expected", index + 1, columns[index], header[index])
        }
        None if columns.len() < header.len() => format!("`{}` is missing at the end", header[columns.len()]),
        None => format!("`{}` follows the last expected column", columns.get(header.len()).map_or("", String::as_str)),
    })
}

/// Describes how the first line of a file differs from the header that a manifest records. Returns
/// `None` if it does not differ.
pub(super) fn describe_header(recorded: &str, line: &[u8]) -> Option<String> {
    if line.strip_suffix(b"\n") == Some(recorded.as_bytes()) {
        return None;
    }
    let header = parse_header(recorded.as_bytes()).unwrap_or_default();
    Some(match header_problem(&header, line) {
        ResultsError::OtherColumns(difference) => difference,
        ResultsError::Damaged { problem, .. } => problem,
        error @ ResultsError::Io(_) => error.to_string(),
    })
}

pub(super) fn parse_header(line: &[u8]) -> Result<Vec<String>, ResultsError> {
    let fields =
        SeparatedRow::default().parse_line(line).map_err(|problem| ResultsError::Damaged { line: 1, problem })?;
    Ok(fields.iter().map(str::to_owned).collect())
}

pub(super) fn field_count_problem(expected: usize, found: usize) -> String {
    format!("not a row: expected {expected} fields, found {found}; it was edited by hand or damaged")
}

pub fn csv_line(fields: impl IntoIterator<Item = impl AsRef<[u8]>>) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(fields).map_err(|error| io::Error::other(error.to_string()))?;
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// The header as a manifest records it.
pub fn header_line(header: &[String]) -> String {
    let line = csv_line(header).unwrap_or_default();
    String::from_utf8_lossy(&line).trim_end().to_owned()
}

pub fn header_length(header: &[String]) -> io::Result<u64> {
    Ok(csv_line(header)?.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::{ResultsWriter, publish, sort_rows, write_rows};
    use super::*;

    #[test]
    fn complete_lines_are_read_without_a_torn_one() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("results.csv");
        for (tail, expected_invalid) in [("", 0), ("3", 0), ("3,4", 0), ("3\n", 1), ("3,4,5\n", 1)] {
            std::fs::write(&path, format!("id,nodes\n1,2\n{tail}")).unwrap();
            let (mut rows, mut invalid) = (Vec::new(), 0);
            let file = File::open(&path).unwrap();
            let lines = Lines::open(&file).unwrap();
            assert_eq!(parse_header(&lines.header).unwrap(), ["id", "nodes"]);
            let result = lines.for_each(
                2,
                |_| true,
                |line, row| {
                    match row {
                        Ok(row) => {
                            rows.push((line.number, line.bytes.clone(), row.iter().collect::<Vec<_>>().join("|")))
                        }
                        Err(_) => invalid += 1,
                    }
                    Ok(())
                },
            );
            assert!(result.is_ok());
            assert_eq!((rows, invalid), (vec![(2, 9..13, "1|2".to_owned())], expected_invalid), "{tail:?}");
        }
    }

    fn header() -> Vec<String> {
        ["id", "x,y", "nodes"].map(str::to_owned).to_vec()
    }

    /// The length of the complete lines; and the number, byte range and fields or problem of each.
    fn rows_of(path: &Path) -> (u64, Vec<String>) {
        let mut lines = Vec::new();
        let length = scan(path, &header(), |line, row| {
            let FileLine { number, bytes } = line;
            let row = row.map_or_else(|problem| problem, |row| row.iter().collect::<Vec<_>>().join("|"));
            lines.push(format!("{number} {}..{} {row}", bytes.start, bytes.end));
            Ok(())
        });
        (length.unwrap(), lines)
    }

    /// Appended rows are read; a torn line is cut off and replaced by the next row.
    #[test]
    fn rows_are_appended_after_the_last_complete_one() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("results.csv");
        let row = |fields: [&str; 3]| fields.map(str::to_owned).to_vec();
        let mut results = ResultsWriter::open(&path, &header(), 0).unwrap();
        results.append(&[row(["1", "a", "10"]), row(["2", "b,c", "20"])]).unwrap();
        results.append(&[]).unwrap();
        let text = "id,\"x,y\",nodes\n1,a,10\n2,\"b,c\",20\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        let length = text.len() as u64;
        assert_eq!((header_length(&header()).unwrap(), length), (15, 33));
        let two_rows = vec!["2 15..22 1|a|10".to_owned(), "3 22..33 2|b,c|20".to_owned()];
        assert_eq!(rows_of(&path), (33, two_rows.clone()));
        std::fs::write(&path, format!("{text}3,torn")).unwrap();
        assert_eq!(rows_of(&path), (33, two_rows));
        let mut results = ResultsWriter::open(&path, &header(), 33).unwrap();
        results.append(&[row(["4", "", ""])]).unwrap();
        let text = format!("{text}4,,\n");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        // A copy has all rows, and later rows go to the file itself.
        let copy = folder.path().join("copy.csv");
        results.copy_to(&copy).unwrap();
        results.append(&[row(["5", "", ""])]).unwrap();
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), text);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{text}5,,\n"));
        assert!(results.is_in_place());
        assert!(!results.is_deleted());
        let moved = folder.path().join("moved.csv");
        std::fs::rename(&path, &moved).unwrap();
        assert!(!results.is_in_place());
        assert!(!results.is_deleted());
        std::fs::write(&path, "another").unwrap();
        assert!(!results.is_in_place());
        std::fs::remove_file(&moved).unwrap();
        assert!(results.is_deleted());
        // A link is not followed.
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(&copy, &path).unwrap();
        let message = ResultsWriter::open(&path, &header(), 0).err().unwrap().to_string();
        assert_eq!(message, "it is a symbolic link, and results are not written through links: remove it");
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), text);
    }

    /// Each kind of wrong header has its message; a prefix of the right one has no rows.
    #[test]
    fn wrong_header_is_described_by_its_first_difference() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("results.csv");
        let scan_text = |text: &str| {
            std::fs::write(&path, text).unwrap();
            scan(&path, &header(), |_, _| Ok(())).map_err(|error| error.to_string())
        };
        for text in ["", "i", "id,\"x,y\",node", "id,\"x,y\",nodes"] {
            assert_eq!(scan_text(text).unwrap(), 0, "{text:?}");
        }
        let message = |difference: &str| {
            format!(
                "its columns are not those that this experiment writes: {difference} (another experiment or another build \
                 wrote it): move it away, or choose another folder with --out"
            )
        };
        for (text, difference) in [
            ("id,node,nodes\n", "column 2 is `node`, which this experiment does not write, but `x,y` is expected"),
            ("id,nodes,\"x,y\"\n", "column 2 is `nodes` but `x,y` is expected"),
            ("id\n", "`x,y` is missing at the end"),
            ("id,\"x,y\",nodes,more,most\n", "`more` follows the last expected column"),
            (
                "id,\"x,y\",nodes ",
                "column 3 is `nodes `, which this experiment does not write, but `nodes` is \
                expected",
            ),
        ] {
            assert_eq!(scan_text(text).unwrap_err(), message(difference), "{text:?}");
        }
        assert_eq!(scan_text("id,\"x,y\",nodes\r\n1,2,3\r\n").unwrap_err(), format!("line 1: {CARRIAGE_RETURN}"));
        std::fs::write(&path, b"id,\xff\n").unwrap();
        assert!(
            scan(&path, &header(), |_, _| Ok(()))
                .is_err_and(|error| error.to_string().starts_with("line 1: not UTF-8 text"))
        );
        assert_eq!(scan_text("id,\"x,y\",nodes\n1,2,3\n").unwrap(), 21);
        // An error from the caller names the line; a row with the wrong number of fields is passed
        // on as an error.
        let result = scan(&path, &header(), |line, _| Err(format!("of {}", line.number)));
        assert_eq!(result.unwrap_err().to_string(), "line 2: of 2");
        std::fs::write(&path, "id,\"x,y\",nodes\n1,2\n").unwrap();
        let (_, lines) = rows_of(&path);
        assert_eq!(lines, ["2 15..19 not a row: expected 3 fields, found 2; it was edited by hand or damaged"]);
    }

    /// Rows are sorted stably by key, and rows without a key are dropped; a sorted file is not
    /// rewritten.
    #[test]
    fn rows_are_sorted_only_if_unsorted() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("results.csv");
        let head = "id,\"x,y\",nodes\n";
        let inode = || std::fs::metadata(&path).unwrap().ino();
        // The rows after sorting, and whether the file was replaced.
        let sort = |rows: &str| {
            std::fs::write(&path, format!("{head}{rows}")).unwrap();
            let before = inode();
            let key = |row: &StringRecord| {
                row[2].parse::<i32>().map(|key| (key > 0).then_some(key)).map_err(|_| "no key".to_owned())
            };
            let result = sort_rows(&path, &header(), key).map_err(|error| error.to_string());
            let text = std::fs::read_to_string(&path).unwrap();
            (result.map(|()| text.strip_prefix(head).unwrap().to_owned()), inode() != before)
        };
        assert_eq!(sort("a,,1\nb,,2\nc,,2\n"), (Ok("a,,1\nb,,2\nc,,2\n".to_owned()), false));
        assert_eq!(
            sort("a,,3\nb,\"l\"\"\",1\nc,,3\nd,,2\n"),
            (Ok("b,\"l\"\"\",1\nd,,2\na,,3\nc,,3\n".to_owned()), true)
        );
        assert_eq!(sort("a,,1\nb,,0\nc,,2\n"), (Ok("a,,1\nc,,2\n".to_owned()), true));
        assert_eq!(sort("a,,2\nb,,x\nc,,1\n"), (Err("line 3: no key".to_owned()), false));
        // The file is replaced only by a complete one.
        let row = StringRecord::from(vec!["9", "l,m", ""]);
        publish(write_rows(&path, &header(), |put| put(&row)).unwrap(), &path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{head}9,\"l,m\",\n"));
        let result = write_rows(&path, &header(), |put| put(&row).and(Err(ResultsError::OtherColumns("x".to_owned()))));
        assert!(result.is_err());
        assert!(std::fs::read_to_string(&path).unwrap() == format!("{head}9,\"l,m\",\n"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no incomplete file is left behind");
    }
}
