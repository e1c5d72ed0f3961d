//! The table without a bound: an exact map from key to entry that never evicts. The practical ceiling of any policy.

use super::by_key::ByKey;
use super::options::SameKey;
use super::{Entry, Hit, Occupancy, Stored, Table, TableCounters, TableOptions};
use std::collections::hash_map::Entry as Place;

/// An exact map, which heeds `same_key` (`policy` as `replace`), `keep_move`, and has no use for the rest. It may keep one entry for each
/// key and depth, where entries of other depths never answer (`probe.depth = "equal"`).
pub struct Unbounded {
    entries: ByKey<(u64, u8), Entry>,
    /// The number of each entry, where somebody wants to tell one from another: it stays when the map is emptied.
    numbers: Option<ByKey<(u64, u8), usize>>,
    by_depth: bool,
    same_key: SameKey,
    keep_move: bool,
    now: u16,
    counters: TableCounters,
}

impl Unbounded {
    /// An empty map under the options' same-key rule, with one entry for each key or, `by_depth`, for each key and depth.
    #[must_use]
    pub fn new(options: &TableOptions, by_depth: bool) -> Self {
        Self {
            entries: ByKey::default(),
            numbers: None,
            by_depth,
            same_key: options.same_key,
            keep_move: options.keep_move,
            now: 0,
            counters: TableCounters::default(),
        }
    }

    /// The number of a place, given one if it has none.
    fn slot(&mut self, place: (u64, u8)) -> usize {
        self.numbers.as_mut().map_or(0, |numbers| {
            let next = numbers.len();
            *numbers.entry(place).or_insert(next)
        })
    }

    fn place(&self, key: u64, depth: u8) -> (u64, u8) {
        (key, if self.by_depth { depth } else { 0 })
    }
}

impl Table for Unbounded {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
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
        let slot = self.slot(place);
        Some(Hit { entry, draft: i32::from(entry.depth), age: entry.age(self.now), slot })
    }

    fn store(&mut self, key: u64, mut entry: Entry) -> Stored {
        self.counters.stores += 1;
        entry.generation = self.now;
        let place = self.place(key, entry.depth);
        let (same_key, keep_move, now) = (self.same_key, self.keep_move, self.now);
        let same = match self.entries.entry(place) {
            Place::Vacant(slot) => {
                slot.insert(entry);
                self.counters.fills += 1;
                false
            }
            Place::Occupied(slot) if !same_key.lets(&entry, slot.get(), now) => {
                self.counters.rejections += 1;
                return Stored::refused(true);
            }
            Place::Occupied(mut slot) => {
                if keep_move && entry.mv.is_none() {
                    entry.mv = slot.get().mv;
                }
                slot.insert(entry);
                self.counters.updates += 1;
                true
            }
        };
        Stored::into(self.slot(place), same)
    }

    fn cutoff(&mut self, _: &Hit) {}

    fn number(&mut self) {
        self.numbers = Some(ByKey::default());
    }

    fn prefetch(&self, _: u64) {}

    fn advance(&mut self, ticks: u16) {
        self.now = self.now.wrapping_add(ticks) % super::entry::GENERATIONS;
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.now = 0;
    }

    fn renew(&mut self) {
        self.clear();
        self.numbers.iter_mut().for_each(|numbers| numbers.clear());
    }

    fn now(&self) -> u16 {
        self.now
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Three entries, of which one was written in this tick: now, and not a thousand ticks ago.
    #[test]
    fn what_is_of_now_is_told() {
        let mut table = Unbounded::new(&TableOptions::default(), false);
        let entry = Entry { bound: crate::chess::Bound::Exact, ..Entry::default() };
        [1, 2, 2].into_iter().for_each(|key| _ = table.store(key, entry));
        assert_eq!((table.occupancy().occupied, table.occupancy().current), (2, 2));
        table.advance(1);
        assert_eq!((table.occupancy().occupied, table.occupancy().current), (2, 0));
        [2, 3].into_iter().for_each(|key| _ = table.store(key, entry));
        assert_eq!((table.occupancy().occupied, table.occupancy().current), (3, 2));
        table.advance(crate::table::entry::GENERATIONS - 1);
        assert_eq!(table.occupancy().current, 1, "the clock has come round");
        table.clear();
        assert_eq!((table.occupancy().occupied, table.occupancy().current), (0, 0));
    }
}
