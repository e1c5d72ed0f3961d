//! The engine: iterative deepening, and the state kept between iterations and searches.

use super::anatomy::{Anatomy, Dissector};
use super::audit::{Auditor, Findings};
use super::check::OptionError;
use super::eval::{self, Evaluator};
use super::instruments::Instruments;
use super::node::TableAnswer;
use super::observer::{NoObserver, Observer};
use super::options::{Diagnostics, EngineOptions, GamePly, Ordering};
use super::oracle::{self, BestMoves};
use super::ordering::{Learned, Ranks, Stack};
use super::outcome::{Iteration, Limit, Outcome, SearchCounters, SearchProgress};
use super::pv::Variations;
use super::search::Search;
use super::stop::Stop;
use super::switches::Switches;
use crate::chess::increments::Increments;
use crate::chess::keys::Keys;
use crate::chess::{Board, Move, MoveList, Score};
use crate::table::offers::Offers;
use crate::table::options::{Clear, TickSource};
use crate::table::watch::WatchedTable;
use crate::table::{self, ObservedTable, Table, TableError, TableKind};

/// Maximum depth of an iteration.
const MAX_DEPTH: u8 = 255;

/// A configured engine with its state between searches.
pub struct Engine {
    options: EngineOptions,
    increments: Increments,
    check_keys: Keys,
    table: Option<Box<dyn Table>>,
    learned: Learned,
    /// Game ply of the last search in this game, for the table's clock.
    last_ply: Option<u16>,
    /// The results of the audit so far, if there is one.
    audit: Option<Box<Findings>>,
    /// Whether it has searched since it was created or reset.
    searched: bool,
    /// The engine that learns each node's best move, if the ordering uses the oracle.
    learner: Option<Box<Engine>>,
    /// The best moves that this engine records, if it is such a learner.
    notes: Option<BestMoves>,
}

/// Why an engine cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// An option is out of range, or two options conflict.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The table cannot be created.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Wraps a table with the observer of full diagnostics.
fn observed(table: Box<dyn Table>) -> Result<Box<dyn Table>, TableError> {
    Ok(Box::new(ObservedTable::new(table)?))
}

impl Engine {
    /// Checks the options and creates keys and table; the table's memory is touched before this
    /// returns. `working_set`: the entries that an unbounded table stores, for sizes given as a
    /// share of it.
    ///
    /// # Errors
    /// When an option is out of range, or there is not enough memory. Messages begin with the
    /// option's path.
    pub fn new(options: &EngineOptions, working_set: Option<u64>) -> Result<Self, EngineError> {
        options.check()?;
        let table = table::build(&options.table, working_set, options.probe.answers_by_depth())?;
        Self::assemble(options, table)
    }

