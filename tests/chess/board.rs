//! Compares the board with cozy-chess, node by node: the same moves, captures and checks. Also
//! compares what moves update incrementally with the same values computed from scratch, under every
//! key scheme and e.p. rule.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use ttlab::internals::chess::{
    Board, Color, EpRule, Generator, Increments, KeyOptions, Keys, Move, MoveList, Piece, Scheme, Square, Suite,
    SuiteOptions, legal, movegen,
};

const STARTS: [&str; 9] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1",
    "8/pppp4/8/5pk1/8/2K5/PPPPP3/8 w - - 0 1",
    "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
];

/// Converts a cozy-chess move to ours. cozy-chess encodes castling as the king taking its own rook.
fn to_our_move(board: &cozy_chess::Board, mv: cozy_chess::Move) -> Move {
    let (from, mut to) = (Square::new(mv.from as u8), Square::new(mv.to as u8));
    if board.colors(board.side_to_move()).has(mv.to) {
        to = Square::from_file_rank(if to.file() == 7 { 6 } else { 2 }, to.rank());
    }
    match mv.promotion {
        None => Move::new(from, to),
        Some(piece) => Move::promoting(from, to, Piece::from_letter(char::from(piece)).unwrap()),
    }
}

fn moves_of(board: &cozy_chess::Board) -> Vec<(Move, cozy_chess::Move)> {
    let mut pairs = Vec::new();
    board.generate_moves(|moves| {
        pairs.extend(moves.into_iter().map(|mv| (to_our_move(board, mv), mv)));
        false
    });
    pairs
}

fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<u16> {
    let mut bits: Vec<u16> = moves.into_iter().map(Move::bits).collect();
    bits.sort_unstable();
    bits
}

/// Checks everything that both libraries compute for a position.
fn assert_agree(board: &Board, oracle: &cozy_chess::Board) {
    let mut list = MoveList::new();
    legal(board, &mut list);
    let expected = moves_of(oracle);
    assert_eq!(sorted(list.iter().copied()), sorted(expected.iter().map(|&(mv, _)| mv)), "{board}");
    assert_eq!(board.checkers().0, oracle.checkers().0, "{board}");
    assert_eq!(board.has_legal_move(), !expected.is_empty(), "{board}");
    assert_eq!(movegen::count_legal(board), expected.len() as u64, "{board}");

    let them = oracle.colors(!oracle.side_to_move());
    let capturing = |&(mv, native): &(Move, cozy_chess::Move)| {
        let pawn = oracle.piece_on(native.from) == Some(cozy_chess::Piece::Pawn);
        (them.has(native.to) || pawn && native.from.file() != native.to.file()).then_some(mv)
    };
    let mut captures = MoveList::new();
    movegen::generate_captures_into(board, &mut captures);
    assert_eq!(sorted(captures.iter().copied()), sorted(expected.iter().filter_map(capturing)), "{board}");
    let legal_captures: Vec<Move> = list.iter().copied().filter(|&mv| board.captured(mv).is_some()).collect();
    assert_eq!(
        captures.to_vec(),
        legal_captures,
        "captures are the legal moves that capture, in the same order: {board}"
    );

    for square in cozy_chess::Square::ALL {
        let our_square = Square::new(square as u8);
        assert_eq!(
            board.piece_on(our_square).map(Piece::letter),
            oracle.piece_on(square).map(char::from),
            "{board} {our_square}"
        );
        let color = oracle.color_on(square).map(|color| color == cozy_chess::Color::White);
        assert_eq!(board.color_on(our_square).map(|color| color == Color::White), color, "{board} {our_square}");
    }
}

/// Plays `games` seeded random games from each start position and calls `visit` at every position.
fn visit_random_games(games: u64, plies: usize, mut visit: impl FnMut(&Board, &cozy_chess::Board, &mut Pcg64)) {
    let inc = Increments::of_keys(Keys::new(&KeyOptions::default()));
    for (start, fen) in STARTS.iter().enumerate() {
        for game in 0..games {
            let mut random = Pcg64::seed_from_u64(start as u64 * 1000 + game);
            let mut board = Board::from_fen(fen).unwrap();
            board.rekey(&inc);
            let mut oracle: cozy_chess::Board = fen.parse().unwrap();
            for _ in 0..plies {
                visit(&board, &oracle, &mut random);
                let moves = moves_of(&oracle);
                if moves.is_empty() {
                    break;
                }
                let (mv, native) = moves[(random.next_u64() % moves.len() as u64) as usize];
                board.play(mv, &inc);
                oracle.play_unchecked(native);
            }
        }
    }
}

#[test]
fn board_along_random_games_agrees_with_another_library() {
    visit_random_games(40, 120, |board, oracle, _| assert_agree(board, oracle));
}

