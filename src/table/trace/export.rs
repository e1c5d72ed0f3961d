//! A trace as cache simulators read it.

use super::{Event, Kind};
use crate::table::by_key::ByKey;
use std::io::{self, Write};

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exported {
    /// Requests.
    pub requests: u64,
    /// Distinct ids among them.
    pub ids: u64,
}

/// Writes the stores of a trace as requests of `libCacheSim`'s format *oracleGeneral*: 24 bytes each, little-endian: time (u32, here the
/// request's number), id (u64, the key), size (u32, 1), the request at which the id is asked for next (i64, -1: never).
///
/// Stores, not probes: a cache takes in what it is asked for and has not, as a table takes in what it is offered.
///
/// # Errors
/// When the system refuses a write.
///
/// Source: `libCacheSim`, <https://github.com/1a1a11a/libCacheSim>, doc of its trace formats.
pub fn oracle_general(trace: &[Event], to: &mut impl Write) -> io::Result<Exported> {
    let ids: Vec<u64> = trace.iter().filter(|event| event.kind() == Kind::Store).map(|event| event.key).collect();
    let mut next = vec![-1i64; ids.len()];
    let mut later: ByKey<u64, i64> = ByKey::default();
    for (at, &id) in ids.iter().enumerate().rev() {
        next[at] = later.insert(id, at as i64).unwrap_or(-1);
    }
    for (at, (&id, &next)) in ids.iter().zip(&next).enumerate() {
        to.write_all(&(at as u32).to_le_bytes())?;
        to.write_all(&id.to_le_bytes())?;
        to.write_all(&1u32.to_le_bytes())?;
        to.write_all(&next.to_le_bytes())?;
    }
    Ok(Exported { requests: ids.len() as u64, ids: later.len() as u64 })
}
