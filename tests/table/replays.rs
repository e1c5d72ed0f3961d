//! Traces made here, shown to tables: every count against a plain model of the table, and foresight against all that could have been done,
//! by dynamic programming over whatever the buckets may hold.

use std::collections::HashMap;
use std::io::Cursor;
use ttlab::chess::Bound;
use ttlab::table::TableOptions;
use ttlab::table::options::{Index, Size};
use ttlab::table::policy::Policy;
use ttlab::table::replay::{Aim, Replayed, Steps, clairvoyant, load, replay, steps};
use ttlab::table::trace::{Event, Kind, Writer, flags};

/// Numbers without a pattern, the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// An event, and the depth of what was offered last for its key.
type Known = (Event, Option<u8>);

fn is_cut(event: &Event) -> bool {
    event.kind() == Kind::Probe && event.has(flags::CUT)
}

/// Nodes that an entry of some depth costs: worth does not follow count.
fn worth(depth: u8) -> u64 {
    1 + 7 * u64::from(depth) * u64::from(depth)
}

fn stored(key: u64, depth: u8) -> Event {
    let bits = Event::bits_of(Bound::Lower) | flags::SUBTREE;
    Event::store(key, depth as i8, 0, bits, worth(depth) as u32)
}

/// Probes and stores of keys of which some are much more frequent than others; what a probe knows is what was offered last.
fn trace(seed: u64, keys: u64, len: usize) -> Vec<Known> {
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
                Event::clear(0)
            }
            98.. => Event::search(1, 0, 0),
            0..40 => {
                offered.insert(key, depth);
                stored(key, depth)
            }
            draw => match (known, draw % 3) {
                (None, _) | (Some(_), 0) => Event::probe(key, depth as i8, 0, 0, 0),
                (Some(_), 1) => Event::probe(key, depth as i8, 0, flags::HIT, 0),
                // An answer that ended its node was deep enough.
                (Some(known), _) => Event::probe(key, known as i8, 0, flags::HIT | flags::CUT, 0),
            },
        };
        trace.push((event, known));
    }
    trace
}

/// One slot for each remainder, and what the policy's words say.
fn model(trace: &[Known], slots: u64, prefers_depth: bool) -> Replayed {
    let mut held: Vec<Option<(u64, u8)>> = vec![None; slots as usize];
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
    for (event, known) in trace {
        let (key, asked) = (event.key, event.depth as u8);
        match event.kind() {
            Kind::Search => {}
            Kind::Clear => held.fill(None),
            Kind::Store => store(&mut held, &mut count, key, asked),
            Kind::Probe => {
                count.probes += 1;
                count.known += u64::from(known.is_some());
                let answer = held[(key % slots) as usize].filter(|(kept, _)| *kept == key);
                let deep = answer.is_some_and(|(_, kept)| kept >= asked);
                count.hits += u64::from(answer.is_some());
                count.deep += u64::from(deep);
                if let (true, Some(depth)) = (is_cut(event), *known) {
                    count.cuts += 1;
                    count.kept += u64::from(deep);
                    count.worth += worth(depth);
                    count.worth_kept += if deep { worth(depth) } else { 0 };
                    if !deep {
                        store(&mut held, &mut count, key, depth);
                    }
                }
            }
        }
    }
    count
}

/// The trace as tables are shown it.
fn plain(trace: &[Known]) -> Vec<ttlab::table::replay::Step> {
    steps(&trace.iter().map(|(event, _)| *event).collect::<Vec<_>>())
}

#[test]
fn every_count_of_a_replay_is_a_plain_models() {
    let mut all = Replayed::default();
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
                let (found, wanted) = (replay(&plain(&trace), &options).unwrap(), model(&trace, slots, prefers_depth));
                assert_eq!(found, wanted, "{policy}, {slots} slots, seed {seed}");
                all += wanted;
            }
        }
    }
    // A table of one slot may keep nothing; all together they keep some of what they are asked for, and answer some of it too shallowly.
    assert!(all.kept > 0 && all.kept < all.cuts && all.deep < all.hits, "{all:?}");
}

