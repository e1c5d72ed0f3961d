//! A table that drops a share of its hits (`table.forget`), to inject a loss of known size.

use super::options::ForgetPart;
use super::watch::{Watch, WatchedTable};
use super::{Entry, Hit, Table, TableCounters, TableOptions};
use crate::chess::keys::mix;
use crate::chess::{Bound, Move};

const SEED: u64 = 1;

/// Drops hits pseudo-randomly. A hash of the seed, the key and the number of hits so far decides
/// whether a hit is dropped.
pub struct Loss {
    share: f64,
    part: ForgetPart,
    hits: u64,
    forgotten: u64,
}

pub type Forgetful = WatchedTable<Loss>;

impl Forgetful {
    pub fn new(table: Box<dyn Table>, options: &TableOptions) -> Self {
        let TableOptions { forget, forget_part, .. } = *options;
        Self::with_watch(Loss { share: forget, part: forget_part, hits: 0, forgotten: 0 }, table)
    }
}

impl Loss {
    fn loses_hit(&mut self, key: u64) -> bool {
        self.hits += 1;
        let bits = mix(mix(mix(SEED) ^ key) ^ self.hits);
        // The top 53 bits are a number below 2^53, which an f64 holds exactly. A share of 1
        // therefore drops every hit.
        ((bits >> 11) as f64) < self.share * (1_u64 << 53) as f64
    }
}

impl Watch for Loss {
    fn filter_hit(&mut self, key: u64, hit: Hit) -> Option<Hit> {
        if !self.loses_hit(key) {
            return Some(hit);
        }
        self.forgotten += 1;
        match self.part {
            ForgetPart::Entry => None,
            ForgetPart::Move => Some(Hit { entry: Entry { mv: Move::NONE, ..hit.entry }, ..hit }),
            // A hit with a draft of -1 never ends the search of its node.
            ForgetPart::Score => {
                Some(Hit { entry: Entry { score: 0, bound: Bound::None, depth: 0, ..hit.entry }, draft: -1, ..hit })
            }
        }
    }

    fn on_forget_records(&mut self) {
        self.hits = 0;
    }

    fn count(&self, counters: TableCounters) -> TableCounters {
        let lost = if self.part == ForgetPart::Entry { self.forgotten } else { 0 };
        TableCounters { hits: counters.hits - lost, forgotten: self.forgotten, ..counters }
    }
}
