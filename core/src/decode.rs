//! Decodes TOML and JSON values into types. TOML is converted to JSON first, so that the
//! deserializer of each type is compiled for only one format.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use toml::{Table, Value};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}{}{message}", if .path.is_empty() { "" } else { ": " })]
pub struct DecodeError {
    /// The value's dotted path, which is empty for the document itself. The path of an item of a
    /// list ends with its index, as in `ordering[1]`.
    pub path: String,
    /// The message of serde, which says what was found and what was expected.
    pub message: String,
}

/// Decodes a JSON value. The error describes the first value that does not fit the type.
pub fn from_json<T: DeserializeOwned>(value: Json) -> Result<T, DecodeError> {
    serde_path_to_error::deserialize(&value).map_err(|error| {
        let (path, message) = (error.path().to_string(), error.inner().to_string());
        // The path `.` means the document itself.
        let path = if path == "." { String::new() } else { path };
        match faulty_key(&value, &path, &message) {
            Some(key) => DecodeError { path: join_path(&path, key), message },
            None => DecodeError { path, message },
        }
    })
}

/// Finds the key of the faulty value in the table at `path`. Returns `None` if another key of the
/// table has the same value.
///
/// If the type of a table depends on one of its keys, serde buffers the table and reports only the
/// path of the table. The key is then found by the value, which is in the message.
fn faulty_key<'a>(value: &'a Json, path: &str, message: &str) -> Option<&'a str> {
    let pointer = path.split('.').map(|key| format!("/{key}")).collect::<String>();
    // The message is, for example, "invalid type: integer `5`, expected a string".
    let faulty_value: Json = message.strip_prefix("invalid ")?.split('`').nth(1)?.parse().ok()?;
    let mut matches = value.pointer(&pointer)?.as_object()?.iter().filter(|(_, value)| **value == faulty_value);
    let (key, _) = matches.next()?;
    matches.next().is_none().then_some(key)
}

/// Decodes a TOML table.
///
/// # Errors
/// As [`from_json`]. Also if the table contains a date, an infinity or NaN, which JSON lacks.
pub fn from_table<T: DeserializeOwned>(table: Table) -> Result<T, DecodeError> {
    from_json(to_json(Value::Table(table), "")?)
}

/// Decodes TOML text (see [`from_table`]).
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    let table = text
        .parse()
        .map_err(|error: toml::de::Error| DecodeError { path: String::new(), message: error.to_string() })?;
    from_table(table)
}

pub fn join_path(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Converts a TOML value to JSON. `path` is the dotted path of the value, for errors.
fn to_json(value: Value, path: &str) -> Result<Json, DecodeError> {
    let error_at = |message: String| DecodeError { path: path.to_owned(), message };
    Ok(match value {
        Value::String(text) => Json::String(text),
        Value::Integer(number) => Json::from(number),
        Value::Float(number) if !number.is_finite() => {
            return Err(error_at(format!("{number} is out of range: expected a finite number")));
        }
        Value::Float(number) => Json::from(number),
        Value::Boolean(flag) => Json::Bool(flag),
        Value::Datetime(date) => return Err(error_at(format!("no option takes a date: found {date}"))),
        Value::Array(items) => {
            let items = items.into_iter().enumerate();
            Json::Array(
                items.map(|(index, item)| to_json(item, &format!("{path}[{index}]"))).collect::<Result<_, _>>()?,
            )
        }
        Value::Table(table) => {
            let fields = table.into_iter().map(|(key, value)| {
                let value = to_json(value, &join_path(path, &key))?;
                Ok((key, value))
            });
            Json::Object(fields.collect::<Result<_, _>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        share: f64,
        items: Vec<u8>,
    }

    /// Errors name the dotted path, with list items by index; values without a JSON form are
    /// refused, not changed.
    #[test]
    fn error_names_the_path_of_the_value() {
        let read = |text: &str| {
            let table = text.parse::<Table>().unwrap();
            from_table::<std::collections::BTreeMap<String, Inner>>(table).map_err(|error| error.to_string())
        };
        let expected = Inner { share: -0.5, items: vec![1, 255] };
        assert_eq!(read("a = { share = -0.5, items = [1, 255] }").unwrap()["a"], expected);
        assert_eq!(read("a = { share = 3, items = [] }").unwrap()["a"].share, 3.0);
        for (text, output) in [
            ("a = { share = 1, items = [1, 256] }", "a.items[1]: invalid value: integer `256`, expected u8"),
            ("a = { share = inf, items = [] }", "a.share: inf is out of range: expected a finite number"),
            ("a = { share = 1, items = [1, nan] }", "a.items[1]: NaN is out of range: expected a finite number"),
            ("a = { share = 2026-01-01, items = [] }", "a.share: no option takes a date: found 2026-01-01"),
            ("a = { share = 1 }", "a: missing field `items`"),
            ("a = { share = 1, itms = [] }", "a.itms: unknown field `itms`, expected `share` or `items`"),
        ] {
            assert_eq!(read(text).unwrap_err(), output);
        }
        // A buffered table names its key, unless two have the same value.
        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(tag = "kind")]
        enum Tagged {
            Aged { factor: u8, other: u16 },
        }
        let tagged = |text: &str| from_toml::<std::collections::BTreeMap<String, Tagged>>(text).unwrap_err().path;
        assert_eq!(tagged("a = { kind = 'Aged', factor = 256, other = 1 }"), "a.factor");
        assert_eq!(tagged("a = { kind = 'Aged', factor = 256, other = 256 }"), "a");
        let top = from_json::<Inner>(Json::from("text")).unwrap_err();
        assert_eq!((top.path.as_str(), top.to_string().contains(": invalid")), ("", false), "{top}");
    }
}
