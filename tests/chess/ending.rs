//! Tests the rules that end a game, where all cases can be enumerated: insufficient material on all
//! squares.

use ttlab::internals::chess::ending::{Ending, ending};
use ttlab::internals::chess::{Board, Square};

/// The kings leave most squares free, and no piece on the squares used below gives check to them.
const KINGS: [(u8, char); 2] = [(0, 'K'), (63, 'k')];

fn fen(men: &[(u8, char)]) -> String {
    let mut squares = [None; 64];
    for (square, letter) in KINGS.iter().chain(men) {
        squares[usize::from(*square)] = Some(*letter);
    }
    let ranks: Vec<String> = (0..8)
        .rev()
        .map(|rank| (0..8).map(|file| squares[rank * 8 + file].map_or("1".to_owned(), String::from)).collect())
        .collect();
    let mut fen = format!("{} w - - 0 1", ranks.join("/"));
    // Replaces runs of empty squares by their counts, the longest first.
    (2..=8).rev().for_each(|count| fen = fen.replace(&"1".repeat(count), &count.to_string()));
    fen
}

/// FIDE 5.2.2: a position is dead if neither side can mate by any sequence of legal moves. With
/// knights and bishops only, these are a single minor piece, or any number of bishops of either
/// side that are all on squares of the same colour.
#[test]
fn insufficient_material_is_a_draw_on_any_squares() {
    let dark = |square: u8| Square::new(square).file() % 2 == Square::new(square).rank() % 2;
    let (mut dead, mut alive) = (0, 0);
    let mut check = |men: &[(u8, char)], expected: bool| {
        let Ok(board) = Board::from_fen(&fen(men)) else { return };
        if board.has_legal_move() {
            let is_draw = ending(&board, &[]) == Some(Ending::Material);
            assert_eq!(is_draw, expected, "{board}");
            *(if expected { &mut dead } else { &mut alive }) += 1;
        }
    };
    let free = || (2..62).step_by(5);
    for first in free() {
        for letter in "BbNnRrQqPp".chars() {
            check(&[(first, letter)], "BbNn".contains(letter));
        }
        for second in free().filter(|second| *second > first) {
            for letters in ["BB", "Bb", "bb", "BN", "Bn", "NN", "Nn", "nn"] {
                let [first_letter, second_letter] = letters.chars().collect::<Vec<_>>()[..] else { unreachable!() };
                let bishops = letters.eq_ignore_ascii_case("bb");
                check(&[(first, first_letter), (second, second_letter)], bishops && dark(first) == dark(second));
                let third = (first + second) / 2;
                if third != first && third != second {
                    let same_colour = dark(first) == dark(second) && dark(first) == dark(third);
                    check(&[(first, first_letter), (second, second_letter), (third, 'b')], bishops && same_colour);
                }
            }
        }
    }
    assert!(dead > 100, "{dead}, {alive}");
    assert!(alive > 300, "{dead}, {alive}");
}
