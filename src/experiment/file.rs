//! The TOML of an experiment, and the experiment that it means.

use super::baseline;
use super::expect::{Expect, Scalar};
use super::grid::{self, Variant};
use super::options::Setting;
use super::problem::Problem;
use super::sequence::Sequence;
use super::suites::{self, Section, SuiteEntries};
use super::text::{FileText, LoadedSuite, SuiteTexts};
use super::trace::{Trace, TraceChoice};
use crate::chess::fault::OnError;
use crate::chess::suite::{Item, Suite};
use crate::engine::Limit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Table;

/// An experiment file.
// What it leaves out is as serde finds it in the default, but for the numbers that name their own.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct File {
    /// The experiment's name and that of its folder under `reports/`; default: the file's name.
    pub name: Option<String>,
    /// What it should answer; heads the report.
    pub question: String,
    /// What the reader should make of the figures; printed in the report.
    pub analysis: String,
    /// The article whose claims the file holds against rows; what is expected as `published` is said there.
    pub article: Option<Article>,
    /// The positions: an EPD, FEN or PGN file (looked for beside the experiment file, then in the working folder), `builtin:NAME`
    /// (`builtin:bratko-kopec`; an unknown name lists all), or `{ startpos = true }`, or `{ fen = "..." }`.
    pub suite: Option<SuiteChoice>,
    /// Several suites by name, instead of one: `{ NAME = { file = "FILE", depth = 8 } }`. Each is searched under its own limit and has its own
    /// section of the page; rows say in the column `suite` which they are of.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, super::suites::SuiteEntry>"))]
    pub suites: Option<SuiteEntries>,
    /// A recorded trace instead of a suite: its games are shown to the tables of all variants, and nothing is searched (open loop). Of the
    /// options only those of the table count; `search.nodes` are the recorded ones and those of the results that a table lost.
    pub trace: Option<TraceChoice>,
    /// What becomes of a position or game that cannot be read: `"stop"`: nothing is run; `"skip"`: it is left out, and the report says so.
    pub on_error: OnError,
    /// Whether it takes minutes: `ttlab reproduce --quick` leaves it out.
    pub slow: bool,
    /// Only the first so many items of the suite, or of each.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub first: Option<usize>,
    /// When each search ends.
    pub limit: LimitChoice,
    /// How often each search is made; more than 1 makes timings worth printing.
    #[serde(default = "default_count")]
    #[cfg_attr(test, schemars(range(min = 1, max = 10_000)))]
    pub repeats: u32,
    /// How many key seeds every variant is run under; what is compared is the mean over them.
    #[serde(default = "default_count")]
    #[cfg_attr(test, schemars(range(min = 1, max = 10_000)))]
    pub seeds: u32,
    /// The smallest difference that matters to a claim of `[[expect]]`: 0.005 is half a percent.
    #[serde(default = "default_smallest_effect")]
    pub smallest_effect: f64,
    /// Which variant the others are held against: `{ variant = "no table" }`, or the value of an option
    /// (`{ "table.policy.kind" = "always" }`). Default: the first.
    pub baseline: BTreeMap<String, Scalar>,
    /// Searches along games instead of single positions.
    pub sequence: Option<Sequence>,
    /// The variants play games from the openings of the suite instead of searching them.
    #[serde(rename = "match")]
    pub games: Option<super::Match>,
    /// How `ttlab tune` races the variants for the best one.
    pub tune: Option<super::Tune>,
    /// How games decide among the variants that the searches leave.
    pub confirm: Option<super::Confirm>,
    /// Who is examined: an engine that speaks UCI; without it ttlab's own.
    #[cfg_attr(test, schemars(with = "Option<crate::subject::SubjectOptions>"))]
    pub subject: Option<Table>,
    /// Whose deep searches judge the moves (the loss of each in centipawns, and whether it is the same), or the scores.
    pub reference: Option<super::reference::Reference>,
    /// The options of the engine; `preset` names a starting point.
    #[cfg_attr(test, schemars(with = "EngineWithPreset"))]
    pub engine: Table,
    /// Axes: option path = list of values; every combination runs.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Vec<serde_json::Value>>"))]
    pub grid: Table,
    /// Named points: `name` and option paths.
    #[cfg_attr(test, schemars(with = "Vec<BTreeMap<String, serde_json::Value>>"))]
    pub variant: Vec<Table>,
    /// Axes whose paths move together.
    #[cfg_attr(test, schemars(with = "Vec<BTreeMap<String, Vec<serde_json::Value>>>"))]
    pub zip: Vec<Table>,
    /// Points of the grid to leave out: all paths match.
    #[cfg_attr(test, schemars(with = "Vec<BTreeMap<String, serde_json::Value>>"))]
    pub exclude: Vec<Table>,
    /// Points to add whatever the excludes say.
    #[cfg_attr(test, schemars(with = "Vec<BTreeMap<String, serde_json::Value>>"))]
    pub include: Vec<Table>,
    /// Published or known figures, and the verdicts on them.
    pub expect: Vec<Expect>,
}

