//! Estimates how long a plan takes on this machine, from the rows of an earlier run of it.

use crate::experiment::{Job, Plan};
use crate::record::columns;
use crate::record::manifest::Manifest;
use crate::text::plural;
use std::collections::HashMap;
use std::path::Path;

/// An estimated duration and its source.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Jobs still to run.
    pub left: u64,
    /// Seconds for these jobs with one job at a time.
    pub seconds: f64,
    /// The source of the estimate, for the message.
    pub source: String,
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { left, seconds, source } = self;
        if *left == 0 {
            return write!(f, "none: {source}");
        }
        write!(f, "about {} with 1 job at a time, for {} ({source})", words(*seconds), plural(left, "job"))
    }
}

/// Formats seconds with two significant figures, in the unit that suits.
fn words(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1.0 => return "a second".to_owned(),
        s if s < 100.0 => (s, "seconds"),
        s if s < 6000.0 => (s / 60.0, "minutes"),
        s if s < 48.0 * 3600.0 => (s / 3600.0, "hours"),
        s => (s / 86400.0, "days"),
    };
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// Estimates from the rows of this plan in a folder; `None` if no job of it is done there.
pub fn from_rows(plan: &Plan, folder: &Path) -> Option<Estimate> {
    let path = folder.join("results.csv");
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(&path).ok()?;
    let header = reader.headers().ok()?.clone();
    let at = |name: &str| header.iter().position(|column| column == name);
    let (id, variant, seconds) = (at(columns::ID)?, at(columns::VARIANT)?, at(columns::SECONDS)?);
    let sides = at(columns::NODES).zip(at(columns::OPPONENT_NODES));
    let suite = at(columns::SUITE);
    let lane =
        |job: &Job| (plan.variants[job.variant].name.clone(), plan.suite(job.item).unwrap_or_default().to_owned());
    let job = |job: Job| (format!("{:016x}", plan.job_id(&job)), lane(&job));
    let mut undone: HashMap<String, (String, String)> = plan.jobs().map(job).collect();
    // Jobs done and their seconds, by variant and suite.
    let mut spent: HashMap<(String, String), (u64, f64)> = HashMap::new();
    for row in reader.records().map_while(Result::ok) {
        let (Some(variant), Some(id)) = (row.get(variant), row.get(id)) else { continue };
        let suite = suite.and_then(|at| row.get(at)).unwrap_or_default();
        let sum = spent.entry((variant.to_owned(), suite.to_owned())).or_default();
        sum.0 += u64::from(undone.remove(id).is_some());
        let number = |at: usize| row.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
        // A game's row has the time of only one player; the opponent's is taken as proportional to
        // its nodes.
        let both = sides.map_or(1.0, |(own, other)| 1.0 + number(other) / number(own).max(1.0));
        sum.1 += number(seconds) * both;
    }
    let (done, total) = spent.values().fold((0, 0.0), |sum, lane| (sum.0 + lane.0, sum.1 + lane.1));
    if done == 0 {
        return None;
    }
    let seconds = undone.values().map(|lane| match spent.get(lane) {
        Some(&(done, seconds)) if done > 0 => seconds / done as f64,
        _ => total / done as f64,
    });
    // Pairs of games after their test has ended are not played.
    let not_needed = Manifest::read(folder).ok().flatten().map_or(0, |manifest| manifest.jobs_not_needed);
    let left = (undone.len() as u64).saturating_sub(not_needed);
    let seconds = if left == 0 { 0.0 } else { seconds.sum() };
    Some(Estimate { left, seconds, source: format!("{done} jobs of this plan are done in {}", folder.display()) })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

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
            assert_eq!(words(seconds), output);
        }
    }

    fn read(text: &str) -> Plan {
        let experiment = Experiment::parse(text, Path::new("x.toml"), &[]);
        Plan::new(&experiment.unwrap_or_else(|problem| panic!("{problem}")))
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
            assert_eq!(words(seconds), output);
        }
        let estimate = |left| Estimate { left, seconds: 42.0, source: "why".to_owned() };
        assert_eq!(estimate(3).to_string(), "about 42 seconds with 1 job at a time, for 3 jobs (why)");
        assert_eq!(estimate(0).to_string(), "none: why");
    }

    /// Of eight jobs of two variants three are done: two of a in 3 s and 5 s, one of b in 1 s. The
    /// row of another plan's job adds 1 s to a. So two more jobs of a take 4.5 s each and three of
    /// b 1 s each.
    #[test]
    fn estimate_from_rows_uses_each_variants_mean() {
        let plan = read(
            "suite = 'data/bratko-kopec.epd'\nfirst = 4\nlimit = { depth = 1 }\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n",
        );
        let folder = tempfile::tempdir().unwrap();
        let jobs: Vec<Job> = plan.jobs().collect();
        let id = |variant: usize, item: usize| {
            format!("{:016x}", plan.job_id(jobs.iter().find(|job| (job.variant, job.item) == (variant, item)).unwrap()))
        };
        let put = |rows: &[(&str, String, f64)]| {
            let rows: String =
                rows.iter().map(|(variant, id, seconds)| format!("{id},{variant},x,{seconds}\n")).collect();
            std::fs::write(folder.path().join("results.csv"), format!("id,variant,more,seconds\n{rows}")).unwrap();
            from_rows(&plan, folder.path())
        };
        let other = || "00000000000000ff".to_owned();
        let source = |done: usize| format!("{done} jobs of this plan are done in {}", folder.path().display());
        assert_eq!(from_rows(&plan, folder.path()), None);
        assert_eq!(put(&[("a", other(), 3.0)]), None, "a row of no job of this plan");
        let done = [("a", id(0, 0), 3.0), ("a", other(), 1.0), ("a", id(0, 2), 5.0), ("b", id(1, 1), 1.0)];
        assert_eq!(put(&done), Some(Estimate { left: 5, seconds: 2.0 * 4.5 + 3.0, source: source(3) }));
        // A variant without rows is estimated by the mean of the others: 9 s in two jobs.
        let one = Estimate { left: 6, seconds: 2.0 * 4.5 + 4.0 * 9.0 / 2.0, source: source(2) };
        assert_eq!(put(&done[..3]), Some(one));
        let spared = Manifest { jobs_not_needed: 4, ..Manifest::default() };
        let manifest = serde_json::to_string(&spared).unwrap();
        std::fs::write(folder.path().join(crate::record::manifest::MANIFEST), manifest).unwrap();
        assert_eq!(put(&done).map(|estimate| estimate.left), Some(1));
        // A malformed line is skipped.
        let text = format!("id,variant,more,seconds\nx\n{},a,x,3\n", id(0, 0));
        std::fs::write(folder.path().join("results.csv"), text).unwrap();
        assert_eq!(from_rows(&plan, folder.path()).map(|estimate| estimate.source), Some(source(1)));
        let all: Vec<(&str, String, f64)> =
            jobs.iter().map(|job| (["a", "b"][job.variant], format!("{:016x}", plan.job_id(job)), 1.0)).collect();
        assert_eq!(put(&all), Some(Estimate { left: 0, seconds: 0.0, source: source(8) }));
    }

    /// Three rows of 2 s, whose opponents searched as many nodes, half as many and none.
    #[test]
    fn estimate_from_games_counts_both_players() {
        let plan = read(
            "suite = 'data/bratko-kopec.epd'\nfirst = 4\nlimit = { nodes = 9 }\n[match]\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n",
        );
        let folder = tempfile::tempdir().unwrap();
        let id = format!("{:016x}", plan.job_id(&plan.jobs().next().unwrap()));
        let text = format!("id,variant,search.nodes,match.opponent_nodes,seconds\n0,b,100,100,2\n{id},b,100,50,2\n");
        std::fs::write(folder.path().join("results.csv"), text).unwrap();
        assert_eq!(
            from_rows(&plan, folder.path()).map(|found| (found.left, found.seconds)),
            Some((3, 3.0 * (4.0 + 3.0)))
        );
    }
}
