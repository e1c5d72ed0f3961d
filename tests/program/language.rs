//! Rules for names and texts: replaced names don't come back, comments stay narrow, and pages stay
//! short.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files in a folder: the path relative to the project's root, and the text.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// The code of a file without comments and literals.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = literal_or_comment(rest, code.chars().next_back());
        if skipped > 0 {
            code.push(' ');
            rest = &rest[skipped..];
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    code
}

/// The length in bytes of the comment, string or character literal at the start of the text; 0 if
/// the text starts with code.
fn literal_or_comment(text: &str, before: Option<char>) -> usize {
    let in_word = before.is_some_and(|it| it.is_alphanumeric() || it == '_');
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if let Some(rest) = text.strip_prefix('r').filter(|_| !in_word) {
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        if rest[hashes..].starts_with('"') {
            let close = format!("\"{}", "#".repeat(hashes));
            let body = 1 + hashes + 1;
            return text[body..].find(&close).map_or(text.len(), |at| body + at + close.len());
        }
    }
    if text.starts_with('"') {
        let mut escaped = false;
        for (at, letter) in text.char_indices().skip(1) {
            match letter {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => return at + 1,
                _ => {}
            }
        }
        return text.len();
    }
    // A character literal, not a lifetime.
    let mut letters = text.char_indices();
    match (letters.next(), letters.next(), letters.next()) {
        (Some((_, '\'')), Some((_, '\\')), Some((at, _))) => {
            text[at + 1..].find('\'').map_or(text.len(), |end| at + end + 2)
        }
        (Some((_, '\'')), Some(_), Some((at, '\''))) => at + 1,
        _ => 0,
    }
}

fn words(code: &str) -> BTreeSet<&str> {
    code.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|it| !it.is_empty()).collect()
}

/// Names that mean nothing in any module.
const NOWHERE: &str = "told said heeded unheeded overheard foretold foreseen unheld worded carried_out came_to left_off found_there takes_place_of heed_bound";

/// Names that were replaced, and the modules in which they had a meaning of their own instead of
/// the field's.
const REPLACED: &[(&str, &str)] = &[
    ("Told Ended Reported Heard Said", "subject runner record"),
    ("Audience Show Shown Shower Room Listeners Turns Foresight", "table runner"),
    ("steward Desk relieve flight suspects condemns CONDEMNED DEATHS ledger Ledger take_stock Again", "runner"),
    ("usual usual_jobs nobody Point", "experiment"),
    ("alike before blindness doubts nil unheld Weighed Named Sides Gauge", "analysis"),
    ("CannotTell cannot_tell", "analysis report"),
    ("Halt", "runner"),
    ("named shown", "chess"),
    ("stretches jobs_spared begun", "record"),
    ("Found GameFound Played EngineSaid Kept Lack lacks Survey Stretch", "runner record"),
    ("Introduced Examined Honours TrialRun", "subject runner"),
    ("Ran not_the_same unwritten", "cli"),
    ("Nobody foresight", "engine"),
    ("meet again Laid lay_out", "table"),
    ("crossed gridded courses spare UNTOLD PERHAPS NO_LIFE", "report"),
];

#[test]
fn replaced_names_do_not_come_back() {
    let mut found = Vec::new();
    for (file, text) in ["src", "core/src"].into_iter().flat_map(sources) {
        let code = code(&text);
        let room = file.trim_start_matches("core/").split('/').nth(1).unwrap().trim_end_matches(".rs");
        let words = words(&code);
        let here = REPLACED.iter().filter(|(_, rooms)| rooms.split(' ').any(|it| it == room)).map(|(names, _)| *names);
        for names in here.chain([NOWHERE]) {
            found.extend(names.split(' ').filter(|name| words.contains(name)).map(|name| format!("{file}: {name}")));
        }
        let module = Path::new(&file).file_stem().unwrap().to_string_lossy().into_owned();
        let stands = |(names, rooms): &&(&str, &str)| {
            rooms.split(' ').any(|it| it == room) && names.split(' ').any(|name| name == module)
        };
        found.extend(REPLACED.iter().filter(stands).map(|_| format!("{file}: the module's name")));
    }
    assert!(found.is_empty(), "{} names that were replaced:\n{}", found.len(), found.join("\n"));
}

/// Counts the lines with the word `told`, in comments and in strings: most of them are hard to
/// understand.
#[test]
fn told_is_rare_in_sources() {
    let lines = ["src", "core/src"]
        .into_iter()
        .flat_map(sources)
        .map(|(_, text)| text.lines().filter(|line| words(line).contains("told")).count())
        .sum::<usize>();
    assert!(lines < 5, "{lines} lines of src have the word `told`");
}

