use super::trace::{open, wrong};
use super::{CommandFailure, CommandResult, Exit, engine_options};
use crate::table::policy::{Policy, external};
use crate::table::replay::{
    Aim, CLASSES, Clairvoyant, Halted, Passes, ReplaySink, ReplayTable, Replayed, Sample, Step, buckets, shown,
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
                                          one bucket in 64, and all to which an entry of depth 8 or more is offered
  ttlab replay bk.trace --csv > replay.csv

A trace is not a search: what a table answers changes what a search asks next, and here it does not. Where a probe ended its
node in the recorded search and does not here, the entry is offered anew. Record with --set table.kind=unbounded to see what
each policy keeps of all that could be used.

  hits         probes answered, and their share of the probes of positions that were offered before
  cuts kept    of the usable probes (what was offered last for their position ends their node): those answered here by an
               entry that ends the node
  worth kept   the nodes that these answers save: those searched to make what was offered last. Counting hits ranks policies
               wrongly, see docs/concepts.md
  gap          the share of the way from `always` to `clairvoyant`
  clairvoyant  the most that any table of this shape can have on this trace if it knows what comes: three bounds, each exact
               for its own column (keys compared in full)")]
pub struct Args {
    /// What ttlab trace wrote, or include/ttlab-trace.h in any engine
    file: PathBuf,
    /// A policy: its name, or a table with kind and parameters (may be repeated) [default: all that the slots allow]
    #[arg(long = "policy", value_name = "POLICY")]
    policies: Vec<String>,
    /// Set an option of the table: table.path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Look at one bucket in so many, and estimate the counts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    sample: Option<u64>,
    /// With --sample: look at all buckets to which an entry of at least this depth is offered. Without it nothing is said of
    /// worth, most of which lies in few deep entries
    #[arg(long, value_name = "DEPTH", requires = "sample", allow_negative_numbers = true)]
    deep: Option<i8>,
    /// MiB for what is known of positions at a time, at most half of what is free; a trace of more is read in turns. The tables
    /// come on top
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    /// Comma-separated values instead of a table
    #[arg(long)]
    csv: bool,
}

/// The table whose policies are compared. What would not be heeded must not seem to be.
fn base(sets: &[String]) -> Result<TableOptions, CommandFailure> {
    let base = engine_options(None, sets)?.table;
    for set in sets {
        let path = set.split_once('=').map_or("", |(path, _)| path.trim());
        if path == "table.policy" || path.starts_with("table.policy.") {
            refuse!("--set {path}: policies are given by --policy");
        }
        if path != "table" && !path.starts_with("table.") {
            refuse!("--set {path}: nothing is searched: only options of the table are heeded");
        }
    }
    if base.kind != TableKind::Bounded {
        refuse!("table.kind: a trace is shown to bounded tables; `unbounded` has a line of its own");
    }
    Ok(base)
}

/// The policies that are asked for, by their names; all that the table allows where none is.
fn policies(asked: &[String], sets: &[String], base: &TableOptions) -> Result<Vec<(String, Policy)>, CommandFailure> {
    if asked.is_empty() {
        let names = Policy::NAMES.iter().copied().chain(external::names());
        let all = names.filter_map(|name| Some((name.to_owned(), Policy::named(name)?)));
        return Ok(all.filter(|(_, policy)| policy.check(base).is_ok()).collect());
    }
    let mut named: Vec<(String, Policy)> = Vec::new();
    for text in asked {
        let sets: Vec<String> = sets.iter().cloned().chain([format!("table.policy={text}")]).collect();
        let policy = engine_options(None, &sets)?.table.policy;
        if let Some((first, _)) = named.iter().find(|(_, known)| *known == policy) {
            refuse!("--policy {text}: is given twice, first as {first}");
        }
        named.push((text.clone(), policy));
    }
    Ok(named)
}

/// A table under examination and what it did on each class of buckets.
struct TableShown {
    name: String,
    table: Box<dyn ReplayTable>,
    found: Vec<Replayed>,
}

/// All that are shown the trace: tables, and those who know what comes.
struct Replayers {
    lines: Vec<TableShown>,
    foresight: [Clairvoyant; 3],
    /// Steps that were shown, and the seconds that tables and foresight took.
    steps: usize,
    seconds: [f64; 2],
    /// Turns, and when they began.
    turns: u64,
    turn: u64,
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
            let table = shown(&options, Some(positions))?;
            Ok::<_, TableError>(TableShown { name: name.clone(), table, found: vec![Replayed::default(); classes] })
        };
        let foresight = |aim| Clairvoyant::new(aim, base, Some(positions), classes);
        Ok(Self {
            lines: std::iter::once(&always).chain(policies).map(line).collect::<Result<_, _>>()?,
            foresight: [foresight(Aim::Hits)?, foresight(Aim::Cuts)?, foresight(Aim::Worth)?],
            steps: 0,
            seconds: [0.0; 2],
            turns: 1,
            turn: 0,
            begun: Instant::now(),
        })
    }
}

