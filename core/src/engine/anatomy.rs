//! The anatomy of hits and misses under `diagnostics = "full"`. It shows how each table answer was
//! used, and at which plies of the tree.

use super::observer::ProbeEvent;
use crate::chess::{Board, Bound, Keys};
use crate::table::key_map::KeyMap;
use crate::table::{ShadowCounters, Table};

crate::counters! {
    /// How the table's answers were used. Every hit of a search without enhanced transposition
    /// cutoffs is one of `cut`, `shallow`, `indecisive` and `unasked`.
    pub struct AnatomyCounters {
        /// Number of different positions at which the search function was entered in this
        /// iteration. Positions differ by an en passant square only if the capture is legal.
        unique,
        /// Hits that ended their node.
        cut,
        /// Hits that were not deep enough.
        shallow,
        /// Hits deep enough whose bound could not end the node.
        indecisive,
        /// Hits at the root, or where the table is used for moves only.
        unasked,
        /// Hits that ended their node with the entry of another position.
        cut_false,
        /// Hits that ended their node with an exact score.
        cut_exact,
        /// Hits that ended their node with a lower bound.
        cut_lower,
        /// Hits that ended their node with an upper bound.
        cut_upper,
        /// Hits that ended their node with an entry deeper than was asked for.
        cut_deeper,
        /// Hits of entries from an earlier tick of the clock.
        hits_old,
        /// Hits that ended their node with an entry from an earlier tick of the clock.
        cut_old,
        /// Hits at nodes of an open window (beta - alpha > 1).
        hits_pv,
        /// Hits that ended a node of an open window.
        cut_pv,
        /// Probes at plies 0 to 2.
        probes_ply_0,
        /// Probes at plies 3 to 5.
        probes_ply_3,
        /// Probes at plies 6 to 8.
        probes_ply_6,
        /// Probes at ply 9 and beyond.
        probes_ply_9,
        /// Hits at plies 0 to 2.
        hits_ply_0,
        /// Hits at plies 3 to 5.
        hits_ply_3,
        /// Hits at plies 6 to 8.
        hits_ply_6,
        /// Hits at ply 9 and beyond.
        hits_ply_9,
        /// Hits that ended their node at plies 0 to 2.
        cut_ply_0,
        /// Hits that ended their node at plies 3 to 5.
        cut_ply_3,
        /// Hits that ended their node at plies 6 to 8.
        cut_ply_6,
        /// Hits that ended their node at ply 9 and beyond.
        cut_ply_9,
        /// Hits of entries stored at depths 0 to 2.
        hits_depth_0,
        /// Hits of entries stored at depths 3 to 5.
        hits_depth_3,
        /// Hits of entries stored at depths 6 to 8.
        hits_depth_6,
        /// Hits of entries stored at depth 9 and above.
        hits_depth_9,
        /// Hits that ended their node, of entries stored at depths 0 to 2.
        cut_depth_0,
        /// Hits that ended their node, of entries stored at depths 3 to 5.
        cut_depth_3,
        /// Hits that ended their node, of entries stored at depths 6 to 8.
        cut_depth_6,
        /// Hits that ended their node, of entries stored at depth 9 and above.
        cut_depth_9,
    }
}

/// The anatomy of one iteration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Anatomy {
    /// How the table's answers were used.
    pub search: AnatomyCounters,
    /// Why probes hit or missed, as found with independent keys.
    pub table: ShadowCounters,
}

impl Anatomy {
    pub fn columns() -> impl Iterator<Item = (&'static str, &'static str)> {
        [AnatomyCounters::COLUMNS, ShadowCounters::COLUMNS].into_iter().flatten().copied()
    }

    pub fn values(&self) -> Vec<u64> {
        [self.search.values(), self.table.values()].concat()
    }
}

