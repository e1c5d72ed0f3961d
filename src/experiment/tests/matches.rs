//! Errors in `[match]` and `[tune]`.

use super::{GAMES, SEARCH, check, read, read_error};

#[test]
fn match_numbers_are_checked_at_both_limits() {
    check(
        GAMES,
        &[
            ("max_moves = 1", "", "", ""),
            ("max_moves = 5000", "", "", ""),
            ("max_moves = 5001", "match.max_moves: 5001 is out of range: expected 1 to 5000", "max_moves", ""),
            ("resign = { score = 1, moves = 1 }", "", "", ""),
            ("resign = { score = 400, moves = 5000 }", "", "", ""),
            (
                "resign = { score = 0, moves = 3 }",
                "match.resign.score: 0 is out of range: expected at least 1",
                "score",
                "",
            ),
            (
                "resign = { score = 400, moves = 0 }",
                "match.resign.moves: 0 is out of range: expected 1 to 5000",
                "moves",
                "",
            ),
            (
                "resign = { score = 400, moves = 5001 }",
                "match.resign.moves: 5001 is out of range: expected 1 to 5000",
                "moves",
                "",
            ),
            ("draw = { score = 0, moves = 1 }", "", "", ""),
            ("draw = { score = 0, moves = 5000 }", "", "", ""),
            ("draw = { score = 0, moves = 0 }", "match.draw.moves: 0 is out of range: expected 1 to 5000", "moves", ""),
            (
                "draw = { score = 0, moves = 5001 }",
                "match.draw.moves: 5001 is out of range: expected 1 to 5000",
                "moves",
                "",
            ),
            ("test = { elo0 = -1000, elo1 = 1000 }", "", "", ""),
            (
                "test = { elo0 = -1000.5 }",
                "match.test: elo0 = -1000.5, elo1 = 5 is out of range: expected -1000 to 1000",
                "test",
                "",
            ),
            (
                "test = { elo1 = 1000.5 }",
                "match.test: elo0 = 0, elo1 = 1000.5 is out of range: expected -1000 to 1000",
                "test",
                "",
            ),
            ("test = { elo1 = nan }", "match.test.elo1: NaN is out of range: expected a finite number", "nan", ""),
            (
                "test = { elo0 = 5 }",
                "match.test: elo0 = 5, elo1 = 5 is out of range: expected elo0 below elo1",
                "test",
                "",
            ),
            (
                "test = { elo0 = 6 }",
                "match.test: elo0 = 6, elo1 = 5 is out of range: expected elo0 below elo1",
                "test",
                "",
            ),
            ("test = { alpha = 0.5, beta = 0.0001 }", "", "", ""),
            ("test = { alpha = 0.51 }", "match.test.alpha: 0.51 is out of range: expected 0.0001 to 0.5", "alpha", ""),
            (
                "test = { alpha = 0.00009 }",
                "match.test.alpha: 0.00009 is out of range: expected 0.0001 to 0.5",
                "alpha",
                "",
            ),
            ("test = { beta = 0.51 }", "match.test.beta: 0.51 is out of range: expected 0.0001 to 0.5", "beta", ""),
            ("test = { beta = 0.0 }", "match.test.beta: 0 is out of range: expected 0.0001 to 0.5", "beta", ""),
        ],
    );
    let test_and_encounters = |lines: &str| {
        let games = read(&format!("{GAMES}{lines}"), &[]).ok()?.file.games?;
        Some((games.test_or_default(), games.encounters(3, 1)))
    };
    let test = crate::experiment::matches::Test { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, stop: false };
    assert_eq!(
        test_and_encounters(""),
        Some((test, vec![(0, 1), (2, 1)])),
        "a test that is not asked for stops nothing"
    );
    assert_eq!(
        test_and_encounters("pairing = \"round-robin\"\ntest = { }"),
        Some((crate::experiment::matches::Test { stop: true, ..test }, vec![(0, 1), (0, 2), (1, 2)]))
    );
}

