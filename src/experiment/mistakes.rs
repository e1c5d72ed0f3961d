//! Files that are wrong in one thing: what is said, of which bytes, and what is offered instead; and what stands at the ends of what is right.

use super::{Experiment, Problem};
use std::path::Path;

fn read(text: &str, sets: &[&str]) -> Result<Experiment, Problem> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Experiment::parse(text, Path::new("files/x.toml"), &sets)
}

/// What is wrong: the message, the bytes that are pointed at, the help.
fn told(text: &str, sets: &[&str]) -> (String, String, String) {
    match read(text, sets) {
        Ok(_) => Default::default(),
        Err(Problem { text, span, message, help, .. }) => {
            (message, span.map_or_else(String::new, |span| text[span].to_owned()), help.unwrap_or_default())
        }
    }
}

#[track_caller]
fn check(start: &str, cases: &[(&str, &str, &str, &str)]) {
    for (text, message, place, help) in cases {
        let (found, pointed, helped) = told(&format!("{start}{text}\n"), &[]);
        assert_eq!((found.as_str(), pointed.as_str(), helped.as_str()), (*message, *place, *help), "{text}");
    }
}

const SEARCH: &str = "suite = { startpos = true }\nlimit = { depth = 2 }\n";
const GRID: &str = "suite = { startpos = true }\nlimit = { depth = 2 }\n[grid]\n\"table.slots\" = [1, 2]\n\"table.size\" = [64, \"1 MiB\", 256]\n";
const GAMES: &str = "suite = { startpos = true }\nlimit = { nodes = 9 }\n[[variant]]\nname = \"first\"\n[[variant]]\nname = \"second\"\n\"keys.seed\" = 2\n\
    [[variant]]\nname = \"third, (x)\"\n\"keys.seed\" = 3\n[match]\n";

#[test]
fn a_match_is_checked_to_the_ends_of_each_number() {
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
            (
                "test = { elo1 = nan }",
                "match.test: elo0 = 0, elo1 = NaN is out of range: expected -1000 to 1000",
                "test",
                "",
            ),
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
    let games =
        |more: &str| read(&format!("{GAMES}{more}"), &[]).map(|experiment| experiment.file.games).ok().flatten();
    let all = games("").map(|games| (games.test(), games.encounters(3, 1)));
    let test = super::matches::Test { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, stop: false };
    assert_eq!(all, Some((test, vec![(0, 1), (2, 1)])), "a test that is not asked for stops nothing");
    let robin = games("pairing = \"round-robin\"\ntest = { }").map(|games| (games.test(), games.encounters(3, 1)));
    assert_eq!(robin, Some((super::matches::Test { stop: true, ..test }, vec![(0, 1), (0, 2), (1, 2)])));
}

#[test]
fn what_does_not_go_with_a_match_is_told() {
    let no_positions =
        |path: &str| format!("{path}: does not go with [match]: games are played, and no positions searched");
    for (more, message, place) in [
        ("[sequence]\nself_play = 3", no_positions("sequence"), "sequence"),
        ("[reference]\nuci = \"builtin\"\nlimit = { depth = 9 }", no_positions("reference"), "reference"),
        (
            "[tune]",
            "tune: does not go with [match]: a race gives up what cost nodes on a few positions, and games would want thousands for each \
             try; tune by nodes, then let the best play"
                .to_owned(),
            "tune",
        ),
    ] {
        let (found, pointed, _) = told(&format!("{GAMES}{more}\n"), &[]);
        assert_eq!((found, pointed.as_str()), (message, place));
    }
    let openings = "players that repeat play the same games again: more openings make more games";
    let seeds = "the seeds of a variant would play the same openings: more openings make more games (other keys are variants too: \
        \"keys.seed\" = [1, 2, 3] in [grid])";
    for (first, message) in [
        ("repeats = 2", format!("repeats: 2: {openings}")),
        ("seeds = 3", format!("seeds: 3: {seeds}")),
        ("repeats = 1\nseeds = 1", String::new()),
    ] {
        assert_eq!(told(&format!("{first}\n{GAMES}"), &[]).0, message);
    }
    let one = "suite = { startpos = true }\nlimit = { depth = 1 }\n[match]\n";
    assert_eq!(told(one, &[]).0, "match: one variant has nobody to play: give a second, by [grid] or [[variant]]");
    let share = GAMES.replace("\"keys.seed\" = 2", "\"table.size\" = \"25 %\"");
    assert_eq!(
        told(&share, &[]).0,
        "table.size: a share of what searches store is not known in a match (variant \"second\")"
    );
    let over = GAMES.replace("startpos = true", "fen = \"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\"");
    assert_eq!(told(&over, &[]).0, "suite: fen: the game is over before it begins");
}

