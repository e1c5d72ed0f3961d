//! A table whose memory several threads share.

use super::{Bounded, GENERATIONS, Mark, Packing, Refresh, Replacement};
use crate::table::kept::TableMemory;
use crate::table::memory::SharedWords;
use crate::table::probed_slots::ProbedSlots;
use crate::table::shared::{Division, Places};
use crate::table::{Table, TableCounters};

impl<P: Replacement, L: Packing, const SLOTS: usize> Bounded<P, L, SLOTS> {
    pub(super) fn places_of_buckets(&self) -> Places {
        Places {
            index: self.index,
            buckets: self.buckets,
            slots: self.slots(),
            address: self.memory.as_ptr().addr(),
            bucket_bytes: self.words() * size_of::<L::Word>(),
            notes_cutoffs: self.mark == Mark::Cutoff || self.refresh == Refresh::Cutoff,
        }
    }

    /// See [`Table::divide`]. A bucket must end with a 64-bit word, so that no other changes with
    /// it.
    pub(super) fn divide_buckets(&mut self, users: u32) -> Option<Division> {
        let bucket_bytes = self.places_of_buckets().bucket_bytes;
        if self.counters != TableCounters::default() || !bucket_bytes.is_multiple_of(8) {
            return None;
        }
        let windows = (0..users).map(|_| TableMemory::new(2 * bucket_bytes / 8, bucket_bytes, false));
        let windows: Vec<TableMemory> = windows.collect::<Result<_, _>>().ok()?;
        let mut memory = std::mem::take(&mut self.memory);
        memory.record_all();
        let create_table = |memory| -> Box<dyn Table> {
            let mut generation_counts = self.generation_counts.clone();
            // One user may overwrite what another wrote at a time that this one never saw.
            generation_counts.resize(GENERATIONS.into(), 0);
            Box::new(Self {
                memory,
                probed: self.probed.as_ref().map(|_| ProbedSlots::default()),
                generation_counts,
                counters: TableCounters::default(),
                packing: self.packing.clone(),
                ..*self
            })
        };
        Some((windows.into_iter().map(create_table).collect(), SharedWords::new(memory)))
    }
}
