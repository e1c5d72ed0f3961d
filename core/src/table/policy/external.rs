//! External policies. A program that uses this library registers them. Experiment files can then
//! name them like any other policy.

use super::{Decision, Mark, Newcomer, Replacement, Visitor};
use crate::table::Entry;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{LazyLock, PoisonError, RwLock};

#[derive(Clone, Copy)]
pub struct ExternalPolicy {
    pub(super) kind: &'static PolicyKind,
    pub(super) policy: &'static dyn DynPolicy,
    parameters: &'static str,
}

/// A policy and its complete parameters, or a message that says what is wrong with the parameters.
type MakeResult = Result<(&'static dyn DynPolicy, Value), String>;

pub struct PolicyKind {
    pub(super) name: &'static str,
    pub(super) slots: RangeInclusive<u8>,
    pub(super) age_parameters: &'static [&'static str],
    slot_order_matters: bool,
    defaults: Value,
    make: fn(Value) -> MakeResult,
}

pub(super) trait DynPolicy: Send + Sync {
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision;
    fn draft(&self, entry: &Entry, age: u16) -> i32;
    fn fills_empty(&self) -> bool;
    fn mark_when(&self) -> Mark;
    fn starts_marked(&self) -> bool;
    fn counts_stored_nodes(&self) -> bool;
    fn check(&self) -> Result<(), String>;
}

impl<P: Replacement + Sync> DynPolicy for P {
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        Replacement::decide(self, bucket, newcomer, now)
    }
    fn draft(&self, entry: &Entry, age: u16) -> i32 {
        Replacement::draft(self, entry, age)
    }
    fn fills_empty(&self) -> bool {
        Replacement::fills_empty(self)
    }
    fn mark_when(&self) -> Mark {
        Replacement::mark_when(self)
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

/// A policy that calls a registered policy dynamically. Tables with registered policies are
/// compiled only for this type.
#[derive(Clone, Copy)]
struct DynCaller<const ORDERED: bool>(&'static dyn DynPolicy);

impl<const ORDERED: bool> Replacement for DynCaller<ORDERED> {
    const ORDERED: bool = ORDERED;

    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.0.decide(bucket, newcomer, now)
    }
    fn draft(&self, entry: &Entry, age: u16) -> i32 {
        self.0.draft(entry, age)
    }
    fn fills_empty(&self) -> bool {
        self.0.fills_empty()
    }
    fn mark_when(&self) -> Mark {
        self.0.mark_when()
    }
    fn starts_marked(&self) -> bool {
        self.0.starts_marked()
    }
    fn counts_stored_nodes(&self) -> bool {
        self.0.counts_stored_nodes()
    }
}

/// All registrations and all policies that were made from them. One policy is leaked for each
/// distinct set of parameters.
#[derive(Default)]
struct Registry {
    kinds: Vec<&'static PolicyKind>,
    instances: HashMap<(&'static str, String), ExternalPolicy>,
}

static REGISTRY: LazyLock<RwLock<Registry>> = LazyLock::new(RwLock::default);

/// Registers a policy under a name. Options can then select the policy with `table.policy = "NAME"`
/// or `table.policy = { kind = "NAME", ... }`. The fields of `P` are the policy's parameters.
/// Parameters that are not given have their default values. Call this function once for each
/// policy, before any options are read.
///
/// # Errors
/// When the name is already taken, or has a character that is not a small letter, a digit or a
/// dash. When the policy does not serialize to named fields.
pub fn register<P>(name: &'static str) -> Result<(), String>
where
    P: Replacement + Sync + Default + Serialize + DeserializeOwned,
{
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(is_allowed) {
        return Err(format!("`{name}`: expected a name of small letters, digits and dashes"));
    }
    if super::Policy::from_name(name).is_some() {
        return Err(format!("`{name}`: a policy of this name exists already"));
    }
    let defaults = match serde_json::to_value(P::default()).map_err(|error| format!("`{name}`: {error}"))? {
        // A struct without fields serializes to null.
        Value::Null => Value::Object(serde_json::Map::new()),
        Value::Object(fields) if !fields.contains_key("kind") => Value::Object(fields),
        _ => return Err(format!("`{name}`: expected a struct with named fields, none of them `kind`")),
    };
    let kind: &'static PolicyKind = Box::leak(Box::new(PolicyKind {
        name,
        slots: P::SLOTS,
        age_parameters: P::AGE_PARAMETERS,
        slot_order_matters: P::ORDERED,
        defaults,
        make: |parameters| {
            // A struct without fields deserializes from null, not from an empty table.
            let is_empty = parameters.as_object().is_some_and(serde_json::Map::is_empty);
            let policy: P = match serde_json::from_value(parameters) {
                Err(_) if is_empty => P::default(),
                result => result.map_err(|error| error.to_string())?,
            };
            let parameters = serde_json::to_value(policy).map_err(|error| error.to_string())?;
            Ok((Box::leak(Box::new(policy)), parameters))
        },
    }));
    REGISTRY.write().unwrap_or_else(PoisonError::into_inner).kinds.push(kind);
    Ok(())
}

