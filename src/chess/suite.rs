//! Suites: what an experiment searches, from an EPD, FEN or PGN file.
//!
//! The kind is known by the file's extension: `.epd` and `.fen` hold a position to a line, `.pgn`
//! games; `builtin:NAME` is a suite that is compiled in. Every item has an id that is unique in its
//! suite and has no control characters: the operation `id` of a position, or `White - Black, year`
//! of a game. Where it is missing or blank it is `<stem>.<line>`; where it stands twice, `#2`, `#3`
//! and so on are added to the later ones.

use super::board::Board;
use super::builtin::{self, UnknownBuiltin};
use super::epd::{self, Epd};
use super::fault::{Fault, Faults, OnError};
use super::fen::Strictness;
use super::moves::Move;
use super::opcode::{self, Operation, OperationValue};
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
    /// How many items are read at most: what follows is not looked at. None: all.
    pub first: Option<usize>,
}

/// A named list of positions or games.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The file's name without folder and extension.
    pub name: String,
    /// At least one, in the order of the file.
    pub items: Vec<Item>,
    /// What was repaired or left out.
    pub notes: Vec<Fault>,
}

/// A position or a game.
#[derive(Debug, Clone)]
pub struct Item {
    /// Unique in the suite.
    pub id: String,
    /// The line of the file where it starts, from 1.
    pub line: usize,
    /// The position, or the game's first.
    pub board: Board,
    /// What else the file says.
    pub content: Content,
}

/// What a file says of an item beside its position.
#[derive(Debug, Clone)]
pub enum Content {
    /// The operations of an EPD line; empty for a FEN.
    Position(Vec<Operation>),
    /// The game that a PGN file has.
    Game(Box<Game>),
}

impl Item {
    /// The moves of the operation `bm`, if any: the solutions.
    pub fn best(&self) -> &[Move] {
        epd::moves(self.operations(), "bm")
    }

    /// The moves of the operation `am`, if any: the mistakes.
    pub fn avoid(&self) -> &[Move] {
        epd::moves(self.operations(), "am")
    }

    /// The moves of a game, which may be none; nothing for a position.
    pub fn game(&self) -> Option<&[Move]> {
        match &self.content {
            Content::Position(_) => None,
            Content::Game(game) => Some(&game.moves),
        }
    }

    /// Whether a best move solves the position: it is one of `bm`, and none of `am`. Nothing where
    /// the file names neither.
    pub fn solved_by(&self, mv: Move) -> Option<bool> {
        let (best, avoid) = (self.best(), self.avoid());
        if best.is_empty() && avoid.is_empty() {
            return None;
        }
        Some((best.is_empty() || best.contains(&mv)) && !avoid.contains(&mv))
    }

    /// The operations of a position; none of a game.
    pub fn operations(&self) -> &[Operation] {
        match &self.content {
            Content::Position(operations) => operations,
            Content::Game(_) => &[],
        }
    }

    /// The moves of a game; none of a position.
    pub fn moves(&self) -> &[Move] {
        match &self.content {
            Content::Position(_) => &[],
            Content::Game(game) => &game.moves,
        }
    }

    /// The perft counts of the operations `D1` to `D9`, by depth.
    pub fn perft(&self) -> Vec<(u32, u64)> {
        let count = |depth: u32| match opcode::value(self.operations(), &format!("D{depth}")) {
            Some(&OperationValue::Nodes(count)) => Some((depth, count)),
            _ => None,
        };
        (1..=9).filter_map(count).collect()
    }
}

