//! Checks that operations on suites and grids take linear time: the same work at 1,000, 10,000 and
//! 100,000 elements. If the time grows faster, the throughput in elements per second falls.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::path::Path;
use ttlab::internals::chess::suite::{Suite, SuiteKind, SuiteOptions};
use ttlab::internals::experiment::{Experiment, Plan};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// Returns games of the same players in the same year, which would all get the same id.
fn games(count: usize) -> String {
    "[White \"A\"]\n[Black \"B\"]\n[Date \"2000.01.01\"]\n\n1. e4 e5 *\n\n".repeat(count)
}

/// Returns an EPD line with this many operations.
fn operations(count: usize) -> String {
    let list: String = (0..count).map(|at| format!(" x{at} {at};")).collect();
    format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -{list}\n")
}

fn positions(count: usize) -> String {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n".repeat(count)
}

/// Returns an experiment with a grid of this many points, and excludes half of them by name.
fn grid(count: usize) -> String {
    let seeds: Vec<String> = (0..count).map(|seed| seed.to_string()).collect();
    let excludes: String = (0..count / 2).map(|seed| format!("[[exclude]]\n'keys.seed' = {}\n", seed * 2)).collect();
    format!(
        "suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n[grid]\n'keys.seed' = [{}]\n{excludes}",
        seeds.join(",")
    )
}

fn scale(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scale");
    group.sample_size(10);
    for count in SIZES {
        group.throughput(Throughput::Elements(count as u64));
        let read = |kind, text: &str| Suite::read("s", "s", kind, text.as_bytes(), SuiteOptions::default()).unwrap();
        let (pgn, epd) = (games(count), operations(count));
        group.bench_function(BenchmarkId::new("games of one pairing", count), |bench| {
            bench.iter(|| read(SuiteKind::Games, &pgn).items.len());
        });
        group.bench_function(BenchmarkId::new("operations of one line", count), |bench| {
            bench.iter(|| read(SuiteKind::Positions, &epd).items.len());
        });
        let text = "suite = 's.fen'\nlimit = { depth = 1 }\n[engine]\ntable.clear = 'never'\n";
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("s.fen"), positions(count)).unwrap();
        let kept = Experiment::parse(text, &folder.path().join("kept.toml"), &[]).unwrap();
        group.bench_function(BenchmarkId::new("ids where nothing is cleared", count), |bench| {
            bench.iter(|| {
                let plan = Plan::new(&kept);
                let job = plan.job_in_lane(0, 0, 0);
                (0..count).fold(0, |sum, item| sum ^ plan.row_id(&job, item, 0, 1))
            });
        });
        // A grid of 100,000 points is the largest that is allowed.
        let text = grid(count);
        group.bench_function(BenchmarkId::new("points and excludes", count), |bench| {
            bench.iter(|| {
                let sets = ["limit.depth=2".to_owned()];
                let experiment = Experiment::parse(&text, Path::new("grid.toml"), &sets).unwrap();
                Plan::new(&experiment).varying().len()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, scale);
criterion_main!(benches);
