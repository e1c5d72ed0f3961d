//! Traces shown to other tables, and to one that knows what comes.
//!
//! A trace is not a search: what a table answers changes what a search asks next, and here it does not. Within that limit: where a probe
//! ended its node in the recorded search and does not here, the same entry is offered anew, as the search would after its work. After any
//! other probe the trace holds that store itself. So a trace shown to the table that it was recorded with gives that table's own counts.
//!
//! A probe is *usable* if what was offered last for its key ends its node: by its window, where the trace tells windows; else where it did
//! end it in the recorded search. Its *worth* are the nodes that made that entry: what the answer saves.

mod bound;
mod games;
mod packing;
mod sample;
mod step;
mod turns;

pub use bound::{Aim, Clairvoyant, clairvoyant};
pub use games::{TracedGame, games};
pub use packing::most;
pub use sample::{CLASSES, Sample};
pub use step::{Maker, Step, steps};
pub use turns::{Halted, Passes, ReplaySink};

use super::options::{TableOptions, TickSource};
use super::policy::Replacement;
use super::trace::EventKind;
use super::{Bounded, Table, TableError, TableKind, entry, make};

/// Events ahead whose buckets are fetched.
const AHEAD: usize = 24;

crate::counters! {
    /// How a table did on a trace.
    pub struct Replayed {
        /// Probes.
        probes,
        /// Of those, of positions that were offered before: what a table that forgets nothing answers.
        known,
        /// Probes that were answered.
        hits,
        /// Of those, from a draft of at least the asking node's depth.
        deep,
        /// Usable probes.
        cuts,
        /// Of those, answered here by an entry that ends the node.
        kept,
        /// Worth of the usable probes: nodes that a table that forgets nothing saves.
        worth,
        /// Of that, worth of those kept: nodes that this table saves.
        worth_kept,
        /// Stores: the trace's own, and new offers where the recorded search was answered and this table was not.
        stores,
        /// Stores that displaced another position.
        evictions,
        /// Stores that were refused.
        rejections,
    }
}

/// A table that traces are shown to, part by part.
pub trait ReplayTable {
    /// Shows it what happened next.
    fn show(&mut self, steps: &[Step]);
    /// Empties it, without a tick.
    fn empty(&mut self);
    /// What it did so far.
    fn replayed(&self) -> Replayed;
    /// The table's own counters.
    fn counters(&self) -> super::TableCounters;
    /// How full it is.
    fn occupancy(&self) -> super::Occupancy;
}

/// Makes the table of the options, to be shown a trace.
///
/// # Errors
/// When the table cannot be made; sizes as a share of a working set need to know it.
pub fn shown(options: &TableOptions, working_set: Option<u64>) -> Result<Box<dyn ReplayTable>, TableError> {
    options.check()?;
    if options.forget > 0.0 {
        let problem = format!("{} applies to searches only, not to a replay: remove it", options.forget);
        return Err(TableError::Option { path: "table.forget", problem });
    }
    if options.kind == TableKind::Bounded {
        let buckets = make::known_buckets(options, working_set)?;
        return make::bounded(options, buckets, ReplayTaker { clock: options.clock });
    }
    let table = make::build(options, None, false)?;
    let shown = |table| {
        Box::new(TableReplay { table, clock: options.clock, count: Replayed::default() }) as Box<dyn ReplayTable>
    };
    table.map(shown).ok_or_else(|| TableError::Option {
        path: "table.kind",
        problem: "\"none\" leaves nothing to replay".to_owned(),
    })
}

/// Buckets of the options' table, where its size is known.
///
/// # Errors
/// When the size is a share of a working set that is not told, or too small.
pub fn buckets(options: &TableOptions, working_set: Option<u64>) -> Result<u64, TableError> {
    options.check()?;
    Ok(make::known_buckets(options, working_set)?.max(1))
}

