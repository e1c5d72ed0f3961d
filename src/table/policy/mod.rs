//! Replacement policies: who gives way when a bucket is full. Each policy is one file, whose struct is its parameters, its
//! schema and its behaviour, and one line of the registry below. `docs/add-a-policy.md` is the walk-through.

use super::{Entry, TableOptions};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::RangeInclusive;

pub mod external;

pub use external::{Outside, register};

/// What a policy decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The newcomer goes to slot `at`; the entries from there up to slot `last` move one slot down, and the one in `last`
    /// leaves. `at == last`: a plain replacement.
    Insert {
        /// The newcomer's slot.
        at: usize,
        /// The slot whose entry leaves; at least `at`.
        last: usize,
    },
    /// The newcomer is not stored.
    Refuse,
}

impl Decision {
    /// The newcomer takes one slot.
    #[inline]
    #[must_use]
    pub const fn replace(slot: usize) -> Self {
        Self::Insert { at: slot, last: slot }
    }
}

/// When the table marks an entry as used (`Entry::used`, and its generation renewed with it).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// Never: it costs a write.
    #[default]
    Never,
    /// When it answers a probe.
    Match,
    /// When its answer ends a node.
    Cutoff,
}

/// What a store offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Newcomer {
    /// The entry.
    pub entry: Entry,
    /// Its position's key.
    pub key: u64,
    /// The slot that holds the same key, where the policy is asked about it (`table.same_key = "policy"`).
    pub same: Option<usize>,
}

/// What a policy that keeps words knows of a bucket beside its entries.
#[derive(Debug)]
pub struct Notes<'a> {
    /// The bucket's words: all 0 in a table that was emptied, then as the policy left them.
    pub words: &'a mut [u64],
    /// What each slot keeps of its key.
    pub keys: &'a [u64],
    /// What a slot keeps of the newcomer's.
    pub key: u64,
}

