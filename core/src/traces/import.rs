//! Validates external traces and joins several traces into one.

use super::{Event, Reader, TraceError, Writer, flags};
use std::io::{self, Read, Write};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportResult {
    pub events: u64,
    /// The number of intact bytes if the trace was truncated by a repair; otherwise `None`.
    pub intact_bytes: Option<u64>,
}

/// Appends a trace to `to`. If `is_first` is false, the table is cleared and a new game begins
/// before the events of the trace.
///
/// If `repair` is true and the trace is damaged, the events before the damage are appended.
///
/// # Errors
/// When the input is not a trace, or when it is damaged and `repair` is false. Write errors are
/// returned later, by [`Writer::finish`].
pub fn import<W: Write>(
    from: impl Read,
    to: &mut Writer<W>,
    is_first: bool,
    repair: bool,
) -> Result<ImportResult, TraceError> {
    let mut reader = Reader::new(from)?;
    let mut events = 0;
    if !is_first {
        to.push(Event::clear(to.cost()));
        to.push(Event::search(0, flags::GAME, to.cost()));
    }
    let mut append = |event: &Event| {
        to.push(*event);
        events += 1;
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
    let intact_bytes = is_truncated.then(|| reader.offset(events));
    if let Some(end) = reader.end() {
        to.set_cost(end.cost);
    }
    Ok(ImportResult { events, intact_bytes })
}