    /// Creates an engine with the caller's table (`docs/add-a-policy.md`); `options.probe` and
    /// `options.store` define how the search uses it.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn with_table(options: &EngineOptions, table: Box<dyn Table>) -> Result<Self, EngineError> {
        options.check()?;
        Self::assemble(options, Some(table))
    }

    fn assemble(options: &EngineOptions, table: Option<Box<dyn Table>>) -> Result<Self, EngineError> {
        let table = table.map(|table| watch_offers(options, table)).transpose()?;
        let table = match options.diagnostics {
            Diagnostics::Off => table,
            Diagnostics::Full => table.map(observed).transpose()?,
        };
        let increments = Increments::new(Keys::new(&options.keys), &eval::piece_square_values(&options.eval));
        Ok(Self {
            options: options.clone(),
            increments,
            check_keys: Keys::independent(),
            table,
            learned: Learned::default(),
            last_ply: None,
            audit: None,
            searched: false,
            learner: match options.ordering.contains(&Ordering::Oracle) {
                true => {
                    let mut learner = Self::new(&oracle::learner(options), None)?;
                    learner.notes = Some(BestMoves::default());
                    Some(Box::new(learner))
                }
                false => None,
            },
            notes: None,
        })
    }

    /// The options of the engine.
    #[must_use]
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// The table, if there is one.
    #[must_use]
    pub fn table(&self) -> Option<&dyn Table> {
        self.table.as_deref()
    }

    /// Resets all state, whatever the options keep. Later counts are those of a new engine.
    pub fn reset(&mut self) {
        if let Some(table) = self.table.as_mut() {
            table.renew();
        }
        self.learned.clear();
        self.last_ply = None;
        self.searched = false;
        self.notes.iter_mut().for_each(BestMoves::clear);
    }

    /// Clears the state that is not kept between games.
    pub fn new_game(&mut self) {
        self.forget(Clear::Game);
        self.last_ply = None;
    }

    /// Clears the state that is due at an occasion or a more frequent one.
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
                self.learned.clear();
            }
        }
    }

    /// Advances the table's clock before a root search.
    fn tick(&mut self, board: &Board) {
        let ply = match self.options.game_ply {
            GamePly::Game => board.game_ply(),
            GamePly::Zero => 0,
        };
        let ticks = match self.options.table.clock {
            TickSource::Search => u16::from(self.searched),
            TickSource::Iteration => 0,
            TickSource::GamePly => ply.saturating_sub(self.last_ply.unwrap_or(ply)),
        };
        self.last_ply = Some(ply);
        self.advance(ticks);
    }

    /// Advances the table's clock by `ticks`.
    fn advance(&mut self, ticks: u16) {
        self.table.iter_mut().for_each(|table| table.advance(ticks));
    }

    /// Searches a position. `past`: the earlier positions of the game, the oldest first, for
    /// repetitions; `stop` is checked about every thousand nodes; `watch` is called when each
    /// iteration begins and ends (to read a clock) and with its results.
    ///
    /// Counts depend only on the options, the position, its past, the limit and the earlier
    /// searches.
    pub fn search<'s>(
        &mut self,
        board: &Board,
        past: &[Board],
        limit: Limit,
        stop: impl Into<Stop<'s>>,
        watch: &mut dyn FnMut(SearchProgress),
    ) -> Outcome {
        self.forget(Clear::Search);
        self.tick(board);
        self.searched = true;
        self.learner.iter_mut().for_each(|learner| learner.reset());
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
        let stop = stop.into();
        let iterations = self.deepen(&root, path, limit, stop, watch);
        Outcome { iterations, stopped: stop.is_set() }
    }

    /// Runs the iterations of one root search.
    fn deepen(
        &mut self,
        root: &Board,
        path: Vec<u64>,
        limit: Limit,
        stop: Stop<'_>,
        watch: &mut dyn FnMut(SearchProgress),
    ) -> Vec<Iteration> {
        let mut iterations: Vec<Iteration> = Vec::new();
        let target = limit.depth.unwrap_or(MAX_DEPTH).max(1);
        let deepening = self.options.deepening;
        let mut depth = if deepening.step == 0 { target } else { deepening.start.clamp(1, target) };
        let mut counted = SearchCounters::default();
        let mut buffers = Buffers { path, ..Buffers::default() };
        loop {
            if !iterations.is_empty() {
                self.forget(Clear::Iteration);
            }
            if self.options.table.clock == TickSource::Iteration {
                self.advance(1);
            }
            if let Some(learner) = self.learner.as_mut() {
                let only = Limit { depth: Some(depth), nodes: None };
                learner.deepen(root, buffers.path.clone(), only, stop, &mut |_| {});
            }
            let before = self.table.as_ref().map(|table| table.counters()).unwrap_or_default();
            let last = iterations.last();
            let nodes_left = limit.nodes.map_or(u64::MAX, |nodes| nodes - counted.nodes);
            let expected = IterationPlan { depth, guess: last.map(|last| last.score), nodes: nodes_left };
            let found = self.iterate(root, expected, &mut buffers, stop, watch);
            counted += found.count;
            let (after, occupancy) =
                self.table.as_ref().map_or_else(Default::default, |table| (table.counters(), table.occupancy()));
            let (score, best, pv) = match (found.finished, last) {
                (true, _) => (found.score, found.pv.first().copied().unwrap_or(Move::NONE), found.pv),
                (false, Some(last)) => (last.score, last.best, last.pv.clone()),
                (false, None) => (0, Move::NONE, Vec::new()),
            };
            let finished = found.finished;
            let iteration = Iteration {
                depth,
                deepest: found.deepest,
                score,
                best,
                pv,
                search: found.count,
                table: after - before,
                occupancy,
                anatomy: found.anatomy,
                finished,
            };
            watch(SearchProgress::Iteration(&iteration));
            iterations.push(iteration);
            let out_of_nodes = limit.nodes.is_some_and(|nodes| counted.nodes >= nodes);
            if !finished || out_of_nodes || depth >= target || deepening.step == 0 {
                return iterations;
            }
            depth = depth.saturating_add(deepening.step).min(target);
        }
    }

    /// Searches one iteration with the requested observers.
    fn iterate(
        &mut self,
        root: &Board,
        expected: IterationPlan,
        buffers: &mut Buffers,
        stop: Stop<'_>,
        watch: &mut dyn FnMut(SearchProgress),
    ) -> IterationResult {
        let on = Switches::new(&self.options);
        let evaluator = Evaluator::new(self.options.eval, on.mate_threshold - 1);
        let full = self.options.diagnostics == Diagnostics::Full;
        let instruments = Instruments {
            dissector: full.then(|| Box::new(Dissector::new(&self.check_keys, on.cutoffs, self.table.as_deref()))),
            auditor: self.audit.as_deref_mut().map(|findings| Auditor::new(findings, on, evaluator, &self.increments)),
            notes: self.notes.as_mut(),
        };
        let kernel = Kernel {
            options: &self.options,
            increments: &self.increments,
            table: self.table.as_deref_mut(),
            learned: &mut self.learned,
            oracle: self.learner.as_ref().and_then(|learner| learner.notes.as_ref()),
            on,
            evaluator,
        };
        if instruments.is_empty() {
            return kernel.run(NoObserver, root, expected, buffers, stop, watch).0;
        }
        let (mut found, instruments, table) = kernel.run(instruments, root, expected, buffers, stop, watch);
        if let Some(mut auditor) = instruments.auditor
            && found.finished
        {
            auditor.examine_root(root, &buffers.path, i32::from(expected.depth), found.score);
        }
        found.anatomy = instruments.dissector.map(|dissector| Box::new(dissector.finish(table)));
        found
    }
}

