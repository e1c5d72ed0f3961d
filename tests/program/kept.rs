//! The reports in the repository: which have rows, whether these match their seals and the files
//! under `experiments`, and whether they make the verdicts of the page again.

use crate::common::{has_reports, run, scratch};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use ttlab::internals::experiment::{Experiment, Plan};
use ttlab::internals::record::manifest::Manifest;
use ttlab::internals::record::packed;
use ttlab::internals::report::Page;
use ttlab::internals::report::markdown::{Style, render};
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
        let file = match name(&folder) {
            "worth-replay" => "worth",
            "primary-claims-depth-8" => "primary-claims",
            name => name,
        };
        let file = files.get(file).unwrap_or_else(|| panic!("{}: no experiment file", folder.display()));
        (folder.clone(), file.clone())
    });
    published.chain(studies).collect()
}

/// The reports that have rows. All others have their page and its figures alone.
const WITH_ROWS: [&str; 32] = [
    "ancient",
    "ancient-deepening",
    "listing",
    "minimax-table",
    "move-selection",
    "move-selection-deep",
    "move-selection-deepening",
    "ordering",
    "otter",
    "otter-size",
    "third-column",
    "vipermate-aging",
    "vipermate-deepening",
    "vipermate-placement",
    "webster",
    "ageing",
    "fine-70",
    "fixed-nodes",
    "fixed-nodes-long",
    "key-width",
    "memory",
    "ordering",
    "placement",
    "price-of-a-node",
    "price-of-a-node-depth",
    "primary-claims",
    "replacement",
    "replacement-kinds",
    "slots",
    "subtree",
    "threads-policies",
    "worth-replay",
];

fn with_rows() -> Vec<(PathBuf, PathBuf)> {
    let (with_rows, pages): (Vec<_>, Vec<_>) = reports().into_iter().partition(|(folder, _)| packed::is_packed(folder));
    let files = ["experiment.toml", "manifest.json", "reference.csv.xz", "results.csv"];
    for (folder, _) in &pages {
        files.iter().for_each(|name| assert!(!folder.join(name).exists(), "{}: {name} alone", folder.display()));
    }
    with_rows
}

#[test]
fn kept_reports_are_small_and_their_rows_listed() {
    let mut all = 0;
    for (folder, _) in reports() {
        assert!(folder.join("report.md").exists(), "{}", folder.display());
        let files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        let figures = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "svg"));
        assert!(figures.count() <= 4, "{}", folder.display());
        all += files.iter().map(|path| fs::metadata(path).unwrap().len()).sum::<u64>();
    }
    assert!(all < 14_200_000, "{all} bytes of reports");
    let names: Vec<String> = with_rows().iter().map(|(folder, _)| name(folder).to_owned()).collect();
    assert!(!has_reports() || names == WITH_ROWS, "{names:?}");
}

/// The rows of each folder are complete and belong to the experiment file under `experiments`.
#[test]
fn kept_rows_match_their_seals_and_their_experiment() {
    for (folder, file) in with_rows() {
        let state = verify(&folder).unwrap();
        assert!(state.state == FolderState::Complete, "{}: {state:?}", folder.display());
        if name(&folder) == "worth-replay" {
            // Its trace isn't in the repository, so the file under `experiments` names another one.
            continue;
        }
        let experiment = Experiment::load(&file, &[]).unwrap_or_else(|problem| panic!("{problem}"));
        let manifest = Manifest::read(&folder).unwrap().unwrap();
        assert_eq!(manifest.planned.plan, Plan::new(&experiment).id_text(), "{}", folder.display());
        assert_eq!(manifest.planned.name, experiment.name);
        let [kept, under_experiments] =
            [&folder.join("experiment.toml"), &file].map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(kept, under_experiments, "{}", folder.display());
    }
}

/// The sections with the verdicts of a page.
fn verdict_sections(page: &str) -> Vec<&str> {
    page.split("\n## Verdicts").skip(1).filter_map(|text| text.split("\n## ").next()).collect()
}

