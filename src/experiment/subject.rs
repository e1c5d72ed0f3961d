//! `[subject]` and the paths `subject.*` and `uci.*`: who is examined at a point.

use super::file::File;
use super::options::OptionFault;
use super::paths;
use super::problem::explain;
use crate::subject::SubjectOptions;
use toml::{Table, Value};

/// Why no other engine's search has a neutral shape.
pub const NEUTRAL_REFUSED: &str = "\"neutral\" is for ttlab's own engine: what another one offers to its table is not seen, so that its shape cannot be kept from \
     depending on what the table forgets";

/// How the paths of an engine's own options begin.
pub const UCI: &str = "uci.";

/// Whether a path is that of an option of another engine's own, whose names are known when it is asked, before the run.
pub fn is_uci_option(path: &str) -> bool {
    path.strip_prefix(UCI).is_some_and(|name| !name.is_empty())
}

/// Whether a path speaks of the subject.
pub fn is_subject_path(path: &str) -> bool {
    path == "subject" || path.starts_with("subject.") || is_uci_option(path)
}

/// The subject of a point: `[subject]` under what is set one by one; none where nobody speaks of one.
///
/// # Errors
/// The first mistake.
pub fn read_subject<'a>(
    file: &File,
    set: impl Iterator<Item = (&'a str, &'a Value)> + Clone,
) -> Result<Option<SubjectOptions>, OptionFault> {
    let mine = || set.clone().filter(|(path, _)| is_subject_path(path));
    if file.subject.is_none() && mine().next().is_none() {
        return Ok(None);
    }
    let mut table = file.subject.clone().unwrap_or_default();
    for (path, value) in mine() {
        let not_a_table = |part: &str| OptionFault::not_a_table(path, part);
        match (path.strip_prefix(UCI), path.strip_prefix("subject.")) {
            // An engine's names may hold dots: they are no paths.
            (Some(option), _) => {
                let options = table.entry("options").or_insert_with(|| Value::Table(Table::new()));
                let options = options.as_table_mut().ok_or_else(|| not_a_table("options"))?;
                options.insert(option.to_owned(), value.clone());
            }
            (None, Some(rest)) => {
                paths::set(&mut table, rest, value.clone()).map_err(|part| not_a_table(&part))?;
            }
            (None, None) => {
                table.insert("uci".to_owned(), value.clone());
            }
        }
    }
    if file.games.is_some() {
        // What an engine keeps from one game to the next would make games depend on which were played before them.
        table.entry("restart").or_insert_with(|| Value::String("game".to_owned()));
    }
    let mut subject: SubjectOptions = super::decode::from_table(table).map_err(|error| {
        let (message, help) = explain(&error.message);
        OptionFault { help, ..OptionFault::new(&format!("subject.{}", error.path), message) }
    })?;
    let wrong = |path: &str, what: &str| Err(OptionFault::new(path, what));
    if subject.uci.split().0.trim().is_empty() {
        return wrong("subject.uci", "expected a program, or a list with its arguments");
    }
    if subject.timeout.is_some_and(|seconds| !(0.001..=1e7).contains(&seconds)) {
        return wrong("subject.timeout", "expected seconds, from 0.001 to 1e7");
    }
    if subject.is_builtin() {
        if let Some((path, _)) = set.clone().find(|(path, _)| path.starts_with(UCI)) {
            return wrong(path, "\"builtin\" has no such option: [engine] sets it up");
        }
        // What [subject] says is said to the others.
        return Ok(Some(SubjectOptions::default()));
    }
    if let Some((path, _)) = set.clone().find(|(path, _)| !is_subject_path(path) && !path.starts_with("limit.")) {
        if path == "shape" {
            return wrong(path, NEUTRAL_REFUSED);
        }
        let what = "is an option of ttlab's own engine, and this point is of";
        return wrong(path, &format!("{what} {}: its own are \"uci.Name\"", subject.uci));
    }
    subject.options.retain(|name, _| !name.is_empty());
    Ok(Some(subject))
}

