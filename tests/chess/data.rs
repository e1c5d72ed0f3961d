//! Tests of the files under `data/`: they are read in strict mode, and what they state is true.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use ttlab::internals::chess::{
    Board, Color, Increments, Item, Move, MoveList, Piece, Suite, SuiteOptions, generate, legal, opcode,
    opcode::OperationValue, perft,
};
use ttlab::internals::generate::PositionKind;

fn load(name: &str) -> Suite {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("data").join(name);
    let suite = Suite::load(&path, SuiteOptions::default()).unwrap();
    assert_eq!(suite.notes, [], "{name}");
    let ids: HashSet<&str> = suite.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids.len(), suite.items.len(), "{name}");
    // Game files have a heading line before the first game, which every PGN reader skips. In
    // position files every line is a position, so the heading is the comment of the first.
    let text = std::fs::read_to_string(path).unwrap();
    let first_line = text.lines().next().unwrap_or_default();
    let heading = if name.ends_with(".pgn") { text.split('[').next().unwrap_or_default() } else { first_line };
    assert!(heading.starts_with('%') || first_line.contains("; c0 \""), "{name} has a heading");
    assert!(heading.contains("rigin") || heading.contains("Made by `ttlab generate"), "{name} names its origin");
    suite
}

/// Reads the files as a match runner does: each line is a position of four fields, and the clocks
/// are the words after the first `hmvc` and `fmvn` in the line, even if these are inside a string.
#[test]
fn suite_lines_are_positions_for_other_programs() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("data");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut positions = 0;
    for name in names.filter(|name| name.ends_with(".epd")) {
        let suite = load(&name);
        let text = std::fs::read_to_string(format!("{}/../data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(text.lines().count(), suite.items.len(), "{name}");
        for (line, item) in text.lines().zip(&suite.items) {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |name: &str, default: u16| {
                let index = words.iter().position(|&word| word == name);
                index.map_or(default, |index| words[index + 1].trim_end_matches(';').parse().unwrap())
            };
            let fen = format!("{} {} {}", words[..4].join(" "), number("hmvc", 0), number("fmvn", 1));
            assert_eq!(Board::from_fen(&fen).unwrap(), item.board, "{name}: {line}");
            positions += 1;
        }
    }
    assert!(positions > 2000, "{positions}");
}

#[test]
fn bratko_kopec_suite_has_its_24_positions() {
    let suite = load("bratko-kopec.epd");
    assert_eq!(suite.items.len(), 24);
    assert!(suite.items.iter().all(|item| !item.best_moves().is_empty()));
    assert_eq!((suite.items[0].id.as_str(), suite.items[0].best_moves()[0].to_string()), ("BK.01", "d6d1".to_owned()));
    let with_two_answers: Vec<&str> =
        suite.items.iter().filter(|item| item.best_moves().len() > 1).map(|item| item.id.as_str()).collect();
    assert_eq!(with_two_answers, ["BK.05", "BK.14"], "positions with two answers");
}

/// Returns the depth and the count of each of the operations `D1` to `D9` of a position.
fn perft_counts(item: &Item) -> Vec<(u32, u64)> {
    let depth_and_count = |depth: u32| match opcode::value(item.operations(), &format!("D{depth}")) {
        Some(&OperationValue::Nodes(count)) => Some((depth, count)),
        _ => None,
    };
    (1..=9).filter_map(depth_and_count).collect()
}

#[test]
fn perft_suite_counts_are_met_at_small_depths() {
    let mut checked = 0;
    for name in ["perft.epd", "fine-70.epd"] {
        for item in &load(name).items {
            for (depth, count) in perft_counts(item).into_iter().filter(|&(_, count)| count < 6_000_000) {
                assert_eq!(perft::bulk_count(&item.board, Increments::none(), depth), count, "{} at {depth}", item.id);
                checked += 1;
            }
        }
    }
    assert!(checked > 60, "{checked}");
}

#[test]
fn openings_equal_the_generators_output() {
    let text = generate::epd(&generate::GenerateOptions::default()).unwrap();
    assert_eq!(text, include_str!("../../data/openings.epd"));
    let suite = load("openings.epd");
    assert!(suite.items.len() >= 200);
    assert!(suite.items.iter().all(|item| !item.board.in_check() && item.board.game_ply() >= 10));
    let positions: HashSet<_> = suite.items.iter().map(|item| item.board.identity()).collect();
    assert_eq!(positions.len(), suite.items.len());
}

/// Loads both halves of a suite, and checks the number of items and that no position is in both
/// halves.
fn halves(kind: &str, half_length: usize) -> [Suite; 2] {
    let suites = ["explore", "confirm"].map(|half| load(&format!("{kind}-{half}.epd")));
    let positions = suites.iter().flat_map(|suite| &suite.items).map(|item| item.board.identity());
    assert_eq!(positions.collect::<HashSet<_>>().len(), 2 * half_length, "{kind}");
    assert!(suites.iter().all(|suite| suite.items.len() == half_length), "{kind}");
    suites
}

#[test]
fn exploring_and_confirming_suites_share_no_position() {
    for suite in halves("middlegames", 500) {
        assert!(suite.items.iter().all(|item| generate::is_quiet(&item.board) && item.board.game_ply() >= 24));
    }
    for suite in halves("endgames", 200) {
        assert!(suite.items.iter().all(|item| generate::is_quiet(&item.board) && item.board.occupied().count() <= 10));
    }
    for suite in halves("tactical", 200) {
        assert!(suite.items.iter().all(|item| !item.board.in_check() && item.best_moves().len() == 1));
    }
}

/// Any machine and any later build generates the same suites. To save time, only the first items of
/// each are generated.
#[test]
fn suites_equal_the_generators_output() {
    let request =
        |seed, length| ttlab::internals::generate::GenerateRequest { count: 3, seed, plies: 10, length, depth: 4 };
    let position = |line: &str| line.split(" c0 ").next().unwrap().to_owned();
    let lines = |text: &str| text.lines().map(position).collect::<Vec<_>>();
    for (name, kind, request) in [
        ("middlegames", PositionKind::Middlegames, request(101, 60)),
        ("endgames", PositionKind::Endgames, request(102, 160)),
        ("tactical", PositionKind::Tactical, request(103, 60)),
    ] {
        let generated = lines(&ttlab::internals::generate::epd(&request, kind, None).unwrap());
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let read = |half: &str| lines(&std::fs::read_to_string(root.join(format!("data/{name}-{half}.epd"))).unwrap());
        assert_eq!(
            [&read("explore")[0], &read("confirm")[0], &read("explore")[1]],
            [&generated[0], &generated[1], &generated[2]]
        );
    }
}

/// Games by human players (the moves of a game are facts): a hundred in each half, no two with the
/// same opening, and none of the famous games.
#[test]
fn games_of_people_have_200_openings() {
    let [explore, confirm, famous] = ["human-explore.pgn", "human-confirm.pgn", "games.pgn"].map(load);
    assert_eq!((explore.items.len(), confirm.items.len()), (100, 100));
    let position_after = |plies: usize| {
        move |item: &Item| {
            let mut board = item.board;
            item.moves().iter().take(plies).for_each(|&mv| board.play(mv, Increments::none()));
            board.identity()
        }
    };
    let items = || explore.items.iter().chain(&confirm.items);
    assert_eq!(items().map(position_after(20)).collect::<HashSet<_>>().len(), 200);
    let famous_positions: HashSet<_> = famous.items.iter().map(position_after(30)).collect();
    assert!(items().map(position_after(30)).all(|game| !famous_positions.contains(&game)));
    assert!(items().all(|item| item.moves().len() >= 50));
}

#[test]
fn games_end_with_their_results() {
    let suite = load("games.pgn");
    assert!(suite.items.len() >= 10);
    assert_eq!(suite.items[0].id, "Adolf Anderssen - Lionel Kieseritzky, 1851");
    let last_position = |index: usize| {
        let mut board = suite.items[index].board;
        suite.items[index].moves().iter().for_each(|&mv| board.play(mv, Increments::none()));
        board
    };
    // The Immortal Game, the Opera Game and the Game of the Century end in checkmate.
    for index in [0, 1, 3] {
        assert!(last_position(index).in_check(), "{}", suite.items[index].id);
        assert!(!last_position(index).has_legal_move(), "{}", suite.items[index].id);
    }
    assert_eq!(
        last_position(0).fen(ttlab::internals::chess::EpRule::Legal),
        "r1bk3r/p2pBpNp/n4n2/1p1NP2P/6P1/3P4/P1P1K3/q5b1 b - - 1 23"
    );
}

/// Finds out whether the side to move can mate in a number of moves, and by which first moves.
struct Solver(HashMap<([u64; 5], u32), bool>);

impl Solver {
    fn can_mate(&mut self, board: &Board, moves: u32) -> bool {
        if let Some(&cached) = self.0.get(&(board.identity(), moves)) {
            return cached;
        }
        let can_mate = !self.mating_moves(board, moves).is_empty();
        self.0.insert((board.identity(), moves), can_mate);
        can_mate
    }

    fn mating_moves(&mut self, board: &Board, moves: u32) -> Vec<Move> {
        let mut list = MoveList::new();
        legal(board, &mut list);
        list.iter().copied().filter(|&mv| self.mates_with(board, mv, moves)).collect()
    }

    fn mates_with(&mut self, board: &Board, mv: Move, moves: u32) -> bool {
        let mut child = *board;
        child.play(mv, Increments::none());
        let mut replies = MoveList::new();
        legal(&child, &mut replies);
        if replies.is_empty() || moves <= 1 {
            return replies.is_empty() && child.in_check() && moves > 0;
        }
        replies.iter().all(|&reply| {
            let mut next = child;
            next.play(reply, Increments::none());
            self.can_mate(&next, moves - 1)
        })
    }
}

#[test]
fn endgames_mate_by_one_move_in_the_given_moves() {
    let suite = load("endgames.epd");
    assert!(suite.items.len() >= 30);
    for item in &suite.items {
        let Some(moves) = item.mate() else { continue };
        let mut solver = Solver(HashMap::new());
        assert_eq!(solver.mating_moves(&item.board, moves as u32), item.best_moves(), "{}", item.id);
        assert!(!solver.can_mate(&item.board, moves as u32 - 1), "{} mates sooner", item.id);
    }
}

/// Returns the index of a king-and-pawn against king position: the squares of the pawn, the white
/// king and the black king, and whether White is to move.
fn index_of(board: &Board) -> Option<usize> {
    let [white, black] = [Color::White, Color::Black].map(|color| board.king(color).index());
    let pawn = board.kind(Piece::Pawn).first()?.index();
    Some((pawn << 13) + (white << 7) + (black << 1) + usize::from(board.turn() == Color::White))
}

/// The outcome of a move.
#[derive(Clone, Copy)]
enum MoveOutcome {
    /// Whether White wins after it.
    Known(bool),
    /// It leads to the king-and-pawn position of this index.
    Becomes(usize),
}

impl MoveOutcome {
    fn wins(self, wins: &[bool]) -> bool {
        match self {
            Self::Known(won) => won,
            Self::Becomes(index) => wins[index],
        }
    }
}

/// Computes by retrograde iteration whether White wins each position. Returns the results by index,
/// and the indices that are legal positions.
fn king_and_pawn() -> (Vec<bool>, Vec<usize>) {
    let mut positions: Vec<(usize, bool, Vec<MoveOutcome>)> = Vec::new();
    for index in 8 << 13..56 << 13 {
        let [pawn, white, black, turn] = [index >> 13, index >> 7 & 63, index >> 1 & 63, index & 1];
        if pawn == white || pawn == black || white == black {
            continue;
        }
        let mut squares = [b'1'; 64];
        for (square, piece) in [(white, b'K'), (black, b'k'), (pawn, b'P')] {
            squares[square ^ 56] = piece;
        }
        let ranks: Vec<&str> = squares.chunks(8).map(|rank| std::str::from_utf8(rank).unwrap()).collect();
        let fen = format!("{} {} - - 0 1", ranks.join("/"), if turn == 1 { 'w' } else { 'b' });
        let lenient = ttlab::internals::chess::fen::read(&fen, ttlab::internals::chess::Strictness::Lenient);
        if let Ok(reading) = lenient {
            let mut list = MoveList::new();
            legal(&reading.board, &mut list);
            let moves = list.iter().map(|&mv| outcome_of(&reading.board, mv)).collect();
            positions.push((index, turn == 1, moves));
        }
    }
    let mut wins = vec![false; 56 << 13];
    loop {
        let mut changed = false;
        for (index, white, moves) in &positions {
            if !wins[*index] && white_wins(*white, moves, &wins) {
                wins[*index] = true;
                changed = true;
            }
        }
        if !changed {
            return (wins, positions.into_iter().map(|(index, ..)| index).collect());
        }
    }
}

fn white_wins(white_to_move: bool, moves: &[MoveOutcome], wins: &[bool]) -> bool {
    let mut outcomes = moves.iter().map(|outcome| outcome.wins(wins));
    if white_to_move { outcomes.any(|won| won) } else { !moves.is_empty() && outcomes.all(|won| won) }
}

fn outcome_of(board: &Board, mv: Move) -> MoveOutcome {
    let mut child = *board;
    child.play(mv, Increments::none());
    if let Some(piece) = mv.promotion() {
        let mut replies = MoveList::new();
        legal(&child, &mut replies);
        // A queen or a rook wins unless it is captured at once or gives stalemate.
        let is_rook_or_queen = matches!(piece, Piece::Queen | Piece::Rook);
        let is_captured = replies.iter().any(|&reply| child.captured(reply).is_some());
        return MoveOutcome::Known(is_rook_or_queen && !is_captured && (!replies.is_empty() || child.in_check()));
    }
    // Without its pawn, White can't win.
    index_of(&child).map_or(MoveOutcome::Known(false), MoveOutcome::Becomes)
}

#[test]
fn pawn_endgames_have_one_right_move() {
    let (wins, indices) = king_and_pawn();
    let count = |turn| indices.iter().filter(|&&index| index & 1 == turn && wins[index]).count();
    assert_eq!((count(1), count(0)), (124_960, 97_604), "won positions of king and pawn against king, as published");
    for item in load("endgames.epd").items.iter().filter(|item| item.id.starts_with("KPK ")) {
        let to_win = item.board.turn() == Color::White;
        let mut list = MoveList::new();
        legal(&item.board, &mut list);
        let correct: Vec<Move> =
            list.iter().copied().filter(|&mv| outcome_of(&item.board, mv).wins(&wins) == to_win).collect();
        assert_eq!(correct, item.best_moves(), "{}", item.id);
        assert_eq!(wins[index_of(&item.board).unwrap()], to_win, "{}", item.id);
    }
}
