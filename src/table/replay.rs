//! Traces shown to other tables, and to one that knows what comes.
//!
//! A trace is not a search: what a table answers changes what a search asks next, and here it does not. Within that limit: where a probe
//! ended its node in the recorded search and does not here, the same entry is offered anew, as the search would after its work. After any
//! other probe the trace holds that store itself. So a trace shown to the table that it was recorded with gives that table's own counts.

use super::options::TableOptions;
use super::policy::{Replacement, Visitor};
use super::trace::{Event, Kind};
use super::{Bounded, Layout, Table, TableError, TableKind, entry, make};
use std::collections::HashMap;

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
        /// Probes that ended their node in the recorded search.
        cuts,
        /// Of those, answered from a draft of at least the asking node's depth here too.
        kept,
        /// Stores: the trace's own, and new offers where the recorded search was answered and this table was not.
        stores,
        /// Stores that displaced another position.
        evictions,
        /// Stores that were refused.
        rejections,
    }
}

/// Shows a trace to an empty table. `by_depth`: whether one without a bound keeps an entry for each depth (`probe.depth = "equal"`).
///
/// # Errors
/// When the table cannot be made; sizes as a share of a working set are not known here.
pub fn replay(trace: &[Event], options: &TableOptions, by_depth: bool) -> Result<Replayed, TableError> {
    options.check()?;
    if options.kind == TableKind::Bounded {
        let buckets = make::known_buckets(options, None)?;
        return options.policy.dispatch(Shown { trace, options, buckets });
    }
    let table = make::build(options, None, by_depth)?;
    table.map(|mut table| show(trace, table.as_mut())).ok_or_else(|| TableError::Option {
        path: "table.kind",
        problem: "\"none\" leaves nothing to replay".to_owned(),
    })
}

/// What a table of the policy's own type is made from: the events then need no dynamic call.
struct Shown<'a> {
    trace: &'a [Event],
    options: &'a TableOptions,
    buckets: u64,
}

impl Visitor for Shown<'_> {
    type Output = Result<Replayed, TableError>;

    fn visit<P: Replacement>(self, policy: P) -> Self::Output {
        let Self { trace, options, buckets } = self;
        Ok(match options.layout {
            Layout::Bytes16 => show(trace, &mut Bounded::<P, entry::Bytes16>::new(options, policy, buckets)?),
            Layout::Bytes24 => show(trace, &mut Bounded::<P, entry::Bytes24>::new(options, policy, buckets)?),
            Layout::Bytes10 => show(trace, &mut Bounded::<P, entry::Bytes10>::new(options, policy, buckets)?),
        })
    }
}

fn show<T: Table + ?Sized>(trace: &[Event], table: &mut T) -> Replayed {
    let mut count = Replayed::default();
    for (at, event) in trace.iter().enumerate() {
        if let Some(ahead) = trace.get(at + AHEAD) {
            table.prefetch(ahead.key);
        }
        match event.kind() {
            Some(Kind::Store) => {
                table.store(event.key, event.entry());
            }
            Some(Kind::Tick) => table.advance(event.key as u16),
            Some(Kind::Clear) => table.clear(),
            kind => {
                count.known += u64::from(event.offers());
                let hit = table.probe(event.key, event.asked());
                let deep = hit.as_ref().filter(|hit| hit.draft >= i32::from(event.asked()));
                count.deep += u64::from(deep.is_some());
                if kind == Some(Kind::Cut) {
                    count.cuts += 1;
                    count.kept += u64::from(deep.is_some());
                    match deep {
                        Some(hit) => table.cutoff(hit),
                        None => {
                            table.store(event.key, event.entry());
                        }
                    }
                }
            }
        }
    }
    let table = table.counters();
    count.probes = table.probes;
    count.hits = table.hits;
    count.stores = table.stores;
    count.evictions = table.evictions;
    count.rejections = table.rejections;
    count
}

/// What a table that knows the future strives for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// As many answered probes as can be.
    Hits,
    /// As many as can be of the probes that ended their node in the recorded search.
    Cuts,
}

impl Goal {
    fn counts(self, kind: Option<Kind>) -> bool {
        match self {
            Self::Hits => kind.is_some_and(Kind::is_probe),
            Self::Cuts => kind == Some(Kind::Cut),
        }
    }
}

/// No later probe, or a store before it.
const NEVER: u32 = u32::MAX;

/// The most that a table of the options' size, slots and index can have of a goal if it knows what comes: Belady's rule with bypass. Each
/// bucket keeps the positions that are wanted again soonest, and a newcomer that is wanted later than all of them, or offered anew before,
/// is not taken in.
///
/// It is exact for the trace, where a position that was offered may be taken in at any later event of it: what may be kept is a set of
/// stretches from one event of a position to the probe that wants it; a bucket holds at most `slots` of them at any time; each is worth
/// one; and dropping the one that ends last, whenever there are too many, keeps the most (interval scheduling on several machines). No
/// table that takes in at stores alone does better. Keys are compared in full.
///
/// # Errors
/// When the options are wrong, or the trace has more events than 2^32 - 2.
///
/// Source: L. Belady, "A study of replacement algorithms for a virtual-storage computer", 1966, for one request at a time; the stretches
/// as in scheduling are folklore.
pub fn clairvoyant(trace: &[Event], options: &TableOptions, goal: Goal) -> Result<u64, TableError> {
    options.check()?;
    let buckets = make::known_buckets(options, None)?;
    if trace.len() >= NEVER as usize {
        return Err(TableError::Option { path: "trace", problem: "has more than 4,294,967,294 events".to_owned() });
    }
    let next = next_wanted(trace, goal);
    let slots = usize::from(options.slots);
    let len = usize::try_from(buckets).ok().and_then(|buckets| buckets.checked_mul(slots));
    let mut held = Vec::new();
    let len = len.filter(|&len| held.try_reserve_exact(len).is_ok()).ok_or(TableError::Memory { bytes: u64::MAX })?;
    held.resize(len, (0u64, NEVER));
    let mut reached = 0;
    for (event, &next) in trace.iter().zip(&next) {
        match event.kind() {
            Some(Kind::Tick) => {}
            Some(Kind::Clear) => held.fill((0, NEVER)),
            // A position that was never offered cannot be there, and a probe offers nothing.
            _ if !event.offers() => {}
            kind => {
                let first = options.index.bucket(event.key, buckets) as usize * slots;
                let bucket = &mut held[first..first + slots];
                if let Some(slot) = bucket.iter_mut().find(|slot| slot.1 != NEVER && slot.0 == event.key) {
                    reached += u64::from(goal.counts(kind));
                    *slot = (event.key, next);
                } else if let Some(last) = bucket.iter_mut().max_by_key(|slot| slot.1)
                    && next < last.1
                {
                    *last = (event.key, next);
                }
            }
        }
    }
    Ok(reached)
}

/// For each event, which later event of its key is the first that counts, if no store of the key and no emptying lies before it.
fn next_wanted(trace: &[Event], goal: Goal) -> Vec<u32> {
    let mut next = vec![NEVER; trace.len()];
    let mut later: super::by_key::ByKey<u64, u32> = HashMap::default();
    for (at, event) in trace.iter().enumerate().rev() {
        match event.kind() {
            Some(Kind::Tick) => {}
            Some(Kind::Clear) => later.clear(),
            Some(Kind::Store) => next[at] = later.insert(event.key, NEVER).unwrap_or(NEVER),
            kind => {
                next[at] = later.get(&event.key).copied().unwrap_or(NEVER);
                if goal.counts(kind) {
                    later.insert(event.key, at as u32);
                }
            }
        }
    }
    next
}
