use super::*;

#[test]
fn incomplete_lines_show_missing_failed_and_unjudged_jobs() {
    let shard_jobs = |shard: u64, missing: u64, failed: u64, searches_left: u64, has_begun: bool| ShardJobs {
        shard,
        jobs: 9,
        missing,
        failed,
        searches_left,
        folder: (shard != 1).then(|| PathBuf::from("out/0")),
        has_begun,
    };
    let incomplete = [
        shard_jobs(0, 9, 0, 0, false),
        shard_jobs(1, 9, 0, 0, false),
        shard_jobs(3, 2, 0, 0, true),
        shard_jobs(4, 0, 1, 0, true),
        shard_jobs(5, 1, 3, 2, true),
        shard_jobs(6, 0, 0, 1, true),
    ];
    assert_eq!(
        describe_incomplete(&incomplete, 7),
        [
            "shard 0 of 7: not started: no results in out/0",
            "shard 1 of 7: not started",
            "shard 3 of 7: 2 of 9 jobs missing",
            "shard 4 of 7: all jobs done, 1 failed",
            "shard 5 of 7: 1 of 9 jobs missing, 3 failed, 2 searches by the reference engine missing",
            "shard 6 of 7: all jobs done, 1 search by the reference engine missing",
        ]
    );
}
