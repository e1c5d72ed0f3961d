//! Records the use of a table as a trace.

use super::{Event, Writer, flags};
use crate::chess::Bound;
use crate::table::watch::{Watch, WatchedTable};
use crate::table::{Entry, Hit, StoreOutcome, Table};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A writer shared by the recorder and its creator.
pub type SharedWriter<W> = Arc<Mutex<Writer<W>>>;

/// Writes the probes, stores, cutoffs and clears of a table to a trace. Whoever searches with the
/// table must write the searches and iterations ([`Event::search`]). A replay can then choose which
/// of these events advance the clock.
pub struct TraceWatch<W>(SharedWriter<W>);

/// A table whose use is recorded.
pub type Recorder<W> = WatchedTable<TraceWatch<W>>;

impl<W: Write + Send> Recorder<W> {
    /// Wraps a table so that each of its events is written to the trace.
    pub fn new(table: Box<dyn Table>, writer: SharedWriter<W>) -> Self {
        Self::with_watch(TraceWatch(writer), table)
    }
}

impl<W> TraceWatch<W> {
    fn writer(&self) -> MutexGuard<'_, Writer<W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write + Send> Watch for TraceWatch<W> {
    fn on_probe(&mut self, key: u64, depth: u8, hit: Option<&Hit>) -> bool {
        let hit_flag = if hit.is_some() { flags::HIT } else { 0 };
        let mut writer = self.writer();
        let cost = writer.cost();
        // The table does not know the window of the node, so 0 is written instead of beta.
        writer.push(Event::probe(key, trace_depth(depth), 0, hit_flag, cost));
        false // The table shall not mark the entry as used.
    }

    fn on_store(&mut self, key: u64, entry: &Entry, _: StoreOutcome) {
        let (bound, score) = if entry.is_evaluation() { (Bound::None, 0) } else { (entry.bound, entry.score) };
        let bits = Event::bound_bits(bound)
            | flags::SUBTREE
            | if entry.pv { flags::PV } else { 0 }
            | if entry.mv.is_none() { 0 } else { flags::MOVE };
        self.writer().push(Event::store(key, trace_depth(entry.depth), score, bits, entry.nodes.into()));
    }

    fn on_cutoff(&mut self, _: &Hit) {
        self.writer().mark_cutoff();
    }

    fn on_clear(&mut self) {
        let mut writer = self.writer();
        let cost = writer.cost();
        writer.push(Event::clear(cost));
    }
}

/// Limits a depth to 127, the maximum in a trace of narrow events.
fn trace_depth(depth: u8) -> i16 {
    i16::from(depth).min(i8::MAX.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Bound, Move};
    use crate::table::{TableOptions, unbounded::Unbounded};

    /// Every store, with any window, move and bound; every probe, with hit and cutoff.
    #[test]
    fn recorder_writes_every_probe_store_and_clear() {
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
            expected.push(Event::store(key, 5, -7, Event::bound_bits(bound) | flags::SUBTREE | bits, 30));
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
