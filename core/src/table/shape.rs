//! The bucket layouts of engines (`table.layout`), described in bytes and bits. Some parts of a
//! shape can also be set by other options of `table`, which override the shape
//! ([`TableOptions::shape`](super::TableOptions)).

use serde::{Deserialize, Deserializer, Serialize, de};
use std::fmt;

/// A bucket: `{ bucket = "64 bytes", entry = "12 bytes", slots = 5, key_bits = 16 }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    #[serde(deserialize_with = "deserialize_bytes")]
    pub bucket: u16,
    #[serde(deserialize_with = "deserialize_bytes")]
    pub entry: u16,
    pub slots: u8,
    pub key_bits: u8,
    /// Bytes of a separate word that holds the keys of all entries. If it is 0, each entry holds
    /// its own key.
    #[serde(default, deserialize_with = "deserialize_bytes")]
    pub keys: u16,
    /// Which bits of the key are compared. If this is not given, they are the bits that the index
    /// does not use.
    pub key_end: Option<KeyEnd>,
    /// The special meaning of key bits that are all 0, if they have any.
    pub zero_key: Option<ZeroKey>,
    /// Bits of an entry's generation (`table.age_bits`).
    pub generation: Option<u8>,
    /// Bits of an entry's static evaluation (`table.static_evaluation`).
    #[serde(default)]
    pub evaluation: u8,
    /// Bits of an entry's move, of which 15 are used.
    #[serde(rename = "move", default = "default_move")]
    pub mv: u8,
    #[serde(default = "default_score")]
    pub score: u8,
    #[serde(default = "default_depth")]
    pub depth: u8,
    /// The depth that is stored as 0.
    #[serde(default)]
    pub depth_offset: i8,
    /// Bits of the mark of an open window: 1 or 0.
    #[serde(default = "default_pv")]
    pub pv: u8,
}

const fn default_move() -> u8 {
    15
}

const fn default_score() -> u8 {
    16
}

const fn default_depth() -> u8 {
    8
}

const fn default_pv() -> u8 {
    1
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyEnd {
    Low,
    High,
}

/// How an engine that compares keys without checking for empty slots treats a slot whose key bits
/// are all 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ZeroKey {
    /// A store of a position with such a key takes an empty slot before any other. Source:
    /// Stockfish.
    Stores,
    /// As `Stores`. In addition, the empty slot answers a probe, without a move or a score. Source:
    /// Ethereal.
    Answers,
    /// As `Answers`. In addition, the slot of an entry with such a key is free for any position,
    /// and a store searches for its own position only up to the first free slot. Source:
    /// Viridithas.
    Free,
    /// As `Free`. In addition, a probe searches only up to the first free slot. Source:
    /// PlentyChess.
    Ends,
}

impl ZeroKey {
    pub(super) fn frees_slots(self) -> bool {
        matches!(self, Self::Free | Self::Ends)
    }
}

/// The shapes that have a name. Each row contains the name, the bytes of a bucket, the bytes of an
/// entry, the slots, the key bits, the bytes of the separate word of keys, and the bits of a
/// generation if ten bits would not fit.
#[allow(clippy::type_complexity)]
const NAMED: [(&str, u16, u16, u8, u8, u16, Option<u8>); 9] = [
    ("3x10", 32, 10, 3, 16, 0, None),
    ("3x8", 32, 8, 3, 16, 8, None),
    ("5x12", 64, 12, 5, 16, 0, None),
    ("4x16", 64, 16, 4, 32, 0, None),
    ("2x16", 32, 16, 2, 32, 0, None),
    ("1x8", 8, 8, 1, 16, 0, Some(6)),
    ("1x10", 10, 10, 1, 16, 0, None),
    ("1x12", 12, 12, 1, 32, 0, None),
    ("1x16", 16, 16, 1, 64, 0, None),
];

/// The most key bits that the packing `evaluated16` can store.
pub const EVALUATED16_KEY_BITS: u32 = 47;

#[derive(Debug, Clone, Copy, Default)]
pub struct Field {
    pub shift: u32,
    pub bits: u32,
}

impl Field {
    #[inline]
    pub fn get(self, data: u128) -> u64 {
        (data >> self.shift) as u64 & ((1 << self.bits) - 1)
    }

    /// Bits of `value` that do not fit into the field are dropped.
    #[inline]
    pub fn encode(self, value: u64) -> u128 {
        u128::from(value & ((1 << self.bits) - 1)) << self.shift
    }
}

