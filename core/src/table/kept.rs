//! The memory of a bounded table. It records what is written, so that emptying it costs what was
//! written and not its size, unless threads share it. A thread can keep the memory of its last
//! tables for the next ones.

use super::TableError;
use super::memory::Memory;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Words in a block of 4 KiB.
const BLOCK: usize = 512;

/// Words in a cache line.
const LINE: usize = 8;

/// The share of the lines that are listed one by one. Listing more would cost more than emptying
/// whole blocks.
const LISTED_SHARE: usize = 64;

/// Words that are all zero at first. Whoever writes to a bucket of zeroed words calls
/// [`Self::record`].
#[derive(Default)]
pub struct TableMemory(Words);

#[derive(Default)]
struct Words {
    memory: Memory,
    // In a box, so that words can be lent by a copy of few bytes.
    written: Box<Written>,
}

#[derive(Default)]
struct Written {
    huge_pages: bool,
    /// The most words in which a bucket lies.
    bucket_words: usize,
    /// The first words of written buckets, up to its capacity.
    listed: Vec<usize>,
    /// Once the list is full: the blocks in which a written bucket begins.
    is_block_written: Vec<bool>,
}

impl Words {
    fn map(len: usize, huge_pages: bool) -> Result<Self, TableError> {
        let memory = Memory::new(len, huge_pages).or_else(|_| {
            // The kept memory may be what is missing.
            release_kept();
            Memory::new(len, huge_pages)
        })?;
        Ok(Self::new(memory, huge_pages, 0))
    }

    /// `memory` must be all zero.
    fn new(memory: Memory, huge_pages: bool, bucket_words: usize) -> Self {
        let listed = Vec::with_capacity(memory.len() / LINE / LISTED_SHARE);
        let is_block_written = vec![false; memory.len().div_ceil(BLOCK)];
        Self { memory, written: Box::new(Written { huge_pages, bucket_words, listed, is_block_written }) }
    }

    #[cold]
    fn record_cold(&mut self, first: usize) {
        let written = &mut *self.written;
        if written.listed.len() < written.listed.capacity() {
            written.listed.push(first);
        } else {
            written.is_block_written[first / BLOCK] = true;
        }
    }

    /// Makes all words zero again.
    fn erase(&mut self) {
        let Written { bucket_words, listed, is_block_written, .. } = &mut *self.written;
        let has_blocks = listed.len() == listed.capacity();
        let last = self.memory.len();
        let mut fill = |first: usize, end: usize| self.memory[first..end.min(last)].fill(0);
        listed.drain(..).for_each(|first| fill(first, first + *bucket_words));
        if has_blocks {
            let mut first = 0;
            for run in is_block_written.chunk_by_mut(|left, right| left == right) {
                let end = first + BLOCK * run.len();
                if run[0] {
                    fill(first, end + *bucket_words);
                    run.fill(false);
                }
                first = end;
            }
        }
        debug_assert!(self.memory.iter().all(|&word| word == 0), "a written bucket was not recorded");
    }
}

impl TableMemory {
    /// Returns `len` zeroed words for buckets of `bucket_bytes` bytes: kept ones, or new ones.
    ///
    /// # Errors
    /// When there is not enough free memory.
    pub fn new(len: usize, bucket_bytes: usize, huge_pages: bool) -> Result<Self, TableError> {
        let kept = KEPT.with_borrow_mut(|kept| kept.take(len, huge_pages));
        let mut words = kept.map_or_else(|| Words::map(len, huge_pages), Ok)?;
        KEPT.with_borrow_mut(|kept| kept.in_use += len);
        // Only buckets of a whole number of words begin and end with a word.
        words.written.bucket_words = bucket_bytes.div_ceil(8) + usize::from(!bucket_bytes.is_multiple_of(8));
        Ok(Self(words))
    }

    /// Records that any bucket may no longer be all zero.
    pub fn record_all(&mut self) {
        let Written { listed, is_block_written, .. } = &mut *self.0.written;
        listed.resize(listed.capacity(), 0);
        is_block_written.fill(true);
    }

    /// Records that a bucket is no longer all zero. `first` is the word in which it begins.
    #[inline(always)]
    pub fn record(&mut self, first: usize) {
        if !self.0.written.is_block_written[first / BLOCK] {
            self.0.record_cold(first);
        }
    }

    /// Makes all words zero again.
    pub fn erase(&mut self) {
        self.0.erase();
    }
}

impl Deref for TableMemory {
    type Target = Memory;
    #[inline]
    fn deref(&self) -> &Memory {
        &self.0.memory
    }
}

impl DerefMut for TableMemory {
    #[inline]
    fn deref_mut(&mut self) -> &mut Memory {
        &mut self.0.memory
    }
}

impl Drop for TableMemory {
    fn drop(&mut self) {
        let words = std::mem::take(&mut self.0);
        // If the thread ends, nothing is kept.
        let _ = KEPT.try_with(|kept| kept.borrow_mut().give_back(words));
    }
}

