//! `report.md`: reads well where it lies, and on the pages of a code host.

use super::Page;
use super::text::{COLUMNS, count, percent};
use crate::analysis::Verdict;
use std::fmt::Write;

/// Text from a file made harmless in a Markdown table.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ").replace('<', "&lt;")
}

/// Renders the report.
#[must_use]
pub fn render(page: &Page) -> String {
    let mut out = String::new();
    let manifest = &page.manifest;
    let _ = writeln!(out, "# {}\n", cell(&manifest.name));
    if !manifest.question.is_empty() {
        let _ = writeln!(out, "**{}**\n", cell(&manifest.question));
    }
    if !page.analysis.is_empty() {
        let _ = writeln!(out, "{}\n", page.analysis.replace('<', "&lt;"));
    }
    let kind = if manifest.sequence { "items, searched in sequence" } else { "positions" };
    let _ = writeln!(
        out,
        "Suite `{}`: {} {kind}; {} variants, {} repeat(s); plan `{}`. ttlab {} ({}, {}).\n",
        cell(&manifest.suite),
        manifest.items,
        manifest.variants.len(),
        manifest.repeats,
        manifest.plan,
        manifest.build.version,
        manifest.build.commit,
        manifest.build.profile,
    );
    for warning in &page.warnings {
        let _ = writeln!(out, "> **Warning:** {}\n", cell(warning));
    }
    summary(&mut out, page);
    anatomy(&mut out, page);
    verdicts(&mut out, page);
    let machine = &manifest.machine;
    let huge = match manifest.huge_pages {
        Some(true) => "got",
        Some(false) => "asked for, not got",
        None => "not asked for or unknown",
    };
    let _ = writeln!(
        out,
        "## Machine\n\n{}, {} cores, {:.1} GiB, {}; {} job(s) at a time; huge pages: {huge}.",
        cell(&machine.cpu),
        machine.cores,
        machine.memory_bytes as f64 / f64::from(1 << 30),
        machine.os,
        manifest.jobs
    );
    out
}

fn summary(out: &mut String, page: &Page) {
    let _ = writeln!(out, "## Summary\n");
    let headings: Vec<&str> = COLUMNS.iter().map(|(heading, _)| *heading).collect();
    let _ = writeln!(out, "| variant | {} |\n|---|{}", headings.join(" | "), "---:|".repeat(headings.len()));
    for line in &page.summary.lines {
        let mark = if line.is_baseline { " (baseline)" } else { "" };
        let fields: Vec<String> = COLUMNS.iter().map(|(_, field)| field(line)).collect();
        let _ = writeln!(out, "| {}{mark} | {} |", cell(&line.name), fields.join(" | "));
    }
    let _ = writeln!(
        out,
        "\nNodes and seconds are sums over all iterations of {} searches; *x base* is the geometric mean over \
         searches of the nodes against the baseline's, with its bootstrap interval (games or positions drawn \
         with replacement; ! where it leaves 1 out and the sign-flip test agrees at 5 % after Holm's correction); *usable* and *move* are shares of the probes that ended their node or \
         gave it a first move; *full* is the share of slots taken at the end of a search.\n",
        page.summary.searches
    );
    let changed: Vec<_> = page.summary.lines.iter().filter(|line| line.other_scores.0 > 0).collect();
    if !changed.is_empty() {
        let _ = writeln!(out, "| variant | searches that end with another score than the baseline's |\n|---|---:|");
        for line in changed {
            let (other, all) = line.other_scores;
            let _ = writeln!(out, "| {} | {other} of {all} |", cell(&line.name));
        }
        out.push('\n');
    }
    if page.summary.lines.iter().any(|line| line.solved.1 > 0) {
        let _ = writeln!(out, "| variant | solved |\n|---|---:|");
        for line in &page.summary.lines {
            let _ = writeln!(out, "| {} | {} of {} |", cell(&line.name), line.solved.0, line.solved.1);
        }
        out.push('\n');
    }
}

fn anatomy(out: &mut String, page: &Page) {
    let with_table: Vec<_> = page.summary.lines.iter().filter(|line| line.probes > 0.0).collect();
    if with_table.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "## Where the probes and stores went\n\n| variant | probes | hits | empty miss | other-key miss | stores | displaced another \
         | refused |\n|---|---:|---:|---:|---:|---:|---:|---:|"
    );
    for line in with_table {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            cell(&line.name),
            count(line.probes),
            percent(line.hits, line.probes),
            percent(line.misses_empty, line.probes),
            percent(line.misses_other, line.probes),
            count(line.stores),
            percent(line.evictions, line.stores),
            percent(line.rejections, line.stores),
        );
    }
    out.push('\n');
}

fn verdicts(out: &mut String, page: &Page) {
    if page.verdicts.is_empty() {
        return;
    }
    let _ = writeln!(out, "## Verdicts\n");
    verdict_table(out, &page.verdicts);
}

/// Published, measured, verdict.
pub(super) fn verdict_table(out: &mut String, verdicts: &[Verdict]) {
    let _ = writeln!(out, "| what | published | measured | verdict | source |\n|---|---:|---:|---|---|");
    for verdict in verdicts {
        let source = [verdict.source.as_str(), verdict.note.as_str()];
        let source: Vec<&str> = source.into_iter().filter(|text| !text.is_empty()).collect();
        let mark = if verdict.passes() { "" } else { "**" };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {mark}{}{mark} | {} |",
            cell(&verdict.subject),
            cell(&verdict.published),
            cell(&verdict.measured),
            verdict.word(),
            cell(&source.join(". ")),
        );
    }
    out.push('\n');
}
