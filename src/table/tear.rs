//! Stores that are written in two halves. Other searchers may read a slot between the two halves,
//! as in a table without locks whose entries have more than one word.

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

/// A store whose second half is late.
struct LateStore {
    writer: u8,
    /// The data in the slot before the second half is written.
    old_data: Entry,
    /// The data that the second half writes.
    new_data: Entry,
    /// The second half is written when the other searchers have made this many calls in total.
    due_call: u64,
    /// Whether another searcher has stored into the slot since the first half was written. The
    /// second half then overwrites the data of that store.
    overwritten: bool,
}

/// What a searcher reads from a slot.
pub enum SlotRead {
    /// The key and data of one store.
    Whole,
    /// The data of another store than that of the key. The searcher does not notice the mismatch.
    Accepted(Entry),
    /// Data that does not match the key.
    Rejected,
}

/// The state of slots whose two halves may come from two different stores.
pub struct TornSlots {
    options: Tear,
    seed: u64,
    random: Pcg64,
    /// The data of the last store into each slot.
    last_stored: Vec<Entry>,
    /// The late store of each slot that has one.
    late_stores: HashMap<usize, LateStore>,
    /// The number of calls of the table by each searcher.
    calls: Vec<u64>,
    total_calls: u64,
}

/// Returns the fields of an entry that count as its data when halves are compared.
fn data_fields(entry: &Entry) -> (u16, i16, u8, u8, bool) {
    (entry.mv.bits(), entry.score, entry.bound as u8, entry.depth, entry.pv)
}

fn checksum(entry: &Entry) -> u8 {
    let (mv, score, bound, depth, pv) = data_fields(entry);
    let bits = u64::from(mv) | (score as u64 & 0xffff) << 16 | u64::from(bound) << 32 | u64::from(depth) << 40;
    ((bits | u64::from(pv) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

impl TornSlots {
    /// Creates the state of an empty table, which has no torn slots. Returns `None` if the options
    /// tear no stores.
    pub fn new(options: Tear, seed: u64) -> Option<Self> {
        let random = Pcg64::seed_from_u64(seed);
        let (last_stored, late_stores, calls) = (Vec::new(), HashMap::new(), vec![0; 256]);
        options.is_on().then_some(Self { options, seed, random, last_stored, late_stores, calls, total_calls: 0 })
    }

    pub fn clear(&mut self) {
        self.last_stored.clear();
        self.late_stores.clear();
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

    /// Returns what a searcher reads from a slot in which the table has `entry`.
    pub fn read(&mut self, slot: usize, entry: &Entry, searcher: u8) -> SlotRead {
        let Some(late_store) = self.late_stores.get(&slot) else { return SlotRead::Whole };
        let is_complete = self.calls_by_others(late_store.writer) >= late_store.due_call;
        let data_read = match (late_store.overwritten, is_complete) {
            // The second half has not been written yet. The writer reads the new data, but the
            // other searchers still read the old data.
            (false, false) if late_store.writer != searcher => late_store.old_data,
            // Another searcher stored into the slot. After that, the late second half overwrote the
            // data of that store.
            (true, true) => late_store.new_data,
            (false, true) => {
                self.late_stores.remove(&slot);
                return SlotRead::Whole;
            }
            _ => return SlotRead::Whole,
        };
        if data_fields(&data_read) == data_fields(entry) {
            return SlotRead::Whole;
        }
        let matches = match self.options.entries {
            Halves::Bare => true,
            Halves::Xor | Halves::Word => false,
            Halves::Checksum => checksum(&data_read) == checksum(entry),
        };
        // A slot with empty data looks like an empty slot, which does not answer a probe.
        if matches && !data_read.is_empty() { SlotRead::Accepted(data_read) } else { SlotRead::Rejected }
    }

    /// Records a store. Returns whether the second half of the store is written late.
    pub fn record_store(&mut self, stored: StoreOutcome, entry: Entry, searcher: u8) -> bool {
        if stored.refused {
            return false;
        }
        let (slot, last_slot) = (stored.slot, stored.slot + usize::from(stored.moved));
        if last_slot >= self.last_stored.len() {
            self.last_stored.resize(last_slot + 1, Entry::default());
        }
        // The slot has the data of the last store, unless a late second half was written after it.
        let old_data = match self.late_stores.get(&slot) {
            Some(late) if late.overwritten && self.calls_by_others(late.writer) >= late.due_call => late.new_data,
            _ => self.last_stored[slot],
        };
        self.last_stored.copy_within(slot..last_slot, slot + 1);
        self.last_stored[slot] = entry;
        for changed_slot in slot..=last_slot {
            let Some(late) = self.late_stores.get_mut(&changed_slot) else { continue };
            late.overwritten = true;
            let (writer, due_call) = (late.writer, late.due_call);
            // A searcher completes its late store before it stores into the slot again.
            if writer == searcher || self.calls_by_others(writer) >= due_call {
                self.late_stores.remove(&changed_slot);
            }
        }
        let is_late =
            self.random.random_range(0.0..1.0) < self.options.probability && !self.late_stores.contains_key(&slot);
        if is_late {
            let due_call = self.calls_by_others(searcher) + u64::from(self.options.delay);
            let late = LateStore { writer: searcher, old_data, new_data: entry, due_call, overwritten: false };
            self.late_stores.insert(slot, late);
        }
        is_late
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
        torn.record_store(StoreOutcome::in_slot(SLOT, false), entry(score), searcher)
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
