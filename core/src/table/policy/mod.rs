//! Replacement policies, which decide which entry is evicted when a bucket is full. Each policy is
//! one file and one line of the registry below. The struct in the file has the policy's parameters,
//! its schema and its behaviour. `docs/add-a-policy.md` explains step by step how to add a policy.

use super::Entry;
use super::entry::MAX_SLOTS;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::RangeInclusive;

pub mod external;

pub use external::{ExternalPolicy, register};

/// The decision about a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The newcomer is written to `slot`. The entries from `slot` on move down by one slot, and the
    /// entry in `last` is evicted. If `slot == last`, the newcomer just replaces one entry.
    Insert {
        /// The slot to which the newcomer is written.
        slot: usize,
        /// The slot whose entry is evicted. It is at least `slot`.
        last: usize,
    },
    /// The newcomer is not stored.
    Refuse,
}

impl Decision {
    /// Decides that the newcomer replaces the entry of one slot.
    #[inline]
    #[must_use]
    pub const fn replace(slot: usize) -> Self {
        Self::Insert { slot, last: slot }
    }
}

/// When the table marks an entry as used (sets `Entry::used` and renews its generation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// Never: it costs a write.
    // No policy has an option with this value.
    #[cfg_attr(test, schemars(skip))]
    #[default]
    Never,
    /// When it answers a probe.
    Match,
    /// When its answer ends a node.
    Cutoff,
}

/// The entry that a store offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Newcomer {
    /// The entry, with `generation` and `used` already set.
    pub entry: Entry,
    /// The key of the entry's position.
    pub key: u64,
    /// The slot that holds the same key. It is given only if the policy decides about such a slot
    /// (`table.same_key = "policy"`).
    pub same: Option<usize>,
}

/// A replacement policy, which is a pure function of the bucket, the newcomer and the time. A
/// policy has no clock, no random generator and no state of its own.
pub trait Replacement: Copy + Send + 'static {
    /// Whether the order of the slots matters. If it does, the policy also decides about buckets
    /// with empty slots (bound `None`). Otherwise the table fills the first empty slot without
    /// calling the policy.
    const ORDERED: bool = false;

    /// The numbers of slots per bucket that the policy supports.
    const SLOTS: RangeInclusive<u8> = 1..=8;

    /// The names of the parameters that weigh age.
    const AGE_PARAMETERS: &'static [&'static str] = &[];

    /// Decides about a newcomer. `now` is the time of the table's clock (see [`Entry::age`]).
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision;

    /// Makes the same decision as `decide`, but gets the bucket's entries from a function. `entry`
    /// returns the entry of a slot below `slots`. A policy that reads only some fields of the
    /// entries should implement `decide_lazily` and call it in `decide`. The compiler then removes
    /// the code that unpacks the other fields.
    #[inline(always)]
    fn decide_lazily(&self, slots: usize, entry: impl Fn(usize) -> Entry, newcomer: &Newcomer, now: u16) -> Decision {
        let mut bucket = [Entry::default(); MAX_SLOTS];
        for (slot, unpacked) in bucket[..slots].iter_mut().enumerate() {
            *unpacked = entry(slot);
        }
        self.decide(&bucket[..slots], newcomer, now)
    }

    /// Whether an empty slot is filled without calling the policy. Otherwise the policy weighs an
    /// empty slot like an entry of depth 0 that was stored at time 0. Always false for a policy
    /// that keeps its slots in order.
    #[inline]
    fn fills_empty(&self) -> bool {
        !Self::ORDERED
    }

    /// Returns the draft with which an entry of age `age` answers a probe.
    #[inline]
    fn draft(&self, entry: &Entry, _age: u16) -> i32 {
        i32::from(entry.depth)
    }

    /// When the table marks entries as used.
    #[inline]
    fn mark_when(&self) -> Mark {
        Mark::Never
    }

    /// Whether a new entry starts out marked.
    #[inline]
    fn starts_marked(&self) -> bool {
        false
    }

    /// Whether a table cutoff counts as all nodes of the stored subtree, rather than as one node.
    fn counts_stored_nodes(&self) -> bool {
        false
    }

    /// Checks the ranges of the parameters.
    ///
    /// # Errors
    /// A message that says what is wrong and what was expected.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Which of several entries of equal worth goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// The one in the first slot.
    #[default]
    First,
    /// The one in the last slot. Source: Ethereal.
    Last,
}

/// Returning the worth and inlining the call keep the unpacked bucket in registers.
#[inline(always)]
fn least_worth<W: PartialOrd + Copy>(bucket: &[Entry], worth: impl Fn(&Entry) -> W) -> (usize, W) {
    least_worth_by(bucket, Ties::First, worth)
}

