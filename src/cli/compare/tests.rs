use super::super::write;
use super::*;
use std::fs;

/// A file is replaced atomically; a device stays a device.
#[test]
fn write_replaces_files_atomically() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("x.json");
    for text in ["long before", "new"] {
        write(&path, text).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    write(Path::new("/dev/null"), "new").unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    assert!(write(place.path(), "new").is_err());
}
use clap::{Args as _, FromArgMatches};

/// Compares two files with these rows; returns the failure's exit code and message.
fn refused(base: &str, new: &str, words: &[&str]) -> (Exit, String) {
    let folder = tempfile::TempDir::new().unwrap();
    let [base, new] = [("base.csv", base), ("new.csv", new)].map(|(name, rows)| {
        let path = folder.path().join(name);
        fs::write(&path, rows).unwrap();
        path.display().to_string()
    });
    let command = Args::augment_args(clap::Command::new("compare"));
    let found = command.try_get_matches_from([&["compare", &base, &new], words].concat()).unwrap();
    let failure = run(&Args::from_arg_matches(&found).unwrap()).unwrap_err();
    (failure.exit, failure.message.replace(&folder.path().join("").display().to_string(), ""))
}

/// By whichever name the file is given.
#[test]
fn inputs_are_not_overwritten() {
    let folder = tempfile::TempDir::new().unwrap();
    let place = folder.path().canonicalize().unwrap();
    for name in ["results.csv", "manifest.json", "experiment.toml"] {
        fs::write(place.join(name), ROWS).unwrap();
    }
    for (read, out, refused) in [
        ("", "results.csv", true),
        ("", "manifest.json", true),
        ("", "experiment.toml", true),
        ("results.csv", "./results.csv", true),
        ("", "compare.json", false),
        ("results.csv", "manifest.json", false),
    ] {
        let found = crate::cli::refuse_overwrite(&place.join(read), &place.join(out)).map_err(|found| found.message);
        let output = format!(
            "{}: cannot be written because it is also an input: choose another file",
            place.join(out).display()
        );
        assert_eq!(found.err(), refused.then_some(output.replace("/./", "/")), "{read} {out}");
    }
    let results = place.join("results.csv").display().to_string();
    let command = Args::augment_args(clap::Command::new("compare"));
    for words in [[&place.display().to_string(), "nothing"], ["nothing", &*results]] {
        let words = [&["compare"], &words[..], &["--junit", &results]].concat();
        let found = command.clone().try_get_matches_from(words).unwrap();
        let failure = run(&Args::from_arg_matches(&found).unwrap()).unwrap_err();
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
    let output = |name: &str| (Exit::Usage, format!("{name}: its rows are games, but `compare` needs searches"));
    assert_eq!(refused(&games, ROWS, &[]), output("base.csv"));
    assert_eq!(refused(ROWS, &games, &[]), output("new.csv"));
    // One of three variants suffices, in any place.
    let rows = |of: [&str; 3]| {
        let rows: String = of.iter().zip('a'..).map(|(repeats, name)| format!("{name},p,1,9,{repeats}\n")).collect();
        format!("variant,position,depth,search.nodes,{}\n{rows}", columns::REPEATS)
    };
    let exact = || rows(["exact", "", "exact"]);
    let changed = ["--fail-on", "nodes changed"];
    for repeats in ["not repeatable", "within 3 %"] {
        let loose = [[repeats, "exact", ""], ["exact", repeats, "exact"], ["", "exact", repeats]].map(rows);
        let [first, second, third] = loose;
        for (base, new, name) in [
            (first, exact(), "base.csv"),
            (exact(), second, "new.csv"),
            (third.clone(), exact(), "base.csv"),
            (exact(), third, "new.csv"),
        ] {
            let (exit, message) = refused(&base, &new, &changed);
            assert_eq!(exit, Exit::Unequal);
            assert!(
                message.starts_with(&format!("gate `nodes changed`: {name} has counts of an engine ")),
                "{message}"
            );
        }
    }
}

#[test]
fn gate_on_a_column_of_one_side_is_refused() {
    let more = "variant,position,depth,search.nodes,table.hits\na,p,1,9,4\n";
    let gate = ["--fail-on", "nodes > +1%", "--fail-on", "table.hits > +1%"];
    let (exit, message) = refused(more, ROWS, &gate);
    assert!(exit == Exit::Usage, "{message}");
    assert!(message.starts_with("gate `table.hits > +1%`: NEW has no column"), "{message}");
    let (exit, message) = refused(ROWS, more, &gate);
    assert!(exit == Exit::Usage, "{message}");
    assert!(message.contains("table.hits"), "{message}");
}

#[test]
fn exit_code_depends_on_finding_and_completeness() {
    for (finding, whole, lacking) in [
        (Finding::Fine, Exit::Done, Exit::Failed),
        (Finding::Gate, Exit::Gate, Exit::Gate),
        (Finding::Missing, Exit::Failed, Exit::Failed),
        (Finding::Unequal, Exit::Unequal, Exit::Unequal),
    ] {
        assert_eq!([exit_code(finding, false), exit_code(finding, true)], [whole, lacking], "{finding:?}");
    }
}

#[test]
fn only_one_format_can_go_to_standard_output() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    let (rows, file) = (at("rows.csv"), at("out"));
    fs::write(&rows, ROWS).unwrap();
    let answer = |words: &[&str]| {
        let (code, answer, output) = crate::cli::tests::commands::call(&[&["compare", &rows, &rows], words].concat());
        assert_eq!((code, output.as_str()), (0, ""), "{words:?}");
        answer
    };
    let text = answer(&[]);
    let forms = [("--junit", "<?xml"), ("--markdown", "### "), ("--json", "{"), ("--bench-json", "[")];
    for (at, (form, start)) in forms.into_iter().enumerate() {
        let alone = answer(&[form, "-"]);
        assert!(alone.starts_with(start), "{form}: {alone}");
        assert_eq!((answer(&[form, &file]), fs::read_to_string(&file).unwrap()), (text.clone(), alone.clone()));
        for (other, _) in forms.iter().skip(at + 1) {
            assert_eq!(answer(&[form, "-", other, "/dev/null"]), alone);
            let found = refused(ROWS, ROWS, &[form, "-", other, "-"]);
            assert_eq!(found, (Exit::Usage, "only one format can go to standard output (-)".to_owned()));
        }
    }
}