/// Collects the anatomy of an iteration.
#[derive(Debug)]
pub struct Dissector<'a> {
    count: AnatomyCounters,
    searched_keys: KeyMap<u64, ()>,
    /// Independent keys that identify positions.
    keys: &'a Keys,
    /// Whether the options allow any hit to cut off a node.
    allows_cutoffs: bool,
    /// The table's counters at the start of the iteration.
    shadow_before: ShadowCounters,
    /// The table's number of false hits before the last access.
    false_hits_before: u64,
}

impl<'a> Dissector<'a> {
    pub fn new(keys: &'a Keys, allows_cutoffs: bool, table: Option<&dyn Table>) -> Self {
        let (count, searched_keys) = (AnatomyCounters::default(), KeyMap::default());
        let shadow_before = table.map(|table| table.shadow()).unwrap_or_default();
        Self { count, searched_keys, keys, allows_cutoffs, shadow_before, false_hits_before: 0 }
    }

    pub fn finish(mut self, table: Option<&dyn Table>) -> Anatomy {
        self.count.unique = self.searched_keys.len() as u64;
        Anatomy {
            search: self.count,
            table: table.map(|table| table.shadow()).unwrap_or_default() - self.shadow_before,
        }
    }

    /// Records the position of a node. Positions that occur again in this iteration are counted
    /// only once.
    pub fn record_position(&mut self, board: &Board) {
        self.searched_keys.insert(board.key_from_scratch(self.keys), ());
    }

    /// Tells the table the independent key of the position that is about to be probed or stored.
    pub fn before_access(&mut self, board: &Board, table: &mut dyn Table) {
        table.identify(board.key_from_scratch(self.keys));
        self.false_hits_before = table.shadow().false_hits;
    }

    /// Counts a probe by its ply. A hit that cut off its node is also counted by its bound, and any
    /// other hit by the reason why it did not.
    pub fn count_probe(&mut self, probe: &ProbeEvent, table: &dyn Table) {
        let ProbeEvent { node, is_deep_enough, is_cutoff, .. } = *probe;
        let count = &mut self.count;
        *counter_for(
            node.ply,
            [&mut count.probes_ply_0, &mut count.probes_ply_3, &mut count.probes_ply_6, &mut count.probes_ply_9],
        ) += 1;
        let Some(hit) = probe.hit else { return };
        let (is_pv, is_old) = (node.beta - node.alpha > 1, hit.age > 0);
        *counter_for(
            node.ply,
            [&mut count.hits_ply_0, &mut count.hits_ply_3, &mut count.hits_ply_6, &mut count.hits_ply_9],
        ) += 1;
        let depth = usize::from(hit.entry.depth);
        *counter_for(
            depth,
            [&mut count.hits_depth_0, &mut count.hits_depth_3, &mut count.hits_depth_6, &mut count.hits_depth_9],
        ) += 1;
        count.hits_old += u64::from(is_old);
        count.hits_pv += u64::from(is_pv);
        if !is_cutoff {
            let may_cut = self.allows_cutoffs && node.ply > 0;
            if !may_cut {
                count.unasked += 1;
            } else if !is_deep_enough {
                count.shallow += 1;
            } else {
                count.indecisive += 1;
            }
            return;
        }
        count.cut += 1;
        count.cut_false += u64::from(table.shadow().false_hits > self.false_hits_before);
        count.cut_deeper += u64::from(hit.draft > node.depth);
        count.cut_old += u64::from(is_old);
        count.cut_pv += u64::from(is_pv);
        match hit.entry.bound {
            Bound::Exact => count.cut_exact += 1,
            Bound::Lower => count.cut_lower += 1,
            Bound::Upper => count.cut_upper += 1,
            Bound::None => {}
        }
        *counter_for(
            node.ply,
            [&mut count.cut_ply_0, &mut count.cut_ply_3, &mut count.cut_ply_6, &mut count.cut_ply_9],
        ) += 1;
        *counter_for(
            depth,
            [&mut count.cut_depth_0, &mut count.cut_depth_3, &mut count.cut_depth_6, &mut count.cut_depth_9],
        ) += 1;
    }
}

