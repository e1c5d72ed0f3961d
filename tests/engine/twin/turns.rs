//! Several twins run on system threads, one at a time: they pass a baton from node to node, and a
//! table records which searcher wrote what.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex};
use ttlab::internals::engine::SearchCounters;
use ttlab::internals::engine::options::{Helpers, Schedule, Threads};
use ttlab::internals::table::{
    Entry, Hit, Instrumented, Occupancy, StoreOutcome, Table, TableCounters, ThreadCounters,
};

/// Typical faults in the interaction of searchers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// A helper uses the main searcher's handle of the table.
    ForgottenHandle,
    /// All searchers share their killers.
    SharedKillers,
    /// A helper's nodes are counted for another helper.
    WrongCounter,
}

/// The state that all searchers share.
struct Round {
    fault: Option<Fault>,
    options: Threads,
    random: Pcg64,
    /// The current searcher, and the nodes left in its turn.
    holder: usize,
    left: u32,
    /// Nodes left of the limit.
    limit: u64,
    over: bool,
    ended: Vec<bool>,
    counts: Vec<SearchCounters>,
}

#[derive(Clone)]
pub struct Turns(Arc<(Mutex<Round>, Condvar)>);

impl Turns {
    pub fn new(options: Threads, limit: Option<u64>, fault: Option<Fault>) -> Self {
        let count = options.count as usize;
        let round = Round {
            fault,
            random: Pcg64::seed_from_u64(options.seed),
            options,
            holder: count - 1,
            left: 0,
            limit: limit.unwrap_or(u64::MAX),
            over: false,
            ended: vec![false; count],
            counts: vec![SearchCounters::default(); count],
        };
        let turns = Self(Arc::new((Mutex::new(round), Condvar::new())));
        turns.0.0.lock().unwrap().choose();
        turns
    }

    /// Waits until the searcher may enter a node. Returns false if the search is over.
    pub fn enter(&self, me: usize, count: &SearchCounters) -> bool {
        let (round, changed) = &*self.0;
        let mut round = round.lock().unwrap();
        round.note(me, count);
        loop {
            if round.over {
                return false;
            }
            if round.holder != me {
                round = changed.wait(round).unwrap();
            } else if round.limit == 0 {
                round.over = true;
                changed.notify_all();
            } else if round.left == 0 {
                round.choose();
                changed.notify_all();
            } else {
                round.left -= 1;
                round.limit -= 1;
                return true;
            }
        }
    }

    /// A searcher has finished. When the main searcher finishes, the search is over.
    pub fn end(&self, me: usize, count: &SearchCounters) {
        let (round, changed) = &*self.0;
        let mut round = round.lock().unwrap();
        round.note(me, count);
        round.ended[me] = true;
        round.over |= me == 0;
        if round.holder == me && !round.over {
            round.choose();
        }
        changed.notify_all();
    }

    /// Returns the sum of all helpers' counters.
    pub fn helped(&self) -> SearchCounters {
        let mut all = SearchCounters::default();
        self.0.0.lock().unwrap().counts[1..].iter().for_each(|&count| all += count);
        all
    }
}

impl Round {
    fn note(&mut self, me: usize, count: &SearchCounters) {
        let place = if self.fault == Some(Fault::WrongCounter) { me.min(1) } else { me };
        self.counts[place] = *count;
    }

    /// Chooses the next searcher, among those that haven't finished.
    fn choose(&mut self) {
        let Threads { count, schedule, quantum, .. } = self.options;
        loop {
            self.holder = match schedule {
                Schedule::RoundRobin => (self.holder + 1) % count as usize,
                Schedule::Random => self.random.random_range(0..count) as usize,
            };
            self.left = quantum;
            if !self.ended[self.holder] {
                break;
            }
        }
    }
}

/// The last result in a slot: who wrote it, its depth, and whether it has been probed since.
#[derive(Clone, Copy)]
struct Written {
    by: usize,
    depth: u8,
    asked: bool,
}

/// A table, the last write of each slot, and the counters of what searchers took from each other.
struct Owned {
    table: Box<dyn Table>,
    slots: HashMap<usize, Written>,
    count: ThreadCounters,
}

/// A searcher's handle of the table, and the path of each waiting searcher.
#[derive(Clone)]
pub struct OwnedTable {
    owned: Arc<Mutex<Owned>>,
    paths: Arc<Mutex<HashMap<usize, Vec<u64>>>>,
    me: usize,
}

impl OwnedTable {
    /// The main searcher's way to the table.
    pub fn new(mut table: Box<dyn Table>) -> Self {
        table.start_numbering_entries();
        let owned = Owned { table, slots: HashMap::new(), count: ThreadCounters::default() };
        Self { owned: Arc::new(Mutex::new(owned)), paths: Arc::default(), me: 0 }
    }

