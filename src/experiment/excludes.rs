//! The combinations of a grid that `[[exclude]]` leaves out.

use super::paths;
use std::collections::{HashMap, HashSet};
use toml::{Table, Value};

/// The values of the `[[exclude]]` entries, grouped by the paths that the entries contain. To check
/// a combination, one lookup for each group is enough, however many entries there are.
pub(super) struct Excludes<'a> {
    /// For each sorted list of paths, the excluded lists of values at these paths.
    values_by_paths: HashMap<Vec<&'a str>, HashSet<Vec<String>>>,
}

impl<'a> Excludes<'a> {
    /// Groups the entries of `[[exclude]]` by the paths that they contain.
    pub(super) fn new(excludes: &'a [Table]) -> Self {
        let mut values_by_paths: HashMap<_, HashSet<_>> = HashMap::new();
        for excluded in excludes {
            let mut pairs: Vec<(&str, &Value)> = excluded.iter().map(|(path, value)| (path.as_str(), value)).collect();
            pairs.sort_unstable_by_key(|(path, _)| *path);
            let sorted_paths = pairs.iter().map(|(path, _)| *path).collect();
            let values = pairs.iter().map(|(_, value)| paths::format_value(value)).collect();
            values_by_paths.entry(sorted_paths).or_default().insert(values);
        }
        Self { values_by_paths }
    }

    /// Whether at least one `[[exclude]]` entry excludes a combination. An entry excludes the
    /// combinations that have all values of the entry. The values `"always"` and `{ kind =
    /// "always" }` are equal.
    pub(super) fn matches(&self, combination: &[(String, Value)]) -> bool {
        self.values_by_paths.iter().any(|(paths, excluded_values)| {
            let values: Option<Vec<String>> = paths.iter().map(|path| value_at(combination, path)).collect();
            values.is_some_and(|values| excluded_values.contains(&values))
        })
    }
}

/// The path may be inside the value of an axis, as `table.policy.kind` is inside `table.policy`.
fn value_at(combination: &[(String, Value)], path: &str) -> Option<String> {
    combination.iter().find_map(|(axis, value)| {
        if axis == path {
            return Some(paths::format_value(value));
        }
        let inner_path = path.strip_prefix(axis.as_str())?.strip_prefix('.')?;
        match value {
            Value::String(kind) => (inner_path == "kind").then(|| kind.clone()),
            table => inner_path.split('.').try_fold(table, |inner, key| inner.get(key)).map(paths::format_value),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All conditions of an exclude must hold, but only one of several excludes needs to match. A
    /// policy given as a word is compared by its kind, and a path may point into a table.
    #[test]
    fn exclude_matches_when_all_its_conditions_hold() {
        let tables = |texts: &[&str]| texts.iter().map(|text| text.parse::<Table>().unwrap()).collect::<Vec<_>>();
        let parsed_tables = tables(&[
            "'a' = 1\n'b' = 2",
            "'b' = 3\n'a' = 1",
            "'table.policy.kind' = 'always'",
            "'table.policy.factor' = 4",
        ]);
        let excludes = Excludes::new(&parsed_tables);
        let is_excluded = |text: &str| {
            let combination = text.parse::<Table>().unwrap().into_iter().collect::<Vec<_>>();
            excludes.matches(&combination)
        };
        for (combination, left_out) in [
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
            assert_eq!(is_excluded(combination), left_out, "{combination}");
        }
    }
}
