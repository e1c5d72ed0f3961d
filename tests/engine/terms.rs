//! Tests of internal iterative reduction and singular extension: where they start, what they count,
//! and the preset that uses them.

use std::sync::atomic::AtomicBool;
use ttlab::internals::chess::{Board, MoveList, legal};
use ttlab::internals::decode::from_toml;
use ttlab::internals::engine::{Engine, EngineOptions, Limit, SearchCounters};
use ttlab::internals::experiment::presets;

const MIDDLE: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";
const PAWNS: &str = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1";

/// Returns the sum of the counters over all iterations up to a depth.
fn counts(text: &str, fen: &str, depth: u8) -> SearchCounters {
    let options: EngineOptions = from_toml(&format!("algorithm = 'pvs'\n{text}")).unwrap();
    let (mut engine, limit) = (Engine::new(&options, None).unwrap(), Limit { depth: Some(depth), nodes: None });
    let found =
        engine.search(&Board::from_fen(fen).unwrap(), &[], limit, &AtomicBool::new(false), &mut |_| {}).iterations;
    found.iter().fold(SearchCounters::default(), |mut sum, iteration| {
        sum += iteration.search;
        sum
    })
}

/// The root isn't reduced, so the deepest node that can be reduced has one ply less than the
/// search.
#[test]
fn iir_begins_at_its_depth_below_the_root() {
    let found = |min_depth: u8| counts(&format!("table = 'none'\niir.min_depth = {min_depth}"), PAWNS, 6);
    let (plain, reduced) = (found(0), found(5));
    assert_eq!(found(6), plain);
    assert!(reduced.iir_nodes > 0, "{reduced:?}");
    assert!(reduced.nodes < plain.nodes, "{reduced:?}");
}

/// Without a table, no node has a move. Here only the nodes directly below the root are deep
/// enough, and there is no earlier iteration. A move that raises alpha is searched again.
#[test]
fn iir_without_a_table_reduces_every_node() {
    let reduced = counts("table = 'none'\ndeepening.step = 0\niir.min_depth = 2", PAWNS, 3).iir_nodes;
    let mut moves = MoveList::new();
    legal(&Board::from_fen(PAWNS).unwrap(), &mut moves);
    let moves = moves.len() as u64;
    assert!((moves..2 * moves).contains(&reduced), "{reduced} of {moves}");
}

/// The root isn't extended, so the first singular test is made one ply below it.
#[test]
fn singular_begins_at_its_depth_below_the_root() {
    let plain = counts("", PAWNS, 8);
    assert_eq!(counts("singular.min_depth = 8", PAWNS, 8), plain);
    let found = counts("singular.min_depth = 7", PAWNS, 8);
    assert!(found.singular_tests > 0, "{found:?}");
}

/// Checks the results of singular tests: each count is at most the count that includes it, and is
/// only nonzero if its option is on.
#[test]
fn singular_counts_what_its_tests_lead_to() {
    let found = counts("singular = { min_depth = 3, double = 10 }", MIDDLE, 6);
    let SearchCounters { singular_tests, singular_extensions, singular_doubles, .. } = found;
    assert!(singular_doubles > 0 && singular_doubles < singular_extensions, "{found:?}");
    assert!(singular_extensions <= singular_tests, "{found:?}");
    let plain = counts("singular.min_depth = 3", MIDDLE, 6);
    assert!(plain.singular_extensions > 0);
    assert_eq!(plain.singular_doubles, 0);
}

/// A check with only one legal reply: no other move can reach the target.
#[test]
fn singular_extends_a_move_that_has_no_other() {
    let only = "1r6/8/8/8/8/2k5/8/K7 b - - 0 1";
    let found = counts("singular.min_depth = 3\nleaf = 'static'", only, 7);
    assert!(found.singular_extensions > 0, "{found:?}");
}

/// Extensions are only allowed at plies below twice the iteration's depth. Even if every such move
/// is extended and so costs no depth, each later move costs one ply, so no node is deeper than
/// three times the iteration's depth.
#[test]
fn extensions_are_bounded_by_twice_the_depth_of_the_iteration() {
    let options: EngineOptions = from_toml("leaf = 'static'\nsingular.min_depth = 3").unwrap();
    let mut engine = Engine::new(&options, None).unwrap();
    let limit = Limit { depth: Some(9), nodes: None };
    let found = engine.search(&Board::from_fen(PAWNS).unwrap(), &[], limit, &AtomicBool::new(false), &mut |_| {});
    let deepest: Vec<_> = found.iterations.iter().map(|found| (usize::from(found.depth), found.deepest)).collect();
    assert!(deepest.iter().any(|(depth, deepest)| deepest > depth), "{deepest:?}");
    assert!(deepest.iter().all(|(depth, deepest)| *deepest <= 3 * depth), "{deepest:?}");
}

/// The preset is `match` with the two terms and kept moves, and nothing else.
#[test]
fn modern_is_match_with_the_two_terms_and_moves_kept() {
    let options = |name: &str| -> EngineOptions { presets::options(name).unwrap().try_into().unwrap() };
    let (mut known, modern) = (options("match"), options("modern"));
    (known.iir.min_depth, known.singular.min_depth, known.table.keep_move) = (4, 6, true);
    assert_eq!(known, modern);
}

/// The ends of each range are allowed; values beyond them are refused with the option's path.
#[test]
fn ranges_of_the_terms_hold_their_ends() {
    let path = |text: &str| {
        let options: EngineOptions = from_toml(text).unwrap();
        options.check().err().map(|error| error.path)
    };
    for (text, refused) in [
        ("iir.min_depth = 1", Some("iir.min_depth")),
        ("iir.min_depth = 2", None),
        ("singular.min_depth = 1", Some("singular.min_depth")),
        ("singular.min_depth = 2", Some("singular.min_depth")),
        ("singular.min_depth = 3", None),
        ("singular.double = 32000", None),
        ("singular.double = 32001", Some("singular.double")),
        ("singular.double = -1", Some("singular.double")),
    ] {
        assert_eq!(path(text), refused, "{text}");
    }
}
