//! Replays recorded traces on tables, without searching. The jobs of a `[trace]` experiment replay
//! each game on a new empty table. `ttlab replay` replays a whole file on all tables and bounds at
//! once.

use super::job::JobRow;
use crate::engine::{Iteration, SearchCounters};
use crate::experiment::trace::Trace;
use crate::experiment::{Job, Plan};
use crate::subject::UciReport;
use crate::table::{Occupancy, TableError, TableOptions};
use crate::traces::replay::{
    Clairvoyant, Objective, ReplayCounters, ReplaySink, ReplayTable, Step, buckets, offset_depth_options, replay_table,
};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

/// Tables that replay the same trace, and upper bounds on what any table can achieve.
pub struct Replayers<'a> {
    /// Each table, and the sum of its occupancies after the passes. The passes use disjoint
    /// buckets.
    tables: Vec<(Box<dyn ReplayTable>, Occupancy)>,
    /// For each table, the counts of each thread. `None` if threads are not counted separately.
    thread_counts: Option<Vec<BTreeMap<u8, ReplayCounters>>>,
    bounds: Vec<Clairvoyant>,
    /// The number of replayed steps in all passes.
    pub steps: usize,
    /// The seconds spent in the tables, and the seconds spent in the bounds.
    pub table_and_bound_seconds: [f64; 2],
    /// Called at the end of each pass.
    on_pass_end: &'a mut dyn FnMut(),
}

impl<'a> Replayers<'a> {
    /// Creates the tables. If `bounded_table` is given, also creates upper bounds on the hits, the
    /// cutoffs and the saved nodes (worth) of any table with the dimensions of `bounded_table`. A
    /// size that is given as a share is a share of `positions`.
    pub fn new(
        tables: &[TableOptions],
        bounded_table: Option<&TableOptions>,
        positions: u64,
        on_pass_end: &'a mut dyn FnMut(),
    ) -> Result<Self, TableError> {
        let make_table = |options| Ok((replay_table(options, Some(positions))?, Occupancy::default()));
        let make_bound = |(table, objective)| Clairvoyant::new(objective, table, Some(positions));
        let objectives = [Objective::Hits, Objective::Cutoffs, Objective::Worth];
        let bounds = bounded_table.into_iter().flat_map(|table| objectives.map(|objective| (table, objective)));
        Ok(Self {
            tables: tables.iter().map(make_table).collect::<Result<_, TableError>>()?,
            thread_counts: None,
            bounds: bounds.map(make_bound).collect::<Result<_, _>>()?,
            steps: 0,
            table_and_bound_seconds: [0.0; 2],
            on_pass_end,
        })
    }

    /// Also counts the steps of each thread separately.
    pub fn by_thread(mut self) -> Self {
        self.thread_counts = Some(vec![BTreeMap::new(); self.tables.len()]);
        self
    }

    /// Returns the counts of each thread for each table. Returns nothing if
    /// [`Replayers::by_thread`] was not called.
    pub fn thread_results(&self) -> &[BTreeMap<u8, ReplayCounters>] {
        self.thread_counts.as_deref().unwrap_or_default()
    }

    /// Returns the counts of each table.
    pub fn results(&self) -> Vec<ReplayCounters> {
        self.tables.iter().map(|(table, _)| table.result()).collect()
    }

    /// Returns the largest hits, cutoffs and worth that any table of the given dimensions could
    /// achieve.
    pub fn bounds(&self) -> Vec<u64> {
        self.bounds.iter().map(Clairvoyant::total).collect()
    }
}

impl ReplaySink for Replayers<'_> {
    fn begin_pass(&mut self, buckets: Range<u64>) -> Result<(), TableError> {
        self.tables.iter_mut().for_each(|(table, _)| table.clear());
        self.bounds.iter_mut().try_for_each(|bound| bound.begin_pass(buckets.clone()))
    }

    fn push(&mut self, steps: &[Step]) {
        let start = Instant::now();
        match &mut self.thread_counts {
            None => self.tables.iter_mut().for_each(|(table, _)| table.replay_steps(steps)),
            Some(thread_counts) => {
                for ((table, _), counts) in self.tables.iter_mut().zip(thread_counts) {
                    for thread_steps in steps.chunk_by(|a, b| a.thread == b.thread) {
                        let result_before = table.result();
                        table.replay_steps(thread_steps);
                        *counts.entry(thread_steps[0].thread).or_default() += table.result() - result_before;
                    }
                }
            }
        }
        self.steps += steps.len();
        let tables_end = Instant::now();
        self.bounds.iter_mut().for_each(|bound| bound.push(steps));
        let [table_seconds, bound_seconds] = &mut self.table_and_bound_seconds;
        *table_seconds += (tables_end - start).as_secs_f64();
        *bound_seconds += tables_end.elapsed().as_secs_f64();
    }

    fn end_pass(&mut self) {
        for (table, occupancy) in &mut self.tables {
            // No bucket is used in two passes, so the entries of all passes are added up.
            let earlier_occupancy = *occupancy;
            *occupancy = table.occupancy();
            occupancy.occupied += earlier_occupancy.occupied;
            occupancy.current += earlier_occupancy.current;
        }
        let start = Instant::now();
        self.bounds.iter_mut().for_each(Clairvoyant::end_pass);
        let [_, bound_seconds] = &mut self.table_and_bound_seconds;
        *bound_seconds += start.elapsed().as_secs_f64();
        (self.on_pass_end)();
    }
}

