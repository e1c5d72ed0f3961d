//! `[subject]` and the paths `subject.*` and `uci.*`, which select the engine under test.

use super::paths;
use super::problem::OptionFault;
use crate::settings::split_setting;
use crate::subject::options::OptionValue;
use crate::subject::{SubjectOptions, TABLE_OPTION};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Why `shape = "neutral"` is refused.
pub const NEUTRAL_REFUSED: &str = "works only with ttlab's own engine: what an external engine stores is not visible, so its search cannot be made independent of its table";

/// The prefix of the paths of an external engine's options.
pub const UCI: &str = "uci.";

/// The option column with the program of the engine under test.
pub const PROGRAM: &str = "subject.uci";

/// Whether a path is an option of an external engine, `uci.NAME`. The name itself is checked later,
/// before the run, when the engine lists its options.
pub fn is_uci_option(path: &str) -> bool {
    path.strip_prefix(UCI).is_some_and(|name| !name.is_empty())
}

/// Whether a path belongs to the subject: `subject`, `subject.*` or `uci.*`.
pub fn is_subject_path(path: &str) -> bool {
    path == "subject" || path.starts_with("subject.") || is_uci_option(path)
}

/// Reads the subject of a variant. `table` is `[subject]`, and the variant's `settings` override
/// it. Returns `None` if neither names a subject. `is_match` is whether the variants play games.
pub fn read_subject<'a>(
    table: Option<&Table>,
    is_match: bool,
    settings: impl Iterator<Item = (&'a str, &'a Value)> + Clone,
) -> Result<Option<SubjectOptions>, OptionFault> {
    let subject_settings = || settings.clone().filter(|(path, _)| is_subject_path(path));
    if table.is_none() && subject_settings().next().is_none() {
        return Ok(None);
    }
    let mut table = table.cloned().unwrap_or_default();
    for (path, value) in subject_settings() {
        let not_a_table = |part: &str| OptionFault::not_a_table(path, part);
        let mut set_option = |name: &str, value: &Value| {
            let options = table.entry("options").or_insert_with(|| Value::Table(Table::new()));
            let options = options.as_table_mut().ok_or_else(|| not_a_table("options"))?;
            options.retain(|earlier, _| !earlier.eq_ignore_ascii_case(name));
            options.insert(name.to_owned(), value.clone());
            Ok::<_, OptionFault>(())
        };
        match (path.strip_prefix(UCI), path.strip_prefix("subject.")) {
            // The name of a UCI option may contain dots, so the name is not split.
            (Some(option), _) => set_option(option, value)?,
            (None, Some("options")) if value.is_table() => {
                value.as_table().into_iter().flatten().try_for_each(|(name, value)| set_option(name, value))?;
            }
            (None, Some(inner_path)) => {
                paths::set(&mut table, inner_path, value.clone()).map_err(|part| not_a_table(&part))?;
            }
            (None, None) => {
                table.insert("uci".to_owned(), value.clone());
            }
        }
    }
    if is_match {
        // If the engine kept its state between games, each game would depend on earlier games.
        table.entry("restart").or_insert_with(|| Value::String("game".to_owned()));
    }
    let mut subject: SubjectOptions = crate::decode::from_table(table)
        .map_err(|error| OptionFault::from_serde(&format!("subject.{}", error.path), &error.message))?;
    let refuse = |path: &str, message: &str| Err(OptionFault::new(path, message));
    let (program, _) = subject.uci.split();
    if program.trim().is_empty() {
        return refuse("subject.uci", "expected a program, or a list with its arguments");
    }
    if subject.timeout.is_some_and(|seconds| !(0.001..=1e7).contains(&seconds)) {
        return refuse("subject.timeout", "expected seconds, from 0.001 to 1e7");
    }
    if subject.is_builtin() {
        if let Some((path, _)) = settings.clone().find(|(path, _)| path.starts_with(UCI)) {
            return refuse(path, "ttlab's own engine has no UCI options: set its options in [engine]");
        }
        // The options in [subject] apply to external engines only.
        return Ok(Some(SubjectOptions::default()));
    }
    let is_table_path = |path: &str| path == "table" || path.starts_with("table.");
    let is_other = |path: &str| !is_subject_path(path) && !is_table_path(path) && !path.starts_with("limit.");
    if let Some((path, _)) = settings.clone().find(|(path, _)| is_other(path)) {
        if path == "shape" {
            return Err(OptionFault::with_word(path, "neutral", NEUTRAL_REFUSED));
        }
        let message = format!(
            "is an option of ttlab's own engine, but this variant runs `{}`: set its options as \"uci.NAME\"",
            subject.uci
        );
        return refuse(path, &message);
    }
    subject.options.retain(|name, _| !name.is_empty());
    // The table of an engine that is linked with ttlab's takes the same options.
    let of_table = settings.filter(|(path, _)| is_table_path(path));
    let texts: Vec<String> = of_table.map(|(path, value)| format!("{path} = {}", setting_text(value))).collect();
    if !texts.is_empty() {
        let name = subject.options.keys().find(|name| name.eq_ignore_ascii_case(TABLE_OPTION)).cloned();
        let text = subject.options.entry(name.unwrap_or_else(|| TABLE_OPTION.to_owned()));
        let text = text.or_insert_with(|| OptionValue::Text(String::new()));
        let own = Some(text.to_string()).filter(|own| !own.is_empty());
        *text = OptionValue::Text(own.into_iter().chain(texts).collect::<Vec<_>>().join("; "));
    }
    Ok(Some(subject))
}

