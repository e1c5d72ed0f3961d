//! Takes rows that other results have. A job's id depends only on the job's content, so the jobs of
//! a plan are found by their ids in any results, and their rows are renamed to the names of this
//! plan. `merge`, `--reuse`, the key `reuse` and a changed plan all take rows in this way.

use super::output::OutputError;
use super::row_index::RowIndex;
use super::verify::{FolderState, verify_rows};
use super::{job, jobs_of};
use crate::chess::{Move, suite::Item};
use crate::experiment::{Experiment, Job, Plan, Work};
use crate::record::manifest::{Build, EngineInfo, Manifest, ManifestError, RowSource, Shard};
use crate::record::{self, ResultsError, RowKey, columns};
use crate::system::files;
use crate::table::policy::Policy;
use crate::text::plural;
use csv::StringRecord;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The jobs whose rows are known, by their places in the plan's order. The value is the checksum of
/// the job's last row, or `None` if the job failed.
pub type KnownJobs = HashMap<u64, Option<u32>>;

/// A folder of results whose rows, header, seals and counts are right.
pub struct Source {
    pub folder: PathBuf,
    pub manifest: Manifest,
    /// Which of its rows are missing, empty if none is.
    missing: String,
}

impl Source {
    /// Checks a folder. Rows may be missing.
    ///
    /// # Errors
    /// If the folder has no results, or `ttlab verify` would call its rows wrong.
    pub fn open(folder: &Path) -> Result<Self, OutputError> {
        let name = folder.display();
        let unusable = |problem: &str| Err(OutputError::Unusable(format!("{name}: {problem}")));
        if record::is_packed(folder) {
            return unusable(
                "its results.csv.xz has not all columns: run its experiment again, and name the folder of that run",
            );
        }
        let manifest = match Manifest::read(folder) {
            Err(error @ ManifestError::Edited { .. }) => return Err(OutputError::WrongRows(error.to_string())),
            result => result?,
        };
        let Some(manifest) = manifest else {
            return unusable("no manifest.json and results.csv found: expected a results folder");
        };
        let report = verify_rows(folder, &manifest)?;
        match report.state {
            FolderState::Wrong => Err(OutputError::WrongRows(format!("{name}: {}", report.worst_finding()))),
            FolderState::Complete | FolderState::Incomplete => {
                Ok(Self { folder: folder.to_owned(), manifest, missing: report.missing })
            }
        }
    }

    /// Refuses the folder if another build than `build` wrote it, which may search differently.
    pub fn of_build(self, build: &Build) -> Result<Self, OutputError> {
        if self.manifest.host.build.searches_like(build) {
            return Ok(self);
        }
        Err(OutputError::Unusable(format!(
            "{}: its build ({}) may search differently from this one ({build})",
            self.folder.display(),
            self.manifest.host.build
        )))
    }
}

/// The reason why failed jobs are not taken.
const FAILED: &str = "they failed";

pub struct Taken {
    pub source: RowSource,
    missing: String,
    /// Why other jobs of the plan were not taken, and how many.
    refused: BTreeMap<String, u64>,
    /// The first job whose counts differ from those in earlier results.
    pub conflict: Option<String>,
}

impl Taken {
    /// The first reason other than that the jobs failed.
    pub fn first_reason(&self) -> Option<&str> {
        self.refused.keys().map(String::as_str).find(|reason| *reason != FAILED)
    }

    pub fn has_failed_jobs(&self) -> bool {
        self.refused.contains_key(FAILED)
    }
}

impl std::fmt::Display for Taken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "reused {} from {}", plural(self.source.jobs, "job"), self.source.folder)?;
        if !self.missing.is_empty() {
            write!(f, " ({})", self.missing)?;
        }
        self.refused.iter().try_for_each(|(reason, &jobs)| write!(f, "; not {}: {reason}", plural(jobs, "job")))
    }
}