#[test]
fn claims_of_a_match_are_of_two_who_meet() {
    let form = "expected \"elo(A, B) > 0\" or \"score(A, B) >= 0.5\", with > >= < or <=, A and B variants that meet";
    let meet = "each plays the baseline; pairing = \"round-robin\" lets everybody meet everybody";
    let only = format!("expect: of a match only claims can be held: {form}");
    let nodes = format!("expect.nodes: of a match only claims can be held: {form}");
    let depth = format!("expect.depth: of a match only claims can be held: {form}");
    let between = |text: &str| format!("expect.claim: `{text}`: a score lies between 0 and 1, and Elo is a number");
    check(
        GAMES,
        &[
            ("[[expect]]\nclaim = \"elo(second, first) > -1e3\"", "", "", ""),
            ("[[expect]]\nclaim = \"elo(first, third, (x)) <= 3\"", "", "", ""),
            ("[[expect]]\nclaim = \"score(first, second) >= 0.001\"", "", "", ""),
            ("[[expect]]\nclaim = \"score(first, second) < 0\"", &between("score(first, second) < 0"), "claim", ""),
            ("[[expect]]\nclaim = \"score(first, second) < 1\"", &between("score(first, second) < 1"), "claim", ""),
            ("[[expect]]\nclaim = \"elo(first, second) < inf\"", &between("elo(first, second) < inf"), "claim", ""),
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
                "there are `first`, `second`, `third, (x)`",
            ),
            (
                "[[expect]]\nclaim = \"elo(second, third, (x)) > 0\"",
                "expect.claim: \"second\" and \"third, (x)\" do not meet",
                "claim",
                meet,
            ),
            (
                "[[expect]]\nclaim = \"elo(first, first) > 0\"",
                "expect.claim: \"first\" and \"first\" do not meet",
                "claim",
                meet,
            ),
            (
                "[[expect]]\nclaim = \"elo(second) > 0\"",
                &format!("expect.claim: `elo(second) > 0`: {form}"),
                "claim",
                "",
            ),
            ("[[expect]]\nnodes = 3", &only, "[[expect]]", ""),
            ("[[expect]]\nclaim = \"elo(first, second) > 0\"\nnodes = 3", &nodes, "[[expect]]", ""),
            ("[[expect]]\nclaim = \"elo(first, second) > 0\"\nwhere = { depth = 3 }", &depth, "[[expect]]", ""),
            ("pairing = \"round-robin\"\n[[expect]]\nclaim = \"elo(second, third, (x)) > 0\"", "", "", ""),
            (
                "test = { }\n[[expect]]\nclaim = \"elo(first, second) > 0\"",
                "expect.claim: games that a test ends have no honest interval of Elo: give the test `stop = false`, or read its verdict",
                "claim",
                "",
            ),
            ("test = { stop = false }\n[[expect]]\nclaim = \"elo(first, second) > 0\"", "", "", ""),
        ],
    );
}

