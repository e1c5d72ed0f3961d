//! Ids of variants, items and rows. An id is a hash of the content, and every build of ttlab
//! computes the same hash.

use super::sequence::Sequence;
use super::variant::{Subject, Variant};
use crate::chess::keys::EpRule;
use crate::chess::suite::{Item, Suite};
use crate::engine::{EngineOptions, Limit};
use crate::table::policy::Policy;
use serde_json::Value;
use siphasher::sip::SipHasher13;
use std::collections::{BTreeMap, HashSet};
use std::hash::Hasher;

/// Creates a hasher that gives the same results in every build: SipHash-1-3 with fixed keys. The
/// bytes of the first key are "ttlab" and the version 1.
pub(super) fn hasher() -> SipHasher13 {
    SipHasher13::new_with_keys(0x7474_6c61_6200_0001, 0)
}

pub(super) fn hash_text(text: &str) -> u64 {
    let mut hash = hasher();
    hash.write(text.as_bytes());
    hash.finish()
}

pub fn variant_id(variant: &Variant) -> u64 {
    variant_id_under(variant, variant.limit)
}

/// As [`variant_id`], but with `limit` in place of the variant's own limit.
pub fn variant_id_under(variant: &Variant, limit: Limit) -> u64 {
    hash_text(&identity_text(variant, limit))
}

/// The text whose hash is a variant's id. The text contains the limit and the options that differ
/// from the default. If a later build adds an option that is off by default, no id changes, so
/// plans, shards and results of earlier builds can be continued.
fn identity_text(variant: &Variant, limit: Limit) -> String {
    let Limit { depth, nodes } = limit;
    let options = match &variant.subject {
        Subject::External(subject) => {
            return format!("subject: {}\ndepth: {depth:?}\nnodes: {nodes:?}\n", super::subject::content(subject));
        }
        Subject::Builtin { options, .. } => options.as_ref(),
    };
    let mut defaults = EngineOptions::default();
    let policy = options.table.policy.name();
    let is_default_policy = policy == defaults.table.policy.name();
    if let Some(policy_defaults) = Policy::from_name(policy) {
        // The parameters of a policy are compared with the defaults of that policy.
        defaults.table.policy = policy_defaults;
    }
    let [options, defaults] = [options, &defaults].map(|options| serde_json::to_value(options).unwrap_or_default());
    let policy_line = if is_default_policy { String::new() } else { format!("policy: {policy}\n") };
    format!("{policy_line}depth: {depth:?}\nnodes: {nodes:?}\n{}", deviations(&options, &defaults))
}

/// Lists the leaves of a value that differ from the default, sorted by path. Each leaf is a line
/// such as `.table.slots = 4`.
pub(super) fn deviations(value: &Value, defaults: &Value) -> String {
    let mut lines = Vec::new();
    collect_deviations(value, defaults, &mut String::new(), &mut lines);
    lines.sort_unstable();
    lines.concat()
}

fn collect_deviations(value: &Value, defaults: &Value, path: &mut String, lines: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let length = path.len();
                path.push('.');
                path.push_str(key);
                collect_deviations(inner, defaults.get(key).unwrap_or(&Value::Null), path, lines);
                path.truncate(length);
            }
        }
        leaf if leaf != defaults => lines.push(format!("{path} = {leaf}\n")),
        _ => {}
    }
}

/// The content of an item as text: its position and, if the item is a game, its moves. The name of
/// the item is not part of its content. `rule` says which en passant squares are.
pub(super) fn item_content(item: &Item, rule: EpRule) -> String {
    let fen = item.board.fen(rule);
    match item.game_moves() {
        None => fen,
        Some(moves) => {
            let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
            format!("{fen} {}", moves.join(" "))
        }
    }
}

/// Maps the name of each item to a hash of the item's content and the settings of the sequence. If
/// two results have different hashes for the same name, their searches differ.
pub fn item_hashes(suite: &Suite, sequence: Option<&Sequence>) -> BTreeMap<String, String> {
    let sequence = serde_json::to_string(&sequence).unwrap_or_default();
    let hash =
        |item: &Item| format!("{:016x}", hash_text(&format!("{} {sequence}", item_content(item, EpRule::Always))));
    suite.items.iter().map(|item| (item.id.clone(), hash(item))).collect()
}

/// A hash of the moves that solve each item, of those that do not, and of the mates.
pub fn solutions_hash(suite: &Suite) -> String {
    let solutions: Vec<_> =
        suite.items.iter().map(|item| (&item.id, item.best_moves(), item.avoided_moves())).collect();
    let mates: Vec<_> = suite.items.iter().filter_map(|item| Some((&item.id, item.mate()?))).collect();
    let mates = if mates.is_empty() { String::new() } else { format!("{mates:?}") };
    let minimal: String = suite.items.iter().filter(|item| item.is_minimal).map(|item| item.id.as_str()).collect();
    format!("{:016x}", hash_text(&format!("{solutions:?}{mates}{minimal}")))
}

