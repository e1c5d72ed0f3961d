//! Suites: what an experiment searches, from an EPD, FEN or PGN file.
//!
//! The file's extension decides the format: `.epd` and `.fen` files have one position per line, and
//! `.pgn` files have games.
//!
//! Every item has an id that is unique in its suite and has no control characters. The id of a
//! position is its operation `id`. The id of a game is `White - Black, year`. A missing or blank id
//! becomes `<stem>.<line>`. `#2`, `#3` and so on are added to later copies of an id.

use super::board::Board;
use super::epd::{self, Epd};
use super::fault::{Fault, Faults, OnError};
use super::fen::Strictness;
use super::moves::Move;
use super::opcode::{Operation, OperationValue};
use super::pgn::{self, Game};
use siphasher::sip128::SipHasher13;
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// How a suite is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SuiteOptions {
    /// How faults are treated.
    pub strictness: Strictness,
    /// What to do with an item that cannot be read, or a game without moves.
    pub on_error: OnError,
    /// The maximum number of items to read. The rest of the file is not read. `None` reads all
    /// items.
    pub first: Option<usize>,
}

/// A list of positions or games.
#[derive(Debug, Clone, Default)]
pub struct Suite {
    /// The items, at least one, in the order of the file.
    pub items: Vec<Item>,
    /// Repairs and skipped items.
    pub notes: Vec<Fault>,
}

/// A position or a game.
#[derive(Debug, Clone)]
pub struct Item {
    /// Unique in the suite.
    pub id: String,
    /// The line of the file where the item starts, from 1.
    pub line: usize,
    /// The position, or the first position of the game.
    pub board: Board,
    /// The operations of the position, or the game.
    pub content: Content,
    /// Whether no mate is shorter than that of its operations.
    pub is_minimal: bool,
}

/// The content of an item besides its position.
#[derive(Debug, Clone)]
pub enum Content {
    /// The operations of an EPD line; empty for a FEN.
    Position(Vec<Operation>),
    /// A game of a PGN file.
    Game(Box<Game>),
}

impl Item {
    /// Returns the solutions of the position, which are the moves of the operation `bm`. The result
    /// may be empty.
    pub fn best_moves(&self) -> &[Move] {
        epd::moves(self.operations(), "bm")
    }

    /// Returns the mistakes of the position, which are the moves of the operation `am`. The result
    /// may be empty.
    pub fn avoided_moves(&self) -> &[Move] {
        epd::moves(self.operations(), "am")
    }

    /// Returns the moves of a game, or `None` for a position. A game may have no moves.
    pub fn game_moves(&self) -> Option<&[Move]> {
        match &self.content {
            Content::Position(_) => None,
            Content::Game(game) => Some(&game.moves),
        }
    }

    /// Returns the moves until the side to move mates (`dm 4`, `bm #4`), negative if it is mated.
    pub fn mate(&self) -> Option<i16> {
        self.operations().iter().find_map(|operation| match operation.value {
            OperationValue::Mate(moves) => Some(moves),
            _ => None,
        })
    }

    /// Whether a move solves the position. If the position has `bm`, the solutions are the moves
    /// of `bm`. Otherwise, all moves are solutions. In both cases, the moves of `am` are excluded.
    /// Returns `None` if the position has neither `bm` nor `am`.
    pub fn is_solved_by(&self, mv: Move) -> Option<bool> {
        let (best, avoided) = (self.best_moves(), self.avoided_moves());
        if best.is_empty() && avoided.is_empty() {
            return None;
        }
        Some((best.is_empty() || best.contains(&mv)) && !avoided.contains(&mv))
    }

    /// Returns the operations of a position. The result is empty for a game.
    pub fn operations(&self) -> &[Operation] {
        match &self.content {
            Content::Position(operations) => operations,
            Content::Game(_) => &[],
        }
    }

    /// Returns the moves of a game. The result is empty for a position.
    pub fn moves(&self) -> &[Move] {
        self.game_moves().unwrap_or_default()
    }
}

