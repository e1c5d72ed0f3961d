//! Reads and checks an experiment file.

use super::baseline::{self, Partners};
use super::file::{File, SKIP_BAD};
use super::grid;
use super::options::Setting;
use super::problem::Problem;
use super::section_check::{check_conflicts, check_suites};
use super::suites::{self, Section};
use super::text::{FileText, LoadedSuite};
use super::trace::Trace;
use super::variant::Variant;
use super::work::Work;
use crate::chess::fault::OnError;
use crate::chess::suite::{Item, Suite};
use crate::engine::Limit;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

    /// The number of searches that each variant makes of the positions of an item.
    pub fn searches_per_variant(&self, item: &Item) -> usize {
        match (self.work.sequence(), item.game_moves()) {
            (None, None) => 1,
            (sequence, Some(_)) => sequence.unwrap_or_default().count_searched(item),
            // `self_play` is a number of plies.
            (Some(sequence), None) => usize::from(sequence.self_play),
        }
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

    /// As [`Experiment::load`], for callers that only plan. If an expectation is invalid, the
    /// experiment is returned together with that error, because expectations change no search.
    ///
    /// # Errors
    /// The first error other than in expectations.
    pub fn load_to_plan(path: &Path, overrides: &[String]) -> Result<(Self, Option<Problem>), Problem> {
        let text = read_file_text(path)?;
        Self::read(&FileText { text: &text, path, suite_paths: None }, overrides)
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
        let (experiment, problem) = Self::read(&FileText { text, path, suite_paths }, overrides)?;
        problem.map_or(Ok(experiment), Err)
    }

    /// Reads the experiment. If an expectation is invalid, the experiment is returned together with
    /// that error.
    fn read(source: &FileText<'_>, overrides: &[String]) -> Result<(Self, Option<Problem>), Problem> {
        let mut file: File = source.parse_file()?;
        if let Some(path) = source.text.parse().ok().as_ref().and_then(super::schema::misplaced_list) {
            return Err(source.invalid(&path, "expected a single value, found a list"));
        }
        let name = experiment_name(&file, source)?;
        for (path, count) in [("repeats", file.repeats), ("seeds", file.seeds), ("schedules", file.schedules)] {
            source.check_range(path, count, (1..=10_000).contains(&count), "1 to 10000")?;
        }
        let effect = file.smallest_effect;
        source.check_range("smallest_effect", effect, (0.0..1.0).contains(&effect), "at least 0 and below 1")?;
        if overrides.iter().any(|setting| setting == SKIP_BAD) {
            file.on_error = OnError::Skip;
        }
        for (index, pattern) in file.reuse.iter().enumerate() {
            check_folder_pattern(pattern).map_err(|error| source.invalid(&format!("reuse.{index}"), error))?;
        }
        if file.asks_for_times() && !file.reuse.is_empty() {
            return Err(source.invalid(
                "reuse",
                "is not allowed with times = true or repeats above 1: times are never taken from other folders",
            ));
        }
        source.check_range("first", 0, file.first != Some(0), "at least 1")?;
        check_conflicts(&file, source)?;
        check_suites(&file, source)?;
        let mut sections = Vec::new();
        let mut work = match &file.games {
            Some(games) => Work::Match(games.clone()),
            None => Work::Search(file.sequence),
        };
        let (suite_name, suite_file, mut suite) = match (&file.suite, &file.suites, &file.trace) {
            (Some(choice), ..) => {
                let LoadedSuite { name, path, suite } =
                    source.load_suite(choice, "suite", None, file.on_error, file.first)?;
                (name, path, suite)
            }
            (None, Some(entries), _) => {
                let (name, suite, loaded_sections) = suites::load(entries, file.on_error, file.first, source)?;
                sections = loaded_sections;
                (name, None, suite)
            }
            (None, None, Some(choice)) => {
                let trace = Arc::new(Trace::load(choice, source)?);
                work = Work::Replay(Arc::clone(&trace));
                (format!("{} (a trace: open loop)", trace.name), None, trace.suite())
            }
            (None, None, None) => {
                return Err(source.problem("suite: missing: give suite = \"FILE\", or [trace] with file = \"FILE\""));
            }
        };
        let (variants, partners) = read_variants(&file, overrides, source)?;
        let baseline = partners.bases().next().unwrap_or(0);
        // If tables are never cleared, a search depends on all earlier items, so a repeated
        // position is not a duplicate.
        let needs_unique_items = match work {
            Work::Search(_) => !variants.iter().all(Variant::keeps_state),
            Work::Match(_) => true,
            Work::Replay(_) => false,
        };
        let (on_error, first) = (file.on_error, file.first.unwrap_or(usize::MAX));
        if file.suites.is_none() {
            if needs_unique_items {
                source.check_unique("suite", &suite_name, on_error, &mut suite)?;
            }
            suite.items.truncate(first);
            source.check_sequence(file.sequence, &suite)?;
        } else {
            suites::edit_sections(&mut suite, &mut sections, |section, section_suite| {
                if needs_unique_items {
                    let name = section.entry.file.display().to_string();
                    source.check_unique(&format!("suites.{}", section.name), &name, on_error, section_suite)?;
                }
                section_suite.items.truncate(first);
                source.check_sequence(file.sequence, section_suite)
            })?;
            suites::check_unique_across(&mut suite, &mut sections, on_error, source)?;
        }
        if let Some(games) = work.games() {
            games.check(&variants, &suite, source)?;
        }
        if let Some(tune) = &file.tune {
            tune.check(source)?;
        }
        if let Some(reference) = &file.reference {
            reference.check(&file, &variants, baseline, source)?;
        }
        let mut openings = None;
        if let Some(confirm) = &file.confirm {
            confirm.check(&variants, source)?;
            if source.suite_paths.is_none() {
                let LoadedSuite { name, suite, .. } =
                    source.load_suite(&confirm.openings, "confirm.openings", None, file.on_error, None)?;
                confirm.check_openings(&suite, source)?;
                openings = Some((name, suite));
            }
        }
        if file.seeds > 1 && variants.iter().any(|variant| variant.external().is_some()) {
            return Err(source.invalid("seeds", "an external engine has no key seeds: give seeds = 1"));
        }
        let has_real_threads = variants.iter().filter_map(Variant::builtin).any(|options| options.threads.is_real());
        if (file.games.is_some() || file.tune.is_some()) && has_real_threads {
            let problem = "\"real\" makes searches that do not repeat, but games and races must be repeatable: expected \
                 \"virtual\"";
            return Err(source.invalid("threads.kind", problem));
        }
        if file.schedules > 1 {
            let problem = if file.seeds > 1 {
                "is not allowed beside seeds: give the seeds as variants (\"keys.seed\" = [1, 2, 3] in [grid])"
            } else if variants.iter().filter_map(Variant::builtin).any(|options| options.threads.uses_seed()) {
                ""
            } else {
                "no variant has a schedule that depends on a seed: give one threads.count above 1 and \
                 threads.schedule = \"random\" or threads.helpers = \"shuffle\""
            };
            if !problem.is_empty() {
                return Err(source.invalid("schedules", problem));
            }
        }
        let (text, overrides) = (source.text.to_owned(), overrides.to_vec());
        let experiment = Self {
            name,
            text,
            folder: source.path.parent().unwrap_or(Path::new("")).to_owned(),
            overrides,
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
        };
        let expectations_check = match experiment.work.games() {
            Some(games) => super::expect_check::check_match(
                &experiment.file.expect,
                &experiment.variants,
                experiment.baseline,
                games,
                source,
            ),
            None => super::expect_check::check(&experiment.file, &experiment.variants, source),
        };
        Ok((experiment, expectations_check.err()))
    }
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

/// Checks a pattern of folders. `**` would search all folders below.
pub fn check_folder_pattern(pattern: &str) -> Result<(), String> {
    if pattern.contains("**") {
        return Err("`**` is not allowed: write one `*` for each level of folders".to_owned());
    }
    glob::Pattern::new(pattern).map(drop).map_err(|error| error.to_string())
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
