//! Reads traces as a stream and reports damage with its byte offset.

use super::check::Check;
use super::{BLOCK, END, Event, Flaw, Format, MAGIC, ORDER};
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
    #[error("byte 8: unsupported format version {found}: this build reads versions 1 and 2")]
    Version {
        /// The version that the file states.
        found: u16,
    },
    /// The byte order is not little-endian.
    #[error(
        "byte 10: the byte order is not little-endian: write the trace with ttlab-trace.h, and do not swap its bytes"
    )]
    ByteOrder,
    /// The rest of the header is invalid.
    #[error("byte 12: the header is damaged: expected {}", if *wide { "1 to 1000 parts of a depth unit, then zeros" } else { "zeros" })]
    Head {
        /// Whether the header is that of wide events.
        wide: bool,
    },
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
        /// Offset of the first unexpected byte.
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
    /// A trace of several threads where one is needed.
    #[error("the trace has {found} threads, which cannot be counted as one: record a trace of one thread")]
    Threads {
        /// The number of threads.
        found: u16,
    },
    /// The facts about the positions need more memory than is free.
    #[error(
        "the positions of the trace need {} MiB of memory, but {} MiB are free: record fewer positions, or clear the table \
         more often",
        needed.div_ceil(1 << 20), free >> 20
    )]
    Memory {
        /// The number of bytes that are needed.
        needed: u64,
        /// The number of bytes that are free.
        free: u64,
    },
    /// The file changed while it was in use.
    #[error("the trace changed while it was being read")]
    Changed,
    /// There are too many events.
    #[error("too many events in the trace: at most 4,294,967,295 can be replayed")]
    TooManyEvents,
}

/// Reads a trace block by block.
pub struct Reader<R> {
    from: R,
    format: Format,
    buffer: Vec<u8>,
    block: Vec<Event>,
    /// The number of the next event.
    next_event: u64,
    check: Check,
    /// The number of the event before which to stop. `None` to read up to the end of the trace.
    range_end: Option<u64>,
    /// The end event, after it was read.
    end: Option<Event>,
    /// In a narrow trace, the last total cost, extended to 64 bits.
    last_total_cost: u64,
    /// In a narrow trace, the multiple of 2^32 that is added to the total costs. Narrow events
    /// store them modulo 2^32.
    cost_offset: u64,
}

impl<R: Read> Reader<R> {
    /// Starts to read a trace by reading its header.
    ///
    /// # Errors
    /// When the input does not begin with the header of a supported trace.
    pub fn new(mut from: R) -> Result<Self, TraceError> {
        let mut header = vec![0; Format::NARROW.event_bytes()];
        let mut filled = read_full(&mut from, &mut header)?;
        if filled < MAGIC.len() || header[..MAGIC.len()] != MAGIC {
            return Err(TraceError::NotATrace);
        }
        let u16_at = |offset: usize| u16::from_le_bytes([header[offset], header[offset + 1]]);
        if filled < header.len() {
            return Err(TraceError::Truncated { offset: filled as u64, events: 0 });
        }
        let (version, byte_order) = (u16_at(8), u16_at(10));
        // If the bytes are swapped, `version` is wrong, so it is not checked.
        if byte_order == ORDER.swap_bytes() {
            return Err(TraceError::ByteOrder);
        }
        let format = Format::from_version(version).ok_or(TraceError::Version { found: version })?;
        if byte_order != ORDER {
            return Err(TraceError::ByteOrder);
        }
        header.resize(format.event_bytes(), 0);
        filled += read_full(&mut from, &mut header[filled..])?;
        if filled < header.len() {
            return Err(TraceError::Truncated { offset: filled as u64, events: 0 });
        }
        let format = format.with_rest(&header[12..]).ok_or(TraceError::Head { wide: format.wide })?;
        Ok(Self {
            from,
            format,
            buffer: vec![0; format.event_bytes() * BLOCK],
            block: Vec::with_capacity(BLOCK),
            next_event: 0,
            check: Check::default(),
            range_end: None,
            end: None,
            last_total_cost: 0,
            cost_offset: 0,
        })
    }

    /// The format of the events.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Creates a reader for a range of the events of a trace that was validated before.
    ///
    /// # Errors
    /// When the input does not begin with the header of a supported trace.
    pub fn range(from: R, events: Range<u64>) -> Result<Self, TraceError>
    where
        R: Seek,
    {
        let mut reader = Self::new(from)?;
        reader.from.seek(SeekFrom::Start(reader.offset(events.start)))?;
        (reader.next_event, reader.range_end) = (events.start, Some(events.end));
        Ok(reader)
    }

