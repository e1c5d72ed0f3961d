use super::*;
use crate::chess::Bound;
use crate::table::Size;
use crate::table::entry;
use crate::table::options::{Layout, Refresh};
#[cfg(not(loom))]
use crate::table::{build, options::Clear, policy::Policy, same_key::SameKey};

fn entry(score: i16, depth: u8) -> Entry {
    Entry { score, depth, bound: Bound::Exact, nodes: 1, ..Entry::default() }
}

/// The next number of a sequence that looks random.
#[cfg(not(loom))]
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 16
}

/// Every kind of bucket, and every way in which a probe or a refused store changes one.
#[cfg(not(loom))]
fn all_options() -> Vec<TableOptions> {
    let policy = |name: &str| Policy::from_name(name).unwrap();
    let small = TableOptions { size: Size::Entries(96), clear: Clear::Never, ..TableOptions::default() };
    vec![
        TableOptions { slots: 1, ..small.clone() },
        TableOptions { slots: 4, policy: policy("depth-preferred"), ..small.clone() },
        TableOptions { slots: 2, policy: policy("two-deep"), same_key: SameKey::Deeper, ..small.clone() },
        TableOptions { slots: 4, policy: policy("ancient"), refresh: Refresh::Cutoff, ..small.clone() },
        TableOptions { slots: 3, layout: Layout::Bytes10, policy: policy("depth-age"), age_bits: 3, ..small.clone() },
        TableOptions { slots: 3, layout: Layout::Bytes10, refresh: Refresh::Match, ..small.clone() },
        TableOptions { refresh: Refresh::Match, ..with_shape("3x10", &small) },
        TableOptions { policy: policy("depth-age"), ..with_shape("5x12", &small) },
        TableOptions { policy: policy("always"), ..with_shape("3x8", &small) },
        TableOptions { slots: 5, layout: Layout::Bytes24, policy: policy("big1"), same_key: SameKey::Guard, ..small },
    ]
}

/// Options with a layout described by a shape, which is packed bit by bit.
#[cfg(not(loom))]
fn with_shape(name: &str, options: &TableOptions) -> TableOptions {
    let shape = crate::table::shape::Shape::from_name(name).unwrap();
    let (slots, key_bits) = (shape.slots, shape.key_bits);
    let layout = Layout::Shape(shape);
    TableOptions { layout, slots, key_bits, age_bits: 5, static_evaluation: true, ..options.clone() }
}

#[cfg(not(loom))]
fn both<'t>(plain: &'t mut dyn Table, handle: &'t mut LockFree) -> [&'t mut dyn Table; 2] {
    [plain, handle]
}

/// A single handle behaves like the plain table: the same hits, outcomes, counts, entries and
/// occupancy.
#[cfg(not(loom))]
#[test]
fn one_handle_equals_the_plain_table() {
    // Miri takes a second for a hundred calls.
    let rounds = if cfg!(miri) { 300 } else { 4000 };
    for options in all_options() {
        for xor in [false, true] {
            let mut plain = build(&options, None, false).unwrap().unwrap();
            let mut handle = LockFree::create(&options, None, 1, xor).unwrap().remove(0);
            let mut state = 7;
            for round in 0..rounds {
                let (key, depth) =
                    ((draw(&mut state) % 160).wrapping_mul(0x9e37_79b9_7f4a_7c15), (draw(&mut state) % 12) as u8);
                match draw(&mut state) % 200 {
                    0 => both(&mut *plain, &mut handle).into_iter().for_each(|table| table.advance(3)),
                    1 if depth == 3 => both(&mut *plain, &mut handle).into_iter().for_each(Table::clear),
                    2..100 => {
                        let offer = Entry { nodes: key as u32 >> 8, ..entry(depth.into(), depth) };
                        let [plain, lock_free] = both(&mut *plain, &mut handle).map(|table| table.store(key, offer));
                        assert_eq!(plain, lock_free);
                    }
                    action => {
                        let [plain, lock_free] = both(&mut *plain, &mut handle).map(|table| {
                            let hit = table.probe(key, depth);
                            hit.iter().filter(|_| action % 3 == 0).for_each(|hit| table.cutoff(hit));
                            hit.iter().filter(|_| action % 3 == 1).for_each(|hit| table.missed(hit));
                            hit.map(|hit| (hit.entry, hit.draft, hit.age, hit.slot))
                        });
                        assert_eq!(plain, lock_free);
                    }
                }
                // This reads every slot.
                if !cfg!(miri) || round % 50 == 0 {
                    assert_eq!(plain.occupancy(), handle.occupancy());
                }
            }
            assert_eq!(plain.counters(), handle.counters());
            let counters = plain.counters();
            let least = rounds / 40;
            assert!(
                counters.hits > least && counters.evictions + counters.rejections > least,
                "{options:?} {counters:?}"
            );
            let entries = |table: &dyn Table| {
                let mut entries = Vec::new();
                table.for_each(&mut |entry| entries.push(*entry));
                entries
            };
            assert_eq!(entries(&*plain), entries(&handle));
        }
    }
}

