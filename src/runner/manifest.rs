//! Creates the manifest of a new run.

use super::machine;
use crate::experiment::suites::Section;
use crate::experiment::{Experiment, Plan, Subject, Variant, identity};
use crate::record::manifest::{Build, Host, Manifest, Planned, RunRecord, SCHEMA, Sealed, Shard, SuiteRun};
use crate::record::{base_variant, header, header_line};
use crate::system::available_bytes;
use crate::table::TableOptions;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

pub fn build() -> Build {
    Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("TTLAB_COMMIT").unwrap_or("unknown").to_owned(),
        profile: env!("TTLAB_PROFILE").to_owned(),
        searches: env!("TTLAB_SEARCHES").to_owned(),
        bench: None,
    }
}

pub fn manifest(experiment: &Experiment, plan: &Plan, jobs: usize, shard: Option<Shard>) -> Manifest {
    let is_in_shard = variants_in_shard(plan, shard);
    let variant_names = |is_listed: &dyn Fn(usize) -> bool| {
        let variants = plan.variants.iter().enumerate().filter(|(index, _)| is_listed(*index));
        variants.map(|(_, variant)| variant.name.clone()).collect::<Vec<_>>()
    };
    // A plan may have thousands of variants. The plan file contains their options, so the options
    // are not repeated in the folder of every shard.
    let options =
        plan.variants.iter().filter(|_| shard.is_none()).map(|variant| (variant.name.clone(), options(variant)));
    let planned = Planned {
        name: experiment.name.clone(),
        question: experiment.file.question.clone(),
        suite: experiment.suite_name.clone(),
        // The absolute path of an empty path is an error.
        folder: std::path::absolute(Path::new(".").join(&experiment.folder)).unwrap_or_default(),
        suite_paths: experiment.suite_paths(),
        suites: experiment.sections.iter().map(suite_run).collect(),
        items: experiment.suite.items.len(),
        contents: match shard {
            None => identity::item_hashes(&experiment.suite, experiment.work.sequence().as_ref()),
            Some(_) => BTreeMap::new(),
        },
        solutions: shard.map_or_else(|| identity::solutions_hash(&experiment.suite), |_| String::new()),
        repeated: experiment.count_repeated_searches(),
        left_out: experiment.suite.notes.iter().map(ToString::to_string).collect(),
        sequence: experiment.has_sequences(),
        repeats: experiment.file.repeats,
        times: experiment.file.times,
        seeds: experiment.file.seeds,
        variants: variant_names(&|index| is_in_shard[index]),
        never_cleared: variant_names(&|index| is_in_shard[index] && plan.is_whole_suite_job(index)),
        baseline: plan.variants[plan.baseline].name.clone(),
        baselines: baselines(experiment, plan),
        varying: plan.varying(),
        options: options.collect(),
        plan: plan.id_text(),
        jobs_total: plan.len(),
    };
    let run = RunRecord {
        jobs,
        shard,
        calibration: shard.and_then(|_| calibration()),
        started: now(),
        sets: experiment.overrides.clone(),
        ..RunRecord::default()
    };
    let host = Host { build: build(), machine: machine::current(), huge_pages: huge_pages(plan) };
    let header = header_line(&header(&plan.varying(), plan.extra_columns()));
    Manifest { schema: SCHEMA, planned, run, host, sealed: Sealed { header, ..Sealed::default() } }
}

/// A variant may have copies with other key seeds or schedules. The baseline of a variant's n-th
/// copy is the n-th copy of the variant's baseline, or this baseline itself if it has no n-th copy.
fn baselines(experiment: &Experiment, plan: &Plan) -> BTreeMap<String, String> {
    let partners = &experiment.partners;
    let (originals, copies) = plan.variants.split_at(partners.baselines.len());
    if copies.is_empty() && partners.bases().nth(1).is_none() {
        return BTreeMap::new();
    }
    let name = |index: usize| plan.variants[index].name.as_str();
    // Each series contains an original variant and then its copies in their order.
    let mut series: Vec<Vec<usize>> = (0..originals.len()).map(|original| vec![original]).collect();
    for index in originals.len()..plan.variants.len() {
        let Some(original_name) = base_variant(name(index)) else { continue };
        if let Some(original) = originals.iter().position(|variant| variant.name == original_name) {
            series[original].push(index);
        }
    }
    let mut baselines = BTreeMap::new();
    for (indices, baseline) in series.iter().zip(&partners.baselines) {
        let Some(baseline) = *baseline else { continue };
        for (number, &index) in indices.iter().enumerate() {
            let partner = series[baseline].get(number).copied().unwrap_or(baseline);
            baselines.insert(name(index).to_owned(), name(partner).to_owned());
        }
    }
    baselines
}

