//! Everything that can be known of a results folder: its seals, what the manifest says is missing, and, where the experiment's
//! suite can be found, every row against the plan.

use super::flight::FLIGHT;
use super::ledger::{Chains, Ledger};
use super::reference::unjudged;
use super::stopping::Stopping;
use crate::experiment::{Experiment, Plan, Split};
use crate::record::games::GamesFault;
use crate::record::manifest::{Manifest, ManifestError, Stretch};
use crate::record::{self, ResultsError, reference};
use crate::words::many;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

/// How a folder was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FolderState {
    /// Whole.
    Whole,
    /// Rows are missing, jobs failed, or the run has not ended.
    Missing,
    /// Rows are not what a run wrote.
    Wrong,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Soundness {
    /// In one word.
    pub state: FolderState,
    /// Rows.
    pub rows: u64,
    /// In sentences.
    pub told: Vec<String>,
}

/// Why a folder cannot be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// It holds no results.
    #[error("{0}: no results of ttlab are there: it has no manifest.json")]
    Nothing(String),
    /// Its manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Its results.
    #[error("{path}: {error}")]
    Results {
        /// The file.
        path: String,
        /// What is wrong.
        error: ResultsError,
    },
}

/// Verifies a folder.
///
/// # Errors
/// When it holds no results, or they cannot be read.
pub fn verify(folder: &Path) -> Result<Soundness, VerifyError> {
    let manifest = Manifest::read(folder)?.ok_or_else(|| VerifyError::Nothing(folder.display().to_string()))?;
    let path = folder.join("results.csv");
    let mut verdict = Soundness { state: FolderState::Whole, rows: 0, told: Vec::new() };
    let mut found = |state: FolderState, text: String| {
        verdict.state = verdict.state.max(state);
        verdict.told.push(text);
    };
    if !path.exists() {
        found(FolderState::Missing, "there is no results.csv".to_owned());
        return Ok(verdict);
    }
    let verified = record::verify::verify(&path, Some(&manifest))
        .map_err(|error| VerifyError::Results { path: path.display().to_string(), error })?;
    let rows = verified.rows;
    if let Some(wrong) = verified.wrong() {
        found(FolderState::Wrong, wrong);
    }
    if let Some(missing) = verified.missing() {
        found(FolderState::Missing, missing);
    }
    if verified.wrong().is_none() && manifest.ended.is_some() {
        let games = record::games::verify(&path)
            .map_err(|error| VerifyError::Results { path: path.display().to_string(), error })?;
        match games {
            Some(GamesFault::Wrong(wrong)) => found(FolderState::Wrong, wrong),
            Some(GamesFault::Missing) => {
                let name = record::games::NAME;
                found(FolderState::Missing, format!("there is no {name}: `ttlab report` makes it of the rows"));
            }
            None => {}
        }
    }
    if verified.failed > 0 {
        found(FolderState::Missing, format!("{} failed", many(verified.failed, "job")));
    }
    if manifest.ended.is_none() {
        found(FolderState::Missing, "the run has not ended".to_owned());
    }
    if !verified.sealed {
        found(FolderState::Whole, "its rows have no seals: an edit would not show".to_owned());
    }
    let run = as_run(folder, &manifest);
    let held = match &run {
        Ok((experiment, plan)) => against_the_plan(folder, &manifest, experiment, plan),
        Err(problem) => Plans::NotHeld(problem.clone()),
    };
    match held {
        Plans::Held(state, text) => found(state, text),
        Plans::NotHeld(why) => found(FolderState::Whole, format!("the rows were not held against the plan: {why}")),
    }
    let judged = judgements(folder, run.as_ref().ok().map(|(experiment, _)| experiment));
    let judged = judged.map_err(|error| VerifyError::Results {
        path: folder.join(reference::NAME).display().to_string(),
        error: ResultsError::Io(error),
    })?;
    judged.into_iter().for_each(|(state, text)| found(state, text));
    let history = manifest.history();
    let builds: BTreeSet<String> = history
        .iter()
        .map(|stretch| format!("{} {} {}", stretch.build.version, stretch.build.commit, stretch.build.profile))
        .collect();
    let machines: BTreeSet<String> =
        history.iter().map(|stretch| format!("{}, {} cores", stretch.machine.cpu, stretch.machine.cores)).collect();
    for (what, list) in [("builds", builds), ("machines", machines)] {
        if list.len() > 1 {
            let list: Vec<String> = list.into_iter().collect();
            found(
                FolderState::Whole,
                format!("its {} stretches are of {} {what}: {}", history.len(), list.len(), list.join("; ")),
            );
        }
    }
    for text in stretches(&history) {
        found(FolderState::Whole, text);
    }
    let left = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let left = left.filter(|entry| {
        let name = entry.file_name();
        name == FLIGHT || name.to_string_lossy().starts_with(record::TEMPORARY)
    });
    let left = left.count();
    if left > 0 {
        found(
            FolderState::Whole,
            format!("{} of a run that was killed, or goes on: the next run removes what is left", many(left, "file")),
        );
    }
    verdict.rows = rows;
    Ok(verdict)
}

