//! Variants that differ in more than what they are compared in: slots, entries, bytes, the rule for the same key, the seed of the keys, limits.

use crate::analysis::rows::seeds::KEYS_SEED;
use crate::experiment::{Variant, grid};
use crate::record::columns;
use std::collections::{BTreeMap, BTreeSet};

/// What should be the same, unless it is what is compared.
const WATCHED: [&str; 6] = ["table.slots", "table.same_key", "table.layout", KEYS_SEED, "limit.depth", "limit.nodes"];

/// What is watched too, but follows from other options: the number of entries.
const ENTRIES: &str = columns::ENTRIES;

/// Entries that differ by less than this share are as good as equal: buckets are rounded.
const ROUNDING: f64 = 0.05;

/// One point: what each compared thing is, and what each watched thing is.
struct Seen {
    compared: BTreeMap<String, Vec<String>>,
    watched: BTreeMap<&'static str, String>,
}

/// A value of a compared thing: the first point that has it, and what is watched in all that do.
type Valued<'a> = (usize, BTreeMap<&'a str, BTreeSet<&'a str>>);

/// The thing that a path belongs to: a policy is one thing with all its parameters.
fn thing(path: &str) -> &str {
    if path.starts_with("table.policy.") { "table.policy" } else { path }
}

fn seen(point: &Variant) -> Seen {
    let mut seen = Seen { compared: BTreeMap::new(), watched: BTreeMap::new() };
    for (path, value) in grid::option_columns(point) {
        // The seed of the keys alone moves counts: watched, and compared like any option.
        if path == KEYS_SEED {
            seen.compared.insert(path.clone(), vec![value.clone()]);
        }
        match WATCHED.into_iter().find(|watched| *watched == path) {
            Some(watched) => _ = seen.watched.insert(watched, value),
            // Sizes are watched by the entries that they come to.
            None if path == "table.size" => {}
            None => seen.compared.entry(thing(&path).to_owned()).or_default().push(value),
        }
    }
    // How many entries the table has room for.
    let entries = crate::table::entries(&point.options.table, None);
    seen.watched.extend(entries.map(|entries| (ENTRIES, entries.to_string())));
    seen
}

/// Whether two lists of values have one in common; numbers of entries need only be near.
fn meet(what: &str, one: &BTreeSet<&str>, other: &BTreeSet<&str>) -> bool {
    let near = |a: &str, b: &str| match (what == ENTRIES, a.parse::<f64>(), b.parse::<f64>()) {
        (true, Ok(a), Ok(b)) => (a - b).abs() <= ROUNDING * a.max(b),
        _ => a == b,
    };
    one.iter().any(|a| other.iter().any(|b| near(a, b)))
}

/// Tells of each compared thing whose values never meet the baseline's at the same value of something watched.
pub fn confounds(variants: &[Variant], baseline: usize) -> Vec<String> {
    let points: Vec<Seen> = variants.iter().map(seen).collect();
    let Some(base) = points.get(baseline) else { return Vec::new() };
    // What is apart in the same points is told once: presets differ in dozens of things.
    let mut found: BTreeMap<(&str, Vec<usize>), Vec<&str>> = BTreeMap::new();
    for (thing, own) in &base.compared {
        // The watched values of each value of the thing.
        let mut levels: BTreeMap<&[String], Valued<'_>> = BTreeMap::new();
        for (at, point) in points.iter().enumerate() {
            let Some(level) = point.compared.get(thing) else { continue };
            let (_, watched) = levels.entry(level).or_insert_with(|| (at, BTreeMap::new()));
            for (what, value) in &point.watched {
                watched.entry(what).or_default().insert(value);
            }
        }
        let Some((_, base_watched)) = levels.get(own.as_slice()) else { continue };
        let mut apart: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, watched) in levels.iter().filter(|(level, _)| *level != own).map(|(_, level)| level) {
            for (what, values) in watched.iter().filter(|(what, _)| *what != thing) {
                // Without a table there are no slots to be equal.
                if base_watched.get(what).is_some_and(|base| !meet(what, base, values)) {
                    apart.entry(what).or_default().push(*at);
                }
            }
        }
        for (what, mut places) in apart {
            places.sort_unstable();
            found.entry((what, places)).or_default().push(thing);
        }
    }
    let message = |((what, places), things): ((&str, Vec<usize>), Vec<&str>)| {
        let value = |at: usize| points[at].watched.get(what).map_or("-", String::as_str);
        let more = |number: usize| if number > 0 { format!(" and {number} more") } else { String::new() };
        format!(
            "unlike variants: \"{}\"{} and the baseline \"{}\" differ in {}{}, and never at equal {what} ({} against {}): what tells \
             them apart may be either",
            variants[places[0]].name,
            more(places.len() - 1),
            variants[baseline].name,
            things[0],
            more(things.len() - 1),
            value(places[0]),
            value(baseline),
        )
    };
    found.into_iter().map(message).collect()
}