thread_local! {
    static KEPT: RefCell<Kept> = const { RefCell::new(Kept { limit: 0, in_use: 0, idle: Vec::new() }) };
}

/// The memory that a thread keeps for its next tables.
struct Kept {
    /// The most words that are in use and idle together; 0 if nothing is kept.
    limit: usize,
    in_use: usize,
    /// What was used last comes last.
    idle: Vec<Words>,
}

impl Kept {
    /// Takes idle memory of this length and advice. If there is none, makes room for it.
    fn take(&mut self, len: usize, huge_pages: bool) -> Option<Words> {
        let fits = |words: &Words| words.memory.len() == len && words.written.huge_pages == huge_pages;
        if let Some(index) = self.idle.iter().position(fits) {
            return Some(self.idle.remove(index));
        }
        let idle = |idle: &[Words]| idle.iter().map(|words| words.memory.len()).sum::<usize>();
        while !self.idle.is_empty() && self.in_use + idle(&self.idle) + len > self.limit {
            self.idle.remove(0);
        }
        None
    }

    fn give_back(&mut self, mut words: Words) {
        self.in_use = self.in_use.saturating_sub(words.memory.len());
        if (1..=self.limit).contains(&words.memory.len()) {
            words.erase();
            self.idle.push(words);
        }
    }
}

/// While it lives, its thread keeps the memory of dropped tables for the next tables of the same
/// size.
pub struct KeepTables(());

impl KeepTables {
    /// Tables in use and kept memory take up to `bytes` bytes together.
    #[must_use]
    pub fn up_to(bytes: u64) -> Self {
        KEPT.with_borrow_mut(|kept| kept.limit = usize::try_from(bytes / 8).unwrap_or(usize::MAX));
        Self(())
    }
}

impl Drop for KeepTables {
    fn drop(&mut self) {
        KEPT.with_borrow_mut(|kept| kept.limit = 0);
        release_kept();
    }
}

/// Returns what this thread keeps and does not use to the system.
pub fn release_kept() {
    let _ = KEPT.try_with(|kept| kept.borrow_mut().idle.clear());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What this thread keeps: lengths and advice, what was used last comes last.
    fn idle() -> Vec<(usize, bool)> {
        KEPT.with_borrow(|kept| kept.idle.iter().map(|words| (words.memory.len(), words.written.huge_pages)).collect())
    }

    /// Makes a table, which must be all zero, writes to all of it, and drops it.
    fn use_table(len: usize, huge_pages: bool) {
        let mut memory = TableMemory::new(len, 16, huge_pages).unwrap();
        assert!(memory.iter().all(|&word| word == 0), "{len} words");
        memory.fill(u64::MAX);
        (0..len).step_by(2).for_each(|first| memory.record(first));
    }

    #[test]
    fn memory_is_kept_by_size_and_advice_up_to_the_limit() {
        use_table(1024, true);
        assert_eq!(idle(), []);
        let keep = KeepTables::up_to(8 * 4096);
        [true, true, false].into_iter().for_each(|huge_pages| use_table(1024, huge_pages));
        assert_eq!(idle(), [(1024, true), (1024, false)]);
        use_table(2048, true);
        use_table(1024, true);
        assert_eq!(idle(), [(1024, false), (2048, true), (1024, true)]);
        // The oldest make room.
        use_table(2049, true);
        assert_eq!(idle(), [(1024, true), (2049, true)]);
        use_table(4097, true);
        assert_eq!(idle(), []);
        // What is in use counts too.
        let [first, second] = [2048, 2048].map(|len| TableMemory::new(len, 16, true).unwrap());
        drop(first);
        use_table(1024, true);
        assert_eq!(idle(), [(1024, true)]);
        drop(second);
        assert_eq!(idle(), [(1024, true), (2048, true)]);
        drop(keep);
        assert_eq!(idle(), []);
        KEPT.with_borrow(|kept| assert_eq!(kept.in_use, 0));
    }

    /// Whatever was written unseen is undone.
    #[test]
    fn memory_of_several_threads_is_kept() {
        let _keep = KeepTables::up_to(8 * 4096);
        let mut memory = TableMemory::new(3000, 16, true).unwrap();
        memory.record_all();
        memory.fill(u64::MAX);
        drop(memory);
        assert_eq!(idle(), [(3000, true)]);
        use_table(3000, true);
    }

    /// The list and the blocks, each with a bucket that ends in the next line or block.
    #[test]
    fn erase_undoes_listed_buckets_and_written_blocks() {
        let mut memory = TableMemory::new(4 * BLOCK * LISTED_SHARE, 24, true).unwrap();
        for firsts in [vec![6], vec![0, BLOCK - 1], (0..3 * LISTED_SHARE).map(|bucket| bucket * (BLOCK + 1)).collect()]
        {
            for first in firsts {
                memory[first..first + 3].fill(1);
                memory.record(first);
            }
            memory.erase();
            assert!(memory.iter().all(|&word| word == 0));
        }
    }
}
