use super::trace::{open, trace_failure};
use super::{CommandFailure, CommandResult, Exit, engine_options};
use crate::table::policy::{Policy, external};
use crate::table::replay::{
    CLASSES, Clairvoyant, Objective, Passes, ReplayCounters, ReplayError, ReplaySink, ReplayTable, Sample, Step,
    buckets, replay_table,
};
use crate::table::trace::{Info, Reader};
use crate::table::{Size, TableError, TableKind, TableOptions};
use crate::text::plural;
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
  ttlab replay long.trace --sample 64 --deep 8
                                          one bucket in 64, and all that get an entry of depth 8 or more
  ttlab replay bk.trace --csv > replay.csv

A trace is not a search: the answers of a table change what a search asks next, but not in a replay. Where a probe ended its
node in the recorded search and does not here, the entry is offered again. Record with --set table.kind=unbounded to see what
each policy keeps of all that could be used.

  hits         answered probes, and their share of the probes of positions that were stored before
  cuts kept    of the usable probes (the entry offered last for the position ends the node): those answered here by an
               entry that ends the node
  worth kept   the nodes that these answers save: those searched to make the entry offered last. Counting hits ranks
               policies wrongly, see docs/concepts.md
  gap          the share of the way from `always` to `clairvoyant`
  clairvoyant  the most that a table of this shape can reach on this trace if it knows the future: three bounds, each
               exact for its column (full keys)")]
