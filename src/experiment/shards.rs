//! Plans for many machines: a file that holds everything a shard needs, and the rule by which jobs are dealt out.

use super::decode::from_json;
use super::file::Experiment;
use super::identity::hasher;
use super::plan::{Job, Plan};
use super::suites::Section;
use super::text::SuiteTexts;
use crate::chess::builtin;
use crate::text::plural;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::path::Path;

/// How the jobs of a plan are dealt out to shards. It depends on the plan and the number of shards alone: no scheduler is asked
/// which of how many it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    shards: u64,
    by_item: bool,
}

impl Split {
    /// Deals a plan out. All jobs of an item go to one shard, so that what is compared is timed on one machine; where there are
    /// more shards than items, every job goes by itself.
    pub fn new(plan: &Plan, shards: u64) -> Self {
        Self { shards: shards.max(1), by_item: shards <= plan.items() as u64 }
    }

    /// The shard of a job, from 0.
    pub fn shard_of(&self, plan: &Plan, job: &Job) -> u64 {
        if self.by_item {
            return job.item as u64 % self.shards;
        }
        // Moving on by one in each round keeps a number of shards that the variants divide from giving a shard one variant.
        let place = plan.order_key(job);
        (place + place / self.shards) % self.shards
    }
}

/// A plan as a file: the experiment, its suite and the shards, so that a machine needs this file and the program alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// Version of this format: 1.
    pub schema: u32,
    /// The program's version that made it.
    pub ttlab: String,
    /// The experiment's name.
    pub name: String,
    /// The plan's hash, as in manifests.
    pub plan: String,
    /// Jobs in all.
    pub jobs: u64,
    /// Into how many shards they are dealt.
    pub shards: u64,
    /// The experiment file's name; its folder is not looked at.
    pub file: String,
    /// What `--set` laid over it.
    pub sets: Vec<String>,
    /// The experiment file's text.
    pub experiment: String,
    /// The suite file's text; none where the experiment gives its position itself.
    pub suite: Option<String>,
    /// The texts of several suites' files, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub suites: BTreeMap<String, String>,
    /// The shards.
    pub parts: Vec<ShardJobs>,
}

/// One shard of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardJobs {
    /// Its jobs.
    pub jobs: u64,
    /// Hash of their ids, in order.
    pub ids: String,
}

/// Why a plan file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct PlanError {
    path: String,
    /// What is wrong with it, and what helps.
    problem: String,
}

const SCHEMA: u32 = 1;

/// Shards at most: more than any scheduler's array takes.
pub const MAX_SHARDS: u64 = 1_000_000;

fn read_text(path: &Path) -> Result<String, PlanError> {
    if let Some(Ok(suite)) = builtin::find(path) {
        return Ok(suite.text.to_owned());
    }
    let wrong = |error: std::io::Error| PlanError { path: path.display().to_string(), problem: error.to_string() };
    crate::system::files::read_text(path).map_err(wrong)
}

fn shard_jobs(plan: &Plan, shards: u64) -> Vec<ShardJobs> {
    let split = Split::new(plan, shards);
    let mut hashes = vec![(0, hasher()); shards as usize];
    for job in plan.jobs() {
        let (jobs, hash) = &mut hashes[split.shard_of(plan, &job) as usize];
        *jobs += 1;
        hash.write_u64(plan.job_id(&job));
    }
    hashes.into_iter().map(|(jobs, hash)| ShardJobs { jobs, ids: format!("{:016x}", hash.finish()) }).collect()
}

impl PlanFile {
    /// The plan of an experiment, in so many shards (1 to [`MOST_SHARDS`]).
    ///
    /// # Errors
    /// When the suite's file cannot be read again.
    pub fn new(experiment: &Experiment, file: &Path, sets: &[String], shards: u64) -> Result<Self, PlanError> {
        let plan = Plan::new(experiment);
        let shards = shards.clamp(1, MAX_SHARDS);
        let suite = experiment.suite_file.as_ref().map(|path| read_text(path));
        let text = |section: &Section| Some(read_text(section.path.as_ref()?).map(|text| (section.name.clone(), text)));
        let suites = experiment.sections.iter().filter_map(text).collect::<Result<_, _>>()?;
        Ok(Self {
            schema: SCHEMA,
            ttlab: env!("CARGO_PKG_VERSION").to_owned(),
            name: experiment.name.clone(),
            plan: format!("{:016x}", plan.id()),
            jobs: plan.len(),
            shards,
            file: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            sets: sets.to_vec(),
            experiment: experiment.text.clone(),
            suite: suite.transpose()?,
            suites,
            parts: shard_jobs(&plan, shards),
        })
    }

    /// Reads a plan, and the experiment that it holds.
    ///
    /// # Errors
    /// When it cannot be read, is no plan, or does not say what this program makes of its experiment.
    pub fn load(path: &Path) -> Result<(Self, Experiment, Plan), PlanError> {
        Self::parse(&read_text(path)?, &path.display().to_string())
    }

