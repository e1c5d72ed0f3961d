//! End-to-end tests of mates as a measure: the columns are held against another move generator and
//! a plain count of the rows.

use crate::common::{run, scratch};
use cozy_chess::{Board, GameStatus};
use std::collections::BTreeMap;
use std::fs;

/// Whether a line of UCI moves is legal and ends in mate, and its length in plies.
fn mates(fen: &str, line: &str) -> Option<usize> {
    let mut board: Board = fen.parse().unwrap();
    for word in line.split_whitespace() {
        let mv = cozy_chess::util::parse_uci_move(&board, word).ok()?;
        board.try_play(mv).ok()?;
    }
    let is_mate = board.status() == GameStatus::Won && !board.checkers().is_empty();
    is_mate.then(|| line.split_whitespace().count())
}

/// Whether the side to move mates in so many moves at most, by looking at every move.
fn has_mate(board: &Board, moves: u32) -> bool {
    let after = |board: &Board| {
        let mut boards = Vec::new();
        board.generate_moves(|moves| {
            boards.extend(moves.into_iter().map(|mv| {
                let mut next = board.clone();
                next.play_unchecked(mv);
                next
            }));
            false
        });
        boards
    };
    after(board).iter().any(|board| match board.status() {
        GameStatus::Won => true,
        GameStatus::Ongoing => moves > 1 && after(board).iter().all(|reply| has_mate(reply, moves - 1)),
        GameStatus::Drawn => false,
    })
}

#[test]
fn mates_are_found_as_another_program_counts_them() {
    let folder = scratch();
    // 300 mates in 2 to 4, the shortest by retrograde analysis, and five by hand.
    let endings = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/mates/short.epd");
    let proved = fs::read_to_string(endings).unwrap();
    let mut lines: BTreeMap<&str, (&str, i32)> = [
        ("back rank", ("6k1/5ppp/8/8/8/8/8/R5K1 w - -", 1)),
        ("two rooks", ("6k1/5ppp/8/8/8/8/5PPP/3RR1K1 w - -", 3)),
        ("rook and king", ("7k/8/5K2/8/8/8/8/R7 w - -", 2)),
        ("mated", ("k7/8/1K6/8/8/8/8/7R b - -", -1)),
        ("bishop and knight", ("8/8/8/8/3k4/8/8/KBN5 w - -", 30)),
    ]
    .into();
    let by_hand: String = lines
        .iter()
        .map(|(id, (start, moves))| format!("{start} bm #{moves}; id \"{id}\";\n"))
        .chain(["8/8/8/3k4/8/3K4/4P3/8 w - - id \"no mate\";\n".to_owned()])
        .collect();
    fs::write(folder.path().join("hand.epd"), by_hand).unwrap();
    lines.extend(proved.lines().map(|line| {
        let (start, rest) = line.split_once(" dm ").unwrap();
        (line.split('"').nth(1).unwrap(), (start, rest.split(';').next().unwrap().parse().unwrap()))
    }));
    for (start, _) in lines.values().filter(|(_, moves)| *moves == 2) {
        let board: Board = format!("{start} 0 1").parse().unwrap();
        assert!(has_mate(&board, 2) && !has_mate(&board, 1), "{start}");
    }
    let path = folder.path().join("mates.toml");
    let suites = format!("proved = {{ file = '{endings}', minimal = true }}, hand = {{ file = 'hand.epd' }}");
    let text = "limit = { nodes = 5_000 }\n[grid]\n'table.size' = [64, 65_536]\n";
    fs::write(&path, format!("suites = {{ {suites} }}\n{text}")).unwrap();
    let out = folder.path().join("out");
    let (stdout, stderr, code) = run(&["run", path.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let mut reader = csv::Reader::from_path(out.join("results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    // The last row of each search, and the nodes of all its rows.
    let mut searches: BTreeMap<(String, String), (bool, u64, u64)> = BTreeMap::new();
    for row in reader.records().map(Result::unwrap) {
        let field = |name: &str| &row[header.iter().position(|column| column == name).unwrap()];
        let number = |name: &str| field(name).parse::<u64>().unwrap();
        let (suite, position) = field("position").split_once('/').unwrap();
        let Some((start, moves)) = lines.get(position) else {
            assert_eq!(field("mate.found"), "", "no mate is given");
            continue;
        };
        // Scores from 30,744 are mates by the default options.
        let score: i32 = field("score").parse().unwrap();
        let is_mate = score.abs() > 30_744 && score.signum() == moves.signum();
        let length = mates(&format!("{start} 0 1"), field("pv")).filter(|_| is_mate);
        assert_eq!(number("mate.found") == 1, length.is_some(), "{row:?}");
        assert_eq!(number("mate.unproved") == 1, is_mate && length.is_none(), "{row:?}");
        let found = length.map(|_| (31_000 - score.abs() + 1) / 2);
        assert_eq!(number("mate.best") == 1, found.is_some_and(|found| found <= moves.abs()), "{row:?}");
        assert_eq!(number("mate.shorter") == 1, found.is_some_and(|found| found < moves.abs()), "{row:?}");
        assert!(number("mate.shorter") == 0 || suite == "hand", "{row:?}");
        assert_eq!(number("mate.wrong"), 0, "{row:?}");
        let search = searches.entry((field("variant").to_owned(), field("position").to_owned())).or_default();
        search.0 = length.is_some();
        search.1 += number("mate.nodes_until");
        search.2 += number("search.nodes");
    }
    assert!(searches.values().all(|(found, nodes, all)| if *found { nodes <= all } else { *nodes == 5_000 }));
    let page = fs::read_to_string(out.join("report.md")).unwrap().replace('\u{a0}', " ");
    for (variant, suite) in
        [("size=64", "hand/"), ("size=64", "proved/"), ("size=65536", "hand/"), ("size=65536", "proved/")]
    {
        let of_suite = |((name, position), _): &(&(String, String), _)| name == variant && position.starts_with(suite);
        let all = searches.iter().filter(of_suite).count();
        let found = searches.iter().filter(of_suite).filter(|(_, (found, ..))| *found).count();
        assert!(0 < found && found < all, "{found} of {all}");
        assert!(page.contains(&format!("{found} of {all}")), "{found} of {all}: {page}");
    }
}

/// A rule that gives up the deepest entry first finds fewer mates, and later.
#[test]
fn table_that_forgets_deep_entries_loses_mates() {
    let folder = scratch();
    let endings = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/mates/short.epd");
    let suites =
        format!("suites = {{ endings = {{ file = '{endings}', minimal = true }} }}\nlimit = {{ nodes = 10_000 }}");
    let sound = "[engine]\npreset = 'match'\ntable.size = 64\n[[variant]]\nname = 'sound'";
    let forgets = "[[variant]]\nname = 'forgets'\n\
        table.policy = { kind = 'expression', worth = '0 - depth', lets = '', ties = 'first' }";
    let claim = |metric: &str, sign: &str| format!("[[expect]]\nclaim = '{metric}(forgets) {sign} {metric}(sound)'");
    let claims = [claim("mate.nodes_until", ">"), claim("mate.found", "<")].join("\n");
    fs::write(folder.path().join("x.toml"), [&suites, sound, forgets, &claims].join("\n")).unwrap();
    let path = folder.path().join("x.toml");
    let out = folder.path().join("out");
    let (stdout, stderr, code) = run(&["run", path.to_str().unwrap(), "--out", out.to_str().unwrap(), "--check"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let page = fs::read_to_string(out.join("report.md")).unwrap();
    assert!(page.contains("- Most nodes until the mate: \"forgets\""), "{page}");
}
