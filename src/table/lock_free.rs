//! A table of fixed size that operating-system threads use without locks. Words are read and
//! written one at a time, so an entry of several words may be torn.

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

/// Whether each bucket of a table with these options consists of whole 64-bit words, and of no more
/// than [`MAX_WORDS`] words.
pub fn has_whole_words(options: &TableOptions) -> bool {
    let bytes = memory_bytes(options) as usize;
    bytes.is_multiple_of(8) && bytes <= 8 * MAX_WORDS
}

/// The largest number of buckets that are examined to determine the occupancy. The occupancy of a
/// table with more buckets is an estimate.
const SAMPLED_BUCKETS: usize = 1 << 16;

/// Each thread that clears the table clears at least this many words.
const MIN_WORDS_PER_THREAD: usize = 1 << 20;

/// The data that all handles share.
struct Common {
    words: Words,
    options: TableOptions,
    /// Whether each stored key is combined with its data by XOR.
    has_xor_keys: bool,
    buckets: u64,
    words_per_bucket: usize,
    slots: usize,
    /// For each slot, a mask of its bits in the words of a bucket.
    slot_masks: Vec<Vec<u64>>,
    now: AtomicU16,
    owners: Ownership,
    /// The counts of each searcher at the end of its last turn.
    counts: Mutex<Vec<(TableCounters, ThreadCounters)>>,
}

impl Common {
    fn counts(&self) -> MutexGuard<'_, Vec<(TableCounters, ThreadCounters)>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One searcher's handle of the shared table, with its own counters. Each call copies one bucket of
/// the shared table to a local table of one bucket, calls the local table, and writes the changed
/// words back to the shared table.
pub struct LockFree {
    common: Arc<Common>,
    searcher: u8,
    local_table: Box<dyn OneBucket>,
    /// The index of the copied bucket's first word in the shared table.
    first_word: usize,
    /// The words of the copied bucket as they were read.
    words_read: [u64; MAX_WORDS],
    counters: ThreadCounters,
}

impl LockFree {
    /// Creates the shared table and returns one handle for each of `searchers` searchers. The first
    /// handle is that of the main searcher. If `has_xor_keys` is true, each key is combined with
    /// its data by XOR, so that torn entries are rejected.
    ///
    /// # Errors
    /// When an option is out of range, or there is not enough memory.
    pub fn handles(
        options: &TableOptions,
        working_set: Option<u64>,
        searchers: usize,
        has_xor_keys: bool,
    ) -> Result<Vec<Box<dyn Table>>, TableError> {
        let box_handle = |handle: Self| Box::new(handle) as Box<dyn Table>;
        Ok(Self::create(options, working_set, searchers, has_xor_keys)?.into_iter().map(box_handle).collect())
    }

    fn create(
        options: &TableOptions,
        working_set: Option<u64>,
        searchers: usize,
        has_xor_keys: bool,
    ) -> Result<Vec<Self>, TableError> {
        options.check()?;
        let local_table = make::build_one_bucket(options)?;
        let buckets = make::require_buckets(options, working_set)?.max(1);
        let (words_per_bucket, slots) = (local_table.words().len(), usize::from(options.slots));
        let len = usize::try_from(buckets).ok().and_then(|buckets| buckets.checked_mul(words_per_bucket));
        let len = len.ok_or(TableError::Memory { bytes: u64::MAX, available: None })?;
        let common = Arc::new(Common {
            words: Words::new(len, options.huge_pages)?,
            options: options.clone(),
            has_xor_keys,
            buckets,
            words_per_bucket,
            slots,
            slot_masks: (0..slots).map(|slot| local_table.slot_mask(slot)).collect(),
            now: AtomicU16::new(0),
            owners: Ownership::new(buckets as usize * slots),
            counts: Mutex::new(vec![Default::default(); searchers]),
        });
        let create_handle = |searcher| {
            Ok(Self {
                common: Arc::clone(&common),
                searcher: searcher as u8,
                local_table: make::build_one_bucket(options)?,
                first_word: 0,
                words_read: [0; MAX_WORDS],
                counters: ThreadCounters::default(),
            })
        };
        (0..searchers).map(create_handle).collect()
    }

