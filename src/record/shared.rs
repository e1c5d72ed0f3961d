//! Options of many variants in little room: what all of them have alike stands once.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What all variants have alike, and what each has beside it.
pub(super) fn divide(options: &BTreeMap<String, Value>) -> (Value, BTreeMap<String, Value>) {
    let all: Vec<&Value> = options.values().collect();
    let shared = alike(&all).unwrap_or(Value::Null);
    let own = options.iter().map(|(variant, value)| (variant.clone(), without(value, &shared)));
    let own = own.collect();
    (shared, own)
}

/// Puts back what all variants have alike.
pub(super) fn join(shared: &Value, options: &mut BTreeMap<String, Value>) {
    options.values_mut().for_each(|value| add(value, shared));
}

fn alike(values: &[&Value]) -> Option<Value> {
    let (first, others) = values.split_first()?;
    if others.iter().all(|value| value == first) {
        return Some((*first).clone());
    }
    let maps: Vec<&Map<String, Value>> = values.iter().filter_map(|value| value.as_object()).collect();
    let (first, _) = maps.split_first().filter(|_| maps.len() == values.len())?;
    let of_key = |key: &String| {
        let fields: Vec<&Value> = maps.iter().filter_map(|map| map.get(key)).collect();
        if fields.len() == maps.len() { alike(&fields) } else { None }
    };
    let shared: Map<String, Value> = first.keys().filter_map(|key| Some((key.clone(), of_key(key)?))).collect();
    (!shared.is_empty()).then_some(Value::Object(shared))
}

fn without(value: &Value, shared: &Value) -> Value {
    let (Value::Object(fields), Value::Object(shared)) = (value, shared) else { return value.clone() };
    let mut own = Map::new();
    for (key, field) in fields {
        match shared.get(key) {
            Some(alike) if alike == field => {}
            Some(alike) => drop(own.insert(key.clone(), without(field, alike))),
            None => drop(own.insert(key.clone(), field.clone())),
        }
    }
    Value::Object(own)
}

fn add(value: &mut Value, shared: &Value) {
    let (Value::Object(fields), Value::Object(shared)) = (value, shared) else { return };
    for (key, alike) in shared {
        match fields.get_mut(key) {
            Some(field) => add(field, alike),
            None => drop(fields.insert(key.clone(), alike.clone())),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(values: &[Value]) -> BTreeMap<String, Value> {
        values.iter().enumerate().map(|(at, value)| (format!("variant {at}"), value.clone())).collect()
    }

    #[test]
    fn what_is_divided_is_joined_again() {
        let policies = of(&[
            json!({ "depth": 8, "table": { "slots": 1, "policy": { "kind": "always" } }, "list": [1] }),
            json!({ "depth": 8, "table": { "slots": 2, "policy": { "kind": "aged-depth", "factor": 2 } }, "list": [] }),
            json!({ "depth": 8, "table": { "slots": 2, "policy": { "kind": "always" } }, "list": [1], "more": {} }),
        ]);
        let (shared, own) = divide(&policies);
        assert_eq!(shared, json!({ "depth": 8 }));
        assert_eq!(own["variant 0"], json!({ "table": policies["variant 0"]["table"], "list": [1] }));
        let nested = of(&[json!({ "a": { "x": 1, "y": {} } }), json!({ "a": { "x": 1 } })]);
        assert_eq!(divide(&nested).0, json!({ "a": { "x": 1 } }));
        let cases = [
            policies,
            nested,
            of(&[]),
            of(&[json!({ "a": 1 })]),
            of(&[json!({ "a": 1 }), json!({ "a": 1 })]),
            of(&[json!({ "a": { "b": 1 } }), json!({ "a": {} })]),
            of(&[json!({ "a": { "b": 1 } }), json!({ "a": 3 })]),
            of(&[json!({}), json!({ "a": 3 })]),
            of(&[json!(null), json!({ "a": 3 })]),
        ];
        for options in cases {
            let (shared, mut own) = divide(&options);
            join(&shared, &mut own);
            assert_eq!(own, options);
        }
    }
}
