//! Any text: a plan that is right to the last job, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ttlab::experiment::{PlanFile, Split};

fuzz_target!(|text: &str| {
    match PlanFile::parse(text, "plan.json") {
        Ok((file, _, plan)) => {
            let split = Split::new(&plan, file.shards);
            assert!(plan.jobs().take(1000).all(|job| split.shard_of(&plan, &job) < file.shards));
        }
        Err(error) => {
            let _ = error.to_string();
        }
    }
});
