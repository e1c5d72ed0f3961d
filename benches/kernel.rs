//! Compares the search kernel with a yardstick in the same run: the evaluations per second of plain
//! alpha-beta on material (depth 8 from the start position) and the nodes per second of
//! cozy-chess's bulk-counted perft(6). Only their ratio is meaningful.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use ttlab::internals::chess::Board;
use ttlab::internals::decode::from_toml;
use ttlab::internals::engine::{Engine, EngineOptions, Limit};

fn preset(name: &str, over: &str) -> EngineOptions {
    let mut table = ttlab::internals::experiment::presets::options(name).unwrap();
    ttlab::internals::experiment::paths::merge(&mut table, &over.parse().unwrap());
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
    // A preset is only a set of options, so it runs as fast as the same options set by hand.
    for (name, text) in
        [("preset vipermate", String::new()), ("the same by hand", toml::to_string(&preset("vipermate", "")).unwrap())]
    {
        let options = if text.is_empty() { preset("vipermate", "") } else { from_toml(&text).unwrap() };
        let mut engine = Engine::new(&options, None).unwrap();
        group.bench_function(name, |bencher| bencher.iter(|| black_box(evals(&mut engine, 7))));
    }
    // A node in a sequence costs no more than a node of a single search.
    let mut engine = Engine::new(&from_toml("table.clear = 'game'\ntable.size = '1 MiB'").unwrap(), None).unwrap();
    let limit = Limit { depth: Some(5), nodes: None };
    let mut board = Board::startpos();
    let mut boards = Vec::new();
    for _ in 0..12 {
        boards.push(board);
        let found = engine.search(&board, &[], limit, &AtomicBool::new(false), &mut |_| {});
        board.play(found.iterations.last().unwrap().best, ttlab::internals::chess::Increments::none());
    }
    for (name, alone) in [("a sequence of 12", false), ("the same 12 alone", true)] {
        let mut run = || {
            engine.reset();
            let mut nodes = 0;
            for board in &boards {
                if alone {
                    engine.reset();
                }
                let found = engine.search(board, &[], limit, &AtomicBool::new(false), &mut |_| {});
                nodes += found.iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>();
            }
            nodes
        };
        let nodes = run();
        group.throughput(Throughput::Elements(nodes));
        group.bench_function(name, |bencher| bencher.iter(&mut run));
    }
    group.finish();
}

criterion_group!(benches, kernel);
criterion_main!(benches);
