//! The table without a bound: an exact map from key to entry that never evicts. The practical ceiling of any policy.

use super::options::{DepthRule, SameKey};
use super::{Entry, Hit, Occupancy, Table, TableCounters, TableOptions};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Keys are random numbers already: what is hashed is passed on.
#[derive(Default)]
struct PassOn(u64);

impl Hasher for PassOn {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
    fn write_u64(&mut self, key: u64) {
        // Weak schemes have weak keys: one multiplication spreads them over the map.
        self.0 = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
    fn write_u8(&mut self, depth: u8) {
        self.write_u64(u64::from(depth));
    }
}

/// An exact map, which heeds `same_key` (`policy` as `replace`), `keep_move` and `depth`, and has no use for the rest. With `depth = "equal"` it keeps one entry for each key and depth, since entries of other depths never answer.
pub struct Unbounded {
    entries: HashMap<(u64, u8), Entry, BuildHasherDefault<PassOn>>,
    by_depth: bool,
    same_key: SameKey,
    keep_move: bool,
    now: u16,
    counters: TableCounters,
}

impl Unbounded {
    /// An empty map under the options' same-key and depth rules.
    #[must_use]
    pub fn new(options: &TableOptions) -> Self {
        Self {
            entries: HashMap::default(),
            by_depth: options.depth == DepthRule::Equal,
            same_key: options.same_key,
            keep_move: options.keep_move,
            now: 0,
            counters: TableCounters::default(),
        }
    }

    fn place(&self, key: u64, depth: u8) -> (u64, u8) {
        (key, if self.by_depth { depth } else { 0 })
    }
}

impl Table for Unbounded {
    fn probe(&mut self, key: u64, _check: u64, depth: u8) -> Option<Hit> {
        self.counters.probes += 1;
        let place = self.place(key, depth);
        let Some(kept) = self.entries.get_mut(&place) else {
            self.counters.misses_empty += 1;
            return None;
        };
        self.counters.hits += 1;
        self.counters.reused += u64::from(!kept.used);
        let entry = *kept;
        kept.used = true;
        Some(Hit { entry, draft: i32::from(entry.depth), age: entry.age(self.now), slot: 0 })
    }

    fn store(&mut self, key: u64, _check: u64, mut entry: Entry) {
        self.counters.stores += 1;
        entry.generation = self.now;
        let place = self.place(key, entry.depth);
        let (same_key, keep_move, now) = (self.same_key, self.keep_move, self.now);
        match self.entries.entry(place) {
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(entry);
                self.counters.fills += 1;
            }
            std::collections::hash_map::Entry::Occupied(slot) if !same_key.lets(&entry, slot.get(), now) => {
                self.counters.rejections += 1;
            }
            std::collections::hash_map::Entry::Occupied(mut slot) => {
                if keep_move && entry.mv.is_none() {
                    entry.mv = slot.get().mv;
                }
                slot.insert(entry);
                self.counters.updates += 1;
            }
        }
    }

    fn cutoff(&mut self, _: &Hit) {}

    fn prefetch(&self, _: u64) {}

    fn advance(&mut self, ticks: u16) {
        self.now = self.now.wrapping_add(ticks) % super::entry::GENERATIONS;
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.now = 0;
    }

    fn counters(&self) -> TableCounters {
        self.counters
    }

    fn occupancy(&self) -> Occupancy {
        let size = size_of::<((u64, u8), Entry)>() as u64 + 1;
        Occupancy {
            slots: 0,
            occupied: self.entries.len() as u64,
            current: self.entries.values().filter(|entry| entry.age(self.now) == 0).count() as u64,
            bytes: self.entries.capacity() as u64 * size,
        }
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Entry)) {
        self.entries.values().for_each(visit);
    }
}
