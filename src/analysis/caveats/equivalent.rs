//! Finds variants that are the same search under two names. They differ only in options that have
//! no effect, because another option switches them off.

use crate::experiment::{Variant, variant};
use crate::text::plural;
use std::collections::BTreeMap;

/// A condition on the value of a switching option. If the condition is met, another option has no
/// effect.
enum When {
    Is(&'static str),
    IsNot(&'static str),
    DoesNotContain(&'static str),
}

/// The options that another option can switch off. Each entry consists of the beginning of an
/// option's path, the option that switches this option off, and the condition under which this
/// happens.
const SWITCHES: &[(&str, &str, When)] = &[
    ("quiescence.", "leaf", When::Is("static")),
    ("leaf_mates", "leaf", When::Is("quiescence")),
    ("lmr.full_moves", "lmr.min_depth", When::Is("0")),
    ("lmr.reduction", "lmr.min_depth", When::Is("0")),
    ("null_move.reduction", "null_move.min_depth", When::Is("0")),
    ("singular.double", "singular.min_depth", When::Is("0")),
    ("mvv_lva", "ordering", When::DoesNotContain("mvv-lva")),
    ("aspiration", "deepening.step", When::Is("0")),
    ("probe.", "table.kind", When::Is("none")),
    ("store.", "table.kind", When::Is("none")),
    ("etc_depth", "table.kind", When::Is("none")),
    ("table.forget_part", "table.forget", When::Is("0.0")),
    ("table.forget", "table.kind", When::Is("none")),
    ("table.guard", "table.same_key", When::IsNot("guard")),
    ("table.policy", "table.kind", When::Is("unbounded")),
    ("table.size", "table.kind", When::Is("unbounded")),
    ("table.slots", "table.kind", When::Is("unbounded")),
    ("table.layout", "table.kind", When::Is("unbounded")),
    ("table.index", "table.kind", When::Is("unbounded")),
];

type OptionValues = BTreeMap<String, String>;

fn find_switch(path: &str, values: &OptionValues) -> Option<&'static str> {
    let switch = SWITCHES.iter().find(|(option, switching_option, when)| {
        let meets_condition = |value: &String| match when {
            When::Is(word) => value == word,
            When::IsNot(word) => value != word,
            When::DoesNotContain(word) => !value.contains(word),
        };
        path.starts_with(option) && values.get(*switching_option).is_some_and(meets_condition)
    });
    switch.map(|(_, switching_option, _)| *switching_option)
}

/// Each warning states a reason, and names the first pair of variants that the reason applies to.
/// External engines are not checked, because their options are unknown.
pub fn find_equivalent(variants: &[Variant]) -> Vec<String> {
    let option_values: Vec<OptionValues> =
        variants.iter().map(|variant| variant::option_columns(variant).into_iter().collect()).collect();
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

/// Explains why two variants are the same search. The explanation names the first option that
/// differs between the variants and that another option in `a` switches off. Returns `None` if
/// there is no such option.
fn explain_equivalence(a: &OptionValues, b: &OptionValues) -> Option<String> {
    let mut differing = a.keys().chain(b.keys()).filter(|path| a.get(*path) != b.get(*path));
    let (path, switching_option) = differing.find_map(|path| Some((path, find_switch(path, a)?)))?;
    Some(format!("{path} does nothing where {switching_option} is {}", a.get(switching_option)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    /// The warnings about two variants, each with some options that replace the defaults.
    fn warnings_for(first: &str, second: &str) -> Vec<String> {
        let variant_text =
            |name: &str, sets: &str| format!("[[variant]]\nname = '{name}'\n{}\n", sets.replace("; ", "\n"));
        let text = format!(
            "suite = {{ startpos = true }}\nlimit = {{ depth = 6 }}\n{}{}",
            variant_text("one", first),
            variant_text("other", second)
        );
        let experiment =
            Experiment::parse(&text, std::path::Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        find_equivalent(&experiment.variants)
    }

    #[test]
    fn options_without_effect_are_reported() {
        for (enabled, disabled, extra, reason) in [
            (
                "leaf = 'quiescence'",
                "leaf = 'static'",
                "quiescence.delta = 9",
                "quiescence.delta does nothing where leaf is static",
            ),
            (
                "lmr.min_depth = 3",
                "lmr.min_depth = 0",
                "lmr.full_moves = 9",
                "lmr.full_moves does nothing where lmr.min_depth is 0",
            ),
            (
                "null_move.min_depth = 3",
                "null_move.min_depth = 0",
                "null_move.reduction = 5",
                "null_move.reduction does nothing where null_move.min_depth is 0",
            ),
            (
                "singular.min_depth = 3",
                "singular.min_depth = 0",
                "singular.double = 3",
                "singular.double does nothing where singular.min_depth is 0",
            ),
            (
                "table.forget = 0.5",
                "table.forget = 0.0",
                "table.forget_part = 'move'",
                "table.forget_part does nothing where table.forget is 0.0",
            ),
            (
                "deepening.step = 1",
                "deepening.step = 0",
                "aspiration = 30",
                "aspiration does nothing where deepening.step is 0",
            ),
            (
                "table.kind = 'bounded'",
                "table.kind = 'unbounded'",
                "table.slots = 4",
                "table.slots does nothing where table.kind is unbounded",
            ),
            (
                "table.kind = 'bounded'",
                "table.kind = 'none'",
                "store.known = 'window'",
                "store.known does nothing where table.kind is none",
            ),
        ] {
            let expected = [format!("\"one\" and \"other\" are the same search: {reason}")];
            assert_eq!(warnings_for(disabled, &format!("{disabled}; {extra}")), expected);
            assert!(warnings_for(enabled, &format!("{enabled}; {extra}")).is_empty(), "{enabled}; {extra}");
        }
    }

    #[test]
    fn options_of_external_engines_are_not_compared() {
        let uci_option = |words: &str| format!("'subject.uci' = {words}");
        assert_eq!(warnings_for(&uci_option("['./engine', 'x']"), &uci_option("'./engine x'")), Vec::<String>::new());
    }

    #[test]
    fn each_reason_is_reported_once_with_its_first_pair() {
        let text = "suite = { startpos = true }\nlimit = { depth = 6 }\n[engine]\nleaf = 'static'\n[grid]\n'quiescence.delta' = [0, 1, 2]\n";
        let variants = Experiment::parse(text, std::path::Path::new("x.toml"), &[]).unwrap().variants;
        let expected = "\"delta=0\" and \"delta=1\" (and 1 more pair) are the same search: quiescence.delta does \
            nothing where leaf is static";
        assert_eq!(find_equivalent(&variants), [expected]);
    }
}
