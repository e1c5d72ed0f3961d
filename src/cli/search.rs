use super::args::{EngineArgs, LimitArgs};
use super::{CommandFailure, CommandResult, Exit, out_of_memory, parse_position};
use crate::engine::anatomy::Anatomy;
use crate::engine::{Engine, SearchCounters, SearchProgress};
use crate::memory_watch::stop_on_low_memory;
use crate::table::{TableCounters, ThreadCounters};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Search one position and show all counters
#[derive(clap::Args)]
#[command(after_help = include_str!("help/search.txt"))]
pub struct Args {
    /// A FEN in quotes, or startpos
    position: String,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args) -> CommandResult {
    let board = parse_position(&args.position)?;
    let options = args.engine.options()?;
    let limit = args.limit.limit(&options)?;
    let mut engine = Engine::new(&options, None).map_err(CommandFailure::usage)?;
    println!("{:>5} {:>7} {:>14} {:>14} {:>9}  pv", "depth", "score", "nodes", "evals", "seconds");
    let (mut started, mut seconds) = (Instant::now(), 0.0);
    let stop = AtomicBool::new(false);
    let mut report = |progress: SearchProgress<'_>| match progress {
        SearchProgress::Begin { .. } => started = Instant::now(),
        SearchProgress::End => seconds = started.elapsed().as_secs_f64(),
        SearchProgress::Iteration(iteration) => {
            let pv: Vec<String> = iteration.pv.iter().map(ToString::to_string).collect();
            println!(
                "{:>5} {:>7} {:>14} {:>14} {seconds:>9.3}  {}{}",
                iteration.depth,
                iteration.score,
                iteration.search.nodes,
                iteration.search.evals,
                pv.join(" "),
                if iteration.finished { "" } else { " (unfinished)" }
            );
        }
    };
    let search = || engine.search(&board, &[], limit, &stop, &mut report);
    let (outcome, memory_ran_out) = stop_on_low_memory(options.memory_grows(), &stop, search);
    if memory_ran_out {
        return Err(out_of_memory());
    }
    let (mut search_counters, mut table_counters) = (SearchCounters::default(), TableCounters::default());
    let mut thread_counters = ThreadCounters::default();
    for iteration in &outcome.iterations {
        search_counters += iteration.search;
        table_counters += iteration.table;
        thread_counters += iteration.threads;
    }
    let print_count = |name: &str, value: u64| println!("{name:<24} {value:>width$}", width = 38 - name.len().max(24));
    let print_all = |group: &str, columns: &[(&str, &str)], values: &[u64]| {
        columns.iter().zip(values).for_each(|((name, _), value)| print_count(&format!("{group}.{name}"), *value));
    };
    println!("\nall iterations:");
    print_all("search", SearchCounters::COLUMNS, &search_counters.values());
    if engine.table().is_some() {
        print_all("table", TableCounters::COLUMNS, &table_counters.values());
    }
    if options.threads.count > 1 {
        print_all("threads", ThreadCounters::COLUMNS, &thread_counters.values());
    }
    if let Some(anatomy) = outcome.iterations.last().and_then(|last| last.anatomy.as_ref()) {
        println!("\nanatomy of the last iteration:");
        for ((name, _), value) in Anatomy::columns().zip(anatomy.values()) {
            print_count(&format!("anatomy.{name}"), value);
        }
        println!();
    }
    if let Some(occupancy) = engine.table().map(|table| table.occupancy()) {
        print_count("entries", occupancy.occupied);
        print_count("slots", occupancy.slots);
        print_count("bytes", occupancy.bytes);
    }
    Ok(Exit::Done)
}
