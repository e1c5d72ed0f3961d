use super::{CommandFailure, CommandResult, Exit, write_error};
use crate::analysis::caveats::misleading::Misleading;
use crate::analysis::questions::compare::{Comparison, Finding};
use crate::analysis::questions::gate::{Gate, Rule};
use crate::analysis::questions::paired_rows::{RecordedResult, add_score_errors};
use crate::record::{columns, write_atomic};
use crate::report::{comparison, html, machine, markdown};
use crate::subject::Repeatability;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Compare two results row by row, and gate on changes in CI
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab compare reports/quick target/quick                       what changed?
  ttlab compare old new --fail-on \"nodes > +1%\"                  exit 1 if a variant needs 1 % more nodes
  ttlab compare old new --fail-on \"nodes changed\" --fail-on \"seconds > +5%\"
  ttlab compare old new --junit compare.xml --json compare.json
  ttlab compare old new --html compare.html                      a page; a box shows only variants that differ
  ttlab compare old new --markdown - >> \"$GITHUB_STEP_SUMMARY\"   a job's summary

Rows are paired by variant, position, ply, depth and repeat. A gate bounds the change of each variant's total over the rows
that both have; seconds (the median of repeats) must also differ clearly at 95 %.
Exit: 0 fine, 1 a gate fails, 2 usage or a bad file, 3 NEW lacks rows of BASE, 4 the plans are equal but counts are not
(--allow-moves: only the gates decide), or an engine whose counts are not repeatable has a gate \"changed\", 5 input/output.")]
pub struct Args {
    /// The old results: a folder that `ttlab run` wrote, or a results file
    base: PathBuf,
    /// The new results: a folder or a results file
    new: PathBuf,
    /// A gate: METRIC > +1%, METRIC < -1000, or METRIC changed (may be repeated)
    #[arg(long, alias = "gate", value_name = "GATE")]
    fail_on: Vec<String>,
    /// Accept different counts of equal plans, as after a change of the program
    #[arg(long)]
    allow_moves: bool,
    /// Write JUnit XML (-: to standard output, instead of the text)
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write Markdown (-: to standard output, instead of the text)
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write an HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write all results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write NEW's nodes and seconds as a list of {name, unit, value, range, extra}
    #[arg(long, value_name = "FILE")]
    bench_json: Option<PathBuf>,
}

pub fn run(args: &Args) -> CommandResult {
    let gates: Vec<Gate> =
        args.fail_on.iter().map(|text| Gate::parse(text)).collect::<Result<_, _>>().map_err(CommandFailure::usage)?;
    let outputs = [&args.junit, &args.markdown, &args.html, &args.json, &args.bench_json];
    let on_stdout = |path: &Path| path.as_os_str() == "-";
    if outputs.iter().filter(|path| path.as_deref().is_some_and(on_stdout)).count() > 1 {
        refuse!("only one format can go to standard output (-)");
    }
    for out in outputs.iter().filter_map(|path| path.as_deref()).filter(|path| !on_stdout(path)) {
        [&args.base, &args.new].into_iter().try_for_each(|side| super::refuse_overwrite(side, out))?;
    }
    let read = |path: &Path| {
        RecordedResult::read(path).map_err(|error| CommandFailure::usage(format!("{error}\nhelp: {HELP}")))
    };
    let (mut base, mut new) = (read(&args.base)?, read(&args.new)?);
    // Rows are compared one by one.
    [&mut base, &mut new].into_iter().for_each(|side| side.frame.without_partial());
    add_score_errors(&mut base, &mut new, &args.base).map_err(CommandFailure::usage)?;
    let has_games = |side: &&RecordedResult| side.frame.names().iter().any(|name| name == columns::OPPONENT);
    if let Some(side) = [&base, &new].into_iter().find(has_games) {
        refuse!("{}: its rows are games, but `compare` needs searches", side.name);
    }
    let on_column = |gate: Gate| gate.column(&base.frame).map(|column| (gate, column));
    let gates: Vec<_> = gates.into_iter().map(on_column).collect::<Result<_, _>>().map_err(CommandFailure::usage)?;
    if let Some((gate, _)) = gates.first().filter(|_| gates.iter().all(|(_, column)| column == columns::SAVED)) {
        let what = "worth of cutoffs cannot be the only criterion, because it does not show lost moves";
        return Err(CommandFailure::usage(gate.refuse(what, "gate nodes or score_error too")));
    }
    if let Some((gate, _)) = gates.iter().find(|(gate, _)| gate.limit == Rule::Changed)
        && let Some(side) = [&base, &new].into_iter().find(|side| does_not_repeat(side))
    {
        let message = format!(
            "gate `{gate}`: {} has counts of an engine that is not repeatable, so they always change: give a bound, as in \
             \"nodes > +5%\"",
            side.name
        );
        return Err(CommandFailure::new(Exit::Unequal, message));
    }
    let mut found = Comparison::new(&base, &new, &gates).map_err(CommandFailure::usage)?;
    found.moves_allowed = args.allow_moves;
    let mut manifests = [&base, &new].into_iter().filter_map(|side| side.manifest.as_ref());
    if let Some(misleading) = manifests.find_map(Misleading::from_manifest) {
        misleading.mark_gates(&mut found);
    }

    let page = |found: &Comparison| html::render(&comparison::sheet(found));
    let forms: [fn(&Comparison) -> String; 5] =
        [machine::junit, summary, page, machine::comparison_json, machine::bench_json];
    let mut printed = false;
    for (path, form) in outputs.into_iter().zip(forms).filter_map(|(path, form)| Some((path.as_deref()?, form))) {
        if on_stdout(path) {
            print!("{}", form(&found));
            printed = true;
        } else {
            write(path, &form(&found)).map_err(write_error(path))?;
        }
    }
    if !printed {
        super::screen::show(&comparison::sheet(&found));
    }
    let missing = [&base, &new].map(|side| side.missing.as_ref().map(|missing| (&side.name, missing)));
    missing.iter().flatten().for_each(|(name, missing)| eprintln!("{name}: {missing}"));
    Ok(exit_code(found.finding(), missing.iter().any(Option::is_some)))
}

/// The exit code of a finding; incomplete results are never fine.
fn exit_code(finding: Finding, incomplete: bool) -> Exit {
    match finding {
        Finding::Gate => Exit::Gate,
        Finding::Missing => Exit::Failed,
        Finding::Unequal => Exit::Unequal,
        Finding::Fine if incomplete => Exit::Failed,
        Finding::Fine => Exit::Done,
    }
}

/// Whether some rows are from an engine whose counts are not repeatable.
fn does_not_repeat(side: &RecordedResult) -> bool {
    let exact = Repeatability::Exact.to_string();
    side.frame.coded(columns::REPEATS).list().iter().any(|repeats| !repeats.is_empty() && *repeats != exact)
}

/// Markdown for a CI job summary or a comment.
fn summary(found: &Comparison) -> String {
    markdown::render(&comparison::sheet(found), markdown::Style { level: 3, figures: false })
}

const HELP: &str = "give two folders that `ttlab run` wrote, or their results.csv";

/// Writes a file atomically; a pipe or device is written directly.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    match write_atomic(path, text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::InvalidInput => fs::write(path, text),
        written => written,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
            let found =
                super::super::refuse_overwrite(&place.join(read), &place.join(out)).map_err(|found| found.message);
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
            let rows: String =
                of.iter().zip('a'..).map(|(repeats, name)| format!("{name},p,1,9,{repeats}\n")).collect();
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
            let (code, answer, output) =
                crate::cli::tests::commands::call(&[&["compare", &rows, &rows], words].concat());
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
}
