use crate::report::text::Screen;
use std::io::{IsTerminal, stdout};

/// Columns of a terminal that does not say how many it has.
const WIDTH: usize = 100;

/// Where standard output goes: a terminal's own width and colours; to a file or a pipe as wide as it comes, without colours.
/// `COLUMNS` and `NO_COLOR` have the last word (<https://no-color.org>).
pub fn screen() -> Screen {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    if !stdout().is_terminal() {
        return Screen { width: asked.unwrap_or(10_000).max(20), colour: false };
    }
    let own = rustix::termios::tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col));
    let width = own.filter(|&columns| columns > 0).or(asked).unwrap_or(WIDTH).max(40);
    let plain = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    Screen { width, colour: !plain("NO_COLOR") && !dumb }
}
