//! What a worker does with one job: whom it examines, the searches or games, their rows.

use super::shared::Shared;
use super::{job, lock, played};
use crate::engine::Engine;
use crate::experiment::{Job, Point};
use crate::record::{self, EngineSaid, GameFound, Label, Played, Row};
use crate::subject::Subject;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::AtomicBool;

/// What a worker keeps from job to job.
#[derive(Default)]
pub(super) struct Kept {
    /// The last engine of ours, its variant and the working set that its table was made for: its table is emptied faster than a new
    /// one is mapped and touched.
    ours: Option<(usize, u64, Box<dyn Subject>)>,
    /// The engines that are not ours, by variant: jobs of all variants stand by turns, and a process is slow to start.
    outside: HashMap<usize, Box<dyn Subject>>,
    /// The players of the last pair of games, ours and others, by variant.
    players: HashMap<usize, Box<dyn Subject>>,
}

impl Kept {
    /// Two players, taken from those that are kept, or new; of the others those go that do not stay.
    fn two(
        &mut self,
        pair: [usize; 2],
        stays: impl Fn(usize) -> bool,
        new: impl Fn(usize) -> Result<Box<dyn Subject>, String>,
    ) -> Result<Vec<Box<dyn Subject>>, String> {
        self.players.retain(|at, _| pair.contains(at) || stays(*at));
        pair.into_iter().map(|at| self.players.remove(&at).map_or_else(|| new(at), Ok)).collect()
    }
}

impl Shared<'_> {
    /// All searches of a job, as rows; none if it was stopped.
    pub(super) fn searches(
        &self,
        job: &Job,
        kept: &mut Kept,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Vec<String>>>, String> {
        if let Some(trace) = &self.experiment.trace {
            let item = &self.experiment.suite.items[job.item].id;
            return Ok(Some(self.rows(job, &super::replayed::replayed(trace, item, self.plan, job)?)));
        }
        if let Some(opponent) = job.opponent {
            return self.plays(job, opponent, kept, stop);
        }
        let Some(working_set) = self.working_set(job, stop)? else { return Ok(None) };
        let subject = self.subject(job.variant, working_set, kept)?;
        subject.start().map_err(|failure| failure.to_string())?;
        let searched = job::search(self.experiment, self.plan, job, subject, stop)?;
        let Some(searched) = searched else { return Ok(None) };
        if searched.is_empty() {
            return Err("nothing was searched: the game had ended before the wanted plies".to_owned());
        }
        Ok(Some(self.rows(job, &searched)))
    }

    /// Both games of a pair, as rows; none if it was stopped.
    fn plays(
        &self,
        job: &Job,
        opponent: usize,
        kept: &mut Kept,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Vec<String>>>, String> {
        let pair = [job.variant, opponent];
        let stays = |at: usize| self.plan.variants[at].outside().is_some() && self.subjects.all_are_kept();
        let mut subjects = kept.two(pair, stays, |at| self.player(at))?;
        let [first, second] = &mut subjects[..] else { return Err("a pair has two players".to_owned()) };
        let player = |at: usize, subject| {
            let Point { name, limit, .. } = &self.plan.variants[at];
            played::Player { name, subject, limit: *limit }
        };
        let mut players = [player(pair[0], first.as_mut()), player(pair[1], second.as_mut())];
        let found = played::pair(self.experiment, job, &mut players, stop)?;
        kept.players.extend(pair.into_iter().zip(subjects));
        Ok(found.map(|found| self.rows(job, &found)))
    }

    /// A player that is new.
    fn player(&self, variant: usize) -> Result<Box<dyn Subject>, String> {
        let point = &self.plan.variants[variant];
        if point.outside().is_some() {
            return self.subjects.make(variant).ok_or_else(|| "it was not tried".to_owned());
        }
        Ok(Box::new(Engine::new(&point.options, None).map_err(|error| error.to_string())?))
    }

    /// The rows of what was found.
    fn rows(&self, job: &Job, searched: &[job::Found]) -> Vec<Vec<String>> {
        let last = searched.len() - 1;
        let mut check = 0;
        let (outside, repeats) = (self.plan.has_outside(), self.subjects.repeats(job.variant));
        let row = |(at, found): (usize, &job::Found)| {
            let id = match at == last {
                true => self.plan.job_id(job),
                false => self.plan.row_id(job, found.item, found.ply.unwrap_or(0), found.iteration.depth),
            };
            let label = self.label(job, found.item, found.ply, id);
            let (iteration, seconds) = (Some(&found.iteration), found.seconds);
            let mut fields = Row {
                label: &label,
                iteration,
                solved: found.solved,
                seconds,
                error: "",
                anatomy: self.plan.has_anatomy(),
                outside: outside.then_some(EngineSaid { told: found.told.as_ref(), repeats: &repeats }),
                games: self.played(job, found.game.as_deref()),
            }
            .fields();
            check = record::seal(&mut fields, check);
            fields
        };
        searched.iter().enumerate().map(row).collect()
    }

    /// Who a variant examines: kept from an earlier job, or new.
    fn subject<'k>(&self, variant: usize, working_set: u64, kept: &'k mut Kept) -> Result<&'k mut dyn Subject, String> {
        if self.plan.variants[variant].outside().is_some() {
            if !self.subjects.all_are_kept() {
                kept.outside.retain(|other, _| *other == variant);
            }
            let entry = match kept.outside.entry(variant) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(self.subjects.make(variant).ok_or("it was not tried")?),
            };
            return Ok(entry.as_mut());
        }
        let ours = match kept.ours.take() {
            Some(ours) if (ours.0, ours.1) == (variant, working_set) => ours,
            // The old table goes before the new one comes.
            other => {
                drop(other);
                let options = &self.plan.variants[variant].options;
                fits_memory(options, working_set)?;
                let engine = Engine::new(options, Some(working_set)).map_err(|error| error.to_string())?;
                (variant, working_set, Box::new(engine) as Box<dyn Subject>)
            }
        };
        Ok(kept.ours.insert(ours).2.as_mut())
    }

    /// What an unbounded table stores on the job's items; 0 where nobody asks.
    fn working_set(&self, job: &Job, stop: &AtomicBool) -> Result<Option<u64>, String> {
        let point = &self.plan.variants[job.variant];
        if !matches!(point.options.table.size, crate::table::options::Size::Share(_)) {
            return Ok(Some(0));
        }
        let options = serde_json::to_string(&job::unbounded(&point.options)).unwrap_or_default();
        let key = (options, point.limit.depth, point.limit.nodes, job.item);
        if let Some(&known) = lock(&self.working_sets).get(&key) {
            return Ok(Some(known));
        }
        let Some(entries) = job::working_set(self.experiment, self.plan, job, stop)? else { return Ok(None) };
        lock(&self.working_sets).insert(key, entries);
        Ok(Some(entries))
    }

    pub(super) fn label(&self, job: &Job, item: usize, ply: Option<u16>, id: u64) -> Label {
        let (point, suite_item) = (&self.plan.variants[job.variant], &self.experiment.suite.items[item]);
        let limit = [("depth", point.limit.depth.map(u64::from)), ("nodes", point.limit.nodes)];
        let limit: Vec<String> =
            limit.into_iter().filter_map(|(name, value)| value.map(|value| format!("{name} {value}"))).collect();
        Label {
            id,
            experiment: self.experiment.name.clone(),
            variant: point.name.clone(),
            game: if ply.is_some() { suite_item.id.clone() } else { String::new() },
            position: ply.map_or_else(|| suite_item.id.clone(), |ply| format!("{} ply {ply}", suite_item.id)),
            ply,
            repeat: job.repeat,
            limit: limit.join(", "),
            options: self.labels[job.variant].clone(),
        }
    }

    /// What a row says of its game, in a match.
    pub(super) fn played<'r>(&'r self, job: &Job, game: Option<&'r GameFound>) -> Option<Played<'r>> {
        job.opponent.map(|opponent| Played { opponent: &self.plan.variants[opponent].name, game })
    }
}