#[test]
fn section_not_allowed_with_a_match_is_refused() {
    let refusal = |path: &str| {
        format!("{path}: is not allowed with [match]: a match plays games and searches no positions of the suite")
    };
    for (lines, message, excerpt) in [
        ("[sequence]\nself_play = 3", refusal("sequence"), "sequence"),
        ("[reference]\nuci = \"builtin\"\nlimit = { depth = 9 }", refusal("reference"), "reference"),
        (
            "[tune]",
            "tune: is not allowed with [match]: a race drops variants after a few positions, but games would need thousands for each: tune by nodes, then let the best variants play"
                .to_owned(),
            "tune",
        ),
    ] {
        let error = read_error(&format!("{GAMES}{lines}\n"), &[]);
        assert_eq!((error.message, error.excerpt.as_str()), (message, excerpt));
    }
    let openings = "a repeat plays the same games again: add openings for more games";
    let seeds = "all seeds of a variant would play the same openings: add openings for more games (or make other keys variants: \
        \"keys.seed\" = [1, 2, 3] in [grid])";
    for (lines, message) in [
        ("repeats = 2", format!("repeats: {openings}")),
        ("seeds = 3", format!("seeds: {seeds}")),
        ("repeats = 1\nseeds = 1", String::new()),
    ] {
        assert_eq!(read_error(&format!("{lines}\n{GAMES}"), &[]).message, message);
    }
    let single_variant = "suite = { startpos = true }\nlimit = { depth = 1 }\n[match]\n";
    assert_eq!(
        read_error(single_variant, &[]).message,
        "match: a match needs at least two variants, found 1: add another by [grid] or [[variant]]"
    );
    let share = GAMES.replace("\"keys.seed\" = 2", "\"table.size\" = \"25 %\"");
    assert_eq!(
        read_error(&share, &[]).message,
        "table.size: a match needs a size in bytes or entries, not a share of a working set (variant \"second\")"
    );
    let finished = GAMES.replace("startpos = true", "fen = \"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\"");
    assert_eq!(read_error(&finished, &[]).message, "suite: fen: the game is over before it begins");
    // All finished games are listed, and no other.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("s.epd");
    let positions = "7k/5Q2/6K1/8/8/8/8/8 b - - id \"stalemate\";\n4k3/8/8/8/8/8/PPPPPPPP/4K3 w - - id \"open\";\n\
        rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - id \"mate\";\n";
    std::fs::write(&file, positions).expect("a suite");
    let finished = GAMES.replace("{ startpos = true }", &format!("{:?}", file));
    assert_eq!(read_error(&finished, &[]).message, "suite: 2 games are over before they begin: `stalemate`, `mate`");
}

#[test]
fn match_claim_needs_two_variants_that_play() {
    let syntax = "expected \"elo(A, B) > 0\" or \"score(A, B) >= 0.5\", with > >= < or <=, where A and B are \
        variants that play each other, and a score is between 0 and 1";
    let pairing_help = "each variant plays only the baseline: with pairing = \"round-robin\", every pair plays";
    let message = format!("expect: a match supports claims only: {syntax}");
    let nodes_message = format!("expect.nodes: a match supports claims only: {syntax}");
    let depth_message = format!("expect.depth: a match supports claims only: {syntax}");
    let out_of_range = |text: &str| format!("expect.claim: `{text}`: {syntax}");
    check(
        GAMES,
        &[
            ("[[expect]]\nclaim = \"elo(second, first) > -1e3\"", "", "", ""),
            ("[[expect]]\nclaim = \"elo(first, third, (x)) <= 3\"", "", "", ""),
            ("[[expect]]\nclaim = \"score(first, second) >= 0.001\"", "", "", ""),
            (
                "[[expect]]\nclaim = \"score(first, second) < 0\"",
                &out_of_range("score(first, second) < 0"),
                "claim",
                "",
            ),
            (
                "[[expect]]\nclaim = \"score(first, second) < 1\"",
                &out_of_range("score(first, second) < 1"),
                "claim",
                "",
            ),
            (
                "[[expect]]\nclaim = \"elo(first, second) < inf\"",
                &out_of_range("elo(first, second) < inf"),
                "claim",
                "",
            ),
            (
                "[[expect]]\nclaim = \"elo(secont, first) > 0\"",
                "expect.claim: there is no variant \"secont\"",
                "secont",
                "did you mean `second`?",
            ),
            (
                "[[expect]]\nclaim = \"elo(first, nobody) > 0\"",
                "expect.claim: there is no variant \"nobody\"",
                "nobody",
                "expected one of `first`, `second`, `third, (x)`",
            ),
            (
                "[[expect]]\nclaim = \"elo(second, third, (x)) > 0\"",
                "expect.claim: \"second\" and \"third, (x)\" do not play each other",
                "claim",
                pairing_help,
            ),
            (
                "[[expect]]\nclaim = \"elo(first, first) > 0\"",
                "expect.claim: \"first\" and \"first\" do not play each other",
                "claim",
                pairing_help,
            ),
            (
                "[[expect]]\nclaim = \"elo(second) > 0\"",
                &format!("expect.claim: `elo(second) > 0`: {syntax}"),
                "claim",
                "",
            ),
            ("[[expect]]\nnodes = 3", &message, "[[expect]]", ""),
            ("[[expect]]\nclaim = \"elo(first, second) > 0\"\nnodes = 3", &nodes_message, "[[expect]]", ""),
            ("[[expect]]\nclaim = \"elo(first, second) > 0\"\nwhere = { depth = 3 }", &depth_message, "[[expect]]", ""),
            ("pairing = \"round-robin\"\n[[expect]]\nclaim = \"elo(second, third, (x)) > 0\"", "", "", ""),
            (
                "test = { }\n[[expect]]\nclaim = \"elo(first, second) > 0\"",
                "expect.claim: a test that stops early biases Elo: give the test `stop = false`, or use its verdict",
                "claim",
                "",
            ),
            ("test = { stop = false }\n[[expect]]\nclaim = \"elo(first, second) > 0\"", "", "", ""),
        ],
    );
}

