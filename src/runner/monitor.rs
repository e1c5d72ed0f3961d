//! The monitor thread of a run: syncs the results to disk, stops searches when memory runs short,
//! and notices if the results file is moved or changed.

use super::context::{Shared, WorkerState};
use super::lock;
use crate::memory_watch::{CHECK_INTERVAL, MemoryReserve};
use crate::system::available_bytes;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The longest time between syncs. Rows that are not synced yet can be lost in a power failure, but
/// not when the process ends. The jobs of lost rows run again.
const SYNC_INTERVAL: Duration = Duration::from_millis(500);

/// Stops the workers' searches when the run is stopped, frees memory when memory is short, and
/// syncs the results. Returns when the sender of `run_ended` is dropped.
pub fn watch(shared: &Shared<'_>, run_ended: &Receiver<()>) {
    let (mut last_sync, reserve) = (Instant::now(), MemoryReserve::now());
    while run_ended.recv_timeout(CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        if shared.stop.load(Ordering::Relaxed) {
            shared.worker_states.iter().for_each(|worker_state| worker_state.stop.store(true, Ordering::Relaxed));
        }
        shed_memory(&shared.worker_states, || reserve.is_short(available_bytes()));
        if last_sync.elapsed() >= SYNC_INTERVAL {
            sync_results(shared);
            last_sync = Instant::now();
        }
    }
}

/// If memory is short, stops one search with a growing table. Only one search is stopped, because
/// the memory that is freed may be enough for the other searches.
fn shed_memory(worker_states: &[WorkerState], is_short: impl FnOnce() -> bool) {
    let is_growing = |worker_state: &&WorkerState| {
        worker_state.grows.load(Ordering::Relaxed) && !worker_state.stop.load(Ordering::Relaxed)
    };
    if let Some(worker_state) = worker_states.iter().find(is_growing)
        && is_short()
    {
        worker_state.starved.store(true, Ordering::Relaxed);
        worker_state.stop.store(true, Ordering::Relaxed);
    }
}

/// Syncs the results file without blocking the workers. Then checks that the file still exists at
/// its path and is unchanged.
fn sync_results(shared: &Shared<'_>) {
    // A second handle to the file is synced, so that the sink is not locked during the sync.
    let file_to_sync = {
        let mut sink = lock(&shared.sink);
        if sink.write_error.is_some() {
            return;
        }
        std::mem::take(&mut sink.dirty).then(|| sink.results.clone_file())
    };
    let sync_result = file_to_sync.map_or(Ok(()), |file| file.and_then(|file| file.sync_data()));
    let mut sink = lock(&shared.sink);
    let check_result =
        sync_result.map_err(|error| shared.output.row_write_error(error)).and_then(|()| sink.check_file(shared.output));
    if let Err(error) = check_result {
        sink.write_error.get_or_insert(error);
        shared.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four workers: the first has a table of fixed size, and the third was interrupted. When
    /// memory is short, the second is stopped, then the fourth.
    #[test]
    fn shed_memory_stops_one_growing_search_at_a_time() {
        let worker_states: [WorkerState; 4] = Default::default();
        let state = || {
            worker_states.each_ref().map(|worker_state| {
                [&worker_state.starved, &worker_state.stop].map(|flag| flag.load(Ordering::Relaxed))
            })
        };
        // Whether the worker is starved and whether it is stopped.
        let (running, interrupted, starved) = ([false, false], [false, true], [true, true]);
        worker_states
            .iter()
            .zip([false, true, true, true])
            .for_each(|(worker_state, grows)| worker_state.begin_job(grows));
        worker_states[2].stop.store(true, Ordering::Relaxed);
        for (is_short, expected) in [
            (false, [running, running, interrupted, running]),
            (true, [running, starved, interrupted, running]),
            (false, [running, starved, interrupted, running]),
            (true, [running, starved, interrupted, starved]),
            (true, [running, starved, interrupted, starved]),
        ] {
            shed_memory(&worker_states, || is_short);
            assert_eq!(state(), expected, "{is_short}");
        }
        worker_states.iter().for_each(WorkerState::end_job);
        shed_memory(&worker_states, || true);
        worker_states.iter().for_each(|worker_state| worker_state.begin_job(false));
        assert_eq!(state(), [running, running, interrupted, running], "an interrupted worker stays interrupted");
    }
}
