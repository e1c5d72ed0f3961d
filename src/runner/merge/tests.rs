//! Runs shards in this process, merges them, and compares the result with an undivided run.

use super::*;
use crate::record::manifest::{Build, Shard};
use crate::runner::Settings;
use crate::runner::session::tests::{SIX, experiment, rows, run};

/// Runs the shards with these numbers, of three, each in a folder of its own. Returns the folders.
fn run_shards(experiment: &Experiment, path: &Path, indices: &[u64]) -> Vec<(u64, PathBuf)> {
    let run_shard = |&index: &u64| {
        let folder = path.join(format!("shard{index}"));
        let shard = Some(Shard { index, count: 3 });
        run(experiment, &folder, Settings { jobs: 1, shard, ..Settings::default() });
        (index, folder)
    };
    indices.iter().map(run_shard).collect()
}

/// The number of jobs of each shard.
fn count_jobs(shards: &Shards<'_>) -> Vec<u64> {
    let count =
        |index| crate::runner::jobs_of(shards.plan, Some(Shard { index, count: shards.shard_count })).count() as u64;
    (0..shards.shard_count).map(count).collect()
}

/// Three shards of two jobs each, in any order of folders.
#[test]
fn merge_gives_the_rows_of_a_single_run() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let whole = temporary.path().join("whole");
    run(&experiment, &whole, Settings { jobs: 2, ..Settings::default() });
    let folders = run_shards(&experiment, temporary.path(), &[2, 0, 1]);
    let shards = Shards { experiment: &experiment, plan: &plan, shard_count: 3, folders };
    assert_eq!(count_jobs(&shards).iter().sum::<u64>(), 6);
    assert_eq!(shards.incomplete_shards().unwrap(), []);
    let merged = temporary.path().join("merged");
    let (manifest, failed) = shards.merge(&Output::open(&merged).unwrap(), false).unwrap();
    assert_eq!((rows(&merged), failed), (rows(&whole), 0));
    let mut merged_shards: Vec<u64> = manifest.shards.iter().map(|shard| shard.index).collect();
    merged_shards.sort_unstable();
    assert_eq!((merged_shards, manifest.jobs), (vec![0, 1, 2], 1));
    assert_eq!(manifest.started, manifest.shards.iter().map(|shard| shard.started).min().unwrap());
}

#[test]
fn merge_reports_a_missing_shard() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let folders = run_shards(&experiment, temporary.path(), &[0, 2]);
    let two_shards = Shards { experiment: &experiment, plan: &plan, shard_count: 3, folders };
    let jobs = count_jobs(&two_shards)[1];
    assert!(jobs > 0);
    let incomplete_shard =
        ShardJobs { shard: 1, jobs, missing: jobs, failed: 0, searches_left: 0, folder: None, has_begun: false };
    assert_eq!(two_shards.incomplete_shards().unwrap(), std::slice::from_ref(&incomplete_shard));
    assert_eq!(
        MergeError::Missing(vec![incomplete_shard.clone(), incomplete_shard.clone()], 3).to_string(),
        format!("2 of 3 shards are incomplete: {} jobs missing", 2 * jobs)
    );
    let out = temporary.path().join("merged");
    let result = two_shards.merge(&Output::open(&out).unwrap(), false);
    assert!(
        matches!(&result, Err(MergeError::Missing(incomplete, 3)) if *incomplete == [incomplete_shard]),
        "{result:?}"
    );
    assert!(!out.join("results.csv").exists());
}

#[test]
fn job_without_its_last_row_is_missing() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let folders = run_shards(&experiment, temporary.path(), &[0, 1, 2]);
    let (path, folder) = (folders[1].1.join("results.csv"), Some(folders[1].1.clone()));
    let text = std::fs::read_to_string(&path).unwrap();
    let end = text.trim_end().rfind('\n').unwrap();
    std::fs::write(&path, &text[..=end]).unwrap();
    let shards = Shards { experiment: &experiment, plan: &plan, shard_count: 3, folders };
    let jobs = count_jobs(&shards)[1];
    assert!(jobs > 1);
    let expected = |missing: u64| {
        [ShardJobs { shard: 1, jobs, missing, failed: 0, searches_left: 0, folder: folder.clone(), has_begun: true }]
    };
    assert_eq!(shards.incomplete_shards().unwrap(), expected(1));
    // A shard that has just started has all jobs missing.
    std::fs::remove_file(&path).unwrap();
    assert_eq!(shards.incomplete_shards().unwrap(), expected(jobs));
}

