//! Fuzz target: any bytes after the header of a results file. A run that continues it ends with the
//! rows of an undisturbed run, or reports what is wrong.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use ttlab::internals::analysis::Frame;
use ttlab::internals::experiment::{Experiment, Plan};
use ttlab::internals::record;
use ttlab::internals::runner::{OutputError, RunError, Session, Settings, progress::Quiet};

const TEXT: &str =
    "name = 'fuzz'\nsuite = { startpos = true }\nlimit = { depth = 2 }\n[grid]\n'table.size' = [64, 128]\n";

struct Undisturbed {
    experiment: Experiment,
    plan: Plan,
    folder: PathBuf,
    rows: Vec<Vec<String>>,
    manifest: Vec<u8>,
}

fn continued(experiment: &Experiment, plan: &Plan, folder: &Path, repair: bool) -> Result<(), String> {
    loop {
        let settings = Settings { jobs: 1, repair, any_build: true, ..Settings::default() };
        let session = Session::begin(experiment, plan, folder, settings, &AtomicBool::new(false));
        match session {
            // A child process that another test starts holds the previous run's lock between fork
            // and exec.
            Err(RunError::Output(OutputError::Locked(_))) => std::thread::yield_now(),
            Err(error) => return Err(error.to_string()),
            Ok(session) => {
                return session.run(&AtomicBool::new(false), &Quiet).map(drop).map_err(|error| error.to_string());
            }
        }
    }
}

fn rows(folder: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(folder.join("results.csv")).expect("results");
    let seconds = reader.headers().expect("header").len() - 3;
    let fields = |row: csv::StringRecord| {
        row.iter().enumerate().filter(|(at, _)| *at != seconds).map(|(_, field)| field.to_owned()).collect()
    };
    reader.records().map(|row| fields(row.expect("a row"))).collect()
}

fn undisturbed() -> &'static Undisturbed {
    static PEACE: OnceLock<Undisturbed> = OnceLock::new();
    PEACE.get_or_init(|| {
        // In memory if the system has `/dev/shm`.
        let base = Path::new("/dev/shm");
        let base = if base.is_dir() { base.to_owned() } else { std::env::temp_dir() };
        let folder = base.join(format!("ttlab-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let experiment = Experiment::parse(TEXT, Path::new("fuzz.toml"), &[]).expect("an experiment");
        let plan = Plan::new(&experiment);
        continued(&experiment, &plan, &folder, false).expect("a run");
        let rows = rows(&folder);
        let manifest = std::fs::read(folder.join("manifest.json")).expect("a manifest");
        Undisturbed { experiment, plan, folder, rows, manifest }
    })
}

/// Restores the folder to its state after the first run: every run adds a segment to the manifest,
/// and every repair leaves a copy.
fn tidy(undisturbed: &Undisturbed) {
    for entry in std::fs::read_dir(&undisturbed.folder).expect("the folder").flatten() {
        if entry.file_name().to_string_lossy().contains(".damaged-") {
            std::fs::remove_file(entry.path()).expect("a copy");
        }
    }
    std::fs::write(undisturbed.folder.join("manifest.json"), &undisturbed.manifest).expect("the manifest");
}

/// Tests one input.
pub fn run(data: &[u8]) {
    let undisturbed = undisturbed();
    tidy(undisturbed);
    let path = undisturbed.folder.join("results.csv");
    let header = record::header(&undisturbed.plan.varying(), undisturbed.plan.extra_columns()).join(",") + "\n";
    let bytes = [header.as_bytes(), data].concat();
    std::fs::write(&path, &bytes).expect("the file");
    if let Err(error) = Frame::read(&path) {
        let _ = error.to_string();
    }
    match continued(&undisturbed.experiment, &undisturbed.plan, &undisturbed.folder, false) {
        Ok(()) => assert_eq!(rows(&undisturbed.folder), undisturbed.rows),
        Err(error) => {
            assert!(error.contains("line") || error.contains("the run ended"), "{error}");
            assert_eq!(std::fs::read(&path).expect("the file"), bytes, "a refused file was touched");
            continued(&undisturbed.experiment, &undisturbed.plan, &undisturbed.folder, true).expect("a repair");
            assert_eq!(rows(&undisturbed.folder), undisturbed.rows);
        }
    }
}
