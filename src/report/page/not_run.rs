//! The variants of a plan that have no rows: they were not run, and no figure is of them.

use crate::analysis::Frame;
use crate::experiment::plan::SEED_SUFFIX;
use crate::record::columns;
use crate::record::manifest::Manifest;
use crate::report::sheet::Part;
use std::collections::HashSet;

/// The heading of their list.
pub(super) const NOT_RUN: &str = "Not run";

/// Names in the list at most.
const SHOWN: usize = 20;

/// The list of them; none where every variant has a row.
pub(super) fn list(manifest: &Manifest, rows: &Frame) -> Option<Part> {
    let variants = rows.coded(columns::VARIANT);
    let first_rows = variants.list().iter().zip(variants.first_rows());
    let with_rows: HashSet<&str> = first_rows.filter_map(|(name, row)| row.map(|_| name.as_str())).collect();
    // Further key seeds are of their variants.
    let own = manifest.variants.iter().filter(|name| !name.contains(SEED_SUFFIX));
    let mut names: Vec<String> = own.filter(|name| !with_rows.contains(name.as_str())).cloned().collect();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    names.extend((more > 0).then(|| format!("and {more} more (manifest.json names all variants)")));
    (!names.is_empty()).then(|| Part::List(NOT_RUN.to_owned(), names))
}
