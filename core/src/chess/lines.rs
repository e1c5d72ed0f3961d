//! The lines of a text, which end with LF, with CR LF or with CR alone.

use std::borrow::Cow;
use std::io::{self, BufRead};

pub(super) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

/// Reads lines one by one, so that a file need not fit into memory.
pub(super) struct Lines<R> {
    input: R,
    is_after_cr: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, is_after_cr: false }
    }

    /// Reads the next line into `line` without its line break. Returns false at the end of the
    /// text. A line longer than `max_len` bytes is cut after `max_len + 1` bytes.
    pub(super) fn read(&mut self, line: &mut Vec<u8>, max_len: usize) -> io::Result<bool> {
        line.clear();
        loop {
            let bytes = self.input.fill_buf()?;
            let Some(&first) = bytes.first() else { return Ok(!line.is_empty()) };
            // The previous line ended with CR LF, of which only the CR has been read.
            if std::mem::take(&mut self.is_after_cr) && first == b'\n' {
                self.input.consume(1);
                continue;
            }
            let room = max_len + 1 - line.len();
            let line_break = bytes.iter().take(room).position(|byte| matches!(byte, b'\n' | b'\r'));
            let length = line_break.unwrap_or(bytes.len().min(room));
            line.extend_from_slice(&bytes[..length]);
            self.is_after_cr = line_break.is_some_and(|index| bytes[index] == b'\r');
            self.input.consume(length + usize::from(line_break.is_some()));
            if line_break.is_some() || line.len() > max_len {
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn any_line_break_ends_a_line() {
        for (text, expected) in [
            ("", &[][..]),
            ("a", &["a"]),
            ("a\n", &["a"]),
            ("a\rb\r\nc\nd", &["a", "b", "c", "d"]),
            ("\r\n\r\n\n\r", &["", "", "", ""]),
            ("a\r\rb\n\nc\r", &["a", "", "b", "", "c"]),
        ] {
            // A buffer of one byte separates every CR from its LF.
            for size in [1, 2, 3, 100] {
                let mut lines = Lines::new(BufReader::with_capacity(size, text.as_bytes()));
                let (mut line, mut actual) = (Vec::new(), Vec::new());
                while lines.read(&mut line, 10).unwrap() {
                    actual.push(String::from_utf8(line.clone()).unwrap());
                }
                assert_eq!(actual, expected, "{text:?} in pieces of {size}");
            }
            let joined: String = expected.iter().map(|line| format!("{line}\n")).collect();
            assert_eq!(with_line_feeds(text).trim_end_matches('\n'), joined.trim_end_matches('\n'));
        }
    }

    #[test]
    fn long_line_is_cut_one_byte_beyond_the_limit() {
        for (length, cut) in [(3, 3), (4, 4), (5, 5), (6, 5), (100, 5)] {
            for size in [1, 3, 100] {
                let text = "x".repeat(length);
                let mut line = Vec::new();
                assert!(Lines::new(BufReader::with_capacity(size, text.as_bytes())).read(&mut line, 4).unwrap());
                assert_eq!(line.len(), cut, "{length} bytes in pieces of {size}");
            }
        }
    }
}
