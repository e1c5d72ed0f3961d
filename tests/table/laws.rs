//! Properties of every table: conservation of stores, a stored entry is found, and the memory is
//! what was requested.

use proptest::prelude::*;
use std::collections::HashMap;
use ttlab::internals::chess::Bound;
use ttlab::internals::decode::from_toml;
use ttlab::internals::table::options::{Index, Layout, Refresh, SameKey, Size};
use ttlab::internals::table::policy::Policy;
use ttlab::internals::table::shape::Shape;
use ttlab::internals::table::{
    Entry, ObservedTable, SharedTable, Table, TableKind, TableOptions, build, bytes, slot_count,
};

/// One random operation on a table.
#[derive(Debug, Clone)]
enum Step {
    Store(u64, Entry),
    Probe(u64),
    Cutoff(u64),
    Advance(u16),
}

/// Typical entries, and entries at the limits of what the layouts can hold: signed scores of 16
/// bits, depths of 8 bits, moves of 15 bits, and node counts of 32 bits and around the start of
/// their rounding.
fn any_entry() -> impl Strategy<Value = Entry> {
    let mv = prop_oneof![6 => 1u16..0x7fff, 1 => Just(0), 1 => Just(0x7fff)];
    let score = prop_oneof![
        6 => -31_000i16..=31_000,
        1 => Just(i16::MIN + 1),
        1 => Just(i16::MAX),
        1 => -1i16..=1,
    ];
    let depth = prop_oneof![6 => 0u8..20, 1 => Just(0), 1 => 127u8..=128, 1 => 254u8..=255];
    let nodes = prop_oneof![6 => 0u32..1_000_000, 2 => 60u32..132, 1 => u32::MAX - 2..=u32::MAX, 1 => 0u32..2];
    crate::any_entry_of(mv, score, depth, nodes)
}

