//! The table's options, which set its size, its layout and its replacement. The options `probe` and
//! `store`, which set when the search probes and stores, are not among them.

use super::Entry;
use super::design::Design;
use super::policy::Policy;
use super::same_key::Rule;
pub use super::same_key::{Guard, SameKey};
use super::shape::Shape;
pub use super::size::Size;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// Whether there is a table, and whether it has a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TableKind {
    /// No table.
    None,
    /// A table of a fixed size, with a replacement policy.
    #[default]
    Bounded,
    /// An exact map from key to entry that never evicts: the practical ceiling of any policy. With
    /// `probe.depth = "equal"` it keeps one entry for each position and depth.
    Unbounded,
}

/// How one entry is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename_all = "kebab-case"))]
pub enum Layout {
    /// 16 bytes: a 64-bit key and 64 bits of data (subtree nodes rounded down to 11 bits: 5 of
    /// exponent, 6 of mantissa).
    #[default]
    Bytes16,
    /// 24 bytes: as `bytes16`, with exact subtree nodes (32 bits).
    Bytes24,
    /// 10 bytes, three to a 32-byte cluster, with a 16-bit key, as strong engines have it (`slots`
    /// must be 3).
    Bytes10,
    /// A bucket as an engine has it, to the bit.
    #[cfg_attr(test, schemars(skip))]
    Shape(Shape),
}

/// How a key selects its bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Index {
    /// key mod buckets: any number of buckets; one division.
    Modulo,
    /// The low bits of the key: buckets are rounded down to a power of two.
    Mask,
    /// The high half of key x buckets: any number of buckets; one multiplication (Lemire's
    /// reduction).
    #[default]
    Multiply,
}

impl Layout {
    /// The largest number of key bits that an entry can store.
    #[must_use]
    pub const fn key_bits(self) -> u32 {
        match self {
            Self::Bytes16 | Self::Bytes24 | Self::Shape(_) => 64,
            Self::Bytes10 => 16,
        }
    }
}

const LAYOUTS: [&str; 3] = ["bytes16", "bytes24", "bytes10"];

impl Serialize for Layout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bytes16 => serializer.serialize_str("bytes16"),
            Self::Bytes24 => serializer.serialize_str("bytes24"),
            Self::Bytes10 => serializer.serialize_str("bytes10"),
            Self::Shape(shape) => serializer.collect_str(shape),
        }
    }
}

impl<'de> Deserialize<'de> for Layout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Layout;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a layout, or a table that describes a bucket")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Layout, E> {
                match text {
                    "bytes16" => Ok(Layout::Bytes16),
                    "bytes24" => Ok(Layout::Bytes24),
                    "bytes10" => Ok(Layout::Bytes10),
                    // Results files write a shape in this form.
                    text if text.starts_with('{') => Shape::from_text(text).map(Layout::Shape).map_err(E::custom),
                    text => {
                        let shape = Shape::from_name(text).map(Layout::Shape);
                        shape.ok_or_else(|| E::unknown_variant(text, &LAYOUTS))
                    }
                }
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Layout, A::Error> {
                Shape::deserialize(de::value::MapAccessDeserializer::new(map)).map(Layout::Shape)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl Index {
    /// Returns the number of a key's bucket, which is below `buckets`.
    #[inline]
    #[must_use]
    pub fn bucket(self, key: u64, buckets: u64) -> u64 {
        // The default is compared first: tables compute this at each probe, store and prefetch.
        if self == Self::Multiply {
            ((u128::from(key) * u128::from(buckets)) >> 64) as u64
        } else if self == Self::Mask {
            key & (buckets - 1)
        } else {
            key % buckets
        }
    }
}

/// Where a static evaluation alone is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Evaluations {
    /// As any other entry: it may evict one.
    #[default]
    Evict,
    /// In an empty slot only.
    Empty,
    /// Nowhere.
    Refuse,
}

