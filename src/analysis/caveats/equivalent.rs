//! Finds variants that are the same search under two names. They differ only in options that have
//! no effect, because another option switches them off.

use crate::experiment::{Variant, variant};
use crate::table::TableKind;
use crate::table::policy::Policy;
use crate::text::plural;
use std::collections::BTreeMap;

/// A condition on the value of a switching option. If the condition is met, another option has no
/// effect.
enum When {
    Is(&'static str),
    IsNot(&'static str),
    DoesNotContain(&'static str),
}

/// The options that another option can switch off: the beginning of an option's path, the option
/// that switches it off, and the condition under which this happens.
const SWITCHES: &[(&str, &str, When)] = &[
    ("quiescence.", "leaf", When::Is("static")),
    ("leaf_mates", "leaf", When::Is("quiescence")),
    ("lmr.full_moves", "lmr.min_depth", When::Is("0")),
    ("lmr.reduction", "lmr.min_depth", When::Is("0")),
    ("null_move.reduction", "null_move.min_depth", When::Is("0")),
    ("singular.double", "singular.min_depth", When::Is("0")),
    ("mvv_lva", "ordering", When::DoesNotContain("mvv-lva")),
    ("aspiration", "deepening.step", When::Is("0")),
    ("deepening.start", "deepening.step", When::Is("0")),
    ("probe.", "table.kind", When::Is("none")),
    ("store.", "table.kind", When::Is("none")),
    ("etc_depth", "table.kind", When::Is("none")),
    ("table.forget_part", "table.forget", When::Is("0.0")),
    ("table.forget", "table.kind", When::Is("none")),
    ("table.guard", "table.same_key", When::IsNot("guard")),
    ("table.policy.empty_depth", "table.policy.weigh_empty", When::Is("false")),
    ("table.policy", ONE_SLOT, When::Is("1")),
    ("table.policy", "table.kind", When::Is("unbounded")),
    ("table.size", "table.kind", When::Is("unbounded")),
    ("table.slots", "table.kind", When::Is("unbounded")),
    ("table.layout", "table.kind", When::Is("unbounded")),
    ("table.index", "table.kind", When::Is("unbounded")),
    ("threads.", "threads.count", When::Is("1")),
];

/// A fact, not an option: a policy that refuses no store has one slot for it, so all such are one.
const ONE_SLOT: &str = "no store is refused and table.slots";

type OptionValues = BTreeMap<String, String>;

fn read_values(variant: &Variant) -> OptionValues {
    let mut values: OptionValues = variant::option_columns(variant).into_iter().collect();
    let refuses_none =
        |policy: &Policy| matches!(policy, Policy::Always(_) | Policy::Random(_)) || policy.ignores_newcomer();
    let table = variant.table().filter(|table| table.kind == TableKind::Bounded && table.slots == 1);
    if table.is_some_and(|table| refuses_none(&table.policy)) {
        values.insert(ONE_SLOT.to_owned(), "1".to_owned());
    }
    values
}

/// Returns the part of `path` that is switched off, and the option that does so.
fn find_switch<'p>(path: &'p str, values: &OptionValues) -> Option<(&'p str, &'static str)> {
    let switch = SWITCHES.iter().find(|(option, switching_option, when)| {
        let meets_condition = |value: &String| match when {
            When::Is(word) => value == word,
            When::IsNot(word) => value != word,
            When::DoesNotContain(word) => !value.contains(word),
        };
        path.starts_with(option) && values.get(*switching_option).is_some_and(meets_condition)
    });
    let named = |option: &str| if option.ends_with('.') { path } else { &path[..option.len()] };
    switch.map(|(option, switching_option, _)| (named(option), *switching_option))
}

/// Each warning states a reason, and names the first pair of variants that the reason applies to.
/// External engines are not checked, because their options are unknown.
pub fn find_equivalent(variants: &[Variant]) -> Vec<String> {
    let option_values: Vec<OptionValues> = variants.iter().map(read_values).collect();
    // Maps the values of all options that have an effect to the first variant with these values.
    let mut first_variant_by_values: BTreeMap<OptionValues, usize> = BTreeMap::new();
    // Maps each reason to the first pair of variants that it applies to, and the number of such
    // pairs.
    let mut reasons: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    for (index, values) in option_values.iter().enumerate().filter(|(index, _)| variants[*index].external().is_none()) {
        let mut effective_values = values.clone();
        effective_values.retain(|path, _| find_switch(path, values).is_none());
        let first_index = *first_variant_by_values.entry(effective_values).or_insert(index);
        if first_index == index {
            continue;
        }
        if let Some(reason) = explain_equivalence(&option_values[first_index], values) {
            let (_, _, pair_count) = reasons.entry(reason).or_insert((first_index, index, 0));
            *pair_count += 1;
        }
    }
    let describe_reason = |(reason, (a, b, pair_count)): (String, (usize, usize, usize))| {
        let and_more =
            if pair_count > 1 { format!(" (and {})", plural(pair_count - 1, "more pair")) } else { String::new() };
        format!("\"{}\" and \"{}\"{and_more} are the same search: {reason}", variants[a].name, variants[b].name)
    };
    reasons.into_iter().map(describe_reason).collect()
}

/// Explains why two variants are the same search: names the first option that differs and that
/// another option in `a` switches off. Returns `None` if there is no such option.
fn explain_equivalence(a: &OptionValues, b: &OptionValues) -> Option<String> {
    let mut differing = a.keys().chain(b.keys()).filter(|path| a.get(*path) != b.get(*path));
    let (path, switching_option) = differing.find_map(|path| find_switch(path, a))?;
    Some(format!("{path} does nothing where {switching_option} is {}", a.get(switching_option)?))
}
