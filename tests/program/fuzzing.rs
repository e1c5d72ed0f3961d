//! Runs the bodies of the fuzz targets (`fuzz/`) without a fuzzer: on the project's own files, on
//! inputs that once failed, and on seeded mutations of both. A fuzzer on a nightly toolchain tries
//! more inputs; this runs everywhere. `TTLAB_FUZZ=100000` sets the number of mutations for each
//! target.

use crate::common::{scratch, seal_anew};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fs;
use std::path::{Path, PathBuf};
use ttlab::internals::traces::{Event, Format};

mod experiment;
mod fen;
mod manifest;
mod plan;
mod results;
mod suite;
mod table_options;
mod trace;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                walk(&path, ending, found);
            } else if path.extension().is_some_and(|own| own == ending) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), ending, &mut found);
    found.sort();
    assert!(!found.is_empty(), "{folder} has no .{ending}");
    found
}

/// Returns the files of a small run: manifest, rows, shard plan and trace.
fn run() -> (Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>) {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    let text = "name = 'fuzz'\nsuite = { startpos = true }\nlimit = { depth = 2 }\n[grid]\n'table.size' = [64, 128]\n";
    fs::write(path("fuzz.toml"), text).unwrap();
    let ttlab = |args: &[&str]| {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_ttlab")).args(args).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    ttlab(&["run", "fuzz.toml", "--out", "out", "--quiet"]);
    ttlab(&["plan", "fuzz.toml", "--shards", "2", "-o", "plan.json"]);
    ttlab(&["trace", "startpos", "--depth", "3", "--set", "table.size=64", "-o", "trace"]);
    let read = |name: &str| fs::read(path(name)).unwrap();
    (read("out/manifest.json"), read("out/results.csv"), read("plan.json"), read("trace"))
}

fn tagged(tag: u8, bytes: &[u8]) -> Vec<u8> {
    [&[tag], bytes].concat()
}

/// Bytes that have a meaning in one of the formats.
const LIKELY: &[u8] = b" \"'-+=,;{}[]0129\n\0\xff/#kKeQ";

/// Returns a seed with a few bytes changed, removed, repeated or taken from another seed.
fn mutated(seeds: &[Vec<u8>], random: &mut Pcg64) -> Vec<u8> {
    let mut bytes = seeds[random.random_range(0..seeds.len())].clone();
    for _ in 0..random.random_range(1..6) {
        if bytes.is_empty() {
            break;
        }
        let at = random.random_range(0..bytes.len());
        let end = (at + random.random_range(1..16)).min(bytes.len());
        match random.random_range(0..6) {
            0 => bytes[at] ^= 1 << random.random_range(0..8),
            1 => bytes[at] = LIKELY[random.random_range(0..LIKELY.len())],
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].to_vec();
                let place = random.random_range(0..=bytes.len());
                bytes.splice(place..place, part);
            }
            4 => {
                let other = &seeds[random.random_range(0..seeds.len())];
                let from = random.random_range(0..=other.len());
                let to = (from + random.random_range(0..64)).min(other.len());
                bytes.splice(at..end, other[from..to].to_vec());
            }
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// Runs the target on every seed, every input that once failed, and mutations of them. `share`
/// scales the number of mutations, for slow targets.
fn fuzz(name: &str, mut seeds: Vec<Vec<u8>>, share: f64, body: fn(&[u8])) {
    let failed = root().join("fuzz/regressions").join(name);
    if failed.is_dir() {
        seeds.extend(fs::read_dir(failed).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()));
    }
    let usual: f64 = std::env::var("TTLAB_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(5000.0);
    seeds.iter().for_each(|seed| body(seed));
    let mut random = Pcg64::seed_from_u64(7);
    for _ in 0..(usual * share) as u64 {
        let input = mutated(&seeds, &mut random);
        // If the target panics, report the input.
        let outcome = std::panic::catch_unwind(|| body(&input));
        assert!(
            outcome.is_ok(),
            "{name}: put this under fuzz/regressions/{name}: {:?}",
            String::from_utf8_lossy(&input)
        );
    }
}

fn heads(folder: &str, ending: &str, tag: Option<u8>) -> Vec<Vec<u8>> {
    let head = |path: PathBuf| {
        let bytes = fs::read(path).unwrap();
        let head = &bytes[..bytes.len().min(2000)];
        tag.map_or_else(|| head.to_vec(), |tag| tagged(tag, head))
    };
    files(folder, ending).into_iter().map(head).collect()
}

#[test]
fn mutated_positions_cause_no_panic() {
    let text = fs::read_to_string(root().join("data/perft.epd")).unwrap();
    let fen = |line: &str| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ").into_bytes();
    let seeds = text.lines().map(fen).collect();
    fuzz("fen", seeds, 4.0, fen::run);
}

#[test]
fn mutated_suites_cause_no_panic() {
    fuzz("suite", [heads("data", "epd", Some(0)), heads("data", "pgn", Some(1))].concat(), 1.0, suite::run);
}

#[test]
fn mutated_experiments_cause_no_panic() {
    fuzz("experiment", heads("experiments", "toml", None), 1.0, experiment::run);
}

#[test]
fn mutated_result_folders_cause_no_panic() {
    let (manifest, rows, plan, _) = run();
    let body = rows.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    fuzz("results", vec![rows[body..].to_vec()], 0.1, results::run);
    fuzz("manifest", vec![[&manifest[..], b"\0", &rows].concat()], 0.5, manifest::run);
    fuzz("plan", vec![plan], 1.0, plan::run);
}

#[test]
fn mutated_table_options_cause_no_panic() {
    let designs = files("core/src/table/designs", "toml").into_iter().map(|path| {
        let text = fs::read_to_string(path).unwrap();
        let settings = text.lines().map(|line| format!("table.{line}")).collect::<Vec<_>>();
        format!("table.size = 64; {}; table.static_evaluation = true", settings.join("; ")).into_bytes()
    });
    fuzz("table_options", designs.collect(), 1.0, table_options::run);
}

#[test]
fn mutated_traces_cause_no_panic() {
    let (.., trace) = run();
    let events = &trace[16.min(trace.len())..];
    let events = &events[..events.len().min(4000)];
    let wide = Format { wide: true, depth_parts: 7 };
    let widen = |(clock, bytes): (u64, &[u8])| {
        let event = Format::NARROW.decode(bytes);
        let (words, count) = wide.encode(&Event { clock, thread: (clock / 64 % 2) as u8, ..event });
        words[..count].iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()
    };
    let widened: Vec<u8> = (1..).zip(events.chunks_exact(16)).flat_map(widen).collect();
    fuzz(
        "trace",
        vec![tagged(0, events), tagged(1, &widened), tagged(2, &trace[..trace.len().min(4000)])],
        0.2,
        trace::run,
    );
}

/// Collects the paths of all strings in a JSON document.
fn words(value: &serde_json::Value, path: &str, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(_) => found.push(path.to_owned()),
        serde_json::Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| words(value, &format!("{path}/{at}"), found));
        }
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                words(value, &format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        _ => {}
    }
}

