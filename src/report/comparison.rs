//! A comparison for readers: plain text for a terminal, Markdown for a job's summary.

use super::markdown::plain as cell;
use super::number::{count, number};
use crate::analysis::questions::compare::{Change, Comparison, Finding, Judged, Moved};
use crate::record::columns;
use std::fmt::Write;

/// The change from one total to another: `+1.25 %`, or `=`.
#[must_use]
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
#[must_use]
pub fn headline(comparison: &Comparison) -> String {
    let failing = comparison.judged.iter().filter(|judged| judged.fails).count();
    let (rows, moved) = comparison.rows;
    let moved = match moved {
        0 => format!("all {rows} paired rows are equal"),
        moved => format!("{moved} of {rows} paired rows moved"),
    };
    match comparison.finding() {
        Finding::Gate => format!("FAIL: {failing} of {} gates; {moved}", comparison.judged.len()),
        Finding::Missing if rows == 0 => "FAIL: no row of BASE is in NEW".to_owned(),
        Finding::Missing => format!("FAIL: NEW lacks {} rows of BASE; {moved}", comparison.missing.0),
        Finding::Unequal => format!("FAIL: the plans are equal, but {moved}"),
        Finding::Fine if comparison.judged.is_empty() => format!("ok: {moved}"),
        Finding::Fine => format!("ok: {} gates pass; {moved}", comparison.judged.len()),
    }
}

/// The ratio with its interval and p; a dash where one position has to do.
fn ratio(change: &Change) -> [String; 3] {
    let ratio = change.nodes;
    let interval = match ratio.low.is_nan() {
        true => "-".to_owned(),
        false => format!("{:.3}-{:.3}", ratio.low, ratio.high),
    };
    [number(ratio.mean, 3), interval, number(change.p, 3)]
}

/// Headings of the table of variants.
const HEADINGS: [&str; 9] = ["rows", "moved", "missing", "nodes", "new nodes", "change", "ratio", "95 %", "p"];

fn fields(comparison: &Comparison, change_of: &Change) -> Vec<String> {
    let nodes = comparison.metric(columns::NODES).map_or([f64::NAN; 2], |at| change_of.totals[at]);
    let mut fields = vec![
        change_of.paired.to_string(),
        change_of.moved.to_string(),
        change_of.missing.to_string(),
        count(nodes[0]),
        count(nodes[1]),
        change(nodes),
    ];
    fields.extend(ratio(change_of));
    fields
}

/// Metrics that moved in some variant: name, variant, rows, totals.
fn movements(comparison: &Comparison) -> Vec<(&str, &Change, usize, [f64; 2])> {
    comparison
        .metrics
        .iter()
        .enumerate()
        .flat_map(|(at, metric)| {
            comparison
                .variants
                .iter()
                .filter(move |change| change.differ[at] > 0)
                .map(move |change| (metric.as_str(), change, change.differ[at], change.totals[at]))
        })
        .collect()
}

/// A gate's outcome in a word or two.
#[must_use]
pub fn outcome(judged: &Judged) -> &'static str {
    match (judged.fails, judged.noise) {
        (true, _) => "FAIL",
        (false, true) => "pass (within noise)",
        (false, false) => "pass",
    }
}

/// What a gate saw.
#[must_use]
pub fn seen(judged: &Judged) -> String {
    let [base, new] = judged.totals;
    let total = |value: f64| if judged.metric == columns::SECONDS { format!("{value:.3}") } else { count(value) };
    let rows = if judged.differ > 0 { format!(", {} rows differ", judged.differ) } else { String::new() };
    format!("{} -> {} ({}{rows})", total(base), total(new), change(judged.totals))
}

/// Columns that lie beside each other, the first to the left.
fn aligned(out: &mut String, headings: &[&str], rows: &[Vec<String>]) {
    let width = |at: usize| {
        let cells = rows.iter().map(|row| row[at].chars().count());
        cells.max().unwrap_or(0).max(headings[at].chars().count())
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for (at, (cell, width)) in cells.zip(&widths).enumerate() {
            let _ = if at == 0 { write!(text, "{cell:<width$}") } else { write!(text, "  {cell:>width$}") };
        }
        let _ = writeln!(out, "{}", text.trim_end());
    };
    line(&mut headings.iter().copied());
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
}

