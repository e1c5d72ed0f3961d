//! Positions of small endings without pawns whose distance to mate is proved by retrograde analysis
//! of the whole ending, in plain piece geometry: nothing of the project's search takes part.
//!
//! `rustc --edition 2024 -O endings.rs && ./endings SEED [ENDING MOVES COUNT]...`
//!
//! White moves and mates in `MOVES`: up to `COUNT` placements of that distance are drawn, none of
//! them a reflection of another, and written as EPD. The longest mate of each ending that is solved
//! is held against the one that is known. This is one file that needs nothing else.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A placement without a known mate, and one that cannot be.
const UNKNOWN: u8 = 255;
const ILLEGAL: u8 = 254;

/// The endings, their white and black men, and the longest mate with White to move.
const ENDINGS: [(&str, &str, u8); 8] = [
    ("KQK", "KQk", 10),
    ("KRK", "KRk", 16),
    ("KBBK", "KBBk", 19),
    ("KBNK", "KBNk", 33),
    ("KQKR", "KQkr", 35),
    ("KQKB", "KQkb", 17),
    ("KQKN", "KQkn", 21),
    ("KRKB", "KRkb", 29),
];

const STRAIGHT: [(i32, i32); 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const OBLIQUE: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const JUMPS: [(i32, i32); 8] = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];

/// Calls `visit` with each square that a man reaches from a square, occupied ones too.
fn reach(man: char, from: u8, occupied: u64, mut visit: impl FnMut(u8)) {
    let kind = man.to_ascii_lowercase();
    let steps = match kind {
        'n' => &JUMPS[..],
        'r' => &STRAIGHT,
        'b' => &OBLIQUE,
        _ => &[STRAIGHT, OBLIQUE].concat()[..],
    };
    for (right, up) in steps {
        let (mut file, mut rank) = (i32::from(from % 8) + right, i32::from(from / 8) + up);
        while (0..8).contains(&file) && (0..8).contains(&rank) {
            let square = (rank * 8 + file) as u8;
            visit(square);
            if occupied >> square & 1 == 1 || matches!(kind, 'n' | 'k') {
                break;
            }
            (file, rank) = (file + right, rank + up);
        }
    }
}

/// The plies to mate of every placement of an ending's men, with each side to move.
struct Ending {
    men: Vec<char>,
    /// With Black to move (mated in so many plies) and with White to move.
    plies: [Vec<u8>; 2],
}

impl Ending {
    fn squares(&self, mut index: usize) -> Vec<u8> {
        self.men.iter().map(|_| (index & 63, index >>= 6).0 as u8).collect()
    }

    fn index(squares: &[u8]) -> usize {
        squares.iter().rev().fold(0, |index, square| index << 6 | usize::from(*square))
    }

    fn occupied(squares: &[u8]) -> u64 {
        squares.iter().fold(0, |all, square| all | 1 << square)
    }

    /// Whether the king of a side is attacked by the men of the other, without the one at `absent`.
    fn is_in_check(&self, white: bool, squares: &[u8], absent: usize) -> bool {
        let king = self.men.iter().position(|man| *man == if white { 'K' } else { 'k' }).unwrap();
        let rest: Vec<u8> = (0..squares.len()).filter(|man| *man != absent).map(|man| squares[man]).collect();
        let occupied = Self::occupied(&rest);
        (0..squares.len()).filter(|man| *man != absent && self.men[*man].is_uppercase() != white).any(|man| {
            let mut hits = false;
            reach(self.men[man], squares[man], occupied, |square| hits |= square == squares[king]);
            hits
        })
    }

    /// The index after a man's move to each free square that it reaches, legal or not: also the index
    /// before one, since no man here moves in one direction alone.
    fn quiet(&self, index: usize, man: usize, squares: &[u8], mut visit: impl FnMut(usize)) {
        let occupied = Self::occupied(squares);
        let rest = index & !(63 << (6 * man));
        reach(self.men[man], squares[man], occupied, |to| {
            if occupied >> to & 1 == 0 {
                visit(rest | usize::from(to) << (6 * man));
            }
        });
    }

