//! The reports in the repository: their folders have the expected files, their checksums are valid,
//! and their experiments equal the files under `experiments`.

use crate::common::{has_reports, run, scratch};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use ttlab::internals::experiment::{Experiment, Plan};
use ttlab::internals::record::manifest::Manifest;
use ttlab::internals::record::thin::{self, Resolution};
use ttlab::internals::runner::verify::{FolderState, verify};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn entries(folder: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

/// The folder of each report with its experiment file; empty in a package that leaves the reports
/// out.
fn reports() -> Vec<(PathBuf, PathBuf)> {
    if !has_reports() {
        return Vec::new();
    }
    let kinds = ["published", "studies", "engines", "matches", "traces"];
    let files: BTreeMap<String, PathBuf> = kinds
        .iter()
        .flat_map(|kind| entries(&format!("experiments/{kind}")))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    let published = entries("reports/published").into_iter().filter(|path| path.is_dir()).map(|folder| {
        let file = root().join(format!("experiments/published/{}.toml", name(&folder)));
        (folder, file)
    });
    let studies = entries("reports/studies").into_iter().map(|folder| {
        let file = if name(&folder) == "worth-replay" { "worth" } else { name(&folder) };
        let file = files.get(file).unwrap_or_else(|| panic!("{}: no experiment file", folder.display()));
        (folder.clone(), file.clone())
    });
    published.chain(studies).collect()
}

#[test]
fn kept_reports_are_thin_and_small() {
    let mut all = 0;
    for (folder, _) in reports() {
        let files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        let figures = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "svg"));
        assert!(figures.count() <= 4, "{}", folder.display());
        for wanted in ["experiment.toml", "manifest.json", "report.md", "rows.csv.xz"] {
            assert!(folder.join(wanted).exists(), "{}: no {wanted}", folder.display());
        }
        all += files.iter().map(|path| fs::metadata(path).unwrap().len()).sum::<u64>();
    }
    assert!(all < 8_000_000, "{all} bytes of reports");
}

/// The rows of each folder belong to the experiment file under `experiments`, and none was edited.
#[test]
fn kept_reports_have_valid_checksums_and_their_experiment() {
    let mut incomplete = Vec::new();
    for (folder, file) in reports() {
        let state = verify(&folder).unwrap();
        assert!(state.state <= FolderState::Incomplete, "{}: {state:?}", folder.display());
        if state.state == FolderState::Incomplete {
            incomplete.push(name(&folder).to_owned());
        }
        if name(&folder) == "worth-replay" {
            // Its trace isn't in the repository, so the file under `experiments` names another one.
            continue;
        }
        let experiment = Experiment::load(&file, &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let manifest = Manifest::read(&folder).unwrap().unwrap();
        assert_eq!(manifest.plan, format!("{:016x}", Plan::new(&experiment).id()), "{}", folder.display());
        assert_eq!(manifest.name, experiment.name);
        let [kept, told] = [&folder.join("experiment.toml"), &file].map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(kept, told, "{}", folder.display());
    }
    // Each of these has variants that were never run; its page lists them.
    assert!(!has_reports() || incomplete == INCOMPLETE, "{incomplete:?}");
}

const INCOMPLETE: [&str; 3] = ["modern-search", "placement", "replacement-large"];

#[test]
fn kept_report_is_reproduced_to_the_last_count() {
    if !has_reports() {
        return;
    }
    let out = scratch();
    let folder = out.path().to_str().unwrap();
    let (_, stderr, code) = run(&["run", "experiments/published/minimax-table.toml", "-q", "--out", folder]);
    assert_eq!(code, 0, "{stderr}");
    let [kept, again] = [&root().join("reports/published/minimax-table"), out.path()]
        .map(|folder| Manifest::read(folder).unwrap().unwrap().column_seals);
    // Columns that were added later have no checksum in the report. `bytes` is skipped, because the
    // size of an unbounded table grows with the size of an entry.
    let differ: Vec<_> =
        kept.iter().filter(|(column, seal)| *column != "bytes" && again.get(*column) != Some(seal)).collect();
    assert!(differ.is_empty(), "{differ:?} of {}", kept.len());
    assert!(kept.len() > 45, "{differ:?} of {}", kept.len());
}

/// Total seconds of all searches or games.
fn seconds(folder: &Path) -> f64 {
    let rows = thin::read(folder, &Manifest::read(folder).unwrap().unwrap()).unwrap();
    let seconds_by = |wanted: Resolution| {
        let mut columns = rows.columns.iter();
        columns.find(|(resolution, name, _)| *resolution == wanted && name == "seconds").map(|(.., fields)| fields)
    };
    let fields = seconds_by(Resolution::Row).or_else(|| seconds_by(Resolution::Variant)).unwrap();
    fields.iter().filter_map(|field| field.parse::<f64>().ok()).sum()
}

/// How many verdicts on the page hold, differ and are undecided.
fn verdicts(folder: &Path) -> String {
    let page = fs::read_to_string(folder.join("report.md")).unwrap();
    let sections = page.split("## Verdicts").skip(1).flat_map(|text| text.split("\n## ").next());
    let verdicts: Vec<&str> =
        sections.flat_map(str::lines).filter_map(|line| line.strip_prefix("| ")?.split(" | ").nth(1)).collect();
    let count = |word: &str| verdicts.iter().filter(|verdict| verdict.starts_with(word)).count();
    let counts = ["holds", "differs", "undecided"].map(count);
    if counts == [0; 3] { String::new() } else { counts.map(|count| count.to_string()).join(", ") }
}

/// The text that `docs/claims.md` must have, generated from the reports in the repository.
fn claims() -> String {
    let mut text = String::from(
        "# Claims, and how to check each\n\n\
         For reviewers: the question of each kept report, the command that makes its rows again, and how many of its claims hold, differ, and are undecided.\n\
         Minutes are those of one processor core for all searches, as measured when the rows were made; `--jobs` divides them, and counts do not depend on\n\
         it. Each command ends with 1 if a verdict is not the one that its file expects. This page is written by a test from the reports.\n\n\
         | question | command | minutes | hold, differ, undecided |\n|---|---|---:|---|\n",
    );
    for (folder, file) in reports() {
        let manifest = Manifest::read(&folder).unwrap().unwrap();
        let file = file.strip_prefix(root()).unwrap();
        let command = match file.starts_with("experiments/published") {
            true => format!("ttlab reproduce --only {}", name(&folder)),
            false => format!("ttlab run {}", file.display()),
        };
        let minutes = seconds(&folder) / 60.0;
        let minutes = match minutes {
            _ if minutes < 0.1 => "< 0.1".to_owned(),
            _ if minutes < 10.0 => format!("{minutes:.1}"),
            _ => format!("{minutes:.0}"),
        };
        let report = folder.strip_prefix(root()).unwrap().join("report.md");
        let question = manifest.question.replace('|', "\\|");
        let verdicts = verdicts(&folder);
        writeln!(text, "| {question} ([report](../{})) | `{command}` | {minutes} | {verdicts} |", report.display())
            .unwrap();
    }
    text + "\nEqual counts on any machine: `ttlab bench`, and `tests/signatures.txt`. Moves, perft counts, keys and laws of the table are checked by `cargo test`\n\
            ([correctness](correctness.md) says what checks what).\n"
}

#[test]
fn claims_page_equals_the_kept_reports() {
    if !has_reports() {
        return;
    }
    let path = root().join("docs/claims.md");
    let claims = claims();
    if std::env::var_os("TTLAB_BLESS").is_some() {
        fs::write(&path, &claims).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), claims);
}
