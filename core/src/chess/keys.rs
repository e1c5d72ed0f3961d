//! Zobrist keys: the schemes, generators and faults of the published programs, resolved to plain
//! tables.

use rand::{Rng, SeedableRng};
use rand_mt::Mt64;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// When the number of an en passant square is part of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EpRule {
    /// After every double push. Transpositions are missed: a third of the positions at ply 3 are
    /// counted twice.
    Always,
    /// When an enemy pawn stands ready to capture, pinned or not. Source: the Polyglot book format.
    PseudoLegal,
    /// When an en passant capture is legal: equal keys are then equal positions, and the reverse.
    #[default]
    Legal,
    /// Never: positions that differ in an en passant capture share a key.
    Never,
}

/// Where the random numbers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Generator {
    /// PCG XSL RR 128/64, seeded by `seed`. Source: M. O'Neill, 2014; crate rand_pcg.
    #[default]
    Pcg64,
    /// The 64-bit Mersenne Twister, seeded by `seed` (5489 is its customary seed). Source: T.
    /// Nishimura, 2000.
    #[serde(rename = "mt19937-64")]
    Mt19937_64,
    /// The 781 published numbers of the Polyglot book format; `seed` is not used by schemes that
    /// need no more than those.
    Polyglot,
}

/// Which number each part of a position takes, sound or as published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// 781 numbers: 12 x 64 piece-squares, 4 castling rights, 8 e.p. files, 1 side. Source: A.
    /// Zobrist, 1970.
    #[default]
    Standard,
    /// 837 numbers: 768 piece-squares, 1 side, 4 castling rights, 64 e.p. squares. Source: Otter.
    #[serde(rename = "otter-837")]
    Otter837,
    /// 781 numbers in Webster's order: 768 piece-squares, 1 side, 4 castling rights, 8 e.p. files;
    /// a sound variant of what Webster's program does. Source: "Zobrist hash keys / transposition
    /// table / MVV-LVA".
    #[serde(rename = "webster-781")]
    Webster781,
    /// 768 piece-squares and nothing else: side, castling and e.p. are not in the key. Source: the
    /// note on the Ancient flag.
    PiecesOnly,
    /// Fault: the index of a piece-square is the product `piece * square`, twice that for Black, so
    /// that all pawns share one number (pawn 0, rook 1, bishop 2, knight 3, queen 4, king 5).
    /// Source: Purple.
    PurpleProduct,
    /// Fault: the index of a piece-square is `square * piece - 1` (both from 1): 374 distinct
    /// numbers for 768 piece-squares. Side, castling and e.p. are sound. Source: Webster.
    WebsterProduct,
    /// Fault: side and castling rights are the literals 768 to 772: 16 distinct values for 32
    /// combinations. Pieces and e.p. are sound. Source: Webster.
    WebsterLiterals,
    /// Both of Webster's faults, as published.
    WebsterAsPublished,
}

/// How positions are keyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KeyOptions {
    /// Where the random numbers come from. Default: `pcg64`.
    pub generator: Generator,
    /// The seed of the generator, 0 to 2^63-1. Default: 1. Counts depend on it: vary it to see how
    /// much.
    pub seed: u64,
    /// Which number each part of a position takes. Default: `standard`.
    pub scheme: Scheme,
    /// When the number of an en passant square is part of the key. Default: `legal`.
    pub ep: EpRule,
}

impl Default for KeyOptions {
    fn default() -> Self {
        Self { generator: Generator::Pcg64, seed: 1, scheme: Scheme::Standard, ep: EpRule::Legal }
    }
}

/// The Zobrist numbers of one scheme and generator. They are plain tables, so that lookups take the
/// same time for every scheme and fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    /// The numbers of the pieces, indexed by `color * 6 + piece` and square.
    pub piece: [[u64; 64]; 12],
    /// The number that is in the key when Black is to move.
    pub side: u64,
    /// The numbers of the sets of castling rights, indexed by the rights' bits (see
    /// [`Board::castling`](super::Board::castling)). The number of a set is the XOR of the numbers
    /// of its rights.
    pub castling: [u64; 16],
    /// The numbers of the e.p. squares, indexed by square.
    pub en_passant: [u64; 64],
    /// When the e.p. number is in the key.
    pub rule: EpRule,
}