/// Three handles of a table with one slot: the first two write, the third one only probes.
fn one_slot_handles(xor: bool, refresh: Refresh) -> [LockFree; 3] {
    let options = TableOptions { size: Size::Entries(1), slots: 1, refresh, ..TableOptions::default() };
    LockFree::create(&options, None, 3, xor).unwrap().try_into().unwrap_or_else(|_| panic!("three handles"))
}

const KEYS: [u64; 2] = [0x1234_5678_9abc_def0, 0x0fed_cba9_8765_4321];

/// The scores that a searcher finds for the two positions.
fn scores(handle: &mut LockFree) -> [Option<i16>; 2] {
    KEYS.map(|key| handle.probe(key, 0).map(|hit| hit.entry.score))
}

/// Each searcher has its own counts; those of the others are added when their turns end.
#[cfg(not(loom))]
#[test]
fn each_handle_has_counters_of_its_own() {
    let [mut first, mut second, _] = one_slot_handles(false, Refresh::Never);
    first.store(KEYS[0], entry(1, 4));
    assert!(second.probe(KEYS[0], 0).is_some());
    second.store(KEYS[0], entry(2, 4));
    let count = |handle: &LockFree| (handle.counters().probes, handle.counters().stores);
    assert_eq!([count(&first), count(&second)], [(0, 1), (1, 1)]);
    second.suspend(&[]);
    assert_eq!([count(&first), count(&second)], [(1, 2), (1, 1)]);
    let threads = first.thread_counters();
    assert_eq!((threads.foreign_hits, threads.duplicates, threads.unread), (1, 1, 0));
    assert_eq!(first.probe(KEYS[0], 0).map(|hit| hit.entry.score), Some(2), "they share the entries");
}

/// An entry made of the halves of two stores is accepted if keys are bare, and rejected if keys are
/// combined with the data by XOR.
#[cfg(not(loom))]
#[test]
fn torn_entry_is_accepted_without_xor_and_rejected_with_it() {
    for (layout, slots) in [(Layout::Bytes16, 1), (Layout::Bytes24, 1), (Layout::Bytes10, 3)] {
        for (xor, expected) in [(false, Some(2)), (true, None)] {
            let options = TableOptions { size: Size::Entries(slots.into()), slots, layout, ..TableOptions::default() };
            let mut table = LockFree::create(&options, None, 1, xor).unwrap().remove(0);
            table.store(KEYS[0], entry(1, 4));
            let data_index = if slots == 3 { 0 } else { 1 };
            let own_data = table.common.words[data_index].load(Ordering::Relaxed);
            let other_data = entry::pack(&Entry { mv: crate::chess::Move::from_bits(77), ..entry(2, 4) });
            table.common.words[data_index].store(other_data, Ordering::Relaxed);
            assert_eq!(scores(&mut table)[0], expected, "{layout:?}");
            table.common.words[data_index].store(own_data, Ordering::Relaxed);
            assert_eq!(scores(&mut table)[0], Some(1), "{layout:?}");
        }
    }
}

/// Every word is cleared, whatever number of threads clears the table.
#[cfg(not(any(loom, miri)))]
#[test]
fn large_table_is_cleared_by_its_searchers() {
    let options = TableOptions {
        size: Size::Entries((MIN_WORDS_PER_THREAD as u64 * 5 / 4).next_multiple_of(4)),
        ..all_options()[1].clone()
    };
    for searchers in [1, 2, 3, 8] {
        let mut handle = LockFree::create(&options, None, searchers, false).unwrap().remove(0);
        assert!(handle.common.words.len() > 2 * MIN_WORDS_PER_THREAD);
        handle.common.words.iter().for_each(|word| word.store(1, Ordering::Relaxed));
        handle.clear();
        assert!(handle.common.words.iter().all(|word| word.load(Ordering::Relaxed) == 0), "{searchers}");
    }
}

