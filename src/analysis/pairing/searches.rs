//! Searches: all iterations of one variant on one position, once, under one key seed. What is compared is compared by search.

use crate::analysis::rows::column::{SEED, Words};
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::record::columns;
use foldhash::fast::RandomState;
use std::collections::HashMap;

/// How long a process of an engine is kept that is not ours, where that varies, and its value for one search.
const RESTART: &str = "subject.restart";
const SEARCH: &str = "search";

/// The first ply of each game that was searched, by the game's code; of single positions none.
fn first_plies(games: &Words, plies: &[f64]) -> HashMap<u32, f64> {
    let mut first = HashMap::new();
    for (row, &ply) in plies.iter().enumerate().filter(|(row, ply)| !ply.is_nan() && !games.at(*row).is_empty()) {
        let least = first.entry(games.codes()[row]).or_insert(ply);
        *least = ply.min(*least);
    }
    first
}

/// One search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneSearch {
    /// Its group.
    pub group: u32,
    /// Its block within the group.
    pub block: u32,
    /// Its position (in a sequence: game and ply).
    pub unit: u32,
    /// Its game, or its position where there is none.
    pub cluster: u32,
    /// Which key seed, from 0.
    pub seed: u32,
    /// Which repeat.
    pub repeat: u32,
    /// The row of its deepest iteration.
    pub last: usize,
    /// Whether it is the first of its game.
    pub opens_game: bool,
    /// Whether it was made in a process of its own, which knows nothing of the game.
    pub alone: bool,
    /// Whether totals count it: of the repeats that there are the first, under the file's own seed. The others are the same search again.
    pub is_first: bool,
}

/// One iteration of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IterationRow {
    /// Its row.
    pub row: u32,
    /// Its depth.
    pub depth: u16,
    /// False where the node limit cut it short.
    pub finished: bool,
}

/// The repeats of one search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repeats {
    /// The searches' block.
    pub block: u32,
    /// Their position.
    pub unit: u32,
    /// Their cluster.
    pub cluster: u32,
    /// Their key seed.
    pub seed: u32,
    /// Whether they are the first of their game.
    pub opens_game: bool,
    /// Whether each was made in a process of its own, which knows nothing of the game.
    pub alone: bool,
    first: u32,
    count: u32,
}

/// All searches of a frame, with the sums of some columns.
#[derive(Debug, Clone, Default)]
pub struct Searches {
    /// The searches, in the order of their first rows.
    pub list: Vec<OneSearch>,
    /// Rows of failed jobs, by group.
    pub errors: Vec<usize>,
    columns: Vec<String>,
    sums: Vec<f64>,
    /// Iterations of all searches, those of one together and by depth.
    steps: Vec<IterationRow>,
    /// Where the iterations of each search begin; one more for the end.
    starts: Vec<u32>,
    /// Places of searches, repeats of one search together.
    order: Vec<u32>,
    cells: Vec<Vec<Repeats>>,
}

impl Searches {
    /// Gathers the rows of each search and sums the columns given.
    pub fn gather(frame: &Frame, grouping: &Grouping, columns: &[String]) -> Self {
        let positions = frame.coded(columns::POSITION);
        let games = frame.coded(columns::GAME);
        let (errors, finished) = (frame.coded(columns::ERROR), frame.coded(columns::FINISHED));
        let [repeats, depths, seeds] = [columns::REPEAT, columns::DEPTH, SEED].map(|name| frame.numbers(name));
        let (restarts, plies) = (frame.coded(RESTART), frame.numbers(columns::PLY));
        let first_plies = first_plies(&games, &plies);
        let numbers: Vec<_> = columns.iter().map(|column| frame.numbers(column)).collect();
        let mut searches =
            Self { errors: vec![0; grouping.values.len()], columns: columns.to_vec(), ..Self::default() };
        let mut places: HashMap<(u32, u32, u32, u32, u32), u32, RandomState> = HashMap::default();
        let mut last = ((u32::MAX, 0, 0, 0, 0), 0);
        // Each row's search, and its iteration.
        let mut steps: Vec<(u32, IterationRow)> = Vec::with_capacity(frame.rows());
        for row in 0..frame.rows() {
            let group = grouping.group[row];
            if !errors.at(row).is_empty() {
                searches.errors[group as usize] += 1;
                continue;
            }
            let [repeat, seed] = [repeats[row], seeds[row]].map(|number| if number > 0.0 { number as u32 } else { 0 });
            let unit = positions.codes()[row];
            let key = (group, grouping.block[row], unit, seed, repeat);
            if last.0 != key {
                let next = searches.list.len() as u32;
                last = (key, *places.entry(key).or_insert(next));
                if last.1 == next {
                    // Games and positions are numbered apart: the highest bit tells them.
                    let cluster = if games.at(row).is_empty() { unit } else { games.codes()[row] | 1 << 31 };
                    searches.list.push(OneSearch {
                        group,
                        block: key.1,
                        unit,
                        cluster,
                        seed,
                        repeat,
                        last: row,
                        opens_game: first_plies.get(&games.codes()[row]) == Some(&plies[row]),
                        alone: restarts.at(row) == SEARCH,
                        is_first: false,
                    });
                    searches.sums.extend(std::iter::repeat_n(0.0, columns.len()));
                }
            }
            let at = last.1 as usize;
            let sums = &mut searches.sums[at * columns.len()..(at + 1) * columns.len()];
            for (sum, numbers) in sums.iter_mut().zip(&numbers) {
                *sum += numbers[row];
            }
            let search = &mut searches.list[at];
            if depths[row] >= depths[search.last] {
                search.last = row;
            }
            let step =
                IterationRow { row: row as u32, depth: depths[row] as u16, finished: finished.at(row) != "false" };
            steps.push((last.1, step));
        }
        steps.sort_by_key(|(search, step)| (*search, step.depth));
        searches.starts = vec![0; searches.list.len() + 1];
        steps.iter().for_each(|(search, _)| searches.starts[*search as usize + 1] += 1);
        (0..searches.list.len()).for_each(|at| searches.starts[at + 1] += searches.starts[at]);
        searches.steps = steps.into_iter().map(|(_, step)| step).collect();
        searches.put_together();
        searches
    }

