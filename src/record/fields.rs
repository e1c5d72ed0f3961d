//! The fields of a line of a results file.

use super::columns;
use csv::StringRecord;
use siphasher::sip::SipHasher13;
use std::hash::Hasher;

const NOT_UTF8: &str = "it is no UTF-8 text; the file is damaged";

pub(super) const CARRIAGE_RETURN: &str = "it holds a carriage return: another program saved the file, and rows end with a line feed alone; \
    `tr -d '\\r'` takes them out";

const ZERO_BYTES: &str = "it holds zero bytes, where something was cut away or never reached the disk";

/// What stands after each field where rows are hashed: not UTF-8, so that no field holds it and none runs into the next.
pub(super) const SEPARATOR: u8 = 0xff;

/// Parses line by line. What reads quotes is built once: that takes longer than a line does.
pub(super) struct Parser {
    csv_reader: csv_core::Reader,
    fields: Vec<u8>,
    ends: Vec<usize>,
    row: SeparatedRow,
}

/// A row as it is hashed: its fields, each with [`BETWEEN`] after it.
#[derive(Default)]
pub(super) struct SeparatedRow {
    bytes: Vec<u8>,
    /// Where each field ends.
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

    /// How many fields there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A field with what stands after it; nothing of none.
    pub(super) fn field(&self, at: Option<usize>) -> &[u8] {
        at.and_then(|at| self.bytes.get(self.start(at)..=*self.ends.get(at)?)).unwrap_or(&[SEPARATOR])
    }

    fn start(&self, at: usize) -> usize {
        if at == 0 { 0 } else { self.ends[at - 1] + 1 }
    }

    /// [`super::check`] of the first fields.
    pub(super) fn check(&self, previous: u32, fields: usize) -> u32 {
        let end = self.start(fields);
        let time = fields.checked_sub(*columns::AFTER_TIME).map_or(end..end, |at| self.start(at)..self.start(at + 1));
        hash_pieces(previous, [&self.bytes[..time.start], &self.bytes[time.end..end]])
    }

    /// The check of a row that stands for itself and has no time.
    pub(super) fn check_all(&self) -> u32 {
        hash_pieces(0, [&self.bytes, &[]])
    }
}

fn hash_pieces(previous: u32, pieces: [&[u8]; 2]) -> u32 {
    let mut hash = SipHasher13::new_with_keys(0x7474_6c61_6200_0002, 0);
    hash.write_u32(previous);
    pieces.into_iter().for_each(|piece| hash.write(piece));
    hash.finish() as u32
}

impl Parser {
    pub(super) fn new() -> Self {
        Self { csv_reader: csv_core::Reader::new(), fields: Vec::new(), ends: Vec::new(), row: SeparatedRow::default() }
    }

    /// The fields of one line.
    pub(super) fn parse_line(&mut self, bytes: &[u8]) -> Result<StringRecord, String> {
        let text = line_text(bytes)?;
        let mut row = StringRecord::with_capacity(text.len(), 128);
        if !text.contains('"') {
            text.split(',').for_each(|field| row.push_field(field));
            return Ok(row);
        }
        // No line has more fields than bytes and one more; nothing after the line is its end.
        self.csv_reader.reset();
        if self.fields.len() < text.len() {
            self.fields.resize(text.len(), 0);
            self.ends.resize(text.len() + 1, 0);
        }
        let (_, _, written, ended) = self.csv_reader.read_record(text.as_bytes(), &mut self.fields, &mut self.ends);
        let (_, _, _, last) = self.csv_reader.read_record(&[], &mut self.fields[written..], &mut self.ends[ended..]);
        let mut from = 0;
        for &to in &self.ends[..ended + last] {
            row.push_field(std::str::from_utf8(&self.fields[from..to]).map_err(|_| NOT_UTF8.to_owned())?);
            from = to;
        }
        Ok(row)
    }

    /// The fields of one line as they are hashed.
    pub(super) fn separate_line(&mut self, bytes: &[u8]) -> Result<&SeparatedRow, String> {
        self.row.bytes.clear();
        self.row.ends.clear();
        if bytes.contains(&b'"') {
            self.parse_line(bytes)?.iter().for_each(|field| self.row.push(field));
            return Ok(&self.row);
        }
        let SeparatedRow { bytes: row, ends } = &mut self.row;
        row.extend_from_slice(line_text(bytes)?.as_bytes());
        row.push(b',');
        for (at, byte) in row.iter_mut().enumerate().filter(|(_, byte)| **byte == b',') {
            *byte = SEPARATOR;
            ends.push(at);
        }
        Ok(&self.row)
    }
}

/// A line without its end.
fn line_text(bytes: &[u8]) -> Result<&str, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| NOT_UTF8.to_owned())?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    if text.contains('\0') {
        return Err(ZERO_BYTES.to_owned());
    }
    if text.contains('\r') { Err(CARRIAGE_RETURN.to_owned()) } else { Ok(text) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// However a line is written, its fields are the same, and so is the check over the first of them.
    #[test]
    fn a_parted_line_is_its_fields() {
        let lines =
            ["a,,12,\u{e4},7.25,,x\n", "\"a\",\"\",12,\u{e4},\"7,25\",,x\n", "\n", "a\n", ",\n", "\"a\"\"b\",c,d"];
        let mut parser = Parser::new();
        for line in lines {
            let row = parser.parse_line(line.as_bytes()).unwrap();
            let separated = parser.separate_line(line.as_bytes()).unwrap();
            assert_eq!(separated.len(), row.len(), "{line:?}");
            for at in 0..row.len() {
                assert_eq!(separated.field(Some(at)), [row[at].as_bytes(), &[SEPARATOR]].concat(), "{line:?}");
                let check = super::super::check(17, row.iter().take(at));
                assert_eq!(separated.check(17, at), check, "{line:?}, {at} fields");
            }
            assert_eq!(separated.field(Some(row.len())), [SEPARATOR]);
            assert_eq!(separated.field(None), [SEPARATOR]);
        }
        assert!(
            parser.separate_line(b"a\rb,c\n").is_err()
                && parser.separate_line(b"\"a\r\",c\n").is_err()
                && parser.separate_line(b"\xff\n").is_err()
        );
    }
}
