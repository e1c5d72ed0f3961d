use super::{CommandFailure, CommandResult, Exit, hint};
use crate::experiment::schema::OptionPage;
use crate::experiment::{paths, presets, schema};
use crate::table::{Design, design};
use std::fmt::Display;

/// Show every option: meaning, values, default
#[derive(clap::Args)]
#[command(after_help = include_str!("help/options.txt"))]
pub struct Args {
    /// Only options with this text
    text: Option<String>,
    /// Print the page docs/options.md; with --design, docs/designs.md
    #[arg(long)]
    markdown: bool,
    /// Print the JSON Schema of experiment files, for editors
    #[arg(long, conflicts_with_all = ["text", "markdown", "preset", "design"])]
    schema: bool,
    /// Show a preset's text instead; without a name, list the presets
    #[arg(long, num_args = 0..=1, default_missing_value = "")]
    preset: Option<String>,
    /// Show the options of a `table.design` instead; without a name, list the designs
    #[arg(long, num_args = 0..=1, default_missing_value = "", conflicts_with = "preset")]
    design: Option<String>,
}

pub fn run(args: &Args) -> CommandResult {
    if args.schema {
        let schema = schema::file_schema();
        println!("{}", serde_json::to_string_pretty(&schema).map_err(CommandFailure::io)?);
        return Ok(Exit::Done);
    }
    if let Some(name) = &args.preset {
        return print_named("preset", name, &presets::names().collect::<Vec<_>>(), presets::text(name));
    }
    if let Some(name) = &args.design {
        if args.markdown {
            print!("{}", design::page());
            return Ok(Exit::Done);
        }
        let names: Vec<&str> = Design::ALL.iter().map(|design| design.name()).collect();
        return print_named("design", name, &names, Design::from_name(name).map(|design| design.toml()));
    }
    let text = args.text.as_deref().unwrap_or("").to_ascii_lowercase();
    let pages = schema::option_pages();
    let matches = find_options(pages, &text);
    if matches.is_empty() {
        let hint = hint(&text, pages.iter().flat_map(|page| paths::with_ancestors(&page.path)));
        refuse!("no option has `{text}` in its path, values or meaning{hint}");
    }
    if args.markdown {
        println!("# Options\n\nPrinted by `ttlab options --markdown` from the definitions themselves.\n");
    }
    for page in matches {
        let default = if page.default.is_empty() { String::new() } else { format!(", default {}", page.default) };
        if args.markdown {
            println!("### `{}`\n\n{} ({}{default})\n", page.path, page.meaning, page.values);
            for (word, meaning) in &page.words {
                println!("- `{word}`: {meaning}");
            }
            println!();
        } else {
            println!("{}  ({}{default})\n    {}", page.path, page.values, page.meaning);
            for (word, meaning) in &page.words {
                println!("      {word:<16} {meaning}");
            }
        }
    }
    Ok(Exit::Done)
}

/// Prints the text of a preset or a design, or a list of all names if `name` is empty. `text` is
/// `None` if the name is unknown.
fn print_named(kind: &str, name: &str, names: &[&str], text: Option<impl Display>) -> CommandResult {
    match text {
        _ if name.is_empty() => names.iter().for_each(|name| println!("{name}")),
        Some(text) => print!("{text}"),
        None => refuse!("unknown {kind} `{name}`{}", hint(name, names.iter().copied())),
    }
    Ok(Exit::Done)
}

/// If there are none, returns the options in which the path or a value contains `text`. If there
/// are none either, returns the options in which the meaning of the option or of a value contains
/// `text`. `text` must be in lower case.
fn find_options<'a>(pages: &'a [OptionPage], text: &str) -> Vec<&'a OptionPage> {
    let contains_text = |field: &str| field.to_ascii_lowercase().contains(text);
    let conditions: [&dyn Fn(&&OptionPage) -> bool; 3] = [
        &|page| page.path.starts_with(text),
        &|page| contains_text(&page.path) || page.words.iter().any(|(word, _)| contains_text(word)),
        &|page| contains_text(&page.meaning) || page.words.iter().any(|(_, meaning)| contains_text(meaning)),
    ];
    let mut matches = conditions.iter().map(|condition| pages.iter().filter(condition).collect::<Vec<_>>());
    matches.find(|pages| !pages.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_prefers_path_prefix_then_values_then_meaning() {
        let page = |path: &str, meaning: &str, words: &[(&str, &str)]| OptionPage {
            path: path.to_owned(),
            meaning: meaning.to_owned(),
            words: words.iter().map(|(word, meaning)| ((*word).to_owned(), (*meaning).to_owned())).collect(),
            values: String::new(),
            default: String::new(),
        };
        let pages = [
            page("table.size", "How large. See policy", &[]),
            page("table.policy", "Who goes", &[("Always", "The newcomer stays")]),
            page("table.policy.factor", "Of ages", &[]),
            page("probe", "When it Answers", &[("never", "Not at all: no table"), ("all-ways", "Of any depth")]),
        ];
        let find_paths =
            |text: &str| find_options(&pages, text).iter().map(|page| page.path.as_str()).collect::<Vec<_>>().join(" ");
        for (text, paths) in [
            ("", "table.size table.policy table.policy.factor probe"),
            ("table.policy", "table.policy table.policy.factor"),
            ("policy", "table.policy table.policy.factor"),
            ("pro", "probe"),
            ("always", "table.policy"),
            ("never", "probe"),
            ("answers", "probe"),
            ("of a", "table.policy.factor probe"),
            ("depth", "probe"),
            ("xyz", ""),
        ] {
            assert_eq!(find_paths(text), paths, "{text}");
        }
    }

    #[test]
    fn hints_include_option_groups() {
        let refused = |text: Option<&str>, design: Option<&str>| {
            let [text, design] = [text, design].map(|word| word.map(str::to_owned));
            run(&Args { text, markdown: false, schema: false, preset: None, design })
                .err()
                .map(|failure| failure.message)
        };
        let hint = |text: &str| refused(Some(text), None);
        for (text, suggestion) in [("tabel", "table"), ("table.polcy", "table.policy"), ("table.siez", "table.size")] {
            assert!(hint(text).unwrap().ends_with(&format!(": did you mean `{suggestion}`?")), "{:?}", hint(text));
        }
        assert!(!hint("xyzzyx").unwrap().contains("did you mean"));
        let longer = "unknown design `weiss2`: did you mean `weiss`?";
        assert_eq!(refused(None, Some("weiss2")).as_deref(), Some(longer));
    }
}
