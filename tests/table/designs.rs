//! Compares the designs of engines with plain models of the rules in their sources: slots are
//! vectors, and each rule uses its engine's own numbers and comparisons.

use proptest::prelude::*;
use ttlab::internals::chess::Bound;
use ttlab::internals::decode::from_toml;
use ttlab::internals::table::options::{Index, Size, Victim};
use ttlab::internals::table::{Design, Entry, Table, TableOptions, build};

/// The rules in an engine's source.
struct Source {
    design: Design,
    slots: usize,
    /// The number of searches after which an age wraps to 0.
    cycle: u64,
    /// The value of an entry at an age; the entry with the smallest value is replaced.
    worth: fn(&Entry, i64) -> i64,
    /// The depth of a free slot where it is compared like any other.
    free_depth: i64,
    /// Whether a free slot is used before any entries are compared.
    free_first: bool,
    /// Whether the last of several equal entries is replaced, instead of the first.
    last: bool,
    /// Whether a new entry overwrites the old entry of the same position, given the old entry's
    /// age.
    overwrites: fn(&Entry, &Entry, i64) -> bool,
    /// Whether the new move is written even if the entry isn't overwritten.
    move_first: bool,
    /// If `move_first` is false: whether the new move is written if the old entry has none.
    fills_move: bool,
    /// Whether the old move is kept if the new entry has none.
    keeps_move: bool,
    /// Whether an upper bound takes the old move where that is an exact entry's or a lower bound's.
    merges: bool,
    /// Whether the mark of an open window is kept.
    keeps_pv: bool,
    /// Whether `overwrites` sees the mark of the new result alone.
    own_pv: bool,
    /// Whether a result of an open window always overwrites.
    forces: bool,
    /// Whether a probe that hits resets the age.
    refreshes: bool,
    index: Index,
    /// Whether an entry that refused a store loses a ply of depth.
    ages_twice: fn(&Entry) -> bool,
    /// What a key whose compared bits are all 0 means.
    zero: Zero,
}

/// What a key whose compared bits are all 0 means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Zero {
    /// Nothing: an empty slot has another mark.
    Marked,
    /// A store of it takes an empty slot first.
    Stores,
    /// An empty slot matches it.
    Answers,
    /// A slot with it is empty.
    Free,
    /// A slot with it is empty, and a probe ends there.
    Ends,
}

fn exact(entry: &Entry) -> bool {
    entry.bound == Bound::Exact
}

fn pv(entry: &Entry) -> i32 {
    i32::from(entry.pv)
}

fn depth(entry: &Entry) -> i32 {
    i32::from(entry.depth)
}

fn depth_less<const FACTOR: i64>(entry: &Entry, age: i64) -> i64 {
    i64::from(entry.depth) - FACTOR * age
}

