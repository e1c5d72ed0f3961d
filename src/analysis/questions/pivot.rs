//! One metric as a table: rows by one column, columns by others.

use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::axes::parse_number;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::{Grouping, combine};
use crate::analysis::rows::metric::Metric;
use crate::record::columns;

/// The values of a metric by one column and by groups.
#[derive(Debug, Clone, PartialEq)]
pub struct Pivot {
    /// The column of the rows.
    pub by: String,
    pub metric: Metric,
    /// The rows' values of that column: numbers ascending, words in the order of their first row.
    pub levels: Vec<String>,
    /// The names of the groups, in the order of their first row.
    pub names: Vec<String>,
    /// Each row's total of each group; none where the group has no search.
    pub cells: Vec<Vec<Option<Total>>>,
}

/// The total of a metric over the searches of one group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Total {
    pub value: f64,
    /// Number of searches that it is over.
    pub searches: usize,
}

/// The columns that group the columns of a pivot unless they are named: the variant, or, if rows
/// are by an option, the other options that vary.
pub fn default_groups(frame: &Frame, by: &str) -> Vec<String> {
    let options = frame.options();
    if !options.contains(&by) {
        return vec![columns::VARIANT.to_owned()];
    }
    let others = options.into_iter().filter(|option| *option != by && varies(frame, option));
    others.map(str::to_owned).collect()
}

/// Whether a column has more than one value.
pub fn varies(frame: &Frame, column: &str) -> bool {
    combine(frame, &[column.to_owned()]).1.len() > 1
}

impl Pivot {
    /// The totals of a metric. By depth only iterations that finished count.
    pub fn new(frame: &Frame, by: &str, groups: &[String], metric: &Metric) -> Self {
        let (codes, levels) = combine(frame, &[by.to_owned()]);
        let finished = frame.text_column(columns::FINISHED);
        let counts = |row: usize| by != columns::DEPTH || finished.text(row) != "false";
        let mut order: Vec<(usize, String)> = levels.into_iter().map(|mut level| level.remove(0)).enumerate().collect();
        let number = |level: &str| parse_number(level).unwrap_or(f64::INFINITY);
        if order.iter().filter(|(_, level)| !level.is_empty()).all(|(_, level)| parse_number(level).is_some()) {
            order.sort_by(|a, b| number(&a.1).total_cmp(&number(&b.1)));
        }
        let all = Grouping::new(frame, groups);
        let cells = order.iter().map(|&(code, _)| {
            let rows = frame.select(|row| codes[row] as usize == code && counts(row));
            let part = frame.take_with_counters(&rows, &metric.columns());
            let own = Grouping::new(&part, groups);
            let gathered: Vec<String> = metric.columns().into_iter().map(str::to_owned).collect();
            let searches = Searches::gather(&part, &own, &gathered);
            let reader = MetricReader::new(&searches, metric, &part);
            let total = |values: &Vec<String>| {
                let group = own.find(values)?;
                let searches = reader.group_values(group).len();
                (searches > 0).then(|| Total { value: reader.group_total(group), searches })
            };
            all.values.iter().map(total).collect()
        });
        let cells: Vec<Vec<Option<Total>>> = cells.collect();
        let names = if groups.is_empty() { vec![metric.name.clone()] } else { all.names() };
        let levels = order.into_iter().map(|(_, level)| level).collect();
        let mut pivot = Self { by: by.to_owned(), metric: metric.clone(), levels, names, cells };
        pivot.drop_empty_rows();
        pivot
    }

    fn drop_empty_rows(&mut self) {
        let kept: Vec<bool> = self.cells.iter().map(|row| row.iter().any(Option::is_some)).collect();
        let mut flags = kept.iter();
        self.levels.retain(|_| flags.next().is_some_and(|kept| *kept));
        let mut flags = kept.iter();
        self.cells.retain(|_| flags.next().is_some_and(|kept| *kept));
    }

    /// The smallest and the largest number of searches of a total.
    pub fn searches(&self) -> (usize, usize) {
        let counts = || self.cells.iter().flatten().flatten().map(|total| total.searches);
        (counts().min().unwrap_or(0), counts().max().unwrap_or(0))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        let text = "variant,position,depth,table.size,search.nodes,table.probes,search.usable,finished\n\
            a,p,1,1 MiB,1,2,1,true\na,p,2,1 MiB,10,2,2,true\na,q,1,1 MiB,3,2,0,true\na,q,2,1 MiB,30,2,1,false\n\
            b,p,1,64 KiB,5,4,1,true\nb,q,1,64 KiB,7,4,2,true\n";
        Frame::parse(text.as_bytes(), "t").unwrap()
    }

    fn values(pivot: &Pivot) -> Vec<Vec<Option<(f64, usize)>>> {
        let pair = |total: &Option<Total>| total.map(|total| (total.value, total.searches));
        pivot.cells.iter().map(|row| row.iter().map(pair).collect()).collect()
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
