//! The objective of `ttlab tune`. Each stage is a run in its own folder, so that an interrupted
//! tuning can be resumed.

use crate::analysis::pairing::metric_reader::{Depths, MetricReader};
use crate::analysis::pairing::pairs::Pairs;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::questions::race::{Objective, RaceStage};
use crate::analysis::questions::samples::Measurements;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::{Frame, FrameError, Metric};
use crate::experiment::baseline::Partners;
use crate::experiment::{Experiment, Plan};
use crate::record::columns;
use crate::runner::{RunError, RunSummary, Session, Settings, progress::Progress};
use crate::text::plural;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run was interrupted; finished jobs are kept.
    #[error("interrupted")]
    Interrupted(RunSummary),
    #[error("{} failed: see the error column of {path}; --retry-failed runs what failed again", plural(jobs, "job"))]
    Failed { jobs: u64, path: String },
    /// The results cannot be read, or have no such metric.
    #[error("{0}")]
    Rows(#[from] FrameError),
    /// Most searches have no ratio to the baseline, because one of the two counts is 0.
    #[error(
        "tune.metric: in most searches, {metric} is 0 for either \"{candidate}\" or the baseline, so no ratio can decide the \
         race. Choose another metric, or leave the variant out"
    )]
    NoRatios { metric: String, candidate: String },
    #[error("`{0}` is a measured time, which does not repeat: expected a count or a rate of counts")]
    Time(String),
}

/// Measures an experiment's variants on some of its items by running them.
pub struct Runs<'a> {
    pub experiment: &'a Experiment,
    pub folder: PathBuf,
    pub settings: Settings,
    /// If another thread sets this flag, the run ends soon.
    pub stop: &'a AtomicBool,
    /// Called when a stage begins, with the number of its candidates and the number of its items.
    /// Returns the progress display of its jobs.
    pub begin_stage: &'a mut (dyn FnMut(RaceStage, usize, usize) -> Box<dyn Progress> + 'a),
}

/// Runs a stage in `folder` and returns its rows. `begin_progress` makes the progress display.
pub(super) fn run_stage(
    experiment: &Experiment,
    folder: &Path,
    settings: &Settings,
    stop: &AtomicBool,
    begin_progress: impl FnOnce() -> Box<dyn Progress>,
) -> Result<Frame, RunsError> {
    let plan = Plan::new(experiment);
    let session = Session::begin(experiment, &plan, folder, settings.clone(), stop)?;
    let summary = session.run(stop, begin_progress().as_ref())?;
    if summary.interrupted {
        return Err(RunsError::Interrupted(summary));
    }
    let path = session.output.results_path();
    if summary.failed > 0 {
        return Err(RunsError::Failed { jobs: summary.failed, path: path.display().to_string() });
    }
    Ok(Frame::read(&path)?)
}

impl Objective for Runs<'_> {
    type Error = RunsError;

    fn measure(&mut self, stage: RaceStage, candidates: &[usize], items: &[usize]) -> Result<Measurements, RunsError> {
        let experiment = self.experiment;
        let part = select_part(experiment, candidates, items);
        let begin_progress = || (self.begin_stage)(stage, candidates.len(), items.len());
        let rows = run_stage(&part, &self.folder.join(stage.folder()), &self.settings, self.stop, begin_progress)?;
        let names: Vec<&str> = part.variants.iter().map(|variant| variant.name.as_str()).collect();
        let item_indices: HashMap<&str, u32> =
            experiment.suite.items.iter().enumerate().map(|(index, item)| (item.id.as_str(), index as u32)).collect();
        let metric = experiment.file.tune.as_ref().map_or("nodes", |tune| tune.metric.as_str());
        let measurements = read_measurements(&rows, metric, &names, &item_indices)?;
        match find_candidate_without_ratio(&measurements, part.baseline) {
            Some(index) => Err(RunsError::NoRatios { metric: metric.to_owned(), candidate: names[index].to_owned() }),
            None => Ok(measurements),
        }
    }
}

fn find_candidate_without_ratio(measurements: &Measurements, baseline: usize) -> Option<usize> {
    let values = &measurements.values;
    (0..values.len()).find(|&candidate| {
        let pairs = Pairs::from_values(&measurements.items, &values[baseline], &values[candidate]);
        pairs.one_sided_zero.iter().sum::<usize>() > pairs.list.len()
    })
}

