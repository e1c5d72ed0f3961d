//! The combinations of a grid that `[[exclude]]` leaves out.

use super::paths;
use toml::{Table, Value};

/// One `[[exclude]]`: the values at its paths.
pub(super) struct Exclude<'a>(Vec<(&'a str, String)>);

impl<'a> Exclude<'a> {
    pub(super) fn new(entry: &'a Table) -> Self {
        Self(entry.iter().map(|(path, value)| (path.as_str(), paths::format_value(value))).collect())
    }

    /// Whether a combination has all values of the entry. The values `"always"` and `{ kind =
    /// "always" }` are equal.
    pub(super) fn matches(&self, combination: &[(String, Value)]) -> bool {
        self.0.iter().all(|(path, excluded)| value_at(combination, path).as_ref() == Some(excluded))
    }
}

/// The path may be inside the value of an axis, as `table.policy.kind` is inside `table.policy`.
fn value_at(combination: &[(String, Value)], path: &str) -> Option<String> {
    combination.iter().find_map(|(axis, value)| {
        if axis.eq_ignore_ascii_case(path) {
            return Some(paths::format_value(value));
        }
        let inner_path = path.strip_prefix(axis.as_str())?.strip_prefix('.')?;
        match value {
            Value::String(kind) => (inner_path == "kind").then(|| kind.clone()),
            table => inner_path.split('.').try_fold(table, |inner, key| inner.get(key)).map(paths::format_value),
        }
    })
}
