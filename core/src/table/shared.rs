//! A table that several searchers of an engine share. Each searcher has its own handle, and the
//! table records which searcher wrote which entry.

use super::ownership::{Ownership, ThreadCounters};
use super::{Entry, Hit, Instrumented, Occupancy, StoreOutcome, Table, TableCounters, pass_on};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The data that all handles share: the table, which searcher wrote each of its entries, and the
/// path of each searcher.
struct Shared {
    table: Box<dyn Table>,
    owners: Ownership,
    /// The path of each searcher at the end of its last turn. Only one virtual searcher runs at a
    /// time, so the other searchers are still at the ends of these paths.
    paths: Vec<Vec<u64>>,
    counters: ThreadCounters,
}

/// One searcher's handle of the table. Each call locks the shared data, so that handles may be used
/// on several threads.
pub struct SharedTable {
    shared: Arc<Mutex<Shared>>,
    searcher: u8,
}

impl SharedTable {
    /// Wraps an empty table and returns one handle for each of `searchers` searchers. The first
    /// handle is that of the main searcher.
    pub fn handles(mut table: Box<dyn Table>, searchers: u32) -> Vec<Box<dyn Table>> {
        table.start_numbering_entries();
        let owners = Ownership::new(table.occupancy().slots as usize);
        let (paths, counters) = (vec![Vec::new(); searchers as usize], ThreadCounters::default());
        let shared = Arc::new(Mutex::new(Shared { table, owners, paths, counters }));
        let create_handle = |searcher| Self { shared: Arc::clone(&shared), searcher: searcher as u8 };
        (0..searchers).map(|searcher| Box::new(create_handle(searcher)) as Box<dyn Table>).collect()
    }

    /// Locks the shared data. A poisoned lock is used like any other lock, because the search ends
    /// and the table is not used again if a searcher panics.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table for SharedTable {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let Shared { table, owners, paths, counters } = &mut *self.lock();
        let own_number = usize::from(self.searcher);
        let is_elsewhere = |(number, path): (usize, &Vec<u64>)| number != own_number && path.contains(&key);
        counters.in_flight += u64::from(paths.iter().enumerate().any(is_elsewhere));
        let hit = table.probe(key, depth)?;
        counters.foreign_hits += u64::from(owners.record_hit(hit.slot, self.searcher));
        counters.ages += u64::from(hit.age);
        counters.squared_ages += u64::from(hit.age).pow(2);
        Some(hit)
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        let Shared { table, owners, counters, .. } = &mut *self.lock();
        let stored = table.store(key, entry);
        owners.grow_to(stored.slot + 1);
        owners.record_store(stored, self.searcher, entry.depth, counters);
        stored
    }

    fn cutoff(&mut self, hit: &Hit) {
        let Shared { table, owners, counters, .. } = &mut *self.lock();
        if owners.is_foreign(hit.slot, self.searcher) {
            counters.foreign_cutoffs += 1;
            counters.foreign_saved += u64::from(hit.entry.nodes);
        }
        table.cutoff(hit);
    }

    /// Does nothing, because locking the table would cost more than the prefetch saves.
    fn prefetch(&self, _: u64) {}

    fn clear(&mut self) {
        let Shared { table, owners, .. } = &mut *self.lock();
        table.clear();
        owners.clear();
    }

    pass_on! {
        self.lock().table;
        fn missed(&mut self, hit: &Hit);
        fn advance(&mut self, ticks: u16);
        fn counters(&self) -> TableCounters;
        fn occupancy(&self) -> Occupancy;
    }
}

impl Instrumented for SharedTable {
    fn suspend(&mut self, path: &[u64]) {
        path.clone_into(&mut self.lock().paths[usize::from(self.searcher)]);
    }

    fn thread_counters(&self) -> ThreadCounters {
        self.lock().counters
    }

    pass_on! {
        self.lock().table;
        fn forget_records(&mut self);
        fn counts_stored_nodes(&self) -> bool;
        fn last_offer(&mut self, key: u64, depth: u8) -> Option<Entry>;
    }
}
