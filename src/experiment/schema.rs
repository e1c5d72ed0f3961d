//! Documentation of the option types: the list behind `ttlab options`, and the JSON Schema of the
//! experiment file.

use super::{paths, presets};
use crate::decode::join_path;
use crate::engine::{EngineOptions, TYPES_JSON};
use crate::table::policy::Policy;
use crate::table::shape::Shape;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionPage {
    /// Dotted path: the key in experiment files and the column in results.
    pub path: String,
    pub meaning: String,
    /// The type or range of the option's values, such as `integer 0..=255` or `true | false`.
    pub values: String,
    pub words: Vec<(String, String)>,
    pub default: String,
}

/// The JSON Schema of the types of an experiment file, read from `types.json` and joined with the
/// kernel's. A test compares this file with the types and can rewrite it. Deriving the schema in
/// every build would add a tenth to the build time.
static TYPES: LazyLock<Value> = LazyLock::new(|| {
    let [mut types, mut kernel]: [Value; 2] =
        [include_str!("types.json"), TYPES_JSON].map(|text| serde_json::from_str(text).unwrap_or_default());
    let options = kernel["$defs"].as_object_mut().and_then(|types| types.remove("EngineOptions"));
    for (place, more) in [
        ("/$defs", kernel["$defs"].take()),
        ("/$defs/EngineWithPreset/properties", options.unwrap_or_default()["properties"].take()),
    ] {
        if let (Some(Value::Object(all)), Value::Object(more)) = (types.pointer_mut(place), more) {
            all.extend(more);
        }
    }
    types
});

fn engine_schema() -> &'static Value {
    resolve(&TYPES, &TYPES["properties"]["engine"])
}

/// The schema of the types is extended in three ways. A word may stand in place of a table with
/// that `kind`. Option paths may be the keys of grids and variants. Grids may contain lists of
/// values.
pub fn file_schema() -> Value {
    let mut schema = TYPES.clone();
    let mut option_schemas = Map::new();
    // A table without `kind` is left out, because it is not an option itself.
    visit_options(engine_schema(), "", &mut |path, property, target| {
        if target.get("properties").is_none() || !kind_words(target).is_empty() {
            option_schemas.insert(path.to_owned(), property.clone());
        }
    });
    // Only an option has the short form. An expectation has a `kind` too, but cannot be written as
    // a word.
    let is_option = |name: &str| option_schemas.values().any(|option| option["$ref"] == format!("#/$defs/{name}"));
    if let Some(definitions) = schema.get_mut("$defs").and_then(Value::as_object_mut) {
        for (name, definition) in definitions {
            let words = kind_words(definition);
            if name == "Layout" {
                let (old, names) = (definition.take(), Shape::names().collect::<Vec<_>>());
                *definition = json!({ "anyOf": [old, { "enum": names }, { "type": "object" }] });
            }
            if !words.is_empty() && is_option(name) {
                let old = definition.take();
                *definition = json!({ "anyOf": [old, { "enum": words }] });
            }
        }
    }
    let paths = known_paths();
    // The names of an external engine's options are known only when the engine is started.
    let property_names = |other_names: &[&str]| {
        let names: Vec<&str> = paths.iter().map(String::as_str).chain(other_names.iter().copied()).collect();
        json!({ "anyOf": [{ "enum": names }, { "pattern": "^(subject|uci)($|[.])" }] })
    };
    let list_of = |schema: &Value| json!({ "type": "array", "minItems": 1, "items": schema });
    let list_schemas: Map<String, Value> =
        option_schemas.iter().map(|(path, schema)| (path.clone(), list_of(schema))).collect();
    let mut set_field = |place: &str, key: &str, value: Value| {
        if let Some(Value::Object(fields)) = schema.pointer_mut(place) {
            fields.insert(key.to_owned(), value);
        }
    };
    set_field("/$defs/EngineWithPreset", "additionalProperties", false.into());
    set_field("/$defs/EngineWithPreset/properties/preset", "enum", presets::names().collect());
    for (place, other_names, properties) in [
        ("/properties/grid", &[][..], &list_schemas),
        ("/properties/zip/items", &["name"], &list_schemas),
        ("/properties/variant/items", &["name"], &option_schemas),
        ("/properties/exclude/items", &[], &option_schemas),
    ] {
        set_field(place, "propertyNames", property_names(other_names));
        set_field(place, "properties", properties.clone().into());
    }
    schema
}

