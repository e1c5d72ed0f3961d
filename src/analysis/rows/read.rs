//! Reads results files into frames.

use super::column::Values;
use super::frame::{Frame, FrameError};
use crate::record::manifest::Manifest;
use crate::record::verify::{self, Collector, VerifyReport};
use crate::record::{ResultsError, SeparatedRow, blocks, columns, packed};
use csv::{ByteRecord, Position};
use std::io::Read;
use std::path::Path;

pub(super) const REQUIRED: [&str; 4] = [columns::VARIANT, columns::POSITION, columns::DEPTH, columns::NODES];

pub(super) const SKIPPED: &[&str] = &[columns::ID, columns::PV, columns::CHECK, columns::SCORES, columns::SEARCHES];

impl Frame {
    /// Reads a results file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a results file. If a field is wrong, the message names
    /// its line and column.
    pub fn read(path: &Path) -> Result<Self, FrameError> {
        Self::read_part(path, false)
    }

    /// Like [`Frame::read`], but if a run may be writing the file, `is_growing` is true, and the
    /// last line is left out unless it ends with a line feed.
    pub(crate) fn read_part(path: &Path, is_growing: bool) -> Result<Self, FrameError> {
        let (name, mut bytes) = (path.display().to_string(), Vec::new());
        packed::open(path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(|error| FrameError::File(name.clone(), error.to_string()))?;
        let length = blocks::complete_records_length(&bytes);
        Self::parse(&bytes[..if is_growing && length > 0 { length } else { bytes.len() }], &name)
    }

    /// Reads and verifies a results file at once, on all processors.
    ///
    /// # Errors
    /// As for [`Frame::read`]. The inner error is that of the verification.
    pub(crate) fn read_verified(
        path: &Path,
        manifest: Option<&Manifest>,
    ) -> Result<(Self, Result<VerifyReport, ResultsError>), FrameError> {
        let (report, rows) = verify::verify_and_collect::<Option<Rows>>(path, manifest, manifest.is_some())
            .map_or_else(|error| (Err(error), None), |(report, rows)| (Ok(report), rows));
        // The CSV reader reads unusual lines, and finds what is wrong in a faulty one.
        let is_growing = manifest.is_some_and(|manifest| manifest.run.ended.is_none());
        let frame = rows.map_or_else(|| Self::read_part(path, is_growing), |rows| Ok(rows.frame))?;
        Ok((frame, report))
    }

    /// Reads the rows of a results file one by one from any source. Error messages call the source
    /// `path`.
    ///
    /// # Errors
    /// As for [`Frame::read`].
    pub fn parse(source: impl Read, path: &str) -> Result<Self, FrameError> {
        let file_error = |message: String| FrameError::File(path.to_owned(), message);
        let line_error = |position: Option<&Position>, message: String| {
            FrameError::Line(path.to_owned(), position.map_or(0, Position::line), message)
        };
        let csv_error = |error: csv::Error| match error.kind() {
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
                let message = format!(
                    "expected {expected_len} fields, found {len}: if the run was killed, the same `ttlab run` \
                     repairs the row; if the row was edited, `ttlab run --repair` searches it again"
                );
                line_error(pos.as_ref(), message)
            }
            _ => file_error(error.to_string()),
        };
        let mut reader = csv::Reader::from_reader(source);
        let header = reader.headers().map_err(csv_error)?;
        if header.is_empty() {
            return Err(FrameError::NoRows(path.to_owned()));
        }
        let names: Vec<String> = header.iter().map(str::to_owned).collect();
        let (mut rows, mut record) = (Rows::with_header(&names).map_err(file_error)?, ByteRecord::new());
        while reader.read_byte_record(&mut record).map_err(csv_error)? {
            if let Some(index) = rows.push_fields(|index| &record[index]) {
                let message = format!(
                    "column {}, `{}`: expected a number, found `{}`: `ttlab run --repair` searches such rows again",
                    index + 1,
                    names[index],
                    String::from_utf8_lossy(&record[index])
                );
                return Err(line_error(record.position(), message));
            }
        }
        Ok(rows.frame)
    }
}

