//! The warnings of a page.

use super::Page;
use crate::analysis::caveats::{confounds, sample_size, sensitivity, warnings};
use crate::analysis::questions::quality;
use crate::experiment::File;
use crate::record::manifest::Manifest;
use crate::record::reference::NAME;
use crate::report::choices::Choices;
use crate::report::source::Source;
use crate::text::plural;

impl Page {
    /// Collects all warnings. `line_options`: the options that identify lines or pairs, if searches
    /// of several results are paired.
    pub(super) fn collect_warnings(&mut self, sources: &[Source], choices: &Choices, line_options: Option<&[&str]>) {
        let finished =
            sources.iter().all(|source| source.manifest.as_ref().is_none_or(|manifest| manifest.ended.is_some()));
        let mut warnings = source_warnings(sources);
        let differences =
            line_options.map_or_else(Vec::new, |named| warnings::pairing_warnings(&manifests(sources), named));
        warnings.extend(differences.iter().map(ToString::to_string));
        let own = warnings::result_warnings(&self.summary, self.timing.as_ref(), finished);
        warnings.extend(own.iter().map(ToString::to_string));
        if let [only] = sources
            && only.manifest.is_some()
            && choices.by.is_none()
        {
            warnings.extend(only.preflight_warnings());
            let engine =
                |name: &String| self.manifest.subjects.get(name).map_or("ours", |subject| subject.name.as_str());
            warnings.extend(confounds::different_engines(self.manifest.variants.iter().map(engine)));
            let sequence = only.file.as_ref().and_then(|file| file.sequence.as_ref());
            warnings.extend(sensitivity::diverging_games(sequence, self.summary.lines.len()));
            warnings.extend(unjudged_moves(only));
            let keeping = self.manifest.kept_variants();
            let lines = self.summary.lines.iter().map(|line| line.name.as_str());
            let keeping_lines: Vec<&str> = lines.filter(|name| keeping.contains(name)).collect();
            if self.summary.lines.len() > 1 {
                warnings.extend(sensitivity::uncleared_tables(&keeping_lines, self.manifest.items));
            }
            let effect = only.file.as_ref().map_or(0.0, |file| file.smallest_effect);
            self.undetectable = sensitivity::count_warnings(&self.manifest, &self.summary, effect);
            warnings.extend(self.undetectable.iter().cloned());
            let shown =
                self.summary.metrics.iter().any(crate::analysis::Metric::is_time) && !choices.metrics.is_empty();
            if shown || only.file.as_ref().is_some_and(File::asks_for_times) {
                warnings.extend(sensitivity::time_warnings(&self.manifest, &self.summary));
            }
        }
        let clusters = self.pairs.iter().map(|pair| pair.measure.ratio.clusters).max().unwrap_or(0);
        warnings.extend(sample_size::too_few(clusters, self.pairs.len(), self.summary.power.games));
        self.warnings = warnings;
    }
}

fn manifests(sources: &[Source]) -> Vec<(&str, Option<&Manifest>)> {
    sources.iter().map(|source| (source.label.as_str(), source.manifest.as_ref())).collect()
}

/// Warnings about the results themselves, whether their rows are searches or games: mixed builds
/// and machines, shards, skipped items, missing rows.
pub(super) fn source_warnings(sources: &[Source]) -> Vec<String> {
    let labelled = manifests(sources);
    let manifests = || labelled.iter().filter_map(|(label, manifest)| Some((*label, (*manifest)?)));
    let mut warnings: Vec<String> = warnings::join_warnings(&labelled).iter().map(ToString::to_string).collect();
    warnings.extend(
        manifests().filter_map(|(_, manifest)| warnings::shard_warning(manifest)).map(|doubt| doubt.to_string()),
    );
    warnings.extend(
        manifests().filter_map(|(_, manifest)| warnings::restart_warning(manifest)).map(|doubt| doubt.to_string()),
    );
    warnings.extend(manifests().filter_map(|(label, manifest)| describe_skipped(label, &manifest.left_out)));
    warnings.extend(manifests().filter_map(|(label, manifest)| {
        let rows = manifest.sources.iter().map(|source| source.rows).sum::<u64>();
        (rows > 0).then(|| format!("{label}: {} taken from other results have no times", plural(rows, "row")))
    }));
    let missing = sources.iter().filter_map(|source| Some((&source.label, source.missing.as_ref()?)));
    warnings.extend(
        missing.map(|(label, missing)| format!("{label}: {missing}: every figure here covers only what is present")),
    );
    warnings
}

/// Warns if the reference has not judged all moves that the file asks for.
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
