use super::{CommandFailure, CommandResult, Exit, engine_options, out_of_memory, parse_position};
use crate::engine::anatomy::Anatomy;
use crate::engine::{Engine, Limit, SearchCounters, SearchProgress};
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
    /// Depth of the last iteration, in plies
    #[arg(short, long, value_parser = clap::value_parser!(u8).range(1..))]
    depth: Option<u8>,
    /// Limit of nodes, over all iterations
    #[arg(short, long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// A named starting point for the options
    #[arg(short, long)]
    preset: Option<String>,
    /// Set an option: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
}

pub fn run(args: &Args) -> CommandResult {
    let board = parse_position(&args.position)?;
    let options = engine_options(args.preset.as_deref(), &args.overrides)?;
    if args.depth.is_none() && args.nodes.is_none() {
        refuse!("give a limit: --depth N or --nodes N");
    }
    if args.depth.is_none() && options.deepening.step == 0 {
        refuse!("a search without deepening needs a depth: give --depth N");
    }
    let mut engine = Engine::new(&options, None).map_err(CommandFailure::usage)?;
    let limit = Limit { depth: args.depth, nodes: args.nodes };
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
    println!("\nall iterations:");
    for ((name, _), value) in SearchCounters::COLUMNS.iter().zip(search_counters.values()) {
        print_count(&format!("search.{name}"), value);
    }
    for ((name, _), value) in
        TableCounters::COLUMNS.iter().zip(table_counters.values()).filter(|_| engine.table().is_some())
    {
        print_count(&format!("table.{name}"), value);
    }
    for ((name, _), value) in
        ThreadCounters::COLUMNS.iter().zip(thread_counters.values()).filter(|_| options.threads.count > 1)
    {
        print_count(&format!("threads.{name}"), value);
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
