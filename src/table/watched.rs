//! A table that somebody stands around: it passes everything on and decides nothing. Who watches says what is done with what is seen.

use super::shadow::ShadowCounters;
use super::{Entry, Hit, Occupancy, Stored, Table, TableCounters};

/// Who watches a table: each word comes with what the table said.
pub trait Watch: Send {
    /// A probe, and its answer. Whether the entry that answered is to be marked as used ([`Table::seen`]).
    fn probed(&mut self, key: u64, depth: u8, hit: Option<&Hit>) -> bool;
    /// A store, and what became of it.
    fn stored(&mut self, key: u64, entry: &Entry, stored: Stored);
    /// A hit that ended its node.
    fn cutoff(&mut self, hit: &Hit);
    /// The table's clock moves forward.
    fn advanced(&mut self, ticks: u16) {
        let _ = ticks;
    }
    /// The table is emptied; `renewed`: as if it were new.
    fn emptied(&mut self, renewed: bool);
    /// Which position the next probe or store is about, by a key of its own.
    fn identify(&mut self, check: u64) {
        let _ = check;
    }
    /// What the table was offered of a position, if the watch keeps that.
    fn offered(&mut self, key: u64, depth: u8) -> Option<Entry> {
        let _ = (key, depth);
        None
    }
    /// What was found out, if that is what the watch is for.
    fn shadow(&self) -> Option<ShadowCounters> {
        None
    }
}

/// A watched table.
pub struct Watched<W> {
    table: Box<dyn Table>,
    watch: W,
}

impl<W: Watch> Watched<W> {
    /// Sets a watch around a table.
    #[must_use]
    pub fn by(watch: W, table: Box<dyn Table>) -> Self {
        Self { table, watch }
    }
}

impl<W: Watch> Table for Watched<W> {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let hit = self.table.probe(key, depth);
        if self.watch.probed(key, depth, hit.as_ref())
            && let Some(hit) = &hit
        {
            self.table.seen(hit);
        }
        hit
    }

    fn store(&mut self, key: u64, entry: Entry) -> Stored {
        let stored = self.table.store(key, entry);
        self.watch.stored(key, &entry, stored);
        stored
    }

    fn cutoff(&mut self, hit: &Hit) {
        self.table.cutoff(hit);
        self.watch.cutoff(hit);
    }

    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    fn advance(&mut self, ticks: u16) {
        self.table.advance(ticks);
        self.watch.advanced(ticks);
    }

    fn clear(&mut self) {
        self.table.clear();
        self.watch.emptied(false);
    }

    fn renew(&mut self) {
        self.table.renew();
        self.watch.emptied(true);
    }

    fn counts_stored_nodes(&self) -> bool {
        self.table.counts_stored_nodes()
    }

    fn identify(&mut self, check: u64) {
        self.watch.identify(check);
        self.table.identify(check);
    }

    fn number(&mut self) {
        self.table.number();
    }

    fn seen(&mut self, hit: &Hit) {
        self.table.seen(hit);
    }

    fn shadow(&self) -> ShadowCounters {
        self.watch.shadow().unwrap_or_else(|| self.table.shadow())
    }

    fn offered(&mut self, key: u64, depth: u8) -> Option<Entry> {
        self.watch.offered(key, depth).or_else(|| self.table.offered(key, depth))
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
