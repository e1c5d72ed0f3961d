//! A table divided into shares that several threads may lock one by one.

use super::{Bounded, GENERATIONS, Packing, Replacement};
use crate::table::probed_slots::ProbedSlots;
use crate::table::shared::{Division, Places};
use crate::table::{Table, TableCounters};

/// There are this many shares, or up to twice as many, if each then has at least four buckets.
const SHARES: u64 = 1024;

/// Four buckets of 16-bit words end with a 64-bit word.
const LEAST_BUCKETS: u64 = 4;

impl<P: Replacement, L: Packing, const SLOTS: usize> Bounded<P, L, SLOTS> {
    pub(super) fn places_of_buckets(&self) -> Places {
        Places {
            index: self.index,
            buckets: self.buckets,
            slots: self.slots(),
            log2_share: (self.buckets / SHARES).max(LEAST_BUCKETS).ilog2(),
            address: self.memory.as_ptr().addr(),
            bucket_bytes: self.words() * size_of::<L::Word>(),
        }
    }

    /// See [`Table::divide`].
    pub(super) fn divide_buckets(&mut self, users: u32) -> Option<Division> {
        if self.counters != TableCounters::default() {
            return None;
        }
        let Places { log2_share, bucket_bytes, .. } = self.places_of_buckets();
        let memory = std::mem::take(&mut self.memory);
        let create_table = |_| -> Box<dyn Table> {
            let mut generation_counts = self.generation_counts.clone();
            // One user may overwrite what another wrote at a time that this one never saw.
            generation_counts.resize(GENERATIONS.into(), 0);
            Box::new(Self {
                memory: Default::default(),
                probed: self.probed.as_ref().map(|_| ProbedSlots::default()),
                generation_counts,
                counters: TableCounters::default(),
                packing: self.packing.clone(),
                ..*self
            })
        };
        let words = (bucket_bytes << log2_share) / size_of::<u64>();
        Some(((0..users).map(create_table).collect(), memory.divide(words).collect()))
    }
}
