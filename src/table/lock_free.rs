//! A table of fixed size for operating-system threads, without locks: its words are read and
//! written one at a time, so that entries of several words may be torn.

use super::bounded::OneBucket;
use super::entry::GENERATIONS;
use super::layout::{bucket_bytes, memory_bytes};
use super::options::TableOptions;
use super::ownership::{Ownership, ThreadCounters};
use super::{Entry, Hit, Occupancy, StoreOutcome, Table, TableCounters, TableError, make};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use words::{AtomicU16, AtomicU64, Ordering, Words};

#[cfg(not(all(loom, test)))]
mod words {
    pub use crate::table::memory::SharedMemory as Words;
    pub use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
}

#[cfg(all(loom, test))]
mod words;

/// The largest number of words in a bucket: eight slots of three words.
const MAX_WORDS: usize = 24;

/// Whether the buckets of these options consist of whole 64-bit words, and of no more than
/// [`MAX_WORDS`].
pub fn has_whole_words(options: &TableOptions) -> bool {
    let bytes = memory_bytes(options) as usize;
    bytes.is_multiple_of(8) && bytes <= 8 * MAX_WORDS
}

/// The number of buckets from which the occupancy of a larger table is estimated.
const SAMPLED_BUCKETS: usize = 1 << 16;

/// Each thread that clears the table clears at least this many words.
const MIN_WORDS_PER_THREAD: usize = 1 << 20;

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
    /// For each slot, a mask of its bits in the words of a bucket.
    slot_masks: Vec<Vec<u64>>,
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

/// One searcher's handle of the table, with its own counters. Each call copies a bucket to a table
/// of one bucket, calls that table, and writes the words back that it changed.
pub struct LockFree {
    common: Arc<Common>,
    searcher: u8,
    bucket: Box<dyn OneBucket>,
    /// The index of the copied bucket's first word.
    first_word: usize,
    /// The words of the copied bucket as they were read.
    words_read: [u64; MAX_WORDS],
    counters: ThreadCounters,
}

impl LockFree {
    /// Creates the table and returns a handle for each of `searchers` searchers, the main one
    /// first. `xor`: whether keys are combined with their data, so that torn entries are rejected.
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
            slot_masks: (0..slots).map(|slot| one_bucket.slot_bits(slot)).collect(),
            now: AtomicU16::new(0),
            owners: Ownership::new(buckets as usize * slots),
            counts: Mutex::new(vec![Default::default(); searchers]),
        });
        let handle = |searcher| {
            Ok(Self {
                common: Arc::clone(&common),
                searcher: searcher as u8,
                bucket: make::build_one_bucket(options)?,
                first_word: 0,
                words_read: [0; MAX_WORDS],
                counters: ThreadCounters::default(),
            })
        };
        (0..searchers).map(handle).collect()
    }

    /// Copies a bucket to the table of one bucket, word by word, and sets that table's clock.
    fn copy_bucket(&mut self, number: usize) {
        let Common { words, width, now, .. } = &*self.common;
        let first_word = number * width;
        let mut copy = [0; MAX_WORDS];
        for (word, shared) in copy.iter_mut().zip(&words[first_word..first_word + width]) {
            *word = shared.load(Ordering::Relaxed);
        }
        (self.first_word, self.words_read) = (first_word, copy);
        if self.common.xor {
            self.bucket.combine(&mut copy[..*width]);
        }
        self.bucket.load(&copy[..*width]);
        let ticks = now.load(Ordering::Relaxed).wrapping_sub(self.bucket.now());
        if ticks != 0 {
            self.bucket.advance(ticks);
        }
    }

    /// Copies the bucket of a key; returns the number of the bucket's first slot.
    fn copy_bucket_of(&mut self, key: u64) -> usize {
        let number = self.common.options.index.bucket(key, self.common.buckets) as usize;
        self.copy_bucket(number);
        number * self.common.slots
    }

    /// The words of the copied bucket after the last call, as the shared table is to store them.
    fn changed_words(&self) -> [u64; MAX_WORDS] {
        let mut changed = [0; MAX_WORDS];
        let width = self.common.width;
        changed[..width].copy_from_slice(self.bucket.words());
        if self.common.xor {
            self.bucket.combine(&mut changed[..width]);
        }
        changed
    }

    /// Writes the words that changed, the last first, so that data comes before its key. Stops at a
    /// word that another searcher has changed meanwhile.
    fn write_changes(&self) {
        let (new, old) = (self.changed_words(), &self.words_read);
        for index in (0..self.common.width).rev().filter(|&index| new[index] != old[index]) {
            let shared = &self.common.words[self.first_word + index];
            if shared.compare_exchange(old[index], new[index], Ordering::Relaxed, Ordering::Relaxed).is_err() {
                return;
            }
        }
    }

    /// Writes all bits of the slots `from` to `to`, even if other searchers write to them at the
    /// same time.
    fn write_slots(&self, from: usize, to: usize) {
        let new = self.changed_words();
        let shared = &self.common.words[self.first_word..];
        for index in 0..self.common.width {
            let mask = self.common.slot_masks[from..=to].iter().fold(0, |mask, words| mask | words[index]);
            match mask {
                0 => {}
                u64::MAX => shared[index].store(new[index], Ordering::Relaxed),
                // The word has parts of other slots too.
                _ => {
                    let merge = |word: u64| Some(word & !mask | new[index] & mask);
                    let _ = shared[index].fetch_update(Ordering::Relaxed, Ordering::Relaxed, merge);
                }
            }
        }
    }

    /// Calls `update` for the slot of a hit and writes the result back, unless the slot is empty by
    /// now.
    fn change(&mut self, hit: &Hit, update: fn(&mut dyn OneBucket, &Hit)) {
        let (number, slot) = (hit.slot / self.common.slots, hit.slot % self.common.slots);
        self.copy_bucket(number);
        if !self.bucket.is_empty(&self.words_read[..self.common.width], slot) {
            update(&mut *self.bucket, &Hit { slot, ..*hit });
            self.write_changes();
        }
    }

    /// Calls `visit` with each entry of a bucket.
    fn visit(&self, number: usize, visit: &mut dyn FnMut(&Entry)) {
        let Common { words, width, slots, options, .. } = &*self.common;
        let mut copy = [0; MAX_WORDS];
        for (word, shared) in copy.iter_mut().zip(&words[number * width..(number + 1) * width]) {
            *word = shared.load(Ordering::Relaxed);
        }
        for slot in 0..*slots {
            let entry = self.bucket.entry(&copy[..*width], slot);
            // Stored generations count modulo 2^`age_bits`, those of entries modulo 1,024.
            let (now, age_mask) = (self.now(), (1 << options.age_bits) - 1);
            let age = now.wrapping_sub(entry.generation) & age_mask;
            if !entry.is_empty() {
                visit(&Entry { generation: now.wrapping_sub(age) % GENERATIONS, ..entry });
            }
        }
    }

    /// Adds the counts of the other searchers, up to the ends of their last turns, to this
    /// searcher's counts. `select` picks the kind of counts.
    fn sum<C: Default + std::ops::AddAssign>(
        &self,
        own_counts: C,
        select: fn(&(TableCounters, ThreadCounters)) -> C,
    ) -> C {
        let mut total = own_counts;
        for (searcher, counts) in self.common.counts().iter().enumerate() {
            if searcher != usize::from(self.searcher) {
                total += select(counts);
            }
        }
        total
    }
}

