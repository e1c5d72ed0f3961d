//! Decision tables of every policy and every same-key rule, worked out by hand and checked through
//! the table itself.

use ttlab::internals::chess::{Bound, Move};
use ttlab::internals::decode::from_toml;
use ttlab::internals::table::policy::{Big1, Decision, Newcomer, Random, Replacement, register};
use ttlab::internals::table::{Entry, Table, TableOptions, build};

/// Creates a table with one bucket and the options in `text`.
fn one_bucket(slots: u8, text: &str) -> Box<dyn Table> {
    let options: TableOptions = from_toml(&format!("slots = {slots}\nsize = {slots}\nlayout = 'bytes24'\n{text}"))
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    build(&options, None, false).unwrap().unwrap()
}

/// Runs a script and returns the remaining entries in alphabetical order. `a5` stores position a at
/// depth 5 with a lower bound, `a5-` with an upper and `a5=` with an exact one, `a5+` in an open
/// window, `a5/70` with 70 nodes. `?a` probes, `!a` probes and cuts off, `|` is a tick.
fn remaining_entries(slots: u8, text: &str, script: &str) -> String {
    let mut table = one_bucket(slots, text);
    let key = |name: u8| u64::from(name);
    for word in script.split_whitespace() {
        let name = word.as_bytes();
        match name[0] {
            b'|' => table.advance(word.len() as u16),
            b'?' => drop(table.probe(key(name[1]), 0)),
            b'!' => {
                let hit = table.probe(key(name[1]), 0).unwrap();
                table.cutoff(&hit);
            }
            name => {
                let bound = match word.as_bytes()[word.len() - 1] {
                    b'-' => Bound::Upper,
                    b'=' => Bound::Exact,
                    _ => Bound::Lower,
                };
                let pv = word.ends_with('+');
                let (depth, nodes) = word[1..]
                    .trim_end_matches(['-', '=', '+'])
                    .split_once('/')
                    .unwrap_or((word[1..].trim_end_matches(['-', '=', '+']), "1"));
                let (depth, nodes) = (depth.parse().unwrap(), nodes.parse().unwrap());
                table.store(key(name), Entry { bound, depth, pv, nodes, ..Entry::default() });
            }
        }
    }
    let mut remaining = Vec::new();
    for name in 'a'..='z' {
        if let Some(hit) = table.probe(key(name as u8), 0) {
            let bound = ["", "-", "", "="][hit.entry.bound as usize];
            remaining.push(format!("{name}{}{bound}", hit.entry.depth));
        }
    }
    remaining.join(" ")
}