fn sources() -> Vec<Source> {
    let three = |design, cycle, worth, overwrites| Source {
        design,
        slots: 3,
        cycle,
        worth,
        free_depth: 0,
        free_first: false,
        last: false,
        overwrites,
        move_first: true,
        fills_move: false,
        keeps_move: true,
        merges: false,
        keeps_pv: true,
        own_pv: false,
        forces: false,
        refreshes: false,
        index: Index::Multiply,
        ages_twice: |_| false,
        zero: Zero::Marked,
    };
    let stormphrax: fn(&Entry, &Entry, i64) -> bool =
        |new, old, age| exact(new) || age != 0 || depth(new) + 4 + 2 * pv(new) > depth(old);
    let calm =
        Source { free_first: true, move_first: false, ..three(Design::Stormphrax, 32, depth_less::<2>, stormphrax) };
    vec![
        Source {
            free_depth: -3,
            zero: Zero::Stores,
            ages_twice: |old| old.depth >= 5 && !exact(old) && old.score.abs() >= 30_745,
            ..three(Design::Stockfish, 32, depth_less::<8>, |new, old, age| {
                exact(new) || depth(new) + 2 * pv(new) > depth(old) - 4 || age != 0
            })
        },
        Source {
            free_first: true,
            move_first: false,
            zero: Zero::Free,
            ..three(Design::Viridithas, 32, depth_less::<4>, |new, old, age| {
                let bonus = |entry: &Entry| [0, 1, 2, 3][entry.bound as usize];
                let priority = depth(new) + bonus(new) + (age * age) as i32 / 4 + pv(new);
                exact(new) && !exact(old) || priority * 3 >= (depth(old) + bonus(old)) * 2
            })
        },
        Source {
            slots: 5,
            free_first: true,
            refreshes: true,
            zero: Zero::Ends,
            // In hundredths of a ply.
            ..three(
                Design::Plentychess,
                32,
                |entry, age| 100 * i64::from(entry.depth) - 800 * age,
                |new, old, _| exact(new) || 100 * depth(new) + 231 * pv(new) + 432 > 100 * depth(old),
            )
        },
        Source {
            slots: 4,
            free_first: true,
            move_first: false,
            keeps_move: false,
            merges: true,
            refreshes: true,
            index: Index::Modulo,
            ..three(
                Design::Seer,
                32,
                |entry, age| i64::from(age == 0) << 8 | i64::from(entry.depth),
                |new, old, _| exact(new) || new.depth + 2 >= old.depth,
            )
        },
        Source { design: Design::Tarnished, zero: Zero::Answers, ..calm },
        Source { design: Design::Stormphrax, ..calm },
        Source {
            free_depth: -1,
            forces: true,
            zero: Zero::Answers,
            ..three(Design::Reckless, 32, depth_less::<4>, |new, old, age| {
                depth(new) + 4 + 2 * pv(new) > depth(old) || age != 0
            })
        },
        Source {
            zero: Zero::Stores,
            ..three(Design::Obsidian, 32, depth_less::<8>, |new, old, age| {
                exact(new) || age != 0 || depth(new) + 4 + 2 * pv(new) > depth(old)
            })
        },
        Source {
            free_first: true,
            own_pv: true,
            zero: Zero::Ends,
            ..three(Design::Integral, 32, depth_less::<8>, |new, old, age| {
                exact(new) || depth(new) + 3 + 2 * pv(new) >= depth(old) || age != 0
            })
        },
        Source {
            own_pv: true,
            zero: Zero::Answers,
            ..three(Design::Alexandria, 32, depth_less::<4>, |new, old, age| {
                exact(new) || depth(new) + 5 + 2 * pv(new) > depth(old) || age != 0
            })
        },
        Source {
            free_first: true,
            ..three(Design::Berserk, 32, depth_less::<4>, |new, old, age| {
                exact(new) || depth(new) + 4 > depth(old) || age > 0
            })
        },
        Source {
            last: true,
            keeps_pv: false,
            move_first: false,
            refreshes: true,
            index: Index::Mask,
            zero: Zero::Answers,
            ..three(Design::Ethereal, 64, depth_less::<4>, |new, old, _| exact(new) || depth(new) >= depth(old) - 2)
        },
        Source {
            zero: Zero::Answers,
            ..three(Design::Sirius, 32, depth_less::<2>, |new, old, age| {
                exact(new) || depth(new) >= depth(old) - 2 - 2 * pv(new) || age != 0
            })
        },
        Source {
            zero: Zero::Answers,
            ..three(Design::Clover, 64, depth_less::<2>, |new, old, age| {
                exact(new) || age != 0 || depth(new) + 3 + 2 * pv(new) >= depth(old)
            })
        },
        Source {
            free_first: true,
            zero: Zero::Answers,
            move_first: false,
            ..three(Design::Hobbes, 32, depth_less::<4>, |new, old, age| {
                exact(new) || depth(new) + 4 > depth(old) || age != 0
            })
        },
        Source {
            free_first: true,
            keeps_pv: false,
            refreshes: true,
            ..three(Design::Patricia, 64, depth_less::<8>, |new, old, _| exact(new) || depth(new) + 4 >= depth(old))
        },
        Source {
            free_first: true,
            zero: Zero::Answers,
            move_first: false,
            keeps_move: false,
            ..three(
                Design::Pawnocchio,
                32,
                |entry, age| {
                    let bound = [0, 427, 317, 40][entry.bound as usize];
                    let more = 198 * i64::from(entry.pv) + 315 * i64::from(!entry.mv.is_none());
                    763 * i64::from(entry.depth) - 4679 * age + bound + more
                },
                |new, old, age| exact(new) || age != 0 || depth(new) + 4 > depth(old),
            )
        },
        Source {
            free_first: true,
            keeps_pv: false,
            move_first: false,
            fills_move: true,
            ..three(Design::Caissa, 64, depth_less::<1>, |new, old, _| exact(new) || depth(new) >= depth(old) - 4)
        },
        Source {
            slots: 2,
            keeps_pv: false,
            free_first: true,
            ..three(Design::Weiss, 32, depth_less::<8>, |new, old, age| {
                exact(new) || depth(new) + 4 >= depth(old) || age > 0
            })
        },
        Source {
            slots: 1,
            keeps_pv: false,
            move_first: false,
            ..three(Design::Carp, 128, depth_less::<0>, stormphrax)
        },
    ]
}

