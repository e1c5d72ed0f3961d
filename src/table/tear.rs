//! Stores in two halves, between which other searchers may read: what a table without locks does to
//! entries of more than one word.

use super::{Entry, StoreOutcome};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Stores whose second half is late, as on threads of a processor: first the key's half is written,
/// then that of the data. A reader that finds the key may then read the data of another position.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Tear {
    /// Share of the stores whose second half is late, 0 to 1.
    #[cfg_attr(test, schemars(range(min = 0.0, max = 1.0)))]
    pub probability: f64,
    /// The second half is written after this many probes and stores of other searchers, or earlier,
    /// at its own searcher's next store into the slot.
    pub delay: u32,
    /// What an entry is made of. Without `threads.lock`, real threads support only `bare` and
    /// `xor`.
    pub entries: Halves,
}

impl Default for Tear {
    fn default() -> Self {
        Self { probability: 0.0, delay: 16, entries: Halves::default() }
    }
}

impl Tear {
    /// Whether any store is torn.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.probability > 0.0 && self.entries != Halves::Word
    }
}

/// What an entry is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Halves {
    /// Key and data: any data beside the right key is accepted.
    #[default]
    Bare,
    /// The key combined with the data by XOR, and the data: halves of two stores do not match.
    /// Source: Hyatt and Mann, "A lock-less transposition-table implementation", 2002.
    Xor,
    /// The key with eight bits of a checksum of the data, and the data: halves of two stores match
    /// in one case of 256.
    Checksum,
    /// One word, which is written at once.
    Word,
}

struct LateStore {
    writer: u8,
    /// The data in the slot before the second half is written.
    stale: Entry,
    /// The data that the second half writes.
    fresh: Entry,
    /// The second half is written at this number of calls by other searchers.
    until: u64,
    /// Whether another searcher has stored into the slot meanwhile; the second half will overwrite
    /// the data of that store.
    overwritten: bool,
}

/// What a reader gets from a slot.
pub enum SlotRead {
    /// The key and data of one store.
    Whole,
    /// The data of another store than the key's, which the reader cannot tell apart.
    Accepted(Entry),
    /// Data that does not match the key.
    Rejected,
}

/// The slots that have halves of two stores.
pub struct TornSlots {
    options: Tear,
    seed: u64,
    random: Pcg64,
    /// The data of each slot's last store.
    data: Vec<Entry>,
    late: HashMap<usize, LateStore>,
    /// Calls of the table by each searcher.
    calls: Vec<u64>,
    total_calls: u64,
}

/// The fields by which halves are compared.
fn data(entry: &Entry) -> (u16, i16, u8, u8, bool) {
    (entry.mv.bits(), entry.score, entry.bound as u8, entry.depth, entry.pv)
}

