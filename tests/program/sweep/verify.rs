//! Reports, comparisons and `ttlab verify` on results that differ from what a run wrote.

use super::*;
use ttlab::internals::analysis::questions::paired_rows::RecordedResult;
use ttlab::internals::record;
use ttlab::internals::record::manifest::Manifest;
use ttlab::internals::runner::verify::FolderState;

/// Runs an experiment twice, and returns the trial with the lines of the first results file.
fn ran(text: &str) -> (Trial, Vec<String>) {
    let trial = Trial::new(text);
    trial.run("out", &[]).expect(0);
    trial.run("other", &[]).expect(0);
    let lines = fs::read_to_string(trial.results("out")).unwrap().lines().map(str::to_owned).collect();
    (trial, lines)
}

fn small() -> String {
    SMALL.replace("first = 6", "first = 3")
}

fn put(trial: &Trial, lines: &[String]) {
    fs::write(trial.results("out"), lines.join("\n") + "\n").unwrap();
}

/// The folder's state according to `verify`, and whether it can be read for a report and for a
/// comparison.
fn read(folder: &Path) -> (FolderState, bool, bool) {
    let state = ttlab::internals::runner::verify::verify(folder).unwrap().state;
    (state, ttlab::internals::report::Page::read(folder).is_ok(), RecordedResult::read(folder).is_ok())
}

const WHOLE: (FolderState, bool, bool) = (FolderState::Complete, true, true);
const WRONG: (FolderState, bool, bool) = (FolderState::Wrong, false, false);

/// The paths of all values of a JSON document that contain no other values.
fn leaves(value: &serde_json::Value, path: &str, found: &mut Vec<String>) {
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match value {
        serde_json::Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(name, value)| leaves(value, &format!("{path}/{}", escaped(name)), found));
        }
        serde_json::Value::Array(list) if !list.is_empty() => {
            list.iter().enumerate().for_each(|(at, value)| leaves(value, &format!("{path}/{at}"), found));
        }
        _ => found.push(path.to_owned()),
    }
}

/// Two variants, two positions.
const TINY: &str =
    "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 2 }\n[grid]\n'table.slots' = [1, 2]\n";

#[test]
fn edit_of_any_field_of_a_manifest_is_detected() {
    let (trial, _) = ran(TINY);
    let (folder, path) = (trial.path("out"), trial.path("out/manifest.json"));
    let whole = fs::read_to_string(&path).unwrap();
    assert_eq!(read(&folder), WHOLE);
    let manifest: serde_json::Value = serde_json::from_str(&whole).unwrap();
    let mut paths = Vec::new();
    leaves(&manifest, "", &mut paths);
    assert!(paths.len() > 200, "{}", paths.len());
    for place in &paths {
        let mut edited = manifest.clone();
        let leaf = edited.pointer_mut(place).unwrap();
        *leaf = match leaf {
            serde_json::Value::Bool(yes) => (!*yes).into(),
            serde_json::Value::Number(number) => (number.as_f64().unwrap() + 1.0).into(),
            serde_json::Value::String(text) => format!("{text}0").into(),
            _ => 1.into(),
        };
        fs::write(&path, serde_json::to_string_pretty(&edited).unwrap()).unwrap();
        assert_eq!(read(&folder), WRONG, "{place}");
        // And with the value removed.
        let (parent, name) = place.rsplit_once('/').unwrap();
        let mut edited = manifest.clone();
        match edited.pointer_mut(parent).unwrap() {
            serde_json::Value::Object(fields) => drop(fields.shift_remove(&name.replace("~1", "/").replace("~0", "~"))),
            serde_json::Value::Array(list) => drop(list.remove(name.parse().unwrap())),
            _ => unreachable!(),
        }
        fs::write(&path, edited.to_string()).unwrap();
        assert_eq!(read(&folder), WRONG, "without {place}");
    }
    // As the message says, a manifest that was moved away is written again.
    fs::remove_file(&path).unwrap();
    trial.run("out", &[]).expect(0);
    assert_eq!(read(&folder), WHOLE);
    // Reformatting a manifest isn't an edit.
    let again: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    fs::write(&path, again.to_string()).unwrap();
    assert_eq!(read(&folder), WHOLE);
}

