//! Judging moves: a reference engine searches each position, then the position after each move that was chosen there, all to one depth.
//! Where scores are judged, it searches the position alone. The difference of the two scores is the loss of the move. Source: M. Guid and I. Bratko, "Computer analysis of world chess champions",
//! ICGA Journal 29 (2), 2006, who took the difference of two searches of one depth.

use super::subjects::Subjects;
use super::{OutputError, RunError, in_parallel, lock};
use crate::chess::{Board, EpRule, Increments, Move, named};
use crate::engine::Limit;
use crate::experiment::Experiment;
use crate::record::columns;
use crate::record::reference::{Judgement, Judgements, NAME, is_no_move, read, write};
use crate::subject::{Position, SearchEnd, SearchEvent, Subject};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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
    rows.retain(|row| {
        let id = ids.entry(row.position.clone()).or_insert_with(|| {
            placed(experiment, &row.position).map(|(start, past)| identity(&subjects.reference_id, &start, &past))
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
    let pruned = || {
        let kept = sound(experiment, subjects, folder)?;
        if kept.len() < read(folder)?.len() {
            Judgements::open(folder, kept.iter())?;
        }
        Ok(())
    };
    pruned().map_err(|error| RunError::write(&folder.join(NAME), error))
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
    let io = |folder: &Path| OutputError::io(folder.join(NAME));
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
    let (limit, moves) = (subjects.reference_limit, reference.own_search.is_none());
    let io = |error| RunError::write(folder, error);
    let kept = sound(experiment, subjects, folder).map_err(io)?;
    let known = known(&kept);
    let todo: Vec<Chosen> =
        chosen(experiment, folder).map_err(io)?.into_iter().filter(|one| one.lacks(&known) > 0).collect();
    let file = Mutex::new(Judgements::open(folder, kept.iter()).map_err(io)?);
    let searches = AtomicU64::new(0);
    in_parallel(&todo, jobs, stop, |next| {
        let engine = make(subjects).map_err(RunError::Subject)?;
        let mut judge = Judge { engine, limit, moves, stop, id: subjects.reference_id.clone() };
        while let Some(one) = next() {
            let Some(rows) = judge.position(one, &known).map_err(RunError::Subject)? else { break };
            searches.fetch_add(rows.len() as u64, Ordering::Relaxed);
            lock(&file).append(&rows).map_err(io)?;
        }
        Ok::<_, RunError>(())
    })?;
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    // In an order that does not depend on who was quicker.
    drop(file);
    write(folder, &read(folder).map_err(io)?).map_err(io)?;
    Ok(Some(searches.into_inner()))
}

fn make(subjects: &Subjects) -> Result<Box<dyn Subject>, String> {
    let mut engine = subjects.make_reference()?;
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
    let moves = experiment.file.reference.as_ref().is_none_or(|reference| reference.own_search.is_none());
    let mut found: BTreeMap<String, Chosen> = BTreeMap::new();
    for ((position, ..), best) in last.into_iter().filter(|(_, best)| !is_no_move(best)) {
        let Some((start, past)) = placed(experiment, &position) else { continue };
        let one = found.entry(position.clone());
        let one = one.or_insert_with(|| Chosen { name: position, start, past, moves: BTreeSet::new() });
        if moves {
            one.moves.insert(best);
        }
    }
    Ok(found.into_values().collect())
}

/// A reference engine at work.
struct Judge<'a> {
    engine: Box<dyn Subject>,
    limit: Limit,
    /// Whether moves are judged, and not the position alone.
    moves: bool,
    stop: &'a AtomicBool,
    id: String,
}

impl Judge<'_> {
    /// The rows of a position that are not known yet; none if it was stopped.
    fn position(&mut self, one: &Chosen, known: &HashSet<(String, String)>) -> Result<Option<Vec<Judgement>>, String> {
        let mut board = one.start;
        one.past.iter().for_each(|&mv| board.play(mv, Increments::none()));
        let Some((best, score, nodes)) = self.search(one, None)? else { return Ok(None) };
        let id = identity(&self.id, &one.start, &one.past);
        let row = |mv: &str, best: &str, score, nodes| Judgement {
            reference: id.clone(),
            position: one.name.clone(),
            mv: mv.to_owned(),
            best: best.to_owned(),
            score,
            nodes,
        };
        let is_known = |mv: &str| known.contains(&(one.name.clone(), mv.to_owned()));
        let mut rows = vec![row("", &best.to_string(), score, nodes)];
        let mut moves = one.moves.clone();
        if self.moves {
            moves.insert(best.to_string());
        }
        for word in moves.iter().filter(|mv| !is_known(mv)) {
            let mv = named(&board, word).ok_or_else(|| format!("{}: {word} is illegal", one.name))?;
            let Some((_, score, nodes)) = self.search(one, Some(mv))? else { return Ok(None) };
            rows.push(row(word, "", score, nodes));
        }
        rows.retain(|row| !is_known(&row.mv));
        Ok(Some(rows))
    }

    /// Best move, score from the view of the side to move in the position, and nodes: of the position, or of what `mv` leads to, a ply less deep.
    fn search(&mut self, one: &Chosen, mv: Option<Move>) -> Result<Option<(Move, i32, Option<u64>)>, String> {
        let moves: Vec<Move> = one.past.iter().copied().chain(mv).collect();
        let (mut board, mut past, mut limit) = (one.start, Vec::new(), self.limit);
        for &mv in &moves {
            past.push(board);
            board.play(mv, Increments::none());
        }
        if mv.is_some() {
            limit.depth = limit.depth.map(|depth| depth.saturating_sub(1).max(1));
            if !board.has_legal_move() {
                return Ok(Some((Move::NONE, if board.in_check() { 31_999 } else { 0 }, None)));
            }
        }
        // As new, where that costs no process: what was searched before must not tell.
        self.engine.start().map_err(|failure| failure.to_string())?;
        self.engine.new_game().map_err(|failure| failure.to_string())?;
        let position = Position { start: &one.start, moves: &moves, past: &past, board: &board };
        let (mut score, mut nodes) = (None, None);
        let ended = self.engine.search(position, limit, self.stop, &mut |event| match event {
            SearchEvent::Iteration(iteration) => {
                // Of a search that was cut short before its first depth there is no score.
                score = Some(iteration.score).filter(|_| iteration.finished).or(score);
                nodes = Some(nodes.unwrap_or(0) + iteration.search.nodes);
            }
            SearchEvent::UciReport(reported) => (score, nodes) = (reported.score, reported.nodes),
            SearchEvent::Begin | SearchEvent::End => {}
        });
        match ended.map_err(|failure| failure.to_string())? {
            SearchEnd::Stopped => Ok(None),
            SearchEnd::Best(best) => {
                let score = score.ok_or_else(|| {
                    format!("{}: the reference told no score: within its limit it may have finished no depth", one.name)
                })?;
                Ok(Some((best, if mv.is_some() { -score } else { score }, nodes)))
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
