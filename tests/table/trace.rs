//! Tests of traces: recording changes nothing, replaying a trace on the table that it was recorded
//! with gives that table's counts, and no table beats the clairvoyant policy.

use proptest::prelude::*;
use std::collections::HashMap;
use std::io::Cursor;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use ttlab::internals::chess::suite::{Suite, SuiteOptions};
use ttlab::internals::chess::{Bound, Increments};
use ttlab::internals::engine::{Engine, EngineOptions, Limit, SearchProgress};
use ttlab::internals::table::options::{Demotion, Evaluations, Refresh, SameKey, Size, TickSource, Victim};
use ttlab::internals::table::policy::Policy;
use ttlab::internals::table::{TableCounters, TableKind, TableOptions, build};
use ttlab::internals::traces::replay::step::StepMaker;
use ttlab::internals::traces::replay::{
    DepthScale, Objective, ReplayCounters, Step, TracedGame, clairvoyant, find_games, make_steps, replay,
};
use ttlab::internals::traces::{
    Event, EventKind, Flaw, Format, Info, Reader, Recorder, TraceError, Writer, export_oracle_general, flags, import,
    read,
};

/// Searches positions of two games with a table that is kept between searches, and returns the
/// table's counters. `output` receives the search and iteration events.
fn play(engine: &mut Engine, output: &mut dyn FnMut(Event)) -> TableCounters {
    let suite = Suite::load(std::path::Path::new("../data/games.pgn"), SuiteOptions::default()).unwrap();
    let mut total = TableCounters::default();
    for item in suite.items.iter().take(2) {
        engine.new_game();
        let mut boards = vec![item.board];
        for &mv in item.moves().iter().take(6) {
            let mut next = boards[boards.len() - 1];
            next.play(mv, Increments::none());
            boards.push(next);
        }
        // Two consecutive searches, then a ply without one, so that clocks differ.
        for (ply, board) in boards.iter().enumerate().filter(|(ply, _)| ply % 3 != 2) {
            let limit = Limit { depth: Some(4), nodes: None };
            let bits = if ply == 0 { flags::GAME } else { 0 };
            let plies_since_last_search = match ply {
                0 => 0,
                ply if ply % 3 == 0 => 2,
                _ => 1,
            };
            output(Event::search(plies_since_last_search, bits, 0));
            let outcome = engine.search(board, &boards[..ply], limit, &AtomicBool::new(false), &mut |progress| {
                if let SearchProgress::Begin { .. } = progress {
                    output(Event::search(0, flags::ITERATION, 0));
                }
            });
            outcome.iterations.iter().for_each(|iteration| total += iteration.table);
        }
    }
    total
}

/// Runs the same searches without and with a recorder, and returns both counters and the trace.
fn record(options: &EngineOptions) -> (TableCounters, TableCounters, Vec<Event>) {
    let plain = play(&mut Engine::new(options, None).unwrap(), &mut |_| {});
    let writer = Arc::new(Mutex::new(Writer::new(Cursor::new(Vec::new()))));
    let table = build(&options.table, None, false).unwrap().unwrap();
    let mut engine = Engine::with_table(options, Box::new(Recorder::new(table, Arc::clone(&writer)))).unwrap();
    let watched = play(&mut engine, &mut |event| writer.lock().unwrap().push(event));
    drop(engine);
    let (events, file) = Arc::into_inner(writer).unwrap().into_inner().unwrap().finish().unwrap();
    let trace = read(Cursor::new(file.into_inner())).unwrap();
    assert_eq!(events, trace.len() as u64);
    (plain, watched, trace)
}

/// Checks that the counts of a table do not exceed those of the clairvoyant policy.
fn assert_within_bounds(steps: &[Step], options: &TableOptions, counts: &ReplayCounters) {
    for (goal, count) in
        [(Objective::Hits, counts.hits), (Objective::Cutoffs, counts.kept), (Objective::Worth, counts.worth_kept)]
    {
        let best = clairvoyant(steps, options, None, goal).unwrap();
        assert!(best >= count, "foresight has {best} of {goal:?}, the policy {count}: {options:?}");
    }
}

