//! Records the entries that a search offered to its table, in an unbounded map from full keys to
//! entries. The map is emptied only when the table is emptied, so it has the entries that a table
//! that never evicts would have.

use super::entry::{GENERATIONS, pack, unpack, with_generation, with_move};
use super::memory::Memory;
use super::options::Refresh;
use super::policy::{Ancient, Mark, Policy};
use super::same_key::Rule;
use super::watch::Watch;
use super::{Entry, Hit, StoreOutcome, TableError, TableOptions};
use std::alloc::{Layout, handle_alloc_error};

/// The offered entries, one for each key or one for each key and depth. If a key is offered again,
/// the table's own rules apply: the options `same_key` (in which `policy` counts as `replace`),
/// `guard`, `keep_move`, `keep_pv` and `refresh`.
///
/// The map uses open addressing with linear probing. Each cell has two words, a key and a packed
/// entry. A packed entry is never 0.
pub struct Offers {
    cells: Memory,
    occupied: usize,
    by_depth: bool,
    same_key_rule: Rule,
    /// When an entry's age is renewed. It is `Never` if the same-key rule ignores ages.
    refresh: Refresh,
    now: u16,
    /// The key and depth of the last probe, which `on_cutoff` needs.
    last_probe: (u64, u8),
    /// A ring of keys and packed entries that are not written yet, because their cells are being
    /// prefetched.
    pending: [(u64, u64); PENDING],
    oldest_pending: usize,
}

/// The initial size in words: one megabyte.
const INITIAL_WORDS: usize = 1 << 17;

/// The number of offers that wait for their cells to be prefetched.
const PENDING: usize = 16;

