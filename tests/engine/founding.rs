//! Tests of the tables published in "Writing a Chess Engine: Move Selection": the published counts
//! and those of correct tables (recomputed by an independent program), to the last digit.

use std::sync::atomic::AtomicBool;
use ttlab::internals::chess::Board;
use ttlab::internals::engine::{Engine, EngineOptions, Iteration, Limit};

/// Returns the options of preset `purple`, with some options overridden.
fn purple(over: &str) -> EngineOptions {
    let mut table = ttlab::internals::experiment::presets::options("purple").unwrap();
    ttlab::internals::experiment::paths::merge(&mut table, &over.parse().unwrap());
    let options: EngineOptions = table.try_into().unwrap();
    options.check().unwrap();
    options
}

fn last(options: &EngineOptions, board: &Board, depth: u8) -> Iteration {
    let limit = Limit { depth: Some(depth), nodes: None };
    let mut engine = Engine::new(options, None).unwrap();
    engine.search(board, &[], limit, &AtomicBool::new(false), &mut |_| {}).iterations.pop().unwrap()
}

/// Checks the number of evaluations at each depth from `first` on, each with a new table.
fn evals(over: &str, first: u8, expected: &[u64]) {
    let options = purple(over);
    for (depth, &evals) in (first..).zip(expected) {
        assert_eq!(last(&options, &Board::startpos(), depth).search.evals, evals, "depth {depth} with {over}");
    }
}

const DEEPENING: &str = "ordering = ['table-move']\n";
const NO_LEAVES: &str = "probe.at = 'after-leaf'\nstore.at = 'after-leaf'\ntable = 'unbounded'\n";

#[test]
fn minimax_counts_equal_the_published() {
    evals("algorithm = 'minimax'", 1, &[20, 400, 8902, 197_281, 4_865_617]);
}

#[test]
fn alpha_beta_counts_and_scores_equal_the_published() {
    let published = [20, 39, 524, 1229, 32_138, 723_278, 1_074_965, 32_521_084];
    let interior = [1, 21, 62, 538, 2814, 61_197, 86_140, 2_602_439];
    let scores = [0, 0, 0, 0, 100, -100, 100, -100];
    let options = purple("");
    for depth in 1..=8 {
        let found = last(&options, &Board::startpos(), depth);
        let at = usize::from(depth) - 1;
        assert_eq!(found.search.evals, published[at], "evaluations at depth {depth}");
        assert_eq!(found.search.interior, interior[at], "interior nodes at depth {depth}");
        assert_eq!(found.score, scores[at], "score at depth {depth}");
    }
}

/// This takes a minute or two: `cargo test --release --test engine -- --ignored`. The figures are
/// also rows of `experiments/published/move-selection-deep.toml`.
#[test]
#[ignore = "depth 10 makes two thousand million evaluations"]
fn alpha_beta_counts_to_depth_ten_equal_the_published() {
    evals("", 9, &[93_555_968, 1_886_549_650]);
    let found = last(&purple(""), &Board::startpos(), 10);
    assert_eq!((found.search.interior, found.score), (147_239_396, -100));
}

#[test]
fn soft_and_hard_alpha_beta_visit_the_same_nodes() {
    evals("fail = 'hard'", 1, &[20, 39, 524, 1229, 32_138, 723_278, 1_074_965]);
}

/// Each wrong setting changes the count at the depth, and to the value, that an independent program
/// found.
#[test]
fn wrong_settings_change_the_published_counts() {
    evals("generation = 'by-square'", 3, &[485]);
    evals("ordering = ['mvv-lva']\nmvv_lva = 'webster'", 4, &[961]);
}

#[test]
fn unbounded_table_with_sound_keys_has_the_published_counts() {
    evals("table = 'unbounded'", 1, &[20, 39, 459, 987, 20_587, 360_482, 468_029]);
    evals(NO_LEAVES, 3, &[524, 1164, 26_480, 436_967, 647_495]);
}

#[test]
fn en_passant_in_the_key_only_if_capturable_has_the_published_counts() {
    let strict = "keys.ep = 'pseudo-legal'\n";
    evals(&format!("{strict}table = 'unbounded'"), 1, &[20, 39, 347, 875, 17_208, 315_859, 401_103]);
    evals(&format!("{strict}{NO_LEAVES}"), 3, &[524, 1052, 24_128, 394_806, 555_667]);
}

#[test]
fn deepening_with_the_table_move_first_has_the_published_counts() {
    let table = "table = { kind = 'unbounded', same_key = 'deeper', clear = 'search' }";
    evals(&format!("{DEEPENING}{table}"), 3, &[459, 995, 21_530, 362_193, 250_496]);
    evals(&format!("{DEEPENING}{table}\nkeys.ep = 'pseudo-legal'"), 3, &[347, 883, 17_994, 317_651, 209_916]);
}

#[test]
fn broken_index_gives_the_published_column() {
    let broken = "keys.scheme = 'purple-product'\ntable = { kind = 'unbounded' }";
    evals(broken, 1, &[13, 17, 63, 82, 1036, 3726, 4880]);
}

/// Visited nodes, hits, entries and leaf evaluations (without mates and stalemates) of minimax with
/// an unbounded table. The figures are from exhaustive enumeration by a separate program, and from
/// OEIS A083276.
#[test]
fn minimax_with_an_unbounded_table_visits_each_position_once() {
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let cases: [(&str, &str, u8, [u64; 5]); 5] = [
        ("startpos", "legal", 4, [127_845, 49_984, 77_861, 72_074, 4]),
        ("startpos", "pseudo-legal", 4, [127_845, 49_984, 77_861, 72_074, 4]),
        ("startpos", "always", 4, [177_719, 68_456, 109_263, 101_236, 4]),
        (kiwipete, "legal", 3, [99_899, 40_264, 59_635, 57_547, 1]),
        (kiwipete, "legal", 4, [2_489_453, 1_055_666, 1_433_787, 1_374_121, 32]),
    ];
    for (fen, ep, depth, expected) in cases {
        let board = if fen == "startpos" { Board::startpos() } else { Board::from_fen(fen).unwrap() };
        let options = purple(&format!(
            "algorithm = 'minimax'\ntable = 'unbounded'\nprobe.depth = 'equal'\nstore.terminals = true\n\
             store.known = 'exact'\nleaf_mates = true\nkeys.ep = '{ep}'"
        ));
        let found = last(&options, &board, depth);
        let terminal = found.search.mates + found.search.stalemates;
        let measured =
            [found.search.nodes, found.table.hits, found.occupancy.occupied, found.search.evals - terminal, terminal];
        assert_eq!(measured, expected, "{fen} under {ep}");
    }
}
