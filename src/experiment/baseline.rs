//! The point that the others are held against.

use super::file::File;
use super::grid::{Point, columns};
use super::problem::{Problem, listed, nearest};
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
    for (path, wanted) in &file.baseline {
        let at = |message: String| source.at(&format!("baseline.{path}"), message);
        let column = match path.as_str() {
            VARIANT => VARIANT.to_owned(),
            path if all.contains(path) => path.to_owned(),
            path => match all.iter().filter(|column| may_mean(path, column)).collect::<Vec<_>>()[..] {
                [only] => only.clone(),
                [] => {
                    return Err(Problem {
                        help: nearest(path, all.iter().map(String::as_str)),
                        ..at(format!("baseline.{path}: there is no option `{path}`"))
                    });
                }
                ref several => {
                    let names: Vec<String> = several.iter().map(|name| format!("`{name}`")).collect();
                    return Err(at(format!("baseline.{path}: may be {}: write it out", names.join(" or "))));
                }
            },
        };
        meant.push((column, wanted.to_string()));
    }
    let matches = |point: &Point| {
        let leaves = columns(point);
        meant.iter().all(|(path, wanted)| {
            path == VARIANT && point.name == *wanted
                || leaves.iter().any(|(column, value)| column == path && value == wanted)
        })
    };
    points.iter().position(matches).ok_or_else(|| {
        let names: Vec<&str> = points.iter().map(|point| point.name.as_str()).collect();
        let wanted = file.baseline.get(VARIANT).map(ToString::to_string).unwrap_or_default();
        let help = nearest(&wanted, names.iter().copied()).unwrap_or_else(|| format!("there are {}", listed(names)));
        Problem { help: Some(help), ..source.at("baseline", "baseline: no variant matches it") }
    })
}
