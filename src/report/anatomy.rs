//! Every counter of `diagnostics = "full"`: what became of the table's answers, and what it holds at the end.

use super::sheet::{Cell, SheetColumn, SheetTable};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::questions::curves;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::{Frame, Summary};
use crate::record::columns::{self, ANATOMY, Role};

/// The counters by line, the most telling lines where there are many; none where no variant was looked at so closely.
#[must_use]
pub fn anatomy(rows: &Frame, summary: &Summary) -> Option<SheetTable> {
    let known =
        |column: &&columns::Column| column.name.starts_with(ANATOMY) && rows.names().contains(&column.name.to_string());
    let counters: Vec<&columns::Column> = columns::columns().iter().filter(known).collect();
    if counters.is_empty() {
        return None;
    }
    let names: Vec<String> = counters.iter().map(|column| column.name.to_string()).collect();
    let grouping = Grouping::new(rows, &summary.by);
    let searches = Searches::gather(rows, &grouping, &names);
    let shown = curves::chosen(summary);
    let groups: Vec<(usize, &str)> = shown
        .iter()
        .map(|&at| &summary.lines[at])
        .filter_map(|line| {
            Some((grouping.values.iter().position(|values| *values == line.values)?, line.name.as_str()))
        })
        .collect();
    let cell = |counter: &columns::Column, group: usize| match counter.role {
        // What a table holds does not add up: its mean over the ends of searches.
        Role::Last => {
            let numbers = rows.numbers(&counter.name);
            let ends = || searches.list.iter().filter(|search| search.group as usize == group && search.is_first());
            let (sum, count) =
                ends().fold((0.0, 0.0), |(sum, count), search| (sum + numbers[search.last], count + 1.0));
            Cell::decimal(sum / count, 1)
        }
        _ => Cell::count(searches.group_sum(group, &counter.name)),
    };
    let row = |counter: &&columns::Column| {
        let head = [counter.name.trim_start_matches(ANATOMY), &counter.meaning].map(Cell::text);
        let cells = groups.iter().map(|(group, _)| cell(counter, *group).or("its table was not looked at so closely"));
        head.into_iter().chain(cells).collect()
    };
    let lines = groups.iter().map(|(_, name)| SheetColumn::numbers(name, name, ""));
    let hidden = summary.lines.len() - groups.len();
    Some(SheetTable {
        key: "counters".to_owned(),
        title: "What became of the table's answers".to_owned(),
        columns: [SheetColumn::words("counter", "counter", ""), SheetColumn::words("meaning", "meaning", "")]
            .into_iter()
            .chain(lines)
            .collect(),
        rows: counters.iter().map(row).collect(),
        note: format!(
            "Sums over all iterations; of what the table holds (held), means over the ends of searches.{}",
            if hidden > 0 { format!(" {hidden} lines more are in the results.") } else { String::new() }
        ),
    })
}