/// An article, as reports cite it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Article {
    /// Its title.
    pub title: String,
    /// Who wrote it.
    #[serde(default)]
    pub author: String,
    /// The year; none where it bears no date.
    #[serde(default)]
    pub year: Option<u16>,
    /// Where it is to be read.
    #[serde(default)]
    pub link: String,
}

fn default_count() -> u32 {
    1
}

/// The smallest difference that matters to a claim where the file names none.
pub fn default_smallest_effect() -> f64 {
    0.005
}

/// The engine's options and the preset under them, for the schema.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[allow(dead_code)]
struct EngineWithPreset {
    /// A named starting point that the other options override.
    preset: Option<String>,
    #[serde(flatten)]
    options: crate::engine::EngineOptions,
}

/// Where the positions come from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a file in quotes, { startpos = true } or { fen = \"...\" }")]
pub enum SuiteChoice {
    /// A file.
    File(PathBuf),
    /// One position.
    One(OnePosition),
}

/// One position, given in the file itself.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OnePosition {
    /// The position in FEN.
    pub fen: Option<String>,
    /// The start position.
    pub startpos: bool,
}

/// When a search ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LimitChoice {
    /// After the iteration of this depth, in plies, 1..=255.
    #[cfg_attr(test, schemars(range(min = 1, max = 255)))]
    pub depth: Option<u8>,
    /// Before it enters another node than this many, over all iterations.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub nodes: Option<u64>,
}

/// The setting that leaves out what cannot be read of a suite, as `on_error = "skip"` does.
pub const SKIP_BAD: &str = "on_error=skip";

/// A checked experiment.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Name of the experiment and of its folder.
    pub name: String,
    /// The file as read.
    pub file: File,
    /// The file's text.
    pub text: String,
    /// What `--set` laid over it.
    pub sets: Vec<String>,
    /// The suite's name as the file gives it.
    pub suite_name: String,
    /// The suite's file as it was found; none where the experiment gives its position itself, or a plan its suite's text, or there are several.
    pub suite_file: Option<PathBuf>,
    /// The positions or games; of several suites those of all, one suite after the other.
    pub suite: Suite,
    /// Which of them are of which suite, where there are several; else nothing.
    pub sections: Vec<Section>,
    /// The trace whose games they are, where nothing is searched.
    pub trace: Option<Arc<Trace>>,
    /// The points, in the file's order.
    pub variants: Vec<Variant>,
    /// Place of the baseline among them.
    pub baseline: usize,
    /// The openings of `[confirm]`, and what their file is called; none where a plan is read, whose shards play nothing.
    pub openings: Option<(String, Suite)>,
}

impl Experiment {
    /// The items of each suite; of one suite all.
    pub fn suites(&self) -> Vec<&[Item]> {
        match self.sections.as_slice() {
            [] => vec![&self.suite.items],
            sections => sections.iter().map(|section| &self.suite.items[section.items.clone()]).collect(),
        }
    }

    /// The limits under which a point is searched: one, or one for each suite.
    pub fn limits(&self, variant: &Variant) -> Vec<Limit> {
        suites::limits(&self.file, variant.limit).into_iter().map(|(_, limit)| limit).collect()
    }

    /// How many searches of each variant an item of the suite asks for.
    pub fn searches_per_variant(&self, item: &Item) -> usize {
        match (self.file.sequence, item.game()) {
            (None, None) => 1,
            (sequence, Some(_)) => sequence.unwrap_or_default().count_searched(item),
            (Some(sequence), None) => usize::from(sequence.self_play),
        }
    }

    /// Whether anything of an item is searched: a game may be shorter than the plies that are wanted.
    pub fn is_searched(&self, item: &Item) -> bool {
        self.file.sequence.is_none_or(|sequence| sequence.searches(item))
    }

    /// How many of a variant's searches are of what was searched before, and of how many; none where nothing is searched.
    pub fn count_repeated_searches(&self) -> Option<[usize; 2]> {
        let clocks = self.variants.iter().any(|variant| variant.options.draws || variant.external().is_some());
        let searched = self.trace.is_none() && self.file.games.is_none();
        searched.then(|| super::identity::count_repeated(&self.suite.items, self.file.sequence.as_ref(), clocks))
    }