/// A slot as the engines have it: all zero if nothing was stored in it.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// The bits of the key that are compared.
    bits: u64,
    entry: Entry,
    /// The time of the store, modulo the cycle.
    time: u64,
    /// Whether the move is that of an exact entry or a lower bound.
    has_best: bool,
}

struct Model {
    source: Source,
    key_bits: u32,
    buckets: Vec<Vec<Slot>>,
    now: u64,
}

impl Model {
    fn new(source: Source, key_bits: u32) -> Self {
        let bucket = vec![Slot::default(); source.slots];
        Self { source, key_bits, buckets: vec![bucket; 4], now: 0 }
    }

    fn bucket(&self, key: u64) -> usize {
        let buckets = self.buckets.len() as u64;
        (match self.source.index {
            Index::Multiply => ((u128::from(key) * u128::from(buckets)) >> 64) as u64,
            Index::Mask | Index::Modulo => key % buckets,
        }) as usize
    }

    /// The bits of a key that are compared.
    fn bits(&self, key: u64) -> u64 {
        match self.source.index {
            Index::Multiply => key << (64 - self.key_bits) >> (64 - self.key_bits),
            Index::Mask | Index::Modulo => key >> (64 - self.key_bits),
        }
    }

    fn age(&self, time: u64) -> i64 {
        ((self.source.cycle + self.now - time) % self.source.cycle) as i64
    }

    /// The slot that matches a key; `ends`: if there is none with a key of 0 before it.
    fn find(&self, key: u64, ends: bool) -> (usize, Option<usize>) {
        let (bucket, bits) = (self.bucket(key), self.bits(key));
        for (slot, Slot { bits: other, entry, .. }) in self.buckets[bucket].iter().enumerate() {
            let occupied = self.source.zero != Zero::Marked || !entry.is_empty();
            if *other == bits && occupied {
                return (bucket, Some(slot));
            }
            if ends && *other == 0 {
                break;
            }
        }
        (bucket, None)
    }

    fn probe(&mut self, key: u64) -> Option<Entry> {
        let (bucket, slot) = self.find(key, self.source.zero == Zero::Ends);
        let now = self.now;
        let slot = &mut self.buckets[bucket][slot?];
        if self.source.zero == Zero::Stores && slot.entry.is_empty() {
            return None;
        }
        if self.source.refreshes {
            slot.time = now;
        }
        Some(if slot.entry.is_empty() { Entry::evaluation(0, false) } else { slot.entry })
    }