#[test]
fn swapped_columns_in_the_header_are_detected() {
    let (trial, lines) = ran(TINY);
    let folder = trial.path("out");
    let names: Vec<&str> = lines[0].split(',').collect();
    let exchanged = |one: usize, other: usize| {
        let mut names = names.clone();
        names.swap(one, other);
        let mut lines = lines.clone();
        lines[0] = names.join(",");
        put(&trial, &lines);
        let manifest = Manifest::read(&folder).unwrap();
        record::verify::verify(&trial.results("out"), manifest.as_ref()).unwrap().describe_damage()
    };
    let at = |name: &str| names.iter().position(|known| *known == name).unwrap();
    for other in 1..names.len() {
        assert!(exchanged(other - 1, other).is_some(), "{} and {}", names[other - 1], names[other]);
    }
    // A run that hasn't ended.
    put(&trial, &lines);
    seal_anew(&folder, |manifest| manifest["ended"] = serde_json::Value::Null);
    assert!(exchanged(at("search.nodes"), at("search.evals")).is_some());
}

/// However a plan is run, the seal of its counts is the same; shards have none.
#[test]
fn seal_of_counts_is_equal_in_every_run() {
    let (trial, lines) = ran(TINY);
    let seal = |out: &str| Manifest::read(&trial.path(out)).unwrap().unwrap().sealed.counts;
    let known = seal("out");
    assert!(known.is_some());
    trial.run("jobs", &["--jobs", "3"]).expect(0);
    // A run that was stopped and continued.
    fs::create_dir(trial.path("resumed")).unwrap();
    ["results.csv", "manifest.json", "experiment.toml"].iter().for_each(|name| {
        fs::copy(trial.path("out").join(name), trial.path("resumed").join(name)).unwrap();
    });
    fs::write(trial.results("resumed"), lines[..5].join("\n") + "\n").unwrap();
    trial.run("resumed", &[]).expect(0);
    let plan = trial.text("plan.json");
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &plan]).expect(0);
    for shard in ["0", "1"] {
        ttlab(&["run", "--plan", &plan, "--shard", shard, "-q", "--out", &trial.text("merged")]).expect(0);
        let shard = Manifest::read(&trial.path(&format!("merged/shards/{shard}"))).unwrap().unwrap();
        assert!(shard.sealed.counts.is_none() && shard.sealed.bytes.is_some(), "{shard:?}");
    }
    ttlab(&["merge", &plan, "-q", "-o", &trial.text("merged")]).expect(0);
    for out in ["other", "jobs", "resumed", "merged"] {
        assert_eq!(seal(out), known, "{out}");
        let message = ttlab(&["verify", &trial.text(out)]).expect(0);
        let output = "sealed: the counts, the file as written, and the manifest";
        assert!(message.stdout.contains(output), "{}", message.stdout);
    }
}

#[test]
fn invalid_folder_and_unfinished_run_are_reported() {
    let (trial, _) = ran(&small());
    ttlab(&["verify", &trial.text("out"), "data"]).expect(2).prints(&["give a results folder of ttlab"]);
    let child = Trial::new(&small().replace("depth = 3", "depth = 9"));
    let mut run = child.spawn("out", &["--jobs", "1"]);
    let begun = std::time::Instant::now();
    while !child.results("out").exists() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(20));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    signal(&run, "-KILL");
    run.wait().unwrap();
    let message = ttlab(&["verify", &child.text("out")]).expect(3);
    assert!(message.stdout.contains("has not ended"), "{}", message.stdout);
}

/// The jobs that a segment of a manifest lists.
fn made(segment: &serde_json::Value) -> Vec<u64> {
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        first.parse::<u64>().unwrap()..=last.parse().unwrap()
    };
    segment["jobs_written"].as_str().unwrap().split(',').flat_map(range).collect()
}

