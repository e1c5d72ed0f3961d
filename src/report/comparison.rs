//! The page of a comparison: what changed from BASE to NEW.

use super::number::format_count;
use super::sheet::{Cell, Datum, Emphasis, Entries, Part, Sheet, SheetColumn, SheetTable};
use crate::analysis::questions::compare::{Change, Comparison, Finding, GateResult, MovedRow};
use crate::analysis::questions::plans::MeasuredProgram;
use crate::analysis::rows::metric::Better;
use crate::record::columns;
use crate::text::plural;

/// The relative change of a total, as in `+1.25 %`; `=` if there is none.
pub fn format_change([base, new]: [f64; 2]) -> String {
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

/// The headline of every format.
pub fn headline(comparison: &Comparison) -> String {
    let failing = comparison.gate_results.iter().filter(|judged| judged.fails).count();
    let (rows, moved) = comparison.rows;
    let moved = match moved {
        0 => format!("all {rows} paired rows are equal"),
        moved => format!("{moved} of {rows} paired rows moved"),
    };
    match comparison.finding() {
        Finding::Gate => format!("FAIL: {failing} of {}; {moved}", plural(comparison.gate_results.len(), "gate")),
        Finding::Missing if rows == 0 => "FAIL: no row of BASE is in NEW".to_owned(),
        Finding::Missing => format!("FAIL: NEW lacks {} of BASE; {moved}", plural(comparison.missing.0, "row")),
        Finding::Unequal => format!("FAIL: the plans are equal, but {moved}"),
        Finding::Fine if comparison.gate_results.is_empty() => format!("ok: {moved}"),
        Finding::Fine if comparison.gate_results.len() == 1 => format!("ok: the gate passes; {moved}"),
        Finding::Fine => format!("ok: {} gates pass; {moved}", comparison.gate_results.len()),
    }
}

/// A gate's outcome in a few words.
pub fn gate_outcome(judged: &GateResult) -> &'static str {
    match (judged.fails, judged.noise, judged.caution.is_some()) {
        (true, _, true) => "FAIL (may mislead)",
        (true, _, false) => "FAIL",
        (false, true, _) => "pass (within noise)",
        (false, false, true) => "pass (may mislead)",
        (false, false, false) => "pass",
    }
}

/// The totals that a gate judged.
pub fn gate_values(judged: &GateResult) -> String {
    let [base, new] = judged.totals;
    let total = |value: f64| match judged.metric.as_str() {
        columns::SECONDS => format!("{value:.3}"),
        columns::SCORE_ERROR => format!("{value:.1}"),
        _ => format_count(value),
    };
    let rows = match judged.differ {
        0 => String::new(),
        1 => ", 1 row differs".to_owned(),
        rows => format!(", {rows} rows differ"),
    };
    format!("{} -> {} ({}{rows})", total(base), total(new), format_change(judged.totals))
}

pub fn sheet(comparison: &Comparison) -> Sheet {
    let mut parts = vec![Part::List(String::new(), lead_lines(comparison))];
    parts.extend(gates_table(comparison).non_empty().map(Part::Table));
    let notes: Vec<String> = comparison.notes.iter().map(|note| format!("note: {note}")).collect();
    if !notes.is_empty() {
        parts.push(Part::Findings(notes));
    }
    parts.push(Part::Table(variants_table(comparison)));
    let moved = [metrics_table(comparison), rows_table(comparison)].into_iter().filter_map(SheetTable::non_empty);
    let moved: Vec<Part> = moved.map(Part::Table).collect();
    if !moved.is_empty() {
        parts.push(Part::Folded("What moved".to_owned(), moved));
    }
    if comparison.missing.0 > 0 {
        let title = format!("Rows of BASE that NEW lacks: {}", comparison.missing.0);
        parts.push(Part::Folded(title, vec![Part::Findings(comparison.missing.1.clone())]));
    }
    Sheet { kind: "comparison".to_owned(), name: headline(comparison), parts }
}

