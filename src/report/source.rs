//! Results on disk: a folder that `ttlab run` wrote, or a CSV file alone.

use crate::analysis::Frame;
use crate::analysis::caveats::{alike, confounds};
use crate::analysis::questions::joined::Recorded;
use crate::analysis::rows::column::{SEED, SOURCE};
use crate::analysis::rows::{limits, score_error};
use crate::experiment::matches::{Match, Test};
use crate::experiment::reference::Reference;
use crate::experiment::text::{FileText, SuiteTexts};
use crate::experiment::{Experiment, File, paths};
use crate::record::columns::{self, Role, VARIANT};
use crate::record::manifest::Manifest;
use crate::record::reference::{self, Judgement};
use crate::report::number::count;
use anyhow::{Context, Result, bail};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// One result.
#[derive(Debug, Clone)]
pub struct Source {
    /// What it is called: the experiment's name, or the path where that would not tell it from another.
    pub label: String,
    /// Where it lies.
    pub path: PathBuf,
    /// How it was made, where a manifest says so.
    pub manifest: Option<Manifest>,
    /// The experiment as run, where it is there.
    pub file: Option<File>,
    /// That file's text.
    pub text: Option<String>,
    /// The rows.
    pub frame: Frame,
    /// Which rows are missing, in words; none where none are.
    pub missing: Option<String>,
    /// What a reference says of the moves.
    pub judged: Vec<Judgement>,
}

impl Source {
    /// Reads a folder or a CSV file.
    ///
    /// # Errors
    /// When nothing of the kind is there, or a file is not what it should be.
    pub fn load(path: &Path) -> Result<Self> {
        let is_file = path.is_file();
        let folder = if is_file { path.parent().unwrap_or(Path::new("")) } else { path };
        let manifest = Manifest::read(folder)?;
        if manifest.is_none() && !is_file {
            bail!("{}: no results of ttlab are there: it has no manifest.json", path.display());
        }
        let experiment_path = folder.join("experiment.toml");
        let text = match crate::system::files::read_text(&experiment_path) {
            Ok(text) => Some(text),
            Err(_) if is_file => None,
            Err(error) => bail!("{}: {error}", experiment_path.display()),
        };
        let experiment = |text| FileText { text, path: &experiment_path, suites: SuiteTexts::Files }.parse_file();
        let file: Option<File> = text.as_deref().map(experiment).transpose()?;
        let recorded = Recorded::read(path)?;
        let (mut frame, missing) = (recorded.frame, recorded.missing);
        if let Some(manifest) = &manifest {
            without_credit(&mut frame, &manifest.counts_stored_nodes());
        }
        let name = manifest.as_ref().map(|manifest| manifest.name.clone()).filter(|name| !name.is_empty());
        let label = name.unwrap_or_else(|| path.display().to_string());
        let judgements = folder.join(reference::NAME).display().to_string();
        if let Some(line) = reference::damaged_lines(folder).with_context(|| judgements.clone())?.first() {
            bail!("{judgements}: line {line} was edited or damaged\nhelp: `ttlab run` judges such moves again");
        }
        let judged = reference::read(folder).with_context(|| judgements)?;
        let reference = file.as_ref().and_then(|file| file.reference.as_ref());
        if let Some(cut) = reference.and_then(Reference::score_cut) {
            score_error::lay(&mut frame, &judged, cut);
        }
        Ok(Self { label, path: path.to_owned(), missing, manifest, file, text, frame, judged })
    }
}

impl Source {
    /// What there is to say of its variants before any of them is searched: unlike ones, and ones that are the same search.
    pub fn before(&self) -> Vec<String> {
        let sets = self.manifest.as_ref().map_or(&[][..], |manifest| &manifest.sets);
        // A file that another version of ttlab wrote may be one that this does not read: the rows are what counts.
        let variants = self
            .text
            .as_ref()
            .and_then(|text| Experiment::parse_variants(text, Path::new("experiment.toml"), sets).ok());
        variants.map_or_else(Vec::new, |(points, baseline)| {
            [confounds::confounds(&points, baseline), alike::alike(&points)].concat()
        })
    }

    /// What the experiment's match tests, where it is one.
    pub fn test(&self) -> Test {
        self.games().test_or_default()
    }

    /// The baseline's copies of its match: names, and the numbers by which their nodes were divided.
    pub fn handicaps(&self) -> Vec<(String, f64)> {
        self.games().handicaps(self.manifest.as_ref().map_or("", |manifest| &manifest.baseline))
    }

