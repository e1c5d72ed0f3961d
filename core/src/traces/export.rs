//! Exports a trace for cache simulators.

use super::{EventKind, InfoCounter, Reader, TraceError, check_memory};
use crate::chess::Bound;
use crate::table::key_map::{KeyMap, map_capacity};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExportCounts {
    pub requests: u64,
    pub ids: u64,
}

/// The number of bytes of a request. Then the byte ranges within a request of its id and of the
/// number of the next request.
const REQUEST: usize = 24;
const ID: std::ops::Range<usize> = 4..12;
const NEXT: std::ops::Range<usize> = 16..24;

/// The number of requests that are read or written at once.
const BLOCK: u64 = 1 << 12;

/// The number of bytes that a map needs for each id while it grows.
const MAP_SLOT_BYTES: u64 = 17 * 3 / 2;

/// Writes the stores of a trace as requests in the format *oracleGeneral* of `libCacheSim`. Each
/// request has 24 bytes with these little-endian fields: the time (u32, here the number of the
/// request), the id (u64, the key), the size (u32, always 1), and the number of the next request of
/// the same id (i64, -1 if there is none).
///
/// The requests are the stores of the trace, not its probes. A cache inserts an object that is
/// requested but not cached. In the same way, a table inserts an entry that is stored.
///
/// The numbers of the next requests are filled in afterwards, from the last request to the first.
///
/// # Errors
/// When the input is not a trace, is damaged, or has events of several threads, when the ids do not
/// fit into the free memory, or when a write fails.
///
/// Source: `libCacheSim`, <https://github.com/1a1a11a/libCacheSim>, documentation of the trace
/// formats.
pub fn export_oracle_general<F: Read + Write + Seek>(from: impl Read, to: &mut F) -> Result<ExportCounts, TraceError> {
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
    check_memory(map_capacity(info.positions) * MAP_SLOT_BYTES)?;
    let ids = write_next_requests(to, info.stores)?;
    to.seek(SeekFrom::End(0))?;
    Ok(ExportCounts { requests: info.stores, ids })
}

/// Writes into each request the number of the next request with the same id. The requests are
/// visited from the last to the first, block by block. Returns the number of ids.
fn write_next_requests<F: Read + Write + Seek>(file: &mut F, request_count: u64) -> io::Result<u64> {
    // Maps each id to the number of the earliest visited request with this id.
    let mut later_requests: KeyMap<u64, u64> = KeyMap::default();
    let mut block = Vec::new();
    for first_request in (0..request_count.div_ceil(BLOCK)).rev().map(|number| number * BLOCK) {
        let block_start = SeekFrom::Start(first_request * REQUEST as u64);
        block.resize((request_count - first_request).min(BLOCK) as usize * REQUEST, 0);
        file.seek(block_start)?;
        file.read_exact(&mut block)?;
        for (index, request) in block.as_chunks_mut::<REQUEST>().0.iter_mut().enumerate().rev() {
            let mut id = [0; 8];
            id.copy_from_slice(&request[ID]);
            if let Some(next) = later_requests.insert(u64::from_le_bytes(id), first_request + index as u64) {
                request[NEXT].copy_from_slice(&next.to_le_bytes());
            }
        }
        file.seek(block_start)?;
        file.write_all(&block)?;
    }
    Ok(later_requests.len() as u64)
}
