//! PGN: games as tags and movetext, checked move by move.
//!
//! Comments (`{}`, `;`), escaped lines (`%`), variations, annotation glyphs (`$1`, `!?`), move
//! numbers, results, a byte order mark and any line ends are read and skipped. A `FEN` tag sets
//! the start position. A `Variant` tag that names other rules than those of chess is a fault.
//! A second such tag in one game is a fault too. Moves are read as in [`super::san`], with `!` and
//! `?` in both modes. A game without moves is an error, or is skipped if faulty games are skipped.
//! Lenient mode ends a game at a null move (`--`), which is not a legal move, and accepts games
//! without results.
//!
//! Where a game ends does not depend on its faults, so that a faulty game never spoils another one.
//! A game ends
//! - at a result outside of variations, or at a result that is followed by a blank line
//! - before a tag that follows a legal move
//! - before a tag that follows other movetext, if a blank line separates them or if no tag precedes
//!   the movetext
//! - before a tag that repeats the first tag of the game; if only tags without a blank line stand
//!   between, the next game is faulty too if it lacks a tag `FEN` or `Variant` of the first
//! - before the tag `Event`, which is the first tag by the standard, if the game has a fault
//! - at the end of the file
//!
//! A comment ends before a line that begins with a tag, even if the comment is closed later. A tag
//! ends with its line at the latest.
//! Source: S. Edwards, "Portable Game Notation Specification and Implementation Guide", 1994.

use super::board::Board;
use super::fault::{Fault, Faults, OnError};
use super::fen::{self, Strictness, quote_start};
use super::increments::Increments;
use super::lines::with_line_feeds;
use super::moves::Move;
use super::pgn_lexer::{Lexer, TextFault, Token};
use super::san;
use super::types::Color;

/// A game of a PGN file: its tags, start and legal moves.
#[derive(Debug, Clone)]
pub struct Game {
    /// The line of the file where it starts, from 1.
    pub line: usize,
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Board,
    pub moves: Vec<Move>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
}

impl Game {
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Clone, Default)]
pub struct PgnFile {
    pub games: Vec<Game>,
    pub notes: Vec<Fault>,
}

