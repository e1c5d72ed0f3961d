//! One job: the searches of a variant on its items.

use crate::chess::suite::Item;
use crate::chess::{Board, Increments, Move};
use crate::engine::{Engine, EngineOptions, Iteration};
use crate::experiment::{Experiment, Job, Plan, Point, Side};
use crate::record::GameFound;
use crate::subject::{Ended, Position, Reported, Subject, Told};
use crate::table::options::Size;
use crate::table::{TableKind, TableOptions};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// One finished iteration of a job.
pub struct Found {
    /// Place of the item in the suite.
    pub item: usize,
    /// Ply of the game, in sequences.
    pub ply: Option<u16>,
    /// What was found.
    pub iteration: Iteration,
    /// What an engine said that is not ours: of the iteration the rest is blank.
    pub told: Option<Reported>,
    /// Wall-clock seconds of its search.
    pub seconds: f64,
    /// Whether the best move is among the suite's.
    pub solved: Option<bool>,
    /// In a match, the game that it is.
    pub game: Option<Box<GameFound>>,
}

/// A point's values of the varying options.
pub fn option_values(point: &Point, varying: &[String]) -> Vec<String> {
    let columns = crate::experiment::grid::columns(point);
    let value = |path: &String| columns.iter().find(|(column, _)| column == path).map(|(_, value)| value.clone());
    varying.iter().map(|path| value(path).unwrap_or_default()).collect()
}

/// The options with a table that never evicts. What it does not heed takes its default, so that variants that differ in this
/// alone are seen to share a working set.
pub fn unbounded(options: &EngineOptions) -> EngineOptions {
    let default = TableOptions::default();
    let table = TableOptions {
        kind: TableKind::Unbounded,
        size: default.size,
        slots: default.slots,
        index: default.index,
        layout: default.layout,
        key_bits: default.key_bits,
        policy: default.policy,
        huge_pages: default.huge_pages,
        ..options.table.clone()
    };
    EngineOptions { table, ..options.clone() }
}

/// Entries that an unbounded table stores on a job's items, for a table whose size is a share of them; 0 for any other. None
/// if it was stopped.
pub fn working_set(experiment: &Experiment, plan: &Plan, job: &Job, stop: &AtomicBool) -> Result<Option<u64>, String> {
    let point = &plan.variants[job.variant];
    if !matches!(point.options.table.size, Size::Share(_)) {
        return Ok(Some(0));
    }
    let mut engine = Engine::new(&unbounded(&point.options), None).map_err(|error| error.to_string())?;
    if search(experiment, plan, job, &mut engine, stop)?.is_none() {
        return Ok(None);
    }
    Ok(Some(engine.table().map_or(0, |table| table.occupancy().occupied).max(1)))
}

/// Runs a job on a subject as new. None if it was stopped.
///
/// # Errors
/// When the engine fails.
pub fn search(
    experiment: &Experiment,
    plan: &Plan,
    job: &Job,
    subject: &mut dyn Subject,
    stop: &AtomicBool,
) -> Result<Option<Vec<Found>>, String> {
    let mut found = Vec::new();
    let limit = plan.variants[job.variant].limit;
    let mut player = Player { limit, subject, stop, found: &mut found, failure: None };
    match player.all(experiment, job) {
        Some(()) => Ok(Some(found)),
        None => player.failure.map_or(Ok(None), Err),
    }
}

/// What the searches of a job share.
struct Player<'a> {
    limit: crate::engine::Limit,
    subject: &'a mut dyn Subject,
    stop: &'a AtomicBool,
    found: &'a mut Vec<Found>,
    /// Why the searches ended early, if nobody stopped them.
    failure: Option<String>,
}

impl Player<'_> {
    /// All searches of a job; none if one was stopped or failed.
    fn all(&mut self, experiment: &Experiment, job: &Job) -> Option<()> {
        for (place, item) in experiment.suite.items.iter().enumerate().skip(job.item).take(job.items) {
            let begun = self.subject.new_game();
            self.held(begun)?;
            match (experiment.file.sequence, item.game()) {
                (None, None) => {
                    self.search(place, item, None, &Position::alone(&item.board))?;
                }
                (sequence, Some(moves)) => {
                    let sequence = sequence.unwrap_or_default();
                    self.along(place, item, moves, |ply, board| sequence.wants(ply, board.turn()))?;
                }
                (Some(sequence), None) => self.own_play(place, item, sequence.self_play, sequence.side)?,
            }
        }
        Some(())
    }

    /// Keeps a failure for whoever asked for the job.
    fn held<T>(&mut self, outcome: Result<T, crate::subject::Failure>) -> Option<T> {
        outcome.map_err(|failure| self.failure = Some(failure.to_string())).ok()
    }

    /// One search; its best move, or none if it was stopped or failed.
    fn search(&mut self, place: usize, item: &Item, ply: Option<u16>, position: &Position<'_>) -> Option<Move> {
        let (mut begun, mut seconds) = (Instant::now(), 0.0);
        let found = &mut *self.found;
        let mut take = |iteration: Iteration, told, seconds| {
            let solved = if ply.is_none() { item.solved_by(iteration.best) } else { None };
            found.push(Found { item: place, ply, iteration, told, seconds, solved, game: None });
        };
        let ended = self.subject.search(*position, self.limit, self.stop, &mut |told| match told {
            Told::Begin => begun = Instant::now(),
            Told::End => seconds = begun.elapsed().as_secs_f64(),
            Told::Iteration(iteration) => take(iteration.clone(), None, seconds),
            Told::Reported(reported) => {
                for (depth, seconds) in reported.by_depth(seconds) {
                    take(depth.iteration(), Some(depth), seconds);
                }
            }
        });
        // Of a job that is stopped or fails nothing is kept: what this search left behind goes with the rest.
        match self.held(ended) {
            Some(Ended::Best(best)) => Some(best),
            Some(Ended::Stopped) | None => None,
        }
    }

    /// Searches at the wanted plies of a game.
    fn along(&mut self, place: usize, item: &Item, moves: &[Move], wanted: impl Fn(u16, &Board) -> bool) -> Option<()> {
        let none = Increments::none();
        let (mut board, mut past) = (item.board, Vec::with_capacity(moves.len()));
        for (at, &mv) in moves.iter().enumerate() {
            let ply = board.game_ply();
            if wanted(ply, &board) {
                let position = Position { start: &item.board, moves: &moves[..at], past: &past, board: &board };
                self.search(place, item, Some(ply), &position)?;
            }
            past.push(board);
            board.play(mv, none);
        }
        Some(())
    }

    /// Searches along the engine's own play.
    fn own_play(&mut self, place: usize, item: &Item, plies: u16, side: Side) -> Option<()> {
        let none = Increments::none();
        let (mut board, mut past, mut moves) = (item.board, Vec::new(), Vec::new());
        for _ in 0..plies {
            let ply = board.game_ply();
            // The other side's moves are the engine's too: they come from the same search, which then leaves a row.
            let start = self.found.len();
            let position = Position { start: &item.board, moves: &moves, past: &past, board: &board };
            let best = self.search(place, item, Some(ply), &position)?;
            if !side.moves(board.turn()) {
                self.found.truncate(start);
            }
            if best.is_none() {
                break;
            }
            past.push(board);
            moves.push(best);
            board.play(best, none);
        }
        Some(())
    }
}
