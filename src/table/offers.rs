//! A watch that keeps what a search offered to its table: a map without a bound, by the full keys, that forgets only
//! when the table is emptied. Whoever asks it hears what a table that never gives an entry up would
//! know.

use super::entry::{GENERATIONS, pack, refreshed, unpack};
use super::memory::Memory;
use super::options::{Refresh, SameKey};
use super::watched::Watch;
use super::{Entry, Hit, Stored, TableError, TableOptions};
use std::alloc::{Layout, handle_alloc_error};

/// The offers, under the table's own rules for the same position (`same_key`, of which `policy`
/// counts as `replace`; `keep_move`; `refresh`).
///
/// Cells of two words, key and entry, found by linear probing; an entry is never 0.
pub struct Offers {
    cells: Memory,
    /// Cells that are taken.
    taken: usize,
    by_depth: bool,
    same_key: SameKey,
    keep_move: bool,
    /// What renews an entry's age, where a rule for the same position looks at ages.
    refresh: Refresh,
    now: u16,
    /// Key and depth of the last probe.
    probed: (u64, u8),
    /// Cells' keys and entries that are not yet written, and the place of the oldest: until then their
    /// cells are on the way to the processor.
    waiting: [(u64, u64); WAITING],
    next: usize,
}

/// Words that there are room for at first: a megabyte.
const FIRST: usize = 1 << 17;

/// Offers that wait.
const WAITING: usize = 16;

/// Spreads weak keys too over the cells. Source: Knuth, multiplicative hashing.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Offers {
    /// An empty map for a table of these options; `by_depth`: the table has one entry for each key
    /// and depth.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn new(options: &TableOptions, by_depth: bool) -> Result<Self, TableError> {
        let ages = options.same_key == SameKey::GuardFour;
        Ok(Self {
            cells: Memory::new(FIRST, true)?,
            taken: 0,
            by_depth,
            same_key: options.same_key,
            keep_move: options.keep_move,
            refresh: if ages { options.refresh } else { Refresh::Never },
            now: 0,
            probed: (0, 0),
            waiting: [(0, 0); WAITING],
            next: 0,
        })
    }

    /// The key of a position's cell.
    #[inline]
    fn cell_key(&self, key: u64, depth: u8) -> u64 {
        if self.by_depth { key ^ (1 + u64::from(depth)).wrapping_mul(GOLDEN) } else { key }
    }

    /// Where the search for a cell begins.
    #[inline]
    fn start(&self, key: u64) -> usize {
        let cells = self.cells.len() / 2;
        2 * (key.wrapping_mul(GOLDEN) >> (64 - cells.trailing_zeros())) as usize
    }

    /// The cell of a key, or the empty one that it would take.
    #[inline]
    fn find(&self, key: u64) -> usize {
        let mut at = self.start(key);
        while self.cells[at] != key && self.cells[at + 1] != 0 {
            at = (at + 2) & (self.cells.len() - 1);
        }
        at
    }

    /// Writes an entry of a cell's key, if the rule for the same position lets it.
    fn write(&mut self, key: u64, word: u64) {
        let at = self.find(key);
        let (mut word, old_word) = (word, self.cells[at + 1]);
        if old_word != 0 {
            let (mut entry, old) = (unpack(word), unpack(old_word));
            if self.keep_move && entry.mv.is_none() {
                entry.mv = old.mv;
                word = pack(&entry);
            }
            if !self.same_key.lets(&entry, &old, self.now) {
                return;
            }
        }
        self.cells[at] = key;
        self.cells[at + 1] = word;
        if old_word == 0 {
            self.taken += 1;
            // Of three cells in four taken, a search for an empty one would look at eight.
            if self.taken * 4 > self.cells.len() {
                self.grow();
            }
        }
    }

    /// Writes what waits, the oldest first.
    fn write_waiting(&mut self) {
        for turn in 0..WAITING {
            let (key, word) = std::mem::take(&mut self.waiting[(self.next + turn) % WAITING]);
            if word != 0 {
                self.write(key, word);
            }
        }
    }

    /// Twice the cells.
    #[cold]
    fn grow(&mut self) {
        let words = 2 * self.cells.len();
        let Ok(cells) = Memory::new(words, true) else {
            // As every collection does.
            handle_alloc_error(Layout::array::<u64>(words).unwrap_or(Layout::new::<u64>()));
        };
        let old = std::mem::replace(&mut self.cells, cells);
        for cell in old.chunks_exact(2).filter(|cell| cell[1] != 0) {
            let at = self.find(cell[0]);
            self.cells[at..at + 2].copy_from_slice(cell);
        }
    }

    fn renew_age(&mut self, key: u64, depth: u8) {
        self.write_waiting();
        let at = self.find(self.cell_key(key, depth));
        if self.cells[at + 1] != 0 {
            self.cells[at + 1] = refreshed(self.cells[at + 1], self.now);
        }
    }
}

