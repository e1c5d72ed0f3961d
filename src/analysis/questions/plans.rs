//! In what the plans of two results differ: what a reader of a comparison asks first.

use super::joined::{Joined, Recorded, option_changes};
use crate::record::columns;
use crate::words::many;
use std::collections::BTreeMap;

/// In what the plans differ; nothing where they are equal, none where a manifest is missing.
#[must_use]
pub fn differences(base: &Recorded, new: &Recorded, joined: &Joined) -> Option<Vec<String>> {
    let (old, fresh) = (base.manifest.as_ref()?, new.manifest.as_ref()?);
    if old.plan == fresh.plan {
        return Some(Vec::new());
    }
    let mut found = Vec::new();
    let mut said = |what: &str, old: String, fresh: String| {
        if old != fresh {
            found.push(format!("{what} ({old} -> {fresh})"));
        }
    };
    said("suite", old.suite.clone(), fresh.suite.clone());
    said("items", old.items.to_string(), fresh.items.to_string());
    said(columns::DEPTH, deepest(base), deepest(new));
    said("repeats", old.repeats.to_string(), fresh.repeats.to_string());
    said("key seeds", old.seeds.to_string(), fresh.seeds.to_string());
    said("sequence", old.sequence.to_string(), fresh.sequence.to_string());
    let mut changes: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut both = 0;
    for (name, renamed) in joined.variants.iter().zip(&joined.renamed) {
        let theirs = fresh.options.get(renamed.as_ref().unwrap_or(name));
        let Some((old, fresh)) = old.options.get(name).zip(theirs) else { continue };
        both += 1;
        for (path, from, to) in option_changes(old, fresh) {
            changes.entry(path).or_default().push((from, to));
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
        let alone = joined.groups.iter().filter(|groups| groups[at].is_some() && groups[1 - at].is_none()).count();
        if alone > 0 {
            found.push(format!("{} that only {side} has", many(alone, columns::VARIANT)));
        }
    }
    if found.is_empty() {
        found.push("their positions, limits or variants, in what no manifest tells".to_owned());
    }
    Some(found)
}

/// The greatest depth that was searched.
fn deepest(side: &Recorded) -> String {
    side.frame.numbers(columns::DEPTH).iter().copied().fold(0.0, f64::max).to_string()
}
