//! Plans for several machines. A plan file and the suites that it names are all that a shard needs.
//! [`Split`] assigns the jobs of a plan to shards.

use super::builtin;
use super::identity::hasher;
use super::load::Experiment;
use super::plan::{Job, Plan};
use super::text::ONLY_SUITE;
use crate::decode::from_json;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::path::{Component, Path, PathBuf};

/// The assignment of a plan's jobs to shards. The assignment depends only on the plan and on the
/// number of shards, so no scheduler is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    shards: u64,
    keeps_items_together: bool,
}

impl Split {
    /// Assigns a plan's jobs to shards. All jobs of an item belong to one shard, so that searches
    /// that are compared are timed on one machine, and so do all jobs of a chain. If there are no
    /// chains and more shards than items, each job is assigned individually instead.
    pub fn new(plan: &Plan, shards: u64) -> Self {
        let keeps_items_together = plan.chain_count().is_some() || shards <= plan.item_count() as u64;
        Self { shards: shards.max(1), keeps_items_together }
    }

    /// The shard of a job, from 0.
    pub fn shard_of(&self, plan: &Plan, job: &Job) -> u64 {
        if self.keeps_items_together {
            return plan.chain_of(job) as u64 % self.shards;
        }
        // With the remainder of `order_key` alone, each shard would have jobs of a single variant
        // if the number of shards is a multiple of the number of variants.
        let order_key = plan.order_key(job);
        (order_key + order_key / self.shards) % self.shards
    }
}

const MAKE_PLAN: &str = "`ttlab plan FILE --shards N -o plan.json` makes a plan";

/// A plan file: the experiment, where its suites are, and the shards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// Version of this format: 2.
    pub schema: u32,
    pub ttlab: String,
    pub name: String,
    pub plan: String,
    pub jobs: u64,
    pub shards: u64,
    /// The experiment file's name without its folder.
    pub file: String,
    pub sets: Vec<String>,
    pub experiment: String,
    /// The folder of the plan file when it was written. A suite below it that is not at its path is
    /// looked for at the same place below the folder from which the plan is read.
    #[serde(default)]
    pub folder: PathBuf,
    /// The suites' files by suite name (see [`ONLY_SUITE`]). Suites that are compiled in are not
    /// listed.
    pub suites: BTreeMap<String, SuiteFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteFile {
    pub path: PathBuf,
    /// Hash of the file's bytes.
    pub hash: String,
}

impl SuiteFile {
    fn read(path: &Path) -> std::io::Result<Self> {
        let mut hash = hasher();
        hash.write(&crate::system::files::read(path)?);
        Ok(Self { path: plain_absolute(path)?, hash: format!("{:016x}", hash.finish()) })
    }
}

