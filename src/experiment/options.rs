//! The only place where options are read: preset, `[engine]`, a variant's paths and `--set`, each
//! overriding the one before.

use super::paths;
use super::presets;
use super::problem::{
    OptionFault, Problem, explain, list_quoted, nearest, quoted_word, suggest_new_name, suggest_new_word,
};
use super::schema::{self, known_paths};
use super::subject::{is_subject_path, is_uci_option};
use crate::decode::{from_table, join_path};
use crate::engine::EngineOptions;
use crate::table::Design;
use crate::table::shape::Shape;
use std::collections::BTreeSet;
use std::ops::Range;
use toml::{Table, Value};

/// A `path=value` of the command line, with its text for error excerpts.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    text: String,
    pub path: String,
    /// Its value; text that is not a TOML value is a word.
    pub value: Value,
}

/// An error at a byte range of a `--set`.
fn setting_problem(text: &str, span: Range<usize>, message: String) -> Problem {
    Problem { file: "--set".to_owned(), text: text.to_owned(), span: Some(span), message, help: None }
}

impl Setting {
    /// Parses one setting. `known`: the paths that may be set.
    fn parse(text: &str, known: &BTreeSet<String>) -> Result<Self, Problem> {
        let Some((path, value)) = text.split_once('=') else {
            let message = format!("--set {text}: expected path=value, as in table.size=\"4 MiB\"");
            return Err(setting_problem(text, 0..text.len(), message));
        };
        let parsed = format!("v = {value}").parse::<Table>().ok().and_then(|mut table| table.remove("v"));
        let value = parsed.unwrap_or_else(|| Value::from(value.trim()));
        let setting = Self { text: text.to_owned(), path: path.trim().to_owned(), value };
        if !known.contains(&setting.path) && !is_uci_option(&setting.path) {
            let message = format!("--set.{0}: there is no option `{0}`", setting.path);
            return Err(Problem {
                help: Some(suggest_path(&setting.path, known)),
                ..setting_problem(text, 0..path.len(), message)
            });
        }
        if setting.value.as_str() == Some("")
            && let Some(values) = schema::allowed_values(&setting.path)
        {
            let missing = setting.problem(format!("{}: expected a value after the =", setting.path));
            return Err(Problem { help: Some(format!("expected {values}")), ..missing });
        }
        Ok(setting)
    }

    /// Parses several settings.
    ///
    /// # Errors
    /// The first invalid setting, with its place.
    pub fn parse_all(texts: &[String]) -> Result<Vec<Self>, Problem> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let known = known_paths();
        texts.iter().map(|text| Self::parse(text, &known)).collect()
    }

    /// An error at the setting's value.
    pub fn problem(&self, message: String) -> Problem {
        let value = self.text.find('=').map_or(0, |index| index + 1);
        setting_problem(&self.text, value..self.text.len(), message)
    }

    /// Whether the setting changes an option, its parts or a table that contains it.
    pub fn affects(&self, path: &str) -> bool {
        // Serde calls an item of a list `ordering[1]`.
        paths_overlap(&self.path, path.split('[').next().unwrap_or(path))
    }
}

/// A suggestion for an unknown path.
fn suggest_path(path: &str, known: &BTreeSet<String>) -> String {
    if let Some(new) = suggest_new_name(path) {
        return new;
    }
    let short = path.strip_prefix("engine.").or_else(|| path.strip_prefix("grid.")).unwrap_or(path);
    if known.contains(short) {
        return format!("did you mean `{short}`? paths of --set start inside [engine]");
    }
    if path == short && schema::is_file_key(path.split('.').next().unwrap_or(path)) {
        return format!(
            "`{path}` belongs in the file itself: --set overrides engine options and limits in every variant"
        );
    }
    nearest(short, known.iter().map(String::as_str)).unwrap_or_else(|| {
        // The known paths below the part that exists.
        let ancestor = paths::with_ancestors(short).find(|ancestor| known.contains(*ancestor));
        let start = ancestor.map_or_else(String::new, |ancestor| format!("{ancestor}."));
        let below =
            |known: &&String| known.strip_prefix(&start).is_some_and(|rest| !rest.is_empty() && !rest.contains('.'));
        let names = list_quoted(known.iter().filter(below).map(String::as_str));
        format!("expected one of {names}: `ttlab options` lists all")
    })
}

