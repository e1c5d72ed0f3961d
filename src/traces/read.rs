//! Reads traces as a stream and reports damage with its byte offset.

use super::check::Check;
use super::{BLOCK, END, EVENT_BYTES, Event, Flaw, MAGIC, ORDER, VERSION};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The system could not read the file.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The first bytes are not those of a trace.
    #[error("byte 0: not a ttlab trace: expected \"ttlabtrc\"")]
    NotATrace,
    /// The format version is not supported.
    #[error("byte 8: unsupported format version {found}: this build reads version {VERSION}")]
    Version {
        /// The version that the file states.
        found: u16,
    },
    /// The byte order is not little-endian.
    #[error(
        "byte 10: the byte order is not little-endian: write the trace with ttlab-trace.h, and do not swap its bytes"
    )]
    ByteOrder,
    /// The reserved bytes of the header are not zero.
    #[error("byte 12: the header is damaged: expected zeros")]
    Head,
    /// There is no end event.
    #[error(
        "byte {offset}: the trace is truncated: it ends after {events} complete events, without an end event \
         (`ttlab trace import --repair` keeps the events present)"
    )]
    Truncated {
        /// The length of the file in bytes.
        offset: u64,
        /// The number of complete events.
        events: u64,
    },
    /// There are bytes after the end event.
    #[error("byte {offset}: unexpected bytes after the end of the trace")]
    TrailingBytes {
        /// Offset of the first of them.
        offset: u64,
    },
    /// The end event declares another number of events.
    #[error("byte {offset}: the end event declares {declared} events, found {found}: events are missing or duplicated")]
    Count {
        /// Offset of the end event.
        offset: u64,
        /// The number of events that the end event states.
        declared: u64,
        /// The number of events in the file.
        found: u64,
    },
    /// The checksum does not match.
    #[error("byte {offset}: checksum mismatch over {events} events: the trace is damaged")]
    Damaged {
        /// Offset of the end event.
        offset: u64,
        /// The number of events in the file.
        events: u64,
    },
    /// An event is invalid.
    #[error("byte {offset}: event {event} is invalid: {flaw}")]
    Impossible {
        /// Offset of the event.
        offset: u64,
        /// Number of the event, from 0.
        event: u64,
        /// Why the event is invalid.
        flaw: Flaw,
    },
    /// The file changed between two passes.
    #[error("the trace changed while it was being read")]
    Changed,
    /// A pass has too many events.
    #[error("too many events in the trace: at most 4,294,967,295 can be replayed")]
    TooManyEvents,
}

/// Reads a trace block by block.
pub struct Reader<R> {
    from: R,
    buffer: Vec<u8>,
    block: Vec<Event>,
    events: u64,
    check: Check,
    /// The event before which to stop; `None`: the end of the trace.
    stop: Option<u64>,
    /// The node total of the end event, once read.
    nodes: Option<u32>,
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// When it is not the header of a supported trace.
    pub fn new(mut from: R) -> Result<Self, TraceError> {
        let mut head = [0; EVENT_BYTES];
        let filled = read_full(&mut from, &mut head)?;
        if filled < MAGIC.len() || head[..MAGIC.len()] != MAGIC {
            return Err(TraceError::NotATrace);
        }
        if filled < EVENT_BYTES {
            return Err(TraceError::Truncated { offset: filled as u64, events: 0 });
        }
        let half = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        if half(10) == ORDER.swap_bytes() {
            return Err(TraceError::ByteOrder);
        }
        if half(8) != VERSION {
            return Err(TraceError::Version { found: half(8) });
        }
        if half(10) != ORDER {
            return Err(TraceError::ByteOrder);
        }
        if head[12..] != [0; 4] {
            return Err(TraceError::Head);
        }
        let (buffer, block) = (vec![0; EVENT_BYTES * BLOCK], Vec::with_capacity(BLOCK));
        Ok(Self { from, buffer, block, events: 0, check: Check::default(), stop: None, nodes: None })
    }

    /// Reads a range of events of a trace that was validated before.
    ///
    /// # Errors
    /// When it is not the header of a supported trace.
    pub fn range(from: R, events: Range<u64>) -> Result<Self, TraceError>
    where
        R: Seek,
    {
        let mut reader = Self::new(from)?;
        reader.from.seek(SeekFrom::Start((events.start + 1) * EVENT_BYTES as u64))?;
        (reader.events, reader.stop) = (events.start, Some(events.end));
        Ok(reader)
    }

    /// The next events; `None` after the end of the trace.
    ///
    /// # Errors
    /// When the trace is damaged, and where. The intact events before the damage were returned or
    /// are in [`Self::partial_block`].
    pub fn next_block(&mut self) -> Result<Option<&[Event]>, TraceError> {
        self.block.clear();
        let left = self.stop.map_or(BLOCK as u64, |stop| stop - self.events).min(BLOCK as u64) as usize;
        if self.nodes.is_some() || left == 0 {
            return Ok(None);
        }
        let buffer = &mut self.buffer[..EVENT_BYTES * left];
        let filled = read_full(&mut self.from, buffer)?;
        let first = self.events;
        let offset = |event: u64| (event + 1) * EVENT_BYTES as u64;
        for (at, bytes) in buffer[..filled].as_chunks::<EVENT_BYTES>().0.iter().enumerate() {
            let event = Event::from_bytes(*bytes);
            let number = first + at as u64;
            let wrong = |flaw| TraceError::Impossible { offset: offset(number), event: number, flaw };
            if event.flags == END && self.stop.is_none() {
                if event.key != number {
                    return Err(TraceError::Count { offset: offset(number), declared: event.key, found: number });
                }
                // Writers without a checksum write zeros.
                if ![(0, 0), self.check.end_fields(event.nodes)].contains(&(event.value, event.depth)) {
                    return Err(TraceError::Damaged { offset: offset(number), events: number });
                }
                if filled > (at + 1) * EVENT_BYTES || read_full(&mut self.from, &mut [0])? > 0 {
                    return Err(TraceError::TrailingBytes { offset: offset(number + 1) });
                }
                self.nodes = Some(event.nodes);
                break;
            }
            event.check().map_err(wrong)?;
            self.check.add_event(&event);
            self.block.push(event);
            self.events += 1;
        }
        if self.nodes.is_none() && filled < buffer.len() {
            return Err(TraceError::Truncated { offset: offset(first) + filled as u64, events: self.events });
        }
        Ok(if self.block.is_empty() { None } else { Some(&self.block) })
    }

    /// After an error: the intact events of the damaged block.
    pub fn partial_block(&self) -> &[Event] {
        &self.block
    }

    /// After the end of the trace: total nodes searched, modulo 2^32.
    pub fn nodes(&self) -> Option<u32> {
        self.nodes
    }

    /// Calls `visit` with each remaining event.
    ///
    /// # Errors
    /// When the trace is damaged, and where.
    pub fn for_each(&mut self, mut visit: impl FnMut(&Event)) -> Result<(), TraceError> {
        while let Some(block) = self.next_block()? {
            block.iter().for_each(&mut visit);
        }
        Ok(())
    }
}

/// Reads until the buffer is full or the input ends.
fn read_full(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Reads a whole trace into memory.
///
/// # Errors
/// When it is not a trace or is damaged, and where.
pub fn read(from: impl Read) -> Result<Vec<Event>, TraceError> {
    let mut events = Vec::new();
    Reader::new(from)?.for_each(|event| events.push(*event))?;
    Ok(events)
}
