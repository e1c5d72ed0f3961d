use super::super::write;
use super::*;
use std::fs;

/// A file is replaced atomically; a device is written to and not replaced.
#[test]
fn write_replaces_files_atomically() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.json");
    for text in ["long before", "new"] {
        write(&path, text).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    write(Path::new("/dev/null"), "new").unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    assert!(write(folder.path(), "new").is_err());
}
use clap::{Args as _, FromArgMatches};

/// Compares two files with these rows, which must fail; returns the failure's exit code and
/// message.
fn refusal(base: &str, new: &str, words: &[&str]) -> (Exit, String) {
    let folder = tempfile::TempDir::new().unwrap();
    let [base, new] = [("base.csv", base), ("new.csv", new)].map(|(name, rows)| {
        let path = folder.path().join(name);
        fs::write(&path, rows).unwrap();
        path.display().to_string()
    });
    let command = Args::augment_args(clap::Command::new("compare"));
    let matches = command.try_get_matches_from([&["compare", &base, &new], words].concat()).unwrap();
    let failure = run(&Args::from_arg_matches(&matches).unwrap()).unwrap_err();
    (failure.exit, failure.message.replace(&folder.path().join("").display().to_string(), ""))
}

/// An input is recognised under any name of the file.
#[test]
fn inputs_are_not_overwritten() {
    let folder = tempfile::TempDir::new().unwrap();
    let folder_path = folder.path().canonicalize().unwrap();
    for name in ["results.csv", "manifest.json", "experiment.toml"] {
        fs::write(folder_path.join(name), ROWS).unwrap();
    }
    for (input, output, is_refused) in [
        ("", "results.csv", true),
        ("", "manifest.json", true),
        ("", "experiment.toml", true),
        ("results.csv", "./results.csv", true),
        ("", "compare.json", false),
        ("results.csv", "manifest.json", false),
    ] {
        let result = crate::cli::refuse_overwrite(&folder_path.join(input), &folder_path.join(output))
            .map_err(|failure| failure.message);
        let message = format!(
            "{}: cannot be written because it is also an input: choose another file",
            folder_path.join(output).display()
        );
        assert_eq!(result.err(), is_refused.then_some(message.replace("/./", "/")), "{input} {output}");
    }
    let results = folder_path.join("results.csv").display().to_string();
    let command = Args::augment_args(clap::Command::new("compare"));
    for words in [[&folder_path.display().to_string(), "nothing"], ["nothing", &*results]] {
        let words = [&["compare"], &words[..], &["--junit", &results]].concat();
        let matches = command.clone().try_get_matches_from(words).unwrap();
        let failure = run(&Args::from_arg_matches(&matches).unwrap()).unwrap_err();
        assert!(
            failure.message.ends_with("cannot be written because it is also an input: choose another file"),
            "{}",
            failure.message
        );
    }
}

const ROWS: &str = "variant,position,depth,search.nodes\na,p,1,9\n";

#[test]
fn error_names_the_side_that_cannot_be_compared() {
    let games = format!("variant,position,depth,search.nodes,{}\na,p,0,9,b\n", columns::OPPONENT);
    let expected = |name: &str| (Exit::Usage, format!("{name}: its rows are games, but `compare` needs searches"));
    assert_eq!(refusal(&games, ROWS, &[]), expected("base.csv"));
    assert_eq!(refusal(ROWS, &games, &[]), expected("new.csv"));
    // One variant of three is enough, whatever its place.
    let make_rows = |repeatability: [&str; 3]| {
        let rows: String =
            repeatability.iter().zip('a'..).map(|(repeats, name)| format!("{name},p,1,9,{repeats}\n")).collect();
        format!("variant,position,depth,search.nodes,{}\n{rows}", columns::REPEATS)
    };
    let exact_rows = || make_rows(["exact", "", "exact"]);
    let gate = ["--fail-on", "nodes changed"];
    for repeats in ["not repeatable", "within 3 %"] {
        let inexact_rows = [[repeats, "exact", ""], ["exact", repeats, "exact"], ["", "exact", repeats]].map(make_rows);
        let [first, second, third] = inexact_rows;
        for (base, new, name) in [
            (first, exact_rows(), "base.csv"),
            (exact_rows(), second, "new.csv"),
            (third.clone(), exact_rows(), "base.csv"),
            (exact_rows(), third, "new.csv"),
        ] {
            let (exit, message) = refusal(&base, &new, &gate);
            assert_eq!(exit, Exit::Unequal);
            assert!(
                message.starts_with(&format!("gate `nodes changed`: the searches of {name} do not repeat")),
                "{message}"
            );
        }
    }
}

