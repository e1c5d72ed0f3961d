//! Tests of the documentation: every command in it runs unchanged, the data-frame examples give the
//! sums of the rows, and the JSON Schema accepts what the program accepts.

use crate::common::{has_python, run, scratch};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the paths of the documents for users.
fn documents() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    all.push(root().join("README.md"));
    all.sort();
    all
}

/// Returns a document's code blocks of one language.
pub fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

/// Creates a folder like a checkout, in which every experiment has the smallest useful depth.
fn checkout() -> TempDir {
    fn shallow(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            let (path, to) = (entry.path(), to.join(entry.file_name()));
            if path.is_dir() {
                shallow(&path, &to);
                continue;
            }
            let Ok(text) = fs::read_to_string(&path) else {
                fs::copy(&path, to).unwrap(); // A trace.
                continue;
            };
            let lines = text.lines().map(|line| match line.starts_with("limit") && line.contains("depth") {
                true => "limit = { depth = 2 }".to_owned(),
                false => line.to_owned(),
            });
            fs::write(to, lines.collect::<Vec<_>>().join("\n")).unwrap();
        }
    }
    let folder = scratch();
    shallow(&root().join("experiments"), &folder.path().join("experiments"));
    for name in ["data", "docs"] {
        std::os::unix::fs::symlink(root().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

fn shell(folder: &Path, command: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_ttlab"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    Command::new("sh").args(["-c", command]).current_dir(folder).env("PATH", path).output().unwrap()
}

#[test]
fn commands_in_the_documents_run_unchanged() {
    let folder = checkout();
    // What the documents assume: results of the default experiment, twice, and an experiment file
    // of the reader.
    for command in [
        "ttlab run experiments/quick.toml -q",
        "mkdir -p target ci .git && cp -r reports/quick target/quick && cp -r reports/quick ci/new",
        "cp experiments/quick.toml ci/gate.toml",
    ] {
        assert!(shell(folder.path(), command).status.success(), "{command}");
    }
    let mut ran = std::collections::HashSet::new();
    // The page about other engines needs other engines, and that about files of a release needs
    // these: `.ci/pack` makes them, and runs the commands.
    let is_left_out = |path: &PathBuf| path.ends_with("engines.md") || path.ends_with("install.md");
    for document in documents().into_iter().filter(|path| !is_left_out(path)) {
        let text = fs::read_to_string(&document).unwrap();
        for line in blocks(&text, "sh").into_iter().flat_map(str::lines) {
            let line = line.split(" #").next().unwrap().trim();
            let command = match line.strip_prefix("cargo run --release -- ") {
                Some(rest) => format!("ttlab {rest}"),
                None => line.to_owned(),
            };
            // Depths that take seconds in a debug build are reduced; the rest of the command is
            // unchanged.
            let command = command
                .replace("--depth 9", "--depth 5")
                .replace("--depth 8", "--depth 5")
                .replace("--depth 7", "--depth 3");
            let command = command.replace("startpos 6", "startpos 4").replace(" FILE ", " experiments/quick.toml ");
            if !command.starts_with("ttlab ") {
                assert!(line.is_empty() || line.starts_with("cargo "), "{}: what is `{line}`?", document.display());
                continue;
            }
            // A line that runs one shard is replaced by a loop over all shards, because merging
            // needs all of them.
            let all = "for i in 0 1 2 3 4 5 6 7; do ttlab run --plan plan.json --shard $i -q || exit 9; done";
            let command = if command.starts_with("ttlab run --plan") { all.to_owned() } else { command };
            // In the document, the trace comes from the reader's engine; here a trace of ttlab's
            // engine, in the same format, takes its place.
            let command = command.replace("--shards 100", "--shards 8").replace("import raw.trace", "import s.trace");
            // Uses an engine that is always available, and a second instead of a minute.
            let command = command.replace("doctor stockfish", "doctor ttlab uci --time 1");
            // A command that appears in several documents runs once.
            if !ran.insert(command.clone()) {
                continue;
            }
            let output = shell(folder.path(), &command);
            let code = output.status.code().unwrap_or(-1);
            // At such small depths a command may find a difference, so exit code 1 is fine. 2, 5
            // and a panic aren't.
            assert!(
                matches!(code, 0 | 1),
                "{}: `{command}` ends with {code}: {}",
                document.display(),
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    assert!(ran.len() > 8, "only {} commands were found", ran.len());
}

/// Runs Python code if Python and the module are installed, and returns what it printed.
pub fn python(module: &str, folder: &Path, code: &str, input: &str) -> Option<String> {
    if !has_python(module) {
        return None;
    }
    let mut child = Command::new("python3")
        .args(["-c", code])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn data_frame_examples_give_the_sums_of_the_rows() {
    let folder = scratch();
    let file = folder.path().join("trial.toml");
    let text = "name = 'trial'\nsuite = 'data/bratko-kopec.epd'\nfirst = 4\nlimit = { depth = 3 }\nrepeats = 2\n\
                [[variant]]\nname = 'none'\ntable = 'none'\n[[variant]]\nname = 'some'\ntable.size = 1024\n";
    fs::write(&file, text).unwrap();
    let (_, stderr, code) = run(&["run", file.to_str().unwrap(), "-q", "--out", folder.path().to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    let mut rows = csv::Reader::from_path(folder.path().join("results.csv")).unwrap();
    let header = rows.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let mut nodes = std::collections::BTreeMap::<String, u64>::new();
    for row in rows.records().map(Result::unwrap).filter(|row| &row[at("repeat")] == "0") {
        *nodes.entry(row[at("variant")].to_owned()).or_default() += row[at("search.nodes")].parse::<u64>().unwrap();
    }
    let text = fs::read_to_string(root().join("docs/columns.md")).unwrap();
    let examples = blocks(&text, "python");
    for (module, example) in ["pandas", "duckdb"].into_iter().zip(&examples) {
        let Some(printed) = python(module, folder.path(), example, "") else { continue };
        let digits: String = printed.chars().filter(|&c| c != ',').collect();
        for (variant, nodes) in &nodes {
            let line = |line: &str| line.contains(variant.as_str()) && line.contains(&nodes.to_string());
            assert!(digits.lines().any(line), "{module}: {variant} {nodes}: {printed}");
        }
    }
    assert_eq!(examples.len(), 2);
}

/// Experiment files that both the schema and the program must reject: what is wrong, and the text.
const WRONG: &[(&str, &str)] = &[
    ("an unknown key", "questoin = 'x'"),
    ("no depth so great", "limit = { depth = 999 }"),
    ("no repeats", "repeats = 0"),
    ("no items", "first = 0"),
    ("an unknown option", "[engine]\ntable.sise = 1"),
    ("an unknown option at the top", "[engine]\nalgorythm = 'pvs'"),
    ("an unknown word", "[engine]\nalgorithm = 'pvz'"),
    ("an unknown policy", "[engine]\ntable.policy = 'alwyas'"),
    ("no size", "[engine]\ntable.size = '1 MX'"),
    ("a size of two meanings", "[engine]\ntable.size = '16 MB'"),
    ("too many slots", "[engine]\ntable.slots = 99"),
    ("an unknown preset", "[engine]\npreset = 'nope'"),
    ("an unknown path", "[grid]\n'table.sise' = ['1 MiB']"),
    ("an axis that is no list", "[grid]\n'table.size' = '1 MiB'"),
    ("no size on an axis", "[grid]\n'table.size' = ['1 MX']"),
    ("an unknown path that moves together", "[[zip]]\n'table.sise' = [1]"),
    ("an unknown option of a variant", "[[variant]]\nname = 'a'\n'table.sise' = 3"),
];

#[test]
fn schema_accepts_exactly_the_files_that_the_program_accepts() {
    let folder = scratch();
    let mut files: Vec<(bool, String, String)> = Vec::new();
    for place in ["experiments", "experiments/engines", "experiments/published", "experiments/studies"] {
        for path in fs::read_dir(root().join(place)).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|ending| ending == "toml") {
                files.push((true, path.display().to_string(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    for (what, text) in WRONG {
        let text = format!("suite = {{ startpos = true }}\n{text}\n");
        let path = folder.path().join("wrong.toml");
        fs::write(&path, &text).unwrap();
        let (_, stderr, code) = run(&["check", path.to_str().unwrap()]);
        assert_eq!(code, 2, "{what}: {stderr}");
        for rust in ["u8", "u32", "struct", "variant `", "enum"] {
            assert!(!stderr.contains(rust), "{what} speaks Rust: {stderr}");
        }
        files.push((false, (*what).to_owned(), text));
    }
    let documents: Vec<serde_json::Value> = files
        .iter()
        .map(|(right, name, text)| {
            let value: toml::Table = text.parse().unwrap();
            serde_json::json!({ "right": right, "name": name, "value": value })
        })
        .collect();
    let code = "import json, sys, jsonschema\n\
                schema = json.load(open(sys.argv[1] if len(sys.argv) > 1 else 'schema.json'))\n\
                validator = jsonschema.validators.validator_for(schema)(schema)\n\
                for one in json.load(sys.stdin):\n    \
                    errors = [error.message[:200] for error in validator.iter_errors(one['value'])]\n    \
                    if bool(errors) == one['right']: print(one['name'], errors[:2])\n";
    fs::write(folder.path().join("schema.json"), run(&["options", "--schema"]).0).unwrap();
    let input = serde_json::Value::Array(documents).to_string();
    if let Some(wrong) = python("jsonschema", folder.path(), code, &input) {
        assert_eq!(wrong, "", "the schema and the program do not agree");
    }
}

#[test]
fn options_search_finds_any_part_of_a_name() {
    for (text, path) in [("table.pol", "table.policy.kind"), ("killers", "ordering"), ("huge", "table.huge_pages")] {
        let (stdout, stderr, code) = run(&["options", text]);
        assert_eq!(code, 0, "{text}: {stdout}{stderr}");
        assert!(stdout.contains(path), "{text}: {stdout}{stderr}");
    }
    assert_eq!(run(&["options", "xyzzy"]).2, 2);
}
