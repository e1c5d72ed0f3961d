//! Tests of `action.yml`: runs its steps with bash, as a GitHub runner would, in the repository of
//! an engine author.

use crate::common::scratch;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Returns the scripts of the action's steps, in order.
fn scripts() -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml")).unwrap();
    let indented = |line: &&str| line.is_empty() || line.starts_with("        ");
    let blocks = text.split("      run: |\n").skip(1);
    blocks
        .map(|rest| rest.lines().take_while(indented).map(|line| format!("{}\n", line.trim_start())).collect())
        .collect()
}

fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(args);
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

/// Runs the steps against the commit `base`, up to the first step that fails, and returns the
/// output of the last step that ran.
fn act(folder: &Path, temp: &Path, base: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_ttlab")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut last = None;
    for script in scripts() {
        let mut command = Command::new("bash");
        // These are the flags that GitHub runners use for `shell: bash`.
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script]).current_dir(folder);
        command.env("PATH", &path).env("RUNNER_TEMP", temp).env("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR"));
        command.env("GITHUB_OUTPUT", temp.join("output")).env("GITHUB_STEP_SUMMARY", temp.join("summary"));
        command.env("EXPERIMENT", "gate.toml").env("BUILD", "touch built").env("GATE", "nodes > +1%").env("BASE", base);
        let output = command.output().unwrap();
        let passed = output.status.success();
        last = Some(output);
        if !passed {
            break;
        }
    }
    last.unwrap()
}

#[test]
fn steps_of_the_action_compare_with_the_base_and_keep_their_results() {
    let (folder, temp) = (scratch(), scratch());
    git(folder.path(), &["init", "-q"]);
    fs::write(folder.path().join("README"), "").unwrap();
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-qm", "before"]);
    let before = git(folder.path(), &["rev-parse", "HEAD"]);
    let base = commit(folder.path(), 65_536, 4);
    assert_eq!(scripts().len(), 3);

    // The counts are the same, so the gate passes, and all result files are kept.
    let output = act(folder.path(), temp.path(), &base);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let kept = temp.path().join("ttlab");
    for name in ["new/results.csv", "new/report.html", "base/results.csv", "base-checkout/built"] {
        assert!(kept.join(name).is_file(), "{name}");
    }
    for (name, word) in [("ttlab.xml", "<testsuites"), ("ttlab.json", "\"schema\""), ("bench.json", "\"unit\"")] {
        assert!(fs::read_to_string(kept.join(name)).unwrap().contains(word), "{name}");
    }
    assert!(!fs::read_to_string(temp.path().join("summary")).unwrap().is_empty());

    // A base commit without the experiment leaves nothing to compare with.
    let fresh = scratch();
    let output = act(folder.path(), fresh.path(), &before);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::read_to_string(fresh.path().join("summary")).unwrap().contains("gate.toml is new"));

    // A table that is much too small needs more nodes than the gate allows.
    commit(folder.path(), 4, 4);
    let worse = scratch();
    let output = act(folder.path(), worse.path(), &base);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::read_to_string(worse.path().join("ttlab/ttlab.xml")).unwrap().contains("<failure"));
}
