//! PGN: games as tags and movetext, checked move by move.
//!
//! Comments (`{}`, `;`), escaped lines (`%`), variations, annotation glyphs (`$1`, `!?`), move
//! numbers, results, a byte order mark and any line ends are read and skipped; a `FEN` tag sets
//! the start position, and a `Variant` tag that names other rules than those of chess is a fault.
//! Moves are read as in [`super::san`], with `!` and `?` in both modes. A game without moves is an
//! error, or is skipped if faulty games are. Lenient mode ends a game at a null move (`--`), which
//! is not a legal move, and accepts games without results.
//!
//! Where a game ends does not depend on its faults, so that a faulty game never spoils another one.
//! It ends
//! - at a result outside of variations, or at one that a blank line follows;
//! - before a tag that follows a legal move, or movetext with a blank line after it or without a
//!   tag before it, or that repeats the first tag of the game; and before an `Event`, which is the
//!   first by the standard, once the game has a fault;
//! - at the end of the file.
//!
//! A comment ends before a line that begins with a tag, closed or not, and a tag with its line.
//! Source: S. Edwards, "Portable Game Notation Specification and Implementation Guide", 1994.

use super::board::Board;
use super::fault::{Fault, Faults, OnError};
use super::fen::{self, Strictness, quote_start};
use super::increments::Increments;
use super::lines::with_line_feeds;
use super::moves::Move;
use super::pgn_lexer::{Lexer, ReadStop, Token};
use super::san;
use super::types::Color;

/// A game of a PGN file: its tags, start and legal moves.
#[derive(Debug, Clone)]
pub struct Game {
    /// Its number in the file, from 1; skipped games are counted.
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
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// The positions of the game, one more than it has moves: before the first move, after it, and
    /// so on.
    pub fn positions(&self) -> impl Iterator<Item = Board> + '_ {
        let first = self.start;
        std::iter::once(first).chain(self.moves.iter().scan(first, |board, &mv| {
            board.play(mv, Increments::none());
            Some(*board)
        }))
    }
}

#[derive(Debug, Clone, Default)]
pub struct PgnFile {
    /// The games in the order of the file.
    pub games: Vec<Game>,
    /// Skipped games and repairs.
    pub notes: Vec<Fault>,
}

/// Reads the first `max_games` readable games of a file's text; `name` is the file's name in
/// faults.
///
/// # Errors
/// The first fault of each game that cannot be read, up to the last game read: line and column,
/// game number and the move's text.
pub fn read(
    name: &str,
    text: &str,
    strictness: Strictness,
    on_error: OnError,
    max_games: usize,
) -> Result<PgnFile, Faults> {
    let mut file = PgnFile::default();
    let mut faults = Vec::new();
    let text = with_line_feeds(text);
    let mut reader = GameReader { lexer: Lexer::new(&text), strictness, notes: Vec::new() };
    let mut number = 0;
    while let Some((game, fault)) = reader.next_game(number + 1) {
        number += 1;
        let locate = |fault: ReadStop| Fault {
            file: name.to_owned(),
            line: fault.line,
            column: fault.column,
            message: format!("game {number}: {}", fault.message),
        };
        let no_moves = game.moves.is_empty().then(|| {
            let message = format!("no moves (result {})", game.result);
            ReadStop { line: game.line, column: 1, message }
        });
        match fault.or(no_moves) {
            Some(fault) => on_error.record(locate(fault), &mut faults, &mut file.notes),
            None => {
                file.notes.extend(reader.notes.drain(..).map(locate));
                file.games.push(game);
            }
        }
        reader.notes.clear();
        if file.games.len() == max_games {
            break;
        }
    }
    if faults.is_empty() { Ok(file) } else { Err(Faults(faults)) }
}

struct GameReader<'a> {
    lexer: Lexer<'a>,
    strictness: Strictness,
    notes: Vec<ReadStop>,
}