#[test]
fn replay_on_the_recording_table_reproduces_its_counts() {
    for name in Policy::NAMES {
        for (slots, same_key, refresh, clock) in [
            (1, SameKey::Replace, Refresh::Never, TickSource::Search),
            (4, SameKey::Deeper, Refresh::Match, TickSource::GamePly),
            (2, SameKey::Policy, Refresh::Cutoff, TickSource::Iteration),
            (3, SameKey::Guard, Refresh::Never, TickSource::Iteration),
        ] {
            let table = TableOptions {
                policy: Policy::from_name(name).unwrap(),
                size: Size::Entries(512),
                slots,
                same_key,
                refresh,
                clock,
                ..TableOptions::default()
            };
            let demotion = Demotion { refused: 1, missed: 1, from: 1, ..Demotion::default() };
            let with_demotion = TableOptions { victim: Victim::Probe, demotion, ..table.clone() };
            let table = if slots == 3 && with_demotion.check().is_ok() { with_demotion } else { table };
            let options = EngineOptions { table, ..EngineOptions::default() };
            if options.table.check().is_err() || options.check().is_err() {
                continue;
            }
            let (plain, watched, trace) = record(&options);
            assert_eq!(plain, watched, "{name}: recording changed the search");
            let steps = make_steps(&trace);
            let replayed = replay(&steps, &options.table).unwrap();
            assert!(replayed.evictions + replayed.rejections > 0, "{name}: no pressure, nothing was tested");
            assert_eq!(
                (replayed.probes, replayed.hits, replayed.stores, replayed.evictions, replayed.rejections),
                (plain.probes, plain.hits, plain.stores, plain.evictions, plain.rejections),
                "{name} with {slots} slots"
            );
            assert!(replayed.worth > replayed.cuts);
            assert_eq!(
                (replayed.kept, replayed.worth_kept),
                (replayed.cuts, replayed.worth),
                "{name}: each cutoff was of an entry that was there"
            );
            assert_within_bounds(&steps, &options.table, &replayed);
        }
    }
}

#[test]
fn unbounded_table_keeps_all_and_no_policy_beats_the_clairvoyant() {
    let unbounded = TableOptions { kind: TableKind::Unbounded, ..TableOptions::default() };
    let (_, _, trace) = record(&EngineOptions { table: unbounded.clone(), ..EngineOptions::default() });
    let steps = make_steps(&trace);
    let unbounded_counts = replay(&steps, &unbounded).unwrap();
    assert!(unbounded_counts.known > 0);
    assert_eq!(
        (unbounded_counts.hits, unbounded_counts.kept, unbounded_counts.worth_kept),
        (unbounded_counts.known, unbounded_counts.cuts, unbounded_counts.worth)
    );
    for slots in [1, 3, 8] {
        let mut least = u64::MAX;
        for name in Policy::NAMES {
            let policy = Policy::from_name(name).unwrap();
            let options = TableOptions { policy, slots, size: Size::Entries(240), ..TableOptions::default() };
            if options.check().is_ok() {
                let counts = replay(&steps, &options).unwrap();
                least = least.min(counts.worth_kept);
                assert_within_bounds(&steps, &options, &counts);
            }
        }
        let options = TableOptions { slots, size: Size::Entries(240), ..TableOptions::default() };
        let best = clairvoyant(&steps, &options, None, Objective::Worth).unwrap();
        assert!(least < best && best < unbounded_counts.worth, "no pressure, nothing was tested");
    }
}

/// What a probe can gain, computed from the events themselves.
#[derive(Clone, Copy, Default)]
struct Chance {
    /// Whether the position was stored since the table was last cleared.
    known: bool,
    /// Whether the last stored entry would end the node.
    usable: bool,
    /// The nodes of the search that produced the entry.
    worth: u64,
}

/// The possible gain of each event, computed by looking back over all events before it.
fn chances(trace: &[Event]) -> Vec<Chance> {
    (0..trace.len())
        .map(|index| {
            let event = trace[index];
            if event.kind() != EventKind::Probe {
                return Chance::default();
            }
            let is_of_key =
                |index: &usize, kind: EventKind| trace[*index].kind() == kind && trace[*index].key == event.key;
            let last_clear = trace[..index].iter().rposition(|event| event.kind() == EventKind::Clear);
            let first = last_clear.map_or(0, |clear| clear + 1);
            let last_store = (first..index).rev().find(|index| is_of_key(index, EventKind::Store));
            let Some(store_index) = last_store else { return Chance::default() };
            let store = trace[store_index];
            let mut in_same_search = (first..store_index)
                .rev()
                .take_while(|&index| trace[index].kind() != EventKind::Search || trace[index].has(flags::ITERATION));
            let probe_before_store = in_same_search.find(|index| is_of_key(index, EventKind::Probe));
            let worth = match probe_before_store {
                _ if store.has(flags::SUBTREE) => store.cost,
                Some(probe) => store.cost - trace[probe].cost,
                None => 1,
            };
            let fits = match store.bound() {
                Bound::Exact => true,
                Bound::Lower => store.value >= event.value,
                Bound::Upper => store.value < event.value,
                Bound::None => false,
            };
            let ends_node = event.has(flags::WINDOW) && !event.has(flags::PV) && store.depth >= event.depth && fits;
            Chance { known: true, usable: ends_node || event.has(flags::CUT), worth }
        })
        .collect()
}

