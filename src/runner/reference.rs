//! Judging moves: a reference engine searches each position, then the position after each move that was chosen there, all to one depth.
//! The difference of the two scores is the loss of the move. Source: M. Guid and I. Bratko, "Computer analysis of world chess champions",
//! ICGA Journal 29 (2), 2006, who took the difference of two searches of one depth.

use super::subjects::Subjects;
use super::{RunError, lock};
use crate::chess::{Board, Increments, Move};
use crate::engine::{Engine, EngineOptions, Limit};
use crate::experiment::Experiment;
use crate::record::columns;
use crate::record::reference::{Judgement, Judgements, is_no_move, read};
use crate::subject::{Ended, Position, Subject, Told, protocol};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A position that was searched, and the moves that were chosen there.
struct Chosen {
    name: String,
    start: Board,
    past: Vec<Move>,
    moves: BTreeSet<String>,
}

/// Judges the moves of a folder's results; what was judged before is kept. Returns how many searches were made; none if it was stopped.
///
/// # Errors
/// When the reference fails, or the files cannot be read or written.
pub fn judge(
    experiment: &Experiment,
    subjects: &Subjects,
    folder: &Path,
    jobs: usize,
    stop: &AtomicBool,
) -> Result<Option<u64>, RunError> {
    let Some(reference) = &experiment.file.reference else { return Ok(Some(0)) };
    let limit = Limit { depth: reference.limit.depth, nodes: reference.limit.nodes };
    let io = |error: std::io::Error| RunError::Write { path: folder.display().to_string(), error };
    let id = subjects.reference_id();
    let mut kept = read(folder).map_err(io)?;
    kept.retain(|row| row.reference == id);
    let known: HashSet<(String, String)> = kept.iter().map(|row| (row.position.clone(), row.mv.clone())).collect();
    let todo: Vec<Chosen> = chosen(experiment, folder)
        .map_err(io)?
        .into_iter()
        .filter(|one| {
            let has = |mv: &str| known.contains(&(one.name.clone(), mv.to_owned()));
            !has("") || one.moves.iter().any(|mv| !has(mv))
        })
        .collect();
    let file = Mutex::new(Judgements::open(folder, &kept).map_err(io)?);
    let (next, searches, failure) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, todo.len().max(1)) {
            scope.spawn(|| {
                let mut judge = match make(subjects) {
                    Ok(engine) => Judge { engine, limit, stop, id: id.clone() },
                    Err(message) => return *lock(&failure) = Some(RunError::Subject(message)),
                };
                while !stop.load(Ordering::Relaxed) && lock(&failure).is_none() {
                    let Some(one) = todo.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                    match judge.position(one, &known) {
                        Ok(Some(rows)) => {
                            searches.fetch_add(rows.len(), Ordering::Relaxed);
                            if let Err(error) = lock(&file).append(&rows) {
                                *lock(&failure) = Some(io(error));
                            }
                        }
                        Ok(None) => return,
                        Err(message) => *lock(&failure) = Some(RunError::Subject(message)),
                    }
                }
            });
        }
    });
    if let Some(error) = lock(&failure).take() {
        return Err(error);
    }
    Ok((!stop.load(Ordering::Relaxed)).then_some(searches.into_inner() as u64))
}

fn make(subjects: &Subjects) -> Result<Box<dyn Subject>, String> {
    let mut engine = match subjects.make_reference() {
        Some(engine) => engine,
        None => Box::new(Engine::new(&EngineOptions::default(), None).map_err(|error| error.to_string())?),
    };
    engine.start().map_err(|failure| failure.to_string())?;
    Ok(engine)
}

/// The positions of the results with the last move of each search.
fn chosen(experiment: &Experiment, folder: &Path) -> std::io::Result<Vec<Chosen>> {
    let mut reader = csv::Reader::from_path(folder.join("results.csv"))?;
    let header = reader.headers()?.clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap_or(usize::MAX);
    let [variant, game, position, ply, repeat, best] =
        [columns::VARIANT, columns::GAME, columns::POSITION, columns::PLY, columns::REPEAT, columns::BEST].map(at);
    let mut last: BTreeMap<(String, String, String), (String, String, String)> = BTreeMap::new();
    for row in reader.records() {
        let row = row?;
        let field = |at: usize| row.get(at).unwrap_or_default().to_owned();
        // Rows of a search stand in the order of their depths: the last one is its answer.
        last.insert((field(position), field(variant), field(repeat)), (field(game), field(ply), field(best)));
    }
    let mut found: BTreeMap<String, Chosen> = BTreeMap::new();
    for ((position, ..), (game, ply, best)) in last {
        let name = if game.is_empty() { &position } else { &game };
        let item = experiment.suite.items.iter().find(|item| item.id == *name);
        // Along an engine's own play each engine stands before positions of its own.
        let past = match (item, item.and_then(|item| item.game()), ply.parse::<u16>()) {
            (Some(item), Some(moves), Ok(ply)) => {
                moves.iter().take(usize::from(ply.saturating_sub(item.board.game_ply()))).copied().collect()
            }
            (Some(_), None, Err(_)) => Vec::new(),
            _ => continue,
        };
        let Some(item) = item.filter(|_| !is_no_move(&best)) else { continue };
        let one = found.entry(position.clone());
        let one = one.or_insert_with(|| Chosen { name: position, start: item.board, past, moves: BTreeSet::new() });
        one.moves.insert(best);
    }
    Ok(found.into_values().collect())
}

