//! Expands axes, `[[exclude]]` and `[[variant]]` into variants, each a full set of options with a
//! name.

use super::axes::{axis_len, combinations, locate_axis_value, read_axes, zip_name};
use super::excludes::Exclude;
use super::file::File;
use super::options::{self, Setting, paths_overlap};
use super::place::locate;
use super::problem::{OptionFault, Problem, nearest};
use super::schema::{is_file_key, known_paths};
use super::suites::{self, SuiteEntry};
use super::text::FileText;
use super::variant::{Subject, Variant};
use super::{paths, subject};
use crate::engine::Limit;
use crate::table::TableKind;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use toml::{Table, Value};

/// Maximum number of combinations of a grid: each is a whole set of options in memory.
const MAX_VARIANTS: usize = 100_000;

/// A variant whose options have not been read yet.
struct Draft {
    name: Option<String>,
    path_values: Vec<(String, Value)>,
    /// Where the file defines the variant: `grid`, `variant.2` or `engine`.
    place: String,
}

/// The combinations of the axes come first, then each `[[variant]]`.
pub fn expand_variants(file: &File, overrides: &[Setting], source: &FileText<'_>) -> Result<Vec<Variant>, Problem> {
    let valid_paths = known_paths();
    let axes = read_axes(file, source)?;
    for path in axes.iter().flatten().map(|(path, _)| path).collect::<BTreeSet<_>>() {
        let table = if file.grid.contains_key(path.as_str()) { "grid" } else { "zip" };
        check_path(path, &valid_paths, table, source)?;
    }
    let combination_count = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis_len(axis)));
    if combination_count.is_none_or(|count| count > MAX_VARIANTS) {
        return Err(source.invalid("grid", format!("more than {MAX_VARIANTS} combinations: use fewer values or axes")));
    }
    let mut combinations = if axes.is_empty() { Vec::new() } else { combinations(&axes) };
    for (index, entry) in file.exclude.iter().enumerate() {
        entry.keys().try_for_each(|path| check_path(path, &valid_paths, "exclude", source))?;
        let refuse = |problem: &str| Err(source.problem_at(&format!("exclude.{index}"), format!("exclude: {problem}")));
        if entry.is_empty() {
            return refuse("an entry is empty: list the option values of the variants to leave out");
        }
        let (exclude, count) = (Exclude::new(entry), combinations.len());
        combinations.retain(|combination| !exclude.matches(combination));
        if combinations.len() == count {
            return refuse("no other combination of the grid has all of these values");
        }
    }
    let to_draft = |path_values| Draft { name: None, path_values, place: "grid".to_owned() };
    let mut drafts: Vec<Draft> = combinations.into_iter().map(to_draft).collect();
    for (index, entry) in file.variant.iter().enumerate() {
        drafts.push(read_entry(entry, index, &valid_paths, source)?);
    }
    if drafts.is_empty() {
        drafts.push(Draft { name: Some("default".to_owned()), path_values: Vec::new(), place: "engine".to_owned() });
    }
    let short_names = short_names(&drafts);
    let to_variant = |draft: &Draft| {
        let name = draft.name.clone().unwrap_or_else(|| variant_name(&draft.path_values, &short_names, &file.zip));
        let variant = read_variant(file, draft, name, overrides).and_then(|variant| {
            check_variant(file, &variant, overrides)?;
            Ok(variant)
        });
        variant.map_err(|fault| option_problem(file, draft, overrides, source, fault))
    };
    let variants = drafts.iter().map(to_variant).collect::<Result<Vec<Variant>, Problem>>()?;
    if let Some((index, earlier, message)) = find_duplicate(&variants) {
        let problem = source.problem(message);
        // If `--set` made two variants equal, there is no place in the file to show.
        let affects = |setting: &&Setting| variants[index].path_values.iter().any(|(path, _)| setting.affects(path));
        if let Some(setting) = overrides.iter().find(affects) {
            let help = format!("--set {} sets one value for all variants, but the file varies it", setting.path);
            return Err(Problem { help: Some(help), ..problem });
        }
        let place = match drafts[index].place.as_str() {
            "grid" => locate_difference(file, &variants[index], &variants[earlier]),
            place => Some(place.to_owned()),
        };
        return Err(Problem { span: place.and_then(|place| locate(source.text, &place, None)), ..problem });
    }
    Ok(variants)
}

