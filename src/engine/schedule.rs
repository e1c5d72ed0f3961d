//! Who searches next, and for how many nodes.

use super::threads::{Schedule, Threads};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt::Write;

/// The turns of the searchers; 0 is the main one.
pub struct Turns {
    options: Threads,
    random: Pcg64,
    /// How many turns there have been.
    past: usize,
    list: Vec<(usize, u64)>,
    /// The turns so far, if they are recorded.
    record: Option<Record>,
}

/// Turns as `threads.turns` has them.
#[derive(Default)]
pub struct Record(String);

impl Record {
    pub fn push(&mut self, searcher: usize, nodes: u64) {
        let separator = if self.0.is_empty() { "" } else { " " };
        let _ = write!(self.0, "{separator}{searcher}:{nodes}");
    }

    pub fn into_text(self) -> String {
        self.0
    }
}

impl Turns {
    /// `record`: whether the turns are recorded.
    #[must_use]
    pub fn new(options: &Threads, record: bool) -> Self {
        let list = match options.schedule {
            Schedule::List => options.listed_turns().unwrap_or_default(),
            Schedule::RoundRobin | Schedule::Random => Vec::new(),
        };
        Self {
            options: options.clone(),
            random: Pcg64::seed_from_u64(options.seed),
            past: 0,
            list,
            record: record.then(Record::default),
        }
    }

    /// The next searcher, and the nodes of its turn.
    pub fn next(&mut self) -> (usize, u64) {
        let (searcher, nodes) = self.choose();
        self.record.iter_mut().for_each(|record| record.push(searcher, nodes));
        (searcher, nodes)
    }

    /// The turns so far, if they are recorded.
    pub fn into_record(self) -> Option<Record> {
        self.record
    }

    fn choose(&mut self) -> (usize, u64) {
        let Threads { count, schedule, quantum, main_quantum, .. } = self.options;
        let past = self.past;
        self.past = past.wrapping_add(1);
        let searcher = match schedule {
            Schedule::RoundRobin => past % count as usize,
            Schedule::Random => self.random.random_range(0..count) as usize,
            Schedule::List => return self.list[past % self.list.len()],
        };
        (searcher, u64::from(if searcher == 0 && main_quantum > 0 { main_quantum } else { quantum }))
    }
}