/// The machine, build and jobs of every segment stay recorded.
#[test]
fn manifest_keeps_every_segment_of_a_run() {
    let (trial, lines) = ran(&small());
    let manifest = trial.path("out").join("manifest.json");
    let read = || -> serde_json::Value { serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap() };
    // The first segment is from another build on another machine, with many parallel jobs.
    seal_anew(&trial.path("out"), |theirs| {
        for place in ["/build/commit", "/build/searches", "/segments/0/build/commit", "/segments/0/build/searches"] {
            *theirs.pointer_mut(place).unwrap() = "feedbee".into();
        }
        for place in ["/machine/cpu", "/segments/0/machine/cpu"] {
            *theirs.pointer_mut(place).unwrap() = "Other".into();
        }
        for place in ["/jobs", "/segments/0/jobs"] {
            *theirs.pointer_mut(place).unwrap() = 64.into();
        }
    });
    let theirs = read();
    put(&trial, &lines[..lines.len() - 4]);
    trial.run("out", &["--jobs", "1"]).expect(2).prints(&["another build"]);
    trial.run("out", &["--jobs", "1", "--any-build"]).expect(0);
    let ours = read();
    let segments = ours["segments"].as_array().unwrap();
    let places = made(&segments[0]);
    let all = ours["jobs_total"].as_u64().unwrap();
    assert_eq!(places.len() as u64, all - segments[1]["done"].as_u64().unwrap(), "{segments:?}");
    assert!(segments[1].get("jobs_written").is_none(), "the rest");
    assert_eq!(segments.len(), 2, "{segments:?}");
    assert_eq!(segments[0]["build"]["commit"], "feedbee");
    assert_eq!((&segments[0]["jobs"], &segments[1]["jobs"]), (&64.into(), &1.into()));
    assert!(segments[1]["done"].as_u64().unwrap() > 0);
    assert!(segments[1]["ended"].is_u64());
    // The top level describes the whole run: the largest number of parallel jobs, from the start of
    // the first segment to the end of the last.
    assert_eq!((&ours["jobs"], &ours["started"]), (&64.into(), &theirs["started"]));
    assert_eq!(ours["ended"], segments[1]["ended"]);
    let page = fs::read_to_string(trial.path("out").join("report.md")).unwrap();
    assert!(page.contains("64 jobs at a time"), "{page}");
    assert!(page.contains("feedbee"), "{page}");
    let message = ttlab(&["verify", &trial.text("out")]).expect(0);
    assert!(message.stdout.contains("2 builds"), "{}", message.stdout);
    assert!(message.stdout.contains("2 machines"), "{}", message.stdout);
    let output = format!("segment 1 of 2 ran jobs {} (64 in parallel", segments[0]["jobs_written"].as_str().unwrap());
    assert!(message.stdout.contains(&output), "{}", message.stdout);
    assert!(message.stdout.contains("segment 2 of 2 ran the other jobs"), "{}", message.stdout);
    // A third segment runs the plan's first job again, which then no longer belongs to the first
    // segment.
    assert!(places.contains(&0));
    let first = &lines[1][..lines[1].find(',').unwrap()];
    put(&trial, &lines.iter().filter(|line| !line.starts_with(first)).cloned().collect::<Vec<_>>());
    trial.run("out", &["--jobs", "1", "--repair", "--any-build"]).expect(0);
    let again = read();
    let segments = again["segments"].as_array().unwrap();
    assert_eq!((segments.len(), &segments[2]["done"]), (3, &1.into()));
    assert_eq!(made(&segments[0]), places[1..]);
    assert_eq!(made(&segments[1]), (0..all).filter(|job| !places.contains(job)).collect::<Vec<_>>());
    // A run that finds all jobs done runs none.
    trial.run("out", &["--jobs", "1", "--any-build"]).expect(0);
    let message = ttlab(&["verify", &trial.text("out")]).expect(0);
    assert!(message.stdout.contains("segment 3 of 4 ran jobs 0 ("), "{}", message.stdout);
    assert!(message.stdout.contains("4 of 4 ran no job"), "{}", message.stdout);
}

