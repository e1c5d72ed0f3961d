//! Computes the hash of everything that determines counts, for `build.rs`. The hash covers the code
//! of the modules that search, without comments and tests, and the versions of the libraries that
//! these modules use.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules and files that can influence a count, from the root of the workspace.
pub const SEARCHING_CODE: [&str; 12] = [
    "core/src/counters.rs",
    "core/src/chess",
    "core/src/table",
    "core/src/traces",
    "core/src/engine",
    "src/subject/builtin.rs",
    "src/subject/mod.rs",
    "src/experiment/sequence.rs",
    "src/experiment/presets",
    "src/runner/job.rs",
    "src/runner/game_pair.rs",
    "src/runner/replay.rs",
];

const LIBRARIES: [&str; 6] = ["foldhash", "rand", "rand_core", "rand_mt", "rand_pcg", "rustix"];

/// `lock_text` is the text of `Cargo.lock`, which contains the versions.
pub fn search_hash(root: &Path, lock_text: &str) -> String {
    // The start value of FNV-1a.
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for name in SEARCHING_CODE {
        for path in source_files(&root.join(name)) {
            hash.write(path.strip_prefix(root).unwrap_or(&path).to_string_lossy().as_bytes());
            hash.write(code(&fs::read_to_string(&path).unwrap_or_default()).as_bytes());
        }
    }
    let mut library = "";
    for line in lock_text.lines() {
        if let Some(name) = line.strip_prefix("name = ") {
            library = name.trim_matches('"');
        } else if line.starts_with("version = ") && LIBRARIES.contains(&library) {
            hash.write(library.as_bytes());
            hash.write(line.as_bytes());
        }
    }
    format!("{:016x}", hash.0)
}

/// The Fowler-Noll-Vo hash (FNV-1a, 64 bits).
struct Fnv(u64);

impl Fnv {
    fn write(&mut self, bytes: &[u8]) {
        // The byte 0xff, which UTF-8 text never contains, marks the end of each part.
        for &byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// If the path is a file, returns only this file.
fn source_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_test = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == "tests");
    let mut entries: Vec<PathBuf> = entries.filter(|path| !is_test(path)).collect();
    entries.sort();
    entries.iter().flat_map(|path| source_files(path)).collect()
}

/// White space of any length becomes one blank.
pub fn code(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\n").next().unwrap_or_default();
    let (mut code, mut remaining) = (String::new(), text);
    while let Some(first) = remaining.chars().next() {
        let length = if remaining.starts_with("//") {
            remaining.find('\n').unwrap_or(remaining.len())
        } else if remaining.starts_with("/*") {
            remaining.find("*/").map_or(remaining.len(), |end| end + 2)
        } else {
            let length = literal_length(remaining).unwrap_or(first.len_utf8());
            let token = &remaining[..length];
            if !token.trim().is_empty() {
                code.push_str(token);
            } else if !code.ends_with(' ') {
                code.push(' ');
            }
            length
        };
        remaining = &remaining[length..];
    }
    code
}

/// A literal may contain text that looks like a comment.
fn literal_length(text: &str) -> Option<usize> {
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            // The literal consists of `r`, the hashes, a quote, the content and the end.
            return raw[hashes + 1..].find(&end).map(|length| 1 + hashes + 1 + length + end.len());
        }
        return None;
    }
    let mut chars = text.char_indices();
    let (_, quote) = chars.next()?;
    let mut is_escaped = false;
    match quote {
        '"' => {
            for (index, char) in chars {
                match char {
                    _ if is_escaped => is_escaped = false,
                    '\\' => is_escaped = true,
                    '"' => return Some(index + 1),
                    _ => {}
                }
            }
            None
        }
        '\'' => match chars.next()? {
            // The search begins after the escaped character, which may be a quote.
            (_, '\\') => text[3..].find('\'').map(|index| 3 + index + 1),
            // A quote that is not followed by one character and another quote begins a lifetime.
            _ => chars.next().filter(|(_, end)| *end == '\'').map(|(index, _)| index + 1),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_excludes_comments_and_tests() {
        let text = "//! Room.\nuse a; // why\n/* no */ fn f<'a>(x: &'a str) { g(\"// yes\", '\"', r#\"/*\"#, '\\'') }\n#[cfg(test)]\nmod tests {}\n";
        let code = code(text);
        assert_eq!(code.trim(), "use a; fn f<'a>(x: &'a str) { g(\"// yes\", '\"', r#\"/*\"#, '\\'') }");
    }

    /// The hash of a copy of the sources in which `change` is applied to one file. With an empty
    /// name, no file is changed.
    fn hash_with(changed_name: &str, change: impl Fn(String) -> String) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir().unwrap();
        let mut is_changed = changed_name.is_empty();
        for path in ["src", "core/src"].iter().flat_map(|folder| source_files(&root.join(folder))) {
            let name = path.strip_prefix(root).unwrap();
            let copy = folder.path().join(name);
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            let text = fs::read_to_string(&path).unwrap_or_default();
            let is_the_file = name == Path::new(changed_name);
            is_changed |= is_the_file;
            fs::write(copy, if is_the_file { change(text) } else { text }).unwrap();
        }
        assert!(is_changed, "no file {changed_name}");
        search_hash(folder.path(), &fs::read_to_string(root.join("Cargo.lock")).unwrap())
    }

    #[test]
    fn hash_changes_only_with_the_searching_code() {
        let current = hash_with("", |text| text);
        assert_eq!(current, env!("TTLAB_SEARCHES"));
        let add_constant = |text: String| format!("pub const MORE: u8 = 1;\n{text}");
        let add_comment = |text: String| format!("// More.\n\n{}\n", text.replace("\n\n", "\n\n\n"));
        for page in ["src/report/page.rs", "src/cli/run.rs", "src/record/columns.rs", "src/runner/output.rs"] {
            assert_eq!(hash_with(page, add_constant), current, "{page}");
        }
        for search in [
            "core/src/engine/options.rs",
            "core/src/table/bounded.rs",
            "core/src/chess/movegen.rs",
            "src/runner/job.rs",
            "core/src/counters.rs",
        ] {
            assert_ne!(hash_with(search, add_constant), current, "{search}");
            assert_eq!(hash_with(search, add_comment), current, "a comment in {search}");
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap();
        let other_lock = lock.replacen("name = \"rand_pcg\"\nversion = \"", "name = \"rand_pcg\"\nversion = \"9", 1);
        assert!(other_lock != lock);
        assert!(search_hash(root, &other_lock) != current);
        for name in SEARCHING_CODE {
            assert!(root.join(name).exists(), "{name}");
        }
    }
}