/// Shows a trace to an empty table.
///
/// # Errors
/// When the table cannot be made; sizes as a share of a working set are not known here.
pub fn replay(steps: &[Step], options: &TableOptions) -> Result<Replayed, TableError> {
    let mut table = shown(options, None)?;
    table.show(steps);
    Ok(table.replayed())
}

/// Puts a table of its own type, whose events then need no dynamic call, behind a boundary that is crossed once for each part of a trace.
struct ReplayTaker {
    clock: TickSource,
}

impl make::Taker for ReplayTaker {
    type Output = Box<dyn ReplayTable>;

    fn take<P: Replacement, L: entry::Packing, const SLOTS: usize>(self, table: Bounded<P, L, SLOTS>) -> Self::Output {
        Box::new(TableReplay { table, clock: self.clock, count: Replayed::default() })
    }
}

/// A table and what was counted beside its own counters.
struct TableReplay<T> {
    table: T,
    clock: TickSource,
    count: Replayed,
}

impl<T: Answers> ReplayTable for TableReplay<T> {
    fn show(&mut self, steps: &[Step]) {
        let table = self.table.table();
        let count = &mut self.count;
        for (at, step) in steps.iter().enumerate() {
            if let Some(ahead) = steps.get(at + AHEAD) {
                table.prefetch(ahead.key);
            }
            let offered = match step.kind() {
                EventKind::Store => true,
                EventKind::Probe => {
                    count.known += u64::from(step.known());
                    let hit = table.probe(step.key, step.asked);
                    let draft = hit.as_ref().map_or(-1, |hit| hit.draft);
                    count.deep += u64::from(draft >= i32::from(step.asked));
                    let usable = step.usable();
                    count.cuts += u64::from(usable);
                    count.worth += u64::from(step.worth) * u64::from(usable);
                    match hit.filter(|hit| usable & step.settled_by(hit.draft, &hit.entry)) {
                        Some(hit) => {
                            count.kept += 1;
                            count.worth_kept += u64::from(step.worth);
                            table.cutoff(&hit);
                            false
                        }
                        None => usable & step.cut(),
                    }
                }
                kind => {
                    between(table, kind, step.ticks(self.clock));
                    false
                }
            };
            // In one place, so that it is compiled into this loop.
            if offered {
                table.store(step.key, step.entry());
            }
        }
    }

    fn empty(&mut self) {
        self.table.table().clear();
    }

    fn replayed(&self) -> Replayed {
        let table = self.table.counters();
        Replayed {
            probes: table.probes,
            hits: table.hits,
            stores: table.stores,
            evictions: table.evictions,
            rejections: table.rejections,
            ..self.count
        }
    }

    fn counters(&self) -> super::TableCounters {
        self.table.counters()
    }

    fn occupancy(&self) -> super::Occupancy {
        self.table.occupancy()
    }
}

/// What happens between positions, apart from the loop over them.
#[cold]
fn between(table: &mut (impl Table + ?Sized), kind: EventKind, ticks: u16) {
    match kind {
        EventKind::Clear => table.clear(),
        _ => table.advance(ticks),
    }
}

/// A table of its own type, or behind the dynamic boundary.
trait Answers {
    /// The table's type.
    type Table: Table + ?Sized;
    fn table(&mut self) -> &mut Self::Table;
    fn counters(&self) -> super::TableCounters;
    fn occupancy(&self) -> super::Occupancy;
}

impl<P: Replacement, L: entry::Packing, const SLOTS: usize> Answers for Bounded<P, L, SLOTS> {
    type Table = Self;
    fn table(&mut self) -> &mut Self {
        self
    }
    fn counters(&self) -> super::TableCounters {
        Table::counters(self)
    }
    fn occupancy(&self) -> super::Occupancy {
        Table::occupancy(self)
    }
}

impl Answers for Box<dyn Table> {
    type Table = dyn Table;
    fn table(&mut self) -> &mut Self::Table {
        self.as_mut()
    }
    fn counters(&self) -> super::TableCounters {
        self.as_ref().counters()
    }
    fn occupancy(&self) -> super::Occupancy {
        self.as_ref().occupancy()
    }
}
