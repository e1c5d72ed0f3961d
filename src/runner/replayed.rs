//! A job of a trace: its table is shown a game instead of being searched with.

use super::job::JobRow;
use crate::engine::{Iteration, SearchCounters};
use crate::experiment::trace::Trace;
use crate::experiment::{Job, Plan};
use crate::subject::UciReport;
use crate::table::options::Size;
use crate::table::replay::{ReplaySink, ReplayTable, Step, buckets, shown};
use crate::table::{Occupancy, TableError};
use std::ops::Range;
use std::time::Instant;

/// A table that is shown a game, in one turn or several.
struct ReplayJob {
    table: Box<dyn ReplayTable>,
    /// At the end of all turns together: their buckets are apart.
    occupancy: Occupancy,
    seconds: f64,
}

impl ReplaySink for ReplayJob {
    fn begin(&mut self, _: Range<u64>) -> Result<(), TableError> {
        self.table.empty();
        Ok(())
    }

    fn show(&mut self, _: usize, steps: &[Step]) {
        let begun = Instant::now();
        self.table.show(steps);
        self.seconds += begun.elapsed().as_secs_f64();
    }

    fn end(&mut self) {
        let before = std::mem::replace(&mut self.occupancy, self.table.occupancy());
        self.occupancy.occupied += before.occupied;
        self.occupancy.current += before.current;
    }
}

/// What a table makes of a game. `nodes` are those that the search would have entered if what was lost had been searched again and nothing
/// else had changed: those recorded, and the worth of the usable probes that were not answered.
///
/// # Errors
/// When the table cannot be made, or the trace is no longer what it was.
pub fn replayed(trace: &Trace, item: &str, plan: &Plan, job: &Job) -> Result<Vec<JobRow>, String> {
    let game = trace.game_info(item).ok_or_else(|| format!("the trace has no {item}"))?;
    let options = &plan.variants[job.variant].options;
    // What a size as a share of it needs to know; else 0.
    let working_set = if matches!(options.table.size, Size::Share(_)) { game.positions.max(1) } else { 0 };
    let table = shown(&options.table, Some(working_set)).map_err(|error| error.to_string())?;
    let buckets = buckets(&options.table, Some(working_set)).map_err(|error| error.to_string())?;
    let mut room = ReplayJob { table, occupancy: Occupancy::default(), seconds: 0.0 };
    trace
        .replay(item, options.table.index, buckets, &mut room)
        .map_err(|error| format!("[trace] {}: {error}", trace.name))?;
    let found = room.table.replayed();
    let iteration = Iteration {
        depth: 1,
        search: SearchCounters {
            nodes: game.nodes + found.worth - found.worth_kept,
            usable: found.kept,
            saved: found.worth_kept,
            ..SearchCounters::default()
        },
        table: room.table.counters(),
        occupancy: room.occupancy,
        ..UciReport::default().iteration()
    };
    Ok(vec![JobRow::new(job.item, iteration, room.seconds)])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use crate::table::trace::{Event, Writer, flags};

    /// Ten positions, each stored three times: a table of half of them has five slots.
    #[test]
    fn a_share_is_of_the_positions_that_are_stored() {
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
        let found = replayed(experiment.trace.as_ref().unwrap(), "game 1", &plan, &job).unwrap();
        assert_eq!(found[0].iteration.occupancy.slots, 5);
        // Showing it takes a part of what all of it takes.
        assert!(found[0].seconds > 0.0 && found[0].seconds <= begun.elapsed().as_secs_f64());
        let unknown = replayed(experiment.trace.as_ref().unwrap(), "game 2", &plan, &job).err();
        assert_eq!(unknown.as_deref(), Some("the trace has no game 2"));
    }
}
