//! Judges moves. A reference engine searches each position, and then the position after each move
//! that was chosen there. The second search is one ply less deep, so that both searches reach the
//! same total depth. The difference of the two scores is the loss of the move. If only scores are
//! judged, the reference engine searches only the position itself.
//!
//! Source: M. Guid and I. Bratko, "Computer analysis of world chess champions", ICGA Journal 29
//! (2), 2006, who used the difference of two searches of one depth.

use super::subjects::Subjects;
use super::{OutputError, RunError, in_parallel, lock};
use crate::chess::{Board, EpRule, Increments, Move, parse_move};
use crate::engine::Limit;
use crate::experiment::Experiment;
use crate::record::reference::{Judgement, Judgements, NAME, is_no_move, read, write};
use crate::record::{RowKey, columns};
use crate::subject::{Position, Subject};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

struct ChosenMoves {
    name: String,
    start: Board,
    past: Vec<Move>,
    moves: BTreeSet<String>,
}

impl ChosenMoves {
    /// There is one search of the position itself and one for each chosen move.
    fn count_missing(&self, judged_searches: &JudgedSearches) -> usize {
        let is_judged = |mv: &str| judged_searches.contains(&(self.name.clone(), mv.to_owned()));
        usize::from(!is_judged("")) + self.moves.iter().filter(|mv| !is_judged(mv)).count()
    }
}

/// The searches that the reference engine has made. Each search has the name of its position and
/// the move. The move is empty for the search of the position itself.
type JudgedSearches = HashSet<(String, String)>;

fn searches_of(rows: &[Judgement]) -> JudgedSearches {
    rows.iter().map(|row| (row.position.clone(), row.mv.clone())).collect()
}

/// Finds a position by its name in the results. Returns the start position of its game and the
/// moves that lead to the position, or `None` if there is no such position. Positions of games that
/// the engines play against themselves are not found, because each engine reaches other positions.
fn find_position(experiment: &Experiment, position: &str) -> Option<(Board, Vec<Move>)> {
    let find_item = |name: &str| experiment.suite.items.iter().find(|item| item.id == name);
    if experiment.work.sequence().is_none()
        && let Some(item) = find_item(position).filter(|item| item.game_moves().is_none())
    {
        return Some((item.board, Vec::new()));
    }
    let (game, ply) = position.rsplit_once(" ply ")?;
    let (item, ply) = (find_item(game)?, ply.parse::<u16>().ok()?);
    let moves_before = usize::from(ply.saturating_sub(item.board.game_ply()));
    Some((item.board, item.game_moves()?.iter().take(moves_before).copied().collect()))
}

/// The field consists of the reference's id, a hyphen, and a hash. The hash has 8 bytes. It covers
/// the game's start position and the moves that lead to the judged position.
fn reference_field(reference_id: &str, start: &Board, past: &[Move]) -> String {
    let moves: Vec<String> = past.iter().map(ToString::to_string).collect();
    let digest = Sha256::digest(format!("{} {}", start.fen(EpRule::Legal), moves.join(" ")).as_bytes());
    digest.iter().take(8).fold(format!("{reference_id}-"), |text, byte| text + &format!("{byte:02x}"))
}

fn reference_id_of(row: &Judgement) -> &str {
    row.reference.split('-').next().unwrap_or_default()
}

/// Reads the valid judgements in a folder. A judgement is valid if the experiment's reference
/// engine made it, and if its position is still the experiment's position of this name. Both are
/// checked with the `reference` field.
fn read_valid(experiment: &Experiment, subjects: &Subjects, folder: &Path) -> std::io::Result<Vec<Judgement>> {
    let (mut rows, mut expected_fields) = (read(folder)?, HashMap::new());
    rows.retain(|row| {
        let expected = expected_fields.entry(row.position.clone()).or_insert_with(|| {
            find_position(experiment, &row.position)
                .map(|(start, past)| reference_field(&subjects.reference_id, &start, &past))
        });
        expected.as_ref() == Some(&row.reference)
    });
    Ok(rows)
}

/// Drops the judgements in a folder whose position or reference engine is not that of the
/// experiment. This is done before a run, so that no page shows these judgements together with the
/// new rows.
pub fn prune(experiment: &Experiment, subjects: &Subjects, folder: &Path) -> Result<(), RunError> {
    if experiment.file.reference.is_none() {
        return Ok(());
    }
    let prune_file = || {
        let valid_rows = read_valid(experiment, subjects, folder)?;
        if valid_rows.len() < read(folder)?.len() {
            Judgements::rewrite(folder, valid_rows.iter())?;
        }
        Ok(())
    };
    prune_file().map_err(|error| RunError::write(&folder.join(NAME), error))
}