/// Where a field of a row comes from when the row is written with the names of this plan.
enum FieldSource {
    Label(&'static str),
    Option(usize),
    Row(usize),
    /// Whether the best move solves the item. The best move is the field of the old row with the
    /// given index.
    Solved(usize),
    /// A constant, for a column that the old row does not have or that must not be taken.
    Constant(&'static str),
}

/// The fields that the rows of a job share. A variant that is never cleared searches a whole suite
/// in one job.
fn job_key(key: &RowKey<&str>, never_cleared: &HashSet<&str>) -> String {
    key.job(never_cleared.contains(key.variant), str::is_empty).join("\0")
}

/// Takes the rows of a plan's jobs.
pub struct Taker<'a> {
    experiment: &'a Experiment,
    pub row_index: RowIndex<'a>,
    option_values: Vec<Vec<String>>,
    varying: Vec<String>,
    /// The jobs with each id. Variants with equal options have jobs with the same id.
    jobs: HashMap<u64, Vec<Job>>,
    manifest: &'a Manifest,
    /// Whether the rows are those of this very run, as the rows of its shards are. Seconds and
    /// counts that do not repeat are then taken too.
    pub is_same_run: bool,
    pub takes_failed: bool,
    pub any_engine: bool,
}

impl<'a> Taker<'a> {
    pub fn new(experiment: &'a Experiment, plan: &'a Plan, shard: Option<Shard>, manifest: &'a Manifest) -> Self {
        let mut jobs: HashMap<u64, Vec<Job>> = HashMap::new();
        for job in jobs_of(plan, shard) {
            jobs.entry(plan.job_id(&job)).or_default().push(job);
        }
        let varying = plan.varying();
        let option_values = plan.variants.iter().map(|variant| job::option_values(variant, &varying)).collect();
        let row_index = RowIndex::new(experiment, plan);
        let (is_same_run, takes_failed, any_engine) = (false, false, false);
        Self { experiment, row_index, option_values, varying, jobs, manifest, is_same_run, takes_failed, any_engine }
    }

    fn plan(&self) -> &'a Plan {
        self.row_index.plan
    }

    pub fn knows_all(&self, known: &KnownJobs) -> bool {
        self.jobs.values().flatten().all(|job| known.contains_key(&self.plan().order_key(job)))
    }

    /// Takes the jobs of a folder that are not in `known`, and adds them to it. `sink` gets the
    /// renamed rows of each job.
    ///
    /// # Errors
    /// If the file cannot be read, or `sink` fails.
    pub fn take(
        &self,
        source: &Source,
        known: &mut KnownJobs,
        sink: &mut dyn FnMut(Vec<Vec<String>>) -> Result<(), ResultsError>,
    ) -> Result<Taken, OutputError> {
        let path = source.folder.join(record::RESULTS);
        let build = source.manifest.host.build.clone();
        let row_source = RowSource { folder: source.folder.display().to_string(), jobs: 0, rows: 0, build };
        let missing = source.missing.clone();
        let mut taken = Taken { source: row_source, missing, refused: BTreeMap::new(), conflict: None };
        if path.exists() {
            self.take_file(&path, source, known, sink, &mut taken).map_err(OutputError::results(&path))?;
        }
        Ok(taken)
    }