/// The best possible value by exhaustive search. After each event the bucket may have any choice of
/// at most `slots` keys from its previous contents (`bucket`) and, if the event can insert it, the
/// event's key.
fn search_exhaustively(trace: &[(Event, Chance)], bucket: &[u64], slots: usize, goal: Objective) -> u64 {
    let Some(((event, chance), rest)) = trace.split_first() else { return 0 };
    let (counts, offers) = match (event.kind(), goal) {
        (EventKind::Clear, _) => return search_exhaustively(rest, &[], slots, goal),
        (EventKind::Search, _) => (false, false),
        (EventKind::Store, _) => (false, true),
        (EventKind::Probe, Objective::Hits) => (chance.known, chance.known),
        (EventKind::Probe, _) => (chance.usable, chance.usable),
    };
    let gain = match goal {
        _ if !counts || !bucket.contains(&event.key) => 0,
        Objective::Worth => chance.worth,
        _ => 1,
    };
    let mut candidates = bucket.to_vec();
    if offers && !candidates.contains(&event.key) {
        candidates.push(event.key);
    }
    // A choice has a bit for each candidate.
    let best_of_rest = (0u32..1 << candidates.len())
        .filter(|choice| choice.count_ones() as usize <= slots)
        .map(|choice| {
            let chosen: Vec<u64> =
                (0..candidates.len()).filter(|bit| choice >> bit & 1 == 1).map(|bit| candidates[bit]).collect();
            search_exhaustively(rest, &chosen, slots, goal)
        })
        .max();
    best_of_rest.unwrap_or(0) + gain
}

/// A random event with few keys: kind, key, depth, value, flags, additional nodes.
type Draw = (u8, u64, i16, i16, u8, u64);

fn any_draw() -> impl Strategy<Value = Draw> {
    (0u8..20, 0u64..4, -1i16..2, 0i16..3, any::<u8>(), 0u64..40)
}