    /// Reads and checks a file. `sets`: `path=value` pairs that are laid over every point.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub fn load(path: &Path, sets: &[String]) -> Result<Self, Problem> {
        Self::parse(&read_file_text(path)?, path, sets)
    }

    /// As [`Experiment::load`], for who only wants to know what would be searched: a wrong expectation, which changes no search, is
    /// handed back beside it.
    ///
    /// # Errors
    /// The first other mistake, with its place.
    pub fn load_to_plan(path: &Path, sets: &[String]) -> Result<(Self, Option<Problem>), Problem> {
        let text = read_file_text(path)?;
        Self::read(&FileText { text: &text, path, suites: SuiteTexts::Files }, sets)
    }

    /// As [`Experiment::load`], from text; `path` is where relative suites are looked for and what errors call the file.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub fn parse(text: &str, path: &Path, sets: &[String]) -> Result<Self, Problem> {
        Self::parse_checked(&FileText { text, path, suites: SuiteTexts::Files }, sets)
    }

    /// As [`Experiment::parse`], with the texts of suites given too: no file is looked for.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub fn from_plan(text: &str, path: &Path, sets: &[String], suites: SuiteTexts<'_>) -> Result<Self, Problem> {
        Self::parse_checked(&FileText { text, path, suites }, sets)
    }

    /// The variants of a file's text and the place of the baseline, whatever became of its suite.
    ///
    /// # Errors
    /// The first mistake in them, with its place.
    pub fn parse_variants(text: &str, path: &Path, sets: &[String]) -> Result<(Vec<Variant>, usize), Problem> {
        let source = FileText { text, path, suites: SuiteTexts::Files };
        let file: File = source.parse_file()?;
        read_variants(&file, sets, &source)
    }

    fn parse_checked(source: &FileText<'_>, sets: &[String]) -> Result<Self, Problem> {
        let (experiment, wrong) = Self::read(source, sets)?;
        wrong.map_or(Ok(experiment), Err)
    }

    /// The experiment, and what is wrong with its expectations.
    fn read(source: &FileText<'_>, sets: &[String]) -> Result<(Self, Option<Problem>), Problem> {
        let mut file: File = source.parse_file()?;
        if let Some(path) = source.text.parse().ok().as_ref().and_then(super::schema::misplaced_list) {
            return Err(source.invalid(&path, "a list stands where none belongs"));
        }
        let name = experiment_name(&file, source)?;
        for (path, count) in [("repeats", file.repeats), ("seeds", file.seeds)] {
            source.check_range(path, count, (1..=10_000).contains(&count), "1 to 10000")?;
        }
        let effect = file.smallest_effect;
        source.check_range("smallest_effect", effect, (0.0..1.0).contains(&effect), "0 to below 1")?;
        if sets.iter().any(|set| set == SKIP_BAD) {
            file.on_error = OnError::Skip;
        }
        source.check_range("first", 0, file.first != Some(0), "at least 1")?;
        suites::check(&file, source)?;
        let mut sections = Vec::new();
        let (suite_name, suite_file, mut suite, trace) = match (&file.suite, &file.suites, &file.trace) {
            (Some(choice), _, None) => {
                let LoadedSuite { name, path, suite } =
                    source.load_suite(choice, "suite", None, file.on_error, file.first)?;
                (name, path, suite, None)
            }
            (None, Some(entries), _) => {
                let (name, suite, found) = suites::load(entries, &file, source)?;
                sections = found;
                (name, None, suite, None)
            }
            (None, None, Some(choice)) => {
                let trace = Trace::load(choice, source)?;
                (format!("{} (a trace: open loop)", trace.name), None, trace.suite(), Some(Arc::new(trace)))
            }
            (None, None, None) => {
                return Err(source.problem("suite: missing: give suite = \"FILE\", or [trace] with file = \"FILE\""));
            }
            (Some(_), _, Some(_)) => {
                return Err(source.invalid("trace", "a suite is given too: searches or a trace, not both"));
            }
        };
        if trace.is_some() && file.sequence.is_some() {
            return Err(source.invalid("sequence", "a trace has its own games"));
        }
        if trace.is_some() && file.seeds > 1 {
            return Err(source.invalid("seeds", "a trace has its own keys: every seed would be shown the same"));
        }
        let (variants, baseline) = read_variants(&file, sets, source)?;
        // A search of what is kept depends on every item before it: it is another when its position comes again.
        let once = trace.is_none() && !(file.games.is_none() && variants.iter().all(Variant::keeps_state));
        let (on_error, first) = (file.on_error, file.first.unwrap_or(usize::MAX));
        if file.suites.is_none() {
            if once {
                source.check_unique("suite", &suite_name, on_error, &mut suite)?;
            }
            suite.items.truncate(first);
            source.check_sequence(&file, &suite)?;
        } else {
            suites::edit_sections(&mut suite, &mut sections, |section, part| {
                if once {
                    let name = section.entry.file.display().to_string();
                    source.check_unique(&format!("suites.{}", section.name), &name, on_error, part)?;
                }
                part.items.truncate(first);
                source.check_sequence(&file, part)
            })?;
            suites::check_unique_across(&mut suite, &mut sections, on_error, source)?;
        }
        if let Some(games) = &file.games {
            games.check(&file, &variants, &suite, source)?;
        }
        if let Some(tune) = &file.tune {
            tune.check(source)?;
        }
        if let Some(reference) = &file.reference {
            reference.check(&file, &variants, baseline, source)?;
        }
        let mut openings = None;
        if let Some(confirm) = &file.confirm {
            confirm.check(&file, &variants, source)?;
            if matches!(source.suites, SuiteTexts::Files) {
                let LoadedSuite { name, suite, .. } =
                    source.load_suite(&confirm.openings, "confirm.openings", None, file.on_error, None)?;
                confirm.check_openings(&suite, source)?;
                openings = Some((name, suite));
            }
        }
        if file.seeds > 1 && variants.iter().any(|variant| variant.external().is_some()) {
            return Err(source.invalid("seeds", "an engine that is not ttlab's own has no key seeds"));
        }
        let (text, sets) = (source.text.to_owned(), sets.to_vec());
        let experiment = Self {
            name,
            text,
            sets,
            suite_name,
            suite_file,
            suite,
            sections,
            trace,
            variants,
            baseline,
            openings,
            file,
        };
        let checked = match &experiment.file.games {
            Some(games) => super::match_claims::check(&experiment, games, source),
            None => super::expect::check(&experiment.file, &experiment.variants, source),
        };
        Ok((experiment, checked.err()))
    }
}

