//! The one way to options: preset, `[engine]`, what a point sets, and `--set`, laid over each other and read.

use super::grid::known_paths;
use super::paths;
use super::presets;
use super::problem::{Problem, explain, nearest, new_name, new_word, word_meant};
use super::schema;
use super::subject::{UCI, is_path};
use crate::engine::EngineOptions;
use std::collections::BTreeSet;
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
    value_at: usize,
}

impl Setting {
    /// Reads one. `known`: the paths that may be set.
    ///
    /// # Errors
    /// When there is no `=`, or no such path.
    pub fn parse(text: &str, known: &BTreeSet<String>) -> Result<Self, Problem> {
        let Some((path, value)) = text.split_once('=') else {
            return Err(Problem {
                file: "--set".to_owned(),
                text: text.to_owned(),
                span: Some(0..text.len()),
                message: format!("--set {text}: expected path=value, as in table.size=\"4 MiB\""),
                help: None,
            });
        };
        let value_at = path.len() + 1;
        let parsed = format!("v = {value}").parse::<Table>().ok().and_then(|mut table| table.remove("v"));
        let value = parsed.unwrap_or_else(|| Value::from(value.trim()));
        let setting = Self { text: text.to_owned(), path: path.trim().to_owned(), value, value_at };
        if known.contains(&setting.path)
            && setting.value.as_str() == Some("")
            && let Some(values) = schema::values_of(&setting.path)
        {
            let help = Some(format!("expected {values}"));
            return Err(Problem {
                help,
                ..setting.problem(format!("{}: there is no value after the =", setting.path))
            });
        }
        if known.contains(&setting.path) || is_path(&setting.path) && setting.path.starts_with(UCI) {
            return Ok(setting);
        }
        Err(Problem {
            span: Some(0..path.len()),
            help: Some(right_path(&setting.path, known)),
            ..setting.problem(format!("--set.{0}: there is no option `{0}`", setting.path))
        })
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
    #[must_use]
    pub fn problem(&self, message: impl Into<String>) -> Problem {
        Problem {
            file: "--set".to_owned(),
            text: self.text.clone(),
            span: Some(self.value_at..self.text.len()),
            message: message.into(),
            help: None,
        }
    }

    /// Whether it has a say in an option.
    #[must_use]
    pub fn touches(&self, path: &str) -> bool {
        // An item of a list is `ordering[1]`.
        overlap(&self.path, path.split('[').next().unwrap_or(path))
    }
}

/// What would be right in the place of a path that is none.
fn right_path(path: &str, known: &BTreeSet<String>) -> String {
    if let Some(new) = new_name(path) {
        return new;
    }
    let short = path.strip_prefix("engine.").or_else(|| path.strip_prefix("grid.")).unwrap_or(path);
    if known.contains(short) {
        return format!("did you mean `{short}`? What is set lies in [engine] already");
    }
    if schema::file_keys().iter().any(|key| key == path.split('.').next().unwrap_or(path)) && path == short {
        return format!(
            "`{path}` is said in the file itself: --set lays options of the engine, and limits, over every variant"
        );
    }
    nearest(short, known.iter().map(String::as_str)).unwrap_or_else(|| {
        // What stands in the place that was meant, as far as the path leads.
        let mut above = short;
        while !above.is_empty() && !known.contains(above) {
            above = above.rsplit_once('.').map_or("", |(above, _)| above);
        }
        let start = if above.is_empty() { String::new() } else { format!("{above}.") };
        let below =
            |known: &&String| known.strip_prefix(&start).is_some_and(|rest| !rest.is_empty() && !rest.contains('.'));
        let names = super::problem::listed(known.iter().filter(below).map(String::as_str));
        format!("there are {names}: `ttlab options` has all")
    })
}

/// Whether one path is the other, or leads to it.
#[must_use]
pub fn overlap(a: &str, b: &str) -> bool {
    let leads = |short: &str, long: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'));
    a == b || leads(a, b) || leads(b, a)
}

/// A preset under options under what is set one by one; `preset` among the options themselves, and limits, are not looked at.
///
/// # Errors
/// The first mistake.
pub fn read<'a>(
    preset: Option<&Value>,
    engine: &Table,
    set: impl Iterator<Item = (&'a str, &'a Value)>,
) -> Result<EngineOptions, OptionFault> {
    let preset_fault = |message: String, help| OptionFault { path: "preset".to_owned(), message, help };
    let mut table = match preset {
        Some(Value::String(name)) => presets::options(name).map_err(|(message, help)| preset_fault(message, help))?,
        Some(_) => return Err(preset_fault("preset: expected a name in quotes".to_owned(), None)),
        None => Table::new(),
    };
    let mut engine = engine.clone();
    engine.remove("preset");
    paths::lay_over(&mut table, &engine);
    let mut lists = false;
    for (path, value) in set.filter(|(path, _)| *path != "preset" && !path.starts_with("limit.") && !is_path(path)) {
        lists |= value.is_array() || value.as_table().is_some_and(|table| table.values().any(Value::is_array));
        paths::set(&mut table, path, value.clone()).map_err(|part| OptionFault {
            path: path.to_owned(),
            message: format!("{path}: `{part}` is a plain value and has no parts"),
            help: None,
        })?;
    }
    if lists
        && let Some(path) = schema::stray_list(&Table::from_iter([("engine".to_owned(), Value::Table(table.clone()))]))
    {
        let path = path.trim_start_matches("engine.").to_owned();
        return Err(OptionFault { message: format!("{path}: a list stands where none belongs"), path, help: None });
    }
    let options: EngineOptions = super::reading::from_table(table).map_err(|error| {
        let path = error.path;
        let (message, help) = explain(&error.message);
        let quoted = word_meant(&message).filter(|key| message.starts_with("unknown key") && key.contains('.'));
        if let Some(key) = quoted {
            let help = format!("in quotes it is one word: write it without them, `{key} = ...`");
            return OptionFault { message: format!("{path}: unknown key `{key}`"), help: Some(help), path };
        }
        OptionFault {
            help: new_name(&path).or_else(|| new_word(&path, &message)).or(help),
            message: format!("{path}: {message}"),
            path,
        }
    })?;
    options.check().map_err(|error| OptionFault {
        path: error.path.to_owned(),
        message: error.to_string(),
        help: None,
    })?;
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
    if let Some(limit) = settings.iter().find(|setting| setting.path.starts_with("limit.") || is_path(&setting.path)) {
        return Err(
            limit.problem(format!("{}: is not one of the engine's options: a limit is set by itself", limit.path))
        );
    }
    let given = preset.map(Value::from);
    let preset =
        settings.iter().rev().find(|setting| setting.path == "preset").map(|set| &set.value).or(given.as_ref());
    let set = settings.iter().map(|setting| (setting.path.as_str(), &setting.value));
    read(preset, &Table::new(), set).map_err(|fault| {
        let problem = match settings.iter().rev().find(|setting| setting.touches(&fault.path)) {
            Some(setting) => setting.problem(fault.message),
            None => Problem {
                file: "options".to_owned(),
                text: String::new(),
                span: None,
                message: fault.message,
                help: None,
            },
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
            assert_eq!((overlap(a, b), overlap(b, a)), (expected, expected), "{a} {b}");
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
