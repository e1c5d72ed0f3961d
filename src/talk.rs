//! How the program talks: standard output is data, standard error is talk, and neither can end it. A reader that has gone
//! (`| head`) or a full disk behind a redirection must not turn a failure into a success, nor a run into a loss: the work goes
//! on, and the exit code is the true one.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

/// Why standard output took no more; none while it takes everything.
static OUTPUT: Mutex<Option<io::Error>> = Mutex::new(None);

/// What may be sent to a terminal as it is: to begin and to end a colour or bold letters, as pages have them.
const PAINTS: [&str; 6] = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[34m"];

/// Says something on standard output. What cannot be written is dropped; [`close`] tells why.
pub fn say(text: fmt::Arguments<'_>) {
    put(&text.to_string(), visible);
}

/// As [`say`], a page with its colours.
pub fn show(page: &str) {
    put(page, painted);
}

/// Writes on standard output; `on_screen`: what a terminal is given instead.
fn put(text: &str, on_screen: impl Fn(&str) -> Cow<'_, str>) {
    #[cfg(test)]
    if overheard::takes(text, "") {
        return;
    }
    let mut failed = OUTPUT.lock().unwrap_or_else(PoisonError::into_inner);
    if failed.is_some() {
        return;
    }
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() { on_screen(text) } else { Cow::Borrowed(text) };
    if let Err(error) = out.write_all(text.as_bytes()) {
        *failed = Some(error);
    }
}

/// Says something on standard error. Control characters, which come from the names in files, are shown and not sent: a name
/// cannot move the cursor or rename the window.
pub fn tell(text: fmt::Arguments<'_>) {
    #[cfg(test)]
    if overheard::takes("", &text.to_string()) {
        return;
    }
    // Nobody is left to be told that this failed.
    let _ = io::stderr().lock().write_all(visible(&text.to_string()).as_bytes());
}

/// Whether what is said on standard output still arrives.
#[must_use]
pub fn is_heard() -> bool {
    OUTPUT.lock().unwrap_or_else(PoisonError::into_inner).is_none()
}

/// Brings out what is left. Returns why something that was said was lost, unless it was that the reader had seen enough.
pub fn close() -> Option<io::Error> {
    let mut failed = OUTPUT.lock().unwrap_or_else(PoisonError::into_inner);
    let flushed = io::stdout().lock().flush();
    let error = failed.take().or_else(|| flushed.err())?;
    (error.kind() != io::ErrorKind::BrokenPipe).then_some(error)
}

/// A text whose control characters, line ends and tabs apart, are shown as they would be written in source, each run of one of them once.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_direction(c);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if !hidden(c) {
            shown.push(c);
            continue;
        }
        shown.extend(c.escape_unicode());
        let again = std::iter::from_fn(|| rest.next_if_eq(&c)).count();
        // A hole in a file has millions.
        match again {
            0 => {}
            again => shown.push_str(&format!(" ({} times)", again + 1)),
        }
    }
    Cow::Owned(shown)
}

/// As [`visible`], but for what paints.
fn painted(text: &str) -> Cow<'_, str> {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, from) = rest.split_at(at);
        // A sequence that does not paint is shown: its first character at least.
        let length = PAINTS.iter().find(|paint| from.starts_with(**paint)).map_or(0, |paint| paint.len());
        shown.push_str(&visible(before));
        shown.push_str(if length > 0 { &from[..length] } else { "\\u{1b}" });
        rest = &from[length.max(1)..];
    }
    shown.push_str(&visible(rest));
    Cow::Owned(shown)
}

/// Marks that turn the direction of writing: with them a name is shown as another than it is.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What is said while a test listens, instead of being said.
#[cfg(test)]
pub mod overheard {
    use std::cell::RefCell;

    thread_local! {
        static HEARD: RefCell<Option<[String; 2]>> = const { RefCell::new(None) };
    }

    /// What is done, and what this thread says meanwhile on standard output and on standard error.
    pub fn of<T>(act: impl FnOnce() -> T) -> (T, [String; 2]) {
        HEARD.set(Some(Default::default()));
        let done = act();
        (done, HEARD.take().unwrap_or_default())
    }

    /// Keeps what is said, if anybody listens.
    pub(super) fn takes(out: &str, error: &str) -> bool {
        HEARD
            .with_borrow_mut(|heard| {
                let [output, errors] = heard.as_mut()?;
                output.push_str(out);
                errors.push_str(error);
                Some(())
            })
            .is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{painted, visible};

    #[test]
    fn names_cannot_command_a_terminal() {
        assert_eq!(visible("plain\n\tgrün"), "plain\n\tgrün");
        assert_eq!(visible("\u{1b}[2Ja\rb\u{9b}c"), "\\u{1b}[2Ja\\u{d}b\\u{9b}c");
        assert_eq!(visible("a\u{202e}b"), "a\\u{202e}b");
        let hole = format!("a\0\u{1b}{}b\r\rc", "\0".repeat(1_000_000));
        assert_eq!(visible(&hole), "a\\u{0}\\u{1b}\\u{0} (1000000 times)b\\u{d} (2 times)c");
    }

    #[test]
    fn a_page_keeps_its_colours_and_nothing_else() {
        let page = "\u{1b}[1msize\u{1b}[0m  \u{1b}[34m0.777\u{1b}[0m\n";
        assert_eq!(painted(page), page);
        assert_eq!(painted("\u{1b}[2J\u{1b}[31mx\u{7}\u{1b}"), "\\u{1b}[2J\u{1b}[31mx\\u{7}\\u{1b}");
    }
}
