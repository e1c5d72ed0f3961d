//! Gathers rows into searches, which are the units of comparison. The rows of a search are its
//! iterations: all rows of one variant on one position, in one repeat, under one key seed.

use crate::analysis::rows::column::{NumberColumn, SEED, TextColumn};
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::record::columns;
use std::ops::Range;

/// The column that says how long the process of an external engine lives.
const RESTART: &str = "subject.restart";

/// The value of [`RESTART`] if a new process is started for every search.
const SEARCH: &str = "search";

/// The bit that is set in the cluster number of a game. It keeps games apart from positions,
/// because both are numbered from 0.
pub const GAME_BIT: u32 = 1 << 31;

/// The first ply of each game, by the game's code.
fn first_plies(games: &TextColumn, plies: &NumberColumn) -> Vec<f64> {
    let mut first_plies = vec![f64::INFINITY; games.list().len()];
    for (game, ply) in games.codes().iter().zip(plies.iter()) {
        // A missing ply is NaN, which is never the least.
        first_plies[game as usize] = first_plies[game as usize].min(ply);
    }
    first_plies
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneSearch {
    pub group: u32,
    /// The block within the group. A block is a combination of values of the options that vary
    /// within a group.
    pub block: u32,
    /// The position. In a sequence, each ply of a game is a position.
    pub unit: u32,
    /// The unit of sampling. This is the game, or the position if the search belongs to no game.
    pub cluster: u32,
    /// The number of the key seed among the key seeds of the variant, counted from 0.
    pub seed: u32,
    /// The number of the repeat, counted from 0.
    pub repeat: u32,
    pub last_row: usize,
    pub opens_game: bool,
    /// Whether a new engine process was started for this search. Such a process knows nothing from
    /// earlier moves.
    pub has_own_process: bool,
    /// Whether totals include this search. They include only the first repeat under the file's own
    /// key seed.
    pub is_in_totals: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IterationRow {
    pub row: u32,
    /// The depth in plies.
    pub depth: u16,
    /// False if the iteration was stopped by the node limit.
    pub finished: bool,
}

/// A search with all its repeats, as a range of indices in [`Searches::list`].
pub type SearchCell = Range<u32>;

/// All searches of a frame.
#[derive(Debug, Clone, Default)]
pub struct Searches {
    /// The searches in the order of their groups, blocks, units, seeds and repeats.
    pub list: Vec<OneSearch>,
    /// The number of rows of failed jobs in each group.
    pub errors: Vec<usize>,
    iterations: Vec<IterationRow>,
    /// The index in `iterations` of each search's first iteration, followed by the total number of
    /// iterations.
    starts: Vec<u32>,
    cells: Vec<Vec<SearchCell>>,
}

impl Searches {
    /// Gathers the rows of each search.
    pub fn gather(frame: &Frame, grouping: &Grouping) -> Self {
        let positions = frame.text_column(columns::POSITION);
        let games = frame.text_column(columns::GAME);
        let (errors, finished) = (frame.text_column(columns::ERROR), frame.text_column(columns::FINISHED));
        let [repeats, depths, seeds] = [columns::REPEAT, columns::DEPTH, SEED].map(|name| frame.number_column(name));
        let (restarts, plies) = (frame.text_column(RESTART), frame.number_column(columns::PLY));
        let first_plies = first_plies(&games, &plies);
        let search_of = |row: u32| {
            let row = row as usize;
            let cell = (grouping.group[row], grouping.block[row], positions.codes().get(row), seeds.get(row) as u32);
            (cell, repeats.get(row) as u32)
        };
        let make_iteration = |&row: &u32| {
            let (depth, finished) = (depths.get(row as usize) as u16, finished.text(row as usize) != "false");
            IterationRow { row, depth, finished }
        };
        let mut searches = Self {
            errors: vec![0; grouping.values.len()],
            starts: vec![0],
            cells: vec![Vec::new(); grouping.values.len()],
            ..Self::default()
        };
        let mut rows_by_group: Vec<Vec<u32>> = vec![Vec::new(); grouping.values.len()];
        for (row, &group) in grouping.group.iter().enumerate() {
            match errors.text(row) {
                "" => rows_by_group[group as usize].push(row as u32),
                _ => searches.errors[group as usize] += 1,
            }
        }
        // The rows of a group are mostly in order, and such rows are sorted fast.
        rows_by_group
            .iter_mut()
            .for_each(|rows| rows.sort_by_key(|&row| (search_of(row), depths.get(row as usize) as u16)));
        let mut last_cell = None;
        for rows in rows_by_group.iter().flat_map(|rows| rows.chunk_by(|&a, &b| search_of(a) == search_of(b))) {
            let [row, last_row] = [rows[0], rows[rows.len() - 1]].map(|row| row as usize);
            let (cell @ (group, block, unit, seed), repeat) = search_of(rows[0]);
            let (game, index) = (games.codes().get(row), searches.list.len() as u32);
            let is_in_game = !games.text(row).is_empty();
            match searches.cells[group as usize].last_mut() {
                Some(repeats) if last_cell == Some(cell) => repeats.end += 1,
                _ => searches.cells[group as usize].push(index..index + 1),
            }
            searches.list.push(OneSearch {
                group,
                block,
                unit,
                cluster: if is_in_game { game | GAME_BIT } else { unit },
                seed,
                repeat,
                last_row,
                opens_game: is_in_game && first_plies[game as usize] == plies.get(row),
                has_own_process: restarts.text(row) == SEARCH,
                is_in_totals: seed == 0 && last_cell != Some(cell),
            });
            searches.iterations.extend(rows.iter().map(make_iteration));
            searches.starts.push(searches.iterations.len() as u32);
            last_cell = Some(cell);
        }
        searches
    }

    /// The searches and their indices in the order of their first rows.
    pub fn in_row_order(&self) -> impl Iterator<Item = (usize, &OneSearch)> {
        let mut indices: Vec<u32> = (0..self.list.len() as u32).collect();
        indices.sort_by_key(|&index| self.iterations(index).iter().map(|iteration| iteration.row).min());
        indices.into_iter().map(|index| (index as usize, &self.list[index as usize]))
    }

    /// The sum of a column over the iterations of a search.
    pub fn sum(&self, search: usize, numbers: &NumberColumn) -> f64 {
        self.iterations(search as u32).iter().fold(0.0, |sum, iteration| sum + numbers.get(iteration.row as usize))
    }

    pub fn cluster_name(&self, cluster: u32, frame: &Frame) -> String {
        let column = if cluster & GAME_BIT != 0 { columns::GAME } else { columns::POSITION };
        let code = cluster & !GAME_BIT;
        frame.text_column(column).list().get(code as usize).cloned().unwrap_or_default()
    }

    /// Only the first repeat under the file's own key seed is counted.
    pub fn group_sum(&self, group: usize, numbers: &NumberColumn) -> f64 {
        let first = self.list.partition_point(|search| (search.group as usize) < group);
        let in_group = (first..self.list.len()).take_while(|&index| self.list[index].group as usize == group);
        in_group.filter(|&index| self.list[index].is_in_totals).map(|index| self.sum(index, numbers)).sum()
    }

    /// A cell is a search with all its repeats.
    pub fn cells(&self, group: usize) -> &[SearchCell] {
        self.cells.get(group).map_or(&[], Vec::as_slice)
    }

    /// The first repeat of a cell.
    pub fn first(&self, cell: &SearchCell) -> &OneSearch {
        &self.list[cell.start as usize]
    }

    pub fn iterations(&self, search: u32) -> &[IterationRow] {
        let [start, end] = [search, search + 1].map(|search| self.starts[search as usize] as usize);
        &self.iterations[start..end]
    }

    pub fn describe_duplicate(&self, frame: &Frame) -> Option<(usize, String)> {
        let find_repeated_depth =
            |search: u32| self.iterations(search).windows(2).find(|pair| pair[0].depth == pair[1].depth);
        let row = (0..self.list.len() as u32).find_map(find_repeated_depth)?[1].row as usize;
        let [variant, position] = [columns::VARIANT, columns::POSITION].map(|name| frame.text(name, row));
        let depth = frame.numbers(columns::DEPTH)[row];
        Some((row, format!("variant \"{variant}\", {position}, depth {depth} has two rows")))
    }
}
