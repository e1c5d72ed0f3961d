//! PGN: games as tags and movetext, checked move by move.
//!
//! Comments (`{}`, `;`), escaped lines (`%`), variations, annotation glyphs (`$1`, `!?`), move numbers, results, a byte
//! order mark and CRLF are read and passed over; a `FEN` tag sets the start position. Moves are read as in [`super::san`],
//! with `!` and `?` in both modes. A game without moves is an error unless it is to be skipped. Lenient ends a game at a
//! null move (`--`), which no rule allows, and does without results. After a fault, reading goes on with the next game, so
//! that all faulty games are told at once.
//! Source: S. Edwards, "Portable Game Notation Specification and Implementation Guide", 1994.

use super::board::Board;
use super::fault::{Fault, Faults, OnError};
use super::fen::{self, Strictness, shown};
use super::increments::Increments;
use super::moves::Move;
use super::pgn_lexer::{Lexer, Token};
use super::san;
use super::types::Color;

/// A game.
#[derive(Debug, Clone)]
pub struct Game {
    /// Its place in the file, from 1; games that are skipped count.
    pub number: usize,
    /// The line of the file where it starts, from 1.
    pub line: usize,
    /// The tags in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Board,
    /// The moves of the main line.
    pub moves: Vec<Move>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
}

impl Game {
    /// The value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// The positions of the game: before the first move, after it, and so on: one more than moves.
    pub fn positions(&self) -> impl Iterator<Item = Board> + '_ {
        let first = self.start;
        std::iter::once(first).chain(self.moves.iter().scan(first, |board, &mv| {
            board.play(mv, Increments::none());
            Some(*board)
        }))
    }
}

/// A file of games.
#[derive(Debug, Clone, Default)]
pub struct PgnFile {
    /// The games in the order of the file.
    pub games: Vec<Game>,
    /// Games left out, and what was repaired.
    pub notes: Vec<Fault>,
}

/// Reads a file's text; `name` is what the faults call it.
///
/// # Errors
/// All games that cannot be read, with the first fault of each: line and column, game number and the move's text.
pub fn read(name: &str, text: &str, strictness: Strictness, on_error: OnError) -> Result<PgnFile, Faults> {
    let mut file = PgnFile::default();
    let mut faults = Vec::new();
    let mut reader = GameReader { lexer: Lexer::new(text), strictness, notes: Vec::new() };
    let mut number = 0;
    loop {
        number += 1;
        let place = |fault: Halt| Fault {
            file: name.to_owned(),
            line: fault.line,
            column: fault.column,
            message: format!("game {number}: {}", fault.message),
        };
        match reader.game(number) {
            Ok(None) => break,
            Ok(Some(game)) if game.moves.is_empty() => {
                let result = &game.result;
                let message = format!("no moves (result {result})");
                let fault = place(Halt { line: game.line, column: 1, message });
                on_error.put(fault, &mut faults, &mut file.notes);
            }
            Ok(Some(game)) => {
                file.notes.extend(reader.notes.drain(..).map(place));
                file.games.push(game);
            }
            Err(stop) => {
                on_error.put(place(stop), &mut faults, &mut file.notes);
                reader.lexer.skip_to_next_game();
            }
        }
        reader.notes.clear();
    }
    if faults.is_empty() { Ok(file) } else { Err(Faults(faults)) }
}

/// A fault before it knows file and game.
pub(super) struct Halt {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
}

struct GameReader<'a> {
    lexer: Lexer<'a>,
    strictness: Strictness,
    notes: Vec<Halt>,
}

