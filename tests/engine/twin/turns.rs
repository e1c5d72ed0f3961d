//! Several twins on threads of the system, of which one may go on: a baton that is passed node by
//! node, and a table that notes down who wrote what.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex};
use ttlab::internals::engine::SearchCounters;
use ttlab::internals::engine::options::{Helpers, Schedule, Threads};
use ttlab::internals::table::{Entry, Hit, Occupancy, StoreOutcome, Table, TableCounters, ThreadCounters};

/// What all searchers know.
struct Round {
    options: Threads,
    random: Pcg64,
    /// Whose turn it is, and the nodes left of it.
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
    pub fn new(options: Threads, limit: Option<u64>) -> Self {
        let count = options.count as usize;
        let round = Round {
            options,
            random: Pcg64::seed_from_u64(options.seed),
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

    /// Waits until the searcher may enter a node; false: the search is over.
    pub fn enter(&self, me: usize, count: &SearchCounters) -> bool {
        let (round, changed) = &*self.0;
        let mut round = round.lock().unwrap();
        round.counts[me] = *count;
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

    /// A searcher has no more to search; the search is over with the main one's.
    pub fn end(&self, me: usize, count: &SearchCounters) {
        let (round, changed) = &*self.0;
        let mut round = round.lock().unwrap();
        round.counts[me] = *count;
        round.ended[me] = true;
        round.over |= me == 0;
        if round.holder == me && !round.over {
            round.choose();
        }
        changed.notify_all();
    }

    /// What all helpers have counted.
    pub fn helped(&self) -> SearchCounters {
        let mut all = SearchCounters::default();
        self.0.0.lock().unwrap().counts[1..].iter().for_each(|&count| all += count);
        all
    }
}

impl Round {
    /// Chooses who is next, among those whose search is not over.
    fn choose(&mut self) {
        let Threads { count, schedule, quantum, main_quantum, .. } = self.options;
        loop {
            self.holder = match schedule {
                Schedule::RoundRobin => (self.holder + 1) % count as usize,
                Schedule::Random => self.random.random_range(0..count) as usize,
            };
            if !self.ended[self.holder] {
                break;
            }
        }
        self.left = match (self.holder, main_quantum) {
            (0, 1..) => main_quantum,
            _ => quantum,
        };
    }
}

/// The last result in a slot: who wrote it, how deep it is, and whether anyone asked for it since.
#[derive(Clone, Copy)]
struct Written {
    by: usize,
    depth: u8,
    asked: bool,
}

/// A table, what is known of each slot, where each searcher waits, and what they had of each other.
struct Owned {
    table: Box<dyn Table>,
    slots: HashMap<usize, Written>,
    paths: HashMap<usize, Vec<u64>>,
    count: ThreadCounters,
}

/// A searcher's way to it.
#[derive(Clone)]
pub struct OwnedTable {
    owned: Arc<Mutex<Owned>>,
    me: usize,
}

impl OwnedTable {
    pub fn new(mut table: Box<dyn Table>) -> Self {
        table.number_slots();
        let (slots, paths) = (HashMap::new(), HashMap::new());
        let owned = Owned { table, slots, paths, count: ThreadCounters::default() };
        Self { owned: Arc::new(Mutex::new(owned)), me: 0 }
    }

    pub fn handle(&self, me: usize) -> Self {
        Self { me, ..self.clone() }
    }

    pub fn count(&self) -> ThreadCounters {
        self.owned.lock().unwrap().count
    }

    /// A searcher is about to wait for its turn, below these positions.
    pub fn wait(&self, path: &[u64]) {
        self.owned.lock().unwrap().paths.insert(self.me, path.to_vec());
    }
}

impl Table for OwnedTable {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let mut owned = self.owned.lock().unwrap();
        let others = owned.paths.iter().filter(|(searcher, _)| **searcher != self.me);
        let met = others.filter(|(_, path)| path.contains(&key)).count();
        owned.count.in_flight += u64::from(met > 0);
        let hit = owned.table.probe(key, depth);
        if let Some(hit) = &hit {
            let slot = owned.slots.get_mut(&hit.slot).unwrap();
            slot.asked = true;
            let by = slot.by;
            owned.count.foreign_hits += u64::from(by != self.me);
        }
        hit
    }
    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        let mut owned = self.owned.lock().unwrap();
        let stored = owned.table.store(key, entry);
        let end = stored.slot + usize::from(stored.moved);
        // The position's own entry, or the one that has to go; of a store that another position's
        // entries refused there is none.
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
    fn now(&self) -> u16 {
        self.owned.lock().unwrap().table.now()
    }
    fn counters(&self) -> TableCounters {
        self.owned.lock().unwrap().table.counters()
    }
    fn occupancy(&self) -> Occupancy {
        self.owned.lock().unwrap().table.occupancy()
    }
    fn for_each(&self, visit: &mut dyn FnMut(&Entry)) {
        self.owned.lock().unwrap().table.for_each(visit);
    }
}

/// The order in which a searcher tries the moves of the root.
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

/// Whether a helper leaves out a depth: blocks of as many depths searched as left out; each size of
/// block has a helper for each of its beginnings.
pub fn leaves_out(options: &Threads, me: usize, depth: usize) -> bool {
    let begins = (1..).flat_map(|size| (0..2 * size).map(move |begin| (size, begin))).nth(me - 1);
    options.helpers == Helpers::SkipDepths && begins.is_some_and(|(size, begin)| (depth + begin) % (2 * size) >= size)
}
