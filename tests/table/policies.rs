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

/// Runs a script of the decision tables and returns the remaining entries in alphabetical order.
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

/// The decision tables, worked out by hand, of every policy and every same-key rule.
#[test]
fn policies_decide_as_published() {
    let (mut options, mut count) = (String::new(), 0);
    for line in include_str!("../golden/table/policies.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some(text) = line.strip_prefix("= ") {
            options = text.replace(" ; ", "\n");
        } else if let Some((bucket, expected)) = line.split_once(" -> ") {
            let (slots, script) = bucket.split_once(": ").unwrap();
            assert_eq!(remaining_entries(slots.parse().unwrap(), &options, script), expected, "{line} under {options}");
            count += 1;
        }
    }
    assert!(count > 90, "{count}");
}

#[test]
fn old_entry_answers_a_probe_as_if_searched_less_deeply() {
    const STORE: &str = "policy = { kind = 'aged-depth', on = 'store' }";
    const PROBE: &str = "policy = { kind = 'aged-depth', on = 'probe' }";
    for (text, draft) in [("policy = 'aged-depth'", 1), (PROBE, 1), (STORE, 9), ("policy = 'depth-age'", 9)] {
        let mut table = one_bucket(1, text);
        table.store(1, Entry { bound: Bound::Exact, depth: 9, ..Entry::default() });
        table.advance(2);
        let hit = table.probe(1, 0).unwrap();
        assert_eq!((hit.draft, hit.entry.depth, hit.age), (draft, 9, 2), "{text}");
    }
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
