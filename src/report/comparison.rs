//! The page of a comparison: what changed from BASE to NEW.

use super::number::format_count;
use super::sheet::{Cell, Datum, Emphasis, Entries, Part, Sheet, SheetColumn, SheetTable};
use crate::analysis::questions::compare::{Change, Comparison, Finding, GateResult, MovedRow};
use crate::analysis::questions::plans::MeasuredProgram;
use crate::analysis::rows::metric::Better;
use crate::record::columns;
use crate::record::manifest::PREVIOUS;
use crate::text::plural;
use std::path::Path;

/// Formats the relative change of a total, as in `+1.25 %`. Returns `=` if the totals are equal.
pub fn format_change([base, new]: [f64; 2]) -> String {
    if base == new {
        return "=".to_owned();
    }
    if base == 0.0 {
        return "from 0".to_owned();
    }
    let percent = 100.0 * (new - base) / base;
    // A change that is too small for two decimals must not be rounded to 0.
    if percent.abs() < 0.005 { format!("{percent:+.0e} %") } else { format!("{percent:+.2} %") }
}

pub fn headline(comparison: &Comparison) -> String {
    let failed_gates = comparison.gate_results.iter().filter(|gate_result| gate_result.fails()).count();
    let (rows, moved) = (comparison.paired_count, comparison.moved_count);
    let missing = comparison.missing_count;
    let moved_text = match moved {
        0 => format!("all {rows} paired rows are equal"),
        _ => format!("{moved} of {rows} paired rows differ"),
    };
    match comparison.finding() {
        Finding::Gate => {
            format!("FAIL: {failed_gates} of {}; {moved_text}", plural(comparison.gate_results.len(), "gate"))
        }
        Finding::Missing if rows == 0 => "FAIL: NEW has no row of BASE".to_owned(),
        Finding::Missing => format!("FAIL: NEW lacks {} of BASE; {moved_text}", plural(missing, "row")),
        Finding::Unequal => format!("FAIL: the plans are equal, but {moved_text}"),
        Finding::Fine if comparison.gate_results.is_empty() => format!("ok: {moved_text}"),
        Finding::Fine if comparison.gate_results.len() == 1 => format!("ok: the gate passes; {moved_text}"),
        Finding::Fine => format!("ok: {} gates pass; {moved_text}", comparison.gate_results.len()),
    }
}

/// Describes a gate's outcome in a few words.
pub fn gate_outcome(gate_result: &GateResult) -> &'static str {
    let may_mislead = gate_result.caution.is_some();
    if gate_result.fails() {
        if may_mislead { "FAIL (may mislead)" } else { "FAIL" }
    } else if gate_result.is_noise() {
        "pass (within noise)"
    } else if may_mislead {
        "pass (may mislead)"
    } else {
        "pass"
    }
}

pub fn gate_values(gate_result: &GateResult) -> String {
    let [base, new] = gate_result.totals;
    let format_total = |value: f64| match gate_result.metric.as_str() {
        columns::SECONDS => format!("{value:.3}"),
        columns::SCORE_ERROR => format!("{value:.1}"),
        _ => format_count(value),
    };
    let rows_text = match gate_result.differing_rows {
        0 => String::new(),
        1 => ", 1 row differs".to_owned(),
        rows => format!(", {rows} rows differ"),
    };
    format!("{} -> {} ({}{rows_text})", format_total(base), format_total(new), format_change(gate_result.totals))
}

pub fn sheet(comparison: &Comparison) -> Sheet {
    let mut parts = vec![Part::List(String::new(), lead_lines(comparison))];
    parts.extend(gates_table(comparison).non_empty().map(Part::Table));
    let notes: Vec<String> = comparison.notes.iter().map(|note| format!("note: {note}")).collect();
    if !notes.is_empty() {
        parts.push(Part::Findings(notes));
    }
    parts.push(Part::Table(variants_table(comparison)));
    let tables = [metrics_table(comparison), rows_table(comparison)].into_iter().filter_map(SheetTable::non_empty);
    let tables: Vec<Part> = tables.map(Part::Table).collect();
    if !tables.is_empty() {
        parts.push(Part::Folded("What moved".to_owned(), tables));
    }
    if comparison.missing_count > 0 {
        let title = format!("Rows of BASE that NEW lacks: {}", comparison.missing_count);
        parts.push(Part::Folded(title, vec![Part::Findings(comparison.listed_missing.clone())]));
    }
    Sheet { kind: "comparison".to_owned(), name: headline(comparison), parts }
}

