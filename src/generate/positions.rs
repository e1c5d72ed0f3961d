//! Positions taken from games of the engine against itself, at most one from each game, none twice.

use super::games::{SelfPlay, openings};
use super::{MakeError, Wanted};
use crate::chess::generate::{epd_line, is_quiet, with_origin};
use crate::chess::{Board, Color, Increments, Move, MoveList, Piece, Score, movegen};
use std::collections::HashSet;

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
    /// What it is called in a sentence, in the ids of positions, and on the command line.
    fn names(self) -> [&'static str; 3] {
        match self {
            Self::Middlegames => ["middle game", "middle", "middlegames"],
            Self::Endgames => ["endgame", "end", "endgames"],
            Self::Tactical => ["tactical", "tactic", "tactical"],
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
pub fn epd(expected: &Wanted, taken: Taken, part: Option<u8>) -> Result<String, MakeError> {
    Ok(written(&positions(expected, taken)?, expected, taken, part))
}

/// Positions as EPD; the first says how they were made.
fn written(found: &[(Board, Option<Move>)], expected: &Wanted, taken: Taken, part: Option<u8>) -> String {
    let Wanted { count, seed, plies, length, depth } = *expected;
    let [what, id, take] = taken.names();
    let half = part.map(|part| format!(", every second from number {}", part + 1)).unwrap_or_default();
    let option = part.map(|part| format!(" --half {part}")).unwrap_or_default();
    let origin = format!(
        "{count} {what} positions from as many games of an engine against itself, seed {seed}{half}. \
         Made by `ttlab generate --count {count} --seed {seed} --plies {plies} --games {length} --depth {depth} --take {take}{option}`; \
         generate/positions.rs says how."
    );
    let step = if part.is_some() { 2 } else { 1 };
    let chosen = found.iter().zip(1..).skip(part.unwrap_or(0).into()).step_by(step);
    let line =
        |((board, best), number): (&(Board, Option<Move>), usize)| epd_line(board, &format!("{id}.{number:04}"), *best);
    with_origin(chosen.map(line), &origin)
}

fn positions(expected: &Wanted, taken: Taken) -> Result<Vec<(Board, Option<Move>)>, MakeError> {
    let games = expected.count * GAMES;
    let mut player = SelfPlay::new()?;
    let (mut found, mut seen, mut played) = (Vec::new(), HashSet::new(), 0);
    for start in openings(expected, games)? {
        if found.len() == expected.count {
            break;
        }
        played += 1;
        let (past, _) = player.game(&start, expected.length, expected.depth);
        let first = past.iter().find_map(|board| Some((*board, take(taken, board, &mut player, expected.depth)?)));
        found.extend(first.filter(|(board, _)| seen.insert(board.identity())));
    }
    if found.len() < expected.count {
        let [what, ..] = taken.names();
        return Err(MakeError::TooFew { found: found.len(), expected: expected.count, what, games: played });
    }
    Ok(found)
}

/// Whether a position is such a one, and its one good move where the kind has one.
fn take(taken: Taken, board: &Board, player: &mut SelfPlay, depth: u8) -> Option<Option<Move>> {
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
fn only_move(board: &Board, player: &mut SelfPlay) -> Option<Move> {
    let mut moves = MoveList::new();
    movegen::legal(board, &mut moves);
    let plain = moves.iter().copied().max_by_key(|&mv| gain(board, mv)).filter(|&mv| gain(board, mv) > 0);
    let look = |depth: u8| {
        let scored = |&mv: &Move| {
            let mut child = *board;
            child.play(mv, Increments::none());
            let mate = if child.in_check() { 30_000 } else { 0 };
            (player.best(&child, &[*board], depth).map_or(mate, |(_, score)| -score), mv)
        };
        leader(moves.iter().map(scored).collect()).filter(|&mv| Some(mv) != plain)
    };
    agreed(LOOKS.into_iter().map(look))
}

/// The move that is better than all others by [`LEAD`].
fn leader(mut scores: Vec<(Score, Move)>) -> Option<Move> {
    scores.sort_by_key(|&(score, _)| -score);
    let (&(best, mv), &(next, _)) = (scores.first()?, scores.get(1)?);
    (best - next >= LEAD).then_some(mv)
}

/// What all looks find; none where one of them finds nothing, or another move.
fn agreed(mut looks: impl Iterator<Item = Option<Move>>) -> Option<Move> {
    let first = looks.next()??;
    looks.all(|look| look == Some(first)).then_some(first)
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
        let best = only_move(&board, &mut SelfPlay::new().unwrap()).map(|mv| mv.to_string());
        assert_eq!(best.as_deref(), Some("b5d4"));
    }

    /// Each move of White's draws: all but one give the pawn up, and the one that keeps it is stalemate, which is no win.
    #[test]
    fn a_stalemate_is_no_only_move() {
        let board = Board::from_fen("2k5/2P5/1K6/8/8/8/8/8 w - - 0 40").unwrap();
        assert_eq!(only_move(&board, &mut SelfPlay::new().unwrap()), None);
    }

    /// What mates at once is worth most, though the side that is mated has no move to look at.
    #[test]
    fn a_mate_is_the_only_move() {
        let board = Board::from_fen("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 30").unwrap();
        let best = only_move(&board, &mut SelfPlay::new().unwrap()).map(|mv| mv.to_string());
        assert_eq!(best.as_deref(), Some("a1a8"));
    }

    #[test]
    fn men_are_counted_by_kind_and_captures_by_what_they_win() {
        let board = Board::from_fen("r3k2r/pp3ppp/8/3q4/4P3/2N5/PP3PPP/R3K3 w Qkq - 0 20").unwrap();
        assert_eq!(men(&board, &Piece::ALL), 9 + 9);
        assert_eq!(
            (men(&board, &[Piece::Pawn]), men(&board, &[Piece::Rook, Piece::Queen]), men(&board, &[Piece::Bishop])),
            (11, 4, 0)
        );
        let of = |word: &str| gain(&board, crate::chess::named(&board, word).unwrap());
        assert!(of("e4d5") > 500 && of("c3d5") > 500, "a queen that nothing guards");
        assert_eq!((of("a2a3"), of("e1e2")), (0, 0));
        let words = [Taken::Middlegames, Taken::Endgames, Taken::Tactical];
        assert_eq!(words.map(|taken| taken.names()[0]), ["middle game", "endgame", "tactical"]);
        assert_eq!(words.map(|taken| taken.names()[1]), ["middle", "end", "tactic"]);
        assert_eq!(words.map(|taken| taken.names()[2]), ["middlegames", "endgames", "tactical"]);
    }

    /// Games of two plies have no middle game: all that may be played were, and are counted.
    #[test]
    fn games_that_hold_too_few_are_counted() {
        let expected = Wanted { count: 2, seed: 1, plies: 4, length: 2, depth: 1 };
        let found = positions(&expected, Taken::Middlegames);
        let Err(MakeError::TooFew { found, expected, what, games }) = found else { panic!("{found:?}") };
        assert_eq!((found, expected, what, games), (0, 2, "middle game", 2 * GAMES));
    }

    /// Each position is written with the clocks of its FEN and numbered from one on; two halves are the whole, and keep its numbers. The first of
    /// a file has the comment that says how it was made.
    #[test]
    fn halves_are_every_second_of_the_whole() {
        let expected = Wanted { count: 3, seed: 5, plies: 8, length: 30, depth: 1 };
        let found = positions(&expected, Taken::Middlegames).unwrap();
        let lines = |part: Option<u8>| {
            let text = written(&found, &expected, Taken::Middlegames, part);
            let (lines, comments): (Vec<String>, Vec<bool>) = text
                .lines()
                .map(|line| {
                    (line.split(" c0 ").next().unwrap().to_owned(), line.contains(" c0 \"3 middle game positions"))
                })
                .unzip();
            assert!(comments.iter().enumerate().all(|(at, &comment)| comment == (at == 0)), "{text}");
            lines
        };
        let line = |(number, (board, _)): (usize, &(Board, Option<Move>))| {
            let fen = board.fen(crate::chess::EpRule::Legal);
            let [clock, moves] = [4, 5].map(|at| fen.split(' ').nth(at).unwrap());
            let place = fen.strip_suffix(&format!(" {clock} {moves}")).unwrap();
            format!("{place} hmvc {clock}; fmvn {moves}; id \"middle.000{number}\";")
        };
        let all: Vec<String> = (1..).zip(&found).map(line).collect();
        assert_eq!((all.len(), lines(None)), (3, all.clone()));
        assert_eq!([0, 1].map(|part| lines(Some(part))), [vec![all[0].clone(), all[2].clone()], vec![all[1].clone()]]);
    }

    /// What each kind takes, at its edges: the ply, the number of pieces and of men, a pawn, the score, quiet.
    #[test]
    fn each_kind_is_taken_to_its_edges() {
        let mut player = SelfPlay::new().unwrap();
        let mut taken = |kind: Taken, fen: &str| take(kind, &Board::from_fen(fen).unwrap(), &mut player, 2).is_some();
        let (middle, end) = (Taken::Middlegames, Taken::Endgames);
        for (fen, expected) in [
            ("r1q1k2r/ppp2ppp/8/8/8/8/PPP2PPP/R1Q1K2R w KQkq - 0 13", true),
            ("r1q1k2r/ppp2ppp/8/8/8/8/PPP2PPP/R1Q1K2R b KQkq - 0 12", false),
            ("r1q1k2r/ppp2ppp/8/8/8/8/PPP2PPP/R1Q1K3 w Qkq - 0 13", false),
            ("r1q1k2r/ppp2ppp/8/8/8/8/PPP2PPP/R1Q1K2R b KQkq - 0 13", true),
            ("rn2k2r/ppp2ppp/8/8/8/8/PPP2PPP/R1Q1K2R w KQkq - 0 13", false),
        ] {
            assert_eq!(taken(middle, fen), expected, "{fen}");
        }
        // As much as is let, of either side.
        for (kind, fen, score) in [
            (middle, "r1q1k2r/5p1p/8/8/8/8/PPPP4/R1Q1K2R w KQkq - 0 13", 200),
            (middle, "r1q1k2r/2p2p1p/8/8/8/8/2P5/R1Q1K2R w KQkq - 0 13", -200),
            (end, "4k3/6pp/8/8/8/8/PPPPP3/4K3 w - - 0 30", 300),
            (end, "4k3/1p1pp3/8/8/8/8/8/4K3 w - - 0 30", -300),
        ] {
            let best = SelfPlay::new().unwrap().best(&Board::from_fen(fen).unwrap(), &[], 2);
            assert_eq!((best.map(|(_, score)| score), taken(kind, fen)), (Some(score), true), "{fen}");
        }
        for (fen, expected) in [
            ("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 30", true),
            ("4k3/ppppp3/8/8/8/8/PPPP4/4K3 w - - 0 30", false),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 30", false),
            ("3rk3/p7/8/8/8/8/P7/R3K3 w Q - 0 30", true),
            ("3rk3/8/8/8/8/8/8/R3K3 w Q - 0 30", false),
            ("4k3/p7/8/8/8/8/P7/R2QK3 w Q - 0 30", false),
            ("r2qk3/p7/8/8/8/8/P7/4K3 w q - 0 30", false),
        ] {
            assert_eq!(taken(end, fen), expected, "{fen}");
        }
    }

    /// What two looks say of the same position: one move, two, or nothing; and when a move leads: by a pawn and a half, and no less.
    #[test]
    fn both_looks_must_find_the_same_move() {
        let board = Board::startpos();
        let [a, b] = ["e2e4", "d2d4"].map(|word| crate::chess::named(&board, word).unwrap());
        for (looks, expected) in [
            (vec![Some(a), Some(a)], Some(a)),
            (vec![Some(a), Some(b)], None),
            (vec![Some(a), None], None),
            (vec![None, Some(a)], None),
            (vec![], None),
        ] {
            assert_eq!(agreed(looks.clone().into_iter()), expected, "{looks:?}");
        }
        // The second look is not made where the first finds nothing.
        let mut made = 0;
        let looks = [None, Some(a)].into_iter().inspect(|_| made += 1);
        assert_eq!((agreed(looks), made), (None, 1));
        for (first, second, third, expected) in [
            (0, 150, -10, Some(b)),
            (0, 149, -10, None),
            (150, -400, 0, Some(a)),
            (0, 0, 0, None),
            (-900, -1000, -751, None),
        ] {
            let third = (third, crate::chess::named(&board, "a2a3").unwrap());
            assert_eq!(leader(vec![(first, a), (second, b), third]), expected, "{first} {second}");
        }
        assert_eq!(leader(vec![(500, a)]), None, "a move that is forced is no find");
    }

    /// The one good move is no find where it is the capture that wins most at first sight, and no tactic where it answers a check.
    #[test]
    fn what_everybody_sees_is_no_tactic() {
        let mut player = SelfPlay::new().unwrap();
        let queen = Board::from_fen("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 20").unwrap();
        assert_eq!(only_move(&queen, &mut player), None);
        // The rook on the first rank gives check: the bishop can step between, guarded by the king, and the queen can be thrown away.
        let check = Board::from_fen("6k1/5ppp/8/1B2Q3/8/8/5PPP/3r2K1 w - - 0 20").unwrap();
        assert_eq!(only_move(&check, &mut player).map(|mv| mv.to_string()).as_deref(), Some("b5f1"));
        assert_eq!(take(Taken::Tactical, &check, &mut player, 2), None);
    }
}
