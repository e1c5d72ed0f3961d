//! Traces of any length in bounded memory: buckets know nothing of each other, so that tables are shown a share of them in each turn, and no
//! more is in memory than what is known of the positions that go there.

use super::step::{Maker, Step};
use crate::table::TableError;
use crate::table::by_key::{fewest_turns, places};
use crate::table::options::Index;
use crate::table::trace::{EventKind, Info, Reader, TraceError};
use std::io::Read;
use std::ops::Range;

/// Why a trace was not shown to its end.
#[derive(Debug, thiserror::Error)]
pub enum Halted {
    /// It cannot be read, or is damaged.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The audience has no memory.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Who is shown a trace.
pub trait ReplaySink {
    /// A turn begins, of some buckets: nothing was stored yet.
    ///
    /// # Errors
    /// When there is no memory for them.
    fn begin(&mut self, buckets: Range<u64>) -> Result<(), TableError>;
    /// What happened next in the buckets of a class. What is about no position is told to class 0, after all before it to all.
    fn show(&mut self, class: usize, steps: &[Step]);
    /// The turn is over.
    fn end(&mut self);
}

/// How a trace is shown.
#[derive(Debug, Clone)]
pub struct Passes {
    /// How the table finds a key's bucket.
    pub index: Index,
    /// The table's buckets.
    pub buckets: u64,
    /// How many turns there are, each over the whole trace.
    pub count: u64,
    /// The least depth of the trace, from which depths are counted if it is below 0.
    pub lowest: i8,
}

/// Bytes of a place for what is known of a position; while a map grows it has half as many again.
const PLACE: u64 = 33;

/// Bytes of a probe whose worth foresight weighs.
const WEIGHED: u64 = 24;

/// Events of a turn that can be numbered, with room for turns that are not alike.
const NUMBERED: u64 = 1 << 31;

/// Steps that are shown at a time: they stay in the cache while one table after another sees them.
const CHUNK: usize = 1 << 12;

impl Passes {
    /// As few turns as keep what is known of positions within so many bytes, if keys go evenly to buckets; foresight of one in `one_in`
    /// buckets. What tables themselves take comes on top.
    #[must_use]
    pub fn new(info: &Info, index: Index, buckets: u64, memory: u64, one_in: u64) -> Self {
        let bytes = |turns: u64| {
            let (met, asked) = (info.met / one_in / turns, info.asked / one_in / turns);
            // A sample and shares are not exact.
            places(met + met / 32 + 64) * PLACE * 3 / 2 + asked * WEIGHED
        };
        let least = info.events.div_ceil(NUMBERED).max(1);
        let count = fewest_turns(least, buckets, |turns| bytes(turns) <= memory);
        Self { index, buckets, count: count.clamp(1, buckets.max(1)), lowest: info.lowest }
    }

    /// The buckets of a turn.
    fn share(&self, turn: u64) -> Range<u64> {
        let begin = |turn: u64| (u128::from(turn) * u128::from(self.buckets)).div_ceil(u128::from(self.count)) as u64;
        begin(turn)..begin(turn + 1)
    }

    /// Shows a trace, which is opened anew for each turn. `class`: which class a bucket is of, if it is looked at.
    ///
    /// # Errors
    /// When the trace is damaged, and where, or the audience has no memory.
    pub fn show<R: Read>(
        &self,
        open: impl Fn() -> Result<Reader<R>, TraceError>,
        classes: usize,
        class: impl Fn(u64) -> Option<usize>,
        audience: &mut impl ReplaySink,
    ) -> Result<(), Halted> {
        let mut maker = Maker::new(self.lowest);
        let mut chunks = vec![Vec::with_capacity(CHUNK); classes];
        for turn in 0..self.count {
            let mine = self.share(turn);
            audience.begin(mine.clone())?;
            maker.forget();
            let mut reader = open()?;
            while let Some(block) = reader.next_block()? {
                for event in block {
                    let class = match event.kind() {
                        EventKind::Probe | EventKind::Store => {
                            // Asked of every event in every turn: two comparisons, no division.
                            let bucket = self.index.bucket(event.key, self.buckets);
                            match class(bucket).filter(|_| mine.contains(&bucket)) {
                                Some(class) => class,
                                None => continue,
                            }
                        }
                        EventKind::Search | EventKind::Clear => {
                            (1..classes).for_each(|class| pass_on(audience, class, &mut chunks[class]));
                            0
                        }
                    };
                    let step = maker.make(event)?;
                    chunks[class].push(step);
                    if chunks[class].len() == CHUNK
                        || classes > 1 && matches!(step.kind(), EventKind::Search | EventKind::Clear)
                    {
                        pass_on(audience, class, &mut chunks[class]);
                    }
                }
            }
            (0..classes).for_each(|class| pass_on(audience, class, &mut chunks[class]));
            audience.end();
        }
        Ok(())
    }
}

/// Shows what was gathered of a class.
fn pass_on(audience: &mut impl ReplaySink, class: usize, steps: &mut Vec<Step>) {
    audience.show(class, steps);
    steps.clear();
}
