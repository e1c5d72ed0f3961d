//! Traces on the command line, and the C header in an external engine.

use crate::common::{has_python, run, scratch, skip};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use ttlab::internals::chess::Bound;
use ttlab::internals::experiment::text::FileText;
use ttlab::internals::experiment::trace::{Trace, TraceChoice};
use ttlab::internals::traces::{Event, EventKind, Format, Writer, flags, read};

/// Runs `ttlab replay --format csv` and returns its rows by policy.
fn replay_rows(args: &[&str]) -> HashMap<String, HashMap<String, String>> {
    let (stdout, stderr, code) = run(&[&["replay", "--format", "csv"], args].concat());
    assert_eq!(code, 0, "{stderr}");
    let mut reader = csv::Reader::from_reader(stdout.as_bytes());
    let rows = reader.deserialize().map(|row| row.unwrap());
    rows.map(|row: HashMap<String, String>| (row["policy"].clone(), row)).collect()
}

fn number(row: &HashMap<String, String>, column: &str) -> u64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// A search counts what its cutoffs were worth even without diagnostics. The value is the same as
/// in a replay of its trace with the same table.
#[test]
fn worth_of_a_plain_search_equals_that_of_its_trace() {
    let folder = scratch();
    let file = folder.path().join("own.trace").to_str().unwrap().to_owned();
    // A layout that stores node counts exactly, in a table so small that much is lost.
    let table = ["--set", "table.size=256", "--set", "table.slots=4", "--set", "table.layout=bytes24"];
    let (stdout, stderr, code) = run(&[&["search", "startpos", "--depth", "5"], &table[..]].concat());
    assert_eq!(code, 0, "{stderr}");
    let saved: u64 = stdout.lines().find_map(|line| line.strip_prefix("search.saved")).unwrap().trim().parse().unwrap();
    let (_, stderr, code) = run(&[&["trace", "startpos", "--depth", "5", "-o", &file], &table[..]].concat());
    assert_eq!(code, 0, "{stderr}");
    let rows = replay_rows(&[&[file.as_str()], &table[..]].concat());
    assert_eq!(saved, number(&rows["always"], "worth_kept"));
    assert!(saved > 1000, "{saved}");
    assert!(number(&rows["always"], "evictions") > 1000, "{saved}");
}