/// With `--guard-cells`, a name that a spreadsheet would execute is quoted, and numbers are
/// unchanged.
#[test]
fn cells_can_be_guarded_against_spreadsheets() {
    let (trial, _) = ran(&format!("{}[[variant]]\nname = '=cmd|calc'\n'table.slots' = 4\n", small()));
    let csv =
        |more: &[&str]| ttlab(&[&["report", &trial.text("out"), "--format", "csv"], more].concat()).expect(0).stdout;
    let cells = |text: &str| -> Vec<String> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.records().flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    let (plain, guarded) = (cells(&csv(&[])), cells(&csv(&["--guard-cells"])));
    assert!(plain.iter().any(|cell| cell.starts_with("=cmd")));
    assert!(!guarded.iter().any(|cell| cell.starts_with("=cmd")));
    assert!(guarded.iter().any(|cell| cell.starts_with("'=cmd")));
    for (plain, guarded) in plain.iter().zip(&guarded) {
        assert!(plain.parse::<f64>().is_err() || plain == guarded, "{plain} became {guarded}");
    }
}

/// Cells that a spreadsheet would treat as formulas get an apostrophe; numbers, including negative
/// ones, are unchanged.
#[test]
fn guard_cells_leaves_numbers_unchanged() {
    use ttlab::internals::report::sheet::{Cell, Part, Sheet, SheetColumn, SheetTable};
    let words = ["=1+1", "+x", "-y", "@z", "\tt", "plain", "-12.5", "+3", "1e5"];
    let rows = words.iter().map(|word| vec![Cell::text(*word)]).collect();
    let table = SheetTable {
        key: "t".to_owned(),
        columns: vec![SheetColumn::text("c", "c", "")],
        rows,
        ..SheetTable::default()
    };
    let sheet = Sheet { parts: vec![Part::Table(table)], ..Sheet::default() };
    let cells = |guard: bool| -> Vec<String> {
        let text = ttlab::internals::report::data::csv(&sheet, guard);
        csv::Reader::from_reader(text.as_bytes()).records().map(|row| row.unwrap()[8].to_owned()).collect()
    };
    // A control character is replaced by a visible one, which no spreadsheet treats as a formula.
    assert_eq!(cells(false), ["=1+1", "+x", "-y", "@z", "\u{fffd}t", "plain", "-12.5", "+3", "1e5"]);
    assert_eq!(cells(true), ["'=1+1", "'+x", "'-y", "'@z", "\u{fffd}t", "plain", "-12.5", "+3", "1e5"]);
}

/// A name with a line break stays in its cell of a Markdown table.
#[test]
fn cell_with_a_line_break_stays_one_line() {
    use ttlab::internals::report::markdown::{Style, render};
    use ttlab::internals::report::sheet::{Cell, Part, Sheet, SheetColumn, SheetTable};
    let rows = vec![vec![Cell::text("two\nlines\r\nof | three"), Cell::text("end")]];
    let columns = ["a", "b"].map(|name| SheetColumn::text(name, name, "")).to_vec();
    let table = SheetTable { key: "t".to_owned(), columns, rows, ..SheetTable::default() };
    let sheet = Sheet { parts: vec![Part::Table(table)], ..Sheet::default() };
    let text = render(&sheet, Style { level: 1, links_figures: false });
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("lines")).collect();
    assert_eq!(lines, ["| two lines  of \\| three | end |"], "{text}");
}

/// A range of jobs may be anywhere among the numbers that a plan can have, and a range that was
/// edited to be endless isn't expanded.
#[test]
fn endless_range_of_jobs_is_refused() {
    use ttlab::internals::record::Jobs;
    let last = Jobs::try_from("4294967291-4294967295".to_owned()).unwrap();
    assert_eq!((last.0.len(), last.to_string().as_str()), (5, "4294967291-4294967295"));
    for text in ["0-33554432", "4294967295-4294967296"] {
        assert!(Jobs::try_from(text.to_owned()).is_err(), "{text}");
    }
}