/// The lines that come first: names, plans, moved rows, nodes, gates.
fn lead_lines(comparison: &Comparison) -> Vec<String> {
    let [base, new] = &comparison.names;
    let plans = match &comparison.differences {
        None => "unknown: no manifest.json beside one of them".to_owned(),
        Some(list) if list.is_empty() => "equal".to_owned(),
        Some(list) => format!("they differ in {}", list.join("; ")),
    };
    let (rows, moved) = comparison.rows;
    let programs = |sides: &str, all: &[MeasuredProgram]| {
        let list: Vec<String> = all.iter().map(ToString::to_string).collect();
        (!list.is_empty()).then(|| format!("{sides} {}", list.join(", ")))
    };
    let programs = match &comparison.programs {
        [base, new] if base == new => vec![programs("both measure", base)],
        [base, new] => vec![programs("BASE measures", base), programs("NEW measures", new)],
    };
    let other = comparison
        .other_programs()
        .map(|[base, new]| format!("warning: another engine was measured, not another build: BASE {base}, NEW {new}"));
    let unpaired = [(comparison.missing.0, "missing in NEW"), (comparison.added, "only in NEW")];
    let unpaired_text: String =
        unpaired.iter().filter(|(rows, _)| *rows > 0).map(|(rows, what)| format!(", {rows} {what}")).collect();
    let mut lines = vec![
        format!("BASE {base}, NEW {new}"),
        format!("plans: {plans}"),
        format!("rows: {moved} of {rows} moved{unpaired_text}"),
    ];
    lines.splice(1..1, programs.into_iter().flatten().chain(other).collect::<Vec<_>>());
    if let Some(at) = comparison.metric_index(columns::NODES) {
        let paired = || comparison.variants.iter().filter(|change| change.paired > 0);
        let total = paired().fold([0.0; 2], |sum, change| [0, 1].map(|side| sum[side] + change.totals[at][side]));
        let size = |change: &Change| ((change.totals[at][1] + 1.0) / (change.totals[at][0] + 1.0)).ln().abs();
        let most = paired().filter(|change| change.differing[at] > 0).max_by(|a, b| size(a).total_cmp(&size(b)));
        let most = most.filter(|_| paired().count() > 1);
        let most = most.map_or_else(String::new, |change| {
            format!("; most in \"{}\": {}", change.variant, format_change(change.totals[at]))
        });
        lines.push(match total[0] == total[1] && most.is_empty() {
            true => format!("nodes: {}, unmoved", format_count(total[0])),
            false => format!(
                "nodes: {} -> {} ({}){most}",
                format_count(total[0]),
                format_count(total[1]),
                format_change(total)
            ),
        });
    }
    let failing = comparison.gate_results.iter().filter(|judged| judged.fails).count();
    lines.push(match comparison.gate_results.len() {
        // A gate bounds paired rows; without any it says nothing.
        0 if rows == 0 => "gate: nothing to judge: no row is in both".to_owned(),
        0 => "gate: none was given (--fail-on)".to_owned(),
        1 if failing == 0 => "gate: it passes".to_owned(),
        all if failing == 0 => format!("gate: all {all} pass"),
        all => format!("gate: {failing} of {all} fail"),
    });
    lines
}

/// A cell with the relative change, highlighted by its direction if it is `clear`.
fn change_cell([base, new]: [f64; 2], clear: bool) -> Cell {
    let mark = Emphasis::for_change(clear, new < base, Better::Less);
    let share = if base == new { 0.0 } else { (new - base) / base };
    Cell { value: Datum::Number(share), ..Cell::text(format_change([base, new])) }.with_emphasis(mark)
}

/// A row for each gate and variant.
fn gates_table(comparison: &Comparison) -> SheetTable {
    let rows = comparison.gate_results.iter().map(|judged| {
        let mark = if judged.fails { Emphasis::Failed } else { Emphasis::Passed };
        let mut cells = [gate_outcome(judged), &judged.gate, &judged.variant, &gate_values(judged)].map(Cell::text);
        cells[0].emphasis = mark;
        cells
    });
    SheetTable::new("gates", "Gates", SheetColumn::from_names(["verdict", "gate", "variant", "base -> new"]), rows)
}

/// Reason for an empty interval.
const TOO_FEW_POSITIONS: &str = "too few positions";