    /// Copies a bucket of the shared table to the local table, word by word. Advances the clock of
    /// the local table to the time of the shared table.
    fn copy_bucket(&mut self, bucket_number: usize) {
        let Common { words, words_per_bucket, now, .. } = &*self.common;
        let first_word = bucket_number * words_per_bucket;
        let mut copy = [0; MAX_WORDS];
        for (word, shared) in copy.iter_mut().zip(&words[first_word..first_word + words_per_bucket]) {
            *word = shared.load(Ordering::Relaxed);
        }
        (self.first_word, self.words_read) = (first_word, copy);
        if self.common.has_xor_keys {
            // Combining a stored key with its data again restores the key.
            self.local_table.xor_keys_with_data(&mut copy[..*words_per_bucket]);
        }
        self.local_table.load(&copy[..*words_per_bucket]);
        let ticks = now.load(Ordering::Relaxed).wrapping_sub(self.local_table.now());
        if ticks != 0 {
            self.local_table.advance(ticks);
        }
    }

    /// Copies the bucket of `key` to the local table. Returns the number of the bucket's first slot
    /// in the shared table.
    fn copy_bucket_of(&mut self, key: u64) -> usize {
        let bucket_number = self.common.options.index.bucket(key, self.common.buckets) as usize;
        self.copy_bucket(bucket_number);
        bucket_number * self.common.slots
    }

    /// Returns the words of the local table in the form in which the shared table stores them.
    fn words_to_store(&self) -> [u64; MAX_WORDS] {
        let mut words = [0; MAX_WORDS];
        let words_per_bucket = self.common.words_per_bucket;
        words[..words_per_bucket].copy_from_slice(self.local_table.words());
        if self.common.has_xor_keys {
            self.local_table.xor_keys_with_data(&mut words[..words_per_bucket]);
        }
        words
    }

    /// Writes the changed words of the local table to the shared table. The last word is written
    /// first, so that the data of an entry is written before its key. Stops at the first word that
    /// another searcher has changed since the bucket was copied.
    fn write_changes(&self) {
        let (new, old) = (self.words_to_store(), &self.words_read);
        for index in (0..self.common.words_per_bucket).rev().filter(|&index| new[index] != old[index]) {
            let shared_word = &self.common.words[self.first_word + index];
            if shared_word.compare_exchange(old[index], new[index], Ordering::Relaxed, Ordering::Relaxed).is_err() {
                return;
            }
        }
    }

    /// Writes all bits of the slots `first` to `last` from the local table to the shared table.
    /// Overwrites what other searchers have written to these slots since the bucket was copied.
    fn write_slots(&self, first: usize, last: usize) {
        let new = self.words_to_store();
        let shared_words = &self.common.words[self.first_word..];
        for index in 0..self.common.words_per_bucket {
            let mask = self.common.slot_masks[first..=last].iter().fold(0, |mask, masks| mask | masks[index]);
            match mask {
                0 => {}
                u64::MAX => shared_words[index].store(new[index], Ordering::Relaxed),
                // The word also has bits of other slots, which must not change.
                _ => {
                    let merge = |word: u64| Some(word & !mask | new[index] & mask);
                    let _ = shared_words[index].fetch_update(Ordering::Relaxed, Ordering::Relaxed, merge);
                }
            }
        }
    }

    /// Copies the bucket of a hit to the local table, calls `update` for the slot of the hit, and
    /// writes the changes back. Does nothing if the slot has become empty since the hit.
    fn update_slot_of(&mut self, hit: &Hit, update: fn(&mut dyn OneBucket, &Hit)) {
        let (bucket_number, slot) = (hit.slot / self.common.slots, hit.slot % self.common.slots);
        self.copy_bucket(bucket_number);
        if !self.local_table.is_empty(&self.words_read[..self.common.words_per_bucket], slot) {
            update(&mut *self.local_table, &Hit { slot, ..*hit });
            self.write_changes();
        }
    }

    /// Calls `visit` with each entry of a bucket of the shared table.
    fn visit_bucket(&self, bucket_number: usize, visit: &mut dyn FnMut(&Entry)) {
        let Common { words, words_per_bucket, slots, options, .. } = &*self.common;
        let first_word = bucket_number * words_per_bucket;
        let mut copy = [0; MAX_WORDS];
        for (word, shared) in copy.iter_mut().zip(&words[first_word..first_word + words_per_bucket]) {
            *word = shared.load(Ordering::Relaxed);
        }
        for slot in 0..*slots {
            let entry = self.local_table.entry(&copy[..*words_per_bucket], slot);
            // Stored generations count modulo 2^`age_bits`. Visited entries have generations that
            // count modulo 1,024.
            let (now, age_mask) = (self.now(), (1 << options.age_bits) - 1);
            let age = now.wrapping_sub(entry.generation) & age_mask;
            if !entry.is_empty() {
                visit(&Entry { generation: now.wrapping_sub(age) % GENERATIONS, ..entry });
            }
        }
    }