/// Counts the searches that a variant makes of `items`. Returns `[repeated, total]`: the number of
/// searches that repeat an earlier search, and the number of all searches. A search along a game
/// repeats an earlier one if the moves up to its position are the same.
///
/// `uses_clocks` is whether the clocks of a position distinguish its search from other searches.
/// The clocks always distinguish searches along games, because the move number decides which plies
/// are searched.
pub fn count_repeated(items: &[Item], sequence: Option<&Sequence>, uses_clocks: bool) -> [usize; 2] {
    let mut distinct_hashes = HashSet::new();
    let mut searches = 0;
    let mut count_search = |hash: &SipHasher13| {
        searches += 1;
        distinct_hashes.insert(hash.finish());
    };
    for item in items {
        let fen = item.board.fen(EpRule::Legal);
        // A FEN has six fields. The last two are the clocks.
        let fields = if uses_clocks || item.game_moves().is_some() { 6 } else { 4 };
        let mut hash = hasher();
        fen.split(' ').take(fields).for_each(|field| hash.write(field.as_bytes()));
        let Some(moves) = item.game_moves() else {
            count_search(&hash);
            continue;
        };
        let searched_plies = sequence.copied().unwrap_or_default().searched_plies(item);
        for (mv, is_searched) in moves.iter().zip(searched_plies) {
            if is_searched {
                count_search(&hash);
            }
            hash.write(mv.to_string().as_bytes());
        }
    }
    [searches - distinct_hashes.len(), searches]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The options as JSON, with the value at `path` replaced.
    fn with_leaf(options: &EngineOptions, path: &[&str], leaf: Value) -> Value {
        let mut value = serde_json::to_value(options).unwrap();
        let (last, parents) = path.split_last().unwrap();
        let parent = parents.iter().fold(&mut value, |value, part| &mut value[*part]);
        parent[*last] = leaf;
        value
    }

    #[test]
    fn new_option_that_is_off_changes_no_id() {
        let defaults = EngineOptions::default();
        let mut options_given = defaults.clone();
        options_given.draws = !options_given.draws;
        options_given.table.slots = 4;
        let [old, old_defaults] = [&options_given, &defaults].map(|options| serde_json::to_value(options).unwrap());
        let before = deviations(&old, &old_defaults);
        assert_eq!(before.lines().count(), 2, "{before}");
        for path in [&["future"][..], &["table", "future"]] {
            let off = |options| with_leaf(options, path, json!({ "on": false, "after": [1, 2] }));
            assert_eq!(deviations(&off(&options_given), &off(&defaults)), before);
            let on = with_leaf(&options_given, path, json!({ "on": true, "after": [1, 2] }));
            let after = deviations(&on, &off(&defaults));
            assert!(after.contains("future.on = true"), "{after}");
            assert!(after.lines().count() == 3, "{after}");
        }
    }

    /// By hand: a leaf is identified by its whole path.
    #[test]
    fn deviations_name_the_whole_path() {
        let defaults = json!({ "a": { "b": 1, "c": { "d": 2 } }, "e": 3 });
        let options_given = json!({ "a": { "b": 1, "c": { "d": 4 }, "f": true }, "e": 5 });
        assert_eq!(deviations(&options_given, &defaults), ".a.c.d = 4\n.a.f = true\n.e = 5\n");
    }

    #[test]
    fn option_that_differs_from_the_default_changes_the_id() {
        let variant = |options: EngineOptions, depth| Variant {
            name: String::new(),
            path_values: Vec::new(),
            limit: Limit { depth, nodes: None },
            subject: Subject::Builtin { options: Box::new(options), is_named_by_file: false },
        };
        let text_of = |sets: &[&str], depth| {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
            let variant = variant(crate::experiment::options(None, &sets).unwrap(), depth);
            identity_text(&variant, variant.limit)
        };
        let mut seen = HashSet::new();
        let depth = Some(3);
        assert!(seen.insert(text_of(&[], depth)));
        assert!(seen.insert(text_of(&[], Some(4))));
        for sets in [
            &["table.policy=never"][..],
            &["table.policy=aged-depth"],
            &["table.policy.kind=aged-depth", "table.policy.factor=7"],
            &["draws=true"],
            &["table.size=1024"],
            &["table=none"],
        ] {
            assert!(seen.insert(text_of(sets, depth)), "{sets:?}");
        }
        // Setting a default explicitly changes no id.
        assert_eq!(text_of(&["table.slots=1"], depth), text_of(&[], depth));
        assert_eq!(text_of(&["table.policy.kind=aged-depth"], depth), text_of(&["table.policy=aged-depth"], depth));
    }

    /// The text must stay the same in every build, so that results can be continued by a later
    /// build: ids are hashes of it. The en passant square is part of it even if no pawn can capture
    /// there.
    #[test]
    fn item_content_is_position_and_moves() {
        use crate::chess::suite::{Suite, SuiteKind, SuiteOptions};
        let pgn = "[Event \"a\"]\n[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1\"]\n\n1... e5 2. Nf3 *\n\n";
        let items = |name: &str, text: &str| {
            Suite::read(
                "x",
                name,
                SuiteKind::from_path(name.as_ref()).unwrap(),
                text.as_bytes(),
                SuiteOptions::default(),
            )
            .unwrap()
            .items
        };
        let start = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
        assert_eq!(item_content(&items("x.pgn", pgn)[0], EpRule::Always), format!("{start} e7e5 g1f3"));
        assert_eq!(item_content(&items("x.fen", &format!("{start}\n"))[0], EpRule::Always), start);
    }

    /// Counted by hand. All games share their first two searches, and the third game is the
    /// beginning of the first. Two of the three positions differ only in their clocks.
    #[test]
    fn repeated_searches_are_counted() {
        use crate::chess::suite::{Suite, SuiteKind, SuiteOptions};
        let items = |name: &str, text: &str| {
            let kind = SuiteKind::from_path(name.as_ref()).unwrap();
            Suite::read("x", name, kind, text.as_bytes(), SuiteOptions::default()).unwrap()
        };
        let game = |moves: &str| format!("[Event \"a\"]\n\n{moves} *\n\n");
        let pgn = ["1. e4 e5 2. Nf3 Nc6", "1. e4 c5 2. Nf3", "1. e4 e5 2. Nf3"].map(game).concat();
        let games = items("x.pgn", &pgn);
        let count_along =
            |from, to, side| count_repeated(&games.items, Some(&Sequence { from, to, side, self_play: 0 }), false);
        use crate::experiment::sequence::Side::{Both, White};
        assert_eq!(count_repeated(&games.items, None, false), [5, 10]);
        assert_eq!(count_along(0, None, Both), [5, 10]);
        assert_eq!(count_along(2, None, Both), [1, 4]);
        assert_eq!(count_along(0, Some(0), White), [2, 3]);
        assert_eq!(count_along(3, None, Both), [0, 1]);
        let clocks = items(
            "x.fen",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n4k3/8/8/8/8/8/4P3/4K3 w - - 7 9\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\n",
        );
        assert_eq!([true, false].map(|uses_clocks| count_repeated(&clocks.items, None, uses_clocks)), [[0, 3], [1, 3]]);
        // An item's hash depends on its content and its searched plies.
        let defaults = Sequence::default();
        let sequences = [
            None,
            Some(defaults),
            Some(Sequence { from: 1, ..defaults }),
            Some(Sequence { to: Some(9), ..defaults }),
            Some(Sequence { side: White, ..defaults }),
            Some(Sequence { self_play: 2, ..defaults }),
        ];
        let hash_items = |sequence: Option<Sequence>| item_hashes(&games, sequence.as_ref());
        assert_eq!((hash_items(None).len(), hash_items(None) == hash_items(None)), (3, true));
        let hashes: HashSet<String> =
            sequences.into_iter().flat_map(|sequence| hash_items(sequence).into_values()).collect();
        assert_eq!(hashes.len(), 3 * sequences.len());
    }

    /// An external engine with another limit (depth, nodes or both) is another variant; the timeout
    /// is not part of the id.
    #[test]
    fn limit_is_part_of_the_variant_id() {
        let first_id = |more: &str| {
            let text = format!("suite = {{ startpos = true }}\n{more}\n");
            let experiment = crate::experiment::Experiment::parse(&text, "x.toml".as_ref(), &[]);
            variant_id(&experiment.unwrap_or_else(|problem| panic!("{problem}")).variants[0])
        };
        for subject in ["", "[subject]\nuci = 'x'\n"] {
            let limits =
                ["depth = 2", "depth = 3", "nodes = 2", "nodes = 3", "depth = 2, nodes = 2", "depth = 2, nodes = 3"];
            let ids: HashSet<u64> =
                limits.iter().map(|limit| first_id(&format!("limit = {{ {limit} }}\n{subject}"))).collect();
            assert_eq!(ids.len(), 6, "{subject}");
        }
        assert_eq!(
            first_id("limit = { depth = 2 }\n[subject]\nuci = 'x'"),
            first_id("limit = { depth = 2 }\n[subject]\nuci = 'x'\ntimeout = 9")
        );
    }
}