impl GameReader<'_> {
    fn stop(&self, message: String) -> Halt {
        Halt { line: self.lexer.line(), column: self.lexer.column(), message }
    }

    fn note(&mut self, message: String) -> Result<(), Halt> {
        let stop = self.stop(message);
        if self.strictness == Strictness::Strict {
            return Err(stop);
        }
        self.notes.push(stop);
        Ok(())
    }

    /// The next game; none at the end of the text.
    fn game(&mut self, number: usize) -> Result<Option<Game>, Halt> {
        let mut game = None;
        let mut board = Board::startpos();
        let mut depth = 0_usize;
        let mut in_moves = false;
        let mut cut = false;
        loop {
            // A tag after moves starts the next game: the result is missing.
            if in_moves && depth == 0 && self.lexer.at_tag() {
                self.note("expected a result (1-0, 0-1, 1/2-1/2 or *), found the next game".to_owned())?;
                return Ok(game);
            }
            let Some(token) = self.lexer.next_token()? else {
                if depth > 0 {
                    self.note("expected ), found the end of the file".to_owned())?;
                } else if game.is_some() {
                    self.note("expected a result (1-0, 0-1, 1/2-1/2 or *), found the end of the file".to_owned())?;
                }
                return Ok(game);
            };
            let current = game.get_or_insert_with(|| Game {
                number,
                line: self.lexer.line(),
                tags: Vec::new(),
                start: board,
                moves: Vec::new(),
                result: "*".to_owned(),
            });
            match token {
                Token::Tag(name, value) => {
                    if name == "FEN" {
                        let reading = fen::read(&value, self.strictness);
                        board = reading.map_err(|fault| self.stop(format!("tag FEN, {fault}")))?.board;
                        current.start = board;
                    }
                    current.tags.push((name, value));
                    continue;
                }
                Token::Open => depth += 1,
                Token::Close if depth > 0 => depth -= 1,
                Token::Close => self.note("found ) without (".to_owned())?,
                Token::Result(result) if depth == 0 => {
                    current.result = result.to_owned();
                    return Ok(game);
                }
                Token::Move(_) if cut => {}
                Token::Move("--") if depth == 0 => {
                    self.note("expected a move, found the null move --: the game ends here".to_owned())?;
                    cut = true;
                }
                Token::Move(text) if depth == 0 => {
                    let mv = read_move(&board, text, self.strictness).map_err(|error| {
                        let dots = if board.turn() == Color::White { "." } else { "..." };
                        self.stop(format!("move {}{dots}{}: {error}", board.game_ply() / 2 + 1, shown(text)))
                    })?;
                    board.play(mv, Increments::none());
                    current.moves.push(mv);
                }
                Token::Move(_) | Token::Result(_) => {}
            }
            in_moves = true;
        }
    }
}

/// PGN itself writes `!` and `?` behind moves.
fn read_move(board: &Board, text: &str, strictness: Strictness) -> Result<Move, san::SanError> {
    san::read(board, text.trim_end_matches(['!', '?']), strictness)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Moves and results in brackets are of other games: the game goes on behind them, and ends at its own result or at a null move.
    #[test]
    fn a_variation_is_another_game() {
        let read = |moves: &str, strictness: Strictness| {
            let text = format!("[Event \"g\"]\n\n{moves}\n");
            let mut games = read("g.pgn", &text, strictness, OnError::Stop).unwrap().games;
            let game = games.remove(0);
            (game.moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "), game.result, games.len())
        };
        let strict = |moves: &str| read(moves, Strictness::Strict);
        let told = |moves: &str, result: &str| (moves.to_owned(), result.to_owned(), 0);
        assert_eq!(strict("1. e4 (1. d4 d5 0-1) e5 1-0"), told("e2e4 e7e5", "1-0"));
        assert_eq!(strict("1. e4 (1. d4 (1. c4 *) d5 1/2-1/2) 1... e5 2. Nf3 *"), told("e2e4 e7e5 g1f3", "*"));
        assert_eq!(read("1. e4 -- 2. d4 *", Strictness::Lenient), told("e2e4", "*"));
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            assert_eq!(read("1. e4 (1. d4 -- 2. c4 *) e5 1-0", strictness), told("e2e4 e7e5", "1-0"));
        }
    }

    /// A game that cannot be read costs no other, with `Event` or without, wherever in it the mistake lies.
    #[test]
    fn a_bad_game_is_left_out_alone() {
        let tags =
            |event: bool, more: &str| format!("{}[White \"w\"]\n{more}\n", if event { "[Event \"e\"]\n" } else { "" });
        for event in [false, true] {
            let good = |mv: &str| format!("{}1. {mv} e5 1-0\n\n", tags(event, ""));
            for bad in [
                format!("{}1. e4 e5\n2. Ke4 *\n", tags(event, "")),
                format!("{}1. e4 Zz 2. d4\n\n3. c4 1-0\n", tags(event, "")),
                format!("{}1. e4 *\n", tags(event, "[SetUp \"1\"]\n[FEN \"no board\"]\n[Black \"b\"]\n")),
                format!("{}1. e4 *\n", tags(event, "[Round 7]\n[Black \"b\"]\n")),
            ] {
                for place in 0..3 {
                    let mut all = ["e4", "d4", "c4"].map(good).to_vec();
                    all.insert(place, bad.clone());
                    let file = read("g.pgn", &all.concat(), Strictness::Strict, OnError::Skip).unwrap();
                    let first: Vec<String> = file.games.iter().map(|game| game.moves[0].to_string()).collect();
                    assert_eq!(first, ["e2e4", "d2d4", "c2c4"], "{place} {}", all.concat());
                    assert_eq!(file.notes.len(), 1, "{place} {}", all.concat());
                }
            }
        }
    }
}