    pub fn handle(&self, me: usize) -> Self {
        Self { me, ..self.clone() }
    }

    pub fn count(&self) -> ThreadCounters {
        self.owned.lock().unwrap().count
    }

    /// Whether another searcher waits below a position.
    fn waits_elsewhere(&self, key: u64) -> bool {
        let paths = self.paths.lock().unwrap();
        paths.iter().any(|(searcher, path)| *searcher != self.me && path.contains(&key))
    }

    /// The searcher waits for its turn, below these positions.
    pub fn wait(&self, path: &[u64]) {
        self.paths.lock().unwrap().insert(self.me, path.to_vec());
    }
}

impl Instrumented for OwnedTable {}

impl Table for OwnedTable {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let mut owned = self.owned.lock().unwrap();
        owned.count.in_flight += u64::from(self.waits_elsewhere(key));
        let hit = owned.table.probe(key, depth);
        if let Some(hit) = &hit {
            let slot = owned.slots.get_mut(&hit.slot).unwrap();
            slot.asked = true;
            let by = slot.by;
            (owned.count.ages, owned.count.squared_ages) = (
                owned.count.ages + u64::from(hit.age),
                owned.count.squared_ages + u64::from(hit.age) * u64::from(hit.age),
            );
            owned.count.foreign_hits += u64::from(by != self.me);
        }
        hit
    }
    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        let mut owned = self.owned.lock().unwrap();
        let stored = owned.table.store(key, entry);
        let end = stored.slot + usize::from(stored.moved);
        // The position's own entry, or the one that is evicted. `None` if another position's entry
        // refused the store.
        let met = owned.slots.get(&end).copied().filter(|_| stored.same || !stored.refused);
        let count = &mut owned.count;
        if let Some(met) = met {
            let foreign = met.by != self.me;
            if stored.same && foreign && met.depth == entry.depth {
                count.duplicates += 1;
            }
            if stored.refused && foreign {
                count.foreign_refusals += 1;
            }
            if !stored.refused && !met.asked {
                count.unread += 1;
                count.foreign_unread += u64::from(foreign);
            }
        }
        if !stored.refused {
            for slot in (stored.slot..end).rev() {
                if let Some(&written) = owned.slots.get(&slot) {
                    owned.slots.insert(slot + 1, written);
                }
            }
            owned.slots.insert(stored.slot, Written { by: self.me, depth: entry.depth, asked: false });
        }
        stored
    }
    fn cutoff(&mut self, hit: &Hit) {
        let mut owned = self.owned.lock().unwrap();
        if owned.slots[&hit.slot].by != self.me {
            owned.count.foreign_cutoffs += 1;
            owned.count.foreign_saved += u64::from(hit.entry.nodes);
        }
        owned.table.cutoff(hit);
    }
    fn missed(&mut self, hit: &Hit) {
        self.owned.lock().unwrap().table.missed(hit);
    }
    fn prefetch(&self, _: u64) {}
    fn advance(&mut self, ticks: u16) {
        self.owned.lock().unwrap().table.advance(ticks);
    }
    fn clear(&mut self) {
        let mut owned = self.owned.lock().unwrap();
        owned.slots.clear();
        owned.table.clear();
    }
    fn counters(&self) -> TableCounters {
        self.owned.lock().unwrap().table.counters()
    }
    fn occupancy(&self) -> Occupancy {
        self.owned.lock().unwrap().table.occupancy()
    }
}

/// Returns the order in which a searcher tries the root moves.
pub fn root_moves<T: Copy>(options: &Threads, me: usize, moves: Vec<T>) -> Vec<T> {
    if me == 0 || moves.is_empty() {
        return moves;
    }
    let place = |at: usize| moves.iter().copied().enumerate().filter(move |&(place, _)| place > 0 && place % 2 == at);
    let first = std::iter::once(moves[0]);
    match options.helpers {
        Helpers::OddEven if me % 2 == 1 => first.chain(place(0).chain(place(1)).map(|(_, mv)| mv)).collect(),
        Helpers::Same | Helpers::OddEven | Helpers::SkipDepths => moves,
        Helpers::Shuffle => {
            use rand::seq::SliceRandom;
            let mut others = moves[1..].to_vec();
            others.shuffle(&mut Pcg64::seed_from_u64(options.seed ^ (me as u64) << 56));
            first.chain(others).collect()
        }
    }
}

/// Returns whether a helper skips a depth. Helpers search and skip blocks of equally many depths;
/// for each block size there is a helper for each offset.
pub fn leaves_out(options: &Threads, me: usize, depth: usize) -> bool {
    let begins = (1..).flat_map(|size| (0..2 * size).map(move |begin| (size, begin))).nth(me - 1);
    options.helpers == Helpers::SkipDepths && begins.is_some_and(|(size, begin)| (depth + begin) % (2 * size) >= size)
}