#[test]
fn a_race_is_checked_to_the_ends_of_each_number() {
    check(
        &format!("{SEARCH}[tune]\n"),
        &[
            ("first = 2\nfinalists = 1\nalpha = 0.5\nheld_out = 0.01", "", "", ""),
            ("finalists = 100\nalpha = 0.0001\nheld_out = 0.99", "", "", ""),
            ("first = 1", "tune.first: 1 is out of range: expected at least 2", "first", ""),
            ("held_out = 0.0", "tune.held_out: 0 is out of range: expected a share between 0 and 1", "held_out", ""),
            ("held_out = 1.0", "tune.held_out: 1 is out of range: expected a share between 0 and 1", "held_out", ""),
            ("held_out = nan", "tune.held_out: NaN is out of range: expected a share between 0 and 1", "held_out", ""),
            ("alpha = 0.0", "tune.alpha: 0 is out of range: expected above 0, at most 0.5", "alpha", ""),
            ("alpha = 0.51", "tune.alpha: 0.51 is out of range: expected above 0, at most 0.5", "alpha", ""),
            ("finalists = 0", "tune.finalists: 0 is out of range: expected 1 to 100", "finalists", ""),
            ("finalists = 101", "tune.finalists: 101 is out of range: expected 1 to 100", "finalists", ""),
        ],
    );
    let tune = read(&format!("{SEARCH}[tune]\npressures = [{{ \"table.size\" = 64, \"table.slots\" = 2 }}]\n"), &[]);
    let tune = tune.ok().and_then(|experiment| experiment.file.tune);
    assert_eq!(
        tune.map(|tune| super::tune::sets(&tune.pressures[0])),
        Some(["table.size=64", "table.slots=2"].map(str::to_owned).to_vec())
    );
}

#[test]
fn axes_and_points_are_told_by_their_own_place() {
    check(
        GRID,
        &[
            ("\"keys.seed\" = []", "grid.keys.seed: expected a list of values", "\"keys.seed\"", ""),
            ("\"keys.seed\" = 3", "grid.keys.seed: expected a list of values", "\"keys.seed\"", ""),
            (
                "keys.seed = [1, 2]",
                "grid.keys: expected a list of values; write the path in quotes, as in \"keys.size\" = [..]",
                "keys",
                "",
            ),
            (
                "\"keys.sead\" = [1, 2]",
                "grid.keys.sead: there is no option `keys.sead`",
                "\"keys.sead\"",
                "did you mean `keys.seed`?",
            ),
            (
                "[[zip]]\n\"keys.seed\" = [1, 2]\n\"draws\" = [true]",
                "zip.draws: has 1 values where zip.keys.seed has 2",
                "zip",
                "",
            ),
            (
                "[[zip]]\n\"keys.sead\" = [1, 2]",
                "zip.keys.sead: there is no option `keys.sead`",
                "\"keys.sead\"",
                "did you mean `keys.seed`?",
            ),
            ("[[zip]]", "", "", ""),
            (
                "[[exclude]]\n\"table.slotz\" = 2",
                "exclude.table.slotz: there is no option `table.slotz`",
                "\"table.slotz\"",
                "did you mean `table.slots`?",
            ),
            (
                "[[include]]\n\"table.slotz\" = 2",
                "include.table.slotz: there is no option `table.slotz`",
                "\"table.slotz\"",
                "did you mean `table.slots`?",
            ),
            ("[[include]]\nname = \"\"\n\"table.slots\" = 4", "include.name: expected a name in quotes", "name", ""),
            (
                "[[include]]\nname = \"a\\tb\"\n\"table.slots\" = 4",
                "include.name: expected a name in quotes",
                "name",
                "",
            ),
            ("[[variant]]\nname = 3", "variant.name: expected a name in quotes", "name", ""),
            (
                "[[variant]]\n\"table.slots\" = 4",
                "variant.name: missing: every [[variant]] needs a name",
                "[[variant]]",
                "",
            ),
            (
                "[[variant]]\nname = \"v\"\ntable.slots = 9",
                "table.slots: 9 is out of range: expected 1 to 8 (variant \"v\")",
                "slots",
                "",
            ),
            (
                "[[include]]\n\"table.slots\" = 1\n\"table.size\" = 64",
                "variant: the name \"slots=1, size=64\" is used twice",
                "",
                "",
            ),
            (
                "[[variant]]\nname = \"v\"\n\"table.slots\" = 2\n\"table.size\" = 256",
                "\"v\" and \"slots=2, size=256\" are the same point: the same options under the same limit",
                "",
                "",
            ),
            (
                "[baseline]\nslots = 3",
                "baseline: no variant matches it",
                "baseline",
                "there are `slots=1, size=64`, `slots=1, size=1 MiB`, `slots=1, size=256`, `slots=2, size=64`, `slots=2, size=1 MiB`, `slots=2, size=256`",
            ),
            (
                "[baseline]\nvariant = \"slots=2, size=6\"",
                "baseline: no variant matches it",
                "baseline",
                "did you mean `slots=2, size=64`?",
            ),
            (
                "[baseline]\nslotz = 1",
                "baseline.slotz: there is no option `slotz`",
                "slotz",
                "did you mean `table.slots`?",
            ),
            ("[baseline]\nclear = \"game\"", "", "", ""),
            (
                "[baseline]\nkind = \"always\"",
                "baseline.kind: may be `table.kind` or `table.policy.kind`: write it out",
                "kind",
                "",
            ),
        ],
    );
    let base = |more: &str| read(&format!("{GRID}{more}"), &[]).map(|experiment| experiment.baseline).ok();
    for (more, place) in [
        ("", 0),
        ("[baseline]\nslots = 2\n", 3),
        ("[baseline]\n\"table.size\" = 256\n\"table.slots\" = 2", 5),
        ("[baseline]\nvariant = \"slots=1, size=256\"", 2),
        ("[baseline]\nvariant = \"slots=2, size=64\"\nslots = 2", 3),
    ] {
        assert_eq!(base(more), Some(place), "{more}");
    }
    let many: Vec<String> = (0..320).map(|seed| seed.to_string()).collect();
    let axes = |names: &[&str]| {
        let axis = |name: &&str| format!("\"{name}\" = [{}]\n", many.join(", "));
        format!("{SEARCH}[grid]\n{}", names.iter().map(axis).collect::<String>())
    };
    assert_eq!(told(&axes(&["keys.seed", "aspiration"]), &[]).0, "grid: more than 100000 points");
}

