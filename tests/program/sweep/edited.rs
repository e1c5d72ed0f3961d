//! Results that were edited or belong to something else: they are refused with a line number and
//! never overwritten, and `--repair` runs the damaged jobs again.

use super::*;

struct Edited {
    trial: Trial,
    lines: Vec<String>,
    whole: Vec<Vec<String>>,
}

impl Edited {
    fn new() -> Self {
        let trial = Trial::new(&SMALL.replace("first = 6", "first = 2"));
        trial.run("out", &["--jobs", "1"]).expect(0);
        let text = fs::read_to_string(trial.results("out")).unwrap();
        let whole = counts(&trial.results("out"));
        Self { trial, lines: text.lines().map(str::to_owned).collect(), whole }
    }

    /// Writes an edited file. The run must refuse it with these words and leave it unchanged, and
    /// `--repair` must restore the original rows.
    fn refused(&self, lines: &[String], words: &[&str]) {
        let (text, results) = (lines.join("\n") + "\n", self.trial.results("out"));
        fs::write(&results, &text).unwrap();
        let manifest = || {
            let text = fs::read_to_string(self.trial.path("out").join("manifest.json")).unwrap();
            serde_json::from_str::<serde_json::Value>(&text).unwrap()
        };
        let before = manifest();
        self.trial.run("out", &[]).expect(2).prints(words).prints(&["results.csv"]);
        assert_eq!(fs::read_to_string(&results).unwrap(), text, "the file was touched");
        assert_eq!(manifest(), before, "a run that was refused is no stretch");
        self.repaired(lines);
    }

    fn repaired(&self, lines: &[String]) {
        let results = self.trial.results("out");
        fs::write(&results, lines.join("\n") + "\n").unwrap();
        self.trial.run("out", &["--repair"]).expect(0);
        assert_eq!(counts(&results), self.whole);
    }

    /// The lines with one field of one row changed.
    fn with_field(&self, line: usize, field: usize, to: &str) -> Vec<String> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(self.lines[line].as_bytes());
        let record = reader.records().next().unwrap().unwrap();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(record.iter().enumerate().map(|(at, old)| if at == field { to } else { old })).unwrap();
        let mut lines = self.lines.clone();
        lines[line] = String::from_utf8(writer.into_inner().unwrap()).unwrap().trim_end().to_owned();
        lines
    }
}

#[test]
fn edit_of_any_field_is_detected() {
    let edited = Edited::new();
    let header: Vec<&str> = edited.lines[0].split(',').collect();
    for (field, name) in header.iter().enumerate() {
        let lines = edited.with_field(4, field, "7");
        if lines == edited.lines {
            continue;
        }
        if *name == "seconds" {
            // All counts are right, but times are protected by the checksum too.
            let text = lines.join("\n") + "\n";
            fs::write(edited.trial.results("out"), &text).unwrap();
            edited.trial.run("out", &[]).expect(4).prints(&["its rows were changed", "--repair"]);
            assert_eq!(fs::read_to_string(edited.trial.results("out")).unwrap(), text, "the file was touched");
            ttlab(&["verify", &edited.trial.text("out")]).expect(4);
            edited.trial.run("out", &["--repair"]).expect(0);
            ttlab(&["verify", &edited.trial.text("out")]).expect(0);
        } else {
            // The message explains the mismatch by the field that shows it.
            let words = match *name {
                "variant" => "the plan has no variant \"7\"",
                "position" => "the suite has no item \"7\"",
                "repeat" => "the plan has 1 repeat (numbered from 0), found 7",
                "id" | "depth" => "id: does not match the row's other fields",
                _ => "line 5",
            };
            edited.refused(&lines, &["line 5", words]);
        }
        if *name == "repeat" {
            // The first repeat that isn't in the plan.
            edited.refused(&edited.with_field(4, field, "1"), &["line 5", "found 1"]);
        }
    }
}

#[test]
fn results_of_another_plan_without_their_manifest_are_refused() {
    let trial = Trial::new(SMALL);
    trial.run("out", &["--set", "limit.depth=2"]).expect(0);
    let before = fs::read(trial.results("out")).unwrap();
    fs::remove_file(trial.path("out").join("manifest.json")).unwrap();
    trial.run("out", &[]).expect(2).prints(&["line 2", "belongs to another plan"]);
    assert_eq!(fs::read(trial.results("out")).unwrap(), before);
    trial.run("out", &["--fresh"]).expect(0);
    assert_eq!(counts(&trial.results("out")).len(), 6 * 6 * 3);
}

#[test]
fn results_of_another_build_are_continued_on_request() {
    let trial = Trial::new(SMALL);
    trial.run("out", &[]).expect(0);
    seal_anew(&trial.path("out"), |manifest| manifest["build"]["searches"] = "0".into());
    trial.run("out", &["--any-build"]).expect(0);
}

/// Repair keeps a copy of the original file, each time under a new name. A stray quote only costs
/// its own job, not the following ones.
#[test]
fn repair_keeps_a_copy_and_drops_only_the_damaged_row() {
    let edited = Edited::new();
    let results = edited.trial.results("out");
    for (number, at) in [(1, 4), (2, 8)] {
        let mut lines = edited.lines.clone();
        lines[at].insert(20, '"');
        let damaged = lines.join("\n") + "\n";
        fs::write(&results, &damaged).unwrap();
        let output = ttlab(&["run", &edited.trial.file, "--repair", "--out", &edited.trial.text("out")]).expect(0);
        let output = output.prints(&["saved a copy of", &format!("results.csv.damaged-{number}")]);
        assert!(output.stderr.contains("dropped 3 rows of jobs that will run again"), "{}", output.stderr);
        let copy = edited.trial.path("out").join(format!("results.csv.damaged-{number}"));
        assert_eq!(fs::read_to_string(copy).unwrap(), damaged);
        assert_eq!(counts(&results), edited.whole);
    }
}

/// Links and files that someone put in the place of results.
#[test]
fn links_in_the_folder_are_not_written_through() {
    for name in [".lock", "results.csv", "manifest.json", "report.md", "report.html", "experiment.toml", ".flight"] {
        let trial = Trial::new(&SMALL.replace("first = 6", "first = 2"));
        fs::create_dir(trial.path("out")).unwrap();
        let precious = trial.path("precious");
        fs::write(&precious, "precious").unwrap();
        std::os::unix::fs::symlink(&precious, trial.path("out").join(name)).unwrap();
        let output = trial.run("out", &[]);
        assert!(matches!(output.code, Some(0 | 2 | 5)), "{name}: {}", output.stderr);
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious", "{name}");
    }
    let trial = Trial::new(&SMALL.replace("first = 6", "first = 2"));
    fs::create_dir(trial.path("out")).unwrap();
    fs::write(trial.path("out").join(".lock"), "somebody's").unwrap();
    trial.run("out", &[]).expect(0);
    assert_eq!(fs::read_to_string(trial.path("out").join(".lock")).unwrap(), "somebody's");
}
