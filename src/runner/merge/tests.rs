//! Shards that were run in this process, merged, against a run that was never divided.

use super::*;
use crate::runner::Settings;
use crate::runner::session::tests::{SIX, experiment, rows, run};

/// Runs some shards of three, each in the folder of its number.
fn shards(experiment: &Experiment, at: &Path, which: &[u64]) -> Vec<(u64, PathBuf)> {
    let folder = |&index: &u64| {
        let folder = at.join(format!("shard{index}"));
        let shard = Some(Shard { index, of: 3 });
        run(experiment, &folder, Settings { jobs: 1, shard, ..Settings::default() });
        (index, folder)
    };
    which.iter().map(folder).collect()
}

/// Three shards of two jobs each: their rows are those of one run, in its order, whatever the order of the folders.
#[test]
fn the_rows_of_all_shards_are_those_of_one_run() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let whole = temporary.path().join("whole");
    run(&experiment, &whole, Settings { jobs: 2, ..Settings::default() });
    let folders = shards(&experiment, temporary.path(), &[2, 0, 1]);
    let all = Shards { experiment: &experiment, plan: &plan, of: 3, folders };
    assert_eq!(all.jobs().iter().sum::<u64>(), 6);
    assert_eq!(all.lacks().unwrap(), []);
    let merged = temporary.path().join("merged");
    let (manifest, failed) = all.merge(&Output::open(&merged).unwrap(), false).unwrap();
    assert_eq!((rows(&merged), failed), (rows(&whole), 0));
    let mut parts: Vec<u64> = manifest.shards.iter().map(|shard| shard.index).collect();
    parts.sort_unstable();
    assert_eq!((parts, manifest.jobs), (vec![0, 1, 2], 1));
    assert_eq!(manifest.begun, manifest.shards.iter().map(|shard| shard.begun).min().unwrap());
}

/// What is missing is told by its shard, and nothing is written.
#[test]
fn a_shard_that_is_missing_is_told() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let folders = shards(&experiment, temporary.path(), &[0, 2]);
    let some = Shards { experiment: &experiment, plan: &plan, of: 3, folders };
    let jobs = some.jobs()[1];
    assert!(jobs > 0);
    let lack = Lack { shard: 1, jobs, missing: jobs, failed: 0, unjudged: 0, folder: None };
    assert_eq!(some.lacks().unwrap(), std::slice::from_ref(&lack));
    let out = temporary.path().join("merged");
    let refused = some.merge(&Output::open(&out).unwrap(), false);
    assert!(matches!(&refused, Err(MergeError::Missing(lacks, 3)) if *lacks == [lack]), "{refused:?}");
    assert!(!out.join("results.csv").exists());
}

/// A job whose last depth is not there is missing, and the shard's other job is not.
#[test]
fn half_a_job_is_missing() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let folders = shards(&experiment, temporary.path(), &[0, 1, 2]);
    let (path, folder) = (folders[1].1.join("results.csv"), Some(folders[1].1.clone()));
    let text = std::fs::read_to_string(&path).unwrap();
    let end = text.trim_end().rfind('\n').unwrap();
    std::fs::write(&path, &text[..=end]).unwrap();
    let cut = Shards { experiment: &experiment, plan: &plan, of: 3, folders };
    let jobs = cut.jobs()[1];
    assert!(jobs > 1);
    assert_eq!(cut.lacks().unwrap(), [Lack { shard: 1, jobs, missing: 1, failed: 0, unjudged: 0, folder }]);
}

/// One shard given twice, a shard under another's number, a whole run, and results of another plan.
#[test]
fn folders_that_are_not_the_shards_asked_for_are_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let folders = shards(&experiment, temporary.path(), &[0, 1, 2]);
    let told = |plan: &Plan, change: &[(u64, &PathBuf)]| {
        let kept = folders.iter().filter(|(at, _)| change.iter().all(|(index, _)| index != at)).cloned();
        let folders = kept.chain(change.iter().map(|&(index, folder)| (index, folder.clone()))).collect();
        let shards = Shards { experiment: &experiment, plan, of: 3, folders };
        shards.lacks().unwrap_err().to_string()
    };
    let copy = temporary.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    for file in [MANIFEST, "results.csv"] {
        std::fs::copy(folders[1].1.join(file), copy.join(file)).unwrap();
    }
    let twice = told(&plan, &[(1, &folders[1].1), (1, &copy)]);
    assert!(twice.starts_with("shard 1 is there twice: ") && twice.ends_with("copy: give one of them"), "{twice}");
    let other = told(&plan, &[(0, &copy)]);
    assert!(other.ends_with("it holds shard 1 of 3, where shard 0 of 3 is wanted"), "{other}");
    let whole = temporary.path().join("whole");
    run(&experiment, &whole, Settings { jobs: 1, ..Settings::default() });
    let undivided = told(&plan, &[(2, &whole)]);
    assert!(undivided.ends_with("it holds the results of a whole run, not of a shard"), "{undivided}");
    let deeper = crate::runner::session::tests::experiment(temporary.path(), &SIX.replace("depth = 2", "depth = 3"));
    let foreign = told(&Plan::new(&deeper), &[]);
    assert!(foreign.ends_with("it holds results of another plan"), "{foreign}");
}
