//! The words of a table under loom, which tries every order in which threads may see their values.

use crate::table::TableError;
use std::ops::Deref;

pub use loom::sync::atomic::{AtomicU16, Ordering};

/// A word whose `store` is an exchange. Loom lets a plain store come between the two halves of
/// another thread's exchange, so that afterwards either value may be read; in the memory model of
/// C++11 an exchange reads the last value before its own (`tests::loom_loses_a_store`, loom's
/// issues 254 and 389). The price: loom does not try orders of stores that no interleaving gives.
pub struct AtomicU64(loom::sync::atomic::AtomicU64);

impl AtomicU64 {
    pub fn new(value: u64) -> Self {
        Self(loom::sync::atomic::AtomicU64::new(value))
    }

    pub fn store(&self, value: u64, ordering: Ordering) {
        self.0.swap(value, ordering);
    }
}

impl Deref for AtomicU64 {
    type Target = loom::sync::atomic::AtomicU64;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// A block of words that threads share.
pub struct Words(Box<[AtomicU64]>);

impl Words {
    pub fn new(len: usize, _: bool) -> Result<Self, TableError> {
        Ok(Self((0..len).map(|_| AtomicU64::new(0)).collect()))
    }

    pub fn prefetch(&self, _: usize) {}

    pub fn huge_pages(&self) -> Option<bool> {
        None
    }
}

impl Deref for Words {
    type Target = [AtomicU64];
    fn deref(&self) -> &[AtomicU64] {
        &self.0
    }
}
