//! A table that several threads or searchers share.
//!
//! A bounded table is divided into some hundreds of shares of consecutive buckets, each with its
//! own lock, so that threads seldom wait for each other. A table that cannot be divided is a single
//! share. Searchers that take turns on one thread need no lock at each access: a searcher holds the
//! single share during its turn.

use super::memory;
use super::options::Index;
use super::ownership::{Ownership, ThreadCounters};
use super::{Entry, Hit, Instrumented, Occupancy, StoreOutcome, Table, TableCounters};
use std::ops::AddAssign;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the shares and the buckets of a table are. The default is that of a single share.
#[derive(Debug, Clone, Copy, Default)]
pub struct Places {
    /// The index of the whole table.
    pub index: Index,
    /// The number of buckets of the whole table.
    pub buckets: u64,
    /// A share has 2^`log2_share` buckets. The last share may have fewer.
    pub log2_share: u32,
    /// The address of the first bucket.
    pub address: usize,
    /// The size of a bucket in bytes.
    pub bucket_bytes: usize,
}

/// The shares of a table, in the order of their buckets.
pub type Division = (Vec<Box<dyn Table>>, Places);

/// The slots of each share are numbered from a multiple of this number.
const SLOTS_PER_SHARE: usize = 1 << (usize::BITS / 2 + 8);

/// A share of a table, and what is recorded about its users.
struct Share {
    table: Box<dyn Table>,
    /// Which searcher wrote which entry.
    owners: Ownership,
    first_slot: usize,
    /// During a turn, the keys on the paths of the other searchers, in ascending order. Only one
    /// searcher runs at a time, so the others are still at the ends of these paths.
    waiting: Vec<u64>,
}

impl Share {
    /// A hit as the table of the share numbers it.
    fn renumber(&self, hit: &Hit) -> Hit {
        Hit { slot: hit.slot - self.first_slot, ..*hit }
    }
}

/// A table that any number of threads may use at the same time. Each access locks one share.
///
/// With one thread its answers and counters are those of the table from which it was made.
pub struct SharedTable {
    /// A share is `None` while a searcher holds it.
    shares: Box<[Mutex<Option<Box<Share>>>]>,
    places: Places,
}

/// A poisoned lock is used like any other lock, because the search ends and the table is not used
/// again if a searcher panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedTable {
    /// Shares a table that has not been used.
    #[must_use]
    pub fn new(mut table: Box<dyn Table>) -> Self {
        Self::from_division(table.divide().unwrap_or_else(|| (vec![table], Places::default())))
    }

    fn from_division((tables, places): Division) -> Self {
        let create_share = |(number, table)| {
            let (owners, first_slot) = (Ownership::new(0), number * SLOTS_PER_SHARE);
            Mutex::new(Some(Box::new(Share { table, owners, first_slot, waiting: Vec::new() })))
        };
        Self { shares: tables.into_iter().enumerate().map(create_share).collect(), places }
    }

    #[inline]
    fn share_number(&self, key: u64) -> usize {
        (self.places.index.bucket(key, self.places.buckets) >> self.places.log2_share) as usize
    }

    #[inline]
    fn with_share<R>(&self, number: usize, call: impl FnOnce(&mut Share) -> R) -> R {
        match &mut *lock(&self.shares[number]) {
            Some(share) => call(share),
            None => panic!("a searcher used the table in the turn of another"),
        }
    }

    fn for_each_share(&self, mut call: impl FnMut(&mut Share)) {
        (0..self.shares.len()).for_each(|number| self.with_share(number, &mut call));
    }

    /// Calls a function with the share that has the bucket of a key. It is a table for this key:
    /// its hits and stores are those of the whole table.
    pub fn access<R>(&self, key: u64, call: impl FnOnce(&mut dyn Table) -> R) -> R {
        self.with_share(self.share_number(key), |share| call(&mut *share.table))
    }

    /// Calls a function with each share of the table, one after another. A share is a table with a
    /// part of the buckets: `advance` or `clear` each of them, or add up their `counters`.
    pub fn for_each(&self, mut call: impl FnMut(&mut dyn Table)) {
        self.for_each_share(|share| call(&mut *share.table));
    }

    /// Prefetches the bucket of a key into the cache, without a lock.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        let Places { index, buckets, address, bucket_bytes, .. } = self.places;
        memory::prefetch(std::ptr::without_provenance(address + index.bucket(key, buckets) as usize * bucket_bytes));
    }
}

/// What a searcher tells the others at the end of its turn.
#[derive(Default, Clone)]
struct Report {
    counters: ThreadCounters,
    path: Vec<u64>,
}

/// One searcher's handle of a table.
pub struct Handle {
    shared: Arc<SharedTable>,
    /// The last report of each searcher.
    reports: Arc<Mutex<Vec<Report>>>,
    searcher: u8,
    takes_turns: bool,
    /// The single share of the table, during a turn.
    held: Option<Box<Share>>,
    counters: ThreadCounters,
}