/// Whether the paths are equal or one contains the other.
pub fn paths_overlap(a: &str, b: &str) -> bool {
    let leads = |short: &str, long: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'));
    a == b || leads(a, b) || leads(b, a)
}

/// The options beside `table.layout` that it stands for, if it describes a bucket.
fn read_layout(value: &Value) -> Result<Option<Table>, OptionFault> {
    let shape = match value {
        Value::Table(shape) => Some(from_table::<Shape>(shape.clone()).map_err(|error| {
            let path = join_path("table.layout", &error.path);
            OptionFault::new(path.trim_end_matches('.'), error.message)
        })?),
        Value::String(name) if name.starts_with('{') => {
            Some(Shape::from_text(name).map_err(|problem| OptionFault::new("table.layout", problem))?)
        }
        Value::String(name) => Shape::from_name(name),
        _ => None,
    };
    Ok(shape.map(|shape| shape.text().parse().unwrap_or_default()))
}

/// Reads options: the preset, overridden by `engine`, overridden by single paths. `preset` in
/// `engine`, limits and subject paths are skipped.
///
/// # Errors
/// The first invalid option.
pub fn read_options<'a>(
    preset: Option<&Value>,
    engine: &Table,
    set: impl Iterator<Item = (&'a str, &'a Value)>,
) -> Result<EngineOptions, OptionFault> {
    let preset = match preset {
        Some(Value::String(name)) => presets::options(name)?,
        Some(_) => return Err(OptionFault::new("preset", "expected a name in quotes")),
        None => Table::new(),
    };
    let set: Vec<_> =
        set.filter(|(path, _)| *path != "preset" && !path.starts_with("limit.") && !is_subject_path(path)).collect();
    let has_list = set.iter().any(|(_, value)| {
        value.is_array() || value.as_table().is_some_and(|table| table.values().any(Value::is_array))
    });
    let merged = |under: &Table| -> Result<Table, OptionFault> {
        let mut table = preset.clone();
        paths::merge(&mut table, under);
        paths::merge(&mut table, engine);
        table.remove("preset");
        for (path, value) in &set {
            paths::set(&mut table, path, (*value).clone()).map_err(|part| OptionFault::not_a_table(path, &part))?;
        }
        Ok(table)
    };
    let mut table = merged(&Table::new())?;
    // A design overrides the preset, a layout that stands for several options overrides the design,
    // and all that is set beside them overrides both.
    let design = table.get("table").and_then(|table| table.get("design")?.as_str()).and_then(Design::from_name);
    let layout = table.get("table").and_then(|table| table.get("layout")).map(read_layout).transpose()?.flatten();
    if design.is_some() || layout.is_some() {
        let mut options = design.map_or("", Design::text).parse::<Table>().unwrap_or_default();
        options.extend(layout.unwrap_or_default());
        table = merged(&Table::from_iter([("table".to_owned(), Value::Table(options))]))?;
    }
    if has_list
        && let Some(path) =
            schema::misplaced_list(&Table::from_iter([("engine".to_owned(), Value::Table(table.clone()))]))
    {
        return Err(OptionFault::new(path.trim_start_matches("engine."), "expected a single value, found a list"));
    }
    let options: EngineOptions = from_table(table).map_err(|error| {
        let path = &error.path;
        let (message, help) = explain(&error.message);
        let quoted = quoted_word(&message).filter(|key| message.starts_with("unknown key") && key.contains('.'));
        if let Some(key) = quoted {
            let help = format!("a quoted key is one word: write it without quotes, `{key} = ...`");
            return OptionFault { help: Some(help), ..OptionFault::new(path, format!("unknown key `{key}`")) };
        }
        let layouts = || format!("or {}, or a bucket in bytes and bits", list_quoted(Shape::names()));
        let help = suggest_new_name(path).or_else(|| suggest_new_word(path, &message)).or(help);
        let help = help.or_else(|| (path == "table.layout").then(layouts));
        OptionFault { help, ..OptionFault::new(path, message) }
    })?;
    options.check().map_err(|error| OptionFault::new(error.path, error.problem))?;
    options.table.check().map_err(|error| {
        let message = error.to_string();
        OptionFault { path: message.split(':').next().unwrap_or_default().to_owned(), message, help: None }
    })?;
    Ok(options)
}