#[test]
fn recorded_trace_is_replayed_by_policies() {
    let folder = scratch();
    let file = folder.path().join("s.trace");
    let file = file.to_str().unwrap();
    let record = ["trace", "startpos", "--depth", "6", "--set", "table.kind=unbounded", "-o", file];
    let (_, stderr, code) = run(&record);
    assert_eq!(code, 0, "{stderr}");
    let rows = replay_rows(&[file, "--set", "table.size=512"]);
    for column in ["hits", "cuts_kept", "worth_kept"] {
        let value = |policy: &str| number(&rows[policy], column);
        assert!(value("clairvoyant") > value("always"), "{column}: {rows:?}");
        assert!(value("unbounded") >= value("clairvoyant"), "{column}: {rows:?}");
        assert!(value("never") < value("clairvoyant"), "{column}: {rows:?}");
    }
    assert!(number(&rows["unbounded"], "hits") > number(&rows["clairvoyant"], "hits"));
    // The gap columns: how far a policy gets on the way from `always` to `clairvoyant`.
    for (column, gap) in [("hits", "hits_gap"), ("cuts_kept", "cuts_gap"), ("worth_kept", "worth_gap")] {
        let value = |policy: &str| number(&rows[policy], column) as f64;
        for (policy, row) in rows.iter().filter(|(policy, _)| *policy != "unbounded") {
            let expected = (value(policy) - value("always")) / (value("clairvoyant") - value("always"));
            let actual: f64 = row[gap].parse().unwrap();
            assert!((actual - expected).abs() < 1e-6, "{policy}: {actual} {expected}");
        }
    }

    let (stdout, _, code) = run(&["trace", "info", file]);
    assert_eq!(code, 0);
    assert!(stdout.contains("searches    1\niterations  6\n"), "{stdout}");
    // A folder isn't a trace, and neither is a missing file.
    for command in [&["trace", "info", "data"][..], &["replay", "data"]] {
        let (_, stderr, code) = run(command);
        assert_eq!(code, 2, "{code} {stderr}");
        assert!(stderr.contains("data: "), "{code} {stderr}");
    }

    let exported = folder.path().join("s.oracle");
    let (_, stderr, code) = run(&["trace", "export", file, "--to", "libcachesim", "-o", exported.to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    let events = read(fs::File::open(file).unwrap()).unwrap();
    let stores: Vec<u64> =
        events.iter().filter(|event| event.kind() == EventKind::Store).map(|event| event.key).collect();
    let bytes = fs::read(&exported).unwrap();
    assert_eq!(bytes.len(), 24 * stores.len());
    for (index, request) in bytes.chunks_exact(24).enumerate() {
        let next =
            stores[index + 1..].iter().position(|&key| key == stores[index]).map_or(-1, |gap| (index + 1 + gap) as i64);
        let expected =
            [&(index as u32).to_le_bytes()[..], &stores[index].to_le_bytes(), &[1, 0, 0, 0], &next.to_le_bytes()];
        assert_eq!(request, expected.concat(), "request {index}");
    }

    fs::write(file, &fs::read(file).unwrap()[..100]).unwrap();
    let (_, stderr, code) = run(&["replay", file]);
    assert_eq!(code, 2);
    assert!(stderr.contains("s.trace: byte 100: the trace is truncated"), "{stderr}");
    let repaired = folder.path().join("repaired.trace");
    let repaired = repaired.to_str().unwrap();
    let (_, _, code) = run(&["trace", "import", file, "-o", repaired]);
    assert_eq!((code, Path::new(repaired).exists()), (2, false));
    let (_, stderr, code) = run(&["trace", "import", "--repair", file, "-o", repaired]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(read(fs::File::open(repaired).unwrap()).unwrap(), events[..5]);
    let (_, stderr, code) = run(&["replay", "data/games.pgn"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("byte 0: not a ttlab trace"), "{stderr}");
    let (_, _, code) = run(&["replay", "missing.trace"]);
    assert_eq!(code, 2);
}

/// Compiles a program that includes the header; `None` if there is no compiler.
fn compile(folder: &Path, compiler: &str, source: &Path, name: &str, options: &[&str]) -> Option<PathBuf> {
    let program = folder.join(name);
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let mut command = Command::new(compiler);
    command.args(["-O2", "-Wall", "-Wextra", "-Werror"]).args(options).arg("-I").arg(include);
    match command.arg(source).arg("-o").arg(&program).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(program)
        }
        Err(error) => {
            skip("cc", &format!("{compiler}: {error}: the header was not tried (apt-get install gcc)"));
            None
        }
    }
}

fn output(program: &Path, args: &[&str], trace: &Path) -> String {
    let output = Command::new(program).args(args).env("TTLAB_TRACE_FILE", trace).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn replay_of_a_foreign_trace_has_its_exact_hits() {
    let folder = scratch();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/trace/connect4.c");
    let file = folder.path().join("c4.trace");
    let Some(plain) = compile(folder.path(), "cc", &source, "plain", &["-std=gnu11"]) else { return };
    let compile_traced = |flags_of_trace: &[&str]| {
        let options = [&["-std=gnu11", "-DTTLAB_TRACE"], flags_of_trace].concat();
        compile(folder.path(), "cc", &source, "traced", &options).unwrap()
    };
    let args = ["200", "10", "6"];
    let counts = output(&plain, &args, &file);
    assert!(!file.exists(), "the header writes though it is off");
    assert_eq!(output(&compile_traced(&[]), &args, &file), counts, "the header changed the search");
    let counts: Vec<u64> = counts.split_whitespace().map(|count| count.parse().unwrap()).collect();
    let [nodes, probes, hits, cuts, stores, replaced, choices] = counts[..] else { panic!("{counts:?}") };
    assert!(replaced > 10_000, "no pressure, nothing was tested");

    let events = read(fs::File::open(&file).unwrap()).unwrap();
    let count = |expected: &dyn Fn(&Event) -> bool| events.iter().filter(|event| expected(event)).count() as u64;
    assert_eq!(count(&|event| event.kind() == EventKind::Probe), probes);
    assert_eq!(count(&|event| event.kind() == EventKind::Store), stores);
    assert_eq!(count(&|event| event.kind() == EventKind::Probe && event.has(flags::CUT)), cuts);
    let (info, _, _) = run(&["trace", "info", file.to_str().unwrap()]);
    assert!(info.contains(&format!("nodes       {nodes}\n")), "{info}");
    assert!(info.contains("games       2\n"), "{info}");

    // The engine's own replacement rule as options: one tick per search, depth - 4 x age, the same
    // position first.
    let engine_rule = "{ kind = \"depth-age\", factor = 4 }";
    let args = [file.to_str().unwrap(), "--set", "table.size=800", "--set", "table.slots=4", "--policy", engine_rule];
    let row = &replay_rows(&args)[engine_rule];
    assert_eq!((number(row, "probes"), number(row, "hits")), (probes, hits));
    assert_eq!((number(row, "stores"), number(row, "evictions")), (stores, replaced));
    assert_eq!(number(row, "otherwise"), 0);
    // It keeps the last offered entry of a position, and with it the move.
    assert_eq!(number(row, "moves_kept"), choices);
    // Depths in hundredths, keys of 128 bits and costs beyond 32 bits change no count.
    let wide = folder.path().join("wide.trace");
    let forms = [&["-DTTLAB_KEY_BITS=128", "-DTTLAB_DEPTH_PARTS=100"][..], &["-DCOST=(nodes + 0xfffff0000)"]];
    for form in forms {
        output(&compile_traced(form), &["200", "10", "6"], &wide);
        assert_ne!(fs::read(&wide).unwrap(), fs::read(&file).unwrap(), "{form:?}");
        let rows = replay_rows(&[&[wide.to_str().unwrap()], &args[1..]].concat());
        assert_eq!(rows, replay_rows(&args), "{form:?}");
    }
    // Entries that the recorded table had lost are usable in the replay too, because the trace
    // contains the search windows. Entries that gave a cutoff in the recorded search are kept.
    assert!(number(row, "cuts") > cuts, "{row:?}");
    assert!(number(row, "cuts_kept") >= cuts, "{row:?}");
    // Another rule gives another number of hits.
    let other_rule = "{ kind = \"depth-age\", factor = 0 }";
    assert_ne!(number(&replay_rows(&[&args[..6], &[other_rule]].concat())[other_rule], "hits"), hits);
}

const EVENTS: &str = r#"
static unsigned moment;
#define TTLAB_TRACE_IMPLEMENTATION
#include "ttlab-trace.h"
int main(void) {
    ttlab_search(1, TTLAB_FIRST, 0);
    ttlab_search(0, TTLAB_ITERATION, 1);
    ttlab_thread(3);
    ttlab_probe(0x0123456789abcdefu, -300, -1000, TTLAB_WINDOW | TTLAB_OPEN, 4000000000u);
    ttlab_probe(1, 5, 0, TTLAB_HIT | TTLAB_CUT, 0x100000002u);
    ttlab_store(0xffffffffffffffffu, 1200, 32001, 0x8123, TTLAB_LOWER | TTLAB_OPEN, 0xfffffffffffffff0u);
    ttlab_store(2, 40000, -40000, 0, TTLAB_EXACT, 4);
    ttlab_store(3, -40000, 1, 7, TTLAB_UPPER | TTLAB_SUBTREE, 77);
    ttlab_thread(0);
    ttlab_clear(5);
    return 0;
}
"#;

#[test]
fn c_header_writes_the_bytes_of_our_writer() {
    let folder = scratch();
    let bits = Event::bound_bits;
    let mut writer = Writer::with_format(Vec::new(), Format { wide: true, depth_parts: 100 });
    let of_thread_3 = |event: Event, mv: u16| Event { thread: 3, mv, ..event };
    for (clock, event) in (1..).zip([
        Event::search(1, flags::GAME, 0),
        Event::search(0, flags::ITERATION, 1),
        of_thread_3(Event::probe(0x0123_4567_89ab_cdef, -300, -1000, flags::WINDOW | flags::PV, 4_000_000_000), 0),
        of_thread_3(Event::probe(1, 5, 0, flags::HIT | flags::CUT, 0x1_0000_0002), 0),
        of_thread_3(
            Event::store(u64::MAX, 1200, 32001, bits(Bound::Lower) | flags::MOVE | flags::PV, u64::MAX - 15),
            0x8123,
        ),
        of_thread_3(Event::store(2, i16::MAX, i16::MIN, bits(Bound::Exact), 4), 0),
        of_thread_3(Event::store(3, i16::MIN, 1, bits(Bound::Upper) | flags::SUBTREE | flags::MOVE, 77), 7),
        Event::clear(5),
    ]) {
        writer.push(Event { clock, ..event });
    }
    let (_, expected) = writer.finish().unwrap();
    for (compiler, file, options) in [("cc", "events.c", "-std=c99"), ("c++", "events.cpp", "-std=c++11")] {
        let source = folder.path().join(file);
        fs::write(&source, EVENTS).unwrap();
        let clock = "-DTTLAB_CLOCK()=(++moment)";
        let options = [options, "-pedantic", "-DTTLAB_TRACE", "-DTTLAB_DEPTH_PARTS=100", clock];
        if let Some(program) = compile(folder.path(), compiler, &source, compiler, &options) {
            let trace = folder.path().join("events.trace");
            output(&program, &[], &trace);
            assert_eq!(fs::read(&trace).unwrap(), expected, "{compiler}");
        }
    }
}

const THREADS: &str = r#"
#define TTLAB_TRACE_IMPLEMENTATION
#include "ttlab-trace.h"
#include <pthread.h>
static void *work(void *number) {
    uint64_t at, own = (uint64_t)(size_t)number;
#ifdef NUMBERED
    ttlab_thread((int)own);
#endif
    for (at = 1; at <= 50000; at++) {
        ttlab_probe(own << 32 | at, 1, 0, TTLAB_WINDOW, 10 * at);
        ttlab_store(own << 32 | at, 1, 0, 0, TTLAB_EXACT, 10 * at + own);
    }
    return NULL;
}
int main(void) {
    pthread_t threads[4];
    size_t at;
    for (at = 0; at < 4; at++) pthread_create(&threads[at], NULL, work, (void *)at);
    for (at = 0; at < 4; at++) pthread_join(threads[at], NULL);
    return 0;
}
"#;

/// A trace has all events of each thread, in the thread's own order and with its own cost. Commands
/// that take traces of one thread refuse several.
#[test]
fn threads_of_a_trace_are_counted_by_themselves() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let source = folder.path().join("threads.c");
    fs::write(&source, THREADS).unwrap();
    let options = ["-DTTLAB_TRACE", "-DNUMBERED", "-pthread"];
    let Some(program) = compile(folder.path(), "cc", &source, "threads", &options) else { return };
    let trace = folder.path().join("threads.trace");
    output(&program, &[], &trace);
    let events = read(fs::File::open(&trace).unwrap()).unwrap();
    for thread in 0..4 {
        let keys = events.iter().filter(|event| event.thread == thread).map(|event| event.key);
        let high_bits = u64::from(thread) << 32;
        assert!(keys.eq((1..=50_000).flat_map(|number| [high_bits | number; 2])), "thread {thread}");
    }
    let trace = trace.to_str().unwrap();
    let (info, _, _) = run(&["trace", "info", trace]);
    // Each thread's total ends with its last store.
    assert!(info.contains("threads     4\n"), "{info}");
    assert!(info.contains(&format!("nodes       {}\n", 4 * 500_000 + 6)), "{info}");

    let (stdout, stderr, code) = run(&["replay", trace, "--set", "table.size=1024", "--policy", "always"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("4 threads probe one table"), "{stdout}");

    fs::write(path("t.toml"), "[trace]\nfile = \"threads.trace\"\n").unwrap();
    for args in [
        &["run", &path("t.toml"), "--out", &path("out")][..],
        &["trace", "export", trace, "--to", "libcachesim", "-o", &path("t.oracle")],
    ] {
        let (_, stderr, code) = run(args);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("the trace has 4 threads, which cannot be counted as one"), "{stderr}");
    }

    // Threads without numbers aren't recorded as if they were one.
    let unnumbered = path("plain.trace");
    let program = compile(folder.path(), "cc", &source, "plain", &["-DTTLAB_TRACE", "-pthread"]).unwrap();
    let output = Command::new(program).env("TTLAB_TRACE_FILE", &unnumbered).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("two threads have the number 0: the trace ends here"), "{message}");
    assert!(run(&["trace", "info", &unnumbered]).1.contains("the trace is truncated"));
}

/// If a trace is rewritten while an experiment replays it, its rows would no longer match the
/// recorded file, so that is refused.
#[test]
fn trace_that_changes_during_a_run_is_refused() {
    let folder = scratch();
    let file = folder.path().join("s.trace");
    let (_, stderr, code) = run(&["trace", "startpos", "--depth", "4", "-o", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    let source = FileText { text: "", path: &folder.path().join("t.toml"), suite_paths: None };
    let load = || Trace::load(&TraceChoice { file: file.clone() }, &source).unwrap();
    let (first, second) = (load(), load());
    let replay = |trace: &Trace| trace.replay("game 1", |_| ()).map_err(|error| error.to_string());
    assert_eq!(replay(&first), Ok(()));
    let original = fs::read(&file).unwrap();
    fs::write(&file, &original[..original.len() - 16]).unwrap();
    assert_eq!(replay(&second), Err("the trace changed while it was being read".to_owned()));
    // Steps that were decoded before the change are still those of the original trace.
    assert_eq!(replay(&first), Ok(()));
}

/// Depths of traces that count other parts of a ply cannot be compared.
#[test]
fn traces_in_other_parts_of_a_ply_are_neither_joined_nor_replayed_in_whole_plies() {
    let folder = scratch();
    let write = |name: &str, depth_parts| {
        let mut writer = Writer::with_format(Vec::new(), Format { wide: true, depth_parts });
        let probe = Event::probe(1, -150, 0, flags::WINDOW, 1);
        writer.push(Event { clock: 1, ..probe });
        let path = folder.path().join(name);
        fs::write(&path, writer.finish().unwrap().1).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (plies, hundredths) = (write("plies.trace", 1), write("hundredths.trace", 100));
    let out = folder.path().join("both.trace").to_str().unwrap().to_owned();
    let (_, stderr, code) = run(&["trace", "import", &plies, &hundredths, "-o", &out]);
    assert_eq!((code, Path::new(&out).exists()), (2, false), "{stderr}");
    let message = format!("{hundredths}: depths are in units of 1/100 ply, expected 1/1 ply as in {plies}");
    assert!(stderr.contains(&message), "{stderr}");
    let source = FileText { text: "", path: &folder.path().join("t.toml"), suite_paths: None };
    let depths = |file: &str| Trace::load(&TraceChoice { file: file.into() }, &source).unwrap().depths;
    let scales = [&plies, &hundredths].map(|file| (depths(file).parts, depths(file).lowest));
    assert_eq!(scales, [(1, -150), (100, -2)]);
}

/// Along a game each search is one ply after the previous one, and a game starts where the trace
/// says so.
#[test]
fn trace_records_the_plies_between_searches() {
    let folder = scratch();
    let file = folder.path().join("g.trace").to_str().unwrap().to_owned();
    let record = ["trace", "data/games.pgn", "--first", "2", "--depth", "1", "--set", "table.size=64", "-o", &file];
    let (_, stderr, code) = run(&record);
    assert_eq!(code, 0, "{stderr}");
    let mut recorded = Vec::new();
    let mut reader = ttlab::internals::traces::Reader::new(fs::File::open(&file).unwrap()).unwrap();
    reader
        .for_each(|event| {
            if event.kind() == EventKind::Search && !event.has(flags::ITERATION) {
                recorded.push((event.has(flags::GAME), event.depth));
            }
        })
        .unwrap();
    let second_game = recorded.iter().rposition(|&(game, _)| game).unwrap();
    assert!(second_game > 20, "{second_game} {}", recorded.len());
    assert!(recorded.len() > second_game + 20, "{second_game} {}", recorded.len());
    for (index, &search) in recorded.iter().enumerate() {
        let begins_game = index == 0 || index == second_game;
        assert_eq!(search, if begins_game { (true, 0) } else { (false, 1) }, "{index}");
    }
}

#[test]
fn experiment_replays_a_trace_for_its_variants() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, toml, out) = (path("g.trace"), path("t.toml"), path("out"));
    let record =
        ["trace", "data/games.pgn", "--first", "3", "--depth", "3", "--set", "table.kind=unbounded", "-o", &file];
    let (_, stderr, code) = run(&record);
    assert_eq!(code, 0, "{stderr}");
    let text = "question = \"Which policy keeps most?\"\n[trace]\nfile = \"g.trace\"\n[engine]\ntable.slots = 4\n[grid]\n\
                \"table.size\" = [64, \"5 %\"]\n\"table.policy\" = [\"always\", \"depth-age\", \"depth-preferred\"]\n";
    fs::write(&toml, text).unwrap();
    let (_, stderr, code) = run(&["run", &toml, "--out", &out, "--jobs", "2"]);
    assert_eq!(code, 0, "{stderr}");
    let page = fs::read_to_string(format!("{out}/report.md")).unwrap();
    assert!(page.contains("open loop"), "{page}");
    let results = format!("{out}/results.csv");
    let mut reader = csv::Reader::from_path(&results).unwrap();
    let rows: Vec<HashMap<String, String>> = reader.deserialize().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), 3 * 6);
    let (info, _, _) = run(&["trace", "info", &file]);
    let nodes: u64 = info.lines().find_map(|line| line.strip_prefix("nodes")).unwrap().trim().parse().unwrap();
    let replayed = replay_rows(&[&file, "--set", "table.size=64", "--set", "table.slots=4"]);
    for policy in ["always", "depth-age", "depth-preferred"] {
        let total = |column: &str| -> u64 {
            let rows_of_policy =
                rows.iter().filter(|row| row["table.size"] == "64" && row["table.policy.kind"] == policy);
            rows_of_policy.map(|row| number(row, column)).sum()
        };
        let row = &replayed[policy];
        assert_eq!(total("table.hits"), number(row, "hits"), "{policy}");
        assert_eq!(total("search.usable"), number(row, "cuts_kept"), "{policy}");
        assert_eq!(total("search.saved"), number(row, "worth_kept"), "{policy}");
        assert_eq!(total("search.nodes"), nodes + number(row, "worth") - number(row, "worth_kept"), "{policy}");
        // Each game has one row and starts with an empty table.
        assert!(total("entries") <= 3 * 64);
    }
    let page = fs::read_to_string(format!("{out}/report.md")).unwrap();
    assert!(page.contains("a trace: open loop"), "{page}");
    // The page has worth beside hits and cutoffs, equal to the replay's, and in figures of its own.
    for policy in ["always", "depth-age", "depth-preferred"] {
        let row = &replayed[policy];
        let percent = |part: &str, whole: u64| format!("{:.1}\u{a0}%", 100.0 * number(row, part) as f64 / whole as f64);
        let (hits, cutoffs) = (percent("hits", number(row, "probes")), percent("cuts_kept", number(row, "probes")));
        let saved = percent("worth_kept", nodes + number(row, "worth"));
        let line =
            page.lines().find(|line| line.starts_with("| 64") && line.contains(&format!("| {policy} |"))).unwrap();
        assert!(line.contains(&format!("| {saved} | {hits} | {cutoffs} |")), "{saved}, {hits}, {cutoffs}: {line}");
    }
    for figure in ["size-saved.svg", "worth-hits.svg"] {
        assert!(Path::new(&out).join(figure).exists(), "{figure}");
    }

    // A second run has nothing to do and leaves the rows unchanged. If the file has another trace,
    // the plan changes and so do its rows.
    let before = fs::read(&results).unwrap();
    let (_, stderr, code) = run(&["run", &toml, "--out", &out]);
    assert_eq!((code, fs::read(&results).unwrap() == before), (0, true), "{stderr}");
    // A trace of other games, and one of the same games searched differently.
    for (first, setting) in [("2", "table.kind=unbounded"), ("3", "table.size=64")] {
        run(&["trace", "data/games.pgn", "--first", first, "--depth", "3", "--set", setting, "-o", &file]);
        let (_, stderr, code) = run(&["run", &toml, "--out", &out]);
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.contains("the plan has changed: its earlier results are in "), "{stderr}");
    }

    fs::write(&toml, format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n{text}")).unwrap();
    let (_, stderr, code) = run(&["run", &toml, "--out", &path("both")]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("mutually exclusive"), "{stderr}");
    fs::write(&file, &fs::read(&file).unwrap()[..1000]).unwrap();
    fs::write(&toml, text).unwrap();
    let (_, stderr, code) = run(&["run", &toml, "--out", &path("short")]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("byte 1000: the trace is truncated"), "{stderr}");
}

