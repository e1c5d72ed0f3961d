//! What an experiment's grid calls `limit.depth` and `limit.nodes`: parts of what the column `limit` says.

use super::frame::Frame;
use crate::record::columns::LIMIT;

/// The parts of a limit by the words of a grid, each with its word in the column.
const PARTS: [(&str, &str); 2] = [("limit.depth", "depth "), ("limit.nodes", "nodes ")];

/// Whether a column is a part of the limit.
pub fn is_part(name: &str) -> bool {
    PARTS.iter().any(|(path, _)| *path == name)
}

/// What a limit says of a part; nothing where it has none.
fn part(limit: &str, word: &str) -> String {
    limit.split(", ").find_map(|part| part.strip_prefix(word)).unwrap_or_default().to_owned()
}

/// A limit by its parts.
pub fn parts(limit: &str) -> [(&'static str, String); 2] {
    PARTS.map(|(path, word)| (path, part(limit, word)))
}

/// Lays both parts into the rows as columns of their own, where one that some row has is asked for: a search without the part has none.
pub fn lay(frame: &mut Frame, asked: &[&str]) {
    let limits = frame.coded(LIMIT).into_owned();
    let has = |word: &str| limits.list().iter().any(|limit| !part(limit, word).is_empty());
    if PARTS.iter().any(|(path, word)| asked.contains(path) && has(word)) {
        for (path, word) in PARTS {
            frame.put_words(path, |row| part(limits.at(row), word));
        }
    }
}
