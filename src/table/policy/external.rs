//! Policies from outside: a program of one's own registers them, and then they are named in experiment files like any other.

use super::{Decision, Mark, Newcomer, Replacement, Visitor};
use crate::table::Entry;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{LazyLock, PoisonError, RwLock};

/// A registered policy with its parameters.
#[derive(Clone, Copy)]
pub struct Outside {
    /// The kind.
    pub(super) kind: &'static Registered,
    policy: &'static dyn Called,
    /// Its parameters as JSON, which tell one from another.
    parameters: &'static str,
}

/// A policy made of parameters, and these with those that were left out; or what is wrong with them.
type Made = Result<(&'static dyn Called, Value), String>;

/// What is known of a registered policy.
pub struct Registered {
    /// What files call it.
    pub(super) name: &'static str,
    pub(super) slots: RangeInclusive<u8>,
    pub(super) ages: bool,
    pub(super) age_parameters: &'static [&'static str],
    ordered: bool,
    usual: Value,
    make: fn(Value) -> Made,
}

/// A policy whose type is known only where it was registered.
trait Called: Send + Sync {
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision;
    fn draft(&self, entry: &Entry, age: u16) -> i32;
    fn marks(&self) -> Mark;
    fn starts_marked(&self) -> bool;
    fn counts_stored_nodes(&self) -> bool;
    fn check(&self) -> Result<(), String>;
}

impl<P: Replacement + Sync> Called for P {
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        Replacement::decide(self, bucket, newcomer, now)
    }
    fn draft(&self, entry: &Entry, age: u16) -> i32 {
        Replacement::draft(self, entry, age)
    }
    fn marks(&self) -> Mark {
        Replacement::marks(self)
    }
    fn starts_marked(&self) -> bool {
        Replacement::starts_marked(self)
    }
    fn counts_stored_nodes(&self) -> bool {
        Replacement::counts_stored_nodes(self)
    }
    fn check(&self) -> Result<(), String> {
        Replacement::check(self)
    }
}

/// What the table is compiled for: a call through a pointer for each decision.
#[derive(Clone, Copy)]
struct Caller<const ORDERED: bool>(&'static dyn Called);

impl<const ORDERED: bool> Replacement for Caller<ORDERED> {
    const ORDERED: bool = ORDERED;

    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.0.decide(bucket, newcomer, now)
    }
    fn draft(&self, entry: &Entry, age: u16) -> i32 {
        self.0.draft(entry, age)
    }
    fn marks(&self) -> Mark {
        self.0.marks()
    }
    fn starts_marked(&self) -> bool {
        self.0.starts_marked()
    }
    fn counts_stored_nodes(&self) -> bool {
        self.0.counts_stored_nodes()
    }
}

/// Everything that was registered, and each policy that was made of it: as many as files name, each kept for good.
#[derive(Default)]
struct Registry {
    kinds: Vec<&'static Registered>,
    made: HashMap<(&'static str, String), Outside>,
}

static REGISTRY: LazyLock<RwLock<Registry>> = LazyLock::new(RwLock::default);

/// Makes a policy known under a name, to be used as `table.policy = "NAME"` or `{ kind = "NAME", ... }` wherever options are read. Its
/// fields are its parameters; those that a file leaves out take their default. Call it before anything else, once for each policy.
///
/// # Errors
/// When the name is no plain word or is taken, the policy cannot be written as a table, or it keeps words in each bucket.
pub fn register<P>(name: &'static str) -> Result<(), String>
where
    P: Replacement + Sync + Default + Serialize + DeserializeOwned,
{
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(plain) {
        return Err(format!("`{name}`: expected a name of small letters, digits and dashes"));
    }
    if super::Policy::named(name).is_some() {
        return Err(format!("`{name}`: there is such a policy already"));
    }
    if P::WORDS > 0 {
        return Err(format!("`{name}`: a policy that keeps words in each bucket needs a line of the registry"));
    }
    let usual = serde_json::to_value(P::default()).map_err(|error| format!("`{name}`: {error}"))?;
    let usual = match usual {
        Value::Null => Value::Object(serde_json::Map::new()),
        Value::Object(fields) if !fields.contains_key("kind") => Value::Object(fields),
        _ => return Err(format!("`{name}`: expected a struct with named fields, none of them `kind`")),
    };
    let kind: &'static Registered = Box::leak(Box::new(Registered {
        name,
        slots: P::SLOTS,
        ages: P::AGES,
        age_parameters: P::AGE_PARAMETERS,
        ordered: P::ORDERED,
        usual,
        make: |parameters| {
            // A struct without fields is nothing, not an empty table.
            let empty = parameters.as_object().is_some_and(serde_json::Map::is_empty);
            let policy: P = match serde_json::from_value(parameters) {
                Err(_) if empty => P::default(),
                read => read.map_err(|error| error.to_string())?,
            };
            let parameters = serde_json::to_value(policy).map_err(|error| error.to_string())?;
            Ok((Box::leak(Box::new(policy)), parameters))
        },
    }));
    REGISTRY.write().unwrap_or_else(PoisonError::into_inner).kinds.push(kind);
    Ok(())
}

