//! Checks `[[expect]]` against the rest of the file.

use super::expect::{Claim, ClaimOrigin, OTHER_SCORES, Scalar, Term};
use super::file::File;
use super::problem::{Problem, ambiguous_name, nearest, nearest_or_all};
use super::text::FileText;
use super::variant::{self, Variant};
use crate::record::columns::{DEPTH, ROW, Role, SCORE, SCORE_ERROR, SUITE, VARIANT, column, header, refers_to, role};
use std::collections::BTreeSet;

/// Checks that every expectation names known columns, metrics and variants.
///
/// # Errors
/// The first unknown or meaningless name or value, with its place and the nearest valid name.
pub fn check(file: &File, variants: &[Variant], source: &FileText<'_>) -> Result<(), Problem> {
    let extra = variant::extra_columns(variants, file.games.is_some(), file.suites.is_some());
    let options: BTreeSet<String> = variants.iter().flat_map(variant::option_columns).map(|(path, _)| path).collect();
    let mut row_columns = header(&[], extra);
    if file.reference.as_ref().is_some_and(|reference| reference.own_search.is_some()) {
        row_columns.push(SCORE_ERROR.to_owned());
    }
    let columns: Vec<String> = row_columns.iter().chain(&options).cloned().collect();
    let is_known = |name: &str| {
        let is_row_column = |name: &str| row_columns.iter().any(|column| column == name);
        name == OTHER_SCORES
            || name.strip_prefix(ROW).is_some_and(is_row_column)
            || columns.iter().any(|column| refers_to(name, column))
    };
    for (index, expect) in file.expect.iter().enumerate() {
        let key_problem = |key: &str, word: Option<&str>, message: &str| {
            source.problem_at_word(&format!("expect.{index}.{key}"), word, format!("expect.{key}: {message}"))
        };
        let refuse_name = |key: &str, name: &str, message: &str| {
            let help = nearest(name, columns.iter().map(String::as_str));
            Err(Problem { help, ..key_problem(key, Some(name), message) })
        };
        let check_variant = |key: &str, name: &str| {
            let names = || variants.iter().map(|variant| variant.name.as_str());
            if names().any(|variant| variant == name) {
                return Ok(());
            }
            let help = Some(nearest_or_all(name, names()));
            Err(Problem { help, ..key_problem(key, Some(name), &format!("there is no variant \"{name}\"")) })
        };
        if let Some(key) = expect.filter.keys().find(|key| !is_known(key)) {
            return refuse_name(&format!("where.{key}"), key, "there is no such column");
        }
        for key in expect.filter.keys() {
            let candidates = matching_columns(key, &options);
            if candidates.len() > 1 {
                let message = ambiguous_name(candidates.iter().map(String::as_str));
                return Err(key_problem(&format!("where.{key}"), None, &message));
            }
        }
        if let Some(key) = expect.figures.keys().find(|key| !is_known(key)) {
            return refuse_name(key, key, "there is no such metric");
        }
        if let Some((key, fault)) = expect.figures.iter().find_map(|(key, figure)| Some((key, figure.find_fault()?))) {
            return Err(key_problem(key, None, &fault));
        }
        if let Some(Scalar::Text(name)) = expect.filter.get(VARIANT) {
            check_variant("where.variant", name)?;
        }
        if let (Some(suites), Some(expected)) = (&file.suites, expect.filter.get(SUITE)) {
            let expected = expected.to_string();
            let names = || suites.0.iter().map(|(name, _)| name.as_str());
            if !names().any(|name| name == expected) {
                let help = Some(nearest_or_all(&expected, names()));
                return Err(Problem {
                    help,
                    ..key_problem("where.suite", None, &format!("there is no suite \"{expected}\""))
                });
            }
        }
        let has_source =
            [&expect.source, &expect.quote, &expect.author, &expect.article].iter().any(|text| !text.trim().is_empty());
        let place = format!("expect.{index}");
        if expect.kind != ClaimOrigin::Asked
            && !has_source
            && !(expect.kind == ClaimOrigin::Published && file.article.is_some())
        {
            return Err(source.problem_at(&place, "expect.source: missing: name who published or expects the figure"));
        }
        if expect.figures.is_empty() && expect.claim.is_none() {
            return Err(source.problem_at(&place, "expect: gives neither a figure nor a claim"));
        }
        let Some(claim) = &expect.claim else { continue };
        let claim = Claim::parse(claim).map_err(|message| source.problem_at(&format!("{place}.claim"), message))?;
        for Term { metric, variant: name, .. } in [&claim.left, &claim.right] {
            if !is_known(metric) {
                return refuse_name("claim", metric, &format!("there is no metric `{metric}`"));
            }
            if !row_columns.iter().any(|column| refers_to(metric, column) && is_comparable(column)) {
                let message = format!("`{metric}` cannot be compared: expected a count, a state or a time");
                return Err(key_problem("claim", Some(metric), &message));
            }
            check_variant("claim", name)?;
        }
    }
    Ok(())
}

/// Also returns an empty list if the key is the full path of an option, or the name of a row column
/// that identifies rows or contains a dot, because such a key is never ambiguous.
fn matching_columns(key: &str, options: &BTreeSet<String>) -> Vec<String> {
    let row_column = column(key);
    if options.contains(key) || row_column.is_some_and(|column| column.role == Role::Key || column.name.contains('.')) {
        return Vec::new();
    }
    let mut names: Vec<String> = options.iter().filter(|path| refers_to(key, path)).cloned().collect();
    if !names.is_empty() {
        names.extend(row_column.map(|column| format!("{ROW}{}", column.name)));
    }
    names
}

/// Whether a claim may compare a column. Only columns of numbers are comparable. Scores are not,
/// because they can be negative.
fn is_comparable(column: &str) -> bool {
    match role(column) {
        Role::Sum | Role::Time => true,
        Role::Last => column != SCORE,
        _ => column == DEPTH,
    }
}