impl Watch for Offers {
    fn probed(&mut self, key: u64, depth: u8, _: Option<&Hit>) -> bool {
        self.probed = (key, depth);
        if self.refresh == Refresh::Match {
            self.renew_age(key, depth);
        }
        false
    }

    fn stored(&mut self, key: u64, entry: &Entry, _: Stored) {
        let key = self.cell_key(key, entry.depth);
        self.cells.prefetch(self.start(key));
        let word = pack(&Entry { generation: self.now, nodes: 0, ..*entry });
        let (key, word) = std::mem::replace(&mut self.waiting[self.next], (key, word));
        self.next = (self.next + 1) % WAITING;
        if word != 0 {
            self.write(key, word);
        }
    }

    fn cutoff(&mut self, _: &Hit) {
        if self.refresh == Refresh::Cutoff {
            let (key, depth) = self.probed;
            self.renew_age(key, depth);
        }
    }

    fn advanced(&mut self, ticks: u16) {
        self.write_waiting();
        self.now = self.now.wrapping_add(ticks) % GENERATIONS;
    }

    fn emptied(&mut self, _: bool) {
        self.cells.fill(0);
        self.waiting.fill((0, 0));
        (self.taken, self.now) = (0, 0);
    }

    fn offered(&mut self, key: u64, depth: u8) -> Option<Entry> {
        self.write_waiting();
        let word = self.cells[self.find(self.cell_key(key, depth)) + 1];
        (word != 0).then(|| unpack(word))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::chess::{Bound, Move};
    use crate::table::{Table, unbounded::Unbounded};

    fn options(same_key: SameKey, keep_move: bool) -> TableOptions {
        TableOptions { same_key, keep_move, ..TableOptions::default() }
    }

    /// Under each rule, through growth and emptying: what the unbounded table holds, which is
    /// another map. Keys are weak and small, 0 among them.
    #[test]
    fn offers_are_kept_as_the_unbounded_table_keeps_its_entries() {
        for same_key in [SameKey::Replace, SameKey::Policy, SameKey::Deeper, SameKey::GuardFour, SameKey::GuardTwo] {
            for (keep_move, by_depth) in [(false, false), (true, false), (true, true)] {
                let options = options(same_key, keep_move);
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
                        score: draw(40, 99) as i32,
                        mv: if draw(36, 3) == 0 { Move::NONE } else { Move::from_bits(1 + draw(50, 500) as u16) },
                        ..Entry::default()
                    };
                    if turn == 50_000 {
                        offers.emptied(false);
                        table.clear();
                    }
                    if turn % 1000 == 999 {
                        offers.advanced(1);
                        table.advance(1);
                    }
                    offers.stored(key, &entry, Stored::into(0, false));
                    table.store(key, entry);
                    if turn % 7 != 0 {
                        continue;
                    }
                    let known = offers.offered(key, entry.depth).unwrap();
                    let hit = table.probe(key, entry.depth).unwrap().entry;
                    assert_eq!(known, Entry { used: false, ..hit }, "{same_key:?} {keep_move} {by_depth}");
                }
                assert_eq!(offers.offered(1 << 40, 0), None);
                assert_eq!(offers.taken as u64, table.occupancy().occupied);
            }
        }
    }

    /// An answer renews an age where the rule for the same position looks at it, and only then.
    #[test]
    fn ages_are_renewed_as_the_table_renews_them() {
        for (refresh, renewed) in [(Refresh::Never, [0, 0]), (Refresh::Match, [1, 0]), (Refresh::Cutoff, [0, 1])] {
            for same_key in [SameKey::GuardFour, SameKey::GuardTwo] {
                let options = TableOptions { refresh, ..options(same_key, false) };
                let ages: Vec<u16> = [false, true]
                    .map(|cut| {
                        let mut offers = Offers::new(&options, false).unwrap();
                        offers.stored(7, &Entry { bound: Bound::Exact, ..Entry::default() }, Stored::into(0, false));
                        offers.advanced(1);
                        let hit = Hit { entry: Entry::default(), draft: 0, age: 0, slot: 0 };
                        if cut {
                            offers.probed = (7, 0);
                            offers.cutoff(&hit);
                        } else {
                            offers.probed(7, 0, Some(&hit));
                        }
                        offers.offered(7, 0).unwrap().generation
                    })
                    .to_vec();
                assert_eq!(ages, if same_key == SameKey::GuardFour { renewed } else { [0, 0] });
            }
        }
    }
}