/// The grid's points with the first axis slowest, then the includes, then the variants; names by the ends of paths, by more where two end alike.
#[test]
fn points_have_their_order_names_and_options() {
    let names = |text: &str| -> Vec<String> {
        read(text, &[])
            .map(|experiment| experiment.points.iter().map(|point| point.name.clone()).collect())
            .unwrap_or_default()
    };
    let text = format!(
        "{GRID}[[zip]]\n\"keys.seed\" = [1, 2]\n\"draws\" = [true, false]\n[[exclude]]\n\"table.slots\" = 2\n[[exclude]]\n\"table.size\" = 64\n\"keys.seed\" = 2\n\
        [[variant]]\nname = \"v\"\nhistory_clear = \"never\"\n[[include]]\n\"table.slots\" = 2\n"
    );
    assert_eq!(
        names(&text),
        [
            "slots=1, size=64, seed=1, draws=true",
            "slots=1, size=1 MiB, seed=1, draws=true",
            "slots=1, size=1 MiB, seed=2, draws=false",
            "slots=1, size=256, seed=1, draws=true",
            "slots=1, size=256, seed=2, draws=false",
            "slots=2",
            "v",
        ]
    );
    let alike = format!(
        "{SEARCH}[grid]\n\"table.clear\" = [\"game\"]\n\"table.policy\" = [\"always\", {{ kind = \"aged-depth\", factor = 3 }}]\n\"table.kind\" = [\"bounded\"]\n"
    );
    assert_eq!(
        names(&alike),
        ["clear=game, policy=always, kind=bounded", "clear=game, policy=aged-depth factor=3, kind=bounded"]
    );
    assert_eq!(names(SEARCH), ["default"]);
    let set = read(GRID, &["table.slots=4"]).map_err(|problem| problem.message);
    assert!(set.is_err_and(|message| message.contains("are the same point")), "a set is laid over every point");
    let set = read(SEARCH, &["table.slots=4", "limit.nodes=70", "table.slots = 8"])
        .ok()
        .map(|mut experiment| experiment.points.remove(0));
    let found = set.map(|point| (point.options.table.slots, point.limit.depth, point.limit.nodes, point.paths));
    assert_eq!(found, Some((8, Some(2), Some(70), Vec::new())));
}