/// A trace of such events that an engine could have written: a probe only cuts off its node if its
/// position was stored before.
fn small_trace(draws: &[Draw]) -> Vec<Event> {
    let mut offered = HashMap::new();
    let mut nodes = 0;
    draws
        .iter()
        .map(|&(kind, key, depth, value, bits, more_nodes)| {
            nodes += more_nodes;
            match kind {
                0..8 => {
                    offered.insert(key, ());
                    let bound = [Bound::Upper, Bound::Lower, Bound::Exact][usize::from(bits >> 6) % 3];
                    let mut bits = bits & (flags::PV | flags::MOVE | flags::SUBTREE) | Event::bound_bits(bound);
                    // Most stores have the node counter instead of the subtree's size.
                    if more_nodes % 4 != 0 {
                        bits &= !flags::SUBTREE;
                    }
                    Event::store(key, depth, value, bits, if bits & flags::SUBTREE != 0 { more_nodes } else { nodes })
                }
                8..18 => {
                    let cut = bits & flags::CUT != 0 && offered.contains_key(&key);
                    let bits = bits & (flags::PV | flags::WINDOW) | if cut { flags::CUT | flags::HIT } else { 0 };
                    Event::probe(key, depth, value, bits, nodes)
                }
                18 => Event::search(1, bits & flags::ITERATION, nodes),
                _ => {
                    offered.clear();
                    Event::clear(nodes)
                }
            }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn clairvoyant_bound_equals_exhaustive_search(draws in prop::collection::vec(any_draw(), 0..14), slots in 1u8..3) {
        let trace = small_trace(&draws);
        let events_and_chances: Vec<_> = trace.iter().copied().zip(chances(&trace)).collect();
        let options = TableOptions { size: Size::Entries(u64::from(slots)), slots, ..TableOptions::default() };
        let steps = make_steps(&trace);
        for goal in [Objective::Hits, Objective::Cutoffs, Objective::Worth] {
            let expected = search_exhaustively(&events_and_chances, &[], usize::from(slots), goal);
            prop_assert_eq!(clairvoyant(&steps, &options, None, goal).unwrap(), expected, "{:?} {:?}", goal, &trace);
        }
    }

    #[test]
    fn written_events_are_read_back(key: u64, high: u64, cost: u64, clock: u64, value: i16, depth: i16, mv: u16, thread: u8, flags: u8) {
        let wide = Format { wide: true, depth_parts: 100 };
        let event = Event { key, high, cost, clock, value, depth, mv, thread, flags };
        prop_assert_eq!(wide.decode(&bytes(wide, &event)), event);
        let (depth, cost) = (i16::from(depth as i8), u64::from(cost as u32));
        let event = Event { key, cost, value, depth, flags, ..Event::default() };
        prop_assert_eq!(Format::NARROW.decode(&bytes(Format::NARROW, &event)), event);
    }
}

/// An event as a file has it.
fn bytes(format: Format, event: &Event) -> Vec<u8> {
    let (words, count) = format.encode(event);
    words[..count].iter().flat_map(|word| word.to_le_bytes()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_policy_beats_the_clairvoyant(draws in prop::collection::vec(any_draw(), 50..300), turn in 0usize..7, slots in 1u8..9) {
        let trace = small_trace(&draws);
        let steps = make_steps(&trace);
        let chances = chances(&trace);
        for name in Policy::NAMES {
            let (same_key, guard) = crate::same_key_rules()[turn];
            let policy = Policy::from_name(name).unwrap();
            let size = Size::Entries(u64::from(slots.min(2)));
            let options = TableOptions { policy, same_key, guard, size, slots: slots.min(2), ..TableOptions::default() };
            if options.check().is_ok() {
                let counts = replay(&steps, &options).unwrap();
                let sum = |count: fn(&Chance) -> u64| chances.iter().map(count).sum::<u64>();
                prop_assert_eq!(counts.known, sum(|chance| u64::from(chance.known)));
                prop_assert_eq!(counts.cuts, sum(|chance| u64::from(chance.usable)));
                prop_assert_eq!(counts.worth, sum(|chance| if chance.usable { chance.worth } else { 0 }));
                assert_within_bounds(&steps, &options, &counts);
            }
        }
    }
}

/// The table has one slot. A store without a bound takes it if the option allows that, and then
/// answers probes without ending their nodes. It is dropped if its own position is in the slot. The
/// answers of an unbounded table (`known` and `cuts`) do not change.
#[test]
fn store_without_a_bound_takes_a_slot_and_ends_no_node() {
    let bound = Event::bound_bits(Bound::Lower) | flags::SUBTREE;
    let cut = |key| Event::probe(key, 3, 50, flags::WINDOW, 0);
    let trace = [
        Event::store(1, 5, 100, bound, 40),
        Event::store(1, 0, 0, flags::SUBTREE, 1),
        cut(1),
        Event::store(2, 0, 0, flags::SUBTREE, 1),
        cut(2),
        cut(1),
    ];
    let steps = make_steps(&trace);
    for (evaluations, [hits, kept, evictions, rejections]) in
        [(Evaluations::Evict, [2, 1, 1, 1]), (Evaluations::Empty, [2, 2, 0, 2]), (Evaluations::Refuse, [2, 2, 0, 2])]
    {
        let options = TableOptions { size: Size::Entries(1), evaluations, ..TableOptions::default() };
        let counts = replay(&steps, &options).unwrap();
        assert_eq!((counts.known, counts.cuts), (2, 2), "{evaluations:?}");
        assert_eq!(
            [counts.hits, counts.kept, counts.evictions, counts.rejections],
            [hits, kept, evictions, rejections]
        );
    }
}

/// Entries that a bucket of one slot can't all keep, worked out by hand.
#[test]
fn clairvoyant_by_worth_prefers_worth_to_number() {
    let exact = Event::bound_bits(Bound::Exact) | flags::SUBTREE;
    let store = |key, nodes| Event::store(key, 3, 0, exact, nodes);
    let cut = |key| Event::probe(key, 3, 0, flags::HIT | flags::CUT, 0);
    // The large entry is used once, at the end; the three small ones once each before that.
    let trace = [store(1, 100), store(2, 10), cut(2), store(3, 20), cut(3), store(4, 30), cut(4), cut(1)];
    let options = |slots: u8| TableOptions { slots, size: Size::Entries(u64::from(slots)), ..TableOptions::default() };
    let best = |slots, goal| clairvoyant(&make_steps(&trace), &options(slots), None, goal).unwrap();
    assert_eq!((best(1, Objective::Cutoffs), best(1, Objective::Worth)), (3, 100));
    assert_eq!((best(2, Objective::Cutoffs), best(2, Objective::Worth)), (4, 160));
}

/// The small trace file that is damaged below: three events and the end record.
fn small_file() -> (Vec<Event>, Vec<u8>) {
    let events = vec![
        Event::search(2, flags::GAME, 7),
        Event::probe(0x0123_4567_89ab_cdef, -3, -1000, flags::WINDOW | flags::HIT, 9),
        Event::store(u64::MAX, 12, 321, Event::bound_bits(Bound::Lower) | flags::MOVE, u32::MAX.into()),
    ];
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    events.iter().for_each(|&event| writer.push(event));
    let (_, file) = writer.finish().unwrap();
    (events, file.into_inner())
}

#[test]
fn damaged_trace_is_refused_with_its_byte_offset() {
    let (events, whole) = small_file();
    // As documented in docs/formats.md, byte by byte.
    let expected = [
        &b"ttlabtrc\x01\0\x02\x01\0\0\0\0"[..],
        b"\0\0\0\0\0\0\0\0\0\0\x02\x12\x07\0\0\0",
        b"\xef\xcd\xab\x89\x67\x45\x23\x01\x18\xfc\xfd\x60\x09\0\0\0",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\x41\x01\x0c\x29\xff\xff\xff\xff",
        b"\x03\0\0\0\0\0\0\0\xf5\xb6\x5b\xff\xff\xff\xff\xff",
    ]
    .concat();
    assert_eq!(whole, expected);
    assert_eq!(read(Cursor::new(&whole)).unwrap(), events);
    for cut in 0..whole.len() {
        let error = read(Cursor::new(&whole[..cut])).unwrap_err();
        match error {
            TraceError::NotATrace => assert!(cut < 8),
            TraceError::Truncated { offset, events } => {
                assert_eq!((offset, events), (cut as u64, (cut as u64 / 16).saturating_sub(1)));
            }
            other => panic!("{cut}: {other}"),
        }
    }
    let damaged = |offset: usize, byte: u8| {
        let mut file = whole.clone();
        file[offset] = byte;
        read(Cursor::new(file)).unwrap_err()
    };
    assert!(matches!(damaged(0, b'T'), TraceError::NotATrace));
    assert!(matches!(damaged(8, 3), TraceError::Version { found: 3 }));
    assert!(matches!(damaged(10, 9), TraceError::ByteOrder));
    assert!(matches!(damaged(12, 1), TraceError::Head { wide: false }));
    let mut big_endian = whole.clone();
    big_endian[8..12].copy_from_slice(&[0, 1, 1, 2]);
    assert!(matches!(read(Cursor::new(big_endian)), Err(TraceError::ByteOrder)));
    let assert_impossible = |offset: usize, byte: u8, event: u64, flaw: Flaw| match damaged(offset, byte) {
        TraceError::Impossible { offset: found_offset, event: found_event, flaw: found_flaw } => {
            assert_eq!((found_offset, found_event, found_flaw), (16 * (event + 1), event, flaw));
        }
        other => panic!("byte {offset}: {other}"),
    };
    assert_impossible(27, 0x52, 0, Flaw::Flags("a search"));
    assert_impossible(26, 0x80, 0, Flaw::Fields("a search"));
    assert_impossible(27, 0x03, 0, Flaw::Fields("a clear"));
    assert_impossible(27, 0x07, 0, Flaw::Flags("a clear"));
    assert_impossible(43, 0x64, 1, Flaw::ProbeWithBound);
    assert_impossible(43, 0xa0, 1, Flaw::CutWithoutHit);
    assert_impossible(59, 0xa9, 2, Flaw::Flags("a store"));
    assert!(matches!(damaged(64, 2), TraceError::Count { offset: 64, declared: 2, found: 3 }));
    // Any flipped bit is detected. A file without a checksum is only accepted if its end record
    // says that there is none.
    for bit in 128..8 * whole.len() {
        let mut file = whole.clone();
        file[bit / 8] ^= 1 << (bit % 8);
        assert!(read(Cursor::new(file)).is_err(), "bit {bit}");
    }
    assert!(matches!(damaged(49, 0), TraceError::Damaged { offset: 64, events: 3 }));
    let mut unchecked = whole.clone();
    unchecked[72..75].fill(0);
    assert_eq!(read(Cursor::new(unchecked)).unwrap(), events);
    let mut longer = whole.clone();
    longer.push(0);
    assert!(matches!(read(Cursor::new(longer)), Err(TraceError::TrailingBytes { offset: 80 })));
}

/// A wide file is written byte by byte as docs/formats.md describes it. No byte may change, and no
/// part may be missing.
#[test]
fn wide_trace_is_written_as_documented_and_refused_when_damaged() {
    let format = Format { wide: true, depth_parts: 100 };
    let bits = Event::bound_bits(Bound::Lower) | flags::MOVE;
    let store = Event::store(0x0102_0304_0506_0708, -250, 321, bits, 1 << 40);
    let events = [Event { high: 9, clock: 5, mv: 0x7abc, thread: 3, ..store }];
    let mut writer = Writer::with_format(Vec::new(), format);
    events.iter().for_each(|&event| writer.push(event));
    let (_, whole) = writer.finish().unwrap();
    let expected = [
        &b"ttlabtrc\x02\0\x02\x01\x64\0\0\0"[..],
        &[0; 24],
        b"\x08\x07\x06\x05\x04\x03\x02\x01\x09\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\x05\0\0\0\0\0\0\0\x41\x01\x06\xff\xbc\x7a\x03\x29",
        b"\x01\0\0\0\0\0\0\0",
    ]
    .concat();
    assert_eq!(whole[..expected.len()], expected);
    assert_eq!(whole[expected.len() + 8..], *b"\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x03\xff");
    assert_eq!(read(&whole[..]).unwrap(), events);
    assert_eq!(Reader::new(&whole[..]).unwrap().format(), format);
    for cut in 8..whole.len() {
        let events = (cut as u64 / 40).saturating_sub(1);
        let error = read(&whole[..cut]).unwrap_err();
        assert!(
            matches!(error, TraceError::Truncated { offset, events: found } if (offset, found) == (cut as u64, events)),
            "{cut}: {error}"
        );
    }
    for bit in 0..8 * whole.len() {
        let mut file = whole.clone();
        file[bit / 8] ^= 1 << (bit % 8);
        // Another unit of depths is another trace, undamaged.
        assert!((96..112).contains(&bit) || read(&file[..]).is_err(), "bit {bit}");
    }
    let read_with_parts = |parts: u16| {
        let mut file = whole.clone();
        file[12..14].copy_from_slice(&parts.to_le_bytes());
        read(&file[..]).map_err(|error| error.to_string())
    };
    let refused = "byte 12: the header is damaged: expected 1 to 1000 parts of a depth unit, then zeros";
    for (count, is_allowed) in [(0, false), (1, true), (1000, true), (1001, false)] {
        assert_eq!(read_with_parts(count).err().as_deref(), if is_allowed { None } else { Some(refused) }, "{count}");
    }
    let mut probe = Writer::with_format(Vec::new(), format);
    probe.push(Event { mv: 7, ..Event::probe(1, 2, 0, 0, 3) });
    let refused = read(&probe.finish().unwrap().1[..]).unwrap_err().to_string();
    assert_eq!(refused, "byte 40: event 0 is invalid: the move 7 without the flag that there is a move: expected 0");
}

/// Costs exceed 2^32, and each thread has its own; parts of a ply decide whether a node ends; the
/// high half of a key distinguishes positions that a table confuses.
#[test]
fn replay_uses_all_fields_of_wide_events() {
    let exact = Event::bound_bits(Bound::Exact);
    let probe = |key, depth, cost| Event::probe(key, depth, 0, flags::WINDOW, cost);
    let on_thread = |thread, event| Event { thread, ..event };
    let steps = |trace: &[Event], parts: u16| {
        let mut maker = StepMaker::new(DepthScale::new(parts, -100));
        trace.iter().map(|event| maker.make_step(event).unwrap()).collect::<Vec<_>>()
    };
    let big = 1 << 34;
    let trace = [
        on_thread(0, probe(1, 2, 10)),
        on_thread(1, probe(1, 2, 500)),
        on_thread(1, Event::store(1, 2, 0, exact, 500 + big)),
        on_thread(0, probe(2, 2, 20)),
        on_thread(1, Event::search(0, 0, 500 + big)),
        on_thread(0, Event::store(2, 2, 0, exact, 50)),
        on_thread(1, Event::store(2, 2, 0, exact, 900)),
    ];
    let steps_of_threads = steps(&trace, 1);
    let worths: Vec<u64> = [2, 5, 6].iter().map(|&index: &usize| steps_of_threads[index].worth).collect();
    // A search of a helper thread ends only its own last search, and does not advance the clock.
    assert_eq!(worths, [big, 30, 1]);
    assert_eq!(
        [0, 1].map(|thread| make_steps(&[on_thread(thread, Event::search(3, 0, 0))])[0].ticks(TickSource::GamePly)),
        [3, 0]
    );

    for (node_depth, ends) in
        [(529, true), (530, true), (531, false), (599, false), (600, false), (430, true), (-70, true)]
    {
        let trace = [Event::store(1, 530, 0, exact, 1), probe(1, node_depth, 2)];
        let step = steps(&trace, 100)[1];
        assert_eq!((step.is_usable(), step.ends_node(6, &step.entry())), (ends, ends), "{node_depth}");
    }
    let clipped = |depth| DepthScale::new(100, -150).is_clipped(depth);
    assert_eq!([25_399, 25_400].map(clipped), [false, true]);

    let high = |high, event| Event { high, ..event };
    let steps_of_wide_keys =
        steps(&[high(1, Event::store(7, 2, 0, exact, 1)), high(2, probe(7, 2, 2)), high(1, probe(7, 2, 3))], 1);
    assert_eq!(steps_of_wide_keys.iter().map(Step::is_known).collect::<Vec<_>>(), [false, false, true]);
    assert!(steps_of_wide_keys.iter().all(|step| step.key == 7), "tables go by the low half");
}

/// Whether the move that was offered last is kept depends on the table's own rule.
#[test]
fn moves_kept_are_those_offered_last() {
    let bits = Event::bound_bits(Bound::Lower);
    let store = |key, mv| Event { mv, ..Event::store(key, 3, 0, if mv > 0 { bits | flags::MOVE } else { bits }, 1) };
    let probe = |key| Event::probe(key, 9, 0, 0, 1);
    let trace = [
        probe(1),
        store(1, 5),
        probe(1),
        store(1, 0),
        probe(1),
        store(1, 6),
        probe(1),
        store(2, 8),
        probe(1),
        probe(2),
    ];
    for (keep_move, kept) in [(false, 3), (true, 4)] {
        let options = TableOptions { size: Size::Entries(1), keep_move, ..TableOptions::default() };
        let counts = replay(&make_steps(&trace), &options).unwrap();
        assert_eq!((counts.moves, counts.moves_kept), (5, kept), "keep_move = {keep_move}");
    }
    let counts = replay(&make_steps(&[store(1, 0x7fff), probe(1)]), &TableOptions::default()).unwrap();
    assert_eq!((counts.moves, counts.moves_kept), (1, 1));
}

/// Each game has the trace's parts of a ply, its own moves, and positions by all bits of the key.
#[test]
fn games_count_moves_and_positions_in_the_parts_of_their_trace() {
    let exact = Event::bound_bits(Bound::Exact);
    let store = |key, high, cost| Event { high, ..Event::store(key, 250, 0, exact, cost) };
    let mut writer = Writer::with_format(Vec::new(), Format { wide: true, depth_parts: 100 });
    let with_move = Event { mv: 5, flags: store(7, 1, 1).flags | flags::MOVE, ..store(7, 1, 1) };
    for event in [with_move, store(7, 2, 2), Event::clear(2), Event::search(0, flags::GAME, 2), store(7, 2, 3)] {
        writer.push(event);
    }
    let games = find_games(&writer.finish().unwrap().1[..]).unwrap();
    let counts = games.iter().map(|game| (game.info.depth_parts, game.info.moves, game.info.positions));
    assert_eq!(counts.collect::<Vec<_>>(), [(100, 1, 2), (100, 0, 1)]);
}

#[test]
fn formats_join_only_with_the_same_parts_of_a_ply() {
    let [plies, hundredths] = [1, 100].map(|depth_parts| Format { wide: true, depth_parts });
    for (one, other, joined) in [
        (plies, Format::NARROW, Some(plies)),
        (Format::NARROW, plies, Some(plies)),
        (hundredths, hundredths, Some(hundredths)),
        (hundredths, plies, None),
        (Format::NARROW, hundredths, None),
    ] {
        assert_eq!(one.join(other), joined, "{one:?} {other:?}");
    }
}

/// A file that is read in small pieces, with interrupted reads between them, is read completely.
#[test]
fn trace_is_read_through_short_and_interrupted_reads() {
    struct Halting<'a>(&'a [u8], usize);
    impl std::io::Read for Halting<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 += 1;
            if self.1.is_multiple_of(2) {
                return Err(std::io::ErrorKind::Interrupted.into());
            }
            let piece = buffer.len().min(self.1 % 5 + 1);
            std::io::Read::read(&mut self.0, &mut buffer[..piece])
        }
    }
    let (events, whole) = small_file();
    assert_eq!(read(Halting(&whole, 0)).unwrap(), events);
}

