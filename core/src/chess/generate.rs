//! Generates quiet opening positions by seeded random walks. They are a suite that nobody has tuned
//! for, and that anyone can reproduce.
//!
//! A walk plays `plies` random legal moves from the start position. Every second walk plays one
//! move more, so that either side can be to move. The random numbers are those of Pcg64 seeded by
//! `seed`. The index of each move is the next random number modulo the number of moves, in `purple`
//! order.
//!
//! The last position of a walk is accepted if
//! - the side to move is not in check and has a legal move
//! - White and Black have equal material (100, 300, 300, 500, 900)
//! - by static exchange evaluation, neither side could win material with a capture or promotion if
//!   it were to move
//! - the position was not accepted before
//!
//! Walks are repeated until enough positions are accepted.

use super::board::Board;
use super::increments::Increments;
use super::keys::{EpRule, KeyOptions, Keys};
use super::moves::{Move, MoveList};
use super::types::{Color, Piece};
use super::{movegen, san};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::HashSet;

/// How many positions to generate, from which seed, and how long the random walks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GenerateOptions {
    pub count: usize,
    /// The seed: the same seed gives the same positions.
    pub seed: u64,
    /// The number of random plies from the start position, 1 to 40. Every second walk plays one ply
    /// more.
    pub plies: u32,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self { count: 240, seed: 1, plies: 10 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    #[error("plies: expected 1 to 40, found {0}")]
    Plies(u32),
    #[error(
        "only {found} of {expected} positions found in {walks} walks of {plies} plies: ask for fewer, or for more plies"
    )]
    TooFew { found: usize, expected: usize, walks: u64, plies: u32 },
}

pub const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];
const MAX_WALKS_PER_POSITION: u64 = 1000;

/// Generates quiet positions with equal material by random walks. The positions are in the order in
/// which they were found.
///
/// # Errors
/// Returns an error if `plies` is out of range or too few different positions are found.
pub fn generate(options: &GenerateOptions) -> Result<Vec<Board>, GenerateError> {
    let GenerateOptions { count, seed, plies } = *options;
    if !(1..=40).contains(&plies) {
        return Err(GenerateError::Plies(plies));
    }
    let inc = Increments::of_keys(Keys::new(&KeyOptions { ep: EpRule::Legal, ..KeyOptions::default() }));
    let mut random = Pcg64::seed_from_u64(seed);
    let mut boards = Vec::new();
    let mut accepted = HashSet::new();
    let max_walks = MAX_WALKS_PER_POSITION * count as u64;
    for walk_number in 0..max_walks {
        if boards.len() == count {
            break;
        }
        let mut board = Board::startpos();
        board.rekey(&inc);
        // Every second walk is one ply longer.
        let length = plies + (walk_number % 2) as u32;
        if walk(&mut board, length, &inc, &mut random)
            && is_quiet_and_level(&board)
            && accepted.insert(board.identity())
        {
            boards.push(board);
        }
    }
    if boards.len() == count {
        Ok(boards)
    } else {
        Err(GenerateError::TooFew { found: boards.len(), expected: count, walks: max_walks, plies })
    }
}

/// Plays `plies` random moves. Returns false if the game ends before that.
fn walk(board: &mut Board, plies: u32, inc: &Increments, random: &mut Pcg64) -> bool {
    for _ in 0..plies {
        let mut list = MoveList::new();
        movegen::legal(board, &mut list);
        if list.is_empty() {
            return false;
        }
        board.play(list[(random.next_u64() % list.len() as u64) as usize], inc);
    }
    true
}

/// Whether a position is quiet and both sides have equal material.
fn is_quiet_and_level(board: &Board) -> bool {
    let material = |color| {
        Piece::ALL
            .into_iter()
            .map(|piece| VALUES[piece as usize] * board.pieces(color, piece).count() as i32)
            .sum::<i32>()
    };
    material(Color::White) == material(Color::Black) && is_quiet(board)
}

/// Whether a position is quiet. The side to move must not be in check and must have a legal move.
/// By static exchange evaluation, no capture or promotion by either side may win material.
pub fn is_quiet(board: &Board) -> bool {
    if board.in_check() || !board.has_legal_move() {
        return false;
    }
    let mut after_pass = *board;
    after_pass.play_null(Increments::none());
    !wins_material(board) && !wins_material(&after_pass)
}

fn wins_material(board: &Board) -> bool {
    let mut list = MoveList::new();
    movegen::legal(board, &mut list);
    list.iter().any(|&mv| !board.is_quiet(mv) && board.see(mv, &VALUES) > 0)
}

/// Generates positions and returns them as EPD, with the ids `open.001`, `open.002` and so on. The
/// comment `c0` of the first position says how the positions were made.
///
/// # Errors
/// The same as for [`generate`].
pub fn epd(options: &GenerateOptions) -> Result<String, GenerateError> {
    let GenerateOptions { count, seed, plies } = *options;
    let origin = format!(
        "Quiet opening positions: {count} ends of random walks of {plies} or {} plies, seed {seed}. \
         Made by `ttlab generate --count {count} --seed {seed} --plies {plies}`; chess/generate.rs says how.",
        plies + 1
    );
    let boards = generate(options)?;
    let line = |(board, number): (&Board, usize)| epd_line(board, &format!("open.{number:03}"), None);
    Ok(with_origin(boards.iter().zip(1..).map(line), &origin))
}

/// The clocks come before all other operations, because some programs look for the opcodes of the
/// clocks even inside texts.
pub fn epd_line(board: &Board, id: &str, best: Option<Move>) -> String {
    let fen = board.fen(EpRule::Legal);
    let position = fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
    let (clock, move_number) = (board.halfmove_clock(), board.game_ply() / 2 + 1);
    let solution = best.map(|mv| format!(" bm {};", san::write(board, mv))).unwrap_or_default();
    format!("{position} hmvc {clock}; fmvn {move_number}; id \"{id}\";{solution}")
}

/// Joins lines of EPD, and adds `origin` to the first line as its comment `c0`. A comment line is
/// not possible in EPD, because other programs read every line as a position.
pub fn with_origin(lines: impl Iterator<Item = String>, origin: &str) -> String {
    let comment = |index| if index == 0 { format!(" c0 \"{origin}\";") } else { String::new() };
    lines.enumerate().map(|(index, line)| format!("{line}{}\n", comment(index))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After one or two plies there are few positions, so that walks reach the same ones again.
    #[test]
    fn generated_positions_are_distinct() {
        let boards = generate(&GenerateOptions { count: 100, seed: 1, plies: 1 }).unwrap();
        let fens: HashSet<String> = boards.iter().map(|board| board.fen(EpRule::Always)).collect();
        assert_eq!(fens.len(), 100);
    }
}
