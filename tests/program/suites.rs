//! Tests of `ttlab suite` and `ttlab generate`: the fields of every format, and the games and
//! positions that are generated.

use crate::common::{run, scratch};
use serde_json::{Value, json};

/// A position with a best move, and one with moves to avoid, clocks and a comment with a comma.
const EPD: &str = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id \"one\";\n\
    8/8/8/8/4k3/r7/1r6/4K3 b - - am Rh3 Kf3; hmvc 4; fmvn 60; c0 \"a, b\"; id \"two, three\";\n";

const PGN: &str = "[Event \"a\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 c5 2. e5 d5 3. exd6 1-0\n";

#[test]
fn suite_of_every_format_has_its_fields() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("own.epd"), EPD).unwrap();
    std::fs::write(path("own.pgn"), PGN).unwrap();
    let read = |args: &[&str]| {
        let (stdout, stderr, code) = run(&[&["suite"][..], args].concat());
        assert_eq!(code, 0, "{stderr}");
        stdout
    };
    let header = "id,line,fen,best,best_san,avoid,avoid_san,moves,moves_san\n";
    let rows = "one,1,1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1,d6d1,Qd1+,,,,\n\
                \"two, three\",2,8/8/8/8/4k3/r7/1r6/4K3 b - - 4 60,,,a3h3 e4f3,Rh3 Kf3,,\n";
    assert_eq!(read(&[&path("own.epd"), "--format", "csv"]), format!("{header}{rows}"));
    let json: Value = serde_json::from_str(&read(&[&path("own.epd"), "--format", "json"])).unwrap();
    let expected = json!({
        "id": "two, three", "line": 2, "fen": "8/8/8/8/4k3/r7/1r6/4K3 b - - 4 60", "best": [], "best_san": [],
        "avoid": ["a3h3", "e4f3"], "avoid_san": ["Rh3", "Kf3"], "moves": [], "moves_san": [],
    });
    assert_eq!((json.as_array().unwrap().len(), &json[1]), (2, &expected));
    // After writing the suite again, the strict reader reads the same data from it. The file's
    // extension decides the format.
    read(&[&path("own.epd"), "-o", &path("again.epd")]);
    assert_eq!(read(&[&path("again.epd"), "--format", "csv"]), format!("{header}{rows}"));
    let again = std::fs::read_to_string(path("again.epd")).unwrap();
    assert!(again.contains("c0 \"a, b\";"), "{again}");
    assert!(again.contains("hmvc 4;"), "{again}");
    assert!(again.contains("fmvn 60;"), "{again}");
    read(&[&path("own.epd"), "-o", &path("again.csv")]);
    assert_eq!(std::fs::read_to_string(path("again.csv")).unwrap(), format!("{header}{rows}"));
    // A game: its start and its moves, including an en passant capture.
    let game = read(&[&path("own.pgn"), "--format", "csv"]);
    let row = game.strip_prefix(header).unwrap();
    assert!(row.contains(",rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,,,,,"), "{row}");
    assert!(row.ends_with(",e2e4 c7c5 e4e5 d7d5 e5d6,e4 c5 e5 d5 exd6\n"), "{row}");
    let epd = read(&[&path("own.pgn"), "--format", "epd"]);
    assert!(epd.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"), "{epd}");
    assert!(epd.contains(" pv e4 c5 e5 d5 exd6;"), "{epd}");
}

/// Runs `ttlab generate` and returns its output.
fn generate(args: &[&str]) -> String {
    let (stdout, stderr, code) = run(&[&["generate"][..], args].concat());
    assert_eq!(code, 0, "{stderr}");
    stdout
}