    /// Solves an ending. After White takes the black man the `smaller` ending follows, if any. Where
    /// Black takes a man White does not win.
    fn solve(men: &str, smaller: &HashMap<String, Ending>) -> Self {
        let men: Vec<char> = men.chars().collect();
        let all = 1 << (6 * men.len());
        let mut ending = Ending { men, plies: [vec![UNKNOWN; all], vec![UNKNOWN; all]] };
        let count = ending.men.len();
        for index in 0..all {
            let squares = ending.squares(index);
            let is_placed = Self::occupied(&squares).count_ones() as usize == count;
            for (side, plies) in [false, true].into_iter().enumerate() {
                if !is_placed || ending.is_in_check(!plies, &squares, count) {
                    ending.plies[side][index] = ILLEGAL;
                }
            }
        }
        // How many moves of Black are not known to lose; 200, and never fewer, if it can take a man.
        let mut left = vec![0u8; all];
        let mut layers: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
        for index in 0..all {
            let squares = ending.squares(index);
            if ending.plies[0][index] != ILLEGAL {
                let mut moves = 0;
                for man in (0..count).filter(|man| ending.men[*man].is_lowercase()) {
                    ending.quiet(index, man, &squares, |to| moves += u8::from(ending.plies[1][to] != ILLEGAL));
                    ending.captures(man, &squares, |_, _| moves = 200);
                }
                left[index] = moves;
                if moves == 0 && ending.is_in_check(false, &squares, count) {
                    layers.entry(0).or_default().push(index);
                }
            }
            if ending.plies[1][index] != ILLEGAL {
                for man in (0..count).filter(|man| ending.men[*man].is_uppercase()) {
                    ending.captures(man, &squares, |taken, after| {
                        let rest = |list: &mut dyn Iterator<Item = usize>| list.filter(|man| *man != taken).collect();
                        let kept: Vec<usize> = rest(&mut (0..count));
                        let name: String = kept.iter().map(|man| ending.men[*man]).collect();
                        let squares: Vec<u8> = kept.iter().map(|man| after[*man]).collect();
                        let plies = smaller.get(&name).map(|ending| ending.plies[0][Self::index(&squares)]);
                        if let Some(plies) = plies.filter(|plies| *plies < ILLEGAL) {
                            layers.entry(plies + 1).or_default().push(index);
                        }
                    });
                }
            }
        }
        while let Some((plies, layer)) = layers.pop_first() {
            let side = usize::from(plies % 2);
            for index in layer {
                if ending.plies[side][index] != UNKNOWN {
                    continue;
                }
                ending.plies[side][index] = plies;
                let squares = ending.squares(index);
                for man in (0..count).filter(|man| ending.men[*man].is_uppercase() == (side == 0)) {
                    ending.quiet(index, man, &squares, |before| {
                        if ending.plies[1 - side][before] != UNKNOWN {
                            return;
                        }
                        // Black is lost once its last move is known to lose.
                        let is_next = side == 0 || {
                            left[before] -= u8::from(left[before] < 200);
                            left[before] == 0
                        };
                        if is_next {
                            layers.entry(plies + 1).or_default().push(before);
                        }
                    });
                }
            }
        }
        ending
    }

    /// Calls `visit` with each man that a man may legally take, and the squares after it.
    fn captures(&self, man: usize, squares: &[u8], mut visit: impl FnMut(usize, &[u8])) {
        let white = self.men[man].is_uppercase();
        reach(self.men[man], squares[man], Self::occupied(squares), |to| {
            let taken = (0..squares.len()).find(|other| squares[*other] == to);
            let Some(taken) = taken.filter(|taken| self.men[*taken].is_uppercase() != white) else { return };
            let mut after = squares.to_vec();
            after[man] = to;
            if !matches!(self.men[taken], 'K' | 'k') && !self.is_in_check(white, &after, taken) {
                visit(taken, &after);
            }
        });
    }

    /// A placement turned and mirrored in one of eight ways, with men of one kind in order.
    fn reflected(&self, squares: &[u8], way: u8) -> Vec<u8> {
        let turn = |square: u8| {
            let square = if way & 1 == 0 { square } else { square ^ 7 };
            let square = if way & 2 == 0 { square } else { square ^ 56 };
            if way & 4 == 0 { square } else { square % 8 * 8 + square / 8 }
        };
        let mut squares: Vec<u8> = squares.iter().map(|square| turn(*square)).collect();
        for man in 1..squares.len() {
            if self.men[man] == self.men[man - 1] && squares[man] < squares[man - 1] {
                squares.swap(man, man - 1);
            }
        }
        squares
    }

    fn fen(&self, squares: &[u8]) -> String {
        let man_on = |square: u8| squares.iter().position(|of_man| *of_man == square).map(|man| self.men[man]);
        let ranks = (0..8).rev().map(|rank| {
            let mut text = (0..8).map(|file| man_on(rank * 8 + file).unwrap_or('1')).collect::<String>();
            (2..9).rev().for_each(|free| text = text.replace(&"1".repeat(free), &free.to_string()));
            text
        });
        ranks.collect::<Vec<_>>().join("/") + " w - -"
    }
}

/// A generator of numbers from a seed (splitmix64).
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |word: &String| word.parse::<u64>().unwrap_or_else(|_| panic!("`{word}`: expected a number"));
    let seed = words.first().map_or(1, number);
    let wanted: Vec<&[String]> =
        words.get(1..).unwrap_or_default().chunks(3).filter(|group| group.len() == 3).collect();
    let mut solved: HashMap<String, Ending> = HashMap::new();
    for (name, men, longest) in ENDINGS {
        let of_ending = || wanted.iter().filter(|group| group[0] == name);
        if of_ending().count() == 0 && men.len() > 3 {
            continue;
        }
        let ending = Ending::solve(men, &solved);
        let known = ending.plies[1].iter().filter(|plies| **plies < ILLEGAL).max().unwrap().div_ceil(2);
        assert_eq!(known, longest, "{name}: the longest mate");
        eprintln!("{name}: the longest mate has {known} moves, as is known");
        for group in of_ending() {
            let (moves, count) = (number(&group[1]), number(&group[2]) as usize);
            let plies = moves as u8 * 2 - 1;
            let places: Vec<usize> =
                (0..ending.plies[1].len()).filter(|index| ending.plies[1][*index] == plies).collect();
            let mut state = men.bytes().fold(seed << 8 | moves, |hash, byte| hash << 8 ^ hash >> 56 ^ u64::from(byte));
            let mut seen = BTreeSet::new();
            // There may be fewer than are wanted, so the draws end.
            for _ in 0..if places.is_empty() { 0 } else { 40 * count } {
                let squares = ending.squares(places[(draw(&mut state) % places.len() as u64) as usize]);
                let least = (0..8).map(|way| ending.reflected(&squares, way)).min().unwrap();
                if seen.len() < count && seen.insert(least) {
                    println!("{} dm {moves}; id \"{name}.{moves}.{:03}\";", ending.fen(&squares), seen.len());
                }
            }
        }
        solved.insert(men.to_owned(), ending);
    }
}
