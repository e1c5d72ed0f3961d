//! Watches the free memory during searches whose tables grow.

use crate::system::available_bytes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

pub const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The message of a search that was stopped because it left too little memory.
pub const OUT_OF_MEMORY: &str = "out of memory: the search was stopped because its unbounded table, diagnostics or oracle ordering used up the \
     free memory";

/// The bytes that a growing table must leave free. The reserve is smaller if little memory is free
/// at the start (see [`MemoryReserve::now`]).
const RESERVE: u64 = 128 << 20;

/// The number of bytes that must remain free.
#[derive(Debug, Clone, Copy)]
pub struct MemoryReserve(u64);

impl MemoryReserve {
    pub fn now() -> Self {
        Self::from_available(available_bytes())
    }

    fn from_available(available: Option<u64>) -> Self {
        Self(available.map_or(RESERVE, |available| RESERVE.min(available / 4)))
    }

    /// Whether less memory than the reserve is available. Returns false if the available memory is
    /// unknown.
    pub fn is_short(self, available: Option<u64>) -> bool {
        available.is_some_and(|available| available < self.0)
    }
}

/// Runs `work`. If `grows` is true, `work` uses more and more memory, so `stop` is set when too
/// little memory is left. Returns the result of `work`, and whether `stop` was set for lack of
/// memory.
pub fn stop_on_low_memory<T>(grows: bool, stop: &AtomicBool, work: impl FnOnce() -> T) -> (T, bool) {
    if grows { watch_memory(available_bytes, stop, work) } else { (work(), false) }
}

/// Runs `work` and sets `stop` when too little memory is left. `available` returns the number of
/// bytes that are free. Returns the result of `work`, and whether `stop` was set for lack of
/// memory.
fn watch_memory<T>(
    available: impl Fn() -> Option<u64> + Send,
    stop: &AtomicBool,
    work: impl FnOnce() -> T,
) -> (T, bool) {
    let (reserve, was_low) = (MemoryReserve::from_available(available()), AtomicBool::new(false));
    let result = std::thread::scope(|scope| {
        // The watch ends when the sender is dropped.
        let (sender, receiver) = channel::<()>();
        let was_low = &was_low;
        let watch = move || {
            while receiver.recv_timeout(CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if reserve.is_short(available()) {
                    was_low.store(true, Ordering::Relaxed);
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
            }
        };
        // If the thread cannot be started, the work is done anyway.
        let _ = std::thread::Builder::new().spawn_scoped(scope, watch);
        let result = work();
        drop(sender);
        result
    });
    (result, was_low.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn reserve_is_128_mib_or_a_quarter_of_little_memory() {
        let mib = |mebibytes: u64| MemoryReserve::from_available(Some(mebibytes << 20)).0 >> 20;
        assert_eq!([0, 40, 508, 512, 516, 99_999].map(mib), [0, 10, 127, 128, 128, 128]);
        assert_eq!(MemoryReserve::from_available(None).0, RESERVE);
        let reserve = MemoryReserve::from_available(Some(1 << 30));
        assert_eq!([None, Some(RESERVE), Some(RESERVE - 1)].map(|left| reserve.is_short(left)), [false, false, true]);
    }

    /// There is enough memory: nothing is stopped, and the watch ends with the work.
    #[test]
    fn work_with_enough_memory_is_not_stopped() {
        for grows in [false, true] {
            let stop = AtomicBool::new(false);
            assert_eq!(stop_on_low_memory(grows, &stop, || 7), (7, false));
            assert!(!stop.into_inner());
        }
    }

    /// The reserve is a quarter of 100 MiB. The work continues while exactly that is left, and is
    /// stopped when one byte less is left.
    #[test]
    fn work_is_stopped_when_less_than_the_reserve_is_left() {
        let (left, checks, stop) = (AtomicU64::new(100 << 20), AtomicU64::new(0), AtomicBool::new(false));
        let available = || {
            checks.fetch_add(1, Ordering::SeqCst);
            Some(left.load(Ordering::SeqCst))
        };
        let wait_until = |done: &dyn Fn() -> bool| {
            while !done() {
                std::thread::yield_now();
            }
        };
        let work = || {
            left.store(25 << 20, Ordering::SeqCst);
            // One check before the work, one that may have begun before less was left, and at least
            // one after that.
            wait_until(&|| checks.load(Ordering::SeqCst) >= 4);
            let continued_at_limit = !stop.load(Ordering::Relaxed);
            left.fetch_sub(1, Ordering::SeqCst);
            wait_until(&|| stop.load(Ordering::Relaxed));
            continued_at_limit
        };
        assert_eq!(watch_memory(available, &stop, work), (true, true));
    }
}