/// Why a suite cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file that cannot be read.
        path: PathBuf,
        /// What the system says of the failure.
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
    /// No suite of the name is compiled in.
    #[error(transparent)]
    Builtin(#[from] UnknownBuiltin),
    /// The file is faulty.
    #[error(transparent)]
    Faulty(#[from] Faults),
}

impl Suite {
    /// A suite of one position.
    pub fn of_board(name: &str, board: Board) -> Self {
        let item = Item { id: name.to_owned(), line: 1, board, content: Content::Position(Vec::new()) };
        Self { name: name.to_owned(), items: vec![item], notes: Vec::new() }
    }

    /// Loads a file.
    ///
    /// # Errors
    /// If it cannot be read, is of no known kind, holds nothing, or holds what `options` do not
    /// allow.
    pub fn load(path: &Path, options: SuiteOptions) -> Result<Self, SuiteError> {
        if let Some(builtin) = builtin::find(path) {
            let text = builtin?.text.as_bytes();
            let kind = SuiteKind::from_path(path).unwrap_or(SuiteKind::Positions);
            return Ok(Self::read(&stem(path), &path.display().to_string(), kind, text, options)?);
        }
        let kind = SuiteKind::from_path(path).ok_or_else(|| SuiteError::Kind { path: path.to_owned() })?;
        let unreadable = |source| SuiteError::Unreadable { path: path.to_owned(), source };
        let file = crate::system::files::open_input(path).map_err(unreadable)?;
        let suite = Self::read_from(&stem(path), &path.display().to_string(), kind, BufReader::new(file), options)?;
        if suite.items.is_empty() { Err(SuiteError::Empty { path: path.to_owned() }) } else { Ok(suite) }
    }

    /// Reads a file's bytes; `name` is the suite's, `file` what the faults call it.
    ///
    /// # Errors
    /// All faults that `options` do not allow. A suite without items is none here.
    pub fn read(name: &str, file: &str, kind: SuiteKind, bytes: &[u8], options: SuiteOptions) -> Result<Self, Faults> {
        Self::read_from(name, file, kind, bytes, options)
    }

    fn read_from(
        name: &str,
        file: &str,
        kind: SuiteKind,
        input: impl BufRead,
        options: SuiteOptions,
    ) -> Result<Self, Faults> {
        let SuiteOptions { strictness, on_error, first } = options;
        let most = first.unwrap_or(usize::MAX);
        let (mut items, notes) = match kind {
            SuiteKind::Positions => {
                let mut reader = epd::Reader::new(file, input, strictness, on_error);
                let items: Vec<Item> = reader.by_ref().take(most).map(position).collect();
                (items, reader.finish()?)
            }
            SuiteKind::Games => {
                let read = pgn::read(file, &text_of_games(file, input)?, strictness, on_error, most)?;
                (read.games.into_iter().map(game).collect(), read.notes)
            }
        };
        name_items(name, &mut items);
        Ok(Self { name: name.to_owned(), items, notes })
    }
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuiteKind {
    /// A position to a line: EPD or FEN.
    Positions,
    /// Games with their moves: PGN.
    Games,
}

impl SuiteKind {
    /// The kind that a file's extension names; what names a suite that is compiled in is always a
    /// suite.
    pub fn from_path(path: &Path) -> Option<Self> {
        let file = match builtin::find(path) {
            Some(Ok(suite)) => Path::new(suite.file),
            Some(Err(_)) => return Some(Self::Positions),
            None => path,
        };
        match file.extension()?.to_ascii_lowercase().to_str()? {
            "epd" | "fen" => Some(Self::Positions),
            "pgn" => Some(Self::Games),
            _ => None,
        }
    }
}

/// The name of a suite: its file's, without folder and extension.
pub fn stem(path: &Path) -> String {
    match builtin::find(path) {
        Some(Ok(suite)) => suite.name().to_owned(),
        _ => path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
    }
}

/// The text of games, which is in UTF-8, or else in Latin-1 as the PGN standard (4.1) has it.
fn text_of_games(file: &str, mut input: impl BufRead) -> Result<String, Faults> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|error| {
        let message = format!("cannot be read: {error}");
        Faults(vec![Fault { file: file.to_owned(), line: 1, column: 1, message }])
    })?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect()))
}

fn position(epd: Epd) -> Item {
    let id = match epd.value("id") {
        Some(OperationValue::Text(id)) => id.trim().to_owned(),
        _ => String::new(),
    };
    Item { id, line: epd.line, board: epd.board, content: Content::Position(epd.operations) }
}

