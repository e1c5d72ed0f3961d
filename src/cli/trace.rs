use super::terminal::show;
use super::{CommandFailure, CommandResult, Exit, io_failure, refuse_overwrite};
use crate::record::publish;
use crate::report::sheet::{Cell, Part, Sheet, SheetColumn, SheetTable};
use crate::text::plural;
use crate::traces::{self, Format, Info, Reader, TraceError, Writer};
use std::path::{Path, PathBuf};

mod files;
mod record;

use files::{create_output, finish_trace};
pub use files::{open_trace, trace_failure};

/// Record what a search asks of its table, or inspect traces
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = include_str!("help/trace.txt")
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<TraceCommand>,
    #[command(flatten)]
    record: Option<record::Args>,
}

/// Operations on existing traces.
#[derive(clap::Subcommand)]
enum TraceCommand {
    /// Check traces of other engines, and join them
    #[command(after_help = include_str!("help/trace-import.txt"))]
    Import {
        /// Traces written with include/ttlab-trace.h or by `ttlab trace`
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The trace to write
        #[arg(short, long)]
        out: PathBuf,
        /// Keep the events before any damage, and end the trace there
        #[arg(long)]
        repair: bool,
    },
    /// Show the contents of a trace
    #[command(after_help = include_str!("help/trace-info.txt"))]
    Info {
        /// The trace to read
        file: PathBuf,
    },
    /// Write the stores of a trace for a cache simulator
    #[command(after_help = include_str!("help/trace-export.txt"))]
    Export {
        /// The trace to export
        file: PathBuf,
        /// The simulator whose format is written
        #[arg(long, value_enum)]
        to: Simulator,
        /// The file to write
        #[arg(short, long)]
        out: PathBuf,
    },
}

/// The cache simulators whose formats can be written.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Simulator {
    /// libCacheSim, in its format oracleGeneral
    Libcachesim,
}

pub fn run(args: &Args) -> CommandResult {
    match (&args.command, &args.record) {
        (Some(TraceCommand::Import { files, out, repair }), _) => import(files, out, *repair),
        (Some(TraceCommand::Info { file }), _) => info(file),
        (Some(TraceCommand::Export { file, to: Simulator::Libcachesim, out }), _) => export(file, out),
        (None, Some(record)) => record::run(record),
        (None, None) => refuse!("give a position or file to search, or a subcommand: import, info or export"),
    }
}

/// Returns the format of the trace in which traces are joined.
fn joined_format(files: &[PathBuf], out: &Path) -> Result<Format, CommandFailure> {
    files.iter().try_for_each(|file| refuse_overwrite(file, out))?;
    let open_reader = |file: &PathBuf| Reader::new(open_trace(file)?).map_err(trace_failure(file));
    let readers = files.iter().map(open_reader).collect::<Result<Vec<_>, _>>()?;
    let mut format = readers[0].format();
    for (file, reader) in files.iter().zip(&readers) {
        let (actual, expected) = (reader.format().depth_parts, format.depth_parts);
        let Some(joined_format) = format.join(reader.format()) else {
            let first_file = files[0].display();
            refuse!(
                "{}: depths are in units of 1/{actual} ply, expected 1/{expected} ply as in {first_file}",
                file.display()
            );
        };
        format = joined_format;
    }
    Ok(format)
}

fn import(files: &[PathBuf], out: &Path, repair: bool) -> CommandResult {
    let format = joined_format(files, out)?;
    let mut writer = Writer::with_format(create_output(out)?, format);
    for (index, file) in files.iter().enumerate() {
        let is_first = index == 0;
        let imported = traces::import(open_trace(file)?, &mut writer, is_first, repair).map_err(trace_failure(file))?;
        let cut = imported.intact_bytes.map(|bytes| format!(", input cut at byte {bytes}")).unwrap_or_default();
        eprintln!("{}: {}{cut}", file.display(), plural(imported.events, "event"));
    }
    eprintln!("{}: {event_count}", out.display(), event_count = finish_trace(writer, out)?);
    Ok(Exit::Done)
}

fn info(file: &Path) -> CommandResult {
    let table = info_table(&Info::read(open_trace(file)?).map_err(trace_failure(file))?);
    show(&Sheet { parts: vec![Part::Table(table)], ..Sheet::default() });
    Ok(Exit::Done)
}

fn info_table(info: &Info) -> SheetTable {
    let format_depth = |depth: i16| f64::from(depth) / f64::from(info.depth_parts.max(1));
    let counts = [
        ("events", info.events),
        ("games", info.games),
        ("searches", info.searches),
        ("iterations", info.iterations),
        ("threads", info.threads.into()),
        ("nodes", info.nodes),
        ("probes", info.probes),
        ("hits", info.hits),
        ("cuts", info.cuts),
        ("windows", info.window_probes),
        ("stores", info.stores),
        ("moves", info.moves),
    ];
    let positions = format!("{}{}", if info.estimated { "about " } else { "" }, info.positions);
    let depths = format!("{} to {}", format_depth(info.min_depth), format_depth(info.max_depth));
    let rows = counts.iter().map(|(name, count)| [*name, &count.to_string()].map(Cell::text));
    let rows = rows.chain([["positions", &positions], ["depths", &depths]].map(|row| row.map(Cell::text)));
    SheetTable::new("trace", "", SheetColumn::from_names(["trace", "count"]), rows)
}

/// Writes the stores of a trace for libCacheSim.
fn export(file: &Path, out: &Path) -> CommandResult {
    refuse_overwrite(file, out)?;
    let input = open_trace(file)?;
    let mut output = create_output(out)?;
    let exported = traces::export_oracle_general(input, output.as_file_mut()).map_err(|error| match error {
        TraceError::Io(error) => io_failure(out)(error),
        error => trace_failure(file)(error),
    })?;
    publish(output, out).map_err(io_failure(out))?;
    eprintln!("{}: {} for {}", out.display(), plural(exported.requests, "request"), plural(exported.ids, "id"));
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests;
