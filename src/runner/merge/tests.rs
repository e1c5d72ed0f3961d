//! Runs shards in this process, merges them, and compares the result with an undivided run.

use super::*;
use crate::record::columns;
use crate::record::manifest::{Build, EngineInfo};
use crate::runner::Settings;
use crate::runner::session::tests::{SIX, experiment, rows, run};
use std::collections::BTreeMap;

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
    // The limit of open files does not change the rows.
    for max_files in [0, 1, MAX_OPEN_FILES] {
        let row_index = RowIndex::new(&experiment, &plan);
        let mut match_state = MatchState::new(&experiment, &plan, &row_index.header, None);
        let indices = [columns::VARIANT, columns::POSITION, columns::NODES]
            .map(|name| row_index.header.iter().position(|column| column == name).unwrap());
        let mut visited = Vec::new();
        let result = shards.visit_rows(&row_index, &mut match_state, max_files, &mut |_, row| {
            visited.push(indices.map(|column| row[column].to_owned()));
            Ok(())
        });
        assert!(result.is_ok(), "{max_files}: {visited:?}");
        assert!(visited == rows(&whole), "{max_files}: {visited:?}");
    }
    let merged = temporary.path().join("merged");
    // A running shard is not complete.
    let running = Output::open(&shards.folders[1].1).unwrap();
    let error = shards.merge(&Output::open(&merged).unwrap(), false).unwrap_err().to_string();
    let message = format!("{}: another run is writing to this folder", shards.folders[1].1.display());
    assert!(error.starts_with(&message), "{error}");
    assert!(!merged.join("results.csv").exists(), "{error}");
    drop(running);
    let (manifest, failed) = shards.merge(&Output::open(&merged).unwrap(), false).unwrap();
    assert_eq!((rows(&merged), failed), (rows(&whole), 0));
    let mut merged_shards: Vec<u64> = manifest.shards.iter().map(|shard| shard.index).collect();
    merged_shards.sort_unstable();
    assert_eq!((merged_shards, manifest.jobs), (vec![0, 1, 2], 1));
    assert_eq!(manifest.started, manifest.shards.iter().map(|shard| shard.started).min().unwrap());
}

#[test]
fn merge_refuses_a_shard_that_changes_after_the_check() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let folders = run_shards(&experiment, temporary.path(), &[0, 1, 2]);
    let shards = Shards { experiment: &experiment, plan: &plan, shard_count: 3, folders };
    let output = Output::open(&temporary.path().join("merged")).unwrap();
    let row_index = RowIndex::new(&experiment, &plan);
    let (incomplete, checked) = shards.check_shards().unwrap();
    // Two jobs of two depths each.
    assert_eq!((incomplete, &checked), (Vec::new(), &vec![4, 4, 4]));
    let (folder, path) = (&shards.folders[1].1, shards.folders[1].1.join("results.csv"));
    let whole = std::fs::read_to_string(&path).unwrap();
    let message = |text: &str| {
        std::fs::write(&path, text).unwrap();
        shards.write_rows(&row_index, &output, &checked).map(drop).map_err(|error| error.to_string())
    };
    let changed = |merged: u64| {
        let folder = folder.display();
        Err(format!(
            "{folder}: changed during the merge: 4 rows when checked, {merged} when merged; nothing was written: merge again"
        ))
    };
    let last = whole.trim_end().rfind('\n').unwrap() + 1;
    assert_eq!(message(&whole[..last]), changed(3));
    assert_eq!(message(&format!("{whole}{}", &whole[last..])), changed(5));
    assert_eq!(message(&whole), Ok(()));
    let remaining = std::fs::read_dir(&output.folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(remaining.collect::<Vec<_>>(), [".lock"]);
}