/// A reference engine at work.
struct Judge<'a> {
    engine: Box<dyn Subject>,
    limit: Limit,
    stop: &'a AtomicBool,
    id: String,
}

impl Judge<'_> {
    /// The rows of a position that are not known yet; none if it was stopped.
    fn position(&mut self, one: &Chosen, known: &HashSet<(String, String)>) -> Result<Option<Vec<Judgement>>, String> {
        let mut board = one.start;
        one.past.iter().for_each(|&mv| board.play(mv, Increments::none()));
        let Some((best, score, nodes)) = self.search(one, &board, None)? else { return Ok(None) };
        let row = |mv: &str, best: &str, score, nodes| Judgement {
            reference: self.id.clone(),
            position: one.name.clone(),
            mv: mv.to_owned(),
            best: best.to_owned(),
            score,
            nodes,
        };
        let mut rows = vec![row("", &best.to_string(), score, nodes)];
        let mut moves = one.moves.clone();
        moves.insert(best.to_string());
        let wanted = moves.iter().filter(|mv| !known.contains(&(one.name.clone(), (*mv).clone())));
        let mut judged = Vec::new();
        for word in wanted {
            let mv = protocol::read_move(&board, word).ok_or_else(|| format!("{}: {word} is illegal", one.name))?;
            let Some((_, score, nodes)) = self.search(one, &board, Some(mv))? else { return Ok(None) };
            judged.push((word.clone(), score, nodes));
        }
        rows.extend(judged.into_iter().map(|(mv, score, nodes)| Judgement {
            reference: self.id.clone(),
            position: one.name.clone(),
            mv,
            best: String::new(),
            score,
            nodes,
        }));
        rows.retain(|row| !known.contains(&(row.position.clone(), row.mv.clone())));
        Ok(Some(rows))
    }

    /// Best move, score from the view of the side to move on `board`, and nodes: of `board`, or of what `mv` leads to, a ply less deep.
    fn search(
        &mut self,
        one: &Chosen,
        board: &Board,
        mv: Option<Move>,
    ) -> Result<Option<(Move, i32, Option<u64>)>, String> {
        let (mut after, mut moves, mut limit) = (*board, one.past.clone(), self.limit);
        if let Some(mv) = mv {
            after.play(mv, Increments::none());
            moves.push(mv);
            limit.depth = limit.depth.map(|depth| depth.saturating_sub(1).max(1));
            if !after.has_legal_move() {
                return Ok(Some((Move::NONE, if after.in_check() { 31_999 } else { 0 }, None)));
            }
        }
        // As new, where that costs no process: what was searched before must not tell.
        self.engine.start().map_err(|failure| failure.to_string())?;
        self.engine.new_game().map_err(|failure| failure.to_string())?;
        let past = played(&one.start, &moves);
        let position = Position { start: &one.start, moves: &moves, past: &past, board: &after };
        let (mut score, mut nodes) = (0, None);
        let ended = self.engine.search(position, limit, self.stop, &mut |told| match told {
            Told::Iteration(iteration) => {
                (score, nodes) = (iteration.score, Some(nodes.unwrap_or(0) + iteration.search.nodes));
            }
            Told::Reported(reported) => (score, nodes) = (reported.score.unwrap_or(0), reported.nodes),
            Told::Begin | Told::End => {}
        });
        match ended.map_err(|failure| failure.to_string())? {
            Ended::Stopped => Ok(None),
            Ended::Best(best) => Ok(Some((best, if mv.is_some() { -score } else { score }, nodes))),
        }
    }
}

/// The positions before each move.
fn played(start: &Board, moves: &[Move]) -> Vec<Board> {
    let mut board = *start;
    moves
        .iter()
        .map(|&mv| {
            let before = board;
            board.play(mv, Increments::none());
            before
        })
        .collect()
}