/// Of a run (or a shard) that was stopped and continued: which jobs each stretch made.
fn stretches(history: &[Stretch]) -> Vec<String> {
    let mut told = Vec::new();
    for of in history.chunk_by(|a, b| a.shard == b.shard).filter(|of| of.len() > 1) {
        for (at, stretch) in of.iter().enumerate() {
            let jobs = match &stretch.made {
                Some(made) if made.0.is_empty() => "no job".to_owned(),
                Some(made) => format!("jobs {made}"),
                None if stretch.done == Some(0) => "no job".to_owned(),
                None if at + 1 == of.len() => "the other jobs".to_owned(),
                None => "nobody knows which jobs".to_owned(),
            };
            let shard = stretch.shard.map(|shard| format!(" of shard {shard}")).unwrap_or_default();
            let Stretch { build, machine, .. } = stretch;
            told.push(format!(
                "stretch {} of {}{shard} made {jobs} ({} at a time; {} {} {}; {}, {} cores)",
                at + 1,
                of.len(),
                stretch.jobs,
                build.version,
                build.commit,
                build.profile,
                machine.cpu,
                machine.cores
            ));
        }
    }
    told
}

/// What the plan says.
enum Plans {
    Held(FolderState, String),
    NotHeld(String),
}

/// The experiment of a results folder. Its suite's path may be relative to where the file was run, as a rule a folder as deep as one that the
/// results lie in: each of these is tried, and the plan's id tells whether it is the same suite.
fn as_run(folder: &Path, manifest: &Manifest) -> Result<(Experiment, Plan), String> {
    let file = "experiment.toml";
    let text = std::fs::read_to_string(folder.join(file)).map_err(|error| format!("{file}: {error}"))?;
    let mut problem = None;
    for base in folder.ancestors() {
        let told = match Experiment::parse(&text, &base.join(file), &manifest.sets) {
            Ok(experiment) => {
                let plan = Plan::new(&experiment);
                let id = format!("{:016x}", plan.id());
                if id == manifest.plan {
                    return Ok((experiment, plan));
                }
                format!(
                    "experiment.toml, with the suite that is found here, is plan {id}, and the results are of {}",
                    manifest.plan
                )
            }
            Err(problem) => problem.message,
        };
        problem.get_or_insert(told);
    }
    Err(problem.unwrap_or_default())
}

/// What is wrong with the judgements of moves, and how many are missing where it is known which there should be.
fn judgements(folder: &Path, experiment: Option<&Experiment>) -> std::io::Result<Vec<(FolderState, String)>> {
    let mut told = Vec::new();
    let damaged = reference::damaged(folder)?;
    if let Some(first) = damaged.first() {
        let rows = many(damaged.len() as u64, "row");
        let text = format!(
            "{}: {rows} edited or damaged (line {first} first): `ttlab run` judges such moves again",
            reference::NAME
        );
        told.push((FolderState::Wrong, text));
    }
    let missing = experiment.map_or(Ok(0), |experiment| unjudged(experiment, folder))?;
    if missing > 0 {
        let searches = many(missing, "search");
        told.push((FolderState::Missing, format!("{}: {searches} of the reference missing", reference::NAME)));
    }
    Ok(told)
}

