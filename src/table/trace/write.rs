//! Writes traces: the twin of `include/ttlab-trace.h`, byte for byte.

use super::check::Check;
use super::{BLOCK, END, Event, EventKind, MAGIC, ORDER, UNIT, VERSION, flags};
use std::io::{self, Write};

/// Where a trace is written to: a file that is not whole before [`Writer::finish`].
pub struct Writer<W> {
    to: W,
    buffer: Vec<u8>,
    /// The last event, which may yet turn out to be a cutoff.
    last: Option<Event>,
    events: u64,
    check: Check,
    nodes: u32,
    failed: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    /// Begins a trace.
    pub fn new(to: W) -> Self {
        let mut buffer = Vec::with_capacity(UNIT * BLOCK);
        buffer.extend(MAGIC);
        buffer.extend(VERSION.to_le_bytes());
        buffer.extend(ORDER.to_le_bytes());
        buffer.extend([0; 4]);
        Self { to, buffer, last: None, events: 0, check: Check::default(), nodes: 0, failed: None }
    }

    /// Adds an event.
    pub fn push(&mut self, event: Event) {
        self.settle();
        if event.kind() != EventKind::Store || !event.has(flags::SUBTREE) {
            self.nodes = event.nodes;
        }
        self.last = Some(event);
        self.events += 1;
    }

    /// Nodes of the last event that told them.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Says how many nodes there were by now, for the end.
    pub fn searched(&mut self, nodes: u32) {
        self.nodes = nodes;
    }

    /// The last event was a probe whose answer ended its node.
    pub fn cutoff(&mut self) {
        if let Some(last) = self.last.as_mut().filter(|last| last.kind() == EventKind::Probe && last.has(flags::HIT)) {
            last.flags |= flags::CUT;
        }
    }

    /// Writes what can no longer change.
    fn settle(&mut self) {
        if let Some(event) = self.last.take() {
            self.check.add(&event);
            self.put(event);
        }
    }

    fn put(&mut self, event: Event) {
        self.buffer.extend(event.bytes());
        if self.buffer.len() + UNIT > UNIT * BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.to.write_all(&self.buffer).err();
        }
        self.buffer.clear();
    }

    /// Ends the trace: how many events it holds, and what it was written to.
    ///
    /// # Errors
    /// When the system refused a write at any time.
    pub fn finish(mut self) -> io::Result<(u64, W)> {
        self.settle();
        let (value, depth) = self.check.at_end(self.nodes);
        self.put(Event { key: self.events, value, depth, flags: END, nodes: self.nodes });
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

    /// A disk that is full for one write.
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

    /// A trace with a hole is none, whatever could be written after it.
    #[test]
    fn a_write_that_failed_once_is_told_at_the_end() {
        let mut writer = Writer::new(FullOnce { writes: 0 });
        for nodes in 0..3 * BLOCK as u32 {
            writer.push(Event::probe(1, 2, 0, 0, nodes));
        }
        let message = writer.finish().map(|(events, _)| events).map_err(|error| error.kind());
        assert_eq!(message, Err(io::ErrorKind::StorageFull));
    }
}
