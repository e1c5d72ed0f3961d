//! Plans for several machines. A plan file contains everything that a shard needs. [`Split`]
//! assigns the jobs of a plan to shards.

use super::identity::hasher;
use super::load::Experiment;
use super::plan::{Job, Plan};
use super::suites::Section;
use super::text::SuiteTexts;
use crate::chess::builtin;
use crate::decode::from_json;
use crate::text::plural;
use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::path::Path;

/// The assignment of a plan's jobs to shards. The assignment depends only on the plan and on the
/// number of shards, so no scheduler is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    shards: u64,
    /// Whether all jobs of an item belong to one shard.
    keeps_items_together: bool,
}

impl Split {
    /// Assigns a plan's jobs to shards. All jobs of an item belong to one shard, so that searches
    /// that are compared are timed on one machine. If there are more shards than items, each job is
    /// assigned individually instead.
    pub fn new(plan: &Plan, shards: u64) -> Self {
        Self { shards: shards.max(1), keeps_items_together: shards <= plan.item_count() as u64 }
    }

    /// The shard of a job, from 0.
    pub fn shard_of(&self, plan: &Plan, job: &Job) -> u64 {
        if self.keeps_items_together {
            return job.item as u64 % self.shards;
        }
        // With the remainder of `order_key` alone, each shard would have jobs of a single variant
        // if the number of shards is a multiple of the number of variants.
        let order_key = plan.order_key(job);
        (order_key + order_key / self.shards) % self.shards
    }
}

/// A plan file: the experiment, its suites and the shards, so that a machine needs only this file
/// and the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// Version of this format: 1.
    pub schema: u32,
    /// Version of the program that wrote it.
    pub ttlab: String,
    pub name: String,
    /// The plan's id, as in manifests.
    pub plan: String,
    /// Total number of jobs.
    pub jobs: u64,
    pub shards: u64,
    /// The experiment file's name without its folder.
    pub file: String,
    /// The `--set` overrides, as `path=value`.
    pub sets: Vec<String>,
    /// The experiment file's text.
    pub experiment: String,
    /// The text of the suite's file; `None` if the experiment file contains the position itself.
    pub suite: Option<String>,
    /// If there are several suites, the text of each suite's file, by suite name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub suites: BTreeMap<String, String>,
    /// The jobs of each shard, for checking.
    pub parts: Vec<ShardJobs>,
}

/// The jobs of one shard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardJobs {
    pub jobs: u64,
    /// Hash of the jobs' ids, in order.
    pub ids: String,
}

/// An error in a plan file.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct PlanError {
    path: String,
    /// What is wrong, and what to do.
    problem: String,
}

/// The version of the plan file's format.
const SCHEMA: u32 = 1;

/// Maximum number of shards: above the limit of any scheduler's job array.
pub const MAX_SHARDS: u64 = 1_000_000;

/// Reads the text of a file or of a built-in suite.
fn read_text(path: &Path) -> Result<String, PlanError> {
    if let Some(Ok(suite)) = builtin::find(path) {
        return Ok(suite.text.to_owned());
    }
    let to_plan_error =
        |error: std::io::Error| PlanError { path: path.display().to_string(), problem: error.to_string() };
    crate::system::files::read_text(path).map_err(to_plan_error)
}

/// Returns the number of jobs in each shard of a plan, and a hash of the ids of these jobs.
fn shard_jobs(plan: &Plan, shards: u64) -> Vec<ShardJobs> {
    let split = Split::new(plan, shards);
    let mut counts_and_hashes = vec![(0, hasher()); shards as usize];
    for job in plan.jobs() {
        let (count, hash) = &mut counts_and_hashes[split.shard_of(plan, &job) as usize];
        *count += 1;
        hash.write_u64(plan.job_id(&job));
    }
    let to_shard_jobs = |(jobs, hash): (u64, SipHasher13)| ShardJobs { jobs, ids: format!("{:016x}", hash.finish()) };
    counts_and_hashes.into_iter().map(to_shard_jobs).collect()
}

