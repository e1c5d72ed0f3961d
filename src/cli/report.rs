use super::screen::{plain, show};
use super::{CommandFailure, CommandResult, Exit, form};
use crate::report::{Choices, Page, data, html, markdown, source, text};
use std::path::PathBuf;

/// Write the report again: choose groups, metrics, baseline
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab report reports/quick                           report.md, report.html and figures again, and the summary
  ttlab report reports/quick --by table.policy.kind --metric nodes --metric usable_rate
  ttlab report reports/quick --where 'depth>=4' --where 'table.size!=1 MiB'
  ttlab report reports/quick --pairs                   which is best, and is it told from the second?
  ttlab report old/results.csv new/results.csv --by source
  ttlab report reports/small reports/large --by table.size
  ttlab report reports/a reports/b -o both.html
  ttlab report reports/quick --format json             every table and figure as data (schema 1); csv: the same as records

With choices, or with several results, nothing in the results' folders is written: the answer goes to standard output,
or where -o says. Columns: `ttlab columns`; the unique end of a name is enough (policy for table.policy.kind),
and where an option ends like a column of the rows, row.slots is the rows' own. Any option may be named, though it does not vary. Derived metrics: usable_rate, move_rate,
hit_rate, eviction_rate, rejection_rate, first_cut_rate, nps, pressure. `--by source` tells results apart, and so does an
option that each has its own value of; what else they differ in is told.")]
pub struct Args {
    /// Folders that `ttlab run` wrote, or CSV files
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// Columns to tell groups apart by, with commas between [default: variant]
    #[arg(long, value_name = "COLUMNS")]
    by: Option<String>,
    /// Only rows that meet a condition: column, one of = != < <= > >=, value (may be repeated: all must hold)
    #[arg(long = "where", value_name = "CONDITION")]
    filters: Vec<String>,
    /// The group that the others are held against: its name, or column=value
    #[arg(long, value_name = "GROUP")]
    baseline: Option<String>,
    /// What is compared: a column or a derived metric (may be repeated) [default: nodes]
    #[arg(long = "metric", value_name = "METRIC")]
    metrics: Vec<String>,
    /// Every line against every other too, the best first
    #[arg(long)]
    pairs: bool,
    /// How the answer is written [default: by the ending of -o, else text]
    #[arg(long)]
    format: Option<Format>,
    /// In CSV: an apostrophe before each cell that a spreadsheet would take for a formula (names are what their file says)
    #[arg(long)]
    guard_cells: bool,
    /// Where the answer goes
    #[arg(short, long)]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For a terminal: the summary
    Text,
    /// Markdown
    Md,
    /// One page for a browser, with figures
    Html,
    /// Every table and figure as data
    Json,
    /// The same as records, one for each field
    Csv,
}

pub fn run(args: &Args) -> CommandResult {
    let choices = Choices {
        by: args.by.clone(),
        filters: args.filters.clone(),
        baseline: args.baseline.clone(),
        metrics: args.metrics.clone(),
        pairs: args.pairs,
    };
    if let Some(out) = &args.out {
        args.results.iter().try_for_each(|read| super::refuse_overwrite(read, out))?;
    }
    let sources = source::load(&args.results).map_err(CommandFailure::usage)?;
    let page = Page::new(&sources, &choices).map_err(CommandFailure::usage)?;
    let usual = choices.is_default() && args.out.is_none() && args.format.is_none();
    match (&args.results[..], form(args.format, args.out.as_deref(), Format::Text)) {
        ([folder], _) if usual && folder.is_dir() => {
            super::screen::report(&page, folder, false)?;
            println!("report: {}", folder.join("report.html").display());
        }
        (_, Format::Text) if args.out.is_none() => show(&page.terminal_sheet()),
        (_, format) => {
            let rendered = match format {
                Format::Text => text::render(&page.terminal_sheet(), plain()) + "\n",
                Format::Md => markdown::render(&page.sheet, markdown::Style { level: 1, figures: false }),
                Format::Html => html::render(&page.sheet),
                Format::Json => data::json(&page.sheet),
                Format::Csv => data::csv(&page.sheet, args.guard_cells),
            };
            super::answer(args.out.as_deref(), &rendered)?;
        }
    }
    Ok(ending(&sources))
}

/// Tells which results are not whole.
pub(super) fn ending(sources: &[source::Source]) -> Exit {
    let mut exit = Exit::Done;
    for (source, missing) in sources.iter().filter_map(|source| Some((source, source.missing.as_ref()?))) {
        eprintln!("{}: {missing}: the figures are of what is there", source.path.display());
        exit = Exit::Failed;
    }
    exit
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::{Args as _, FromArgMatches};

    #[test]
    fn the_ending_says_how_it_is_written() {
        let of = |words: &[&str]| {
            let command = Args::augment_args(clap::Command::new("report"));
            let found = command.try_get_matches_from([&["report", "folder"], words].concat()).unwrap();
            let args = Args::from_arg_matches(&found).unwrap();
            form(args.format, args.out.as_deref(), Format::Text)
        };
        for (words, format) in [
            (&[][..], Format::Text),
            (&["-o", "a.html"], Format::Html),
            (&["-o", "a.htm"], Format::Html),
            (&["-o", "a.md"], Format::Md),
            (&["-o", "a.json"], Format::Json),
            (&["-o", "a.csv"], Format::Csv),
            (&["-o", "a.txt"], Format::Text),
            (&["-o", "html"], Format::Text),
            (&["-o", "a.html", "--format", "csv"], Format::Csv),
            (&["--format", "md"], Format::Md),
        ] {
            assert!(of(words) == format, "{words:?}");
        }
    }

    /// None of the results that a page is of is written over, be it the first or another.
    #[test]
    fn what_is_read_is_kept() {
        let folder = tempfile::TempDir::new().unwrap();
        let results = ["a.csv", "b.csv"].map(|name| {
            let path = folder.path().join(name);
            std::fs::write(&path, "variant,position,depth,search.nodes\na,p,1,9\n").unwrap();
            path.display().to_string()
        });
        for out in &results {
            let words = ["report", &results[0], &results[1], "-o", out];
            let found = Args::augment_args(clap::Command::new("report")).try_get_matches_from(words).unwrap();
            let failure = run(&Args::from_arg_matches(&found).unwrap()).unwrap_err();
            assert!(failure.message.ends_with("cannot be written at the same time"), "{}", failure.message);
        }
    }
}
