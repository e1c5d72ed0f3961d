//! Compares the generation orders with an independent statement of their rules, and static exchange
//! evaluation with playing out the exchange.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use ttlab::internals::chess::{
    Board, Color, GenerationOrder, Increments, Move, MoveList, Piece, Square, legal, movegen, san,
};

const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/pppp4/8/5pk1/8/2K5/PPPPP3/8 w - - 0 1",
    "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
];

/// Returns the positions of seeded random games from each start position.
fn positions(games: u64) -> Vec<Board> {
    let mut boards = Vec::new();
    for (start, fen) in STARTS.iter().enumerate() {
        for game in 0..games {
            let mut random = Pcg64::seed_from_u64(start as u64 * 100 + game);
            let mut board = Board::from_fen(fen).unwrap();
            for _ in 0..100 {
                boards.push(board);
                let mut list = MoveList::new();
                legal(&board, &mut list);
                if list.is_empty() {
                    break;
                }
                board.play(list[(random.next_u64() % list.len() as u64) as usize], Increments::none());
            }
        }
    }
    boards
}

fn moves(board: &Board) -> MoveList {
    let mut list = MoveList::new();
    legal(board, &mut list);
    list
}

/// Returns the sort key of a move by Purple's published rule: its class first, then squares.
fn purple_sort_key(board: &Board, mv: Move) -> (u8, usize, bool, usize, usize) {
    let (from, to) = (mv.from().index(), mv.to().index());
    let captures = board.captured(mv).is_some();
    let goes_west = mv.to().file() < mv.from().file();
    let promotion = mv.promotion().map_or(0, |piece| piece as usize);
    match board.piece_on(mv.from()).unwrap() {
        Piece::Pawn => {
            let side = if goes_west { 0 } else { 1 };
            let class = match (mv.promotion(), captures) {
                (Some(_), false) => 5,
                (Some(_), true) => 6 + side,
                (None, true) if board.is_en_passant(mv) => return (4, side as usize, false, to, 0),
                (None, true) => 2 + side,
                (None, false) => u8::from(from.abs_diff(to) == 16),
            };
            (class, 0, false, to, promotion)
        }
        Piece::King if from.abs_diff(to) == 2 => (8, usize::from(goes_west), false, 0, 0),
        Piece::Knight => (9, from, !captures, to, 0),
        Piece::Rook => (10, from, !captures, to, 0),
        Piece::Bishop => (11, from, !captures, to, 0),
        Piece::Queen => (12, from, !captures, to, 0),
        Piece::King => (13, from, !captures, to, 0),
    }
}

#[test]
fn moves_come_in_purple_order() {
    for board in positions(30) {
        let mut list = moves(&board);
        let generated = list.to_vec();
        list.sort_by_key(|&mv| purple_sort_key(&board, mv));
        assert_eq!(generated, list.to_vec(), "{board}");
    }
}

fn sorted_moves(fen: &str, order: GenerationOrder) -> Vec<String> {
    let board = Board::from_fen(fen).unwrap();
    let mut list = moves(&board);
    order.sort(&board, &mut list);
    list.iter().map(|&mv| san::write(&board, mv)).collect()
}

#[test]
fn orders_of_a_few_positions_equal_those_by_hand() {
    let fen = "4k3/P7/8/1pP5/8/8/4P3/R3K2R w KQ b6 0 1";
    assert_eq!(
        sorted_moves(fen, GenerationOrder::Purple)[..12],
        ["e3", "c6", "e4", "cxb6", "a8=N", "a8=B", "a8=R+", "a8=Q+", "O-O", "O-O-O", "Rb1", "Rc1"]
    );
    assert_eq!(
        sorted_moves(fen, GenerationOrder::Otter)[..8],
        ["e3", "e4", "cxb6", "c6", "a8=N", "a8=B", "a8=R+", "a8=Q+"]
    );
    assert_eq!(
        sorted_moves(fen, GenerationOrder::Webster)[..12],
        ["Kf1", "Kd1", "Kd2", "Kf2", "O-O", "O-O-O", "Rb1", "Rc1", "Rd1", "Ra2", "Ra3", "Ra4"]
    );
    // In Webster's order, black pawns first move south, then capture to the south-east and
    // south-west.
    let mut black_moves = sorted_moves("4k3/8/8/8/3p4/2N1N3/8/4K3 b - - 0 1", GenerationOrder::Webster);
    black_moves.retain(|text| text.starts_with('d'));
    assert_eq!(black_moves, ["d3", "dxe3", "dxc3"]);
    assert_eq!(
        sorted_moves(fen, GenerationOrder::Webster).iter().rev().take(4).rev().cloned().collect::<Vec<_>>(),
        ["a8=Q+", "a8=N", "a8=B", "a8=R+"]
    );
    assert_eq!(sorted_moves(fen, GenerationOrder::BySquare)[..4], ["Rb1", "Rc1", "Rd1", "Ra2"]);
    let knight = "4k3/8/8/8/3n4/8/8/4K3 b - - 0 1";
    let knight_moves = sorted_moves(knight, GenerationOrder::Webster);
    assert_eq!(knight_moves[knight_moves.len() - 8..], ["Nc6", "Ne6", "Nf5", "Nb5", "Ne2", "Nc2+", "Nb3", "Nf3+"]);
}

