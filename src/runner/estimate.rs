//! Estimates how long the remaining jobs of a plan take, from the rows of its finished jobs.

use super::row_index::RowIndex;
use super::status::Status;
use super::stopping::MatchState;
use crate::experiment::{Experiment, Job, Plan};
use crate::record::columns;
use crate::text::plural;
use std::collections::{HashMap, HashSet};
use std::path::Path;

#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    pub jobs_left: u64,
    /// The seconds that the remaining jobs take if one job runs at a time.
    pub seconds: f64,
    pub source: String,
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { jobs_left: jobs, seconds, source } = self;
        if *jobs == 0 {
            return write!(f, "none: {source}");
        }
        write!(f, "about {} with 1 job at a time, for {} ({source})", format_seconds(*seconds), plural(jobs, "job"))
    }
}

/// Formats a duration with two significant figures, in a suitable unit.
pub fn format_seconds(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1.0 => return "a second".to_owned(),
        s if s < 100.0 => (s, "seconds"),
        s if s < 6000.0 => (s / 60.0, "minutes"),
        s if s < 48.0 * 3600.0 => (s / 3600.0, "hours"),
        s => (s / 86400.0, "days"),
    };
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// Estimates the duration from the rows of this plan in a folder. Returns `None` if no job is done
/// there. `known_places` contains the jobs that need not run, given by their places in the plan's
/// order.
pub fn from_rows(experiment: &Experiment, plan: &Plan, folder: &Path, known_places: &HashSet<u64>) -> Option<Estimate> {
    let row_index = RowIndex::new(experiment, plan);
    let mut match_state = MatchState::new(experiment, plan, &row_index.header, None);
    let index_of = |name: &str| row_index.header.iter().position(|column| column == name);
    let seconds_index = index_of(columns::SECONDS)?;
    let node_indices = index_of(columns::NODES).zip(index_of(columns::OPPONENT_NODES));
    let group = |job: &Job| (job.variant, plan.suite(job.item));
    // The number of finished jobs and their seconds, for each variant and suite.
    let mut spent_by_group: HashMap<_, (u64, f64)> = HashMap::new();
    let status = Status::read(&row_index, &folder.join(crate::record::RESULTS), !Status::STRICT, |entry, row| {
        let parse_field = |index: usize| row.get(index).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
        // A game's row has the time of only one player. The opponent's time is assumed to be
        // proportional to its nodes.
        let factor = node_indices
            .map_or(1.0, |(nodes, opponent_nodes)| 1.0 + parse_field(opponent_nodes) / parse_field(nodes).max(1.0));
        let (_, seconds) = spent_by_group.entry(group(&entry.job)).or_default();
        *seconds += parse_field(seconds_index) * factor;
        match_state.add_row(plan, entry, row);
        Ok(())
    });
    let status = status.ok()?;
    let (done_jobs, other_jobs): (Vec<Job>, Vec<Job>) = plan.jobs().partition(|job| status.job(&row_index, job).ended);
    for job in &done_jobs {
        let (count, _) = spent_by_group.entry(group(job)).or_default();
        *count += 1;
    }
    if done_jobs.is_empty() {
        return None;
    }
    let mean_seconds = spent_by_group.values().map(|(_, seconds)| seconds).sum::<f64>() / done_jobs.len() as f64;
    let is_needed = |job: &Job| match_state.needs(plan, job) && !known_places.contains(&plan.order_key(job));
    let needed_jobs: Vec<Job> = other_jobs.into_iter().filter(is_needed).collect();
    let seconds = needed_jobs.iter().map(|job| match spent_by_group.get(&group(job)) {
        Some(&(count, seconds)) if count > 0 => seconds / count as f64,
        _ => mean_seconds,
    });
    let source = format!("{} jobs of this plan are done in {}", done_jobs.len(), folder.display());
    Some(Estimate { jobs_left: needed_jobs.len() as u64, seconds: seconds.sum(), source })
}

