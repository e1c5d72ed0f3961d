//! A table that drops a share of its hits (`table.forget`), to inject a loss of known size.

use super::options::ForgetPart;
use super::{Entry, Hit, Occupancy, ShadowCounters, StoreOutcome, Table, TableCounters, TableOptions};
use crate::chess::{Bound, Move};

/// Forwards everything, and drops hits pseudo-randomly: by a hash of the seed, the key and the
/// number of the hit since the table was new.
pub struct Forgetful {
    table: Box<dyn Table>,
    share: f64,
    part: ForgetPart,
    seed: u64,
    /// Hits since the table was created or renewed.
    hits: u64,
    forgotten: u64,
}

/// Mixes the bits of a number. Source: Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014.
const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

impl Forgetful {
    /// Wraps a table with the loss of the options.
    #[must_use]
    pub fn new(table: Box<dyn Table>, options: &TableOptions) -> Self {
        let TableOptions { forget, forget_part, forget_seed, .. } = *options;
        Self { table, share: forget, part: forget_part, seed: forget_seed, hits: 0, forgotten: 0 }
    }

    /// Whether the next hit is dropped.
    fn loses_hit(&mut self, key: u64) -> bool {
        self.hits += 1;
        let bits = mix(mix(mix(self.seed) ^ key) ^ self.hits);
        // An f64 holds 53 bits; the value stays below 1, so that a share of 1 drops every hit.
        ((bits >> 11) as f64) < self.share * (1_u64 << 53) as f64
    }
}

impl Table for Forgetful {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let hit = self.table.probe(key, depth)?;
        if !self.loses_hit(key) {
            return Some(hit);
        }
        self.forgotten += 1;
        match self.part {
            ForgetPart::Entry => None,
            ForgetPart::Move => Some(Hit { entry: Entry { mv: Move::NONE, ..hit.entry }, ..hit }),
            ForgetPart::Score => {
                Some(Hit { entry: Entry { score: 0, bound: Bound::None, depth: 0, ..hit.entry }, draft: -1, ..hit })
            }
        }
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        self.table.store(key, entry)
    }

    fn cutoff(&mut self, hit: &Hit) {
        self.table.cutoff(hit);
    }

    fn missed(&mut self, hit: &Hit) {
        self.table.missed(hit);
    }

    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    fn advance(&mut self, ticks: u16) {
        self.table.advance(ticks);
    }

    fn clear(&mut self) {
        self.table.clear();
    }

    fn renew(&mut self) {
        self.table.renew();
        self.hits = 0;
    }

    fn counts_stored_nodes(&self) -> bool {
        self.table.counts_stored_nodes()
    }

    fn identify(&mut self, check: u64) {
        self.table.identify(check);
    }

    fn number_slots(&mut self) {
        self.table.number_slots();
    }

    fn mark_used(&mut self, hit: &Hit) {
        self.table.mark_used(hit);
    }

    fn shadow(&self) -> ShadowCounters {
        self.table.shadow()
    }

    fn now(&self) -> u16 {
        self.table.now()
    }

    fn counters(&self) -> TableCounters {
        let counters = self.table.counters();
        let lost = if self.part == ForgetPart::Entry { self.forgotten } else { 0 };
        TableCounters { hits: counters.hits - lost, forgotten: self.forgotten, ..counters }
    }

    fn occupancy(&self) -> Occupancy {
        self.table.occupancy()
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Entry)) {
        self.table.for_each(visit);
    }

    fn huge_pages(&self) -> Option<bool> {
        self.table.huge_pages()
    }
}
