//! Thin results: what a repository holds of a study: thin rows, manifest, experiment, judgements, and a page with a few figures.

use super::page::Page;
use super::sheet::{Part, Sheet};
use super::source::Source;
use super::{Choices, FIGURE, write_markdown};
use crate::analysis::Frame;
use crate::analysis::rows::metric::DERIVED;
use crate::experiment::File;
use crate::record::manifest::{MANIFEST, Manifest, SCHEMA};
use crate::record::{self, RESULTS, columns, reference, thin, verify};
use crate::system::files;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::path::Path;

/// Figures of a page.
const FIGURES: usize = 3;

/// Bytes of a figure at most: those of a mark for each search are many times larger than all the rows.
const LARGEST: usize = 40_000;

/// Writes the thin form of results into another folder, with the page that it makes. Thin results get their page anew.
///
/// # Errors
/// When they are not whole, the folder has full rows, or the system refuses.
pub fn write(from: &Path, to: &Path) -> Result<Page> {
    let source = Source::load(from)?;
    let shown = from.display();
    let manifest = source.manifest.with_context(|| format!("{shown}: there is no {MANIFEST}"))?;
    ensure!(manifest.shard.is_none(), "{shown}: it is one shard of a plan: merge them first (`ttlab merge`)");
    ensure!(manifest.ended.is_some(), "{shown}: the run has not ended: the same `ttlab run` continues it");
    record::create_folder(to).with_context(|| to.display().to_string())?;
    ensure!(!to.join(RESULTS).exists(), "{}: it has full rows: choose another folder", to.display());
    if thin::is_thin(from) {
        copy(from, to, thin::NAME)?;
        copy(from, to, MANIFEST)?;
        copy(from, to, reference::COMPRESSED_NAME)?;
    } else {
        let by_row = asked(source.file.as_ref(), &source.frame);
        write_rows(from, to, manifest, &by_row)?;
        let judgements = from.join(reference::NAME);
        if judgements.exists() {
            let packed = thin::compress(&files::read(&judgements)?)?;
            put(to, reference::COMPRESSED_NAME, &packed)?;
        }
    }
    copy(from, to, "experiment.toml")?;
    let mut page = Page::new(&[Source::load(to)?], &Choices::default())?;
    page.sheet = few_figures(page.sheet);
    write_markdown(&page.sheet, to)?;
    Ok(page)
}

/// The thin rows, and the manifest that tells what they and the full ones were.
fn write_rows(from: &Path, to: &Path, mut manifest: Manifest, by_row: &BTreeSet<String>) -> Result<()> {
    let results = from.join(RESULTS);
    let context = || results.display().to_string();
    let verified = verify::verify(&results, Some(&manifest)).with_context(context)?;
    if let Some(unsealed) = verified.describe_unsealed() {
        bail!("{}: {unsealed}", context());
    }
    let rows = thin::write(&results, to, by_row).with_context(context)?;
    manifest.thin = Some(record::manifest::Thin { missing: verified.describe_missing_rows(), ..rows });
    manifest.schema = SCHEMA;
    manifest.column_seals = verified.seals.columns;
    (manifest.header_seal, manifest.file_seal) = (Some(verified.seals.header), Some(verified.seals.file));
    put(to, MANIFEST, manifest.to_text()?.as_bytes())
}

/// The columns that the page needs by row beside those that every page does: what its claims speak of, and the times of repeats.
fn asked(file: Option<&File>, rows: &Frame) -> BTreeSet<String> {
    let mut words: BTreeSet<String> = BTreeSet::new();
    for expect in file.iter().flat_map(|file| &file.expect) {
        words.extend(expect.filter.keys().chain(expect.figures.keys()).cloned());
        let claim = expect.claim.as_deref().unwrap_or_default();
        let part = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
        words.extend(claim.split(part).filter(|word| !word.is_empty()).map(str::to_owned));
    }
    for (name, part, whole, _) in DERIVED {
        if words.contains(*name) {
            words.extend([*part, *whole].map(str::to_owned));
        }
    }
    if rows.numbers(columns::REPEAT).iter().any(|repeat| *repeat > 0.0) {
        words.insert(columns::SECONDS.to_owned());
    }
    let meant = |name: &&String| words.iter().any(|word| columns::may_mean(word, name));
    rows.names().iter().filter(meant).cloned().collect()
}

/// The first figures that are small.
fn few_figures(mut sheet: Sheet) -> Sheet {
    let mut left = FIGURES;
    sheet.parts.retain(|part| {
        let Part::Figure(figure) = part else { return true };
        let keep = left > 0 && figure.render(FIGURE, true).len() <= LARGEST;
        left -= usize::from(keep);
        keep
    });
    sheet
}

fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    record::write_atomic(&path, bytes).with_context(|| path.display().to_string())
}

/// Copies a file where there is one.
fn copy(from: &Path, to: &Path, name: &str) -> Result<()> {
    let path = from.join(name);
    if !path.exists() {
        return Ok(());
    }
    put(to, name, &files::read(&path).with_context(|| path.display().to_string())?)
}