fn suite_run(section: &Section) -> SuiteRun {
    let file = section.entry.file.display().to_string();
    SuiteRun { name: section.name.clone(), file, items: section.item_range.len() }
}

pub fn options(variant: &Variant) -> serde_json::Value {
    match &variant.subject {
        Subject::External(subject) => serde_json::to_value(subject),
        Subject::Builtin { options, .. } => serde_json::to_value(options),
    }
    .unwrap_or_default()
}

/// Without a shard, all entries are true.
fn variants_in_shard(plan: &Plan, shard: Option<Shard>) -> Vec<bool> {
    // A whole run includes all variants, even one without jobs, such as the baseline of a match.
    let mut has_jobs = vec![shard.is_none(); plan.variants.len()];
    if shard.is_some() {
        super::jobs_of(plan, shard).for_each(|job| has_jobs[job.variant] = true);
    }
    has_jobs
}

pub(super) fn bench() -> Option<u64> {
    static NODES: LazyLock<Option<u64>> = LazyLock::new(|| match env!("TTLAB_PROFILE") {
        "debug" => None,
        _ => crate::signature::nodes(&crate::signature::bench_options()).ok(),
    });
    *NODES
}

/// Measures the nodes per second of the searches of `ttlab bench`. Returns the speed of the fastest
/// of three runs, because other load can only slow a run down. A debug build makes only one run,
/// because its speed says nothing about the machine. Later calls return the same value.
fn calibration() -> Option<u64> {
    fn measure() -> Option<u64> {
        let start = std::time::Instant::now();
        let nodes = crate::signature::nodes(&crate::signature::bench_options()).ok()?;
        Some((nodes as f64 / start.elapsed().as_secs_f64()) as u64)
    }
    static SPEED: LazyLock<Option<u64>> = LazyLock::new(|| {
        let runs = if env!("TTLAB_PROFILE") == "debug" { 1 } else { 3 };
        (0..runs).filter_map(|_| measure()).max()
    });
    *SPEED
}

pub fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Whether the kernel gives huge pages to the first table that requests huge pages and fits into
/// memory. Returns `None` if there is no such table.
fn huge_pages(plan: &Plan) -> Option<bool> {
    let free_bytes = available_bytes().unwrap_or(u64::MAX);
    let fits = |table: &&TableOptions| crate::table::bytes(table, None).is_some_and(|bytes| bytes <= free_bytes);
    let mut tables = plan.variants.iter().filter_map(Variant::table).filter(|table| asks_for_huge_pages(table));
    crate::table::gets_huge_pages(tables.find(fits)?)
}

