//! What the reader of a page must be warned of.

use super::Page;
use crate::analysis::caveats::{blindness, confounds, doubts, few};
use crate::analysis::questions::quality;
use crate::record::manifest::Manifest;
use crate::record::reference::NAME;
use crate::report::choices::Choices;
use crate::report::source::Source;
use crate::text::plural;

impl Page {
    /// `named`: the options that lines or pairs are told apart by, where searches of several results are paired.
    pub(super) fn warn(&mut self, sources: &[Source], choices: &Choices, named: Option<&[&str]>) {
        let finished =
            sources.iter().all(|source| source.manifest.as_ref().is_none_or(|manifest| manifest.ended.is_some()));
        let mut warnings = of_sources(sources);
        let apart = named.map_or_else(Vec::new, |named| doubts::apart(&manifests(sources), named));
        warnings.extend(apart.iter().map(ToString::to_string));
        let own = doubts::doubts(&self.summary, self.timing.as_ref(), finished);
        warnings.extend(own.iter().map(ToString::to_string));
        if let [only] = sources
            && only.manifest.is_some()
            && choices.by.is_none()
        {
            warnings.extend(only.before());
            let engine =
                |name: &String| self.manifest.subjects.get(name).map_or("ours", |subject| subject.name.as_str());
            warnings.extend(confounds::engines(self.manifest.variants.iter().map(engine)));
            let sequence = only.file.as_ref().and_then(|file| file.sequence.as_ref());
            warnings.extend(blindness::parted(sequence, self.summary.lines.len()));
            warnings.extend(unjudged(only));
            let kept = self.manifest.kept_variants();
            let lines = self.summary.lines.iter().map(|line| line.name.as_str());
            let kept: Vec<&str> = lines.filter(|name| kept.contains(name)).collect();
            if self.summary.lines.len() > 1 {
                warnings.extend(blindness::follow_on(&kept, self.manifest.items));
            }
            let effect = only.file.as_ref().map_or(0.0, |file| file.smallest_effect);
            self.blind = blindness::counts(&self.manifest, &self.summary, effect);
            warnings.extend(self.blind.iter().cloned());
            warnings.extend(blindness::times(&self.manifest, &self.summary));
        }
        let clusters = self.pairs.iter().map(|versus| versus.ratio.clusters).max().unwrap_or(0);
        warnings.extend(few::too_few(clusters, self.pairs.len(), self.summary.power.games));
        self.warnings = warnings;
    }
}

fn manifests(sources: &[Source]) -> Vec<(&str, Option<&Manifest>)> {
    sources.iter().map(|source| (source.label.as_str(), source.manifest.as_ref())).collect()
}

/// What the results themselves give reason to, whatever they are rows of: builds and machines, shards, what was left out and what is missing.
pub(super) fn of_sources(sources: &[Source]) -> Vec<String> {
    let named = manifests(sources);
    let manifests = || named.iter().filter_map(|(label, manifest)| Some((*label, (*manifest)?)));
    let mut warnings: Vec<String> = doubts::mixed(&named).iter().map(ToString::to_string).collect();
    warnings.extend(manifests().filter_map(|(_, manifest)| doubts::shards(manifest)).map(|doubt| doubt.to_string()));
    warnings.extend(manifests().filter_map(|(_, manifest)| doubts::alone(manifest)).map(|doubt| doubt.to_string()));
    warnings.extend(manifests().filter_map(|(label, manifest)| left_out(label, &manifest.left_out)));
    let missing = sources.iter().filter_map(|source| Some((&source.label, source.missing.as_ref()?)));
    warnings
        .extend(missing.map(|(label, missing)| format!("{label}: {missing}: every figure here is of what is there")));
    warnings
}

/// What a reference was to judge, and has not.
fn unjudged(source: &Source) -> Option<String> {
    let file = source.file.as_ref()?;
    let moves = file.reference.as_ref()?.own_search.is_none();
    if file.sequence.as_ref().is_some_and(|sequence| sequence.self_play > 0) {
        return Some(
            "moves along an engine's own play are not judged: this file's [reference] is of no use".to_owned(),
        );
    }
    let (missing, all) = quality::unjudged(&source.frame, &source.judged, moves);
    let what = format!("{missing} of {} are not judged by the reference", plural(all, "search"));
    let left = match source.judged.is_empty() {
        _ if !moves => "score errors are of the others".to_owned(),
        true => format!("there is no {NAME}, and so no table of the moves' quality"),
        false => "losses are of the others".to_owned(),
    };
    (missing > 0).then(|| format!("{what}: {left}; the same run again judges them"))
}

/// What was left out of a suite, the first few by name.
pub fn left_out(label: &str, list: &[String]) -> Option<String> {
    const SHOWN: usize = 3;
    let shown = list.iter().take(SHOWN).map(|note| note.replace("left out: ", "")).collect::<Vec<_>>().join("; ");
    let more =
        if list.len() > SHOWN { format!("; and {} more (manifest.json)", list.len() - SHOWN) } else { String::new() };
    (!list.is_empty()).then(|| {
        let were = if list.len() == 1 { "was" } else { "were" };
        format!("{label}: {} of the suite {were} left out: {shown}{more}", plural(list.len(), "item"))
    })
}
