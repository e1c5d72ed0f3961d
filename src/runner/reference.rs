//! Judging moves: a reference engine searches each position, then the position after each move that was chosen there, all to one depth.
//! The difference of the two scores is the loss of the move. Source: M. Guid and I. Bratko, "Computer analysis of world chess champions",
//! ICGA Journal 29 (2), 2006, who took the difference of two searches of one depth.

use super::subjects::Subjects;
use super::{OutputError, RunError, lock};
use crate::chess::{Board, EpRule, Increments, Move, named};
use crate::engine::{Engine, EngineOptions, Limit};
use crate::experiment::Experiment;
use crate::record::columns;
use crate::record::reference::{Judgement, Judgements, NAME, is_no_move, read, write};
use crate::subject::{Ended, Position, Subject, Told};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A position that was searched, and the moves that were chosen there.
struct Chosen {
    name: String,
    start: Board,
    past: Vec<Move>,
    moves: BTreeSet<String>,
}

impl Chosen {
    /// Whether its own search, or that of a move, is not among those that are known.
    fn lacks(&self, known: &HashSet<(String, String)>) -> usize {
        let has = |mv: &str| known.contains(&(self.name.clone(), mv.to_owned()));
        usize::from(!has("")) + self.moves.iter().filter(|mv| !has(mv)).count()
    }
}

/// What is known of a folder's positions: their own searches, and their moves.
fn known(rows: &[Judgement]) -> HashSet<(String, String)> {
    rows.iter().map(|row| (row.position.clone(), row.mv.clone())).collect()
}

/// A position of a suite by its name in results: where its game began, and the moves from there. None along an engine's own play, where each
/// engine stands before positions of its own.
fn placed(experiment: &Experiment, position: &str) -> Option<(Board, Vec<Move>)> {
    let item = |name: &str| experiment.suite.items.iter().find(|item| item.id == name);
    if experiment.file.sequence.is_none()
        && let Some(item) = item(position).filter(|item| item.game().is_none())
    {
        return Some((item.board, Vec::new()));
    }
    let (game, ply) = position.rsplit_once(" ply ")?;
    let (item, ply) = (item(game)?, ply.parse::<u16>().ok()?);
    let plies = usize::from(ply.saturating_sub(item.board.game_ply()));
    Some((item.board, item.game()?.iter().take(plies).copied().collect()))
}

/// What a judgement of a position rests on: who judges, and the position as it was reached.
fn identity(reference: &str, start: &Board, past: &[Move]) -> String {
    let moves: Vec<String> = past.iter().map(ToString::to_string).collect();
    let digest = hmac_sha256::Hash::hash(format!("{} {}", start.fen(EpRule::Legal), moves.join(" ")).as_bytes());
    digest.iter().take(8).fold(format!("{reference}-"), |text, byte| text + &format!("{byte:02x}"))
}

/// Who judges, of what [`identity`] says.
fn judge_of(row: &Judgement) -> &str {
    row.reference.split('-').next().unwrap_or_default()
}

/// The judgements of a folder that are of this experiment's positions by its reference: names of positions say too little, since a suite may
/// have changed under them.
fn sound(experiment: &Experiment, subjects: &Subjects, folder: &Path) -> std::io::Result<Vec<Judgement>> {
    let (mut rows, mut ids) = (read(folder)?, HashMap::new());
    let reference = subjects.reference_id();
    rows.retain(|row| {
        let id = ids.entry(row.position.clone()).or_insert_with(|| {
            placed(experiment, &row.position).map(|(start, past)| identity(&reference, &start, &past))
        });
        id.as_ref() == Some(&row.reference)
    });
    Ok(rows)
}

/// Drops the judgements of a folder that are not of this experiment's positions, or by another reference: before a run, so that no page shows
/// them beside its rows.
///
/// # Errors
/// When a file cannot be read or written.
pub fn prune(experiment: &Experiment, subjects: &Subjects, folder: &Path) -> Result<(), RunError> {
    if experiment.file.reference.is_none() {
        return Ok(());
    }
    let io = |error| RunError::Write { path: folder.join(NAME).display().to_string(), error };
    let before = read(folder).map_err(io)?.len();
    let kept = sound(experiment, subjects, folder).map_err(io)?;
    if kept.len() < before {
        Judgements::open(folder, kept.iter()).map(drop).map_err(io)?;
    }
    Ok(())
}

