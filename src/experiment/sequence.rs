//! `[sequence]`: searches along games.

use crate::chess::Color;
use crate::chess::suite::Item;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Searches along games. With a PGN suite: at the plies of each game; with positions: along the engine's own play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sequence {
    /// The first ply of a game that is searched (0: the position before White's first move).
    pub from: u16,
    /// The last; default: the game's last position but one.
    pub to: Option<u16>,
    /// At whose moves.
    pub side: Side,
    /// Plies of the engine's own play from each position of the suite, each by the best move that it found; 0: none.
    pub self_play: u16,
}

impl Default for Sequence {
    fn default() -> Self {
        Self { from: 0, to: None, side: Side::Both, self_play: 0 }
    }
}

/// At whose moves a game is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// At every ply.
    #[default]
    Both,
    /// At White's moves, as an engine that plays White would.
    White,
    /// At Black's moves.
    Black,
}

impl Sequence {
    /// Whether the position at a ply of a game is searched.
    #[must_use]
    pub fn wants(&self, ply: u16, turn: Color) -> bool {
        ply >= self.from && self.to.is_none_or(|to| ply <= to) && self.side.moves(turn)
    }

    /// Whether anything of an item is searched: a game may be too short.
    #[must_use]
    pub fn searches(&self, item: &Item) -> bool {
        match item.game() {
            Some(_) => self.wanted(item) > 0,
            None => self.self_play > 1 || self.side.moves(item.board.turn()),
        }
    }

    /// How many positions of a game are searched.
    #[must_use]
    pub fn wanted(&self, item: &Item) -> usize {
        let (start, mut turn) = (item.board.game_ply(), item.board.turn());
        let plies = (0..item.moves().len() as u16).filter(|ply| {
            let wanted = self.wants(start.saturating_add(*ply), turn);
            turn = !turn;
            wanted
        });
        plies.count()
    }
}

impl Side {
    /// Whether it is this side's move.
    #[must_use]
    pub fn moves(self, turn: Color) -> bool {
        match self {
            Self::Both => true,
            Self::White => turn == Color::White,
            Self::Black => turn == Color::Black,
        }
    }
}