#[test]
fn tune_numbers_are_checked_at_both_limits() {
    check(
        &format!("{SEARCH}[tune]\n"),
        &[
            ("first = 2\nfinalists = 1\nalpha = 0.5\nheld_out = 0.01", "", "", ""),
            ("finalists = 100\nalpha = 0.0001\nheld_out = 0.99", "", "", ""),
            ("first = 1", "tune.first: 1 is out of range: expected at least 2", "first", ""),
            ("held_out = 0.0", "tune.held_out: 0 is out of range: expected a share between 0 and 1", "held_out", ""),
            ("held_out = 1.0", "tune.held_out: 1 is out of range: expected a share between 0 and 1", "held_out", ""),
            ("held_out = nan", "tune.held_out: NaN is out of range: expected a finite number", "nan", ""),
            ("alpha = 0.0", "tune.alpha: 0 is out of range: expected above 0, at most 0.5", "alpha", ""),
            ("alpha = 0.51", "tune.alpha: 0.51 is out of range: expected above 0, at most 0.5", "alpha", ""),
            ("finalists = 0", "tune.finalists: 0 is out of range: expected 1 to 100", "finalists", ""),
            ("finalists = 101", "tune.finalists: 101 is out of range: expected 1 to 100", "finalists", ""),
        ],
    );
}

/// The handicapped copies of the baseline come last. Each has the baseline's nodes divided by its
/// handicap.
#[test]
fn handicap_divides_the_baselines_nodes() {
    // Name, nodes and key seed of each copy. The file has three variants of its own.
    let handicapped = |more: &str, sets: &[&str]| {
        let experiment = read(&format!("baseline = {{ variant = \"second\" }}\n{GAMES}{more}"), sets);
        let variants = experiment.map(|experiment| experiment.variants).unwrap_or_default();
        let copies = variants
            .into_iter()
            .skip(3)
            .map(|variant| (variant.name.clone(), variant.limit.nodes, variant.builtin().unwrap().keys.seed));
        copies.collect::<Vec<_>>()
    };
    // The copies for the divisors 0.8 and 2, by their nodes; 2 is the baseline's key seed.
    let expected = |nodes: [u64; 2]| {
        let copies = ["0.8", "2"].iter().zip(nodes);
        copies.map(|(divisor, nodes)| (format!("second, nodes / {divisor}"), Some(nodes), 2)).collect::<Vec<_>>()
    };
    assert_eq!(handicapped("handicap = [0.8, 2]", &[]), expected([11, 5]));
    assert_eq!(handicapped("handicap = [0.8, 2]", &["limit.nodes=1000"]), expected([1250, 500]));
    assert_eq!(handicapped("", &[]), []);
    let out_of_range =
        |divisor: &str| format!("match.handicap: {divisor} is out of range: expected 0.01 to 100, but not 1");
    let stops = "match.handicap: a test that stops early biases Elo: give the test `stop = false`";
    check(
        GAMES,
        &[
            ("handicap = [0.01]", "", "", ""),
            ("handicap = [0.009]", &out_of_range("0.009"), "handicap", ""),
            ("handicap = [18]", "", "", ""),
            ("handicap = [18.1]", "match.handicap: 18.1: is too large: it leaves 0 of 9 nodes", "handicap", ""),
            ("handicap = [100.1]", &out_of_range("100.1"), "handicap", ""),
            ("handicap = [2, 1.0]", &out_of_range("1"), "handicap", ""),
            ("handicap = [-2]", &out_of_range("-2"), "handicap", ""),
            ("handicap = [2, 2.0]", "match.handicap: 2: gives the same player as \"first, nodes / 2\"", "handicap", ""),
            // Nine nodes divided by 2 and by 1.9 give the same number.
            (
                "handicap = [2, 1.9]",
                "match.handicap: 1.9: gives the same player as \"first, nodes / 2\"",
                "handicap",
                "",
            ),
            ("handicap = [1.01]", "match.handicap: 1.01: gives the same player as \"first\"", "handicap", ""),
            ("handicap = [2]\ntest = { stop = false }", "", "", ""),
            ("handicap = [2]\ntest = { }", stops, "handicap", ""),
            (
                "handicap = [2]\npairing = \"round-robin\"",
                "match.handicap: needs pairing = \"baseline\": strength is measured in nodes of the baseline",
                "handicap",
                "",
            ),
        ],
    );
    for limit in ["depth = 3", "depth = 3, nodes = 9"] {
        let experiment = GAMES.replace("nodes = 9", limit);
        let message = "match.handicap: `nodes` must be the only limit, but \"first\" has another limit: give limit = { nodes = 20000 }";
        assert_eq!(read_error(&format!("{experiment}handicap = [2]"), &[]).message, message);
    }
    // One variant plays its handicapped copies.
    let single_variant = "suite = { startpos = true }\nlimit = { nodes = 9 }\n[match]\nhandicap = [2]\n";
    assert_eq!(read_error(single_variant, &[]).message, "");
}
