//! Rows that an earlier plan made and this one needs too. A job's id depends on its content alone,
//! so its rows are found by it, whatever they were called, and are written again under the names of
//! this plan. A folder keeps the rows that its plan no longer has as `unused.csv`.

use super::output::{Output, OutputError};
use super::resume::save;
use super::row_index::RowIndex;
use super::unused::{append_lines, unused_file, unused_files};
use super::{job, jobs_of};
use crate::chess::{Move, suite::Item};
use crate::experiment::{Experiment, Job, Plan};
use crate::record::manifest::{EngineInfo, Manifest, RowSource, RunSegment, Shard};
use crate::record::verify::CHECKSUM_MISMATCH;
use crate::record::{self, ResultsError, columns, thin};
use crate::system::files;
use crate::table::policy::Policy;
use csv::StringRecord;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The plan of a folder whose rows are being changed to another plan's: equal to none.
const CHANGING: &str = "changing";

/// What earlier results have of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// Jobs of the plan that have rows.
    pub jobs: u64,
    /// Jobs of the plan.
    pub all: u64,
    /// Rows that the plan does not have.
    pub unused: u64,
    /// The first rows that are edited or damaged, and are not used: file, line and problem.
    pub damaged: Vec<String>,
    /// The copy of a file with such rows.
    pub saved: Option<PathBuf>,
}

impl std::fmt::Display for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} jobs known, {} to run", self.jobs, self.all, self.all - self.jobs)
    }
}

/// Where a field of a row of this plan comes from.
enum Source {
    Label(&'static str),
    /// The value of a varying option, by its index.
    Option(usize),
    /// From the row, at an index.
    Row(usize),
    /// Whether the best move at this index solves the item.
    Solved(usize),
    /// The same in every row that does not have it.
    Constant(&'static str),
}

/// The indices of the columns that find a row's job.
struct Keys {
    id: usize,
    variant: usize,
    suite: Option<usize>,
    game: usize,
    position: usize,
    ply: usize,
    repeat: usize,
    depth: usize,
    error: usize,
    opponent: Option<usize>,
    colour: Option<usize>,
}

impl Keys {
    fn new(header: &[String]) -> Option<Self> {
        let at = |name: &str| header.iter().position(|column| column == name);
        header.last().filter(|name| *name == columns::CHECK)?;
        Some(Self {
            id: at(columns::ID)?,
            variant: at(columns::VARIANT)?,
            suite: at(columns::SUITE),
            game: at(columns::GAME)?,
            position: at(columns::POSITION)?,
            ply: at(columns::PLY)?,
            repeat: at(columns::REPEAT)?,
            depth: at(columns::DEPTH)?,
            error: at(columns::ERROR)?,
            opponent: at(columns::OPPONENT),
            colour: at(columns::COLOUR),
        })
    }

    fn id(&self, row: &StringRecord) -> Option<u64> {
        u64::from_str_radix(row.get(self.id)?, 16).ok()
    }

    /// The name of a row's item: its game, or its position.
    fn item<'r>(&self, row: &'r StringRecord) -> &'r str {
        row.get(self.game).filter(|game| !game.is_empty()).or(row.get(self.position)).unwrap_or_default()
    }

    /// What the rows of one job have in common: of a job on one item, or on a whole suite.
    fn group(&self, row: &StringRecord, whole_suite: bool) -> String {
        let field = |at: Option<usize>| at.and_then(|at| row.get(at)).unwrap_or_default();
        let item = if whole_suite { field(self.suite) } else { self.item(row) };
        let parts = [field(Some(self.variant)), field(self.opponent), item, field(Some(self.repeat))];
        format!("{whole_suite}\0{}", parts.join("\0"))
    }
}

/// The rows of one job as they stand in a file, up to its last.
#[derive(Default)]
struct Group {
    rows: Vec<StringRecord>,
    lines: Vec<Range<u64>>,
    check: u32,
    problem: Option<(u64, String)>,
}