/// Refuses a table whose size was not known before the run if it does not fit into what is left of the memory.
pub(super) fn fits_memory(options: &crate::engine::EngineOptions, working_set: u64) -> Result<(), String> {
    let bytes = crate::table::bytes(&options.table, Some(working_set)).unwrap_or(0);
    match super::machine::available_bytes() {
        Some(available) if working_set > 0 && bytes > available => Err(format!(
            "table.size: \"{}\" of the working set is {} MiB, and {} MiB of memory are free",
            options.table.size,
            bytes >> 20,
            available >> 20
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;
    use std::cell::RefCell;

    /// Players are made once for pairs that follow each other; who is not in the next pair goes, unless he stays.
    #[test]
    fn players_are_kept_from_pair_to_pair() {
        let made = RefCell::new(Vec::new());
        let new = |at: usize| {
            made.borrow_mut().push(at);
            match at {
                9 => Err("it was not tried".to_owned()),
                _ => Ok(Box::new(Engine::new(&EngineOptions::default(), None).unwrap()) as Box<dyn Subject>),
            }
        };
        let mut kept = Kept::default();
        let mut play = |pair: [usize; 2]| {
            let players = kept.two(pair, |at| at == 5, new)?;
            assert_eq!(players.len(), 2);
            kept.players.extend(pair.into_iter().zip(players));
            let mut left: Vec<usize> = kept.players.keys().copied().collect();
            left.sort_unstable();
            Ok::<_, String>((std::mem::take(&mut *made.borrow_mut()), left))
        };
        assert_eq!(play([1, 0]), Ok((vec![1, 0], vec![0, 1])));
        assert_eq!(play([1, 0]), Ok((vec![], vec![0, 1])));
        assert_eq!(play([5, 0]), Ok((vec![5], vec![0, 5])));
        assert_eq!(play([1, 2]), Ok((vec![1, 2], vec![1, 2, 5])));
        assert_eq!(play([2, 5]), Ok((vec![], vec![2, 5])));
        assert_eq!(play([2, 9]), Err("it was not tried".to_owned()));
    }

    /// Of a size that was known before the run nothing is said here; of a share what it comes to.
    #[test]
    fn a_share_that_does_not_fit_is_told() {
        let options = |size: &str| crate::experiment::options(None, &[format!("table.size={size}")]).unwrap();
        assert_eq!(fits_memory(&options("\"4 MiB\""), 0), Ok(()));
        assert_eq!(fits_memory(&options("\"50 %\""), 1000), Ok(()));
        if super::super::machine::available_bytes().is_some() {
            let told = fits_memory(&options("\"50 %\""), 1 << 50).unwrap_err();
            assert!(told.starts_with("table.size: \"50 %\" of the working set is 8589934592 MiB, and "), "{told}");
        }
    }
}
