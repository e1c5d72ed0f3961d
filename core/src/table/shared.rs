//! A table that several threads or searchers share.
//!
//! Each searcher has a handle. The memory of a bounded table is divided into a thousand shares of
//! consecutive buckets, each with its own lock, and what a handle counts and knows of the clock is
//! its own. An access borrows the memory of one share, so that only the line of its lock moves
//! between cores. A table that cannot be divided has one lock. Searchers that take turns on one
//! thread need no lock at each access: a searcher holds the table during its turn.

use super::entry::GENERATIONS;
use super::kept::TableMemory;
use super::memory;
use super::options::Index;
use super::ownership::{NOTE_BYTES, Ownership, ThreadCounters};
use super::{Entry, Hit, Instrumented, Occupancy, StoreOutcome, Table, TableCounters};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the buckets of a table are.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    /// The index of the table.
    pub index: Index,
    /// The number of buckets.
    pub buckets: u64,
    /// The number of slots of a bucket.
    pub slots: usize,
    /// A share has 2^`log2_share` buckets. The last share may have fewer.
    pub log2_share: u32,
    /// The address of the first bucket.
    pub address: usize,
    /// The size of a bucket in bytes.
    pub bucket_bytes: usize,
}

impl Places {
    #[inline]
    fn bucket(&self, key: u64) -> usize {
        self.index.bucket(key, self.buckets) as usize
    }

    /// The number of slots of a share.
    #[inline]
    fn share_slots(&self) -> usize {
        self.slots << self.log2_share
    }
}

/// A divided table: tables without memory, and the memories of the shares in their order.
pub type Division = (Vec<Box<dyn Table>>, Vec<TableMemory>);

/// What a searcher borrows for an access or for its turn.
enum Lent {
    /// The memory of a share, for the searcher's own table.
    Memory(TableMemory),
    /// A table that was not divided.
    Table(Box<dyn Table>),
}

/// What one lock guards, in one cache line: what is lent, and who wrote its entries. It is `None`
/// during a turn. Some processors fetch two lines at a time.
#[repr(align(128))]
struct Share(Mutex<Option<(Lent, Ownership)>>);

/// Added to the time when a table is emptied. The rest of the time is the ticks since then.
const CLEARED: u64 = 1 << 40;

struct Shared {
    /// One if the table was not divided.
    shares: Box<[Share]>,
    /// `None` if the table does not say, which is then not divided.
    places: Option<Places>,
    /// The address of the notes, which are in the order of the slots.
    notes: usize,
    /// How often a divided table was emptied, and its ticks. A handle follows at its next access.
    time: AtomicU64,
    /// The last report of each searcher.
    reports: Mutex<Vec<Report>>,
}

/// A poisoned lock is used like any other lock, because the search ends and the table is not used
/// again if a searcher panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a searcher tells the others at the end of its turn.
#[derive(Default, Clone)]
struct Report {
    counters: ThreadCounters,
    path: Vec<u64>,
    /// What its own part of a divided table has counted.
    table: TableCounters,
    occupancy: Occupancy,
}

/// One searcher's handle of a table that any number of threads use at the same time.
///
/// With one thread its answers and counters are those of the table from which it was made. What
/// other threads counted is what they had counted at their last [`Instrumented::suspend`].
// No two handles have a cache line in common.
#[repr(align(128))]
pub struct SharedTable {
    shared: Arc<Shared>,
    searcher: u8,
    takes_turns: bool,
    /// Whether it records which searcher wrote which entry.
    has_notes: bool,
    /// The table of this searcher, if the memory is divided, and the time that it knows.
    own: Option<Box<dyn Table>>,
    time: u64,
    counters: ThreadCounters,
    /// During a turn, the table that was not divided.
    held: Option<(Lent, Ownership)>,
    /// During a turn, the keys on the paths of the other searchers, in ascending order. Only one
    /// searcher runs at a time, so the others are still at the ends of these paths.
    waiting: Vec<u64>,
}

