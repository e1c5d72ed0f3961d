//! How a file names its suite and gives a limit.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where the positions come from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a file in quotes, { startpos = true } or { fen = \"...\" }")]
pub enum SuiteChoice {
    /// An EPD, FEN or PGN file.
    File(PathBuf),
    /// A single position.
    One(OnePosition),
}

/// One position, given in the file itself.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OnePosition {
    /// The position in FEN.
    pub fen: Option<String>,
    /// The start position.
    pub startpos: bool,
}

/// When a search ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LimitChoice {
    /// After the iteration of this depth, in plies, 1..=255.
    #[cfg_attr(test, schemars(range(min = 1, max = 255)))]
    pub depth: Option<u8>,
    /// Before it enters another node than this many, over all iterations.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub nodes: Option<u64>,
}
