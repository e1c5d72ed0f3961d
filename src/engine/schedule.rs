//! The schedule of virtual threads, which says which searcher is next and for how many nodes.

use super::threads::{Schedule, Threads};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt::Write;

/// Deals out turns to the searchers. The main searcher is 0.
pub struct Turns {
    options: Threads,
    random: Pcg64,
    turns_dealt: usize,
    /// The turns of `schedule = "list"`. Each turn has the number of a searcher and its nodes.
    listed_turns: Vec<(usize, u64)>,
    /// The turns so far, if turns are recorded.
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
    /// Creates a schedule from the options. The turns are recorded if `records_turns` is true.
    pub fn new(options: &Threads, records_turns: bool) -> Self {
        let listed_turns = match options.schedule {
            // The options have already been checked, so the list of turns is valid.
            Schedule::List => options.parse_turns().unwrap_or_default(),
            Schedule::RoundRobin | Schedule::Random => Vec::new(),
        };
        Self {
            options: options.clone(),
            random: Pcg64::seed_from_u64(options.seed),
            turns_dealt: 0,
            listed_turns,
            record: records_turns.then(Record::default),
        }
    }

    /// Deals out the next turn. Returns the number of the searcher whose turn it is and the number
    /// of nodes of the turn.
    pub fn next(&mut self) -> (usize, u64) {
        let (searcher, nodes) = self.choose();
        self.record.iter_mut().for_each(|record| record.push(searcher, nodes));
        (searcher, nodes)
    }

    /// Returns the record of the turns so far, or `None` if turns are not recorded.
    pub fn into_record(self) -> Option<Record> {
        self.record
    }

    /// Chooses the searcher and the number of nodes of the next turn.
    fn choose(&mut self) -> (usize, u64) {
        let Threads { count, schedule, quantum, main_quantum, .. } = self.options;
        let index = self.turns_dealt;
        self.turns_dealt = index.wrapping_add(1);
        let searcher = match schedule {
            Schedule::RoundRobin => index % count as usize,
            Schedule::Random => self.random.random_range(0..count) as usize,
            Schedule::List => return self.listed_turns[index % self.listed_turns.len()],
        };
        let nodes = if searcher == 0 && main_quantum > 0 { main_quantum } else { quantum };
        (searcher, u64::from(nodes))
    }
}
