//! Traces: recording changes nothing, a trace shown to its own table gives that table's counts, and no table beats foresight.

use proptest::prelude::*;
use std::io::Cursor;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use ttlab::chess::suite::{Suite, SuiteOptions};
use ttlab::chess::{Bound, Increments};
use ttlab::engine::{Engine, EngineOptions, Limit};
use ttlab::table::options::{Refresh, SameKey, Size};
use ttlab::table::policy::Policy;
use ttlab::table::replay::{Goal, clairvoyant, replay};
use ttlab::table::trace::{Event, Kind, Recorder, TraceError, Writer, read};
use ttlab::table::{Entry, TableCounters, TableKind, TableOptions, build};

/// Searches along a game with a table that stays, and the table's counters.
fn play(engine: &mut Engine) -> TableCounters {
    let suite = Suite::load(std::path::Path::new("data/games.pgn"), SuiteOptions::default()).unwrap();
    let mut total = TableCounters::default();
    for item in suite.items.iter().take(2) {
        engine.new_game();
        let mut boards = vec![item.board];
        for &mv in item.moves().iter().take(6) {
            let mut next = boards[boards.len() - 1];
            next.play(mv, Increments::none());
            boards.push(next);
        }
        for (ply, board) in boards.iter().enumerate() {
            let limit = Limit { depth: Some(4), nodes: None };
            let outcome = engine.search(board, &boards[..ply], limit, &AtomicBool::new(false), &mut |_| {});
            outcome.iterations.iter().for_each(|iteration| total += iteration.table);
        }
    }
    total
}

/// The same searches with and without a recorder, and the trace.
fn recorded(options: &EngineOptions) -> (TableCounters, TableCounters, Vec<Event>) {
    let plain = play(&mut Engine::new(options, None).unwrap());
    let writer = Arc::new(Mutex::new(Writer::new(Cursor::new(Vec::new()))));
    let table = build(&options.table, None, false).unwrap().unwrap();
    let mut engine = Engine::with_table(options, Box::new(Recorder::new(table, Arc::clone(&writer)))).unwrap();
    let watched = play(&mut engine);
    drop(engine);
    let (events, file) = Arc::into_inner(writer).unwrap().into_inner().unwrap().finish().unwrap();
    let trace = read(Cursor::new(file.into_inner())).unwrap();
    assert_eq!(events, trace.len() as u64);
    (plain, watched, trace)
}

#[test]
fn a_trace_shown_to_its_own_table_gives_its_own_counts() {
    for name in Policy::NAMES {
        for (slots, same_key, refresh) in [
            (1, SameKey::Replace, Refresh::Never),
            (4, SameKey::Deeper, Refresh::Match),
            (2, SameKey::Policy, Refresh::Cutoff),
        ] {
            let table = TableOptions {
                policy: Policy::named(name).unwrap(),
                size: Size::Entries(512),
                slots,
                same_key,
                refresh,
                ..TableOptions::default()
            };
            let options = EngineOptions { table, ..EngineOptions::default() };
            if options.table.check().is_err() || options.check().is_err() {
                continue;
            }
            let (plain, watched, trace) = recorded(&options);
            assert_eq!(plain, watched, "{name}: recording changed the search");
            let again = replay(&trace, &options.table, options.probe.answers_by_depth()).unwrap();
            assert!(again.evictions + again.rejections > 0, "{name}: no pressure, nothing was tested");
            assert_eq!(
                (again.probes, again.hits, again.stores, again.evictions, again.rejections),
                (plain.probes, plain.hits, plain.stores, plain.evictions, plain.rejections),
                "{name} with {slots} slots"
            );
            assert_eq!(again.kept, again.cuts, "{name}: each cutoff was of an entry that was there");

            for goal in [Goal::Hits, Goal::Cuts] {
                let best = clairvoyant(&trace, &options.table, goal).unwrap();
                let mine = if goal == Goal::Hits { again.hits } else { again.kept };
                assert!(best >= mine, "{name}: foresight has {best}, the policy {mine}");
            }
        }
    }
}

#[test]
fn a_table_without_a_bound_answers_all_that_is_known() {
    let (_, _, trace) = recorded(&EngineOptions::default());
    let options = TableOptions { kind: TableKind::Unbounded, ..TableOptions::default() };
    let all = replay(&trace, &options, false).unwrap();
    assert!(all.known > 0);
    assert_eq!((all.hits, all.kept), (all.known, all.cuts));
}