#[test]
fn expectations_are_told_by_their_own_place() {
    let two =
        format!("{SEARCH}[[variant]]\nname = \"one\"\n[[variant]]\nname = \"two\"\n\"table.slots\" = 2\n[[expect]]\n");
    check(
        &two,
        &[
            ("nodes = 3", "", "", ""),
            ("other_scores = 0", "", "", ""),
            ("where = { variant = \"two\", depth = 2 }\n\"row.slots\" = 3", "", "", ""),
            ("where = { \"row.slots\" = 2, \"table.slots\" = 2 }\nnodes = 3", "", "", ""),
            (
                "where = { slots = 2 }\nnodes = 3",
                "expect.where.slots: may be `table.slots` or `row.slots`: write it out",
                "slots",
                "",
            ),
            (
                "where = { kind = \"x\" }\nnodes = 3",
                "expect.where.kind: may be `table.kind` or `table.policy.kind`: write it out",
                "kind",
                "",
            ),
            (
                "where = { deptj = 2 }\nnodes = 3",
                "expect.where.deptj: there is no such column",
                "deptj",
                "did you mean `depth`?",
            ),
            (
                "where = { variant = \"tow\" }\nnodes = 3",
                "expect.where.variant: there is no variant \"tow\"",
                "\"tow\"",
                "did you mean `two`?",
            ),
            (
                "where = { variant = \"nobody\" }\nnodes = 3",
                "expect.where.variant: there is no variant \"nobody\"",
                "\"nobody\"",
                "there are `one`, `two`",
            ),
            ("nodez = 3", "expect.nodez: there is no such metric", "nodez", "did you mean `search.nodes`?"),
            ("\"row.nodez\" = 3", "expect.row.nodez: there is no such metric", "\"row.nodez\"", ""),
            ("", "expect: gives neither a figure nor a claim", "[[expect]]", ""),
            (
                "kind = \"expected\"\nnodes = 3",
                "expect.source: missing: who published or expects it?",
                "[[expect]]",
                "",
            ),
            (
                "kind = \"published\"\nnodes = 3\nsource = \" \"",
                "expect.source: missing: who published or expects it?",
                "[[expect]]",
                "",
            ),
            ("kind = \"published\"\nnodes = 3\nsource = \"x\"", "", "", ""),
            ("kind = \"published\"\nnodes = 3\nquote = \"x\"", "", "", ""),
            ("kind = \"expected\"\nnodes = 3\nauthor = \"x\"", "", "", ""),
            ("kind = \"expected\"\nnodes = 3\narticle = \"x\"", "", "", ""),
            ("kind = \"published\"\nnodes = 3\n[article]\ntitle = \"T\"", "", "", ""),
            (
                "kind = \"expected\"\nnodes = 3\n[article]\ntitle = \"T\"",
                "expect.source: missing: who published or expects it?",
                "[[expect]]",
                "",
            ),
            ("claim = \"nodes(one) < 2 * nodes(two)\"", "", "", ""),
            (
                "claim = \"nodez(one) < nodes(two)\"",
                "expect.claim: there is no metric `nodez`",
                "nodez",
                "did you mean `search.nodes`?",
            ),
            (
                "claim = \"nodes(one) < nodez(two)\"",
                "expect.claim: there is no metric `nodez`",
                "nodez",
                "did you mean `search.nodes`?",
            ),
            (
                "claim = \"nodes(onf) < nodes(two)\"",
                "expect.claim: there is no variant \"onf\"",
                "onf",
                "did you mean `one`?",
            ),
            (
                "claim = \"nodes(one) < nodes(tow)\"",
                "expect.claim: there is no variant \"tow\"",
                "tow",
                "did you mean `two`?",
            ),
        ],
    );
}

