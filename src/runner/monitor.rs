//! The steward of a run: a thread that sees to the disk, to the memory and to the folder while searches last, be it hours.

use super::lock;
use super::work::Shared;
use crate::system::available_bytes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often it looks round.
const ROUND: Duration = Duration::from_millis(50);

/// How long a row may wait for the disk. Rows of less time than this could be lost to a power failure (not to any end of the
/// process), and would be made again.
const DISK: Duration = Duration::from_millis(500);

/// Memory that is left to others where a table grows without a bound; where little is free, a quarter of it.
const RESERVE: u64 = 128 << 20;

/// What is left to others of so much memory.
fn reserve(available: Option<u64>) -> u64 {
    available.map_or(RESERVE, |available| RESERVE.min(available / 4))
}

/// One worker, as the steward knows it.
#[derive(Debug, Default)]
pub struct WorkerState {
    /// Ends its search soon.
    pub stop: AtomicBool,
    /// Whether the table of its job grows as it runs.
    pub grows: AtomicBool,
    /// Whether it was stopped because the table had taken what there is.
    pub starved: AtomicBool,
}

impl WorkerState {
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
    let (mut settled, reserve) = (Instant::now(), reserve(available_bytes()));
    while over.recv_timeout(ROUND) == Err(RecvTimeoutError::Timeout) {
        if shared.stop.load(Ordering::Relaxed) {
            shared.worker_states.iter().for_each(|worker_state| worker_state.stop.store(true, Ordering::Relaxed));
        }
        shed_memory(&shared.worker_states, reserve, available_bytes);
        if settled.elapsed() >= DISK {
            sync_results(shared);
            settled = Instant::now();
        }
    }
}

/// Ends a search whose table grows where too little memory is left: one at a time, since what it gives back may be enough for the others.
fn shed_memory(worker_states: &[WorkerState], reserve: u64, available: impl FnOnce() -> Option<u64>) {
    let grows = |worker_state: &&WorkerState| {
        worker_state.grows.load(Ordering::Relaxed) && !worker_state.stop.load(Ordering::Relaxed)
    };
    if let Some(worker_state) = worker_states.iter().find(grows)
        && available().is_some_and(|available| available < reserve)
    {
        worker_state.starved.store(true, Ordering::Relaxed);
        worker_state.stop.store(true, Ordering::Relaxed);
    }
}

/// Waits for the disk without holding up the workers, and sees whether the results are still there.
fn sync_results(shared: &Shared<'_>) {
    let hold = {
        let mut sink = lock(&shared.sink);
        if sink.broken.is_some() {
            return;
        }
        std::mem::take(&mut sink.dirty).then(|| sink.results.clone_file())
    };
    let synced = hold.map_or(Ok(()), |hold| hold.and_then(|file| file.sync_data()));
    let mut sink = lock(&shared.sink);
    let found = synced.map_err(|error| shared.output.unwritten(error)).and_then(|()| sink.look(shared.output));
    if let Err(error) = found {
        sink.broken.get_or_insert(error);
        shared.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 512 MiB and more, 128; of less a quarter.
    #[test]
    fn a_small_memory_is_not_all_reserved() {
        let of = |mebibytes: u64| reserve(Some(mebibytes << 20)) >> 20;
        assert_eq!([0, 40, 508, 512, 516, 99_999].map(of), [0, 10, 127, 128, 128, 128]);
        assert_eq!(reserve(None), RESERVE);
    }

    /// By hand, of four workers of whom the first has a table of a fixed size and the third was stopped from outside: where less than 128 MiB are
    /// left the second goes, then the fourth, then nobody; with its next job each begins as the others.
    #[test]
    fn who_grows_goes_one_at_a_time_where_memory_is_short() {
        let worker_states: [WorkerState; 4] = Default::default();
        let state = || {
            worker_states.each_ref().map(|worker_state| {
                [&worker_state.starved, &worker_state.stop].map(|flag| flag.load(Ordering::Relaxed))
            })
        };
        let (goes_on, stopped, starved) = ([false, false], [false, true], [true, true]);
        worker_states
            .iter()
            .zip([false, true, true, true])
            .for_each(|(worker_state, grows)| worker_state.begins(grows));
        worker_states[2].stop.store(true, Ordering::Relaxed);
        let enough = 128 << 20;
        for (available, expected) in [
            (None, [goes_on, goes_on, stopped, goes_on]),
            (Some(enough), [goes_on, goes_on, stopped, goes_on]),
            (Some(enough - 1), [goes_on, starved, stopped, goes_on]),
            (Some(enough), [goes_on, starved, stopped, goes_on]),
            (Some(0), [goes_on, starved, stopped, starved]),
            (Some(0), [goes_on, starved, stopped, starved]),
        ] {
            shed_memory(&worker_states, RESERVE, || available);
            assert_eq!(state(), expected, "{available:?}");
        }
        worker_states.iter().for_each(WorkerState::ends);
        shed_memory(&worker_states, RESERVE, || Some(0));
        worker_states.iter().for_each(|worker_state| worker_state.begins(false));
        assert_eq!(state(), [goes_on, goes_on, stopped, goes_on], "who was stopped from outside stays so");
    }
}
