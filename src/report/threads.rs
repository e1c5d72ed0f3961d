//! The table for searches with several threads. It shows how much sooner such searches finish, how
//! many more nodes they need, and how much the searchers use each other's entries.

use super::contents::Page;
use super::sheet::{Cell, Entries, SheetTable};
use super::table::{TOO_FEW_POSITIONS, line_table};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::{Frame, Line};
use crate::record::columns::{self, THREADS};
use crate::stats::ratio::Ratio;

/// The name of the metric whose ratio is the speed-up's inverse.
pub(super) const TICKS: &str = "ticks";

const NOT_REQUESTED: &str = "a metric that was not asked for";

/// Shares of counts. A share is shown only if its part was counted. Each share has the column of
/// the part, the columns whose sum is the whole, a heading and a meaning.
const SHARES: [(&str, &[&str], &str, &str); 9] = [
    (columns::HELPER_NODES, &[columns::NODES], "helpers", "share of the nodes that helpers searched"),
    (columns::FOREIGN_HITS, &[columns::HITS], "hits of others", "share of the hits whose entry another searcher wrote"),
    (
        columns::FOREIGN_CUTOFFS,
        &[columns::USABLE, columns::ETC_CUTS],
        "cutoffs of others",
        "share of the cutoffs whose entry another searcher wrote",
    ),
    (
        columns::FOREIGN_SAVED,
        &[columns::SAVED],
        "worth of others",
        "share of the worth of all cutoffs that comes \
        from entries of other searchers",
    ),
    (
        columns::IN_FLIGHT,
        &[columns::PROBES],
        "in flight",
        "share of the probes of a position that another searcher is already searching",
    ),
    (
        columns::DUPLICATES,
        &[columns::STORES],
        "done twice",
        "share of the stores of a position that another searcher has already stored at the same depth",
    ),
    (
        columns::FOREIGN_REFUSALS,
        &[columns::REJECTIONS],
        "refused",
        "share of the refused stores that were refused because of another searcher's entry of the same position",
    ),
    (
        columns::UNREAD,
        &[columns::EVICTIONS, columns::UPDATES],
        "unread",
        "share of the overwritten entries that had answered no probe",
    ),
    (
        columns::FOREIGN_UNREAD,
        &[columns::UNREAD],
        "by another",
        "share of these unread entries that another searcher \
        overwrote",
    ),
];

pub(super) fn threads_table(page: &Page, rows: &Frame) -> Option<SheetTable> {
    if !rows.has(columns::TICKS) {
        return None;
    }
    let grouping = Grouping::new(rows, &page.summary.by);
    let searches = Searches::gather(rows, &grouping);
    let sum_of = |line: &Line, column: &str| {
        let group = grouping.values.iter().position(|values| *values == line.values);
        group.map_or(f64::NAN, |group| searches.group_sum(group, &rows.number_column(column)))
    };
    let has_helpers = |line: &Line| sum_of(line, columns::HELPER_NODES) > 0.0;
    let metric_index = |name: &str| page.summary.metrics.iter().position(|metric| metric.name == name);
    let (ticks, nodes) = (metric_index(TICKS), metric_index("nodes"));
    let ratio_of =
        |line: &Line, metric: Option<usize>| metric.map_or_else(Ratio::default, |index| line.measures[index].ratio);
    let why_no_ratio = |metric: Option<usize>| if metric.is_none() { NOT_REQUESTED } else { TOO_FEW_POSITIONS };
    let is_counted = |column: &str| page.summary.lines.iter().any(|line| sum_of(line, column) > 0.0);
    let speed_meaning =
        "how many times faster than the baseline, in ticks (nodes of all searchers divided by their number)";
    let nodes_meaning = "work that searchers do twice: the nodes of all searchers beyond the baseline's, as a share \
        of the baseline's";
    let mut entries = Entries::<Line>::default()
        .number("speed_up", "speed-up", speed_meaning, |line| {
            Cell::decimal(1.0 / ratio_of(line, ticks).mean, 2).with_reason(why_no_ratio(ticks))
        })
        .number("speed_up_interval", "95 %", "the speed-up's 95 % interval", |line| {
            let Ratio { low, high, .. } = ratio_of(line, ticks);
            Cell::range(1.0 / high, 1.0 / low).with_reason(why_no_ratio(ticks))
        })
        .number("duplicate_work", "duplicate work", nodes_meaning, |line| {
            Cell::share(ratio_of(line, nodes).mean - 1.0, 1.0).with_reason(why_no_ratio(nodes))
        });
    for (part, whole, head, meaning) in SHARES.iter().filter(|(part, ..)| is_counted(part)) {
        entries = entries.number(part.trim_start_matches(THREADS), head, meaning, |line| {
            let whole = whole.iter().map(|column| sum_of(line, column)).sum();
            Cell::share(sum_of(line, part), whole).with_reason("nothing to count")
        });
    }
    if is_counted(columns::AGES) {
        let mean_of = |line: &Line, column: &str| sum_of(line, column) / sum_of(line, columns::HITS);
        let deviation_of =
            move |line: &Line| (mean_of(line, columns::SQUARED_AGES) - mean_of(line, columns::AGES).powi(2)).sqrt();
        let meaning = "mean age of the entries that answered, in ticks of table.clock";
        entries = entries
            .number("age", "age", meaning, move |line| Cell::decimal(mean_of(line, columns::AGES), 2))
            .number("age_spread", "spread", "standard deviation of these ages", move |line| {
                Cell::decimal(deviation_of(line), 2)
            });
    }
    let table = line_table(page, "threads", "Threads: several searchers on one table", entries, has_helpers);
    table
        .with_note(
            "Ticks assume that every node takes equally long. Speed-ups are meaningful only where all reach \
            the same depth. Of real threads it is not known who wrote an entry: these shares are 0 there.",
        )
        .non_empty()
}

