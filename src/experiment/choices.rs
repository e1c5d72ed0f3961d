//! How a file names its suite.

use serde::Deserialize;
use std::path::PathBuf;

/// Where the positions come from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a file in quotes, { startpos = true } or { fen = \"...\" }")]
pub enum SuiteChoice {
    /// An EPD, FEN or PGN file.
    File(PathBuf),
    /// One position instead of a file.
    One(OnePosition),
}

/// One position, given in the file itself.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OnePosition {
    /// The position in FEN.
    pub fen: Option<String>,
    /// Whether it is the start position of chess.
    pub startpos: bool,
}
