//! Judges moves. A reference engine searches each position, and then the position after each move
//! that was chosen there, to the same total depth; the difference of the scores is the loss of the
//! move. If only scores are judged, it searches only the position itself. Source: M. Guid and I.
//! Bratko, "Computer analysis of world chess champions", ICGA Journal 29 (2), 2006, who used the
//! difference of two searches of one depth.

use super::subjects::Subjects;
use super::{OutputError, RunError, in_parallel, lock};
use crate::chess::{Board, EpRule, Increments, Move, parse_move};
use crate::engine::Limit;
use crate::experiment::Experiment;
use crate::record::columns;
use crate::record::reference::{Judgement, Judgements, NAME, is_no_move, read, write};
use crate::subject::{Position, Subject};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A position of the results, and the moves that were chosen there.
struct ChosenMoves {
    name: String,
    start: Board,
    past: Vec<Move>,
    moves: BTreeSet<String>,
}

impl ChosenMoves {
    /// The number of searches (of the position itself, and of each move) that are not yet known.
    fn count_missing(&self, known: &HashSet<(String, String)>) -> usize {
        let has = |mv: &str| known.contains(&(self.name.clone(), mv.to_owned()));
        usize::from(!has("")) + self.moves.iter().filter(|mv| !has(mv)).count()
    }
}

/// The searches in a folder's judgements, as (position, move); the position's own search has no
/// move.
fn known_searches(rows: &[Judgement]) -> HashSet<(String, String)> {
    rows.iter().map(|row| (row.position.clone(), row.mv.clone())).collect()
}

/// Finds a position by its name in the results: returns the start of its game and the moves from
/// there. `None` if the engines played the game themselves, because then each engine has its own
/// positions.
fn find_position(experiment: &Experiment, position: &str) -> Option<(Board, Vec<Move>)> {
    let item = |name: &str| experiment.suite.items.iter().find(|item| item.id == name);
    if experiment.work.sequence().is_none()
        && let Some(item) = item(position).filter(|item| item.game().is_none())
    {
        return Some((item.board, Vec::new()));
    }
    let (game, ply) = position.rsplit_once(" ply ")?;
    let (item, ply) = (item(game)?, ply.parse::<u16>().ok()?);
    let plies = usize::from(ply.saturating_sub(item.board.game_ply()));
    Some((item.board, item.game()?.iter().take(plies).copied().collect()))
}

/// Identifies what a judgement applies to: the reference, and the position with the moves that led
/// to it.
fn identity(reference: &str, start: &Board, past: &[Move]) -> String {
    let moves: Vec<String> = past.iter().map(ToString::to_string).collect();
    let digest = hmac_sha256::Hash::hash(format!("{} {}", start.fen(EpRule::Legal), moves.join(" ")).as_bytes());
    digest.iter().take(8).fold(format!("{reference}-"), |text, byte| text + &format!("{byte:02x}"))
}

/// The part of an [`identity`] that identifies the reference.
fn judge_of(row: &Judgement) -> &str {
    row.reference.split('-').next().unwrap_or_default()
}

/// The judgements in a folder that are for this experiment's positions and by its reference. The
/// names of positions are not enough to decide this, because the suite may have changed.
fn read_valid(experiment: &Experiment, subjects: &Subjects, folder: &Path) -> std::io::Result<Vec<Judgement>> {
    let (mut rows, mut ids) = (read(folder)?, HashMap::new());
    rows.retain(|row| {
        let id = ids.entry(row.position.clone()).or_insert_with(|| {
            find_position(experiment, &row.position)
                .map(|(start, past)| identity(&subjects.reference_id, &start, &past))
        });
        id.as_ref() == Some(&row.reference)
    });
    Ok(rows)
}

/// Drops judgements of other positions or by another reference from a folder before a run, so that
/// no page shows them beside the new rows.
///
/// # Errors
/// If a file cannot be read or written.
pub fn prune(experiment: &Experiment, subjects: &Subjects, folder: &Path) -> Result<(), RunError> {
    if experiment.file.reference.is_none() {
        return Ok(());
    }
    let pruned = || {
        let valid = read_valid(experiment, subjects, folder)?;
        if valid.len() < read(folder)?.len() {
            Judgements::rewrite(folder, valid.iter())?;
        }
        Ok(())
    };
    pruned().map_err(|error| RunError::write(&folder.join(NAME), error))
}

/// The number of searches that the reference still has to make for a folder's results.
///
/// # Errors
/// If a file cannot be read.
pub fn unjudged(experiment: &Experiment, folder: &Path) -> std::io::Result<u64> {
    if experiment.file.reference.is_none() || !folder.join(crate::record::RESULTS).exists() {
        return Ok(0);
    }
    let known = known_searches(&read(folder)?);
    Ok(chosen_moves(experiment, folder)?.iter().map(|position| position.count_missing(&known) as u64).sum())
}

/// Merges the judgements of several folders; of duplicates the first is kept. The target folder's
/// own judgements come last.
///
/// # Errors
/// If two folders were judged by different references (unless `any`), or a file cannot be read or
/// written.
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
                    "{}: its moves were judged by another reference than those in {}: run the shard again, or merge anyway with --any-build",
                    folder.display(),
                    first.display()
                )));
            }
        }
    }
    write(into, &all).map_err(io(into))
}