    /// By what scores were judged, in a sentence.
    pub fn score_judge(&self) -> Option<String> {
        let reference = self.file.as_ref()?.reference.as_ref()?;
        let (own, cut) = (reference.own_search.as_ref()?, reference.score_cut()?);
        let base = self.manifest.as_ref().map_or("the baseline", |manifest| &manifest.baseline);
        let options: Vec<String> = own.options.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let table = if options.is_empty() { "a table without a bound".to_owned() } else { options.join(", ") };
        Some(format!(
            "score_error: distance, cut at {cut} centipawns, from the score that the engine of \"{base}\" has after {} nodes with {table} (reference.csv); its \
             ratio is that of the means",
            count(own.nodes as f64)
        ))
    }

    fn games(&self) -> Match {
        self.file.as_ref().and_then(|file| file.games.clone()).unwrap_or_default()
    }
}

/// Reads several results; those that are called alike are called by their paths.
///
/// # Errors
/// When one is given twice, or two call unlike positions alike; see [`Source::load`].
pub fn load(paths: &[PathBuf]) -> Result<Vec<Source>> {
    if let Some((_, path)) = paths.iter().enumerate().find(|(at, path)| paths[..*at].contains(path)) {
        bail!("{}: given twice", path.display());
    }
    let mut sources = paths.iter().map(|path| Source::load(path)).collect::<Result<Vec<_>>>()?;
    tell_apart(&mut sources);
    for (at, one) in sources.iter().enumerate() {
        for other in &sources[..at] {
            let unlike = one
                .manifest
                .as_ref()
                .zip(other.manifest.as_ref())
                .and_then(|(one, other)| one.describe_unlike_items(other));
            if let Some(unlike) = unlike {
                bail!("{} and {}: {unlike}", other.label, one.label);
            }
        }
    }
    Ok(sources)
}

/// Calls those by their paths that are called alike.
fn tell_apart(sources: &mut [Source]) {
    let labels: Vec<String> = sources.iter().map(|source| source.label.clone()).collect();
    for source in sources {
        if labels.iter().filter(|label| **label == source.label).count() > 1 {
            source.label = source.path.display().to_string();
        }
    }
}

/// Takes back what cutoffs were worth where entries count nodes that were never searched: such a sum grows with every cutoff behind a cutoff.
fn without_credit(frame: &mut Frame, variants: &HashSet<&str>) {
    if variants.is_empty() || !frame.names().iter().any(|name| name == columns::SAVED) {
        return;
    }
    let (saved, names) = (frame.numbers(columns::SAVED), frame.coded(VARIANT));
    let kept: Vec<f64> =
        (0..frame.rows()).map(|row| if variants.contains(names.at(row)) { f64::NAN } else { saved[row] }).collect();
    frame.put_numbers(columns::SAVED, |row| kept[row]);
}

/// Lays options into joined rows that were asked for and that some of the results do not have as columns, since they did not vary there:
/// their manifests know them.
fn lay_options(frame: &mut Frame, sources: &[Source], asked: &[&str]) {
    let options = |source: &Source| {
        let ours = source
            .manifest
            .iter()
            .flat_map(|manifest| manifest.options.iter().filter(|(name, _)| !manifest.subjects.contains_key(*name)));
        ours.map(|(name, options)| (name.clone(), paths::flatten(options).into_iter().collect())).collect()
    };
    let leaves: Vec<HashMap<String, HashMap<String, String>>> = sources.iter().map(options).collect();
    let paths = leaves.iter().flat_map(HashMap::values).flat_map(HashMap::keys);
    let meant = |path: &&String| asked.iter().any(|name| columns::may_mean(name, path));
    let from = frame.coded(SOURCE).into_owned();
    let variants = frame.coded(VARIANT).into_owned();
    // A single result has no such column, and is the first.
    let place = |label: &String| sources.iter().position(|source| source.label == *label).unwrap_or(0);
    let places: Vec<usize> = from.list().iter().map(place).collect();
    for path in paths.filter(meant).collect::<BTreeSet<_>>() {
        let old = frame.coded(path).into_owned();
        frame.put_words(path, |row| {
            let message = &leaves[places[from.codes()[row] as usize]];
            let message = message.get(variants.at(row)).and_then(|leaves| leaves.get(path));
            message.map_or_else(|| old.at(row).to_owned(), Clone::clone)
        });
    }
}