#[cfg(test)]
mod tests {
    use super::super::identity::Identity;
    use super::*;
    use crate::analysis::{Metric, Question, Summary};

    /// One searcher is compared with two that need half the ticks and a quarter more nodes on each
    /// of eight positions. Every share has its own figures, so that no column can be confused with
    /// another.
    #[test]
    fn each_figure_is_that_of_its_columns() {
        let mut heading = "variant,position,depth".to_owned();
        let counters = [
            ("search.nodes", 100, 125),
            ("search.usable", 9, 15),
            ("search.etc_cuts", 1, 5),
            ("search.saved", 50, 60),
            ("table.probes", 80, 200),
            ("table.hits", 20, 40),
            ("table.stores", 50, 100),
            ("table.updates", 5, 20),
            ("table.evictions", 5, 30),
            ("table.rejections", 5, 16),
            ("threads.ticks", 100, 50),
            ("threads.helper_nodes", 0, 60),
            ("threads.foreign_hits", 0, 4),
            ("threads.foreign_cutoffs", 0, 3),
            ("threads.foreign_saved", 0, 12),
            ("threads.ages", 0, 20),
            ("threads.squared_ages", 0, 50),
            ("threads.in_flight", 0, 50),
            ("threads.duplicates", 0, 7),
            ("threads.foreign_refusals", 0, 2),
            ("threads.unread", 2, 40),
            ("threads.foreign_unread", 0, 10),
        ];
        counters.iter().for_each(|(name, ..)| heading = format!("{heading},{name}"));
        let mut text = heading + "\n";
        for variant in ["one", "two"] {
            let values = counters.map(|(_, one, two)| if variant == "one" { one } else { two }.to_string());
            for position in 0..8 {
                text += &format!("{variant},p{position},1,{}\n", values.join(","));
            }
        }
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let ticks = Metric { name: TICKS.to_owned(), ..Metric::from_column(columns::TICKS) };
        let question = Question { metrics: vec![Metric::nodes(), ticks], ..Question::by_variant(&[], None) };
        let (summary, ..) = Summary::with_searches(&frame, &question).unwrap();
        let page = Page { identity: Identity::new(&frame, &summary, &[]), summary, ..Page::default() };
        let table = threads_table(&page, &frame).unwrap();
        assert_eq!(table.rows.len(), 1, "one searcher alone has no line");
        let cell_text = |key: &str| {
            let index = table.columns.iter().position(|column| column.key == key).unwrap();
            table.rows[0][index].text.clone()
        };
        for (key, figure) in [
            ("speed_up", "2.00"),
            ("duplicate_work", "25.0 %"),
            ("helper_nodes", "48.0 %"),
            ("foreign_hits", "10.0 %"),
            ("foreign_cutoffs", "15.0 %"),
            ("foreign_saved", "20.0 %"),
            ("in_flight", "25.0 %"),
            ("age", "0.50"),
            ("age_spread", "1.00"),
            ("duplicates", "7.0 %"),
            ("foreign_refusals", "12.5 %"),
            ("unread", "80.0 %"),
            ("foreign_unread", "25.0 %"),
        ] {
            assert_eq!(cell_text(key), figure, "{key}");
        }
        let without_threads = Frame::parse("variant,position,depth,search.nodes\na,p,1,5\n".as_bytes(), "t").unwrap();
        assert!(threads_table(&page, &without_threads).is_none());
    }
}
