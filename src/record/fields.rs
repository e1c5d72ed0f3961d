//! Splits the lines of results files into fields, and computes the checksums of rows.

use super::columns;
use csv::StringRecord;
use siphasher::sip::SipHasher13;
use std::hash::Hasher;
use std::ops::Range;

const NOT_UTF8: &str = "not UTF-8 text: the file is damaged";

pub(super) const CARRIAGE_RETURN: &str = "it contains a carriage return, so another program saved the file: remove \
    all carriage returns with `tr -d '\\r'`";

const ZERO_BYTES: &str = "it contains zero bytes: data was cut out or never reached the disk";

/// The hash key of all checksums of rows. It contains "ttlab" in ASCII and a version.
const CHECKSUM_KEY: u64 = 0x7474_6c61_6200_0002;

/// The byte after each field in hashed rows. The byte is not valid in UTF-8, so no field contains
/// it.
const SEPARATOR: u8 = 0xff;

/// Parses lines. The CSV reader parses lines that contain quotes. It is reused because creating a
/// CSV reader takes longer than parsing a line.
pub(super) struct Parser {
    csv_reader: csv_core::Reader,
    /// The buffer of the CSV reader. It contains the fields of a line without separators.
    fields: Vec<u8>,
    ends: Vec<usize>,
    /// The buffer of [`Parser::separate_line`].
    row: SeparatedRow,
}

/// A row in the form that is hashed. Each field is followed by [`SEPARATOR`].
#[derive(Default)]
pub(super) struct SeparatedRow {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl SeparatedRow {
    pub(super) fn from_fields<'a>(fields: impl Iterator<Item = &'a str>) -> Self {
        let mut row = Self::default();
        fields.for_each(|field| row.push(field));
        row
    }

    fn push(&mut self, field: &str) {
        self.bytes.extend_from_slice(field.as_bytes());
        self.ends.push(self.bytes.len());
        self.bytes.push(SEPARATOR);
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// If the row has no such field, the result is only a separator.
    pub(super) fn field(&self, index: Option<usize>) -> &[u8] {
        index.and_then(|index| self.bytes.get(self.field_start(index)..=*self.ends.get(index)?)).unwrap_or(&[SEPARATOR])
    }

    /// The row must have these fields.
    pub(super) fn fields(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[self.field_start(range.start)..self.field_start(range.end)]
    }

    fn field_start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.ends[index - 1] + 1 }
    }

    /// `previous` is the checksum of the previous row, as for [`super::checksum`].
    pub(super) fn checksum(&self, previous: u32, field_count: usize) -> u32 {
        // The index of the time is counted from the end, because the number of columns before the
        // time varies.
        let time_index = field_count.checked_sub(*columns::AFTER_TIME);
        // If the row has no time, the range of the time is empty.
        let time = time_index.map_or(field_count..field_count, |index| index..index + 1);
        hash_pieces(previous, [self.fields(0..time.start), self.fields(time.end..field_count)])
    }

    pub(super) fn checksum_of_all_fields(&self) -> u32 {
        hash_pieces(0, [&self.bytes, &[]])
    }
}

/// `previous` is the checksum of the previous row.
fn hash_pieces(previous: u32, pieces: [&[u8]; 2]) -> u32 {
    let mut hash = SipHasher13::new_with_keys(CHECKSUM_KEY, 0);
    hash.write_u32(previous);
    pieces.into_iter().for_each(|piece| hash.write(piece));
    hash.finish() as u32
}

impl Parser {
    pub(super) fn new() -> Self {
        Self { csv_reader: csv_core::Reader::new(), fields: Vec::new(), ends: Vec::new(), row: SeparatedRow::default() }
    }

    pub(super) fn parse_line(&mut self, bytes: &[u8]) -> Result<StringRecord, String> {
        let text = line_text(bytes)?;
        let mut row = StringRecord::with_capacity(text.len(), 128);
        if !text.contains('"') {
            text.split(',').for_each(|field| row.push_field(field));
            return Ok(row);
        }
        self.csv_reader.reset();
        // A line has at most one more field than it has bytes.
        if self.fields.len() < text.len() {
            self.fields.resize(text.len(), 0);
            self.ends.resize(text.len() + 1, 0);
        }
        let (_, _, bytes_written, end_count) =
            self.csv_reader.read_record(text.as_bytes(), &mut self.fields, &mut self.ends);
        // Empty input stands for the end of the file, which ends the last field.
        let (_, _, _, more_ends) =
            self.csv_reader.read_record(&[], &mut self.fields[bytes_written..], &mut self.ends[end_count..]);
        let mut start = 0;
        for &end in &self.ends[..end_count + more_ends] {
            row.push_field(std::str::from_utf8(&self.fields[start..end]).map_err(|_| NOT_UTF8.to_owned())?);
            start = end;
        }
        Ok(row)
    }

    /// Parses one line into the form that is hashed. If the line has no quotes, each comma is
    /// replaced by a separator.
    pub(super) fn separate_line(&mut self, bytes: &[u8]) -> Result<&SeparatedRow, String> {
        self.row.bytes.clear();
        self.row.ends.clear();
        if bytes.contains(&b'"') {
            self.parse_line(bytes)?.iter().for_each(|field| self.row.push(field));
            return Ok(&self.row);
        }
        let SeparatedRow { bytes: separated, ends } = &mut self.row;
        separated.extend_from_slice(line_text(bytes)?.as_bytes());
        separated.push(b',');
        for (index, byte) in separated.iter_mut().enumerate().filter(|(_, byte)| **byte == b',') {
            *byte = SEPARATOR;
            ends.push(index);
        }
        Ok(&self.row)
    }
}

fn line_text(bytes: &[u8]) -> Result<&str, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| NOT_UTF8.to_owned())?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    if text.contains('\0') {
        return Err(ZERO_BYTES.to_owned());
    }
    if text.contains('\r') { Err(CARRIAGE_RETURN.to_owned()) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The separated line has the same fields and checksum whether or not fields are quoted.
    #[test]
    fn separated_line_has_the_same_fields() {
        let lines =
            ["a,,12,\u{e4},7.25,,x\n", "\"a\",\"\",12,\u{e4},\"7,25\",,x\n", "\n", "a\n", ",\n", "\"a\"\"b\",c,d"];
        let mut parser = Parser::new();
        for line in lines {
            let row = parser.parse_line(line.as_bytes()).unwrap();
            let separated = parser.separate_line(line.as_bytes()).unwrap();
            assert_eq!(separated.len(), row.len(), "{line:?}");
            for index in 0..row.len() {
                assert_eq!(separated.field(Some(index)), [row[index].as_bytes(), &[SEPARATOR]].concat(), "{line:?}");
                let check = super::super::checksum(17, row.iter().take(index));
                assert_eq!(separated.checksum(17, index), check, "{line:?}, {index} fields");
            }
            assert_eq!(separated.field(Some(row.len())), [SEPARATOR]);
            assert_eq!(separated.field(None), [SEPARATOR]);
        }
        assert!(parser.separate_line(b"a\rb,c\n").is_err());
        assert!(parser.separate_line(b"\"a\r\",c\n").is_err());
        assert!(parser.separate_line(b"\xff\n").is_err());
    }
}