impl PlanFile {
    /// Creates the plan file of an experiment. `file` is the path of the experiment file. `shards`
    /// is the number of shards, which is clamped to the range 1..=[`MAX_SHARDS`].
    pub fn new(experiment: &Experiment, file: &Path, overrides: &[String], shards: u64) -> Result<Self, PlanError> {
        let plan = Plan::new(experiment);
        let shards = shards.clamp(1, MAX_SHARDS);
        let suite = experiment.suite_file.as_ref().map(|path| read_text(path)).transpose()?;
        let name_and_text =
            |section: &Section| Some(read_text(section.path.as_ref()?).map(|text| (section.name.clone(), text)));
        let suites = experiment.sections.iter().filter_map(name_and_text).collect::<Result<_, _>>()?;
        Ok(Self {
            schema: SCHEMA,
            ttlab: env!("CARGO_PKG_VERSION").to_owned(),
            name: experiment.name.clone(),
            plan: format!("{:016x}", plan.id()),
            jobs: plan.len(),
            shards,
            file: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            sets: overrides.to_vec(),
            experiment: experiment.text.clone(),
            suite,
            suites,
            parts: shard_jobs(&plan, shards),
        })
    }

    /// Reads a plan file, and the experiment and the plan in it.
    ///
    /// # Errors
    /// When the file cannot be read, is not a plan, or does not match its experiment.
    pub fn load(path: &Path) -> Result<(Self, Experiment, Plan), PlanError> {
        Self::parse(&read_text(path)?, &path.display().to_string())
    }

    /// Parses the text of a plan file, and creates the experiment and the plan in it. `path` is the
    /// path of the plan file for the error messages.
    pub fn parse(text: &str, path: &str) -> Result<(Self, Experiment, Plan), PlanError> {
        let plan_error = |problem: String| PlanError { path: path.to_owned(), problem };
        let not_a_plan = |problem: String| {
            let help = "`ttlab plan FILE --shards N -o plan.json` makes a plan";
            plan_error(format!("not a plan of ttlab: {problem}\nhelp: {help}"))
        };
        let describe_error =
            |error: serde_json::Error| format!("line {}, column {}: not JSON", error.line(), error.column());
        let value = serde_json::from_str(text).map_err(|error| not_a_plan(describe_error(error)))?;
        let file: Self = from_json(value).map_err(|error| not_a_plan(error.to_string()))?;
        let check_equal = |field: &str, actual: String, expected: String| {
            let problem = format!("{field}: the plan has {actual}, but its experiment gives {expected}");
            let help = "the plan was edited, or was made by another version of ttlab: make the plan again";
            if actual == expected { Ok(()) } else { Err(plan_error(format!("{problem}\nhelp: {help}"))) }
        };
        check_equal("schema", file.schema.to_string(), SCHEMA.to_string())?;
        if !(1..=MAX_SHARDS).contains(&file.shards) {
            // This check always fails, because no number equals the text of the range.
            check_equal("shards", file.shards.to_string(), format!("1 to {MAX_SHARDS}"))?;
        }
        let texts = SuiteTexts::Plan { suite: file.suite.as_deref(), suites: &file.suites };
        let experiment = Experiment::from_plan(&file.experiment, Path::new(&file.file), &file.sets, texts)
            .map_err(|problem| plan_error(problem.to_string()))?;
        let plan = Plan::new(&experiment);
        check_equal("name", file.name.clone(), experiment.name.clone())?;
        check_equal("jobs", file.jobs.to_string(), plan.len().to_string())?;
        check_equal("plan", file.plan.clone(), format!("{:016x}", plan.id()))?;
        check_equal("parts", file.parts.len().to_string(), file.shards.to_string())?;
        let describe = |part: &ShardJobs| format!("{} {}", plural(part.jobs, "job"), part.ids);
        for (index, (actual, expected)) in file.parts.iter().zip(shard_jobs(&plan, file.shards)).enumerate() {
            check_equal(&format!("parts[{index}]"), describe(actual), describe(&expected))?;
        }
        Ok((file, experiment, plan))
    }