/// The points of a file, the baseline's place among them, and after them its copies of a match.
fn read_variants(file: &File, sets: &[String], source: &FileText<'_>) -> Result<(Vec<Variant>, usize), Problem> {
    let mut variants = grid::expand_variants(file, &parse_settings(sets)?, source)?;
    let baseline = baseline::find_baseline(file, &variants, source)?;
    if let Some(games) = &file.games {
        games.check_players(&variants, source)?;
        games.add_handicaps(&mut variants, baseline, source)?;
    }
    Ok((variants, baseline))
}

/// The experiment's name: the file's own, or that by which the file is called.
fn experiment_name(file: &File, source: &FileText<'_>) -> Result<String, Problem> {
    let name = file.name.clone().unwrap_or_else(|| {
        source.path.file_stem().map_or_else(|| "experiment".to_owned(), |stem| stem.to_string_lossy().into_owned())
    });
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !name.is_empty() && !name.starts_with('.') && name.chars().all(plain) {
        return Ok(name);
    }
    let help = file.name.is_none().then(|| {
        let other: String = name.chars().map(|c| if plain(c) { c } else { '-' }).collect();
        let letter = if other.starts_with('.') { "x" } else { "" };
        format!("without a name it is called as its file is: write name = \"{letter}{other}\" at its top")
    });
    let what = format!("`{name}` is not a plain folder name (letters, digits, - _ .)");
    Err(Problem { help, ..source.invalid("name", what) })
}

/// What `--set` lays over every point.
fn parse_settings(sets: &[String]) -> Result<Vec<Setting>, Problem> {
    let sets: Vec<String> = sets.iter().filter(|set| *set != SKIP_BAD).cloned().collect();
    Setting::parse_all(&sets)
}

fn read_file_text(path: &Path) -> Result<String, Problem> {
    let problem = |message: String| Problem { file: path.display().to_string(), message, ..Problem::default() };
    let bytes = crate::system::files::read_input(path).map_err(|error| problem(format!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let (at, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
        // What is wrong is one sign of three bytes in the text that is shown.
        let (text, span) = (String::from_utf8_lossy(bytes).into_owned(), Some(at..at + 3));
        Problem { text, span, ..problem(format!("expected UTF-8 text, found the byte {:#04x}", bytes[at])) }
    })
}