#[test]
fn kept_rows_make_the_verdicts_of_their_page() {
    for (folder, _) in with_rows() {
        let page = fs::read_to_string(folder.join("report.md")).unwrap();
        let again = render(&Page::read(&folder).unwrap().sheet, Style { level: 1, links_figures: true });
        assert_eq!(verdict_sections(&again), verdict_sections(&page), "{}", folder.display());
    }
}

#[test]
fn kept_rows_are_those_of_another_run() {
    for (folder, file) in with_rows().into_iter().filter(|(folder, _)| name(folder) == "minimax-table") {
        let out = scratch();
        let (_, stderr, code) = run(&["run", file.to_str().unwrap(), "-q", "--out", out.path().to_str().unwrap()]);
        assert_eq!(code, 0, "{stderr}");
        let kept = packed::unpack(&folder.join(packed::PACKED), 1 << 20).unwrap();
        let header = String::from_utf8(kept[..kept.iter().position(|byte| *byte == b'\n').unwrap()].to_vec()).unwrap();
        let is_kept = |column: &str| header.split(',').any(|name| name == column);
        let again = packed::select_columns(&out.path().join("results.csv"), is_kept).unwrap();
        assert!(kept == again, "{}", String::from_utf8(again).unwrap());
    }
}

/// How many verdicts on the page hold, differ and are undecided, and whether there is one that the
/// file does not accept, which is bold.
fn verdicts(folder: &Path) -> (String, bool) {
    let page = fs::read_to_string(folder.join("report.md")).unwrap();
    let rows = verdict_sections(&page)
        .into_iter()
        .flat_map(|section| section.lines().filter(|line| line.starts_with("| ")).skip(1));
    let verdicts: Vec<&str> = rows.map(|row| row.split(" | ").nth(1).unwrap()).collect();
    let count = |word: &str| verdicts.iter().filter(|verdict| verdict.trim_matches('*').starts_with(word)).count();
    let counts = ["holds", "differs", "undecided"].map(count);
    assert_eq!(counts.iter().sum::<usize>(), verdicts.len(), "{}: {verdicts:?}", folder.display());
    let text = if counts == [0; 3] { String::new() } else { counts.map(|count| count.to_string()).join(", ") };
    (text, verdicts.iter().any(|verdict| verdict.starts_with('*')))
}

/// The text that `docs/claims.md` must have, generated from the reports in the repository. Its
/// minutes were measured once and are those of the text itself.
fn claims(present: &str) -> String {
    let mut text = String::from(
        "# Claims, and how to check each\n\n\
         For reviewers: the question of each kept report, the command that makes its rows again, and how many of its claims hold, differ, and are undecided:\n\
         all of them, also where the file accepts either verdict.\n\
         Minutes are those of one processor core for all searches, as measured once; `--jobs` divides them, and counts do not depend on it.\n\
         A command ends with 1 if a verdict is not one that its file accepts, as that of the page; a run without `--check` ends with 0.\n\
         This page is written by a test from the reports.\n\n\
         | question | command | minutes | hold, differ, undecided | ends with |\n|---|---|---:|---|---:|\n",
    );
    for (folder, file) in reports() {
        let question = Experiment::load(&file, &[]).unwrap().file.question.replace('|', "\\|");
        let file = file.strip_prefix(root()).unwrap();
        let set = if name(&folder).ends_with("depth-8") { " --set limit.depth=8" } else { "" };
        let command = match file.starts_with("experiments/published") {
            true => format!("ttlab reproduce --only {}", name(&folder)),
            false => format!("ttlab run {}{set} --check", file.display()),
        };
        let report = folder.strip_prefix(root()).unwrap().join("report.md");
        let line = present.lines().find(|line| line.contains(report.to_str().unwrap()));
        let minutes = line.and_then(|line| line.rsplit(" | ").nth(2)).unwrap_or_default();
        let (verdicts, fails) = verdicts(&folder);
        let (report, exit) = (report.display(), u8::from(fails));
        writeln!(text, "| {question} ([report](../{report})) | `{command}` | {minutes} | {verdicts} | {exit} |")
            .unwrap();
    }
    text + "\nEqual counts on any machine: `ttlab bench`, and `tests/signatures.txt`. Moves, perft counts, keys and laws of the table are checked by `cargo test`\n\
            ([correctness](correctness.md) says what checks what).\n"
}

