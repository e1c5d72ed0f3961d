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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::chess::{Bound, Move};
    use crate::table::{TableOptions, unbounded::Unbounded};

    /// Each store as it was offered, whatever of window, move and bound it has; a probe by whether it was answered, and whether that ended its node.
    #[test]
    fn what_is_asked_and_offered_is_written_down() {
        let writer = Arc::new(Mutex::new(Writer::new(Vec::new())));
        let mut table = Recorder::new(Box::new(Unbounded::new(&TableOptions::default(), false)), Arc::clone(&writer));
        let mut expected = Vec::new();
        for (key, (pv, mv, bound)) in
            [(true, 9, Bound::Exact), (true, 0, Bound::Lower), (false, 9, Bound::Upper), (false, 0, Bound::Exact)]
                .into_iter()
                .enumerate()
        {
            let (key, mv) = (key as u64, Move::from_bits(mv));
            table.store(key, Entry { pv, mv, bound, depth: 5, score: -7, nodes: 30, ..Entry::default() });
            let bits = if pv { flags::PV } else { 0 } | if mv.is_none() { 0 } else { flags::MOVE };
            expected.push(Event::store(key, 5, -7, Event::bits_of(bound) | flags::SUBTREE | bits, 30));
        }
        let hit = table.probe(1, 4).unwrap();
        table.cutoff(&hit);
        table.probe(2, 200);
        table.probe(99, 3);
        table.clear();
        expected.push(Event::probe(1, 4, 0, flags::HIT | flags::CUT, 0));
        expected.push(Event::probe(2, 127, 0, flags::HIT, 0));
        expected.push(Event::probe(99, 3, 0, 0, 0));
        expected.push(Event::clear(0));
        drop(table);
        let writer = Arc::into_inner(writer).unwrap().into_inner().unwrap();
        assert_eq!(super::super::read(&writer.finish().unwrap().1[..]).unwrap(), expected);
    }
}