fn select_part(whole: &Experiment, candidates: &[usize], items: &[usize]) -> Experiment {
    let mut part = whole.clone();
    part.variants = candidates.iter().map(|&variant| whole.variants[variant].clone()).collect();
    part.suite.items = items.iter().map(|&item| whole.suite.items[item].clone()).collect();
    part.baseline = candidates.iter().position(|&variant| variant == whole.baseline).unwrap_or(0);
    part.partners = Partners::single(part.baseline, part.variants.len());
    // A race needs only one repeat, because counts are the same in every repeat. It does not
    // compare key seeds, schedules or times.
    (part.file.seeds, part.file.schedules, part.file.repeats, part.file.times) = (1, 1, 1, false);
    part
}

/// Finds a metric by its name. Returns an error if the metric is a measured time, because a race
/// must be repeatable.
pub fn find_count_metric(name: &str, frame: &Frame) -> Result<Metric, RunsError> {
    let metric = Metric::find_comparable(name, frame)?;
    if metric.is_time() { Err(RunsError::Time(metric.name)) } else { Ok(metric) }
}

/// The value is NaN if a variant lacks the search. `item_indices` maps the id of each item to its
/// index in the suite.
fn read_measurements(
    frame: &Frame,
    metric: &str,
    variants: &[&str],
    item_indices: &HashMap<&str, u32>,
) -> Result<Measurements, RunsError> {
    let metric = find_count_metric(metric, frame)?;
    let grouping = Grouping::new(frame, &[columns::VARIANT.to_owned()]);
    let searches = Searches::gather(frame, &grouping);
    let reader = MetricReader::new(&searches, &metric, frame);
    let (games, positions) = (frame.text_column(columns::GAME), frame.text_column(columns::POSITION));
    // Maps each unit to the index of its value. A unit is a position or, in a game, a ply.
    let mut index_of_unit: HashMap<u32, usize> = HashMap::new();
    let mut measurements = Measurements { items: Vec::new(), values: vec![Vec::new(); variants.len()] };
    for (index, search) in searches.in_row_order() {
        let value_index = *index_of_unit.entry(search.unit).or_insert_with(|| {
            let game = games.text(search.last_row);
            let item = if game.is_empty() { positions.text(search.last_row) } else { game };
            measurements.items.push(item_indices.get(item).copied().unwrap_or(u32::MAX));
            measurements.values.iter_mut().for_each(|values| values.push(f64::NAN));
            measurements.items.len() - 1
        });
        let name = &grouping.values[search.group as usize][0];
        if let Some(variant) = variants.iter().position(|variant| variant == name) {
            measurements.values[variant][value_index] = reader.search_value(index as u32, &Depths::All);
        }
    }
    Ok(measurements)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two games and a single position. A search of a game belongs to the game's item; variant c is
    /// not asked for.
    #[test]
    fn values_of_games_belong_to_the_games_item() {
        let text = "variant,position,game,ply,depth,search.nodes\n\
                    b,g2 ply 4,g2,4,3,70\na,g2 ply 4,g2,4,3,7\na,g1 ply 2,g1,2,2,5\na,g1 ply 2,g1,2,3,6\nb,g1 ply 2,g1,2,3,60\n\
                    c,g1 ply 2,g1,2,3,600\na,g1 ply 4,g1,4,3,8\na,p,,,3,9\nb,p,,,3,90\n";
        let item_indices = HashMap::from([("g1", 0), ("g2", 1), ("p", 2)]);
        let frame = Frame::parse(text.as_bytes(), "test").unwrap();
        let measured = read_measurements(&frame, "nodes", &["a", "b"], &item_indices).unwrap();
        let mut rows: Vec<(u32, String)> = (measured.items.iter().enumerate())
            .map(|(index, &item)| (item, format!("{} {}", measured.values[0][index], measured.values[1][index])))
            .collect();
        rows.sort();
        // Nodes of a search are those of all its depths.
        let expected = [(0, "11 60"), (0, "8 NaN"), (1, "7 70"), (2, "9 90")];
        assert_eq!(rows, expected.map(|(item, text)| (item, text.to_owned())));
        assert!(matches!(
            read_measurements(&frame, "seconds", &["a"], &item_indices),
            Err(RunsError::Time(_) | RunsError::Rows(_))
        ));
    }

    #[test]
    fn candidate_with_zeros_on_one_side_in_most_searches_is_found() {
        let check = |base: [f64; 3], other: [f64; 3]| {
            let values = vec![base.to_vec(), base.to_vec(), other.to_vec()];
            find_candidate_without_ratio(&Measurements { items: vec![0, 1, 2], values }, 0)
        };
        assert_eq!([check([9.0; 3], [5.0, 0.0, 5.0]), check([9.0, 0.0, 0.0], [5.0, 0.0, 0.0])], [None; 2]);
        assert_eq!([check([9.0; 3], [0.0, 5.0, 0.0]), check([0.0, 0.0, 9.0], [5.0, 5.0, 5.0])], [Some(2); 2]);
        assert_eq!(check([9.0; 3], [0.0; 3]), Some(2));
        // Half of the searches is not most of them.
        let half = Measurements { items: vec![0, 1, 2, 3], values: vec![vec![9.0; 4], vec![9.0, 0.0, 9.0, 0.0]] };
        assert_eq!(find_candidate_without_ratio(&half, 0), None);
    }

    #[test]
    fn stage_with_stopped_or_failed_jobs_is_an_error() {
        /// Panics when variant b searches one of these items.
        struct Faulty(&'static [&'static str]);
        impl Progress for Faulty {
            fn begin(&self, _: u64, _: u64, _: &crate::runner::Done) {}
            fn begin_job(&self, variant: &str, item: &str) {
                assert!(variant != "b" || !self.0.contains(&item), "a fault");
            }
            fn end_job(&self, _: Option<String>) {}
            fn end(&self, _: &RunSummary) {}
        }
        let text = "suite = 'data/bratko-kopec.epd'\nfirst = 5\nlimit = { depth = 1 }\n\
            [[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 5\n[tune]\n";
        let whole = Experiment::parse(text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let folder = tempfile::tempdir().unwrap();
        let measure = |name: &str, stop: bool, faulty: &'static [&'static str]| {
            let (stop, mut begin_stage) =
                (AtomicBool::new(stop), |_, _, _| Box::new(Faulty(faulty)) as Box<dyn Progress>);
            let folder = folder.path().join(name);
            Runs {
                experiment: &whole,
                folder,
                settings: Settings::default(),
                stop: &stop,
                begin_stage: &mut begin_stage,
            }
            .measure(RaceStage::Race(0), &[0, 1], &[2, 4])
        };
        let measurements = measure("fine", false, &[]).unwrap();
        assert_eq!((measurements.items.as_slice(), measurements.values.len()), (&[2, 4][..], 2));
        assert!(matches!(measure("stopped", true, &[]), Err(RunsError::Interrupted(_))));
        let one_failed = measure("one", false, &["BK.05"]);
        assert!(matches!(one_failed, Err(RunsError::Failed { jobs: 1, .. })), "{one_failed:?}");
        let both_failed = measure("both", false, &["BK.03", "BK.05"]);
        assert!(matches!(both_failed, Err(RunsError::Failed { jobs: 2, .. })), "{both_failed:?}");
    }

    /// The baseline stays the baseline if it is selected; else the first variant is.
    #[test]
    fn select_keeps_the_given_variants_and_items_in_order() {
        let text = "suite = 'data/bratko-kopec.epd'\nfirst = 5\nlimit = { depth = 2 }\nrepeats = 3\nseeds = 2\nbaseline = { variant = 'c' }\n\
            [[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 5\n[[variant]]\nname = 'c'\n'keys.seed' = 6\n";
        let whole = Experiment::parse(text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        for (candidates, items, baseline) in [(&[0, 2][..], &[4, 1][..], 1), (&[2, 0], &[0], 0), (&[1, 0], &[3], 0)] {
            let part = select_part(&whole, candidates, items);
            let names: Vec<&str> = part.variants.iter().map(|variant| variant.name.as_str()).collect();
            assert_eq!(names, candidates.iter().map(|&variant| ["a", "b", "c"][variant]).collect::<Vec<_>>());
            let ids: Vec<&str> = part.suite.items.iter().map(|item| item.id.as_str()).collect();
            assert_eq!(ids, items.iter().map(|&item| whole.suite.items[item].id.as_str()).collect::<Vec<_>>());
            assert_eq!((part.baseline, part.file.seeds, part.file.repeats), (baseline, 1, 1));
        }
        let frame = Frame::parse("variant,position,depth,search.nodes,seconds\n".as_bytes(), "t").unwrap();
        let message = |name: &str| find_count_metric(name, &frame).map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(message("nodes"), Ok(()));
        for name in ["seconds", "nps"] {
            assert_eq!(
                message(name),
                Err(format!(
                    "`{name}` is a measured time, which does not repeat: expected a count or a rate of counts"
                ))
            );
        }
    }
}