/// Reads the first `max_games` readable games of a file's text. Later games are not examined.
/// Faults call the file `file_name`.
///
/// # Errors
/// Returns an error if a game cannot be read and `on_error` does not skip the game. The error
/// contains the first fault of each such game, with line and column, the number of the game and, if
/// a move is faulty, the text of the move.
pub fn read(
    file_name: &str,
    text: &str,
    strictness: Strictness,
    on_error: OnError,
    max_games: usize,
) -> Result<PgnFile, Faults> {
    let mut file = PgnFile::default();
    let mut faults = Vec::new();
    let text = with_line_feeds(text);
    let mut reader = GameReader { lexer: Lexer::new(&text), strictness, notes: Vec::new(), open_tags: Vec::new() };
    let mut game_number = 0;
    while let Some((game, fault)) = reader.next_game() {
        game_number += 1;
        let locate = |fault: TextFault| Fault {
            file: file_name.to_owned(),
            line: fault.line,
            column: fault.column,
            message: format!("game {game_number}: {}", fault.message),
        };
        let no_moves_fault = game.moves.is_empty().then(|| {
            let message = format!("no moves (result {})", game.result);
            TextFault { line: game.line, column: 1, message }
        });
        match fault.or(no_moves_fault) {
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
    notes: Vec<TextFault>,
    /// The last game's tags in [`SETUP_TAGS`] that may belong to the next game.
    open_tags: Vec<&'static str>,
}

impl GameReader<'_> {
    /// Records a repair at the last token, or fails if repairs are not allowed.
    fn repair(&mut self, message: String) -> Result<(), TextFault> {
        let fault = self.lexer.fault(message);
        if self.strictness == Strictness::Strict {
            return Err(fault);
        }
        self.notes.push(fault);
        Ok(())
    }

    /// Reads the next game. Returns the game and its first fault, or `None` at the end of the text.
    /// After a fault, the remaining moves of the game are skipped.
    fn next_game(&mut self) -> Option<(Game, Option<TextFault>)> {
        // `None` until the first token of the game is read.
        let mut game_state: Option<GameState> = None;
        loop {
            let is_at_next_game = game_state.as_ref().is_some_and(|state| self.is_at_next_game(state));
            let token = if is_at_next_game { None } else { self.lexer.next_token().transpose() };
            let Some(token) = token else {
                let mut state = game_state?;
                let found = if is_at_next_game { "the next game" } else { "the end of the file" };
                let result = self.end_without_result(&state, found);
                state.record_fault(result);
                if let (false, Some((name, false))) = (state.has_movetext, self.lexer.peek_tag_name()) {
                    self.lexer.start_token();
                    state.record_fault(Err(self.lexer.fault(format!("expected one tag {name}, found a second one"))));
                    self.open_tags.extend(SETUP_TAGS.into_iter().filter(|tag| state.game.tag(tag).is_some()));
                }
                return Some((state.game, state.fault));
            };
            let state = game_state.get_or_insert_with(|| GameState::new(self.lexer.line()));
            let result = token.and_then(|token| self.read_token(token, state));
            state.record_fault(result);
            if state.is_over {
                return game_state.map(|state| (state.game, state.fault));
            }
        }
    }

    /// Whether the next token is a tag that belongs to the next game. `state` is the current game.
    fn is_at_next_game(&mut self, state: &GameState) -> bool {
        let game = &state.game;
        self.lexer.peek_tag_name().is_some_and(|(name, after_blank_line)| {
            let repeats_first_tag = game.tags.first().is_some_and(|(first, _)| first == name);
            let is_event_after_fault = name == "Event" && state.fault.is_some();
            let ends_movetext = state.has_movetext && (after_blank_line || game.tags.is_empty());
            !game.moves.is_empty() || ends_movetext || repeats_first_tag || is_event_after_fault
        })
    }

    /// Records a repair for a game that ends without a result, unless the game has only tags.
    /// `found` is what the text has instead of a result.
    fn end_without_result(&mut self, state: &GameState, found: &str) -> Result<(), TextFault> {
        if !state.has_movetext {
            return Ok(());
        }
        let expected = if state.variation_depth > 0 { ")" } else { "a result (1-0, 0-1, 1/2-1/2 or *)" };
        self.repair(format!("expected {expected}, found {found}"))
    }

    fn read_token(&mut self, token: Token<'_>, state: &mut GameState) -> Result<(), TextFault> {
        let begins_movetext = !state.has_movetext && !matches!(token, Token::Tag(..));
        state.has_movetext |= begins_movetext;
        if begins_movetext && let Some(tag) = self.open_tags.drain(..).find(|tag| state.game.tag(tag).is_none()) {
            let message = format!("tag {tag} above its first tag may be its own: expected a blank line before it");
            state.record_fault(Err(self.lexer.fault(message)));
        }
        match token {
            Token::Tag(name, value) => {
                let result = self.read_tag(&name, &value, state);
                // The tag is kept even if it has a fault.
                state.game.tags.push((name, value));
                result?;
            }
            Token::VariationStart => state.variation_depth += 1,
            Token::VariationEnd if state.variation_depth > 0 => state.variation_depth -= 1,
            Token::VariationEnd => self.repair("found ) without (".to_owned())?,
            Token::Result(result) if state.variation_depth == 0 || self.lexer.is_before_blank_line() => {
                state.game.result = result.to_owned();
                state.is_over = true;
                if state.variation_depth > 0 {
                    self.repair(format!("expected ), found the result {result} and a blank line"))?;
                }
            }
            Token::Move(text) if state.variation_depth == 0 && !state.ignores_moves => {
                if text == "--" {
                    state.ignores_moves = true;
                    return self.repair("expected a move, found the null move --, which ends the game".to_owned());
                }
                let board = &mut state.board;
                let dots = if board.turn() == Color::White { "." } else { "..." };
                let place = format!("move {}{dots}{}", board.game_ply() / 2 + 1, quote_start(text));
                // `!` and `?` after the move are allowed by the standard.
                let san = text.trim_end_matches(['!', '?']);
                let at_move = |error: san::SanError| self.lexer.fault(format!("{place}: {error}"));
                let (mv, flaw) = san::read_noting(board, san, self.strictness).map_err(at_move)?;
                self.notes.extend(flaw.map(at_move));
                board.play(mv, Increments::none());
                state.game.moves.push(mv);
            }
            Token::Move(_) | Token::Result(_) => {}
        }
        Ok(())
    }

    /// Sets the start position from a `FEN` tag. Returns an error if a `Variant` tag names a
    /// variant of chess that is not supported. Other tags are ignored.
    fn read_tag(&mut self, name: &str, value: &str, state: &mut GameState) -> Result<(), TextFault> {
        if SETUP_TAGS.contains(&name) && state.game.tag(name).is_some() {
            return Err(self.lexer.fault(format!("expected one tag {name}, found a second one")));
        }
        if name == "FEN" {
            let reading =
                fen::read(value, self.strictness).map_err(|fault| self.lexer.fault(format!("tag FEN, {fault}")))?;
            for repair in reading.repairs {
                self.repair(format!("tag FEN, {repair}"))?;
            }
            (state.board, state.game.start) = (reading.board, reading.board);
        }
        if name == "Variant" && !CHESS_VARIANTS.iter().any(|variant| variant.eq_ignore_ascii_case(value.trim())) {
            return Err(self
                .lexer
                .fault(format!("tag Variant, expected Standard or From Position, found {}", quote_start(value))));
        }
        Ok(())
    }
}

const SETUP_TAGS: [&str; 2] = ["FEN", "Variant"];

const CHESS_VARIANTS: [&str; 8] = ["Standard", "From Position", "Chess", "Normal", "Classical", "?", "-", ""];

struct GameState {
    game: Game,
    /// The position after the last move that was read.
    board: Board,
    variation_depth: usize,
    /// Whether a token other than a tag has been read.
    has_movetext: bool,
    ignores_moves: bool,
    is_over: bool,
    fault: Option<TextFault>,
}

impl GameState {
    fn new(line: usize) -> Self {
        let (board, result) = (Board::startpos(), "*".to_owned());
        let game = Game { line, tags: Vec::new(), start: board, moves: Vec::new(), result };
        Self { game, board, variation_depth: 0, has_movetext: false, ignores_moves: false, is_over: false, fault: None }
    }

    /// If `result` is a fault, ignores the later moves of the game. Only the first fault of the
    /// game is kept.
    fn record_fault(&mut self, result: Result<(), TextFault>) {
        if let Err(fault) = result {
            self.fault.get_or_insert(fault);
            self.ignores_moves = true;
        }
    }
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
