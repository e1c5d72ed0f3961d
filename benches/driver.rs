//! Measures the driver's overhead beyond the engine's own time: a game and a search with an engine
//! that answers at once. About 0.1 ms of the result is spent in the shell that runs the scripted
//! engine.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use ttlab::internals::chess::Board;
use ttlab::internals::engine::Limit;
use ttlab::internals::subject::options::CommandLine;
use ttlab::internals::subject::{Launch, Position, Subject, Uci, find_program};

fn driver(criterion: &mut Criterion) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/engines/scripted.sh");
    let mut engine =
        Uci::new(Launch::new(&find_program(&CommandLine::Name(script.to_owned()), std::path::Path::new("")).unwrap()));
    engine.start().unwrap();
    let (board, stop) = (Board::startpos(), AtomicBool::new(false));
    let limit = Limit { depth: Some(3), nodes: None };
    criterion.bench_function("driver/search", |bencher| {
        bencher.iter(|| {
            engine.new_game().unwrap();
            black_box(engine.search(Position::from_board(&board), limit, &stop, &mut |_| {}).unwrap())
        });
    });
}

criterion_group!(benches, driver);
criterion_main!(benches);
