//! Upper bounds on what any table can achieve on a trace, if it knew the future.

use super::buckets;
use super::packing::{Interval, Packer};
use super::step::Step;
use crate::table::memory::check_free;
use crate::table::options::Index;
use crate::table::{TableError, TableOptions};
use crate::traces::EventKind;
use std::ops::Range;

/// What a clairvoyant table maximises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// The number of hits.
    Hits,
    /// The number of usable hits.
    Cutoffs,
    /// The worth of usable hits, in nodes.
    Worth,
}

/// The maximum of an objective over all tables of the options' size, slots and index that know the
/// future.
///
/// Each bucket is a separate table. The entries that it keeps are a set of intervals, each from an
/// event of a position to the probe that it answers; at most `slots` of them overlap at any time.
/// For hits an interval begins at any event of a position that was offered. For usable probes it
/// begins where the position's entry is offered: at a store, or at a usable probe, after which a
/// search that got no answer offers the entry again. A table that knows the future can realise any
/// choice of intervals, and a table that answers a probe held the position throughout its interval:
/// so the best choice is an attainable upper bound. Keys are compared in full.
///
/// To keep the largest number of intervals, they are taken in the order of their ends, each into
/// the slot that was free for the shortest time before it (interval scheduling on several
/// machines). The largest worth needs all intervals of a bucket: see `Packer`. Both are exact.
///
/// Source: M. C. Carlisle and E. L. Lloyd, "On the k-coloring of intervals", 1995, for the number,
/// which equals that of L. Belady's rule of 1966 with bypass.
pub struct Clairvoyant {
    objective: Objective,
    index: Index,
    buckets: u64,
    slots: usize,
    /// The first bucket of the pass.
    first: u64,
    /// For counts: the event since which each slot is free; 0: it was never used.
    free_since: Vec<u32>,
    /// For worth: the intervals collected so far.
    spans: Vec<BucketSpan>,
    packer: Packer,
    total: u64,
}

struct BucketSpan {
    bucket: u64,
    interval: Interval,
}

impl Clairvoyant {
    /// Creates a bound for the options' table.
    pub fn new(objective: Objective, options: &TableOptions, working_set: Option<u64>) -> Result<Self, TableError> {
        Ok(Self {
            objective,
            index: options.index,
            buckets: buckets(options, working_set)?,
            slots: usize::from(options.slots),
            first: 0,
            free_since: Vec::new(),
            spans: Vec::new(),
            packer: Packer::default(),
            total: 0,
        })
    }

    /// Starts a pass over a range of buckets; counting takes four bytes of memory per slot.
    pub fn begin_pass(&mut self, buckets: Range<u64>) -> Result<(), TableError> {
        self.first = buckets.start;
        if self.objective != Objective::Worth {
            let too_large = TableError::Memory { bytes: u64::MAX, available: None };
            let bucket_count = usize::try_from(buckets.end - buckets.start).ok();
            let slots = bucket_count.and_then(|count| count.checked_mul(self.slots)).ok_or(too_large)?;
            self.free_since.clear();
            // No other thread may count on this memory until it is touched.
            let _lock = check_free(slots as u64 * 4)?;
            self.free_since.resize(slots, 0);
        }
        Ok(())
    }

    /// Adds the next events of the pass.
    pub fn push(&mut self, steps: &[Step]) {
        match self.objective {
            Objective::Hits => self.count(steps, Step::is_known, |step| step.last_event),
            Objective::Cutoffs => self.count(steps, Step::is_usable, |step| step.last_offer),
            Objective::Worth => self.gather_spans(steps),
        }
    }

    /// Ends a pass over the trace and forgets its positions.
    pub fn end_pass(&mut self) {
        self.add_worth();
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// Counts the intervals that can be kept, each in a slot of its bucket. `ends_interval`:
    /// whether an interval ends at a step; `begin_of`: the event at which it begins.
    #[inline]
    fn count(&mut self, steps: &[Step], ends_interval: impl Fn(&Step) -> bool, begin_of: impl Fn(&Step) -> u32) {
        let mut kept_intervals = 0;
        for step in steps.iter().filter(|step| ends_interval(step)) {
            let begin = begin_of(step);
            let first_slot = (self.index.bucket(step.key, self.buckets) - self.first) as usize * self.slots;
            let bucket = &mut self.free_since[first_slot..first_slot + self.slots];
            // Of the slots that are free by then, the one that became free last.
            if let Some(free_since) = bucket.iter_mut().filter(|free_since| **free_since <= begin).max() {
                *free_since = step.number;
                kept_intervals += 1;
            }
        }
        self.total += kept_intervals;
    }

    /// Collects the intervals that end at these steps.
    fn gather_spans(&mut self, steps: &[Step]) {
        for step in steps {
            if step.is_usable() && step.worth > 0 {
                let bucket = self.index.bucket(step.key, self.buckets);
                let interval = Interval { begin: step.last_offer, end: step.number, worth: step.worth };
                self.spans.push(BucketSpan { bucket, interval });
            } else if step.kind() == EventKind::Clear {
                // No interval spans a clear.
                self.add_worth();
            }
        }
    }

    /// Adds the maximum worth of the collected intervals, bucket by bucket.
    fn add_worth(&mut self) {
        self.spans.sort_unstable_by_key(|span| (span.bucket, span.interval.begin));
        let mut intervals: Vec<Interval> = Vec::new();
        for bucket in self.spans.chunk_by(|a, b| a.bucket == b.bucket) {
            intervals.clear();
            intervals.extend(bucket.iter().map(|span| span.interval));
            self.total += self.packer.max_worth(&intervals, self.slots);
        }
        self.spans.clear();
    }
}

/// The maximum of an objective that a table of the options' size, slots and index can reach on a
/// trace if it knows the future. `working_set`: for sizes given as a share of it.
///
/// # Errors
/// When the options are invalid.
pub fn clairvoyant(
    steps: &[Step],
    options: &TableOptions,
    working_set: Option<u64>,
    objective: Objective,
) -> Result<u64, TableError> {
    let mut clairvoyant = Clairvoyant::new(objective, options, working_set)?;
    clairvoyant.begin_pass(0..clairvoyant.buckets)?;
    clairvoyant.push(steps);
    clairvoyant.end_pass();
    Ok(clairvoyant.total)
}
