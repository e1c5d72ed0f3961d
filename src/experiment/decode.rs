//! From what a file says to types. Whatever a file is written in, its values are read as JSON's are: each type's reading is compiled
//! for one format, and not for each.

use super::paths::join_path;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use toml::{Table, Value};

/// A value that is not what is expected there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}{}{message}", if .path.is_empty() { "" } else { ": " })]
pub struct DecodeError {
    /// Its dotted path, empty at the top; an item of a list is `ordering[1]`.
    pub path: String,
    /// What was found and what was expected, in serde's words.
    pub message: String,
}

/// A type from a value of JSON.
///
/// # Errors
/// The first that is wrong.
pub fn from_json<T: DeserializeOwned>(value: Json) -> Result<T, DecodeError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        DecodeError { path: if path == "." { String::new() } else { path }, message: error.inner().to_string() }
    })
}

/// The same from a table of TOML.
///
/// # Errors
/// As there; and for what only TOML has: a date, and a number without end or that is none.
pub fn from_table<T: DeserializeOwned>(table: Table) -> Result<T, DecodeError> {
    from_json(to_json(Value::Table(table), "")?)
}

/// The same from its text.
///
/// # Errors
/// As there; and where the text is no TOML.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    let table = text
        .parse()
        .map_err(|error: toml::de::Error| DecodeError { path: String::new(), message: error.to_string() })?;
    from_table(table)
}

fn to_json(value: Value, path: &str) -> Result<Json, DecodeError> {
    let unread = |message: String| DecodeError { path: path.to_owned(), message };
    Ok(match value {
        Value::String(text) => Json::String(text),
        Value::Integer(number) => Json::from(number),
        Value::Float(number) if !number.is_finite() => {
            return Err(unread(format!("{number} is out of range: expected a finite number")));
        }
        Value::Float(number) => Json::from(number),
        Value::Boolean(flag) => Json::Bool(flag),
        Value::Datetime(date) => return Err(unread(format!("a date is no value of any option: found {date}"))),
        Value::Array(items) => {
            let items = items.into_iter().enumerate();
            Json::Array(items.map(|(at, item)| to_json(item, &format!("{path}[{at}]"))).collect::<Result<_, _>>()?)
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        share: f64,
        items: Vec<u8>,
    }

    /// What is wrong is told by its path, items by their number; what JSON has no form for is refused and not changed.
    #[test]
    fn what_is_wrong_is_told_by_its_path() {
        let read = |text: &str| {
            let table = text.parse::<Table>().unwrap();
            from_table::<std::collections::BTreeMap<String, Inner>>(table).map_err(|error| error.to_string())
        };
        let right = Inner { share: -0.5, items: vec![1, 255] };
        assert_eq!(read("a = { share = -0.5, items = [1, 255] }").unwrap()["a"], right);
        assert_eq!(read("a = { share = 3, items = [] }").unwrap()["a"].share, 3.0);
        for (text, output) in [
            ("a = { share = 1, items = [1, 256] }", "a.items[1]: invalid value: integer `256`, expected u8"),
            ("a = { share = inf, items = [] }", "a.share: inf is out of range: expected a finite number"),
            ("a = { share = 1, items = [1, nan] }", "a.items[1]: NaN is out of range: expected a finite number"),
            ("a = { share = 2026-01-01, items = [] }", "a.share: a date is no value of any option: found 2026-01-01"),
            ("a = { share = 1 }", "a: missing field `items`"),
            ("a = { share = 1, itms = [] }", "a.itms: unknown field `itms`, expected `share` or `items`"),
        ] {
            assert_eq!(read(text).unwrap_err(), output);
        }
        let top = from_json::<Inner>(Json::from("text")).unwrap_err();
        assert_eq!((top.path.as_str(), top.to_string().contains(": invalid")), ("", false), "{top}");
    }
}
