//! Golden files of `tests/golden`: a test compares what it finds with a file. `TTLAB_BLESS=1`
//! rewrites the file: review the difference before you commit it.

use std::path::{Path, PathBuf};

/// The folder of the golden files; the kernel's own folder has none.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = package.ancestors().map(|folder| folder.join("tests/golden")).find(|folder| folder.is_dir());
    found.expect("tests/golden")
}

/// Compares a text with a golden file, line by line. Numbers between commas agree to nine digits.
#[track_caller]
pub fn assert_golden(name: &str, found: &str) {
    let path = root().join(name);
    if std::env::var_os("TTLAB_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        return std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        let fields = || found.split(',').zip(expected.split(','));
        let same = found.split(',').count() == expected.split(',').count() && fields().all(|(a, b)| is_same(a, b));
        assert!(same, "{name}:{}: found\n{found}\nexpected\n{expected}", number + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "lines of {name}");
}

/// Whether two fields are equal, numbers to nine digits.
pub fn is_same(found: &str, expected: &str) -> bool {
    found == expected
        || match (found.parse::<f64>(), expected.parse::<f64>()) {
            (Ok(found), Ok(expected)) => (found - expected).abs() <= 1e-9 * expected.abs().max(1e-3),
            _ => false,
        }
}

/// Checks a golden file of questions and answers, in blocks between blank lines. A block that
/// begins with `# ` is a comment. One that begins with `=== ` begins a section, and its other lines
/// are the section's text. In any other block the lines that begin with `> ` are what `answer`
/// makes of the section's text and of the other lines.
#[track_caller]
pub fn assert_answers(name: &str, mut answer: impl FnMut(&str, &str) -> String) {
    let path = root().join(name);
    let golden = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut found, mut section) = (Vec::new(), "");
    for block in golden.trim_end().split("\n\n") {
        if block.starts_with("# ") || block.starts_with("=== ") {
            if let Some(start) = block.strip_prefix("=== ") {
                section = start.split_once('\n').map_or("", |(_, text)| text);
            }
            found.push(block.to_owned());
            continue;
        }
        let question: Vec<&str> = block.lines().filter(|line| !line.starts_with('>')).collect();
        let answer = answer(section, &question.join("\n"));
        let answer = answer.lines().map(|line| format!("> {line}").trim_end().to_owned());
        found.push(question.iter().map(|line| (*line).to_owned()).chain(answer).collect::<Vec<_>>().join("\n"));
    }
    assert_golden(name, &(found.join("\n\n") + "\n"));
}
