//! Entries packed bit by bit as `table.layout` describes them, in buckets of 16-bit words.
//!
//! ```text
//! | key | evaluation | bound | pv | used | depth | generation | score | move | nodes | padding |
//! ```
//! The keys may instead be in a separate word behind the entries. `used` and the rounded nodes of
//! the subtree, which no engine keeps, take bits that the layout leaves over, if there are any. An
//! empty slot is all zero.

use super::entry::{Packing, compress_nodes, expand_nodes, pack, unpack};
use super::shape::{Fields, Shape, ZeroKey};
use super::{Entry, NO_SCORE, StaticEvaluation};
use crate::chess::{Bound, Move, Score};

/// A packing by shape: where the bits of each slot are in its bucket.
pub struct Packed {
    shape: Shape,
    fields: Fields,
    /// Bits from the start of an entry to the start of the next.
    entry_bits: usize,
    data_bits: usize,
    /// Bits from the start of a key to the start of the next.
    key_stride: usize,
    /// The bit at which the first key begins.
    first_key: usize,
    /// Bits of the key within an entry, before its data; 0 if keys are in a separate word.
    inline_key_bits: usize,
}

fn mask(bits: usize) -> u128 {
    (1 << bits) - 1
}

/// Reads `bits` bits of a bucket that begin at bit `offset`; at most 113, so that they lie in eight
/// words.
fn read(bucket: &[u16], offset: usize, bits: usize) -> u128 {
    debug_assert!(offset % 16 + bits <= 128, "{bits} bits at {offset}");
    let words = &bucket[offset / 16..(offset + bits).div_ceil(16)];
    let raw = words.iter().rev().fold(0, |raw, &word| raw << 16 | u128::from(word));
    raw >> (offset % 16) & mask(bits)
}

/// Writes `bits` bits of a bucket that begin at bit `offset`, and leaves the others unchanged.
fn write(bucket: &mut [u16], offset: usize, bits: usize, value: u128) {
    debug_assert!(value <= mask(bits), "{value} in {bits} bits");
    let (written_bits, shifted_value) = (mask(bits) << (offset % 16), value << (offset % 16));
    for (index, word) in bucket[offset / 16..(offset + bits).div_ceil(16)].iter_mut().enumerate() {
        *word = *word & !((written_bits >> (16 * index)) as u16) | (shifted_value >> (16 * index)) as u16;
    }
}

/// Packs a score as a signed number of `bits` bits, clamped to what fits. The smallest number
/// stands for no score.
fn pack_score(score: i16, bits: u32) -> u64 {
    let most = (1 << (bits.min(16) - 1)) - 1;
    let score = if score == NO_SCORE { -most - 1 } else { i32::from(score).clamp(-most, most) };
    score as u64 & ((1 << bits) - 1)
}

fn unpack_score(packed: u64, bits: u32) -> i16 {
    let score = (packed << (64 - bits)) as i64 >> (64 - bits);
    if score == -1 << (bits.min(16) - 1) { NO_SCORE } else { score as i16 }
}

/// Packs an evaluation into `bits` bits, shifted so that every value is positive. 0 stands for no
/// evaluation, and also for one that does not fit.
fn pack_evaluation(evaluation: StaticEvaluation, bits: u32) -> u64 {
    let half = if bits == 0 { 0 } else { 1 << (bits.min(16) - 1) };
    evaluation.get().filter(|score| score.abs() < half).map_or(0, |score| (score + half) as u64)
}

/// Undoes `pack_evaluation`, which adds half the range; 0 stands for no evaluation.
fn unpack_evaluation(packed: u64, bits: u32) -> StaticEvaluation {
    if packed == 0 {
        StaticEvaluation::default()
    } else {
        StaticEvaluation::new(packed as Score - (1 << (bits.min(16) - 1)))
    }
}

impl Packed {
    fn key_at(&self, slot: usize) -> usize {
        self.first_key + slot * self.key_stride
    }

    fn data_at(&self, slot: usize) -> usize {
        slot * self.entry_bits + self.inline_key_bits
    }

    /// Writes the data of an entry except its evaluation, which is the first field.
    fn write_data(&self, bucket: &mut [u16], slot: usize, entry: &Entry) {
        let Fields { depth, generation, score, mv, nodes, .. } = self.fields;
        let deepest = (1 << depth.bits) - 1;
        let stored_depth = i32::from(entry.depth) - i32::from(self.shape.depth_offset);
        let data = self.fields.bound.put(entry.bound as u64)
            | self.fields.pv.put(entry.pv.into())
            | self.fields.used.put(entry.used.into())
            | depth.put(stored_depth.min(deepest) as u64)
            | generation.put(entry.generation.into())
            | score.put(pack_score(entry.score, score.bits))
            | mv.put(entry.mv.bits().into())
            | nodes.put(if nodes.bits == 0 { 0 } else { compress_nodes(entry.nodes) });
        let evaluation_bits = self.fields.evaluation.bits as usize;
        let (start, bits) = (self.data_at(slot) + evaluation_bits, self.data_bits - evaluation_bits);
        write(bucket, start, bits, data >> evaluation_bits);
    }
}

