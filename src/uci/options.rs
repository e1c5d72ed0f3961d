//! The options that a client can set: the standard UCI options, and every engine option under its
//! path.

use crate::engine::EngineOptions;
use crate::experiment::text::FileText;
use crate::experiment::{self, schema};
use crate::table::{self, Size, TableKind, TableOptions};
use std::collections::HashSet;
use std::time::Duration;

const MAX_HASH: u64 = 1 << 20;

/// Notes for the client about virtual threads, which take turns, and about real threads.
const TURNS: &str = "Threads: the searchers take turns on one system thread: counts repeat, but no move comes sooner";
const REAL: &str = "Threads: each searcher has its own system thread: searches do not repeat";

#[derive(Debug, Clone)]
pub struct UciSettings {
    preset: Option<String>,
    /// The `path=value` settings that override the preset, at most one for each path.
    overrides: Vec<String>,
    pub engine: EngineOptions,
    /// The time that is lost between client and engine in each move.
    pub overhead: Duration,
}

/// What must be done after the value of an option was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUp {
    None,
    Clear,
    Note(&'static str),
}

impl UciSettings {
    /// Creates settings from a preset and `path=value` pairs. An error names the invalid setting.
    pub fn new(preset: Option<&str>, overrides: &[String]) -> Result<Self, experiment::Problem> {
        let engine = experiment::options(preset, overrides)?;
        let source = FileText { text: "", path: "--set".as_ref(), suite_paths: None };
        check_playable(&engine).map_err(|message| source.problem(message))?;
        // No table is replaced, so no memory becomes free.
        let no_table = TableOptions { kind: TableKind::None, ..TableOptions::default() };
        table::check_memory(&engine.table, &no_table).map_err(|error| source.problem(error.to_string()))?;
        let (preset, overrides) = (preset.map(str::to_owned), overrides.to_vec());
        Ok(Self { preset, overrides, engine, overhead: Duration::from_millis(10) })
    }

    pub fn option_lines(&self) -> Vec<String> {
        let hash = match self.engine.table.size {
            Size::Bytes(bytes) => (bytes >> 20).max(1),
            _ => 16,
        };
        let mut lines = vec![
            format!("option name Threads type spin default {} min 1 max 256", self.engine.threads.count),
            format!("option name Hash type spin default {hash} min 1 max {MAX_HASH}"),
            "option name Clear Hash type button".to_owned(),
            "option name Ponder type check default false".to_owned(),
            format!("option name Move Overhead type spin default {} min 0 max 5000", self.overhead.as_millis()),
        ];
        let current = experiment::paths::flatten(&serde_json::to_value(&self.engine).unwrap_or_default());
        // If several policies have a parameter with the same path, the path is listed once.
        let mut listed_paths = HashSet::new();
        for page in schema::option_pages().iter().filter(|page| listed_paths.insert(&page.path)) {
            let current_value = current.iter().find(|(path, _)| *path == page.path).map(|(_, text)| text.as_str());
            let default = current_value.unwrap_or(page.default.trim_matches('"')).to_owned();
            let option_type = match page.values.as_str() {
                "true | false" => format!("check default {default}"),
                "word" if !page.words.is_empty() => {
                    let words: String = page.words.iter().map(|(word, _)| format!(" var {word}")).collect();
                    format!("combo default {default}{words}")
                }
                _ if default.is_empty() => "string default <empty>".to_owned(),
                _ => format!("string default {default}"),
            };
            lines.push(format!("option name {} type {option_type}", page.path));
        }
        lines
    }