    /// The byte offset of the event with this number. The number of events gives the offset after
    /// the last event.
    pub(super) fn offset(&self, event: u64) -> u64 {
        (event + 1) * self.format.event_bytes() as u64
    }

    /// Extends the 32-bit total cost of a narrow event to 64 bits. A fall by more than 2^31 means
    /// that the total has passed a multiple of 2^32. A smaller fall means that the total has
    /// restarted from 0.
    fn extend_cost(&mut self, event: &mut Event) {
        if !self.format.wide && event.has_total() {
            let fall = (self.last_total_cost - self.cost_offset).saturating_sub(event.cost);
            if fall > 1 << 31 {
                self.cost_offset += 1 << 32;
            } else if fall > 0 {
                self.cost_offset = 0;
            }
            event.cost += self.cost_offset;
            self.last_total_cost = event.cost;
        }
    }

    /// Reads the next block of events. Returns `None` after the end of the trace.
    ///
    /// # Errors
    /// When the trace is damaged. The error says where. The intact events before the damage were
    /// returned earlier or are in [`Self::partial_block`].
    pub fn next_block(&mut self) -> Result<Option<&[Event]>, TraceError> {
        self.block.clear();
        let max_events = self.range_end.map_or(BLOCK as u64, |end| end - self.next_event).min(BLOCK as u64) as usize;
        if self.end.is_some() || max_events == 0 {
            return Ok(None);
        }
        let event_bytes = self.format.event_bytes();
        let filled = read_full(&mut self.from, &mut self.buffer[..event_bytes * max_events])?;
        let first_number = self.next_event;
        for index in 0..filled / event_bytes {
            let mut event = self.format.decode(&self.buffer[index * event_bytes..(index + 1) * event_bytes]);
            let number = first_number + index as u64;
            let offset = self.offset(number);
            // This is the end event. A range of events has no end event.
            if event.flags == END && self.range_end.is_none() {
                if event.key != number {
                    return Err(TraceError::Count { offset, declared: event.key, found: number });
                }
                if !self.has_matching_checksum(&event) {
                    return Err(TraceError::Damaged { offset, events: number });
                }
                if filled > (index + 1) * event_bytes || read_full(&mut self.from, &mut [0])? > 0 {
                    return Err(TraceError::TrailingBytes { offset: self.offset(number + 1) });
                }
                self.extend_cost(&mut event);
                self.end = Some(event);
                break;
            }
            event.check().map_err(|flaw| TraceError::Impossible { offset, event: number, flaw })?;
            let (words, count) = self.format.encode(&event);
            words[..count].iter().for_each(|&word| self.check.add_word(word));
            self.extend_cost(&mut event);
            self.block.push(event);
            self.next_event += 1;
        }
        if self.end.is_none() && filled < event_bytes * max_events {
            let offset = self.offset(first_number) + filled as u64;
            return Err(TraceError::Truncated { offset, events: self.next_event });
        }
        Ok(if self.block.is_empty() { None } else { Some(&self.block) })
    }

    /// Whether the end event has the checksum of the events that were read. Some writers of narrow
    /// events write zeros in place of a checksum. Such a trace is accepted.
    fn has_matching_checksum(&self, end: &Event) -> bool {
        if self.format.wide {
            let expected = Event { key: end.key, cost: end.cost, thread: end.thread, flags: END, ..Event::default() };
            return *end == Event { high: self.check.wide_end_checksum(end.cost, end.thread), ..expected };
        }
        [(0, 0), self.check.narrow_end_fields(end.cost as u32)].contains(&(end.value, end.depth))
    }

    /// After an error, the intact events of the last block before the damage.
    pub fn partial_block(&self) -> &[Event] {
        &self.block
    }

    /// After the end of the trace, the end event. Its cost is the total cost.
    pub fn end(&self) -> Option<&Event> {
        self.end.as_ref()
    }

    /// Calls `visit` for each remaining event.
    ///
    /// # Errors
    /// When the trace is damaged. The error says where.
    pub fn for_each(&mut self, mut visit: impl FnMut(&Event)) -> Result<(), TraceError> {
        while let Some(block) = self.next_block()? {
            block.iter().for_each(&mut visit);
        }
        Ok(())
    }
}

/// Reads until the buffer is full or the input ends. Returns the number of bytes read.
fn read_full(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Reads all events of a trace into memory.
///
/// # Errors
/// When the input is not a trace or is damaged. The error says where.
pub fn read(from: impl Read) -> Result<Vec<Event>, TraceError> {
    let mut events = Vec::new();
    Reader::new(from)?.for_each(|event| events.push(*event))?;
    Ok(events)
}