pub fn count_missing_searches(experiment: &Experiment, folder: &Path) -> std::io::Result<u64> {
    if experiment.file.reference.is_none() || !folder.join(crate::record::RESULTS).exists() {
        return Ok(0);
    }
    let judged_searches = searches_of(&read(folder)?);
    Ok(chosen_moves(experiment, folder)?.iter().map(|position| position.count_missing(&judged_searches) as u64).sum())
}

/// Merges the judgements of several folders into the folder `target`. If there are duplicates, only
/// the first is kept. Judgements that are already in the target folder come last. They are dropped
/// if a different reference engine made them.
///
/// # Errors
/// If two of the folders have different reference engines and `allow_any` is false. Also if a file
/// cannot be read or written.
pub fn merge_judgements(folders: &[PathBuf], target: &Path, allow_any: bool) -> Result<(), OutputError> {
    let io_error = |folder: &Path| OutputError::io(folder.join(NAME));
    let mut judgements: Vec<Judgement> = Vec::new();
    // The reference's id in the first judgement, and the folder of this judgement.
    let mut first_reference: Option<(String, &Path)> = None;
    for folder in folders.iter().map(PathBuf::as_path).chain([target]) {
        let is_target = folder == target;
        for row in read(folder).map_err(io_error(folder))? {
            let (reference, first_folder) =
                first_reference.get_or_insert_with(|| (reference_id_of(&row).to_owned(), folder));
            if reference_id_of(&row) == reference || allow_any && !is_target {
                judgements.push(row);
            } else if !is_target {
                return Err(OutputError::Unusable(format!(
                    "{}: its reference engine differs from that of {}: run the shard again, or merge anyway with --any-build",
                    folder.display(),
                    first_folder.display()
                )));
            }
        }
    }
    write(target, &judgements).map_err(io_error(target))
}

/// Judges the moves that were chosen in a folder's results, by searches of the reference engine.
/// Judgements that already exist are kept. Returns the number of searches, or `None` if `stop` was
/// set.
pub fn judge(
    experiment: &Experiment,
    subjects: &Subjects,
    folder: &Path,
    jobs: usize,
    stop: &AtomicBool,
) -> Result<Option<u64>, RunError> {
    let Some(reference) = &experiment.file.reference else { return Ok(Some(0)) };
    let (limit, judges_moves) = (subjects.reference_limit, reference.own_search.is_none());
    let io_error = |error| RunError::write(folder, error);
    let valid_rows = read_valid(experiment, subjects, folder).map_err(io_error)?;
    let judged_searches = searches_of(&valid_rows);
    let mut positions = chosen_moves(experiment, folder).map_err(io_error)?;
    positions.retain(|position| position.count_missing(&judged_searches) > 0);
    let file = Mutex::new(Judgements::rewrite(folder, valid_rows.iter()).map_err(io_error)?);
    let search_count = AtomicU64::new(0);
    in_parallel(&positions, jobs, stop, |next| {
        let engine = start_reference(subjects).map_err(RunError::Subject)?;
        let mut judge = Judge { engine, limit, judges_moves, stop, id: subjects.reference_id.clone() };
        while let Some(position) = next() {
            let Some(rows) = judge.judge_position(position, &judged_searches).map_err(RunError::Subject)? else {
                break;
            };
            search_count.fetch_add(rows.len() as u64, Ordering::Relaxed);
            lock(&file).append(&rows).map_err(io_error)?;
        }
        Ok::<_, RunError>(())
    })?;
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    // `write` sorts the rows, so that their order does not depend on the threads.
    drop(file);
    write(folder, &read(folder).map_err(io_error)?).map_err(io_error)?;
    Ok(Some(search_count.into_inner()))
}

fn start_reference(subjects: &Subjects) -> Result<Box<dyn Subject>, String> {
    let mut engine = subjects.make_reference()?;
    engine.start().map_err(|failure| failure.to_string())?;
    Ok(engine)
}