/// The fields of an entry's data, the lowest bits first.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fields {
    pub evaluation: Field,
    pub bound: Field,
    pub pv: Field,
    pub used: Field,
    pub depth: Field,
    pub generation: Field,
    pub score: Field,
    pub mv: Field,
    pub nodes: Field,
}

impl Fields {
    pub fn bits(&self) -> u32 {
        self.nodes.shift + self.nodes.bits
    }
}

const NODE_BITS: u32 = 11;

impl Default for Shape {
    fn default() -> Self {
        Self {
            bucket: 16,
            entry: 16,
            slots: 1,
            key_bits: 64,
            keys: 0,
            key_end: None,
            zero_key: None,
            generation: None,
            evaluation: 0,
            mv: default_move(),
            score: default_score(),
            depth: default_depth(),
            depth_offset: 0,
            pv: default_pv(),
        }
    }
}

impl Shape {
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|row| row.0)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        let &(_, bucket, entry, slots, key_bits, keys, generation) = NAMED.iter().find(|row| row.0 == name)?;
        Some(Self { bucket, entry, slots, key_bits, keys, generation, ..Self::default() })
    }

    /// Parses a shape that is given by its parts, as `Display` prints it.
    ///
    /// # Errors
    /// The message of the TOML parser.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let table = format!("shape = {text}").parse::<toml::Table>().map_err(|error| error.message().to_owned())?;
        let shape = table.get("shape").cloned().ok_or("expected a table that describes a bucket")?;
        shape.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
    }

    pub(super) fn first_key_bit(&self) -> Option<usize> {
        (self.keys > 0).then(|| 8 * usize::from(self.slots) * usize::from(self.entry))
    }

    fn required_parts(&self) -> [(&'static str, u32); 8] {
        let inline_key_bits = if self.keys == 0 { self.key_bits } else { 0 };
        [
            ("key", inline_key_bits),
            ("generation", self.generation.unwrap_or(0)),
            ("evaluation", self.evaluation),
            ("move", self.mv),
            ("score", self.score),
            ("depth", self.depth),
            ("pv", self.pv),
            ("bound", 2),
        ]
        .map(|(name, bits)| (name, bits.into()))
    }

    fn spare_bits(&self) -> u32 {
        let required_bits = self.required_parts().iter().map(|(_, bits)| bits).sum();
        (8 * u32::from(self.entry)).saturating_sub(required_bits)
    }

    /// The data comes after the key. The mark of use and the rounded node count have bits only if
    /// there are enough spare bits.
    pub(crate) fn fields(&self) -> Fields {
        let used_bits = self.spare_bits().min(1);
        let node_bits = if self.spare_bits() > NODE_BITS { NODE_BITS } else { 0 };
        let mut shift = 0;
        let mut next_field = |bits: u32| {
            let field = Field { shift, bits };
            shift += bits;
            field
        };
        Fields {
            evaluation: next_field(self.evaluation.into()),
            bound: next_field(2),
            pv: next_field(self.pv.into()),
            used: next_field(used_bits),
            depth: next_field(self.depth.into()),
            generation: next_field(self.generation.unwrap_or(0).into()),
            score: next_field(self.score.into()),
            mv: next_field(self.mv.into()),
            nodes: next_field(node_bits),
        }
    }

    /// The bytes of an entry of a fixed packing that can be used for the shape: 10 for three slots
    /// in 32 bytes, 12 for five in 64, 16 for `bytes16`, and 10 or 12 for a single slot. A fixed
    /// packing can be used only if all fields have their default widths and an entry has at least
    /// the 64 bits of data that a fixed packing stores.
    pub(super) fn fixed_entry_bytes(&self) -> Option<u16> {
        let Self { bucket, entry, slots, key_bits, keys, zero_key, generation, .. } = *self;
        let with_default_fields =
            Self { bucket, entry, slots, key_bits, keys, zero_key, generation, ..Self::default() };
        let data_bits = 8 * entry - if keys == 0 { u16::from(key_bits) } else { 0 };
        if *self != with_default_fields || data_bits < 64 {
            return None;
        }
        // Packings with 16-bit keys know only one key of 0, so with fewer key bits a key of 0 must
        // have no special meaning.
        let has_16_bit_keys = key_bits == 16 || key_bits < 16 && zero_key.is_none();
        let is_plain = keys == 0 && zero_key.is_none() && bucket == entry * u16::from(slots);
        match (bucket, slots) {
            (32, 3) if has_16_bit_keys => Some(10),
            (64, 5) if has_16_bit_keys => Some(12),
            (10 | 12, 1) => is_plain.then_some(entry),
            _ => (is_plain && entry == 16).then_some(16),
        }
    }

    /// Whether the packing `evaluated16` can be used, which has all fields but the evaluation and
    /// the move in their default widths.
    pub(super) fn fits_evaluated16(&self) -> bool {
        let Self { bucket, entry, slots, key_bits, key_end, generation, evaluation, mv, .. } = *self;
        let with_default_fields =
            Self { bucket, entry, slots, key_bits, key_end, generation, evaluation, mv, ..Self::default() };
        let has_words = entry == 16 && bucket == 16 * u16::from(slots) && u32::from(key_bits) <= EVALUATED16_KEY_BITS;
        *self == with_default_fields && has_words && [0, 16].contains(&evaluation) && mv <= 16
    }

    /// Checks that each part is in its range, that the parts fit into an entry, that the keys fit
    /// into their separate word, and that the entries and the keys fit into the bucket.
    ///
    /// # Errors
    /// A message that says what is out of range or does not fit.
    pub fn check(&self) -> Result<(), String> {
        let &Self { bucket, entry, slots, key_bits, keys, .. } = self;
        for (name, bits, range) in [
            ("evaluation", self.evaluation, if self.evaluation == 0 { 0..=0 } else { 8..=24 }),
            ("move", self.mv, 15..=24),
            ("score", self.score, 8..=24),
            ("depth", self.depth, 4..=16),
            ("pv", self.pv, 0..=1),
        ] {
            if !range.contains(&bits) {
                let (least, most) = (range.start(), range.end());
                return Err(format!("{name} {bits} is out of range: expected {least} to {most} bits"));
            }
        }
        if self.depth_offset > 0 {
            return Err(format!("depth_offset {} is above 0: depth 0 could not be stored", self.depth_offset));
        }
        if let Some((name, bytes)) =
            [("bucket", bucket), ("entry", entry), ("keys", keys)].into_iter().find(|(_, bytes)| bytes % 2 > 0)
        {
            return Err(format!("{name} {bytes} is odd: entries are made of words of 2 bytes"));
        }
        let parts = self.required_parts();
        let required_bits: u32 = parts.iter().map(|(_, bits)| bits).sum();
        if required_bits > 8 * u32::from(entry) {
            let present_parts = parts.iter().filter(|(_, bits)| *bits > 0);
            let terms: Vec<_> = present_parts.map(|(name, bits)| format!("{name} {bits}")).collect();
            let sum = terms.join(" + ");
            return Err(format!("{sum} = {required_bits} bits, but an entry of {entry} bytes has {}", 8 * entry));
        }
        let all_key_bits = u32::from(slots) * u32::from(key_bits);
        if keys > 0 && all_key_bits > 8 * u32::from(keys) {
            return Err(format!(
                "{slots} keys of {key_bits} bits = {all_key_bits} bits, but {keys} bytes have {}",
                8 * keys
            ));
        }
        let required_bytes = u32::from(slots) * u32::from(entry) + u32::from(keys);
        if required_bytes > u32::from(bucket) {
            return Err(format!(
                "{slots} entries of {entry} bytes + keys {keys} = {required_bytes} bytes, but a bucket has {bucket}"
            ));
        }
        Ok(())
    }

    pub fn text(&self) -> String {
        let Self { bucket, slots, key_bits, .. } = *self;
        let mut text = format!("slots = {slots}\nkey_bits = {key_bits}\nbucket_bytes = {bucket}\n");
        if let Some(bits) = self.generation {
            text += &format!("age_bits = {bits}\n");
        }
        if self.evaluation > 0 {
            text += "static_evaluation = true\n";
        }
        text
    }
}

