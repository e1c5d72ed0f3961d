//! Every result column is covered by a test that fails if the column's value is wrong. Adding a
//! column without such a test fails here.

use std::collections::BTreeMap;
use ttlab::internals::record::columns::columns;

/// Each entry is a test, given by its file under `tests` and its name, and the columns that it
/// checks by an independent calculation: explicit searches for every variant, the plain twin of the
/// search, plain models of the table, or figures calculated by hand.
const TESTS: &[(&str, &str, &str)] = &[
    (
        "program/rows.rs",
        "rows_of_grid_exclude_and_variant_equal_the_expected",
        "experiment variant position repeat depth limit best score pv solved finished slots entries current bytes hashfull error",
    ),
    ("program/rows.rs", "rows_along_games_equal_the_expected", "game ply"),
    ("program/plans.rs", "rows_have_unique_ids", "id"),
    ("engine/stopwatch.rs", "stopwatch_runs_only_during_the_search", "seconds"),
    ("program/sweep/edited.rs", "edit_of_any_field_is_detected", "check"),
    ("program/engines/files.rs", "columns_that_no_engine_reports_are_left_out", "reported.repeats reported.hashfull"),
    (
        "engine/twin/mod.rs",
        "every_option_value_equals_the_twin",
        "search.nodes search.interior search.leaves search.qnodes search.evals search.evals_saved search.mates search.stalemates search.usable \
         search.saved search.move_only search.cuts search.first_cuts search.table_moves search.table_move_cuts search.etc_probes search.etc_cuts \
         search.researches search.iir_nodes search.singular_tests search.singular_extensions search.singular_doubles \
         anatomy.unique anatomy.cut anatomy.shallow anatomy.indecisive anatomy.unasked \
         anatomy.cut_exact anatomy.cut_lower anatomy.cut_upper anatomy.cut_deeper anatomy.hits_old anatomy.cut_old anatomy.hits_pv \
         anatomy.cut_pv anatomy.probes_ply_0 anatomy.probes_ply_3 anatomy.probes_ply_6 anatomy.probes_ply_9 \
         anatomy.hits_ply_0 anatomy.hits_ply_3 anatomy.hits_ply_6 anatomy.hits_ply_9 anatomy.cut_ply_0 anatomy.cut_ply_3 \
         anatomy.cut_ply_6 anatomy.cut_ply_9 anatomy.hits_depth_0 anatomy.hits_depth_3 anatomy.hits_depth_6 anatomy.hits_depth_9 \
         anatomy.cut_depth_0 anatomy.cut_depth_3 anatomy.cut_depth_6 anatomy.cut_depth_9 threads.ticks threads.helper_nodes threads.foreign_hits \
         threads.foreign_cutoffs threads.foreign_saved threads.in_flight threads.duplicates threads.foreign_refusals \
         threads.unread threads.foreign_unread \
         threads.ages threads.squared_ages",
    ),
    (
        "table/model.rs",
        "every_policy_equals_its_model",
        "table.probes table.hits table.misses_empty table.misses_other table.stores table.fills table.updates table.evictions \
         table.rejections table.demoted",
    ),
    ("engine/shape.rs", "forgotten_hits_are_counted", "table.forgotten"),
    ("table/laws.rs", "reused_entries_are_counted_when_requested", "table.reused"),
    (
        "engine/anatomy.rs",
        "shadow_equals_a_plain_model",
        "anatomy.false_hits anatomy.false_updates anatomy.contended anatomy.miss_never anatomy.miss_evicted anatomy.miss_evicted_deep \
         anatomy.miss_refused anatomy.miss_refused_deep anatomy.miss_emptied anatomy.lives anatomy.lives_used \
         anatomy.lives_cut",
    ),
    (
        "program/matches.rs",
        "game_equals_its_single_searches",
        "match.depths match.blind match.opponent_nodes match.start match.scores match.searches",
    ),
    (
        "program/mates.rs",
        "mates_are_found_as_another_program_counts_them",
        "mate.found mate.best mate.shorter mate.unproved mate.wrong mate.nodes_until",
    ),
    ("program/matches.rs", "round_robin_page_has_every_encounter", "match.opponent match.points"),
    ("program/matches.rs", "games_are_independent_of_jobs_kills_and_shards", "match.colour"),
    ("program/sections.rs", "several_suites_make_one_page_with_a_section_each", "suite"),
    ("program/matches.rs", "games_are_legal_for_python_chess", "match.moves match.end match.plies"),
    ("table/layouts.rs", "stored_entry_is_found", "table.clipped"),
    ("engine/anatomy.rs", "en_passant_squares_in_keys_hide_positions", "anatomy.miss_elsewhere"),
    ("engine/anatomy.rs", "cuts_by_other_positions_entries_are_counted_by_their_keys", "anatomy.cut_false"),
];

#[test]
fn every_column_is_covered_by_a_named_test() {
    let mut tests: BTreeMap<&str, &str> = BTreeMap::new();
    for (file, test, names) in TESTS {
        let path = format!("{}/tests/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(text.contains(&format!("fn {test}(")), "{file} has no test {test}");
        for name in names.split_whitespace() {
            assert!(tests.insert(name, test).is_none(), "{name} is listed twice");
        }
    }
    for column in columns() {
        assert!(
            tests.remove(column.name.as_ref()).is_some(),
            "{} has no test: write one, and name it in TESTS",
            column.name
        );
    }
    assert!(tests.is_empty(), "no columns are called {:?}", tests.keys());
}
