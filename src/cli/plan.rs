use super::{Exit, Failure, Outcome};
use crate::experiment::{Experiment, Plan};
use std::path::PathBuf;

/// Show what an experiment would run, and what it would cost, without running it
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab plan experiments/quick.toml           the variants, the jobs, the memory
  ttlab plan experiments/quick.toml --jobs-list
                                              every job, one line each")]
pub struct Args {
    /// The experiment file
    file: PathBuf,
    /// Lay a value over every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// List every job
    #[arg(long)]
    jobs_list: bool,
}

pub fn run(args: &Args) -> Outcome {
    let experiment = Experiment::load(&args.file, &args.sets).map_err(Failure::usage)?;
    let plan = Plan::new(&experiment);
    println!("experiment  {}", experiment.name);
    if !experiment.file.question.is_empty() {
        println!("question    {}", experiment.file.question);
    }
    println!("suite       {} ({} items)", experiment.suite_name, experiment.suite.items.len());
    println!("jobs        {} = {} variants x items x {} repeat(s)", plan.len(), plan.variants.len(), plan.repeats);
    println!("plan        {:016x}", plan.id());
    let varying = plan.varying();
    println!("varies      {}", if varying.is_empty() { "nothing".to_owned() } else { varying.join(", ") });
    println!("\n{:>10}  {:<14} variant", "table", "limit");
    for (at, point) in plan.variants.iter().enumerate() {
        let bytes = match crate::table::bytes(&point.options.table, None) {
            Some(0) => "none".to_owned(),
            Some(bytes) => crate::table::options::Size::Bytes(bytes.next_multiple_of(1024)).to_string(),
            None => match point.options.table.kind {
                crate::table::TableKind::Unbounded => "unbounded".to_owned(),
                _ => point.options.table.size.to_string(),
            },
        };
        let limit = [("depth", point.limit.depth.map(u64::from)), ("nodes", point.limit.nodes)];
        let limit: Vec<String> =
            limit.iter().filter_map(|(name, value)| value.map(|v| format!("{name} {v}"))).collect();
        let mark = if at == plan.baseline { "  (baseline)" } else { "" };
        println!("{bytes:>10}  {:<14} {}{mark}", limit.join(", "), point.name);
    }
    if args.jobs_list {
        println!();
        for job in plan.jobs() {
            let (point, item) = (&plan.variants[job.variant], &experiment.suite.items[job.item]);
            println!("{:016x}  repeat {}  {}  {}", plan.job_id(&job), job.repeat, item.id, point.name);
        }
    }
    Ok(Exit::Done)
}