#[test]
fn every_order_keeps_the_moves_and_is_repeatable() {
    for board in positions(4) {
        let generated = moves(&board);
        let mut orders = Vec::new();
        for order in [
            GenerationOrder::Purple,
            GenerationOrder::Otter,
            GenerationOrder::Webster,
            GenerationOrder::BySquare,
            GenerationOrder::Shuffle,
        ] {
            let mut list = generated.clone();
            order.sort(&board, &mut list);
            let mut from_reversed = generated.clone();
            from_reversed.reverse();
            if order != GenerationOrder::Purple {
                order.sort(&board, &mut from_reversed);
                assert_eq!(
                    list.to_vec(),
                    from_reversed.to_vec(),
                    "{order:?} does not depend on the order before: {board}"
                );
            }
            let mut sorted_bits: Vec<u16> = list.iter().map(|mv| mv.bits()).collect();
            let mut generated_bits: Vec<u16> = generated.iter().map(|mv| mv.bits()).collect();
            sorted_bits.sort_unstable();
            generated_bits.sort_unstable();
            assert_eq!(sorted_bits, generated_bits);
            orders.push(list.to_vec());
        }
        if generated.len() > 12 {
            assert_ne!(orders[4], orders[0], "shuffled: {board}");
        }
    }
}

#[test]
fn orders_have_the_names_that_files_use() {
    for (order, name) in [
        (GenerationOrder::Purple, "\"purple\""),
        (GenerationOrder::Otter, "\"otter\""),
        (GenerationOrder::Webster, "\"webster\""),
        (GenerationOrder::BySquare, "\"by-square\""),
        (GenerationOrder::Shuffle, "\"shuffle\""),
    ] {
        assert_eq!(serde_json::to_string(&order).unwrap(), name);
        assert_eq!(serde_json::from_str::<GenerationOrder>(name).unwrap(), order);
    }
}

const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];

#[test]
fn exchanges_of_a_few_positions_equal_those_by_hand() {
    for (fen, mv, value) in [
        // A hanging pawn; a defended pawn taken by a rook; x-ray attacks behind a rook and a queen.
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "Rxe5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "Nxe5", -200),
        ("4k3/8/3p4/4p3/8/8/4R3/4K3 w - - 0 1", "Rxe5", -400),
        ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5", -400),
        ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5", 100),
        // En passant that opens a line; a promotion; a king that can't recapture.
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", 100),
        ("3rk3/8/8/3pP3/8/8/8/3RK3 w - d6 0 1", "exd6", 100),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=Q+", 1300),
        ("1rk5/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=Q+", 400),
        ("8/8/3k4/4p3/8/8/4R3/4RK2 w - - 0 1", "Rxe5", 100),
        ("8/8/3k4/4p3/8/8/4R3/5K2 w - - 0 1", "Rxe5", -400),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", 0),
        ("4k3/8/8/2p5/8/8/3Q4/4K3 w - - 0 1", "Qd4", -900),
    ] {
        let board = Board::from_fen(fen).unwrap();
        let mv = san::read(&board, mv, ttlab::internals::chess::Strictness::Strict).unwrap();
        assert_eq!(board.see(mv, &VALUES), value, "{fen} {mv}");
    }
}

/// Returns the value of the best exchange on a square for the side to move, searched with legal
/// moves: each side captures with any piece, or stops.
fn best_exchange(board: &Board, square: Square) -> i32 {
    let mut list = MoveList::new();
    movegen::generate_captures_into(board, &mut list);
    let mut best = 0;
    for &mv in list.iter().filter(|mv| mv.to() == square && mv.promotion().is_none()) {
        let mut child = *board;
        let gain = VALUES[board.piece_on(square).unwrap() as usize];
        child.play(mv, Increments::none());
        best = best.max(gain - best_exchange(&child, square));
    }
    best
}

/// Without pins and promotions, capturing with the cheapest piece first is as good as the best
/// play.
#[test]
fn exchange_value_equals_that_of_best_play() {
    let mut compared = 0;
    for board in positions(30) {
        let pieces = board.kind(Piece::Pawn) | board.occupied();
        if pieces.count() > 28 || board.in_check() {
            continue;
        }
        let mut list = MoveList::new();
        movegen::generate_captures_into(&board, &mut list);
        for &mv in list.iter() {
            if mv.promotion().is_some() || board.is_en_passant(mv) || !has_no_complications(&board, mv) {
                continue;
            }
            let mut child = board;
            child.play(mv, Increments::none());
            let gain = VALUES[board.captured(mv).unwrap() as usize];
            assert_eq!(board.see(mv, &VALUES), gain - best_exchange(&child, mv.to()), "{board} {mv}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

/// Returns whether every capture that the exchange considers is legal: no piece of either side can
/// be pinned to its king, no check has to be answered, and no pawn promotes on the square.
fn has_no_complications(board: &Board, mv: Move) -> bool {
    let on_last_rank = mv.to().rank() == 0 || mv.to().rank() == 7;
    let may_interfere = |color: Color| {
        let king = board.king(color);
        let rays =
            ttlab::internals::chess::attacks::bishop_rays(king) | ttlab::internals::chess::attacks::rook_rays(king);
        let enemies = board.pieces_of(!color);
        let sliders = (board.kind(Piece::Bishop) | board.kind(Piece::Rook) | board.kind(Piece::Queen)) & enemies;
        let knights =
            ttlab::internals::chess::attacks::knight(mv.to()) & ttlab::internals::chess::Bitboard::from_square(king);
        !(rays & sliders).is_empty()
            || !(rays & ttlab::internals::chess::Bitboard::from_square(mv.to())).is_empty()
            || !knights.is_empty()
    };
    !on_last_rank && !may_interfere(Color::White) && !may_interfere(Color::Black)
}