impl GameReader<'_> {
    /// A fault at the last token.
    fn stop(&self, message: String) -> ReadStop {
        ReadStop { line: self.lexer.line(), column: self.lexer.column(), message }
    }

    /// Records a repair at the last token, or fails if repairs are not allowed.
    fn note(&mut self, message: String) -> Result<(), ReadStop> {
        let stop = self.stop(message);
        if self.strictness == Strictness::Strict {
            return Err(stop);
        }
        self.notes.push(stop);
        Ok(())
    }

    /// Reads the next game; returns it with its first fault, or none at the end of the text. After
    /// a fault, the moves up to the game's end are skipped.
    fn next_game(&mut self, number: usize) -> Option<(Game, Option<ReadStop>)> {
        // None until its first token is read.
        let mut open_game: Option<OpenGame> = None;
        loop {
            let is_at_next_game = open_game.as_ref().is_some_and(|open| self.is_at_next_game(open));
            let token = if is_at_next_game { None } else { self.lexer.next_token().transpose() };
            let Some(token) = token else {
                let mut open = open_game?;
                let end = if is_at_next_game { "the next game" } else { "the end of the file" };
                let result = self.end_without_result(&open, end);
                open.record_fault(result);
                return Some((open.game, open.fault));
            };
            let open = open_game.get_or_insert_with(|| OpenGame::new(number, self.lexer.line()));
            let result = token.and_then(|token| self.read_token(token, open));
            open.record_fault(result);
            if open.is_over {
                return open_game.map(|open| (open.game, open.fault));
            }
        }
    }

    /// Whether the next token is a tag that belongs to the next game.
    fn is_at_next_game(&mut self, open: &OpenGame) -> bool {
        let game = &open.game;
        self.lexer.coming_tag().is_some_and(|(name, after_blank_line)| {
            let repeats_first_tag = game.tags.first().is_some_and(|(first, _)| first == name);
            let is_event_after_fault = name == "Event" && open.fault.is_some();
            let ends_movetext = open.in_moves && (after_blank_line || game.tags.is_empty());
            !game.moves.is_empty() || ends_movetext || repeats_first_tag || is_event_after_fault
        })
    }

    /// Records that a game ends without a result, unless it has nothing but tags. `end`: what was
    /// found instead.
    fn end_without_result(&mut self, open: &OpenGame, end: &str) -> Result<(), ReadStop> {
        if !open.in_moves {
            return Ok(());
        }
        let expected = if open.depth > 0 { ")" } else { "a result (1-0, 0-1, 1/2-1/2 or *)" };
        self.note(format!("expected {expected}, found {end}"))
    }

    fn read_token(&mut self, token: Token<'_>, open: &mut OpenGame) -> Result<(), ReadStop> {
        open.in_moves |= !matches!(token, Token::Tag(..));
        match token {
            Token::Tag(name, value) => {
                let result = self.read_tag(&name, &value, open);
                // A tag with a fault is kept too.
                open.game.tags.push((name, value));
                result?;
            }
            Token::Open => open.depth += 1,
            Token::Close if open.depth > 0 => open.depth -= 1,
            Token::Close => self.note("found ) without (".to_owned())?,
            Token::Result(result) if open.depth == 0 || self.lexer.is_before_blank_line() => {
                open.game.result = result.to_owned();
                open.is_over = true;
                if open.depth > 0 {
                    self.note(format!("expected ), found the result {result} and a blank line"))?;
                }
            }
            Token::Move(text) if open.depth == 0 && !open.ignores_moves => {
                if text == "--" {
                    open.ignores_moves = true;
                    return self.note("expected a move, found the null move --: the game ends here".to_owned());
                }
                let board = &mut open.board;
                let mv = read_move(board, text, self.strictness).map_err(|error| {
                    let dots = if board.turn() == Color::White { "." } else { "..." };
                    self.stop(format!("move {}{dots}{}: {error}", board.game_ply() / 2 + 1, quote_start(text)))
                })?;
                board.play(mv, Increments::none());
                open.game.moves.push(mv);
            }
            Token::Move(_) | Token::Result(_) => {}
        }
        Ok(())
    }

    /// Sets the start position from a `FEN` tag, and checks that a `Variant` tag names the rules of
    /// chess; ignores other tags.
    fn read_tag(&mut self, name: &str, value: &str, open: &mut OpenGame) -> Result<(), ReadStop> {
        if name == "FEN" {
            let reading = fen::read(value, self.strictness).map_err(|fault| self.stop(format!("tag FEN, {fault}")))?;
            for repair in reading.repairs {
                self.note(format!("tag FEN, {repair}"))?;
            }
            (open.board, open.game.start) = (reading.board, reading.board);
        }
        if name == "Variant" && !CHESS.iter().any(|chess| chess.eq_ignore_ascii_case(value.trim())) {
            return Err(
                self.stop(format!("tag Variant, expected Standard or From Position, found {}", quote_start(value)))
            );
        }
        Ok(())
    }
}

