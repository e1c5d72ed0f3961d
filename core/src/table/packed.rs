//! Entries packed bit by bit as `table.layout` describes them, in buckets of 16-bit words.
//!
//! ```text
//! | key | evaluation | bound | pv | used | depth | generation | score | move | nodes | padding |
//! ```
//! The keys may instead be in a separate word after the entries. The fields `used` and `nodes` (the
//! rounded number of nodes in the subtree), which engines do not store, are present only if the
//! layout has bits that no other field uses. All bits of an empty slot are 0.

use super::entry::{Packing, compress_nodes, expand_nodes, pack, unpack};
use super::shape::{Fields, Shape, ZeroKey};
use super::{Entry, NO_SCORE, StaticEvaluation};
use crate::chess::{Bound, Move, Score};

/// The packing of a shape, which knows where in a bucket the bits of each slot are.
#[derive(Clone)]
pub struct Packed {
    shape: Shape,
    fields: Fields,
    /// The number of bits from the start of an entry to the start of the next entry.
    entry_bits: usize,
    data_bits: usize,
    /// The number of bits from the start of a key to the start of the next key.
    key_stride: usize,
    first_key_start: usize,
    /// The number of key bits at the start of each entry, before its data. It is 0 if the keys are
    /// in a separate word.
    inline_key_bits: usize,
}

/// The bits of a move that a data word has. An engine's own move may have one more.
const MOVE_BITS: u16 = (1 << 15) - 1;

fn mask(bits: usize) -> u128 {
    (1 << bits) - 1
}

/// The first of four words that have all of the bits, and the place of the bits in them, unless
/// there are no four such words. Four words are read and written at once.
#[inline(always)]
fn four_words(len: usize, offset: usize, bits: usize) -> Option<(usize, usize)> {
    let first = (offset / 16).min(len.checked_sub(4)?);
    let shift = offset - 16 * first;
    (shift + bits <= 64).then_some((first, shift))
}

#[inline(always)]
fn join(words: &[u16]) -> u64 {
    (0..4).fold(0, |raw, index| raw | u64::from(words[index]) << (16 * index))
}

/// Reads `bits` bits of a bucket, starting at bit `offset`. At most 113 bits can be read, so that
/// they lie in at most eight words.
#[inline(always)]
fn read(bucket: &[u16], offset: usize, bits: usize) -> u128 {
    debug_assert!(offset % 16 + bits <= 128, "{bits} bits at {offset}");
    if let Some((first, shift)) = four_words(bucket.len(), offset, bits) {
        return u128::from(join(&bucket[first..first + 4]) >> (shift % 64) & mask(bits) as u64);
    }
    let words = &bucket[offset / 16..(offset + bits).div_ceil(16)];
    let raw = words.iter().rev().fold(0, |raw, &word| raw << 16 | u128::from(word));
    raw >> (offset % 16) & mask(bits)
}

/// Writes `value` to `bits` bits of a bucket, starting at bit `offset`. All other bits of the
/// bucket stay unchanged.
#[inline(always)]
fn write(bucket: &mut [u16], offset: usize, bits: usize, value: u128) {
    debug_assert!(value <= mask(bits), "{value} in {bits} bits");
    if let Some((first, shift)) = four_words(bucket.len(), offset, bits) {
        let (words, shift) = (&mut bucket[first..first + 4], shift % 64);
        let raw = join(words) & !((mask(bits) as u64) << shift) | (value as u64) << shift;
        for (index, word) in words.iter_mut().enumerate() {
            *word = (raw >> (16 * index)) as u16;
        }
        return;
    }
    let (shifted_mask, shifted_value) = (mask(bits) << (offset % 16), value << (offset % 16));
    for (index, word) in bucket[offset / 16..(offset + bits).div_ceil(16)].iter_mut().enumerate() {
        *word = *word & !((shifted_mask >> (16 * index)) as u16) | (shifted_value >> (16 * index)) as u16;
    }
}