/// Why a suite cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("{}: the suite cannot be read: {source}", path.display())]
    Unreadable {
        /// The file that cannot be read.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The extension names no known kind.
    #[error("{}: expected a file that ends in .epd, .fen or .pgn", path.display())]
    Kind {
        /// The file whose extension is not known.
        path: PathBuf,
    },
    /// The file holds no item.
    #[error("{}: no positions or games", path.display())]
    Empty {
        /// The file without items.
        path: PathBuf,
    },
    /// The file is faulty.
    #[error(transparent)]
    Faulty(#[from] Faults),
}

impl Suite {
    /// Whether a position has a mate (see [`Item::mate`]).
    pub fn has_mates(&self) -> bool {
        self.items.iter().any(|item| item.mate().is_some())
    }

    /// A suite of one position, which has the name `name`.
    pub fn of_board(name: &str, board: Board) -> Self {
        let item =
            Item { id: name.to_owned(), line: 1, board, content: Content::Position(Vec::new()), is_minimal: false };
        Self { items: vec![item], notes: Vec::new() }
    }

    /// Loads a suite from a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is of an unknown kind, has no items, or has
    /// faults that `options` do not allow.
    pub fn load(path: &Path, options: SuiteOptions) -> Result<Self, SuiteError> {
        let kind = SuiteKind::from_path(path).ok_or_else(|| SuiteError::Kind { path: path.to_owned() })?;
        let unreadable = |source| SuiteError::Unreadable { path: path.to_owned(), source };
        let file = crate::system::files::open_input(path).map_err(unreadable)?;
        let suite = Self::read(&stem(path), &path.display().to_string(), kind, BufReader::new(file), options)?;
        match (suite.items.is_empty(), suite.notes.is_empty()) {
            (false, _) => Ok(suite),
            (true, true) => Err(SuiteError::Empty { path: path.to_owned() }),
            // Nothing is left. The notes say why.
            (true, false) => Err(Faults(suite.notes).into()),
        }
    }

    /// Reads a suite. Items without a name are named after `name`. Faults call the file `file`.
    ///
    /// # Errors
    /// Returns an error if the file has faults that `options` do not allow. Unlike in
    /// [`Suite::load`], a suite without items is not an error.
    pub fn read(
        name: &str,
        file: &str,
        kind: SuiteKind,
        input: impl BufRead,
        options: SuiteOptions,
    ) -> Result<Self, Faults> {
        let SuiteOptions { strictness, on_error, first } = options;
        let max_items = first.unwrap_or(usize::MAX);
        let (mut items, notes) = match kind {
            SuiteKind::Positions => {
                let mut reader = epd::Reader::new(file, input, strictness, on_error);
                let items: Vec<Item> = reader.by_ref().take(max_items).map(position_item).collect();
                (items, reader.finish()?)
            }
            SuiteKind::Games => {
                let pgn_file = pgn::read(file, &read_pgn_text(file, input)?, strictness, on_error, max_items)?;
                (pgn_file.games.into_iter().map(game_item).collect(), pgn_file.notes)
            }
        };
        name_items(name, &mut items);
        Ok(Self { items, notes })
    }
}

/// The kind of items in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuiteKind {
    /// One position per line: EPD or FEN.
    Positions,
    /// Games with their moves: PGN.
    Games,
}

impl SuiteKind {
    /// The kind that a file's extension stands for.
    pub fn from_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_ascii_lowercase().to_str()? {
            "epd" | "fen" => Some(Self::Positions),
            "pgn" => Some(Self::Games),
            _ => None,
        }
    }
}

/// Returns the name of a suite, which is the name of its file without folder and extension.
pub fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Reads a PGN file as UTF-8. A file that is not valid UTF-8 is read as Latin-1 (section 4.1 of the
/// PGN standard).
fn read_pgn_text(file: &str, mut input: impl BufRead) -> Result<String, Faults> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|error| {
        let message = format!("cannot be read: {error}");
        Faults(vec![Fault { file: file.to_owned(), line: 1, column: 1, message }])
    })?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect()))
}

fn position_item(epd: Epd) -> Item {
    let id = match epd.value("id") {
        Some(OperationValue::Text(id)) => id.trim().to_owned(),
        _ => String::new(),
    };
    Item { id, line: epd.line, board: epd.board, content: Content::Position(epd.operations), is_minimal: false }
}