/// How many searches the reference has still to make for a folder's results.
///
/// # Errors
/// When a file cannot be read.
pub fn unjudged(experiment: &Experiment, folder: &Path) -> std::io::Result<u64> {
    if experiment.file.reference.is_none() || !folder.join("results.csv").exists() {
        return Ok(0);
    }
    let known = known(&read(folder)?);
    Ok(chosen(experiment, folder)?.iter().map(|one| one.lacks(&known) as u64).sum())
}

/// Puts the judgements of several folders into one: of what several judged, the first. What lies there already comes last.
///
/// # Errors
/// When two folders were judged by unlike references (unless `any`), or a file cannot be read or written.
pub fn gather(folders: &[PathBuf], into: &Path, any: bool) -> Result<(), OutputError> {
    let io = |path: &Path| {
        let path = path.join(NAME).display().to_string();
        move |error| OutputError::Io { path, error }
    };
    let mut all: Vec<Judgement> = Vec::new();
    let mut by: Option<(String, &Path)> = None;
    for folder in folders.iter().map(PathBuf::as_path).chain([into]) {
        for row in read(folder).map_err(io(folder))? {
            let (judge, first) = by.get_or_insert_with(|| (judge_of(&row).to_owned(), folder));
            if judge_of(&row) == judge || any && folder != into {
                all.push(row);
            } else if folder != into {
                return Err(OutputError::Foreign(format!(
                    "{}: its moves were judged by another reference than those in {}: run the shard again, or merge all the same with --any-build",
                    folder.display(),
                    first.display()
                )));
            }
        }
    }
    write(into, &all).map_err(io(into))
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
    let kept = sound(experiment, subjects, folder).map_err(io)?;
    let known = known(&kept);
    let todo: Vec<Chosen> =
        chosen(experiment, folder).map_err(io)?.into_iter().filter(|one| one.lacks(&known) > 0).collect();
    let file = Mutex::new(Judgements::open(folder, kept.iter()).map_err(io)?);
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
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    // In an order that does not depend on who was quicker.
    drop(file);
    write(folder, &read(folder).map_err(io)?).map_err(io)?;
    Ok(Some(searches.into_inner() as u64))
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
    let [variant, position, repeat, best] =
        [columns::VARIANT, columns::POSITION, columns::REPEAT, columns::BEST].map(at);
    let mut last: BTreeMap<(String, String, String), String> = BTreeMap::new();
    for row in reader.records() {
        let row = row?;
        let field = |at: usize| row.get(at).unwrap_or_default().to_owned();
        // Rows of a search stand in the order of their depths: the last one is its answer.
        last.insert((field(position), field(variant), field(repeat)), field(best));
    }
    let mut found: BTreeMap<String, Chosen> = BTreeMap::new();
    for ((position, ..), best) in last.into_iter().filter(|(_, best)| !is_no_move(best)) {
        let Some((start, past)) = placed(experiment, &position) else { continue };
        let one = found.entry(position.clone());
        let one = one.or_insert_with(|| Chosen { name: position, start, past, moves: BTreeSet::new() });
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
        let id = identity(&self.id, &one.start, &one.past);
        let row = |mv: &str, best: &str, score, nodes| Judgement {
            reference: id.clone(),
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
            let mv = named(&board, word).ok_or_else(|| format!("{}: {word} is illegal", one.name))?;
            let Some((_, score, nodes)) = self.search(one, &board, Some(mv))? else { return Ok(None) };
            judged.push((word.clone(), score, nodes));
        }
        rows.extend(judged.into_iter().map(|(mv, score, nodes)| row(&mv, "", score, nodes)));
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
        let (mut score, mut nodes) = (None, None);
        let ended = self.engine.search(position, limit, self.stop, &mut |told| match told {
            Told::Iteration(iteration) => {
                // Of a search that was cut short before its first depth there is no score.
                score = Some(iteration.score).filter(|_| iteration.finished).or(score);
                nodes = Some(nodes.unwrap_or(0) + iteration.search.nodes);
            }
            Told::Reported(reported) => (score, nodes) = (reported.score, reported.nodes),
            Told::Begin | Told::End => {}
        });
        match ended.map_err(|failure| failure.to_string())? {
            Ended::Stopped => Ok(None),
            Ended::Best(best) => {
                let score = score.ok_or_else(|| {
                    format!("{}: the reference told no score: within its limit it may have finished no depth", one.name)
                })?;
                Ok(Some((best, if mv.is_some() { -score } else { score }, nodes)))
            }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
