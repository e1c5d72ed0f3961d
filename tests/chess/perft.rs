//! Compares perft with published counts.

use ttlab::internals::chess::{
    Board, EpRule, Increments, KeyOptions, Keys, MoveList, Suite, SuiteOptions, legal, perft, successors,
};

const STARTPOS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Position and the counts of perft 1, 2, ... Source: the Chess Programming Wiki's "Perft Results".
const KNOWN: [(&str, &[u64]); 7] = [
    (STARTPOS, &[20, 400, 8902, 197_281, 4_865_609]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2039, 97862, 4_085_603]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2812, 43238, 674_624]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9467, 422_333]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1486, 62379, 2_103_487]),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", &[46, 2079, 89890, 3_894_594]),
    ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", &[3, 15, 90, 396, 2090, 10545]),
];

#[test]
fn perft_of_standard_positions_equals_the_published() {
    let inc = Increments::of_keys(Keys::new(&KeyOptions::default()));
    for (fen, counts) in KNOWN {
        let mut board = Board::from_fen(fen).unwrap();
        board.rekey(&inc);
        assert_eq!((perft::bulk_count(&board, &inc, 0), perft::full_count(&board, &inc, 0)), (1, 1), "{fen} itself");
        for (ply, &count) in counts.iter().enumerate() {
            assert_eq!(perft::bulk_count(&board, &inc, ply as u32 + 1), count, "{fen} at {}", ply + 1);
            assert_eq!(perft::full_count(&board, &inc, ply as u32 + 1), count, "{fen} at {}", ply + 1);
        }
    }
}

/// Piece-square values that are all different, so that a wrong piece or square changes the sum.
fn distinct_values() -> [[i32; 64]; 12] {
    std::array::from_fn(|row| std::array::from_fn(|square| (row * 64 + square) as i32 * 7919 % 10_007))
}

/// Compares each successor with the board after the move, in the same order, down to a number of
/// plies: pieces, key, sum, clock, castling rights, e.p. square and checkers.
fn compare_successors(board: &Board, inc: &Increments, plies: u32) {
    let mut list = MoveList::new();
    legal(board, &mut list);
    let mut moves = list.iter();
    successors::for_each(board, inc, |child| {
        let mut played = *board;
        let mv = *moves.next().unwrap_or_else(|| panic!("{board} has fewer moves"));
        played.play(mv, inc);
        assert_eq!(*child, played, "{board} after {mv}");
        if plies > 0 {
            compare_successors(child, inc, plies - 1);
        }
    });
    assert_eq!(moves.next(), None, "{board}");
}

#[test]
fn successors_equal_the_boards_after_each_move() {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("data/perft.epd");
    let suite = Suite::load(&path, SuiteOptions::default()).unwrap();
    for ep in [EpRule::Always, EpRule::PseudoLegal, EpRule::Legal, EpRule::Never] {
        let inc = Increments::new(Keys::new(&KeyOptions { ep, ..KeyOptions::default() }), &distinct_values());
        for item in &suite.items {
            let mut board = item.board;
            board.rekey(&inc);
            compare_successors(&board, &inc, if ep == EpRule::Legal { 2 } else { 1 });
        }
    }
}