/// The most of a goal that any table of some buckets can have: for each set of keys that a bucket may hold after an event, the most that
/// can have been had on the way to it.
fn by_all_ways(trace: &[Known], buckets: u64, slots: usize, goal: Aim) -> u64 {
    // What an event counts for if its position is held, and whether the position may be taken in at it.
    let counts = |(event, known): &Known| match (goal, known) {
        (Aim::Hits, Some(_)) => u64::from(event.kind() == Kind::Probe),
        (Aim::Cuts, Some(_)) => u64::from(is_cut(event)),
        (Aim::Worth, Some(depth)) => {
            if is_cut(event) {
                worth(*depth)
            } else {
                0
            }
        }
        (_, None) => 0,
    };
    let takes =
        |(event, known): &Known| event.kind() == Kind::Store || known.is_some() && (goal == Aim::Hits || is_cut(event));
    let bucket = |of: u64| {
        let mut ways: HashMap<Vec<u64>, u64> = HashMap::from([(Vec::new(), 0)]);
        for known @ (event, _) in trace {
            let kind = event.kind();
            match kind {
                Kind::Search => continue,
                Kind::Clear => ways = HashMap::from([(Vec::new(), ways.values().copied().max().unwrap())]),
                _ if event.key % buckets != of => continue,
                _ => {}
            }
            if kind == Kind::Clear {
                continue;
            }
            let mut next: HashMap<Vec<u64>, u64> = HashMap::new();
            for (held, had) in ways {
                let had = had + if held.contains(&event.key) { counts(known) } else { 0 };
                let mut to = |held: Vec<u64>| {
                    let best = next.entry(held).or_default();
                    *best = had.max(*best);
                };
                to(held.clone());
                if takes(known) && !held.contains(&event.key) {
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

/// Events that are read class by class are those of each class alone: its keys' probes and stores, and what is about no position.
#[test]
fn classes_of_keys_are_read_apart() {
    for seed in 1..6 {
        let mut events: Vec<Event> = trace(seed, 9, 250).into_iter().map(|(event, _)| event).collect();
        events.insert(120, Event::clear(events[119].nodes));
        let mut writer = Writer::new(Cursor::new(Vec::new()));
        events.iter().for_each(|&event| writer.push(event));
        let file = writer.finish().unwrap().1.into_inner();
        // Of three classes; every fourth key is of none.
        let class = |key: u64| (key % 4 < 3).then_some((key % 4) as usize);
        let lowest = events.iter().filter(|event| event.kind() != Kind::Search).map(|event| event.depth).min().unwrap();
        let found = load(Cursor::new(file), lowest, 3, class).unwrap();
        assert_eq!(found.len(), 3);
        for (at, found) in found.iter().enumerate() {
            let about =
                |event: &&Event| matches!(event.kind(), Kind::Search | Kind::Clear) || class(event.key) == Some(at);
            let mut wanted = Steps::new(lowest);
            events.iter().filter(about).for_each(|event| wanted.push(event));
            assert_eq!(*found, wanted.finish(), "class {at}, seed {seed}");
        }
    }
}

#[test]
fn foresight_is_the_best_of_all_ways() {
    let (mut less, mut cases) = (0, 0);
    for seed in 1..40 {
        let trace = trace(seed, 9, 250);
        // Wide buckets have many ways: a few cases of them.
        let wide: &[(u64, usize)] = if seed % 16 == 0 { &[(1, 5), (1, 6)] } else { &[] };
        for &(buckets, slots) in [(1, 1), (1, 2), (1, 3), (2, 2), (3, 1)].iter().chain(wide) {
            let options = TableOptions {
                size: Size::Entries(buckets * slots as u64),
                slots: slots as u8,
                index: Index::Modulo,
                ..TableOptions::default()
            };
            for goal in [Aim::Hits, Aim::Cuts, Aim::Worth] {
                let found = clairvoyant(&plain(&trace), &options, None, goal).unwrap();
                assert_eq!(
                    found,
                    by_all_ways(&trace, buckets, slots, goal),
                    "{goal:?}, {buckets} x {slots}, seed {seed}"
                );
                let shown = replay(&plain(&trace), &options).unwrap();
                let had = match goal {
                    Aim::Hits => shown.hits,
                    Aim::Cuts => shown.kept,
                    Aim::Worth => shown.worth_kept,
                };
                assert!(had <= found);
                (less, cases) = (less + u64::from(had < found), cases + 1);
            }
        }
    }
    assert!(less * 2 > cases, "foresight is mostly worth something: {less} of {cases}");
}
