//! Identifies every position by an independent key, to detect false matches and to classify each
//! miss (`diagnostics = "full"`).

use super::shadow::{Shadow, ShadowCounters};
use super::watch::{Watch, WatchedTable};
use super::{Entry, Hit, StoreOutcome, Table, TableError};

/// Passes the positions of probes and stores to a [`Shadow`].
/// [`identify`](super::Instrumented::identify) must be called before each probe and each store.
pub struct PositionObserver {
    shadow: Shadow,
    check: u64,
}

pub type ObservedTable = WatchedTable<PositionObserver>;

impl ObservedTable {
    /// Wraps a table, which should be empty.
    ///
    /// # Errors
    /// When there is not enough memory for the [`Shadow`] of the table.
    pub fn new(mut table: Box<dyn Table>) -> Result<Self, TableError> {
        table.start_numbering_entries();
        let slots = table.occupancy().slots;
        Ok(Self::with_watch(PositionObserver { shadow: Shadow::new(slots)?, check: 0 }, table))
    }
}

impl Watch for PositionObserver {
    fn on_probe(&mut self, _: u64, depth: u8, hit: Option<&Hit>) -> bool {
        match hit {
            Some(hit) => self.shadow.hit(hit.slot, self.check),
            None => self.shadow.miss(self.check, depth),
        }
        // If there is a hit, the table marks its entry as used.
        true
    }

    fn on_store(&mut self, _: u64, entry: &Entry, stored: StoreOutcome) {
        self.shadow.store(stored, self.check, entry.depth);
    }

    fn on_cutoff(&mut self, hit: &Hit) {
        self.shadow.cutoff(hit.slot, self.check);
    }

    fn on_clear(&mut self) {
        self.shadow.clear();
    }

    fn on_forget_records(&mut self) {
        self.shadow.renew();
    }

    fn on_identify(&mut self, check: u64) {
        self.check = check;
    }

    fn shadow(&self) -> Option<ShadowCounters> {
        Some(self.shadow.counters())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::chess::Bound;
    use crate::table::{Instrumented, TableOptions, unbounded::Unbounded};

    /// Positions from before a clear are remembered, those from before a renew are not.
    #[test]
    fn renewed_table_forgets_earlier_positions() {
        let miss_counts = |renew: bool| {
            let mut table = ObservedTable::new(Box::new(Unbounded::new(&TableOptions::default(), false))).unwrap();
            table.identify(7);
            table.store(7, Entry { bound: Bound::Exact, ..Entry::default() });
            table.clear();
            if renew {
                table.forget_records();
            }
            table.probe(7, 0);
            (table.shadow().miss_emptied, table.shadow().miss_never)
        };
        assert_eq!([false, true].map(miss_counts), [(1, 0), (0, 1)]);
    }
}
