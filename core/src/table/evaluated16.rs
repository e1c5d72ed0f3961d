//! Entries of 16 bytes with a static evaluation or a move of 16 bits, in two 64-bit words.
//!
//! ```text
//! | key 47 | move, bit 15 | evaluation 16 | and the data word of all fixed layouts |
//! ```
//! The lowest bits come first. [`Packed`](super::packed::Packed) keeps the same fields bit by bit,
//! which takes longer.

use super::entry::{Packing, pack, unpack};
use super::shape::{EVALUATED16_KEY_BITS as KEY_BITS, Shape};
use super::{Entry, StaticEvaluation};
use crate::chess::Move;

const EVALUATION_SHIFT: u32 = 48;

const KEY_MASK: u64 = (1 << KEY_BITS) - 1;

/// A packing in which the first word of an entry has all that the data word has no room for.
#[derive(Clone)]
pub struct Evaluated16 {
    key_bits: u32,
    keeps_evaluations: bool,
}

impl Packing for Evaluated16 {
    type Word = u64;

    fn new(shape: Option<Shape>) -> Self {
        let shape = shape.unwrap_or_default();
        Self { key_bits: u32::from(shape.key_bits).min(KEY_BITS), keeps_evaluations: shape.evaluation > 0 }
    }

    #[inline]
    fn words(&self, slots: usize) -> usize {
        2 * slots
    }

    fn key_bits(&self) -> u32 {
        self.key_bits
    }

    #[inline]
    fn stored_key(&self, key: u64, high_bits: bool) -> u64 {
        let key = if high_bits { key >> 1 >> (63 - self.key_bits) } else { key };
        key & ((1 << self.key_bits) - 1)
    }

    #[inline]
    fn key(&self, bucket: &[u64], slot: usize) -> u64 {
        bucket[2 * slot] & KEY_MASK
    }

    #[inline]
    fn data(&self, bucket: &[u64], slot: usize) -> u64 {
        bucket[2 * slot + 1]
    }

    #[inline]
    fn entry(&self, bucket: &[u64], slot: usize) -> Entry {
        let (first, entry) = (bucket[2 * slot], unpack(self.data(bucket, slot)));
        let mv = Move::opaque(entry.mv.bits() | (first >> (KEY_BITS - 15)) as u16 & !(u16::MAX >> 1));
        Entry { mv, evaluation: StaticEvaluation((first >> EVALUATION_SHIFT) as u16), ..entry }
    }

    #[inline]
    fn set_data(&self, bucket: &mut [u64], slot: usize, word: u64) {
        bucket[2 * slot + 1] = word;
    }

    #[inline]
    fn set_move(&self, bucket: &mut [u64], slot: usize, mv: Move) {
        let high = u64::from(mv.bits() >> 15) << KEY_BITS;
        bucket[2 * slot] = bucket[2 * slot] & !(1 << KEY_BITS) | high;
        bucket[2 * slot + 1] = bucket[2 * slot + 1] << 15 >> 15 | u64::from(mv.bits()) << 49;
    }

    #[inline]
    fn write(&self, bucket: &mut [u64], slot: usize, stored_key: u64, entry: &Entry) {
        let evaluation = if self.keeps_evaluations { u64::from(entry.evaluation.0) } else { 0 };
        let high = u64::from(entry.mv.bits() >> 15) << KEY_BITS;
        bucket[2 * slot] = stored_key | high | evaluation << EVALUATION_SHIFT;
        bucket[2 * slot + 1] = pack(&Entry { mv: Move::from_bits(entry.mv.bits()), ..*entry });
    }

    #[inline]
    fn copy(&self, bucket: &mut [u64], from: usize, to: usize) {
        bucket.copy_within(2 * from..2 * (from + 1), 2 * to);
    }
}

#[cfg(test)]
mod tests {
    use super::super::packed::Packed;
    use super::*;
    use crate::chess::Bound;

    /// Whatever is written, set or copied in whatever order, both packings read the same.
    #[test]
    fn evaluated16_reads_as_packed_does() {
        for (key_bits, evaluation, mv) in [(16, 16, 16), (32, 0, 16), (32, 16, 15), (47, 16, 16)] {
            let shape =
                Shape { bucket: 32, slots: 2, key_bits, evaluation, mv, generation: Some(10), ..Shape::default() };
            assert!(shape.fits_evaluated16() && shape.check().is_ok());
            let (whole, bits) = (Evaluated16::new(Some(shape)), Packed::new(Some(shape)));
            let (mut words, mut small) = (vec![0_u64; whole.words(2)], vec![0_u16; bits.words(2)]);
            let mut random = 1_u64;
            for step in 0..3000 {
                random = crate::chess::keys::mix(random.wrapping_add(step));
                let (key, slot) = (random.rotate_left(9), random as usize % 2);
                let entry = Entry {
                    mv: Move::opaque((random >> 8) as u16 & ((1 << mv) - 1) as u16),
                    score: (random >> 24) as i16,
                    bound: Bound::from_bits((random >> 40) as u8 % 3 + 1),
                    depth: (random >> 42) as u8,
                    pv: random >> 50 & 1 != 0,
                    nodes: (random >> 3) as u32 >> (random % 32),
                    generation: (random >> 51) as u16 % 1024,
                    used: random >> 61 & 1 != 0,
                    evaluation: StaticEvaluation((random >> 30) as u16),
                };
                assert_eq!(whole.stored_key(key, step % 2 > 0), bits.stored_key(key, step % 2 > 0));
                let is_empty = bits.is_empty(&small, slot);
                match random >> 62 {
                    _ if is_empty || step % 5 == 0 => {
                        let stored_key = whole.stored_key(key, true);
                        whole.write(&mut words, slot, stored_key, &entry);
                        bits.write(&mut small, slot, stored_key, &entry);
                    }
                    0 => {
                        whole.copy(&mut words, slot, 1 - slot);
                        bits.copy(&mut small, slot, 1 - slot);
                    }
                    1 => {
                        whole.set_move(&mut words, slot, entry.mv);
                        bits.set_move(&mut small, slot, entry.mv);
                    }
                    _ => {
                        let word = pack(&Entry { mv: Move::from_bits(entry.mv.bits()), ..entry });
                        whole.set_data(&mut words, slot, word);
                        bits.set_data(&mut small, slot, word);
                    }
                }
                for slot in 0..2 {
                    let read = (whole.key(&words, slot), whole.data(&words, slot), whole.entry(&words, slot));
                    assert_eq!(
                        read,
                        (bits.key(&small, slot), bits.data(&small, slot), bits.entry(&small, slot)),
                        "{step}"
                    );
                    assert_eq!(whole.is_empty(&words, slot), bits.is_empty(&small, slot));
                }
            }
        }
    }
}
