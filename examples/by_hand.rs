//! A yardstick for the table code: the same search with an always-replace table written by hand,
//! without any options, or with the table of a policy. `benches/instructions.sh` counts the
//! instructions of both.
//!
//! `cargo run --release --example by_hand -- hand|none|POLICY [SLOTS [NODES]]`

#![allow(clippy::print_stdout)] // Its output is its result.

use std::sync::atomic::AtomicBool;
use ttlab::internals::chess::{Board, Bound};
use ttlab::internals::engine::options::Deepening;
use ttlab::internals::engine::{Engine, EngineOptions, Limit};
use ttlab::internals::table::memory::Memory;
use ttlab::internals::table::options::Size;
use ttlab::internals::table::policy::Policy;
use ttlab::internals::table::{
    Entry, Hit, Instrumented, Occupancy, StoreOutcome, Table, TableCounters, TableKind, TableOptions, entry,
};

/// A direct-mapped table with two words per slot, in which the newest entry always replaces.
struct ByHand {
    words: Memory,
    slots: u64,
    counters: TableCounters,
}

impl ByHand {
    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * u128::from(self.slots)) >> 64) as usize * 2
    }
}

impl Instrumented for ByHand {}

impl Table for ByHand {
    fn probe(&mut self, key: u64, _: u8) -> Option<Hit> {
        self.counters.probes += 1;
        let place = self.place(key);
        let (held, word) = (self.words[place], self.words[place + 1]);
        if held != key || entry::bound(word) == Bound::None {
            let empty = entry::bound(word) == Bound::None;
            self.counters.misses_empty += u64::from(empty);
            self.counters.misses_other += u64::from(!empty);
            return None;
        }
        self.counters.hits += 1;
        let entry = entry::unpack(word);
        Some(Hit { entry, draft: i32::from(entry.depth), age: 0, slot: place / 2 })
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        self.counters.stores += 1;
        let place = self.place(key);
        let same = match (entry::bound(self.words[place + 1]), self.words[place] == key) {
            (Bound::None, _) => {
                self.counters.fills += 1;
                false
            }
            (_, true) => {
                self.counters.updates += 1;
                true
            }
            (_, false) => {
                self.counters.evictions += 1;
                false
            }
        };
        self.words[place] = key;
        self.words[place + 1] = entry::pack(&entry);
        StoreOutcome::in_slot(place / 2, same)
    }

    fn cutoff(&mut self, _: &Hit) {}

    fn prefetch(&self, key: u64) {
        self.words.prefetch(self.place(key));
    }

    fn advance(&mut self, _: u16) {}

    fn clear(&mut self) {
        self.words.fill(0);
    }

    fn counters(&self) -> TableCounters {
        self.counters
    }

    fn occupancy(&self) -> Occupancy {
        let occupied = self.words.chunks(2).filter(|slot| entry::bound(slot[1]) != Bound::None).count() as u64;
        Occupancy { slots: self.slots, occupied, current: occupied, bytes: 16 * self.slots }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let which = arguments.first().map_or("hand", String::as_str);
    let slots = 65_536;
    let mut table = TableOptions { size: Size::Entries(slots), ..TableOptions::default() };
    table.slots = arguments.get(1).and_then(|slots| slots.parse().ok()).unwrap_or(1);
    let nodes = arguments.get(2).and_then(|nodes| nodes.parse().ok()).unwrap_or(1_000_000);
    let options = |table: TableOptions| EngineOptions {
        table,
        deepening: Deepening { step: 0, ..Deepening::default() },
        ..EngineOptions::default()
    };
    let mut engine = match which {
        "hand" => {
            let words = Memory::new(2 * slots as usize, true)?;
            let hand = Box::new(ByHand { words, slots, counters: TableCounters::default() });
            Engine::with_table(&options(table), hand)?
        }
        "none" => Engine::new(&options(TableOptions { kind: TableKind::None, ..table }), None)?,
        name => {
            table.policy = Policy::from_name(name).ok_or("no such policy")?;
            Engine::new(&options(table), None)?
        }
    };
    // One iteration that the node limit interrupts: the sweep over all slots at its end then costs
    // the same for any number of nodes.
    let limit = Limit { depth: Some(10), nodes: Some(nodes) };
    let mut searched = 0;
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3r1k1/ppqb1ppp/8/4p1NQ/8/2P5/PP3PPP/R3R1K1 b - - 0 1",
    ] {
        let outcome = engine.search(&Board::from_fen(fen)?, &[], limit, &AtomicBool::new(false), &mut |_| {});
        searched += outcome.iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>();
    }
    println!("{searched}");
    Ok(())
}
