//! The summary for a terminal: columns that line up, at most 100 wide for names of usual length.

use super::Page;
use crate::analysis::Line;
use std::fmt::Write;

/// A count with separators: 32,521,084.
#[must_use]
pub fn count(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if value < 0.0 { format!("-{grouped}") } else { grouped }
}

/// A share in percent, or a dash where there is nothing to share.
#[must_use]
pub fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1} %", 100.0 * part / whole) } else { "-".to_owned() }
}

/// A number with so many decimals, or a dash.
#[must_use]
pub fn number(value: f64, decimals: usize) -> String {
    if value.is_nan() { "-".to_owned() } else { format!("{value:.decimals$}") }
}

/// The interval of the ratio, marked where it leaves 1 out and stays so after Holm's correction.
fn interval(line: &Line) -> String {
    let ratio = line.ratio();
    let p = line.measures.first().map_or(f64::NAN, |measure| measure.p);
    if ratio.low.is_nan() || p.is_nan() {
        return "-".to_owned();
    }
    let mark = if ratio.is_clear() && p < 0.05 { "!" } else { "" };
    format!("{:.3}-{:.3}{mark}", ratio.low, ratio.high)
}

/// The columns of the summary: heading, and the field of a line.
pub type Column = (&'static str, fn(&Line) -> String);

/// What the summary shows of each variant, on every page.
pub const COLUMNS: &[Column] = &[
    ("nodes", |line| count(line.nodes)),
    ("x base", |line| number(line.ratio().mean, 3)),
    ("95 %", |line| interval(line)),
    ("usable", |line| percent(line.usable, line.probes)),
    ("move", |line| percent(line.move_only, line.probes)),
    ("full", |line| if line.hashfull.is_nan() { "-".to_owned() } else { format!("{:.0} %", line.hashfull / 10.0) }),
    ("stores/slot", |line| number(line.pressure, 2)),
    ("seconds", |line| number(line.seconds, 2)),
];

/// Renders the summary.
#[must_use]
pub fn render(page: &Page) -> String {
    let mut out = String::new();
    let lines = &page.summary.lines;
    let name = |at: usize| {
        let mark = if lines[at].is_baseline { " *" } else { "" };
        format!("{}{mark}", lines[at].name)
    };
    let first = (0..lines.len()).map(|at| name(at).chars().count()).max().unwrap_or(0).max(7);
    let cells: Vec<Vec<String>> =
        lines.iter().map(|line| COLUMNS.iter().map(|(_, field)| field(line)).collect()).collect();
    let widths: Vec<usize> = COLUMNS
        .iter()
        .enumerate()
        .map(|(at, (heading, _))| cells.iter().map(|row| row[at].chars().count()).max().unwrap_or(0).max(heading.len()))
        .collect();
    let _ = write!(out, "{:<first$}", "variant");
    for ((heading, _), width) in COLUMNS.iter().zip(&widths) {
        let _ = write!(out, "  {heading:>width$}");
    }
    out.push('\n');
    for (at, row) in cells.iter().enumerate() {
        let _ = write!(out, "{:<first$}", name(at));
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(out, "  {cell:>width$}");
        }
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "* baseline; x base: geometric mean over {} searches of nodes against it, with its 95 % interval (!: clear of 1, p < 0.05 \
         after Holm);\nusable, move: shares of probes that ended their node or gave it a move",
        page.summary.searches
    );
    let failed = page.verdicts.iter().filter(|verdict| !verdict.passes()).count();
    if !page.verdicts.is_empty() {
        let _ = writeln!(out, "\nverdicts: {} of {} as wanted", page.verdicts.len() - failed, page.verdicts.len());
        for verdict in page.verdicts.iter().filter(|verdict| !verdict.passes()) {
            let _ = writeln!(
                out,
                "  {}: published {}, measured {}: {}",
                verdict.subject,
                verdict.published,
                verdict.measured,
                verdict.word()
            );
        }
    }
    for warning in &page.warnings {
        let _ = writeln!(out, "warning: {warning}");
    }
    out.trim_end().to_owned()
}