/// The columns of a subject.
pub fn subject_columns(subject: &SubjectOptions) -> Vec<(String, String)> {
    let mut columns = vec![("subject.uci".to_owned(), subject.uci.to_string())];
    if !subject.is_builtin() {
        columns.extend(paths::flatten(&serde_json::json!({ "subject": { "restart": subject.restart } })));
        columns.extend(subject.timeout.map(|seconds| ("subject.timeout".to_owned(), seconds.to_string())));
        columns.extend(subject.options.iter().map(|(name, value)| (format!("{UCI}{name}"), value.to_string())));
    }
    columns
}

/// What a subject is, for an id: a longer patience changes no count, nor do trust and what a doctor found.
pub fn content(subject: &SubjectOptions) -> String {
    serde_json::to_string(&SubjectOptions { timeout: None, trust: false, doctor: None, ..subject.clone() })
        .unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::experiment::{Experiment, Variant};

    fn read(more: &str, sets: &[&str]) -> Result<Vec<Variant>, String> {
        let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n{more}\n");
        let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
        let read = Experiment::parse(&text, "x.toml".as_ref(), &sets);
        read.map(|experiment| experiment.variants).map_err(|problem| problem.message)
    }

    /// In a match a process is kept for a game where nothing else is said: columns and id say which it is.
    #[test]
    fn a_match_keeps_a_process_for_a_game() {
        let of = |more: &str| {
            let text = format!(
                "suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\nbaseline = {{ variant = 'b' }}\n{more}[[variant]]\nname = 'b'\n[[variant]]\nname = 'a'\nsubject = 'x'\n"
            );
            let experiment = Experiment::parse(&text, "x.toml".as_ref(), &[]).unwrap();
            let variant = experiment.variants.into_iter().find(|variant| variant.name == "a").unwrap();
            let restart = variant.subject.as_ref().unwrap().restart;
            let columns = crate::experiment::grid::option_columns(&variant);
            let column = columns.into_iter().find(|(name, _)| name == "subject.restart").unwrap().1;
            (restart, column, crate::experiment::identity::variant_id(&variant))
        };
        use crate::subject::Restart;
        let output = |restart: &str| of(&format!("subject = {{ restart = '{restart}' }}\n[match]\n"));
        let (alone, played) = (of(""), of("[match]\n"));
        assert_eq!((alone.0, alone.1.as_str()), (Restart::Experiment, "experiment"));
        assert_eq!((played.0, played.1.as_str()), (Restart::Game, "game"));
        assert_eq!(output("game"), played);
        assert_eq!(output("experiment"), alone);
        assert_ne!(played.2, alone.2);
    }

    /// What another engine offers to its table is not seen: a neutral shape is refused, wherever it
    /// is said.
    #[test]
    fn neutral_shape_of_another_engine_is_refused() {
        let engine = "[subject]\nuci = 'x'\n";
        for (more, sets) in [
            (format!("{engine}[engine]\nshape = 'neutral'\n"), &[][..]),
            (format!("{engine}[[variant]]\nname = 'a'\nshape = 'neutral'\n"), &[]),
            (engine.to_owned(), &["shape=neutral"]),
        ] {
            let message = read(&more, sets).unwrap_err();
            assert!(message.contains("shape: \"neutral\" is for ttlab's own engine"), "{more}: {message}");
        }
        assert!(read(&format!("{engine}[engine]\nshape = 'table'\n"), &[]).is_ok());
    }

    /// An engine's options are those of the file, of the point, and of the command line, the last of them last; how long it is waited for is no
    /// part of what it is, and everything else is.
    #[test]
    fn a_subject_is_what_is_laid_over_it() {
        let file = "[subject]\nuci = ['x', '-a']\noptions = { Hash = 4, Book = 'no' }\n[[variant]]\nname = 'b'\n'uci.Hash' = 8\n";
        let columns = |more: &str, sets: &[&str]| {
            let variants = read(&format!("{file}{more}"), sets).unwrap();
            let last = variants.last().unwrap();
            crate::experiment::grid::option_columns(last)
                .into_iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect::<Vec<_>>()
        };
        let as_said = columns("", &[]);
        assert!(
            as_said.contains(&"uci.Hash=8".to_owned()) && as_said.contains(&"uci.Book=no".to_owned()),
            "{as_said:?}"
        );
        assert!(columns("", &["uci.Hash=16"]).contains(&"uci.Hash=16".to_owned()));
        assert!(!as_said.iter().any(|column| column.starts_with("subject.timeout")));
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
