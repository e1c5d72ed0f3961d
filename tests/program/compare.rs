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

/// Sums a variant's nodes over all rows of the first repeat, independently of the program.
fn nodes(folder: &Path, variant: &str) -> f64 {
    let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let rows = reader.records().map(Result::unwrap);
    rows.filter(|row| &row[at("variant")] == variant && &row[at("repeat")] == "0")
        .map(|row| row[at("search.nodes")].parse::<f64>().unwrap())
        .sum()
}

/// Returns whether the output shows this outcome of a gate for a variant.
fn judged(stdout: &str, outcome: &str, gate: &str, variant: &str, seen: &str) -> bool {
    let mut lines =
        stdout.lines().filter(|line| line.starts_with(outcome) && line.contains(gate) && line.contains(variant));
    lines.any(|line| line.contains(seen))
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
fn failing_gate_exits_1_and_is_named() {
    let folder = scratch();
    let base = small(folder.path(), "base", 3);
    let more = folder.path().join("more");
    altered(&base, &more, scaled("search.nodes", "plain", 1.02));
    let (old, new) = (base.to_str().unwrap(), more.to_str().unwrap());
    let (stdout, _, code) = run(&["compare", old, new, "--fail-on", "nodes > +1%"]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.starts_with("FAIL: 1 of 2 gates; 24 of 48 paired rows differ"), "{stdout}");
    assert!(judged(&stdout, "FAIL", "nodes > +1%", "plain", "(+2.00 %, 24 rows differ)"), "{stdout}");
    assert!(judged(&stdout, "pass", "nodes > +1%", NASTY, ""), "{stdout}");

    // If the gate passes, rows that moved still break the promise of equal plans, unless the user
    // allows moves.
    let wide = ["compare", old, new, "--fail-on", "nodes > +3%"];
    let (stdout, _, code) = run(&wide);
    assert_eq!(code, 4, "{stdout}");
    assert!(stdout.starts_with("FAIL: the plans are equal, but 24 of 48"), "{stdout}");
    let (stdout, _, code) = run(&[&wide[..], &["--allow-moves"]].concat());
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.starts_with("ok: 2 gates pass; 24 of 48 paired rows differ"), "{stdout}");
    // In the other direction it is an improvement, relative to the larger total.
    let back = ["compare", new, old, "--allow-moves", "--fail-on", "nodes > 0", "--fail-on", "nodes < -1.9%"];
    let (stdout, _, code) = run(&back);
    assert_eq!(code, 1, "{stdout}");
    assert!(judged(&stdout, "FAIL", "nodes < -1.9%", "plain", "-1.96 %"), "{stdout}");
    let (_, _, code) = run(&["compare", old, new, "--fail-on", "nodes changed"]);
    assert_eq!(code, 1);
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
    assert!(judged(&stdout, "FAIL", "seconds > +150%", "plain", ""), "{stdout}");
}