/// Each generated game follows the rules, ends where there is no move, at a draw or at its full
/// length, and records its result. The first ten games of a seed equal those of the file in `data`
/// that was made with it.
#[test]
fn generated_games_end_with_their_stated_result() {
    use std::collections::HashMap;
    use ttlab::internals::chess::suite::{Suite, SuiteOptions};
    use ttlab::internals::chess::{Color, EpRule, Increments};
    let text = generate(&["--count", "6", "--seed", "8", "--games", "200", "--depth", "1"]);
    let folder = scratch();
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, &text).unwrap();
    let suite = Suite::load(&path, SuiteOptions::default()).unwrap();
    let results: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("[Result \"")?.strip_suffix("\"]")).collect();
    assert_eq!((suite.items.len(), results.len()), (6, 6));
    let mut lengths = Vec::new();
    for (item, stated) in suite.items.iter().zip(&results) {
        let mut board = item.board;
        // Positions as the rules distinguish them: counted by the FEN without its clocks.
        let mut occurrences: HashMap<String, u32> = HashMap::new();
        let mut drawn_at = Vec::new();
        for ply in 0..=item.moves().len() {
            let fen = board.fen(EpRule::Legal);
            let times = occurrences.entry(fen.split(' ').take(4).collect::<Vec<_>>().join(" ")).or_default();
            *times += 1;
            drawn_at.push(*times >= 3 || board.halfmove_clock() >= 100);
            item.moves().get(ply).into_iter().for_each(|&mv| board.play(mv, Increments::none()));
        }
        // A game continues until it is drawn, has no move or reaches its full length.
        let is_drawn = drawn_at.pop().unwrap();
        assert!(!drawn_at.contains(&true), "{} goes on after a draw", item.id);
        let is_over = is_drawn || !board.has_legal_move();
        assert!(is_over || item.moves().len() == 200, "{} ends after {} plies", item.id, item.moves().len());
        let result = match (board.has_legal_move(), board.in_check(), board.turn()) {
            (true, ..) => "*",
            (false, false, _) => "1/2-1/2",
            (false, true, Color::White) => "0-1",
            (false, true, Color::Black) => "1-0",
        };
        assert_eq!(*stated, result, "{}", item.id);
        assert!(item.moves().len() <= 200, "{}", item.id);
        lengths.push(item.moves().len());
    }
    assert!(lengths.iter().any(|&plies| plies < 200), "{lengths:?}");
    for result in ["*", "1-0", "0-1"] {
        assert!(results.contains(&result), "{result}: {results:?}");
    }
    let expected = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/selfplay.pgn")).unwrap();
    let games =
        |text: &str| text.split("[Event ").skip(1).take(10).map(str::trim).map(str::to_owned).collect::<Vec<_>>();
    let first_ten = generate(&["--count", "10", "--seed", "2", "--games", "40"]);
    assert_eq!(games(&first_ten), games(&expected));
    assert_eq!(games(&first_ten).len(), 10);
}

/// The command recorded in the positions reproduces them byte for byte. The two halves contain all
/// positions, and each states which half it is. An en passant square is only written if a pawn can
/// capture there.
#[test]
fn generated_positions_record_their_generator_settings() {
    use ttlab::internals::chess::{Board, MoveList, movegen};
    let args =
        ["--count", "4", "--seed", "5", "--plies", "8", "--games", "60", "--depth", "1", "--take", "middlegames"];
    let whole = generate(&args);
    let origin = "; c0 \"4 middle game positions from as many games of an engine against itself, seed 5";
    assert!(whole.lines().next().unwrap().contains(&format!("{origin}. Made by `")), "{whole}");
    let position = |line: &str| line.split(" c0 ").next().unwrap().to_owned();
    let positions = |text: &str| text.lines().map(position).collect::<Vec<_>>();
    let all_positions = positions(&whole);
    assert_eq!(all_positions.len(), 4);
    let mut halves = Vec::new();
    for half in ["0", "1"] {
        let text = generate(&[&args[..], &["--half", half]].concat());
        let number = half.parse::<usize>().unwrap() + 1;
        let first_line = text.lines().next().unwrap();
        assert!(first_line.contains(&format!("{origin}, every second from number {number}. Made by `")), "{text}");
        let command = text.split('`').nth(1).unwrap().strip_prefix("ttlab generate ").unwrap();
        assert_eq!(generate(&command.split(' ').collect::<Vec<_>>()), text);
        halves.push(positions(&text));
    }
    assert_eq!(
        [&halves[0][0], &halves[1][0], &halves[0][1], &halves[1][1]],
        [&all_positions[0], &all_positions[1], &all_positions[2], &all_positions[3]]
    );
    let command = whole.split('`').nth(1).unwrap().strip_prefix("ttlab generate ").unwrap();
    assert_eq!(generate(&command.split(' ').collect::<Vec<_>>()), whole);
    for (index, line) in all_positions.iter().enumerate() {
        assert!(line.contains(&format!(" id \"middle.{:04}\";", index + 1)), "{line}");
        let fields: Vec<&str> = line.split(' ').collect();
        let board = Board::from_fen(&format!("{} 0 1", fields[..4].join(" "))).unwrap();
        // From the 24th ply on, with at least six pieces besides kings and pawns.
        let pieces = fields[0].chars().filter(|letter| "nbrqNBRQ".contains(*letter)).count();
        let number: u32 = line.split("fmvn ").nth(1).unwrap().split(';').next().unwrap().parse().unwrap();
        assert!(pieces >= 6, "{line}");
        assert!(number >= 13, "{line}");
        assert!(!board.in_check(), "{line}");
        let mut moves = MoveList::new();
        movegen::legal(&board, &mut moves);
        let can_capture = moves.iter().any(|mv| {
            mv.to().to_string() == fields[3] && board.piece_on(mv.from()) == Some(ttlab::internals::chess::Piece::Pawn)
        });
        assert!(fields[3] == "-" || can_capture, "{line}");
    }
}