fn against_the_plan(folder: &Path, manifest: &Manifest, experiment: &Experiment, plan: &Plan) -> Plans {
    let header = record::header(&plan.varying(), plan.extra());
    let ledger = Ledger::new(experiment, plan, &header);
    let (mut chains, mut done) = (Chains::default(), HashSet::new());
    let mut stopping = Stopping::new(experiment, plan, &header).filter(|_| manifest.shard.is_none());
    let scanned = record::scan(&folder.join("results.csv"), &header, |_, row| {
        let row = row?;
        let entry = ledger.entry(row)?;
        let job = plan.place(&entry.job);
        chains.next(job, &entry, row)?;
        stopping.iter_mut().for_each(|stopping| stopping.read(plan, &entry, row));
        if entry.last {
            done.insert(job);
        }
        Ok(())
    });
    match scanned {
        Err(error @ ResultsError::Damaged { .. }) => return Plans::Held(FolderState::Wrong, error.to_string()),
        Err(error) => return Plans::NotHeld(error.to_string()),
        Ok(_) => {}
    }
    let split = manifest.shard.map(|shard| (Split::new(plan, shard.of), shard.index));
    let needed = |job: &_| stopping.as_ref().is_none_or(|stopping| stopping.needs(plan, job));
    let mine = |job: &_| split.is_none_or(|(split, index)| split.shard_of(plan, job) == index);
    let (mut all, mut missing, mut more) = (0u64, 0u64, 0u64);
    plan.jobs().filter(mine).for_each(|job| {
        if !needed(&job) {
            more += u64::from(done.contains(&plan.place(&job)));
            return;
        }
        all += 1;
        missing += u64::from(!done.contains(&plan.place(&job)));
    });
    match missing {
        0 => {
            let spared = stopping.as_ref().map_or(0, Stopping::spared);
            let over = if spared > 0 {
                format!(", and {spared} were not needed: their tests had ended")
            } else {
                String::new()
            };
            let more = if more > 0 {
                format!(" ({more} of them are there: other bounds were asked for then)")
            } else {
                String::new()
            };
            Plans::Held(
                FolderState::Whole,
                format!("every row is of the plan, and all {all} jobs are done{over}{more}"),
            )
        }
        _ => Plans::Held(FolderState::Missing, format!("{missing} of {all} jobs are not done")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::record::Jobs;
    use crate::record::manifest::{Build, Machine};

    /// An experiment beside its suite's folder, its results in another as deep: the suite is found, and another one is not taken for it.
    #[test]
    fn the_suite_is_found_from_the_results() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        let text = "suite = '../data/s.epd'\nlimit = { depth = 2 }\n";
        write("data/s.epd", "4k3/8/8/8/8/8/8/R3K2R w KQ - id \"a\";\n");
        let file = write("experiments/x.toml", text);
        let plan = Plan::new(&Experiment::load(&file, &[]).unwrap());
        let manifest = Manifest { plan: format!("{:016x}", plan.id()), ..Manifest::default() };
        let results = write("reports/x/experiment.toml", text);
        let folder = results.parent().unwrap();
        let found = |manifest: &Manifest| as_run(folder, manifest).map(|(experiment, _)| experiment.suite.items.len());
        assert_eq!(found(&manifest), Ok(1));
        // What was set beside the file belongs to the plan.
        let sets = vec!["draws=true".to_owned()];
        let plan = Plan::new(&Experiment::load(&file, &sets).unwrap());
        let with = |sets| Manifest { plan: format!("{:016x}", plan.id()), sets, ..Manifest::default() };
        assert_eq!((found(&with(sets)), found(&with(Vec::new())).is_err()), (Ok(1), true));
        write("data/s.epd", "4k3/8/8/8/8/8/8/R3K3 w Q - id \"a\";\n");
        assert!(found(&manifest).is_err_and(|told| told.contains("../data/s.epd")));
    }

    /// Two stretches of a run; three of one shard beside one of another; what is known of each, and what nobody knows.
    #[test]
    fn each_stretch_says_what_it_made() {
        let stretch = |shard: Option<u64>, jobs: usize, made: Option<&[u64]>, done: Option<u64>| Stretch {
            shard,
            jobs,
            done,
            made: made.map(|made| Jobs(made.iter().copied().collect())),
            build: Build { version: "1".to_owned(), commit: "abc".to_owned(), profile: "release".to_owned() },
            machine: Machine { cpu: "Z80".to_owned(), cores: 2, ..Machine::default() },
            ..Stretch::default()
        };
        let tail = |jobs: usize| format!("({jobs} at a time; 1 abc release; Z80, 2 cores)");
        assert_eq!(stretches(&[stretch(None, 1, None, None)]), Vec::<String>::new());
        let two = [stretch(None, 4, Some(&[0, 1, 2, 7]), Some(9)), stretch(None, 3, None, Some(2))];
        let told = [
            format!("stretch 1 of 2 made jobs 0-2,7 {}", tail(4)),
            format!("stretch 2 of 2 made the other jobs {}", tail(3)),
        ];
        assert_eq!(stretches(&two), told);
        let shards = [
            stretch(Some(0), 1, None, Some(5)),
            stretch(Some(1), 1, None, Some(3)),
            stretch(Some(1), 2, Some(&[]), Some(3)),
            stretch(Some(1), 3, None, Some(0)),
        ];
        let told = [
            format!("stretch 1 of 3 of shard 1 made nobody knows which jobs {}", tail(1)),
            format!("stretch 2 of 3 of shard 1 made no job {}", tail(2)),
            format!("stretch 3 of 3 of shard 1 made no job {}", tail(3)),
        ];
        assert_eq!(stretches(&shards), told);
    }

    /// What a run that was killed, or goes on, has left in the folder is told, and nothing else of it.
    #[test]
    fn what_a_killed_run_left_is_told() {
        let place = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &str| std::fs::write(place.path().join(name), text).expect("a file");
        put("manifest.json", "{ \"ended\": 5, \"rows\": 1 }");
        put("results.csv", "id,nodes\n1,2\n");
        let left = || -> Vec<String> {
            let found = verify(place.path()).expect("results");
            assert_eq!((found.state, found.rows), (FolderState::Whole, 1));
            found.told.into_iter().filter(|text| text.contains("killed")).collect()
        };
        let told = |count: u32| {
            [format!("{} of a run that was killed, or goes on: the next run removes what is left", many(count, "file"))]
        };
        put("notes.txt", "");
        assert_eq!(left(), Vec::<String>::new());
        put(FLIGHT, "");
        assert_eq!(left(), told(1));
        put(&format!("{}abc", record::TEMPORARY), "");
        assert_eq!(left(), told(2));
        std::fs::remove_file(place.path().join("results.csv")).expect("gone");
        let none = verify(place.path()).expect("a manifest");
        assert_eq!((none.state, none.told), (FolderState::Missing, vec!["there is no results.csv".to_owned()]));
    }

    /// A job that failed is not done; stretches of unlike builds are told, though their versions are alike.
    #[test]
    fn what_failed_is_not_whole_and_builds_are_told_apart() {
        let place = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
        let of = |commit: &str, profile: &str| Stretch {
            build: Build { version: "1".to_owned(), commit: commit.to_owned(), profile: profile.to_owned() },
            ..Stretch::default()
        };
        let told = |stretches: Vec<Stretch>, rows: &str| {
            let manifest = Manifest { ended: Some(5), rows: Some(1), stretches, ..Manifest::default() };
            put("manifest.json", &serde_json::to_string(&manifest).unwrap());
            put("results.csv", &format!("id,error\n{rows}\n"));
            let found = verify(place.path()).unwrap();
            let builds = found.told.iter().find(|text| text.contains(" builds: ")).cloned();
            (found.state, builds, found.told.contains(&"1 job failed".to_owned()))
        };
        assert_eq!(told(vec![of("a", "release")], "1,"), (FolderState::Whole, None, false));
        assert_eq!(told(vec![of("a", "release")], "1,it broke"), (FolderState::Missing, None, true));
        for (other, shown) in
            [(of("b", "release"), "1 a release; 1 b release"), (of("a", "dev"), "1 a dev; 1 a release")]
        {
            let builds = format!("its 2 stretches are of 2 builds: {shown}");
            assert_eq!(told(vec![of("a", "release"), other], "1,"), (FolderState::Whole, Some(builds), false));
        }
    }
}