/// Reads the entry of `[[variant]]` at `index`.
fn read_entry(
    entry: &Table,
    index: usize,
    valid_paths: &BTreeSet<String>,
    source: &FileText<'_>,
) -> Result<Draft, Problem> {
    let place = format!("variant.{index}");
    let name = match entry.get("name") {
        Some(Value::String(name)) if !name.trim().is_empty() && !name.contains(char::is_control) => name.clone(),
        Some(_) => {
            return Err(source.problem_at(&format!("{place}.name"), "variant.name: expected a name in quotes"));
        }
        None => return Err(source.problem_at(&place, "variant.name: missing: every [[variant]] needs a name")),
    };
    let mut path_values = Vec::new();
    for (path, value) in entry.iter().filter(|(path, _)| *path != "name") {
        match (path.as_str(), value) {
            ("limit", Value::Table(limits)) => {
                path_values.extend(limits.iter().map(|(limit, value)| (format!("limit.{limit}"), value.clone())));
            }
            _ => path_values.push((path.clone(), value.clone())),
        }
    }
    for (path, _) in &path_values {
        check_path(path, valid_paths, &place, source)?;
    }
    Ok(Draft { name: Some(name), path_values, place })
}

/// Top-level keys of the file that a variant cannot change, although an author may expect that it
/// can.
const FILE_KEYS: [&str; 9] =
    ["suite", "suites", "first", "repeats", "chains", "seeds", "schedules", "sequence", "times"];

/// Refuses an unknown option path. `place` is where the file sets the path, such as `grid` or
/// `variant.2`.
fn check_path(path: &str, valid_paths: &BTreeSet<String>, place: &str, source: &FileText<'_>) -> Result<(), Problem> {
    if valid_paths.contains(path) || subject::is_uci_option(path) {
        return Ok(());
    }
    let section = place.split('.').next().unwrap_or(place);
    let (problem, help) = if FILE_KEYS.contains(&path) {
        (format!("`{path}` is the same for all variants: set it at the top of the file"), None)
    } else {
        (format!("there is no option `{path}`"), nearest(path, valid_paths.iter().map(String::as_str)))
    };
    let message = format!("{section}.{path}: {problem}");
    Err(Problem { help, ..source.problem_at(&format!("{place}.{path}"), message) })
}

/// All paths that are set for a variant: its own, then those of `--set`.
fn settings<'a>(
    path_values: &'a [(String, Value)],
    overrides: &'a [Setting],
) -> impl Iterator<Item = (&'a str, &'a Value)> + Clone {
    let variant_paths = path_values.iter().map(|(path, value)| (path.as_str(), value));
    variant_paths.chain(overrides.iter().map(|setting| (setting.path.as_str(), &setting.value)))
}

/// Reads a variant's options: the preset, overridden by `[engine]`, the variant's own paths and
/// `--set`, in that order.
fn read_variant(file: &File, draft: &Draft, name: String, overrides: &[Setting]) -> Result<Variant, OptionFault> {
    let settings = || settings(&draft.path_values, overrides);
    let in_variant = |fault: OptionFault| {
        let message = format!("{} (variant \"{name}\")", fault.message);
        OptionFault { message, ..fault }
    };
    let subject_options = file.subject.as_ref().and_then(|subject| subject.get("options"));
    refuse_set_twice(subject_options.map(|options| ("subject.options", options)).into_iter())?;
    refuse_set_twice(self::settings(&draft.path_values, &[]))?;
    let limit = read_limit(file.limit, settings())?;
    let subject = match subject::read_subject(file.subject.as_ref(), file.games.is_some(), settings()) {
        Ok(Some(subject)) if !subject.is_builtin() => {
            if file.engine.get("shape").and_then(Value::as_str) == Some("neutral") {
                return Err(in_variant(OptionFault::with_word("shape", "neutral", subject::NEUTRAL_REFUSED)));
            }
            Subject::External(subject)
        }
        builtin => {
            let is_named_by_file = builtin.map_err(in_variant)?.is_some() && file.trace.is_none();
            let preset = settings().filter(|(path, _)| *path == "preset").last().map(|(_, value)| value);
            let preset = preset.or(file.engine.get("preset"));
            let options = options::read_options(preset, &file.engine, settings()).map_err(in_variant)?;
            let mut own = draft.path_values.iter().flat_map(|(path, value)| paths::values(path, value));
            let of_table = own.find(|(path, _)| path.starts_with("table.") && path != "table.kind");
            if let Some((path, value)) = of_table.filter(|_| options.table.kind == TableKind::None) {
                return Err(in_variant(OptionFault::no_effect(&path, value, "table.kind is \"none\"")));
            }
            Subject::Builtin { options: Box::new(options), is_named_by_file }
        }
    };
    Ok(Variant { name, path_values: draft.path_values.clone(), limit, subject })
}

/// Refuses two settings of one option in one place. Of these, the order would decide which counts.
fn refuse_set_twice<'a>(settings: impl Iterator<Item = (&'a str, &'a Value)>) -> Result<(), OptionFault> {
    let mut earlier_settings = HashMap::new();
    for (path, value) in settings {
        for (option, _) in paths::values(path, value) {
            if let Some(earlier) = earlier_settings.insert(option.clone(), path) {
                let other = if earlier == path { String::new() } else { format!(", as `{earlier}` does") };
                return Err(OptionFault::new(path, format!("sets {option} a second time{other}: set it once")));
            }
        }
    }
    Ok(())
}

