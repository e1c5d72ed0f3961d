//! From axes, variants and excludes to points: each a full set of options with a name.

use super::axes::{combinations, locate_axis_value, read_axes};
use super::excludes::Excludes;
use super::file::{File, LimitChoice};
use super::options::{self, OptionFault, Setting, paths_overlap};
use super::paths;
use super::place::locate;
use super::problem::{Problem, nearest, quoted_word, suggest_new_name};
use super::subject;
use super::suites::{self, SuiteEntry};
use super::text::{FileText, SuiteTexts};
use crate::engine::{EngineOptions, Limit};
use crate::subject::SubjectOptions;
use crate::table::TableKind;
use crate::table::options::Clear;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use toml::{Table, Value};

/// Points of a grid at most: each is a whole set of options in memory.
const MAX_VARIANTS: usize = 100_000;

/// One point: a variant of the engine under one limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Its name: unique in the experiment.
    pub name: String,
    /// The paths that it sets, for excludes and the baseline.
    pub paths: Vec<(String, Value)>,
    /// The whole options.
    pub options: EngineOptions,
    /// The limit.
    pub limit: Limit,
    /// Who is examined, where the file says; of another engine than ours the options mean nothing.
    pub subject: Option<SubjectOptions>,
}

impl Variant {
    /// The engine that is not ours.
    pub fn external(&self) -> Option<&SubjectOptions> {
        self.subject.as_ref().filter(|subject| !subject.is_builtin())
    }

    /// Whether its searches of one item leave something to those of the next.
    pub fn keeps_state(&self) -> bool {
        let never = |clear: Clear| clear == Clear::Never;
        self.external().is_none() && (never(self.options.table.clear) || never(self.options.history_clear))
    }
}

/// A point before its options are read: a name where the file gives one, the paths, and where in the file it stands.
struct Draft {
    name: Option<String>,
    paths: Vec<(String, Value)>,
    place: String,
}

/// All points of a file, in its order: the grid's, the includes, then the variants.
///
/// # Errors
/// The first mistake, with its place.
pub fn expand_variants(file: &File, sets: &[Setting], source: &FileText<'_>) -> Result<Vec<Variant>, Problem> {
    let known = known_paths();
    let axes = read_axes(file, source)?;
    for path in axes.iter().flatten().map(|(path, _)| path).collect::<BTreeSet<_>>() {
        let table = if file.grid.contains_key(path.as_str()) { "grid" } else { "zip" };
        check_path(path, &known, table, source)?;
    }
    let variants = axes.iter().try_fold(1usize, |variants, axis| variants.checked_mul(axis[0].1.len()));
    if variants.is_none_or(|variants| variants > MAX_VARIANTS) {
        return Err(source.invalid("grid", format!("more than {MAX_VARIANTS} combinations: use fewer values or axes")));
    }
    if let Some(at) = file.exclude.iter().position(Table::is_empty) {
        return Err(source.problem_at(&format!("exclude.{at}"), "exclude: names no value of the points to leave out"));
    }
    let mut drafts: Vec<Draft> = Vec::new();
    if !axes.is_empty() {
        let excludes = Excludes::new(&file.exclude);
        let draft = |paths| Draft { name: None, paths, place: "grid".to_owned() };
        drafts.extend(combinations(&axes).into_iter().filter(|variant| !excludes.matches(variant)).map(draft));
        for path in file.exclude.iter().flat_map(Table::keys) {
            check_path(path, &known, "exclude", source)?;
        }
    }
    for (table, list) in [("include", &file.include), ("variant", &file.variant)] {
        for (at, given) in list.iter().enumerate() {
            drafts.push(read_named(given, table, at, &known, source)?);
        }
    }
    if drafts.is_empty() {
        drafts.push(Draft { name: Some("default".to_owned()), paths: Vec::new(), place: "engine".to_owned() });
    }
    let short = short_names(&drafts);
    let variant = |draft: &Draft| {
        let name = draft.name.clone().unwrap_or_else(|| variant_name(&draft.paths, &short));
        read_variant(file, draft, name, sets, source)
    };
    let variants = drafts.iter().map(variant).collect::<Result<Vec<Variant>, Problem>>()?;
    refuse_duplicates(&variants).map_err(|(at, earlier, message)| {
        let problem = source.problem(message);
        // Of what `--set` has made alike the file says nothing.
        let laid = sets.iter().find(|set| variants[at].paths.iter().any(|(path, _)| set.affects(path)));
        if let Some(set) = laid {
            let help = format!("--set {} lays one value over all of them; the file varies it", set.path);
            return Problem { help: Some(help), ..problem };
        }
        let place = match drafts[at].place.as_str() {
            "grid" => locate_difference(file, &variants[at], &variants[earlier]),
            place => Some(place.to_owned()),
        };
        Problem { span: place.and_then(|place| locate(source.text, &place, None)), ..problem }
    })?;
    Ok(variants)
}

