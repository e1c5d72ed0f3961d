//! How the plans of two results differ, which a reader of a comparison asks first.

use super::paired_rows::{PairedResults, RecordedResult};
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::limits::split_limit;
use crate::record::columns;
use crate::text::plural;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A program that was measured.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct MeasuredProgram {
    /// What it calls itself.
    pub name: String,
    /// Its file and arguments; empty for ttlab's own engine.
    pub program: String,
    /// ttlab's build, or the SHA-256 of the engine's file.
    pub build: String,
}

impl std::fmt::Display for MeasuredProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.program.is_empty() {
            true => write!(f, "{} {}", self.name, self.build),
            false => write!(f, "{} ({}, SHA-256 {:.12})", self.name, self.program, self.build),
        }
    }
}

/// The programs that a result measured, by name.
pub fn programs(side: &RecordedResult) -> Vec<MeasuredProgram> {
    let Some(manifest) = &side.manifest else { return Vec::new() };
    let variants = side.frame.text_column(columns::VARIANT);
    let is_own = variants.list().iter().any(|variant| !manifest.subjects.contains_key(variant.as_str()));
    let build = &manifest.build;
    let build = format!("{} ({}, {})", build.version, build.commit, build.profile);
    let own = MeasuredProgram { name: "ttlab".to_owned(), build, ..Default::default() };
    let external = manifest.subjects.values().map(|engine| MeasuredProgram {
        name: engine.name.clone(),
        program: std::iter::once(&engine.program).chain(&engine.arguments).cloned().collect::<Vec<_>>().join(" "),
        build: engine.sha256.clone(),
    });
    let all: BTreeSet<MeasuredProgram> = external.chain(is_own.then_some(own)).collect();
    all.into_iter().collect()
}

/// Options by dotted path.
type OptionValues = BTreeMap<String, String>;

/// The differences between the plans; empty if they are equal, none if a manifest is missing.
pub fn plan_differences(base: &RecordedResult, new: &RecordedResult, joined: &PairedResults) -> Option<Vec<String>> {
    let (old, fresh) = (base.manifest.as_ref()?, new.manifest.as_ref()?);
    if old.plan == fresh.plan {
        return Some(Vec::new());
    }
    let mut differences = Vec::new();
    let mut text = |what: &str, old: String, fresh: String| {
        if old != fresh {
            differences.push(format!("{what} ({old} -> {fresh})"));
        }
    };
    text(columns::SUITE, old.suite.clone(), fresh.suite.clone());
    text("items", old.items.to_string(), fresh.items.to_string());
    // The depth that a node limit allowed is not part of the plan.
    let limits_recorded = [base, new].iter().all(|side| side.frame.has(columns::LIMIT));
    if !limits_recorded {
        text(columns::DEPTH, max_depth(base), max_depth(new));
    }
    text("repeats", old.repeats.to_string(), fresh.repeats.to_string());
    text("key seeds", old.seeds.to_string(), fresh.seeds.to_string());
    text("sequence", old.sequence.to_string(), fresh.sequence.to_string());
    let mut changes: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut compare = |old: &OptionValues, fresh: &OptionValues, none: &str| {
        for path in old.keys().chain(fresh.keys()).collect::<BTreeSet<_>>() {
            let [from, to] = [old, fresh].map(|leaves| leaves.get(path).map_or(none, String::as_str).to_owned());
            if from != to {
                changes.entry(path.clone()).or_default().push((from, to));
            }
        }
    };
    let limits = [base, new].map(|side| limits_by_variant(&side.frame));
    let mut both = 0;
    for (name, renamed) in joined.variants.iter().zip(&joined.renamed) {
        let theirs = renamed.as_ref().unwrap_or(name);
        if let Some((old, fresh)) = limits[0].get(name).zip(limits[1].get(theirs)) {
            compare(old, fresh, "none");
        }
        if let Some((old, fresh)) = old.options.get(name).zip(fresh.options.get(theirs)) {
            both += 1;
            compare(&flatten_options(old), &flatten_options(fresh), "-");
        }
    }
    for (path, moves) in changes {
        let (from, to) = &moves[0];
        let all_equal = moves.iter().all(|change| change == &moves[0]);
        let values = if all_equal { format!("{from} -> {to}") } else { format!("{from} -> {to} and others") };
        let in_variants =
            if moves.len() < both { format!(" in {} of {both} variants", moves.len()) } else { String::new() };
        differences.push(format!("{path}{in_variants} ({values})"));
    }
    for (index, side) in ["BASE", "NEW"].iter().enumerate() {
        // With several suites a variant may have one group in each.
        let has = |variant: usize, side: usize| {
            let own = joined.lines.iter().zip(&joined.groups).filter(|(line, _)| line.variant == variant);
            own.into_iter().any(|(_, groups)| groups[side].is_some())
        };
        let alone =
            (0..joined.variants.len()).filter(|&variant| has(variant, index) && !has(variant, 1 - index)).count();
        if alone > 0 {
            differences.push(format!("{} that only {side} has", plural(alone, columns::VARIANT)));
        }
    }
    if differences.is_empty() {
        differences.push("their positions, limits or variants, in ways that no manifest records".to_owned());
    }
    Some(differences)
}

/// Flattens a value to dotted paths.
fn flatten_options(value: &serde_json::Value) -> OptionValues {
    match value {
        serde_json::Value::Object(fields) => {
            let nested = |(name, value): (&String, &serde_json::Value)| {
                let path = |path: String| if path.is_empty() { name.clone() } else { format!("{name}.{path}") };
                flatten_options(value).into_iter().map(|(nested, leaf)| (path(nested), leaf)).collect::<Vec<_>>()
            };
            fields.iter().flat_map(nested).collect()
        }
        leaf => OptionValues::from([(String::new(), leaf.as_str().map_or_else(|| leaf.to_string(), str::to_owned))]),
    }
}

/// The limit of each variant (and suite), split into its parts.
fn limits_by_variant(frame: &Frame) -> HashMap<String, OptionValues> {
    let [variants, suites, limits] =
        [columns::VARIANT, columns::SUITE, columns::LIMIT].map(|column| frame.text_column(column));
    let mut known = HashSet::new();
    let mut limits_by_variant: HashMap<String, OptionValues> = HashMap::new();
    for row in 0..frame.rows() {
        if !known.insert((variants.codes()[row], suites.codes()[row])) {
            continue;
        }
        let leaves = limits_by_variant.entry(variants.text(row).to_owned()).or_default();
        for (path, value) in split_limit(limits.text(row)).into_iter().filter(|(_, value)| !value.is_empty()) {
            let suite = suites.text(row);
            let of_suite = if suite.is_empty() { path.to_owned() } else { format!("{path} in {suite}") };
            leaves.insert(of_suite, value);
        }
    }
    limits_by_variant
}

/// The greatest depth that was searched.
fn max_depth(side: &RecordedResult) -> String {
    side.frame.numbers(columns::DEPTH).iter().copied().fold(0.0, f64::max).to_string()
}
