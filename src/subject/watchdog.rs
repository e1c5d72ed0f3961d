//! How long an engine may take to be ready, and a search, before it is taken for hung.

use crate::engine::Limit;
use std::time::Duration;

/// Of a search to a depth whose like was never seen: no rule leads from a depth to a time.
const FIRST: Duration = Duration::from_secs(600);

/// At the least, so that a busy machine is no fault of the engine's.
const LEAST: Duration = Duration::from_secs(30);

/// How many times as long as the slowest search so far a search to a depth may take: trees of one depth differ that much.
const TIMES: u32 = 100;

/// How many times as long as its nodes at the measured rate a search to a number of nodes may take.
const SLACK: f64 = 20.0;

/// Nodes in a second of an engine whose rate was not measured yet: slower ones are not known.
const SLOW: f64 = 10_000.0;

/// How long an engine may take to say who it is, or that it is ready.
const READY: Duration = Duration::from_secs(20);

/// How much longer for each GiB of its table: it is filled with zeros then.
const READY_PER_GIB: f64 = 4.0;

/// How long an engine with a table of so many MiB may take to be ready; the user may give it more.
pub fn ready(mebibytes: i64, fixed: Option<Duration>) -> Duration {
    let filling = Duration::try_from_secs_f64(READY_PER_GIB * mebibytes as f64 / 1024.0).unwrap_or_default();
    READY.saturating_add(filling).max(fixed.unwrap_or_default())
}

/// The watchdog of one subject.
#[derive(Debug, Clone, Default)]
pub struct Watchdog {
    /// Given by the user: nothing else is heeded.
    fixed: Option<Duration>,
    slowest: Option<Duration>,
    nodes: u64,
    time: Duration,
}

impl Watchdog {
    /// A watchdog; `fixed`: the time that the user gives each search.
    pub fn new(fixed: Option<Duration>) -> Self {
        Self { fixed, ..Self::default() }
    }

    /// How long a search may take.
    pub fn allows(&self, limit: Limit) -> Duration {
        if let Some(fixed) = self.fixed {
            return fixed;
        }
        let by_depth = self.slowest.map_or(FIRST, |slowest| LEAST.max(slowest.saturating_mul(TIMES)));
        let by_nodes = limit.nodes.map(|nodes| {
            let rate = if self.nodes > 0 { self.nodes as f64 / self.time.as_secs_f64().max(0.001) } else { SLOW };
            LEAST + Duration::try_from_secs_f64(SLACK * nodes as f64 / rate).unwrap_or(Duration::MAX / 4)
        });
        match (limit.depth, by_nodes) {
            (None, Some(by_nodes)) => by_nodes,
            (Some(_), Some(by_nodes)) => by_depth.min(by_nodes),
            (_, None) => by_depth,
        }
    }

    /// Hears of a search that ended.
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

    /// By hand: 20 seconds, and 4 for each GiB; what the user gives counts where it is more.
    #[test]
    fn a_large_table_or_the_user_gives_an_engine_longer_to_be_ready() {
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
    fn the_user_then_the_rate_then_the_slowest_search_decide() {
        let second = Duration::from_secs(1);
        let (depth, nodes) = (Limit { depth: Some(9), nodes: None }, Limit { depth: None, nodes: Some(1_000_000) });
        assert_eq!(Watchdog::new(Some(second)).allows(depth), second);
        let mut dog = Watchdog::new(None);
        assert_eq!(dog.allows(depth), FIRST);
        assert_eq!(dog.allows(nodes), LEAST + 2000 * second);
        dog.seen(second, Some(500_000));
        assert_eq!(dog.allows(nodes), LEAST + 40 * second);
        assert_eq!(dog.allows(depth), 100 * second);
        // Of two limits the one that ends the search first.
        let both = |nodes| dog.allows(Limit { depth: Some(9), nodes: Some(nodes) });
        assert_eq!((both(1_000_000), both(100_000_000)), (LEAST + 40 * second, 100 * second));
        dog.seen(second / 1000, None);
        assert_eq!(dog.allows(depth), 100 * second);
        assert_eq!(dog.allows(nodes), LEAST + 40 * second, "a search that told no nodes says nothing of the rate");
        // 600,000 nodes in 5 s and no more: its pace over all that it told.
        dog.seen(4 * second, Some(100_000));
        let allowed = dog.allows(Limit { depth: None, nodes: Some(600_000) });
        assert!((allowed - LEAST).abs_diff(100 * second) < second / 1000, "{allowed:?}");
        assert_eq!(dog.allows(depth), 400 * second);
    }
}
