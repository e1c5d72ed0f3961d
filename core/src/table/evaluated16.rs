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
