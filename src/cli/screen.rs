use super::CommandFailure;
use crate::report::Page;
use crate::report::sheet::Sheet;
use crate::report::text::{self, Screen};
use std::io::{IsTerminal, stdout};
use std::path::Path;

/// Columns of a terminal that does not say how many it has.
const WIDTH: usize = 100;

/// Says a page on standard output.
pub fn show(sheet: &Sheet) {
    crate::console::out_page(&(text::render(sheet, screen()) + "\n"));
}

/// Says a page of results and writes its files beside them: what cannot be written is seen all the same.
pub fn report(page: &Page, folder: &Path, quiet: bool) -> Result<(), CommandFailure> {
    if !quiet {
        show(&page.terminal_sheet());
    }
    crate::report::write_page(page, folder).map_err(|error| {
        let help = format!("help: `ttlab report {} -o FILE` writes it elsewhere", folder.display());
        CommandFailure::io(format!("the report could not be written: {error:#}\n{help}"))
    })
}

/// A file or a pipe: as wide as it comes, or as `COLUMNS` says, without colours.
pub fn plain() -> Screen {
    unseen(asked())
}

fn unseen(asked: Option<usize>) -> Screen {
    Screen { width: asked.unwrap_or(10_000).max(20), colour: false }
}

/// Where standard output goes: a terminal's own width and colours, but for `NO_COLOR` (<https://no-color.org>), or a file or a pipe.
fn screen() -> Screen {
    if !stdout().is_terminal() {
        return plain();
    }
    let own = rustix::termios::tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col));
    let output = |name: &str| std::env::var_os(name).unwrap_or_default().to_string_lossy().into_owned();
    seen(own, asked(), &output("NO_COLOR"), &output("TERM"))
}

/// A terminal of so many columns (0: it does not know), where so many are asked for, and what the environment says of it.
fn seen(own: Option<usize>, asked: Option<usize>, no_colour: &str, term: &str) -> Screen {
    let width = own.filter(|&columns| columns > 0).or(asked).unwrap_or(WIDTH).max(40);
    Screen { width, colour: no_colour.is_empty() && term != "dumb" }
}

fn asked() -> Option<usize> {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminal's own width goes before what is asked for, and a pipe has none of its own; `NO_COLOR` counts where it is not empty, as its page says.
    #[test]
    fn a_screen_is_as_wide_as_it_says() {
        let of = |screen: Screen| (screen.width, screen.colour);
        for (own, asked, width) in [
            (Some(80), Some(60), 80),
            (Some(80), None, 80),
            (Some(0), Some(60), 60),
            (None, Some(60), 60),
            (None, None, 100),
            (Some(0), None, 100),
            (Some(10), Some(60), 40),
            (None, Some(39), 40),
        ] {
            assert_eq!(of(seen(own, asked, "", "xterm")), (width, true), "{own:?} {asked:?}");
        }
        for (no_colour, term, colour) in [("", "", true), ("1", "xterm", false), ("0", "", false), ("", "dumb", false)]
        {
            assert_eq!(of(seen(Some(80), None, no_colour, term)), (80, colour), "{no_colour} {term}");
        }
        for (asked, width) in [(Some(60), 60), (Some(20), 20), (Some(1), 20)] {
            assert_eq!(of(unseen(asked)), (width, false));
        }
        assert!(of(unseen(None)).0 >= 10_000, "nothing is broken that a pipe could take");
    }
}
