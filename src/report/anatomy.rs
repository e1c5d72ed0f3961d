//! The table of all counters of `diagnostics = "full"`. The counters show how the answers of the
//! transposition table were used, and what the transposition table contains at the end.

use super::sheet::{Cell, SheetColumn, SheetTable};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::questions::curves;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::{Frame, Summary};
use crate::record::columns::{self, ANATOMY, Role};

/// Returns a table of the counters of each line. If there are many lines, only the lines that
/// figures show are included. Returns `None` if no variant has full diagnostics.
pub(super) fn counters_table(rows: &Frame, summary: &Summary) -> Option<SheetTable> {
    let is_counter =
        |column: &&columns::Column| column.name.starts_with(ANATOMY) && rows.names().contains(&column.name.to_string());
    let counters: Vec<&columns::Column> = columns::columns().iter().filter(is_counter).collect();
    if counters.is_empty() {
        return None;
    }
    let names: Vec<String> = counters.iter().map(|column| column.name.to_string()).collect();
    let grouping = Grouping::new(rows, &summary.by);
    let searches = Searches::gather(rows, &grouping, &names);
    let lines_shown = curves::choose_lines(summary);
    // The group of a line among the searches, and the line's name.
    let group_and_name = |&index: &usize| {
        let line = &summary.lines[index];
        Some((grouping.values.iter().position(|values| *values == line.values)?, line.name.as_str()))
    };
    let groups: Vec<(usize, &str)> = lines_shown.iter().filter_map(group_and_name).collect();
    let counter_cell = |counter: &columns::Column, group: usize| match counter.role {
        // Counts of a table's contents cannot be added up over searches. The cell has their mean
        // over the ends of searches instead.
        Role::Last => {
            let numbers = rows.numbers(&counter.name);
            let first_repeats =
                || searches.list.iter().filter(|search| search.group as usize == group && search.is_in_totals);
            let (sum, count) =
                first_repeats().fold((0.0, 0.0), |(sum, count), search| (sum + numbers[search.last_row], count + 1.0));
            Cell::decimal(sum / count, 1)
        }
        _ => Cell::count(searches.group_sum(group, &counter.name)),
    };
    let make_row = |counter: &&columns::Column| {
        let head = [counter.name.trim_start_matches(ANATOMY), &counter.meaning].map(Cell::text);
        let cells = groups
            .iter()
            .map(|(group, _)| counter_cell(counter, *group).with_reason("full diagnostics were off for this variant"));
        head.into_iter().chain(cells).collect::<Vec<_>>()
    };
    let lines = groups.iter().map(|(_, name)| SheetColumn::number(name, name, ""));
    let columns: Vec<_> = SheetColumn::from_names(["counter", "meaning"]).into_iter().chain(lines).collect();
    let hidden_count = summary.lines.len() - groups.len();
    let hidden_note = match hidden_count {
        0 => String::new(),
        1 => " One more line is in the results.".to_owned(),
        _ => format!(" {hidden_count} more lines are in the results."),
    };
    let table =
        SheetTable::new("counters", "How the table's answers were used", columns, counters.iter().map(make_row));
    Some(table.with_note(format!(
        "Sums over all iterations. The `entries_` rows have means over the ends of searches instead.{hidden_note}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Question;

    /// The table of variants that searched two positions to depth 2, twice each. `row`: the
    /// counters by variant, depth and repeat.
    fn table(variants: usize, header: &str, row: impl Fn(usize, u32, u32) -> String) -> Option<SheetTable> {
        let mut rows = format!("variant,position,depth,repeat,search.nodes,{header}\n");
        for (variant, position) in (0..variants).flat_map(|variant| ["p", "q"].map(|position| (variant, position))) {
            for (depth, repeat) in [(1, 0), (2, 0), (1, 1), (2, 1)] {
                rows += &format!("v{variant},{position},{depth},{repeat},9,{}\n", row(variant, depth, repeat));
            }
        }
        let frame = Frame::parse(rows.as_bytes(), "t").unwrap();
        let (summary, ..) = Summary::with_searches(&frame, &Question::by_variant(&[], None)).unwrap();
        counters_table(&frame, &summary)
    }

    #[test]
    fn counters_are_summed_and_states_averaged() {
        let sum = columns::columns()
            .iter()
            .find(|column| column.name.starts_with(ANATOMY) && column.role == Role::Sum)
            .unwrap();
        let header = format!("{ANATOMY}entries_depth_1,{}", sum.name);
        let row = |variant: usize, depth: u32, repeat: u32| {
            // Real repeats are equal; here they differ, so that the test notices if a further
            // repeat is counted.
            let contained = 5 * depth + 100 * repeat + u32::from(variant == 1);
            format!("{contained},{}", 3 * depth + 1000 * repeat + variant as u32)
        };
        let table = table(2, &header, row).unwrap();
        let cells = |name: &str| {
            let row = table.rows.iter().find(|row| format!("{ANATOMY}{}", row[0].text) == name).unwrap();
            assert!(!row[1].text.is_empty());
            [&row[2], &row[3]].map(|cell| cell.text.clone())
        };
        assert_eq!(cells(&format!("{ANATOMY}entries_depth_1")), ["10.0", "11.0"]);
        // Twice (3 + 6); the second variant has one more in each of four rows.
        assert_eq!(cells(&sum.name), ["18", "22"]);
        assert_eq!(table.rows.len(), 2, "only what was counted");
        let heads: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(heads, ["counter", "meaning", "v0", "v1"]);
        assert!(table.note.ends_with("means over the ends of searches instead."), "{}", table.note);
    }

    #[test]
    fn lines_beyond_eight_are_mentioned_in_the_note() {
        let table_of =
            |variants: usize| table(variants, &format!("{ANATOMY}entries_depth_1"), |_, _, _| "1".to_owned());
        assert_eq!(table_of(8).map(|table| (table.columns.len(), table.note.contains("more"))), Some((10, false)));
        let nine = table_of(9).unwrap();
        assert_eq!(nine.columns.len(), 10, "{}", nine.note);
        assert!(nine.note.ends_with(" One more line is in the results."), "{}", nine.note);
        assert_eq!(table(2, "x", |_, _, _| "1".to_owned()), None);
    }
}