/// What a file has of the plan.
#[derive(Default)]
struct FileRows {
    /// Rows as they stand there that belong to no job of the plan.
    others: Vec<Range<u64>>,
    /// Lines that are no rows, or belong to jobs with such.
    damaged: Vec<String>,
    header: Vec<String>,
    /// The first line whose job has other counts elsewhere.
    unequal: Option<String>,
}

/// The jobs of a plan, by id.
pub struct Reuse<'a> {
    experiment: &'a Experiment,
    row_index: RowIndex<'a>,
    options: Vec<Vec<String>>,
    varying: Vec<String>,
    jobs: HashMap<u64, Vec<Job>>,
    all: u64,
    /// Whether the rows are another folder's: without failed jobs, and without their seconds.
    borrowed: bool,
    /// The engines of the rows' variants and of this plan's, if they have to be the same.
    engines: Option<[&'a BTreeMap<String, EngineInfo>; 2]>,
}

impl<'a> Reuse<'a> {
    /// The jobs of a plan, or of one shard of it.
    pub fn new(experiment: &'a Experiment, plan: &'a Plan, shard: Option<Shard>) -> Self {
        let (mut jobs, mut all): (HashMap<u64, Vec<Job>>, _) = (HashMap::new(), 0);
        for job in jobs_of(plan, shard) {
            all += 1;
            jobs.entry(plan.job_id(&job)).or_default().push(job);
        }
        let varying = plan.varying();
        let options = plan.variants.iter().map(|variant| job::option_values(variant, &varying)).collect();
        Self {
            experiment,
            row_index: RowIndex::new(experiment, plan),
            options,
            varying,
            jobs,
            all,
            borrowed: false,
            engines: None,
        }
    }