/// The registered policies.
pub(super) fn kinds() -> Vec<&'static Registered> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).kinds.clone()
}

/// The names of registered policies.
#[must_use]
pub fn names() -> Vec<&'static str> {
    kinds().into_iter().map(|kind| kind.name).collect()
}

/// The parameters of registered policies, for the paths that may be set.
#[must_use]
pub fn parameters() -> Vec<String> {
    let fields = |kind: &'static Registered| kind.usual.as_object().into_iter().flat_map(|fields| fields.keys());
    kinds().into_iter().flat_map(fields).cloned().collect()
}

/// A registered policy with some of its parameters; none where no such policy was registered.
pub(super) fn named(name: &str, given: serde_json::Map<String, Value>) -> Option<Result<Outside, String>> {
    let kind = kinds().into_iter().find(|kind| kind.name == name)?;
    let mut parameters = kind.usual.clone();
    if let Value::Object(fields) = &mut parameters {
        if let Some(unknown) = given.keys().find(|key| !fields.contains_key(*key)) {
            let names: Vec<String> = fields.keys().map(|name| format!("`{name}`")).collect();
            let valid =
                if names.is_empty() { "it takes none".to_owned() } else { format!("expected {}", names.join(" or ")) };
            return Some(Err(format!("unknown key `{unknown}`, {valid}")));
        }
        fields.extend(given);
    }
    let key = (kind.name, parameters.to_string());
    let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(made) = registry.made.get(&key) {
        return Some(Ok(*made));
    }
    Some((kind.make)(parameters).map(|(policy, parameters)| {
        let made = Outside { kind, policy, parameters: String::leak(parameters.to_string()) };
        registry.made.insert(key, made);
        made
    }))
}

impl Outside {
    pub(super) fn check(&self) -> Result<(), String> {
        self.policy.check()
    }

    pub(super) fn counts_stored_nodes(&self) -> bool {
        self.policy.counts_stored_nodes()
    }

    pub(super) fn dispatch<V: Visitor>(&self, visitor: V) -> V::Output {
        match self.kind.ordered {
            true => visitor.visit(Caller::<true>(self.policy)),
            false => visitor.visit(Caller::<false>(self.policy)),
        }
    }

    /// As options hold it: its kind, then its parameters.
    pub(super) fn value(&self) -> Value {
        let mut value = serde_json::Map::new();
        value.insert("kind".to_owned(), self.kind.name.into());
        if let Ok(Value::Object(fields)) = serde_json::from_str(self.parameters) {
            value.extend(fields);
        }
        Value::Object(value)
    }
}

impl PartialEq for Outside {
    fn eq(&self, other: &Self) -> bool {
        self.kind.name == other.kind.name && self.parameters == other.parameters
    }
}

impl std::fmt::Debug for Outside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind.name, self.parameters)
    }
}
