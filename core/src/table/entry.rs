//! How entries are packed. All fixed layouts use the same 64-bit data word. They differ in the key
//! bits that they store.
//!
//! ```text
//!  63      49 48      33 32    25 24 23 22   21   20        11 10        0
//! | move 15  | score 16 | depth 8 |bound|pv |used| generation  | nodes 11 |
//! ```
//! The bound has 2 bits, `pv` 1, `used` 1 and the generation 10, so ages are computed modulo 1024.
//! All bits of an empty slot are 0, so its bound is `None`.

use super::memory::Word;
use super::shape::{Shape, ZeroKey};
use super::{Entry, StaticEvaluation};
use crate::chess::{Bound, Move};

pub const MAX_SLOTS: usize = 8;

pub const GENERATIONS: u16 = 1024;

/// Packs an entry into one data word. The module documentation shows the bits.
#[inline]
pub fn pack(entry: &Entry) -> u64 {
    debug_assert!(entry.mv.bits() < 1 << 15, "a move of more than 15 bits: {}", entry.mv);
    debug_assert!(entry.generation < GENERATIONS, "the generation {} is not below {GENERATIONS}", entry.generation);
    u64::from(entry.mv.bits()) << 49
        | u64::from(entry.score as u16) << 33
        | u64::from(entry.depth) << 25
        | (entry.bound as u64) << 23
        | u64::from(entry.pv) << 22
        | u64::from(entry.used) << 21
        | u64::from(entry.generation % GENERATIONS) << 11
        | compress_nodes(entry.nodes)
}

/// Unpacks a data word. The module documentation shows the bits.
#[inline]
pub fn unpack(word: u64) -> Entry {
    Entry {
        mv: Move::from_bits((word >> 49) as u16),
        score: (word >> 33) as i16,
        depth: (word >> 25) as u8,
        bound: bound(word),
        pv: word >> 22 & 1 != 0,
        used: word >> 21 & 1 != 0,
        generation: generation(word),
        nodes: expand_nodes(word),
        evaluation: StaticEvaluation::default(),
    }
}

/// The bits of the bound, which are all 0 in an empty slot.
const BOUND_BITS: u64 = 3 << 23;

/// The bound of a data word; `None` marks an empty slot.
#[inline]
pub fn bound(word: u64) -> Bound {
    Bound::from_bits((word >> 23) as u8)
}

#[inline]
pub fn generation(word: u64) -> u16 {
    (word >> 11) as u16 % GENERATIONS
}

#[inline]
pub fn with_generation(word: u64, generation: u16) -> u64 {
    debug_assert!(bound(word) != Bound::None, "an empty slot has no generation");
    word & !(u64::from(GENERATIONS - 1) << 11) | u64::from(generation % GENERATIONS) << 11
}

#[inline]
pub fn with_move(word: u64, mv: Move) -> u64 {
    debug_assert!(bound(word) != Bound::None, "an empty slot has no move");
    word << 15 >> 15 | u64::from(mv.bits()) << 49
}

#[inline]
pub fn with_less_depth(word: u64, plies: u8) -> u64 {
    let depth = (word >> 25) as u8;
    word & !(0xff << 25) | u64::from(depth.saturating_sub(plies)) << 25
}

#[inline]
pub fn with_mark(word: u64) -> u64 {
    word | 1 << 21
}

#[inline]
pub fn without_mark(word: u64) -> u64 {
    word & !(1 << 21)
}

const MANTISSA_BITS: u32 = 6;

/// Compresses a node count to eleven bits, which consist of five bits of exponent and six bits of
/// mantissa. Counts below 64 are exact, and larger counts are rounded down. A larger count never
/// has a smaller compressed value.
///
/// Nearly all stores are of small subtrees, so the branch is predicted well.
#[inline]
pub fn compress_nodes(nodes: u32) -> u64 {
    if nodes < 1 << MANTISSA_BITS {
        return nodes.into();
    }
    let shift = nodes.ilog2() - MANTISSA_BITS;
    // The leading bit of the mantissa, which is implied, adds 1 to the exponent.
    u64::from((shift << MANTISSA_BITS) + (nodes >> shift))
}

