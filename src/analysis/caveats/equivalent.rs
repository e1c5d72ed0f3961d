//! Variants that are the same search under two names: what differs between them has no effect.

use crate::experiment::{Variant, grid};
use crate::table::options::SameKey;
use std::collections::{BTreeMap, HashMap};

/// When an option has no effect: by the value of another.
enum When {
    Is(&'static str),
    IsNot(&'static str),
    DoesNotContain(&'static str),
}

/// Options (by prefix) that another option switches off.
const SWITCHES: &[(&str, &str, When)] = &[
    ("quiescence.", "leaf", When::Is("static")),
    ("leaf_mates", "leaf", When::Is("quiescence")),
    ("iir.reduction", "iir.min_depth", When::Is("0")),
    ("iir.node_type", "iir.min_depth", When::Is("0")),
    ("iir.slack", "iir.min_depth", When::Is("0")),
    ("lmr.full_moves", "lmr.min_depth", When::Is("0")),
    ("lmr.reduction", "lmr.min_depth", When::Is("0")),
    ("null_move.reduction", "null_move.min_depth", When::Is("0")),
    ("singular.slack", "singular.min_depth", When::Is("0")),
    ("singular.margin", "singular.min_depth", When::Is("0")),
    ("singular.divisor", "singular.min_depth", When::Is("0")),
    ("singular.double", "singular.min_depth", When::Is("0")),
    ("singular.reduction", "singular.min_depth", When::Is("0")),
    ("generation_seed", "generation", When::IsNot("shuffle")),
    ("mvv_lva", "ordering", When::DoesNotContain("mvv-lva")),
    ("aspiration", "deepening.step", When::Is("0")),
    ("probe.", "table.kind", When::Is("none")),
    ("store.", "table.kind", When::Is("none")),
    ("etc_depth", "table.kind", When::Is("none")),
    ("table.forget_part", "table.forget", When::Is("0.0")),
    ("table.forget_seed", "table.forget", When::Is("0.0")),
    ("table.forget", "table.kind", When::Is("none")),
    ("table.policy", "table.kind", When::Is("unbounded")),
    ("table.size", "table.kind", When::Is("unbounded")),
    ("table.slots", "table.kind", When::Is("unbounded")),
    ("table.layout", "table.kind", When::Is("unbounded")),
    ("table.index", "table.kind", When::Is("unbounded")),
];

const KIND: &str = "table.policy.kind";

/// Policies that differ only in which of several slots they choose.
const CHOOSERS: [&str; 4] = ["always", "random", "depth-age", "scored"];

/// The margin with which `scored` never refuses.
const NEVER_REFUSES: &str = "-1000000";

/// Options that hold the least remaining depth of a feature; 0 means never.
const FROM_DEPTH: [&str; 5] =
    ["iid.min_depth", "iir.min_depth", "lmr.min_depth", "null_move.min_depth", "singular.min_depth"];

/// The option that decides which table the search's shape depends on.
const SHAPE: &str = "shape";

/// Options that decide how entries age.
const AGE_OPTIONS: [&str; 2] = ["table.clock", "table.refresh"];

type OptionValues = BTreeMap<String, String>;

fn has_value(leaves: &OptionValues, path: &str, required: &str) -> bool {
    leaves.get(path).is_some_and(|value| value == required)
}

fn parse_number(leaves: &OptionValues, path: &str) -> Option<f64> {
    leaves.get(path)?.parse().ok()
}

/// Whether an option changes only ages, which nothing in this variant's table reads.
fn is_unread_age(path: &str, variant: &Variant) -> bool {
    let table = &variant.options.table;
    AGE_OPTIONS.contains(&path) && !table.policy.ages() && table.same_key != SameKey::GuardFour
}

/// Whether no search term asks the table, or the table forgets nothing.
fn shape_has_no_effect(leaves: &OptionValues) -> bool {
    let off = has_value(leaves, "iir.min_depth", "0") && has_value(leaves, "singular.min_depth", "0");
    off || has_value(leaves, "table.kind", "unbounded") && has_value(leaves, "table.forget", "0.0")
}

/// The option that switches off the option at `path`.
fn find_switch(path: &str, leaves: &OptionValues) -> Option<&'static str> {
    let off = SWITCHES.iter().find(|(option, by, when)| {
        let holds = |value: &String| match when {
            When::Is(word) => value == word,
            When::IsNot(word) => value != word,
            When::DoesNotContain(word) => !value.contains(word),
        };
        path.starts_with(option) && leaves.get(*by).is_some_and(holds)
    });
    off.map(|(_, by, _)| *by)
}

/// The option that holds the cost of a tick of age, if only depth and age count, and that cost in
/// plies.
fn ply_cost_of_age(leaves: &OptionValues) -> Option<(&'static str, f64)> {
    match leaves.get(KIND)?.as_str() {
        "aged-depth" | "depth-age" => Some(("table.policy.factor", parse_number(leaves, "table.policy.factor")?)),
        "scored" => {
            let other = ["table.policy.exact", "table.policy.pv", "table.policy.nodes"]
                .iter()
                .any(|weight| parse_number(leaves, weight) != Some(0.0));
            let depth = parse_number(leaves, "table.policy.depth").filter(|depth| *depth > 0.0)?;
            (!other).then_some(("table.policy.age", parse_number(leaves, "table.policy.age")? / depth))
        }
        _ => None,
    }
}

/// Rewrites `depth-age` as the special case of `scored` that it is.
fn rewrite_as_scored(leaves: &mut OptionValues) {
    if !has_value(leaves, KIND, "depth-age") {
        return;
    }
    let factor = leaves.remove("table.policy.factor").unwrap_or_default();
    let refuses = leaves.remove("table.policy.refuse").is_some_and(|refuses| refuses == "true");
    let margin = if refuses { "0" } else { NEVER_REFUSES };
    let weights = [
        (KIND, "scored"),
        ("table.policy.depth", "1"),
        ("table.policy.age", &factor),
        ("table.policy.exact", "0"),
        ("table.policy.pv", "0"),
        ("table.policy.nodes", "0"),
        ("table.policy.margin", margin),
    ];
    leaves.extend(weights.map(|(path, weight)| (path.to_owned(), weight.to_owned())));
}

/// Divides the weights of `scored` by their greatest common divisor, and the margin too unless it
/// never refuses: the choices stay the same.
fn reduce_weights(leaves: &mut OptionValues) {
    if !has_value(leaves, KIND, "scored") {
        return;
    }
    let is_weight = |(path, value): &(&String, &String)| {
        path.starts_with("table.policy.") && *path != KIND && *value != NEVER_REFUSES
    };
    let number = |(path, value): (&String, &String)| Some((path.clone(), value.parse::<i64>().ok()?));
    let Some(weights) = leaves.iter().filter(is_weight).map(number).collect::<Option<Vec<_>>>() else { return };
    let divisor = weights.iter().fold(0, |divisor, (_, weight)| common_divisor(divisor, weight.abs()));
    if divisor > 1 {
        leaves.extend(weights.into_iter().map(|(path, weight)| (path, (weight / divisor).to_string())));
    }
}

/// The greatest common divisor of two numbers.
const fn common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Replaces least depths that exceed the search's depth by 0, which means never.
fn zero_unreachable_depths(leaves: &OptionValues) -> OptionValues {
    let most = parse_number(leaves, "limit.depth");
    let mut reached = leaves.clone();
    let is_unreachable = |path: &&&str| parse_number(leaves, path).zip(most).is_some_and(|(least, most)| least > most);
    reached.extend(FROM_DEPTH.iter().filter(is_unreachable).map(|path| ((*path).to_owned(), "0".to_owned())));
    reached
}

/// A variant's options without those that have no effect.
fn effective_options(variant: &Variant, leaves: &OptionValues) -> OptionValues {
    let leaves = &zero_unreachable_depths(leaves);
    let mut remaining: OptionValues = leaves
        .iter()
        .filter(|(path, _)| find_switch(path, leaves).is_none() && !is_unread_age(path, variant))
        .map(|(path, value)| (path.clone(), value.clone()))
        .collect();
    rewrite_as_scored(&mut remaining);
    reduce_weights(&mut remaining);
    if let (Some((path, plies)), Some(depth)) = (ply_cost_of_age(&remaining), parse_number(leaves, "limit.depth"))
        && plies >= depth - 1.0
        && plies > 0.0
    {
        remaining.insert(path.to_owned(), "beyond every depth".to_owned());
    }
    let is = |path: &str, required: &str| has_value(leaves, path, required);
    if shape_has_no_effect(leaves) {
        remaining.remove(SHAPE);
    }
    let never_refuses = !is("table.policy.refuse", "true")
        && leaves.get("table.policy.margin").is_none_or(|margin| margin == NEVER_REFUSES);
    if is("table.slots", "1")
        && !is("table.same_key", "policy")
        && never_refuses
        && CHOOSERS.iter().any(|kind| is(KIND, kind))
    {
        let guarded = variant.options.table.same_key == SameKey::GuardFour;
        remaining
            .retain(|path, _| !path.starts_with("table.policy.") && (guarded || !AGE_OPTIONS.contains(&path.as_str())));
    }
    remaining
}

/// Warns of variants that are the same search: each reason once, with its first pair. External
/// engines are not checked, since their options are unknown.
pub fn find_equivalent(variants: &[Variant]) -> Vec<String> {
    let all: Vec<OptionValues> =
        variants.iter().map(|variant| grid::option_columns(variant).into_iter().collect()).collect();
    let mut first: HashMap<OptionValues, usize> = HashMap::new();
    let mut reasons: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    for (index, leaves) in all.iter().enumerate().filter(|(index, _)| variants[*index].external().is_none()) {
        let known = *first.entry(effective_options(&variants[index], leaves)).or_insert(index);
        if known != index {
            reasons.entry(explain_equivalence(&variants[index], &all[known], leaves)).or_insert((known, index, 0)).2 +=
                1;
        }
    }
    let message = |(reason, (one, other, pairs)): (String, (usize, usize, usize))| {
        let more = if pairs > 1 { format!(" (and {} pairs more)", pairs - 1) } else { String::new() };
        format!("\"{}\" and \"{}\"{more} are the same search: {reason}", variants[one].name, variants[other].name)
    };
    reasons.into_iter().map(message).collect()
}

/// Says why two variants are the same.
fn explain_equivalence(variant: &Variant, one: &OptionValues, other: &OptionValues) -> String {
    let paths = one.keys().chain(other.keys());
    let differing: Vec<&String> = paths.filter(|path| one.get(*path) != other.get(*path)).collect();
    let several = one.get("table.slots").is_some_and(|slots| slots != "1");
    if one.get(KIND) != other.get(KIND) && several {
        return "depth-age is scored with these weights".to_owned();
    }
    let aged = |leaves: &OptionValues| {
        ply_cost_of_age(leaves).filter(|(path, _)| differing.iter().any(|differing| differing == path))
    };
    if let (Some((path, _)), Some(_)) = (aged(one), aged(other)) {
        return format!("at these depths a tick of age outweighs every stored depth, whatever {path} is beyond that");
    }
    let off = differing.iter().find_map(|path| Some((path, find_switch(path, one)?)));
    if let Some((path, by)) = off {
        let value = one.get(by).map_or("", String::as_str);
        return format!("{path} does nothing where {by} is {value}");
    }
    if differing.iter().any(|path| *path == SHAPE) {
        return "shape does nothing without iir and singular, nor where the table forgets nothing".to_owned();
    }
    if let Some(path) = differing.iter().find(|path| FROM_DEPTH.contains(&path.as_str())) {
        return format!("{path} is deeper than the search, or 0");
    }
    if let Some(path) = differing.iter().find(|path| is_unread_age(path, variant)) {
        return format!("{path} does nothing where the policy looks at no age");
    }
    if has_value(one, KIND, "scored") && several {
        return "the weights of one are a multiple of the other's".to_owned();
    }
    "with one slot for a key there is nothing to choose from".to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    /// The warnings about two variants, each with some options over the defaults and a depth of 6.
    fn message(one: &str, other: &str) -> Vec<String> {
        messages_under("depth = 6", one, other)
    }

    fn messages_under(limit: &str, one: &str, other: &str) -> Vec<String> {
        let variant = |name: &str, sets: &str| format!("[[variant]]\nname = '{name}'\n{}\n", sets.replace("; ", "\n"));
        let text = format!(
            "suite = {{ startpos = true }}\nlimit = {{ {limit} }}\n{}{}",
            variant("one", one),
            variant("other", other)
        );
        let read =
            Experiment::parse(&text, std::path::Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        find_equivalent(&read.variants)
    }

    #[test]
    fn options_without_effect_are_reported() {
        let same = |reason: &str| vec![format!("\"one\" and \"other\" are the same search: {reason}")];
        let outweighs = |path: &str| {
            same(&format!("at these depths a tick of age outweighs every stored depth, whatever {path} is beyond that"))
        };
        let nothing = same("with one slot for a key there is nothing to choose from");
        let aged =
            |factor: u32| format!("table.slots = 4; table.policy.kind = 'aged-depth'; table.policy.factor = {factor}");
        let by = |kind: &str, more: &str| format!("table.slots = 4; table.policy.kind = '{kind}'; {more}");
        for (one, other, expected) in [
            (
                "leaf = 'static'",
                "leaf = 'static'; quiescence.delta = 9".to_owned(),
                same("quiescence.delta does nothing where leaf is static"),
            ),
            ("leaf = 'quiescence'", "leaf = 'quiescence'; quiescence.delta = 9".to_owned(), vec![]),
            (
                "lmr.min_depth = 0",
                "lmr.min_depth = 0; lmr.full_moves = 9".to_owned(),
                same("lmr.full_moves does nothing where lmr.min_depth is 0"),
            ),
            ("lmr.min_depth = 3", "lmr.min_depth = 3; lmr.full_moves = 9".to_owned(), vec![]),
            (
                "null_move.min_depth = 0",
                "null_move.min_depth = 0; null_move.reduction = 5".to_owned(),
                same("null_move.reduction does nothing where null_move.min_depth is 0"),
            ),
            (
                "lmr.min_depth = 3",
                "lmr.min_depth = 3; shape = 'neutral'".to_owned(),
                same("shape does nothing without iir and singular, nor where the table forgets nothing"),
            ),
            ("iir.min_depth = 3", "iir.min_depth = 3; shape = 'neutral'".to_owned(), vec![]),
            ("singular.min_depth = 3", "singular.min_depth = 3; shape = 'neutral'".to_owned(), vec![]),
            (
                "table.kind = 'unbounded'; iir.min_depth = 3",
                "table.kind = 'unbounded'; iir.min_depth = 3; shape = 'neutral'".to_owned(),
                same("shape does nothing without iir and singular, nor where the table forgets nothing"),
            ),
            (
                "table.kind = 'unbounded'; iir.min_depth = 3; table.forget = 0.5",
                "table.kind = 'unbounded'; iir.min_depth = 3; table.forget = 0.5; shape = 'neutral'".to_owned(),
                vec![],
            ),
            ("iir.slack = 0", "iir.slack = 3".to_owned(), same("iir.slack does nothing where iir.min_depth is 0")),
            (
                "singular.margin = 2",
                "singular.margin = 3".to_owned(),
                same("singular.margin does nothing where singular.min_depth is 0"),
            ),
            (
                "table.forget = 0.0",
                "table.forget_seed = 3".to_owned(),
                same("table.forget_seed does nothing where table.forget is 0.0"),
            ),
            ("generation = 'shuffle'", "generation = 'shuffle'; generation_seed = 5".to_owned(), vec![]),
            (
                "deepening.step = 0",
                "deepening.step = 0; aspiration = 30".to_owned(),
                same("aspiration does nothing where deepening.step is 0"),
            ),
            (
                "table.kind = 'unbounded'",
                "table.kind = 'unbounded'; table.slots = 4".to_owned(),
                same("table.slots does nothing where table.kind is unbounded"),
            ),
            (
                "table.kind = 'none'",
                "table.kind = 'none'; store.known = 'window'".to_owned(),
                same("store.known does nothing where table.kind is none"),
            ),
            // One slot: policies that choose among slots have no choice; one that refuses has.
            (
                "table.slots = 1; table.policy = 'always'",
                "table.slots = 1; table.policy = 'random'".to_owned(),
                nothing.clone(),
            ),
            (
                "table.slots = 1; table.policy = 'always'",
                "table.slots = 1; table.policy = 'depth-age'".to_owned(),
                nothing.clone(),
            ),
            (
                "table.slots = 1; table.policy = 'always'",
                "table.slots = 1; table.policy = { kind = 'depth-age', refuse = true }".to_owned(),
                vec![],
            ),
            ("table.slots = 1; table.policy = 'always'", "table.slots = 1; table.policy = 'never'".to_owned(), vec![]),
            (
                "table.slots = 1; table.policy = 'always'",
                "table.slots = 1; table.policy = { kind = 'scored', nodes = 0 }".to_owned(),
                nothing.clone(),
            ),
            (
                "table.slots = 1; table.policy = 'always'",
                "table.slots = 1; table.policy = { kind = 'scored', nodes = 0, margin = 3 }".to_owned(),
                vec![],
            ),
            (
                "table.slots = 1; table.same_key = 'policy'; table.policy = 'always'",
                "table.slots = 1; table.same_key = 'policy'; table.policy = 'random'".to_owned(),
                vec![],
            ),
            ("table.slots = 2; table.policy = 'always'", "table.slots = 2; table.policy = 'random'".to_owned(), vec![]),
            // A tick of five plies is worth an entry of depth 5, the deepest that a search to 6 can
            // find again.
            (&aged(5), aged(40), outweighs("table.policy.factor")),
            (&aged(4), aged(40), vec![]),
            // With equal ageing the reason is the option that differs.
            (
                &format!("{}; leaf = 'static'", aged(9)),
                format!("{}; leaf = 'static'; quiescence.delta = 9", aged(9)),
                same("quiescence.delta does nothing where leaf is static"),
            ),
            (&aged(0), aged(40), vec![]),
            // In a search to 6 no remaining depth is 7.
            (
                "iid.min_depth = 0",
                "iid.min_depth = 7".to_owned(),
                same("iid.min_depth is deeper than the search, or 0"),
            ),
            ("iid.min_depth = 0", "iid.min_depth = 6".to_owned(), vec![]),
            (
                "lmr.min_depth = 9",
                "lmr.min_depth = 7".to_owned(),
                same("lmr.min_depth is deeper than the search, or 0"),
            ),
            ("null_move.min_depth = 6", "null_move.min_depth = 7".to_owned(), vec![]),
            (
                "table.policy = 'two-deep'; table.slots = 2; table.refresh = 'match'",
                "table.policy = 'two-deep'; table.slots = 2; table.refresh = 'never'".to_owned(),
                same("table.refresh does nothing where the policy looks at no age"),
            ),
            (
                "table.policy = 'two-deep'; table.slots = 2; table.refresh = 'match'; table.same_key = 'guard-four'",
                "table.policy = 'two-deep'; table.slots = 2; table.refresh = 'never'; table.same_key = 'guard-four'"
                    .to_owned(),
                vec![],
            ),
            (
                "table.policy = 'ancient'; table.slots = 2; table.refresh = 'match'",
                "table.policy = 'ancient'; table.slots = 2; table.refresh = 'never'".to_owned(),
                vec![],
            ),
            (
                &by("scored", "table.policy.depth = 2; table.policy.age = 4; table.policy.pv = 6"),
                by("scored", "table.policy.depth = 1; table.policy.age = 2; table.policy.pv = 3"),
                same("the weights of one are a multiple of the other's"),
            ),
            (
                &by("scored", "table.policy.depth = 2; table.policy.age = 4; table.policy.margin = 6"),
                by("scored", "table.policy.depth = 1; table.policy.age = 2; table.policy.margin = 4"),
                vec![],
            ),
            (
                &by("scored", "table.policy.depth = 2; table.policy.age = 4; table.policy.pv = 7"),
                by("scored", "table.policy.depth = 1; table.policy.age = 2; table.policy.pv = 3"),
                vec![],
            ),
            (
                &by("depth-age", "table.policy.factor = 5"),
                by("depth-age", "table.policy.factor = 9"),
                outweighs("table.policy.factor"),
            ),
            (
                &by("depth-age", "table.policy.factor = 2; table.policy.refuse = true"),
                by(
                    "scored",
                    "table.policy.depth = 1; table.policy.age = 2; table.policy.exact = 0; table.policy.pv = 0; table.policy.nodes = 0; table.policy.margin = 0",
                ),
                same("depth-age is scored with these weights"),
            ),
            (
                &by("depth-age", "table.policy.factor = 2; table.policy.refuse = false"),
                by(
                    "scored",
                    "table.policy.depth = 1; table.policy.age = 2; table.policy.exact = 0; table.policy.pv = 0; table.policy.nodes = 0; table.policy.margin = 0",
                ),
                vec![],
            ),
            (
                &by(
                    "scored",
                    "table.policy.depth = 2; table.policy.age = 10; table.policy.exact = 0; table.policy.pv = 0; table.policy.nodes = 0",
                ),
                by(
                    "scored",
                    "table.policy.depth = 2; table.policy.age = 12; table.policy.exact = 0; table.policy.pv = 0; table.policy.nodes = 0",
                ),
                outweighs("table.policy.age"),
            ),
            (
                &by(
                    "scored",
                    "table.policy.depth = 2; table.policy.age = 9; table.policy.exact = 0; table.policy.pv = 0; table.policy.nodes = 0",
                ),
                by(
                    "scored",
                    "table.policy.depth = 2; table.policy.age = 12; table.policy.exact = 0; table.policy.pv = 0; table.policy.nodes = 0",
                ),
                vec![],
            ),
            (
                &by(
                    "scored",
                    "table.policy.depth = 2; table.policy.age = 10; table.policy.exact = 1; table.policy.pv = 0; table.policy.nodes = 0",
                ),
                by(
                    "scored",
                    "table.policy.depth = 2; table.policy.age = 12; table.policy.exact = 1; table.policy.pv = 0; table.policy.nodes = 0",
                ),
                vec![],
            ),
        ] {
            assert_eq!(message(one, &other), expected, "{one} | {other}");
        }
        // A tick in halves of a ply: 11 and 13 exceed 5 plies, 7 and 9 do not; without a weight for
        // depth nothing is outweighed.
        let scored = |depth: u32, age: u32, margin: i32| {
            let zero = "table.policy.exact = 0; table.policy.pv = 0; table.policy.nodes = 0";
            let more = format!(
                "table.policy.depth = {depth}; table.policy.age = {age}; table.policy.margin = {margin}; {zero}"
            );
            by("scored", &more)
        };
        for (one, other, expected) in [
            (scored(2, 11, 0), scored(2, 13, 0), outweighs("table.policy.age")),
            (scored(2, 7, 0), scored(2, 9, 0), vec![]),
            (scored(1, 5, 0), scored(1, 6, 0), outweighs("table.policy.age")),
            (scored(0, 2, 3), scored(0, 3, 3), vec![]),
        ] {
            assert_eq!(message(&one, &other), expected, "{one} | {other}");
        }
        // Under a node limit the depth is not known.
        for (one, other) in [("iid.min_depth = 0", "iid.min_depth = 7"), (&*aged(5), &*aged(40))] {
            assert_eq!(messages_under("nodes = 9", one, other), Vec::<String>::new(), "{one} | {other}");
        }
        // A program with an argument differs from a program of both names; external tables are
        // unknown.
        let program = |words: &str| format!("'subject.uci' = {words}");
        assert_eq!(message(&program("['./engine', 'x']"), &program("'./engine x'")), Vec::<String>::new());
        // Each reason is reported once, with its first pair.
        let four = "suite = { startpos = true }\nlimit = { depth = 6 }\n[engine]\ntable.slots = 1\n[grid]\n'table.policy' = ['always', 'random', 'depth-age']\n";
        let variants = Experiment::parse(four, std::path::Path::new("x.toml"), &[]).unwrap().variants;
        let more = "\"policy=always\" and \"policy=random\" (and 1 pairs more) are the same search: with one slot for a key there is nothing to choose from";
        assert_eq!(find_equivalent(&variants), [more]);
    }
}
