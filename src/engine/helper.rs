//! A helper: a searcher beside the main one.

use super::audit::{Auditor, Findings};
use super::eval::Evaluator;
use super::instruments::Instruments;
use super::kernel::{Buffers, Kernel};
use super::observer::{NoObserver, Observer};
use super::options::EngineOptions;
use super::ordering::{Learned, RootOrder};
use super::outcome::SearchCounters;
use super::pace::{Baton, Pace};
use super::search::Search;
use super::switches::Switches;
use super::threads::Helpers;
use crate::chess::Board;
use crate::chess::increments::Increments;
use crate::table::options::Clear;
use crate::table::{SharedTable, Table};
use std::sync::Arc;

/// Maximum depth of an iteration.
pub const MAX_DEPTH: u8 = 255;

/// The task of a helper.
#[derive(Clone)]
pub struct Task {
    pub root: Board,
    /// Keys of the earlier positions of the game.
    pub path: Vec<u64>,
    /// Depth of the first iteration.
    pub first: u8,
}

/// A searcher with its own state; it shares the table with the others.
pub struct Helper {
    /// Its number among the searchers, from 1.
    pub number: u8,
    options: Arc<EngineOptions>,
    increments: Arc<Increments>,
    table: Option<SharedTable>,
    pub learned: Learned,
    buffers: Buffers,
    /// The results of its audit so far, if there is one.
    pub audit: Option<Box<Findings>>,
}

impl Helper {
    /// A helper with nothing learned.
    pub fn new(
        number: u8,
        options: &Arc<EngineOptions>,
        increments: &Arc<Increments>,
        table: Option<&SharedTable>,
    ) -> Self {
        Self {
            number,
            options: Arc::clone(options),
            increments: Arc::clone(increments),
            table: table.map(|table| table.handle(number)),
            learned: Learned::default(),
            buffers: Buffers::default(),
            audit: None,
        }
    }

    /// Searches deeper and deeper, until the baton ends it; returns what it counted.
    pub fn run(&mut self, task: &Task, baton: &mut dyn Baton) -> SearchCounters {
        let on = Switches::new(&self.options);
        let evaluator = Evaluator::new(self.options.eval, on.mate_threshold - 1);
        self.buffers.path.clone_from(&task.path);
        let auditor = self.audit.as_deref_mut().map(|findings| Auditor::new(findings, on, evaluator, &self.increments));
        let kernel = Kernel {
            options: &self.options,
            increments: &self.increments,
            table: self.table.as_mut().map(|table| table as &mut (dyn Table + 'static)),
            learned: &mut self.learned,
            oracle: None,
            on,
            evaluator,
            root_order: root_order(&self.options, self.number),
        };
        let (options, buffers, pace) = (&self.options, &mut self.buffers, Pace::Turns(baton));
        match auditor {
            None => deepen(kernel.begin(NoObserver, u64::MAX, buffers, pace), options, task).end(buffers).count,
            auditor => {
                let observer = Instruments { auditor, ..Instruments::default() };
                deepen(kernel.begin(observer, u64::MAX, buffers, pace), options, task).end(buffers).count
            }
        }
    }
}

/// Runs the iterations; the counters go on from one to the next.
fn deepen<'a, O: Observer>(mut search: Search<'a, O>, options: &EngineOptions, task: &Task) -> Search<'a, O> {
    let (mut depth, mut guess) = (task.first, None);
    loop {
        if guess.is_some() && options.history_clear == Clear::Iteration {
            search.learned.clear();
        }
        let score = search.iterate(&task.root, i32::from(depth), guess);
        if search.aborted || depth == MAX_DEPTH || options.deepening.step == 0 {
            return search;
        }
        guess = Some(score);
        depth = depth.saturating_add(options.deepening.step);
    }
}

/// The order in which a helper tries the root's moves, if it is another one.
fn root_order(options: &EngineOptions, number: u8) -> Option<RootOrder> {
    match options.threads.helpers {
        Helpers::Same => None,
        Helpers::OddEven => (number % 2 == 1).then_some(RootOrder::OddEven),
        Helpers::Shuffle => Some(RootOrder::Shuffle(options.threads.seed ^ u64::from(number) << 56)),
    }
}