/// A `[[variant]]` or `[[include]]`.
fn read_named(
    given: &Table,
    table: &str,
    at: usize,
    known: &BTreeSet<String>,
    source: &FileText<'_>,
) -> Result<Draft, Problem> {
    let place = format!("{table}.{at}");
    let name = match given.get("name") {
        Some(Value::String(name)) if !name.trim().is_empty() && !name.contains(char::is_control) => Some(name.clone()),
        Some(_) => {
            return Err(source.problem_at(&format!("{place}.name"), format!("{table}.name: expected a name in quotes")));
        }
        None if table == "variant" => {
            return Err(source.problem_at(&place, "variant.name: missing: every [[variant]] needs a name"));
        }
        None => None,
    };
    let mut paths = Vec::new();
    for (path, value) in given.iter().filter(|(path, _)| *path != "name") {
        check_path(path, known, &place, source)?;
        paths.push((path.clone(), value.clone()));
    }
    Ok(Draft { name, paths, place })
}

/// Every path that a point may set: all prefixes of the options' leaves, and those of the limit.
pub fn known_paths() -> BTreeSet<String> {
    let mut known: BTreeSet<String> = ["preset", "limit.depth", "limit.nodes", "subject"].map(str::to_owned).into();
    known.extend(["uci", "options", "restart", "timeout", "trust", "doctor"].map(|key| format!("subject.{key}")));
    for path in super::schema::option_paths() {
        known.extend(paths::with_ancestors(path).map(str::to_owned));
    }
    known.extend(crate::table::policy::external::parameters().iter().map(|name| format!("table.policy.{name}")));
    known
}

fn check_path(path: &str, known: &BTreeSet<String>, table: &str, source: &FileText<'_>) -> Result<(), Problem> {
    if known.contains(path) || subject::is_uci_option(path) {
        return Ok(());
    }
    let shown = table.split('.').next().unwrap_or(table);
    Err(Problem {
        help: suggest_new_name(path).or_else(|| nearest(path, known.iter().map(String::as_str))),
        ..source.problem_at(&format!("{table}.{path}"), format!("{shown}.{path}: there is no option `{path}`"))
    })
}

/// Excludes times points that are looked at for excludes that do nothing; nobody writes so many by hand.
const MAX_EXCLUDE_CHECKS: usize = 10_000_000;

/// Whether so many points are held against so many excludes.
fn can_check_excludes(variants: usize, excludes: usize) -> bool {
    variants.saturating_mul(excludes) <= MAX_EXCLUDE_CHECKS
}

/// The places of those `[[exclude]]`s that leave no point of the grid out.
pub fn unused_excludes(file: &File) -> Vec<usize> {
    let source = FileText { text: "", path: std::path::Path::new(""), suites: SuiteTexts::Files };
    let variants = match read_axes(file, &source) {
        Ok(axes) if !axes.is_empty() && !file.exclude.is_empty() => combinations(&axes),
        _ => Vec::new(),
    };
    if !can_check_excludes(variants.len(), file.exclude.len()) {
        return Vec::new();
    }
    let idle = |excluded: &Table| {
        let excluded = Excludes::new(std::slice::from_ref(excluded));
        !variants.iter().any(|variant| excluded.matches(variant))
    };
    (0..file.exclude.len()).filter(|&at| idle(&file.exclude[at])).collect()
}

