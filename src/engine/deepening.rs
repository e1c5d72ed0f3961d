//! The root: iterative deepening, aspiration windows and MTD(f).

use super::anatomy::Dissector;
use super::consult::Place;
use super::eval::Evaluator;
use super::foresight::Foresight;
use super::options::Algorithm;
use super::ordering::Ranks;
use super::outcome::{Iteration, Limit, Progress, SearchCounters};
use super::pv::Lines;
use super::search::Search;
use super::switches::{INFINITE, Switches};
use super::{Engine, ordering};
use crate::chess::{Board, Move, MoveList, Score};
use crate::table::options::{Clear, Clock};
use crate::table::{Occupancy, TableCounters};
use std::sync::atomic::AtomicBool;

/// The deepest iteration that any limit allows.
const DEEPEST: u8 = 255;

/// Runs the iterations of one root search.
pub fn deepen(
    engine: &mut Engine,
    root: &Board,
    path: Vec<u64>,
    limit: Limit,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(Progress),
) -> Vec<Iteration> {
    let mut iterations: Vec<Iteration> = Vec::new();
    let target = limit.depth.unwrap_or(DEEPEST).max(1);
    let deepening = engine.options.deepening;
    let mut depth = if deepening.step == 0 { target } else { deepening.start.clamp(1, target) };
    let mut counted = SearchCounters::default();
    let mut carried = Carried { path, stack: ordering::Stack::default(), lines: Lines::default() };
    loop {
        if !iterations.is_empty() {
            engine.forget(Clear::Iteration);
        }
        if engine.options.table.clock == Clock::Iteration
            && let Some(table) = engine.table.as_mut()
        {
            table.advance(1);
        }
        if let Some(scout) = engine.scout.as_mut() {
            let only = Limit { depth: Some(depth), nodes: None };
            deepen(scout, root, carried.path.clone(), only, stop, &mut |_| {});
        }
        let before = engine.table.as_ref().map(|table| table.counters()).unwrap_or_default();
        let last = iterations.last().map(|last| (last.score, last.best, last.pv.clone()));
        let nodes_left = limit.nodes.map_or(u64::MAX, |nodes| nodes - counted.nodes);
        let guess = last.as_ref().map(|&(score, ..)| score);
        let mut search = prepare(engine, &mut carried, nodes_left, stop);
        watch(Progress::Begin { depth });
        let score = search.iterate(root, i32::from(depth), guess);
        watch(Progress::End);
        if search.audit.is_some() && !search.aborted {
            search.examine_root(root, i32::from(depth), score);
        }
        let dissector = search.dissector.take();
        let (count, finished, pv) = (search.count, !search.aborted, search.lines.get(0).to_vec());
        carried = Carried { path: search.path, stack: search.stack, lines: search.lines };
        counted += count;
        let (after, occupancy) = table_state(engine);
        let (score, best, pv) = match (finished, last) {
            (true, _) => (score, pv.first().copied().unwrap_or(Move::NONE), pv),
            (false, Some(last)) => last,
            (false, None) => (0, Move::NONE, Vec::new()),
        };
        let anatomy = dissector.map(|dissector| Box::new(dissector.finish(engine.table.as_deref())));
        let table = after - before;
        let iteration = Iteration { depth, score, best, pv, search: count, table, occupancy, anatomy, finished };
        watch(Progress::Iteration(&iteration));
        iterations.push(iteration);
        let out_of_nodes = limit.nodes.is_some_and(|nodes| counted.nodes >= nodes);
        if !finished || out_of_nodes || depth >= target || deepening.step == 0 {
            return iterations;
        }
        depth = depth.saturating_add(deepening.step).min(target);
    }
}

/// Buffers that go from iteration to iteration, so that only the first allocates.
struct Carried {
    path: Vec<u64>,
    stack: ordering::Stack,
    lines: Lines,
}

fn table_state(engine: &Engine) -> (TableCounters, Occupancy) {
    engine.table.as_ref().map_or_else(Default::default, |table| (table.counters(), table.occupancy()))
}

