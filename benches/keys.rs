//! Measures the cost of a position's key: updated incrementally, computed from scratch, as a hash
//! of the board's fields, and as a FEN string. The article on `otter` claims that a derived hash
//! and a FEN string are far too slow.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hash::{BuildHasher, Hash, RandomState};
use std::hint::black_box;
use ttlab::internals::chess::{Board, Color, EpRule, Increments, KeyOptions, Keys, Move, MoveList, Piece, movegen};

const POSITION: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Makes every legal move and computes the key of each child with `key`.
fn children(board: &Board, moves: &[Move], increments: &Increments, key: impl Fn(&Board) -> u64) -> u64 {
    moves.iter().fold(0, |sum, &mv| {
        let mut child = *board;
        child.play(mv, increments);
        sum ^ key(black_box(&child))
    })
}

fn keys(criterion: &mut Criterion) {
    let increments = Increments::of_keys(Keys::new(&KeyOptions::default()));
    let mut board = Board::from_fen(POSITION).unwrap();
    board.rekey(&increments);
    let mut moves = MoveList::new();
    movegen::legal(&board, &mut moves);
    let hasher = RandomState::new();
    let parts = |board: &Board| {
        let mut sets = [0u64; 12];
        for color in Color::ALL {
            for piece in Piece::ALL {
                sets[color as usize * 6 + piece as usize] = board.pieces(color, piece).0;
            }
        }
        (sets, board.turn() == Color::White, board.en_passant().map(|square| square.index()))
    };
    let hash = |value: &dyn Fn(&mut std::hash::DefaultHasher)| {
        use std::hash::Hasher;
        let mut state = hasher.build_hasher();
        value(&mut state);
        state.finish()
    };

    let mut group = criterion.benchmark_group("key of a move's position");
    group.throughput(Throughput::Elements(moves.len() as u64));
    let mut bench = |name: &str, key: &dyn Fn(&Board) -> u64| {
        group.bench_function(name, |bencher| bencher.iter(|| children(black_box(&board), &moves, &increments, key)));
    };
    bench("make alone", &|_| 0);
    bench("incremental Zobrist", &Board::key);
    bench("Zobrist from scratch", &|board| board.key_from_scratch(increments.keys()));
    bench("derived hash (SipHash)", &|board| hash(&|state| parts(board).hash(state)));
    bench("hash of the FEN", &|board| hash(&|state| board.fen(EpRule::Always).hash(state)));
    group.finish();
}

criterion_group!(benches, keys);
criterion_main!(benches);
