//! Stores the options of many variants compactly: values that all variants share are written once.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Returns the tree of the values that all variants share, with null in the place of other values
/// to keep the order, and the remaining options of each variant.
pub(super) fn divide(options: &BTreeMap<String, Value>) -> (Value, BTreeMap<String, Value>) {
    let all: Vec<&Value> = options.values().collect();
    let shared = alike(&all);
    let own = options.iter().map(|(variant, value)| (variant.clone(), without(value, &shared)));
    let own = own.collect();
    (shared, own)
}

/// Restores the values that all variants share.
pub(super) fn join(shared: &Value, options: &mut BTreeMap<String, Value>) {
    options.values_mut().for_each(|value| *value = add(value.take(), shared));
}

fn alike(values: &[&Value]) -> Value {
    let Some((first, others)) = values.split_first() else { return Value::Null };
    if others.iter().all(|value| value == first) {
        return (*first).clone();
    }
    let maps: Vec<&Map<String, Value>> = values.iter().filter_map(|value| value.as_object()).collect();
    let Some(first) = maps.first().filter(|_| maps.len() == values.len()) else { return Value::Null };
    let of_key = |key: &String| {
        let fields: Vec<&Value> = maps.iter().filter_map(|map| map.get(key)).collect();
        if fields.len() == maps.len() { alike(&fields) } else { Value::Null }
    };
    first.keys().map(|key| (key.clone(), of_key(key))).collect::<Map<_, _>>().into()
}

fn without(value: &Value, shared: &Value) -> Value {
    let (Value::Object(fields), Value::Object(shared)) = (value, shared) else { return value.clone() };
    let mut own = Map::new();
    for (key, field) in fields {
        match shared.get(key) {
            Some(alike) if alike == field && !alike.is_null() => {}
            Some(alike) => drop(own.insert(key.clone(), without(field, alike))),
            None => drop(own.insert(key.clone(), field.clone())),
        }
    }
    Value::Object(own)
}

fn add(value: Value, shared: &Value) -> Value {
    let (mut fields, shared) = match (value, shared) {
        (Value::Object(fields), Value::Object(shared)) => (fields, shared),
        (value, _) => return value,
    };
    let mut all = Map::new();
    for (key, alike) in shared {
        match fields.shift_remove(key) {
            Some(field) => drop(all.insert(key.clone(), add(field, alike))),
            None if alike.is_null() => {}
            None => drop(all.insert(key.clone(), alike.clone())),
        }
    }
    all.extend(fields);
    Value::Object(all)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn name_variants(values: &[Value]) -> BTreeMap<String, Value> {
        values.iter().enumerate().map(|(index, value)| (format!("variant {index}"), value.clone())).collect()
    }

    #[test]
    fn split_rows_join_to_the_original() {
        let policies = name_variants(&[
            json!({ "depth": 8, "table": { "slots": 1, "policy": { "kind": "always" } }, "list": [1] }),
            json!({ "depth": 8, "table": { "slots": 2, "policy": { "kind": "aged-depth", "factor": 2 } }, "list": [] }),
            json!({ "depth": 8, "table": { "slots": 2, "policy": { "kind": "always" } }, "list": [1], "more": {} }),
        ]);
        let (shared, own) = divide(&policies);
        let alike = json!({ "depth": 8, "table": { "slots": null, "policy": { "kind": null } }, "list": null });
        assert_eq!(shared, alike);
        assert_eq!(own["variant 0"], json!({ "table": policies["variant 0"]["table"], "list": [1] }));
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
            let (shared, mut own) = divide(&options);
            join(&shared, &mut own);
            assert_eq!(own, options);
            // The keys are in the original order.
            let keys = |options: &BTreeMap<String, Value>| options.values().next().map(ToString::to_string);
            assert_eq!(keys(&own), keys(&options));
        }
    }
}
