use super::trace::{open, trace_failure};
use super::{CommandFailure, CommandResult, Exit, engine_options};
use crate::table::policy::{Policy, external};
use crate::table::{Design, Size, TableError, TableKind, TableOptions};
use crate::traces::replay::{
    Clairvoyant, Objective, Passes, ReplayCounters, ReplayError, ReplaySink, ReplayTable, Step, buckets, replay_table,
};
use crate::traces::{Info, Reader};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

/// Replay a trace under every policy, with exact upper bounds
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab replay bk.trace --set table.size='256 KiB'
  ttlab replay bk.trace --set table.size=4096 --set table.slots=4 --policy always --policy '{ kind = \"depth-age\", factor = 4 }'
  ttlab replay games.trace --set table.size='5 %' --set table.slots=4 --set table.refresh=match
                                          a share of the positions that the trace stores
  ttlab replay bk.trace --csv > replay.csv

A trace is not a search: the answers of a table change what a search asks next, but not in a replay. Where a probe ended its
node in the recorded search and does not here, the entry is offered again. Record with --set table.kind=unbounded to see what
each policy keeps of all that could be used.

  hits         answered probes, and their share of the probes of positions that were stored before
  cuts kept    the usable probes (the entry offered last for the position ends the node) that were
               answered here by an entry that ends the node
  worth kept   the nodes that these answers save: those searched to make the entry offered last.
               Counting hits ranks policies wrongly, see docs/concepts.md
  gap          the share of the way from `always` to `clairvoyant`
  clairvoyant  the most that a table of this shape can reach on this trace if it knows the future:
               three bounds, each exact for its column (full keys)")]
pub struct Args {
    /// A trace by `ttlab trace`, or by include/ttlab-trace.h in another engine
    file: PathBuf,
    /// A policy: its name, or a table with kind and parameters (may be repeated) [default: that of
    /// table.design, or all that the slots allow]
    #[arg(long = "policy", value_name = "POLICY")]
    policies: Vec<String>,
    /// Set an option of the table: table.path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Memory for positions in MiB, at most half of the free memory; larger traces are read in
    /// several passes. The tables need memory too
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    /// Print comma-separated values instead of a table
    #[arg(long)]
    csv: bool,
}

/// The table whose policies are compared. Options that a replay would ignore are refused.
fn base(sets: &[String]) -> Result<TableOptions, CommandFailure> {
    let base = engine_options(None, sets)?.table;
    for set in sets {
        let path = set.split_once('=').map_or("", |(path, _)| path.trim());
        if path == "table.policy" || path.starts_with("table.policy.") {
            refuse!("--set {path}: set policies with --policy");
        }
        if path != "table" && !path.starts_with("table.") {
            refuse!("--set {path}: a replay does not search: only options of the table (table.*) have an effect");
        }
    }
    if base.kind != TableKind::Bounded {
        refuse!("table.kind: a replay needs a bounded table; `unbounded` always has a line");
    }
    Ok(base)
}

/// The requested policies with their names; by default that of the design, or all that the table
/// allows.
fn policies(
    requested: &[String],
    sets: &[String],
    base: &TableOptions,
) -> Result<Vec<(String, Policy)>, CommandFailure> {
    if requested.is_empty() && base.design != Design::None {
        return Ok(vec![(base.design.name(), base.policy)]);
    }
    if requested.is_empty() {
        let names = Policy::NAMES.iter().copied().chain(external::names());
        let all = names.filter_map(|name| Some((name.to_owned(), Policy::from_name(name)?)));
        return Ok(all.filter(|(_, policy)| policy.check(base.slots).is_ok()).collect());
    }
    let mut named: Vec<(String, Policy)> = Vec::new();
    for text in requested {
        let sets: Vec<String> = sets.iter().cloned().chain([format!("table.policy={text}")]).collect();
        let policy = engine_options(None, &sets)?.table.policy;
        if let Some((first, _)) = named.iter().find(|(_, known)| *known == policy) {
            refuse!("--policy {text}: duplicate of {first}");
        }
        named.push((text.clone(), policy));
    }
    Ok(named)
}

/// All receivers of the trace: tables, and the clairvoyant bounds.
struct Replayers {
    /// The tables with their names; the first is `always`.
    tables: Vec<(String, Box<dyn ReplayTable>)>,
    bounds: [Clairvoyant; 3],
    /// Steps replayed, and the seconds of the tables and of the bounds.
    steps: usize,
    seconds: [f64; 2],
    /// Passes in all, passes done, and the begin of the first.
    passes: u64,
    done: u64,
    begun: Instant,
}

