//! Validates external traces and joins them into one.

use super::{Event, Reader, TraceError, Writer, flags};
use std::io::{self, Read, Write};

/// Result of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportResult {
    /// The number of events that were copied.
    pub events: u64,
    /// The number of intact bytes, if the trace was truncated by a repair.
    pub cut_at: Option<u64>,
}

/// Appends a trace to another, with a clear in between unless it is the `first`. With `repair`, the
/// events before damage are kept.
///
/// # Errors
/// When it is not a trace or, without `repair`, damaged. Write errors are returned by
/// [`Writer::finish`].
pub fn import<W: Write>(
    from: impl Read,
    to: &mut Writer<W>,
    first: bool,
    repair: bool,
) -> Result<ImportResult, TraceError> {
    let mut reader = Reader::new(from)?;
    let mut events = 0;
    if !first {
        to.push(Event::clear(to.nodes()));
        to.push(Event::search(0, flags::GAME, to.nodes()));
    }
    let mut push = |event: &Event| {
        to.push(*event);
        events += 1;
    };
    let cut = loop {
        match reader.next_block() {
            Ok(Some(block)) => block.iter().for_each(&mut push),
            Ok(None) => break None,
            Err(TraceError::Io(error)) if error.kind() != io::ErrorKind::UnexpectedEof => {
                return Err(TraceError::Io(error));
            }
            Err(error) => {
                if !repair {
                    return Err(error);
                }
                reader.partial_block().iter().for_each(&mut push);
                break Some(());
            }
        }
    };
    let cut_at = cut.map(|()| 16 * (events + 1));
    if let Some(nodes) = reader.nodes() {
        to.set_nodes(nodes);
    }
    Ok(ImportResult { events, cut_at })
}