fn checksum(entry: &Entry) -> u8 {
    let (mv, score, bound, depth, pv) = data(entry);
    let bits = u64::from(mv) | (score as u64 & 0xffff) << 16 | u64::from(bound) << 32 | u64::from(depth) << 40;
    ((bits | u64::from(pv) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

impl TornSlots {
    /// The state of an empty table, without torn slots. None if the options tear no stores.
    pub fn new(options: Tear, seed: u64) -> Option<Self> {
        let random = Pcg64::seed_from_u64(seed);
        let (data, late, calls) = (Vec::new(), HashMap::new(), vec![0; 256]);
        options.is_on().then_some(Self { options, seed, random, data, late, calls, total_calls: 0 })
    }

    pub fn clear(&mut self) {
        self.data.clear();
        self.late.clear();
    }

    /// Returns to the state after `new`.
    pub fn renew(&mut self) {
        self.clear();
        self.random = Pcg64::seed_from_u64(self.seed);
        self.calls.fill(0);
        self.total_calls = 0;
    }

    pub fn count_call(&mut self, searcher: u8) {
        self.calls[usize::from(searcher)] += 1;
        self.total_calls += 1;
    }

    fn calls_by_others(&self, searcher: u8) -> u64 {
        self.total_calls - self.calls[usize::from(searcher)]
    }

    /// What a searcher gets when it reads a slot in which the table has `entry`.
    pub fn read(&mut self, slot: usize, entry: &Entry, searcher: u8) -> SlotRead {
        let Some(late) = self.late.get(&slot) else { return SlotRead::Whole };
        let has_second_half = self.calls_by_others(late.writer) >= late.until;
        let data_read = match (late.overwritten, has_second_half) {
            // The second half has not arrived: only its writer sees it, others read the old data.
            (false, false) if late.writer != searcher => late.stale,
            // A later store filled the slot, and then this second half landed on top of it.
            (true, true) => late.fresh,
            // The store is complete.
            (false, true) => {
                self.late.remove(&slot);
                return SlotRead::Whole;
            }
            _ => return SlotRead::Whole,
        };
        if data(&data_read) == data(entry) {
            return SlotRead::Whole;
        }
        let matches = match self.options.entries {
            Halves::Bare => true,
            Halves::Xor | Halves::Word => false,
            Halves::Checksum => checksum(&data_read) == checksum(entry),
        };
        // Empty data reads as an empty slot, which answers nothing.
        if matches && !data_read.is_empty() { SlotRead::Accepted(data_read) } else { SlotRead::Rejected }
    }

    /// Records a store; returns whether its second half is late.
    pub fn store(&mut self, stored: StoreOutcome, entry: Entry, searcher: u8) -> bool {
        if stored.refused {
            return false;
        }
        let (slot, last) = (stored.slot, stored.slot + usize::from(stored.moved));
        if last >= self.data.len() {
            self.data.resize(last + 1, Entry::default());
        }
        // The slot has the data of the last store, or of a second half that came after it.
        let stale = match self.late.get(&slot) {
            Some(late) if late.overwritten && self.calls_by_others(late.writer) >= late.until => late.fresh,
            _ => self.data[slot],
        };
        self.data.copy_within(slot..last, slot + 1);
        self.data[slot] = entry;
        for changed in slot..=last {
            let Some(late) = self.late.get_mut(&changed) else { continue };
            late.overwritten = true;
            let (writer, until) = (late.writer, late.until);
            if writer == searcher || self.calls_by_others(writer) >= until {
                self.late.remove(&changed);
            }
        }
        let tears = self.random.random_range(0.0..1.0) < self.options.probability && !self.late.contains_key(&slot);
        if tears {
            let until = self.calls_by_others(searcher) + u64::from(self.options.delay);
            self.late.insert(slot, LateStore { writer: searcher, stale, fresh: entry, until, overwritten: false });
        }
        tears
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Bound;

    const SLOT: usize = 5;

    fn entry(score: i16) -> Entry {
        Entry { score, bound: Bound::Exact, depth: 3, ..Entry::default() }
    }

    fn torn(entries: Halves) -> TornSlots {
        TornSlots::new(Tear { probability: 1.0, delay: 2, entries }, 1).unwrap()
    }

    /// Counts a call by a searcher and records its store.
    fn store(torn: &mut TornSlots, score: i16, searcher: u8) -> bool {
        torn.count_call(searcher);
        torn.store(StoreOutcome::in_slot(SLOT, false), entry(score), searcher)
    }

    /// The score that a searcher reads from the slot, in which the table has `score`; 0 if the read
    /// is rejected.
    fn read(torn: &mut TornSlots, score: i16, searcher: u8) -> i16 {
        match torn.read(SLOT, &entry(score), searcher) {
            SlotRead::Whole => score,
            SlotRead::Accepted(other) => other.score,
            SlotRead::Rejected => 0,
        }
    }

    #[test]
    fn others_read_the_old_half_until_the_new_one_is_written() {
        let mut torn = torn(Halves::Bare);
        assert!(store(&mut torn, 10, 0));
        assert_eq!([0, 1].map(|searcher| read(&mut torn, 10, searcher)), [10, 0], "an empty half is an empty slot");
        torn.count_call(1);
        assert_eq!(read(&mut torn, 10, 1), 0, "one call is too early");
        torn.count_call(2);
        assert_eq!(read(&mut torn, 10, 1), 10);
        assert!(store(&mut torn, 20, 0));
        assert_eq!([0, 1].map(|searcher| read(&mut torn, 20, searcher)), [20, 10]);
        assert!(store(&mut torn, 30, 0), "its own next store comes after both halves");
        assert_eq!(read(&mut torn, 30, 1), 20);
    }

    /// A second half that is written after another searcher's whole store mixes the two entries.
    #[test]
    fn late_half_overwrites_a_store_that_came_between() {
        let mut torn = torn(Halves::Bare);
        store(&mut torn, 10, 0);
        assert!(!store(&mut torn, 20, 1), "one at a time is late");
        assert_eq!([0, 1, 2].map(|searcher| read(&mut torn, 20, searcher)), [20; 3]);
        torn.count_call(2);
        assert_eq!([0, 1, 2].map(|searcher| read(&mut torn, 20, searcher)), [10; 3]);
        assert!(store(&mut torn, 30, 2), "the next store ends it");
        assert_eq!(read(&mut torn, 30, 2), 30);
    }

    #[test]
    fn halves_that_do_not_match_are_rejected() {
        let mut torn = torn(Halves::Xor);
        store(&mut torn, 10, 0);
        store(&mut torn, 20, 0);
        assert_eq!(read(&mut torn, 20, 1), 0);
        // About one of 255 other scores has the same checksum of eight bits.
        let mut accepted = 0;
        for score in 1..256 {
            let mut torn = self::torn(Halves::Checksum);
            store(&mut torn, 1000, 0);
            store(&mut torn, score, 0);
            accepted += u32::from(read(&mut torn, score, 1) == 1000);
        }
        assert!(accepted < 6, "{accepted}");
        assert!(TornSlots::new(Tear { probability: 1.0, delay: 2, entries: Halves::Word }, 1).is_none());
    }
}