pub struct Args {
    /// A trace by `ttlab trace`, or by include/ttlab-trace.h in another engine
    file: PathBuf,
    /// A policy: its name, or a table with kind and parameters (may be repeated) [default: all that
    /// the slots allow]
    #[arg(long = "policy", value_name = "POLICY")]
    policies: Vec<String>,
    /// Set an option of the table: table.path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Replay only one bucket in N, and estimate the counts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    sample: Option<u64>,
    /// With --sample: also replay all buckets to which an entry of at least this depth is offered.
    /// Required for worth, most of which is in few deep entries
    #[arg(long, value_name = "DEPTH", requires = "sample", allow_negative_numbers = true)]
    deep: Option<i8>,
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

/// The requested policies with their names; by default all that the table allows.
fn policies(
    requested: &[String],
    sets: &[String],
    base: &TableOptions,
) -> Result<Vec<(String, Policy)>, CommandFailure> {
    if requested.is_empty() {
        let names = Policy::NAMES.iter().copied().chain(external::names());
        let all = names.filter_map(|name| Some((name.to_owned(), Policy::from_name(name)?)));
        return Ok(all.filter(|(_, policy)| policy.check(base).is_ok()).collect());
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

/// A table that replays the trace, and its counts by class of buckets.
struct TableShown {
    name: String,
    table: Box<dyn ReplayTable>,
    found: Vec<ReplayCounters>,
}

/// All receivers of the trace: tables, and the clairvoyant bounds.
struct Replayers {
    lines: Vec<TableShown>,
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
    fn new(
        base: &TableOptions,
        policies: &[(String, Policy)],
        positions: u64,
        classes: usize,
    ) -> Result<Self, TableError> {
        let always = ("always".to_owned(), Policy::default());
        let line = |(name, policy): &(String, Policy)| {
            let options = TableOptions { policy: *policy, ..base.clone() };
            let table = replay_table(&options, Some(positions))?;
            Ok::<_, TableError>(TableShown {
                name: name.clone(),
                table,
                found: vec![ReplayCounters::default(); classes],
            })
        };
        let bounds = |aim| Clairvoyant::new(aim, base, Some(positions), classes);
        Ok(Self {
            lines: std::iter::once(&always).chain(policies).map(line).collect::<Result<_, _>>()?,
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
        self.lines.iter_mut().for_each(|line| line.table.clear());
        self.bounds.iter_mut().try_for_each(|bound| bound.begin_pass(buckets.clone()))
    }

    fn push(&mut self, class: usize, steps: &[Step]) {
        let begun = Instant::now();
        for line in &mut self.lines {
            let before = line.table.result();
            line.table.replay_steps(steps);
            line.found[class] += line.table.result() - before;
        }
        self.steps += steps.len();
        let between = Instant::now();
        self.bounds.iter_mut().for_each(|bound| bound.push(class, steps));
        self.seconds[0] += (between - begun).as_secs_f64();
        self.seconds[1] += between.elapsed().as_secs_f64();
    }

    fn end_pass(&mut self) {
        let begun = Instant::now();
        self.bounds.iter_mut().for_each(Clairvoyant::end_pass);
        self.seconds[1] += begun.elapsed().as_secs_f64();
        self.done += 1;
        if self.passes > 1 {
            eprintln!("pass {} of {}: {:.0} s so far", self.done, self.passes, self.begun.elapsed().as_secs_f64());
        }
    }
}

/// The smallest sample: one bucket for each class whose differences make the interval.
const FEWEST_SAMPLED: u64 = CLASSES as u64 - 1;

/// Refuses a sample that is too small for an interval: an empty one would show 0 with certainty.
fn check_sample(one_in: u64, buckets: u64) -> Result<(), String> {
    let most = buckets / FEWEST_SAMPLED;
    if one_in <= most {
        return Ok(());
    }
    let count = plural(buckets, "bucket");
    Err(match most {
        0 | 1 => format!("--sample {one_in}: a table of {count} is too small for a sample: replay all of it"),
        most => format!("--sample {one_in}: the sample of {count} is too small for an interval: use at most {most}"),
    })
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
    args.sample.map_or(Ok(()), |one_in| check_sample(one_in, buckets)).map_err(CommandFailure::usage)?;
    let sample = match (args.sample, args.deep) {
        (None, _) => None,
        (Some(one_in), None) => Some(Sample::new(one_in)),
        (Some(one_in), Some(deep)) => {
            let bucket = |key| base.index.bucket(key, buckets);
            let sample = Sample::new(one_in).with_deep(open(&args.file)?, deep, buckets, bucket);
            Some(sample.map_err(trace_failure(&args.file))?)
        }
    };
    let classes = if sample.is_some() { CLASSES } else { 1 };
    let mut replayers = Replayers::new(&base, &policies, info.positions, classes).map_err(CommandFailure::usage)?;
    let one_in = args.sample.filter(|_| args.deep.is_none()).unwrap_or(1);
    let passes = Passes::new(&info, base.index, buckets, crate::system::cap_at_half_free(args.memory << 20), one_in);
    if let Some(message) = pass_message(info.events, passes.count, reading, replayers.lines.len()) {
        eprintln!("{message}");
    }
    replayers.passes = passes.count;
    let class = |bucket| sample.as_ref().map_or(Some(0), |sample| sample.class(bucket));
    let again = || Reader::new(crate::system::files::open(&args.file)?);
    passes.run(again, classes, class, &mut replayers).map_err(|halted| match halted {
        ReplayError::Trace(error) => trace_failure(&args.file)(error),
        ReplayError::Table(error) => CommandFailure::usage(error),
    })?;

    let Replayers { mut lines, bounds, steps, seconds, .. } = replayers;
    let always = lines.remove(0).found;
    let [hits, kept, worth] = bounds.each_ref().map(Clairvoyant::totals);
    let best = always.iter().enumerate().map(|(class, always)| ReplayCounters {
        hits: hits[class],
        kept: kept[class],
        worth_kept: worth[class],
        ..*always
    });
    let page = ReplayPage { best: best.collect(), always, sample, csv: args.csv, worth: info.has_worth() };
    println!("{}", page.head(&info, &base, buckets));
    for line in &lines {
        println!("{}", page.line(&line.name, &line.found, true));
    }
    println!("{}", page.line("clairvoyant", &page.best, false));
    println!("{}", page.line("unbounded", &page.all(), false));
    let rate = |seconds: f64, times: usize| steps as f64 * times as f64 / seconds.max(1e-9) / 1e6;
    eprintln!(
        "{:.1} million events per second; bounds: {:.1} million",
        rate(seconds[0], lines.len() + 1),
        rate(seconds[1], 3)
    );
    Ok(Exit::Done)
}

/// The output of a replay.
struct ReplayPage {
    always: Vec<ReplayCounters>,
    best: Vec<ReplayCounters>,
    sample: Option<Sample>,
    csv: bool,
    /// Whether the trace records which probes were usable.
    worth: bool,
}

type Reads = fn(&ReplayCounters) -> u64;

impl ReplayPage {
    /// The counts of a table that forgets nothing.
    fn all(&self) -> Vec<ReplayCounters> {
        let all = |seen: &ReplayCounters| ReplayCounters {
            hits: seen.known,
            kept: seen.cuts,
            worth_kept: seen.worth,
            ..*seen
        };
        self.always.iter().map(all).collect()
    }

    /// A total over the classes and, for an estimate, half the width of its interval.
    fn total(&self, found: &[ReplayCounters], count: Reads) -> (f64, Option<f64>) {
        let totals: Vec<f64> = found.iter().map(|found| count(found) as f64).collect();
        let estimate = self.sample.as_ref().map(|sample| sample.estimate(&totals));
        estimate.map_or_else(|| (totals.iter().sum(), None), |(total, half)| (total, Some(half)))
    }

    /// The width of a count's column; an estimate is written with its interval.
    fn wide(&self) -> usize {
        if self.sample.is_some() { 24 } else { 13 }
    }

    /// Whether the sample allows an estimate of worth.
    fn tells_worth(&self) -> bool {
        self.worth && self.sample.as_ref().is_none_or(Sample::has_deep)
    }

    /// The lines above the table: the trace, the table's size, what is not shown, and the column
    /// names.
    fn head(&self, info: &Info, base: &TableOptions, buckets: u64) -> String {
        if self.csv {
            let halves = if self.sample.is_some() { ",hits_half_width,cuts_half_width,worth_half_width" } else { "" };
            return format!(
                "policy,probes,known,hits,hits_gap,deep,cuts,cuts_kept,cuts_gap,worth,worth_kept,worth_gap,stores,evictions,refused{halves}"
            );
        }
        let entries = buckets * u64::from(base.slots);
        let share = if info.positions > 0 { 100.0 * entries as f64 / info.positions as f64 } else { 0.0 };
        let size = if matches!(base.size, Size::Share(_)) { format!(" ({})", base.size) } else { String::new() };
        let mut text = format!(
            "{} events, {} probes, {} stores of {} positions; a table of {entries} entries{size}: {share:.1} % of them\n",
            info.events, info.probes, info.stores, info.positions
        );
        if let Some(sample) = &self.sample {
            let deep = if sample.has_deep() { " and all with deep entries" } else { "" };
            text += &format!("estimated from one bucket in {}{deep}, with 95 % intervals\n", sample.one_in);
        }
        if !self.worth {
            text += "the trace records no windows, and no probe ended its node: cuts and worth are unknown\n";
        } else if !self.tells_worth() {
            text += "worth is not estimated: most of it is in few deep entries, which --deep includes in the sample\n";
        }
        let wide = self.wide();
        text + &format!(
            "open loop: in a search, a table's answers would change later probes\n\n\
             {:>wide$} {:>7} {:>7} {:>wide$} {:>7} {:>7} {:>wide$} {:>7} {:>7} {:>11} {:>11}  policy",
            "hits", "known", "gap", "cuts kept", "of all", "gap", "worth kept", "of all", "gap", "evictions", "refused"
        )
    }

    /// The line of a table; only `real` tables have evictions and refused stores.
    fn line(&self, name: &str, found: &[ReplayCounters], real: bool) -> String {
        let columns: [(Reads, Reads, bool); 3] = [
            (|found| found.hits, |found| found.known, true),
            (|found| found.kept, |found| found.cuts, self.worth),
            (|found| found.worth_kept, |found| found.worth, self.tells_worth()),
        ];
        let gap = |count: Reads| {
            let [mine, always, best] = [found, &self.always, &self.best].map(|of| self.total(of, count).0);
            (best > always).then(|| (mine - always) / (best - always))
        };
        let plain = |count: Reads| format!("{:.0}", self.total(found, count).0);
        let only = |real: bool, text: String| if real { text } else { String::new() };
        if self.csv {
            let mut fields = vec![format!("\"{}\"", name.replace('"', "\"\"")), plain(|found| found.probes)];
            for (at, (mine, all, message)) in columns.into_iter().enumerate() {
                let share = gap(mine).map_or_else(String::new, |gap| format!("{gap:.6}"));
                fields.extend([plain(all), plain(mine), share].map(|text| only(message, text)));
                if at == 0 {
                    fields.push(only(real, plain(|found| found.deep)));
                }
            }
            let rest: [Reads; 3] = [|found| found.stores, |found| found.evictions, |found| found.rejections];
            fields.extend(rest.map(|count| only(real, plain(count))));
            if self.sample.is_some() {
                let half = |count: Reads| format!("{:.1}", self.total(found, count).1.unwrap_or_default());
                fields.extend(columns.map(|(mine, _, message)| only(message, half(mine))));
            }
            return fields.join(",");
        }
        let percent =
            |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
        let wide = self.wide();
        let mut text = String::new();
        for (mine, _, message) in columns {
            if !message {
                text += &format!("{:>wide$} {:>7} {:>7} ", "-", "-", "-");
                continue;
            }
            let (all, (total, half)) = (self.total(&self.all(), mine).0, self.total(found, mine));
            let value = plain(mine) + &half.map(|half| format!(" ± {half:.0}")).unwrap_or_default();
            let share = (all > 0.0).then(|| total / all);
            text += &format!("{value:>wide$} {:>7} {:>7} ", percent(share), percent(gap(mine)));
        }
        let evictions = only(real, plain(|found| found.evictions));
        let refused = only(real, plain(|found| found.rejections));
        format!("{text}{evictions:>11} {refused:>11}  {name}")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
