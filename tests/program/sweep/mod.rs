//! Runs that are killed, starved of resources, edited or split into shards: no finished row is ever
//! lost, and the rows equal those of an uninterrupted run.

mod disk;
mod edited;
mod failing;
mod faults;
mod grown;
mod kills;
mod pipes;
mod poison;
mod regular;
mod shards;
mod slurm;
mod strict;
mod submit;
mod synced;
mod torn;
mod verify;

use crate::common::{scratch, seal_anew};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Five variants, one of which runs through the whole suite as one job.
const SMALL: &str = r#"
name = "trial"
suite = "data/bratko-kopec.epd"
first = 6
limit = { depth = 3 }
[grid]
"table.size" = [1024, 8192]
"table.policy" = ["always", { kind = "aged-depth", factor = 2 }]
[[variant]]
name = "no table"
table = "none"
[[variant]]
name = "kept"
"table.clear" = "never"
"#;

/// Takes about a second.
const LONG: &str = "suite = 'data/bratko-kopec.epd'\nlimit = { depth = 5 }\n[engine]\ntable.size = '1 MiB'\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_ttlab"))
}

/// The output of a command and its exit code.
struct Output {
    stdout: String,
    stderr: String,
    code: Option<i32>,
}

impl Output {
    /// Fails unless the command exited with this code.
    #[track_caller]
    fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Fails unless all of these were printed on stderr.
    #[track_caller]
    fn prints(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "should say {part:?}:\n{}", self.stderr);
        }
        self
    }
}

fn run_command(command: &mut Command) -> Output {
    if command.get_current_dir().is_none() {
        command.current_dir(root());
    }
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Output { stdout: text(&output.stdout), stderr: text(&output.stderr), code: output.status.code() }
}

fn ttlab(args: &[&str]) -> Output {
    run_command(Command::new(binary()).args(args))
}

/// An experiment file in a folder of its own.
struct Trial {
    folder: TempDir,
    file: String,
}

impl Trial {
    fn new(text: &str) -> Self {
        let folder = scratch();
        let path = folder.path().join("trial.toml");
        fs::write(&path, text).unwrap();
        Self { file: path.to_str().unwrap().to_owned(), folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Runs the experiment into a subfolder of the trial's folder.
    fn run(&self, out: &str, more: &[&str]) -> Output {
        ttlab(&[&["run", &self.file, "--quiet", "--out", &self.text(out)], more].concat())
    }

    fn spawn(&self, out: &str, more: &[&str]) -> Child {
        Command::new(binary())
            .args(["run", &self.file, "--out", &self.text(out)])
            .args(more)
            .current_dir(root())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn results(&self, out: &str) -> PathBuf {
        self.path(out).join("results.csv")
    }

    /// Whether all variants of a run have the same nodes in every row.
    fn same_counts(&self, out: &str) -> bool {
        let mut reader = csv::Reader::from_path(self.results(out)).unwrap();
        let heads = reader.headers().unwrap().clone();
        let at = |name: &str| heads.iter().position(|head| head == name).unwrap();
        let places = ["position", "depth", "search.nodes"].map(at);
        let mut nodes = std::collections::HashMap::new();
        reader.records().map(Result::unwrap).all(|row| {
            let [position, depth, count] = places.map(|at| row[at].to_owned());
            *nodes.entry((position, depth)).or_insert_with(|| count.clone()) == count
        })
    }
}

/// The rows of a results file without the seconds.
fn counts(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let seconds = reader.headers().unwrap().iter().position(|name| name == "seconds").unwrap();
    let fields = |record: csv::StringRecord| {
        record.iter().enumerate().filter(|(at, _)| *at != seconds).map(|(_, field)| field.to_owned()).collect()
    };
    reader.records().map(|record| fields(record.unwrap())).collect()
}

/// The bytes of a results file with all seconds left empty.
fn bytes(path: &Path) -> Vec<u8> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).unwrap();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut seconds = None;
    for record in reader.records() {
        let record = record.unwrap();
        let at = *seconds.get_or_insert_with(|| record.iter().position(|name| name == "seconds").unwrap());
        writer
            .write_record(record.iter().enumerate().map(|(field, text)| if field == at { "" } else { text }))
            .unwrap();
    }
    writer.into_inner().unwrap()
}

fn signal(child: &Child, name: &str) {
    let _ = Command::new("kill").args([name, &child.id().to_string()]).status();
}

/// Pseudo-random numbers that are the same in each run.
fn scatter(seed: u64) -> u64 {
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
}
