//! The steward of a run: a thread that sees to the disk, to the memory and to the folder while searches last, be it hours.

use super::work::Shared;
use super::{lock, machine};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often it looks round.
const ROUND: Duration = Duration::from_millis(50);

/// How long a row may wait for the disk. Rows of less time than this could be lost to a power failure (not to any end of the
/// process), and would be made again.
const DISK: Duration = Duration::from_millis(500);

/// Memory that is left to others where a table grows without a bound.
const RESERVE: u64 = 128 << 20;

/// One worker, as the steward knows it.
#[derive(Debug, Default)]
pub struct Desk {
    /// Ends its search soon.
    pub stop: AtomicBool,
    /// Whether the table of its job grows as it runs.
    pub grows: AtomicBool,
    /// Whether it was stopped because the table had taken what there is.
    pub starved: AtomicBool,
}

impl Desk {
    /// A job begins.
    pub fn begins(&self, grows: bool) {
        self.starved.store(false, Ordering::Relaxed);
        self.grows.store(grows, Ordering::Relaxed);
    }

    /// Its job has ended, and its table is given back or does not grow.
    pub fn ends(&self) {
        self.grows.store(false, Ordering::Relaxed);
        if self.starved.load(Ordering::Relaxed) {
            self.stop.store(false, Ordering::Relaxed);
        }
    }
}

/// Looks round until the other end of `over` is dropped.
pub fn watch(shared: &Shared<'_>, over: &Receiver<()>) {
    let mut settled = Instant::now();
    while over.recv_timeout(ROUND) == Err(RecvTimeoutError::Timeout) {
        if shared.stop.load(Ordering::Relaxed) {
            shared.desks.iter().for_each(|desk| desk.stop.store(true, Ordering::Relaxed));
        }
        let grows = |desk: &&Desk| desk.grows.load(Ordering::Relaxed) && !desk.stop.load(Ordering::Relaxed);
        if let Some(desk) = shared.desks.iter().find(grows)
            && machine::available_bytes().is_some_and(|available| available < RESERVE)
        {
            // One at a time: what it gives back may be enough for the others.
            desk.starved.store(true, Ordering::Relaxed);
            desk.stop.store(true, Ordering::Relaxed);
        }
        if settled.elapsed() >= DISK {
            settle(shared);
            settled = Instant::now();
        }
    }
}

/// Waits for the disk without holding up the workers, and sees whether the results are still there.
fn settle(shared: &Shared<'_>) {
    let hold = {
        let mut sink = lock(&shared.sink);
        if sink.broken.is_some() {
            return;
        }
        std::mem::take(&mut sink.dirty).then(|| sink.results.hold())
    };
    let synced = hold.map_or(Ok(()), |hold| hold.and_then(|file| file.sync_data()));
    let mut sink = lock(&shared.sink);
    let found = synced.map_err(|error| shared.output.unwritten(error)).and_then(|()| sink.look(shared.output));
    if let Err(error) = found {
        sink.broken.get_or_insert(error);
        shared.stop.store(true, Ordering::Relaxed);
    }
}
