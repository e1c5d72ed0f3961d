//! A column of a frame contains numbers or strings. Each distinct string is stored only once.

use crate::record::columns;
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::collections::HashMap;

/// The column with the name of the result that a row comes from. It exists if several results were
/// joined.
pub const SOURCE: &str = "source";

pub const KEYS_SEED: &str = "keys.seed";

/// The path of the option that sets the schedule's seed.
pub const THREADS_SEED: &str = "threads.seed";

/// A derived column with the number of the key seed or schedule among those of the variant. 0 is
/// the file's own key seed and schedule.
pub const SEED: &str = "seed";

#[derive(Debug, Clone)]
pub enum Values {
    Numbers(NumberColumn),
    Text(TextColumn),
}

/// A code for each row. As long as all codes are equal, only one is stored.
#[derive(Debug, Clone, Default)]
pub struct Codes {
    rows: usize,
    /// The code of all rows if `each` is empty, otherwise that of the first row.
    first: u32,
    each: Vec<u32>,
}

impl Codes {
    pub fn get(&self, row: usize) -> u32 {
        self.each.get(row).copied().unwrap_or(self.first)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        (0..self.rows).map(|row| self.get(row))
    }

    /// Appends a code `count` times.
    fn push(&mut self, code: u32, count: usize) {
        if self.rows == 0 {
            self.first = code;
        }
        if self.each.is_empty() && code != self.first {
            self.each.resize(self.rows, self.first);
        }
        if !self.each.is_empty() {
            self.each.resize(self.rows + count, code);
        }
        self.rows += count;
    }

    /// Appends the code that `new_code` returns for each code of another column.
    fn append(&mut self, other: &Self, new_code: impl Fn(u32) -> u32) {
        match (other.each.is_empty(), self.rows) {
            (true, _) if other.rows == 0 => return,
            (true, _) => return self.push(new_code(other.first), other.rows),
            (false, 0) => self.first = new_code(other.first),
            (false, _) => self.each.resize(self.rows, self.first),
        }
        self.each.extend(other.each.iter().map(|&code| new_code(code)));
        self.rows += other.rows;
    }
}

/// Numbers. An empty field is NaN, and counts are exact up to 2^53.
#[derive(Debug, Clone, Default)]
pub struct NumberColumn {
    /// An integer below [`FIRST_OTHER`] is its own code. From there on, codes count the other
    /// numbers. The code of NaN is [`EMPTY`].
    codes: Codes,
    others: Vec<f64>,
}

const FIRST_OTHER: u32 = 1 << 31;

const EMPTY: u32 = u32::MAX;

impl NumberColumn {
    pub fn get(&self, row: usize) -> f64 {
        match self.codes.get(row) {
            code @ ..FIRST_OTHER => f64::from(code),
            code => self.others.get((code - FIRST_OTHER) as usize).copied().unwrap_or(f64::NAN),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.codes.rows).map(|row| self.get(row))
    }

    fn encode(&mut self, number: f64) -> u32 {
        match number as u32 {
            _ if number.is_nan() => EMPTY,
            // The bits of 0 and -0 differ.
            code @ ..FIRST_OTHER if f64::from(code).to_bits() == number.to_bits() => code,
            _ => {
                if self.others.last().map(|last| last.to_bits()) != Some(number.to_bits()) {
                    self.others.push(number);
                }
                FIRST_OTHER + (self.others.len() - 1) as u32
            }
        }
    }

    fn append(&mut self, other: &Self) {
        let new_codes: Vec<u32> = other.others.iter().map(|&number| self.encode(number)).collect();
        let new_code = |code: u32| new_codes.get(code.wrapping_sub(FIRST_OTHER) as usize).copied().unwrap_or(code);
        self.codes.append(&other.codes, new_code);
    }
}

impl FromIterator<f64> for NumberColumn {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut column = Self::default();
        for number in numbers {
            let code = column.encode(number);
            column.codes.push(code, 1);
        }
        column
    }
}

/// Dictionary-encoded strings. Each row has a code, which is an index into a list of distinct
/// strings.
#[derive(Debug, Clone, Default)]
pub struct TextColumn {
    codes: Codes,
    /// The distinct strings. The code of a string is its index.
    list: Vec<String>,
    code_by_text: HashMap<String, u32, RandomState>,
}

impl TextColumn {
    pub fn repeat(word: &str, rows: usize) -> Self {
        let code_by_text = HashMap::from_iter([(word.to_owned(), 0)]);
        let codes = Codes { rows, ..Codes::default() };
        Self { codes, list: vec![word.to_owned()], code_by_text }
    }

    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// The code of a string is its index in this list.
    pub fn list(&self) -> &[String] {
        &self.list
    }

    pub fn text(&self, row: usize) -> &str {
        &self.list[self.codes.get(row) as usize]
    }

    pub fn first_rows(&self) -> Vec<Option<usize>> {
        let mut first_rows = vec![None; self.list.len()];
        for (row, code) in self.codes.iter().enumerate() {
            first_rows[code as usize].get_or_insert(row);
        }
        first_rows
    }

    /// Bytes that are not UTF-8 are replaced.
    pub fn push(&mut self, text: &[u8]) {
        // Successive rows are often equal. Most strings are too short for the call that `==` makes.
        let last_code = self.codes.rows.checked_sub(1).map(|row| self.codes.get(row));
        let code = match last_code {
            Some(code) if self.list[code as usize].bytes().eq(text.iter().copied()) => code,
            _ => self.intern(&String::from_utf8_lossy(text)),
        };
        self.codes.push(code, 1);
    }

