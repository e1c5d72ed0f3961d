//! Reads and writes `manifest.json`, which records what was run, by which build of ttlab and on
//! which machine.

use super::{Jobs, seals};
use crate::decode::from_json;
use crate::table::TableOptions;
use crate::table::policy::Policy;
use crate::text::plural;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

pub const MANIFEST: &str = "manifest.json";

/// The subfolder to which a run of another plan moves the results that it finds.
pub const PREVIOUS: &str = "previous";

#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("{path}: {error}")]
    Io { path: String, error: io::Error },
    /// The manifest was edited or damaged, because its seal does not match.
    #[error(
        "{path}: it was edited or damaged: its seal does not match: restore it, or move it away (`ttlab run` of the \
         same experiment then writes another)"
    )]
    Edited { path: String },
    #[error(
        "{path}: a manifest of schema {found}, but this ttlab reads schema {SCHEMA}: run the experiment again, or use the ttlab that wrote it"
    )]
    Version { path: String, found: u64 },
    #[error("{path}: not a manifest of ttlab: {problem}: move the folder away, or choose another")]
    Json { path: String, problem: String },
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    pub cpu: String,
    pub cores: usize,
    pub memory_bytes: u64,
    pub os: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    pub version: String,
    pub commit: String,
    pub profile: String,
    /// Hash of everything that determines counts. This is the code that searches and the versions
    /// of the libraries that the code uses.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub searches: String,
    /// Number of nodes that `ttlab bench` searches. If two builds have different hashes but the
    /// same number of nodes, probably only names in the code have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<u64>,
}

impl Build {
    /// Whether another build searches in the same way, so that its counts are the same.
    pub fn searches_like(&self, other: &Self) -> bool {
        self.searches == other.searches
    }
}

impl std::fmt::Display for Build {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.version, self.commit, self.profile)?;
        self.bench.map_or(Ok(()), |nodes| write!(f, ", bench {nodes}"))
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Index of the shard, from 0.
    pub index: u64,
    pub count: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ShardRun {
    /// Index of the shard, from 0.
    pub index: u64,
    pub jobs: usize,
    pub machine: Machine,
    /// Nodes per second of `ttlab bench` on the shard's machine.
    pub calibration: Option<u64>,
    /// Start of the run, in seconds since 1970 (UTC).
    pub started: u64,
    /// End of the run, in seconds since 1970 (UTC).
    pub ended: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowSource {
    pub folder: String,
    pub jobs: u64,
    pub rows: u64,
    pub build: Build,
}

/// A segment of a run. A segment lasts from a start of the program to its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSegment {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<u64>,
    pub jobs: usize,
    /// Number of jobs that the segment finished. `None` while the program runs and if it was
    /// killed.
    pub done: Option<u64>,
    /// The jobs whose rows the segment wrote. They are recorded when the next segment begins, so
    /// the last segment (of each shard) has `None`. The last segment wrote the rows of all
    /// remaining jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs_written: Option<Jobs>,
    pub build: Build,
    pub machine: Machine,
    /// Whether the memory of a table of 2 MiB or more was in huge pages.
    pub huge_pages: Option<bool>,
    /// Start of the segment, in seconds since 1970 (UTC).
    pub started: u64,
    /// End of the segment, in seconds since 1970 (UTC). `None` while the program runs and if it was
    /// killed.
    pub ended: Option<u64>,
}

/// What is known about an external engine, from the engine's answers and from test searches before
/// the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineInfo {
    pub program: String,
    pub arguments: Vec<String>,
    /// SHA-256 of the program; if arguments name files, of a list of the hashes of all.
    pub sha256: String,
    /// The files that arguments name, with the SHA-256 of each.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    pub name: String,
    pub author: String,
    /// The lines that the engine wrote before its options.
    pub banner: Vec<String>,
    pub options: BTreeMap<String, String>,
    /// Whether repeated searches give the same counts: `exact`, `same nodes, other answers`,
    /// `within x %` or `not repeatable`.
    pub repeats: String,
    /// The first difference between two searches that should be the same.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub difference: String,
    /// Faults that were accepted because the experiment file trusts the engine.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub trusted: String,
    /// Whether the engine behaves like a new process after `ucinewgame`.
    pub forgets: bool,
    /// Whether the engine respects `go depth`. If not, what the engine did instead.
    pub go_depth: String,
    /// Whether the engine respects `go nodes`. If not, what the engine did instead.
    pub go_nodes: String,
    /// The verdict of `ttlab doctor` on whether the nodes needed to reach a depth measure tables
    /// (`lead`, `mislead` or `undecided`). Empty if the experiment file does not name a file that
    /// `ttlab doctor` wrote.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doctor: String,
}