#[test]
fn truncated_trace_is_repaired_and_joined() {
    let (events, whole) = small_file();
    let join = |files: &[&[u8]], repair: bool| {
        let mut writer = Writer::new(Cursor::new(Vec::new()));
        let mut cut = None;
        for (index, file) in files.iter().enumerate() {
            cut = import(*file, &mut writer, index == 0, repair)?.intact_bytes;
        }
        Ok::<_, TraceError>((cut, read(Cursor::new(writer.finish().unwrap().1.into_inner())).unwrap()))
    };
    assert!(matches!(join(&[&whole[..55]], false), Err(TraceError::Truncated { offset: 55, events: 2 })));
    assert_eq!(join(&[&whole[..55]], true).unwrap(), (Some(48), events[..2].to_vec()));
    let (cut, mut joined) = join(&[&whole, &whole], false).unwrap();
    // The total falls by more than 2^31 at the join, so it is taken to have passed 2^32.
    joined.iter_mut().for_each(|event| event.cost &= u64::from(u32::MAX));
    assert_eq!((cut, joined.len()), (None, 8));
    assert_eq!(
        (&joined[..3], joined[3].kind(), joined[4].has(flags::GAME), &joined[5..]),
        (&events[..], EventKind::Clear, true, &events[..])
    );
}

