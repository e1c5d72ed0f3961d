//! Runs and times one search of any engine. Jobs, matches and references all use this module.

use crate::chess::{Move, Score};
use crate::engine::{Iteration, Limit};
use crate::subject::{Position, SearchEnd, SearchEvent, Subject, UciReport};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Why searches ended early. Contains the error, or `None` if the searches were interrupted.
pub type Interrupt = Option<String>;

/// Converts an interruption to `Ok(None)` and keeps errors.
pub fn none_if_interrupted<T>(result: Result<T, Interrupt>) -> Result<Option<T>, String> {
    result.map(Some).or_else(|interrupt| interrupt.map_or(Ok(None), Err))
}

#[derive(Default)]
pub struct SearchRecord {
    /// The best move, or [`Move::NONE`] if there is no legal move or no iteration was finished.
    pub best: Move,
    /// Wall-clock seconds of all iterations.
    pub seconds: f64,
    /// The score of the last finished iteration, for the side to move.
    pub score: Option<Score>,
    /// The depth of the last finished iteration, or 0 if unknown.
    pub depth: u8,
    pub nodes: Option<u64>,
    /// The built-in engine's iterations, each with its seconds.
    pub iterations: Vec<(Iteration, f64)>,
    pub report: Option<UciReport>,
}

/// Runs one search, measures its time, and collects its results.
///
/// # Errors
/// If the engine fails, or the search is interrupted.
pub fn run_search(
    subject: &mut dyn Subject,
    position: &Position<'_>,
    limit: Limit,
    stop: &AtomicBool,
) -> Result<SearchRecord, Interrupt> {
    let (mut begin, mut seconds, mut record) = (Instant::now(), 0.0, SearchRecord::default());
    let result = subject.search(*position, limit, stop, &mut |event| match event {
        SearchEvent::Begin => begin = Instant::now(),
        SearchEvent::End => {
            seconds = begin.elapsed().as_secs_f64();
            record.seconds += seconds;
        }
        SearchEvent::Iteration(iteration) => {
            if iteration.finished {
                (record.score, record.depth) = (Some(iteration.score), iteration.depth);
            }
            record.nodes = Some(record.nodes.unwrap_or(0) + iteration.search.nodes);
            // The iteration has just ended, so `seconds` is the duration of this iteration.
            record.iterations.push((iteration.clone(), seconds));
        }
        SearchEvent::Report(report) => {
            (record.score, record.depth, record.nodes) = (report.score, report.depth.unwrap_or(0), report.nodes);
            record.report = Some(report.clone());
        }
    });
    match result.map_err(|failure| Some(failure.to_string()))? {
        SearchEnd::Best(best) => Ok(SearchRecord { best, ..record }),
        SearchEnd::Stopped => Err(None),
    }
}
