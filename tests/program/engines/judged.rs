//! Compares a reference's judgements with searches made here: every score and node count of
//! `reference.csv`. Moves that end the game by rule need no search.

use super::{SUITE, Trial, scripted};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use ttlab::internals::chess::suite::{Suite, SuiteOptions};
use ttlab::internals::chess::{Board, Increments, Move, legal};
use ttlab::internals::engine::{Engine, EngineOptions, Limit};

/// Best move, score and nodes, as in the file, by position and move.
type Judged = BTreeMap<(String, String), [String; 3]>;

fn judged(trial: &Trial) -> Judged {
    let mut reader = csv::Reader::from_path(trial.path("out/reference.csv")).unwrap();
    let mut found = Judged::new();
    for row in reader.records().map(Result::unwrap) {
        let [position, mv, best, score, nodes] = [1, 2, 3, 4, 5].map(|at| row[at].to_owned());
        assert!(found.insert((position, mv), [best, score, nodes]).is_none(), "{row:?} is there twice");
    }
    found
}

/// Returns a new engine's best move and score, and the nodes of all its iterations.
fn searched(board: &Board, past: &[Board], depth: u8) -> (Move, i32, u64) {
    let mut engine = Engine::new(&EngineOptions::default(), None).unwrap();
    let limit = Limit { depth: Some(depth), nodes: None };
    let found = engine.search(board, past, limit, &AtomicBool::new(false), &mut |_| {}).iterations;
    let last = found.last().unwrap();
    (last.best, last.score, found.iter().map(|iteration| iteration.search.nodes).sum())
}

/// Returns the expected judgement of the position after `moves`, and of the moves chosen there,
/// which include the reference's own move.
fn expected_judgement(name: &str, start: &Board, moves: &[Move], chosen: &BTreeSet<String>, depth: u8) -> Judged {
    let (mut board, mut past) = (*start, Vec::new());
    for &mv in moves {
        past.push(board);
        board.play(mv, Increments::none());
    }
    let (best, score, nodes) = searched(&board, &past, depth);
    let fields = |best: String, score: i32, nodes: Option<u64>| {
        [best, score.to_string(), nodes.map_or_else(String::new, |nodes| nodes.to_string())]
    };
    let mut all = Judged::from([((name.to_owned(), String::new()), fields(best.to_string(), score, Some(nodes)))]);
    past.push(board);
    let mut list = ttlab::internals::chess::MoveList::new();
    legal(&board, &mut list);
    for &mv in list.iter().filter(|mv| **mv == best || chosen.contains(&mv.to_string())) {
        let mut after = board;
        after.play(mv, Increments::none());
        let (score, nodes) = match (after.has_legal_move(), after.in_check()) {
            (false, true) => (31_999, None),
            (false, false) => (0, None),
            _ => {
                let (_, score, nodes) = searched(&after, &past, depth - 1);
                (-score, Some(nodes))
            }
        };
        all.insert((name.to_owned(), mv.to_string()), fields(String::new(), score, nodes));
    }
    all
}

/// Returns the final best moves of the searches, by position.
fn chosen(trial: &Trial) -> BTreeMap<String, BTreeSet<String>> {
    let mut last = BTreeMap::new();
    for row in trial.rows("out") {
        last.insert((row["position"].clone(), row["variant"].clone(), row["repeat"].clone()), row["best"].clone());
    }
    let mut chosen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for ((position, ..), best) in last {
        chosen.entry(position).or_default().insert(best);
    }
    chosen
}

/// A mate in one, a stalemate that saves half a point for White, and two middle games.
const ENDS: &str = "6k1/8/6K1/8/8/8/8/R7 w - - id \"mate\";\n\
    k7/p7/P1K4p/7p/7p/7p/7P/8 w - - id \"stalemate\";\n\
    1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - id \"one\";\n\
    3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - id \"two\";\n";

