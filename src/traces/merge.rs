//! Merges the traces of several programs that asked one table, by their common clock.

use super::{Event, Reader, TraceError, Writer};
use std::collections::HashMap;
use std::io::{Read, Write};

/// A trace, and its events that are not merged yet.
struct Source<R> {
    reader: Reader<R>,
    /// The events of its current block, the next last.
    next: Vec<Event>,
    /// The number of events taken.
    taken: u64,
    /// The clock of the last one.
    clock: u64,
}

impl<R: Read> Source<R> {
    /// The clock of the next event; `None` at the end.
    fn peek_clock(&mut self) -> Result<Option<u64>, TraceError> {
        if self.next.is_empty()
            && let Some(block) = self.reader.next_block()?
        {
            self.next.extend(block.iter().rev());
        }
        let Some(event) = self.next.last() else { return Ok(None) };
        // A writer without a clock has zeros.
        let least = self.clock.max(1);
        if event.clock < least {
            let (offset, event, found) = (self.reader.offset(self.taken), self.taken, event.clock);
            return Err(TraceError::Clock { offset, event, found, least });
        }
        Ok(Some(event.clock))
    }
}

/// Writes the events of several traces in the order of their clocks, those of one moment in the
/// order of the traces. Threads are numbered as they appear, and the first trace's first thread,
/// whose searches move the clock of ages, is 0.
///
/// # Errors
/// The number of the trace that is damaged or whose clock goes back, and why.
pub fn merge<R: Read, W: Write>(from: Vec<Reader<R>>, to: &mut Writer<W>) -> Result<u64, (usize, TraceError)> {
    let source = |reader| Source { reader, next: Vec::new(), taken: 0, clock: 0 };
    let mut sources: Vec<Source<R>> = from.into_iter().map(source).collect();
    let mut threads = HashMap::from([((0, 0), 0)]);
    let mut events = 0;
    loop {
        let mut first: Option<(u64, usize)> = None;
        for (at, source) in sources.iter_mut().enumerate() {
            let clock = source.peek_clock().map_err(|error| (at, error))?;
            first = clock.map(|clock| (clock, at)).into_iter().chain(first).min();
        }
        let Some((clock, at)) = first else { return Ok(events) };
        let source = &mut sources[at];
        (source.clock, source.taken) = (clock, source.taken + 1);
        if let Some(event) = source.next.pop() {
            let next = threads.len();
            let thread = *threads.entry((at, event.thread)).or_insert(next);
            let thread = u8::try_from(thread).map_err(|_| (at, TraceError::TooManyThreads))?;
            to.push(Event { thread, ..event });
            events += 1;
        }
    }
}