/// Mixes the bits of a number. Different numbers have different results. Source: Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", 2014.
pub const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

impl Keys {
    /// Creates the tables for the scheme in `options` with numbers of the generator in `options`.
    pub fn new(options: &KeyOptions) -> Self {
        let mut numbers = Numbers::new(options);
        let mut keys = match (options.generator, options.scheme) {
            (Generator::Polyglot, Scheme::Standard) => polyglot_keys(&mut numbers),
            (_, Scheme::Standard) => standard_keys(&mut numbers),
            (_, Scheme::Otter837) => otter_keys(&mut numbers),
            (_, Scheme::PurpleProduct) => purple_product_keys(&mut numbers),
            (_, Scheme::PiecesOnly) => pieces_only_keys(&mut numbers),
            (_, scheme) => webster_keys(&mut numbers, scheme),
        };
        keys.rule = options.ep;
        keys
    }

    /// Creates keys with numbers that no [`KeyOptions`] can produce. Such keys can distinguish
    /// different positions that have the same key under some options.
    pub fn independent() -> Self {
        // The numbers come from a separate generator. No seed of `KeyOptions` gives the same
        // numbers.
        let mut source = Pcg64::new(0x7474_6c61_6220_6b65_7973, 0x6175_6469_7421);
        let mut keys = Self::empty(EpRule::Legal);
        for row in &mut keys.piece {
            row.fill_with(|| source.next_u64());
        }
        keys.side = source.next_u64();
        keys.set_castling(std::array::from_fn(|_| source.next_u64()));
        keys.en_passant.fill_with(|| source.next_u64());
        keys
    }

    /// Creates keys whose numbers are all 0. The caller fills them.
    pub(super) const fn empty(rule: EpRule) -> Self {
        Self { piece: [[0; 64]; 12], side: 0, castling: [0; 16], en_passant: [0; 64], rule }
    }

    /// Computes the number of each combination of castling rights, which is the XOR of the numbers
    /// of its rights. `right_numbers` has the number of each single right, in the order of the
    /// rights' bits.
    fn set_castling(&mut self, right_numbers: [u64; 4]) {
        for (rights, number) in self.castling.iter_mut().enumerate() {
            *number = (0..4).filter(|bit| rights >> bit & 1 != 0).fold(0, |sum, bit| sum ^ right_numbers[bit]);
        }
    }

    /// Takes the numbers that follow the piece-squares in most schemes: one for each castling
    /// right, one for each file of an e.p. square, and one for the side to move.
    fn take_state(&mut self, numbers: &mut Numbers) {
        self.set_castling(numbers.take());
        self.set_en_passant_files(numbers.take());
        self.side = numbers.next();
    }

    /// Sets the e.p. numbers of a scheme that has one number per file.
    fn set_en_passant_files(&mut self, file_numbers: [u64; 8]) {
        self.en_passant = std::array::from_fn(|square| file_numbers[square & 7]);
    }
}

enum Numbers {
    Pcg(Pcg64),
    Mt(Box<Mt64>),
    /// The published list, and a seeded generator for schemes that need more numbers than the list
    /// has.
    Polyglot(std::vec::IntoIter<u64>, Pcg64),
}

impl Numbers {
    fn new(options: &KeyOptions) -> Self {
        let pcg = Pcg64::seed_from_u64(options.seed);
        match options.generator {
            Generator::Pcg64 => Self::Pcg(pcg),
            Generator::Mt19937_64 => Self::Mt(Box::new(Mt64::new(options.seed))),
            Generator::Polyglot => Self::Polyglot(polyglot_numbers().into_iter(), pcg),
        }
    }

    fn next(&mut self) -> u64 {
        match self {
            Self::Pcg(generator) => generator.next_u64(),
            Self::Mt(generator) => generator.next_u64(),
            Self::Polyglot(list, generator) => list.next().unwrap_or_else(|| generator.next_u64()),
        }
    }

    fn take<const N: usize>(&mut self) -> [u64; N] {
        std::array::from_fn(|_| self.next())
    }
}

