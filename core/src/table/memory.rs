//! The memory of a table, which consists of zeroed words from the kernel. The memory is in huge
//! pages if the kernel grants them, and it is touched before any time is measured.
#![allow(unsafe_code)]

use super::TableError;
use crate::system::available_bytes;
use rustix::mm::{self, Advice, MapFlags, ProtFlags};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Size and alignment of a huge page, in bytes.
const HUGE_PAGE: usize = 2 << 20;

/// The smallest size of a page, in bytes.
const PAGE: usize = 4 << 10;

/// Checks that `bytes` bytes of memory are free. The caller must hold the returned lock until it
/// has touched the memory. Otherwise two threads could count on the same free memory.
///
/// Sizes below a huge page are not checked, because [`available_bytes`] keeps a larger reserve.
/// They need no lock, so the result is `None`.
///
/// # Errors
/// When less memory is free. If the process used more memory than is free, it would be killed.
pub(crate) fn check_free(bytes: u64) -> Result<Option<MutexGuard<'static, ()>>, TableError> {
    static MEMORY_LOCK: Mutex<()> = Mutex::new(());
    if bytes < HUGE_PAGE as u64 {
        return Ok(None);
    }
    let memory_lock = MEMORY_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    match available_bytes() {
        available @ Some(free) if free < bytes => Err(TableError::Memory { bytes, available }),
        _ => Ok(Some(memory_lock)),
    }
}

/// Maps zeroed bytes. Miri knows no calls of the kernel, so there they are those of a boxed slice.
fn map(len: usize) -> Option<*mut core::ffi::c_void> {
    if cfg!(miri) {
        return Some(Box::into_raw(vec![0_u64; len / 8].into_boxed_slice()).cast());
    }
    let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
    // SAFETY: the kernel chooses the address of the new anonymous mapping, so it does not overlap
    // memory that the program already uses.
    unsafe { mm::mmap_anonymous(core::ptr::null_mut(), len, access, flags) }.ok()
}

/// A block of zeroed 64-bit words.
pub struct Memory {
    /// The start of the mapping, which may be up to a huge page before the first word.
    map: *mut core::ffi::c_void,
    /// 0 if there is no mapping, and there are no words.
    map_len: usize,
    words: *mut u64,
    len: usize,
}

// SAFETY: the words are only reached through this value.
unsafe impl Send for Memory {}
// SAFETY: through a shared borrow they are only read, or reached as atomic words.
unsafe impl Sync for Memory {}

impl Memory {
    /// Maps and touches `len` words. A block smaller than a huge page is aligned to a normal page
    /// only.
    ///
    /// # Errors
    /// When there is not enough free memory.
    pub fn new(len: usize, huge_pages: bool) -> Result<Self, TableError> {
        // A slice cannot have more than isize::MAX bytes, even if the kernel grants more.
        let bytes = len.checked_mul(8).filter(|&bytes| isize::try_from(bytes).is_ok());
        let bytes = bytes.ok_or(TableError::Memory { bytes: u64::MAX, available: None })?;
        let is_large = bytes >= HUGE_PAGE;
        let out_of_memory = || TableError::Memory { bytes: bytes as u64, available: None };
        let map_len = bytes.checked_add(if is_large { HUGE_PAGE } else { 0 }).ok_or_else(out_of_memory)?.max(1);
        let _memory_lock = check_free(bytes as u64)?;
        let map = map(map_len).ok_or_else(out_of_memory)?;
        let offset = if is_large { (map as usize).next_multiple_of(HUGE_PAGE) - map as usize } else { 0 };
        // SAFETY: the offset is below HUGE_PAGE. If it is not 0, the mapping is HUGE_PAGE bytes
        // longer than the words.
        let words = unsafe { map.byte_add(offset) }.cast::<u64>();
        debug_assert!(words.is_aligned() && offset + bytes <= map_len, "the words do not lie in the mapping");
        let mut memory = Self { map, map_len, words, len };
        if is_large && !cfg!(miri) {
            let advice = if huge_pages { Advice::LinuxHugepage } else { Advice::LinuxNoHugepage };
            // SAFETY: the range lies inside the mapping. If the kernel refuses the advice, the
            // table is only slower. `huge_pages` reports whether huge pages are used.
            let _ = unsafe { mm::madvise(words.cast(), bytes, advice) };
        }
        // The pages are already zero. Writing a word of each makes the kernel provide them now, and
        // not while time is measured.
        memory.iter_mut().step_by(PAGE / 8).for_each(|word| *word = 0);
        Ok(memory)
    }

    /// Whether most of the block is in huge pages. Returns `None` if the system does not say.
    pub fn huge_pages(&self) -> Option<bool> {
        let smaps = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let (mut is_in_block, mut huge_bytes) = (false, None);
        // For each mapping, the line with its address range comes before the lines with its
        // properties.
        for line in smaps.lines() {
            if let Some((start, end)) = line.split(' ').next().and_then(|range| range.split_once('-'))
                && let (Ok(start), Ok(end)) = (usize::from_str_radix(start, 16), usize::from_str_radix(end, 16))
            {
                is_in_block = start < self.words as usize + self.len * 8 && end > self.words as usize;
            } else if is_in_block && let Some(size) = line.strip_prefix("AnonHugePages:") {
                let kib: usize = size.trim().trim_end_matches(" kB").parse().ok()?;
                huge_bytes = Some(huge_bytes.unwrap_or(0) + kib * 1024);
            }
        }
        huge_bytes.map(|bytes| bytes * 2 > self.len * 8)
    }

