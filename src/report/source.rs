//! Results on disk. A result is a folder written by `ttlab run`, or a CSV file alone.

use crate::analysis::Frame;
use crate::analysis::questions::paired_rows::RecordedResult;
use crate::analysis::rows::column::{SEED, SOURCE};
use crate::analysis::rows::{limits, score_error};
use crate::experiment::reference::Reference;
use crate::experiment::text::FileText;
use crate::experiment::{File, paths};
use crate::record::columns::{self, Role, VARIANT};
use crate::record::manifest::Manifest;
use crate::record::reference::{self, Judgement};
use crate::record::{CONFIRM_FOLDER, EXPERIMENT, RESULTS};
use crate::report::number::format_count;
use anyhow::{Context, Result, bail};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct Source {
    /// The experiment's name, or the path if the name is ambiguous.
    pub label: String,
    pub path: PathBuf,
    pub manifest: Option<Manifest>,
    pub file: Option<File>,
    /// The rows of the results file.
    pub frame: Frame,
    /// A sentence about the missing rows. `None` if the result is complete.
    pub missing: Option<String>,
    pub judgements: Vec<Judgement>,
    /// The rows of each stage of the games of `[confirm]`.
    pub confirming_games: Vec<Frame>,
}

impl Source {
    /// Reads a folder or a CSV file.
    ///
    /// # Errors
    /// When there are no results, or a file is damaged or invalid.
    pub fn load(path: &Path) -> Result<Self> {
        let is_file = path.is_file();
        if !path.exists() {
            bail!("{}: there is no such file or folder of results", path.display());
        }
        let folder = if is_file { path.parent().unwrap_or(Path::new("")) } else { path };
        let manifest = Manifest::read(folder)?;
        if manifest.is_none() && !is_file {
            bail!("{}: not a results folder: manifest.json is missing", path.display());
        }
        let experiment_path = folder.join(EXPERIMENT);
        let text = match crate::system::files::read_text(&experiment_path) {
            Ok(text) => Some(text),
            Err(_) if is_file => None,
            Err(error) => bail!("{}: {error}", experiment_path.display()),
        };
        let parse_file = |text| FileText { text, path: &experiment_path, suite_paths: None }.parse_file::<File>();
        let file: Option<File> = text.as_deref().map(parse_file).transpose()?;
        let recorded = RecordedResult::read(path)?;
        let (mut frame, missing) = (recorded.frame, recorded.missing);
        if let Some(manifest) = &manifest {
            clear_saved(&mut frame, &manifest.variants_that_miscount_nodes());
        }
        let name = manifest.as_ref().map(|manifest| manifest.planned.name.clone()).filter(|name| !name.is_empty());
        let label = name.unwrap_or_else(|| path.display().to_string());
        let judgements_path = folder.join(reference::NAME).display().to_string();
        if let Some(line) = reference::damaged_lines(folder).with_context(|| judgements_path.clone())?.first() {
            bail!("{judgements_path}: line {line} was edited or damaged\nhelp: `ttlab run` judges that move again");
        }
        let judgements = reference::read(folder).with_context(|| judgements_path)?;
        let reference = file.as_ref().and_then(|file| file.reference.as_ref());
        if let Some(score_cut) = reference.and_then(Reference::score_cut) {
            score_error::add_score_error(&mut frame, &judgements, score_cut);
        }
        let confirming_games = match file.as_ref().is_some_and(|file| file.confirm.is_some()) {
            true => read_stages(folder, text.as_deref(), manifest.as_ref())?,
            false => Vec::new(),
        };
        Ok(Self { label, path: path.to_owned(), missing, manifest, file, frame, judgements, confirming_games })
    }
}