#[test]
fn gate_on_a_column_of_one_side_is_refused() {
    let with_hits = "variant,position,depth,search.nodes,table.hits\na,p,1,9,4\n";
    let gate = ["--fail-on", "nodes > +1%", "--fail-on", "table.hits > +1%"];
    let (exit, message) = refusal(with_hits, ROWS, &gate);
    assert!(exit == Exit::Usage, "{message}");
    assert!(message.starts_with("gate `table.hits > +1%`: NEW has no column"), "{message}");
    let (exit, message) = refusal(ROWS, with_hits, &gate);
    assert!(exit == Exit::Usage, "{message}");
    assert!(message.contains("table.hits"), "{message}");
}

#[test]
fn exit_code_depends_on_finding_and_completeness() {
    for (finding, complete, incomplete) in [
        (Finding::Fine, Exit::Done, Exit::Failed),
        (Finding::Gate, Exit::Gate, Exit::Gate),
        (Finding::Missing, Exit::Failed, Exit::Failed),
        (Finding::Unequal, Exit::Unequal, Exit::Unequal),
    ] {
        assert_eq!([exit_code(finding, false), exit_code(finding, true)], [complete, incomplete], "{finding:?}");
    }
}

#[test]
fn only_one_format_can_go_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let path_in = |name: &str| folder.path().join(name).display().to_string();
    let (rows, file) = (path_in("rows.csv"), path_in("out"));
    fs::write(&rows, ROWS).unwrap();
    let print_comparison = |words: &[&str]| {
        let (code, stdout, stderr) = crate::cli::tests::commands::call(&[&["compare", &rows, &rows], words].concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{words:?}");
        stdout
    };
    let text = print_comparison(&[]);
    let formats = [("--junit", "<?xml"), ("--markdown", "### "), ("--json", "{"), ("--bench-json", "[")];
    for (index, (format, start)) in formats.into_iter().enumerate() {
        let expected = print_comparison(&[format, "-"]);
        assert!(expected.starts_with(start), "{format}: {expected}");
        assert_eq!(
            (print_comparison(&[format, &file]), fs::read_to_string(&file).unwrap()),
            (text.clone(), expected.clone())
        );
        for (other_format, _) in formats.iter().skip(index + 1) {
            assert_eq!(print_comparison(&[format, "-", other_format, "/dev/null"]), expected);
            let failure = refusal(ROWS, ROWS, &[format, "-", other_format, "-"]);
            assert_eq!(failure, (Exit::Usage, "only one format can go to standard output (-)".to_owned()));
        }
    }
}

/// An engine that keeps its history has counts that differ in the trial and repeat in chains.
#[test]
fn history_alone_does_not_make_a_result_unrepeatable() {
    use crate::analysis::rows::frame::Frame;
    use crate::record::manifest::{EngineInfo, Manifest, RunRecord};
    for (forgets, expected) in [(true, true), (false, false)] {
        let engine = EngineInfo { repeats: "within 0.5 %".to_owned(), forgets, ..EngineInfo::default() };
        let manifest =
            Manifest::from(RunRecord { subjects: [("a".to_owned(), engine)].into(), ..RunRecord::default() });
        let rows = "variant,position,depth,search.nodes,reported.repeats\na,p,1,9,within 0.5 %\n";
        let frame = Frame::parse(rows.as_bytes(), "t").unwrap();
        let result = RecordedResult { name: "r".to_owned(), frame, manifest: Some(manifest), missing: None };
        assert_eq!(is_not_repeatable(&result), expected);
    }
}