/// A row for each variant: rows, nodes, ratio.
fn variants_table(comparison: &Comparison) -> SheetTable {
    let nodes = comparison.metric_index(columns::NODES);
    let nodes = |change: &Change| nodes.map_or([f64::NAN; 2], |at| change.totals[at]);
    let interval = "of the ratio; †: of the depths that both finished";
    let p = "sign-flip test, corrected for all variants by joint flips";
    let entries = Entries::<Change>::default()
        .text("variant", "variant", "as BASE calls it", |change| Cell::text(&change.variant))
        .number("rows", "rows", "that both have", |change| Cell::count(change.paired as f64))
        .number("moved", "moved", "paired rows that differ", |change| Cell::count(change.moved as f64))
        .number("missing", "missing", "rows that NEW lacks", |change| Cell::count(change.missing as f64))
        .drop_order(4)
        .number("nodes_base", "nodes", "of BASE", |change| Cell::count(nodes(change)[0]))
        .number("nodes_new", "new nodes", "of NEW", |change| Cell::count(nodes(change)[1]))
        .number("change", "change", "of the totals", |change| change_cell(nodes(change), change.p < 0.05))
        .number("ratio", "ratio", "geometric mean over the searches", |change| {
            Cell::decimal(change.nodes.mean, 3).with_reason("no pairs")
        })
        .drop_order(3)
        .number("interval", "95 %", interval, |change| {
            let ends = Cell::range(change.nodes.low, change.nodes.high).with_reason(TOO_FEW_POSITIONS);
            ends.with_sign('†', change.truncated > 0)
        })
        .drop_order(2)
        .number("p", "p", p, |change| Cell::p(change.p).with_reason(TOO_FEW_POSITIONS))
        .drop_order(1);
    entries.table("variants", "Variants", &comparison.variants)
}

/// The columns of a change from BASE to NEW.
fn change_columns() -> [SheetColumn; 3] {
    ["base", "new", "change"].map(|name| SheetColumn::number(name, name, ""))
}

/// The metrics that changed, by variant.
fn metrics_table(comparison: &Comparison) -> SheetTable {
    let all = comparison.metrics.iter().enumerate().flat_map(|(at, metric)| {
        let changed = comparison.variants.iter().filter(move |change| change.differing[at] > 0);
        changed.map(move |change| (metric, change, change.differing[at], change.totals[at]))
    });
    let rows = all.map(|(metric, change, rows, totals)| {
        let [base, new] = totals.map(Cell::count);
        [
            Cell::text(metric),
            Cell::text(&change.variant),
            Cell::count(rows as f64),
            base,
            new,
            change_cell(totals, false),
        ]
    });
    let differ = [SheetColumn::number("rows", "rows", "that differ").drop_order(1)];
    let columns = [&SheetColumn::from_names(["metric", "variant"])[..], &differ, &change_columns()].concat();
    SheetTable::new("movements", "Metrics", columns, rows)
}

/// The rows that changed most.
fn rows_table(comparison: &Comparison) -> SheetTable {
    let rows = comparison.moved.iter().map(|row| {
        let [base, new] = row.nodes.map(Cell::count);
        [Cell::text(describe_row(row)), base, new, change_cell(row.nodes, false), Cell::text(differing_columns(row))]
    });
    let differ = [SheetColumn::text("columns", "columns", "that differ")];
    let columns = [&SheetColumn::from_names(["row"])[..], &change_columns(), &differ].concat();
    SheetTable::new("moved_rows", "Rows that moved most, by nodes", columns, rows)
}

/// Describes which row it is.
fn describe_row(moved: &MovedRow) -> String {
    let repeat = if moved.repeat > 0 { format!(", repeat {}", moved.repeat) } else { String::new() };
    format!("\"{}\", {}, depth {}{repeat}", moved.variant, moved.position, moved.depth)
}

/// The columns that differ, at most six by name.
fn differing_columns(moved: &MovedRow) -> String {
    let names: Vec<&str> = moved.columns.iter().take(6).map(String::as_str).collect();
    let more = moved.columns.len().saturating_sub(6);
    let more = crate::text::and_more(more);
    format!("{}{more} differ", names.join(", "))
}

#[cfg(test)]
mod tests;