/// Reads the limit of a variant: that of the file, overridden by `settings`.
fn read_limit<'a>(
    mut limit: Limit,
    settings: impl Iterator<Item = (&'a str, &'a Value)>,
) -> Result<Limit, OptionFault> {
    for (path, value) in settings {
        let number = value.as_integer().filter(|number| *number > 0).map(|number| number as u64);
        let expect = |number: Option<u64>, range: &str| {
            let problem = format!("expected a whole number {range}, found {value}");
            number.ok_or_else(|| OptionFault::new(path, problem))
        };
        match path {
            "limit.depth" => {
                let depth = expect(number.filter(|depth| *depth <= 255), "from 1 to 255")?;
                limit.depth = Some(depth as u8);
            }
            "limit.nodes" => limit.nodes = Some(expect(number, "above 0")?),
            _ => {}
        }
    }
    if limit.depth == Some(0) || limit.nodes == Some(0) {
        return Err(OptionFault::new("limit", "0 is out of range: expected at least 1"));
    }
    Ok(limit)
}

/// Refuses a variant that does not fit the rest of the file.
fn check_variant(file: &File, variant: &Variant, overrides: &[Setting]) -> Result<(), OptionFault> {
    if file.trace.is_some() {
        return check_replayed_variant(variant, overrides);
    }
    let own_limit = variant.path_values.iter().find_map(|(path, _)| Some((path, suite_with_own_limit(file, path)?)));
    if let Some((path, suite)) = own_limit {
        let message = format!("suites.{suite} sets its own limit: set it in the suite or in the variant, not in both");
        return Err(OptionFault::new(path, message));
    }
    for (place, limit) in suites::search_limits(file.suites.as_ref(), variant.limit) {
        if limit == Limit::default() {
            let message = match file.suites {
                None => "missing: give limit = { depth = 8 } or { nodes = 100000 }",
                Some(_) => "a limit is missing: give depth or nodes here, or limit = { depth = 8 } for all suites",
            };
            return Err(OptionFault::new(&place, message));
        }
        if limit.depth.is_none() && variant.builtin().is_some_and(|options| options.deepening.step == 0) {
            let message = "missing: a search without deepening needs a depth";
            return Err(OptionFault::new(&format!("{place}.depth"), message));
        }
    }
    Ok(())
}

fn check_replayed_variant(variant: &Variant, overrides: &[Setting]) -> Result<(), OptionFault> {
    let Some(table) = variant.table() else {
        let message = "a trace is replayed on ttlab's own tables, not on external engines";
        return Err(OptionFault::new("trace", format!("{message} (variant \"{}\")", variant.name)));
    };
    // An option without effect on a replay must not seem to be compared.
    let is_table_option = |path: &str| path == "preset" || path == "table" || path.starts_with("table.");
    if let Some((path, _)) = settings(&variant.path_values, overrides).find(|(path, _)| !is_table_option(path)) {
        let message = "a trace is replayed and nothing is searched: only table options may vary";
        return Err(OptionFault::new(path, message));
    }
    if variant.limit != Limit::default() {
        let message = "a trace is replayed to its end, so a limit has no effect: remove the limit";
        return Err(OptionFault::new("limit", message));
    }
    if table.forget > 0.0 {
        let message = "has an effect only in searches: remove this option in a replay";
        return Err(OptionFault::new("table.forget", message));
    }
    if table.kind == TableKind::None {
        return Err(OptionFault::with_word("table.kind", "none", "leaves no table to replay the trace on"));
    }
    Ok(())
}

fn suite_with_own_limit<'a>(file: &'a File, path: &str) -> Option<&'a str> {
    let has_own_limit = |entry: &SuiteEntry| match path {
        "limit.depth" => entry.depth.is_some(),
        "limit.nodes" => entry.nodes.is_some(),
        _ => false,
    };
    let mut entries = file.suites.iter().flat_map(|suites| &suites.0);
    entries.find(|(_, entry)| has_own_limit(entry)).map(|(name, _)| name.as_str())
}

