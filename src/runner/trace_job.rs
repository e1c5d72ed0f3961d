//! Runs a job of a trace: replays a recorded game on a table, without searching.

use super::job::JobRow;
use crate::engine::{Iteration, SearchCounters};
use crate::experiment::trace::Trace;
use crate::experiment::{Job, Plan};
use crate::subject::UciReport;
use crate::table::{Occupancy, TableError};
use crate::traces::replay::{ReplaySink, ReplayTable, Step, buckets, replay_table};
use std::ops::Range;
use std::time::Instant;

/// A table that replays a game, in one pass or several.
struct ReplayJob {
    table: Box<dyn ReplayTable>,
    /// The sum over the passes, which have disjoint buckets.
    occupancy: Occupancy,
    seconds: f64,
}

impl ReplaySink for ReplayJob {
    fn begin_pass(&mut self, _: Range<u64>) -> Result<(), TableError> {
        self.table.clear();
        Ok(())
    }

    fn push(&mut self, steps: &[Step]) {
        let begun = Instant::now();
        self.table.replay_steps(steps);
        self.seconds += begun.elapsed().as_secs_f64();
    }

    fn end_pass(&mut self) {
        let before = std::mem::replace(&mut self.occupancy, self.table.occupancy());
        self.occupancy.occupied += before.occupied;
        self.occupancy.current += before.current;
    }
}

/// Replays one game on one table. The row's `nodes` estimate what the search would have cost with
/// this table: the recorded nodes, plus those that an answer saved in the recording and that this
/// table could not save.
///
/// # Errors
/// If the table cannot be created, or the trace file has changed.
pub fn replay(trace: &Trace, item: &str, plan: &Plan, job: &Job) -> Result<Vec<JobRow>, String> {
    let game = trace.game_info(item).ok_or_else(|| format!("the trace has no {item}"))?;
    let variant = &plan.variants[job.variant];
    let options = variant.table().ok_or("an external engine has no table to replay on")?;
    // Only a size that is a share needs the working set.
    let working_set = if variant.has_share() { game.positions.max(1) } else { 0 };
    let table = replay_table(options, Some(working_set)).map_err(|error| error.to_string())?;
    let buckets = buckets(options, Some(working_set)).map_err(|error| error.to_string())?;
    let mut job_state = ReplayJob { table, occupancy: Occupancy::default(), seconds: 0.0 };
    trace
        .replay(item, options.index, buckets, &mut job_state)
        .map_err(|error| format!("[trace] {}: {error}", trace.name))?;
    let replay = job_state.table.result();
    let iteration = Iteration {
        depth: 1,
        search: SearchCounters {
            nodes: game.nodes + replay.worth - replay.worth_kept,
            usable: replay.kept,
            saved: replay.worth_kept,
            ..SearchCounters::default()
        },
        table: job_state.table.counters(),
        occupancy: job_state.occupancy,
        ..UciReport::default().to_iteration()
    };
    Ok(vec![JobRow::new(job.item, iteration, job_state.seconds)])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
        for at in 0..30 {
            let key = (at % 10 + 1) << 40;
            writer.push(Event::probe(key, 2, 0, flags::WINDOW, 1));
            writer.push(Event::store(key, 2, 0, 0b1100, 3));
        }
        writer.finish().unwrap();
        let text = "[trace]\nfile = 'ten.trace'\n[engine]\ntable.size = '50 %'\n";
        let read = Experiment::parse(text, &folder.path().join("x.toml"), &[]);
        let experiment = read.unwrap_or_else(|problem| panic!("{problem}"));
        let plan = Plan::new(&experiment);
        let job = plan.jobs().next().unwrap();
        let begun = Instant::now();
        let rows = replay(experiment.trace.as_ref().unwrap(), "game 1", &plan, &job).unwrap();
        assert_eq!(rows[0].iteration.occupancy.slots, 5);
        // Only the table's own work is timed.
        assert!(rows[0].seconds > 0.0 && rows[0].seconds <= begun.elapsed().as_secs_f64());
        let unknown = replay(experiment.trace.as_ref().unwrap(), "game 2", &plan, &job).err();
        assert_eq!(unknown.as_deref(), Some("the trace has no game 2"));
    }
}
