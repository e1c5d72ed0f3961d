//! Replays generated traces on tables. Compares every count with a plain model of the table, and
//! the clairvoyant policy with the best of all possible choices, computed by dynamic programming
//! over the possible contents of each bucket.

use std::collections::HashMap;
use std::io::Cursor;
use ttlab::internals::chess::Bound;
use ttlab::internals::table::TableOptions;
use ttlab::internals::table::options::{Index, Size, TickSource};
use ttlab::internals::table::policy::Policy;
use ttlab::internals::traces::replay::{
    Clairvoyant, DepthScale, Objective, ReplayCounters, Step, clairvoyant, make_steps, read_steps, replay, replay_table,
};
use ttlab::internals::traces::{Event, EventKind, Info, Reader, TraceError, Writer, flags};

/// Pseudo-random numbers, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// An event, and the depth of the last store of its key, if any.
type EventAndDepth = (Event, Option<u8>);

fn is_cut(event: &Event) -> bool {
    event.kind() == EventKind::Probe && event.has(flags::CUT)
}

/// The node count of an entry. It grows with the square of the depth, so that the total worth isn't
/// proportional to the number of cutoffs.
fn worth(depth: u8) -> u64 {
    1 + 7 * u64::from(depth) * u64::from(depth)
}

fn store_event(key: u64, depth: u8) -> Event {
    let bits = Event::bound_bits(Bound::Lower) | flags::SUBTREE;
    Event::store(key, depth.into(), 0, bits, worth(depth))
}

/// A random trace. Some keys are much more frequent than others. Each event comes with the depth of
/// the last store of its key.
fn trace(seed: u64, keys: u64, len: usize) -> Vec<EventAndDepth> {
    let mut random = Random(seed);
    let mut offered: HashMap<u64, u8> = HashMap::new();
    let mut trace = Vec::new();
    for index in 0..len {
        // Which keys are frequent changes over time.
        let key = (random.below(keys).min(random.below(keys)) + index as u64 / 50) % keys;
        let depth = random.below(6) as u8;
        let last_depth = offered.get(&key).copied();
        let event = match random.below(if index % 60 == 59 { 101 } else { 100 }) {
            100 => {
                offered.clear();
                Event::clear(0)
            }
            98.. => Event::search(1, 0, 0),
            0..40 => {
                offered.insert(key, depth);
                store_event(key, depth)
            }
            draw => match (last_depth, draw % 3) {
                (None, _) | (Some(_), 0) => Event::probe(key, depth.into(), 0, 0, 0),
                (Some(_), 1) => Event::probe(key, depth.into(), 0, flags::HIT, 0),
                // The entry of a cutoff was deep enough.
                (Some(last_depth), _) => Event::probe(key, last_depth.into(), 0, flags::HIT | flags::CUT, 0),
            },
        };
        trace.push((event, last_depth));
    }
    trace
}

/// A direct-mapped table that is indexed by the remainder, with the policy's definition.
fn model(trace: &[EventAndDepth], slots: u64, prefers_depth: bool) -> ReplayCounters {
    let mut stored: Vec<Option<(u64, u8)>> = vec![None; slots as usize];
    let mut count = ReplayCounters::default();
    let store = |stored: &mut Vec<Option<(u64, u8)>>, count: &mut ReplayCounters, key: u64, depth: u8| {
        count.stores += 1;
        let slot = &mut stored[(key % slots) as usize];
        match *slot {
            Some((old, _)) if old == key => {}
            Some((_, stored_depth)) if prefers_depth && depth < stored_depth => {
                count.rejections += 1;
                return;
            }
            Some(_) => count.evictions += 1,
            None => {}
        }
        *slot = Some((key, depth));
    };
    for (event, last_depth) in trace {
        let (key, depth_of_event) = (event.key, event.depth as u8);
        match event.kind() {
            EventKind::Search => {}
            EventKind::Clear => stored.fill(None),
            EventKind::Store => store(&mut stored, &mut count, key, depth_of_event),
            EventKind::Probe => {
                count.probes += 1;
                count.known += u64::from(last_depth.is_some());
                let answer = stored[(key % slots) as usize].filter(|(stored_key, _)| *stored_key == key);
                let is_deep = answer.is_some_and(|(_, stored_depth)| stored_depth >= depth_of_event);
                count.hits += u64::from(answer.is_some());
                count.otherwise += u64::from(answer.is_some() != event.has(flags::HIT));
                count.deep += u64::from(is_deep);
                if let (true, Some(depth)) = (is_cut(event), *last_depth) {
                    count.cuts += 1;
                    count.kept += u64::from(is_deep);
                    count.worth += worth(depth);
                    count.worth_kept += if is_deep { worth(depth) } else { 0 };
                    if !is_deep {
                        store(&mut stored, &mut count, key, depth);
                    }
                }
            }
        }
    }
    count
}

