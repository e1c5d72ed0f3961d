//! Traces made here, shown to tables: every count against a plain model of the table, and foresight against all that could have been done,
//! by dynamic programming over whatever the buckets may hold.

use std::collections::HashMap;
use ttlab::chess::Bound;
use ttlab::table::options::{Index, Size};
use ttlab::table::policy::Policy;
use ttlab::table::replay::{Goal, Replayed, clairvoyant, replay};
use ttlab::table::trace::{Event, Kind};
use ttlab::table::{Entry, TableOptions};

/// Numbers without a pattern, the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn entry(depth: u8) -> Entry {
    Entry { bound: Bound::Lower, depth, ..Entry::default() }
}

/// Probes and stores of keys of which some are much more frequent than others; what a probe knows is what was offered last.
fn trace(seed: u64, keys: u64, len: usize) -> Vec<Event> {
    let mut chance = Chance(seed);
    let mut offered: HashMap<u64, u8> = HashMap::new();
    let mut trace = Vec::new();
    for at in 0..len {
        // The favourites move on.
        let key = (chance.below(keys).min(chance.below(keys)) + at as u64 / 50) % keys;
        let depth = chance.below(6) as u8;
        let known = offered.get(&key).copied();
        let event = match chance.below(if at % 60 == 59 { 101 } else { 100 }) {
            100 => {
                offered.clear();
                Event::new(Kind::Clear, 0, 0, &Entry::default())
            }
            98.. => Event::new(Kind::Tick, 1, 0, &Entry::default()),
            0..40 => {
                offered.insert(key, depth);
                Event::new(Kind::Store, key, 0, &entry(depth))
            }
            draw => match (known, draw % 3) {
                (None, _) => Event::new(Kind::Miss, key, depth, &Entry::default()),
                (Some(known), 0) => Event::new(Kind::Miss, key, depth, &entry(known)),
                (Some(known), 1) => Event::new(Kind::Hit, key, depth, &entry(known)),
                // An answer that ended its node was deep enough.
                (Some(known), _) => Event::new(Kind::Cut, key, known, &entry(known)),
            },
        };
        trace.push(event);
    }
    trace
}

/// One slot for each remainder, and what the policy's words say.
fn model(trace: &[Event], slots: u64, prefers_depth: bool) -> Replayed {
    let mut held: Vec<Option<(u64, u8)>> = vec![None; slots as usize];
    let mut offered: HashMap<u64, u8> = HashMap::new();
    let mut count = Replayed::default();
    let store = |held: &mut Vec<Option<(u64, u8)>>, count: &mut Replayed, key: u64, depth: u8| {
        count.stores += 1;
        let slot = &mut held[(key % slots) as usize];
        match *slot {
            Some((old, _)) if old == key => {}
            Some((_, kept)) if prefers_depth && depth < kept => {
                count.rejections += 1;
                return;
            }
            Some(_) => count.evictions += 1,
            None => {}
        }
        *slot = Some((key, depth));
    };
    for event in trace {
        let (key, asked, depth) = (event.key, event.asked(), event.entry().depth);
        match event.kind().unwrap() {
            Kind::Tick => {}
            Kind::Clear => {
                held.fill(None);
                offered.clear();
            }
            Kind::Store => {
                offered.insert(key, depth);
                store(&mut held, &mut count, key, depth);
            }
            kind => {
                count.probes += 1;
                count.known += u64::from(offered.contains_key(&key));
                let answer = held[(key % slots) as usize].filter(|(kept, _)| *kept == key);
                let deep = answer.is_some_and(|(_, kept)| kept >= asked);
                count.hits += u64::from(answer.is_some());
                count.deep += u64::from(deep);
                if kind == Kind::Cut {
                    count.cuts += 1;
                    count.kept += u64::from(deep);
                    if !deep {
                        store(&mut held, &mut count, key, depth);
                    }
                }
            }
        }
    }
    count
}

#[test]
fn every_count_of_a_replay_is_a_plain_models() {
    for seed in 1..20 {
        for (policy, prefers_depth) in [("always", false), ("depth-preferred", true)] {
            for slots in [1, 3, 8] {
                let trace = trace(seed, 20, 900);
                let options = TableOptions {
                    policy: Policy::named(policy).unwrap(),
                    size: Size::Entries(slots),
                    index: Index::Modulo,
                    ..TableOptions::default()
                };
                let (found, wanted) = (replay(&trace, &options, false).unwrap(), model(&trace, slots, prefers_depth));
                assert_eq!(found, wanted, "{policy}, {slots} slots, seed {seed}");
                assert!(wanted.kept > 0 && wanted.kept < wanted.cuts && wanted.deep < wanted.hits);
            }
        }
    }
}

/// The most of a goal that any table of some buckets can have: for each set of keys that a bucket may hold after an event, the most that
/// can have been had on the way to it.
fn by_all_ways(trace: &[Event], buckets: u64, slots: usize, goal: Goal) -> u64 {
    let counts = |kind: Kind| match goal {
        Goal::Hits => kind.is_probe(),
        Goal::Cuts => kind == Kind::Cut,
    };
    let bucket = |of: u64| {
        let mut ways: HashMap<Vec<u64>, u64> = HashMap::from([(Vec::new(), 0)]);
        for event in trace {
            let kind = event.kind().unwrap();
            match kind {
                Kind::Tick => continue,
                Kind::Clear => ways = HashMap::from([(Vec::new(), ways.values().copied().max().unwrap())]),
                _ if event.key % buckets != of || !event.offers() => continue,
                _ => {}
            }
            if kind == Kind::Clear {
                continue;
            }
            let mut next: HashMap<Vec<u64>, u64> = HashMap::new();
            for (held, had) in ways {
                let had = had + u64::from(counts(kind) && held.contains(&event.key));
                let mut to = |held: Vec<u64>| {
                    let best = next.entry(held).or_default();
                    *best = had.max(*best);
                };
                to(held.clone());
                if !held.contains(&event.key) {
                    // Taken in where there is room, or in the place of any other.
                    for gone in 0..=held.len() {
                        let mut with = held.clone();
                        if gone < held.len() {
                            with.remove(gone);
                        }
                        with.push(event.key);
                        with.sort_unstable();
                        if with.len() <= slots {
                            to(with);
                        }
                    }
                }
            }
            ways = next;
        }
        ways.into_values().max().unwrap()
    };
    (0..buckets).map(bucket).sum()
}

#[test]
fn foresight_is_the_best_of_all_ways() {
    let (mut less, mut cases) = (0, 0);
    for seed in 1..40 {
        let trace = trace(seed, 9, 250);
        for (buckets, slots) in [(1, 1), (1, 2), (1, 3), (2, 2), (3, 1)] {
            let options = TableOptions {
                size: Size::Entries(buckets * slots as u64),
                slots: slots as u8,
                index: Index::Modulo,
                ..TableOptions::default()
            };
            for goal in [Goal::Hits, Goal::Cuts] {
                let found = clairvoyant(&trace, &options, goal).unwrap();
                assert_eq!(
                    found,
                    by_all_ways(&trace, buckets, slots, goal),
                    "{goal:?}, {buckets} x {slots}, seed {seed}"
                );
                let shown = replay(&trace, &options, false).unwrap();
                let had = if goal == Goal::Hits { shown.hits } else { shown.kept };
                assert!(had <= found);
                (less, cases) = (less + u64::from(had < found), cases + 1);
            }
        }
    }
    assert!(less * 2 > cases, "foresight is mostly worth something: {less} of {cases}");
}