impl SharedTable {
    /// Shares a table that has not been used. Returns a handle for each of `threads` threads, 1 to
    /// 256.
    #[must_use]
    pub fn share(table: Box<dyn Table>, threads: u32) -> Vec<Box<dyn Table>> {
        Self::create(table, threads, false, false)
    }

    /// Shares a table that has not been used. Returns one handle for each of `searchers` searchers,
    /// the main searcher's first. If they take turns, the table is not divided, and a handle keeps
    /// it for itself from its first access until [`Instrumented::suspend`] ends its turn.
    #[doc(hidden)]
    pub fn for_searchers(mut table: Box<dyn Table>, searchers: u32, takes_turns: bool) -> Vec<Box<dyn Table>> {
        table.start_numbering_entries();
        Self::create(table, searchers, takes_turns, true)
    }

    fn create(mut table: Box<dyn Table>, searchers: u32, takes_turns: bool, has_notes: bool) -> Vec<Box<dyn Table>> {
        let mut places = table.places();
        let slots = if has_notes { table.occupancy().slots as usize } else { 0 };
        let divided = if takes_turns { None } else { table.divide(searchers) };
        let (mut own, lent): (_, Vec<Lent>) = match divided {
            Some((own, memories)) => (own, memories.into_iter().map(Lent::Memory).collect()),
            None => {
                // All buckets are in the first share.
                places.iter_mut().for_each(|places| places.log2_share = usize::BITS - 1);
                (Vec::new(), vec![Lent::Table(table)])
            }
        };
        let owners = if has_notes { Ownership::new(slots) } else { Ownership::default() };
        let notes = owners.address();
        let share_slots = places.filter(|_| !own.is_empty()).map_or(usize::MAX, |places| places.share_slots());
        let mut owners = owners.divide(share_slots);
        let create_share = |lent| Share(Mutex::new(Some((lent, owners.next().unwrap_or_default()))));
        let shared = Arc::new(Shared {
            shares: lent.into_iter().map(create_share).collect(),
            places,
            notes,
            time: AtomicU64::new(0),
            reports: Mutex::new(vec![Report::default(); searchers as usize]),
        });
        let create_handle = |searcher: u32| -> Box<dyn Table> {
            let (shared, searcher, own) = (Arc::clone(&shared), searcher as u8, own.pop());
            let (counters, waiting) = (ThreadCounters::default(), Vec::new());
            Box::new(Self { shared, searcher, takes_turns, has_notes, own, time: 0, counters, held: None, waiting })
        };
        (0..searchers).map(create_handle).collect()
    }

    fn reports_of_others(&self, call: impl FnMut(&Report)) {
        let reports = lock(&self.shared.reports);
        let (earlier, rest) = reports.split_at(self.searcher.into());
        earlier.iter().chain(&rest[1..]).for_each(call);
    }

    #[cold]
    fn begin_turn(&mut self) {
        let Some(lent) = lock(&self.shared.shares[0].0).take() else { return };
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.clear();
        self.reports_of_others(|report| waiting.extend(&report.path));
        waiting.sort_unstable();
        (self.held, self.waiting) = (Some(lent), waiting);
    }

    /// Calls a function with a table that has the bucket, its notes, the counters of this searcher,
    /// and the number of the table's first slot. `share` is the number of the share.
    #[inline]
    fn access<R>(
        &mut self,
        share: impl FnOnce(&Places) -> usize,
        call: impl FnOnce(&mut dyn Table, &mut Ownership, &mut ThreadCounters, usize) -> R,
    ) -> R {
        if self.takes_turns && self.held.is_none() {
            self.begin_turn();
        }
        let Self { shared, own, time, counters, held, .. } = self;
        if let Some((Lent::Table(table), owners)) = held {
            return call(&mut **table, owners, counters, 0);
        }
        let number = match &shared.places {
            Some(places) if own.is_some() => share(places),
            _ => 0,
        };
        match (&mut *lock(&shared.shares[number].0), own, &shared.places) {
            (Some((Lent::Memory(memory), owners)), Some(own), Some(places)) => {
                // Whoever emptied the memory or advanced the clock had this lock, or comes later.
                follow(&mut **own, time, &shared.time);
                own.lend(memory, (number as u64) << places.log2_share);
                let result = call(&mut **own, owners, counters, number * places.share_slots());
                own.lend(memory, 0);
                result
            }
            (Some((Lent::Table(table), owners)), ..) => call(&mut **table, owners, counters, 0),
            _ => panic!("a searcher used the table in the turn of another"),
        }
    }

