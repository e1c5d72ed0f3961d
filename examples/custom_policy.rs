//! A replacement policy of one's own, run from outside the crate: keep entries whose move is a capture of the centre.
//!
//! `cargo run --release --example custom_policy`
#![allow(clippy::print_stdout)] // A program that talks to its user.

use std::sync::atomic::AtomicBool;
use ttlab::chess::Board;
use ttlab::engine::{Engine, EngineOptions, Limit};
use ttlab::table::entry::Bytes16;
use ttlab::table::policy::{Decision, Newcomer, Replacement};
use ttlab::table::{Bounded, Entry, Table, TableOptions};

/// Keeps an entry whose move goes to the four central files unless the newcomer's does too, or is deeper by `margin`.
#[derive(Clone, Copy)]
struct Centre {
    margin: u8,
}

impl Replacement for Centre {
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, _now: u16) -> Decision {
        let central = |entry: &Entry| !entry.mv.is_none() && (2..6).contains(&entry.mv.to().file());
        let old = &bucket[0];
        let deeper = newcomer.entry.depth >= old.depth.saturating_add(self.margin);
        if deeper || !central(old) || central(&newcomer.entry) { Decision::replace(0) } else { Decision::Refuse }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options =
        EngineOptions { table: TableOptions { slots: 1, ..TableOptions::default() }, ..EngineOptions::default() };
    let limit = Limit { depth: Some(8), nodes: None };
    println!("{:>8}  {:>12}", "margin", "nodes");
    for margin in 0..4 {
        let table: Box<dyn Table> = Box::new(Bounded::<_, Bytes16>::new(&options.table, Centre { margin }, 4096)?);
        let mut engine = Engine::with_table(&options, table)?;
        let outcome = engine.search(&Board::startpos(), &[], limit, &AtomicBool::new(false), &mut |_| {});
        let nodes: u64 = outcome.iterations.iter().map(|iteration| iteration.search.nodes).sum();
        println!("{margin:>8}  {nodes:>12}");
    }
    Ok(())
}
