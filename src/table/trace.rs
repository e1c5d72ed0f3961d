//! Traces: what a search asked of its table and offered to it, event by event, so that other tables can be shown the same.
//!
//! A file is 16 bytes of head (`ttlabtr1`, then the number of events) and 16 bytes for each event, all little-endian: the key, and a
//! word that is packed as an entry's (see [`entry`]), whose eleven bits of mark and generation hold the kind of event
//! (3 bits) and the depth of the asking node (8 bits):
//!
//! ```text
//!  63      49 48      33 32    25 24 23 22  21  19 18    11 10      0
//! | move 15  | score 16 | depth 8 |bound|pv | kind |asked 8 | nodes 11 |
//! ```
//!
//! The entry of a store is what was offered. The entry of a probe is what was last offered for its key since the table was emptied (bound
//! `None`: nothing yet). A tick of the clock has their number for a key.

use super::by_key::ByKey;
use super::entry::{self, GENERATIONS};
use super::{Entry, Hit, Occupancy, ShadowCounters, Stored, Table, TableCounters};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the file begins with.
const MAGIC: [u8; 8] = *b"ttlabtr1";

/// Bytes of the head and of each event.
const UNIT: usize = 16;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A probe that missed.
    Miss,
    /// A probe that was answered.
    Hit,
    /// A probe whose answer ended its node.
    Cut,
    /// A store was offered.
    Store,
    /// The clock moved on.
    Tick,
    /// The table was emptied.
    Clear,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Miss, Self::Hit, Self::Cut, Self::Store, Self::Tick, Self::Clear];

    /// Whether it is a probe.
    #[inline]
    #[must_use]
    pub fn is_probe(self) -> bool {
        matches!(self, Self::Miss | Self::Hit | Self::Cut)
    }
}

/// One event, packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The position's key; for a tick, how many.
    pub key: u64,
    word: u64,
}

/// Where the kind and the depth stand in an event's word: in place of the mark and the generation.
const ASKED: u32 = 11;
const KIND: u32 = ASKED + 8;
const PLACE: u64 = (2 * GENERATIONS as u64 - 1) << ASKED;

impl Event {
    /// Packs an event. Of the entry, its mark and generation are not kept, its nodes rounded.
    #[must_use]
    pub fn new(kind: Kind, key: u64, asked: u8, entry: &Entry) -> Self {
        let word = entry::pack(entry) & !PLACE | (kind as u64) << KIND | u64::from(asked) << ASKED;
        Self { key, word }
    }

    /// What happened; none for bits that stand for nothing.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Option<Kind> {
        Kind::ALL.get((self.word >> KIND & 7) as usize).copied()
    }

    /// The depth of the asking node.
    #[inline]
    #[must_use]
    pub fn asked(self) -> u8 {
        (self.word >> ASKED) as u8
    }

    /// The entry, whose bound is `None` if there is none.
    #[inline]
    #[must_use]
    pub fn entry(self) -> Entry {
        entry::unpack(self.word & !PLACE)
    }

    /// Whether there is an entry.
    #[inline]
    #[must_use]
    pub fn offers(self) -> bool {
        entry::bound(self.word) != crate::chess::Bound::None
    }
}

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The system would not.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It begins with something else.
    #[error("it is no trace of ttlab: it does not begin with \"ttlabtr1\"")]
    NoTrace,
    /// It is shorter or longer than it says.
    #[error("it says that it holds {said} events, but {found} are there: it was cut short or damaged")]
    Length {
        /// Events by its head.
        said: u64,
        /// Events in the file.
        found: u64,
    },
    /// An event that stands for nothing.
    #[error("event {event} is of no kind: the file is damaged")]
    Kind {
        /// Its number, from 0.
        event: u64,
    },
}

/// Reads a whole trace.
///
/// # Errors
/// When it is no trace or is damaged, and where.
pub fn read(mut from: impl Read) -> Result<Vec<Event>, TraceError> {
    let mut head = [0; UNIT];
    match from.read_exact(&mut head) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(TraceError::NoTrace),
        result => result?,
    }
    let (magic, said) = head.split_at(8);
    if magic != MAGIC {
        return Err(TraceError::NoTrace);
    }
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    let said = word(said);
    let mut events = Vec::new();
    let mut buffer = vec![0; UNIT << 16];
    loop {
        let mut filled = 0;
        while filled < buffer.len() {
            match from.read(&mut buffer[filled..])? {
                0 => break,
                more => filled += more,
            }
        }
        for bytes in buffer[..filled].chunks_exact(UNIT) {
            let event = Event { key: word(&bytes[..8]), word: word(&bytes[8..]) };
            if event.kind().is_none() {
                return Err(TraceError::Kind { event: events.len() as u64 });
            }
            events.push(event);
        }
        if filled < buffer.len() {
            let found = events.len() as u64;
            let torn = filled % UNIT != 0;
            return if said == found && !torn { Ok(events) } else { Err(TraceError::Length { said, found }) };
        }
    }
}

