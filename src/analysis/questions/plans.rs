//! In what the plans of two results differ: what a reader of a comparison asks first.

use super::joined::{Joined, Recorded};
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::limits::parts;
use crate::record::columns;
use crate::text::plural;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Options by dotted path.
type Leaves = BTreeMap<String, String>;

/// In what the plans differ; nothing where they are equal, none where a manifest is missing.
pub fn differences(base: &Recorded, new: &Recorded, joined: &Joined) -> Option<Vec<String>> {
    let (old, fresh) = (base.manifest.as_ref()?, new.manifest.as_ref()?);
    if old.plan == fresh.plan {
        return Some(Vec::new());
    }
    let mut found = Vec::new();
    let mut text = |what: &str, old: String, fresh: String| {
        if old != fresh {
            found.push(format!("{what} ({old} -> {fresh})"));
        }
    };
    text(columns::SUITE, old.suite.clone(), fresh.suite.clone());
    text("items", old.items.to_string(), fresh.items.to_string());
    // How deep a node limit let a search come is no part of the plan.
    let message = [base, new].iter().all(|side| side.frame.has(columns::LIMIT));
    if !message {
        text(columns::DEPTH, deepest(base), deepest(new));
    }
    text("repeats", old.repeats.to_string(), fresh.repeats.to_string());
    text("key seeds", old.seeds.to_string(), fresh.seeds.to_string());
    text("sequence", old.sequence.to_string(), fresh.sequence.to_string());
    let mut changes: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut compare = |old: &Leaves, fresh: &Leaves, none: &str| {
        for path in old.keys().chain(fresh.keys()).collect::<BTreeSet<_>>() {
            let [from, to] = [old, fresh].map(|leaves| leaves.get(path).map_or(none, String::as_str).to_owned());
            if from != to {
                changes.entry(path.clone()).or_default().push((from, to));
            }
        }
    };
    let limits = [base, new].map(|side| limits(&side.frame));
    let mut both = 0;
    for (name, renamed) in joined.variants.iter().zip(&joined.renamed) {
        let theirs = renamed.as_ref().unwrap_or(name);
        if let Some((old, fresh)) = limits[0].get(name).zip(limits[1].get(theirs)) {
            compare(old, fresh, "none");
        }
        if let Some((old, fresh)) = old.options.get(name).zip(fresh.options.get(theirs)) {
            both += 1;
            compare(&leaves(old), &leaves(fresh), "-");
        }
    }
    for (path, moves) in changes {
        let (from, to) = &moves[0];
        let alike = moves.iter().all(|one| one == &moves[0]);
        let values = if alike { format!("{from} -> {to}") } else { format!("{from} -> {to} and others") };
        let of = if moves.len() < both { format!(" in {} of {both} variants", moves.len()) } else { String::new() };
        found.push(format!("{path}{of} ({values})"));
    }
    for (at, side) in ["BASE", "NEW"].iter().enumerate() {
        // Of several suites a variant may have one group in each.
        let has = |variant: usize, side: usize| {
            let own = joined.lines.iter().zip(&joined.groups).filter(|(line, _)| line.variant == variant);
            own.into_iter().any(|(_, groups)| groups[side].is_some())
        };
        let alone = (0..joined.variants.len()).filter(|&variant| has(variant, at) && !has(variant, 1 - at)).count();
        if alone > 0 {
            found.push(format!("{} that only {side} has", plural(alone, columns::VARIANT)));
        }
    }
    if found.is_empty() {
        found.push("their positions, limits or variants, in what no manifest tells".to_owned());
    }
    Some(found)
}

/// A value's leaves by dotted path.
fn leaves(value: &serde_json::Value) -> Leaves {
    match value {
        serde_json::Value::Object(fields) => {
            let below = |(name, value): (&String, &serde_json::Value)| {
                let path = |path: String| if path.is_empty() { name.clone() } else { format!("{name}.{path}") };
                leaves(value).into_iter().map(|(below, leaf)| (path(below), leaf)).collect::<Vec<_>>()
            };
            fields.iter().flat_map(below).collect()
        }
        leaf => Leaves::from([(String::new(), leaf.as_str().map_or_else(|| leaf.to_string(), str::to_owned))]),
    }
}

/// The limit of each variant (of several suites in each), by the parts that it has.
fn limits(frame: &Frame) -> HashMap<String, Leaves> {
    let [variants, suites, limits] =
        [columns::VARIANT, columns::SUITE, columns::LIMIT].map(|column| frame.coded(column));
    let mut known = HashSet::new();
    let mut found: HashMap<String, Leaves> = HashMap::new();
    for row in 0..frame.rows() {
        if !known.insert((variants.codes()[row], suites.codes()[row])) {
            continue;
        }
        let leaves = found.entry(variants.at(row).to_owned()).or_default();
        for (path, value) in parts(limits.at(row)).into_iter().filter(|(_, value)| !value.is_empty()) {
            let suite = suites.at(row);
            let of_suite = if suite.is_empty() { path.to_owned() } else { format!("{path} in {suite}") };
            leaves.insert(of_suite, value);
        }
    }
    found
}

/// The greatest depth that was searched.
fn deepest(side: &Recorded) -> String {
    side.frame.numbers(columns::DEPTH).iter().copied().fold(0.0, f64::max).to_string()
}
