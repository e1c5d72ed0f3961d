//! What a bucket has: bytes that it counts as, and words in memory.

use super::entry::{Bytes10, Bytes16, Bytes24, Packing};
use super::options::{Layout, TableOptions};

/// The layout in memory: only one has room for a static evaluation beside what is measured.
pub fn memory_layout(options: &TableOptions) -> Layout {
    if options.static_evaluation { Layout::Bytes24 } else { options.layout }
}

/// 64-bit words of a bucket in a layout, for entries and policy together.
fn words_in(layout: Layout, options: &TableOptions) -> u64 {
    let slots = usize::from(options.slots);
    (options.policy.words()
        + match layout {
            Layout::Bytes16 => Bytes16::words(slots),
            Layout::Bytes24 => Bytes24::words(slots),
            Layout::Bytes10 => Bytes10::words(slots),
        }) as u64
}

/// 64-bit words per bucket in memory.
pub fn bucket_words(options: &TableOptions) -> u64 {
    words_in(memory_layout(options), options)
}

/// The fewest bits of an entry beside its key: move 15, score 16, depth 8, bound 2.
pub const LEAST_BITS: u32 = 41;

/// Bytes that each bucket counts as.
pub fn bucket_bytes(options: &TableOptions) -> u64 {
    match options.bucket_bytes {
        0 => 8 * words_in(options.layout, options),
        bytes => bytes.into(),
    }
}
