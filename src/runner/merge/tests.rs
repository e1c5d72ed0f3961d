//! Runs shards in this process.

use super::*;
use crate::record::manifest::Shard;
use crate::runner::Settings;
use crate::runner::session::tests::{SIX, experiment, run};

#[test]
fn gaps_report_missing_judgements() {
    let temporary = tempfile::tempdir().unwrap();
    let text = format!("{SIX}[reference]\nuci = 'builtin'\nlimit = {{ depth = 3 }}\n");
    let experiment = experiment(temporary.path(), &text);
    let plan = Plan::new(&experiment);
    let run_shard = |index: u64| {
        let folder = temporary.path().join(format!("shard{index}"));
        let shard = Some(Shard { index, count: 3 });
        run(&experiment, &folder, Settings { jobs: 1, shard, ..Settings::default() });
        (index, folder)
    };
    let folders = [0, 1, 2].map(run_shard).to_vec();
    let shards = Shards { experiment: &experiment, plan: &plan, shard_count: 3, folders };
    let incomplete: Vec<_> = shards
        .incomplete_shards()
        .unwrap()
        .into_iter()
        .map(|shard| (shard.shard, shard.missing, shard.searches_left > 0))
        .collect();
    assert_eq!(incomplete, [(0, 0, true), (1, 0, true), (2, 0, true)]);
}
