//! Options as users write them: dotted paths with values. A design or a layout implies further
//! options, and an error names the path and the nearest valid name.

pub mod fault;
pub mod paths;

use crate::decode::{from_table, join_path};
use crate::engine::EngineOptions;
use crate::table::policy::Policy;
use crate::table::shape::Shape;
use crate::table::{Design, TableOptions};
use fault::{OptionFault, list_quoted, nearest};
use std::collections::BTreeSet;
use toml::{Table, Value};

/// Reads a value of `table.layout`. If the value describes the shape of a bucket, returns the other
/// options of `table` that this shape determines. Otherwise returns `None`.
fn read_layout(value: &Value) -> Result<Option<Table>, OptionFault> {
    let shape = match value {
        Value::Table(shape) => Some(from_table::<Shape>(shape.clone()).map_err(|error| {
            let path = join_path("table.layout", &error.path);
            OptionFault::from_serde(path.trim_end_matches('.'), &error.message)
        })?),
        Value::String(text) if text.starts_with('{') => {
            Some(Shape::from_text(text).map_err(|problem| OptionFault::from_serde("table.layout", &problem))?)
        }
        Value::String(name) => Shape::from_name(name),
        _ => None,
    };
    Ok(shape.map(|shape| shape.text().parse().unwrap_or_default()))
}

/// Merges options. `engine` overrides the preset, and `settings`, which are paths with values,
/// override both in their order.
///
/// # Errors
/// When a path continues below a single value, when a layout cannot be read, or when a setting has
/// no effect.
pub fn merge(preset: &Table, engine: &Table, settings: &[(&str, &Value)]) -> Result<Table, OptionFault> {
    // `implied` are the options that follow from a design or a layout. They override the preset.
    let merge = |implied: &Table| -> Result<Table, OptionFault> {
        let mut table = preset.clone();
        paths::merge(&mut table, implied);
        paths::merge(&mut table, engine);
        table.remove("preset");
        for (path, value) in settings {
            paths::set(&mut table, path, (*value).clone()).map_err(|part| OptionFault::not_a_table(path, &part))?;
        }
        Ok(table)
    };
    let mut table = merge(&Table::new())?;
    // A design overrides the preset, a layout that sets several options overrides the design, and
    // options that are set individually override both.
    let design = table.get("table").and_then(|table| table.get("design")?.as_str()).and_then(Design::from_name);
    let layout = table.get("table").and_then(|table| table.get("layout")).map(read_layout).transpose()?.flatten();
    if design.is_some() || layout.is_some() {
        let mut implied = design.map_or("", Design::toml).parse::<Table>().unwrap_or_default();
        // The bucket of a design is used only if no part of the bucket is set individually.
        let is_set_individually = |key: &str| {
            let path = format!("table.{key}");
            let has_key = |table: &Value| table.get(key).is_some();
            engine.get("table").is_some_and(has_key)
                || settings.iter().any(|(set_path, value)| *set_path == path || *set_path == "table" && has_key(value))
        };
        if ["slots", "key_bits", "bucket_bytes"].into_iter().any(is_set_individually) {
            implied.remove("layout");
            implied.remove("bucket_bytes");
        }
        implied.extend(layout.unwrap_or_default());
        table = merge(&Table::from_iter([("table".to_owned(), Value::Table(implied))]))?;
    }
    refuse_dropped_parameters(engine, settings, &table)?;
    Ok(table)
}

/// Decodes and checks merged options.
///
/// # Errors
/// The first unknown key, value that cannot be decoded, or conflict.
pub fn decode(table: Table) -> Result<EngineOptions, OptionFault> {
    let options: EngineOptions = from_table(table).map_err(|error| {
        let fault = OptionFault::from_serde(&error.path, &error.message);
        let layouts_help = || format!("or {}, or a table that describes a bucket", list_quoted(Shape::names()));
        let help = fault.help.or_else(|| (error.path == "table.layout").then(layouts_help));
        OptionFault { help, ..fault }
    })?;
    options.check()?;
    options.table.check()?;
    Ok(options)
}