/// The rows that were read so far.
struct Rows {
    frame: Frame,
    /// The index of each of the frame's columns in the header.
    loaded: Vec<usize>,
}

impl Rows {
    /// Checks the header of a results file.
    ///
    /// # Errors
    /// A message that says what is wrong with the header.
    fn with_header(header: &[String]) -> Result<Self, String> {
        if let Some(column) = REQUIRED.into_iter().find(|column| !header.iter().any(|name| name == *column)) {
            return Err(format!("there is no column `{column}`: this is not a results file of ttlab"));
        }
        let loaded: Vec<usize> =
            (0..header.len()).filter(|&index| !SKIPPED.contains(&header[index].as_str())).collect();
        if let Some(&index) = loaded.iter().find(|&&index| header[..index].contains(&header[index])) {
            return Err(format!("duplicate column `{}`", header[index]));
        }
        let names: Vec<String> = loaded.iter().map(|&index| header[index].clone()).collect();
        let columns = names.iter().map(|name| Values::empty(name)).collect();
        Ok(Self { frame: Frame { names, columns, rows: 0 }, loaded })
    }

    /// Appends a row. `field` returns the field of each column of the header. Returns the index of
    /// a field that does not have its column's type.
    fn push_fields<'r>(&mut self, field: impl Fn(usize) -> &'r [u8]) -> Option<usize> {
        self.frame.rows += 1;
        let mut columns = self.frame.columns.iter_mut().zip(&self.loaded);
        columns.find_map(|(values, &index)| (!values.push(field(index))).then_some(index))
    }
}

/// The rows are `None` as soon as one of them cannot be read.
impl Collector for Option<Rows> {
    fn new(header: &[String]) -> Self {
        Rows::with_header(header).ok()
    }

    fn push(&mut self, row: Option<&SeparatedRow>) {
        self.take_if(|rows| row.is_none_or(|row| rows.push_fields(|index| row.text(index)).is_some()));
    }

    fn append(&mut self, next: Self) {
        match (&mut *self, next) {
            (Some(rows), Some(next)) => rows.frame.append(next.frame),
            _ => *self = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::verify::Hashes;

    /// All contents of a frame, as text.
    fn describe(frame: &Frame) -> String {
        let describe_column = |name: &String| match frame.column(name) {
            Some(Values::Text(texts)) => format!("{name}: {:?}\n", (texts.codes(), texts.list())),
            _ => format!("{name}: {:?}\n", frame.numbers(name)),
        };
        format!("{} rows\n{}", frame.rows(), frame.names().iter().map(describe_column).collect::<String>())
    }

    /// Collects the rows of a file while it is verified in blocks.
    fn collect(path: &Path, threads: usize, size: usize) -> Option<Frame> {
        let verified = verify::verify_in_blocks::<Option<Rows>>(path, None, (threads, size), false, &Hashes::default());
        verified.unwrap().1.map(|rows| rows.frame)
    }

    /// Any text gives the same frame whether it is read in blocks of any size or line by line.
    /// Blocks are only refused if a line is faulty, or unusual.
    #[test]
    fn blocks_give_the_frame_of_the_sequential_reader() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let names = ["a", "b", "\"a, b\"", "\"a \"\"b\"\"\"", "", "\u{e4}", "\"two\nlines\"", "stray \"quote"];
        let line_ends = ["\n", "\n", "\n", "\r\n", "\n\n"];
        let mut random = 7_u64;
        let mut draw = |bound: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % bound
        };
        let (mut in_blocks, mut valid, mut invalid) = (0, 0, 0);
        for case in 0..300 {
            let mut text = "id,variant,position,pv,depth,search.nodes,seconds\n".to_owned();
            for row in 0..draw(30) {
                // Half of the files have only plain lines, and some are damaged.
                let kinds = if case % 2 == 0 { 6 } else { names.len() };
                let (name, position) = (names[draw(kinds)], names[draw(kinds)]);
                let nodes = ["17", "", "123456789012345678", "-3", "1e3"][draw(5)];
                let damage = ["", "", "", "x", ",", "\""][if case % 3 == 0 { draw(6) } else { 0 }];
                text += &format!(
                    "{row},{name},{position},e2e4,{},{nodes},0.25{damage}{}",
                    row % 4,
                    line_ends[draw(if case % 2 == 0 { 2 } else { line_ends.len() })]
                );
            }
            text.truncate(text.len() - if case % 5 == 0 { draw(9) } else { 0 });
            while !text.is_char_boundary(text.len()) {
                text.pop();
            }
            std::fs::write(&path, &text).unwrap();
            let expected = Frame::parse(text.as_bytes(), "t").ok().as_ref().map(describe);
            for (threads, size) in [(1, 1), (1, 64), (3, 100), (2, 1 << 20)] {
                let Some(actual) = collect(&path, threads, size) else { continue };
                assert_eq!(Some(describe(&actual)), expected, "{threads} threads, {size} bytes: {text:?}");
                in_blocks += 1;
            }
            if expected.is_some() { valid += 1 } else { invalid += 1 }
        }
        assert!(in_blocks > 4 * 80, "{in_blocks} of {valid} files");
        assert!(invalid > 20, "{valid} files could be read, {invalid} not");
    }

