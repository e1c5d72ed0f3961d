//! Reads results files into frames.

use super::column::Values;
use super::frame::{Frame, FrameError};
use crate::record::{blocks, columns, packed};
use csv::{ByteRecord, Position, StringRecord};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

pub(super) const REQUIRED: [&str; 4] = [columns::VARIANT, columns::POSITION, columns::DEPTH, columns::NODES];

pub(super) const SKIPPED: &[&str] = &[columns::ID, columns::PV, columns::CHECK, columns::SCORES, columns::SEARCHES];

impl Frame {
    /// Reads a results file on all processors.
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
        let name = path.display().to_string();
        let mut file = packed::open(path).map_err(|error| FrameError::File(name.clone(), error.to_string()))?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        match read_blocks(&mut file, threads, blocks::SIZE, is_growing) {
            Some(frame) => Ok(frame),
            // The file is parsed again line by line, to find the faulty line and what is wrong.
            None => {
                // If the file cannot be rewound, `parse` reports an error.
                let _ = file.seek(SeekFrom::Start(0));
                Self::parse(BufReader::with_capacity(1 << 20, file), &name)
            }
        }
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
        let heading = Heading::from_header(header).map_err(file_error)?;
        let (mut frame, mut record) = (heading.empty_frame(), ByteRecord::new());
        while reader.read_byte_record(&mut record).map_err(csv_error)? {
            heading.push(&mut frame, record.iter()).map_err(|index| {
                let message = format!(
                    "column {}, `{}`: expected a number, found `{}`: `ttlab run --repair` searches such rows again",
                    index + 1,
                    heading.fields[index],
                    String::from_utf8_lossy(&record[index])
                );
                line_error(record.position(), message)
            })?;
        }
        Ok(frame)
    }
}

/// Reads a results file on `threads` threads in blocks of `block_size` bytes. Returns `None` if the
/// file has any error. `is_growing` is that of [`Frame::read`].
fn read_blocks(
    mut source: impl Read + Seek + Send,
    threads: usize,
    block_size: usize,
    is_growing: bool,
) -> Option<Frame> {
    let mut reader = csv::Reader::from_reader(&mut source);
    let heading = Heading::from_header(reader.headers().ok()?).ok()?;
    // The reader has buffered bytes beyond the header, so the source must seek back.
    let header_end = reader.position().byte();
    drop(reader);
    source.seek(SeekFrom::Start(header_end)).ok()?;
    let mut frame = heading.empty_frame();
    let parse_block = |block: &[u8]| {
        let block = if is_growing { &block[..blocks::complete_records_length(block)] } else { block };
        heading.parse_plain(block).or_else(|| heading.parse_quoted(block))
    };
    let append_block = |_: &[u8], block_frame: Option<Frame>| -> io::Result<()> {
        frame.append(block_frame.ok_or(io::ErrorKind::InvalidData)?);
        Ok(())
    };
    blocks::process_blocks(threads, block_size, source, blocks::complete_records_length, parse_block, append_block)
        .ok()?;
    Some(frame)
}

struct Heading {
    fields: Vec<String>,
    is_loaded: Vec<bool>,
}

impl Heading {
    /// Checks the header of a results file.
    ///
    /// # Errors
    /// A message that says what is wrong with the header.
    fn from_header(header: &StringRecord) -> Result<Self, String> {
        if let Some(column) = REQUIRED.into_iter().find(|column| !header.iter().any(|name| name == *column)) {
            return Err(format!("there is no column `{column}`: this is not a results file of ttlab"));
        }
        let fields: Vec<String> = header.iter().map(str::to_owned).collect();
        let is_loaded: Vec<bool> = fields.iter().map(|column| !SKIPPED.contains(&column.as_str())).collect();
        let is_repeated = |index: &usize| is_loaded[*index] && fields[..*index].contains(&fields[*index]);
        match (0..fields.len()).find(is_repeated) {
            Some(index) => Err(format!("duplicate column `{}`", fields[index])),
            None => Ok(Self { fields, is_loaded }),
        }
    }

    fn empty_frame(&self) -> Frame {
        let loaded_fields = self.fields.iter().zip(&self.is_loaded).filter(|(_, is_loaded)| **is_loaded);
        let names: Vec<String> = loaded_fields.map(|(name, _)| name.clone()).collect();
        Frame { columns: names.iter().map(|name| Values::empty(name)).collect(), names, ..Frame::default() }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// The index of a field that does not have its column's type, or that is missing or too many.
    fn push<'r>(&self, frame: &mut Frame, fields: impl Iterator<Item = &'r [u8]>) -> Result<(), usize> {
        let (mut columns, mut index) = (frame.columns.iter_mut(), 0);
        for field in fields {
            let is_loaded = *self.is_loaded.get(index).ok_or(index)?;
            if is_loaded && !columns.next().is_some_and(|values| values.push(field)) {
                return Err(index);
            }
            index += 1;
        }
        frame.rows += 1;
        if index == self.fields.len() { Ok(()) } else { Err(index) }
    }

