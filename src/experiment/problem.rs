//! What is wrong with an experiment file, shown as a compiler would: the place, what was found, what is expected.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// One mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file's name, as the user gave it.
    pub file: String,
    /// The file's text, for the excerpt; empty where there is none to show.
    pub text: String,
    /// The bytes that are wrong.
    pub span: Option<Range<usize>>,
    /// What is wrong, the dotted path first.
    pub message: String,
    /// What would be right, or the nearest valid name.
    pub help: Option<String>,
}

impl Problem {
    /// Line and column (from 1; columns in characters) of the mistake.
    #[must_use]
    pub fn place(&self) -> Option<(usize, usize)> {
        let before = self.text.get(..self.span.as_ref()?.start)?;
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Some((line, column))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = Level::ERROR.primary_title(&self.message);
        let mut report: Vec<Group<'_>> = Vec::new();
        match &self.span {
            Some(span) if self.text.is_char_boundary(span.start) && self.text.is_char_boundary(span.end) => {
                let annotation = AnnotationKind::Primary.span(span.clone());
                report.push(title.element(Snippet::source(&self.text).path(&self.file).annotation(annotation)));
            }
            _ => {
                writeln!(f, "error: {}: {}", self.file, self.message)?;
                return self.help.as_ref().map_or(Ok(()), |help| writeln!(f, "help: {help}"));
            }
        }
        if let Some(help) = &self.help {
            report.push(Group::with_title(Level::HELP.secondary_title(help)));
        }
        writeln!(f, "{}", Renderer::plain().render(&report))
    }
}

impl std::error::Error for Problem {}

/// "did you mean ...?" for a name and those that would be valid.
#[must_use]
pub fn nearest<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let (distance, best) = valid
        .into_iter()
        .map(|candidate| {
            // A name given without its path is as good as right.
            let tail = candidate.rsplit('.').next().unwrap_or(candidate);
            (strsim::damerau_levenshtein(name, candidate).min(strsim::damerau_levenshtein(name, tail) + 1), candidate)
        })
        .min()?;
    (distance <= 1 + name.chars().count() / 3).then(|| format!("did you mean `{best}`?"))
}

/// "... is now called ...", for an option that had another name.
#[must_use]
pub fn new_name(path: &str) -> Option<String> {
    crate::engine::renamed(path).map(|new| format!("`{path}` is now called `{new}`"))
}

/// The same for an option's word, which serde's message has in the first backquotes.
#[must_use]
pub fn new_word(path: &str, message: &str) -> Option<String> {
    let word = message.split('`').nth(1).filter(|_| message.starts_with("unknown variant"))?;
    let path = path.trim_end_matches(".kind");
    crate::engine::renamed(&format!("{path} = {word}")).map(|new| format!("`{word}` is now called `{new}`"))
}

/// A serde message with its hint: unknown names come with the list of valid ones in backquotes.
#[must_use]
pub fn explain(message: &str) -> (String, Option<String>) {
    let message = message.lines().next().unwrap_or_default().to_owned();
    let mut quoted = message.split('`').skip(1).step_by(2);
    let found = quoted.next().map(str::to_owned);
    let valid: Vec<&str> = quoted.collect();
    let help = match found {
        Some(found) if message.starts_with("unknown") && !valid.is_empty() => nearest(&found, valid.iter().copied()),
        _ => None,
    };
    (message, help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_only_when_it_is_near() {
        let valid = ["table.size", "table.slots", "algorithm"];
        assert_eq!(nearest("tabel.size", valid).as_deref(), Some("did you mean `table.size`?"));
        assert_eq!(nearest("sizes", valid).as_deref(), Some("did you mean `table.size`?"));
        assert_eq!(nearest("colour", valid), None);
    }

    #[test]
    fn serdes_list_of_names_becomes_a_hint() {
        let (_, help) = explain("unknown variant `alwyas`, expected one of `always`, `never`");
        assert_eq!(help.as_deref(), Some("did you mean `always`?"));
        assert_eq!(explain("invalid type: string").1, None);
    }
}
