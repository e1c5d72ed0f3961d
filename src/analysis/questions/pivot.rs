//! Shows one metric as a table. The table has a row for each value of a results column, and a
//! column for each group of searches.

use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::axes::parse_number;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::{Grouping, combine};
use crate::analysis::rows::metric::Metric;
use crate::record::columns;

#[derive(Debug, Clone, PartialEq)]
pub struct Pivot {
    /// The results column that has one table row for each of its values.
    pub by: String,
    pub metric: Metric,
    /// The value of `by` in each table row. Numbers are sorted, and words are in the order in which
    /// they first appear in the results.
    pub levels: Vec<String>,
    /// The names of the groups, which are the columns of the table. They are in the order in which
    /// they first appear in the results.
    pub names: Vec<String>,
    /// The total of each cell, by table row and group. `None` if the group has no search with the
    /// value of the row.
    pub cells: Vec<Vec<Option<Total>>>,
}

/// The total of a metric over the searches of one group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Total {
    pub value: f64,
    pub searches: usize,
}

/// If the table rows are the values of an option, these are the other options that vary. Otherwise
/// rows are grouped by variant.
pub fn default_groups(frame: &Frame, by: &str) -> Vec<String> {
    let options = frame.options();
    if !options.contains(&by) {
        return vec![columns::VARIANT.to_owned()];
    }
    let others = options.into_iter().filter(|option| *option != by && varies(frame, option));
    others.map(str::to_owned).collect()
}

pub fn varies(frame: &Frame, column: &str) -> bool {
    let (_, values) = combine(frame, &[column.to_owned()]);
    values.len() > 1
}

impl Pivot {
    /// Computes the totals of a metric for each value of the column `by` and for each group. If
    /// `by` is the depth, only finished iterations are counted.
    pub fn new(frame: &Frame, by: &str, groups: &[String], metric: &Metric) -> Self {
        // The index of each row's level, and the levels.
        let (codes, levels) = combine(frame, &[by.to_owned()]);
        let finished = frame.text_column(columns::FINISHED);
        let is_counted = |row: usize| by != columns::DEPTH || finished.text(row) != "false";
        // Each level is a list with a single value, the value of `by`.
        let mut ordered_levels: Vec<(usize, String)> =
            levels.into_iter().map(|mut level| level.remove(0)).enumerate().collect();
        let are_numbers = ordered_levels.iter().all(|(_, level)| level.is_empty() || parse_number(level).is_some());
        if are_numbers {
            // The empty level comes last.
            let sort_value = |level: &str| parse_number(level).unwrap_or(f64::INFINITY);
            ordered_levels.sort_by(|(_, a), (_, b)| sort_value(a).total_cmp(&sort_value(b)));
        }
        let all_groups = Grouping::new(frame, groups);
        let cells = ordered_levels.iter().map(|&(code, _)| {
            let rows = frame.select(|row| codes[row] as usize == code && is_counted(row));
            let level_frame = frame.take(&rows);
            let level_groups = Grouping::new(&level_frame, groups);
            let searches = Searches::gather(&level_frame, &level_groups);
            let reader = MetricReader::new(&searches, metric, &level_frame);
            let compute_total = |values: &Vec<String>| {
                let group = level_groups.find(values)?;
                let search_count = reader.group_values(group).len();
                (search_count > 0).then(|| Total { value: reader.group_total(group), searches: search_count })
            };
            all_groups.values.iter().map(compute_total).collect()
        });
        let cells: Vec<Vec<Option<Total>>> = cells.collect();
        let names = if groups.is_empty() { vec![metric.name.clone()] } else { all_groups.names() };
        let rows = ordered_levels.into_iter().map(|(_, level)| level).zip(cells);
        let (levels, cells) = rows.filter(|(_, cells)| cells.iter().any(Option::is_some)).unzip();
        Self { by: by.to_owned(), metric: metric.clone(), levels, names, cells }
    }

    pub fn searches(&self) -> (usize, usize) {
        let counts = || self.cells.iter().flatten().flatten().map(|total| total.searches);
        (counts().min().unwrap_or(0), counts().max().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        let text = "variant,position,depth,table.size,search.nodes,table.probes,search.usable,finished\n\
            a,p,1,1 MiB,1,2,1,true\na,p,2,1 MiB,10,2,2,true\na,q,1,1 MiB,3,2,0,true\na,q,2,1 MiB,30,2,1,false\n\
            b,p,1,64 KiB,5,4,1,true\nb,q,1,64 KiB,7,4,2,true\n";
        Frame::parse(text.as_bytes(), "t").unwrap()
    }

    /// The value and the number of searches of each cell.
    fn values(pivot: &Pivot) -> Vec<Vec<Option<(f64, usize)>>> {
        let value_and_count = |total: &Option<Total>| total.map(|total| (total.value, total.searches));
        pivot.cells.iter().map(|row| row.iter().map(value_and_count).collect()).collect()
    }

    #[test]
    fn totals_by_depth_are_of_finished_iterations() {
        let frame = frame();
        let groups = default_groups(&frame, "depth");
        assert_eq!(groups, ["variant"]);
        let pivot = Pivot::new(&frame, "depth", &groups, &Metric::nodes());
        assert_eq!((pivot.levels.join(" "), pivot.names.join(" ")), ("1 2".to_owned(), "a b".to_owned()));
        assert_eq!(values(&pivot), [[Some((4.0, 2)), Some((12.0, 2))], [Some((10.0, 1)), None]]);
        assert_eq!(pivot.searches(), (1, 2));
        let rate = Metric::find("usable_rate", &frame).unwrap();
        assert_eq!(values(&Pivot::new(&frame, "depth", &groups, &rate))[0], [Some((0.25, 2)), Some((0.375, 2))]);
    }

    /// Sizes ascend, whatever their order in the file; totals are over all iterations.
    #[test]
    fn totals_by_an_option_have_the_other_options_as_columns() {
        let frame = frame();
        assert_eq!(default_groups(&frame, "table.size"), Vec::<String>::new());
        let pivot = Pivot::new(&frame, "table.size", &[], &Metric::nodes());
        assert_eq!((pivot.levels.join(", "), pivot.names.join(", ")), ("64 KiB, 1 MiB".to_owned(), "nodes".to_owned()));
        assert_eq!(values(&pivot), [[Some((12.0, 2))], [Some((44.0, 2))]]);
        assert!(varies(&frame, "table.size"));
        assert!(!varies(&frame, "table.slots"));
    }
}