/// A point: what it sets laid over the preset and `[engine]`, and `--set` over that.
fn read_variant(
    file: &File,
    draft: &Draft,
    name: String,
    sets: &[Setting],
    source: &FileText<'_>,
) -> Result<Variant, Problem> {
    // Where a path was set: on the command line, in the point, or in [engine].
    let wrong = |path: &str, message: String| match sets.iter().rev().find(|set| set.affects(path)) {
        Some(set) => set.problem(message),
        None => Problem { span: locate_option(file, draft, path, &message, source), ..source.problem(message) },
    };
    let all = || {
        let own = draft.paths.iter().map(|(path, value)| (path.as_str(), value));
        own.chain(sets.iter().map(|set| (set.path.as_str(), &set.value)))
    };
    let mut preset = file.engine.get("preset");
    let LimitChoice { mut depth, mut nodes } = file.limit;
    for (path, value) in all() {
        let number = value.as_integer().filter(|number| *number > 0);
        let expected = |range: &str| {
            wrong(path, format!("{path}: expected a number {range}, found {}", paths::format_value(value)))
        };
        match path {
            "preset" => preset = Some(value),
            "limit.depth" => {
                let number = number.and_then(|number| u8::try_from(number).ok());
                depth = Some(number.ok_or_else(|| expected("from 1 to 255"))?);
            }
            "limit.nodes" => nodes = Some(number.ok_or_else(|| expected("above 0"))? as u64),
            _ => {}
        }
    }
    let output = |OptionFault { path, message, help }| Problem {
        help,
        ..wrong(&path, format!("{message} (variant \"{name}\")"))
    };
    let subject = subject::read_subject(file, all()).map_err(output)?;
    let external = subject.as_ref().is_some_and(|subject| !subject.is_builtin());
    if external && file.engine.get("shape").and_then(Value::as_str) == Some("neutral") {
        return Err(output(OptionFault::new("engine.shape", subject::NEUTRAL_REFUSED)));
    }
    let options = if external { Ok(placeholder_options()) } else { options::read_options(preset, &file.engine, all()) };
    let options = options.map_err(output)?;
    if file.trace.is_some() {
        if external {
            let what = format!("tables of our own are shown it, not other engines (variant \"{name}\")");
            return Err(source.invalid("trace", what));
        }
        // What a replay would not heed must not seem to be compared.
        let heeded = |path: &str| path == "preset" || path == "table" || path.starts_with("table.");
        if let Some((path, _)) = all().find(|(path, _)| !heeded(path)) {
            let what = "a trace is shown to tables and nothing is searched: only options of the table may vary";
            return Err(wrong(path, format!("{path}: {what}")));
        }
        if depth.is_some() || nodes.is_some() {
            let what = "a trace is shown to its end: nothing is searched that could have a limit";
            return Err(source.invalid("limit", what));
        }
        if options.table.forget > 0.0 {
            let what = "table.forget: is heeded in searches alone: a trace is shown to a table that loses nothing";
            return Err(wrong("table.forget", what.to_owned()));
        }
        if options.table.kind == TableKind::None {
            return Err(wrong("table.kind", "table.kind: \"none\" leaves nothing to show a trace to".to_owned()));
        }
    } else {
        source.check_range("limit", 0, depth != Some(0) && nodes != Some(0), "at least 1")?;
        if let Some((path, suite)) =
            draft.paths.iter().find_map(|(path, _)| Some((path, suite_with_own_limit(file, path)?)))
        {
            let what = format!("suites.{suite} has its own: give it there or here, not both");
            return Err(wrong(path, format!("{path}: {what}")));
        }
        for (place, limit) in suites::limits(file, Limit { depth, nodes }) {
            if limit == Limit::default() {
                let what = match file.suites {
                    None => "missing: give limit = { depth = 8 } or { nodes = 100000 }",
                    Some(_) => "a limit is missing: give depth or nodes here, or limit = { depth = 8 } for all suites",
                };
                return Err(source.invalid(&place, what));
            }
            if limit.depth.is_none() && options.deepening.step == 0 {
                let what = format!("{place}.depth: missing: without deepening a search needs a depth");
                return Err(source.problem_at(&place, what));
            }
        }
    }
    let subject = subject.filter(|_| file.trace.is_none());
    Ok(Variant { name, paths: draft.paths.clone(), options, limit: Limit { depth, nodes }, subject })
}

/// The first suite that has a limit of its own where a path sets the same for all.
fn suite_with_own_limit<'a>(file: &'a File, path: &str) -> Option<&'a str> {
    let own = |entry: &SuiteEntry| match path {
        "limit.depth" => entry.depth.is_some(),
        "limit.nodes" => entry.nodes.is_some(),
        _ => false,
    };
    file.suites.iter().flat_map(|suites| &suites.0).find(|(_, entry)| own(entry)).map(|(name, _)| name.as_str())
}