/// The trace as the steps that tables replay.
fn steps_of(trace: &[EventAndDepth]) -> Vec<Step> {
    make_steps(&trace.iter().map(|(event, _)| *event).collect::<Vec<_>>())
}

#[test]
fn replay_counts_equal_a_plain_model() {
    let mut totals = ReplayCounters::default();
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
                let (counts, expected) =
                    (replay(&steps_of(&trace), &options).unwrap(), model(&trace, slots, prefers_depth));
                assert_eq!(counts, expected, "{policy}, {slots} slots, seed {seed}");
                totals += expected;
            }
        }
    }
    // A table of one slot may keep nothing. All tables together keep some of the cutoffs, and some
    // of their hits are too shallow.
    assert!(totals.kept > 0, "{totals:?}");
    assert!(totals.kept < totals.cuts, "{totals:?}");
    assert!(totals.deep < totals.hits, "{totals:?}");
}

/// The best value of an objective that any table with this many buckets can reach, by dynamic
/// programming: for each set of keys that a bucket can contain after an event, the best value with
/// which it can be reached.
fn best_by_dynamic_programming(trace: &[EventAndDepth], buckets: u64, slots: usize, goal: Objective) -> u64 {
    // The value of an event if its position is in the table.
    let value_of = |(event, last_depth): &EventAndDepth| match (goal, last_depth) {
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
    // Whether the position of an event may be inserted.
    let may_insert = |(event, last_depth): &EventAndDepth| {
        event.kind() == EventKind::Store || last_depth.is_some() && (goal == Objective::Hits || is_cut(event))
    };
    let best_of_bucket = |bucket: u64| {
        // The best value for each set of keys that the bucket may contain; sets are bit sets.
        let mut best_values: HashMap<u16, u64> = HashMap::from([(0, 0)]);
        for event_and_depth @ (event, _) in trace {
            match event.kind() {
                EventKind::Search => continue,
                EventKind::Clear => {
                    best_values = HashMap::from([(0, best_values.values().copied().max().unwrap())]);
                    continue;
                }
                _ if event.key % buckets != bucket => continue,
                _ => {}
            }
            let key_bit = 1 << event.key;
            let mut next: HashMap<u16, u64> = HashMap::new();
            for (keys, value) in best_values {
                let value = value + if keys & key_bit != 0 { value_of(event_and_depth) } else { 0 };
                let mut reach = |keys: u16| {
                    let best = next.entry(keys).or_default();
                    *best = value.max(*best);
                };
                reach(keys);
                if may_insert(event_and_depth) && keys & key_bit == 0 {
                    // It is inserted if there is room, or replaces any other key.
                    if keys.count_ones() < slots as u32 {
                        reach(keys | key_bit);
                    }
                    let bits = (0..16).map(|key| 1 << key);
                    bits.filter(|bit| keys & bit != 0).for_each(|evicted| reach(keys & !evicted | key_bit));
                }
            }
            best_values = next;
        }
        best_values.into_values().max().unwrap()
    };
    (0..buckets).map(best_of_bucket).sum()
}

const OBJECTIVES: [Objective; 3] = [Objective::Hits, Objective::Cutoffs, Objective::Worth];

#[test]
fn replay_of_a_file_equals_replay_of_its_events() {
    for seed in 1..6 {
        let events: Vec<Event> = trace(seed, 60, 9000).into_iter().map(|(event, _)| event).collect();
        let mut writer = Writer::new(Cursor::new(Vec::new()));
        events.iter().for_each(|&event| writer.push(event));
        let file = writer.finish().unwrap().1.into_inner();
        let info = Info::read(&file[..]).unwrap();
        let depths = DepthScale::new(info.depth_parts, info.min_depth);
        for (policy, slots) in [("always", 1), ("depth-age", 2)] {
            let options = TableOptions {
                policy: Policy::from_name(policy).unwrap(),
                size: Size::Entries(14 * slots),
                slots: slots as u8,
                index: Index::Modulo,
                clock: TickSource::Search,
                ..TableOptions::default()
            };
            let steps = make_steps(&events);
            let mut bounds = OBJECTIVES.map(|objective| Clairvoyant::new(objective, &options, None).unwrap());
            let mut table = replay_table(&options, None).unwrap();
            read_steps(Reader::new(&file[..]).unwrap(), &info, depths, |chunk| {
                table.replay_steps(chunk);
                bounds.iter_mut().for_each(|bound| bound.push(chunk));
            })
            .unwrap();
            assert_eq!(table.result(), replay(&steps, &options).unwrap(), "{policy}, seed {seed}");
            for (objective, bound) in OBJECTIVES.into_iter().zip(&mut bounds) {
                let expected = clairvoyant(&steps, &options, None, objective).unwrap();
                assert_eq!(bound.total(), expected, "{objective:?}, {policy}, seed {seed}");
            }
        }
    }
}

/// By hand: the number of slots of the hash map is a power of two, at most 7/8 full; each slot
/// takes 49 bytes, and half as much again while the map grows. Each probe takes 24 bytes.
#[test]
fn trace_that_does_not_fit_into_memory_is_refused() {
    let file = Writer::new(Vec::new()).finish().unwrap().1;
    let read = |info: &Info| {
        read_steps(Reader::new(&file[..]).unwrap(), info, DepthScale::new(1, 0), |_| ()).map_err(|error| match error {
            TraceError::Memory { needed, .. } => needed,
            TraceError::TooManyEvents => 0,
            error => panic!("{error}"),
        })
    };
    let info = Info { events: u64::from(u32::MAX), peak_positions: 1000, peak_usable: 3000, ..Info::default() };
    assert_eq!(read(&info), Ok(()));
    assert_eq!(read(&Info { peak_positions: 7 << 47, ..info.clone() }), Err((1 << 50) * 49 * 3 / 2 + 3000 * 24));
    assert_eq!(read(&Info { events: 1 << 32, ..info }), Err(0));
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
                writer.push(store_event(key, 1));
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
    let (mut cases_below_bound, mut cases) = (0, 0);
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
                let bound = clairvoyant(&steps_of(&trace), &options, None, goal).unwrap();
                assert_eq!(
                    bound,
                    best_by_dynamic_programming(&trace, buckets, slots, goal),
                    "{goal:?}, {buckets} x {slots}, seed {seed}"
                );
                let replayed = replay(&steps_of(&trace), &options).unwrap();
                let reached = match goal {
                    Objective::Hits => replayed.hits,
                    Objective::Cutoffs => replayed.kept,
                    Objective::Worth => replayed.worth_kept,
                };
                assert!(reached <= bound);
                cases_below_bound += u64::from(reached < bound);
                cases += 1;
            }
        }
    }
    assert!(cases_below_bound * 2 > cases, "foresight is mostly worth something: {cases_below_bound} of {cases}");
}
