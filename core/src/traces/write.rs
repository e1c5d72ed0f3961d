//! Writes traces. A wide trace (40 bytes per event) has the same format as a trace that an engine
//! writes with `include/ttlab-trace.h`.

use super::check::Check;
use super::{BLOCK, END, Event, EventKind, Format, flags};
use std::io::{self, Write};

/// Writes a trace. The trace is incomplete until [`Writer::finish`] is called.
pub struct Writer<W> {
    to: W,
    format: Format,
    buffer: Vec<u8>,
    /// The last event. It is not written yet, because it may still be marked as a cutoff.
    last: Option<Event>,
    events: u64,
    check: Check,
    last_event_with_total: Event,
    error: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    /// Starts a trace of narrow events.
    pub fn new(to: W) -> Self {
        Self::with_format(to, Format::NARROW)
    }

    /// Starts a trace with events of the given format.
    pub fn with_format(to: W, format: Format) -> Self {
        let (last, check, last_event_with_total) = (None, Check::default(), Event::default());
        Self { to, format, buffer: format.header(), last, events: 0, check, last_event_with_total, error: None }
    }

    /// Adds an event. The event is written only when the next event is added, because until then
    /// [`Writer::mark_cutoff`] may change it.
    pub fn push(&mut self, event: Event) {
        self.write_last();
        if event.has_total() {
            self.last_event_with_total = event;
        }
        self.last = Some(event);
        self.events += 1;
    }

    /// The total cost of the last event that had a total.
    pub fn cost(&self) -> u64 {
        self.last_event_with_total.cost
    }

    /// Sets the total cost that the end event will have, unless further events have a total.
    pub fn set_cost(&mut self, cost: u64) {
        self.last_event_with_total.cost = cost;
    }

    /// Marks the last event as a cutoff if it is a probe with a hit.
    pub fn mark_cutoff(&mut self) {
        if let Some(last) = self.last.as_mut().filter(|last| last.kind() == EventKind::Probe && last.has(flags::HIT)) {
            last.flags |= flags::CUT;
        }
    }

    /// Writes the last event and adds it to the checksum. The event can no longer change.
    fn write_last(&mut self) {
        if let Some(event) = self.last.take() {
            let (words, count) = self.format.encode(&event);
            words[..count].iter().for_each(|&word| self.check.add_word(word));
            self.write_event(event);
        }
    }

    fn write_event(&mut self, event: Event) {
        let (words, count) = self.format.encode(&event);
        words[..count].iter().for_each(|word| self.buffer.extend(word.to_le_bytes()));
        let is_full = self.buffer.len() + self.format.event_bytes() > self.format.event_bytes() * BLOCK;
        if is_full {
            self.flush();
        }
    }

    /// Writes the buffer and empties it. After a failed write, nothing more is written.
    fn flush(&mut self) {
        if self.error.is_none() {
            self.error = self.to.write_all(&self.buffer).err();
        }
        self.buffer.clear();
    }

    /// Writes the end event. Returns the number of events and the output.
    ///
    /// # Errors
    /// When any write failed.
    pub fn finish(mut self) -> io::Result<(u64, W)> {
        self.write_last();
        let end = Event { key: self.events, flags: END, cost: self.last_event_with_total.cost, ..Event::default() };
        let end = if self.format.wide {
            Event {
                high: self.check.wide_end_checksum(end.cost, self.last_event_with_total.thread),
                thread: self.last_event_with_total.thread,
                ..end
            }
        } else {
            let (value, depth) = self.check.narrow_end_fields(end.cost as u32);
            Event { value, depth, ..end }
        };
        self.write_event(end);
        self.flush();
        match self.error {
            Some(error) => Err(error),
            None => {
                self.to.flush()?;
                Ok((self.events, self.to))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk that is full for its first write.
    struct FullOnce {
        writes: usize,
    }

    impl Write for FullOnce {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.writes += 1;
            if self.writes == 1 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(bytes.len()) }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A trace with a gap is invalid, even if later writes succeed.
    #[test]
    fn failed_write_is_reported_at_the_end() {
        let mut writer = Writer::new(FullOnce { writes: 0 });
        for cost in 0..3 * BLOCK as u64 {
            writer.push(Event::probe(1, 2, 0, 0, cost));
        }
        let message = writer.finish().map(|(events, _)| events).map_err(|error| error.kind());
        assert_eq!(message, Err(io::ErrorKind::StorageFull));
    }
}
