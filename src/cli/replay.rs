use super::{Exit, Failure, Outcome, engine_options};
use crate::table::policy::Policy;
use crate::table::replay::{Goal, Replayed, clairvoyant, replay};
use crate::table::{TableKind, TableOptions, trace};
use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

/// Show a recorded trace to every policy, and to a table that knows what comes
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab replay bk.trace --set table.size='256 KiB'
  ttlab replay bk.trace --set table.size=4096 --set table.slots=4 --policy always --policy '{ kind = \"depth-age\", factor = 4 }'
  ttlab replay bk.trace --csv > replay.csv

A trace is not a search: what a table answers changes what a search asks next, and here it does not. Where a probe ended its
node in the recorded search and does not here, the entry is offered anew. Record with --set table.kind=unbounded to see what
each policy keeps of all that could be used.

  hits         probes answered, and their share of the probes of positions that were offered before
  cuts kept    of the probes that ended their node in the recorded search: those answered here from no less depth
  gap          the share of the way from `always` to `clairvoyant`
  clairvoyant  Belady's rule with bypass: the most that any table of this shape can have on this trace, computed once for
               the hits and once for the cuts")]
pub struct Args {
    /// What ttlab trace wrote
    file: PathBuf,
    /// A policy: its name, or a table with kind and parameters (may be repeated) [default: all that the slots allow]
    #[arg(long = "policy", value_name = "POLICY")]
    policies: Vec<String>,
    /// Set an option of the table: table.path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Comma-separated values instead of a table
    #[arg(long)]
    csv: bool,
}

/// A policy as the command line has it.
fn policy(text: &str, sets: &[String]) -> Result<Policy, Failure> {
    let sets: Vec<String> = sets.iter().cloned().chain([format!("table.policy={text}")]).collect();
    Ok(engine_options(None, &sets)?.table.policy)
}

pub fn run(args: &Args) -> Outcome {
    let options = engine_options(None, &args.sets)?;
    let (base, by_depth) = (options.table, options.probe.answers_by_depth());
    let mut policies = Vec::new();
    for text in &args.policies {
        policies.push((text.clone(), policy(text, &args.sets)?));
    }
    if policies.is_empty() {
        let all = Policy::NAMES.iter().filter_map(|name| Some(((*name).to_owned(), Policy::named(name)?)));
        policies.extend(all.filter(|(_, policy)| policy.check(&base).is_ok()));
    }
    let said = |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", args.file.display()));
    let file = File::open(&args.file).map_err(|error| said(&error))?;
    let trace = trace::read(file).map_err(|error| match error {
        trace::TraceError::Io(error) => Failure::io(format!("{}: {error}", args.file.display())),
        error => said(&error),
    })?;

    let with = |policy: Policy| TableOptions { policy, ..base.clone() };
    let shown = |options: &TableOptions| replay(&trace, options, by_depth).map_err(Failure::usage);
    let always = shown(&with(Policy::default()))?;
    let best_of = |goal| clairvoyant(&trace, &base, goal).map_err(Failure::usage);
    let best = Replayed { hits: best_of(Goal::Hits)?, kept: best_of(Goal::Cuts)?, ..always };
    let unbounded = shown(&TableOptions { kind: TableKind::Unbounded, ..base.clone() })?;
    let page = Page { always, best, csv: args.csv };
    page.head(trace.len());
    let mut seconds = 0.0;
    for (name, policy) in &policies {
        let begun = Instant::now();
        let found = shown(&with(*policy))?;
        seconds += begun.elapsed().as_secs_f64();
        page.line(name, &found, true);
    }
    page.line("clairvoyant", &best, false);
    page.line("unbounded", &unbounded, false);
    let events = trace.len() as f64 * policies.len() as f64;
    eprintln!("{:.1} million events a second", events / seconds.max(1e-9) / 1e6);
    Ok(Exit::Done)
}

/// How the findings are written.
struct Page {
    always: Replayed,
    best: Replayed,
    csv: bool,
}

impl Page {
    fn head(&self, events: usize) {
        let always = &self.always;
        if self.csv {
            println!("policy,probes,known,hits,hits_gap,deep,cuts,cuts_kept,cuts_gap,stores,evictions,refused");
            return;
        }
        println!(
            "{events} events, {} probes, {} of them of positions offered before, {} ended their node\n",
            always.probes, always.known, always.cuts
        );
        println!(
            "{:>11} {:>7} {:>7} {:>11} {:>7} {:>7} {:>11} {:>11}  policy",
            "hits", "known", "gap", "cuts kept", "of all", "gap", "evictions", "refused"
        );
    }

    /// One table's line; `real` tables have stores that went somewhere.
    fn line(&self, name: &str, found: &Replayed, real: bool) {
        let share = |part: u64, of: u64| (of > 0).then(|| part as f64 / of as f64);
        let gap = |mine: u64, always: u64, best: u64| {
            (best > always).then(|| (mine as f64 - always as f64) / (best as f64 - always as f64))
        };
        let hits_gap = gap(found.hits, self.always.hits, self.best.hits);
        let cuts_gap = gap(found.kept, self.always.kept, self.best.kept);
        if self.csv {
            let number = |share: Option<f64>| share.map_or_else(String::new, |share| format!("{share:.6}"));
            let count = |count: u64| if real { count.to_string() } else { String::new() };
            println!(
                "\"{}\",{},{},{},{},{},{},{},{},{},{},{}",
                name.replace('"', "\"\""),
                found.probes,
                found.known,
                found.hits,
                number(hits_gap),
                count(found.deep),
                found.cuts,
                found.kept,
                number(cuts_gap),
                count(found.stores),
                count(found.evictions),
                count(found.rejections)
            );
            return;
        }
        let percent =
            |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
        let count = |count: u64| if real { count.to_string() } else { String::new() };
        println!(
            "{:>11} {:>7} {:>7} {:>11} {:>7} {:>7} {:>11} {:>11}  {name}",
            found.hits,
            percent(share(found.hits, self.always.known)),
            percent(hits_gap),
            found.kept,
            percent(share(found.kept, self.always.cuts)),
            percent(cuts_gap),
            count(found.evictions),
            count(found.rejections)
        );
    }
}
