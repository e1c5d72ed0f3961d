//! `manifest.json`: what was run, by which build, on which machine.

use super::{Jobs, seals};
use crate::experiment::decode::from_json;
use crate::table::policy::Policy;
use crate::text::plural;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;

/// The manifest's name in its folder.
pub const MANIFEST: &str = "manifest.json";

/// Why a manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The system would not.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// Its seal does not fit.
    #[error(
        "{path}: it was edited or damaged: its seal does not fit: restore it, or move it away (`ttlab run` of the same experiment then writes another)"
    )]
    Edited {
        /// The file.
        path: String,
    },
    /// It is none.
    #[error("{path}: it is no manifest of ttlab: {problem}: move the folder away, or choose another")]
    Json {
        /// The file.
        path: String,
        /// What is wrong with it, and where.
        problem: String,
    },
}

/// What a report must say about where its timings come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Processors that this process may use.
    pub cores: usize,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Operating system and architecture.
    pub os: String,
}

/// The build that ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The crate's version.
    pub version: String,
    /// The commit, where it was known at build time.
    pub commit: String,
    /// `release` or `debug`.
    pub profile: String,
}

impl std::fmt::Display for Build {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.version, self.commit, self.profile)
    }
}

/// One shard of so many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which, from 0.
    pub index: u64,
    /// Of how many.
    pub of: u64,
}

/// What merged results say of a shard's run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ShardRun {
    /// Which, from 0.
    pub index: u64,
    /// Jobs at a time.
    pub jobs: usize,
    /// Its machine.
    pub machine: Machine,
    /// Nodes per second of `ttlab bench` there.
    pub calibration: Option<u64>,
    /// When it began and ended, seconds since 1970 (UTC).
    pub begun: u64,
    /// When it ended.
    pub ended: Option<u64>,
}

/// Thin rows that were made of the full ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thin {
    /// Rows.
    pub rows: u64,
    /// Of them, jobs that failed.
    pub failed: u64,
    /// Which rows of the plan were missing when they were made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Hash of the table, unpacked.
    pub seal: String,
}

/// One stretch of a run: from a start of the program to its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSegment {
    /// Of merged results: the shard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<u64>,
    /// Jobs at a time.
    pub jobs: usize,
    /// Jobs that it finished; none while it runs or after a kill.
    pub done: Option<u64>,
    /// The jobs whose rows are of it, once there is a later stretch. The last one (of each shard) has none: the rest are its.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<Jobs>,
    /// The build.
    pub build: Build,
    /// The machine.
    pub machine: Machine,
    /// Whether a table of 2 MiB or more lay in huge pages.
    pub huge_pages: Option<bool>,
    /// When it began, seconds since 1970 (UTC).
    pub begun: u64,
    /// When it ended; none while it runs or after a kill.
    pub ended: Option<u64>,
}

/// An engine that is not ours, as it was found and tried before the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineInfo {
    /// Its program, and the arguments it was given.
    pub program: String,
    /// The arguments.
    pub arguments: Vec<String>,
    /// SHA-256 of the program.
    pub sha256: String,
    /// What it calls itself.
    pub name: String,
    /// Its authors.
    pub author: String,
    /// What it wrote before its options.
    pub banner: Vec<String>,
    /// All its options with the values that they had.
    pub options: BTreeMap<String, String>,
    /// Whether its searches repeat: `exact`, `same nodes, other answers`, `within x %`, `not repeatable`.
    pub repeats: String,
    /// The first difference between two searches that should be the same.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub difference: String,
    /// What was found against it and accepted, since the file trusts it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub trusted: String,
    /// Whether a new game is like a new process to it.
    pub forgets: bool,
    /// Whether it heeds `go depth`, and what it did if not.
    pub go_depth: String,
    /// Whether it heeds `go nodes`.
    pub go_nodes: String,
    /// What `ttlab doctor` found of its nodes to a depth, where the file names that: `lead`, `mislead` or `undecided`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doctor: String,
    /// When it tells its nodes, where that is not at the end of a search: `when a depth ends`, `never`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub nodes_told: String,
}

/// Whether there is nothing to write down. Serde hands over a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// One of several suites of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SuiteRun {
    /// Its name.
    pub name: String,
    /// Its file, as the experiment names it.
    pub file: String,
    /// Its items.
    pub items: usize,
}

