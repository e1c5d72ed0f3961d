//! The engine: iterative deepening, and the state kept between iterations and searches.

use super::anatomy::{Anatomy, Dissector};
use super::crew::Crew;
use super::eval;
use super::helper::{Helper, MAX_DEPTH, Task};
use super::instruments::Instruments;
use super::kernel::Kernel;
use super::observer::{NoObserver, Observer, ProbeWatch};
use super::options::{DepthRule, Diagnostics, EngineOptions, Ordering, Use};
use super::oracle::{self, BestMoves};
use super::ordering::Heuristics;
use super::outcome::{Iteration, Limit, Outcome, SearchCounters, SearchProgress};
use super::pace::{Pace, Team};
use super::real::{RealCrew, Shared};
use super::search::{Buffers, Search};
use super::stop::Stop;
use crate::chess::increments::Increments;
use crate::chess::keys::Keys;
use crate::chess::{Board, Move, Score};
use crate::table::offers::Offers;
use crate::table::options::{Clear, TickSource};
use crate::table::watch::WatchedTable;
use crate::table::{self, ObservedTable, OptionError, SharedTable, Table, TableError, TableKind, ThreadCounters};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

/// A configured engine with its state between searches.
pub struct Engine {
    options: Arc<EngineOptions>,
    increments: Arc<Increments>,
    check_keys: Keys,
    table: Option<Box<dyn Table>>,
    heuristics: Heuristics,
    #[allow(clippy::vec_box)]
    helpers: Vec<Box<Helper>>,
    /// The game ply of the last search in this game, for the table's clock.
    last_ply: Option<u16>,
    probe_watch: Option<ProbeWatch>,
    has_searched: bool,
    /// The engine that learns the best move of each node, if the ordering uses the oracle.
    learner: Option<Box<Engine>>,
    /// The best moves that this engine records, if it is the learner of another engine.
    best_moves: Option<BestMoves>,
    /// The only root moves of the next search; empty for all.
    root_moves: Vec<Move>,
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

/// Wraps a table so that it keeps the counters of full diagnostics.
fn with_full_diagnostics(table: Box<dyn Table>) -> Result<Box<dyn Table>, TableError> {
    Ok(Box::new(ObservedTable::new(table)?))
}

impl Engine {
    /// Checks the options, and creates an engine with its keys and its table. The whole memory of
    /// the table is touched before this function returns.
    ///
    /// `working_set` is the number of entries that an unbounded table would store. It is needed if
    /// the size of the table is given as a share of this number.
    ///
    /// # Errors
    /// If an option is out of range, or if there is not enough memory. Each message begins with the
    /// path of an option.
    pub fn new(options: &EngineOptions, working_set: Option<u64>) -> Result<Self, EngineError> {
        options.check()?;
        Self::assemble(options, table::build(&options.table, working_set, options.probe.depth == DepthRule::Equal)?)
    }

    /// Creates an engine that uses the caller's table (see `docs/add-a-policy.md`). How the search
    /// uses the table is defined by `options.probe` and `options.store`.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn with_table(options: &EngineOptions, table: Box<dyn Table>) -> Result<Self, EngineError> {
        options.check()?;
        Self::assemble(options, Some(table))
    }

