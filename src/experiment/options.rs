//! The one way to options: preset, `[engine]`, what a point sets, and `--set`, laid over each other and read.

use super::grid::known_paths;
use super::paths;
use super::presets;
use super::problem::{Problem, explain, nearest, quoted_word, suggest_new_name, suggest_new_word};
use super::schema;
use super::subject::{is_subject_path, is_uci_option};
use crate::engine::EngineOptions;
use std::collections::BTreeSet;
use std::ops::Range;
use toml::{Table, Value};

/// What is wrong with options, before it is known where that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionFault {
    /// The option.
    pub path: String,
    /// What is wrong with it, its path first.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

/// A `path=value` of the command line, and where its parts stand in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    text: String,
    /// The option's path.
    pub path: String,
    /// Its value; what is no TOML value is a word.
    pub value: Value,
}

impl OptionFault {
    /// What is wrong with an option.
    pub fn new(path: &str, what: impl std::fmt::Display) -> Self {
        Self { path: path.to_owned(), message: format!("{path}: {what}"), help: None }
    }

    /// An option that is laid into a part of its path that has no parts.
    pub(super) fn not_a_table(path: &str, part: &str) -> Self {
        Self::new(path, format!("`{part}` is a plain value and has no parts"))
    }
}

/// A mistake at some bytes of a `--set`.
fn setting_problem(text: &str, span: Range<usize>, message: String) -> Problem {
    Problem { file: "--set".to_owned(), text: text.to_owned(), span: Some(span), message, help: None }
}

impl Setting {
    /// Reads one. `known`: the paths that may be set.
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
            let missing = setting.problem(format!("{}: there is no value after the =", setting.path));
            return Err(Problem { help: Some(format!("expected {values}")), ..missing });
        }
        Ok(setting)
    }

    /// Reads several.
    ///
    /// # Errors
    /// That of the first that is wrong.
    pub fn parse_all(texts: &[String]) -> Result<Vec<Self>, Problem> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let known = known_paths();
        texts.iter().map(|text| Self::parse(text, &known)).collect()
    }

    /// A mistake in its value.
    pub fn problem(&self, message: String) -> Problem {
        let value = self.text.find('=').map_or(0, |at| at + 1);
        setting_problem(&self.text, value..self.text.len(), message)
    }

    /// Whether it has a say in an option.
    pub fn affects(&self, path: &str) -> bool {
        // An item of a list is `ordering[1]`.
        paths_overlap(&self.path, path.split('[').next().unwrap_or(path))
    }
}

/// What would be right in the place of a path that is none.
fn suggest_path(path: &str, known: &BTreeSet<String>) -> String {
    if let Some(new) = suggest_new_name(path) {
        return new;
    }
    let short = path.strip_prefix("engine.").or_else(|| path.strip_prefix("grid.")).unwrap_or(path);
    if known.contains(short) {
        return format!("did you mean `{short}`? What is set lies in [engine] already");
    }
    if path == short && schema::is_file_key(path.split('.').next().unwrap_or(path)) {
        return format!(
            "`{path}` is said in the file itself: --set lays options of the engine, and limits, over every variant"
        );
    }
    nearest(short, known.iter().map(String::as_str)).unwrap_or_else(|| {
        // What stands in the place that was meant, as far as the path leads.
        let above = paths::with_ancestors(short).find(|above| known.contains(*above));
        let start = above.map_or_else(String::new, |above| format!("{above}."));
        let below =
            |known: &&String| known.strip_prefix(&start).is_some_and(|rest| !rest.is_empty() && !rest.contains('.'));
        let names = super::problem::list_quoted(known.iter().filter(below).map(String::as_str));
        format!("there are {names}: `ttlab options` has all")
    })
}

/// Whether one path is the other, or leads to it.
pub fn paths_overlap(a: &str, b: &str) -> bool {
    let leads = |short: &str, long: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'));
    a == b || leads(a, b) || leads(b, a)
}

