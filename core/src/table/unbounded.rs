//! The unbounded table: an exact map from key to entry that never evicts. No policy can be expected
//! to do better.

use super::entry::GENERATIONS;
use super::key_map::KeyMap;
use super::same_key::Rule;
use super::{Entry, Hit, Instrumented, Occupancy, StoreOutcome, Table, TableCounters, TableOptions};
use std::collections::hash_map::Entry as MapEntry;

/// An exact map from key to entry. It ignores all options of the table except `same_key`, `guard`,
/// `keep_move` and `keep_pv`. The value `policy` of `same_key` has the same effect as `replace`. In
/// a search in which an entry answers only at its own depth (`probe.depth = "equal"`), the map
/// keeps one entry per key and depth.
pub struct Unbounded {
    entries: KeyMap<(u64, u8), Entry>,
    /// The number of entries of each generation. The numbers are kept up to date with each store,
    /// because counting the entries of the map after each search would cost more than the search.
    generation_counts: Box<[u64; GENERATIONS as usize]>,
    /// The number of each entry, if an observer needs such numbers. The numbers are kept when the
    /// map is cleared.
    slot_numbers: Option<KeyMap<(u64, u8), usize>>,
    by_depth: bool,
    same_key_rule: Rule,
    now: u16,
    counters: TableCounters,
}

impl Unbounded {
    /// Creates an empty map. The map keeps one entry for each key or, if `by_depth` is true, one
    /// entry for each key and depth.
    pub fn new(options: &TableOptions, by_depth: bool) -> Self {
        Self {
            entries: KeyMap::default(),
            generation_counts: Box::new([0; GENERATIONS as usize]),
            slot_numbers: None,
            by_depth,
            same_key_rule: options.same_key_rule(),
            now: 0,
            counters: TableCounters::default(),
        }
    }

    /// A map key that has no number yet is assigned the next number.
    fn slot_number(&mut self, map_key: (u64, u8)) -> usize {
        self.slot_numbers.as_mut().map_or(0, |slot_numbers| {
            let next_number = slot_numbers.len();
            *slot_numbers.entry(map_key).or_insert(next_number)
        })
    }

    fn map_key(&self, key: u64, depth: u8) -> (u64, u8) {
        (key, if self.by_depth { depth } else { 0 })
    }
}

/// The number of buckets of a map is a power of two. A map of 4 buckets has a capacity of 3
/// entries, a map of 8 buckets has a capacity of 7, and a larger map can fill 7/8 of its buckets.
///
/// The capacity of the table's own map is not used, because a cleared map keeps the capacity that
/// it had in earlier searches.
fn capacity_of_new_map(entry_count: u64) -> u64 {
    match entry_count {
        0 => 0,
        1..=3 => 3,
        4..=7 => 7,
        _ => (entry_count * 8).div_ceil(7).next_power_of_two() / 8 * 7,
    }
}

impl Table for Unbounded {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        self.counters.probes += 1;
        let map_key = self.map_key(key, depth);
        let Some(stored) = self.entries.get_mut(&map_key) else {
            self.counters.misses_empty += 1;
            return None;
        };
        self.counters.hits += 1;
        self.counters.reused += u64::from(!stored.used);
        let entry = *stored;
        stored.used = true;
        let slot = self.slot_number(map_key);
        Some(Hit { entry, draft: i32::from(entry.depth), age: entry.age(self.now), slot })
    }

    fn store(&mut self, key: u64, mut entry: Entry) -> StoreOutcome {
        self.counters.stores += 1;
        entry.generation = self.now;
        let map_key = self.map_key(key, entry.depth);
        let (rule, now) = (self.same_key_rule, self.now);
        let same = match self.entries.entry(map_key) {
            MapEntry::Vacant(vacant) => {
                vacant.insert(entry);
                self.counters.fills += 1;
                false
            }
            MapEntry::Occupied(_) if entry.is_evaluation() => {
                self.counters.rejections += 1;
                return StoreOutcome::refused(Some(self.slot_number(map_key)));
            }
            MapEntry::Occupied(mut occupied) => {
                if !rule.replaces(&mut entry, occupied.get(), now) {
                    if rule.renews_move(&entry, occupied.get()) {
                        occupied.get_mut().mv = entry.mv;
                    }
                    self.counters.rejections += 1;
                    return StoreOutcome::refused(Some(self.slot_number(map_key)));
                }
                let old = occupied.insert(entry);
                self.generation_counts[usize::from(old.generation)] -= 1;
                self.counters.updates += 1;
                true
            }
        };
        self.generation_counts[usize::from(now)] += 1;
        StoreOutcome::in_slot(self.slot_number(map_key), same)
    }

    fn cutoff(&mut self, _: &Hit) {}

    fn prefetch(&self, _: u64) {}

    fn advance(&mut self, ticks: u16) {
        self.now = self.now.wrapping_add(ticks) % GENERATIONS;
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.generation_counts.fill(0);
        self.now = 0;
    }

    fn counters(&self) -> TableCounters {
        self.counters
    }

    fn occupancy(&self) -> Occupancy {
        // The map adds a control byte to each entry.
        let entry_bytes = size_of::<((u64, u8), Entry)>() as u64 + 1;
        Occupancy {
            slots: 0,
            occupied: self.entries.len() as u64,
            current: self.generation_counts[usize::from(self.now)],
            bytes: capacity_of_new_map(self.entries.len() as u64) * entry_bytes,
        }
    }
}

