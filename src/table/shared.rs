//! One table for several searchers of an engine: each has a handle, and the table knows who wrote
//! which entry.

use super::entered::Entered;
use super::flight::InFlight;
use super::ownership::{Ownership, ThreadCounters};
use super::tear::{Found, Tear, Torn};
use super::{Entry, Hit, Occupancy, ShadowCounters, StoreOutcome, Table, TableCounters};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A table, who wrote which entry, and which are torn.
struct Part {
    table: Box<dyn Table>,
    owners: Ownership,
    entered: Entered,
    torn: Option<Torn>,
}

/// The table, or one for each searcher, and where all searchers are.
struct Shared {
    parts: Vec<Part>,
    flight: InFlight,
    counters: ThreadCounters,
}

/// The table as one searcher sees it. Calls lock the table, so that handles may be used on several
/// threads.
pub struct SharedTable {
    shared: Arc<Mutex<Shared>>,
    searcher: u8,
}

impl Shared {
    /// The table that a searcher uses, with what is known of it, and the counters.
    fn part(&mut self, searcher: u8) -> (&mut Part, &mut ThreadCounters) {
        let own = usize::from(searcher).min(self.parts.len() - 1);
        (&mut self.parts[own], &mut self.counters)
    }

    fn table(&mut self, searcher: u8) -> &mut dyn Table {
        &mut *self.part(searcher).0.table
    }
}

impl SharedTable {
    /// Wraps empty tables, one for all or one for each searcher, and returns the handles of so many
    /// searchers, that of the main one first. `seed`: of the stores that `tear` tears.
    #[must_use]
    pub fn handles(tables: Vec<Box<dyn Table>>, searchers: usize, tear: Tear, seed: u64) -> Vec<Box<dyn Table>> {
        let part = |mut table: Box<dyn Table>| {
            table.number_entries();
            let owners = Ownership::new(table.occupancy().slots as usize);
            Part { table, owners, entered: Entered::default(), torn: Torn::new(tear, seed) }
        };
        let parts = tables.into_iter().map(part).collect();
        let (flight, counters) = (InFlight::default(), ThreadCounters::default());
        let shared = Arc::new(Mutex::new(Shared { parts, flight, counters }));
        let handle = |searcher| Self { shared: Arc::clone(&shared), searcher: searcher as u8 };
        (0..searchers).map(|searcher| Box::new(handle(searcher)) as Box<dyn Table>).collect()
    }

