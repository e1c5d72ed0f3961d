//! Stores the options of many variants compactly. Values that all variants share are written only
//! once.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Divides the options of variants into the values that all variants share and the remaining
/// options of each variant. In the tree of shared values, each value that differs between variants
/// is null, so that the order of the keys is kept.
pub(super) fn divide(options: &BTreeMap<String, Value>) -> (Value, BTreeMap<String, Value>) {
    let values: Vec<&Value> = options.values().collect();
    let shared = shared_part(&values);
    let remaining = options.iter().map(|(variant, value)| (variant.clone(), without_shared(value, &shared))).collect();
    (shared, remaining)
}

/// Adds the values that all variants share to the options of each variant. This is the inverse of
/// [`divide`].
pub(super) fn join(shared: &Value, options: &mut BTreeMap<String, Value>) {
    options.values_mut().for_each(|value| *value = with_shared(value.take(), shared));
}

/// Each part that differs is replaced by null.
fn shared_part(values: &[&Value]) -> Value {
    let Some((first, others)) = values.split_first() else { return Value::Null };
    if others.iter().all(|value| value == first) {
        return (*first).clone();
    }
    // Values that are not maps have no parts to share.
    let maps: Option<Vec<&Map<String, Value>>> = values.iter().map(|value| value.as_object()).collect();
    let Some(maps) = maps else { return Value::Null };
    let shared_field = |key: &String| {
        let fields: Option<Vec<&Value>> = maps.iter().map(|map| map.get(key)).collect();
        fields.map_or(Value::Null, |fields| shared_part(&fields))
    };
    maps[0].keys().map(|key| (key.clone(), shared_field(key))).collect::<Map<_, _>>().into()
}

fn without_shared(value: &Value, shared: &Value) -> Value {
    let (Value::Object(fields), Value::Object(shared)) = (value, shared) else { return value.clone() };
    let mut remaining_fields = Map::new();
    // A null in `shared` stands for a part that is not shared.
    for (key, field) in fields {
        let remaining_field = match shared.get(key) {
            Some(shared_field) if shared_field == field && !shared_field.is_null() => continue,
            Some(shared_field) => without_shared(field, shared_field),
            None => field.clone(),
        };
        remaining_fields.insert(key.clone(), remaining_field);
    }
    Value::Object(remaining_fields)
}

/// The keys are in the order of the keys in `shared`.
fn with_shared(value: Value, shared: &Value) -> Value {
    let (mut fields, shared) = match (value, shared) {
        (Value::Object(fields), Value::Object(shared)) => (fields, shared),
        (value, _) => return value,
    };
    let mut joined_fields = Map::new();
    for (key, shared_field) in shared {
        let joined_field = match fields.shift_remove(key) {
            Some(field) => with_shared(field, shared_field),
            None if shared_field.is_null() => continue,
            None => shared_field.clone(),
        };
        joined_fields.insert(key.clone(), joined_field);
    }
    joined_fields.extend(fields);
    Value::Object(joined_fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn name_variants(values: &[Value]) -> BTreeMap<String, Value> {
        values.iter().enumerate().map(|(index, value)| (format!("variant {index}"), value.clone())).collect()
    }

    #[test]
    fn divided_options_join_to_the_original() {
        let policies = name_variants(&[
            json!({ "depth": 8, "table": { "slots": 1, "policy": { "kind": "always" } }, "list": [1] }),
            json!({ "depth": 8, "table": { "slots": 2, "policy": { "kind": "aged-depth", "factor": 2 } }, "list": [] }),
            json!({ "depth": 8, "table": { "slots": 2, "policy": { "kind": "always" } }, "list": [1], "more": {} }),
        ]);
        let (shared, remaining) = divide(&policies);
        let expected = json!({ "depth": 8, "table": { "slots": null, "policy": { "kind": null } }, "list": null });
        assert_eq!(shared, expected);
        assert_eq!(remaining["variant 0"], json!({ "table": policies["variant 0"]["table"], "list": [1] }));
        let nested = name_variants(&[json!({ "a": { "x": 1, "y": {} } }), json!({ "a": { "x": 1 } })]);
        assert_eq!(divide(&nested).0, json!({ "a": { "x": 1, "y": null } }));
        let cases = [
            policies,
            nested,
            name_variants(&[]),
            name_variants(&[json!({ "a": 1 })]),
            name_variants(&[json!({ "a": 1 }), json!({ "a": 1 })]),
            name_variants(&[json!({ "a": { "b": 1 } }), json!({ "a": {} })]),
            name_variants(&[json!({ "a": { "b": 1 } }), json!({ "a": 3 })]),
            name_variants(&[json!({}), json!({ "a": 3 })]),
            name_variants(&[json!(null), json!({ "a": 3 })]),
            name_variants(&[json!({ "a": null, "b": 1 }), json!({ "a": null, "b": 2 })]),
            name_variants(&[json!({ "a": { "b": null } }), json!({ "a": { "b": null } })]),
        ];
        for options in cases {
            let (shared, mut remaining) = divide(&options);
            join(&shared, &mut remaining);
            assert_eq!(remaining, options);
            // The keys are in the original order.
            let keys = |options: &BTreeMap<String, Value>| options.values().next().map(ToString::to_string);
            assert_eq!(keys(&remaining), keys(&options));
        }
    }
}
