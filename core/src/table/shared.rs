//! A table that several threads or searchers share.
//!
//! Each searcher has a handle. Threads share the memory of a bounded table word by word, without
//! locks, as engines do: an access copies its bucket, works on the copy, and writes back the words
//! that have changed, so what two threads write to a bucket at once may be mixed. What a handle
//! counts and knows of the clock is its own. A table that cannot be divided has one lock. Searchers
//! that take turns on one thread need no lock at each access: a searcher holds the table during its
//! turn, and only then is it known who wrote which entry.

use super::entry::GENERATIONS;
use super::kept::TableMemory;
use super::memory::{self, SharedWords};
use super::options::Index;
use super::ownership::{NOTE_BYTES, Ownership, ThreadCounters};
use super::{Entry, Hit, Instrumented, Occupancy, StoreOutcome, Table, TableCounters};
use crate::chess::Bound;
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
    /// The address of the first bucket.
    pub address: usize,
    /// The size of a bucket in bytes.
    pub bucket_bytes: usize,
    /// Whether a cutoff changes its bucket.
    pub notes_cutoffs: bool,
}

impl Places {
    #[inline]
    fn bucket(&self, key: u64) -> usize {
        self.index.bucket(key, self.buckets) as usize
    }
}

/// A divided table: for each user a table whose memory is a window of one bucket, and the memory of
/// all.
pub type Division = (Vec<Box<dyn Table>>, SharedWords<TableMemory>);

/// A table that was not divided, and who wrote its entries.
type Whole = (Box<dyn Table>, Ownership);

/// Added to the time when a table is emptied. The rest of the time is the ticks since then.
const CLEARED: u64 = 1 << 40;

struct Shared {
    /// `None` during a turn, and if the table was divided.
    whole: Mutex<Option<Whole>>,
    /// The memory of a divided table.
    words: SharedWords<TableMemory>,
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
    /// The table of this searcher, if the memory is divided, and the time that it knows.
    own: Option<Box<dyn Table>>,
    time: u64,
    counters: ThreadCounters,
    /// During a turn, the table that was not divided.
    held: Option<Whole>,
    /// During a turn, the keys on the paths of the other searchers, in ascending order. Only one
    /// searcher runs at a time, so the others are still at the ends of these paths.
    waiting: Vec<u64>,
}

impl SharedTable {
    /// Shares a table that has not been used. Returns a handle for each of `threads` threads, 1 to
    /// 256.
    #[must_use]
    pub fn share(table: Box<dyn Table>, threads: u32) -> Vec<Box<dyn Table>> {
        Self::create(table, threads, false)
    }

    /// Shares a table that has not been used. Returns one handle for each of `searchers` searchers,
    /// the main searcher's first. If they take turns, the table is not divided, and a handle keeps
    /// it for itself from its first access until [`Instrumented::suspend`] ends its turn.
    #[doc(hidden)]
    pub fn for_searchers(mut table: Box<dyn Table>, searchers: u32, takes_turns: bool) -> Vec<Box<dyn Table>> {
        table.start_numbering_entries();
        Self::create(table, searchers, takes_turns)
    }

