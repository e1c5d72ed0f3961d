//! Games after a screen: stages of doubling length, each a match in a folder of its own, until every contender is told from the best or the
//! openings end.

use super::RunsError;
use crate::analysis::Frame;
use crate::analysis::questions::matches::Matches;
use crate::analysis::questions::screen::{Contender, reach};
use crate::experiment::matches::Test;
use crate::experiment::{Confirm, Experiment, Plan};
use crate::runner::{Session, Settings, progress::Progress};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// What games said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Confirmed {
    /// Those who played against the best, in the order of the file.
    pub contenders: Vec<Contender>,
    /// Standard errors to each side of their intervals.
    pub reach: f64,
}

/// Who is told of a stage that begins (from 1), its contenders and its pairs, and gives what tells of its jobs.
pub type Tell<'a> = dyn FnMut(usize, usize, usize) -> Box<dyn Progress> + 'a;

/// Lets some variants of a screen play against the best of them.
///
/// # Errors
/// When a stage cannot be run, is stopped, or has failures.
pub fn confirm(
    screen: &Experiment,
    expected: &Confirm,
    (best, others): (usize, &[usize]),
    (folder, settings): (&Path, &Settings),
    stop: &AtomicBool,
    tell: &mut Tell<'_>,
) -> Result<Confirmed, RunsError> {
    let openings = screen.openings.as_ref().map_or(&[][..], |(_, suite)| &suite.items);
    let stages = expected.stages(openings.len());
    let name = |at: usize| screen.points[at].name.clone();
    let mut found = Confirmed {
        contenders: others.iter().map(|&at| Contender { name: name(at), ..Contender::default() }).collect(),
        reach: reach(others.len(), stages.len()),
    };
    for (stage, part) in (1..).zip(stages) {
        let open =
            |at: &usize| found.contenders.iter().any(|one| one.name == name(*at) && one.decided(found.reach).is_none());
        let open: Vec<usize> = others.iter().copied().filter(|at| stage == 1 || open(at)).collect();
        if open.is_empty() {
            break;
        }
        let mut players = [&[best], &open[..]].concat();
        players.sort_unstable();
        let experiment = expected.stage(screen, &players, best, &openings[part.clone()]);
        let plan = Plan::new(&experiment);
        let session = Session::begin(&experiment, &plan, &folder.join(stage.to_string()), settings.clone(), stop)?;
        let progress = tell(stage, open.len(), part.len());
        let ran = session.run(stop, progress.as_ref())?;
        if ran.interrupted {
            return Err(RunsError::Interrupted(ran));
        }
        let path = session.output.results_path();
        if ran.failed > 0 {
            return Err(RunsError::Failed { failed: ran.failed, path: path.display().to_string() });
        }
        let games = Matches::new(&Frame::read(&path)?, Test { stop: false, ..Test::default() });
        for one in games.iter().flat_map(|games| &games.encounters) {
            if let Some(contender) = found.contenders.iter_mut().find(|known| known.name == one.player) {
                contender.pairs.0.iter_mut().zip(one.pairs.0).for_each(|(sum, pairs)| *sum += pairs);
            }
        }
    }
    Ok(found)
}