/// A preset under options under what is set one by one; `preset` among the options themselves, and limits, are not looked at.
///
/// # Errors
/// The first mistake.
pub fn read_options<'a>(
    preset: Option<&Value>,
    engine: &Table,
    set: impl Iterator<Item = (&'a str, &'a Value)>,
) -> Result<EngineOptions, OptionFault> {
    let mut table = match preset {
        Some(Value::String(name)) => presets::options(name)?,
        Some(_) => return Err(OptionFault::new("preset", "expected a name in quotes")),
        None => Table::new(),
    };
    paths::merge(&mut table, engine);
    table.remove("preset");
    let mut lists = false;
    for (path, value) in
        set.filter(|(path, _)| *path != "preset" && !path.starts_with("limit.") && !is_subject_path(path))
    {
        lists |= value.is_array() || value.as_table().is_some_and(|table| table.values().any(Value::is_array));
        paths::set(&mut table, path, value.clone()).map_err(|part| OptionFault::not_a_table(path, &part))?;
    }
    if lists
        && let Some(path) =
            schema::misplaced_list(&Table::from_iter([("engine".to_owned(), Value::Table(table.clone()))]))
    {
        return Err(OptionFault::new(path.trim_start_matches("engine."), "a list stands where none belongs"));
    }
    let options: EngineOptions = super::decode::from_table(table).map_err(|error| {
        let path = &error.path;
        let (message, help) = explain(&error.message);
        let quoted = quoted_word(&message).filter(|key| message.starts_with("unknown key") && key.contains('.'));
        if let Some(key) = quoted {
            let help = format!("in quotes it is one word: write it without them, `{key} = ...`");
            return OptionFault { help: Some(help), ..OptionFault::new(path, format!("unknown key `{key}`")) };
        }
        let help = suggest_new_name(path).or_else(|| suggest_new_word(path, &message)).or(help);
        OptionFault { help, ..OptionFault::new(path, message) }
    })?;
    options.check().map_err(|error| OptionFault::new(error.path, error.problem))?;
    options.table.check().map_err(|error| {
        let message = error.to_string();
        OptionFault { path: message.split(':').next().unwrap_or_default().to_owned(), message, help: None }
    })?;
    Ok(options)
}

/// Options from a preset and the command line's `--set`s.
///
/// # Errors
/// The first mistake, with its place in its `--set`.
pub fn options(preset: Option<&str>, sets: &[String]) -> Result<EngineOptions, Problem> {
    let settings = Setting::parse_all(sets)?;
    if let Some(limit) =
        settings.iter().find(|setting| setting.path.starts_with("limit.") || is_subject_path(&setting.path))
    {
        return Err(
            limit.problem(format!("{}: is not one of the engine's options: a limit is set by itself", limit.path))
        );
    }
    let given = preset.map(Value::from);
    let preset =
        settings.iter().rev().find(|setting| setting.path == "preset").map(|set| &set.value).or(given.as_ref());
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

    /// A path leads to what stands below it, not to a name that begins alike.
    #[test]
    fn paths_overlap_by_their_parts() {
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

    /// What is like nothing is told what stands where it would be; a limit is no option, and another engine is none.
    #[test]
    fn what_fits_nowhere_is_told_what_does() {
        let of = |set: &str| options(None, &[set.to_owned()]).unwrap_err();
        let help = of("zzzzzzzzzzzz=1").help.unwrap();
        assert!(help.ends_with(" more: `ttlab options` has all"), "{help}");
        assert!(help.starts_with("there are `algorithm`, ") && !help.contains('.'), "{help}");
        let help = of("table.zzzzzzzzzzzz=1").help.unwrap();
        assert!(
            help.starts_with("there are `table.clear`, ") && !help.contains("algorithm") && !help.contains("policy."),
            "{help}"
        );
        for (set, path) in
            [("limit.depth=3", "limit.depth"), ("subject.uci=x", "subject.uci"), ("uci.Hash=3", "uci.Hash")]
        {
            assert_eq!(
                of(set).message,
                format!("{path}: is not one of the engine's options: a limit is set by itself")
            );
        }
    }

    /// A list for an option that is none is not read as its parts, be it set whole or in a part.
    #[test]
    fn a_list_is_set_only_where_one_belongs() {
        for (set, path) in [
            ("lmr=[3]", "lmr"),
            ("table={ policy = [4] }", "table.policy"),
            ("lmr={ min_depth = [3] }", "lmr.min_depth"),
        ] {
            let output = options(None, &[set.to_owned()]).unwrap_err().message;
            assert_eq!(output, format!("{path}: a list stands where none belongs"), "{set}");
        }
    }

    /// Blanks round the sign belong to neither the path nor the word.
    #[test]
    fn blanks_around_what_is_set_say_nothing() {
        for set in ["table.policy=never", "table.policy = never", " table.policy =\tnever "] {
            assert_eq!(options(None, &[set.to_owned()]), options(None, &["table.policy='never'".to_owned()]), "{set}");
        }
    }

    /// What is set goes over the preset that is given beside it, a preset that is set among it.
    #[test]
    fn a_preset_that_is_set_goes_over_the_one_that_is_given() {
        let of = |preset: Option<&str>, sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
            options(preset, &sets).ok()
        };
        let [otter, purple] = ["otter", "purple"].map(|name| of(Some(name), &[]));
        assert!(otter.is_some() && purple.is_some() && otter != purple);
        assert_eq!(of(None, &["preset=purple"]), purple);
        assert_eq!(of(Some("otter"), &["preset=purple"]), purple);
        assert_eq!(of(Some("otter"), &["preset=purple", "preset=otter"]), otter);
    }
}
