//! Buckets as engines have them, in bytes and bits: what `table.layout` says beside the packings in
//! memory. A shape comes to other options of `table`; what is measured of an entry besides, such as
//! the nodes of its subtree, takes no part in it.

use super::layout::LEAST_BITS;
use serde::{Deserialize, Deserializer, de};

/// A bucket: `{ bucket = "64 bytes", entry = "12 bytes", slots = 5, key_bits = 16 }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Bytes of a bucket, padding included.
    #[serde(deserialize_with = "deserialize_bytes")]
    bucket: u16,
    /// Bytes of an entry.
    #[serde(deserialize_with = "deserialize_bytes")]
    entry: u16,
    slots: u8,
    /// Bits of the key that are compared.
    key_bits: u8,
    /// Bytes of a word that has the keys of all entries, which then have none.
    #[serde(default, deserialize_with = "deserialize_bytes")]
    keys: u16,
    /// Bits of an entry's generation (`table.age_bits`).
    generation: Option<u8>,
    /// Bits of its static evaluation (`table.static_evaluation`).
    #[serde(default)]
    evaluation: u8,
    /// Bits of what else it has: a move of 15, a score of 16, a depth of 8, a bound of 2.
    #[serde(default = "default_rest")]
    rest: u8,
}

const fn default_rest() -> u8 {
    LEAST_BITS as u8
}

/// The usual ones: name, bytes of a bucket and of an entry, entries, key bits, bytes of keys.
const USUAL: [(&str, u16, u16, u8, u8, u16); 9] = [
    ("3x10", 32, 10, 3, 16, 0),
    ("3x8", 32, 8, 3, 16, 8),
    ("5x12", 64, 12, 5, 16, 0),
    ("4x16", 64, 16, 4, 32, 0),
    ("2x16", 32, 16, 2, 32, 0),
    ("1x8", 8, 8, 1, 16, 0),
    ("1x10", 10, 10, 1, 16, 0),
    ("1x12", 12, 12, 1, 32, 0),
    ("1x16", 16, 16, 1, 64, 0),
];

impl Shape {
    /// The names of the usual ones.
    pub fn names() -> impl Iterator<Item = &'static str> {
        USUAL.iter().map(|row| row.0)
    }

    /// A usual one by its name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let &(_, bucket, entry, slots, key_bits, keys) = USUAL.iter().find(|row| row.0 == name)?;
        Some(Self { bucket, entry, slots, key_bits, keys, generation: None, evaluation: 0, rest: default_rest() })
    }

    /// Checks that the bits of an entry and the bytes of a bucket add up.
    ///
    /// # Errors
    /// The sum, and what there is.
    pub fn check(&self) -> Result<(), String> {
        let &Self { bucket, entry, slots, key_bits, keys, generation, evaluation, rest } = self;
        let whole = |part: u8| u32::from(part);
        let own_key = if keys == 0 { whole(key_bits) } else { 0 };
        let sum = own_key + whole(generation.unwrap_or(0)) + whole(evaluation) + whole(rest);
        if sum > 8 * u32::from(entry) {
            return Err(format!(
                "key {own_key} + generation {} + evaluation {evaluation} + rest {rest} = {sum} bits, and an entry of \
                 {entry} bytes has {}",
                generation.unwrap_or(0),
                8 * entry
            ));
        }
        if keys > 0 && u32::from(slots) * whole(key_bits) > 8 * u32::from(keys) {
            let sum = u32::from(slots) * whole(key_bits);
            return Err(format!("{slots} keys of {key_bits} bits = {sum} bits, and {keys} bytes have {}", 8 * keys));
        }
        let sum = u32::from(slots) * u32::from(entry) + u32::from(keys);
        if sum > u32::from(bucket) {
            return Err(format!(
                "{slots} entries of {entry} bytes + keys {keys} = {sum} bytes, and a bucket has {bucket}"
            ));
        }
        Ok(())
    }

    /// The options of `table` that it comes to, as TOML.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { bucket, slots, key_bits, .. } = *self;
        let packed = (bucket, slots) == (32, 3) && key_bits <= 16;
        let (layout, bucket) = if packed { ("bytes10", 0) } else { ("bytes16", bucket) };
        let mut text =
            format!("layout = \"{layout}\"\nslots = {slots}\nkey_bits = {key_bits}\nbucket_bytes = {bucket}\n");
        if let Some(bits) = self.generation {
            text += &format!("age_bits = {bits}\n");
        }
        if self.evaluation > 0 {
            text += "static_evaluation = true\n";
        }
        text
    }
}