    /// Sets an option. Names are case-insensitive, as the protocol requires. If the option or its
    /// value is invalid, returns a message of one line and leaves the settings unchanged.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<FollowUp, String> {
        let value = value.unwrap_or_default();
        let parse_number = |least: u64, most: u64| {
            let number = value.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
            number.ok_or_else(|| format!("{name}: expected a number from {least} to {most}, found `{value}`"))
        };
        match name.to_ascii_lowercase().as_str() {
            "" => Err("setoption: expected `name` and the name of an option".to_owned()),
            "threads" => {
                let count = parse_number(1, 256)?;
                self.set_option("threads.count", &count.to_string())
            }
            "ponder" if ["true", "false"].contains(&value) => Ok(FollowUp::None),
            "ponder" => Err(format!("{name}: expected true or false, found `{value}`")),
            "clear hash" => Ok(FollowUp::Clear),
            "move overhead" => {
                self.overhead = Duration::from_millis(parse_number(0, 5000)?);
                Ok(FollowUp::None)
            }
            "hash" => {
                let mib = parse_number(1, MAX_HASH)?;
                self.set_option("table.size", &format!("\"{mib} MiB\""))
            }
            _ => {
                let page = schema::option_pages().iter().find(|page| page.path.eq_ignore_ascii_case(name));
                let path = page.map_or(name, |page| page.path.as_str());
                let is_list = page.is_some_and(|page| page.values.starts_with("list"));
                if !is_list || value.starts_with('[') {
                    return self.set_option(path, value);
                }
                // The client writes a list as words that are separated by blanks.
                let words: Vec<String> = value.split_whitespace().map(|word| format!("\"{word}\"")).collect();
                self.set_option(path, &format!("[{}]", words.join(", ")))
            }
        }
    }

    pub fn restore(&mut self, earlier: &Self) {
        (self.overrides, self.engine) = (earlier.overrides.clone(), earlier.engine.clone());
    }

    /// Sets the engine option at `path`. An earlier setting of the same path is replaced. Another
    /// policy replaces the parameters of the policy before it.
    fn set_option(&mut self, path: &str, value: &str) -> Result<FollowUp, String> {
        let mut overrides = self.overrides.clone();
        let is_policy = ["table.policy", "table.policy.kind"].contains(&path);
        let is_other_policy = is_policy && value.trim_matches('"') != self.engine.table.policy.name();
        overrides.retain(|setting| {
            let other_path = setting.split_once('=').map_or("", |(other_path, _)| other_path.trim());
            other_path != path && !(is_other_policy && other_path.starts_with("table.policy"))
        });
        // A policy comes before its parameters, which would be those of the preset's policy.
        overrides.insert(if is_policy { 0 } else { overrides.len() }, format!("{path}={value}"));
        let engine = experiment::options(self.preset.as_deref(), &overrides).map_err(|problem| {
            let help = problem.help.map(|help| format!(" ({help})")).unwrap_or_default();
            // The message names the argument `--set`, but a UCI client has no such argument.
            format!("{}{help}", problem.message.replace("--set.", ""))
        })?;
        check_playable(&engine)?;
        table::check_memory(&engine.table, &self.engine.table).map_err(|error| error.to_string())?;
        (self.overrides, self.engine) = (overrides, engine);
        let threads = &self.engine.threads;
        if ["threads.count", "threads.kind"].contains(&path) && threads.count > 1 {
            return Ok(FollowUp::Note(if threads.is_real() { REAL } else { TURNS }));
        }
        Ok(FollowUp::None)
    }
}

