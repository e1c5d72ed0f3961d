//! The game that the client set up: the current position and the earlier positions.

use crate::chess::{Board, Increments, Strictness, fault, fen, parse_move};

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
    /// Reads the arguments of the command `position`: the words before `moves`, which are
    /// `startpos` or `fen` and a FEN, and the moves. Returns the game or why there is none, and a
    /// message for each repair of the FEN. FENs are read leniently, because some clients write FENs
    /// with four or five fields, with the move number 0, or with castling rights in another order.
    pub fn read(start: &str, moves: &[String]) -> (Result<Self, String>, Vec<String>) {
        let mut repairs = Vec::new();
        let game = read_start(start, &mut repairs).and_then(|board| {
            let mut game = Self { history: Vec::new(), board };
            for text in moves {
                let mv = parse_move(&game.board, &text.to_ascii_lowercase())
                    .ok_or_else(|| format!("`{text}` is not a legal move after {} moves", game.history.len()))?;
                game.history.push(game.board);
                game.board.play(mv, Increments::none());
            }
            Ok(game)
        });
        let repairs = repairs.iter().map(|repair| format!("position: repaired: {repair}")).collect();
        (game.map_err(|message| format!("position: {message}")), repairs)
    }
}

/// No words may follow the position, because they are moves whose word `moves` is missing. The side
/// to move must be given, because it cannot be guessed.
fn read_start(start: &str, repairs: &mut Vec<fen::FenError>) -> Result<Board, String> {
    let (kind, text) = start.split_once(' ').unwrap_or((start, ""));
    let (board, rest) = match kind {
        "startpos" => (Board::startpos(), text),
        "fen" if text.split(' ').count() == 1 && !text.is_empty() => {
            return Err("expected the side to move after the pieces, found nothing".to_owned());
        }
        "fen" => {
            let reading = fen::read_start(text, Strictness::Lenient).map_err(|error| error.to_string())?;
            repairs.extend(reading.repairs);
            (reading.board, &text[reading.end..])
        }
        _ => {
            let hint = fault::hint(kind, &["startpos", "fen"]);
            return Err(format!("expected startpos or fen, found {}{hint}", fen::quote_start(kind)));
        }
    };
    match rest.trim() {
        "" => Ok(board),
        rest => Err(format!("expected `moves`, found {}", fen::quote_start(rest))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_holds_its_positions_in_order() {
        let read = |start: &str, moves: &[&str]| {
            let moves: Vec<String> = moves.iter().map(|mv| (*mv).to_owned()).collect();
            let (game, repairs) = PlayedGame::read(start, &moves);
            assert_eq!(repairs, [""; 0]);
            game
        };
        let fen = |board: &Board| board.fen(crate::chess::EpRule::Legal);
        let game = read("startpos", &["e2e4", "E7E5", "g1f3"]).unwrap();
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
        let pawn = read("fen 8/P6k/8/8/8/8/8/K7 w - - 0 9", &["A7A8Q"]).unwrap();
        assert_eq!(fen(&pawn.board), "Q7/7k/8/8/8/8/8/K7 b - - 0 9");
        assert_eq!(
            read("startpos", &["e2e4", "e2e4"]).err(),
            Some("position: `e2e4` is not a legal move after 1 moves".to_owned())
        );
        assert!(read("fen x y", &[]).is_err_and(|notes| notes.starts_with("position: ") && !notes.contains('\n')));
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
            let (game, notes) = PlayedGame::read(&format!("fen {fen} {fields}"), &[]);
            assert_eq!(game.unwrap().board.to_string(), format!("{fen} KQkq - {clocks}"), "{fields}");
            assert_eq!(notes.len(), repairs, "{notes:?}");
            assert!(notes.iter().all(|notes| notes.starts_with("position: repaired: column ")), "{notes:?}");
        }
        // The repairs are reported even if the moves are refused.
        let moves = |mv: &str| [mv.to_owned()];
        let after_push = "fen rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq";
        for (fields, mv, played, repairs) in [
            ("e3 0 3", "d4e3", true, 0),
            ("e4 0 3", "d4e3", true, 1),
            ("E3 0 3", "d4e3", true, 1),
            ("d4 0 3", "d4e3", false, 1),
        ] {
            let (game, notes) = PlayedGame::read(&format!("{after_push} {fields}"), &moves(mv));
            assert_eq!((game.is_ok(), notes.len()), (played, repairs), "{fields}: {notes:?}");
        }
    }
}
