//! Compares the table with the memory that it uses, in the same run: a chain of probes and stores,
//! in which each entry determines the next position, with a bare pointer chase over the same amount
//! of memory; and clearing with a plain memset. `TTLAB_BENCH_MIB` (default 1024) sets the size.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use ttlab::internals::chess::{Bound, Move};
use ttlab::internals::table::memory::Memory;
use ttlab::internals::table::options::Size;
use ttlab::internals::table::policy::Policy;
use ttlab::internals::table::{Entry, Table, TableOptions, build};

fn mix(n: u64) -> u64 {
    let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}

const STEPS: u64 = 1 << 16;

/// Positions are numbers below 2^30, and their keys are these numbers, mixed. An entry encodes the
/// next number in its move and score.
fn entry(next: u32, depth: u8) -> Entry {
    let score = (next >> 15) as i16 - (1 << 14);
    Entry { mv: Move::from_bits((next & 0x7fff) as u16), score, bound: Bound::Exact, depth, ..Entry::default() }
}

fn next(entry: &Entry) -> u32 {
    ((entry.score + (1 << 14)) as u32) << 15 | u32::from(entry.mv.bits())
}

/// One probe that hits and one store to the same position. Only the result of the probe determines
/// the next position.
#[inline]
fn step(table: &mut dyn Table, at: u32) -> u32 {
    let key = mix(u64::from(at) + 1);
    let found = table.probe(key, 1).map(|hit| hit.entry).unwrap_or_default();
    let next = next(&found);
    table.store(key, Entry { depth: found.depth.wrapping_add(1) & 15, ..entry(next, 0) });
    next
}

/// Shuffles numbers.
fn shuffle(numbers: &mut [u32]) {
    for last in (1..numbers.len()).rev() {
        numbers.swap(last, (mix(last as u64) % (last as u64 + 1)) as usize);
    }
}

/// Fills the table and links the entries that remain in it into one random ring.
fn ring(table: &mut dyn Table, entries: u32) -> u32 {
    for number in 0..entries {
        table.store(mix(u64::from(number) + 1), entry(0, 1));
    }
    let stayed = |&number: &u32| table.probe(mix(u64::from(number) + 1), 1).is_some();
    let mut ring: Vec<u32> = (0..entries).filter(stayed).collect();
    shuffle(&mut ring);
    for (place, &number) in ring.iter().enumerate() {
        table.store(mix(u64::from(number) + 1), entry(ring[(place + 1) % ring.len()], 1));
    }
    ring[0]
}

fn table(criterion: &mut Criterion) {
    let mib: u64 = std::env::var("TTLAB_BENCH_MIB").ok().and_then(|mib| mib.parse().ok()).unwrap_or(1024);
    let mib = mib.clamp(1, 16_384);
    let mut group = criterion.benchmark_group(format!("{mib} MiB"));
    group.sample_size(20);
    group.throughput(Throughput::Elements(STEPS));
    let entries = (mib << 16) as u32;
    {
        let mut memory = Memory::new((mib << 17) as usize, true).unwrap();
        // About every second pair, because about as many positions stay in the table. Each element
        // points to the next.
        let mut ring: Vec<u32> = (0..entries).filter(|pair| mix(u64::from(*pair)) % 8 < 5).collect();
        shuffle(&mut ring);
        for (place, &pair) in ring.iter().enumerate() {
            memory[2 * pair as usize] = u64::from(ring[(place + 1) % ring.len()]);
        }
        let mut pair = u64::from(ring[0]);
        group.bench_function("pointer chase", |bencher| {
            bencher.iter(|| {
                for _ in 0..STEPS {
                    pair = memory[2 * pair as usize];
                }
                black_box(pair)
            });
        });
        group.bench_function("memset", |bencher| bencher.iter(|| black_box(&mut memory[..]).fill(0)));
    }
    for (policy, slots) in [("always", 1), ("depth-preferred", 1), ("ancient", 1), ("two-tier", 2), ("depth-age", 4)] {
        let policy = Policy::from_name(policy).unwrap();
        let options = TableOptions { policy, slots, size: Size::Bytes(mib << 20), ..TableOptions::default() };
        let mut table = build(&options, None, false).unwrap().unwrap();
        let table = table.as_mut();
        let mut at = ring(table, entries);
        let misses = table.counters();
        group.bench_function(format!("probe and store, {} x {slots}", policy.name()), |bencher| {
            bencher.iter(|| {
                for _ in 0..STEPS {
                    at = step(table, at);
                }
                black_box(at)
            });
        });
        let misses = table.counters() - misses;
        assert_eq!(misses.probes, misses.hits, "{}: the chain broke", policy.name());
        if policy.name() == "always" {
            group.bench_function("clear", |bencher| bencher.iter(|| table.clear()));
        }
    }
    group.finish();
}

criterion_group!(benches, table);
criterion_main!(benches);
