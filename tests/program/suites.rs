//! Tests of `ttlab generate`: the games and positions that are generated.

use crate::common::run;

/// Runs `ttlab generate` and returns its output.
fn generate(args: &[&str]) -> String {
    let (stdout, stderr, code) = run(&[&["generate"][..], args].concat());
    assert_eq!(code, 0, "{stderr}");
    stdout
}

/// The first ten games of a seed equal those of the file in `data` that was made with it.
#[test]
fn generated_games_equal_the_file_of_their_seed() {
    let expected = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/selfplay.pgn")).unwrap();
    let games =
        |text: &str| text.split("[Event ").skip(1).take(10).map(str::trim).map(str::to_owned).collect::<Vec<_>>();
    let first_ten = games(&generate(&["--count", "10", "--seed", "2", "--games", "40"]));
    assert_eq!((first_ten.len(), &first_ten), (10, &games(&expected)));
}

/// The command recorded in the positions reproduces them byte for byte. The two halves contain all
/// positions, and each states which half it is. An en passant square is only written if a pawn can
/// capture there.
#[test]
fn generated_positions_record_their_generator_settings() {
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