    /// Tells the processor that this word will be read soon.
    #[inline]
    pub fn prefetch(&self, word: usize) {
        prefetch::<false>(self.words.wrapping_add(word));
    }
}

/// Tells the processor that a word will be read soon or, if `WRITES` is true, written, so that no
/// other core keeps its line. The word need not exist.
#[inline]
pub fn prefetch<const WRITES: bool>(word: *const u64) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch reads nothing that the program sees, and does not fault at any address. A
    // processor that does not know the second instruction does nothing.
    unsafe {
        if WRITES {
            core::arch::asm!("prefetchw [{}]", in(reg) word, options(nostack, preserves_flags, readonly));
        } else {
            core::arch::x86_64::_mm_prefetch(word.cast(), core::arch::x86_64::_MM_HINT_T0);
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = word;
}

impl Deref for Memory {
    type Target = [u64];
    #[inline]
    fn deref(&self) -> &[u64] {
        // SAFETY: `words` points to `len` initialised words of the mapping, which lives as long as
        // `self`.
        unsafe { core::slice::from_raw_parts(self.words, self.len) }
    }
}

impl DerefMut for Memory {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        // SAFETY: as for `deref`; the exclusive borrow of `self` makes the slice exclusive.
        unsafe { core::slice::from_raw_parts_mut(self.words, self.len) }
    }
}

impl Default for Memory {
    /// No words.
    fn default() -> Self {
        Self { map: core::ptr::null_mut(), map_len: 0, words: core::ptr::dangling_mut(), len: 0 }
    }
}

/// Memory whose words several threads read and write one by one.
#[derive(Default)]
pub struct SharedWords<M>(M);

impl<M: Deref<Target = Memory>> SharedWords<M> {
    pub fn new(memory: M) -> Self {
        Self(memory)
    }
}

impl<M: Deref<Target = Memory>> Deref for SharedWords<M> {
    type Target = [AtomicU64];
    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        let Memory { words, len, .. } = *self.0;
        // SAFETY: as for `Memory`. An atomic word has the size and alignment of a word, and nothing
        // else reaches the words while this value has them.
        unsafe { core::slice::from_raw_parts(words.cast::<AtomicU64>(), len) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.map_len == 0 {
            return;
        }
        if cfg!(miri) {
            // SAFETY: the words came from `Box::into_raw` in `map`, with this length.
            drop(unsafe {
                Box::from_raw(core::ptr::slice_from_raw_parts_mut(self.map.cast::<u64>(), self.map_len / 8))
            });
            return;
        }
        // SAFETY: the mapping was made in `new` with this address and length, and no borrow of it
        // is left.
        let _ = unsafe { mm::munmap(self.map, self.map_len) };
    }
}

/// A word of a bucket: 64 bits in the fixed layouts, 16 bits in layouts described by a shape.
pub trait Word: Copy + Send + 'static {
    /// Views 64-bit words as words of this type.
    fn view(words: &[u64]) -> &[Self];
    /// Views 64-bit words as mutable words of this type.
    fn view_mut(words: &mut [u64]) -> &mut [Self];
}

impl Word for u64 {
    #[inline(always)]
    fn view(words: &[u64]) -> &[Self] {
        words
    }
    #[inline(always)]
    fn view_mut(words: &mut [u64]) -> &mut [Self] {
        words
    }
}

impl Word for u16 {
    #[inline(always)]
    fn view(words: &[u64]) -> &[Self] {
        // SAFETY: a 64-bit word has the size of four 16-bit words and a stricter alignment, and
        // every bit pattern is valid for both.
        unsafe { core::slice::from_raw_parts(words.as_ptr().cast(), 4 * words.len()) }
    }
    #[inline(always)]
    fn view_mut(words: &mut [u64]) -> &mut [Self] {
        // SAFETY: as for `view`; the exclusive borrow makes the slice exclusive.
        unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), 4 * words.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zeroed_and_aligned_and_refused_when_too_large() {
        let memory = Memory::new(HUGE_PAGE / 8 + 1, true).unwrap();
        assert!(memory.iter().all(|&word| word == 0));
        assert_eq!(memory.words as usize % HUGE_PAGE, 0);
        // From one huge page on, another one is mapped as room for alignment.
        for (len, room) in [(HUGE_PAGE / 8 - 1, 0), (HUGE_PAGE / 8, HUGE_PAGE)] {
            assert_eq!(Memory::new(len, true).unwrap().map_len, len * 8 + room);
        }
        // Half of the free memory is granted, twice as much is refused.
        if let Some(free) = available_bytes() {
            let refused = |bytes: u64| matches!(check_free(bytes), Err(TableError::Memory { available: Some(_), .. }));
            assert_eq!([free / 2, free * 2].map(refused), [false, true]);
            assert!(matches!(Memory::new(free as usize / 4, true), Err(TableError::Memory { available: Some(_), .. })));
        }
        memory.prefetch(0);
        memory.prefetch(usize::MAX);
        assert!(matches!(Memory::new(usize::MAX / 16, true), Err(TableError::Memory { .. })));
        // For some of these, bytes plus margin overflow a usize.
        for len in [usize::MAX, usize::MAX / 8, isize::MAX as usize / 8, 1 << 60] {
            assert!(matches!(Memory::new(len, true), Err(TableError::Memory { .. })), "{len}");
        }
    }
}
