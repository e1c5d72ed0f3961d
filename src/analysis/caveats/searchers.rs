//! The warning about variants that search with several threads of the system.

use crate::experiment::{Experiment, Variant};
use crate::text::quote_names;

pub fn searcher_warning(experiment: &Experiment) -> Option<String> {
    let has_real_threads = |variant: &&Variant| {
        if let Some(options) = variant.builtin() {
            return options.threads.is_real();
        }
        let mut options = variant.external().into_iter().flat_map(|subject| &subject.options);
        options.any(|(name, value)| {
            name.eq_ignore_ascii_case("Threads") && value.to_string().parse().is_ok_and(|count: u32| count > 1)
        })
    };
    let variants = experiment.variants.iter().filter(has_real_threads);
    let names: Vec<&str> = variants.map(|variant| variant.name.as_str()).collect();
    (experiment.file.repeats == 1 && !names.is_empty()).then(|| {
        format!(
            "{}: searches by several threads differ when repeated, but each is made once: set repeats to see the \
             spread",
            quote_names(&names)
        )
    })
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
            searcher_warning(
                &Experiment::parse(&text, "x.toml".as_ref(), &[]).unwrap_or_else(|problem| panic!("{problem}")),
            )
        };
        let depth = "limit = { depth = 3 }";
        assert!(warn_with(depth, "'threads.count' = 2").is_none());
        let real = "'threads.count' = 2\n'threads.kind' = 'real'";
        assert!(warn_with(depth, real).is_some());
        assert!(warn_with(depth, &real.replace('2', "1")).is_none());
        let engine = "'subject.uci' = 'x'\n'uci.Threads' = ";
        let warning = warn_with(depth, &format!("{engine}2")).unwrap();
        assert!(warning.starts_with("\"b\": searches by several threads"), "{warning}");
        assert!(warn_with(depth, &format!("{engine}1")).is_none());
        assert!(warn_with(&format!("repeats = 2\n{depth}"), &format!("{engine}2")).is_none());
    }
}