#[cfg(test)]
mod tests {
    use super::super::row_index::tests::{rows, trial};
    use super::*;

    #[test]
    fn duration_is_formatted_in_a_suitable_unit() {
        for (seconds, output) in [
            (0.2, "a second"),
            (3.25, "3.2 seconds"),
            (42.0, "42 seconds"),
            (150.0, "2.5 minutes"),
            (7200.0, "2.0 hours"),
            (259_200.0, "3.0 days"),
        ] {
            assert_eq!(format_seconds(seconds), output);
        }
    }

    #[test]
    fn duration_units_meet_without_gaps() {
        for (seconds, output) in [
            (0.99, "a second"),
            (1.0, "1.0 seconds"),
            (9.94, "9.9 seconds"),
            (10.0, "10 seconds"),
            (99.4, "99 seconds"),
            (100.0, "1.7 minutes"),
            (5999.0, "100 minutes"),
            (6000.0, "1.7 hours"),
            (172_799.0, "48 hours"),
            (172_800.0, "2.0 days"),
        ] {
            assert_eq!(format_seconds(seconds), output);
        }
        let estimate = |jobs_left| Estimate { jobs_left, seconds: 42.0, source: "why".to_owned() };
        assert_eq!(estimate(3).to_string(), "about 42 seconds with 1 job at a time, for 3 jobs (why)");
        assert_eq!(estimate(0).to_string(), "none: why");
    }

    /// Each of the variants a and b has six jobs. Two jobs of a took 1 s each, and one job of b
    /// failed after 0.5 s. So the remaining four jobs of a take 1 s each, and the remaining five of
    /// b half a second.
    #[test]
    fn estimate_from_rows_uses_each_variants_mean() {
        let (experiment, plan, header) = trial();
        let folder = tempfile::tempdir().unwrap();
        let job = |variant: usize, index: usize| plan.jobs().filter(|job| job.variant == variant).nth(index).unwrap();
        let estimate_from = |lines: &[Vec<String>]| {
            let text: String = std::iter::once(&header).chain(lines).map(|line| line.join(",") + "\n").collect();
            std::fs::write(folder.path().join("results.csv"), text).unwrap();
            from_rows(&experiment, &plan, folder.path(), &HashSet::new())
        };
        let source = |done: usize| format!("{done} jobs of this plan are done in {}", folder.path().display());
        let rows_of =
            |variant: usize, index: usize, error: &str| rows(&experiment, &plan, &header, &job(variant, index), error);
        assert_eq!(from_rows(&experiment, &plan, folder.path(), &HashSet::new()), None);
        assert_eq!(estimate_from(&rows_of(0, 0, "")[..1]), None, "its last row is missing");
        let rows_of_a = [rows_of(0, 0, ""), rows_of(0, 3, "")].concat();
        let done = [rows_of_a.clone(), rows_of(1, 1, "it broke")].concat();
        assert_eq!(estimate_from(&done), Some(Estimate { jobs_left: 9, seconds: 4.0 + 5.0 * 0.5, source: source(3) }));
        // A variant without rows is estimated by the mean of the others.
        assert_eq!(estimate_from(&rows_of_a), Some(Estimate { jobs_left: 10, seconds: 4.0 + 6.0, source: source(2) }));
        // An edited row and a line that is not a row are skipped.
        let mut edited = done;
        edited[1][header.iter().position(|name| name == columns::NODES).unwrap()] = "5".to_owned();
        edited.push(vec!["x".to_owned()]);
        assert_eq!(estimate_from(&edited).map(|estimate| (estimate.jobs_left, estimate.source)), Some((10, source(2))));
        let all_rows: Vec<Vec<String>> =
            plan.jobs().flat_map(|job| rows(&experiment, &plan, &header, &job, "")).collect();
        assert_eq!(estimate_from(&all_rows), Some(Estimate { jobs_left: 0, seconds: 0.0, source: source(12) }));
    }
}
