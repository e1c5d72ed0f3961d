//! Runs one job on a worker. The worker creates the engines, searches or plays, and formats the
//! rows.

use super::context::Shared;
use super::job::JobRow;
use super::{game_pair, job, lock, replay};
use crate::engine::Engine;
use crate::experiment::Job;
use crate::record::{self, EngineColumns, Label, MatchColumns, Row};
use crate::subject::Subject;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

/// The engines that a worker keeps between jobs, because clearing a table is faster than allocating
/// a new one and starting a process is slow.
#[derive(Default)]
pub(super) struct EngineCache {
    /// The engines of the last jobs. The key is the index of the engine's variant.
    engines: HashMap<usize, Box<dyn Subject>>,
    /// The working set for which the table of the last built-in engine was allocated.
    working_set: Option<u64>,
}

impl EngineCache {
    /// Takes the engines of these variants out of the cache. An engine that is not in the cache is
    /// created. All other engines are dropped from the cache, except those for which
    /// `stays_in_cache` is true.
    fn take_engines<const N: usize>(
        &mut self,
        variants: [usize; N],
        stays_in_cache: impl Fn(usize) -> bool,
        create: impl Fn(usize) -> Result<Box<dyn Subject>, String>,
    ) -> Result<Vec<Box<dyn Subject>>, String> {
        self.engines.retain(|variant, _| variants.contains(variant) || stays_in_cache(*variant));
        variants.into_iter().map(|variant| self.engines.remove(&variant).map_or_else(|| create(variant), Ok)).collect()
    }
}

