//! The program's console. Results are written to standard output, and messages to standard error.
//!
//! If standard output is a closed pipe (`| head`) or a file on a full disk, a run must not stop,
//! and a command that fails must not look successful. So the first write error is remembered and
//! the command goes on, and the exit code is that of the command.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

/// The first write error of standard output. Nothing is written after this error.
static OUTPUT_ERROR: Mutex<Option<io::Error>> = Mutex::new(None);

/// The escape sequences that pages use for colours and bold letters. No other escape sequences are
/// written to a terminal.
const COLOURS: [&str; 6] = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[34m"];

/// Writes to standard output. Text that cannot be written is dropped, and [`close`] returns the
/// error.
pub fn out(text: fmt::Arguments<'_>) {
    write_out(&text.to_string(), escape_control);
}

/// As [`out`], but keeps the page's colours.
pub fn out_page(page: &str) {
    write_out(page, escape_except_colours);
}

/// Writes to standard output. If standard output is a terminal, `escape` is applied to the text.
fn write_out(text: &str, escape: impl Fn(&str) -> Cow<'_, str>) {
    #[cfg(test)]
    if capturing::append(text, "") {
        return;
    }
    let mut first_error = OUTPUT_ERROR.lock().unwrap_or_else(PoisonError::into_inner);
    // After an error, such as a closed pipe, nothing more is written.
    if first_error.is_some() {
        return;
    }
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() { escape(text) } else { Cow::Borrowed(text) };
    if let Err(error) = out.write_all(text.as_bytes()) {
        *first_error = Some(error);
    }
}

/// Writes to standard error. Control characters are escaped, so that a name from a file cannot move
/// the cursor or rename the window.
pub fn err(text: fmt::Arguments<'_>) {
    #[cfg(test)]
    if capturing::append("", &text.to_string()) {
        return;
    }
    // An error is ignored, because there is no other place to report it.
    let _ = io::stderr().lock().write_all(escape_control(&text.to_string()).as_bytes());
}

/// Whether standard output has had no write error so far.
pub fn is_open() -> bool {
    OUTPUT_ERROR.lock().unwrap_or_else(PoisonError::into_inner).is_none()
}

/// Flushes standard output. Returns the first write error, but not the error of a closed pipe.
pub fn close() -> Option<io::Error> {
    let mut first_error = OUTPUT_ERROR.lock().unwrap_or_else(PoisonError::into_inner);
    let flush_result = io::stdout().lock().flush();
    let error = first_error.take().or_else(|| flush_result.err())?;
    (error.kind() != io::ErrorKind::BrokenPipe).then_some(error)
}

/// Escapes control characters except line ends and tabs, as in Rust source code. If the same
/// character occurs several times in a row, it is written once, followed by how many times it
/// occurs.
pub fn escape_control(text: &str) -> Cow<'_, str> {
    // Characters that change the direction of writing could disguise a name.
    let is_direction = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_escaped = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_direction(c);
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if !is_escaped(c) {
            escaped.push(c);
            continue;
        }
        escaped.extend(c.escape_unicode());
        let repeats = std::iter::from_fn(|| rest.next_if_eq(&c)).count();
        // A sparse file can have millions of zero bytes.
        if repeats > 0 {
            escaped.push_str(&format!(" ({} times)", repeats + 1));
        }
    }
    Cow::Owned(escaped)
}

/// Escapes the same characters as [`escape_control`], but leaves the sequences in [`COLOURS`] as
/// they are.
fn escape_except_colours(text: &str) -> Cow<'_, str> {
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(index) = rest.find('\u{1b}') {
        let (before, sequence) = rest.split_at(index);
        // If the sequence is not in `COLOURS`, its escape character is escaped.
        let length = COLOURS.iter().find(|colour| sequence.starts_with(**colour)).map_or(0, |colour| colour.len());
        escaped.push_str(&escape_control(before));
        escaped.push_str(if length > 0 { &sequence[..length] } else { "\\u{1b}" });
        rest = &sequence[length.max(1)..];
    }
    escaped.push_str(&escape_control(rest));
    Cow::Owned(escaped)
}

#[cfg(test)]
pub use capturing::capture;

/// Captures both streams of the current thread while a test runs.
#[cfg(test)]
mod capturing {
    use std::cell::RefCell;

    thread_local! {
        static CAPTURED: RefCell<Option<[String; 2]>> = const { RefCell::new(None) };
    }

    /// Runs `action`; returns its result, and what it wrote to standard output and standard error.
    pub fn capture<T>(action: impl FnOnce() -> T) -> (T, [String; 2]) {
        CAPTURED.set(Some(Default::default()));
        let result = action();
        (result, CAPTURED.take().unwrap_or_default())
    }

    /// Appends text to the captured standard output and standard error. Returns false if nothing
    /// captures them.
    pub(super) fn append(out: &str, error: &str) -> bool {
        CAPTURED
            .with_borrow_mut(|captured| {
                let [output, errors] = captured.as_mut()?;
                output.push_str(out);
                errors.push_str(error);
                Some(())
            })
            .is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{escape_control, escape_except_colours};

    #[test]
    fn visible_control_characters_are_escaped() {
        assert_eq!(escape_control("plain\n\tgrün"), "plain\n\tgrün");
        assert_eq!(escape_control("\u{1b}[2Ja\rb\u{9b}c"), "\\u{1b}[2Ja\\u{d}b\\u{9b}c");
        assert_eq!(escape_control("a\u{202e}b"), "a\\u{202e}b");
        let hole = format!("a\0\u{1b}{}b\r\rc", "\0".repeat(1_000_000));
        assert_eq!(escape_control(&hole), "a\\u{0}\\u{1b}\\u{0} (1000000 times)b\\u{d} (2 times)c");
    }

    #[test]
    fn page_escape_sequences_other_than_colours_are_escaped() {
        let page = "\u{1b}[1msize\u{1b}[0m  \u{1b}[34m0.777\u{1b}[0m\n";
        assert_eq!(escape_except_colours(page), page);
        assert_eq!(escape_except_colours("\u{1b}[2J\u{1b}[31mx\u{7}\u{1b}"), "\\u{1b}[2J\u{1b}[31mx\\u{7}\\u{1b}");
    }
}
