//! A table with an observer. Every call is passed on to the table, and the observer sees the call
//! and its result.

use super::shadow::ShadowCounters;
use super::{Entry, Hit, Instrumented, Occupancy, StoreOutcome, Table, TableCounters, pass_on};

pub trait Watch: Send {
    fn filter_hit(&mut self, _key: u64, hit: Hit) -> Option<Hit> {
        Some(hit)
    }
    /// Observes a probe and its answer. Returns whether the table is to mark the entry of the hit
    /// as used ([`Instrumented::mark_used`]).
    fn on_probe(&mut self, _key: u64, _depth: u8, _hit: Option<&Hit>) -> bool {
        false
    }
    fn on_store(&mut self, _key: u64, _entry: &Entry, _stored: StoreOutcome) {}
    fn on_cutoff(&mut self, _hit: &Hit) {}
    fn on_advance(&mut self, _ticks: u16) {}
    fn on_clear(&mut self) {}
    /// Forgets what it knows of the positions from before a clear.
    fn on_forget_records(&mut self) {}
    /// Receives an independent key, `check`, of the position of the next probe or store.
    fn on_identify(&mut self, _check: u64) {}
    /// The last entry offered for a position, if the observer records offers.
    fn last_offer(&mut self, _key: u64, _depth: u8) -> Option<Entry> {
        None
    }
    fn count(&self, counters: TableCounters) -> TableCounters {
        counters
    }
    fn shadow(&self) -> Option<ShadowCounters> {
        None
    }
}

pub struct WatchedTable<W> {
    table: Box<dyn Table>,
    watch: W,
}

impl<W: Watch> WatchedTable<W> {
    pub fn with_watch(watch: W, table: Box<dyn Table>) -> Self {
        Self { table, watch }
    }
}

impl<W: Watch> Table for WatchedTable<W> {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let hit = self.table.probe(key, depth).and_then(|hit| self.watch.filter_hit(key, hit));
        let marks_hit = self.watch.on_probe(key, depth, hit.as_ref());
        if marks_hit && let Some(hit) = &hit {
            self.table.mark_used(hit);
        }
        hit
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        let stored = self.table.store(key, entry);
        self.watch.on_store(key, &entry, stored);
        stored
    }

    fn cutoff(&mut self, hit: &Hit) {
        self.table.cutoff(hit);
        self.watch.on_cutoff(hit);
    }

    fn store_at(&mut self, key: u64, slot: usize, entry: Entry) -> StoreOutcome {
        let stored = self.table.store_at(key, slot, entry);
        self.watch.on_store(key, &entry, stored);
        stored
    }

    fn advance(&mut self, ticks: u16) {
        self.table.advance(ticks);
        self.watch.on_advance(ticks);
    }

    fn clear(&mut self) {
        self.table.clear();
        self.watch.on_clear();
    }

    fn counters(&self) -> TableCounters {
        self.watch.count(self.table.counters())
    }

    pass_on! {
        self.table;
        fn missed(&mut self, hit: &Hit);
        fn probed_slot(&self) -> usize;
        fn prefetch(&self, key: u64);
        fn occupancy(&self) -> Occupancy;
    }
}

impl<W: Watch> Instrumented for WatchedTable<W> {
    fn forget_records(&mut self) {
        self.table.forget_records();
        self.watch.on_forget_records();
    }

    fn identify(&mut self, check: u64) {
        self.watch.on_identify(check);
        self.table.identify(check);
    }

    fn shadow(&self) -> ShadowCounters {
        self.watch.shadow().unwrap_or_else(|| self.table.shadow())
    }

    fn last_offer(&mut self, key: u64, depth: u8) -> Option<Entry> {
        self.watch.last_offer(key, depth).or_else(|| self.table.last_offer(key, depth))
    }

    pass_on! {
        self.table;
        fn counts_stored_nodes(&self) -> bool;
        fn start_numbering_entries(&mut self);
        fn mark_used(&mut self, hit: &Hit);
    }
}
