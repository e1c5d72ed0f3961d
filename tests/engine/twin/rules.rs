//! What the twin knows about a single position: its value, the order of its moves, and exchanges on
//! a square. Squares are walked one step at a time, and everything is computed from scratch.

use std::collections::{HashMap, HashSet};
use ttlab::internals::chess::{Board, Color, Move, Piece, Square};
use ttlab::internals::engine::EngineOptions;
use ttlab::internals::engine::options::{MvvLva, Ordering};

/// The piece on each square; captured pieces can be removed.
#[derive(Clone)]
struct Men([Option<(Color, Piece)>; 64]);

const ROOK: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const KNIGHT: [(i8, i8); 8] = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];

impl Men {
    fn of(board: &Board) -> Self {
        Self(std::array::from_fn(|at| {
            let square = Square::new(at as u8);
            Some((board.color_on(square)?, board.piece_on(square)?))
        }))
    }

    fn all(&self, side: Color) -> impl Iterator<Item = (usize, Piece)> + '_ {
        self.0.iter().enumerate().filter_map(move |(at, man)| man.filter(|man| man.0 == side).map(|man| (at, man.1)))
    }

    /// Returns the squares that a piece attacks.
    fn attacks(&self, side: Color, piece: Piece, from: usize) -> Vec<usize> {
        let ahead = if side == Color::White { 1 } else { -1 };
        let (steps, far): (Vec<(i8, i8)>, bool) = match piece {
            Piece::Pawn => (vec![(-1, ahead), (1, ahead)], false),
            Piece::Knight => (KNIGHT.to_vec(), false),
            Piece::Bishop => (BISHOP.to_vec(), true),
            Piece::Rook => (ROOK.to_vec(), true),
            Piece::Queen => ([ROOK, BISHOP].concat(), true),
            Piece::King => ([ROOK, BISHOP].concat(), false),
        };
        let mut reached = Vec::new();
        for (right, up) in steps {
            let (mut file, mut rank) = (from as i8 % 8, from as i8 / 8);
            loop {
                (file, rank) = (file + right, rank + up);
                if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                    break;
                }
                let to = (rank * 8 + file) as usize;
                reached.push(to);
                if !far || self.0[to].is_some() {
                    break;
                }
            }
        }
        reached
    }

    fn owner(&self, at: usize) -> Option<Color> {
        self.0[at].map(|man| man.0)
    }

    fn mobility(&self, side: Color) -> i32 {
        let moves = |(at, piece)| match piece {
            Piece::Pawn | Piece::King => 0,
            _ => self.attacks(side, piece, at).iter().filter(|&&to| self.owner(to) != Some(side)).count() as i32,
        };
        self.all(side).map(moves).sum()
    }

    fn centre(&self, side: Color) -> i32 {
        // d4, e4, d5, e5.
        let centre = [27, 28, 35, 36];
        let on = self.all(side).filter(|(at, _)| centre.contains(at)).count();
        let at = self.all(side).flat_map(|(at, piece)| self.attacks(side, piece, at)).filter(|to| centre.contains(to));
        (on + at.count()) as i32
    }

    fn space(&self, side: Color) -> i32 {
        let squares = |side: Color, expected: fn(Piece) -> bool| -> HashSet<usize> {
            let men = self.all(side).filter(|&(_, piece)| expected(piece));
            men.flat_map(|(at, piece)| self.attacks(side, piece, at)).collect()
        };
        let reached = squares(side, |piece| matches!(piece, Piece::Knight | Piece::Bishop));
        let guarded = squares(!side, |piece| piece == Piece::Pawn);
        reached.difference(&guarded).filter(|&&to| self.owner(to) != Some(side)).count() as i32
    }

    /// Returns what a side wins by capturing on a square, if it captures with the cheapest piece
    /// first and may stop at any time. A king doesn't capture a defended piece.
    fn exchange(&self, to: usize, side: Color, values: &[i32; 6]) -> i32 {
        let cheapest = |men: &Self, side: Color| {
            let able = men.all(side).filter(|&(at, piece)| men.attacks(side, piece, at).contains(&to));
            able.min_by_key(|&(_, piece)| piece as usize)
        };
        let Some((from, piece)) = cheapest(self, side) else { return 0 };
        let taken = self.0[to].map_or(0, |man| values[man.1 as usize]);
        let mut after = self.clone();
        after.0[to] = after.0[from].take();
        if piece == Piece::King && cheapest(&after, !side).is_some() {
            return 0;
        }
        (taken - after.exchange(to, !side, values)).max(0)
    }
}

/// Returns the gain of a capture or promotion if both sides continue to capture as long as it pays.
pub fn exchange(board: &Board, mv: Move) -> i32 {
    let values = [100, 300, 300, 500, 900, 20_000];
    let (from, to) = (mv.from().index(), mv.to().index());
    let mut men = Men::of(board);
    let mut gain = men.0[to].map_or(0, |man| values[man.1 as usize]);
    let side = board.turn();
    let mover = men.0[from].take().unwrap().1;
    if mover == Piece::Pawn && from % 8 != to % 8 && men.0[to].is_none() {
        // En passant: the captured pawn is beside the capturing one.
        gain += values[0];
        men.0[from / 8 * 8 + to % 8] = None;
    }
    let arrives = mv.promotion().unwrap_or(mover);
    gain += values[arrives as usize] - values[mover as usize];
    men.0[to] = Some((side, arrives));
    gain - men.exchange(to, !side, &values)
}

