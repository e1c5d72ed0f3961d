//! Compares keys with published values, and incremental keys with those computed from scratch.

use ttlab::internals::chess::{Board, EpRule, Generator, Increments, KeyOptions, Keys, Move, Scheme, Square, keyaudit};

/// Source: the Polyglot book format's list of test positions.
const POLYGLOT: [(&str, u64); 9] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b_9618_1691_fc9c),
    ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c_9b50_fd11_4196),
    ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756_b944_61c5_0fb0),
    ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662f_afb9_65db_29d4),
    ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a4_8b5a_8e47_ff78),
    ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a_607c_a3f2_42c1),
    ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00fd_d303_c946_bdd9),
    ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c81_23ea_7b06_7637),
    ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5c3f_9b82_9b27_9560),
];

#[test]
fn polyglot_keys_equal_the_nine_published() {
    let keys =
        Keys::new(&KeyOptions { generator: Generator::Polyglot, ep: EpRule::PseudoLegal, ..KeyOptions::default() });
    for (fen, key) in POLYGLOT {
        assert_eq!(Board::from_fen(fen).unwrap().key_from_scratch(&keys), key, "{fen}");
    }
}

#[test]
fn key_generators_give_their_published_first_numbers() {
    // mt19937-64: the C++ standard specifies the 10,000th number for seed 5489. pcg64: values from
    // an independent implementation of the two papers.
    let first = |generator, seed| {
        let keys = Keys::new(&KeyOptions { generator, seed, ..KeyOptions::default() });
        [keys.piece[0][0], keys.piece[0][1], keys.piece[0][2]]
    };
    assert_eq!(first(Generator::Pcg64, 1), [0xd701_f5c8_2406_2d47, 0x046d_af9b_8aba_af57, 0x1d28_a998_490d_b5a0]);
    assert_eq!(first(Generator::Pcg64, 42)[..2], [0x39fc_b970_a300_1809, 0x3d36_1897_2c55_d911]);
    assert_eq!(first(Generator::Mt19937_64, 5489)[..2], [14_514_284_786_278_117_030, 4_620_546_740_167_642_908]);
    let mut twister = rand_mt::Mt64::new(5489);
    assert_eq!((0..10_000).map(|_| twister.next_u64()).last(), Some(9_981_545_732_273_789_042));
}

/// Webster's literals: 768 for the side to move, and 769 to 772 for the castling rights from
/// Black's queen side to White's king side.
#[test]
fn websters_literals_are_keys_of_castling_rights() {
    let keys = Keys::new(&KeyOptions { scheme: Scheme::WebsterLiterals, ..KeyOptions::default() });
    let key = |fen: &str| Board::from_fen(fen).unwrap().key_from_scratch(&keys);
    assert_eq!(key("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1") ^ key("r3k2r/8/8/8/8/8/8/R3K2R b - - 0 1"), 768);
    for (right, literal) in [("q", 769), ("k", 770), ("Q", 771), ("K", 772)] {
        let key_with_right = key(&format!("r3k2r/8/8/8/8/8/8/R3K2R w {right} - 0 1"));
        assert_eq!(key_with_right ^ key("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1"), literal, "{right}");
    }
}

/// Polyglot's list has 781 numbers. Otter's scheme needs 837, and takes the last 56 from the seeded
/// generator.
#[test]
fn scheme_with_more_keys_than_the_list_continues_with_the_seed() {
    let keys =
        |generator, seed| Keys::new(&KeyOptions { generator, seed, scheme: Scheme::Otter837, ..KeyOptions::default() });
    let (listed, drawn) = (keys(Generator::Polyglot, 42), keys(Generator::Pcg64, 42));
    // 768 piece-squares, the side, four castling rights and eight squares come from the list; the
    // next are the generator's first numbers.
    let first: Vec<u64> = drawn.piece.concat().into_iter().take(56).collect();
    assert_eq!(listed.en_passant[8..], first);
    assert_eq!(listed.en_passant[..8], keys(Generator::Polyglot, 43).en_passant[..8]);
    assert_ne!(listed.en_passant[8], keys(Generator::Polyglot, 43).en_passant[8]);
}

#[test]
fn published_key_faults_confuse_the_published_positions() {
    let counts_of = |scheme, generator| {
        let audit = keyaudit::audit(&Keys::new(&KeyOptions { generator, scheme, ..KeyOptions::default() }));
        (
            audit.distinct_piece_squares,
            audit.colliding_pair_count,
            audit.distinct_side_and_castling,
            audit.distinct_en_passant,
        )
    };
    for generator in [Generator::Pcg64, Generator::Mt19937_64] {
        assert_eq!(counts_of(Scheme::Standard, generator), (768, 0, 32, 8));
        assert_eq!(counts_of(Scheme::Otter837, generator), (768, 0, 32, 16));
        assert_eq!(counts_of(Scheme::Webster781, generator), (768, 0, 32, 8));
        assert_eq!(counts_of(Scheme::PiecesOnly, generator), (768, 0, 1, 1));
        assert_eq!(counts_of(Scheme::WebsterProduct, generator), (374, 814, 32, 8));
        assert_eq!(counts_of(Scheme::WebsterLiterals, generator), (768, 0, 16, 8));
        assert_eq!(counts_of(Scheme::WebsterAsPublished, generator), (374, 814, 16, 8));
        assert_eq!(counts_of(Scheme::PurpleProduct, generator), (263, 10_338, 32, 8));
    }
    assert_eq!(counts_of(Scheme::Standard, Generator::Polyglot), (768, 0, 32, 8));
    // Each seed has its own numbers, except with Polyglot's fixed list.
    for (generator, same_for_all_seeds) in
        [(Generator::Pcg64, false), (Generator::Mt19937_64, false), (Generator::Polyglot, true)]
    {
        let [first, second] =
            [1, 2].map(|seed| Keys::new(&KeyOptions { generator, seed, ..KeyOptions::default() }).piece);
        assert_eq!(first == second, same_for_all_seeds, "{generator:?}");
    }
    let product = keyaudit::audit(&Keys::new(&KeyOptions { scheme: Scheme::WebsterProduct, ..KeyOptions::default() }));
    assert_eq!(product.first_colliding_pairs.len(), 8, "{:?}", product.first_colliding_pairs);
    assert!(product.first_colliding_pairs.is_sorted(), "{:?}", product.first_colliding_pairs);
    // Pieces only: the side to move, the four castling rights and the e.p. squares of two ranks
    // have no number.
    let zero_keys = |scheme| keyaudit::audit(&Keys::new(&KeyOptions { scheme, ..KeyOptions::default() })).zero_keys;
    assert_eq!([Scheme::Standard, Scheme::PiecesOnly].map(zero_keys), [0, 1 + 4 + 16]);
}