    /// The searches alone: of many, the sums are most of them.
    pub fn without_sums(self) -> Self {
        Self { columns: Vec::new(), sums: Vec::new(), ..self }
    }

    /// Finds the repeats of each search.
    fn put_together(&mut self) {
        let key = |search: &OneSearch| (search.group, search.block, search.unit, search.seed);
        self.order = (0..self.list.len() as u32).collect();
        self.order.sort_by_key(|&at| (key(&self.list[at as usize]), self.list[at as usize].repeat));
        self.cells = vec![Vec::new(); self.errors.len()];
        for (place, &at) in self.order.iter().enumerate() {
            let search = &mut self.list[at as usize];
            match self.cells[search.group as usize].last_mut() {
                Some(cell) if key(search) == (search.group, cell.block, cell.unit, cell.seed) => cell.count += 1,
                _ => {
                    let &mut OneSearch { block, unit, cluster, seed, opens_game, alone, .. } = search;
                    search.is_first = seed == 0;
                    let first = place as u32;
                    let cell = Repeats { block, unit, cluster, seed, opens_game, alone, first, count: 1 };
                    self.cells[search.group as usize].push(cell);
                }
            }
        }
    }

    /// The sum of a column over the iterations of a search; NaN of a column that was not gathered.
    pub fn sum(&self, search: usize, column: &str) -> f64 {
        match self.columns.iter().position(|known| known == column) {
            Some(at) => self.sums[search * self.columns.len() + at],
            None => f64::NAN,
        }
    }

    /// A column's sums, one for each search; none of a column that was not gathered.
    pub fn sums(&self, column: &str) -> impl Fn(usize) -> f64 + '_ {
        let (at, width) = (self.columns.iter().position(|known| known == column), self.columns.len());
        move |search| at.map_or(f64::NAN, |at| self.sums[search * width + at])
    }

    /// What a cluster is called: the game's name, or the position's.
    pub fn cluster_name(&self, cluster: u32, frame: &Frame) -> String {
        let (column, code) =
            if cluster >> 31 == 1 { (columns::GAME, cluster & !(1 << 31)) } else { (columns::POSITION, cluster) };
        frame.coded(column).list().get(code as usize).cloned().unwrap_or_default()
    }

    /// The sum of a column over all searches of a group, repeats and key seeds counted once.
    pub fn group_sum(&self, group: usize, column: &str) -> f64 {
        let mine = |search: &OneSearch| search.group as usize == group && search.is_first;
        self.list.iter().enumerate().filter(|(_, search)| mine(search)).map(|(at, _)| self.sum(at, column)).sum()
    }

    /// The searches of a group, repeats together.
    pub fn cells(&self, group: usize) -> &[Repeats] {
        self.cells.get(group).map_or(&[], Vec::as_slice)
    }

    /// The places of a cell's searches, by repeat.
    pub fn repeats(&self, cell: &Repeats) -> &[u32] {
        &self.order[cell.first as usize..(cell.first + cell.count) as usize]
    }

    /// The iterations of a search, by depth.
    pub fn steps(&self, search: u32) -> &[IterationRow] {
        &self.steps[self.starts[search as usize] as usize..self.starts[search as usize + 1] as usize]
    }

    /// A row whose search has another of the same depth; none in results that are whole.
    pub fn twice(&self) -> Option<usize> {
        let searches = 0..self.list.len() as u32;
        let again = |search: u32| self.steps(search).windows(2).find(|steps| steps[0].depth == steps[1].depth);
        searches.into_iter().find_map(again).map(|steps| steps[1].row as usize)
    }

    /// That row, and what it is of, in words.
    pub fn doubled(&self, frame: &Frame) -> Option<(usize, String)> {
        let row = self.twice()?;
        let [variant, position] = [columns::VARIANT, columns::POSITION].map(|name| frame.text(name, row));
        let depth = frame.numbers(columns::DEPTH)[row];
        Some((row, format!("variant \"{variant}\", {position}, depth {depth} has two rows")))
    }
}