/// Packs a score as a signed number of `bits` bits. A score that does not fit is replaced by the
/// nearest score that fits. The smallest number stands for [`NO_SCORE`].
fn pack_score(score: i16, bits: u32) -> u64 {
    let largest_score = (1 << (bits.min(16) - 1)) - 1;
    let score =
        if score == NO_SCORE { -largest_score - 1 } else { i32::from(score).clamp(-largest_score, largest_score) };
    score as u64 & ((1 << bits) - 1)
}

fn unpack_score(packed: u64, bits: u32) -> i16 {
    let score = (packed << (64 - bits)) as i64 >> (64 - bits);
    if score == -1 << (bits.min(16) - 1) { NO_SCORE } else { score as i16 }
}

/// Packs an evaluation into `bits` bits. Half of the range is added to the evaluation, so that the
/// result is positive. Returns 0 if there is no evaluation or if the evaluation does not fit.
fn pack_evaluation(evaluation: StaticEvaluation, bits: u32) -> u64 {
    let half_range = if bits == 0 { 0 } else { 1 << (bits.min(16) - 1) };
    evaluation.get().filter(|score| score.abs() < half_range).map_or(0, |score| (score + half_range) as u64)
}

/// Unpacks an evaluation that `pack_evaluation` packed. 0 stands for no evaluation.
fn unpack_evaluation(packed: u64, bits: u32) -> StaticEvaluation {
    if packed == 0 {
        StaticEvaluation::default()
    } else {
        StaticEvaluation::new(packed as Score - (1 << (bits.min(16) - 1)))
    }
}

impl Packed {
    fn key_offset(&self, slot: usize) -> usize {
        self.first_key_start + slot * self.key_stride
    }

    fn data_offset(&self, slot: usize) -> usize {
        slot * self.entry_bits + self.inline_key_bits
    }

    fn write_data(&self, bucket: &mut [u16], slot: usize, entry: &Entry) {
        let Fields { evaluation, depth, generation, score, mv, nodes, .. } = self.fields;
        let largest_depth = (1 << depth.bits) - 1;
        let stored_depth = i32::from(entry.depth) - i32::from(self.shape.depth_offset);
        let data = evaluation.encode(pack_evaluation(entry.evaluation, evaluation.bits))
            | self.fields.bound.encode(entry.bound as u64)
            | self.fields.pv.encode(entry.pv.into())
            | self.fields.used.encode(entry.used.into())
            | depth.encode(stored_depth.min(largest_depth) as u64)
            | generation.encode(entry.generation.into())
            | score.encode(pack_score(entry.score, score.bits))
            | mv.encode(entry.mv.bits().into())
            | nodes.encode(if nodes.bits == 0 { 0 } else { compress_nodes(entry.nodes) });
        write(bucket, self.data_offset(slot), self.data_bits, data);
    }
}

impl Packing for Packed {
    type Word = u16;

    fn new(shape: Option<Shape>) -> Self {
        // A layout with this packing always has a shape.
        let shape = shape.unwrap_or_default();
        let fields = shape.fields();
        let (entry_bits, key_bits) = (8 * usize::from(shape.entry), usize::from(shape.key_bits));
        let (inline_key_bits, key_stride, first_key_start) = match shape.first_key_bit() {
            // All keys are in a separate word after the entries.
            Some(first_key_start) => (0, key_bits, first_key_start),
            // Each key is at the start of its entry.
            None => (key_bits, entry_bits, 0),
        };
        let data_bits = fields.bits() as usize;
        Self { shape, fields, entry_bits, data_bits, key_stride, first_key_start, inline_key_bits }
    }

    fn words(&self, _: usize) -> usize {
        usize::from(self.shape.bucket) / 2
    }

    fn key_bits(&self) -> u32 {
        self.shape.key_bits.into()
    }

    fn stored_key(&self, key: u64, high_bits: bool) -> u64 {
        match self.shape.key_bits {
            0 => 0,
            bits if high_bits => key >> (64 - bits),
            bits => key & u64::MAX >> (64 - bits),
        }
    }

