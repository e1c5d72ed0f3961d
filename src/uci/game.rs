//! The position that the client set up, and those before it.

use crate::chess::{Board, Increments, named};

/// A game as far as it went.
#[derive(Debug, Clone)]
pub struct PlayedGame {
    /// The positions before the present one, the oldest first.
    pub past: Vec<Board>,
    /// The present one.
    pub board: Board,
}

impl Default for PlayedGame {
    fn default() -> Self {
        Self { past: Vec::new(), board: Board::startpos() }
    }
}

impl PlayedGame {
    /// Reads what follows `position`; without a FEN the game began at the start position.
    ///
    /// # Errors
    /// A FEN that is none, or a move that is not legal, in one line.
    pub fn read(fen: Option<&str>, moves: &[String]) -> Result<Self, String> {
        let board = fen.map_or_else(|| Ok(Board::startpos()), Board::from_fen);
        let board = board.map_err(|error| format!("position: {error}").replace('\n', " "))?;
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_its_positions_in_order() {
        let read = |fen: Option<&str>, moves: &[&str]| {
            let moves: Vec<String> = moves.iter().map(|mv| (*mv).to_owned()).collect();
            PlayedGame::read(fen, &moves)
        };
        let fen = |board: &Board| board.fen(crate::chess::EpRule::Legal);
        let game = read(None, &["e2e4", "E7E5", "g1f3"]).unwrap();
        let past: Vec<String> = game.past.iter().map(fen).collect();
        let expected = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        ];
        assert_eq!(
            (past, fen(&game.board)),
            (
                expected.map(str::to_owned).to_vec(),
                "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2".to_owned()
            )
        );
        let pawn = read(Some("8/P6k/8/8/8/8/8/K7 w - - 0 9"), &["A7A8Q"]).unwrap();
        assert_eq!(fen(&pawn.board), "Q7/7k/8/8/8/8/8/K7 b - - 0 9");
        assert_eq!(
            read(None, &["e2e4", "e2e4"]).err(),
            Some("position: `e2e4` is not a legal move after 1 moves".to_owned())
        );
        assert!(read(Some("x y"), &[]).is_err_and(|told| told.starts_with("position: ") && !told.contains('\n')));
    }
}
