use super::CommandFailure;
use crate::report::Page;
use crate::report::sheet::{Part, Sheet};
use crate::report::text::{self, Screen};
use std::io::{IsTerminal, stdout};
use std::path::Path;

/// The width in columns of a terminal that does not report its width.
const DEFAULT_WIDTH: usize = 100;

/// Writes a page to standard output.
pub fn show(sheet: &Sheet) {
    crate::console::out_page(&(text::render(sheet, screen()) + "\n"));
}

/// Shows a page of results and writes its files to the folder. It is shown even if the files cannot
/// be written. `printed_warnings` were printed already, so the terminal does not show them again.
pub fn report(page: &Page, folder: &Path, quiet: bool, printed_warnings: &[String]) -> Result<(), CommandFailure> {
    if !quiet {
        let mut sheet = page.terminal_sheet();
        let is_new = |part: &Part| match part {
            Part::Blocker(text) | Part::Warning(text) => !printed_warnings.contains(text),
            _ => true,
        };
        sheet.parts.retain(is_new);
        show(&sheet);
    }
    page.write(folder).map_err(|error| {
        let help = format!("help: write it to another place with `ttlab report {} -o FILE`", folder.display());
        CommandFailure::io(format!("cannot write the report: {error:#}\n{help}"))
    })
}

/// The screen for a file or a pipe: without colours, and as wide as needed unless `COLUMNS` gives
/// the width.
pub fn plain() -> Screen {
    pipe_screen(requested_width())
}

/// The screen for a file or a pipe; `requested` is the width of `COLUMNS`.
fn pipe_screen(requested: Option<usize>) -> Screen {
    Screen { width: requested.unwrap_or(10_000).max(20), colour: false }
}

/// The screen of standard output. If it is a terminal, it has the terminal's width, and colours
/// unless `NO_COLOR` is set (<https://no-color.org>).
fn screen() -> Screen {
    if !stdout().is_terminal() {
        return plain();
    }
    let reported_width = rustix::termios::tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col));
    let read_variable = |name: &str| std::env::var_os(name).unwrap_or_default().to_string_lossy().into_owned();
    terminal_screen(reported_width, requested_width(), &read_variable("NO_COLOR"), &read_variable("TERM"))
}

/// The screen of a terminal: `reported` is the width that it reports (0 if unknown), `requested`
/// the width of `COLUMNS`.
fn terminal_screen(reported: Option<usize>, requested: Option<usize>, no_colour: &str, term: &str) -> Screen {
    let width = reported.filter(|&columns| columns > 0).or(requested).unwrap_or(DEFAULT_WIDTH).max(40);
    Screen { width, colour: no_colour.is_empty() && term != "dumb" }
}

/// The width that `COLUMNS` gives.
fn requested_width() -> Option<usize> {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `NO_COLOR` has an effect only if it is not empty.
    #[test]
    fn screen_width_and_colour_follow_terminal_and_environment() {
        let width_and_colour = |screen: Screen| (screen.width, screen.colour);
        for (reported, requested, width) in [
            (Some(80), Some(60), 80),
            (Some(80), None, 80),
            (Some(0), Some(60), 60),
            (None, Some(60), 60),
            (None, None, 100),
            (Some(0), None, 100),
            (Some(10), Some(60), 40),
            (None, Some(39), 40),
        ] {
            assert_eq!(
                width_and_colour(terminal_screen(reported, requested, "", "xterm")),
                (width, true),
                "{reported:?} {requested:?}"
            );
        }
        for (no_colour, term, colour) in [("", "", true), ("1", "xterm", false), ("0", "", false), ("", "dumb", false)]
        {
            assert_eq!(
                width_and_colour(terminal_screen(Some(80), None, no_colour, term)),
                (80, colour),
                "{no_colour} {term}"
            );
        }
        for (requested, width) in [(Some(60), 60), (Some(20), 20), (Some(1), 20)] {
            assert_eq!(width_and_colour(pipe_screen(requested)), (width, false));
        }
        assert!(pipe_screen(None).width >= 10_000, "lines for a pipe are not wrapped");
    }
}