    #[inline]
    fn store_by(&mut self, key: u64, depth: u8, store: impl FnOnce(&mut dyn Table) -> StoreOutcome) -> StoreOutcome {
        let (has_notes, searcher) = (self.has_notes, self.searcher);
        self.access(
            |places| places.bucket(key) >> places.log2_share,
            |table, owners, counters, first_slot| {
                let stored = store(table);
                if has_notes {
                    owners.grow_to(stored.slot + 1);
                    owners.record_store(stored, searcher, depth, counters);
                }
                StoreOutcome { slot: first_slot + stored.slot, ..stored }
            },
        )
    }

    /// Calls a function with the table of this searcher.
    fn read<R>(&self, call: impl FnOnce(&dyn Table) -> R) -> R {
        match (&self.own, &self.held) {
            (Some(table), _) | (None, Some((Lent::Table(table), _))) => call(&**table),
            _ => match &*lock(&self.shared.shares[0].0) {
                Some((Lent::Table(table), _)) => call(&**table),
                _ => panic!("a searcher used the table in the turn of another"),
            },
        }
    }
}

/// Empties a table without memory or advances its clock, as others did since the known time.
#[inline]
fn follow(table: &mut dyn Table, known: &mut u64, time: &AtomicU64) {
    let time = time.load(Ordering::Relaxed);
    let before = std::mem::replace(known, time);
    if time == before {
        return;
    }
    if before / CLEARED < time / CLEARED {
        table.clear();
    }
    table.advance(((time - before.max(time / CLEARED * CLEARED)) % u64::from(GENERATIONS)) as u16);
}

