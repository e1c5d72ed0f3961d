//! Replays traces on other tables, and on a table that knows the future.
//!
//! A replay differs from a search. The answers of a table change which probes a search makes next,
//! but the probes of a trace are fixed. There is one exception: if a probe cut off its node in the
//! recorded search but does not do so in the replay, the entry is stored again, as the search would
//! do after searching the node. After any other probe, the trace itself contains this store. So a
//! replay on the table that was recorded reproduces its counts exactly.
//!
//! A probe is *usable* if the entry that was last offered for its key would cut off the node. If
//! the trace has windows, this is decided by the window of the node. Otherwise a probe is usable if
//! it cut off the node in the recorded search. The *worth* of a usable probe is the cost of that
//! entry, such as the nodes that produced it. This is what the answer saves.

mod bound;
mod games;
mod packing;
pub mod step;

pub use bound::{Clairvoyant, Objective, clairvoyant};
pub use games::{TracedGame, find_games};
pub use step::{DepthScale, Step, make_steps, read_steps};

use super::EventKind;
use crate::table::options::{Demotion, TableOptions, TickSource};
use crate::table::policy::Replacement;
use crate::table::{Bounded, OptionError, Table, TableError, TableKind, entry, make};

/// The bucket of an event is prefetched this number of events before the event is replayed.
const PREFETCH_DISTANCE: usize = 24;

crate::counters! {
    /// Counts of a table on which a trace is replayed.
    pub struct ReplayCounters {
        /// Probes of the trace, answered or not.
        probes,
        /// Probes of positions for which an entry was offered before. A table that forgets nothing
        /// answers all of them.
        known,
        /// Probes that were answered.
        hits,
        /// Probes that the recorded table answered and this table did not, or the reverse.
        otherwise,
        /// Hits whose draft is at least the depth that the probing node needs.
        deep,
        /// Usable probes.
        cuts,
        /// Usable probes that this table answered with an entry that ends the node.
        kept,
        /// Worth of the usable probes: the nodes that a table that forgets nothing saves.
        worth,
        /// Worth of the usable probes that are kept: the nodes that this table saves.
        worth_kept,
        /// Probes of positions for which a move was offered before.
        moves,
        /// Probes that this table answered with the move that was offered last.
        moves_kept,
        /// Stores of the trace, and entries that are offered again because a probe cut off its node
        /// in the recorded search and not here.
        stores,
        /// Stores that displaced another position.
        evictions,
        /// Stores that were refused.
        rejections,
    }
}

/// A table on which a trace is replayed, one part of the trace after another.
pub trait ReplayTable {
    fn replay_steps(&mut self, steps: &[Step]);
    fn result(&self) -> ReplayCounters;
    fn counters(&self) -> crate::table::TableCounters;
    fn occupancy(&self) -> crate::table::Occupancy;
}

/// A table stores no negative depths, so if `lowest_depth` is negative, the replay adds
/// `-lowest_depth` to all depths. The same number is added to the options that are compared with
/// depths.
pub fn offset_depth_options(lowest_depth: i16, options: &TableOptions) -> TableOptions {
    let offset = u8::try_from(lowest_depth.min(0).unsigned_abs()).unwrap_or(u8::MAX);
    let Demotion { from, missed_depth, .. } = options.demotion;
    let missed_depth = if missed_depth == 0 { 0 } else { missed_depth.saturating_add(offset) };
    let demotion = Demotion { from: from.saturating_add(offset), missed_depth, ..options.demotion };
    TableOptions { demotion, policy: options.policy.with_depth_offset(offset), ..options.clone() }
}

