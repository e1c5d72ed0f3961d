//! Fuzz target: any text is an experiment, or is refused with a message.

use std::collections::BTreeMap;
use std::path::Path;
use ttlab::internals::experiment::text::SuiteTexts;
use ttlab::internals::experiment::{Experiment, Plan};

const SUITE: &str = "8/8/8/8/8/4k3/4p3/4K3 w - - id \"a\";\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\n";

/// Another suite, for texts that name two: `a` and `b`.
const OTHER: &str = "8/8/8/8/8/2k5/2p5/2K5 w - - id \"a\";\n";

/// Tests one input.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // No file is read: whatever suite the text names, this one is used.
    let suites = BTreeMap::from([("a", SUITE), ("b", OTHER)].map(|(name, text)| (name.to_owned(), text.to_owned())));
    let texts = SuiteTexts::Plan { suite: Some(SUITE), suites: &suites };
    match Experiment::from_plan(text, Path::new("fuzz.toml"), &[], texts) {
        Ok(experiment) => {
            let plan = Plan::new(&experiment);
            assert_eq!(plan.jobs().take(1000).count() as u64, plan.len().min(1000));
            let _ = (plan.id(), plan.varying());
        }
        Err(problem) => {
            assert!(!problem.message.is_empty());
            let _ = problem.to_string();
        }
    }
}
