//! The warnings of a page.

use super::Page;
use crate::analysis::caveats::{confounds, sample_size, sensitivity, warnings};
use crate::analysis::questions::quality;
use crate::experiment::{File, paths};
use crate::record::manifest::Manifest;
use crate::record::reference::NAME;
use crate::report::choices::Choices;
use crate::report::source::Source;
use crate::text::plural;
use std::collections::{BTreeMap, BTreeSet};

impl Page {
    /// Collects blockers, warnings and notes. `line_options`: the options that identify lines or
    /// pairs, if searches of several results are paired.
    pub(super) fn collect_warnings(&mut self, sources: &[Source], choices: &Choices, line_options: Option<&[&str]>) {
        let finished =
            sources.iter().all(|source| source.manifest.as_ref().is_none_or(|manifest| manifest.ended.is_some()));
        let (mut warnings, mut notes) = (source_warnings(sources), source_notes(sources));
        let differences =
            line_options.map_or_else(Vec::new, |named| warnings::pairing_warnings(&manifests(sources), named));
        warnings.extend(differences.iter().map(ToString::to_string));
        let own = warnings::result_warnings(&self.summary, self.timing.as_ref(), finished);
        warnings.extend(own.iter().map(ToString::to_string));
        if let [only] = sources
            && only.manifest.is_some()
            && choices.by.is_none()
        {
            let shown: Vec<&str> = self.summary.lines.iter().map(|line| line.name.as_str()).collect();
            let manifest = restrict(&self.manifest, &shown);
            let preflight = only.preflight_warnings(&shown);
            warnings.extend(preflight.warnings);
            warnings.extend(manifest.limits.iter().cloned());
            notes.extend(preflight.notes);
            warnings.extend(different_engines(&manifest));
            let sequence = only.file.as_ref().and_then(|file| file.sequence.as_ref());
            warnings.extend(sensitivity::diverging_games(sequence, self.summary.lines.len()));
            notes.extend(unjudged_moves(only));
            let keeping = manifest.kept_variants();
            let lines = self.summary.lines.iter().map(|line| line.name.as_str());
            let keeping_lines: Vec<&str> = lines.filter(|name| keeping.contains(name)).collect();
            if self.summary.lines.len() > 1 {
                warnings.extend(sensitivity::uncleared_tables(&keeping_lines, self.manifest.items));
            }
            let effect = only.file.as_ref().map_or(0.0, |file| file.smallest_effect);
            let counts = sensitivity::count_warnings(&manifest, &self.summary, effect);
            self.undetectable = counts.all_warnings().cloned().collect();
            self.blockers = counts.blockers;
            warnings.extend(counts.warnings);
            let shown =
                self.summary.metrics.iter().any(crate::analysis::Metric::is_time) && !choices.metrics.is_empty();
            if shown || only.file.as_ref().is_some_and(File::asks_for_times) {
                warnings.extend(sensitivity::time_warnings(&self.manifest, &self.summary));
            }
        }
        let clusters = self.pairs.iter().map(|pair| pair.measure.ratio.clusters).max().unwrap_or(0);
        self.blockers.extend(sample_size::too_few(clusters, self.pairs.len(), self.summary.power.games));
        (self.warnings, self.notes) = (warnings, notes);
    }
}

/// The manifest of the variants that are shown, with the options that vary among them.
fn restrict(manifest: &Manifest, shown: &[&str]) -> Manifest {
    let mut own = manifest.clone();
    // Rows of several key seeds have other names than their variants.
    if !own.variants.iter().all(|name| shown.contains(&name.as_str()))
        && own.variants.iter().any(|name| shown.contains(&name.as_str()))
    {
        own.variants.retain(|name| shown.contains(&name.as_str()));
        own.options.retain(|name, _| shown.contains(&name.as_str()));
        let options: Vec<BTreeMap<String, String>> =
            own.options.values().map(|options| paths::flatten(options).into_iter().collect()).collect();
        own.varying.retain(|path| {
            let values: BTreeSet<Option<&String>> = options.iter().map(|options| options.get(path)).collect();
            values.len() > 1 || values.contains(&None)
        });
    }
    own
}