/// For a terminal.
#[must_use]
pub fn text(comparison: &Comparison) -> String {
    let mut out =
        format!("{}\n  BASE {}\n  NEW  {}\n\n", headline(comparison), comparison.names[0], comparison.names[1]);
    let rows: Vec<Vec<String>> = comparison
        .variants
        .iter()
        .map(|change| [vec![change.variant.clone()], fields(comparison, change)].concat())
        .collect();
    aligned(&mut out, &[&["variant"], &HEADINGS[..]].concat(), &rows);
    let moves = movements(comparison);
    if !moves.is_empty() {
        let _ = writeln!(out, "\nwhat moved");
        let rows: Vec<Vec<String>> = moves
            .iter()
            .map(|(metric, of, rows, totals)| {
                let [base, new] = totals.map(count);
                vec![format!("  {metric}"), of.variant.clone(), rows.to_string(), base, new, change(*totals)]
            })
            .collect();
        aligned(&mut out, &["  metric", "variant", "rows", "base", "new", "change"], &rows);
    }
    if !comparison.moved.is_empty() {
        let _ = writeln!(out, "\nrows that moved most, by nodes");
        for moved in &comparison.moved {
            let _ = writeln!(
                out,
                "  {}: nodes {} -> {} ({}); {}",
                place(moved),
                count(moved.nodes[0]),
                count(moved.nodes[1]),
                change(moved.nodes),
                differing(moved)
            );
        }
    }
    if comparison.missing.0 > 0 {
        let _ = writeln!(out, "\nrows of BASE that NEW lacks: {}", comparison.missing.0);
        comparison.missing.1.iter().for_each(|row| {
            let _ = writeln!(out, "  {row}");
        });
    }
    if comparison.added > 0 {
        let _ = writeln!(out, "\nrows that only NEW has: {}", comparison.added);
    }
    if !comparison.judged.is_empty() {
        let _ = writeln!(out, "\ngates");
        for judged in &comparison.judged {
            let _ = writeln!(out, "  {}: {} \"{}\": {}", outcome(judged), judged.gate, judged.variant, seen(judged));
        }
    }
    for note in &comparison.notes {
        let _ = writeln!(out, "note: {note}");
    }
    out.trim_end().to_owned()
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

/// Text from outside that stands between backticks, in a table or not.
fn code(text: &str) -> String {
    text.replace('`', "'").replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// For a job's summary, or a comment.
#[must_use]
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = format!("### ttlab compare: {}\n\n", cell(&headline(comparison)));
    let [base, new] = comparison.names.each_ref().map(|name| code(name));
    let _ = writeln!(out, "BASE `{base}`, NEW `{new}`\n");
    if !comparison.judged.is_empty() {
        let _ = writeln!(out, "| gate | variant | base -> new | verdict |\n|---|---|---|---|");
        for judged in &comparison.judged {
            let (gate, variant) = (code(&judged.gate), cell(&judged.variant));
            let mark = if judged.fails { "**" } else { "" };
            let _ = writeln!(out, "| `{gate}` | {variant} | {} | {mark}{}{mark} |", seen(judged), outcome(judged));
        }
        out.push('\n');
    }
    let _ = writeln!(out, "| variant | {} |\n|---|{}", HEADINGS.join(" | "), "---:|".repeat(HEADINGS.len()));
    for change in &comparison.variants {
        let _ = writeln!(out, "| {} | {} |", cell(&change.variant), fields(comparison, change).join(" | "));
    }
    let moves = movements(comparison);
    if !moves.is_empty() {
        let _ = writeln!(out, "\n<details><summary>What moved</summary>\n");
        let _ = writeln!(out, "| metric | variant | rows | base | new | change |\n|---|---|---:|---:|---:|---:|");
        for (metric, of, rows, totals) in moves {
            let ([base, new], variant) = (totals.map(count), cell(&of.variant));
            let _ = writeln!(out, "| {metric} | {variant} | {rows} | {base} | {new} | {} |", change(totals));
        }
        let _ = writeln!(out, "\n| row | nodes | new nodes | change | columns |\n|---|---:|---:|---:|---|");
        for moved in &comparison.moved {
            let [base, new] = moved.nodes.map(count);
            let (place, columns) = (cell(&place(moved)), cell(&differing(moved)));
            let _ = writeln!(out, "| {place} | {base} | {new} | {} | {columns} |", change(moved.nodes));
        }
        let _ = writeln!(out, "\n</details>");
    }
    if comparison.missing.0 > 0 {
        let _ = writeln!(out, "\n<details><summary>{} rows of BASE that NEW lacks</summary>\n", comparison.missing.0);
        comparison.missing.1.iter().for_each(|row| {
            let _ = writeln!(out, "- {}", cell(row));
        });
        let _ = writeln!(out, "\n</details>");
    }
    for note in &comparison.notes {
        let _ = writeln!(out, "\n> {}", cell(note));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::change;

    #[test]
    fn small_changes_do_not_look_like_none() {
        assert_eq!(change([1000.0, 1010.0]), "+1.00 %");
        assert_eq!(change([1000.0, 1000.0]), "=");
        assert_eq!(change([1e9, 1e9 + 1.0]), "+1e-7 %");
        assert_eq!(change([0.0, 3.0]), "from 0");
        assert_eq!(change([4.0, 1.0]), "-75.00 %");
    }
}
