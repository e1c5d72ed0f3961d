//! Audits an experiment's searches. Every answer of the table is checked against a search without a
//! table. Nothing is timed or written.

use super::{in_parallel, into_value, job, lock};
use crate::engine::audit::{Findings, comparable_options, with_draws};
use crate::engine::{Engine, EngineOptions};
use crate::experiment::{Experiment, Job, Plan, Work};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The results of auditing one variant.
#[derive(Debug, Clone, Default)]
pub struct Audited {
    pub variant: String,
    /// The number of finished iterations.
    pub iterations: u64,
    /// Nodes of all searches, including unfinished iterations.
    pub nodes: u64,
    /// The wrong answers in searches without the option `draws`.
    pub findings: Findings,
    /// The wrong answers in the same iterations with the option `draws`, or `None` if the variant
    /// does not have this option. These answers are kept apart, because a score that is wrong on
    /// one path may be right on another.
    pub findings_with_draws: Option<Findings>,
}

/// Searches every item once with every variant that has a table, to a depth of at most `depth`.
/// Options that make scores incomparable are switched off (see [`comparable_options`]). This
/// includes the option `draws`. If a variant has this option, each search is made a second time
/// with the option switched on (see [`with_draws`]). Returns the results of the variants in the
/// order of the file. After each job, calls `report_progress` with the number of finished jobs and
/// the number of all jobs.
pub fn audit(
    experiment: &Experiment,
    depth: u8,
    jobs: usize,
    stop: &AtomicBool,
    report_progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Vec<Audited>, String> {
    // A match is replaced by single searches, because the baseline of a match has no jobs of its
    // own and would not be audited.
    let mut without_games = experiment.clone();
    if without_games.work.games().is_some() {
        without_games.work = Work::Search(None);
    }
    let experiment = &without_games;
    let mut plan = Plan::new(experiment);
    plan.repeats = 1;
    let change_all = |change: fn(&EngineOptions) -> Option<EngineOptions>| -> Vec<Option<EngineOptions>> {
        plan.variants.iter().map(|variant| change(variant.builtin()?)).collect()
    };
    let (options, options_with_draws) = (change_all(comparable_options), change_all(with_draws));
    let audited = plan.variants.iter().zip(&options).map(|(variant, options)| {
        options.as_ref().map(|_| Audited { variant: variant.name.clone(), ..Audited::default() })
    });
    let audited: Vec<Option<Audited>> = audited.collect();
    plan.cap_depth(depth);
    let todo: Vec<Job> = plan.jobs().filter(|job| options[job.variant].is_some()).collect();
    let (audited, finished) = (Mutex::new(audited), AtomicUsize::new(0));
    in_parallel(&todo, jobs, stop, |next| {
        while let Some(job) = next() {
            let Some(options) = &options[job.variant] else { continue };
            let Some(job_result) = audit_job(experiment, &plan, job, options, stop)? else { break };
            let draw_findings = match &options_with_draws[job.variant] {
                Some(options) => match audit_job(experiment, &plan, job, options, stop)? {
                    Some(result_with_draws) => Some(result_with_draws.findings),
                    None => break,
                },
                None => None,
            };
            if let Some(total) = &mut lock(&audited)[job.variant] {
                total.iterations += job_result.iterations;
                total.nodes += job_result.nodes;
                total.findings.add(job_result.findings);
                let total_with_draws = &mut total.findings_with_draws;
                draw_findings.into_iter().for_each(|findings| total_with_draws.get_or_insert_default().add(findings));
            }
            report_progress(finished.fetch_add(1, Ordering::Relaxed) as u64 + 1, todo.len() as u64);
        }
        Ok::<_, String>(())
    })?;
    Ok(into_value(audited).into_iter().flatten().collect())
}

/// Runs one job on a new engine that audits the answers of its table. Returns `None` if the
/// searches are interrupted.
fn audit_job(
    experiment: &Experiment,
    plan: &Plan,
    job: &Job,
    options: &EngineOptions,
    stop: &AtomicBool,
) -> Result<Option<Audited>, String> {
    let Some(working_set) = job::measure_working_set(experiment, plan, job, options, stop)? else { return Ok(None) };
    let mut engine = Engine::new(options, Some(working_set)).map_err(|error| error.to_string())?;
    engine.audit();
    let Some(rows) = job::search(experiment, plan, job, &mut engine, stop)? else { return Ok(None) };
    Ok(Some(Audited {
        iterations: rows.iter().filter(|row| row.iteration.finished).count() as u64,
        nodes: rows.iter().map(|row| row.iteration.search.nodes).sum(),
        findings: engine.take_findings(),
        ..Audited::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn audit_covers_every_player_of_a_match() {
        let text = "suite = { startpos = true }\nlimit = { depth = 2 }\nbaseline = { variant = \"a\" }\n[match]\n\
                    [[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n\"keys.seed\" = 2\n";
        let experiment =
            Experiment::parse(text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let results =
            audit(&experiment, 5, 1, &AtomicBool::new(false), &|_, _| ()).unwrap_or_else(|text| panic!("{text}"));
        let searches: Vec<(&str, u64)> =
            results.iter().map(|result| (result.variant.as_str(), result.iterations)).collect();
        assert_eq!(searches, [("a", 2), ("b", 2)]);
    }

    /// Each item is searched by a new engine, to the smaller depth of the limit and the audit.
    #[test]
    fn audit_sums_searches_and_nodes_over_items() {
        let folder = tempfile::tempdir().unwrap();
        let suite = folder.path().join("own.epd");
        std::fs::write(&suite, "8/8/8/3k4/8/3K4/4P3/8 w - - id \"a\";\nr3k2r/8/8/8/8/8/8/R3K2R w KQkq - id \"b\";\n")
            .unwrap();
        let text = format!(
            "suite = {:?}\nlimit = {{ depth = 3 }}\nrepeats = 2\n[grid]\n'table' = ['none', 'bounded']\n",
            suite.display().to_string()
        );
        let experiment =
            Experiment::parse(&text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        for (depth, deepest) in [(2, 2), (3, 3), (9, 3)] {
            let results = audit(&experiment, depth, 2, &AtomicBool::new(false), &|_, _| ()).unwrap();
            let options = comparable_options(experiment.variants[1].builtin().unwrap()).unwrap();
            let (mut nodes, mut searches) = (0, 0);
            for item in &experiment.suite.items {
                let mut engine = Engine::new(&options, None).unwrap();
                let limit = crate::engine::Limit { depth: Some(deepest), nodes: None };
                let outcome = engine.search(&item.board, &[], limit, &AtomicBool::new(false), &mut |_| {});
                nodes += outcome.iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>();
                searches += outcome.iterations.len() as u64;
            }
            let counts: Vec<_> =
                results.iter().map(|result| (result.variant.as_str(), result.iterations, result.nodes)).collect();
            assert_eq!(counts, [(experiment.variants[1].name.as_str(), searches, nodes)], "{depth}");
            // The score of each finished search is checked.
            let count = &results[0].findings.count;
            assert_eq!((count.roots, count.wrong, count.moves > 0), (searches, 0, true));
        }
    }

    #[test]
    fn unfinished_iteration_counts_nodes_but_no_search() {
        for (nodes, depths) in [(1, 0), (100_000, 2)] {
            let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 2, nodes = {nodes} }}\n");
            let experiment =
                Experiment::parse(&text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
            let results = audit(&experiment, 5, 1, &AtomicBool::new(false), &|_, _| ()).unwrap();
            assert_eq!(results.len(), 1, "{results:?}");
            assert!(results[0].iterations == depths, "{results:?}");
            assert!(results[0].nodes > 0, "{results:?}");
        }
    }
}
