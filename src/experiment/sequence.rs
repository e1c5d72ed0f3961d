//! `[sequence]`: searches along games.

use crate::chess::Color;
use crate::chess::suite::Item;
use serde::{Deserialize, Serialize};

/// Searches along games: at the plies of each game of a PGN suite, or, with positions, along the
/// engine's own play.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Sequence {
    /// The first searched ply of a game (0: the position before White's first move).
    pub from: u16,
    /// The last searched ply; default: the last position with a move in the game. Less than `from`:
    /// the game is stepped back, as an analyst does.
    pub to: Option<u16>,
    /// At which side's moves the positions are searched.
    pub side: Side,
    /// Plies of the engine's own play from each position, each by the best move of its search; 0:
    /// none.
    pub self_play: u16,
}

/// At which side's moves a game is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Both sides: every ply.
    #[default]
    Both,
    /// Where White is to move, as an engine playing White would search.
    White,
    /// Where Black is to move, as an engine playing Black would search.
    Black,
}

impl Sequence {
    pub fn searches_ply(&self, ply: u16, turn: Color) -> bool {
        let to = self.to.unwrap_or(u16::MAX);
        (self.from.min(to)..=self.from.max(to)).contains(&ply) && self.side.includes(turn)
    }

    /// Whether a later ply is searched before an earlier one.
    pub fn steps_back(&self) -> bool {
        self.to.is_some_and(|to| to < self.from)
    }

    /// Whether at least one position of an item is searched. A game may end before the first
    /// searched ply.
    pub fn searches_any_position(&self, item: &Item) -> bool {
        match item.game_moves() {
            Some(_) => self.count_searched(item) > 0,
            // A game of two or more plies has positions with each side to move.
            None => self.self_play > 1 || self.side.includes(item.board.turn()),
        }
    }

    /// Iterates over the moves of a game. Returns for each move whether the position before the
    /// move is searched.
    pub fn searched_plies(self, item: &Item) -> impl Iterator<Item = bool> {
        let (start, mut turn) = (item.board.game_ply(), item.board.turn());
        (0..item.moves().len() as u16).map(move |ply| {
            let is_searched = self.searches_ply(start.saturating_add(ply), turn);
            turn = !turn;
            is_searched
        })
    }

    pub fn count_searched(&self, item: &Item) -> usize {
        self.searched_plies(item).filter(|is_searched| *is_searched).count()
    }
}

impl Side {
    pub fn includes(self, turn: Color) -> bool {
        match self {
            Self::Both => true,
            Self::White => turn == Color::White,
            Self::Black => turn == Color::Black,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::suite::{Suite, SuiteKind, SuiteOptions};

    /// A game of five plies from the start, one of three after White's first move, and one of a
    /// single ply.
    fn games() -> Vec<Item> {
        let pgn = "[Event \"a\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n[Event \"b\"]\n[SetUp \"1\"]\n\
            [FEN \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\"]\n\n1... e5 2. Nf3 Nc6 *\n\n[Event \"c\"]\n\n1. e4 *\n\n";
        Suite::read(
            "x",
            "x.pgn",
            SuiteKind::from_path("x.pgn".as_ref()).unwrap(),
            pgn.as_bytes(),
            SuiteOptions::default(),
        )
        .unwrap()
        .items
    }

    /// Plies count from 0 before White's first move; both ends of the range are searched; the final
    /// position of a game is not.
    #[test]
    fn searched_plies_depend_on_range_and_side() {
        let defaults = Sequence::default();
        let (both, white, black) = (Side::Both, Side::White, Side::Black);
        for (from, to, side, expected) in [
            (0, None, both, [5, 3, 1]),
            (0, None, white, [3, 1, 1]),
            (0, None, black, [2, 2, 0]),
            (1, None, both, [4, 3, 0]),
            (2, None, both, [3, 2, 0]),
            (0, Some(0), both, [1, 0, 1]),
            (1, Some(3), both, [3, 3, 0]),
            (1, Some(3), white, [1, 1, 0]),
            (4, Some(9), both, [1, 0, 0]),
            (3, Some(1), both, [3, 3, 0]),
            (5, None, both, [0, 0, 0]),
        ] {
            let sequence = Sequence { from, to, side, ..defaults };
            let games = games();
            assert_eq!(
                games.iter().map(|game| sequence.count_searched(game)).collect::<Vec<_>>(),
                expected,
                "{sequence:?}"
            );
            let is_searched = games.iter().map(|game| sequence.searches_any_position(game));
            assert!(is_searched.eq(expected.map(|count| count > 0)), "{sequence:?}");
        }
        let plies = Sequence { from: 3, to: Some(5), ..defaults };
        assert_eq!([2, 3, 5, 6].map(|ply| plies.searches_ply(ply, Color::White)), [false, true, true, false]);
        assert_eq!(
            [both, white, black].map(|side| [Color::White, Color::Black].map(|turn| side.includes(turn))),
            [[true, true], [true, false], [false, true]]
        );
    }
}