impl Instrumented for Unbounded {
    fn start_numbering_entries(&mut self) {
        self.slot_numbers = Some(KeyMap::default());
    }

    fn forget_records(&mut self) {
        self.slot_numbers.iter_mut().for_each(KeyMap::clear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_cleared_map_are_those_of_a_new_map() {
        let [mut new, mut cleared] = [(), ()].map(|()| Unbounded::new(&TableOptions::default(), false));
        (0..3000).for_each(|key| _ = cleared.store(key, Entry::default()));
        cleared.clear();
        assert_eq!(cleared.occupancy().bytes, 0);
        for key in 0..3000 {
            [&mut new, &mut cleared].into_iter().for_each(|table| _ = table.store(key, Entry::default()));
            let bytes = new.entries.capacity() as u64 * (size_of::<((u64, u8), Entry)>() as u64 + 1);
            assert_eq!([new.occupancy().bytes, cleared.occupancy().bytes], [bytes; 2], "{} entries", key + 1);
        }
    }

    /// Entries of the current tick are counted, but not those of exactly one clock cycle ago.
    #[test]
    fn occupancy_counts_entries_of_the_current_tick() {
        let mut table = Unbounded::new(&TableOptions::default(), false);
        let entry = Entry { bound: crate::chess::Bound::Exact, ..Entry::default() };
        [1, 2, 2].into_iter().for_each(|key| _ = table.store(key, entry));
        assert_eq!((table.occupancy().occupied, table.occupancy().current), (2, 2));
        table.advance(1);
        assert_eq!((table.occupancy().occupied, table.occupancy().current), (2, 0));
        [2, 3].into_iter().for_each(|key| _ = table.store(key, entry));
        assert_eq!((table.occupancy().occupied, table.occupancy().current), (3, 2));
        table.advance(GENERATIONS - 1);
        assert_eq!(table.occupancy().current, 1, "the clock wraps around");
        table.clear();
        assert_eq!((table.occupancy().occupied, table.occupancy().current), (0, 0));
    }

    /// For each same-key rule, with ticks between stores, the refusals, entries and ages are those
    /// of a bounded table that has room for all entries.
    #[test]
    fn unbounded_table_equals_a_bounded_one_without_evictions() {
        use crate::chess::{Bound, Move};
        use crate::table::options::SameKey;
        for options in crate::table::options::tests::every_rule() {
            let same_key = options.same_key;
            let options = TableOptions { size: crate::table::Size::Entries(1 << 12), slots: 4, ..options };
            let mut bounded = crate::table::build(&options, None, false).unwrap().unwrap();
            let (mut table, mut random, mut refused) = (Unbounded::new(&options, false), 7_u64, 0);
            for turn in 0..3000 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let draw = |shift: u32, below: u64| (random >> shift) % below;
                let key = (1 + draw(20, 16)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let entry = Entry {
                    depth: draw(24, 12) as u8,
                    bound: [Bound::Exact, Bound::Lower, Bound::Upper][draw(30, 3) as usize],
                    pv: draw(34, 4) == 0,
                    score: draw(40, 99) as i16,
                    mv: if draw(36, 3) == 0 { Move::NONE } else { Move::from_bits(1 + draw(50, 500) as u16) },
                    ..Entry::default()
                };
                if turn % 40 == 39 {
                    [&mut table as &mut dyn Table, bounded.as_mut()].into_iter().for_each(|table| table.advance(1));
                }
                let stored = [table.store(key, entry), bounded.store(key, entry)];
                refused += u64::from(stored[0].refused);
                assert_eq!(stored[0].refused, stored[1].refused, "{same_key:?}: {entry:?}");
                let hits = [table.probe(key, 0).unwrap(), bounded.probe(key, 0).unwrap()];
                let [unbounded_hit, bounded_hit] =
                    hits.map(|hit| (Entry { used: false, ..hit.entry }, hit.draft, hit.age));
                assert_eq!(unbounded_hit, bounded_hit, "{same_key:?}");
            }
            let counts = [table.occupancy(), bounded.occupancy()].map(|count| (count.occupied, count.current));
            assert_eq!(counts[0], counts[1], "{same_key:?}");
            assert_eq!(refused > 0, !matches!(same_key, SameKey::Replace | SameKey::Policy), "{same_key:?}");
        }
    }
}
