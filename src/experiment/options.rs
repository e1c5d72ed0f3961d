//! The only place where options are read. Options come from the preset, `[engine]`, the paths of a
//! variant and `--set`. In this order, each source overrides the sources before it.

use super::problem::{OptionFault, Problem, list_quoted, nearest};
use super::schema::{self, known_paths};
use super::subject::{is_subject_path, is_uci_option};
use super::{paths, presets};
use crate::engine::EngineOptions;
use crate::settings;
use std::collections::BTreeSet;
use std::ops::Range;
use toml::{Table, Value};

#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    text: String,
    pub path: String,
    /// The value as TOML. A value that is not valid TOML is a text without quotes.
    pub value: Value,
}

fn setting_problem(text: &str, span: Range<usize>, message: String) -> Problem {
    Problem { file: "--set".to_owned(), text: text.to_owned(), span: Some(span), message, help: None }
}

impl Setting {
    /// Parses one setting. Only a path in `valid_paths` or a UCI option may be set.
    fn parse(text: &str, valid_paths: &BTreeSet<String>) -> Result<Self, Problem> {
        let Some((path, value)) = text.split_once('=') else {
            let message = format!("--set {text}: expected path=value, as in table.size=\"4 MiB\"");
            return Err(setting_problem(text, 0..text.len(), message));
        };
        let setting = Self { text: text.to_owned(), path: path.trim().to_owned(), value: paths::parse_value(value) };
        if !valid_paths.contains(&setting.path) && !is_uci_option(&setting.path) {
            let message = format!("--set.{0}: there is no option `{0}`", setting.path);
            return Err(Problem {
                help: Some(suggest_path(&setting.path, valid_paths)),
                ..setting_problem(text, 0..path.len(), message)
            });
        }
        if setting.value.as_str() == Some("")
            && let Some(values) = schema::allowed_values(&setting.path)
        {
            let problem = setting.problem(format!("{}: expected a value after the =", setting.path));
            return Err(Problem { help: Some(format!("expected {values}")), ..problem });
        }
        Ok(setting)
    }

    /// Parses all settings. Returns the error of the first invalid setting.
    pub fn parse_all(texts: &[String]) -> Result<Vec<Self>, Problem> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let valid_paths = known_paths();
        texts.iter().map(|text| Self::parse(text, &valid_paths)).collect()
    }

    pub fn problem(&self, message: String) -> Problem {
        let start = self.text.find('=').map_or(0, |index| index + 1);
        setting_problem(&self.text, start..self.text.len(), message)
    }

    /// What to do about a fault of the value that has no other help.
    pub fn help(&self, fault: &OptionFault) -> Option<String> {
        let pages = || schema::option_pages().iter().filter(|page| page.path == self.path);
        if fault.message.contains("missing key `kind`") && pages().next().is_some() {
            let kinds = pages().filter_map(|page| {
                let kind = page.meaning.strip_prefix("Of ")?.split(':').next()?;
                Some(format!("{kind} (default {})", page.default))
            });
            let kinds = kinds.collect::<Vec<_>>().join(", ");
            return Some(format!("it is an option of {kinds}: set {}.kind too", fault.path));
        }
        let is_list = self.value.as_str().is_some_and(|text| text.contains(','))
            || fault.message.contains("expected a single value, found a list");
        let list = || {
            format!(
                "--set takes one value; a list is an axis: in the file under [grid], or `ttlab try --vary {}`",
                self.text
            )
        };
        fault.help.clone().or_else(|| is_list.then(list))
    }

    /// Whether the setting changes the option at `path`: the option itself, a part of it, or a
    /// table that contains it.
    pub fn affects(&self, path: &str) -> bool {
        // Serde writes an item of a list as `ordering[1]`.
        paths_overlap(&self.path, path.split('[').next().unwrap_or(path))
    }
}

