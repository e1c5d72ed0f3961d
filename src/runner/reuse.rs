//! Reuses rows that another plan produced and this plan also needs. A job's id depends only on its
//! content, so its rows are found by id regardless of their names, and are renamed to the names of
//! this plan.

use super::output::OutputError;
use super::row_index::RowIndex;
use super::unused::unused_files;
use super::{job, jobs_of};
use crate::chess::{Move, suite::Item};
use crate::experiment::{Experiment, Job, Plan, Work};
use crate::record::manifest::{EngineInfo, Shard};
use crate::record::verify::CHECKSUM_MISMATCH;
use crate::record::{self, ResultsError, columns};
use csv::StringRecord;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What earlier results contain of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// Jobs of the plan that have rows.
    pub jobs: u64,
    /// Jobs of the plan.
    pub all: u64,
    /// Rows that do not belong to the plan.
    pub unused: u64,
    /// The first rows that are edited or damaged and therefore not used: file, line and problem.
    pub damaged: Vec<String>,
    /// The copy of a file with damaged rows.
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
    /// A field of the row, by its index.
    Row(usize),
    /// Whether the best move at this index solves the item.
    Solved(usize),
    /// A constant, for a column that the row does not have.
    Constant(&'static str),
}

/// The indices of the columns that identify a row's job.
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
        let index_of = |name: &str| header.iter().position(|column| column == name);
        header.last().filter(|name| *name == columns::CHECK)?;
        Some(Self {
            id: index_of(columns::ID)?,
            variant: index_of(columns::VARIANT)?,
            suite: index_of(columns::SUITE),
            game: index_of(columns::GAME)?,
            position: index_of(columns::POSITION)?,
            ply: index_of(columns::PLY)?,
            repeat: index_of(columns::REPEAT)?,
            depth: index_of(columns::DEPTH)?,
            error: index_of(columns::ERROR)?,
            opponent: index_of(columns::OPPONENT),
            colour: index_of(columns::COLOUR),
        })
    }

    fn id(&self, row: &StringRecord) -> Option<u64> {
        u64::from_str_radix(row.get(self.id)?, 16).ok()
    }

    /// The name of a row's item: its game, or its position.
    fn item<'r>(&self, row: &'r StringRecord) -> &'r str {
        row.get(self.game).filter(|game| !game.is_empty()).or(row.get(self.position)).unwrap_or_default()
    }

    /// The fields that all rows of one job share; `whole_suite`: whether the job covers a whole
    /// suite or one item.
    fn group(&self, row: &StringRecord, whole_suite: bool) -> String {
        let field = |index: Option<usize>| index.and_then(|index| row.get(index)).unwrap_or_default();
        let item = if whole_suite { field(self.suite) } else { self.item(row) };
        let parts = [field(Some(self.variant)), field(self.opponent), item, field(Some(self.repeat))];
        format!("{whole_suite}\0{}", parts.join("\0"))
    }
}

/// The rows of one job in a file, up to the job's last row.
#[derive(Default)]
struct Group {
    rows: Vec<StringRecord>,
    lines: Vec<Range<u64>>,
    check: u32,
    problem: Option<(u64, String)>,
}

/// What a file contains of the plan.
#[derive(Default)]
pub(super) struct FileRows {
    /// The byte ranges of rows that belong to no job of the plan.
    pub(super) others: Vec<Range<u64>>,
    /// Lines that are not rows, and lines of jobs that have such lines.
    pub(super) damaged: Vec<String>,
    pub(super) header: Vec<String>,
    /// The first line of a job that has different counts elsewhere.
    pub(super) unequal: Option<String>,
}

