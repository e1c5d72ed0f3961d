//! Tests with UCI engines as subjects: a small scripted engine that can produce every fault, and
//! engines packaged by Debian.

mod doctor;
mod driver;
mod files;
mod judged;
mod kills;
mod linked;
mod races;
mod real;
mod speed;
mod trials;

use crate::common::scratch;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Returns the path of the scripted engine.
fn scripted() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/engines/scripted.sh")
}

/// Returns the path of the program under test.
fn ttlab() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_ttlab"))
}

/// Returns a unique token to put into the environment of processes, so that they can be found.
fn token() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    format!("ttlab-trial-{}-{now}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns the command lines of the running processes that have the token in their environment.
/// Zombies don't count.
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

/// Waits until no process has the token in its environment. Returns those that are left after a
/// timeout.
fn all_gone(token: &str) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let left = alive(token);
        if left.is_empty() || begun.elapsed() > Duration::from_secs(20) {
            return left;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Positions in which the scripted engine's move is legal.
const SUITE: &str = r#"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id "A"; bm e4;
rnbqkbnr/1ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id "B"; bm d4;
rnbqkbnr/p1pppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id "C";
rnbqkbnr/pp1ppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id "D";
rnbqkbnr/ppp1pppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id "E";
rnbqkbnr/ppppp1pp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id "F";
"#;

/// Returns sixteen positions: each without one pawn, and each of these also without a knight.
fn sixteen() -> String {
    let epd_line = |file: u8, other: &str| {
        let mut pawns: Vec<String> = vec!["p".to_owned(); 8];
        pawns[usize::from(file - b'a')] = "1".to_owned();
        let last = if other.is_empty() { "RNBQKBNR" } else { "RNBQKB1R" };
        format!("rnbqkbnr/{}/8/8/8/8/PPPPPPPP/{last} w KQkq - id \"{}{other}\";\n", pawns.concat(), file as char)
    };
    (b'a'..=b'h').flat_map(|file| ["", "p"].map(|other| epd_line(file, other))).collect()
}

/// The part of position D's FEN that identifies it. The trial before a run doesn't search D.
const AT_D: &str = "pp1ppppp";

/// A folder with a suite and an experiment, and the token that identifies the processes of its
/// runs.
struct Trial {
    folder: tempfile::TempDir,
    token: String,
}

/// What the program printed, and its exit code.
struct Output {
    out: String,
    err: String,
    code: i32,
}

impl Trial {
    /// Creates a trial of an experiment, in which `ENGINE` stands for the scripted engine.
    fn new(text: &str) -> Self {
        let folder = scratch();
        std::fs::write(folder.path().join("suite.epd"), SUITE).unwrap();
        let text = text.replace("ENGINE", scripted().to_str().unwrap());
        std::fs::write(folder.path().join("trial.toml"), format!("suite = \"suite.epd\"\n{text}")).unwrap();
        Self { folder, token: token() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Prepares a call of the program in the trial's folder.
    fn command(&self, words: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(ttlab());
        command.current_dir(self.folder.path()).env("TTLAB_TRIAL", &self.token).args(words);
        command
    }

    fn call(&self, words: &[&str]) -> Output {
        let output = self.command(words).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Output { out: text(&output.stdout), err: text(&output.stderr), code: output.status.code().unwrap_or(-1) }
    }

    /// Runs the experiment, with results in `out`.
    fn run(&self, out: &str, more: &[&str]) -> Output {
        let message = self.call(&[&["run", "trial.toml", "--out", out][..], more].concat());
        assert_eq!(all_gone(&self.token), Vec::<String>::new());
        message
    }

    /// Returns the rows of a results folder, each as a map from column names to values.
    fn rows(&self, out: &str) -> Vec<std::collections::BTreeMap<String, String>> {
        let mut reader = csv::Reader::from_path(self.path(out).join("results.csv")).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    }

    /// Returns the manifest of a results folder.
    fn manifest(&self, out: &str) -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(self.path(out).join("manifest.json")).unwrap()).unwrap()
    }

    /// Returns the rows without measured times.
    fn timeless(&self, out: &str) -> Vec<std::collections::BTreeMap<String, String>> {
        let mut rows = self.rows(out);
        rows.iter_mut().for_each(|row| {
            row.remove("seconds");
        });
        rows
    }
}

impl Output {
    #[track_caller]
    fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    fn prints(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.err.contains(part) || self.out.contains(part), "no `{part}` in\n{}\n{}", self.out, self.err);
        }
        self
    }
}