#[test]
fn sequences_and_suites_are_told_by_their_own_place() {
    let limit = "limit = { depth = 1 }\n";
    check(
        limit,
        &[
            ("", "suite: missing: give suite = \"FILE\", or [trace] with file = \"FILE\"", "", ""),
            (
                "suite = { startpos = true, fen = \"x\" }",
                "suite: expected a file, { startpos = true } or { fen = \"...\" }",
                "suite",
                "",
            ),
            (
                "suite = \"data/games.pgm\"",
                "suite: there is no file data/games.pgm",
                "suite",
                "did you mean `data/games.pgn`?",
            ),
            (
                "suite = { startpos = true }\ntrace = { file = \"x\" }",
                "trace: a suite is given too: searches or a trace, not both",
                "trace",
                "",
            ),
            (
                "suite = { startpos = true }\n[sequence]\nfrom = 2",
                "sequence: the suite has single positions: give self_play (plies of the engine's own play)",
                "sequence",
                "",
            ),
            (
                "suite = \"data/games.pgn\"\n[sequence]\nself_play = 1",
                "sequence.self_play: the suite's games give the moves: leave it out",
                "sequence",
                "",
            ),
            ("suite = \"data/games.pgn\"\nfirst = 1\n[sequence]\nfrom = 5\nto = 5", "", "", ""),
            (
                "suite = \"data/games.pgn\"\nfirst = 1\n[sequence]\nfrom = 5\nto = 4",
                "sequence.to: lies before sequence.from",
                "sequence",
                "",
            ),
            (
                "suite = \"data/games.pgn\"\nfirst = 1\n[sequence]\nfrom = 60000",
                "sequence: no item of the suite has such plies: nothing would be searched",
                "sequence",
                "",
            ),
            (
                "suite = { startpos = true }\nsequence = { self_play = 1, side = \"black\" }",
                "sequence: no item of the suite has such plies: nothing would be searched",
                "sequence",
                "",
            ),
            ("suite = { startpos = true }\nsequence = { self_play = 2, side = \"black\" }", "", "", ""),
            (
                "suite = { startpos = true }\nname = \".x\"",
                "name: `.x` is not a plain folder name (letters, digits, - _ .)",
                "name",
                "",
            ),
            ("suite = { startpos = true }\nname = \"x.Y-_9\"", "", "", ""),
            (
                "suite = { startpos = true }\nseeds = 2\n[subject]\nuci = \"x\"",
                "seeds: an engine that is not ttlab's own has no key seeds",
                "seeds",
                "",
            ),
        ],
    );
    // Without a name it is called as its file is.
    assert_eq!(read(SEARCH, &[]).map(|experiment| experiment.name).unwrap_or_default(), "x");
}

#[test]
fn subjects_are_told_by_their_own_place() {
    check(
        &format!("{SEARCH}[subject]\n"),
        &[
            ("uci = \"x\"\ntimeout = 0.001", "", "", ""),
            ("uci = \"x\"\ntimeout = 1e7", "", "", ""),
            (
                "uci = \"x\"\ntimeout = 0.0009",
                "subject.timeout: expected seconds, from 0.001 to 1e7 (variant \"default\")",
                "timeout",
                "",
            ),
            (
                "uci = \"x\"\ntimeout = 1.1e7",
                "subject.timeout: expected seconds, from 0.001 to 1e7 (variant \"default\")",
                "timeout",
                "",
            ),
            (
                "uci = \" \"",
                "subject.uci: expected a program, or a list with its arguments (variant \"default\")",
                "uci",
                "",
            ),
            (
                "uci = []",
                "subject.uci: expected a program, or a list with its arguments (variant \"default\")",
                "uci",
                "",
            ),
            (
                "uci = \"builtin\"\n[[variant]]\nname = \"v\"\n\"uci.Hash\" = 4",
                "uci.Hash: \"builtin\" has no such option: [engine] sets it up (variant \"v\")",
                "\"uci.Hash\"",
                "",
            ),
            (
                "uci = [\"x\", \"-u\"]\n[[variant]]\nname = \"v\"\n\"table.slots\" = 4",
                "table.slots: is an option of ttlab's own engine, and this point is of x -u: its own are \"uci.Name\" (variant \"v\")",
                "\"table.slots\"",
                "",
            ),
            ("uci = \"x\"\n[[variant]]\nname = \"v\"\n\"limit.depth\" = 4", "", "", ""),
            (
                "uci = \"x\"\n[[variant]]\nname = \"v\"\n\"uci.\" = 4",
                "variant.uci.: there is no option `uci.`",
                "\"uci.\"",
                "did you mean `subject.uci`?",
            ),
            (
                "uci = \"x\"\nrestart = \"gam\"",
                "subject.restart: unknown word `gam`, expected one of `experiment`, `game`, `search` (variant \"default\")",
                "restart",
                "did you mean `game`?",
            ),
        ],
    );
    let text = format!(
        "{SEARCH}[subject]\nuci = [\"x\", \"-u\"]\noptions = {{ Hash = 4 }}\n[[variant]]\nname = \"v\"\n\"uci.Hash\" = 8\n\"uci.A.b\" = true\n\"subject.timeout\" = 2.5\n\
        \"subject.restart\" = \"game\"\n[[variant]]\nname = \"w\"\nsubject = \"builtin\"\n"
    );
    let experiment = read(&text, &[]).map_err(|problem| problem.to_string());
    let columns = |at: usize| experiment.as_ref().map(|experiment| super::grid::columns(&experiment.points[at]));
    let shown = [
        ("subject.uci", "x -u"),
        ("subject.restart", "game"),
        ("subject.timeout", "2.5"),
        ("uci.A.b", "true"),
        ("uci.Hash", "8"),
        ("limit.depth", "2"),
    ];
    assert_eq!(columns(0), Ok(shown.map(|(path, value)| (path.to_owned(), value.to_owned())).to_vec()));
    let own = columns(1).map(|columns| (columns[0].clone(), columns.len() > 20)).map_err(Clone::clone);
    assert_eq!(own, Ok((("subject.uci".to_owned(), "builtin".to_owned()), true)));
}

