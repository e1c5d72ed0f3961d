//! Results that someone edited, or that are of something else: refused with the line, never overwritten; `--repair` runs again
//! what was damaged.

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

    /// Writes an edited file; the run refuses it with these words and leaves it alone; repairing gives the old rows.
    fn refused(&self, lines: &[String], words: &[&str]) {
        let (text, results) = (lines.join("\n") + "\n", self.trial.results("out"));
        fs::write(&results, &text).unwrap();
        self.trial.run("out", &[]).expect(2).says(words).says(&["results.csv"]);
        assert_eq!(fs::read_to_string(&results).unwrap(), text, "the file was touched");
        self.repaired(lines);
    }

    fn repaired(&self, lines: &[String]) {
        let results = self.trial.results("out");
        fs::write(&results, lines.join("\n") + "\n").unwrap();
        self.trial.run("out", &["--repair"]).expect(0);
        assert_eq!(counts(&results), self.whole);
    }

    /// The lines with one field of one row set to something else.
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
fn an_edit_of_any_field_shows() {
    let edited = Edited::new();
    let header: Vec<&str> = edited.lines[0].split(',').collect();
    for (field, name) in header.iter().enumerate() {
        let lines = edited.with_field(4, field, "7");
        if lines == edited.lines {
            continue;
        }
        if *name == "seconds" {
            // Timings are no counts: they may differ.
            fs::write(edited.trial.results("out"), lines.join("\n") + "\n").unwrap();
            edited.trial.run("out", &[]).expect(0);
        } else {
            edited.refused(&lines, &["line 5"]);
        }
    }
}

#[test]
fn rows_that_are_lost_doubled_or_no_rows_show() {
    let edited = Edited::new();
    // A job's rows are three depths; lines 2 to 4 are the first job's.
    for lost in [1, 2] {
        let mut lines = edited.lines.clone();
        lines.remove(lost);
        edited.refused(&lines, &["a row before it is missing"]);
    }
    let mut doubled = edited.lines.clone();
    doubled.extend(edited.lines[1..4].to_vec());
    edited.refused(&doubled, &["twice", &format!("line {}", edited.lines.len() + 1)]);
    for bad in ["this,is,no,row", "", ",,,", "\"", "a\"b,c"] {
        let mut lines = edited.lines.clone();
        lines[2] = bad.to_owned();
        // An empty line is no row and no harm; its job's next row misses it.
        edited.refused(&lines, &["line"]);
    }
}

/// A job without its last row is not done: it is run again, with nothing lost of the others.
#[test]
fn a_job_without_its_last_row_is_run_again() {
    let edited = Edited::new();
    let mut lines = edited.lines.clone();
    lines.remove(3);
    fs::write(edited.trial.results("out"), lines.join("\n") + "\n").unwrap();
    let said = ttlab(&["run", &edited.trial.file, "--out", &edited.trial.text("out")]).expect(0);
    assert!(said.stderr.contains("2 rows of jobs that are to be run again were dropped"), "{}", said.stderr);
    assert_eq!(counts(&edited.trial.results("out")), edited.whole);
    // Of a whole job nothing is left to miss.
    let lines = [&edited.lines[..1], &edited.lines[4..]].concat();
    fs::write(edited.trial.results("out"), lines.join("\n") + "\n").unwrap();
    edited.trial.run("out", &[]).expect(0);
    assert_eq!(counts(&edited.trial.results("out")), edited.whole);
}

#[test]
fn bytes_that_are_no_text_show() {
    let edited = Edited::new();
    let results = edited.trial.results("out");
    let mut bytes = fs::read(&results).unwrap();
    let middle = edited.lines[..5].join("\n").len() - 3;
    bytes[middle] = 0xff;
    fs::write(&results, &bytes).unwrap();
    edited.trial.run("out", &[]).expect(2).says(&["line 5", "UTF-8"]);
    edited.trial.run("out", &["--repair"]).expect(0);
    assert_eq!(counts(&results), edited.whole);
}

#[test]
fn results_of_another_plan_are_refused_even_without_their_manifest() {
    let trial = Trial::new(SMALL);
    trial.run("out", &["--set", "limit.depth=2"]).expect(0);
    let before = fs::read(trial.results("out")).unwrap();
    trial.run("out", &[]).expect(2).says(&["another plan", "--fresh", "--out"]);
    fs::remove_file(trial.path("out").join("manifest.json")).unwrap();
    trial.run("out", &[]).expect(2).says(&["line 2", "of another plan"]);
    assert_eq!(fs::read(trial.results("out")).unwrap(), before);
    trial.run("out", &["--fresh"]).expect(0);
    assert_eq!(counts(&trial.results("out")).len(), 6 * 6 * 3);
}

#[test]
fn results_of_another_experiment_or_build_are_refused() {
    let trial = Trial::new(SMALL);
    trial.run("out", &[]).expect(0);
    let results = trial.results("out");
    let good = fs::read_to_string(&results).unwrap();
    fs::write(&results, good.replacen("experiment,variant", "experiment,varient", 1)).unwrap();
    trial.run("out", &[]).expect(2).says(&["other columns", "--out"]);
    fs::write(&results, &good).unwrap();
    let manifest = trial.path("out").join("manifest.json");
    let ours = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, ours.replace("\"version\": \"", "\"version\": \"9.")).unwrap();
    trial.run("out", &[]).expect(2).says(&["another build", "--any-build", "--fresh"]);
    trial.run("out", &["--any-build"]).expect(0);
    for (torn, said) in
        [("", "manifest.json"), ("{", "manifest.json"), ("[]", "another plan"), ("{\"plan\": 7}", "manifest.json")]
    {
        fs::write(&manifest, torn).unwrap();
        trial.run("out", &[]).expect(2).says(&[said]);
        assert_eq!(fs::read_to_string(&results).unwrap(), good);
    }
    trial.run("out", &["--fresh"]).expect(0);
}