    fn create(mut table: Box<dyn Table>, searchers: u32, takes_turns: bool) -> Vec<Box<dyn Table>> {
        let places = table.places();
        let owners = if takes_turns { Ownership::new(table.occupancy().slots as usize) } else { Ownership::default() };
        let notes = owners.address();
        let (mut own, words, whole) = match if takes_turns { None } else { table.divide(searchers) } {
            Some((own, words)) => (own, words, None),
            None => (Vec::new(), SharedWords::default(), Some((table, owners))),
        };
        let reports = Mutex::new(vec![Report::default(); searchers as usize]);
        let shared =
            Arc::new(Shared { whole: Mutex::new(whole), words, places, notes, time: AtomicU64::new(0), reports });
        let create_handle = |searcher: u32| -> Box<dyn Table> {
            let (shared, searcher, own) = (Arc::clone(&shared), searcher as u8, own.pop());
            let (counters, waiting) = (ThreadCounters::default(), Vec::new());
            Box::new(Self { shared, searcher, takes_turns, own, time: 0, counters, held: None, waiting })
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
        let Some(whole) = lock(&self.shared.whole).take() else { return };
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.clear();
        self.reports_of_others(|report| waiting.extend(&report.path));
        waiting.sort_unstable();
        (self.held, self.waiting) = (Some(whole), waiting);
    }

    /// Calls a function with a table that has the bucket, the notes of who wrote its entries in a
    /// turn, the counters of this searcher, and the number of the table's first slot.
    #[inline]
    fn access<R>(
        &mut self,
        bucket: impl FnOnce(&Places) -> usize,
        call: impl FnOnce(&mut dyn Table, Option<&mut Ownership>, &mut ThreadCounters, usize) -> R,
    ) -> R {
        if self.takes_turns && self.held.is_none() {
            self.begin_turn();
        }
        let Self { shared, own, time, counters, held, .. } = self;
        if let Some((table, owners)) = held {
            return call(&mut **table, Some(owners), counters, 0);
        }
        let (Some(own), Some(places)) = (own, &shared.places) else {
            let whole = &mut *lock(&shared.whole);
            let (table, _) = whole.as_mut().expect("a searcher used the table in the turn of another");
            return call(&mut **table, None, counters, 0);
        };
        follow(&mut **own, time, &shared.time);
        let bucket = bucket(places);
        let bucket_words = places.bucket_bytes / 8;
        let words = &shared.words[bucket * bucket_words..][..bucket_words];
        let (window, before) = own.window(bucket as u64).split_at_mut(bucket_words);
        for ((word, before), shared) in window.iter_mut().zip(before).zip(words) {
            *before = shared.load(Ordering::Relaxed);
            *word = *before;
        }
        let result = call(&mut **own, None, counters, bucket * places.slots);
        let (window, before) = own.window(bucket as u64).split_at_mut(bucket_words);
        // The key of an entry, which comes first, is written last.
        for ((word, before), shared) in window.iter().zip(before).zip(words).rev() {
            // What several cores only read stays with all of them.
            if word != before {
                shared.store(*word, Ordering::Relaxed);
            }
        }
        result
    }

    #[inline]
    fn store_by(&mut self, key: u64, depth: u8, store: impl FnOnce(&mut dyn Table) -> StoreOutcome) -> StoreOutcome {
        let searcher = self.searcher;
        self.access(
            |places| places.bucket(key),
            |table, owners, counters, first_slot| {
                let stored = store(table);
                if let Some(owners) = owners {
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
            (Some(table), _) | (None, Some((table, _))) => call(&**table),
            _ => match &*lock(&self.shared.whole) {
                Some((table, _)) => call(&**table),
                None => panic!("a searcher used the table in the turn of another"),
            },
        }
    }
}

/// Empties the counts of a table or advances its clock, as others did since the known time.
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
    table.advance((time.wrapping_sub(before.max(time / CLEARED * CLEARED)) % u64::from(GENERATIONS)) as u16);
}

impl Table for SharedTable {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let searcher = self.searcher;
        if self.takes_turns {
            if self.held.is_none() {
                self.begin_turn();
            }
            self.counters.in_flight += u64::from(self.waiting.binary_search(&key).is_ok());
        }
        self.access(
            |places| places.bucket(key),
            |table, owners, counters, first_slot| {
                let mut hit = table.probe(key, depth)?;
                if hit.entry.is_evaluation() {
                    // Another thread may have written the bound.
                    hit.entry.bound = Bound::Lower;
                }
                counters.ages += u64::from(hit.age);
                counters.squared_ages += u64::from(hit.age).pow(2);
                let is_foreign = owners.is_some_and(|owners| owners.record_hit(hit.slot, searcher));
                counters.foreign_hits += u64::from(is_foreign);
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
        if self.own.is_some() && self.shared.places.is_some_and(|places| !places.notes_cutoffs) {
            return;
        }
        let searcher = self.searcher;
        let bucket = |places: &Places| hit.slot / places.slots;
        self.access(bucket, |table, owners, counters, first_slot| {
            let hit = &Hit { slot: hit.slot - first_slot, ..*hit };
            if owners.is_some_and(|owners| owners.is_foreign(hit.slot, searcher)) {
                counters.foreign_cutoffs += 1;
                counters.foreign_saved += u64::from(hit.entry.nodes);
            }
            table.cutoff(hit);
        });
    }

    fn missed(&mut self, hit: &Hit) {
        let bucket = |places: &Places| hit.slot / places.slots;
        self.access(bucket, |table, _, _, first_slot| table.missed(&Hit { slot: hit.slot - first_slot, ..*hit }));
    }

    fn prefetch(&self, key: u64) {
        let Some(places) = &self.shared.places else {
            if let Some((table, _)) = &self.held {
                table.prefetch(key);
            }
            return;
        };
        let bucket = places.bucket(key);
        memory::prefetch::<false>(ptr::without_provenance(places.address + bucket * places.bucket_bytes));
        if self.takes_turns {
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
        self.shared.words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        for (table, owners) in self.held.iter_mut().chain(&mut *lock(&self.shared.whole)) {
            table.clear();
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
        // Two threads may have filled the same slot, and one may have overwritten what another
        // still has to report.
        let occupied = if self.own.is_some() { sum.occupied.min(sum.slots) } else { sum.occupied };
        Occupancy { occupied, current: (sum.current as i64).clamp(0, occupied as i64) as u64, ..sum }
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
            self.held.take().into_iter().for_each(|whole| *lock(&self.shared.whole) = Some(whole));
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