/// Expands a node count from the lowest eleven bits of a word; the higher bits are ignored.
#[inline]
pub fn expand_nodes(word: u64) -> u32 {
    let (exponent, mantissa) = ((word >> MANTISSA_BITS) as u32 & 31, word as u32 & ((1 << MANTISSA_BITS) - 1));
    // From exponent 1 on, the leading bit of the mantissa is implied.
    let implied_bit = u32::from(exponent > 0);
    (mantissa | implied_bit << MANTISSA_BITS) << (exponent - implied_bit)
}

/// A layout of entries in a bucket.
pub trait Packing: Clone + Send + 'static {
    /// The type of a bucket's words.
    type Word: Word;
    /// Creates the packing for a shape. A packing of whole words ignores the shape.
    fn new(shape: Option<Shape>) -> Self;
    /// The number of words in a bucket of `slots` entries.
    fn words(&self, slots: usize) -> usize;
    /// Number of key bits stored in a slot.
    fn key_bits(&self) -> u32;
    /// The bits of a key that a slot stores. These are the high bits of the key if `high_bits` is
    /// true, otherwise the low bits.
    fn stored_key(&self, key: u64, high_bits: bool) -> u64;
    /// The key bits stored in a slot.
    fn key(&self, bucket: &[Self::Word], slot: usize) -> u64;
    /// The data word of a slot.
    fn data(&self, bucket: &[Self::Word], slot: usize) -> u64;
    /// The special meaning of key bits that are all 0, if they have any. The function is always
    /// inlined, so that the compiler removes the code for the special meaning from layouts in which
    /// there is none.
    #[inline(always)]
    fn zero_key(&self) -> Option<ZeroKey> {
        None
    }
    /// Whether a slot has no entry.
    #[inline]
    fn is_empty(&self, bucket: &[Self::Word], slot: usize) -> bool {
        self.data(bucket, slot) & BOUND_BITS == 0
    }
    /// The entry of a slot.
    #[inline]
    fn entry(&self, bucket: &[Self::Word], slot: usize) -> Entry {
        unpack(self.data(bucket, slot))
    }
    /// Whether a field of the layout is too narrow for its value in this entry, so that the value
    /// is clipped.
    #[inline]
    fn clips(&self, _entry: &Entry) -> bool {
        false
    }
    /// Replaces what a data word has of a slot. The slot keeps everything else.
    fn set_data(&self, bucket: &mut [Self::Word], slot: usize, word: u64);
    /// Replaces the move of a slot.
    #[inline]
    fn set_move(&self, bucket: &mut [Self::Word], slot: usize, mv: Move) {
        self.set_data(bucket, slot, with_move(self.data(bucket, slot), mv));
    }
    /// Writes key bits and entry to a slot.
    fn write(&self, bucket: &mut [Self::Word], slot: usize, stored_key: u64, entry: &Entry);
    /// Copies one slot of a bucket over another.
    fn copy(&self, bucket: &mut [Self::Word], from: usize, to: usize);
}

/// A layout in which each slot has whole words: the key, the data and, if `WORDS` is 3, a word with
/// the exact node count and the static evaluation.
#[derive(Clone)]
pub struct WholeWords<const WORDS: usize>;

/// Two words per slot.
pub type Bytes16 = WholeWords<2>;

/// Three words per slot.
pub type Bytes24 = WholeWords<3>;

impl<const WORDS: usize> Packing for WholeWords<WORDS> {
    type Word = u64;
    fn new(_: Option<Shape>) -> Self {
        Self
    }
    #[inline]
    fn words(&self, slots: usize) -> usize {
        WORDS * slots
    }
    fn key_bits(&self) -> u32 {
        64
    }
    #[inline]
    fn stored_key(&self, key: u64, _: bool) -> u64 {
        key
    }
    #[inline]
    fn key(&self, bucket: &[u64], slot: usize) -> u64 {
        bucket[WORDS * slot]
    }
    #[inline]
    fn data(&self, bucket: &[u64], slot: usize) -> u64 {
        bucket[WORDS * slot + 1]
    }
    #[inline]
    fn entry(&self, bucket: &[u64], slot: usize) -> Entry {
        let entry = unpack(self.data(bucket, slot));
        if WORDS == 2 {
            return entry;
        }
        let third_word = bucket[WORDS * slot + 2];
        Entry { nodes: third_word as u32, evaluation: StaticEvaluation((third_word >> 32) as u16), ..entry }
    }
    #[inline]
    fn set_data(&self, bucket: &mut [u64], slot: usize, word: u64) {
        bucket[WORDS * slot + 1] = word;
    }
    #[inline]
    fn write(&self, bucket: &mut [u64], slot: usize, stored_key: u64, entry: &Entry) {
        bucket[WORDS * slot] = stored_key;
        bucket[WORDS * slot + 1] = pack(entry);
        if WORDS > 2 {
            bucket[WORDS * slot + 2] = u64::from(entry.nodes) | u64::from(entry.evaluation.0) << 32;
        }
    }
    #[inline]
    fn copy(&self, bucket: &mut [u64], from: usize, to: usize) {
        bucket.copy_within(WORDS * from..WORDS * (from + 1), WORDS * to);
    }
}