/// Refuses a table size that is valid only in an experiment. A table of such a size could not be
/// created, so moves would be played without a search.
fn check_playable(engine: &EngineOptions) -> Result<(), String> {
    match (engine.table.kind, engine.table.size) {
        (TableKind::Bounded, size @ Size::Share(_)) => Err(format!(
            "table.size: \"{size}\" is a share of the working set, which is not known in a game: expected bytes or entries"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::options::ForgetPart;

    #[test]
    fn every_engine_option_can_be_set_to_its_current_value() {
        let mut settings = UciSettings::new(None, &[]).unwrap();
        let before = settings.engine.clone();
        for (path, value) in experiment::paths::flatten(&serde_json::to_value(&before).unwrap()) {
            let is_listed =
                settings.option_lines().iter().any(|line| line.starts_with(&format!("option name {path} type ")));
            assert!(is_listed, "{path}");
            if !value.is_empty() {
                settings.set(&path, Some(&value)).unwrap_or_else(|error| panic!("{path}={value}: {error}"));
            }
        }
        assert_eq!(settings.engine, before);
    }

    #[test]
    fn hash_sets_the_table_size_and_an_invalid_value_changes_nothing() {
        let mut settings = UciSettings::new(None, &[]).unwrap();
        assert_eq!(settings.set("hash", Some("3")), Ok(FollowUp::None));
        assert_eq!(settings.engine.table.size, Size::Bytes(3 << 20));
        // A MiB has 1,048,576 bytes; a smaller table is reported as 1, one sized in entries as the
        // usual default.
        for (size, output) in [("64 MiB", 64), ("1 GiB", 1024), ("1000 KiB", 1), ("4096", 16)] {
            assert_eq!(settings.set("table.size", Some(size)), Ok(FollowUp::None));
            let line = format!("option name Hash type spin default {output} min 1 max {MAX_HASH}");
            assert!(settings.option_lines().contains(&line), "{size}");
        }
        assert_eq!(settings.set("hash", Some("3")), Ok(FollowUp::None));
        let before = settings.engine.clone();
        assert!(
            UciSettings::new(None, &["table.size=\"25 %\"".to_owned()])
                .unwrap_err()
                .message
                .contains("not known in a game")
        );
        for (name, value) in [
            ("Hash", "x"),
            ("table.size", "25 %"),
            ("table.slots", "9"),
            ("no.such", "1"),
            ("table.policy.kind", "alway"),
        ] {
            settings.set(name, Some(value)).unwrap_err();
        }
        assert_eq!(settings.engine, before);
        // As many bytes as a process can address: never free.
        let output = settings.set("table.size", Some("128 TiB")).unwrap_err();
        assert!(output.starts_with("table.size: 134217728 MiB exceed the "), "{output}");
        assert_eq!(settings.engine, before);
        assert!(settings.set("no.such", Some("1")).unwrap_err().starts_with("no.such: there is no option"));
        assert!(settings.set("", None).unwrap_err().starts_with("setoption: expected `name`"));
    }

    /// The range and follow-up of each standard option; the last value of a path counts, and a list
    /// is written as words.
    #[test]
    fn options_are_set_as_the_golden_file_says() {
        let mut settings = UciSettings::new(Some("match"), &["table.size=\"2 MiB\"".to_owned()]).unwrap();
        let first: Vec<String> = settings.option_lines().into_iter().take(6).collect();
        let expected = [
            "option name Threads type spin default 1 min 1 max 256",
            "option name Hash type spin default 2 min 1 max 1048576",
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name Move Overhead type spin default 10 min 0 max 5000",
        ];
        assert_eq!(first[..5], expected);
        assert!(first[5].starts_with("option name algorithm type combo default "), "{}", first[5]);
        assert!(first[5].contains(" var "), "{}", first[5]);
        crate::golden::assert_answers("uci/options.txt", |_, line| {
            let words = line.strip_prefix("setoption name").unwrap().trim_start();
            let (name, value) = words.split_once(" value ").map_or((words, None), |(name, value)| (name, Some(value)));
            format!("{:?}", settings.set(name, value))
        });
        assert_eq!(settings.overhead, Duration::from_millis(5000));
        let EngineOptions { table, ordering, .. } = &settings.engine;
        assert_eq!((table.slots, table.size, ordering.len()), (4, Size::Bytes(1 << 20), 2));
        let overrides = &settings.overrides;
        assert_eq!(overrides.iter().filter(|set| set.starts_with("table.s")).count(), 2, "{overrides:?}");
        let lines = settings.option_lines();
        assert!(lines[1].contains("default 1 min"));
        assert!(lines[4].contains("default 5000 min"));
        assert!(
            lines.iter().any(|line| line == "option name ordering type string default table-move mvv-lva"),
            "{lines:?}"
        );
        assert!(lines.iter().any(|line| line.starts_with("option name draws type check default ")));
        let paths: Vec<&str> =
            lines.iter().filter_map(|line| line.strip_prefix("option name ")?.split(" type ").next()).collect();
        let distinct: HashSet<&str> = paths.iter().copied().collect();
        assert_eq!(distinct.len(), paths.len(), "parameters shared by several policies are listed once");
    }

    /// An option whose name is a prefix of another leaves that one unchanged.
    #[test]
    fn setting_an_option_leaves_longer_names_unchanged() {
        let mut settings = UciSettings::new(None, &["table.forget_part=move".to_owned()]).unwrap();
        assert_eq!(settings.set("table.forget", Some("0.5")), Ok(FollowUp::None));
        assert_eq!(settings.engine.table.forget_part, ForgetPart::Move);
    }
}
