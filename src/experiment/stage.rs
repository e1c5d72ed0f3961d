//! The match of one stage of `[confirm]`.

use super::baseline::Partners;
use super::confirm::Confirm;
use super::file::File;
use super::load::Experiment;
use super::matches::Match;
use super::variant::Variant;
use super::work::Work;
use crate::chess::suite::{Item, Suite};

impl Confirm {
    /// Creates the match of one stage, which is played from `openings`. `screen` is the experiment
    /// whose best variants play. `players` are the indices of these variants in `screen`. `best` is
    /// the index in `screen` of the variant that all others play against.
    pub fn stage(&self, screen: &Experiment, players: &[usize], best: usize, openings: &[Item]) -> Experiment {
        let match_section = Match { resign: self.resign, draw: self.draw, ..Match::default() };
        let mut file = File { games: Some(match_section.clone()), ..screen.file.clone() };
        (file.sequence, file.tune, file.reference, file.confirm, file.suites) = (None, None, None, None, None);
        (file.seeds, file.schedules, file.repeats, file.expect) = (1, 1, 1, Vec::new());
        let variants: Vec<Variant> =
            players.iter().map(|&index| Variant { limit: self.limit, ..screen.variants[index].clone() }).collect();
        let baseline = players.iter().position(|&index| index == best).unwrap_or(0);
        let (suite_name, suite) =
            screen.openings.clone().unwrap_or_else(|| (screen.suite_name.clone(), screen.suite.clone()));
        Experiment {
            file,
            work: Work::Match(match_section),
            baseline,
            partners: Partners::single(baseline, variants.len()),
            variants,
            suite_name,
            suite: Suite { items: openings.to_vec(), ..suite },
            suite_file: None,
            sections: Vec::new(),
            ..screen.clone()
        }
    }
}
