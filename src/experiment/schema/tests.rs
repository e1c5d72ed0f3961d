use super::*;
use crate::experiment::file::File;
use crate::experiment::paths::flatten;

/// A type of the kernel, whose schema is the kernel's own.
pub fn kernel_type<const LIMIT: bool>(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "$ref": if LIMIT { "#/$defs/Limit" } else { "#/$defs/OnError" } })
}

/// After a change of the types, `TTLAB_BLESS=1 cargo test --lib types_json` rewrites the file.
#[test]
fn types_json_equals_the_option_types() {
    let schema = schemars::schema_for!(File).to_value();
    if std::env::var_os("TTLAB_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/experiment/types.json"), text).unwrap();
    } else {
        let written: Value = serde_json::from_str(include_str!("../types.json")).unwrap();
        assert!(schema == written, "the types of options have changed: TTLAB_BLESS=1 cargo test --lib types_json");
    }
}

#[test]
fn every_default_option_has_a_page_with_a_meaning() {
    let pages = option_pages();
    for (path, _) in flatten(&serde_json::to_value(EngineOptions::default()).unwrap()) {
        let page = pages.iter().find(|page| page.path == path);
        assert!(page.is_some_and(|page| !page.meaning.is_empty()), "{path} has no documentation");
    }
    let factor = pages.iter().find(|page| page.meaning.starts_with("Of `aged-depth`")).unwrap();
    assert_eq!((factor.path.as_str(), factor.default.as_str()), ("table.policy.factor", "4"));
}

/// A list in place of a single value is reported with its path, in which items have their
/// index. Lists that are allowed are not reported.
#[test]
fn misplaced_list_is_found_by_its_path() {
    for (text, path) in [
        ("[engine]\nordering = ['x', 'y']\ntable.policy = 'always'", ""),
        ("[engine]\nordering = ['x', ['y']]", "engine.ordering.1"),
        ("[engine.table]\npolicy = { kind = 'aged-depth', factor = [4] }", "engine.table.policy.factor"),
        ("[subject]\nuci = ['x', '-u']", ""),
        ("[subject]\nuci = ['x', ['-u']]", "subject.uci.1"),
        ("[grid]\n'table.slots' = [1, 2]\nordering = [['x'], ['y']]\n'table' = ['none']", ""),
        ("[grid]\n'table.slots' = [1, 2, [3]]", "grid.table.slots.2"),
        ("[grid]\n'table' = ['bounded', ['none']]", "grid.table.1"),
        ("[[variant]]\nname = 'a'\n[[variant]]\n'table.policy' = ['always']", "variant.1.table.policy"),
        ("[[expect]]\nnodes = { by_depth = [1, 2] }\n[[expect]]\nnodes = [1, 2]", "expect.1.nodes"),
        ("[[expect]]\nwhere = { depth = [3] }", "expect.0.where.depth"),
    ] {
        assert_eq!(misplaced_list(&text.parse().unwrap()).as_deref().unwrap_or_default(), path, "{text}");
    }
}

/// A grid accepts lists of values for single options and for tables with a `kind`, not for
/// other tables.
#[test]
fn grid_schema_has_options_and_tables_with_a_kind() {
    let schema = file_schema();
    for (path, is_allowed) in [
        ("table", true),
        ("table.policy", true),
        ("table.slots", true),
        ("ordering", true),
        ("keys", false),
        ("deepening", false),
    ] {
        let is_in = |place: &str| schema.pointer(place).and_then(|place| place.get(path)).is_some();
        assert_eq!(is_in("/properties/grid/properties"), is_allowed, "{path}");
        assert_eq!(is_in("/properties/variant/items/properties"), is_allowed, "{path}");
    }
}

/// Allowed values are words, or else a range.
#[test]
fn allowed_values_are_words_or_a_range() {
    assert_eq!(allowed_values("draws").as_deref(), Some("true | false"));
    assert_eq!(allowed_values("table.slots").as_deref(), Some("integer 1..=8"));
    assert_eq!(allowed_values("fail").as_deref(), Some("`soft`, `hard`"));
    assert_eq!(allowed_values("no.such"), None);
}

/// The range of each number in the schema is the range that is checked: both ends are allowed, and
/// the numbers beyond them are refused.
#[test]
fn option_out_of_the_range_in_its_schema_is_refused() {
    let is_refused = |path: &str, value: i64| {
        let problem = crate::experiment::options(None, &[format!("{path}={value}")]).err();
        problem.is_some_and(|problem| problem.message.starts_with(&format!("{path}: ")))
    };
    let ranges = option_pages().iter().filter_map(|page| {
        let (least, most) = page.values.strip_prefix("integer ")?.split_once("..=")?;
        Some((page.path.as_str(), least.parse::<i64>().ok()?, most.parse::<i64>().ok()?))
    });
    let mut count = 0;
    for (path, least, most) in ranges.filter(|(path, ..)| !path.starts_with("table.policy.")) {
        let refused = [least - 1, least, most, most + 1].map(|value| is_refused(path, value));
        assert_eq!(refused, [true, false, false, true], "{path}: {least} to {most}");
        count += 1;
    }
    assert!(count > 20, "{count} options have a range");
}
