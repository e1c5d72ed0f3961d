//! Traces: what a search asked of its table and offered to it, event by event, so that other tables can be shown the same.
//!
//! Any engine can write one (`include/ttlab-trace.h`); docs/formats.md has the format.

mod check;
mod event;
mod export;
mod import;
mod info;
mod read;
mod recorder;
mod write;

pub use event::{Event, EventKind, Flaw, flags};
pub use export::{Exported, oracle_general};
pub use import::{Imported, import};
pub use info::{Counting, Info};
pub use read::{Reader, TraceError, read};
pub use recorder::{Recorder, SharedWriter};
pub use write::Writer;

/// What a trace begins with.
const MAGIC: [u8; 8] = *b"ttlabtrc";

/// The version of the format.
const VERSION: u16 = 1;

/// The mark of the byte order, as a little-endian machine reads it.
const ORDER: u16 = 0x0102;

/// Bytes of the head and of each event.
const UNIT: usize = 16;

/// The flags of the event that ends a trace.
const END: u8 = 0xff;

/// Events that are read or written at a time: they stay in the cache.
const BLOCK: usize = 1 << 12;
