//! The point that the others are held against.

use super::file::File;
use super::grid::{Point, columns};
use super::problem::{Problem, ambiguous, nearest, nearest_or_all};
use super::text::FileText;
use crate::record::columns::{VARIANT, may_mean};
use std::collections::BTreeSet;

/// Which point the others are held against.
///
/// # Errors
/// When no point matches.
pub fn baseline(file: &File, points: &[Point], source: &FileText<'_>) -> Result<usize, Problem> {
    if file.baseline.is_empty() {
        return Ok(0);
    }
    let all: BTreeSet<String> = points.iter().flat_map(columns).map(|(path, _)| path).collect();
    let mut meant = Vec::new();
    for (path, expected) in &file.baseline {
        let wrong = |what: String| source.wrong(&format!("baseline.{path}"), what);
        let ends_alike: Vec<&str> = all.iter().map(String::as_str).filter(|column| may_mean(path, column)).collect();
        let column = match ends_alike[..] {
            _ if path == VARIANT || all.contains(path) => path,
            [only] => only,
            [] => {
                let help = nearest(path, all.iter().map(String::as_str));
                return Err(Problem { help, ..wrong(format!("there is no option `{path}`")) });
            }
            _ => return Err(wrong(ambiguous(ends_alike.into_iter()))),
        };
        meant.push((column, expected.to_string()));
    }
    let matches = |point: &Point| {
        let leaves = columns(point);
        meant.iter().all(|(path, expected)| {
            *path == VARIANT && point.name == *expected
                || leaves.iter().any(|(column, value)| column == path && value == expected)
        })
    };
    points.iter().position(matches).ok_or_else(|| {
        let expected = file.baseline.get(VARIANT).map(ToString::to_string).unwrap_or_default();
        let help = nearest_or_all(&expected, points.iter().map(|point| point.name.as_str()));
        Problem { help: Some(help), ..source.wrong("baseline", "no variant matches it") }
    })
}