fn game_item(game: Game) -> Item {
    let tag_value = |tag| game.tag(tag).map(str::trim).filter(|value| !value.is_empty() && *value != "?");
    let id = match (tag_value("White"), tag_value("Black")) {
        (Some(white), Some(black)) => {
            let year = tag_value("Date").and_then(|date| date.get(..4)).filter(|year| !year.contains('?'));
            format!("{white} - {black}{}", year.map_or_else(String::new, |year| format!(", {year}")))
        }
        _ => String::new(),
    };
    Item { id, line: game.line, board: game.start, content: Content::Game(Box::new(game)), is_minimal: false }
}

/// Returns the text with all control characters replaced. Control characters that separate words
/// are replaced by spaces, and all others by U+FFFD.
pub fn printable(text: &str) -> String {
    let replace = |c: char| {
        if !c.is_control() {
            c
        } else if c.is_whitespace() || c == '\0' {
            ' '
        } else {
            char::REPLACEMENT_CHARACTER
        }
    };
    text.chars().map(replace).collect()
}

/// Gives every item a unique id.
fn name_items(stem: &str, items: &mut [Item]) {
    // Ids are compared by their hashes, because the ids of a large suite would take as much memory
    // as its positions.
    let mut hashes = HashSet::new();
    let mut insert_id = |id: &str| hashes.insert(SipHasher13::new().hash(id.as_bytes()).as_u128());
    // Maps each repeated id to the number of its last copy. Counting from 2 again for each copy
    // would take quadratic time.
    let mut last_copy_numbers: HashMap<String, u64> = HashMap::new();
    for item in items {
        if item.id.is_empty() {
            item.id = format!("{stem}.{}", item.line);
        }
        item.id = printable(&item.id);
        if insert_id(&item.id) {
            continue;
        }
        let copy_number = last_copy_numbers.entry(item.id.clone()).or_insert(1);
        let base = std::mem::take(&mut item.id);
        loop {
            *copy_number += 1;
            item.id = format!("{base}#{copy_number}");
            if insert_id(&item.id) {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies of an id are numbered, separately for each id; an item without an id is named by its
    /// file and line.
    #[test]
    fn duplicate_ids_are_numbered() {
        let names = ["a", "b", "a", "b", "a", "", "a#2"];
        let line = |name: &&str| match *name {
            "" => "8/8/8/3k4/8/3K4/4P3/8 w - -\n".to_owned(),
            name => format!("8/8/8/3k4/8/3K4/4P3/8 w - - id \"{name}\";\n"),
        };
        let text: String = names.iter().map(line).collect();
        let suite = Suite::read("s", "s.epd", SuiteKind::Positions, text.as_bytes(), SuiteOptions::default()).unwrap();
        let ids: Vec<&str> = suite.items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "a#2", "b#2", "a#3", "s.6", "a#2#2"]);
    }

    /// An id can neither move the cursor of a terminal nor begin a new line of a file.
    #[test]
    fn ids_contain_no_control_characters() {
        let text = "[White \"a\u{1b}[31m\"]\n[Black \"b\tc\u{85}\"]\n\n1. e4 *\n\n[White \"\u{7}\"]\n\n1. d4 *\n";
        let suite = Suite::read("x\ny", "s.pgn", SuiteKind::Games, text.as_bytes(), SuiteOptions::default()).unwrap();
        let ids: Vec<&str> = suite.items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["a\u{fffd}[31m - b c", "x y.6"]);
    }

    /// If a position has both best moves and moves to avoid, both are respected: a move that is
    /// listed as both solves nothing.
    #[test]
    fn solution_is_a_best_move_that_is_not_avoided() {
        let item = |operations: &str| {
            let text = format!("8/8/8/3k4/8/3K4/4P3/8 w - - {operations} id \"a\";\n");
            let suite = Suite::read("s", "s.epd", SuiteKind::Positions, text.as_bytes(), SuiteOptions::default());
            suite.unwrap().items.remove(0)
        };
        let solved = |operations: &str| {
            let item = item(operations);
            ["Ke3", "Kc3"]
                .map(|san| item.is_solved_by(super::super::san::read(&item.board, san, Strictness::Strict).unwrap()))
        };
        assert_eq!(solved(""), [None, None]);
        assert_eq!(solved("bm Ke3;"), [Some(true), Some(false)]);
        assert_eq!(solved("am Ke3;"), [Some(false), Some(true)]);
        assert_eq!(solved("bm Ke3 Kc3; am Kc3;"), [Some(true), Some(false)]);
    }
}
