//! Dotted paths into options: setting, merging, and flattening into columns.

use crate::decode::join_path;
use toml::{Table, Value};

/// A path and its ancestors: `a.b.c`, `a.b` and `a`.
pub fn with_ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::once(path).chain(path.rmatch_indices('.').map(|(index, _)| &path[..index]))
}

/// Reads a value of the command line. What is not valid TOML is a text without quotes.
pub fn parse_value(text: &str) -> Value {
    let parsed_value = format!("v = {text}").parse::<Table>().ok().and_then(|mut table| table.remove("v"));
    parsed_value.unwrap_or_else(|| Value::from(text.trim()))
}

/// Sets the value at a path such as `table.policy.factor`. Creates missing tables along the path.
/// If the value at a part of the path is a word such as `"always"`, the word is replaced by a table
/// with that `kind`.
///
/// # Errors
/// Returns the beginning of the path up to a value that is neither a table nor a word. Such a value
/// has no parts that could be set.
pub fn set(table: &mut Table, path: &str, value: Value) -> Result<(), String> {
    let Some((key, inner_path)) = path.split_once('.') else {
        insert(table, path, value);
        return Ok(());
    };
    let inner_value = table.entry(key).or_insert_with(|| Value::Table(Table::new()));
    if let Value::String(kind) = inner_value {
        *inner_value = Value::Table(Table::from_iter([("kind".to_owned(), Value::String(std::mem::take(kind)))]));
    }
    match inner_value {
        Value::Table(inner) => {
            if inner_path == "kind" && key == "policy" {
                insert(table, key, value);
                return Ok(());
            }
            set(inner, inner_path, value).map_err(|start| format!("{key}.{start}"))
        }
        _ => Err(key.to_owned()),
    }
}

/// Inserts a value under a key. A new table is merged into the old table. For example, TOML reads
/// an unquoted `table.size = 4` as a new table that has only a `size`. A table or a policy of
/// another kind than the old one replaces it. If the key is `table` and the value is a word, only
/// the `kind` of the old table changes.
fn insert(table: &mut Table, key: &str, value: Value) {
    match (table.get_mut(key), value) {
        (Some(Value::Table(old)), kind @ Value::String(_)) if key == "table" => {
            old.insert("kind".to_owned(), kind);
        }
        (Some(Value::Table(_)), kind @ Value::String(_)) if key == "policy" => {
            insert(table, key, Value::Table(Table::from_iter([("kind".to_owned(), kind)])));
        }
        (Some(Value::Table(old)), Value::Table(new)) => {
            if changes_kind(key, old, &new) {
                old.clear();
            }
            merge(old, &new);
        }
        (_, value) => {
            table.insert(key.to_owned(), value);
        }
    }
}

/// Merges `overrides` into `base`. Where both have a value, the value of `overrides` wins.
pub fn merge(base: &mut Table, overrides: &Table) {
    for (key, value) in overrides {
        match (base.get_mut(key), value) {
            (Some(Value::Table(old)), Value::Table(new)) if key == "table" => merge(old, new),
            _ => insert(base, key, value.clone()),
        }
    }
}

/// Whether `new` selects another kind of table or policy than `old`, to which the old parameters do
/// not apply. The parameters of a policy without a kind wait for their kind.
fn changes_kind(key: &str, old: &Table, new: &Table) -> bool {
    let bounded = Value::from("bounded");
    let old_kind = old.get("kind").or((key == "table").then_some(&bounded));
    ["table", "policy"].contains(&key) && new.get("kind").zip(old_kind).is_some_and(|(new, old)| new != old)
}

/// The single values that a setting consists of, each with its path. However an option is written,
/// it has one path: `table = "none"` sets `table.kind`, and `subject.options = { Hash = 1 }` sets
/// `uci.hash`, because a UCI option is the same in every case.
pub fn values<'v>(path: &str, value: &'v Value) -> Vec<(String, &'v Value)> {
    let path = path.strip_prefix("subject.options.").map_or_else(|| path.to_owned(), |name| format!("uci.{name}"));
    match (path.as_str(), value) {
        (_, Value::Table(table)) => {
            table.iter().flat_map(|(key, inner)| values(&join_path(&path, key), inner)).collect()
        }
        ("table" | "table.policy", Value::String(_)) => vec![(format!("{path}.kind"), value)],
        ("subject", _) => vec![("subject.uci".to_owned(), value)],
        _ if path.starts_with("uci.") => vec![(path.to_ascii_lowercase(), value)],
        _ => vec![(path, value)],
    }
}

/// The items of a list are joined with spaces. If a table has the kind `none`, only the kind is
/// returned, because the other options of the table have no effect.
pub fn flatten(value: &serde_json::Value) -> Vec<(String, String)> {
    let mut leaves = Vec::new();
    collect_leaves("", value, true, &mut leaves);
    leaves
}

/// A list is a leaf.
pub fn leaves(value: &serde_json::Value) -> Vec<(String, String)> {
    let mut leaves = Vec::new();
    collect_leaves("", value, false, &mut leaves);
    leaves
}

