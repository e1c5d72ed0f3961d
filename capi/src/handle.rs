//! A table as an engine uses it, without anything unsafe.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use ttlab_core::options::{Clear, Prefetch, TickSource, Victim};
use ttlab_core::{
    Bound, Entry, Hit, Move, SharedTable, StaticEvaluation, Table, TableCounters, TableError, TableOptions,
    build_table, table_options,
};

/// The code of an error, as in the header, and why.
pub type Fault = Box<(i32, String)>;

#[cold]
pub fn fault(code: i32, message: impl Into<String>) -> Fault {
    Box::new((code, message.into()))
}

/// The codes of the header.
pub mod codes {
    pub const VERSION: i32 = -1;
    pub const OPTION: i32 = -2;
    pub const MEMORY: i32 = -3;
    pub const KEY: i32 = -4;
    pub const OWNER: i32 = -5;
    pub const ARGUMENT: i32 = -6;
    pub const PANIC: i32 = -7;
}

/// The most slots of a bucket. An entry's slot is its number in the table times this, plus its
/// number in its bucket if stores go to the slot of their probe.
const MAX_SLOTS: usize = 8;

/// In the place of a score or an evaluation: there is none.
const NONE: i16 = i16::MIN;

/// `ttlab_entry` of the header.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignEntry {
    pub mv: u16,
    pub score: i16,
    pub eval: i16,
    pub depth: i16,
    pub bound: u8,
    pub pv: u8,
    pub age: u16,
    pub slot: u64,
}

impl ForeignEntry {
    pub const EMPTY: Self = Self { mv: 0, score: NONE, eval: NONE, depth: 0, bound: 0, pv: 0, age: 0, slot: 0 };

    /// A hit with the slot under which the table knows it.
    #[inline(always)]
    fn from_hit(hit: &Hit) -> Self {
        let Entry { mv, score, bound, pv, evaluation, .. } = hit.entry;
        let (score, bound) = match bound {
            _ if hit.entry.is_evaluation() => (NONE, 0),
            Bound::None => (NONE, 0),
            bound => (score, bound as u8),
        };
        let eval = evaluation.get().map_or(NONE, |eval| eval as i16);
        let depth = hit.draft.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        Self {
            mv: mv.bits(),
            score,
            eval,
            depth,
            bound,
            pv: pv.into(),
            age: hit.age,
            slot: (hit.slot * MAX_SLOTS) as u64,
        }
    }

    /// The entry for the table, and whether a value had to be clipped for it.
    #[inline(always)]
    fn to_entry(self) -> (Entry, bool) {
        let depth = self.depth.clamp(0, u8::MAX.into()) as u8;
        let mut clipped = i16::from(depth) != self.depth;
        let mut entry = Entry::evaluation(depth, self.pv != 0);
        if self.bound != 0 {
            clipped |= self.score == NONE;
            let (mv, score) = (Move::opaque(self.mv), self.score.max(NONE + 1));
            entry = Entry { mv, score, bound: Bound::from_bits(self.bound), ..entry };
        }
        if self.eval != NONE {
            entry.evaluation = StaticEvaluation::new(self.eval.into());
        }
        (entry, clipped)
    }
}

/// The number of the calling thread, which no other thread has while it lives.
#[inline(always)]
fn thread_number() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

/// The threads that may use a table.
pub struct Owners(Box<[AtomicUsize]>);

impl Owners {
    /// The number of this thread among the owners. Refuses a thread that is none of them. The first
    /// threads that ask become the owners.
    #[inline(always)]
    pub fn number(&self) -> Result<usize, Fault> {
        let here = thread_number();
        if self.0[0].load(Ordering::Relaxed) == here { Ok(0) } else { self.find(here) }
    }