impl EngineInfo {
    /// What decides the engine's counts. Two engines with equal identities search the same.
    pub fn identity(&self) -> String {
        format!("{} {:?} {:?}", self.sha256, self.arguments, self.options)
    }
}

/// Whether a count is 0. Such a count is not written. Serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SuiteRun {
    pub name: String,
    /// The path of the suite's file, as written in the experiment file.
    pub file: String,
    pub items: usize,
}

/// The record of a run. It is written into the folder of the results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    pub schema: u32,
    #[serde(flatten)]
    pub planned: Planned,
    #[serde(flatten)]
    pub run: RunRecord,
    #[serde(flatten)]
    pub host: Host,
    #[serde(flatten)]
    pub sealed: Sealed,
}

/// What was planned: the items, the variants and their options.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Planned {
    pub name: String,
    pub question: String,
    pub suite: String,
    /// The folder of the experiment file. Empty in a kept report.
    pub folder: PathBuf,
    /// The paths of the suites' files by suite name.
    pub suite_paths: BTreeMap<String, PathBuf>,
    /// The suites in order. Empty if there is only one suite.
    pub suites: Vec<SuiteRun>,
    pub items: usize,
    /// For each item's name, a hash of the item's position, or of the start position and the moves
    /// of its game. Empty in the manifest of a shard.
    pub contents: BTreeMap<String, String>,
    /// A hash of the solutions of all items. Empty in the manifest of a shard.
    pub solutions: String,
    /// The number of a variant's searches that repeat another search of the variant, and the number
    /// of all searches of the variant. `None` if nothing is searched.
    pub repeated: Option<[usize; 2]>,
    /// Items of the suite's file that were left out because they are unreadable or are duplicates.
    pub left_out: Vec<String>,
    /// Whether the items are searched in sequences that share a table.
    pub sequence: bool,
    pub repeats: u32,
    /// Whether the experiment file says that times matter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub times: bool,
    pub seeds: u32,
    /// The variants in order. Copies of variants with further key seeds come last.
    pub variants: Vec<String>,
    /// The variant with which all others are compared. If there are several baselines, this is the
    /// first one.
    pub baseline: String,
    /// The baseline of each variant that has one. Empty unless there are several baselines, which
    /// is the case if each group or each key seed has its own.
    pub baselines: BTreeMap<String, String>,
    pub varying: Vec<String>,
    /// The variants whose tables are never cleared. Such a variant searches all positions in one
    /// job.
    pub never_cleared: Vec<String>,
    /// All options of every variant. Empty in the manifest of a shard, because the plan contains
    /// the options.
    pub options: BTreeMap<String, Value>,
    /// The id of the plan. Plans with the same id give equal counts.
    pub plan: String,
    pub jobs_total: u64,
}

/// How the plan was run, and when.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRecord {
    /// Number of jobs of the plan that are not needed. These are pairs of games whose test ended
    /// before they were played.
    #[serde(skip_serializing_if = "is_zero")]
    pub jobs_not_needed: u64,
    pub jobs: usize,
    pub subjects: BTreeMap<String, EngineInfo>,
    /// The shard. `None` unless the results are those of a shard of a plan.
    pub shard: Option<Shard>,
    pub shards: Vec<ShardRun>,
    /// The nodes per second of `ttlab bench` just before the run of a shard. They show whether the
    /// machines of the shards have different speeds.
    pub calibration: Option<u64>,
    /// Start of the run, in seconds since 1970 (UTC).
    pub started: u64,
    /// End of the run, in seconds since 1970 (UTC). `None` while the program runs and if it was
    /// killed.
    pub ended: Option<u64>,
    pub sets: Vec<String>,
    /// All segments of the run in order. There are several if the run was stopped and resumed.
    /// Merged results have the segments of all shards. A segment is never removed or overwritten.
    pub segments: Vec<RunSegment>,
    pub sources: Vec<RowSource>,
}