/// Input files are never overwritten, and flags that would have no effect are refused.
#[test]
fn trace_overwrites_no_input() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, link) = (path("own.trace"), path("link.trace"));
    let (_, stderr, code) = run(&["trace", "startpos", "--depth", "5", "--set", "table.size=512", "-o", &file]);
    assert_eq!(code, 0, "{stderr}");
    let original = fs::read(&file).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let suite = path("suite.epd");
    fs::write(&suite, "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - id \"fine\";\n").unwrap();
    for args in [
        &["trace", "export", &file, "--to", "libcachesim", "-o", &file][..],
        &["trace", "export", &link, "--to", "libcachesim", "-o", &file],
        &["trace", "import", &file, "-o", &link],
        &["trace", &suite, "--depth", "2", "-o", &suite],
    ] {
        let (_, stderr, code) = run(args);
        assert_eq!(code, 2, "{args:?} {stderr}");
        assert!(stderr.contains("cannot be written because it is also an input"), "{args:?} {stderr}");
    }
    assert!(fs::read(&file).unwrap() == original);
    assert!(fs::read_to_string(&suite).unwrap().contains("fine"));
    let (_, stderr, code) =
        run(&["trace", "export", &file, "--to", "libcachesim", "-o", folder.path().to_str().unwrap()]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("is not a regular file and cannot be replaced"), "{stderr}");
}