/// Whether a table requests huge pages and is small enough to be allocated for this check.
fn asks_for_huge_pages(table: &TableOptions) -> bool {
    table.huge_pages && crate::table::bytes(table, None).is_some_and(|bytes| (2 << 20..=1 << 30).contains(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Split;

    /// A huge page has 2 MiB. Tables one bucket smaller than that, or larger than 1 GiB, are not
    /// tried.
    #[test]
    fn huge_pages_are_tried_for_tables_of_2_mib_to_1_gib() {
        let is_tried = |sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
            asks_for_huge_pages(&crate::experiment::options(None, &sets).unwrap().table)
        };
        for (size, expected) in [("2 MiB", true), ("1 GiB", true), ("2097136 B", false), ("1073741840 B", false)] {
            assert_eq!(is_tried(&[&format!("table.size=\"{size}\"")]), expected, "{size}");
        }
        assert!(!is_tried(&["table.size=\"4 MiB\"", "table.huge_pages=false"]));
        assert!(!is_tried(&["table.kind=none"]));
        assert!(!is_tried(&["table.size=\"50 %\""]));
    }

    #[test]
    fn manifest_describes_the_plan_and_the_shard() {
        let text = "name = 'n'\nquestion = 'q'\nsuite = 'data/bratko-kopec.epd'\nfirst = 5\nlimit = { depth = 1 }\nrepeats = 2\nseeds = 3\n\
            baseline = { variant = 'b' }\n[[variant]]\nname = 'a'\n'table.slots' = 2\n[[variant]]\nname = 'b'\n[[variant]]\nname = 'c'\n\
            'table.clear' = 'never'\n";
        let sets = vec!["limit.nodes=99".to_owned()];
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
        let experiment = Experiment::parse(text, &path, &sets).unwrap_or_else(|problem| panic!("{problem}"));
        let plan = Plan::new(&experiment);
        let whole = manifest(&experiment, &plan, 7, None);
        assert_eq!(
            (whole.planned.name.as_str(), whole.planned.question.as_str(), whole.planned.suite.as_str()),
            ("n", "q", "data/bratko-kopec.epd")
        );
        assert_eq!(
            (whole.planned.items, whole.planned.repeats, whole.planned.seeds, whole.run.jobs, whole.planned.sequence),
            (5, 2, 3, 7, false)
        );
        // Three seeds of three variants, two repeats: for two variants each item is a job, and for
        // the third all items form one job.
        assert_eq!((whole.planned.jobs_total, whole.run.jobs_not_needed), (3 * 2 * (5 + 5 + 1), 0));
        assert_eq!(
            (whole.planned.variants.len(), whole.planned.variants[..3].join(" "), whole.planned.baseline.as_str()),
            (9, "a b c".to_owned(), "b")
        );
        assert_eq!((whole.planned.never_cleared.len(), whole.planned.never_cleared[0].as_str()), (3, "c"));
        assert_eq!((whole.planned.options.len(), &whole.planned.options["a"]["table"]["slots"]), (9, &2.into()));
        assert_eq!(
            (&whole.run.sets, whole.run.shard, whole.run.calibration, whole.run.ended),
            (&sets, None, None, None)
        );
        let varying: std::collections::BTreeSet<&str> = whole.planned.varying.iter().map(String::as_str).collect();
        assert_eq!(varying.into_iter().collect::<Vec<_>>(), ["keys.seed", "table.clear", "table.slots"]);
        assert_eq!(whole.planned.baselines["c, key seed 3"], "b, key seed 3");
        // A shard lists the variants that have jobs in it. 66 jobs in 40 shards: each has one or
        // two.
        let shard = Shard { index: 0, count: 40 };
        let in_shard = variants_in_shard(&plan, Some(shard));
        let split = Split::new(&plan, shard.count);
        let mut expected = vec![false; 9];
        plan.jobs().filter(|job| split.shard_of(&plan, job) == 0).for_each(|job| expected[job.variant] = true);
        assert!(in_shard == expected, "{in_shard:?}");
        assert!((1..=2).contains(&in_shard.iter().filter(|&&has_jobs| has_jobs).count()), "{in_shard:?}");
        assert_eq!(variants_in_shard(&plan, None), [true; 9]);
        // Games are sequences even without a [sequence] section in the file; single positions only
        // with one.
        let is_sequence = |suite: &str| {
            let text = format!("suite = 'data/{suite}\nlimit = {{ depth = 1 }}\n");
            let experiment = Experiment::parse(&text, &path, &[]).unwrap_or_else(|problem| panic!("{problem}"));
            manifest(&experiment, &Plan::new(&experiment), 1, None).planned.sequence
        };
        let self_play = "bratko-kopec.epd'\nsequence = { self_play = 2 }";
        assert_eq!(["games.pgn'", self_play, "bratko-kopec.epd'"].map(is_sequence), [true, true, false]);
    }
    #[test]
    fn copy_without_a_copied_baseline_has_the_original_as_its_baseline() {
        let text = "suite = { startpos = true }\nlimit = { depth = 1 }\nschedules = 3\nbaseline = { variant = 'a' }\n\
            [[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'threads.count' = 2\n'threads.schedule' = 'random'\n";
        let experiment = Experiment::parse(text, "x.toml".as_ref(), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let plan = Plan::new(&experiment);
        assert_eq!(plan.variants.len(), 4, "`a` has no schedules");
        assert!(baselines(&experiment, &plan).values().all(|baseline| baseline == "a"));
        assert_eq!(baselines(&experiment, &plan).len(), 4);
    }
}
