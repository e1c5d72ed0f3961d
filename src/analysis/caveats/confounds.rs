//! Variants that differ in more than the option that is compared: slots, entries, bytes, the rule
//! for the same key, key seed, limits.

use crate::analysis::rows::seeds::KEYS_SEED;
use crate::experiment::baseline::Partners;
use crate::experiment::{Variant, variant};
use crate::record::columns;
use crate::text::and_more;
use std::collections::{BTreeMap, BTreeSet};

/// Options that should be equal, unless they are what is compared.
const CONTROLLED: [&str; 6] =
    ["table.slots", "table.same_key", "table.layout", KEYS_SEED, "limit.depth", "limit.nodes"];

/// Also controlled, although it follows from other options: the number of entries.
const ENTRIES: &str = columns::ENTRIES;

/// Numbers of entries that differ by less than this share count as equal: buckets are rounded.
const ROUNDING: f64 = 0.05;

/// One point: the value of each compared option, and of each controlled one.
struct PointOptions {
    compared: BTreeMap<String, Vec<String>>,
    controlled: BTreeMap<&'static str, String>,
}

/// A level of a compared option: the first point that has it, and the controlled values of all
/// points that do.
type Level<'a> = (usize, BTreeMap<&'a str, BTreeSet<&'a str>>);

/// The option that a path belongs to: a policy with all its parameters is one option.
fn owning_option(path: &str) -> &str {
    if path.starts_with("table.policy.") { "table.policy" } else { path }
}

fn collect_options(point: &Variant) -> PointOptions {
    let mut options = PointOptions { compared: BTreeMap::new(), controlled: BTreeMap::new() };
    for (path, value) in variant::option_columns(point) {
        // The key seed alone changes counts: it is controlled, and compared like any option.
        if path == KEYS_SEED {
            options.compared.insert(path.clone(), vec![value.clone()]);
        }
        match CONTROLLED.into_iter().find(|watched| *watched == path) {
            Some(watched) => _ = options.controlled.insert(watched, value),
            // Sizes are controlled by the number of entries.
            None if path == "table.size" => {}
            None => options.compared.entry(owning_option(&path).to_owned()).or_default().push(value),
        }
    }
    // The number of entries that the table has room for.
    let entries = point.table().and_then(|table| crate::table::entries(table, None));
    options.controlled.extend(entries.map(|entries| (ENTRIES, entries.to_string())));
    options
}

/// Whether two sets have a value in common; numbers of entries need only be close.
fn have_common_value(what: &str, a: &BTreeSet<&str>, b: &BTreeSet<&str>) -> bool {
    let near = |x: &str, y: &str| match (what == ENTRIES, x.parse::<f64>(), y.parse::<f64>()) {
        (true, Ok(x), Ok(y)) => (x - y).abs() <= ROUNDING * x.max(y),
        _ => x == y,
    };
    a.iter().any(|x| b.iter().any(|y| near(x, y)))
}

/// Warns of each compared option whose levels never share a controlled value with the baseline's,
/// for every baseline and the variants that are compared with it.
pub fn find_confounds(variants: &[Variant], partners: &Partners) -> Vec<String> {
    let group = |base: usize| -> Vec<&Variant> {
        let own = variants.iter().zip(&partners.baselines).enumerate();
        let own = own.filter(|(index, (_, partner))| **partner == Some(base) && *index != base);
        std::iter::once(&variants[base]).chain(own.map(|(_, (variant, _))| variant)).collect()
    };
    partners.bases().flat_map(|base| find_in_group(&group(base))).collect()
}

/// The same for variants that have one baseline, the first of them.
fn find_in_group(variants: &[&Variant]) -> Vec<String> {
    let points: Vec<PointOptions> = variants.iter().map(|variant| collect_options(variant)).collect();
    let base = &points[0];
    // Options that differ in the same points give one warning: presets differ in dozens of options.
    let mut found: BTreeMap<(&str, Vec<usize>), Vec<&str>> = BTreeMap::new();
    for (thing, own) in &base.compared {
        // The controlled values of each level of the option.
        let mut levels: BTreeMap<&[String], Level<'_>> = BTreeMap::new();
        for (index, point) in points.iter().enumerate() {
            let Some(level) = point.compared.get(thing) else { continue };
            let (_, watched) = levels.entry(level).or_insert_with(|| (index, BTreeMap::new()));
            for (what, value) in &point.controlled {
                watched.entry(what).or_default().insert(value);
            }
        }
        let Some((_, base_watched)) = levels.get(own.as_slice()) else { continue };
        let mut separated: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, watched) in levels.iter().filter(|(level, _)| *level != own).map(|(_, level)| level) {
            for (what, values) in watched.iter().filter(|(what, _)| *what != thing) {
                // Without a table there are no slots to be equal.
                if base_watched.get(what).is_some_and(|base| !have_common_value(what, base, values)) {
                    separated.entry(what).or_default().push(*index);
                }
            }
        }
        for (what, mut places) in separated {
            places.sort_unstable();
            found.entry((what, places)).or_default().push(thing);
        }
    }
    // Variants that differ in several controlled options get one message.
    let mut pairs: BTreeMap<Vec<usize>, (BTreeSet<&str>, Vec<&str>)> = BTreeMap::new();
    for ((what, places), things) in found {
        let (compared, controlled) = pairs.entry(places).or_default();
        compared.extend(things);
        controlled.push(what);
    }
    let message = |(places, (things, controlled)): (Vec<usize>, (BTreeSet<&str>, Vec<&str>))| {
        let value = |index: usize, what: &str| points[index].controlled.get(what).map_or("-", String::as_str);
        let with_values =
            controlled.iter().map(|what| format!("{what} ({} against {})", value(places[0], what), value(0, what)));
        format!(
            "confounded variants: \"{}\"{} and the baseline \"{}\" differ in {}{} and also in {}, so that their difference may come from \
             either",
            variants[places[0]].name,
            and_more(places.len() - 1),
            variants[0].name,
            things.first().unwrap_or(&""),
            and_more(things.len() - 1),
            with_values.collect::<Vec<_>>().join(" and "),
        )
    };
    pairs.into_iter().map(message).collect()
}

