//! Takes positions from games of the engine against itself, at most one per game and all distinct.

use super::games::{SelfPlay, openings};
use super::{GenerateRequest, SuiteError};
use crate::chess::generate::{epd_line, is_quiet, with_origin};
use crate::chess::{Board, Color, Increments, Move, MoveList, Piece, Score, movegen};
use std::collections::HashSet;

/// Which position is taken from a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PositionKind {
    /// The first position from the 24th ply on that is quiet (no check, no capture or promotion
    /// that wins material for either side), has at least six pieces beside kings and pawns, and
    /// whose score lies within two pawns.
    Middlegames,
    /// The first quiet position with at most ten men on the board, at least one of them a pawn,
    /// whose score lies within three pawns.
    Endgames,
    /// The first position from the 12th ply on, not in check, in which one move is better than
    /// every other by a pawn and a half, in searches of 3 and of 5 plies, and is not simply the
    /// capture that wins most.
    Tactical,
}

impl PositionKind {
    fn names(self) -> [&'static str; 3] {
        match self {
            Self::Middlegames => ["middle game", "middle", "middlegames"],
            Self::Endgames => ["endgame", "end", "endgames"],
            Self::Tactical => ["tactical", "tactic", "tactical"],
        }
    }
}

const GAMES_PER_POSITION: usize = 6;

/// For [`PositionKind::Tactical`], the minimum lead in centipawns of the best move over the second
/// best move, and the search depths at which the best move must have this lead.
const LEAD: Score = 150;
const LOOK_DEPTHS: [u8; 2] = [3, 5];

/// Finds positions and returns them as EPD. If `half` is given, only every second position is
/// returned, beginning with the first (0) or the second (1). The two halves share no game.
pub fn epd(request: &GenerateRequest, kind: PositionKind, half: Option<u8>) -> Result<String, SuiteError> {
    Ok(format_epd(&find_positions(request, kind)?, request, kind, half))
}

/// Positions as EPD. The first position has a comment that says how to regenerate all of them. If
/// `half` is given, only every second position is returned, beginning with the first (0) or the
/// second (1).
fn format_epd(
    positions: &[(Board, Option<Move>)],
    request: &GenerateRequest,
    kind: PositionKind,
    half: Option<u8>,
) -> String {
    let GenerateRequest { count, seed, plies, length, depth } = *request;
    let [kind_name, id_prefix, option_value] = kind.names();
    let half_text = half.map(|half| format!(", every second from number {}", half + 1)).unwrap_or_default();
    let half_option = half.map(|half| format!(" --half {half}")).unwrap_or_default();
    let origin = format!(
        "{count} {kind_name} positions from as many games of an engine against itself, seed {seed}{half_text}. \
         Made by `ttlab generate --count {count} --seed {seed} --plies {plies} --games {length} --depth {depth} --take {option_value}{half_option}`; \
         generate/positions.rs says how."
    );
    let step = if half.is_some() { 2 } else { 1 };
    let chosen = positions.iter().zip(1..).skip(half.unwrap_or(0).into()).step_by(step);
    let lines = chosen.map(|((board, best), number)| epd_line(board, &format!("{id_prefix}.{number:04}"), *best));
    with_origin(lines, &origin)
}

/// Plays games until the requested number of positions is found. If positions of this kind have a
/// best move, it is returned with the position.
fn find_positions(request: &GenerateRequest, kind: PositionKind) -> Result<Vec<(Board, Option<Move>)>, SuiteError> {
    let max_games = request.count * GAMES_PER_POSITION;
    let mut player = SelfPlay::new()?;
    let (mut positions, mut identities, mut game_count) = (Vec::new(), HashSet::new(), 0);
    for start in openings(request, max_games)? {
        if positions.len() == request.count {
            break;
        }
        game_count += 1;
        let (boards, _) = player.play_game(&start, request.length, request.depth);
        let first_match =
            boards.iter().find_map(|board| Some((*board, match_kind(kind, board, &mut player, request.depth)?)));
        if let Some((board, best)) = first_match
            && identities.insert(board.identity())
        {
            positions.push((board, best));
        }
    }
    if positions.len() < request.count {
        let [kind, ..] = kind.names();
        return Err(SuiteError::TooFew { found: positions.len(), expected: request.count, kind, games: game_count });
    }
    Ok(positions)
}