impl Source {
    pub fn reference_note(&self) -> Option<String> {
        let reference = self.file.as_ref()?.reference.as_ref()?;
        let (own_search, cut) = (reference.own_search.as_ref()?, reference.score_cut()?);
        let baseline = self.manifest.as_ref().map_or("the baseline", |manifest| &manifest.planned.baseline);
        let options: Vec<String> = own_search.options.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let table_text = if options.is_empty() { "a table without a bound".to_owned() } else { options.join(", ") };
        Some(format!(
            "score_error: distance, cut at {cut} centipawns, from the score that the engine of \"{baseline}\" has after {} nodes with {table_text} (reference.csv); its \
             ratio is the ratio of the means",
            format_count(own_search.nodes as f64)
        ))
    }
}

/// Reads several results. Results with equal names are labelled by their paths.
///
/// # Errors
/// When a path is given twice, or two results use the same name for different positions; see
/// [`Source::load`].
pub fn load(paths: &[PathBuf]) -> Result<Vec<Source>> {
    if let Some((_, path)) = paths.iter().enumerate().find(|(index, path)| paths[..*index].contains(path)) {
        bail!("{}: the same result is given twice", path.display());
    }
    let mut sources = paths.iter().map(|path| Source::load(path)).collect::<Result<Vec<_>>>()?;
    disambiguate_labels(&mut sources);
    for (index, source) in sources.iter().enumerate() {
        for other in &sources[..index] {
            if let (Some(first), Some(second)) = (&source.manifest, &other.manifest)
                && let Some(difference) = first.describe_different_items(second)
            {
                bail!("{} and {}: {difference}", other.label, source.label);
            }
        }
    }
    Ok(sources)
}

/// Labels results with equal names by their paths.
fn disambiguate_labels(sources: &mut [Source]) {
    let labels: Vec<String> = sources.iter().map(|source| source.label.clone()).collect();
    for source in sources {
        if labels.iter().filter(|label| **label == source.label).count() > 1 {
            source.label = source.path.display().to_string();
        }
    }
}

/// Reads the games of `[confirm]`, stage by stage. The list ends with the first stage that has not
/// ended, and before a stage of another experiment or with other `--set`, which an earlier run has
/// left.
fn read_stages(folder: &Path, experiment: Option<&str>, run: Option<&Manifest>) -> Result<Vec<Frame>> {
    let mut stages = Vec::new();
    for stage in (1..).map(|stage: usize| folder.join(CONFIRM_FOLDER).join(stage.to_string())) {
        let text = crate::system::files::read_text(&stage.join(EXPERIMENT)).ok();
        let Some(manifest) = Manifest::read(&stage)?.filter(|_| stage.join(RESULTS).exists()) else { break };
        if text.as_deref() != experiment || run.is_none_or(|run| run.run.sets != manifest.run.sets) {
            break;
        }
        stages.push(Frame::read_part(&stage.join(RESULTS), true)?);
        if manifest.run.ended.is_none() {
            break;
        }
    }
    Ok(stages)
}

/// Sets the saved nodes of these variants to NaN, because they cannot be trusted. The table entries
/// of these variants have no node counts, or count nodes that were never searched. With such
/// entries, a cutoff counts again the nodes that earlier cutoffs saved.
fn clear_saved(frame: &mut Frame, variants: &HashSet<&str>) {
    if variants.is_empty() || !frame.names().iter().any(|name| name == columns::SAVED) {
        return;
    }
    let (saved, names) = (frame.numbers(columns::SAVED), frame.text_column(VARIANT));
    let values: Vec<f64> =
        (0..frame.rows()).map(|row| if variants.contains(names.text(row)) { f64::NAN } else { saved[row] }).collect();
    frame.set_numbers(columns::SAVED, |row| values[row]);
}