fn collect_leaves(path: &str, value: &serde_json::Value, as_columns: bool, leaves: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::Object(map) => {
            // The kind `none` has no parameters.
            let is_none = as_columns && map.get("kind").is_some_and(|kind| kind == "none");
            for (key, inner) in map.iter().filter(|(key, _)| !is_none || *key == "kind") {
                collect_leaves(&join_path(path, key), inner, as_columns, leaves);
            }
        }
        serde_json::Value::Array(items) if as_columns => {
            leaves.push((path.to_owned(), items.iter().map(format_leaf).collect::<Vec<_>>().join(" ")));
        }
        leaf => leaves.push((path.to_owned(), format_leaf(leaf))),
    }
}

fn format_leaf(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Formats a TOML value for the name of a variant, as in `1 MiB` or `aged-depth factor=4`.
pub fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(format_value).collect::<Vec<_>>().join(" "),
        Value::Table(table) => {
            let kind = table.get("kind").map(format_value);
            let others = table.iter().filter(|(key, _)| *key != "kind");
            let parameters = others.map(|(key, value)| format!("{key}={}", format_value(value)));
            kind.into_iter().chain(parameters).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_has_its_prefixes_as_ancestors() {
        assert_eq!(with_ancestors("a.b.c").collect::<Vec<_>>(), ["a.b.c", "a.b", "a"]);
        assert_eq!(with_ancestors("a").collect::<Vec<_>>(), ["a"]);
    }

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn word_sets_the_kind_of_a_table() {
        let mut options = table("table = 'unbounded'\n");
        set(&mut options, "table.clear", Value::from("search")).unwrap();
        assert_eq!(options, table("table = { kind = 'unbounded', clear = 'search' }"));
        assert_eq!(set(&mut options, "table.size.kib", Value::from(1)), Ok(()));
        assert_eq!(set(&mut options, "leaf_mates", Value::from(true)), Ok(()));
        assert_eq!(set(&mut options, "leaf_mates.deep", Value::from(1)), Err("leaf_mates".to_owned()));
        set(&mut options, "table", Value::from("none")).unwrap();
        assert_eq!(options["table"]["kind"].as_str(), Some("none"));
        assert_eq!(options["table"]["clear"].as_str(), Some("search"));
    }

    #[test]
    fn table_of_the_same_kind_is_merged() {
        let mut options = table("table = { size = 4, slots = 2, policy = { kind = 'aged-depth', factor = 4 } }");
        set(&mut options, "table", Value::Table(table("size = 8"))).unwrap();
        assert_eq!(options, table("table = { size = 8, slots = 2, policy = { kind = 'aged-depth', factor = 4 } }"));
        set(&mut options, "table", Value::Table(table("policy.factor = 2"))).unwrap();
        assert_eq!(options, table("table = { size = 8, slots = 2, policy = { kind = 'aged-depth', factor = 2 } }"));
        set(&mut options, "table", Value::Table(table("policy = { kind = 'aged-depth' }"))).unwrap();
        assert_eq!(options, table("table = { size = 8, slots = 2, policy = { kind = 'aged-depth', factor = 2 } }"));
        set(&mut options, "table", Value::Table(table("kind = 'bounded'"))).unwrap();
        assert_eq!(options["table"]["size"].as_integer(), Some(8));
        set(&mut options, "table", Value::Table(table("kind = 'unbounded'"))).unwrap();
        assert_eq!(options, table("table = { kind = 'unbounded' }"));
    }

    #[test]
    fn new_policy_drops_old_parameters() {
        let mut options = table("table.policy = { kind = 'aged-depth', factor = 4 }");
        set(&mut options, "table.policy.kind", Value::from("always")).unwrap();
        assert_eq!(options, table("table.policy.kind = 'always'"));
        // A parameter without a kind waits for its kind, and a word is a kind.
        let mut waiting = table("table.policy.factor = 7");
        set(&mut waiting, "table.policy", Value::from("aged-depth")).unwrap();
        assert_eq!(waiting, table("table.policy = { kind = 'aged-depth', factor = 7 }"));
        // Naming the same kind again is not a change of kind: the parameters stay.
        let mut same = table("table.policy = { kind = 'aged-depth', factor = 7 }");
        set(&mut same, "table.policy.kind", Value::from("aged-depth")).unwrap();
        assert_eq!(same, table("table.policy = { kind = 'aged-depth', factor = 7 }"));
        let mut base = table("table = { size = 4, policy = { kind = 'aged-depth', factor = 4 } }");
        merge(&mut base, &table("table.policy = { kind = 'depth-age' }"));
        assert_eq!(base, table("table = { size = 4, policy = { kind = 'depth-age' } }"));
        merge(&mut base, &table("table.policy.factor = 2"));
        assert_eq!(base, table("table = { size = 4, policy = { kind = 'depth-age', factor = 2 } }"));
        // Merging the same kind keeps the parameters.
        merge(&mut base, &table("table.policy = { kind = 'depth-age', refuse = true }"));
        assert_eq!(base, table("table = { size = 4, policy = { kind = 'depth-age', factor = 2, refuse = true } }"));
    }

    #[test]
    fn table_of_kind_none_has_no_other_columns() {
        let leaves =
            flatten(&serde_json::json!({ "a": 1, "table": { "kind": "none", "size": "1 MiB" }, "b": ["x", "y"] }));
        let expected = [("a", "1"), ("table.kind", "none"), ("b", "x y")];
        assert_eq!(leaves, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    }
}