/// Slots, options, script, remaining entries.
type Row = (u8, &'static str, &'static str, &'static str);

fn check_rows(rows: &[Row]) {
    for &(slots, text, script, expected) in rows {
        assert_eq!(remaining_entries(slots, text, script), expected, "{script} in {slots} slots under {text}");
    }
}

#[test]
fn one_level_schemes_decide_as_published() {
    check_rows(&[
        (1, "policy = 'always'", "a5 b1", "b1"),
        (1, "policy = 'never'", "a1 b5", "a1"),
        (1, "policy = 'never'", "a1 a5", "a5"),
        (2, "policy = 'never'", "a1 b5 c9", "a1 b5"),
        (1, "policy = 'depth-preferred'", "a5 b4", "a5"),
        (1, "policy = 'depth-preferred'", "a5 b5", "b5"),
        (1, "policy = 'depth-preferred'", "a5 b6", "b6"),
        (3, "policy = 'depth-preferred'", "a5 b2 c7 d2", "a5 c7 d2"),
        (3, "policy = 'depth-preferred'", "a5 b2 c7 d1", "a5 b2 c7"),
        (1, "policy = 'big1'", "a1/50 b9/49", "a1"),
        (1, "policy = 'big1'", "a9/50 b1/50", "b1"),
        (2, "policy = 'big1'", "a9/500 b8/70 c1/71", "a9 c1"),
        (1, "policy = 'big-all'", "a1/50 b9/49", "a1"),
        (1, "policy = 'big-all'", "a9/50 b1/51", "b1"),
        (3, "policy = 'always'", "a9 b9 c9 d0", "b9 c9 d0"),
        (3, "policy = 'always'", "a9 b9 c9 a1 d0", "b9 c9 d0"),
        (3, "policy = 'always'", "a9 b9 c9 d0 e0", "c9 d0 e0"),
    ]);
}

#[test]
fn two_level_schemes_decide_as_published() {
    check_rows(&[
        // If the newcomer is at least as deep as the entry in the first slot, that entry moves to
        // the second slot. Otherwise the newcomer goes to the second slot.
        (2, "policy = 'two-deep'", "a5 b7", "a5 b7"),
        (2, "policy = 'two-deep'", "a5 b7 c3", "b7 c3"),
        (2, "policy = 'two-deep'", "a5 b7 c9", "b7 c9"),
        (2, "policy = 'two-deep'", "a5 b7 c7 d1", "c7 d1"),
        (3, "policy = 'two-deep'", "a5 b7 c3 d1", "b7 c3 d1"),
        (2, "policy = 'two-big1'", "a5/50 b1/70 c9/30", "b1 c9"),
        (2, "policy = 'two-big1'", "a5/50 b1/70 c0/90", "b1 c0"),
        // The first slot keeps the deeper entry, and an entry that it evicts is lost. The other
        // slots take newcomers that the first refuses.
        (2, "policy = 'two-tier'", "a5 b7", "b7"),
        (2, "policy = 'two-tier'", "a5 b3 c7", "b3 c7"),
        (2, "policy = 'two-tier'", "a5 b3 c2 d1", "a5 d1"),
        (3, "policy = 'two-tier'", "a5 b3 c2 d1", "a5 c2 d1"),
    ]);
}

#[test]
fn ancient_entries_are_protected_until_the_next_tick() {
    const CUTOFF: &str = "policy = { kind = 'ancient', useful = 'cutoff' }";
    check_rows(&[
        // A useful entry is kept until the search ends; any newcomer replaces one that isn't
        // useful.
        (1, "policy = 'ancient'", "a5 b1", "b1"),
        (1, "policy = 'ancient'", "a5 ?a b9", "a5"),
        (1, "policy = 'ancient'", "a5 ?a | b1", "b1"),
        (1, "policy = 'ancient'", "a5 | ?a b9", "a5"),
        (2, "policy = 'ancient'", "a5 b5 ?a c1", "a5 c1"),
        (2, "policy = 'ancient'", "a5 b5 ?a ?b c9", "a5 b5"),
        (1, CUTOFF, "a5 ?a b1", "b1"),
        (1, CUTOFF, "a5 !a b9", "a5"),
        (1, CUTOFF, "a5 !a | b1", "b1"),
        // An entry that was useful in the last search isn't useful in this one just because it was
        // probed.
        (1, "policy = { kind = 'ancient', useful = 'cutoff' }\nrefresh = 'match'", "a5 !a | ?a b1", "b1"),
        // With `protect_new`, new entries are protected from the start, so nothing is replaced
        // within a search.
        (1, "policy = { kind = 'ancient', protect_new = true }", "a5 b9", "a5"),
        (1, "policy = { kind = 'ancient', protect_new = true }", "a5 | b1", "b1"),
        // A deeper entry of the same position: the same-key option decides.
        (1, "policy = 'ancient'", "a5 ?a a9", "a9"),
        (1, "policy = 'ancient'\nsame_key = 'policy'", "a5 ?a a9", "a5"),
        (1, "policy = 'ancient'\nsame_key = 'policy'", "a5 a3", "a3"),
    ]);
}

#[test]
fn aged_policies_weigh_depth_and_age() {
    const STORE: &str = "policy = { kind = 'aged-depth', on = 'store' }";
    const PROBE: &str = "policy = { kind = 'aged-depth', on = 'probe' }";
    check_rows(&[
        // depth - 4 x age
        (1, "policy = 'aged-depth'", "a9 b8", "a9"),
        (1, "policy = 'aged-depth'", "a9 | b4", "a9"),
        (1, "policy = 'aged-depth'", "a9 | b5", "b5"),
        (1, "policy = 'aged-depth'", "a9 || b1", "b1"),
        (1, "policy = { kind = 'aged-depth', factor = 2 }", "a9 | b6", "a9"),
        (1, STORE, "a9 | b5", "b5"),
        (1, PROBE, "a9 | b5", "a9"),
        // depth - 8 x age; the entry with the smallest value is replaced, whatever the newcomer's
        // value is
        (2, "policy = 'depth-age'", "a20 | b3 c0", "a20 c0"),
        (2, "policy = 'depth-age'", "a10 | b3 c0", "b3 c0"),
        (2, "policy = { kind = 'depth-age', factor = 4 }", "a10 | b3 c0", "a10 c0"),
        (1, "policy = 'depth-age'", "a9 b0", "b0"),
        // ... unless the newcomer may be refused
        (1, "policy = { kind = 'depth-age', refuse = true }", "a9 b8", "a9"),
        (1, "policy = { kind = 'depth-age', refuse = true }", "a9 b9", "b9"),
        (1, "policy = { kind = 'depth-age', refuse = true }", "a9 | b0", "a9"),
        (1, "policy = { kind = 'depth-age', refuse = true }", "a9 | b1", "b1"),
        // refreshed by any match, by a cutoff, or never
        (2, "policy = 'depth-age'\nrefresh = 'match'", "a10 | ?a b3 c0", "a10 c0"),
        (2, "policy = 'depth-age'\nrefresh = 'cutoff'", "a10 | ?a b3 c0", "b3 c0"),
        (2, "policy = 'depth-age'\nrefresh = 'cutoff'", "a10 | !a b3 c0", "a10 c0"),
        (2, "policy = 'depth-age'\nrefresh = 'never'", "a10 | !a b3 c0", "b3 c0"),
    ]);
    // On a probe, an old entry answers as if it had been searched less deeply.
    for (text, draft) in [("policy = 'aged-depth'", 1), (PROBE, 1), (STORE, 9), ("policy = 'depth-age'", 9)] {
        let mut table = one_bucket(1, text);
        table.store(1, Entry { bound: Bound::Exact, depth: 9, ..Entry::default() });
        table.advance(2);
        let hit = table.probe(1, 0).unwrap();
        assert_eq!((hit.draft, hit.entry.depth, hit.age), (draft, 9, 2), "{text}");
    }
}

#[test]
fn same_key_rules_decide_as_documented() {
    const ETHEREAL: &str = "same_key = 'guard'\nguard = { margin = 3, pv = 0, age = false }";
    const BARE: &str = "same_key = 'guard'\nguard = { margin = 0, pv = 0, age = false, exact = false }";
    check_rows(&[
        (1, "same_key = 'replace'", "a9 a0", "a0"),
        (1, "same_key = 'deeper'", "a9 a8=", "a9"),
        (1, "same_key = 'deeper'", "a9 a9=", "a9="),
        // The entry is exact, or depth + 2 x pv > old depth - 4, or the old entry is from an
        // earlier search.
        (1, "same_key = 'guard'", "a9 a5", "a9"),
        (1, "same_key = 'guard'", "a9 a6", "a6"),
        (1, "same_key = 'guard'", "a9 a4+", "a4"),
        (1, "same_key = 'guard'", "a9 a3+", "a9"),
        (1, "same_key = 'guard'", "a9 a0=", "a0="),
        (1, "same_key = 'guard'", "a9 | a0-", "a0-"),
        // Each clause by itself, and a rule without the other clauses.
        (1, ETHEREAL, "a9 a6", "a9"),
        (1, ETHEREAL, "a9 a7", "a7"),
        (1, ETHEREAL, "a9 a0=", "a0="),
        (1, BARE, "a9 a8=", "a9"),
        (1, BARE, "a9 | a8", "a9"),
        (1, BARE, "a9 a8+", "a9"),
        (1, BARE, "a9 a9", "a9"),
        (1, BARE, "a8 a9", "a9"),
        (1, ETHEREAL, "a9 | a6", "a9"),
        // With `same_key = 'policy'`, a new entry of a stored position doesn't evict another
        // position.
        (2, "policy = 'depth-preferred'\nsame_key = 'policy'", "a9 b2 a8", "a9 b2"),
        (2, "policy = 'depth-preferred'\nsame_key = 'policy'", "a9 b2 a9=", "a9= b2"),
        (2, "policy = 'two-deep'\nsame_key = 'policy'", "a9 b2 b9=", "a9 b9="),
        (2, "policy = 'two-deep'\nsame_key = 'policy'", "a9 b2 b1", "a9 b1"),
        (2, "policy = 'two-deep'\nsame_key = 'policy'", "a9 b2 a8", "a9 b2"),
    ]);
}

#[test]
fn vipermate_first_and_scored_decide_as_documented() {
    const SAME: &str = "policy = 'vipermate-first'\nsame_key = 'policy'";
    check_rows(&[
        (1, SAME, "a9- b0-", "b0-"),
        (1, SAME, "a9 b8=", "a9"),
        (1, SAME, "a9 b9-", "b9-"),
        (1, SAME, "a9 a9-", "a9"),
        (1, SAME, "a9 a9=", "a9="),
        (1, SAME, "a9= a12", "a9="),
        (1, SAME, "a9- a1-", "a1-"),
        // By default depth - 8 x age; then each weight by itself.
        (2, "policy = 'scored'", "a9 b3 c0", "a9 c0"),
        (2, "policy = 'scored'", "a10 | b3 c0", "b3 c0"),
        (2, "policy = { kind = 'scored', exact = 2 }", "a4 b3= c0", "b3= c0"),
        (2, "policy = { kind = 'scored', pv = 2 }", "a4 b3+ c0", "b3 c0"),
        (2, "policy = { kind = 'scored', depth = 0, nodes = 1 }", "a9/15 b1/16 c0", "b1 c0"),
    ]);
}

#[test]
fn old_move_is_kept_only_if_the_new_entry_has_none() {
    for (text, expected) in [("", [0, 5]), ("keep_move = true", [3, 5])] {
        let mut table = one_bucket(1, text);
        let entry = |mv| Entry { mv: Move::from_bits(mv), bound: Bound::Lower, ..Entry::default() };
        table.store(1, entry(3));
        table.store(1, entry(0));
        let after_no_move = table.probe(1, 0).unwrap().entry.mv.bits();
        table.store(1, entry(5));
        assert_eq!([after_no_move, table.probe(1, 0).unwrap().entry.mv.bits()], expected, "{text}");
    }
}

/// The control of every comparison: it chooses all slots about equally often, and the same slot for
/// the same key.
#[test]
fn random_policy_is_uniform_and_repeatable() {
    let bucket = [Entry { bound: Bound::Exact, ..Entry::default() }; 6];
    let chosen_slot = |key, seed| {
        let newcomer = Newcomer { entry: bucket[0], key, same: None };
        let decision = Random { seed }.decide(&bucket, &newcomer, 0);
        (0..6).find(|&slot| decision == Decision::replace(slot)).expect("one slot of the bucket")
    };
    let mut counts = [0; 6];
    for key in 0..60_000 {
        counts[chosen_slot(key, 1)] += 1;
        assert_eq!(chosen_slot(key, 1), chosen_slot(key, 1));
    }
    assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    let differing = (0..6000).filter(|&key| chosen_slot(key, 1) != chosen_slot(key, 2)).count();
    assert!(
        (4700..5300).contains(&differing),
        "another seed is another choice five times in six, not {differing} of 6000"
    );
}

/// Duplicate names and invalid names are refused.
#[test]
fn invalid_registration_is_refused() {
    for name in ["big1", "always", "aged-depth"] {
        let error = register::<Big1>(name).unwrap_err();
        assert_eq!(error, format!("`{name}`: a policy of this name exists already"));
    }
    for name in ["", "Big", "two words", "naïve"] {
        let error = register::<Big1>(name).unwrap_err();
        assert!(error.contains("expected a name of small letters"), "{name}");
    }
}

/// Replaces the slot that its parameter gives, whatever is in it.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
struct FixedSlot {
    slot: usize,
    most: u8,
}

impl Default for FixedSlot {
    fn default() -> Self {
        Self { slot: 1, most: 3 }
    }
}

impl Replacement for FixedSlot {
    fn decide(&self, _: &[Entry], _: &Newcomer, _: u16) -> Decision {
        Decision::replace(self.slot)
    }
    fn check(&self) -> Result<(), String> {
        if self.most > 9 { Err(format!("most = {}", self.most)) } else { Ok(()) }
    }
}

/// A policy uses its own parameters: it decides by them, checks them and is serialized with them.
/// Missing ones have their default, and an unknown key is reported.
#[test]
fn external_policy_uses_its_own_parameters() {
    register::<FixedSlot>("fixed-slot").unwrap();
    let options = |policy: &str| from_toml::<TableOptions>(&format!("slots = 4\nsize = 4\npolicy = {policy}"));
    let cases = [
        ("'fixed-slot'", 1, 3),
        ("{ kind = 'fixed-slot', slot = 3 }", 3, 3),
        ("{ kind = 'fixed-slot', slot = 2, most = 8 }", 2, 8),
        ("{ kind = 'fixed-slot' }", 1, 3),
        ("{ kind = 'fixed-slot', most = 8 }", 1, 8),
    ];
    for (text, slot, most) in cases {
        let options = options(text).unwrap();
        let written = serde_json::to_value(&options).unwrap();
        assert_eq!(
            written["policy"],
            serde_json::json!({ "kind": "fixed-slot", "slot": slot, "most": most }),
            "{text}"
        );
        let mut table = build(&options, None, false).unwrap().unwrap();
        for key in 0..5 {
            table.store(key, Entry { bound: Bound::Exact, ..Entry::default() });
        }
        // The first four stores fill the bucket in order; the fifth replaces the given slot.
        let is_found: Vec<bool> = (0..5).map(|key| table.probe(key, 0).is_some()).collect();
        let expected: Vec<bool> = (0..5).map(|key| key != slot).collect();
        assert_eq!(is_found, expected, "{text}");
    }
    let refused = build(&options("{ kind = 'fixed-slot', most = 10 }").unwrap(), None, false).err().unwrap();
    assert_eq!(refused.to_string(), "table.policy: most = 10");
    let unknown = options("{ kind = 'fixed-slot', slots = 2 }").unwrap_err().to_string();
    assert!(unknown.contains("unknown key `slots`, expected `slot` or `most`"), "{unknown}");
    let number = options("{ kind = 5 }").unwrap_err().to_string();
    assert!(number.contains("integer `5`"), "{number}");
    assert!(options("{ kind = 'fixed-slot', slot = 'two' }").is_err());
}
