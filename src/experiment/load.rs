//! Reads and checks an experiment file.

use super::baseline::{self, Partners};
use super::file::{File, SKIP_BAD};
use super::grid;
use super::items::{self, Items};
use super::matches::Match;
use super::options::Setting;
use super::problem::Problem;
use super::section_check::{check_file, check_variants};
use super::suites::{self, Section};
use super::text::{FileText, LoadedSuite};
use super::variant::Variant;
use super::work::Work;
use crate::chess::fault::OnError;
use crate::chess::suite::{Item, Suite};
use crate::engine::Limit;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An experiment file that passed every check, with its suite and variants.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Name of the experiment and of its folder.
    pub name: String,
    /// The settings of the file, with defaults filled in.
    pub file: File,
    /// The file's text, as read.
    pub text: String,
    /// The folder of the file; empty if it is the working folder, or unknown in a plan.
    pub folder: PathBuf,
    /// The `--set` overrides, as `path=value`.
    pub overrides: Vec<String>,
    /// The suite's name as the file gives it.
    pub suite_name: String,
    /// The path of the suite's file. `None` if the experiment file contains the position itself, if
    /// a plan contains the suite's text, or if there are several suites.
    pub suite_file: Option<PathBuf>,
    /// The positions or games. If there are several suites, these are the items of all suites in
    /// order.
    pub suite: Suite,
    /// The section of each suite if there are several suites; otherwise empty.
    pub sections: Vec<Section>,
    /// What the jobs do.
    pub work: Work,
    /// The variants, in the file's order.
    pub variants: Vec<Variant>,
    /// Index of the baseline in `variants`. If there are several baselines, this is the first.
    pub baseline: usize,
    /// The baseline of each variant.
    pub partners: Partners,
    /// The name and items of the openings of `[confirm]`. `None` if the experiment was read from a
    /// plan, because the shards of a plan do not play these games.
    pub openings: Option<(String, Suite)>,
}

impl Experiment {
    /// If there is a single suite, it contains all items.
    pub fn suites(&self) -> Vec<&[Item]> {
        match self.sections.as_slice() {
            [] => vec![&self.suite.items],
            sections => sections.iter().map(|section| &self.suite.items[section.item_range.clone()]).collect(),
        }
    }

    /// The limits of a variant's searches: one limit for each suite, in order.
    pub fn limits(&self, variant: &Variant) -> Vec<Limit> {
        suites::search_limits(self.file.suites.as_ref(), variant.limit).into_iter().map(|(_, limit)| limit).collect()
    }

    /// Whether at least one position of an item is searched. No position is searched of a game that
    /// ends before the first searched ply.
    pub fn is_searched(&self, item: &Item) -> bool {
        self.work.sequence().is_none_or(|sequence| sequence.searches_any_position(item))
    }

    /// Whether searches may share a table, along the suite's games or the engine's own play.
    pub fn has_sequences(&self) -> bool {
        self.work.sequence().is_some() || self.suite.items.iter().any(|item| item.game_moves().is_some())
    }

    /// Counts the searches that each variant makes. Returns `[repeated, total]`: the number of
    /// searches that repeat an earlier search, and the number of all searches. Returns `None` if
    /// nothing is searched.
    pub fn count_repeated_searches(&self) -> Option<[usize; 2]> {
        let uses_clocks = self.variants.iter().any(|variant| variant.builtin().is_none_or(|options| options.draws));
        let Work::Search(sequence) = &self.work else { return None };
        Some(super::identity::count_repeated(&self.suite.items, sequence.as_ref(), uses_clocks))
    }

