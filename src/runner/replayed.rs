//! A job of a trace: its table is shown a game instead of being searched with.

use super::job::Found;
use crate::chess::Move;
use crate::engine::{Iteration, SearchCounters};
use crate::experiment::{Experiment, Job, Plan};
use crate::table::options::Size;
use crate::table::replay::{Game, shown};
use std::time::Instant;

/// The working set of a game, where the table's size is a share of it; else 0.
pub fn working_set(plan: &Plan, job: &Job, game: &Game) -> u64 {
    match plan.variants[job.variant].options.table.size {
        Size::Share(_) => game.positions.max(1),
        _ => 0,
    }
}

/// What a table makes of a game. `nodes` are those that the search would have entered if what was lost had been searched again and nothing
/// else had changed: those recorded, and the worth of the usable probes that were not answered.
///
/// # Errors
/// When the table cannot be made.
pub fn replayed(experiment: &Experiment, plan: &Plan, job: &Job, game: &Game) -> Result<Vec<Found>, String> {
    let options = &plan.variants[job.variant].options.table;
    let set = working_set(plan, job, game);
    super::work::fits_memory(&plan.variants[job.variant].options, set)?;
    let mut table = shown(options, Some(set)).map_err(|error| error.to_string())?;
    let begun = Instant::now();
    table.show(&game.steps);
    let seconds = begun.elapsed().as_secs_f64();
    let found = table.replayed();
    let iteration = Iteration {
        depth: 1,
        deepest: 0,
        score: 0,
        best: Move::NONE,
        pv: Vec::new(),
        search: SearchCounters {
            nodes: game.nodes + found.worth - found.worth_kept,
            usable: found.kept,
            saved: found.worth_kept,
            ..SearchCounters::default()
        },
        table: table.counters(),
        occupancy: table.occupancy(),
        anatomy: None,
        finished: true,
    };
    debug_assert!(job.item < experiment.suite.items.len());
    Ok(vec![Found { item: job.item, ply: None, iteration, told: None, seconds, solved: None, game: None }])
}