/// What ran it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    pub build: Build,
    pub machine: Machine,
    /// Whether the memory of a table of 2 MiB or more was in huge pages. `None` if there is
    /// no such table, or if the system does not report huge pages.
    pub huge_pages: Option<bool>,
}

/// The results file, and the hashes that show whether it changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sealed {
    /// Number of rows at the end of the run. `None` before the end of the run.
    pub rows: Option<u64>,
    /// The first line of the results file.
    pub header: String,
    /// The columns of the run that the results file has not.
    pub columns_left_out: Vec<String>,
    /// Hash of the results file as written (before it was compressed), computed at the end of the
    /// run.
    pub bytes: Option<String>,
    /// Hash of the counts of all columns of the run in the plan's order, computed at the end of the
    /// run. `None` for a shard, whose rows are in another order.
    pub counts: Option<String>,
}

impl From<Planned> for Manifest {
    fn from(planned: Planned) -> Self {
        Self { planned, ..Self::default() }
    }
}

#[cfg(test)]
impl From<RunRecord> for Manifest {
    fn from(run: RunRecord) -> Self {
        Self { run, ..Self::default() }
    }
}

/// Version of the manifest's format. The version is increased when a key is renamed or changes its
/// meaning. Manifests of other versions are refused.
pub const SCHEMA: u32 = 4;

/// Name of the file's last field, which contains the hash of all other fields.
const SEAL: &str = "seal";

impl Manifest {
    pub fn to_text(&self) -> io::Result<String> {
        let mut value = serde_json::to_value(self).map_err(io::Error::other)?;
        let is_empty = |field: &Value| [json!(null), json!(""), json!([]), json!({})].contains(field);
        // What is left out is read back as empty.
        value.as_object_mut().into_iter().for_each(|fields| fields.retain(|_, field| !is_empty(field)));
        // The seal is computed from the manifest as it will be read back, because a number
        // may get other digits when it is written and read.
        let text = serde_json::to_string(&value).map_err(io::Error::other)?;
        let read_back: Value = serde_json::from_str(&text).map_err(io::Error::other)?;
        value[SEAL] = seals::hash_bytes(read_back.to_string().as_bytes()).into();
        serde_json::to_string_pretty(&value).map_err(io::Error::other)
    }

    /// Describes items that have the same name in both manifests but different positions, games or
    /// plies. The rows do not show such differences. Returns `None` if there are no such items.
    pub fn describe_different_items(&self, other: &Self) -> Option<String> {
        let (contents, others) = (&self.planned.contents, &other.planned.contents);
        let in_both = contents.iter().filter_map(|(name, hash)| Some((name, hash, others.get(name)?)));
        let different_items: Vec<&String> =
            in_both.filter(|(_, hash, other_hash)| hash != other_hash).map(|(name, ..)| name).collect();
        let first = different_items.first()?;
        Some(format!(
            "{} {} different positions, games or plies in the two results (for example `{first}`): \
             the searches of such items are not compared",
            plural(different_items.len(), "item"),
            if different_items.len() == 1 { "has" } else { "have" }
        ))
    }

    /// A stored node count is wrong if the table also counts nodes that were not searched.
    pub fn variants_that_miscount_nodes(&self) -> HashSet<&str> {
        let policy = |options: &Value| Policy::deserialize(options.pointer("/table/policy")?).ok();
        let table = |options: &Value| TableOptions::deserialize(options.get("table")?).ok();
        let miscounts = |options| {
            policy(options).is_some_and(|policy| policy.counts_stored_nodes())
                || table(options).is_some_and(|table| !table.keeps_nodes())
        };
        self.planned.options.iter().filter(|(_, options)| miscounts(options)).map(|(name, _)| name.as_str()).collect()
    }