/// The sheet of a job's summary, which is short if nothing failed.
pub fn summary_sheet(comparison: &Comparison) -> Sheet {
    if comparison.finding() != Finding::Fine || comparison.gate_results.iter().any(GateResult::is_noise) {
        return sheet(comparison);
    }
    let mut lines = lead_lines(comparison);
    let mut cautions: Vec<&str> =
        comparison.gate_results.iter().filter_map(|gate_result| gate_result.caution.as_deref()).collect();
    cautions.dedup();
    lines.extend(cautions.iter().map(|caution| format!("the gates may mislead: {caution}")));
    Sheet { kind: "comparison".to_owned(), name: headline(comparison), parts: vec![Part::List(String::new(), lines)] }
}

fn lead_lines(comparison: &Comparison) -> Vec<String> {
    let [base, new] = &comparison.names;
    let plans = match &comparison.differences {
        None => "unknown: one of the results has no manifest.json".to_owned(),
        Some(list) if list.is_empty() => "equal".to_owned(),
        Some(list) => format!("they differ in {}", list.join("; ")),
    };
    let (rows, moved) = (comparison.paired_count, comparison.moved_count);
    let list_programs = |label: &str, programs: &[MeasuredProgram]| {
        let list: Vec<String> = programs.iter().map(ToString::to_string).collect();
        (!list.is_empty()).then(|| format!("{label} {}", list.join(", ")))
    };
    let programs = match &comparison.programs {
        [base, new] if base == new => vec![list_programs("both measure", base)],
        [base, new] => vec![list_programs("BASE measures", base), list_programs("NEW measures", new)],
    };
    let engine_warning = comparison
        .differing_program_names()
        .map(|[base, new]| format!("warning: another engine was measured, not another build: BASE {base}, NEW {new}"));
    let unpaired = [(comparison.missing_count, "missing in NEW"), (comparison.added, "only in NEW")];
    let unpaired_text: String = unpaired
        .iter()
        .filter(|(rows, _)| *rows > 0)
        .map(|(rows, description)| format!(", {rows} {description}"))
        .collect();
    let mut lines = vec![
        format!("BASE {base}, NEW {new}"),
        format!("plans: {plans}"),
        format!("rows: {moved} of {rows} moved{unpaired_text}"),
    ];
    lines.splice(1..1, programs.into_iter().flatten().chain(engine_warning).collect::<Vec<_>>());
    if Path::new(base) == Path::new(new).join(PREVIOUS) {
        let moved_variants = comparison.variants.iter().filter(|change| change.moved > 0).count();
        let variants = plural(comparison.variants.len(), "variant");
        lines.insert(0, format!("since the last run: {moved_variants} of {variants} moved"));
    }
    if let Some(index) = comparison.metric_index(columns::NODES) {
        let paired_variants = || comparison.variants.iter().filter(|change| change.paired > 0);
        // The nodes of BASE and of NEW.
        let total =
            paired_variants().fold([0.0; 2], |sum, change| [0, 1].map(|side| sum[side] + change.totals[index][side]));
        // Adding 1 avoids division by 0.
        let change_size =
            |change: &Change| ((change.totals[index][1] + 1.0) / (change.totals[index][0] + 1.0)).ln().abs();
        let largest = paired_variants()
            .filter(|change| change.differing[index] > 0)
            .max_by(|a, b| change_size(a).total_cmp(&change_size(b)));
        let largest = largest.filter(|_| paired_variants().count() > 1);
        let largest_text = largest.map_or_else(String::new, |change| {
            format!("; most in \"{}\": {}", change.variant, format_change(change.totals[index]))
        });
        lines.push(match total[0] == total[1] && largest_text.is_empty() {
            true if total[0] == 0.0 => "nodes: not reported".to_owned(),
            true => format!("nodes: {}, unmoved", format_count(total[0])),
            false => format!(
                "nodes: {} -> {} ({}){largest_text}",
                format_count(total[0]),
                format_count(total[1]),
                format_change(total)
            ),
        });
    }
    let failing = comparison.gate_results.iter().filter(|gate_result| gate_result.fails()).count();
    lines.push(match comparison.gate_results.len() {
        // A gate judges paired rows, so there is nothing to judge without paired rows.
        0 if rows == 0 => "gate: nothing to judge: no row is in both".to_owned(),
        0 => "gate: none was given (--fail-on)".to_owned(),
        1 if failing == 0 => "gate: it passes".to_owned(),
        count if failing == 0 => format!("gate: all {count} pass"),
        count => format!("gate: {failing} of {count} fail"),
    });
    lines
}

/// If the change is significant, the cell is highlighted as better or worse.
fn change_cell([base, new]: [f64; 2], is_significant: bool) -> Cell {
    if base.is_nan() {
        return Cell::empty("no nodes");
    }
    let emphasis = Emphasis::for_change(is_significant, new < base, Better::Less);
    let relative_change = if base == new { 0.0 } else { (new - base) / base };
    Cell { value: Datum::Number(relative_change), ..Cell::text(format_change([base, new])) }.with_emphasis(emphasis)
}

