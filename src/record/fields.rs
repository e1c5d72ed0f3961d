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

/// A row in the form that is hashed. Each field is followed by `SEPARATOR`.
#[derive(Default)]
pub struct SeparatedRow {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Whether the line is a whole row for sure. Otherwise a quote may go on in the next line.
    pub(super) is_plain: bool,
}

impl SeparatedRow {
    pub(super) fn from_fields<'a>(fields: impl Iterator<Item = &'a str>) -> Self {
        let mut row = Self::default();
        for field in fields {
            row.bytes.extend_from_slice(field.as_bytes());
            row.end_field();
        }
        row
    }

    fn end_field(&mut self) {
        self.ends.push(self.bytes.len());
        self.bytes.push(SEPARATOR);
    }

    /// Appends text outside quotes, in which each comma ends a field.
    fn append_unquoted(&mut self, text: &str) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text.as_bytes());
        for (index, byte) in self.bytes.iter_mut().enumerate().skip(start).filter(|(_, byte)| **byte == b',') {
            *byte = SEPARATOR;
            self.ends.push(index);
        }
    }

    /// Reads a line in which quotes enclose whole fields, and two quotes in such a field stand for
    /// one. Returns `None` if there are other quotes.
    fn read_plain_line(&mut self, line: &str) -> Option<()> {
        self.bytes.clear();
        self.ends.clear();
        // The text is outside and inside quotes by turns.
        let (mut pieces, mut encloses_fields) = (line.split('"'), false);
        let mut unquoted = pieces.next()?;
        self.append_unquoted(unquoted);
        while let Some(quoted) = pieces.next() {
            match unquoted {
                "" if encloses_fields => self.bytes.push(b'"'),
                _ if unquoted.is_empty() || unquoted.ends_with(',') => encloses_fields = true,
                _ => return None,
            }
            self.bytes.extend_from_slice(quoted.as_bytes());
            unquoted = pieces.next().filter(|text| text.is_empty() || text.starts_with(','))?;
            self.append_unquoted(unquoted);
        }
        self.end_field();
        Some(())
    }

    /// The row must have this field.
    #[inline]
    pub fn text(&self, index: usize) -> &[u8] {
        &self.bytes[self.field_start(index)..self.ends[index]]
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

    #[inline]
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

    pub(super) fn parse_line(&mut self, bytes: &[u8]) -> Result<StringRecord, String> {
        self.separate_line(bytes)?;
        let fields = (0..self.len()).map(|index| std::str::from_utf8(self.text(index)));
        fields.collect::<Result<_, _>>().map_err(|_| NOT_UTF8.to_owned())
    }

    /// Reads one line into this buffer. Only unusual quotes need a CSV reader.
    pub(super) fn separate_line(&mut self, bytes: &[u8]) -> Result<&Self, String> {
        let text = line_text(bytes)?;
        self.is_plain = self.read_plain_line(text).is_some();
        if !self.is_plain {
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
            let fields = reader.records().next().and_then(Result::ok).unwrap_or_default();
            *self = Self::from_fields(fields.iter());
        }
        Ok(self)
    }
}

/// `previous` is the checksum of the previous row.
fn hash_pieces(previous: u32, pieces: [&[u8]; 2]) -> u32 {
    let mut hash = SipHasher13::new_with_keys(CHECKSUM_KEY, 0);
    hash.write_u32(previous);
    pieces.into_iter().for_each(|piece| hash.write(piece));
    hash.finish() as u32
}

fn line_text(bytes: &[u8]) -> Result<&str, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| NOT_UTF8.to_owned())?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    match memchr::memchr2(0, b'\r', bytes) {
        None => Ok(text),
        Some(_) => Err(if bytes.contains(&0) { ZERO_BYTES } else { CARRIAGE_RETURN }.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The separated line has the same fields and checksum whether or not fields are quoted.
    #[test]
    fn separated_line_has_the_same_fields() {
        let plain =
            ["a,,\u{e4},7.25,,x\n", "\"a\",\"\",\u{e4},\"7,25\",,x\n", "a\n", ",\n", "\"a\"\"b\",c", "\"\"\"\",\"\""];
        let unusual = ["a\"b,\"c,d\"\n", "\"a\"b,c\n", "\"a,b\n", "a,\"\n", "a,b\"\"\n", "\"a\" ,b\n", "\"a\"\"\n"];
        let mut buffer = SeparatedRow::default();
        for line in plain.into_iter().chain(unusual) {
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.trim_end().as_bytes());
            let row = reader.records().next().unwrap().unwrap();
            assert_eq!(buffer.parse_line(line.as_bytes()).unwrap(), row, "{line:?}");
            assert_eq!(buffer.is_plain, plain.contains(&line), "{line:?}");
            let separated = buffer.separate_line(line.as_bytes()).unwrap();
            assert_eq!(separated.len(), row.len(), "{line:?}");
            for index in 0..row.len() {
                assert_eq!(separated.field(Some(index)), [row[index].as_bytes(), &[SEPARATOR]].concat(), "{line:?}");
                let check = super::super::checksum(17, row.iter().take(index));
                assert_eq!(separated.checksum(17, index), check, "{line:?}, {index} fields");
            }
            assert_eq!(separated.field(Some(row.len())), [SEPARATOR]);
            assert_eq!(separated.field(None), [SEPARATOR]);
        }
        assert!(buffer.separate_line(b"a\rb,c\n").is_err());
        assert!(buffer.separate_line(b"\"a\r\",c\n").is_err());
        assert!(buffer.separate_line(b"\xff\n").is_err());
    }
}