    fn plan(&self) -> &'a Plan {
        self.row_index.plan
    }

    /// Where each field of a row comes from; none if the file lacks a column.
    fn sources(&self, header: &[String]) -> Result<Vec<Source>, String> {
        let labels = [
            columns::EXPERIMENT,
            columns::VARIANT,
            columns::SUITE,
            columns::GAME,
            columns::POSITION,
            columns::LIMIT,
            columns::OPPONENT,
        ];
        let own = &self.row_index.header;
        let source = |name: &String| {
            if let Some(&label) = labels.iter().find(|label| *label == name) {
                return Ok(Source::Label(label));
            }
            if let Some(at) = self.varying.iter().position(|path| path == name) {
                return Ok(Source::Option(at));
            }
            let at = header.iter().position(|column| column == name);
            match at {
                _ if name == columns::SECONDS && self.borrowed => Ok(Source::Constant("")),
                Some(_) if name == columns::SOLVED => {
                    let best = header.iter().position(|column| column == columns::BEST);
                    best.map(Source::Solved).ok_or_else(|| columns::BEST.to_owned())
                }
                Some(at) => Ok(Source::Row(at)),
                None if name == columns::REPEATS => Ok(Source::Constant("exact")),
                None if [columns::ANATOMY, columns::EXTERNAL].iter().any(|start| name.starts_with(start)) => {
                    Ok(Source::Constant(""))
                }
                None => Err(name.clone()),
            }
        };
        own[..own.len() - 1].iter().map(source).collect()
    }

    /// The jobs of which a row is the last; none if it is not one of this plan's.
    fn ended(&self, keys: &Keys, row: &StringRecord) -> Option<&[Job]> {
        let jobs = self.jobs.get(&keys.id(row)?)?;
        let usable = !self.borrowed || row.get(keys.error) == Some("");
        (usable && self.is_of_the_same_engines(keys, row, &jobs[0])).then_some(jobs)
    }

    /// Whether the external engines of a row's job are those of this plan: program, arguments and
    /// options.
    fn is_of_the_same_engines(&self, keys: &Keys, row: &StringRecord, job: &Job) -> bool {
        let Some([before, now]) = self.engines else { return true };
        let opponent = keys.opponent.and_then(|at| row.get(at));
        let players = [(Some(job.variant), row.get(keys.variant)), (job.opponent, opponent)];
        players.into_iter().filter_map(|(at, name)| Some((&self.plan().variants[at?], name?))).all(|(variant, name)| {
            let parts = |engine: &EngineInfo| (engine.sha256.clone(), engine.arguments.clone(), engine.options.clone());
            variant.external().is_none()
                || before.get(name).map(parts).zip(now.get(&variant.name).map(parts)).is_some_and(|(a, b)| a == b)
        })
    }

    /// Reads a results file of any plan. `take` gets the rows of each job of this plan that it has,
    /// once; `done` are the jobs that need none.
    fn read(
        &self,
        path: &Path,
        done: &mut HashMap<u64, String>,
        take: &mut dyn FnMut(Vec<Vec<String>>) -> Result<(), ResultsError>,
    ) -> Result<FileRows, ResultsError> {
        let Some(header) = record::read_header(path)? else { return Ok(FileRows::default()) };
        let mut found = FileRows { header, ..FileRows::default() };
        let header = &found.header;
        let keys = Keys::new(header);
        let sources = self.sources(header);
        let name = path.display();
        // The last row of a job has the job's id, and what its other rows have in common with it.
        let mut groups: HashMap<String, Group> = HashMap::new();
        if let (Some(keys), Ok(_)) = (&keys, &sources) {
            record::scan(path, header, |_, row| {
                let Ok(row) = row else { return Ok(()) };
                if let Some(jobs) = self.ended(keys, row) {
                    groups.entry(keys.group(row, jobs[0].items > 1)).or_default();
                }
                Ok(())
            })?;
        }
        let (mut error, mut others, mut damaged) = (None, Vec::new(), Vec::new());
        record::scan(path, header, |line, row| {
            let row = match row {
                Ok(row) => row,
                Err(problem) => {
                    damaged.push(format!("{name}: line {}: {problem}", line.number));
                    return Ok(());
                }
            };
            let group = keys.as_ref().and_then(|keys| {
                let single = keys.group(row, false);
                let group = if groups.contains_key(&single) { single } else { keys.group(row, true) };
                Some((keys, groups.get_mut(&group)?))
            });
            let Some((keys, group)) = group else {
                others.push(line.bytes.clone());
                return Ok(());
            };
            let (last, failed) = (row.len() - 1, row.get(keys.error) != Some(""));
            let check = |previous| record::check(previous, row.iter().take(last));
            let is_written = |check: u32| row.get(last) == Some(format!("{check:08x}").as_str());
            let mut now = check(if failed { 0 } else { group.check });
            if !is_written(now) && is_written(check(0)) {
                // A job of another plan that has the same names, and no end here.
                now = check(0);
                let Group { lines, problem, .. } = std::mem::take(group);
                match problem {
                    Some((number, problem)) => damaged.push(format!("{name}: line {number}: {problem}")),
                    None => others.extend(lines),
                }
            } else if !is_written(now) && group.problem.is_none() {
                group.problem = Some((line.number, CHECKSUM_MISMATCH.to_owned()));
            }
            group.check = now;
            group.rows.push(row.clone());
            group.lines.push(line.bytes.clone());
            let Some(jobs) = self.ended(keys, row) else { return Ok(()) };
            let Group { rows, lines, problem, .. } = std::mem::take(group);
            if let Some((number, problem)) = problem {
                damaged.push(format!("{name}: line {number}: {problem}"));
                return Ok(());
            }
            let renamed = |job: &Job| sources.as_ref().ok().and_then(|sources| self.rename(keys, sources, &rows, job));
            if jobs.iter().all(|job| done.contains_key(&self.plan().order_key(job))) {
                // Other results have the job: they must have the same counts.
                let checks = |job: &Job| renamed(job).and_then(|rows| rows.last()?.last().cloned());
                let known = &done[&self.plan().order_key(&jobs[0])];
                if self.borrowed && checks(&jobs[0]).is_some_and(|check| check != *known) {
                    found.unequal.get_or_insert_with(|| format!("{name}: line {}", line.number));
                }
                return Ok(());
            }
            for job in jobs {
                let Some(renamed) = renamed(job) else {
                    others.extend(lines);
                    return Ok(());
                };
                let check = renamed.last().and_then(|row| row.last()).cloned().unwrap_or_default();
                done.insert(self.plan().order_key(job), check);
                error = error.take().or(take(renamed).err());
            }
            Ok(())
        })?;
        if let Some(error) = error {
            return Err(error);
        }
        for Group { lines, problem, .. } in groups.into_values() {
            match problem {
                Some((number, problem)) => damaged.push(format!("{name}: line {number}: {problem}")),
                None => others.extend(lines),
            }
        }
        others.sort_by_key(|line| line.start);
        (found.others, found.damaged) = (others, damaged);
        Ok(found)
    }

    /// A job's rows under the names of this plan; none if they are another job's.
    fn rename(&self, keys: &Keys, sources: &[Source], rows: &[StringRecord], job: &Job) -> Option<Vec<Vec<String>>> {
        let (mut item, mut check, mut renamed) = (job.item, 0, Vec::new());
        for (at, row) in rows.iter().enumerate() {
            let ply = match row.get(keys.ply)? {
                "" => None,
                ply => Some(ply.parse::<u16>().ok()?),
            };
            let hashed_ply = match keys.colour {
                Some(colour) => u16::from(row.get(colour) == Some(record::BLACK)),
                None => ply.unwrap_or(0),
            };
            let depth = row.get(keys.depth)?.parse().ok()?;
            let id = keys.id(row)?;
            if at + 1 < rows.len() {
                item = (item..job.item + job.items)
                    .find(|&item| self.plan().row_id(job, item, hashed_ply, depth) == id)?;
            } else if at > 0 && keys.item(row) != keys.item(&rows[at - 1]) {
                // The last row has the job's id, which names no item.
                item += 1;
                item = (item..job.item + job.items)
                    .find(|&item| self.experiment.is_searched(&self.experiment.suite.items[item]))?;
            }
            let label = job::label(self.experiment, self.plan(), &self.options[job.variant], job, item, ply);
            let mut fields: Vec<String> = sources
                .iter()
                .map(|source| match *source {
                    Source::Row(at) => row.get(at).unwrap_or_default().to_owned(),
                    Source::Option(at) => label.options[at].clone(),
                    Source::Constant(text) => text.to_owned(),
                    Source::Solved(best) => match (ply, row.get(keys.error)) {
                        (None, Some("")) if self.experiment.trace.is_none() && job.opponent.is_none() => {
                            solved(&self.experiment.suite.items[item], row.get(best).unwrap_or_default())
                        }
                        _ => String::new(),
                    },
                    Source::Label(columns::EXPERIMENT) => label.experiment.clone(),
                    Source::Label(columns::VARIANT) => label.variant.clone(),
                    Source::Label(columns::SUITE) => label.suite.clone().unwrap_or_default(),
                    Source::Label(columns::GAME) => label.game.clone(),
                    Source::Label(columns::POSITION) => label.position.clone(),
                    Source::Label(columns::LIMIT) => label.limit.clone(),
                    Source::Label(_) => {
                        job.opponent.map(|at| self.plan().variants[at].name.clone()).unwrap_or_default()
                    }
                })
                .collect();
            check = record::seal(&mut fields, check);
            renamed.push(fields);
        }
        Some(renamed)
    }
}

