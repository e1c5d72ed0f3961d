//! The search kernel against a yardstick in one run: the evaluations per second of plain alpha-beta on material (depth 8 from
//! the start position) and the nodes per second of cozy-chess's bulk-counted perft(6). Only their ratio means anything.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use ttlab::chess::Board;
use ttlab::engine::{Engine, EngineOptions, Limit};

fn preset(name: &str, over: &str) -> EngineOptions {
    let mut table = ttlab::experiment::presets::options(name).unwrap();
    ttlab::experiment::paths::lay_over(&mut table, &over.parse().unwrap());
    table.try_into().unwrap()
}

fn evals(engine: &mut Engine, depth: u8) -> u64 {
    engine.reset();
    let limit = Limit { depth: Some(depth), nodes: None };
    let outcome = engine.search(&Board::startpos(), &[], limit, &AtomicBool::new(false), &mut |_| {});
    outcome.iterations.last().unwrap().search.evals
}

fn cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            nodes += moves.len() as u64;
        } else {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                nodes += cozy(&child, depth - 1);
            }
        }
        false
    });
    nodes
}

fn kernel(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kernel");
    group.sample_size(10).measurement_time(Duration::from_secs(12)).warm_up_time(Duration::from_secs(1));
    let straight = "deepening = { step = 0 }\n";
    let mut plain = Engine::new(&preset("purple", straight), None).unwrap();
    group.throughput(Throughput::Elements(32_521_084));
    group
        .bench_function("purple alpha-beta 8", |bencher| bencher.iter(|| assert_eq!(evals(&mut plain, 8), 32_521_084)));
    group.throughput(Throughput::Elements(119_060_324));
    let board = cozy_chess::Board::default();
    group
        .bench_function("cozy-chess bulk perft 6", |bencher| bencher.iter(|| assert_eq!(cozy(&board, 6), 119_060_324)));
    group.finish();
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10).measurement_time(Duration::from_secs(8)).warm_up_time(Duration::from_secs(1));
    // A preset is nothing but options: it runs as fast as the same options set by hand.
    for (name, text) in [("defaults", "deepening.step = 1"), ("defaults, 1 GiB", "table.size = '1 GiB'")] {
        let mut engine = Engine::new(&toml::from_str(text).unwrap(), None).unwrap();
        group.bench_function(name, |bencher| bencher.iter(|| black_box(evals(&mut engine, 7))));
    }
    group.finish();
}

criterion_group!(benches, kernel);
criterion_main!(benches);
