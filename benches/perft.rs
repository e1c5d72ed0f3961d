//! Compares perft rates with cozy-chess in the same run: with the moves to all leaves made
//! (`full`), and with the leaves counted in bulk (`bulk`).
//!
//! `cargo bench --bench perft`. Criterion's throughput is leaves per second.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use ttlab::internals::chess::{Board, Increments, KeyOptions, Keys, perft};

const POSITIONS: [(&str, &str, u32, u64); 3] = [
    ("startpos", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4_865_609),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
    ("position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3_894_594),
];

fn cozy_full(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            let child = black_box(&child);
            leaves += if depth > 1 { cozy_full(child, depth - 1) } else { 1 };
        }
        false
    });
    leaves
}

fn cozy_bulk(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            leaves += moves.len() as u64;
        } else {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                leaves += cozy_bulk(&child, depth - 1);
            }
        }
        false
    });
    leaves
}

fn compare(criterion: &mut Criterion) {
    let inc = Increments::of_keys(Keys::new(&KeyOptions::default()));
    for (name, fen, depth, leaves) in POSITIONS {
        let (Ok(mut board), Ok(cozy)) = (Board::from_fen(fen), fen.parse::<cozy_chess::Board>()) else { return };
        board.rekey(&inc);
        let mut group = criterion.benchmark_group(format!("perft/{name}"));
        group.sample_size(20).throughput(Throughput::Elements(leaves));
        group.bench_function("full/ttlab", |b| b.iter(|| perft::full_count(black_box(&board), &inc, depth)));
        group.bench_function("full/cozy-chess", |b| b.iter(|| cozy_full(black_box(&cozy), depth)));
        group.bench_function("bulk/ttlab", |b| b.iter(|| perft::bulk_count(black_box(&board), &inc, depth)));
        group.bench_function("bulk/cozy-chess", |b| b.iter(|| cozy_bulk(black_box(&cozy), depth)));
        group.finish();
    }
}

criterion_group!(benches, compare);
criterion_main!(benches);