impl Replayers {
    fn new(base: &TableOptions, policies: &[(String, Policy)], positions: u64) -> Result<Self, TableError> {
        let always = ("always".to_owned(), Policy::default());
        let table = |(name, policy): &(String, Policy)| {
            let options = TableOptions { policy: *policy, ..base.clone() };
            Ok::<_, TableError>((name.clone(), replay_table(&options, Some(positions))?))
        };
        let bounds = |aim| Clairvoyant::new(aim, base, Some(positions));
        Ok(Self {
            tables: std::iter::once(&always).chain(policies).map(table).collect::<Result<_, _>>()?,
            bounds: [bounds(Objective::Hits)?, bounds(Objective::Cutoffs)?, bounds(Objective::Worth)?],
            steps: 0,
            seconds: [0.0; 2],
            passes: 1,
            done: 0,
            begun: Instant::now(),
        })
    }
}

impl ReplaySink for Replayers {
    fn begin_pass(&mut self, buckets: Range<u64>) -> Result<(), TableError> {
        self.tables.iter_mut().for_each(|(_, table)| table.clear());
        self.bounds.iter_mut().try_for_each(|bound| bound.begin_pass(buckets.clone()))
    }

    fn push(&mut self, steps: &[Step]) {
        let start = Instant::now();
        self.tables.iter_mut().for_each(|(_, table)| table.replay_steps(steps));
        self.steps += steps.len();
        let tables_done = Instant::now();
        self.bounds.iter_mut().for_each(|bound| bound.push(steps));
        self.seconds[0] += (tables_done - start).as_secs_f64();
        self.seconds[1] += tables_done.elapsed().as_secs_f64();
    }

    fn end_pass(&mut self) {
        let start = Instant::now();
        self.bounds.iter_mut().for_each(Clairvoyant::end_pass);
        self.seconds[1] += start.elapsed().as_secs_f64();
        self.done += 1;
        if self.passes > 1 {
            eprintln!("pass {} of {}: {:.0} s so far", self.done, self.passes, self.begun.elapsed().as_secs_f64());
        }
    }
}

/// A message with the expected time of all passes, if that is long: the reading time of each, about
/// 150 ns per event to prepare it, and 20 ns to replay it on each table.
fn pass_message(events: u64, passes: u64, reading: f64, tables: usize) -> Option<String> {
    let seconds = passes as f64 * reading + events as f64 * (150.0 + 20.0 * tables as f64) / 1e9;
    let about =
        if seconds < 90.0 { format!("{} s", seconds.ceil()) } else { format!("{} min", (seconds / 60.0).ceil()) };
    match passes {
        1 if seconds > 20.0 => {
            Some(format!("reading the trace again, which took {reading:.0} s: about {about} in all"))
        }
        1 => None,
        _ => Some(format!(
            "{passes} passes over the trace, which took {reading:.0} s to read: about {about} in all; more --memory needs fewer"
        )),
    }
}

pub fn run(args: &Args) -> CommandResult {
    let base = base(&args.sets)?;
    let policies = policies(&args.policies, &args.sets, &base)?;
    let begun = Instant::now();
    let info = Info::read(open(&args.file)?).map_err(trace_failure(&args.file))?;
    let reading = begun.elapsed().as_secs_f64();
    let buckets = buckets(&base, Some(info.positions)).map_err(CommandFailure::usage)?;
    let mut replayers = Replayers::new(&base, &policies, info.positions).map_err(CommandFailure::usage)?;
    let passes = Passes::new(&info, base.index, buckets, crate::system::cap_at_half_free(args.memory << 20));
    if let Some(message) = pass_message(info.events, passes.count, reading, replayers.tables.len()) {
        eprintln!("{message}");
    }
    replayers.passes = passes.count;
    let again = || Reader::new(crate::system::files::open(&args.file)?);
    passes.run(again, &mut replayers).map_err(|halted| match halted {
        ReplayError::Trace(error) => trace_failure(&args.file)(error),
        ReplayError::Table(error) => CommandFailure::usage(error),
    })?;

    let Replayers { tables, bounds, steps, seconds, .. } = replayers;
    let [hits, kept, worth_kept] = bounds.each_ref().map(Clairvoyant::total);
    let always = tables[0].1.result();
    let best = ReplayCounters { hits, kept, worth_kept, ..always };
    let page = ReplayPage { always, best, csv: args.csv, worth: info.has_worth() };
    println!("{}", page.head(&info, &base, buckets));
    for (name, table) in &tables[1..] {
        println!("{}", page.line(name, &table.result(), true));
    }
    println!("{}", page.line("clairvoyant", &best, false));
    println!("{}", page.line("unbounded", &page.never_forgetting(), false));
    let rate = |seconds: f64, times: usize| steps as f64 * times as f64 / seconds.max(1e-9) / 1e6;
    eprintln!(
        "{:.1} million events per second; bounds: {:.1} million",
        rate(seconds[0], tables.len()),
        rate(seconds[1], 3)
    );
    Ok(Exit::Done)
}

