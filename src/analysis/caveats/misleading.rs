//! Whether nodes to a depth measure strength. They do only while a search to a depth is the same
//! search with any table. If the search asks its table how deep to search, a table that forgets
//! gets less deep under the same label, and the worse table looks better.

use crate::analysis::questions::compare::Comparison;
use crate::record::columns;
use crate::record::diagnosis::NodesVerdict;
use crate::record::manifest::Manifest;
use crate::text::quote_names;
use serde_json::Value;
use std::collections::BTreeSet;

/// The name of nodes to a depth where they may mislead.
pub const SAME_LABEL: &str = "nodes to the same label";

/// The variants whose nodes to a depth may mislead.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Misleading {
    /// External engines that `ttlab doctor` has not cleared.
    engines: Vec<String>,
    /// Variants of ttlab's engine with a term that asks the table for the shape of its search.
    terms: Vec<String>,
}

impl Misleading {
    /// The variants of a result that may mislead; none if nodes can be trusted.
    pub fn from_manifest(manifest: &Manifest) -> Option<Self> {
        let doubted = manifest.subjects.iter().filter(|(_, engine)| engine.doctor != NodesVerdict::Lead.word());
        let engines = doubted.map(|(name, _)| name.clone()).collect();
        let ours = manifest.options.iter().filter(|(name, _)| !manifest.subjects.contains_key(*name));
        let terms = ours.filter(|(_, options)| shape_depends_on_table(options)).map(|(name, _)| name.clone()).collect();
        Self { engines, terms }.unless_empty()
    }

    fn unless_empty(self) -> Option<Self> {
        (!self.engines.is_empty() || !self.terms.is_empty()).then_some(self)
    }

    /// A sentence that names the variants, says why, and what to use instead.
    pub fn sentence(&self) -> String {
        let names: Vec<&str> = self.engines.iter().chain(&self.terms).map(String::as_str).collect();
        let (who, (why, instead)) = (quote_names(&names), self.why_and_instead());
        format!(
            "nodes to a depth may mislead in {who}: {why}, so that the worse table needs fewer. {instead}; games decide"
        )
    }

    /// Why a claim on nodes has no verdict, without the names.
    pub fn reason(&self) -> String {
        format!("no verdict, because nodes to a depth may mislead: {}", self.why_and_instead().0)
    }

    /// Marks the gates on nodes, with one note for all of them.
    pub fn mark_gates(&self, found: &mut Comparison) {
        let mut gates = BTreeSet::new();
        for judged in found.gate_results.iter_mut().filter(|judged| judged.metric == columns::NODES) {
            judged.caution = Some(self.sentence());
            gates.insert(format!("`{}`", judged.gate));
        }
        if !gates.is_empty() {
            let gates = gates.into_iter().collect::<Vec<_>>().join(", ");
            found.notes.push(format!("gate {gates}: {}", self.sentence()));
        }
    }

    /// Why nodes may mislead, and what to use instead.
    fn why_and_instead(&self) -> (&'static str, &'static str) {
        match (&self.engines[..], &self.terms[..]) {
            (_, []) => (
                "an engine may search less to the same depth when its table forgets",
                "`ttlab doctor` says whether it does; [reference] self judges its scores",
            ),
            ([], _) => (
                "`iir` and `singular` ask the table how deep to search",
                "shape = \"neutral\" counts without them; [reference] self judges scores",
            ),
            _ => {
                ("such a search may do less to the same depth when its table forgets", "[reference] self judges scores")
            }
        }
    }
}

/// Whether the options have a term that asks the table under test for the shape of the search.
fn shape_depends_on_table(options: &Value) -> bool {
    let is_on = |path: &str| options.pointer(path).and_then(Value::as_u64).is_some_and(|depth| depth > 0);
    let neutral = options.pointer("/shape").is_some_and(|shape| shape == "neutral");
    !neutral && (is_on("/iir/min_depth") || is_on("/singular/min_depth"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::record::manifest::EngineInfo;
    use serde_json::json;

    /// Either term is enough, unless the shape is neutral or the term is off. An external engine
    /// always counts, whatever options are recorded under its name.
    #[test]
    fn nodes_mislead_if_the_search_asks_its_table() {
        let from_options = |options: &[(&str, Value)], engines: &[&str]| {
            let options = options.iter().map(|(name, options)| ((*name).to_owned(), options.clone())).collect();
            let subjects = engines.iter().map(|name| ((*name).to_owned(), EngineInfo::default())).collect();
            let misleading = Misleading::from_manifest(&Manifest { options, subjects, ..Manifest::default() });
            misleading.map(|misleading| (misleading.engines, misleading.terms))
        };
        let on = |term: &str, depth: u32| json!({ term: { "min_depth": depth }, "shape": "table" });
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(from_options(&[("a", json!({})), ("b", on("iir", 0))], &[]), None);
        assert_eq!(from_options(&[("a", json!({})), ("b", on("iir", 1))], &[]), Some((vec![], names(&["b"]))));
        assert_eq!(from_options(&[("a", on("singular", 6))], &[]), Some((vec![], names(&["a"]))));
        assert_eq!(from_options(&[("a", json!({ "iir": { "min_depth": 4 }, "shape": "neutral" }))], &[]), None);
        assert_eq!(from_options(&[("a", on("iir", 4)), ("b", json!({}))], &["a"]), Some((names(&["a"]), vec![])));
    }

    /// An engine that `ttlab doctor` cleared is not listed, whatever was found about others.
    #[test]
    fn engine_is_trusted_once_doctor_cleared_it() {
        let from_verdicts = |verdicts: &[&str]| {
            let engine = |(index, doctor): (usize, &&str)| {
                (format!("e{index}"), EngineInfo { doctor: (*doctor).to_owned(), ..EngineInfo::default() })
            };
            let subjects = verdicts.iter().enumerate().map(engine).collect();
            Misleading::from_manifest(&Manifest { subjects, ..Manifest::default() })
                .map(|misleading| misleading.sentence())
        };
        assert_eq!(from_verdicts(&["lead", "lead"]), None);
        for doubted in ["", "mislead", "undecided"] {
            let message = from_verdicts(&["lead", doubted]).unwrap();
            assert!(
                message.starts_with("nodes to a depth may mislead in \"e1\": an engine may search less"),
                "{message}"
            );
            assert!(message.contains("`ttlab doctor`"), "{message}");
            assert!(message.contains("[reference] self"), "{message}");
        }
    }
}