/// When the slot of a store is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Victim {
    /// At the store.
    #[default]
    Store,
    /// At the probe of the same node: the slot that matched, else an empty one, else the one of
    /// least worth. The store goes there, whatever the search has written there in between. Source:
    /// Stockfish, Weiss.
    Probe,
}

/// How much depth an entry loses when it proves of little use ("secondary ageing"). Source:
/// Stockfish, with `{ refused = 1, refused_score = 30745, missed = 1, missed_depth = 6 }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Demotion {
    /// Plies of depth that an entry loses each time a new entry of the same position is refused.
    pub refused: u8,
    /// Whether an entry loses depth only at the first refusal after it was written. This takes the
    /// bit that marks used entries, so it needs a policy that does not mark entries, and
    /// `diagnostics = "off"`.
    pub once: bool,
    /// Plies of depth that an entry loses when a node with a closed window (beta - alpha = 1) finds
    /// it deep enough, but its bound does not end the node.
    pub missed: u8,
    /// Only entries of at least this depth lose depth.
    pub from: u8,
    /// Whether entries with an exact score lose depth too.
    pub exact: bool,
    /// `refused` applies only to entries whose score is at least this in absolute value. With a
    /// high value it applies only to mate scores. The score of an entry with only an evaluation
    /// counts as 0.
    pub refused_score: u16,
    /// `missed` applies only at nodes of at least this remaining depth.
    pub missed_depth: u8,
}

impl Demotion {
    /// Whether an entry loses depth when a new entry of the same position is refused.
    #[inline]
    pub(super) fn applies_to(&self, entry: &Entry) -> bool {
        let score = if entry.is_evaluation() { 0 } else { entry.score.unsigned_abs() };
        self.refused > 0 && score >= self.refused_score && !(self.once && entry.used)
    }
}

impl Default for Demotion {
    fn default() -> Self {
        Self { refused: 0, once: false, missed: 0, from: 5, exact: false, refused_score: 0, missed_depth: 0 }
    }
}

/// When an answered probe renews the entry's age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Refresh {
    /// Only a store sets the age. Source: Stockfish.
    #[default]
    Never,
    /// Any key match renews it. Source: Ethereal.
    Match,
    /// Only a hit that ends its node renews it. Source: Crafty 25.1.
    Cutoff,
}

/// What advances the clock of the table. The age of an entry is counted in ticks of this clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TickSource {
    /// One tick for each root search.
    #[default]
    Search,
    /// One tick for each iteration of iterative deepening.
    Iteration,
    /// The plies played in the game between two searches. Source: `ViperMate`.
    GamePly,
}

/// What `table.forget` loses of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ForgetPart {
    /// All of it: the probe is not answered.
    #[default]
    Entry,
    /// The move: with a share of 1, the table acts as one that keeps no moves.
    Move,
    /// The score, its bound and its depth: with a share of 1, the table ends no node.
    Score,
}

/// When something that one search leaves behind is thrown away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Clear {
    /// Before each iteration of iterative deepening.
    Iteration,
    /// Before each root search.
    Search,
    /// Before each game or unrelated position.
    #[default]
    Game,
    /// Never: not even between unrelated positions of a suite (the order of the suite then matters;
    /// such a suite runs as one job).
    Never,
}

/// Which buckets are fetched ahead of their probe. Changes time, never counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Prefetch {
    /// `child` for tables of 2 MiB or more, else `none`.
    #[default]
    Auto,
    /// Nothing is prefetched.
    None,
    /// Each child's, while the move before it is searched.
    Child,
}

