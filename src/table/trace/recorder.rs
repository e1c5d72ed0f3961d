//! A table whose use is written down as a trace.

use super::{Event, Writer, flags};
use crate::table::{Entry, Hit, Occupancy, ShadowCounters, Stored, Table, TableCounters};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A writer that the recorder and its maker share.
pub type Shared<W> = Arc<Mutex<Writer<W>>>;

/// A table that writes down what it is asked and offered, and passes it on. Searches and iterations are written by whoever makes them
/// ([`Event::search`]): what a tick of the clock is, is then left to those who read the trace.
pub struct Recorder<W> {
    table: Box<dyn Table>,
    writer: Shared<W>,
}

impl<W: Write> Recorder<W> {
    /// Records a table.
    #[must_use]
    pub fn new(table: Box<dyn Table>, writer: Shared<W>) -> Self {
        Self { table, writer }
    }

    fn writer(&self) -> MutexGuard<'_, Writer<W>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write + Send> Table for Recorder<W> {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let hit = self.table.probe(key, depth);
        let answered = if hit.is_some() { flags::HIT } else { 0 };
        let mut writer = self.writer();
        let nodes = writer.nodes();
        writer.push(Event::probe(key, ply(depth), 0, answered, nodes));
        drop(writer);
        hit
    }

    fn store(&mut self, key: u64, entry: Entry) -> Stored {
        let bits = Event::bits_of(entry.bound)
            | flags::SUBTREE
            | if entry.pv { flags::PV } else { 0 }
            | if entry.mv.is_none() { 0 } else { flags::MOVE };
        self.writer().push(Event::store(key, ply(entry.depth), entry.score as i16, bits, entry.nodes));
        self.table.store(key, entry)
    }

    fn cutoff(&mut self, hit: &Hit) {
        self.writer().cutoff();
        self.table.cutoff(hit);
    }

    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    fn advance(&mut self, ticks: u16) {
        self.table.advance(ticks);
    }

    fn clear(&mut self) {
        let mut writer = self.writer();
        let nodes = writer.nodes();
        writer.push(Event::clear(nodes));
        drop(writer);
        self.table.clear();
    }

    fn renew(&mut self) {
        let mut writer = self.writer();
        let nodes = writer.nodes();
        writer.push(Event::clear(nodes));
        drop(writer);
        self.table.renew();
    }

    fn counts_stored_nodes(&self) -> bool {
        self.table.counts_stored_nodes()
    }

    fn identify(&mut self, check: u64) {
        self.table.identify(check);
    }

    fn number(&mut self) {
        self.table.number();
    }

    fn seen(&mut self, hit: &Hit) {
        self.table.seen(hit);
    }

    fn shadow(&self) -> ShadowCounters {
        self.table.shadow()
    }

    fn now(&self) -> u16 {
        self.table.now()
    }

    fn counters(&self) -> TableCounters {
        self.table.counters()
    }

    fn occupancy(&self) -> Occupancy {
        self.table.occupancy()
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Entry)) {
        self.table.for_each(visit);
    }

    fn huge_pages(&self) -> Option<bool> {
        self.table.huge_pages()
    }
}

/// A depth as a trace has it.
fn ply(depth: u8) -> i8 {
    i8::try_from(depth).unwrap_or(i8::MAX)
}