/// What stands beside the results of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    /// Version of this format.
    pub schema: u32,
    /// The experiment's name.
    pub name: String,
    /// Its question.
    pub question: String,
    /// The suite as the file names it, and its number of items.
    pub suite: String,
    /// The suites in order, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<SuiteRun>,
    /// Items of the suite; of several those of all.
    pub items: usize,
    /// Each item's name and a hash of its position, or of its start and moves; not in a shard's manifest, nor in one of before they were kept.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub contents: BTreeMap<String, String>,
    /// How many of a variant's searches are of what was searched before, and of how many; none before that was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<[usize; 2]>,
    /// Items of the suite's file that were left out: they could not be read, or stood there before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Whether the items are searched in sequences that share a table.
    pub sequence: bool,
    /// How often each search was made.
    pub repeats: u32,
    /// Key seeds of every variant.
    pub seeds: u32,
    /// The variants in order, further key seeds last.
    pub variants: Vec<String>,
    /// The baseline's name.
    pub baseline: String,
    /// Option columns that vary.
    pub varying: Vec<String>,
    /// The variants that nothing is cleared for between positions: each is one job with all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// Every option of every variant; of a shard none, since its plan has them.
    pub options: BTreeMap<String, serde_json::Value>,
    /// Hash of the plan: equal plans give equal counts.
    pub plan: String,
    /// Jobs of the plan.
    pub jobs_total: u64,
    /// Jobs of the plan that need not be done: pairs of games beyond the end of their test.
    #[serde(skip_serializing_if = "is_zero")]
    pub jobs_spared: u64,
    /// Jobs at a time.
    pub jobs: usize,
    /// The engines that are not ours, by variant.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub subjects: BTreeMap<String, EngineInfo>,
    /// Of results that are one shard of a plan: which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Of results that were merged: the runs that made them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<ShardRun>,
    /// Of a shard: nodes per second of `ttlab bench` just before the run, so that timings of different machines are not
    /// taken for comparable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<u64>,
    /// The build.
    pub build: Build,
    /// The machine.
    pub machine: Machine,
    /// Whether a table of 2 MiB or more lay in huge pages; none where there was none, or the system does not say.
    pub huge_pages: Option<bool>,
    /// When the run began, seconds since 1970 (UTC).
    pub begun: u64,
    /// When it ended; none while it runs or after a kill.
    pub ended: Option<u64>,
    /// What `--set` laid over the experiment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// Every stretch of the run, the first one first: a run that was stopped and continued has several, merged results those of all
    /// shards. None is ever taken out or written over.
    pub stretches: Vec<RunSegment>,
    /// Rows at the end of the run; none before.
    pub rows: Option<u64>,
    /// Of results of schema 1: hash of the rows' checks, in order, at the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seals: Option<String>,
    /// The seal of counts, at the end of the run: of each column of words and counts a hash of its values in the plan's order.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub column_seals: BTreeMap<String, String>,
    /// Hash of the header of the results.
    pub header_seal: Option<String>,
    /// Hash of the results file as written, at the end of the run.
    pub file_seal: Option<String>,
    /// Of thin rows: what they are; none of full ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thin: Option<Thin>,
    /// Hash of everything else in this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest_seal: Option<String>,
}

/// The version of the format: from 2 on a manifest is sealed itself.
pub const SCHEMA: u32 = 2;

/// The name of the field that the others are sealed by.
const MANIFEST_SEAL: &str = "manifest_seal";

/// What seals a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealKind {
    /// Nothing: an edit would not show.
    None,
    /// The rows alone, as those of schema 1 are.
    Rows,
    /// The counts by column, the file as written, and the manifest.
    Whole,
}

impl Manifest {
    /// What the results are sealed by.
    pub fn seal_kind(&self) -> SealKind {
        match (&self.manifest_seal, &self.seals) {
            (Some(_), _) => SealKind::Whole,
            (None, Some(_)) if self.schema < SCHEMA => SealKind::Rows,
            _ => SealKind::None,
        }
    }