/// A file may give the kind as a single word in place of the table.
fn kind_words(definition: &Value) -> Vec<Value> {
    let kinds = definition.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let constants: Vec<Value> = kinds.filter_map(|kind| kind.pointer("/properties/kind/const").cloned()).collect();
    if !constants.is_empty() {
        return constants;
    }
    let Some(kind) = definition.pointer("/properties/kind") else { return Vec::new() };
    enum_words(resolve(&TYPES, kind)).into_iter().map(|(word, _)| word.into()).collect()
}

/// Calls `visit` for each option below a schema node. If an option is a table, the options in the
/// table are visited before it. The arguments of `visit` are the dotted path, the property in the
/// schema and the definition that the property refers to.
fn visit_options<'a>(node: &'a Value, prefix: &str, visit: &mut impl FnMut(&str, &'a Value, &'a Value)) {
    for (name, property) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let path = join_path(prefix, name);
        if path != "preset" {
            let target = resolve(&TYPES, property);
            visit_options(target, &path, visit);
            visit(&path, property, target);
        }
    }
}

/// The dotted paths of all options, including the parameters of all policies.
pub fn option_paths() -> impl Iterator<Item = &'static str> {
    option_pages().iter().map(|page| page.path.as_str())
}

/// The paths of all parameters of policies that weigh the age of an entry.
pub fn age_paths() -> impl Iterator<Item = String> {
    Policy::age_parameters().map(|name| format!("table.policy.{name}"))
}

/// Finds a list in an experiment file where a table or a single value is expected, and returns the
/// path of the list. Without this check, serde would read the items of the list as the values of
/// the table in order.
pub fn misplaced_list(document: &toml::Table) -> Option<String> {
    static SCHEMA: LazyLock<Value> = LazyLock::new(file_schema);
    let root: &Value = &SCHEMA;
    find_stray_list(root, &[root], &serde_json::to_value(document).ok()?, "")
}

/// `root` is the whole schema, and `path` is the path of `value`.
fn find_stray_list<'a>(root: &'a Value, nodes: &[&'a Value], value: &Value, path: &str) -> Option<String> {
    let mut forms = Vec::new();
    nodes.iter().for_each(|node| collect_forms(root, node, &mut forms));
    match value {
        Value::Array(items) => {
            let item_nodes: Vec<&Value> = forms.iter().filter_map(|form| form.get("items")).collect();
            let allows_anything =
                |form: &&Value| form.get("type").is_none() && form.get("enum").is_none() && form.get("const").is_none();
            if item_nodes.is_empty() {
                return (!forms.iter().any(allows_anything)).then(|| path.to_owned());
            }
            items.iter().enumerate().find_map(|(index, item)| {
                find_stray_list(root, &item_nodes, item, &join_path(path, &index.to_string()))
            })
        }
        Value::Object(fields) => fields.iter().find_map(|(key, inner)| {
            let property_in = |form: &&'a Value| {
                let property = form.get("properties").and_then(|properties| properties.get(key));
                property.or_else(|| form.get("additionalProperties").filter(|schema| schema.is_object()))
            };
            let properties: Vec<&Value> = forms.iter().filter_map(property_in).collect();
            if properties.is_empty() { None } else { find_stray_list(root, &properties, inner, &join_path(path, key)) }
        }),
        _ => None,
    }
}

/// Appends the alternative forms that a schema node allows to `forms`. These are the nodes under
/// `anyOf`, `oneOf` and `allOf`. The node itself is added if there are none, or if it has
/// properties of its own.
fn collect_forms<'a>(root: &'a Value, node: &'a Value, forms: &mut Vec<&'a Value>) {
    let node = resolve(root, node);
    let mut parts =
        ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| node.get(*key)?.as_array()).flatten().peekable();
    if parts.peek().is_none() || node.get("properties").is_some() {
        forms.push(node);
    }
    parts.for_each(|part| collect_forms(root, part, forms));
}

/// Describes the allowed values of an option. The description lists the words that the option
/// accepts, or gives the type or the range of its values. Returns `None` if `path` is unknown or is
/// the path of a table.
pub fn allowed_values(path: &str) -> Option<String> {
    let page = option_pages().iter().find(|page| page.path == path)?;
    let words: Vec<&str> = page.words.iter().map(|(word, _)| word.as_str()).collect();
    Some(if words.is_empty() { page.values.clone() } else { super::problem::list_quoted(words) })
}

pub fn is_file_key(key: &str) -> bool {
    TYPES["properties"].get(key).is_some()
}