    fn store(&mut self, key: u64, mut new: Entry) {
        let (now, bits) = (self.now, self.bits(key));
        let (bucket, same) = self.find(key, matches!(self.source.zero, Zero::Free | Zero::Ends));
        if let Some(slot) = same {
            let Slot { entry: old, time, .. } = self.buckets[bucket][slot];
            if new.mv.is_none() && self.source.keeps_move {
                new.mv = old.mv;
            }
            let is_open = new.pv;
            new.pv |= self.source.keeps_pv && old.pv;
            let judged = Entry { pv: if self.source.own_pv { is_open } else { new.pv }, ..new };
            let overwrites = self.source.forces && is_open || (self.source.overwrites)(&judged, &old, self.age(time));
            let kept = &mut self.buckets[bucket][slot];
            if overwrites {
                let mut has_best = new.bound != Bound::Upper;
                if self.source.merges && !has_best && kept.has_best {
                    (new.mv, has_best) = (old.mv, true);
                }
                *kept = Slot { bits, entry: new, time: now, has_best };
            } else if self.source.move_first || self.source.fills_move && old.mv.is_none() {
                kept.entry.mv = new.mv;
            }
            if !overwrites && (self.source.ages_twice)(&old) {
                kept.entry.depth -= 1;
            }
            return;
        }
        let slots = &self.buckets[bucket];
        let is_free = |slot: &Slot| match self.source.zero {
            Zero::Marked | Zero::Stores | Zero::Answers => slot.entry.is_empty(),
            Zero::Free | Zero::Ends => slot.bits == 0,
        };
        let free = slots.iter().position(is_free).filter(|_| self.source.free_first);
        let worth = |slot: &Slot| {
            let depth = if slot.entry.is_empty() { self.source.free_depth } else { 0 };
            depth + (self.source.worth)(&slot.entry, self.age(slot.time))
        };
        let mut victim = 0;
        for slot in 1..slots.len() {
            let (one, least) = (worth(&slots[slot]), worth(&slots[victim]));
            if one < least || self.source.last && one == least {
                victim = slot;
            }
        }
        let has_best = new.bound != Bound::Upper;
        self.buckets[bucket][free.unwrap_or(victim)] = Slot { bits, entry: new, time: now, has_best };
    }
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let score = prop_oneof![3 => -900i16..900, 1 => Just(30_745i16), 1 => Just(-31_000i16)];
    crate::any_entry_of(prop_oneof![Just(0u16), 1u16..0x7fff], score, 0u8..14, 1u32..2)
}

#[derive(Debug, Clone)]
enum Step {
    Store(u64, Entry),
    Probe(u64),
    Tick(u16),
}

/// Keys whose highest or lowest 16 bits are 0.
const ZERO_KEYS: [u64; 5] =
    [0, 0x0000_1111_2222_0000, 0x4321_0000_1234_0000, 0x9999_0000_0000_0000, 0x0000_8888_0000_0003];

fn any_step() -> impl Strategy<Value = Step> {
    let key = prop_oneof![
        6 => (1u64..40).prop_map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        1 => prop::sample::select(&ZERO_KEYS[..]),
    ];
    prop_oneof![
        8 => (key.clone(), any_entry()).prop_map(|(key, entry)| Step::Store(key, entry)),
        4 => key.prop_map(Step::Probe),
        1 => prop_oneof![4 => Just(1u16), 1 => 30u16..34, 1 => 62u16..66].prop_map(Step::Tick),
    ]
}

fn table_of(design: Design, slots: usize) -> (Box<dyn Table>, u32) {
    let options: TableOptions = from_toml(design.toml()).unwrap_or_else(|error| panic!("{design:?}: {error}"));
    assert_eq!(usize::from(options.slots), slots, "{design:?}");
    // Here stores don't follow probes. `tests/program/engine_traces.rs` tests stores that do.
    let size = Size::Entries(4 * slots as u64);
    let options = TableOptions { size, victim: Victim::Store, huge_pages: false, ..options };
    (build(&options, None, false).unwrap().unwrap(), options.key_bits.into())
}

