//! What several searchers make of a comparison.

use crate::experiment::{Experiment, Variant};
use crate::text::quote_names;

/// Warnings about variants with several searchers.
pub fn searcher_warnings(experiment: &Experiment) -> Vec<String> {
    let warn = |concerns: &dyn Fn(&Variant) -> bool, problem: &str| {
        let names: Vec<&str> = experiment
            .variants
            .iter()
            .filter(|variant| concerns(variant))
            .map(|variant| variant.name.as_str())
            .collect();
        (!names.is_empty()).then(|| format!("{}: {problem}", quote_names(&names)))
    };
    let avoids = |variant: &Variant| {
        let several = variant.builtin().map(|options| &options.threads).filter(|threads| threads.count > 1);
        let avoids = several.is_some_and(|threads| threads.helpers.avoid_each_other());
        avoids && experiment.limits(variant).iter().any(|limit| limit.depth.is_some())
    };
    let threads = |variant: &Variant| {
        if let Some(options) = variant.builtin() {
            return options.threads.is_real();
        }
        let mut options = variant.external().into_iter().flat_map(|subject| &subject.options);
        options.any(|(name, value)| {
            name.eq_ignore_ascii_case("Threads") && value.to_string().parse().is_ok_and(|count: u32| count > 1)
        })
    };
    let labels = "which moves are put off or reduced more depends on where the other searchers are, so that equal \
                  depths are not equal searches: limit nodes instead";
    let once = "searches by several threads do not repeat, and each is made once: set repeats to see the spread";
    let once = warn(&threads, once).filter(|_| experiment.file.repeats == 1);
    warn(&avoids, labels).into_iter().chain(once).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn variants_with_several_searchers_are_warned_of_by_name() {
        let warnings = |head: &str, variant: &str| {
            let text = format!(
                "suite = {{ startpos = true }}\n{head}\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n{variant}\n"
            );
            searcher_warnings(
                &Experiment::parse(&text, "x.toml".as_ref(), &[]).unwrap_or_else(|wrong| panic!("{wrong}")),
            )
        };
        let depth = "limit = { depth = 3 }";
        let abdada = "'threads.helpers' = 'abdada'\n'threads.count' = ";
        let found = warnings(depth, &format!("{abdada}2"));
        assert!(matches!(&found[..], [one] if one.starts_with("\"b\": which moves are put off")), "{found:?}");
        assert!(warnings("limit = { nodes = 300 }", &format!("{abdada}2")).is_empty());
        assert!(warnings(depth, &format!("{abdada}1")).is_empty());
        assert!(warnings(depth, "'threads.count' = 2").is_empty());
        let real = "'threads.count' = 2\n'threads.kind' = 'real'";
        assert_eq!(warnings(depth, real).len(), 1);
        assert!(warnings(depth, &real.replace('2', "1")).is_empty());
        let engine = "'subject.uci' = 'x'\n'uci.Threads' = ";
        let found = warnings(depth, &format!("{engine}2"));
        assert!(matches!(&found[..], [one] if one.starts_with("\"b\": searches by several threads")), "{found:?}");
        assert!(warnings(depth, &format!("{engine}1")).is_empty());
        assert!(warnings(&format!("repeats = 2\n{depth}"), &format!("{engine}2")).is_empty());
    }
}