fn game(game: Game) -> Item {
    let known = |tag| game.tag(tag).map(str::trim).filter(|value| !value.is_empty() && *value != "?");
    let id = match (known("White"), known("Black")) {
        (Some(white), Some(black)) => {
            let year = known("Date").and_then(|date| date.get(..4)).filter(|year| !year.contains('?'));
            format!("{white} - {black}{}", year.map_or_else(String::new, |year| format!(", {year}")))
        }
        _ => String::new(),
    };
    Item { id, line: game.line, board: game.start, content: Content::Game(Box::new(game)) }
}

/// A text without control characters: those that part words are blanks, others U+FFFD.
pub fn printable(text: &str) -> String {
    let printable = |c: char| match c.is_control() {
        true if c.is_whitespace() || c == '\0' => ' ',
        true => char::REPLACEMENT_CHARACTER,
        false => c,
    };
    text.chars().map(printable).collect()
}

fn name_items(stem: &str, items: &mut [Item]) {
    // Ids by their hash: of a large suite they take as much memory as its positions.
    let mut taken = HashSet::new();
    let mut is_free = |id: &str| taken.insert(SipHasher13::new().hash(id.as_bytes()).as_u128());
    // How far the copies of an id are counted: counting each from 2 takes the square of their
    // number.
    let mut copies: HashMap<String, u64> = HashMap::new();
    for item in items {
        if item.id.is_empty() {
            item.id = format!("{stem}.{}", item.line);
        }
        item.id = printable(&item.id);
        if is_free(&item.id) {
            continue;
        }
        let copy = copies.entry(item.id.clone()).or_insert(1);
        let base = std::mem::take(&mut item.id);
        while {
            *copy += 1;
            item.id = format!("{base}#{copy}");
            !is_free(&item.id)
        } {}
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Items of one name are counted by it, each name by itself; one that has no name is called by
    /// its file and line.
    #[test]
    fn duplicate_ids_are_numbered_per_name() {
        let names = ["a", "b", "a", "b", "a", "", "a#2"];
        let line = |name: &&str| match *name {
            "" => "8/8/8/3k4/8/3K4/4P3/8 w - -\n".to_owned(),
            name => format!("8/8/8/3k4/8/3K4/4P3/8 w - - id \"{name}\";\n"),
        };
        let text: String = names.iter().map(line).collect();
        let read = Suite::read("s", "s.epd", SuiteKind::Positions, text.as_bytes(), SuiteOptions::default()).unwrap();
        let ids: Vec<&str> = read.items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "a#2", "b#2", "a#3", "s.6", "a#2#2"]);
    }

    /// A name can neither move the cursor of a terminal nor begin another line of a file.
    #[test]
    fn ids_contain_no_control_characters() {
        let text = "[White \"a\u{1b}[31m\"]\n[Black \"b\tc\u{85}\"]\n\n1. e4 *\n\n[White \"\u{7}\"]\n\n1. d4 *\n";
        let read = Suite::read("x\ny", "s.pgn", SuiteKind::Games, text.as_bytes(), SuiteOptions::default()).unwrap();
        let ids: Vec<&str> = read.items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["a\u{fffd}[31m - b c", "x y.6"]);
    }

    /// Who names good moves and bad ones means both: a move that is said to be both solves nothing.
    #[test]
    fn solution_is_a_best_move_that_is_not_avoided() {
        let item = |more: &str| {
            let text = format!("8/8/8/3k4/8/3K4/4P3/8 w - - {more} id \"a\";\n");
            let read = Suite::read("s", "s.epd", SuiteKind::Positions, text.as_bytes(), SuiteOptions::default());
            read.unwrap().items.remove(0)
        };
        let solved = |more: &str| {
            let item = item(more);
            ["Ke3", "Kc3"]
                .map(|san| item.solved_by(super::super::san::read(&item.board, san, Strictness::Strict).unwrap()))
        };
        assert_eq!(solved(""), [None, None]);
        assert_eq!(solved("bm Ke3;"), [Some(true), Some(false)]);
        assert_eq!(solved("am Ke3;"), [Some(false), Some(true)]);
        assert_eq!(solved("bm Ke3 Kc3; am Kc3;"), [Some(true), Some(false)]);
    }
}
