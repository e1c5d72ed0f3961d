//! The position that the client set up, and those before it.

use crate::chess::{Board, Increments, named};

/// A game as far as it went.
#[derive(Debug, Clone)]
pub struct Game {
    /// The positions before the present one, the oldest first.
    pub past: Vec<Board>,
    /// The present one.
    pub board: Board,
}

impl Default for Game {
    fn default() -> Self {
        Self { past: Vec::new(), board: Board::startpos() }
    }
}

impl Game {
    /// Reads what follows `position`; without a FEN the game began at the start position.
    ///
    /// # Errors
    /// A FEN that is none, or a move that is not legal, in one line.
    pub fn read(fen: Option<&str>, moves: &[String]) -> Result<Self, String> {
        let board = match fen {
            Some(text) => Board::from_fen(text).map_err(|error| format!("position: {error}").replace('\n', " "))?,
            None => Board::startpos(),
        };
        let mut game = Self { past: Vec::new(), board };
        for text in moves {
            let mv = named(&game.board, &text.to_ascii_lowercase())
                .ok_or_else(|| format!("position: `{text}` is not a legal move after {} moves", game.past.len()))?;
            game.past.push(game.board);
            game.board.play(mv, Increments::none());
        }
        Ok(game)
    }
}