/// A trace of probes and stores of few keys, as a search makes it: what a probe knows is what was stored last.
fn small_trace(steps: &[(u8, u8)]) -> Vec<Event> {
    let entry = Entry { bound: Bound::Exact, depth: 3, ..Entry::default() };
    let mut offered = [false; 4];
    steps
        .iter()
        .map(|&(what, key)| {
            let seen = &mut offered[usize::from(key)];
            let (kind, entry) = match (what, *seen) {
                (0, _) => {
                    *seen = true;
                    (Kind::Store, entry)
                }
                (1, true) => (Kind::Cut, entry),
                (2, true) => (Kind::Hit, entry),
                (_, true) => (Kind::Miss, entry),
                (_, false) => (Kind::Miss, Entry::default()),
            };
            Event::new(kind, u64::from(key), 3, &entry)
        })
        .collect()
}

/// The most that can be had, by trying everything: after each event the bucket is any choice of at most `slots` of what it held and,
/// if the event's position was offered, of that.
fn by_trying(trace: &[Event], held: &[u64], slots: usize, goal: Goal) -> u64 {
    let Some((event, rest)) = trace.split_first() else { return 0 };
    let kind = event.kind().unwrap();
    let counts = match goal {
        Goal::Hits => kind.is_probe(),
        Goal::Cuts => kind == Kind::Cut,
    };
    let had = u64::from(counts && held.contains(&event.key));
    let mut offers = held.to_vec();
    if event.offers() && !offers.contains(&event.key) {
        offers.push(event.key);
    }
    // What a store brings is new: what was held of its key is worth the same.
    (0u32..1 << offers.len())
        .filter(|choice| choice.count_ones() as usize <= slots)
        .map(|choice| {
            let kept: Vec<u64> =
                (0..offers.len()).filter(|bit| choice >> bit & 1 == 1).map(|bit| offers[bit]).collect();
            by_trying(rest, &kept, slots, goal)
        })
        .max()
        .unwrap_or(0)
        + had
}

proptest! {
    #[test]
    fn foresight_is_the_best_of_all_choices(steps in prop::collection::vec((0u8..4, 0u8..4), 0..9), slots in 1u8..3) {
        let trace = small_trace(&steps);
        let options = TableOptions { size: Size::Entries(u64::from(slots)), slots, ..TableOptions::default() };
        for goal in [Goal::Hits, Goal::Cuts] {
            let wanted = by_trying(&trace, &[], usize::from(slots), goal);
            prop_assert_eq!(clairvoyant(&trace, &options, goal).unwrap(), wanted, "{:?} {:?}", goal, &trace);
        }
    }

    #[test]
    fn events_come_back_as_they_were_written(key: u64, depth: u8, asked: u8, score in -30_000i32..30_000, kind in 0usize..4) {
        let entry = Entry { bound: Bound::Lower, depth, score, ..Entry::default() };
        let kind = [Kind::Miss, Kind::Hit, Kind::Cut, Kind::Store][kind];
        let event = Event::new(kind, key, asked, &entry);
        prop_assert_eq!((event.kind(), event.key, event.asked()), (Some(kind), key, asked));
        let back = event.entry();
        prop_assert_eq!((back.bound, back.depth, back.score), (Bound::Lower, depth, score));
    }
}

#[test]
fn a_damaged_trace_is_refused() {
    let (_, _, trace) = recorded(&EngineOptions {
        table: TableOptions { size: Size::Entries(64), ..TableOptions::default() },
        ..EngineOptions::default()
    });
    assert!(trace.len() > 100);
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    trace[..3].iter().for_each(|&event| writer.push(event));
    let (_, file) = writer.finish().unwrap();
    let whole = file.into_inner();
    assert_eq!(whole.len(), 64);
    assert_eq!(read(Cursor::new(&whole)).unwrap(), trace[..3]);
    for cut in 0..whole.len() {
        let error = read(Cursor::new(&whole[..cut])).unwrap_err();
        assert_eq!(matches!(error, TraceError::NoTrace), cut < 16, "{cut}: {error}");
    }
    let mut longer = whole.clone();
    longer.push(0);
    assert!(matches!(read(Cursor::new(longer)), Err(TraceError::Length { .. })));
    let mut odd = whole;
    odd[16 + 8 + 2] |= 7 << 3;
    assert!(matches!(read(Cursor::new(odd)), Err(TraceError::Kind { event: 0 })));
}