/// Writes the name of the shape or, if it has no name, its parts as they are written in a file.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = Self::names().find(|name| Self::from_name(name).as_ref() == Some(self)) {
            return f.write_str(name);
        }
        let &Self { bucket, entry, slots, key_bits, key_end, generation, .. } = self;
        write!(f, "{{ bucket = {bucket}, entry = {entry}, slots = {slots}, key_bits = {key_bits}")?;
        let defaults = Self::default();
        let generation = generation.map(|bits| bits.to_string());
        let unless_default = |value: u16, default: u16| (value != default).then(|| value.to_string());
        for (name, value) in [
            ("keys", unless_default(self.keys, defaults.keys)),
            ("key_end", key_end.and_then(|end| serde_json::to_string(&end).ok())),
            ("zero_key", self.zero_key.and_then(|meaning| serde_json::to_string(&meaning).ok())),
            ("generation", generation),
            ("evaluation", unless_default(self.evaluation.into(), defaults.evaluation.into())),
            ("move", unless_default(self.mv.into(), defaults.mv.into())),
            ("score", unless_default(self.score.into(), defaults.score.into())),
            ("depth", unless_default(self.depth.into(), defaults.depth.into())),
            ("depth_offset", (self.depth_offset != 0).then(|| self.depth_offset.to_string())),
            ("pv", unless_default(self.pv.into(), defaults.pv.into())),
        ] {
            if let Some(value) = value {
                write!(f, ", {name} = {value}")?;
            }
        }
        f.write_str(" }")
    }
}

