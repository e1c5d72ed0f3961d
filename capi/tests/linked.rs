//! A program in C and one in Rust make the same searches with the same tables.

#![allow(clippy::unwrap_used, clippy::print_stderr)] // It says why it was skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The newest file of this test's build whose name begins and ends so.
fn built(folder: &str, start: &str, end: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let profile = tests.parent().unwrap().parent().unwrap();
    let files = std::fs::read_dir(profile.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(start) && name.ends_with(end)
    };
    files.filter(is_it).max_by_key(|path| path.metadata().unwrap().modified().unwrap()).unwrap()
}

/// Compiles a program with the header and the library; `None` if there is no compiler.
fn compile(compiler: &str, arguments: &[&str], output: &Path) -> Option<()> {
    let mut command = Command::new(compiler);
    command.args(["-O1", "-Wall", "-Wextra", "-Werror", "-I"]).arg(root().join("../include")).args(arguments);
    command.arg(built("deps", "libttlab_table", ".a")).args(["-lpthread", "-ldl", "-lm", "-o"]).arg(output);
    match command.output() {
        Ok(result) => {
            assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
            Some(())
        }
        Err(error) => {
            assert!(!std::env::var("TTLAB_REQUIRE").is_ok_and(|needs| needs.contains("cc")), "{compiler}: {error}");
            eprintln!("SKIPPED (cc): {compiler}: {error}");
            None
        }
    }
}

fn output(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).env_remove("TTLAB_TABLE").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

const WEISS: &str = "table.design = weiss; table.size = 256; table.static_evaluation = true";

#[test]
fn c_and_rust_search_the_same_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, source) = (folder.path().join("engine"), root().join("tests/engine.c"));
    if compile("cc", &["-std=c99", source.to_str().unwrap()], &engine).is_none() {
        return;
    }
    let rust = built("examples", "four", "four");
    let mut lines = Vec::new();
    for options in [
        WEISS,
        "table.design = stockfish; table.size = 300; table.static_evaluation = true",
        "table.design = ethereal; table.size = 256",
        "table.layout = 1x16; table.key_bits = 32; table.size = 64; table.static_evaluation = true; table.forget = 0.4",
        "table.layout = 4x16; table.size = 64; table.policy = two-tier; table.refresh = cutoff; table.demotion.missed = 1",
        "table.kind = unbounded; table.clear = search",
        "table.kind = none",
    ] {
        let found = output(&engine, &[options, "7"]);
        assert_eq!(found, output(&rust, &[options, "7"]), "{options}");
        assert!(found.lines().count() > 6, "{options}: {found}");
        lines.push(found.lines().last().unwrap().to_owned());
    }
    for options in [
        WEISS,
        "table.kind = unbounded",
        "table.layout = 4x16; table.size = 64; table.policy = depth-age; table.victim = probe",
    ] {
        // One thread on a table for two has the counts of a table for one.
        assert_eq!(output(&engine, &[options, "7", "2", "1"]), output(&engine, &[options, "7"]), "{options}");
        let both = output(&engine, &[options, "7", "2", "2"]);
        assert!(both.lines().count() > 6, "{options}: {both}");
    }
    let nodes: Vec<u64> = lines.iter().map(|line| line.split(' ').nth(2).unwrap().parse().unwrap()).collect();
    assert!(nodes[6] > nodes[0], "a table saves nodes: {nodes:?}");
    assert!(
        nodes.iter().enumerate().all(|(at, count)| !nodes[..at].contains(count)),
        "each table is another: {nodes:?}"
    );
    // Without an argument the options come from the environment.
    let from_environment = Command::new(&engine).env("TTLAB_TABLE", "table.slots = 9").output().unwrap();
    let refusal = "info string ttlab refused: table.slots: 9 is out of range: expected 1 to 8\n";
    assert_eq!(String::from_utf8(from_environment.stdout).unwrap(), refusal);
}

/// The header is C++ too, and its codes are those of the library.
#[test]
fn header_compiles_as_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("header.cpp");
    let text = r#"
#include "ttlab-table.h"
#include <thread>
static int create(const char *options, ttlab_table **table, int version = TTLAB_TABLE_VERSION) {
    return ttlab_table_create(version, options, 1, table);
}
int main() {
    static_assert(sizeof(ttlab_entry) == 24, "");
    ttlab_table *table = nullptr;
    ttlab_entry entry = {};
    int owner = 0;
    bool right = create("", &table, TTLAB_TABLE_VERSION + 1) == TTLAB_ERROR_VERSION;
    right &= create("table.slots = 9", &table) == TTLAB_ERROR_OPTION;
    right &= create("table.layout = 2x16; table.size = 100 TiB", &table) == TTLAB_ERROR_MEMORY;
    ttlab_table_destroy(table);
    right &= create("table.kind = none", &table) == 0 && ttlab_table_probe(table, 0, &entry) == TTLAB_ERROR_KEY;
    right &= ttlab_table_probe(table, 1, nullptr) == TTLAB_ERROR_ARGUMENT;
    std::thread([&] { owner = ttlab_table_probe(table, 1, &entry); }).join();
    ttlab_table_destroy(table);
    return right && owner == TTLAB_ERROR_OWNER ? 0 : 1;
}
"#;
    std::fs::write(&source, text).unwrap();
    let program = folder.path().join("header");
    if compile("c++", &["-std=c++11", source.to_str().unwrap()], &program).is_some() {
        assert!(Command::new(&program).status().unwrap().success());
    }
}
