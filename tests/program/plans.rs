//! Ids and shards: positions and options that differ have ids that differ; and shards are dealt out evenly.

use std::collections::HashMap;
use std::path::Path;
use ttlab::experiment::{Experiment, Plan, Split};
use ttlab::signature::values;

fn plan(text: &str) -> Plan {
    Plan::new(
        &Experiment::parse(text, Path::new("plan.toml"), &[])
            .unwrap_or_else(|error| panic!("{text}: {}", error.message)),
    )
}

/// The ids of a plan: its own, then those of its first job's first row and of the job.
fn ids(text: &str) -> [u64; 3] {
    let plan = plan(text);
    let job = plan.jobs().next().unwrap();
    [plan.id(), plan.row_id(&job, job.item, 0, 1), plan.job_id(&job)]
}

/// Two own positions, two lengths of own play: ids by what the position is, not by what it is called.
#[test]
fn positions_are_told_apart_by_all_that_they_are() {
    let of = |fen: &str| ids(&format!("suite = {{ fen = '{fen}' }}\nlimit = {{ depth = 3 }}\n"));
    let fens = [
        "r3k2r/8/8/8/3pP3/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/3pP3/8/8/R3K2R b KQkq - 0 1",
        "r3k2r/8/8/8/3pP3/8/8/R3K2R w KQk - 0 1",
        "r3k2r/8/8/8/3pP3/8/8/R3K2R b KQkq e3 0 1",
        "r3k2r/8/8/8/3pP3/8/8/R3K2R w KQkq - 1 1",
        "r3k2r/8/8/8/3pP3/8/8/R3K2R w KQkq - 0 2",
        "r3k2r/8/8/8/4P3/8/8/R3K2R w KQkq - 0 1",
    ];
    let all: Vec<_> = fens.iter().map(|fen| of(fen)).collect();
    for (a, b) in (0..all.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
        assert!((0..3).all(|at| all[a][at] != all[b][at]), "{} and {}", fens[a], fens[b]);
    }
    let own = |plies: u16| {
        ids(&format!("suite = {{ startpos = true }}\nlimit = {{ depth = 3 }}\nsequence = {{ self_play = {plies} }}\n"))
    };
    assert!((0..3).all(|at| own(3)[at] != own(4)[at]));
}

/// Every value of every option: no two have one id.
#[test]
fn every_option_is_in_the_id() {
    let mut seen: HashMap<[u64; 3], String> = HashMap::new();
    let mut different: HashMap<String, String> = HashMap::new();
    for (name, options) in values::all().into_iter().flat_map(|(_, points)| points) {
        let mut experiment =
            Experiment::parse("suite = { startpos = true }\nlimit = { depth = 3 }\n", Path::new("plan.toml"), &[])
                .unwrap();
        let text = serde_json::to_string(&options).unwrap();
        experiment.points[0].options = options;
        let plan = Plan::new(&experiment);
        let job = plan.jobs().next().unwrap();
        let ids = [plan.id(), plan.row_id(&job, 0, 0, 1), plan.job_id(&job)];
        // Two names of one set of options (a parameter at its default) are one plan.
        match (seen.insert(ids, name.clone()), different.insert(text, name.clone())) {
            (Some(other), None) => panic!("{name} and {other} have one id"),
            (None, Some(other)) => panic!("{name} and {other} are the same and have two ids"),
            _ => {}
        }
    }
    assert!(seen.len() > 200);
}

/// No shard has more than one job (or, where items stay together, one item's jobs) more than another.
#[test]
fn shards_are_balanced() {
    for (variants, items) in [(1u64, 24usize), (2, 24), (3, 24), (4, 24), (6, 24), (5, 7), (4, 1)] {
        let sizes: Vec<String> = (1..=variants).map(|size| (64 * size).to_string()).collect();
        let text = format!(
            "suite = 'data/bratko-kopec.epd'\nfirst = {items}\nlimit = {{ depth = 3 }}\n[grid]\n'table.size' = [{}]\n",
            sizes.join(", ")
        );
        let plan = plan(&text);
        for shards in (1..=30).chain([48, 96, 200]) {
            let split = Split::new(&plan, shards);
            let mut loads = vec![0u64; shards as usize];
            let mut of_variant: HashMap<(usize, u64), u64> = HashMap::new();
            let mut of_item: HashMap<usize, Vec<u64>> = HashMap::new();
            for job in plan.jobs() {
                let shard = split.shard_of(&plan, &job);
                loads[shard as usize] += 1;
                *of_variant.entry((job.variant, shard)).or_default() += 1;
                of_item.entry(job.item).or_default().push(shard);
            }
            let (most, least) = (loads.iter().max().unwrap(), loads.iter().min().unwrap());
            let together = shards <= items as u64;
            let step = if together { variants } else { 1 };
            assert!(most - least <= step, "{variants} variants, {items} items, {shards} shards: {loads:?}");
            assert_eq!(loads.iter().sum::<u64>(), plan.len());
            if together {
                assert!(of_item.values().all(|shards| shards.iter().all(|&shard| shard == shards[0])));
            } else if shards < plan.len() / 2 {
                // No variant is all one shard's.
                for variant in 0..variants as usize {
                    let most =
                        of_variant.iter().filter(|((of, _), _)| *of == variant).map(|(_, &jobs)| jobs).max().unwrap();
                    assert!(
                        most < items as u64,
                        "{variants} variants, {items} items, {shards} shards: variant {variant}"
                    );
                }
            }
        }
    }
}
