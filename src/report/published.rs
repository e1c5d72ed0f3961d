//! The page for readers of the published articles: what they claim, what was measured, and the verdict.

use super::Page;
use super::markdown::{self, plain};
use super::table;
use std::fmt::Write;

/// How many verdicts are as wanted, of how many.
fn tally(page: &Page) -> (usize, usize) {
    (page.verdicts.iter().filter(|verdict| verdict.passes()).count(), page.verdicts.len())
}

/// The page.
#[must_use]
pub fn markdown(pages: &[Page]) -> String {
    let mut out = String::from(
        "# What five articles say about their transposition tables, and what holds\n\n\
         Written by `ttlab reproduce` from `experiments/published/`. Each section is one experiment: the published figure or claim, what was \
         measured, and the verdict. *holds*: the figure is met to the last digit, lies in the range given, or the claim's comparison is true. \
         *differs, as it should*: the published figure is an artefact, and the run shows it. *within noise*: totals decide, but the ratio, \
         paired by position or game, cannot be told from 1. Node counts are the same on every machine; seconds \
         are not.\n\n",
    );
    let _ = writeln!(out, "| experiment | question | as wanted |\n|---|---|---:|");
    for page in pages {
        let (good, all) = tally(page);
        let name = plain(&page.manifest.name);
        let _ = writeln!(out, "| [{name}](#{name}) | {} | {good} of {all} |", plain(&page.manifest.question));
    }
    for page in pages {
        let name = plain(&page.manifest.name);
        let _ = writeln!(out, "\n## {name}\n\n**{}**\n", plain(&page.manifest.question));
        if !page.analysis.is_empty() {
            let _ = writeln!(out, "{}\n", page.analysis.replace('<', "&lt;"));
        }
        if let Some(verdicts) = table::verdicts(page) {
            markdown::rows(&mut out, &verdicts);
        }
        let _ = writeln!(out, "[All figures]({name}/report.md); every row: `ttlab reproduce --only {name}`.");
    }
    let machines: std::collections::BTreeSet<String> = pages
        .iter()
        .map(|page| {
            format!(
                "{}, {} cores; ttlab {} ({})",
                page.manifest.machine.cpu,
                page.manifest.machine.cores,
                page.manifest.build.version,
                page.manifest.build.profile
            )
        })
        .collect();
    let _ = writeln!(out, "\n## Machine\n\n{}", machines.into_iter().collect::<Vec<_>>().join("\n"));
    out
}

/// The same for a terminal: one line for each verdict.
#[must_use]
pub fn text(pages: &[Page]) -> String {
    let mut out = String::new();
    for page in pages {
        let (good, all) = tally(page);
        let _ = writeln!(out, "\n{} ({good} of {all} as wanted): {}", page.manifest.name, page.manifest.question);
        for verdict in &page.verdicts {
            let mark = if verdict.passes() { ' ' } else { '!' };
            let _ = writeln!(
                out,
                "{mark} {:<22} {}: published {}, measured {}",
                verdict.word(),
                verdict.subject,
                verdict.published,
                verdict.measured
            );
        }
    }
    out
}
