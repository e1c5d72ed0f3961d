//! Validates external traces and joins them into one.

use super::{Event, EventKind, Reader, TraceError, Writer, flags};
use std::io::{self, Read, Write};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportResult {
    pub events: u64,
    /// Probes and stores among them.
    pub accesses: u64,
    /// The number of intact bytes, if the trace was truncated by a repair.
    pub cut_at: Option<u64>,
}

/// Appends a trace to `to`. `first`: whether it is the first trace; before others a clear is
/// written. `repair`: keep the events before any damage. `only`: keep the probes and stores of one
/// thread, all clears, and the searches of the first thread.
///
/// # Errors
/// When it is not a trace or, without `repair`, damaged; [`Writer::finish`] has write errors.
pub fn import<W: Write>(
    from: impl Read,
    to: &mut Writer<W>,
    first: bool,
    repair: bool,
    only: Option<u8>,
) -> Result<ImportResult, TraceError> {
    let mut reader = Reader::new(from)?;
    let (mut events_read, mut events, mut accesses) = (0, 0, 0);
    if !first {
        to.push(Event::clear(to.cost()));
        to.push(Event::search(0, flags::GAME, to.cost()));
    }
    let mut push = |event: &Event| {
        events_read += 1;
        let is_access = matches!(event.kind(), EventKind::Probe | EventKind::Store);
        let event = match only {
            None => *event,
            Some(thread) if is_access && event.thread == thread => Event { thread: 0, ..*event },
            Some(_) if !is_access && (event.is_main() || event.kind() == EventKind::Clear) => {
                Event { thread: 0, ..*event }
            }
            Some(_) => return,
        };
        to.push(event);
        events += 1;
        accesses += u64::from(is_access);
    };
    let is_truncated = loop {
        match reader.next_block() {
            Ok(Some(block)) => block.iter().for_each(&mut push),
            Ok(None) => break false,
            Err(TraceError::Io(error)) if error.kind() != io::ErrorKind::UnexpectedEof => {
                return Err(TraceError::Io(error));
            }
            Err(error) => {
                if !repair {
                    return Err(error);
                }
                reader.partial_block().iter().for_each(&mut push);
                break true;
            }
        }
    };
    let cut_at = is_truncated.then(|| reader.offset(events_read));
    if let Some(end) = reader.end().filter(|_| only.is_none()) {
        to.set_cost(end.cost);
    }
    Ok(ImportResult { events, accesses, cut_at })
}