/// Generated positions are the first of their game that match the description of their kind, and
/// none occurs twice. The test derives them again from the games. With random openings of one or
/// two plies, the player may turn the shorter opening into the longer one, so that two games are
/// the same.
#[test]
fn generated_positions_are_first_in_their_game_and_distinct() {
    use ttlab::internals::chess::generate::{self as openings, GenerateOptions, VALUES, is_quiet};
    use ttlab::internals::chess::{Board, EpRule, Increments, Move, MoveList, movegen};
    use ttlab::internals::generate::{GenerateRequest, PositionKind, epd, games::SelfPlay};
    // The best move and its lead over the next one; `None` if there are fewer than two moves.
    fn lead(player: &mut SelfPlay, board: &Board, moves: &MoveList, depth: u8) -> Option<(Move, i32)> {
        let mut scores: Vec<(i32, Move)> = Vec::new();
        for &mv in moves.iter() {
            let mut child = *board;
            child.play(mv, Increments::none());
            let final_score = if child.in_check() { 30_000 } else { 0 };
            scores.push((player.best_move(&child, &[*board], depth).map_or(final_score, |(_, score)| -score), mv));
        }
        let &(best_score, best) = scores.iter().max_by_key(|(score, _)| *score)?;
        let next_score = scores.iter().filter(|(_, mv)| *mv != best).map(|(score, _)| *score).max()?;
        Some((best, best_score - next_score))
    }
    let (mut duplicates, mut refuted) = (0, 0);
    for (kind, seed, plies, count, length, depth) in [
        (PositionKind::Middlegames, 3, 1, 8, 60, 1),
        (PositionKind::Endgames, 3, 8, 2, 200, 1),
        (PositionKind::Tactical, 31, 13, 1, 24, 1),
    ] {
        let request = GenerateRequest { count, seed, plies, length, depth };
        let mut player = SelfPlay::new().unwrap();
        let mut matches_kind = |board: &Board, player: &mut SelfPlay| {
            let men = board.fen(EpRule::Legal);
            let men: Vec<char> = men.split(' ').next().unwrap().chars().filter(char::is_ascii_alphabetic).collect();
            let is_balanced = |max: i32, player: &mut SelfPlay| {
                player.best_move(board, &[], depth).is_some_and(|(_, score)| score.abs() <= max)
            };
            match kind {
                PositionKind::Middlegames => {
                    let pieces = men.iter().filter(|man| "nbrqNBRQ".contains(**man)).count();
                    board.game_ply() >= 24 && pieces >= 6 && is_quiet(board) && is_balanced(200, player)
                }
                PositionKind::Endgames => {
                    let pawns = men.iter().filter(|man| "pP".contains(**man)).count();
                    men.len() <= 10 && pawns > 0 && is_quiet(board) && is_balanced(300, player)
                }
                PositionKind::Tactical => {
                    let mut moves = MoveList::new();
                    movegen::legal(board, &mut moves);
                    if board.game_ply() < 12 || board.in_check() {
                        return false;
                    }
                    let Some((best, margin)) = lead(player, board, &moves, 3).filter(|(_, margin)| *margin >= 150)
                    else {
                        return false;
                    };
                    let (deeper_best, deeper_margin) = lead(player, board, &moves, 5).unwrap();
                    let gain = |mv: Move| if board.is_quiet(mv) { 0 } else { board.see(mv, &VALUES) };
                    // Of captures that win the same material, this is the last in generation order.
                    let best_capture = moves.iter().copied().max_by_key(|&mv| gain(mv)).filter(|&mv| gain(mv) > 0);
                    refuted += usize::from(best_capture != Some(best) && (deeper_best != best || deeper_margin < 150));
                    margin >= 150 && deeper_margin >= 150 && deeper_best == best && best_capture != Some(best)
                }
            }
        };
        let mut expected: Vec<String> = Vec::new();
        for start in openings::generate(&GenerateOptions { count: 6 * count, seed, plies }).unwrap() {
            if expected.len() == count {
                break;
            }
            let (past, _) = player.play_game(&start, length, depth);
            let Some(first) = past.iter().find(|board| matches_kind(board, &mut player)) else { continue };
            let fen = first.fen(EpRule::Legal);
            let position = fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
            if expected.contains(&position) {
                duplicates += 1;
            } else {
                expected.push(position);
            }
        }
        let text = epd(&request, kind, None).unwrap();
        let positions: Vec<_> =
            text.lines().map(|line| line.split(' ').take(4).collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(positions, expected, "{kind:?}");
    }
    assert!(duplicates > 0, "{duplicates} duplicates, {refuted} refuted by the deeper search");
    assert!(refuted > 0, "{duplicates} duplicates, {refuted} refuted by the deeper search");
}

/// A game ends with the hundredth ply without a capture or a pawn move, not with the next one.
#[test]
fn generated_game_ends_at_the_fiftieth_move() {
    use ttlab::internals::chess::{Board, Increments};
    let mut player = ttlab::internals::generate::games::SelfPlay::new().unwrap();
    for (clock, length) in [(100, 0), (97, 3)] {
        let start = Board::from_fen(&format!("8/8/4k3/8/8/3K4/8/7R w - - {clock} 80")).unwrap();
        let (past, moves) = player.play_game(&start, 9, 1);
        assert_eq!((moves.len(), past.len()), (length, length + 1), "{clock}");
        let mut board = start;
        moves.iter().for_each(|&mv| board.play(mv, Increments::none()));
        assert_eq!((past[length], board.halfmove_clock()), (board, 100));
    }
}

/// Each game is passed on as soon as it has been played, and none is played after the caller asks
/// to stop.
#[test]
fn generator_stops_when_its_reader_stops() {
    let request = ttlab::internals::generate::GenerateRequest { count: 4, seed: 3, plies: 4, length: 3, depth: 1 };
    for (max, expected) in [(1, 1), (2, 2), (3, 3), (9, 5)] {
        let mut texts = Vec::new();
        ttlab::internals::generate::pgn(&request, |text| {
            texts.push(text.to_owned());
            texts.len() < max
        })
        .unwrap();
        assert_eq!(texts.len(), expected, "of a heading and four games");
        assert_eq!(texts.concat().matches("[Event ").count(), expected - 1);
    }
}

/// No game is played that nobody reads: if the pipe is closed, the program exits long before it has
/// played thousands of games.
#[test]
fn generator_plays_no_game_that_is_not_read() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let mut command = Command::new(env!("CARGO_BIN_EXE_ttlab"));
    command.args(["generate", "--count", "2000", "--games", "400", "--depth", "6"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    let start = Instant::now();
    let exit_code = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None if start.elapsed() > Duration::from_secs(120) => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    assert_eq!(exit_code, Some(0), "it played on");
}