    fn append(&mut self, other: &Self) {
        let new_codes: Vec<u32> = other.list.iter().map(|word| self.intern(word)).collect();
        self.codes.append(&other.codes, |code| new_codes[code as usize]);
    }

    /// A new string is added to the list.
    pub fn intern(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.code_by_text.get(text) {
            return code;
        }
        let code = self.list.len() as u32;
        self.list.push(text.to_owned());
        self.code_by_text.insert(text.to_owned(), code);
        code
    }
}

/// Parses an integer of at most nine digits, which is its own code.
fn parse_digits(text: &[u8]) -> Option<u32> {
    let append_digit = |number: u32, byte: &u8| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then_some(10 * number + u32::from(digit))
    };
    if (1..=9).contains(&text.len()) { text.iter().try_fold(0, append_digit) } else { None }
}

/// Parses a number in a results file. Empty text is NaN. Returns `None` if the text is not a
/// number.
fn parse_number(text: &[u8]) -> Option<f64> {
    if text.is_empty() { Some(f64::NAN) } else { std::str::from_utf8(text).ok()?.parse().ok() }
}

impl Values {
    /// Creates an empty column whose type depends on the name of the column. A column with an
    /// unknown name is an option and contains text.
    pub fn empty(name: &str) -> Self {
        match columns::column(name).is_some_and(columns::Column::is_number) {
            true => Self::Numbers(NumberColumn::default()),
            false => Self::Text(TextColumn::default()),
        }
    }

    /// Appends a field. Returns false and appends nothing if the field does not have the column's
    /// type.
    pub fn push(&mut self, text: &[u8]) -> bool {
        match self {
            Self::Numbers(numbers) => {
                let parse_other = || parse_number(text).map(|number| numbers.encode(number));
                let Some(code) = parse_digits(text).or_else(parse_other) else { return false };
                numbers.codes.push(code, 1);
            }
            Self::Text(texts) => texts.push(text),
        }
        true
    }

    pub fn blank(&self, rows: usize) -> Self {
        match self {
            Self::Numbers(_) => Self::Numbers(std::iter::repeat_n(f64::NAN, rows).collect()),
            Self::Text(_) => Self::Text(TextColumn::repeat("", rows)),
        }
    }

    pub fn append(&mut self, other: &Self) {
        match (self, other) {
            (Self::Text(texts), Self::Text(other)) => texts.append(other),
            (Self::Text(texts), Self::Numbers(numbers)) => {
                (0..numbers.codes.rows).for_each(|row| texts.push(other.text(row).as_bytes()));
            }
            (Self::Numbers(numbers), other) => numbers.append(&other.numbers()),
        }
    }

    pub fn take(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbers(numbers) => Self::Numbers(rows.iter().map(|&row| numbers.get(row)).collect()),
            Self::Text(texts) => {
                let (mut taken, mut new_codes) = (TextColumn::default(), vec![None; texts.list.len()]);
                for code in rows.iter().map(|&row| texts.codes.get(row) as usize) {
                    let new_code = *new_codes[code].get_or_insert_with(|| taken.intern(&texts.list[code]));
                    taken.codes.push(new_code, 1);
                }
                Self::Text(taken)
            }
        }
    }

    /// A text that is not a number becomes NaN.
    pub fn numbers(&self) -> Cow<'_, NumberColumn> {
        match self {
            Self::Numbers(numbers) => Cow::Borrowed(numbers),
            Self::Text(texts) => {
                let parsed: Vec<f64> = texts.list.iter().map(|text| text.parse().unwrap_or(f64::NAN)).collect();
                Cow::Owned(texts.codes.iter().map(|code| parsed[code as usize]).collect())
            }
        }
    }

    /// The field of a row as text. The text is empty if the field is NaN.
    pub fn text(&self, row: usize) -> Cow<'_, str> {
        match self {
            Self::Numbers(numbers) if numbers.get(row).is_nan() => Cow::Borrowed(""),
            Self::Numbers(numbers) => Cow::Owned(numbers.get(row).to_string()),
            Self::Text(texts) => Cow::Borrowed(texts.text(row)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_parsed_as_results_files_write_them() {
        for (text, value) in [("0", 0.0), ("32521084", 32_521_084.0), ("-12", -12.0), ("0.000047", 0.000_047)] {
            assert_eq!(parse_number(text.as_bytes()), Some(value), "{text}");
        }
        assert_eq!(parse_number(b"18446744073709551615"), Some(18_446_744_073_709_551_615.0));
        assert!(parse_number(b"").is_some_and(f64::is_nan));
        for text in ["x", "1,2", "12 ", "\u{663}", "-"] {
            assert_eq!(parse_number(text.as_bytes()), None, "{text}");
        }
    }

    /// A field that is missing in one result is empty in the joined frame, and not 0.
    #[test]
    fn appended_column_is_empty_where_a_result_lacks_it() {
        let make_numbers = |numbers: &[f64]| Values::Numbers(numbers.iter().copied().collect());
        let mut numbers = make_numbers(&[1.0]);
        numbers.append(&numbers.blank(2));
        numbers.append(&make_numbers(&[4.0]));
        let text: Vec<String> = (0..4).map(|row| numbers.text(row).into_owned()).collect();
        assert_eq!(text, ["1", "", "", "4"]);
        let mut texts = Values::Text(TextColumn::repeat("a", 1));
        texts.append(&texts.blank(1));
        texts.append(&make_numbers(&[f64::NAN, 2.5]));
        let text: Vec<String> = (0..4).map(|row| texts.text(row).into_owned()).collect();
        assert_eq!(text, ["a", "", "", "2.5"]);
    }
}
