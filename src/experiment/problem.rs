//! Errors in an experiment file, printed like the errors of a compiler, with an excerpt of the
//! file.

pub use crate::settings::fault::{Explained, OptionFault, explain, list_quoted, nearest, nearest_or_all};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// One error in a file or setting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// The file's name, as the user gave it.
    pub file: String,
    /// The file's text, for the excerpt; empty if there is none.
    pub text: String,
    /// The byte range of the error in the text.
    pub span: Option<Range<usize>>,
    /// The message, which begins with the dotted path of the key.
    pub message: String,
    /// A suggestion, or the nearest valid name.
    pub help: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(span) = self.span.clone().filter(|span| self.text.get(span.clone()).is_some()) else {
            writeln!(f, "error: {}: {}", self.file, self.message)?;
            return match &self.help {
                Some(help) => writeln!(f, "help: {help}"),
                None => Ok(()),
            };
        };
        let snippet = Snippet::source(&self.text).path(&self.file);
        let snippet = snippet.annotation(AnnotationKind::Primary.span(span));
        let mut report = vec![Level::ERROR.primary_title(&self.message).element(snippet)];
        report.extend(self.help.as_ref().map(|help| Group::with_title(Level::HELP.secondary_title(help))));
        writeln!(f, "{}", Renderer::plain().render(&report))
    }
}

impl std::error::Error for Problem {}

pub fn ambiguous_name<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    format!("is ambiguous ({}): write the full name", names.join(" or "))
}

/// Suggests how to write a limit if `message` says that the limit is a number.
pub fn limit_hint(path: &str, message: &str) -> Option<String> {
    let is_number = message.starts_with("invalid type: integer");
    (is_number && path.ends_with("limit")).then(|| format!("write {path} = {{ depth = 5 }} or {{ nodes = 100_000 }}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines and columns count from 1, in characters, not bytes; without a place the message stands
    /// alone.
    #[test]
    fn place_is_counted_in_characters() {
        let text = "ä = 1\nnäme = 'ö' x\n".to_owned();
        let problem_at = |start: usize| Problem {
            file: "f.toml".to_owned(),
            span: Some(start..start + 1),
            text: text.clone(),
            message: "wrong".to_owned(),
            help: Some("right".to_owned()),
        };
        let find = |word: &str| text.find(word).unwrap_or_default();
        for (start, place) in [(find("="), "1:3"), (find("1"), "1:5"), (find("n"), "2:1")] {
            assert!(problem_at(start).to_string().contains(&format!("--> f.toml:{place}\n")), "{place}");
        }
        let without_place = Problem { span: None, ..problem_at(0) };
        assert_eq!(without_place.to_string(), "error: f.toml: wrong\nhelp: right\n");
        assert_eq!(Problem { help: None, ..without_place }.to_string(), "error: f.toml: wrong\n");
        // A byte inside a character is not a place.
        assert!(problem_at(1).to_string().starts_with("error: f.toml: wrong\n"));
        let report = problem_at(find("x")).to_string();
        assert!(report.contains("--> f.toml:2:12"), "{report}");
        assert!(report.contains("help: right"), "{report}");
    }
}