/// The field of whether a move solves an item.
fn solved(item: &Item, best: &str) -> String {
    let mut moves = item.best().iter().chain(item.avoid());
    let best = moves.find(|mv| mv.to_string() == best).copied().unwrap_or(Move::NONE);
    item.solved_by(best).map(|solved| solved.to_string()).unwrap_or_default()
}

impl Reuse<'_> {
    fn known(&self, done: &HashMap<u64, String>, found: &[FileRows]) -> Known {
        Known {
            jobs: done.len() as u64,
            all: self.all,
            unused: found.iter().map(|file| file.others.len() as u64).sum(),
            damaged: found.iter().flat_map(|file| file.damaged.iter().cloned()).collect(),
            saved: None,
        }
    }

    /// What a folder has of the plan. Nothing is written.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn survey(&self, folder: &Path) -> Result<Known, OutputError> {
        let (mut done, mut found) = (HashMap::new(), Vec::new());
        for path in [folder.join(record::RESULTS)].into_iter().chain(unused_files(folder)).filter(|path| path.exists())
        {
            found.push(self.read(&path, &mut done, &mut |_| Ok(())).map_err(OutputError::results(&path))?);
        }
        Ok(self.known(&done, &found))
    }

    /// Makes the rows of another plan in a folder those of this one, with what the folder has as
    /// unused; the rest becomes unused. Where it ends early, nothing is lost.
    fn adopt(&self, output: &Output, old: &Manifest, new: &Manifest) -> Result<Known, OutputError> {
        let (folder, path) = (&output.folder, output.results_path());
        let write = |manifest: &Manifest| {
            output.write_manifest(manifest).map_err(OutputError::io(folder.join(record::manifest::MANIFEST)))
        };
        let (mut done, mut found, mut unused): (_, _, Vec<FileRows>) = (HashMap::new(), Vec::new(), Vec::new());
        let files = unused_files(folder);
        let results = record::write_rows(&path, &self.row_index.header, |put| {
            let mut take = |rows: Vec<Vec<String>>| rows.into_iter().try_for_each(|row| put(&StringRecord::from(row)));
            found.push(self.read(&path, &mut done, &mut take)?);
            for file in &files {
                unused.push(self.read(file, &mut done, &mut take)?);
            }
            Ok(())
        });
        let results = results.map_err(OutputError::results(&path))?;
        let mut known = self.known(&done, &found);
        if !known.damaged.is_empty() {
            known.saved = Some(save(&path).map_err(OutputError::io(&path))?);
        }
        write(&Manifest { plan: CHANGING.to_owned(), ..old.clone() })?;
        if let Some(FileRows { others, header, .. }) = found.first().filter(|file| !file.others.is_empty()) {
            let same = |(_, file): &(&PathBuf, &FileRows)| file.header == *header;
            let to = files.iter().zip(&unused).find(same).map(|(path, _)| path.clone());
            let to = to.unwrap_or_else(|| unused_file(folder, files.len() as u32 + 1));
            append_lines(&path, others, header, &to).map_err(OutputError::results(&to))?;
        }
        record::publish(results, &path).map_err(OutputError::io(&path))?;
        // What was unused and is used again is taken out last.
        for (number, path) in (1_u32..).zip(unused_files(folder)).collect::<Vec<_>>().into_iter().rev() {
            let found = self.read(&path, &mut HashMap::new(), &mut |_| Ok(())).map_err(OutputError::results(&path))?;
            if !found.damaged.is_empty() {
                // What cannot be read is not deleted; a row that is there twice does no harm.
                continue;
            }
            let rewritten = match found.others.is_empty() && !unused_file(folder, number + 1).exists() {
                true => fs::remove_file(&path),
                false => record::rewrite(&path, &found.header, found.others.into_iter()),
            };
            rewritten.map_err(OutputError::io(path))?;
        }
        write(&Manifest {
            plan: new.plan.clone(),
            rows: None,
            ended: None,
            column_seals: Default::default(),
            file_seal: None,
            subjects: new.subjects.clone(),
            segments: old.history().into_iter().map(|segment| RunSegment { jobs_written: None, ..segment }).collect(),
            ..old.clone()
        })?;
        Ok(known)
    }
}