/// The values of the tag `Variant` that mean the rules of chess.
const CHESS: [&str; 8] = ["Standard", "From Position", "Chess", "Normal", "Classical", "?", "-", ""];

/// A game as far as it has been read.
struct OpenGame {
    game: Game,
    /// The position after the last move that was read.
    board: Board,
    /// The number of variations that are open.
    depth: usize,
    /// Whether a token other than a tag has been read.
    in_moves: bool,
    ignores_moves: bool,
    is_over: bool,
    fault: Option<ReadStop>,
}

impl OpenGame {
    fn new(number: usize, line: usize) -> Self {
        let (board, result) = (Board::startpos(), "*".to_owned());
        let game = Game { number, line, tags: Vec::new(), start: board, moves: Vec::new(), result };
        Self { game, board, depth: 0, in_moves: false, ignores_moves: false, is_over: false, fault: None }
    }

    /// Keeps the first fault, and ignores the moves after it.
    fn record_fault(&mut self, result: Result<(), ReadStop>) {
        if let Err(fault) = result {
            self.fault.get_or_insert(fault);
            self.ignores_moves = true;
        }
    }
}

/// Reads a move in SAN or UCI notation. The PGN standard allows `!` and `?` after it, even in
/// strict mode.
fn read_move(board: &Board, text: &str, strictness: Strictness) -> Result<Move, san::SanError> {
    san::read(board, text.trim_end_matches(['!', '?']), strictness)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves and results in brackets do not belong to the main line: the game continues after them,
    /// and ends at its own result or at a null move.
    #[test]
    fn moves_in_variations_are_skipped() {
        let read = |moves: &str, strictness: Strictness| {
            let text = format!("[Event \"g\"]\n\n{moves}\n");
            let mut games = read("g.pgn", &text, strictness, OnError::Stop, usize::MAX).unwrap().games;
            let game = games.remove(0);
            (game.moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "), game.result, games.len())
        };
        let strict = |moves: &str| read(moves, Strictness::Strict);
        let output = |moves: &str, result: &str| (moves.to_owned(), result.to_owned(), 0);
        assert_eq!(strict("1. e4 (1. d4 d5 0-1) e5 1-0"), output("e2e4 e7e5", "1-0"));
        assert_eq!(strict("1. e4 (1. d4 (1. c4 *) d5 1/2-1/2) 1... e5 2. Nf3 *"), output("e2e4 e7e5 g1f3", "*"));
        assert_eq!(read("1. e4 -- 2. d4 *", Strictness::Lenient), output("e2e4", "*"));
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            assert_eq!(read("1. e4 (1. d4 -- 2. c4 *) e5 1-0", strictness), output("e2e4 e7e5", "1-0"));
        }
    }

    #[test]
    fn faulty_game_is_skipped_alone() {
        let tags = |event: bool, more_tags: &str| {
            format!("{}[White \"w\"]\n{more_tags}\n", if event { "[Event \"e\"]\n" } else { "" })
        };
        for event in [false, true] {
            let good = |mv: &str| format!("{}1. {mv} e5 1-0\n\n", tags(event, ""));
            for bad in [
                format!("{}1. e4 e5\n2. Ke4 *\n", tags(event, "")),
                format!("{}1. e4 Zz 2. d4\n\n3. c4 1-0\n", tags(event, "")),
                format!("{}1. e4 *\n", tags(event, "[SetUp \"1\"]\n[FEN \"no board\"]\n[Black \"b\"]\n")),
                format!("{}1. e4 *\n", tags(event, "[Round 7]\n[Black \"b\"]\n")),
            ] {
                for place in 0..3 {
                    let mut games = ["e4", "d4", "c4"].map(good).to_vec();
                    games.insert(place, bad.clone());
                    let text = games.concat();
                    let file = read("g.pgn", &text, Strictness::Strict, OnError::Skip, usize::MAX).unwrap();
                    let first_moves: Vec<String> = file.games.iter().map(|game| game.moves[0].to_string()).collect();
                    assert_eq!(first_moves, ["e2e4", "d2d4", "c2c4"], "{place} {text}");
                    assert_eq!(file.notes.len(), 1, "{place} {text}");
                }
            }
        }
    }
}
