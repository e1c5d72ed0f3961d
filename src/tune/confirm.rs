//! Confirms a screen's winner with games. The winner plays matches against all contenders, stage by
//! stage. Each stage doubles the total number of games and has its own folder. The stages end when
//! all contenders are decided or the openings are used up.

use super::RunsError;
use super::runs::run_stage;
use crate::analysis::Frame;
use crate::analysis::questions::race::RaceResult;
use crate::analysis::questions::screen::{Confirmation, ScreenResult};
use crate::experiment::{Confirm, Experiment, Plan};
use crate::record::RESULTS;
use crate::runner::progress::{self, Progress};
use crate::runner::{Output, RunError, Settings, estimate};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The baseline always remains. `held_out` are the searches on held-out items.
pub fn summarize_race(experiment: &Experiment, race: &RaceResult, held_out: &ScreenResult) -> ScreenResult {
    let is_dropped =
        |index: usize| index != experiment.baseline && race.rounds.iter().any(|round| round.dropped.contains(&index));
    let (dropped, remaining): (Vec<usize>, Vec<usize>) =
        (0..experiment.variants.len()).partition(|&index| is_dropped(index));
    let names =
        |indices: Vec<usize>| indices.into_iter().map(|index| experiment.variants[index].name.clone()).collect();
    let mut result = held_out.clone();
    result.best.clone_from(&experiment.variants[race.winner].name);
    (result.remaining, result.dropped) = (names(remaining), names(dropped));
    result.reason = "dropped by the race".to_owned();
    // The answer of the race already names candidates with equal counts.
    result.same.clear();
    result
}

/// Called when a stage begins. The arguments are the number of the stage, from 1, the number of its
/// contenders, and the number of its pairs of games. Returns the progress display of its jobs.
pub type BeginStage<'a> = dyn FnMut(usize, usize, usize) -> Box<dyn Progress> + 'a;

/// Plays matches of `best` against each of `others`, stage by stage. The matches end when there is
/// a decision on every contender, or when the openings are used up. `best` and `others` are indices
/// of the variants of `raced`. Each stage has its own folder under `folder`.
///
/// # Errors
/// Returns an error if a stage cannot be run, is interrupted, or has failed jobs.
pub fn confirm(
    raced: &Experiment,
    options: &Confirm,
    (best, others): (usize, &[usize]),
    (folder, settings): (&Path, &Settings),
    stop: &AtomicBool,
    begin_stage: &mut BeginStage<'_>,
) -> Result<Option<Confirmation>, RunsError> {
    let openings = raced.openings.as_ref().map_or(&[][..], |(_, suite)| &suite.items);
    let (mut undecided, mut stages): (Vec<usize>, Vec<Frame>) = (others.to_vec(), Vec::new());
    for (stage, stage_openings) in (1..).zip(options.stages(openings.len())) {
        if undecided.is_empty() {
            break;
        }
        let mut players = [&[best], &undecided[..]].concat();
        players.sort_unstable();
        let experiment = options.stage(raced, &players, best, &openings[stage_openings.clone()]);
        let begin_progress = || begin_stage(stage, undecided.len(), stage_openings.len());
        stages.push(run_stage(&experiment, &folder.join(stage.to_string()), settings, stop, begin_progress)?);
        let games = Confirmation::new(&stages, options.looks()).unwrap_or_default();
        undecided.retain(|&variant| games.decision(&raced.variants[variant].name).is_none());
    }
    // An earlier run may have played more stages.
    for stale in (stages.len() + 1..).map(|stage| folder.join(stage.to_string())) {
        if !stale.join(RESULTS).exists() {
            break;
        }
        Output::open(&stale).and_then(|output| output.clear()).map_err(RunError::from)?;
    }
    Ok(Confirmation::new(&stages, options.looks()))
}

/// Estimates how many seconds the searches and all possible games take, one job at a time. Searches
/// two items and plays two openings into `folder`.
///
/// # Errors
/// Returns an error if the searches or games cannot be run, are interrupted, or fail.
pub fn estimate_by_trial(
    experiment: &Experiment,
    options: &Confirm,
    (folder, stop): (&Path, &AtomicBool),
) -> Result<f64, RunsError> {
    const TRIED: usize = 2;
    let openings = experiment.openings.as_ref().map_or(&[][..], |(_, suite)| &suite.items);
    let players: Vec<usize> = (0..experiment.variants.len()).collect();
    let stage = |count: usize| options.stage(experiment, &players, experiment.baseline, &openings[..count]);
    let mut searches = experiment.clone();
    searches.suite.items.truncate(TRIED);
    let mut seconds = 0.0;
    let all_games = stage(options.budget.min(openings.len()));
    for (name, trial, whole) in [("searches", searches, experiment), ("games", stage(TRIED), &all_games)] {
        let folder = folder.join(name);
        run_stage(&trial, &folder, &Settings::default(), stop, || Box::new(progress::Quiet))?;
        let estimate = estimate::from_rows(whole, &Plan::new(whole), &folder, &HashSet::new());
        seconds += estimate.map_or(0.0, |estimate| estimate.seconds);
    }
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A player without a search of captures loses: 30 pairs decide on it, and the other plays on.
    #[test]
    fn decided_contender_plays_no_further_stage() {
        let text = "suite = 'data/bratko-kopec.epd'\nlimit = { depth = 1 }\nsequence = { self_play = 2 }\n[[variant]]\nname = 'best'\n[[variant]]\nname = 'weak'\nleaf = 'static'\n\
            [[variant]]\nname = 'like'\n'keys.seed' = 2\n[confirm]\nopenings = 'data/openings.epd'\nlimit = { nodes = 100 }\nfirst = 30\nbudget = 45\n\
            resign = { score = 300, moves = 1 }\n";
        let experiment =
            Experiment::parse(text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let Some(options) = &experiment.file.confirm else { panic!("no [confirm]") };
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let mut stages = Vec::new();
        let settings = Settings { jobs: 1, ..Settings::default() };
        let (place, stop) = ((folder.path(), &settings), AtomicBool::new(false));
        let played = confirm(&experiment, options, (0, &[1, 2]), place, &stop, &mut |stage, contenders, pairs| {
            stages.push((stage, contenders, pairs));
            Box::new(progress::Quiet)
        });
        assert!(played.is_ok_and(|games| games.is_some()));
        assert_eq!(stages, [(1, 2, 30), (2, 1, 15)]);
    }
}
