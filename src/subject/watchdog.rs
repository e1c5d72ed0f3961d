//! Timeouts of engines, for being ready and for searches.

use crate::engine::Limit;
use std::time::Duration;

/// Timeout of a search to a depth before any search was measured: a depth alone does not determine
/// a time.
const FIRST_TIMEOUT: Duration = Duration::from_secs(600);

/// Minimum timeout, to allow for a busy machine.
const MIN_TIMEOUT: Duration = Duration::from_secs(30);

/// A search to a depth may take this many times as long as the slowest search so far: trees of one
/// depth differ that much.
const DEPTH_FACTOR: u32 = 100;

/// A search to a node limit may take this many times as long as its nodes at the measured rate.
const NODES_FACTOR: f64 = 20.0;

/// Assumed nodes per second before the rate is measured: no known engine is slower.
const SLOW_RATE: f64 = 10_000.0;

/// Timeout for `uciok` and `readyok`.
const READY: Duration = Duration::from_secs(20);

/// Additional seconds for each GiB of its table, which it fills with zeros.
const READY_PER_GIB: f64 = 4.0;

/// The timeout for being ready, with a table of `mebibytes` MiB; at least the user's timeout
/// `fixed`.
pub fn ready(mebibytes: i64, fixed: Option<Duration>) -> Duration {
    let filling = Duration::try_from_secs_f64(READY_PER_GIB * mebibytes as f64 / 1024.0).unwrap_or_default();
    READY.saturating_add(filling).max(fixed.unwrap_or_default())
}

/// The search timeout of one subject.
#[derive(Debug, Clone, Default)]
pub struct Watchdog {
    /// The user's timeout, which overrides everything else.
    fixed: Option<Duration>,
    slowest: Option<Duration>,
    nodes: u64,
    time: Duration,
}

impl Watchdog {
    /// `fixed`: the user's timeout of each search.
    pub fn new(fixed: Option<Duration>) -> Self {
        Self { fixed, ..Self::default() }
    }

    /// The timeout of a search.
    pub fn allows(&self, limit: Limit) -> Duration {
        if let Some(fixed) = self.fixed {
            return fixed;
        }
        let by_depth =
            self.slowest.map_or(FIRST_TIMEOUT, |slowest| MIN_TIMEOUT.max(slowest.saturating_mul(DEPTH_FACTOR)));
        let by_nodes = limit.nodes.map(|nodes| {
            let rate = if self.nodes > 0 { self.nodes as f64 / self.time.as_secs_f64().max(0.001) } else { SLOW_RATE };
            MIN_TIMEOUT + Duration::try_from_secs_f64(NODES_FACTOR * nodes as f64 / rate).unwrap_or(Duration::MAX / 4)
        });
        match (limit.depth, by_nodes) {
            (None, Some(by_nodes)) => by_nodes,
            (Some(_), Some(by_nodes)) => by_depth.min(by_nodes),
            (_, None) => by_depth,
        }
    }

    /// Records a finished search.
    pub fn seen(&mut self, took: Duration, nodes: Option<u64>) {
        self.slowest = Some(self.slowest.map_or(took, |slowest| slowest.max(took)));
        if let Some(nodes) = nodes {
            self.nodes = self.nodes.saturating_add(nodes);
            self.time += took;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 20 seconds, and 4 for each GiB; the user's timeout if that is longer.
    #[test]
    fn ready_timeout_grows_with_the_table_and_the_user_timeout() {
        let (second, given) = (Duration::from_secs(1), |seconds| Some(Duration::from_secs(seconds)));
        for (mebibytes, fixed, seconds) in [
            (0, None, 20),
            (16, given(2), 20),
            (1024, None, 24),
            (65_536, None, 276),
            (65_536, given(275), 276),
            (65_536, given(277), 277),
            (0, given(60), 60),
            (-1, None, 20),
        ] {
            let allowed = ready(mebibytes, fixed);
            assert!(allowed.abs_diff(seconds * second) < second / 10, "{mebibytes} {fixed:?}: {allowed:?}");
        }
    }

    #[test]
    fn timeout_follows_the_user_then_the_rate_then_the_slowest_search() {
        let second = Duration::from_secs(1);
        let (depth, nodes) = (Limit { depth: Some(9), nodes: None }, Limit { depth: None, nodes: Some(1_000_000) });
        assert_eq!(Watchdog::new(Some(second)).allows(depth), second);
        let mut dog = Watchdog::new(None);
        assert_eq!(dog.allows(depth), FIRST_TIMEOUT);
        assert_eq!(dog.allows(nodes), MIN_TIMEOUT + 2000 * second);
        dog.seen(second, Some(500_000));
        assert_eq!(dog.allows(nodes), MIN_TIMEOUT + 40 * second);
        assert_eq!(dog.allows(depth), 100 * second);
        // With two limits, the one that ends the search first.
        let both = |nodes| dog.allows(Limit { depth: Some(9), nodes: Some(nodes) });
        assert_eq!((both(1_000_000), both(100_000_000)), (MIN_TIMEOUT + 40 * second, 100 * second));
        dog.seen(second / 1000, None);
        assert_eq!(dog.allows(depth), 100 * second);
        assert_eq!(
            dog.allows(nodes),
            MIN_TIMEOUT + 40 * second,
            "a search without reported nodes does not change the rate"
        );
        // 600,000 nodes in 5 s: the rate over all searches that reported nodes.
        dog.seen(4 * second, Some(100_000));
        let allowed = dog.allows(Limit { depth: None, nodes: Some(600_000) });
        assert!((allowed - MIN_TIMEOUT).abs_diff(100 * second) < second / 1000, "{allowed:?}");
        assert_eq!(dog.allows(depth), 400 * second);
    }
}
