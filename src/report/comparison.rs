//! The page of a comparison: what moved from BASE to NEW.

use super::number::count;
use super::sheet::{Cell, Datum, Emphasis, Part, Sheet, SheetColumn, SheetTable};
use crate::analysis::questions::compare::{Change, Comparison, Finding, GateResult, Moved};
use crate::record::columns;
use crate::text::plural;
use std::cmp::Ordering;

/// The change from one total to another: `+1.25 %`, or `=`.
pub fn change([base, new]: [f64; 2]) -> String {
    if base == new {
        return "=".to_owned();
    }
    if base == 0.0 {
        return "from 0".to_owned();
    }
    let share = 100.0 * (new - base) / base;
    // A change too small for two decimals must not look like none.
    if share.abs() < 0.005 { format!("{share:+.0e} %") } else { format!("{share:+.2} %") }
}

/// The sentence that heads every form.
pub fn headline(comparison: &Comparison) -> String {
    let failing = comparison.judged.iter().filter(|judged| judged.fails).count();
    let (rows, moved) = comparison.rows;
    let moved = match moved {
        0 => format!("all {rows} paired rows are equal"),
        moved => format!("{moved} of {rows} paired rows moved"),
    };
    match comparison.finding() {
        Finding::Gate => format!("FAIL: {failing} of {}; {moved}", plural(comparison.judged.len(), "gate")),
        Finding::Missing if rows == 0 => "FAIL: no row of BASE is in NEW".to_owned(),
        Finding::Missing => format!("FAIL: NEW lacks {} of BASE; {moved}", plural(comparison.missing.0, "row")),
        Finding::Unequal => format!("FAIL: the plans are equal, but {moved}"),
        Finding::Fine if comparison.judged.is_empty() => format!("ok: {moved}"),
        Finding::Fine if comparison.judged.len() == 1 => format!("ok: the gate passes; {moved}"),
        Finding::Fine => format!("ok: {} gates pass; {moved}", comparison.judged.len()),
    }
}

/// A gate's outcome in a word or two.
pub fn outcome(judged: &GateResult) -> &'static str {
    match (judged.fails, judged.noise) {
        (true, _) => "FAIL",
        (false, true) => "pass (within noise)",
        (false, false) => "pass",
    }
}

/// What a gate saw.
pub fn seen(judged: &GateResult) -> String {
    let [base, new] = judged.totals;
    let total = |value: f64| match judged.metric.as_str() {
        columns::SECONDS => format!("{value:.3}"),
        columns::SCORE_ERROR => format!("{value:.1}"),
        _ => count(value),
    };
    let rows = match judged.differ {
        0 => String::new(),
        1 => ", 1 row differs".to_owned(),
        rows => format!(", {rows} rows differ"),
    };
    format!("{} -> {} ({}{rows})", total(base), total(new), change(judged.totals))
}

/// The page.
pub fn sheet(comparison: &Comparison) -> Sheet {
    let mut parts = vec![Part::List(String::new(), lead(comparison))];
    parts.extend(gates(comparison).unless_empty().map(Part::Table));
    parts.push(Part::Table(variants(comparison)));
    let moved = [movements(comparison), rows(comparison)].into_iter().filter_map(SheetTable::unless_empty);
    let moved: Vec<Part> = moved.map(Part::Table).collect();
    if !moved.is_empty() {
        parts.push(Part::Folded("What moved".to_owned(), moved));
    }
    if comparison.missing.0 > 0 {
        let title = format!("Rows of BASE that NEW lacks: {}", comparison.missing.0);
        parts.push(Part::Folded(title, vec![Part::Findings(comparison.missing.1.clone())]));
    }
    let notes: Vec<String> = comparison.notes.iter().map(|note| format!("note: {note}")).collect();
    if !notes.is_empty() {
        parts.push(Part::Findings(notes));
    }
    Sheet { kind: "comparison".to_owned(), name: headline(comparison), parts }
}

/// What matters first: what is compared, in what the plans differ, how many rows moved, by how much, and the gates.
fn lead(comparison: &Comparison) -> Vec<String> {
    let [base, new] = &comparison.names;
    let plans = match &comparison.differences {
        None => "unknown: no manifest.json beside one of them".to_owned(),
        Some(list) if list.is_empty() => "equal".to_owned(),
        Some(list) => format!("they differ in {}", list.join("; ")),
    };
    let (rows, moved) = comparison.rows;
    let apart = [(comparison.missing.0, "missing in NEW"), (comparison.added, "only in NEW")];
    let apart: String =
        apart.iter().filter(|(rows, _)| *rows > 0).map(|(rows, what)| format!(", {rows} {what}")).collect();
    let mut lines = vec![
        format!("BASE {base}, NEW {new}"),
        format!("plans: {plans}"),
        format!("rows: {moved} of {rows} moved{apart}"),
    ];
    if let Some(at) = comparison.metric(columns::NODES) {
        let paired = || comparison.variants.iter().filter(|of| of.paired > 0);
        let total = paired().fold([0.0; 2], |sum, of| [0, 1].map(|side| sum[side] + of.totals[at][side]));
        let size = |of: &Change| ((of.totals[at][1] + 1.0) / (of.totals[at][0] + 1.0)).ln().abs();
        let most = paired().filter(|of| of.differ[at] > 0).max_by(|a, b| size(a).total_cmp(&size(b)));
        let most = most.filter(|_| paired().count() > 1);
        let most =
            most.map_or_else(String::new, |of| format!("; most in \"{}\": {}", of.variant, change(of.totals[at])));
        lines.push(match total[0] == total[1] && most.is_empty() {
            true => format!("nodes: {}, unmoved", count(total[0])),
            false => format!("nodes: {} -> {} ({}){most}", count(total[0]), count(total[1]), change(total)),
        });
    }
    let failing = comparison.judged.iter().filter(|judged| judged.fails).count();
    lines.push(match comparison.judged.len() {
        // A gate bounds what is paired, and is not heard of where nothing is.
        0 if rows == 0 => "gate: nothing to judge: no row is in both".to_owned(),
        0 => "gate: none was given (--fail-on)".to_owned(),
        1 if failing == 0 => "gate: it passes".to_owned(),
        all if failing == 0 => format!("gate: all {all} pass"),
        all => format!("gate: {failing} of {all} fail"),
    });
    lines
}