/// If several entries have the least worth, `ties` selects the first or the last of them.
#[inline(always)]
fn least_worth_by<W: PartialOrd + Copy>(bucket: &[Entry], ties: Ties, worth: impl Fn(&Entry) -> W) -> (usize, W) {
    least_slot_by(bucket.len(), ties, |slot| worth(&bucket[slot]))
}

/// Finds the slot with the least worth among the slots below `slots`. Returns the slot and its
/// worth.
#[inline(always)]
fn least_slot_by<W: PartialOrd + Copy>(slots: usize, ties: Ties, worth: impl Fn(usize) -> W) -> (usize, W) {
    let (mut least_slot, mut least_worth) = (0, worth(0));
    for slot in 1..slots {
        let this_worth = worth(slot);
        let is_selected = this_worth < least_worth || ties == Ties::Last && this_worth == least_worth;
        (least_slot, least_worth) = if is_selected { (slot, this_worth) } else { (least_slot, least_worth) };
    }
    (least_slot, least_worth)
}

/// Generates the modules, the `Policy` enum and its dispatch from one list.
macro_rules! policies {
    ($($(#[doc = $doc:literal])+ $name:literal $module:ident :: $policy:ident,)*) => {
        $(mod $module; pub use $module::$policy;)*

        /// Which entry gives way.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(tag = "kind")]
        pub enum Policy {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $policy($policy),)*
            /// A policy registered by the program that uses this library.
            #[serde(skip)]
            External(ExternalPolicy),
        }

        impl Policy {
            /// The names of all built-in policies, in the order of the registry.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// Returns the policy with this name and default parameters.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$policy($policy::default())),)*
                    name => external::from_name(name, serde_json::Map::new())?.ok().map(Self::External),
                }
            }

            /// The name of the policy, as in `table.policy`.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$policy(_) => $name,)*
                    Self::External(external) => external.kind.name,
                }
            }

            /// Checks the parameters, and that the policy supports this number of slots.
            ///
            /// # Errors
            /// A message that says what is wrong and what was expected.
            pub fn check(&self, table_slots: u8) -> Result<(), String> {
                let slots = self.slots();
                if !slots.contains(&table_slots) {
                    let (least, most) = (slots.start(), slots.end());
                    let expected = if least == most {
                        format!("= {least}")
                    } else if *most == 8 {
                        format!("of at least {least}")
                    } else {
                        format!("of {least} to {most}")
                    };
                    return Err(format!("needs table.slots {expected}, found {table_slots}"));
                }
                match self {
                    $(Self::$policy(policy) => policy.check(),)*
                    Self::External(external) => external.policy.check(),
                }
            }

            /// The numbers of slots per bucket that the policy supports.
            #[must_use]
            pub fn slots(&self) -> RangeInclusive<u8> {
                match self {
                    $(Self::$policy(_) => <$policy as Replacement>::SLOTS,)*
                    Self::External(external) => external.kind.slots.clone(),
                }
            }

            /// The names are relative to `table.policy`.
            pub fn age_parameters() -> impl Iterator<Item = &'static str> {
                let external = external::kinds().into_iter().map(|kind| kind.age_parameters);
                [$(<$policy as Replacement>::AGE_PARAMETERS),*].into_iter().chain(external).flatten().copied()
            }

            /// Whether the policy's decision depends only on the bucket, and not on the newcomer.
            #[must_use]
            pub fn ignores_newcomer(&self) -> bool {
                match self {
                    Self::DepthAge(policy) => !policy.refuse,
                    Self::Scored(_) => true,
                    Self::Formula(policy) => policy.lets.is_empty(),
                    _ => false,
                }
            }

            /// If this policy assumes a depth for empty slots, the plies are added to that depth
            /// too.
            #[must_use]
            pub fn with_depth_offset(&self, offset: u8) -> Self {
                match *self {
                    Self::DepthAge(policy) if policy.weigh_empty => {
                        let empty_depth = policy.empty_depth.saturating_add_unsigned(offset);
                        Self::DepthAge(DepthAge { empty_depth, ..policy })
                    }
                    policy => policy,
                }
            }

            /// Whether the policy reads the node counts of entries.
            #[must_use]
            pub fn reads_nodes(&self) -> bool {
                match self {
                    Self::Big1(_) | Self::BigAll(_) | Self::TwoBig1(_) => true,
                    Self::Scored(policy) => policy.nodes != 0,
                    Self::Formula(policy) => policy.worth.reads("nodes"),
                    _ => false,
                }
            }

            /// Whether the policy marks entries as used.
            #[must_use]
            pub fn marks_entries(&self) -> bool {
                match self {
                    Self::Ancient(_) => true,
                    Self::External(external) => external.marks_entries(),
                    _ => false,
                }
            }

            /// Whether a table cutoff counts as all nodes of the stored subtree, not as one node.
            #[must_use]
            pub fn counts_stored_nodes(&self) -> bool {
                match self {
                    $(Self::$policy(policy) => policy.counts_stored_nodes(),)*
                    Self::External(external) => external.policy.counts_stored_nodes(),
                }
            }

            /// Calls the visitor with the policy as its concrete type.
            pub fn dispatch<V: Visitor>(&self, visitor: V) -> V::Output {
                match *self {
                    $(Self::$policy(policy) => visitor.visit(policy),)*
                    Self::External(external) => external.dispatch(visitor),
                }
            }
        }
    };
}

