//! The schedule of virtual threads: which searcher is next, and for how many nodes.

use super::threads::{Schedule, Threads};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt::Write;

/// Deals out turns to the searchers; searcher 0 is the main one.
pub struct Turns {
    options: Threads,
    random: Pcg64,
    turns_dealt: usize,
    /// The turns of `schedule = "list"`: searcher and nodes.
    list: Vec<(usize, u64)>,
    /// The turns so far, if they are recorded.
    record: Option<Record>,
}

/// A record of turns, in the format of `threads.turns`.
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
    /// `record`: whether to record the turns.
    pub fn new(options: &Threads, record: bool) -> Self {
        let list = match options.schedule {
            // The options were checked, so the list is valid.
            Schedule::List => options.listed_turns().unwrap_or_default(),
            Schedule::RoundRobin | Schedule::Random => Vec::new(),
        };
        Self {
            options: options.clone(),
            random: Pcg64::seed_from_u64(options.seed),
            turns_dealt: 0,
            list,
            record: record.then(Record::default),
        }
    }

    /// Chooses the next searcher. Returns its number and the nodes of its turn.
    pub fn next(&mut self) -> (usize, u64) {
        let (searcher, nodes) = self.choose();
        self.record.iter_mut().for_each(|record| record.push(searcher, nodes));
        (searcher, nodes)
    }

    /// The turns so far, if they are recorded.
    pub fn into_record(self) -> Option<Record> {
        self.record
    }

    /// Chooses the next turn: its searcher and its nodes.
    fn choose(&mut self) -> (usize, u64) {
        let Threads { count, schedule, quantum, main_quantum, .. } = self.options;
        let index = self.turns_dealt;
        self.turns_dealt = index.wrapping_add(1);
        let searcher = match schedule {
            Schedule::RoundRobin => index % count as usize,
            Schedule::Random => self.random.random_range(0..count) as usize,
            Schedule::List => return self.list[index % self.list.len()],
        };
        let nodes = if searcher == 0 && main_quantum > 0 { main_quantum } else { quantum };
        (searcher, u64::from(nodes))
    }
}
