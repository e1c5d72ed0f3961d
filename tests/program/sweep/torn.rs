//! Results files that are cut off anywhere.

use super::*;
use std::collections::BTreeSet;

/// The file is cut at every `step` bytes of its last two lines (at every byte within `edge` of a
/// line's end), at the end of every line, and within its header. Each time it is completed to the
/// same rows.
fn completed_from_any_cut(text: &str, step: usize, edge: usize) {
    let trial = Trial::new(text);
    trial.run("out", &["--jobs", "1"]).expect(0);
    let results = trial.results("out");
    let (whole, bytes) = (counts(&results), fs::read(&results).unwrap());
    // Restored together with the rows, because its checksum covers their seconds.
    let manifest = fs::read(trial.path("out/manifest.json")).unwrap();
    let ends: Vec<usize> = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    let two_lines = ends[ends.len() - 3]..bytes.len();
    let near = |at: &usize| ends.iter().any(|&end| at.abs_diff(end) <= edge);
    let cuts = two_lines.clone().step_by(step).chain(two_lines.filter(near)).chain(ends.iter().copied()).chain([0, 10]);
    for length in cuts.collect::<BTreeSet<usize>>() {
        fs::write(&results, &bytes[..length]).unwrap();
        fs::write(trial.path("out/manifest.json"), &manifest).unwrap();
        trial.run("out", &[]).expect(0);
        assert_eq!(counts(&results), whole, "cut to {length} of {}", bytes.len());
    }
}

const TINY: &str =
    "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 2 }\n[grid]\n'table.slots' = [1, 2]\n";

#[test]
fn file_truncated_anywhere_is_completed() {
    completed_from_any_cut(TINY, 7, 12);
}

/// The rows of a job that takes the whole suite are interleaved with those of others.
#[test]
fn truncated_file_of_a_whole_suite_job_is_completed() {
    completed_from_any_cut(&format!("{TINY}[[variant]]\nname = 'kept'\n'table.clear' = 'never'\n"), 13, 1);
}

/// A report while a run writes: the last line is not there yet as a whole.
#[test]
fn report_of_a_running_experiment_shows_the_complete_rows() {
    let trial = Trial::new(TINY);
    trial.run("out", &[]).expect(0);
    let (results, out) = (trial.results("out"), trial.text("out"));
    let bytes = fs::read(&results).unwrap();
    seal_anew(&trial.path("out"), |manifest| {
        ["ended", "bytes", "counts"].iter().for_each(|field| drop(manifest.as_object_mut().unwrap().remove(*field)));
    });
    fs::write(&results, &bytes[..bytes.len() - 9]).unwrap();
    let report = ttlab(&["report", &out, "--format", "md"]).expect(3);
    assert!(report.stderr.contains("the figures cover only the existing rows"), "{}", report.stderr);
    // Before the first row.
    let header = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    fs::write(&results, &bytes[..header + 9]).unwrap();
    ttlab(&["report", &out, "--format", "md"]).expect(3).prints(&["there are no rows yet"]);
}