impl Shared<'_> {
    /// Runs a job and returns its rows. Returns `None` if the job is interrupted.
    pub(super) fn run_job(
        &self,
        job: &Job,
        cache: &mut EngineCache,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Vec<String>>>, String> {
        if let Some(trace) = self.experiment.work.trace() {
            let item = &self.experiment.suite.items[job.item].id;
            return Ok(Some(self.format_rows(job, &replay::replay_game(trace, item, self.plan, job)?)));
        }
        if let Some(opponent) = job.opponent {
            return self.play_pair(job, opponent, cache, stop);
        }
        let Some(working_set) = self.working_set(job, stop)? else { return Ok(None) };
        let is_builtin = !self.is_external(job.variant);
        // The cached engine is dropped if its table was allocated for another working set.
        if is_builtin && cache.working_set.replace(working_set) != Some(working_set) {
            cache.engines.remove(&job.variant);
        }
        // A built-in engine stays in the cache until another built-in engine is needed.
        let stays_in_cache =
            |variant: usize| if self.is_external(variant) { self.subjects.all_fit_in_cache() } else { !is_builtin };
        let mut job_engines = cache
            .take_engines([job.variant], stays_in_cache, |variant| self.create_engine(variant, Some(working_set)))?;
        let subject = job_engines[0].as_mut();
        let started = subject.start().map_err(|failure| failure.to_string());
        let result = started.and_then(|()| job::search(self.experiment, self.plan, job, subject, stop));
        cache.engines.extend(job_engines.into_iter().map(|subject| (job.variant, subject)));
        let Some(rows) = result? else { return Ok(None) };
        if rows.is_empty() {
            return Err("nothing was searched: the game ends before the selected plies".to_owned());
        }
        Ok(Some(self.format_rows(job, &rows)))
    }

    /// Plays both games of a pair and returns their rows. Returns `None` if the games are
    /// interrupted.
    fn play_pair(
        &self,
        job: &Job,
        opponent: usize,
        cache: &mut EngineCache,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Vec<String>>>, String> {
        let pair = [job.variant, opponent];
        let stays_in_cache = |variant: usize| self.is_external(variant) && self.subjects.all_fit_in_cache();
        let mut pair_engines = cache.take_engines(pair, stays_in_cache, |variant| self.create_engine(variant, None))?;
        let mut players: Vec<_> = pair
            .into_iter()
            .zip(&mut pair_engines)
            .map(|(variant, subject)| {
                let variant = &self.plan.variants[variant];
                let mate = variant.mate_scale();
                game_pair::Player { name: &variant.name, subject: subject.as_mut(), limit: variant.limit, mate }
            })
            .collect();
        let rows = game_pair::play(self.experiment, job, &mut players, stop)?;
        cache.engines.extend(pair.into_iter().zip(pair_engines));
        Ok(rows.map(|rows| self.format_rows(job, &rows)))
    }

    fn is_external(&self, variant: usize) -> bool {
        self.plan.variants[variant].external().is_some()
    }

    /// Creates the engine of a variant. If the table's size is given as a share, it is a share of
    /// `working_set` entries.
    fn create_engine(&self, variant: usize, working_set: Option<u64>) -> Result<Box<dyn Subject>, String> {
        let Some(options) = self.plan.variants[variant].builtin() else {
            return self
                .subjects
                .make_engine(variant)
                .ok_or_else(|| "the engine was not tested before the run".to_owned());
        };
        Ok(Box::new(Engine::new(options, working_set).map_err(|error| error.to_string())?))
    }

    /// Formats the rows of a job as CSV fields, including the checksums.
    fn format_rows(&self, job: &Job, rows: &[JobRow]) -> Vec<Vec<String>> {
        let last_index = rows.len() - 1;
        let mut check = 0;
        let to_fields = |(index, row): (usize, &JobRow)| {
            // The last row has the id of the job, which marks it as the last row.
            let id = if index == last_index {
                self.plan.job_id(job)
            } else {
                self.plan.row_id(job, row.item, row.ply.unwrap_or(0), row.iteration.depth)
            };
            let mut fields = self.format_row(job, &self.label(job, row.item, row.ply, id), Ok(row));
            check = record::append_checksum(&mut fields, check);
            fields
        };
        rows.iter().enumerate().map(to_fields).collect()
    }

    /// Formats one row without its checksum. The row contains a result or an error.
    pub(super) fn format_row(&self, job: &Job, label: &Label, outcome: Result<&JobRow, &str>) -> Vec<String> {
        // The counts of real threads depend on the scheduler.
        let has_real_threads =
            self.plan.variants[job.variant].builtin().is_some_and(|options| options.threads.is_real());
        let repeatability =
            if has_real_threads { "not repeatable".to_owned() } else { self.subjects.repeatability(job.variant) };
        let row = outcome.ok();
        let engine_columns = EngineColumns { report: row.and_then(|row| row.report.as_ref()), repeats: &repeatability };
        let game = row.and_then(|row| row.game.as_deref());
        Row {
            label,
            iteration: row.map(|row| &row.iteration),
            solved: row.and_then(|row| row.solved),
            mate: row.and_then(|row| row.mate),
            has_mates: self.extra_columns.mates,
            seconds: row.map_or(0.0, |row| row.seconds),
            error: outcome.err().unwrap_or_default(),
            has_anatomy: self.extra_columns.anatomy,
            has_threads: self.extra_columns.threads,
            engine_columns: self.extra_columns.external.then_some(engine_columns),
            match_columns: job
                .opponent
                .map(|opponent| MatchColumns { opponent: &self.plan.variants[opponent].name, game }),
        }
        .fields()
    }

    /// The working set is measured only once for each [`WorkingSetKey`].
    ///
    /// [`WorkingSetKey`]: super::context::WorkingSetKey
    fn working_set(&self, job: &Job, stop: &AtomicBool) -> Result<Option<u64>, String> {
        let variant = &self.plan.variants[job.variant];
        let options = match variant.builtin() {
            Some(options) if variant.has_share() => options,
            _ => return Ok(Some(0)),
        };
        let unbounded_options = serde_json::to_string(&job::with_unbounded_table(options)).unwrap_or_default();
        let limit = self.plan.limit(job.variant, job.item);
        let key = (unbounded_options, limit.depth, limit.nodes, job.item);
        if let Some(&entries) = lock(&self.working_sets).get(&key) {
            return Ok(Some(entries));
        }
        let entries = job::measure_working_set(self.experiment, self.plan, job, options, stop)?;
        if let Some(entries) = entries {
            lock(&self.working_sets).insert(key, entries);
        }
        Ok(entries)
    }

    pub(super) fn label(&self, job: &Job, item: usize, ply: Option<u16>, id: u64) -> Label {
        Label { id, ..job::label(self.experiment, self.plan, &self.option_values[job.variant], job, item, ply) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;
    use std::cell::RefCell;

    #[test]
    fn cache_keeps_players_of_consecutive_pairs() {
        let created = RefCell::new(Vec::new());
        let create = |variant: usize| {
            created.borrow_mut().push(variant);
            match variant {
                9 => Err("the engine was not tested before the run".to_owned()),
                _ => Ok(Box::new(Engine::new(&EngineOptions::default(), None).unwrap()) as Box<dyn Subject>),
            }
        };
        let mut cache = EngineCache::default();
        // The engines that a pair had created, and the engines in the cache after it.
        let mut play = |pair: [usize; 2]| {
            let engines = cache.take_engines(pair, |variant| variant == 5, create)?;
            assert_eq!(engines.len(), 2);
            cache.engines.extend(pair.into_iter().zip(engines));
            let mut cached: Vec<usize> = cache.engines.keys().copied().collect();
            cached.sort_unstable();
            Ok::<_, String>((std::mem::take(&mut *created.borrow_mut()), cached))
        };
        assert_eq!(play([1, 0]), Ok((vec![1, 0], vec![0, 1])));
        assert_eq!(play([1, 0]), Ok((vec![], vec![0, 1])));
        assert_eq!(play([5, 0]), Ok((vec![5], vec![0, 5])));
        assert_eq!(play([1, 2]), Ok((vec![1, 2], vec![1, 2, 5])));
        assert_eq!(play([2, 5]), Ok((vec![], vec![2, 5])));
        assert_eq!(play([2, 9]), Err("the engine was not tested before the run".to_owned()));
    }
}