/// A page has an end, its plan is what was run, and its first screen answers the question: by the
/// author's or the page's findings.
#[test]
fn kept_pages_are_short_whole_and_begin_with_the_answer() {
    for (folder, _) in reports() {
        let page = fs::read_to_string(folder.join("report.md")).unwrap();
        let (place, lines) = (folder.display(), page.lines().count());
        assert!(lines <= 400, "{place}: {lines} lines");
        assert!(!page.contains("of the plan without rows"), "{place}");
        let answers = |line: &str| ["Found", "**What came of it", "- "].iter().any(|start| line.starts_with(start));
        assert!(page.lines().take(30).any(answers), "{place}: no finding in the first 30 lines");
    }
}

#[test]
fn claims_page_equals_the_kept_reports() {
    if !has_reports() {
        return;
    }
    let path = root().join("docs/claims.md");
    let present = fs::read_to_string(&path).unwrap();
    let claims = claims(&present);
    if std::env::var_os("TTLAB_BLESS").is_some() {
        fs::write(&path, &claims).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), claims);
}

/// Two variants, claims that name columns, and times that no claim names.
const TRIAL: &str = "name = 'trial'\nsuite = 'data/bratko-kopec.epd'\nfirst = 6\nlimit = { depth = 3 }\n[grid]\n\
    'table.size' = [64, 1024]\n[[expect]]\nwhere = { depth = 2 }\n'table.stores' = { min = 1 }\n\
    [[expect]]\nclaim = 'evals(size=64) > evals(size=1024)'\n";