/// Multiplier that spreads weak keys over the cells. Source: Knuth, multiplicative hashing.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Offers {
    /// Creates an empty map. The map keeps one entry for each key or, if `by_depth` is true, one
    /// entry for each key and depth.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn new(options: &TableOptions, by_depth: bool) -> Result<Self, TableError> {
        let same_key_rule = options.same_key_rule();
        Ok(Self {
            cells: Memory::new(INITIAL_WORDS, true)?,
            occupied: 0,
            by_depth,
            same_key_rule,
            // An age that the rule ignores need not be renewed. A mark renews it too.
            refresh: match (&options.policy, options.refresh) {
                _ if !same_key_rule.reads_ages() => Refresh::Never,
                (Policy::Ancient(Ancient { useful: Mark::Match, .. }), _) => Refresh::Match,
                (Policy::Ancient(_), Refresh::Never) => Refresh::Cutoff,
                (_, refresh) => refresh,
            },
            now: 0,
            last_probe: (0, 0),
            pending: [(0, 0); PENDING],
            oldest_pending: 0,
        })
    }

    #[inline]
    fn cell_key(&self, key: u64, depth: u8) -> u64 {
        if self.by_depth { key ^ (1 + u64::from(depth)).wrapping_mul(GOLDEN) } else { key }
    }

    /// The index of a cell is the index of its first word.
    #[inline]
    fn first_cell(&self, key: u64) -> usize {
        let cell_count = self.cells.len() / 2;
        2 * (key.wrapping_mul(GOLDEN) >> (64 - cell_count.trailing_zeros())) as usize
    }

    /// If no cell holds the key, returns the index of the empty cell in which the key is to be
    /// stored. The second word of a cell is 0 only if the cell is empty.
    #[inline]
    fn find(&self, key: u64) -> usize {
        let mut cell = self.first_cell(key);
        while self.cells[cell] != key && self.cells[cell + 1] != 0 {
            cell = (cell + 2) & (self.cells.len() - 1);
        }
        cell
    }

    /// Writes a packed entry to the map, unless the same-key rule keeps the old entry of the key.
    fn write(&mut self, key: u64, mut packed_entry: u64) {
        let cell = self.find(key);
        let old_packed_entry = self.cells[cell + 1];
        if old_packed_entry != 0 {
            let (mut entry, old) = (unpack(packed_entry), unpack(old_packed_entry));
            if entry.is_evaluation() {
                return;
            }
            let is_allowed = self.same_key_rule.replaces(&mut entry, &old, self.now);
            packed_entry = pack(&entry);
            if !is_allowed {
                if self.same_key_rule.renews_move(&entry, &old) {
                    self.cells[cell + 1] = with_move(old_packed_entry, entry.mv);
                }
                return;
            }
        }
        self.cells[cell] = key;
        self.cells[cell + 1] = packed_entry;
        if old_packed_entry == 0 {
            self.occupied += 1;
            // The map grows when more than half of its cells are occupied. `cells` counts words,
            // and a cell has two words. If three quarters of the cells were occupied, the search
            // for a new key would examine 8 cells on average.
            if self.occupied * 4 > self.cells.len() {
                self.grow();
            }
        }
    }

    fn write_pending(&mut self) {
        for index in 0..PENDING {
            let (key, packed_entry) = std::mem::take(&mut self.pending[(self.oldest_pending + index) % PENDING]);
            if packed_entry != 0 {
                self.write(key, packed_entry);
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let words = 2 * self.cells.len();
        let Ok(cells) = Memory::new(words, true) else {
            // Aborts the process, as the collections of the standard library do.
            handle_alloc_error(Layout::array::<u64>(words).unwrap_or(Layout::new::<u64>()));
        };
        let old_cells = std::mem::replace(&mut self.cells, cells);
        for cell in old_cells.chunks_exact(2).filter(|cell| cell[1] != 0) {
            let index = self.find(cell[0]);
            self.cells[index..index + 2].copy_from_slice(cell);
        }
    }

    fn refresh_age(&mut self, key: u64, depth: u8) {
        self.write_pending();
        let cell = self.find(self.cell_key(key, depth));
        if self.cells[cell + 1] != 0 {
            self.cells[cell + 1] = with_generation(self.cells[cell + 1], self.now);
        }
    }
}

impl Watch for Offers {
    fn on_probe(&mut self, key: u64, depth: u8, _: Option<&Hit>) -> bool {
        self.last_probe = (key, depth);
        if self.refresh == Refresh::Match {
            self.refresh_age(key, depth);
        }
        // The hit need not be marked as used.
        false
    }

    fn on_store(&mut self, key: u64, entry: &Entry, _: StoreOutcome) {
        let key = self.cell_key(key, entry.depth);
        self.cells.prefetch(self.first_cell(key));
        let packed_entry = pack(&Entry { generation: self.now, nodes: 0, ..*entry });
        // The new offer takes the place of the oldest pending offer. The oldest offer is then
        // written to its cell.
        let oldest_offer = &mut self.pending[self.oldest_pending];
        let (oldest_key, oldest_packed_entry) = std::mem::replace(oldest_offer, (key, packed_entry));
        self.oldest_pending = (self.oldest_pending + 1) % PENDING;
        if oldest_packed_entry != 0 {
            self.write(oldest_key, oldest_packed_entry);
        }
    }

    fn on_cutoff(&mut self, _: &Hit) {
        if self.refresh == Refresh::Cutoff {
            let (key, depth) = self.last_probe;
            self.refresh_age(key, depth);
        }
    }

    fn on_advance(&mut self, ticks: u16) {
        self.write_pending();
        self.now = self.now.wrapping_add(ticks) % GENERATIONS;
    }

    fn on_clear(&mut self) {
        self.cells.fill(0);
        self.pending.fill((0, 0));
        (self.occupied, self.now) = (0, 0);
    }

    fn last_offer(&mut self, key: u64, depth: u8) -> Option<Entry> {
        self.write_pending();
        let packed_entry = self.cells[self.find(self.cell_key(key, depth)) + 1];
        (packed_entry != 0).then(|| unpack(packed_entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Bound, Move};
    use crate::table::options::{Guard, SameKey};
    use crate::table::{Table, unbounded::Unbounded};

    /// For each rule, through growth and clearing, the offers equal the entries of the unbounded
    /// table, which is a different map. The keys are small and badly distributed, and include 0.
    #[test]
    fn offers_equal_the_entries_of_an_unbounded_table() {
        for options in crate::table::options::tests::every_rule() {
            for by_depth in [false, true] {
                let (mut offers, mut table) =
                    (Offers::new(&options, by_depth).unwrap(), Unbounded::new(&options, by_depth));
                let mut random = 3_u64;
                for turn in 0..60_000_u64 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let draw = |shift: u32, below: u64| (random >> shift) % below;
                    let key = draw(8, 1 << 17) << draw(3, 2).min(1);
                    let entry = Entry {
                        depth: draw(24, 5) as u8,
                        bound: [Bound::Exact, Bound::Lower, Bound::Upper][draw(30, 3) as usize],
                        pv: draw(34, 4) == 0,
                        score: draw(40, 99) as i16,
                        mv: if draw(36, 3) == 0 { Move::NONE } else { Move::from_bits(1 + draw(50, 500) as u16) },
                        ..Entry::default()
                    };
                    if turn == 50_000 {
                        offers.on_clear();
                        table.clear();
                    }
                    if turn % 1000 == 999 {
                        offers.on_advance(1);
                        table.advance(1);
                    }
                    offers.on_store(key, &entry, StoreOutcome::in_slot(0, false));
                    table.store(key, entry);
                    if turn % 7 != 0 {
                        continue;
                    }
                    let offered = offers.last_offer(key, entry.depth).unwrap();
                    let hit = table.probe(key, entry.depth).unwrap().entry;
                    assert_eq!(offered, Entry { used: false, ..hit }, "{options:?} {by_depth}");
                }
                assert_eq!(offers.last_offer(1 << 40, 0), None);
                assert_eq!(offers.occupied as u64, table.occupancy().occupied);
            }
        }
    }

    /// A hit renews an age only if the same-key rule uses ages.
    #[test]
    fn hit_renews_age_only_under_a_rule_that_uses_ages() {
        for (refresh, renewed) in [(Refresh::Never, [0, 0]), (Refresh::Match, [1, 0]), (Refresh::Cutoff, [0, 1])] {
            for age in [true, false] {
                let guard = Guard { age, ..Guard::default() };
                let options = TableOptions { refresh, same_key: SameKey::Guard, guard, ..TableOptions::default() };
                let ages: Vec<u16> = [false, true]
                    .map(|is_cutoff| {
                        let mut offers = Offers::new(&options, false).unwrap();
                        offers.on_store(
                            7,
                            &Entry { bound: Bound::Exact, ..Entry::default() },
                            StoreOutcome::in_slot(0, false),
                        );
                        offers.on_advance(1);
                        let hit = Hit { entry: Entry::default(), draft: 0, age: 0, slot: 0 };
                        if is_cutoff {
                            offers.last_probe = (7, 0);
                            offers.on_cutoff(&hit);
                        } else {
                            offers.on_probe(7, 0, Some(&hit));
                        }
                        offers.last_offer(7, 0).unwrap().generation
                    })
                    .to_vec();
                assert_eq!(ages, if age { renewed } else { [0, 0] });
            }
        }
    }
}