    /// A line that is being written is left out; an incomplete line elsewhere is an error.
    #[test]
    fn growing_file_is_read_up_to_its_last_complete_line() {
        let head = "variant,position,depth,search.nodes\n";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        for (rows, complete) in [
            ("a,p,1,10\nb,p,1,2", Some(1)),
            ("a,p,1,10\nb,p,1,20\n\"c,\nd", Some(2)),
            ("a,p,1,10\n", Some(1)),
            ("a", Some(0)),
            ("", Some(0)),
            ("a,p,1\nb,p,1,20\n", None),
        ] {
            std::fs::write(&path, format!("{head}{rows}")).unwrap();
            let frame = Frame::read_part(&path, true).ok();
            assert_eq!(frame.map(|frame| frame.rows), complete, "{rows:?}");
            let running = Manifest::default();
            let frame = Frame::read_verified(&path, Some(&running)).ok();
            assert_eq!(frame.map(|(frame, _)| frame.rows), complete, "{rows:?}");
        }
    }

    /// A file gives the same frame as its text; an error names line and column.
    #[test]
    fn file_is_read_as_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let name = path.display().to_string();
        let head = "variant,position,depth,search.nodes\n";
        for rows in ["a,p,1,10\nb,p,1,20\n", "a,p,1,10\n\"b\nc\",p,1,20", "a,p,1,10\nb,p,1,x\n", "a,p,1\n", ""] {
            let text = format!("{head}{rows}");
            std::fs::write(&path, &text).unwrap();
            let describe_result = |frame: Result<Frame, FrameError>| {
                frame.map_or_else(|error| error.to_string(), |frame| describe(&frame))
            };
            let expected = describe_result(Frame::parse(text.as_bytes(), &name));
            assert_eq!(describe_result(Frame::read(&path)), expected);
            assert_eq!(describe_result(Frame::read_verified(&path, None).map(|(frame, _)| frame)), expected);
        }
        let read_error = |rows: &str| {
            std::fs::write(&path, format!("{head}{rows}")).unwrap();
            Frame::read_verified(&path, None).unwrap_err().to_string()
        };
        for (rows, line, message) in [
            ("a,p,1,10\na,p,1\n", 3, "expected 4 fields, found 3: if the run was killed"),
            ("a,p,1,10,5\n", 2, "expected 4 fields, found 5: if the run was killed"),
            ("a,p,1,10\nb,p,1,x\n", 3, "column 4, `search.nodes`: expected a number, found `x`"),
            ("a,p,y,10\n", 2, "column 3, `depth`: expected a number, found `y`"),
        ] {
            let error = read_error(rows);
            assert!(error.contains(message), "{rows}: {error}");
            assert!(error.contains(&format!("results.csv:{line}: ")), "{rows}: {error}");
        }
    }
}
