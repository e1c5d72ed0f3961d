//! Finds confounds. A confound is a second difference between variants that are compared in one
//! option. The variants may also differ in slots, entries, the layout, the rule for equal keys, the
//! key seed or the limits.

use crate::analysis::rows::seeds::KEYS_SEED;
use crate::decode::from_table;
use crate::experiment::baseline::Partners;
use crate::experiment::{Variant, paths, variant};
use crate::record::columns;
use crate::table::TableOptions;
use crate::text::and_more;
use std::collections::{BTreeMap, BTreeSet};
use toml::Table;

/// Controlled options: they should be equal in all variants, unless the experiment compares them.
const CONTROLLED: [&str; 6] =
    ["table.slots", "table.same_key", "table.layout", KEYS_SEED, "limit.depth", "limit.nodes"];

/// The number of entries. It follows from other options, but is treated like a controlled option.
const ENTRIES: &str = columns::ENTRIES;

/// The largest share by which two numbers of entries may differ and still count as equal. The
/// numbers of buckets are rounded, so that small differences are not deliberate.
const ROUNDING: f64 = 0.05;

struct VariantOptions {
    compared: BTreeMap<String, Vec<String>>,
    controlled: BTreeMap<&'static str, String>,
}

struct Level<'a> {
    first_variant: usize,
    controlled_values: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

/// A policy and all its parameters count as one option.
fn owning_option(path: &str) -> &str {
    if path.starts_with("table.policy.") { "table.policy" } else { path }
}

/// Only the design itself is compared, not these options.
fn design_columns(variant: &Variant) -> Vec<(String, String)> {
    let text = variant.table().map_or("", |table| table.design.toml());
    let design_table: Table = text.parse().unwrap_or_default();
    let design_options =
        from_table::<TableOptions>(design_table.clone()).map(|table| serde_json::json!({ "table": table }));
    let mut options = paths::flatten(&design_options.unwrap_or_default());
    // A path is `table.NAME` or longer. Options that the design does not set have default values
    // and are removed.
    options.retain(|(path, _)| path.split('.').nth(1).is_some_and(|name| design_table.contains_key(name)));
    options
}

/// Sorts the options of a variant into compared options and controlled options.
fn collect_options(variant: &Variant) -> VariantOptions {
    let mut options = VariantOptions { compared: BTreeMap::new(), controlled: BTreeMap::new() };
    let design_columns = design_columns(variant);
    for (path, value) in variant::option_columns(variant) {
        if design_columns.contains(&(path.clone(), value.clone())) {
            continue;
        }
        // The key seed is both a controlled and a compared option. It is controlled because it
        // changes counts, and it is compared because an experiment may vary it.
        if path == KEYS_SEED {
            options.compared.insert(path.clone(), vec![value.clone()]);
        }
        match CONTROLLED.into_iter().find(|name| *name == path) {
            Some(name) => {
                options.controlled.insert(name, value);
            }
            // The size is not compared. The number of entries is controlled instead.
            None if path == "table.size" => {}
            None => options.compared.entry(owning_option(&path).to_owned()).or_default().push(value),
        }
    }
    // Variants without a bounded table have no number of entries.
    let entries = variant.table().and_then(|table| crate::table::slot_count(table, None));
    options.controlled.extend(entries.map(|entries| (ENTRIES, entries.to_string())));
    options
}

/// Whether two sets of values of the option `name` have a value in common. Two numbers of entries
/// count as the same value if they are close.
fn have_common_value(name: &str, a: &BTreeSet<&str>, b: &BTreeSet<&str>) -> bool {
    let are_equal = |left: &str, right: &str| match (left.parse::<f64>(), right.parse::<f64>()) {
        (Ok(left), Ok(right)) if name == ENTRIES => (left - right).abs() <= ROUNDING * left.max(right),
        _ => left == right,
    };
    a.iter().any(|left| b.iter().any(|right| are_equal(left, right)))
}

/// Returns warnings about confounds. A value of a compared option is confounded if all variants
/// with this value differ in a controlled option from all variants with the baseline's value. Only
/// variants with the same baseline are compared. If the options are changed together by `[[zip]]`,
/// the confound is deliberate.
pub fn find_confounds(variants: &[Variant], partners: &Partners, zip: &[Table]) -> Vec<String> {
    // Returns a baseline and the variants that are compared with it.
    let variants_with_base = |base: usize| -> Vec<&Variant> {
        let has_base = |index: &usize| partners.baselines[*index] == Some(base) && *index != base;
        let compared = (0..variants.len()).filter(has_base).map(|index| &variants[index]);
        std::iter::once(&variants[base]).chain(compared).collect()
    };
    let zipped: BTreeSet<&str> = zip.iter().flat_map(Table::keys).map(|path| owning_option(path)).collect();
    let is_zipped = |option: &str| zipped.iter().any(|path| option == *path || option.starts_with(&format!("{path}.")));
    // The number of entries follows from other options, so it cannot be zipped itself.
    let is_deliberate = |confound: &Confound| {
        !zip.is_empty() && confound.options.iter().all(|option| option == ENTRIES || is_zipped(option))
    };
    let confounds = partners.bases().flat_map(|base| find_confounds_in_group(&variants_with_base(base)));
    confounds.filter(|confound| !is_deliberate(confound)).map(|confound| confound.sentence).collect()
}

