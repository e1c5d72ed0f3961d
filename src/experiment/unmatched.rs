//! Conditions of `[[expect]]` that no row can match.

use super::expect::{Expect, Scalar};
use super::load::Experiment;
use crate::record::columns::{DEPTH, POSITION, column, refers_to};

/// The conditions in `where` that no row can match, each with the index of its expectation. Such a
/// condition names an option value that no variant has, a depth beyond every limit, or a position
/// that the suite lacks.
pub fn unmatched_conditions(experiment: &Experiment) -> Vec<(usize, String)> {
    let Experiment { file, variants, suite, .. } = experiment;
    let has_sequences = experiment.has_sequences();
    let can_match = |key: &str, expected: &str| match key {
        DEPTH => {
            let limits = variants.iter().flat_map(|variant| experiment.limits(variant));
            let depth_limits: Option<Vec<u8>> = limits.map(|limit| limit.depth).collect();
            let is_within = |depth: u8, limits: &[u8]| limits.iter().any(|&limit| depth <= limit);
            // Without a depth limit, a search may reach any depth.
            depth_limits.is_none_or(|limits| expected.parse().is_ok_and(|depth| is_within(depth, &limits)))
        }
        POSITION => has_sequences || suite.items.iter().any(|item| item.id == expected),
        _ if column(key).is_some() => true,
        _ => variants
            .iter()
            .flat_map(super::variant::option_columns)
            .any(|(path, value)| refers_to(key, &path) && value == expected),
    };
    let find_unmatched = |(index, expect): (usize, &Expect)| {
        let describe_unmatched = |(key, value): (&String, &Scalar)| {
            let expected = value.to_string();
            (!can_match(key, &expected)).then(|| (index, format!("{key} = {expected}")))
        };
        expect.filter.iter().filter_map(describe_unmatched).collect::<Vec<_>>()
    };
    file.expect.iter().enumerate().flat_map(find_unmatched).collect()
}
