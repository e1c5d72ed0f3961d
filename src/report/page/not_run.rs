//! The variants of a plan that have no rows because they were not run.

use crate::analysis::Frame;
use crate::record::manifest::Manifest;
use crate::record::{base_variant, columns};
use crate::report::sheet::Part;
use std::collections::HashSet;

/// Heading of the list of variants without rows.
pub(super) const NOT_RUN: &str = "Not run";

/// The list names at most this many variants.
const MAX_NAMED: usize = 20;

pub(super) fn not_run_part(manifest: &Manifest, rows: &Frame) -> Option<Part> {
    let variants = rows.text_column(columns::VARIANT);
    let searched_names: HashSet<&String> = variants.list().iter().collect();
    // Copies of a variant with another key seed or schedule are left out, because their rows count
    // as rows of that variant.
    let base_variants = manifest.planned.variants.iter().filter(|name| base_variant(name).is_none());
    let mut names: Vec<String> = base_variants.filter(|name| !searched_names.contains(name)).cloned().collect();
    let unnamed_count = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    names.extend((unnamed_count > 0).then(|| format!("and {unnamed_count} more (manifest.json names all variants)")));
    (!names.is_empty()).then(|| Part::List(NOT_RUN.to_owned(), names))
}