#[test]
fn settings_are_told_by_their_own_words() {
    for (set, message, place, help) in [
        ("table.slots", "--set table.slots: expected path=value, as in table.size=\"4 MiB\"", "table.slots", ""),
        ("table.slots=9", "table.slots: 9 is out of range: expected 1 to 8 (variant \"default\")", "9", ""),
        (
            "table.slotz=9",
            "--set.table.slotz: there is no option `table.slotz`",
            "table.slotz",
            "did you mean `table.slots`?",
        ),
        (
            "engine.table.slots=2",
            "--set.engine.table.slots: there is no option `engine.table.slots`",
            "engine.table.slots",
            "did you mean `table.slots`? What is set lies in [engine] already",
        ),
        (
            "grid.table.slots=2",
            "--set.grid.table.slots: there is no option `grid.table.slots`",
            "grid.table.slots",
            "did you mean `table.slots`? What is set lies in [engine] already",
        ),
        (
            "repeats=2",
            "--set.repeats: there is no option `repeats`",
            "repeats",
            "`repeats` is said in the file itself: --set lays options of the engine, and limits, over every variant",
        ),
        ("draws=", "draws: there is no value after the =", "", "expected true | false"),
        ("draws.x=1", "draws.x: `draws` is a plain value and has no parts (variant \"default\")", "1", ""),
        ("limit.depth=0", "limit.depth: expected a number from 1 to 255, found 0", "0", ""),
        ("limit.depth=256", "limit.depth: expected a number from 1 to 255, found 256", "256", ""),
        ("limit.nodes=0", "limit.nodes: expected a number above 0, found 0", "0", ""),
        ("limit.nodes=many", "limit.nodes: expected a number above 0, found many", "many", ""),
        ("preset=3", "preset: expected a name in quotes (variant \"default\")", "3", ""),
    ] {
        let (found, pointed, helped) = told(SEARCH, &[set]);
        if set == "draws.x=1" {
            // No such path is known before it is laid over the options.
            assert!(found.contains("draws.x") && !helped.contains("draws.x"), "{found}: {helped}");
            continue;
        }
        assert_eq!((found.as_str(), pointed.as_str(), helped.as_str()), (message, place, help), "{set}");
    }
    let (message, place, _) = told(SEARCH, &["subject.patience=3"]);
    assert_eq!(
        (message.as_str(), place.as_str()),
        ("--set.subject.patience: there is no option `subject.patience`", "subject.patience")
    );
    let unknown = super::options(Some("purpel"), &[]).err().map(|problem| (problem.message, problem.help));
    let all =
        "purple, purple-listing, purple-as-published, otter, webster, webster-as-published, ancient, vipermate, match";
    assert_eq!(
        unknown,
        Some((
            format!("preset: unknown preset `purpel`, expected one of {all}"),
            Some("did you mean `purple`?".to_owned())
        ))
    );
    let limit = super::options(None, &["limit.depth=3".to_owned()]).err().map(|problem| problem.message);
    assert_eq!(limit.as_deref(), Some("limit.depth: is not one of the engine's options: a limit is set by itself"));
}
