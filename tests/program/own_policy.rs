//! A user-defined policy works with every command that works with a built-in policy.

use crate::common::{run, scratch};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The example's program. `cargo test` usually has built it; if this test is built alone, it is
/// built here, once. Calling cargo every time would rebuild everything whenever an environment
/// variable that some dependency's build script reads has changed.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_BIN_EXE_ttlab")).parent().unwrap();
    let program = folder.join("examples").join("own_policy");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join("own_policy.rs");
    let written = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
    let library = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libttlab-") && name.ends_with(".rlib")
    };
    let built = fs::read_dir(folder.join("deps")).into_iter().flatten().flatten().map(|entry| entry.path());
    let newest = built.filter(|path| library(path)).chain([source]).filter_map(|path| written(&path)).max();
    if written(&program) <= newest {
        let mut build = Command::new(env!("CARGO"));
        build.current_dir(env!("CARGO_MANIFEST_DIR")).args(["build", "--locked", "--quiet", "--example", "own_policy"]);
        build.arg("--target-dir").arg(folder.parent().unwrap());
        match folder.file_name().unwrap().to_str().unwrap() {
            "debug" => {}
            profile => _ = build.args(["--profile", profile]),
        }
        assert!(build.status().unwrap().success());
    }
    program
});

/// Runs the example program.
pub fn own(args: &[&str]) -> (String, String, i32) {
    let output = Command::new(&*PROGRAM).current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap_or(-1))
}

pub const FILE: &str = r#"
name = "own"
suite = "data/bratko-kopec.epd"
first = 4
limit = { depth = 5 }
baseline = { policy = "always" }
[engine]
table = { size = 512, slots = 1 }
[[variant]]
name = "always"
"table.policy" = "always"
[[variant]]
name = "centre"
"table.policy" = { kind = "centre", margin = 2 }
[[variant]]
name = "every time"
"table.policy" = { kind = "centre" }
"#;

#[test]
fn policy_of_another_crate_runs_in_an_experiment_file() {
    let folder = scratch();
    let (file, out) = (folder.path().join("own.toml"), folder.path().join("out"));
    fs::write(&file, FILE).unwrap();
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let (stdout, stderr, code) = own(&["run", file, "--out", out]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("centre"), "{stdout}{stderr}");
    // The policy really decides: with a margin, other nodes are searched and newcomers are refused.
    let mut reader = csv::Reader::from_path(format!("{out}/results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let (kind, margin, nodes, refused) =
        (at("table.policy.kind"), at("table.policy.margin"), at("search.nodes"), at("table.rejections"));
    let mut sums: std::collections::BTreeMap<(String, String), [u64; 2]> = Default::default();
    for row in reader.records().map(Result::unwrap) {
        let sum = sums.entry((row[kind].to_owned(), row[margin].to_owned())).or_default();
        [nodes, refused].iter().zip(sum).for_each(|(&column, sum)| *sum += row[column].parse::<u64>().unwrap());
    }
    let sum = |kind: &str, margin: &str| sums[&(kind.to_owned(), margin.to_owned())];
    assert_eq!(sum("always", "")[1], 0);
    assert!(sum("centre", "2")[1] > sum("centre", "0")[1], "{sums:?}");
    assert!(sum("centre", "2")[0] != sum("always", "")[0], "{sums:?}");
    // The results are reproducible, and every other command accepts the policy.
    let again = folder.path().join("again");
    let again = again.to_str().unwrap();
    let (_, stderr, code) = own(&["run", file, "--out", again, "--jobs", "1", "--reuse", out]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("not 8 jobs: their engine is a script, or their policy is another crate's"), "{stderr}");
    let (stdout, stderr, code) = own(&["compare", out, again, "--fail-on", "nodes changed"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.starts_with("ok: 3 gates pass"), "{stdout}{stderr}");
    for (args, required) in [
        (&["report", out, "--by", "policy"][..], "centre"),
        (&["report", out, "--where", "table.policy.margin=2", "--by", "table.policy.margin"], "2 *"),
        (&["verify", out], "complete"),
        (&["plan", file, "--set", "table.policy.margin=3"], ""),
        (&["search", "startpos", "--depth", "4", "--set", "table.policy=centre"], "search.nodes"),
    ] {
        let (stdout, stderr, code) = own(args);
        let expected = if required.is_empty() { 2 } else { 0 };
        assert!(code == expected, "{args:?}: {stdout}{stderr}");
        assert!(stdout.contains(required), "{args:?}: {stdout}{stderr}");
    }
    let trace = folder.path().join("x.trace");
    let trace = trace.to_str().unwrap();
    let (_, stderr, code) = own(&["trace", "startpos", "--depth", "5", "--out", trace]);
    assert_eq!(code, 0, "{stderr}");
    let (stdout, stderr, code) =
        own(&["replay", trace, "--set", "table.size=512", "--set", "table.slots=1", "--policy", "centre"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("centre"), "{stdout}{stderr}");
    // A wrong parameter is reported. Plain ttlab doesn't know the policy, but can read the results.
    let (_, stderr, code) = own(&["plan", file, "--set", "table.policy={ kind = \"centre\", magin = 2 }"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("unknown key `magin`"), "{stderr}");
    assert!(stderr.contains("did you mean `margin`"), "{stderr}");
    let (_, stderr, code) = run(&["check", file]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("unknown word `centre`"), "{stderr}");
    let (stdout, stderr, code) = run(&["report", out, "--by", "policy"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("centre"), "{stdout}{stderr}");
}
