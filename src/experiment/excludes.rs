//! Which points of a grid an `[[exclude]]` leaves out.

use super::paths;
use std::collections::{HashMap, HashSet};
use toml::{Table, Value};

/// The points to leave out: for each set of paths that excludes name together, the values that they give them. A point is then
/// looked up once for each set, however many excludes there are.
pub(super) struct Excludes<'a> {
    sets: HashMap<Vec<&'a str>, HashSet<Vec<String>>>,
}

impl<'a> Excludes<'a> {
    pub(super) fn new(excludes: &'a [Table]) -> Self {
        let mut sets: HashMap<_, HashSet<_>> = HashMap::new();
        for excluded in excludes {
            let mut pairs: Vec<(&str, &Value)> = excluded.iter().map(|(path, value)| (path.as_str(), value)).collect();
            pairs.sort_unstable_by_key(|(path, _)| *path);
            let values = pairs.iter().map(|(_, value)| paths::display(value)).collect();
            sets.entry(pairs.iter().map(|(path, _)| *path).collect()).or_default().insert(values);
        }
        Self { sets }
    }

    /// Whether a point has all the values that some exclude names. `"always"` and `{ kind = "always" }` are the same.
    pub(super) fn hold(&self, point: &[(String, Value)]) -> bool {
        self.sets.iter().any(|(paths, excluded)| {
            let values: Option<Vec<String>> = paths.iter().map(|path| value_at(point, path)).collect();
            values.is_some_and(|values| excluded.contains(&values))
        })
    }
}

/// What a point sets at a path, which may be a part of what an axis sets: `table.policy.kind` of `table.policy`.
fn value_at(point: &[(String, Value)], path: &str) -> Option<String> {
    point.iter().find_map(|(set, value)| {
        if set == path {
            return Some(paths::display(value));
        }
        let rest = path.strip_prefix(set.as_str())?.strip_prefix('.')?;
        match value {
            Value::String(kind) => (rest == "kind").then(|| kind.clone()),
            value => rest.split('.').try_fold(value, |value, part| value.get(part)).map(paths::display),
        }
    })
}