/// Puts markup and control characters into every string of a manifest and of a plan, one at a time:
/// all page formats escape them.
#[test]
fn markup_in_any_name_is_escaped() {
    const HOSTILE: &str = "</td></script><script>alert(1)</script><img src=x onerror=y>\u{1}\u{1b}[31m\u{7f}|`*\r\nx";
    let (manifest, rows, plan, _) = run();
    let folder = scratch();
    fs::write(folder.path().join("results.csv"), rows).unwrap();
    fs::write(folder.path().join("experiment.toml"), "suite = { startpos = true }\nlimit = { depth = 2 }\n").unwrap();
    let with = |document: &[u8], change: &mut dyn FnMut(&str, &[u8])| -> usize {
        let document: serde_json::Value = serde_json::from_slice(document).unwrap();
        let mut paths = Vec::new();
        words(&document, "", &mut paths);
        for path in &paths {
            let mut changed = document.clone();
            *changed.pointer_mut(path).unwrap() = HOSTILE.into();
            change(path, &serde_json::to_vec(&changed).unwrap());
        }
        paths.len()
    };
    let mut shown = Vec::new();
    let count = with(&manifest, &mut |path, text| {
        fs::write(folder.path().join("manifest.json"), text).unwrap();
        seal_anew(folder.path(), |_| ());
        let Ok(page) = ttlab::internals::report::Page::read(folder.path()) else { return };
        let html = ttlab::internals::report::html::render(&page.sheet);
        let style = ttlab::internals::report::markdown::Style { level: 1, links_figures: true };
        let markdown = ttlab::internals::report::markdown::render(&page.sheet, style);
        let screen = ttlab::internals::report::text::Screen { width: 100, colour: false };
        let screen = ttlab::internals::report::text::render(&page.terminal_sheet(), screen);
        if html.contains("alert(1)") {
            shown.push(path.to_owned());
        }
        assert_eq!((html.matches("<script").count(), html.matches("<img").count()), (1, 0), "{path}");
        assert_eq!((markdown.matches("<script").count(), markdown.matches("<img").count()), (0, 0), "{path}");
        let control = |text: &str| text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!((control(&html), control(&markdown), control(&screen)), (None, None, None), "{path}");
    });
    // The test is only meaningful if these strings appear on the page.
    for path in
        ["/name", "/suite", "/plan", "/build/version", "/build/commit", "/build/profile", "/machine/cpu", "/machine/os"]
    {
        assert!(shown.iter().any(|shown| shown == path), "{path} is not shown, but {shown:?}");
    }
    assert!(count > 30, "{count} words");
    assert!(with(&plan, &mut |_, text| plan::run(text)) > 4);
}
