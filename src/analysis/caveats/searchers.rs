//! Warnings about comparisons in which variants search with several searchers.

use crate::experiment::{Experiment, Variant};
use crate::text::quote_names;

/// Returns warnings about variants with several searchers. The searchers are either threads of the
/// system, or searches that take turns.
pub fn searcher_warnings(experiment: &Experiment) -> Vec<String> {
    // Returns a warning that names the variants with a problem and describes the problem.
    let warn_about = |has_problem: &dyn Fn(&Variant) -> bool, problem: &str| {
        let names: Vec<&str> = experiment
            .variants
            .iter()
            .filter(|variant| has_problem(variant))
            .map(|variant| variant.name.as_str())
            .collect();
        (!names.is_empty()).then(|| format!("{}: {problem}", quote_names(&names)))
    };
    let has_unequal_work = |variant: &Variant| {
        let threads = variant.builtin().map(|options| &options.threads);
        let avoid_each_other = threads.is_some_and(|threads| threads.count > 1 && threads.helpers.avoid_each_other());
        avoid_each_other && experiment.limits(variant).iter().any(|limit| limit.depth.is_some())
    };
    let has_real_threads = |variant: &Variant| {
        if let Some(options) = variant.builtin() {
            return options.threads.is_real();
        }
        let mut options = variant.external().into_iter().flat_map(|subject| &subject.options);
        options.any(|(name, value)| {
            name.eq_ignore_ascii_case("Threads") && value.to_string().parse().is_ok_and(|count: u32| count > 1)
        })
    };
    let unequal_work = "searches to equal depths are not equal work, because a searcher defers or reduces a \
        move that another searcher is searching: limit nodes instead";
    let not_repeatable =
        "searches by several threads differ when repeated, but each is made once: set repeats to see the spread";
    let mut warnings = Vec::from_iter(warn_about(&has_unequal_work, unequal_work));
    if experiment.file.repeats == 1 {
        warnings.extend(warn_about(&has_real_threads, not_repeatable));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_with_several_searchers_are_warned_of_by_name() {
        let warn_with = |head: &str, variant: &str| {
            let text = format!(
                "suite = {{ startpos = true }}\n{head}\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n{variant}\n"
            );
            searcher_warnings(
                &Experiment::parse(&text, "x.toml".as_ref(), &[]).unwrap_or_else(|problem| panic!("{problem}")),
            )
        };
        let depth = "limit = { depth = 3 }";
        let abdada = "'threads.helpers' = 'abdada'\n'threads.count' = ";
        let warnings = warn_with(depth, &format!("{abdada}2"));
        assert!(
            matches!(&warnings[..], [warning] if warning.starts_with("\"b\": searches to equal depths are not equal")),
            "{warnings:?}"
        );
        assert!(warn_with("limit = { nodes = 300 }", &format!("{abdada}2")).is_empty());
        assert!(warn_with(depth, &format!("{abdada}1")).is_empty());
        assert!(warn_with(depth, "'threads.count' = 2").is_empty());
        let real = "'threads.count' = 2\n'threads.kind' = 'real'";
        assert_eq!(warn_with(depth, real).len(), 1);
        assert!(warn_with(depth, &real.replace('2', "1")).is_empty());
        let engine = "'subject.uci' = 'x'\n'uci.Threads' = ";
        let warnings = warn_with(depth, &format!("{engine}2"));
        assert!(
            matches!(&warnings[..], [warning] if warning.starts_with("\"b\": searches by several threads")),
            "{warnings:?}"
        );
        assert!(warn_with(depth, &format!("{engine}1")).is_empty());
        assert!(warn_with(&format!("repeats = 2\n{depth}"), &format!("{engine}2")).is_empty());
    }
}