pub(super) fn kinds() -> Vec<&'static PolicyKind> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).kinds.clone()
}

pub fn names() -> Vec<&'static str> {
    kinds().into_iter().map(|kind| kind.name).collect()
}

/// The parameter names of all registered policies. Such names are valid option paths.
pub fn parameters() -> Vec<String> {
    let parameter_names =
        |kind: &'static PolicyKind| kind.defaults.as_object().into_iter().flat_map(|fields| fields.keys());
    kinds().into_iter().flat_map(parameter_names).cloned().collect()
}

/// All other parameters have their default values.
pub(super) fn from_name(name: &str, given: serde_json::Map<String, Value>) -> Option<Result<ExternalPolicy, String>> {
    let kind = kinds().into_iter().find(|kind| kind.name == name)?;
    let mut parameters = kind.defaults.clone();
    if let Value::Object(fields) = &mut parameters {
        if let Some(unknown) = given.keys().find(|key| !fields.contains_key(*key)) {
            let names: Vec<String> = fields.keys().map(|name| format!("`{name}`")).collect();
            let expected =
                if names.is_empty() { "expected none".to_owned() } else { format!("expected {}", names.join(" or ")) };
            return Some(Err(format!("unknown key `{unknown}`, {expected}")));
        }
        fields.extend(given);
    }
    let instance_key = (kind.name, parameters.to_string());
    let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(policy) = registry.instances.get(&instance_key) {
        return Some(Ok(*policy));
    }
    Some((kind.make)(parameters).map(|(policy, parameters)| {
        let policy = ExternalPolicy { kind, policy, parameters: String::leak(parameters.to_string()) };
        registry.instances.insert(instance_key, policy);
        policy
    }))
}

impl ExternalPolicy {
    pub(super) fn marks_entries(&self) -> bool {
        self.policy.mark_when() != Mark::Never || self.policy.starts_marked()
    }

    pub(super) fn dispatch<V: Visitor>(&self, visitor: V) -> V::Output {
        if self.kind.slot_order_matters {
            visitor.visit(DynCaller::<true>(self.policy))
        } else {
            visitor.visit(DynCaller::<false>(self.policy))
        }
    }

    /// `kind` comes first, then the parameters.
    pub(super) fn to_json(self) -> Value {
        let mut fields = serde_json::Map::new();
        fields.insert("kind".to_owned(), self.kind.name.into());
        if let Ok(Value::Object(parameters)) = serde_json::from_str(self.parameters) {
            fields.extend(parameters);
        }
        Value::Object(fields)
    }
}

impl PartialEq for ExternalPolicy {
    fn eq(&self, other: &Self) -> bool {
        self.kind.name == other.kind.name && self.parameters == other.parameters
    }
}

impl std::fmt::Debug for ExternalPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind.name, self.parameters)
    }
}
