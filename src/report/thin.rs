//! Thin results, which are small enough for a repository. They consist of thin rows, the manifest,
//! the experiment's file, judgements, and a page with a few figures.

use super::contents::Page;
use super::sheet::{Part, Sheet};
use super::source::Source;
use super::{Choices, FIGURE_WIDTH, write_file, write_markdown};
use crate::analysis::Frame;
use crate::analysis::rows::metric::DERIVED;
use crate::experiment::File;
use crate::record::manifest::{MANIFEST, Manifest, SCHEMA};
use crate::record::{self, RESULTS, columns, reference, thin, verify};
use crate::system::files;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::path::Path;

const MAX_FIGURES: usize = 3;

/// The maximum size of a figure in bytes. A figure with a mark for each search can be many times
/// larger than all the rows.
const MAX_FIGURE_BYTES: usize = 40_000;

/// Writes the thin form of the results in the folder `from` into the folder `to`, with a page.
/// Results that are already thin are copied and get a new page.
///
/// # Errors
/// When the results are not complete, `to` has full rows, or a file cannot be read or written.
pub fn write(from: &Path, to: &Path) -> Result<Page> {
    let source = Source::load(from)?;
    let display = from.display();
    let manifest = source.manifest.with_context(|| format!("{display}: {MANIFEST} is missing"))?;
    ensure!(manifest.shard.is_none(), "{display}: this is one shard of a plan; merge the shards first (`ttlab merge`)");
    ensure!(
        manifest.ended.is_some(),
        "{display}: the run is not finished; run the same `ttlab run` again to finish it"
    );
    record::create_folder(to).with_context(|| to.display().to_string())?;
    ensure!(
        !to.join(RESULTS).exists(),
        "{}: the folder has full rows ({RESULTS}); choose another folder",
        to.display()
    );
    if thin::is_thin(from) {
        copy_if_present(from, to, thin::NAME)?;
        copy_if_present(from, to, MANIFEST)?;
        copy_if_present(from, to, reference::COMPRESSED_NAME)?;
    } else {
        let kept_columns = columns_kept_per_row(source.file.as_ref(), &source.frame);
        write_rows(from, to, manifest, &kept_columns)?;
        let judgements = from.join(reference::NAME);
        if judgements.exists() {
            let packed = thin::compress(&files::read(&judgements)?)?;
            write_file(to, reference::COMPRESSED_NAME, &packed)?;
        }
    }
    copy_if_present(from, to, "experiment.toml")?;
    let mut page = Page::new(&[Source::load(to)?], &Choices::default())?;
    page.sheet = limit_figures(page.sheet);
    write_markdown(&page.sheet, to)?;
    Ok(page)
}

/// Writes the thin rows, and the manifest with the seals of the full rows. `kept_columns` is the
/// result of [`columns_kept_per_row`].
fn write_rows(from: &Path, to: &Path, mut manifest: Manifest, kept_columns: &BTreeSet<String>) -> Result<()> {
    let results = from.join(RESULTS);
    let context = || results.display().to_string();
    let verified = verify::verify(&results, Some(&manifest)).with_context(context)?;
    if let Some(unsealed) = verified.describe_unsealed() {
        bail!("{}: {unsealed}", context());
    }
    let thin = thin::write(&results, to, kept_columns).with_context(context)?;
    manifest.thin = Some(record::manifest::Thin { missing: verified.describe_missing_rows(), ..thin });
    manifest.schema = SCHEMA;
    manifest.column_seals = verified.seals.columns;
    (manifest.header_seal, manifest.file_seal) = (Some(verified.seals.header), Some(verified.seals.file));
    write_file(to, MANIFEST, manifest.to_text()?.as_bytes())
}

/// The columns whose values must be kept for each row in thin rows, besides the columns that every
/// page needs. These are the columns that the file's expectations name, and the seconds if there
/// are repeats.
fn columns_kept_per_row(file: Option<&File>, rows: &Frame) -> BTreeSet<String> {
    let mut mentioned_names: BTreeSet<String> = BTreeSet::new();
    for expect in file.iter().flat_map(|file| &file.expect) {
        mentioned_names.extend(expect.filter.keys().chain(expect.figures.keys()).cloned());
        let claim = expect.claim.as_deref().unwrap_or_default();
        let is_separator = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
        mentioned_names.extend(claim.split(is_separator).filter(|word| !word.is_empty()).map(str::to_owned));
    }
    for (name, numerator, denominator) in DERIVED {
        if mentioned_names.contains(*name) {
            mentioned_names.extend([*numerator, *denominator].map(str::to_owned));
        }
    }
    if rows.numbers(columns::REPEAT).iter().any(|repeat| *repeat > 0.0) {
        mentioned_names.insert(columns::SECONDS.to_owned());
    }
    let is_named = |name: &&String| mentioned_names.iter().any(|word| columns::refers_to(word, name));
    rows.names().iter().filter(is_named).cloned().collect()
}

/// Removes all figures from the page except the first few figures that are small enough.
fn limit_figures(mut sheet: Sheet) -> Sheet {
    let mut remaining = MAX_FIGURES;
    sheet.parts.retain(|part| {
        let Part::Figure(figure) = part else { return true };
        let is_kept = remaining > 0 && figure.render(FIGURE_WIDTH, true).len() <= MAX_FIGURE_BYTES;
        remaining -= usize::from(is_kept);
        is_kept
    });
    sheet
}

fn copy_if_present(from: &Path, to: &Path, name: &str) -> Result<()> {
    let path = from.join(name);
    if !path.exists() {
        return Ok(());
    }
    write_file(to, name, &files::read(&path).with_context(|| path.display().to_string())?)
}
