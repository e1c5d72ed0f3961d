//! Gathers rows into searches, which are the units of comparison. The rows of a search are its
//! iterations: all rows of one variant on one position, in one repeat, under one key seed.

use crate::analysis::rows::column::{SEED, TextColumn};
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::record::columns;
use foldhash::fast::RandomState;
use std::collections::HashMap;

/// The column that says how long the process of an external engine lives.
const RESTART: &str = "subject.restart";

/// The value of [`RESTART`] if a new process is started for every search.
const SEARCH: &str = "search";

/// The bit that is set in the cluster number of a game. It keeps games apart from positions,
/// because both are numbered from 0.
pub const GAME_BIT: u32 = 1 << 31;

/// Positions that belong to no game are left out.
fn first_plies(games: &TextColumn, plies: &[f64]) -> HashMap<u32, f64> {
    let mut first_plies = HashMap::new();
    for (row, &ply) in plies.iter().enumerate() {
        if !ply.is_nan() && !games.text(row).is_empty() {
            let first_ply = first_plies.entry(games.codes()[row]).or_insert(ply);
            *first_ply = ply.min(*first_ply);
        }
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

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchCell {
    pub search: OneSearch,
    /// The index in [`Searches::order`] of the first repeat.
    first: u32,
    count: u32,
}

/// All searches of a frame, and the sums of some columns over the iterations of each search.
#[derive(Debug, Clone, Default)]
pub struct Searches {
    pub list: Vec<OneSearch>,
    /// The number of rows of failed jobs in each group.
    pub errors: Vec<usize>,
    columns: Vec<String>,
    /// The sums of all searches, one search after another. The sums of one search are in the order
    /// of `columns`.
    sums: Vec<f64>,
    iterations: Vec<IterationRow>,
    /// The index in `iterations` of each search's first iteration, followed by the total number of
    /// iterations.
    starts: Vec<u32>,
    /// The indices of all searches, sorted so that the repeats of a search are adjacent.
    order: Vec<u32>,
    cells: Vec<Vec<SearchCell>>,
}

impl Searches {
    /// Gathers the rows of each search and sums the given columns over the rows of the search.
    pub fn gather(frame: &Frame, grouping: &Grouping, columns: &[&str]) -> Self {
        let positions = frame.text_column(columns::POSITION);
        let games = frame.text_column(columns::GAME);
        let (errors, finished) = (frame.text_column(columns::ERROR), frame.text_column(columns::FINISHED));
        let [repeats, depths, seeds] = [columns::REPEAT, columns::DEPTH, SEED].map(|name| frame.numbers(name));
        let (restarts, plies) = (frame.text_column(RESTART), frame.numbers(columns::PLY));
        let first_plies = first_plies(&games, &plies);
        let numbers: Vec<_> = columns.iter().map(|column| frame.numbers(column)).collect();
        let mut searches = Self {
            errors: vec![0; grouping.values.len()],
            columns: columns.iter().map(|&name| name.to_owned()).collect(),
            ..Self::default()
        };
        // Maps the group, block, position, key seed and repeat of a search to the search's index.
        let mut search_indices: HashMap<(u32, u32, u32, u32, u32), u32, RandomState> = HashMap::default();
        // Successive rows mostly belong to the same search. The index of the search is looked up
        // only if a row has another key than the row before.
        let (mut last_key, mut search_index) = ((u32::MAX, 0, 0, 0, 0), 0);
        // The index of the search, and the iteration, of each row without an error.
        let mut iterations: Vec<(u32, IterationRow)> = Vec::with_capacity(frame.rows());
        for row in 0..frame.rows() {
            let group = grouping.group[row];
            if !errors.text(row).is_empty() {
                searches.errors[group as usize] += 1;
                continue;
            }
            let [repeat, seed] = [repeats[row], seeds[row]].map(|number| if number > 0.0 { number as u32 } else { 0 });
            let unit = positions.codes()[row];
            let key = (group, grouping.block[row], unit, seed, repeat);
            if last_key != key {
                let next_index = searches.list.len() as u32;
                (last_key, search_index) = (key, *search_indices.entry(key).or_insert(next_index));
                if search_index == next_index {
                    let cluster = if games.text(row).is_empty() { unit } else { games.codes()[row] | GAME_BIT };
                    searches.list.push(OneSearch {
                        group,
                        block: grouping.block[row],
                        unit,
                        cluster,
                        seed,
                        repeat,
                        last_row: row,
                        opens_game: first_plies.get(&games.codes()[row]) == Some(&plies[row]),
                        has_own_process: restarts.text(row) == SEARCH,
                        is_in_totals: false,
                    });
                    searches.sums.extend(std::iter::repeat_n(0.0, columns.len()));
                }
            }
            let index = search_index as usize;
            let sums = &mut searches.sums[index * columns.len()..(index + 1) * columns.len()];
            for (sum, numbers) in sums.iter_mut().zip(&numbers) {
                *sum += numbers[row];
            }
            let search = &mut searches.list[index];
            if depths[row] >= depths[search.last_row] {
                search.last_row = row;
            }
            let iteration =
                IterationRow { row: row as u32, depth: depths[row] as u16, finished: finished.text(row) != "false" };
            iterations.push((search_index, iteration));
        }
        iterations.sort_by_key(|(search, iteration)| (*search, iteration.depth));
        // Counts the iterations of each search, and then turns the counts into running totals.
        searches.starts = vec![0; searches.list.len() + 1];
        iterations.iter().for_each(|(search, _)| searches.starts[*search as usize + 1] += 1);
        (0..searches.list.len()).for_each(|index| searches.starts[index + 1] += searches.starts[index]);
        searches.iterations = iterations.into_iter().map(|(_, iteration)| iteration).collect();
        searches.group_repeats();
        searches
    }

    /// Drops the sums, which take most of the memory.
    pub fn without_sums(self) -> Self {
        Self { columns: Vec::new(), sums: Vec::new(), ..self }
    }

    fn group_repeats(&mut self) {
        let group_count = self.errors.len();
        let cell_key = |search: &OneSearch| (search.group, search.block, search.unit, search.seed);
        self.order = (0..self.list.len() as u32).collect();
        self.order.sort_by_key(|&index| (cell_key(&self.list[index as usize]), self.list[index as usize].repeat));
        self.cells = vec![Vec::new(); group_count];
        // The repeats of a search are adjacent in `order`. A search therefore either belongs to the
        // last cell of its group or begins a new cell.
        for (first, &index) in (0..).zip(&self.order) {
            let search = &mut self.list[index as usize];
            match self.cells[search.group as usize].last_mut() {
                Some(cell) if cell_key(search) == cell_key(&cell.search) => cell.count += 1,
                _ => {
                    search.is_in_totals = search.seed == 0;
                    self.cells[search.group as usize].push(SearchCell { search: *search, first, count: 1 });
                }
            }
        }
    }

    pub fn sums(&self, column: &str) -> impl Fn(usize) -> f64 + '_ {
        let column_index = self.columns.iter().position(|name| name == column);
        move |search| column_index.map_or(f64::NAN, |index| self.sums[search * self.columns.len() + index])
    }

    pub fn cluster_name(&self, cluster: u32, frame: &Frame) -> String {
        let column = if cluster & GAME_BIT != 0 { columns::GAME } else { columns::POSITION };
        let code = cluster & !GAME_BIT;
        frame.text_column(column).list().get(code as usize).cloned().unwrap_or_default()
    }

    /// Only the first repeat under the file's own key seed is counted.
    pub fn group_sum(&self, group: usize, column: &str) -> f64 {
        let is_counted = |search: &OneSearch| search.group as usize == group && search.is_in_totals;
        let counted = (0..self.list.len()).filter(|&index| is_counted(&self.list[index]));
        counted.map(self.sums(column)).sum()
    }

    /// A cell is a search with all its repeats.
    pub fn cells(&self, group: usize) -> &[SearchCell] {
        self.cells.get(group).map_or(&[], Vec::as_slice)
    }

    pub fn repeats(&self, cell: &SearchCell) -> &[u32] {
        &self.order[cell.first as usize..(cell.first + cell.count) as usize]
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
