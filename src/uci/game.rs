//! The game that the client set up: the current position and the earlier positions.

use crate::chess::{Board, Increments, Strictness, fen, parse_move};

#[derive(Debug, Clone)]
pub struct PlayedGame {
    /// The earlier positions, the oldest first.
    pub history: Vec<Board>,
    pub board: Board,
}

impl Default for PlayedGame {
    fn default() -> Self {
        Self { history: Vec::new(), board: Board::startpos() }
    }
}

impl PlayedGame {
    /// Reads the arguments of the command `position`. Returns the game, and a message for each
    /// repair of the FEN. Without a FEN, the game begins at the start position. FENs are read
    /// leniently, because some clients write FENs with four or five fields, with the move number 0,
    /// or with castling rights in another order.
    pub fn read(fen: Option<&str>, moves: &[String]) -> Result<(Self, Vec<String>), String> {
        let (board, repairs) = match fen {
            None => (Board::startpos(), Vec::new()),
            Some(text) => {
                let reading = fen::read(text, Strictness::Lenient);
                let reading = reading.map_err(|error| format!("position: {error}").replace('\n', " "))?;
                (reading.board, reading.repairs)
            }
        };
        let mut game = Self { history: Vec::new(), board };
        for text in moves {
            let mv = parse_move(&game.board, &text.to_ascii_lowercase())
                .ok_or_else(|| format!("position: `{text}` is not a legal move after {} moves", game.history.len()))?;
            game.history.push(game.board);
            game.board.play(mv, Increments::none());
        }
        Ok((game, repairs.iter().map(|repair| format!("position: repaired: {repair}")).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_holds_its_positions_in_order() {
        let read = |fen: Option<&str>, moves: &[&str]| {
            let moves: Vec<String> = moves.iter().map(|mv| (*mv).to_owned()).collect();
            PlayedGame::read(fen, &moves).map(|(game, repairs)| {
                assert_eq!(repairs, [""; 0]);
                game
            })
        };
        let fen = |board: &Board| board.fen(crate::chess::EpRule::Legal);
        let game = read(None, &["e2e4", "E7E5", "g1f3"]).unwrap();
        let history: Vec<String> = game.history.iter().map(fen).collect();
        let expected = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        ];
        assert_eq!(
            (history, fen(&game.board)),
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
        assert!(read(Some("x y"), &[]).is_err_and(|notes| notes.starts_with("position: ") && !notes.contains('\n')));
    }

    /// As in other readers: missing fields have their default, move number 0 means 1, and castling
    /// rights have no order. Each repair is reported.
    #[test]
    fn fen_is_read_leniently_with_reported_repairs() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";
        for (fields, clocks, repairs) in [
            ("KQkq - 3 0", "3 1", 1),
            ("KQkq - 3", "3 1", 1),
            ("KQkq -", "0 1", 0),
            ("KQkq", "0 1", 1),
            ("qkQK - 3 7", "3 7", 3),
            ("KQkq  -   3 7", "3 7", 0),
        ] {
            let (game, notes) = PlayedGame::read(Some(&format!("{fen} {fields}")), &[]).unwrap();
            assert_eq!(game.board.to_string(), format!("{fen} KQkq - {clocks}"), "{fields}");
            assert_eq!(notes.len(), repairs, "{notes:?}");
            assert!(notes.iter().all(|notes| notes.starts_with("position: repaired: column ")), "{notes:?}");
        }
    }
}
