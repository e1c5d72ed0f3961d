//! The table options and the policies of a replay.

use super::super::CommandFailure;
use crate::experiment::options;
use crate::table::policy::{Policy, external};
use crate::table::{Design, TableKind, TableOptions};

/// Options that a replay would ignore are refused.
pub(super) fn base_table(overrides: &[String]) -> Result<TableOptions, CommandFailure> {
    let base = options(None, overrides).map_err(CommandFailure::usage)?.table;
    for assignment in overrides {
        let path = assignment.split_once('=').map_or("", |(path, _)| path.trim());
        if path == "table.policy" || path.starts_with("table.policy.") {
            refuse!("--set {path}: set policies with --policy");
        }
        if path != "table" && !path.starts_with("table.") {
            refuse!("--set {path}: a replay does not search: only options of the table (table.*) have an effect");
        }
    }
    if base.kind != TableKind::Bounded {
        refuse!("table.kind: a replay needs a bounded table: the results always include the table `unbounded`");
    }
    Ok(base)
}

/// If no policy is requested, returns the policy of the table's design. If the table has no design
/// either, returns all policies that are valid for the table's number of slots.
pub(super) fn list_policies(
    requested: &[String],
    overrides: &[String],
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
        let overrides: Vec<String> = overrides.iter().cloned().chain([format!("table.policy={text}")]).collect();
        let policy = options(None, &overrides).map_err(CommandFailure::usage)?.table.policy;
        if let Some((first_name, _)) = policies.iter().find(|(_, earlier)| *earlier == policy) {
            refuse!("--policy {text}: duplicate of {first_name}");
        }
        policies.push((text.clone(), policy));
    }
    Ok(policies)
}