/// Reads options from a preset and `--set` settings.
///
/// # Errors
/// The first invalid option, with its place in its `--set`.
pub fn options(preset: Option<&str>, sets: &[String]) -> Result<EngineOptions, Problem> {
    let settings = Setting::parse_all(sets)?;
    if let Some(limit) =
        settings.iter().find(|setting| setting.path.starts_with("limit.") || is_subject_path(&setting.path))
    {
        return Err(limit.problem(format!("{}: is not an option of ttlab's own engine", limit.path)));
    }
    let preset_argument = preset.map(Value::from);
    let preset = settings
        .iter()
        .rev()
        .find(|setting| setting.path == "preset")
        .map(|set| &set.value)
        .or(preset_argument.as_ref());
    let set = settings.iter().map(|setting| (setting.path.as_str(), &setting.value));
    read_options(preset, &Table::new(), set).map_err(|fault| {
        let problem = match settings.iter().rev().find(|setting| setting.affects(&fault.path)) {
            Some(setting) => setting.problem(fault.message),
            None => Problem { file: "options".to_owned(), message: fault.message, ..Problem::default() },
        };
        Problem { help: fault.help, ..problem }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::table::TableOptions;
    use crate::table::options::{Guard, SameKey, TickSource};

    /// A path contains the paths below it, not names that begin alike.
    #[test]
    fn paths_overlap_by_whole_parts() {
        for (a, b, expected) in [
            ("table", "table", true),
            ("table", "table.size", true),
            ("table.size", "table", true),
            ("table.siz", "table.size", false),
            ("eval.random", "eval.random_seed", false),
            ("table.size", "table.slots", false),
        ] {
            assert_eq!((paths_overlap(a, b), paths_overlap(b, a)), (expected, expected), "{a} {b}");
        }
    }

    /// An unknown path without a near name lists the valid ones; limits and subjects are refused.
    #[test]
    fn unknown_option_lists_the_valid_ones() {
        let error = |set: &str| options(None, &[set.to_owned()]).unwrap_err();
        let help = error("zzzzzzzzzzzz=1").help.unwrap();
        assert!(help.ends_with(" more: `ttlab options` lists all"), "{help}");
        assert!(help.starts_with("expected one of `algorithm`, "), "{help}");
        assert!(!help.contains('.'), "{help}");
        let help = error("table.zzzzzzzzzzzz=1").help.unwrap();
        assert!(help.starts_with("expected one of `table.age_bits`, "), "{help}");
        assert!(!help.contains("algorithm"), "{help}");
        assert!(!help.contains("policy."), "{help}");
        for (set, path) in
            [("limit.depth=3", "limit.depth"), ("subject.uci=x", "subject.uci"), ("uci.Hash=3", "uci.Hash")]
        {
            assert_eq!(error(set).message, format!("{path}: is not an option of ttlab's own engine"));
        }
    }

    /// A list for an option that takes none is refused, whether set whole or in part.
    #[test]
    fn list_is_refused_for_an_option_without_lists() {
        for (set, path) in [
            ("lmr=[3]", "lmr"),
            ("table={ policy = [4] }", "table.policy"),
            ("lmr={ min_depth = [3] }", "lmr.min_depth"),
        ] {
            let output = options(None, &[set.to_owned()]).unwrap_err().message;
            assert_eq!(output, format!("{path}: expected a single value, found a list"), "{set}");
        }
    }

    /// Spaces around `=` belong to neither the path nor the value.
    #[test]
    fn spaces_around_a_setting_are_ignored() {
        for set in ["table.policy=never", "table.policy = never", " table.policy =\tnever "] {
            assert_eq!(options(None, &[set.to_owned()]), options(None, &["table.policy='never'".to_owned()]), "{set}");
        }
    }

    /// A design overrides the preset; what is set beside it, before or after, overrides the design.
    #[test]
    fn design_lies_between_the_preset_and_other_settings() {
        let read = |preset: Option<&str>, sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
            options(preset, &sets).unwrap().table
        };
        let weiss = read(None, &["table.design=weiss"]);
        assert_eq!((weiss.slots, weiss.key_bits, weiss.age_bits, weiss.guard.margin), (2, 32, 5, 5));
        for sets in [["table.slots=4", "table.design=weiss"], ["table.design=weiss", "table.slots=4"]] {
            assert_eq!(read(None, &sets), TableOptions { slots: 4, ..weiss.clone() }, "{sets:?}");
        }
        let one = read(None, &["table.design=weiss", "table.guard.margin=0"]);
        assert_eq!(one.guard, Guard { margin: 0, ..weiss.guard });
        let under = read(Some("vipermate"), &["table.design=weiss"]);
        assert_eq!((under.policy, under.same_key, under.clock), (weiss.policy, SameKey::Guard, TickSource::GamePly));
    }

    /// A layout gives way to what is set beside it, and overrides a design; one that is none of the
    /// usual is refused at its place.
    #[test]
    fn layout_stands_for_several_options() {
        let read = |sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
            options(None, &sets).map(|options| options.table).map_err(|problem| problem.message)
        };
        let five = read(&["table.layout=5x12"]).unwrap();
        assert_eq!((five.slots, five.key_bits, five.bucket_bytes), (5, 16, 64));
        let parts = "table.layout={ bucket = '64 bytes', entry = 12, slots = 5, key_bits = 16 }";
        assert_eq!(read(&[parts]), Ok(five.clone()));
        let parts = "table.layout={ bucket = '64 bytes', entry = 12, slots = 5, key_bits = 16, generation = 5, evaluation = 16 }";
        let more = read(&[parts]).unwrap();
        assert_eq!(more, TableOptions { age_bits: 5, static_evaluation: true, layout: more.layout, ..five.clone() });
        // What a results file has of it is read as what it was.
        let written = serde_json::to_value(more.layout).unwrap();
        assert_eq!(read(&[&format!("table.layout={}", written.as_str().unwrap())]), Ok(more));
        assert_eq!(serde_json::to_value(five.layout).unwrap(), "5x12");
        assert_eq!(
            read(&["table.key_bits=20", "table.layout=5x12"]),
            Ok(TableOptions { key_bits: 20, ..five.clone() })
        );
        assert_eq!(read(&["table.layout=5x12", "table.design=weiss"]).unwrap().bucket_bytes, 64);
        assert_eq!(read(&["table.layout=bytes10", "table.slots=3"]).unwrap().bucket_bytes, 0);
        for (layout, message) in [
            (
                "{ bucket = 64, entry = 12, slots = 6, key_bits = 16 }",
                "6 entries of 12 bytes + keys 0 = 72 bytes, and a bucket has 64",
            ),
            ("{ bucket = 64, entry = 12, slots = 5 }", "missing field `key_bits`"),
            ("{ bucket = 64, entry = 12, slots = 5, key_bits = 16, moves = 15 }", ", `depth_offset`, `pv`"),
        ] {
            let found = read(&[&format!("table.layout={layout}")]).unwrap_err();
            assert!(found.starts_with("table.layout") && found.ends_with(message), "{found}");
        }
        // What stands beside a layout must fit too.
        let found = read(&["table.layout=5x12", "table.key_bits=64"]).unwrap_err();
        assert!(found.ends_with("= 116 bits, and an entry of 12 bytes has 96"), "{found}");
        let found = read(&["table.layout=3x10", "table.static_evaluation=true"]).unwrap_err();
        assert!(found.contains("key 16 + generation 10 + evaluation 16 +") && found.ends_with("has 80"), "{found}");
    }

    /// `preset` among the settings overrides the preset beside them.
    #[test]
    fn preset_setting_overrides_the_given_preset() {
        let parse = |preset: Option<&str>, sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
            options(preset, &sets).ok()
        };
        let [otter, purple] = ["otter", "purple"].map(|name| parse(Some(name), &[]));
        assert!(otter.is_some());
        assert!(purple.is_some());
        assert!(otter != purple);
        assert_eq!(parse(None, &["preset=purple"]), purple);
        assert_eq!(parse(Some("otter"), &["preset=purple"]), purple);
        assert_eq!(parse(Some("otter"), &["preset=purple", "preset=otter"]), otter);
    }
}