    /// Parses complete lines without quotes. Returns `None` if a line contains a quote or anything
    /// else that only [`Heading::parse_quoted`] can read.
    fn parse_plain(&self, block: &[u8]) -> Option<Frame> {
        if block.contains(&b'"') || block.contains(&b'\r') || !block.ends_with(b"\n") {
            return None;
        }
        let mut frame = self.empty_frame();
        for line in block[..block.len() - 1].split(|&byte| byte == b'\n') {
            self.push(&mut frame, line.split(|&byte| byte == b',')).ok()?;
        }
        Some(frame)
    }

    /// Parses lines of any kind. Returns `None` if a line is invalid.
    fn parse_quoted(&self, block: &[u8]) -> Option<Frame> {
        // An empty line is put before the block, so that the first bytes of the block cannot be
        // mistaken for a byte order mark. The empty line does not become a row.
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(b"\n".chain(block));
        let (mut frame, mut record) = (self.empty_frame(), ByteRecord::new());
        while reader.read_byte_record(&mut record).ok()? {
            self.push(&mut frame, record.iter()).ok()?;
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All contents of a frame, as text.
    fn describe(frame: &Frame) -> String {
        let describe_column = |name: &String| match frame.column(name) {
            Some(Values::Text(texts)) => format!("{name}: {:?}\n", (texts.codes(), texts.list())),
            _ => format!("{name}: {:?}\n", frame.numbers(name)),
        };
        format!("{} rows\n{}", frame.rows(), frame.names().iter().map(describe_column).collect::<String>())
    }

    /// Any text gives the same frame whether it is read in blocks of any size or line by line, or
    /// it is refused by both readers.
    #[test]
    fn blocks_give_the_frame_of_the_sequential_reader() {
        let names = ["a", "b", "\"a, b\"", "\"two\nlines\"", "\"a \"\"b\"\"\"", "stray \"quote", "", "\u{e4}"];
        let line_ends = ["\n", "\n", "\n", "\r\n", "\n\n"];
        let mut random = 7_u64;
        let mut draw = |bound: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % bound
        };
        let (mut valid, mut invalid) = (0, 0);
        for case in 0..300 {
            let mut text = "id,variant,position,pv,depth,search.nodes,seconds\n".to_owned();
            for row in 0..draw(30) {
                // Half of the files have no quotes, and some are damaged.
                let kinds = if case % 2 == 0 { 2 } else { names.len() };
                let (name, position) = (names[draw(kinds)], names[draw(kinds)]);
                let nodes = ["17", "", "123456789012345678", "-3", "1e3"][draw(5)];
                let damage = ["", "", "", "x", ",", "\""][if case % 3 == 0 { draw(6) } else { 0 }];
                text += &format!(
                    "{row},{name},{position},e2e4,{},{nodes},0.25{damage}{}",
                    row % 4,
                    line_ends[draw(line_ends.len())]
                );
            }
            text.truncate(text.len() - if case % 5 == 0 { draw(9) } else { 0 });
            while !text.is_char_boundary(text.len()) {
                text.pop();
            }
            let expected = Frame::parse(text.as_bytes(), "t").ok();
            for (threads, size) in [(1, 1), (1, 64), (3, 100), (2, 1 << 20)] {
                let actual = read_blocks(io::Cursor::new(&text), threads, size, false);
                let (actual, expected) = (actual.as_ref().map(describe), expected.as_ref().map(describe));
                assert_eq!(actual, expected, "{threads} threads, {size} bytes: {text:?}");
            }
            if expected.is_some() { valid += 1 } else { invalid += 1 }
        }
        assert!(valid > 100, "{valid} files could be read, {invalid} not");
        assert!(invalid > 20, "{valid} files could be read, {invalid} not");
    }

    /// A line that is being written is left out; an incomplete line elsewhere is an error.
    #[test]
    fn growing_file_is_read_up_to_its_last_complete_line() {
        let head = "variant,position,depth,search.nodes\n";
        for (rows, complete) in [
            ("a,p,1,10\nb,p,1,2", Some(1)),
            ("a,p,1,10\nb,p,1,20\n\"c,\nd", Some(2)),
            ("a,p,1,10\n", Some(1)),
            ("a", Some(0)),
            ("", Some(0)),
            ("a,p,1\nb,p,1,20\n", None),
        ] {
            let text = format!("{head}{rows}");
            let frame = read_blocks(io::Cursor::new(&text), 1, 1 << 20, true);
            assert_eq!(frame.map(|frame| frame.rows), complete, "{rows:?}");
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
            assert_eq!(describe_result(Frame::read(&path)), describe_result(Frame::parse(text.as_bytes(), &name)));
        }
        let read_error = |rows: &str| {
            std::fs::write(&path, format!("{head}{rows}")).unwrap();
            Frame::read(&path).unwrap_err().to_string()
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
