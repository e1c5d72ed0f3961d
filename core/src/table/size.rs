//! A table's size, as users write it: `"16 MiB"`, `65536` (entries), `"25 %"` (of a working set).

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// How large a table is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// Bytes of memory for the entries.
    Bytes(u64),
    /// Number of entries (slots).
    Entries(u64),
    /// Entries, as a share of what an unbounded table stores in the same search: 0.25 for `"25 %"`.
    Share(f64),
}

const UNITS: [(&str, u64); 5] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// Maximum bytes of a table: the address space of today's 64-bit processors (47 bits). Arithmetic
/// on smaller sizes cannot overflow 64 bits.
pub const MAX_BYTES: u64 = 1 << 47;

const MAX_SHARE: f64 = 10_000.0;

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Entries(entries) => write!(f, "{entries}"),
            Self::Share(share) => write!(f, "{} %", share * 100.0),
            Self::Bytes(bytes) => {
                // Chooses the largest unit in which the size is at least 1 and a multiple of 1/4,
                // as in 1.5 MiB.
                let (name, unit) = UNITS
                    .into_iter()
                    .find(|&(_, unit)| bytes >= unit && bytes % (unit / 4).max(1) == 0)
                    .unwrap_or(("B", 1));
                write!(f, "{} {name}", bytes as f64 / unit as f64)
            }
        }
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let not_a_size = || {
            format!(
                "`{text}` is not a size: expected more than zero bytes (\"16 MiB\"), entries (65536) or percent (\"25 %\")"
            )
        };
        let number_end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
        let (number, unit) = (text[..number_end].replace('_', ""), text[number_end..].trim());
        let number: f64 = number.parse().ok().filter(|n| *n > 0.0 && *n < 1e15).ok_or_else(not_a_size)?;
        let size = match unit {
            "" | "entries" if number.fract() == 0.0 => Self::Entries(number as u64),
            "%" => Self::Share(number / 100.0),
            _ => {
                // "1 MB" is a million bytes to some and 2^20 to others, so it is refused.
                let ambiguous_units = [("KB", "KiB"), ("MB", "MiB"), ("GB", "GiB"), ("TB", "TiB")];
                if let Some((_, binary_unit)) =
                    ambiguous_units.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))
                {
                    return Err(format!(
                        "`{text}` is ambiguous, because its unit can be a power of 1000 or of 1024: did you mean `{number} {binary_unit}`? A number of bytes has the unit `B`"
                    ));
                }
                let short_units = [("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)];
                let (_, scale) = UNITS
                    .into_iter()
                    .chain(short_units)
                    .find(|(name, _)| name.eq_ignore_ascii_case(unit))
                    .ok_or_else(not_a_size)?;
                Self::Bytes((number * scale as f64) as u64)
            }
        };
        let too_large = |most: &str| Err(format!("`{text}` is too large: expected at most {most}"));
        match size {
            Self::Bytes(0) => Err(not_a_size()),
            Self::Bytes(bytes) if bytes > MAX_BYTES => too_large("128 TiB"),
            Self::Entries(entries) if entries > MAX_BYTES / 16 => too_large("8796093022208 entries"),
            Self::Share(share) if share > MAX_SHARE => too_large("1000000 %"),
            size => Ok(size),
        }
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Entries(entries) => serializer.serialize_u64(*entries),
            size => serializer.collect_str(size),
        }
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Size;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size: bytes (\"16 MiB\"), entries (65536) or a share of the working set (\"25 %\")")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Size, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_i64<E: de::Error>(self, entries: i64) -> Result<Size, E> {
                entries.to_string().parse().map_err(E::custom)
            }
            fn visit_u64<E: de::Error>(self, entries: u64) -> Result<Size, E> {
                entries.to_string().parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl schemars::JsonSchema for Size {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Size".into()
        }
        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({
                "description": "Bytes (\"16 MiB\"), entries (65536), or a share of the working set (\"25 %\").",
                "anyOf": [
                    { "type": "string", "pattern": "^[0-9_.]+ *([TtGgMmKk]([Ii][Bb])?|[Bb]|%|entries)?$" },
                    { "type": "integer", "minimum": 1 }
                ]
            })
        }
    }

    #[test]
    fn size_text_parses_and_formats() {
        for (text, size, written) in [
            ("16 MiB", Size::Bytes(16 << 20), "16 MiB"),
            ("0.25 MiB", Size::Bytes(256 << 10), "256 KiB"),
            ("1.5 MiB", Size::Bytes(3 << 19), "1.5 MiB"),
            ("50mib", Size::Bytes(50 << 20), "50 MiB"),
            ("64k", Size::Bytes(64 << 10), "64 KiB"),
            ("2G", Size::Bytes(2 << 30), "2 GiB"),
            ("1 GiB", Size::Bytes(1 << 30), "1 GiB"),
            ("1.5 TiB", Size::Bytes(3 << 39), "1.5 TiB"),
            ("2t", Size::Bytes(2 << 40), "2 TiB"),
            ("100 B", Size::Bytes(100), "100 B"),
            ("1_638_400", Size::Entries(1_638_400), "1638400"),
            ("8192 entries", Size::Entries(8192), "8192"),
            ("25 %", Size::Share(0.25), "25 %"),
        ] {
            assert_eq!(text.parse::<Size>().unwrap(), size, "{text}");
            assert_eq!(size.to_string(), written);
            assert_eq!(written.parse::<Size>().unwrap(), size);
        }
        for text in ["17179869184 GiB", "131073 GiB", "128.25 TiB", "8796093022209", "999999999999999", "1000001 %"] {
            assert!(text.parse::<Size>().unwrap_err().contains("is too large"), "{text}");
        }
        for text in ["131072 GiB", "128 TiB", "8796093022208", "1000000 %"] {
            assert!(text.parse::<Size>().is_ok(), "{text}");
        }
        for (text, output) in
            [("16 MB", "`16 MiB`"), ("64kb", "`64 KiB`"), ("1 gb", "`1 GiB`"), ("100 TB", "`100 TiB`")]
        {
            assert!(text.parse::<Size>().unwrap_err().contains(output), "{text}");
        }
        for text in ["", "0", "MiB", "16 MiBs", "-3", "1.5", "0 %", "nan", "1e3"] {
            assert!(text.parse::<Size>().is_err(), "{text:?} should be refused");
        }
    }
}
