//! Maps by keys of positions.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Keys are random numbers already: they are passed on.
#[derive(Default)]
pub struct PassOn(u64);

impl Hasher for PassOn {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
    fn write_u64(&mut self, key: u64) {
        // Weak schemes have weak keys: one multiplication spreads them over the map.
        self.0 = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
    fn write_u8(&mut self, depth: u8) {
        self.write_u64(u64::from(depth));
    }
}

/// A map by keys of positions.
pub type ByKey<K, V> = HashMap<K, V, BuildHasherDefault<PassOn>>;
