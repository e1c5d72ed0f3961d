//! What a table could have of a trace if it knew what comes: by count, and by worth.

use super::buckets;
use super::packing::{Holding, Packer};
use super::step::Step;
use crate::table::memory::check_free;
use crate::table::options::Index;
use crate::table::trace::EventKind;
use crate::table::{TableError, TableOptions};
use std::ops::Range;

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

/// The most that a table of the options' size, slots and index can have of an aim if it knows what comes.
///
/// Each bucket is a table of its own. What may be kept in it is a set of stretches, each from an event of a position to the probe that wants
/// it; it holds at most `slots` of them at any time. For the hits a stretch begins at any event of a position that was offered; for
/// usable probes where its entry is offered: at a store, or at a usable probe, after which a search that was not answered offers it anew.
/// A table may be filled with a choice of stretches, and one that keeps a position for a probe has held it all along its stretch: so the
/// best choice is reached by a table that knows what comes, and by no other surpassed. Keys are compared in full: a table that takes one
/// position for another may seem to do better.
///
/// Most in number are kept by taking stretches in the order in which they end, each into the slot that was free for the shortest time before
/// it, where there is one (interval scheduling on several machines): no look ahead is needed, only the end of what each slot held last.
/// Worth needs all stretches of a bucket: see `Packing`. Both are exact.
///
/// Source: M. C. Carlisle and E. L. Lloyd, "On the k-coloring of intervals", 1995, for the number; it is that of L. Belady's rule of 1966 with
/// bypass.
pub struct Clairvoyant {
    aim: Aim,
    index: Index,
    buckets: u64,
    slots: usize,
    /// The first bucket of the turn.
    first: u64,
    /// By count: the event at which each slot was free again; 0: it held nothing yet.
    free: Vec<u32>,
    /// By worth: what is to be weighed.
    expected: Vec<BucketSpan>,
    packing: Packer,
    found: Vec<u64>,
}

/// A stretch of a bucket.
struct BucketSpan {
    bucket: u64,
    class: u32,
    stretch: Holding,
}

impl Clairvoyant {
    /// Knows nothing yet of so many classes of buckets.
    ///
    /// # Errors
    /// When the options are wrong.
    pub fn new(aim: Aim, options: &TableOptions, working_set: Option<u64>, classes: usize) -> Result<Self, TableError> {
        let (index, slots) = (options.index, usize::from(options.slots));
        let (free, expected, packing) = (Vec::new(), Vec::new(), Packer::default());
        let buckets = buckets(options, working_set)?;
        Ok(Self { aim, index, buckets, slots, first: 0, free, expected, packing, found: vec![0; classes] })
    }

    /// Begins with some of the buckets.
    ///
    /// # Errors
    /// When there is no memory for their slots: four bytes each.
    pub fn begin(&mut self, buckets: Range<u64>) -> Result<(), TableError> {
        self.first = buckets.start;
        if self.aim != Aim::Worth {
            let none = TableError::Memory { bytes: u64::MAX, available: None };
            let len = usize::try_from(buckets.end - buckets.start).ok().and_then(|len| len.checked_mul(self.slots));
            self.free.clear();
            let len = len.ok_or(none)?;
            let _touching = check_free(len as u64 * 4)?;
            self.free.resize(len, 0);
        }
        Ok(())
    }

    /// Takes in what happens next in the buckets of a class.
    pub fn show(&mut self, class: usize, steps: &[Step]) {
        match self.aim {
            Aim::Hits => self.count(class, steps, Step::known, |step| step.since),
            Aim::Cuts => self.count(class, steps, Step::usable, |step| step.offered),
            Aim::Worth => self.gather(class, steps),
        }
    }

    /// The buckets have seen all.
    pub fn end(&mut self) {
        self.weigh();
    }

    /// What was found, by class.
    #[must_use]
    pub fn found(&self) -> &[u64] {
        &self.found
    }

    #[inline]
    fn count(&mut self, class: usize, steps: &[Step], ends: impl Fn(&Step) -> bool, begin: impl Fn(&Step) -> u32) {
        let mut reached = 0;
        for step in steps.iter().filter(|step| ends(step)) {
            let begin = begin(step);
            let place = (self.index.bucket(step.key, self.buckets) - self.first) as usize * self.slots;
            let free = self.free[place..place + self.slots].iter_mut().filter(|free| **free <= begin);
            if let Some(latest) = free.max() {
                *latest = step.at;
                reached += 1;
            }
        }
        self.found[class] += reached;
    }

    fn gather(&mut self, class: usize, steps: &[Step]) {
        for step in steps {
            if step.usable() && step.worth > 0 {
                let bucket = self.index.bucket(step.key, self.buckets);
                let stretch = Holding { begin: step.offered, end: step.at, worth: step.worth };
                self.expected.push(BucketSpan { bucket, class: class as u32, stretch });
            } else if step.kind() == EventKind::Clear {
                // Nothing is held across it.
                self.weigh();
            }
        }
    }

    /// The most worth that the slots of each bucket can keep of what was gathered.
    fn weigh(&mut self) {
        self.expected.sort_unstable_by_key(|expected| (expected.bucket, expected.stretch.begin));
        let mut one: Vec<Holding> = Vec::new();
        for bucket in self.expected.chunk_by(|a, b| a.bucket == b.bucket) {
            one.clear();
            one.extend(bucket.iter().map(|expected| expected.stretch));
            self.found[bucket[0].class as usize] += self.packing.most(&one, self.slots);
        }
        self.expected.clear();
    }
}

/// The most that a table of the options can have of a trace if it knows what comes: see [`Clairvoyant`].
///
/// # Errors
/// When the options are wrong.
pub fn clairvoyant(
    steps: &[Step],
    options: &TableOptions,
    working_set: Option<u64>,
    aim: Aim,
) -> Result<u64, TableError> {
    let mut foresight = Clairvoyant::new(aim, options, working_set, 1)?;
    foresight.begin(0..foresight.buckets)?;
    foresight.show(0, steps);
    foresight.end();
    Ok(foresight.found[0])
}
