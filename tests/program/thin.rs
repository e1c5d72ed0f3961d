//! Thin results give the same page as the full ones, and everything else is refused.

use crate::common::{run, scratch, seal_anew};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use ttlab::internals::analysis::questions::paired_rows::RecordedResult;
use ttlab::internals::record::manifest::Manifest;
use ttlab::internals::record::thin::{self, Resolution};
use ttlab::internals::runner::verify::FolderState;

/// A trial with its full and its thin results.
struct Kept {
    folder: TempDir,
}

impl Kept {
    fn new(text: &str) -> Self {
        let folder = scratch();
        fs::write(folder.path().join("trial.toml"), text).unwrap();
        let kept = Self { folder };
        kept.call(&["run", &kept.text("trial.toml"), "--quiet", "--jobs", "1", "--out", &kept.text("full")], 0);
        kept.call(&["thin", &kept.text("full"), "--out", &kept.text("thin")], 0);
        kept
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// The stdout and stderr of a command that must exit with the given code.
    #[track_caller]
    fn call(&self, words: &[&str], exit: i32) -> String {
        let (stdout, stderr, code) = run(words);
        assert_eq!(code, exit, "{words:?}: {stdout}{stderr}");
        stdout + &stderr
    }

    /// The page of a folder as JSON.
    fn page(&self, name: &str, choice: &[&str]) -> Value {
        let folder = self.text(name);
        let words = [&["report", &folder, "--format", "json"], choice].concat();
        let page: Value = serde_json::from_str(&self.call(&words, 0)).unwrap();
        assert!(page["parts"].as_array().unwrap().len() > 4);
        page
    }

    /// Asserts that thin and full rows give the same page.
    #[track_caller]
    fn same_page(&self, choice: &[&str]) {
        let (full, thin) = (self.page("full", choice), self.page("thin", choice));
        let mut differ = Vec::new();
        differences(&full, &thin, "", &mut differ);
        assert!(differ.is_empty(), "{choice:?}: {:?}", &differ[..differ.len().min(5)]);
    }
}

/// Lists the places where two documents differ by more than the rounding error of a sum.
fn differences(one: &Value, other: &Value, path: &str, found: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().for_each(|(name, value)| differences(value, &b[name], &format!("{path}/{name}"), found));
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().for_each(|(at, (a, b))| differences(a, b, &format!("{path}/{at}"), found));
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            if (a - b).abs() > 1e-12 * a.abs() {
                found.push(format!("{path}: {a} and {b}"));
            }
        }
        (a, b) if a == b => {}
        (a, b) => found.push(format!("{path}: {a} and {b}")),
    }
}

/// Tables of two sizes with full diagnostics, key seeds, repeats, a claim by depth, and a node
/// limit that cuts some searches short.
const RICH: &str = "name = 'trial'\nquestion = 'Which?'\nsuite = 'data/bratko-kopec.epd'\nfirst = 6\nrepeats = 2\nseeds = 2\n\
    limit = { depth = 4, nodes = 6000 }\n[engine]\ndiagnostics = 'full'\n[grid]\n'table.size' = [64, 1024]\n'table.slots' = [1, 4]\n\
    [[expect]]\nwhere = { depth = 2 }\n'table.stores' = { min = 1 }\n[[expect]]\nclaim = 'evals(size=64, slots=1) > evals(size=1024, slots=1)'\n";

/// The searches of one side along a game, with a table that is kept between them.
const GAME: &str = "suite = 'data/games.pgn'\nfirst = 2\nlimit = { depth = 3 }\nsequence = { from = 21, to = 32, side = 'white' }\n\
    [engine]\ntable.clear = 'game'\ntable.size = 256\n[grid]\n'table.policy' = ['always', 'depth-preferred']\n";

#[test]
fn thin_rows_make_the_page_of_the_full_ones() {
    let rich = Kept::new(RICH);
    rich.same_page(&[]);
    let verified = rich.call(&["verify", &rich.text("thin")], 0);
    assert!(verified.contains("thin rows: the table and the manifest match their seals; "), "{verified}");
    let size = |name: &str| fs::metadata(rich.path(name)).unwrap().len();
    assert!(10 * size("thin/rows.csv.xz") < size("full/results.csv"), "{}", size("thin/rows.csv.xz"));
    let figures = |name: &str| {
        let names = fs::read_dir(rich.path(name)).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".svg")).count()
    };
    assert!(figures("thin") == 3, "{}", figures("thin"));
    assert!(!rich.path("thin/report.html").exists(), "{}", figures("thin"));
    // The manifest of thin rows stores common options only once, and gives them back for each
    // variant.
    let [full, thin] = ["full", "thin"].map(|name| Manifest::read(&rich.path(name)).unwrap().unwrap());
    assert_eq!(full.options.len(), 8);
    assert!(full.options == thin.options);
    assert!(2 * size("thin/manifest.json") < size("full/manifest.json"), "{}", size("thin/manifest.json"));
    // Grouping by option columns still works, and a rate computed from some of the rows equals that
    // of the same full rows.
    rich.same_page(&["--by", "table.size"]);
    rich.same_page(&["--where", "table.slots=4"]);
    // Thinning thin rows changes neither the rows nor the page.
    rich.call(&["thin", &rich.text("thin"), "-o", &rich.text("again"), "-q"], 0);
    for name in ["rows.csv.xz", "manifest.json", "report.md", "experiment.toml"] {
        assert_eq!(fs::read(rich.path("thin").join(name)).unwrap(), fs::read(rich.path("again").join(name)).unwrap());
    }
}

