//! Validates external traces and joins several traces into one.

use super::{Event, EventKind, Reader, TraceError, Writer, flags};
use std::io::{self, Read, Write};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportResult {
    pub events: u64,
    /// The number of events that are probes or stores.
    pub accesses: u64,
    /// The number of intact bytes if the trace was truncated by a repair; otherwise `None`.
    pub intact_bytes: Option<u64>,
}

/// Appends a trace to `to`. If `is_first` is false, the table is cleared and a new game begins
/// before the events of the trace.
///
/// If `repair` is true and the trace is damaged, the events before the damage are appended. If
/// `only_thread` is given, only probes and stores of this thread are appended, together with all
/// clears and the searches of the first thread. The appended events then have the thread 0.
///
/// # Errors
/// When the input is not a trace, or when it is damaged and `repair` is false. Write errors are
/// returned later, by [`Writer::finish`].
pub fn import<W: Write>(
    from: impl Read,
    to: &mut Writer<W>,
    is_first: bool,
    repair: bool,
    only_thread: Option<u8>,
) -> Result<ImportResult, TraceError> {
    let mut reader = Reader::new(from)?;
    let (mut events_read, mut events, mut accesses) = (0, 0, 0);
    if !is_first {
        to.push(Event::clear(to.cost()));
        to.push(Event::search(0, flags::GAME, to.cost()));
    }
    let mut append = |event: &Event| {
        events_read += 1;
        let is_access = matches!(event.kind(), EventKind::Probe | EventKind::Store);
        let event = match only_thread {
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
            Ok(Some(block)) => block.iter().for_each(&mut append),
            Ok(None) => break false,
            Err(TraceError::Io(error)) if error.kind() != io::ErrorKind::UnexpectedEof => {
                return Err(TraceError::Io(error));
            }
            Err(error) => {
                if !repair {
                    return Err(error);
                }
                reader.partial_block().iter().for_each(&mut append);
                break true;
            }
        }
    };
    let intact_bytes = is_truncated.then(|| reader.offset(events_read));
    if let Some(end) = reader.end().filter(|_| only_thread.is_none()) {
        to.set_cost(end.cost);
    }
    Ok(ImportResult { events, accesses, intact_bytes })
}