/// Warns if the variants are different engines.
pub(super) fn different_engines(manifest: &Manifest) -> Option<String> {
    let engine = |name: &String| manifest.subjects.get(name).map_or("ours", |subject| subject.name.as_str());
    confounds::different_engines(manifest.variants.iter().map(engine))
}

fn manifests(sources: &[Source]) -> Vec<(&str, Option<&Manifest>)> {
    sources.iter().map(|source| (source.label.as_str(), source.manifest.as_ref())).collect()
}

/// Warnings about the results themselves, whether their rows are searches or games: mixed builds
/// and machines, missing rows.
pub(super) fn source_warnings(sources: &[Source]) -> Vec<String> {
    let labelled = manifests(sources);
    let manifests = || labelled.iter().filter_map(|(label, manifest)| Some((*label, (*manifest)?)));
    let mut warnings: Vec<String> = warnings::join_warnings(&labelled).iter().map(ToString::to_string).collect();
    warnings.extend(
        manifests().filter_map(|(_, manifest)| warnings::restart_warning(manifest)).map(|doubt| doubt.to_string()),
    );
    let missing = sources.iter().filter_map(|source| Some((&source.label, source.missing.as_ref()?)));
    warnings.extend(
        missing.map(|(label, missing)| format!("{label}: {missing}: every figure here covers only what is present")),
    );
    warnings
}

/// Notes on the results themselves: shards, skipped items, rows without times.
pub(super) fn source_notes(sources: &[Source]) -> Vec<String> {
    let labelled = manifests(sources);
    let manifests = || labelled.iter().filter_map(|(label, manifest)| Some((*label, (*manifest)?)));
    let shards =
        manifests().filter_map(|(_, manifest)| warnings::shard_warning(manifest)).map(|doubt| doubt.to_string());
    let skipped = manifests().filter_map(|(label, manifest)| describe_skipped(label, &manifest.left_out));
    let untimed = manifests().filter_map(|(label, manifest)| {
        let rows = manifest.sources.iter().map(|source| source.rows).sum::<u64>();
        (rows > 0).then(|| format!("{label}: {} taken from other results have no times", plural(rows, "row")))
    });
    shards.chain(skipped).chain(untimed).collect()
}

/// Notes if the reference has not judged all moves that the file asks for.
fn unjudged_moves(source: &Source) -> Option<String> {
    let file = source.file.as_ref()?;
    let moves = file.reference.as_ref()?.own_search.is_none();
    if file.sequence.as_ref().is_some_and(|sequence| sequence.self_play > 0) {
        return Some(
            "moves along an engine's own play are not judged: this file's [reference] has no effect".to_owned(),
        );
    }
    let (missing, all) = quality::count_unjudged(&source.frame, &source.judgements, moves);
    let what = format!("{missing} of {} are not judged by the reference", plural(all, "search"));
    let consequence = match source.judgements.is_empty() {
        _ if !moves => "score errors cover the others".to_owned(),
        true => format!("there is no {NAME}, and so no table of the moves' quality"),
        false => "losses cover the others".to_owned(),
    };
    (missing > 0).then(|| format!("{what}: {consequence}; the same run again judges them"))
}

/// The items that were left out of a suite, the first few by name.
pub fn describe_skipped(label: &str, list: &[String]) -> Option<String> {
    const MAX_NAMED: usize = 3;
    let named = list.iter().take(MAX_NAMED).map(|note| note.replace("left out: ", "")).collect::<Vec<_>>().join("; ");
    let more = if list.len() > MAX_NAMED {
        format!("; and {} more (manifest.json)", list.len() - MAX_NAMED)
    } else {
        String::new()
    };
    (!list.is_empty()).then(|| {
        let were = if list.len() == 1 { "was" } else { "were" };
        format!("{label}: {} of the suite {were} left out: {named}{more}", plural(list.len(), "item"))
    })
}
