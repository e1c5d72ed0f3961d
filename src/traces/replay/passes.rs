//! Replays traces of any length in bounded memory. The buckets of a table are independent, so each
//! pass over the trace handles only some of the buckets. Only the facts about the positions in
//! these buckets are kept in memory.

use super::step::{DepthScale, Step, StepMaker};
use crate::table::TableError;
use crate::table::key_map::{fewest_passes, map_capacity};
use crate::table::options::Index;
use crate::traces::{EventKind, Info, Reader, TraceError};
use std::io::Read;
use std::ops::Range;

/// Why a replay ended early.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The trace cannot be read or is damaged.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// There is not enough memory.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// A receiver of the steps of a replay.
pub trait ReplaySink {
    /// Begins a pass over a range of buckets, with empty tables.
    ///
    /// # Errors
    /// When there is not enough memory for the tables.
    fn begin_pass(&mut self, buckets: Range<u64>) -> Result<(), TableError>;
    /// Receives the next steps: probes and stores in the buckets of the pass, and all searches and
    /// clears.
    fn push(&mut self, steps: &[Step]);
    /// Ends the pass.
    fn end_pass(&mut self);
}

/// How a trace is split into passes.
#[derive(Debug, Clone)]
pub struct Passes {
    /// How the table maps keys to buckets.
    pub index: Index,
    /// The number of buckets of the table.
    pub buckets: u64,
    /// The number of passes. Each pass reads the whole trace.
    pub count: u64,
    /// The scale of the trace's depths.
    pub depths: DepthScale,
}

/// The number of bytes that the map of the positions needs for each of its slots.
const MAP_SLOT_BYTES: u64 = 49;

/// The number of bytes that [`super::Clairvoyant`] needs for each usable probe if it maximises the
/// worth.
const INTERVAL_BYTES: u64 = 24;

/// The maximum number of events per pass if all passes are equally long. The numbers of events have
/// 32 bits, so this leaves a margin for passes of unequal length.
const EVENTS_PER_PASS: u64 = 1 << 31;

/// The number of steps that a sink receives at once. They are so few that they stay in the
/// processor's cache while one table after another replays them.
const CHUNK: usize = 1 << 12;

impl Passes {
    /// Splits a trace into as few passes as possible. Each pass may use `memory` bytes in addition
    /// to the memory of the tables. The keys are assumed to be spread evenly over the buckets.
    pub fn new(info: &Info, index: Index, buckets: u64, memory: u64) -> Self {
        let bytes_per_pass = |passes: u64| {
            let (positions, usable_probes) = (info.peak_positions / passes, info.peak_usable / passes);
            // A margin is added for passes with more positions than the average pass. While the
            // map grows, it needs one and a half times the memory of its final size.
            map_capacity(positions + positions / 32 + 64) * MAP_SLOT_BYTES * 3 / 2 + usable_probes * INTERVAL_BYTES
        };
        let min_passes = info.events.div_ceil(EVENTS_PER_PASS).max(1);
        let count = fewest_passes(min_passes, buckets, |passes| bytes_per_pass(passes) <= memory);
        let depths = DepthScale::new(info.depth_parts, info.min_depth);
        Self { index, buckets, count: count.clamp(1, buckets.max(1)), depths }
    }

    /// Returns the range of buckets of a pass.
    fn buckets_of(&self, pass: u64) -> Range<u64> {
        let begin = |pass: u64| (u128::from(pass) * u128::from(self.buckets)).div_ceil(u128::from(self.count)) as u64;
        begin(pass)..begin(pass + 1)
    }

    /// Replays a trace and gives the steps to `sink`. `open` opens the trace at the start of each
    /// pass.
    pub fn run<R: Read>(
        &self,
        open: impl Fn() -> Result<Reader<R>, TraceError>,
        sink: &mut impl ReplaySink,
    ) -> Result<(), ReplayError> {
        let mut maker = StepMaker::new(self.depths);
        let mut chunk = Vec::with_capacity(CHUNK);
        for pass in 0..self.count {
            let buckets = self.buckets_of(pass);
            sink.begin_pass(buckets.clone())?;
            maker.reset();
            let mut reader = open()?;
            while let Some(block) = reader.next_block()? {
                for event in block {
                    // Probes and stores in other buckets belong to other passes.
                    if matches!(event.kind(), EventKind::Probe | EventKind::Store)
                        && !buckets.contains(&self.index.bucket(event.key, self.buckets))
                    {
                        continue;
                    }
                    chunk.push(maker.make_step(event)?);
                    if chunk.len() == CHUNK {
                        sink.push(&chunk);
                        chunk.clear();
                    }
                }
            }
            sink.push(&chunk);
            chunk.clear();
            sink.end_pass();
        }
        Ok(())
    }
}
