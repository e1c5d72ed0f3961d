//! Searches: all iterations of one variant on one position, in one repeat, under one key seed.
//! Comparisons are by search.

use crate::analysis::rows::column::{SEED, TextColumn};
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::record::columns;
use foldhash::fast::RandomState;
use std::collections::HashMap;

/// The column that says how long the process of an external engine lives.
const RESTART: &str = "subject.restart";

/// The value of [`RESTART`] if there is a new process for every search.
const SEARCH: &str = "search";

/// The bit that is set in the cluster of a game, because games and positions have their own
/// numbers.
pub const GAME_BIT: u32 = 1 << 31;

/// The first searched ply of each game, by the game's code. Single positions are left out.
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

/// A single search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneSearch {
    /// The group of its rows.
    pub group: u32,
    /// Its block within the group: the values of the other options.
    pub block: u32,
    /// Its position (in a sequence: the game and the ply).
    pub unit: u32,
    /// The unit of sampling: its game, or its position if it belongs to no game.
    pub cluster: u32,
    /// The number of its key seed among those of the variant, from 0.
    pub seed: u32,
    /// The number of the repeat, from 0.
    pub repeat: u32,
    /// The row of its deepest iteration.
    pub last: usize,
    /// Whether it is the first search of its game.
    pub opens_game: bool,
    /// Whether a new engine process was started for it, which knows nothing from earlier moves.
    pub own_process: bool,
    /// Whether totals count it: they count only the first repeat under the file's own seed.
    pub is_first: bool,
}

/// One iteration of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IterationRow {
    pub row: u32,
    /// Its depth in plies.
    pub depth: u16,
    /// False if the node limit stopped it.
    pub finished: bool,
}

/// A search with all its repeats, also called a cell. The fields are as in [`OneSearch`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repeats {
    pub block: u32,
    pub unit: u32,
    pub cluster: u32,
    pub seed: u32,
    pub opens_game: bool,
    pub own_process: bool,
    /// The index of its first search in [`Searches::order`].
    first: u32,
    count: u32,
}

/// All searches of a frame, with the sums of some columns.
#[derive(Debug, Clone, Default)]
pub struct Searches {
    /// The searches, in the order of their first rows.
    pub list: Vec<OneSearch>,
    /// The number of rows of failed jobs in each group.
    pub errors: Vec<usize>,
    /// The columns that were summed.
    columns: Vec<String>,
    /// The sums of each search, in the order of `columns`.
    sums: Vec<f64>,
    /// The iterations of all searches, by search and depth.
    iterations: Vec<IterationRow>,
    /// The index in `iterations` of each search's first iteration; at the end the number of all
    /// iterations.
    starts: Vec<u32>,
    /// Indices of searches, with repeats of one search adjacent.
    order: Vec<u32>,
    /// The cells of each group.
    cells: Vec<Vec<Repeats>>,
}

impl Searches {
    /// Gathers the rows of each search and sums the given columns.
    pub fn gather(frame: &Frame, grouping: &Grouping, columns: &[String]) -> Self {
        let positions = frame.text_column(columns::POSITION);
        let games = frame.text_column(columns::GAME);
        let (errors, finished) = (frame.text_column(columns::ERROR), frame.text_column(columns::FINISHED));
        let [repeats, depths, seeds] = [columns::REPEAT, columns::DEPTH, SEED].map(|name| frame.numbers(name));
        let (restarts, plies) = (frame.text_column(RESTART), frame.numbers(columns::PLY));
        let first_plies = first_plies(&games, &plies);
        let numbers: Vec<_> = columns.iter().map(|column| frame.numbers(column)).collect();
        let mut searches =
            Self { errors: vec![0; grouping.values.len()], columns: columns.to_vec(), ..Self::default() };
        // By group, block, position, key seed and repeat.
        let mut search_indices: HashMap<(u32, u32, u32, u32, u32), u32, RandomState> = HashMap::default();
        // Successive rows are mostly of one search, so its index is kept from row to row.
        let (mut last_key, mut search_index) = ((u32::MAX, 0, 0, 0, 0), 0);
        // Each row's search and iteration.
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
                        last: row,
                        opens_game: first_plies.get(&games.codes()[row]) == Some(&plies[row]),
                        own_process: restarts.text(row) == SEARCH,
                        is_first: false,
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
            if depths[row] >= depths[search.last] {
                search.last = row;
            }
            let iteration =
                IterationRow { row: row as u32, depth: depths[row] as u16, finished: finished.text(row) != "false" };
            iterations.push((search_index, iteration));
        }
        iterations.sort_by_key(|(search, iteration)| (*search, iteration.depth));
        // First the number of iterations of each search, then their running totals.
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

