//! Fuzz target: any bytes are read as a trace or refused. A trace is replayed on tables, and the
//! clairvoyant policy is never worse than any other.

use std::io::Cursor;
use ttlab::internals::chess::Bound;
use ttlab::internals::table::TableOptions;
use ttlab::internals::table::options::Size;
use ttlab::internals::table::policy::Policy;
use ttlab::internals::traces::replay::{DepthScale, Objective, Step, clairvoyant, find_games, read_steps, replay};
use ttlab::internals::traces::{Event, EventKind, Format, Info, Reader, Writer, export_oracle_general, import, read};

/// Tests one input.
pub fn run(data: &[u8]) {
    let Some((first, bytes)) = data.split_first() else { return };
    // The bytes are either a whole file, or the events of a valid file, so that the fuzzer reaches
    // the events without guessing a header.
    let format = match first {
        0 => Some(Format::NARROW),
        1 => Some(Format { wide: true, depth_parts: 7 }),
        _ => None,
    };
    let file = match format {
        Some(format) => {
            let mut writer = Writer::with_format(Vec::new(), format);
            // Tables go by the low half of a key: positions that share it are confused, and
            // foresight is not.
            let read = |bytes: &[u8]| Event { high: 0, ..format.decode(bytes) };
            let events = bytes.chunks_exact(format.event_bytes()).map(read);
            events.for_each(|event| writer.push(event));
            writer.finish().map(|(_, file)| file).unwrap_or_default()
        }
        None => bytes.to_vec(),
    };
    let read = match read(Cursor::new(&file)) {
        Ok(trace) => {
            let info = Info::read(Cursor::new(&file)).expect("what can be read can be counted");
            assert_eq!(info.events, trace.len() as u64);
            Some(trace)
        }
        Err(error) => {
            let _ = error.to_string();
            None
        }
    };
    let mut writer = Writer::new(Vec::new());
    let repaired = import(Cursor::new(&file), &mut writer, true, true);
    assert!(repaired.is_ok() || read.is_none());
    let Some(trace) = read else { return };
    let info = Info::read(Cursor::new(&file)).expect("what can be read can be counted");
    let mut read = 0;
    for game in find_games(Cursor::new(&file)).expect("what can be read has games") {
        let mut part = Reader::range(Cursor::new(&file), game.events()).expect("its head was read");
        part.for_each(|_| read += 1).expect("a part of what can be read can be read");
    }
    assert!(read <= trace.len());
    let exported = export_oracle_general(Cursor::new(&file), &mut Cursor::new(Vec::new()));
    let is_request = |event: &&Event| event.kind() == EventKind::Store && event.bound() != Bound::None;
    let bounded = trace.iter().filter(is_request).count() as u64;
    match exported {
        Ok(done) => assert_eq!(done.requests, bounded, "evaluations alone are no requests"),
        Err(_) => assert!(trace.iter().any(|event| event.thread > 0), "{file:?}"),
    }
    let depths = DepthScale::new(info.depth_parts, info.min_depth);
    let mut steps: Vec<Step> = Vec::new();
    let reader = Reader::new(&file[..]).expect("it was read before");
    read_steps(reader, &info, depths, |chunk| steps.extend(chunk)).expect("a short trace");
    for name in ["always", "depth-preferred", "ancient", "depth-age"] {
        let Some(policy) = Policy::from_name(name) else { continue };
        let options = TableOptions { policy, size: Size::Entries(8), slots: 2, ..TableOptions::default() };
        let Ok(found) = replay(&steps, &options) else { continue };
        for (goal, mine) in
            [(Objective::Hits, found.hits), (Objective::Cutoffs, found.kept), (Objective::Worth, found.worth_kept)]
        {
            let best = clairvoyant(&steps, &options, None, goal).unwrap_or(u64::MAX);
            assert!(best >= mine, "{name}: {mine} of {goal:?} where foresight has {best}");
        }
    }
}