/// Reads the 781 numbers of the Polyglot book format.
fn polyglot_numbers() -> Vec<u64> {
    let text = include_str!("polyglot.txt").lines().filter(|line| !line.starts_with('#'));
    text.flat_map(str::split_whitespace).filter_map(|word| u64::from_str_radix(word, 16).ok()).collect()
}

/// Creates keys that use `numbers` in the usual order. The piece-squares come first, then the
/// numbers that [`Keys::take_state`] takes.
fn standard_keys(numbers: &mut Numbers) -> Keys {
    let mut keys = Keys::empty(EpRule::Legal);
    keys.piece = std::array::from_fn(|_| numbers.take());
    keys.take_state(numbers);
    keys
}

/// Creates keys that use `numbers` in the order of the Polyglot book format. In this order, the
/// pieces are black pawn, white pawn, black knight and so on.
fn polyglot_keys(numbers: &mut Numbers) -> Keys {
    let mut keys = Keys::empty(EpRule::Legal);
    for kind in 0..12 {
        let (piece, is_white) = (kind / 2, kind % 2 == 1);
        keys.piece[piece + if is_white { 0 } else { 6 }] = numbers.take();
    }
    keys.take_state(numbers);
    // A Polyglot key contains the side's number if White is to move, but `Keys` add the number if
    // Black is to move. To make up for this difference, the side's number is combined with the
    // numbers of the white king, because every position contains one of them.
    for number in &mut keys.piece[5] {
        *number ^= keys.side;
    }
    keys
}

/// Creates keys that use `numbers` in Otter's order. Otter has a different number for each e.p.
/// square.
fn otter_keys(numbers: &mut Numbers) -> Keys {
    let mut keys = Keys::empty(EpRule::Legal);
    keys.piece = std::array::from_fn(|_| numbers.take());
    keys.side = numbers.next();
    keys.set_castling(numbers.take());
    keys.en_passant = numbers.take();
    keys
}

fn pieces_only_keys(numbers: &mut Numbers) -> Keys {
    Keys { piece: std::array::from_fn(|_| numbers.take()), ..Keys::empty(EpRule::Legal) }
}

/// Purple's index of each piece, in the order of [`Piece`](super::Piece): pawn 0, knight 3, bishop
/// 2, rook 1, queen 4, king 5.
const PURPLE_PIECES: [usize; 6] = [0, 3, 2, 1, 4, 5];

/// Creates keys with the fault of the engine Purple. Purple multiplies the index of the piece by
/// the index of the square, and takes the number that has this product as its index. Many
/// piece-squares therefore share one number.
fn purple_product_keys(numbers: &mut Numbers) -> Keys {
    let mut keys = Keys::empty(EpRule::Legal);
    let table: [u64; 768] = numbers.take();
    for (row, squares) in keys.piece.iter_mut().enumerate() {
        // The index of a black piece is twice that of the white piece.
        let factor = PURPLE_PIECES[row % 6] * (1 + row / 6);
        for (square, number) in squares.iter_mut().enumerate() {
            *number = table[factor * square];
        }
    }
    keys.take_state(numbers);
    keys
}

/// Creates keys that use `numbers` in Webster's order: 768 piece-squares, the side, 4 castling
/// rights and 8 e.p. files. The keys have the faults of `scheme`.
fn webster_keys(numbers: &mut Numbers, scheme: Scheme) -> Keys {
    let mut keys = Keys::empty(EpRule::Legal);
    let table: [u64; 781] = numbers.take();
    let has_product_fault = matches!(scheme, Scheme::WebsterProduct | Scheme::WebsterAsPublished);
    let has_literal_fault = matches!(scheme, Scheme::WebsterLiterals | Scheme::WebsterAsPublished);
    for (row, squares) in keys.piece.iter_mut().enumerate() {
        for (square, number) in squares.iter_mut().enumerate() {
            *number = table[if has_product_fault { (square + 1) * (row + 1) - 1 } else { row * 64 + square }];
        }
    }
    let number_at = |index: usize| if has_literal_fault { index as u64 } else { table[index] };
    keys.side = number_at(768);
    // Webster numbers the rights from Black's queen side to White's king side.
    keys.set_castling([number_at(772), number_at(771), number_at(770), number_at(769)]);
    keys.set_en_passant_files(std::array::from_fn(|file| table[773 + file]));
    keys
}