#[test]
fn board_near_perft_positions_agrees_with_another_library() {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("data/perft.epd");
    let suite = Suite::load(&path, SuiteOptions::default()).unwrap();
    for item in &suite.items {
        // Positions that cozy-chess rejects (because of an e.p. square that no pawn can have
        // passed) are only tested by their perft counts.
        if let Ok(oracle) = item.board.fen(EpRule::Legal).parse() {
            assert_agree_below(&item.board, &oracle, 2);
        }
    }
}

fn assert_agree_below(board: &Board, oracle: &cozy_chess::Board, plies: u32) {
    assert_agree(board, oracle);
    if plies > 0 {
        for (mv, native) in moves_of(oracle) {
            let (mut board, mut oracle) = (*board, oracle.clone());
            board.play(mv, Increments::none());
            oracle.play_unchecked(native);
            assert_agree_below(&board, &oracle, plies - 1);
        }
    }
}

#[test]
fn move_of_any_bits_is_legal_exactly_if_generated() {
    visit_random_games(2, 80, |board, _, _| {
        let mut list = MoveList::new();
        legal(board, &mut list);
        let generated = sorted(list.iter().copied());
        let accepted: Vec<u16> = (0..1 << 15).filter(|&bits| board.is_legal(Move::from_bits(bits))).collect();
        assert_eq!(accepted, generated, "{board}");
    });
}

#[test]
fn pinned_push_leaves_a_stalemate() {
    let board = Board::from_fen("7k/8/8/8/8/7r/KP5r/7r w - - 0 1").unwrap();
    assert!(!board.has_legal_move());
    assert!(!board.in_check());
}

#[test]
fn null_moves_pass_the_turn_and_forget_en_passant() {
    let inc = Increments::of_keys(Keys::new(&KeyOptions { ep: EpRule::Always, ..KeyOptions::default() }));
    visit_random_games(4, 80, |board, oracle, _| {
        if let Some(passed) = oracle.null_move() {
            let mut board = *board;
            board.rekey(&inc);
            let before = board.identity();
            board.play_null(&inc);
            assert_agree(&board, &passed);
            assert_eq!(board.key(), board.key_from_scratch(inc.keys()), "{board}");
            assert_ne!(board.identity(), before, "the turn is part of a position");
        }
    });
}

#[test]
fn key_and_sum_under_every_scheme_equal_those_from_scratch() {
    use Scheme::{
        Otter837, PiecesOnly, PurpleProduct, Standard, Webster781, WebsterAsPublished, WebsterLiterals, WebsterProduct,
    };
    let schemes = [
        Standard,
        Otter837,
        Webster781,
        PiecesOnly,
        PurpleProduct,
        WebsterProduct,
        WebsterLiterals,
        WebsterAsPublished,
    ];
    // All values are different, so a missing term is always noticed.
    let values: [[i32; 64]; 12] =
        std::array::from_fn(|row| std::array::from_fn(|square| (row * 64 + square) as i32 - 300));
    let mut sets = vec![Increments::new(Keys::independent(), &values)];
    for scheme in schemes {
        for ep in [EpRule::Always, EpRule::PseudoLegal, EpRule::Legal, EpRule::Never] {
            for generator in [Generator::Pcg64, Generator::Mt19937_64, Generator::Polyglot] {
                sets.push(Increments::new(Keys::new(&KeyOptions { generator, seed: 7, scheme, ep }), &values));
            }
        }
    }
    visit_random_games(2, 100, |board, _, _| {
        let mut list = MoveList::new();
        legal(board, &mut list);
        for inc in &sets {
            let mut board = *board;
            board.rekey(inc);
            for &mv in list.iter() {
                let mut child = board;
                child.play(mv, inc);
                assert_eq!(child.key(), child.key_from_scratch(inc.keys()), "{board} {mv}");
                assert_eq!(child.sum(), child.sum_from_scratch(inc), "{board} {mv}");
                assert_eq!(board.key_after(mv, inc), child.key(), "{board} {mv}");
                assert_eq!(board.sum_after(mv, inc), child.sum(), "{board} {mv}");
            }
        }
    });
}

#[test]
fn en_passant_rules_match_their_definitions() {
    visit_random_games(20, 120, |board, oracle, _| {
        let square = board.en_passant();
        assert_eq!(square.map(Square::file), oracle.en_passant().map(|file| file as u8).or(square.map(Square::file)));
        assert_eq!(board.has_en_passant(EpRule::Always), square.is_some());
        assert!(!board.has_en_passant(EpRule::Never));
        let mut list = MoveList::new();
        legal(board, &mut list);
        let can_capture = list.iter().any(|&mv| board.is_en_passant(mv));
        assert_eq!(board.has_en_passant(EpRule::Legal), can_capture, "{board}");
        let has_pawn_beside = square.is_some_and(|target| {
            board.pieces(board.turn(), Piece::Pawn).any(|pawn| {
                let rank = if board.turn() == Color::White { 4 } else { 3 };
                pawn.rank() == rank && pawn.file().abs_diff(target.file()) == 1
            })
        });
        assert_eq!(board.has_en_passant(EpRule::PseudoLegal), has_pawn_beside, "{board}");
    });
}