/// Checks whether a position is of a kind. Returns `None` if the position is not of the kind.
/// Otherwise returns `Some` with the best move, which is `None` for kinds without a best move.
fn match_kind(kind: PositionKind, board: &Board, player: &mut SelfPlay, depth: u8) -> Option<Option<Move>> {
    let mut is_balanced =
        |max_score: Score| player.best_move(board, &[], depth).is_some_and(|(_, score)| score.abs() <= max_score);
    match kind {
        PositionKind::Middlegames => {
            let pieces = count_men(board, &[Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen]);
            (board.game_ply() >= 24 && pieces >= 6 && is_quiet(board) && is_balanced(200)).then_some(None)
        }
        PositionKind::Endgames => {
            let is_endgame = count_men(board, &Piece::ALL) <= 10 && count_men(board, &[Piece::Pawn]) > 0;
            (is_endgame && is_quiet(board) && is_balanced(300)).then_some(None)
        }
        PositionKind::Tactical => {
            let is_candidate = board.game_ply() >= 12 && !board.in_check();
            if is_candidate { only_move(board, player).map(Some) } else { None }
        }
    }
}

fn count_men(board: &Board, pieces: &[Piece]) -> u32 {
    let count_of_color = |color| pieces.iter().map(|&piece| board.pieces(color, piece).count()).sum::<u32>();
    count_of_color(Color::White) + count_of_color(Color::Black)
}

fn only_move(board: &Board, player: &mut SelfPlay) -> Option<Move> {
    let mut moves = MoveList::new();
    movegen::legal(board, &mut moves);
    let best_capture = moves.iter().copied().max_by_key(|&mv| gain(board, mv)).filter(|&mv| gain(board, mv) > 0);
    let leader_at = |depth: u8| {
        let score_move = |&mv: &Move| {
            let mut child = *board;
            child.play(mv, Increments::none());
            // The score of a move that ends the game. A mate scores more than any other move, and a
            // stalemate scores 0.
            let score_of_end = if child.in_check() { 30_000 } else { 0 };
            let score = player.best_move(&child, &[*board], depth).map_or(score_of_end, |(_, score)| -score);
            (score, mv)
        };
        leading_move(moves.iter().map(score_move).collect()).filter(|&mv| Some(mv) != best_capture)
    };
    agreeing_move(LOOK_DEPTHS.into_iter().map(leader_at))
}

fn leading_move(mut scores: Vec<(Score, Move)>) -> Option<Move> {
    scores.sort_by_key(|&(score, _)| -score);
    let (&(best, mv), &(next, _)) = (scores.first()?, scores.get(1)?);
    (best - next >= LEAD).then_some(mv)
}

fn agreeing_move(mut leaders: impl Iterator<Item = Option<Move>>) -> Option<Move> {
    let first = leaders.next()??;
    leaders.all(|leader| leader == Some(first)).then_some(first)
}

