//! The size of the house: a number falls with any commit, and rises only in a commit whose body
//! says what that bought.

use crate::common::run;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use ttlab::internals::record::columns::columns;

/// What is counted, and how much of it there may be.
const LIMITS: [(&str, usize); 6] = [
    ("production lines", 45_890),
    ("lines of tests", 44_820),
    ("lines of comments", 9_320),
    ("options", 118),
    ("columns", 138),
    ("commands", 27),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files
}

/// The code of a file before and after the point where its own tests begin.
fn split_at_tests(text: &str) -> (&str, &str) {
    let mut from = 0;
    while let Some(at) = text[from..].find("\n#[cfg(test)]\n").map(|at| from + at) {
        let item = text[at + 1..].lines().find(|line| !line.starts_with("#["));
        if item.is_some_and(|line| line.starts_with("mod ") && line.ends_with('{')) {
            return text.split_at(at);
        }
        from = at + 1;
    }
    (text, "")
}

/// The files that are unit tests as a whole: those in modules that are declared for tests alone.
fn test_modules(files: &[PathBuf]) -> HashSet<PathBuf> {
    let mut tests = HashSet::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        let is_folder = ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| file.ends_with(name));
        let folder = if is_folder { file.parent().unwrap().to_owned() } else { file.with_extension("") };
        for rest in text.split("#[cfg(test)]").skip(1) {
            let item =
                rest.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("#[")).unwrap_or("");
            if let Some(name) = item.split("mod ").nth(1).and_then(|name| name.strip_suffix(';')) {
                tests.insert(folder.join(name));
            }
        }
    }
    tests
}

/// Counts `[code, comments]`, in lines that are not blank.
fn count(text: &str) -> [usize; 2] {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (comments, code): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("//"));
    [code.len(), comments.len()]
}

#[test]
fn house_grows_only_on_purpose() {
    let members = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let members = members.filter(|path| path.join("Cargo.toml").exists() && !path.ends_with("fuzz"));
    let folders = members.map(|path| path.join("src")).chain([root().join("src")]);
    let files: Vec<PathBuf> = folders.flat_map(|folder| sources(&folder)).collect();
    let tests = test_modules(&files);
    let is_test = |file: &Path| {
        file.ends_with("tests.rs") || file.ancestors().any(|path| tests.contains(&path.with_extension("")))
    };
    let [mut production, mut in_tests, mut comments] = [0; 3];
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let (code, unit_tests) = if is_test(file) { ("", text.as_str()) } else { split_at_tests(&text) };
        let [code, notes] = count(code);
        production += code;
        comments += notes;
        in_tests += count(unit_tests)[0];
    }
    in_tests +=
        sources(&root().join("tests")).iter().map(|file| count(&fs::read_to_string(file).unwrap())[0]).sum::<usize>();
    let options = fs::read_to_string(root().join("docs/options.md")).unwrap();
    let options = options.lines().filter(|line| line.starts_with("### ")).count();
    // Commands are indented by two blanks in the help; what continues a line is indented by more,
    // and an example begins with the program.
    let (help, _, _) = run(&["--help"]);
    let is_command = |line: &&str| {
        line.strip_prefix("  ").is_some_and(|name| name.starts_with(char::is_lowercase) && !name.starts_with("ttlab "))
    };
    let commands = help.lines().skip_while(|line| !line.ends_with(':')).filter(is_command).count();
    let found = [production, in_tests, comments, options, columns().len(), commands];
    let grown: Vec<String> = LIMITS
        .iter()
        .zip(found)
        .filter(|((_, limit), found)| found > limit)
        .map(|((what, limit), found)| format!("{what}: {found}, and the limit is {limit}"))
        .collect();
    assert!(grown.is_empty(), "{}\nTake something away, or say in the commit what this buys.", grown.join("\n"));
}