    /// The text of its file, with its seal.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn to_text(&self) -> io::Result<String> {
        let unsealed = Self { manifest_seal: None, ..self.clone() };
        let mut value = serde_json::to_value(unsealed).map_err(io::Error::other)?;
        // Of what is read back: a number is sealed as its digits are read.
        let text = serde_json::to_string(&value).map_err(io::Error::other)?;
        let read: serde_json::Value = serde_json::from_str(&text).map_err(io::Error::other)?;
        value[MANIFEST_SEAL] = seals::hash_bytes(read.to_string().as_bytes()).into();
        serde_json::to_string_pretty(&value).map_err(io::Error::other)
    }

    /// The stretch that a manifest speaks of at its head, for one that was written before there were stretches.
    pub fn head_segment(&self) -> RunSegment {
        RunSegment {
            shard: None,
            jobs: self.jobs,
            done: None,
            made: None,
            build: self.build.clone(),
            machine: self.machine.clone(),
            huge_pages: self.huge_pages,
            begun: self.begun,
            ended: self.ended,
        }
    }

    /// Every stretch, or the head where there are none.
    pub fn history(&self) -> Vec<RunSegment> {
        if self.stretches.is_empty() { vec![self.head_segment()] } else { self.stretches.clone() }
    }

    /// The variants that nothing is cleared for between positions: each is one job with all of them.
    pub fn kept_variants(&self) -> HashSet<&str> {
        let never = |options: &serde_json::Value, path| options.pointer(path).is_some_and(|clear| clear == "never");
        let kept = |options| never(options, "/table/clear") || never(options, "/history_clear");
        let of_options = self.options.iter().filter(|(_, options)| kept(options)).map(|(name, _)| name.as_str());
        self.kept.iter().map(String::as_str).chain(of_options).collect()
    }

    /// Says so where an item of both is not the same position or game in another's results, which rows cannot tell: they have its name alone.
    pub fn describe_unlike_items(&self, other: &Self) -> Option<String> {
        let both = self.contents.iter().filter_map(|(name, hash)| Some((name, hash, other.contents.get(name)?)));
        let unlike: Vec<&String> = both.filter(|(_, one, another)| one != another).map(|(name, ..)| name).collect();
        let first = unlike.first()?;
        Some(format!(
            "{} called alike {} not the same, or not searched at the same plies, `{first}` for one: such searches are not compared",
            plural(unlike.len(), "item"),
            if unlike.len() == 1 { "is" } else { "are" }
        ))
    }

    /// The variants whose entries count nodes that were never searched: what such an entry is worth no search ever cost.
    pub fn counts_stored_nodes(&self) -> HashSet<&str> {
        let policy = |options: &serde_json::Value| Policy::deserialize(options.pointer("/table/policy")?).ok();
        let counts = |options| policy(options).is_some_and(|policy| policy.counts_stored_nodes());
        self.options.iter().filter(|(_, options)| counts(options)).map(|(name, _)| name.as_str()).collect()
    }

    /// The manifest of a folder; none where there is no such file or folder.
    ///
    /// # Errors
    /// When it cannot be read, or is no manifest.
    pub fn read(folder: &Path) -> Result<Option<Self>, ManifestError> {
        let path = folder.join(MANIFEST);
        let shown = || path.display().to_string();
        match crate::system::files::read_text(&path) {
            Ok(text) => {
                let problem = |problem| ManifestError::Json { path: shown(), problem };
                let value: serde_json::Value =
                    serde_json::from_str(&text).map_err(|error| problem(error.to_string()))?;
                let mut sealed = value.clone();
                let seal = sealed.as_object_mut().and_then(|fields| fields.shift_remove(MANIFEST_SEAL));
                if seal.is_some_and(|seal| seal != seals::hash_bytes(sealed.to_string().as_bytes())) {
                    return Err(ManifestError::Edited { path: shown() });
                }
                from_json(value).map(Some).map_err(|error| problem(error.to_string()))
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(ManifestError::Io { path: shown(), error }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left out of the file is what is nothing: one of anything is kept.
    #[test]
    fn a_manifest_is_read_back_as_it_was_written() {
        for count in [0, 1, 2] {
            let manifest = Manifest {
                jobs_total: count,
                jobs_spared: count,
                items: count as usize,
                repeats: count as u32,
                repeated: Some([count as usize; 2]),
                rows: Some(count),
                begun: count,
                ended: Some(count),
                ..Manifest::default()
            };
            let text = serde_json::to_string(&manifest).expect("JSON");
            assert_eq!(serde_json::from_str::<Manifest>(&text).expect(&text), manifest);
        }
    }

    /// A manifest of before variants that are kept were named: their options say so, by the table or by the history.
    #[test]
    fn what_is_kept_is_known_by_its_options_too() {
        let options = |text: &str| serde_json::from_str(text).expect("JSON");
        let variants = [
            ("plain", r#"{"table": {"clear": "search"}, "history_clear": "search"}"#),
            ("by the table", r#"{"table": {"clear": "never"}, "history_clear": "search"}"#),
            ("by the history", r#"{"table": {"clear": "search"}, "history_clear": "never"}"#),
        ];
        let manifest = Manifest {
            kept: vec!["named".to_owned()],
            options: variants.iter().map(|(name, text)| ((*name).to_owned(), options(text))).collect(),
            ..Manifest::default()
        };
        assert_eq!(manifest.kept_variants(), HashSet::from(["named", "by the table", "by the history"]));
    }

    /// A manifest of before there were stretches speaks of one at its head: each figure is that of the head.
    #[test]
    fn a_manifest_without_stretches_has_that_of_its_head() {
        let manifest = Manifest {
            jobs: 3,
            build: Build { commit: "abc".to_owned(), ..Build::default() },
            machine: Machine { cores: 5, ..Machine::default() },
            huge_pages: Some(true),
            begun: 17,
            ended: Some(19),
            ..Manifest::default()
        };
        let head = RunSegment {
            jobs: 3,
            build: manifest.build.clone(),
            machine: manifest.machine.clone(),
            huge_pages: Some(true),
            begun: 17,
            ended: Some(19),
            ..RunSegment::default()
        };
        assert_eq!(manifest.history(), std::slice::from_ref(&head));
        let other = RunSegment { begun: 40, ..RunSegment::default() };
        let two = Manifest { stretches: vec![other.clone(), head.clone()], ..manifest };
        assert_eq!(two.history(), [other, head]);
    }

    /// Only what both have can be unlike; a manifest of before contents were kept is unlike nothing.
    #[test]
    fn positions_of_one_name_are_told_apart() {
        let of = |items: &[(&str, &str)]| Manifest {
            contents: items.iter().map(|(name, hash)| ((*name).to_owned(), (*hash).to_owned())).collect(),
            ..Manifest::default()
        };
        let base = of(&[("a", "1"), ("b", "2"), ("c", "3")]);
        for same in [of(&[]), of(&[("a", "1"), ("d", "9")]), base.clone()] {
            assert_eq!((base.describe_unlike_items(&same), same.describe_unlike_items(&base)), (None, None));
        }
        let end = "`b` for one: such searches are not compared";
        let message = |which: &str| Some(format!("{which} not the same, or not searched at the same plies, {end}"));
        assert_eq!(base.describe_unlike_items(&of(&[("b", "9"), ("d", "3")])), message("1 item called alike is"));
        assert_eq!(
            base.describe_unlike_items(&of(&[("c", "2"), ("b", "3"), ("a", "1")])),
            message("2 items called alike are")
        );
    }

    /// A folder without one, a path through a file, and a file that is none.
    #[test]
    fn a_manifest_is_read_or_said_to_be_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, file) = (folder.path().join(MANIFEST), folder.path().join("file"));
        std::fs::write(&file, "").expect("a file");
        for place in [folder.path(), &folder.path().join("nothing"), &file] {
            assert_eq!(Manifest::read(place).expect("none"), None);
        }
        std::fs::write(&path, "{\"schema\": 1,\n\"jobs\": \"x\"}").expect("a file");
        let message = Manifest::read(folder.path()).expect_err("text for a number").to_string();
        let start = format!("{}: it is no manifest of ttlab: ", path.display());
        assert!(
            message.starts_with(&start)
                && message.contains(": jobs: invalid type")
                && message.ends_with(": move the folder away, or choose another"),
            "{message}"
        );
        std::fs::remove_file(&path).expect("gone");
        std::fs::create_dir(&path).expect("a folder");
        assert!(
            matches!(Manifest::read(folder.path()), Err(ManifestError::Io { path: output, .. }) if output == path.display().to_string())
        );
    }
}