/// A small number of keys, spread over the high and low bits, so that positions recur and buckets
/// fill up.
fn any_key() -> impl Strategy<Value = u64> {
    (0u64..200).prop_map(|small| (small + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// All keys that `any_key` generates.
fn every_key() -> impl Iterator<Item = u64> {
    (0u64..200).map(|small| (small + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (any_key(), any_entry()).prop_map(|(key, entry)| Step::Store(key, entry)),
        3 => any_key().prop_map(Step::Probe),
        1 => any_key().prop_map(Step::Cutoff),
        1 => prop_oneof![4 => 0u16..600, 1 => 1022u16..1027, 1 => 2046u16..2050].prop_map(Step::Advance),
    ]
}

/// Every policy with all the layouts, indexes, bucket sizes and same-key rules that it allows.
fn every_table() -> Vec<TableOptions> {
    let mut tables = Vec::new();
    for policy in Policy::NAMES.iter().map(|name| Policy::from_name(name).unwrap()) {
        for (slots, layout) in [
            (1, Layout::Bytes16),
            (2, Layout::Bytes16),
            (4, Layout::Bytes24),
            (8, Layout::Bytes16),
            (3, Layout::Bytes10),
            (1, Layout::Bytes24),
        ] {
            for (same_key, guard) in crate::same_key_rules() {
                for (index, refresh) in
                    [(Index::Modulo, Refresh::Never), (Index::Mask, Refresh::Match), (Index::Multiply, Refresh::Cutoff)]
                {
                    let size = Size::Entries(48);
                    let table = TableOptions {
                        policy,
                        slots,
                        layout,
                        same_key,
                        guard,
                        index,
                        refresh,
                        size,
                        ..TableOptions::default()
                    };
                    tables.extend(table.check().is_ok().then_some(table));
                }
            }
        }
    }
    tables
}

/// Applies the steps to a table, and checks that the result of each store agrees with the counters.
fn play(table: &mut dyn Table, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Store(key, entry) => {
                let before = table.counters();
                let stored = table.store(*key, *entry);
                let counted = table.counters() - before;
                let (is_rejection, is_update) = (counted.rejections == 1, counted.updates == 1);
                assert_eq!((stored.refused, stored.same && !stored.refused), (is_rejection, is_update));
            }
            Step::Probe(key) => drop(table.probe(*key, 0)),
            Step::Cutoff(key) => {
                if let Some(hit) = table.probe(*key, 0) {
                    table.cutoff(&hit);
                }
            }
            Step::Advance(ticks) => table.advance(*ticks),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_store_is_counted_once(steps in prop::collection::vec(any_step(), 1..300)) {
        let tables = every_table();
        prop_assert!(tables.len() > 900, "{} tables", tables.len());
        for options in &tables {
            let mut table = build(options, None, false).unwrap().unwrap();
            play(table.as_mut(), &steps);
            let count = table.counters();
            prop_assert_eq!(count.stores, count.fills + count.updates + count.evictions + count.rejections, "{:?}", options);
            prop_assert_eq!(count.probes, count.hits + count.misses_empty + count.misses_other, "{:?}", options);
            let occupancy = table.occupancy();
            // Only a fill occupies a slot, and only a clear frees slots.
            prop_assert!(occupancy.occupied <= occupancy.slots);
            prop_assert_eq!(occupancy.occupied, count.fills, "{:?}", options);
            table.clear();
            prop_assert_eq!(table.occupancy().occupied, 0);
        }
    }

    /// Right after a store that wasn't refused, a probe returns what was stored.
    #[test]
    fn stored_entry_is_found(steps in prop::collection::vec(any_step(), 0..100), key in any_key(), entry in any_entry()) {
        for options in &every_table() {
            let mut table = build(options, None, false).unwrap().unwrap();
            play(table.as_mut(), &steps);
            let before = table.counters().rejections;
            let stored = table.store(key, entry);
            if table.counters().rejections == before {
                let hit = table.probe(key, entry.depth).expect("what was stored is found");
                prop_assert_eq!(hit.slot, stored.slot, "{:?}", options);
                // Nodes are rounded down by at most 1/64, unless the layout stores them in a full
                // word. If the new entry has no move, the old move may be kept.
                let exact = options.layout == Layout::Bytes24 || entry.nodes < 64;
                let nodes = hit.entry.nodes;
                prop_assert!(nodes <= entry.nodes && entry.nodes - nodes <= if exact { 0 } else { entry.nodes / 64 }, "{:?}", options);
                let mv = if entry.mv.is_none() { entry.mv } else { hit.entry.mv };
                let stored_entry = Entry { generation: 0, used: false, nodes: entry.nodes, mv, ..hit.entry };
                prop_assert_eq!(stored_entry, entry, "{:?}", options);
                prop_assert_eq!(hit.age, 0, "{:?}", options);
            }
        }
    }

    /// After a clear, a table answers, decides and counts like a new one, whatever it contained and
    /// whatever its clock was.
    #[test]
    fn cleared_table_equals_a_new_one(
        before in prop::collection::vec(any_step(), 1..150),
        after in prop::collection::vec(any_step(), 1..150),
    ) {
        for options in every_table().iter().step_by(7) {
            let mut cleared = build(options, None, false).unwrap().unwrap();
            let mut new = build(options, None, false).unwrap().unwrap();
            play(cleared.as_mut(), &before);
            cleared.clear();
            let counted_before = cleared.counters();
            play(cleared.as_mut(), &after);
            play(new.as_mut(), &after);
            prop_assert_eq!(cleared.counters() - counted_before, new.counters(), "{:?}", options);
            prop_assert_eq!(cleared.occupancy(), new.occupancy());
            for key in every_key() {
                let [of_cleared, of_new] = [&mut cleared, &mut new].map(|table| table.probe(key, 0).map(|hit| (hit.entry, hit.draft, hit.age)));
                prop_assert_eq!(of_cleared, of_new, "{:?}", options);
            }
        }
    }

    /// A table divided among threads answers, decides and counts like the table that was divided,
    /// as long as one thread uses it.
    #[test]
    fn divided_table_equals_its_table(steps in prop::collection::vec(any_step(), 1..300)) {
        let shapes = ["3x10", "3x8", "5x12", "4x16", "1x10", "1x12"].map(|name| from_toml(&Shape::from_name(name).unwrap().text()).unwrap());
        for options in every_table().into_iter().step_by(5).chain(shapes) {
            let options = TableOptions { size: Size::Entries(75), huge_pages: false, ..options };
            let mut whole = build(&options, None, false).unwrap().unwrap();
            let mut divided = SharedTable::for_searchers(build(&options, None, false).unwrap().unwrap(), 1, false).remove(0);
            play(whole.as_mut(), &steps);
            play(divided.as_mut(), &steps);
            prop_assert_eq!(divided.counters(), whole.counters(), "{:?}", options);
            prop_assert_eq!(divided.occupancy(), whole.occupancy());
            for key in every_key() {
                let [of_divided, of_whole] = [&mut divided, &mut whole].map(|table| table.probe(key, 0).map(|hit| (hit.entry, hit.draft, hit.age)));
                prop_assert_eq!(of_divided, of_whole, "{:?}", options);
            }
            divided.clear();
            prop_assert_eq!(divided.occupancy().occupied, 0);
        }
    }

    /// A table with room for everything and full keys answers like a map.
    #[test]
    fn large_table_equals_a_map(steps in prop::collection::vec(any_step(), 1..400)) {
        let bounded = TableOptions { size: Size::Entries(1 << 16), index: Index::Modulo, ..TableOptions::default() };
        let unbounded = TableOptions { kind: TableKind::Unbounded, ..TableOptions::default() };
        let mut large = build(&bounded, None, false).unwrap().unwrap();
        let mut map = build(&unbounded, None, false).unwrap().unwrap();
        play(large.as_mut(), &steps);
        play(map.as_mut(), &steps);
        let plain = |hit: Option<ttlab::internals::table::Hit>| hit.map(|hit| (Entry { nodes: 0, used: false, ..hit.entry }, hit.draft, hit.age));
        for key in every_key() {
            prop_assert_eq!(plain(large.probe(key, 0)), plain(map.probe(key, 0)));
        }
    }
}

/// Threads that use a table at the same time lose no count, and find what was stored under their
/// keys, but for a few entries that two wrote at once. What one empties is empty for all.
#[test]
fn threads_share_a_table() {
    let options = TableOptions { size: Size::Entries(1 << 14), slots: 4, ..TableOptions::default() };
    let mut tables = SharedTable::share(build(&options, None, false).unwrap().unwrap(), 4);
    let torn = &std::sync::atomic::AtomicU32::new(0);
    let use_table = |thread: usize, table: &mut dyn Table| {
        for turn in 0..20_000_u64 {
            let key = (turn + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            table.prefetch(key);
            let entry =
                Entry { bound: Bound::Exact, depth: thread as u8, nodes: (turn % 64) as u32, ..Entry::default() };
            if let Some(hit) = table.probe(key, 0) {
                torn.fetch_add(u32::from(hit.entry.nodes != entry.nodes), std::sync::atomic::Ordering::Relaxed);
                table.cutoff(&hit);
            }
            table.store(key, entry);
        }
        table.suspend(&[]);
    };
    let mut cleared = 0;
    for round in 1..4 {
        std::thread::scope(|scope| {
            for (thread, table) in tables.iter_mut().enumerate() {
                scope.spawn(move || use_table(thread, &mut **table));
            }
        });
        let (count, occupancy) = (tables[1].counters(), tables[2].occupancy());
        assert_eq!(count.stores, 80_000 * round);
        assert_eq!(count.stores, count.fills + count.updates + count.evictions + count.rejections);
        assert_eq!(count.probes, count.hits + count.misses_empty + count.misses_other);
        assert!(count.updates > 0 && count.evictions > 0, "{count:?}");
        assert_eq!((occupancy.slots, occupancy.occupied), (1 << 14, (count.fills - cleared).min(1 << 14)));
        assert!((1..=occupancy.slots).contains(&occupancy.current), "{occupancy:?}");
        tables[3].advance(1);
        assert_eq!(tables[3].occupancy().current, 0);
        if round == 2 {
            tables[0].clear();
            cleared = count.fills;
            assert!((1..100).all(|key: u64| tables[1].probe(key << 50, 0).is_none()));
            tables.iter_mut().for_each(|table| table.suspend(&[]));
            assert!(tables.iter().all(|table| table.occupancy().occupied == 0 && table.counters().probes == 160_099));
        }
    }
    assert!(torn.load(std::sync::atomic::Ordering::Relaxed) < 2400, "{torn:?} of 240,000 probes");
}

#[test]
fn table_takes_the_memory_that_it_reports() {
    for (size, slots, layout) in [
        ("64 KiB", 1, Layout::Bytes16),
        ("1 MiB", 4, Layout::Bytes16),
        ("3 MiB", 3, Layout::Bytes10),
        ("5 MiB", 7, Layout::Bytes24),
    ] {
        let size: Size = size.parse().unwrap();
        let options = TableOptions { size, slots, layout, ..TableOptions::default() };
        let table = build(&options, None, false).unwrap().unwrap();
        let Size::Bytes(requested) = size else { unreachable!() };
        let reported = table.occupancy().bytes;
        assert_eq!(Some(reported), bytes(&options, None));
        assert_eq!(Some(table.occupancy().slots), slot_count(&options, None));
        assert!(reported <= requested, "{reported} of {requested}");
        assert!(reported * 100 >= requested * 99, "{reported} of {requested}");
    }
}

#[test]
fn short_keys_match_falsely_at_the_expected_rate() {
    // Stored keys and probed keys are different, so every hit is false. The expected number is
    // probes x slots x 2^-bits.
    for (bits, slots) in [(8u8, 1u8), (8, 4), (12, 2)] {
        let options = TableOptions {
            size: Size::Entries(4096),
            key_bits: bits,
            slots,
            policy: Policy::from_name("always").unwrap(),
            ..TableOptions::default()
        };
        let mut table = build(&options, None, false).unwrap().unwrap();
        let mix = |n: u64| {
            let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            n ^ n >> 31
        };
        for n in 1..100_000u64 {
            table.store(mix(n), Entry { bound: Bound::Exact, depth: 1, ..Entry::default() });
        }
        let probes = 400_000u64;
        let false_hits = (1_000_000..1_000_000 + probes).filter(|&n| table.probe(mix(n), 1).is_some()).count() as f64;
        let expected = probes as f64 * f64::from(slots) / f64::from(1u32 << bits);
        assert!(
            (false_hits / expected - 1.0).abs() < 0.15,
            "{false_hits} against {expected} with {bits} bits, {slots} slots"
        );
    }
    let options = TableOptions { key_bits: 0, size: Size::Entries(1), ..TableOptions::default() };
    let mut table = build(&options, None, false).unwrap().unwrap();
    assert!(table.probe(7, 0).is_none(), "an empty slot answers nobody");
    table.store(7, Entry { bound: Bound::Exact, ..Entry::default() });
    assert!(table.probe(8, 0).is_some(), "without a comparison any occupied slot answers");
}

/// A static evaluation stored in the entry changes neither the number of buckets nor which keys
/// match.
#[test]
fn static_evaluation_leaves_hits_and_sizes_unchanged() {
    for (layout, slots) in [("bytes10", 3), ("bytes16", 2), ("bytes24", 4)] {
        for (index, key_bits) in [("mask", 5), ("multiply", 5), ("mask", 16), ("multiply", 64)] {
            let text = format!(
                "layout = '{layout}'\nslots = {slots}\nindex = '{index}'\nkey_bits = {key_bits}\nsize = '8 KiB'"
            );
            let counts = [false, true].map(|static_evaluation| {
                let options = TableOptions { static_evaluation, ..from_toml(&text).unwrap() };
                let mut table = build(&options, None, false).unwrap().unwrap();
                let mut random = 5_u64;
                for _ in 0..20_000 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let key = random ^ random >> 29;
                    if table.probe(key, 0).is_none() {
                        table.store(key, Entry { bound: Bound::Exact, ..Entry::default() });
                    }
                }
                (table.counters(), table.occupancy())
            });
            assert_eq!(counts[0], counts[1], "{text}");
            assert!(key_bits > 5 || counts[0].0.hits > 0, "{text}: keys of five bits must match falsely");
        }
    }
}

#[test]
fn refused_store_reports_whether_the_key_was_present() {
    for same_key in [SameKey::Policy, SameKey::Deeper] {
        let options = TableOptions {
            policy: Policy::from_name("depth-preferred").unwrap(),
            same_key,
            size: Size::Entries(16),
            index: Index::Modulo,
            ..TableOptions::default()
        };
        let mut table = build(&options, None, false).unwrap().unwrap();
        let mut store = |key: u64, depth: u8| {
            let stored = table.store(key, Entry { depth, bound: Bound::Exact, ..Entry::default() });
            (stored.refused, stored.same)
        };
        assert_eq!(store(3, 5), (false, false), "a free slot");
        assert_eq!(store(3, 4), (true, true), "its own, shallower");
        assert_eq!(store(19, 4), (true, false), "another's, shallower");
        assert_eq!(store(3, 6), (false, true), "its own, deeper");
        assert_eq!(store(19, 7), (false, false), "another's, deeper");
    }
}

/// The source of the Ancient flag sweeps over the whole table after each search and sets every
/// flag. The table must behave as if it did so.
#[test]
fn ancient_mark_expires_like_a_sweep() {
    let policy = Policy::from_name("ancient").unwrap();
    let options = TableOptions {
        policy,
        same_key: SameKey::Policy,
        size: Size::Entries(16),
        index: Index::Modulo,
        ..TableOptions::default()
    };
    let mut table = build(&options, None, false).unwrap().unwrap();
    // The model: each slot's key, and whether it may be replaced.
    let mut model: Vec<Option<(u64, bool)>> = vec![None; 16];
    let mut random = 1u64;
    for step in 0..20_000u64 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let key = (random >> 33) % 64 + 1;
        let slot = (key % 16) as usize;
        if step % 97 == 0 {
            table.advance(1);
            model.iter_mut().flatten().for_each(|(_, replaceable)| *replaceable = true);
        } else if random >> 20 & 1 == 0 {
            let hit = table.probe(key, 0).is_some();
            let expected = matches!(model[slot], Some((slot_key, _)) if slot_key == key);
            assert_eq!(hit, expected, "step {step}");
            if let Some((slot_key, replaceable)) = &mut model[slot]
                && *slot_key == key
            {
                *replaceable = false;
            }
        } else {
            table.store(key, Entry { bound: Bound::Exact, depth: (random >> 50) as u8, ..Entry::default() });
            if model[slot].is_none_or(|(_, replaceable)| replaceable) {
                model[slot] = Some((key, true));
            }
        }
    }
}

#[test]
fn ages_wrap_at_1024_ticks() {
    let mut table = build(&TableOptions::default(), None, false).unwrap().unwrap();
    table.advance(1020);
    table.store(5, Entry { bound: Bound::Exact, ..Entry::default() });
    for (ticks, age) in [(0, 0), (3, 3), (7, 10), (1013, 1023), (1, 0)] {
        table.advance(ticks);
        assert_eq!(table.probe(5, 0).unwrap().age, age);
    }
}

#[test]
fn unbounded_table_never_evicts() {
    const KEYS: u64 = 50_000;
    let key = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let entry = |n: u64, depth| Entry { bound: Bound::Exact, score: (n % 30_000) as i16, depth, ..Entry::default() };
    for (by_depth, depths) in [(false, 1), (true, 3)] {
        let options = TableOptions { kind: TableKind::Unbounded, ..TableOptions::default() };
        let mut table = build(&options, None, by_depth).unwrap().unwrap();
        for depth in 0..depths {
            (0..KEYS).for_each(|n| {
                table.store(key(n), entry(n + u64::from(depth), depth));
            });
            table.advance(1);
        }
        for depth in 0..depths {
            for n in 0..KEYS {
                let entry_found = table.probe(key(n), depth).unwrap().entry;
                assert_eq!((entry_found.score, entry_found.depth), (entry(n + u64::from(depth), depth).score, depth));
            }
        }
        let count = table.counters();
        assert_eq!((count.fills, count.evictions, count.rejections), (KEYS * u64::from(depths), 0, 0));
        assert_eq!(count.hits, count.probes);
    }
}

/// Exactly `key_bits` bits of the key are compared: a key that differs in any one of them belongs
/// to another position.
#[test]
fn every_compared_key_bit_matters() {
    for index in [Index::Modulo, Index::Mask, Index::Multiply] {
        for (layout, slots, key_bits, compared) in [
            (Layout::Bytes16, 1, 64, 64),
            (Layout::Bytes24, 2, 64, 64),
            (Layout::Bytes16, 4, 48, 48),
            (Layout::Bytes24, 1, 1, 1),
            (Layout::Bytes10, 3, 64, 16),
            (Layout::Bytes10, 3, 12, 12),
        ] {
            let size = Size::Entries(u64::from(slots));
            let options = TableOptions { index, layout, slots, key_bits, size, ..TableOptions::default() };
            let mut table = build(&options, None, false).unwrap().unwrap();
            let key = 0x0123_4567_89ab_cdef_u64;
            table.store(key, Entry { bound: Bound::Exact, ..Entry::default() });
            let distinguishing_bits = (0..64).filter(|bit| table.probe(key ^ 1 << bit, 0).is_none()).count();
            assert_eq!(distinguishing_bits, compared, "{key_bits} bits, {layout:?}, {index:?}");
        }
    }
}

/// Checks which bounds end which nodes: scores below, at and above both ends of the window from 10
/// to 20.
#[test]
fn bound_settles_its_window() {
    for (bound, ends) in [
        (Bound::None, [false, false, false, false, false, false, false]),
        (Bound::Upper, [true, true, false, false, false, false, false]),
        (Bound::Lower, [false, false, false, false, false, true, true]),
        (Bound::Exact, [true, true, true, true, true, true, true]),
    ] {
        assert_eq!([9, 10, 11, 15, 19, 20, 21].map(|score| bound.settles(score, 10, 20)), ends, "{bound:?}");
    }
    // In a zero window, every score settles the node with one of the two bounds.
    assert_eq!([10, 11].map(|score| Bound::Upper.settles(score, 10, 11)), [true, false]);
    assert_eq!([10, 11].map(|score| Bound::Lower.settles(score, 10, 11)), [false, true]);
}

/// Compares `reused` with a plain map: the number of entries that answered a probe for the first
/// time since they were stored. Unbounded tables, observed tables, and policies that request it
/// count these; no other table does.
#[test]
fn reused_entries_are_counted_when_requested() {
    let bounded = |policy: &str| -> TableOptions {
        from_toml(&format!("size = 64\nindex = 'modulo'\npolicy = '{policy}'")).unwrap()
    };
    let make = |options: &TableOptions| build(options, None, false).unwrap().unwrap();
    let unbounded: TableOptions = from_toml("kind = 'unbounded'").unwrap();
    let tables: [(&str, bool, Box<dyn Table>); 5] = [
        ("unbounded", true, make(&unbounded)),
        ("watched", true, Box::new(ObservedTable::new(make(&bounded("always"))).unwrap())),
        ("watched, refusing", true, Box::new(ObservedTable::new(make(&bounded("depth-preferred"))).unwrap())),
        ("asked for by the policy", true, make(&bounded("ancient"))),
        ("not asked for", false, make(&bounded("always"))),
    ];
    for (name, counts, mut table) in tables {
        let mut state = 5_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let (mut answered, mut reused) = (HashMap::new(), 0);
        for _ in 0..20_000 {
            let key = random(200).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            table.identify(key);
            if random(3) == 0 {
                let entry = Entry { bound: Bound::Lower, depth: random(9) as u8, ..Entry::default() };
                let stored = table.store(key, entry);
                // In a bounded table, an entry that is overwritten by its own position in the same
                // tick is still the same entry.
                if !(stored.refused || stored.same && name != "unbounded") {
                    answered.insert(key, false);
                }
            } else if table.probe(key, 0).is_some() && !answered.insert(key, true).unwrap() {
                reused += 1;
            }
        }
        assert_eq!(table.counters().reused, if counts { reused } else { 0 }, "{name}");
        assert!(reused > 20, "{name}: {reused}");
    }
}

/// The reported moves of a store agree with the probes: entries from the newcomer's slot up to the
/// evicted one are one slot further, all others are where they were.
#[test]
fn moved_entry_is_found_one_slot_further() {
    let mut stores_that_moved = 0;
    for (policy, slots) in
        [("two-tier", 4), ("two-deep", 2), ("two-big1", 2), ("big-all", 1), ("always", 4), ("depth-age", 4)]
    {
        for same_key in ["replace", "policy", "deeper"] {
            let text = format!(
                "size = {slots}\nslots = {slots}\npolicy = '{policy}'\nsame_key = '{same_key}'\nindex = 'modulo'"
            );
            let options: TableOptions = from_toml(&text).unwrap();
            let mut table = build(&options, None, false).unwrap().unwrap();
            let keys: Vec<u64> = (1..12_u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let mut state = 3_u64;
            let mut random = |below: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % below
            };
            for _ in 0..2000 {
                let slots_of_keys = |table: &mut dyn Table| -> Vec<Option<usize>> {
                    keys.iter().map(|&key| table.probe(key, 0).map(|hit| hit.slot)).collect()
                };
                let before = slots_of_keys(table.as_mut());
                let new = random(keys.len() as u64) as usize;
                let entry =
                    Entry { bound: Bound::Lower, depth: random(6) as u8, nodes: random(99) as u32, ..Entry::default() };
                let stored = table.store(keys[new], entry);
                let after = slots_of_keys(table.as_mut());
                let last = stored.slot + usize::from(stored.moved);
                for (index, (before, after)) in before.iter().zip(&after).enumerate() {
                    let required = match *before {
                        before if stored.refused => before,
                        _ if index == new => Some(stored.slot),
                        Some(slot) if (stored.slot..last).contains(&slot) => Some(slot + 1),
                        Some(slot) if slot == last => None,
                        before => before,
                    };
                    assert_eq!(*after, required, "{text}: {stored:?}");
                }
                stores_that_moved += usize::from(stored.moved > 0);
            }
        }
    }
    assert!(stores_that_moved > 1000, "{stores_that_moved}");
}

/// However small a share of the working set is requested, the table has at least one bucket.
#[test]
fn smallest_share_is_one_bucket() {
    for (share, working_set, slots, required) in [("25 %", 1000, 2, 250), ("25 %", 3, 4, 4), ("0.01 %", 10, 1, 1)] {
        let options: TableOptions = from_toml(&format!("size = '{share}'\nslots = {slots}\nindex = 'modulo'")).unwrap();
        assert_eq!(slot_count(&options, Some(working_set)), Some(required), "{share} of {working_set}");
        let table = build(&options, Some(working_set), false).unwrap().unwrap();
        assert_eq!(table.occupancy().slots, required);
        assert_eq!((slot_count(&options, None), bytes(&options, None)), (None, None), "a share of what is not known");
    }
}

/// Checks each kind of store in an unbounded table by hand. Its memory is that of its entries, with
/// room to grow.
#[test]
fn unbounded_table_counts_each_kind_of_store() {
    let options = TableOptions { kind: TableKind::Unbounded, same_key: SameKey::Deeper, ..TableOptions::default() };
    let mut table = build(&options, None, false).unwrap().unwrap();
    let entry = |depth| Entry { bound: Bound::Exact, depth, ..Entry::default() };
    for (key, depth) in [(1, 5), (2, 3), (1, 4), (2, 3), (1, 6), (1, 5)] {
        table.store(key, entry(depth));
    }
    let count = table.counters();
    assert_eq!((count.stores, count.fills, count.updates, count.rejections), (6, 2, 2, 2));
    let depths = [1, 2, 3].map(|key| table.probe(key, 0).map(|hit| hit.entry.depth));
    assert_eq!(depths, [Some(6), Some(3), None]);
    let count = table.counters();
    assert_eq!((count.probes, count.hits, count.misses_empty), (3, 2, 1));
    (0..1000).for_each(|key| {
        table.store(key, entry(1));
    });
    let (occupancy, least) = (table.occupancy(), 1000 * size_of::<((u64, u8), Entry)>() as u64);
    assert_eq!((occupancy.slots, occupancy.occupied), (0, 1000));
    assert!((least..4 * least).contains(&occupancy.bytes), "{} of {least}", occupancy.bytes);
}

/// Sizes are written in the largest unit in which they are whole quarters, and are read back. Short
/// units are powers of 1024 too.
#[test]
fn table_sizes_match_a_calculation_by_hand() {
    const KIB: u64 = 1 << 10;
    for (bytes, text) in [
        (16 * KIB * KIB, "16 MiB"),
        (1536 * KIB, "1.5 MiB"),
        (1792 * KIB, "1.75 MiB"),
        (1331 * KIB, "1331 KiB"),
        (KIB + 256, "1.25 KiB"),
        (KIB + 100, "1124 B"),
        (7, "7 B"),
        (3 * KIB * KIB * KIB, "3 GiB"),
    ] {
        assert_eq!(Size::Bytes(bytes).to_string(), text);
        assert_eq!(text.parse::<Size>(), Ok(Size::Bytes(bytes)));
    }
    for (text, bytes) in [("64 K", 64 * KIB), ("3M", 3 * KIB * KIB), ("2 G", 2 * KIB * KIB * KIB), ("1_000 b", 1000)] {
        assert_eq!(text.parse::<Size>(), Ok(Size::Bytes(bytes)), "{text}");
    }
}