impl Packing for Packed {
    type Word = u16;

    fn new(shape: Option<Shape>) -> Self {
        // The layouts that are packed this way always have a shape.
        let shape = shape.unwrap_or_default();
        let fields = shape.fields();
        let (entry_bits, key_bits) = (8 * usize::from(shape.entry), usize::from(shape.key_bits));
        let (inline_key_bits, key_stride, first_key) = match shape.first_key_bit() {
            // The keys lie together behind the entries.
            Some(first_key) => (0, key_bits, first_key),
            // Each key lies in its entry.
            None => (key_bits, entry_bits, 0),
        };
        let data_bits = fields.bits() as usize;
        Self { shape, fields, entry_bits, data_bits, key_stride, first_key, inline_key_bits }
    }

    fn words(&self, _: usize) -> usize {
        usize::from(self.shape.bucket) / 2
    }

    fn key_bits(&self) -> u32 {
        self.shape.key_bits.into()
    }

    fn stored_key(&self, key: u64, high: bool) -> u64 {
        match self.shape.key_bits {
            0 => 0,
            bits if high => key >> (64 - bits),
            bits => key & u64::MAX >> (64 - bits),
        }
    }

    fn key(&self, bucket: &[u16], slot: usize) -> u64 {
        read(bucket, self.key_at(slot), usize::from(self.shape.key_bits)) as u64
    }

    fn data(&self, bucket: &[u16], slot: usize) -> u64 {
        pack(&self.entry(bucket, slot))
    }

    fn zero_key(&self) -> Option<ZeroKey> {
        self.shape.zero_key
    }

    fn is_empty(&self, bucket: &[u16], slot: usize) -> bool {
        let bound = self.fields.bound;
        read(bucket, self.data_at(slot) + bound.shift as usize, bound.bits as usize) == 0
    }

    fn entry(&self, bucket: &[u16], slot: usize) -> Entry {
        let data = read(bucket, self.data_at(slot), self.data_bits);
        let Fields { evaluation, bound, pv, used, depth, generation, score, mv, nodes } = self.fields;
        let bound = Bound::from_bits(bound.get(data) as u8);
        if bound == Bound::None {
            // An empty slot that answers a key of 0 has a generation, and an evaluation of 0.
            let has_evaluation = self.shape.zero_key.is_some() && evaluation.bits > 0;
            let evaluation = if has_evaluation { StaticEvaluation::new(0) } else { StaticEvaluation::default() };
            return Entry { generation: generation.get(data) as u16, evaluation, ..Entry::default() };
        }
        Entry {
            mv: Move::from_bits(mv.get(data) as u16),
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
        let deepest = (1 << depth.bits) - 1;
        let clips_depth = i32::from(entry.depth) - i32::from(self.shape.depth_offset) > deepest;
        let clips_score = !entry.is_evaluation() && i32::from(entry.score).abs() > largest_score;
        let has_evaluation = evaluation.bits > 0 && entry.evaluation.get().is_some();
        // A packed evaluation of 0 stands for none.
        let loses_evaluation = has_evaluation && pack_evaluation(entry.evaluation, evaluation.bits) == 0;
        clips_depth || clips_score || loses_evaluation
    }

    fn set_data(&self, bucket: &mut [u16], slot: usize, word: u64) {
        self.write_data(bucket, slot, &unpack(word));
    }

    fn write(&self, bucket: &mut [u16], slot: usize, stored_key: u64, entry: &Entry) {
        write(bucket, self.key_at(slot), usize::from(self.shape.key_bits), stored_key.into());
        let evaluation = self.fields.evaluation;
        let packed = pack_evaluation(entry.evaluation, evaluation.bits);
        write(bucket, self.data_at(slot), evaluation.bits as usize, packed.into());
        self.write_data(bucket, slot, entry);
    }

    fn copy(&self, bucket: &mut [u16], from: usize, to: usize) {
        let (key, data) = (self.key(bucket, from), read(bucket, self.data_at(from), self.data_bits));
        write(bucket, self.key_at(to), usize::from(self.shape.key_bits), key.into());
        write(bucket, self.data_at(to), self.data_bits, data);
    }

    fn fill(&self, bucket: &mut [u16], slot: usize) {
        write(bucket, self.key_at(slot), usize::from(self.shape.key_bits), mask(usize::from(self.shape.key_bits)));
        write(bucket, self.data_at(slot), self.data_bits, mask(self.data_bits));
    }

    fn combine(&self, bucket: &mut [u16], slots: usize) {
        let bits = usize::from(self.shape.key_bits);
        for slot in 0..slots {
            let data = read(bucket, self.data_at(slot), self.data_bits);
            let (low, high) = (data as u64, (data >> 64) as u64);
            // Without key bits the hash is masked away; `max` keeps the shift below 64.
            let hash = (low ^ high).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits.max(1));
            let key = read(bucket, self.key_at(slot), bits) ^ u128::from(hash) & mask(bits);
            write(bucket, self.key_at(slot), bits, key);
        }
    }
}