    fn take_file(
        &self,
        path: &Path,
        source: &Source,
        known: &mut KnownJobs,
        sink: &mut dyn FnMut(Vec<Vec<String>>) -> Result<(), ResultsError>,
        taken: &mut Taken,
    ) -> Result<(), ResultsError> {
        let Some(header) = record::read_header(path)? else { return Ok(()) };
        let keys = RowKey::of_header(&header);
        if !keys.is_complete() {
            return Ok(());
        }
        let repeats = header.iter().position(|column| column == columns::REPEATS);
        let fields = self.field_sources(&header);
        let never_cleared = source.manifest.planned.never_cleared.iter().map(String::as_str).collect();
        let scripts = scripts(&source.manifest);
        // Only the last row of a job has the job's id. The first scan finds the jobs that the file
        // has, so that the second one keeps only their rows.
        let mut rows_by_job: HashMap<String, Vec<StringRecord>> = HashMap::new();
        record::scan_ids(
            path,
            &header,
            |id| self.jobs.contains_key(&id),
            |_, row| {
                rows_by_job.extend(row.ok().map(|row| (job_key(&keys.read(row), &never_cleared), Vec::new())));
                Ok(())
            },
        )?;
        if rows_by_job.is_empty() {
            return Ok(());
        }
        let mut sink_error = None;
        record::scan(path, &header, |_, row| {
            let Ok(row) = row else { return Ok(()) };
            let fields_of_row = keys.read(row);
            let key = job_key(&fields_of_row, &never_cleared);
            let has_failed = !fields_of_row.error.is_empty();
            let Some(rows) = rows_by_job.get_mut(&key) else { return Ok(()) };
            if has_failed {
                // The row of a failed job has no previous row.
                rows.clear();
            }
            let (last, previous) = (row.len() - 1, rows.last().and_then(|row| row.get(row.len() - 1)));
            let previous = previous.map_or(Some(0), |check| u32::from_str_radix(check, 16).ok());
            let check = previous.map(|previous| record::checksum(previous, row.iter().take(last)));
            if check.is_none_or(|check| row.get(last) != Some(format!("{check:08x}").as_str())) {
                // The job is not whole, or its rows have changed since they were checked.
                rows_by_job.remove(&key);
                return Ok(());
            }
            rows.push(row.clone());
            let Some(jobs) = fields_of_row.id().and_then(|id| self.jobs.get(&id)) else { return Ok(()) };
            let rows = std::mem::take(rows);
            for job in jobs {
                let place = self.plan().order_key(job);
                let renamed = match &fields {
                    _ if known.get(&place).is_some_and(|earlier| earlier.is_none() || has_failed) => continue,
                    Err(column) => Err(format!("they have no column `{column}`")),
                    Ok(fields) => self
                        .may_take(&keys, repeats, (source, &scripts), &rows, job)
                        .and_then(|()| self.rename_rows(&keys, fields, &rows, job).ok_or("they are other rows"))
                        .map_err(str::to_owned),
                };
                match (renamed, known.get(&place)) {
                    (Err(_), Some(_)) => {}
                    (Err(reason), None) => *taken.refused.entry(reason).or_default() += 1,
                    (Ok((_, check)), Some(earlier)) => {
                        if *earlier != Some(check) {
                            let name = &self.plan().variants[job.variant].name;
                            let item = fields_of_row.item_name();
                            taken.conflict.get_or_insert_with(|| {
                                format!(
                                    "{}: \"{name}\" on {item} (repeat {}): its counts differ from those of other \
                                     results of the same job",
                                    path.display(),
                                    job.repeat
                                )
                            });
                        }
                    }
                    (Ok((renamed, check)), None) => {
                        known.insert(place, (!has_failed).then_some(check));
                        (taken.source.jobs, taken.source.rows) =
                            (taken.source.jobs + 1, taken.source.rows + renamed.len() as u64);
                        sink_error = sink_error.take().or(sink(renamed).err());
                    }
                }
            }
            Ok(())
        })?;
        sink_error.map_or(Ok(()), Err)
    }

