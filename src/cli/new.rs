use super::{CommandFailure, CommandResult, Exit, io_failure};
use crate::experiment::builtin::{BuiltinSuite, SUITES};
use crate::table::Size;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Write an experiment file to begin with, and its suite beside it
#[derive(clap::Args)]
#[command(after_help = include_str!("help/new.txt"))]
pub struct Args {
    /// The template; if missing, all templates are listed
    template: Option<String>,
    /// The folder that gets the files
    #[arg(short, long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,
    /// Scale the table of `which-policy` to your pressure: your engine's hash, such as 16MiB
    #[arg(long, value_name = "SIZE", requires = "pressure", requires = "template")]
    hash: Option<Size>,
    /// The nodes that your engine searches in a move
    #[arg(long, group = "pressure", requires = "hash", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// The seconds of a move, in place of its nodes; a million nodes a second
    #[arg(long, group = "pressure", requires = "hash", value_parser = parse_seconds)]
    seconds: Option<f64>,
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (1e-6..=1e6).contains(seconds));
    seconds.ok_or_else(|| format!("`{text}`: expected a number of seconds, such as 0.5"))
}

/// An experiment of this project that a user can begin with.
struct Template {
    name: &'static str,
    /// The command that runs the experiment, which is `run` or `tune`.
    command: &'static str,
    /// The text of the experiment file in this project's folder `experiments`.
    text: &'static str,
    /// The names of the files that the experiment reads.
    input_files: &'static [&'static str],
}

macro_rules! templates {
    ($($name:literal $command:literal $file:literal $files:expr;)*) => {
        &[$(Template {
            name: $name,
            command: $command,
            text: include_str!(concat!("../../experiments/", $file)),
            input_files: &$files,
        }),*]
    };
}

const TEMPLATES: &[Template] = templates! {
    "quick" "run" "quick.toml" ["bratko-kopec.epd"];
    "which-policy" "run" "which-policy.toml" ["selfplay.pgn", "openings.epd"];
    "ageing" "run" "aging-first-look.toml" ["selfplay.pgn"];
    "match" "run" "matches/first-match.toml" ["openings.epd"];
    "engine" "run" "engines/stockfish-hash.toml" ["bratko-kopec.epd"];
    "gate" "run" "engines/gate.toml" ["bratko-kopec.epd"];
    "tune" "tune" "tune-aging.toml" ["selfplay.pgn"];
    "trace" "run" "traces/worth.toml" [TRACE];
    "thesis" "run" "thesis.toml" ["bratko-kopec.epd"];
};

const TRACE: &str = "two-games.trace";
const TRACE_BYTES: &[u8] = include_bytes!("../../experiments/traces/two-games.trace");

impl Template {
    fn question(&self) -> String {
        let file = self.text.parse::<toml::Table>().unwrap_or_default();
        file.get("question").and_then(toml::Value::as_str).unwrap_or_default().to_owned()
    }

    /// The folder will also contain the files that the experiment reads, so their paths are
    /// replaced by their names.
    fn experiment_text(&self) -> String {
        let (name, command) = (self.name, self.command);
        let mut text = format!("# From the template {name}. To use it: ttlab {command} {name}.toml\n");
        for line in self.text.lines().filter(|line| !line.starts_with("#:schema")) {
            let mut line = line.to_owned();
            for file in self.input_files {
                if let Some(slash) = line.find(&format!("/{file}\"")) {
                    // Removes everything between the quote and the file's name.
                    let start = line[..slash].rfind('"').map_or(slash, |quote| quote + 1);
                    line.replace_range(start..=slash, "");
                }
            }
            text += &line;
            text.push('\n');
        }
        text
    }

    /// The experiment file comes last.
    fn contents(&self) -> Vec<(String, Vec<u8>)> {
        let suite_text =
            |file: &str| SUITES.iter().find(|suite| suite.file == file).map(|suite: &BuiltinSuite| suite.text);
        // The only input file that is not a suite is the trace.
        let content = |file: &str| suite_text(file).map_or(TRACE_BYTES, str::as_bytes).to_vec();
        let input_files = self.input_files.iter().map(|&file| (file.to_owned(), content(file)));
        input_files.chain([(format!("{}.toml", self.name), self.experiment_text().into_bytes())]).collect()
    }
}