/// The gain of other moves is 0.
fn gain(board: &Board, mv: Move) -> Score {
    if board.is_quiet(mv) { 0 } else { board.see(mv, &crate::chess::generate::VALUES) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lead of exactly a pawn and a half in the shallow search, and of two pawns in the deeper
    /// one.
    #[test]
    fn lead_at_its_minimum_is_accepted() {
        let board = Board::from_fen("2kr4/1pp5/7p/BN4p1/3n1rP1/PQ1p3P/1P6/6K1 w - - 3 32").unwrap();
        let best = only_move(&board, &mut SelfPlay::new().unwrap()).map(|mv| mv.to_string());
        assert_eq!(best.as_deref(), Some("b5d4"));
    }

    /// Every move of White draws: all but one lose the pawn, and the one that keeps it is
    /// stalemate.
    #[test]
    fn stalemate_is_not_an_only_move() {
        let board = Board::from_fen("2k5/2P5/1K6/8/8/8/8/8 w - - 0 40").unwrap();
        assert_eq!(only_move(&board, &mut SelfPlay::new().unwrap()), None);
    }

    /// Mate in one has the best score, although the mated side has no move to search.
    #[test]
    fn mate_is_an_only_move() {
        let board = Board::from_fen("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 30").unwrap();
        let best = only_move(&board, &mut SelfPlay::new().unwrap()).map(|mv| mv.to_string());
        assert_eq!(best.as_deref(), Some("a1a8"));
    }

    #[test]
    fn men_and_capture_gains_are_counted() {
        let board = Board::from_fen("r3k2r/pp3ppp/8/3q4/4P3/2N5/PP3PPP/R3K3 w Qkq - 0 20").unwrap();
        assert_eq!(count_men(&board, &Piece::ALL), 9 + 9);
        assert_eq!(
            (
                count_men(&board, &[Piece::Pawn]),
                count_men(&board, &[Piece::Rook, Piece::Queen]),
                count_men(&board, &[Piece::Bishop])
            ),
            (11, 4, 0)
        );
        let gain_by = |word: &str| gain(&board, crate::chess::parse_move(&board, word).unwrap());
        assert!(gain_by("e4d5") > 500, "an unguarded queen");
        assert!(gain_by("c3d5") > 500, "an unguarded queen");
        assert_eq!((gain_by("a2a3"), gain_by("e1e2")), (0, 0));
        let words = [PositionKind::Middlegames, PositionKind::Endgames, PositionKind::Tactical];
        assert_eq!(words.map(|kind| kind.names()[0]), ["middle game", "endgame", "tactical"]);
        assert_eq!(words.map(|kind| kind.names()[1]), ["middle", "end", "tactic"]);
        assert_eq!(words.map(|kind| kind.names()[2]), ["middlegames", "endgames", "tactical"]);
    }

    /// Games of two plies contain no middle game: the maximum number of games is played and
    /// reported.
    #[test]
    fn too_few_positions_are_reported_with_the_games_played() {
        let request = GenerateRequest { count: 2, seed: 1, plies: 4, length: 2, depth: 1 };
        let result = find_positions(&request, PositionKind::Middlegames);
        let Err(SuiteError::TooFew { found, expected, kind, games }) = result else { panic!("{result:?}") };
        assert_eq!((found, expected, kind, games), (0, 2, "middle game", 2 * GAMES_PER_POSITION));
    }

    /// Each position has the clocks of its FEN and a number, counted from one. The two halves
    /// together are all positions, with the same numbers. The first line of each file has the
    /// comment.
    #[test]
    fn halves_are_every_second_position() {
        let request = GenerateRequest { count: 3, seed: 5, plies: 8, length: 30, depth: 1 };
        let positions = find_positions(&request, PositionKind::Middlegames).unwrap();
        let lines = |part: Option<u8>| {
            let text = format_epd(&positions, &request, PositionKind::Middlegames, part);
            let (lines, comments): (Vec<String>, Vec<bool>) = text
                .lines()
                .map(|line| {
                    (line.split(" c0 ").next().unwrap().to_owned(), line.contains(" c0 \"3 middle game positions"))
                })
                .unzip();
            assert!(comments.iter().enumerate().all(|(index, &comment)| comment == (index == 0)), "{text}");
            lines
        };
        let line = |(number, (board, _)): (usize, &(Board, Option<Move>))| {
            let fen = board.fen(crate::chess::EpRule::Legal);
            let [clock, moves] = [4, 5].map(|index| fen.split(' ').nth(index).unwrap());
            let fields = fen.strip_suffix(&format!(" {clock} {moves}")).unwrap();
            format!("{fields} hmvc {clock}; fmvn {moves}; id \"middle.000{number}\";")
        };
        let all_lines: Vec<String> = (1..).zip(&positions).map(line).collect();
        assert_eq!((all_lines.len(), lines(None)), (3, all_lines.clone()));
        assert_eq!(
            [0, 1].map(|part| lines(Some(part))),
            [vec![all_lines[0].clone(), all_lines[2].clone()], vec![all_lines[1].clone()]]
        );
    }

    /// The edges of each kind: ply, number of pieces and men, a pawn, the score, quietness.
    #[test]
    fn position_kind_is_checked_at_its_edges() {
        let mut player = SelfPlay::new().unwrap();
        let mut is_accepted =
            |kind: PositionKind, fen: &str| match_kind(kind, &Board::from_fen(fen).unwrap(), &mut player, 2).is_some();
        let (middle, end) = (PositionKind::Middlegames, PositionKind::Endgames);
        for (fen, expected) in [
            ("r1q1k2r/ppp2ppp/8/8/8/8/PPP2PPP/R1Q1K2R w KQkq - 0 13", true),
            ("r1q1k2r/ppp2ppp/8/8/8/8/PPP2PPP/R1Q1K2R b KQkq - 0 12", false),
            ("r1q1k2r/ppp2ppp/8/8/8/8/PPP2PPP/R1Q1K3 w Qkq - 0 13", false),
            ("r1q1k2r/ppp2ppp/8/8/8/8/PPP2PPP/R1Q1K2R b KQkq - 0 13", true),
            ("rn2k2r/ppp2ppp/8/8/8/8/PPP2PPP/R1Q1K2R w KQkq - 0 13", false),
        ] {
            assert_eq!(is_accepted(middle, fen), expected, "{fen}");
        }
        // The maximum score, for either side.
        for (kind, fen, score) in [
            (middle, "r1q1k2r/5p1p/8/8/8/8/PPPP4/R1Q1K2R w KQkq - 0 13", 200),
            (middle, "r1q1k2r/2p2p1p/8/8/8/8/2P5/R1Q1K2R w KQkq - 0 13", -200),
            (end, "4k3/6pp/8/8/8/8/PPPPP3/4K3 w - - 0 30", 300),
            (end, "4k3/1p1pp3/8/8/8/8/8/4K3 w - - 0 30", -300),
        ] {
            let best = SelfPlay::new().unwrap().best_move(&Board::from_fen(fen).unwrap(), &[], 2);
            assert_eq!((best.map(|(_, score)| score), is_accepted(kind, fen)), (Some(score), true), "{fen}");
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
            assert_eq!(is_accepted(end, fen), expected, "{fen}");
        }
    }

    /// The two searches must have the same leader; and the minimum lead is checked at its edge.
    #[test]
    fn only_move_must_lead_in_both_searches() {
        let board = Board::startpos();
        let [a, b] = ["e2e4", "d2d4"].map(|word| crate::chess::parse_move(&board, word).unwrap());
        for (leaders, expected) in [
            (vec![Some(a), Some(a)], Some(a)),
            (vec![Some(a), Some(b)], None),
            (vec![Some(a), None], None),
            (vec![None, Some(a)], None),
            (vec![], None),
        ] {
            assert_eq!(agreeing_move(leaders.clone().into_iter()), expected, "{leaders:?}");
        }
        // The second search is skipped if the first finds nothing.
        let mut searches = 0;
        let leaders = [None, Some(a)].into_iter().inspect(|_| searches += 1);
        assert_eq!((agreeing_move(leaders), searches), (None, 1));
        for (first, second, third, expected) in [
            (0, 150, -10, Some(b)),
            (0, 149, -10, None),
            (150, -400, 0, Some(a)),
            (0, 0, 0, None),
            (-900, -1000, -751, None),
        ] {
            let third = (third, crate::chess::parse_move(&board, "a2a3").unwrap());
            assert_eq!(leading_move(vec![(first, a), (second, b), third]), expected, "{first} {second}");
        }
        assert_eq!(leading_move(vec![(500, a)]), None, "a forced move does not count");
    }

    /// The only move is rejected if it is simply the best capture, and the position if the side to
    /// move is in check.
    #[test]
    fn obvious_capture_and_check_are_not_tactical() {
        let mut player = SelfPlay::new().unwrap();
        let queen = Board::from_fen("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 20").unwrap();
        assert_eq!(only_move(&queen, &mut player), None);
        // The rook on the first rank gives check: the bishop can step between, guarded by the king,
        // and the queen can be thrown away.
        let check = Board::from_fen("6k1/5ppp/8/1B2Q3/8/8/5PPP/3r2K1 w - - 0 20").unwrap();
        assert_eq!(only_move(&check, &mut player).map(|mv| mv.to_string()).as_deref(), Some("b5f1"));
        assert_eq!(match_kind(PositionKind::Tactical, &check, &mut player, 2), None);
    }
}