/// An entry of an earlier search is worth less than an empty slot here, but is not matched.
#[test]
fn key_of_0_goes_to_the_empty_slot_that_it_matches() {
    let weighs = |source: &Source| source.zero != Zero::Marked && !source.free_first;
    let sources: Vec<Source> = sources().into_iter().filter(weighs).collect();
    assert_eq!(sources.len(), 7);
    for Source { design, slots, cycle, zero, .. } in sources {
        let options: TableOptions = from_toml(design.toml()).unwrap();
        let options = TableOptions { size: Size::Entries(slots as u64), huge_pages: false, ..options };
        let mut table = build(&options, None, false).unwrap().unwrap();
        let (old, entry) = (0x1234_0000_0000_5678, Entry { bound: Bound::Lower, ..Entry::default() });
        table.advance(cycle as u16 - 1);
        table.store(old, entry);
        table.advance(2);
        assert_eq!(table.probe(0, 0).is_some(), zero == Zero::Answers, "{design:?}");
        table.store(0, entry);
        assert_eq!([0, old].map(|key| table.probe(key, 0).is_some()), [true, true], "{design:?}");
        assert_eq!(table.occupancy().occupied, 2, "{design:?}");
    }
}

/// Ethereal reads an evaluation of 0 from an empty slot, and renews its age.
#[test]
fn empty_slot_answers_with_an_evaluation_of_0_and_its_own_age() {
    for (field, evaluation) in [("", None), (", evaluation = 16", Some(0))] {
        let zero_key = "zero_key = \"answers\"";
        let text = Design::Ethereal.toml().replace(zero_key, &format!("{zero_key}{field}"));
        let options: TableOptions = from_toml(&format!("{text}static_evaluation = {}\n", !field.is_empty())).unwrap();
        let options = TableOptions { size: Size::Entries(4), huge_pages: false, ..options };
        let mut table = build(&options, None, false).unwrap().unwrap();
        table.advance(5);
        let first = table.probe(0, 0).unwrap();
        table.mark_used(&first);
        // It is no entry that is used for the first time.
        assert_eq!((first.entry.is_evaluation(), first.entry.evaluation.get(), first.age), (true, evaluation, 5));
        assert_eq!((table.counters().hits, table.counters().reused), (1, 0));
        assert_eq!(table.probe(0, 0).map(|hit| hit.age), Some(0), "its age is renewed");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn every_design_decides_as_its_source(steps in prop::collection::vec(any_step(), 1..300)) {
        let sources = sources();
        prop_assert_eq!(sources.len(), Design::ALL.len());
        for source in sources {
            let design = source.design;
            let (mut table, key_bits) = table_of(design, source.slots);
            let mut model = Model::new(source, key_bits);
            let answer = |table: &mut dyn Table, key| {
                table.probe(key, 0).map(|hit| Entry { generation: 0, used: false, ..hit.entry })
            };
            for step in &steps {
                match *step {
                    Step::Store(key, entry) => {
                        table.store(key, entry);
                        model.store(key, entry);
                    }
                    Step::Tick(ticks) => {
                        table.advance(ticks);
                        model.now = (model.now + u64::from(ticks)) % model.source.cycle;
                    }
                    Step::Probe(key) => {
                        prop_assert_eq!(answer(table.as_mut(), key), model.probe(key), "{:?}: {:?}", design, step);
                    }
                }
            }
            for step in &steps {
                if let Step::Store(key, _) | Step::Probe(key) = *step {
                    prop_assert_eq!(answer(table.as_mut(), key), model.probe(key), "{:?}: {:#x}", design, key);
                }
            }
            let occupied = model.buckets.iter().flatten().filter(|slot| !slot.entry.is_empty()).count();
            prop_assert_eq!(table.occupancy().occupied, occupied as u64, "{:?}", design);
        }
    }
}
