//! Tests of `ttlab compare`: how it pairs rows, what it prints, and its exit codes.

use crate::common::{run, scratch, seal_anew};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

const NASTY: &str = "a<b>|\"&'c";

/// Runs a small experiment: two variants on four positions. The name of one variant has characters
/// that need escaping in every output format.
fn small(folder: &Path, out: &str, depth: u8) -> PathBuf {
    let file = folder.join("trial.toml");
    let text = format!(
        "name = 'trial'\nsuite = 'data/bratko-kopec.epd'\nfirst = 4\nlimit = {{ depth = {depth} }}\nrepeats = 2\n\
         [[variant]]\nname = 'plain'\ntable = 'none'\n[[variant]]\nname = {NASTY:?}\ntable.size = 1024\n"
    );
    fs::write(&file, text).unwrap();
    let out = folder.join(out);
    let (_, stderr, code) = run(&["run", file.to_str().unwrap(), "--quiet", "--out", out.to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    out
}

type Rows = Vec<Vec<String>>;

/// Copies a results folder and changes its rows.
fn altered(from: &Path, to: &Path, alter: impl Fn(&dyn Fn(&str) -> usize, &mut Rows)) {
    fs::create_dir_all(to).unwrap();
    fs::copy(from.join("experiment.toml"), to.join("experiment.toml")).unwrap();
    fs::copy(from.join("manifest.json"), to.join("manifest.json")).unwrap();
    let mut reader = csv::Reader::from_path(from.join("results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let mut rows: Rows = reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect();
    alter(&|name| header.iter().position(|column| column == name).unwrap(), &mut rows);
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let mut chains: HashMap<Vec<String>, u32> = HashMap::new();
    for row in &mut rows {
        let job = ["variant", "position", "repeat"].map(|name| row[at(name)].clone()).to_vec();
        let previous = if row[at("error")].is_empty() { chains.get(&job).copied().unwrap_or(0) } else { 0 };
        row.pop();
        chains.insert(job, ttlab::internals::record::append_checksum(row, previous));
    }
    let mut writer = csv::Writer::from_path(to.join("results.csv")).unwrap();
    writer.write_record(&header).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.flush().unwrap();
    // Seals the folder as if a run had ended with these rows.
    seal_anew(to, |manifest| manifest["rows"] = rows.len().into());
}

/// Multiplies a column of one variant by a factor.
fn scaled(column: &'static str, variant: &'static str, factor: f64) -> impl Fn(&dyn Fn(&str) -> usize, &mut Rows) {
    move |at, rows| {
        for row in rows.iter_mut().filter(|row| row[at("variant")] == variant) {
            let value: f64 = row[at(column)].parse().unwrap();
            row[at(column)] = (value * factor).to_string();
        }
    }
}

#[test]
fn results_with_equal_rows_in_another_order_are_equal() {
    let folder = scratch();
    let base = small(folder.path(), "base", 3);
    let again = small(folder.path(), "again", 3);
    let backwards = folder.path().join("backwards");
    altered(&base, &backwards, |_, rows| rows.reverse());
    for new in [&again, &backwards, &base.join("results.csv")] {
        let (stdout, stderr, code) =
            run(&["compare", base.to_str().unwrap(), new.to_str().unwrap(), "--fail-on", "nodes changed"]);
        assert_eq!(code, 0, "{stdout}{stderr}");
        // Two variants, four positions, three depths, two repeats.
        assert!(stdout.starts_with("ok: 2 gates pass; all 48 paired rows are equal"), "{stdout}");
    }
}

#[test]
fn change_in_any_kind_of_column_is_reported() {
    let folder = scratch();
    let base = small(folder.path(), "base", 2);
    for (column, value) in [("best", "h1h8"), ("score", "-12345"), ("table.hits", "987654321"), ("finished", "false")] {
        let new = folder.path().join(column);
        altered(&base, &new, |at, rows| rows[5][at(column)] = value.to_owned());
        let (stdout, _, code) = run(&["compare", base.to_str().unwrap(), new.to_str().unwrap()]);
        assert_eq!(code, 4, "{column}: {stdout}");
        assert!(stdout.contains("1 of 32 paired rows differ"), "{stdout}");
        assert!(stdout.contains(&format!("{column} differ")), "{stdout}");
    }
    // Times aren't counts, so changed times don't count as moved rows.
    let slow = folder.path().join("slow");
    altered(&base, &slow, scaled("seconds", "plain", 3.0));
    let (old, new) = (base.to_str().unwrap(), slow.to_str().unwrap());
    let (stdout, _, code) = run(&["compare", old, new]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.starts_with("ok: all 32 paired rows are equal"), "{stdout}");
    let (stdout, _, code) = run(&["compare", old, new, "--fail-on", "seconds > +150%"]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("FAIL: 1 of 2 gates"), "{stdout}");
}

#[test]
fn missing_rows_exit_3() {
    let folder = scratch();
    let base = small(folder.path(), "base", 3);
    let shallow = small(folder.path(), "shallow", 2);
    let (old, new) = (base.to_str().unwrap(), shallow.to_str().unwrap());
    let (stdout, _, code) = run(&["compare", old, new]);
    assert_eq!(code, 3, "{stdout}");
    assert!(stdout.starts_with("FAIL: NEW lacks 16 rows of BASE; all 32 paired rows are equal"), "{stdout}");
    assert!(stdout.contains("\"plain\", BK.01, depth 3"), "{stdout}");
    // In the other direction, no rows are missing.
    let (stdout, _, code) = run(&["compare", new, old]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("0 of 32 moved, 16 only in NEW"), "{stdout}");
    let failed = folder.path().join("failed");
    altered(&base, &failed, |at, rows| rows[0][at("error")] = "panic".to_owned());
    let (stdout, _, code) = run(&["compare", old, failed.to_str().unwrap()]);
    assert_eq!(code, 3, "{stdout}");
    assert!(stdout.contains("note: a job failed in NEW"), "{stdout}");
    let twice = folder.path().join("twice");
    altered(&base, &twice, |_, rows| rows.push(rows[0].clone()));
    let (_, stderr, code) = run(&["compare", old, twice.to_str().unwrap()]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("twice"), "{stderr}");
}

#[test]
fn variants_of_other_names_are_paired_by_their_options() {
    let folder = scratch();
    let base = small(folder.path(), "base", 2);
    let renamed = folder.path().join("renamed");
    altered(&base, &renamed, |at, rows| {
        rows.iter_mut()
            .filter(|row| row[at("variant")] == "plain")
            .for_each(|row| row[at("variant")] = "bare".to_owned());
    });
    seal_anew(&renamed, |manifest| {
        *manifest = serde_json::from_str(&manifest.to_string().replace("\"plain\"", "\"bare\"")).unwrap();
    });
    let (old, new) = (base.to_str().unwrap(), renamed.to_str().unwrap());
    let (stdout, _, code) = run(&["compare", old, new]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("note: \"plain\" is called \"bare\" in NEW"), "{stdout}");
    // Without manifests, nothing shows that the two variants are the same.
    let alone = folder.path().join("alone.csv");
    fs::copy(renamed.join("results.csv"), &alone).unwrap();
    let (stdout, _, code) = run(&["compare", old, alone.to_str().unwrap()]);
    assert_eq!(code, 3, "{stdout}");
    assert!(stdout.contains("no manifest.json"), "{stdout}");
}

/// With one folder, its results are compared with those that its last run moved away.
#[test]
fn single_folder_is_compared_with_its_previous_results() {
    let folder = scratch();
    let out = small(folder.path(), "out", 3);
    let out = out.to_str().unwrap();
    let (_, stderr, code) = run(&["compare", out]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("out/previous: there are no results of an earlier run"), "{stderr}");
    let file = folder.path().join("trial.toml");
    let again = |more: &[&str]| {
        let words = ["run", file.to_str().unwrap(), "--quiet", "--set", "limit.depth=3", "--out", out];
        assert_eq!(run(&[&words[..], more].concat()).2, 0);
        run(&["compare", out])
    };
    let (stdout, _, code) = again(&["--fresh"]);
    assert!(stdout.contains("since the last run: 0 of 2 variants moved"), "{stdout}");
    assert_eq!(code, 0, "{stdout}");
    let (stdout, _, code) = again(&["--set", "table.size=4"]);
    assert!(stdout.contains("since the last run: 1 of 2 variants moved"), "{stdout}");
    assert_eq!(code, 0, "{stdout}");
}

/// The range of a time, by hand: half the spread of its repeats at each position, summed over the
/// positions. Counts have a range of 0.
#[test]
fn range_of_a_time_equals_half_the_spread_of_its_repeats() {
    let folder = scratch();
    let write = |name: &str, times: [[f64; 3]; 2]| {
        let mut text = "variant,position,repeat,depth,search.nodes,seconds\n".to_owned();
        for (position, times) in times.iter().enumerate() {
            for (repeat, seconds) in times.iter().enumerate() {
                text += &format!("v,p{position},{repeat},3,{},{seconds}\n", 100 + position);
            }
        }
        fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name).display().to_string()
    };
    let base = write("base.csv", [[1.0, 1.5, 1.25], [3.0, 3.0, 3.0]]);
    let new = write("new.csv", [[2.0, 2.5, 3.0], [4.0, 5.0, 4.25]]);
    let out = folder.path().join("bench.json").display().to_string();
    let (_, stderr, code) = run(&["compare", &base, &new, "--bench-json", &out]);
    assert_eq!(code, 0, "{stderr}");
    let found: serde_json::Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    let value_and_range = |name: &str| {
        let one = found.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
        (one["value"].as_f64().unwrap(), one["range"].as_str().unwrap().to_owned())
    };
    assert_eq!(value_and_range("v: nodes"), (201.0, "± 0".to_owned()));
    // (3 - 2) / 2 and (5 - 4) / 2.
    assert_eq!(value_and_range("v: s").1, "± 1");
}