/// Returns the evaluation from the side to move's view. `rows`: the value of each piece on each
/// square.
pub fn evaluate(options: &EngineOptions, rows: &[[i32; 64]; 12], board: &Board) -> i32 {
    let eval = options.eval;
    let men = Men::of(board);
    let mut white = 0;
    for side in Color::ALL {
        let sign = if side == Color::White { 1 } else { -1 };
        white += men.all(side).map(|(at, piece)| rows[side as usize * 6 + piece as usize][at]).sum::<i32>();
        for (weight, count) in [
            (eval.mobility, Men::mobility as fn(&Men, Color) -> i32),
            (eval.centre, Men::centre),
            (eval.space, Men::space),
        ] {
            white += if weight == 0 { 0 } else { sign * weight * count(&men, side) };
        }
    }
    let sign = if board.turn() == Color::White { 1 } else { -1 };
    let most = options.mate.value - 257;
    sign * white.clamp(-most, most)
}

/// Moves that caused cutoffs, stored under the simplest possible keys.
#[derive(Debug, Default, Clone)]
pub struct Memory {
    killers: HashMap<usize, Vec<Move>>,
    history: HashMap<(Color, Square, Square), i64>,
    replies: HashMap<(Color, Piece, Square), Move>,
}

impl Memory {
    /// Learns a quiet move that caused a cutoff.
    pub fn learn(&mut self, board: &Board, previous: Move, mv: Move, ply: usize, depth: i32) {
        let killers = self.killers.entry(ply).or_default();
        if killers.first() != Some(&mv) {
            killers.insert(0, mv);
            killers.truncate(2);
        }
        *self.history.entry((board.turn(), mv.from(), mv.to())).or_default() += i64::from(depth) * i64::from(depth);
        if !previous.is_none() {
            let piece = board.piece_on(previous.to()).unwrap();
            self.replies.insert((board.turn(), piece, previous.to()), mv);
        }
    }
}

/// Returns the rank of the rule that a move falls under, and the move's value within that rule.
#[allow(clippy::too_many_arguments)]
fn claim(
    options: &EngineOptions,
    memory: &Memory,
    board: &Board,
    mv: Move,
    first: Move,
    previous: Move,
    ply: usize,
) -> (i64, i64) {
    let rank = |rule| options.ordering.iter().rev().position(|&named| named == rule).map(|place| place as i64 + 1);
    let front = rank(Ordering::Oracle).or(rank(Ordering::TableMove));
    if let (Some(rank), true) = (front, mv == first) {
        return (rank, 0);
    }
    let victim = board.captured(mv).map(|piece| piece as i64 + 1);
    let promoted = mv.promotion().map(|piece| piece as i64);
    let mover = board.piece_on(mv.from()).unwrap() as i64;
    let price = |piece: i64| [0, 100, 300, 300, 500, 900, 0][piece as usize];
    let prize = match options.mvv_lva {
        MvvLva::PieceOrder => Some(8 * (victim.unwrap_or(0) + promoted.unwrap_or(0)) - mover),
        MvvLva::Otter => {
            let taken = victim.map_or(0, |piece| 5 * price(piece) - price(mover + 1));
            Some(taken + promoted.map_or(0, |piece| price(piece + 1)))
        }
        MvvLva::Webster => victim.map(|piece| 100 * piece - mover),
    };
    let quiet = victim.is_none() && promoted.is_none();
    if !quiet {
        if let (Some(rank), Some(prize)) = (rank(Ordering::MvvLva), prize) {
            return (rank, prize);
        }
        return match rank(Ordering::See) {
            Some(rank) => match exchange(board, mv) {
                loss if loss < 0 => (-1, i64::from(loss)),
                gain => (rank, i64::from(gain)),
            },
            None => (0, 0),
        };
    }
    let killer = memory.killers.get(&ply).and_then(|killers| killers.iter().position(|&killer| killer == mv));
    if let (Some(rank), Some(place)) = (rank(Ordering::Killers), killer) {
        return (rank, -(place as i64));
    }
    let reply = board.piece_on(previous.to()).filter(|_| !previous.is_none());
    let reply = reply.and_then(|piece| memory.replies.get(&(board.turn(), piece, previous.to())));
    if let (Some(rank), true) = (rank(Ordering::Countermove), reply == Some(&mv)) {
        return (rank, 0);
    }
    let score = memory.history.get(&(board.turn(), mv.from(), mv.to())).copied().unwrap_or(0);
    match rank(Ordering::History) {
        Some(rank) if score > 0 => (rank, score),
        _ => (0, 0),
    }
}

/// Sorts generated moves by the options' ordering. Equal moves keep the generated order.
pub fn order(
    options: &EngineOptions,
    memory: &Memory,
    board: &Board,
    mut moves: Vec<Move>,
    first: Move,
    previous: Move,
    ply: usize,
) -> Vec<Move> {
    moves.sort_by_cached_key(|&mv| std::cmp::Reverse(claim(options, memory, board, mv, first, previous, ply)));
    moves
}
