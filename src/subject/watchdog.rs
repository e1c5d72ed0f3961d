//! The timeouts of engines for becoming ready and for searches.

use crate::engine::Limit;
use std::time::Duration;

/// The timeout of a search with a depth limit before any search was measured. It is long, because
/// a depth alone says nothing about the time.
const FIRST_TIMEOUT: Duration = Duration::from_secs(600);

/// The minimum timeout, which allows for a busy machine.
const MIN_TIMEOUT: Duration = Duration::from_secs(30);

/// A search with a depth limit may take this many times as long as the slowest search so far,
/// because search trees of the same depth can differ that much.
const DEPTH_FACTOR: u32 = 100;

/// A search with a node limit may take this many times as long as the measured nodes per second
/// suggest.
const NODES_FACTOR: f64 = 20.0;

/// The nodes per second that are assumed before they are measured. No known engine is slower.
const SLOW_RATE: f64 = 10_000.0;

/// The timeout for `uciok` and `readyok` of an engine with a small table.
const READY: Duration = Duration::from_secs(20);

/// The additional seconds for each GiB of the engine's table, which the engine fills with zeros.
const READY_PER_GIB: f64 = 4.0;

/// The timeout is at least the user's timeout.
pub fn ready_timeout(mebibytes: i64, user_timeout: Option<Duration>) -> Duration {
    let fill_time = Duration::try_from_secs_f64(READY_PER_GIB * mebibytes as f64 / 1024.0).unwrap_or_default();
    READY.saturating_add(fill_time).max(user_timeout.unwrap_or_default())
}

#[derive(Debug, Clone, Default)]
pub struct Watchdog {
    /// The user's timeout, which overrides everything else.
    user_timeout: Option<Duration>,
    slowest_search: Option<Duration>,
    nodes: u64,
    time: Duration,
}

impl Watchdog {
    /// Creates a watchdog. If there is a `user_timeout`, it is the timeout of each search.
    pub fn new(user_timeout: Option<Duration>) -> Self {
        Self { user_timeout, ..Self::default() }
    }

    pub fn search_timeout(&self, limit: Limit) -> Duration {
        if let Some(user_timeout) = self.user_timeout {
            return user_timeout;
        }
        let depth_timeout =
            self.slowest_search.map_or(FIRST_TIMEOUT, |slowest| MIN_TIMEOUT.max(slowest.saturating_mul(DEPTH_FACTOR)));
        // The timeout is at most about a quarter of the maximum duration, so that it can be added
        // to an `Instant`.
        let node_timeout = limit.nodes.map(|nodes| {
            let rate = if self.nodes > 0 { self.nodes as f64 / self.time.as_secs_f64().max(0.001) } else { SLOW_RATE };
            MIN_TIMEOUT + Duration::try_from_secs_f64(NODES_FACTOR * nodes as f64 / rate).unwrap_or(Duration::MAX / 4)
        });
        match (limit.depth, node_timeout) {
            (None, Some(node_timeout)) => node_timeout,
            // The limit that is reached first ends the search.
            (Some(_), Some(node_timeout)) => depth_timeout.min(node_timeout),
            (_, None) => depth_timeout,
        }
    }

    pub fn record_search(&mut self, time: Duration, nodes: Option<u64>) {
        self.slowest_search = Some(self.slowest_search.map_or(time, |slowest| slowest.max(time)));
        if let Some(nodes) = nodes {
            self.nodes = self.nodes.saturating_add(nodes);
            self.time += time;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values by hand: 20 seconds, and 4 more for each GiB; the user's timeout if it is
    /// longer.
    #[test]
    fn ready_timeout_grows_with_the_table_and_the_user_timeout() {
        let (second, some_seconds) = (Duration::from_secs(1), |seconds| Some(Duration::from_secs(seconds)));
        for (mebibytes, user_timeout, seconds) in [
            (0, None, 20),
            (16, some_seconds(2), 20),
            (1024, None, 24),
            (65_536, None, 276),
            (65_536, some_seconds(275), 276),
            (65_536, some_seconds(277), 277),
            (0, some_seconds(60), 60),
            (-1, None, 20),
        ] {
            let timeout = ready_timeout(mebibytes, user_timeout);
            assert!(timeout.abs_diff(seconds * second) < second / 10, "{mebibytes} {user_timeout:?}: {timeout:?}");
        }
    }

    #[test]
    fn timeout_follows_the_user_then_the_rate_then_the_slowest_search() {
        let second = Duration::from_secs(1);
        let (depth, nodes) = (Limit { depth: Some(9), nodes: None }, Limit { depth: None, nodes: Some(1_000_000) });
        assert_eq!(Watchdog::new(Some(second)).search_timeout(depth), second);
        let mut watchdog = Watchdog::new(None);
        assert_eq!(watchdog.search_timeout(depth), FIRST_TIMEOUT);
        assert_eq!(watchdog.search_timeout(nodes), MIN_TIMEOUT + 2000 * second);
        watchdog.record_search(second, Some(500_000));
        assert_eq!(watchdog.search_timeout(nodes), MIN_TIMEOUT + 40 * second);
        assert_eq!(watchdog.search_timeout(depth), 100 * second);
        // With two limits, the one that ends the search first.
        let both_limits = |nodes| watchdog.search_timeout(Limit { depth: Some(9), nodes: Some(nodes) });
        assert_eq!((both_limits(1_000_000), both_limits(100_000_000)), (MIN_TIMEOUT + 40 * second, 100 * second));
        watchdog.record_search(second / 1000, None);
        assert_eq!(watchdog.search_timeout(depth), 100 * second);
        assert_eq!(
            watchdog.search_timeout(nodes),
            MIN_TIMEOUT + 40 * second,
            "a search without reported nodes does not change the rate"
        );
        // 600,000 nodes in 5 s: the rate over all searches that reported nodes.
        watchdog.record_search(4 * second, Some(100_000));
        let timeout = watchdog.search_timeout(Limit { depth: None, nodes: Some(600_000) });
        assert!((timeout - MIN_TIMEOUT).abs_diff(100 * second) < second / 1000, "{timeout:?}");
        assert_eq!(watchdog.search_timeout(depth), 400 * second);
    }
}
