//! The warnings of a page.

use super::Page;
use crate::analysis::caveats::warnings;
use crate::analysis::questions::line::Line;
use crate::analysis::questions::quality;
use crate::experiment::File;
use crate::record::manifest::Manifest;
use crate::record::reference;
use crate::record::{columns, packed};
use crate::report::choices::Choices;
use crate::report::source::Source;
use crate::text::plural;

impl Page {
    /// Collects the blockers, warnings and notes of the page, all from the rows. What the design
    /// alone tells is said before the run. If searches of different results are
    /// paired, `line_options` are the options that distinguish the lines or pairs.
    pub(super) fn collect_warnings(&mut self, sources: &[Source], choices: &Choices, line_options: Option<&[&str]>) {
        let (mut warnings, mut notes) = (source_warnings(sources), source_notes(sources));
        let pairing_warnings =
            line_options.map_or_else(Vec::new, |options| warnings::pairing_warnings(&manifests(sources), options));
        warnings.extend(pairing_warnings.iter().map(ToString::to_string));
        let result_warnings = warnings::result_warnings(&self.summary, self.timing.as_ref());
        warnings.extend(result_warnings.iter().map(ToString::to_string));
        // These warnings are about the variants of a single result.
        if let [source] = sources
            && source.manifest.is_some()
            && choices.by.is_none()
        {
            notes.extend(unjudged_note(source));
            self.blockers.extend(warnings::no_pressure(&self.manifest, &self.summary));
            self.blockers.extend(warnings::no_nodes(&self.manifest, &self.summary));
            notes.extend(engine_row_notes(source).unwrap_or_default());
            let times_were_chosen =
                self.summary.metrics.iter().any(crate::analysis::Metric::is_time) && !choices.metrics.is_empty();
            let asks_for_times = times_were_chosen || source.file.as_ref().is_some_and(File::asks_for_times);
            let variant_warnings = warnings::variant_warnings(&self.manifest, &self.summary, asks_for_times);
            warnings.extend(variant_warnings.iter().map(ToString::to_string));
        }
        if self.custom_metrics && self.summary.lines.len() > 1 {
            for (index, metric) in self.summary.metrics.iter().enumerate() {
                if self.summary.lines.iter().all(|line| line.is_baseline || line.measures[index].ratio.mean.is_nan()) {
                    warnings.push(format!(
                        "no figure of {}: no line has a ratio to the baseline (nothing was counted); its values are in \
                         the table, and by depth with `--pivot depth`",
                        metric.name
                    ));
                }
            }
        }
        warnings.extend(describe_false_mates(&self.summary.lines));
        (self.warnings, self.notes) = (warnings, notes);
    }
}

/// Mate scores that do not count as found.
fn describe_false_mates(lines: &[Line]) -> Option<String> {
    let describe = |line: &Line| {
        let [all, _, unproved, wrong] = line.mates;
        (unproved + wrong > 0).then(|| format!("{} {unproved} and {wrong} of {all}", line.name))
    };
    let described: Vec<String> = lines.iter().filter_map(describe).collect();
    (!described.is_empty()).then(|| {
        let kinds = "(its line does not end in mate) or a wrong one (for the other side, or too short)";
        format!("searches that end with an unproved mate {kinds} count as not found: {}", described.join("; "))
    })
}

fn manifests(sources: &[Source]) -> Vec<(&str, Option<&Manifest>)> {
    sources.iter().map(|source| (source.label.as_str(), source.manifest.as_ref())).collect()
}

pub(super) fn source_warnings(sources: &[Source]) -> Vec<String> {
    let manifests = manifests(sources);
    let mut warnings: Vec<String> = warnings::join_warnings(&manifests).iter().map(ToString::to_string).collect();
    let missing = sources.iter().filter_map(|source| Some((&source.label, source.missing.as_ref()?)));
    warnings.extend(
        missing.map(|(label, missing)| format!("{label}: {missing}. The figures cover only the existing rows")),
    );
    warnings
}