/// A replacement policy: a pure function of the bucket, the newcomer and the time. No clock, no generator, no state; what it must remember
/// of a bucket it says in words that the table keeps there ([`Replacement::WORDS`]), and they are part of what goes in and comes out.
pub trait Replacement: Copy + Send + 'static {
    /// Whether the order of the slots means something to the policy: it is then asked about buckets with empty slots too
    /// (an empty slot's bound is `None`). Otherwise the table fills the first empty slot without asking.
    const ORDERED: bool = false;

    /// With how many slots in a bucket it works.
    const SLOTS: RangeInclusive<u8> = 1..=8;

    /// Whether the age of entries means anything to it.
    const AGES: bool = false;

    /// Its parameters that weigh age.
    const AGE_PARAMETERS: &'static [&'static str] = &[];

    /// How many 64-bit words the table keeps for it in each bucket, beside the entries: a hand, marks, ghosts, a sketch. They count as
    /// memory of the table. A policy with words is asked through [`Replacement::decide_with`], and never about the same position: that
    /// is replaced, as far as `table.same_key` lets it.
    const WORDS: usize = 0;

    /// Who gives way to the newcomer. `now`: the table's clock, see [`Entry::age`]. Of a policy with words: where they are all 0.
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision;

    /// As `decide`, with the bucket's words, which it may change.
    #[inline]
    fn decide_with(&self, bucket: &[Entry], notes: Notes<'_>, newcomer: &Newcomer, now: u16) -> Decision {
        let _ = notes;
        self.decide(bucket, newcomer, now)
    }

    /// What the words of a bucket of so many slots become when an entry answers a probe, or its position is offered again: its slot, and
    /// what that keeps of its key.
    #[inline]
    fn met(&self, words: &mut [u64], slot: usize, slots: usize, key: u64) {
        let _ = (words, slot, slots, key);
    }

    /// The draft with which an entry of some age answers a probe.
    #[inline]
    fn draft(&self, entry: &Entry, age: u16) -> i32 {
        let _ = age;
        i32::from(entry.depth)
    }

    /// When entries are to be marked as used.
    #[inline]
    fn marks(&self) -> Mark {
        Mark::Never
    }

    /// Whether a new entry starts out marked.
    #[inline]
    fn starts_marked(&self) -> bool {
        false
    }

    /// Whether a table cutoff counts as the nodes of the stored subtree, rather than as one node.
    fn counts_stored_nodes(&self) -> bool {
        false
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// What is wrong, and what is expected.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The slot of least worth, the first of equals, and that worth: to look it up again in the bucket would keep all of it in memory,
/// and so would a call.
#[inline(always)]
fn least<W: PartialOrd + Copy>(bucket: &[Entry], worth: impl Fn(&Entry) -> W) -> (usize, W) {
    let (mut best, mut least) = (0, worth(&bucket[0]));
    for (slot, entry) in bucket.iter().enumerate().skip(1) {
        let worth = worth(entry);
        (best, least) = if worth < least { (slot, worth) } else { (best, least) };
    }
    (best, least)
}

/// Makes the modules, the `Policy` enum and its dispatch from one list.
macro_rules! policies {
    ($($(#[doc = $doc:literal])+ $name:literal $module:ident :: $policy:ident,)*) => {
        $(mod $module; pub use $module::$policy;)*

        /// Which entry gives way.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(tag = "kind")]
        pub enum Policy {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $policy($policy),)*
            /// One that a program of its user's own has registered.
            #[serde(skip)]
            Outside(Outside),
        }

        impl Policy {
            /// The names of all policies, in the order of the registry.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The policy of a name, with its default parameters.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$policy($policy::default())),)*
                    name => external::named(name, serde_json::Map::new())?.ok().map(Self::Outside),
                }
            }

            /// The policy's name.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$policy(_) => $name,)*
                    Self::Outside(external) => external.kind.name,
                }
            }

            /// Checks the parameters and what the table must be like.
            ///
            /// # Errors
            /// What is wrong, and what is expected.
            pub fn check(&self, table: &TableOptions) -> Result<(), String> {
                let slots = self.slots();
                if !slots.contains(&table.slots) {
                    let (least, most) = (slots.start(), slots.end());
                    let expected = match () {
                        () if least == most => format!("= {least}"),
                        () if *most == 8 => format!("of at least {least}"),
                        () => format!("of {least} to {most}"),
                    };
                    return Err(format!("needs table.slots {expected}, found {}", table.slots));
                }
                match self {
                    $(Self::$policy(policy) => policy.check(),)*
                    Self::Outside(external) => external.check(),
                }
            }

            /// With how many slots in a bucket it works.
            #[must_use]
            pub fn slots(&self) -> RangeInclusive<u8> {
                match self {
                    $(Self::$policy(_) => <$policy as Replacement>::SLOTS,)*
                    Self::Outside(external) => external.kind.slots.clone(),
                }
            }

            /// How many words it keeps in each bucket.
            #[must_use]
            pub fn words(&self) -> usize {
                match self {
                    $(Self::$policy(_) => <$policy as Replacement>::WORDS,)*
                    Self::Outside(_) => 0,
                }
            }

            /// Whether the age of entries means anything to it.
            #[must_use]
            pub fn ages(&self) -> bool {
                match self {
                    $(Self::$policy(_) => <$policy as Replacement>::AGES,)*
                    Self::Outside(external) => external.kind.ages,
                }
            }

            /// The paths of all parameters of any policy that weigh age, below `table.policy`.
            pub fn age_parameters() -> impl Iterator<Item = &'static str> {
                let external = external::kinds().into_iter().map(|kind| kind.age_parameters);
                [$(<$policy as Replacement>::AGE_PARAMETERS),*].into_iter().chain(external).flatten().copied()
            }

            /// Whether a table cutoff counts as the nodes of the stored subtree.
            #[must_use]
            pub fn counts_stored_nodes(&self) -> bool {
                match self {
                    $(Self::$policy(policy) => policy.counts_stored_nodes(),)*
                    Self::Outside(external) => external.counts_stored_nodes(),
                }
            }

            /// Hands the policy to generic code.
            pub fn dispatch<V: Visitor>(&self, visitor: V) -> V::Output {
                match *self {
                    $(Self::$policy(policy) => visitor.visit(policy),)*
                    Self::Outside(external) => external.dispatch(visitor),
                }
            }
        }
    };
}

