//! Searches: all iterations of one variant on one position, once. What is compared is compared by search.

use super::stats::median;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::{How, Metric};
use crate::record::columns;
use std::collections::{BTreeMap, HashMap};

/// One search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// Its group.
    pub group: u32,
    /// Its block within the group.
    pub block: u32,
    /// Its position (in a sequence: game and ply).
    pub unit: u32,
    /// Its game, or its position where there is none.
    pub cluster: u32,
    /// Which repeat.
    pub repeat: u32,
    /// The row of its deepest iteration.
    pub last: usize,
}

/// All searches of a frame, with the sums of some columns.
#[derive(Debug, Clone, Default)]
pub struct Searches {
    /// The searches, in the order of their first rows.
    pub list: Vec<Search>,
    /// Rows of failed jobs, by group.
    pub errors: Vec<usize>,
    columns: Vec<String>,
    sums: Vec<f64>,
}

/// A value of one search, repeats taken together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The search's block.
    pub block: u32,
    /// Its position.
    pub unit: u32,
    /// Its cluster.
    pub cluster: u32,
    /// The value: of the first repeat, or the median of all where it is a time.
    pub value: f64,
}

impl Searches {
    /// Gathers the rows of each search and sums the columns given.
    #[must_use]
    pub fn gather(frame: &Frame, grouping: &Grouping, columns: &[String]) -> Self {
        let positions = frame.coded(columns::POSITION);
        let games = frame.coded(columns::GAME);
        let errors = frame.coded(columns::ERROR);
        let (repeats, depths) = (frame.numbers(columns::REPEAT), frame.numbers(columns::DEPTH));
        let numbers: Vec<_> = columns.iter().map(|column| frame.numbers(column)).collect();
        let mut searches =
            Self { errors: vec![0; grouping.values.len()], columns: columns.to_vec(), ..Self::default() };
        let mut places: HashMap<(u32, u32, u32, u32), usize> = HashMap::new();
        let mut last = ((u32::MAX, 0, 0, 0), 0);
        for row in 0..frame.rows() {
            let group = grouping.group[row];
            if !errors.at(row).is_empty() {
                searches.errors[group as usize] += 1;
                continue;
            }
            let repeat = if repeats[row] > 0.0 { repeats[row] as u32 } else { 0 };
            let unit = positions.codes()[row];
            let key = (group, grouping.block[row], unit, repeat);
            if last.0 != key {
                let next = searches.list.len();
                last = (key, *places.entry(key).or_insert(next));
                if last.1 == next {
                    // Games and positions are numbered apart: the highest bit tells them.
                    let cluster = if games.at(row).is_empty() { unit } else { games.codes()[row] | 1 << 31 };
                    searches.list.push(Search { group, block: key.1, unit, cluster, repeat, last: row });
                    searches.sums.extend(std::iter::repeat_n(0.0, columns.len()));
                }
            }
            let at = last.1;
            let sums = &mut searches.sums[at * columns.len()..(at + 1) * columns.len()];
            for (sum, numbers) in sums.iter_mut().zip(&numbers) {
                *sum += numbers[row];
            }
            let search = &mut searches.list[at];
            if depths[row] >= depths[search.last] {
                search.last = row;
            }
        }
        searches
    }

    /// The sum of a column over the iterations of a search; NaN of a column that was not gathered.
    #[must_use]
    pub fn sum(&self, search: usize, column: &str) -> f64 {
        match self.columns.iter().position(|known| known == column) {
            Some(at) => self.sums[search * self.columns.len() + at],
            None => f64::NAN,
        }
    }

    /// The sum of a column over all searches of a group, repeats counted once.
    #[must_use]
    pub fn group_sum(&self, group: usize, column: &str) -> f64 {
        let mine = |search: &Search| search.group as usize == group && search.repeat == 0;
        self.list.iter().enumerate().filter(|(_, search)| mine(search)).map(|(at, _)| self.sum(at, column)).sum()
    }

    /// A metric's value in one search.
    #[must_use]
    pub fn value(&self, search: usize, metric: &Metric, frame: &Frame) -> f64 {
        let last = |column: &str| frame.numbers(column).get(self.list[search].last).copied().unwrap_or(f64::NAN);
        match &metric.how {
            How::Sum(column) => self.sum(search, column),
            How::Last(column) => last(column),
            How::Rate(num, den) => self.sum(search, num) / self.sum(search, den),
            How::PerLast(num, den) => self.sum(search, num) / last(den),
        }
    }

    /// A metric's values by group, one for each search.
    #[must_use]
    pub fn cells(&self, metric: &Metric, frame: &Frame) -> Vec<Vec<Cell>> {
        let mut cells = vec![Vec::new(); self.errors.len()];
        let mut repeats: BTreeMap<(u32, u32, u32), (u32, Vec<f64>)> = BTreeMap::new();
        for (at, search) in self.list.iter().enumerate() {
            let &Search { group, block, unit, cluster, repeat, .. } = search;
            if metric.is_time() {
                let values = &mut repeats.entry((group, block, unit)).or_insert((cluster, Vec::new())).1;
                values.push(self.value(at, metric, frame));
            } else if repeat == 0 {
                cells[group as usize].push(Cell { block, unit, cluster, value: self.value(at, metric, frame) });
            }
        }
        for ((group, block, unit), (cluster, mut values)) in repeats {
            cells[group as usize].push(Cell { block, unit, cluster, value: median(&mut values) });
        }
        cells
    }
}

/// Values to hold others against, by block and position.
pub struct Reference<'a> {
    grouping: &'a Grouping,
    exact: HashMap<(u32, u32), f64>,
    by_unit: HashMap<u32, Vec<u32>>,
}

impl<'a> Reference<'a> {
    /// From the cells of a group.
    #[must_use]
    pub fn new(cells: &[Cell], grouping: &'a Grouping) -> Self {
        let mut by_unit: HashMap<u32, Vec<u32>> = HashMap::new();
        cells.iter().for_each(|cell| by_unit.entry(cell.unit).or_default().push(cell.block));
        Self { grouping, exact: cells.iter().map(|cell| ((cell.block, cell.unit), cell.value)).collect(), by_unit }
    }

    /// The value that a cell is held against: that of the same position and block; or of a block that lacks some of the
    /// options and agrees in the others, so that no table stands beside every size of one.
    #[must_use]
    pub fn of(&self, cell: &Cell) -> Option<f64> {
        let exact = self.exact.get(&(cell.block, cell.unit)).copied();
        exact.or_else(|| {
            let values = &self.grouping.blocks[cell.block as usize];
            let agrees = |block: &u32| {
                let mut pairs = self.grouping.blocks[*block as usize].iter().zip(values);
                pairs.all(|(base, value)| base.is_empty() || base == value)
            };
            let block = *self.by_unit.get(&cell.unit)?.iter().find(|block| agrees(block))?;
            self.exact.get(&(block, cell.unit)).copied()
        })
    }

    /// The logarithms of the ratios of those cells that have a counterpart, each with its cluster.
    #[must_use]
    pub fn logs(&self, cells: &[Cell]) -> Vec<(u32, f64)> {
        cells
            .iter()
            .filter_map(|cell| {
                let base = self.of(cell)?;
                (base > 0.0 && cell.value > 0.0).then(|| (cell.cluster, (cell.value / base).ln()))
            })
            .collect()
    }
}
