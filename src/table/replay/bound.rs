//! What a table could have of a trace if it knew what comes: by count, and by worth.

use super::step::{NONE, Step};
use super::{buckets, packing};
use crate::table::trace::Kind;
use crate::table::{TableError, TableOptions};

/// What a table that knows the future strives for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// As many answered probes as can be.
    Hits,
    /// As many usable probes as can be.
    Cuts,
    /// As much worth of usable probes as can be.
    Worth,
}

impl Aim {
    fn counts(self, step: &Step) -> bool {
        match self {
            Self::Hits => step.known(),
            Self::Cuts | Self::Worth => step.usable(),
        }
    }
}

/// The most that a table of the options' size, slots and index can have of a goal if it knows what comes.
///
/// Each bucket is a table of its own. What may be kept in it is a set of stretches, each from an event of a position to the probe that wants
/// it; it holds at most `slots` of them at any time. For the hits a stretch begins at any event of a position that was offered; for
/// usable probes where its entry is offered: at a store, or at a usable probe, after which a search that was not answered offers it anew.
/// A table may be filled with a choice of stretches, and one that keeps a position for a probe has held it all along its stretch: so the
/// best choice is reached by a table that knows what comes, and by no other surpassed. Keys are compared in full: a table that takes one
/// position for another may seem to do better.
///
/// Counts are kept best by dropping, whenever there are too many, the stretch that ends last (Belady's rule with bypass; interval scheduling
/// on several machines). Worth needs more: see [`packing::most`]. Both are exact.
///
/// # Errors
/// When the options are wrong, or the trace has more events than 2^32 - 2.
///
/// Source: L. Belady, "A study of replacement algorithms for a virtual-storage computer", 1966, for one request at a time; the stretches
/// as in scheduling are folklore.
pub fn clairvoyant(
    steps: &[Step],
    options: &TableOptions,
    working_set: Option<u64>,
    goal: Aim,
) -> Result<u64, TableError> {
    let buckets = buckets(options, working_set)?;
    if steps.len() >= NONE as usize {
        return Err(TableError::Option { path: "trace", problem: "has more than 4,294,967,294 events".to_owned() });
    }
    let slots = usize::from(options.slots);
    let bucket = |key| options.index.bucket(key, buckets);
    match goal {
        Aim::Worth => Ok(by_worth(steps, slots, bucket)),
        _ => by_count(steps, slots, buckets, bucket, goal),
    }
}

/// Where the stretch begins that ends at a probe that counts.
fn begin(steps: &[Step], at: usize, goal: Aim) -> usize {
    let mut begin = steps[at].since as usize;
    if goal != Aim::Hits {
        // No offer is made at a probe that is not usable; each is passed once.
        while begin != NONE as usize && steps[begin].kind() == Kind::Probe && !steps[begin].usable() {
            begin = steps[begin].since as usize;
        }
    }
    begin
}

/// Belady's rule with bypass: the stretches that are held, by where they end.
fn by_count(
    steps: &[Step],
    slots: usize,
    buckets: u64,
    bucket: impl Fn(u64) -> u64,
    goal: Aim,
) -> Result<u64, TableError> {
    let mut next = vec![NONE; steps.len()];
    for (at, step) in steps.iter().enumerate() {
        if goal.counts(step)
            && let Some(next) = next.get_mut(begin(steps, at, goal))
        {
            *next = at as u32;
        }
    }
    let len = usize::try_from(buckets).ok().and_then(|buckets| buckets.checked_mul(slots));
    let mut held = Vec::new();
    let len = len.filter(|&len| held.try_reserve_exact(len).is_ok()).ok_or(TableError::Memory { bytes: u64::MAX })?;
    held.resize(len, NONE);
    let mut reached = 0;
    for (at, (step, &next)) in steps.iter().zip(&next).enumerate() {
        match step.kind() {
            Kind::Search => continue,
            Kind::Clear => {
                held.fill(NONE);
                continue;
            }
            Kind::Probe | Kind::Store => {}
        }
        let counts = goal.counts(step);
        if !counts && next == NONE {
            continue;
        }
        let first = bucket(step.key) as usize * slots;
        let held = &mut held[first..first + slots];
        if counts && let Some(slot) = held.iter_mut().find(|slot| **slot == at as u32) {
            reached += 1;
            *slot = NONE;
        }
        if let Some(last) = held.iter_mut().max_by_key(|slot| **slot)
            && next < *last
        {
            *last = next;
        }
    }
    Ok(reached)
}

/// The stretches of each bucket, and the most worth that its slots can keep.
fn by_worth(steps: &[Step], slots: usize, bucket: impl Fn(u64) -> u64) -> u64 {
    let mut stretches: Vec<(u64, packing::Stretch)> = Vec::new();
    for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.usable()) {
        let begin = begin(steps, at, Aim::Worth);
        if begin != NONE as usize && step.worth > 0 {
            let stretch = packing::Stretch { begin: begin as u32, end: at as u32, worth: step.worth };
            stretches.push((bucket(step.key), stretch));
        }
    }
    stretches.sort_unstable_by_key(|(bucket, stretch)| (*bucket, stretch.begin));
    let mut packing = packing::Packing::default();
    let mut one: Vec<packing::Stretch> = Vec::new();
    stretches
        .chunk_by(|a, b| a.0 == b.0)
        .map(|bucket| {
            one.clear();
            one.extend(bucket.iter().map(|(_, stretch)| *stretch));
            packing.most(&one, slots)
        })
        .sum()
}
