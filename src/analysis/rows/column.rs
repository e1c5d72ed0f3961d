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
    /// Numbers. An empty field is NaN, and counts are exact up to 2^53.
    Numbers(Vec<f64>),
    Text(TextColumn),
}

/// Dictionary-encoded strings. Each row has a code, which is an index into a list of distinct
/// strings.
#[derive(Debug, Clone, Default)]
pub struct TextColumn {
    codes: Vec<u32>,
    /// The distinct strings. The code of a string is its index.
    list: Vec<String>,
    code_by_text: HashMap<String, u32, RandomState>,
}

impl TextColumn {
    pub fn repeat(word: &str, rows: usize) -> Self {
        let code_by_text = HashMap::from_iter([(word.to_owned(), 0)]);
        Self { codes: vec![0; rows], list: vec![word.to_owned()], code_by_text }
    }

    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The code of a string is its index in this list.
    pub fn list(&self) -> &[String] {
        &self.list
    }

    pub fn text(&self, row: usize) -> &str {
        &self.list[self.codes[row] as usize]
    }

    pub fn first_rows(&self) -> Vec<Option<usize>> {
        let mut first_rows = vec![None; self.list.len()];
        for (row, &code) in self.codes.iter().enumerate() {
            first_rows[code as usize].get_or_insert(row);
        }
        first_rows
    }

    pub fn push(&mut self, text: &str) {
        // Successive rows are often equal, so the string of the last row is tried first.
        let last_code = self.codes.last().copied();
        let code = match last_code {
            Some(code) if self.list[code as usize] == text => code,
            _ => self.intern(text),
        };
        self.codes.push(code);
    }

    fn extend(&mut self, other: &Self) {
        let new_codes: Vec<u32> = other.list.iter().map(|word| self.intern(word)).collect();
        self.codes.extend(other.codes.iter().map(|&code| new_codes[code as usize]));
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

/// The largest number of digits of integers that are always exact as `f64`.
const MAX_EXACT_DIGITS: usize = 15;

/// Parses a number in a results file. Empty text is NaN. Returns `None` if the text is not a
/// number.
fn parse_number(text: &[u8]) -> Option<f64> {
    if text.is_empty() {
        return Some(f64::NAN);
    }
    if text.len() <= MAX_EXACT_DIGITS && text.iter().all(u8::is_ascii_digit) {
        return Some(parse_digits(text));
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn parse_digits(digits: &[u8]) -> f64 {
    digits.iter().fold(0_u64, |value, digit| value * 10 + u64::from(digit - b'0')) as f64
}

impl Values {
    /// Creates an empty column whose type depends on the name of the column. A column with an
    /// unknown name is an option and contains text.
    pub fn empty(name: &str) -> Self {
        match columns::column(name).is_some_and(columns::Column::is_number) {
            true => Self::Numbers(Vec::new()),
            false => Self::Text(TextColumn::default()),
        }
    }

    /// Appends a field. Returns false and appends nothing if the field does not have the column's
    /// type.
    pub fn push(&mut self, text: &[u8]) -> bool {
        match self {
            Self::Numbers(numbers) => {
                let number = parse_number(text);
                numbers.extend(number);
                number.is_some()
            }
            Self::Text(texts) => {
                texts.push(&String::from_utf8_lossy(text));
                true
            }
        }
    }

    /// Appends the first field of a block of lines, and returns the length of the field in bytes.
    /// Returns `None` if the field does not have the column's type. The block must not contain
    /// quotes, and each of its lines must end with a newline.
    pub fn push_first_field(&mut self, block: &[u8]) -> Option<usize> {
        let is_field_end = |byte: &u8| matches!(byte, b',' | b'\n');
        match self {
            Self::Numbers(numbers) => {
                // If the field is an integer, the search for its end also parses it.
                let digits = block.iter().take(MAX_EXACT_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
                if digits > 0 && block.get(digits).is_some_and(is_field_end) {
                    numbers.push(parse_digits(&block[..digits]));
                    return Some(digits);
                }
            }
            Self::Text(texts) => {
                // Successive rows are often equal, so the string of the last row is tried first.
                if let Some(&last_code) = texts.codes.last() {
                    let last_text = texts.list[last_code as usize].as_bytes();
                    let length = last_text.len();
                    if block.starts_with(last_text) && block.get(length).is_some_and(is_field_end) {
                        texts.codes.push(last_code);
                        return Some(length);
                    }
                }
            }
        }
        let length = block.iter().position(is_field_end)?;
        self.push(&block[..length]).then_some(length)
    }

    pub fn blank(&self, rows: usize) -> Self {
        match self {
            Self::Numbers(_) => Self::Numbers(vec![f64::NAN; rows]),
            Self::Text(_) => Self::Text(TextColumn::repeat("", rows)),
        }
    }

    /// Appends the `rows` rows of another column. Appends empty rows if there is no other column.
    pub fn append(&mut self, other: Option<&Self>, rows: usize) {
        match (self, other) {
            (Self::Numbers(numbers), Some(other)) => numbers.extend_from_slice(&other.numbers()),
            (Self::Numbers(numbers), None) => numbers.extend(std::iter::repeat_n(f64::NAN, rows)),
            (Self::Text(texts), Some(Self::Text(other))) => texts.extend(other),
            (Self::Text(texts), Some(other)) => (0..rows).for_each(|row| texts.push(&other.text(row))),
            (Self::Text(texts), None) => (0..rows).for_each(|_| texts.push("")),
        }
    }

    pub fn take(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbers(numbers) => Self::Numbers(rows.iter().map(|&row| numbers[row]).collect()),
            Self::Text(texts) => {
                // Each distinct string is looked up only once.
                let (mut result, mut new_codes) = (TextColumn::default(), vec![None; texts.list.len()]);
                for &row in rows {
                    let code = texts.codes[row] as usize;
                    let new_code = *new_codes[code].get_or_insert_with(|| result.intern(&texts.list[code]));
                    result.codes.push(new_code);
                }
                Self::Text(result)
            }
        }
    }

    /// A text that is not a number becomes NaN.
    pub fn numbers(&self) -> Cow<'_, [f64]> {
        match self {
            Self::Numbers(numbers) => Cow::Borrowed(numbers),
            Self::Text(texts) => {
                let parsed: Vec<f64> = texts.list.iter().map(|text| text.parse().unwrap_or(f64::NAN)).collect();
                Cow::Owned(texts.codes.iter().map(|&code| parsed[code as usize]).collect())
            }
        }
    }

    /// The field of a row as text. The text is empty if the field is NaN.
    pub fn text(&self, row: usize) -> Cow<'_, str> {
        match self {
            Self::Numbers(numbers) if numbers[row].is_nan() => Cow::Borrowed(""),
            Self::Numbers(numbers) => Cow::Owned(numbers[row].to_string()),
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
        let mut numbers = Values::Numbers(vec![1.0]);
        numbers.append(None, 2);
        numbers.append(Some(&Values::Numbers(vec![4.0])), 1);
        let text: Vec<String> = (0..4).map(|row| numbers.text(row).into_owned()).collect();
        assert_eq!(text, ["1", "", "", "4"]);
        let mut texts = Values::Text(TextColumn::repeat("a", 1));
        texts.append(None, 1);
        texts.append(Some(&Values::Numbers(vec![f64::NAN, 2.5])), 2);
        let text: Vec<String> = (0..4).map(|row| texts.text(row).into_owned()).collect();
        assert_eq!(text, ["a", "", "", "2.5"]);
    }
}
