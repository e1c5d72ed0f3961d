//! The anatomy of hits and misses (`diagnostics = "full"`): what became of each answer, where in the tree, and what it saved.

use super::consult::Place;
use super::search::Search;
use crate::chess::{Board, Bound};
use crate::table::by_key::ByKey;
use crate::table::{Hit, ShadowCounters, Table};

crate::counters! {
    /// What became of the table's answers. Every hit of a search without enhanced transposition cutoffs is one of `cut`, `shallow`,
    /// `indecisive`, `open_window` and `unasked`.
    pub struct AnatomyCounters {
        /// Different positions at which the search function was entered in this iteration (en passant counts where it is legal).
        unique,
        /// Hits that ended their node.
        cut,
        /// Hits that were not deep enough.
        shallow,
        /// Hits deep enough whose bound could not end the node.
        indecisive,
        /// Hits that would have ended a node of an open window, where `probe.pv_cutoffs` is off.
        open_window,
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
        /// Of those, ended their node.
        cut_old,
        /// Hits at nodes of an open window (beta - alpha > 1).
        hits_pv,
        /// Of those, ended their node.
        cut_pv,
        /// Nodes of the subtrees stored with the entries that ended nodes: the work saved. (Layouts but `bytes24` round down by up to 1 in 64.)
        saved,
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
    }
}

crate::counters! {
    /// What lies in the table at the end of an iteration.
    pub struct ContentCounters {
        /// Entries of depth 0.
        held_depth_0,
        /// Entries of depth 1.
        held_depth_1,
        /// Entries of depth 2.
        held_depth_2,
        /// Entries of depth 3.
        held_depth_3,
        /// Entries of depths 4 and 5.
        held_depth_4,
        /// Entries of depths 6 and 7.
        held_depth_6,
        /// Entries of depth 8 and more.
        held_depth_8,
        /// Entries written or refreshed at the clock's present tick.
        held_age_0,
        /// Entries one tick old.
        held_age_1,
        /// Entries two or three ticks old.
        held_age_2,
        /// Entries four to seven ticks old.
        held_age_4,
        /// Entries eight ticks old and older.
        held_age_8,
        /// Entries with an exact score.
        held_exact,
        /// Entries with a lower bound.
        held_lower,
        /// Entries with an upper bound.
        held_upper,
        /// Entries from nodes of an open window.
        held_pv,
    }
}

impl ContentCounters {
    fn of(table: &dyn Table) -> Self {
        let (mut count, now) = (Self::default(), table.now());
        table.for_each(&mut |entry| {
            *match entry.depth {
                0 => &mut count.held_depth_0,
                1 => &mut count.held_depth_1,
                2 => &mut count.held_depth_2,
                3 => &mut count.held_depth_3,
                4 | 5 => &mut count.held_depth_4,
                6 | 7 => &mut count.held_depth_6,
                _ => &mut count.held_depth_8,
            } += 1;
            *match entry.age(now) {
                0 => &mut count.held_age_0,
                1 => &mut count.held_age_1,
                2 | 3 => &mut count.held_age_2,
                4..8 => &mut count.held_age_4,
                _ => &mut count.held_age_8,
            } += 1;
            match entry.bound {
                Bound::Exact => count.held_exact += 1,
                Bound::Lower => count.held_lower += 1,
                Bound::Upper => count.held_upper += 1,
                Bound::None => {}
            }
            count.held_pv += u64::from(entry.pv);
        });
        count
    }
}

/// The anatomy of one iteration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Anatomy {
    /// What became of the table's answers.
    pub search: AnatomyCounters,
    /// What independent keys tell of its hits and misses.
    pub table: ShadowCounters,
    /// What it holds at the end.
    pub contents: ContentCounters,
}

impl Anatomy {
    /// Name and meaning of each figure, in the order of [`Self::values`].
    pub fn columns() -> impl Iterator<Item = (&'static str, &'static str)> {
        [AnatomyCounters::COLUMNS, ShadowCounters::COLUMNS, ContentCounters::COLUMNS].into_iter().flatten().copied()
    }