/// Where in the file an option of a point was set: in the point itself (of an axis, the very value), else in `[engine]`.
fn locate_option(file: &File, draft: &Draft, path: &str, message: &str, source: &FileText<'_>) -> Option<Range<usize>> {
    // An item of a list is `ordering[1]`.
    let path = &path.replace('[', ".").replace(']', "");
    let word = quoted_word(message);
    let inside = draft.paths.iter().find(|(set, _)| paths_overlap(set, path));
    match inside {
        Some((set, value)) => {
            let within = path.strip_prefix(set.as_str()).unwrap_or_default();
            let start = locate_axis_value(file, set, value).filter(|_| draft.place == "grid");
            let start = start.unwrap_or_else(|| format!("{}.{set}", draft.place));
            locate(source.text, &format!("{start}{within}"), word)
        }
        None if path.starts_with(subject::UCI) => locate(source.text, "subject.options", None),
        None if subject::is_subject_path(path) => locate(source.text, path, None),
        None => locate(source.text, &format!("engine.{path}"), word),
    }
}

/// The options of a point that is not our engine's: they have no table, and nobody reads them.
fn placeholder_options() -> EngineOptions {
    let mut options = EngineOptions::default();
    options.table.kind = TableKind::None;
    options
}

/// The first value of the grid by which a point is told from another, or by which it stands there at all.
fn locate_difference(file: &File, variant: &Variant, earlier: &Variant) -> Option<String> {
    let (set, value) =
        variant.paths.iter().find(|set| !earlier.paths.contains(set)).or_else(|| variant.paths.first())?;
    locate_axis_value(file, set, value)
}

/// Refuses names and points that stand twice: the later of two, the earlier, and what is said of them.
fn refuse_duplicates(variants: &[Variant]) -> Result<(), (usize, usize, String)> {
    let (mut seen, mut names) = (HashMap::new(), HashMap::new());
    for (at, variant) in variants.iter().enumerate() {
        let name = &variant.name;
        if let Some(earlier) = names.insert(name, at) {
            return Err((at, earlier, format!("variant: the name \"{name}\" is used twice")));
        }
        if let Some(earlier) = seen.insert(super::identity::variant_id(variant), at) {
            let alike = "are the same point: the same options under the same limit";
            return Err((at, earlier, format!("\"{name}\" and \"{}\" {alike}", variants[earlier].name)));
        }
    }
    Ok(())
}

/// How points of the grid name their paths: by the last part of each, or more of it where that would be ambiguous.
fn short_names(drafts: &[Draft]) -> BTreeMap<String, String> {
    let paths: BTreeSet<&str> = drafts.iter().flat_map(|draft| &draft.paths).map(|(path, _)| path.as_str()).collect();
    let tail = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
    let alone = |path: &str| paths.iter().filter(|other| tail(other) == tail(path)).count() == 1;
    paths.iter().map(|&path| (path.to_owned(), if alone(path) { tail(path) } else { path.to_owned() })).collect()
}

/// The name of a point of the grid.
fn variant_name(paths: &[(String, Value)], short: &BTreeMap<String, String>) -> String {
    let part = |(path, value): &(String, Value)| format!("{}={}", short[path], paths::format_value(value));
    paths.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// The option columns of a point, with its limit.
pub fn option_columns(variant: &Variant) -> Vec<(String, String)> {
    let mut leaves = variant.subject.as_ref().map(subject::subject_columns).unwrap_or_default();
    if variant.external().is_none() {
        leaves.extend(paths::flatten(&serde_json::to_value(&variant.options).unwrap_or_default()));
    }
    leaves.extend(variant.limit.depth.map(|depth| ("limit.depth".to_owned(), depth.to_string())));
    leaves.extend(variant.limit.nodes.map(|nodes| ("limit.nodes".to_owned(), nodes.to_string())));
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten million looks at most.
    #[test]
    fn too_many_excludes_are_not_looked_at() {
        for ([variants, excludes], so) in [
            ([10_000, 1000], true),
            ([10_000, 1001], false),
            ([10_001, 1000], false),
            ([1, 10_000_000], true),
            ([usize::MAX, 2], false),
        ] {
            assert_eq!(can_check_excludes(variants, excludes), so, "{variants} {excludes}");
        }
    }
}