    /// Gathers the repeats of each search into a cell.
    fn group_repeats(&mut self) {
        let group_count = self.errors.len();
        let key = |search: &OneSearch| (search.group, search.block, search.unit, search.seed);
        self.order = (0..self.list.len() as u32).collect();
        self.order.sort_by_key(|&index| (key(&self.list[index as usize]), self.list[index as usize].repeat));
        self.cells = vec![Vec::new(); group_count];
        // The repeats of a search are adjacent in `order`, so only the last cell may fit.
        for (first, &index) in (0..).zip(&self.order) {
            let search = &mut self.list[index as usize];
            match self.cells[search.group as usize].last_mut() {
                Some(cell) if key(search) == (search.group, cell.block, cell.unit, cell.seed) => cell.count += 1,
                _ => {
                    let &mut OneSearch { block, unit, cluster, seed, opens_game, own_process, .. } = search;
                    search.is_first = seed == 0;
                    let cell = Repeats { block, unit, cluster, seed, opens_game, own_process, first, count: 1 };
                    self.cells[search.group as usize].push(cell);
                }
            }
        }
    }

    /// The sum of a column over the iterations of a search; NaN if the column was not gathered.
    pub fn sum(&self, search: usize, column: &str) -> f64 {
        self.sums(column)(search)
    }

    /// Returns a function that gives the sum of a column over the iterations of a search; NaN if
    /// the column was not gathered.
    pub fn sums(&self, column: &str) -> impl Fn(usize) -> f64 + '_ {
        let (index, width) = (self.columns.iter().position(|name| name == column), self.columns.len());
        move |search| index.map_or(f64::NAN, |index| self.sums[search * width + index])
    }

    /// A cluster's name: the game's, or the position's.
    pub fn cluster_name(&self, cluster: u32, frame: &Frame) -> String {
        let column = if cluster & GAME_BIT != 0 { columns::GAME } else { columns::POSITION };
        let code = cluster & !GAME_BIT;
        frame.text_column(column).list().get(code as usize).cloned().unwrap_or_default()
    }

    /// The sum of a column over all searches of a group; further repeats and key seeds are not
    /// counted.
    pub fn group_sum(&self, group: usize, column: &str) -> f64 {
        let is_counted = |search: &OneSearch| search.group as usize == group && search.is_first;
        let counted = (0..self.list.len()).filter(|&index| is_counted(&self.list[index]));
        counted.map(|index| self.sum(index, column)).sum()
    }

    /// The searches of a group, with their repeats.
    pub fn cells(&self, group: usize) -> &[Repeats] {
        self.cells.get(group).map_or(&[], Vec::as_slice)
    }

    /// The indices of a cell's searches, by repeat.
    pub fn repeats(&self, cell: &Repeats) -> &[u32] {
        &self.order[cell.first as usize..(cell.first + cell.count) as usize]
    }

    /// The iterations of a search, by depth.
    pub fn iterations(&self, search: u32) -> &[IterationRow] {
        let [start, end] = [search, search + 1].map(|search| self.starts[search as usize] as usize);
        &self.iterations[start..end]
    }

    /// A row with the same search and depth as another row; `None` in intact results.
    pub fn find_duplicate(&self) -> Option<usize> {
        let searches = 0..self.list.len() as u32;
        let find_repeated_depth =
            |search: u32| self.iterations(search).windows(2).find(|pair| pair[0].depth == pair[1].depth);
        searches.into_iter().find_map(find_repeated_depth).map(|pair| pair[1].row as usize)
    }

    /// The row of [`Searches::find_duplicate`], and a message that names it.
    pub fn describe_duplicate(&self, frame: &Frame) -> Option<(usize, String)> {
        let row = self.find_duplicate()?;
        let [variant, position] = [columns::VARIANT, columns::POSITION].map(|name| frame.text(name, row));
        let depth = frame.numbers(columns::DEPTH)[row];
        Some((row, format!("variant \"{variant}\", {position}, depth {depth} has two rows")))
    }
}