fn suggest_path(path: &str, valid_paths: &BTreeSet<String>) -> String {
    let inner = path.strip_prefix("engine.").or_else(|| path.strip_prefix("grid.")).unwrap_or(path);
    if valid_paths.contains(inner) {
        return format!("did you mean `{inner}`? --set expects the path below [engine]");
    }
    if path == inner && schema::is_file_key(path.split('.').next().unwrap_or(path)) {
        return format!(
            "`{path}` can be set only in the file: --set overrides only engine options and limits of all variants"
        );
    }
    nearest(inner, valid_paths.iter().map(String::as_str)).unwrap_or_else(|| {
        // List the valid paths directly below the longest part of the path that exists.
        let ancestor = paths::with_ancestors(inner).find(|ancestor| valid_paths.contains(*ancestor));
        let prefix = ancestor.map_or_else(String::new, |ancestor| format!("{ancestor}."));
        let is_child =
            |path: &&String| path.strip_prefix(&prefix).is_some_and(|name| !name.is_empty() && !name.contains('.'));
        let names = list_quoted(valid_paths.iter().filter(is_child).map(String::as_str));
        format!("expected one of {names}: `ttlab options` lists all")
    })
}

/// Whether two paths are equal, or one path contains the other, as `table` contains `table.size`.
pub fn paths_overlap(a: &str, b: &str) -> bool {
    let contains = |parent: &str, child: &str| child.strip_prefix(parent).is_some_and(|rest| rest.starts_with('.'));
    // UCI options are equal in every case.
    a.eq_ignore_ascii_case(b) || contains(a, b) || contains(b, a)
}

/// Reads options. `engine` overrides the preset, and the paths in `settings` override both. In
/// `settings`, the key `preset`, limits and subject paths are skipped.
pub fn read_options<'a>(
    preset: Option<&Value>,
    engine: &Table,
    settings: impl Iterator<Item = (&'a str, &'a Value)>,
) -> Result<EngineOptions, OptionFault> {
    let preset = match preset {
        Some(Value::String(name)) => presets::options(name)?,
        Some(_) => return Err(OptionFault::new("preset", "expected a name in quotes")),
        None => Table::new(),
    };
    let is_option = |path: &str| path != "preset" && !path.starts_with("limit.") && !is_subject_path(path);
    let settings: Vec<_> = settings.filter(|(path, _)| is_option(path)).collect();
    let has_list = settings.iter().any(|(_, value)| {
        value.is_array() || value.as_table().is_some_and(|table| table.values().any(Value::is_array))
    });
    let table = settings::merge(&preset, engine, &settings)?;
    if has_list
        && let Some(path) =
            schema::misplaced_list(&Table::from_iter([("engine".to_owned(), Value::Table(table.clone()))]))
    {
        return Err(OptionFault::new(path.trim_start_matches("engine."), "expected a single value, found a list"));
    }
    settings::decode(table).map_err(|fault| {
        let is_quoted_path = |key: &String| fault.message.contains(": unknown key") && key.contains('.');
        let Some(key) = fault.word.clone().filter(is_quoted_path) else { return fault };
        let valid_paths = known_paths();
        let help = match valid_paths.contains(&fault.path) {
            true => Some(format!("a quoted key is one word: write it without quotes, `{key} = ...`")),
            false => nearest(&fault.path, valid_paths.iter().map(String::as_str)),
        };
        OptionFault { message: format!("{}: unknown key `{key}`", fault.path), help, ..fault }
    })
}