    /// Returns the sum of `own_counts`, which are the counts of this searcher, and the counts of
    /// all other searchers. The counts of another searcher are those at the end of its last turn.
    /// `select` returns one of the two kinds of counts.
    fn sum_counts<C: Default + std::ops::AddAssign>(
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
        let hit = self.local_table.probe(key, depth)?;
        self.write_changes();
        let slot = first_slot + hit.slot;
        let is_foreign = self.common.owners.record_hit(slot, self.searcher);
        self.counters.count_hit(hit.age, is_foreign);
        Some(Hit { slot, ..hit })
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        let first_slot = self.copy_bucket_of(key);
        let stored = self.local_table.store(key, entry);
        if stored.refused {
            self.write_changes();
        } else {
            self.write_slots(stored.slot, stored.slot + usize::from(stored.moved));
        }
        let has_slot = stored.same || !stored.refused;
        let stored = StoreOutcome { slot: if has_slot { first_slot + stored.slot } else { 0 }, ..stored };
        self.common.owners.record_store(stored, self.searcher, entry.depth, &mut self.counters);
        stored
    }

    fn cutoff(&mut self, hit: &Hit) {
        if self.common.owners.is_foreign(hit.slot, self.searcher) {
            self.counters.foreign_cutoffs += 1;
            self.counters.foreign_saved += u64::from(hit.entry.nodes);
        }
        self.update_slot_of(hit, |local_table, hit| local_table.cutoff(hit));
    }

    fn missed(&mut self, hit: &Hit) {
        self.update_slot_of(hit, |local_table, hit| local_table.missed(hit));
    }

    fn prefetch(&self, key: u64) {
        let bucket_number = self.common.options.index.bucket(key, self.common.buckets) as usize;
        self.common.words.prefetch(bucket_number * self.common.words_per_bucket);
    }

    fn advance(&mut self, ticks: u16) {
        self.copy_bucket(0);
        self.local_table.advance(ticks);
        self.common.now.store(self.local_table.now(), Ordering::Relaxed);
    }

    /// Clears the table. A large table is cleared by one thread for each searcher.
    fn clear(&mut self) {
        let share_len = self.common.words.len().div_ceil(self.common.counts().len()).max(MIN_WORDS_PER_THREAD);
        let clear_words = |words: &[AtomicU64]| words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        std::thread::scope(|scope| {
            let mut shares = self.common.words.chunks(share_len);
            let own_share = shares.next();
            shares.for_each(|words| drop(scope.spawn(move || clear_words(words))));
            if let Some(words) = own_share {
                clear_words(words);
            }
        });
        self.common.owners.clear();
        self.common.now.store(0, Ordering::Relaxed);
    }

    fn counts_stored_nodes(&self) -> bool {
        self.local_table.counts_stored_nodes()
    }

    fn suspend(&mut self, _: &[u64]) {
        self.common.counts()[usize::from(self.searcher)] = (self.local_table.counters(), self.counters);
    }

    fn now(&self) -> u16 {
        self.common.now.load(Ordering::Relaxed)
    }

    fn counters(&self) -> TableCounters {
        self.sum_counts(self.local_table.counters(), |counts| counts.0)
    }

    fn thread_counters(&self) -> ThreadCounters {
        self.sum_counts(self.counters, |counts| counts.1)
    }

    /// Returns how full the table is. The occupancy of a large table is estimated from evenly
    /// spaced buckets.
    fn occupancy(&self) -> Occupancy {
        let Common { buckets, slots, options, .. } = &*self.common;
        let step = (*buckets as usize).div_ceil(SAMPLED_BUCKETS);
        let (mut sampled_buckets, mut occupied, mut current) = (0, 0, 0);
        for bucket_number in (0..*buckets as usize).step_by(step) {
            sampled_buckets += 1;
            self.visit_bucket(bucket_number, &mut |entry| {
                occupied += 1;
                current += u64::from(entry.age(self.now()) == 0);
            });
        }
        let scale = |count: u64| (u128::from(count) * u128::from(*buckets) / sampled_buckets) as u64;
        Occupancy {
            slots: buckets * *slots as u64,
            bytes: buckets * bucket_bytes(options),
            occupied: scale(occupied),
            current: scale(current),
        }
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Entry)) {
        (0..self.common.buckets as usize).for_each(|bucket_number| self.visit_bucket(bucket_number, visit));
    }

    fn huge_pages(&self) -> Option<bool> {
        self.common.words.huge_pages()
    }
}

#[cfg(test)]
mod tests;