    /// The figures, in the order of [`Self::columns`].
    #[must_use]
    pub fn values(&self) -> Vec<u64> {
        [self.search.values(), self.table.values(), self.contents.values()].concat()
    }
}

/// What takes an iteration apart as it runs.
#[derive(Debug, Default)]
pub struct Dissector {
    count: AnatomyCounters,
    seen: ByKey<u64, ()>,
    /// The table's figures at the iteration's begin.
    before: ShadowCounters,
}

impl Dissector {
    /// Begins an iteration.
    #[must_use]
    pub fn new(table: Option<&dyn Table>) -> Self {
        Self { before: table.map(Table::shadow).unwrap_or_default(), ..Self::default() }
    }

    /// Ends it.
    #[must_use]
    pub fn finish(mut self, table: Option<&dyn Table>) -> Anatomy {
        self.count.unique = self.seen.len() as u64;
        Anatomy {
            search: self.count,
            table: table.map(Table::shadow).unwrap_or_default() - self.before,
            contents: table.map(ContentCounters::of).unwrap_or_default(),
        }
    }

    fn probe(&mut self, ply: usize) {
        *match ply {
            0..3 => &mut self.count.probes_ply_0,
            3..6 => &mut self.count.probes_ply_3,
            6..9 => &mut self.count.probes_ply_6,
            _ => &mut self.count.probes_ply_9,
        } += 1;
    }
}

impl Search<'_> {
    /// The independent key of a node, where somebody wants it; the node is counted among the different positions.
    #[inline]
    pub(super) fn check_key(&mut self, board: &Board) -> u64 {
        if self.on.full { self.seen(board) } else { 0 }
    }

    /// The independent key of a node that is only looked at.
    #[inline]
    pub(super) fn check_key_of_child(&self, child: &Board) -> u64 {
        if self.on.full { child.key_from_scratch(self.check_keys) } else { 0 }
    }

    #[cold]
    fn seen(&mut self, board: &Board) -> u64 {
        let key = board.key_from_scratch(self.check_keys);
        if let Some(dissector) = self.dissector.as_mut() {
            dissector.seen.insert(key, ());
        }
        key
    }

    /// Takes a probe apart. `deep`: the answer may be believed at this depth; `closed`: it would have ended the node but for its open
    /// window; `cut`: it did.
    #[cold]
    pub(super) fn dissect(&mut self, place: Place, hit: Option<&Hit>, deep: bool, closed: bool, cut: bool) {
        let asked = self.on.cutoffs && place.ply > 0;
        let Some(dissector) = self.dissector.as_mut() else { return };
        dissector.probe(place.ply);
        let Some(hit) = hit else { return };
        let count = &mut dissector.count;
        let (open, old) = (place.beta - place.alpha > 1, hit.age > 0);
        *match place.ply {
            0..3 => &mut count.hits_ply_0,
            3..6 => &mut count.hits_ply_3,
            6..9 => &mut count.hits_ply_6,
            _ => &mut count.hits_ply_9,
        } += 1;
        count.hits_old += u64::from(old);
        count.hits_pv += u64::from(open);
        match (cut, deep, asked) {
            (true, ..) => {}
            (false, _, false) => count.unasked += 1,
            (false, false, _) => count.shallow += 1,
            (false, true, _) if closed => count.open_window += 1,
            (false, true, _) => count.indecisive += 1,
        }
        if !cut {
            return;
        }
        count.cut += 1;
        count.cut_false += u64::from(hit.foreign);
        count.cut_deeper += u64::from(hit.draft > place.depth);
        count.cut_old += u64::from(old);
        count.cut_pv += u64::from(open);
        count.saved += u64::from(hit.entry.nodes);
        match hit.entry.bound {
            Bound::Exact => count.cut_exact += 1,
            Bound::Lower => count.cut_lower += 1,
            Bound::Upper => count.cut_upper += 1,
            Bound::None => {}
        }
        *match place.ply {
            0..3 => &mut count.cut_ply_0,
            3..6 => &mut count.cut_ply_3,
            6..9 => &mut count.cut_ply_6,
            _ => &mut count.cut_ply_9,
        } += 1;
    }
}