/// Generic code that is called with a policy as its concrete type.
pub trait Visitor {
    type Output;
    fn visit<P: Replacement>(self, policy: P) -> Self::Output;
}

policies! {
    /// Always overwrite: the oldest store of a bucket, first in, first out.
    "always" always::Always,
    /// Never overwrite an occupied slot.
    "never" never::Never,
    /// Overwrite the shallowest entry if the newcomer is at least as deep.
    "depth-preferred" depth_preferred::DepthPreferred,
    /// Overwrite the entry of the smallest subtree if the newcomer's is at least as large; a table
    /// cutoff counts as one node.
    "big1" big1::Big1,
    /// As `big1`; a table cutoff counts as the stored subtree.
    "big-all" big_all::BigAll,
    /// A newcomer at least as deep as the first slot's entry takes that slot and moves the entry to
    /// the second. Other newcomers go to the second.
    "two-deep" two_deep::TwoDeep,
    /// As `two-deep`, by subtree nodes instead of depth.
    "two-big1" two_big1::TwoBig1,
    /// The first slot is depth-preferred, the others always take what the first refuses.
    "two-tier" two_tier::TwoTier,
    /// Entries that were useful in this search are kept; all others give way.
    "ancient" ancient::Ancient,
    /// Depth-preferred with depths that fall as the game goes on.
    "aged-depth" aged_depth::AgedDepth,
    /// The entry of least worth is evicted: depth minus a factor times its age.
    "depth-age" depth_age::DepthAge,
    /// The store rule of ViperMate's first version.
    "vipermate-first" vipermate_first::VipermateFirst,
    /// A pseudo-random entry of the bucket is evicted.
    "random" random::Random,
    /// Evicts the entry of least worth, which is a weighted sum. By default it is `depth-age`.
    "scored" scored::Scored,
    /// Evicts the entry of least worth, which is an expression; another expression decides what is
    /// refused. By default it is `depth-age`.
    "expression" expression::Formula,
}

impl Default for Policy {
    fn default() -> Self {
        Self::Always(Always::default())
    }
}

/// Deserializes a policy from its name, or from a map of its `kind` and its parameters.
///
/// # Errors
/// Serde's errors for an unknown name or parameter.
pub fn deserialize_policy<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Policy, D::Error> {
    struct Shorthand;
    impl<'de> serde::de::Visitor<'de> for Shorthand {
        type Value = Policy;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a policy's name, or a table with its kind and parameters")
        }
        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Policy, E> {
            Policy::from_name(name).ok_or_else(|| E::unknown_variant(name, Policy::NAMES))
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Policy, A::Error> {
            let map = serde::de::value::MapAccessDeserializer::new(map);
            if external::kinds().is_empty() {
                return Policy::deserialize(map);
            }
            let fields = serde_json::Map::deserialize(map)?;
            let kind = fields.get("kind").and_then(serde_json::Value::as_str);
            if let Some(kind) = kind.filter(|kind| !Policy::NAMES.contains(kind)) {
                let mut parameters = fields.clone();
                parameters.remove("kind");
                if let Some(policy) = external::from_name(kind, parameters) {
                    return policy.map(Policy::External).map_err(serde::de::Error::custom);
                }
            }
            Policy::deserialize(serde_json::Value::Object(fields)).map_err(serde::de::Error::custom)
        }
    }
    deserializer.deserialize_any(Shorthand)
}

/// Serializes a policy as a map of its `kind` and its parameters.
///
/// # Errors
/// The errors of the serializer.
pub fn serialize_policy<S: Serializer>(policy: &Policy, serializer: S) -> Result<S::Ok, S::Error> {
    match policy {
        Policy::External(external) => external.to_json().serialize(serializer),
        policy => policy.serialize(serializer),
    }
}