pub fn run(args: &Args) -> CommandResult {
    let Some(name) = &args.template else {
        for template in TEMPLATES {
            println!("{:<14} {}", template.name, template.question());
        }
        println!("\n`ttlab new NAME` writes one of these experiments and its suite");
        return Ok(Exit::Done);
    };
    let names = || TEMPLATES.iter().map(|template| template.name);
    let Some(template) = TEMPLATES.iter().find(|template| template.name == name) else {
        let hint =
            crate::experiment::problem::nearest(name, names()).map_or_else(String::new, |hint| format!("{hint} "));
        refuse!("there is no template `{name}`: {hint}there are {}", names().collect::<Vec<_>>().join(", "));
    };
    let mut contents = template.contents();
    let nodes = args.nodes.or_else(|| args.seconds.map(|seconds| (1e6 * seconds) as u64));
    if let (Some(hash), Some(nodes), Some((_, file))) = (args.hash, nodes, contents.last_mut()) {
        *file = scale(&template.experiment_text(), hash, nodes)?.into_bytes();
    }
    let contents: Vec<(PathBuf, Vec<u8>)> =
        contents.into_iter().map(|(file, bytes)| (args.out.join(file), bytes)).collect();
    let experiment_index = contents.len() - 1;
    for (index, (path, bytes)) in contents.iter().enumerate() {
        // The files that an experiment reads may exist already, if their content is the same.
        let accepted_content = (index < experiment_index).then_some(bytes.as_slice());
        check_path_is_free(path, accepted_content)?;
    }
    crate::record::create_folder(&args.out).map_err(io_failure(&args.out))?;
    for (path, bytes) in &contents {
        create_file(path, bytes)?;
    }
    let (experiment_path, _) = &contents[experiment_index];
    println!("to use it:  ttlab {} {}", template.command, experiment_path.display());
    Ok(Exit::Done)
}

/// Gives the template's table the stores per slot of a table of size `hash` in an engine that
/// searches `nodes` in a move: it is smaller by as much as the template's moves have fewer nodes.
fn scale(text: &str, hash: Size, nodes: u64) -> Result<String, CommandFailure> {
    const LIMIT: f64 = 2000.0;
    const MIN_ENTRIES: f64 = 64.0;
    let scaled = |amount: u64| amount as f64 * LIMIT / nodes as f64;
    let entries = match hash {
        Size::Bytes(bytes) => scaled(bytes) / 16.0,
        Size::Entries(entries) => scaled(entries),
        Size::Share(_) => refuse!("--hash: expected a size such as 16MiB, found the share {hash}"),
    };
    if entries < MIN_ENTRIES {
        refuse!(
            "--hash: {hash} at {nodes} nodes a move is less than {MIN_ENTRIES} entries at {LIMIT} nodes, too few to show anything: give more"
        );
    }
    let size = match hash {
        // Quarters of a KiB.
        Size::Bytes(_) => format!("\"{}\"", Size::Bytes(256 * (entries / 16.0).round() as u64)),
        _ => (entries as u64).to_string(),
    };
    let [old_size, old_pressure] = ["\"16 KiB\"", "16 MiB at about 2,000,000 nodes a move"];
    if !text.contains(old_pressure) {
        refuse!("--hash: only the template `which-policy` can be scaled");
    }
    Ok(text.replacen(old_pressure, &format!("{hash} at {nodes} nodes a move"), 1).replacen(old_size, &size, 1))
}

fn check_path_is_free(path: &Path, accepted_content: Option<&[u8]>) -> Result<(), CommandFailure> {
    let has_content = |content: &[u8]| crate::system::files::read(path).is_ok_and(|bytes| bytes == content);
    let exists = path.symlink_metadata().is_ok();
    if exists && !accepted_content.is_some_and(has_content) {
        refuse!(
            "{}: already exists and is not overwritten: rename it, or choose another folder with --out",
            path.display()
        );
    }
    Ok(())
}

/// Creates and writes a file. If another process has created a file at the path in the meantime,
/// the file is not overwritten.
fn create_file(path: &Path, bytes: &[u8]) -> Result<(), CommandFailure> {
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return check_path_is_free(path, Some(bytes)),
        Err(error) => return Err(io_failure(path)(error)),
    };
    file.write_all(bytes).map_err(io_failure(path))?;
    println!("{}", path.display());
    Ok(())
}
