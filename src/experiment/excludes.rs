//! Which points of a grid an `[[exclude]]` leaves out.

use super::file::File;
use super::grid::{axes, combinations};
use super::paths;
use super::text::FileText;
use std::collections::{HashMap, HashSet};
use toml::{Table, Value};

/// Excludes times points that are looked at for excludes that do nothing; nobody writes so many by hand.
const MOST_LOOKS: usize = 10_000_000;

/// The places of those `[[exclude]]`s that leave no point of the grid out.
#[must_use]
pub fn idle(file: &File) -> Vec<usize> {
    let source = FileText { text: "", path: std::path::Path::new(""), suite: None };
    let points = match axes(file, &source) {
        Ok(axes) if !axes.is_empty() && !file.exclude.is_empty() => combinations(&axes),
        _ => Vec::new(),
    };
    if points.len().saturating_mul(file.exclude.len()) > MOST_LOOKS {
        return Vec::new();
    }
    let idle = |excluded: &Table| {
        let excluded = Excludes::new(std::slice::from_ref(excluded));
        !points.iter().any(|point| excluded.hold(point))
    };
    (0..file.exclude.len()).filter(|&at| idle(&file.exclude[at])).collect()
}

/// The points to leave out: for each set of paths that excludes name together, the values that they give them. A point is then
/// looked up once for each set, however many excludes there are.
pub(super) struct Excludes<'a> {
    sets: HashMap<Vec<&'a str>, HashSet<Vec<String>>>,
}

impl<'a> Excludes<'a> {
    pub(super) fn new(excludes: &'a [Table]) -> Self {
        let mut sets: HashMap<_, HashSet<_>> = HashMap::new();
        for excluded in excludes.iter().filter(|excluded| !excluded.is_empty()) {
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