impl Table for SharedTable {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let (has_notes, searcher) = (self.has_notes, self.searcher);
        if self.takes_turns {
            if self.held.is_none() {
                self.begin_turn();
            }
            self.counters.in_flight += u64::from(self.waiting.binary_search(&key).is_ok());
        }
        self.access(
            |places| places.bucket(key) >> places.log2_share,
            |table, owners, counters, first_slot| {
                let hit = table.probe(key, depth)?;
                if has_notes {
                    counters.foreign_hits += u64::from(owners.record_hit(hit.slot, searcher));
                    counters.ages += u64::from(hit.age);
                    counters.squared_ages += u64::from(hit.age).pow(2);
                }
                Some(Hit { slot: first_slot + hit.slot, ..hit })
            },
        )
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        self.store_by(key, entry.depth, |table| table.store(key, entry))
    }

    fn store_at(&mut self, key: u64, slot: usize, entry: Entry) -> StoreOutcome {
        self.store_by(key, entry.depth, |table| table.store_at(key, slot, entry))
    }

    fn probed_slot(&self) -> usize {
        self.read(|table| table.probed_slot())
    }

    fn cutoff(&mut self, hit: &Hit) {
        let searcher = self.searcher;
        let share = |places: &Places| hit.slot / places.share_slots();
        self.access(share, |table, owners, counters, first_slot| {
            let hit = &Hit { slot: hit.slot - first_slot, ..*hit };
            if owners.is_foreign(hit.slot, searcher) {
                counters.foreign_cutoffs += 1;
                counters.foreign_saved += u64::from(hit.entry.nodes);
            }
            table.cutoff(hit);
        });
    }

    fn missed(&mut self, hit: &Hit) {
        let share = |places: &Places| hit.slot / places.share_slots();
        self.access(share, |table, _, _, first_slot| table.missed(&Hit { slot: hit.slot - first_slot, ..*hit }));
    }

    fn prefetch(&self, key: u64) {
        let Some(places) = &self.shared.places else {
            if let Some((Lent::Table(table), _)) = &self.held {
                table.prefetch(key);
            }
            return;
        };
        let bucket = places.bucket(key);
        let address = ptr::without_provenance(places.address + bucket * places.bucket_bytes);
        if self.own.is_some() {
            // Nearly every access is followed by a store.
            memory::prefetch::<true>(ptr::from_ref(&self.shared.shares[bucket >> places.log2_share]).cast());
            memory::prefetch::<true>(address);
        } else {
            memory::prefetch::<false>(address);
        }
        if self.has_notes {
            memory::prefetch::<true>(ptr::without_provenance(self.shared.notes + bucket * places.slots * NOTE_BYTES));
        }
    }

    fn advance(&mut self, ticks: u16) {
        match &mut self.own {
            Some(own) => {
                self.shared.time.fetch_add(ticks.into(), Ordering::Relaxed);
                lock(&self.shared.reports).iter_mut().for_each(|report| report.occupancy.current = 0);
                follow(&mut **own, &mut self.time, &self.shared.time);
            }
            None => self.access(|_| 0, |table, _, _, _| table.advance(ticks)),
        }
    }

    fn clear(&mut self) {
        // All at once, so that no entry outlives its place in the counts of its writer.
        let mut shares: Vec<_> = self.shared.shares.iter().map(|share| lock(&share.0)).collect();
        for (lent, owners) in shares.iter_mut().filter_map(|share| share.as_mut()).chain(&mut self.held) {
            match lent {
                Lent::Memory(memory) => memory.erase(),
                Lent::Table(table) => table.clear(),
            }
            owners.clear();
        }
        let cleared = self.shared.time.load(Ordering::Relaxed) / CLEARED + 1;
        self.shared.time.store(cleared * CLEARED, Ordering::Relaxed);
        lock(&self.shared.reports).iter_mut().for_each(|report| report.occupancy = Occupancy::default());
        self.own.iter_mut().for_each(|own| follow(&mut **own, &mut self.time, &self.shared.time));
    }

    fn counters(&self) -> TableCounters {
        let mut sum = self.read(|table| table.counters());
        self.reports_of_others(|report| sum += report.table);
        sum
    }

    fn occupancy(&self) -> Occupancy {
        let mut sum = self.read(|table| table.occupancy());
        self.reports_of_others(|report| {
            sum.occupied += report.occupancy.occupied;
            sum.current = sum.current.wrapping_add(report.occupancy.current);
        });
        // Where ages have come round, one thread may have overwritten what another still has to
        // report.
        Occupancy { current: (sum.current as i64).max(0) as u64, ..sum }
    }
}

impl Instrumented for SharedTable {
    fn suspend(&mut self, path: &[u64]) {
        let report = &mut lock(&self.shared.reports)[usize::from(self.searcher)];
        report.counters = self.counters;
        if let Some(own) = &mut self.own {
            follow(&mut **own, &mut self.time, &self.shared.time);
            (report.table, report.occupancy) = (own.counters(), own.occupancy());
        }
        if self.takes_turns {
            path.clone_into(&mut report.path);
            self.held.take().into_iter().for_each(|lent| *lock(&self.shared.shares[0].0) = Some(lent));
        }
    }

    fn thread_counters(&self) -> ThreadCounters {
        let mut sum = self.counters;
        self.reports_of_others(|report| sum += report.counters);
        sum
    }

    fn forget_records(&mut self) {
        self.access(|_| 0, |table, _, _, _| table.forget_records());
    }

    fn counts_stored_nodes(&self) -> bool {
        self.read(|table| table.counts_stored_nodes())
    }

    fn last_offer(&mut self, key: u64, depth: u8) -> Option<Entry> {
        self.access(|_| 0, |table, _, _, _| table.last_offer(key, depth))
    }
}
