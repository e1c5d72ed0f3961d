//! The search reports its begin and end, where the runner reads its clock. Only the search itself
//! may happen between them: clearing the table, advancing its clock and counting its entries take
//! time too, much of it with a large table.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use ttlab::internals::chess::Board;
use ttlab::internals::decode::from_toml;
use ttlab::internals::engine::{Engine, EngineOptions, Limit, SearchProgress, Stop};
use ttlab::internals::table::{Entry, Hit, Instrumented, Occupancy, StoreOutcome, Table, TableCounters};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Said {
    /// Recorded by the table.
    Asked,
    Swept,
    Emptied,
    Ticked,
    /// Recorded by the search.
    Begin(u8),
    End,
    Iteration(u8),
}

type Log = Arc<Mutex<Vec<Said>>>;

/// A table that never hits.
struct Mute(Log);

impl Mute {
    fn note(&self, output: Said) {
        self.0.lock().unwrap().push(output);
    }
}

impl Instrumented for Mute {}

impl Table for Mute {
    fn probe(&mut self, _: u64, _: u8) -> Option<Hit> {
        self.note(Said::Asked);
        None
    }
    fn store(&mut self, _: u64, _: Entry) -> StoreOutcome {
        self.note(Said::Asked);
        StoreOutcome::refused(None)
    }
    fn cutoff(&mut self, _: &Hit) {}
    fn prefetch(&self, _: u64) {}
    fn advance(&mut self, _: u16) {
        self.note(Said::Ticked);
    }
    fn clear(&mut self) {
        self.note(Said::Emptied);
    }
    fn counters(&self) -> TableCounters {
        TableCounters::default()
    }
    fn occupancy(&self) -> Occupancy {
        self.note(Said::Swept);
        Occupancy::default()
    }
}

/// The search calls the stop callback in its own thread, every thousand nodes. When the callback
/// returns true, the search ends and doesn't call it again.
#[test]
fn search_checks_the_clock() {
    let (flag, asked) = (AtomicBool::new(false), AtomicU64::new(0));
    let here = std::thread::current().id();
    let late = || {
        assert_eq!(std::thread::current().id(), here);
        asked.fetch_add(1, Ordering::Relaxed) == 20
    };
    let mut engine = Engine::new(&EngineOptions::default(), None).unwrap();
    let mut nodes = 0;
    let limit = Limit { depth: Some(60), nodes: None };
    let outcome = engine.search(&Board::startpos(), &[], limit, Stop::with_callback(&flag, &late), &mut |progress| {
        if let SearchProgress::Iteration(iteration) = progress {
            nodes += iteration.search.nodes;
        }
    });
    assert!(outcome.stopped);
    assert!(flag.load(Ordering::Relaxed));
    assert_eq!(asked.load(Ordering::Relaxed), 21);
    // Iterations with fewer than a thousand nodes check sooner.
    assert!((10_000..=22 * 1024).contains(&nodes), "{nodes}");
}

#[test]
fn stopwatch_runs_only_during_the_search() {
    for text in [
        "table.clear = 'iteration'\ntable.clock = 'iteration'\nalgorithm = 'pvs'\naspiration = 10",
        "table.clear = 'search'\ndiagnostics = 'full'",
        "algorithm = 'mtdf'",
        "algorithm = 'minimax'\nleaf = 'static'",
    ] {
        let options: EngineOptions = from_toml(text).unwrap();
        let all = Log::default();
        let mut engine = Engine::with_table(&options, Box::new(Mute(Arc::clone(&all)))).unwrap();
        for _ in 0..2 {
            let note = |output| all.lock().unwrap().push(output);
            let limit = Limit { depth: Some(3), nodes: None };
            engine.search(&Board::startpos(), &[], limit, &AtomicBool::new(false), &mut |progress| match progress {
                SearchProgress::Begin { depth } => note(Said::Begin(depth)),
                SearchProgress::End => note(Said::End),
                SearchProgress::Iteration(iteration) => note(Said::Iteration(iteration.depth)),
            });
        }
        let (mut running, mut spoken) = (false, Vec::new());
        for &output in all.lock().unwrap().iter() {
            match output {
                Said::Begin(_) => running = true,
                Said::End => running = false,
                Said::Iteration(_) => {}
                Said::Asked => assert!(running, "a search before its begin or after its end\n{text}"),
                other => assert!(!running, "{other:?} between begin and end\n{text}"),
            }
            spoken.extend(matches!(output, Said::Begin(_) | Said::End | Said::Iteration(_)).then_some(output));
        }
        let once = (1..=3).flat_map(|depth| [Said::Begin(depth), Said::End, Said::Iteration(depth)]);
        assert_eq!(spoken, once.clone().chain(once).collect::<Vec<_>>(), "{text}");
        let all = all.lock().unwrap();
        assert!(all.contains(&Said::Asked));
        assert!(all.contains(&Said::Swept));
        assert!(all.contains(&Said::Ticked));
        assert_eq!(all.contains(&Said::Emptied), text.contains("clear"), "{text}");
    }
}