fn prepare<'a>(engine: &'a mut Engine, carried: &mut Carried, node_limit: u64, stop: &'a AtomicBool) -> Search<'a> {
    let on = Switches::new(&engine.options);
    let dissector = on.full.then(|| Box::new(Dissector::new(engine.table.as_deref())));
    Search {
        on,
        ranks: Ranks::new(&engine.options),
        evaluator: Evaluator::new(engine.options.eval, on.mate_threshold - 1),
        increments: &engine.increments,
        stored_nodes: engine.options.table.policy.counts_stored_nodes(),
        table: engine.table.as_deref_mut(),
        memory: &mut engine.memory,
        count: SearchCounters::default(),
        credit: 0,
        stack: std::mem::take(&mut carried.stack),
        scratch: MoveList::new(),
        lines: std::mem::take(&mut carried.lines),
        path: std::mem::take(&mut carried.path),
        stop,
        node_limit,
        attention: 0,
        aborted: false,
        audit: engine.audit.as_deref_mut(),
        dissector,
        foresight: match (engine.notes.as_mut(), engine.scout.as_ref().and_then(|scout| scout.notes.as_ref())) {
            (Some(notes), _) => Some(Foresight::Learns(notes)),
            (None, known) => known.map(Foresight::Knows),
        },
        check_keys: &engine.check_keys,
        algorithm: engine.options.algorithm,
        aspiration: engine.options.aspiration,
    }
}

impl Search<'_> {
    /// One iteration: the root's score at `depth`, with the best line in `self.lines`.
    fn iterate(&mut self, root: &Board, depth: i32, guess: Option<Score>) -> Score {
        let place = |alpha, beta| Place { alpha, beta, depth, ply: 0 };
        match (self.algorithm, guess) {
            (Algorithm::Minimax, _) if self.table.is_some() => self.minimax::<true>(root, depth, 0),
            (Algorithm::Minimax, _) => self.minimax::<false>(root, depth, 0),
            (Algorithm::Mtdf, guess) => self.mtdf(root, depth, guess.unwrap_or(0)),
            (_, Some(guess)) if self.aspiration > 0 => {
                let (mut alpha, mut beta) = (guess - self.aspiration, guess + self.aspiration);
                loop {
                    let score = self.root(root, place(alpha.max(-INFINITE), beta.min(INFINITE)));
                    if self.aborted {
                        return score;
                    } else if score <= alpha && alpha > -INFINITE {
                        alpha = -INFINITE;
                    } else if score >= beta && beta < INFINITE {
                        beta = INFINITE;
                    } else {
                        return score;
                    }
                    self.count.researches += 1;
                }
            }
            _ => self.root(root, place(-INFINITE, INFINITE)),
        }
    }

    fn root(&mut self, root: &Board, place: Place) -> Score {
        if self.table.is_some() {
            self.alpha_beta::<true>(root, place, Move::NONE)
        } else {
            self.alpha_beta::<false>(root, place, Move::NONE)
        }
    }

    /// MTD(f): zero-window searches close in on the value from a first guess. Source: Plaat, Schaeffer, Pijls and de
    /// Bruin, 1996.
    fn mtdf(&mut self, root: &Board, depth: i32, guess: Score) -> Score {
        let (mut lower, mut upper, mut score) = (-INFINITE, INFINITE, guess);
        let mut line: Vec<Move> = Vec::new();
        loop {
            let beta = if score == lower { score + 1 } else { score };
            score = self.root(root, Place { alpha: beta - 1, beta, depth, ply: 0 });
            if self.aborted {
                return score;
            }
            if score < beta {
                upper = score;
            } else {
                lower = score;
                // Only a search that fails high has a line; the last one that did is the best.
                line = self.lines.get(0).to_vec();
            }
            if lower >= upper {
                self.lines.set(0, &line);
                return score;
            }
            self.count.researches += 1;
        }
    }
}