/// Warns of variants that are different engines, by the first word of their names: versions of one
/// engine may be compared.
pub fn different_engines<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let names: BTreeSet<&str> = names.into_iter().map(|name| name.split_whitespace().next().unwrap_or(name)).collect();
    let list: Vec<&str> = names.into_iter().collect();
    (list.len() > 1).then(|| {
        format!("nodes of different engines ({}) are not the same work: compare an engine with itself", list.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Several versions of one engine count as one; others are listed in order.
    #[test]
    fn different_engines_are_listed() {
        assert_eq!(different_engines(["Stockfish 16", "Stockfish 17 dev", "Stockfish"]), None);
        assert_eq!(different_engines([]), None);
        let message = different_engines(["Stockfish 16", "ours", "Glaurung 2.2"]);
        assert!(message.is_some_and(|message| {
            message.starts_with("nodes of different engines (Glaurung, Stockfish, ours) are not")
        }));
    }

    /// A policy is one option with all its parameters; another path with the same start is not.
    #[test]
    fn parameters_belong_to_their_policy() {
        let things = ["table.policy.kind", "table.policy.factor", "table.policy", "table.policies"].map(owning_option);
        assert_eq!(things, ["table.policy", "table.policy", "table.policy", "table.policies"]);
    }

    /// One common value is enough; entries may differ by a twentieth of the larger, other values
    /// not.
    #[test]
    fn sets_need_one_common_value() {
        let have_common = |what: &str, one: &[&'static str], other: &[&'static str]| {
            let [one, other] = [one, other].map(|values| values.iter().copied().collect::<BTreeSet<&str>>());
            assert_eq!(have_common_value(what, &one, &other), have_common_value(what, &other, &one));
            have_common_value(what, &one, &other)
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

    /// Two policies with four slots beside a baseline with one give a single warning with their
    /// number and both sides' values. A policy with a variant of the baseline's size gives none.
    #[test]
    fn confounded_variants_are_counted_and_named() {
        let message = |variants: &[(&str, &str, u8)]| {
            let variant = |(name, policy, slots): &(&str, &str, u8)| {
                format!("[[variant]]\nname = '{name}'\n'table.policy' = '{policy}'\n'table.slots' = {slots}\n")
            };
            let text = format!(
                "suite = {{ startpos = true }}\nlimit = {{ depth = 3 }}\nbaseline = {{ variant = 'base' }}\n{}",
                variants.iter().map(variant).collect::<String>()
            );
            let read = crate::experiment::Experiment::parse(&text, std::path::Path::new("x.toml"), &[]);
            let read = read.unwrap_or_else(|problem| panic!("{problem}"));
            find_confounds(&read.variants, &read.partners)
        };
        let base = ("base", "always", 1);
        let start = |first: &str| {
            format!(
                "confounded variants: {first} and the baseline \"base\" differ in table.policy and also in table.slots (4 against 1), so that \
                 their difference may come from either"
            )
        };
        assert_eq!(message(&[("a", "big1", 4), base, ("b", "random", 4)]), [start("\"a\" and 1 more")]);
        assert_eq!(message(&[base, ("a", "big1", 1), ("b", "random", 4)]), [start("\"b\"")]);
        assert_eq!(message(&[base, ("a", "big1", 4), ("c", "big1", 1)]), Vec::<String>::new());
        assert_eq!(message(&[base, ("a", "always", 4)]), Vec::<String>::new());
        // The other options are counted; a variant without a table has no entries to compare.
        let two = message(&[base, ("a", "big1'\n'draws' = true\n'probe.at' = 'before-leaf", 4)]);
        assert_eq!(two, [start("\"a\"").replace("differ in table.policy", "differ in draws and 2 more")]);
        let tables = |base: &str, other: &str| message(&[("base", base, 1), ("a", other, 1)]);
        let none = "always'\n'table.kind' = 'none";
        assert_eq!([tables(none, "always"), tables("always", none)].concat(), Vec::<String>::new());
    }
}
