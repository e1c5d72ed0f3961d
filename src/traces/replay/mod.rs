//! Replays traces on other tables, and on one that knows the future.
//!
//! A trace is not a search: a table's answers change what a search asks next, but not what a trace
//! asks. Within that limit, if a probe cut off its node in the recorded search and does not here,
//! the same entry is offered again, as the search would do after its work. After any other probe
//! the trace contains that store itself. So a replay on the recording table reproduces its counts
//! exactly.
//!
//! A probe is *usable* if the entry last offered for its key would cut off its node: by its window,
//! if the trace has windows; otherwise if it did so in the recorded search. Its *worth* is the
//! cost of that entry, such as the nodes that produced it: what the answer saves.

mod bound;
mod games;
mod packing;
mod passes;
mod step;

pub use bound::{Clairvoyant, Objective, clairvoyant};
pub use games::{TracedGame, find_games};
pub use passes::{Passes, ReplayError, ReplaySink};
pub use step::{DepthScale, Step, StepMaker, make_steps};

use super::EventKind;
use crate::table::options::{Demotion, TableOptions, TickSource};
use crate::table::policy::Replacement;
use crate::table::{Bounded, Table, TableError, TableKind, entry, make};

/// The number of events by which buckets are prefetched ahead.
const PREFETCH_DISTANCE: usize = 24;

crate::counters! {
    /// Counts of a table on a trace.
    pub struct ReplayCounters {
        /// Probes of the trace, answered or not.
        probes,
        /// Of those, of positions that were offered before: what a table that forgets nothing
        /// answers.
        known,
        /// Probes that were answered.
        hits,
        /// Probes that the recorded table answered and this one did not, or the reverse.
        otherwise,
        /// Hits from a draft of at least the asking node's depth.
        deep,
        /// Usable probes.
        cuts,
        /// Of those, answered here by an entry that ends the node.
        kept,
        /// Worth of the usable probes: nodes that a table that forgets nothing saves.
        worth,
        /// Of that, worth of those kept: nodes that this table saves.
        worth_kept,
        /// Probes of positions for which a move was offered before.
        moves,
        /// Of those, answered here with the move offered last.
        moves_kept,
        /// Stores: the trace's own, and new offers where the recorded search was answered and this
        /// table was not.
        stores,
        /// Stores that displaced another position.
        evictions,
        /// Stores that were refused.
        rejections,
    }
}

/// A table on which traces are replayed, part by part.
pub trait ReplayTable {
    /// Replays the next steps.
    fn replay_steps(&mut self, steps: &[Step]);
    /// Clears the table without advancing its generation.
    fn clear(&mut self);
    /// The replay's counts so far.
    fn result(&self) -> ReplayCounters;
    /// The table's own counters.
    fn counters(&self) -> crate::table::TableCounters;
    /// How full the table is.
    fn occupancy(&self) -> crate::table::Occupancy;
}

/// The options of a table for a trace whose depths go down to `lowest`. If that is below 0, the
/// replay stores depths with `-lowest` added; the same is added to the options that are compared
/// with depths.
pub fn count_depths_from(lowest: i16, options: &TableOptions) -> TableOptions {
    let offset = u8::try_from(lowest.min(0).unsigned_abs()).unwrap_or(u8::MAX);
    let Demotion { from, missed_depth, .. } = options.demotion;
    let missed_depth = if missed_depth == 0 { 0 } else { missed_depth.saturating_add(offset) };
    let demotion = Demotion { from: from.saturating_add(offset), missed_depth, ..options.demotion };
    TableOptions { demotion, policy: options.policy.with_depth_offset(offset), ..options.clone() }
}

/// Creates the table that `options` describe, for a replay.
pub fn replay_table(options: &TableOptions, working_set: Option<u64>) -> Result<Box<dyn ReplayTable>, TableError> {
    options.check()?;
    if options.forget > 0.0 {
        let problem = format!("{} applies to searches only, not to a replay: remove it", options.forget);
        return Err(TableError::Option { path: "table.forget", problem });
    }
    if options.kind == TableKind::Bounded {
        let buckets = make::require_buckets(options, working_set)?;
        return make::build_bounded(options, buckets, ReplayTaker { options });
    }
    let table = make::build(options, None, false)?;
    let boxed = |table| Box::new(TableReplay::new(table, options)) as Box<dyn ReplayTable>;
    table.map(boxed).ok_or_else(|| TableError::Option {
        path: "table.kind",
        problem: "\"none\" cannot be replayed: expected \"bounded\" or \"unbounded\"".to_owned(),
    })
}