    fn key(&self, bucket: &[u16], slot: usize) -> u64 {
        read(bucket, self.key_offset(slot), usize::from(self.shape.key_bits)) as u64
    }

    fn data(&self, bucket: &[u16], slot: usize) -> u64 {
        let entry = self.entry(bucket, slot);
        pack(&Entry { mv: Move::from_bits(entry.mv.bits()), ..entry })
    }

    fn zero_key(&self) -> Option<ZeroKey> {
        self.shape.zero_key
    }

    fn is_empty(&self, bucket: &[u16], slot: usize) -> bool {
        let bound = self.fields.bound;
        read(bucket, self.data_offset(slot) + bound.shift as usize, bound.bits as usize) == 0
    }

    fn entry(&self, bucket: &[u16], slot: usize) -> Entry {
        let data = read(bucket, self.data_offset(slot), self.data_bits);
        let Fields { evaluation, bound, pv, used, depth, generation, score, mv, nodes } = self.fields;
        let bound = Bound::from_bits(bound.get(data) as u8);
        if bound == Bound::None {
            // An empty slot may answer a probe of a key that is 0 (see [`ZeroKey`]). The answer has
            // the slot's generation and an evaluation of 0.
            let has_evaluation = self.shape.zero_key.is_some() && evaluation.bits > 0;
            let evaluation = if has_evaluation { StaticEvaluation::new(0) } else { StaticEvaluation::default() };
            return Entry { generation: generation.get(data) as u16, evaluation, ..Entry::default() };
        }
        Entry {
            mv: Move::opaque(mv.get(data) as u16),
            score: unpack_score(score.get(data), score.bits),
            bound,
            depth: (depth.get(data) as i32 + i32::from(self.shape.depth_offset)).clamp(0, 255) as u8,
            pv: pv.get(data) != 0,
            nodes: expand_nodes(nodes.get(data)),
            generation: generation.get(data) as u16,
            used: used.get(data) != 0,
            evaluation: unpack_evaluation(evaluation.get(data), evaluation.bits),
        }
    }

    fn clips(&self, entry: &Entry) -> bool {
        let Fields { evaluation, depth, score, .. } = self.fields;
        let largest_score = (1 << (score.bits.min(16) - 1)) - 1;
        let largest_depth = (1 << depth.bits) - 1;
        let clips_depth = i32::from(entry.depth) - i32::from(self.shape.depth_offset) > largest_depth;
        let clips_score = !entry.is_evaluation() && i32::from(entry.score).abs() > largest_score;
        let has_evaluation = evaluation.bits > 0 && entry.evaluation.get().is_some();
        // An evaluation that does not fit is packed as 0, which stands for no evaluation.
        let loses_evaluation = has_evaluation && pack_evaluation(entry.evaluation, evaluation.bits) == 0;
        clips_depth || clips_score || loses_evaluation
    }

    fn set_data(&self, bucket: &mut [u16], slot: usize, word: u64) {
        let (entry, old) = (unpack(word), self.entry(bucket, slot));
        let mv = Move::opaque(entry.mv.bits() | old.mv.bits() & !MOVE_BITS);
        self.write_data(bucket, slot, &Entry { mv, evaluation: old.evaluation, ..entry });
    }

    fn set_move(&self, bucket: &mut [u16], slot: usize, mv: Move) {
        let entry = self.entry(bucket, slot);
        self.write_data(bucket, slot, &Entry { mv, ..entry });
    }

    fn write(&self, bucket: &mut [u16], slot: usize, stored_key: u64, entry: &Entry) {
        write(bucket, self.key_offset(slot), usize::from(self.shape.key_bits), stored_key.into());
        self.write_data(bucket, slot, entry);
    }

    fn copy(&self, bucket: &mut [u16], from: usize, to: usize) {
        let (key, data) = (self.key(bucket, from), read(bucket, self.data_offset(from), self.data_bits));
        write(bucket, self.key_offset(to), usize::from(self.shape.key_bits), key.into());
        write(bucket, self.data_offset(to), self.data_bits, data);
    }
}