#[test]
fn thin_rows_of_a_game_have_its_pressure_and_its_table() {
    let game = Kept::new(GAME);
    game.same_page(&[]);
}

#[test]
fn thin_rows_of_several_suites_make_each_section() {
    let text = "name = 's'\nlimit = { nodes = 4000 }\nfirst = 3\n[grid]\n'table.size' = [64, 1024]\n[suites]\n\
                a = { file = 'data/bratko-kopec.epd', depth = 2 }\nb = { file = 'data/endgames.epd', depth = 3 }\n";
    let suites = Kept::new(text);
    suites.same_page(&[]);
    suites.same_page(&["--where", "suite=b"]);
}

#[test]
fn thin_rows_of_a_match_have_its_games() {
    let text = "name = 'm'\nsuite = 'data/openings.epd'\nfirst = 3\nlimit = { nodes = 300 }\n[match]\nmax_moves = 30\n\
                baseline = 'plain'\n[[variant]]\nname = 'plain'\n[[variant]]\nname = 'bare'\ntable = 'none'\n";
    let text = text.replace("baseline = 'plain'\n", "").replace("[match]", "baseline = { variant = 'plain' }\n[match]");
    let games = Kept::new(&text);
    games.same_page(&[]);
    games.call(&["report", &games.text("thin")], 0);
    let pgn = |name: &str| fs::read_to_string(games.path(name).join("games.pgn")).unwrap();
    // Thin rows have no depth and nodes of single moves.
    let without_searches = |text: &str| {
        let comments = text.split('{').map(|part| match part.split_once('}') {
            Some((comment, rest)) => format!("{}}}{rest}", comment.split('/').next().unwrap_or_default()),
            None => part.to_owned(),
        });
        comments.collect::<Vec<_>>().join("{").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let full = pgn("full");
    assert!(full.contains(", n="), "{full}");
    assert_eq!(without_searches(&pgn("thin")), without_searches(&full));
}

#[test]
fn missing_column_of_thin_rows_names_the_command_that_makes_it() {
    let kept = Kept::new(&RICH[..RICH.find("[[expect]]").unwrap()]);
    let (thin, full) = (kept.text("thin"), kept.text("full"));
    let remedy = "run `ttlab run FILE --out FOLDER` to make the full rows";
    for (choice, lack) in [
        (["--metric", "evals"], "thin rows do not have `search.evals` for each depth"),
        (["--metric", "hit_rate"], "thin rows do not have `table.hits` for each depth"),
        (["--metric", "hashfull"], "thin rows do not have `hashfull` for each depth"),
        (["--where", "depth=2"], "`depth` varies within a search"),
        (["--where", "repeat=1"], "`repeat` varies within a search"),
        (["--where", "table.hits>1"], "`table.hits` varies within a search"),
        (["--by", "keys.seed"], "`keys.seed` varies within a search"),
    ] {
        let output = kept.call(&["report", &thin, choice[0], choice[1]], 2);
        assert!(output.contains(lack), "{choice:?}: {output}");
        assert!(output.contains(remedy), "{choice:?}: {output}");
    }
    kept.call(&["report", &thin, "--metric", "nodes", "--pairs"], 0);
    // Columns with a value per row can be compared and gated on; other columns can't.
    for (base, new) in [(&thin, &full), (&full, &thin), (&thin, &thin)] {
        let output = kept.call(&["compare", base, new, "--fail-on", "nodes changed"], 0);
        assert!(output.contains("ok: 8 gates pass"), "{output}");
    }
    let output = kept.call(&["compare", &thin, &full, "--fail-on", "table.hits > +1%"], 2);
    assert!(output.contains("thin rows do not have `table.hits` for each depth"), "{output}");
    assert!(output.contains(remedy), "{output}");
    let output = kept.call(&["compare", &full, &thin, "--fail-on", "table.hits > +1%"], 2);
    assert!(output.contains("NEW has no column `table.hits`"), "{output}");
    // A run doesn't continue thin rows, and thin rows don't replace full ones.
    let output = kept.call(&["run", &kept.text("trial.toml"), "-q", "--out", &thin], 2);
    assert!(output.contains("holds thin rows, which cannot be continued"), "{output}");
    let output = kept.call(&["thin", &thin, "-o", &full], 2);
    assert!(output.contains("the folder has full rows"), "{output}");
    let output = kept.call(&["thin", &full, "-o", &full], 2);
    assert!(output.contains("another folder"), "{output}");
    kept.call(&["run", &kept.text("trial.toml"), "-q", "--fresh", "--out", &thin], 0);
    assert!(!kept.path("thin/rows.csv.xz").exists());
    assert!(kept.path("thin/results.csv").exists());
}

/// The column checksums in the manifest of thin rows equal those of any other run of the plan.
#[test]
fn checksums_in_thin_rows_equal_those_of_another_run() {
    let kept = Kept::new(
        "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 3 }\n[grid]\n'table.slots' = [1, 2]\n",
    );
    let known = Manifest::read(&kept.path("thin")).unwrap().unwrap().column_seals;
    kept.call(&["run", &kept.text("trial.toml"), "--quiet", "--jobs", "2", "--out", &kept.text("again")], 0);
    let again = Manifest::read(&kept.path("again")).unwrap().unwrap().column_seals;
    assert_eq!(known, again);
    assert!(known.len() > 45);
    assert!(known.contains_key("table.evictions"));
    assert!(known.contains_key("pv"));
}

/// The folder's state according to `verify`, and whether it can be read for a report and for a
/// comparison.
fn read(folder: &Path) -> (FolderState, bool, bool) {
    let state = ttlab::internals::runner::verify::verify(folder).unwrap().state;
    (state, ttlab::internals::report::Page::read(folder).is_ok(), RecordedResult::read(folder).is_ok())
}

#[test]
fn thin_rows_that_were_edited_are_refused() {
    let kept = Kept::new(
        "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 2 }\n[grid]\n'table.slots' = [1, 2]\n",
    );
    let (folder, path) = (kept.path("thin"), kept.path("thin/rows.csv.xz"));
    let whole = fs::read(&path).unwrap();
    let table = String::from_utf8(thin::decompress_file(&path).unwrap()).unwrap();
    assert_eq!(read(&folder), (FolderState::Complete, true, true));
    let wrong = (FolderState::Wrong, false, false);
    let manifest = fs::read(folder.join("manifest.json")).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    for at in 0..lines.len() {
        // An extra or changed cell, a missing column, two exchanged columns.
        let (mut edited, mut gone, mut exchanged) = (lines.clone(), lines.clone(), lines.clone());
        let longer = format!("{}1", lines[at]);
        edited[at] = &longer;
        gone.remove(at);
        exchanged.swap(at, (at + 1) % lines.len());
        for other in [edited, gone, exchanged] {
            fs::write(&path, thin::compress((other.join("\n") + "\n").as_bytes()).unwrap()).unwrap();
            assert_eq!(read(&folder), wrong, "{}", lines[at]);
        }
    }
    // A file in another format, a truncated file, and a file with trailing bytes.
    for bytes in [table.as_bytes().to_vec(), whole[..whole.len() / 2].to_vec(), [&whole[..], b"x"].concat(), Vec::new()]
    {
        fs::write(&path, bytes).unwrap();
        assert_eq!(read(&folder), wrong);
    }
    let output = kept.call(&["report", &kept.text("thin")], 2);
    assert!(output.contains("rows.csv.xz: "), "{output}");
    assert!(output.contains("help: "), "{output}");
    kept.call(&["verify", &kept.text("thin")], 4);
    // A table with a recomputed checksum is still compared with the column checksums of the full
    // rows; a table of another width is invalid.
    let nodes = lines.iter().position(|line| line.starts_with("search.nodes,")).unwrap();
    for other in [lines[nodes].replacen(",3", ",4", 1), format!("{},7", lines[nodes])] {
        assert_ne!(other, lines[nodes]);
        let text = table.replace(lines[nodes], &other);
        fs::write(&path, thin::compress(text.as_bytes()).unwrap()).unwrap();
        seal_anew(&folder, |manifest| {
            manifest["thin"]["seal"] = ttlab::internals::record::seals::hash_bytes(text.as_bytes()).into()
        });
        assert_eq!(read(&folder), wrong, "{other}");
    }
    // With the manifest of the full rows, and with a manifest without a checksum.
    fs::write(&path, &whole).unwrap();
    fs::copy(kept.path("full/manifest.json"), folder.join("manifest.json")).unwrap();
    assert_eq!(read(&folder), wrong);
    let mut unsealed: Value = serde_json::from_slice(&manifest).unwrap();
    unsealed.as_object_mut().unwrap().shift_remove("manifest_seal");
    fs::write(folder.join("manifest.json"), unsealed.to_string()).unwrap();
    assert_eq!(read(&folder).0, FolderState::Unsealed);
    kept.call(&["report", &kept.text("thin")], 3);
    fs::write(folder.join("manifest.json"), manifest).unwrap();
    assert_eq!(read(&folder), (FolderState::Complete, true, true));
    let rows = thin::read(&folder, &Manifest::read(&folder).unwrap().unwrap()).unwrap();
    let resolution =
        |name: &str| rows.columns.iter().find(|(_, known, _)| known == name).map(|(resolution, ..)| *resolution);
    assert_eq!(
        ["search.nodes", "best", "table.hits", "seconds", "search.evals", "pv", "id"].map(resolution),
        [
            Some(Resolution::Row),
            Some(Resolution::Row),
            Some(Resolution::Search),
            Some(Resolution::Variant),
            Some(Resolution::Variant),
            None,
            None
        ]
    );
}