/// Adds a column for each requested option. An option that does not vary in a result has no column
/// in that result, so the values are read from the manifests. A row keeps its old value if no
/// manifest has a value for its variant.
fn add_option_columns(frame: &mut Frame, sources: &[Source], requested: &[&str]) {
    let options_by_variant = |source: &Source| {
        let Some(manifest) = &source.manifest else { return HashMap::new() };
        // The subjects are external engines and have other options.
        let builtin_variants =
            manifest.planned.options.iter().filter(|(name, _)| !manifest.run.subjects.contains_key(*name));
        builtin_variants.map(|(name, options)| (name.clone(), paths::flatten(options).into_iter().collect())).collect()
    };
    // For each source, a map from variants to the values of their option paths.
    let source_options: Vec<HashMap<String, HashMap<String, String>>> =
        sources.iter().map(options_by_variant).collect();
    let paths = source_options.iter().flat_map(HashMap::values).flat_map(HashMap::keys);
    let is_requested = |path: &&String| requested.iter().any(|name| columns::refers_to(name, path));
    let labels = frame.text_column(SOURCE).into_owned();
    let variants = frame.text_column(VARIANT).into_owned();
    // A single result has no column of sources, so no label is found and the index is 0.
    let source_index = |label: &String| sources.iter().position(|source| source.label == *label).unwrap_or(0);
    let index_by_label: Vec<usize> = labels.list().iter().map(source_index).collect();
    for path in paths.filter(is_requested).collect::<BTreeSet<_>>() {
        let old_values = frame.text_column(path).into_owned();
        frame.set_texts(path, |row| {
            let label_code = labels.codes().get(row) as usize;
            let variant_options = &source_options[index_by_label[label_code]];
            let value = variant_options.get(variants.text(row)).and_then(|options| options.get(path));
            value.map_or_else(|| old_values.text(row).to_owned(), Clone::clone)
        });
    }
}

