//! Faults of a folder: what each command says of it, which exit code it has, and what survives. A
//! run that refuses a folder changes nothing, and `--repair` restores the rows.

use super::*;
use ttlab::internals::record::append_checksum;

/// Lines with LF; line 1 is the header, lines 2 to 4 are the rows of the first job.
type Lines = Vec<String>;

/// A fault, and the exit codes of `verify`, `report` and `run` with words that they print. `repair`
/// is whether `run --repair` restores the rows.
struct Fault<'f> {
    name: &'f str,
    edit: &'f dyn Fn(&Path, &Lines) -> Vec<u8>,
    verify: (i32, &'f str),
    report: i32,
    run: (i32, &'f [&'f str]),
    repair: bool,
}

/// A fault of the rows: they are wrong to every command, and `--repair` restores them.
const WRONG: Fault<'_> = Fault {
    name: "",
    edit: &|_, lines| text(lines),
    verify: (4, "WRONG"),
    report: 2,
    run: (2, &["results.csv"]),
    repair: true,
};

/// A fault that the next run mends.
const INCOMPLETE: Fault<'_> = Fault { verify: (3, "incomplete"), report: 3, run: (0, &[]), repair: false, ..WRONG };

fn text(lines: &[String]) -> Vec<u8> {
    lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

/// The file with some of its lines changed.
fn with(lines: &Lines, change: impl FnOnce(&mut Lines)) -> Vec<u8> {
    let mut lines = lines.clone();
    change(&mut lines);
    text(&lines)
}

/// Sets a field of a row without quotes.
fn set(lines: &mut Lines, line: usize, column: &str, value: &str) {
    let at = lines[0].split(',').position(|name| name == column).unwrap();
    let mut fields: Vec<&str> = lines[line].split(',').collect();
    fields[at] = value;
    lines[line] = fields.join(",");
}

/// Changes the manifest's text, and leaves the rows.
fn edit_manifest(folder: &Path, lines: &Lines, edit: impl FnOnce(String) -> String) -> Vec<u8> {
    let path = folder.join("manifest.json");
    fs::write(&path, edit(fs::read_to_string(&path).unwrap())).unwrap();
    text(lines)
}

fn without_seal(manifest: &str, change: impl FnOnce(&mut serde_json::Value)) -> String {
    let mut manifest: serde_json::Value = serde_json::from_str(manifest).unwrap();
    manifest.as_object_mut().unwrap().shift_remove("seal");
    change(&mut manifest);
    manifest.to_string()
}

/// Each job has three rows. No name has a comma.
const PLAN: &str = "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 3 }\n[[variant]]\nname = 'one'\n\
    [[variant]]\nname = 'two'\n'table.slots' = 2\n";

#[test]
fn faults_are_refused_with_their_reason_and_nothing_is_lost() {
    let trial = Trial::new(PLAN);
    trial.run("whole", &["--jobs", "1"]).expect(0);
    let whole = counts(&trial.results("whole"));
    let lines: Lines = fs::read_to_string(trial.results("whole")).unwrap().lines().map(str::to_owned).collect();
    let hole = "\0".repeat(100_000);
    let header = "its columns are not those";
    let faults = [
        Fault { name: "no fault", verify: (0, "complete"), report: 0, run: (0, &[]), repair: false, ..WRONG },
        Fault {
            name: "an edited count",
            edit: &|_, lines| with(lines, |lines| set(lines, 4, "search.nodes", "7")),
            verify: (4, "1 row edited or damaged, or following a missing row (line 5)"),
            run: (2, &["line 5", "--repair"]),
            ..WRONG
        },
        Fault {
            name: "many edited counts",
            edit: &|_, lines| with(lines, |lines| (3..9).for_each(|line| set(lines, line, "search.nodes", "7"))),
            verify: (4, "6 rows edited or damaged, or following a missing row (first: line 4; line 5; line 6)"),
            ..WRONG
        },
        Fault {
            name: "a forged count with its checksum",
            edit: &|_, lines| {
                with(lines, |lines| {
                    set(lines, 3, "search.evals", "7");
                    let previous = u32::from_str_radix(lines[2].rsplit(',').next().unwrap(), 16).unwrap();
                    let mut fields: Vec<String> = lines[3].split(',').map(str::to_owned).collect();
                    fields.pop();
                    append_checksum(&mut fields, previous);
                    lines[3] = fields.join(",");
                })
            },
            verify: (4, "the counts have changed since the run ended"),
            run: (4, &["its rows were changed after the run ended", "--repair"]),
            repair: false,
            ..WRONG
        },
        Fault {
            name: "edited seconds",
            edit: &|_, lines| with(lines, |lines| set(lines, 3, "seconds", "7.000000")),
            verify: (4, "the file has changed since the run ended: seconds"),
            run: (4, &["its rows were changed after the run ended"]),
            ..WRONG
        },
        Fault {
            name: "no time",
            edit: &|_, lines| with(lines, |lines| set(lines, 3, "seconds", "NaN")),
            run: (2, &["line 4", "seconds"]),
            ..WRONG
        },
        Fault {
            name: "swapped names in the header",
            edit: &|_, lines| {
                with(lines, |lines| {
                    let swapped = lines[0].replacen("search.nodes", "?", 1).replacen("search.evals", "search.nodes", 1);
                    lines[0] = swapped.replacen('?', "search.evals", 1);
                })
            },
            verify: (4, "the header has changed since the run: column"),
            run: (2, &[header, "if only its first line is damaged, --repair restores this line"]),
            ..WRONG
        },
        Fault {
            name: "another name in the header",
            edit: &|_, lines| with(lines, |lines| lines[0] = lines[0].replacen("search.evals", "search.evil", 1)),
            verify: (4, "`search.evil`, which this experiment does not write, but `search.evals` is expected"),
            run: (2, &[header, "`search.evil`"]),
            ..WRONG
        },
        Fault { name: "no header", edit: &|_, lines| text(&lines[1..]), run: (2, &[header]), ..WRONG },
        Fault {
            name: "an empty header",
            edit: &|_, lines| with(lines, |lines| lines[0].clear()),
            run: (2, &[header]),
            ..WRONG
        },
        Fault {
            name: "a byte order mark",
            edit: &|_, lines| [b"\xef\xbb\xbf", &text(lines)[..]].concat(),
            verify: (4, "byte order mark"),
            run: (2, &["line 1: it begins with a byte order mark", "--repair drops damaged rows"]),
            ..WRONG
        },
        Fault {
            name: "line ends of another system",
            edit: &|_, lines| lines.join("\r\n").into_bytes(),
            verify: (4, "carriage return"),
            run: (2, &["line 1", "carriage return", "tr -d"]),
            ..WRONG
        },
        Fault {
            name: "line ends of an old system",
            edit: &|_, lines| lines.join("\r").into_bytes(),
            verify: (4, "carriage return"),
            run: (2, &["line 1", "carriage return"]),
            ..WRONG
        },
        Fault {
            name: "one other line end",
            edit: &|_, lines| with(lines, |lines| lines[4].push('\r')),
            run: (2, &["line 5", "carriage return"]),
            ..WRONG
        },
        Fault {
            name: "zero bytes in a row",
            edit: &|_, lines| with(lines, |lines| lines[4].insert_str(0, &hole)),
            verify: (4, "line 5: it contains zero bytes"),
            run: (2, &["line 5: it contains zero bytes", "--repair drops damaged rows"]),
            ..WRONG
        },
        Fault {
            name: "zero bytes alone",
            edit: &|_, _| hole.clone().into_bytes(),
            run: (2, &["line 1: it contains zero bytes"]),
            ..WRONG
        },
        Fault { name: "another text", edit: &|_, _| b"x".to_vec(), run: (2, &[header]), ..WRONG },
        Fault {
            name: "bytes that are not UTF-8",
            edit: &|_, lines| {
                let mut bytes = text(lines);
                let middle = text(&lines[..5]).len() - 4;
                bytes[middle] = 0xff;
                bytes
            },
            verify: (4, "line 5"),
            run: (2, &["line 5", "UTF-8"]),
            ..WRONG
        },
        Fault {
            name: "a lost row within a job",
            edit: &|_, lines| with(lines, |lines| drop(lines.remove(2))),
            verify: (4, "following a missing row"),
            run: (2, &["the row before it is missing"]),
            ..WRONG
        },
        Fault {
            name: "a duplicate job",
            edit: &|_, lines| with(lines, |lines| lines.extend_from_within(1..4)),
            verify: (4, "3 duplicate rows (line 14; line 15; line 16)"),
            run: (2, &["duplicate", "line 14"]),
            ..WRONG
        },
        Fault {
            name: "another line",
            edit: &|_, lines| with(lines, |lines| lines[2] = "a,row,no".to_owned()),
            ..WRONG
        },
        Fault { name: "an empty line", edit: &|_, lines| with(lines, |lines| lines[2].clear()), ..WRONG },
        Fault {
            name: "a stray quote",
            edit: &|_, lines| with(lines, |lines| lines[2].insert(20, '"')),
            verify: (4, "line 3"),
            run: (2, &["line 3"]),
            ..WRONG
        },
        Fault {
            name: "a lost last row of a job",
            edit: &|_, lines| with(lines, |lines| drop(lines.remove(3))),
            verify: (3, "missing: 1 row that the run wrote"),
            ..INCOMPLETE
        },
        Fault {
            name: "a lost job",
            edit: &|_, lines| with(lines, |lines| drop(lines.drain(1..4))),
            verify: (3, "1 job of the plan without rows"),
            ..INCOMPLETE
        },
        Fault {
            name: "a torn last line",
            edit: &|_, lines| text(lines)[..text(lines).len() - 9].to_vec(),
            verify: (3, "missing: 1 row that the run wrote"),
            ..INCOMPLETE
        },
        Fault {
            name: "bytes after the last line",
            edit: &|_, lines| [&text(lines)[..], &[b'"', 0xff, 0]].concat(),
            verify: (4, "bytes at its end differ"),
            report: 2,
            ..INCOMPLETE
        },
        // A full disk at the header, or a kill.
        Fault {
            name: "an empty file",
            edit: &|_, _| Vec::new(),
            verify: (3, "results.csv is empty"),
            report: 3,
            ..INCOMPLETE
        },
        Fault {
            name: "a part of the header",
            edit: &|_, lines| lines[0].as_bytes()[..20].to_vec(),
            verify: (3, "results.csv is empty"),
            report: 2,
            ..INCOMPLETE
        },
        Fault {
            name: "an edited manifest",
            edit: &|folder, lines| {
                edit_manifest(folder, lines, |text| text.replacen("\"repeats\": 1", "\"repeats\": 2", 1))
            },
            verify: (4, "manifest.json was edited or damaged: its seal does not match"),
            run: (2, &["its seal does not match", "move it away"]),
            repair: false,
            ..WRONG
        },
        Fault {
            name: "a manifest without its seal",
            edit: &|folder, lines| edit_manifest(folder, lines, |text| without_seal(&text, |_| ())),
            verify: (4, "manifest.json was edited or damaged: its seal does not match"),
            run: (2, &["its seal does not match"]),
            repair: false,
            ..WRONG
        },
        Fault {
            name: "another schema",
            edit: &|folder, lines| {
                edit_manifest(folder, lines, |text| without_seal(&text, |manifest| manifest["schema"] = 2.into()))
            },
            verify: (2, "a manifest of schema 2, but this ttlab reads schema 4: run the experiment again"),
            run: (2, &["this ttlab reads schema 4"]),
            repair: false,
            ..WRONG
        },
        Fault {
            name: "no manifest any more",
            edit: &|folder, lines| edit_manifest(folder, lines, |_| "{".to_owned()),
            verify: (2, "not a manifest of ttlab"),
            run: (2, &["not a manifest of ttlab"]),
            repair: false,
            ..WRONG
        },
        Fault {
            name: "another build",
            edit: &|folder, lines| {
                seal_anew(folder, |manifest| manifest["build"]["searches"] = "0".into());
                text(lines)
            },
            verify: (0, "complete"),
            report: 0,
            run: (2, &["another build", "--any-build", "--fresh"]),
            repair: false,
        },
    ];
    let (out, results) = (trial.path("out"), trial.results("out"));
    for Fault { name, edit, verify, report, run, repair } in faults {
        let _ = fs::remove_dir_all(&out);
        fs::create_dir(&out).unwrap();
        for file in ["manifest.json", "experiment.toml", "results.csv"] {
            fs::copy(trial.path("whole").join(file), out.join(file)).unwrap();
        }
        let bytes = edit(&out, &lines);
        fs::write(&results, &bytes).unwrap();
        let folder = || ["results.csv", "manifest.json"].map(|name| fs::read(out.join(name)).unwrap());
        let before = folder();
        let check = |command: &str, output: Output, (code, words): (i32, &[&str])| {
            let printed = output.stdout + &output.stderr;
            assert_eq!(output.code, Some(code), "{name}: {command}: {printed}");
            words.iter().for_each(|words| assert!(printed.contains(words), "{name}: {command}: {words}: {printed}"));
            assert!(printed.len() < 2000, "{name}: {command}: {printed}");
        };
        check("verify", ttlab(&["verify", &trial.text("out")]), (verify.0, &[verify.1]));
        // The page, but not the terminal's figures.
        check(
            "report",
            ttlab(&["report", &trial.text("out"), "--metric", "nodes", "-o", &trial.text("r.md")]),
            (report, &[]),
        );
        check("run", trial.run("out", &[]), run);
        if run.0 == 0 {
            assert_eq!(counts(&results), whole, "{name}");
            continue;
        }
        assert!(folder() == before, "{name}: a file was touched");
        if repair {
            trial.run("out", &["--repair"]).expect(0);
            assert_eq!(counts(&results), whole, "{name}");
            ttlab(&["verify", "--quiet", &trial.text("out")]).expect(0);
        }
    }
}
