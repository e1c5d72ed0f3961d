//! Complete terminal sessions: each file of `tests/golden/transcripts` has files, commands, and the
//! complete output of the commands.
//!
//! The figures in them are checked by other tests; these tests make sure that every other change of
//! the output is reviewed: a word, when a sentence appears, a column, an exit code. `TTLAB_BLESS=1
//! cargo test` rewrites the files; review the diff before committing it.
//!
//! Each line begins with its kind: `== ` a file, `+ ` a line of it, `$ ` a command, `| ` its
//! stdout, `! ` its stderr, `= ` its exit code if it isn't 0. `$ steady FOLDER` replaces times,
//! machine and build in results by fixed ones, so that they are the same everywhere.

use crate::common::{has_reports, scratch, seal_anew};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Replaces the times by generated ones, and the machine by a fictitious one.
fn steady(folder: &Path) {
    let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let seconds = header.iter().position(|name| name == "seconds").unwrap();
    let rows: Vec<Vec<String>> =
        reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect();
    let mut writer = csv::Writer::from_path(folder.join("results.csv")).unwrap();
    writer.write_record(&header).unwrap();
    for (at, mut row) in rows.into_iter().enumerate() {
        row[seconds] = format!("{:.6}", ((at * 37) % 101 + 1) as f64 / 1000.0);
        writer.write_record(&row).unwrap();
    }
    writer.flush().unwrap();
    drop(writer);
    seal_anew(folder, |manifest| {
        let fields = manifest.as_object_mut().unwrap().iter_mut();
        fields.filter(|(key, _)| *key != "options").for_each(|(key, value)| settle(key, value));
    });
}

fn settle(key: &str, value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| settle(key, value)),
        serde_json::Value::Array(list) => list.iter_mut().for_each(|value| settle(key, value)),
        _ => {
            *value = match key {
                "cpu" => "CPU".into(),
                "cores" => 4.into(),
                "memory_bytes" => (1_u64 << 34).into(),
                "os" => "linux x86_64".into(),
                "commit" => "abcdef012345".into(),
                "searches" => "0123456789abcdef".into(),
                "profile" => "release".into(),
                "started" => 1_700_000_000_u64.into(),
                "ended" => 1_700_000_060_u64.into(),
                "huge_pages" => serde_json::Value::Null,
                _ => return,
            }
        }
    }
}

/// Masks whatever differs between machines: the folder, ids (which other tests check), the build,
/// speeds, and the last digits of figures.
fn masked(text: &str, folder: &str, programs: &str) -> String {
    let text = text.replace(folder, "DIR").replace(programs, "BIN");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '+';
        if !word(first) {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (token, after) = rest.split_at(rest.find(|c| !word(c)).unwrap_or(rest.len()));
        let number = token.parse::<f64>().is_ok();
        let hexadecimal = |c: char| matches!(c, '0'..='9' | 'a'..='f');
        let mixed = token.chars().all(hexadecimal) && token.contains(|c: char| c.is_ascii_alphabetic());
        if token.len() == 16 && token.chars().all(hexadecimal) {
            out.push_str("ID");
        } else if token.len() == 12 && mixed {
            out.push_str("HASH");
        } else if number && [" s\n", " s, ", " s)", " million"].iter().any(|unit| after.starts_with(unit)) {
            out.push('T');
        } else if let Some((whole, digits)) = token.split_once('.').filter(|(_, digits)| number && digits.len() > 8) {
            out.push_str(&format!("{whole}.{}", &digits[..6]));
        } else {
            out.push_str(token);
        }
        rest = after;
        let (this, made) = (format!("this is {VERSION}"), format!("ttlab {VERSION}"));
        if let Some(before) = out.strip_suffix(&this).map(str::len) {
            out.replace_range(before.., "this is THIS BUILD");
            rest = &rest[rest.find(')').unwrap_or(0)..];
        } else if out.ends_with(&made) && rest.starts_with(" (") {
            out += " (BUILD";
            rest = &rest[rest.find(')').unwrap_or(0)..];
        }
    }
    out
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn session(name: &str) {
    if !has_reports() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("tests/golden/transcripts").join(name);
    let read = fs::read_to_string(&path).unwrap();
    let folder = scratch();
    let at = folder.path().canonicalize().unwrap();
    for shared in ["data", "tests", "experiments"] {
        std::os::unix::fs::symlink(root.join(shared), at.join(shared)).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_ttlab")).parent().unwrap();
    let programs = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut message = String::new();
    let mut file = String::new();
    for line in read.lines() {
        if line.starts_with(['|', '!', '=']) && !line.starts_with("== ") {
            continue;
        }
        message += &format!("{line}\n");
        if let Some(name) = line.strip_prefix("== ") {
            file = name.to_owned();
            fs::create_dir_all(at.join(&file).parent().unwrap()).unwrap();
            fs::write(at.join(&file), "").unwrap();
        } else if let Some(text) = line.strip_prefix('+') {
            let before = fs::read_to_string(at.join(&file)).unwrap();
            fs::write(at.join(&file), format!("{before}{}\n", text.strip_prefix(' ').unwrap_or(text))).unwrap();
        } else if let Some(results) = line.strip_prefix("$ steady ") {
            steady(&at.join(results));
        } else if let Some(command) = line.strip_prefix("$ ") {
            let mut shell = Command::new("sh");
            shell.args(["-c", command]).current_dir(&at).stdin(Stdio::null());
            let output = shell.env("PATH", &programs).env("LC_ALL", "C").env_remove("COLUMNS").output().unwrap();
            for (mark, bytes) in [("|", &output.stdout), ("!", &output.stderr)] {
                for line in
                    masked(&String::from_utf8_lossy(bytes), at.to_str().unwrap(), program.to_str().unwrap()).lines()
                {
                    message += format!("{mark} {line}").trim_end();
                    message.push('\n');
                }
            }
            if output.status.code() != Some(0) {
                message += &format!("= {}\n", output.status.code().unwrap_or(-1));
            }
        }
    }
    if std::env::var_os("TTLAB_BLESS").is_some() {
        fs::write(&path, message).unwrap();
        return;
    }
    let mut command = "";
    for (number, (found, expected)) in message.lines().zip(read.lines()).enumerate() {
        command = if expected.starts_with("$ ") { expected } else { command };
        assert_eq!(found, expected, "{name}:{}, of {command}", number + 1);
    }
    assert_eq!(message.lines().count(), read.lines().count(), "{name}: lines");
}

macro_rules! sessions {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            session(concat!(stringify!($name), ".txt"));
        }
    )*};
}

sessions! { run plan matches tools uci traces compare tune engines mistakes published usage }