    /// Reads the manifest of a folder. Returns `None` if the manifest or the folder does not exist.
    pub fn read(folder: &Path) -> Result<Option<Self>, ManifestError> {
        let path = folder.join(MANIFEST);
        let display = || path.display().to_string();
        match crate::system::files::read_text(&path) {
            Ok(text) => {
                let json_error = |problem| ManifestError::Json { path: display(), problem };
                let mut value: Value = serde_json::from_str(&text).map_err(|error| json_error(error.to_string()))?;
                // Schema 0 is the default of a manifest that was created in memory. No version of
                // ttlab writes this schema.
                let is_other_version = |&schema: &u64| schema != 0 && schema != u64::from(SCHEMA);
                if let Some(found) = value["schema"].as_u64().filter(is_other_version) {
                    return Err(ManifestError::Version { path: display(), found });
                }
                let Some(fields) = value.as_object_mut() else {
                    return Err(json_error("expected an object".to_owned()));
                };
                let seal = fields.shift_remove(SEAL);
                if seal != Some(seals::hash_bytes(value.to_string().as_bytes()).into()) {
                    return Err(ManifestError::Edited { path: display() });
                }
                from_json(value).map(Some).map_err(|error| json_error(error.to_string()))
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(ManifestError::Io { path: display(), error }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field that is left out of the file, because it is zero or empty, is read back as such.
    #[test]
    fn manifest_is_read_back_as_written() {
        for count in [0, 1, 2] {
            let manifest = Manifest {
                planned: Planned {
                    jobs_total: count,
                    items: count as usize,
                    repeats: count as u32,
                    repeated: Some([count as usize; 2]),
                    ..Planned::default()
                },
                run: RunRecord { jobs_not_needed: count, started: count, ended: Some(count), ..RunRecord::default() },
                sealed: Sealed { rows: Some(count), ..Sealed::default() },
                ..Manifest::default()
            };
            let text = serde_json::to_string(&manifest).expect("JSON");
            assert_eq!(serde_json::from_str::<Manifest>(&text).expect(&text), manifest);
        }
    }

    /// Only items that are in both manifests can differ.
    #[test]
    fn items_of_one_name_are_compared_by_content() {
        let with_contents = |items: &[(&str, &str)]| {
            Manifest::from(Planned {
                contents: items.iter().map(|(name, hash)| ((*name).to_owned(), (*hash).to_owned())).collect(),
                ..Planned::default()
            })
        };
        let base = with_contents(&[("a", "1"), ("b", "2"), ("c", "3")]);
        for same in [with_contents(&[]), with_contents(&[("a", "1"), ("d", "9")]), base.clone()] {
            assert_eq!((base.describe_different_items(&same), same.describe_different_items(&base)), (None, None));
        }
        let end = "(for example `b`): the searches of such items are not compared";
        let message =
            |which: &str| Some(format!("{which} different positions, games or plies in the two results {end}"));
        assert_eq!(base.describe_different_items(&with_contents(&[("b", "9"), ("d", "3")])), message("1 item has"));
        assert_eq!(
            base.describe_different_items(&with_contents(&[("c", "2"), ("b", "3"), ("a", "1")])),
            message("2 items have")
        );
    }

    /// A folder without a manifest, a path through a file, and a file that is not a manifest.
    #[test]
    fn file_that_is_not_a_manifest_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, file) = (folder.path().join(MANIFEST), folder.path().join("file"));
        std::fs::write(&file, "").expect("a file");
        for place in [folder.path(), &folder.path().join("nothing"), &file] {
            assert_eq!(Manifest::read(place).expect("none"), None);
        }
        for text in ["{", "[]"] {
            std::fs::write(&path, text).expect("a file");
            let message = Manifest::read(folder.path()).expect_err("no object").to_string();
            let start = format!("{}: not a manifest of ttlab: ", path.display());
            assert!(message.starts_with(&start), "{message}");
            assert!(message.ends_with(": move the folder away, or choose another"), "{message}");
        }
        for (text, expected) in [
            (r#"{"schema": 2, "begun": 1}"#, "schema 2, but this ttlab reads schema 4: run the"),
            (r#"{"schema": 5}"#, "schema 5, but this ttlab reads schema 4: run the"),
        ] {
            std::fs::write(&path, text).expect("a file");
            let message = Manifest::read(folder.path()).expect_err("another version").to_string();
            assert!(message.starts_with(&format!("{}: a manifest of {expected}", path.display())), "{message}");
        }
        std::fs::remove_file(&path).expect("gone");
        std::fs::create_dir(&path).expect("a folder");
        assert!(
            matches!(Manifest::read(folder.path()), Err(ManifestError::Io { path: output, .. }) if output == path.display().to_string())
        );
    }
}