pub fn option_pages() -> &'static [OptionPage] {
    static PAGES: LazyLock<Vec<OptionPage>> = LazyLock::new(|| {
        let defaults = serde_json::to_value(EngineOptions::default()).unwrap_or_default();
        let mut pages = Vec::new();
        visit_options(engine_schema(), "", &mut |path, property, target| {
            let default = defaults.pointer(&format!("/{}", path.replace('.', "/"))).unwrap_or(&Value::Null);
            let kinds = target.get("oneOf").and_then(Value::as_array).into_iter().flatten();
            let mut kinds = kinds.filter(|kind| kind.pointer("/properties/kind").is_some()).peekable();
            if kinds.peek().is_none() {
                // A table has no page of its own, because each of its options has one.
                let is_table = target.get("properties").is_some();
                if !is_table {
                    pages.push(option_page(path, property, target, default));
                }
                return;
            }
            pages.push(option_page(&format!("{path}.kind"), property, target, &default["kind"]));
            // The parameters of each kind follow.
            for kind in kinds {
                let kind_name = string_field(&kind["properties"]["kind"], "const");
                let kind_defaults = Policy::from_name(&kind_name)
                    .and_then(|policy| serde_json::to_value(policy).ok())
                    .unwrap_or_default();
                visit_options(kind, "", &mut |key, property, target| {
                    if key != "kind" {
                        let page = option_page(&format!("{path}.{key}"), property, target, &kind_defaults[key]);
                        pages.push(OptionPage { meaning: format!("Of `{kind_name}`: {}", page.meaning), ..page });
                    }
                });
            }
        });
        pages
    });
    &PAGES
}

/// Creates the page of an option. `property` is the option's property in the schema, and `target`
/// is the definition that the property refers to.
fn option_page(path: &str, property: &Value, target: &Value, default: &Value) -> OptionPage {
    let meaning =
        [property, target].into_iter().map(|node| string_field(node, "description")).find(|text| !text.is_empty());
    let item = target.get("items").map(|item| resolve(&TYPES, item));
    OptionPage {
        path: path.to_owned(),
        meaning: meaning.unwrap_or_default(),
        values: value_range(target, item.is_some()),
        words: enum_words(item.unwrap_or(target)),
        default: format_default(default),
    }
}

fn resolve<'a>(root: &'a Value, node: &'a Value) -> &'a Value {
    let reference = node.get("$ref").and_then(Value::as_str);
    reference.and_then(|reference| root.pointer(reference.trim_start_matches('#'))).unwrap_or(node)
}

/// A text field of a schema node on one line. The text is empty if there is no such field.
fn string_field(node: &Value, key: &str) -> String {
    node.get(key).and_then(Value::as_str).unwrap_or_default().replace('\n', " ")
}

/// Describes the type and range of a value, as in `integer 0..=255`. `has_item_type` is whether the
/// schema of a list describes the items. The items of such a list are words.
fn value_range(node: &Value, has_item_type: bool) -> String {
    let kind = match node.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        _ if node.get("anyOf").is_some() => "size".to_owned(),
        _ => "word".to_owned(),
    };
    let bound = |key: &str| node.get(key).map(ToString::to_string);
    match (kind.as_str(), bound("minimum"), bound("maximum")) {
        ("boolean", ..) => "true | false".to_owned(),
        ("array", ..) => format!("list of {}", if has_item_type { "words" } else { "values" }),
        ("string", ..) => "word".to_owned(),
        (kind, Some(low), Some(high)) => format!("{kind} {low}..={high}"),
        (kind, Some(low), None) => format!("{kind} from {low}"),
        (kind, ..) => kind.to_owned(),
    }
}

fn enum_words(node: &Value) -> Vec<(String, String)> {
    let one_of = node.get("oneOf").and_then(Value::as_array).into_iter().flatten().map(|variant| {
        let word = variant.get("const").or_else(|| variant.pointer("/properties/kind/const"));
        (word.and_then(Value::as_str).unwrap_or_default().to_owned(), string_field(variant, "description"))
    });
    let plain_words = node.get("enum").and_then(Value::as_array).into_iter().flatten();
    one_of.chain(plain_words.filter_map(Value::as_str).map(|word| (word.to_owned(), String::new()))).collect()
}

/// Formats a default value as TOML. The text is empty if there is no default.
fn format_default(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(items) => format!("[{}]", items.iter().map(format_default).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

pub fn known_paths() -> BTreeSet<String> {
    let mut known: BTreeSet<String> = ["preset", "limit.depth", "limit.nodes", "subject"].map(str::to_owned).into();
    known.extend(["uci", "options", "restart", "timeout", "trust", "doctor"].map(|key| format!("subject.{key}")));
    for path in option_paths() {
        known.extend(paths::with_ancestors(path).map(str::to_owned));
    }
    known.extend(crate::table::policy::external::parameters().iter().map(|name| format!("table.policy.{name}")));
    known
}

#[cfg(test)]
pub(super) mod tests;