#[test]
fn judgement_equals_searches_of_the_position_and_after_its_moves() {
    let trial = Trial::new(
        "limit = { depth = 1 }\nreference = { uci = 'builtin', limit = { depth = 4 } }\n\
         [[variant]]\nname = 'one ply'\n[[variant]]\nname = 'two'\n'limit.depth' = 2\n[[variant]]\nname = 'three'\n'limit.depth' = 3\n",
    );
    std::fs::write(trial.path("suite.epd"), ENDS).unwrap();
    trial.run("out", &["--jobs", "2"]).expect(0);
    let suite = Suite::load(&trial.path("suite.epd"), SuiteOptions::default()).unwrap();
    let chosen = chosen(&trial);
    let all: Judged = suite
        .items
        .iter()
        .flat_map(|item| expected_judgement(&item.id, &item.board, &[], &chosen[&item.id], 4))
        .collect();
    assert_eq!(judged(&trial), all);
    assert_eq!(all[&("mate".to_owned(), "a1a8".to_owned())], ["", "31999", ""]);
    assert_eq!(all[&("stalemate".to_owned(), "c6c7".to_owned())], ["", "0", ""]);
    assert!(all.len() > 4 + 4, "some variant chooses a move that the reference does not: {all:?}");
    // When the run continues, missing judgements are made, whether of a position or of a single
    // move, and those of another reference are discarded.
    let path = trial.path("out/reference.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    let of_two: Vec<&str> = text.lines().filter(|line| line.contains(",two,")).collect();
    assert!(of_two.len() > 1);
    for gone in [of_two[0], of_two[of_two.len() - 1]] {
        std::fs::write(&path, text.replace(&format!("{gone}\n"), "another,two,a1a2,,5,5\n")).unwrap();
        trial.run("out", &[]).expect(0);
        assert_eq!(judged(&trial), all, "{gone}");
    }
}

/// In a game, positions are judged with the history of the game, so the reference knows about
/// repetitions.
#[test]
fn position_of_a_game_is_judged_with_its_history() {
    let trial = Trial::new("");
    let game =
        "[Event \"e\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 e5 *\n";
    std::fs::write(trial.path("game.pgn"), game).unwrap();
    let file = "suite = 'game.pgn'\nlimit = { depth = 1 }\nsequence = { from = 4, to = 7, side = 'both' }\n\
        reference = { uci = 'builtin', limit = { depth = 3 } }\n[[variant]]\nname = 'one ply'\n";
    std::fs::write(trial.path("trial.toml"), file).unwrap();
    trial.run("out", &[]).expect(0);
    let suite = Suite::load(&trial.path("game.pgn"), SuiteOptions::default()).unwrap();
    let (item, chosen) = (&suite.items[0], chosen(&trial));
    assert_eq!(chosen.len(), 4, "{chosen:?}");
    let all: Judged = (4..8)
        .flat_map(|ply: usize| {
            let name = format!("{} ply {ply}", item.id);
            expected_judgement(&name, &item.board, &item.moves()[..ply], &chosen[&name], 3)
        })
        .collect();
    assert_eq!(judged(&trial), all);
}

/// A UCI reference. The scripted engine reports 100 centipawns and 1,000 nodes for each requested
/// ply, for either side.
#[test]
fn uci_reference_gives_the_scores_that_it_reports() {
    let trial = Trial::new(
        "limit = { depth = 1 }\nreference = { uci = './judge', limit = { depth = 3 } }\n[subject]\nuci = 'ENGINE'\n\
         [[variant]]\nname = 'scripted'\n",
    );
    let text = std::fs::read_to_string(scripted()).unwrap();
    let own = text.replace("score cp 31 time 1 pv ${MOVE:-e2e4} e7e5", "score cp $((100 * limit)) time 1").replace(
        "echo \"bestmove $best ponder e7e5\"",
        "case $position in *moves*) echo bestmove e7e5 ;; *) echo bestmove e2e4 ;; esac",
    );
    assert!(own.contains("100 * limit"));
    assert!(own.contains("*moves*"));
    std::fs::write(trial.path("judge"), own).unwrap();
    std::fs::set_permissions(trial.path("judge"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    trial.run("out", &[]).expect(0);
    let found = judged(&trial);
    assert_eq!(found.len(), 2 * SUITE.lines().count());
    for ((position, mv), output) in &found {
        match mv.as_str() {
            "" => assert_eq!(output, &["e2e4", "300", "3016"], "{position}"),
            _ => assert_eq!((mv.as_str(), output), ("e2e4", &["", "-200", "2016"].map(str::to_owned)), "{position}"),
        }
    }
}

/// A position without legal moves isn't judged.
#[test]
fn position_without_a_move_is_not_judged() {
    let trial = Trial::new(
        "limit = { depth = 1 }\nreference = { uci = 'builtin', limit = { depth = 2 } }\n[[variant]]\nname = 'one ply'\n",
    );
    let over = "7k/5Q2/6K1/8/8/8/8/8 b - - id \"stalemate\";\n6k1/8/6K1/8/8/8/8/R7 w - - id \"mate\";\n";
    std::fs::write(trial.path("suite.epd"), over).unwrap();
    trial.run("out", &[]).expect(0);
    let positions: BTreeSet<String> = judged(&trial).into_keys().map(|(position, _)| position).collect();
    assert_eq!(positions.into_iter().collect::<Vec<_>>(), ["mate"]);
}
