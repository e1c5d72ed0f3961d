//! Engines that speak UCI as subjects: one of a few lines that can do everything wrong, and Debian's.

mod driver;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The engine of a few lines.
fn scripted() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/engines/scripted.sh")
}

/// The program under test.
fn ttlab() -> PathBuf {
    assert_cmd::cargo::cargo_bin("ttlab")
}

/// A word that no other process on the machine has in its environment.
fn token() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    format!("ttlab-trial-{}-{now}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Processes that have a word in their environment; those that have ended and wait to be reaped are none.
fn alive(token: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let path = entry.path();
        let Ok(environment) = std::fs::read(path.join("environ")) else { continue };
        if environment.windows(token.len()).any(|part| part == token.as_bytes()) {
            let state = std::fs::read_to_string(path.join("stat")).unwrap_or_default();
            let dead = state.rsplit(')').next().is_none_or(|rest| rest.trim_start().starts_with(['Z', 'X']));
            if !dead {
                let words = std::fs::read(path.join("cmdline")).unwrap_or_default();
                found.push(String::from_utf8_lossy(&words).replace('\0', " "));
            }
        }
    }
    found
}

/// Waits until no process has the word in its environment; which do if that takes too long.
fn all_gone(token: &str) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let left = alive(token);
        if left.is_empty() || begun.elapsed() > Duration::from_secs(5) {
            return left;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
