//! Variants that differ in more than the option that is compared: slots, entries, bytes, the rule
//! for the same key, key seed, limits.

use super::Caveats;
use crate::analysis::rows::seeds::KEYS_SEED;
use crate::decode::from_table;
use crate::experiment::baseline::Partners;
use crate::experiment::{Variant, paths, variant};
use crate::record::columns;
use crate::table::TableOptions;
use crate::text::{and_more, quote_names};
use std::collections::{BTreeMap, BTreeSet};
use toml::Table;

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

/// The options that a variant has of its `table.design`, which is the one that is compared.
fn design_columns(point: &Variant) -> Vec<(String, String)> {
    let text = point.table().map_or("", |table| table.design.text());
    let set: Table = text.parse().unwrap_or_default();
    let all = from_table::<TableOptions>(set.clone()).map(|table| serde_json::json!({ "table": table }));
    let mut columns = paths::flatten(&all.unwrap_or_default());
    columns.retain(|(path, _)| path.split('.').nth(1).is_some_and(|name| set.contains_key(name)));
    columns
}

fn collect_options(point: &Variant) -> PointOptions {
    let mut options = PointOptions { compared: BTreeMap::new(), controlled: BTreeMap::new() };
    let of_design = design_columns(point);
    for (path, value) in variant::option_columns(point) {
        if of_design.contains(&(path.clone(), value.clone())) {
            continue;
        }
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
/// for every baseline and the variants that are compared with it. What `[[zip]]` changes together
/// is deliberate: a note.
pub fn find_confounds(variants: &[Variant], partners: &Partners, zip: &[Table]) -> Caveats {
    let group = |base: usize| -> Vec<&Variant> {
        let own = variants.iter().zip(&partners.baselines).enumerate();
        let own = own.filter(|(index, (_, partner))| **partner == Some(base) && *index != base);
        std::iter::once(&variants[base]).chain(own.map(|(_, (variant, _))| variant)).collect()
    };
    let zipped: BTreeSet<&str> = zip.iter().flat_map(Table::keys).map(|path| owning_option(path)).collect();
    let is_zipped = |option: &str| zipped.iter().any(|path| option == *path || option.starts_with(&format!("{path}.")));
    // Entries follow from the other options of the table.
    let is_deliberate =
        |found: &Confound| !zip.is_empty() && found.options.iter().all(|option| option == ENTRIES || is_zipped(option));
    let groups: Vec<Vec<&Variant>> = partners.bases().map(group).collect();
    let mut caveats = Caveats::default();
    for found in groups.iter().flat_map(|group| find_in_group(group)) {
        match is_deliberate(&found) {
            true => caveats.notes.push(format!("{}, as [[zip]] says", found.sentence)),
            false => caveats.warnings.push(format!("{}: their difference may come from any of them", found.sentence)),
        }
    }
    caveats
}

/// A sentence about variants whose group has no baseline, with the nearest to the first of them.
pub(super) fn variants_alone(variants: &[Variant], partners: &Partners) -> Option<String> {
    let alone: Vec<usize> = (0..variants.len()).filter(|&index| partners.baselines[index].is_none()).collect();
    let first = *alone.first()?;
    let differing = |base: usize| -> BTreeSet<String> {
        let [own, other] = [first, base].map(|index| BTreeMap::from_iter(variant::option_columns(&variants[index])));
        let paths = own.keys().chain(other.keys()).filter(|path| own.get(*path) != other.get(*path));
        paths.map(|path| owning_option(path).to_owned()).collect()
    };
    let (base, options) =
        partners.bases().map(|base| (base, differing(base))).min_by_key(|(_, options)| options.len())?;
    let names: Vec<&str> = alone.iter().map(|&index| variants[index].name.as_str()).collect();
    let (has, stands) = if names.len() == 1 { ("has", "stands") } else { ("have", "stand") };
    Some(format!(
        "{} {has} no baseline in the same group and {stands} alone; the nearest to \"{}\" is \"{}\": they differ in {}{}",
        quote_names(&names),
        names[0],
        variants[base].name,
        options.iter().take(3).cloned().collect::<Vec<_>>().join(", "),
        and_more(options.len().saturating_sub(3))
    ))
}

/// Variants that differ from their baseline in several options.
struct Confound {
    options: BTreeSet<String>,
    sentence: String,
}

/// The same for variants that have one baseline, the first of them.
fn find_in_group(variants: &[&Variant]) -> Vec<Confound> {
    let points: Vec<PointOptions> = variants.iter().map(|variant| collect_options(variant)).collect();
    let base = &points[0];
    // The compared and the controlled options in which a variant differs from the baseline.
    let mut found: BTreeMap<usize, [BTreeSet<&str>; 2]> = BTreeMap::new();
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
        for (index, watched) in levels.iter().filter(|(level, _)| *level != own).map(|(_, level)| level) {
            for (what, values) in watched.iter().filter(|(what, _)| *what != thing) {
                // Without a table there are no slots to be equal.
                if base_watched.get(what).is_some_and(|base| !have_common_value(what, base, values)) {
                    let [compared, controlled] = found.entry(*index).or_default();
                    compared.insert(thing);
                    controlled.insert(what);
                }
            }
        }
    }
    // Variants that differ in the same options share a sentence, so that a pair has one.
    let mut groups_of_equals: Vec<([BTreeSet<&str>; 2], Vec<usize>)> = Vec::new();
    for (index, options) in found {
        match groups_of_equals.iter_mut().find(|(known, _)| *known == options) {
            Some((_, places)) => places.push(index),
            None => groups_of_equals.push((options, vec![index])),
        }
    }
    let confound = |([compared, controlled], places): ([BTreeSet<&str>; 2], Vec<usize>)| {
        let value = |index: usize, what: &str| points[index].controlled.get(what).map_or("-", String::as_str);
        let with_values =
            controlled.iter().map(|what| format!("{what} ({} against {})", value(places[0], what), value(0, what)));
        let sentence = format!(
            "\"{}\"{} and the baseline \"{}\" differ in {}{} and also in {}",
            variants[places[0]].name,
            and_more(places.len() - 1),
            variants[0].name,
            compared.first().unwrap_or(&""),
            and_more(compared.len() - 1),
            with_values.collect::<Vec<_>>().join(" and "),
        );
        let options = compared.iter().chain(&controlled).map(|option| (*option).to_owned()).collect();
        Confound { options, sentence }
    };
    groups_of_equals.into_iter().map(confound).collect()
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
            find_confounds(&read.variants, &read.partners, &read.file.zip).warnings
        };
        let base = ("base", "always", 1);
        let start = |first: &str| {
            format!(
                "{first} and the baseline \"base\" differ in table.policy and also in table.slots (4 against 1): their difference may \
                 come from any of them"
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

    /// Designs differ in many options, of which their name is the one that is compared; their
    /// numbers of entries are another matter.
    #[test]
    fn designs_differ_in_one_option_and_their_entries() {
        let warnings = |size: &str| {
            let text = format!(
                "suite = {{ startpos = true }}\nlimit = {{ depth = 3 }}\nbaseline = {{ 'table.design' = 'weiss' }}\n[grid]\n\
                 'table.size' = [{size}]\n'table.design' = ['weiss', 'ethereal', 'stormphrax', 'reckless']"
            );
            let read = crate::experiment::Experiment::parse(&text, std::path::Path::new("x.toml"), &[]);
            let read = read.unwrap_or_else(|problem| panic!("{problem}"));
            find_confounds(&read.variants, &read.partners, &read.file.zip).warnings
        };
        assert_eq!(warnings("3072"), Vec::<String>::new());
        let [warning] = &warnings("'1 MiB'")[..] else { panic!("{:?}", warnings("'1 MiB'")) };
        let rest = "differ in table.design and also in entries (98304 against 65536): their difference may come from any of them";
        assert!(warning.ends_with(rest) && warning.contains(" and 2 more "), "{warning}");
    }

    /// What is zipped is deliberate; another difference beside it is not.
    #[test]
    fn zipped_options_are_a_note() {
        let caveats = |zip: &str| {
            let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 3 }}\n[[zip]]\n{zip}");
            let read = crate::experiment::Experiment::parse(&text, std::path::Path::new("x.toml"), &[]);
            let read = read.unwrap_or_else(|problem| panic!("{problem}"));
            let found = find_confounds(&read.variants, &read.partners, &read.file.zip);
            (found.warnings.len(), found.notes)
        };
        let zip = "'table.policy' = ['always', 'big1']\n'table.slots' = [1, 4]\n";
        let (warnings, notes) = caveats(zip);
        assert!(
            warnings == 0 && notes.len() == 1 && notes[0].ends_with(" (4 against 1), as [[zip]] says"),
            "{notes:?}"
        );
    }
}
