//! No node allocates: a search of many more nodes makes as many allocations as a small one.
#![allow(clippy::unwrap_used, unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use ttlab::internals::chess::Board;
use ttlab::internals::decode::from_toml;
use ttlab::internals::engine::{Engine, EngineOptions, Limit, SearchProgress};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations between the beginning and the end of the search proper, and its nodes.
fn allocations(options: &EngineOptions, depth: u8) -> (u64, u64) {
    let board = Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
    let mut engine = Engine::new(options, None).unwrap();
    let (mut before, mut allocations) = (0, 0);
    let limit = Limit { depth: Some(depth), nodes: None };
    let outcome = engine.search(&board, &[], limit, &AtomicBool::new(false), &mut |progress| match progress {
        SearchProgress::Begin { .. } => before = ALLOCATIONS.load(Ordering::Relaxed),
        SearchProgress::End => allocations += ALLOCATIONS.load(Ordering::Relaxed) - before,
        SearchProgress::Iteration(_) => {}
    });
    (allocations, outcome.iterations.last().unwrap().search.nodes)
}

#[test]
fn a_larger_tree_makes_no_more_allocations() {
    for text in [
        "deepening.step = 0",
        "deepening.step = 0\ntable = 'none'\nleaf = 'static'\nordering = []",
        "deepening.step = 0\nalgorithm = 'pvs'\nordering = ['table-move', 'see', 'countermove', 'history']\nprobe.at = 'quiescence'\n\
         store.at = 'quiescence'\ndraws = true\netc_depth = 2\niid.min_depth = 3\nnull_move.min_depth = 3\nlmr.min_depth = 3",
        "deepening.step = 0\nalgorithm = 'pvs'\niir.min_depth = 2\nsingular.min_depth = 3",
    ] {
        let options: EngineOptions = from_toml(text).unwrap();
        let (shallow_allocations, shallow_nodes) = allocations(&options, 2);
        let (deep_allocations, deep_nodes) = allocations(&options, 4);
        assert!(
            2 * deep_nodes > 3 * shallow_nodes,
            "{deep_nodes} nodes against {shallow_nodes}: the trees are too alike to tell"
        );
        // The path to the root may be reallocated once or twice as the depth grows, but thousands
        // of nodes must not allocate.
        assert!(
            deep_allocations <= shallow_allocations + 4,
            "{deep_allocations} allocations in {deep_nodes} nodes, {shallow_allocations} in {shallow_nodes}, with {text}"
        );
    }
}
