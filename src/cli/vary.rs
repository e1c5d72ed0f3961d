use super::args::LimitArgs;
use super::{CommandFailure, CommandResult, io_failure, run};
use crate::engine::EngineOptions;
use crate::experiment::{Experiment, builtin, paths};
use crate::submit::quote_for_shell;
use crate::system::files;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Vary options over a suite: write the experiment file, and run it
#[derive(clap::Args)]
#[command(after_help = include_str!("help/try.txt"))]
pub struct Args {
    /// An EPD, FEN or PGN file, builtin:NAME, or startpos
    suite: String,
    /// Vary an option: path=value,value (may be repeated: every combination is searched)
    #[arg(long, value_name = "PATH=VALUES", required = true)]
    vary: Vec<String>,
    /// Set an option in every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
    #[command(flatten)]
    limit: LimitArgs,
    /// Folder of the file and the results [default: a new folder for temporary files]
    #[arg(short, long)]
    out: Option<PathBuf>,
}

pub fn run(args: &Args) -> CommandResult {
    let text = toml::to_string(&experiment(args)?).map_err(CommandFailure::io)?;
    // An experiment that is refused leaves no folder.
    Experiment::parse(&text, Path::new("try.toml"), &[]).map_err(CommandFailure::usage)?;
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => tempfile::Builder::new().prefix("ttlab-try-").tempdir().map_err(CommandFailure::io)?.keep(),
    };
    crate::record::create_folder(&folder).map_err(io_failure(&folder))?;
    let file = folder.join("try.toml");
    let words = ["ttlab", "run", &file.display().to_string(), "--out", &folder.display().to_string()];
    let command = words.map(quote_for_shell).join(" ");
    if files::read_text(&file).is_ok_and(|old| old != text) {
        refuse!(
            "{}: has another experiment: choose another folder with -o, or run that one with `{command}`",
            file.display()
        );
    }
    super::write(&file, &text)?;
    println!("{}", file.display());
    super::folder::resume_with(command);
    run::run_file(file, folder)
}

/// The experiment of the arguments, as its file has it.
fn experiment(args: &Args) -> Result<Table, CommandFailure> {
    let suite = match args.suite.as_str() {
        "startpos" => Value::Table(Table::from_iter([("startpos".to_owned(), true.into())])),
        name if builtin::find(Path::new(name)).is_some() => name.into(),
        // The file of the experiment is in another folder.
        name => std::path::absolute(name).map_err(io_failure(Path::new(name)))?.display().to_string().into(),
    };
    let mut file = Table::from_iter([("name".to_owned(), "try".into()), ("suite".to_owned(), suite)]);
    let limit = args.limit.limit(&EngineOptions::default())?;
    let depth = limit.depth.map(|depth| ("depth".to_owned(), i64::from(depth).into()));
    let nodes = limit.nodes.map(|nodes| ("nodes".to_owned(), nodes.min(i64::MAX as u64).cast_signed().into()));
    file.insert("limit".to_owned(), Value::Table(depth.into_iter().chain(nodes).collect()));
    super::args::refuse_repeated(&args.overrides)?;
    for text in &args.overrides {
        let (path, value) = split(text, "path=value, as in table.size=\"4 MiB\"")?;
        paths::set(&mut file, &format!("engine.{path}"), paths::parse_value(value))
            .map_err(|part| CommandFailure::usage(format!("--set {text}: `{part}` is a single value, not a table")))?;
    }
    let mut axes = Table::new();
    for text in &args.vary {
        let (path, values) = split(text, "path=value,value, as in table.policy=always,depth-age")?;
        let list = format!("v = [{values}]").parse::<Table>().ok().and_then(|mut table| table.remove("v"));
        let list = list.unwrap_or_else(|| values.split(',').map(paths::parse_value).collect::<Vec<_>>().into());
        if axes.insert(path.to_owned(), list).is_some() {
            refuse!("--vary {text}: `{path}` is varied twice");
        }
    }
    file.insert("grid".to_owned(), axes.into());
    Ok(file)
}

fn split<'a>(text: &'a str, expected: &str) -> Result<(&'a str, &'a str), CommandFailure> {
    match text.split_once('=') {
        Some((path, value)) => Ok((path.trim(), value.trim())),
        None => refuse!("{text}: expected {expected}"),
    }
}