/// The jobs of a plan, by id.
pub struct Reuse<'a> {
    experiment: &'a Experiment,
    pub(super) row_index: RowIndex<'a>,
    options: Vec<Vec<String>>,
    varying: Vec<String>,
    pub(super) jobs: HashMap<u64, Vec<Job>>,
    all: u64,
    /// Whether the rows come from another folder: then failed jobs and seconds are left out.
    pub(super) borrowed: bool,
    /// The engines of the rows' variants and of this plan's variants, if they must be the same.
    pub(super) engines: Option<[&'a BTreeMap<String, EngineInfo>; 2]>,
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

    /// Where each field of a row comes from; an error if the file lacks a column.
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
            if let Some(index) = self.varying.iter().position(|path| path == name) {
                return Ok(Source::Option(index));
            }
            let index = header.iter().position(|column| column == name);
            match index {
                _ if name == columns::SECONDS && self.borrowed => Ok(Source::Constant("")),
                Some(_) if name == columns::SOLVED => {
                    let best = header.iter().position(|column| column == columns::BEST);
                    best.map(Source::Solved).ok_or_else(|| columns::BEST.to_owned())
                }
                Some(index) => Ok(Source::Row(index)),
                None if name == columns::REPEATS => Ok(Source::Constant("exact")),
                None if [columns::ANATOMY, columns::EXTERNAL].iter().any(|start| name.starts_with(start)) => {
                    Ok(Source::Constant(""))
                }
                None => Err(name.clone()),
            }
        };
        own[..own.len() - 1].iter().map(source).collect()
    }

    /// The jobs that end with this row; `None` if it is not the last row of a job of this plan.
    fn ended(&self, keys: &Keys, row: &StringRecord) -> Option<&[Job]> {
        let jobs = self.jobs.get(&keys.id(row)?)?;
        let usable = !self.borrowed || row.get(keys.error) == Some("");
        (usable && self.is_of_the_same_engines(keys, row, &jobs[0])).then_some(jobs)
    }

    /// Whether the external engines of a row's job are those of this plan: same program, arguments
    /// and options.
    fn is_of_the_same_engines(&self, keys: &Keys, row: &StringRecord, job: &Job) -> bool {
        let Some([before, now]) = self.engines else { return true };
        let opponent = keys.opponent.and_then(|index| row.get(index));
        let players = [(Some(job.variant), row.get(keys.variant)), (job.opponent, opponent)];
        players.into_iter().filter_map(|(index, name)| Some((&self.plan().variants[index?], name?))).all(
            |(variant, name)| {
                let parts =
                    |engine: &EngineInfo| (engine.sha256.clone(), engine.arguments.clone(), engine.options.clone());
                variant.external().is_none()
                    || before.get(name).map(parts).zip(now.get(&variant.name).map(parts)).is_some_and(|(a, b)| a == b)
            },
        )
    }

    /// Reads a results file of any plan. Calls `take` once with the rows of each job of this plan
    /// that the file has; `done`: the jobs that need no rows.
    pub(super) fn read(
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
        // Only the last row of a job has the job's id; the other rows are matched by the fields
        // that they share with it.
        let mut groups: HashMap<String, Group> = HashMap::new();
        let (mut error, mut others, mut damaged) = (None, Vec::new(), Vec::new());
        if let (Some(keys), Ok(_)) = (&keys, &sources) {
            let is_ours = |id| self.jobs.contains_key(&id);
            record::scan_ids(path, header, is_ours, |line, row| {
                match row.map(|row| (self.ended(keys, row), row)) {
                    Ok((Some(jobs), row)) => drop(groups.entry(keys.group(row, jobs[0].items > 1)).or_default()),
                    Ok((None, _)) => {}
                    Err(problem) => damaged.push(format!("{name}: line {}: {problem}", line.number)),
                }
                Ok(())
            })?;
            if groups.is_empty() && self.borrowed {
                found.damaged = damaged;
                return Ok(found);
            }
            damaged.clear();
        }
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
                // Here a job of another plan with the same names begins, although the rows so far
                // have no end.
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
                // Other results also have this job: the counts must be equal.
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

    /// A job's rows with the names of this plan; `None` if the rows belong to another job.
    fn rename(&self, keys: &Keys, sources: &[Source], rows: &[StringRecord], job: &Job) -> Option<Vec<Vec<String>>> {
        let (mut item, mut check, mut renamed) = (job.item, 0, Vec::new());
        for (index, row) in rows.iter().enumerate() {
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
            if index + 1 < rows.len() {
                item = (item..job.item + job.items)
                    .find(|&item| self.plan().row_id(job, item, hashed_ply, depth) == id)?;
            } else if index > 0 && keys.item(row) != keys.item(&rows[index - 1]) {
                // The last row has only the job's id, which names no item.
                item += 1;
                item = (item..job.item + job.items)
                    .find(|&item| self.experiment.is_searched(&self.experiment.suite.items[item]))?;
            }
            let label = job::label(self.experiment, self.plan(), &self.options[job.variant], job, item, ply);
            let mut fields: Vec<String> = sources
                .iter()
                .map(|source| match *source {
                    Source::Row(index) => row.get(index).unwrap_or_default().to_owned(),
                    Source::Option(index) => label.options[index].clone(),
                    Source::Constant(text) => text.to_owned(),
                    Source::Solved(best) => match (ply, row.get(keys.error)) {
                        (None, Some("")) if matches!(self.experiment.work, Work::Search(_)) => {
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
                        job.opponent.map(|index| self.plan().variants[index].name.clone()).unwrap_or_default()
                    }
                })
                .collect();
            check = record::seal(&mut fields, check);
            renamed.push(fields);
        }
        Some(renamed)
    }
}

/// The value of the column that says whether a move solves an item.
fn solved(item: &Item, best: &str) -> String {
    let mut moves = item.best().iter().chain(item.avoid());
    let best = moves.find(|mv| mv.to_string() == best).copied().unwrap_or(Move::NONE);
    item.solved_by(best).map(|solved| solved.to_string()).unwrap_or_default()
}

impl Reuse<'_> {
    pub(super) fn summarize(&self, done: &HashMap<u64, String>, found: &[FileRows]) -> Known {
        Known {
            jobs: done.len() as u64,
            all: self.all,
            unused: found.iter().map(|file| file.others.len() as u64).sum(),
            damaged: found.iter().flat_map(|file| file.damaged.iter().cloned()).collect(),
            saved: None,
        }
    }

    /// Finds what a folder contains of the plan, and adds those jobs to `done`. Writes nothing.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(super) fn survey(&self, folder: &Path, done: &mut HashMap<u64, String>) -> Result<Vec<FileRows>, OutputError> {
        let files = [folder.join(record::RESULTS)].into_iter().chain(unused_files(folder));
        let read = |path: PathBuf| self.read(&path, done, &mut |_| Ok(())).map_err(OutputError::results(&path));
        files.filter(|path| path.exists()).map(read).collect()
    }
}