/// The rows of all, with the options that are asked for and those that some of several have as columns; where there are several, a column says which each is from.
pub(super) fn join<'a>(sources: &'a [Source], asked: &[&str]) -> Cow<'a, Frame> {
    // What every row has by that name needs no option, a state such as `slots` apart, which an option has the name of too.
    let state = |own: &columns::Column| own.role == Role::Last && !own.name.contains('.');
    let own = |name: &str| columns::columns().iter().any(|own| columns::may_mean(name, &own.name) && !state(own));
    let mut asked: Vec<&str> =
        asked.iter().copied().filter(|name| ![SOURCE, SEED].contains(name) && !own(name)).collect();
    if sources.len() > 1 {
        asked.extend(sources.iter().flat_map(|source| source.frame.options()));
    }
    let mut joined = match sources {
        [only] if asked.is_empty() => return Cow::Borrowed(&only.frame),
        [only] => only.frame.clone(),
        _ => {
            let mut joined = Frame::default();
            for source in sources {
                let mut frame = source.frame.clone();
                frame.put(SOURCE, &source.label);
                joined.append(&frame);
            }
            joined
        }
    };
    lay_options(&mut joined, sources, &asked);
    limits::lay(&mut joined, &asked);
    Cow::Owned(joined)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::rows::filter::Filter;
    use crate::analysis::rows::frame::Sought;
    use crate::analysis::rows::grouping::Grouping;
    use crate::analysis::rows::limits::{is_part, lay};

    /// A result of one row of each variant, whose options the manifest has.
    fn source(label: &str, path: &str, variants: &[(&str, serde_json::Value)]) -> Source {
        let rows = variants.iter().map(|(name, _)| format!("{name},p,1,9,7\n")).collect::<String>();
        let text = format!("variant,position,depth,search.nodes,slots\n{rows}");
        let options = variants.iter().map(|(name, options)| ((*name).to_owned(), options.clone())).collect();
        Source {
            label: label.to_owned(),
            path: PathBuf::from(path),
            manifest: Some(Manifest { options, ..Manifest::default() }),
            file: None,
            frame: Frame::parse(text.as_bytes(), label).unwrap(),
            missing: None,
            text: None,
            judged: Vec::new(),
        }
    }

    /// Another table beside a run's files lacks none of that run's rows.
    #[test]
    fn a_manifest_speaks_of_its_own_results_alone() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = Manifest { jobs_total: 2, ..Manifest::default() };
        std::fs::write(folder.path().join("manifest.json"), serde_json::to_string(&manifest).unwrap()).unwrap();
        for (name, missing) in [("results.csv", Some("1 job of the plan without rows")), ("other.csv", None)] {
            let path = folder.path().join(name);
            std::fs::write(&path, "variant,position,repeat,depth,search.nodes\na,p,0,1,9\n").unwrap();
            assert_eq!(Source::load(&path).unwrap().missing.as_deref(), missing, "{name}");
        }
    }

    /// Two of a name, the first among them, are called by their paths; one of its own name keeps it.
    #[test]
    fn results_of_one_name_are_called_by_their_paths() {
        let labels = |names: &[&str]| {
            let mut sources: Vec<Source> =
                names.iter().enumerate().map(|(at, name)| source(name, &format!("at/{at}"), &[])).collect();
            tell_apart(&mut sources);
            sources.into_iter().map(|source| source.label).collect::<Vec<_>>()
        };
        assert_eq!(labels(&["a", "b", "a"]), ["at/0", "b", "at/2"]);
        assert_eq!(labels(&["a", "a", "a", "b", "b"]), ["at/0", "at/1", "at/2", "at/3", "at/4"]);
        assert_eq!(labels(&["a", "b", "at/0"]), ["a", "b", "at/0"]);
    }

    /// Where entries count nodes that were never searched, nothing is known of what cutoffs were worth; elsewhere it stays, and no column is made.
    #[test]
    fn what_was_never_searched_is_worth_nothing_known() {
        use serde_json::json;
        let options = |policy: &str| json!({ "table": { "policy": { "kind": policy } } });
        let policies = [("a", "big-all"), ("b", "big1"), ("c", "always")];
        let all = policies.map(|(name, policy)| (name, options(policy)));
        let manifest = source("x", "x", &all).manifest.unwrap();
        assert_eq!(manifest.counts_stored_nodes(), HashSet::from(["a"]));
        let text = "variant,position,depth,search.nodes,search.saved\na,p,1,9,7\nb,p,1,9,5\nd,p,1,9,3\n";
        let mut frame = Frame::parse(text.as_bytes(), "x").unwrap();
        without_credit(&mut frame, &manifest.counts_stored_nodes());
        let saved = frame.numbers(columns::SAVED);
        assert!(saved[0].is_nan() && saved[1..] == [5.0, 3.0], "{saved:?}");
        let mut bare = Frame::parse("variant,position,depth,search.nodes\na,p,1,9\n".as_bytes(), "x").unwrap();
        without_credit(&mut bare, &manifest.counts_stored_nodes());
        assert!(!bare.names().iter().any(|name| name == columns::SAVED));
    }

    /// Options are laid in that were asked for, each row its own variant's in its own result; of another engine none of ours are.
    #[test]
    fn each_row_has_the_options_of_its_own_variant() {
        use serde_json::json;
        let options = |slots: u32, size: &str| json!({ "table": { "slots": slots, "size": size } });
        let mut first = source("first", "1", &[("a", options(1, "1 MiB")), ("b", options(2, "1 MiB"))]);
        let second = source("second", "2", &[("a", options(4, "2 MiB"))]);
        let message = |sources: &[Source], asked: &[&str], column: &str| {
            let joined = join(sources, asked);
            let known = joined.names().iter().any(|name| name == column);
            known.then(|| (0..joined.rows()).map(|row| joined.text(column, row).into_owned()).collect::<Vec<_>>())
        };
        let words = |list: &[&str]| Some(list.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        let both = [first.clone(), second.clone()];
        assert_eq!(message(&both, &["size"], "table.size"), words(&["1 MiB", "1 MiB", "2 MiB"]));
        assert_eq!(message(&both, &["table.slots"], "table.slots"), words(&["1", "2", "4"]));
        assert_eq!(message(&both, &["table.slots"], "table.size"), None, "nobody asked");
        assert_eq!(message(&both, &[], SOURCE), words(&["first", "first", "second"]));
        let single = std::slice::from_ref(&first);
        assert_eq!(
            message(single, &["slots"], "table.slots"),
            words(&["1", "2"]),
            "an option beside a state of that name"
        );
        assert_eq!(message(single, &[], SOURCE), None);
        // Of one alone its rows say what they are of.
        let mut own = first.clone();
        own.frame.put("table.slots", "7");
        assert_eq!(message(&[own], &[], "table.slots"), words(&["7", "7"]));
        // What one of several has as a column is laid into the rows of the others, asked for or not.
        let mut varied = first.clone();
        varied.frame.put("table.slots", "7");
        assert_eq!(message(&[varied, second], &[], "table.slots"), words(&["1", "2", "4"]));
        // What every row has needs no option, and one that is asked for by name has nothing laid over it.
        assert!(matches!(join(single, &["nodes", SOURCE, SEED]), Cow::Borrowed(_)));
        if let Some(manifest) = &mut first.manifest {
            manifest.subjects.insert("b".to_owned(), Default::default());
        }
        assert_eq!(message(&[first], &["table.slots"], "table.slots"), words(&["1", ""]));
    }

    /// What makes two variants alike may be laid over the file by --set.
    #[test]
    fn caveats_heed_what_was_set() {
        let text = "suite = { startpos = true }\nlimit = { depth = 2 }\n[grid]\n'table.slots' = [1, 2]\n";
        let before = |sets: &[&str]| {
            let mut source = source("x", "x", &[]);
            source.text = Some(text.to_owned());
            source.manifest =
                Some(Manifest { sets: sets.iter().map(|&set| set.to_owned()).collect(), ..Manifest::default() });
            source.before()
        };
        assert_eq!(before(&[]), Vec::<String>::new());
        for sets in [&["table.kind=unbounded"][..], &[crate::experiment::SKIP_BAD, "table.kind=unbounded"]] {
            let message = before(sets);
            assert!(message.len() == 1 && message[0].contains("table.slots does nothing"), "{message:?}");
        }
    }

    /// The words of a grid are those of its limits: as groups that meet, and as conditions; a part that no row has is told with what there is.
    #[test]
    fn a_grids_words_name_parts_of_the_limit() {
        let text = "variant,position,depth,limit,search.nodes\na,p,1,depth 4,9\nb,p,1,depth 3,9\n\
                    c,p,1,\"depth 4, nodes 500\",9\nd,p,1,nodes 20,9\n";
        let of = |asked: &[&str]| {
            let mut frame = Frame::parse(text.as_bytes(), "t").unwrap();
            lay(&mut frame, asked);
            frame
        };
        let both = of(&["limit.depth"]);
        let rows = |condition: &str| Filter::rows(&[Filter::parse(condition, &both).unwrap()], &both);
        assert_eq!(rows("limit.depth=3"), [1]);
        assert_eq!(rows("limit.depth>3"), [0, 2]);
        assert_eq!(rows("limit.nodes>=20"), [2, 3]);
        let grouping = Grouping::new(&both, &["limit.depth".to_owned()]);
        assert_eq!(grouping.names(), ["depth=4", "depth=3", "(none)"]);
        assert_eq!(
            grouping.block[0], grouping.block[1],
            "searches that differ in nothing but what is asked about meet"
        );
        assert_ne!(grouping.block[0], grouping.block[2], "another node limit is another search");
        assert_eq!(both.resolve("depth", Sought::Group).unwrap(), "depth");
        // Nobody asked, and nothing but depths.
        assert!(!of(&["depth"]).names().iter().any(|name| is_part(name)));
        let depths =
            Frame::parse("variant,position,depth,limit,search.nodes\na,p,1,depth 4,9\n".as_bytes(), "t").unwrap();
        let message = depths.resolve("limit.nodes", Sought::Condition).unwrap_err().to_string();
        assert_eq!(message, "there is no column `limit.nodes`: `limit` says what ended the searches: `depth 4`");
    }
}