    /// A searcher that panics ends its search; the table is then not used again.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table for SharedTable {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let mut shared = self.lock();
        let in_flight = shared.flight.is_elsewhere(key, self.searcher);
        let (Part { table, owners, entered, torn }, counters) = shared.part(self.searcher);
        entered.visit(self.searcher, None);
        counters.in_flight += u64::from(in_flight);
        torn.iter_mut().for_each(|torn| torn.call(self.searcher));
        let mut hit = table.probe(key, depth)?;
        match torn.as_mut().map_or(Found::Whole, |torn| torn.read(hit.slot, &hit.entry, self.searcher)) {
            Found::Whole => {}
            Found::Accepted(entry) => {
                (counters.torn_reads, counters.torn_accepted) = (counters.torn_reads + 1, counters.torn_accepted + 1);
                let Entry { generation, used, .. } = hit.entry;
                hit = Hit { entry: Entry { generation, used, ..entry }, draft: i32::from(entry.depth), ..hit };
            }
            Found::Rejected => {
                counters.torn_reads += 1;
                return None;
            }
        }
        counters.count_hit(hit.age, owners.read(hit.slot, self.searcher));
        entered.visit(self.searcher, Some(hit.slot));
        Some(hit)
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        let mut shared = self.lock();
        let (Part { table, owners, entered, torn }, counters) = shared.part(self.searcher);
        let stored = table.store(key, entry);
        owners.cover(stored.slot + usize::from(stored.moved) + 1);
        owners.store(stored, self.searcher, entry.depth, counters);
        entered.store(stored, key);
        entered.visit(self.searcher, (stored.same || !stored.refused).then_some(stored.slot));
        if let Some(torn) = torn {
            torn.call(self.searcher);
            counters.torn += u64::from(torn.store(stored, entry, self.searcher));
        }
        stored
    }

    fn cutoff(&mut self, hit: &Hit) {
        let mut shared = self.lock();
        let (part, counters) = shared.part(self.searcher);
        if part.owners.is_foreign(hit.slot, self.searcher) {
            counters.foreign_cutoffs += 1;
            counters.foreign_saved += u64::from(hit.entry.nodes);
        }
        part.table.cutoff(hit);
    }

    fn missed(&mut self, hit: &Hit) {
        self.lock().table(self.searcher).missed(hit);
    }

    /// Nothing: locking the table would cost more than the prefetch saves.
    fn prefetch(&self, _: u64) {}

    fn advance(&mut self, ticks: u16) {
        self.lock().parts.iter_mut().for_each(|part| part.table.advance(ticks));
    }

    fn clear(&mut self) {
        for Part { table, owners, entered, torn } in &mut self.lock().parts {
            table.clear();
            owners.clear();
            entered.clear();
            torn.iter_mut().for_each(Torn::clear);
        }
    }

    fn renew(&mut self) {
        for Part { table, owners, entered, torn } in &mut self.lock().parts {
            table.renew();
            owners.clear();
            entered.clear();
            torn.iter_mut().for_each(Torn::renew);
        }
    }

    fn is_elsewhere(&mut self, key: u64) -> bool {
        let mut shared = self.lock();
        let there = shared.flight.is_elsewhere(key, self.searcher);
        shared.counters.avoided += u64::from(there);
        there
    }

    fn enter(&mut self, key: u64, depth: u8) {
        self.lock().part(self.searcher).0.entered.enter(self.searcher, key, depth);
    }

    fn leave(&mut self, key: u64, depth: u8) {
        self.lock().part(self.searcher).0.entered.leave(key, depth);
    }

    fn is_entered(&mut self, key: u64, depth: u8) -> bool {
        let mut shared = self.lock();
        let (part, counters) = shared.part(self.searcher);
        let there = part.entered.is_entered(key, depth);
        counters.avoided += u64::from(there);
        there
    }

    fn suspend(&mut self, path: &[u64]) {
        self.lock().flight.suspend(self.searcher, path);
    }

    fn counts_stored_nodes(&self) -> bool {
        self.lock().table(self.searcher).counts_stored_nodes()
    }

    fn last_offer(&mut self, key: u64, depth: u8) -> Option<Entry> {
        self.lock().table(self.searcher).last_offer(key, depth)
    }

    fn identify(&mut self, check: u64) {
        self.lock().table(self.searcher).identify(check);
    }

    fn number_entries(&mut self) {}

    fn mark_used(&mut self, hit: &Hit) {
        self.lock().table(self.searcher).mark_used(hit);
    }

    fn shadow(&self) -> ShadowCounters {
        self.lock().table(self.searcher).shadow()
    }

    fn now(&self) -> u16 {
        self.lock().table(self.searcher).now()
    }

    fn counters(&self) -> TableCounters {
        let mut all = TableCounters::default();
        self.lock().parts.iter().for_each(|part| all += part.table.counters());
        all
    }

    fn thread_counters(&self) -> ThreadCounters {
        self.lock().counters
    }

    fn occupancy(&self) -> Occupancy {
        let mut all = Occupancy::default();
        for Occupancy { slots, occupied, current, bytes } in self.lock().parts.iter().map(|part| part.table.occupancy())
        {
            all.slots += slots;
            all.occupied += occupied;
            all.current += current;
            all.bytes += bytes;
        }
        all
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Entry)) {
        self.lock().parts.iter().for_each(|part| part.table.for_each(visit));
    }

    fn huge_pages(&self) -> Option<bool> {
        self.lock().table(self.searcher).huge_pages()
    }
}