/// Judges the moves of a folder's results; earlier judgements are kept. Returns the number of
/// searches, or `None` if interrupted.
///
/// # Errors
/// If the reference fails, or a file cannot be read or written.
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
    let valid = read_valid(experiment, subjects, folder).map_err(io)?;
    let known = known_searches(&valid);
    let todo: Vec<ChosenMoves> = chosen_moves(experiment, folder)
        .map_err(io)?
        .into_iter()
        .filter(|position| position.count_missing(&known) > 0)
        .collect();
    let file = Mutex::new(Judgements::rewrite(folder, valid.iter()).map_err(io)?);
    let searches = AtomicU64::new(0);
    in_parallel(&todo, jobs, stop, |next| {
        let engine = start_reference(subjects).map_err(RunError::Subject)?;
        let mut judge = Judge { engine, limit, moves, stop, id: subjects.reference_id.clone() };
        while let Some(position) = next() {
            let Some(rows) = judge.position(position, &known).map_err(RunError::Subject)? else { break };
            searches.fetch_add(rows.len() as u64, Ordering::Relaxed);
            lock(&file).append(&rows).map_err(io)?;
        }
        Ok::<_, RunError>(())
    })?;
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    // Sort, so that the order does not depend on the threads.
    drop(file);
    write(folder, &read(folder).map_err(io)?).map_err(io)?;
    Ok(Some(searches.into_inner()))
}

fn start_reference(subjects: &Subjects) -> Result<Box<dyn Subject>, String> {
    let mut engine = subjects.make_reference()?;
    engine.start().map_err(|failure| failure.to_string())?;
    Ok(engine)
}

/// The positions of the results, with the final move of each search.
fn chosen_moves(experiment: &Experiment, folder: &Path) -> std::io::Result<Vec<ChosenMoves>> {
    let mut reader = csv::Reader::from_path(folder.join(crate::record::RESULTS))?;
    let header = reader.headers()?.clone();
    let index_of = |name: &str| header.iter().position(|column| column == name).unwrap_or(usize::MAX);
    let [variant, position, repeat, best] =
        [columns::VARIANT, columns::POSITION, columns::REPEAT, columns::BEST].map(index_of);
    let mut last: BTreeMap<(String, String, String), String> = BTreeMap::new();
    for row in reader.records() {
        let row = row?;
        let field = |index: usize| row.get(index).unwrap_or_default().to_owned();
        // The rows of a search are ordered by depth, so the last one has the final move.
        last.insert((field(position), field(variant), field(repeat)), field(best));
    }
    let moves = experiment.file.reference.as_ref().is_none_or(|reference| reference.own_search.is_none());
    let mut found: BTreeMap<String, ChosenMoves> = BTreeMap::new();
    for ((position, ..), best) in last.into_iter().filter(|(_, best)| !is_no_move(best)) {
        let Some((start, past)) = find_position(experiment, &position) else { continue };
        let entry = found.entry(position.clone());
        let chosen = entry.or_insert_with(|| ChosenMoves { name: position, start, past, moves: BTreeSet::new() });
        if moves {
            chosen.moves.insert(best);
        }
    }
    Ok(found.into_values().collect())
}

/// A running reference engine.
struct Judge<'a> {
    engine: Box<dyn Subject>,
    limit: Limit,
    /// Whether moves are judged, or only positions.
    moves: bool,
    stop: &'a AtomicBool,
    id: String,
}

impl Judge<'_> {
    /// The missing judgements of a position; `None` if interrupted.
    fn position(
        &mut self,
        chosen: &ChosenMoves,
        known: &HashSet<(String, String)>,
    ) -> Result<Option<Vec<Judgement>>, String> {
        let mut board = chosen.start;
        chosen.past.iter().for_each(|&mv| board.play(mv, Increments::none()));
        let Some((best, score, nodes)) = self.search(chosen, None)? else { return Ok(None) };
        let id = identity(&self.id, &chosen.start, &chosen.past);
        let row = |mv: &str, best: &str, score, nodes| Judgement {
            reference: id.clone(),
            position: chosen.name.clone(),
            mv: mv.to_owned(),
            best: best.to_owned(),
            score,
            nodes,
        };
        let is_known = |mv: &str| known.contains(&(chosen.name.clone(), mv.to_owned()));
        let mut rows = vec![row("", &best.to_string(), score, nodes)];
        let mut moves = chosen.moves.clone();
        if self.moves {
            moves.insert(best.to_string());
        }
        for word in moves.iter().filter(|mv| !is_known(mv)) {
            let mv = parse_move(&board, word).ok_or_else(|| format!("{}: {word} is illegal", chosen.name))?;
            let Some((_, score, nodes)) = self.search(chosen, Some(mv))? else { return Ok(None) };
            rows.push(row(word, "", score, nodes));
        }
        rows.retain(|row| !is_known(&row.mv));
        Ok(Some(rows))
    }

    /// Returns the best move, the score for the side to move in the original position, and the
    /// nodes. Searches the position itself, or the position after `mv` one ply less deep.
    fn search(&mut self, chosen: &ChosenMoves, mv: Option<Move>) -> Result<Option<(Move, i32, Option<u64>)>, String> {
        let moves: Vec<Move> = chosen.past.iter().copied().chain(mv).collect();
        let (mut board, mut past, mut limit) = (chosen.start, Vec::new(), self.limit);
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
        // Reset the engine, so that earlier searches have no influence.
        self.engine.start().map_err(|failure| failure.to_string())?;
        self.engine.new_game().map_err(|failure| failure.to_string())?;
        let position = Position { start: &chosen.start, moves: &moves, past: &past, board: &board };
        let record = super::search::record(self.engine.as_mut(), &position, limit, self.stop);
        let Some(record) = super::search::found_or_stopped(record)? else { return Ok(None) };
        let score = record.score.ok_or_else(|| {
            format!("{}: the reference reported no score: its limit may be too small to finish depth 1", chosen.name)
        })?;
        Ok(Some((record.best, if mv.is_some() { -score } else { score }, record.nodes)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