impl ReplaySink for Replayers {
    fn begin(&mut self, buckets: Range<u64>) -> Result<(), TableError> {
        self.lines.iter_mut().for_each(|line| line.table.empty());
        self.foresight.iter_mut().try_for_each(|one| one.begin(buckets.clone()))
    }

    fn show(&mut self, class: usize, steps: &[Step]) {
        let begun = Instant::now();
        for line in &mut self.lines {
            let before = line.table.replayed();
            line.table.show(steps);
            line.found[class] += line.table.replayed() - before;
        }
        self.steps += steps.len();
        let between = Instant::now();
        self.foresight.iter_mut().for_each(|one| one.show(class, steps));
        self.seconds[0] += (between - begun).as_secs_f64();
        self.seconds[1] += between.elapsed().as_secs_f64();
    }

    fn end(&mut self) {
        let begun = Instant::now();
        self.foresight.iter_mut().for_each(Clairvoyant::end);
        self.seconds[1] += begun.elapsed().as_secs_f64();
        self.turn += 1;
        if self.turns > 1 {
            eprintln!("turn {} of {}: {:.0} s so far", self.turn, self.turns, self.begun.elapsed().as_secs_f64());
        }
    }
}

/// The fewest buckets of a sample: one for each of the classes whose differences make the interval.
const FEWEST_SAMPLED: u64 = CLASSES as u64 - 1;

/// Refuses a sample of so few buckets that no interval holds for the others: an empty one would say 0, and be sure of it.
fn enough(one_in: u64, buckets: u64) -> Result<(), String> {
    let most = buckets / FEWEST_SAMPLED;
    if one_in <= most {
        return Ok(());
    }
    let of = plural(buckets, "bucket");
    Err(match most {
        0 | 1 => format!("--sample {one_in}: a table of {of} is too small for a sample: look at all of it"),
        most => format!("--sample {one_in}: of {of} too few would be looked at for an interval: at most one in {most}"),
    })
}

/// What is known from a first reading of how long all turns will take, told where that is long: a reading each, and some hundred nanoseconds to
/// make an event a step and weigh it, and a fiftieth of a microsecond to show it to a table.
fn told_turns(events: u64, turns: u64, reading: f64, tables: usize) -> Option<String> {
    let seconds = turns as f64 * reading + events as f64 * (150.0 + 20.0 * tables as f64) / 1e9;
    let about =
        if seconds < 90.0 { format!("{} s", seconds.ceil()) } else { format!("{} min", (seconds / 60.0).ceil()) };
    match turns {
        1 if seconds > 20.0 => {
            Some(format!("one more reading of the trace, which took {reading:.0} s: about {about} in all"))
        }
        1 => None,
        _ => Some(format!(
            "{turns} turns, each a reading of the whole trace, which took {reading:.0} s: about {about} in all; more --memory makes fewer"
        )),
    }
}

