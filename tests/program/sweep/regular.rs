//! Something other than a regular file in the place of a file: no command waits for it or reads it
//! endlessly.

use super::*;
use std::os::unix::process::ExitStatusExt;

/// A command that is ended after a minute, with exit code 124.
fn bounded(args: &[&str]) -> Output {
    run_command(Command::new("timeout").arg("60").arg(binary()).args(args))
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Each file of a folder in turn is replaced by a FIFO, or by a link to an endless device.
#[test]
fn fifo_or_device_in_a_result_folder_is_refused_at_once() {
    let reference = "[reference]\nuci = 'builtin'\nlimit = { depth = 2 }\n";
    let trial = Trial::new(&format!("name = 'x'\nsuite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n{reference}"));
    let (out, whole) = (trial.text("out"), trial.text("whole"));
    trial.run("out", &[]).expect(0);
    trial.run("whole", &[]).expect(0);
    let commands: [&[&str]; 4] =
        [&["run", &trial.file, "-q", "--out", &out], &["report", &out], &["verify", &out], &["compare", &whole, &out]];
    let manifest = fs::read(trial.path("out/manifest.json")).unwrap();
    // For each file, the exit codes of these commands; 0 if a command doesn't use the file.
    for (name, codes) in [
        ("results.csv", [5, 2, 5, 2]),
        ("manifest.json", [5, 2, 5, 2]),
        ("reference.csv", [5, 2, 5, 0]),
        ("experiment.toml", [5, 2, 0, 0]),
        (".flight", [5, 0, 0, 0]),
        (".lock", [5, 0, 0, 0]),
    ] {
        let path = trial.path("out").join(name);
        let before = fs::read(&path).ok();
        for device in [false, true] {
            let _ = fs::remove_file(&path);
            match device {
                true => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
                false => fifo(&path),
            }
            for (command, code) in commands.iter().zip(codes) {
                // A refused run may already have recorded its start.
                if name != "manifest.json" {
                    fs::write(trial.path("out/manifest.json"), &manifest).unwrap();
                }
                let output = bounded(command);
                assert_eq!(output.code, Some(code), "{name} {command:?}: {}", output.stderr);
                assert_eq!(code == 0, output.stderr.is_empty(), "{name} {command:?}: {}", output.stderr);
            }
        }
        fs::remove_file(&path).unwrap();
        before.iter().for_each(|bytes| fs::write(&path, bytes).unwrap());
    }
}

/// A file named by the user may be a pipe; a signal ends waiting for one without a writer.
#[test]
fn signal_ends_the_reading_of_a_pipe() {
    let trial = Trial::new("suite = { startpos = true }\nlimit = { depth = 2 }\n");
    fifo(&trial.path("pipe"));
    let mut child = Command::new(binary())
        .args(["run", &trial.text("pipe"), "--out", &trial.text("out")])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it should be waiting");
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().signal(), Some(15));
}

/// A trace command that is killed while writing leaves at most a hidden file, never a part of a
/// trace under the name that was asked for.
#[test]
fn killed_trace_leaves_no_part_of_a_trace() {
    let folder = scratch();
    let mut child = Command::new(binary())
        .args(["trace", "startpos", "--depth", "40", "-o", folder.path().join("x.trace").to_str().unwrap()])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "it should be searching");
    signal(&child, "-KILL");
    child.wait().unwrap();
    assert!(!folder.path().join("x.trace").exists());
}
