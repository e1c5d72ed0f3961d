//! A watch that writes down what a table is asked and offered, as a trace.

use super::{Event, Writer, flags};
use crate::table::watched::{Watch, Watched};
use crate::table::{Entry, Hit, Stored, Table};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A writer that the recorder and its maker share.
pub type SharedWriter<W> = Arc<Mutex<Writer<W>>>;

/// Writes a trace. Searches and iterations are written by whoever makes them ([`Event::search`]): what a tick of the clock is, is then left
/// to those who read the trace.
pub struct Recording<W>(SharedWriter<W>);

/// A table whose use is written down.
pub type Recorder<W> = Watched<Recording<W>>;

impl<W: Write + Send> Recorder<W> {
    /// Records a table.
    #[must_use]
    pub fn new(table: Box<dyn Table>, writer: SharedWriter<W>) -> Self {
        Self::by(Recording(writer), table)
    }
}

impl<W> Recording<W> {
    fn writer(&self) -> MutexGuard<'_, Writer<W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write + Send> Watch for Recording<W> {
    fn probed(&mut self, key: u64, depth: u8, hit: Option<&Hit>) -> bool {
        let answered = if hit.is_some() { flags::HIT } else { 0 };
        let mut writer = self.writer();
        let nodes = writer.nodes();
        writer.push(Event::probe(key, ply(depth), 0, answered, nodes));
        false
    }

    fn stored(&mut self, key: u64, entry: &Entry, _: Stored) {
        let bits = Event::bits_of(entry.bound)
            | flags::SUBTREE
            | if entry.pv { flags::PV } else { 0 }
            | if entry.mv.is_none() { 0 } else { flags::MOVE };
        self.writer().push(Event::store(key, ply(entry.depth), entry.score as i16, bits, entry.nodes));
    }

    fn cutoff(&mut self, _: &Hit) {
        self.writer().cutoff();
    }

    fn emptied(&mut self, _: bool) {
        let mut writer = self.writer();
        let nodes = writer.nodes();
        writer.push(Event::clear(nodes));
    }
}

/// A depth as a trace has it.
fn ply(depth: u8) -> i8 {
    i8::try_from(depth).unwrap_or(i8::MAX)
}