    /// Creates an engine that uses `table`, if it has one. Several searchers share it through
    /// handles.
    fn assemble(options: &EngineOptions, table: Option<Box<dyn Table>>) -> Result<Self, EngineError> {
        let wrap_table = |table| match options.diagnostics {
            Diagnostics::Off => record_offers(options, table),
            Diagnostics::Full => with_full_diagnostics(record_offers(options, table)?),
        };
        let tables = match table.map(wrap_table).transpose()? {
            Some(table) if options.threads.count > 1 => {
                SharedTable::for_searchers(table, options.threads.count, !options.threads.is_real())
            }
            table => Vec::from_iter(table),
        };
        let increments = Arc::new(Increments::new(Keys::new(&options.keys), &eval::piece_square_values(&options.eval)));
        let (shared_options, mut tables) = (Arc::new(options.clone()), tables.into_iter());
        let main_table = tables.next();
        Ok(Self {
            helpers: (1..options.threads.count)
                .map(|number| Box::new(Helper::new(number as u8, &shared_options, &increments, tables.next())))
                .collect(),
            options: shared_options,
            increments,
            check_keys: Keys::independent(),
            table: main_table,
            heuristics: Heuristics::default(),
            last_ply: None,
            probe_watch: None,
            has_searched: false,
            learner: if options.ordering.contains(&Ordering::Oracle) {
                let mut learner = Self::new(&oracle::learner_options(options), None)?;
                learner.best_moves = Some(BestMoves::default());
                Some(Box::new(learner))
            } else {
                None
            },
            best_moves: None,
            root_moves: Vec::new(),
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

    /// Resets all state, even state that the options never clear. Later searches have the same
    /// counts as those of a new engine.
    pub fn reset(&mut self) {
        if let Some(table) = self.table.as_mut() {
            table.clear();
            table.forget_records();
        }
        self.clear_heuristics();
        self.last_ply = None;
        self.has_searched = false;
        if let Some(best_moves) = &mut self.best_moves {
            best_moves.clear();
        }
    }

    /// Clears the state that is not kept between games.
    pub fn new_game(&mut self) {
        self.clear_at(Clear::Game);
        self.last_ply = None;
        // The clock of an emptied table begins anew, because some policies compare entries with
        // empty slots.
        self.has_searched &= self.options.table.clear > Clear::Game;
    }

    /// Clears the table and the heuristics at the beginning of an iteration, a search or a game, if
    /// the options ask for it. What is cleared before each iteration is also cleared before each
    /// search and each game. What is cleared before each search is also cleared before each game.
    /// Nothing is cleared before the first search.
    fn clear_at(&mut self, occasion: Clear) {
        if self.has_searched {
            if self.options.table.clear <= occasion
                && let Some(table) = self.table.as_mut()
            {
                table.clear();
            }
            if self.options.history_clear <= occasion {
                // At the beginning of an iteration, each helper clears its own heuristics.
                if occasion == Clear::Iteration {
                    self.heuristics.clear();
                } else {
                    self.clear_heuristics();
                }
            }
        }
    }

    /// Restricts the next search to these moves of its position. Moves that are not legal there are
    /// left out; if none remains, all moves are searched. The score of some of the moves is neither
    /// taken from the table nor stored there.
    pub fn restrict_root(&mut self, moves: &[Move]) {
        self.root_moves = moves.to_vec();
    }

    fn clear_heuristics(&mut self) {
        self.heuristics.clear();
        self.helpers.iter_mut().for_each(|helper| helper.heuristics.clear());
    }

    fn advance_clock_before_search(&mut self, board: &Board) {
        let ply = board.game_ply();
        let ticks = match self.options.table.clock {
            TickSource::Search => u16::from(self.has_searched),
            TickSource::Iteration => 0,
            TickSource::GamePly => ply.saturating_sub(self.last_ply.unwrap_or(ply)),
        };
        self.last_ply = Some(ply);
        self.advance_clock(ticks);
    }

    fn advance_clock(&mut self, ticks: u16) {
        self.table.iter_mut().for_each(|table| table.advance(ticks));
    }

    /// Searches a position.
    ///
    /// `past` has the earlier positions of the game, the oldest first. They are needed to detect
    /// repetitions. `stop` is checked about every thousand nodes. `watch` is called three times for
    /// each iteration: when the iteration begins, when its search ends, and with its results. The
    /// caller can read a clock in the first two calls.
    ///
    /// The counters in the results depend only on the options, the position, the earlier positions,
    /// the limit and the earlier searches.
    pub fn search<'s>(
        &mut self,
        board: &Board,
        past: &[Board],
        limit: Limit,
        stop: impl Into<Stop<'s>>,
        watch: &mut dyn FnMut(SearchProgress),
    ) -> Outcome {
        let stop = stop.into();
        self.clear_at(Clear::Search);
        self.advance_clock_before_search(board);
        self.has_searched = true;
        if let Some(learner) = &mut self.learner {
            learner.reset();
        }
        let mut root = *board;
        root.rekey(&self.increments);
        let key_of = |mut earlier: Board| {
            earlier.rekey(&self.increments);
            earlier.key()
        };
        let path: Vec<u64> = past.iter().copied().map(key_of).collect();
        self.root_moves.retain(|mv| root.is_legal(*mv));
        let root_moves = self.root_moves.clone();
        let task = Task { root, path: path.clone(), first_depth: self.first_depth(limit), root_moves };
        if self.options.threads.is_real() {
            let outcome = self.search_on_threads(&root, task, limit, stop, watch);
            self.root_moves.clear();
            return outcome;
        }
        let helpers = std::mem::take(&mut self.helpers);
        let mut crew =
            (!helpers.is_empty()).then(|| Crew::new(&self.options.threads, helpers, &task, limit.nodes, stop));
        let iterations = self.deepen(&root, path, limit, stop, crew.as_mut().map(|crew| crew as &mut dyn Team), watch);
        // The helpers can end their searches only if the main searcher's turn has ended.
        self.table.iter_mut().for_each(|table| table.suspend(&[]));
        self.helpers = crew.map(Crew::end).unwrap_or_default();
        self.root_moves.clear();
        Outcome { iterations, stopped: stop.is_set() }
    }

    fn search_on_threads(
        &mut self,
        root: &Board,
        task: Task,
        limit: Limit,
        stop: Stop<'_>,
        watch: &mut dyn FnMut(SearchProgress),
    ) -> Outcome {
        let shared = Shared::new(&self.options.threads, limit.nodes, stop);
        let (helpers, path) = (std::mem::take(&mut self.helpers), task.path.clone());
        let iterations = std::thread::scope(|scope| {
            let start_thread = |helper| shared.start(scope, helper, task.clone());
            let threads: Vec<_> = helpers.into_iter().map(start_thread).collect();
            let mut crew = RealCrew::new(&shared);
            let iterations = self.deepen(root, path, limit, stop, Some(&mut crew), watch);
            drop(crew);
            let join = |thread: ScopedJoinHandle<'_, _>| thread.join().unwrap_or_else(|failure| resume_unwind(failure));
            self.helpers = threads.into_iter().map(join).collect();
            iterations
        });
        Outcome { iterations, stopped: stop.is_set() }
    }

    fn first_depth(&self, limit: Limit) -> u8 {
        let (deepening, last_depth) = (self.options.deepening, limit.depth.unwrap_or(MAX_DEPTH).max(1));
        if deepening.step == 0 { last_depth } else { deepening.start.clamp(1, last_depth) }
    }

    /// Runs the iterations of one root search. `path` has the keys of the earlier positions of the
    /// game. `crew` has the helpers, if there are any.
    fn deepen(
        &mut self,
        root: &Board,
        path: Vec<u64>,
        limit: Limit,
        stop: Stop<'_>,
        mut crew: Option<&mut dyn Team>,
        watch: &mut dyn FnMut(SearchProgress),
    ) -> Vec<Iteration> {
        let mut iterations: Vec<Iteration> = Vec::new();
        let last_depth = limit.depth.unwrap_or(MAX_DEPTH).max(1);
        let deepening = self.options.deepening;
        let mut depth = self.first_depth(limit);
        let (mut total_counts, mut earlier_helper_counts) = (SearchCounters::default(), SearchCounters::default());
        let mut guess = None;
        let mut buffers = Buffers { path, ..Buffers::default() };
        loop {
            if !iterations.is_empty() {
                self.clear_at(Clear::Iteration);
            }
            if self.options.table.clock == TickSource::Iteration {
                self.advance_clock(1);
            }
            if let Some(learner) = self.learner.as_mut() {
                let only_this_depth = Limit { depth: Some(depth), nodes: None };
                learner.deepen(root, buffers.path.clone(), only_this_depth, stop, None, &mut |_| {});
            }
            let table_before = self.table.as_ref().map(|table| table.counters()).unwrap_or_default();
            let threads_before = self.thread_counters();
            let previous_iteration = iterations.last();
            let nodes_left = limit.nodes.map_or(u64::MAX, |nodes| nodes - total_counts.nodes);
            let plan = IterationPlan { depth, guess, nodes_left };
            let pace = match crew.as_mut() {
                Some(crew) => Pace::Turns(&mut **crew),
                None => Pace::Alone(stop),
            };
            let mut result = self.iterate(root, plan, &mut buffers, pace, watch);
            let counts_of_helpers = crew.as_mut().map(|crew| crew.end_iteration(result.count.nodes));
            let mut all_helper_counts = SearchCounters::default();
            counts_of_helpers.into_iter().flatten().for_each(|counts| all_helper_counts += counts);
            let helper_counts = all_helper_counts - earlier_helper_counts;
            earlier_helper_counts = all_helper_counts;
            result.count += helper_counts;
            guess = Some(result.score);
            // In one tick, each searcher searches one node.
            let to_ticks = |nodes: u64| nodes / u64::from(self.options.threads.count);
            let ticks_before = to_ticks(total_counts.nodes);
            total_counts += result.count;
            let (table_after, occupancy) =
                self.table.as_ref().map_or_else(Default::default, |table| (table.counters(), table.occupancy()));
            // An unfinished iteration gets the results of the iteration before it.
            let (score, best, pv) = match (result.finished, previous_iteration) {
                (true, _) => (result.score, result.pv.first().copied().unwrap_or(Move::NONE), result.pv),
                (false, Some(previous)) => (previous.score, previous.best, previous.pv.clone()),
                (false, None) => (0, Move::NONE, Vec::new()),
            };
            let finished = result.finished;
            let iteration = Iteration {
                depth,
                deepest: result.deepest,
                score,
                best,
                pv,
                search: result.count,
                table: table_after - table_before,
                occupancy,
                threads: ThreadCounters {
                    ticks: to_ticks(total_counts.nodes) - ticks_before,
                    helper_nodes: helper_counts.nodes,
                    ..self.thread_counters() - threads_before
                },
                anatomy: result.anatomy,
                finished,
            };
            watch(SearchProgress::Iteration(&iteration));
            iterations.push(iteration);
            let is_out_of_nodes = limit.nodes.is_some_and(|nodes| total_counts.nodes >= nodes);
            if !finished || is_out_of_nodes || depth >= last_depth || deepening.step == 0 {
                return iterations;
            }
            depth = depth.saturating_add(deepening.step).min(last_depth);
        }
    }

    /// Searches one iteration with the observers that are required.
    fn iterate<'a>(
        &'a mut self,
        root: &Board,
        plan: IterationPlan,
        buffers: &mut Buffers,
        pace: Pace<'a>,
        watch: &mut dyn FnMut(SearchProgress),
    ) -> IterationResult {
        let collects_anatomy = self.options.diagnostics == Diagnostics::Full;
        let allows_cutoffs = self.options.probe.uses != Use::Moves;
        let instruments = Instruments {
            dissector: collects_anatomy
                .then(|| Box::new(Dissector::new(&self.check_keys, allows_cutoffs, self.table.as_deref()))),
            probe_watch: self.probe_watch.as_mut(),
            best_moves: self.best_moves.as_mut(),
        };
        let kernel = Kernel {
            options: &self.options,
            increments: &self.increments,
            table: self.table.as_deref_mut(),
            heuristics: &mut self.heuristics,
            oracle: self.learner.as_ref().and_then(|learner| learner.best_moves.as_ref()),
            root_order: None,
            root_moves: &self.root_moves,
        };
        if instruments.is_empty() {
            let (result, ..) = run_iteration(kernel, NoObserver, root, plan, buffers, pace, watch);
            return result;
        }
        let (mut result, instruments, table) = run_iteration(kernel, instruments, root, plan, buffers, pace, watch);
        result.anatomy = instruments.dissector.map(|dissector| Box::new(dissector.finish(table)));
        result
    }
}

impl Engine {
    /// Makes later searches call `watch` after each probe of the main searcher. This changes their
    /// time but not their counts.
    #[doc(hidden)]
    pub fn watch_probes(&mut self, watch: ProbeWatch) {
        self.probe_watch = Some(watch);
    }

