#!/usr/bin/env bash
# crate nohash-hasher 0.2.0 with the standard HashMap (hashbrown).
# Guess: Zobrist keys are random already, so a map without hashing is as good as any, and a lookup compares about one
# key, also if the key kept is 32 or 48 bits of it (as tables keep them).
# Is: the map takes its slot from the low bits and its tag from the highest seven bits of 64. A key of 32 or 48 bits has
# zeros there: all tags are equal, a lookup that misses compares 15 keys instead of 0.1, one that hits 2.6.
# Who meets it: whoever puts verification keys or truncated keys into such a map, for instance to replay a trace.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cargo new -q --name probe "$t/probe" 2>/dev/null
cd "$t/probe"
cargo add -q nohash-hasher@=0.2.0 2>/dev/null
grep -A9 dependencies Cargo.toml
cat > src/main.rs <<'EOF'
use nohash_hasher::{IsEnabled, NoHashHasher};
use std::cell::Cell;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};

thread_local! { static COMPARED: Cell<u64> = const { Cell::new(0) }; }

#[derive(Clone, Copy)]
struct Key(u64);
impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        COMPARED.with(|n| n.set(n.get() + 1));
        self.0 == other.0
    }
}
impl Eq for Key {}
impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0)
    }
}
impl IsEnabled for Key {}
type NoHash = BuildHasherDefault<NoHashHasher<Key>>;

fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}

/// Keys compared by a lookup that hits, and by one that misses.
fn compared<S: BuildHasher + Default>(bits: u32) -> (f64, f64) {
    const N: u32 = 100_000;
    let mut state = 88_172_645_463_325_252;
    let keys: Vec<Key> = (0..N).map(|_| Key(next(&mut state) >> (64 - bits))).collect();
    let mut map: HashMap<Key, u8, S> = HashMap::default();
    for &key in &keys {
        map.insert(key, 0);
    }
    COMPARED.with(|n| n.set(0));
    assert!(keys.iter().all(|key| map.contains_key(key)));
    let hits = COMPARED.with(|n| n.replace(0));
    for _ in 0..N {
        std::hint::black_box(map.contains_key(&Key(next(&mut state) >> (64 - bits))));
    }
    let misses = COMPARED.with(|n| n.get());
    (hits as f64 / N as f64, misses as f64 / N as f64)
}

fn main() {
    let mut same = true;
    for (name, (hit, miss), slow) in [
        ("64 bits, no hashing", compared::<NoHash>(64), false),
        ("48 bits, no hashing", compared::<NoHash>(48), true),
        ("32 bits, no hashing", compared::<NoHash>(32), true),
        ("32 bits, standard hashing", compared::<std::hash::RandomState>(32), false),
    ] {
        println!("{name}: {hit:.2} keys compared by a hit, {miss:.2} by a miss");
        same &= if slow { hit > 2.0 && miss > 10.0 } else { hit < 1.1 && miss < 0.2 };
    }
    if !same {
        println!("CHANGED");
        std::process::exit(1);
    }
}
EOF
CARGO_TARGET_DIR="$t/target" cargo run -q --release
