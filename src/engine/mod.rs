//! The game-tree search: a table, an ordering memory and one root search after another.

mod alpha_beta;
pub mod anatomy;
pub mod audit;
mod check;
mod consult;
mod deepening;
pub mod eval;
mod foresight;
mod leaf;
mod minimax;
pub mod options;
pub mod ordering;
pub mod outcome;
mod pv;
pub mod reference;
mod renamed;
mod search;
mod switches;
mod table_use;

pub use check::OptionError;
pub use options::EngineOptions;
pub use outcome::{Iteration, Limit, Outcome, Progress, SearchCounters};
pub use renamed::renamed;

use crate::chess::increments::Increments;
use crate::chess::keys::Keys;
use crate::chess::{Board, MoveList};
use crate::table::options::{Clear, Clock};
use crate::table::{self, Table, TableError};
use ordering::Memory;
use std::sync::atomic::AtomicBool;

/// A configured engine and what it keeps between searches.
pub struct Engine {
    options: EngineOptions,
    increments: Increments,
    check_keys: Keys,
    table: Option<Box<dyn Table>>,
    memory: Memory,
    /// Game ply of the last search of this game, for the table's clock.
    last_ply: Option<u16>,
    /// What the audit found so far, where one is asked for.
    audit: Option<Box<audit::Findings>>,
    /// Whether a search was made since the engine was new.
    searched: bool,
    /// The engine that finds each node's first move, where the ordering asks for foresight.
    scout: Option<Box<Engine>>,
    /// What this engine notes down, if it is a scout.
    notes: Option<foresight::Notes>,
}

/// Why an engine cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// An option is out of its range, or two do not go together.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The table cannot be made.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl Engine {
    /// Checks the options and makes keys and table; the table's memory is touched before this returns.
    /// `working_set`: entries that an unbounded table stores, for sizes given as a share of it.
    ///
    /// # Errors
    /// When an option is out of range, or the table's memory cannot be had. Messages name the option's path first.
    pub fn new(options: &EngineOptions, working_set: Option<u64>) -> Result<Self, EngineError> {
        let diagnostics = options.diagnostics == options::Diagnostics::Full;
        options.check()?;
        let mut table = table::build(&options.table, working_set, options.probe.answers_by_depth())?;
        if let Some(table) = table.as_mut().filter(|_| diagnostics) {
            table.observe();
        }
        Self::assemble(options, table)
    }

    /// An engine with a table of the caller's own making (`examples/custom_policy.rs`); `options.probe` and
    /// `options.store` say how the search uses it.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn with_table(options: &EngineOptions, table: Box<dyn Table>) -> Result<Self, EngineError> {
        options.check()?;
        Self::assemble(options, Some(table))
    }

    fn assemble(options: &EngineOptions, table: Option<Box<dyn Table>>) -> Result<Self, EngineError> {
        let increments = Increments::new(Keys::new(&options.keys), &eval::piece_square_values(&options.eval));
        Ok(Self {
            options: options.clone(),
            increments,
            check_keys: Keys::independent(),
            table,
            memory: Memory::default(),
            last_ply: None,
            audit: None,
            searched: false,
            scout: match options.ordering.contains(&options::Ordering::Foreseen) {
                true => Some(Box::new(foresight::scout(options)?)),
                false => None,
            },
            notes: None,
        })
    }

    /// What the engine was made with.
    #[must_use]
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// The table, if there is one.
    #[must_use]
    pub fn table(&self) -> Option<&dyn Table> {
        self.table.as_deref()
    }

    /// As new: everything is forgotten, whatever the options keep. Counts of what follows are those of a new engine.
    pub fn reset(&mut self) {
        if let Some(table) = self.table.as_mut() {
            table.renew();
        }
        self.memory.clear();
        self.last_ply = None;
        self.searched = false;
        self.notes.iter_mut().for_each(foresight::Notes::clear);
    }

    /// Forgets what is not kept between games.
    pub fn new_game(&mut self) {
        self.forget(Clear::Game);
        self.last_ply = None;
    }

    /// Forgets what is cleared at an occasion or at a more frequent one.
    fn forget(&mut self, occasion: Clear) {
        let frequent = |clear: Clear| match occasion {
            Clear::Iteration => clear == Clear::Iteration,
            Clear::Search => matches!(clear, Clear::Iteration | Clear::Search),
            Clear::Game => clear != Clear::Never,
            Clear::Never => false,
        };
        if self.searched {
            if frequent(self.options.table.clear)
                && let Some(table) = self.table.as_mut()
            {
                table.clear();
            }
            if frequent(self.options.history_clear) {
                self.memory.clear();
            }
        }
    }

    /// Moves the table's clock before a root search.
    fn tick(&mut self, board: &Board) {
        let ply = match self.options.game_ply {
            options::GamePly::Game => board.game_ply(),
            options::GamePly::Zero => 0,
        };
        let ticks = match self.options.table.clock {
            Clock::Search => u16::from(self.searched),
            Clock::Iteration => 0,
            Clock::GamePly => ply.saturating_sub(self.last_ply.unwrap_or(ply)),
        };
        self.last_ply = Some(ply);
        if let Some(table) = self.table.as_mut() {
            table.advance(ticks);
        }
    }

    /// Searches a position. `past`: the positions of the game before it, the oldest first, for repetitions; `stop` is
    /// looked at every few thousand nodes; `watch` hears when each iteration
    /// begins and ends (the place to read a clock) and what it found.
    ///
    /// Counts depend on the options, the position, its past, the limit and the searches before it: on nothing else.
    pub fn search(
        &mut self,
        board: &Board,
        past: &[Board],
        limit: Limit,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(Progress),
    ) -> Outcome {
        self.forget(Clear::Search);
        self.tick(board);
        self.searched = true;
        self.scout.iter_mut().for_each(|scout| scout.reset());
        let mut root = *board;
        root.rekey(&self.increments);
        let path = past
            .iter()
            .map(|&earlier| {
                let mut earlier = earlier;
                earlier.rekey(&self.increments);
                earlier.key()
            })
            .collect();
        let iterations = deepening::deepen(self, &root, path, limit, stop, watch);
        Outcome { iterations, stopped: stop.load(std::sync::atomic::Ordering::Relaxed) }
    }

    /// The legal moves of a position in the engine's own generation order.
    #[must_use]
    pub fn moves(&self, board: &Board) -> MoveList {
        let mut moves = MoveList::new();
        crate::chess::movegen::legal(board, &mut moves);
        self.options.generation.sort(board, &mut moves, self.options.generation_seed);
        moves
    }
}
