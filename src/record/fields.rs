//! The fields of a line of a results file.

use csv::StringRecord;

const NO_TEXT: &str = "it is no UTF-8 text; the file is damaged";

pub(super) const CARRIAGE: &str = "it holds a carriage return: another program saved the file, and rows end with a line feed alone; \
    `tr -d '\\r'` takes them out";

/// Parses line by line. What reads quotes is built once: that takes longer than a line does.
pub(super) struct Parser {
    quoted: csv_core::Reader,
    fields: Vec<u8>,
    ends: Vec<usize>,
}

impl Parser {
    pub(super) fn new() -> Self {
        Self { quoted: csv_core::Reader::new(), fields: Vec::new(), ends: Vec::new() }
    }

    /// The fields of one line.
    pub(super) fn line(&mut self, bytes: &[u8]) -> Result<StringRecord, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| NO_TEXT.to_owned())?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        if text.contains('\r') {
            return Err(CARRIAGE.to_owned());
        }
        let mut row = StringRecord::with_capacity(text.len(), 128);
        if !text.contains('"') {
            text.split(',').for_each(|field| row.push_field(field));
            return Ok(row);
        }
        // No line has more fields than bytes and one more; nothing after the line is its end.
        self.quoted.reset();
        if self.fields.len() < text.len() {
            self.fields.resize(text.len(), 0);
            self.ends.resize(text.len() + 1, 0);
        }
        let (_, _, written, ended) = self.quoted.read_record(text.as_bytes(), &mut self.fields, &mut self.ends);
        let (_, _, _, last) = self.quoted.read_record(&[], &mut self.fields[written..], &mut self.ends[ended..]);
        let mut from = 0;
        for &to in &self.ends[..ended + last] {
            row.push_field(std::str::from_utf8(&self.fields[from..to]).map_err(|_| NO_TEXT.to_owned())?);
            from = to;
        }
        Ok(row)
    }
}