/// If only scores are judged, the moves are left out.
fn chosen_moves(experiment: &Experiment, folder: &Path) -> std::io::Result<Vec<ChosenMoves>> {
    let mut reader = csv::Reader::from_path(folder.join(crate::record::RESULTS))?;
    let header: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let keys = RowKey::of_header(&header);
    let best_index = header.iter().position(|column| column == columns::BEST);
    // The key is the position, variant and repeat of a search.
    let mut final_moves: BTreeMap<(String, String, String), String> = BTreeMap::new();
    for row in reader.records() {
        let row = row?;
        let RowKey { position, variant, repeat, .. } = keys.read(&row).map(str::to_owned);
        let best = best_index.and_then(|index| row.get(index)).unwrap_or_default();
        // The rows of a search are ordered by depth, so the last row has the final move.
        final_moves.insert((position, variant, repeat), best.to_owned());
    }
    let judges_moves = experiment.file.reference.as_ref().is_none_or(|reference| reference.own_search.is_none());
    let mut positions: BTreeMap<String, ChosenMoves> = BTreeMap::new();
    for ((name, ..), mv) in final_moves.into_iter().filter(|(_, mv)| !is_no_move(mv)) {
        let Some((start, past)) = find_position(experiment, &name) else { continue };
        let entry = positions.entry(name.clone());
        let chosen = entry.or_insert_with(|| ChosenMoves { name, start, past, moves: BTreeSet::new() });
        if judges_moves {
            chosen.moves.insert(mv);
        }
    }
    Ok(positions.into_values().collect())
}

struct Judge<'a> {
    engine: Box<dyn Subject>,
    limit: Limit,
    /// Whether moves are judged. If false, only the positions themselves are searched.
    judges_moves: bool,
    stop: &'a AtomicBool,
    id: String,
}

impl Judge<'_> {
    /// Searches a position, and then the position after each chosen move. Returns the judgements
    /// that are not in `judged_searches`, or `None` if the searches are interrupted.
    fn judge_position(
        &mut self,
        chosen: &ChosenMoves,
        judged_searches: &JudgedSearches,
    ) -> Result<Option<Vec<Judgement>>, String> {
        let mut board = chosen.start;
        chosen.past.iter().for_each(|&mv| board.play(mv, Increments::none()));
        let Some((best, score, nodes)) = self.search(chosen, None)? else { return Ok(None) };
        let reference = reference_field(&self.id, &chosen.start, &chosen.past);
        let make_row = |mv: &str, best: &str, score, nodes| Judgement {
            reference: reference.clone(),
            position: chosen.name.clone(),
            mv: mv.to_owned(),
            best: best.to_owned(),
            score,
            nodes,
        };
        let is_judged = |mv: &str| judged_searches.contains(&(chosen.name.clone(), mv.to_owned()));
        // The judgement of the position itself has no move.
        let mut rows = vec![make_row("", &best.to_string(), score, nodes)];
        let mut moves = chosen.moves.clone();
        if self.judges_moves {
            moves.insert(best.to_string());
        }
        for move_text in moves.iter().filter(|mv| !is_judged(mv)) {
            let mv = parse_move(&board, move_text).ok_or_else(|| format!("{}: {move_text} is illegal", chosen.name))?;
            let Some((_, score, nodes)) = self.search(chosen, Some(mv))? else { return Ok(None) };
            rows.push(make_row(move_text, "", score, nodes));
        }
        rows.retain(|row| !is_judged(&row.mv));
        Ok(Some(rows))
    }

    /// Searches the position itself, or the position after `mv` with one ply less depth. Returns
    /// the best move, the score, and the nodes. The score is from the view of the side to move in
    /// the position itself. Returns `None` if the search is interrupted.
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
                // If `mv` gives mate, the score is UCI's mate score of 32,000 minus one ply. If
                // not, `mv` gives stalemate.
                let score = if board.in_check() { 31_999 } else { 0 };
                return Ok(Some((Move::NONE, score, None)));
            }
        }
        // The engine is reset, so that earlier searches have no influence.
        self.engine.start().map_err(|failure| failure.to_string())?;
        self.engine.new_game().map_err(|failure| failure.to_string())?;
        let position = Position { start: &chosen.start, moves: &moves, past: &past, board: &board };
        let record = super::search::run_search(self.engine.as_mut(), &position, limit, self.stop);
        let Some(record) = super::search::none_if_interrupted(record)? else { return Ok(None) };
        let score = record.score.ok_or_else(|| {
            format!("{}: the reference reported no score: its limit may be too small to finish depth 1", chosen.name)
        })?;
        Ok(Some((record.best, if mv.is_some() { -score } else { score }, record.nodes)))
    }
}

#[cfg(test)]
mod tests;