/// Bytes as a number, or as `"32 bytes"`.
fn deserialize_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Bytes {
        Number(u16),
        Text(String),
    }
    let number = match Bytes::deserialize(deserializer)? {
        Bytes::Number(number) => Some(number),
        Bytes::Text(text) => text.strip_suffix("bytes").and_then(|number| number.trim_end().parse().ok()),
    };
    let number = number.filter(|bytes| *bytes <= 512);
    number.ok_or_else(|| de::Error::custom("expected bytes up to 512: \"32 bytes\" or 32"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::decode::from_toml;
    use crate::table::layout::bucket_bytes;
    use crate::table::{Size, TableOptions, entries};

    #[test]
    fn usual_layout_has_its_buckets() {
        for name in Shape::names() {
            let shape = Shape::from_name(name).unwrap();
            shape.check().unwrap_or_else(|problem| panic!("{name}: {problem}"));
            let options: TableOptions = from_toml(&shape.text()).unwrap();
            let options = TableOptions { size: Size::Bytes(7 * u64::from(shape.bucket)), ..options };
            options.check().unwrap_or_else(|problem| panic!("{name}: {problem}"));
            assert_eq!(bucket_bytes(&options), u64::from(shape.bucket), "{name}");
            assert_eq!(entries(&options, None), Some(7 * u64::from(shape.slots)), "{name}");
            assert_eq!(name, format!("{}x{}", options.slots, shape.entry));
            // One bit of the key more than fits is refused.
            let room = if shape.keys > 0 { 8 * shape.keys / u16::from(shape.slots) } else { 8 * shape.entry - 41 };
            assert_eq!(Shape { key_bits: room as u8, ..shape }.check(), Ok(()), "{name}");
            assert!(Shape { key_bits: room as u8 + 1, ..shape }.check().is_err(), "{name}");
        }
    }

    #[test]
    fn layout_that_does_not_add_up_is_refused_with_the_sum() {
        let problem =
            |text: &str| from_toml::<Shape>(text).map_or_else(|error| Err(error.to_string()), |shape| shape.check());
        let ten = "bucket = \"32 bytes\"\nentry = \"10 bytes\"\nslots = 3\nkey_bits = 16";
        assert_eq!(problem(&format!("{ten}\ngeneration = 5\nevaluation = 16")), Ok(()));
        for (text, expected) in [
            (
                format!("{ten}\ngeneration = 8\nevaluation = 16"),
                "key 16 + generation 8 + evaluation 16 + rest 41 = 81 bits, and an entry of 10 bytes has 80",
            ),
            (ten.replace("= 3", "= 4"), "4 entries of 10 bytes + keys 0 = 40 bytes, and a bucket has 32"),
            (
                ten.replace("10 bytes", "8 bytes").replace("= 16", "= 22\nkeys = 8"),
                "3 keys of 22 bits = 66 bits, and 8 bytes have 64",
            ),
            (ten.replace("32 bytes", "32 MiB"), "bucket: expected bytes up to 512: \"32 bytes\" or 32"),
            (ten.replace("32 bytes", "513 bytes"), "bucket: expected bytes up to 512: \"32 bytes\" or 32"),
        ] {
            assert_eq!(problem(&text), Err(expected.to_owned()), "{text}");
        }
    }
}