/// If the data about the positions of a long trace don't fit into the process's memory, its replay
/// is refused with the memory that it needs.
#[test]
fn trace_whose_positions_exceed_the_memory_is_refused() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, toml, out, exported) = (path("long.trace"), path("t.toml"), path("out"), path("long.oracle"));
    let mut writer = Writer::new(fs::File::create(&file).unwrap());
    for index in 0..1_500_000u64 {
        // Each of 750,000 positions occurs twice.
        let key = (index % 750_000 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        writer.push(Event::store(key, 1, 0, Event::bound_bits(Bound::Lower) | flags::SUBTREE, 3));
        writer.push(Event::probe(key, 1, 0, flags::HIT | flags::CUT, 0));
    }
    writer.finish().unwrap();
    // The address space includes the program itself. The data about 750,000 positions take 73.5 MiB
    // while they grow, and the usable probes 34.3 MiB.
    let refused = "the positions of the trace need 108 MiB of memory, but ";
    let run_within = |max_kib: u32, args: &[&str]| {
        let program = Path::new(env!("CARGO_BIN_EXE_ttlab"));
        let script = format!("ulimit -v {max_kib}; exec \"$0\" \"$@\"");
        let output = Command::new("sh").args(["-c", &script]).arg(program).args(args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let args = ["replay", &file, "--set", "table.size=4096", "--policy", "always"];
    let (code, stdout, stderr) = run_within(90_112, &args);
    assert_eq!(code, Some(2), "{stdout}{stderr}");
    assert!(stderr.contains(refused), "{stderr}");
    let (code, stdout, stderr) = run_within(u32::MAX, &args);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("3000000 events"), "{stdout}{stderr}");

    let (code, _, stderr) = run_within(u32::MAX, &["trace", "export", &file, "--to", "libcachesim", "-o", &exported]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("1500000 requests for 750000 ids"), "{stderr}");

    fs::write(&toml, "[trace]\nfile = \"long.trace\"\n[engine]\ntable.size = 4096\n").unwrap();
    let (code, _, stderr) = run_within(EXPERIMENT_KIB, &["run", &toml, "--out", &out, "--jobs", "1", "--quiet"]);
    assert_eq!(code, Some(3), "{stderr}");
    let rows = fs::read_to_string(format!("{out}/results.csv")).unwrap();
    assert!(rows.contains(refused), "{rows}");
}

/// Address space of a process that runs an experiment, in KiB: less than 92 MiB more than the
/// process needs for itself.
const EXPERIMENT_KIB: u32 = 172_032;

const CACHES: &str = "
import sys, libcachesim
for kind in (libcachesim.FIFO, libcachesim.LRU):
    reader = libcachesim.TraceReader(trace=sys.argv[1], trace_type=libcachesim.TraceType.ORACLE_GENERAL_TRACE)
    cache = kind(cache_size=8)
    print(sum(cache.get(request) for request in reader))
";

/// A bucket of eight slots is a cache of eight objects: another cache simulator gets the same hits
/// from the export.
#[test]
fn bucket_of_eight_equals_a_cache_simulator() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, exported) = (path("keys.trace"), path("keys.oracle"));
    let mut writer = Writer::new(fs::File::create(&file).unwrap());
    let mut state = 1u64;
    for _ in 0..20_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Some ids are far more frequent than others.
        let (a, b) = (state >> 33 & 0xff, state >> 45 & 0xff);
        writer.push(Event::store(1 + a * b / 700, 3, 0, Event::bound_bits(Bound::Exact), 1));
    }
    writer.finish().unwrap();
    let (_, stderr, code) = run(&["trace", "export", &file, "--to", "libcachesim", "-o", &exported]);
    assert_eq!(code, 0, "{stderr}");
    if !has_python("libcachesim") {
        return;
    }
    let output = Command::new("python3").args(["-c", CACHES, &exported]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let expected: Vec<u64> = text.lines().map(|line| line.parse().unwrap()).collect();
    let hits = ["replace", "policy"].map(|same_key| {
        let same_key = format!("table.same_key={same_key}");
        let args = [&file, "--set", "table.size=8", "--set", "table.slots=8", "--set", &same_key, "--policy", "always"];
        let row = &replay_rows(&args)["always"];
        assert!(number(row, "evictions") > 1000, "no pressure, nothing was tested");
        number(row, "stores") - number(row, "evictions") - number(row, "refused") - 8
    });
    assert_eq!(hits[..], expected[..], "FIFO and LRU");
    assert_ne!(hits[0], hits[1], "two rules, two counts");
}
