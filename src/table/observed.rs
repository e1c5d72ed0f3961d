//! A watch that follows every position by an independent key, so that false matches are told, and gives each miss its reason
//! (`diagnostics = "full"`).

use super::shadow::{Shadow, ShadowCounters};
use super::watched::{Watch, Watched};
use super::{Entry, Hit, Stored, Table, TableError};

/// Follows positions. Before each probe and each store it must be told which is meant: [`Table::identify`].
pub struct PositionObserver {
    shadow: Shadow,
    /// The independent key of the position that is asked about.
    check: u64,
}

/// A table whose positions are followed.
pub type Observed = Watched<PositionObserver>;

impl Observed {
    /// Watches a table, which should be empty.
    ///
    /// # Errors
    /// When there is no memory for what is known about its slots.
    pub fn new(mut table: Box<dyn Table>) -> Result<Self, TableError> {
        table.number();
        let slots = table.occupancy().slots;
        Ok(Self::by(PositionObserver { shadow: Shadow::new(slots)?, check: 0 }, table))
    }
}

impl Watch for PositionObserver {
    fn probed(&mut self, _: u64, depth: u8, hit: Option<&Hit>) -> bool {
        match hit {
            Some(hit) => self.shadow.hit(hit.slot, self.check),
            None => self.shadow.miss(self.check, depth),
        }
        true
    }

    fn stored(&mut self, _: u64, entry: &Entry, stored: Stored) {
        self.shadow.stored(stored, self.check, entry.depth);
    }

    fn cutoff(&mut self, hit: &Hit) {
        self.shadow.cutoff(hit.slot, self.check);
    }

    fn emptied(&mut self, renewed: bool) {
        match renewed {
            true => self.shadow.renew(),
            false => self.shadow.emptied(),
        }
    }

    fn identify(&mut self, check: u64) {
        self.check = check;
    }

    fn shadow(&self) -> Option<ShadowCounters> {
        Some(self.shadow.counters())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    use crate::chess::Bound;
    use crate::table::{TableOptions, unbounded::Unbounded};

    /// What was there before the table was emptied is known, before it was renewed it is not.
    #[test]
    fn a_renewed_table_remembers_nothing() {
        let found = |renew: bool| {
            let mut table = Observed::new(Box::new(Unbounded::new(&TableOptions::default(), false))).unwrap();
            table.identify(7);
            table.store(7, Entry { bound: Bound::Exact, ..Entry::default() });
            if renew {
                table.renew()
            } else {
                table.clear()
            }
            table.probe(7, 0);
            (table.shadow().miss_emptied, table.shadow().miss_never)
        };
        assert_eq!([false, true].map(found), [(1, 0), (0, 1)]);
    }
}
