//! Replays traces of any length in bounded memory: buckets are independent, so each pass over the
//! trace handles a share of them, and only the facts about their positions are in memory.

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

/// A consumer of a replay.
pub trait ReplaySink {
    /// Begins a pass over some buckets, with empty tables.
    ///
    /// # Errors
    /// When there is not enough memory for them.
    fn begin_pass(&mut self, buckets: Range<u64>) -> Result<(), TableError>;
    /// Receives the next events in these buckets, and the searches and clears.
    fn push(&mut self, steps: &[Step]);
    /// Ends the pass.
    fn end_pass(&mut self);
}

/// How a trace is split into passes.
#[derive(Debug, Clone)]
pub struct Passes {
    /// The table's index from key to bucket.
    pub index: Index,
    pub buckets: u64,
    /// The number of passes, each over the whole trace.
    pub count: u64,
    /// The depths of the trace.
    pub depths: DepthScale,
}

/// Bytes per map slot for the facts about a position; a growing map needs one and a half times as
/// much.
const MAP_SLOT_BYTES: u64 = 49;

/// Bytes per usable probe for the clairvoyant bound by worth.
const SPAN_BYTES: u64 = 24;

/// Maximum events per pass, with a margin for passes of unequal length.
const EVENTS_PER_PASS: u64 = 1 << 31;

/// Steps per call: they stay in the cache while one table after another replays them.
const CHUNK: usize = 1 << 12;

impl Passes {
    /// The fewest passes that keep the facts about positions within `memory` bytes, if keys are
    /// spread evenly over buckets. The tables' own memory is not included.
    pub fn new(info: &Info, index: Index, buckets: u64, memory: u64) -> Self {
        let bytes = |passes: u64| {
            let (positions, usable) = (info.peak_positions / passes, info.peak_usable / passes);
            // The margin is for passes with more than their share of positions. A growing map needs
            // half as much again.
            map_capacity(positions + positions / 32 + 64) * MAP_SLOT_BYTES * 3 / 2 + usable * SPAN_BYTES
        };
        let fewest = info.events.div_ceil(EVENTS_PER_PASS).max(1);
        let count = fewest_passes(fewest, buckets, |passes| bytes(passes) <= memory);
        let depths = DepthScale::new(info.depth_parts, info.min_depth);
        Self { index, buckets, count: count.clamp(1, buckets.max(1)), depths }
    }

    /// The buckets of a pass.
    fn buckets_of(&self, pass: u64) -> Range<u64> {
        let begin = |pass: u64| (u128::from(pass) * u128::from(self.buckets)).div_ceil(u128::from(self.count)) as u64;
        begin(pass)..begin(pass + 1)
    }

    /// Replays a trace, which `open` opens again for each pass.
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
