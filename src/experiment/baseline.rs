//! The point that the others are held against.

use super::file::File;
use super::grid::{Variant, option_columns};
use super::problem::{Problem, ambiguous_name, nearest, nearest_or_all};
use super::text::FileText;
use crate::record::columns::{VARIANT, may_mean};
use std::collections::BTreeSet;

/// Which point the others are held against.
///
/// # Errors
/// When no point matches.
pub fn find_baseline(file: &File, variants: &[Variant], source: &FileText<'_>) -> Result<usize, Problem> {
    if file.baseline.is_empty() {
        return Ok(0);
    }
    let all: BTreeSet<String> = variants.iter().flat_map(option_columns).map(|(path, _)| path).collect();
    let mut meant = Vec::new();
    for (path, expected) in &file.baseline {
        let wrong = |what: String| source.invalid(&format!("baseline.{path}"), what);
        let ends_alike: Vec<&str> = all.iter().map(String::as_str).filter(|column| may_mean(path, column)).collect();
        let column = match ends_alike[..] {
            _ if path == VARIANT || all.contains(path) => path,
            [only] => only,
            [] => {
                let help = nearest(path, all.iter().map(String::as_str));
                return Err(Problem { help, ..wrong(format!("there is no option `{path}`")) });
            }
            _ => return Err(wrong(ambiguous_name(ends_alike.into_iter()))),
        };
        meant.push((column, expected.to_string()));
    }
    let matches = |variant: &Variant| {
        let leaves = option_columns(variant);
        meant.iter().all(|(path, expected)| {
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
