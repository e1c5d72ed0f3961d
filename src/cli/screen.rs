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
    crate::talk::show(&(text::render(sheet, screen()) + "\n"));
}

/// Says a page of results and writes its files beside them: what cannot be written is seen all the same.
pub fn report(page: &Page, folder: &Path, quiet: bool) -> Result<(), CommandFailure> {
    if !quiet {
        show(&page.brief());
    }
    crate::report::write_page(page, folder).map_err(|error| {
        let help = format!("help: `ttlab report {} -o FILE` writes it elsewhere", folder.display());
        CommandFailure::io(format!("the report could not be written: {error:#}\n{help}"))
    })
}

/// A file or a pipe: as wide as it comes, or as `COLUMNS` says, without colours.
pub fn plain() -> Screen {
    Screen { width: asked().unwrap_or(10_000).max(20), colour: false }
}

/// Where standard output goes: a terminal's own width and colours, but for `NO_COLOR` (<https://no-color.org>), or a file or a pipe.
fn screen() -> Screen {
    if !stdout().is_terminal() {
        return plain();
    }
    let own = rustix::termios::tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col));
    let width = own.filter(|&columns| columns > 0).or_else(asked).unwrap_or(WIDTH).max(40);
    let off = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    Screen { width, colour: !off("NO_COLOR") && !dumb }
}

fn asked() -> Option<usize> {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok())
}