pub(super) fn source_notes(sources: &[Source]) -> Vec<String> {
    let manifests = manifests(sources);
    let shards = manifests.iter().filter_map(|(_, manifest)| warnings::shard_warning((*manifest)?));
    let shard_notes = shards.map(|warning| warning.to_string());
    let skip_notes =
        manifests.iter().filter_map(|(label, manifest)| describe_left_out(label, &(*manifest)?.planned.left_out));
    let time_notes = manifests.iter().filter_map(|(label, manifest)| {
        let rows = (*manifest)?.run.sources.iter().map(|source| source.rows).sum::<u64>();
        (rows > 0).then(|| format!("{label}: {} taken from other results have no times", plural(rows, "row")))
    });
    shard_notes.chain(skip_notes).chain(time_notes).collect()
}

/// An engine may play another move than the first of its line, and search deeper than it was told.
/// Frames have no lines, so rows are read.
fn engine_row_notes(source: &Source) -> Option<Vec<String>> {
    source.manifest.as_ref().filter(|manifest| !manifest.run.subjects.is_empty())?;
    let path = if source.path.is_dir() { packed::results_file(&source.path) } else { source.path.clone() };
    let mut reader = csv::Reader::from_reader(packed::open(&path).ok()?);
    let header = reader.headers().ok()?.clone();
    let find = |name: &str| header.iter().position(|column| column == name);
    let (best, pv) = find(columns::BEST).zip(find(columns::PV))?;
    let (depth, limit) = find(columns::DEPTH).zip(find(columns::LIMIT))?;
    let (mut others, mut deeper) = (0, 0);
    for row in reader.records().flatten() {
        others += usize::from(!row[pv].is_empty() && !row[pv].starts_with(&row[best]));
        let most = row[limit].strip_prefix("depth ").and_then(|rest| rest.split(',').next()?.parse::<u32>().ok());
        deeper += usize::from(most.is_some_and(|most| row[depth].parse().is_ok_and(|depth: u32| depth > most)));
    }
    let notes = [
        (others, "score and line are of another move than the best in"),
        (deeper, "the search went deeper than its limit in"),
    ];
    Some(
        notes
            .iter()
            .filter(|(rows, _)| *rows > 0)
            .map(|(rows, text)| format!("{text} {}", plural(*rows, "row")))
            .collect(),
    )
}

fn unjudged_note(source: &Source) -> Option<String> {
    let file = source.file.as_ref()?;
    let judges_moves = file.reference.as_ref()?.own_search.is_none();
    if file.sequence.as_ref().is_some_and(|sequence| sequence.self_play > 0) {
        return Some(
            "moves along an engine's own play are not judged: this file's [reference] has no effect".to_owned(),
        );
    }
    let (unjudged_count, search_count) = quality::count_unjudged(&source.frame, &source.judgements, judges_moves);
    let description = format!("{unjudged_count} of {} are not judged by the reference", plural(search_count, "search"));
    let consequence = if !judges_moves {
        "the score errors cover only the judged searches".to_owned()
    } else if source.judgements.is_empty() {
        format!("without {}, there is no table of the quality of the moves", reference::NAME)
    } else {
        "the losses cover only the judged searches".to_owned()
    };
    (unjudged_count > 0).then(|| format!("{description}: {consequence}; run the same command again to judge them"))
}

/// Describes the items that were left out of a suite, and the notes on items that were kept: the
/// number of each and the first few notes. Returns `None` if `notes` is empty.
pub fn describe_left_out(label: &str, notes: &[String]) -> Option<String> {
    const MAX_NOTES: usize = 3;
    let (left_out, kept): (Vec<&String>, Vec<_>) = notes.iter().partition(|note| note.contains("left out: "));
    let describe = |notes: &[&String], what: String| {
        let first =
            notes.iter().take(MAX_NOTES).map(|note| note.replace("left out: ", "")).collect::<Vec<_>>().join("; ");
        let more = notes.len().saturating_sub(MAX_NOTES);
        let more = if more > 0 { format!("; and {more} more (manifest.json)") } else { String::new() };
        (!notes.is_empty()).then(|| format!("{what}: {first}{more}"))
    };
    let verb = if left_out.len() == 1 { "was" } else { "were" };
    let left_out = describe(&left_out, format!("{} of the suite {verb} left out", plural(left_out.len(), "item")));
    let kept = describe(&kept, format!("{} on the suite", plural(kept.len(), "note")));
    let parts: Vec<String> = left_out.into_iter().chain(kept).collect();
    (!parts.is_empty()).then(|| format!("{label}: {}", parts.join("; ")))
}
