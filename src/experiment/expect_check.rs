//! Checks `[[expect]]` against the rest of the file.

use super::claim::{Claim, ClaimError};
use super::expect::{ClaimOrigin, Expect, OTHER_SCORES, Scalar};
use super::file::File;
use super::matches::Match;
use super::problem::{Problem, ambiguous_name, nearest, nearest_or_all};
use super::text::FileText;
use super::variant::{self, Variant};
use crate::record::columns::{DEPTH, ROW, Role, SCORE, SCORE_ERROR, SUITE, VARIANT, column, header, refers_to, role};
use std::collections::BTreeSet;

const SYNTAX: &str = "expected \"metric(variant) > metric(variant)\", with < <= = >= or >";

const MATCH_SYNTAX: &str = "expected \"elo(A, B) > 0\" or \"score(A, B) >= 0.5\", with > >= < or <=, where A and B are variants that play \
     each other, and a score is between 0 and 1";

/// Checks that every expectation names known columns, metrics and variants.
///
/// # Errors
/// The first unknown or meaningless name or value, with its place and the nearest valid name.
pub fn check(file: &File, variants: &[Variant], has_mates: bool, source: &FileText<'_>) -> Result<(), Problem> {
    let extra = variant::extra_columns(variants, file.games.is_some(), file.suites.is_some(), has_mates);
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
        let refuse_column = |key: &str, name: &str, message: &str| {
            let help = nearest(name, columns.iter().map(String::as_str));
            Err(Problem { help, ..key_problem(key, Some(name), message) })
        };
        let names = || variants.iter().map(|variant| variant.name.as_str());
        let suites = file.suites.iter().flat_map(|suites| &suites.0).map(|(name, _)| name.as_str());
        if let Some(key) = expect.filter.keys().find(|key| !is_known(key)) {
            return refuse_column(&format!("where.{key}"), key, "there is no such column");
        }
        for key in expect.filter.keys() {
            let candidates = matching_columns(key, &options);
            if candidates.len() > 1 {
                let message = ambiguous_name(candidates.iter().map(String::as_str));
                return Err(key_problem(&format!("where.{key}"), None, &message));
            }
        }
        if let Some(key) = expect.figures.keys().find(|key| !is_known(key)) {
            return refuse_column(key, key, "there is no such metric");
        }
        if let Some((key, fault)) = expect.figures.iter().find_map(|(key, figure)| Some((key, figure.find_fault()?))) {
            return Err(key_problem(key, None, &fault));
        }
        if let Some(Scalar::Text(name)) = expect.filter.get(VARIANT) {
            check_name("variant", name, names(), |word, message| key_problem("where.variant", word, message))?;
        }
        if file.suites.is_some()
            && let Some(name) = expect.filter.get(SUITE)
        {
            check_name("suite", &name.to_string(), suites, |_, message| key_problem("where.suite", None, message))?;
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
        let Some(text) = &expect.claim else { continue };
        let claim = Claim::parse_ratio(text).map_err(|error| match error {
            ClaimError::Factor(_) => key_problem("claim", None, &format!("`{text}`: {error}")),
            _ => key_problem("claim", None, &format!("`{text}`: {SYNTAX}")),
        })?;
        for term in [&claim.left, &claim.right] {
            let metric = &term.metric;
            if !is_known(metric) {
                return refuse_column("claim", metric, &format!("there is no metric `{metric}`"));
            }
            if !row_columns.iter().any(|column| refers_to(metric, column) && is_comparable(column)) {
                let message = format!("`{metric}` cannot be compared: expected a count, a state or a time");
                return Err(key_problem("claim", Some(metric), &message));
            }
            check_name("variant", &term.subject, names(), |word, message| key_problem("claim", word, message))?;
        }
    }
    Ok(())
}

/// Checks that there is a variant or suite of this name.
fn check_name<'n>(
    kind: &str,
    name: &str,
    names: impl Iterator<Item = &'n str> + Clone,
    problem: impl Fn(Option<&str>, &str) -> Problem,
) -> Result<(), Problem> {
    if names.clone().any(|known| known == name) {
        return Ok(());
    }
    let help = Some(nearest_or_all(name, names));
    Err(Problem { help, ..problem(Some(name), &format!("there is no {kind} \"{name}\"")) })
}

/// Checks the expectations of a match. Each expectation must be a claim about two variants that
/// play each other. The test of the match must not stop the match early.
pub fn check_match(
    expectations: &[Expect],
    variants: &[Variant],
    baseline: usize,
    match_section: &Match,
    source: &FileText<'_>,
) -> Result<(), Problem> {
    let names = || variants.iter().map(|variant| variant.name.as_str());
    for (index, expect) in expectations.iter().enumerate() {
        let place = format!("expect.{index}");
        let claims_only =
            |key: &str| source.problem_at(&place, format!("expect{key}: a match supports claims only: {MATCH_SYNTAX}"));
        let text = expect.claim.as_ref().ok_or_else(|| claims_only(""))?;
        if let Some(key) = expect.figures.keys().chain(expect.filter.keys()).next() {
            return Err(claims_only(&format!(".{key}")));
        }
        let claim_problem = |word: Option<&str>, message: &str| {
            source.problem_at_word(&format!("{place}.claim"), word, format!("expect.claim: {message}"))
        };
        if match_section.test_or_default().stop {
            let message = "a test that stops early biases Elo: give the test `stop = false`, or use its verdict";
            return Err(claim_problem(None, message));
        }
        let syntax_problem = || claim_problem(None, &format!("`{text}`: {MATCH_SYNTAX}"));
        let claim = Claim::parse(text).map_err(|_| syntax_problem())?;
        let (players, _) = match claim.match_terms(names()) {
            Ok(terms) => terms,
            Err(None) => return Err(syntax_problem()),
            Err(Some(name)) => return check_name("variant", name, names(), claim_problem),
        };
        let is_claimed_pair = |&(first, second): &(usize, usize)| {
            let [first, second] = [first, second].map(|index| variants[index].name.as_str());
            players == [first, second] || players == [second, first]
        };
        if !match_section.encounters(variants.len(), baseline).iter().any(is_claimed_pair) {
            let message = format!("\"{}\" and \"{}\" do not play each other", players[0], players[1]);
            let help = "each variant plays only the baseline: with pairing = \"round-robin\", every pair plays";
            return Err(Problem { help: Some(help.to_owned()), ..claim_problem(None, &message) });
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