/// There are more shards than files that may be open. The rows of every item are spread over all
/// shards, so merging the three items in order opens each file three times.
#[test]
fn merge_continues_files_that_were_closed() {
    for count in [MAX_OPEN_FILES as u64 + 1, MAX_OPEN_FILES as u64 + 2] {
        let temporary = tempfile::tempdir().unwrap();
        let text = format!(
            "name = 'six'\nsuite = 'three.epd'\nlimit = {{ depth = 1 }}\nseeds = {count}\n[engine]\ntable.size = 64\n"
        );
        let experiment = experiment(temporary.path(), &text);
        let plan = Plan::new(&experiment);
        let whole = temporary.path().join("whole");
        run(&experiment, &whole, Settings { jobs: 2, ..Settings::default() });
        let mut shards = Shards { experiment: &experiment, plan: &plan, shard_count: count, folders: Vec::new() };
        // Split by hand: running each shard would first measure the machine's speed.
        let (row_index, split) = (RowIndex::new(&experiment, &plan), shards.split());
        let text = std::fs::read_to_string(whole.join("results.csv")).unwrap();
        let header = text.lines().next().unwrap();
        let mut shard_texts = vec![format!("{header}\n"); count as usize];
        record::scan(&whole.join("results.csv"), &row_index.header, |line, row| {
            let shard = split.shard_of(&plan, &row_index.entry(row?)?.job);
            shard_texts[shard as usize] += &text[line.bytes.start as usize..line.bytes.end as usize];
            Ok(())
        })
        .unwrap();
        // As in the manifest of a shard, without the options of all variants.
        let manifest = Manifest { options: BTreeMap::new(), ..crate::runner::manifest(&experiment, &plan, 1, None) };
        for (index, rows) in (0..).zip(shard_texts) {
            assert_eq!(rows.lines().count(), 4, "three jobs of one row each, and the header");
            let folder = temporary.path().join(format!("shard{index}"));
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("results.csv"), rows).unwrap();
            let manifest = Manifest { shard: Some(Shard { index, count }), ..manifest.clone() };
            std::fs::write(folder.join(MANIFEST), serde_json::to_string(&manifest).unwrap()).unwrap();
            shards.folders.push((index, folder));
        }
        let merged = temporary.path().join("merged");
        shards.merge(&Output::open(&merged).unwrap(), false).unwrap();
        assert_eq!(std::fs::read_to_string(merged.join("results.csv")).unwrap(), text, "{count}");
    }
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
    let incomplete_shard = ShardJobs { shard: 1, jobs, missing: jobs, failed: 0, searches_left: 0, folder: None };
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
    let expected =
        |missing: u64| [ShardJobs { shard: 1, jobs, missing, failed: 0, searches_left: 0, folder: folder.clone() }];
    assert_eq!(shards.incomplete_shards().unwrap(), expected(1));
    // A shard that has just started has all jobs missing.
    std::fs::remove_file(&path).unwrap();
    assert_eq!(shards.incomplete_shards().unwrap(), expected(jobs));
}

#[test]
fn merge_refuses_folders_of_other_shards_or_plans() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let folders = run_shards(&experiment, temporary.path(), &[0, 1, 2]);
    // The message if some shards have other folders.
    let message = |plan: &Plan, changes: &[(u64, &PathBuf)]| {
        let unchanged = folders.iter().filter(|(shard, _)| changes.iter().all(|(index, _)| index != shard)).cloned();
        let folders = unchanged.chain(changes.iter().map(|&(index, folder)| (index, folder.clone()))).collect();
        let shards = Shards { experiment: &experiment, plan, shard_count: 3, folders };
        shards.incomplete_shards().unwrap_err().to_string()
    };
    let copy = temporary.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    for file in [MANIFEST, "results.csv"] {
        std::fs::copy(folders[1].1.join(file), copy.join(file)).unwrap();
    }
    let duplicate = message(&plan, &[(1, &folders[1].1), (1, &copy)]);
    assert!(duplicate.starts_with("shard 1: it is in two folders, "), "{duplicate}");
    assert!(duplicate.ends_with("copy: name only one of them"), "{duplicate}");
    let other_shard = message(&plan, &[(0, &copy)]);
    assert!(other_shard.ends_with("holds shard 1 of 3: expected shard 0 of 3"), "{other_shard}");
    let whole = temporary.path().join("whole");
    run(&experiment, &whole, Settings { jobs: 1, ..Settings::default() });
    let undivided = message(&plan, &[(2, &whole)]);
    assert!(undivided.ends_with("holds the results of a whole run: expected a shard"), "{undivided}");
    let deeper = crate::runner::session::tests::experiment(temporary.path(), &SIX.replace("depth = 2", "depth = 3"));
    let other_plan = message(&Plan::new(&deeper), &[]);
    assert!(other_plan.ends_with("holds the results of another plan"), "{other_plan}");
}

