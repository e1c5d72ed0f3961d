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
        let excludes: Vec<Exclude<'_>> = parsed_tables.iter().map(Exclude::new).collect();
        let is_excluded = |text: &str| {
            let combination = text.parse::<Table>().unwrap().into_iter().collect::<Vec<_>>();
            excludes.iter().any(|exclude| exclude.matches(&combination))
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