    /// As [`PlanFile::load`], from text; `path` is what errors call the file.
    ///
    /// # Errors
    /// As there.
    pub fn parse(text: &str, path: &str) -> Result<(Self, Experiment, Plan), PlanError> {
        let wrong = |problem: String| PlanError { path: path.to_owned(), problem };
        let no_plan = |problem: String| {
            let help = "ttlab plan FILE --shards N -o plan.json makes one";
            wrong(format!("it is no plan of ttlab: {problem}\nhelp: {help}"))
        };
        let value = serde_json::from_str(text).map_err(|error| no_plan(error.to_string()))?;
        let file: Self = from_json(value).map_err(|error| no_plan(error.to_string()))?;
        let same = |field: &str, output: String, meant: String| {
            let problem = format!("{field}: the plan says {output}, and its experiment means {meant}");
            let help = "it was edited, or another version of ttlab made it: make it again";
            if output == meant { Ok(()) } else { Err(wrong(format!("{problem}\nhelp: {help}"))) }
        };
        same("schema", file.schema.to_string(), SCHEMA.to_string())?;
        if !(1..=MAX_SHARDS).contains(&file.shards) {
            same("shards", file.shards.to_string(), format!("1 to {MAX_SHARDS}"))?;
        }
        let texts = SuiteTexts::Plan { suite: file.suite.as_deref(), suites: &file.suites };
        let experiment = Experiment::from_plan(&file.experiment, Path::new(&file.file), &file.sets, texts)
            .map_err(|problem| wrong(problem.to_string()))?;
        let plan = Plan::new(&experiment);
        same("name", file.name.clone(), experiment.name.clone())?;
        same("jobs", file.jobs.to_string(), plan.len().to_string())?;
        same("plan", file.plan.clone(), format!("{:016x}", plan.id()))?;
        same("parts", file.parts.len().to_string(), file.shards.to_string())?;
        for (at, (output, meant)) in file.parts.iter().zip(shard_jobs(&plan, file.shards)).enumerate() {
            let shown = |part: &ShardJobs| format!("{} {}", plural(part.jobs, "job"), part.ids);
            same(&format!("parts[{at}]"), shown(output), shown(&meant))?;
        }
        Ok((file, experiment, plan))
    }

    /// The plan as a file's text.
    ///
    /// # Errors
    /// Never, as far as is known: every part is text or a number.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A plan says of each shard how many jobs it has, and by a digest which they are.
    #[test]
    fn every_job_is_counted_in_its_shard() {
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

    /// Each part of a plan is held against what its experiment means: be it the first, one between or the last.
    #[test]
    fn a_part_that_was_edited_is_named() {
        let text = "suite = { startpos = true }\nlimit = { depth = 1 }\n[grid]\n'keys.seed' = [1, 2, 3, 4, 5]\n";
        let path = Path::new("x.toml");
        let experiment = Experiment::parse(text, path, &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let file = PlanFile::new(&experiment, path, &[], 4).unwrap();
        assert!(PlanFile::parse(&file.text().unwrap(), "p").is_ok_and(|(read, ..)| read == file));
        for at in 0..4 {
            let mut edited = file.clone();
            edited.parts[at].jobs += 1;
            let message = PlanFile::parse(&edited.text().unwrap(), "p").unwrap_err().to_string();
            assert!(message.starts_with(&format!("p: parts[{at}]: the plan says ")), "{message}");
            let mut edited = file.clone();
            edited.parts[at].ids = "0".repeat(16);
            assert!(PlanFile::parse(&edited.text().unwrap(), "p").is_err(), "{at}");
        }
        // What is said of the whole is held against it too, each by its own name.
        type Edit = (&'static str, fn(&mut PlanFile));
        let edits: [Edit; 8] = [
            ("schema: the plan says 2, and its experiment means 1", |file| file.schema = 2),
            ("shards: the plan says 0, and its experiment means 1 to 1000000", |file| file.shards = 0),
            ("shards: the plan says 1000001, and its experiment means 1 to 1000000", |file| file.shards = 1_000_001),
            ("parts: the plan says 4, and its experiment means 1000000", |file| file.shards = 1_000_000),
            ("name: the plan says y, and its experiment means x", |file| file.name = "y".to_owned()),
            ("jobs: the plan says 6, and its experiment means 5", |file| file.jobs = 6),
            ("plan: the plan says 0, and its experiment means ", |file| file.plan = "0".to_owned()),
            ("parts: the plan says 3, and its experiment means 4", |file| file.parts.truncate(3)),
        ];
        for (wrong, edit) in edits {
            let mut edited = file.clone();
            edit(&mut edited);
            let message = PlanFile::parse(&edited.text().unwrap(), "p").unwrap_err().to_string();
            assert!(message.starts_with(&format!("p: {wrong}")), "{message}");
        }
        // Whatever was set when a plan was made is set where it is run: --skip-bad too.
        let folder = tempfile::tempdir().unwrap();
        let twice = "8/8/8/3k4/8/3K4/4P3/8 w - - id \"a\";\n8/8/8/3k4/8/3K4/4P3/8 w - - id \"b\";\n";
        std::fs::write(folder.path().join("s.epd"), twice).unwrap();
        let sets = ["table.slots=2".to_owned(), crate::experiment::SKIP_BAD.to_owned()];
        let (text, place) = ("suite = 's.epd'\nlimit = { depth = 1 }\n", folder.path().join("x.toml"));
        let read = |sets: &[String]| {
            Experiment::parse(text, &place, sets).map(|read| (Plan::new(&read).id(), read.sets, read.suite.items.len()))
        };
        let (id, kept, items) = read(&sets).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!((kept.as_slice(), items), (&sets[..], 1));
        assert_eq!(read(&kept).map(|again| again.0).ok(), Some(id), "what a manifest keeps makes the same plan again");
        let experiment = Experiment::parse(text, &place, &sets).unwrap_or_else(|problem| panic!("{problem}"));
        let file = PlanFile::new(&experiment, &place, &sets, 1).unwrap();
        assert!(PlanFile::parse(&file.text().unwrap(), "p").is_ok_and(|(.., plan)| plan.id() == id));
    }
}
