//! Exports a trace for cache simulators.

use super::event::hash;
use super::{EventKind, InfoCounter, Reader, TraceError};
use crate::chess::Bound;
use crate::table::key_map::{KeyMap, fewest_passes, map_capacity};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExportCounts {
    pub requests: u64,
    /// Distinct ids among them.
    pub ids: u64,
}

/// Bytes of a request, and the byte ranges of its id and its next request.
const REQUEST: usize = 24;
const ID: std::ops::Range<usize> = 4..12;
const NEXT: std::ops::Range<usize> = 16..24;

/// The number of requests that are written at once.
const BLOCK: u64 = 1 << 12;

/// Bytes per id in a growing map.
const MAP_SLOT_BYTES: u64 = 17 * 3 / 2;

/// Writes the stores of a trace as requests in `libCacheSim`'s format *oracleGeneral*: 24 bytes
/// each, little-endian: time (u32, here the request's number), id (u64, the key), size (u32, 1),
/// the next request of the same id (i64, -1: never).
///
/// Requests are stores, not probes: a cache admits an object that is requested and missing, as a
/// table admits an entry that is offered.
///
/// The next requests are filled in from the last request to the first, in enough passes over the
/// output that the ids of each pass fit into `memory` bytes.
///
/// # Errors
/// When it is not a trace, is damaged (and where) or is of several threads; when a write fails.
///
/// Source: `libCacheSim`, <https://github.com/1a1a11a/libCacheSim>, doc of its trace formats.
pub fn oracle_general<F: Read + Write + Seek>(
    from: impl Read,
    to: &mut F,
    memory: u64,
) -> Result<ExportCounts, TraceError> {
    let mut counter = InfoCounter::default();
    let mut requests = BufWriter::with_capacity(REQUEST * BLOCK as usize, &mut *to);
    let mut number = 0u32;
    let mut reader = Reader::new(from)?;
    while let Some(block) = reader.next_block()? {
        for event in block.iter().filter(|event| event.kind() == EventKind::Store && event.bound() != Bound::None) {
            counter.push(event);
            requests.write_all(&number.to_le_bytes())?;
            requests.write_all(&event.position().to_le_bytes())?;
            requests.write_all(&1u32.to_le_bytes())?;
            requests.write_all(&(-1i64).to_le_bytes())?;
            number = number.wrapping_add(1);
        }
    }
    requests.flush()?;
    drop(requests);
    let info = counter.finish();
    info.require_one_thread()?;
    // The 64 are for passes with more than their share of ids.
    let fits = |passes: u64| map_capacity(info.positions / passes + 64) * MAP_SLOT_BYTES <= memory;
    let passes = fewest_passes(1, info.positions, fits);
    let mut exported = ExportCounts { requests: info.stores, ids: 0 };
    let mut later_requests: KeyMap<u64, u64> = KeyMap::default();
    for pass in 0..passes {
        later_requests.clear();
        write_next_requests(to, info.stores, &mut later_requests, |id| hash(id) % passes == pass)?;
        exported.ids += later_requests.len() as u64;
    }
    to.seek(SeekFrom::End(0))?;
    Ok(exported)
}

/// Fills in the number of the next request of the same id, for the ids of one pass, block by block
/// from the end. `later_requests`: for each id, its first request after the current one.
fn write_next_requests<F: Read + Write + Seek>(
    file: &mut F,
    requests: u64,
    later_requests: &mut KeyMap<u64, u64>,
    is_in_pass: impl Fn(u64) -> bool,
) -> io::Result<()> {
    let mut block = Vec::new();
    for first_request in (0..requests.div_ceil(BLOCK)).rev().map(|number| number * BLOCK) {
        let position = SeekFrom::Start(first_request * REQUEST as u64);
        block.resize((requests - first_request).min(BLOCK) as usize * REQUEST, 0);
        file.seek(position)?;
        file.read_exact(&mut block)?;
        for (index, request) in block.as_chunks_mut::<REQUEST>().0.iter_mut().enumerate().rev() {
            let mut id = [0; 8];
            id.copy_from_slice(&request[ID]);
            let id = u64::from_le_bytes(id);
            if is_in_pass(id)
                && let Some(next) = later_requests.insert(id, first_request + index as u64)
            {
                request[NEXT].copy_from_slice(&next.to_le_bytes());
            }
        }
        file.seek(position)?;
        file.write_all(&block)?;
    }
    Ok(())
}
