use super::CommandFailure;
use crate::report::Page;
use crate::report::sheet::Sheet;
use crate::report::text::{self, Screen};
use std::io::{IsTerminal, stdout};
use std::path::Path;

/// The number of columns that is assumed for a terminal that does not report its width.
const DEFAULT_WIDTH: usize = 100;

/// Writes a page to standard output.
pub fn show(sheet: &Sheet) {
    crate::console::out_page(&(text::render(sheet, stdout_screen()) + "\n"));
}

/// Shows a page of results on the terminal, unless `quiet` is true, and writes the page's files to
/// the folder. The page is shown even if the files cannot be written.
pub fn report(page: &Page, folder: &Path, quiet: bool) -> Result<(), CommandFailure> {
    if !quiet {
        show(&page.terminal_sheet());
    }
    page.write(folder).map_err(|error| {
        let help = format!("help: write it to another place with `ttlab report {} -o FILE`", folder.display());
        CommandFailure::io(format!("cannot write the report: {error:#}\n{help}"))
    })
}

/// The screen has no colours. Its width is that of the environment variable `COLUMNS`. If the
/// variable is not set, lines are not wrapped.
pub fn file_screen() -> Screen {
    pipe_screen(requested_width())
}

/// `requested_width` is the width that `COLUMNS` gives.
fn pipe_screen(requested_width: Option<usize>) -> Screen {
    Screen { width: requested_width.unwrap_or(10_000).max(20), colour: false }
}

/// If standard output is a terminal, the screen has the width of the terminal, and it has colours
/// unless `NO_COLOR` is set (<https://no-color.org>).
fn stdout_screen() -> Screen {
    if !stdout().is_terminal() {
        return file_screen();
    }
    let reported_width = rustix::termios::tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col));
    let read_variable = |name: &str| std::env::var_os(name).unwrap_or_default().to_string_lossy().into_owned();
    terminal_screen(reported_width, requested_width(), &read_variable("NO_COLOR"), &read_variable("TERM"))
}

/// `reported_width` is the width that the terminal reports. It may be 0, which means that the width
/// is unknown. `requested_width` is the width that `COLUMNS` gives.
fn terminal_screen(
    reported_width: Option<usize>,
    requested_width: Option<usize>,
    no_colour: &str,
    term: &str,
) -> Screen {
    let width = reported_width.filter(|&columns| columns > 0).or(requested_width).unwrap_or(DEFAULT_WIDTH).max(40);
    Screen { width, colour: no_colour.is_empty() && term != "dumb" }
}

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