/// python-chess 1.11 counts 77,796 positions, with e.p. squares where a capture is legal.
#[test]
fn sound_keys_spread_as_chance_does_and_faulty_ones_do_not() {
    let spread = |scheme| {
        let keys = Keys::new(&KeyOptions { scheme, ..KeyOptions::default() });
        keyaudit::spread(&keys, 1024, |key| key % 1024)
    };
    let (sound, faulty) = (spread(Scheme::Standard), spread(Scheme::PurpleProduct));
    assert_eq!((sound.positions, sound.keys, faulty.positions), (77_796, 77_796, 77_796));
    let deviation = (2.0 * 1023.0_f64).sqrt();
    assert!((sound.chi_square - 1023.0).abs() < 5.0 * deviation, "{sound:?}");
    assert!(faulty.keys < 20_000 && faulty.chi_square > 1023.0 + 100.0 * deviation, "{faulty:?}");
}

#[test]
fn websters_fault_has_the_published_example() {
    // Rc1-e1 and d2-d3 give the same key: the rook's squares times 4 equal the pawn's squares times
    // 1.
    let keys = Keys::new(&KeyOptions { scheme: Scheme::WebsterProduct, ..KeyOptions::default() });
    let inc = Increments::of_keys(keys);
    let mut board = Board::from_fen("4k3/8/8/8/8/8/3P4/2R3K1 w - - 0 1").unwrap();
    board.rekey(&inc);
    let after = |name: &str| {
        let (from, to) = (Square::parse(&name[..2]).unwrap(), Square::parse(&name[2..]).unwrap());
        board.key_after(Move::new(from, to), &inc)
    };
    assert_eq!(after("c1e1"), after("d2d3"));
    assert_ne!(after("c1d1"), after("d2d3"));
}

#[test]
fn purples_pawns_all_share_one_number() {
    let keys = Keys::new(&KeyOptions { scheme: Scheme::PurpleProduct, ..KeyOptions::default() });
    assert!(keys.piece[0].iter().chain(&keys.piece[6]).all(|&number| number == keys.piece[0][0]));
    // A white rook (factor 1) on c1 = 2 has the same number as a white bishop (factor 2) on b1 = 1
    // and a black rook (factor 2) on b1.
    assert_eq!(keys.piece[3][2], keys.piece[2][1]);
    assert_eq!(keys.piece[3][2], keys.piece[9][1]);
    assert_ne!(keys.piece[3][2], keys.piece[3][1]);
}

/// Position, e.p. rule, and the number of distinct positions after 0, 1, ... plies. Source: OEIS
/// A083276, A057745 (with its known error at ply 6) and the counts of two independent programs.
const UNIQUE: [(&str, EpRule, &[u64]); 9] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", EpRule::Legal, &[1, 20, 400, 5362, 72078]),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", EpRule::PseudoLegal, &[1, 20, 400, 5362, 72078]),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", EpRule::Always, &[1, 20, 400, 7602, 101_240]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", EpRule::Legal, &[1, 48, 2038, 57548]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", EpRule::Always, &[1, 48, 2038, 59198]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", EpRule::Legal, &[1, 14, 191, 1864, 16978, 126_911]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", EpRule::Legal, &[1, 6, 264, 8895, 248_212]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", EpRule::Legal, &[1, 44, 1483, 35838]),
    (
        "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
        EpRule::Legal,
        &[1, 3, 15, 45, 72, 104, 130, 168, 202, 270, 343, 475, 590, 997, 1286, 2125, 2405, 4366, 5381, 10718],
    ),
];

#[test]
fn distinct_positions_by_ply_equal_the_published() {
    for (fen, rule, counts) in UNIQUE {
        let levels = crate::unique::unique(&Board::from_fen(fen).unwrap(), rule, counts.len() as u32 - 1);
        assert_eq!(levels.iter().map(|level| level.unique).collect::<Vec<_>>(), counts, "{fen} {rule:?}");
    }
}

#[test]
fn moves_to_distinct_positions_equal_the_published() {
    let visited = |rule| {
        let levels = crate::unique::unique(&Board::startpos(), rule, 4);
        levels.iter().map(|level| level.visited).collect::<Vec<_>>()
    };
    assert_eq!(visited(EpRule::Legal), [1, 20, 400, 8902, 118_522]);
    assert_eq!(visited(EpRule::Always), [1, 20, 400, 8902, 168_396]);
}