/// Reads the options of a table from a text of settings that are separated by semicolons or line
/// breaks, as in `table.size = 4 MiB; table.policy = always`. A later setting overrides an earlier
/// one.
///
/// # Errors
/// The first setting that is not of this form, unknown path, wrong value, or conflict.
pub fn table_options(text: &str) -> Result<TableOptions, OptionFault> {
    let texts = text.split([';', '\n']).filter(|setting| !setting.trim().is_empty());
    let settings = texts.map(split_setting).collect::<Result<Vec<_>, _>>()?;
    let settings: Vec<_> = settings.iter().map(|(path, value)| (*path, value)).collect();
    let valid_paths = table_paths();
    if let Some((path, _)) = settings.iter().find(|(path, _)| !valid_paths.contains(*path)) {
        let fault = OptionFault::new(path, format!("there is no option `{path}` of a table"));
        return Err(OptionFault { help: nearest(path, valid_paths.iter().map(String::as_str)), ..fault });
    }
    Ok(decode(merge(&Table::new(), &Table::new(), &settings)?)?.table)
}

/// Splits a setting such as `table.size = 4 MiB` into its path and its value.
///
/// # Errors
/// If there is no `=`.
pub fn split_setting(text: &str) -> Result<(&str, Value), OptionFault> {
    let (path, value) = text.split_once('=').ok_or_else(|| {
        OptionFault::new(text.trim(), "expected path=value; path=value, as in table.size = 4 MiB; table.slots = 4")
    })?;
    let value = paths::parse_value(value);
    if has_list(&value) {
        return Err(OptionFault::new(path.trim(), "expected a single value, found a list"));
    }
    Ok((path.trim(), value))
}

/// Serde would read the items of a list as the values of a table in order.
fn has_list(value: &Value) -> bool {
    value.is_array() || value.as_table().is_some_and(|table| table.values().any(has_list))
}

/// The dotted paths of all options of a table, and of the tables that contain them.
pub fn table_paths() -> BTreeSet<String> {
    let leaves = |path: &str, value: serde_json::Value| {
        paths::leaves(&value).into_iter().map(move |(key, _)| join_path(path, &key)).collect::<Vec<_>>()
    };
    let mut all = leaves("table", serde_json::to_value(TableOptions::default()).unwrap_or_default());
    for policy in Policy::NAMES.iter().copied().filter_map(Policy::from_name) {
        all.extend(leaves("table.policy", serde_json::to_value(policy).unwrap_or_default()));
    }
    all.extend(crate::table::policy::external::parameters().iter().map(|name| format!("table.policy.{name}")));
    all.iter().flat_map(|path| paths::with_ancestors(path)).map(str::to_owned).collect()
}

/// Refuses a parameter of a policy that a later setting of another policy drops. `table` is the
/// result of all settings. The parameters that `[engine]` gives together with their policy belong
/// to that policy, so a variant with another policy does not drop them by mistake.
fn refuse_dropped_parameters(engine: &Table, settings: &[(&str, &Value)], table: &Table) -> Result<(), OptionFault> {
    let mut all: Vec<_> = engine.iter().flat_map(|(key, value)| paths::values(key, value)).collect();
    if all.iter().any(|(path, _)| path == "table.policy.kind") {
        all.clear();
    }
    all.extend(settings.iter().flat_map(|(path, value)| paths::values(path, value)));
    let policy = table.get("table").and_then(|table| table.get("policy"));
    for (index, (path, value)) in all.iter().enumerate() {
        let Some(parameter) = path.strip_prefix("table.policy.") else { continue };
        // The same path replaces the value, and a table of another kind is a new one.
        let replaces = |(later, _): &(String, _)| later == path || later == "table.kind";
        let is_kept = parameter == "kind" || policy.and_then(|policy| policy.get(parameter)) == Some(*value);
        if !is_kept && !all[index + 1..].iter().any(replaces) {
            return Err(OptionFault::no_effect(path, value, "a later setting selects another policy"));
        }
    }
    Ok(())
}