/// Three different shards, not in the order of their numbers. The merged manifest has the maximum
/// number of jobs, the earliest start and the latest end.
#[test]
fn merged_manifest_describes_every_shard() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let write_shard = |(index, jobs, started, ended): (u64, usize, u64, Option<u64>)| {
        let folder = temporary.path().join(index.to_string());
        let segment = |jobs| RunSegment { jobs, started, ended, ..RunSegment::default() };
        let manifest = Manifest {
            shard: Some(Shard { index, count: 3 }),
            started,
            ended,
            segments: (1..=jobs).map(segment).collect(),
            ..crate::runner::manifest(&experiment, &plan, jobs, None)
        };
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(MANIFEST), serde_json::to_string(&manifest).unwrap()).unwrap();
        (index, folder)
    };
    let folders = [(2, 2, 50, Some(90)), (0, 3, 40, Some(99)), (1, 1, 60, Some(70))].map(write_shard).to_vec();
    let manifest =
        Shards { experiment: &experiment, plan: &plan, shard_count: 3, folders }.merged_manifest(false).unwrap();
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
    // For the folders in their order, a letter that stands for the commit and the engine.
    for (case, (commits, engines)) in [("aaa", "eee"), ("aab", "eee"), ("aaa", "eef")].into_iter().enumerate() {
        let shard_folder = |index: usize| temporary.path().join(format!("{case}.{index}"));
        // `letter`: the folder's index in this order; the third folder is shard 1.
        let write_shard = |(index, letter): (usize, usize)| {
            let folder = shard_folder(index);
            let mut manifest = crate::runner::manifest(&experiment, &plan, 1, None);
            manifest.shard = Some(Shard { index: index as u64, count: 3 });
            manifest.build.commit = commits[letter..=letter].to_owned();
            manifest.build.searches = commits[letter..=letter].to_owned();
            let engine = EngineInfo { sha256: engines[letter..=letter].to_owned(), ..EngineInfo::default() };
            manifest.subjects = [("engine".to_owned(), engine)].into();
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join(MANIFEST), serde_json::to_string(&manifest).unwrap()).unwrap();
            (index as u64, folder)
        };
        let folders = [(2, 0), (0, 1), (1, 2)].map(write_shard).to_vec();
        let shards = Shards { experiment: &experiment, plan: &plan, shard_count: 3, folders };
        let error = shards.merged_manifest(false).err().map(|problem| problem.to_string());
        let build = |commit: &str| {
            Build { commit: commit.to_owned(), ..crate::runner::manifest(&experiment, &plan, 1, None).build }
                .to_string()
        };
        let difference = [
            None,
            Some(format!("its build ({}) differs from that of shard 2 ({})", build("b"), build("a"))),
            Some("its engine programs differ from those of shard 2".to_owned()),
        ];
        let message = difference[case].as_ref().map(|text| {
            format!("{}: {text}: run the shard again, or merge anyway with --any-build", shard_folder(1).display())
        });
        assert_eq!(error, message);
        assert_eq!(shards.merged_manifest(true).unwrap().shards.len(), 3);
    }
}

#[test]
fn duplicate_shard_conflicts_if_counts_differ() {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = experiment(temporary.path(), SIX);
    let plan = Plan::new(&experiment);
    let shards = Shards { experiment: &experiment, plan: &plan, shard_count: 2, folders: Vec::new() };
    let status = |checks: &[(u64, u32)]| Status {
        jobs: checks
            .iter()
            .map(|&(job, check)| (job, JobStatus { check, ended: true, ..JobStatus::default() }))
            .collect(),
        ..Status::default()
    };
    let (one, two) = (PathBuf::from("one"), PathBuf::from("two"));
    let message = |first: &[(u64, u32)], second: &[(u64, u32)]| {
        shards.duplicate_shard_error(1, (&one, &status(first)), (&two, &status(second))).to_string()
    };
    let duplicate = "shard 1: it is in two folders, one and two: name only one of them";
    assert_eq!(message(&[(1, 10), (3, 20)], &[(1, 10), (3, 20)]), duplicate);
    assert_eq!(message(&[(1, 10), (3, 20)], &[(1, 10)]), duplicate);
    assert_eq!(message(&[(3, 20)], &[(1, 10), (3, 20)]), duplicate);
    assert_eq!(message(&[], &[(1, 10)]), duplicate);
    // Jobs 3 and 5 differ: the second variant on the second and third positions.
    assert_eq!(
        message(&[(5, 10), (3, 20), (1, 30)], &[(1, 30), (3, 11), (5, 12)]),
        "shard 1: two folders have different counts for \"size=256\" on b (repeat 0): one and two"
    );
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

/// Linux error numbers: EROFS, EACCES and EPERM are read-only; EIO, EAGAIN and ENOSPC are not.
#[test]
fn is_read_only_recognizes_linux_errors() {
    for (number, expected) in [(30, true), (13, true), (1, true), (5, false), (11, false), (28, false)] {
        assert_eq!(is_read_only(&std::io::Error::from_raw_os_error(number)), expected, "{number}");
    }
}