impl Handle {
    /// Shares a table that has not been used. Returns one handle for each of `searchers` searchers,
    /// the main searcher's first. If they take turns, the table is not divided, and a handle keeps
    /// it for itself from its first access until [`Instrumented::suspend`] ends its turn.
    pub fn share(mut table: Box<dyn Table>, searchers: u32, takes_turns: bool) -> Vec<Box<dyn Table>> {
        table.start_numbering_entries();
        let divided = if takes_turns { None } else { table.divide() };
        let division = divided.unwrap_or_else(|| (vec![table], Places::default()));
        let shared = Arc::new(SharedTable::from_division(division));
        shared.for_each_share(|share| share.owners.grow_to(share.table.occupancy().slots as usize));
        let reports = Arc::new(Mutex::new(vec![Report::default(); searchers as usize]));
        let create_handle = |searcher: u32| -> Box<dyn Table> {
            let (shared, reports, counters) = (Arc::clone(&shared), Arc::clone(&reports), ThreadCounters::default());
            Box::new(Self { shared, reports, searcher: searcher as u8, takes_turns, held: None, counters })
        };
        (0..searchers).map(create_handle).collect()
    }

    fn reports_of_others(&self, call: impl FnMut(&Report)) {
        let reports = lock(&self.reports);
        let (earlier, rest) = reports.split_at(self.searcher.into());
        earlier.iter().chain(&rest[1..]).for_each(call);
    }

    #[cold]
    fn begin_turn(&mut self) {
        let Some(mut share) = lock(&self.shared.shares[0]).take() else { return };
        share.waiting.clear();
        self.reports_of_others(|report| share.waiting.extend(&report.path));
        share.waiting.sort_unstable();
        self.held = Some(share);
    }

    /// Calls a function with a share, the counters of this searcher and its number.
    #[inline]
    fn access<R>(
        &mut self,
        number: impl FnOnce(&SharedTable) -> usize,
        call: impl FnOnce(&mut Share, &mut ThreadCounters, u8) -> R,
    ) -> R {
        if self.takes_turns && self.held.is_none() {
            self.begin_turn();
        }
        let Self { shared, searcher, held, counters, .. } = self;
        match held {
            Some(share) => call(share, counters, *searcher),
            None => shared.with_share(number(shared), |share| call(share, counters, *searcher)),
        }
    }

    fn change_all(&mut self, mut call: impl FnMut(&mut Share)) {
        (0..self.shared.shares.len()).for_each(|number| self.access(|_| number, |share, _, _| call(share)));
    }

    fn sum<T: Default + AddAssign>(&self, value: impl Fn(&dyn Table) -> T) -> T {
        let mut sum = T::default();
        match &self.held {
            Some(share) => sum += value(&*share.table),
            None => self.shared.for_each(|table| sum += value(table)),
        }
        sum
    }
}

impl Table for Handle {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        self.access(
            |shared| shared.share_number(key),
            |share, counters, searcher| {
                counters.in_flight += u64::from(share.waiting.binary_search(&key).is_ok());
                let hit = share.table.probe(key, depth)?;
                counters.foreign_hits += u64::from(share.owners.record_hit(hit.slot, searcher));
                counters.ages += u64::from(hit.age);
                counters.squared_ages += u64::from(hit.age).pow(2);
                Some(Hit { slot: share.first_slot + hit.slot, ..hit })
            },
        )
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        self.access(
            |shared| shared.share_number(key),
            |share, counters, searcher| {
                let stored = share.table.store(key, entry);
                share.owners.grow_to(stored.slot + 1);
                share.owners.record_store(stored, searcher, entry.depth, counters);
                StoreOutcome { slot: share.first_slot + stored.slot, ..stored }
            },
        )
    }

    fn cutoff(&mut self, hit: &Hit) {
        let call = |share: &mut Share, counters: &mut ThreadCounters, searcher| {
            let hit = &share.renumber(hit);
            if share.owners.is_foreign(hit.slot, searcher) {
                counters.foreign_cutoffs += 1;
                counters.foreign_saved += u64::from(hit.entry.nodes);
            }
            share.table.cutoff(hit);
        };
        self.access(|_| hit.slot / SLOTS_PER_SHARE, call);
    }

    fn missed(&mut self, hit: &Hit) {
        self.access(|_| hit.slot / SLOTS_PER_SHARE, |share, _, _| share.table.missed(&share.renumber(hit)));
    }

    fn prefetch(&self, key: u64) {
        match &self.held {
            Some(share) => share.table.prefetch(key),
            None => self.shared.prefetch(key),
        }
    }

    fn advance(&mut self, ticks: u16) {
        self.change_all(|share| share.table.advance(ticks));
    }

    fn clear(&mut self) {
        self.change_all(|share| {
            share.table.clear();
            share.owners.clear();
        });
    }

    fn counters(&self) -> TableCounters {
        self.sum(|table| table.counters())
    }

    fn occupancy(&self) -> Occupancy {
        self.sum(|table| table.occupancy())
    }
}

impl Instrumented for Handle {
    fn suspend(&mut self, path: &[u64]) {
        let report = &mut lock(&self.reports)[usize::from(self.searcher)];
        report.counters = self.counters;
        if self.takes_turns {
            path.clone_into(&mut report.path);
            let held = self.held.take();
            held.into_iter().for_each(|share| *lock(&self.shared.shares[0]) = Some(share));
        }
    }

    fn thread_counters(&self) -> ThreadCounters {
        let mut sum = self.counters;
        self.reports_of_others(|report| sum += report.counters);
        sum
    }

    fn forget_records(&mut self) {
        self.change_all(|share| share.table.forget_records());
    }

    fn counts_stored_nodes(&self) -> bool {
        self.sum(|table| u32::from(table.counts_stored_nodes())) > 0
    }

    fn last_offer(&mut self, key: u64, depth: u8) -> Option<Entry> {
        self.access(|_| 0, |share, _, _| share.table.last_offer(key, depth))
    }
}