/// A confound of variants that differ from their baseline in the same options.
struct Confound {
    /// The compared and the controlled options in which the variants differ from the baseline.
    options: BTreeSet<String>,
    sentence: String,
}

/// Finds the confounds in a list of variants. The first variant is the baseline of all others.
fn find_confounds_in_group(variants: &[&Variant]) -> Vec<Confound> {
    let variant_options: Vec<VariantOptions> = variants.iter().map(|variant| collect_options(variant)).collect();
    let base = &variant_options[0];
    // Maps the first variant at each confounded level to the compared and the controlled options in
    // which the level differs from the baseline.
    let mut differences: BTreeMap<usize, [BTreeSet<&str>; 2]> = BTreeMap::new();
    for (option, base_option_values) in &base.compared {
        // Maps the values of the option to the level with these values.
        let mut levels: BTreeMap<&[String], Level<'_>> = BTreeMap::new();
        for (index, options) in variant_options.iter().enumerate() {
            let Some(option_values) = options.compared.get(option) else { continue };
            let level = levels
                .entry(option_values)
                .or_insert_with(|| Level { first_variant: index, controlled_values: BTreeMap::new() });
            for (name, value) in &options.controlled {
                level.controlled_values.entry(name).or_default().insert(value);
            }
        }
        let Some(base_level) = levels.get(base_option_values.as_slice()) else { continue };
        for level in levels.iter().filter(|(values, _)| *values != base_option_values).map(|(_, level)| level) {
            for (name, values) in level.controlled_values.iter().filter(|(name, _)| *name != option) {
                // A baseline without a table has no values of the table's options to compare with.
                let base_values = base_level.controlled_values.get(name);
                if base_values.is_some_and(|base_values| !have_common_value(name, base_values, values)) {
                    let [compared, controlled] = differences.entry(level.first_variant).or_default();
                    compared.insert(option);
                    controlled.insert(name);
                }
            }
        }
    }
    // Variants that differ from the baseline in the same options are described by one sentence.
    let mut groups: Vec<([BTreeSet<&str>; 2], Vec<usize>)> = Vec::new();
    for (index, options) in differences {
        match groups.iter_mut().find(|(group_options, _)| *group_options == options) {
            Some((_, indices)) => indices.push(index),
            None => groups.push((options, vec![index])),
        }
    }
    let describe_group = |([compared, controlled], indices): ([BTreeSet<&str>; 2], Vec<usize>)| {
        let (first, baseline) = (indices[0], 0);
        let controlled_value =
            |index: usize, name: &str| variant_options[index].controlled.get(name).map_or("-", String::as_str);
        let with_values = controlled.iter().map(|name| {
            format!("{name} ({} against {})", controlled_value(first, name), controlled_value(baseline, name))
        });
        let differ = if indices.len() == 1 { "differs" } else { "differ" };
        let sentence = format!(
            "\"{}\"{} {differ} from the baseline \"{}\" in {}{}, and also in {}: any of these may explain why the results \
             differ",
            variants[first].name,
            and_more(indices.len() - 1),
            variants[baseline].name,
            compared.first().unwrap_or(&""),
            and_more(compared.len() - 1),
            with_values.collect::<Vec<_>>().join(" and "),
        );
        let options = compared.iter().chain(&controlled).map(|option| (*option).to_owned()).collect();
        Confound { options, sentence }
    };
    groups.into_iter().map(describe_group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A policy and its parameters are one option; another path that starts with the same letters
    /// does not belong to it.
    #[test]
    fn parameters_belong_to_their_policy() {
        let options = ["table.policy.kind", "table.policy.factor", "table.policy", "table.policies"].map(owning_option);
        assert_eq!(options, ["table.policy", "table.policy", "table.policy", "table.policies"]);
    }

    /// One common value is enough. Numbers of entries may differ by a twentieth of the larger;
    /// other values must be equal.
    #[test]
    fn sets_need_one_common_value() {
        let have_common = |name: &str, a: &[&'static str], b: &[&'static str]| {
            let [a, b] = [a, b].map(|values| values.iter().copied().collect::<BTreeSet<&str>>());
            assert_eq!(have_common_value(name, &a, &b), have_common_value(name, &b, &a));
            have_common_value(name, &a, &b)
        };
        assert!(have_common("table.slots", &["1", "2"], &["2", "4"]));
        assert!(!have_common("table.slots", &["1", "2"], &["4", "8"]));
        assert!(!have_common("table.slots", &["100"], &["101"]));
        assert!(!have_common("table.slots", &[], &["1"]));
        assert!(have_common(ENTRIES, &["950"], &["1000", "4000"]));
        assert!(!have_common(ENTRIES, &["949"], &["1000", "4000"]));
        assert!(have_common(ENTRIES, &["none"], &["none"]));
        assert!(!have_common(ENTRIES, &["none"], &["1000"]));
    }
}