/// Joins the rows of all results. Adds a column for each option that is named in `requested`. If
/// there are several results, also adds a column for each option that is a column of any result,
/// and a column with the source of each row.
pub(super) fn join<'a>(sources: &'a [Source], requested: &[&str]) -> Cow<'a, Frame> {
    // All rows have the ordinary columns, so no column is added for a requested name that means an
    // ordinary column. A name such as `slots` may mean an option or the last state of a table. The
    // columns of such states do not count as ordinary.
    let is_state = |column: &columns::Column| column.role == Role::Last && !column.name.contains('.');
    let is_ordinary_column = |name: &str| {
        columns::columns().iter().any(|column| columns::refers_to(name, &column.name) && !is_state(column))
    };
    let mut names: Vec<&str> =
        requested.iter().copied().filter(|name| ![SOURCE, SEED].contains(name) && !is_ordinary_column(name)).collect();
    if sources.len() > 1 {
        names.extend(sources.iter().flat_map(|source| source.frame.options()));
    }
    let mut joined = match sources {
        [source] if names.is_empty() => return Cow::Borrowed(&source.frame),
        [source] => source.frame.clone(),
        _ => {
            let mut joined = Frame::default();
            for source in sources {
                let mut frame = source.frame.clone();
                frame.set_word(SOURCE, &source.label);
                joined.append(frame);
            }
            joined
        }
    };
    add_option_columns(&mut joined, sources, &names);
    limits::add_limit_columns(&mut joined, &names);
    Cow::Owned(joined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rows::filter::Filter;
    use crate::analysis::rows::frame::Lookup;
    use crate::analysis::rows::grouping::Grouping;
    use crate::analysis::rows::limits::{add_limit_columns, is_part};
    use crate::record::manifest::{Planned, Sealed};

    /// A result with one row for each variant, whose options are in the manifest.
    fn source(label: &str, path: &str, variants: &[(&str, serde_json::Value)]) -> Source {
        let rows = variants.iter().map(|(name, _)| format!("{name},p,1,9,7\n")).collect::<String>();
        let text = format!("variant,position,depth,search.nodes,slots\n{rows}");
        let options = variants.iter().map(|(name, options)| ((*name).to_owned(), options.clone())).collect();
        Source {
            label: label.to_owned(),
            path: PathBuf::from(path),
            manifest: Some(Manifest::from(Planned { options, ..Planned::default() })),
            file: None,
            frame: Frame::parse(text.as_bytes(), label).unwrap(),
            missing: None,
            judgements: Vec::new(),
            confirming_games: Vec::new(),
        }
    }

    /// Missing rows are reported only for the results of the manifest, not for another CSV file in
    /// the same folder.
    #[test]
    fn missing_rows_are_those_of_the_manifests_results() {
        let folder = tempfile::tempdir().unwrap();
        let header = "variant,position,repeat,depth,search.nodes".to_owned();
        let manifest = Manifest {
            planned: Planned { jobs_total: 2, ..Planned::default() },
            sealed: Sealed { header: header.clone(), ..Sealed::default() },
            ..Manifest::default()
        };
        std::fs::write(folder.path().join("manifest.json"), manifest.to_text().unwrap()).unwrap();
        for (name, missing) in [("results.csv", Some("1 job of the plan without rows")), ("other.csv", None)] {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("{header}\na,p,0,1,9\n")).unwrap();
            assert_eq!(Source::load(&path).unwrap().missing.as_deref(), missing, "{name}");
        }
    }

    #[test]
    fn results_of_one_name_are_labelled_by_path() {
        let label_sources = |names: &[&str]| {
            let mut sources: Vec<Source> =
                names.iter().enumerate().map(|(index, name)| source(name, &format!("at/{index}"), &[])).collect();
            disambiguate_labels(&mut sources);
            sources.into_iter().map(|source| source.label).collect::<Vec<_>>()
        };
        assert_eq!(label_sources(&["a", "b", "a"]), ["at/0", "b", "at/2"]);
        assert_eq!(label_sources(&["a", "a", "a", "b", "b"]), ["at/0", "at/1", "at/2", "at/3", "at/4"]);
        assert_eq!(label_sources(&["a", "b", "at/0"]), ["a", "b", "at/0"]);
    }

    #[test]
    fn worth_is_blank_where_entries_miscount_nodes() {
        use serde_json::json;
        let make_options = |policy: &str| json!({ "table": { "policy": { "kind": policy } } });
        let policies = [("a", "big-all"), ("b", "big1"), ("c", "always")];
        let layouts = [(5, true, "e"), (5, false, "f")].map(|(bits, evaluation, name)| {
            let table = json!({ "layout": "3x10", "slots": 3, "key_bits": 16, "age_bits": bits });
            let mut options = json!({ "table": table });
            options["table"]["static_evaluation"] = evaluation.into();
            (name, options)
        });
        let variants: Vec<_> =
            policies.map(|(name, policy)| (name, make_options(policy))).into_iter().chain(layouts).collect();
        let manifest = source("x", "x", &variants).manifest.unwrap();
        assert_eq!(
            manifest.variants_that_miscount_nodes(),
            HashSet::from(["a", "e"]),
            "no room for nodes beside an evaluation"
        );
        let text = "variant,position,depth,search.nodes,search.saved\na,p,1,9,7\nb,p,1,9,5\nd,p,1,9,3\n";
        let mut frame = Frame::parse(text.as_bytes(), "x").unwrap();
        clear_saved(&mut frame, &manifest.variants_that_miscount_nodes());
        let saved = frame.numbers(columns::SAVED);
        assert!(saved[0].is_nan(), "{saved:?}");
        assert!(saved[1..] == [5.0, 3.0], "{saved:?}");
        let mut without_saved = Frame::parse("variant,position,depth,search.nodes\na,p,1,9\n".as_bytes(), "x").unwrap();
        clear_saved(&mut without_saved, &manifest.variants_that_miscount_nodes());
        assert!(!without_saved.names().iter().any(|name| name == columns::SAVED));
    }

    #[test]
    fn joined_rows_have_the_options_of_their_variant() {
        use serde_json::json;
        let make_options = |slots: u32, size: &str| json!({ "table": { "slots": slots, "size": size } });
        let mut first = source("first", "1", &[("a", make_options(1, "1 MiB")), ("b", make_options(2, "1 MiB"))]);
        let second = source("second", "2", &[("a", make_options(4, "2 MiB"))]);
        let joined_values = |sources: &[Source], requested: &[&str], column: &str| {
            let joined = join(sources, requested);
            let has_column = joined.names().iter().any(|name| name == column);
            has_column.then(|| (0..joined.rows()).map(|row| joined.text(column, row).into_owned()).collect::<Vec<_>>())
        };
        let some_words = |list: &[&str]| Some(list.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        let both = [first.clone(), second.clone()];
        assert_eq!(joined_values(&both, &["size"], "table.size"), some_words(&["1 MiB", "1 MiB", "2 MiB"]));
        assert_eq!(joined_values(&both, &["table.slots"], "table.slots"), some_words(&["1", "2", "4"]));
        assert_eq!(joined_values(&both, &["table.slots"], "table.size"), None, "not requested");
        assert_eq!(joined_values(&both, &[], SOURCE), some_words(&["first", "first", "second"]));
        let single = std::slice::from_ref(&first);
        assert_eq!(
            joined_values(single, &["slots"], "table.slots"),
            some_words(&["1", "2"]),
            "an option beside a state of that name"
        );
        assert_eq!(joined_values(single, &[], SOURCE), None);
        // The rows of a single result already have the option.
        let mut with_column = first.clone();
        with_column.frame.set_word("table.slots", "7");
        assert_eq!(joined_values(&[with_column], &[], "table.slots"), some_words(&["7", "7"]));
        // An option that is a column of one result is added to the rows of the others.
        let mut varied = first.clone();
        varied.frame.set_word("table.slots", "7");
        assert_eq!(joined_values(&[varied, second], &[], "table.slots"), some_words(&["1", "2", "4"]));
        // Columns that all rows have are not replaced by options.
        assert!(matches!(join(single, &["nodes", SOURCE, SEED]), Cow::Borrowed(_)));
        if let Some(manifest) = &mut first.manifest {
            manifest.run.subjects.insert("b".to_owned(), Default::default());
        }
        assert_eq!(joined_values(&[first], &["table.slots"], "table.slots"), some_words(&["1", ""]));
    }

    #[test]
    fn limit_parts_are_columns_for_groups_and_conditions() {
        let text = "variant,position,depth,limit,search.nodes\na,p,1,depth 4,9\nb,p,1,depth 3,9\n\
                    c,p,1,\"depth 4, nodes 500\",9\nd,p,1,nodes 20,9\n";
        let frame_with = |requested: &[&str]| {
            let mut frame = Frame::parse(text.as_bytes(), "t").unwrap();
            add_limit_columns(&mut frame, requested);
            frame
        };
        let joined_frame = frame_with(&["limit.depth"]);
        let select_rows =
            |condition: &str| Filter::select_rows(&[Filter::parse(condition, &joined_frame).unwrap()], &joined_frame);
        assert_eq!(select_rows("limit.depth=3"), [1]);
        assert_eq!(select_rows("limit.depth>3"), [0, 2]);
        assert_eq!(select_rows("limit.nodes>=20"), [2, 3]);
        let grouping = Grouping::new(&joined_frame, &["limit.depth".to_owned()]);
        assert_eq!(grouping.names(), ["depth=4", "depth=3", "(none)"]);
        assert_eq!(
            grouping.block[0], grouping.block[1],
            "searches that differ only in the requested column share a block"
        );
        assert_ne!(grouping.block[0], grouping.block[2], "another node limit is another search");
        assert_eq!(joined_frame.resolve("depth", Lookup::Group).unwrap(), "depth");
        // No column without a request, and none for a part that no row has.
        assert!(!frame_with(&["depth"]).names().iter().any(|name| is_part(name)));
        let without_nodes =
            Frame::parse("variant,position,depth,limit,search.nodes\na,p,1,depth 4,9\n".as_bytes(), "t").unwrap();
        let message = without_nodes.resolve("limit.nodes", Lookup::Filter).unwrap_err().to_string();
        assert_eq!(message, "there is no column `limit.nodes`: `limit` says what ended the searches: `depth 4`");
    }
}
