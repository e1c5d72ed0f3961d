//! Fuzz target: any text is an experiment, or is refused with a message.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use ttlab::internals::experiment::text::ONLY_SUITE;
use ttlab::internals::experiment::{Experiment, Plan};

const SUITE: &str = "8/8/8/8/8/4k3/4p3/4K3 w - - id \"a\";\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\n";

/// Another suite, for texts that name two: `a` and `b`.
const OTHER: &str = "8/8/8/8/8/2k5/2p5/2K5 w - - id \"a\";\n";

/// The files of the suites, by name.
static FILES: LazyLock<BTreeMap<String, PathBuf>> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("ttlab-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |(name, text): (&str, &str)| {
        let file = folder.join(format!("{name}.epd"));
        std::fs::write(&file, text).unwrap();
        (name.to_owned(), file)
    };
    [(ONLY_SUITE, SUITE), ("a", SUITE), ("b", OTHER)].map(write).into()
});

/// Tests one input.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // Whatever suite the text names, these are used.
    match Experiment::from_plan(text, Path::new("fuzz.toml"), &[], Some(&FILES)) {
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