    fn find(&self, here: usize) -> Result<usize, Fault> {
        let is_here = |owner: &AtomicUsize| owner.load(Ordering::Relaxed) == here;
        let take = |owner: &AtomicUsize| owner.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        self.0.iter().position(is_here).or_else(|| self.0.iter().position(take)).ok_or_else(|| {
            fault(
                codes::OWNER,
                "owners: another thread searches with this table: expected ttlab_table_search() on this thread, more \
                 owners, or a table of its own",
            )
        })
    }

    /// Makes this thread the first owner, and nobody the others.
    pub fn take(&self) {
        self.release();
        self.0[0].store(thread_number(), Ordering::Relaxed);
    }

    pub fn release(&self) {
        self.0.iter().for_each(|owner| owner.store(0, Ordering::Relaxed));
    }
}

/// An owner's access to the table, and what the interface counts itself.
pub struct Handle {
    /// `None` with `table.kind = "none"`.
    table: Option<Box<dyn Table>>,
    options: TableOptions,
    total_slots: u64,
    /// Whether a store goes to the slot of its probe.
    keeps_slots: bool,
    /// Stores of all owners clipped here that the table did not clip.
    clipped: Arc<AtomicU64>,
    /// The counters when the search began.
    before: TableCounters,
}

impl Handle {
    /// Creates the table that the text describes, with a handle for each owner.
    pub fn create(text: &str, owners: i32) -> Result<(Vec<Self>, Owners), Fault> {
        let option = |message: String| fault(codes::OPTION, message);
        let mut options = table_options(text).map_err(|fault| option(fault.to_string()))?;
        options.keep_opaque_moves().map_err(|error| option(error.to_string()))?;
        let Some(count) = u8::try_from(owners).ok().filter(|&count| count > 0) else {
            return Err(option(format!("owners: {owners} is out of range: expected 1 to 255 threads")));
        };
        let table = build_table(&options, None, false).map_err(|error| match error {
            TableError::Memory { .. } => fault(codes::MEMORY, error.to_string()),
            error => option(error.to_string()),
        })?;
        let total_slots = table.as_ref().map_or(0, |table| table.occupancy().slots);
        let mut tables = match table {
            Some(table) if count > 1 => SharedTable::share(table, count.into()),
            table => Vec::from_iter(table),
        };
        let (keeps_slots, clipped) = (options.victim == Victim::Probe, Arc::default());
        let create_handle = |_| {
            let (table, options, clipped) = (tables.pop(), options.clone(), Arc::clone(&clipped));
            Self { table, options, total_slots, keeps_slots, clipped, before: TableCounters::default() }
        };
        let handles = (0..count).map(create_handle).collect();
        Ok((handles, Owners((0..count).map(|_| AtomicUsize::new(0)).collect())))
    }

    /// Shows the other owners what this one has counted.
    pub fn publish(&mut self) {
        self.table.iter_mut().for_each(|table| table.suspend(&[]));
    }

    pub fn search(&mut self, plies: u32) {
        self.before = self.counters();
        let Some(table) = &mut self.table else { return };
        if self.options.clear <= Clear::Search {
            table.clear();
        }
        let ticks = if self.options.clock == TickSource::GamePly { plies } else { 1 };
        table.advance(ticks.min(u16::MAX.into()) as u16 % 1024);
    }

