use super::{CommandFailure, CommandResult, Exit, io_failure};
use crate::engine::EngineOptions;
use crate::experiment::{Plan, PlanFile, Variant};
use crate::runner::players;
use crate::submit::{Request, System, quote_for_shell, scripts};
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// Write job scripts for Slurm, GNU parallel or GitHub Actions
#[derive(clap::Args)]
#[command(after_help = include_str!("help/submit.txt"))]
pub struct Args {
    /// The scheduler that the scripts are for
    system: System,
    /// The plan file that `ttlab plan --shards` wrote
    plan: PathBuf,
    /// Folder of the results [default: reports/<name>]
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Time limit of a shard with Slurm, in its format
    #[arg(long, default_value = "24:00:00", value_parser = parse_time)]
    time: String,
    /// Processors of a shard; it runs as many jobs in parallel
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    cpus: u16,
    /// Memory of a shard with Slurm, in MiB [default: its tables and 256; 4096 if their size is
    /// unknown]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    mem: Option<u64>,
    /// Shards that run in parallel; with --sshlogin, on each machine
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    at_once: Option<u64>,
    /// With GNU parallel: run the shards over ssh, as in N/user@host (may be repeated)
    #[arg(long, value_name = "HOST")]
    sshlogin: Vec<String>,
}

/// Checks a time in Slurm's format and returns it unchanged. The time is given as minutes,
/// minutes:seconds or hours:minutes:seconds, or begins with days and a hyphen, as in days-hours.
/// The first number may be larger than its unit usually allows, as in 90 minutes.
fn parse_time(text: &str) -> Result<String, String> {
    let parse_number =
        |part: &str| if part.chars().all(|c| c.is_ascii_digit()) { part.parse::<u32>().ok() } else { None };
    let (days, time_of_day) = text.split_once('-').map_or((None, text), |(days, time)| (Some(days), time));
    let parts: Option<Vec<u32>> = time_of_day.split(':').map(parse_number).collect();
    let is_valid = parts.is_some_and(|parts| {
        parts.len() <= 3
            && parts[1..].iter().all(|&part| part < 60)
            // If there are days, the number after the hyphen is the number of hours.
            && days.is_none_or(|days| parse_number(days).is_some() && parts[0] < 24)
    });
    if is_valid {
        Ok(text.to_owned())
    } else {
        Err("expected a time in Slurm's format: 90, 12:00:00 or 2-00".to_owned())
    }
}

pub fn run(args: &Args) -> CommandResult {
    let (file, experiment, plan) = PlanFile::load(&args.plan).map_err(CommandFailure::usage)?;
    let system = args.system;
    let system_name = system.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let out = args.out.clone().unwrap_or_else(|| super::folder::default_folder(&experiment));
    let folder = out.join(&system_name);
    // An absolute path refers to the same file on all machines of a cluster.
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string();
    // If characters that are not UTF-8 were replaced, the path in the script would name another
    // file.
    for path in [&args.plan, &out].map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())) {
        if path.to_str().is_none() {
            refuse!(
                "{}: the path is not valid UTF-8, so a script cannot contain it: run the command in another folder",
                path.display()
            );
        }
    }
    let plan_path = match system {
        System::Github => path_in_repository(&args.plan)?,
        _ => absolute(&args.plan),
    };
    let request = Request {
        name: file.name.clone(),
        plan_id: file.plan.clone(),
        suites: file.suites.values().map(|suite| suite.path.display().to_string()).collect(),
        hosts: args.sshlogin.clone(),
        shards: file.shards,
        jobs: file.jobs,
        ttlab: std::env::current_exe().map_or_else(|_| "ttlab".to_owned(), |path| path.display().to_string()),
        plan: plan_path,
        out: absolute(&out),
        folder: absolute(&folder),
        cpus: args.cpus,
        mebibytes: args.mem.unwrap_or_else(|| shard_memory(&plan, args.cpus)),
        time: args.time.clone(),
        max_running: args.at_once,
    };
    let paths = [&request.plan, &request.out, &request.folder, &request.ttlab];
    if paths.iter().any(|path| path.contains(char::is_control)) {
        refuse!("a path contains a control character, which scripts cannot contain: rename it");
    }
    if !request.hosts.is_empty() && system != System::Parallel {
        refuse!("--sshlogin is for GNU parallel: ttlab submit parallel PLAN --sshlogin HOST");
    }
    if !request.hosts.is_empty() || system == System::Github {
        check_copied_files(&request, Path::new(&absolute(&args.plan)))?;
    }
    crate::submit::check_folder(system, &request)
        .map_err(|problem| CommandFailure::usage(format!("{system_name}: {problem}")))?;
    crate::record::create_folder(&folder).map_err(io_failure(&folder))?;
    let (scripts, submit_command) = scripts(system, &request);
    for script in scripts {
        let path = folder.join(script.name);
        super::write(&path, &script.text)?;
        println!("{}", path.display());
    }
    println!("to submit {} shards:  {submit_command}", request.shards);
    Ok(Exit::Done)
}

/// The path of the plan as a job on GitHub sees it, which begins in the root of the repository.
fn path_in_repository(plan: &Path) -> Result<String, CommandFailure> {
    let root = std::env::current_dir().map_err(CommandFailure::io)?;
    match std::path::absolute(plan).map_err(CommandFailure::io)?.strip_prefix(&root) {
        Ok(path) if root.join(".git").exists() => Ok(path.display().to_string()),
        _ => refuse!(
            "{}: a workflow needs the plan in its repository: run this command in the repository's root folder, with a \
             plan below it (found {})",
            plan.display(),
            root.display()
        ),
    }
}

/// Checks the files that other machines get: they are found below the folder of the plan, and GNU
/// parallel, rsync and GitHub would read other names in their own ways.
fn check_copied_files(request: &Request, plan: &Path) -> Result<(), CommandFailure> {
    let is_strange = |path: &&String| quote_for_shell(path) != **path;
    let program = (!request.hosts.is_empty()).then_some(&request.ttlab);
    if let Some(path) = request.suites.iter().chain([&request.plan]).chain(program).find(is_strange) {
        refuse!("{path}: the path of a file for other machines may have only letters, digits and -_./=:,+");
    }
    let folder = plan.parent().unwrap_or(plan);
    if let Some(suite) = request.suites.iter().find(|suite| !Path::new(suite).starts_with(folder)) {
        refuse!(
            "{suite}: the suite is not below {}, the folder of the plan, so other machines would not find it: write \
             the plan to a folder above its suites",
            folder.display()
        );
    }
    Ok(())
}

/// For each parallel job, this is the memory of the tables of the largest job. In a match, these
/// are the tables of both players. 256 MiB are added for everything else. The result is 4 GiB if
/// the size of a table is not known in advance. This is so if the table is unbounded, or if its
/// size is given as a share of the working set.
fn shard_memory(plan: &Plan, cpus: u16) -> u64 {
    let table_bytes = |variant: &Variant| variant.builtin().map_or(Some(0), EngineOptions::memory_bytes);
    let sum_tables = |lane| {
        players(plan, lane).try_fold(0, |sum: u64, variant: &Variant| Some(sum.saturating_add(table_bytes(variant)?)))
    };
    let bytes_by_lane = (0..plan.lane_count()).map(sum_tables).collect::<Option<Vec<u64>>>();
    let Some(bytes_by_lane) = bytes_by_lane else { return 4096 };
    let bytes = bytes_by_lane.into_iter().max().unwrap_or(0).saturating_mul(u64::from(cpus));
    bytes.div_ceil(1 << 20) + 256
}

#[cfg(test)]
mod tests;