/// Threads that probe and store at the same time find only whole entries if keys are combined with
/// the data: each entry has the score that was stored for its key.
#[cfg(not(loom))]
#[test]
fn threads_find_what_was_stored() {
    let rounds = if cfg!(miri) { 60 } else { 20_000 };
    for options in all_options() {
        let handles = LockFree::create(&options, None, 3, true).unwrap();
        let hits: u64 = std::thread::scope(|scope| {
            let run = |(number, mut table): (usize, LockFree)| {
                scope.spawn(move || {
                    let (mut state, mut hits) = (number as u64, 0);
                    for round in 0..rounds {
                        let number = draw(&mut state) % 160;
                        // Sixteen bits of two keys are never the same.
                        let key = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !0xffff | number;
                        match table.probe(key, 0) {
                            Some(hit) => {
                                assert_eq!(hit.entry.score, number as i16);
                                hits += 1;
                                table.cutoff(&hit);
                            }
                            None => drop(table.store(key, entry(number as i16, (state % 9) as u8))),
                        }
                        if table.searcher == 0 && round % 500 == 499 {
                            table.advance(1);
                        }
                    }
                    table.suspend(&[]);
                    assert_eq!(table.occupancy().occupied.min(1), 1);
                    hits
                })
            };
            let threads: Vec<_> = handles.into_iter().enumerate().map(run).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!(hits > rounds / 4, "{hits}");
    }
}

/// Two searchers store into one slot while a third one probes, in every possible order of their
/// reads and writes of words. `check` is called with the scores that the third one finds, during
/// the stores and after them.
#[cfg(loom)]
fn store_at_once(xor: bool, check: impl Fn([Option<i16>; 2]) + Send + Sync + 'static) {
    loom::model(move || {
        let [first, second, mut third] = one_slot_handles(xor, Refresh::Never);
        let threads = [(first, 0), (second, 1)].map(|(mut table, position)| {
            loom::thread::spawn(move || {
                table.store(KEYS[position], entry(position as i16, 4));
            })
        });
        check(scores(&mut third));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        check(scores(&mut third));
    });
}

#[cfg(loom)]
#[test]
fn combined_entries_are_whole_in_every_order() {
    store_at_once(true, |scores| {
        assert!([None, Some(0)].contains(&scores[0]) && [None, Some(1)].contains(&scores[1]), "{scores:?}");
    });
}

/// In this model entries can indeed be torn.
#[cfg(loom)]
#[test]
fn bare_entries_are_torn_in_some_order() {
    use std::sync::atomic::AtomicBool;
    let torn = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&torn);
    store_at_once(false, move |scores| {
        if scores[0] == Some(1) || scores[1] == Some(0) {
            seen.store(true, Ordering::Relaxed);
        }
    });
    assert!(torn.load(Ordering::Relaxed));
}

/// A hit that renews the age of its entry never writes its data under the key of another store that
/// came in between.
#[cfg(loom)]
#[test]
fn renewed_age_never_damages_another_store() {
    loom::model(|| {
        let [mut first, mut second, mut third] = one_slot_handles(false, Refresh::Match);
        first.store(KEYS[0], entry(0, 4));
        first.advance(1);
        let thread = loom::thread::spawn(move || first.probe(KEYS[0], 0).map(|hit| hit.entry.score));
        second.store(KEYS[1], entry(1, 4));
        let probed = thread.join().unwrap();
        assert!([None, Some(0), Some(1)].contains(&probed));
        assert_eq!(scores(&mut third), [None, Some(1)]);
    });
}

/// The exchange expects the value from before the store, so if it succeeds, the store came later
/// and must last. With loom's own atomics the store is lost in some order. When this test no longer
/// panics, loom has been fixed and our own `AtomicU64` can be removed.
#[cfg(loom)]
#[test]
#[should_panic(expected = "the store is lost")]
fn loom_loses_a_store() {
    use loom::sync::atomic::AtomicU64;
    loom::model(|| {
        let word = loom::sync::Arc::new(AtomicU64::new(0));
        let other = loom::sync::Arc::clone(&word);
        let exchange = move || other.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        let thread = loom::thread::spawn(exchange);
        word.store(2, Ordering::Relaxed);
        thread.join().unwrap();
        assert_eq!(word.load(Ordering::Relaxed), 2, "the store is lost");
    });
}