/// Generic code that wants to know the policy's type.
pub trait Visitor {
    /// What it makes.
    type Output;
    /// Makes it for one policy.
    fn visit<P: Replacement>(self, policy: P) -> Self::Output;
}

policies! {
    /// Always overwrite: the oldest store of a bucket, first in, first out.
    "always" always::Always,
    /// Never overwrite an occupied slot.
    "never" never::Never,
    /// Overwrite the shallowest entry if the newcomer is at least as deep.
    "depth-preferred" depth_preferred::DepthPreferred,
    /// Overwrite the entry of the smallest subtree if the newcomer's is at least as large; a table cutoff counts as one node.
    "big1" big1::Big1,
    /// As `big1`; a table cutoff counts as the stored subtree.
    "big-all" big_all::BigAll,
    /// Two slots: a deeper newcomer goes to the first and moves that entry to the second; others go to the second.
    "two-deep" two_deep::TwoDeep,
    /// As `two-deep`, by subtree nodes instead of depth.
    "two-big1" two_big1::TwoBig1,
    /// The first slot is depth-preferred, the others always take what the first refuses.
    "two-tier" two_tier::TwoTier,
    /// Entries that were useful in this search are kept; all others give way.
    "ancient" ancient::Ancient,
    /// Depth-preferred with depths that fall as the game goes on.
    "aged-depth" aged_depth::AgedDepth,
    /// The entry of least worth goes: depth less a factor times its age.
    "depth-age" depth_age::DepthAge,
    /// The store rule of ViperMate's first version.
    "vipermate-first" vipermate_first::VipermateFirst,
    /// A pseudo-random entry of the bucket goes.
    "random" random::Random,
    /// The entry of least worth goes, by a weighted sum; refused where the newcomer is worth too little. By default it is `depth-age`.
    "scored" scored::Scored,
    /// From the literature on caches, as a yardstick: first in, first out, with a second chance for what was asked for.
    "clock" clock::Clock,
    /// From the literature on caches, as a yardstick: a queue whose entries are sifted where they stand.
    "sieve" sieve::Sieve,
    /// From the literature on caches, as a yardstick: a small queue on trial, a main queue, and ghosts of what failed the trial.
    "s3-fifo" s3_fifo::S3Fifo,
    /// From the literature on caches, as a yardstick: the newcomer is let in if it was met more often than the one that would leave.
    "tiny-lfu" tiny_lfu::TinyLfu,
}

impl Default for Policy {
    fn default() -> Self {
        Self::Always(Always::default())
    }
}

/// Reads a policy from `"name"` or from a table with `kind` and parameters.
///
/// # Errors
/// As serde's, for an unknown name or parameter.
pub fn shorthand<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Policy, D::Error> {
    struct Shorthand;
    impl<'de> serde::de::Visitor<'de> for Shorthand {
        type Value = Policy;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a policy's name, or a table with its kind and parameters")
        }
        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Policy, E> {
            Policy::named(name).ok_or_else(|| E::unknown_variant(name, Policy::NAMES))
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Policy, A::Error> {
            let map = serde::de::value::MapAccessDeserializer::new(map);
            if external::kinds().is_empty() {
                return Policy::deserialize(map);
            }
            let mut fields = serde_json::Map::deserialize(map)?;
            let kind = fields.get("kind").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
            if !Policy::NAMES.contains(&kind.as_str()) {
                fields.remove("kind");
                match external::named(&kind, fields.clone()) {
                    Some(read) => return read.map(Policy::Outside).map_err(serde::de::Error::custom),
                    None => fields.insert("kind".to_owned(), kind.into()),
                };
            }
            Policy::deserialize(serde_json::Value::Object(fields)).map_err(serde::de::Error::custom)
        }
    }
    deserializer.deserialize_any(Shorthand)
}

/// Writes a policy as a table with its kind and parameters.
///
/// # Errors
/// As serde's.
pub fn written<S: Serializer>(policy: &Policy, serializer: S) -> Result<S::Ok, S::Error> {
    match policy {
        Policy::Outside(external) => external.value().serialize(serializer),
        policy => policy.serialize(serializer),
    }
}
