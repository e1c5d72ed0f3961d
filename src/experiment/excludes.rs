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
            let values = pairs.iter().map(|(_, value)| paths::format_value(value)).collect();
            sets.entry(pairs.iter().map(|(path, _)| *path).collect()).or_default().insert(values);
        }
        Self { sets }
    }

    /// Whether a point has all the values that some exclude names. `"always"` and `{ kind = "always" }` are the same.
    pub(super) fn matches(&self, point: &[(String, Value)]) -> bool {
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
            return Some(paths::format_value(value));
        }
        let rest = path.strip_prefix(set.as_str())?.strip_prefix('.')?;
        match value {
            Value::String(kind) => (rest == "kind").then(|| kind.clone()),
            value => rest.split('.').try_fold(value, |value, part| value.get(part)).map(paths::format_value),
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// All that one exclude names must fit, of several excludes any; a policy's word is its kind, and a part of a table is found in it.
    #[test]
    fn a_point_is_left_out_by_all_that_one_exclude_names() {
        let tables = |texts: &[&str]| texts.iter().map(|text| text.parse::<Table>().unwrap()).collect::<Vec<_>>();
        let given = tables(&[
            "'a' = 1\n'b' = 2",
            "'b' = 3\n'a' = 1",
            "'table.policy.kind' = 'always'",
            "'table.policy.factor' = 4",
        ]);
        let excludes = Excludes::new(&given);
        let hold = |text: &str| {
            let point = text.parse::<Table>().unwrap().into_iter().collect::<Vec<_>>();
            excludes.matches(&point)
        };
        for (point, left_out) in [
            ("'a' = 1\n'b' = 2", true),
            ("'b' = 3\n'a' = 1\n'c' = 9", true),
            ("'a' = 1\n'b' = 4", false),
            ("'a' = 2\n'b' = 2", false),
            ("'a' = 1", false),
            ("'table.policy' = 'always'", true),
            ("'table.policy' = 'never'", false),
            ("'table.policy' = { kind = 'always' }", true),
            ("'table.policy' = { kind = 'aged-depth', factor = 4 }", true),
            ("'table.policy' = { kind = 'aged-depth', factor = 5 }", false),
            ("'table.policy.factor' = 4", true),
            ("'table.policyx' = 'always'", false),
        ] {
            assert_eq!(hold(point), left_out, "{point}");
        }
    }
}
