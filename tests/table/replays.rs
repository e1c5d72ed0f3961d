//! Replays generated traces on tables. Compares every count with a plain model of the table, and
//! the clairvoyant policy with the best of all possible choices, computed by dynamic programming
//! over the possible contents of each bucket.

use std::collections::HashMap;
use std::io::Cursor;
use std::ops::Range;
use ttlab::internals::chess::Bound;
use ttlab::internals::table::options::{Index, Size, TickSource};
use ttlab::internals::table::policy::Policy;
use ttlab::internals::table::{TableError, TableOptions};
use ttlab::internals::traces::replay::{
    Clairvoyant, Objective, Passes, ReplayCounters, ReplaySink, ReplayTable, Step, buckets, clairvoyant, make_steps,
    replay, replay_table,
};
use ttlab::internals::traces::{Event, EventKind, Info, Reader, Writer, flags};

/// Pseudo-random numbers, the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// An event, and the depth of the last store of its key, if any.
type Known = (Event, Option<u8>);

fn is_cut(event: &Event) -> bool {
    event.kind() == EventKind::Probe && event.has(flags::CUT)
}

/// The node count of an entry. It grows with the square of the depth, so that the total worth isn't
/// proportional to the number of cutoffs.
fn worth(depth: u8) -> u64 {
    1 + 7 * u64::from(depth) * u64::from(depth)
}

fn stored(key: u64, depth: u8) -> Event {
    let bits = Event::bound_bits(Bound::Lower) | flags::SUBTREE;
    Event::store(key, depth.into(), 0, bits, worth(depth))
}

/// Returns probes and stores. Some keys are much more frequent than others. Each event comes with
/// the depth of the last store of its key.
fn trace(seed: u64, keys: u64, len: usize) -> Vec<Known> {
    let mut chance = Chance(seed);
    let mut offered: HashMap<u64, u8> = HashMap::new();
    let mut trace = Vec::new();
    for at in 0..len {
        // Which keys are frequent changes over time.
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
                (None, _) | (Some(_), 0) => Event::probe(key, depth.into(), 0, 0, 0),
                (Some(_), 1) => Event::probe(key, depth.into(), 0, flags::HIT, 0),
                // An answer that ended its node was deep enough.
                (Some(known), _) => Event::probe(key, known.into(), 0, flags::HIT | flags::CUT, 0),
            },
        };
        trace.push((event, known));
    }
    trace
}

