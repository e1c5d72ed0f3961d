use super::report::{Format, render};
use super::terminal::show;
use super::trace::{open_trace, trace_failure};
use super::{CommandFailure, CommandResult, Exit, output_format, refuse_overwrite};
use crate::report::data;
use crate::report::replay_page::ReplayOutcome;
use crate::runner::replay::Replayers;
use crate::table::TableOptions;
use crate::table::options::Victim;
use crate::table::policy::Policy;
use crate::traces::replay::{DepthScale, buckets, offset_depth_options, read_steps};
use crate::traces::{Info, Reader};
use std::path::PathBuf;
use std::time::Instant;

mod tables;

use tables::{base_table, list_policies};

/// Replay a trace under every policy, with exact upper bounds
#[derive(clap::Args)]
#[command(after_help = include_str!("help/replay.txt"))]
pub struct Args {
    /// A trace written by `ttlab trace`, or by another engine with include/ttlab-trace.h
    file: PathBuf,
    /// A policy: its name, or a table with kind and parameters (may be repeated) [default: that of
    /// table.design, or all that the slots allow]
    #[arg(long = "policy", value_name = "POLICY")]
    policies: Vec<String>,
    /// Set an option of the table: table.path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
    /// Output format [default: by the extension of -o, else text]
    #[arg(long)]
    format: Option<Format>,
    /// Write the output to a file
    #[arg(short, long)]
    out: Option<PathBuf>,
}

/// Reading the trace takes `read_seconds`. In addition, each event takes about 150 ns to prepare,
/// and 20 ns to replay on each table.
fn duration_message(event_count: u64, read_seconds: f64, table_count: usize) -> Option<String> {
    let seconds = read_seconds + event_count as f64 * (150.0 + 20.0 * table_count as f64) / 1e9;
    let duration =
        if seconds < 90.0 { format!("{} s", seconds.ceil()) } else { format!("{} min", (seconds / 60.0).ceil()) };
    (seconds > 20.0)
        .then(|| format!("the replay will take about {duration} (reading the trace once took {read_seconds:.0} s)"))
}

pub fn run(args: &Args) -> CommandResult {
    let base = base_table(&args.overrides)?;
    let (names, policies): (Vec<String>, Vec<Policy>) =
        list_policies(&args.policies, &args.overrides, &base)?.into_iter().unzip();
    let format = output_format(args.format, args.out.as_deref(), Format::Text)?;
    if let Some(out) = &args.out {
        refuse_overwrite(&args.file, out)?;
    }
    let read_start = Instant::now();
    let info = Info::read(open_trace(&args.file)?).map_err(trace_failure(&args.file))?;
    let read_seconds = read_start.elapsed().as_secs_f64();
    let buckets = buckets(&base, Some(info.positions)).map_err(CommandFailure::usage)?;
    let depths = DepthScale::new(info.depth_parts, info.min_depth);
    // The policy `always` is replayed even if it was not requested, because it defines a gap of 0.
    // In this replay, the policy chooses its victim when an entry is stored.
    let always = TableOptions { policy: Policy::default(), victim: Victim::Store, ..base.clone() };
    let policies = policies.into_iter().map(|policy| TableOptions { policy, ..base.clone() });
    let tables: Vec<_> =
        std::iter::once(always).chain(policies).map(|table| offset_depth_options(depths.lowest, &table)).collect();
    let replayers = Replayers::new(&tables, Some(&base), info.positions);
    let mut replayers = replayers.map_err(CommandFailure::usage)?;
    if let Some(message) = duration_message(info.events, read_seconds, tables.len()) {
        eprintln!("{message}");
    }
    Reader::new(open_trace(&args.file)?)
        .and_then(|reader| read_steps(reader, &info, depths, |steps| replayers.push(steps)))
        .map_err(trace_failure(&args.file))?;

    // The first results are those of `always`. They are needed only for the gaps.
    let (mut results, bounds) = (replayers.results().into_iter(), replayers.bounds());
    let outcome = ReplayOutcome {
        info: &info,
        base: &base,
        buckets,
        always: results.next().unwrap_or_default(),
        bounds: std::array::from_fn(|index| bounds[index]),
        policies: names.into_iter().zip(results).collect(),
    };
    let sheet = outcome.sheet();
    match format {
        Format::Text if args.out.is_none() => show(&sheet),
        format => {
            let make_csv = || data::wide_csv(&outcome.table(), false);
            super::write_output(args.out.as_deref(), &render(format, &sheet, &[outcome.table()], make_csv))?;
        }
    }
    let million_per_second =
        |seconds: f64, replays: usize| replayers.steps as f64 * replays as f64 / seconds.max(1e-9) / 1e6;
    let [table_seconds, bound_seconds] = replayers.table_and_bound_seconds;
    eprintln!(
        "replayed {:.1} million events per second on tables, {:.1} million on bounds",
        million_per_second(table_seconds, tables.len()),
        million_per_second(bound_seconds, bounds.len())
    );
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests;
