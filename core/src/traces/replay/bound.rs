//! The most that any table could achieve on a trace if the table knew the future.

use super::buckets;
use super::packing::{Interval, Packer};
use super::step::Step;
use crate::table::memory::check_free;
use crate::table::options::Index;
use crate::table::{TableError, TableOptions};
use crate::traces::EventKind;

/// What a table that knows the future maximises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// The number of hits.
    Hits,
    /// The number of usable hits.
    Cutoffs,
    /// The total worth of usable hits, in nodes.
    Worth,
}

/// Computes the maximum of an objective that a table can reach if it knows the future. The table
/// has the size, slots and index of the options. Keys are compared in full.
///
/// Each bucket is treated as a separate table. To answer a probe, a slot must hold the position
/// from an earlier event of the position up to the probe. This span of events is an interval. At
/// most `slots` intervals that are kept can overlap at any time. For the number of hits, the
/// interval begins at the previous event of a position that was offered before. For usable probes,
/// the interval begins at the event at which the position's entry was last offered: a store, or a
/// usable probe. After a usable probe without an answer, the search would offer the entry again.
///
/// A table that knows the future can keep any set of intervals of which at most `slots` overlap. A
/// table that answers a probe has held the position during the whole interval. So the best set of
/// intervals is an upper bound, and a table can reach it.
///
/// The largest number of intervals is found by taking the intervals in the order of their ends.
/// Each is put into the slot that has been free for the shortest time (interval scheduling on
/// several machines). The largest worth is found by `Packer`, from all intervals of a bucket
/// together. Both results are exact.
///
/// Source: M. C. Carlisle and E. L. Lloyd, "On the k-coloring of intervals", 1995, for the number,
/// which equals that of L. Belady's rule of 1966 with bypass.
pub struct Clairvoyant {
    objective: Objective,
    index: Index,
    buckets: u64,
    slots: usize,
    /// If intervals are counted, the event since which each slot is free. 0 if the slot was never
    /// used.
    free_since: Vec<u32>,
    /// If the worth is maximised, the intervals that were collected so far.
    bucket_intervals: Vec<BucketInterval>,
    packer: Packer,
    total: u64,
}

struct BucketInterval {
    bucket: u64,
    interval: Interval,
}

impl Clairvoyant {
    /// Prepares to compute the bound for the table that `options` describe. If `options` give the
    /// size of the table as a share of the working set, `working_set` must be given.
    /// If the objective is not the worth, four bytes of memory are allocated for each slot.
    pub fn new(objective: Objective, options: &TableOptions, working_set: Option<u64>) -> Result<Self, TableError> {
        let (buckets, slots) = (buckets(options, working_set)?, usize::from(options.slots));
        let mut free_since = Vec::new();
        if objective != Objective::Worth {
            let too_large = TableError::Memory { bytes: u64::MAX, available: None };
            let bucket_count = usize::try_from(buckets).ok();
            let slot_count = bucket_count.and_then(|count| count.checked_mul(slots)).ok_or(too_large)?;
            // The lock is held until the memory is in use, so that no other thread relies on the
            // same free memory.
            let _lock = check_free(slot_count as u64 * 4)?;
            free_since.resize(slot_count, 0);
        }
        let (index, bucket_intervals, packer) = (options.index, Vec::new(), Packer::default());
        Ok(Self { objective, index, buckets, slots, free_since, bucket_intervals, packer, total: 0 })
    }

    /// Counts or collects the intervals that end in the next steps.
    pub fn push(&mut self, steps: &[Step]) {
        match self.objective {
            Objective::Hits => self.count_kept(steps, Step::is_known, |step| step.last_event),
            Objective::Cutoffs => self.count_kept(steps, Step::is_usable, |step| step.last_offer),
            Objective::Worth => self.collect_intervals(steps),
        }
    }

    /// The maximum of the objective in the steps so far, after which no further steps may follow.
    pub fn total(&mut self) -> u64 {
        self.add_worth();
        self.total
    }

    /// Counts the intervals that can be kept, each in a slot of its bucket. `ends_interval` is
    /// whether an interval ends at a step. `begin_of` returns the event at which this interval
    /// begins.
    #[inline]
    fn count_kept(&mut self, steps: &[Step], ends_interval: impl Fn(&Step) -> bool, begin_of: impl Fn(&Step) -> u32) {
        let mut kept_intervals = 0;
        for step in steps.iter().filter(|step| ends_interval(step)) {
            let begin = begin_of(step);
            let first_slot = self.index.bucket(step.key, self.buckets) as usize * self.slots;
            let bucket = &mut self.free_since[first_slot..first_slot + self.slots];
            // Among the slots that are free when the interval begins, the slot that became free
            // last is used.
            if let Some(free_since) = bucket.iter_mut().filter(|free_since| **free_since <= begin).max() {
                *free_since = step.number;
                kept_intervals += 1;
            }
        }
        self.total += kept_intervals;
    }

    /// Collects the intervals that end at these steps. At a clear, adds the worth of the intervals
    /// that were collected so far to the total.
    fn collect_intervals(&mut self, steps: &[Step]) {
        for step in steps {
            if step.is_usable() && step.worth > 0 {
                let bucket = self.index.bucket(step.key, self.buckets);
                let interval = Interval { begin: step.last_offer, end: step.number, worth: step.worth };
                self.bucket_intervals.push(BucketInterval { bucket, interval });
            } else if step.kind() == EventKind::Clear {
                // No interval begins before a clear and ends after it.
                self.add_worth();
            }
        }
    }

    /// Computes the maximum worth of the collected intervals of each bucket, and adds it to the
    /// total. Then removes the collected intervals.
    fn add_worth(&mut self) {
        self.bucket_intervals.sort_unstable_by_key(|item| (item.bucket, item.interval.begin));
        let mut intervals: Vec<Interval> = Vec::new();
        for intervals_of_bucket in self.bucket_intervals.chunk_by(|a, b| a.bucket == b.bucket) {
            intervals.clear();
            intervals.extend(intervals_of_bucket.iter().map(|item| item.interval));
            self.total += self.packer.max_worth(&intervals, self.slots);
        }
        self.bucket_intervals.clear();
    }
}

/// `options` give the size, the slots and the index of the table. If the size is given as a share
/// of the working set, `working_set` must be given.
///
/// # Errors
/// When the options are invalid or the memory is not sufficient.
pub fn clairvoyant(
    steps: &[Step],
    options: &TableOptions,
    working_set: Option<u64>,
    objective: Objective,
) -> Result<u64, TableError> {
    let mut clairvoyant = Clairvoyant::new(objective, options, working_set)?;
    clairvoyant.push(steps);
    Ok(clairvoyant.total())
}
