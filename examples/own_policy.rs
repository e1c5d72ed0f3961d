//! Adds your own policy to experiment files: this program is `ttlab` with one more policy.
//!
//! `cargo run --release --example own_policy -- run experiment.toml`, where the file has
//! `"table.policy" = ["always", "centre"]`

use serde::{Deserialize, Serialize};
use std::process::ExitCode;
use ttlab_core::{Decision, Entry, Newcomer, Replacement, register};

/// Keeps an entry with a move to one of the four central files, unless the newcomer has one too or
/// is deeper by at least `margin`.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default)]
struct Centre {
    margin: u8,
}

impl Replacement for Centre {
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, _now: u16) -> Decision {
        let central = |entry: &Entry| !entry.mv.is_none() && (2..6).contains(&entry.mv.to().file());
        let old = &bucket[0];
        let deeper = newcomer.entry.depth >= old.depth.saturating_add(self.margin);
        if deeper || !central(old) || central(&newcomer.entry) { Decision::replace(0) } else { Decision::Refuse }
    }
}

fn main() -> ExitCode {
    match register::<Centre>("centre") {
        Ok(()) => ttlab::cli::main(),
        Err(_) => ExitCode::FAILURE,
    }
}
