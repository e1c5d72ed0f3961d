//! Runs work in parallel. The results do not depend on the number of threads.

/// Fewer values than this are processed in less time than is needed to start a thread.
const MIN_VALUES: usize = 20_000;

/// Runs a function on several threads, including the current one, and waits until all return.
pub fn run_on_threads(threads: usize, run: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // If the system refuses to start a thread, the other threads do all the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, &run);
        }
        run();
    });
}

/// Calls `work` with every part on as many threads as there are processors. The threads take the
/// parts in order.
pub fn par_for_each<T: Send>(parts: Vec<T>, work: impl Fn(T) + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let queue = std::sync::Mutex::new(parts.into_iter());
    let next = || queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    run_on_threads(threads, || {
        while let Some(part) = next() {
            work(part);
        }
    });
}

/// Calls `work` with each index below `count` and returns the results in order. The calls run in
/// parallel if `values` is at least [`MIN_VALUES`]. `values` is the number of values that all calls
/// process together.
pub fn par_map<T: Send>(count: usize, values: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if count < 2 || values < MIN_VALUES {
        return (0..count).map(work).collect();
    }
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    par_for_each(results.iter_mut().enumerate().collect(), |(index, result)| *result = Some(work(index)));
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_processed_once() {
        let mut sums = vec![0; 50];
        par_for_each(sums.iter_mut().enumerate().collect(), |(index, sum)| *sum += index);
        assert_eq!(sums, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn results_are_in_the_order_of_the_lines() {
        for values in [0, MIN_VALUES] {
            assert_eq!(
                par_map(100, values, |index| index * index),
                (0..100).map(|index| index * index).collect::<Vec<_>>()
            );
        }
    }
}