    pub fn clear(&mut self) {
        if let Some(table) = self.table.as_mut().filter(|_| self.options.clear != Clear::Never) {
            table.clear();
        }
    }

    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        if let Some(table) = self.table.as_ref().filter(|_| self.options.prefetch != Prefetch::None) {
            table.prefetch(key);
        }
    }

    /// Writes the entry of a position, or an empty one that has the slot for it. Returns whether
    /// there is one.
    #[inline(always)]
    pub fn probe(&mut self, key: u64, entry: &mut ForeignEntry) -> Result<bool, Fault> {
        *entry = ForeignEntry::EMPTY;
        check_key(key)?;
        let Some(table) = &mut self.table else { return Ok(false) };
        let hit = table.probe(key, 0);
        if let Some(hit) = &hit {
            *entry = ForeignEntry::from_hit(hit);
        }
        if self.keeps_slots {
            entry.slot += table.probed_slot() as u64;
        }
        Ok(hit.is_some())
    }

    /// Returns whether the entry was stored.
    #[inline(always)]
    pub fn store(&mut self, key: u64, entry: &ForeignEntry) -> Result<bool, Fault> {
        check_key(key)?;
        if entry.bound > 3 {
            return Err(fault(codes::ARGUMENT, format!("bound: {} is out of range: expected 0 to 3", entry.bound)));
        }
        let Some(table) = &mut self.table else { return Ok(false) };
        let (stored, is_clipped) = entry.to_entry();
        let slot = entry.slot as usize % MAX_SLOTS;
        if is_clipped {
            return Ok(self.store_clipped(key, slot, stored));
        }
        Ok(!table.store_at(key, slot, stored).refused)
    }

    /// Counts what was clipped here, unless the table counts the same store.
    #[cold]
    fn store_clipped(&mut self, key: u64, slot: usize, entry: Entry) -> bool {
        let Some(table) = &mut self.table else { return false };
        let before = table.counters().clipped;
        let outcome = table.store_at(key, slot, entry);
        let here = 1 - (table.counters().clipped - before).min(1);
        self.clipped.fetch_add(here, Ordering::Relaxed);
        !outcome.refused
    }

    /// Tells the table what a hit was worth: whether it ended its node, or was of the wrong side.
    pub fn result(&mut self, entry: &ForeignEntry, cut: bool) {
        let (Some(table), slot) = (&mut self.table, entry.slot as usize / MAX_SLOTS) else { return };
        // The empty entry of a probe that found nothing has no result either.
        if slot as u64 >= self.total_slots || entry.bound == 0 && entry.eval == NONE {
            return;
        }
        let demotion = self.options.demotion;
        let stored = entry.to_entry().0;
        let hit = Hit { draft: stored.depth.into(), entry: stored, age: entry.age, slot };
        if cut {
            table.cutoff(&hit)
        } else if demotion.missed > 0 && stored.depth >= demotion.missed_depth {
            table.missed(&hit)
        }
    }

    fn counters(&self) -> TableCounters {
        let counters = self.table.as_ref().map(|table| table.counters()).unwrap_or_default();
        TableCounters { clipped: counters.clipped + self.clipped.load(Ordering::Relaxed), ..counters }
    }

    pub fn hashfull(&self) -> i32 {
        let occupancy = self.table.as_ref().map(|table| table.occupancy()).unwrap_or_default();
        (occupancy.occupied * 1000).checked_div(occupancy.slots).unwrap_or(0) as i32
    }

    pub fn counter(&self, name: &str) -> Result<u64, Fault> {
        let occupancy = self.table.as_ref().map(|table| table.occupancy()).unwrap_or_default();
        let named = named_counters(self.counters())
            .chain([("slots".to_owned(), occupancy.slots), ("entries".to_owned(), occupancy.occupied)]);
        let unknown = || {
            let names: Vec<_> = named_counters(TableCounters::default()).map(|(name, _)| name).collect();
            let message =
                format!("{name}: there is no such counter: expected one of {}, slots, entries", names.join(", "));
            fault(codes::ARGUMENT, message)
        };
        named.into_iter().find(|(known, _)| known == name).map(|(_, value)| value).ok_or_else(unknown)
    }

    /// What was counted since the search began.
    pub fn info(&self) -> String {
        let counters = named_counters(self.counters() - self.before);
        counters.fold("ttlab".to_owned(), |text, (name, value)| format!("{text} {name} {value}"))
    }
}

#[inline(always)]
fn check_key(key: u64) -> Result<(), Fault> {
    if key == 0 { Err(fault(codes::KEY, "key: 0 stands for no position: expected a hash key")) } else { Ok(()) }
}

fn named_counters(counters: TableCounters) -> impl Iterator<Item = (String, u64)> {
    TableCounters::COLUMNS.iter().zip(counters.values()).map(|((name, _), value)| (format!("table.{name}"), value))
}