#[test]
fn comments_are_at_most_a_hundred_columns_wide() {
    let mut wide = Vec::new();
    for (file, text) in ["src", "core", "tests", "benches", "examples", "fuzz"].into_iter().flat_map(sources) {
        for (number, line) in text.lines().enumerate() {
            let comment = line.trim_start().starts_with("//") && !line.contains("http");
            if comment && line.chars().count() > 100 {
                wide.push(format!("{file}:{}", number + 1));
            }
        }
    }
    assert!(wide.is_empty(), "{} comments wider than 100 columns:\n{}", wide.len(), wide.join("\n"));
}

/// Pages that are generated by a test.
const GENERATED: [&str; 5] = ["options.md", "designs.md", "columns.md", "claims.md", "engine-behaviour.md"];

#[test]
fn pages_keep_their_size() {
    let size = |path: &Path| fs::metadata(path).unwrap().len();
    assert!(size(&root().join("README.md")) <= 6 << 10, "README.md: at most 6 KB");
    let changelog = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    assert!(changelog.lines().count() <= 60, "CHANGELOG.md: at most 60 lines, {} found", changelog.lines().count());
    let pages: Vec<PathBuf> = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "md"))
        .filter(|path| !GENERATED.iter().any(|name| path.ends_with(name)))
        .collect();
    let total: u64 = pages.iter().map(|path| size(path)).sum();
    assert!(pages.len() <= 22, "docs: at most 22 pages by hand, {} found", pages.len());
    assert!(total <= 127 << 10, "docs: at most 127 KB by hand, {} found", total);
}

/// All pages and experiment files: the path relative to the project's root, and the text in one
/// line.
fn pages() -> Vec<(String, String)> {
    let (mut pages, mut folders) = (Vec::new(), vec![root()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            let is_read =
                ["README", "CHANGELOG", "docs", "experiments", "reports"].iter().any(|it| name.starts_with(it));
            if is_read && path.is_dir() {
                folders.push(path);
            } else if is_read && path.extension().is_some_and(|it| it == "md" || it == "toml") {
                let text = fs::read_to_string(&path).unwrap();
                pages.push((name, text.split_whitespace().collect::<Vec<_>>().join(" ")));
            }
        }
    }
    pages
}

/// Words that rows refute or that mean several things, with the file (or the start of its path)
/// where they may not stand. Three searches have three names: `alpha-beta`, `match` and `modern`.
const WITHDRAWN: &[(&str, &str)] = &[
    ("", "plain search"),
    ("", "modern search"),
    ("README.md", "1.652"),
    ("docs/options.md", "The shorter the turns"),
    ("docs/glossary.md", "in 95 of 100 experiments"),
    ("docs/handbook.md", "No difference is shown between the other rules"),
    ("docs/handbook.md", "Other engines gain most"),
    ("experiments/engines", "Stockfish's wiki"),
    ("reports/measures", "The answer did not move"),
    ("reports/measures", "blind to lost moves"),
];

#[test]
fn withdrawn_words_do_not_come_back() {
    let pages = pages();
    assert!(pages.len() > 50, "{} pages were read", pages.len());
    for (place, words) in WITHDRAWN {
        let found: Vec<&str> = pages
            .iter()
            .filter(|(name, text)| name.starts_with(place) && text.to_lowercase().contains(&words.to_lowercase()))
            .map(|(name, _)| name.as_str())
            .collect();
        assert!(found.is_empty(), "`{words}` stands in {found:?}");
    }
}

/// A study names the search in which it counts, and a price of nodes says of what it is: of a rule,
/// of planted losses, or of handicapped nodes.
#[test]
fn studies_name_their_search_and_prices_their_kind() {
    let nearby = |text: &str, at: usize| {
        let from = text[..at].char_indices().rev().nth(200).map_or(0, |(place, _)| place);
        text[from..].chars().take(400).collect::<String>()
    };
    let (mut wrong, mut prices) = (Vec::new(), 0);
    for (name, text) in pages() {
        let is_study = name.starts_with("experiments/studies") && name.ends_with(".toml");
        if is_study && !["`alpha-beta`", "`match`", "`modern`"].iter().any(|search| text.contains(search)) {
            wrong.push(format!("{name}: no search is named"));
        }
        for (at, _) in text.match_indices("factor of e ").filter(|_| name.starts_with("docs") || name == "README.md") {
            prices += 1;
            if !["between rules", "planted losses", "handicap"].iter().any(|kind| nearby(&text, at).contains(kind)) {
                wrong.push(format!("{name}: a price without its kind: {}", nearby(&text, at)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(prices >= 1, "no price was read");
}
