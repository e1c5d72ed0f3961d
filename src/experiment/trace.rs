//! A recorded trace in place of a suite: its games are the items, which tables are shown instead of being searched with.

use super::problem::Problem;
use super::text::FileText;
use crate::chess::Board;
use crate::chess::suite::Suite;
use crate::table::replay::{Game, games};
use crate::table::trace::{Info, TraceError};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::hash::Hasher;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Which trace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceChoice {
    /// What `ttlab trace` wrote, or include/ttlab-trace.h in any engine (looked for beside the experiment file, then in the
    /// working folder).
    pub file: PathBuf,
}

/// A trace and its games.
#[derive(Debug, Clone)]
pub struct Trace {
    /// The name, as the file has it.
    pub name: String,
    /// A hash of its bytes.
    pub digest: u64,
    games: BTreeMap<String, Game>,
    /// The games' names in their order.
    order: Vec<String>,
}

/// Reads and hashes.
struct Hashed<'a, R>(R, &'a mut siphasher::sip::SipHasher13);

impl<R: Read> Read for Hashed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let filled = self.0.read(buffer)?;
        self.1.write(&buffer[..filled]);
        Ok(filled)
    }
}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    /// When it cannot be read, and where it is damaged.
    pub fn load(choice: &TraceChoice, source: &FileText<'_>) -> Result<Self, Problem> {
        let name = choice.file.display().to_string();
        let beside = source.path.parent().unwrap_or(Path::new("")).join(&choice.file);
        let found = if beside.is_file() { beside } else { choice.file.clone() };
        let wrong = |error: TraceError| source.at("trace.file", format!("trace.file: {name}: {error}"));
        let open = || File::open(&found).map_err(|error| wrong(error.into()));
        let mut hash = siphasher::sip::SipHasher13::new_with_keys(0, 0);
        let info = Info::read(Hashed(open()?, &mut hash)).map_err(wrong)?;
        if !info.tells_worth() {
            let problem =
                "trace.file: no probe tells its window or ended its node, so that nothing can be said of worth";
            return Err(source.at("trace.file", problem));
        }
        let games = games(open()?, &info).map_err(wrong)?;
        let order: Vec<String> = (1..=games.len()).map(|number| format!("game {number}")).collect();
        Ok(Self { name, digest: hash.finish(), games: order.iter().cloned().zip(games).collect(), order })
    }

    /// The games as items of a suite: their names. They have no position.
    #[must_use]
    pub fn suite(&self) -> Suite {
        let item = |name: &String| Suite::of_board(name, Board::startpos()).items;
        Suite { items: self.order.iter().flat_map(item).collect(), ..Suite::of_board(&self.name, Board::startpos()) }
    }

    /// The game of an item.
    #[must_use]
    pub fn game(&self, item: &str) -> Option<&Game> {
        self.games.get(item)
    }
}
