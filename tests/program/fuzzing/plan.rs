//! Fuzz target: any text is refused, or is a plan that is valid down to its last job.

use ttlab::internals::experiment::{PlanFile, Split};

/// Tests one input.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match PlanFile::parse(text, "plan.json") {
        Ok((file, _, plan)) => {
            let split = Split::new(&plan, file.shards);
            assert!(plan.jobs().take(1000).all(|job| split.shard_of(&plan, &job) < file.shards));
        }
        Err(error) => {
            let _ = error.to_string();
        }
    }
}
