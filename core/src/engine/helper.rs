//! Helpers, which are the searchers that run beside the main searcher.

use super::kernel::Kernel;
use super::observer::NoObserver;
use super::options::EngineOptions;
use super::ordering::{Heuristics, RootOrder};
use super::outcome::SearchCounters;
use super::pace::{Baton, Pace};
use super::search::{Buffers, Search};
use super::threads::Helpers;
use crate::chess::increments::Increments;
use crate::chess::{Board, Move};
use crate::table::Table;
use crate::table::options::Clear;
use std::sync::Arc;

pub const MAX_DEPTH: u8 = 255;

#[derive(Clone)]
pub struct Task {
    pub root: Board,
    /// Keys of the earlier positions of the game.
    pub path: Vec<u64>,
    pub first_depth: u8,
    /// See [`Kernel::root_moves`].
    pub root_moves: Vec<Move>,
}

/// A searcher with its own state. Its table may be a handle to a table that all searchers share.
pub struct Helper {
    /// The number of this searcher. Helpers are numbered from 1. The main searcher is 0.
    pub searcher_number: u8,
    options: Arc<EngineOptions>,
    increments: Arc<Increments>,
    table: Option<Box<dyn Table>>,
    pub heuristics: Heuristics,
    buffers: Buffers,
}

impl Helper {
    pub fn new(
        searcher_number: u8,
        options: &Arc<EngineOptions>,
        increments: &Arc<Increments>,
        table: Option<Box<dyn Table>>,
    ) -> Self {
        Self {
            searcher_number,
            options: Arc::clone(options),
            increments: Arc::clone(increments),
            table,
            heuristics: Heuristics::default(),
            buffers: Buffers::default(),
        }
    }

    /// Searches deeper and deeper until the baton ends the search. Returns the counters of all
    /// iterations together.
    pub fn run(&mut self, task: &Task, baton: &mut dyn Baton) -> SearchCounters {
        self.buffers.path.clone_from(&task.path);
        let kernel = Kernel {
            options: &self.options,
            increments: &self.increments,
            table: self.table.as_deref_mut(),
            heuristics: &mut self.heuristics,
            oracle: None,
            root_order: root_order(&self.options, self.searcher_number),
            root_moves: &task.root_moves,
        };
        // The search itself has no node limit, because the baton respects the limit.
        let search = kernel.begin(NoObserver, u64::MAX, &mut self.buffers, Pace::Turns(baton));
        let counters = deepen(search, &self.options, task, self.searcher_number).end(&mut self.buffers).count;
        // The table learns that this helper is no longer at any node.
        if let Some(table) = &mut self.table {
            table.suspend(&[]);
        }
        counters
    }
}

/// Runs the iterations of a helper until its search must end. Returns the search, whose counters
/// are then the sums over all iterations.
fn deepen<'a>(
    mut search: Search<'a, NoObserver>,
    options: &EngineOptions,
    task: &Task,
    helper_number: u8,
) -> Search<'a, NoObserver> {
    let step = options.deepening.step;
    // If the step is 0, there is only one iteration.
    let last_depth = if step == 0 { task.first_depth } else { MAX_DEPTH };
    let skips_depths = options.threads.helpers == Helpers::SkipDepths;
    let mut guess = None;
    for depth in (task.first_depth..=last_depth).step_by(usize::from(step.max(1))) {
        if skips_depths && skips_depth(helper_number, depth) {
            continue;
        }
        if guess.is_some() && options.history_clear == Clear::Iteration {
            search.heuristics.clear();
        }
        let score = search.iterate(&task.root, i32::from(depth), guess);
        if search.aborted {
            break;
        }
        guess = Some(score);
    }
    search
}

/// Whether a helper skips a depth.
///
/// The helpers form groups. The two helpers of the first group skip every second depth. One of them
/// skips the odd depths and the other skips the even depths. The four helpers of the second group
/// skip two depths in a row and then search two depths. The six helpers of the third group skip
/// three and search three, and so on. The helpers of a group begin at different depths.
fn skips_depth(helper_number: u8, depth: u8) -> bool {
    let (mut depths_in_a_row, mut phase) = (1, u32::from(helper_number) - 1);
    while phase >= 2 * depths_in_a_row {
        phase -= 2 * depths_in_a_row;
        depths_in_a_row += 1;
    }
    (u32::from(depth) + phase) / depths_in_a_row % 2 == 1
}

fn root_order(options: &EngineOptions, helper_number: u8) -> Option<RootOrder> {
    match options.threads.helpers {
        Helpers::Same | Helpers::SkipDepths => None,
        Helpers::OddEven => (helper_number % 2 == 1).then_some(RootOrder::OddEven),
        Helpers::Shuffle => Some(RootOrder::Shuffle(options.threads.seed ^ u64::from(helper_number) << 56)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first twelve helpers skip the depths that Stockfish 9 skips. Source of the sizes and
    /// phases: its `search.cpp`. No helper skips all depths.
    #[test]
    fn skipped_depths_are_those_of_the_published_table() {
        let (sizes, phases) = ([1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3], [0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5]);
        for helper in 0..12 {
            for depth in 1..=100 {
                let published = (usize::from(depth) + phases[helper]) / sizes[helper] % 2 == 1;
                assert_eq!(skips_depth(helper as u8 + 1, depth), published, "helper {}, depth {depth}", helper + 1);
            }
        }
        assert!((1..=255).all(|helper| (1..=60).any(|depth| !skips_depth(helper, depth))));
    }
}
