//! Tells the build which commit and which profile it is of, and what decides its counts, for the
//! manifest.

use std::path::Path;
use std::process::Command;

#[path = "src/runner/search_hash.rs"]
mod search_hash;

fn main() {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    if let Some(head) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={head}");
    }
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=core/src");
    println!("cargo:rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").unwrap_or_default();
    println!("cargo:rustc-env=TTLAB_SEARCHES={}", search_hash::search_hash(Path::new("."), &lock));
    println!("cargo:rustc-env=TTLAB_PROFILE={}", std::env::var("PROFILE").unwrap_or_default());
    if let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]).filter(|commit| !commit.is_empty()) {
        let changed = git(&["status", "--porcelain", "--", "src", "core", "Cargo.toml", "Cargo.lock"])
            .is_some_and(|list| !list.is_empty());
        println!("cargo:rustc-env=TTLAB_COMMIT={commit}{}", if changed { "+" } else { "" });
    }
}