#[test]
fn folders_of_another_plan_are_refused_and_a_shard_counts_once() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let folders = run_shards(&experiment, temporary.path(), &[0, 1, 2]);
    let copy = temporary.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    for file in [MANIFEST, "results.csv"] {
        std::fs::copy(folders[1].1.join(file), copy.join(file)).unwrap();
    }
    let whole = temporary.path().join("whole");
    run(&experiment, &whole, Settings { jobs: 1, ..Settings::default() });
    let twice = [&folders[..], &[(1, copy)]].concat();
    let shards = Shards { experiment: &experiment, plan: &plan, shard_count: 3, folders: twice };
    let merged = temporary.path().join("merged");
    shards.merge(&Output::open(&merged).unwrap(), false).unwrap();
    assert_eq!(rows(&merged), rows(&whole));
    let deeper = crate::runner::session::tests::experiment(temporary.path(), &SIX.replace("depth = 2", "depth = 3"));
    let shards = Shards { experiment: &deeper, plan: &Plan::new(&deeper), shard_count: 3, folders };
    let message = shards.incomplete_shards().unwrap_err().to_string();
    assert!(message.ends_with("holds the results of another plan"), "{message}");
}

/// Three different shards, not in the order of their numbers. The merged manifest has the maximum
/// number of jobs, the earliest start and the latest end.
#[test]
fn merged_manifest_describes_every_shard() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let shard = |(index, jobs, started, ended): (u64, usize, u64, Option<u64>)| {
        let folder = temporary.path().join(index.to_string());
        let segment = |jobs| RunSegment { jobs, started, ended, ..RunSegment::default() };
        let manifest = Manifest {
            shard: Some(Shard { index, count: 3 }),
            started,
            ended,
            segments: (1..=jobs).map(segment).collect(),
            ..crate::runner::manifest(&experiment, &plan, jobs, None)
        };
        (index, Source { folder, manifest })
    };
    let sources = [(2, 2, 50, Some(90)), (0, 3, 40, Some(99)), (1, 1, 60, Some(70))].map(shard);
    let manifest =
        Shards { experiment: &experiment, plan: &plan, shard_count: 3, folders: Vec::new() }.merged_manifest(&sources);
    assert_eq!((manifest.jobs, manifest.started, manifest.ended, manifest.shard), (3, 40, Some(99), None));
    let runs: Vec<_> = manifest.shards.iter().map(|run| (run.index, run.jobs, run.started, run.ended)).collect();
    assert_eq!(runs, [(2, 2, 50, Some(90)), (0, 3, 40, Some(99)), (1, 1, 60, Some(70))]);
    let segments: Vec<_> =
        manifest.segments.iter().map(|segment| (segment.shard, segment.jobs, segment.started)).collect();
    let segment = |shard, jobs, started| (Some(shard), jobs, started);
    assert_eq!(
        segments,
        [
            segment(2, 1, 50),
            segment(2, 2, 50),
            segment(0, 1, 40),
            segment(0, 2, 40),
            segment(0, 3, 40),
            segment(1, 1, 60)
        ]
    );
}

#[test]
fn shards_of_different_builds_need_any_build() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let folders = run_shards(&experiment, temporary.path(), &[2, 0, 1]);
    let mut manifest = Manifest::read(&folders[2].1).unwrap().unwrap();
    let build = manifest.build.clone();
    manifest.build = Build { commit: "b".to_owned(), searches: "b".to_owned(), ..build.clone() };
    std::fs::write(folders[2].1.join(MANIFEST), manifest.to_text().unwrap()).unwrap();
    let folder = folders[2].1.display().to_string();
    let shards = Shards { experiment: &experiment, plan: &plan, shard_count: 3, folders };
    let merge = |any_build| {
        let output = Output::open(&temporary.path().join("merged")).unwrap();
        shards.merge(&output, any_build).map_err(|error| error.to_string())
    };
    let difference = format!("its build ({}) differs from that of shard 2 ({build})", manifest.build);
    assert_eq!(
        merge(false).map(drop),
        Err(format!("{folder}: {difference}: run the shard again, or merge anyway with --any-build"))
    );
    assert_eq!(merge(true).unwrap().0.shards.len(), 3);
}

#[test]
fn gaps_report_missing_judgements() {
    let temporary = tempfile::tempdir().unwrap();
    let text = format!("{SIX}[reference]\nuci = 'builtin'\nlimit = {{ depth = 3 }}\n");
    let experiment = experiment(temporary.path(), &text);
    let plan = Plan::new(&experiment);
    let folders = run_shards(&experiment, temporary.path(), &[0, 1, 2]);
    let shards = Shards { experiment: &experiment, plan: &plan, shard_count: 3, folders };
    let incomplete: Vec<_> = shards
        .incomplete_shards()
        .unwrap()
        .into_iter()
        .map(|shard| (shard.shard, shard.missing, shard.searches_left > 0))
        .collect();
    assert_eq!(incomplete, [(0, 0, true), (1, 0, true), (2, 0, true)]);
}