#[test]
fn gate_on_a_time_within_noise_passes() {
    let folder = scratch();
    let base = small(folder.path(), "base", 2);
    let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
    let flat = |row: &mut Vec<String>, at: usize, value: f64| row[at] = value.to_string();
    altered(&base, &old, |at, rows| rows.iter_mut().for_each(|row| flat(row, at("seconds"), 1.0)));
    // One position takes ten times as long and the other three slightly less: the total more than
    // doubles, but the pairs disagree.
    altered(&base, &new, |at, rows| {
        let first = rows[0][at("position")].clone();
        for row in rows.iter_mut() {
            let value = if row[at("position")] == first { 10.0 } else { 0.9 };
            flat(row, at("seconds"), value);
        }
    });
    let (stdout, _, code) =
        run(&["compare", old.to_str().unwrap(), new.to_str().unwrap(), "--fail-on", "seconds > +5%"]);
    assert_eq!(code, 0, "{stdout}");
    assert!(judged(&stdout, "pass (within noise)", "seconds > +5%", "plain", ""), "{stdout}");
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

#[test]
fn wrong_input_exits_2_with_a_hint() {
    let folder = scratch();
    let base = small(folder.path(), "base", 1);
    let base = base.to_str().unwrap();
    for (gate, expected) in [
        ("nodes > lots", "write METRIC"),
        ("nodes +1%", "there is no comparison"),
        ("nodez > +1%", "did you mean `search.nodes`"),
        ("depth > +1%", "is neither a count nor a time"),
        ("best changed", "is neither a count nor a time"),
        ("nodes > 1000", "write +1000"),
        ("nodes < -100%", "it can never fail"),
        ("nodes < -1_000_000_000", "it can never fail"),
    ] {
        let (_, stderr, code) = run(&["compare", base, base, "--fail-on", gate]);
        assert_eq!(code, 2, "{gate}: {stderr}");
        assert!(stderr.contains(expected), "{gate}: {stderr}");
        assert!(stderr.contains("help: "), "{gate}: {stderr}");
    }
    let (_, stderr, code) = run(&["compare", base, "no/such/folder"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("no/such/folder"), "{stderr}");
    let (_, stderr, code) = run(&["compare", base, base, "--json", "-", "--junit", "-"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("only one"), "{stderr}");
    let (_, stderr, code) = run(&["compare", base, base, "--json", "/no/such/folder/x.json"]);
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("x.json"), "{stderr}");
}

#[test]
fn machine_formats_agree_and_escape_every_name() {
    let folder = scratch();
    let base = small(folder.path(), "base", 3);
    let more = folder.path().join("more");
    altered(&base, &more, scaled("search.nodes", NASTY, 1.02));
    let out = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let forms = ["--junit", "--markdown", "--json", "--bench-json"];
    let files = forms.map(|form| (form, out(&form[2..])));
    let mut args = vec!["compare", base.to_str().unwrap(), more.to_str().unwrap(), "--fail-on", "nodes > +1%"];
    files.iter().for_each(|(form, file)| args.extend([*form, file.as_str()]));
    let (_, _, code) = run(&args);
    assert_eq!(code, 1);
    let read = |name: &str| fs::read_to_string(out(name)).unwrap();

    let junit = read("junit");
    // Each variant has a test for its rows, one for equality and one for the gate. For the variant
    // with the special characters, equality and the gate fail.
    assert!(junit.contains("<testsuites name=\"ttlab compare\" tests=\"6\" failures=\"2\">"), "{junit}");
    assert!(junit.contains("<testsuite name=\"a&lt;b&gt;|&quot;&amp;'c\" tests=\"3\" failures=\"2\">"), "{junit}");
    assert_eq!(junit.matches("<failure").count(), 2);

    let markdown = read("markdown");
    assert!(markdown.contains("**FAIL**"), "{markdown}");
    assert!(markdown.contains("a&lt;b>\\|"), "{markdown}");
    assert!(!markdown.contains("<b>"), "{markdown}");
    assert!(markdown.contains("\n| metric | variant | rows | base | new | change |\n"), "{markdown}");

    let json: serde_json::Value = serde_json::from_str(&read("json")).unwrap();
    assert_eq!((json["schema"].as_u64(), json["finding"].as_str()), (Some(2), Some("gate")));
    assert_eq!((json["rows"]["paired"].as_u64(), json["rows"]["moved"].as_u64()), (Some(48), Some(24)));
    let nasty = json["variants"].as_array().unwrap().iter().find(|variant| variant["variant"] == NASTY).unwrap();
    let total = nasty["metrics"]["search.nodes"]["new"].as_f64().unwrap();
    assert!((total - nodes(&more, NASTY)).abs() < 1e-6, "{total}");
    assert!((nasty["nodes_ratio"]["mean"].as_f64().unwrap() - 1.02).abs() < 1e-9);

    let bench: serde_json::Value = serde_json::from_str(&read("bench-json")).unwrap();
    let first = &bench[0];
    assert_eq!((first["name"].as_str(), first["unit"].as_str()), (Some("plain: nodes"), Some("nodes")));
    assert_eq!(first["value"].as_f64(), Some(nodes(&base, "plain")));
    assert!(bench.as_array().unwrap().len() == 4);
    assert!(first["range"].is_string());
    assert!(first["extra"].is_string());

    let (stdout, _, code) = run(&[&args[..5], &["--json", "-"]].concat());
    assert_eq!(code, 1, "{stdout}");
    assert!(serde_json::from_str::<serde_json::Value>(&stdout).is_ok(), "{stdout}");
}

/// The most important lines come first, before any table: plans, rows, the size of the change, and
/// the gate.
#[test]
fn comparison_begins_with_plans_rows_nodes_and_gate() {
    let folder = scratch();
    let base = small(folder.path(), "base", 3);
    let deeper = small(folder.path(), "deeper", 4);
    let more = folder.path().join("more");
    altered(&base, &more, scaled("search.nodes", "plain", 1.5));
    let lead = |args: &[&str]| -> Vec<String> {
        let (stdout, _, _) = run(&[&["compare"][..], args].concat());
        let after = stdout.find("rows  ").unwrap_or(stdout.len());
        assert!(stdout[..after].lines().count() < 16, "{stdout}");
        stdout.lines().skip(1).map(str::to_owned).collect()
    };
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let lines = lead(&[&path(&base), &path(&more), "--fail-on", "nodes > +1%"]);
    let total = nodes(&base, "plain") + nodes(&base, NASTY);
    let share = 100.0 * 0.5 * nodes(&base, "plain") / total;
    assert!(lines[2].contains("plans: equal"), "{lines:?}");
    assert!(lines[3].contains("rows: 24 of 48 moved"), "{lines:?}");
    assert!(lines[4].contains(&format!("({share:+.2} %)")), "{lines:?}");
    assert!(lines[4].contains("most in \"plain\": +50.00 %"), "{lines:?}");
    assert!(lines[5].contains("gate: 1 of 2 fail"), "{lines:?}");
    let lines = lead(&[&path(&base), &path(&deeper)]);
    assert!(lines[2].contains("plans: they differ in limit.depth (3 -> 4)"), "{lines:?}");
    assert!(lines[3].contains("rows: 0 of 48 moved, 16 only in NEW"), "{lines:?}");
    assert!(lines[5].contains("none was given"), "{lines:?}");
    // An option that has a different value in all variants is reported once.
    let file = fs::read_to_string(folder.path().join("trial.toml")).unwrap();
    fs::write(folder.path().join("trial.toml"), format!("{file}[engine]\nalgorithm = 'pvs'\n")).unwrap();
    let other = folder.path().join("other");
    let file = folder.path().join("trial.toml");
    let args = ["run", file.to_str().unwrap(), "--quiet", "--set", "limit.depth=3", "--out", other.to_str().unwrap()];
    assert_eq!(run(&args).2, 0);
    let lines = lead(&[&path(&base), &path(&other)]);
    assert!(lines[2].contains("algorithm (alpha-beta -> pvs)"), "{lines:?}");
    assert!(!lines[2].contains("depth"), "{lines:?}");
}

/// Doubts about a comparison that come from the manifests name the side they apply to. Doubts about
/// times appear only if a gate uses times.
#[test]
fn notes_name_the_side_that_makes_a_comparison_doubtful() {
    let folder = scratch();
    let base = small(folder.path(), "base", 1);
    let new = folder.path().join("new");
    let notes = |change: &dyn Fn(&mut serde_json::Value), gate: &str| -> Vec<String> {
        altered(&base, &new, |_, _| ());
        seal_anew(&new, change);
        let (old, new) = (base.to_str().unwrap(), new.to_str().unwrap());
        let json = folder.path().join("compared.json");
        let (stdout, stderr, _) = run(&["compare", old, new, "--json", json.to_str().unwrap(), "--fail-on", gate]);
        let text = fs::read_to_string(&json).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        found["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap().to_owned()).collect()
    };
    let (count, time) = ("nodes > 0", "seconds > +100000%");
    let is_of = |notes: &[String], words: &str| notes.iter().any(|note| note.contains(words));
    assert!(!is_of(&notes(&|_| (), count), "NEW"), "nothing differs");
    let jobs = |jobs: u32| move |manifest: &mut serde_json::Value| manifest["jobs"] = jobs.into();
    assert!(is_of(&notes(&jobs(2), time), "NEW ran 2 jobs at a time"));
    assert!(!is_of(&notes(&jobs(1), time), "NEW ran"));
    assert!(!is_of(&notes(&jobs(2), count), "NEW ran"));
    let repeats = |repeats: u32| move |manifest: &mut serde_json::Value| manifest["repeats"] = repeats.into();
    assert!(is_of(&notes(&repeats(1), time), "NEW ran each search once"));
    assert!(!is_of(&notes(&repeats(2), time), "each search once"));
    assert!(!is_of(&notes(&repeats(1), count), "each search once"));
    let other = notes(&|manifest| manifest["build"]["commit"] = "elsewhere".into(), count);
    assert!(!is_of(&other, "builds"), "the head has them: {other:?}");
    let junit = run(&["compare", base.to_str().unwrap(), new.to_str().unwrap(), "--junit", "-"]).0;
    let programs = ["base", "new"].map(|side| format!("<property name=\"{side}.program\" value=\"ttlab "));
    assert!(programs.iter().all(|property| junit.contains(property)), "{junit}");
    let (text, _, _) = run(&["compare", base.to_str().unwrap(), new.to_str().unwrap()]);
    assert!(text.contains("NEW measures ttlab ") && text.contains(" (elsewhere, "), "{text}");
    let other = notes(&|manifest| manifest["machine"]["cpu"] = "abacus".into(), count);
    assert!(
        other.iter().any(|note| note.starts_with("different machines: BASE ") && note.contains("NEW abacus, ")),
        "{other:?}"
    );
    assert!(is_of(
        &notes(&|manifest| manifest["ended"] = serde_json::Value::Null, count),
        "the run of NEW is not finished"
    ));
    // Options that differ although the plans aren't equal are reported once for all variants, or
    // for the variants that they apply to.
    let differences = |change: &dyn Fn(&mut serde_json::Value)| -> Vec<String> {
        notes(
            &|manifest| {
                manifest["plan"] = "0123456789abcdef".into();
                change(manifest);
            },
            count,
        );
        let text = fs::read_to_string(folder.path().join("compared.json")).unwrap();
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        found["plan_differences"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
    };
    let one = differences(&|manifest| manifest["options"]["plain"]["leaf_mates"] = false.into());
    assert_eq!(one, ["leaf_mates in 1 of 2 variants (true -> false)"]);
    let both = differences(&|manifest| {
        for name in ["plain", NASTY] {
            manifest["options"][name]["leaf_mates"] = false.into();
        }
    });
    assert_eq!(both, ["leaf_mates (true -> false)"]);
    let apart = differences(&|manifest| {
        manifest["options"]["plain"]["lmr"]["reduction"] = 2.into();
        manifest["options"][NASTY]["lmr"]["reduction"] = 3.into();
    });
    assert_eq!(apart, ["lmr.reduction (1 -> 2 and others)"]);
    assert_eq!(differences(&|_| ()), ["their positions, limits or variants, in ways that no manifest records"]);
}

/// A change that is too small for two decimals is written with its first significant digit; no
/// change is written as "=".
#[test]
fn small_change_is_written_with_its_first_digit() {
    use ttlab::internals::report::comparison::format_change;
    for (pair, expected) in [
        ([7.0, 7.0], "="),
        ([0.0, 7.0], "from 0"),
        ([200.0, 150.0], "-25.00 %"),
        ([100_000.0, 100_010.0], "+0.01 %"),
        ([1_000_000.0, 1_000_010.0], "+1e-3 %"),
        ([1_000_000.0, 999_990.0], "-1e-3 %"),
    ] {
        assert_eq!(format_change(pair), expected, "{pair:?}");
    }
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

/// Results in which different positions have the same name can't be compared, whatever they are
/// joined by. Positions that only one of the results has don't matter.
#[test]
fn different_positions_of_one_name_are_refused() {
    let folder = scratch();
    let fens = ["4k3/8/8/8/8/8/4P3/4K3 w - -", "4k3/4p3/8/8/8/8/8/4K3 w - -", "7k/8/8/8/8/8/P7/K7 w - -"];
    let ran = |name: &str, fens: &[&str], plies: &str| {
        // Positions without a name are named after the file.
        let suite = folder.path().join(name).join("pos.epd");
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(&suite, fens.join("\n")).unwrap();
        let file = folder.path().join(format!("{name}.toml"));
        fs::write(&file, format!("name = 'x'\nsuite = {suite:?}\nlimit = {{ depth = 2 }}\n{plies}")).unwrap();
        let out = folder.path().join(name).join("out");
        let (_, stderr, code) = run(&["run", file.to_str().unwrap(), "--quiet", "--out", out.to_str().unwrap()]);
        assert_eq!(code, 0, "{stderr}");
        out.to_str().unwrap().to_owned()
    };
    let base = ran("base", &fens, "");
    // The same positions; fewer; different ones; and the same ones as starts of sequences.
    for (name, fens, plies, refused) in [
        ("same", &fens[..], "", None),
        ("fewer", &fens[..2], "", None),
        ("moved", &fens[1..], "", Some("2 items have different positions")),
        ("played", &fens[..], "sequence = { self_play = 2 }\n", Some("3 items have different positions")),
    ] {
        let new = ran(name, fens, plies);
        for command in [&["compare", &base, &new][..], &["report", &base, &new, "--by", "source"]] {
            let (stdout, stderr, code) = run(command);
            match refused {
                Some(words) => {
                    assert_eq!(code, 2, "{name} {command:?} {code}: {stderr}{stdout}");
                    assert!(stderr.contains(words), "{name} {command:?} {code}: {stderr}{stdout}");
                }
                None => {
                    assert!(!stderr.contains("different positions") && code != 2, "{name} {command:?} {code}: {stderr}")
                }
            }
        }
    }
}
