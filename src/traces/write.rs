//! Writes traces: the same bytes as `include/ttlab-trace.h`.

use super::check::Check;
use super::{BLOCK, END, EVENT_BYTES, Event, EventKind, MAGIC, ORDER, VERSION, flags};
use std::io::{self, Write};

/// Writes a trace; the file is incomplete before [`Writer::finish`].
pub struct Writer<W> {
    to: W,
    buffer: Vec<u8>,
    /// The last event, which may still be marked as a cutoff.
    last: Option<Event>,
    events: u64,
    check: Check,
    nodes: u32,
    failed: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    /// Starts a trace by writing its header.
    pub fn new(to: W) -> Self {
        let mut buffer = Vec::with_capacity(EVENT_BYTES * BLOCK);
        buffer.extend(MAGIC);
        buffer.extend(VERSION.to_le_bytes());
        buffer.extend(ORDER.to_le_bytes());
        buffer.extend([0; 4]);
        Self { to, buffer, last: None, events: 0, check: Check::default(), nodes: 0, failed: None }
    }

    /// Writes an event and adds it to the checksum.
    pub fn push(&mut self, event: Event) {
        self.write_last();
        if event.kind() != EventKind::Store || !event.has(flags::SUBTREE) {
            self.nodes = event.nodes;
        }
        self.last = Some(event);
        self.events += 1;
    }

    /// The node total of the last event that had one.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Sets the node total for the end event.
    pub fn set_nodes(&mut self, nodes: u32) {
        self.nodes = nodes;
    }

    /// Marks the last event, a hit, as a cutoff.
    pub fn cutoff(&mut self) {
        if let Some(last) = self.last.as_mut().filter(|last| last.kind() == EventKind::Probe && last.has(flags::HIT)) {
            last.flags |= flags::CUT;
        }
    }

    /// Writes the last event, which can no longer change.
    fn write_last(&mut self) {
        if let Some(event) = self.last.take() {
            self.check.add_event(&event);
            self.write_event(event);
        }
    }

    fn write_event(&mut self, event: Event) {
        self.buffer.extend(event.bytes());
        if self.buffer.len() + EVENT_BYTES > EVENT_BYTES * BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.to.write_all(&self.buffer).err();
        }
        self.buffer.clear();
    }

    /// Writes the end event; returns the number of events and the output.
    ///
    /// # Errors
    /// When any write failed.
    pub fn finish(mut self) -> io::Result<(u64, W)> {
        self.write_last();
        let (value, depth) = self.check.end_fields(self.nodes);
        self.write_event(Event { key: self.events, value, depth, flags: END, nodes: self.nodes });
        self.flush();
        match self.failed {
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
        for nodes in 0..3 * BLOCK as u32 {
            writer.push(Event::probe(1, 2, 0, 0, nodes));
        }
        let message = writer.finish().map(|(events, _)| events).map_err(|error| error.kind());
        assert_eq!(message, Err(io::ErrorKind::StorageFull));
    }
}
