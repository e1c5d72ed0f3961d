//! Reads traces as a stream, and refuses what is damaged with the byte where it is.

use super::check::Check;
use super::{BLOCK, END, Event, Flaw, MAGIC, ORDER, UNIT, VERSION};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The system would not.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It begins with something else.
    #[error("byte 0: it is no trace of a table: expected \"ttlabtrc\"")]
    NoTrace,
    /// It is of another version.
    #[error("byte 8: version {found} of the format: this build reads version {VERSION}")]
    Version {
        /// Its version.
        found: u16,
    },
    /// It was written with the other byte order.
    #[error(
        "byte 10: the byte order is not little-endian: it was not written by ttlab-trace.h, or its bytes were swapped"
    )]
    Order,
    /// The rest of the head is not as this version has it.
    #[error("byte 12: the head is damaged: expected zeros")]
    Head,
    /// It ends before its end.
    #[error(
        "byte {offset}: the trace ends here, after {events} whole events, and nothing says that it is complete: it was cut \
         short (`ttlab trace import --repair` keeps what is there)"
    )]
    Short {
        /// Bytes that are there.
        offset: u64,
        /// Whole events that are there.
        events: u64,
    },
    /// It goes on after its end.
    #[error("byte {offset}: there are bytes after the end of the trace")]
    Long {
        /// The first of them.
        offset: u64,
    },
    /// Its end says another number of events.
    #[error("byte {offset}: the end says {said} events, but {found} are there: events are missing or came in twice")]
    Count {
        /// Where the end is.
        offset: u64,
        /// Events by the end.
        said: u64,
        /// Events before it.
        found: u64,
    },
    /// It is not what its end was written for.
    #[error("byte {offset}: the check of the trace's end does not fit its {events} events: it was damaged")]
    Damaged {
        /// Where the end is.
        offset: u64,
        /// Events before it.
        events: u64,
    },
    /// An event that cannot be.
    #[error("byte {offset}: event {event} is impossible: {flaw}")]
    Impossible {
        /// Where it begins.
        offset: u64,
        /// Its number, from 0.
        event: u64,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// It is no longer the file that was read before.
    #[error("the trace was changed while it was used")]
    Changed,
    /// More than can be numbered.
    #[error("more than 4,294,967,295 events of one turn")]
    Many,
}

/// A trace that is read block by block.
pub struct Reader<R> {
    from: R,
    buffer: Vec<u8>,
    block: Vec<Event>,
    events: u64,
    check: Check,
    /// The event before which to stop; none: the end of the trace.
    stop: Option<u64>,
    /// Total nodes by the end, once it was met.
    nodes: Option<u32>,
}

impl<R: Read> Reader<R> {
    /// Reads the head.
    ///
    /// # Errors
    /// When it is not the head of a trace that this build reads.
    pub fn new(mut from: R) -> Result<Self, TraceError> {
        let mut head = [0; UNIT];
        let filled = fill(&mut from, &mut head)?;
        if filled < MAGIC.len() || head[..MAGIC.len()] != MAGIC {
            return Err(TraceError::NoTrace);
        }
        if filled < UNIT {
            return Err(TraceError::Short { offset: filled as u64, events: 0 });
        }
        let half = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        if half(10) == ORDER.swap_bytes() {
            return Err(TraceError::Order);
        }
        if half(8) != VERSION {
            return Err(TraceError::Version { found: half(8) });
        }
        if half(10) != ORDER {
            return Err(TraceError::Order);
        }
        if head[12..] != [0; 4] {
            return Err(TraceError::Head);
        }
        let (buffer, block) = (vec![0; UNIT * BLOCK], Vec::with_capacity(BLOCK));
        Ok(Self { from, buffer, block, events: 0, check: Check::default(), stop: None, nodes: None })
    }

    /// Reads only some events, of a trace that was seen to be whole.
    ///
    /// # Errors
    /// When it is not the head of a trace that this build reads.
    pub fn part(from: R, events: Range<u64>) -> Result<Self, TraceError>
    where
        R: Seek,
    {
        let mut reader = Self::new(from)?;
        reader.from.seek(SeekFrom::Start((events.start + 1) * UNIT as u64))?;
        (reader.events, reader.stop) = (events.start, Some(events.end));
        Ok(reader)
    }

    /// The next events; none after the end of the trace.
    ///
    /// # Errors
    /// When the trace is damaged, and where. The events before the damage were given out, or are [`Self::rest`].
    pub fn next_block(&mut self) -> Result<Option<&[Event]>, TraceError> {
        self.block.clear();
        let left = self.stop.map_or(BLOCK as u64, |stop| stop - self.events).min(BLOCK as u64) as usize;
        if self.nodes.is_some() || left == 0 {
            return Ok(None);
        }
        let buffer = &mut self.buffer[..UNIT * left];
        let filled = fill(&mut self.from, buffer)?;
        let begun = self.events;
        let offset = |event: u64| (event + 1) * UNIT as u64;
        for (at, bytes) in buffer[..filled].as_chunks::<UNIT>().0.iter().enumerate() {
            let event = Event::of(*bytes);
            let number = begun + at as u64;
            let wrong = |flaw| TraceError::Impossible { offset: offset(number), event: number, flaw };
            if event.flags == END && self.stop.is_none() {
                if event.key != number {
                    return Err(TraceError::Count { offset: offset(number), said: event.key, found: number });
                }
                // Who writes no check writes zeros.
                if ![(0, 0), self.check.at_end(event.nodes)].contains(&(event.value, event.depth)) {
                    return Err(TraceError::Damaged { offset: offset(number), events: number });
                }
                if filled > (at + 1) * UNIT || fill(&mut self.from, &mut [0])? > 0 {
                    return Err(TraceError::Long { offset: offset(number + 1) });
                }
                self.nodes = Some(event.nodes);
                break;
            }
            event.check().map_err(wrong)?;
            self.check.add(&event);
            self.block.push(event);
            self.events += 1;
        }
        if self.nodes.is_none() && filled < buffer.len() {
            return Err(TraceError::Short { offset: offset(begun) + filled as u64, events: self.events });
        }
        Ok(if self.block.is_empty() { None } else { Some(&self.block) })
    }

    /// After an error: the good events of the block in which it was.
    #[must_use]
    pub fn rest(&self) -> &[Event] {
        &self.block
    }

    /// After the end of the trace: all nodes searched, modulo 2^32.
    #[must_use]
    pub fn nodes(&self) -> Option<u32> {
        self.nodes
    }

    /// Reads what is left.
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

/// Reads until the buffer is full or nothing is left.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
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
/// When it is no trace or is damaged, and where.
pub fn read(from: impl Read) -> Result<Vec<Event>, TraceError> {
    let mut events = Vec::new();
    Reader::new(from)?.for_each(|event| events.push(*event))?;
    Ok(events)
}
