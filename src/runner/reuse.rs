//! Reuses rows of another plan that this plan also needs. A job's id depends only on the job's
//! content. So the rows are found by their ids, even if the other plan uses other names, and are
//! then renamed to the names of this plan.

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

/// How much of a plan exists in earlier results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReuseSummary {
    /// The number of the plan's jobs that have rows.
    pub found_jobs: u64,
    /// The number of the plan's jobs.
    pub all_jobs: u64,
    /// The number of rows that do not belong to the plan.
    pub unused: u64,
    /// Describes each row that is not used because it was edited or damaged. The description names
    /// the file, the line and the problem.
    pub damaged: Vec<String>,
    /// The copy of a file with damaged rows, if one was made.
    pub copy: Option<PathBuf>,
}

impl std::fmt::Display for ReuseSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { found_jobs, all_jobs, .. } = self;
        write!(f, "{found_jobs} of {all_jobs} jobs already done, {} to run", all_jobs - found_jobs)
    }
}

/// Where a field of a row comes from when the row is rewritten with the names of this plan.
enum Source {
    /// The name that this plan uses in the given column.
    Label(&'static str),
    /// The value of the varying option with the given index.
    Option(usize),
    /// The field of the old row with the given index.
    Row(usize),
    /// Whether the best move solves the item. The best move is the field of the old row with the
    /// given index.
    Solved(usize),
    /// A constant, for a column that the old row does not have.
    Constant(&'static str),
}

/// The indices of the columns that identify a row's job.
struct KeyColumns {
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

impl KeyColumns {
    /// Finds the columns in a header. Returns `None` if the header is not that of a results file,
    /// because a column is missing or the checksum is not the last column.
    fn new(header: &[String]) -> Option<Self> {
        if header.last().is_none_or(|name| name != columns::CHECK) {
            return None;
        }
        let index_of = |name: &str| header.iter().position(|column| column == name);
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

    /// Returns the id of a row, or `None` if the id is not a number.
    fn id(&self, row: &StringRecord) -> Option<u64> {
        u64::from_str_radix(row.get(self.id)?, 16).ok()
    }

    /// Returns the name of a row's item, which is the game or else the position.
    fn item_name<'r>(&self, row: &'r StringRecord) -> &'r str {
        row.get(self.game).filter(|game| !game.is_empty()).or(row.get(self.position)).unwrap_or_default()
    }

    /// Returns a key made of the fields that all rows of one job share. `is_whole_suite` says
    /// whether the job covers a whole suite instead of one item.
    fn group_key(&self, row: &StringRecord, is_whole_suite: bool) -> String {
        let field = |index: Option<usize>| index.and_then(|index| row.get(index)).unwrap_or_default();
        let item = if is_whole_suite { field(self.suite) } else { self.item_name(row) };
        let parts = [field(Some(self.variant)), field(self.opponent), item, field(Some(self.repeat))];
        format!("{is_whole_suite}\0{}", parts.join("\0"))
    }
}

/// The rows of one job that have been read so far. The group is complete when the job's last row is
/// read.
#[derive(Default)]
struct Group {
    rows: Vec<StringRecord>,
    /// The byte range of each row.
    lines: Vec<Range<u64>>,
    /// The checksum of the last row. It continues the checksum of the previous row.
    check: u32,
    /// The line number and the problem of the first row with a wrong checksum.
    problem: Option<(u64, String)>,
}

/// What a results file contains apart from the rows of the plan.
#[derive(Default)]
pub(super) struct FileRows {
    /// The byte ranges of rows that belong to no job of the plan.
    pub(super) unused: Vec<Range<u64>>,
    /// Describes each damaged line. The description names the file, the line and the problem.
    pub(super) damaged: Vec<String>,
    pub(super) header: Vec<String>,
    /// The file and line of the first job whose counts differ from those in earlier results.
    pub(super) conflict: Option<String>,
}

/// Finds rows of a plan's jobs in results of other plans.
pub struct Reuse<'a> {
    experiment: &'a Experiment,
    pub(super) row_index: RowIndex<'a>,
    /// The values of the varying options, for each variant.
    option_values: Vec<Vec<String>>,
    /// The names of the varying options.
    varying: Vec<String>,
    /// The jobs with each id. Variants with equal options have jobs with the same id.
    pub(super) jobs: HashMap<u64, Vec<Job>>,
    /// The number of jobs.
    job_count: u64,
    /// Whether the rows come from another folder. If they do, failed jobs and seconds are left out.
    pub(super) is_other_folder: bool,
    /// If the engines must be the same, the engines of the rows' variants and the engines of this
    /// plan's variants.
    pub(super) engines: Option<[&'a BTreeMap<String, EngineInfo>; 2]>,
}

impl<'a> Reuse<'a> {
    /// Prepares to find rows for the jobs of a plan, or of one shard of the plan.
    pub fn new(experiment: &'a Experiment, plan: &'a Plan, shard: Option<Shard>) -> Self {
        let (mut jobs, mut job_count): (HashMap<u64, Vec<Job>>, _) = (HashMap::new(), 0);
        for job in jobs_of(plan, shard) {
            job_count += 1;
            jobs.entry(plan.job_id(&job)).or_default().push(job);
        }
        let varying = plan.varying();
        let option_values = plan.variants.iter().map(|variant| job::option_values(variant, &varying)).collect();
        Self {
            experiment,
            row_index: RowIndex::new(experiment, plan),
            option_values,
            varying,
            jobs,
            job_count,
            is_other_folder: false,
            engines: None,
        }
    }

    fn plan(&self) -> &'a Plan {
        self.row_index.plan
    }

    /// Determines how each field of a row is made when the row is rewritten with the names of this
    /// plan. `header` is the header of the row's file. The error is the name of a column that the
    /// file lacks.
    fn field_sources(&self, header: &[String]) -> Result<Vec<Source>, String> {
        let label_columns = [
            columns::EXPERIMENT,
            columns::VARIANT,
            columns::SUITE,
            columns::GAME,
            columns::POSITION,
            columns::LIMIT,
            columns::OPPONENT,
        ];
        let index_of = |name: &str| header.iter().position(|column| column == name);
        let find_source = |name: &String| {
            if let Some(&column) = label_columns.iter().find(|column| *column == name) {
                return Ok(Source::Label(column));
            }
            if let Some(index) = self.varying.iter().position(|path| path == name) {
                return Ok(Source::Option(index));
            }
            if name == columns::SECONDS && self.is_other_folder {
                return Ok(Source::Constant(""));
            }
            match index_of(name) {
                Some(_) if name == columns::SOLVED => {
                    index_of(columns::BEST).map(Source::Solved).ok_or_else(|| columns::BEST.to_owned())
                }
                Some(index) => Ok(Source::Row(index)),
                // Files without this column contain only rows of the built-in engine.
                None if name == columns::REPEATS => Ok(Source::Constant("exact")),
                None if [columns::ANATOMY, columns::EXTERNAL].iter().any(|prefix| name.starts_with(prefix)) => {
                    Ok(Source::Constant(""))
                }
                None => Err(name.clone()),
            }
        };
        let plan_header = &self.row_index.header;
        // The last column is the checksum.
        plan_header[..plan_header.len() - 1].iter().map(find_source).collect()
    }

    /// Returns the jobs whose last row is `row`. Returns `None` if `row` is not the last row of a
    /// job of this plan, or must not be used.
    fn jobs_ending_with(&self, keys: &KeyColumns, row: &StringRecord) -> Option<&[Job]> {
        let jobs = self.jobs.get(&keys.id(row)?)?;
        let is_usable = !self.is_other_folder || row.get(keys.error) == Some("");
        (is_usable && self.has_same_engines(keys, row, &jobs[0])).then_some(jobs)
    }

    /// Whether the external engines that produced a row have the same programs, arguments and
    /// options as the engines that this plan uses for the job.
    fn has_same_engines(&self, keys: &KeyColumns, row: &StringRecord, job: &Job) -> bool {
        let Some([row_engines, plan_engines]) = self.engines else { return true };
        let identity = |engine: &EngineInfo| (engine.sha256.clone(), engine.arguments.clone(), engine.options.clone());
        let has_same_engine = |variant: usize, name_column: Option<usize>| {
            let variant = &self.plan().variants[variant];
            let Some(name_in_row) = name_column.and_then(|column| row.get(column)) else { return true };
            let (row_engine, plan_engine) =
                (row_engines.get(name_in_row).map(identity), plan_engines.get(&variant.name).map(identity));
            variant.external().is_none() || row_engine.is_some() && row_engine == plan_engine
        };
        has_same_engine(job.variant, Some(keys.variant))
            && job.opponent.is_none_or(|opponent| has_same_engine(opponent, keys.opponent))
    }

    /// Reads a results file of any plan. Calls `take_rows` with the renamed rows of each complete
    /// job of this plan that is not in `known_checks`, and adds the job to `known_checks`.
    ///
    /// `known_checks` contains the jobs whose rows are known already. The key is the job's place in
    /// the plan's order, and the value is the checksum of the job's last row.
    pub(super) fn read(
        &self,
        path: &Path,
        known_checks: &mut HashMap<u64, String>,
        take_rows: &mut dyn FnMut(Vec<Vec<String>>) -> Result<(), ResultsError>,
    ) -> Result<FileRows, ResultsError> {
        let Some(header) = record::read_header(path)? else { return Ok(FileRows::default()) };
        let mut file_rows = FileRows { header, ..FileRows::default() };
        let header = &file_rows.header;
        let keys = KeyColumns::new(header);
        let sources = self.field_sources(header);
        let name = path.display();
        let describe = |line: u64, problem: &str| format!("{name}: line {line}: {problem}");
        // Only the last row of a job has the job's id. The other rows are recognized by the fields
        // that they share with the last row.
        let mut groups: HashMap<String, Group> = HashMap::new();
        let (mut error, mut unused_lines, mut damaged) = (None, Vec::new(), Vec::new());
        if let (Some(keys), Ok(_)) = (&keys, &sources) {
            // First, an empty group is created for each job that the file has.
            let is_job_of_plan = |id| self.jobs.contains_key(&id);
            record::scan_ids(path, header, is_job_of_plan, |line, row| {
                match row {
                    Ok(row) => {
                        if let Some(jobs) = self.jobs_ending_with(keys, row) {
                            groups.entry(keys.group_key(row, jobs[0].item_count > 1)).or_default();
                        }
                    }
                    Err(problem) => damaged.push(describe(line.number, &problem)),
                }
                Ok(())
            })?;
            // The unused rows of another folder are not needed.
            if groups.is_empty() && self.is_other_folder {
                file_rows.damaged = damaged;
                return Ok(file_rows);
            }
            // The damaged lines are found again in the second scan.
            damaged.clear();
        }
        record::scan(path, header, |line, row| {
            let row = match row {
                Ok(row) => row,
                Err(problem) => {
                    damaged.push(describe(line.number, &problem));
                    return Ok(());
                }
            };
            // The group of the row's job, which covers one item or the whole suite.
            let group = keys.as_ref().and_then(|keys| {
                let item_key = keys.group_key(row, false);
                let key = if groups.contains_key(&item_key) { item_key } else { keys.group_key(row, true) };
                Some((keys, groups.get_mut(&key)?))
            });
            let Some((keys, group)) = group else {
                unused_lines.push(line.bytes.clone());
                return Ok(());
            };
            let (last, failed) = (row.len() - 1, row.get(keys.error) != Some(""));
            // A row's checksum continues that of the job's previous row. The row of a failed job
            // has no previous row.
            let check_after = |previous| record::checksum(previous, row.iter().take(last));
            let is_written = |check: u32| row.get(last) == Some(format!("{check:08x}").as_str());
            let mut check = check_after(if failed { 0 } else { group.check });
            if !is_written(check) && is_written(check_after(0)) {
                // This row begins a job of another plan with the same names. So the rows before it
                // belong to a job whose last row is missing.
                check = check_after(0);
                let Group { lines, problem, .. } = std::mem::take(group);
                match problem {
                    Some((number, problem)) => damaged.push(describe(number, &problem)),
                    None => unused_lines.extend(lines),
                }
            } else if !is_written(check) && group.problem.is_none() {
                group.problem = Some((line.number, CHECKSUM_MISMATCH.to_owned()));
            }
            group.check = check;
            group.rows.push(row.clone());
            group.lines.push(line.bytes.clone());
            let Some(jobs) = self.jobs_ending_with(keys, row) else { return Ok(()) };
            let Group { rows, lines, problem, .. } = std::mem::take(group);
            if let Some((number, problem)) = problem {
                damaged.push(describe(number, &problem));
                return Ok(());
            }
            let rename =
                |job: &Job| sources.as_ref().ok().and_then(|sources| self.rename_rows(keys, sources, &rows, job));
            if jobs.iter().all(|job| known_checks.contains_key(&self.plan().order_key(job))) {
                // Other results also contain this job, so the counts must be equal.
                let earlier_check = &known_checks[&self.plan().order_key(&jobs[0])];
                let check = rename(&jobs[0]).and_then(|rows| rows.last()?.last().cloned());
                if self.is_other_folder && check.is_some_and(|check| check != *earlier_check) {
                    file_rows.conflict.get_or_insert_with(|| format!("{name}: line {}", line.number));
                }
                return Ok(());
            }
            for job in jobs {
                let Some(renamed) = rename(job) else {
                    unused_lines.extend(lines);
                    return Ok(());
                };
                let check = renamed.last().and_then(|row| row.last()).cloned().unwrap_or_default();
                known_checks.insert(self.plan().order_key(job), check);
                error = error.take().or(take_rows(renamed).err());
            }
            Ok(())
        })?;
        if let Some(error) = error {
            return Err(error);
        }
        for Group { lines, problem, .. } in groups.into_values() {
            match problem {
                Some((number, problem)) => damaged.push(describe(number, &problem)),
                None => unused_lines.extend(lines),
            }
        }
        unused_lines.sort_by_key(|line| line.start);
        (file_rows.unused, file_rows.damaged) = (unused_lines, damaged);
        Ok(file_rows)
    }

    /// Renames the rows of a job to the names of this plan. Returns `None` if the rows belong to
    /// another job.
    fn rename_rows(
        &self,
        keys: &KeyColumns,
        sources: &[Source],
        rows: &[StringRecord],
        job: &Job,
    ) -> Option<Vec<Vec<String>>> {
        let items_end = job.item + job.item_count;
        let (mut item, mut check, mut renamed) = (job.item, 0, Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let ply = match row.get(keys.ply)? {
                "" => None,
                ply => Some(ply.parse::<u16>().ok()?),
            };
            // The id of a game depends on the colour of the first player instead of a ply.
            let hashed_ply = match keys.colour {
                Some(colour) => u16::from(row.get(colour) == Some(record::BLACK)),
                None => ply.unwrap_or(0),
            };
            let depth = row.get(keys.depth)?.parse().ok()?;
            let id = keys.id(row)?;
            // Rows are in the order of the job's items. The id shows to which item a row belongs.
            if index + 1 < rows.len() {
                item = (item..items_end).find(|&item| self.plan().row_id(job, item, hashed_ply, depth) == id)?;
            } else if index > 0 && keys.item_name(row) != keys.item_name(&rows[index - 1]) {
                // The last row has the job's id, which does not depend on the item. If its item
                // name differs from that of the previous row, it belongs to the next searched item.
                item = (item + 1..items_end)
                    .find(|&item| self.experiment.is_searched(&self.experiment.suite.items[item]))?;
            }
            let label = job::label(self.experiment, self.plan(), &self.option_values[job.variant], job, item, ply);
            let mut fields: Vec<String> = sources
                .iter()
                .map(|source| match *source {
                    Source::Row(index) => row.get(index).unwrap_or_default().to_owned(),
                    Source::Option(index) => label.options[index].clone(),
                    Source::Constant(text) => text.to_owned(),
                    Source::Solved(best) => match (ply, row.get(keys.error)) {
                        (None, Some("")) if matches!(self.experiment.work, Work::Search(_)) => {
                            solved_field(&self.experiment.suite.items[item], row.get(best).unwrap_or_default())
                        }
                        _ => String::new(),
                    },
                    Source::Label(columns::EXPERIMENT) => label.experiment.clone(),
                    Source::Label(columns::VARIANT) => label.variant.clone(),
                    Source::Label(columns::SUITE) => label.suite.clone().unwrap_or_default(),
                    Source::Label(columns::GAME) => label.game.clone(),
                    Source::Label(columns::POSITION) => label.position.clone(),
                    Source::Label(columns::LIMIT) => label.limit.clone(),
                    // The only label that remains is the opponent's name.
                    Source::Label(_) => {
                        job.opponent.map(|index| self.plan().variants[index].name.clone()).unwrap_or_default()
                    }
                })
                .collect();
            check = record::append_checksum(&mut fields, check);
            renamed.push(fields);
        }
        Some(renamed)
    }
}

/// Returns the field that says whether a move solves an item. The field is empty if the suite has
/// no answer for the item.
fn solved_field(item: &Item, best: &str) -> String {
    let mut answers = item.best_moves().iter().chain(item.avoided_moves());
    // All moves that are in neither list give the same result, so such a move need not be parsed.
    // `Move::NONE` gives this result too.
    let mv = answers.find(|mv| mv.to_string() == best).copied().unwrap_or(Move::NONE);
    item.is_solved_by(mv).map(|solved| solved.to_string()).unwrap_or_default()
}

impl Reuse<'_> {
    /// Summarizes the files that were read with [`Reuse::read`]. `known_checks` contains the jobs
    /// of the plan whose rows were found in the files.
    pub(super) fn summarize(&self, known_checks: &HashMap<u64, String>, files: &[FileRows]) -> ReuseSummary {
        ReuseSummary {
            found_jobs: known_checks.len() as u64,
            all_jobs: self.job_count,
            unused: files.iter().map(|file| file.unused.len() as u64).sum(),
            damaged: files.iter().flat_map(|file| file.damaged.iter().cloned()).collect(),
            copy: None,
        }
    }

    /// Reads all files with rows in a folder, and adds the jobs of the plan that these files have
    /// to `known_checks`. Writes nothing.
    pub(super) fn scan_folder(
        &self,
        folder: &Path,
        known_checks: &mut HashMap<u64, String>,
    ) -> Result<Vec<FileRows>, OutputError> {
        let files = [folder.join(record::RESULTS)].into_iter().chain(unused_files(folder));
        let read = |path: PathBuf| self.read(&path, known_checks, &mut |_| Ok(())).map_err(OutputError::results(&path));
        files.filter(|path| path.exists()).map(read).collect()
    }
}