/// The four counters are those of plies (or depths) 0 to 2, 3 to 5, 6 to 8, and 9 and above.
fn counter_for(ply_or_depth: usize, counters: [&mut u64; 4]) -> &mut u64 {
    let [from_0, from_3, from_6, from_9] = counters;
    match ply_or_depth {
        0..3 => from_0,
        3..6 => from_3,
        6..9 => from_6,
        _ => from_9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::chess::Move;
    use crate::engine::instruments::Instruments;
    use crate::engine::node::Node;
    use crate::engine::observer::Observer;
    use crate::table::unbounded::Unbounded;
    use crate::table::{Entry, Hit, TableOptions};

    /// Eight misses, at both ends of each ply range, and six hits of different kinds. A probe by
    /// the parent is not counted.
    #[test]
    fn probe_is_counted_in_its_class() {
        let (keys, board) = (Keys::independent(), Board::startpos());
        let dissector = Some(Box::new(Dissector::new(&keys, true, None)));
        let mut instruments = Instruments { dissector, ..Instruments::default() };
        let table = Unbounded::new(&TableOptions::default(), false);
        let mut probed =
            |ply: usize, open: bool, hit: Option<&Hit>, [is_deep_enough, is_cutoff, by_parent]: [bool; 3]| {
                let node = Node { alpha: 0, beta: 1 + i32::from(open), depth: 4, ply };
                instruments.after_probe(
                    &ProbeEvent { board: &board, node, hit, is_deep_enough, is_cutoff, by_parent },
                    &[],
                    &table,
                );
            };
        [0, 2, 3, 5, 6, 8, 9, 200].into_iter().for_each(|ply| probed(ply, false, None, [false; 3]));
        let hit = |depth: u8, draft: i32, age: u16, bound: Bound| Hit {
            entry: Entry { depth, bound, mv: Move::NONE, ..Entry::default() },
            draft,
            age,
            slot: 0,
        };
        let (root, shallow, deep) =
            (hit(9, 9, 1, Bound::Exact), hit(3, 3, 2, Bound::Exact), hit(4, 4, 0, Bound::Upper));
        probed(0, true, Some(&root), [false; 3]);
        probed(3, false, Some(&shallow), [false; 3]);
        probed(5, false, Some(&deep), [true, false, false]);
        let cut = [true, true, false];
        // Its depth has aged from seven plies to four, so it is no deeper than required.
        probed(8, false, Some(&hit(7, 4, 3, Bound::Exact)), cut);
        probed(9, true, Some(&hit(5, 5, 0, Bound::Lower)), cut);
        probed(2, false, Some(&deep), cut);
        probed(4, false, Some(&deep), [true, true, true]);
        instruments.before_node(&board);
        instruments.before_node(&board);
        let anatomy = instruments.dissector.unwrap().finish(None);
        let expected = AnatomyCounters {
            unique: 1,
            cut: 3,
            shallow: 1,
            indecisive: 1,
            unasked: 1,
            cut_false: 0,
            cut_exact: 1,
            cut_lower: 1,
            cut_upper: 1,
            cut_deeper: 1,
            hits_old: 3,
            cut_old: 1,
            hits_pv: 2,
            cut_pv: 1,
            probes_ply_0: 4,
            probes_ply_3: 4,
            probes_ply_6: 3,
            probes_ply_9: 3,
            hits_ply_0: 2,
            hits_ply_3: 2,
            hits_ply_6: 1,
            hits_ply_9: 1,
            cut_ply_0: 1,
            cut_ply_3: 0,
            cut_ply_6: 1,
            cut_ply_9: 1,
            hits_depth_0: 0,
            hits_depth_3: 4,
            hits_depth_6: 1,
            hits_depth_9: 1,
            cut_depth_0: 0,
            cut_depth_3: 2,
            cut_depth_6: 1,
            cut_depth_9: 0,
        };
        assert_eq!(anatomy.search, expected);
    }
}
