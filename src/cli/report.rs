use super::terminal::{file_screen, show};
use super::{CommandFailure, CommandResult, Exit, hint, output_format};
use crate::record::is_packed;
use crate::report::sheet::{Sheet, SheetTable};
use crate::report::{Choices, Page, data, html, kept, latex, markdown, source, text};
use std::path::PathBuf;

/// Write the report again: choose groups, metrics, baseline
#[derive(clap::Args)]
#[command(after_help = include_str!("help/report.txt"))]
pub struct Args {
    /// Folders that `ttlab run` wrote, or CSV files
    #[arg(required = true)]
    results: Vec<PathBuf>,
    #[command(flatten)]
    choices: Choices,
    /// Output format [default: by the extension of -o, else text]
    #[arg(long)]
    format: Option<Format>,
    /// In CSV: put an apostrophe before cells that a spreadsheet would take for a formula (names
    /// come from files)
    #[arg(long)]
    guard_cells: bool,
    /// In CSV: one table (the summary, or that of --pivot) with a line for each of its rows
    #[arg(long)]
    wide: bool,
    /// In LaTeX and with --wide: these columns alone, by their names in JSON, after the line's name
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    columns: Vec<String>,
    /// Write the output to a file
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Write a kept report into this folder: the page, and the rows that its claims need and the
    /// columns of --metric
    #[arg(
        long, value_name = "FOLDER",
        conflicts_with_all = ["format", "wide", "guard_cells", "out", "by", "filters", "baseline", "pivot", "pairs"]
    )]
    keep: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// The summary, for a terminal
    Text,
    /// Markdown
    Md,
    /// An HTML page with figures
    Html,
    /// Every table and figure as data
    Json,
    /// The same as CSV records, one per field
    Csv,
    /// The tables that the terminal shows, for LaTeX (booktabs)
    #[value(alias = "tex")]
    Latex,
}

pub fn run(args: &Args) -> CommandResult {
    let format = output_format(args.format, args.out.as_deref(), Format::Text)?;
    if args.wide && format != Format::Csv {
        refuse!("--wide is a form of CSV: add --format csv, or -o FILE.csv");
    }
    if !args.columns.is_empty() && format != Format::Latex && !args.wide {
        refuse!("--columns needs --format latex, -o FILE.tex, or --wide");
    }
    if let Some(out) = &args.out {
        args.results.iter().try_for_each(|input| super::refuse_overwrite(input, out))?;
    }
    if let Some(folder) = &args.keep {
        let [results] = &args.results[..] else { refuse!("--keep takes one folder of results") };
        kept::write(results, folder, &args.choices.metrics).map_err(|error| {
            let is_io = error.chain().any(|cause| cause.is::<std::io::Error>());
            CommandFailure::new(if is_io { Exit::Io } else { Exit::Usage }, error)
        })?;
        println!("kept: {}", folder.display());
        return Ok(Exit::Done);
    }
    let sources = source::load(&args.results).map_err(super::unreadable_results)?;
    let page = Page::new(&sources, &args.choices).map_err(super::unreadable_results)?;
    // Without other arguments, the report in the folder of the results is written again.
    // The page of a kept report is that of all columns.
    let rewrites_report = args.choices == Choices::default() && args.out.is_none() && args.format.is_none();
    match (&args.results[..], format) {
        ([folder], _) if rewrites_report && folder.is_dir() && !is_packed(folder) => {
            super::terminal::report(&page, folder, false)?;
            println!("report: {}", folder.join("report.html").display());
        }
        (_, Format::Text) if args.out.is_none() => show(&page.terminal_sheet()),
        (_, format) => {
            let tables = page.main_tables().into_iter().map(|table| choose_columns(table, &args.columns));
            let tables = tables.collect::<Result<Vec<_>, _>>()?;
            if args.wide && tables.len() != 1 {
                let titles: Vec<&str> = tables.iter().map(|table| table.title.as_str()).collect();
                refuse!(
                    "--wide writes a single table, not several ({}): choose one metric or suite",
                    titles.join("; ")
                );
            }
            let make_csv = || match args.wide {
                true => data::wide_csv(&tables[0], args.guard_cells),
                false => data::csv(&page.sheet, args.guard_cells),
            };
            let sheet = if format == Format::Text { &page.terminal_sheet() } else { &page.sheet };
            let rendered = render(format, sheet, &tables, make_csv);
            super::write_output(args.out.as_deref(), &rendered)?;
        }
    }
    Ok(warn_about_missing_rows(&sources))
}

/// Returns the columns that name a line, and after them those with these keys, in this order.
fn choose_columns(table: SheetTable, keys: &[String]) -> Result<SheetTable, CommandFailure> {
    if keys.is_empty() {
        return Ok(table);
    }
    let mut indices: Vec<usize> = (0..table.columns.iter().take_while(|column| column.is_text).count()).collect();
    for key in keys {
        let Some(index) = table.columns.iter().position(|column| column.key == *key) else {
            let known = || table.columns.iter().map(|column| column.key.as_str());
            let list = known().collect::<Vec<_>>().join(", ");
            refuse!("--columns: there is no column `{key}`{}; there are {list}", hint(key, known()));
        };
        indices.push(index);
    }
    Ok(table.select_columns(&indices))
}

/// Renders a page in a format. The LaTeX text contains only `tables`. The CSV text is the result of
/// `make_csv`.
pub(super) fn render(
    format: Format,
    sheet: &Sheet,
    tables: &[SheetTable],
    make_csv: impl FnOnce() -> String,
) -> String {
    match format {
        Format::Text => text::render(sheet, file_screen()) + "\n",
        Format::Md => markdown::render(sheet, markdown::Style { level: 1, links_figures: false }),
        Format::Html => html::render(sheet),
        Format::Json => data::json(sheet),
        Format::Csv => make_csv(),
        Format::Latex => latex::render(tables),
    }
}

/// Warns about each result that has missing rows. Returns the exit code of the command.
pub(super) fn warn_about_missing_rows(sources: &[source::Source]) -> Exit {
    let mut exit = Exit::Done;
    for (source, missing_rows) in sources.iter().filter_map(|source| Some((source, source.missing.as_ref()?))) {
        eprintln!("{}: {missing_rows}: the figures cover only the existing rows", source.path.display());
        exit = Exit::Failed;
    }
    exit
}

#[cfg(test)]
mod tests;
