//! Traces: recordings of the probes and stores of a search, which can be replayed on other tables.
//!
//! Any engine can write a trace with `include/ttlab-trace.h`. `docs/formats.md` describes the
//! format.

mod check;
mod event;
mod export;
mod format;
mod import;
mod info;
mod read;
mod recorder;
mod write;

pub mod replay;

pub use event::{Event, EventKind, Flaw, flags};
pub use export::export_oracle_general;
pub use format::Format;
pub use import::import;
pub use info::{Info, InfoCounter};
pub use read::{Reader, TraceError, read};
pub use recorder::{Recorder, SharedWriter};
pub use write::Writer;

fn check_memory(needed: u64) -> Result<(), TraceError> {
    match crate::system::available_bytes() {
        Some(free) if free < needed => Err(TraceError::Memory { needed, free }),
        _ => Ok(()),
    }
}

/// The first bytes of a trace.
const MAGIC: [u8; 8] = *b"ttlabtrc";

/// The byte order mark of the header, as a little-endian machine reads it.
const ORDER: u16 = 0x0102;

const END: u8 = 0xff;

/// The number of events read or written per call, small enough for the cache.
const BLOCK: usize = 1 << 12;