/// A layout of `SLOTS` slots in `WORDS` words. The data words come first, then the 16-bit keys,
/// four to a word.
#[derive(Clone)]
pub struct KeysLast<const SLOTS: usize, const WORDS: usize> {
    zero_key: Option<ZeroKey>,
}

/// Three slots in 32 bytes.
pub type Bytes10 = KeysLast<3, 4>;

/// Five slots in 64 bytes.
pub type Bytes12 = KeysLast<5, 8>;

impl<const SLOTS: usize, const WORDS: usize> Packing for KeysLast<SLOTS, WORDS> {
    type Word = u64;
    fn new(shape: Option<Shape>) -> Self {
        Self { zero_key: shape.and_then(|shape| shape.zero_key) }
    }
    #[inline(always)]
    fn zero_key(&self) -> Option<ZeroKey> {
        self.zero_key
    }
    #[inline]
    fn words(&self, _: usize) -> usize {
        WORDS
    }
    fn key_bits(&self) -> u32 {
        16
    }
    #[inline]
    fn stored_key(&self, key: u64, high_bits: bool) -> u64 {
        if high_bits { key >> 48 } else { key & 0xffff }
    }
    #[inline]
    fn key(&self, bucket: &[u64], slot: usize) -> u64 {
        bucket[SLOTS + slot / 4] >> (slot % 4 * 16) & 0xffff
    }
    #[inline]
    fn data(&self, bucket: &[u64], slot: usize) -> u64 {
        bucket[slot]
    }
    #[inline]
    fn set_data(&self, bucket: &mut [u64], slot: usize, word: u64) {
        bucket[slot] = word;
    }
    #[inline]
    fn write(&self, bucket: &mut [u64], slot: usize, stored_key: u64, entry: &Entry) {
        bucket[slot] = pack(entry);
        let (keys, shift) = (&mut bucket[SLOTS + slot / 4], slot % 4 * 16);
        *keys = *keys & !(0xffff << shift) | stored_key << shift;
    }
    #[inline]
    fn copy(&self, bucket: &mut [u64], from: usize, to: usize) {
        self.write(bucket, to, self.key(bucket, from), &unpack(bucket[from]));
    }
}

/// A layout of slots in 16-bit words: `KEY_WORDS` words of the key, then the data word.
#[derive(Clone)]
pub struct KeysFirst<const KEY_WORDS: usize>;

impl<const KEY_WORDS: usize> Packing for KeysFirst<KEY_WORDS> {
    type Word = u16;
    fn new(_: Option<Shape>) -> Self {
        Self
    }
    #[inline]
    fn words(&self, slots: usize) -> usize {
        (KEY_WORDS + 4) * slots
    }
    fn key_bits(&self) -> u32 {
        16 * KEY_WORDS as u32
    }
    #[inline]
    fn stored_key(&self, key: u64, high_bits: bool) -> u64 {
        if high_bits { key >> (64 - self.key_bits()) } else { key & ((1 << self.key_bits()) - 1) }
    }
    #[inline]
    fn key(&self, bucket: &[u16], slot: usize) -> u64 {
        read_words::<KEY_WORDS>(&bucket[self.words(slot)..])
    }
    #[inline]
    fn data(&self, bucket: &[u16], slot: usize) -> u64 {
        read_words::<4>(&bucket[self.words(slot) + KEY_WORDS..])
    }
    #[inline]
    fn set_data(&self, bucket: &mut [u16], slot: usize, word: u64) {
        write_words::<4>(&mut bucket[self.words(slot) + KEY_WORDS..], word);
    }
    #[inline]
    fn write(&self, bucket: &mut [u16], slot: usize, stored_key: u64, entry: &Entry) {
        write_words::<KEY_WORDS>(&mut bucket[self.words(slot)..], stored_key);
        self.set_data(bucket, slot, pack(entry));
    }
    #[inline]
    fn copy(&self, bucket: &mut [u16], from: usize, to: usize) {
        bucket.copy_within(self.words(from)..self.words(from + 1), self.words(to));
    }
}

