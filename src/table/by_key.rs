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

/// Places of a map of so many keys: a power of two, of which it fills seven in eight.
pub fn places(keys: u64) -> u64 {
    (keys * 8 / 7).next_power_of_two()
}

/// The fewest turns, near enough, in whose shares of the keys what is known of them fits into memory; never more than `most`, if it is no less
/// than `least`.
pub fn fewest_turns(least: u64, most: u64, fits: impl Fn(u64) -> bool) -> u64 {
    let mut turns = least;
    while !fits(turns) && turns < most {
        turns += 1 + turns / 64;
    }
    turns
}