/// Creates the table that `options` describe for a replay. If `options` give the size of the table
/// as a share of the working set, `working_set` must be given.
pub fn replay_table(options: &TableOptions, working_set: Option<u64>) -> Result<Box<dyn ReplayTable>, TableError> {
    options.check()?;
    if options.forget > 0.0 {
        let problem = format!("{} has an effect only in searches: remove this option in a replay", options.forget);
        return Err(OptionError::new("table.forget", problem).into());
    }
    if options.kind == TableKind::Bounded {
        let buckets = make::require_buckets(options, working_set)?;
        return make::build_bounded(options, buckets, ReplayTaker { options });
    }
    let table = make::build(options, None, false)?;
    let boxed = |table| Box::new(TableReplay::new(table, options)) as Box<dyn ReplayTable>;
    table.map(boxed).ok_or_else(|| {
        let problem = "cannot be replayed: expected \"bounded\" or \"unbounded\"";
        OptionError::new("table.kind", problem).with_word("none").into()
    })
}

pub fn buckets(options: &TableOptions, working_set: Option<u64>) -> Result<u64, TableError> {
    options.check()?;
    Ok(make::require_buckets(options, working_set)?.max(1))
}

/// Replays a trace on an empty table.
///
/// # Errors
/// When the table cannot be created, for example because the size of the table is given as a share
/// of the working set.
pub fn replay(steps: &[Step], options: &TableOptions) -> Result<ReplayCounters, TableError> {
    let mut table = replay_table(options, None)?;
    table.replay_steps(steps);
    Ok(table.result())
}

/// Wraps a table of concrete type in a boxed [`ReplayTable`]. A replay then makes a dynamic call
/// for each part of the trace instead of for each event.
struct ReplayTaker<'a> {
    options: &'a TableOptions,
}

impl make::Taker for ReplayTaker<'_> {
    type Output = Box<dyn ReplayTable>;

    fn take<P: Replacement, L: entry::Packing, const SLOTS: usize>(self, table: Bounded<P, L, SLOTS>) -> Self::Output {
        Box::new(TableReplay::new(Box::new(table), self.options))
    }
}

/// A table on which a trace is replayed, and the counts that the table does not keep itself. `T` is
/// a concrete type of table or `dyn Table`.
struct TableReplay<T: ?Sized> {
    table: Box<T>,
    clock: TickSource,
    /// The minimum depth of a node at which an entry loses depth if its bound does not decide the
    /// node. `None` if entries lose no depth.
    min_demotion_depth: Option<u8>,
    count: ReplayCounters,
}

impl<T: ?Sized> TableReplay<T> {
    fn new(table: Box<T>, options: &TableOptions) -> Self {
        let TableOptions { clock, demotion, .. } = *options;
        Self {
            table,
            clock,
            min_demotion_depth: (demotion.missed > 0).then_some(demotion.missed_depth),
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
                    // Counts a probe that only the recorded table or only this table answered.
                    count.otherwise += u64::from(hit.is_some() != step.was_answered());
                    count.moves += u64::from(step.mv > 0);
                    let hit_move = hit.as_ref().map_or(0, |hit| hit.entry.mv.bits());
                    count.moves_kept += u64::from(step.mv > 0 && hit_move == step.mv);
                    let draft = hit.as_ref().map_or(-1, |hit| hit.draft);
                    count.deep += u64::from(draft >= i32::from(step.needed_depth));
                    let is_usable = step.is_usable();
                    count.cuts += u64::from(is_usable);
                    count.worth = count.worth.saturating_add(step.worth * u64::from(is_usable));
                    if self.min_demotion_depth.is_some_and(|depth| depth <= step.needed_depth)
                        && let Some(hit) = hit.as_ref().filter(|hit| step.misses_by_bound(hit.draft, &hit.entry))
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
                        // Without this answer, the search would search the node and then offer the
                        // entry again.
                        None => is_usable & step.is_cut(),
                    }
                }
                kind => {
                    apply_control(table, kind, step.ticks(self.clock));
                    false
                }
            };
            // There is only one call of `store`, so that the compiler inlines it into this loop.
            if is_offered {
                table.store(step.key, step.entry());
            }
        }
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

/// Clears the table at a clear. At the beginning of a search or an iteration, advances the clock of
/// the table. The function is cold, which keeps it out of the hot loop.
#[cold]
fn apply_control(table: &mut (impl Table + ?Sized), kind: EventKind, ticks: u16) {
    match kind {
        EventKind::Clear => table.clear(),
        _ => table.advance(ticks),
    }
}