    /// Whether the rows of a job may stand for a job of this plan with the same id. The rows are
    /// whole: their checksums follow one another up to the job's last row. The error is the first
    /// condition that is not met.
    ///
    /// That the same code searched is checked for the whole folder ([`Source::of_build`]). Answers
    /// and names are made anew, and seconds are left out ([`Taker::field_sources`]).
    fn may_take(
        &self,
        keys: &RowKey<Option<usize>>,
        repeats: Option<usize>,
        (source, scripts): (&Source, &HashSet<&str>),
        rows: &[StringRecord],
        job: &Job,
    ) -> Result<(), &'static str> {
        let last = keys.map(|index| rows.last().zip(index).and_then(|(row, index)| row.get(index)).unwrap_or_default());
        let asks_for_times = self.experiment.file.asks_for_times();
        let mut repeats = rows
            .iter()
            .all(|row| repeats.and_then(|column| row.get(column)).is_none_or(|repeats| ["", EXACT].contains(&repeats)));
        // What a row says of a mate follows from all rows of its search.
        let same_mates =
            !self.plan().extra_columns().mates || source.manifest.planned.solutions == self.manifest.planned.solutions;
        let (mut same_engines, mut forgets, mut has_unhashed_code) = (true, true, false);
        for (variant, name) in [(Some(job.variant), last.variant), (job.opponent, last.opponent)] {
            let Some(variant) = variant.map(|index| &self.plan().variants[index]) else { continue };
            if let Some(table) = variant.table() {
                has_unhashed_code |= matches!(table.policy, Policy::External(_));
            }
            if variant.external().is_some() {
                let (theirs, ours) =
                    (source.manifest.run.subjects.get(name), self.manifest.run.subjects.get(&variant.name));
                same_engines &= theirs.is_some() && theirs.map(EngineInfo::identity) == ours.map(EngineInfo::identity);
                repeats &= theirs.is_some_and(|engine| engine.repeats == EXACT);
                forgets &= [theirs, ours].into_iter().flatten().all(|engine| engine.forgets);
                has_unhashed_code |= scripts.contains(name);
            }
        }
        let conditions = [
            (last.error.is_empty() || self.takes_failed, FAILED),
            (!asks_for_times || self.is_same_run, "the file asks for times, which are never taken"),
            (same_engines || self.any_engine, "their engine has another program, other arguments or other options"),
            (repeats || self.is_same_run, "their counts do not repeat"),
            (
                forgets || self.is_same_run,
                "their engine keeps something after `ucinewgame`, so counts depend on the order",
            ),
            (same_mates || self.is_same_run, "the suite's mates have changed"),
            (!has_unhashed_code || self.is_same_run, "their engine is a script, or their policy is another crate's"),
        ];
        conditions.into_iter().find(|(is_met, _)| !is_met).map_or(Ok(()), |(_, reason)| Err(reason))
    }

    /// Determines how each field of a row is made when the row is written with the names of this
    /// plan. `header` is the header of the row's file. The error is the name of a column that the
    /// file lacks.
    fn field_sources(&self, header: &[String]) -> Result<Vec<FieldSource>, String> {
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
                return Ok(FieldSource::Label(column));
            }
            if let Some(index) = self.varying.iter().position(|path| path == name) {
                return Ok(FieldSource::Option(index));
            }
            if name == columns::SECONDS && !self.is_same_run {
                return Ok(FieldSource::Constant(""));
            }
            match index_of(name) {
                Some(_) if name == columns::SOLVED => {
                    index_of(columns::BEST).map(FieldSource::Solved).ok_or_else(|| columns::BEST.to_owned())
                }
                Some(index) => Ok(FieldSource::Row(index)),
                // Files without this column contain only rows of the built-in engine.
                None if name == columns::REPEATS => Ok(FieldSource::Constant(EXACT)),
                None if [columns::ANATOMY, columns::EXTERNAL].iter().any(|prefix| name.starts_with(prefix)) => {
                    Ok(FieldSource::Constant(""))
                }
                None => Err(name.clone()),
            }
        };
        let plan_header = &self.row_index.header;
        // The last column is the checksum.
        plan_header[..plan_header.len() - 1].iter().map(find_source).collect()
    }

    /// Writes the rows of a job with the names of this plan. Returns them with the checksum of the
    /// last one, or `None` if they belong to another job.
    fn rename_rows(
        &self,
        keys: &RowKey<Option<usize>>,
        sources: &[FieldSource],
        rows: &[StringRecord],
        job: &Job,
    ) -> Option<(Vec<Vec<String>>, u32)> {
        let items_end = job.item + job.item_count;
        let (mut item, mut check, mut renamed) = (job.item, 0, Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let key = keys.read(row);
            let ply = match key.ply {
                "" => None,
                ply => Some(ply.parse::<u16>().ok()?),
            };
            // The id of a game depends on the colour of the first player instead of a ply.
            let hashed_ply = match keys.colour {
                Some(_) => u16::from(key.colour == record::BLACK),
                None => ply.unwrap_or(0),
            };
            let (depth, id) = (key.depth.parse().ok()?, key.id()?);
            // Rows are in the order of the job's items. The id shows to which item a row belongs.
            if index + 1 < rows.len() {
                item = (item..items_end).find(|&item| self.plan().row_id(job, item, hashed_ply, depth) == id)?;
            } else if index > 0 && key.item_name() != keys.read(&rows[index - 1]).item_name() {
                // The last row has the job's id, which does not depend on the item. If its item
                // name differs from that of the previous row, it belongs to the next searched item.
                item = (item + 1..items_end)
                    .find(|&item| self.experiment.is_searched(&self.experiment.suite.items[item]))?;
            }
            let label = job::label(self.experiment, self.plan(), &self.option_values[job.variant], job, item, ply);
            let mut fields: Vec<String> = sources
                .iter()
                .map(|source| match *source {
                    FieldSource::Row(index) => row.get(index).unwrap_or_default().to_owned(),
                    FieldSource::Option(index) => label.options[index].clone(),
                    FieldSource::Constant(text) => text.to_owned(),
                    FieldSource::Solved(best) => match (ply, key.error) {
                        (None, "") if matches!(self.experiment.work, Work::Search(_)) => {
                            solved_field(&self.experiment.suite.items[item], row.get(best).unwrap_or_default())
                        }
                        _ => String::new(),
                    },
                    FieldSource::Label(columns::EXPERIMENT) => label.experiment.clone(),
                    FieldSource::Label(columns::VARIANT) => label.variant.clone(),
                    FieldSource::Label(columns::SUITE) => label.suite.clone().unwrap_or_default(),
                    FieldSource::Label(columns::GAME) => label.game.clone(),
                    FieldSource::Label(columns::POSITION) => label.position.clone(),
                    FieldSource::Label(columns::LIMIT) => label.limit.clone(),
                    // The only label that remains is the opponent's name.
                    FieldSource::Label(_) => {
                        job.opponent.map(|index| self.plan().variants[index].name.clone()).unwrap_or_default()
                    }
                })
                .collect();
            check = record::append_checksum(&mut fields, check);
            renamed.push(fields);
        }
        Some((renamed, check))
    }
}

/// What the column `reported.repeats` says of counts that repeat.
const EXACT: &str = "exact";

/// A program that cannot be read counts as a script.
fn scripts(manifest: &Manifest) -> HashSet<&str> {
    let is_script = |engine: &EngineInfo| {
        let mut start = [0; 2];
        let program = files::open(Path::new(&engine.program));
        program.and_then(|mut file| file.read_exact(&mut start)).is_err() || start == *b"#!"
    };
    manifest.run.subjects.iter().filter(|(_, engine)| is_script(engine)).map(|(name, _)| name.as_str()).collect()
}

/// The field is empty if the suite has no answer for the item.
fn solved_field(item: &Item, best: &str) -> String {
    let mut answers = item.best_moves().iter().chain(item.avoided_moves());
    // All moves that are in neither list give the same result, so such a move need not be parsed.
    // `Move::NONE` gives this result too.
    let mv = answers.find(|mv| mv.to_string() == best).copied().unwrap_or(Move::NONE);
    item.is_solved_by(mv).map(|solved| solved.to_string()).unwrap_or_default()
}

#[cfg(test)]
pub(super) mod tests;
