//! The parts of a searcher that a root search borrows, and the creation of the search from them.

use super::eval::Evaluator;
use super::node::TableFacts;
use super::observer::Observer;
use super::options::EngineOptions;
use super::oracle::BestMoves;
use super::ordering::{Heuristics, Ranks, RootOrder};
use super::outcome::SearchCounters;
use super::pace::Pace;
use super::pv::Variations;
use super::search::{Buffers, Search};
use super::switches::Switches;
use crate::chess::increments::Increments;
use crate::chess::{Move, MoveList};
use crate::table::Table;

pub struct Kernel<'a> {
    pub options: &'a EngineOptions,
    pub increments: &'a Increments,
    pub table: Option<&'a mut (dyn Table + 'static)>,
    pub heuristics: &'a mut Heuristics,
    pub oracle: Option<&'a BestMoves>,
    pub root_order: Option<RootOrder>,
    /// The only moves that are searched at the root; empty for all.
    pub root_moves: &'a [Move],
}

impl<'a> Kernel<'a> {
    /// Creates a search of at most `node_limit` nodes. The search takes its buffers from `buffers`.
    /// [`Search::end`] moves them back.
    pub fn begin<O: Observer>(
        self,
        observer: O,
        node_limit: u64,
        buffers: &mut Buffers,
        pace: Pace<'a>,
    ) -> Search<'a, O> {
        let Self { options, increments, table, heuristics, oracle, root_order, root_moves } = self;
        let switches = Switches::new(options);
        Search {
            evaluator: Evaluator::new(options.eval, switches.mate_threshold - 1),
            switches,
            ranks: Ranks::new(options),
            algorithm: options.algorithm,
            aspiration: options.aspiration,
            increments,
            counts_stored_nodes: table.as_ref().is_some_and(|table| table.counts_stored_nodes()),
            table,
            heuristics,
            count: SearchCounters::default(),
            credited_nodes: 0,
            stack: std::mem::take(&mut buffers.stack),
            scratch: MoveList::new(),
            evaluation: None,
            pv: std::mem::replace(&mut buffers.pv, Variations::none()),
            past_count: buffers.path.len(),
            path: std::mem::take(&mut buffers.path),
            pace,
            node_limit,
            next_check: 0,
            aborted: false,
            extension_ply_limit: 0,
            root_order,
            root_moves,
            facts: TableFacts::default(),
            oracle,
            observer,
        }
    }
}
