//! Replays recorded traces on tables, without searching. The jobs of a `[trace]` experiment replay
//! each game on a new empty table. `ttlab replay` replays a whole file on all tables and bounds at
//! once.

use super::job::JobRow;
use crate::engine::{Iteration, SearchCounters};
use crate::experiment::trace::Trace;
use crate::experiment::{Job, Plan};
use crate::subject::UciReport;
use crate::table::{TableError, TableOptions};
use crate::traces::replay::{
    Clairvoyant, Objective, ReplayCounters, ReplayTable, Step, offset_depth_options, replay_table,
};
use std::time::Instant;

/// Tables that replay the same trace, and upper bounds on what any table can achieve.
pub struct Replayers {
    tables: Vec<Box<dyn ReplayTable>>,
    bounds: Vec<Clairvoyant>,
    pub steps: usize,
    /// The seconds spent in the tables, and the seconds spent in the bounds.
    pub table_and_bound_seconds: [f64; 2],
}

impl Replayers {
    /// Creates the tables. If `bounded_table` is given, also creates upper bounds on the hits, the
    /// cutoffs and the saved nodes (worth) of any table with the dimensions of `bounded_table`. A
    /// size that is given as a share is a share of `positions`.
    pub fn new(
        tables: &[TableOptions],
        bounded_table: Option<&TableOptions>,
        positions: u64,
    ) -> Result<Self, TableError> {
        let make_bound = |(table, objective)| Clairvoyant::new(objective, table, Some(positions));
        let objectives = [Objective::Hits, Objective::Cutoffs, Objective::Worth];
        let bounds = bounded_table.into_iter().flat_map(|table| objectives.map(|objective| (table, objective)));
        Ok(Self {
            tables: tables.iter().map(|options| replay_table(options, Some(positions))).collect::<Result<_, _>>()?,
            bounds: bounds.map(make_bound).collect::<Result<_, _>>()?,
            steps: 0,
            table_and_bound_seconds: [0.0; 2],
        })
    }

    pub fn results(&self) -> Vec<ReplayCounters> {
        self.tables.iter().map(|table| table.result()).collect()
    }

    pub fn bounds(&mut self) -> Vec<u64> {
        let start = Instant::now();
        let bounds = self.bounds.iter_mut().map(Clairvoyant::total).collect();
        let [_, bound_seconds] = &mut self.table_and_bound_seconds;
        *bound_seconds += start.elapsed().as_secs_f64();
        bounds
    }

    pub fn push(&mut self, steps: &[Step]) {
        let start = Instant::now();
        self.tables.iter_mut().for_each(|table| table.replay_steps(steps));
        self.steps += steps.len();
        let tables_end = Instant::now();
        self.bounds.iter_mut().for_each(|bound| bound.push(steps));
        let [table_seconds, bound_seconds] = &mut self.table_and_bound_seconds;
        *table_seconds += (tables_end - start).as_secs_f64();
        *bound_seconds += tables_end.elapsed().as_secs_f64();
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
    let table_options = offset_depth_options(trace.depths.lowest, options);
    let replayers = Replayers::new(&[table_options], None, working_set);
    let mut replayers = replayers.map_err(|error| error.to_string())?;
    trace.replay(item, |steps| replayers.push(steps)).map_err(|error| format!("[trace] {}: {error}", trace.name))?;
    let [table_seconds, _] = replayers.table_and_bound_seconds;
    let table = &replayers.tables[0];
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
        occupancy: table.occupancy(),
        ..UciReport::default().to_iteration()
    };
    Ok(vec![JobRow::new(job.item, iteration, table_seconds)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use crate::traces::{Event, Writer, flags};

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
