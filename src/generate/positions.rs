//! Positions taken from games of the engine against itself, at most one from each game, none twice.

use super::games::{Player, openings};
use super::{MakeError, Wanted};
use crate::chess::generate::is_quiet;
use crate::chess::{Board, Color, EpRule, Increments, Move, MoveList, Piece, Score, movegen, san};
use std::collections::HashSet;
use std::fmt::Write;

/// What is taken from a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Taken {
    /// The first position from the 24th ply on that is quiet (no check, no capture or promotion that wins material for either
    /// side), has at least six pieces beside kings and pawns, and whose score lies within two pawns.
    Middlegames,
    /// The first quiet position with at most ten men on the board, at least one of them a pawn, whose score lies within three pawns.
    Endgames,
    /// The first position from the 12th ply on, not in check, in which one move is better than every other by a pawn and a half, two plies of
    /// search apart, and is not simply the capture that wins most.
    Tactical,
}

impl Taken {
    fn word(self) -> &'static str {
        match self {
            Self::Middlegames => "middle game",
            Self::Endgames => "endgame",
            Self::Tactical => "tactical",
        }
    }

    fn id(self) -> &'static str {
        match self {
            Self::Middlegames => "middle",
            Self::Endgames => "end",
            Self::Tactical => "tactic",
        }
    }

    fn value(self) -> &'static str {
        match self {
            Self::Middlegames => "middlegames",
            Self::Endgames => "endgames",
            Self::Tactical => "tactical",
        }
    }
}

/// Games for each position asked for, before the search is given up.
const GAMES: usize = 6;

/// Lead of the one good move over the next, and how deep each is looked at, in [`Taken::Tactical`].
const LEAD: Score = 150;
const LOOKS: [u8; 2] = [3, 5];

/// Every second position, from the first (`part` 0) or the second (`part` 1) on, so that two suites share no game; or all.
///
/// # Errors
/// If the openings or the player cannot be made, or the games hold too few such positions.
pub fn epd(wanted: &Wanted, taken: Taken, part: Option<u8>) -> Result<String, MakeError> {
    let found = positions(wanted, taken)?;
    let Wanted { count, seed, plies, length, depth } = *wanted;
    let (half, option) = match part {
        None => (String::new(), String::new()),
        Some(part) => (format!(", every second from number {}", part + 1), format!(" --half {part}")),
    };
    let mut text = format!(
        "# {count} {} positions from as many games of an engine against itself, seed {seed}{half}.\n\
         # Made by `ttlab generate --count {count} --seed {seed} --plies {plies} --games {length} --depth {depth} --take {}{option}`;\n\
         # generate/positions.rs says how.\n",
        taken.word(),
        taken.value()
    );
    for (at, (board, best)) in
        found.iter().enumerate().filter(|(at, _)| part.is_none_or(|part| at % 2 == usize::from(part)))
    {
        let fen = board.fen(EpRule::Legal);
        let position = fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
        let (clock, number) = (board.halfmove_clock(), board.game_ply() / 2 + 1);
        let best = best.map(|mv| format!(" bm {};", san::write(board, mv))).unwrap_or_default();
        let _ = writeln!(text, "{position} hmvc {clock}; fmvn {number}; id \"{}.{:04}\";{best}", taken.id(), at + 1);
    }
    Ok(text)
}

fn positions(wanted: &Wanted, taken: Taken) -> Result<Vec<(Board, Option<Move>)>, MakeError> {
    let games = wanted.count * GAMES;
    let mut player = Player::new()?;
    let (mut found, mut seen, mut played) = (Vec::new(), HashSet::new(), 0);
    for start in openings(wanted, games)? {
        if found.len() == wanted.count {
            break;
        }
        played += 1;
        let (past, _) = player.game(&start, wanted.length, wanted.depth);
        let first = past.iter().find_map(|board| Some((*board, take(taken, board, &mut player, wanted.depth)?)));
        found.extend(first.filter(|(board, _)| seen.insert(board.identity())));
    }
    if found.len() == wanted.count {
        Ok(found)
    } else {
        Err(MakeError::TooFew { found: found.len(), wanted: wanted.count, what: taken.word(), games: played })
    }
}

/// Whether a position is such a one, and its one good move where the kind has one.
fn take(taken: Taken, board: &Board, player: &mut Player, depth: u8) -> Option<Option<Move>> {
    let mut level = |most: Score| player.best(board, &[], depth).is_some_and(|(_, score)| score.abs() <= most);
    match taken {
        Taken::Middlegames => {
            let pieces = men(board, &[Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen]);
            (board.game_ply() >= 24 && pieces >= 6 && is_quiet(board) && level(200)).then_some(None)
        }
        Taken::Endgames => {
            let few = men(board, &Piece::ALL) <= 10 && men(board, &[Piece::Pawn]) > 0;
            (few && is_quiet(board) && level(300)).then_some(None)
        }
        Taken::Tactical => {
            (board.game_ply() >= 12 && !board.in_check()).then(|| only_move(board, player)).flatten().map(Some)
        }
    }
}

fn men(board: &Board, pieces: &[Piece]) -> u32 {
    let of = |color| pieces.iter().map(|&piece| board.pieces(color, piece).count()).sum::<u32>();
    of(Color::White) + of(Color::Black)
}

/// The one move that is better than all others by [`LEAD`] at both depths of [`LOOKS`]; none where there is none, or where it is
/// the capture that wins most at first sight.
fn only_move(board: &Board, player: &mut Player) -> Option<Move> {
    let mut moves = MoveList::new();
    movegen::legal(board, &mut moves);
    let plain = moves.iter().copied().max_by_key(|&mv| gain(board, mv)).filter(|&mv| gain(board, mv) > 0);
    let mut only = None;
    for depth in LOOKS {
        let mut scores: Vec<(Score, Move)> = Vec::new();
        for &mv in moves.iter() {
            let mut child = *board;
            child.play(mv, Increments::none());
            let score = player
                .best(&child, &[*board], depth)
                .map_or(if child.in_check() { 30_000 } else { 0 }, |(_, score)| -score);
            scores.push((score, mv));
        }
        scores.sort_by_key(|&(score, _)| -score);
        let (&(best, mv), &(next, _)) = (scores.first()?, scores.get(1)?);
        if best - next < LEAD || Some(mv) == plain || only.is_some_and(|known| known != mv) {
            return None;
        }
        only = Some(mv);
    }
    only
}

/// Material that a capture or promotion wins at first sight, by static exchange evaluation.
fn gain(board: &Board, mv: Move) -> Score {
    if board.is_quiet(mv) { 0 } else { board.see(mv, &crate::chess::generate::VALUES) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A lead of exactly a pawn and a half after the shorter look, and of two pawns after the longer.
    #[test]
    fn a_lead_may_be_just_large_enough() {
        let board = Board::from_fen("2kr4/1pp5/7p/BN4p1/3n1rP1/PQ1p3P/1P6/6K1 w - - 3 32").unwrap();
        let best = only_move(&board, &mut Player::new().unwrap()).map(|mv| mv.to_string());
        assert_eq!(best.as_deref(), Some("b5d4"));
    }

    /// Each move of White's draws: all but one give the pawn up, and the one that keeps it is stalemate, which is no win.
    #[test]
    fn a_stalemate_is_no_only_move() {
        let board = Board::from_fen("2k5/2P5/1K6/8/8/8/8/8 w - - 0 40").unwrap();
        assert_eq!(only_move(&board, &mut Player::new().unwrap()), None);
    }
}