impl Table for LockFree {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let first_slot = self.copy_bucket_of(key);
        let hit = self.bucket.probe(key, depth)?;
        self.write_changes();
        let slot = first_slot + hit.slot;
        let is_foreign = self.common.owners.read(slot, self.searcher);
        self.counters.count_hit(hit.age, is_foreign);
        Some(Hit { slot, ..hit })
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        let first_slot = self.copy_bucket_of(key);
        let stored = self.bucket.store(key, entry);
        if stored.refused {
            self.write_changes();
        } else {
            self.write_slots(stored.slot, stored.slot + usize::from(stored.moved));
        }
        let has_slot = stored.same || !stored.refused;
        let stored = StoreOutcome { slot: if has_slot { first_slot + stored.slot } else { 0 }, ..stored };
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
        self.copy_bucket(0);
        self.bucket.advance(ticks);
        self.common.now.store(self.bucket.now(), Ordering::Relaxed);
    }

    /// A large table is cleared by as many threads as it has searchers.
    fn clear(&mut self) {
        let share_len = self.common.words.len().div_ceil(self.common.counts().len()).max(MIN_WORDS_PER_THREAD);
        let clear = |words: &[AtomicU64]| words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        std::thread::scope(|scope| {
            let mut shares = self.common.words.chunks(share_len);
            let own_share = shares.next();
            shares.for_each(|words| drop(scope.spawn(move || clear(words))));
            if let Some(words) = own_share {
                clear(words);
            }
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

    /// For a large table this is an estimate from evenly spaced buckets.
    fn occupancy(&self) -> Occupancy {
        let Common { buckets, slots, options, .. } = &*self.common;
        let step = (*buckets as usize).div_ceil(SAMPLED_BUCKETS);
        let (mut sampled, mut occupied, mut current) = (0, 0, 0);
        for number in (0..*buckets as usize).step_by(step) {
            sampled += 1;
            self.visit(number, &mut |entry| {
                occupied += 1;
                current += u64::from(entry.age(self.now()) == 0);
            });
        }
        let scale = |count: u64| (u128::from(count) * u128::from(*buckets) / sampled) as u64;
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
