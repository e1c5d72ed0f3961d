//! Hash maps keyed by position keys.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Passes keys through almost unchanged, since they are random already.
#[derive(Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
    fn write_u64(&mut self, key: u64) {
        // Some key schemes have weak bits. The multiplication spreads their keys over the map.
        self.0 = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
    fn write_u8(&mut self, depth: u8) {
        self.write_u64(u64::from(depth));
    }
}

pub type KeyMap<K, V> = HashMap<K, V, BuildHasherDefault<KeyHasher>>;

/// The capacity of a map that holds `keys` keys: a power of two, filled to at most 7/8.
pub fn map_capacity(keys: u64) -> u64 {
    (keys * 8 / 7).next_power_of_two()
}