/// The change from one total to another, marked by its direction.
fn moved([base, new]: [f64; 2]) -> Cell {
    let apart = new.partial_cmp(&base).is_some_and(Ordering::is_ne);
    let mark = Emphasis::of(apart, new < base);
    let share = if base == new { 0.0 } else { (new - base) / base };
    Cell { value: Datum::Number(share), ..Cell::text(change([base, new])) }.marked(mark)
}

/// The gates, and what each saw.
fn gates(comparison: &Comparison) -> SheetTable {
    let rows = comparison.judged.iter().map(|judged| {
        let mark = if judged.fails { Emphasis::Failed } else { Emphasis::Passed };
        let mut cells = [outcome(judged), &judged.gate, &judged.variant, &seen(judged)].map(Cell::text);
        cells[0].mark = mark;
        cells
    });
    SheetTable::new("gates", "Gates", SheetColumn::named(["verdict", "gate", "variant", "base -> new"]), rows)
}

/// What stands where one position alone was paired.
const ONE: &str = "too few positions";

/// Each variant: rows, nodes, ratio.
fn variants(comparison: &Comparison) -> SheetTable {
    let rows = comparison.variants.iter().map(|of| {
        let nodes = comparison.metric(columns::NODES).map_or([f64::NAN; 2], |at| of.totals[at]);
        let [rows, changed, missing] = [of.paired, of.moved, of.missing].map(|rows| Cell::count(rows as f64));
        let [base, new] = nodes.map(Cell::count);
        let mean = Cell::decimal(of.nodes.mean, 3).or("no pairs");
        let ends = Cell::range(of.nodes.low, of.nodes.high).or(ONE).signed('†', of.cut > 0);
        [Cell::text(&of.variant), rows, changed, missing, base, new, moved(nodes), mean, ends, Cell::p(of.p).or(ONE)]
    });
    let columns = [
        SheetColumn::words("variant", "variant", "as BASE calls it"),
        SheetColumn::numbers("rows", "rows", "that both have"),
        SheetColumn::numbers("moved", "moved", "rows of those that are not the same"),
        SheetColumn::numbers("missing", "missing", "rows that NEW lacks").drop_order(4),
        SheetColumn::numbers("nodes_base", "nodes", "of BASE"),
        SheetColumn::numbers("nodes_new", "new nodes", "of NEW"),
        SheetColumn::numbers("change", "change", "of the totals"),
        SheetColumn::numbers("ratio", "ratio", "geometric mean over the searches").drop_order(3),
        SheetColumn::numbers("interval", "95 %", "of the ratio; †: of the depths that both finished").drop_order(2),
        SheetColumn::numbers("p", "p", "sign-flip test, corrected for all variants by joint flips").drop_order(1),
    ];
    SheetTable::new("variants", "", columns, rows)
}

/// Columns of a change from BASE to NEW.
fn base_to_new() -> [SheetColumn; 3] {
    ["base", "new", "change"].map(|name| SheetColumn::numbers(name, name, ""))
}

/// Metrics that moved in some variant.
fn movements(comparison: &Comparison) -> SheetTable {
    let all = comparison.metrics.iter().enumerate().flat_map(|(at, metric)| {
        let changed = comparison.variants.iter().filter(move |change| change.differ[at] > 0);
        changed.map(move |change| (metric, change, change.differ[at], change.totals[at]))
    });
    let rows = all.map(|(metric, of, rows, totals)| {
        let [base, new] = totals.map(Cell::count);
        [Cell::text(metric), Cell::text(&of.variant), Cell::count(rows as f64), base, new, moved(totals)]
    });
    let differ = [SheetColumn::numbers("rows", "rows", "that differ").drop_order(1)];
    let columns = [&SheetColumn::named(["metric", "variant"])[..], &differ, &base_to_new()].concat();
    SheetTable::new("movements", "Metrics", columns, rows)
}

/// The rows that moved most.
fn rows(comparison: &Comparison) -> SheetTable {
    let rows = comparison.moved.iter().map(|row| {
        let [base, new] = row.nodes.map(Cell::count);
        [Cell::text(place(row)), base, new, moved(row.nodes), Cell::text(differing(row))]
    });
    let differ = [SheetColumn::words("columns", "columns", "that differ")];
    let columns = [&SheetColumn::named(["row"])[..], &base_to_new(), &differ].concat();
    SheetTable::new("moved_rows", "Rows that moved most, by nodes", columns, rows)
}

/// Which row.
fn place(moved: &Moved) -> String {
    let repeat = if moved.repeat > 0 { format!(", repeat {}", moved.repeat) } else { String::new() };
    format!("\"{}\", {}, depth {}{repeat}", moved.variant, moved.position, moved.depth)
}

/// The columns that differ, the first six of them.
fn differing(moved: &Moved) -> String {
    let names: Vec<&str> = moved.columns.iter().take(6).map(String::as_str).collect();
    let more = moved.columns.len().saturating_sub(6);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more} differ", names.join(", "))
}

#[cfg(test)]
mod tests;