/// Deserializes a number of bytes, which is written as `32` or as `"32 bytes"`.
fn deserialize_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Bytes {
        Number(u16),
        Text(String),
    }
    let bytes = match Bytes::deserialize(deserializer)? {
        Bytes::Number(number) => Some(number),
        Bytes::Text(text) => text.strip_suffix("bytes").and_then(|number| number.trim_end().parse().ok()),
    };
    match bytes {
        Some(bytes) if bytes <= 512 => Ok(bytes),
        _ => Err(de::Error::custom("expected at most 512 bytes, as in \"32 bytes\" or 32")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::from_toml;

    fn problem(text: &str) -> Result<(), String> {
        from_toml::<Shape>(text).map_or_else(|error| Err(error.to_string()), |shape| shape.check())
    }

    #[test]
    fn usual_layout_adds_up_until_it_has_one_key_bit_more_than_fits() {
        for name in Shape::names() {
            let shape = Shape::from_name(name).unwrap();
            assert_eq!((shape.check(), shape.to_string()), (Ok(()), name.to_owned()));
            assert_eq!(name, format!("{}x{}", shape.slots, shape.entry));
            // Move 15, score 16, depth 8, pv 1 and bound 2.
            let other_bits = 42 + u16::from(shape.generation.unwrap_or(0));
            let room =
                if shape.keys > 0 { 8 * shape.keys / u16::from(shape.slots) } else { 8 * shape.entry - other_bits };
            assert_eq!(Shape { key_bits: room as u8, ..shape }.check(), Ok(()), "{name}");
            assert!(Shape { key_bits: room as u8 + 1, ..shape }.check().is_err(), "{name}");
        }
    }

    #[test]
    fn displayed_shape_is_read_back() {
        let texts = [
            "{ bucket = 40, entry = 12, slots = 3, key_bits = 21, keys = 4, key_end = \"high\", zero_key = \"free\", \
             generation = 6, \
             evaluation = 12, move = 20, score = 14, depth = 7, depth_offset = -3, pv = 0 }",
            "{ bucket = 64, entry = 12, slots = 5, key_bits = 20, key_end = \"low\", zero_key = \"ends\" }",
            "{ bucket = 32, entry = 10, slots = 3, key_bits = 16, zero_key = \"answers\" }",
        ];
        for text in texts {
            assert_eq!(Shape::from_text(text).unwrap().to_string(), text);
        }
        assert_eq!(
            Shape::from_text("{ bucket = 64, entry = 12, slots = 5, key_bits = 16 }").unwrap().to_string(),
            "5x12"
        );
        assert!(Shape::from_text("{ bucket = 64").is_err());
    }

    #[test]
    fn layout_that_does_not_add_up_is_refused_with_the_sum() {
        let ten = "bucket = \"32 bytes\"\nentry = \"10 bytes\"\nslots = 3\nkey_bits = 16";
        assert_eq!(problem(&format!("{ten}\ngeneration = 6\nevaluation = 16")), Ok(()));
        assert_eq!(problem(&format!("{ten}\ngeneration = 7\nevaluation = 16\npv = 0")), Ok(()));
        let odd = |name: &str| format!("{name} 9 is odd: entries are made of words of 2 bytes");
        for (text, expected) in [
            (
                format!("{ten}\ngeneration = 7\nevaluation = 16"),
                "key 16 + generation 7 + evaluation 16 + move 15 + score 16 + depth 8 + pv 1 + bound 2 = 81 bits, \
                 but an entry of 10 bytes has 80",
            ),
            (ten.replace("= 3", "= 4"), "4 entries of 10 bytes + keys 0 = 40 bytes, but a bucket has 32"),
            (
                ten.replace("10 bytes", "8 bytes").replace("= 16", "= 13\nkeys = 8").replace("= 3", "= 5"),
                "5 keys of 13 bits = 65 bits, but 8 bytes have 64",
            ),
            (
                ten.replace("10 bytes", "8 bytes") + "\nkeys = 10",
                "3 entries of 8 bytes + keys 10 = 34 bytes, but a bucket has 32",
            ),
            (ten.replace("32 bytes", "32 MiB"), "bucket: expected at most 512 bytes, as in \"32 bytes\" or 32"),
            (ten.replace("32 bytes", "513 bytes"), "bucket: expected at most 512 bytes, as in \"32 bytes\" or 32"),
            (format!("{ten}\nmove = 14"), "move 14 is out of range: expected 15 to 24 bits"),
            (format!("{ten}\nscore = 7"), "score 7 is out of range: expected 8 to 24 bits"),
            (format!("{ten}\ndepth = 17"), "depth 17 is out of range: expected 4 to 16 bits"),
            (format!("{ten}\npv = 2"), "pv 2 is out of range: expected 0 to 1 bits"),
            (format!("{ten}\nevaluation = 7"), "evaluation 7 is out of range: expected 8 to 24 bits"),
            (format!("{ten}\ndepth_offset = 1"), "depth_offset 1 is above 0: depth 0 could not be stored"),
            (ten.replace("10 bytes", "9 bytes"), &odd("entry")),
            (ten.replace("32 bytes", "9 bytes"), &odd("bucket")),
            (format!("{ten}\nkeys = 9"), &odd("keys")),
            (
                format!("{ten}\nzero_key = \"empty\""),
                "zero_key: unknown variant `empty`, expected one of `stores`, `answers`, `free`, `ends`",
            ),
            (format!("{ten}\nkey_end = \"left\""), "key_end: unknown variant `left`, expected `low` or `high`"),
        ] {
            assert_eq!(problem(&text), Err(expected.to_owned()), "{text}");
        }
    }

    /// Fields follow each other without a gap. The first spare bit is the mark of use; eleven more
    /// hold the node count. A fixed packing has whole words, one slot, or three or five slots with
    /// 16 bits of key each, of which a key of 0 means something only if all are compared.
    #[test]
    fn fixed_packing_replaces_only_a_layout_of_its_own_fields() {
        for (text, bytes) in [
            ("bucket = 32, entry = 10, slots = 3, key_bits = 16", Some(10)),
            ("bucket = 32, entry = 8, slots = 3, key_bits = 12, keys = 8", Some(10)),
            ("bucket = 32, entry = 8, slots = 3, key_bits = 12, keys = 8, zero_key = 'free'", None),
            ("bucket = 32, entry = 8, slots = 3, key_bits = 16", None),
            ("bucket = 32, entry = 10, slots = 3, key_bits = 16, depth = 7", None),
            ("bucket = 32, entry = 16, slots = 2, key_bits = 32", Some(16)),
            ("bucket = 48, entry = 16, slots = 2, key_bits = 32", None),
            ("bucket = 32, entry = 16, slots = 2, key_bits = 32, zero_key = 'free'", None),
            ("bucket = 64, entry = 12, slots = 5, key_bits = 16", Some(12)),
            ("bucket = 64, entry = 12, slots = 4, key_bits = 16", None),
            ("bucket = 12, entry = 12, slots = 1, key_bits = 32", Some(12)),
            ("bucket = 12, entry = 12, slots = 1, key_bits = 32, zero_key = 'free'", None),
            ("bucket = 10, entry = 10, slots = 1, key_bits = 16", Some(10)),
            ("bucket = 16, entry = 10, slots = 1, key_bits = 16", None),
        ] {
            let shape = Shape::from_text(&format!("{{ {text} }}")).unwrap();
            assert_eq!((shape.check(), shape.fixed_entry_bytes()), (Ok(()), bytes), "{text}");
        }
    }

    #[test]
    fn fields_follow_each_other_without_a_gap() {
        for (generation, evaluation, used, nodes) in
            [(10, 0, 1, 11), (9, 0, 1, 11), (6, 16, 0, 0), (5, 16, 1, 0), (10, 8, 1, 0)]
        {
            let ten = Shape::from_name("3x10").unwrap();
            let fields = Shape { generation: Some(generation), evaluation, ..ten }.fields();
            let Fields { evaluation, bound, pv, used: mark, depth, generation, score, mv, nodes: last } = fields;
            let in_order = [evaluation, bound, pv, mark, depth, generation, score, mv, last];
            let mut shift = 0;
            for field in in_order {
                assert_eq!(field.shift, shift);
                shift += field.bits;
            }
            assert_eq!((mark.bits, last.bits, fields.bits()), (used, nodes, shift));
        }
    }
}