impl Experiment {
    /// The absolute paths of the suites' files by suite name, as [`Experiment::from_plan`] expects
    /// them. Suites that are compiled in are not listed.
    pub fn suite_paths(&self) -> BTreeMap<String, PathBuf> {
        let section_paths = self.sections.iter().map(|section| (section.name.as_str(), section.path.as_ref()));
        let paths = [(ONLY_SUITE, self.suite_file.as_ref())].into_iter().chain(section_paths);
        let files = paths.filter_map(|(name, path)| Some((name, path.filter(|path| builtin::find(path).is_none())?)));
        files
            .map(|(name, path)| (name.to_owned(), std::path::absolute(path).unwrap_or_else(|_| path.clone())))
            .collect()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct PlanError {
    path: String,
    problem: String,
}

/// The absolute path of a file, without `..` if that is the path of the same file.
fn plain_absolute(path: &Path) -> std::io::Result<PathBuf> {
    let (path, mut plain) = (std::path::absolute(path)?, PathBuf::new());
    for component in path.components() {
        if component == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    let is_same = plain.canonicalize().ok() == path.canonicalize().ok();
    Ok(if is_same { plain } else { path })
}

/// The absolute path of a file's folder.
fn folder_of(file: &Path) -> PathBuf {
    std::path::absolute(file).ok().and_then(|path| Some(path.parent()?.to_owned())).unwrap_or_default()
}

/// The version of the plan file's format.
const SCHEMA: u32 = 2;

/// Maximum number of shards: above the limit of any scheduler's job array.
pub const MAX_SHARDS: u64 = 1_000_000;

impl PlanFile {
    /// Creates the plan file of an experiment. `file` is the path of the experiment file. `shards`
    /// is the number of shards, which is clamped to the range 1..=[`MAX_SHARDS`], or to the number
    /// of chains if the plan has chains. The plan is to be
    /// written to `output`.
    pub fn new(
        experiment: &Experiment,
        file: &Path,
        overrides: &[String],
        shards: u64,
        output: &Path,
    ) -> Result<Self, PlanError> {
        let plan = Plan::new(experiment);
        let shards = shards.clamp(1, plan.chain_count().map_or(MAX_SHARDS, u64::from));
        let mut suites = BTreeMap::new();
        for (name, path) in experiment.suite_paths() {
            let suite = SuiteFile::read(&path)
                .map_err(|error| PlanError { path: path.display().to_string(), problem: error.to_string() })?;
            suites.insert(name, suite);
        }
        Ok(Self {
            schema: SCHEMA,
            ttlab: env!("CARGO_PKG_VERSION").to_owned(),
            name: experiment.name.clone(),
            plan: plan.id_text(),
            jobs: plan.len(),
            shards,
            file: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            sets: overrides.to_vec(),
            experiment: experiment.text.clone(),
            folder: folder_of(output),
            suites,
        })
    }

    /// Reads a plan file, and the experiment and the plan in it.
    ///
    /// # Errors
    /// When the file cannot be read, is not a plan, or does not match its experiment or its suites.
    pub fn load(path: &Path) -> Result<(Self, Experiment, Plan), PlanError> {
        let name = path.display().to_string();
        match crate::system::files::read_text(path) {
            Ok(text) => Self::parse(&text, &name),
            Err(error) => Err(PlanError { path: name, problem: format!("cannot be read: {error}\nhelp: {MAKE_PLAN}") }),
        }
    }

    /// Parses the text of a plan file, and creates the experiment and the plan in it.
    /// `plan_path` is the path of the plan file.
    pub fn parse(text: &str, plan_path: &str) -> Result<(Self, Experiment, Plan), PlanError> {
        let plan_error = |problem: String| PlanError { path: plan_path.to_owned(), problem };
        let not_a_plan = |problem: String| plan_error(format!("not a plan of ttlab: {problem}\nhelp: {MAKE_PLAN}"));
        let describe_error =
            |error: serde_json::Error| format!("line {}, column {}: not JSON", error.line(), error.column());
        let value = serde_json::from_str(text).map_err(|error| not_a_plan(describe_error(error)))?;
        let mut file: Self = from_json(value).map_err(|error| not_a_plan(error.to_string()))?;
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
        for SuiteFile { path, hash } in file.suites.values_mut() {
            let below = path.strip_prefix(&file.folder).map(|below| folder_of(Path::new(plan_path)).join(below));
            if !path.exists()
                && let Ok(below) = below
                && (below.exists() || !file.folder.exists())
            {
                *path = below;
            }
            let (name, help) = (path.display(), "put the suite that was planned there, or make the plan again");
            let found = SuiteFile::read(path).map_err(|error| {
                plan_error(format!("the suite {name} with the hash {hash} cannot be read: {error}\nhelp: {help}"))
            })?;
            if found.hash != *hash {
                let problem = format!("the suite {name} has changed: expected the hash {hash}, found {}", found.hash);
                return Err(plan_error(format!("{problem}\nhelp: {help}")));
            }
        }
        let paths = file.suites.iter().map(|(name, suite)| (name.clone(), suite.path.clone())).collect();
        let experiment = Experiment::from_plan(&file.experiment, Path::new(&file.file), &file.sets, Some(&paths))
            .map_err(|problem| plan_error(problem.to_string()))?;
        let plan = Plan::new(&experiment);
        check_equal("name", file.name.clone(), experiment.name.clone())?;
        check_equal("jobs", file.jobs.to_string(), plan.len().to_string())?;
        check_equal("plan", file.plan.clone(), plan.id_text())?;
        Ok((file, experiment, plan))
    }

    /// The text of the plan file.
    ///
    /// # Errors
    /// When the path of a suite is not UTF-8.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of a plan are checked against its experiment, each under its name.
    #[test]
    fn edited_field_is_named() {
        let text = "suite = { startpos = true }\nlimit = { depth = 1 }\n[grid]\n'keys.seed' = [1, 2, 3, 4, 5]\n";
        let path = Path::new("x.toml");
        let experiment = Experiment::parse(text, path, &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let file = PlanFile::new(&experiment, path, &[], 4, path).unwrap();
        assert!(PlanFile::parse(&file.text().unwrap(), "p").is_ok_and(|(read, ..)| read == file));
        type Edit = (&'static str, fn(&mut PlanFile));
        let edits: [Edit; 6] = [
            ("schema: the plan has 1, but its experiment gives 2", |file| file.schema = 1),
            ("shards: the plan has 0, but its experiment gives 1 to 1000000", |file| file.shards = 0),
            ("shards: the plan has 1000001, but its experiment gives 1 to 1000000", |file| file.shards = 1_000_001),
            ("name: the plan has y, but its experiment gives x", |file| file.name = "y".to_owned()),
            ("jobs: the plan has 6, but its experiment gives 5", |file| file.jobs = 6),
            ("plan: the plan has 0, but its experiment gives ", |file| file.plan = "0".to_owned()),
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
        let file = PlanFile::new(&experiment, &path, &sets, 1, &path).unwrap();
        assert!(PlanFile::parse(&file.text().unwrap(), "p").is_ok_and(|(.., plan)| plan.id() == id));
    }

    /// In a clone elsewhere the suite is at the same place below the plan's folder.
    #[test]
    fn suites_move_with_the_folder_of_the_plan() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
        std::fs::create_dir_all(old.join("data")).unwrap();
        std::fs::write(old.join("data/s.epd"), "8/8/8/3k4/8/3K4/4P3/8 w - - id \"a\";\n").unwrap();
        std::fs::create_dir(old.join("files")).unwrap();
        let file = old.join("files/x.toml");
        let experiment = Experiment::parse("suite = '../data/s.epd'\nlimit = { depth = 1 }\n", &file, &[])
            .unwrap_or_else(|problem| panic!("{problem}"));
        let plan = PlanFile::new(&experiment, &file, &[], 1, &old.join("plan.json")).unwrap();
        std::fs::rename(&old, &new).unwrap();
        std::fs::write(new.join("plan.json"), plan.text().unwrap()).unwrap();
        let (moved, ..) = PlanFile::load(&new.join("plan.json")).unwrap();
        assert_eq!(moved.suites[ONLY_SUITE].path, new.join("data/s.epd"));
        std::fs::remove_file(new.join("data/s.epd")).unwrap();
        let message = PlanFile::load(&new.join("plan.json")).unwrap_err().to_string();
        assert!(message.contains(&format!("{}", new.join("data/s.epd").display())), "{message}");
    }
}
