//! Kept reports, which are small enough for a repository: a page with a few figures, and the rows
//! and columns that the claims of the experiment need.

use super::contents::Page;
use super::sheet::{Part, Sheet};
use super::source::Source;
use super::{Choices, FIGURE_WIDTH, write_file, write_markdown};
use crate::analysis::rows::metric::DERIVED;
use crate::experiment::File;
use crate::record::columns::{self, Role, refers_to};
use crate::record::manifest::{MANIFEST, Manifest};
use crate::record::{self, EXPERIMENT, PACKED, RESULTS, header_line, packed, reference, seals};
use crate::system::files;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::path::Path;

const MAX_FIGURES: usize = 3;

/// The maximum size of a figure in bytes. A figure with a mark for each search can be many times
/// larger than all the rows.
const MAX_FIGURE_BYTES: usize = 40_000;

/// Writes the complete results in the folder `from` as a kept report into the folder `to`. The rows
/// have the columns that all claims need, those that a claim of the file names, and those in
/// `named`.
///
/// # Errors
/// When the results are not complete, `to` has other rows, or a file cannot be read or written.
pub fn write(from: &Path, to: &Path, named: &[String]) -> Result<()> {
    let source = Source::load(from)?;
    let display = from.display();
    let manifest = source.manifest.as_ref().with_context(|| format!("{display}: {MANIFEST} is missing"))?;
    ensure!(
        manifest.run.shard.is_none(),
        "{display}: this is one shard of a plan; merge the shards first (`ttlab merge`)"
    );
    ensure!(!record::is_packed(from), "{display}: this is a kept report; give the folder of a run");
    ensure!(
        manifest.run.ended.is_some() && source.missing.is_none(),
        "{display}: the run is not finished; run the same `ttlab run` again to finish it"
    );
    record::create_folder(to).with_context(|| to.display().to_string())?;
    ensure!(!to.join(RESULTS).exists(), "{}: the folder has full rows ({RESULTS}); choose another", to.display());
    let names = named_columns(source.file.as_ref(), named);
    write_rows(from, to, manifest, &names)?;
    let judgements = from.join(reference::NAME);
    if judgements.exists() {
        let judgements = files::read(&judgements).with_context(|| judgements.display().to_string())?;
        write_file(to, reference::COMPRESSED_NAME, &packed::pack(&judgements)?)?;
    }
    let file = from.join(EXPERIMENT);
    write_file(to, EXPERIMENT, &files::read(&file).with_context(|| file.display().to_string())?)?;
    let page = Page::new(&[source], &Choices::default())?;
    write_markdown(&limit_figures(page.sheet), to)
}

fn write_rows(from: &Path, to: &Path, manifest: &Manifest, names: &BTreeSet<&str>) -> Result<()> {
    let results = from.join(RESULTS);
    let is_kept = |column: &str| is_needed(column) || names.iter().any(|name| refers_to(name, column));
    let context = || results.display().to_string();
    let rows = packed::select_columns(&results, is_kept).with_context(context)?;
    let header = record::read_header(&results).with_context(context)?.unwrap_or_default();
    let (kept, left_out): (Vec<String>, Vec<String>) = header.into_iter().partition(|column| is_kept(column));
    // The suite is not looked for.
    let mut manifest = manifest.clone();
    (manifest.planned.folder, manifest.planned.suite_paths) = Default::default();
    for source in &mut manifest.run.sources {
        // Where it lay on the machine that ran it says nothing to others.
        source.folder = Path::new(&source.folder).file_name().unwrap_or_default().to_string_lossy().into_owned();
    }
    manifest.sealed.header = header_line(&kept);
    manifest.sealed.columns_left_out = left_out;
    manifest.sealed.bytes = Some(seals::hash_bytes(&rows));
    write_file(to, PACKED, &packed::pack(&rows)?)?;
    write_file(to, MANIFEST, manifest.to_text()?.as_bytes())
}

/// Whether every kept report has a column: the keys, the varying options, and what ratios and Elo
/// are computed from.
fn is_needed(column: &str) -> bool {
    let results = [
        columns::NODES,
        columns::SCORE,
        columns::BEST,
        columns::SOLVED,
        columns::FINISHED,
        columns::POINTS,
        columns::ERROR,
    ];
    let is_key = matches!(columns::role(column), Role::Key | Role::Option) && column != columns::ID;
    is_key || results.contains(&column)
}

/// The names of columns in the expectations of a file, and further names. Other words may be among
/// them.
fn named_columns<'a>(file: Option<&'a File>, named: &'a [String]) -> BTreeSet<&'a str> {
    let mut names: BTreeSet<&str> = named.iter().map(String::as_str).collect();
    for expect in file.iter().flat_map(|file| &file.expect) {
        let filters_and_figures = expect.filter.keys().chain(expect.figures.keys());
        names.extend(filters_and_figures.map(|name| name.strip_prefix(columns::ROW).unwrap_or(name)));
        let is_separator = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
        names.extend(expect.claim.as_deref().unwrap_or_default().split(is_separator).filter(|word| !word.is_empty()));
    }
    for (name, numerator, denominator) in DERIVED {
        if names.contains(name) {
            names.extend([numerator, denominator]);
        }
    }
    names
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