/// Tells of variants that are different engines, by the first words of what each calls itself: versions of one are compared as builds are.
pub fn engines<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let names: BTreeSet<&str> = names.into_iter().map(|name| name.split_whitespace().next().unwrap_or(name)).collect();
    let list: Vec<&str> = names.into_iter().collect();
    (list.len() > 1).then(|| {
        format!("nodes of different engines ({}) are not the same work: compare an engine with itself", list.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One engine in several versions is one; two are told in order.
    #[test]
    fn different_engines_are_told() {
        assert_eq!(engines(["Stockfish 16", "Stockfish 17 dev", "Stockfish"]), None);
        assert_eq!(engines([]), None);
        let message = engines(["Stockfish 16", "ours", "Glaurung 2.2"]);
        assert!(message.is_some_and(|message| {
            message.starts_with("nodes of different engines (Glaurung, Stockfish, ours) are not")
        }));
    }

    /// A policy is one thing, whatever its parameters are; what only begins like one is another.
    #[test]
    fn parameters_belong_to_their_policy() {
        let things = ["table.policy.kind", "table.policy.factor", "table.policy", "table.policies"].map(thing);
        assert_eq!(things, ["table.policy", "table.policy", "table.policy", "table.policies"]);
    }

    /// Lists meet in one value; entries in what is near by a twentieth of the larger, other things in what is equal.
    #[test]
    fn lists_meet_in_one_value() {
        let met = |what: &str, one: &[&'static str], other: &[&'static str]| {
            let [one, other] = [one, other].map(|values| values.iter().copied().collect::<BTreeSet<&str>>());
            assert_eq!(meet(what, &one, &other), meet(what, &other, &one));
            meet(what, &one, &other)
        };
        assert!(met("table.slots", &["1", "2"], &["2", "4"]) && !met("table.slots", &["1", "2"], &["4", "8"]));
        assert!(!met("table.slots", &["100"], &["101"]) && !met("table.slots", &[], &["1"]));
        assert!(met(ENTRIES, &["950"], &["1000", "4000"]) && !met(ENTRIES, &["949"], &["1000", "4000"]));
        assert!(met(ENTRIES, &["none"], &["none"]) && !met(ENTRIES, &["none"], &["1000"]));
    }

    /// Two policies at four slots beside a baseline at one: told once, with how many they are and each side's own value; not of who has a size like the
    /// baseline's, nor where one at least of its variants does.
    #[test]
    fn unlike_variants_are_counted_and_named() {
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
            confounds(&read.variants, read.baseline)
        };
        let base = ("base", "always", 1);
        let start = |first: &str| {
            format!(
                "unlike variants: {first} and the baseline \"base\" differ in table.policy, and never at equal table.slots (4 against 1): what tells \
                 them apart may be either"
            )
        };
        assert_eq!(message(&[("a", "big1", 4), base, ("b", "random", 4)]), [start("\"a\" and 1 more")]);
        assert_eq!(message(&[base, ("a", "big1", 1), ("b", "random", 4)]), [start("\"b\"")]);
        assert_eq!(message(&[base, ("a", "big1", 4), ("c", "big1", 1)]), Vec::<String>::new());
        assert_eq!(message(&[base, ("a", "always", 4)]), Vec::<String>::new());
        // What differs beside it is counted; what has no table has no entries to be equal.
        let two = message(&[base, ("a", "big1'\n'draws' = true\n'probe.at' = 'before-leaf", 4)]);
        assert_eq!(two, [start("\"a\"").replace("differ in table.policy", "differ in draws and 2 more")]);
        let tables = |base: &str, other: &str| message(&[("base", base, 1), ("a", other, 1)]);
        let none = "always'\n'table.kind' = 'none";
        assert_eq!([tables(none, "always"), tables("always", none)].concat(), Vec::<String>::new());
    }
}