    fn thread_counters(&self) -> ThreadCounters {
        self.table.as_ref().map(|table| table.thread_counters()).unwrap_or_default()
    }
}

/// Wraps a table so that it records the entries offered to it, if the options need this record.
/// Otherwise returns the table itself.
fn record_offers(options: &EngineOptions, table: Box<dyn Table>) -> Result<Box<dyn Table>, TableError> {
    if !options.records_offers() {
        return Ok(table);
    }
    // If the table keeps an entry for each depth of a position, the record does so too.
    let by_depth = options.table.kind == TableKind::Unbounded && options.probe.depth == DepthRule::Equal;
    Ok(Box::new(WatchedTable::with_watch(Offers::new(&options.table, by_depth)?, table)))
}

#[derive(Debug, Clone, Copy)]
struct IterationPlan {
    depth: u8,
    guess: Option<Score>,
    nodes_left: u64,
}

struct IterationResult {
    score: Score,
    pv: Vec<Move>,
    count: SearchCounters,
    finished: bool,
    deepest: usize,
    anatomy: Option<Box<Anatomy>>,
}

/// Searches one iteration with an observer. Returns the result together with the observer and the
/// table.
fn run_iteration<'a, O: Observer>(
    kernel: Kernel<'a>,
    observer: O,
    root: &Board,
    plan: IterationPlan,
    buffers: &mut Buffers,
    pace: Pace<'a>,
    watch: &mut dyn FnMut(SearchProgress),
) -> (IterationResult, O, Option<&'a dyn Table>) {
    let mut search = kernel.begin(observer, plan.nodes_left, buffers, pace);
    watch(SearchProgress::Begin { depth: plan.depth });
    let score = search.iterate(root, i32::from(plan.depth), plan.guess);
    watch(SearchProgress::End);
    let deepest = search.pv.take_deepest();
    let pv = search.pv.get(0).to_vec();
    let Search { observer, table, count, aborted, .. } = search.end(buffers);
    let table = table.map(|table| table as &dyn Table);
    (IterationResult { score, pv, count, finished: !aborted, deepest, anatomy: None }, observer, table)
}