pub fn run(args: &Args) -> CommandResult {
    let base = base(&args.sets)?;
    let policies = policies(&args.policies, &args.sets, &base)?;
    let begun = Instant::now();
    let info = Info::read(open(&args.file)?).map_err(wrong(&args.file))?;
    let reading = begun.elapsed().as_secs_f64();
    let buckets = buckets(&base, Some(info.positions)).map_err(CommandFailure::usage)?;
    args.sample.map_or(Ok(()), |one_in| enough(one_in, buckets)).map_err(CommandFailure::usage)?;
    let sample = match (args.sample, args.deep) {
        (None, _) => None,
        (Some(one_in), None) => Some(Sample::new(one_in)),
        (Some(one_in), Some(deep)) => {
            let bucket = |key| base.index.bucket(key, buckets);
            let sample = Sample::new(one_in).and_deep(open(&args.file)?, deep, buckets, bucket);
            Some(sample.map_err(wrong(&args.file))?)
        }
    };
    let classes = if sample.is_some() { CLASSES } else { 1 };
    let mut room = Replayers::new(&base, &policies, info.positions, classes).map_err(CommandFailure::usage)?;
    let one_in = args.sample.filter(|_| args.deep.is_none()).unwrap_or(1);
    let turns = Passes::new(&info, base.index, buckets, crate::system::at_most_half(args.memory << 20), one_in);
    if let Some(message) = told_turns(info.events, turns.count, reading, room.lines.len()) {
        eprintln!("{message}");
    }
    room.turns = turns.count;
    let class = |bucket| sample.as_ref().map_or(Some(0), |sample| sample.class(bucket));
    let again = || Reader::new(crate::system::files::open(&args.file)?);
    turns.show(again, classes, class, &mut room).map_err(|halted| match halted {
        Halted::Trace(error) => wrong(&args.file)(error),
        Halted::Table(error) => CommandFailure::usage(error),
    })?;

    let Replayers { mut lines, foresight, steps, seconds, .. } = room;
    let always = lines.remove(0).found;
    let [hits, kept, worth] = foresight.each_ref().map(Clairvoyant::found);
    let best = always.iter().enumerate().map(|(class, always)| Replayed {
        hits: hits[class],
        kept: kept[class],
        worth_kept: worth[class],
        ..*always
    });
    let page = ReplayPage { best: best.collect(), always, sample, csv: args.csv, worth: info.tells_worth() };
    println!("{}", page.head(&info, &base, buckets));
    for line in &lines {
        println!("{}", page.line(&line.name, &line.found, true));
    }
    println!("{}", page.line("clairvoyant", &page.best, false));
    println!("{}", page.line("unbounded", &page.all(), false));
    let rate = |seconds: f64, times: usize| steps as f64 * times as f64 / seconds.max(1e-9) / 1e6;
    eprintln!(
        "{:.1} million events a second; the bounds {:.1} million",
        rate(seconds[0], lines.len() + 1),
        rate(seconds[1], 3)
    );
    Ok(Exit::Done)
}

/// How the findings are written.
struct ReplayPage {
    always: Vec<Replayed>,
    best: Vec<Replayed>,
    sample: Option<Sample>,
    csv: bool,
    /// Whether the trace tells which probes were usable.
    worth: bool,
}

type Reads = fn(&Replayed) -> u64;

impl ReplayPage {
    /// What a table that forgets nothing has.
    fn all(&self) -> Vec<Replayed> {
        let all = |seen: &Replayed| Replayed { hits: seen.known, kept: seen.cuts, worth_kept: seen.worth, ..*seen };
        self.always.iter().map(all).collect()
    }

    /// A total over the classes and, where it is estimated, half the width of its interval.
    fn total(&self, found: &[Replayed], count: Reads) -> (f64, Option<f64>) {
        let totals: Vec<f64> = found.iter().map(|found| count(found) as f64).collect();
        let estimate = self.sample.as_ref().map(|sample| sample.estimate(&totals));
        estimate.map_or_else(|| (totals.iter().sum(), None), |(total, half)| (total, Some(half)))
    }

    /// Columns of a count, which is written with its interval where it is estimated.
    fn wide(&self) -> usize {
        if self.sample.is_some() { 24 } else { 13 }
    }

    /// Whether the worth in a sample can be told.
    fn tells_worth(&self) -> bool {
        self.worth && self.sample.as_ref().is_none_or(Sample::keeps_deep)
    }

    /// What stands above the lines: of a table what it was shown and what is not said, and the names of the columns.
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
            let deep = if sample.keeps_deep() { " and all with deep entries" } else { "" };
            text += &format!("estimated from one bucket in {}{deep}, with 95 % intervals\n", sample.one_in);
        }
        if !self.worth {
            text += "no probe tells its window or ended its node: nothing can be said of cuts and worth\n";
        } else if !self.tells_worth() {
            text += "nothing is said of worth: most of it lies in few deep entries, which --deep keeps in the sample\n";
        }
        let wide = self.wide();
        text + &format!(
            "open loop: in a search, what a table answers changes what is asked next\n\n\
             {:>wide$} {:>7} {:>7} {:>wide$} {:>7} {:>7} {:>wide$} {:>7} {:>7} {:>11} {:>11}  policy",
            "hits", "known", "gap", "cuts kept", "of all", "gap", "worth kept", "of all", "gap", "evictions", "refused"
        )
    }

    /// One table's line; `real` tables have stores that went somewhere.
    fn line(&self, name: &str, found: &[Replayed], real: bool) -> String {
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
