//! Measures how many events per second of CPU time a replay processes, for each policy and for the
//! bounds. `TTLAB_BENCH_TRACE=FILE` replays your own trace, on tables with a tenth as many entries
//! as the trace has positions. The default trace is synthetic, with sixteen times as many positions
//! as the table has entries.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::collections::HashSet;
use std::hint::black_box;
use std::time::{Duration, Instant};
use ttlab::internals::chess::Bound;
use ttlab::internals::table::TableOptions;
use ttlab::internals::table::options::Size;
use ttlab::internals::table::policy::Policy;
use ttlab::internals::traces::replay::{Objective, ReplayTable, clairvoyant, make_steps, replay_table};
use ttlab::internals::traces::{self, Event, EventKind, flags};

/// CPU time of this thread, with a resolution of about 4 ms, so that other programs have little
/// influence. Falls back to wall time if Linux doesn't report it.
struct Processor(WallTime, Instant);

impl Processor {
    fn now(&self) -> Duration {
        let output = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let nanos = output.and_then(|output| output.split(' ').next()?.parse().ok());
        nanos.map_or_else(|| self.1.elapsed(), Duration::from_nanos)
    }
}

impl Measurement for Processor {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        self.now()
    }
    fn end(&self, begun: Duration) -> Duration {
        self.now() - begun
    }
    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }
    fn zero(&self) -> Duration {
        Duration::ZERO
    }
    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        self.0.formatter()
    }
}

/// Returns a synthetic trace that resembles a search: each position is probed before it is stored,
/// and some are soon probed again, with a cutoff.
fn made_up(events: usize) -> Vec<Event> {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut trace = Vec::with_capacity(events);
    let key = |name: u64| (name + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (mut names, mut nodes) = (0u64, 0u64);
    while trace.len() < events {
        nodes += 1 + random(9);
        let depth = random(7) as i16;
        if names > 0 && random(4) == 0 {
            let waves = random(12);
            let name = key(names - 1 - random(names.min(1 + (names >> waves))));
            trace.push(Event::probe(name, 0, 0, flags::HIT | flags::CUT, nodes));
        } else {
            let name = key(names);
            names += 1;
            trace.push(Event::probe(name, depth, 0, 0, nodes));
            let bits = Event::bound_bits(Bound::Lower) | flags::SUBTREE;
            trace.push(Event::store(name, depth, 0, bits, (1 + random(50)) << depth));
        }
    }
    trace
}

fn replays(criterion: &mut Criterion<Processor>) {
    let file = std::env::var_os("TTLAB_BENCH_TRACE");
    let events = file
        .as_ref()
        .map_or_else(|| made_up(4_000_000), |file| traces::read(std::fs::File::open(file).unwrap()).unwrap());
    let stored = events.iter().filter(|event| event.kind() == EventKind::Store).map(|event| event.key);
    let positions = stored.collect::<HashSet<_>>().len() as u64;
    let size = Size::Entries(positions / if file.is_some() { 10 } else { 16 });
    let steps = make_steps(&events);
    let mut group = criterion.benchmark_group("replay");
    group.throughput(Throughput::Elements(steps.len() as u64)).sample_size(10);
    for (slots, names) in [(1, &["always", "depth-preferred"][..]), (4, Policy::NAMES)] {
        for name in names {
            let policy = Policy::from_name(name).unwrap();
            let options = TableOptions { policy, slots, size, ..TableOptions::default() };
            if replay_table(&options, None).is_err() {
                continue;
            }
            group.bench_function(BenchmarkId::new(*name, slots), |bencher| {
                let new_table = || replay_table(&options, None).unwrap();
                let replay = |table: &mut Box<dyn ReplayTable>| table.replay_steps(black_box(&steps));
                bencher.iter_batched_ref(new_table, replay, BatchSize::PerIteration);
            });
        }
    }
    let options = TableOptions { slots: 4, size, ..TableOptions::default() };
    for aim in [Objective::Hits, Objective::Cutoffs, Objective::Worth] {
        group.bench_function(BenchmarkId::new("bound", format!("{aim:?}")), |bencher| {
            bencher.iter(|| clairvoyant(black_box(&steps), &options, None, aim).unwrap());
        });
    }
    group.finish();
}

fn measured() -> Criterion<Processor> {
    Criterion::default().with_measurement(Processor(WallTime, Instant::now()))
}

criterion_group!(name = benches; config = measured(); targets = replays);
criterion_main!(benches);