/// The transposition table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TableOptions {
    /// Whether there is a table, and whether it has a bound. `table = "none"` is short for
    /// `table = { kind = "none" }`.
    pub kind: TableKind,
    /// The table of an engine: its options take the place of the defaults, and other options of
    /// `table` override them. `ttlab options --design NAME` prints them.
    pub design: Design,
    /// How large it is: bytes (`"16 MiB"`), a number of entries (`65536`), or a share of what an
    /// unbounded table stores in the same search (`"25 %"`). The number of buckets is what fits,
    /// rounded down.
    pub size: Size,
    /// Entries in a bucket: the slots that one key may use, 1..=8.
    #[cfg_attr(test, schemars(range(min = 1, max = 8)))]
    pub slots: u8,
    /// How one entry is packed: by one of the names below, or as in the bucket of an engine, to the
    /// bit, which also sets `slots`, `key_bits` and `bucket_bytes`. Such a bucket has a name:
    /// `3x10` (entries of 10 bytes, in 32), `3x8` (a word of keys beside them), `5x12` and `4x16`
    /// (in 64), `2x16`, `1x8`, `1x10`, `1x12`, `1x16`. Or it is given by its parts: `{ bucket = "64
    /// bytes", entry = "12 bytes", slots = 5, key_bits = 16 }`, and further `keys` (bytes of a word
    /// of all keys), `key_end` (`low` or `high` bits), `zero_key` (for engines that compare keys
    /// alone: `stores`, a key of 0 goes to an empty slot first; `answers`, and that slot answers a
    /// probe; `free`, and an entry with such a key gives way first; `ends`, and probes end there),
    /// `depth_offset` (the depth stored as 0, at most 0) and in bits of an entry `generation` (for
    /// `age_bits`), `evaluation` (for `static_evaluation`), `move` (15), `score` (16), `depth` (8)
    /// and `pv` (1). Bits left over hold the mark of use and then, if there is room, the rounded
    /// nodes; without nodes `search.saved` is 0. A depth or score that does not fit is stored as
    /// the nearest that does; an evaluation that does not fit is left out. `table.clipped` counts
    /// such stores.
    pub layout: Layout,
    /// Bytes that each bucket counts as when `size` is in bytes, 0..=512. With 0, these are the
    /// bytes of the layout. With the bytes of an engine's own bucket (32 for three entries of 10
    /// bytes, 64 for five of 12), the table has as many buckets as the engine's. If `layout`
    /// describes a bucket, the memory in use is also this many bytes per bucket. Otherwise it is
    /// still that of `bytes10`, `bytes16` or `bytes24`.
    #[cfg_attr(test, schemars(range(min = 0, max = 512)))]
    pub bucket_bytes: u16,
    /// How a key selects its bucket.
    pub index: Index,
    /// How many bits of the key are compared on a probe, 0..=64. They are the bits that the index
    /// does not use (the low bits under `multiply`, else the high bits). With 0, any occupied slot
    /// answers, which is the fault of the engine `purple` as published. `bytes10` keeps at most 16
    /// bits.
    #[cfg_attr(test, schemars(range(min = 0, max = 64)))]
    pub key_bits: u8,
    /// Which entry gives way. `policy = "always"` is short for `policy = { kind = "always" }`.
    #[serde(
        deserialize_with = "crate::table::policy::deserialize_policy",
        serialize_with = "crate::table::policy::serialize_policy"
    )]
    pub policy: Policy,
    /// What a store does when the bucket already holds the same key.
    pub same_key: SameKey,
    /// The guard of `same_key = "guard"`.
    pub guard: Guard,
    /// When the slot for a store is chosen. `probe` needs a policy that looks at the bucket alone:
    /// `depth-age` or `scored`, without a condition to refuse stores.
    pub victim: Victim,
    /// How much depth an entry loses when it proves of little use.
    pub demotion: Demotion,
    /// Whether a new entry without a move keeps the move of the old entry of the same key.
    pub keep_move: bool,
    /// Whether a new entry keeps the mark of an open window of the old entry of the same key, so
    /// that a position that was once on a principal variation stays marked. Source: "ttPv" of
    /// Stockfish.
    pub keep_pv: bool,
    /// Whether entries keep the static evaluation of their position, if the node had one. Leaves
    /// and quiescence nodes have one, and with `store.evaluations` so do interior nodes out of
    /// check. An evaluation found in the table is not made again (`search.evals_saved`). The
    /// evaluation does not change the bytes that a bucket counts as. The memory in use is that of
    /// `bytes24`, which has room for every evaluation, unless `layout` describes a bucket.
    pub static_evaluation: bool,
    /// When an answered probe renews the entry's age.
    pub refresh: Refresh,
    /// Where an entry with only a static evaluation is stored (from `store.evaluations`, or from a
    /// store without a bound in a trace). It never replaces an entry of its own position.
    pub evaluations: Evaluations,
    /// What advances the clock of the table. The age of an entry is counted in ticks of this clock.
    pub clock: TickSource,
    /// Bits in which an entry keeps its time, 1..=10. Ages are counted modulo 2^bits, so an entry
    /// that is 2^bits ticks old looks new. Most engines have 5 or 6.
    #[cfg_attr(test, schemars(range(min = 1, max = 10)))]
    pub age_bits: u8,
    /// When the table is emptied.
    pub clear: Clear,
    /// Share of the hits that are lost on purpose, 0..=1, to see the effect of a loss of known
    /// size. A hash of the key and the number of hits so far selects the lost hits. The entry stays
    /// in the table, and the next probe may find it.
    #[cfg_attr(test, schemars(range(min = 0.0, max = 1.0)))]
    pub forget: f64,
    /// What `forget` loses of a hit.
    pub forget_part: ForgetPart,
    /// Which buckets are fetched ahead of their probe. Changes time, never counts.
    pub prefetch: Prefetch,
    /// Ask the kernel for 2 MiB pages. Changes time, never counts.
    pub huge_pages: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            kind: TableKind::default(),
            design: Design::default(),
            size: Size::Bytes(16 << 20),
            slots: 1,
            layout: Layout::default(),
            bucket_bytes: 0,
            index: Index::default(),
            key_bits: 64,
            policy: Policy::default(),
            same_key: SameKey::default(),
            guard: Guard::default(),
            victim: Victim::default(),
            demotion: Demotion::default(),
            keep_move: false,
            keep_pv: false,
            static_evaluation: false,
            refresh: Refresh::default(),
            evaluations: Evaluations::default(),
            clock: TickSource::default(),
            age_bits: 10,
            clear: Clear::default(),
            forget: 0.0,
            forget_part: ForgetPart::default(),
            prefetch: Prefetch::default(),
            huge_pages: true,
        }
    }
}

