//! Work on many lines at once, by as many threads as there are processors. What is found is the same for any number of them.

use crate::record::blocks::run_on_threads;

/// Less than so many values are worked on sooner than a thread has begun.
const WORTH: usize = 20_000;

/// As many parts of equal size as there are processors, or fewer; each worked on by its own thread, in the order given.
pub fn shared<T: Send>(parts: Vec<T>, work: impl Fn(T) + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let queue = std::sync::Mutex::new(parts.into_iter());
    let next = || queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    run_on_threads(threads, || {
        while let Some(part) = next() {
            work(part);
        }
    });
}

/// What is found of each of so many lines, which have so many values together.
pub fn each<T: Send>(lines: usize, values: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if lines < 2 || values < WORTH {
        return (0..lines).map(work).collect();
    }
    let mut found: Vec<Option<T>> = (0..lines).map(|_| None).collect();
    shared(found.iter_mut().enumerate().collect(), |(at, found)| *found = Some(work(at)));
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_worked_on_once() {
        let mut done = vec![0; 50];
        shared(done.iter_mut().enumerate().collect(), |(at, done)| *done += at);
        assert_eq!(done, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_found_is_in_the_lines_order() {
        for values in [0, WORTH] {
            assert_eq!(each(100, values, |at| at * at), (0..100).map(|at| at * at).collect::<Vec<_>>());
        }
    }
}
