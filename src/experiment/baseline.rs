//! The variant that all others are compared with.

use super::file::File;
use super::problem::{Problem, ambiguous_name, nearest, nearest_or_all};
use super::text::FileText;
use super::variant::{Variant, option_columns};
use crate::record::columns::{VARIANT, may_mean};
use std::collections::BTreeSet;

/// The index of the baseline among `variants`; the first if the file names none.
///
/// # Errors
/// When no variant matches `[baseline]`, or a path is unknown or ambiguous.
pub fn find_baseline(file: &File, variants: &[Variant], source: &FileText<'_>) -> Result<usize, Problem> {
    if file.baseline.is_empty() {
        return Ok(0);
    }
    let paths: BTreeSet<String> = variants.iter().flat_map(option_columns).map(|(path, _)| path).collect();
    let mut conditions = Vec::new();
    for (path, expected) in &file.baseline {
        let wrong = |what: String| source.invalid(&format!("baseline.{path}"), what);
        let candidates: Vec<&str> = paths.iter().map(String::as_str).filter(|column| may_mean(path, column)).collect();
        let column = match candidates[..] {
            _ if path == VARIANT || paths.contains(path) => path,
            [only] => only,
            [] => {
                let help = nearest(path, paths.iter().map(String::as_str));
                return Err(Problem { help, ..wrong(format!("there is no option `{path}`")) });
            }
            _ => return Err(wrong(ambiguous_name(candidates.into_iter()))),
        };
        conditions.push((column, expected.to_string()));
    }
    let matches = |variant: &Variant| {
        let leaves = option_columns(variant);
        conditions.iter().all(|(path, expected)| {
            *path == VARIANT && variant.name == *expected
                || leaves.iter().any(|(column, value)| column == path && value == expected)
        })
    };
    variants.iter().position(matches).ok_or_else(|| {
        let expected = file.baseline.get(VARIANT).map(ToString::to_string).unwrap_or_default();
        let help = nearest_or_all(&expected, variants.iter().map(|variant| variant.name.as_str()));
        Problem { help: Some(help), ..source.invalid("baseline", "no variant matches it") }
    })
}
