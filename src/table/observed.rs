//! A table that watches another: every position is followed by an independent key, so that false matches are told, and each miss has
//! its reason (`diagnostics = "full"`). It passes everything on and decides nothing.

use super::shadow::{Shadow, ShadowCounters};
use super::{Entry, Hit, Occupancy, Stored, Table, TableCounters};

/// A watched table. Before each probe and each store it must be told which position is meant: [`Table::identify`].
pub struct Observed {
    table: Box<dyn Table>,
    shadow: Shadow,
    /// The independent key of the position that is asked about.
    check: u64,
}

impl Observed {
    /// Watches a table, which should be empty.
    #[must_use]
    pub fn new(mut table: Box<dyn Table>) -> Self {
        table.number();
        let slots = table.occupancy().slots;
        Self { table, shadow: Shadow::new(slots as usize), check: 0 }
    }
}

impl Table for Observed {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let hit = self.table.probe(key, depth);
        match &hit {
            Some(hit) => {
                self.shadow.hit(hit.slot, self.check);
                self.table.seen(hit);
            }
            None => self.shadow.miss(self.check, depth),
        }
        hit
    }

    fn store(&mut self, key: u64, entry: Entry) -> Stored {
        let stored = self.table.store(key, entry);
        self.shadow.stored(stored, self.check, entry.depth);
        stored
    }

    fn cutoff(&mut self, hit: &Hit) {
        self.table.cutoff(hit);
        self.shadow.cutoff(hit.slot, self.check);
    }

    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    fn advance(&mut self, ticks: u16) {
        self.table.advance(ticks);
    }

    fn clear(&mut self) {
        self.table.clear();
        self.shadow.emptied();
    }

    fn renew(&mut self) {
        self.table.renew();
        self.shadow.renew();
    }

    fn counts_stored_nodes(&self) -> bool {
        self.table.counts_stored_nodes()
    }

    fn identify(&mut self, check: u64) {
        self.check = check;
        self.table.identify(check);
    }

    fn seen(&mut self, hit: &Hit) {
        self.table.seen(hit);
    }

    fn shadow(&self) -> ShadowCounters {
        self.shadow.counters()
    }

    fn now(&self) -> u16 {
        self.table.now()
    }

    fn counters(&self) -> TableCounters {
        self.table.counters()
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
