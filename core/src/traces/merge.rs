//! Merges the traces of several programs that used the same table. The programs have a common
//! clock.

use super::{Event, Reader, TraceError, Writer};
use std::collections::HashMap;
use std::io::{Read, Write};

struct Source<R> {
    reader: Reader<R>,
    /// The events of the current block that are not merged yet, in reverse order.
    pending: Vec<Event>,
    merged_count: u64,
    clock: u64,
}

impl<R: Read> Source<R> {
    fn peek_clock(&mut self) -> Result<Option<u64>, TraceError> {
        if self.pending.is_empty()
            && let Some(block) = self.reader.next_block()?
        {
            self.pending.extend(block.iter().rev());
        }
        let Some(event) = self.pending.last() else { return Ok(None) };
        // 0 is not a valid clock. Programs that have no clock write 0.
        let least = self.clock.max(1);
        if event.clock < least {
            let offset = self.reader.offset(self.merged_count);
            return Err(TraceError::Clock { offset, event: self.merged_count, found: event.clock, least });
        }
        Ok(Some(event.clock))
    }
}

/// Writes the events of several traces in the order of their clocks. Events with equal clocks are
/// written in the order of the traces. Returns the number of events.
///
/// Each thread of each trace gets a new number, in the order in which the threads appear. Thread 0
/// of the first trace stays thread 0, because its searches advance the clock by which the age of
/// entries is counted.
///
/// # Errors
/// Returns the error and the index of the trace that is damaged or whose clock goes back.
pub fn merge<R: Read, W: Write>(from: Vec<Reader<R>>, to: &mut Writer<W>) -> Result<u64, (usize, TraceError)> {
    let source = |reader| Source { reader, pending: Vec::new(), merged_count: 0, clock: 0 };
    let mut sources: Vec<Source<R>> = from.into_iter().map(source).collect();
    // Maps the index of a trace and a thread of this trace to the new number of the thread.
    let mut thread_numbers = HashMap::from([((0, 0), 0)]);
    let mut events = 0;
    loop {
        // The earliest clock among the next events of all traces, and the index of its trace.
        let mut earliest: Option<(u64, usize)> = None;
        for (index, source) in sources.iter_mut().enumerate() {
            let next_clock = source.peek_clock().map_err(|error| (index, error))?;
            if let Some(clock) = next_clock
                && earliest.is_none_or(|(least, _)| clock < least)
            {
                earliest = Some((clock, index));
            }
        }
        let Some((clock, index)) = earliest else { return Ok(events) };
        let source = &mut sources[index];
        (source.clock, source.merged_count) = (clock, source.merged_count + 1);
        if let Some(event) = source.pending.pop() {
            let next_number = thread_numbers.len();
            let thread = *thread_numbers.entry((index, event.thread)).or_insert(next_number);
            let thread = u8::try_from(thread).map_err(|_| (index, TraceError::TooManyThreads))?;
            to.push(Event { thread, ..event });
            events += 1;
        }
    }
}
