//! The words of a table under loom, which tries every order in which threads may see them.

use crate::table::TableError;
use std::ops::Deref;

pub use loom::sync::atomic::{AtomicU16, AtomicU64, Ordering};

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
