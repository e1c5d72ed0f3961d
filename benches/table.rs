//! The table against the memory that it lives in, in one run: probes and stores of random keys against a bare pointer chase over as much
//! memory; clearing against a plain memset. Only a hit feeds the next key, and hits are rare here: the processor may run ahead of a miss, as
//! it may in a search, so a step can cost less than one of the chase. `TTLAB_BENCH_MIB` (default 1024) sets the size.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use ttlab::chess::{Bound, Move};
use ttlab::table::memory::Memory;
use ttlab::table::options::Size;
use ttlab::table::policy::Policy;
use ttlab::table::{Entry, TableOptions, build};

fn mix(n: u64) -> u64 {
    let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}

const STEPS: u64 = 1 << 16;

fn table(criterion: &mut Criterion) {
    let mib: u64 = std::env::var("TTLAB_BENCH_MIB").ok().and_then(|mib| mib.parse().ok()).unwrap_or(1024);
    let mut group = criterion.benchmark_group(format!("{mib} MiB"));
    group.sample_size(20);
    group.throughput(Throughput::Elements(STEPS));
    {
        // As many 16-byte pairs as the table has entries; each read tells where the next is.
        let mut memory = Memory::new((mib << 17) as usize, true).unwrap();
        let pairs = (mib << 16) as usize;
        (0..pairs).for_each(|pair| memory[2 * pair] = mix(pair as u64 + 1));
        let mut key = 1u64;
        group.bench_function("pointer chase", |bencher| {
            bencher.iter(|| {
                for _ in 0..STEPS {
                    let pair = ((u128::from(key) * pairs as u128) >> 64) as usize;
                    key = mix(key ^ memory[2 * pair]);
                }
                black_box(key)
            });
        });
        group.bench_function("memset", |bencher| bencher.iter(|| black_box(&mut memory[..]).fill(0)));
    }
    for policy in ["always", "depth-preferred", "ancient", "scored"] {
        let policy = Policy::named(policy).unwrap();
        let options = TableOptions { policy, size: Size::Bytes(mib << 20), ..TableOptions::default() };
        let mut table = build(&options, None, false).unwrap().unwrap();
        let mut key = 1u64;
        let mut depth = 0u8;
        let mut step = |key: u64| {
            let found = table.probe(key, 0, 1).map_or(0, |hit| hit.entry.score as u64 + 1);
            depth = (depth + 1) % 9;
            let entry = Entry {
                mv: Move::from_bits(key as u16),
                score: (key >> 50) as i32,
                bound: Bound::Exact,
                depth,
                ..Entry::default()
            };
            table.store(key, 0, entry);
            mix(key ^ found)
        };
        // Full, as in a long search, so that every probe finds another's entry.
        (0..mib << 17).for_each(|_| key = step(key));
        group.bench_function(format!("probe and store, {}", policy.name()), |bencher| {
            bencher.iter(|| {
                for _ in 0..STEPS {
                    key = step(key);
                }
                black_box(key)
            });
        });
        if policy.name() == "always" {
            group.bench_function("clear", |bencher| bencher.iter(|| table.clear()));
        }
    }
    group.finish();
}

criterion_group!(benches, table);
criterion_main!(benches);
