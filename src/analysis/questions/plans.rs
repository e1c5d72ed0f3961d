//! Describes how the plans of two results differ.

use super::paired_rows::{PairedResults, RecordedResult};
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::limits::split_limit;
use crate::experiment::paths;
use crate::record::columns;
use crate::record::manifest::Build;
use crate::text::plural;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct MeasuredProgram {
    pub name: String,
    /// The file of the program, followed by its arguments. Empty for ttlab's own engine.
    #[serde(rename = "program")]
    pub command: String,
    /// The build of ttlab if the program is ttlab's own engine, otherwise the SHA-256 of the
    /// program's file.
    pub build: String,
}

impl std::fmt::Display for MeasuredProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.command.is_empty() {
            true => write!(f, "{} {}", self.name, self.build),
            false => write!(f, "{} ({}, SHA-256 {:.12})", self.name, self.command, self.build),
        }
    }
}

pub fn measured_programs(result: &RecordedResult) -> Vec<MeasuredProgram> {
    let Some(manifest) = &result.manifest else { return Vec::new() };
    let variants = result.frame.text_column(columns::VARIANT);
    // A variant that is missing from `manifest.subjects` uses the engine of ttlab.
    let uses_ttlab = variants.list().iter().any(|variant| !manifest.run.subjects.contains_key(variant.as_str()));
    let Build { version, commit, profile, .. } = &manifest.host.build;
    let build = format!("{version} ({commit}, {profile})");
    let ttlab = MeasuredProgram { name: "ttlab".to_owned(), build, ..Default::default() };
    let external_engines = manifest.run.subjects.values().map(|engine| MeasuredProgram {
        name: engine.name.clone(),
        command: std::iter::once(&engine.program).chain(&engine.arguments).cloned().collect::<Vec<_>>().join(" "),
        build: engine.sha256.clone(),
    });
    let programs: BTreeSet<MeasuredProgram> = external_engines.chain(uses_ttlab.then_some(ttlab)).collect();
    programs.into_iter().collect()
}

/// The values of options, by the option's dotted path such as `table.size`.
pub type OptionValues = BTreeMap<String, String>;

/// Describes each difference between the plans of two results. The list is empty if the plans are
/// equal. Returns `None` if a manifest is missing.
/// `limits` has those of BASE's and NEW's variants.
pub fn plan_differences(
    base: &RecordedResult,
    new: &RecordedResult,
    [base_limits, new_limits]: &[HashMap<String, OptionValues>; 2],
    results: &PairedResults,
) -> Option<Vec<String>> {
    let (base_manifest, new_manifest) = (base.manifest.as_ref()?, new.manifest.as_ref()?);
    if base_manifest.planned.plan == new_manifest.planned.plan {
        return Some(Vec::new());
    }
    let mut differences = Vec::new();
    let mut compare_setting = |name: &str, base_value: String, new_value: String| {
        if base_value != new_value {
            differences.push(format!("{name} ({base_value} -> {new_value})"));
        }
    };
    compare_setting(columns::SUITE, base_manifest.planned.suite.clone(), new_manifest.planned.suite.clone());
    compare_setting("items", base_manifest.planned.items.to_string(), new_manifest.planned.items.to_string());
    compare_setting("repeats", base_manifest.planned.repeats.to_string(), new_manifest.planned.repeats.to_string());
    compare_setting("key seeds", base_manifest.planned.seeds.to_string(), new_manifest.planned.seeds.to_string());
    compare_setting("sequence", base_manifest.planned.sequence.to_string(), new_manifest.planned.sequence.to_string());
    // Maps the path of each option to one pair of values for each variant that changes the option:
    // the value in BASE and the value in NEW.
    let mut changes: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut compare_options = |base_options: &OptionValues, new_options: &OptionValues, missing_text: &str| {
        for path in base_options.keys().chain(new_options.keys()).collect::<BTreeSet<_>>() {
            let [base_value, new_value] = [base_options, new_options]
                .map(|options| options.get(path).map_or(missing_text, String::as_str).to_owned());
            if base_value != new_value {
                changes.entry(path.clone()).or_default().push((base_value, new_value));
            }
        }
    };
    let mut shared_variant_count = 0;
    for (base_name, new_name) in results.variants.iter().zip(&results.new_names) {
        let new_name = new_name.as_ref().unwrap_or(base_name);
        if let Some((base_limit, new_limit)) = base_limits.get(base_name).zip(new_limits.get(new_name)) {
            compare_options(base_limit, new_limit, "none");
        }
        let options = base_manifest.planned.options.get(base_name).zip(new_manifest.planned.options.get(new_name));
        if let Some((base_options, new_options)) = options {
            shared_variant_count += 1;
            let [base_options, new_options] =
                [base_options, new_options].map(|options| paths::leaves(options).into_iter().collect());
            compare_options(&base_options, &new_options, "-");
        }
    }
    for (path, value_changes) in changes {
        let (base_value, new_value) = &value_changes[0];
        let all_equal = value_changes.iter().all(|change| change == &value_changes[0]);
        let and_others = if all_equal { "" } else { " and others" };
        let in_variants = if value_changes.len() < shared_variant_count {
            format!(" in {} of {shared_variant_count} variants", value_changes.len())
        } else {
            String::new()
        };
        differences.push(format!("{path}{in_variants} ({base_value} -> {new_value}{and_others})"));
    }
    for (side, side_name) in ["BASE", "NEW"].iter().enumerate() {
        // If there are several suites, a variant may have one group in each suite.
        let has_variant = |side: usize, variant: usize| {
            let mut lines = results.lines.iter().zip(&results.groups);
            lines.any(|(line, groups)| line.variant == variant && groups[side].is_some())
        };
        let other_side = 1 - side;
        let is_unmatched = |variant: &usize| has_variant(side, *variant) && !has_variant(other_side, *variant);
        let unmatched_count = (0..results.variants.len()).filter(is_unmatched).count();
        if unmatched_count > 0 {
            differences.push(format!("{} that only {side_name} has", plural(unmatched_count, columns::VARIANT)));
        }
    }
    if differences.is_empty() {
        differences.push("their positions, limits or variants, in ways that no manifest records".to_owned());
    }
    Some(differences)
}

/// A limit is split into parts such as depth and nodes. If a row has a suite, the names of the
/// parts include the name of the suite.
pub fn limits_by_variant(frame: &Frame) -> HashMap<String, OptionValues> {
    let [variants, suites, limits] =
        [columns::VARIANT, columns::SUITE, columns::LIMIT].map(|column| frame.text_column(column));
    // All rows of a variant in one suite have the same limits, so only the first row is read.
    let mut seen_variants_and_suites = HashSet::new();
    let mut limits_by_variant: HashMap<String, OptionValues> = HashMap::new();
    for row in 0..frame.rows() {
        if !seen_variants_and_suites.insert((variants.codes().get(row), suites.codes().get(row))) {
            continue;
        }
        let limit_parts = limits_by_variant.entry(variants.text(row).to_owned()).or_default();
        for (path, value) in split_limit(limits.text(row)).into_iter().filter(|(_, value)| !value.is_empty()) {
            let suite = suites.text(row);
            let name = if suite.is_empty() { path.to_owned() } else { format!("{path} in {suite}") };
            limit_parts.insert(name, value);
        }
    }
    limits_by_variant
}