/// The error of a variant's option, where the option is set: on the command line, in the variant,
/// or elsewhere in the file. For an option on an axis, the place is that of the single value. If a
/// word of the value is wrong, the place is that of the word.
fn option_problem(
    file: &File,
    draft: &Draft,
    overrides: &[Setting],
    source: &FileText<'_>,
    fault: OptionFault,
) -> Problem {
    if let Some(setting) = overrides.iter().rev().find(|setting| setting.affects(&fault.path)) {
        return Problem { help: setting.help(&fault), ..setting.problem(fault.message) };
    }
    let OptionFault { path, word, message, help } = fault;
    // Serde writes an item of a list as `ordering[1]`.
    let path = path.replace('[', ".").replace(']', "");
    let place = match draft.path_values.iter().find(|(variant_path, _)| paths_overlap(variant_path, &path)) {
        Some((variant_path, value)) => {
            let path_in_value = path.strip_prefix(variant_path.as_str()).unwrap_or_default();
            let is_in_grid = draft.place == "grid";
            let axis_place = if is_in_grid { locate_axis_value(file, variant_path, value) } else { None };
            let place = axis_place.unwrap_or_else(|| format!("{}.{variant_path}", draft.place));
            format!("{place}{path_in_value}")
        }
        None if path.starts_with(subject::UCI) => "subject.options".to_owned(),
        None if is_file_key(path.split('.').next().unwrap_or(&path)) => path,
        None => format!("engine.{path}"),
    };
    Problem { help, ..source.problem_at_word(&place, word.as_deref(), message) }
}

/// The path in the file of the first value of `variant` that `earlier` does not have. Such a value
/// can exist although both variants have the same options, because an option can be written in
/// several ways. If there is no such value, returns the path of the variant's first value.
fn locate_difference(file: &File, variant: &Variant, earlier: &Variant) -> Option<String> {
    let difference = variant.path_values.iter().find(|path_value| !earlier.path_values.contains(path_value));
    let (path, value) = difference.or_else(|| variant.path_values.first())?;
    locate_axis_value(file, path, value)
}

/// Finds a variant with the name or the options of an earlier variant. Returns the indices of the
/// later and of the earlier variant, and a message.
fn find_duplicate(variants: &[Variant]) -> Option<(usize, usize, String)> {
    let (mut ids, mut names) = (HashMap::new(), HashMap::new());
    for (index, variant) in variants.iter().enumerate() {
        let name = &variant.name;
        if let Some(earlier) = names.insert(name, index) {
            return Some((index, earlier, format!("variant: the name \"{name}\" is used twice")));
        }
        if let Some(earlier) = ids.insert(super::identity::variant_id(variant), index) {
            let message = format!(
                "\"{name}\" and \"{}\" are the same variant: their options and limits are equal",
                variants[earlier].name
            );
            return Some((index, earlier, message));
        }
    }
    None
}

/// The short name is the last part of the path, or the whole path if several paths have the same
/// last part.
fn short_names(drafts: &[Draft]) -> BTreeMap<String, String> {
    let paths: BTreeSet<_> =
        drafts.iter().flat_map(|draft| &draft.path_values).map(|(path, _)| path.as_str()).collect();
    let last_part = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
    let is_unique = |path: &str| paths.iter().filter(|other| last_part(other) == last_part(path)).count() == 1;
    paths
        .iter()
        .map(|&path| (path.to_owned(), if is_unique(path) { last_part(path) } else { path.to_owned() }))
        .collect()
}

/// If a `[[zip]]` names its points, the name of a point replaces the options of that `[[zip]]`.
fn variant_name(path_values: &[(String, Value)], short_names: &BTreeMap<String, String>, zips: &[Table]) -> String {
    let named_zips: Vec<_> = zips.iter().filter_map(|zip| Some((zip, zip_name(zip, path_values)?))).collect();
    let is_in_named_zip = |path: &str| named_zips.iter().any(|(zip, _)| zip.contains_key(path));
    let options = path_values.iter().filter(|(path, _)| !is_in_named_zip(path));
    let parts = options.map(|(path, value)| format!("{}={}", short_names[path], paths::format_value(value)));
    parts.chain(named_zips.iter().map(|(_, name)| (*name).to_owned())).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use std::path::Path;

    /// The error for an unknown key lists all keys of the file; those in the constant are among
    /// them.
    #[test]
    fn constant_lists_only_keys_of_the_file() {
        let message = toml::from_str::<File>("none = 1").unwrap_err().to_string();
        FILE_KEYS.iter().for_each(|key| assert!(message.contains(&format!("`{key}`")), "{key}: {message}"));
    }

    #[test]
    fn limit_of_a_variant_is_a_table_or_a_dotted_key() {
        let read_depth = |variant: &str| {
            let text = format!("suite = {{ startpos = true }}\nlimit.depth = 2\n[[variant]]\nname = 'a'\n{variant}");
            let experiment = Experiment::parse(&text, Path::new("x.toml"), &[]).unwrap();
            experiment.variants[0].limit.depth
        };
        for variant in ["limit.depth = 3", "limit = { depth = 3 }", "'limit.depth' = 3"] {
            assert_eq!(read_depth(variant), Some(3), "{variant}");
        }
    }
}