/// Whether results were written for another plan, or under other names.
fn differs(old: &Manifest, new: &Manifest) -> bool {
    let names = |manifest: &Manifest| (manifest.name.clone(), manifest.variants.clone(), manifest.varying.clone());
    old.plan != new.plan
        || names(old) != names(new)
        || old.contents != new.contents
        || old.header_seal != new.header_seal
}

/// Makes the results in a folder those of this plan, if they are another's; what it found then.
///
/// # Errors
/// If they are of another shard or build, or a file cannot be read or written.
pub(super) fn change_plan(
    output: &Output,
    experiment: &Experiment,
    plan: &Plan,
    new: &Manifest,
    any_build: bool,
) -> Result<Option<Known>, OutputError> {
    if thin::is_thin(&output.folder) || !output.results_path().exists() {
        return Ok(None);
    }
    let Some(old) = Manifest::read(&output.folder)?.filter(|old| differs(old, new) && old.shard == new.shard) else {
        return Ok(None);
    };
    // The run refuses another build with its own message.
    if !old.build.searches_as(&new.build) && !any_build {
        return Ok(None);
    }
    let mut reuse = Reuse::new(experiment, plan, new.shard);
    reuse.engines = Some([&old.subjects, &new.subjects]);
    if experiment.file.repeats > 1 && (old.build != new.build || old.machine != new.machine) {
        // Repeats are for their seconds, which are another machine's or build's.
        reuse.jobs.clear();
    }
    reuse.adopt(output, &old, new).map(Some)
}

