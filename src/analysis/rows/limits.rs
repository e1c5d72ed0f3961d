//! Splits the column `limit` into the options `limit.depth` and `limit.nodes` of an experiment's
//! grid. The column contains both options in one text, as in `depth 4, nodes 500`.

use super::frame::Frame;
use crate::record::columns::LIMIT;

/// The parts of a limit. Each part consists of the path of the option and the text that precedes
/// the option's value in the column.
const PARTS: [(&str, &str); 2] = [("limit.depth", "depth "), ("limit.nodes", "nodes ")];

pub fn is_part(name: &str) -> bool {
    PARTS.iter().any(|(path, _)| *path == name)
}

/// The value is empty if the limit has no such part.
fn find_part(limit: &str, prefix: &str) -> String {
    limit.split(", ").find_map(|part| part.strip_prefix(prefix)).unwrap_or_default().to_owned()
}

/// Splits a limit into its parts, and returns the path and the value of each part. The value is
/// empty if the limit has no such part.
pub fn split_limit(limit: &str) -> [(&'static str, String); 2] {
    PARTS.map(|(path, prefix)| (path, find_part(limit, prefix)))
}

/// Adds one column for each part of the limit if `requested` names a part that the limits of some
/// rows have. The field of a row is empty if the limit of the row does not have the part.
pub fn add_limit_columns(frame: &mut Frame, requested: &[&str]) {
    let limits = frame.text_column(LIMIT).into_owned();
    let some_row_has = |prefix: &str| limits.list().iter().any(|limit| !find_part(limit, prefix).is_empty());
    if PARTS.iter().any(|(path, prefix)| requested.contains(path) && some_row_has(prefix)) {
        for (path, prefix) in PARTS {
            frame.set_texts(path, |row| find_part(limits.text(row), prefix));
        }
    }
}