    /// The text of the plan file.
    ///
    /// # Errors
    /// Never in practice: all fields are text or numbers.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each shard a plan has the number of jobs and a hash of their ids.
    #[test]
    fn plan_file_counts_every_job_in_its_shard() {
        let text = "suite = 'data/bratko-kopec.epd'\nfirst = 7\nlimit = { depth = 1 }\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n";
        let path = Path::new("x.toml");
        let experiment = Experiment::parse(text, path, &[]).unwrap_or_else(|problem| panic!("{problem}"));
        for shards in [1, 3, 14, 20] {
            let file = PlanFile::new(&experiment, path, &[], shards).unwrap();
            let jobs: Vec<u64> = file.parts.iter().map(|part| part.jobs).collect();
            assert_eq!((jobs.len() as u64, jobs.iter().sum::<u64>()), (shards, 14), "{jobs:?}");
            let empty = format!("{:016x}", hasher().finish());
            assert!(file.parts.iter().all(|part| (part.jobs == 0) == (part.ids == empty)), "{shards}");
        }
    }

    /// Each part of a plan is checked against its experiment: the first, a middle one and the last.
    #[test]
    fn edited_part_is_named() {
        let text = "suite = { startpos = true }\nlimit = { depth = 1 }\n[grid]\n'keys.seed' = [1, 2, 3, 4, 5]\n";
        let path = Path::new("x.toml");
        let experiment = Experiment::parse(text, path, &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let file = PlanFile::new(&experiment, path, &[], 4).unwrap();
        assert!(PlanFile::parse(&file.text().unwrap(), "p").is_ok_and(|(read, ..)| read == file));
        for index in 0..4 {
            let mut edited = file.clone();
            edited.parts[index].jobs += 1;
            let message = PlanFile::parse(&edited.text().unwrap(), "p").unwrap_err().to_string();
            assert!(message.starts_with(&format!("p: parts[{index}]: the plan has ")), "{message}");
            let mut edited = file.clone();
            edited.parts[index].ids = "0".repeat(16);
            assert!(PlanFile::parse(&edited.text().unwrap(), "p").is_err(), "{index}");
        }
        // Fields of the whole plan are checked too, each under its name.
        type Edit = (&'static str, fn(&mut PlanFile));
        let edits: [Edit; 8] = [
            ("schema: the plan has 2, but its experiment gives 1", |file| file.schema = 2),
            ("shards: the plan has 0, but its experiment gives 1 to 1000000", |file| file.shards = 0),
            ("shards: the plan has 1000001, but its experiment gives 1 to 1000000", |file| file.shards = 1_000_001),
            ("parts: the plan has 4, but its experiment gives 1000000", |file| file.shards = 1_000_000),
            ("name: the plan has y, but its experiment gives x", |file| file.name = "y".to_owned()),
            ("jobs: the plan has 6, but its experiment gives 5", |file| file.jobs = 6),
            ("plan: the plan has 0, but its experiment gives ", |file| file.plan = "0".to_owned()),
            ("parts: the plan has 3, but its experiment gives 4", |file| file.parts.truncate(3)),
        ];
        for (problem, edit) in edits {
            let mut edited = file.clone();
            edit(&mut edited);
            let message = PlanFile::parse(&edited.text().unwrap(), "p").unwrap_err().to_string();
            assert!(message.starts_with(&format!("p: {problem}")), "{message}");
        }
        // The `--set` overrides in the plan, including --skip-bad, apply when the plan is run.
        let folder = tempfile::tempdir().unwrap();
        let twice = "8/8/8/3k4/8/3K4/4P3/8 w - - id \"a\";\n8/8/8/3k4/8/3K4/4P3/8 w - - id \"b\";\n";
        std::fs::write(folder.path().join("s.epd"), twice).unwrap();
        let sets = ["table.slots=2".to_owned(), crate::experiment::SKIP_BAD.to_owned()];
        let (text, path) = ("suite = 's.epd'\nlimit = { depth = 1 }\n", folder.path().join("x.toml"));
        let read = |sets: &[String]| Experiment::parse(text, &path, sets).unwrap_or_else(|problem| panic!("{problem}"));
        let experiment = read(&sets);
        let id = Plan::new(&experiment).id();
        assert_eq!((&experiment.overrides[..], experiment.suite.items.len()), (&sets[..], 1));
        let same_experiment = read(&experiment.overrides);
        assert_eq!(Plan::new(&same_experiment).id(), id, "what a manifest keeps makes the same plan again");
        let file = PlanFile::new(&experiment, &path, &sets, 1).unwrap();
        assert!(PlanFile::parse(&file.text().unwrap(), "p").is_ok_and(|(.., plan)| plan.id() == id));
    }
}
