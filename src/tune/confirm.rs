//! Confirms a screen's winner with games. The winner plays matches against all contenders, stage by
//! stage. Each stage doubles the total number of games and has its own folder. The stages end when
//! all contenders are decided or the openings are used up.

use super::RunsError;
use super::runs::run_stage;
use crate::analysis::questions::matches::Matches;
use crate::analysis::questions::race::RaceResult;
use crate::analysis::questions::screen::{Contender, ScreenResult, joint_tail};
use crate::experiment::matches::Test;
use crate::experiment::{Confirm, Experiment};
use crate::runner::{Settings, progress::Progress};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The baseline always remains.
pub fn summarize_race(experiment: &Experiment, race: &RaceResult) -> ScreenResult {
    let is_dropped =
        |index: usize| index != experiment.baseline && race.rounds.iter().any(|round| round.dropped.contains(&index));
    let (dropped, remaining): (Vec<usize>, Vec<usize>) =
        (0..experiment.variants.len()).partition(|&index| is_dropped(index));
    let names =
        |indices: Vec<usize>| indices.into_iter().map(|index| experiment.variants[index].name.clone()).collect();
    ScreenResult {
        best: experiment.variants[race.winner].name.clone(),
        remaining: names(remaining),
        dropped: names(dropped),
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Confirmation {
    /// The variants that played against the best one, in the order of the file.
    pub contenders: Vec<Contender>,
    /// The probability beyond each end of the contenders' intervals.
    pub tail: f64,
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
) -> Result<Confirmation, RunsError> {
    let openings = raced.openings.as_ref().map_or(&[][..], |(_, suite)| &suite.items);
    let stages = options.stages(openings.len());
    let name = |variant: usize| raced.variants[variant].name.clone();
    let mut result = Confirmation {
        contenders: others.iter().map(|&variant| Contender { name: name(variant), ..Contender::default() }).collect(),
        tail: joint_tail(others.len(), stages.len()),
    };
    for (stage, stage_openings) in (1..).zip(stages) {
        let is_undecided = |variant: &usize| {
            let mut contenders = result.contenders.iter();
            let contender = contenders.find(|contender| contender.name == name(*variant));
            contender.is_some_and(|contender| contender.decision(result.tail).is_none())
        };
        let undecided: Vec<usize> =
            others.iter().copied().filter(|variant| stage == 1 || is_undecided(variant)).collect();
        if undecided.is_empty() {
            break;
        }
        let mut players = [&[best], &undecided[..]].concat();
        players.sort_unstable();
        let experiment = options.stage(raced, &players, best, &openings[stage_openings.clone()]);
        let begin_progress = || begin_stage(stage, undecided.len(), stage_openings.len());
        let rows = run_stage(&experiment, &folder.join(stage.to_string()), settings, stop, begin_progress)?;
        let matches = Matches::new(&rows, Test { stop: false, ..Test::default() });
        for encounter in matches.iter().flat_map(|games| &games.encounters) {
            let mut contenders = result.contenders.iter_mut();
            if let Some(contender) = contenders.find(|contender| contender.name == encounter.player) {
                contender.pairs.0.iter_mut().zip(encounter.pairs.0).for_each(|(sum, pairs)| *sum += pairs);
            }
        }
    }
    Ok(result)
}