#[test]
fn kept_report_is_made_from_a_run_and_read_like_one() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("trial.toml"), TRIAL).unwrap();
    let call = |words: &[&str], exit: i32| {
        let (stdout, stderr, code) = run(words);
        assert_eq!(code, exit, "{words:?}: {stdout}{stderr}");
        stdout + &stderr
    };
    call(&["run", &path("trial.toml"), "-q", "--out", &path("full")], 0);
    call(&["report", &path("full"), "--keep", &path("kept"), "--metric", "hit_rate"], 0);
    let files = ["experiment.toml", "manifest.json", "report.md", "results.csv.xz"];
    files.iter().for_each(|name| assert!(Path::new(&path("kept")).join(name).exists(), "{name}"));
    let [full, kept] = ["full", "kept"].map(|name| Manifest::read(path(name).as_ref()).unwrap().unwrap());
    // The page and the counts are those of the whole run.
    assert_eq!((&kept.sealed.counts, kept.sealed.rows), (&full.sealed.counts, full.sealed.rows));
    let has = |manifest: &Manifest, column: &str| manifest.sealed.header.split(',').any(|name| name == column);
    for (column, is_kept) in [
        ("variant", true),
        ("table.size", true),
        ("search.nodes", true),
        ("best", true),
        ("table.stores", true),
        ("search.evals", true),
        ("table.hits", true),
        ("table.probes", true),
        ("id", false),
        ("check", false),
        ("seconds", false),
        ("table.fills", false),
    ] {
        assert!(has(&full, column), "{column}");
        assert_eq!(
            (has(&kept, column), kept.sealed.columns_left_out.iter().any(|name| name == column)),
            (is_kept, !is_kept)
        );
    }
    let verified = call(&["verify", &path("kept")], 0);
    assert!(verified.contains("sealed: the file and the manifest; "), "{verified}");
    let page = fs::read(Path::new(&path("kept")).join("report.md")).unwrap();
    call(&["report", &path("kept"), "--metric", "hit_rate"], 0);
    call(&["report", &path("kept")], 0);
    assert_eq!(fs::read(Path::new(&path("kept")).join("report.md")).unwrap(), page, "the page is not written again");
    let absent = call(&["report", &path("kept"), "--metric", "table.fills"], 2);
    assert!(absent.contains("there is no column `table.fills`"), "{absent}");
    let gates = ["--fail-on", "nodes changed", "--fail-on", "evals changed"];
    call(&[&["compare", &path("full"), &path("kept")], &gates[..]].concat(), 0);
    // No row is taken from it, no run continues it, and no report is kept of it.
    let reuse = call(&["run", &path("trial.toml"), "-q", "--out", &path("out"), "--reuse", &path("kept")], 2);
    assert!(reuse.contains("has not all columns"), "{reuse}");
    let continued = call(&["run", &path("trial.toml"), "-q", "--out", &path("kept")], 2);
    assert!(continued.contains("holds a kept report, which cannot be continued"), "{continued}");
    for (from, to, message) in [("kept", "again", "this is a kept report"), ("full", "full", "has full rows")] {
        let refused = call(&["report", &path(from), "--keep", &path(to)], 2);
        assert!(refused.contains(message), "{refused}");
    }
    // An edited row, a file in another format, a cut file, and more rows than the manifest has.
    let file = Path::new(&path("kept")).join(packed::PACKED);
    let whole = fs::read(&file).unwrap();
    let text = packed::unpack(&file, 1 << 20).unwrap();
    let edited = String::from_utf8(text.clone()).unwrap().replacen(",2,depth 3", ",1,depth 3", 1);
    let bomb = vec![b'x'; (full.sealed.rows.unwrap() as usize + 2) << 14];
    for (bytes, exit) in [
        (packed::pack(edited.as_bytes()).unwrap(), 4),
        (text, 4),
        (whole[..whole.len() / 2].to_vec(), 4),
        (packed::pack(&bomb).unwrap(), 4),
    ] {
        fs::write(&file, bytes).unwrap();
        let verified = call(&["verify", &path("kept")], exit);
        assert!(!verified.contains("--repair"), "no run continues a kept report: {verified}");
        call(&["report", &path("kept")], 2);
    }
    fs::write(&file, whole).unwrap();
    call(&["run", &path("trial.toml"), "-q", "--fresh", "--out", &path("kept")], 0);
    assert!(Path::new(&path("kept/previous")).join(packed::PACKED).exists());
}

/// Whether nodes at equal depth mislead, and what two results differ in, is read from the options.
#[test]
fn kept_report_has_the_options_of_the_run() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let trial = "suite = 'data/bratko-kopec.epd'\nfirst = 6\nlimit = { depth = 3 }\nengine = { preset = 'modern' }\n[grid]\n\
        'table.size' = [64, 1024]\n[[expect]]\nclaim = 'nodes(size=64) > nodes(size=1024)'\n";
    fs::write(path("trial.toml"), trial).unwrap();
    let call = |words: &[&str]| {
        let (stdout, stderr, code) = run(words);
        assert_eq!(code, 0, "{words:?}: {stdout}{stderr}");
        stdout
    };
    call(&["run", &path("trial.toml"), "-q", "--out", &path("full")]);
    call(&["report", &path("full"), "--keep", &path("kept")]);
    let pages = ["full", "kept"].map(|name| call(&["report", &path(name), "--format", "md"]));
    let [full, kept] = [&pages[0], &pages[1]].map(|page| verdict_sections(page));
    assert!(full.len() == 1 && full[0].contains("undecided"), "{full:?}");
    assert_eq!(kept, full);
    let options = ["full", "kept"].map(|name| Manifest::read(path(name).as_ref()).unwrap().unwrap().planned.options);
    assert!(options[0].len() == 2 && options[0] == options[1]);
}
