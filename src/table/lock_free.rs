//! A table of fixed size for threads of the system that lock nothing: its words are read and
//! written one at a time, so that entries of more than one word may be torn.

use super::bounded::OneBucket;
use super::entry::GENERATIONS;
use super::layout::{bucket_bytes, memory_bytes};
use super::make;
use super::options::TableOptions;
use super::ownership::{Ownership, ThreadCounters};
use super::{Entry, Hit, Occupancy, StoreOutcome, Table, TableCounters, TableError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use words::{AtomicU16, AtomicU64, Ordering, Words};

#[cfg(not(all(loom, test)))]
mod words {
    pub use crate::table::memory::SharedMemory as Words;
    pub use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
}

#[cfg(all(loom, test))]
mod words;

/// The most words of a bucket: eight slots of three.
const MAX_WORDS: usize = 24;

/// Whether the buckets of the options are whole words, and not too many.
pub fn has_whole_words(options: &TableOptions) -> bool {
    let bytes = memory_bytes(options) as usize;
    bytes.is_multiple_of(8) && bytes <= 8 * MAX_WORDS
}

/// Buckets that are looked at for how full the table is.
const LOOKED_AT: usize = 1 << 16;

/// The least number of words that a thread of its own clears.
const CLEARED_BY_ONE: usize = 1 << 20;

/// What all handles share.
struct Common {
    words: Words,
    options: TableOptions,
    /// Whether keys are combined with their data by XOR.
    xor: bool,
    buckets: u64,
    /// Words of a bucket.
    width: usize,
    slots: usize,
    /// The bits of each slot in the words of a bucket.
    bits: Vec<Vec<u64>>,
    now: AtomicU16,
    owners: Ownership,
    /// What each searcher had counted when its last turn ended.
    counts: Mutex<Vec<(TableCounters, ThreadCounters)>>,
}

impl Common {
    fn counts(&self) -> MutexGuard<'_, Vec<(TableCounters, ThreadCounters)>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The table as one searcher sees it, with counters of its own. A call copies a bucket, lets a
/// table of one bucket do the work, and writes what that changed.
pub struct LockFree {
    common: Arc<Common>,
    searcher: u8,
    bucket: Box<dyn OneBucket>,
    /// Where the copied bucket begins, and its words as they were.
    copied: (usize, [u64; MAX_WORDS]),
    counters: ThreadCounters,
}

impl LockFree {
    /// Creates the table and returns the handles of so many searchers, that of the main one first.
    /// `xor`: whether keys are combined with their data, so that torn entries are rejected.
    ///
    /// # Errors
    /// When an option is out of range, or there is not enough memory.
    pub fn handles(
        options: &TableOptions,
        working_set: Option<u64>,
        searchers: usize,
        xor: bool,
    ) -> Result<Vec<Box<dyn Table>>, TableError> {
        let handle = |table: Self| Box::new(table) as Box<dyn Table>;
        Ok(Self::create(options, working_set, searchers, xor)?.into_iter().map(handle).collect())
    }

    fn create(
        options: &TableOptions,
        working_set: Option<u64>,
        searchers: usize,
        xor: bool,
    ) -> Result<Vec<Self>, TableError> {
        options.check()?;
        let one_bucket = make::build_one_bucket(options)?;
        let buckets = make::require_buckets(options, working_set)?.max(1);
        let (width, slots) = (one_bucket.words().len(), usize::from(options.slots));
        let len = usize::try_from(buckets).ok().and_then(|buckets| buckets.checked_mul(width));
        let len = len.ok_or(TableError::Memory { bytes: u64::MAX, available: None })?;
        let common = Arc::new(Common {
            words: Words::new(len, options.huge_pages)?,
            options: options.clone(),
            xor,
            buckets,
            width,
            slots,
            bits: (0..slots).map(|slot| one_bucket.slot_bits(slot)).collect(),
            now: AtomicU16::new(0),
            owners: Ownership::new(buckets as usize * slots),
            counts: Mutex::new(vec![Default::default(); searchers]),
        });
        let handle = |searcher| {
            Ok(Self {
                common: Arc::clone(&common),
                searcher: searcher as u8,
                bucket: make::build_one_bucket(options)?,
                copied: (0, [0; MAX_WORDS]),
                counters: ThreadCounters::default(),
            })
        };
        (0..searchers).map(handle).collect()
    }

    /// Copies a bucket, word by word.
    fn copy(&mut self, number: usize) {
        let Common { words, width, now, .. } = &*self.common;
        let first = number * width;
        let mut bucket = [0; MAX_WORDS];
        for (word, shared) in bucket.iter_mut().zip(&words[first..first + width]) {
            *word = shared.load(Ordering::Relaxed);
        }
        self.copied = (first, bucket);
        if self.common.xor {
            self.bucket.combine(&mut bucket[..*width]);
        }
        self.bucket.load(&bucket[..*width]);
        let late = now.load(Ordering::Relaxed).wrapping_sub(self.bucket.now());
        if late != 0 {
            self.bucket.advance(late);
        }
    }

    fn copy_of(&mut self, key: u64) -> usize {
        let number = self.common.options.index.bucket(key, self.common.buckets) as usize;
        self.copy(number);
        number * self.common.slots
    }

    /// The copied bucket as the call left it.
    fn changed(&self) -> [u64; MAX_WORDS] {
        let mut bucket = [0; MAX_WORDS];
        let width = self.common.width;
        bucket[..width].copy_from_slice(self.bucket.words());
        if self.common.xor {
            self.bucket.combine(&mut bucket[..width]);
        }
        bucket
    }

    /// Writes what changed inside entries, unless another searcher has changed them meanwhile. The
    /// data comes before the key.
    fn write_changes(&self) {
        let (bucket, (first, old)) = (self.changed(), &self.copied);
        for at in (0..self.common.width).rev().filter(|&at| bucket[at] != old[at]) {
            let shared = &self.common.words[first + at];
            if shared.compare_exchange(old[at], bucket[at], Ordering::Relaxed, Ordering::Relaxed).is_err() {
                return;
            }
        }
    }

    /// Writes whole slots, whatever others write at the same time.
    fn write_slots(&self, from: usize, to: usize) {
        let bucket = self.changed();
        let shared = &self.common.words[self.copied.0..];
        for at in 0..self.common.width {
            let own = self.common.bits[from..=to].iter().fold(0, |own, bits| own | bits[at]);
            match own {
                0 => {}
                u64::MAX => shared[at].store(bucket[at], Ordering::Relaxed),
                // The word has parts of other slots too.
                _ => {
                    let mix = |word: u64| Some(word & !own | bucket[at] & own);
                    let _ = shared[at].fetch_update(Ordering::Relaxed, Ordering::Relaxed, mix);
                }
            }
        }
    }

    /// Has the table of one bucket change the entry of a hit, if there still is one.
    fn change(&mut self, hit: &Hit, change: fn(&mut dyn OneBucket, &Hit)) {
        let (number, slot) = (hit.slot / self.common.slots, hit.slot % self.common.slots);
        self.copy(number);
        if !self.bucket.is_empty(&self.copied.1[..self.common.width], slot) {
            change(&mut *self.bucket, &Hit { slot, ..*hit });
            self.write_changes();
        }
    }

    /// Shows the entries of a bucket.
    fn visit(&self, number: usize, visit: &mut dyn FnMut(&Entry)) {
        let Common { words, width, slots, options, .. } = &*self.common;
        let mut bucket = [0; MAX_WORDS];
        for (word, shared) in bucket.iter_mut().zip(&words[number * width..(number + 1) * width]) {
            *word = shared.load(Ordering::Relaxed);
        }
        for slot in 0..*slots {
            let entry = self.bucket.entry(&bucket[..*width], slot);
            let (now, times) = (self.now(), (1 << options.age_bits) - 1);
            let age = now.wrapping_sub(entry.generation) & times;
            if !entry.is_empty() {
                visit(&Entry { generation: now.wrapping_sub(age) % GENERATIONS, ..entry });
            }
        }
    }

    /// Adds up what all searchers counted: this one until now, the others until their last turns
    /// ended.
    fn sum<C: Default + std::ops::AddAssign>(&self, own: C, of: fn(&(TableCounters, ThreadCounters)) -> C) -> C {
        let mut all = own;
        for (searcher, counts) in self.common.counts().iter().enumerate() {
            if searcher != usize::from(self.searcher) {
                all += of(counts);
            }
        }
        all
    }
}

impl Table for LockFree {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let first = self.copy_of(key);
        let hit = self.bucket.probe(key, depth)?;
        self.write_changes();
        let slot = first + hit.slot;
        self.counters.count_hit(hit.age, self.common.owners.read(slot, self.searcher));
        Some(Hit { slot, ..hit })
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        let first = self.copy_of(key);
        let stored = self.bucket.store(key, entry);
        match stored.refused {
            true => self.write_changes(),
            false => self.write_slots(stored.slot, stored.slot + usize::from(stored.moved)),
        }
        let has_slot = stored.same || !stored.refused;
        let stored = StoreOutcome { slot: if has_slot { first + stored.slot } else { 0 }, ..stored };
        self.common.owners.store(stored, self.searcher, entry.depth, &mut self.counters);
        stored
    }

    fn cutoff(&mut self, hit: &Hit) {
        if self.common.owners.is_foreign(hit.slot, self.searcher) {
            self.counters.foreign_cutoffs += 1;
            self.counters.foreign_saved += u64::from(hit.entry.nodes);
        }
        self.change(hit, |bucket, hit| bucket.cutoff(hit));
    }

    fn missed(&mut self, hit: &Hit) {
        self.change(hit, |bucket, hit| bucket.missed(hit));
    }

    fn prefetch(&self, key: u64) {
        let number = self.common.options.index.bucket(key, self.common.buckets) as usize;
        self.common.words.prefetch(number * self.common.width);
    }

    fn advance(&mut self, ticks: u16) {
        self.copy(0);
        self.bucket.advance(ticks);
        self.common.now.store(self.bucket.now(), Ordering::Relaxed);
    }

    /// A large table is cleared by as many threads as search it.
    fn clear(&mut self) {
        let share = self.common.words.len().div_ceil(self.common.counts().len()).max(CLEARED_BY_ONE);
        let clear = |words: &[AtomicU64]| words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        std::thread::scope(|scope| {
            let mut shares = self.common.words.chunks(share);
            let first = shares.next();
            shares.for_each(|words| drop(scope.spawn(move || clear(words))));
            first.into_iter().for_each(clear);
        });
        self.common.owners.clear();
        self.common.now.store(0, Ordering::Relaxed);
    }

    fn counts_stored_nodes(&self) -> bool {
        self.bucket.counts_stored_nodes()
    }

    fn suspend(&mut self, _: &[u64]) {
        self.common.counts()[usize::from(self.searcher)] = (self.bucket.counters(), self.counters);
    }

    fn now(&self) -> u16 {
        self.common.now.load(Ordering::Relaxed)
    }

    fn counters(&self) -> TableCounters {
        self.sum(self.bucket.counters(), |counts| counts.0)
    }

    fn thread_counters(&self) -> ThreadCounters {
        self.sum(self.counters, |counts| counts.1)
    }

    /// Of a large table an estimate, from buckets at equal distances.
    fn occupancy(&self) -> Occupancy {
        let Common { buckets, slots, options, .. } = &*self.common;
        let step = (*buckets as usize).div_ceil(LOOKED_AT);
        let (mut looked_at, mut occupied, mut current) = (0, 0, 0);
        for number in (0..*buckets as usize).step_by(step) {
            looked_at += 1;
            self.visit(number, &mut |entry| {
                occupied += 1;
                current += u64::from(entry.age(self.now()) == 0);
            });
        }
        let scale = |count: u64| (u128::from(count) * u128::from(*buckets) / looked_at) as u64;
        Occupancy {
            slots: buckets * *slots as u64,
            bytes: buckets * bucket_bytes(options),
            occupied: scale(occupied),
            current: scale(current),
        }
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Entry)) {
        (0..self.common.buckets as usize).for_each(|number| self.visit(number, visit));
    }

    fn huge_pages(&self) -> Option<bool> {
        self.common.words.huge_pages()
    }
}

#[cfg(test)]
mod tests;