/// A direct-mapped table that is indexed by the remainder, with the policy's definition.
fn model(trace: &[Known], slots: u64, prefers_depth: bool) -> ReplayCounters {
    let mut held: Vec<Option<(u64, u8)>> = vec![None; slots as usize];
    let mut count = ReplayCounters::default();
    let store = |held: &mut Vec<Option<(u64, u8)>>, count: &mut ReplayCounters, key: u64, depth: u8| {
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
            EventKind::Search => {}
            EventKind::Clear => held.fill(None),
            EventKind::Store => store(&mut held, &mut count, key, asked),
            EventKind::Probe => {
                count.probes += 1;
                count.known += u64::from(known.is_some());
                let answer = held[(key % slots) as usize].filter(|(kept, _)| *kept == key);
                let deep = answer.is_some_and(|(_, kept)| kept >= asked);
                count.hits += u64::from(answer.is_some());
                count.otherwise += u64::from(answer.is_some() != event.has(flags::HIT));
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

/// Returns the trace as the steps that tables replay.
fn plain(trace: &[Known]) -> Vec<Step> {
    make_steps(&trace.iter().map(|(event, _)| *event).collect::<Vec<_>>())
}

#[test]
fn replay_counts_equal_a_plain_model() {
    let mut all = ReplayCounters::default();
    for seed in 1..20 {
        for (policy, prefers_depth) in [("always", false), ("depth-preferred", true)] {
            for slots in [1, 3, 8] {
                let trace = trace(seed, 20, 900);
                let options = TableOptions {
                    policy: Policy::from_name(policy).unwrap(),
                    size: Size::Entries(slots),
                    index: Index::Modulo,
                    ..TableOptions::default()
                };
                let (found, expected) =
                    (replay(&plain(&trace), &options).unwrap(), model(&trace, slots, prefers_depth));
                assert_eq!(found, expected, "{policy}, {slots} slots, seed {seed}");
                all += expected;
            }
        }
    }
    // A table of one slot may keep nothing. All tables together keep some of the cutoffs, and some
    // of their hits are too shallow.
    assert!(all.kept > 0, "{all:?}");
    assert!(all.kept < all.cuts, "{all:?}");
    assert!(all.deep < all.hits, "{all:?}");
}

/// Returns the best value of an objective that any table with this many buckets can reach: for each
/// set of keys that a bucket can contain after an event, the best value on the way to it.
fn by_all_ways(trace: &[Known], buckets: u64, slots: usize, goal: Objective) -> u64 {
    // The value of an event if its position is in the table, and whether the position may be
    // inserted at the event.
    let counts = |(event, known): &Known| match (goal, known) {
        (Objective::Hits, Some(_)) => u64::from(event.kind() == EventKind::Probe),
        (Objective::Cutoffs, Some(_)) => u64::from(is_cut(event)),
        (Objective::Worth, Some(depth)) => {
            if is_cut(event) {
                worth(*depth)
            } else {
                0
            }
        }
        (_, None) => 0,
    };
    let takes = |(event, known): &Known| {
        event.kind() == EventKind::Store || known.is_some() && (goal == Objective::Hits || is_cut(event))
    };
    let bucket = |of: u64| {
        // The keys in the bucket, as a bit set, with the best value.
        let mut ways: HashMap<u16, u64> = HashMap::from([(0, 0)]);
        for known @ (event, _) in trace {
            let kind = event.kind();
            match kind {
                EventKind::Search => continue,
                EventKind::Clear => ways = HashMap::from([(0, ways.values().copied().max().unwrap())]),
                _ if event.key % buckets != of => continue,
                _ => {}
            }
            if kind == EventKind::Clear {
                continue;
            }
            let own = 1 << event.key;
            let mut next: HashMap<u16, u64> = HashMap::new();
            for (held, had) in ways {
                let had = had + if held & own != 0 { counts(known) } else { 0 };
                let mut to = |held: u16| {
                    let best = next.entry(held).or_default();
                    *best = had.max(*best);
                };
                to(held);
                if takes(known) && held & own == 0 {
                    // It is inserted if there is room, or replaces any other key.
                    if held.count_ones() < slots as u32 {
                        to(held | own);
                    }
                    (0..16).map(|key| 1 << key).filter(|gone| held & gone != 0).for_each(|gone| to(held & !gone | own));
                }
            }
            ways = next;
        }
        ways.into_values().max().unwrap()
    };
    (0..buckets).map(bucket).sum()
}

/// A table and the clairvoyant policies.
struct Room {
    table: Box<dyn ReplayTable>,
    foresight: [Clairvoyant; 3],
    turns: u64,
}

impl ReplaySink for Room {
    fn begin_pass(&mut self, buckets: Range<u64>) -> Result<(), TableError> {
        self.table.clear();
        self.turns += 1;
        self.foresight.iter_mut().try_for_each(|one| one.begin_pass(buckets.clone()))
    }

    fn push(&mut self, steps: &[Step]) {
        self.table.replay_steps(steps);
        self.foresight.iter_mut().for_each(|one| one.push(steps));
    }

    fn end_pass(&mut self) {
        self.foresight.iter_mut().for_each(Clairvoyant::end_pass);
    }
}

const AIMS: [Objective; 3] = [Objective::Hits, Objective::Cutoffs, Objective::Worth];

#[test]
fn replay_in_passes_equals_replay_at_once() {
    for seed in 1..6 {
        let events: Vec<Event> = trace(seed, 60, 9000).into_iter().map(|(event, _)| event).collect();
        let mut writer = Writer::new(Cursor::new(Vec::new()));
        events.iter().for_each(|&event| writer.push(event));
        let file = writer.finish().unwrap().1.into_inner();
        let info = Info::read(&file[..]).unwrap();
        for (policy, slots) in [("always", 1), ("depth-age", 2), ("sieve", 2)] {
            let options = TableOptions {
                policy: Policy::from_name(policy).unwrap(),
                size: Size::Entries(14 * slots),
                slots: slots as u8,
                index: Index::Modulo,
                clock: TickSource::Search,
                ..TableOptions::default()
            };
            assert_eq!(buckets(&options, None).unwrap(), 14);
            let steps = make_steps(&events);
            for turns in [1, 3, 14] {
                let foresight = |aim| Clairvoyant::new(aim, &options, None).unwrap();
                let table = replay_table(&options, None).unwrap();
                let mut room = Room { table, foresight: AIMS.map(foresight), turns: 0 };
                let shape = Passes { count: turns, ..Passes::new(&info, options.index, 14, 1 << 30) };
                shape.run(|| Reader::new(&file[..]), &mut room).unwrap();
                assert_eq!(room.turns, turns);
                let output = format!("{policy}, {turns} turns, seed {seed}");
                assert_eq!(room.table.result(), replay(&steps, &options).unwrap(), "{output}");
                for (aim, one) in AIMS.into_iter().zip(&room.foresight) {
                    assert_eq!(one.total(), clairvoyant(&steps, &options, None, aim).unwrap(), "{aim:?}, {output}");
                }
            }
        }
    }
}

/// The replay uses as many passes as the memory requires. By hand: the hash map has a power of two
/// of places, at most 7/8 full, with 49 bytes each, and needs half as much again while it grows;
/// each probe takes 24 bytes.
#[test]
fn passes_are_as_few_as_fit() {
    let info = Info { events: 5000, peak_positions: 1000, peak_usable: 3000, ..Info::default() };
    let turns = |memory| Passes::new(&info, Index::Multiply, 600, memory).count;
    let (places, probes) = (2048 * 49 * 3 / 2, 3000 * 24);
    assert_eq!((turns(places + probes), turns(places + probes - 1)), (1, 2));
    assert_eq!(turns(1), 600, "a turn is at least a bucket");
    // A pass can't have more events than can be numbered.
    let long = Info { events: 5 << 31, ..info };
    assert_eq!(Passes::new(&long, Index::Multiply, 600, u64::MAX).count, 5);
}

/// The peak memory depends on the positions between two clears of the table, not on those of the
/// whole trace.
#[test]
fn known_positions_end_at_a_clear() {
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    for game in 0..3u64 {
        for key in 0..100 * (game + 1) {
            writer.push(Event::probe(key, 1, 0, 0, 0));
            writer.push(Event::probe(key, 1, 0, flags::HIT | flags::CUT, 0));
            writer.push(Event::probe(key, 1, 0, flags::WINDOW, 0));
            writer.push(Event::probe(key, 1, 0, flags::WINDOW | flags::PV, 0));
            if key % 2 == 0 {
                writer.push(stored(key, 1));
            }
        }
        writer.push(Event::clear(0));
    }
    let file = writer.finish().unwrap().1.into_inner();
    let info = Info::read(&file[..]).unwrap();
    assert_eq!((info.peak_positions, info.peak_usable, info.positions, info.probes), (300, 600, 150, 2400));
}

#[test]
fn clairvoyant_bound_is_the_best_of_all_choices() {
    let (mut less, mut cases) = (0, 0);
    for seed in 1..40 {
        let trace = trace(seed, 9, 250);
        // Wide buckets have many possible contents, so only a few such cases are tested.
        let wide: &[(u64, usize)] = if seed % 16 == 0 { &[(1, 5), (1, 6)] } else { &[] };
        for &(buckets, slots) in [(1, 1), (1, 2), (1, 3), (2, 2), (3, 1)].iter().chain(wide) {
            let options = TableOptions {
                size: Size::Entries(buckets * slots as u64),
                slots: slots as u8,
                index: Index::Modulo,
                ..TableOptions::default()
            };
            for goal in [Objective::Hits, Objective::Cutoffs, Objective::Worth] {
                let found = clairvoyant(&plain(&trace), &options, None, goal).unwrap();
                assert_eq!(
                    found,
                    by_all_ways(&trace, buckets, slots, goal),
                    "{goal:?}, {buckets} x {slots}, seed {seed}"
                );
                let replayed = replay(&plain(&trace), &options).unwrap();
                let had = match goal {
                    Objective::Hits => replayed.hits,
                    Objective::Cutoffs => replayed.kept,
                    Objective::Worth => replayed.worth_kept,
                };
                assert!(had <= found);
                (less, cases) = (less + u64::from(had < found), cases + 1);
            }
        }
    }
    assert!(less * 2 > cases, "foresight is mostly worth something: {less} of {cases}");
}