/// Reads the first `N` words, the lowest first.
#[inline(always)]
fn read_words<const N: usize>(words: &[u16]) -> u64 {
    words[..N].iter().rev().fold(0, |read, &word| read << 16 | u64::from(word))
}

#[inline(always)]
fn write_words<const N: usize>(words: &mut [u16], value: u64) {
    words[..N].iter_mut().enumerate().for_each(|(index, word)| *word = (value >> (16 * index)) as u16);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_entry() -> impl Strategy<Value = Entry> {
        (
            0u16..0x8000,
            -32_001i16..=32_001,
            any::<u8>(),
            1u8..4,
            any::<bool>(),
            any::<bool>(),
            0..GENERATIONS,
            any::<u32>(),
            any::<u16>().prop_map(StaticEvaluation),
        )
            .prop_map(|(mv, score, depth, bound, pv, used, generation, nodes, evaluation)| Entry {
                mv: Move::from_bits(mv),
                score,
                depth,
                bound: Bound::from_bits(bound),
                pv,
                used,
                generation,
                nodes,
                evaluation,
            })
    }

    proptest! {
        #[test]
        fn packed_entry_unpacks_to_itself(entry in any_entry()) {
            let unpacked = unpack(pack(&entry));
            prop_assert_eq!(Entry { nodes: 0, ..unpacked }, Entry { nodes: 0, evaluation: StaticEvaluation::default(), ..entry });
            prop_assert!(unpacked.nodes <= entry.nodes);
            prop_assert!(u64::from(entry.nodes - unpacked.nodes) * 64 <= u64::from(entry.nodes));
        }

        #[test]
        fn rounding_nodes_is_monotone(a in any::<u32>(), b in any::<u32>()) {
            prop_assert_eq!(a <= b, a <= b && compress_nodes(a) <= compress_nodes(b));
            prop_assert_eq!(compress_nodes(expand_nodes(compress_nodes(a))), compress_nodes(a));
        }

        #[test]
        fn writing_a_slot_leaves_the_others_unchanged(entries in prop::collection::vec((any::<u64>(), any_entry()), 3)) {
            fn holds<P: Packing<Word: Default>>(entries: &[(u64, Entry)], has_third_word: bool) -> bool {
                let packing = P::new(None);
                let mut bucket = vec![Default::default(); packing.words(3)];
                for (slot, (key, entry)) in entries.iter().enumerate().rev() {
                    packing.write(&mut bucket, slot, packing.stored_key(*key, true), entry);
                }
                packing.copy(&mut bucket, 2, 0);
                [2usize, 1, 2].iter().enumerate().all(|(slot, &from)| {
                    let (key, entry) = entries[from];
                    let stored = packing.entry(&bucket, slot);
                    let third_word = |entry: Entry| if has_third_word { (entry.nodes, entry.evaluation) } else { (0, StaticEvaluation::default()) };
                    let data_word = |entry: Entry| Entry { nodes: 0, evaluation: StaticEvaluation::default(), ..entry };
                    packing.key(&bucket, slot) == packing.stored_key(key, true)
                        && (data_word(stored), third_word(stored)) == (data_word(entry), third_word(entry))
                })
            }
            prop_assert!(holds::<Bytes16>(&entries, false));
            prop_assert!(holds::<Bytes24>(&entries, true));
            prop_assert!(holds::<Bytes10>(&entries, false));
            prop_assert!(holds::<KeysFirst<1>>(&entries, false));
            prop_assert!(holds::<KeysFirst<2>>(&entries, false));
        }
    }

    #[test]
    fn node_count_is_exact_below_64_and_fits_eleven_bits() {
        for nodes in 0..64 {
            assert_eq!(expand_nodes(compress_nodes(nodes)), nodes);
        }
        assert!(compress_nodes(u32::MAX) < 1 << 11);
        assert!(expand_nodes(compress_nodes(u32::MAX)) > u32::MAX - (1 << 26));
    }
}
