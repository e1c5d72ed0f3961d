//! `limit.depth` and `limit.nodes` of an experiment's grid, which the column `limit` holds as one
//! text.

use super::frame::Frame;
use crate::record::columns::LIMIT;

/// The parts of a limit: the grid's path, and its prefix in the column.
const PARTS: [(&str, &str); 2] = [("limit.depth", "depth "), ("limit.nodes", "nodes ")];

/// Whether a column is a part of the limit.
pub fn is_part(name: &str) -> bool {
    PARTS.iter().any(|(path, _)| *path == name)
}

/// The value of a limit's part; empty if it has none.
fn find_part(limit: &str, word: &str) -> String {
    limit.split(", ").find_map(|part| part.strip_prefix(word)).unwrap_or_default().to_owned()
}

/// A limit split into its parts.
pub fn split_limit(limit: &str) -> [(&'static str, String); 2] {
    PARTS.map(|(path, word)| (path, find_part(limit, word)))
}

/// Adds a column for each part if `asked` names a part that some row has. A search without the part
/// has an empty field.
pub fn add_limit_columns(frame: &mut Frame, asked: &[&str]) {
    let limits = frame.text_column(LIMIT).into_owned();
    let has = |word: &str| limits.list().iter().any(|limit| !find_part(limit, word).is_empty());
    if PARTS.iter().any(|(path, word)| asked.contains(path) && has(word)) {
        for (path, word) in PARTS {
            frame.set_words(path, |row| find_part(limits.text(row), word));
        }
    }
}
