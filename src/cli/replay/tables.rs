//! The table of a replay, and its policies.

use super::super::{CommandFailure, engine_options};
use crate::table::policy::{Policy, external};
use crate::table::{Design, TableKind, TableOptions};

/// The table whose policies are compared. Options that a replay would ignore are refused.
pub(super) fn base_table(sets: &[String]) -> Result<TableOptions, CommandFailure> {
    let base = engine_options(None, sets)?.table;
    for set in sets {
        let path = set.split_once('=').map_or("", |(path, _)| path.trim());
        if path == "table.policy" || path.starts_with("table.policy.") {
            refuse!("--set {path}: set policies with --policy");
        }
        if path != "table" && !path.starts_with("table.") {
            refuse!("--set {path}: a replay does not search: only options of the table (table.*) have an effect");
        }
    }
    if base.kind != TableKind::Bounded {
        refuse!("table.kind: a replay needs a bounded table; it adds the table `unbounded` itself");
    }
    Ok(base)
}

/// The requested policies with their names. Without a request, the policy of the table's design or,
/// if it has no design, all policies that are valid for its number of slots.
pub(super) fn list_policies(
    requested: &[String],
    sets: &[String],
    base: &TableOptions,
) -> Result<Vec<(String, Policy)>, CommandFailure> {
    if requested.is_empty() && base.design != Design::None {
        return Ok(vec![(base.design.name().to_owned(), base.policy)]);
    }
    if requested.is_empty() {
        let names = Policy::NAMES.iter().copied().chain(external::names());
        let all_policies = names.filter_map(|name| Some((name.to_owned(), Policy::from_name(name)?)));
        return Ok(all_policies.filter(|(_, policy)| policy.check(base.slots).is_ok()).collect());
    }
    let mut policies: Vec<(String, Policy)> = Vec::new();
    for text in requested {
        let sets: Vec<String> = sets.iter().cloned().chain([format!("table.policy={text}")]).collect();
        let policy = engine_options(None, &sets)?.table.policy;
        if let Some((first, _)) = policies.iter().find(|(_, earlier)| *earlier == policy) {
            refuse!("--policy {text}: duplicate of {first}");
        }
        policies.push((text.clone(), policy));
    }
    Ok(policies)
}