/// The number of buckets of the options' table.
pub fn buckets(options: &TableOptions, working_set: Option<u64>) -> Result<u64, TableError> {
    options.check()?;
    Ok(make::require_buckets(options, working_set)?.max(1))
}

/// Replays a trace on an empty table.
///
/// # Errors
/// When the table cannot be created; sizes as a share are not supported here.
pub fn replay(steps: &[Step], options: &TableOptions) -> Result<ReplayCounters, TableError> {
    let mut table = replay_table(options, None)?;
    table.replay_steps(steps);
    Ok(table.result())
}

/// Boxes a table together with its replay, so that there is a dynamic call for each part of a trace
/// rather than for each event.
struct ReplayTaker<'a> {
    options: &'a TableOptions,
}

impl make::Taker for ReplayTaker<'_> {
    type Output = Box<dyn ReplayTable>;

    fn take<P: Replacement, L: entry::Packing, const SLOTS: usize>(self, table: Bounded<P, L, SLOTS>) -> Self::Output {
        Box::new(TableReplay::new(Box::new(table), self.options))
    }
}

/// A table, of concrete type or behind the dynamic interface, and the counts that it does not keep
/// itself.
struct TableReplay<T: ?Sized> {
    table: Box<T>,
    clock: TickSource,
    /// The least depth of a node at which an entry loses depth if its bound does not decide the
    /// node; `None`: entries lose none.
    demotes_from: Option<u8>,
    count: ReplayCounters,
}

impl<T: ?Sized> TableReplay<T> {
    fn new(table: Box<T>, options: &TableOptions) -> Self {
        let TableOptions { clock, demotion, .. } = *options;
        Self {
            table,
            clock,
            demotes_from: (demotion.missed > 0).then_some(demotion.missed_depth),
            count: ReplayCounters::default(),
        }
    }
}

impl<T: Table + ?Sized> ReplayTable for TableReplay<T> {
    fn replay_steps(&mut self, steps: &[Step]) {
        let table = self.table.as_mut();
        let count = &mut self.count;
        for (index, step) in steps.iter().enumerate() {
            if let Some(later_step) = steps.get(index + PREFETCH_DISTANCE) {
                table.prefetch(later_step.key);
            }
            let is_offered = match step.kind() {
                EventKind::Store => true,
                EventKind::Probe => {
                    count.known += u64::from(step.is_known());
                    let hit = table.probe(step.key, step.needed_depth);
                    count.otherwise += u64::from(hit.is_some() != step.was_answered());
                    count.moves += u64::from(step.mv > 0);
                    let hit_move = hit.as_ref().map_or(0, |hit| hit.entry.mv.bits());
                    count.moves_kept += u64::from(step.mv > 0 && hit_move == step.mv);
                    let draft = hit.as_ref().map_or(-1, |hit| hit.draft);
                    count.deep += u64::from(draft >= i32::from(step.needed_depth));
                    let is_usable = step.is_usable();
                    count.cuts += u64::from(is_usable);
                    count.worth = count.worth.saturating_add(step.worth * u64::from(is_usable));
                    if self.demotes_from.is_some_and(|depth| depth <= step.needed_depth)
                        && let Some(hit) = hit.as_ref().filter(|hit| step.misses(hit.draft, &hit.entry))
                    {
                        table.missed(hit);
                    }
                    match hit.filter(|hit| is_usable & step.ends_node(hit.draft, &hit.entry)) {
                        Some(hit) => {
                            count.kept += 1;
                            count.worth_kept = count.worth_kept.saturating_add(step.worth);
                            table.cutoff(&hit);
                            false
                        }
                        // The search would do the work of the entry again, and offer it.
                        None => is_usable & step.is_cut(),
                    }
                }
                kind => {
                    apply_control(table, kind, step.ticks(self.clock));
                    false
                }
            };
            // A single call site, so that it is inlined into this loop.
            if is_offered {
                table.store(step.key, step.entry());
            }
        }
    }

    fn clear(&mut self) {
        self.table.clear();
    }

    fn result(&self) -> ReplayCounters {
        let table = self.table.counters();
        ReplayCounters {
            probes: table.probes,
            hits: table.hits,
            stores: table.stores,
            evictions: table.evictions,
            rejections: table.rejections,
            ..self.count
        }
    }

    fn counters(&self) -> crate::table::TableCounters {
        self.table.counters()
    }

    fn occupancy(&self) -> crate::table::Occupancy {
        self.table.occupancy()
    }
}

/// Applies a search or clear event, outside the hot loop.
#[cold]
fn apply_control(table: &mut (impl Table + ?Sized), kind: EventKind, ticks: u16) {
    match kind {
        EventKind::Clear => table.clear(),
        _ => table.advance(ticks),
    }
}
