//! A table divided into shares that several threads may lock one by one.

use super::{Bounded, Packing, Replacement};
use crate::table::shared::{Division, Places};
use crate::table::{Table, TableCounters};

/// There are this many shares, or up to twice as many, if each then has at least four buckets.
const SHARES: u64 = 256;

/// Four buckets of 16-bit words end with a 64-bit word.
const LEAST_BUCKETS: u64 = 4;

impl<P: Replacement, L: Packing, const SLOTS: usize> Bounded<P, L, SLOTS> {
    /// See [`Table::divide`]. The slots that probes chose cannot be divided.
    pub(super) fn divide_buckets(&mut self) -> Option<Division> {
        if self.probed.is_some() || self.counters != TableCounters::default() {
            return None;
        }
        let log2_share = (self.buckets / SHARES).max(LEAST_BUCKETS).ilog2();
        let bucket_bytes = self.words() * size_of::<L::Word>();
        let memory = std::mem::take(&mut self.memory);
        let address = memory.as_ptr().addr();
        let create_share = |(number, memory)| -> Box<dyn Table> {
            let first_bucket = (number as u64) << log2_share;
            Box::new(Self {
                memory,
                buckets: (self.buckets - first_bucket).min(1 << log2_share),
                first_bucket,
                probed: None,
                generation_counts: self.generation_counts.clone(),
                counters: TableCounters::default(),
                packing: self.packing.clone(),
                ..*self
            })
        };
        let words = (bucket_bytes << log2_share) / size_of::<u64>();
        let Self { index, buckets, .. } = *self;
        let places = Places { index, buckets, log2_share, address, bucket_bytes };
        Some((memory.divide(words).enumerate().map(create_share).collect(), places))
    }
}