fn gates_table(comparison: &Comparison) -> SheetTable {
    let rows = comparison.gate_results.iter().map(|gate_result| {
        let emphasis = if gate_result.fails() { Emphasis::Failed } else { Emphasis::Passed };
        let mut cells = [gate_outcome(gate_result), &gate_result.gate, &gate_result.variant, &gate_values(gate_result)]
            .map(Cell::text);
        cells[0].emphasis = emphasis;
        cells
    });
    SheetTable::new("gates", "Gates", SheetColumn::from_names(["verdict", "gate", "variant", "base -> new"]), rows)
}

const TOO_FEW_POSITIONS: &str = "too few positions";

fn variants_table(comparison: &Comparison) -> SheetTable {
    let nodes_index = comparison.metric_index(columns::NODES);
    // A search has at least one node, so a total of 0 was not reported.
    let nodes_of = |change: &Change| {
        nodes_index.map(|index| change.totals[index]).filter(|totals| *totals != [0.0; 2]).unwrap_or([f64::NAN; 2])
    };
    let interval_meaning = "of the ratio; †: only over the depths that both searches finished";
    let p_meaning = "sign-flip test, corrected for the number of variants: all signs are flipped together";
    let entries = Entries::<Change>::default()
        .text("variant", "variant", "its name in BASE", |change| Cell::text(&change.variant))
        .number("rows", "rows", "that both results have", |change| Cell::count(change.paired as f64))
        .number("moved", "moved", "paired rows that differ", |change| Cell::count(change.moved as f64))
        .number("missing", "missing", "rows that NEW lacks", |change| Cell::count(change.missing as f64))
        .drop_order(4)
        .number("nodes_base", "nodes", "of BASE", |change| Cell::count(nodes_of(change)[0]))
        .number("nodes_new", "new nodes", "of NEW", |change| Cell::count(nodes_of(change)[1]))
        .number("change", "change", "of the totals", |change| change_cell(nodes_of(change), change.p < 0.05))
        .number("ratio", "ratio", "geometric mean over the searches", |change| {
            Cell::decimal(change.nodes.mean, 3).with_reason("no pairs")
        })
        .drop_order(3)
        .number("interval", "95 %", interval_meaning, |change| {
            let cell = Cell::range(change.nodes.low, change.nodes.high).with_reason(TOO_FEW_POSITIONS);
            cell.with_sign('†', change.truncated > 0)
        })
        .drop_order(2)
        .number("p", "p", p_meaning, |change| Cell::p(change.p).with_reason(TOO_FEW_POSITIONS))
        .drop_order(1);
    entries.table("variants", "Variants", &comparison.variants)
}

fn change_columns() -> [SheetColumn; 3] {
    ["base", "new", "change"].map(|name| SheetColumn::number(name, name, ""))
}

fn metrics_table(comparison: &Comparison) -> SheetTable {
    let mut rows = Vec::new();
    for (index, metric) in comparison.metrics.iter().enumerate() {
        for change in comparison.variants.iter().filter(|change| change.differing[index] > 0) {
            let totals = change.totals[index];
            let [base, new] = totals.map(Cell::count);
            rows.push([
                Cell::text(metric),
                Cell::text(&change.variant),
                Cell::count(change.differing[index] as f64),
                base,
                new,
                change_cell(totals, false),
            ]);
        }
    }
    let count_column = [SheetColumn::number("rows", "rows", "that differ").drop_order(1)];
    let columns = [&SheetColumn::from_names(["metric", "variant"])[..], &count_column, &change_columns()].concat();
    SheetTable::new("movements", "Metrics", columns, rows)
}

fn rows_table(comparison: &Comparison) -> SheetTable {
    let rows = comparison.moved.iter().map(|row| {
        let [base, new] = row.nodes.map(Cell::count);
        [Cell::text(describe_row(row)), base, new, change_cell(row.nodes, false), Cell::text(differing_columns(row))]
    });
    let names_column = [SheetColumn::text("columns", "columns", "that differ")];
    let columns = [&SheetColumn::from_names(["row"])[..], &change_columns(), &names_column].concat();
    SheetTable::new("moved_rows", "Rows with the largest changes of nodes", columns, rows)
}

/// Describes a row by its variant, position, depth and repeat.
fn describe_row(row: &MovedRow) -> String {
    let repeat = if row.repeat > 0 { format!(", repeat {}", row.repeat) } else { String::new() };
    format!("\"{}\", {}, depth {}{repeat}", row.variant, row.position, row.depth)
}

/// Describes the columns in which a row differs. At most six columns are named.
fn differing_columns(row: &MovedRow) -> String {
    const MAX_NAMED: usize = 6;
    let names: Vec<&str> = row.columns.iter().take(MAX_NAMED).map(String::as_str).collect();
    let and_more = crate::text::and_more(row.columns.len().saturating_sub(MAX_NAMED));
    format!("{}{and_more} differ", names.join(", "))
}

#[cfg(test)]
mod tests;