impl TableOptions {
    /// Returns the shape in `layout`, in which some parts are replaced by the values of other
    /// options. Returns `None` if the layout is not a shape.
    #[must_use]
    pub fn shape(&self) -> Option<Shape> {
        let Layout::Shape(shape) = self.layout else { return None };
        let evaluation = if self.static_evaluation && shape.evaluation == 0 { 16 } else { shape.evaluation };
        let bucket = if self.bucket_bytes == 0 { shape.bucket } else { self.bucket_bytes };
        let &Self { slots, key_bits, age_bits, .. } = self;
        Some(Shape { bucket, slots, key_bits, generation: Some(age_bits), evaluation, ..shape })
    }

    /// Whether entries keep the node counts of their subtrees, exact or rounded.
    #[must_use]
    pub fn keeps_nodes(&self) -> bool {
        self.shape().is_none_or(|shape| shape.fields().nodes.bits > 0)
    }

    /// Returns the rule for stores of a position that the table already holds.
    #[must_use]
    pub fn same_key_rule(&self) -> Rule {
        // `best_move` stores its own information in the bit `used`. An unbounded table needs this
        // bit itself, so `best_move` is off there.
        let best_move = self.guard.best_move && self.kind == TableKind::Bounded;
        let guard = Guard { best_move, ..self.guard };
        Rule { same_key: self.same_key, guard, keep_move: self.keep_move, keep_pv: self.keep_pv }
    }
}

#[cfg(test)]
pub(super) mod tests;