/// Where a recorder writes to: a file that is not whole before [`Writer::finish`].
pub struct Writer<W> {
    to: W,
    buffer: Vec<u8>,
    /// The last event, which may yet turn out to be a cutoff.
    last: Option<Event>,
    events: u64,
    failed: Option<io::Error>,
}

impl<W: Write + Seek> Writer<W> {
    /// Begins a trace.
    pub fn new(to: W) -> Self {
        let mut buffer = Vec::with_capacity(UNIT << 16);
        buffer.extend(MAGIC);
        // The number of events is written at the end: a trace that was not finished is not taken for whole.
        buffer.extend(u64::MAX.to_le_bytes());
        Self { to, buffer, last: None, events: 0, failed: None }
    }

    /// Adds an event.
    pub fn push(&mut self, event: Event) {
        self.settle();
        self.last = Some(event);
        self.events += 1;
    }

    /// Writes what can no longer change.
    fn settle(&mut self) {
        if let Some(Event { key, word }) = self.last.take() {
            self.buffer.extend(key.to_le_bytes());
            self.buffer.extend(word.to_le_bytes());
            if self.buffer.len() + UNIT > UNIT << 16 {
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.to.write_all(&self.buffer).err();
        }
        self.buffer.clear();
    }

    /// Ends the trace: how many events it holds, and what it was written to.
    ///
    /// # Errors
    /// When the system refused a write at any time.
    pub fn finish(mut self) -> io::Result<(u64, W)> {
        self.settle();
        self.flush();
        match self.failed {
            Some(error) => Err(error),
            None => {
                self.to.seek(SeekFrom::Start(MAGIC.len() as u64))?;
                self.to.write_all(&self.events.to_le_bytes())?;
                self.to.flush()?;
                Ok((self.events, self.to))
            }
        }
    }
}

/// A writer that the recorder and its maker share.
pub type Shared<W> = Arc<Mutex<Writer<W>>>;

/// A table that writes down what it is asked and offered, and passes it on.
pub struct Recorder<W> {
    table: Box<dyn Table>,
    writer: Shared<W>,
    offered: ByKey<u64, Entry>,
}

impl<W: Write + Seek> Recorder<W> {
    /// Records a table.
    #[must_use]
    pub fn new(table: Box<dyn Table>, writer: Shared<W>) -> Self {
        Self { table, writer, offered: ByKey::default() }
    }

    fn writer(&self) -> MutexGuard<'_, Writer<W>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write + Seek + Send> Table for Recorder<W> {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let hit = self.table.probe(key, depth);
        let kind = if hit.is_some() { Kind::Hit } else { Kind::Miss };
        let offered = self.offered.get(&key).copied().unwrap_or_default();
        self.writer().push(Event::new(kind, key, depth, &offered));
        hit
    }

    fn store(&mut self, key: u64, entry: Entry) -> Stored {
        self.offered.insert(key, entry);
        self.writer().push(Event::new(Kind::Store, key, 0, &entry));
        self.table.store(key, entry)
    }

    fn cutoff(&mut self, hit: &Hit) {
        {
            let mut writer = self.writer();
            if let Some(last) = writer.last.filter(|last| last.kind() == Some(Kind::Hit)) {
                writer.last = Some(Event::new(Kind::Cut, last.key, last.asked(), &last.entry()));
            }
        }
        self.table.cutoff(hit);
    }

    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    fn advance(&mut self, ticks: u16) {
        if ticks > 0 {
            self.writer().push(Event::new(Kind::Tick, u64::from(ticks), 0, &Entry::default()));
        }
        self.table.advance(ticks);
    }

    fn clear(&mut self) {
        self.offered.clear();
        self.writer().push(Event::new(Kind::Clear, 0, 0, &Entry::default()));
        self.table.clear();
    }

    fn renew(&mut self) {
        self.offered.clear();
        self.writer().push(Event::new(Kind::Clear, 0, 0, &Entry::default()));
        self.table.renew();
    }

    fn counts_stored_nodes(&self) -> bool {
        self.table.counts_stored_nodes()
    }

    fn identify(&mut self, check: u64) {
        self.table.identify(check);
    }

    fn number(&mut self) {
        self.table.number();
    }

    fn seen(&mut self, hit: &Hit) {
        self.table.seen(hit);
    }

    fn shadow(&self) -> ShadowCounters {
        self.table.shadow()
    }

    fn now(&self) -> u16 {
        self.table.now()
    }

    fn counters(&self) -> TableCounters {
        self.table.counters()
    }

    fn occupancy(&self) -> Occupancy {
        self.table.occupancy()
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Entry)) {
        self.table.for_each(visit);
    }

    fn huge_pages(&self) -> Option<bool> {
        self.table.huge_pages()
    }
}
