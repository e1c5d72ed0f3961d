//! Outside traces, checked and joined to one.

use super::{Event, Reader, TraceError, Writer, flags};
use std::io::{self, Read, Write};

/// What was taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imported {
    /// Events.
    pub events: u64,
    /// Why the trace was cut, if it was: bytes that were good.
    pub cut_at: Option<u64>,
}

/// Takes a trace over into another, behind what is there; a table that is taken up again begins empty. With `repair`, what
/// stands before damage is kept.
///
/// # Errors
/// When it is no trace or, unless it is repaired, damaged. Writing fails when the writer is finished.
pub fn import<W: Write>(
    from: impl Read,
    to: &mut Writer<W>,
    first: bool,
    repair: bool,
) -> Result<Imported, TraceError> {
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
                reader.rest().iter().for_each(&mut push);
                break Some(());
            }
        }
    };
    let cut_at = cut.map(|()| 16 * (events + 1));
    if let Some(nodes) = reader.nodes() {
        to.searched(nodes);
    }
    Ok(Imported { events, cut_at })
}