/// The output of a replay.
struct ReplayPage {
    always: ReplayCounters,
    best: ReplayCounters,
    csv: bool,
    /// Whether the trace records which probes were usable.
    worth: bool,
}

type Reads = fn(&ReplayCounters) -> u64;

impl ReplayPage {
    /// The counts of a table that forgets nothing.
    fn never_forgetting(&self) -> ReplayCounters {
        let ReplayCounters { known, cuts, worth, .. } = self.always;
        ReplayCounters { hits: known, kept: cuts, worth_kept: worth, ..self.always }
    }

    /// The lines above the table: the trace, the table's size, what is not shown, and the column
    /// names.
    fn head(&self, info: &Info, base: &TableOptions, buckets: u64) -> String {
        if self.csv {
            return "policy,probes,known,hits,hits_gap,deep,cuts,cuts_kept,cuts_gap,worth,worth_kept,worth_gap,stores,evictions,refused".to_owned();
        }
        let entries = buckets * u64::from(base.slots);
        let share = if info.positions > 0 { 100.0 * entries as f64 / info.positions as f64 } else { 0.0 };
        let size = if matches!(base.size, Size::Share(_)) { format!(" ({})", base.size) } else { String::new() };
        let mut text = format!(
            "{} events, {} probes, {} stores of {} positions; a table of {entries} entries{size}: {share:.1} % of the positions\n",
            info.events, info.probes, info.stores, info.positions
        );
        if !self.worth {
            text += "the trace records no windows, and no probe ended its node: cuts and worth are unknown\n";
        }
        text + &format!(
            "open loop: in a search, a table's answers would change later probes\n\n\
             {:>13} {:>7} {:>7} {:>13} {:>7} {:>7} {:>13} {:>7} {:>7} {:>11} {:>11}  policy",
            "hits", "known", "gap", "cuts kept", "of all", "gap", "worth kept", "of all", "gap", "evictions", "refused"
        )
    }

    /// The line of a table; only `real` tables have evictions and refused stores.
    fn line(&self, name: &str, found: &ReplayCounters, real: bool) -> String {
        let columns: [(Reads, Reads, bool); 3] = [
            (|found| found.hits, |found| found.known, true),
            (|found| found.kept, |found| found.cuts, self.worth),
            (|found| found.worth_kept, |found| found.worth, self.worth),
        ];
        let gap = |count: Reads| {
            let [mine, always, best] = [found, &self.always, &self.best].map(|of| count(of) as f64);
            (best > always).then(|| (mine - always) / (best - always))
        };
        let only = |real: bool, text: String| if real { text } else { String::new() };
        let of_real = |count: u64| only(real, count.to_string());
        if self.csv {
            let mut fields = vec![format!("\"{}\"", name.replace('"', "\"\"")), found.probes.to_string()];
            for (at, (mine, all, known)) in columns.into_iter().enumerate() {
                let share = gap(mine).map_or_else(String::new, |gap| format!("{gap:.6}"));
                fields.extend([all(found).to_string(), mine(found).to_string(), share].map(|text| only(known, text)));
                if at == 0 {
                    fields.push(of_real(found.deep));
                }
            }
            fields.extend([found.stores, found.evictions, found.rejections].map(of_real));
            return fields.join(",");
        }
        let percent =
            |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
        let mut text = String::new();
        for (mine, _, known) in columns {
            if !known {
                text += &format!("{:>13} {:>7} {:>7} ", "-", "-", "-");
                continue;
            }
            let (all, total) = (mine(&self.never_forgetting()), mine(found));
            let share = (all > 0).then(|| total as f64 / all as f64);
            text += &format!("{total:>13} {:>7} {:>7} ", percent(share), percent(gap(mine)));
        }
        format!("{text}{:>11} {:>11}  {name}", of_real(found.evictions), of_real(found.rejections))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
