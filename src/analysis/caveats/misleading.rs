//! Tells whether the number of nodes that a search needs to reach a depth measures the quality of
//! its table. Some searches read from the table how deep to search. If the table forgets, such a
//! search is less deep although its nominal depth is the same, and the worse table looks better.

use crate::analysis::questions::compare::{Comparison, GateResult};
use crate::record::columns;
use crate::record::diagnosis::NodesVerdict;
use crate::record::manifest::Manifest;
use crate::text::quote_names;
use serde_json::Value;
use std::collections::BTreeSet;

/// The name of the metric "nodes" on pages where the number of nodes to a depth may mislead.
pub const SAME_LABEL: &str = "nodes to the nominal depth";

/// The variants whose number of nodes to a depth may mislead.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Misleading {
    /// The names of the external engines that `ttlab doctor` has not cleared.
    engines: Vec<String>,
    /// The names of the variants of ttlab's engine whose search terms `iir` or `singular` read from
    /// the table how deep to search.
    variants: Vec<String>,
}

impl Misleading {
    pub fn from_manifest(manifest: &Manifest) -> Option<Self> {
        let uncleared_engines =
            manifest.run.subjects.iter().filter(|(_, engine)| engine.doctor != NodesVerdict::Lead.word());
        let engines: Vec<String> = uncleared_engines.map(|(name, _)| name.clone()).collect();
        let builtin_variants =
            manifest.planned.options.iter().filter(|(name, _)| !manifest.run.subjects.contains_key(*name));
        let dependent_variants = builtin_variants.filter(|(_, options)| shape_depends_on_table(options));
        let variants: Vec<String> = dependent_variants.map(|(name, _)| name.clone()).collect();
        (!engines.is_empty() || !variants.is_empty()).then_some(Self { engines, variants })
    }

    pub fn sentence(&self) -> String {
        let names: Vec<&str> = self.engines.iter().chain(&self.variants).map(String::as_str).collect();
        let (names, (cause, advice)) = (quote_names(&names), self.cause_and_advice());
        format!("nodes at equal depth may mislead in {names}: {cause}, so a worse table may need fewer nodes. {advice}")
    }

    /// The variants are not named.
    pub fn reason(&self) -> String {
        let (cause, _) = self.cause_and_advice();
        format!("no verdict, because nodes at equal depth may mislead: {cause}")
    }

    /// Adds a caution to the result of each gate on nodes, and a single note about all these gates.
    pub fn mark_gates(&self, comparison: &mut Comparison) {
        let mut gates = BTreeSet::new();
        let is_on_nodes = |gate_result: &&mut GateResult| gate_result.metric == columns::NODES;
        for gate_result in comparison.gate_results.iter_mut().filter(is_on_nodes) {
            gate_result.caution = Some(self.sentence());
            gates.insert(format!("`{}`", gate_result.gate));
        }
        if !gates.is_empty() {
            let gates = gates.into_iter().collect::<Vec<_>>().join(", ");
            comparison.notes.push(format!("gate {gates}: {}", self.sentence()));
        }
    }

    fn cause_and_advice(&self) -> (&'static str, &'static str) {
        match (&self.engines[..], &self.variants[..]) {
            (_, []) => (
                "an engine may search less at the same depth when its table forgets",
                "`ttlab doctor` tests whether an engine does so; to judge the table, compare scores ([reference] self) \
                 or play games",
            ),
            ([], _) => (
                "`iir` and `singular` ask the table how deep to search",
                "To judge the table, set shape = \"neutral\" to rule out this effect, compare scores ([reference] \
                 self), or play games",
            ),
            _ => (
                "a search may do less work at the same depth when its table forgets",
                "To judge the table, compare scores ([reference] self) or play games",
            ),
        }
    }
}

/// Whether the options turn on `iir` or `singular` without the neutral shape. These search terms
/// then read from the table under test how deep to search.
fn shape_depends_on_table(options: &Value) -> bool {
    let is_on = |path: &str| options.pointer(path).and_then(Value::as_u64).is_some_and(|depth| depth > 0);
    let is_neutral = options.pointer("/shape").is_some_and(|shape| shape == "neutral");
    !is_neutral && (is_on("/iir/min_depth") || is_on("/singular/min_depth"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::manifest::EngineInfo;
    use crate::record::manifest::{Planned, RunRecord};
    use serde_json::json;

    /// Either term is enough, unless the shape is neutral or the term is off. An external engine
    /// always counts, whatever options are recorded under its name.
    #[test]
    fn nodes_mislead_if_the_search_asks_its_table() {
        let from_options = |options: &[(&str, Value)], engines: &[&str]| {
            let options = options.iter().map(|(name, options)| ((*name).to_owned(), options.clone())).collect();
            let subjects = engines.iter().map(|name| ((*name).to_owned(), EngineInfo::default())).collect();
            let misleading = Misleading::from_manifest(&Manifest {
                planned: Planned { options, ..Planned::default() },
                run: RunRecord { subjects, ..RunRecord::default() },
                ..Manifest::default()
            });
            misleading.map(|misleading| (misleading.engines, misleading.variants))
        };
        let with_term = |term: &str, depth: u32| json!({ term: { "min_depth": depth }, "shape": "table" });
        let to_names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(from_options(&[("a", json!({})), ("b", with_term("iir", 0))], &[]), None);
        assert_eq!(
            from_options(&[("a", json!({})), ("b", with_term("iir", 1))], &[]),
            Some((vec![], to_names(&["b"])))
        );
        assert_eq!(from_options(&[("a", with_term("singular", 6))], &[]), Some((vec![], to_names(&["a"]))));
        assert_eq!(from_options(&[("a", json!({ "iir": { "min_depth": 4 }, "shape": "neutral" }))], &[]), None);
        assert_eq!(
            from_options(&[("a", with_term("iir", 4)), ("b", json!({}))], &["a"]),
            Some((to_names(&["a"]), vec![]))
        );
    }

    /// An engine that `ttlab doctor` cleared is not listed, whatever it says about other engines.
    #[test]
    fn engine_is_trusted_once_doctor_cleared_it() {
        let from_verdicts = |verdicts: &[&str]| {
            let make_engine = |(index, doctor): (usize, &&str)| {
                (format!("e{index}"), EngineInfo { doctor: (*doctor).to_owned(), ..EngineInfo::default() })
            };
            let subjects = verdicts.iter().enumerate().map(make_engine).collect();
            Misleading::from_manifest(&Manifest::from(RunRecord { subjects, ..RunRecord::default() }))
                .map(|misleading| misleading.sentence())
        };
        assert_eq!(from_verdicts(&["lead", "lead"]), None);
        for verdict in ["", "mislead", "undecided"] {
            let message = from_verdicts(&["lead", verdict]).unwrap();
            assert!(
                message.starts_with("nodes at equal depth may mislead in \"e1\": an engine may search less"),
                "{message}"
            );
            assert!(message.contains("`ttlab doctor`"), "{message}");
            assert!(message.contains("[reference] self"), "{message}");
        }
    }
}