/// Appends the rows of jobs that other folders have, in their order. `known` are the jobs that this
/// folder has, by their order, with the check of their last row.
///
/// # Errors
/// If a folder is none of results, is of another build, or has other counts than another; or if
/// `put` fails.
pub(super) fn borrow(
    (experiment, plan): (&Experiment, &Plan),
    folders: &[PathBuf],
    own: &Manifest,
    known: &mut HashMap<u64, String>,
    put: &mut dyn FnMut(&[Vec<String>]) -> io::Result<()>,
) -> Result<Vec<(RowSource, Vec<String>)>, OutputError> {
    let mut sources = Vec::new();
    for folder in folders {
        let (name, path) = (folder.display().to_string(), folder.join(record::RESULTS));
        let foreign = |what: &str| OutputError::Foreign(format!("--reuse {name}: {what}"));
        if thin::is_thin(folder) {
            return Err(foreign(
                "holds thin rows, which lack counters: make the full rows again and name their folder",
            ));
        }
        let source = Manifest::read(folder)?.filter(|_| path.exists());
        let source =
            source.ok_or_else(|| foreign("no manifest.json and results.csv found: expected a results folder"))?;
        if !source.build.searches_as(&own.build) {
            return Err(foreign(&format!(
                "its build ({}) may search otherwise than this one ({})",
                source.build, own.build
            )));
        }
        let mut reuse = Reuse::new(experiment, plan, own.shard);
        reuse.borrowed = true;
        reuse.engines = Some([&source.subjects, &own.subjects]);
        reuse.jobs.retain(|_, jobs| !depends_on_more(plan, &jobs[0], &source.subjects));
        let (before, mut rows) = (known.len(), 0);
        let found = reuse.read(&path, known, &mut |job| {
            rows += job.len() as u64;
            Ok(put(&job)?)
        });
        let found = found.map_err(OutputError::results(&path))?;
        if let Some(place) = found.unequal {
            return Err(OutputError::Unequal(place));
        }
        let jobs = (known.len() - before) as u64;
        sources.push((RowSource { folder: name, jobs, rows, build: source.build }, found.damaged));
    }
    Ok(sources)
}

/// Whether a job's rows may depend on more than the build's hash and the engine's: on a policy that
/// another crate registered, or on a script, which may start anything.
fn depends_on_more(plan: &Plan, job: &Job, engines: &BTreeMap<String, EngineInfo>) -> bool {
    let is_script = |program: &str| {
        let mut start = [0; 2];
        files::open(Path::new(program)).and_then(|mut file| file.read_exact(&mut start)).is_err() || start == *b"#!"
    };
    [Some(job.variant), job.opponent].into_iter().flatten().map(|at| &plan.variants[at]).any(|variant| {
        match variant.external() {
            Some(_) => engines.values().any(|engine| is_script(&engine.program)),
            None => matches!(variant.options.table.policy, Policy::External(_)),
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