/// Reads options from a preset and `--set` settings.
///
/// # Errors
/// Returns the error of the first invalid option. The error shows the invalid part of the `--set`.
pub fn options(preset: Option<&str>, overrides: &[String]) -> Result<EngineOptions, Problem> {
    let settings = Setting::parse_all(overrides)?;
    if let Some(setting) =
        settings.iter().find(|setting| setting.path.starts_with("limit.") || is_subject_path(&setting.path))
    {
        return Err(setting.problem(format!("{}: is not an option of ttlab's own engine", setting.path)));
    }
    let preset_argument = preset.map(Value::from);
    // A preset among the settings overrides the argument `preset`, and the last setting wins.
    let preset_setting = settings.iter().rev().find(|setting| setting.path == "preset");
    let preset = preset_setting.map(|setting| &setting.value).or(preset_argument.as_ref());
    let path_values = settings.iter().map(|setting| (setting.path.as_str(), &setting.value));
    read_options(preset, &Table::new(), path_values).map_err(|fault| {
        match settings.iter().rev().find(|setting| setting.affects(&fault.path)) {
            Some(setting) => Problem { help: setting.help(&fault), ..setting.problem(fault.message) },
            None => {
                Problem { file: "options".to_owned(), message: fault.message, help: fault.help, ..Problem::default() }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TableOptions;
    use crate::table::options::{Guard, Layout, SameKey, TickSource};

    /// A path contains the paths below it, but not names that only start with the same letters.
    #[test]
    fn paths_overlap_by_whole_parts() {
        for (a, b, expected) in [
            ("table", "table", true),
            ("table", "table.size", true),
            ("table.size", "table", true),
            ("table.siz", "table.size", false),
            ("table.forget", "table.forget_part", false),
            ("table.size", "table.slots", false),
        ] {
            assert_eq!((paths_overlap(a, b), paths_overlap(b, a)), (expected, expected), "{a} {b}");
        }
    }

    /// An unknown path without a near name lists the valid ones; limits and subjects are refused.
    #[test]
    fn unknown_option_lists_the_valid_ones() {
        let refuse = |set: &str| options(None, &[set.to_owned()]).unwrap_err();
        let help = refuse("zzzzzzzzzzzz=1").help.unwrap();
        assert!(help.ends_with(" more: `ttlab options` lists all"), "{help}");
        assert!(help.starts_with("expected one of `algorithm`, "), "{help}");
        assert!(!help.contains('.'), "{help}");
        let help = refuse("table.zzzzzzzzzzzz=1").help.unwrap();
        assert!(help.starts_with("expected one of `table.age_bits`, "), "{help}");
        assert!(!help.contains("algorithm"), "{help}");
        assert!(!help.contains("policy."), "{help}");
        for (set, path) in
            [("limit.depth=3", "limit.depth"), ("subject.uci=x", "subject.uci"), ("uci.Hash=3", "uci.Hash")]
        {
            assert_eq!(refuse(set).message, format!("{path}: is not an option of ttlab's own engine"));
        }
    }

    /// A list is refused for an option without lists, whether a whole option or a part of it is
    /// set.
    #[test]
    fn list_is_refused_for_an_option_without_lists() {
        for (set, path) in [
            ("lmr=[3]", "lmr"),
            ("table={ policy = [4] }", "table.policy"),
            ("lmr={ min_depth = [3] }", "lmr.min_depth"),
        ] {
            let message = options(None, &[set.to_owned()]).unwrap_err().message;
            assert_eq!(message, format!("{path}: expected a single value, found a list"), "{set}");
        }
    }

    /// Spaces around `=` belong to neither the path nor the value.
    #[test]
    fn spaces_around_a_setting_are_ignored() {
        for set in ["table.policy=never", "table.policy = never", " table.policy =\tnever "] {
            assert_eq!(options(None, &[set.to_owned()]), options(None, &["table.policy='never'".to_owned()]), "{set}");
        }
    }

    /// A design overrides the preset. Options that are set before or after the design override it.
    #[test]
    fn design_lies_between_the_preset_and_other_settings() {
        let read_table = |preset: Option<&str>, sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
            options(preset, &sets).unwrap().table
        };
        let weiss = read_table(None, &["table.design=weiss"]);
        assert_eq!((weiss.slots, weiss.key_bits, weiss.age_bits, weiss.guard.margin), (2, 32, 5, 5));
        for sets in [["table.slots=4", "table.design=weiss"], ["table.design=weiss", "table.slots=4"]] {
            let bucket = TableOptions { layout: Layout::default(), bucket_bytes: 0, ..weiss.clone() };
            assert_eq!(read_table(None, &sets), TableOptions { slots: 4, ..bucket }, "{sets:?}");
        }
        let with_margin = read_table(None, &["table.design=weiss", "table.guard.margin=0"]);
        assert_eq!(with_margin.guard, Guard { margin: 0, ..weiss.guard });
        let engine: Table = "table = { design = 'weiss', age_bits = 6 }".parse().unwrap();
        let with_engine = read_options(None, &engine, std::iter::empty()).unwrap().table;
        assert_eq!(with_engine, TableOptions { age_bits: 6, ..weiss.clone() }, "[engine] overrides its own design");
        let with_preset = read_table(Some("vipermate"), &["table.design=weiss"]);
        assert_eq!(
            (with_preset.policy, with_preset.same_key, with_preset.clock),
            (weiss.policy, SameKey::Guard, TickSource::GamePly)
        );
    }

    /// A layout overrides a design, and individual options override the layout. An invalid layout
    /// is refused with its path.
    #[test]
    fn layout_stands_for_several_options() {
        let read_table = |sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
            options(None, &sets).map(|options| options.table).map_err(|problem| problem.message)
        };
        let five = read_table(&["table.layout=5x12"]).unwrap();
        assert_eq!((five.slots, five.key_bits, five.bucket_bytes), (5, 16, 64));
        let text = "table.layout={ bucket = '64 bytes', entry = 12, slots = 5, key_bits = 16 }";
        assert_eq!(read_table(&[text]), Ok(five.clone()));
        let text = "table.layout={ bucket = '64 bytes', entry = 12, slots = 5, key_bits = 16, generation = 5, evaluation = 16 }";
        let explicit = read_table(&[text]).unwrap();
        assert_eq!(
            explicit,
            TableOptions { age_bits: 5, static_evaluation: true, layout: explicit.layout, ..five.clone() }
        );
        // The layout as written to a results file is read back as the same layout.
        let written = serde_json::to_value(explicit.layout).unwrap();
        assert_eq!(read_table(&[&format!("table.layout={}", written.as_str().unwrap())]), Ok(explicit));
        assert_eq!(serde_json::to_value(five.layout).unwrap(), "5x12");
        assert_eq!(
            read_table(&["table.key_bits=20", "table.layout=5x12"]),
            Ok(TableOptions { key_bits: 20, ..five.clone() })
        );
        assert_eq!(read_table(&["table.layout=5x12", "table.design=weiss"]).unwrap().bucket_bytes, 64);
        assert_eq!(read_table(&["table.layout=bytes10", "table.slots=3"]).unwrap().bucket_bytes, 0);
        for (layout, message) in [
            (
                "{ bucket = 64, entry = 12, slots = 6, key_bits = 16 }",
                "6 entries of 12 bytes + keys 0 = 72 bytes, but a bucket has 64",
            ),
            ("{ bucket = 64, entry = 12, slots = 5 }", "missing key `key_bits`"),
            ("{ bucket = 64, entry = 12, slots = 5, key_bits = 16, moves = 15 }", ", `depth_offset`, `pv`"),
        ] {
            let actual = read_table(&[&format!("table.layout={layout}")]).unwrap_err();
            assert!(actual.starts_with("table.layout") && actual.ends_with(message), "{actual}");
        }
        // Options that are set in addition to a layout must fit into its entries.
        let actual = read_table(&["table.layout=5x12", "table.key_bits=64"]).unwrap_err();
        assert!(actual.ends_with("= 116 bits, but an entry of 12 bytes has 96"), "{actual}");
        let actual = read_table(&["table.layout=3x10", "table.static_evaluation=true"]).unwrap_err();
        assert!(actual.contains("key 16 + generation 10 + evaluation 16 +") && actual.ends_with("has 80"), "{actual}");
    }

    /// `preset` among the settings overrides the preset argument.
    #[test]
    fn preset_setting_overrides_the_given_preset() {
        let read_options_of = |preset: Option<&str>, sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
            options(preset, &sets).ok()
        };
        let [otter, purple] = ["otter", "purple"].map(|name| read_options_of(Some(name), &[]));
        assert!(otter.is_some());
        assert!(purple.is_some());
        assert!(otter != purple);
        assert_eq!(read_options_of(None, &["preset=purple"]), purple);
        assert_eq!(read_options_of(Some("otter"), &["preset=purple"]), purple);
        assert_eq!(read_options_of(Some("otter"), &["preset=purple", "preset=otter"]), otter);
    }
}