/// Replays one game on one table. The `nodes` in the row are an estimate of the nodes that the
/// search would need with this table. The estimate is the number of recorded nodes, plus the nodes
/// that the recording's table saved and that this table could not save.
pub fn replay_game(trace: &Trace, item: &str, plan: &Plan, job: &Job) -> Result<Vec<JobRow>, String> {
    let game = trace.game_info(item).ok_or_else(|| format!("the trace has no {item}"))?;
    let variant = &plan.variants[job.variant];
    let options = variant.table().ok_or("an external engine has no table to replay on")?;
    // The working set is needed only if the table's size is given as a share.
    let working_set = if variant.has_share() { game.positions.max(1) } else { 0 };
    let end_pass = &mut || {};
    let table_options = offset_depth_options(trace.depths.lowest, options);
    let replayers = Replayers::new(&[table_options], None, working_set, end_pass);
    let mut replayers = replayers.map_err(|error| error.to_string())?;
    let buckets = buckets(options, Some(working_set)).map_err(|error| error.to_string())?;
    trace
        .replay(item, options.index, buckets, &mut replayers)
        .map_err(|error| format!("[trace] {}: {error}", trace.name))?;
    let [table_seconds, _] = replayers.table_and_bound_seconds;
    let (table, occupancy) = &replayers.tables[0];
    let replay = table.result();
    let iteration = Iteration {
        depth: 1,
        search: SearchCounters {
            nodes: game.nodes.saturating_add(replay.worth - replay.worth_kept),
            usable: replay.kept,
            saved: replay.worth_kept,
            ..SearchCounters::default()
        },
        table: table.counters(),
        occupancy: *occupancy,
        ..UciReport::default().to_iteration()
    };
    Ok(vec![JobRow::new(job.item, iteration, table_seconds)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use crate::traces::replay::{DepthScale, StepMaker};
    use crate::traces::{Event, Writer, flags};

    #[test]
    fn each_pass_begins_with_empty_tables() {
        let base = TableOptions::default();
        let mut passes = 0;
        let mut end_pass = || passes += 1;
        let mut replayers = Replayers::new(&[base.clone(), base.clone()], Some(&base), 10, &mut end_pass).unwrap();
        let mut maker = StepMaker::new(DepthScale::new(1, 2));
        let events = [
            Event::probe(5, 2, 0, flags::WINDOW, 1),
            Event::store(5, 2, 0, 0b1100, 3),
            Event::probe(5, 2, 0, flags::WINDOW, 4),
        ];
        let steps: Vec<Step> = events.iter().map(|event| maker.make_step(event).unwrap()).collect();
        let mut results = Vec::new();
        for _ in 0..3 {
            replayers.begin_pass(0..buckets(&base, Some(10)).unwrap()).unwrap();
            replayers.push(&steps);
            replayers.end_pass();
            let counts = replayers.results().iter().map(|result| (result.probes, result.hits)).collect::<Vec<_>>();
            results.push((counts, replayers.bounds()[0]));
        }
        // A probe before the store misses; one after it returns the entry.
        assert_eq!(results, [(vec![(2, 1); 2], 1), (vec![(4, 2); 2], 2), (vec![(6, 3); 2], 3)]);
        assert_eq!((replayers.steps, passes), (3 * steps.len(), 3));
    }

    /// Ten positions, each stored three times.
    #[test]
    fn share_is_of_the_stored_positions() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::new(std::fs::File::create(folder.path().join("ten.trace")).unwrap());
        writer.push(Event::search(0, flags::GAME, 0));
        for index in 0..30 {
            let key = (index % 10 + 1) << 40;
            writer.push(Event::probe(key, 2, 0, flags::WINDOW, 1));
            writer.push(Event::store(key, 2, 0, 0b1100, 3));
        }
        writer.finish().unwrap();
        let text = "[trace]\nfile = 'ten.trace'\n[engine]\ntable.size = '50 %'\n";
        let experiment = Experiment::parse(text, &folder.path().join("x.toml"), &[]);
        let experiment = experiment.unwrap_or_else(|problem| panic!("{problem}"));
        let plan = Plan::new(&experiment);
        let job = plan.jobs().next().unwrap();
        let start = Instant::now();
        let rows = replay_game(experiment.work.trace().unwrap(), "game 1", &plan, &job).unwrap();
        assert_eq!(rows[0].iteration.occupancy.slots, 5);
        // Only the table's own work is timed.
        assert!(rows[0].seconds > 0.0 && rows[0].seconds <= start.elapsed().as_secs_f64());
        let unknown = replay_game(experiment.work.trace().unwrap(), "game 2", &plan, &job).err();
        assert_eq!(unknown.as_deref(), Some("the trace has no game 2"));
    }
}