    /// Reads and checks an experiment file. `overrides` are `path=value` pairs that override
    /// options of every variant.
    ///
    /// # Errors
    /// The first error, with its place in the file.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Self, Problem> {
        Self::parse(&read_file_text(path)?, path, overrides)
    }

    /// As [`Experiment::load`], from the file's text. `path` is the file's path. Suites are looked
    /// up relative to `path`, and errors name `path`.
    ///
    /// # Errors
    /// The first error, with its place in the file.
    pub fn parse(text: &str, path: &Path, overrides: &[String]) -> Result<Self, Problem> {
        Self::from_plan(text, path, overrides, None)
    }

    /// As [`Experiment::parse`]. If a plan gives the paths of the suites, `suite_paths` has them by
    /// suite name (see [`super::text::ONLY_SUITE`]).
    pub fn from_plan(
        text: &str,
        path: &Path,
        overrides: &[String],
        suite_paths: Option<&BTreeMap<String, PathBuf>>,
    ) -> Result<Self, Problem> {
        let source = &FileText { text, path, suite_paths };
        let mut file: File = source.parse_file()?;
        if let Some(path) = source.text.parse().ok().as_ref().and_then(super::schema::misplaced_list) {
            return Err(source.invalid(&path, "expected a single value, found a list"));
        }
        if overrides.iter().any(|setting| setting == SKIP_BAD) {
            file.on_error = OnError::Skip;
        }
        let name = experiment_name(&file, source)?;
        check_file(&file, source)?;
        let (variants, partners) = read_variants(&file, overrides, source)?;
        let baseline = partners.bases().next().unwrap_or(0);
        check_variants(&file, &variants, baseline, source)?;
        let Items { suite_name, suite_file, suite, sections, work } = items::load(&file, &variants, source)?;
        let openings = load_openings(&file, source)?;
        match work.games() {
            Some(games) => {
                Match::check_openings(&suite, source)?;
                super::expect_check::check_match(&file.expect, &variants, baseline, games, source)?;
            }
            None => super::expect_check::check(&file, &variants, suite.has_mates(), source)?,
        }
        Ok(Self {
            name,
            text: text.to_owned(),
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            overrides: overrides.to_vec(),
            suite_name,
            suite_file,
            suite,
            sections,
            work,
            variants,
            baseline,
            partners,
            openings,
            file,
        })
    }
}

/// Loads the openings of `[confirm]`. Shards do not play these games, so a plan has no openings.
fn load_openings(file: &File, source: &FileText<'_>) -> Result<Option<(String, Suite)>, Problem> {
    let Some(confirm) = file.confirm.as_ref().filter(|_| source.suite_paths.is_none()) else { return Ok(None) };
    let LoadedSuite { name, suite, .. } =
        source.load_suite(&confirm.openings, "confirm.openings", None, file.on_error, None)?;
    confirm.check_openings(&suite, source)?;
    Ok(Some((name, suite)))
}

/// Reads the variants of a file, adds the handicapped copies of a match's baseline, and finds each
/// variant's baseline.
fn read_variants(
    file: &File,
    overrides: &[String],
    source: &FileText<'_>,
) -> Result<(Vec<Variant>, Partners), Problem> {
    // It concerns only the suite.
    let overrides: Vec<String> = overrides.iter().filter(|setting| *setting != SKIP_BAD).cloned().collect();
    let mut variants = grid::expand_variants(file, &Setting::parse_all(&overrides)?, source)?;
    let mut partners = baseline::find_baselines(file, &variants, source)?;
    if let Some(match_section) = &file.games {
        let baseline = partners.bases().next().unwrap_or(0);
        match_section.add_handicaps(&mut variants, baseline, source)?;
        partners = Partners::single(baseline, variants.len());
    }
    Ok((variants, partners))
}

/// If the file gives no name, returns the name of the file without its extension.
fn experiment_name(file: &File, source: &FileText<'_>) -> Result<String, Problem> {
    let name = file.name.clone().unwrap_or_else(|| {
        source.path.file_stem().map_or_else(|| "experiment".to_owned(), |stem| stem.to_string_lossy().into_owned())
    });
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !name.is_empty() && !name.starts_with('.') && name.chars().all(is_allowed) {
        return Ok(name);
    }
    let help = file.name.is_none().then(|| {
        let suggestion: String = name.chars().map(|c| if is_allowed(c) { c } else { '-' }).collect();
        let prefix = if suggestion.starts_with('.') { "x" } else { "" };
        format!(
            "the name was taken from the file's name: write name = \"{prefix}{suggestion}\" at the top of the \
            file"
        )
    });
    let message = format!("`{name}` is not a valid folder name: expected letters, digits, - _ .");
    Err(Problem { help, ..source.invalid("name", message) })
}

fn read_file_text(path: &Path) -> Result<String, Problem> {
    let problem = |message: String| Problem { file: path.display().to_string(), message, ..Problem::default() };
    let in_experiments = Path::new("experiments").join(path);
    let help = if in_experiments.exists() {
        format!("did you mean `{}`?", in_experiments.display())
    } else {
        let name = path.file_stem().unwrap_or_default().display();
        format!("`ttlab new` lists templates. If there is a template `{name}`, `ttlab new {name}` writes the file")
    };
    let bytes = crate::system::files::read_input(path).map_err(|error| {
        let help = (error.kind() == std::io::ErrorKind::NotFound).then_some(help);
        Problem { help, ..problem(format!("cannot be read: {error}")) }
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let (index, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
        // Lossy decoding replaces the invalid byte by one character of three bytes.
        let (text, span) = (String::from_utf8_lossy(bytes).into_owned(), Some(index..index + 3));
        Problem { text, span, ..problem(format!("expected UTF-8 text, found the byte {:#04x}", bytes[index])) }
    })
}