#[test]
fn trace_contents_are_counted() {
    let (_, _, trace) = record(&EngineOptions::default());
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    trace.iter().for_each(|&event| writer.push(event));
    let info = Info::read(Cursor::new(writer.finish().unwrap().1.into_inner())).unwrap();
    let count = |is_counted: &dyn Fn(&Event) -> bool| trace.iter().filter(|event| is_counted(event)).count() as u64;
    assert_eq!(info.events, trace.len() as u64);
    assert_eq!((info.games, info.searches, info.iterations), (2, 10, 40));
    assert_eq!(info.stores, count(&|event| event.kind() == EventKind::Store));
    assert_eq!(info.cuts, count(&|event| event.kind() == EventKind::Probe && event.has(flags::CUT)));
    assert_eq!(info.hits, count(&|event| event.kind() == EventKind::Probe && event.has(flags::HIT)));
    assert_eq!(info.window_probes, count(&|event| event.kind() == EventKind::Probe && event.has(flags::WINDOW)));
    let depths = || {
        trace
            .iter()
            .filter(|event| matches!(event.kind(), EventKind::Probe | EventKind::Store))
            .map(|event| event.depth)
    };
    assert_eq!((Some(info.min_depth), Some(info.max_depth)), (depths().min(), depths().max()));
    let keys: std::collections::HashSet<u64> =
        trace.iter().filter(|event| event.kind() == EventKind::Store).map(|event| event.key).collect();
    assert_eq!((info.positions, info.estimated), (keys.len() as u64, false));
    assert!(info.has_worth());
    // A cutoff is only recorded for a probe that hit, not for a miss or a store.
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    for event in [Event::probe(7, 3, 0, flags::HIT, 1), Event::probe(7, 3, 0, 0, 2), Event::clear(3)] {
        writer.push(event);
        writer.mark_cutoff();
    }
    let info_of_three = Info::read(Cursor::new(writer.finish().unwrap().1.into_inner())).unwrap();
    assert_eq!((info_of_three.probes, info_of_three.hits, info_of_three.cuts), (2, 1, 1));
    // Each game is a range of the file's events.
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    trace.iter().for_each(|&event| writer.push(event));
    let file = writer.finish().unwrap().1.into_inner();
    let games = find_games(&file[..]).unwrap();
    let is_first_search = |event: &Event| event.kind() == EventKind::Search && event.has(flags::GAME);
    let first_search = trace.iter().rposition(is_first_search).unwrap();
    // A game begins where the table is cleared for it or with its first search, whichever comes
    // first.
    let second_game = first_search - usize::from(trace[first_search - 1].kind() == EventKind::Clear);
    assert_eq!(
        games.iter().map(TracedGame::events).collect::<Vec<_>>(),
        [0..second_game as u64, second_game as u64..info.events]
    );
    assert_eq!(games.iter().map(|game| game.info.nodes).sum::<u64>(), info.nodes);
    for game in &games {
        let events = game.events();
        let mut part = Vec::new();
        let mut reader = Reader::range(Cursor::new(&file), events.clone()).unwrap();
        reader.for_each(|event| part.push(*event)).unwrap();
        assert_eq!(part, trace[events.start as usize..events.end as usize]);
        let keys = part.iter().filter(|event| event.kind() == EventKind::Store).map(|event| event.key);
        assert_eq!(game.info.positions, keys.collect::<std::collections::HashSet<_>>().len() as u64);
    }
    // Nodes, by hand: a counter that continues, one that restarts with a search, and one that
    // passes 2^32 in between.
    let nodes = |totals: &[u32], end: u32| {
        let mut writer = Writer::new(Cursor::new(Vec::new()));
        totals.iter().for_each(|&nodes| writer.push(Event::probe(7, 3, 0, 0, nodes.into())));
        writer.push(Event::clear(end.into()));
        Info::read(Cursor::new(writer.finish().unwrap().1.into_inner())).unwrap().nodes
    };
    assert_eq!(nodes(&[10, 40, 100], 100), 100);
    assert_eq!(nodes(&[10, 40, 100, 5, 30], 30), 130);
    assert_eq!(nodes(&[1 << 31, u32::MAX - 9, 20], 20), (1 << 32) + 20);
}

/// Checks the next request of each exported request.
#[test]
fn exported_requests_have_their_next_request() {
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    let key = |request: u64| (request * request % 1009).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let store = |request: u64| Event::store(key(request), 1, 0, Event::bound_bits(Bound::Exact), request);
    (0..40_000).for_each(|request| writer.push(store(request)));
    let file = writer.finish().unwrap().1.into_inner();
    let mut next: HashMap<u64, i64> = HashMap::new();
    let mut expected: Vec<[u8; 24]> = Vec::new();
    for request in (0..40_000u64).rev() {
        let next_request = next.insert(key(request), request as i64).unwrap_or(-1);
        let (number, id, size) = ((request as u32).to_le_bytes(), key(request).to_le_bytes(), 1_u32.to_le_bytes());
        let fields = [&number[..], &id, &size, &next_request.to_le_bytes()];
        expected.push(fields.concat().try_into().unwrap());
    }
    expected.reverse();
    let mut to = Cursor::new(Vec::new());
    let exported = export_oracle_general(&file[..], &mut to).unwrap();
    assert_eq!((exported.requests, exported.ids), (40_000, next.len() as u64));
    assert!(to.into_inner() == expected.concat());
}