impl Engine {
    /// Audits every table answer from now on. Counts stay the same; time does not.
    pub fn audit(&mut self) {
        self.audit = Some(Box::default());
    }

    /// Returns and clears the audit's results.
    pub fn findings(&mut self) -> Findings {
        self.audit.as_deref_mut().map(std::mem::take).unwrap_or_default()
    }
}

/// Wraps the table with a record of offers, if the options need it.
fn watch_offers(options: &EngineOptions, table: Box<dyn Table>) -> Result<Box<dyn Table>, TableError> {
    if !options.keeps_offers() {
        return Ok(table);
    }
    let by_depth = options.table.kind == TableKind::Unbounded && options.probe.answers_by_depth();
    Ok(Box::new(WatchedTable::with_watch(Offers::new(&options.table, by_depth)?, table)))
}

/// The task of one iteration.
#[derive(Debug, Clone, Copy)]
struct IterationPlan {
    depth: u8,
    /// The score of the previous iteration.
    guess: Option<Score>,
    nodes: u64,
}

/// The result of one iteration.
struct IterationResult {
    score: Score,
    pv: Vec<Move>,
    count: SearchCounters,
    finished: bool,
    deepest: usize,
    anatomy: Option<Box<Anatomy>>,
}

/// Buffers reused between iterations, so that only the first allocates.
#[derive(Default)]
struct Buffers {
    path: Vec<u64>,
    stack: Stack,
    pv: Variations,
}

/// The parts of the engine that a search borrows.
struct Kernel<'a> {
    options: &'a EngineOptions,
    increments: &'a Increments,
    table: Option<&'a mut (dyn Table + 'static)>,
    learned: &'a mut Learned,
    oracle: Option<&'a BestMoves>,
    on: Switches,
    evaluator: Evaluator,
}

impl<'a> Kernel<'a> {
    /// Searches one iteration with an observer and returns what was borrowed.
    fn run<O: Observer>(
        self,
        observer: O,
        root: &Board,
        expected: IterationPlan,
        buffers: &mut Buffers,
        stop: Stop<'a>,
        watch: &mut dyn FnMut(SearchProgress),
    ) -> (IterationResult, O, Option<&'a dyn Table>) {
        let Self { options, increments, table, learned, oracle, on, evaluator } = self;
        let mut search = Search {
            on,
            ranks: Ranks::new(options),
            algorithm: options.algorithm,
            aspiration: options.aspiration,
            evaluator,
            increments,
            stored_nodes: table.as_ref().is_some_and(|table| table.counts_stored_nodes()),
            table,
            learned,
            count: SearchCounters::default(),
            credit: 0,
            stack: std::mem::take(&mut buffers.stack),
            scratch: MoveList::new(),
            pv: std::mem::replace(&mut buffers.pv, Variations::none()),
            path: std::mem::take(&mut buffers.path),
            stop,
            node_limit: expected.nodes,
            next_check: 0,
            aborted: false,
            extending_plies: 2 * usize::from(expected.depth),
            known: TableAnswer::default(),
            oracle,
            observer,
        };
        watch(SearchProgress::Begin { depth: expected.depth });
        let score = search.iterate(root, i32::from(expected.depth), expected.guess);
        watch(SearchProgress::End);
        let Search { observer, table, count, aborted, stack, mut pv, path, .. } = search;
        let deepest = pv.take_deepest();
        let line = pv.get(0).to_vec();
        *buffers = Buffers { path, stack, pv };
        let table = table.map(|table| table as &dyn Table);
        (IterationResult { score, pv: line, count, finished: !aborted, deepest, anatomy: None }, observer, table)
    }
}