/// A value as it is read back from a text of settings: without quotes where none are needed.
fn setting_text(value: &Value) -> String {
    match value {
        Value::String(text) if paths::parse_value(text) == *value => text.clone(),
        value => value.to_string(),
    }
}

pub fn subject_columns(subject: &SubjectOptions) -> Vec<(String, String)> {
    let mut columns = vec![(PROGRAM.to_owned(), subject.uci.to_string())];
    columns.extend(paths::flatten(&serde_json::json!({ "subject": { "restart": subject.restart } })));
    columns.extend(subject.timeout.map(|seconds| ("subject.timeout".to_owned(), seconds.to_string())));
    for (name, value) in &subject.options {
        let text = value.to_string();
        let settings = text.split(';').map(split_setting).collect::<Result<Vec<_>, _>>();
        match settings.ok().filter(|_| name.eq_ignore_ascii_case(TABLE_OPTION)) {
            // These are options of the table, whoever searches.
            Some(settings) => columns.extend(table_columns(&settings)),
            None => columns.push((format!("{UCI}{name}"), text)),
        }
    }
    columns
}

/// The last value of each path.
fn table_columns(settings: &[(&str, Value)]) -> BTreeMap<String, String> {
    let values = settings.iter().flat_map(|(path, value)| paths::values(path, value));
    values.map(|(path, value)| (path, paths::format_value(value))).collect()
}

/// The settings of a subject that are part of the variant's id, as text. The timeout, trust and the
/// doctor's file are left out, because they change no count.
pub fn content(subject: &SubjectOptions) -> String {
    serde_json::to_string(&SubjectOptions { timeout: None, trust: false, doctor: None, ..subject.clone() })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::experiment::{Experiment, Variant};

    fn read(more: &str, sets: &[&str]) -> Result<Vec<Variant>, String> {
        let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n{more}\n");
        let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
        let result = Experiment::parse(&text, "x.toml".as_ref(), &sets);
        result.map(|experiment| experiment.variants).map_err(|problem| problem.message)
    }

    /// In a match an external engine has a new process for each game by default. The option's
    /// column and the variant's id show this.
    #[test]
    fn match_restarts_the_engine_for_each_game() {
        // The option `restart`, its column, and the id of the variant with the external engine.
        let read_restart = |more: &str| {
            let text = format!(
                "suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\nbaseline = {{ variant = 'b' }}\n{more}[[variant]]\nname = 'b'\n[[variant]]\nname = 'a'\nsubject = 'x'\n"
            );
            let experiment = Experiment::parse(&text, "x.toml".as_ref(), &[]).unwrap();
            let variant = experiment.variants.into_iter().find(|variant| variant.name == "a").unwrap();
            let restart = variant.external().unwrap().restart;
            let columns = crate::experiment::variant::option_columns(&variant);
            let column = columns.into_iter().find(|(name, _)| name == "subject.restart").unwrap().1;
            (restart, column, crate::experiment::identity::variant_id(&variant))
        };
        use crate::subject::Restart;
        let with_restart = |restart: &str| read_restart(&format!("subject = {{ restart = '{restart}' }}\n[match]\n"));
        let (search_default, match_default) = (read_restart(""), read_restart("[match]\n"));
        let [(search_restart, search_column, search_id), (match_restart, match_column, match_id)] =
            [&search_default, &match_default];
        assert_eq!((*search_restart, search_column.as_str()), (Restart::Experiment, "experiment"));
        assert_eq!((*match_restart, match_column.as_str()), (Restart::Game, "game"));
        assert_ne!(match_id, search_id);
        assert_eq!(with_restart("game"), match_default);
        assert_eq!(with_restart("experiment"), search_default);
    }

    /// Options come from the file, the variant and the command line, in that order; the timeout is
    /// not part of the id, everything else is.
    #[test]
    fn subject_options_are_overridden_in_order() {
        let file = "[subject]\nuci = ['x', '-a']\noptions = { Hash = 4, Book = 'no' }\n[[variant]]\nname = 'b'\n'uci.Hash' = 8\n";
        let columns = |more: &str, sets: &[&str]| {
            let variants = read(&format!("{file}{more}"), sets).unwrap();
            let last = variants.last().unwrap();
            crate::experiment::variant::option_columns(last)
                .into_iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect::<Vec<_>>()
        };
        let columns_of_file = columns("", &[]);
        assert!(columns_of_file.contains(&"uci.Hash=8".to_owned()), "{columns_of_file:?}");
        assert!(columns_of_file.contains(&"uci.Book=no".to_owned()), "{columns_of_file:?}");
        assert!(columns("", &["uci.Hash=16"]).contains(&"uci.Hash=16".to_owned()));
        assert!(!columns_of_file.iter().any(|column| column.starts_with("subject.timeout")));
        assert!(columns("'subject.timeout' = 7.5\n", &[]).contains(&"subject.timeout=7.5".to_owned()));
        let id = |more: &str| {
            crate::experiment::identity::variant_id(read(&format!("{file}{more}"), &[]).unwrap().last().unwrap())
        };
        assert_eq!(id("'subject.timeout' = 7.5\n"), id(""));
        assert_eq!(id("'subject.trust' = true\n"), id(""));
        assert_eq!(id("'subject.doctor' = 'x.json'\n"), id(""));
        assert_ne!(id("'subject.restart' = 'game'\n"), id(""));
        assert_ne!(id("'uci.Threads' = 1\n"), id(""));
    }
}
